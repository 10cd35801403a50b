-- crc32c(data), crc32c(crc, data), crc32c_mask(crc) and crc32c_unmask(masked).
.load dist/bloom
.nullvalue NULL

-- tests/core/crc32c_test.c has RFC 3720's vectors.
SELECT printf('%08x', crc32c('123456789')), printf('%08x', crc32c('hello world'));
-- e3069283|c99465aa

SELECT crc32c(''), crc32c(x''), crc32c(zeroblob(0)), typeof(crc32c('x'));
-- 0|0|0|integer

-- The crc is the first argument, and more data continues it.
SELECT crc32c(crc32c('hello '), 'world') = crc32c('hello world'), crc32c(0, 'x') = crc32c('x'), crc32c(4294967295, '');
-- 1|1|4294967295

-- A number has the crc of its text, and a text that of its bytes.
SELECT crc32c(123456789) = crc32c('123456789'), crc32c(123456789.0) = crc32c('123456789'),
  crc32c(x'616263') = crc32c('abc');
-- 1|1|1

SELECT crc32c(NULL), crc32c(NULL, 'x'), crc32c(1, NULL), crc32c(NULL, NULL), crc32c('x', NULL);
-- NULL|NULL|NULL|NULL|NULL

-- The masked form that LevelDB stores.
SELECT printf('%08x', crc32c_mask(0)), printf('%08x', crc32c_mask(crc32c('foo'))),
  printf('%08x', crc32c_unmask(4273900129));
-- a282ead8|febe8a61|cfc4ae1d

SELECT sum(crc32c_unmask(crc32c_mask(column1)) = column1), sum(crc32c_mask(crc32c_unmask(column1)) = column1)
FROM (VALUES (0), (1), (32767), (32768), (2147483647), (2147483648), (4294967295));
-- 7|7

SELECT crc32c_mask(NULL), crc32c_unmask(NULL), typeof(crc32c_mask(1)), typeof(crc32c_unmask(1));
-- NULL|NULL|integer|integer

SELECT crc32c('1', 'x') = crc32c(1, 'x'), crc32c_mask('1') = crc32c_mask(1.0), crc32c_unmask('1') = crc32c_unmask(1.0);
-- 1|1|1

-- ---- A crc is an integer from 0 to 2^32 - 1.
-- each: -1 | 4294967296 | 'hello ' => TEXT 'hello ' | x'00000000' => a BLOB of 4 bytes | 0.5
SELECT crc32c({1}, 'world');
-- Error: crc32c: crc must be an integer from 0 to 4294967295, got {2}

-- each: -1 | 4294967296
SELECT crc32c_mask({1});
-- Error: crc32c_mask: crc must be an integer from 0 to 4294967295, got {1}

-- each: -1 | 4294967296
SELECT crc32c_unmask({1});
-- Error: crc32c_unmask: masked must be an integer from 0 to 4294967295, got {1}

SELECT crc32c(1, 2, 3);
-- Error: ...wrong number of arguments to function crc32c()

SELECT crc32c_mask();
-- Error: ...wrong number of arguments to function crc32c_mask()

SELECT crc32c_unmask(1, 2);
-- Error: ...wrong number of arguments to function crc32c_unmask()
