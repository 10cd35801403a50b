-- A LevelDB MANIFEST: how keys are ordered, and which tables the database has.
-- The file CURRENT names the MANIFEST that counts. After `make`, run it in the
-- folder of the Makefile. To read a MANIFEST of your own:
--
--   sqlite3 -cmd ".parameter set :file readfile('MANIFEST-000002')" \
--     < sql/leveldb_manifest.sql
--
-- Without :file, the recipe reads a small one that LevelDB wrote.
-- since: 3.28
.load dist/bloom

.parameter init
.read sql/leveldb_sample_folder.sql
INSERT OR IGNORE INTO sqlite_parameters
SELECT ':file', content FROM file WHERE name = 'MANIFEST-000002';
CREATE TEMP TABLE edit AS SELECT * FROM leveldb_read(:file, 'manifest');

-- What is damaged, and where. LevelDB takes what is 'torn' for the end, and does
-- not open the folder if anything else is damaged.
SELECT offset, kind, damage FROM edit WHERE damage NOT NULL;

-- The comparator orders the keys. Another than LevelDB's own, such as idb_cmp1
-- of Chrome's IndexedDB, may hold keys of different bytes equal. RocksDB's has
-- the same name, but there is damage: tags that are not LevelDB's.
SELECT CAST(key AS TEXT) FROM edit WHERE kind = 'comparator';
-- leveldb.BytewiseComparator

-- Of each number, the one that was written last counts. The logs with this
-- number and later ones are not yet in tables.
SELECT kind, sequence FROM (
  SELECT kind, sequence, max(rowid) FROM edit GROUP BY kind)
WHERE kind IN ('log number', 'last sequence');
-- last sequence|14
-- log number|4

-- The tables, with their levels, sizes and first and last keys: those whose last
-- edit adds them. Keys end with 8 bytes of their sequence numbers and types.
-- Those with a NUL byte, at which the shell ends a TEXT, are printed in
-- hexadecimal.
SELECT sequence AS number, type AS level, size,
  CASE instr(first, x'00') WHEN 0 THEN CAST(first AS TEXT)
                           ELSE quote(first) END,
  CASE instr(last, x'00') WHEN 0 THEN CAST(last AS TEXT) ELSE quote(last) END
FROM (SELECT kind, sequence, type, size, max(2 * offset + (kind = 'new file')),
             substr(key, 1, length(key) - 8) AS first,
             substr(value, 1, length(value) - 8) AS last
      FROM edit WHERE kind IN ('new file', 'deleted file')
      GROUP BY type, sequence)
WHERE kind = 'new file' ORDER BY level, number;
-- 5|2|350|fruit01|fruit12

-- When not to use this: where the MANIFEST is lost or damaged. LevelDB's
-- RepairDB (repair_db in plyvel) makes a new one from the tables that are left.
