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
-- the defaults of bloom_create_blocks. The share of blocks that are read
-- needlessly equals the false positive rate, whatever the size of a block.
-- Smaller blocks store the same key more often; with larger blocks, a query
-- reads more rows for each session. All of this is measured by
-- build/bench/block_bench dist/bloom, after make benches.
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

-- One call makes the filters and keeps them up to date. The last block stays
-- open until a row past its end closes it.
SELECT bloom_create_blocks('log', 'session');
-- log_session_spans

SELECT count(*) = :rows / 4096 AS all_but_the_last,
  sum(length(f)) BETWEEN :rows / 7 AND :rows / 5 AS a_bit_or_two_for_each_row
FROM log_session_blocks;
-- 1|1

-- This query finds the rows of one session.
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

-- bloom_check reports blocks that have received more keys than they were built
-- for, and whatever else is wrong. The same call again rebuilds
-- everything.
SELECT problem FROM bloom_check('log', 'session');
SELECT bloom_create_blocks('log', 'session');
-- log_session_spans

SELECT count(DISTINCT session) FROM found;
-- 7

-- ---- A list of ids, such as the 20 request ids of one trace. A block is read
-- needlessly if the filter lets one of them through, so with a false positive
-- rate of p, N ids let 1 - (1 - p)^N of the other blocks through. For 20 ids
-- this is 6.6 % of them at 12 bits for each key, and 1.0 % at 16.
SELECT bits, round(100 * (1 - q4 * q4 * q4 * q4 * q4), 1) AS percent
FROM (SELECT bits, (1 - p) * (1 - p) * (1 - p) * (1 - p) AS q4
      FROM (SELECT bits, bloom_false_positive_rate(bits, 1000) AS p
            FROM (SELECT 12 AS bits UNION ALL SELECT 16)))
ORDER BY bits;
-- 12|6.6
-- 16|1.0

-- So a list of N ids takes the bits of a rate that is N times smaller. These
-- are the bits with which 20 ids read less than 1 % of the blocks needlessly.
SELECT bloom_bits_per_key(0.01 / 20, 1000);
-- 17

-- The same, counted: 100 lists of 20 ids that no row has, in the closed blocks.
CREATE TEMP TABLE list AS
WITH RECURSIVE number(n) AS (
  SELECT 0 UNION ALL SELECT n + 1 FROM number WHERE n < 1999
)
SELECT n / 20 AS list, printf('absent%08x', leveldb_hash(n)) AS session
FROM number;
CREATE TEMP TABLE wide AS
SELECT block, (SELECT bloom_build_distinct(session, 16) FROM log
               WHERE id BETWEEN block * 4096 AND block * 4096 + 4095) AS f
FROM log_session_blocks WHERE block BETWEEN 1 AND 20;

SELECT round(avg(twelve), 2) BETWEEN 0.04 AND 0.09 AS twelve_bits,
  round(avg(sixteen), 3) BETWEEN 0.002 AND 0.02 AS sixteen_bits
FROM (SELECT max(bloom_may_match(session, narrow.f)) AS twelve,
             max(bloom_may_match(session, wide.f)) AS sixteen
      FROM wide JOIN log_session_blocks AS narrow USING (block)
      CROSS JOIN list GROUP BY block, list);
-- 1|1

-- ---- Retention: old rows are deleted from the front of the log. Their filters
-- may remain, but exclude no row that is still there, so queries stay right.
DELETE FROM log WHERE id BETWEEN 0 AND 60000;
SELECT count(*) = (
    SELECT count(*) FROM log WHERE session IN (SELECT session FROM suspect))
FROM found;
-- 1

-- ---- Ids that are times, such as milliseconds. A block of 4,096 ids is then a
-- few seconds long and may have only a handful of rows, which cost less to read
-- than their filter. Set `rows` to the number of ids that 4,096 rows take. Here
-- 20 rows arrive in a second, so that is 204,800 ids.
CREATE TABLE event(id INTEGER PRIMARY KEY, trace TEXT);
INSERT INTO event
SELECT 1767225600000 + 50 * id, session FROM log WHERE id > 60000;
SELECT CAST(4096.0 * (max(id) - min(id)) / count(*) AS INTEGER) / 1000 AS rows
FROM event;
-- 204

-- When not to use this: where lookups are so frequent that an index pays; where
-- each key is in most blocks, as a customer's is in a log of years; and for
-- lists so long that most blocks match some key of the list (at 16 bits, a list
-- of 1,000 keys reads 40 % of the blocks). For such a list, join the log with a
-- filter of the list, which reads the log once.
