-- Any bytes as a filter give an answer or an error, the same one each time.
.load dist/bloom
.nullvalue NULL

-- The filter of no bytes, all filters of one byte, and filters of two bytes
-- with either of two first bytes.
CREATE TABLE bytes(b BLOB);
CREATE TABLE byte AS SELECT a.column1 * 16 + b.column1 AS i FROM
  (VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9), (10), (11), (12), (13), (14), (15)) AS a,
  (VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9), (10), (11), (12), (13), (14), (15)) AS b;
INSERT INTO bytes VALUES (x'');
INSERT INTO bytes SELECT substr(leveldb_fixed32(i), 1, 1) FROM byte;
INSERT INTO bytes SELECT substr(leveldb_fixed32(i * 256 + p.column1), 1, 2) FROM byte,
  (VALUES (0), (1), (127), (128), (255)) AS p;
SELECT length(b), count(*), count(DISTINCT b) FROM bytes GROUP BY 1;
-- 0|1|1
-- 1|256|256
-- 2|1280|1280

-- A filter of less than 2 bytes matches nothing.
SELECT count(*), sum(bloom_may_match('x', b)), sum(bloom_may_match(1, bloom_open(b))) FROM bytes WHERE length(b) < 2;
-- 257|0|0

-- Of 2 bytes, those with 1 to 30 probes have bits that decide: FF matches, 00
-- does not; all others match.
SELECT count(*), sum(bloom_may_match('x', b)) FROM bytes WHERE length(b) = 2
  AND substr(b, 2) NOT BETWEEN x'01' AND x'1e';
-- 1130|1130

SELECT substr(b, 1, 1) = x'ff', count(*), sum(bloom_may_match('x', b)) FROM bytes
WHERE length(b) = 2 AND substr(b, 2) BETWEEN x'01' AND x'1e' AND substr(b, 1, 1) IN (x'00', x'ff') GROUP BY 1;
-- 0|30|0
-- 1|30|30

SELECT count(*), sum(false_positive_rate BETWEEN 0 AND 1), sum(keys >= 0 OR keys IS NULL),
  sum(bits = 8 * max(0, bytes - 1))
FROM bytes, bloom_info(b) WHERE b IN (x'', x'00', x'1e', x'ff') OR substr(b, 1, 1) = x'80'
  AND substr(b, 2) IN (x'00', x'01', x'1e', x'1f', x'ff');
-- 9|9|9|9

-- Random bytes of lengths up to 2000, half of them with a valid number of
-- probes in the last byte.
CREATE TABLE random_bytes(b BLOB);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4000)
INSERT INTO random_bytes SELECT randomblob(i % 2000 + 1) FROM n;
UPDATE random_bytes SET b = CAST(b || substr(leveldb_fixed32(rowid % 33), 1, 1) AS BLOB) WHERE rowid % 2;
SELECT count(*), sum(typeof(b) = 'blob'), sum(bloom_may_match(rowid, b) IN (0, 1)),
  sum(bloom_may_match(rowid, b) = bloom_may_match(rowid, bloom_open(b))),
  sum(bloom_may_match(rowid, b)) > 1000, sum(bloom_may_match(rowid, b)) < 3999 FROM random_bytes;
-- 4000|4000|4000|4000|1|1

-- A key that is added matches, and keys that matched before still do.
SELECT count(*) > 1500, count(*) = sum(bloom_may_match('key', bloom_add(b, 'key'))),
  count(*) = sum(bloom_may_match(rowid, b) <= bloom_may_match(rowid, bloom_add(b, 'key'))),
  count(*) = sum(length(b) = length(bloom_add(b, 'key'))),
  count(*) = sum(substr(b, -1) = substr(bloom_add(b, 'key'), -1))
FROM random_bytes WHERE length(b) > 1 AND substr(b, -1) <= x'1e';
-- 1|1|1|1|1

SELECT count(*) > 5, count(*) = sum(bits = 8 * (length(b) - 1)), count(*) = sum(bits_set BETWEEN 0 AND bits),
  count(*) = sum(fill BETWEEN 0 AND 1),
  count(*) = sum(false_positive_rate BETWEEN 0 AND 1), count(*) = sum(keys IS NULL OR keys >= 0)
FROM random_bytes, bloom_info(b) WHERE length(b) > 1 AND substr(b, -1) <= x'1e' AND random_bytes.rowid < 20;
-- 1|1|1|1|1|1

SELECT bloom_add(b, 'key') FROM random_bytes WHERE length(b) > 1 AND substr(b, -1) > x'1e';
-- Error: bloom_add: filter must have at most 30 probes in its last byte, got ..., an encoding that LevelDB reserves (...)

SELECT bloom_merge(b) FROM random_bytes WHERE length(b) > 1 AND substr(b, -1) <= x'1e';
-- Error: bloom_merge: filters must have the same length and number of probes, got ... bytes and ... probes after ... bytes and ... probes (...)

-- Random merges: a union matches whatever one of its filters matches.
CREATE TABLE pair AS SELECT CAST(randomblob(1 + rowid % 100) || x'03' AS BLOB) AS a, randomblob(1 + rowid % 100) AS b,
  rowid AS k FROM random_bytes;
UPDATE pair SET b = CAST(b || x'03' AS BLOB);
SELECT count(*), sum(bloom_may_match(k, f) >= max(bloom_may_match(k, a), bloom_may_match(k, b))),
  sum(bloom_may_match(k, a)) > 100 FROM (
  SELECT k, a, b, (SELECT bloom_merge(x) FROM (SELECT a AS x UNION ALL SELECT b)) AS f FROM pair);
-- 4000|4000|1

-- Any data has a hash and a crc.
SELECT count(*), sum(leveldb_hash(b) BETWEEN 0 AND 4294967295), sum(crc32c(b) BETWEEN 0 AND 4294967295),
  sum(crc32c(substr(b, 1, 7)) <> crc32c(b)) FROM random_bytes WHERE length(b) > 7;
-- 3986|3986|3986|3986

-- TEXT that is not valid UTF-8 has key bytes like any other.
SELECT leveldb_hash(CAST(x'ff80c3' AS TEXT)) = leveldb_hash(x'ff80c3'),
  crc32c(CAST(x'ff80c3' AS TEXT)) = crc32c(x'ff80c3'),
  bloom_may_match(CAST(x'ff80c3' AS TEXT), bloom_build(x'ff80c3'));
-- 1|1|1
