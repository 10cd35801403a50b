-- What tests/bench/multi_bench.c reads: the tables of sql/multi_join.sql with
-- 500,000 films, and tables like those of TPC-H with 150,000 orders (scale 0.1).
-- leveldb_hash(n, column) is a random number.
PRAGMA cache_size=-2000000;

CREATE TABLE number(n INTEGER PRIMARY KEY);
WITH RECURSIVE number(n) AS (
  SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < {1000000}
)
INSERT INTO main.number SELECT n FROM number;

-- The Join Order Benchmark's. One keyword in a hundred is the popular one; a
-- third of the companies are in the country.
CREATE TABLE keyword(id INTEGER PRIMARY KEY, keyword TEXT);
CREATE TABLE company_name(id INTEGER PRIMARY KEY, country_code TEXT);
CREATE TABLE title(id INTEGER PRIMARY KEY, title TEXT);
CREATE TABLE movie_keyword(id INTEGER PRIMARY KEY, movie_id INTEGER,
  keyword_id INTEGER);
CREATE TABLE movie_companies(id INTEGER PRIMARY KEY, movie_id INTEGER,
  company_id INTEGER);
INSERT INTO keyword
SELECT n, CASE n WHEN 117 THEN 'character-name-in-title'
          ELSE 'keyword ' || n END FROM number LIMIT 25000;
INSERT INTO company_name
SELECT n, CASE WHEN leveldb_hash(n, 1) % 100 < 36 THEN '[us]'
          ELSE '[' || leveldb_hash(n, 2) % 100 || ']' END
FROM number LIMIT 50000;
INSERT INTO title SELECT n, 'Title ' || n FROM number LIMIT 500000;
INSERT INTO movie_keyword
SELECT n, leveldb_hash(n, 3) % 500000 + 1,
  CASE WHEN leveldb_hash(n, 4) % 100 = 0 THEN 117
  ELSE leveldb_hash(n, 5) % 25000 + 1 END
FROM number;
INSERT INTO movie_companies
SELECT n, leveldb_hash(n, 6) % 500000 + 1, leveldb_hash(n, 7) % 50000 + 1
FROM number LIMIT 500000;
CREATE INDEX movie_keyword_movie ON movie_keyword(movie_id);
CREATE INDEX movie_keyword_keyword ON movie_keyword(keyword_id);
CREATE INDEX movie_companies_movie ON movie_companies(movie_id);
CREATE INDEX movie_companies_company ON movie_companies(company_id);

-- TPC-H's.
CREATE TABLE region(id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE nation(id INTEGER PRIMARY KEY, region_id INTEGER);
CREATE TABLE customer(id INTEGER PRIMARY KEY, nation_id INTEGER);
CREATE TABLE supplier(id INTEGER PRIMARY KEY, nation_id INTEGER);
CREATE TABLE orders(id INTEGER PRIMARY KEY, customer_id INTEGER, day TEXT);
CREATE TABLE lineitem(id INTEGER PRIMARY KEY, order_id INTEGER,
  supplier_id INTEGER, price INTEGER);
INSERT INTO region VALUES (0, 'AFRICA'), (1, 'AMERICA'), (2, 'ASIA'),
  (3, 'EUROPE'), (4, 'MIDDLE EAST');
INSERT INTO nation SELECT n, n % 5 FROM number LIMIT 25;
INSERT INTO customer
SELECT n, leveldb_hash(n, 11) % 25 + 1 FROM number LIMIT 15000;
INSERT INTO supplier
SELECT n, leveldb_hash(n, 12) % 25 + 1 FROM number LIMIT 1000;
INSERT INTO orders
SELECT n, leveldb_hash(n, 13) % 15000 + 1,
  date('1992-01-01', (leveldb_hash(n, 14) % 2557) || ' days')
FROM number LIMIT 150000;
INSERT INTO lineitem
SELECT n, (n + 3) / 4, leveldb_hash(n, 15) % 1000 + 1,
  leveldb_hash(n, 16) % 1000
FROM number LIMIT 600000;
CREATE INDEX nation_region ON nation(region_id);
CREATE INDEX customer_nation ON customer(nation_id);
CREATE INDEX orders_customer ON orders(customer_id);
CREATE INDEX lineitem_order ON lineitem(order_id);

ANALYZE;
