-- Filters of several days, or shards, or machines: each is built where its
-- rows are, and since all have one capacity they can be merged into the filter
-- of any span of days, without the rows. Apart, they tell which days to look
-- at at all.
.load dist/bloom

-- A log of three days, 10,000 addresses a day. Each day's filter has room for
-- all of them, for a merged filter holds the keys of all its parts.
CREATE TABLE visit(day TEXT, ip TEXT);
WITH RECURSIVE number(n) AS (
  SELECT 0 UNION ALL SELECT n + 1 FROM number WHERE n < 29999
)
INSERT INTO visit
SELECT date('2024-03-01', (n / 10000) || ' days'),
  printf('10.%d.%d.%d', n / 10000, n / 100 % 100, n % 100)
FROM number;

CREATE TABLE filters(day TEXT PRIMARY KEY, f BLOB);
INSERT INTO filters
SELECT day, bloom_build(ip, 10, 30000) FROM visit GROUP BY day;

-- A day without visits has no group. Its filter is empty, but of the same
-- size: a row with NULL brings bits and capacity and no key.
INSERT INTO filters SELECT '2024-03-04', bloom_build(NULL, 10, 30000);

SELECT day, bytes, probes, bits_set > 0 AS has_keys FROM filters, bloom_info(f);
-- 2024-03-01|37501|6|1
-- 2024-03-02|37501|6|1
-- 2024-03-03|37501|6|1
-- 2024-03-04|37501|6|0

-- All days in one: byte for byte the filter that a build over all rows gives.
SELECT bloom_merge(f) = (SELECT bloom_build(ip, 10, 30000) FROM visit)
FROM filters;
-- 1

-- The filter of a span of days, for a join.
CREATE TEMP TABLE span AS
SELECT bloom_merge(f) AS f FROM filters
WHERE day BETWEEN '2024-03-02' AND '2024-03-04';

WITH suspect(ip) AS (VALUES ('10.0.7.8'), ('10.1.7.8'), ('10.2.7.8'))
SELECT ip FROM suspect
WHERE bloom_may_match(ip, (SELECT bloom_open(f) FROM span));
-- 10.1.7.8
-- 10.2.7.8

-- Which days may hold an address? Only those need be read, or their machines
-- asked. Each row has its own filter here, probed once where it lies, so there
-- is nothing to open.
SELECT day FROM filters WHERE bloom_may_match('10.1.42.42', f);
-- 2024-03-02

-- Another size cannot be merged, and is not merged by mistake.
SELECT bloom_merge(f)
FROM (SELECT f FROM filters UNION ALL SELECT bloom_build('10.3.0.1', 10, 5000));
-- Error: bloom_merge: filters must have one length and one number of probes, got 6251 bytes and 6 probes after 37501 bytes and 6 probes

-- Filters in parts (parts.sql) merge part by part, where all machines have the
-- same number of parts and one capacity for each, which must do for the keys of
-- all machines together. Two of them, 8 parts:
CREATE TABLE shard(machine TEXT, part INTEGER, f BLOB,
                   PRIMARY KEY (machine, part));
WITH machine(machine, day) AS (
  VALUES ('north', '2024-03-01'), ('south', '2024-03-02')
)
INSERT INTO shard
SELECT machine, bloom_part(ip, 8) AS part, bloom_build(ip, 10, 3000)
FROM machine JOIN visit USING (day) GROUP BY 1, 2;

-- HAVING, since a part that one machine did not send is no part: then it is
-- missing in the whole too, which bloom_open finds.
CREATE TABLE visit_filter(part INTEGER PRIMARY KEY, f BLOB NOT NULL);
INSERT INTO visit_filter
SELECT part, bloom_merge(f) FROM shard GROUP BY part
HAVING count(*) = (SELECT count(DISTINCT machine) FROM shard);

-- Every visit of the first two days, and hardly one of the third.
SELECT day, count(*) - count(*) % 200 FROM visit
WHERE bloom_may_match(ip, (SELECT bloom_open(part, 8, f) FROM visit_filter))
GROUP BY day;
-- 2024-03-01|10000
-- 2024-03-02|10000
-- 2024-03-03|0

DELETE FROM shard WHERE machine = 'north' AND part = 3;
DELETE FROM visit_filter;
INSERT INTO visit_filter
SELECT part, bloom_merge(f) FROM shard GROUP BY part
HAVING count(*) = (SELECT count(DISTINCT machine) FROM shard);

SELECT bloom_open(part, 8, f) IS NOT NULL FROM visit_filter;
-- Error: bloom_open: ...part 3...
