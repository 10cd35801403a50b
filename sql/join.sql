-- A join that skips the rows it need not look up. Few sign-ins in a long log
-- are by an e-mail address that was leaked somewhere, but the join looks up
-- every one of them. A filter of the leaked addresses tells, much faster than a
-- lookup, that an address is not among them.
--
-- Use a filter where most rows of a large table have no match in the other
-- table. It does not pay where most rows match, or where the other table is
-- tiny. For a join ON a = k OR b = k, write WHERE bloom_may_match(a, f) OR
-- bloom_may_match(b, f).
.load dist/bloom

-- The data is on disk, in a database that is deleted at the end, with SQLite's
-- default page cache of 2 MB. `make demo` sets :customers to a million; the
-- default is 50,000. Each customer signs in three times on average. There are
-- half as many leaked addresses as customers, and every 25th of them is a
-- customer's, so that 2 % of the sign-ins match.
ATTACH '' AS disk;
CREATE TEMP TABLE customers AS SELECT coalesce(:customers, 50000) AS n;

SELECT printf('Writing %,d sign-ins to a database on disk ...', n * 3)
FROM customers;
-- Writing 150,000 sign-ins to a database on disk ...

CREATE TEMP TABLE person(n INTEGER PRIMARY KEY, email TEXT);
WITH RECURSIVE number(n) AS (
  SELECT 0 UNION ALL
  SELECT n + 1 FROM number WHERE n + 1 < (SELECT n * 148 / 100 FROM customers)
), scattered(n, h) AS (
  SELECT n, n * 2654435761 % 4294967296 FROM number
)
INSERT INTO person
SELECT n,
  substr('annabertcarldinaemilfinnginahugo', 1 + h % 8 * 4, 4) || h
  || CASE h / 8 % 3 WHEN 0 THEN '@example.com' WHEN 1 THEN '@mail.example.org'
       ELSE '@students.example.edu' END
FROM scattered;

CREATE TABLE disk.sign_in(id INTEGER PRIMARY KEY, email TEXT, at INTEGER);
WITH RECURSIVE visit(id) AS (
  SELECT 1 UNION ALL
  SELECT id + 1 FROM visit WHERE id < (SELECT n * 3 FROM customers)
)
INSERT INTO sign_in
SELECT id, email, 1700000000 + id * 7
FROM visit JOIN person ON n = leveldb_hash(id) % (SELECT n FROM customers);

SELECT printf('Writing a list of %,d leaked addresses ...', n / 2) FROM customers;
-- Writing a list of 25,000 leaked addresses ...

CREATE TABLE disk.leaked(email TEXT PRIMARY KEY, breach INTEGER);
INSERT INTO leaked
SELECT email, n % 5 FROM person
WHERE n >= (SELECT n * 98 / 100 FROM customers);

SELECT printf('SQLite %s: %,d sign-ins, for example by %s',
              sqlite_version(), (SELECT count(*) FROM sign_in), email)
FROM sign_in WHERE id = 1;
-- SQLite ...: 150,000 sign-ins, for example by bert2154742337@students.example.edu

SELECT printf('%,d leaked addresses', count(*)) FROM leaked;
-- 25,000 leaked addresses

-- The plain join computes, for each breach, how many sign-ins are by a leaked
-- address and when the latest one was. SQLite reads the log and looks up each
-- address in the index of the primary key. (No SQLite puts a Bloom filter of its
-- own before this lookup, because the table of leaked addresses has an index and
-- no condition of its own.)
EXPLAIN QUERY PLAN
SELECT breach, count(*), max(at) FROM sign_in JOIN leaked USING (email)
GROUP BY breach;
-- QUERY PLAN
-- |--SCAN ...sign_in
-- |--SEARCH ...leaked USING INDEX sqlite_autoindex_leaked_1 (email=?)
-- `--USE TEMP B-TREE FOR GROUP BY

-- The filtered join is the same query with one more condition. The filter is
-- built in the statement, from the rows that are there now, so no row can be
-- missing from it. The subquery and the filter are computed once for the
-- statement. bloom_compare runs both queries in turn, and says whether they have
-- the same rows, and how many times as fast the second one is. A false positive
-- costs one lookup, which finds nothing; a member always passes.
CREATE TEMP TABLE query(name TEXT PRIMARY KEY, text TEXT);
INSERT INTO query VALUES ('plain',
  'SELECT breach, count(*), max(at) FROM sign_in JOIN leaked USING (email)
   GROUP BY breach');
INSERT INTO query VALUES ('filtered',
  'SELECT breach, count(*), max(at) FROM sign_in JOIN leaked USING (email)
   WHERE bloom_may_match(sign_in.email,
     (SELECT bloom_open(bloom_build(email)) FROM leaked))
   GROUP BY breach');

SELECT printf('plain %.3f s, filtered %.3f s', plain_ms / 1000, filtered_ms / 1000),
  verdict
FROM bloom_compare((SELECT text FROM query WHERE name = 'plain'),
  (SELECT text FROM query WHERE name = 'filtered'));
-- plain ... s, filtered ... s|the same 5 rows, ...

-- A stored filter need not be built by every statement. This pays where many
-- statements share a filter, or where it is sent to another machine.
CREATE TABLE disk.filters(name TEXT PRIMARY KEY, f BLOB NOT NULL);
INSERT INTO filters SELECT 'leaked', bloom_build(email) FROM leaked;

SELECT printf('the filter: %,d bytes', length(f)) FROM filters;
-- the filter: 31,251 bytes

INSERT INTO query VALUES ('stored',
  'SELECT breach, count(*), max(at) FROM sign_in JOIN leaked USING (email)
   WHERE bloom_may_match(sign_in.email,
     (SELECT bloom_open(f) FROM filters WHERE name = ''leaked''))
   GROUP BY breach');

SELECT printf('plain %.3f s, stored filter %.3f s', plain_ms / 1000, filtered_ms / 1000),
  verdict
FROM bloom_compare((SELECT text FROM query WHERE name = 'plain'),
  (SELECT text FROM query WHERE name = 'stored'));
-- plain ... s, stored filter ... s|the same 5 rows, ...

-- But a stored filter has only the keys of the time when it was built. Here the
-- address of the first sign-in is leaked too. Until the stored filter is
-- rebuilt, it silently loses the sign-ins of this address. The filter that is
-- built in the statement finds them.
REPLACE INTO leaked SELECT email, 5 FROM sign_in WHERE id = 1;

SELECT printf('One more address leaks. Addresses found by the stored filter, which '
  || 'lacks it: %d; by a filter built in the statement: %d',
  EXISTS (
    SELECT * FROM sign_in JOIN leaked USING (email)
    WHERE breach = 5 AND bloom_may_match(sign_in.email,
      (SELECT bloom_open(f) FROM filters WHERE name = 'leaked'))),
  EXISTS (
    SELECT * FROM sign_in JOIN leaked USING (email)
    WHERE breach = 5 AND bloom_may_match(sign_in.email,
      (SELECT bloom_open(bloom_build(email)) FROM leaked))));
-- One more address leaks. Addresses found by the stored filter, which ...: 0; by a filter ...: 1

-- A stored filter must therefore be updated with every change of the table, in
-- the same transaction. (If keys are added one at a time, let triggers keep a
-- filter in parts: see parts.sql.)
BEGIN;
REPLACE INTO leaked SELECT email, 5 FROM sign_in WHERE id = 2;
UPDATE filters SET f = (SELECT bloom_build(email) FROM leaked)
WHERE name = 'leaked';
COMMIT;

SELECT printf('A second one leaks, and the stored filter is built again: it finds %d of 2',
              count(DISTINCT email))
FROM sign_in JOIN leaked USING (email)
WHERE breach = 5 AND bloom_may_match(sign_in.email,
  (SELECT bloom_open(f) FROM filters WHERE name = 'leaked'));
-- A second one leaks, and the stored filter is built again: it finds 2 of 2
