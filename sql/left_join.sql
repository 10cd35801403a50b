-- A LEFT JOIN that looks up only the rows that may have a match. It keeps
-- every row of its left table, so a filter has no place in its WHERE. In its ON,
-- `AND bloom_may_match(...)` loses nothing and saves nothing: SQLite looks the key
-- up first and tests the condition on what it has found. What saves the lookup is
-- a key that is NULL where the filter says that it is absent:
--
--     LEFT JOIN redaction AS r ON r.event =
--       CASE WHEN bloom_may_match(e.event, ...) THEN e.event END
--
-- Use it where few rows of a long table have a match. It serves an anti-join,
-- too, if that is written as LEFT JOIN ... WHERE r.event IS NULL. Do not use it for
-- INTEGER keys that come in order: SQLite finds the next one without a search, so that
-- the CASE only costs time.
--
-- Both columns must have one type, which CREATE TABLE gives, and the collation
-- BINARY. A CASE has neither type nor collation, so that SQLite compares by those
-- of r.event alone. If e.event had no type, for example, it would find other
-- matches. tests/queries/left_join.sql tries all pairs of eight columns with 28 values.
-- Of the pairs of different types, these find the same matches with a CASE: two of
-- INTEGER, REAL and NUMERIC (from SQLite 3.30 on), and an r.event of type BLOB or
-- without a type beside an e.event of type TEXT or BLOB or without one.
.load dist/bloom

-- A chat server has 50,000 events, or :events. One in a hundred was redacted later.
CREATE TEMP TABLE events AS SELECT coalesce(:events, 50000) AS n;
CREATE TABLE event(id INTEGER PRIMARY KEY, event TEXT, length INTEGER);
WITH RECURSIVE number(n) AS (
  SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < (SELECT n FROM events)
)
INSERT INTO event
SELECT n, printf('$%08x%08x:example.com', leveldb_hash(n, 1), leveldb_hash(n, 2)),
  n % 1000
FROM number;
CREATE TABLE redaction(event TEXT PRIMARY KEY, reason TEXT);
INSERT INTO redaction SELECT event, 'spam' FROM event WHERE id % 100 = 0;

-- Redactions of events that this server has not seen, ten times as many.
INSERT INTO redaction
SELECT printf('$%08x%08x:example.org', leveldb_hash(id, 3), leveldb_hash(id, 4)),
  'spam'
FROM event WHERE id % 10 = 0;

-- bloom_compare runs two queries in turn, and says whether they have the same rows
-- and how many times as fast the second one is: first with the filter in a CASE, then
-- with the filter after an AND, which saves nothing.
CREATE TEMP TABLE query(name TEXT PRIMARY KEY, text TEXT);
INSERT INTO query VALUES ('plain',
  'SELECT count(*), sum(length), count(reason)
   FROM event AS e LEFT JOIN redaction AS r ON r.event = e.event');
INSERT INTO query VALUES ('CASE',
  'SELECT count(*), sum(length), count(reason)
   FROM event AS e LEFT JOIN redaction AS r ON r.event =
     CASE WHEN bloom_may_match(e.event,
       (SELECT bloom_open(bloom_build(event)) FROM redaction)) THEN e.event END');
INSERT INTO query VALUES ('ON ... AND',
  'SELECT count(*), sum(length), count(reason)
   FROM event AS e LEFT JOIN redaction AS r ON r.event = e.event
     AND bloom_may_match(e.event,
       (SELECT bloom_open(bloom_build(event)) FROM redaction))');

SELECT printf('%-10s', name), verdict
FROM query, bloom_compare((SELECT text FROM query WHERE name = 'plain'), text)
WHERE name <> 'plain' ORDER BY name;
-- CASE      |the same 1 row...
-- ON ... AND|the same 1 row...

-- The plan is the same with and without the CASE: it is a part of the key.
EXPLAIN QUERY PLAN
SELECT count(*), count(reason)
FROM event AS e LEFT JOIN redaction AS r ON r.event =
  CASE WHEN bloom_may_match(e.event,
    (SELECT bloom_open(bloom_build(event)) FROM redaction)) THEN e.event END;
-- QUERY PLAN
-- |--SCAN ...e
-- |--SEARCH ...r USING INDEX sqlite_autoindex_redaction_1 (event=?)...
-- `--SCALAR SUBQUERY...
--    `--SCAN ...redaction...

-- The events that were not redacted.
SELECT count(*) * 100 = 99 * (SELECT n FROM events)
FROM event AS e LEFT JOIN redaction AS r ON r.event =
  CASE WHEN bloom_may_match(e.event,
    (SELECT bloom_open(bloom_build(event)) FROM redaction)) THEN e.event END
WHERE r.event IS NULL;
-- 1

-- ---- Where it must not stand
-- A table that CREATE TABLE ... AS makes of expressions has columns without a
-- type. To SQLite, its number 1 is not the text '1' of the other table; but to a
-- CASE it is, since that is compared as the TEXT that r.event is.
CREATE TABLE untyped AS SELECT 1 + 0 AS event;
INSERT INTO redaction VALUES ('1', 'spam');
SELECT e.event, plain.reason, filtered.reason
FROM untyped AS e LEFT JOIN redaction AS plain ON plain.event = e.event
LEFT JOIN redaction AS filtered ON filtered.event =
  CASE WHEN bloom_may_match(e.event,
    (SELECT bloom_open(bloom_build(event)) FROM redaction)) THEN e.event END;
-- 1||spam

-- bloom_compare finds such a mistake: try every filter that you write yourself.
SELECT same, plain_rows, filtered_rows FROM bloom_compare(
  'SELECT e.event, reason FROM untyped AS e
   LEFT JOIN redaction AS r ON r.event = e.event',
  'SELECT e.event, reason FROM untyped AS e LEFT JOIN redaction AS r ON r.event =
     CASE WHEN bloom_may_match(e.event,
       (SELECT bloom_open(bloom_build(event)) FROM redaction)) THEN e.event END');
-- 0|1|1

-- ---- A subquery with GROUP BY
-- SQLite groups all rows of such a subquery, also those of keys that nothing looks up. A
-- filter before its GROUP BY leaves these out. It needs no CASE, even in a LEFT JOIN,
-- if the subquery groups by the column, and only this join reads it.
CREATE TABLE reaction(event TEXT, emoji TEXT);
INSERT INTO reaction
SELECT event.event, emoji.value FROM event, json_each('["+1", "heart"]') AS emoji;
INSERT INTO query VALUES ('plain groups',
  'SELECT e.id, reactions FROM event AS e LEFT JOIN (SELECT event, count(*) AS reactions
     FROM reaction GROUP BY event) AS r ON r.event = e.event
   WHERE e.length = 7');
INSERT INTO query VALUES ('groups',
  'SELECT e.id, reactions FROM event AS e LEFT JOIN (SELECT event, count(*) AS reactions
     FROM reaction WHERE bloom_may_match(event, (SELECT bloom_open(bloom_build(event))
       FROM event WHERE length = 7))
     GROUP BY event) AS r ON r.event = e.event
   WHERE e.length = 7');
SELECT verdict FROM bloom_compare(
  (SELECT text FROM query WHERE name = 'plain groups'),
  (SELECT text FROM query WHERE name = 'groups'));
-- the same 50 rows...
