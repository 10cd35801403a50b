-- Mistakes that give wrong answers without an error, or gain nothing, each with
-- its remedy.
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

-- ---- A stale filter loses rows: a key that was inserted after the filter was
-- built is not in it.
INSERT INTO customer VALUES ('visitor1', 'Ann'), ('visitor2', 'Bo');
SELECT count(*) FROM visit JOIN customer USING (email);
-- 402

SELECT count(*) FROM visit JOIN customer USING (email)
WHERE bloom_may_match(visit.email, (SELECT bloom_open(f) FROM filters WHERE name = 'customer'));
-- 400

-- A filter that is built in the statement is always up to date.
SELECT count(*) FROM visit JOIN customer USING (email)
WHERE bloom_may_match(visit.email, (SELECT bloom_open(bloom_build(email)) FROM customer));
-- 402

-- A stored filter is either kept up to date by the triggers of
-- bloom_create_parts (sql/parts.sql), or rebuilt with each change of its table.
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

-- ---- A misspelt name finds no filter, so nothing is filtered: the answer is
-- right, but takes as long as without a filter.
SELECT count(*) FROM visit JOIN customer USING (email)
WHERE bloom_may_match(visit.email, (SELECT bloom_open(f) FROM filters WHERE name = 'custmer'));
-- 403

-- To notice this, count the rows that pass. With the filter, hardly more rows
-- pass than have a partner; without it, all do.
SELECT sum(bloom_may_match(email, (SELECT bloom_open(f) FROM filters WHERE name = 'customer'))) BETWEEN 403 AND 1000,
  sum(bloom_may_match(email, (SELECT bloom_open(f) FROM filters WHERE name = 'custmer'))) = count(*)
FROM visit;
-- 1|1

-- If the filter is joined instead, a misspelt name shows at once: without a
-- filter there are no rows. LIMIT keeps SQLite from merging the subquery into
-- the query, which would open the filter for each row.
SELECT count(*) FROM (SELECT bloom_open(f) AS f FROM filters WHERE name = 'custmer' LIMIT 1) CROSS JOIN visit JOIN customer USING (email)
WHERE bloom_may_match(visit.email, f);
-- 0

SELECT count(*) FROM (SELECT bloom_open(f) AS f FROM filters WHERE name = 'customer' LIMIT 1) CROSS JOIN visit JOIN customer USING (email)
WHERE bloom_may_match(visit.email, f);
-- 403

-- ---- A filter that is a column of a joined table gives the right answer, but
-- is slower than no filter, because SQLite up to 3.42 reads the BLOB again for
-- each row. (bloom_open does not help there: it would open the filter again for
-- each row.) A scalar subquery is read only once.
SELECT count(*) FROM filters JOIN visit JOIN customer USING (email)
WHERE filters.name = 'customer' AND bloom_may_match(visit.email, f);
-- 403

SELECT count(*) FROM visit JOIN customer USING (email)
WHERE bloom_may_match(visit.email, (SELECT bloom_open(f) FROM filters WHERE name = 'customer'));
-- 403

-- The query plans differ: the first has a loop over filters, the second a
-- subquery outside the loop.
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

-- ---- Order: SQLite tests the conditions in the order in which they are
-- written. After the IN, the filter is probed only for rows that were looked up
-- already, and so gains nothing. (Here no row is left, so that it is never
-- probed: a probe would be an error.)
SELECT count(*) FROM visit WHERE email IN (SELECT email FROM customer WHERE name = 'nobody') AND bloom_may_match(email, 'no filter');
-- 0

-- Before the IN, the filter is probed for each row, and IN looks up only the
-- rows that pass.
SELECT count(*) FROM visit WHERE bloom_may_match(email, 'no filter') AND email IN (SELECT email FROM customer WHERE name = 'nobody');
-- Error: bloom_may_match: filter must be a BLOB or a bloom_open() handle, got TEXT 'no filter' (bind a filter as a BLOB; x'...' is one written in hex, and readfile() reads one from a file)

SELECT count(*) FROM visit
WHERE bloom_may_match(email, (SELECT bloom_open(bloom_build(email)) FROM customer)) AND email IN (SELECT email FROM customer);
-- 403

-- ---- LEFT JOIN: in the WHERE, the filter drops rows that LEFT JOIN should
-- keep. Put it in the ON.
SELECT count(*), count(name) FROM visit LEFT JOIN customer USING (email);
-- 20000|403

SELECT count(*) < 1000, count(name) FROM visit LEFT JOIN customer USING (email)
WHERE bloom_may_match(visit.email, (SELECT bloom_open(bloom_build(email)) FROM customer));
-- 1|403

SELECT count(*), count(name) FROM visit LEFT JOIN customer
ON visit.email = customer.email AND bloom_may_match(visit.email, (SELECT bloom_open(bloom_build(email)) FROM customer));
-- 20000|403

-- ---- NOT bloom_may_match alone, as a test for new keys, misses new keys that
-- happen to be false positives.
SELECT count(*) FROM visit WHERE email NOT IN (SELECT email FROM customer);
-- 19597

SELECT count(*) BETWEEN 19200 AND 19590 FROM visit
WHERE NOT bloom_may_match(email, (SELECT bloom_open(bloom_build(email)) FROM customer));
-- 1

-- With a lookup of the keys that match, it finds all of them.
SELECT count(*) FROM visit
WHERE NOT bloom_may_match(email, (SELECT bloom_open(bloom_build(email)) FROM customer))
  OR NOT EXISTS (SELECT * FROM customer WHERE customer.email = visit.email);
-- 19597

-- ---- Over an empty table, capacity and bits_per_key have no effect, because
-- an aggregate without rows never gets its arguments. A constant NULL as key,
-- or a row with a NULL, passes them.
CREATE TABLE empty(k TEXT);
SELECT length(bloom_build(k, 16, 1000)), length(bloom_build(NULL, 16, 1000)) FROM empty;
-- 9|9

SELECT length(bloom_build(NULL, 16, 1000)), (SELECT length(bloom_build(k, 16, 1000)) FROM (SELECT k FROM empty UNION ALL SELECT NULL));
-- 2001|2001

-- ---- bloom_build(a, b) does not make a filter of two columns: b is
-- bits_per_key. In most cases that is an error.
CREATE TABLE stock(warehouse TEXT, shelf INTEGER);
INSERT INTO stock VALUES ('EU', 7), ('EU', 8), ('US', 7);
SELECT bloom_build(shelf, warehouse) FROM stock;
-- Error: bloom_build: bits_per_key must be an integer from 1 to 100 (bits for each key, not in total), got TEXT 'EU'

SELECT bloom_build(warehouse, shelf) FROM stock;
-- Error: bloom_build: bits_per_key must be the same in every row of a group, got 8 after 7

-- If b is the same small number in all rows, there is no error, and the key has
-- only the first column. Combine the columns into one text instead.
SELECT bloom_may_match('EU', bloom_build(warehouse, shelf)) FROM stock WHERE shelf = 7;
-- 1

SELECT bloom_may_match(quote('EU') || ',' || quote(8), f), bloom_may_match(quote('US') || ',' || quote(8), f)
FROM (SELECT bloom_build(quote(warehouse) || ',' || quote(shelf)) AS f FROM stock);
-- 1|0

-- ---- With DISTINCT, an aggregate takes only one argument. To pass
-- bits_per_key as well, use a subquery, or bloom_build_distinct.
SELECT length(bloom_build(DISTINCT email, 16)) FROM visit;
-- Error: ...DISTINCT aggregates must have exactly one argument

SELECT length(bloom_build(email, 16)) FROM (SELECT DISTINCT email FROM visit WHERE id <= 1000);
-- 2001

-- ---- A statement that queries the table that it changes. It reads the filter
-- once, when it begins, so the keys that it writes itself are not in the
-- filter. The first UPDATE below uses no filter and is right; the next two are
-- wrong.
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

-- The form for a single key reads its part for each row, and is right.
ROLLBACK TO before;
UPDATE item SET key = (SELECT CASE
    WHEN bloom_may_match(w.key, (SELECT f FROM item_key_part WHERE part = bloom_part(w.key, parts)))
      AND EXISTS (SELECT 1 FROM item AS i WHERE i.key = w.key) THEN 'found' ELSE w.key END
  FROM wish AS w WHERE w.id = item.id);
SELECT group_concat(key) FROM item;
-- new,found,found

ROLLBACK TO before;
RELEASE before;

-- ---- A filter of another set. One query counts the rows that any filter
-- loses. Here it counts them for the right filter, for one part in place of all
-- parts, for a misspelt column in double quotes, which SQLite takes for a
-- string, and for a filter whose WHERE is narrower. Last, a BLOB and its hex
-- text are different keys.
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

-- ---- NOT with a filter that is NULL: bloom_may_match excludes nothing then,
-- so NOT bloom_may_match excludes everything.
SELECT count(*) FROM visit WHERE NOT bloom_may_match(email, (SELECT f FROM filters WHERE name = 'custmer'));
-- 0
