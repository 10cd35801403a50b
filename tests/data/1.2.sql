-- What made 1.2.db: the scripts of version 1.2's bloom_parts_sql and
-- bloom_blocks_sql, each run as it was and once without its comments, as
-- Django's RunSQL runs it. In a checkout of this repository:
--
--   git worktree add /tmp/1.2 8e91306 && make -C /tmp/1.2
--   sqlite3 -cmd '.load /tmp/1.2/dist/bloom' 1.2.db < tests/data/1.2.sql
--
-- which SQLite 3.40.1 did. tests/sql/data_1_2.sql asks what it must answer for
-- good; the file is never made again.
PRAGMA page_size = 1024;
CREATE TABLE made(by TEXT, at TEXT);
INSERT INTO made VALUES (bloom_version(), '2026-11-22');

-- ---- A filter in parts, with its comments and without.
CREATE TABLE customer(id INTEGER PRIMARY KEY, email TEXT UNIQUE, name TEXT);
WITH RECURSIVE number(n) AS (
  SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 300
)
INSERT INTO customer
SELECT n, 'customer' || n || '@example.org', 'Customer ' || n FROM number;
CREATE TABLE member(email TEXT PRIMARY KEY);
INSERT INTO member SELECT email FROM customer;

.once /tmp/script.sql
SELECT bloom_parts_sql('customer', 'email', 8);
.read /tmp/script.sql
.once '|sed "s/ *--.*//" > /tmp/script.sql'
SELECT bloom_parts_sql('member', 'email', 2);
.read /tmp/script.sql

-- ---- A filter for each block of rows, with its comments and without.
CREATE TABLE log(id INTEGER PRIMARY KEY, session TEXT, line TEXT);
WITH RECURSIVE number(n) AS (
  SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 1000
)
INSERT INTO log SELECT n, 'session ' || (n / 2), 'line ' || n FROM number;
CREATE TABLE event(id INTEGER PRIMARY KEY, what TEXT);
INSERT INTO event SELECT id, session FROM log;

.once /tmp/script.sql
SELECT bloom_blocks_sql('log', 'session', 10, 200);
.read /tmp/script.sql
.once '|sed "s/ *--.*//" > /tmp/script.sql'
SELECT bloom_blocks_sql('event', 'what', 10, 200);
.read /tmp/script.sql

-- ---- Rows that came since.
INSERT INTO customer(email) VALUES ('inserted@example.org'), (NULL);
UPDATE customer SET email = 'updated@example.org' WHERE id = 1;
INSERT INTO member VALUES ('inserted@example.org');
INSERT INTO log VALUES (1250, 'past the end', ''), (2500, 'and on', '');
UPDATE log SET session = 'changed' WHERE id = 100;
INSERT INTO event VALUES (1250, 'past the end'), (2500, 'and on');
