-- LevelDB's own test of its Bloom filter (util/bloom_test.cc), in SQL. It has
-- the cases EmptyFilter, Small and VaryingLengths, with LevelDB's keys, lengths
-- and bounds. It shows what a filter promises, and how leveldb_fixed32 makes
-- the keys that C++ programs store.
.load dist/bloom

-- EmptyFilter: an empty filter matches nothing.
CREATE TABLE empty AS SELECT bloom_build(NULL, 10) AS f;
SELECT bloom_may_match('hello', f), bloom_may_match('world', f) FROM empty;
-- 0|0

-- Small: a filter matches its keys, and does not match two others.
CREATE TABLE small AS
SELECT bloom_build(key, 10) AS f
FROM (SELECT 'hello' AS key UNION ALL SELECT 'world');
SELECT bloom_may_match('hello', f), bloom_may_match('world', f),
  bloom_may_match('x', f), bloom_may_match('foo', f)
FROM small;
-- 1|1|0|0

-- VaryingLengths: the filters have 1, 2, ... 10, 20, ... 100, 200, ... 10,000
-- keys.
CREATE TABLE number(n INTEGER PRIMARY KEY, key BLOB, absent_key BLOB);
WITH RECURSIVE number_to(n) AS (
  SELECT 0 UNION ALL SELECT n + 1 FROM number_to WHERE n < 9999
)
INSERT INTO number
SELECT n, leveldb_fixed32(n), leveldb_fixed32(1000000000 + n) FROM number_to;

SELECT hex(key), hex(absent_key) FROM number WHERE n = 258;
-- 02010000|02CB9A3B

CREATE TABLE filter(length INTEGER PRIMARY KEY, f BLOB);
WITH RECURSIVE length_to(length) AS (
  SELECT 1
  UNION ALL
  SELECT length + CASE WHEN length < 10 THEN 1 WHEN length < 100 THEN 10
                    WHEN length < 1000 THEN 100 ELSE 1000 END
  FROM length_to WHERE length < 10000
)
INSERT INTO filter
SELECT length, bloom_build(key, 10) FROM length_to, number WHERE n < length
GROUP BY length;

SELECT count(*), min(length), max(length) FROM filter;
-- 37|1|10000

-- No filter is larger than 10 bits per key plus 40 bytes.
SELECT length, length(f) FROM filter WHERE length(f) > length * 10 / 8 + 40;

-- Every key matches.
SELECT length, n FROM filter, number
WHERE n < length AND NOT bloom_may_match(key, f);

-- At most 2 % of 10,000 absent keys match.
CREATE TABLE rate AS
SELECT length, avg(bloom_may_match(absent_key, f)) AS rate
FROM filter, number GROUP BY length;

SELECT count(*), min(rate) >= 0 FROM rate;
-- 37|1

SELECT length, rate FROM rate WHERE rate > 0.02;

-- Filters that match more than 1.25 % are rare: there are at most a fifth as
-- many of them as of the others.
SELECT sum(rate > 0.0125) <= sum(rate <= 0.0125) / 5 FROM rate;
-- 1
