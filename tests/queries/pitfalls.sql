-- Mistakes that give wrong answers without an error, or gain nothing, each with
-- its remedy: the rows of sql/lost_rows.md. "Order" is about a sentence of
-- sql/README.md, and the errors are those of sql/questions.md.
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

-- A filter that is stored, and one that is built in the statement.
CREATE TEMP VIEW stored AS SELECT (SELECT bloom_open(f) FROM filters WHERE name = 'customer') AS f;
CREATE TEMP VIEW fresh AS SELECT (SELECT bloom_open(bloom_build(email)) FROM customer) AS f;

-- ---- A stale filter loses rows: a key that was inserted after the filter was
-- built is not in it. One that is built in the statement is always up to date.
INSERT INTO customer VALUES ('visitor1', 'Ann'), ('visitor2', 'Bo');
SELECT count(*), sum(bloom_may_match(email, stored.f)), sum(bloom_may_match(email, fresh.f))
FROM stored, fresh, visit JOIN customer USING (email);
-- 402|400|402

-- A stored filter is either kept up to date by the triggers of
-- bloom_create_parts (sql/parts.sql), or rebuilt with each change of its table.
SELECT bloom_create_parts('customer', 'email');
-- customer_email_filter

INSERT INTO customer VALUES ('visitor3', 'Cy');
UPDATE customer SET email = 'visitor4' WHERE name = 'Ann';
UPDATE filters SET f = (SELECT bloom_build(email) FROM customer) WHERE name = 'customer';

SELECT count(*), sum(bloom_may_match(email, (SELECT filter FROM customer_email_filter))),
  sum(bloom_may_match(email, f))
FROM stored, visit JOIN customer USING (email);
-- 403|403|403

-- ---- A misspelt name finds no filter, so nothing is filtered: the answer is
-- right, but takes as long as without a filter. To notice this, count the rows that
-- pass: with the filter, hardly more than have a match.
-- each: custmer => 20000 | customer => 587
SELECT (SELECT count(*) FROM visit JOIN customer USING (email) WHERE bloom_may_match(email, f)),
  (SELECT count(*) FROM visit WHERE bloom_may_match(email, f))
FROM (SELECT (SELECT bloom_open(f) FROM filters WHERE name = '{1}') AS f);
-- 403|{2}

-- If the filter is joined instead, a misspelt name shows at once: without a
-- filter there are no rows. LIMIT keeps SQLite from merging the subquery into
-- the query, which would open the filter for each row.
-- each: custmer => 0 | customer => 403
SELECT count(*) FROM (SELECT bloom_open(f) AS f FROM filters WHERE name = '{1}' LIMIT 1) CROSS JOIN visit
  JOIN customer USING (email)
WHERE bloom_may_match(visit.email, f);
-- {2}

-- ---- Order: SQLite tests an IN and a filter in the order in which they are
-- written. After the IN, the filter is probed only for rows that were looked up
-- already, and so gains nothing. (Here no row is left, so that it is never
-- probed: a probe would be an error.)
SELECT count(*) FROM visit WHERE email IN (SELECT email FROM customer WHERE name = 'nobody')
  AND bloom_may_match(email, 'no filter');
-- 0

-- Before the IN, the filter is probed for each row, and IN looks up only the
-- rows that pass.
SELECT count(*) FROM visit WHERE bloom_may_match(email, 'no filter')
  AND email IN (SELECT email FROM customer WHERE name = 'nobody');
-- Error: bloom_may_match: filter must be a BLOB or a bloom_open() handle, got TEXT 'no filter' (bind a filter as a BLOB; x'...' is one written in hex, and readfile() reads one from a file)

SELECT count(*) FROM visit
WHERE bloom_may_match(email, (SELECT bloom_open(bloom_build(email)) FROM customer))
  AND email IN (SELECT email FROM customer);
-- 403

-- A correlated EXISTS is tested last, wherever it stands.
SELECT count(*) FROM visit
WHERE EXISTS (SELECT * FROM customer WHERE customer.email = visit.email AND name = 'nobody')
  AND bloom_may_match(email, 'no filter');
-- Error: bloom_may_match: filter must be ...

-- ---- LEFT JOIN: in the WHERE, the filter drops rows that LEFT JOIN should
-- keep. Put it in the ON.
-- each: WHERE 1 => 20000 | WHERE bloom_may_match(visit.email, f) => 587 | AND bloom_may_match(visit.email, f) => 20000
SELECT count(*), count(name) FROM fresh CROSS JOIN visit LEFT JOIN customer ON visit.email = customer.email {1};
-- {2}|403

-- ---- NOT bloom_may_match alone, as a test for new keys, misses new keys that
-- happen to be false positives. With a lookup of the keys that match, it finds all of
-- them; by NOT IN only if the set has no NULL: with one, NOT IN is never true.
CREATE TABLE known(email TEXT);
INSERT INTO known SELECT email FROM customer UNION ALL SELECT NULL;

-- each: email NOT IN (SELECT email FROM customer) => 19597 | NOT bloom_may_match(email, f) => 19413
-- each: NOT bloom_may_match(email, f) OR email IN (SELECT email FROM known) IS NOT TRUE => 19597
-- each: NOT bloom_may_match(email, f) OR email NOT IN (SELECT email FROM known) => 19413
SELECT count(*) FROM visit, fresh WHERE {1};
-- {2}

-- A filter inside the subquery of NOT IN takes its NULL away, and so adds rows.
-- each: 1 => 0 | bloom_may_match(email, f) => 19597
SELECT count(*) FROM visit WHERE email NOT IN (SELECT email FROM known, fresh WHERE {1});
-- {2}

-- The form with IS NOT TRUE returns what NOT EXISTS does, also for a row without a
-- key; over sets with an index, without one, of a NULL alone, and without a row. So
-- does a CASE for keys of two columns.
CREATE TEMP VIEW few AS SELECT email, id % 2 AS odd FROM visit WHERE id <= 2000 UNION ALL SELECT NULL, 0;

-- each: customer => 1958 1957 | known => 1958 1957 | (SELECT NULL AS email) => 2001 2000
-- each: (SELECT email FROM customer WHERE 0) => 2001 2000
SELECT
  (SELECT count(*) || ' ' || count(email) FROM few
   WHERE NOT EXISTS (SELECT 1 FROM {1} AS s WHERE s.email = few.email)),
  (SELECT count(*) || ' ' || count(email) FROM few
   WHERE NOT bloom_may_match(email, (SELECT bloom_open(bloom_build(email)) FROM {1}))
     OR email IN (SELECT email FROM {1}) IS NOT TRUE),
  (SELECT count(*) || ' ' || count(email) FROM few
   WHERE CASE WHEN (email, odd) IN (SELECT email, 0 FROM {1} UNION ALL SELECT email, 1 FROM {1}) THEN 0 ELSE 1 END);
-- {2}|{2}|{2}

-- ---- A filter alone, taken for a proof. It also lets some keys pass that are
-- not in the set. Here it deletes them; the lookup beside it spares them.
SAVEPOINT before;

-- each: 1 => 587 | email IN (SELECT email FROM customer) => 403
ROLLBACK TO before;
DELETE FROM visit WHERE bloom_may_match(email, (SELECT f FROM fresh)) AND {1};
SELECT changes();
-- {2}

ROLLBACK TO before;
RELEASE before;

-- A trigger that keeps customers out keeps others out, too.
CREATE TABLE guest(email TEXT);

-- each: 1 => 19413 | EXISTS (SELECT 1 FROM customer WHERE email = NEW.email) => 19597
DROP TRIGGER IF EXISTS no_customers;
DELETE FROM guest;
CREATE TRIGGER no_customers BEFORE INSERT ON guest
WHEN bloom_may_match(NEW.email, (SELECT f FROM filters WHERE name = 'customer')) AND {1} BEGIN
  SELECT RAISE(IGNORE);
END;
INSERT INTO guest SELECT email FROM visit;
SELECT count(*) FROM guest;
-- {2}

-- ---- bloom_build(a, b) does not make a filter of two columns: b is
-- bits_per_key. In most cases that is an error (tests/sql/build.sql).
CREATE TABLE stock(warehouse TEXT, shelf INTEGER);
INSERT INTO stock VALUES ('EU', 7), ('EU', 8), ('US', 7);

-- If b is the same small number in all rows, there is no error, and the key has
-- only the first column. Combine the columns into one text instead.
SELECT bloom_may_match('EU', bloom_build(warehouse, shelf)) FROM stock WHERE shelf = 7;
-- 1

SELECT bloom_may_match(quote('EU') || ',' || quote(8), f), bloom_may_match(quote('US') || ',' || quote(8), f)
FROM (SELECT bloom_build(quote(warehouse) || ',' || quote(shelf)) AS f FROM stock);
-- 1|0

-- A REAL is the same key as the INTEGER that it equals, but not in such a text.
SELECT shelf = 7.0, bloom_may_match(7.0, bloom_build(shelf)),
  bloom_may_match(quote('US') || ',' || quote(7.0), bloom_build(quote(warehouse) || ',' || quote(shelf)))
FROM stock WHERE warehouse = 'US';
-- 1|1|0

-- ---- bloom_build without a SELECT of its own. It is an aggregate, which needs
-- the table whose keys it takes.
SELECT count(*) FROM visit WHERE bloom_may_match(email, bloom_open(bloom_build(email)));
-- Error: ...misuse of aggregate...bloom_build()

SELECT count(*) > 402 FROM visit
WHERE bloom_may_match(email, (SELECT bloom_open(bloom_build(email)) FROM customer));
-- 1

-- Other errors that sql/questions.md explains. (The error of OVER is
-- tested beside each aggregate.)
SELECT bloom_create_parts(customer, email);
-- Error: ...no such column: customer

SELECT bloom_build(name, 10, 1000, email) FROM customer;
-- Error: ...wrong number of arguments to function bloom_build()

CREATE TABLE document(body TEXT);
INSERT INTO document VALUES ('{"k":"a"}'), ('no JSON'), (NULL);

-- each: json_extract(body, '$.k') => Error: malformed JSON
-- each: CASE WHEN json_valid(body) THEN json_extract(body, '$.k') END => 1
SELECT bloom_build({1}) = bloom_build('a') FROM document;
-- {2}

-- With one argument, json_valid is 0 for what json_extract reads, too: JSON5, JSONB, and a
-- line break in a string.
-- since: 3.45
SELECT group_concat(bloom_may_match(k, f)) FROM (SELECT 'a' AS k UNION ALL SELECT 'b' UNION ALL SELECT 'c'), (
  SELECT bloom_build(CASE WHEN json_valid(body, 6) THEN json_extract(body, '$.k') END) AS f
  FROM (SELECT '{k:"a"}' AS body UNION ALL SELECT jsonb('{"k":"b"}') UNION ALL SELECT 'no JSON'
    UNION ALL SELECT '{"k":"c", "l":"' || char(10) || '"}'));
-- 1,1,1

-- ---- A statement that queries the table that it changes. It reads the filter
-- once, when it begins, so the keys that it writes itself are not in the
-- filter. The first UPDATE below uses no filter and is right; the next two are
-- wrong. The form for a single key reads its part for each row, and is right.
CREATE TABLE item(id INTEGER PRIMARY KEY, key TEXT);
INSERT INTO item VALUES (1, 'a'), (2, 'b'), (3, 'c');
CREATE TABLE wish(id INTEGER PRIMARY KEY, key TEXT);
INSERT INTO wish VALUES (1, 'new'), (2, 'new'), (3, 'new');
SELECT bloom_create_parts('item', 'key');
-- item_key_filter

SAVEPOINT before;

-- each: 1 => new,found,found
-- each: bloom_may_match(w.key, (SELECT filter FROM item_key_filter)) => new,new,new
-- each: bloom_may_match(w.key, (SELECT bloom_open(bloom_build(key)) FROM item)) => new,new,new
-- each: bloom_may_match(w.key, (SELECT f FROM item_key_part WHERE part = bloom_part(w.key, parts))) => new,found,found
ROLLBACK TO before;
UPDATE item SET key = (SELECT CASE
    WHEN {1} AND EXISTS (SELECT 1 FROM item AS i WHERE i.key = w.key) THEN 'found' ELSE w.key END
  FROM wish AS w WHERE w.id = item.id);
SELECT group_concat(key) FROM item;
-- {2}

ROLLBACK TO before;
RELEASE before;

-- ---- A filter of another set. One query counts the rows that any filter
-- loses. Here it counts them for the right filter, for one part in place of all
-- parts, for parts of another table, for a misspelt column in double quotes,
-- which SQLite takes for a string, and for a filter whose WHERE is narrower.
-- Last, a BLOB and its hex text are different keys.
SELECT count(*) FROM customer WHERE NOT bloom_may_match(email, (SELECT filter FROM customer_email_filter));
-- 0

SELECT bloom_create_parts('customer', 'email', 10, 5000);
-- customer_email_filter

SELECT count(*) > 500 FROM customer WHERE NOT bloom_may_match(email, (SELECT f FROM customer_email_parts LIMIT 1));
-- 1

SAVEPOINT before;
UPDATE customer_email_parts SET f = (SELECT f FROM item_key_parts);
SELECT count(*) > 900 FROM customer WHERE NOT bloom_may_match(email, (SELECT filter FROM customer_email_filter));
-- 1

SELECT bloom_create_parts('customer', 'email');
-- customer_email_filter

SELECT count(*) FROM customer WHERE NOT bloom_may_match(email, (SELECT filter FROM customer_email_filter));
-- 0

RELEASE before;
SELECT sum(NOT bloom_may_match(email, (SELECT bloom_open(bloom_build("emial")) FROM customer))) > 900,
  sum(NOT bloom_may_match(email, (SELECT bloom_open(bloom_build(email)) FROM customer WHERE name < 'Name 2'))) > 800
FROM customer;
-- 1|1

SELECT bloom_may_match(x'68656c6c6f', bloom_build(hex(x'68656c6c6f'))),
  bloom_may_match(hex(x'68656c6c6f'), bloom_build(hex(x'68656c6c6f')));
-- 0|1

-- A name in single quotes is a string as well, and so the same key for every
-- row: first in the build, then in the probe.
SELECT sum(bloom_may_match(email, (SELECT bloom_open(bloom_build('email')) FROM customer))) < 100,
  sum(bloom_may_match('email', (SELECT bloom_open(bloom_build(email)) FROM customer))),
  sum(bloom_may_match(email, (SELECT bloom_open(bloom_build(email)) FROM customer)))
FROM customer;
-- 1|0|1003

-- UPDATE ... FROM changes each row once, so that bloom_add adds one key. A
-- filter of the new keys is merged instead.
CREATE TABLE arrival AS SELECT email FROM visit WHERE id BETWEEN 1001 AND 1040;
CREATE TABLE growing AS SELECT bloom_build(NULL, 10, 2000) AS f;

-- since: 3.33
UPDATE growing SET f = bloom_add(f, arrival.email) FROM arrival;

-- since: 3.33
SELECT sum(bloom_may_match(email, (SELECT f FROM growing))) FROM arrival;
-- 1

UPDATE growing SET f = (SELECT bloom_merge(part)
  FROM (SELECT growing.f AS part UNION ALL SELECT bloom_build(email, 10, 2000) FROM arrival));
SELECT sum(bloom_may_match(email, (SELECT f FROM growing))) FROM arrival;
-- 40

-- ---- NOT with a filter that is NULL: bloom_may_match excludes nothing then,
-- so NOT bloom_may_match excludes everything.
SELECT count(*) FROM visit WHERE NOT bloom_may_match(email, (SELECT f FROM filters WHERE name = 'custmer'));
-- 0

-- ---- Where the filter stands. Every row of the result must need key = member.
-- Each of the following shows the query without a filter, with one that loses
-- rows, and with the remedy.
CREATE TABLE person(email TEXT PRIMARY KEY, number INTEGER);
CREATE TABLE sign_in(id INTEGER PRIMARY KEY, email TEXT, number INTEGER);
INSERT INTO person VALUES ('ann@example.com', 1), ('bo@example.com', 2);
INSERT INTO sign_in(email, number) VALUES ('ann@example.com', 1), ('cy@example.com', 2), ('BO@example.com', 3);
CREATE TEMP VIEW person_filter AS SELECT (SELECT bloom_open(bloom_build(email)) FROM person) AS f;
CREATE TEMP VIEW lower_filter AS SELECT (SELECT bloom_open(bloom_build(lower(email))) FROM person) AS f;

-- OR: the filter belongs in one arm of it. If both arms look for the same key, either
-- of two probes lets a row pass.
SELECT
  (SELECT count(*) FROM sign_in AS s JOIN person AS p ON s.email = p.email OR s.number = p.number),
  (SELECT count(*) FROM sign_in AS s JOIN person AS p ON s.email = p.email OR s.number = p.number
   WHERE bloom_may_match(s.email, f)),
  (SELECT count(*) FROM sign_in AS s JOIN person AS p
   ON s.email = p.email AND bloom_may_match(s.email, f) OR s.number = p.number),
  (SELECT count(*) FROM sign_in AS s JOIN person AS p ON p.email = s.email OR p.email = lower(s.email)
   WHERE bloom_may_match(s.email, f)),
  (SELECT count(*) FROM sign_in AS s JOIN person AS p ON p.email = s.email OR p.email = lower(s.email)
   WHERE bloom_may_match(s.email, f) OR bloom_may_match(lower(s.email), f))
FROM person_filter;
-- 2|1|2|1|2

-- LIKE ignores the case of letters, and so does the collation NOCASE in the
-- query.
-- each: s.email LIKE p.email | s.email = p.email COLLATE NOCASE
SELECT
  (SELECT count(*) FROM sign_in AS s JOIN person AS p ON {1}),
  (SELECT count(*) FROM sign_in AS s JOIN person AS p ON {1} WHERE bloom_may_match(s.email, o.f)),
  (SELECT count(*) FROM sign_in AS s JOIN person AS p ON {1} WHERE bloom_may_match(lower(s.email), l.f))
FROM person_filter AS o, lower_filter AS l;
-- 2|1|2

-- RIGHT and FULL JOIN: as for LEFT JOIN, the filter belongs in the ON.
-- since: 3.39
-- each: RIGHT => p.email => sign_in => 2|1|2 | FULL => s.email => person => 4|1|4
SELECT
  (SELECT count(*) FROM sign_in AS s {1} JOIN person AS p ON s.email = p.email),
  (SELECT count(*) FROM sign_in AS s {1} JOIN person AS p ON s.email = p.email WHERE bloom_may_match({2}, f)),
  (SELECT count(*) FROM sign_in AS s {1} JOIN person AS p ON s.email = p.email AND bloom_may_match({2}, f))
FROM (SELECT bloom_open(bloom_build(email)) AS f FROM {3});
-- {4}

-- IS treats NULLs as equal, but a NULL is not a key.
SELECT count(*), sum(bloom_may_match(a.k, f)), sum(ifnull(bloom_may_match(a.k, f), 1))
FROM (SELECT 'ann@example.com' AS k UNION ALL SELECT NULL) AS a
  JOIN (SELECT email AS k FROM person UNION ALL SELECT NULL) AS b ON a.k IS b.k, person_filter;
-- 2|1|2

-- So does INTERSECT. What coalesce makes of a NULL is a key, and has to be built
-- and probed like that.
CREATE TEMP VIEW a AS SELECT 'ann@example.com' AS k UNION ALL SELECT NULL;
CREATE TEMP VIEW b AS SELECT email AS k FROM person UNION ALL SELECT NULL;
SELECT
  (SELECT count(*) FROM (SELECT k FROM a INTERSECT SELECT k FROM b)),
  (SELECT count(*) FROM (SELECT k FROM a WHERE bloom_may_match(k, f) INTERSECT SELECT k FROM b)),
  (SELECT count(*) FROM (SELECT k FROM a WHERE ifnull(bloom_may_match(k, f), 1) INTERSECT SELECT k FROM b)),
  (SELECT count(*) FROM a JOIN b ON coalesce(a.k, '') = coalesce(b.k, '')),
  (SELECT count(*) FROM a JOIN b ON coalesce(a.k, '') = coalesce(b.k, '') WHERE bloom_may_match(a.k, f)),
  (SELECT count(*) FROM a JOIN b ON coalesce(a.k, '') = coalesce(b.k, '')
   WHERE bloom_may_match(coalesce(a.k, ''), (SELECT bloom_open(bloom_build(coalesce(k, ''))) FROM b)))
FROM person_filter;
-- 2|1|2|2|1|2

-- NOT IN and NOT EXISTS want the rows without a member, all of which a filter beside
-- them loses, except its false positives.
-- each: email NOT IN (SELECT email FROM person)
-- each: NOT EXISTS (SELECT 1 FROM person AS p WHERE p.email = s.email)
SELECT
  (SELECT count(*) FROM sign_in AS s WHERE {1}),
  (SELECT count(*) FROM sign_in AS s WHERE bloom_may_match(email, f) AND {1}),
  (SELECT count(*) FROM sign_in AS s WHERE NOT bloom_may_match(email, f) OR {1})
FROM person_filter;
-- 2|0|2

-- So does an IN of what EXCEPT leaves of a set; a filter of that set loses none.
SELECT
  (SELECT count(*) FROM sign_in WHERE email IN (SELECT email FROM sign_in EXCEPT SELECT email FROM person)),
  (SELECT count(*) FROM sign_in
   WHERE bloom_may_match(email, f) AND email IN (SELECT email FROM sign_in EXCEPT SELECT email FROM person)),
  (SELECT count(*) FROM sign_in
   WHERE bloom_may_match(email, (SELECT bloom_open(bloom_build(email)) FROM sign_in))
     AND email IN (SELECT email FROM sign_in EXCEPT SELECT email FROM person))
FROM person_filter;
-- 2|0|2

-- EXISTS or IN in the select list: each row is in the result, with a member or
-- without. The filter belongs before it in the list, in a CASE: SQLite 3.40 evaluates both
-- sides of an AND there.
-- each: EXISTS (SELECT 1 FROM person AS p WHERE p.email = s.email) | s.email IN (SELECT email FROM person)
SELECT
  (SELECT group_concat(known) FROM (SELECT {1} AS known FROM sign_in AS s)),
  (SELECT group_concat(known) FROM (SELECT {1} AS known FROM sign_in AS s WHERE bloom_may_match(s.email, f))),
  (SELECT group_concat(known) FROM (
    SELECT CASE WHEN bloom_may_match(s.email, f) THEN {1} ELSE 0 END AS known FROM sign_in AS s))
FROM person_filter;
-- 1,0,0|1|1,0,0

-- The same with a scalar subquery, there and in SET: a row without a member gets
-- NULL.
CREATE TABLE noted(email TEXT, number INTEGER);
INSERT INTO noted SELECT email, 9 FROM sign_in;
UPDATE noted SET number = (SELECT number FROM person AS p WHERE p.email = noted.email)
WHERE bloom_may_match(email, (SELECT f FROM person_filter));
SELECT group_concat(number) FROM noted;
-- 1,9,9

UPDATE noted SET number = CASE WHEN bloom_may_match(email, (SELECT f FROM person_filter))
  THEN (SELECT number FROM person AS p WHERE p.email = noted.email) END;
SELECT group_concat(number) FROM noted;
-- 1

-- LIMIT, GROUP BY and a window in a subquery: inside of it, the filter changes which
-- rows are counted. Outside, beside the join, it does not.
CREATE TEMP VIEW in_turn AS SELECT id, email FROM sign_in UNION ALL SELECT 4, 'bo@example.com';

-- each: email, 1 AS n FROM sign_in => ORDER BY id DESC LIMIT 2 => 0|1|0
-- each: min(email) AS email, count(*) AS n FROM sign_in => GROUP BY id > 2 => 2|1|2
-- each: email, id - lag(id) OVER (ORDER BY id) AS n FROM in_turn => ORDER BY id => 1|3|1
SELECT
  (SELECT ifnull(sum(n), 0) FROM (SELECT {1} {2}) JOIN person USING (email)),
  (SELECT ifnull(sum(n), 0) FROM (SELECT {1} WHERE bloom_may_match(email, f) {2}) JOIN person USING (email)),
  (SELECT ifnull(sum(n), 0) FROM (SELECT {1} {2}) AS s JOIN person USING (email) WHERE bloom_may_match(s.email, f))
FROM person_filter;
-- {3}

-- The result is the number 1, which is not equal to a text.
SELECT sum(bloom_may_match(email, f) = '1' OR bloom_may_match(email, f) = 'true'), sum(bloom_may_match(email, f) = 1)
FROM person, person_filter;
-- 0|2

-- DELETE of what is not in a set, where the set is empty: all rows go. The
-- remedy asks whether the set has keys. (sql/garbage.sql asks more.)
CREATE TABLE reference(email TEXT);
SAVEPOINT before;

-- each: 1 => 0 | EXISTS (SELECT 1 FROM reference) => 2
ROLLBACK TO before;
DELETE FROM person
WHERE NOT bloom_may_match(email, (SELECT bloom_open(bloom_build(email)) FROM reference)) AND {1};
SELECT count(*) FROM person;
-- {2}

RELEASE before;

-- ---- Which filter it is. A scalar subquery has one row, so that of several
-- filters, or of several groups, only the first is probed.
CREATE TABLE day(name TEXT PRIMARY KEY, f BLOB);
INSERT INTO day SELECT 'Mon', bloom_build(email, 10, 100) FROM person WHERE number = 1;
INSERT INTO day SELECT 'Tue', bloom_build(email, 10, 100) FROM person WHERE number = 2;
SELECT sum(bloom_may_match(email, (SELECT bloom_open(f) FROM day))),
  sum(bloom_may_match(email, (SELECT bloom_open(bloom_merge(f)) FROM day))),
  sum(bloom_may_match(email, (SELECT bloom_open(bloom_build(email)) FROM person GROUP BY number))),
  sum(bloom_may_match(email, (SELECT bloom_open(bloom_build(email)) FROM person)))
FROM person;
-- 1|2|1|2

-- bloom_merge skips a filter that is NULL, although such a one excludes nothing.
-- Without a row, the subquery is NULL.
SAVEPOINT before;
UPDATE day SET f = NULL WHERE name = 'Tue';
SELECT sum(bloom_may_match(email, (SELECT bloom_open(bloom_merge(f)) FROM day))),
  sum(bloom_may_match(email, (SELECT bloom_open(bloom_merge(f)) FROM day GROUP BY 1 = 1 HAVING count(*) = count(f))))
FROM person;
-- 1|2

ROLLBACK TO before;
RELEASE before;

-- The same with the spans of a filter for each block of rows, if the first one
-- that is read has a filter. They are joined.
CREATE TABLE entry(id INTEGER PRIMARY KEY, email TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
INSERT INTO entry SELECT i, 'visitor' || i FROM n;
SELECT bloom_create_blocks('entry', 'email', 12, 10);
-- entry_email_spans

SELECT count(*) FROM entry WHERE bloom_may_match(email, (SELECT f FROM entry_email_spans WHERE f IS NOT NULL))
  AND email = 'visitor25';
-- 0

SELECT count(*) FROM entry_email_spans AS s CROSS JOIN entry AS e NOT INDEXED ON e.id BETWEEN s.first AND s.last
WHERE bloom_may_match('visitor25', s.f) AND e.email = 'visitor25';
-- 1

-- Spans include both of their ends.
SELECT
  (SELECT count(*) FROM entry_email_spans AS s CROSS JOIN entry AS e ON e.id > s.first AND e.id < s.last),
  (SELECT count(*) FROM entry_email_spans AS s CROSS JOIN entry AS e ON e.id BETWEEN s.first AND s.last);
-- 80|100

-- A query for a list of keys has to probe each of them in a block's filter.
-- each: bloom_may_match('visitor25', s.f) => 1
-- each: EXISTS (SELECT 1 FROM json_each('["visitor25","visitor35"]') WHERE bloom_may_match(value, s.f)) => 2
SELECT count(*) FROM entry_email_spans AS s CROSS JOIN entry AS e NOT INDEXED ON e.id BETWEEN s.first AND s.last
WHERE {1} AND e.email IN ('visitor25', 'visitor35');
-- {2}

-- A list that is bound as one text is one key. As JSON, it is a list.
CREATE TEMP VIEW bound AS
SELECT 'ann@example.com,bo@example.com' AS one_text, '["ann@example.com","bo@example.com"]' AS list;

SELECT sum(bloom_may_match(email, (SELECT bloom_open(bloom_build(one_text)) FROM bound))),
  sum(bloom_may_match(email, (SELECT bloom_open(bloom_build(value)) FROM bound, json_each(list)))) FROM person;
-- 0|2

-- A fixed number of parts. The parts of a kept filter grow, here from 1 to more.
SELECT bloom_create_parts('person', 'email');
-- person_email_filter

WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
INSERT INTO person SELECT 'person' || i, i FROM n;
SELECT max(parts) > 1 FROM person_email_part;
-- 1

-- each: 1 => 1 | parts => 0
SELECT count(*) > 1000 FROM person AS p
WHERE NOT bloom_may_match(email, (SELECT f FROM person_email_part WHERE part = bloom_part(p.email, {1})));
-- {2}

-- Key and filter swapped, where both are BLOBs.
SELECT bloom_may_match(bloom_build(x'0102030405'), x'0102030405'),
  bloom_may_match(x'0102030405', bloom_build(x'0102030405'));
-- 0|1

-- The same name twice: a TEMP table or view comes before that of main, and that
-- of main before that of another database.
CREATE TEMP TABLE filters(name TEXT PRIMARY KEY, f BLOB NOT NULL);
INSERT INTO temp.filters VALUES ('customer', x'000000000000000006');
SELECT sum(bloom_may_match(visit.email, (SELECT bloom_open(f) FROM filters WHERE name = 'customer'))),
  sum(bloom_may_match(visit.email, (SELECT bloom_open(f) FROM main.filters WHERE name = 'customer')))
FROM visit JOIN customer USING (email);
-- 0|403

DROP TABLE temp.filters;

-- ---- What the key is. A column with the collation NOCASE or RTRIM, TEXT and
-- numbers, and a TEXT column and a REAL that is not one.
CREATE TABLE typed(nocase TEXT COLLATE NOCASE, rtrim TEXT COLLATE RTRIM, number INTEGER, text TEXT);
INSERT INTO typed VALUES ('Ann', 'Ann  ', 7, '1.0');
SELECT nocase = 'ANN', rtrim = 'Ann', number = '07', text = 1.0 FROM typed;
-- 1|1|1|1

-- each: nocase => 'ANN' => 0 | lower(nocase) => lower('ANN') => 1 | rtrim => 'Ann' => 0 | rtrim(rtrim) => rtrim('Ann') => 1
-- each: number => '07' => 0 | CAST(number AS NUMERIC) => CAST('07' AS NUMERIC) => 1
-- each: text => 1.0 => 0 | CAST(text AS TEXT) => CAST(1.0 AS TEXT) => 1
SELECT bloom_may_match({2}, bloom_build({1})) FROM typed;
-- {3}

-- Types whose names have no CHAR, TEXT, CLOB or BLOB are numeric, too, so that a TEXT
-- key beside them is another.
-- each: STRING | UUID | JSON | DATE | DATETIME | TIMESTAMP | DECIMAL(10,2) | BOOLEAN | MONEY | HASH
DROP TABLE IF EXISTS named;
CREATE TABLE named(k {1}, text TEXT);
INSERT INTO named VALUES ('007', '007');
SELECT typeof(k), k = text, bloom_may_match(text, bloom_build(k)),
  bloom_may_match(CAST(text AS NUMERIC), bloom_build(CAST(k AS NUMERIC))) FROM named;
-- integer|1|0|1

-- The same with a REAL that is computed, not that of a column.
CREATE TABLE price(text TEXT, cents INTEGER);
INSERT INTO price VALUES ('1.0', 100), ('0.3', 30);
SELECT sum(p.text = q.cents / 100.0),
  sum(p.text = q.cents / 100.0 AND bloom_may_match(q.cents / 100.0, (SELECT bloom_open(bloom_build(text)) FROM price))),
  sum(p.text = q.cents / 100.0 AND bloom_may_match(CAST(q.cents / 100.0 AS TEXT),
    (SELECT bloom_open(bloom_build(CAST(text AS TEXT))) FROM price)))
FROM price AS p, price AS q;
-- 2|0|2

-- An expression in the join. A bare column, built or probed, is another key than
-- what is compared.
-- each: trim(x) => ' ann ' | date(x) => '2026-01-05 10:00' | julianday(x) => '2026-01-05T10:00' | json_extract(x, '$.k') => '{"k":"ann"}'
SELECT {1} = same, bloom_may_match(x, bloom_build(same)), bloom_may_match(same, bloom_build(x)),
  bloom_may_match({1}, bloom_build(same))
FROM (SELECT x, {1} AS same FROM (SELECT {2} AS x));
-- 1|0|0|1

-- since: 3.38
SELECT x ->> 'k' = 'ann', bloom_may_match(x, bloom_build('ann')), bloom_may_match(x -> 'k', bloom_build('ann')),
  bloom_may_match(x ->> 'k', bloom_build('ann')) FROM (SELECT '{"k":"ann"}' AS x);
-- 1|0|0|1

-- ---- A copy as text changes keys, but not the filter that is copied with them.
CREATE TABLE tag(k);
INSERT INTO tag VALUES ('a' || char(0) || 'b'), ('c');
CREATE TABLE tag_filter AS SELECT bloom_build(k) AS f FROM tag;
.once tag.sql
.dump tag
DROP TABLE tag;
.read tag.sql
SELECT k, bloom_may_match(k, f), bloom_may_match(k, (SELECT bloom_open(bloom_build(k)) FROM tag)) FROM tag, tag_filter;
-- a|0|1
-- c|1|1

-- A REAL that was a text, as in CSV, has 15 digits, and from 3.52 on 17, which are enough.
SELECT bloom_may_match(CAST(CAST(1 / 3.0 AS TEXT) AS REAL), bloom_build(1 / 3.0)) = (sqlite_version() >= '3.52');
-- 1

-- With ICU, lower() changes more than ASCII; replace() stands for it here.
SELECT bloom_may_match(replace(lower('É'), 'É', 'é'), bloom_build(lower('É')));
-- 0

-- ---- Triggers that are written by hand, as tutorials do. They are gone when
-- the table is rebuilt, and so is the key that comes next. The view of a kept
-- filter notices this and excludes nothing.
CREATE TABLE thing(id INTEGER PRIMARY KEY, key TEXT);
CREATE TABLE by_hand(f BLOB);
INSERT INTO by_hand SELECT bloom_build(NULL, 10, 1000);
CREATE TRIGGER by_hand_insert AFTER INSERT ON thing BEGIN
  UPDATE by_hand SET f = bloom_add(f, NEW.key);
END;
SELECT bloom_create_parts('thing', 'key');
-- thing_key_filter

INSERT INTO thing(key) VALUES ('before');
CREATE TABLE new_thing(id INTEGER PRIMARY KEY, key TEXT, added TEXT);
INSERT INTO new_thing(id, key) SELECT id, key FROM thing;
DROP TABLE thing;
ALTER TABLE new_thing RENAME TO thing;
INSERT INTO thing(key) VALUES ('after');
SELECT key FROM thing WHERE NOT bloom_may_match(key, (SELECT bloom_open(f) FROM by_hand));
-- after

SELECT key FROM thing WHERE NOT bloom_may_match(key, (SELECT filter FROM thing_key_filter));
