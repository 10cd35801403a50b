-- A set to ship: the SHA-1s of 200,000 known files as a filter in parts, in one
-- SQLite file without the SHA-1s themselves. With the file, one key is looked
-- up by reading one part, and many keys by opening all parts as one filter.
-- After `make`, run it in the folder of the Makefile:
--
--   sqlite3 set.db < sql/shipped_set.sql
--
-- makes the new file set.db with this example's set; delete an older set.db
-- first. For a set of your own, make the TEMP view `known` before. Nothing that
-- is TEMP is shipped. From the column sha1 of the table file in own.db:
--
--   sqlite3 set.db -cmd "ATTACH 'own.db' AS own" \
--     -cmd 'CREATE TEMP VIEW known(sha1) AS SELECT sha1 FROM own.file' \
--     < sql/shipped_set.sql
--
-- From list.txt, which sha1sum has written:
--
--   sqlite3 set.db -cmd 'CREATE TEMP TABLE list(line)' \
--     -cmd '.import list.txt list' -cmd 'CREATE TEMP VIEW known(sha1) AS
--       SELECT substr(line, 1, 40) FROM list' < sql/shipped_set.sql
--
-- The functions, which also serve shards (merge.sql):
--
--   bloom_build_parts(key, parts [, bits_per_key [, capacity]]) makes all parts in one
--   pass over the keys; its result is a handle, and bloom_bytes(handle, part) is one
--   part. parts is an integer from 1 to 2^20: choose it so that a part has some 1,000
--   keys. Each part is what bloom_build(key [, bits_per_key [, capacity]]) would make of
--   its own keys, so capacity is the number of keys of one part. Besides the parts,
--   building takes up to 8 bytes for each key, or with capacity up to a quarter of the
--   parts' memory. Without any row, it returns the same as bloom_build, an empty filter
--   that is not in parts: if there may be none, add a NULL, which is not a key.
--
--   bloom_part(key, parts) is the number of the part that a key belongs to.
--
--   bloom_open(part, parts, filter) aggregates the rows of all parts into one handle.
--   Every part must occur exactly once, or the error names it. A part whose filter is
--   NULL excludes none of its keys.
--
-- .import splits a line at | and removes quotes around a field. For a list of keys
-- that may have | or quotes, write -cmd '.mode ascii' -cmd '.separator "\037" "\n"'
-- before it, and -cmd '.mode list' after it.
--
-- Each key is TEXT of 40 hexadecimal digits in lower case, as sha1sum and the
-- hexdigest functions of many languages write it. To a filter, a BLOB of 20
-- bytes, or the same digits in upper case, is a different key, which the set
-- does not have. For keys of another form, change what is said of the form in
-- two places: the first query, and the query of one key.
-- since: 3.28
.load dist/bloom
.parameter init

CREATE TEMP TABLE example(sha1 TEXT);
WITH RECURSIVE number(n) AS (
  SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 200000
)
INSERT INTO example
SELECT printf('%08x%08x%08x%08x%08x', leveldb_hash(n), leveldb_hash(n, 1),
  leveldb_hash(n, 2), leveldb_hash(n, 3), leveldb_hash(n, 4))
FROM number
WHERE NOT EXISTS (SELECT * FROM sqlite_temp_master WHERE name = 'known');
CREATE TEMP VIEW IF NOT EXISTS known(sha1) AS SELECT sha1 FROM example;

-- No key may have another form, and there must be keys. Otherwise the shell ends
-- here, with an error that says so, before it makes a set.
.bail on
CREATE TEMP TABLE checked(
  wrong INTEGER CONSTRAINT "known has keys of another form" CHECK (wrong = 0),
  keys INTEGER CONSTRAINT "known has no keys" CHECK (keys > 0)
);
INSERT INTO checked
SELECT total(length(sha1) <> 40 OR sha1 GLOB '*[^0-9a-f]*'
    OR typeof(sha1) <> 'text'), count(sha1)
FROM known;

-- Of the keys that are not in the set, one in 10,000 may match. This takes 20
-- bits for each key, or some 2,500 bytes for a part of 1,000 keys, which fit in
-- a page of the file.
CREATE TEMP TABLE plan AS
SELECT max(1, count(*) / 1000) AS parts,
  bloom_bits_per_key(0.0001, 1000) AS bits
FROM known;
SELECT * FROM plan;
-- 200|20

-- The checksum of a part includes its number and how many parts there are, so
-- that no part can stand for another.
CREATE TABLE known_parts(
  part INTEGER PRIMARY KEY,
  parts INTEGER NOT NULL,
  f BLOB NOT NULL,
  checksum INTEGER NOT NULL
);
WITH RECURSIVE number(part) AS (
  SELECT 0 UNION ALL
  SELECT part + 1 FROM number WHERE part + 1 < (SELECT parts FROM plan)
), opened(handle) AS (
  SELECT bloom_build_parts(sha1, parts, bits) FROM plan, known
), built(part, parts, f) AS (
  SELECT part, parts, bloom_bytes(handle, part) FROM plan, opened, number
)
INSERT INTO known_parts
SELECT part, parts, f, crc32c(crc32c(part || '/' || parts || ':'), f)
FROM built;

-- This view gives the parts to queries. In place of a damaged part it gives a
-- text, which is an error wherever a filter is expected. A NULL would match
-- every key: that is right for a filter before a lookup, but a list of
-- forbidden keys would forbid everything.
CREATE VIEW known_part(part, parts, f) AS
SELECT p.part, n.parts,
  CASE WHEN p.checksum = crc32c(crc32c(p.part || '/' || n.parts || ':'), p.f)
    THEN p.f ELSE 'part ' || p.part || ' is damaged' END
FROM known_parts AS n CROSS JOIN known_parts AS p WHERE n.part = 0;

-- ---- One key: 1 if it may be in the set, 0 if it is certainly not, and an
-- error if the key has another form, or if its part is damaged or missing. (The
-- error is that of a filter that must be a BLOB, and ends with the text below.)
-- Two rows are read, of which the first says how many parts there are. A
-- program binds :sha1.
.parameter set :sha1 "'f86d0ee9eb9db3a1e2a2e7dc0b5ba5a0dafad4f9'"
SELECT bloom_may_match(:sha1, CASE
  WHEN typeof(:sha1) <> 'text' OR length(:sha1) <> 40
    OR :sha1 GLOB '*[^0-9a-f]*'
  THEN 'a SHA-1 is 40 lower-case hex digits'
  ELSE ifnull((SELECT f FROM known_part WHERE part = bloom_part(:sha1, parts)),
              'the part of this key is missing') END) AS may_be_known;
-- 0

-- In Node, `node:sqlite` can load extensions from Node 22.13 on, and in Node 23
-- from 23.5 on; an older Node needs better-sqlite3. First run `make dist` here,
-- and in your project `npm install` with the path of the file
-- dist/sqlite-bloom-leveldb-VERSION.tgz. With the query above in one_key.sql:
--
--   const {DatabaseSync} = require('node:sqlite');
--   const {readFileSync} = require('node:fs');
--   const bloom = require('sqlite-bloom-leveldb');
--   const db = new DatabaseSync('set.db',
--                               {allowExtension: true, readOnly: true});
--   bloom.load(db);
--   const oneKey = db.prepare(readFileSync('one_key.sql', 'utf8'));
--   const mayBeKnown = (sha1) => oneKey.get({sha1}).may_be_known === 1;

-- ---- Many keys: all parts are opened as one filter, once. Every key of the
-- set matches, and one in 10,000 of the others.
SELECT count(*) FROM known
WHERE bloom_may_match(sha1,
  (SELECT bloom_open(part, parts, f) FROM known_part));
-- 200000

WITH RECURSIVE number(n) AS (
  SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 100000
)
SELECT count(*) BETWEEN 1 AND 30 FROM number
WHERE bloom_may_match(printf('%040x', n),
  (SELECT bloom_open(part, parts, f) FROM known_part));
-- 1

-- What is shipped: 200 rows of some 2,500 bytes.
SELECT count(*), sum(length(f)) < 502000, max(length(f)) < 4000
FROM known_parts;
-- 200|1|1

-- ---- If a part is damaged, the view has a text in its place, which makes a
-- lookup of its keys an error instead of an answer. So is opening the filter as
-- a whole, also if a part is missing.
SAVEPOINT damage;
UPDATE known_parts SET f = zeroblob(length(f)) WHERE part = 0;
SELECT f FROM known_part WHERE part = 0;
-- part 0 is damaged
ROLLBACK TO damage;
RELEASE damage;

-- bloom_create_parts does not make such a filter from a query: what it makes is
-- kept by the triggers of a table, and a set that is shipped has no table.
--
-- When not to use this: where a false positive does harm and the full list is
-- not at hand to verify a match; where the keys are secret, because anybody who
-- has the filter can test guesses; and against deliberate changes, for which
-- the file needs a signature. Ship a set of a few thousand keys as it is.
