-- What made 1.4.db and 1.5.db: filters that bloom_create_parts and
-- bloom_create_blocks of that version made, and rows that came afterwards. In a
-- checkout of the commit that has the file, after make:
--
--   sqlite3 -cmd '.load dist/bloom' 1.5.db < tests/data/1.4.sql
--
-- which SQLite 3.40.1 did. tests/sql/data_1_4.sql asks what they must answer for
-- good; the files are never made again.
PRAGMA page_size = 1024;
CREATE TABLE made(by TEXT, at TEXT);
INSERT INTO made VALUES (bloom_version(), '2026-11-22');

-- ---- Filters in parts: one that has room for all keys, and one that grew.
CREATE TABLE customer(id INTEGER PRIMARY KEY, email TEXT UNIQUE,
  folded TEXT AS (lower(email)), country TEXT NOT NULL DEFAULT 'none');
WITH RECURSIVE number(n) AS (
  SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 300
)
INSERT INTO customer(id, email)
SELECT n, 'Customer' || n || '@example.org' FROM number;
SELECT bloom_create_parts('customer', 'email', 8, 1800);
SELECT bloom_create_parts('customer', 'folded', 4);
SELECT bloom_create_parts('customer', 'country', 4);
CREATE TABLE member(number INTEGER PRIMARY KEY AUTOINCREMENT);
SELECT bloom_create_parts('member', 'number', 6);
WITH RECURSIVE number(n) AS (
  SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 1500
)
INSERT INTO member SELECT NULL FROM number;

-- ---- A filter for each block of rows.
CREATE TABLE log(id INTEGER PRIMARY KEY, session TEXT, line TEXT);
WITH RECURSIVE number(n) AS (
  SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 1000
)
INSERT INTO log SELECT n, 'session ' || (n / 2), 'line ' || n FROM number;
SELECT bloom_create_blocks('log', 'session', 10, 200);

-- ---- Rows that came since.
INSERT INTO customer(email) VALUES ('Inserted@example.org'), (NULL);
INSERT INTO customer(email, country) VALUES ('of@example.org', 'AQ');
UPDATE customer SET email = 'Updated@example.org' WHERE id = 1;
INSERT INTO log VALUES (1250, 'past the end', ''), (2500, 'and on', '');
UPDATE log SET session = 'changed' WHERE id = 100;
DELETE FROM log WHERE id < 20;
