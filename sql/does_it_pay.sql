-- Does a filter pay in a query of your own? Three checks say so before you write
-- it: where the probed column stands in the plan, what the filter costs to build,
-- and how many rows pass it. Write three views into a file, say mine.sql,
--
--     CREATE TEMP VIEW plain AS          -- the query as it is
--     SELECT ...;
--     CREATE TEMP VIEW probed AS         -- the column that is probed, as k
--     SELECT email AS k FROM visit;
--     CREATE TEMP VIEW built AS          -- the keys of the filter, as k
--     SELECT email AS k FROM customer WHERE ...;
--
-- and run, where my.db is your database:
--
--     sqlite3 -cmd '.read mine.sql' my.db < sql/does_it_pay.sql
--
-- It runs the query and the build twice each, and writes nothing into my.db.
-- Without views of your own, the checks are made for an example.
.load dist/bloom

-- The example: 100,000 sales of 20,000 items, of which some 2 % are of a recalled
-- brand. The filter is of these items' codes.
CREATE TEMP TABLE example_number AS
WITH RECURSIVE number(n) AS (
  SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 100000
)
SELECT n FROM number;
CREATE TEMP TABLE example_brand(id INTEGER PRIMARY KEY, recalled INTEGER);
INSERT INTO example_brand SELECT n, n % 50 = 0 FROM example_number LIMIT 500;
CREATE TEMP TABLE example_item(code TEXT PRIMARY KEY, brand INTEGER);
INSERT INTO example_item
SELECT printf('SKU-%09d-EU', n), leveldb_hash(n, 1) % 500 + 1
FROM example_number LIMIT 20000;
CREATE TEMP TABLE example_sale(id INTEGER PRIMARY KEY, code TEXT, amount INTEGER);
INSERT INTO example_sale
SELECT n, printf('SKU-%09d-EU', leveldb_hash(n, 2) % 20000 + 1), n % 100
FROM example_number;

CREATE TEMP VIEW IF NOT EXISTS plain AS
SELECT s.id, s.amount
FROM example_sale AS s JOIN example_item AS i ON i.code = s.code
  JOIN example_brand AS b ON b.id = i.brand
WHERE b.recalled;
CREATE TEMP VIEW IF NOT EXISTS probed AS SELECT code AS k FROM example_sale;
CREATE TEMP VIEW IF NOT EXISTS built AS
SELECT i.code AS k FROM example_brand AS b JOIN example_item AS i ON i.brand = b.id
WHERE b.recalled;

-- ---- Check 1: the plan
-- The first line with SCAN or SEARCH must name the table of the probed column. (If
-- the query has an aggregate, a line CO-ROUTINE plain stands above it.) The table in
-- which that column is looked up must stand below, and so must those whose
-- conditions make the set small. If one of these came first, hardly any lookup would
-- be left to save. There must be no BLOOM FILTER ON the table in which the column is
-- looked up, unless the keys are TEXT or BLOBs and SQLite is older than 3.54, where
-- SQLite's own filter does not serve these.
EXPLAIN QUERY PLAN SELECT * FROM plain;
-- QUERY PLAN
-- |--SCAN ...s
-- |--SEARCH ...i USING INDEX sqlite_autoindex_example_item_1 (code=?)
-- `--SEARCH ...b USING INTEGER PRIMARY KEY (rowid=?)

-- ---- Check 2: the build must take less time than the query
-- The clock is read in statements of their own, because `now` does not change
-- within a statement. The second of two runs counts, since the first one may have to
-- read the tables from the disk.
CREATE TEMP TABLE pay_clock(id INTEGER PRIMARY KEY, at REAL);
CREATE TEMP TABLE pay_filter(f);
INSERT INTO pay_filter SELECT bloom_build(k) FROM built;
CREATE TEMP TABLE pay_first AS SELECT * FROM plain;

INSERT INTO pay_clock VALUES (1, julianday('now'));
INSERT INTO pay_filter SELECT bloom_build(k) FROM built;
INSERT INTO pay_clock VALUES (2, julianday('now'));
CREATE TEMP TABLE pay_second AS SELECT * FROM plain;
INSERT INTO pay_clock VALUES (3, julianday('now'));

CREATE TEMP VIEW pay_times AS
SELECT round((b.at - a.at) * 86400, 3) AS build, round((c.at - b.at) * 86400, 3) AS plain
FROM pay_clock AS a, pay_clock AS b, pay_clock AS c WHERE a.id = 1 AND b.id = 2 AND c.id = 3;

-- ---- Check 3: less than half of the rows may pass, in a sample of one in 100
CREATE TEMP TABLE pay_sample AS
SELECT count(k) AS rows, avg(bloom_may_match(k,
    (SELECT bloom_open(f) FROM pay_filter))) AS share
FROM (SELECT k FROM probed WHERE random() % 100 = 0);

-- ---- What they say
SELECT printf('%d keys, built in %.3f s; the query takes %.3f s; %.1f %% pass',
              (SELECT count(k) FROM built), build, plain, 100 * share)
FROM pay_times, pay_sample;
-- ... keys, built in ... s; the query takes ... s; ... % pass

-- If all is well, put likelihood(bloom_may_match(...), 1.0) into the query, so that
-- the order of the plan remains.
SELECT CASE
  WHEN build >= plain THEN 'Stop: the filter takes as long to build as the query.'
  WHEN rows < 10 THEN 'There are too few rows to tell: nothing is slow here.'
  WHEN share >= 0.5 THEN 'Stop: most rows pass, so that few lookups are saved.'
  ELSE 'Go, if the plan above passes check 1.'
END
FROM pay_times, pay_sample;
-- ...
