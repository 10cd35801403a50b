-- A filter for each block of rows: the rows of one session in a log, found
-- without an index on the session. A small filter for every 4,096 rows says
-- which blocks to read, as LevelDB's own filters do for the blocks of a file.
--
-- Worth it where equal keys stand close together, as those of sessions,
-- requests or devices do in a log, and an index would take more space, or more
-- time at each insert, than rare lookups deserve. Of 4 million rows of 200,000
-- sessions, each within some 6,000 rows, the filters take 0.7 MB where the
-- index takes 99, and a lookup 1.5 ms where the scan takes 146 (and the index
-- 0.01). With the same sessions spread at random over the log each block has
-- more keys and each session more blocks: 5.9 MB, and 7 ms. It gains nothing
-- where a key is in most blocks.
--
-- 4,096 rows and 12 bits: what is read in vain is the share of false positives,
-- whatever the size of a block. 10 bits, `bloom_build(DISTINCT session)`, take
-- 0.6 MB and 2.7 ms, 16 bits 0.9 MB and 0.9 ms. Smaller blocks repeat keys
-- (1,024 rows: 1.9 MB), larger ones read more for each session (16,384:
-- 2.1 ms). All measured by build/bench/block_bench dist/bloom, after make
-- benches.
--
--   sqlite3 -cmd '.timer on' -cmd '.parameter set :rows 4000000' \
--     < sql/block_filters.sql
.load dist/bloom
.parameter init
INSERT OR IGNORE INTO sqlite_parameters VALUES (':rows', 200000);

-- The log. A session's rows lie within some 6,000; each session has 20 or so.
-- AUTOINCREMENT, so that no new row takes the place of one that was deleted:
-- rows come at the end, and blocks that are full stay as they are. (For rows
-- that do not, see the triggers below.)
CREATE TABLE log(
  id INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id >= 0),
  session TEXT,
  line TEXT
);
WITH RECURSIVE number(id) AS (
  SELECT 1 UNION ALL SELECT id + 1 FROM number WHERE id < :rows
), visit(id, n) AS (
  SELECT id, id / 20 + leveldb_hash(id) % 300 FROM number
)
INSERT INTO log
SELECT id, printf('%08x%08x', leveldb_hash(n), leveldb_hash(n, 1)),
  'GET /page/' || (n % 1000)
FROM visit;

CREATE TABLE block(block INTEGER PRIMARY KEY, f BLOB);

-- Closes the blocks that are full: for cron, every hour or so, or after each
-- batch of rows. It reads the rows since the last time and no others. The last
-- block, to which rows may still come, stays open.
INSERT INTO block
SELECT block, bloom_build(session, 12) FROM (
  SELECT DISTINCT id / 4096 AS block, session FROM log
  WHERE id >= (SELECT coalesce(max(block) + 1, 0) * 4096 FROM block)
    AND id < (SELECT max(id) / 4096 * 4096 FROM log))
GROUP BY block;

SELECT count(*) = :rows / 4096 AS all_but_the_last,
  sum(length(f)) BETWEEN :rows / 7 AND :rows / 5 AS a_bit_or_two_for_each_row
FROM block;
-- 1|1

-- Where to look: every row is in one of these spans, the open block in the
-- last. That has no filter, and NULL excludes nothing.
CREATE VIEW span AS
SELECT block * 4096 AS first, block * 4096 + 4095 AS last, f FROM block
UNION ALL
SELECT coalesce(max(block) + 1, 0) * 4096, 9223372036854775807, NULL
FROM block;

-- The rows of one session. CROSS JOIN: the spans first. NOT INDEXED: or SQLite
-- may read the whole log to make an index for this one query.
.parameter set :session "(SELECT session FROM log WHERE id = 100000)"
SELECT count(*) BETWEEN 10 AND 30, min(id) > 90000, max(id) < 110000
FROM span CROSS JOIN log NOT INDEXED ON id BETWEEN first AND last
WHERE bloom_may_match(:session, f) AND session = :session;
-- 1|1|1

EXPLAIN QUERY PLAN
SELECT log.id, line
FROM span CROSS JOIN log NOT INDEXED ON id BETWEEN first AND last
WHERE bloom_may_match(:session, f) AND session = :session;
-- QUERY PLAN
-- ...
-- ...COMPOUND QUERY
-- ...LEFT-MOST SUBQUERY
-- ...SCAN ...block
-- ...UNION ALL
-- ...SCAN ...block
-- |--SCAN ...
-- `--SEARCH ...log USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)

-- It finds what a scan of the whole log finds.
SELECT count(*) FROM (
  SELECT id FROM log WHERE session = :session
  EXCEPT
  SELECT id FROM span CROSS JOIN log NOT INDEXED ON id BETWEEN first AND last
  WHERE bloom_may_match(:session, f) AND session = :session);
-- 0

-- How many blocks are read for it: the two or three that have the session, the
-- open one, and 0.4 % of all others.
SELECT count(*) BETWEEN 2 AND 5 + 0.01 * :rows / 4096 FROM span
WHERE bloom_may_match(:session, f);
-- 1

-- Rows in the open block are found at once, and still when it is closed.
INSERT INTO log(session, line) VALUES ('new session', 'GET /');
SELECT line FROM span CROSS JOIN log NOT INDEXED ON id BETWEEN first AND last
WHERE bloom_may_match('new session', f) AND session = 'new session';
-- GET /

INSERT INTO log(session, line)
SELECT 'another ' || id % 50, 'GET /' FROM log WHERE id <= 5000;
INSERT INTO block
SELECT block, bloom_build(session, 12) FROM (
  SELECT DISTINCT id / 4096 AS block, session FROM log
  WHERE id >= (SELECT coalesce(max(block) + 1, 0) * 4096 FROM block)
    AND id < (SELECT max(id) / 4096 * 4096 FROM log))
GROUP BY block;
SELECT line FROM span CROSS JOIN log NOT INDEXED ON id BETWEEN first AND last
WHERE bloom_may_match('new session', f) AND session = 'new session';
-- GET /

-- A few sessions at once: a block is read where one of them may be in it.
CREATE TEMP TABLE suspect(session TEXT PRIMARY KEY);
INSERT INTO suspect
SELECT DISTINCT session FROM log WHERE id IN (1000, 100000, 199000);

CREATE TEMP TABLE found AS
SELECT log.id, log.session
FROM span CROSS JOIN log NOT INDEXED ON id BETWEEN first AND last
WHERE EXISTS (SELECT * FROM suspect WHERE bloom_may_match(session, f))
  AND log.session IN (SELECT session FROM suspect);
SELECT count(DISTINCT session), count(*) = (
    SELECT count(*) FROM log WHERE session IN (SELECT session FROM suspect))
FROM found;
-- 3|1

-- A row that changes, or comes late into a block that is closed: the block goes
-- without a filter, is read by every query, and gets a new filter with the next
-- run of cron. Rows that are deleted need nothing: a filter may hold too much,
-- never too little. (No INSERT OR REPLACE here: in a trigger, the OR IGNORE of
-- the statement that fires it would take its place.)
CREATE TRIGGER log_inserted AFTER INSERT ON log
WHEN NEW.id / 4096 <= (SELECT max(block) FROM block) BEGIN
  UPDATE block SET f = NULL WHERE block = NEW.id / 4096;
  INSERT INTO block SELECT NEW.id / 4096, NULL
  WHERE NOT EXISTS (SELECT * FROM block WHERE block = NEW.id / 4096);
END;
CREATE TRIGGER log_updated AFTER UPDATE OF id, session ON log
WHEN NEW.id / 4096 <= (SELECT max(block) FROM block) BEGIN
  UPDATE block SET f = NULL WHERE block = NEW.id / 4096;
  INSERT INTO block SELECT NEW.id / 4096, NULL
  WHERE NOT EXISTS (SELECT * FROM block WHERE block = NEW.id / 4096);
END;
UPDATE log SET session = 'renamed' WHERE id = 5000;
DELETE FROM log WHERE id = 9000;
INSERT OR IGNORE INTO log VALUES (9000, 'late', 'GET /');
SELECT group_concat(block) FROM block WHERE f IS NULL;
-- 1,2

CREATE TEMP VIEW found_again AS
SELECT log.session, id
FROM span CROSS JOIN log NOT INDEXED ON id BETWEEN first AND last
WHERE (bloom_may_match('renamed', f) AND session = 'renamed')
  OR (bloom_may_match('late', f) AND session = 'late');
SELECT * FROM found_again;
-- renamed|5000
-- late|9000

UPDATE block SET f = (
  SELECT bloom_build(session, 12) FROM (
    SELECT DISTINCT session FROM log
    WHERE id BETWEEN block * 4096 AND block * 4096 + 4095))
WHERE f IS NULL;
SELECT * FROM found_again;
-- renamed|5000
-- late|9000
