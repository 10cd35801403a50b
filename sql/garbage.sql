-- Delete the blobs that no row refers to, the garbage. A filter of the
-- references excludes most of them in one pass over the table of blobs, without
-- an index on the references. What it excludes is certainly garbage. Some 1 %
-- of the garbage matches the filter and is kept; the next run deletes most of
-- that, because each run hashes the keys with another seed.
--
-- This is the one recipe in which a mistake deletes rows. If the two columns
-- have their keys in different forms, such as BLOBs in one and hexadecimal text
-- in the other, the filter excludes nearly every blob that is in use, as a
-- plain NOT EXISTS would. Therefore the job first looks for references whose
-- blob is missing or would be deleted, and deletes nothing if there are any.
-- It cannot know of references elsewhere: if several tables refer to blobs, make
-- `ref` a view of all of them with UNION ALL, or the blobs of the others are
-- deleted.
--
-- This precaution takes most of the time, because it looks up each reference. With
-- it, and without an index on the references, the job is more than one and a half
-- times as fast as with NOT IN. If the references have an index, and nearly all blobs
-- are in use, a filter has nothing to save: without the precaution, NOT IN is about
-- as fast. (Measured under Recipes in tests/bench/README.md.)
.load dist/bloom

-- A store of 5,000 blobs. Two documents refer to each of the first 3,000, and
-- one refers to none.
CREATE TABLE blob(hash TEXT PRIMARY KEY, stored INTEGER, body BLOB);
CREATE TABLE ref(document INTEGER, hash TEXT);
WITH RECURSIVE number(n) AS (
  SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 5000
)
INSERT INTO blob
SELECT printf('%08x%08x', leveldb_hash(n), leveldb_hash(n, 1)), n, 'body ' || n
FROM number;
INSERT INTO ref SELECT stored, hash FROM blob WHERE stored <= 3000;
INSERT INTO ref SELECT 10000 + stored, hash FROM blob WHERE stored <= 3000;
INSERT INTO ref VALUES (20000, NULL);

-- ---- The job. It is one transaction, so that no other connection can add a
-- reference between its statements. After an error, nothing of it may be
-- committed: .bail ends the shell there, and a program rolls back. The seed is
-- any integer from 0 to 2^32 - 1 that the last run did not have.
.bail on
BEGIN IMMEDIATE;
CREATE TEMP TABLE live AS
SELECT seed, bloom_build_distinct(leveldb_hash(hash, seed)) AS f
FROM (SELECT 1 AS seed) LEFT JOIN ref;

-- This is the first query: the references that would be left without their
-- blob. `=` finds no blob for them, or the filter excludes a blob that `=`
-- finds. The keys of a filter are bytes, so it excludes 'AB' where only 'ab' is
-- referred to, although a column with COLLATE NOCASE treats these as equal.
CREATE TEMP TABLE endangered AS
SELECT ref.hash FROM ref LEFT JOIN blob ON blob.hash = ref.hash
WHERE ref.hash NOT NULL
  AND NOT ifnull(bloom_may_match(
        leveldb_hash(blob.hash, (SELECT seed FROM live)),
        (SELECT bloom_open(f) FROM live)), 0);
SELECT count(*) FROM endangered;
-- 0

-- Nothing is deleted if a reference is in danger, or if there are none: without
-- references every blob would be garbage, and an empty table is more often a
-- mistake than meant.
DELETE FROM blob
WHERE NOT bloom_may_match(leveldb_hash(hash, (SELECT seed FROM live)),
                          (SELECT bloom_open(f) FROM live))
  AND NOT EXISTS (SELECT * FROM endangered)
  AND EXISTS (SELECT * FROM ref WHERE hash NOT NULL);
DROP TABLE endangered;
DROP TABLE live;
COMMIT;

-- Every referenced blob is still there, and of the 2,000 others only a few.
SELECT count(*) FROM ref WHERE hash IN (SELECT hash FROM blob);
-- 6000

SELECT count(*) BETWEEN 1 AND 60 FROM blob WHERE stored > 3000;
-- 1

-- ---- The next run is the same, but has another seed.
BEGIN IMMEDIATE;
CREATE TEMP TABLE live AS
SELECT seed, bloom_build_distinct(leveldb_hash(hash, seed)) AS f
FROM (SELECT 2 AS seed) LEFT JOIN ref;
CREATE TEMP TABLE endangered AS
SELECT ref.hash FROM ref LEFT JOIN blob ON blob.hash = ref.hash
WHERE ref.hash NOT NULL
  AND NOT ifnull(bloom_may_match(
        leveldb_hash(blob.hash, (SELECT seed FROM live)),
        (SELECT bloom_open(f) FROM live)), 0);
DELETE FROM blob
WHERE NOT bloom_may_match(leveldb_hash(hash, (SELECT seed FROM live)),
                          (SELECT bloom_open(f) FROM live))
  AND NOT EXISTS (SELECT * FROM endangered)
  AND EXISTS (SELECT * FROM ref WHERE hash NOT NULL);
DROP TABLE endangered;
DROP TABLE live;
COMMIT;

SELECT sum(stored <= 3000), sum(stored > 3000) <= 2 FROM blob;
-- 3000|1

-- ---- What the first query finds. Here a program has stored the hash of one
-- reference as a BLOB, and of another in upper case. The query shows these
-- rows, whose blobs are in danger, with the type of the wrong form.
UPDATE ref SET hash = CAST(hash AS BLOB) WHERE document IN (7, 10007);
UPDATE ref SET hash = upper(hash) WHERE document IN (8, 10008);
SELECT document, typeof(ref.hash) FROM ref LEFT JOIN blob USING (hash)
WHERE ref.hash NOT NULL AND blob.hash IS NULL ORDER BY document;
-- 7|blob
-- 8|text
-- 10007|blob
-- 10008|text

-- A reference whose blob was never stored is found, too, and also stops the
-- job. Store the blob, or delete the reference.

-- ---- The references are on another machine, which sends a filter of them.
-- What it sends says when the filter was made, how many blobs it must keep, and
-- what its checksum is.
CREATE TABLE other_ref(hash TEXT);
INSERT INTO other_ref SELECT hash FROM blob WHERE stored <= 1000;
CREATE TABLE sent AS
SELECT 4000 AS made, keys, f, crc32c(f) AS checksum
FROM (SELECT count(DISTINCT hash) AS keys, bloom_build_distinct(hash) AS f
      FROM other_ref);

-- A blob that was stored after the filter was made may be in use without being
-- in the filter, so only older blobs are deleted. Choose `made` so that, at
-- that time, every reference to an older blob had been written. If the filter
-- keeps too few blobs, the keys have another form; a single wrong key is not
-- noticed. The filter is in FROM, so that without a filter nothing is deleted.
INSERT INTO blob VALUES ('new', 5001, 'not yet in the filter');
BEGIN IMMEDIATE;
DELETE FROM blob WHERE rowid IN (
  SELECT blob.rowid FROM sent CROSS JOIN blob
  WHERE stored < made
    AND NOT bloom_may_match(hash, (SELECT bloom_open(f) FROM sent))
    AND crc32c(f) = checksum AND keys > 0
    AND keys <= (SELECT count(*) FROM blob WHERE bloom_may_match(
                   hash, (SELECT bloom_open(f) FROM sent))));
COMMIT;
SELECT sum(stored <= 1000), sum(stored BETWEEN 1001 AND 3999) < 50,
  sum(hash = 'new')
FROM blob;
-- 1000|1|1

-- When not to use this: where the references have an index on their hash, and
-- both tables fit in memory, a DELETE without a filter takes a third of the time if
-- most blobs are in use, and leaves no garbage. Run the first query before that, too.
-- A NULL among the references makes NOT IN false for every blob, IS NOT TRUE does not:
SELECT sum(hash NOT IN (SELECT hash FROM ref)),
  sum(hash IN (SELECT hash FROM ref) IS NOT TRUE)
    = (SELECT count(*) FROM blob) - (SELECT count(DISTINCT blob.hash) FROM ref JOIN blob USING (hash))
FROM blob;
-- 0|1

-- Where rows may refer to blobs that are stored elsewhere, some references always
-- lack their blob, so the first query cannot tell a mistake from them.
