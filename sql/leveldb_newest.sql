-- The newest value of each key in a LevelDB folder, from its live tables and
-- its log. To read a folder of your own, or rather a copy of it that no program
-- has open:
--
--   sqlite3 -cmd ".parameter set :folder '/tmp/copy'" < sql/leveldb_newest.sql
--
-- Without :folder, the recipe reads a small one that LevelDB wrote.
-- since: 3.28
.load dist/bloom

.parameter init
.read sql/leveldb_sample_folder.sql
DELETE FROM file WHERE EXISTS (
  SELECT * FROM sqlite_parameters WHERE key = ':folder');
INSERT INTO file
SELECT replace(name, rtrim(name, replace(name, '/', '')), ''), data
FROM sqlite_parameters CROSS JOIN fsdir(value)
WHERE key = ':folder' AND data NOT NULL;

-- CURRENT names the MANIFEST, which tells the live files.
INSERT INTO sqlite_parameters
SELECT ':file', content FROM file
WHERE name = (SELECT CAST(substr(content, 1, length(content) - 1) AS TEXT)
              FROM file WHERE name = 'CURRENT');
.read sql/leveldb_read_log.sql
.read sql/leveldb_read_manifest.sql

CREATE TEMP TABLE version(
  key BLOB, sequence INTEGER, type INTEGER, value BLOB, name TEXT
);
CREATE TEMP TABLE damage AS
SELECT 'MANIFEST' AS name, offset, what FROM problem;
CREATE TEMP TABLE live AS
SELECT name,
  CASE WHEN name LIKE '%.log' THEN 'leveldb_read_log'
       ELSE 'leveldb_read_table' END AS reader,
  CASE WHEN name LIKE '%.log' THEN 'write' ELSE 'entry' END AS result
FROM file
WHERE name LIKE '%.log' AND CAST(name AS INTEGER) >= (
    SELECT max(number) FROM manifest_edit WHERE what = 'log number')
  OR (name LIKE '%.ldb' OR name LIKE '%.sst') AND CAST(name AS INTEGER) IN (
    SELECT number FROM live_file);

-- A live file that is not in the folder.
INSERT INTO damage
SELECT printf('%06d.ldb', number), 0, 'the file is missing' FROM live_file
WHERE number NOT IN (SELECT CAST(name AS INTEGER) FROM live);

-- The shell has no loop, so these lines are written and read for each file.
.once read_folder.sql
SELECT 'REPLACE INTO sqlite_parameters SELECT '':file'', content FROM file ' ||
  'WHERE name = ' || quote(name) || ';' || char(10) ||
  '.read sql/' || reader || '.sql' || char(10) ||
  'INSERT INTO version SELECT key, sequence, type, value, ' || quote(name) ||
  ' FROM ' || result || ';' || char(10) ||
  'INSERT INTO damage SELECT ' || quote(name) || ', offset, what FROM problem;'
FROM live ORDER BY name;
.read read_folder.sql

-- What is damaged, and where.
SELECT * FROM damage;

-- Tables that the MANIFEST does not name are not read: they are left over from
-- a compaction, or the MANIFEST is older than they are.
SELECT name FROM file
WHERE (name LIKE '%.ldb' OR name LIKE '%.sst')
  AND name NOT IN (SELECT name FROM live);

-- Of each key, the entry with the highest sequence number counts, if it is not
-- a deletion.
CREATE TEMP VIEW newest AS
SELECT key, value
FROM (SELECT key, type, value, max(sequence) FROM version GROUP BY key)
WHERE type = 1;

SELECT count(*), count(DISTINCT key) FROM version;
-- 18|13

SELECT CAST(key AS TEXT), CAST(value AS TEXT) FROM newest
WHERE key BETWEEN CAST('fruit03' AS BLOB) AND CAST('fruit07' AS BLOB)
ORDER BY key;
-- fruit03|pear 3
-- fruit04|plum 4
-- fruit05|again 5
-- fruit07|apple 7

SELECT count(*) FROM newest;
-- 12

-- When not to use this: where the MANIFEST names a comparator other than
-- leveldb.BytewiseComparator, since keys of different bytes may then be one;
-- and where LevelDB itself is at hand, which is much faster.
