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

-- Other ways in which it reaches bloom_may_match: two of five words match.
-- (tests/stress/handles.c passes it on in thousands of ways.)
-- each: bloom_open(f) AS h FROM filter | bloom_open(x'114000414410401006') AS h | bloom_open((SELECT f FROM filter)) AS h
-- each: bloom_open(f) AS h FROM filter ORDER BY f LIMIT 1 | DISTINCT bloom_open(f) AS h FROM filter
-- each: max(rowid), bloom_open(f) AS h FROM filter | ifnull(nullif(bloom_open(f), 1), x'0001') AS h FROM filter
-- each: last_value(bloom_open(f)) OVER () AS h FROM filter
SELECT group_concat(w) FROM (SELECT {1}), word WHERE bloom_may_match(w, h);
-- hello,world

SELECT w FROM word WHERE bloom_may_match(w, (SELECT bloom_open(f) FROM filter))
AND bloom_may_match(w, (SELECT bloom_open(bloom_build('hello'))));
-- hello

-- A handle stands for its filter, whatever the filter's bytes are.
SELECT bloom_may_match('x', bloom_open(x'')), bloom_may_match('x', bloom_open(x'ff')),
  bloom_may_match('x', bloom_open(x'00ff')), bloom_may_match('x', bloom_open(x'0000')),
  bloom_may_match('x', bloom_open(zeroblob(0))), bloom_may_match('x', bloom_open(zeroblob(9)));
-- 0|0|1|1|0|1

SELECT bloom_may_match(NULL, bloom_open(x'')), bloom_may_match('x', bloom_open(NULL)),
  bloom_may_match(NULL, bloom_open(NULL)), bloom_open(NULL);
-- NULL|1|NULL|NULL

-- To SQL it is an INTEGER, and bloom_open of a handle is the same handle.
SELECT typeof(bloom_open(f)), bloom_open(f) = bloom_open(f), bloom_open(bloom_open(f)) = bloom_open(f),
  typeof(leveldb_hash(bloom_open(f))), typeof(crc32c(bloom_open(f))),
  bloom_may_match(bloom_open(f), bloom_build(bloom_open(f))) FROM filter;
-- integer|1|1|integer|integer|1

-- The functions of a filter accept a handle in its place.
SELECT hex(bloom_bytes(bloom_open(f))), hex(bloom_bytes(bloom_open(f), 0)), bloom_keys(bloom_open(f)) FROM filter;
-- 114000414410401006|114000414410401006|2

SELECT hex(bloom_add(bloom_open(f), NULL)), hex(bloom_merge(bloom_open(f))) FROM filter;
-- 114000414410401006|114000414410401006

SELECT bytes, bits_set FROM filter, bloom_info(bloom_open(f));
-- 9|10

-- ---- The same bytes give the same handle, and other bytes another one.
SELECT count(DISTINCT bloom_open(f)), count(*) FROM filter, word;
-- 1|5

SELECT count(DISTINCT bloom_open(column1)) FROM (VALUES (x'0001'), (x'0002'), (x'0001'), (x''), (zeroblob(0)), (NULL));
-- 3

SELECT bloom_open(f) = (SELECT bloom_open(column1, 2, column2) FROM (VALUES (0, x'114000414410401006'), (1, x'')))
FROM filter;
-- 0

-- So do bytes that have one crc: f176ec0501 is the polynomial of CRC-32C, which
-- changes no crc when it is XORed into the bytes.
CREATE TABLE alike AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n LIMIT 200)
SELECT i, CAST(zeroblob(5 * i) || x'f176ec0501' || zeroblob(995 - 5 * i) || x'01' AS BLOB) AS f FROM n;
SELECT count(DISTINCT crc32c(f)), count(DISTINCT f), count(DISTINCT bloom_open(f)) FROM alike;
-- 1|200|200

-- All of them are open at once, and each stands for its own bytes.
-- each: bloom_add(h, NULL) IS f | bloom_may_match(k, h) IS bloom_may_match(k, f)
SELECT count(*) FROM (SELECT f, bloom_open(f) AS h FROM alike ORDER BY random() LIMIT 200), (SELECT i AS k FROM alike)
WHERE NOT {1};
-- 0

-- ---- Any other value is an error, also one that is computed from a handle.
-- each: CAST(bloom_open(f) AS TEXT) => TEXT '...' (bind a filter as a BLOB; ...)
-- each: CAST(bloom_open(f) AS REAL) => ...e+...
-- each: ~bloom_open(f) => ..., which is not an open handle (a handle ends with its statement, or when ...)
-- each: bloom_open(f) + 1 => ..., which is not an open handle (...) | bloom_open(f) + (1 << 40) => ..., which is not an open handle (...)
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
-- Error: {2}: filter must be a BLOB or a bloom_open() handle, got ..., which is not an open handle (a handle ends with its statement, or when the statement has opened too many others: store the filter, and open it again)

-- The handle that a trigger's program has opened ends with the program, although
-- the statement has the same bytes open; one that it was given does not.
CREATE TABLE log(h, w, m);
CREATE TRIGGER log_insert AFTER INSERT ON log WHEN NEW.h NOT NULL BEGIN
  UPDATE log SET m = bloom_may_match('hello', NEW.h) + bloom_may_match('x', NEW.h) WHERE w = NEW.w;
  INSERT INTO log(m) SELECT bloom_open(f) FROM filter;
  SELECT bloom_may_match('hello', m) FROM log WHERE h IS NULL;
END;
INSERT INTO log(h, w) SELECT bloom_open(f), w FROM filter, word LIMIT 1;
SELECT m FROM log WHERE h NOT NULL;
-- 1

DELETE FROM log;
INSERT INTO log(h, w) SELECT bloom_open(f), w FROM filter, word LIMIT 2;
-- Error: bloom_may_match: filter must be a BLOB or a bloom_open() handle, got ..., which is not an open handle (...)

-- It has no meaning in an index or a generated column and is not allowed there.
CREATE INDEX handles ON filter(bloom_open(f));
-- Error: non-deterministic functions prohibited in index expressions

-- ---- A handle of several parts is not accepted as one filter.
CREATE VIEW parted AS SELECT bloom_open(column1, 2, f) AS h FROM filter, (VALUES (0), (1));

-- each: bloom_add(h, 'x') => bloom_add | bloom_merge(h) => bloom_merge | (SELECT bytes FROM bloom_info(h)) => bloom_info
SELECT {1} FROM parted;
-- Error: {2}: filter must be one filter, got a handle of 2 parts, each of which bloom_bytes(handle, part) gives

SELECT bloom_bytes(h) FROM parted;
-- Error: bloom_bytes: part must be given for a handle of 2 parts, as in bloom_bytes(handle, 0)

SELECT bloom_open(0, 1, h) FROM parted;
-- Error: bloom_open: filter must be one filter, got a handle of 2 parts, each of which bloom_bytes(handle, part) gives (part 0)

-- bloom_open returns it, like any handle; bloom_bytes takes one of its parts, and
-- bloom_keys adds up their keys.
SELECT group_concat(CASE WHEN bloom_may_match(w, bloom_open(h)) THEN w END), hex(bloom_bytes(h, 1)), bloom_keys(h)
FROM word, parted;
-- hello,world|114000414410401006|4

-- A filter of one part is a whole filter.
SELECT h = bloom_open(f), bloom_add(h, NULL) = f, bloom_merge(h) = f, bloom_open(0, 1, h) = h,
  (SELECT bytes FROM bloom_info(h)), bloom_bytes(h) = f, bloom_keys(h) = bloom_keys(f), bloom_may_match('hello', h)
FROM filter, (SELECT bloom_open(0, 1, f) AS h FROM filter);
-- 1|1|1|1|9|1|1|1

-- ---- A trigger and a view can open a filter, too.
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
