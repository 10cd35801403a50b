-- A filter for each block of rows: the rows of one session in a log, found
-- without an index on the session. A small filter for every 4,096 rows says
-- which blocks to read, as LevelDB's own filters do for the blocks of a file.
--
-- Worth it where equal keys stand close together, as those of sessions,
-- requests or devices do in a log, and an index would take more space, or more
-- time at each insert, than rare lookups deserve. Of 4 million rows of 200,000
-- sessions, each within some 6,000 rows, the filters take 0.7 MB where the
-- index takes 99. With the same sessions spread at random over the log each
-- block has more keys and each session more blocks: 5.9 MB. It gains nothing
-- where a key is in most blocks.
--
-- 4,096 rows and 12 bits, which the function takes where it is not told: what is
-- read in vain is the share of false positives, whatever the size of a block.
-- Smaller blocks repeat keys, larger ones read more for each session. All
-- measured by build/bench/block_bench dist/bloom, after make benches.
--
--   sqlite3 -cmd '.timer on' -cmd '.parameter set :rows 4000000' \
--     < sql/block_filters.sql
.load dist/bloom
.parameter init
INSERT OR IGNORE INTO sqlite_parameters VALUES (':rows', 200000);

-- The log. A session's rows lie within some 6,000; each session has 20 or so.
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

-- bloom_blocks_sql writes the script that makes the filters and keeps them. The
-- last block stays open; a row past its end closes it.
.once keep_blocks.sql
SELECT bloom_blocks_sql('log', 'session');
.read keep_blocks.sql
SELECT count(*) = :rows / 4096 AS all_but_the_last,
  sum(length(f)) BETWEEN :rows / 7 AND :rows / 5 AS a_bit_or_two_for_each_row
FROM log_session_blocks;
-- 1|1

-- The rows of one session: the query from the script's last lines. CROSS JOIN:
-- the spans first. NOT INDEXED: or SQLite may read the whole log to make an
-- index for this one query.
.parameter set :key "(SELECT session FROM log WHERE id = 100000)"
SELECT count(*) BETWEEN 10 AND 30, min(k.id) > 90000, max(k.id) < 110000
FROM log_session_spans AS s
CROSS JOIN log AS k NOT INDEXED ON k.id BETWEEN s.first AND s.last
WHERE bloom_may_match(:key, s.f) AND k.session = :key;
-- 1|1|1

-- How many blocks are read for it: the two or three that have the session, the
-- open one, ids below 0, and 0.4 % of all others.
SELECT count(*) BETWEEN 3 AND 6 + 0.01 * :rows / 4096 FROM log_session_spans
WHERE bloom_may_match(:key, f);
-- 1

-- A few sessions at once: a block is read where one of them may be in it.
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

-- Rows that come at the end, that close blocks, that come late or change, or
-- move into a block that is closed: all are found.
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

-- Blocks that have got more keys than they were built for, and whatever else is
-- wrong, are told; running the script again builds all anew.
SELECT problem FROM log_session_blocks_check;
.read keep_blocks.sql
SELECT count(DISTINCT session) FROM found;
-- 7
