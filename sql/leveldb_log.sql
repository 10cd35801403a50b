-- The writes in a LevelDB log (.log): the values and deletions that are not yet
-- in a table. After `make`, run it in the folder of the Makefile. To read a
-- file of your own:
--
--   sqlite3 -cmd ".parameter set :file readfile('000004.log')" \
--     < sql/leveldb_log.sql
--
-- Without :file, the recipe reads a small log that LevelDB wrote.
-- since: 3.28
.load dist/bloom

.parameter init
.read sql/leveldb_sample_folder.sql
INSERT OR IGNORE INTO sqlite_parameters
SELECT ':file', content FROM file WHERE name = '000004.log';

-- What is damaged, and where. What is 'torn' LevelDB takes for the end: its
-- writer was stopped there.
SELECT offset, kind, damage FROM leveldb_read(:file, 'log')
WHERE damage NOT NULL;

-- The number of records and their bytes, and those of the parts of records that
-- do not fit in one block of 32 KB.
SELECT CASE type WHEN 1 THEN 'whole' WHEN 2 THEN 'first' WHEN 3 THEN 'middle'
                 WHEN 4 THEN 'last' ELSE type END, count(*), sum(size)
FROM leveldb_read(:file, 'log') WHERE kind = 'record' GROUP BY type;
-- whole|2|76

-- The writes of each batch, by their sequence numbers. A deletion has no value.
-- A value may be empty.
SELECT offset, sequence, CASE type WHEN 1 THEN 'value' ELSE 'deletion' END,
  CAST(key AS TEXT), quote(CAST(value AS TEXT))
FROM leveldb_read(:file, 'log') WHERE kind = 'entry' ORDER BY sequence;
-- 0|15|value|fruit04|'plum 4'
-- 0|16|deletion|fruit06|NULL
-- 0|17|value|fruit05|'again 5'
-- 61|18|value|fruit13|''

-- When not to use this: while a program has the folder open, since it may write
-- to the file meanwhile: copy the folder first. And where LevelDB itself is at
-- hand.
