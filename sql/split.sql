-- A filter of more keys than 32 bits of hash hold apart. At 40 million keys
-- LevelDB's hash alone lets 0.9 % of absent keys through, whatever the bits;
-- several filters, each of a part of the keys, have each their own 32 bits. Keys
-- are parted by their range, or by a hash with another seed than the filter's
-- (by its own, a part would have fewer hashes as well as fewer keys).
--
--   sqlite3 -cmd ".parameter set :keys 100000000" < sql/split.sql
.load dist/bloom

.parameter init
INSERT OR IGNORE INTO sqlite_parameters VALUES(':keys', 200000);

-- One pass makes the filter of all keys, and those of four parts.
CREATE TABLE filter AS
WITH RECURSIVE n(i) AS (
  SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :keys
)
SELECT bloom_build(k, 10) AS whole,
       bloom_build(k, 10) FILTER (WHERE part = 0) AS part0,
       bloom_build(k, 10) FILTER (WHERE part = 1) AS part1,
       bloom_build(k, 10) FILTER (WHERE part = 2) AS part2,
       bloom_build(k, 10) FILTER (WHERE part = 3) AS part3
FROM (SELECT k, leveldb_hash(k, 1) >> 30 AS part
      FROM (SELECT i * 11400714819 AS k FROM n));

-- No key is lost, and how many of a million absent keys each lets through.
CREATE TEMP TABLE probe AS
WITH RECURSIVE n(i) AS (
  SELECT :keys - 99999 UNION ALL SELECT i + 1 FROM n WHERE i < :keys + 1000000
)
SELECT i <= :keys AS member, i * 11400714819 AS k FROM n;

CREATE TEMP TABLE answer AS
SELECT member, bloom_may_match(k, (SELECT bloom_open(whole) FROM filter)) AS one,
  CASE leveldb_hash(k, 1) >> 30
    WHEN 0 THEN bloom_may_match(k, (SELECT bloom_open(part0) FROM filter))
    WHEN 1 THEN bloom_may_match(k, (SELECT bloom_open(part1) FROM filter))
    WHEN 2 THEN bloom_may_match(k, (SELECT bloom_open(part2) FROM filter))
    ELSE bloom_may_match(k, (SELECT bloom_open(part3) FROM filter))
  END AS parted
FROM probe;

SELECT count(*), sum(one), sum(parted) FROM answer WHERE member;
-- 100000|100000|100000

SELECT 'one filter', avg(one), 'four', avg(parted) FROM answer WHERE NOT member;
-- one filter|0.01...|four|0.01...

SELECT round(bloom_false_positive_rate(10, :keys), 4) AS one_filter,
       round(bloom_false_positive_rate(10, :keys / 4), 4) AS four;
-- 0.0085|0.0084
