-- Does a filter pay beside SQLite's own? From 3.38 on, SQLite puts a Bloom
-- filter of its own before some lookups. To find out for a query of your own,
-- read its plan, and then time it with our filter and without. This session
-- does so for five queries and keys of one shape.
--
-- The shape is :shape, which is a format for printf, or 'uuid', 'hex' or 'blob'
-- for random keys. :items is the approximate number of keys:
--
--     sqlite3 -cmd ".parameter set :shape 'user%d@example.com'" \
--       -cmd '.parameter set :items 200000' < sql/planner.sql
--
-- Results for eight shapes are in sql/README.md.
.load dist/bloom

-- There are five sales of each item on average. Some 2 % of the items are
-- recalled. The list of stolen goods is as long as the list of items, but has
-- only some 2 % of them.
CREATE TEMP TABLE chosen AS
SELECT coalesce(:shape, 'SKU-%09d-EU') AS shape,
  coalesce(:items, 2000) AS items;

CREATE TEMP TABLE code(n INTEGER PRIMARY KEY, code, share INTEGER);
WITH RECURSIVE number(n) AS (
  SELECT 1 UNION ALL
  SELECT n + 1 FROM number WHERE n < (SELECT items * 2 FROM chosen)
)
INSERT INTO code
SELECT n,
  CASE shape
    WHEN 'hex' THEN lower(hex(randomblob(8)))
    WHEN 'blob' THEN randomblob(16)
    WHEN 'uuid' THEN lower(printf('%s-%s-4%s-a%s-%s', hex(randomblob(4)),
      hex(randomblob(2)), substr(hex(randomblob(2)), 2),
      substr(hex(randomblob(2)), 2), hex(randomblob(6))))
    ELSE printf(shape, n) END,
  leveldb_hash(n, 1) % 100
FROM number, chosen;

CREATE TABLE item(id INTEGER PRIMARY KEY, code UNIQUE, recalled INTEGER);
INSERT INTO item(code, recalled)
SELECT code, leveldb_hash(n, 2) % 50 = 0 FROM code WHERE share < 50;

CREATE TABLE stolen(code PRIMARY KEY);
INSERT INTO stolen SELECT code FROM code WHERE share >= 49;

CREATE TABLE unindexed(code);
INSERT INTO unindexed SELECT code FROM stolen;

CREATE TABLE sale(id INTEGER PRIMARY KEY, code, amount INTEGER);
WITH RECURSIVE number(n) AS (
  SELECT 1 UNION ALL
  SELECT n + 1 FROM number WHERE n < (SELECT items * 5 FROM chosen)
)
INSERT INTO sale
SELECT n, code, n % 100
FROM number JOIN item
  ON item.id = leveldb_hash(n, 3) % (SELECT count(*) FROM item) + 1;

-- Without ANALYZE, SQLite uses no filter before a lookup in an index.
ANALYZE;

-- ---- First, the plans

-- In a join with a table that has a restriction of its own, SQLite 3.38 and
-- later put a filter of the recalled items before the lookup.
--
-- Up to 3.53, this filter serves numbers only, because all TEXT has one hash,
-- and so have all BLOBs. From 3.54 on, the hash of TEXT is the sum of its
-- length, its first 8 bytes and its last 8 bytes, read as integers; that of a
-- BLOB is the sum of its length and its first 8 bytes (filterHash in vdbe.c).
-- A key sets one bit, whose place is the hash modulo the number of bits. For a
-- table of more than 10,000 rows, that number is a small integer times a power
-- of two, and so only the first two or three bytes of each end make much of a
-- difference. Random keys share few bits. Keys whose ends are alike share
-- nearly all, and then the filter excludes hardly anything.
-- since: 3.38
EXPLAIN QUERY PLAN
SELECT count(*), sum(amount) FROM sale JOIN item USING (code) WHERE recalled;
-- QUERY PLAN
-- |--SCAN sale
-- |--BLOOM FILTER ON item (code=?)
-- `--SEARCH item USING INDEX sqlite_autoindex_item_1 (code=?)

-- SQLite puts no filter before a lookup in an index if the table has no
-- restriction, if the query is an anti-join, or if the index is the list of IN.
--
-- SQLite has two other filters, of 80,000 bits for any number of keys. One is
-- before a lookup in an AUTOMATIC INDEX, which a join without an index makes (a
-- newer SQLite shows the filter in the plan, 3.40.1 does not). The other, from
-- 3.47 on, is before a lookup in the list of IN if that list has to be computed
-- (CREATE BLOOM FILTER).
EXPLAIN QUERY PLAN
SELECT count(*), sum(amount) FROM sale JOIN stolen USING (code);
-- QUERY PLAN
-- |--SCAN ...sale
-- `--SEARCH ...stolen USING COVERING INDEX sqlite_autoindex_stolen_1 (code=?)

EXPLAIN QUERY PLAN
SELECT count(*), sum(amount) FROM sale WHERE code IN (SELECT code FROM stolen);
-- QUERY PLAN
-- |--SCAN ...sale
-- `--USING INDEX sqlite_autoindex_stolen_1 FOR IN-OPERATOR

EXPLAIN QUERY PLAN
SELECT count(*), sum(amount) FROM sale
WHERE NOT EXISTS (SELECT * FROM stolen WHERE stolen.code = sale.code);
-- QUERY PLAN
-- |--SCAN ...sale
-- `--CORRELATED SCALAR SUBQUERY...
--    `--SEARCH ...stolen USING COVERING INDEX sqlite_autoindex_stolen_1 (...

-- ---- Then, both times

-- The clock is read before each query and after the last, in statements of
-- their own, because `now` does not change within a statement.
CREATE TEMP TABLE clock(id INTEGER PRIMARY KEY, query TEXT, way TEXT, at REAL);
CREATE TEMP TABLE answer(query TEXT, way TEXT, sales INTEGER, amount INTEGER);

INSERT INTO clock VALUES (1, 'restricted join', 'plain', julianday('now'));
INSERT INTO answer
SELECT 'restricted join', 'plain', count(*), sum(amount)
FROM sale JOIN item USING (code) WHERE recalled;

INSERT INTO clock VALUES (2, 'restricted join', 'filtered', julianday('now'));
INSERT INTO answer
SELECT 'restricted join', 'filtered', count(*), sum(amount)
FROM sale JOIN item USING (code)
WHERE recalled AND bloom_may_match(sale.code,
  (SELECT bloom_open(bloom_build(code)) FROM item WHERE recalled));

INSERT INTO clock VALUES (3, 'join', 'plain', julianday('now'));
INSERT INTO answer
SELECT 'join', 'plain', count(*), sum(amount)
FROM sale JOIN stolen USING (code);

INSERT INTO clock VALUES (4, 'join', 'filtered', julianday('now'));
INSERT INTO answer
SELECT 'join', 'filtered', count(*), sum(amount)
FROM sale JOIN stolen USING (code)
WHERE bloom_may_match(sale.code,
  (SELECT bloom_open(bloom_build(code)) FROM stolen));

INSERT INTO clock VALUES (5, 'IN', 'plain', julianday('now'));
INSERT INTO answer
SELECT 'IN', 'plain', count(*), sum(amount) FROM sale
WHERE code IN (SELECT code FROM stolen);

INSERT INTO clock VALUES (6, 'IN', 'filtered', julianday('now'));
INSERT INTO answer
SELECT 'IN', 'filtered', count(*), sum(amount) FROM sale
WHERE bloom_may_match(code, (SELECT bloom_open(bloom_build(code)) FROM stolen))
  AND code IN (SELECT code FROM stolen);

INSERT INTO clock VALUES (7, 'anti-join', 'plain', julianday('now'));
INSERT INTO answer
SELECT 'anti-join', 'plain', count(*), sum(amount) FROM sale
WHERE NOT EXISTS (SELECT * FROM stolen WHERE stolen.code = sale.code);

INSERT INTO clock VALUES (8, 'anti-join', 'filtered', julianday('now'));
INSERT INTO answer
SELECT 'anti-join', 'filtered', count(*), sum(amount) FROM sale
WHERE NOT bloom_may_match(code,
            (SELECT bloom_open(bloom_build(code)) FROM stolen))
  OR NOT EXISTS (SELECT * FROM stolen WHERE stolen.code = sale.code);

INSERT INTO clock VALUES (9, 'without an index', 'plain', julianday('now'));
INSERT INTO answer
SELECT 'without an index', 'plain', count(*), sum(amount)
FROM sale JOIN unindexed USING (code);

INSERT INTO clock VALUES (10, 'without an index', 'filtered', julianday('now'));
INSERT INTO answer
SELECT 'without an index', 'filtered', count(*), sum(amount)
FROM sale JOIN unindexed USING (code)
WHERE bloom_may_match(sale.code,
  (SELECT bloom_open(bloom_build(code)) FROM unindexed));
INSERT INTO clock(at) VALUES (julianday('now'));

CREATE TEMP VIEW timed AS
SELECT query, way, max(at_end - at, 0.001 / 86400) * 86400 AS seconds
FROM clock JOIN (SELECT id - 1 AS id, at AS at_end FROM clock) USING (id);

SELECT printf('%-16s %7.3f s plain, %7.3f s filtered: %5.2f times as fast',
              query, plain.seconds, filtered.seconds,
              plain.seconds / filtered.seconds)
FROM timed AS plain JOIN timed AS filtered USING (query)
WHERE plain.way = 'plain' AND filtered.way = 'filtered';
-- restricted join ... times as fast
-- join            ... times as fast
-- IN              ... times as fast
-- anti-join       ... times as fast
-- without an index ... times as fast

-- Both ways find the same sales.
SELECT query, count(*), count(DISTINCT sales || ' ' || amount), sales
FROM answer GROUP BY query;
-- IN|2|1|151
-- anti-join|2|1|9849
-- join|2|1|151
-- restricted join|2|1|198
-- without an index|2|1|151
