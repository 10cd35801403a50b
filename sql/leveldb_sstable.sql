-- What a LevelDB table (.ldb, .sst) holds: its blocks, checksums and filters,
-- and its entries, which are values, old versions and deletions. After `make`,
-- run it in the folder of the Makefile. To read a file of your own:
--
--   sqlite3 -cmd ".parameter set :file readfile('000005.ldb')" \
--     -cmd ".parameter set :key 'SKU-000000016-EU'" < sql/leveldb_sstable.sql
--
-- Without :file, the recipe reads a small table that LevelDB wrote. Filters by
-- goleveldb, which names them leveldb.BuiltinBloomFilter, are read, too.
-- since: 3.28
.load dist/bloom

.parameter init
.read sql/leveldb_sample.sql
INSERT OR IGNORE INTO sqlite_parameters VALUES(':key', 'SKU-000000016-EU');
CREATE TEMP TABLE item AS
SELECT offset, kind, size, type, sequence, key, value, damage
FROM leveldb_read(:file, 'table');
CREATE TEMP TABLE entry AS
SELECT entry.offset AS block, entry.key, entry.sequence, entry.type,
  entry.value, entry.offset >> filters.sequence AS i
FROM item AS entry LEFT JOIN item AS filters ON filters.kind = 'filter block'
WHERE entry.kind = 'entry';

-- Filter i is for the data blocks with offset >> base = i. The base is 11 for
-- LevelDB's, and often another for goleveldb's.
CREATE TEMP TABLE filter AS
SELECT sequence AS i, value AS f FROM item WHERE kind = 'filter';

-- What is damaged, and where. This includes keys that their filter lacks.
SELECT offset, damage FROM item WHERE damage NOT NULL;

-- For each kind of block in a table: the number of blocks, their bytes as
-- stored, and how many of them are compressed or cannot be read.
SELECT kind, count(size), sum(size), sum(type = 1), sum(damage NOT NULL)
FROM item WHERE kind LIKE '% block' GROUP BY kind ORDER BY min(offset);
-- data block|2|783|2|0
-- filter block|1|38|0|0
-- metaindex block|1|48|0|0
-- index block|1|36|1|0

-- The entries: values, versions that a later one replaces but a snapshot kept,
-- and deletions. An entry's sequence number tells which is newest.
SELECT CASE WHEN newest.sequence > entry.sequence THEN 'old version'
            WHEN type = 0 THEN 'deletion' ELSE 'value' END AS kind, count(*)
FROM entry
JOIN (SELECT key, max(sequence) AS sequence FROM entry GROUP BY key) AS newest
  USING (key)
GROUP BY 1;
-- deletion|1
-- old version|5
-- value|16

SELECT sequence, type, hex(value) FROM entry WHERE key = CAST(:key AS BLOB)
ORDER BY sequence DESC;
-- 17|1|15326161

-- These are the first filters of a table.
SELECT i, bytes, probes, round(fill, 2), keys, round(false_positive_rate, 4)
FROM filter, bloom_info(f) ORDER BY i LIMIT 5;
-- 0|29|6|0.35|16|0.0029

-- Which filters may have the key, and how many entries with the key are in
-- their blocks?
SELECT i, (SELECT count(*) FROM entry
           WHERE entry.i = filter.i AND key = CAST(:key AS BLOB))
FROM filter WHERE bloom_may_match(:key, f);
-- 0|1

-- How many keys do the filters lose? Some do that were made by other algorithms
-- under the same name: by Riak's, or by LevelDB's of the time when bytes above
-- 127 were negative on some processors. How many filters equal bloom_build of
-- their keys? No file has the number of bits per key, but the size of a filter
-- of 8 keys or more tells it. (No filter has fewer than 64 bits.)
WITH size AS (
  SELECT (SELECT (length(f) - 1) * 8 / count(*)
          FROM filter JOIN entry USING (i) GROUP BY i
          HAVING count(*) > 7 AND length(f) > 9
            AND (length(f) - 1) * 8 / count(*) BETWEEN 1 AND 100
          ORDER BY count(*) DESC LIMIT 1) AS bits_per_key
)
SELECT count(*) AS filters, sum(keys) AS keys, sum(lost) AS lost,
  sum(CASE WHEN bits_per_key NOT NULL THEN f = built END) AS equal
FROM (
  SELECT f, bits_per_key, count(*) AS keys,
    sum(NOT bloom_may_match(key, f)) AS lost,
    bloom_build(key, ifnull(bits_per_key, 10)) AS built
  FROM filter JOIN entry USING (i) JOIN size GROUP BY i);
-- 1|22|0|1

-- When not to use this: to look up single keys in a large table, for which
-- leveldb_read(:file, 'get', :key) reads one block; and while a program has the
-- folder open. Copy the folder first.
