-- Nothing around a kept filter breaks it, or hides that it is broken: settings of the
-- connection, TEMP objects of its names, contents that nobody expects, and names that
-- look like others. stress/surroundings.c draws such things at random.
.load dist/bloom
.nullvalue NULL
PRAGMA trusted_schema = OFF;
CREATE TABLE s(id INTEGER PRIMARY KEY, k TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
INSERT INTO s SELECT i, 'key ' || i FROM n;
CREATE VIEW lost(parts, filter, spans) AS SELECT
  sum(NOT bloom_may_match(k, (SELECT f FROM s_k_part WHERE part = bloom_part(k, parts)))),
  sum(NOT bloom_may_match(k, (SELECT filter FROM s_k_filter))),
  sum((SELECT count(*) FROM s_k_spans AS p WHERE s.id BETWEEN p.first AND p.last
    AND bloom_may_match(s.k, p.f)) <> 1) FROM s;

-- ---- Settings: the names of columns, and rows that a change returns.
-- each: full_column_names = 1 => short_column_names = 0 | count_changes = 1 => cache_spill = 0
SAVEPOINT made;
PRAGMA {1};
PRAGMA {2};
SELECT bloom_create_parts('s', 'k'), bloom_create_blocks('s', 'k', 10, 256);
SELECT * FROM bloom_check();
SELECT * FROM lost;
SELECT bloom_create_parts('s', 'k', 12), bloom_drop_blocks('s', 'k'), bloom_drop_parts('s', 'k');
PRAGMA full_column_names = 0;
PRAGMA short_column_names = 1;
PRAGMA count_changes = 0;
ROLLBACK TO made;
RELEASE made;
-- s_k_filter|s_k_spans
-- 0|0|0
-- s_k_filter|5|8

-- ---- TEMP objects. The check, its remedies and the calls are about main.
SELECT bloom_create_parts('s', 'k'), bloom_create_blocks('s', 'k', 10, 256);
-- s_k_filter|s_k_spans

-- each: TABLE s(x) | VIEW s AS SELECT 1 | TABLE pragma_table_xinfo(x) | TABLE pragma_index_list(x) | TABLE pragma_database_list(x)
SAVEPOINT made;
CREATE TEMP {1};
SELECT * FROM bloom_check();
SELECT bloom_create_parts('s', 'k');
ROLLBACK TO made;
RELEASE made;
-- s_k_filter

-- A copy of the parts that has each key hides no row that is lost.
CREATE TEMP TABLE s_k_parts AS SELECT * FROM main.s_k_parts;
UPDATE main.s_k_parts SET f = CAST(zeroblob(length(f) - 1) || x'06' AS BLOB) WHERE part = 2;
SELECT problem FROM bloom_check() WHERE problem LIKE '%would be lost%';
-- ... of the rows would be lost, the first with id ...

DROP TABLE temp.s_k_parts;
SELECT bloom_create_parts('s', 'k');
-- s_k_filter

-- A remedy of two calls drops nothing if it cannot make the other filter.
CREATE TABLE r(k TEXT);
SELECT bloom_create_parts('r', 'k');
CREATE VIEW u_k_filter AS SELECT 1 AS mine;
ALTER TABLE r RENAME TO u;
-- r_k_filter

SELECT problem FROM bloom_check('r');
SELECT bloom_create_parts('u', 'k', 10, 0), bloom_drop_parts('r', 'k');
-- there is already a view "u_k_filter", ...: rename it, or drop it, since no call would help
-- r.k is called u.k now, so no row is excluded, and no call would help while another object is in the way
-- Error: bloom_create_parts: there is already a view "u_k_filter", ...

SELECT bloom_drop_parts('r', 'k');
-- 8

-- ---- Contents: what the check says, whatever the table holds, and one call mends it.
-- each: parts SET parts = 'x' => part 0 of text has a BLOB of 1876 bytes, but the parts are 0 to 2 of 3, each a BLOB of 1876 bytes
-- each: parts SET parts = x'00', f = 'x' => part 0 of blob has text, but the parts are 0 to 2 of 3, each a BLOB of ...
-- each: parts SET f = 1.5 WHERE part = 0 => part 0 of 3 has real, but ... | parts SET part = -5 WHERE part = 0 => parts are missing (1 of 3)
-- each: parts SET keys = -9223372036854775808 => part 0 has a number of keys or a room that is -9223372036854775808, but they are integers from 0 to 1099511627776
-- each: parts SET keys = 1.5 => part 0 has a number of keys or a room that is real, ... | parts SET room = 0.5 => part 0 has ... that is real, ...
-- each: parts SET keys = x'ff00fe' WHERE part = 1 => part 1 has a number of keys or a room that is blob, ... | parts SET room = '1' || x'ff' => part 0 has ... that is text, ...
-- each: blocks SET f = x'ff' WHERE block = 2 => block 2 has a BLOB of 1 byte instead ...
-- each: blocks SET f = 1e308 WHERE block = 2 => block 2 has real instead of a filter, so rows may be lost | blocks SET f = CAST(x'ff61' AS TEXT) WHERE block = 2 => block 2 has text ...
UPDATE s_k_{1};
SELECT problem FROM bloom_check('s', 'k') LIMIT 1;
SELECT count(*) FROM bloom_check('s', 'k') WHERE typeof(problem) <> 'text' OR hex(problem) LIKE '%FF%';
SELECT bloom_create_parts('s', 'k') || bloom_create_blocks('s', 'k');
SELECT * FROM bloom_check('s', 'k');
SELECT * FROM lost;
-- {2}: SELECT bloom_create_...('s', 'k')
-- 0
-- s_k_filters_k_spans
-- 0|0|0

DELETE FROM s_k_parts WHERE part > 0;
UPDATE s_k_parts SET part = 3, parts = x'00', keys = 'x', room = 1.5, f = 'x';
SELECT problem FROM bloom_check('s', 'k') LIMIT 1;
SELECT bloom_create_parts('s', 'k');
SELECT * FROM bloom_check('s', 'k');
-- parts are missing (1 of 1): SELECT bloom_create_parts('s', 'k')
-- s_k_filter

-- A key that is not UTF-8 is shown in UTF-8.
CREATE TABLE w(k TEXT PRIMARY KEY) WITHOUT ROWID;
INSERT INTO w VALUES (CAST(x'6bff' AS TEXT));
SELECT bloom_create_parts('w', 'k');
UPDATE w_k_parts SET f = CAST(zeroblob(length(f) - 1) || x'06' AS BLOB);
SELECT problem FROM bloom_check('w');
-- w_k_filter
-- 1 of the rows would be lost, the first with k 'k?': SELECT bloom_create_parts('w', 'k')

-- Views that are gone, or give something else.
-- each: filter => SELECT bloom_open(bloom_build(k)) AS filter FROM s WHERE id < 2 => parts => the views of the filter give other parts than its table has
-- each: part => SELECT 0 AS part, 1 AS parts, bloom_build('a') AS f => parts => the views of the filter give other parts than its table has
-- each: spans => SELECT 1 AS first, 9 AS last, bloom_build('a') AS f => blocks => the view of the filter gives other spans than its table has
-- each: filter => SELECT CAST(bloom_open(part, parts, f) AS TEXT) AS filter FROM s_k_parts => parts => the views of the filter give other parts than its table has
-- each: spans => SELECT 0 AS first, 9999 AS last, f FROM s_k_blocks WHERE block = 0 => blocks => the view of the filter gives other spans than its table has
-- each: filter => SELECT filter FROM s_k_filter => parts => the filter cannot be read (view s_k_filter is circularly defined)
SAVEPOINT made;
DROP VIEW s_k_{1};
SELECT problem FROM bloom_check('s', 'k');
CREATE VIEW s_k_{1} AS {2};
SELECT problem FROM bloom_check('s', 'k');
ROLLBACK TO made;
RELEASE made;
SELECT * FROM bloom_check('s', 'k');
-- the filter cannot be read (no such table: main.s_k_{1}): SELECT bloom_create_{3}('s', 'k')
-- there is already a view "s_k_{1}", which was not made by bloom_create_{3}('s', 'k'): rename it, or drop it, since no call would help
-- {4}, and no call would help while another object is in the way

-- A trigger of others on the filter's own table keeps keys out, or lets each write fail.
-- each: parts => BEFORE UPDATE => IGNORE => other | parts => AFTER INSERT => ABORT, 'no' => other | blocks => BEFORE INSERT => FAIL, 'no' => other
-- each: parts => BEFORE UPDATE => IGNORE => s_k_parts_other | blocks => BEFORE UPDATE => IGNORE => s_k_blocks_grow
CREATE TRIGGER {4} {2} ON s_k_{1} BEGIN SELECT RAISE({3}); END;
SELECT bloom_is_kept('{1}', 's', 'k');
SELECT problem FROM bloom_check('s', 'k');
SELECT bloom_create_{1}('s', 'k');
DROP TRIGGER {4};
SELECT * FROM bloom_check('s', 'k');
-- 0
-- there is already a trigger "{4}", ...
-- trigger {4} stands on the filter's own table, so no row is excluded...
-- Error: bloom_create_{1}: there is already a trigger "{4}", ...

-- An index of others on the filter's own table, which may forbid a second part.
-- each: parts => parts | blocks => f
CREATE INDEX other ON s_k_{1}({2});
SELECT problem FROM bloom_check('s', 'k');
SELECT bloom_create_{1}('s', 'k');
DROP INDEX other;
SELECT * FROM bloom_check('s', 'k');
-- there is already an index "other", which was not made by bloom_create_{1}('s', 'k'): drop it, since no call would help
-- Error: bloom_create_{1}: there is already an index "other", which was not made by bloom_create_{1}('s', 'k'): drop it

-- The table and the filter's table are renamed alike.
-- each: parts => filter => 10, 0 | blocks => spans => 12, 4096
SAVEPOINT made;
CREATE TABLE x(id INTEGER PRIMARY KEY, k);
INSERT INTO x(k) VALUES ('a'), ('b');
SELECT bloom_create_{1}('x', 'k');
ALTER TABLE x RENAME TO y;
ALTER TABLE x_k_{1} RENAME TO y_k_{1};
SELECT problem FROM bloom_check('x');
SELECT bloom_create_{1}('y', 'k', {3}), bloom_drop_{1}('x', 'k') > 0;
SELECT instr(sql, '{1}(''y''') > 0 FROM sqlite_master WHERE name = 'y_k_{1}';
SELECT * FROM bloom_check('y');
INSERT INTO y(k) VALUES ('c');
SELECT count(*) FROM sqlite_master WHERE name GLOB 'x_*';
ROLLBACK TO made;
RELEASE made;
-- x_k_{2}
-- x.k is called y.k now, so no row is excluded: SELECT bloom_create_{1}('y', 'k', {3}), bloom_drop_{1}('x', 'k')
-- y_k_{2}|1
-- 1
-- 0

-- So they are where somebody has replaced one of the triggers that tell the new name.
-- each: parts => filter => 10, 0 => insert | parts => filter => 10, 0 => update
-- each: blocks => spans => 12, 4096 => insert | blocks => spans => 12, 4096 => update
SAVEPOINT made;
CREATE TABLE x(id INTEGER PRIMARY KEY, k);
INSERT INTO x(k) VALUES ('a'), ('b');
SELECT bloom_create_{1}('x', 'k');
DROP TRIGGER x_k_{1}_{4};
CREATE TRIGGER x_k_{1}_{4} AFTER INSERT ON x BEGIN SELECT 'of somebody else'; END;
ALTER TABLE x RENAME TO y;
ALTER TABLE x_k_{1} RENAME TO y_k_{1};
SELECT problem FROM bloom_check('x');
SELECT bloom_create_{1}('y', 'k', {3}), bloom_drop_{1}('x', 'k') > 0;
SELECT * FROM bloom_check('y');
SELECT count(*) FROM sqlite_master WHERE name GLOB 'x_*';
ROLLBACK TO made;
RELEASE made;
-- x_k_{2}
-- x.k is called y.k now, so no row is excluded: SELECT bloom_create_{1}('y', 'k', {3}), bloom_drop_{1}('x', 'k')
-- y_k_{2}|1
-- 1

-- The filter's table has been replaced before that by somebody's own: the problems say to
-- rename it or to drop it, and after that, which call to make.
-- each: parts | blocks
SAVEPOINT made;
CREATE TABLE x(id INTEGER PRIMARY KEY, k);
SELECT bloom_create_{1}('x', 'k', 10, 9) <> '';
DROP TABLE x_k_{1};
CREATE TABLE x_k_{1}(part INTEGER PRIMARY KEY, parts, keys, room, f, block);
ALTER TABLE x RENAME TO y;
ALTER TABLE x_k_{1} RENAME TO y_k_{1};
SELECT problem FROM bloom_check('x');
ALTER TABLE y_k_{1} RENAME TO z;
SELECT replace(problem, ': SELECT ', '=') FROM bloom_check('x');
SELECT bloom_create_{1}('y', 'k', 10, 9) <> '', bloom_drop_{1}('x', 'k') > 0;
SELECT * FROM bloom_check('y');
ROLLBACK TO made;
RELEASE made;
-- 1
-- there is already a table "y_k_{1}", which was not made by bloom_create_{1}('y', 'k'): rename it, or drop it, since no call would help
-- x.k is called y.k now, so no row is excluded, and no call would help while another object is in the way
-- x.k is called y.k now, so no row is excluded=bloom_create_{1}('y', 'k', ...), bloom_drop_{1}('x', 'k')
-- 1|1

-- Names in other capitals, and a name that no call can take.
SAVEPOINT made;
ALTER TABLE s RENAME TO other;
ALTER TABLE other RENAME TO S;
ALTER TABLE s RENAME COLUMN k TO K;
SELECT * FROM bloom_check('s');
SELECT bloom_is_kept('parts', 's', 'k'), bloom_is_kept('blocks', 's', 'k');
SELECT bloom_create_parts('s', 'K'), bloom_create_blocks('s', 'K');
SELECT * FROM bloom_check('s');
SELECT name FROM sqlite_master WHERE name GLOB '[sS]_[kK]_*s' ORDER BY name;
ALTER TABLE s RENAME COLUMN K TO "k
";
SELECT problem FROM bloom_check('s');
ROLLBACK TO made;
RELEASE made;
-- 1|1
-- S_K_filter|S_K_spans
-- S_K_blocks
-- S_K_parts
-- S_K_spans
-- S.K is gone: SELECT bloom_drop_blocks('S', 'K')
-- S.K is gone: SELECT bloom_drop_parts('S', 'K')

-- Beside a TEMP table of its name, SQLite does not rename the key in triggers.
SAVEPOINT made;
CREATE TEMP TABLE s(id, k);
ALTER TABLE main.s RENAME COLUMN id TO number;
SELECT problem FROM bloom_check('s', 'k');
SELECT bloom_create_blocks('s', 'k');
SELECT problem FROM bloom_check('s', 'k');
INSERT INTO main.s(k) VALUES ('new');
ROLLBACK TO made;
RELEASE made;
-- trigger s_k_blocks_update has another name of the key, so that each write fails: SELECT bloom_create_blocks('s', 'k')
-- trigger s_k_blocks_insert has another name of the key, so that each write fails: SELECT bloom_create_blocks('s', 'k')
-- s_k_spans

-- ---- A BEFORE trigger is harmless, whatever it is called and says.
-- each: lookafter BEFORE DELETE => 'a' | "after" BEFORE UPDATE OF k => 'thereafter' | IF NOT EXISTS "a""after" /* AFTER */ BEFORE INSERT => NEW.k
-- each: [an after] /* after */ BEFORE UPDATE => 'after'
SAVEPOINT made;
CREATE TRIGGER {1} ON s BEGIN SELECT {2}, 'after'; END;
SELECT bloom_is_kept('parts', 's', 'k'), bloom_is_kept('blocks', 's', 'k');
SELECT * FROM bloom_check('s', 'k');
ROLLBACK TO made;
RELEASE made;
-- 1|1

-- each: "before" AFTER INSERT | before/**/ after DELETE | IF NOT EXISTS 'before' AFTER UPDATE OF id
SAVEPOINT made;
CREATE TRIGGER {1} ON s BEGIN SELECT 'before'; END;
SELECT bloom_is_kept('parts', 's', 'k'), bloom_is_kept('blocks', 's', 'k');
ROLLBACK TO made;
RELEASE made;
-- 0|0

-- Nor is an AFTER trigger one of a filter's for a text that is no SQL, or in other quotes.
-- each: /* => */ BEGIN SELECT 1; END | BEGIN SELECT RAISE(IGNORE); -- => parts"; END
-- each: BEGIN SELECT 1 AS [ => ]; END | BEGIN SELECT 1 AS ` => `; END
CREATE TRIGGER other AFTER INSERT ON s {1} BEGIN
  SELECT RAISE(ABORT, '') AS "bloom_create_{2};
SELECT bloom_is_kept('parts', 's', 'k'), bloom_is_kept('blocks', 's', 'k');
DROP TRIGGER other;
-- 0|0

-- ---- Another table takes the name, with the triggers or without, and parts grow away from
-- it: no row is lost, and the calls mend it.
DROP VIEW lost;

-- each: 0 => INSERT INTO away(k) SELECT 'more ' || id FROM away; DROP TABLE away
-- each: 1 => INSERT INTO away(k) SELECT 'more ' || id FROM away; DROP TABLE away
-- each: 1 => DROP TABLE away; ALTER TABLE s RENAME TO v; ALTER TABLE v RENAME TO s
SAVEPOINT made;
PRAGMA legacy_alter_table = {1};
ALTER TABLE s RENAME TO away;
CREATE TABLE s(id INTEGER PRIMARY KEY, k TEXT);
INSERT INTO s SELECT * FROM away;
INSERT INTO s(k) VALUES ('lost');
UPDATE s_k_parts SET keys = room;
{2};
SELECT sum(bloom_may_match(k, (SELECT filter FROM s_k_filter))) = count(*) FROM s;
SELECT bloom_create_parts('s', 'k'), bloom_create_blocks('s', 'k');
SELECT * FROM bloom_check('s', 'k');
PRAGMA legacy_alter_table = 0;
ROLLBACK TO made;
RELEASE made;
-- 1
-- s_k_filter|s_k_spans

-- What others call like a filter's is none.
CREATE TABLE log(x);

-- each: a => parts('log', 'x', 10, 0) | log_x_ => parts('log', 'x | log_x_b => parts('log', 7 | log_x_c => parts('log | log_x_d => parts(
CREATE VIEW {1} AS SELECT 1 AS "bloom_create_{2}";
SELECT * FROM bloom_check('log');
-- Error: bloom_check: table must be the name of a table that has a kept filter, got TEXT 'log'

-- ---- Names. What is remembered of one filter is not taken for another's.
CREATE TABLE "parts"("X");
CREATE TABLE "X"("");
CREATE TABLE z(a);
SELECT bloom_create_parts('parts', 'X'), bloom_create_parts('X', ''), bloom_create_parts('z', 'a');
-- parts_X_filter|X__filter|z_a_filter

DROP TRIGGER "X__parts_insert";
INSERT INTO "X" VALUES ('lost');
BEGIN;
SELECT bloom_is_kept('parts', 'parts', 'X') FROM "X";
SELECT bloom_is_kept('parts', 'z', 'a') FROM "X";
SELECT bloom_may_match('lost', (SELECT filter FROM "X__filter")), bloom_is_kept('parts', 'X', '');
COMMIT;
-- 1
-- 1
-- 1|0

-- A name in which the mark of a filter stands.
CREATE TABLE "a ""bloom_create_parts('x', 'y', 1, 2)"" b"(k);
SELECT bloom_create_parts('a "bloom_create_parts(''x'', ''y'', 1, 2)" b', 'k') IS NOT NULL;
SELECT count(*) FROM bloom_check('a "bloom_create_parts(''x'', ''y'', 1, 2)" b');
DROP TRIGGER "a ""bloom_create_parts('x', 'y', 1, 2)"" b_k_parts_insert";
SELECT problem FROM bloom_check('a "bloom_create_parts(''x'', ''y'', 1, 2)" b');
-- 1
-- 0
-- trigger ... is missing, so no row is excluded: SELECT bloom_create_parts('a "bloom_create_parts(''x'', ''y'', 1, 2)" b', 'k')

-- Where views are switched off, it is no problem of the filter, and no call would help.
CREATE TABLE viewed(k);
SELECT bloom_create_parts('viewed', 'k');
-- viewed_k_filter

-- since: 3.31
.dbconfig enable_view off
SELECT * FROM bloom_check('viewed');
.dbconfig enable_view on
-- ...enable_view off
-- ...enable_view on
-- Error: bloom_check: access to view "viewed_k_filter" prohibited

-- A table that has not the columns of this version is made anew.
-- each: room | part
ALTER TABLE viewed_k_parts RENAME COLUMN {1} TO other;
SELECT problem FROM bloom_check('viewed') LIMIT 1;
SELECT bloom_create_parts('viewed', 'k');
SELECT problem FROM bloom_check('viewed');
-- the filter cannot be read (no such column: p.{1}): SELECT bloom_create_parts('viewed', 'k')
-- viewed_k_filter

-- A handle in another row than that of growth has no meaning, and growth removes it.
PRAGMA recursive_triggers = ON;
UPDATE viewed_k_parts SET keys = 1400, handle = 5;
SELECT problem FROM bloom_check('viewed');
INSERT INTO viewed VALUES ('new');
SELECT keys, handle FROM viewed_k_parts;
-- 1|NULL
