-- What goes wrong in silence, or is slow for nothing, each beside its remedy.
.load dist/bloom
.nullvalue NULL

CREATE TABLE customer(email TEXT PRIMARY KEY, name TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
INSERT INTO customer SELECT 'customer' || i, 'Name ' || i FROM n;
CREATE TABLE visit(id INTEGER PRIMARY KEY, email TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
INSERT INTO visit SELECT i, CASE WHEN i % 50 = 0 THEN 'customer' || (i / 50) ELSE 'visitor' || i END FROM n;
CREATE TABLE filters(name TEXT PRIMARY KEY, f BLOB NOT NULL);
INSERT INTO filters SELECT 'customer', bloom_build(email) FROM customer;

SELECT count(*) FROM visit JOIN customer USING (email);
-- 400

-- ---- A stale filter loses rows: keys that came after it was built are not in
-- it.
INSERT INTO customer VALUES ('visitor1', 'Ann'), ('visitor2', 'Bo');
SELECT count(*) FROM visit JOIN customer USING (email);
-- 402

SELECT count(*) FROM visit JOIN customer USING (email)
WHERE bloom_may_match(visit.email, (SELECT bloom_open(f) FROM filters WHERE name = 'customer'));
-- 400

-- Built in the statement it is always fresh.
SELECT count(*) FROM visit JOIN customer USING (email)
WHERE bloom_may_match(visit.email, (SELECT bloom_open(bloom_build(email)) FROM customer));
-- 402

-- Stored, it is kept by bloom_create_parts (sql/parts.sql), or built again with
-- each change of its table.
SELECT bloom_create_parts('customer', 'email');
-- customer_email_filter

INSERT INTO customer VALUES ('visitor3', 'Cy');
UPDATE customer SET email = 'visitor4' WHERE name = 'Ann';
SELECT count(*) FROM visit JOIN customer USING (email)
WHERE bloom_may_match(visit.email, (SELECT filter FROM customer_email_filter));
-- 403

UPDATE filters SET f = (SELECT bloom_build(email) FROM customer) WHERE name = 'customer';
SELECT count(*) FROM visit JOIN customer USING (email)
WHERE bloom_may_match(visit.email, (SELECT bloom_open(f) FROM filters WHERE name = 'customer'));
-- 403

-- ---- A misspelt name is no row, a NULL, and filters nothing: the answer is
-- right, and as slow as without a filter.
SELECT count(*) FROM visit JOIN customer USING (email)
WHERE bloom_may_match(visit.email, (SELECT bloom_open(f) FROM filters WHERE name = 'custmer'));
-- 403

-- To see it, count what passes: hardly more than find a partner, or everything.
SELECT sum(bloom_may_match(email, (SELECT bloom_open(f) FROM filters WHERE name = 'customer'))) BETWEEN 403 AND 1000,
  sum(bloom_may_match(email, (SELECT bloom_open(f) FROM filters WHERE name = 'custmer'))) = count(*)
FROM visit;
-- 1|1

-- To make it show by itself, join the filter: no filter, no rows. LIMIT keeps
-- SQLite from taking the subquery apart and opening the filter for each row.
SELECT count(*) FROM (SELECT bloom_open(f) AS f FROM filters WHERE name = 'custmer' LIMIT 1) CROSS JOIN visit JOIN customer USING (email)
WHERE bloom_may_match(visit.email, f);
-- 0

SELECT count(*) FROM (SELECT bloom_open(f) AS f FROM filters WHERE name = 'customer' LIMIT 1) CROSS JOIN visit JOIN customer USING (email)
WHERE bloom_may_match(visit.email, f);
-- 403

-- ---- The filter as a column of a joined table: right, and slower than no
-- filter, since SQLite up to 3.42 reads the BLOB again for each row. (bloom_open
-- there is no help: it would open the filter again for each row.) A scalar
-- subquery is read once.
SELECT count(*) FROM filters JOIN visit JOIN customer USING (email)
WHERE filters.name = 'customer' AND bloom_may_match(visit.email, f);
-- 403

SELECT count(*) FROM visit JOIN customer USING (email)
WHERE bloom_may_match(visit.email, (SELECT bloom_open(f) FROM filters WHERE name = 'customer'));
-- 403

-- The plans tell them apart: a loop over filters, or a subquery beside the loops.
EXPLAIN QUERY PLAN SELECT count(*) FROM filters CROSS JOIN visit
WHERE filters.name = 'customer' AND bloom_may_match(visit.email, f);
-- QUERY PLAN
-- |--SEARCH ...filters USING INDEX sqlite_autoindex_filters_1 (name=?)
-- `--SCAN ...visit

EXPLAIN QUERY PLAN SELECT count(*) FROM visit
WHERE bloom_may_match(visit.email, (SELECT bloom_open(f) FROM filters WHERE name = 'customer'));
-- QUERY PLAN
-- |--SCAN ...visit
-- `--SCALAR SUBQUERY...
--    `--SEARCH ...filters USING INDEX sqlite_autoindex_filters_1 (name=?)

-- ---- Order: conditions are tested as they are written. After the IN the
-- filter is asked only of rows that have been looked up already, which gains
-- nothing: here it is never asked, or it would be an error.
SELECT count(*) FROM visit WHERE email IN (SELECT email FROM customer WHERE name = 'nobody') AND bloom_may_match(email, 'no filter');
-- 0

-- Before it, the filter is asked of each row, and the IN of those that pass.
SELECT count(*) FROM visit WHERE bloom_may_match(email, 'no filter') AND email IN (SELECT email FROM customer WHERE name = 'nobody');
-- Error: bloom_may_match: filter must be a BLOB or a bloom_open() handle, got TEXT 'no filter' (bind a filter as a BLOB; x'...' is one written in hex, and readfile() reads one from a file)

SELECT count(*) FROM visit
WHERE bloom_may_match(email, (SELECT bloom_open(bloom_build(email)) FROM customer)) AND email IN (SELECT email FROM customer);
-- 403

-- ---- LEFT JOIN: in the WHERE the filter drops the rows that the LEFT keeps. It
-- belongs into the ON.
SELECT count(*), count(name) FROM visit LEFT JOIN customer USING (email);
-- 20000|403

SELECT count(*) < 1000, count(name) FROM visit LEFT JOIN customer USING (email)
WHERE bloom_may_match(visit.email, (SELECT bloom_open(bloom_build(email)) FROM customer));
-- 1|403

SELECT count(*), count(name) FROM visit LEFT JOIN customer
ON visit.email = customer.email AND bloom_may_match(visit.email, (SELECT bloom_open(bloom_build(email)) FROM customer));
-- 20000|403

-- ---- NOT bloom_may_match alone takes the new keys that are false positives for
-- known ones.
SELECT count(*) FROM visit WHERE email NOT IN (SELECT email FROM customer);
-- 19597

SELECT count(*) BETWEEN 19200 AND 19590 FROM visit
WHERE NOT bloom_may_match(email, (SELECT bloom_open(bloom_build(email)) FROM customer));
-- 1

-- With the lookup behind it, it finds them all.
SELECT count(*) FROM visit
WHERE NOT bloom_may_match(email, (SELECT bloom_open(bloom_build(email)) FROM customer))
  OR NOT EXISTS (SELECT * FROM customer WHERE customer.email = visit.email);
-- 19597

-- ---- Over an empty table capacity is not seen, nor are bits: an aggregate
-- without rows has no arguments.
CREATE TABLE empty(k TEXT);
SELECT length(bloom_build(k, 16, 1000)), length(bloom_build(NULL, 16, 1000)) FROM empty;
-- 9|9

SELECT length(bloom_build(NULL, 16, 1000)), (SELECT length(bloom_build(k, 16, 1000)) FROM (SELECT k FROM empty UNION ALL SELECT NULL));
-- 2001|2001

-- ---- bloom_build(a, b) is no filter of two columns: b is bits_per_key. Most
-- often that is an error.
CREATE TABLE stock(warehouse TEXT, shelf INTEGER);
INSERT INTO stock VALUES ('EU', 7), ('EU', 8), ('US', 7);
SELECT bloom_build(shelf, warehouse) FROM stock;
-- Error: bloom_build: bits_per_key must be an integer from 1 to 100 (bits for each key, not in total), got TEXT 'EU'

SELECT bloom_build(warehouse, shelf) FROM stock;
-- Error: bloom_build: bits_per_key must be the same in every row of a group, got 8 after 7

-- Where it is one small number in all rows, it is none, and the key has one
-- column.
SELECT bloom_may_match('EU', bloom_build(warehouse, shelf)) FROM stock WHERE shelf = 7;
-- 1

SELECT bloom_may_match(quote('EU') || ',' || quote(8), f), bloom_may_match(quote('US') || ',' || quote(8), f)
FROM (SELECT bloom_build(quote(warehouse) || ',' || quote(shelf)) AS f FROM stock);
-- 1|0

-- ---- DISTINCT takes one argument. For other bits, a subquery.
SELECT length(bloom_build(DISTINCT email, 16)) FROM visit;
-- Error: ...DISTINCT aggregates must have exactly one argument

SELECT length(bloom_build(email, 16)) FROM (SELECT DISTINCT email FROM visit WHERE id <= 1000);
-- 2001

-- ---- A statement that asks about the table that it changes: the filter is read
-- once, when it begins, so keys that it writes itself are not in it.
CREATE TABLE item(id INTEGER PRIMARY KEY, key TEXT);
INSERT INTO item VALUES (1, 'a'), (2, 'b'), (3, 'c');
CREATE TABLE wish(id INTEGER PRIMARY KEY, key TEXT);
INSERT INTO wish VALUES (1, 'new'), (2, 'new'), (3, 'new');
SELECT bloom_create_parts('item', 'key');
-- item_key_filter

SAVEPOINT before;
UPDATE item SET key = (SELECT CASE
    WHEN 1
      AND EXISTS (SELECT 1 FROM item AS i WHERE i.key = w.key) THEN 'found' ELSE w.key END
  FROM wish AS w WHERE w.id = item.id);
SELECT group_concat(key) FROM item;
-- new,found,found

ROLLBACK TO before;
UPDATE item SET key = (SELECT CASE
    WHEN bloom_may_match(w.key, (SELECT filter FROM item_key_filter))
      AND EXISTS (SELECT 1 FROM item AS i WHERE i.key = w.key) THEN 'found' ELSE w.key END
  FROM wish AS w WHERE w.id = item.id);
SELECT group_concat(key) FROM item;
-- new,new,new

ROLLBACK TO before;
UPDATE item SET key = (SELECT CASE
    WHEN bloom_may_match(w.key, (SELECT bloom_open(bloom_build(key)) FROM item))
      AND EXISTS (SELECT 1 FROM item AS i WHERE i.key = w.key) THEN 'found' ELSE w.key END
  FROM wish AS w WHERE w.id = item.id);
SELECT group_concat(key) FROM item;
-- new,new,new

-- The form for one key is read for each row.
ROLLBACK TO before;
UPDATE item SET key = (SELECT CASE
    WHEN bloom_may_match(w.key, (SELECT f FROM item_key_part WHERE part = bloom_part(w.key, parts)))
      AND EXISTS (SELECT 1 FROM item AS i WHERE i.key = w.key) THEN 'found' ELSE w.key END
  FROM wish AS w WHERE w.id = item.id);
SELECT group_concat(key) FROM item;
-- new,found,found

ROLLBACK TO before;
RELEASE before;

-- ---- A filter of another set. The one query that tells for any filter how many
-- rows it loses: for a part in place of the whole, for a column that is
-- misspelt in double quotes, which SQLite takes for a string, for a narrower
-- WHERE, for hex text of BLOBs.
SELECT count(*) FROM customer WHERE NOT bloom_may_match(email, (SELECT filter FROM customer_email_filter));
-- 0

SELECT bloom_create_parts('customer', 'email', 10, 5000);
-- customer_email_filter

SELECT count(*) > 500 FROM customer WHERE NOT bloom_may_match(email, (SELECT f FROM customer_email_parts LIMIT 1));
-- 1

SELECT count(*) > 900 FROM customer WHERE NOT bloom_may_match(email, (SELECT bloom_open(bloom_build("emial")) FROM customer));
-- 1

SELECT count(*) > 800 FROM customer WHERE NOT bloom_may_match(email, (SELECT bloom_open(bloom_build(email)) FROM customer WHERE name < 'Name 2'));
-- 1

SELECT bloom_may_match(x'68656c6c6f', bloom_build(hex(x'68656c6c6f'))), bloom_may_match(hex(x'68656c6c6f'), bloom_build(hex(x'68656c6c6f')));
-- 0|1

-- ---- NOT around a filter that is NULL: a filter that excludes nothing then
-- excludes everything.
SELECT count(*) FROM visit WHERE NOT bloom_may_match(email, (SELECT f FROM filters WHERE name = 'custmer'));
-- 0
