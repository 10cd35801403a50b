-- The newest value of each key in a LevelDB folder, from its live tables and
-- its logs. After `make`, run it in the folder of the Makefile, on a copy of
-- your LevelDB folder that no program has open:
--
--   sqlite3 -cmd ".parameter set :folder '/tmp/copy'" < sql/leveldb_newest.sql
--
-- Without :folder, the recipe reads a small folder that LevelDB wrote. To store
-- all keys and values in a table:
--
--   sqlite3 pairs.db -cmd ".parameter set :folder '/tmp/copy'" \
--     -cmd '.read sql/leveldb_newest.sql' \
--     'CREATE TABLE pairs AS SELECT * FROM newest'
-- since: 3.28
.load dist/bloom

.parameter init
.read sql/leveldb_sample_folder.sql
.read sql/leveldb_read_table.sql
.read sql/leveldb_read_log.sql
.read sql/leveldb_read_manifest.sql
DELETE FROM file WHERE EXISTS (
  SELECT * FROM sqlite_parameters WHERE key = ':folder');
INSERT INTO file
SELECT ltrim(substr(name, length(value) + 1), '/'), data
FROM sqlite_parameters CROSS JOIN fsdir(value)
WHERE key = ':folder' AND substr(name, length(value) + 2) NOT LIKE '%/%'
  AND data NOT NULL;

CREATE TEMP TABLE version(
  key BLOB, sequence INTEGER, type INTEGER, value BLOB, name TEXT
);
CREATE TEMP TABLE damage(name TEXT, offset INTEGER, what TEXT);

-- CURRENT names the MANIFEST, which tells the live files: tables, and the logs
-- that are not yet in tables.
INSERT INTO read_log SELECT 'edit', (
  SELECT content FROM file
  WHERE name = (SELECT CAST(substr(content, 1, length(content) - 1) AS TEXT)
                FROM file WHERE name = 'CURRENT'));
INSERT INTO damage SELECT 'MANIFEST', offset, what FROM problem;
CREATE TEMP TABLE live AS
SELECT name FROM file
WHERE name LIKE '%.log' AND CAST(name AS INTEGER) >= (
    SELECT max(number) FROM manifest_edit WHERE what = 'log number')
  OR (name LIKE '%.ldb' OR name LIKE '%.sst') AND CAST(name AS INTEGER) IN (
    SELECT number FROM live_file);
INSERT INTO damage
SELECT printf('%06d.ldb', number), 0, 'the file is missing' FROM live_file
WHERE number NOT IN (SELECT CAST(name AS INTEGER) FROM live);
INSERT INTO damage
SELECT printf('%06d.log', number), 0, 'the file is missing'
FROM (SELECT max(number) AS number FROM manifest_edit WHERE what = 'log number')
WHERE number > 0 AND number NOT IN (SELECT CAST(name AS INTEGER) FROM live);

-- The comparator orders the keys, and keys of different bytes may be one key to
-- another than LevelDB's own. Then the rows of `newest` are not this folder's
-- keys.
SELECT 'the comparator is ' || CAST(string AS TEXT) FROM manifest_edit
WHERE what = 'comparator'
  AND string <> CAST('leveldb.BytewiseComparator' AS BLOB);

CREATE TEMP VIEW read_live(name) AS SELECT NULL;
CREATE TEMP TRIGGER read_live_table INSTEAD OF INSERT ON read_live
WHEN NEW.name NOT LIKE '%.log'
BEGIN
  INSERT INTO read_table SELECT content FROM file WHERE name = NEW.name;
  INSERT INTO damage SELECT NEW.name, offset, what FROM problem;
  INSERT INTO version SELECT key, sequence, type, value, NEW.name FROM entry;
END;
CREATE TEMP TRIGGER read_live_log INSTEAD OF INSERT ON read_live
WHEN NEW.name LIKE '%.log'
BEGIN
  INSERT INTO read_log SELECT 'batch', content FROM file WHERE name = NEW.name;
  INSERT INTO damage SELECT NEW.name, offset, what FROM problem;
  INSERT INTO version SELECT key, sequence, type, value, NEW.name FROM write;
END;
INSERT INTO read_live SELECT name FROM live ORDER BY name;

-- What is damaged, and where.
SELECT * FROM damage;

-- Tables that the MANIFEST does not name are not read: they are left over from
-- a compaction, or the MANIFEST is older than they are.
SELECT 'not read: ' || name FROM file
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

-- When not to use this: where the folder has a comparator of its own, and where
-- LevelDB itself is at hand, which is much faster.
