-- bloom_advise(query, seconds, parameters): the values of a query's parameters, and the SELECT
-- of the rows that a DELETE or UPDATE would change.
-- since: 3.38
.load dist/bloom
.nullvalue NULL
CREATE TABLE visit(email TEXT, at INTEGER, price REAL);
CREATE TABLE customer(email TEXT, status TEXT, n INTEGER, price REAL);
INSERT INTO visit VALUES ('a', 1, 0.5), ('b', 2, 1.5), ('c', 3, 2.5), (NULL, 4, NULL);
INSERT INTO customer VALUES ('a', 'gold', 1, 0.5), ('b', 'lead', -5, 1.5), ('z', 'gold', 10, 2.5);
CREATE TABLE log(sql TEXT);
CREATE VIEW ten AS SELECT * FROM log WHERE sql = 10;
CREATE VIEW gold AS SELECT * FROM customer WHERE status = 'gold';

-- ---- sql has the parameters again, but those of which another value could make it wrong: what
-- is added has their value, or they are not all of one side of a comparison.
-- each: n < ?) => [10] => n < /*?1*/ 10) => ; in sql, ?1 is 10
-- each: n < :a) => [10] => n < /*:a*/ 10) => ; in sql, :a is 10
-- each: status = $s AND $n > n) => {"s": "gold", "n": 7} => status = /*$s*/ 'gold' AND /*$n*/ 7 > n) => ; in sql, $s is 'gold', $n is 7
-- each: n > ?) => [-7] => n > /*?1*/ (-7)) => ; in sql, ?1 is (-7)
-- each: n = -?) => [5] => n = -/*?1*/ 5) => ; in sql, ?1 is 5
-- each: 1) AND at > ?2 AND ?1 < at => [1, 0] => 1) AND at > ?2 AND ?1 < at => NULL
-- each: 1) AND at >= ? AND at <> ? AND at BETWEEN ? AND ? => [0, 7, 1, 9] => 1) AND at >= ? AND at <> ? AND at BETWEEN ? AND ? => NULL
-- each: 1) AND at IN (?, ?, 8) AND at LIKE ? AND at GLOB ? => [1, 2, "x%", "y*"] => 1) AND at IN (?, ?, 8) AND at LIKE ? AND at GLOB ? => NULL
-- each: n < ?) AND at > ? => [10, 0] => n < /*?1*/ 10) AND at > ?2 => ; in sql, ?1 is 10
-- each: n < @y) AND at > @x AND at < @x => {"x": 1, "y": 10} => n < /*@y*/ 10) AND at > @x AND at < @x => ; in sql, @y is 10
-- each: ? IS NULL OR status = ?) AND at > ? => [1, "x", 0] => /*?1*/ 1 IS NULL OR status = ...) AND at > ?3 => ; in sql, ?1 is 1...
-- each: :s IS NULL OR status = :s) => ["gold"] => /*:s*/ 'gold' IS NULL OR status = /*:s*/ 'gold') => ; in sql, :s is 'gold'
-- each: 1) AND at > ? + 1 => [0] => 1) AND at > /*?1*/ 0 + 1 => ; in sql, ?1 is 0
-- each: 1) AND ? << 1 = at AND ? == at => [1, 2] => 1) AND /*?1*/ 1 << 1 = at AND ?2 == at => ; in sql, ?1 is 1
-- each: 1) AND at BETWEEN ? AND ? = 1 => [0, 1] => 1) AND at BETWEEN ?1 AND /*?2*/ 1 = 1 => ; in sql, ?2 is 1
-- each: 1) AND at < abs((SELECT 9 ORDER BY ?)) AND at > ? => [1, 0] => 1) AND at < abs((SELECT 9 ORDER BY /*?1*/ (SELECT 1))) AND at > ?2 => ; in sql, ?1 is 1
-- each: 1) AND at - ? > 0 => [0] => 1) AND at - /*?1*/ 0 > 0 => ; in sql, ?1 is 0
-- each: 1) AND at >> ? => [0] => 1) AND at >> /*?1*/ 0 => ; in sql, ?1 is 0
-- each: 1) AND ''[1]''->>? AND ''[1]''->? => [0, 0] => 1) AND '[1]'->>/*?1*/ 0 AND '[1]'->/*?2*/ 0 => ; in sql, ?1 is 0, ?2 is 0
-- each: 1) AND at << ? => [1] => 1) AND at << /*?1*/ 1 => ; in sql, ?1 is 1
-- each: 1) AND ? => [1] => 1) AND /*?1*/ 1 => ; in sql, ?1 is 1
-- each: 1) AND at = ? = 1 => [1] => 1) AND at = /*?1*/ 1 = 1 => ; in sql, ?1 is 1
-- each: ?) AND at <> ? => [1, null] => /*?1*/ 1) AND at <> /*?2*/ NULL => ; in sql, ?1 is 1, ?2 is NULL
-- each: 1) ORDER BY ? LIMIT ? OFFSET ? => [2, 5, 0] => 1) ORDER BY /*?1*/ (SELECT 2) LIMIT ?2 OFFSET ?3 => ; in sql, ?1 is 2
-- each: /*x*/ 1) AND at < /*:a*/  5+:a => [5] => /*x*/ 1) AND at < /*:a*/  5+/*:a*/   5 => ; in sql, :a is 5
-- each: 1) AND price < ? => [2.5] => 1) AND price < ? => NULL
-- each: price < ?) AND at > ? => [2.25, 2] => price < /*?1*/ 2.25) AND at > ?2 => ; in sql, ?1 is 2.25
SELECT substr(sql, instr(sql, 'FROM customer WHERE ') + 20), substr(advice, nullif(instr(advice, '; in sql'), 0))
FROM bloom_advise('SELECT at FROM visit WHERE email IN (SELECT email FROM customer WHERE {1}', 9, '{2}') WHERE probe = 'visit.email';
-- {3}|{4}

-- What is not in sql, such as a view that needs no place there, counts for nothing.
SELECT substr(sql, instr(sql, 'FROM customer WHERE ') + 20), substr(advice, nullif(instr(advice, '; in sql'), 0))
FROM bloom_advise('SELECT at FROM visit WHERE email IN (SELECT email FROM customer WHERE n < ?) AND at <> (SELECT count(*) FROM ten)', 9, '[10]') WHERE probe = 'visit.email';
-- n < /*?1*/ 10) AND at <> (SELECT count(*) FROM ten)|; in sql, ?1 is 10

-- The filter has the value that the query has, and the sentence of the first row says so, too.
SELECT sql FROM bloom_advise('SELECT at FROM visit WHERE email IN (SELECT email FROM customer WHERE n < ?)', 9, '[10]') WHERE probe = 'visit.email';
-- WITH visit AS (SELECT * FROM main.visit WHERE likelihood(bloom_may_match(email, (SELECT bloom_open(bloom_build(k)) FROM (SELECT t1.email AS k FROM main.customer AS t1 WHERE t1.n < 10))), 1.0))
-- SELECT at FROM visit WHERE email IN (SELECT email FROM customer WHERE n < /*?1*/ 10)

SELECT query, seconds, parameters FROM bloom_advise('SELECT :a', NULL, '{"a": 1}');
-- SELECT :a|60.0|{"a": 1}

.parameter set :n 10
SELECT count(probe) FROM bloom_advise('SELECT at FROM visit WHERE email IN (SELECT email FROM customer WHERE n < :n)');
-- 1

SELECT advice FROM bloom_advise('SELECT count(*) FROM visit WHERE at < :n + ?');
-- query must have a value for each parameter, has none for ?2; give parameters a JSON array ...

.parameter clear

-- ---- The SELECT of the rows that a statement would change.
-- each: DELETE FROM visit WHERE email IN (SELECT email FROM customer) => [] => SELECT * FROM visit WHERE email IN (SELECT email FROM customer)
-- each: delete from visit as v where email in (select email from customer) and at>? returning (at); => [0] => SELECT * FROM visit as v where email in (select email from customer) and at>? ;
-- each: WITH c(k) AS (SELECT email FROM customer), replace AS MATERIALIZED (SELECT 1) DELETE FROM visit WHERE email IN (SELECT k FROM c) => [] => SELECT * FROM visit WHERE email IN (SELECT k FROM c)
-- each: UPDATE visit SET at = ?, price = coalesce(?, ?) WHERE at > ? AND email IN (SELECT email FROM customer) => [9, 1, null, 0] => SELECT * FROM visit WHERE at > ? AND email IN (SELECT email FROM customer)
-- each: UPDATE OR IGNORE visit NOT INDEXED SET (at, price) = (SELECT 1, :p) FROM customer AS c WHERE c.email = visit.email AND abs(at) = :a -- c => {"p": 1, "a": 2} => SELECT * FROM visit NOT INDEXED, customer AS c WHERE c.email = visit.email AND abs(at) = :a -- c
-- each: UPDATE visit SET at = at IS NOT DISTINCT FROM ?, price = ? FROM customer AS c JOIN gold ON gold.n = c.n WHERE c.email = visit.email AND abs(at) < ? AND c.n + ? = c.n => [0, 1, 9, 0] => SELECT * FROM visit, customer AS c JOIN gold ON gold.n = c.n WHERE c.email = visit.email AND abs(at) < ?3 AND c.n + /*?4*/ 0 = c.n
SELECT max(advice) FILTER (WHERE probe IS NULL) LIKE '%; this is about the SELECT of the rows that the ' || CASE WHEN query LIKE '%delete from%' THEN 'DELETE' ELSE 'UPDATE' END || ' would change',
  (SELECT substr(text, instr(text, 'SELECT * FROM visit'))
    FROM (SELECT replace(replace(sql, 'filtered_visit AS visit,', 'visit NOT INDEXED,'), 'filtered_customer_2', 'customer') AS text FROM bloom_advise('{1}', 2, '{2}')) WHERE text IS NOT NULL LIMIT 1), count(*) > 1
FROM bloom_advise('{1}', 2, '{2}');
-- 1|{3}|1

-- Nothing was written.
SELECT count(*), sum(at), (SELECT count(*) FROM customer), (SELECT count(*) FROM log) FROM visit;
-- 4|10|3|0

-- each: INSERT INTO log VALUES (''DELETE'') => of an INSERT, give the SELECT alone | WITH a AS (SELECT 1) REPLACE INTO log SELECT * FROM a => of an INSERT, give the SELECT alone
-- each: UPDATE visit => write SELECT * FROM ... WHERE ... of the rows that this UPDATE changes
-- each: UPDATE visit SET at = 1 FROM gold NATURAL JOIN customer => write SELECT * FROM ... WHERE ... of the rows that this UPDATE changes
-- each: UPDATE visit SET at = 1 FROM gold RIGHT JOIN customer ON 1 => write SELECT * FROM ... WHERE ... of the rows that this UPDATE changes
-- each: UPDATE visit SET at = 1 FROM gold JOIN customer USING (email) WHERE 1 => write SELECT * FROM ... WHERE ... of the rows that this UPDATE changes
SELECT advice FROM bloom_advise('{1}');
-- query must be a SELECT, or a DELETE or UPDATE that becomes one; {2}

-- each: DELETE FROM none => query: no such table: none | DELETE FROM => query: incomplete input
-- each: DELETE FROM visit; DELETE FROM customer => query must be one statement, but more follows: 'DELETE FROM customer'
-- each: UPDATE visit SET at = ?0 WHERE at = ?0 => query: variable number must be between ... | DELETE FROM visit WHERE at = ?2 => query must have a value for each parameter, has none for ?2; ...
SELECT advice FROM bloom_advise('{1}');
-- {2}

-- Of many values, twenty are shown, each with its beginning.
SELECT substr(advice, instr(advice, '; in sql') + 2) FROM bloom_advise('SELECT ' || replace(printf('%.22c', 'p'), 'p', '?, ') || '? FROM visit WHERE email IN (SELECT email FROM customer)', 9,
  '["' || printf('%.200c', 'x') || '"' || replace(printf('%.22c', 'p'), 'p', ', 0') || ']') WHERE sql IS NOT NULL LIMIT 1;
-- in sql, ?1 is 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx..., ?2 is 0, ?3 is 0, ?4 is 0, ?5 is 0, ?6 is 0, ?7 is 0, ?8 is 0, ?9 is 0, ?10 is 0, ?11 is 0, ?12 is 0, ?13 is 0, ?14 is 0, ?15 is 0, ?16 is 0, ?17 is 0, ?18 is 0, ?19 is 0, ?20 is 0, ...

-- The shell's values, where parameters is not given or NULL.
.parameter set :a 5
.parameter set ?2 "'it''s'"
SELECT verdict FROM bloom_compare('SELECT :a, ?', 'SELECT 5, ''it''''s''', NULL);
-- the same 1 row...

SELECT verdict FROM bloom_compare('SELECT :a, @a', 'SELECT 5, 5');
-- Error: bloom_compare: plain must have a value for each parameter, has none for @a; give ...

SELECT verdict FROM bloom_compare('SELECT :a', 'SELECT 6', '{":a": 6}');
-- the same 1 row...

UPDATE temp.sqlite_parameters SET value = 'a' || char(0) WHERE key = ':a';
SELECT verdict FROM bloom_compare('SELECT :a', 'SELECT 6');
-- Error: bloom_compare: the value of :a cannot be written in SQL: it is TEXT with a NUL character, or a REAL whose text is another one

UPDATE temp.sqlite_parameters SET value = x'0041' WHERE key = ':a';
SELECT verdict FROM bloom_compare('SELECT :a', 'SELECT x''0041''');
-- the same 1 row...

DROP TABLE temp.sqlite_parameters;
