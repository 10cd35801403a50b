-- bloom_info(filter): one row about a filter. bloom_keys(filter): its keys.
.load dist/bloom
.nullvalue NULL

.headers on
SELECT * FROM bloom_info(x'114000414410401006');
-- policy|bytes|bits|probes|bits_set|fill|keys|false_positive_rate
-- leveldb.BuiltinBloomFilter2|9|64|6|10|0.15625|2|...

.headers off
SELECT typeof(policy), typeof(bytes), typeof(bits), typeof(probes), typeof(bits_set), typeof(fill), typeof(keys),
  typeof(false_positive_rate) FROM bloom_info(x'114000414410401006');
-- text|integer|integer|integer|integer|real|integer|real

-- Filters of every form. These match nothing: the empty filter, and under 2 bytes.
-- Those match everything: no probes, over 30, which LevelDB reserves, or all bits set;
-- their number of keys is NULL.
SELECT hex(column1), bytes, bits, probes, bits_set, fill, keys, bloom_keys(column1) AS the_same, false_positive_rate
FROM (VALUES (x'000000000000000006'), (x''), (x'06'), (x'ff'),
  (x'0000'), (x'0f031f'), (x'00ff'), (x'ffff06')), bloom_info(column1);
-- 000000000000000006|9|64|6|0|0.0|0|0|0.0
-- |0|0|NULL|0|NULL|0|0|0.0
-- 06|1|0|6|0|NULL|0|0|0.0
-- FF|1|0|255|0|NULL|0|0|0.0
-- 0000|2|8|0|0|0.0|NULL|NULL|1.0
-- 0F031F|3|16|31|6|0.375|NULL|NULL|1.0
-- 00FF|2|8|255|0|0.0|NULL|NULL|1.0
-- FFFF06|3|16|6|16|1.0|NULL|NULL|1.0

-- ---- For 10,000 keys at 10 bits, the rate is plausible. LevelDB's hash does not
-- scatter decimal text quite evenly: 43,625 bits are set, as another program
-- computed.
CREATE TABLE number AS
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
SELECT i FROM n;
SELECT bytes, bits, probes, bits_set, fill, keys,
  false_positive_rate / bloom_false_positive_rate(10, 10000) BETWEEN 0.8 AND 1.2
FROM bloom_info((SELECT bloom_build(i) FROM number));
-- 12501|100000|6|43625|0.43625|9552|1

-- keys is the number of distinct keys; bits depends on the number of all keys.
SELECT bits, abs(keys - 100) < 10 FROM bloom_info((SELECT bloom_build(i % 100) FROM number));
-- 100000|1

-- ---- It can be joined with a table of filters.
CREATE TABLE filter(name, f);
INSERT INTO filter SELECT 'small', bloom_build(i) FROM number WHERE i <= 100;
INSERT INTO filter SELECT 'large', bloom_build(i, 16) FROM number;
INSERT INTO filter VALUES ('missing', NULL);
SELECT name, bytes, probes FROM filter, bloom_info(f) ORDER BY bytes;
-- small|126|6
-- large|20001|11

SELECT name, bytes FROM filter JOIN bloom_info(filter.f) AS info ON info.bytes > 1000;
-- large|20001

-- NULL gives no row, and no number of keys.
SELECT count(*), bloom_keys(NULL) FROM bloom_info(NULL);
-- 0|NULL

SELECT name, bytes, policy FROM filter LEFT JOIN bloom_info ON filter = f ORDER BY name;
-- large|20001|leveldb.BuiltinBloomFilter2
-- missing|NULL|NULL
-- small|126|leveldb.BuiltinBloomFilter2

-- Older versions of SQLite take an argument for a condition of WHERE.
-- since: 3.31
SELECT name, bytes, policy FROM filter LEFT JOIN bloom_info(f) ORDER BY name;
-- large|20001|leveldb.BuiltinBloomFilter2
-- missing|NULL|NULL
-- small|126|leveldb.BuiltinBloomFilter2

SELECT name, (SELECT probes FROM bloom_info(f)) FROM filter ORDER BY name;
-- large|11
-- missing|NULL
-- small|6

SELECT name FROM filter WHERE EXISTS (SELECT 1 FROM bloom_info(f) WHERE bits > 10000);
-- large

SELECT a.bytes, b.bytes FROM bloom_info(x'0001') AS a, bloom_info(x'000001') AS b;
-- 2|3

-- The argument may be given by name; it is a hidden column.
SELECT bytes, hex(filter) FROM bloom_info WHERE filter = x'0001';
-- 2|0001

SELECT bytes, hex(i.filter), rowid FROM bloom_info(x'') AS i;
-- 0||1

-- With LIMIT, ORDER BY and WHERE.
SELECT bytes FROM bloom_info(x'0001') WHERE bytes = 2 AND probes < 30 ORDER BY keys LIMIT 1;
-- 2

SELECT bytes FROM bloom_info(x'0001') WHERE bytes > 2;

-- In a view, while the schema is not trusted.
PRAGMA trusted_schema = OFF;
CREATE VIEW filter_info AS SELECT name, info.* FROM filter, bloom_info(filter.f) AS info;
SELECT name, bytes, probes FROM filter_info ORDER BY name;
-- large|20001|11
-- small|126|6

-- ---- Wrong arguments.
-- each: bloom_info | bloom_info()
SELECT bytes FROM {1};
-- Error: ...bloom_info: filter must be given, as in bloom_info(f)

SELECT bytes FROM (SELECT 'a' AS f UNION ALL SELECT x'0001'), bloom_info(f);
-- Error: bloom_info: filter must be a BLOB or a bloom_open() handle, got TEXT 'a' (...)

SELECT bytes FROM bloom_info(x'0001', 1);
-- Error: ...too many arguments on bloom_info() - max 1

CREATE VIRTUAL TABLE temp.info USING bloom_info;
-- Error: ...no such module: bloom_info

INSERT INTO bloom_info(bytes) VALUES (1);
-- Error: ...table bloom_info may not be modified

-- ---- bloom_keys(filter) is the column keys, for filters of every form.
SELECT name, bloom_keys(f) IS keys, bloom_keys(bloom_open(f)) IS keys, typeof(bloom_keys(f))
FROM filter LEFT JOIN bloom_info ON filter = f ORDER BY name;
-- large|1|1|integer
-- missing|1|1|null
-- small|1|1|integer

-- Of a filter in parts it is the sum.
CREATE TABLE part AS SELECT bloom_part(i, 16) AS part, bloom_build(i) AS f FROM number GROUP BY 1;
SELECT bloom_keys(h) = (SELECT sum(bloom_keys(f)) FROM part), abs(bloom_keys(h) - 10000) < 1000
FROM (SELECT bloom_open(part, 16, f) AS h FROM part);
-- 1|1

SELECT bloom_keys(h), bloom_keys(bloom_bytes(h, 1))
FROM (SELECT bloom_open(column1, 2, column2) AS h FROM (VALUES (0, x'114000414410401006'), (1, NULL)));
-- NULL|NULL

SELECT bloom_keys(bloom_build_parts(i % 100, 4)) BETWEEN 95 AND 105 FROM number;
-- 1

SELECT bloom_keys(10);
-- Error: bloom_keys: filter must be a BLOB or a bloom_open() handle, got 10, which is not an open handle...

SELECT bloom_keys(x'0001', 1);
-- Error: ...wrong number of arguments to function bloom_keys()
