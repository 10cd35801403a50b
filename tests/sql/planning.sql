-- bloom_false_positive_rate(bits_per_key [, keys]) and
-- bloom_bits_per_key(false_positive_rate [, keys]). The expected values without
-- keys were computed by another program: (1 - e^(-k/b))^k. With keys, the rates
-- are measured; tests/core/rate_test.c and tests/stress/rates.c compare them
-- with other filters.
.load dist/bloom
.nullvalue NULL

SELECT round(bloom_false_positive_rate(1), 12), round(bloom_false_positive_rate(2), 12),
  round(bloom_false_positive_rate(10), 12), round(bloom_false_positive_rate(20), 12);
-- 0.632120558829|0.393469340287|0.008436209268|6.7923795e-05

SELECT abs(bloom_false_positive_rate(44) / 6.603970116801794e-10 - 1) < 1e-9,
  abs(bloom_false_positive_rate(100) / 2.5593755154277805e-18 - 1) < 1e-9;
-- 1|1

-- More bits may be worse, depending on the divisors of the filter's length.
SELECT bloom_false_positive_rate(14, 100000) < 0.002, bloom_false_positive_rate(15, 100000) > 0.002;
-- 1|1

-- With keys, the measured rate is the same on every machine, a whole number of
-- 2^32nds.
SELECT bloom_false_positive_rate(10, 1000) * 4294967296, bloom_false_positive_rate(17, 1000) * 4294967296,
  bloom_false_positive_rate(15, 100000) * 4294967296, bloom_false_positive_rate(1, 9) * 4294967296;
-- 38223872.0|1382400.0|11217920.0|566935552.0

-- No keys let nothing through, and 2^63 fill all bits that a hash reaches.
SELECT bloom_false_positive_rate(10, 0), bloom_false_positive_rate(10, 9223372036854775807),
  bloom_false_positive_rate(100, 4611686018427387904), bloom_bits_per_key(1e-300, 0);
-- 0.0|1.0|1.0|1

-- Of more than 2^32 bits, a hash reaches only 2^32, so the formula uses these.
SELECT round(bloom_false_positive_rate(16, 1000000000), 6) = round(bloom_false_positive_rate(17, 1000000000), 6),
  bloom_false_positive_rate(5, 1000000000) BETWEEN 0.2634 AND 0.2634 * 1.25;
-- 1|1

-- An integral REAL or numeric TEXT counts; NULL is NULL.
SELECT bloom_false_positive_rate(10.0) = bloom_false_positive_rate(10),
  bloom_false_positive_rate('10', '1e6') = bloom_false_positive_rate(10, 1000000);
-- 1|1

SELECT bloom_false_positive_rate(NULL), bloom_false_positive_rate(NULL, 1), bloom_false_positive_rate(10, NULL);
-- NULL|NULL|NULL

-- The smallest bits_per_key that reaches the rate.
SELECT bloom_bits_per_key(0.9), bloom_bits_per_key(0.5), bloom_bits_per_key(0.1), bloom_bits_per_key(0.01),
  bloom_bits_per_key(0.001), bloom_bits_per_key(1e-6), bloom_bits_per_key(1e-17);
-- 1|2|5|10|15|29|95

-- With keys, as measured: at 100,000 keys, 15 bits do not reach 0.2 %.
SELECT bloom_bits_per_key(0.01, 1000), bloom_bits_per_key(0.01, 100000), bloom_bits_per_key(0.01, 1000000),
  bloom_bits_per_key(0.002, 100000), bloom_bits_per_key(0.001, 100000), bloom_bits_per_key(0.03, 100000000);
-- 10|11|11|14|16|11

-- It is the smallest: that rate is reached, and no smaller bits_per_key reaches
-- it.
CREATE TABLE rate AS WITH RECURSIVE b(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM b WHERE i < 16)
SELECT i, bloom_false_positive_rate(i, 20000) AS r FROM b;
SELECT count(*), sum(bloom_bits_per_key(r, 20000) =
  (SELECT min(i) FROM rate AS any_rate WHERE any_rate.r <= rate.r)) FROM rate;
-- 16|16

SELECT bloom_bits_per_key('0.01'), bloom_bits_per_key(0.01, '1000'), typeof(bloom_bits_per_key(0.01));
-- 10|10|integer

SELECT bloom_bits_per_key(NULL), bloom_bits_per_key(NULL, 1), bloom_bits_per_key(0.01, NULL);
-- NULL|NULL|NULL

-- No number of bits goes below what the 32-bit hash lets through.
-- each: 0.01, 50000000 => 0.01 for 50000000 => 0.0116 | 0.0001, 100000000 => 0.0001 for 100000000 => 0.023
SELECT bloom_bits_per_key({1});
-- Error: bloom_bits_per_key: no bits_per_key up to 100 reaches a false_positive_rate of {2} keys: the lowest is about {3}, since LevelDB's hash has 32 bits; keep the keys in parts (bloom_part)

-- Parts would not help few keys. The lowest rate is that of 100 bits.
SELECT bloom_bits_per_key(1e-9, 1999);
-- Error: bloom_bits_per_key: no bits_per_key up to 100 reaches a false_positive_rate of 1e-09 for 1999 keys: the lowest is about ...e-07, since LevelDB's hash has 32 bits

SELECT bloom_bits_per_key(1e-9, 2000);
-- Error: ...since LevelDB's hash has 32 bits; keep the keys in parts (bloom_part)

SELECT bloom_bits_per_key(0.5, 4611686018427387904);
-- Error: ...for 4611686018427387904 keys: the lowest is about 1, ...

SELECT bloom_bits_per_key(1e-18);
-- Error: bloom_bits_per_key: no bits_per_key up to 100 reaches a false_positive_rate of 1e-18: the lowest is 2.55938e-18

-- ---- Wrong arguments. (build.sql has all that is no bits_per_key.)
-- each: 0 | 101
SELECT bloom_false_positive_rate({1});
-- Error: bloom_false_positive_rate: bits_per_key must be an integer from 1 to 100 (bits for each key, not in total), got {1}

-- each: -1 | 1.5 | 9223372036854775808.0 => 9.22337203685478e+18 | 'many' => TEXT 'many'
SELECT bloom_false_positive_rate(10, {1});
-- Error: bloom_false_positive_rate: keys must be an integer, 0 or more (a number of keys), got {2}

-- each: 0 | 1 | 10 | -0.5 | 9e999 => Inf | '1%' => TEXT '1%' | x'302e35' => a BLOB of 3 bytes
SELECT bloom_bits_per_key({1});
-- Error: bloom_bits_per_key: false_positive_rate must be a number greater than 0 and less than 1 (0.01 is 1 %), got {2}

SELECT bloom_bits_per_key(0.01, -1);
-- Error: bloom_bits_per_key: keys must be an integer, 0 or more (a number of keys), got -1

SELECT bloom_bits_per_key();
-- Error: ...wrong number of arguments to function bloom_bits_per_key()

SELECT bloom_false_positive_rate(10, 1, 1);
-- Error: ...wrong number of arguments to function bloom_false_positive_rate()
