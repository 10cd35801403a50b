-- A join of many tables. A filter of one table's matching keys is used while
-- the filter of the next table is built, so that the join skips the rows of the
-- large table that cannot be part of the result. The tables are those of query
-- 17 of the Join Order Benchmark, without its cast. The question is which films
-- with a keyword were made by companies of a country.
--
-- The filters make a badly ordered join faster, but they do not beat a good
-- order. SQLite assumes that "keyword = ..." and "country_code = ..." are
-- equally selective, reads the large table early, and comes to the keyword
-- last. One more condition skips the rows without the keyword: for 500,000
-- films the query takes 0.26 s instead of 0.99 s. The best order, written by
-- hand, takes 0.04 s. The last query is one that SQLite orders well. There the
-- same kind of condition costs more than it saves: the query takes 0.045 s
-- instead of 0.030 s. (Measured by build/bench/multi_bench dist/bloom
-- tests/bench/multi.sql, after make benches.)
--
--   sqlite3 -cmd '.timer on' -cmd '.parameter set :titles 500000' \
--     < sql/multi_join.sql
-- since: 3.28
.load dist/bloom
.parameter init
INSERT OR IGNORE INTO sqlite_parameters VALUES (':titles', 20000);

-- leveldb_hash(n, column) is a random number. One keyword in a hundred is the
-- popular one, and a third of the companies are in the country.
CREATE TABLE keyword(id INTEGER PRIMARY KEY, keyword TEXT);
CREATE TABLE company_name(id INTEGER PRIMARY KEY, country_code TEXT);
CREATE TABLE title(id INTEGER PRIMARY KEY, title TEXT);
CREATE TABLE movie_keyword(
  id INTEGER PRIMARY KEY, movie_id INTEGER, keyword_id INTEGER
);
CREATE TABLE movie_companies(
  id INTEGER PRIMARY KEY, movie_id INTEGER, company_id INTEGER
);
CREATE TEMP VIEW number AS
WITH RECURSIVE number(n) AS (
  SELECT 1 UNION ALL SELECT n + 1 FROM number
  WHERE n < (SELECT value * 2 FROM sqlite_parameters WHERE key = ':titles')
)
SELECT n FROM number;
INSERT INTO keyword
SELECT n, CASE n WHEN 117 THEN 'character-name-in-title'
          ELSE 'keyword ' || n END FROM number LIMIT :titles / 20;
INSERT INTO company_name
SELECT n, CASE WHEN leveldb_hash(n, 1) % 100 < 36 THEN '[us]'
          ELSE '[' || leveldb_hash(n, 2) % 100 || ']' END
FROM number LIMIT :titles / 10;
INSERT INTO title SELECT n, 'Title ' || n FROM number LIMIT :titles;
INSERT INTO movie_keyword
SELECT n, leveldb_hash(n, 3) % :titles + 1,
  CASE WHEN leveldb_hash(n, 4) % 100 = 0 THEN 117
  ELSE leveldb_hash(n, 5) % (:titles / 20) + 1 END
FROM number;
INSERT INTO movie_companies
SELECT n, leveldb_hash(n, 6) % :titles + 1,
  leveldb_hash(n, 7) % (:titles / 10) + 1
FROM number LIMIT :titles;
CREATE INDEX movie_keyword_movie ON movie_keyword(movie_id);
CREATE INDEX movie_keyword_keyword ON movie_keyword(keyword_id);
CREATE INDEX movie_companies_movie ON movie_companies(movie_id);
CREATE INDEX movie_companies_company ON movie_companies(company_id);

-- ---- How the plan shows the join order

-- The lines of the plan, from the top, are the order of the join. The condition
-- that leaves the fewest rows is the one on the keyword. It comes last, so most
-- of what is read above it is read needlessly. (After ANALYZE, SQLite begins
-- with the companies, and the keyword is last again.)
EXPLAIN QUERY PLAN
SELECT count(*), min(title)
FROM company_name AS cn JOIN movie_companies AS mc ON mc.company_id = cn.id
  JOIN title AS t ON t.id = mc.movie_id
  JOIN movie_keyword AS mk ON mk.movie_id = t.id
  JOIN keyword AS k ON k.id = mk.keyword_id
WHERE cn.country_code = '[us]' AND k.keyword = 'character-name-in-title';
-- QUERY PLAN
-- |--SCAN ...mc
-- |--SEARCH ...t USING INTEGER PRIMARY KEY (rowid=?)
-- |--SEARCH ...cn USING INTEGER PRIMARY KEY (rowid=?)
-- |--SEARCH ...mk USING INDEX movie_keyword_movie (movie_id=?)
-- `--SEARCH ...k USING INTEGER PRIMARY KEY (rowid=?)

CREATE TEMP TABLE answer(number INTEGER, first TEXT);
INSERT INTO answer
SELECT count(*), min(title)
FROM company_name AS cn JOIN movie_companies AS mc ON mc.company_id = cn.id
  JOIN title AS t ON t.id = mc.movie_id
  JOIN movie_keyword AS mk ON mk.movie_id = t.id
  JOIN keyword AS k ON k.id = mk.keyword_id
WHERE cn.country_code = '[us]' AND k.keyword = 'character-name-in-title';

-- ---- One more condition

-- Read the condition from the inside out. The innermost query finds the ids of
-- the keyword. With their filter, the next query finds the films that have one
-- of the ids. With the filter of these films, the join skips rows of the large
-- table. The condition is on the table at the top of the plan, and on the
-- column that leads to the condition at the bottom of the plan.
INSERT INTO answer
SELECT count(*), min(title)
FROM company_name AS cn JOIN movie_companies AS mc ON mc.company_id = cn.id
  JOIN title AS t ON t.id = mc.movie_id
  JOIN movie_keyword AS mk ON mk.movie_id = t.id
  JOIN keyword AS k ON k.id = mk.keyword_id
WHERE cn.country_code = '[us]' AND k.keyword = 'character-name-in-title'
  AND bloom_may_match(mc.movie_id, (
    SELECT bloom_open(bloom_build(movie_id)) FROM movie_keyword
    WHERE bloom_may_match(keyword_id, (
      SELECT bloom_open(bloom_build(id)) FROM keyword
      WHERE keyword = 'character-name-in-title'))));

-- The join is the same, and the filters are built before its first row.
EXPLAIN QUERY PLAN
SELECT count(*), min(title)
FROM company_name AS cn JOIN movie_companies AS mc ON mc.company_id = cn.id
  JOIN title AS t ON t.id = mc.movie_id
  JOIN movie_keyword AS mk ON mk.movie_id = t.id
  JOIN keyword AS k ON k.id = mk.keyword_id
WHERE cn.country_code = '[us]' AND k.keyword = 'character-name-in-title'
  AND bloom_may_match(mc.movie_id, (
    SELECT bloom_open(bloom_build(movie_id)) FROM movie_keyword
    WHERE bloom_may_match(keyword_id, (
      SELECT bloom_open(bloom_build(id)) FROM keyword
      WHERE keyword = 'character-name-in-title'))));
-- QUERY PLAN
-- |--SCAN ...mc
-- |--SCALAR SUBQUERY...
-- |  |--SCAN ...movie_keyword
-- |  `--SCALAR SUBQUERY...
-- |     `--SCAN ...keyword
-- |--SEARCH ...t USING INTEGER PRIMARY KEY (rowid=?)
-- |--SEARCH ...cn USING INTEGER PRIMARY KEY (rowid=?)
-- |--SEARCH ...mk USING INDEX movie_keyword_movie (movie_id=?)
-- `--SEARCH ...k USING INTEGER PRIMARY KEY (rowid=?)

-- How many rows of the large table are left? If they are few, the condition
-- pays.
SELECT count(*) = :titles, 1.0 * sum(bloom_may_match(movie_id, (
    SELECT bloom_open(bloom_build(movie_id)) FROM movie_keyword
    WHERE bloom_may_match(keyword_id, (
      SELECT bloom_open(bloom_build(id)) FROM keyword
      WHERE keyword = 'character-name-in-title'))))) / count(*) < 0.05
FROM movie_companies;
-- 1|1

-- ---- The best join order, written by hand

-- CROSS JOIN keeps the order in which the tables are written, here from the one
-- keyword outward. Where you know the best order and it does not change,
-- nothing is faster.
INSERT INTO answer
SELECT count(*), min(title)
FROM keyword AS k CROSS JOIN movie_keyword AS mk ON mk.keyword_id = k.id
  CROSS JOIN movie_companies AS mc ON mc.movie_id = mk.movie_id
  CROSS JOIN company_name AS cn ON cn.id = mc.company_id
  CROSS JOIN title AS t ON t.id = mc.movie_id
WHERE cn.country_code = '[us]' AND k.keyword = 'character-name-in-title';

SELECT count(*), count(DISTINCT number), count(DISTINCT first), number > 100
FROM answer;
-- 3|1|1|1

-- ---- Where a filter loses

-- Query 5 of TPC-H asks what the suppliers of a region sold to customers of
-- their own nation in a year.
CREATE TABLE region(id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE nation(id INTEGER PRIMARY KEY, region_id INTEGER);
CREATE TABLE customer(id INTEGER PRIMARY KEY, nation_id INTEGER);
CREATE TABLE supplier(id INTEGER PRIMARY KEY, nation_id INTEGER);
CREATE TABLE orders(id INTEGER PRIMARY KEY, customer_id INTEGER, day TEXT);
CREATE TABLE lineitem(
  id INTEGER PRIMARY KEY, order_id INTEGER, supplier_id INTEGER, price INTEGER
);
INSERT INTO region VALUES (0, 'AFRICA'), (1, 'AMERICA'), (2, 'ASIA'),
  (3, 'EUROPE'), (4, 'MIDDLE EAST');
INSERT INTO nation SELECT n, n % 5 FROM number LIMIT 25;
INSERT INTO customer
SELECT n, leveldb_hash(n, 11) % 25 + 1 FROM number LIMIT :titles / 20;
INSERT INTO supplier
SELECT n, leveldb_hash(n, 12) % 25 + 1 FROM number LIMIT :titles / 200;
INSERT INTO orders
SELECT n, leveldb_hash(n, 13) % (:titles / 20) + 1,
  date('1992-01-01', (leveldb_hash(n, 14) % 2557) || ' days')
FROM number LIMIT :titles / 2;
INSERT INTO lineitem
SELECT n, (n + 3) / 4, leveldb_hash(n, 15) % (:titles / 200) + 1,
  leveldb_hash(n, 16) % 1000
FROM number;
CREATE INDEX nation_region ON nation(region_id);
CREATE INDEX customer_nation ON customer(nation_id);
CREATE INDEX orders_customer ON orders(customer_id);
CREATE INDEX lineitem_order ON lineitem(order_id);

-- The condition on the region leaves a fifth of the rows and is already at the
-- top of the plan. The rows that a filter of the orders excludes would never be
-- read anyway, but the filter has to be built. (CROSS JOIN fixes the order that
-- SQLite chooses after ANALYZE.)
CREATE TEMP TABLE revenue(way TEXT, nation INTEGER, revenue INTEGER);
EXPLAIN QUERY PLAN
SELECT n.id, sum(price)
FROM region AS r CROSS JOIN nation AS n ON region_id = r.id
  CROSS JOIN customer AS c ON c.nation_id = n.id
  CROSS JOIN orders AS o ON customer_id = c.id
  CROSS JOIN lineitem AS l ON order_id = o.id
  CROSS JOIN supplier AS s ON s.id = supplier_id AND s.nation_id = c.nation_id
WHERE r.name = 'ASIA' AND day >= '1994-01-01' AND day < '1995-01-01'
GROUP BY n.id;
-- QUERY PLAN
-- |--SCAN ...r
-- |--SEARCH ...n USING COVERING INDEX nation_region (region_id=?)
-- |--SEARCH ...c USING COVERING INDEX customer_nation (nation_id=?)
-- |--SEARCH ...o USING INDEX orders_customer (customer_id=?)
-- |--SEARCH ...l USING INDEX lineitem_order (order_id=?)
-- |--SEARCH ...s USING INTEGER PRIMARY KEY (rowid=?)
-- `--USE TEMP B-TREE FOR GROUP BY

INSERT INTO revenue
SELECT 'plain', n.id, sum(price)
FROM region AS r CROSS JOIN nation AS n ON region_id = r.id
  CROSS JOIN customer AS c ON c.nation_id = n.id
  CROSS JOIN orders AS o ON customer_id = c.id
  CROSS JOIN lineitem AS l ON order_id = o.id
  CROSS JOIN supplier AS s ON s.id = supplier_id AND s.nation_id = c.nation_id
WHERE r.name = 'ASIA' AND day >= '1994-01-01' AND day < '1995-01-01'
GROUP BY n.id;
INSERT INTO revenue
SELECT 'filtered', n.id, sum(price)
FROM region AS r CROSS JOIN nation AS n ON region_id = r.id
  CROSS JOIN customer AS c ON c.nation_id = n.id
  CROSS JOIN orders AS o ON customer_id = c.id
  CROSS JOIN lineitem AS l ON order_id = o.id
  CROSS JOIN supplier AS s ON s.id = supplier_id AND s.nation_id = c.nation_id
WHERE r.name = 'ASIA' AND day >= '1994-01-01' AND day < '1995-01-01'
  AND bloom_may_match(order_id, (
    SELECT bloom_open(bloom_build(id)) FROM orders
    WHERE day >= '1994-01-01' AND day < '1995-01-01'
      AND bloom_may_match(customer_id, (
        SELECT bloom_open(bloom_build(customer.id))
        FROM region JOIN nation ON region_id = region.id
          JOIN customer ON nation_id = nation.id
        WHERE region.name = 'ASIA'))))
GROUP BY n.id;
SELECT count(*), count(DISTINCT nation), sum(same) FROM (
  SELECT nation, count(*) = 2 AND min(revenue) = max(revenue) AS same
  FROM revenue GROUP BY nation);
-- 5|5|5
