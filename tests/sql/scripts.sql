-- bloom_parts_sql(table, column [, bits_per_key]) and bloom_blocks_sql(table,
-- column [, bits_per_key [, rows]]): the script that keeps a filter, and what it
-- keeps. Scripts are run as users do, from a file.
.load dist/bloom
.nullvalue NULL
PRAGMA trusted_schema = OFF;

-- ---- Errors: before any text.
CREATE TABLE t(id INTEGER PRIMARY KEY, c TEXT, n TEXT COLLATE NOCASE, r TEXT COLLATE RTRIM);
CREATE TABLE bare(c TEXT);
CREATE TABLE keyed(a INTEGER, c TEXT, PRIMARY KEY(a, c));
CREATE TABLE descending(id INTEGER PRIMARY KEY DESC, c TEXT);
CREATE TABLE int(id INT PRIMARY KEY, c TEXT);
CREATE TABLE without(id INTEGER PRIMARY KEY, c TEXT) WITHOUT ROWID;
CREATE VIEW seen AS SELECT * FROM t;
CREATE TEMP TABLE passing(id INTEGER PRIMARY KEY, c TEXT);
CREATE TABLE counted(id INTEGER PRIMARY KEY AUTOINCREMENT);
ATTACH ':memory:' AS other;
CREATE TABLE other.elsewhere(id INTEGER PRIMARY KEY, c TEXT);
SELECT bloom_parts_sql('no such', 'c');
-- Error: bloom_parts_sql: table must be the name of a table in main, got TEXT 'no such'

SELECT bloom_parts_sql('elsewhere', 'c');
-- Error: bloom_parts_sql: table must be the name of a table in main, got TEXT 'elsewhere'

SELECT bloom_parts_sql('seen', 'c');
-- Error: bloom_parts_sql: table must be the name of a table in main, got TEXT 'seen', a view

SELECT bloom_parts_sql('passing', 'c');
-- Error: bloom_parts_sql: table must be the name of a table in main, got TEXT 'passing', a temporary table

SELECT bloom_parts_sql('sqlite_sequence', 'name');
-- Error: bloom_parts_sql: table must be the name of a table in main, got TEXT 'sqlite_sequence', which is SQLite's own

SELECT bloom_parts_sql('sqlite_master', 'name');
-- Error: bloom_parts_sql: table must be the name of a table in main, got TEXT 'sqlite_master'

SELECT bloom_parts_sql(NULL, 'c');
-- Error: bloom_parts_sql: table must be the name of a table in main, got NULL

SELECT bloom_parts_sql(7, 'c');
-- Error: bloom_parts_sql: table must be the name of a table in main, got 7

SELECT bloom_parts_sql(x'74', 'c');
-- Error: bloom_parts_sql: table must be the name of a table in main, got a BLOB of 1 byte

SELECT bloom_parts_sql('t', 'd');
-- Error: bloom_parts_sql: column must be the name of a column of that table, got TEXT 'd'

-- No name of the row's number that is no column.
SELECT bloom_parts_sql('t', 'rowid');
-- Error: bloom_parts_sql: column must be the name of a column of that table, got TEXT 'rowid'

SELECT bloom_parts_sql('t', NULL);
-- Error: bloom_parts_sql: column must be the name of a column of that table, got NULL

SELECT bloom_blocks_sql('t', x'63');
-- Error: bloom_blocks_sql: column must be the name of a column of that table, got a BLOB of 1 byte

SELECT bloom_parts_sql('t', 'n');
-- Error: bloom_parts_sql: column must be a column of collation BINARY, got TEXT 'n', whose collation is NOCASE: keep a generated column instead, lower() of it

SELECT bloom_blocks_sql('t', 'r');
-- Error: bloom_blocks_sql: column must be a column of collation BINARY, got TEXT 'r', whose collation is RTRIM: keep a generated column instead, rtrim() of it

SELECT bloom_parts_sql('t', 'c', 0);
-- Error: bloom_parts_sql: bits_per_key must be an integer from 1 to 100 (bits for each key, not in total), got 0

SELECT bloom_blocks_sql('t', 'c', 101);
-- Error: bloom_blocks_sql: bits_per_key must be an integer from 1 to 100 (bits for each key, not in total), got 101

SELECT bloom_parts_sql('t', 'c', NULL);
-- Error: bloom_parts_sql: bits_per_key must be an integer from 1 to 100 (bits for each key, not in total), got NULL

SELECT bloom_blocks_sql('t', 'c', 12, 0);
-- Error: bloom_blocks_sql: rows must be an integer from 1 to 1048576, got 0

SELECT bloom_blocks_sql('t', 'c', 12, 1048577);
-- Error: bloom_blocks_sql: rows must be an integer from 1 to 1048576, got 1048577

SELECT bloom_blocks_sql('t', 'c', 12, NULL);
-- Error: bloom_blocks_sql: rows must be an integer from 1 to 1048576, got NULL

SELECT bloom_blocks_sql('bare', 'c');
-- Error: bloom_blocks_sql: table must be a table with an INTEGER PRIMARY KEY that is its rowid (without one, VACUUM and a dump renumber its rows), got TEXT 'bare'

SELECT bloom_blocks_sql('keyed', 'c');
-- Error: bloom_blocks_sql: table must be a table with an INTEGER PRIMARY KEY ..., got TEXT 'keyed'

SELECT bloom_blocks_sql('descending', 'c');
-- Error: bloom_blocks_sql: table must be a table with an INTEGER PRIMARY KEY ..., got TEXT 'descending'

SELECT bloom_blocks_sql('int', 'c');
-- Error: bloom_blocks_sql: table must be a table with an INTEGER PRIMARY KEY ..., got TEXT 'int'

SELECT bloom_blocks_sql('without', 'c');
-- Error: bloom_blocks_sql: table must be a table with an INTEGER PRIMARY KEY ..., got TEXT 'without'

SELECT bloom_blocks_sql('t', 'id');
-- Error: bloom_blocks_sql: column must be another one than the INTEGER PRIMARY KEY, by which the blocks are made, got TEXT 'id'

SELECT bloom_parts_sql('t');
-- Error: ...wrong number of arguments to function bloom_parts_sql()

SELECT bloom_blocks_sql('t', 'c', 12, 4096, 1);
-- Error: ...wrong number of arguments to function bloom_blocks_sql()

-- Names with control characters, which could end a comment.
CREATE TABLE "two	words"(id INTEGER PRIMARY KEY, c TEXT);
CREATE TABLE tab(id INTEGER PRIMARY KEY, "a	b" TEXT);
CREATE TABLE number("i
d" INTEGER PRIMARY KEY, c TEXT);
SELECT bloom_parts_sql('two' || char(9) || 'words', 'c');
-- Error: bloom_parts_sql: table must be a name without control characters, got TEXT ...

SELECT bloom_parts_sql('tab', 'a' || char(9) || 'b');
-- Error: bloom_parts_sql: column must be a name without control characters, got TEXT ...

SELECT bloom_blocks_sql('number', 'c');
-- Error: bloom_blocks_sql: table must be one whose key has a name without control characters, got TEXT 'number'

-- Not from a schema, nor from a trigger.
CREATE VIEW script AS SELECT bloom_parts_sql('t', 'c') AS text;

-- since: 3.31
SELECT text FROM script;
-- Error: ...unsafe use of bloom_parts_sql()

DROP VIEW script;
CREATE INDEX refused ON t(bloom_parts_sql('t', 'c'));
-- Error: ...

-- Nothing is dropped that another made: a table, a view, an index or a trigger
-- of a needed name.
CREATE TABLE T_C_PARTS(mine);
SELECT bloom_parts_sql('t', 'c');
-- Error: bloom_parts_sql: "t_c_parts" is there already, and its SQL does not say that it is made by bloom_parts_sql('t', 'c'): rename it, or drop it

SELECT length(bloom_blocks_sql('t', 'c')) > 1000;
-- 1

DROP TABLE t_c_parts;
CREATE INDEX t_c_spans ON t(c);
SELECT bloom_blocks_sql('t', 'c');
-- Error: bloom_blocks_sql: "t_c_spans" is there already, ...

DROP INDEX t_c_spans;
CREATE TRIGGER t_c_blocks_after_update AFTER UPDATE ON t BEGIN SELECT 1; END;
SELECT bloom_blocks_sql('t', 'c');
-- Error: bloom_blocks_sql: "t_c_blocks_after_update" is there already, ...

DROP TRIGGER t_c_blocks_after_update;

-- a_b of column c and a of column b_c would make the same objects.
CREATE TABLE a_b(c TEXT);
CREATE TABLE a(b_c TEXT);
.once scripts_test.sql
SELECT bloom_parts_sql('a_b', 'c');
.read scripts_test.sql
SELECT bloom_parts_sql('a', 'b_c');
-- Error: bloom_parts_sql: "a_b_c_parts" is there already, and its SQL does not say that it is made by bloom_parts_sql('a', 'b_c'): rename it, or drop it

-- ---- The text: it looks at no row, and is the same whatever case the names
-- are written in.
SELECT bloom_parts_sql('T', 'C') = bloom_parts_sql('t', 'c'), bloom_parts_sql('t', 'c') = bloom_parts_sql('t', 'c', '10'),
  bloom_blocks_sql('t', 'c') = bloom_blocks_sql('T', 'C', 12, 4096.0), typeof(bloom_parts_sql('t', 'c'));
-- 1|1|1|text

SELECT bloom_parts_sql('t', 'c') LIKE '%' || char(10) || 'SAVEPOINT bloom;' || char(10) || '%' || char(10) || 'RELEASE bloom;' || char(10) || '%--   DROP TABLE "t_c_parts";' || char(10),
  bloom_blocks_sql('t', 'c') LIKE '%' || char(10) || 'SAVEPOINT bloom;' || char(10) || '%' || char(10) || 'RELEASE bloom;' || char(10) || '%--   DROP TABLE "t_c_blocks";' || char(10);
-- 1|1

-- ---- Parts: the table of the README.
CREATE TABLE page(id INTEGER PRIMARY KEY, url TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 90000)
INSERT INTO page SELECT i, 'https://example.org/' || i FROM n;
.once scripts_test.sql
SELECT bloom_parts_sql('page', 'url');
.read scripts_test.sql
SELECT count(*), min(part), max(part), parts BETWEEN 85 AND 96, room, min(length(f)), max(length(f)), parts = count(*) FROM page_url_parts;
-- ...|0|...|1|1500|1876|1876|1

-- What it made, and nothing else: each says so.
SELECT type, name FROM sqlite_master WHERE sql LIKE '%made by bloom_parts_sql(''page'', ''url'')%';
-- table|page_url_parts
-- trigger|page_url_parts_before_insert
-- trigger|page_url_parts_after_insert
-- trigger|page_url_parts_before_update
-- trigger|page_url_parts_after_update
-- view|page_url_part
-- view|page_url_filter
-- view|page_url_parts_check

SELECT * FROM page_url_parts_check;
SELECT count(*), typeof(filter) FROM page_url_filter;
-- 1|integer

-- The queries of its last lines.
CREATE TABLE other(key TEXT);
INSERT INTO other SELECT url || CASE id % 100 WHEN 0 THEN '' ELSE '?' END FROM page WHERE id <= 20000;
SELECT count(*) FROM other JOIN "page" ON "page"."url" = other.key
WHERE bloom_may_match(other.key, (SELECT filter FROM "page_url_filter"));
-- 200

SELECT count(*) < 500 FROM other WHERE bloom_may_match(other.key, (SELECT filter FROM "page_url_filter"));
-- 1

-- since: 3.28
.parameter init
.parameter set :key "'https://example.org/777'"
SELECT * FROM "page" WHERE "page"."url" = CASE WHEN bloom_may_match(:key,
  (SELECT f FROM "page_url_part" WHERE part = bloom_part(:key, parts)))
  THEN :key END;
-- 777|https://example.org/777

-- since: 3.28
.parameter set :key "'https://example.org/no such'"
SELECT bloom_may_match(:key, (SELECT f FROM "page_url_part" WHERE part = bloom_part(:key, parts)));
-- 0

-- Its part is found by its number.
EXPLAIN QUERY PLAN SELECT f FROM "page_url_part" WHERE part = bloom_part(:key, parts);
-- QUERY PLAN
-- |--SEARCH ...n USING INTEGER PRIMARY KEY (rowid=?)
-- |--CORRELATED SCALAR SUBQUERY...
-- |  `--SEARCH ...m USING INTEGER PRIMARY KEY (rowid=?)
-- |--SCALAR SUBQUERY...
-- |  `--SCAN ...m
-- `--SEARCH ...p USING INTEGER PRIMARY KEY (rowid=?)

-- ---- Kept, however a key comes.
CREATE VIEW lost AS SELECT count(*) AS lost FROM page
WHERE url IS NOT NULL AND NOT (bloom_may_match(url, (SELECT filter FROM page_url_filter))
  AND bloom_may_match(url, (SELECT f FROM page_url_part WHERE part = bloom_part(url, parts))));
CREATE UNIQUE INDEX page_url ON page(url);
INSERT INTO page VALUES (90001, 'inserted'), (90002, NULL), (90003, 7), (90004, x'00ff'), (90005, 1.5);
INSERT OR IGNORE INTO page VALUES (90006, 'inserted or ignored'), (1, 'ignored');
REPLACE INTO page VALUES (2, 'replaced');
INSERT INTO page VALUES (3, 'upserted') ON CONFLICT(id) DO UPDATE SET url = excluded.url;
INSERT INTO page(url) VALUES ('https://example.org/4') ON CONFLICT(url) DO UPDATE SET url = 'updated by upsert';
UPDATE page SET url = 'updated' WHERE id = 5;
UPDATE OR REPLACE page SET url = 'inserted' WHERE id = 6;
UPDATE page SET rowid = -7 WHERE id = 7;
INSERT INTO page SELECT 90100 + id, 'selected ' || id FROM page WHERE id < 50;
SELECT * FROM lost;
-- 0

SELECT count(*) FROM page WHERE url IN ('inserted', 'replaced', 'upserted', 'updated by upsert', 'updated', 'inserted or ignored');
-- 6

BEGIN;
INSERT INTO page(url) VALUES ('rolled back');
SELECT * FROM lost;
-- 0

ROLLBACK;
SELECT bloom_may_match('rolled back', filter), bloom_may_match('inserted', filter) FROM page_url_filter;
-- 0|1

-- A key that is there costs a probe, not a write.
CREATE TABLE writes(part INTEGER);
CREATE TRIGGER writes AFTER UPDATE ON page_url_parts BEGIN INSERT INTO writes VALUES (NEW.part); END;
INSERT OR IGNORE INTO page(url) VALUES ('https://example.org/8'), ('inserted');
UPDATE page SET url = url || '';
SELECT count(*) FROM writes;
-- 0

INSERT INTO page(url) VALUES ('written once');
SELECT count(*) FROM writes;
-- 1

DROP TRIGGER writes;

-- Other triggers that end a statement early leave the row: its key is there.
CREATE TRIGGER early AFTER INSERT ON page WHEN NEW.url LIKE 'early%' BEGIN
  SELECT CASE NEW.url WHEN 'early 1' THEN RAISE(IGNORE) WHEN 'early 2' THEN RAISE(FAIL, 'failed') END;
END;
CREATE TRIGGER early_update AFTER UPDATE ON page WHEN NEW.url LIKE 'early%' BEGIN SELECT RAISE(IGNORE); END;
INSERT INTO page(url) VALUES ('early 1');
INSERT INTO page(url) VALUES ('early 2');
-- Error: failed

UPDATE page SET url = 'early 3' WHERE id = 10;
SELECT count(*) FROM page WHERE url LIKE 'early%';
-- 3

SELECT * FROM lost;
-- 0

-- ---- What is missing is told, and loses no row. A trigger:
SAVEPOINT broken;
DROP TRIGGER page_url_parts_before_insert;
SELECT * FROM page_url_parts_check;
-- trigger page_url_parts_before_insert is missing, so no row is excluded: run what bloom_parts_sql('page', 'url', 10) writes

SELECT count(*) FROM page_url_part;
-- 0

SELECT filter, bloom_may_match('no such', filter), bloom_may_match('no such', (SELECT f FROM page_url_part WHERE part = bloom_part('no such', parts))) FROM page_url_filter;
-- NULL|1|1

-- One of its name that does something else, or for another table.
CREATE TRIGGER page_url_parts_before_insert BEFORE INSERT ON page BEGIN SELECT 1; END;
SELECT * FROM page_url_parts_check;
-- the triggers are not as they were made, so no row is excluded: run what bloom_parts_sql('page', 'url', 10) writes

SELECT filter, (SELECT count(*) FROM page_url_part) FROM page_url_filter;
-- NULL|0

DROP TRIGGER page_url_parts_before_insert;
CREATE TRIGGER page_url_parts_before_insert BEFORE INSERT ON other BEGIN SELECT 1; END;
SELECT * FROM page_url_parts_check;
-- trigger page_url_parts_before_insert is missing, ...

SELECT filter, (SELECT count(*) FROM page_url_part) FROM page_url_filter;
-- NULL|0

-- The same trigger of a column that was renamed.
ROLLBACK TO broken;
ALTER TABLE page RENAME COLUMN url TO address;
SELECT count(*) FROM page_url_part;
-- 0

-- Any other: one key looks for one trigger only, where that was made. If it is
-- another there, as after VACUUM, it looks for all of them.
ROLLBACK TO broken;
DROP TRIGGER page_url_parts_after_insert;
SELECT filter FROM page_url_filter;
-- NULL

SELECT count(*) > 0 FROM page_url_part;
-- 1

UPDATE page_url_parts SET trigger_row = 1;
SELECT count(*) FROM page_url_part;
-- 0

ROLLBACK TO broken;
DROP TRIGGER page_url_parts_after_update;
SELECT filter FROM page_url_filter;
-- NULL

ROLLBACK TO broken;
DROP TRIGGER page_url_parts_before_update;
SELECT filter FROM page_url_filter;
-- NULL

ROLLBACK TO broken;
UPDATE page_url_parts SET trigger_row = 1;
SELECT count(*) > 0 FROM page_url_part;
-- 1

ROLLBACK TO broken;

-- A part: an error for all, and "perhaps" for its keys.
DELETE FROM page_url_parts WHERE part = bloom_part('inserted', parts);
SELECT filter FROM page_url_filter;
-- Error: bloom_open: part ... of ... is missing (... came)

SELECT * FROM page_url_parts_check;
-- parts are missing, 1 of ...: run what bloom_parts_sql('page', 'url', 10) writes

SELECT bloom_may_match('inserted', (SELECT f FROM page_url_part WHERE part = bloom_part('inserted', parts)));
-- 1

INSERT INTO page(url) VALUES ('of whatever part');
ROLLBACK TO broken;

-- The first part, and all of them.
DELETE FROM page_url_parts WHERE part = 0;
SELECT count(*) FROM page WHERE url IS NOT NULL AND NOT bloom_may_match(url, (SELECT f FROM page_url_part WHERE part = bloom_part(url, parts)));
-- 0

DELETE FROM page_url_parts;
INSERT INTO page(url) VALUES ('while there are no parts');
SELECT filter, bloom_may_match('no such', (SELECT f FROM page_url_part WHERE part = bloom_part('no such', parts))) FROM page_url_filter;
-- NULL|1

SELECT * FROM page_url_parts_check;
-- all parts are missing, so no row is excluded: run what bloom_parts_sql('page', 'url', 10) writes

ROLLBACK TO broken;

-- Parts of another filter.
UPDATE page_url_parts SET parts = 64 WHERE part = 3;
SELECT count(*) FROM page_url_part WHERE part = 3;
-- 0

SELECT filter FROM page_url_filter;
-- Error: bloom_open: parts must be the same in every row, got 64 after ...

SELECT * FROM page_url_parts_check;
-- there are 64 parts by one row, ... by another: run what bloom_parts_sql('page', 'url', 10) writes

SELECT count(*) FROM page WHERE url IS NOT NULL AND NOT bloom_may_match(url, (SELECT f FROM page_url_part WHERE part = bloom_part(url, parts)));
-- 0

ROLLBACK TO broken;
RELEASE broken;

-- ---- Outgrown: the filter excludes less, loses nothing and says so. Running it
-- again is growth, in a transaction too.
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 110000)
INSERT INTO page(url) SELECT 'grown ' || i FROM n;
SELECT * FROM page_url_parts_check;
-- more keys than room in ... of the parts, some ... for 1500 in part ..., which lets ... % of absent keys through: run what bloom_parts_sql('page', 'url', 10) writes

BEGIN;
.once scripts_test.sql
SELECT bloom_parts_sql('page', 'url', 12);
.read scripts_test.sql
COMMIT;
SELECT * FROM page_url_parts_check;
SELECT count(*) BETWEEN 190 AND 215, max(length(f)) FROM page_url_parts;
-- 1|2251

SELECT * FROM lost;
-- 0

-- The same where nothing was there: few keys, none, many of one key.
CREATE TABLE few(c);
CREATE TABLE same(c);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
INSERT INTO same SELECT i % 7 FROM n;
.once scripts_test.sql
SELECT bloom_parts_sql('few', 'c') || bloom_parts_sql('same', 'c');
.read scripts_test.sql
SELECT (SELECT count(*) FROM few_c_parts), (SELECT count(*) FROM same_c_parts), bloom_may_match(6, (SELECT filter FROM same_c_filter)), bloom_may_match(7, (SELECT filter FROM same_c_filter)),
  bloom_may_match(6, (SELECT filter FROM few_c_filter));
-- 64|64|1|0|0

INSERT INTO few VALUES (6);
SELECT bloom_may_match(6, filter) FROM few_c_filter;
-- 1

-- Emptied and filled again.
DELETE FROM few;
INSERT INTO few VALUES (8);
SELECT bloom_may_match(8, filter) FROM few_c_filter;
-- 1

-- ---- Columns that a trigger does not see before the row: one generated, stored
-- or not, one with a default, and the id itself.
-- since: 3.31
CREATE TABLE odd(id INTEGER PRIMARY KEY, a TEXT, b TEXT, virtual TEXT AS (a || b), stored TEXT AS (b || a) STORED, word TEXT NOT NULL DEFAULT 'it''s', number NOT NULL DEFAULT 7);
.once scripts_test.sql
SELECT bloom_parts_sql('odd', 'virtual') || bloom_parts_sql('odd', 'stored') || bloom_parts_sql('odd', 'word') || bloom_parts_sql('odd', 'number') || bloom_parts_sql('odd', 'id') ||
  bloom_blocks_sql('odd', 'virtual', 10, 4) || bloom_blocks_sql('odd', 'word', 10, 4);
.read scripts_test.sql
CREATE TRIGGER odd_early AFTER INSERT ON odd BEGIN SELECT RAISE(IGNORE); END;
CREATE TRIGGER odd_early_update AFTER UPDATE ON odd BEGIN SELECT RAISE(IGNORE); END;
INSERT INTO odd(a, b) VALUES ('a', 'b'), ('c', 'd'), ('e', 'f');
INSERT OR REPLACE INTO odd(a, b, word, number) VALUES ('g', 'h', NULL, NULL);
UPDATE odd SET a = 'i' WHERE id = 2;
UPDATE OR REPLACE odd SET word = NULL, number = NULL WHERE id = 3;
UPDATE odd SET id = 1000 WHERE id = 1;
INSERT INTO odd(a, b) VALUES ('k', 'l');
CREATE VIEW odd_lost AS SELECT count(*) AS all_of, sum(bloom_may_match(virtual, (SELECT filter FROM odd_virtual_filter))) AS virtual, sum(bloom_may_match(stored, (SELECT filter FROM odd_stored_filter))) AS stored,
  sum(bloom_may_match(word, (SELECT filter FROM odd_word_filter))) AS word, sum(bloom_may_match(number, (SELECT filter FROM odd_number_filter))) AS number, sum(bloom_may_match(id, (SELECT filter FROM odd_id_filter))) AS id,
  (SELECT count(*) FROM odd_virtual_spans AS s CROSS JOIN odd AS k ON k.id BETWEEN s.first AND s.last WHERE bloom_may_match(k.virtual, s.f)) AS blocks,
  (SELECT count(*) FROM odd_word_spans AS s CROSS JOIN odd AS k ON k.id BETWEEN s.first AND s.last WHERE bloom_may_match(k.word, s.f)) AS blocks_word FROM odd;
SELECT * FROM odd_lost;
-- 5|5|5|5|5|5|5|5

-- since: 3.31
SELECT DISTINCT id, virtual, stored, word, number FROM odd;
-- 2|id|di|it's|7
-- 3|ef|fe|it's|7
-- 4|gh|hg|it's|7
-- 1000|ab|ba|it's|7
-- 1001|kl|lk|it's|7

-- A generated column alone: what it is made of is not told a trigger before the
-- row, unless the trigger names it.
-- since: 3.31
CREATE TABLE made(id INTEGER PRIMARY KEY, a TEXT, b TEXT, c TEXT AS (a || b));
INSERT INTO made(a, b) VALUES ('a', 'b');
.once scripts_test.sql
SELECT bloom_parts_sql('made', 'c');
.read scripts_test.sql
CREATE TRIGGER made_early AFTER UPDATE ON made BEGIN SELECT RAISE(IGNORE); END;
UPDATE made SET a = 'x';
SELECT c, bloom_may_match(c, (SELECT filter FROM made_c_filter)) FROM made;
-- xb|1

-- A default that is no constant is not put into a trigger.
CREATE TABLE expression(c TEXT NOT NULL DEFAULT (1 || 2), d TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP, e TEXT DEFAULT 'x', f NOT NULL DEFAULT -1.5, word NOT NULL DEFAULT 'it''s');
SELECT bloom_parts_sql('expression', 'c') LIKE '%ifnull(NEW.%', bloom_parts_sql('expression', 'd') LIKE '%ifnull(NEW.%', bloom_parts_sql('expression', 'e') LIKE '%ifnull(NEW.%', bloom_parts_sql('expression', 'f') LIKE '%ifnull(NEW.%', bloom_parts_sql('expression', 'word') LIKE '%ifnull(NEW."word", ''it''''s'')%';
-- 0|0|0|0|1

-- After the row it is seen.
CREATE TABLE late(id INTEGER PRIMARY KEY, c TEXT NOT NULL DEFAULT (1 || 2));
INSERT INTO late VALUES (1, 'a'), (2, 'b'), (3, 'c'), (9, 'd');
.once scripts_test.sql
SELECT bloom_parts_sql('late', 'c') || bloom_blocks_sql('late', 'c', 10, 4);
.read scripts_test.sql
CREATE VIEW late_lost AS SELECT count(*) - sum(bloom_may_match(k.c, (SELECT filter FROM late_c_filter))) AS parts, count(*) - sum(bloom_may_match(k.c, s.f)) AS blocks
FROM late_c_spans AS s CROSS JOIN late AS k ON k.id BETWEEN s.first AND s.last;
SAVEPOINT as_it_was;
INSERT OR REPLACE INTO late VALUES (2, NULL);
SELECT * FROM late_lost;
-- 0|0

ROLLBACK TO as_it_was;
UPDATE OR REPLACE late SET c = NULL WHERE id = 2;
SELECT * FROM late_lost;
-- 0|0

RELEASE as_it_was;

-- An id that is counted on, where the newest rows are gone.
INSERT INTO counted DEFAULT VALUES;
INSERT INTO counted DEFAULT VALUES;
.once scripts_test.sql
SELECT bloom_parts_sql('counted', 'id');
.read scripts_test.sql
DELETE FROM counted;
CREATE TRIGGER counted_early AFTER INSERT ON counted BEGIN SELECT RAISE(IGNORE); END;
INSERT INTO counted DEFAULT VALUES;
SELECT id, bloom_may_match(id, (SELECT filter FROM counted_id_filter)) FROM counted;
-- 3|1

-- ---- Blocks.
CREATE TABLE log(id INTEGER PRIMARY KEY, session TEXT, line TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
INSERT INTO log SELECT i, 'session ' || (i / 10), 'line' FROM n;
.once scripts_test.sql
SELECT bloom_blocks_sql('log', 'session', 12, 100);
.read scripts_test.sql
SELECT type, name FROM sqlite_master WHERE sql LIKE '%made by bloom_blocks_sql(''log'', ''session'')%';
-- table|log_session_blocks
-- trigger|log_session_blocks_before_insert
-- trigger|log_session_blocks_after_insert
-- trigger|log_session_blocks_before_update
-- trigger|log_session_blocks_after_update
-- view|log_session_spans
-- view|log_session_blocks_check

SELECT * FROM log_session_blocks_check;
SELECT count(*), min(block), max(block), min(length(f)) FROM log_session_blocks;
-- 10|0|9|16

SELECT first, last, typeof(f) FROM log_session_spans WHERE first < 200 OR f IS NULL ORDER BY first;
-- -9223372036854775808|-1|null
-- 0|99|blob
-- 100|199|blob
-- 1000|9223372036854775807|null

-- The query of its last lines.
-- since: 3.28
.parameter set :key "'session 42'"
SELECT k.* FROM "log_session_spans" AS s
CROSS JOIN "log" AS k NOT INDEXED
  ON k."id" BETWEEN s.first AND s.last
WHERE bloom_may_match(:key, s.f) AND k."session" = :key AND k.id % 5 = 0;
-- 420|session 42|line
-- 425|session 42|line

-- since: 3.28
SELECT count(*) BETWEEN 3 AND 5 FROM log_session_spans WHERE bloom_may_match(:key, f);
-- 1

-- How many rows are in exactly one span, and how many the filters lose.
CREATE VIEW log_lost AS SELECT (SELECT count(*) FROM log) - count(*) AS outside, count(*) - count(DISTINCT k.id) AS twice,
  sum(NOT bloom_may_match(k.session, s.f)) AS lost FROM log_session_spans AS s CROSS JOIN log AS k ON k.id BETWEEN s.first AND s.last;
SELECT * FROM log_lost;
-- 0|0|0

-- A row past the end of the open block closes it, at once; one that leaves a gap
-- closes what has rows before it.
INSERT INTO log VALUES (1099, 'last of its block', 'line');
SELECT max(block) FROM log_session_blocks;
-- 9

INSERT INTO log VALUES (1100, 'next block', 'line');
SELECT max(block) FROM log_session_blocks;
-- 10

INSERT INTO log VALUES (5000, 'far away', 'line');
INSERT INTO log(session) VALUES ('and on');
SELECT group_concat(block) FROM log_session_blocks WHERE block > 9;
-- 10,11

INSERT INTO log VALUES (9223372036854775807, 'the end', 'line');
SELECT group_concat(block) FROM log_session_blocks WHERE block > 9;
-- 10,11,50

SELECT first, last, typeof(f) FROM log_session_spans WHERE first >= 1100 ORDER BY first;
-- 1100|1199|blob
-- 1200|4999|null
-- 5000|5099|blob
-- 5100|9223372036854775807|null

SELECT * FROM log_lost;
-- 0|0|0

-- Rows that come late, into a closed block and into a gap, below 0, at the ends;
-- rows that move, and keys that change.
INSERT INTO log VALUES (-1, 'minus one', ''), (-4095, 'below', ''), (-9223372036854775808, 'the least', ''), (0, 'zero', ''), (3000, 'in the gap', ''), (5050, 'late', '');
REPLACE INTO log VALUES (500, 'replaced', '');
UPDATE log SET session = 'renamed' WHERE id = 501;
UPDATE log SET id = 600 - 5000 WHERE id = 600;
UPDATE log SET id = 600 WHERE id = -4400;
UPDATE log SET rowid = 2600 WHERE id = 100;
UPDATE log SET id = id + 40 WHERE id = 460;
-- Error: UNIQUE constraint failed: log.id

UPDATE OR REPLACE log SET id = id + 140 WHERE id = 460;
SELECT * FROM log_lost;
-- 0|0|0

DELETE FROM log WHERE id BETWEEN 300 AND 800;
DELETE FROM log_session_blocks WHERE block = 9;
UPDATE log_session_blocks SET f = NULL WHERE block = 2;
REPLACE INTO log VALUES (950, 'in no block', ''), (250, 'in one without a filter', '');
SELECT * FROM log_lost;
-- 0|0|0

SELECT * FROM log_session_blocks_check;
-- no filter for 1 of the blocks, the first is 2: run what bloom_blocks_sql('log', 'session', 12, 100) writes

-- Emptied and filled again, ids that SQLite assigns among them: they fall into
-- blocks that are closed, also where another trigger ends early.
DELETE FROM log;
CREATE TRIGGER log_early AFTER INSERT ON log BEGIN SELECT RAISE(IGNORE); END;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 700)
INSERT INTO log(session) SELECT 'again ' || i FROM n;
SELECT count(*), max(id) FROM log;
-- 700|700

SELECT * FROM log_lost;
-- 0|0|0

DROP TRIGGER log_early;
SELECT * FROM log_session_blocks_check;
-- ...
-- more keys than room in ... of the blocks, some ... for ... in block ..., which lets ... % of absent keys through: run what bloom_blocks_sql('log', 'session', 12, 100) writes

.once scripts_test.sql
SELECT bloom_blocks_sql('log', 'session', 12, 100);
.read scripts_test.sql
SELECT * FROM log_session_blocks_check;
SELECT *, (SELECT group_concat(block) FROM log_session_blocks) AS blocks FROM log_lost;
-- 0|0|0|0,1,2,3,4,5,6

-- Rows that change and move where another trigger ends early.
CREATE TRIGGER log_early AFTER UPDATE ON log BEGIN SELECT RAISE(IGNORE); END;
UPDATE log SET session = 'changed' WHERE id = 7;
UPDATE log SET id = 3 - id WHERE id = 8;
UPDATE log SET id = 350, session = 'moved' WHERE id = 450;
-- Error: UNIQUE constraint failed: log.id

DELETE FROM log WHERE id = 350;
UPDATE log SET id = 350, session = 'moved' WHERE id = 450;
SELECT * FROM log_lost;
-- 0|0|0

DROP TRIGGER log_early;

-- Ids below 0 are in no block.
INSERT INTO log VALUES (-150, 'below', ''), (-50, 'below', '');
.read scripts_test.sql
SELECT min(block) FROM log_session_blocks;
-- 0

-- A trigger that is missing, or another's: one span has all rows.
DROP TRIGGER log_session_blocks_after_update;
SELECT first, last, f FROM log_session_spans;
-- -9223372036854775808|9223372036854775807|NULL

SELECT * FROM log_session_blocks_check;
-- trigger log_session_blocks_after_update is missing, so no row is excluded: run what bloom_blocks_sql('log', 'session', 12, 100) writes

CREATE TRIGGER log_session_blocks_after_update AFTER UPDATE ON log BEGIN SELECT 1; END;
SELECT first, last, f FROM log_session_spans;
-- -9223372036854775808|9223372036854775807|NULL

SELECT * FROM log_session_blocks_check;
-- the triggers are not as they were made, so no row is excluded: run what bloom_blocks_sql('log', 'session', 12, 100) writes

DROP TRIGGER log_session_blocks_after_update;
.read scripts_test.sql
SELECT count(*) > 1 FROM log_session_spans;
-- 1

-- ---- Names: quoted, whatever they are. None of them runs, or leaves a comment.
CREATE TABLE "my ""odd"" t"(key INTEGER PRIMARY KEY, "it's a col" TEXT, part TEXT, parts TEXT, f TEXT, block TEXT);
CREATE TABLE "new"("old" INTEGER PRIMARY KEY, "new" TEXT);
CREATE TABLE "old"("new" INTEGER PRIMARY KEY, "old" TEXT);
CREATE TABLE "order"("group" INTEGER PRIMARY KEY, "select" TEXT);
CREATE TABLE "closed"(plan INTEGER PRIMARY KEY, number TEXT);
CREATE TABLE "plan"(closed INTEGER PRIMARY KEY, plan TEXT);
CREATE TABLE "x */ DROP TABLE page; --"("id'); --" INTEGER PRIMARY KEY, "c"" */; DROP TABLE page; --" TEXT);
CREATE TABLE "{t} %s %q é"("{id}" INTEGER PRIMARY KEY, "{c} %s é" TEXT);
CREATE TABLE kept(t TEXT, c TEXT);
INSERT INTO kept VALUES ('my "odd" t', 'it''s a col'), ('my "odd" t', 'part'), ('my "odd" t', 'parts'), ('my "odd" t', 'f'), ('my "odd" t', 'block'),
  ('new', 'new'), ('old', 'old'), ('order', 'select'), ('closed', 'number'), ('plan', 'plan'), ('x */ DROP TABLE page; --', 'c" */; DROP TABLE page; --'), ('{t} %s %q é', '{c} %s é');
.once scripts_test.sql
SELECT bloom_parts_sql(t, c) || bloom_blocks_sql(t, c, 12, 4) FROM kept;
.read scripts_test.sql
.read scripts_test.sql
INSERT INTO "my ""odd"" t"("it's a col", part, parts, f, block) VALUES ('a', 'b', 'c', 'd', 'e');
INSERT INTO "new"("new") VALUES ('a'), ('b'), ('c'), ('d'), ('e'), ('f');
INSERT INTO "old"("old") VALUES ('a'), ('b'), ('c'), ('d'), ('e'), ('f');
UPDATE "new" SET "new" = "new" || 'x', "old" = "old" - 3;
UPDATE "old" SET "old" = "old" || 'x', "new" = "new" - 3;
INSERT INTO "order"("select") VALUES ('a');
INSERT INTO "closed" VALUES (1, 'a'), (5, 'b'), (9, 'c'), (2, 'd');
INSERT INTO "plan" VALUES (1, 'a'), (5, 'b'), (9, 'c'), (2, 'd');
INSERT INTO "x */ DROP TABLE page; --" VALUES (1, 'a'), (5, 'b'), (9, 'c'), (2, 'd');
INSERT INTO "{t} %s %q é" VALUES (1, 'a'), (5, 'b'), (9, 'c'), (2, 'd');
SELECT sum(bloom_may_match("it's a col", (SELECT filter FROM "my ""odd"" t_it's a col_filter"))), sum(bloom_may_match(part, (SELECT filter FROM "my ""odd"" t_part_filter"))),
  sum(bloom_may_match(parts, (SELECT f FROM "my ""odd"" t_parts_part" WHERE part = bloom_part("my ""odd"" t".parts, "my ""odd"" t_parts_part".parts)))) FROM "my ""odd"" t";
-- 1|1|1

SELECT count(*), sum(bloom_may_match("new"."new", (SELECT filter FROM new_new_filter))), sum(bloom_may_match("new"."new", s.f)) FROM new_new_spans AS s CROSS JOIN "new" ON "new"."old" BETWEEN s.first AND s.last;
-- 6|6|6

SELECT count(*), sum(bloom_may_match("old"."old", (SELECT filter FROM old_old_filter))), sum(bloom_may_match("old"."old", s.f)) FROM old_old_spans AS s CROSS JOIN "old" ON "old"."new" BETWEEN s.first AND s.last;
-- 6|6|6

SELECT count(*), sum(bloom_may_match(number, (SELECT filter FROM closed_number_filter))), sum(bloom_may_match(number, s.f)) FROM closed_number_spans AS s CROSS JOIN "closed" ON "closed".plan BETWEEN s.first AND s.last;
-- 4|4|4

SELECT count(*), sum(bloom_may_match("plan".plan, (SELECT filter FROM plan_plan_filter))), sum(bloom_may_match("plan".plan, s.f)) FROM plan_plan_spans AS s CROSS JOIN "plan" ON "plan".closed BETWEEN s.first AND s.last;
-- 4|4|4

SELECT count(*), sum(bloom_may_match("{c} %s é", (SELECT filter FROM "{t} %s %q é_{c} %s é_filter"))), sum(bloom_may_match("{c} %s é", s.f)) FROM "{t} %s %q é_{c} %s é_spans" AS s CROSS JOIN "{t} %s %q é" AS k ON "{id}" BETWEEN s.first AND s.last;
-- 4|4|4

SELECT count(*) FROM page;
-- ...

SELECT problem FROM "x */ DROP TABLE page; --_c"" */; DROP TABLE page; --_parts_check" UNION ALL SELECT problem FROM "x */ DROP TABLE page; --_c"" */; DROP TABLE page; --_blocks_check";

-- ---- Removed by the last lines: nothing of it is left.
.once scripts_test.sql
SELECT replace(substr(text, instr(text, 'To remove it all:') + 17), '--', '') FROM (SELECT bloom_parts_sql(t, c) AS text FROM kept UNION ALL SELECT bloom_blocks_sql(t, c) FROM kept) WHERE text NOT LIKE '%*/%';
.read scripts_test.sql
SELECT count(*) FROM sqlite_master, kept WHERE instr(sql, printf('_sql(%Q, %Q)', t, c)) AND t NOT LIKE '%*/%';
-- 0

-- ---- Keys of a table WITHOUT ROWID, parts alone.
.once scripts_test.sql
SELECT bloom_parts_sql('without', 'c') || bloom_parts_sql('keyed', 'a');
.read scripts_test.sql
INSERT INTO without VALUES (1, 'one'), (2, 'two');
UPDATE without SET c = 'three', id = 3 WHERE id = 2;
INSERT OR REPLACE INTO without VALUES (1, 'four');
SELECT count(*), sum(bloom_may_match(c, (SELECT filter FROM without_c_filter))) FROM without;
-- 2|2

-- A table in TEMP of the same name is not meant.
CREATE TEMP TABLE bare(c);
.once scripts_test.sql
SELECT bloom_parts_sql('bare', 'c');
.read scripts_test.sql
INSERT INTO main.bare VALUES ('in main');
SELECT bloom_may_match('in main', filter), (SELECT count(*) FROM sqlite_temp_master WHERE type = 'trigger') FROM bare_c_filter;
-- 1|0
