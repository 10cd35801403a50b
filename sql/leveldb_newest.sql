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
--
-- If `damage` has a row, what is newest cannot be told: an older table may have
-- an old value of a key, or a key that was deleted.
--
-- Blocks that are compressed with zlib, as by games, or with zstd, as by newer
-- LevelDBs, count as damage, because SQL cannot inflate them. Name a file in which
-- the recipe stores such blocks:
--
--   sqlite3 -cmd ".parameter set :folder '/tmp/copy'" \
--     -cmd ".parameter set :inflated 'blocks.db'" < sql/leveldb_newest.sql
--
-- Then run this program in Python (for zstd, with `compression.zstd` of 3.14), the
-- recipe and the program once more, because index blocks name further blocks, and
-- then the recipe:
--
--   import sqlite3, zlib
--
--   def inflate(type, stored):
--       return zlib.decompress(stored, 15 if type == 2 else -15)
--
--   db = sqlite3.connect("blocks.db")
--   db.create_function("inflate", 2, inflate)
--   db.execute("UPDATE inflated SET contents = inflate(type, stored)")
--   db.commit()
-- since: 3.28
.load dist/bloom

.parameter init
.read sql/leveldb_sample_folder.sql
.read sql/leveldb_read_table.sql
.read sql/leveldb_read_log.sql
.read sql/leveldb_read_manifest.sql
DELETE FROM file WHERE ':folder' IN (SELECT key FROM sqlite_parameters);
INSERT INTO file
SELECT ltrim(substr(name, length(value) + 1), '/'), data
FROM sqlite_parameters CROSS JOIN fsdir(value)
WHERE key = ':folder' AND substr(name, length(value) + 2) NOT LIKE '%/%'
  AND data NOT NULL;

CREATE TEMP TABLE version(
  key BLOB, sequence INTEGER, type INTEGER, value BLOB, name TEXT);
CREATE TEMP TABLE damage(name TEXT, offset INTEGER, what TEXT);

-- CURRENT names the MANIFEST, which tells the live files: tables, and the logs
-- that are not yet in tables. Of a table, LevelDB reads as many bytes as the
-- MANIFEST says.
CREATE TEMP TABLE current AS SELECT (
  SELECT CAST(substr(content, 1, length(content) - 1) AS TEXT) FROM file
  WHERE name = 'CURRENT' AND substr(content, -1) = x'0a') AS manifest;
INSERT INTO damage
SELECT 'CURRENT', 0, CASE
  WHEN 'CURRENT' NOT IN (SELECT name FROM file) THEN 'the file is missing'
  ELSE ifnull('it names ' || replace(manifest, char(13), '\r') ||
              ', which is missing', 'it does not end with a newline') END
FROM current
WHERE manifest IS NULL OR manifest NOT IN (SELECT name FROM file);
INSERT INTO read_log
SELECT 'edit', content FROM file JOIN current ON name = manifest;
INSERT INTO damage SELECT manifest, offset, what FROM problem, current;
CREATE TEMP TABLE state AS SELECT * FROM manifest_state;
CREATE TEMP TABLE live AS
SELECT min(name) AS name, number, size, level, first, last
FROM (SELECT name, substr(name, -4) AS suffix, CAST(name AS INTEGER) AS number
      FROM file) LEFT JOIN live_file USING (number)
WHERE name = printf('%06d', number) || suffix AND CASE suffix
  WHEN '.log' THEN number IN (SELECT number FROM state
                              WHERE what = 'previous log number')
    OR number >= (SELECT number FROM state WHERE what = 'log number')
  ELSE suffix IN ('.ldb', '.sst') AND size NOT NULL END
GROUP BY number, suffix = '.log';
INSERT INTO damage
SELECT manifest, 0, 'its next file number is not free: ' || number
FROM state, current WHERE what = 'next file number'
  AND number <= (SELECT ifnull(max(number), 0) FROM live_file)
UNION ALL SELECT printf(form, number) AS missing, 0, 'the file is missing'
FROM (SELECT '%06d.ldb' AS form, number FROM live_file WHERE number >= 0 UNION
      SELECT '%06d.log', number FROM state WHERE what = 'log number' AND number)
WHERE missing NOT IN (SELECT replace(name, '.sst', '.ldb') FROM live)
UNION ALL SELECT printf('%06d.ldb', number), 0, 'the MANIFEST has it twice'
FROM live_file GROUP BY number HAVING count(*) > 1;

-- Keys of different bytes may be one key to another comparator than LevelDB's.
-- Then the rows of `newest` are not this folder's keys.
CREATE TEMP TABLE own AS
SELECT DISTINCT CAST(string AS TEXT) AS comparator FROM manifest_edit
WHERE what = 'comparator' AND comparator <> 'leveldb.BytewiseComparator';
SELECT 'the comparator is ' || comparator FROM own;

CREATE TEMP VIEW read_live AS SELECT name, size, first, last FROM live;
CREATE TEMP TRIGGER read_live_table INSTEAD OF INSERT ON read_live
WHEN NEW.name NOT LIKE '%.log'
BEGIN
  INSERT INTO read_table SELECT ifnull(substr(content, 1, NEW.size), x'')
    FROM file WHERE name = NEW.name;
  INSERT INTO damage
    SELECT NEW.name, NEW.size, 'the file has ' || length(content) ||
      ' bytes, and the MANIFEST says ' || NEW.size
    FROM file WHERE name = NEW.name AND length(content) <> NEW.size
    UNION ALL SELECT NEW.name, offset, what FROM problem
    UNION ALL SELECT NEW.name, block,
      'keys out of order, or outside the range in the MANIFEST: ' || count(*)
    FROM (SELECT block, key, sequence, lag(key) OVER (ORDER BY rowid) AS before,
                 lag(sequence) OVER (ORDER BY rowid) AS later FROM entry)
    WHERE (key < before OR key = before AND sequence >= later
           OR key NOT BETWEEN NEW.first AND NEW.last)
      AND NOT EXISTS (SELECT * FROM own)
    GROUP BY block;
  INSERT INTO version SELECT key, sequence, type, value, NEW.name FROM entry;
END;
CREATE TEMP TRIGGER read_live_log INSTEAD OF INSERT ON read_live
WHEN NEW.name LIKE '%.log'
BEGIN
  INSERT INTO read_log SELECT 'batch', content FROM file WHERE name = NEW.name;
  INSERT INTO damage SELECT NEW.name, offset, what FROM problem;
  INSERT INTO version SELECT key, sequence, type, value, NEW.name FROM write;
END;
INSERT INTO read_live SELECT * FROM read_live ORDER BY name;
INSERT INTO damage
SELECT name, 0, 'entries that LevelDB skips, newer than the last write: ' ||
  count(*) FROM version WHERE sequence NOT BETWEEN 0 AND (
  SELECT min(max(number), (1 << 56) - 1) FROM (
    SELECT number FROM state WHERE what = 'last sequence'
    UNION ALL SELECT max(sequence) FROM version WHERE name LIKE '%.log'))
GROUP BY name
UNION ALL SELECT name, 0, 'its range overlaps that of a table of its level'
FROM (SELECT *, lag(last) OVER (PARTITION BY level ORDER BY first) AS before
      FROM live)
WHERE level > 0 AND first < before AND NOT EXISTS (SELECT * FROM own)
UNION ALL SELECT min(name), 0, 'another write has the same sequence number'
FROM version GROUP BY key, sequence
HAVING min(type) < max(type) OR min(value) < max(value);

-- What is damaged, and where. RepairDB drops blocks that it cannot uncompress.
SELECT * FROM damage;
SELECT 'RepairDB (repair_db in plyvel) keeps what is not damaged, but may ' ||
  'bring back old values' WHERE 0 = (
    SELECT max(what LIKE '%probably' OR what LIKE '%RocksDB%') FROM damage);

-- Tables and logs that the MANIFEST leaves out are not read: their writes are
-- in other tables, or the MANIFEST is older than they are.
SELECT 'not read: ' || name FROM file
WHERE substr(name, -4) IN ('.ldb', '.sst', '.log')
  AND name NOT IN (SELECT name FROM live);

-- Of each key, the entry with the highest sequence number counts, if it is not
-- a deletion.
CREATE TEMP VIEW newest AS
SELECT key, value
FROM (SELECT key, type, value, max(sequence) FROM version GROUP BY key)
WHERE type = 1;

SELECT count(*), (SELECT count(*) FROM newest) FROM version;
-- 18|12

SELECT CAST(key AS TEXT), CAST(value AS TEXT) FROM newest
WHERE key BETWEEN CAST('fruit03' AS BLOB) AND CAST('fruit07' AS BLOB)
ORDER BY key;
-- fruit03|pear 3
-- fruit04|plum 4
-- fruit05|again 5
-- fruit07|apple 7

-- When not to use this: where the folder has a comparator of its own, and where
-- LevelDB itself is at hand.
