-- bloom_create_blocks(table, column [, bits_per_key [, rows]]) makes kept
-- filters of blocks of rows, and bloom_drop_blocks(table, column) removes them.
-- The arguments are read like those of bloom_create_parts: create_parts.sql has
-- all their errors.
.load dist/bloom
.nullvalue NULL
PRAGMA trusted_schema = OFF;

-- ---- Errors of the table, which must have an INTEGER PRIMARY KEY, and of the
-- column.
CREATE TABLE bare(c TEXT);
CREATE TABLE pair(a INTEGER, c TEXT, PRIMARY KEY(a, c));
CREATE TABLE descending(id INTEGER PRIMARY KEY DESC, c TEXT);
CREATE TABLE int(id INT PRIMARY KEY, c TEXT);
CREATE TABLE without(id INTEGER PRIMARY KEY, c TEXT) WITHOUT ROWID;

-- each: bare | pair | descending | int | without
SELECT bloom_create_blocks('{1}', 'c');
-- Error: ...a table with an INTEGER PRIMARY KEY that is its rowid (without one, VACUUM ...), got TEXT '{1}'

CREATE TABLE number("i	d" INTEGER PRIMARY KEY, c TEXT);
SELECT bloom_create_blocks('number', 'c');
-- Error: ...table must be one whose key has a name..., got TEXT 'number'

CREATE TABLE t(id INTEGER PRIMARY KEY, c TEXT, n TEXT COLLATE NOCASE);
SELECT bloom_create_blocks('t', 'id');
-- Error: ...column must be a column other than the INTEGER..., got TEXT 'id'

SELECT bloom_create_blocks('t', 'n');
-- Error: bloom_create_blocks: column must be a column of collation BINARY, ...

-- ---- Errors of the numbers.
SELECT bloom_create_blocks('t', 'c', NULL);
-- Error: ...bits_per_key must be an integer from 1 to 100 (bits..., got NULL

-- each: 0 | 1099511627777 | NULL
SELECT bloom_create_blocks('t', 'c', 12, {1});
-- Error: ...rows must be an integer from 1 to 1099511627776, got {1}

SELECT bloom_create_blocks('t', 'c', 12, 4096, 1);
-- Error: ...wrong number of arguments to function bloom_create_blocks()

-- ---- Errors of bloom_drop_blocks.
SELECT bloom_drop_blocks('t', 'c');
-- Error: bloom_drop_blocks: bloom_create_blocks('t', 'c') made nothing here

SELECT bloom_drop_blocks('t', NULL);
-- Error: bloom_drop_blocks: column must be the name of a column, got NULL

SELECT bloom_drop_blocks('t');
-- Error: ...wrong number of arguments to function bloom_drop_blocks()

-- ---- What it makes, and what each span has.
CREATE TABLE log(id INTEGER PRIMARY KEY, session TEXT, line TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
INSERT INTO log SELECT i, 'session ' || (i / 2), 'line' FROM n;
SELECT bloom_create_blocks('LOG', 'Session', 12, 200);
-- log_session_spans

SELECT type, name FROM sqlite_master WHERE name LIKE 'log!_%' ESCAPE '!';
-- table|log_session_blocks
-- trigger|log_session_blocks_update
-- trigger|log_session_blocks_insert
-- trigger|log_session_blocks_last
-- view|log_session_spans

SELECT group_concat(block), min(length(f)), max(length(f))
FROM log_session_blocks;
-- 0,1,2,3,4|151|151

SELECT first, last, typeof(f) FROM log_session_spans ORDER BY first;
-- -9223372036854775808|-1|null
-- 0|199|blob
-- 200|399|blob
-- 400|599|blob
-- 600|799|blob
-- 800|999|blob
-- 1000|9223372036854775807|null

SELECT problem FROM bloom_check('log', 'session');

-- The rows of one key, and how few blocks have to be read for them.
SELECT k.id FROM log_session_spans AS s
CROSS JOIN log AS k NOT INDEXED ON k.id BETWEEN s.first AND s.last
WHERE bloom_may_match('session 42', s.f) AND k.session = 'session 42';
-- 84
-- 85

SELECT count(*) BETWEEN 3 AND 4 FROM log_session_spans
WHERE bloom_may_match('session 42', f);
-- 1

-- How many rows are in no span or in two, and which ones a filter loses.
CREATE VIEW outside AS
SELECT (SELECT count(*) FROM log) - count(DISTINCT k.id) AS none,
  count(*) - count(DISTINCT k.id) AS two,
  sum(NOT bloom_may_match(k.session, s.f)) AS lost
FROM log_session_spans AS s
CROSS JOIN log AS k ON k.id BETWEEN s.first AND s.last;
SELECT * FROM outside;
-- 0|0|0

-- ---- A row past the end of the open block closes it. One that leaves a gap
-- closes what has rows before it.
INSERT INTO log VALUES (1199, 'last of its block', 'line');
SELECT max(block) FROM log_session_blocks;
-- 4

INSERT INTO log VALUES (1200, 'next block', 'line');
SELECT max(block) FROM log_session_blocks;
-- 5

INSERT INTO log VALUES (9000, 'far away', 'line');
INSERT INTO log(session) VALUES ('and on');
SELECT group_concat(block) FROM log_session_blocks WHERE block > 5;
-- 6

INSERT INTO log VALUES (9223372036854775807, 'the end', 'line');
SELECT first, last, typeof(f) FROM log_session_spans
WHERE first >= 1200 ORDER BY first;
-- 1200|1399|blob
-- 1400|8999|null
-- 9000|9199|blob
-- 9200|9223372036854775807|null

SELECT * FROM outside;
-- 0|0|0

-- Rows that are inserted late, into a closed block, into a gap, below 0, and at
-- both ends; rows that move, and keys that change.
INSERT INTO log VALUES (-1, 'minus one', ''), (-4095, 'below', ''),
  (-9223372036854775808, 'the least', ''), (0, 'zero', ''),
  (3000, 'in the gap', ''), (9050, 'late', '');
REPLACE INTO log VALUES (500, 'replaced', '');
UPDATE log SET session = 'renamed' WHERE id = 501;
UPDATE log SET session = upper(session) WHERE id BETWEEN 510 AND 520;
UPDATE log SET id = 600 - 5000 WHERE id = 600;
UPDATE log SET id = 600 WHERE id = -4400;
UPDATE log SET rowid = 2600 WHERE id = 100;
UPDATE OR REPLACE log SET id = id + 140 WHERE id = 460;
SELECT * FROM outside;
-- 0|0|0

DELETE FROM log WHERE id BETWEEN 300 AND 800;
DELETE FROM log_session_blocks WHERE block = 5;
REPLACE INTO log VALUES (1100, 'in no block', ''), (250, 'in a closed one', '');
SELECT * FROM outside;
-- 0|0|0

-- ---- If the rows of a block at the front are deleted, its filter is, too.
DELETE FROM log WHERE id BETWEEN 0 AND 899;
SELECT min(block) FROM log_session_blocks;
-- 0

DELETE FROM log WHERE id > 9000;
INSERT INTO log VALUES (9999, 'closes a block', ''), (19999, 'and another', '');
SELECT min(block) FROM log_session_blocks;
-- 4

SELECT * FROM outside;
-- 0|0|0

-- ---- Emptied and filled again, with ids that SQLite assigns, while a newer
-- trigger ends each row early. Meanwhile nothing is excluded.
DELETE FROM log;
CREATE TRIGGER early AFTER INSERT ON log BEGIN SELECT RAISE(IGNORE); END;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 700)
INSERT INTO log(session) SELECT 'again ' || i FROM n;
INSERT INTO log(session) SELECT session || ' again' FROM log;
SELECT count(*), max(id) FROM log;
-- 1400|1400

SELECT * FROM outside;
-- 0|0|0

SELECT problem FROM bloom_check('log', 'session') LIMIT 1;
-- trigger early is newer than the filter and may end a row before its key is added, so no row is excluded: ...

SELECT count(*), count(f) FROM log_session_spans;
-- 1|0

-- After another call, the filter's triggers are newer. A number that is not
-- given stays what it was.
SELECT bloom_create_blocks('log', 'session');
-- log_session_spans

SELECT problem FROM bloom_check('log', 'session');
SELECT *, (SELECT group_concat(block) FROM log_session_blocks) FROM outside;
-- 0|0|0|0,1,2,3,4,5,6

-- Rows are inserted late, change and move while triggers that are older than the
-- filter end each row early, and a newer BEFORE trigger deletes rows.
CREATE TRIGGER early_update AFTER UPDATE ON log
BEGIN SELECT RAISE(IGNORE); END;
SELECT bloom_create_blocks('log', 'session');
-- log_session_spans

CREATE TRIGGER before BEFORE INSERT ON log BEGIN
  DELETE FROM log WHERE id = 351;
END;
DELETE FROM log WHERE id = 350;
INSERT INTO log VALUES (350, 'late', '');
UPDATE log SET session = 'changed' WHERE id = 7;
UPDATE log SET id = -8 WHERE id = 8;
UPDATE log SET id = 351, session = 'moved' WHERE id = 450;
INSERT INTO log(session) SELECT 'more ' || id FROM log LIMIT 500;
SELECT * FROM outside;
-- 0|0|0

SELECT problem FROM bloom_check('log', 'session');
SELECT max(block), count(*), count(f) FROM log_session_blocks;
-- 8|9|9

DROP TRIGGER before;
DROP TRIGGER early;
DROP TRIGGER early_update;
DELETE FROM log WHERE id > 1400;

-- ---- Called again, with other numbers.
INSERT INTO log VALUES (-500, 'below', '');

-- each: 24 => 0,1,2,3,4,5,6|601 | 12, '1000' => 0|1495 | 12, 200 => 0,1,2,3,4,5,6|301
SELECT bloom_create_blocks('log', 'session', {1});
SELECT group_concat(block), max(length(f)) FROM log_session_blocks;
-- log_session_spans
-- {2}

-- ---- What is wrong, and the call that repairs it.
CREATE TEMP VIEW mending AS
SELECT DISTINCT substr(problem, instr(problem, 'SELECT bloom_')) || ';'
FROM bloom_check('log', 'session');
SAVEPOINT whole;
DROP TRIGGER log_session_blocks_update;
UPDATE log SET session = 'without the trigger' WHERE id = 7;
SELECT first, last, f FROM log_session_spans;
-- -9223372036854775808|9223372036854775807|NULL

SELECT problem FROM bloom_check('log', 'session');
-- trigger log_session_blocks_update is missing, so no row is excluded: SELECT bloom_create_blocks('log', 'session')
-- the filter lacks 1 of the rows, the first with id 7; it excludes none now, ...: SELECT bloom_create_blocks('log', 'session')

.once mending.sql
SELECT * FROM mending;
.read mending.sql
-- log_session_spans

SELECT problem FROM bloom_check('log', 'session');
SELECT *, (SELECT count(f) FROM log_session_spans) FROM outside;
-- 0|0|0|7

-- A trigger that was put back by hand.
.once put_back.sql
SELECT sql || ';' FROM sqlite_master WHERE name = 'log_session_blocks_insert';
DROP TRIGGER log_session_blocks_insert;
.read put_back.sql
SELECT problem FROM bloom_check('log', 'session');
-- trigger log_session_blocks_insert was put back, and rows may have been written without it, so no row is excluded: ...

SELECT count(*), count(f) FROM log_session_spans;
-- 1|0

-- A block without a filter, with a text instead of one, or without bytes.
ROLLBACK TO whole;
UPDATE log_session_blocks SET f = NULL WHERE block = 2;
SELECT problem FROM bloom_check('log', 'session');
-- no filter for 1 of the blocks, of which the first is 2: SELECT bloom_create_blocks('log', 'session')

SELECT * FROM outside;
-- 0|0|0

-- each: 'a filter' => text | x'' => a BLOB of 0 bytes
UPDATE log_session_blocks SET f = {1} WHERE block = 2;
SELECT problem FROM bloom_check('log', 'session') LIMIT 1;
SELECT bloom_create_blocks('log', 'session');
SELECT problem FROM bloom_check('log', 'session');
-- block 2 has {2} instead of a filter, so rows may be lost: SELECT bloom_create_blocks('log', 'session')
-- log_session_spans

-- More keys than room: rows are deleted and inserted again with other keys.
DELETE FROM log WHERE id BETWEEN 200 AND 399;
WITH RECURSIVE n(i) AS (SELECT 200 UNION ALL SELECT i + 1 FROM n WHERE i < 399)
INSERT INTO log SELECT i, 'another ' || i, '' FROM n;
SELECT problem FROM bloom_check('log', 'session');
-- more keys than room in 1 of the blocks, so that more absent keys pass: block 1 has some ... and room for 199: ...

-- ---- Ids that are times: so few rows in each block that the filters cost more
-- than a scan. The check says which rows to give, up to 2^40.
ROLLBACK TO whole;
CREATE TABLE event(at INTEGER PRIMARY KEY, what TEXT);
SELECT bloom_create_blocks('event', 'what');
-- event_what_spans

WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
INSERT INTO event SELECT 1700000000000 + i * 60000, 'event ' || i FROM n;
SELECT problem FROM bloom_check('event', 'what');
-- the blocks have some 1 rows each, so that their filters cost more than a scan: SELECT bloom_create_blocks('event', 'what', 12, 245755904)

SAVEPOINT gone;
DELETE FROM event;
SELECT problem FROM bloom_check('event', 'what');
ROLLBACK TO gone;
RELEASE gone;

SELECT bloom_create_blocks('event', 'what', 12, 3354624);
-- event_what_spans

SELECT problem FROM bloom_check('event', 'what');
SELECT count(*) FROM event_what_blocks;
-- 3

SELECT bloom_create_blocks('event', 'what', 12, 1 << 40);
-- event_what_spans

INSERT INTO event VALUES (9223372036854775807, 'the end'), (5, 'the beginning');
INSERT INTO event VALUES (9223372036854775806, 'before the end');
SELECT group_concat(block) FROM event_what_blocks;
-- 1

SELECT first, last, typeof(f) FROM event_what_spans ORDER BY first;
-- -9223372036854775808|1099511627775|null
-- 1099511627776|2199023255551|blob
-- 2199023255552|9223372036854775807|null

SELECT count(*), sum(bloom_may_match(what, f))
FROM event_what_spans JOIN event ON at BETWEEN first AND last;
-- 203|203

-- ---- Rows that no filter can leave out. (kept_test.c tries what bloom_check says of
-- the speed of blocks.)
CREATE TABLE down(id INTEGER PRIMARY KEY, c TEXT);
SELECT bloom_create_blocks('down', 'c', 12, 8);
WITH RECURSIVE n(i) AS (SELECT 60 UNION ALL SELECT i - 1 FROM n WHERE i > -20)
INSERT INTO down SELECT i, 'row ' || i FROM n;
SELECT problem FROM bloom_check('down');
SELECT bloom_create_blocks('down', 'c', 12, 8);
SELECT problem FROM bloom_check('down');
-- down_c_spans
-- 56 of the rows are in no block that has a filter, as where ids are inserted downwards, so that each query reads them: SELECT bloom_create_blocks('down', 'c')
-- 20 of the rows have ids below 0, which no block has, so that each query reads them, and no call would help
-- down_c_spans
-- 20 of the rows have ids below 0, which no block has, so that each query reads them, and no call would help

-- ---- A BEFORE trigger inserts rows far ahead, which close the block of the
-- row that is being written; and older triggers end each row early.
CREATE TABLE far(id INTEGER PRIMARY KEY, c TEXT NOT NULL DEFAULT 007);
CREATE TRIGGER far_before BEFORE INSERT ON far WHEN NEW.c = 'row'
BEGIN INSERT INTO far VALUES (1000 + NEW.id, 'far ahead'); END;
CREATE TRIGGER far_early AFTER INSERT ON far BEGIN SELECT RAISE(IGNORE); END;
SELECT bloom_create_blocks('far', 'c', 12, 4);
-- far_c_spans

INSERT INTO far VALUES (1, 'first');
INSERT INTO far VALUES (2, 'row'), (102, 'row');
INSERT INTO far VALUES (3, 'row'), (203, 'row');
INSERT INTO far(c) VALUES ('row');
REPLACE INTO far VALUES (0, NULL), (2, NULL);
SELECT count(*), sum(bloom_may_match(c, f))
FROM far_c_spans JOIN far ON id BETWEEN first AND last;
-- 12|12

-- ---- The first row is in block 1: there is no block to close before it, and its
-- own stays open.
CREATE TABLE later(id INTEGER PRIMARY KEY, c TEXT);
SELECT bloom_create_blocks('later', 'c', 12, 10);
-- later_c_spans

INSERT INTO later VALUES (15, 'first');
SELECT count(*) FROM later_c_blocks;
-- 0

-- ---- A column that is called f, a row before all blocks whose id is a block's number, and
-- ids below 0.
-- each: SELECT 1, 1 WHERE 0 => SELECT -id, c FROM far UNION SELECT id, c FROM far => 0,6,12,62,68
-- each: VALUES (273, 'a'), (274, 'b'), (400, 'c') => VALUES (17, 'early') => 17
-- each: SELECT 1, 1 WHERE 0 => VALUES (-5, 'below'), (40, 'above'), (-7, 'lower'), (50, 'higher') => 2
CREATE TABLE own(id INTEGER PRIMARY KEY, f);
INSERT INTO own {1};
SELECT bloom_create_blocks('own', 'f', 10, 16);
INSERT INTO own {2};
SELECT count(*) - sum(bloom_may_match(own.f, s.f) IS NOT 0), (SELECT group_concat(block) FROM own_f_blocks)
FROM own JOIN own_f_spans AS s ON id BETWEEN first AND last;
SELECT * FROM bloom_check('own');
DROP VIEW own_f_spans;
DROP TABLE own_f_blocks;
DROP TABLE own;
-- own_f_spans
-- 0|{3}

-- ---- Keys that are generated.

-- since: 3.31
CREATE TABLE made(id INTEGER PRIMARY KEY, a TEXT, b TEXT, c TEXT AS (a || b));
SELECT bloom_create_blocks('made', 'c', 12, 2);
-- made_c_spans

-- since: 3.31
INSERT INTO made(a) VALUES ('a'), ('b'), ('c'), ('d'), ('e');
UPDATE made SET b = a, id = id + 10 WHERE id = 2;
UPDATE made SET b = 'x', id = 2 WHERE id = 4;
SELECT count(*), sum(ifnull(bloom_may_match(c, f), 1))
FROM made_c_spans JOIN made ON id BETWEEN first AND last;
-- 5|5

-- since: 3.35
ALTER TABLE log DROP COLUMN line;

-- ---- Beside a filter in parts of the same column. After one is dropped,
-- nothing is left of it, and the other is unchanged.
SELECT bloom_create_parts('log', 'session');
-- log_session_filter

SELECT bloom_drop_blocks('event', 'session');
-- Error: ...made nothing here; there are filters made by bloom_create_blocks('log', ...

SELECT bloom_drop_blocks('Log', 'Session');
-- 5

SELECT bloom_drop_blocks('LOG', 'SESSION');
-- Error: bloom_drop_blocks: bloom_create_blocks('LOG', 'SESSION') made nothing here; bloom_drop_parts drops what bloom_create_parts('log', 'session', 10, 0) made

SELECT problem FROM bloom_check('log', 'session');
SELECT count(*) FROM sqlite_master
WHERE name LIKE 'log!_session!_%' ESCAPE '!';
-- 8

-- A column that is renamed, and the id under its old name: nothing is excluded.
ROLLBACK TO whole;
DROP VIEW outside;
ALTER TABLE log RENAME COLUMN session TO visit;
SELECT problem FROM bloom_check('log', 'session');
-- log.session is called log.visit now, so no row is excluded: SELECT bloom_create_blocks('log', 'visit', 12, 200), bloom_drop_blocks('log', 'session')

ALTER TABLE log RENAME COLUMN id TO session;
SELECT first, last, f FROM log_session_spans;
-- -9223372036854775808|9223372036854775807|NULL

SELECT problem FROM bloom_check('log', 'session');
-- log.session is called log.visit now, ...: SELECT bloom_create_blocks('log', 'visit', 12, 200), bloom_drop_blocks('log', 'session')

-- A table that has its name again, while the triggers on it read the one of before.
ROLLBACK TO whole;
DROP VIEW outside;
ALTER TABLE log RENAME TO other;
PRAGMA legacy_alter_table = ON;
ALTER TABLE other RENAME TO log;
PRAGMA legacy_alter_table = OFF;
SELECT problem FROM bloom_check('log', 'session');
-- trigger of the filter reads another table, so no row is excluded: SELECT bloom_create_blocks('log', 'session')

-- Numbers in the last trigger that no call accepts are ignored.
ROLLBACK TO whole;
DROP TRIGGER log_session_blocks_last;
CREATE TRIGGER log_session_blocks_last AFTER UPDATE ON log_session_blocks BEGIN
  SELECT 1 AS "bloom_create_blocks('log', 'session', 12, 0)";
END;
SELECT bloom_create_blocks('log', 'session');
-- log_session_spans

SELECT * FROM outside;
-- 0|0|0

SELECT instr(sql, '12, 4096)') > 0, (SELECT count(f) FROM log_session_spans)
FROM sqlite_master WHERE name = 'log_session_blocks_last';
-- 1|0

-- Dropped after the table is gone.
ROLLBACK TO whole;
DROP VIEW outside;
DROP TABLE log;
SELECT problem FROM bloom_check('log', 'session');
-- log.session is gone: SELECT bloom_drop_blocks('log', 'session')

SELECT bloom_drop_blocks('log', 'session');
-- 3

ROLLBACK;
SELECT problem FROM bloom_check('log', 'session');

-- ---- The filter of a closed block gets keys, and is not built again.
CREATE TABLE single(id INTEGER PRIMARY KEY, k TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 20) INSERT INTO single SELECT i, 'key ' || i FROM n;
SELECT bloom_create_blocks('single', 'k', 12, 1);
REPLACE INTO single VALUES (17, 'new');
SELECT bloom_may_match('key 17', f), bloom_may_match('new', f), bloom_may_match('key 16', f) FROM single_k_spans WHERE first = 17;
-- single_k_spans
-- 1|1|0
