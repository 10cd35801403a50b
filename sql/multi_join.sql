-- A join of many tables. A filter of one table's matching keys is used while
-- the filter of the next table is built, so that the join skips the rows of the
-- large table that cannot be part of the result. The tables are those of query
-- 17 of the Join Order Benchmark, without its cast. The question is which films
-- with a keyword were made by companies of a country.
--
-- Filters make a badly ordered join faster, but they do not beat a good order,
-- and they can make SQLite leave a good order. For 500,000 films, a filter makes
-- the first query below more than three times as fast, and the best order, which
-- is written by hand, makes it more than twenty times as fast. (Measured under
-- Joins of many tables in tests/bench/README.md.)
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

-- The join, and the sets that are made filters, each a view so that it stands
-- only once. The films that have the keyword are found by a filter of its ids.
CREATE TEMP VIEW found AS
SELECT title, mc.movie_id, mc.company_id
FROM company_name AS cn JOIN movie_companies AS mc ON mc.company_id = cn.id
  JOIN title AS t ON t.id = mc.movie_id
  JOIN movie_keyword AS mk ON mk.movie_id = t.id
  JOIN keyword AS k ON k.id = mk.keyword_id
WHERE cn.country_code = '[us]' AND k.keyword = 'character-name-in-title';
CREATE TEMP VIEW film AS
SELECT movie_id FROM movie_keyword
WHERE bloom_may_match(keyword_id, (
  SELECT bloom_open(bloom_build(id)) FROM keyword
  WHERE keyword = 'character-name-in-title'));
CREATE TEMP VIEW company AS
SELECT id AS company_id FROM company_name WHERE country_code = '[us]';

-- ---- How the plan shows the join order

-- The lines of the plan, from the top, are the order of the join. The condition
-- that leaves the fewest rows is the one on the keyword. It comes last, so most
-- of what is read above it is read needlessly: SQLite assumes that both
-- conditions are equally selective. (After ANALYZE, it begins with the
-- companies, and the keyword is last again.)
EXPLAIN QUERY PLAN
SELECT count(*), min(title) FROM found;
-- QUERY PLAN
-- |--SCAN ...mc
-- |--SEARCH ...t USING INTEGER PRIMARY KEY (rowid=?)
-- |--SEARCH ...cn USING INTEGER PRIMARY KEY (rowid=?)
-- |--SEARCH ...mk USING INDEX movie_keyword_movie (movie_id=?)
-- `--SEARCH ...k USING INTEGER PRIMARY KEY (rowid=?)

CREATE TEMP TABLE answer(number INTEGER, first TEXT);
INSERT INTO answer
SELECT count(*), min(title) FROM found;

-- ---- One more condition

-- The condition is on the table at the top of the plan, and on the column that
-- leads to the condition at the bottom of the plan. The join is the same, and
-- the filters are built before its first row. likelihood keeps SQLite from choosing
-- another order for the filter's sake: see below.
EXPLAIN QUERY PLAN
SELECT count(*), min(title) FROM found
WHERE likelihood(bloom_may_match(movie_id, (
    SELECT bloom_open(bloom_build(movie_id)) FROM film)), 1.0);
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

INSERT INTO answer
SELECT count(*), min(title) FROM found
WHERE likelihood(bloom_may_match(movie_id, (
    SELECT bloom_open(bloom_build(movie_id)) FROM film)), 1.0);

-- How many rows of the large table are left? If they are few, the condition
-- pays.
SELECT count(*) = :titles,
  1.0 * sum(bloom_may_match(movie_id, (
    SELECT bloom_open(bloom_build(movie_id)) FROM film))) / count(*) < 0.05
FROM movie_companies;
-- 1|1

-- ---- Where filters make the plan worse

-- With an index for each condition, SQLite still takes them for equally
-- selective, and begins with the table that is written first. Here that is the
-- keyword, so the order is good.
CREATE INDEX keyword_keyword ON keyword(keyword);
CREATE INDEX company_country ON company_name(country_code);
CREATE TEMP VIEW found_by_keyword AS
SELECT title, mc.movie_id, mc.company_id
FROM keyword AS k JOIN movie_keyword AS mk ON mk.keyword_id = k.id
  JOIN title AS t ON t.id = mk.movie_id
  JOIN movie_companies AS mc ON mc.movie_id = t.id
  JOIN company_name AS cn ON cn.id = mc.company_id
WHERE cn.country_code = '[us]' AND k.keyword = 'character-name-in-title';

EXPLAIN QUERY PLAN
SELECT count(*), min(title) FROM found_by_keyword;
-- QUERY PLAN
-- |--SEARCH ...k USING COVERING INDEX keyword_keyword (keyword=?)
-- |--SEARCH ...mk USING INDEX movie_keyword_keyword (keyword_id=?)
-- |--SEARCH ...t USING INTEGER PRIMARY KEY (rowid=?)
-- |--SEARCH ...mc USING INDEX movie_companies_movie (movie_id=?)
-- `--SEARCH ...cn USING INTEGER PRIMARY KEY (rowid=?)

-- SQLite takes any condition for one that leaves fewer rows. Two filters on mc
-- make it come to mc as early as it can: it begins with the companies, which are
-- a third of all, and the keyword is last.
EXPLAIN QUERY PLAN
SELECT count(*), min(title) FROM found_by_keyword
WHERE bloom_may_match(movie_id, (
    SELECT bloom_open(bloom_build(movie_id)) FROM film))
  AND bloom_may_match(company_id, (
    SELECT bloom_open(bloom_build(company_id)) FROM company));
-- QUERY PLAN
-- |--SEARCH ...cn USING COVERING INDEX company_country (country_code=?)
-- |--SEARCH ...mc USING INDEX movie_companies_company (company_id=?)
-- |--SCALAR SUBQUERY...
-- |  `--SEARCH ...company_name USING COVERING INDEX company_country (...
-- |--SCALAR SUBQUERY...
-- |  |--SCAN ...movie_keyword
-- |  `--SCALAR SUBQUERY...
-- |     `--SEARCH ...keyword USING COVERING INDEX keyword_keyword (...
-- |--SEARCH ...t USING INTEGER PRIMARY KEY (rowid=?)
-- |--SEARCH ...mk USING INDEX movie_keyword_movie (movie_id=?)
-- `--SEARCH ...k USING INTEGER PRIMARY KEY (rowid=?)

-- So it reads all rows of the large table that have such a company, where the
-- good order read those of movie_keyword that have the keyword.
SELECT count(*) > :titles / 4
FROM movie_companies JOIN company USING (company_id);
-- 1

SELECT count(*) < :titles / 25 FROM film;
-- 1

-- Cure 1, where the order without filters is good: likelihood(..., 1.0) says
-- that the condition leaves all rows, so it does not change the order. Each
-- filter needs a call of its own, the call must be the whole condition between
-- ANDs, and the number must be written as 1.0: with 0.99, or with both filters
-- in one call, the order may change, while 1 or a parameter is an error.
EXPLAIN QUERY PLAN
SELECT count(*), min(title) FROM found_by_keyword
WHERE likelihood(bloom_may_match(movie_id, (
    SELECT bloom_open(bloom_build(movie_id)) FROM film)), 1.0)
  AND likelihood(bloom_may_match(company_id, (
    SELECT bloom_open(bloom_build(company_id)) FROM company)), 1.0);
-- QUERY PLAN
-- |--SEARCH ...k USING COVERING INDEX keyword_keyword (keyword=?)
-- |--SEARCH ...mk USING INDEX movie_keyword_keyword (keyword_id=?)
-- |--SEARCH ...t USING INTEGER PRIMARY KEY (rowid=?)
-- |--SEARCH ...mc USING INDEX movie_companies_movie (movie_id=?)
-- |--SCALAR SUBQUERY...
-- |  |--SCAN ...movie_keyword
-- |  `--SCALAR SUBQUERY...
-- |     `--SEARCH ...keyword USING COVERING INDEX keyword_keyword (...
-- |--SCALAR SUBQUERY...
-- |  `--SEARCH ...company_name USING COVERING INDEX company_country (...
-- `--SEARCH ...cn USING INTEGER PRIMARY KEY (rowid=?)

INSERT INTO answer
SELECT count(*), min(title) FROM found_by_keyword
WHERE likelihood(bloom_may_match(movie_id, (
    SELECT bloom_open(bloom_build(movie_id)) FROM film)), 1.0)
  AND likelihood(bloom_may_match(company_id, (
    SELECT bloom_open(bloom_build(company_id)) FROM company)), 1.0);

-- Cure 2, where the order without filters is bad, and still is after ANALYZE:
-- CROSS JOIN keeps the order in which the tables are written. Where SQLite's order
-- is good, one that begins with the large table for its filter's sake is worse
-- (tests/bench/README.md, query 5). Here, the order begins with that table because
-- SQLite's did, too, and tests the keyword as soon as it can.
EXPLAIN QUERY PLAN
SELECT count(*), min(title)
FROM movie_companies AS mc CROSS JOIN movie_keyword AS mk
    ON mk.movie_id = mc.movie_id
  CROSS JOIN keyword AS k ON k.id = mk.keyword_id
  CROSS JOIN company_name AS cn ON cn.id = mc.company_id
  CROSS JOIN title AS t ON t.id = mc.movie_id
WHERE cn.country_code = '[us]' AND k.keyword = 'character-name-in-title'
  AND bloom_may_match(mc.movie_id, (
    SELECT bloom_open(bloom_build(movie_id)) FROM film));
-- QUERY PLAN
-- |--SCAN ...mc
-- |--SCALAR SUBQUERY...
-- |  |--SCAN ...movie_keyword
-- |  `--SCALAR SUBQUERY...
-- |     `--SEARCH ...keyword USING COVERING INDEX keyword_keyword (...
-- |--SEARCH ...mk USING INDEX movie_keyword_movie (movie_id=?)
-- |--SEARCH ...k USING INTEGER PRIMARY KEY (rowid=?)
-- |--SEARCH ...cn USING INTEGER PRIMARY KEY (rowid=?)
-- `--SEARCH ...t USING INTEGER PRIMARY KEY (rowid=?)

-- ---- The best join order, written by hand

-- If an index leads from the most selective condition to the large table, begin
-- with that condition, here with the one keyword, and go outward. Where you know
-- the best order and it does not change, nothing is faster. A filter gains
-- nothing then: the rows that it would exclude are never read, but it has to be
-- built.
INSERT INTO answer
SELECT count(*), min(title)
FROM keyword AS k CROSS JOIN movie_keyword AS mk ON mk.keyword_id = k.id
  CROSS JOIN movie_companies AS mc ON mc.movie_id = mk.movie_id
  CROSS JOIN company_name AS cn ON cn.id = mc.company_id
  CROSS JOIN title AS t ON t.id = mc.movie_id
WHERE cn.country_code = '[us]' AND k.keyword = 'character-name-in-title';

SELECT count(*), count(DISTINCT number), count(DISTINCT first), number > 100
FROM answer;
-- 4|1|1|1
