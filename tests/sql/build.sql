-- bloom_build(key [, bits_per_key [, capacity]]): LevelDB's own bytes.
-- bloom_build_distinct(key [, bits_per_key]): the same without duplicates.
.load dist/bloom
.nullvalue NULL

CREATE TABLE word(w);
INSERT INTO word VALUES ('hello'), ('world');

-- LevelDB's filters of these keys. bits_per_key is 10 by default.
SELECT hex(bloom_build(w, 1)), hex(bloom_build(w)), hex(bloom_build(w, 20)), hex(bloom_build(w, 44)),
  bloom_build(w) = bloom_build(w, 10), typeof(bloom_build(w)) FROM word;
-- 004000000000001001|114000414410401006|51551141445544100D|54551555555555515055541E|1|blob

-- Duplicates count: they make the filter larger.
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
SELECT length(bloom_build('hello')), length(bloom_build(DISTINCT 'hello'))
FROM n;
-- 126|9

-- NULL keys do not count. Without keys it is the empty filter, never NULL.
SELECT hex(bloom_build(column1)) FROM (VALUES ('hello'), (NULL), ('world'));
-- 114000414410401006

SELECT hex(bloom_build(w)), hex(bloom_build(w, 20)), hex(bloom_build_distinct(w, 20)) FROM word WHERE 0;
-- 000000000000000006|000000000000000006|000000000000000006

SELECT hex(bloom_build(NULL)), hex(bloom_build(NULL, 20)), hex(bloom_build_distinct(NULL, 20)),
  length(bloom_build(NULL, 10, 1000)), hex(substr(bloom_build(NULL, 10, 1000), -1));
-- 000000000000000006|00000000000000000D|00000000000000000D|1251|06

-- ---- capacity: the filter is sized for this many keys, whatever number it
-- gets.
SELECT length(bloom_build(w, 10, 1)), length(bloom_build(w, 10, 2)),
  length(bloom_build(w, 10, 1000)) FROM word;
-- 9|9|1251

-- If there are more keys than the capacity, all of them match; only the rate of
-- false positives rises.
CREATE TABLE number AS
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
SELECT i FROM n;
SELECT length(f), (SELECT sum(bloom_may_match(i, f)) FROM number) FROM (
  SELECT bloom_build(i, 10, 2000) AS f FROM number);
-- 2501|10000

-- If capacity is the number of keys, the filter is the same as without it.
SELECT bloom_build(i, 13, 10000) = bloom_build(i, 13),
  bloom_build(i, 13, 10001) = bloom_build(i, 13) FROM number;
-- 1|0

-- ---- It works like any other aggregate.
SELECT i % 3, length(bloom_build(i)), length(bloom_build(i, 20))
FROM number GROUP BY 1;
-- 0|4168|8334
-- 1|4169|8336
-- 2|4168|8334

-- since: 3.30
SELECT bloom_build(i) FILTER (WHERE i <= 2) = bloom_build(i, 10, 2),
  bloom_build(i) FILTER (WHERE i <= 2) = (SELECT bloom_build(i) FROM number WHERE i <= 2)
FROM number;
-- 0|1

SELECT bloom_build(DISTINCT i / 2) = (SELECT bloom_build(i) FROM number WHERE i < 5000)
FROM number WHERE i BETWEEN 2 AND 9999;
-- 1

-- The order of the rows does not matter.
SELECT bloom_build(i) = (SELECT bloom_build(i) FROM (SELECT i FROM number ORDER BY i DESC))
FROM number;
-- 1

-- Groups may differ in bits_per_key and capacity.
SELECT i % 2, length(bloom_build(i, 10 + i % 2, 100 + i % 2 * 100)) FROM number GROUP BY 1;
-- 0|126
-- 1|276

SELECT count(*) FROM (SELECT bloom_build(i) OVER (ORDER BY i) FROM number);
-- Error: ...bloom_build() may not be used as a window function

-- ---- bits_per_key is an integer from 1 to 100; an integral REAL or numeric
-- TEXT is accepted.
SELECT bloom_build(w, 20.0) = bloom_build(w, 20), bloom_build(w, '20') = bloom_build(w, 20),
  bloom_build(w, ' 2e1 ') = bloom_build(w, 20) FROM word;
-- 1|1|1

-- 2^32 + 10 is not 10, nor is 2^64 + 10.
-- each: 0 | 101 | -1 | 10.5 | 4294967306 | 18446744073709551626 => 1.84467440737096e+19 | -9e999 => -Inf | NULL
-- each: 9223372036854775808.0 => 9.22337203685478e+18 | x'3130' => a BLOB of 2 bytes
SELECT bloom_build(w, {1}) FROM word;
-- Error: bloom_build: bits_per_key must be an integer from 1 to 100 (bits for each key, not in total), got {2}

-- A TEXT is mostly a second column.
-- each: 'ten' => TEXT 'ten' | '' => TEXT '' | '10 bits' => TEXT '10 bits'
SELECT bloom_build(w, {1}) FROM word;
-- Error: bloom_build: bits_per_key must be an integer from 1 to 100 (a key of several columns is one expression: quote(a) || ',' || quote(b)), got {2}

-- A wrong argument is an error even if the key is NULL.
SELECT bloom_build(NULL, 1000);
-- Error: bloom_build: bits_per_key must be an integer from 1 to 100 (bits for each key, not in total), got 1000

-- It is the same for all rows of a group.
-- each: 1, 11 => 11 | NULL, 20 => 20
SELECT bloom_build(column1, column2) FROM (VALUES (1, 10), ({1}));
-- Error: bloom_build: bits_per_key must be the same in every row of a group, got {2} after 10 (a key of several columns is one expression: quote(a) || ',' || quote(b))

SELECT bloom_build(column1, column2, column3) = bloom_build(column1, 10, 3)
  FROM (VALUES (1, 10, 3), (2, 10.0, '3'), (3, '10', 3.0));
-- 1

-- SQLite would convert each of these to the integer 10 of the first row.
-- each: 10.5 | x'3130' => a BLOB of 2 bytes | '10 bits' => TEXT '10 bits'
SELECT bloom_build(column1, column2) FROM (VALUES (1, 10), (2, {1}));
-- Error: bloom_build: bits_per_key must be an integer from 1 to 100 (...), got {2}

-- ---- capacity is an integer, 1 or more.
-- each: 0 | -5 | 2.5 | 'many' => TEXT 'many' | x'01' => a BLOB of 1 byte | NULL
-- each: 9223372036854775808.0 => 9.22337203685478e+18
SELECT bloom_build(w, 10, {1}) FROM word;
-- Error: bloom_build: capacity must be an integer, 1 or more (a number of keys), got {2}

SELECT bloom_build(i, 10, i) FROM number;
-- Error: bloom_build: capacity must be the same in every row of a group, got 2 after 1

-- ---- A filter that would be too long is an error before it is built.
-- each: 100, 9223372036854775807 => 9223372036854775807 keys at 100 => 2305843009213693952
-- each: 10, 4000000000 => 4000000000 keys at 10 => 5000000001
SELECT bloom_build(w, {1}) FROM word;
-- Error: bloom_build: the filter of {2} bits for each takes at least {3} bytes, and this connection's limit is 1000000000 (SQLITE_LIMIT_LENGTH): keep the keys in parts, or in more of them

.limit length 1000

SELECT bloom_build(w, 10, 799) IS NOT NULL FROM word;
-- 1

SELECT length(bloom_build(i)) FROM number WHERE i <= 799;
-- 1000

-- each: w, 10, 800 => word => 800 => 1001 | i => number WHERE i <= 800 => 800 => 1001 | i => number => ... => ...
SELECT bloom_build({1}) FROM {2};
-- Error: bloom_build: the filter of {3} keys at 10 bits for each takes at least {4} bytes, and this connection's limit is 1000 (SQLITE_LIMIT_LENGTH): keep the keys in parts, or in more of them

.limit length 1000000000

SELECT bloom_build(w, 10, 100, 1) FROM word;
-- Error: ...wrong number of arguments to function bloom_build()

-- ---- bloom_build_distinct is bloom_build of the keys without duplicates.
SELECT hex(bloom_build_distinct(column1)), hex(bloom_build_distinct(column1, 20))
FROM (VALUES ('hello'), ('world'), ('hello'), (NULL), ('world'));
-- 114000414410401006|51551141445544100D

WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
SELECT hex(bloom_build_distinct('hello')), length(bloom_build_distinct(i % 800))
FROM n;
-- 014000010410400006|1001

-- Values with the same key bytes are one key.
SELECT length(bloom_build_distinct(column1, 64))
FROM (VALUES (1), (1.0), ('1'), (x'31'), (''), (x''));
-- 17

-- Two keys with the same hash count once.
SELECT count(*), length(bloom_build(column1, 64)), length(bloom_build_distinct(column1, 64))
FROM (VALUES (4964), (370105)) WHERE leveldb_hash(column1) = 1797906925;
-- 2|17|9

-- The lowest and the highest hash are hashes like any other.
SELECT leveldb_hash(x'887cf259'), leveldb_hash(x'887c57cb');
-- 0|4294967295

SELECT bloom_build_distinct(column1, 20) = (
  SELECT bloom_build(column1, 20) FROM (VALUES (x'887cf259'), (x'887c57cb'), ('hello')))
FROM (VALUES (x'887cf259'), (x'887c57cb'), (x'887cf259'), ('hello'), (x'887c57cb'));
-- 1

-- Keys of 4 bytes all have different hashes. Here each occurs three times.
CREATE TABLE repeated AS
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 89999)
SELECT leveldb_fixed32(i * 7919 % 30000) AS k FROM n;
SELECT length(bloom_build_distinct(k)), bloom_build_distinct(k, 3) = (
  SELECT bloom_build(k, 3) FROM (SELECT DISTINCT k FROM repeated)) FROM repeated;
-- 37501|1

-- These are more hashes than a build adds to its filter at a time, 2^18.
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000)
SELECT bloom_build_distinct(leveldb_fixed32(i), 3) = bloom_build(leveldb_fixed32(i), 3) FROM n;
-- 1

-- It works like any other aggregate.
SELECT group_concat(f = (SELECT bloom_build(DISTINCT n.i / 2) FROM number AS n WHERE n.i % 3 = rest))
FROM (SELECT i % 3 AS rest, bloom_build_distinct(i / 2) AS f FROM number GROUP BY 1);
-- 1,1,1

SELECT count(*) FROM (SELECT bloom_build_distinct(i) OVER (ORDER BY i) FROM number);
-- Error: ...bloom_build_distinct() may not be used as a window function

-- The errors are those of bloom_build.
SELECT bloom_build_distinct(NULL, NULL);
-- Error: bloom_build_distinct: bits_per_key must be an integer from 1 to 100 (bits for each key, not in total), got NULL

SELECT bloom_build_distinct(i, 9 + i) FROM number;
-- Error: bloom_build_distinct: bits_per_key must be the same in every row of a group, got 11 after 10 (a key of several columns is one expression: quote(a) || ',' || quote(b))

SELECT bloom_build_distinct() FROM word;
-- Error: ...wrong number of arguments to function bloom_build_distinct()

-- A filter that would be too long is an error as soon as it has too many keys,
-- here before the 5,000th key, which is an error of its own. Duplicates do not
-- make a filter too long.
.limit length 1000

SELECT length(bloom_build_distinct(i % 799)) FROM number;
-- 1000

SELECT bloom_build_distinct(i % 800) FROM number;
-- Error: bloom_build_distinct: the filter of 800 keys at 10 bits for each takes at least 1001 bytes, and this connection's limit is 1000 (SQLITE_LIMIT_LENGTH): keep the keys in parts, or in more of them

SELECT bloom_build_distinct(CASE WHEN i < 5000 THEN i
  ELSE abs(i * 0 - 9223372036854775807 - 1) END) FROM number;
-- Error: bloom_build_distinct: the filter of ... keys at 10 bits for each takes at least ... bytes, and this connection's limit is 1000 (SQLITE_LIMIT_LENGTH): keep the keys in parts, or in more of them

.limit length 1000000000

-- The connection still works after all these errors.
SELECT hex(bloom_build(w)) FROM word;
-- 114000414410401006
