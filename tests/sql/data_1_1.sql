-- A database that version 1.1 made (tests/data/1.1.sql), as every later version
-- must find it: the same bytes, the same answers, triggers and views that go
-- on. It is copied into memory, so the file stays as 1.1 left it.
-- since: 3.31
.load dist/bloom
.restore tests/data/1.1.db

SELECT by FROM made;
-- 1.1.0

PRAGMA integrity_check;
-- ok

-- ---- The answers are those of that version.

SELECT count(*), count(part) FROM value;
-- 19|18

SELECT id FROM value
WHERE hash IS NOT leveldb_hash(k) OR part IS NOT bloom_part(k, 1000)
  OR crc IS NOT crc32c(k);

-- ---- A filter that is built from the same keys has the same bytes as the
-- stored one.

SELECT f = (SELECT bloom_build(k) FROM value) FROM filters
WHERE name = 'value';
-- 1

SELECT count(*) FROM filters WHERE name IN ('value 500', 'merged')
  AND f = (SELECT bloom_build(k, 10, 500) FROM value);
-- 2

SELECT k FROM value, filters WHERE NOT bloom_may_match(k, f);

-- A part also keeps the keys that were updated or replaced.
CREATE TEMP TABLE old_key(email TEXT);
INSERT INTO old_key VALUES ('customer1@example.org'), ('customer2@example.org');
SELECT count(*), sum(f = (
    SELECT bloom_build(email, 10, 60) FROM (
      SELECT email FROM customer_key WHERE customer_key.part = c.part
      UNION ALL SELECT email FROM old_key WHERE bloom_part(email, 8) = c.part)))
FROM customer_filter AS c;
-- 8|8

-- ---- The checksum beside a filter agrees with it, and finds damage.

SELECT name, checksum = crc32c(f), f = (SELECT bloom_build(email) FROM customer)
FROM guarded;
-- customer|1|1

SAVEPOINT damage;
UPDATE guarded SET f = bloom_add(f, 'another@example.org');
SELECT name, f IS NULL FROM sound_filter;
-- customer|1

ROLLBACK TO damage;
RELEASE damage;
SELECT count(*) FROM customer
WHERE bloom_may_match(email, (SELECT bloom_open(f) FROM sound_filter));
-- 241

-- ---- Filters in parts: the views, one key at a time, the triggers.

SELECT typeof(h) FROM customer_open;
-- integer

SELECT count(*), max(name) FROM known_visit;
-- 24|Customer 90

.parameter init
.parameter set :email "'customer77@example.org'"
SELECT name FROM customer_parts CROSS JOIN customer_filter CROSS JOIN customer
WHERE part = bloom_part(:email, parts) AND bloom_may_match(:email, f)
  AND email = :email;
-- Customer 77

INSERT INTO customer VALUES (2001, 'later@example.org', 'Lea'),
  (2002, NULL, 'Nix');
UPDATE customer SET email = 'moved@example.org' WHERE id = 3;
REPLACE INTO customer VALUES (4, 'taken@example.org', 'Tia');
SELECT count(email),
  sum(bloom_may_match(email, (SELECT h FROM customer_open))),
  sum(bloom_may_match(email, (SELECT f FROM customer_filter
                              WHERE part = bloom_part(email, 8))))
FROM customer;
-- 242|242|242

SELECT bloom_may_match('absent' || n, h) FROM customer_open,
  (SELECT 1 AS n UNION ALL SELECT 2 UNION ALL SELECT 3);
-- 0
-- 0
-- 0

WITH RECURSIVE number(n) AS (
  SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 1000
)
INSERT INTO customer(email)
SELECT 'guest' || n || '@example.net' FROM number
WHERE bloom_part('guest' || n || '@example.net', 8) = 5;
SELECT part FROM customer_overfull;
-- 5

DELETE FROM customer WHERE email LIKE 'guest%';
REPLACE INTO customer_filter
SELECT part, bloom_build(email, 10, capacity) FROM customer_key
WHERE part IN (SELECT part FROM customer_overfull) GROUP BY part;
SELECT part FROM customer_overfull;

SELECT count(*) FROM customer
WHERE bloom_may_match(email, (SELECT h FROM customer_open));
-- 242

SAVEPOINT damage;
DELETE FROM customer_filter WHERE part = 7;
SELECT count(*) FROM known_visit;
-- Error: bloom_open: part 7 of 8 is missing (rows: 7)

ROLLBACK TO damage;
RELEASE damage;

-- ---- Blocks of a log: views, triggers, closing them.

SELECT count(*), count(f), sum(f = (
    SELECT bloom_build(DISTINCT session) FROM log WHERE id / 64 = block)),
  sum(f = (SELECT bloom_build(session, 12) FROM (
             SELECT DISTINCT session FROM log WHERE id / 64 = block)))
FROM block;
-- 4|3|0|3

SELECT id FROM span CROSS JOIN log NOT INDEXED ON id BETWEEN first AND last
WHERE bloom_may_match('renamed', f) AND session = 'renamed';
-- 70

SELECT count(*) FROM span CROSS JOIN log NOT INDEXED
  ON id BETWEEN first AND last
WHERE bloom_may_match('session20', f) AND session = 'session20';
-- 7

UPDATE block SET f = (
  SELECT bloom_build(session, 12) FROM (
    SELECT DISTINCT session FROM log
    WHERE id BETWEEN block * 64 AND block * 64 + 63))
WHERE f IS NULL;
DELETE FROM log WHERE id = 130;
INSERT OR IGNORE INTO log VALUES (130, 'late', '');
UPDATE log SET session = 'changed' WHERE id = 10;
SELECT group_concat(block) FROM block WHERE f IS NULL;
-- 0,2

INSERT INTO log(session) SELECT 'another' || id % 5 FROM log WHERE id < 100;
INSERT INTO block
SELECT block, bloom_build(session, 12) FROM (
  SELECT DISTINCT id / 64 AS block, session FROM log
  WHERE id >= (SELECT coalesce(max(block) + 1, 0) * 64 FROM block)
    AND id < (SELECT max(id) / 64 * 64 FROM log))
GROUP BY block;
SELECT max(block), count(f) FROM block;
-- 5|4

SELECT count(*) FROM log AS l
WHERE NOT EXISTS (SELECT * FROM span CROSS JOIN log NOT INDEXED
                    ON id BETWEEN first AND last
                  WHERE bloom_may_match(l.session, f) AND id = l.id);
-- 0

-- ---- A generated column, a CHECK, an index.

INSERT INTO page(url, crc) VALUES ('a', 1);
-- Error: CHECK constraint failed: ...

INSERT INTO page(url, crc) VALUES ('a', crc32c('a'));
SELECT count(*), sum(part = bloom_part(url, 16)) FROM page;
-- 21|21

SELECT url FROM page
WHERE bloom_part(url, 4) = bloom_part('a', 4)
  AND leveldb_hash(url) = leveldb_hash('a');
-- a

PRAGMA integrity_check;
-- ok
