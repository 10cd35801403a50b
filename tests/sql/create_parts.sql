-- bloom_create_parts(table, column [, bits_per_key [, keys]]) makes a kept
-- filter in parts, and bloom_drop_parts(table, column) removes it.
.load dist/bloom
.nullvalue NULL
PRAGMA trusted_schema = OFF;

-- ---- Errors of the table.
CREATE TABLE t(id INTEGER PRIMARY KEY, c TEXT);
ATTACH ':memory:' AS other;
CREATE TABLE other.elsewhere(c TEXT);

-- each: 7 | NULL | x'74' => a BLOB of 1 byte
SELECT bloom_create_parts({1}, 'c');
-- Error: bloom_create_parts: table must be the name of a table, got {2}

-- each: 'no such' => TEXT 'no such' | '' => TEXT ''
-- each: 'sqlite_master' => TEXT 'sqlite_master' | 'elsewhere' => TEXT 'elsewhere'
-- each: 'main.t' => TEXT 'main.t': give the name alone, without a database
SELECT bloom_create_parts({1}, 'c');
-- Error: bloom_create_parts: table must be the name of a table in main, got {2}

-- A NUL would cut off the name.
CREATE TABLE "two	words"(c TEXT);

-- each: 't' || char(0) || 'u' => TEXT 't'... | 'two' || char(9) || 'words' => TEXT 'two	words'
SELECT bloom_create_parts({1}, 'c');
-- Error: bloom_create_parts: table must be a name without control characters, got {2}

-- Only ordinary tables (kept.t has a virtual one), not one of SQLite's own, nor one
-- for which sqlite_c_parts would be made, a name that SQLite reserves.
CREATE VIEW seen AS SELECT * FROM t;
CREATE TABLE counted(c INTEGER PRIMARY KEY AUTOINCREMENT);
CREATE TABLE sqlite(c TEXT);
CREATE TEMP TABLE passing(c TEXT);

-- each: seen => , a view | sqlite_sequence => , which is SQLite's own | passing => , a temporary table
-- each: SQLite => : the names of its filter's objects would be reserved
SELECT bloom_create_parts('{1}', 'c');
-- Error: bloom_create_parts: table must be the name of a table in main, got TEXT '{1}'{2}

-- ---- Errors of the column.
-- each: NULL | 3
SELECT bloom_create_parts('t', {1});
-- Error: ...column must be the name of a column, got {2}

-- each: 'd' => TEXT 'd' | 'rowid' => TEXT 'rowid'
-- each: 'lower(c)' => TEXT 'lower(c)': instead, filter a generated column
-- each: 'c,id' => TEXT 'c,id': instead, filter a generated column
SELECT bloom_create_parts('t', {1});
-- Error: ...column must be the name of a column of that table, got {2}

-- Values that are equal under another collation have other keys.
CREATE TABLE folded(n TEXT COLLATE NOCASE, r TEXT COLLATE RTRIM);

-- each: n => NOCASE => lower | r => RTRIM => rtrim
SELECT bloom_create_parts('folded', '{1}');
-- Error: ..., whose collation is {2}: instead, filter a generated column {3}(NAME)

-- ---- Errors of the numbers.
SELECT bloom_create_parts('t', 'c', NULL);
-- Error: ...bits_per_key must be an integer from 1 to 100 (bits for..., got NULL

-- All parts of a filter are one allocation of at most 2 GiB.
-- each: 10, -1 => 1048576000 (at 10 | 10, 1048576001 => 1048576000 (at 10
-- each: 12, 1048576000 => 928039000 (at 12 | 100, 131072000 => 114142000 (at 100
SELECT bloom_create_parts('t', 'c', {1});
-- Error: ...keys must be an integer from 0 to {2} bits_per_key), got ...

SELECT bloom_create_parts('t', 'c', 10, 0, 0);
-- Error: ...wrong number of arguments to function bloom_create_parts()

-- The number that was given last may be too large for other bits_per_key. (Its filter
-- would take 2 GiB here, so only the mark is written.)
CREATE TABLE large(c TEXT);
SAVEPOINT before;
SELECT bloom_create_parts('large', 'c');
-- large_c_filter

DROP TRIGGER large_c_parts_last;
CREATE TRIGGER large_c_parts_last AFTER UPDATE OF room ON large_c_parts WHEN NULL
BEGIN
  SELECT 1 AS "bloom_create_parts('large', 'c', 10, 1048576000)";
END;
SELECT bloom_create_parts('large', 'c', 100);
-- Error: bloom_create_parts: keys must be at most 114142000 at 100 bits_per_key, and is 1048576000 since an earlier call: give another number

SELECT bloom_create_parts('large', 'c', 100, 1);
-- large_c_filter

ROLLBACK TO before;
RELEASE before;

-- ---- A connection that runs no triggers, which make the first parts.
.dbconfig enable_trigger off
SELECT bloom_create_parts('large', 'c');
-- ...enable_trigger off
-- Error: bloom_create_parts: the triggers of this connection are switched off (SQLITE_DBCONFIG_ENABLE_TRIGGER), or an authorizer hides the schema

.dbconfig enable_trigger on
SELECT bloom_create_parts('large', 'c'), bloom_drop_parts('large', 'c');
-- ...enable_trigger on
-- large_c_filter|8

DROP TABLE large;

-- ---- Errors of bloom_drop_parts.
-- each: 't', 'c' => bloom_create_parts('t', 'c') made nothing here
-- each: 't', 1.5 => column must be the name of a column, got 1.5
SELECT bloom_drop_parts({1});
-- Error: bloom_drop_parts: {2}

SELECT bloom_drop_parts(NULL, 'c');
-- Error: bloom_drop_parts: table must be the name of a table, got NULL

SELECT bloom_drop_parts('t');
-- Error: ...wrong number of arguments to function bloom_drop_parts()

-- A schema cannot make the call (kept_test.c has other statements that cannot).
CREATE INDEX refused ON t(bloom_create_parts('t', 'c'));
-- Error: ...

SELECT count(*) FROM sqlite_master WHERE name LIKE 't!_c!_%' ESCAPE '!';
-- 0

-- ---- Objects of others are not changed: a table, an index or a trigger that
-- has one of the filter's names, or the filter of another column.
-- each: TABLE T_C_PARTS => (mine) => a table "T_C_PARTS" | INDEX t_c_filter => ON t(c) => an index "t_c_filter"
-- each: TRIGGER t_c_parts_last => AFTER UPDATE ON t BEGIN SELECT 1; END => a trigger "t_c_parts_last"
CREATE {1} {2};
SELECT bloom_create_parts('t', 'c');
DROP {1};
-- Error: ...there is already {3}, which was not made by bloom_create_parts('t', 'c'): ...drop it

CREATE TABLE a_b(c TEXT);
CREATE TABLE a(b_c TEXT);
SELECT bloom_create_parts('a_b', 'c');
-- a_b_c_filter

SELECT bloom_create_parts('a', 'b_c');
-- Error: ...there is already a ... "a_b_c_...", which belongs to the filter that bloom_create_parts('a_b', 'c', 10, 0) made: drop that filter, or rename a table or a column

SELECT bloom_drop_parts('a', 'b_c');
-- Error: ...made nothing here; there are filters made by bloom_create_parts('a_b', 'c', 10, 0)

-- ---- What it makes. The names may be written in any case.
CREATE TABLE page(id INTEGER PRIMARY KEY, url TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
INSERT INTO page SELECT i, 'https://example.org/' || i FROM n;
SELECT bloom_create_parts('PAGE', 'Url');
-- page_url_filter

SELECT type, name FROM sqlite_master WHERE name LIKE 'page!_%' ESCAPE '!';
-- table|page_url_parts
-- trigger|page_url_parts_update
-- trigger|page_url_parts_insert
-- trigger|page_url_parts_extend
-- trigger|page_url_parts_grow
-- trigger|page_url_parts_last
-- view|page_url_part
-- view|page_url_filter

SELECT count(*) = parts, parts BETWEEN 8 AND 12, min(part),
  max(part) + 1 = parts, max(keys) < 1400, min(length(f)), max(length(f))
FROM page_url_parts;
-- 1|1|0|1|1|1876|1876

SELECT problem FROM bloom_check('page', 'url');
SELECT count(*), typeof(filter) FROM page_url_filter;
-- 1|integer

-- A join, and a lookup of one key.
CREATE TABLE visit(url TEXT);
INSERT INTO visit
SELECT url || CASE id % 100 WHEN 0 THEN '' ELSE '?' END FROM page;
SELECT count(*) FROM visit JOIN page USING (url)
WHERE bloom_may_match(visit.url, (SELECT filter FROM page_url_filter));
-- 100

SELECT sum(bloom_may_match(url, (SELECT filter FROM page_url_filter))) BETWEEN 100 AND 250,
  sum(bloom_may_match(url, (SELECT f FROM page_url_part WHERE part = bloom_part(url, parts)))) BETWEEN 100 AND 250
FROM visit;
-- 1|1

-- ---- Every new key is added, whichever statement writes it. Is any row lost?
CREATE VIEW lost AS
SELECT id, url FROM page
WHERE NOT bloom_may_match(url, (SELECT filter FROM page_url_filter))
  OR NOT bloom_may_match(url, (SELECT f FROM page_url_part
                               WHERE part = bloom_part(url, parts)));
CREATE UNIQUE INDEX page_url ON page(url);
INSERT INTO page VALUES (30001, 'inserted'), (30002, NULL), (30003, 7),
  (30004, x'00ff'), (30005, 1.5);
INSERT OR IGNORE INTO page VALUES (30006, 'or ignored'), (1, 'ignored');
REPLACE INTO page VALUES (2, 'replaced');
INSERT INTO page VALUES (3, 'upserted')
ON CONFLICT(id) DO UPDATE SET url = excluded.url;
INSERT INTO page(url) VALUES ('https://example.org/4')
ON CONFLICT(url) DO UPDATE SET url = 'updated by upsert';
UPDATE page SET url = 'updated' WHERE id = 5;
UPDATE page SET url = 'no more NULL' WHERE id = 30002;
UPDATE OR REPLACE page SET url = 'inserted' WHERE id = 6;
UPDATE page SET rowid = -7 WHERE id = 7;
UPDATE page SET url = upper(url) WHERE id BETWEEN 50 AND 60;
INSERT INTO page SELECT 30100 + id, 'selected ' || id FROM page WHERE id < 50;
SELECT * FROM lost;
SELECT count(*) FROM page WHERE url IN ('inserted', 'replaced', 'upserted',
  'updated by upsert', 'updated', 'or ignored', '7', x'00ff', '1.5');
-- 9

BEGIN;
INSERT INTO page(url) VALUES ('rolled back');
ROLLBACK;
SELECT bloom_may_match('rolled back', filter),
  bloom_may_match('inserted', filter) FROM page_url_filter;
-- 0|1

-- A key that is there already costs a probe, not a write.
CREATE TABLE written(part INTEGER);
CREATE TRIGGER written AFTER UPDATE ON page_url_parts BEGIN
  INSERT INTO written VALUES (NEW.part);
END;
DELETE FROM page WHERE url = 'inserted';
INSERT INTO page(url) VALUES ('inserted');
UPDATE page SET url = url || '';
SELECT count(*) FROM written;
-- 0

INSERT INTO page(url) VALUES ('written once');
SELECT count(*) FROM written;
-- 1

DROP TRIGGER written;

-- ---- A trigger that is older than the filter runs after the filter's own, so it
-- may end the statement early and leave the row: its key is in the filter. So is
-- that of a row beside a BEFORE trigger, however new it is.
SAVEPOINT early;
CREATE TRIGGER early AFTER INSERT ON page BEGIN
  SELECT CASE NEW.url WHEN 'early 1' THEN RAISE(IGNORE)
    WHEN 'early 2' THEN RAISE(FAIL, 'failed') END;
END;
CREATE TRIGGER early_parts_update AFTER UPDATE ON page WHEN NEW.url LIKE 'early%'
BEGIN
  SELECT RAISE(ABORT, '') AS never WHERE 0;
  SELECT RAISE(IGNORE);
END;

-- They are newer than the filter, which therefore excludes nothing, until it is
-- made again.
SELECT problem, bloom_may_match('absent', filter) FROM bloom_check('page', 'url'), page_url_filter;
-- trigger early_parts_update is newer than the filter and may end a row before ...|1

SELECT bloom_create_parts('page', 'url');
-- page_url_filter

CREATE TRIGGER before BEFORE INSERT ON page WHEN NEW.url = 'no row'
BEGIN SELECT RAISE(IGNORE); END;
SELECT problem FROM bloom_check('page', 'url');
INSERT INTO page(url) VALUES ('early 1');
INSERT INTO page(url) VALUES ('early 2');
-- Error: failed

INSERT OR FAIL INTO page(id, url) VALUES (31000, 'early 4'), (1, 'early 5');
-- Error: ...UNIQUE constraint failed: page.id...

UPDATE page SET url = 'early 3' WHERE id = 10;
INSERT INTO page(url) VALUES ('no row');
SELECT count(*) FROM page WHERE url LIKE 'early%';
-- 4

SELECT * FROM lost;
SELECT bloom_may_match('absent', filter) FROM page_url_filter;
-- 0

-- The filter of another column or of blocks is newer, too, but harmless. A
-- comment does not make a trigger one of a filter's.
SELECT bloom_create_parts('page', 'id'), bloom_create_blocks('page', 'url');
-- page_id_filter|page_url_spans

SELECT problem FROM bloom_check('page', 'url');
CREATE TRIGGER page_url_mine AFTER INSERT ON page /* BEGIN
  SELECT RAISE(ABORT, '') AS "bloom_create_" */ BEGIN
  -- "bloom_create_parts('page', 'url', 10, 0)"
  SELECT RAISE(IGNORE);
END;
CREATE TRIGGER page_url_note AFTER UPDATE ON page BEGIN
  -- Not "bloom_create_parts('page', 'url', 10, 0)".
  SELECT RAISE(IGNORE);
END;
INSERT INTO page(url) VALUES ('behind a comment');
SELECT count(*) FROM page
WHERE NOT bloom_may_match(url, (SELECT filter FROM page_url_filter));
-- 0

SELECT problem FROM bloom_check('page', 'url') WHERE form = 'parts';
-- trigger page_url_note is newer than the filter and may end a row before its ...
-- the filter lacks 1 of the rows, the first with id 31001; it excludes none now, ...

DROP TRIGGER page_url_note;
SELECT problem FROM bloom_check('page', 'url') WHERE form = 'parts' LIMIT 1;
-- trigger page_url_mine is newer than the filter and may end a row before its ...

-- Nor does a call take it, or a table and a view that mention the filter, for its
-- own.
CREATE TABLE page_url_notes(n TEXT DEFAULT 'AS "bloom_create_parts(''page'', ''url'', ');
CREATE VIEW page_url_call AS -- "bloom_create_parts('page', 'url', 10, 0)"
SELECT 'bloom_create_parts(''page'', ''url'', 10, 0)' AS call;
SELECT bloom_create_parts('page', 'url');
-- page_url_filter

SELECT bloom_drop_parts('page', 'url');
-- 8

SELECT count(*) FROM sqlite_master
WHERE name IN ('page_url_mine', 'page_url_notes', 'page_url_call');
-- 3

ROLLBACK TO early;
RELEASE early;

-- An error in the filter's own triggers undoes the row, whatever the statement
-- says about conflicts.
SAVEPOINT failing;
UPDATE page_url_parts SET f = x'00';

-- each: INSERT OR IGNORE INTO page(url) VALUES ('fails 1') | INSERT OR REPLACE INTO page(url) VALUES ('fails 2')
-- each: UPDATE OR FAIL page SET url = 'fails 3' WHERE id = 10
{1};
-- Error: bloom_add: ...

SELECT count(*) FROM page WHERE url LIKE 'fails%';
-- 0

ROLLBACK TO failing;
RELEASE failing;

-- ---- Another call makes the filter again. A number that is not given stays
-- what it was, which the SQL of the last trigger tells.
CREATE VIEW numbers AS
SELECT substr(rest, 1, instr(rest, ')') - 1) AS numbers
FROM (SELECT substr(sql, instr(sql, '''url'', ') + 7) AS rest
      FROM sqlite_master WHERE name = 'page_url_parts_last');
SELECT numbers FROM numbers;
-- 10, 0

-- each: 'url', 20, '50000' => 20, 50000|50|3751 | 'url' => 20, 50000|50|3751 | 'url', 12.0 => 12, 50000|50|2251
SELECT bloom_create_parts('page', {1});
SELECT DISTINCT numbers, parts, length(f) FROM numbers, page_url_parts;
-- page_url_filter
-- {2}

SELECT bloom_create_parts('page', 'url', 10, 0);
-- page_url_filter

SELECT DISTINCT numbers, parts BETWEEN 8 AND 12, length(f)
FROM numbers, page_url_parts;
-- 10, 0|1|1876

SELECT * FROM lost;

-- A call that fails leaves everything as it was.
SELECT bloom_create_parts('page', 'url', 20, -1);
-- Error: ...keys must be...

SELECT numbers, count(*) FROM numbers, sqlite_master
WHERE name LIKE 'page!_url!_%' ESCAPE '!';
-- 10, 0|8

-- ---- Growth: from an empty table to 20,000 keys.
CREATE TABLE grown(key TEXT);
SELECT bloom_create_parts('grown', 'key');
-- grown_key_filter

SELECT count(*) FROM grown_key_parts;
-- 1

WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
INSERT INTO grown SELECT 'key ' || i FROM n;
SELECT count(*), min(parts), max(parts), max(keys) < 1500 FROM grown_key_parts;
-- 16|16|16|1

SELECT sum(NOT bloom_may_match(key, filter)), sum(bloom_may_match('no ' || grown.rowid, filter)) < 240
FROM grown_key_filter CROSS JOIN grown;
-- 0|1

SELECT problem FROM bloom_check('grown', 'key');

-- Many rows of one key do not make the parts grow.
INSERT INTO grown SELECT 'one key' FROM grown;
SELECT count(*) FROM grown_key_parts;
-- 16

-- Growth makes as many parts as the keys of the table need then: fewer, if old
-- keys are gone.
DELETE FROM grown WHERE rowid > 100;

-- A key of part 0 makes the parts grow.
CREATE VIEW asking(key) AS
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
SELECT 'asking ' || i FROM n WHERE bloom_part('asking ' || i, 64) = 0 LIMIT 1;
UPDATE grown_key_parts SET keys = 1400 WHERE part = 0;
INSERT INTO grown SELECT 'not ' || key FROM asking;
SELECT count(*) FROM grown_key_parts;
-- 16

INSERT INTO grown SELECT key FROM asking;
SELECT count(*), sum(keys) BETWEEN 95 AND 105 FROM grown_key_parts;
-- 1|1

-- The table may even be empty, where a TEMP trigger moves each row away.
CREATE TABLE moved(key TEXT);
CREATE TABLE inbox(key TEXT);
SELECT bloom_create_parts('inbox', 'key', 10, 2000);
-- inbox_key_filter

CREATE TEMP TRIGGER move AFTER INSERT ON inbox BEGIN
  INSERT INTO moved VALUES (NEW.key);
  DELETE FROM inbox WHERE rowid = NEW.rowid;
END;
UPDATE inbox_key_parts SET keys = 1400;
INSERT INTO inbox SELECT key FROM asking;
INSERT INTO inbox VALUES ('b');
SELECT count(*), sum(keys), (SELECT count(*) FROM inbox), (SELECT count(*) FROM moved)
FROM inbox_key_parts;
-- 2|1|0|2

-- Keys that are all in part 0 of 16 parts make the parts grow a few times, but
-- not for each key.
CREATE TABLE chosen(key INTEGER);
SELECT bloom_create_parts('chosen', 'key');
-- chosen_key_filter

WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 75000)
INSERT INTO chosen SELECT i FROM n WHERE leveldb_hash(i, 1) < 1 << 28;
SELECT count(*), (SELECT count(*) FROM chosen_key_parts) FROM chosen;
-- 4655|4

-- A call would not divide them either, and bloom_check says so.
SELECT problem FROM bloom_check('chosen', 'key');
-- more keys than room in 1 of the parts, ...: part 0 has ... no call would help, since these keys do not divide

SELECT bloom_create_parts('chosen', 'key');
SELECT (SELECT count(*) FROM chosen_key_parts), problem FROM bloom_check('chosen', 'key');
-- chosen_key_filter
-- 5|more keys ... and no call would help, since these keys do not divide

SELECT count(*) FROM chosen
WHERE NOT bloom_may_match(key, (SELECT filter FROM chosen_key_filter));
-- 0

-- ---- bloom_check has a row for each problem, with the call that repairs it.
-- Meanwhile no row is lost.
DROP TABLE chosen;
CREATE TABLE word(id INTEGER PRIMARY KEY, w TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
INSERT INTO word SELECT i, 'word ' || i FROM n;
SELECT bloom_create_parts('word', 'w');
-- word_w_filter

CREATE VIEW word_lost AS
SELECT id, w FROM word
WHERE NOT bloom_may_match(w, (SELECT filter FROM word_w_filter))
  OR NOT bloom_may_match(w, (SELECT f FROM word_w_part
                                WHERE part = bloom_part(w, parts)));

-- How many of 1,000 absent keys match, by the handle and one by one.
CREATE VIEW word_passing AS
SELECT sum(bloom_may_match(-id, (SELECT filter FROM word_w_filter)))
    AS all_parts,
  sum(bloom_may_match(-id, (SELECT f FROM word_w_part
                            WHERE part = bloom_part(-id, parts)))) AS one_part
FROM word WHERE id <= 1000;

-- Lost rows, problems, and whether absent keys are excluded.
CREATE TEMP VIEW sound AS
SELECT (SELECT count(*) FROM word_lost), (SELECT count(*) FROM bloom_check('word', 'w')),
  all_parts < 20 AND one_part < 20 FROM word_passing;

-- The calls in the problems.
CREATE TEMP VIEW mending AS
SELECT DISTINCT substr(problem, instr(problem, 'SELECT bloom_')) || ';'
FROM bloom_check('word', 'w');
SELECT * FROM sound;
-- 0|0|1

-- A trigger that is missing, until the call is made again.
SAVEPOINT whole;

-- each: insert | update
DROP TRIGGER word_w_parts_{1};
UPDATE word SET w = 'updated' WHERE id = 1;
INSERT INTO word VALUES (3001, 'inserted');
SELECT problem, all_parts, one_part FROM bloom_check('word', 'w'), word_passing
LIMIT 1;
SELECT * FROM word_lost;
.once mending.sql
SELECT * FROM mending;
.read mending.sql
SELECT * FROM sound;
ROLLBACK TO whole;
-- trigger word_w_parts_{1} is missing, so no row is excluded: SELECT bloom_create_parts('word', 'w')|1000|1000
-- word_w_filter
-- 0|0|1

-- Without one of these, the parts do not grow, and rows are written as before.
-- each: extend | grow
DROP TRIGGER word_w_parts_{1};
UPDATE word_w_parts SET keys = room;
INSERT INTO word SELECT id + 3000, 'late ' || id FROM word WHERE id <= 100;
SELECT problem FROM bloom_check('word', 'w');
SELECT count(*), (SELECT count(*) FROM word_lost) FROM word_w_parts;
ROLLBACK TO whole;
-- trigger word_w_parts_{1} is missing, so the parts do not grow: SELECT bloom_create_parts('word', 'w')
-- 3|0

-- A part that is full has room for as many keys again, so that not each key tries to make
-- the parts grow.
DROP TRIGGER word_w_parts_last;
SELECT all_parts, one_part FROM word_passing;
UPDATE word_w_parts SET keys = room;
INSERT INTO word SELECT id + 3000, 'late ' || id FROM word WHERE id <= 100;
SELECT count(*), min(room > keys) FROM word_w_parts;
-- 1000|1000
-- 3|1

SELECT problem FROM bloom_check('word', 'w') LIMIT 1;
-- trigger word_w_parts_last is missing, ...: SELECT bloom_create_parts('word', 'w')

ROLLBACK TO whole;

-- A trigger that was put back by its own SQL, after rows were inserted.
.once put_back.sql
SELECT sql || ';' FROM sqlite_master WHERE name = 'word_w_parts_insert';
DROP TRIGGER word_w_parts_insert;
INSERT INTO word VALUES (3001, 'without the trigger');
.read put_back.sql
SELECT problem FROM bloom_check('word', 'w');
SELECT * FROM word_lost;
-- trigger word_w_parts_insert was put back, and rows may have been written without it, so no row is excluded: ...
-- the filter lacks 1 of the rows, the first with id 3001; it excludes none now, ...: SELECT bloom_create_parts('word', 'w')

SELECT bloom_create_parts('word', 'w');
SELECT * FROM sound;
-- word_w_filter
-- 0|0|1

ROLLBACK TO whole;

-- A trigger of the same name on another table.
DROP TRIGGER word_w_parts_update;
CREATE TRIGGER word_w_parts_update AFTER UPDATE ON visit
BEGIN SELECT 1; END;
SELECT problem, all_parts FROM bloom_check('word', 'w'), word_passing;
-- there is already a trigger "word_w_parts_update", which was not made by bloom_create_parts('word', 'w'): drop it, since no call would help|1000
-- trigger word_w_parts_update is for another table or column, so no row is excluded, and no call would help while another object is in the way|1000

SELECT bloom_create_parts('word', 'w');
-- Error: ...there is already a trigger "word_w_parts_update"...

SELECT bloom_drop_parts('word', 'w');
SELECT name FROM sqlite_master WHERE name LIKE 'word!_w!_parts%' ESCAPE '!';
-- 7
-- word_w_parts_update

ROLLBACK TO whole;

-- No parts.
DELETE FROM word_w_parts;
SELECT problem, word_passing.* FROM bloom_check('word', 'w'), word_passing;
-- all parts are missing, so no row is excluded: SELECT bloom_create_parts('word', 'w')|1000|1000

SELECT bloom_create_parts('word', 'w');
SELECT * FROM sound;
-- word_w_filter
-- 0|0|1

-- No table of parts.
DROP TABLE word_w_parts;
SELECT problem FROM bloom_check('word', 'w');
-- table word_w_parts is missing: SELECT bloom_create_parts('word', 'w')

SELECT bloom_create_parts('word', 'w');
SELECT * FROM sound;
-- word_w_filter
-- 0|0|1

-- One part too few, and one too many, are errors in a join.
CREATE TEMP TABLE fourth AS SELECT * FROM word_w_parts WHERE part = 1;
UPDATE fourth SET part = 3;

-- each: DELETE FROM word_w_parts WHERE part = 1 => 1 of 3 is missing (rows: 2): build the filter again, or give NULL as that part => parts are missing (1 of 3)
-- each: INSERT INTO word_w_parts SELECT * FROM fourth => must be ... from 0 to 2, got 3 => part 3 of 3 has a BLOB of ..., but the parts are 0 to 2 of 3, each a BLOB of ... bytes
{1};
SELECT filter FROM word_w_filter;
SELECT problem FROM bloom_check('word', 'w');
SELECT bloom_create_parts('word', 'w');
SELECT problem FROM bloom_check('word', 'w');
-- {3}: SELECT bloom_create_parts('word', 'w')
-- word_w_filter
-- Error: bloom_open: part {2}

UPDATE word_w_parts SET parts = 4 WHERE part = 2;
SELECT group_concat(part) FROM word_w_part WHERE f IS NULL;
SELECT filter FROM word_w_filter;
SELECT problem FROM bloom_check('word', 'w');
SELECT bloom_create_parts('word', 'w');
SELECT problem FROM bloom_check('word', 'w');
-- 2
-- part 2 of 4 has a BLOB of ..., but the parts are 0 to 2 of 3, each a BLOB of ... bytes: SELECT bloom_create_parts('word', 'w')
-- word_w_filter
-- Error: bloom_open: parts must be the same...

-- Values of other types.
-- each: parts = 'three' => text has a BLOB of ... => % | f = 'a filter' => 3 has text => %
-- each: f = x'' => 3 has a BLOB of 0 bytes => part 2 %
UPDATE word_w_parts SET {1} WHERE part = 2;
SELECT problem FROM bloom_check('word', 'w') WHERE problem LIKE '{3}';
SELECT bloom_create_parts('word', 'w');
SELECT problem FROM bloom_check('word', 'w');
-- part 2 of {2}, but the parts are 0 to 2 of 3, each a BLOB of ... bytes: SELECT bloom_create_parts('word', 'w')
-- word_w_filter

-- There are never more than 2^20 parts.
UPDATE word_w_parts SET parts = 1048576, keys = 2000;
SELECT problem FROM bloom_check('word', 'w') WHERE problem LIKE '%cannot%';
-- there are 1048576 parts, and there cannot be more: part 0 has some 2000 keys and room for 1500, so that more absent keys pass, and no call would help

ROLLBACK TO whole;

-- An UPDATE makes the parts grow, too.
UPDATE word SET w = 'again ' || id;
UPDATE word SET w = 'and again ' || id;
SELECT * FROM sound;
-- 0|0|1

-- More keys than room, where the parts cannot grow.
DROP TRIGGER word_w_parts_extend;
UPDATE word SET w = 'once more ' || id;
UPDATE word SET w = 'and more ' || id;
SELECT problem FROM bloom_check('word', 'w');
-- trigger word_w_parts_extend is missing, so the parts do not grow: SELECT bloom_create_parts('word', 'w')
-- more keys than room in 3 of the parts, so that more absent keys pass: part ... and room for 1500: SELECT ...

SELECT * FROM word_lost;
ROLLBACK TO whole;

-- ---- The table is renamed. Its triggers stay with it and add keys as before,
-- but the views look for a table of the old name, so nothing is excluded.
SELECT bloom_create_parts('word', 'w', 20);
-- word_w_filter

-- Renamed back, they exclude keys again, since the parts were kept all the time.
-- (kept.t has another table that gets the old name.)
SAVEPOINT away;
ALTER TABLE word RENAME TO away;
INSERT INTO away(w) VALUES ('while it was away');
ALTER TABLE away RENAME TO word;
SELECT * FROM sound;
-- 0|0|1

ROLLBACK TO away;
DROP VIEW sound;
DROP VIEW word_lost;
DROP VIEW word_passing;
SAVEPOINT renamed;
ALTER TABLE word RENAME TO term;
INSERT INTO term(w) VALUES ('by another name');
SELECT filter, (SELECT count(*) FROM word_w_part) FROM word_w_filter;
-- NULL|0

SELECT problem FROM bloom_check() WHERE "table" = 'word';
.once mending.sql
SELECT * FROM mending;
.read mending.sql
-- word.w is called term.w now, so no row is excluded: SELECT bloom_create_parts('term', 'w', 20, 0), bloom_drop_parts('word', 'w')
-- term_w_filter|8

SELECT problem FROM bloom_check('term', 'w');

-- A column that is renamed: nothing is excluded, until it gets its old name back.
ROLLBACK TO renamed;
ALTER TABLE word RENAME COLUMN w TO term;
INSERT INTO word(term) VALUES ('by another name');
SELECT problem FROM bloom_check('word', 'w');
-- word.w is called word.term now, so no row is excluded: SELECT bloom_create_parts('word', 'term', 20, 0), bloom_drop_parts('word', 'w')

SELECT filter, (SELECT count(*) FROM word_w_part) FROM word_w_filter;
-- NULL|0

ALTER TABLE word RENAME COLUMN term TO w;
SELECT problem FROM bloom_check('word', 'w');
SELECT count(*) FROM word
WHERE NOT bloom_may_match(w, (SELECT filter FROM word_w_filter));
-- 0

-- A new column of the old name is not in the filter. (kept.t has an ordinary one.)
-- Neither the name of a table nor a default is taken for the column.
CREATE TABLE "(NEW.""w""" (w TEXT NOT NULL DEFAULT '
NEW."w"');
SELECT bloom_create_parts('(NEW."w"', 'w');
-- (NEW."w"_w_filter

INSERT INTO "(NEW.""w""" VALUES ('old');
ALTER TABLE "(NEW.""w""" RENAME COLUMN w TO term;
ALTER TABLE "(NEW.""w""" ADD COLUMN w TEXT;
UPDATE "(NEW.""w""" SET w = 'new';
SELECT filter, (SELECT count(*) FROM "(NEW.""w""_w_part")
FROM "(NEW.""w""_w_filter";
-- NULL|0

-- ---- Rebuilt, as migrations do it (kept.t has more), but with another collation:
-- the call is refused, and nothing is excluded.
ROLLBACK TO renamed;
CREATE TABLE new_word(id INTEGER PRIMARY KEY, w TEXT COLLATE NOCASE);
INSERT INTO new_word SELECT * FROM word;
DROP TABLE word;
ALTER TABLE new_word RENAME TO word;
SELECT bloom_create_parts('word', 'w');
-- Error: ...whose collation is NOCASE: instead, filter a generated column...

SELECT problem FROM bloom_check('word', 'w');
-- word.w cannot have this filter any more: SELECT bloom_drop_parts('word', 'w')

SELECT filter, (SELECT count(*) FROM word_w_part) FROM word_w_filter;
-- NULL|0

-- ---- Dropped, under the names with which it was made, even if the column or
-- the table is gone. Nothing of it is left.
DROP TABLE word;
SELECT problem FROM bloom_check('word', 'w');
-- word.w is gone: SELECT bloom_drop_parts('word', 'w')

SELECT bloom_drop_parts('word', 'id');
-- Error: ...there are filters made by bloom_create_parts('a_b', 'c', 10, 0) and ...'w', 20, 0)

SELECT bloom_drop_parts('Word', 'W');
-- 6

SELECT count(*) FROM sqlite_master WHERE name LIKE 'word!_w!_%' ESCAPE '!';
-- 0

ROLLBACK TO renamed;
ALTER TABLE word RENAME COLUMN w TO term;
SELECT bloom_drop_parts('word', 'w');
-- 8

ROLLBACK TO renamed;
SELECT bloom_drop_parts('word', 'w');
-- 8

SELECT bloom_drop_parts('word', 'w');
-- Error: ...made nothing here...

ROLLBACK;

-- ---- Keys that are stored in another form than they are written: a default that
-- replaces NULL, its affinity, and an id that SQLite assigns, while an older
-- trigger ends each row early.
CREATE TABLE stock(id INTEGER PRIMARY KEY AUTOINCREMENT,
  number INTEGER NOT NULL DEFAULT '007', real REAL NOT NULL DEFAULT '1.50',
  word TEXT NOT NULL DEFAULT x'00ff', name TEXT NOT NULL DEFAULT abc,
  late TEXT NOT NULL DEFAULT (1 || 2));
CREATE TRIGGER stock_inserted AFTER INSERT ON stock
BEGIN SELECT RAISE(IGNORE); END;
CREATE TRIGGER stock_updated AFTER UPDATE ON stock
BEGIN SELECT RAISE(IGNORE); END;
SELECT group_concat(bloom_create_parts('stock', column1)) LIKE '%_filter'
FROM (VALUES ('id'), ('number'), ('real'), ('word'), ('name'), ('late'));
-- 1

REPLACE INTO stock VALUES (NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO stock(id) VALUES (20);
REPLACE INTO stock(number, real, word) VALUES ('0x10', 2, 7);
UPDATE OR REPLACE stock SET number = NULL, name = NULL WHERE id = 21;
SELECT id, number, real, hex(word), name, late FROM stock;
-- 1|7|1.5|00FF|abc|12
-- 20|7|1.5|00FF|abc|12
-- 21|7|2.0|37|abc|12

SELECT sum(bloom_may_match(id, (SELECT filter FROM stock_id_filter))) AS id,
  sum(bloom_may_match(number, (SELECT filter FROM stock_number_filter)))
    AS number,
  sum(bloom_may_match(real, (SELECT filter FROM stock_real_filter))) AS real,
  sum(bloom_may_match(word, (SELECT filter FROM stock_word_filter))) AS word,
  sum(bloom_may_match(name, (SELECT filter FROM stock_name_filter))) AS name,
  sum(bloom_may_match(late, (SELECT filter FROM stock_late_filter))) AS late
FROM stock;
-- 3|3|3|3|3|3

-- ---- Generated keys, virtual and stored. An unrelated column can be dropped.

-- since: 3.31
CREATE TABLE person(id INTEGER PRIMARY KEY, first TEXT, last TEXT, note TEXT,
  name TEXT AS (first || ' ' || last), folded TEXT AS (lower(first)) STORED);
SELECT bloom_create_parts('person', 'name'),
  bloom_create_parts('person', 'folded');
-- person_name_filter|person_folded_filter

-- since: 3.31
INSERT INTO person(first, last) VALUES ('Ann', 'A'), ('Bo', 'B'), ('Cy', 'C');
UPDATE person SET last = 'Z' WHERE id = 2;
CREATE TRIGGER person_early AFTER UPDATE ON person
BEGIN SELECT RAISE(IGNORE); END;
UPDATE person SET first = 'Dee' WHERE id = 3;
SELECT name, bloom_may_match(name, (SELECT filter FROM person_name_filter)),
  folded, bloom_may_match(folded, (SELECT filter FROM person_folded_filter))
FROM person;
-- Ann A|1|ann|1
-- Bo Z|1|bo|1
-- Dee C|1|dee|1

-- since: 3.35
ALTER TABLE person DROP COLUMN note;

-- A trigger changes what a key is generated from, before the row is written.

-- since: 3.31
DROP TRIGGER person_early;
CREATE TRIGGER person_before BEFORE UPDATE ON person WHEN NEW.first <> OLD.first
BEGIN UPDATE person SET last = 'changed' WHERE id = NEW.id; END;
UPDATE person SET first = 'Eve' WHERE id = 1;
SELECT name, bloom_may_match(name, (SELECT filter FROM person_name_filter))
FROM person WHERE id = 1;
-- Eve changed|1

-- ---- Beside a TEMP table of the same name, the table in main is meant.
CREATE TABLE hidden(c TEXT);
CREATE TEMP TABLE hidden(d TEXT);
SELECT bloom_create_parts('hidden', 'c');
-- hidden_c_filter

SELECT * FROM bloom_check('hidden');

-- A temporary table hides an object of a filter, so the name is taken.
CREATE TEMP TABLE page_url_filter(filter);
SELECT bloom_create_parts('page', 'url');
-- Error: ...there is already a temporary table "page_url_filter", which was not ...
