-- bloom_open(filter): a handle, an INTEGER, that stands for the filter until
-- the statement ends, wherever SQL passes it.
.load dist/bloom
.nullvalue NULL

CREATE TABLE filter(f BLOB);
INSERT INTO filter SELECT bloom_build(column1) FROM (VALUES ('hello'), ('world'));
CREATE TABLE word(w);
INSERT INTO word VALUES ('hello'), ('world'), ('x'), ('foo'), (NULL);

-- The usual form: a scalar subquery, which opens the filter once.
SELECT w, bloom_may_match(w, (SELECT bloom_open(f) FROM filter)) FROM word;
-- hello|1
-- world|1
-- x|0
-- foo|0
-- NULL|NULL

SELECT w FROM word WHERE bloom_may_match(w, (SELECT bloom_open(f) FROM filter));
-- hello
-- world

-- Other ways in which it reaches bloom_may_match.
-- each: word, filter => bloom_open(f) | word => bloom_open(x'114000414410401006')
-- each: word => bloom_open((SELECT f FROM filter))
SELECT w FROM {1} WHERE bloom_may_match(w, {2});
-- hello
-- world

SELECT w FROM word WHERE bloom_may_match(w, (SELECT bloom_open(bloom_build('hello'))));
-- hello

SELECT w FROM word WHERE bloom_may_match(w, (SELECT bloom_open(f) FROM filter))
AND bloom_may_match(w, (SELECT bloom_open(bloom_build('hello'))));
-- hello

-- A handle stands for its filter, whatever the filter's bytes are.
SELECT bloom_may_match('x', bloom_open(x'')), bloom_may_match('x', bloom_open(x'ff')),
  bloom_may_match('x', bloom_open(x'00ff')), bloom_may_match('x', bloom_open(x'0000')),
  bloom_may_match('x', bloom_open(zeroblob(0))), bloom_may_match('x', bloom_open(zeroblob(9)));
-- 0|0|1|1|0|1

SELECT bloom_may_match(NULL, bloom_open(x'')), bloom_may_match('x', bloom_open(NULL)),
  bloom_may_match(NULL, bloom_open(NULL));
-- NULL|1|NULL

-- To SQL it is an INTEGER, and bloom_open of a handle is the same handle.
SELECT bloom_open(f) IS NULL, typeof(bloom_open(f)), bloom_open(f) = bloom_open(f) FROM filter;
-- 0|integer|1

SELECT bloom_open(NULL), typeof(bloom_open(NULL)), bloom_may_match('x', bloom_open(bloom_open(f))),
  bloom_open(bloom_open(f)) = bloom_open(f) FROM filter;
-- NULL|null|0|1

-- ---- Wherever SQL passes it, it stands for its filter: two of five words
-- match. (tests/stress/handles.c passes it on in thousands of ways.)
-- each: bloom_open(f) AS h FROM filter ORDER BY f LIMIT 1 | DISTINCT bloom_open(f) AS h FROM filter
-- each: max(rowid), bloom_open(f) AS h FROM filter
SELECT group_concat(w) FROM (SELECT {1}), word WHERE bloom_may_match(w, h);
-- hello,world

SELECT w, bloom_may_match(w, h) FROM word LEFT JOIN (SELECT bloom_open(f) AS h FROM filter) ON w > 'h' ORDER BY w;
-- NULL|NULL
-- foo|1
-- hello|1
-- world|1
-- x|0

-- A common table expression that is used twice is materialised by some
-- versions.
WITH opened(h) AS (SELECT bloom_open(f) FROM filter)
SELECT group_concat(w) FROM opened AS a, opened AS b, word WHERE bloom_may_match(w, a.h) AND bloom_may_match(w, b.h)
  AND a.h = b.h;
-- hello,world

WITH RECURSIVE opened(h, i) AS (SELECT bloom_open(f), 1 FROM filter UNION ALL SELECT h, i + 1 FROM opened WHERE i < 3)
SELECT group_concat(w) FROM (SELECT w FROM opened, word WHERE bloom_may_match(w, h) ORDER BY 1);
-- hello,hello,hello,world,world,world

SELECT group_concat(w) FROM filter, word WHERE bloom_may_match(w, ifnull(nullif(bloom_open(f), 1), x'0001'));
-- hello,world

SELECT group_concat(w) FROM filter, word WHERE bloom_may_match(w, CASE WHEN length(f) < 0 THEN bloom_open(f) END);
-- hello,world,x,foo

SELECT w, bloom_may_match(w, lag(bloom_open(f)) OVER (ORDER BY w)),
  bloom_may_match(w, first_value(bloom_open(f)) OVER (ORDER BY w)),
  bloom_may_match(w, last_value(bloom_open(f)) OVER (ORDER BY w)),
  bloom_may_match(w, nth_value(bloom_open(f), 2) OVER (ORDER BY w)),
  bloom_may_match(w, lead(bloom_open(f), 1, bloom_open(f)) OVER (ORDER BY w)),
  bloom_may_match(w, max(bloom_open(f)) OVER (ORDER BY w))
FROM word, filter ORDER BY w;
-- NULL|NULL|NULL|NULL|NULL|NULL|NULL
-- foo|0|0|0|0|0|0
-- hello|1|1|1|1|1|1
-- world|1|1|1|1|1|1
-- x|0|0|0|0|0|0

-- The same bytes give the same handle, and other bytes another one.
SELECT count(DISTINCT bloom_open(f)), count(*) FROM filter, word;
-- 1|5

SELECT count(DISTINCT bloom_open(column1)) FROM (VALUES (x'0001'), (x'0002'), (x'0001'), (x''), (zeroblob(0)), (NULL));
-- 3

-- ---- Any other value is an error, also one that is computed from a handle.
-- each: CAST(bloom_open(f) AS TEXT) => TEXT '...' (bind a filter as a BLOB; ...)
-- each: CAST(bloom_open(f) AS REAL) => ...e+...
-- each: ~bloom_open(f) => ..., which is not an open handle (a handle ends with its statement, or when ...)
SELECT bloom_may_match('hello', {1}) FROM filter;
-- Error: bloom_may_match: filter must be a BLOB or a bloom_open() handle, got {2}

-- So is a handle that is used after its statement has ended. (handle_test.c has
-- every function that takes one.)
CREATE TABLE kept AS SELECT bloom_open(f) AS h FROM filter;
INSERT INTO kept SELECT bloom_open(f) FROM filter;
SELECT typeof(h), count(DISTINCT h) FROM kept;
-- integer|2

-- each: bloom_may_match('hello', h) => bloom_may_match | bloom_open(h) => bloom_open
SELECT {1} FROM kept;
-- Error: {2}: filter must be a BLOB or a bloom_open() handle, got ..., which is not an open handle (a handle ends with its statement, or when that has opened too many others: store the filter, and open it again)

-- It has no meaning in an index or a generated column and is not allowed there.
CREATE INDEX handles ON filter(bloom_open(f));
-- Error: non-deterministic functions prohibited in index expressions

-- A handle of several parts is not accepted as one filter.
SELECT bloom_add((SELECT bloom_open(column1, 2, f) FROM filter, (VALUES (0), (1))), 'x');
-- Error: bloom_add: filter must be one filter, got a handle of 2 parts, each of which bloom_bytes(handle, part) gives

SELECT bloom_merge(h) FROM (SELECT bloom_open(column1, 2, f) AS h FROM filter, (VALUES (0), (1)));
-- Error: bloom_merge: filter must be one filter, got a handle of 2 parts, each of which bloom_bytes(handle, part) gives

SELECT bytes FROM bloom_info((SELECT bloom_open(column1, 2, f) FROM filter, (VALUES (0), (1))));
-- Error: bloom_info: filter must be one filter, got a handle of 2 parts, each of which bloom_bytes(handle, part) gives

SELECT bloom_bytes((SELECT bloom_open(column1, 2, f) FROM filter, (VALUES (0), (1))));
-- Error: bloom_bytes: part must be given for a handle of 2 parts, as in bloom_bytes(handle, 0)

SELECT bloom_open(0, 1, h) FROM (SELECT bloom_open(column1, 2, f) AS h FROM filter, (VALUES (0), (1)));
-- Error: bloom_open: filter must be one filter, got a handle of 2 parts, each of which bloom_bytes(handle, part) gives (part 0)

-- bloom_open returns it, like any handle.
SELECT group_concat(w) FROM word
WHERE bloom_may_match(w, bloom_open((SELECT bloom_open(column1, 2, f) FROM filter, (VALUES (0), (1)))));
-- hello,world

-- bloom_bytes takes one of its parts, and bloom_keys adds up their keys.
SELECT hex(bloom_bytes((SELECT bloom_open(column1, 2, f) FROM filter, (VALUES (0), (1))), 1)),
  bloom_keys((SELECT bloom_open(column1, 2, f) FROM filter, (VALUES (0), (1))));
-- 114000414410401006|4

-- A filter of one part is a whole filter.
SELECT bloom_open(0, 1, f) = bloom_open(f), bloom_add(bloom_open(0, 1, f), NULL) = f, bloom_merge(h) = f
FROM filter, (SELECT bloom_open(0, 1, f) AS h FROM filter);
-- 1|1|1

SELECT bytes FROM bloom_info((SELECT bloom_open(0, 1, f) FROM filter));
-- 9

SELECT group_concat(w) FROM word
WHERE bloom_may_match(w, (SELECT bloom_open(0, 1, h) FROM (SELECT bloom_open(0, 1, f) AS h FROM filter)));
-- hello,world

-- To other functions it is a number.
SELECT typeof(leveldb_hash(bloom_open(f))), typeof(crc32c(bloom_open(f))),
  bloom_may_match(bloom_open(f), bloom_build(bloom_open(f))) FROM filter;
-- integer|integer|1

-- The functions of a filter accept a handle in its place.
SELECT hex(bloom_bytes(bloom_open(f))), hex(bloom_bytes(bloom_open(f), 0)), bloom_keys(bloom_open(f)) FROM filter;
-- 114000414410401006|114000414410401006|2

SELECT hex(bloom_add(bloom_open(f), NULL)), hex(bloom_merge(bloom_open(f))) FROM filter;
-- 114000414410401006|114000414410401006

SELECT bytes, bits_set FROM filter, bloom_info(bloom_open(f));
-- 9|10

SELECT bytes, bits_set FROM bloom_info((SELECT bloom_open(f) FROM filter));
-- 9|10

-- A trigger and a view can open a filter, too.
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

-- A statement that changes the filters it has opened keeps what it opened.
UPDATE word SET w = w || '!' WHERE bloom_may_match(w, (SELECT bloom_open(f) FROM filter));
SELECT count(*) FROM word WHERE w LIKE '%!';
-- 4

DELETE FROM filter WHERE bloom_may_match('hello', bloom_open(f));
SELECT count(*), bloom_may_match('x', (SELECT bloom_open(f) FROM filter)) FROM filter;
-- 0|1

-- ---- Values that are not filters.
SELECT bloom_open('a filter');
-- Error: bloom_open: filter must be a BLOB or a bloom_open() handle, got TEXT 'a filter'...

SELECT bloom_open();
-- Error: ...wrong number of arguments to function bloom_open()
