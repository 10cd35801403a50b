-- What made 1.1.db: version 1.1's functions, and the recipes of that version
-- (parts, block_filters, guarded_filter). In a checkout of this repository:
--
--   git worktree add /tmp/1.1 478a29c && make -C /tmp/1.1
--   sqlite3 -cmd '.load /tmp/1.1/dist/bloom' 1.1.db < tests/data/1.1.sql
--
-- which SQLite 3.40.1 did. tests/sql/data_1_1.sql asks what it must answer for
-- good; the file is never made again.
PRAGMA page_size = 1024;
CREATE TABLE made(by TEXT, at TEXT);
INSERT INTO made VALUES (bloom_version(), '2026-11-21');

-- ---- Keys of every type, what the functions said of them, and their filters.
CREATE TABLE value(
  id INTEGER PRIMARY KEY, k, hash INTEGER, part INTEGER, crc INTEGER
);
INSERT INTO value(k) VALUES ('hello'), (''), ('Grüße, 世界'),
  ('a' || char(0) || 'b'), ('01'), (x''), (x'00ff80'), (x'68656c6c6f'), (0),
  (-1), (9223372036854775807), (-9223372036854775808), (1.0), (-0.0), (0.1),
  (-1e300), (9e999), (9223372036854775808.0), (NULL);
UPDATE value
SET hash = leveldb_hash(k), part = bloom_part(k, 1000), crc = crc32c(k);

CREATE TABLE filters(name TEXT PRIMARY KEY, capacity INTEGER, f BLOB NOT NULL);
INSERT INTO filters SELECT 'value', NULL, bloom_build(k) FROM value;
INSERT INTO filters SELECT 'value 500', 500, bloom_build(k, 10, 500) FROM value;
INSERT INTO filters SELECT 'merged', 500, bloom_merge(h) FROM (
  SELECT bloom_open(bloom_build(k, 10, 500)) AS h FROM value GROUP BY id % 3);

-- ---- parts.sql: a filter in parts, kept by triggers.
CREATE TABLE customer(id INTEGER PRIMARY KEY, email TEXT UNIQUE, name TEXT);
WITH RECURSIVE number(n) AS (
  SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 240
)
INSERT INTO customer
SELECT n, 'customer' || n || '@example.org', 'Customer ' || n FROM number;
CREATE VIEW customer_parts AS SELECT 8 AS parts, 60 AS capacity;
CREATE VIEW customer_key AS
WITH RECURSIVE number(part) AS (
  SELECT 0
  UNION ALL
  SELECT part + 1 FROM number, customer_parts WHERE part + 1 < parts
)
SELECT bloom_part(email, parts) AS part, email, capacity
FROM customer, customer_parts WHERE email IS NOT NULL
UNION ALL
SELECT part, NULL, capacity FROM number, customer_parts;
CREATE TABLE customer_filter(part INTEGER PRIMARY KEY, f BLOB NOT NULL);
INSERT INTO customer_filter
SELECT part, bloom_build(email, 10, capacity) FROM customer_key GROUP BY part;
CREATE TRIGGER customer_insert AFTER INSERT ON customer BEGIN
  UPDATE customer_filter SET f = bloom_add(f, NEW.email)
  WHERE part = bloom_part(NEW.email, (SELECT parts FROM customer_parts));
END;
CREATE TRIGGER customer_update AFTER UPDATE OF email ON customer BEGIN
  UPDATE customer_filter SET f = bloom_add(f, NEW.email)
  WHERE part = bloom_part(NEW.email, (SELECT parts FROM customer_parts));
END;
CREATE VIEW customer_overfull AS
SELECT part, bloom_info.keys, false_positive_rate
FROM customer_filter, customer_parts, bloom_info(f)
WHERE bloom_info.keys > capacity;
INSERT INTO customer VALUES (1001, 'inserted@example.org', 'Ida'),
  (1002, NULL, 'Nil');
UPDATE customer SET email = 'updated@example.org' WHERE id = 1;
REPLACE INTO customer VALUES (2, 'replaced@example.org', 'Rea');

-- The joins of that page as views, with one handle for all parts.
CREATE TABLE visit(id INTEGER PRIMARY KEY, email TEXT);
INSERT INTO visit(email) SELECT email FROM customer WHERE id % 10 = 0;
INSERT INTO visit(email) SELECT 'visitor' || id FROM customer;
CREATE VIEW customer_open AS
SELECT bloom_open(part, parts, f) AS h FROM customer_filter, customer_parts;
CREATE VIEW known_visit AS
SELECT visit.id, name FROM visit JOIN customer USING (email)
WHERE bloom_may_match(visit.email, (SELECT h FROM customer_open));

-- ---- block_filters.sql: a filter for each 64 rows of a log.
CREATE TABLE log(
  id INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id >= 0),
  session TEXT,
  line TEXT
);
WITH RECURSIVE number(n) AS (
  SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 300
)
INSERT INTO log SELECT n, 'session' || (n / 7), 'GET /' || n FROM number;
CREATE TABLE block(block INTEGER PRIMARY KEY, f BLOB);
INSERT INTO block
SELECT block, bloom_build(session, 12) FROM (
  SELECT DISTINCT id / 64 AS block, session FROM log
  WHERE id >= (SELECT coalesce(max(block) + 1, 0) * 64 FROM block)
    AND id < (SELECT max(id) / 64 * 64 FROM log))
GROUP BY block;
CREATE VIEW span AS
SELECT block * 64 AS first, block * 64 + 63 AS last, f FROM block
UNION ALL
SELECT coalesce(max(block) + 1, 0) * 64, 9223372036854775807, NULL
FROM block;
CREATE TRIGGER log_inserted AFTER INSERT ON log
WHEN NEW.id / 64 <= (SELECT max(block) FROM block) BEGIN
  UPDATE block SET f = NULL WHERE block = NEW.id / 64;
  INSERT INTO block SELECT NEW.id / 64, NULL
  WHERE NOT EXISTS (SELECT * FROM block WHERE block = NEW.id / 64);
END;
CREATE TRIGGER log_updated AFTER UPDATE OF id, session ON log
WHEN NEW.id / 64 <= (SELECT max(block) FROM block) BEGIN
  UPDATE block SET f = NULL WHERE block = NEW.id / 64;
  INSERT INTO block SELECT NEW.id / 64, NULL
  WHERE NOT EXISTS (SELECT * FROM block WHERE block = NEW.id / 64);
END;
UPDATE log SET session = 'renamed' WHERE id = 70;

-- ---- guarded_filter.sql: a checksum beside a filter.
CREATE TABLE guarded(name TEXT PRIMARY KEY, f BLOB, checksum INTEGER);
INSERT INTO guarded
SELECT 'customer', f, crc32c(f)
FROM (SELECT bloom_build(email) AS f FROM customer);
CREATE VIEW sound_filter AS
SELECT name, CASE WHEN checksum = crc32c(f) THEN f END AS f FROM guarded;

-- ---- A generated column and an index by a part.
CREATE TABLE page(
  url TEXT, part INTEGER AS (bloom_part(url, 16)) STORED,
  crc INTEGER CHECK (crc = crc32c(url))
);
CREATE INDEX page_part ON page(bloom_part(url, 4), leveldb_hash(url));
INSERT INTO page(url, crc) SELECT email, crc32c(email) FROM customer
WHERE id <= 20;
