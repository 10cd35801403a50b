-- Which remedy would save most in a program's log of statements: ANALYZE, an index, a filter that is
-- built in the statement, or a kept one. What it makes and measures belongs in a copy of your
-- database (VACUUM INTO 'copy.db'), with the log in it: a row for each run of a statement, its
-- parameters as JSON, and the milliseconds that it took. How to write one:
--
-- - Django, SQLAlchemy: ext/packaging/python/README.md#a-log-of-statements
-- - better-sqlite3: ext/packaging/npm/README.md#a-log-of-statements
-- - C: sqlite3_trace_v2 with SQLITE_TRACE_PROFILE calls a function of yours with the statement, whose
--   text sqlite3_expanded_sql returns with its values in it, and with the nanoseconds
-- - sqlite3 shell: .trace stderr --profile
-- since: 3.38

.load dist/bloom
CREATE TABLE log(sql TEXT, parameters TEXT, ms REAL);

-- A shop, which was never analysed, and whose invoices have no index.
CREATE TABLE customer(email TEXT PRIMARY KEY, country TEXT);
CREATE TABLE visit(id INTEGER PRIMARY KEY, email TEXT, state TEXT, day INTEGER);
CREATE TABLE invoice(email TEXT, cents INTEGER);
CREATE INDEX visit_state ON visit(state);
CREATE INDEX visit_day ON visit(day);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 10000)
INSERT INTO visit SELECT i, printf('%08x@example.com', leveldb_hash(i)), 'done', i / 10 FROM n;
INSERT INTO customer SELECT 'x' || email, 'NO' FROM visit WHERE id % 2;
INSERT INTO invoice SELECT email, id % 7000 FROM visit WHERE id % 2;
INSERT INTO log VALUES
  ('SELECT count(*) FROM visit WHERE state = ? AND day BETWEEN ? AND 9', '["done", 8]', 9e6),
  ('SELECT count(*) FROM visit WHERE state = ? AND day BETWEEN ? AND 9', '["done", 7]', 9.5e6),
  ('SELECT sum(cents) FROM visit JOIN invoice USING (email) WHERE day > 900', NULL, 1e5),
  ('SELECT count(country) FROM visit JOIN customer USING (email)', NULL, 8e2),
  ('DELETE FROM customer WHERE email IN (SELECT email FROM invoice WHERE cents < ?)', '[9]', 300),
  ('SELECT function_of_the_program(day) FROM visit', NULL, 50);

-- ---- The statements that take longest in all, with the parameters of the slowest run.
CREATE TEMP TABLE workload AS
SELECT row_number() OVER (ORDER BY sum(ms) DESC) AS id, sql, parameters, count(*) AS runs,
  sum(ms) AS all_ms, max(ms)
FROM log GROUP BY sql ORDER BY all_ms DESC LIMIT 20;
SELECT id, runs, parameters, sql FROM workload WHERE id <= 2;
-- 1|2|["done", 7]|SELECT count(*) FROM visit WHERE state = ? AND day BETWEEN ? AND 9
-- 2|1||SELECT sum(cents) FROM visit JOIN invoice USING (email) WHERE day > 900

-- ---- What ANALYZE does. It comes first, because it changes what else pays. Other statements
-- than queries, and those that fail here, such as for a function of the program, are not timed:
-- theirs is the time in the log.
CREATE TEMP TABLE timed(id INTEGER, remedy TEXT, ms REAL);
CREATE TEMP TABLE query AS
SELECT * FROM workload AS w WHERE (sql LIKE 'SELECT%' OR sql LIKE 'WITH%')
  AND (SELECT outcome FROM bloom_advise(w.sql, 1e-9, w.parameters) LIMIT 1) <> 'error';
INSERT INTO timed SELECT id, 'none', plain_ms FROM query AS q, bloom_compare(q.sql, q.sql, q.parameters);
ANALYZE;
INSERT INTO timed SELECT id, 'ANALYZE', plain_ms FROM query AS q, bloom_compare(q.sql, q.sql, q.parameters);
INSERT INTO timed
SELECT id, remedy, all_ms / runs FROM workload, (SELECT column1 AS remedy FROM (VALUES ('none'), ('ANALYZE')))
WHERE id NOT IN (SELECT id FROM timed);

-- ---- What filters do: those that pay, built in the statement, and each if it were kept.
CREATE TEMP TABLE advice AS
SELECT w.id, ms, a.*, substr(advice, instr(advice, 'a kept filter would save the ') + 29) AS builds,
  substr(advice, instr(advice, 'CREATE INDEX ')) AS lacks
FROM workload AS w JOIN timed AS t USING (id), bloom_advise(w.sql, 10, w.parameters) AS a
WHERE remedy = 'ANALYZE';
SELECT id, outcome FROM advice WHERE outcome IS NOT NULL;
-- 1|nothing tried
-- 2|...
-- 3|...
-- 4|...
-- 5|error
INSERT INTO timed SELECT id, 'filters', ms / faster FROM advice WHERE outcome = 'advised';
INSERT INTO timed
SELECT id, 'a kept filter of ' || "set", ms / faster *
  max(1 - CAST(builds AS REAL) / CAST(substr(builds, instr(builds, ' of ') + 4) AS REAL), 0)
FROM advice WHERE advice LIKE '%a kept filter would save%';

-- ---- What the indexes do that SQLite makes for one statement alone.
CREATE TEMP TABLE had AS SELECT name FROM sqlite_master;
.once measure.sql
SELECT printf('%s; INSERT INTO timed SELECT id, %Q, plain_ms FROM query AS q, bloom_compare(q.sql, q.sql, q.parameters)
WHERE id = %d;
.once drop.sql
SELECT printf(''DROP INDEX "%%w";'', name) FROM sqlite_master WHERE type = ''index'' AND name NOT IN (SELECT name FROM had);
.read drop.sql
', make, make, id)
FROM (SELECT id, substr(lacks, 1, instr(lacks, ') m')) AS make FROM advice WHERE lacks LIKE 'CREATE INDEX %');
.read measure.sql

-- ---- The ranking: the milliseconds of the log that each would save, those after ANALYZE beyond it.
CREATE TEMP VIEW ranking AS
SELECT t.id, t.remedy, round(all_ms * (before.ms - t.ms) / none.ms) AS saved_ms
FROM timed AS t JOIN workload AS w ON w.id = t.id
JOIN timed AS none ON none.id = t.id AND none.remedy = 'none'
JOIN timed AS before ON before.id = t.id AND before.remedy = iif(t.remedy = 'ANALYZE', 'none', 'ANALYZE')
WHERE t.remedy <> 'none' ORDER BY saved_ms DESC;
SELECT * FROM ranking LIMIT 2;
-- 1|ANALYZE|...
-- 2|...|...
