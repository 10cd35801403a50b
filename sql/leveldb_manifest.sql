-- A LevelDB MANIFEST: how keys are ordered, and which tables the database has.
-- The file CURRENT names the MANIFEST that counts. After `make`, run it in the
-- folder of the Makefile. To read a MANIFEST of your own:
--
--   sqlite3 -cmd ".parameter set :file readfile('MANIFEST-000002')" \
--     < sql/leveldb_manifest.sql
--
-- Without :file, the recipe reads a small one that LevelDB wrote. To store the
-- list of the tables:
--
--   sqlite3 tables.db -cmd ".parameter set :file readfile('MANIFEST-000002')" \
--     -cmd '.read sql/leveldb_manifest.sql' \
--     'CREATE TABLE tables AS SELECT * FROM live_file'
-- since: 3.28
.load dist/bloom

.parameter init
.read sql/leveldb_sample_folder.sql
INSERT OR IGNORE INTO sqlite_parameters
SELECT ':file', content FROM file WHERE name = 'MANIFEST-000002';
.read sql/leveldb_read_log.sql
.read sql/leveldb_read_manifest.sql
INSERT INTO read_log VALUES ('edit', :file);

-- What is damaged, and where.
SELECT * FROM problem;

-- The comparator orders the keys. Another than LevelDB's own, such as idb_cmp1
-- of Chrome's IndexedDB, may hold keys of different bytes equal. RocksDB's has
-- the same name, but `problem` has tags there that are not LevelDB's.
SELECT CAST(string AS TEXT) FROM manifest_edit WHERE what = 'comparator';
-- leveldb.BytewiseComparator

-- The logs with this number and later ones are not yet in tables.
SELECT what, number FROM manifest_state
WHERE what IN ('log number', 'last sequence');
-- last sequence|14
-- log number|4

-- The tables, with their levels, sizes and first and last keys. Keys with a NUL
-- byte, at which the shell ends a TEXT, are printed in hexadecimal.
SELECT number, level, size,
  CASE instr(first, x'00') WHEN 0 THEN CAST(first AS TEXT)
                           ELSE quote(first) END,
  CASE instr(last, x'00') WHEN 0 THEN CAST(last AS TEXT) ELSE quote(last) END
FROM live_file;
-- 5|2|350|fruit01|fruit12

-- When not to use this: where the MANIFEST is lost or damaged. LevelDB's
-- RepairDB (repair_db in plyvel) makes a new one from the tables that are left.
