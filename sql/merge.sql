-- Filters of several days, shards or machines, merged into one. Each filter is
-- built where its rows are. Because all filters have the same capacity, they
-- can be merged into the filter of any span of days, without the rows. As
-- separate filters, they tell which days need to be searched at all.
.load dist/bloom

-- The log has three days, with 10,000 addresses each. The filter of each day
-- has room for all of them, because a merged filter holds the keys of all its
-- parts.
CREATE TABLE visit(day TEXT, ip TEXT);
WITH RECURSIVE number(n) AS (
  SELECT 0 UNION ALL SELECT n + 1 FROM number WHERE n < 29999
)
INSERT INTO visit
SELECT date('2024-03-01', (n / 10000) || ' days'),
  printf('10.%d.%d.%d', n / 10000, n / 100 % 100, n % 100)
FROM number;

CREATE TABLE filters(day TEXT PRIMARY KEY, f BLOB NOT NULL);
INSERT INTO filters
SELECT day, bloom_build(ip, 10, 30000) FROM visit GROUP BY day;

-- A day without visits has no group. Its filter is empty but has the same size:
-- a row with NULL supplies the bits and the capacity, but no key.
INSERT INTO filters SELECT '2024-03-04', bloom_build(NULL, 10, 30000);

SELECT day, bytes, probes, bits_set > 0 AS has_keys FROM filters, bloom_info(f);
-- 2024-03-01|37501|6|1
-- 2024-03-02|37501|6|1
-- 2024-03-03|37501|6|1
-- 2024-03-04|37501|6|0

-- The filters of all days merge into the filter that is built from all rows,
-- byte for byte.
SELECT bloom_merge(f) = (SELECT bloom_build(ip, 10, 30000) FROM visit)
FROM filters;
-- 1

-- This is the filter of a span of days, for a join.
CREATE TEMP TABLE span AS
SELECT bloom_merge(f) AS f FROM filters
WHERE day BETWEEN '2024-03-02' AND '2024-03-04';

WITH suspect(ip) AS (VALUES ('10.0.7.8'), ('10.1.7.8'), ('10.2.7.8'))
SELECT ip FROM suspect
WHERE bloom_may_match(ip, (SELECT bloom_open(f) FROM span));
-- 10.1.7.8
-- 10.2.7.8

-- Which days may have an address? Only those days, or the machines that hold
-- them, need to be queried. Here each row has its own filter, which is probed
-- only once, so bloom_open is not needed.
SELECT day FROM filters WHERE bloom_may_match('10.1.42.42', f);
-- 2024-03-02

-- A filter of another size cannot be merged: it is an error.
SELECT bloom_merge(f)
FROM (SELECT f FROM filters UNION ALL SELECT bloom_build('10.3.0.1', 10, 5000));
-- Error: bloom_merge: filters must have the same length and number of probes, got 6251 bytes and 6 probes after 37501 bytes and 6 probes (build them with the same bits_per_key and capacity)

-- Filters in parts (parts.sql) are merged part by part. All machines must have
-- the same number of parts and the same capacity for each part, which must
-- suffice for the keys of all machines together. Here there are two machines
-- and 8 parts.
CREATE TABLE shard(machine TEXT, part INTEGER, f BLOB,
                   PRIMARY KEY (machine, part));
WITH RECURSIVE machine(machine, day) AS (
  VALUES ('north', '2024-03-01'), ('south', '2024-03-02')
), number(part) AS (
  SELECT 0 UNION ALL SELECT part + 1 FROM number WHERE part < 7
), built(machine, handle) AS (
  SELECT machine, bloom_build_parts(ip, 8, 10, 3000)
  FROM machine JOIN visit USING (day) GROUP BY machine
)
INSERT INTO shard
SELECT machine, part, bloom_bytes(handle, part) FROM built, number;

-- HAVING leaves out a part whose filter is missing or NULL for some machine,
-- because bloom_merge skips it, and the part would lack keys. The part is then
-- missing from the merged filter, which bloom_open detects.
CREATE TABLE visit_filter(part INTEGER PRIMARY KEY, f BLOB NOT NULL);
INSERT INTO visit_filter
SELECT part, bloom_merge(f) FROM shard GROUP BY part
HAVING count(f) = (SELECT count(DISTINCT machine) FROM shard);

-- Every visit of the first two days matches, and hardly any of the third.
SELECT day, count(*) - count(*) % 200 FROM visit
WHERE bloom_may_match(ip, (SELECT bloom_open(part, 8, f) FROM visit_filter))
GROUP BY day;
-- 2024-03-01|10000
-- 2024-03-02|10000
-- 2024-03-03|0

UPDATE shard SET f = NULL WHERE machine = 'north' AND part = 3;
DELETE FROM visit_filter;
INSERT INTO visit_filter
SELECT part, bloom_merge(f) FROM shard GROUP BY part
HAVING count(f) = (SELECT count(DISTINCT machine) FROM shard);

SELECT bloom_open(part, 8, f) IS NOT NULL FROM visit_filter;
-- Error: bloom_open: ...part 3...
