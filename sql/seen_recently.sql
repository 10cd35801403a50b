-- Was this event, message or address already seen in the last three days?
-- There is one filter for each window of time, here a day. New keys are added
-- to the newest filter. To look up keys, all filters are merged. The oldest
-- filter is dropped, because no key can be removed from a filter.
--
-- The windows must have the same capacity, and the merged filter has as much
-- room as one of them. So the capacity is the number of keys in all windows
-- together.
.load dist/bloom

-- Each window has room for 30,000 keys: 10,000 a day, for three days. At 14
-- bits for each key it takes 52,501 bytes.
CREATE TABLE recent(day TEXT PRIMARY KEY, f BLOB NOT NULL);

-- The events of four days. Each day repeats 1,000 keys of the day before.
CREATE TABLE event(day TEXT, key TEXT);
WITH RECURSIVE number(n) AS (
  SELECT 0 UNION ALL SELECT n + 1 FROM number WHERE n < 39999
)
INSERT INTO event
SELECT date('2026-03-01', (n / 10000) || ' days'),
  'event ' || (n / 10000 * 9000 + n % 10000)
FROM number;

-- ---- A batch: here a day's events, but it may be any number. The first two
-- statements open the day's window and drop those that have passed. The NULL
-- key gives the new filter its size.
CREATE TEMP TABLE batch AS SELECT * FROM event WHERE day = '2026-03-01';

BEGIN IMMEDIATE;
INSERT OR IGNORE INTO recent
SELECT day, bloom_build(NULL, 14, 30000)
FROM (SELECT max(day) AS day FROM batch) WHERE day NOT NULL GROUP BY day;
DELETE FROM recent
WHERE day <= (SELECT date(max(day), '-3 days') FROM recent);

-- How many keys of the batch were seen? The merged filter is opened once. It
-- does not yet have the keys of the batch itself, so it does not find a key
-- that occurs twice in the batch. DISTINCT finds those.
SELECT count(*) FROM batch WHERE bloom_may_match(key,
  (SELECT bloom_open(bloom_merge(f)) FROM recent));
-- 0

-- The batch is merged into its window. For a single key, bloom_add would do.
UPDATE recent SET f = (
  SELECT bloom_merge(part) FROM (
    SELECT recent.f AS part
    UNION ALL
    SELECT bloom_build(key, 14, 30000) FROM batch))
WHERE day = (SELECT max(day) FROM batch);
COMMIT;

-- ---- The next day, with the same statements. 1,000 of its keys were seen the
-- day before, and some false positives look seen.
DELETE FROM batch;
INSERT INTO batch SELECT * FROM event WHERE day = '2026-03-02';
BEGIN IMMEDIATE;
INSERT OR IGNORE INTO recent
SELECT day, bloom_build(NULL, 14, 30000)
FROM (SELECT max(day) AS day FROM batch) WHERE day NOT NULL GROUP BY day;
DELETE FROM recent
WHERE day <= (SELECT date(max(day), '-3 days') FROM recent);
SELECT count(*) BETWEEN 1000 AND 1030 FROM batch WHERE bloom_may_match(key,
  (SELECT bloom_open(bloom_merge(f)) FROM recent));
-- 1

UPDATE recent SET f = (
  SELECT bloom_merge(part) FROM (
    SELECT recent.f AS part
    UNION ALL
    SELECT bloom_build(key, 14, 30000) FROM batch))
WHERE day = (SELECT max(day) FROM batch);
COMMIT;

-- Two more days, without the query.
INSERT INTO recent
SELECT day, bloom_build(key, 14, 30000) FROM event
WHERE day > '2026-03-02' GROUP BY day;
DELETE FROM recent
WHERE day <= (SELECT date(max(day), '-3 days') FROM recent);
SELECT day, length(f) FROM recent ORDER BY day;
-- 2026-03-02|52501
-- 2026-03-03|52501
-- 2026-03-04|52501

-- Every key of the last three days is found. Of the first day's keys, those
-- that occurred again are found, and hardly any other.
SELECT day, count(DISTINCT key) - count(DISTINCT key) % 100 FROM event
WHERE bloom_may_match(key, (SELECT bloom_open(bloom_merge(f)) FROM recent))
GROUP BY day;
-- 2026-03-01|1000
-- 2026-03-02|10000
-- 2026-03-03|10000
-- 2026-03-04|10000

-- On which days was a key seen? Each filter tells for its own day. This key was
-- seen on two days. A false positive may add a third.
SELECT day FROM recent WHERE bloom_may_match('event 27500', f);
-- 2026-03-03
-- 2026-03-04

-- For one key, do not merge: probe the windows one by one. The query ends at
-- the first that matches.
SELECT EXISTS (SELECT * FROM recent WHERE bloom_may_match('event 27500', f)),
  EXISTS (SELECT * FROM recent WHERE bloom_may_match('event 0', f));
-- 1|0

-- Is there room? If a filter has more keys than its capacity, more new keys
-- look seen. bloom_info measures how many, on the merged filter.
SELECT round(keys / 1000.0), false_positive_rate < 0.01
FROM (SELECT bloom_merge(f) AS f FROM recent), bloom_info(f);
-- 28.0|1

-- A window of another size cannot be merged. If the windows need more room, put
-- new ones in a second table, and query both tables until the old ones have
-- expired.
INSERT INTO recent SELECT '2026-03-05', bloom_build(NULL, 14, 60000);
SELECT bloom_merge(f) FROM recent;
-- Error: bloom_merge: filters must have the same length and number of probes, got 105001 bytes and 9 probes after 52501 bytes and 9 probes (build them with the same bits_per_key and capacity)

-- When not to use this: where a new event that looks seen does harm, such as a
-- payment that is dropped as a duplicate. Let a table decide there, with the
-- filter before it (anti_join.sql). Where keys come one at a time in statements
-- of their own, SQLite reads and writes a window as a whole for each: keep the
-- keys in a table with a filter in parts (parts.sql) and delete the old rows.
-- And where the keys of all windows fit in memory, a table with an index can
-- drop each key at the right second, and is never wrong.
