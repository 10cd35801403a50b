-- leveldb_hash(data [, seed]), leveldb_fixed32(n) and leveldb_fixed64(n).
.load dist/bloom
.nullvalue NULL

-- tests/core/hash_test.c has LevelDB's own vectors.
SELECT printf('%08x', leveldb_hash('')), printf('%08x', leveldb_hash('hello'));
-- bc9f1d34|f795964e

-- The default seed is the filter's.
SELECT leveldb_hash('hello') = leveldb_hash('hello', 3164544308), leveldb_hash('', 7), leveldb_hash(x'', 4294967295),
  typeof(leveldb_hash('x'));
-- 1|7|4294967295|integer

-- The same text has the same hash as a number or as bytes.
SELECT leveldb_hash('12') = leveldb_hash(12), leveldb_hash('12') = leveldb_hash(12.0),
  leveldb_hash('12') = leveldb_hash(x'3132');
-- 1|1|1

SELECT leveldb_hash(NULL), leveldb_hash(NULL, 1), leveldb_hash('x', NULL), leveldb_hash(NULL, 'x');
-- NULL|NULL|NULL|NULL

SELECT leveldb_hash('x', 1.0) = leveldb_hash('x', 1), leveldb_hash('x', '1') = leveldb_hash('x', 1);
-- 1|1

-- each: -1 | 4294967296
SELECT leveldb_hash('x', {1});
-- Error: leveldb_hash: seed must be an integer from 0 to 4294967295, got {1}

-- ---- Integers as LevelDB writes them, the lowest byte first.
SELECT hex(leveldb_fixed32(0)), hex(leveldb_fixed32(1)), hex(leveldb_fixed32(67305985)),
  hex(leveldb_fixed32(4294967295));
-- 00000000|01000000|01020304|FFFFFFFF

SELECT hex(leveldb_fixed64(0)), hex(leveldb_fixed64(1)), hex(leveldb_fixed64(578437695752307201));
-- 0000000000000000|0100000000000000|0102030405060708

SELECT hex(leveldb_fixed64(-1)), hex(leveldb_fixed64(9223372036854775807)), hex(leveldb_fixed64(-9223372036854775808));
-- FFFFFFFFFFFFFFFF|FFFFFFFFFFFFFF7F|0000000000000080

SELECT typeof(leveldb_fixed32(1)), typeof(leveldb_fixed64(1)), leveldb_fixed32(NULL), leveldb_fixed64(NULL);
-- blob|blob|NULL|NULL

SELECT hex(leveldb_fixed32('7')), hex(leveldb_fixed32(7.0)), hex(leveldb_fixed64('7')), hex(leveldb_fixed64(-7.0));
-- 07000000|07000000|0700000000000000|F9FFFFFFFFFFFFFF

-- each: -1 | 4294967296 | 1.5 | 'one' => TEXT 'one' | x'01' => a BLOB of 1 byte
SELECT leveldb_fixed32({1});
-- Error: leveldb_fixed32: n must be an integer from 0 to 4294967295, got {2}

-- each: 9223372036854775808.0 => 9.22337203685478e+18 | 0.5 | 'one' => TEXT 'one' | x'01' => a BLOB of 1 byte
SELECT leveldb_fixed64({1});
-- Error: leveldb_fixed64: n must be an integer of 64 bits, got {2}

SELECT bloom_version() GLOB '[0-9]*.[0-9]*.[0-9]*', typeof(bloom_version());
-- 1|text

SELECT leveldb_hash('x', 1, 2);
-- Error: ...wrong number of arguments to function leveldb_hash()

SELECT leveldb_fixed32();
-- Error: ...wrong number of arguments to function leveldb_fixed32()

SELECT leveldb_fixed64(1, 2);
-- Error: ...wrong number of arguments to function leveldb_fixed64()

SELECT bloom_version(1);
-- Error: ...wrong number of arguments to function bloom_version()
