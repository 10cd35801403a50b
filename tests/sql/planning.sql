-- bloom_false_positive_rate(bits_per_key [, keys]) and
-- bloom_bits_per_key(false_positive_rate [, keys]). Their values were computed
-- outside: p = (1 - e^(-k/b))^k, q = 1 - e^(-n/2^32), and p + q - p*q.
.load dist/bloom
.nullvalue NULL

SELECT round(bloom_false_positive_rate(1), 12), round(bloom_false_positive_rate(2), 12),
  round(bloom_false_positive_rate(10), 12), round(bloom_false_positive_rate(20), 12);
-- 0.632120558829|0.393469340287|0.008436209268|6.7923795e-05

SELECT abs(bloom_false_positive_rate(44) / 6.603970116801794e-10 - 1) < 1e-9,
  abs(bloom_false_positive_rate(100) / 2.5593755154277805e-18 - 1) < 1e-9;
-- 1|1

-- With keys it includes that two keys may have one hash.
SELECT round(bloom_false_positive_rate(10, 1000), 12), round(bloom_false_positive_rate(10, 1000000), 12),
  round(bloom_false_positive_rate(10, 100000000), 12);
-- 0.008436440135|0.00866704883|0.031256162724

SELECT bloom_false_positive_rate(10, 0) = bloom_false_positive_rate(10),
  round(bloom_false_positive_rate(10, 9223372036854775807), 12);
-- 1|1.0

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

SELECT bloom_bits_per_key(0.01, 0), bloom_bits_per_key(0.01, 1000000), bloom_bits_per_key(0.01, 10000000),
  bloom_bits_per_key(0.01, 40000000), bloom_bits_per_key(0.03, 100000000);
-- 10|10|11|16|11

WITH RECURSIVE b(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM b WHERE i < 95)
SELECT count(*), sum(bloom_bits_per_key(bloom_false_positive_rate(i, 1000), 1000) <= i) FROM b;
-- 95|95

SELECT bloom_bits_per_key('0.01'), bloom_bits_per_key(0.01, '1000'), typeof(bloom_bits_per_key(0.01));
-- 10|10|integer

SELECT bloom_bits_per_key(NULL), bloom_bits_per_key(NULL, 1), bloom_bits_per_key(0.01, NULL);
-- NULL|NULL|NULL

-- No number of bits goes below what the 32-bit hash lets through.
SELECT bloom_bits_per_key(0.01, 50000000);
-- Error: bloom_bits_per_key: no bits_per_key up to 100 reaches a false_positive_rate of 0.01 for 50000000 keys: the lowest is 0.011574, since LevelDB's hash has 32 bits; keep the keys in parts (bloom_part)

SELECT bloom_bits_per_key(0.0001, 100000000);
-- Error: bloom_bits_per_key: no bits_per_key up to 100 reaches a false_positive_rate of 0.0001 for 100000000 keys: the lowest is 0.0230141, since LevelDB's hash has 32 bits; keep the keys in parts (bloom_part)

SELECT bloom_bits_per_key(1e-18);
-- Error: bloom_bits_per_key: no bits_per_key up to 100 reaches a false_positive_rate of 1e-18: the lowest is 2.55938e-18

-- ---- Wrong arguments.
SELECT bloom_false_positive_rate(0);
-- Error: bloom_false_positive_rate: bits_per_key must be an integer from 1 to 100 (bits for each key, not in total), got 0

SELECT bloom_false_positive_rate(101);
-- Error: bloom_false_positive_rate: bits_per_key must be an integer from 1 to 100 (bits for each key, not in total), got 101

SELECT bloom_false_positive_rate(4294967306);
-- Error: bloom_false_positive_rate: bits_per_key must be an integer from 1 to 100 (bits for each key, not in total), got 4294967306

SELECT bloom_false_positive_rate(10.5);
-- Error: bloom_false_positive_rate: bits_per_key must be an integer from 1 to 100 (bits for each key, not in total), got 10.5

SELECT bloom_false_positive_rate('ten');
-- Error: bloom_false_positive_rate: bits_per_key must be an integer from 1 to 100 (bits for each key, not in total), got TEXT 'ten'

SELECT bloom_false_positive_rate(x'0a');
-- Error: bloom_false_positive_rate: bits_per_key must be an integer from 1 to 100 (bits for each key, not in total), got a BLOB of 1 byte

SELECT bloom_false_positive_rate(10, -1);
-- Error: bloom_false_positive_rate: keys must be an integer, 0 or more (a number of keys), got -1

SELECT bloom_false_positive_rate(10, 1.5);
-- Error: bloom_false_positive_rate: keys must be an integer, 0 or more (a number of keys), got 1.5

SELECT bloom_false_positive_rate(10, 9223372036854775808.0);
-- Error: bloom_false_positive_rate: keys must be an integer, 0 or more (a number of keys), got 9.22337203685478e+18

SELECT bloom_false_positive_rate(10, 'many');
-- Error: bloom_false_positive_rate: keys must be an integer, 0 or more (a number of keys), got TEXT 'many'

SELECT bloom_bits_per_key(0);
-- Error: bloom_bits_per_key: false_positive_rate must be a number greater than 0 and less than 1, got 0

SELECT bloom_bits_per_key(1);
-- Error: bloom_bits_per_key: false_positive_rate must be a number greater than 0 and less than 1, got 1

SELECT bloom_bits_per_key(10);
-- Error: bloom_bits_per_key: false_positive_rate must be a number greater than 0 and less than 1, got 10

SELECT bloom_bits_per_key(-0.5);
-- Error: bloom_bits_per_key: false_positive_rate must be a number greater than 0 and less than 1, got -0.5

SELECT bloom_bits_per_key(9e999);
-- Error: bloom_bits_per_key: false_positive_rate must be a number greater than 0 and less than 1, got Inf

SELECT bloom_bits_per_key('1%');
-- Error: bloom_bits_per_key: false_positive_rate must be a number greater than 0 and less than 1, got TEXT '1%'

SELECT bloom_bits_per_key(x'302e35');
-- Error: bloom_bits_per_key: false_positive_rate must be a number greater than 0 and less than 1, got a BLOB of 3 bytes

SELECT bloom_bits_per_key(0.01, -1);
-- Error: bloom_bits_per_key: keys must be an integer, 0 or more (a number of keys), got -1

SELECT bloom_bits_per_key(0.01, x'01');
-- Error: bloom_bits_per_key: keys must be an integer, 0 or more (a number of keys), got a BLOB of 1 byte

SELECT bloom_bits_per_key();
-- Error: ...wrong number of arguments to function bloom_bits_per_key()

SELECT bloom_bits_per_key(0.01, 1, 1);
-- Error: ...wrong number of arguments to function bloom_bits_per_key()

SELECT bloom_false_positive_rate();
-- Error: ...wrong number of arguments to function bloom_false_positive_rate()

SELECT bloom_false_positive_rate(10, 1, 1);
-- Error: ...wrong number of arguments to function bloom_false_positive_rate()

SELECT bloom_bits_per_key(0.01);
-- 10
