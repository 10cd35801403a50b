-- A file whose schema somebody has written to. SQLite keeps what it read before it knew a function,
-- and asks no more whether a schema may call it. The functions that change the schema refuse to work
-- in a statement that does not name them.
-- since: 3.31
CREATE TABLE t(c TEXT);
INSERT INTO t VALUES ('one'), ('two');
CREATE TABLE creates(c TEXT, parts AS (lower(c)), blocks AS (upper(c)));
CREATE TABLE drops(c TEXT, parts AS (ltrim(c)), blocks AS (rtrim(c)));
INSERT INTO creates VALUES ('x');
INSERT INTO drops VALUES ('x');
.dbconfig defensive off
-- ...defensive off
PRAGMA writable_schema = ON;
UPDATE sqlite_master SET sql = replace(replace(sql, 'lower(c)', 'bloom_create_parts(''t'', ''c'')'),
  'upper(c)', 'bloom_create_blocks(''t'', ''c'')') WHERE name = 'creates';
UPDATE sqlite_master SET sql = replace(replace(sql, 'ltrim(c)', 'bloom_drop_parts(''t'', ''c'')'),
  'rtrim(c)', 'bloom_drop_blocks(''t'', ''c'')') WHERE name = 'drops';
PRAGMA writable_schema = RESET;
SELECT count(*) FROM t;
-- 2

.load dist/bloom

-- each: parts FROM creates => create_parts | blocks FROM creates => create_blocks
-- each: parts FROM drops => drop_parts | blocks FROM drops => drop_blocks
SELECT {1};
-- Error: ...bloom_{2}: the calling statement does not name it: call it in a SELECT of its own...

SELECT count(*) FROM sqlite_master;
-- 3
