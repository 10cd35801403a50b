-- leveldb_read(file, form [, key [, size]]). tests/leveldb_damaged.t has damaged files.
.load dist/bloom
.nullvalue NULL
.read sql/leveldb_sample_folder.sql
CREATE TEMP TABLE t AS SELECT content AS f FROM file WHERE name = '000005.ldb';

SELECT kind, count(*), min(item.offset), max(sequence) FROM t, leveldb_read(f, 'table') AS item GROUP BY kind;
-- data block|1|0|NULL
-- entry|14|0|14
-- filter|1|188|0
-- filter block|1|188|11
-- index block|1|274|NULL
-- metaindex block|1|221|NULL

-- A key is a prefix, or of 'get' a whole key.
SELECT CAST(item.key AS TEXT), sequence, type, CAST(value AS TEXT) FROM t, leveldb_read(f, 'table', 'fruit05') AS item
WHERE kind = 'entry';
-- fruit05|14|0|NULL
-- fruit05|5|1|apple 5

SELECT count(*) FROM t, leveldb_read(f, 'table', 'fruit0') AS item WHERE kind = 'entry';
-- 11

SELECT kind, sequence FROM t, leveldb_read(f, 'get', 'fruit05') AS item WHERE item.offset = 0;
-- data block|NULL
-- entry|14
-- entry|5

SELECT kind FROM t, leveldb_read(f, 'get', 'fruit0') AS item WHERE item.offset = 0;
-- spared

-- Behind the last key, there is no block to read.
-- each: 'h' | x'ff'
SELECT kind FROM t, leveldb_read(f, 'table', {1}) AS item WHERE item.offset = 0;

-- No more bytes are read than the size says.
SELECT item.offset, kind, damage FROM t, leveldb_read(CAST(f || x'00' AS BLOB), 'table', NULL, 350) AS item
WHERE damage NOT NULL;
-- 350|long|the file has 351 bytes, and the MANIFEST says 350

SELECT damage, count(*) FROM t, leveldb_read(f, 'table', NULL, 354) AS item GROUP BY damage;
-- NULL|19
-- the file has 350 bytes, and the MANIFEST says 354, as the Java port writes|1

-- each: 5 | 5.0 | '5'
SELECT kind, damage FROM leveldb_read(x'00', 'table', NULL, {1}) LIMIT 1;
-- short|the file has 1 bytes, and the MANIFEST says 5

-- each: 'big' => TEXT 'big' | 2.5 | x'05' => a BLOB of 1 byte
SELECT * FROM leveldb_read(x'00', 'table', NULL, {1});
-- Error: leveldb_read: size must be an integer, got {2}

SELECT kind, sequence, CAST(log.key AS TEXT) FROM file, leveldb_read(content, 'log', 'fruit05') AS log
WHERE name LIKE '%.log' AND kind = 'entry';
-- entry|17|fruit05

SELECT kind, damage FROM t, leveldb_read(f, 'table', NULL, 353) AS item WHERE damage NOT NULL;
-- short|the file has 350 bytes, and the MANIFEST says 353

-- each: 'log' | 'table' | 'manifest'
SELECT offset, kind, damage FROM leveldb_read(NULL, {1});
-- 0|file|the file cannot be read

SELECT * FROM leveldb_read(x'', 'log');

SELECT file IS f, item.form, item.prefix, item.file_size FROM t, leveldb_read(f, 'table') AS item LIMIT 1;
-- 1|NULL|NULL|NULL

-- each: 'tables' => TEXT 'tables' | NULL | 7
SELECT * FROM leveldb_read(x'', {1});
-- Error: leveldb_read: form must be 'table', 'get', 'log' or 'manifest', got {2}

-- each: 'a path' => TEXT 'a path' | 7 | 2.5
SELECT * FROM leveldb_read({1}, 'log');
-- Error: leveldb_read: file must be a BLOB, as readfile returns it, got {2}

SELECT * FROM leveldb_read;
-- Error: leveldb_read: file and form must be given, as in leveldb_read(readfile('000005.ldb'), 'table')

SELECT * FROM leveldb_read(x'');
-- Error: leveldb_read: file and form must be given, as in leveldb_read(readfile('000005.ldb'), 'table')

SELECT * FROM leveldb_read(x'', 'get');
-- Error: leveldb_read: key must be given for 'get'

SELECT leveldb_read(x'', 'log');
-- Error: leveldb_read: it is a table: SELECT * FROM leveldb_read(file, form)

SELECT * FROM leveldb_read(1, 2, 3, 4, 5);
-- Error: too many arguments on leveldb_read() - max 4
