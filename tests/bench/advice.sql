-- What tests/bench/advice.c queries: tables of the shapes of TPC-DS's, the Join
-- Order Benchmark's and TPC-H's. leveldb_hash(n, column) is a random number.
CREATE TABLE number(n INTEGER PRIMARY KEY);
WITH RECURSIVE number(n) AS (
  SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < {600000}
)
INSERT INTO main.number SELECT n FROM number;

-- TPC-DS's: sales, in the order of their days.
CREATE TABLE date_dim(id INTEGER PRIMARY KEY, year INTEGER, month INTEGER);
INSERT INTO date_dim
SELECT n, 1998 + n / 365, n / 30 % 12 + 1 FROM number WHERE n <= 1800;
CREATE TABLE address(id TEXT PRIMARY KEY, county INTEGER);
INSERT INTO address
SELECT printf('ADR-%09d-US', n), leveldb_hash(n, 1) % 100
FROM number LIMIT {25000};
CREATE TABLE customer(id TEXT PRIMARY KEY, email TEXT, address TEXT,
  year INTEGER);
INSERT INTO customer
SELECT printf('CUS-%09d-US', n), printf('%08x@example.com', leveldb_hash(n, 0)),
  printf('ADR-%09d-US', leveldb_hash(n, 2) % {25000} + 1),
  1920 + leveldb_hash(n, 3) % 75
FROM number LIMIT {50000};
CREATE TABLE item(id INTEGER PRIMARY KEY, maker INTEGER, brand INTEGER);
INSERT INTO item
SELECT n, leveldb_hash(n, 4) % 1000, leveldb_hash(n, 5) % 500
FROM number LIMIT {18000};
CREATE TABLE demographic(id INTEGER PRIMARY KEY, kind INTEGER);
INSERT INTO demographic
SELECT n, leveldb_hash(n, 6) % 70 FROM number LIMIT {20000};
CREATE TABLE income_band(id INTEGER PRIMARY KEY, upper INTEGER);
INSERT INTO income_band SELECT n - 1, n * 1000 FROM number LIMIT 70;
CREATE TABLE store_sales(id INTEGER PRIMARY KEY, ticket TEXT, day INTEGER,
  item INTEGER, customer TEXT, demographic INTEGER, price INTEGER);
INSERT INTO store_sales
SELECT n, printf('T-%08x-%08x', leveldb_hash(n, 7), n), n * 1800 / {300000},
  leveldb_hash(n, 8) % {18000} + 1,
  printf('CUS-%09d-US', leveldb_hash(n, 9) % {50000} + 1),
  leveldb_hash(n, 10) % {20000} + 1, leveldb_hash(n, 11) % 10000
FROM number LIMIT {300000};
CREATE INDEX store_sales_item ON store_sales(item);
CREATE TABLE store_returns(ticket TEXT PRIMARY KEY, reason INTEGER);
INSERT INTO store_returns
SELECT ticket, leveldb_hash(id, 12) % 35 FROM store_sales
WHERE leveldb_hash(id, 13) % 50 = 0;

-- Who gets the shop's news. Few of them are customers.
CREATE TABLE reader(email TEXT PRIMARY KEY);
INSERT OR IGNORE INTO reader
SELECT printf('%08x@example.com', CASE WHEN leveldb_hash(n, 14) % 300 = 0
  THEN leveldb_hash(leveldb_hash(n, 15) % {50000} + 1, 0)
  ELSE leveldb_hash(n, 14) END)
FROM number LIMIT {300000};

-- The Join Order Benchmark's: films, what is known of them, and their companies.
CREATE TABLE title(id INTEGER PRIMARY KEY, title TEXT, year INTEGER);
INSERT INTO title
SELECT n, 'Title ' || n, 1900 + leveldb_hash(n, 16) % 120
FROM number LIMIT {250000};
CREATE TABLE movie_info(id INTEGER PRIMARY KEY, movie INTEGER, kind INTEGER);
INSERT INTO movie_info
SELECT n, leveldb_hash(n, 17) % {250000} + 1,
  CASE WHEN leveldb_hash(n, 18) % 400 = 0 THEN 112
       ELSE 99 + leveldb_hash(n, 19) % 3 END
FROM number LIMIT {140000};
CREATE INDEX movie_info_kind ON movie_info(kind);
CREATE TABLE movie_companies(id INTEGER PRIMARY KEY, movie INTEGER,
  company INTEGER, note TEXT);
INSERT INTO movie_companies
SELECT n, leveldb_hash(n, 20) % {250000} + 1,
  leveldb_hash(n, 21) % {23000} + 1,
  CASE WHEN leveldb_hash(n, 22) % 40 = 0 THEN '(co-production)'
       ELSE '(distributor ' || leveldb_hash(n, 23) || ')' END
FROM number LIMIT {260000};
CREATE INDEX movie_companies_movie ON movie_companies(movie);
CREATE TABLE keyword(id INTEGER PRIMARY KEY, keyword TEXT);
INSERT INTO keyword
SELECT n, CASE n % 500 WHEN 0 THEN 'sequel ' ELSE 'keyword ' END || n
FROM number LIMIT {13000};
CREATE TABLE movie_keyword(id INTEGER PRIMARY KEY, movie INTEGER,
  keyword INTEGER);
INSERT INTO movie_keyword
SELECT n, leveldb_hash(n, 24) % {250000} + 1,
  leveldb_hash(n, 25) % {13000} + 1
FROM number LIMIT {450000};
CREATE INDEX movie_keyword_movie ON movie_keyword(movie);
CREATE INDEX movie_keyword_keyword ON movie_keyword(keyword, movie);

-- TPC-H's.
CREATE TABLE region(id INTEGER PRIMARY KEY, name TEXT);
INSERT INTO region VALUES (0, 'AFRICA'), (1, 'AMERICA'), (2, 'ASIA'),
  (3, 'EUROPE'), (4, 'MIDDLE EAST');
CREATE TABLE nation(id INTEGER PRIMARY KEY, region INTEGER, name TEXT);
INSERT INTO nation SELECT n, n % 5, 'Nation ' || n FROM number LIMIT 25;
CREATE INDEX nation_region ON nation(region);
CREATE TABLE buyer(id INTEGER PRIMARY KEY, nation INTEGER);
INSERT INTO buyer
SELECT n, leveldb_hash(n, 27) % 25 + 1 FROM number LIMIT {15000};
CREATE INDEX buyer_nation ON buyer(nation);
CREATE TABLE supplier(id INTEGER PRIMARY KEY, code TEXT UNIQUE, nation INTEGER);
INSERT INTO supplier
SELECT n, printf('SUP-%09d-EU', n), leveldb_hash(n, 28) % 25 + 1
FROM number LIMIT {1000};
CREATE TABLE orders(id INTEGER PRIMARY KEY, buyer INTEGER, day TEXT,
  status TEXT);
INSERT INTO orders
SELECT n, leveldb_hash(n, 29) % {15000} + 1,
  date('1992-01-01', (leveldb_hash(n, 30) % 2557) || ' days'),
  substr('FOP', leveldb_hash(n, 31) % 100 / 49 + 1, 1)
FROM number LIMIT {150000};
CREATE INDEX orders_buyer ON orders(buyer);
CREATE INDEX orders_day ON orders(day);
CREATE TABLE lineitem(id INTEGER PRIMARY KEY, orders INTEGER, supplier TEXT,
  price INTEGER, late INTEGER);
INSERT INTO lineitem
SELECT n, (n + 3) / 4, printf('SUP-%09d-EU', leveldb_hash(n, 32) % {1000} + 1),
  leveldb_hash(n, 33) % 1000, leveldb_hash(n, 34) % 2
FROM number;
CREATE INDEX lineitem_orders ON lineitem(orders);

-- Rows of which 1 % have a partner.
CREATE TABLE event(id INTEGER PRIMARY KEY, code TEXT, ref INTEGER);
INSERT INTO event
SELECT n, printf('EVT-%09d-EU', leveldb_hash(n, 50) % {10000000}),
  leveldb_hash(n, 51) % {10000000}
FROM number;
CREATE TABLE partner(id INTEGER PRIMARY KEY, code TEXT UNIQUE, value INTEGER);
INSERT INTO partner
SELECT n * 100, printf('EVT-%09d-EU', n * 100), n FROM number LIMIT {100000};

ANALYZE;
