-- What a LevelDB table (.ldb, .sst) holds: its blocks, checksums and filters,
-- and its entries, which are values, old versions and deletions. After `make`,
-- run it in the folder of the Makefile. To read a file of your own:
--
--   sqlite3 -cmd ".parameter set :file readfile('000005.ldb')" \
--     -cmd ".parameter set :key 'SKU-000000016-EU'" < sql/leveldb_sstable.sql
--
-- Without :file, the recipe reads a small table that LevelDB wrote. To store
-- all entries in a table:
--
--   sqlite3 entries.db -cmd ".parameter set :file readfile('000005.ldb')" \
--     -cmd '.read sql/leveldb_sstable.sql' \
--     'CREATE TABLE entries AS SELECT * FROM entry'
--
-- leveldb_read_table.sql describes this and the other tables that can be
-- queried. goleveldb's filters, named without the final 2, are read, too.
-- since: 3.28
.load dist/bloom

.parameter init
.read sql/leveldb_sample.sql
INSERT OR IGNORE INTO sqlite_parameters VALUES(':key', 'SKU-000000016-EU');
.read sql/leveldb_read_table.sql
INSERT INTO read_table VALUES (:file);

-- What is damaged, and where.
SELECT * FROM problem;

-- For each kind of block in a table: the number of blocks, their bytes as
-- stored, and how many of them are compressed or cannot be read.
SELECT kind, count(*), sum(size), sum(type = 1), sum(contents IS NULL)
FROM block GROUP BY kind ORDER BY min(offset);
-- data|4|2764|4|0
-- filter|1|107|0|0
-- metaindex|1|48|0|0
-- index|1|86|1|0

-- Blocks of another type than 0 and 1 are whole, but are left out, because they
-- cannot be uncompressed here. Minecraft writes types 2 and 4. In LevelDB from
-- 1.24 on, type 2 is zstd, which begins with other bytes than zlib.
SELECT CASE WHEN type = 2 AND substr(stored, 1, 4) = x'28b52ffd' THEN 'zstd'
            WHEN type = 2 THEN 'zlib' WHEN type = 4 THEN 'raw deflate'
            ELSE 'type ' || type END AS compression, count(*)
FROM block WHERE type > 1 GROUP BY 1;

-- The entries: values, versions that a later one replaces but a snapshot kept,
-- and deletions. An entry's sequence number tells which is newest.
SELECT CASE WHEN newest.sequence > entry.sequence THEN 'old version'
            WHEN type = 0 THEN 'deletion' ELSE 'value' END AS kind, count(*)
FROM entry
JOIN (SELECT key, max(sequence) AS sequence FROM entry GROUP BY key) AS newest
  USING (key)
GROUP BY 1;
-- deletion|3
-- old version|13
-- value|57

SELECT sequence, type, hex(value) FROM entry WHERE key = CAST(:key AS BLOB)
ORDER BY sequence DESC;
-- 17|1|15326161

-- These are the first filters of a table.
SELECT i, bytes, probes, round(fill, 2), keys, round(false_positive_rate, 4)
FROM filter, bloom_info(f) ORDER BY i LIMIT 5;
-- 0|73|6|0.4|48|0.0051
-- 1|21|6|0.46|17|0.0119

-- Which filters may have the key, and how many entries with the key are in
-- their blocks?
SELECT i, (SELECT count(*) FROM entry
           WHERE block >> 11 = i AND key = CAST(:key AS BLOB))
FROM filter WHERE bloom_may_match(:key, f);
-- 0|1

-- Each filter equals bloom_build of the keys of its blocks. The number of bits
-- per key is not stored in any file, but it follows from the size of the filter
-- with the most keys.
SELECT count(*) AS filters, sum(f = built) AS equal, sum(keys) AS keys
FROM filter JOIN (
  SELECT block >> 11 AS i, count(*) AS keys, bloom_build(key, (
    SELECT (length(f) - 1) * 8 / keys
    FROM (SELECT block >> 11 AS i, count(*) AS keys FROM entry GROUP BY 1)
    JOIN filter USING (i) ORDER BY keys DESC LIMIT 1)) AS built
  FROM entry WHERE EXISTS (SELECT * FROM filter) GROUP BY 1
) USING (i);
-- 2|2|73

-- When not to use this: to look up single keys in a large table, since the
-- recipe reads and uncompresses all of it; and while a program has the folder
-- open. Copy the folder first.
