-- How large should a filter be? More bits for each key give fewer false
-- positives, which are rows that pass the filter and are then looked up
-- needlessly.
.load dist/bloom

-- What do bits cost, and what do they gain? For each number of bits, this
-- builds a filter of 100,000 keys. It shows the size of a filter of a million
-- such keys, and the predicted and the measured share of false positives, both
-- in percent. (Keys in sequence, such as key1 and key2, may fare better than
-- these, which are not in sequence.) More than 10 bits or so gain little for a
-- join: of 100 rows without a match, 99 are skipped by then.
CREATE TABLE filters(bits_per_key INTEGER PRIMARY KEY, f BLOB);
WITH RECURSIVE number(n) AS (
  SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 100000
), bits(b) AS (
  VALUES (2), (4), (6), (8), (10), (12), (16), (20)
)
INSERT INTO filters
SELECT b, bloom_build(printf('%08x', leveldb_hash(n)), b) FROM bits, number GROUP BY b;

SELECT printf('%2d bits: %4.2f MB, %5.2f %% predicted, %5.2f %% measured',
  bits_per_key, bytes * 10 / 1e6,
  100 * bloom_false_positive_rate(bits_per_key, 100000),
  100 * false_positive_rate)
FROM filters, bloom_info(f);
--  2 bits: 0.25 MB, 39.35 % predicted, 39.39 % measured
--  4 bits: 0.50 MB, 15.50 % predicted, 15.59 % measured
--  6 bits: 0.75 MB,  8.51 % predicted,  8.54 % measured
--  8 bits: 1.00 MB,  3.15 % predicted,  3.12 % measured
-- 10 bits: 1.25 MB,  1.48 % predicted,  1.42 % measured
-- 12 bits: 1.50 MB,  0.46 % predicted,  0.46 % measured
-- 16 bits: 2.00 MB,  0.06 % predicted,  0.07 % measured
-- 20 bits: 2.50 MB,  0.01 % predicted,  0.01 % measured

-- The prediction is measured, too, on a filter of that many random keys. How
-- LevelDB's probes are distributed depends on the length of the filter, so more
-- bits may even let more keys through, as 15 do here.
SELECT printf('%5.3f %% at 14 bits, %5.3f %% at 15',
  100 * bloom_false_positive_rate(14, 100000),
  100 * bloom_false_positive_rate(15, 100000));
-- 0.186 % at 14 bits, 0.261 % at 15

-- bloom_bits_per_key gives the bits for at most 10 %, 1 % and 0.1 % of false
-- positives: first for 1,000,000 keys, and then, without a number of keys, for
-- filters of some 1,000 keys, such as parts.
SELECT bloom_bits_per_key(0.1, 1000000), bloom_bits_per_key(0.01, 1000000),
  bloom_bits_per_key(0.001, 1000000);
-- 6|11|16

SELECT bloom_bits_per_key(0.1), bloom_bits_per_key(0.01),
  bloom_bits_per_key(0.001);
-- 5|10|15

-- A filter is sized for its keys, or for a capacity if more keys are to be
-- added or filters of several parts are to be merged. Its size in bytes is
-- capacity * bits_per_key / 8, and one more.
SELECT length(bloom_build('key', 10)), length(bloom_build('key', 10, 1000000));
-- 9|1250001

-- Keys beyond the capacity are never lost, but the filter fills up and lets
-- more and more absent keys through. Here it gets 1, 2 and 4 times as many keys
-- as it has room for.
WITH RECURSIVE number(n) AS (
  SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 40000
), times(t) AS (
  VALUES (1), (2), (4)
), filled AS (
  SELECT t, bloom_build(n, 10, 10000) AS f FROM times, number
  WHERE n <= 10000 * t GROUP BY t
)
SELECT printf('%d times: %2.0f %% of the bits set, %4.1f %% false positives', t,
              100 * fill, 100 * false_positive_rate)
FROM filled, bloom_info(f);
-- 1 times: 44 % of the bits set,  0.8 % false positives
-- 2 times: 69 % of the bits set, 11.3 % false positives
-- 4 times: 90 % of the bits set, 55.0 % false positives

-- Duplicates count as keys, so use DISTINCT for the column of a fact table.
SELECT length(bloom_build(k)), length(bloom_build(DISTINCT k))
FROM (WITH RECURSIVE number(n) AS (
        SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 10000)
      SELECT n % 100 AS k FROM number);
-- 12501|126

-- LevelDB's hash has 32 bits, and no filter can distinguish keys with the same
-- hash. The number of keys therefore sets a lower bound for the rate, which
-- matters from tens of millions of keys on.
WITH set_of(keys) AS (VALUES (1000000), (10000000), (100000000))
SELECT printf('%,11d keys: %4.2f %% at 10 bits, %4.2f %% at 20', keys,
  100 * bloom_false_positive_rate(10, keys),
  100 * bloom_false_positive_rate(20, keys))
FROM set_of;
--   1,000,000 keys: 1.29 % at 10 bits, 0.04 % at 20
--  10,000,000 keys: 1.28 % at 10 bits, 0.25 % at 20
-- 100,000,000 keys: 3.31 % at 10 bits, 2.32 % at 20

-- A rate below this bound is an error.
SELECT bloom_bits_per_key(0.01, 100000000);
-- Error: bloom_bits_per_key: no bits_per_key up to 100 reaches a false_positive_rate of 0.01 for 100000000 keys: the lowest is about 0.023, ...

-- The remedy is a filter in parts, which parts.sql makes and keeps. It consists
-- of many small filters, and each key belongs to one of them. Each part has all
-- 32 bits of the hash for its own keys, so a part of 1,000 keys has the rate of
-- 1,000 keys, however many parts there are.
SELECT printf('%4.2f %% in one filter, %4.2f %% in parts',
  100 * bloom_false_positive_rate(10, 1000000000),
  100 * bloom_false_positive_rate(10, 1000));
-- 31.13 % in one filter, 0.89 % in parts

WITH RECURSIVE number(n) AS (
  SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 100000
)
SELECT printf('%4.2f %% in 100 parts, measured', 100 * avg(bloom_may_match(
  'other' || n, (SELECT bloom_build_parts('key' || n, 100) FROM number))))
FROM number;
-- 0.92 % in 100 parts, measured
