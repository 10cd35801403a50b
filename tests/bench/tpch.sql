-- Tables of the shape of TPC-H's at scale 0.01, which tests/bench/tpch_bench.c
-- queries. Each row has its key as an INTEGER (id) and as a TEXT (code), and
-- so has each reference (part and part_code). leveldb_hash(n, column) is a
-- random number.
PRAGMA cache_size=-2000000;

CREATE TABLE number(n INTEGER PRIMARY KEY);
WITH RECURSIVE number(n) AS (
  SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < {60000}
)
INSERT INTO main.number SELECT n FROM number;

CREATE TABLE region(id INTEGER PRIMARY KEY, code TEXT UNIQUE, name TEXT);
INSERT INTO region VALUES (1, 'REG-1', 'AFRICA'), (2, 'REG-2', 'AMERICA'),
  (3, 'REG-3', 'ASIA'), (4, 'REG-4', 'EUROPE'), (5, 'REG-5', 'MIDDLE EAST');
CREATE TABLE nation(id INTEGER PRIMARY KEY, code TEXT UNIQUE, name TEXT,
  region INTEGER, region_code TEXT);
INSERT INTO nation
SELECT n, printf('NAT-%02d', n), printf('Nation %d', n), r.id, r.code
FROM number JOIN region AS r ON r.id = n % 5 + 1 WHERE n <= 25;

CREATE TABLE supplier(id INTEGER PRIMARY KEY, code TEXT UNIQUE,
  nation INTEGER, nation_code TEXT);
INSERT INTO supplier
SELECT n, printf('SUP-%09d-EU', n), nation.id, nation.code
FROM number JOIN nation ON nation.id = leveldb_hash(n, 1) % 25 + 1
WHERE n <= {100};

CREATE TABLE customer(id INTEGER PRIMARY KEY, code TEXT UNIQUE,
  nation INTEGER, nation_code TEXT, segment INTEGER, balance INTEGER);
INSERT INTO customer
SELECT n, printf('CUS-%09d-EU', n), nation.id, nation.code,
  leveldb_hash(n, 2) % 5, leveldb_hash(n, 3) % 11000 - 1000
FROM number JOIN nation ON nation.id = leveldb_hash(n, 4) % 25 + 1
WHERE n <= {1500};

CREATE TABLE part(id INTEGER PRIMARY KEY, code TEXT UNIQUE, kind INTEGER);
INSERT INTO part
SELECT n, printf('SKU-%09d-EU', n), leveldb_hash(n, 5) % 150
FROM number WHERE n <= {2000};

-- A third of the customers have no order.
CREATE TABLE orders(id INTEGER PRIMARY KEY, code TEXT UNIQUE,
  customer INTEGER, customer_code TEXT, status TEXT, day TEXT);
INSERT INTO orders
SELECT n, printf('ORD-%09d-EU', n), c.id, c.code,
  substr('FOP', leveldb_hash(n, 6) % 100 / 49 + 1, 1),
  date('1992-01-01', (leveldb_hash(n, 7) % 2400) || ' days')
FROM number JOIN customer AS c
  ON c.id = leveldb_hash(n, 8) % ({1500} / 3) * 3 + leveldb_hash(n, 9) % 2 + 1
WHERE n <= {15000};

CREATE TABLE lineitem(id INTEGER PRIMARY KEY, orders INTEGER, orders_code TEXT,
  part INTEGER, part_code TEXT, supplier INTEGER, supplier_code TEXT,
  price INTEGER, shipped TEXT, committed TEXT, received TEXT);
INSERT INTO lineitem
SELECT n, o.id, o.code, p.id, p.code, s.id, s.code,
  leveldb_hash(n, 10) % 100000,
  date(o.day, (leveldb_hash(n, 11) % 121) || ' days'),
  date(o.day, (leveldb_hash(n, 12) % 61 + 30) || ' days'),
  date(o.day, (leveldb_hash(n, 11) % 121 + leveldb_hash(n, 13) % 30) || ' days')
FROM number JOIN orders AS o ON o.id = leveldb_hash(n / 3, 14) % {15000} + 1
  JOIN part AS p ON p.id = leveldb_hash(n, 15) % {2000} + 1
  JOIN supplier AS s ON s.id = leveldb_hash(n, 16) % {100} + 1;

CREATE INDEX lineitem_orders ON lineitem(orders);
CREATE INDEX lineitem_orders_code ON lineitem(orders_code);

ANALYZE;
