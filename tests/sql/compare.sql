-- bloom_compare(plain, filtered [, parameters]): whether two queries have the same rows, and which one is
-- faster. What depends on the time is `...` here.
.load dist/bloom
.nullvalue NULL
CREATE TABLE n AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1234)
  SELECT i, 'k' || i AS k FROM n;

SELECT typeof(same), typeof(faster), typeof(plain_ms), typeof(filtered_ms), plain_rows, filtered_rows, verdict
FROM bloom_compare('SELECT * FROM n', 'SELECT * FROM n ORDER BY i DESC');
-- integer|real|real|real|1234|1234|the same 1,234 rows, ... times as fast...

-- The middle one of the times, and a verdict that follows from them.
SELECT faster = plain_ms / filtered_ms, verdict LIKE '%the filter does not pay' = (faster < 1.1)
FROM bloom_compare('SELECT count(*) FROM n, n AS m WHERE m.i < 9', 'SELECT count(*) FROM n, n AS m WHERE n.i < 9');
-- 1|1

-- ---- Rows are the same in any order, by type and bytes, as often as they come.
-- each: SELECT 1 => SELECT 1 => 1 => the same 1 row, ...
-- each: SELECT i FROM n WHERE 0 => SELECT 1 WHERE 0 => 1 => the same 0 rows, ...
-- each: VALUES (1), (2), (1) => VALUES (1), (1), (2) => 1 => the same 3 rows, ...
-- each: VALUES (1), (2), (1) => VALUES (1), (2), (2) => 0 => not the same rows; 1 row is missing, such as (1); 1 row is added, such as (2)
-- each: VALUES (1), (1), (1) => VALUES (1) => 0 => not the same rows; 2 rows are missing, such as (1)
-- each: VALUES (1), (1) => VALUES (2), (2) => 0 => not the same rows; 2 rows are missing, such as (1); 2 rows are added, such as (2)
-- each: VALUES (1) => VALUES (1), (1) => 0 => not the same rows; 1 row is added, such as (1)
-- each: SELECT 1, 2 => SELECT 2, 1 => 0 => not the same rows; 1 row is missing, such as (1, 2); 1 row is added, such as (2, 1)
-- each: SELECT 1, 0 => SELECT 1 - 9223372036854775807 - 1, -9223372036854775807 - 1 => 0 => not the same rows; 1 row is missing, such as (1, 0); 1 row is added, such as (-9223372036854775807, -9223372036854775808)
-- each: SELECT zeroblob(16) => SELECT x''00000000000000800000008000000080'' => 0 => not the same rows; 1 row is missing, such as (a BLOB of 16 bytes); 1 row is added, such as (a BLOB of 16 bytes)
-- each: SELECT 1 => SELECT 1.0 => 0 => not the same rows; 1 row is missing, such as (1); 1 row is added, such as (1.0)
-- each: SELECT NULL => SELECT 0 => 0 => not the same rows; 1 row is missing, such as (NULL); 1 row is added, such as (0)
-- each: SELECT ''a'', 2 => SELECT x''61'', 2 => 0 => not the same rows; 1 row is missing, such as ('a', 2); 1 row is added, such as (a BLOB of 1 byte, 2)
-- each: SELECT ''ab'', '''' => SELECT ''a'', ''b'' => 0 => not the same rows; 1 row is missing, such as ('ab', ''); 1 row is added, such as ('a', 'b')
-- each: SELECT 0.0 => SELECT -0.0 => 1 => the same 1 row, ...
-- each: SELECT k FROM n WHERE i < 1000 => SELECT k FROM n WHERE i < 999 => 0 => not the same rows; 1 row is missing, such as ('k999')
-- each: SELECT 1, 0.1 + 0.2, -3.0 => SELECT 1, 0.3, -3.0 => 1 => the same 1 row (of 1, a REAL differs in its last digits), ...
-- each: VALUES (0.1), (0.3), (0.3), (-5.0) => VALUES (0.1 + 0.2), (-5.0), (0.3), (0.1) => 1 => the same 4 rows (of 1, a REAL differs in its last digits), ...
-- each: VALUES (-2.5), (0.3) => SELECT 0.1 + 0.2 => 0 => not the same rows; 1 row is missing, such as (-2.5)
-- each: VALUES (0.0, 0.3), (0.0, 0.8) => VALUES (-0.0, 0.1 + 0.7), (0.0, 0.1 + 0.2) => 1 => the same 2 rows (of 2, a REAL differs in its last digits), ...
-- each: VALUES (0.3, ''a''), (0.3, ''b'') => VALUES (0.1 + 0.2, ''a''), (0.1 + 0.2, ''b'') => 1 => the same 2 rows (of 2, a REAL differs in its last digits), ...
-- each: SELECT 0.1 => SELECT 0.10000000001 => 0 => not the same rows; 1 row is missing, such as (0.1...); 1 row is added, such as (0.1000000000...)
-- each: SELECT 1, 0.5 => SELECT 2, 0.5 => 0 => not the same rows; 1 row is missing, such as (1, 0.5); 1 row is added, such as (2, 0.5)
-- each: SELECT i FROM n LIMIT 1 => SELECT max(i) FROM n => 0 => not the same rows; 1 row is missing, such as (1); 1 row is added, such as (1234) (both can be right, if the query has a LIMIT and its ORDER BY leaves a choice of rows)
-- each: SELECT random() => SELECT random() => 0 => not the same rows; 1 row is missing, such as (...); 1 row is added, such as (...)
SELECT same, plain_rows > 0 = (verdict NOT LIKE '% 0 rows,%'), verdict FROM bloom_compare('{1}', '{2}');
-- {3}|1|{4}

-- Texts that differ behind a NUL, and a long one, which is cut between characters.
SELECT verdict FROM bloom_compare('SELECT ''a'' || char(0) || ''b''', 'SELECT ''a'' || char(0) || ''c''');
-- not the same rows; 1 row is missing, such as (CAST(x'610062' AS TEXT)); 1 row is added, such as (CAST(x'610063' AS TEXT))

SELECT verdict FROM bloom_compare('SELECT char(0) || hex(zeroblob(40))',
  'SELECT ''x'' || replace(hex(zeroblob(30)), ''00'', ''é'')');
-- not the same rows; 1 row is missing, such as (CAST(x'003030...' AS TEXT)); 1 row is added, such as ('xéééééééééééééééééééééééééééééé')

SELECT verdict FROM bloom_compare('SELECT x''ff'' || ''é''', 'SELECT ''x'' || replace(hex(zeroblob(41)), ''00'', ''é'')');
-- not the same rows; 1 row is missing, such as ('?é'); 1 row is added, such as ('xééééééééééééééééééééééééééééééééééééééé...')

-- A row that is long.
SELECT verdict FROM bloom_compare('SELECT zeroblob(9), printf(''%.99c'', ''x''), 1, 2, 3, 4, 5 FROM n',
  'SELECT zeroblob(9), printf(''%.99c'', ''x''), 1, 2, 3, 4, 6 FROM n');
-- not the same rows; 1,234 rows are missing, such as (a BLOB of 9 bytes, 'xxxx...', 1, 2, 3, 4, 5); 1,234 rows are added, such as ...

SELECT length(verdict) < 1000, verdict FROM bloom_compare(
  (SELECT 'SELECT ' || group_concat('i') FROM n WHERE i < 999), (SELECT 'SELECT ' || group_concat('k') FROM n WHERE i < 999));
-- Error: bloom_compare: plain: no such column: i

SELECT length(verdict) < 1000, verdict FROM bloom_compare(
  (SELECT 'SELECT ' || group_concat('i') || ' FROM n LIMIT 9' FROM n WHERE i < 999),
  (SELECT 'SELECT ' || group_concat('1') || ' FROM n LIMIT 9' FROM n WHERE i < 999));
-- 1|not the same rows; 8 rows are missing, such as (2, 2, 2, ...); 8 rows are added, such as (1, ...

-- ---- A query may be a file's bytes, with comments and a semicolon.
-- each: SELECT 1; | /* one */ SELECT 1 -- and no more | WITH o AS (SELECT 1) SELECT * FROM o ; ; | values (1);/* no end
SELECT verdict FROM bloom_compare('SELECT 1', '{1}'), (SELECT same AS s FROM bloom_compare(CAST('{1}' AS BLOB), x'efbbbf' || '{1}')) WHERE s;
-- the same 1 row, ...

-- ---- What it reads is what the connection sees.
ATTACH ':memory:' AS other;
CREATE TABLE other.o AS SELECT i FROM n;
CREATE TEMP TABLE t AS SELECT i FROM n;
CREATE TEMP VIEW v AS SELECT i FROM n WHERE i <> 7;
BEGIN;
DELETE FROM t WHERE i = 7;
SELECT same FROM bloom_compare('SELECT * FROM t', 'SELECT * FROM v');
-- 1

ROLLBACK;
SELECT plain_rows, verdict FROM bloom_compare('SELECT * FROM o', 'SELECT * FROM v');
-- 1234|not the same rows; 1 row is missing, such as (7)

-- Nothing is left behind: no table, no transaction, no change.
SELECT (SELECT count(*) FROM sqlite_temp_master), (SELECT count(*) FROM sqlite_master), total_changes();
-- 2|1|1
BEGIN;
COMMIT;

-- It reads while nothing may be written, and from a list of queries.
PRAGMA query_only = ON;
SELECT column1, same FROM (VALUES ('SELECT 1'), ('SELECT 2')) CROSS JOIN bloom_compare(column1, 'SELECT 1');
-- SELECT 1|1
-- SELECT 2|0

PRAGMA query_only = OFF;
SELECT filtered, same FROM bloom_compare WHERE filtered = x'53454c4543542031' AND plain = 'SELECT 1';
-- SELECT 1|1

-- A run of filtered ends at the first row after a second, and after twice the time of plain.
SELECT same, faster, filtered_rows < 1000000000, verdict FROM bloom_compare('SELECT 1',
  'WITH RECURSIVE a(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM a LIMIT 1000000000) SELECT i FROM a');
-- NULL|NULL|1|filtered was stopped after ... ms, where plain takes ...: the filter does not pay, and the rows were not compared

-- Within a query that bloom_advise tries, it may be stopped in any loop: bloom_until is its second argument, until the time
-- has come.
SELECT typeof(bloom_until(9223372036854775807, x'00ff')), bloom_until('9e18', 0.5), bloom_until(9e18, NULL);
-- blob|0.5|NULL

SELECT bloom_until(0, 'x');
-- Error: bloom_until: the time has passed

-- each: NULL => NULL | 'soon' => TEXT 'soon' | 0.5 => 0.5
SELECT bloom_until({1}, 'x');
-- Error: bloom_until: time must be an integer of 64 bits, got {2}

SELECT bloom_until(1);
-- Error: ...wrong number of arguments to function bloom_until()

-- ---- Parameters: each value is what it is in JSON, by its type and bytes. Numbers are those
-- that SQLite assigns.
-- each: SELECT ? => SELECT 1 => [1] | SELECT ? => SELECT -9223372036854775807 - 1 => [-9223372036854775808] | SELECT 3-? => SELECT 8 => [-5]
-- each: SELECT ? => SELECT 2.5 => [2.5] | SELECT ? => SELECT 9e999 => [1e999] | SELECT ? => SELECT -9e999 => [-1e999] | SELECT 1-? => SELECT 3.5 => [-2.5]
-- each: SELECT ? => SELECT ''it'' || char(39) || ''s'' => ["it''s"] | SELECT ?, ?, ? => SELECT 1, 0, NULL => [true, false, null] | SELECT ? => SELECT '''' => [""]
-- each: SELECT ?, ? => SELECT ''[1,2]'', ''{"a":"b"}'' => [[1,2],{"a":"b"}] | SELECT 1 => SELECT 1 => [] | SELECT 1 => SELECT 1 => {"a": 1}
-- each: SELECT ?, ?3, ?, ?1 => SELECT 1, 3, 4, 1 => [1, 2, 3, 4] | SELECT ?2, :a, ?, :a, ?1 => SELECT 2, 3, 4, 3, 1 => [1, 2, 3, 4]
-- each: SELECT :a, @b, $c, ?, ?9 => SELECT 1, 2, 3, 4, 9 => {"a": 1, "@b": 2, "c": 3, "?4": 4, "9": 9, "none": 0} | SELECT :a, @a, $a => SELECT 1, 1, 1 => {"a": 1}
-- each: SELECT ''?'', "?" FROM (SELECT 1 AS "?") /* :b */ WHERE [?] = ? -- ?3 => SELECT ''?'', 1 => [1] | SELECT ?AS a, ?1as b => SELECT 5, 5 => [5]
-- each: SELECT i FROM n WHERE k = ? OR i IN (?, ?) => VALUES (1), (2), (3) => ["k3", 1, 2] | SELECT i FROM n LIMIT ? OFFSET ? => VALUES (3), (4) => [2, 2]
-- each: SELECT max(i) FROM n GROUP BY ? => SELECT 1234 => [9] | SELECT count(*) FROM (SELECT i FROM n GROUP BY k, (?) LIMIT ?) => SELECT 7 => [2, 7]
-- each: SELECT i FROM n WHERE i < 3 ORDER BY (SELECT 1 ORDER BY 1), ? LIMIT ? => VALUES (1) => [-2, 1] | SELECT k, max(i) OVER (PARTITION BY ? ORDER BY i ROWS ? PRECEDING) FROM n WHERE i < 3 => SELECT k, i FROM n WHERE i < 3 => [2, 3]
SELECT verdict FROM bloom_compare('{1}', '{2}', '{3}');
-- the same ...

-- Both queries have the values, and one may need fewer of them.
SELECT verdict FROM bloom_compare('SELECT i FROM n WHERE i < ? OR i = ?', 'SELECT i FROM n WHERE i < ?', '[3, 1]');
-- the same 2 rows...

SELECT plain, filtered, parameters FROM bloom_compare('SELECT :a /*:a*/, 5', 'SELECT 5, 5', '{"a": 5}');
-- SELECT :a /*:a*/, 5|SELECT 5, 5|{"a": 5}

SELECT verdict FROM bloom_compare WHERE parameters = '{"a": 5}' AND filtered = 'SELECT 5' AND plain = 'SELECT :a';
-- the same 1 row...

-- each: 7 => 7 | 0.5 => 0.5 | x'5b5d' => a BLOB of 2 bytes
SELECT same FROM bloom_compare('SELECT 1', 'SELECT 1', {1});
-- Error: bloom_compare: parameters must be a JSON array or object, as TEXT, got {2}

-- each: 7 => TEXT '7' | "a" => TEXT '"a"' | null => TEXT 'null'
SELECT same FROM bloom_compare('SELECT 1', 'SELECT 1', '{1}');
-- Error: bloom_compare: parameters must be a JSON array or object, which SQLite's JSON functions can read, got {2}

-- each: [1 | [1}
SELECT same FROM bloom_compare('SELECT 1', 'SELECT 1', '{1}');
-- Error: bloom_compare: parameters must be a JSON array or object, which SQLite's JSON functions can read, got TEXT ...

-- A table that has the name of SQLite's function is not asked for the values.
CREATE TABLE json_each(key, value, json);
INSERT INTO json_each VALUES (0, 'planted', '[1]');
SELECT same FROM bloom_compare('SELECT ?', 'SELECT ''planted''', '[1]');
DROP TABLE json_each;
-- Error: bloom_compare: parameters must be a JSON array or object, which SQLite's JSON functions can read, got TEXT '[1]'

-- each: SELECT 1 => [1] => 0 => 1 | SELECT ?, :a => [1] => 2 => 1 | SELECT ?3 => [1, 2] => 3 => 2 | SELECT ? => [] => 1 => 0
SELECT same FROM bloom_compare('{1}', 'SELECT 1', '{2}');
-- Error: bloom_compare: parameters must have as many values as plain has parameters, {3}, has {4}

SELECT same FROM bloom_compare('SELECT ?', 'SELECT ?2', '[1]');
-- Error: bloom_compare: parameters must have as many values as filtered has parameters, 2, has 1

-- each: SELECT :a + @b + $c + :a => {"c": 1} => :a, @b | SELECT ?, ?5 => {"a": 1} => ?1, ?5
-- each: SELECT @a1+@a2+@a3+@a4+@a5+@a6+@a7+@a8+@a9+@a10+@a11+@a12+@a13+@a14+@a15+@a16+@a17+@a18+@a19+@a20+@a21+@a22 => {"a": 1} => @a1, @a2, @a3, @a4, @a5, @a6, @a7, @a8, @a9, @a10, @a11, @a12, @a13, @a14, @a15, @a16, @a17, @a18, @a19, @a20, ...
SELECT same FROM bloom_compare('SELECT 1', '{1}', '{2}');
-- Error: bloom_compare: filtered must have a value for each parameter, has none for {3}; give parameters ...

SELECT same FROM bloom_compare('SELECT $a::b', 'SELECT 1', '{}');
-- Error: bloom_compare: plain has a parameter in a form that is not read: write ?, ?1, :a, @a or $a

-- each: SELECT x''41'' FROM n WHERE i = ?0 | SELECT ?99999999999
SELECT same FROM bloom_compare('{1}', 'SELECT 1', '[]');
-- Error: bloom_compare: plain: variable number must be between ...

-- A column's name is its text, which has a value now.
SELECT same FROM bloom_compare('SELECT [:a] FROM (SELECT :a)', 'SELECT 1', '{"a": 1}');
-- Error: bloom_compare: plain with the values of its parameters: no such column: :a

-- ---- Wrong arguments.
-- each: SELECT ? + ?3 + :a => plain must have a value for each parameter, has none for ?1, ?3, :a; give parameters a JSON array such as '[1, "b"]', or an object such as '{"a": 1}'
-- each: INSERT INTO n VALUES (1, 2) => plain must begin with SELECT, VALUES or WITH, begins with 'INSERT INTO n VALUES (1, 2)'
-- each: WITH a AS (SELECT 1) DELETE FROM n => plain must only read, but writes
-- each: COMMIT => plain must begin with SELECT, VALUES or WITH, begins with 'COMMIT'
-- each: PRAGMA user_version => plain must begin with ...
-- each: EXPLAIN SELECT 1 => plain must begin with ...
-- each: -- nothing => plain must begin with SELECT, VALUES or WITH, begins with ''
-- each: SELECT 1; SELECT 2 => plain must be one statement, but more follows: 'SELECT 2'
-- each: SELECT none => plain: no such column: none
-- each: SELECT 1 FROM nowhere => plain: no such table: nowhere
-- each: éééééééééééééééééééééééééééééééééééééééééééééé => plain must begin with SELECT, VALUES or WITH, begins with 'éééééééééééééééééééééééééééééééééééééééé'
-- each: SELECT FROM => plain: near "FROM": syntax error
-- each: SELECT 1, 2 => filtered must have as many columns as plain, 2, has 1
-- each: SELECT abs(-9223372036854775807 - 1) => plain: integer overflow
SELECT same FROM bloom_compare('{1}', 'SELECT 1');
-- Error: bloom_compare: {2}

-- each: NULL => NULL | 7 => 7 | 0.5 => 0.5
SELECT same FROM bloom_compare('SELECT 1', {1});
-- Error: bloom_compare: filtered must be a SELECT, as TEXT or the bytes of a file, got {2}

SELECT same FROM bloom_compare('SELECT 1', 'SELECT abs(-9223372036854775807 - 1)');
-- Error: bloom_compare: filtered: integer overflow

SELECT same FROM bloom_compare('SELECT 1', CAST(x'53454c454354203100' AS TEXT));
-- Error: bloom_compare: filtered must be text in UTF-8 without NUL characters

-- each: bloom_compare => plain | bloom_compare('SELECT 1') => filtered
SELECT same FROM {1};
-- Error: bloom_compare: {2} must be given, as in bloom_compare('SELECT ...', 'WITH ...')

SELECT same FROM bloom_compare('SELECT 1', 'SELECT 1', '[]', 1);
-- Error: ...too many arguments on bloom_compare() - max 3

-- A query that calls itself would use up the stack.
CREATE TABLE own(s TEXT);
INSERT INTO own VALUES ('SELECT * FROM bloom_compare((SELECT s FROM own), (SELECT s FROM own))');
SELECT verdict FROM own, bloom_compare(s, s);
-- Error: bloom_compare: plain: bloom_compare: it cannot be called in a query that bloom_compare or bloom_advise runs

SELECT a.same + b.same FROM bloom_compare('SELECT 1', 'SELECT 1') AS a, bloom_compare('SELECT 1', 'SELECT 1') AS b;
-- 2

SELECT bloom_compare('SELECT 1', 'SELECT 1');
-- Error: bloom_compare: it is a table: SELECT * FROM bloom_compare('SELECT ...', 'WITH ...')

-- since: 3.31
CREATE VIEW compared AS SELECT * FROM bloom_compare('SELECT 1', 'SELECT 1');
SELECT * FROM compared;
-- Error: ...unsafe use of virtual table "bloom_compare"
