-- Any bytes as a filter give an answer or an error, the same one each time.
-- (tests/core/bloom_test.c has every filter of 1 byte and every last byte.)
.load dist/bloom
.nullvalue NULL

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
