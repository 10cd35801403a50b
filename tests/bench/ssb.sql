-- The Star Schema Benchmark's tables at scale 1, but a third of its facts, with
-- natural TEXT keys: what tests/bench/ssb_bench.c reads. leveldb_hash(i, column) is a random number.
PRAGMA cache_size=-2000000;

CREATE TABLE dates(d_datekey TEXT PRIMARY KEY, d_year INTEGER,
  d_yearmonthnum INTEGER, d_yearmonth TEXT, d_weeknuminyear INTEGER);
WITH RECURSIVE n(i) AS (VALUES(0) UNION ALL SELECT i + 1 FROM n WHERE i < 2555),
  day(d) AS (SELECT date('1992-01-01', i || ' days') FROM n)
INSERT INTO dates
SELECT d, CAST(substr(d, 1, 4) AS INTEGER),
  CAST(substr(d, 1, 4) || substr(d, 6, 2) AS INTEGER),
  substr('JanFebMarAprMayJunJulAugSepOctNovDec',
    CAST(substr(d, 6, 2) AS INTEGER) * 3 - 2, 3) || substr(d, 1, 4),
  CAST(strftime('%j', d) AS INTEGER) / 7 + 1
FROM day;

CREATE TABLE region(r INTEGER PRIMARY KEY, name TEXT);
INSERT INTO region VALUES (0, 'AFRICA'), (1, 'AMERICA'), (2, 'ASIA'),
  (3, 'EUROPE'), (4, 'MIDDLE EAST');
CREATE TABLE nation(n INTEGER PRIMARY KEY, name TEXT, r INTEGER);
INSERT INTO nation(name, r) VALUES ('ALGERIA', 0), ('ETHIOPIA', 0),
  ('KENYA', 0), ('MOROCCO', 0), ('MOZAMBIQUE', 0), ('ARGENTINA', 1),
  ('BRAZIL', 1), ('CANADA', 1), ('PERU', 1), ('UNITED STATES', 1),
  ('CHINA', 2), ('INDIA', 2), ('INDONESIA', 2), ('JAPAN', 2), ('VIETNAM', 2),
  ('FRANCE', 3), ('GERMANY', 3), ('ROMANIA', 3), ('RUSSIA', 3),
  ('UNITED KINGDOM', 3), ('EGYPT', 4), ('IRAN', 4), ('IRAQ', 4),
  ('JORDAN', 4), ('SAUDI ARABIA', 4);

CREATE TABLE customer(c_custkey TEXT PRIMARY KEY, c_city TEXT, c_nation TEXT,
  c_region TEXT);
WITH RECURSIVE i(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM i WHERE i < 30000)
INSERT INTO customer
SELECT printf('CUS-%09d-EU', i),
  printf('%-9.9s%d', nation.name, leveldb_hash(i, 11) % 10),
  nation.name, region.name
FROM i JOIN nation ON n = leveldb_hash(i, 12) % 25 + 1
  JOIN region USING (r);

CREATE TABLE supplier(s_suppkey TEXT PRIMARY KEY, s_city TEXT, s_nation TEXT,
  s_region TEXT);
WITH RECURSIVE i(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM i WHERE i < 2000)
INSERT INTO supplier
SELECT printf('SUP-%09d-EU', i),
  printf('%-9.9s%d', nation.name, leveldb_hash(i, 13) % 10),
  nation.name, region.name
FROM i JOIN nation ON n = leveldb_hash(i, 14) % 25 + 1
  JOIN region USING (r);

CREATE TABLE part(p_partkey TEXT PRIMARY KEY, p_mfgr TEXT, p_category TEXT,
  p_brand1 TEXT);
WITH RECURSIVE i(i) AS (
    VALUES(1) UNION ALL SELECT i + 1 FROM i WHERE i < 200000),
  kind(i, m, c, b) AS (
    SELECT i, leveldb_hash(i, 15) % 5 + 1, leveldb_hash(i, 16) % 5 + 1,
      leveldb_hash(i, 17) % 40 + 1
    FROM i)
INSERT INTO part
SELECT printf('SKU-%09d-EU', i), printf('MFGR#%d', m),
  printf('MFGR#%d%d', m, c), printf('MFGR#%d%d%02d', m, c, b)
FROM kind;

CREATE TABLE lineorder(lo_custkey TEXT, lo_partkey TEXT, lo_suppkey TEXT,
  lo_orderdate TEXT, lo_quantity INTEGER, lo_extendedprice INTEGER,
  lo_discount INTEGER, lo_revenue INTEGER, lo_supplycost INTEGER);
WITH RECURSIVE i(i) AS (
    VALUES(1) UNION ALL SELECT i + 1 FROM i WHERE i < {2000000})
INSERT INTO lineorder
SELECT printf('CUS-%09d-EU', leveldb_hash(i, 1) % 30000 + 1),
  printf('SKU-%09d-EU', leveldb_hash(i, 2) % 200000 + 1),
  printf('SUP-%09d-EU', leveldb_hash(i, 3) % 2000 + 1),
  d_datekey, i % 50 + 1, leveldb_hash(i, 5) % 55450 + 90,
  leveldb_hash(i, 6) % 11, leveldb_hash(i, 7) % 50000 + 100,
  leveldb_hash(i, 8) % 30000
FROM i JOIN dates ON dates.rowid = leveldb_hash(i, 4) % 2556 + 1;

ANALYZE;
