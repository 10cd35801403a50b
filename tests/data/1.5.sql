-- What made 1.5.db: filters that bloom_create_parts and bloom_create_blocks of that
-- version made, rows that came afterwards, and what users store themselves. In a
-- checkout of the version, after make:
--
--   rm -f tests/data/1.5.db
--   sqlite3 -cmd '.load dist/bloom' tests/data/1.5.db < tests/data/1.5.sql
--
-- which SQLite 3.40.1 did. tests/sql/data_1_5.sql asks what the file must answer for
-- good. Once the version is published, the file is never made again.
PRAGMA page_size = 1024;
CREATE TABLE made(by TEXT, at TEXT);
INSERT INTO made VALUES (bloom_version(), '2026-11-25');

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

-- ---- What users store: keys of all types with their hashes, filters of them, and
-- functions in a generated column, a CHECK, an index, a view and a trigger.
CREATE TABLE value(k PRIMARY KEY, hash INTEGER AS (leveldb_hash(k)) STORED,
  crc INTEGER CHECK (crc = crc32c(k)));
CREATE INDEX value_hash ON value(leveldb_hash(k, 1));
INSERT INTO value(k, crc) SELECT column1, crc32c(column1) FROM (VALUES (NULL), (0),
  (-1), (9223372036854775807), (-9223372036854775807 - 1), (0.1), (1e300), (-0.25),
  (9007199254740993), ('hello'), (''), ('héllo'), (char(97, 0, 98)), (x''),
  (x'00'), (x'ff00ff'), (zeroblob(1000)), ('a long text of more than 16 bytes'));
CREATE TABLE stored(name TEXT PRIMARY KEY, f BLOB);
INSERT INTO stored SELECT 'whole', bloom_build(k) FROM value
UNION ALL SELECT 'one bit', bloom_build(k, 1) FROM value
UNION ALL SELECT '44 bits', bloom_build(k, 44) FROM value
UNION ALL SELECT 'sized', bloom_build(k, 10, 1000) FROM value
UNION ALL SELECT 'part ' || part, bloom_build(id, 10, 100) FROM customer,
  (SELECT 0 AS part UNION ALL SELECT 1) WHERE bloom_part(id, 2) = part GROUP BY part;
CREATE VIEW known AS SELECT k FROM value WHERE bloom_may_match(k, (
  SELECT bloom_open(f) FROM stored WHERE name = 'sized'));
CREATE TRIGGER value_insert AFTER INSERT ON value BEGIN
  UPDATE stored SET f = bloom_add(f, NEW.k) WHERE name = 'sized';
END;
