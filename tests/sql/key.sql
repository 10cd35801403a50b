-- Key bytes: the bytes that every function takes for a value. Beside each value
-- are its expected bytes.
.load dist/bloom
.nullvalue NULL

CREATE TABLE key(value, bytes BLOB);

-- BLOB: its bytes. TEXT: its UTF-8 bytes, embedded NULs included.
INSERT INTO key VALUES
  (x'', x''), (x'00', x'00'), (x'80ff', x'80ff'), (zeroblob(4), x'00000000'),
  ('', x''), ('hello', x'68656c6c6f'), ('é', x'c3a9'), ('€', x'e282ac'), ('😀', x'f09f9880'),
  (char(0), x'00'), (char(97, 0, 98), x'610062'), ('1.0', x'312e30'), (' 1', x'2031'), ('01', x'3031');

-- INTEGER: its decimal text.
INSERT INTO key SELECT column1, CAST(column2 AS BLOB) FROM (VALUES
  (0, '0'), (1, '1'), (-1, '-1'), (9, '9'), (10, '10'), (99999999, '99999999'),
  (100000000, '100000000'), (-99999999, '-99999999'), (9999999999999999, '9999999999999999'),
  (10000000000000000, '10000000000000000'), (-10000000000000000, '-10000000000000000'),
  (9223372036854775807, '9223372036854775807'), (-9223372036854775808, '-9223372036854775808'));

-- REAL equal to a 64-bit integer: that integer's decimal text.
INSERT INTO key SELECT column1, CAST(column2 AS BLOB) FROM (VALUES
  (0.0, '0'), (-0.0, '0'), (1.0, '1'), (-1.0, '-1'), (1e15, '1000000000000000'),
  (9007199254740992.0, '9007199254740992'), (4294967296.0 * 4194304.0, '18014398509481984'),
  (4294967296.0 * 1073741824.0, '4611686018427387904'),
  (4294967296.0 * -2147483648.0, '-9223372036854775808'));

-- Any other REAL: its 8 bytes, little-endian.
INSERT INTO key VALUES (0.5, x'000000000000E03F'), (-0.5, x'000000000000E0BF'), (1.5, x'000000000000F83F'),
  (4294967296.0 * 2147483648.0, x'000000000000E043'), (4294967296.0 * 4294967296.0, x'000000000000F043'),
  (4294967296.0 * -4294967296.0, x'000000000000F0C3'), (9e999, x'000000000000F07F'), (-9e999, x'000000000000F0FF'),
  (0.1, x'9A9999999999B93F');
WITH RECURSIVE half(i, x) AS (SELECT 0, 1.0 UNION ALL SELECT i + 1, x / 2 FROM half WHERE i < 1074)
INSERT INTO key SELECT x, x'0100000000000000' FROM half WHERE i = 1074;

SELECT typeof(value), count(*) FROM key GROUP BY 1 ORDER BY 1;
-- blob|4
-- integer|13
-- real|19
-- text|10

-- Every function that takes a key or data uses these bytes: the list of values
-- for which one does not is empty.
SELECT quote(value), 'leveldb_hash' FROM key WHERE leveldb_hash(value) IS NOT leveldb_hash(bytes);
SELECT quote(value), 'leveldb_hash' FROM key WHERE leveldb_hash(value, 1) IS NOT leveldb_hash(bytes, 1);
SELECT quote(value), 'crc32c' FROM key WHERE crc32c(value) IS NOT crc32c(bytes);
SELECT quote(value), 'crc32c' FROM key WHERE crc32c(1, value) IS NOT crc32c(1, bytes);
SELECT quote(value), 'bloom_build' FROM key GROUP BY rowid
HAVING bloom_build(value, 100) IS NOT bloom_build(bytes, 100);
SELECT quote(value), 'bloom_add' FROM key
WHERE bloom_add(CAST(zeroblob(99) || x'1e' AS BLOB), value)
  IS NOT bloom_add(CAST(zeroblob(99) || x'1e' AS BLOB), bytes);

WITH one AS (SELECT value, bytes, bloom_add(CAST(zeroblob(99) || x'1e' AS BLOB), bytes) AS f FROM key)
SELECT count(*), sum(bloom_may_match(value, f)), sum(bloom_may_match(bytes, f)) FROM one;
-- 46|46|46

SELECT count(DISTINCT leveldb_hash(value)) = count(DISTINCT bytes) FROM key;
-- 1

-- NULL has no bytes.
SELECT leveldb_hash(NULL), crc32c(NULL), bloom_may_match(NULL, x'ff01'), bloom_build(NULL) = bloom_build(1) ;
-- NULL|NULL|NULL|0

-- Values that are equal in SQL are one key.
SELECT 1 = 1.0, leveldb_hash(1) = leveldb_hash(1.0), 0.0 = -0.0, leveldb_hash(0.0) = leveldb_hash(-0.0);
-- 1|1|1|1

-- INTEGERs of every length, compared with SQLite's own text.
WITH RECURSIVE n(i, x) AS (SELECT 0, 0 UNION ALL
  SELECT i + 1, CASE i % 4 WHEN 0 THEN random() WHEN 1 THEN -(x >> (i % 61)) WHEN 2 THEN random() >> (i % 64)
    ELSE CAST(substr('1000000000000000000', 1, i % 19 + 1) AS INTEGER) - i % 3 END FROM n WHERE i < 40000)
SELECT count(*), sum(leveldb_hash(x) = leveldb_hash(CAST(x AS TEXT))), count(DISTINCT length(x)) FROM n;
-- 40001|40001|20
