-- A filter of a table that lives, kept in parts by triggers. SQLite reads and
-- writes a BLOB whole, so one filter of a million keys, 1.25 MB, is the wrong
-- thing to look one key up in, or to add one to. In rows of some 1,000 keys
-- each, both touch 2 KB. It also lets fewer absent keys through than one filter
-- of all keys can: each part has the 32 bits of LevelDB's hash to itself.
--
-- With 1 million keys in memory a lookup of an absent key, one a statement,
-- takes 0.8 us through 1,000 parts, 1.8 by the index, 61 through one filter;
-- where the table is ten times the page cache and not in the system's either,
-- some 1, and 43 to 47 by the index. An insert takes 5 us with the triggers
-- below, 2 without, 200 to 2,000 with a trigger on one filter. Parts of 100
-- keys are as fast, of 10,000 half as fast. (build/bench/parts_bench dist/bloom
-- FILE, after make benches.)
--
-- Worth it where keys come and go one by one, and most lookups are of keys that
-- are not there in a table that is larger than memory. Not worth it for a join
-- that can build its filter in the statement (join.sql), nor where most keys
-- that are looked up are there.
.load dist/bloom

-- The functions are safe in triggers and views of a schema that is not
-- trusted.
PRAGMA trusted_schema = OFF;

CREATE TABLE customer(id INTEGER PRIMARY KEY, email TEXT UNIQUE, name TEXT);
WITH RECURSIVE number(n) AS (
  SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 64000
)
INSERT INTO customer
SELECT n, 'customer' || n || '@example.org', 'Customer ' || n FROM number;

-- ---- Making it

-- How many parts, and how many keys each has room for. Divide the keys by
-- 1,000, and leave room to grow by half or more: parts are chosen by hash, so
-- they are never quite equal. This stands here alone, since a query or a
-- trigger with another number of parts would look for keys where they are not.
CREATE VIEW customer_parts AS SELECT 64 AS parts, 1500 AS capacity;

-- Every key beside its part, and for each part a NULL, which is no key: so each
-- part gets its row, and its capacity, those without keys too.
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

SELECT count(*), min(part), max(part), max(length(f)) FROM customer_filter;
-- 64|0|63|1876

-- ---- Asking it

CREATE TABLE visit(id INTEGER PRIMARY KEY, email TEXT);
WITH RECURSIVE number(n) AS (
  SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 100000
)
INSERT INTO visit
SELECT n, CASE WHEN n % 100 = 0 THEN 'customer' || (n / 2)
               ELSE 'visitor' || n END || '@example.org'
FROM number;

-- A join, by one handle for all parts: bloom_may_match finds a key's part
-- itself. Were a part missing, there twice or out of range, this would be an
-- error that names it.
SELECT count(*), count(DISTINCT name) FROM visit JOIN customer USING (email)
WHERE bloom_may_match(visit.email,
        (SELECT bloom_open(part, parts, f)
         FROM customer_filter, customer_parts));
-- 1000|1000

-- One key: its part is read, and no other. Only if the part matches is the
-- large table looked at.
.parameter init
.parameter set :email "'customer777@example.org'"
SELECT name FROM customer_parts CROSS JOIN customer_filter CROSS JOIN customer
WHERE part = bloom_part(:email, parts) AND bloom_may_match(:email, f)
  AND email = :email;
-- Customer 777

EXPLAIN QUERY PLAN
SELECT name FROM customer_parts CROSS JOIN customer_filter CROSS JOIN customer
WHERE part = bloom_part(:email, parts) AND bloom_may_match(:email, f)
  AND email = :email;
-- QUERY PLAN
-- ...
-- ...SCAN CONSTANT ROW
-- |--SCAN ...
-- |--SEARCH ...customer_filter USING INTEGER PRIMARY KEY (rowid=?)
-- `--SEARCH ...customer USING INDEX sqlite_autoindex_customer_1 (email=?)

-- ---- Keeping it

-- Each new key goes into its part.
CREATE TRIGGER customer_insert AFTER INSERT ON customer BEGIN
  UPDATE customer_filter SET f = bloom_add(f, NEW.email)
  WHERE part = bloom_part(NEW.email, (SELECT parts FROM customer_parts));
END;
CREATE TRIGGER customer_update AFTER UPDATE OF email ON customer BEGIN
  UPDATE customer_filter SET f = bloom_add(f, NEW.email)
  WHERE part = bloom_part(NEW.email, (SELECT parts FROM customer_parts));
END;

-- However a key comes: by INSERT, UPDATE, REPLACE or UPSERT. (UPSERT came with
-- SQLite 3.24.)
INSERT INTO customer VALUES (100001, 'inserted@example.org', 'Ida'),
  (100002, NULL, 'Nil');
UPDATE customer SET email = 'updated@example.org' WHERE id = 1;
REPLACE INTO customer VALUES (2, 'replaced@example.org', 'Rea');
INSERT INTO customer VALUES (3, 'upserted@example.org', 'Uli')
ON CONFLICT(id) DO UPDATE SET email = excluded.email;

-- What is rolled back has not been added: table and filter are one
-- transaction.
BEGIN;
INSERT INTO customer VALUES (100003, 'rolled.back@example.org', 'Rob');
ROLLBACK;

-- May this key be there? A view asks for each key of a list.
CREATE TEMP TABLE asked(email TEXT);
INSERT INTO asked VALUES ('inserted@example.org'), ('updated@example.org'),
  ('replaced@example.org'), ('upserted@example.org'),
  ('rolled.back@example.org');
SELECT asked.email, bloom_may_match(asked.email, f)
FROM asked, customer_parts, customer_filter
WHERE part = bloom_part(asked.email, parts);
-- inserted@example.org|1
-- updated@example.org|1
-- replaced@example.org|1
-- upserted@example.org|1
-- rolled.back@example.org|0

-- A key cannot be taken out of a filter, so a part keeps what was updated or
-- deleted. It grows less selective, never wrong. Those that hold more than they
-- have room for, old keys included:
CREATE VIEW customer_overfull AS
SELECT part, bloom_info.keys, false_positive_rate
FROM customer_filter, customer_parts, bloom_info(f)
WHERE bloom_info.keys > capacity;

SELECT part FROM customer_overfull;

WITH RECURSIVE number(n) AS (
  SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 60000
)
INSERT INTO customer(email)
SELECT 'guest' || n || '@example.net' FROM number
WHERE bloom_part('guest' || n || '@example.net', 64) IN (5, 17);
DELETE FROM customer WHERE email LIKE 'guest%' AND id % 4 > 0;

SELECT part, keys BETWEEN 1600 AND 2100 AS some_1900_keys,
  false_positive_rate > 0.02 AS more_false_positives
FROM customer_overfull;
-- 5|1|1
-- 17|1|1

-- Those are built anew from the keys that are there now, all in one pass over
-- the table. The other parts are not touched.
REPLACE INTO customer_filter
SELECT part, bloom_build(email, 10, capacity) FROM customer_key
WHERE part IN (SELECT part FROM customer_overfull) GROUP BY part;

SELECT part FROM customer_overfull;

-- If all are overfull, the set has outgrown its parts: more of them, all at
-- once. The triggers and queries above take the number from where it stands.
BEGIN;
DROP VIEW customer_parts;
CREATE VIEW customer_parts AS SELECT 128 AS parts, 1500 AS capacity;
DELETE FROM customer_filter;
INSERT INTO customer_filter
SELECT part, bloom_build(email, 10, capacity) FROM customer_key GROUP BY part;
COMMIT;

INSERT INTO customer(email) VALUES ('of.128.parts@example.org');
SELECT part > 63 AS a_new_part, bloom_may_match('of.128.parts@example.org', f)
FROM customer_parts, customer_filter
WHERE part = bloom_part('of.128.parts@example.org', parts);
-- 1|1

-- Through all of this no customer was ever lost.
SELECT count(*) FROM customer
WHERE NOT bloom_may_match(email, (SELECT bloom_open(part, parts, f)
                                  FROM customer_filter, customer_parts));
-- 0

SELECT name FROM customer_parts CROSS JOIN customer_filter CROSS JOIN customer
WHERE part = bloom_part(:email, parts) AND bloom_may_match(:email, f)
  AND email = :email;
-- Customer 777

-- A part that is missing is found by whoever opens all of them. Asked for by
-- number it is no row, so that its keys would look absent: check a copy or a
-- backup by opening it once.
SAVEPOINT damage;
DELETE FROM customer_filter WHERE part = 99;
SELECT bloom_open(part, parts, f) IS NOT NULL
FROM customer_filter, customer_parts;
-- Error: bloom_open: ...part 99...

ROLLBACK TO damage;
RELEASE damage;

SELECT bloom_open(part, parts, f) IS NOT NULL
FROM customer_filter, customer_parts;
-- 1
