-- bloom_open(filter): a handle, an INTEGER, that stands for the filter until the
-- statement ends, wherever SQL takes it.
.load dist/bloom
.nullvalue NULL

CREATE TABLE filter(f BLOB);
INSERT INTO filter SELECT bloom_build(column1) FROM (VALUES ('hello'), ('world'));
CREATE TABLE word(w);
INSERT INTO word VALUES ('hello'), ('world'), ('x'), ('foo'), (NULL);

-- The recipe: a scalar subquery, opened once.
SELECT w, bloom_may_match(w, (SELECT bloom_open(f) FROM filter)) FROM word;
-- hello|1
-- world|1
-- x|0
-- foo|0
-- NULL|NULL

SELECT w FROM word WHERE bloom_may_match(w, (SELECT bloom_open(f) FROM filter));
-- hello
-- world

-- Any other place where it reaches bloom_may_match.
SELECT w FROM word, filter WHERE bloom_may_match(w, bloom_open(f));
-- hello
-- world

SELECT w FROM word WHERE bloom_may_match(w, bloom_open(x'114000414410401006'));
-- hello
-- world

SELECT w FROM word WHERE bloom_may_match(w, bloom_open((SELECT f FROM filter)));
-- hello
-- world

SELECT w FROM word WHERE bloom_may_match(w, (SELECT bloom_open(bloom_build('hello'))));
-- hello

SELECT w FROM word WHERE bloom_may_match(w, (SELECT bloom_open(f) FROM filter))
AND bloom_may_match(w, (SELECT bloom_open(bloom_build('hello'))));
-- hello

-- A handle is what its filter is, whatever that is.
SELECT bloom_may_match('x', bloom_open(x'')), bloom_may_match('x', bloom_open(x'ff')),
  bloom_may_match('x', bloom_open(x'00ff')), bloom_may_match('x', bloom_open(x'0000')),
  bloom_may_match('x', bloom_open(zeroblob(0))), bloom_may_match('x', bloom_open(zeroblob(9)));
-- 0|0|1|1|0|1

SELECT bloom_may_match(NULL, bloom_open(x'')), bloom_may_match('x', bloom_open(NULL)), bloom_may_match(NULL, bloom_open(NULL));
-- NULL|1|NULL

-- SQL sees an INTEGER, and a handle of a handle is itself.
SELECT bloom_open(f) IS NULL, typeof(bloom_open(f)), bloom_open(f) = bloom_open(f) FROM filter;
-- 0|integer|1

SELECT bloom_open(NULL), typeof(bloom_open(NULL)), bloom_may_match('x', bloom_open(bloom_open(f))),
  bloom_open(bloom_open(f)) = bloom_open(f) FROM filter;
-- NULL|null|0|1

-- ---- A handle that is kept past its statement is found out.
CREATE TABLE kept AS SELECT bloom_open(f) AS handle FROM filter;
INSERT INTO kept SELECT bloom_open(f) FROM filter;
SELECT handle, typeof(handle), bloom_may_match('hello', handle), bloom_may_match('x', handle) FROM kept;
-- Error: bloom_may_match: filter must be a BLOB or a bloom_open() handle, got ..., which no open handle has (a handle lives as long as the statement that opened it)

-- Where SQLite hands it on it may still filter, and where not it answers 1. What
-- is asked here is only the members, and that nothing else happens.
SELECT min(bloom_may_match(w, h)) FROM (SELECT bloom_open(f) AS h FROM filter), word WHERE w IN ('hello', 'world');
-- 1

SELECT min(bloom_may_match(w, h)) FROM (SELECT bloom_open(f) AS h FROM filter LIMIT 1), word WHERE w IN ('hello', 'world');
-- 1

SELECT min(bloom_may_match(w, h)) FROM (SELECT bloom_open(f) AS h FROM filter ORDER BY f), word WHERE w IN ('hello', 'world');
-- 1

SELECT min(bloom_may_match(w, h)) FROM (SELECT bloom_open(f) AS h FROM filter ORDER BY 1), word WHERE w IN ('hello', 'world');
-- 1

SELECT min(bloom_may_match(w, h)) FROM (SELECT DISTINCT bloom_open(f) AS h FROM filter), word WHERE w IN ('hello', 'world');
-- 1

SELECT min(bloom_may_match(w, h)) FROM (SELECT bloom_open(f) AS h FROM filter UNION SELECT bloom_open(f) FROM filter),
  word WHERE w IN ('hello', 'world');
-- 1

SELECT min(bloom_may_match(w, h)) FROM (SELECT bloom_open(f) AS h FROM filter UNION ALL SELECT bloom_open(f) FROM filter),
  word WHERE w IN ('hello', 'world');
-- 1

SELECT min(bloom_may_match(w, h)) FROM (SELECT bloom_open(f) AS h FROM filter EXCEPT SELECT 1), word WHERE w IN ('hello', 'world');
-- 1

SELECT min(bloom_may_match(w, h)) FROM (SELECT bloom_open(f) AS h FROM filter GROUP BY f), word WHERE w IN ('hello', 'world');
-- 1

SELECT min(bloom_may_match(w, h)) FROM (SELECT bloom_open(f) AS h FROM filter GROUP BY 1), word WHERE w IN ('hello', 'world');
-- 1

SELECT min(bloom_may_match(w, h)) FROM (SELECT max(bloom_open(f)) AS h FROM filter), word WHERE w IN ('hello', 'world');
-- 1

SELECT min(bloom_may_match(w, h)) FROM (SELECT max(rowid), bloom_open(f) AS h FROM filter), word WHERE w IN ('hello', 'world');
-- 1

-- A common table expression that is used twice is materialised by some versions.
WITH opened(h) AS (SELECT bloom_open(f) FROM filter)
SELECT min(bloom_may_match(w, a.h)), min(bloom_may_match(w, b.h)) FROM opened AS a, opened AS b, word WHERE w IN ('hello', 'world');
-- 1|1

WITH RECURSIVE opened(h, i) AS (SELECT bloom_open(f), 1 FROM filter UNION ALL SELECT h, i + 1 FROM opened WHERE i < 3)
SELECT min(bloom_may_match(w, h)), count(*) FROM opened, word WHERE w IN ('hello', 'world');
-- 1|6

-- coalesce, ifnull, CASE and nullif hand it on.
SELECT bloom_may_match('hello', coalesce(bloom_open(f), x'0001')) FROM filter;
-- 1

SELECT bloom_may_match('hello', coalesce(bloom_open(f), f)), bloom_may_match('x', coalesce(bloom_open(f), f)) FROM filter;
-- 1|0

SELECT bloom_may_match('hello', CASE WHEN length(f) > 0 THEN bloom_open(f) END),
  bloom_may_match('hello', CASE WHEN length(f) < 0 THEN bloom_open(f) END),
  bloom_may_match('x', CASE WHEN length(f) < 0 THEN bloom_open(f) END) FROM filter;
-- 1|1|1

SELECT bloom_may_match('hello', nullif(bloom_open(f), 1)), bloom_may_match('hello', ifnull(bloom_open(f), NULL)),
  bloom_may_match('hello', max(bloom_open(f), bloom_open(f))), bloom_may_match('hello', +bloom_open(f)) FROM filter;
-- 1|1|1|1

SELECT bloom_may_match('hello', CAST(bloom_open(f) AS TEXT)) FROM filter;
-- Error: bloom_may_match: filter must be a BLOB or a bloom_open() handle, got TEXT '...'

SELECT w, bloom_may_match('hello', lag(bloom_open(f)) OVER (ORDER BY w)), bloom_may_match('hello', first_value(bloom_open(f)) OVER (ORDER BY w)),
  bloom_may_match('hello', last_value(bloom_open(f)) OVER (ORDER BY w)), bloom_may_match('hello', nth_value(bloom_open(f), 2) OVER (ORDER BY w)),
  bloom_may_match('hello', lead(bloom_open(f), 1, bloom_open(f)) OVER (ORDER BY w)), bloom_may_match('hello', max(bloom_open(f)) OVER (ORDER BY w))
FROM word, filter ORDER BY w;
-- NULL|1|1|1|1|1|1
-- foo|1|1|1|1|1|1
-- hello|1|1|1|1|1|1
-- world|1|1|1|1|1|1
-- x|1|1|1|1|1|1

-- To other functions it is a number.
SELECT typeof(leveldb_hash(bloom_open(f))), typeof(crc32c(bloom_open(f))), bloom_may_match(bloom_open(f), bloom_build(bloom_open(f))) FROM filter;
-- integer|integer|1

-- bloom_add, bloom_merge and bloom_info take a handle for its filter.
SELECT hex(bloom_add(bloom_open(f), NULL)), hex(bloom_merge(bloom_open(f))) FROM filter;
-- 114000414410401006|114000414410401006

SELECT bytes, bits_set FROM filter, bloom_info(bloom_open(f));
-- 9|10

SELECT bytes, bits_set FROM bloom_info((SELECT bloom_open(f) FROM filter));
-- 9|10

-- A trigger and a view open it too.
CREATE VIEW found AS SELECT w FROM word WHERE bloom_may_match(w, (SELECT bloom_open(f) FROM filter));
SELECT group_concat(w) FROM found;
-- hello,world

CREATE TABLE passed(w);
CREATE TRIGGER word_added AFTER INSERT ON word WHEN bloom_may_match(new.w, (SELECT bloom_open(f) FROM filter)) BEGIN
  INSERT INTO passed VALUES (new.w);
END;
INSERT INTO word VALUES ('hello'), ('y'), ('world'), ('z');
SELECT group_concat(w) FROM passed;
-- hello,world

-- A statement that changes the filters it has opened goes on with what it opened.
UPDATE word SET w = w || '!' WHERE bloom_may_match(w, (SELECT bloom_open(f) FROM filter));
SELECT count(*) FROM word WHERE w LIKE '%!';
-- 4

DELETE FROM filter WHERE bloom_may_match('hello', bloom_open(f));
SELECT count(*), bloom_may_match('x', (SELECT bloom_open(f) FROM filter)) FROM filter;
-- 0|1

-- ---- What is no filter.
SELECT bloom_open('a filter');
-- Error: bloom_open: filter must be a BLOB or a bloom_open() handle, got TEXT 'a filter'

SELECT bloom_open(1);
-- Error: bloom_open: filter must be a BLOB or a bloom_open() handle, got 1, which no open handle has (a handle lives as long as the statement that opened it)

SELECT bloom_open(1.5);
-- Error: bloom_open: filter must be a BLOB or a bloom_open() handle, got 1.5

SELECT bloom_open();
-- Error: ...wrong number of arguments to function bloom_open()

SELECT bloom_open(x'', x'');
-- Error: ...wrong number of arguments to function bloom_open()

SELECT bloom_may_match('hello', bloom_open(x'114000414410401006'));
-- 1
