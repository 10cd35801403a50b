-- bloom_check([table [, column]]) says what is wrong with kept filters, and which
-- call repairs it, and bloom_is_kept(form, table, column) is what their views ask.
-- create_parts.sql and create_blocks.sql have the problems of each form.
.load dist/bloom
.nullvalue NULL
PRAGMA trusted_schema = OFF;

-- ---- Arguments.
SELECT * FROM bloom_check();
SELECT * FROM bloom_check;
CREATE TABLE t(id INTEGER PRIMARY KEY, k TEXT, n TEXT);
INSERT INTO t(k) VALUES ('a'), ('b'), (NULL);
SELECT bloom_create_parts('t', 'k'), bloom_create_blocks('t', 'k'), bloom_create_parts('t', 'n');
-- t_k_filter|t_k_spans|t_n_filter

-- each: 'u' => table => TEXT 'u' | NULL => table => NULL | 1 => table => 1 | 'u', 'k' => column => TEXT 'k'
-- each: 't', 'x' => column => TEXT 'x' | 't', NULL => column => NULL | 't', x'6b' => column => a BLOB of 1 byte
SELECT * FROM bloom_check({1});
-- Error: ...bloom_check: {2} must be the name of a {2} that has a kept filter, got {3}

SELECT * FROM bloom_check('t', 'k', 1);
-- Error: ...too many arguments on bloom_check() - max 2

SELECT bloom_check('t');
-- Error: bloom_check: it is a table: SELECT * FROM bloom_check('t', 'c')

-- Nothing is wrong with a filter of any number of bits.
CREATE TABLE sound(id INTEGER PRIMARY KEY, k TEXT);
INSERT INTO sound(k) VALUES ('a'), ('b'), (NULL);

-- each: 1 | 29 | 100
SELECT bloom_create_parts('sound', 'k', {1}), bloom_create_blocks('sound', 'k', {1}, 1);
INSERT INTO sound(k) VALUES ('c');
SELECT * FROM bloom_check('sound');
-- sound_k_filter|sound_k_spans

DROP TABLE sound;
SELECT bloom_drop_parts('sound', 'k') > 0, bloom_drop_blocks('sound', 'k') > 0;
-- 1|1

-- The names may be written in any case.
-- each:  | 'T' | 'T', 'K'
SELECT * FROM bloom_check({1});

DROP TRIGGER t_k_parts_update;
DROP TRIGGER t_n_parts_update;
DROP TRIGGER t_k_blocks_update;
SELECT * FROM bloom_check('T') ORDER BY "column", form;
-- t|k|blocks|trigger t_k_blocks_update is missing, so no row is excluded: SELECT bloom_create_blocks('t', 'k')
-- t|k|parts|trigger t_k_parts_update is missing, so no row is excluded: SELECT bloom_create_parts('t', 'k')
-- t|n|parts|trigger t_n_parts_update is missing, so no row is excluded: SELECT bloom_create_parts('t', 'n')

SELECT form FROM bloom_check('T', 'K') AS c WHERE c.rowid = 2;
-- parts

SELECT count(*) FROM bloom_check WHERE only_table = 't' AND only_column = 'n';
-- 1

SELECT bloom_create_parts('t', 'k'), bloom_create_blocks('t', 'k'), bloom_create_parts('t', 'n');
-- t_k_filter|t_k_spans|t_n_filter

-- each: NULL, 't', 'k' => form must be 'parts' or 'blocks', got NULL | 'all', 't', 'k' => form must be 'parts' or 'blocks', got TEXT 'all'
-- each: 'parts', 1, 'k' => table must be the name of a table, got 1 | 'parts', 't', NULL => column must be the name of a column, got NULL
SELECT bloom_is_kept({1});
-- Error: bloom_is_kept: {2}

SELECT bloom_is_kept('parts', 't');
-- Error: ...wrong number of arguments to function bloom_is_kept()

SELECT bloom_is_kept('parts', 't', 'k'), bloom_is_kept('blocks', 't', 'k'), bloom_is_kept('blocks', 't', 'n'), bloom_is_kept('parts', 'x', 'y');
-- 1|1|0|0

-- Each row of a statement gets the answer that the first had.
SELECT group_concat(bloom_is_kept('parts', 'x', 'y') || bloom_is_kept('parts', 't', 'k')) FROM (SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3);
-- 01,01,01

-- What is remembered within a statement is for these names alone. (With another
-- database, nothing is remembered for longer.)
ATTACH ':memory:' AS other;
SELECT group_concat(bloom_is_kept('parts', column1, column2))
FROM (VALUES ('t', 'k'), ('t', 'x'), ('t', 'n'), ('x', 'y'), ('t', 'k'));
-- 1,0,1,0,1

DETACH other;

-- each: NULL, 'k' => table must be the name of a table, got NULL | 't', 2 => column must be the name of a column, got 2
SELECT bloom_build_kept({1}, 1, 10, 1500);
-- Error: bloom_build_kept: {2}

SELECT bloom_build_kept('t', 'k', 1);
-- Error: ...wrong number of arguments to function bloom_build_kept()

-- The handle of all keys while the parts grow, or else NULL.
SELECT bloom_build_kept('t', 'k', 3, 10, 1500), bloom_build_kept('t', 'id', 3, 10, 1500);
-- NULL|NULL

SAVEPOINT growing;
DROP TRIGGER t_k_parts_grow;
INSERT INTO t_k_parts VALUES (-1, 2, 0, 0, NULL, x'');
SELECT bloom_may_match('a', h), bloom_may_match('c', h), bloom_keys(h)
FROM (SELECT bloom_build_kept('t', 'k', 3, 10, 1500) AS h LIMIT 1);
-- 1|0|2

SELECT bloom_build_kept('t', 'k', 0, 10, 1500);
-- Error: ...parts must be an integer from 1 to 1048576, got 0

DROP TRIGGER t_k_parts_insert;
SELECT bloom_build_kept('t', 'k', 3, 10, 1500);
-- NULL

ROLLBACK TO growing;
RELEASE growing;

-- ---- Rows that would be lost are counted, and the first is named: by its id, its
-- rowid or its key.
CREATE TABLE plain(k TEXT);
CREATE TABLE keyed(k TEXT PRIMARY KEY) WITHOUT ROWID;
INSERT INTO plain VALUES ('a'), ('b'), ('c');
INSERT INTO keyed SELECT k FROM plain;

-- each: t => id 1 | plain => rowid 1 | keyed => k 'a'
SELECT bloom_create_parts('{1}', 'k');
UPDATE {1}_k_parts SET f = zeroblob(1876 - 1) || x'06';
UPDATE {1}_k_parts SET f = CAST(f AS BLOB);
SELECT problem FROM bloom_check('{1}', 'k');
SELECT bloom_create_parts('{1}', 'k');
SELECT problem FROM bloom_check('{1}', 'k');
-- {1}_k_filter
-- ... of the rows would be lost, the first with {2}: SELECT bloom_create_parts('{1}', 'k')
-- {1}_k_filter

-- ---- Keys that are made to collide in one part fill it until it matches every key.
-- No INSERT fails, a call works, and no row is lost.
CREATE TABLE chosen(k INTEGER);
SELECT bloom_create_parts('chosen', 'k', 1);
-- chosen_k_filter

WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 250000)
INSERT INTO chosen SELECT i FROM n WHERE leveldb_hash(i, 1) < 1 << 28;
SELECT count(*) BETWEEN 15000 AND 16500, sum(NOT bloom_may_match(k, filter))
FROM chosen, chosen_k_filter;
-- 1|0

SELECT problem FROM bloom_check('chosen');
-- more keys than room in 1 of the parts, so that more absent keys pass: part 0 matches every key...

SELECT bloom_create_parts('chosen', 'k');
-- chosen_k_filter

SELECT problem FROM bloom_check('chosen');
-- more keys than room in 1 of the parts, so that more absent keys pass: part 0 matches every key, and no call would help, since these keys do not divide

DROP TABLE chosen;

-- ---- A column whose name is a word elsewhere in the table's SQL, and one that has
-- the table's name. Renamed, they exclude nothing, and the two calls repair it.
CREATE TABLE kv(key TEXT PRIMARY KEY, v);
CREATE TABLE word(word TEXT /* word */);
SAVEPOINT before;

-- each: kv => key | word => word
INSERT INTO {1}({2}) VALUES ('a');
SELECT bloom_create_parts('{1}', '{2}');
ALTER TABLE {1} RENAME COLUMN {2} TO name;
INSERT INTO {1}(name) VALUES ('b');
SELECT filter, (SELECT count(*) FROM {1}_{2}_part) FROM {1}_{2}_filter;
SELECT problem FROM bloom_check('{1}');
SELECT bloom_create_parts('{1}', 'name', 10, 0), bloom_drop_parts('{1}', '{2}');
SELECT problem FROM bloom_check('{1}');
SELECT bloom_may_match('b', filter), bloom_may_match('absent', filter) FROM {1}_name_filter;
ROLLBACK TO before;
-- {1}_{2}_filter
-- NULL|0
-- {1}.{2} is called {1}.name now, so no row is excluded: SELECT bloom_create_parts('{1}', 'name', 10, 0), bloom_drop_parts('{1}', '{2}')
-- {1}_name_filter|8
-- 1|0

RELEASE before;

-- ---- Two filters on a table whose name looks like a comment leave each other alone.
CREATE TABLE "a--b/*"(id INTEGER PRIMARY KEY, "c--" TEXT, "d'/*" TEXT);
SELECT bloom_create_parts('a--b/*', 'c--'), bloom_create_parts('a--b/*', 'd''/*'), bloom_create_blocks('a--b/*', 'd''/*');
-- a--b/*_c--_filter|a--b/*_d'/*_filter|a--b/*_d'/*_spans

INSERT INTO "a--b/*" VALUES (1, 'a', 'b');
SELECT * FROM bloom_check('a--b/*');
SELECT * FROM bloom_check('a--b/*', 'd''/*');
SELECT bloom_may_match('a', c.filter), bloom_may_match('b', c.filter), bloom_may_match('a', d.filter), bloom_may_match('b', d.filter)
FROM "a--b/*_c--_filter" AS c, "a--b/*_d'/*_filter" AS d;
-- 1|0|0|1

-- ---- Tables whose names look like the mark of a filter, or like its beginning.
-- each: bloom_create_x => bloom_create_x | x AS "bloom_create_parts('t', 'k', 1, 1) => x AS "bloom_create_parts(''t'', ''k'', 1, 1)
CREATE TABLE [{1}](id INTEGER PRIMARY KEY, k TEXT);
INSERT INTO [{1}](k) VALUES ('a'), ('b');
SELECT bloom_create_parts('{2}', 'k', 20, 9) <> '', bloom_create_blocks('{2}', 'k', 20, 1) <> '';
DROP TRIGGER [{1}_k_parts_insert];
DROP TRIGGER [{1}_k_blocks_insert];
SELECT form, problem GLOB '* is missing, so no row is excluded: SELECT *' FROM bloom_check('{2}') ORDER BY form;
SELECT bloom_create_parts('{2}', 'k') <> '', bloom_create_blocks('{2}', 'k') <> '';
SELECT * FROM bloom_check('{2}');
SELECT count(*) FROM sqlite_master WHERE type = 'view' AND (sql GLOB '*, 20, 9)*' OR sql GLOB '*, 20, 1)*');
SELECT bloom_drop_parts('{2}', 'k'), bloom_drop_blocks('{2}', 'k');
DROP TABLE [{1}];
-- 1|1
-- blocks|1
-- parts|1
-- 1|1
-- 3
-- 8|5

-- ---- A trigger of a user that quotes a call is not dropped by one.
CREATE TABLE audited(k TEXT);
CREATE TRIGGER audited_k_audit BEFORE INSERT ON audited BEGIN
  SELECT 1; -- made by bloom_parts_sql('audited', 'k')
END;
SELECT bloom_create_parts('audited', 'k'), bloom_drop_parts('audited', 'k');
-- audited_k_filter|8

SELECT count(*) FROM sqlite_master WHERE name = 'audited_k_audit';
-- 1

-- ---- What no schema can know, but bloom_check tells: a newer trigger that ended rows
-- early and is gone again, and triggers that were all put back in their order.
CREATE TABLE early(id INTEGER PRIMARY KEY, k TEXT);
SELECT bloom_create_parts('early', 'k');
-- early_k_filter

CREATE TRIGGER early_parts_newer AFTER INSERT ON early
BEGIN
  SELECT RAISE(ABORT, '') AS begins_as_ours WHERE 0;
  SELECT RAISE(IGNORE);
END;
INSERT INTO early VALUES (5, 'ended early');
SELECT problem FROM bloom_check('early');
-- trigger early_parts_newer is newer than the filter and may end a row before its key is added, so no row is excluded: ...
-- the filter lacks 1 of the rows, the first with id 5; it excludes none now, but would lose these if only its triggers were repaired: SELECT bloom_create_parts('early', 'k')

DROP TRIGGER early_parts_newer;
SELECT problem FROM bloom_check('early');
-- 1 of the rows would be lost, the first with id 5: SELECT bloom_create_parts('early', 'k')

SELECT bloom_create_parts('early', 'k');
-- early_k_filter

.once put_back.sql
SELECT sql || ';' FROM sqlite_master WHERE type = 'trigger' AND name GLOB 'early_k_parts_*' ORDER BY rowid;
DROP TRIGGER early_k_parts_insert;
DROP TRIGGER early_k_parts_update;
DROP TRIGGER early_k_parts_extend;
DROP TRIGGER early_k_parts_grow;
DROP TRIGGER early_k_parts_last;
INSERT INTO early VALUES (7, 'bulk load');
.read put_back.sql
SELECT bloom_is_kept('parts', 'early', 'k');
-- 1

SELECT problem FROM bloom_check('early');
-- 1 of the rows would be lost, the first with id 7: SELECT bloom_create_parts('early', 'k')

-- A trigger whose text does not begin as SQLite writes it may be an AFTER trigger.
CREATE TRIGGER before AFTER INSERT ON plain BEGIN SELECT RAISE(IGNORE); END;
.dbconfig defensive off
-- ...defensive off
PRAGMA writable_schema = ON;
UPDATE sqlite_master SET sql = replace(sql, 'CREATE TRIGGER', 'CREATE/**/TRIGGER')
WHERE name = 'before';
PRAGMA writable_schema = RESET;
SELECT problem FROM bloom_check('plain');
-- trigger before is newer than the filter and may end a row before its key is added, so no row is excluded: SELECT bloom_create_parts('plain', 'k')
