-- What made 1.0.db: version 1.0's functions, and the recipes of that version
-- (triggers, guarded_filter, anti_join, split). In a checkout of this
-- repository:
--
--   git worktree add /tmp/1.0 6fed644 && make -C /tmp/1.0
--   sqlite3 -cmd '.load /tmp/1.0/dist/bloom' 1.0.db < tests/data/1.0.sql
--
-- which SQLite 3.40.1 did. tests/sql/data_1_0.sql asks what it must answer for
-- good; the file is never made again.
PRAGMA page_size = 1024;
CREATE TABLE made(by TEXT, at TEXT);
INSERT INTO made VALUES (bloom_version(), '2026-11-21');

-- ---- Keys of every type, what the functions said of them, and their filters.
CREATE TABLE value(
  id INTEGER PRIMARY KEY, k, hash INTEGER, seeded INTEGER, crc INTEGER,
  masked INTEGER
);
INSERT INTO value(k) VALUES ('hello'), (''), ('Grüße, 世界'),
  ('a' || char(0) || 'b'), ('01'), (x''), (x'00ff80'), (x'68656c6c6f'), (0),
  (-1), (9223372036854775807), (-9223372036854775808), (1.0), (-0.0), (0.1),
  (-1e300), (9e999), (9223372036854775808.0), (NULL);
UPDATE value SET hash = leveldb_hash(k), seeded = leveldb_hash(k, 1),
  crc = crc32c(k), masked = crc32c_mask(crc32c(k));

CREATE TABLE filters(
  name TEXT PRIMARY KEY, bits INTEGER, capacity INTEGER, f BLOB
);
INSERT INTO filters SELECT 'value', 10, NULL, bloom_build(k) FROM value;
INSERT INTO filters SELECT 'value 1', 1, NULL, bloom_build(k, 1) FROM value;
INSERT INTO filters SELECT 'empty', 10, NULL, bloom_build(k) FROM value
WHERE id < 0;
INSERT INTO filters SELECT 'value 44', 44, NULL, bloom_build(k, 44) FROM value;
INSERT INTO filters SELECT 'value 1000', 10, 1000, bloom_build(k, 10, 1000)
FROM value;
INSERT INTO filters SELECT 'merged', 10, 1000, (
  SELECT bloom_merge(f) FROM (
    SELECT bloom_build(k, 10, 1000) AS f FROM value WHERE id < 9
    UNION ALL SELECT bloom_build(k, 10, 1000) FROM value WHERE id >= 9
    UNION ALL SELECT bloom_build(NULL, 10, 1000)));
INSERT INTO filters SELECT 'fixed', 10, 100,
  bloom_add(bloom_add(bloom_build(NULL, 10, 100), leveldb_fixed32(7)),
            leveldb_fixed64(-7));

-- What bloom_info counted, and what filters said of keys that may be absent.
CREATE TABLE info AS
SELECT name, policy, bytes, bloom_info.bits, probes, bits_set, keys
FROM filters, bloom_info(f);
CREATE TABLE asked AS
WITH RECURSIVE number(n) AS (
  SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 200
)
SELECT name, n, bloom_may_match(n, f) AS matched FROM filters, number
WHERE name IN ('value', 'value 1') ORDER BY name, n;

-- ---- triggers.sql: one filter with a capacity, kept by triggers.
CREATE TABLE member(id INTEGER PRIMARY KEY, email TEXT UNIQUE);
INSERT INTO filters SELECT 'member', 10, 500, bloom_build(NULL, 10, 500);
CREATE TRIGGER member_insert AFTER INSERT ON member BEGIN
  UPDATE filters SET f = bloom_add(f, NEW.email) WHERE name = 'member';
END;
CREATE TRIGGER member_update AFTER UPDATE OF email ON member BEGIN
  UPDATE filters SET f = bloom_add(f, NEW.email) WHERE name = 'member';
END;
CREATE VIEW overfull AS
SELECT name, capacity, bloom_info.keys, false_positive_rate
FROM filters, bloom_info(f)
WHERE bloom_info.keys > capacity;
WITH RECURSIVE number(n) AS (
  SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 200
)
INSERT INTO member SELECT n, 'member' || n || '@example.org' FROM number;
UPDATE member SET email = 'moved@example.org' WHERE id = 100;

-- ---- split.sql: four parts, by the hash with another seed; with triggers.
CREATE TABLE split(part INTEGER PRIMARY KEY, f BLOB NOT NULL);
INSERT INTO split
SELECT leveldb_hash(email, 1) >> 30, bloom_build(email, 10, 150)
FROM member GROUP BY 1;
CREATE TRIGGER split_insert AFTER INSERT ON member BEGIN
  UPDATE split SET f = bloom_add(f, NEW.email)
  WHERE part = leveldb_hash(NEW.email, 1) >> 30;
END;
CREATE TRIGGER split_update AFTER UPDATE OF email ON member BEGIN
  UPDATE split SET f = bloom_add(f, NEW.email)
  WHERE part = leveldb_hash(NEW.email, 1) >> 30;
END;

-- ---- guarded_filter.sql: a checksum beside a filter.
CREATE TABLE guarded(name TEXT PRIMARY KEY, f BLOB, checksum INTEGER);
INSERT INTO guarded
SELECT 'member', f, crc32c(f) FROM (SELECT bloom_build(email) AS f FROM member);
CREATE VIEW sound_filter AS
SELECT name, CASE WHEN checksum = crc32c(f) THEN f END AS f FROM guarded;

-- ---- A filter for each 64 rows of a log.
CREATE TABLE log(id INTEGER PRIMARY KEY, session TEXT);
WITH RECURSIVE number(n) AS (
  SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 300
)
INSERT INTO log SELECT n, 'session' || (n / 7) FROM number;
CREATE TABLE block(block INTEGER PRIMARY KEY, f BLOB);
INSERT INTO block
SELECT id / 64, bloom_build(session, 12) FROM log WHERE id < 256 GROUP BY 1;
CREATE VIEW span AS
SELECT block * 64 AS first, block * 64 + 63 AS last, f FROM block
UNION ALL
SELECT coalesce(max(block) + 1, 0) * 64, 9223372036854775807, NULL FROM block;
CREATE TRIGGER log_inserted AFTER INSERT ON log
WHEN NEW.id / 64 <= (SELECT max(block) FROM block) BEGIN
  UPDATE block SET f = NULL WHERE block = NEW.id / 64;
END;

-- ---- Handles in the schema. They were pointers: one that was stored became
-- NULL, which excludes nothing.
CREATE TABLE visit(id INTEGER PRIMARY KEY, email TEXT);
INSERT INTO visit(email) SELECT email FROM member WHERE id % 10 = 0;
INSERT INTO visit(email) SELECT 'visitor' || id FROM member;
CREATE VIEW known_visit AS
SELECT visit.id, visit.email FROM visit JOIN member USING (email)
WHERE bloom_may_match(visit.email, (SELECT bloom_open(f) FROM filters
                                    WHERE name = 'member'));
CREATE VIEW opened AS SELECT name, bloom_open(f) AS handle FROM filters;
CREATE TABLE stored_handle(name TEXT, handle);
INSERT INTO stored_handle SELECT name, bloom_open(f) FROM filters;
CREATE TABLE suspect(id INTEGER PRIMARY KEY, email TEXT);
CREATE TRIGGER visit_suspect AFTER INSERT ON visit
WHEN NOT bloom_may_match(NEW.email, (SELECT bloom_open(f) FROM filters
                                     WHERE name = 'member')) BEGIN
  INSERT INTO suspect(email) VALUES (NEW.email);
END;

-- ---- Functions in a CHECK, a generated column and an index.
CREATE TABLE page(
  url TEXT, body BLOB, crc INTEGER CHECK (crc = crc32c(body)),
  stored INTEGER AS (crc32c_mask(crc)) STORED
);
CREATE INDEX page_hash ON page(leveldb_hash(url));
INSERT INTO page(url, body, crc)
SELECT email, CAST(email AS BLOB), crc32c(CAST(email AS BLOB)) FROM member
WHERE id <= 20;
