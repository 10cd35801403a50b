-- bloom_merge(filter): the filter of all keys of its filters.
.load dist/bloom
.nullvalue NULL

SELECT hex(bloom_merge(f)) FROM (
  SELECT bloom_build('hello') AS f UNION ALL SELECT bloom_build('world'));
-- 114000414410401006

-- NULLs are skipped; without any filter, the result is NULL.
SELECT hex(bloom_merge(column1)), typeof(bloom_merge(column1))
FROM (VALUES (NULL), (x'114000414410401006'), (NULL));
-- 114000414410401006|blob

SELECT bloom_merge(NULL), (SELECT bloom_merge(x'0001') WHERE 0);
-- NULL|NULL

-- Shards of one capacity merge to the filter of all their keys.
CREATE TABLE sale AS
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
SELECT i % 7 AS shard, 'sku ' || i AS sku FROM n;
CREATE TABLE shard_filter AS
SELECT shard, bloom_build(sku, 10, 5000) AS f FROM sale GROUP BY shard;
SELECT bloom_merge(f) = (SELECT bloom_build(sku) FROM sale) FROM shard_filter;
-- 1

SELECT count(*), sum(bloom_may_match(sku, (SELECT bloom_merge(f) FROM shard_filter))) FROM sale;
-- 5000|5000

-- The order of the filters does not matter, nor does how often each one comes.
-- DISTINCT, FILTER and GROUP BY work.
SELECT bloom_merge(DISTINCT f) = (SELECT bloom_merge(f) FROM (
  SELECT f FROM shard_filter UNION ALL SELECT f FROM shard_filter ORDER BY f)) FROM shard_filter;
-- 1

-- since: 3.30
SELECT bloom_merge(f) FILTER (WHERE shard = 3) = (SELECT f FROM shard_filter WHERE shard = 3)
FROM shard_filter;
-- 1

SELECT shard % 2, bloom_merge(f) = (SELECT bloom_build(sku, 10, 5000) FROM sale WHERE shard % 2 = s.shard % 2)
FROM shard_filter AS s GROUP BY shard % 2;
-- 0|1
-- 1|1

-- A handle stands for its filter here too.
SELECT hex(bloom_merge(bloom_open(column1))) FROM (VALUES (x'010006'), (x'020006'));
-- 030006

-- Filters without probes match everything, and so does their union.
SELECT hex(bloom_merge(column1)) FROM (VALUES (x'010000'), (x'020000'));
-- 030000

-- ---- Filters must have the same length and number of probes.
-- each: x'0000000a' => 4 bytes and 10 | x'000007' => 3 bytes and 7 | x'00000006' => 4 bytes and 6
SELECT bloom_merge(column1) FROM (VALUES (x'000006'), ({1}));
-- Error: bloom_merge: filters must have the same length and number of probes, got {2} probes after 3 bytes and 6 probes (build them with the same bits_per_key and capacity)

-- Of one filter, and of a later one.
-- each: (x'') => 0 bytes | (x'000006'), (x'06') => 1 byte
SELECT bloom_merge(column1) FROM (VALUES {1});
-- Error: bloom_merge: filter must be at least 2 bytes long, got a BLOB of {2} (bloom_build(NULL, 10, 1000) is an empty filter with room for 1,000 keys)

-- each: (x'00001f') => 31 | (x'000006'), (x'0000ff') => 255
SELECT bloom_merge(column1) FROM (VALUES {1});
-- Error: bloom_merge: filter must have at most 30 probes in its last byte, got {2}, an encoding that LevelDB reserves (if these bytes were a filter, they are damaged: build it again)

SELECT bloom_merge(column1) FROM (VALUES (x'000006'), ('a filter'));
-- Error: bloom_merge: filter must be a BLOB or a bloom_open() handle, got TEXT 'a filter'...

SELECT bloom_merge();
-- Error: ...wrong number of arguments to function bloom_merge()
