-- A filter for each block of rows. This recipe finds the rows of one session in
-- a log without an index on the session. A small filter for every 4,096 rows
-- tells which blocks to read, as LevelDB's own filters do for the blocks of a
-- file.
--
-- Use it where equal keys are close together, as those of sessions, requests or
-- devices are in a log, and where lookups are too rare to justify the space of
-- an index or the time that it adds to each insert. For 4 million rows of
-- 200,000 sessions, each within some 6,000 rows, the filters take 0.7 MB and
-- the index 99 MB. If the same sessions are spread at random over the log, each
-- block has more keys and each session is in more blocks, and the filters take
-- 5.9 MB. The filters gain nothing where a key is in most blocks.
--
-- The blocks have 4,096 rows and the filters 12 bits for each key, which are
-- the defaults of bloom_blocks_sql. The share of blocks that are read in vain
-- is the share of false positives, whatever the size of a block. Smaller blocks
-- repeat keys, and larger ones make a query read more rows for each session.
-- All of this is measured by build/bench/block_bench dist/bloom, after make
-- benches.
--
--   sqlite3 -cmd '.timer on' -cmd '.parameter set :rows 4000000' \
--     < sql/block_filters.sql
-- since: 3.28
.load dist/bloom
.parameter init
INSERT OR IGNORE INTO sqlite_parameters VALUES (':rows', 200000);

-- Each session has about 20 rows in the log, within a span of some 6,000 rows.
CREATE TABLE log(id INTEGER PRIMARY KEY, session TEXT, line TEXT);
WITH RECURSIVE number(id) AS (
  SELECT 1 UNION ALL SELECT id + 1 FROM number WHERE id < :rows
), visit(id, n) AS (
  SELECT id, id / 20 + leveldb_hash(id) % 300 FROM number
)
INSERT INTO log
SELECT id, printf('%08x%08x', leveldb_hash(n), leveldb_hash(n, 1)),
  'GET /page/' || (n % 1000)
FROM visit;

-- bloom_blocks_sql writes the script that makes the filters and keeps them up
-- to date. The last block stays open until a row past its end closes it.
.once keep_blocks.sql
SELECT bloom_blocks_sql('log', 'session');
.read keep_blocks.sql
SELECT count(*) = :rows / 4096 AS all_but_the_last,
  sum(length(f)) BETWEEN :rows / 7 AND :rows / 5 AS a_bit_or_two_for_each_row
FROM log_session_blocks;
-- 1|1

-- This query, from the last lines of the script, finds the rows of one session.
-- CROSS JOIN makes SQLite read the spans first. Without NOT INDEXED, SQLite may
-- read the whole log to make an index for this one query.
.parameter set :key "(SELECT session FROM log WHERE id = 100000)"
SELECT count(*) BETWEEN 10 AND 30, min(k.id) > 90000, max(k.id) < 110000
FROM log_session_spans AS s
CROSS JOIN log AS k NOT INDEXED ON k.id BETWEEN s.first AND s.last
WHERE bloom_may_match(:key, s.f) AND k.session = :key;
-- 1|1|1

-- How many blocks does the query read? It reads the two or three that have the
-- session, the open one, the ids below 0, and 0.4 % of all others.
SELECT count(*) BETWEEN 3 AND 6 + 0.01 * :rows / 4096 FROM log_session_spans
WHERE bloom_may_match(:key, f);
-- 1

-- A query for several sessions reads a block if one of them may be in it.
CREATE TEMP TABLE suspect(session TEXT PRIMARY KEY);
INSERT INTO suspect
SELECT DISTINCT session FROM log WHERE id IN (1000, 100000, 199000);

CREATE TEMP VIEW found AS
SELECT k.id, k.session FROM log_session_spans AS s
CROSS JOIN log AS k NOT INDEXED ON k.id BETWEEN s.first AND s.last
WHERE EXISTS (SELECT * FROM suspect WHERE bloom_may_match(session, s.f))
  AND k.session IN (SELECT session FROM suspect);
SELECT count(DISTINCT session), count(*) = (
    SELECT count(*) FROM log WHERE session IN (SELECT session FROM suspect))
FROM found;
-- 3|1

-- All rows are found: those that are appended, those that close blocks, those
-- that arrive late or change, and those that move into a closed block.
INSERT INTO log(session) VALUES ('new');
INSERT INTO log(session) SELECT 'another ' || id % 50 FROM log WHERE id <= 5000;
UPDATE log SET session = 'renamed' WHERE id = 5000;
DELETE FROM log WHERE id = 9000;
INSERT OR IGNORE INTO log VALUES (9000, 'late', 'GET /');
INSERT INTO log VALUES (-1, 'below 0', 'GET /');
INSERT INTO suspect VALUES ('new'), ('renamed'), ('late'), ('below 0');
SELECT session, id FROM found
WHERE session IN ('new', 'renamed', 'late', 'below 0') ORDER BY id;
-- below 0|-1
-- renamed|5000
-- late|9000
-- new|...

-- The check view reports blocks that have received more keys than they were
-- built for, and whatever else is wrong. Running the script again rebuilds
-- everything.
SELECT problem FROM log_session_blocks_check;
.read keep_blocks.sql
SELECT count(DISTINCT session) FROM found;
-- 7
