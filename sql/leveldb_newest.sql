-- The newest value of each key in a LevelDB folder, and every other entry that
-- its files still have. Nothing in the folder is changed (LevelDB itself
-- rewrites logs and deletes files when it opens one). After `make`, run it in
-- the folder of the Makefile, on a copy of your LevelDB folder if a program has
-- it open:
--
--   sqlite3 -cmd ".parameter set :folder '/tmp/copy'" < sql/leveldb_newest.sql
--
-- Without :folder, the recipe reads a small folder that LevelDB wrote. To store
-- all keys and values in a table:
--
--   sqlite3 pairs.db -cmd ".parameter set :folder '/tmp/copy'" \
--     -cmd '.read sql/leveldb_newest.sql' 'DROP TABLE IF EXISTS pairs' \
--     'CREATE TABLE pairs AS SELECT key, value FROM newest'
--
-- To look up one key as LevelDB does, or the keys that begin with a prefix,
-- without reading the rest, add one of these:
--
--     -cmd ".parameter set :key \"'fruit05'\""
--     -cmd ".parameter set :prefix \"'fruit'\""
--     -cmd ".parameter set :prefix x'5f00'"
--
-- With single quotes alone, the shell computes what it can: '2026-03' is 2023.
--
-- In Python, sqlite_bloom.leveldb(folder), and in Node leveldb(db, folder), of
-- the packages give the same rows. They also read blocks that are compressed
-- with zlib, as games do, which the shell has no function for. Values that a
-- program has encrypted or XORed with a key (as Bitcoin Core's chainstate) are
-- given as they are stored.
-- since: 3.28
.load dist/bloom

.parameter init
.read sql/leveldb_sample_folder.sql
DELETE FROM file WHERE ':folder' IN (SELECT key FROM sqlite_parameters);
DROP TABLE IF EXISTS temp.listed;
CREATE TEMP TABLE listed(name, path, type);
INSERT INTO listed
SELECT substr(name, length(folder) + 2) AS name, name AS path, mode >> 12
FROM (SELECT rtrim(value, '/') || '/.' AS folder FROM sqlite_parameters
      WHERE key = ':folder') CROSS JOIN fsdir(folder);
INSERT INTO file(name, path)
SELECT name, path FROM listed
WHERE name NOT LIKE '%/%' AND type IN (8, 10); -- files and links
DROP TABLE IF EXISTS temp.wanted;
CREATE TEMP TABLE wanted AS
SELECT CASE WHEN :key IS NULL THEN 'table' ELSE 'get' END AS form,
  CAST(ifnull(:key, :prefix) AS BLOB) AS key;
.read sql/leveldb_folder.sql

-- What was read, and what is damaged. `effect` is what LevelDB itself does:
-- none, loss, or refusal to open the folder.
SELECT 'no LevelDB folder: ' || value || ifnull(', but perhaps: ' || (
  SELECT group_concat(substr(path, 1, length(path) - 8), ' ') FROM listed
  WHERE name LIKE '%/CURRENT'), '')
FROM sqlite_parameters
WHERE key = ':folder' AND NOT EXISTS (SELECT * FROM source)
  AND 'CURRENT' NOT IN (SELECT name FROM file);
SELECT 'the comparator is ' || own FROM current WHERE own NOT NULL;
SELECT 'keys', count(*) FROM newest
UNION ALL SELECT 'deleted keys', count(*) FROM (
  SELECT type, max(sequence) FROM record WHERE live IS NOT 0 GROUP BY key)
WHERE type = 0
UNION ALL SELECT 'older entries', count(*) - count(DISTINCT key)
FROM record WHERE live IS NOT 0
UNION ALL SELECT 'rows of damage', count(*) FROM damage WHERE effect <> 'none'
UNION ALL SELECT * FROM (
  SELECT 'harmless rows of damage', count(*) AS n FROM damage
  WHERE effect = 'none'
  UNION ALL SELECT 'keys that damage may touch', sum(doubt) FROM newest)
WHERE n > 0;
-- keys|12
-- deleted keys|1
-- older entries|5
-- rows of damage|0

SELECT name, offset, what, effect FROM damage;
SELECT 'RepairDB (repair_db in plyvel) keeps what is not damaged, but may ' ||
  'bring back old values. Run it on a copy'
WHERE EXISTS (SELECT * FROM damage WHERE effect = 'refusal')
  AND NOT EXISTS (SELECT * FROM damage
                  WHERE what LIKE '%probably' OR what LIKE '%RocksDB%');
SELECT 'not live, so that newest leaves it out: ' || name FROM source
WHERE live = 0;

-- Of one key, which files were read?
SELECT name, CASE WHEN sum(kind = 'entry') > 0 THEN 'has it'
                  WHEN sum(kind = 'spared') > 0 THEN 'spared by its filter'
                  WHEN form = 'table' AND live AND
                    :key NOT BETWEEN CAST(first AS TEXT) AND CAST(last AS TEXT)
                  THEN 'spared by its range' ELSE 'read' END
FROM source LEFT JOIN item USING (rank) WHERE :key NOT NULL AND live IS NOT 0
GROUP BY rank;

-- The first pairs, in hexadecimal where there is a NUL byte, at which the shell
-- ends a TEXT. Keys and values are BLOBs: compare them with BLOBs, or use
-- `newest_text`, if they are UTF-8.
SELECT CASE instr(key, x'00') WHEN 0 THEN CAST(key AS TEXT) ELSE quote(key) END,
  CASE instr(value, x'00') WHEN 0 THEN CAST(value AS TEXT) ELSE quote(value) END
FROM newest LIMIT 5;
-- fruit01|apple 1
-- fruit02|apple 2
-- fruit03|pear 3
-- fruit04|plum 4
-- fruit05|again 5

SELECT value FROM newest WHERE key = CAST('fruit05' AS BLOB);
-- again 5

SELECT key FROM newest_text WHERE key GLOB 'fruit1*' ORDER BY key;
-- fruit10
-- fruit11
-- fruit12
-- fruit13

-- Older entries of a key, and the files that have them.
SELECT name, level, sequence, type, CAST(value AS TEXT) FROM record
WHERE key = CAST('fruit05' AS BLOB) ORDER BY sequence;
-- 000005.ldb|2|5|1|apple 5
-- 000005.ldb|2|14|0|
-- 000004.log||17|1|again 5

-- When not to use this: where the folder has a comparator of its own, as Chrome's
-- IndexedDB has, by which keys of different bytes may be equal.
