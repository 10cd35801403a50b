-- A join that skips the rows it need not look up. Few sign-ins of a long log
-- are by an e-mail address that leaked somewhere, but the join looks each one
-- up. A filter of the leaked addresses tells, much faster than a lookup, that
-- an address is none of them.
--
-- Worth it where most rows of a large table find no partner in the other
-- table. Not worth it where most rows do, or where the other table is tiny.
.load dist/bloom

-- First the data, on disk as data is, in a database that is gone at the end,
-- with SQLite's default page cache of 2 MB. `make demo` sets :customers to a
-- million; without it there are 50,000. Each signs in three times on average.
-- The list of leaked addresses is half as long, and every 25th of them is a
-- customer's, so that 2 % of the sign-ins match.
ATTACH '' AS disk;
CREATE TEMP TABLE customers AS SELECT coalesce(:customers, 50000) AS n;

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

CREATE TABLE disk.leaked(email TEXT PRIMARY KEY, breach INTEGER);
INSERT INTO leaked
SELECT email, n % 5 FROM person
WHERE n >= (SELECT n * 98 / 100 FROM customers);

SELECT printf('%,d sign-ins, for example by %s',
              (SELECT count(*) FROM sign_in), email)
FROM sign_in WHERE id = 1;
-- 150,000 sign-ins, for example by bert2154742337@students.example.edu

SELECT printf('%,d leaked addresses', count(*)) FROM leaked;
-- 25,000 leaked addresses

-- A step is timed by the clock before and after it. (Statements of their own,
-- since `now` is one and the same time throughout a statement.)
CREATE TEMP TABLE clock(step TEXT PRIMARY KEY, began REAL, ended REAL);
CREATE TEMP VIEW timed AS
SELECT step, max((ended - began) * 86400, 0.001) AS seconds FROM clock;

-- The plain join: how many sign-ins are by a leaked address, by breach, and
-- when was the latest? SQLite reads the log and looks each address up in the
-- index of the primary key. (Its own Bloom filter, since 3.38, takes no part:
-- it gives every TEXT the same hash.)
EXPLAIN QUERY PLAN
SELECT breach, count(*), max(at) FROM sign_in JOIN leaked USING (email)
GROUP BY breach;
-- QUERY PLAN
-- |--SCAN ...sign_in
-- |--SEARCH ...leaked USING INDEX sqlite_autoindex_leaked_1 (email=?)
-- `--USE TEMP B-TREE FOR GROUP BY

INSERT INTO clock(step, began) VALUES ('plain', julianday('now'));
CREATE TEMP TABLE plain AS
SELECT breach, count(*) AS sign_ins, max(at) AS latest
FROM sign_in JOIN leaked USING (email)
GROUP BY breach;
UPDATE clock SET ended = julianday('now') WHERE step = 'plain';

SELECT printf('plain join:     %6.3f s, %,d sign-ins by a leaked address',
              (SELECT seconds FROM timed WHERE step = 'plain'), sum(sign_ins))
FROM plain;
-- plain join:     ... s, ... sign-ins by a leaked address

-- The filtered join: the same query and one condition more. The filter is
-- built in the statement, from the rows that are there now, so no row can be
-- missing from it. Subquery and filter are computed once for the statement.
INSERT INTO clock(step, began) VALUES ('filtered', julianday('now'));
CREATE TEMP TABLE filtered AS
SELECT breach, count(*) AS sign_ins, max(at) AS latest
FROM sign_in JOIN leaked USING (email)
WHERE bloom_may_match(sign_in.email,
                      (SELECT bloom_open(bloom_build(email)) FROM leaked))
GROUP BY breach;
UPDATE clock SET ended = julianday('now') WHERE step = 'filtered';

SELECT printf('filtered join:  %6.3f s, %,d sign-ins by a leaked address',
              (SELECT seconds FROM timed WHERE step = 'filtered'),
              sum(sign_ins))
FROM filtered;
-- filtered join:  ... s, ... sign-ins by a leaked address

SELECT printf('%.1f times faster', plain.seconds / filtered.seconds)
FROM timed AS plain, timed AS filtered
WHERE plain.step = 'plain' AND filtered.step = 'filtered';
-- ... times faster

-- A false positive costs one lookup, which finds nothing; a member always
-- passes.
SELECT CASE WHEN EXISTS (SELECT * FROM plain EXCEPT SELECT * FROM filtered)
              OR EXISTS (SELECT * FROM filtered EXCEPT SELECT * FROM plain)
            THEN 'the answers differ' ELSE 'the answers are equal' END;
-- the answers are equal

-- A stored filter saves building it, which pays where many statements share
-- one, or where it goes to another machine.
INSERT INTO clock(step, began) VALUES ('filter', julianday('now'));
CREATE TABLE disk.filters(name TEXT PRIMARY KEY, f BLOB NOT NULL);
INSERT INTO filters SELECT 'leaked', bloom_build(email) FROM leaked;
UPDATE clock SET ended = julianday('now') WHERE step = 'filter';

SELECT printf('the filter:     %6.3f s to build, %,d bytes',
              (SELECT seconds FROM timed WHERE step = 'filter'), length(f))
FROM filters;
-- the filter:     ... s to build, 31,251 bytes

INSERT INTO clock(step, began) VALUES ('stored', julianday('now'));
CREATE TEMP TABLE stored AS
SELECT breach, count(*) AS sign_ins, max(at) AS latest
FROM sign_in JOIN leaked USING (email)
WHERE bloom_may_match(sign_in.email,
                      (SELECT bloom_open(f) FROM filters WHERE name = 'leaked'))
GROUP BY breach;
UPDATE clock SET ended = julianday('now') WHERE step = 'stored';

SELECT printf('stored filter:  %6.3f s, %,d sign-ins by a leaked address',
              (SELECT seconds FROM timed WHERE step = 'stored'), sum(sign_ins))
FROM stored;
-- stored filter:  ... s, ... sign-ins by a leaked address

SELECT CASE WHEN EXISTS (SELECT * FROM plain EXCEPT SELECT * FROM stored)
              OR EXISTS (SELECT * FROM stored EXCEPT SELECT * FROM plain)
            THEN 'the answers differ' ELSE 'the answers are equal' END;
-- the answers are equal

-- But it knows the keys of the time when it was built, and no others. The
-- address of the first sign-in leaks too. Until the filter is built again, the
-- stored one loses its sign-ins, silently; the one built in the statement
-- finds them.
INSERT INTO leaked SELECT email, 5 FROM sign_in WHERE id = 1;

SELECT printf('one address more: the stored filter finds %d, a fresh one %d',
  EXISTS (
    SELECT * FROM sign_in JOIN leaked USING (email)
    WHERE breach = 5 AND bloom_may_match(sign_in.email,
      (SELECT bloom_open(f) FROM filters WHERE name = 'leaked'))),
  EXISTS (
    SELECT * FROM sign_in JOIN leaked USING (email)
    WHERE breach = 5 AND bloom_may_match(sign_in.email,
      (SELECT bloom_open(bloom_build(email)) FROM leaked))));
-- one address more: the stored filter finds 0, a fresh one 1

-- So its upkeep belongs to every change of the table: keys and filter in one
-- transaction. (Where keys come one at a time, keep the filter in parts by
-- triggers: parts.sql.)
BEGIN;
INSERT INTO leaked SELECT email, 5 FROM sign_in WHERE id = 2;
UPDATE filters SET f = (SELECT bloom_build(email) FROM leaked)
WHERE name = 'leaked';
COMMIT;

SELECT printf('another, and built again: the stored filter finds %d',
              count(DISTINCT email))
FROM sign_in JOIN leaked USING (email)
WHERE breach = 5 AND bloom_may_match(sign_in.email,
  (SELECT bloom_open(f) FROM filters WHERE name = 'leaked'));
-- another, and built again: the stored filter finds 2
