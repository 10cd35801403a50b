-- bloom_advise(query [, seconds [, parameters]]): which filters a query can have, and whether
-- they pay. Here the tables are so small that none does, but each that would be right is given,
-- once it was run and had the query's rows. (compare.sql has what compares them, data/forms.txt
-- which filters there are, and advise_parameters.sql the parameters. Here, most queries have a
-- single filter.)
-- since: 3.38
.load dist/bloom
.nullvalue NULL
CREATE TABLE a(x TEXT, i, y);
CREATE TABLE b(k TEXT, j TEXT, i, y, n INTEGER);
CREATE TABLE c(k TEXT, j TEXT, i, y, n INTEGER);
CREATE TABLE d(x TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE e(x TEXT);
CREATE INDEX e_x ON e(x);
CREATE INDEX a_x ON a(x);
CREATE INDEX b_k ON b(k);
CREATE TABLE f(n TEXT COLLATE NOCASE);
CREATE TABLE g(k TEXT, z TEXT AS (substr(k, 1)));
CREATE TABLE s(z ANY, q INT) STRICT;
CREATE TABLE t(z ANY, q REAL) STRICT;
CREATE TABLE "sp ""ace"("k k" TEXT, i);
CREATE TABLE five(i INTEGER, t TEXT, r REAL, n NUMERIC, b BLOB);
CREATE TABLE named(i MEDIUMINT, c VARCHAR(9), l CLOB, f FLOAT, d DOUBLE PRECISION, s STRING, w, p POINT);
CREATE VIEW v AS SELECT k AS kk, y FROM b WHERE j LIKE 'j%';
CREATE VIEW w AS SELECT * FROM a;
CREATE VIEW m AS SELECT b.y FROM b LEFT JOIN c USING (k);
CREATE VIEW l AS SELECT * FROM e INDEXED BY e_x;
INSERT INTO a VALUES ('x1', 1, 1), ('x2', 2, 2), ('X1', 1, 3), ('5', 5, 4), ('5.0', 5.0, 5), ('x9', 9, NULL), (NULL, NULL, 7), ('x1', 4, 9);
INSERT INTO b VALUES ('x1', 'j1', 1, 1, 1), ('x2', NULL, 2, 2, 2), (NULL, 'x1', 5, 2, 3), ('x3', 'j3', 1, 4, 4), ('5.0', 'x''y', 1, 9, 5), (NULL, 'x9', 0, 2, 6), ('x1', 'j2', 3, NULL, 7);
INSERT INTO c SELECT * FROM b WHERE i < 3;
INSERT INTO d VALUES ('x1'), ('none');
INSERT INTO e VALUES ('x1'), ('none');
INSERT INTO f VALUES ('x1'), ('none');
INSERT INTO g(k) VALUES ('x1'), ('none');
INSERT INTO s VALUES ('x1', 1), (1, 2);
INSERT INTO t VALUES ('x1', 1), (1.0, 2);
INSERT INTO "sp ""ace" SELECT k, i FROM b;
CREATE TABLE q(k TEXT, j TEXT, UNIQUE (k, j));
CREATE TABLE two_ids(oid INTEGER PRIMARY KEY, word TEXT);
INSERT INTO two_ids VALUES (1, 'x1'), (2, 'none');

-- What may save more: statistics, and an index where SQLite makes one for the query alone.
SELECT advice FROM bloom_advise('SELECT 1 FROM a WHERE x IN (SELECT k FROM b)', 1e-9) WHERE probe IS NULL;
-- no filter was tried: there was no time; this database was never analysed: ANALYZE might make the query faster (not measured)
ANALYZE sqlite_master;
INSERT INTO sqlite_stat1(tbl) VALUES ('a');
SELECT advice FROM bloom_advise('SELECT 1 FROM a WHERE x IN (SELECT k FROM b)', 1e-9) WHERE probe IS NULL;
-- no filter was tried: there was no time; main.b was never analysed: ANALYZE might make the query faster (not measured)

-- From here on all tables have statistics, which say nothing.
INSERT INTO sqlite_stat1(tbl) SELECT name FROM sqlite_master WHERE type = 'table';
SELECT advice FROM bloom_advise('SELECT 1 FROM g CROSS JOIN "sp ""ace" ON g.k = "k k"', 1e-9) WHERE probe IS NULL;
-- no filter was tried: there was no time; SQLite makes an index for this query alone: CREATE INDEX main."sp ""ace_k k" ON "sp ""ace"("k k") might make the query faster (not measured)
CREATE INDEX "sp ""ace_k k" ON "sp ""ace"(i);
SELECT advice FROM bloom_advise('SELECT 1 FROM g CROSS JOIN "sp ""ace" ON g.k = "k k"', 1e-9) WHERE probe IS NULL;
-- no filter was tried: there was no time

SELECT advice FROM bloom_advise('SELECT 1 FROM d CROSS JOIN c ON c.k = x || '''' WHERE c.n >= 3 AND c.j = ''j1'' AND c.i > 1', 1e-9);
-- no filter...; SQLite makes an index for this query alone: CREATE INDEX main.c_j_k ON c(j, k) might make the query faster (not measured)
SELECT advice FROM bloom_advise('SELECT 1 FROM c NOT INDEXED CROSS JOIN d ON c.k = x WHERE c.n >= 3 AND c.j = ''j1'' AND c.i > 1', 1e-9) LIMIT 1;
-- no filter...; all of c is read for values of j: CREATE INDEX main.c_j ON c(j) might make the query faster (not measured)
SELECT advice FROM bloom_advise('SELECT 1 FROM c CROSS JOIN d ON c.k = x WHERE c.n >= 3 AND c.j <> ''j1''', 1e-9) LIMIT 1;
-- no filter...; all of c is read for values of n: CREATE INDEX main.c_n ON c(n) might make the query faster (not measured)
SELECT advice FROM bloom_advise('SELECT 1 FROM c CROSS JOIN d ON c.k = x WHERE c.j <> ''j1''', 1e-9) LIMIT 1;
-- no filter was tried: there was no time

-- All indexes that SQLite makes are named, each once; but of two tables with one name in the query, or a table and a subquery, none.
-- each: a CROSS JOIN c AS p ON p.k = a.x CROSS JOIN b AS q ON q.j = a.x => CREATE INDEX main.c_k ON c(k); CREATE INDEX main.b_j ON b(j) might
-- each: a CROSS JOIN c ON c.k = a.x CROSS JOIN c AS p ON p.k = lower(a.x) => alone: CREATE INDEX main.c_k ON c(k) might
-- each: a LEFT JOIN (SELECT max(p.n) AS n, p.k FROM c AS p GROUP BY p.k) AS p ON p.k = a.x => NULL
-- each: (SELECT 1 FROM a CROSS JOIN c AS p ON p.k = a.x LIMIT 1), (SELECT 1 FROM a CROSS JOIN f AS p ON p.n = a.x LIMIT 1) => NULL
SELECT instr(advice, '{2}') > 0 OR instr(advice, 'INDEX') = 0 AND '{2}' = 'NULL' FROM bloom_advise('SELECT 1 FROM {1}', 1e-9) LIMIT 1;
-- 1

-- An index has the collation of its column, which must be the one that compares.
-- each: f.n = c.k => 1 | c.k = f.n => 0
SELECT instr(advice, 'CREATE INDEX main.f_n ON f(n)') > 0 FROM bloom_advise('SELECT 1 FROM c CROSS JOIN f ON {1}', 1e-9) LIMIT 1;
-- {2}

-- An index for a computed value, and for all values of an IN, if SQLite could use it there.
-- each: c NOT INDEXED CROSS JOIN d ON k = x WHERE j = (SELECT max(x) FROM a) => c is read for values of j
-- each: c NOT INDEXED CROSS JOIN d ON k = x WHERE j = (SELECT max(x) FROM a) COLLATE NOCASE => NULL
-- each: a WHERE x NOT IN (SELECT DISTINCT j FROM c) => c is read for values of j
-- each: b WHERE n NOT IN (SELECT n FROM c) => c is read for values of n
-- each: a WHERE x NOT IN (SELECT n FROM c) => c is read for values of n
-- each: a WHERE x NOT IN (SELECT j FROM q) => q is read for values of j
-- each: a WHERE i = 1 AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = a.x LIMIT 1) => c is read for values of k
-- each: a WHERE x NOT IN (SELECT k FROM b) => NULL
-- each: b WHERE n NOT IN (SELECT j FROM c) => NULL
-- each: a WHERE x NOT IN (SELECT j FROM c WHERE n > 1) => c is read for values of n
-- each: a WHERE x NOT IN (SELECT j FROM c WHERE n + 1 > 1) => NULL
-- each: a WHERE x NOT IN (SELECT j FROM c LIMIT 9) => NULL
-- each: a WHERE x NOT IN (SELECT c.j FROM c CROSS JOIN d) => NULL
-- each: a WHERE x NOT IN (SELECT c.j FROM d CROSS JOIN c) => NULL
-- each: a WHERE x NOT IN (SELECT n FROM f) => NULL
-- each: a WHERE x COLLATE NOCASE NOT IN (SELECT j FROM c) => NULL
-- each: (SELECT j FROM c INTERSECT SELECT x FROM d) => NULL
-- each: a WHERE x NOT IN (SELECT DISTINCT k FROM q) => NULL
SELECT iif(instr(advice, 'all of '), substr(advice, instr(advice, 'all of ') + 7, 25), NULL) FROM bloom_advise('SELECT 1 FROM {1}', 1e-9) LIMIT 1;
-- {2}

-- Of a long list, each literal is looked at once: else this would take minutes.
SELECT outcome FROM (SELECT group_concat(quote(value)) AS list FROM (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 30000) SELECT i AS value FROM n)),
  bloom_advise('SELECT 1 FROM a WHERE x IN (' || list || ')', 2) LIMIT 1;
-- nothing tried

-- Conditions are not those that SQLite derives from a pattern, which hold for TEXT alone.
INSERT INTO b VALUES (x'78', x'7879', 1, 1, 8), ('x9', x'7879', 1, 1, 8);
SELECT "set" FROM bloom_advise('SELECT x FROM a WHERE x IN (SELECT k FROM b WHERE j GLOB ''x*'')') WHERE sql IS NOT NULL;
-- SELECT t1.k AS k FROM main.b AS t1 WHERE t1.j GLOB 'x*'

-- ---- The query keeps its text, behind comments and an own WITH.
SELECT probe, sql FROM bloom_advise('-- mine
SELECT * FROM a WHERE x IN (SELECT k FROM b); -- end') WHERE probe = 'a.x';
-- a.x|-- mine
-- WITH a AS (SELECT * FROM main.a WHERE likelihood(bloom_may_match(x, (SELECT bloom_open(bloom_build(k)) FROM (SELECT t1.k AS k FROM main.b AS t1))), 1.0))
-- SELECT * FROM a WHERE x IN (SELECT k FROM b); -- end

-- each: WITH o AS (SELECT 1) => WITH a AS NOT MATERIALIZED (...)), 1.0)), o AS (SELECT 1)
-- each: with recursive o AS (SELECT 1) => with recursive a AS NOT MATERIALIZED (...)), 1.0)), o AS (SELECT 1)
SELECT sql FROM bloom_advise('{1} SELECT * FROM a WHERE x IN (SELECT k FROM b)') WHERE probe = 'a.x';
-- {2} SELECT * FROM a WHERE x IN (SELECT k FROM b)

-- If the table is named elsewhere, too, or with its schema, it is exchanged in one FROM.
-- each: main.a => filtered_a AS a | main.a AS u => filtered_a AS u | a NOT INDEXED => filtered_a AS a | a INDEXED BY a_x => filtered_a AS a
-- each: "main".[A] => filtered_a AS a | a AS "A" => filtered_a AS "A" | b AS filtered_a, main.a => b AS filtered_a, filtered_a_2 AS a
SELECT sql FROM bloom_advise('SELECT 1 FROM {1} WHERE x IN (SELECT k FROM b)') WHERE probe = 'a.x';
-- WITH filtered_a...1.0))
-- SELECT 1 FROM {2} WHERE x IN (SELECT k FROM b)

-- Views are written out where a filter has its place in them.
-- each: SELECT 1 FROM w => SELECT 1 FROM w | WITH o AS (SELECT 1) SELECT 1 FROM w => , o AS (SELECT 1) SELECT 1 FROM w
SELECT replace(sql, char(10), ' ') FROM bloom_advise('{1} WHERE x IN (SELECT k FROM b)') WHERE probe = 'a.x';
-- WITH a AS NOT MATERIALIZED (...)), 1.0)), w AS NOT MATERIALIZED (SELECT * FROM a )...{2} WHERE x IN (SELECT k FROM b)
SELECT substr(sql, instr(sql, 'v AS NOT')) FROM bloom_advise('SELECT y AS w FROM l JOIN v ON x = kk WHERE x > ''a''') WHERE probe = 'b.k';
-- v AS NOT MATERIALIZED (SELECT k AS kk, y FROM b WHERE j LIKE 'j%'
-- ),
-- l AS NOT MATERIALIZED (SELECT * FROM e INDEXED BY e_x
-- )
-- SELECT y AS w FROM l JOIN v ON x = kk WHERE x > 'a'
SELECT sql FROM bloom_advise('SELECT i FROM b JOIN w USING (i) WHERE b.k IN (SELECT x FROM d)') WHERE probe = 'b.k';
-- WITH b AS (SELECT * FROM main.b WHERE likelihood(bloom_may_match(k, (SELECT bloom_open(bloom_build(k)) FROM (SELECT t1.x AS k FROM main.d AS t1))), 1.0))
-- SELECT i FROM b JOIN w USING (i) WHERE b.k IN (SELECT x FROM d)

-- A join by USING becomes one with ON where the guard of a lookup has its place in that.
-- each: a.y FROM a LEFT JOIN d USING (x) => a.y FROM a LEFT JOIN d ON CASE...a.x, ...THEN a.x END = d.x
-- each: x, a.x FROM a LEFT JOIN d AS o USING (x) LEFT JOIN c AS x ON x.n = a.i WHERE x > 5 => a.x, a.x FROM a LEFT JOIN d AS o ON CASE...a.x, ...THEN a.x END = o.x LEFT JOIN c AS x ON x.n = a.i WHERE a.x > 5
-- each: a.y FROM b LEFT JOIN c USING (k, n) JOIN a USING (i) LEFT JOIN d USING (x) => a.y FROM b LEFT JOIN c USING (k, n) JOIN a USING (i) LEFT JOIN d ON CASE...a.x, ...THEN a.x END = d.x
SELECT sql FROM bloom_advise('SELECT {1}') WHERE probe = 'a.x';
-- SELECT {2}

-- each: * FROM a LEFT JOIN d USING (x) | a.y FROM a LEFT JOIN (SELECT x FROM d) USING (x) | a.y FROM a NATURAL LEFT JOIN d
SELECT count(sql) FROM bloom_advise('SELECT {1}') WHERE probe = 'a.x';
-- 0

SELECT sql FROM bloom_advise('SELECT (SELECT count(*) FROM m) FROM b LEFT JOIN d ON x = k') WHERE probe = 'b.k';
-- SELECT (SELECT count(*) FROM m) FROM b LEFT JOIN d ON x = CASE...(k, ...THEN k END

-- A lookup is guarded where rows without a partner are needed, or the table has no place.
-- each: a LEFT JOIN b ON k = {x} => 1 | a WHERE NOT EXISTS (SELECT 1 FROM b WHERE {x} = k) => 1
-- each: w AS u LEFT JOIN b ON {u.x} = b.k => 1 | a WHERE EXISTS (SELECT 1 FROM b WHERE a.y > 1 AND b.k = {a.x} LIMIT 1) => 1
DROP TABLE IF EXISTS of_text;
CREATE TABLE of_text AS SELECT '{1}' AS text;
SELECT a.sql = 'SELECT 1 FROM ' || substr(text, 1, at - 1) || 'CASE WHEN bloom_may_match(' || name ||
    ', (SELECT bloom_open(bloom_build(k)) FROM (SELECT t1.k AS k FROM main.b AS t1))) THEN ' || name || ' END' || substr(text, ends + 1)
  FROM (SELECT text, at, ends, substr(text, at + 1, ends - at - 1) AS name
    FROM (SELECT text, instr(text, '{') AS at, instr(text, '}') AS ends FROM of_text))
  JOIN bloom_advise('SELECT 1 FROM ' || replace(replace(text, '{', ''), '}', '')) AS a WHERE probe = 'a.x';
-- 1

-- Names of all kinds, keys of several columns, a column that is called rowid. (In a WITH, SQLite
-- does not find a column that is called true or false.)
CREATE TABLE "T_1"("_K2" TEXT, "true" TEXT, "é" TEXT, "false" TEXT, "select" TEXT);
CREATE TABLE two(rowid TEXT, x TEXT, PRIMARY KEY(x, rowid)) WITHOUT ROWID;
CREATE TABLE hides(rowid TEXT, _rowid_ TEXT, x DECIMAL(5, 2));
CREATE TABLE tens(x DECIMAL(5, 2));
INSERT INTO tens VALUES (1), (10);
INSERT INTO "T_1" VALUES ('x1', 'x1', 'x1', 'x1', 'x1');
INSERT INTO two VALUES ('r', 'x1'), ('r', 'x2');
INSERT INTO hides VALUES ('r', 's', 1), ('r', 's', 2);

-- each: "T_1" CROSS JOIN a ON "_K2" = x | T_1 CROSS JOIN a ON "select" = x | T_1 CROSS JOIN a ON é = x
-- each: two CROSS JOIN a USING (x) WHERE x > ''a'' | hides AS h CROSS JOIN tens ON tens.x = h.x
-- each: [t_1] CROSS JOIN a ON `true` = x | T_1 CROSS JOIN a ON "false" = x
SELECT sql IS NULL FROM bloom_advise('SELECT * FROM {1}') WHERE probe IS NOT NULL;
-- 0

-- The set has the connection's own LIKE, as the query has.
PRAGMA case_sensitive_like = ON;
SELECT "set" FROM bloom_advise('SELECT * FROM a WHERE x IN (SELECT k FROM b WHERE j LIKE ''j%'' AND j < ''k'')') WHERE probe = 'a.x';
-- SELECT t1.k AS k FROM main.b AS t1 WHERE t1.j LIKE 'j%'
PRAGMA case_sensitive_like = OFF;

-- ---- What the rows say.
-- each: a LEFT JOIN b ON k = x COLLATE NOCASE => they are compared with a collation; lost_rows.md has a form
-- each: a LEFT JOIN b ON k IN (x) => the keys are a list
-- each: a NATURAL LEFT JOIN e => the value that is looked up stands nowhere by itself in the query's text; with ON in place of USING or NATURAL, it may
-- each: a WHERE NOT EXISTS (SELECT 1 FROM f WHERE n = x) => they are compared with a collation; lost_rows.md has a form
-- each: a JOIN b ON x = k OR a.i = b.i => the plan reads one of the tables in several ways, as for an OR
-- each: a JOIN b ON b.rowid = a.i => one of them is the rowid, which has no name of its own
-- each: a JOIN g ON x = z => one of them is generated
-- each: a JOIN f ON x = n => they are compared with a collation; lost_rows.md has a form
-- each: a WHERE x IN (SELECT k COLLATE NOCASE FROM b) => they are compared with a collation; lost_rows.md has a form
-- each: a JOIN b ON x = b.i => they have columns of different types; lost_rows.md has a form
-- each: a WHERE x IN (SELECT k FROM b) AND a.rowid > 0 => the query names a rowid, which a WITH does not have
-- each: a WHERE main.a.x IN (SELECT k FROM b) => the query names a column with table and schema, which a WITH does not have
-- each: w AS o, w WHERE w.x IN (SELECT k FROM b) => no place of the query's text stands for the probed table alone
SELECT DISTINCT substr(advice, instr(advice, ': ') + 2), faster, sql, share FROM bloom_advise('SELECT 1 FROM {1}') WHERE probe LIKE '_._';
-- {2}|NULL|NULL|NULL

-- IN and NOT IN where they restrict no table. A list that has a NULL gets no filter.
CREATE TABLE known(k TEXT);
CREATE TABLE known_or_null(k TEXT);
CREATE TABLE no_keys(k TEXT);
CREATE INDEX known_k ON known(k);
CREATE INDEX null_k ON known_or_null(k);
CREATE INDEX no_keys_k ON no_keys(k);
INSERT INTO known VALUES ('x1'), ('x3');
INSERT INTO known_or_null VALUES ('x1'), (NULL);

-- each: x NOT IN (SELECT k FROM known) => 1 | x IN (SELECT k FROM known) => 0
-- each: x NOT IN (SELECT k FROM known_or_null) => 1 | x IN (SELECT k FROM known_or_null) => 0
-- each: x NOT IN (SELECT k FROM no_keys) => 1 | x IN (SELECT k FROM no_keys) => 0
SELECT sql LIKE '%SELECT CASE count(*) WHEN count(k) THEN % ELSE {2} END AS found %' FROM bloom_advise('SELECT x, {1} AS found FROM a') WHERE probe = 'a.x';
-- 1

SELECT min(sql NOT NULL) FROM bloom_advise('SELECT CASE WHEN x IN(SELECT k FROM known)THEN 1 END FROM a WHERE"x"IN(SELECT k FROM known)OR i=1') WHERE probe = 'a.x';
-- 1

-- Before 3.52, SQLite's own filter may lose rows of a table with an index of a VIRTUAL column
-- once the table has a condition.
CREATE TABLE fragile(x TEXT, i INT, v AS (i + 1));
CREATE INDEX fragile_v ON fragile(v);
INSERT INTO fragile VALUES ('x1', 1);
SELECT (sql IS NULL) = (sqlite_version() < '3.52') FROM bloom_advise('SELECT 1 FROM fragile WHERE x IN (SELECT k FROM b)') WHERE probe = 'fragile.x';
-- 1

-- A place that is read twice cannot have a filter for one of both: the lookup has it, or the
-- table that is looked up, whichever is faster.
SELECT count(*), sum(sql LIKE '%SELECT * FROM main.a WHERE%') FROM bloom_advise('WITH c AS NOT MATERIALIZED (SELECT x, i FROM a) SELECT 1 FROM c AS p CROSS JOIN c AS q CROSS JOIN b ON b.k = q.x') WHERE sql IS NOT NULL;
-- 1|0

-- each: SELECT 1 => no filter can help: no column is looked up by a column of another table...
-- each: SELECT 1 FROM a JOIN e INDEXED BY e_x USING (x) => no filter pays: 1 of 1 tried, the best 0... times as fast...looked up in ...
-- each: SELECT 1 FROM a JOIN f ON x = n => no filter was tried: they are compared with a collation; lost_rows.md has a form
-- each: SELECT 1 FROM a WHERE x NOT IN (SELECT j FROM c LIMIT 9) => no filter was tried: what is looked up, if anything, is computed, comes from a subquery, or belongs to a NOT IN without an index
-- each: SELECT 1 FROM a JOIN b ON x = lower(k) => no filter was tried: what is looked up, if anything, is computed, comes from a subquery, or belongs to a NOT IN without an index
-- each: REPLACE INTO a SELECT * FROM a => query must be a SELECT, or a DELETE or UPDATE that becomes one; of an INSERT, ...
-- each: SELECT * FROM a JOIN b ON x = k WHERE i = ?1 => query: ambiguous column name: i
-- each: SELECT * FROM a JOIN b ON x = k WHERE n = ?1 => query must have a value for each parameter, has none for ?1; give ...
-- each: SELECT abs(-9223372036854775807 - 1) FROM a JOIN b ON x = k => the query cannot be run: integer overflow
-- each: SELECT 1 FROM pragma_module_list AS m JOIN a ON m.name = x => no filter was tried: what is looked up, if anything, is computed, comes from a subquery, or belongs to a NOT IN without an index
-- each: SELECT 1 FROM generate_series(1, 2) JOIN a ON value = x => the query cannot be analysed: no such table: generate_series
SELECT outcome <> 'advised', faster, sql, advice FROM bloom_advise('{1}') WHERE rowid = 1;
-- 1|NULL|NULL|{2}

-- ---- Names mean what they mean to the connection.
ATTACH ':memory:' AS other;
CREATE TABLE other.o(k TEXT);
CREATE TABLE other.b(k TEXT, j TEXT);
INSERT INTO other.o VALUES ('x2'), ('x3');
INSERT INTO other.b VALUES ('x9', 'x9');
CREATE TEMP TABLE e(x TEXT);
CREATE TEMP VIEW u AS SELECT x FROM e UNION ALL SELECT 'none';
INSERT INTO e VALUES ('x2');

-- each: k FROM o => other.o
-- each: x FROM e => "temp".e
-- each: x FROM main.e => main.e
-- each: k FROM b => main.b
-- each: k FROM other.b => other.b
SELECT "set", sql IS NULL FROM bloom_advise('SELECT 1 FROM a WHERE x IN (SELECT {1})') WHERE probe = 'a.x';
-- SELECT t1...FROM {2} AS t1|0

-- A table of the same name in another database is not the one that the query names.
SELECT sql FROM bloom_advise('SELECT 1 FROM b WHERE k IN (SELECT k FROM other.b)') WHERE probe IS NOT NULL;
-- WITH b AS (SELECT * FROM main.b WHERE...FROM other.b AS t1))), 1.0))
-- SELECT 1 FROM b WHERE k IN (SELECT k FROM other.b)

.dbconfig defensive off
-- ...defensive off
PRAGMA writable_schema = ON;
INSERT INTO sqlite_master VALUES ('table', 'docs', 'docs', 0, 'CREATE VIRTUAL TABLE docs USING none(t)');
PRAGMA writable_schema = RESET;
SELECT count(sql) FROM bloom_advise('SELECT * FROM a AS docs JOIN b ON x = k') WHERE probe IS NOT NULL;
SELECT advice FROM bloom_advise('SELECT * FROM docs JOIN b ON t = k');
-- 1
-- query: no such module: none
PRAGMA full_column_names = ON;
SELECT count(sql) FROM bloom_advise('SELECT 1 FROM a NATURAL JOIN d');
-- 1
PRAGMA short_column_names = OFF;
SELECT advice AS advice, sql AS sql FROM bloom_advise('SELECT 1 FROM a NATURAL JOIN d');
-- no filter pays: 1 of 1 tried|NULL
-- a.x, looked up in d.x: it has other rows|NULL
PRAGMA short_column_names = ON;
PRAGMA full_column_names = OFF;
CREATE TABLE trimmed(k TEXT, r TEXT COLLATE RTRIM);

-- each: trimmed ON x = k AND r = x => 1 | b ON x = k WHERE j COLLATE "RTRIM" = x => 1 | trimmed ON x = k => 0
SELECT (advice LIKE '%the collation RTRIM, with which SQLite before 3.43 may lose rows%') = ({2} AND sqlite_version() < '3.43')
  FROM bloom_advise('SELECT * FROM a JOIN {1}') LIMIT 1;
-- 1

-- ---- A kept filter of the whole column is used.
SELECT bloom_create_parts('b', 'k');
-- b_k_filter
SELECT sql FROM bloom_advise('SELECT * FROM a WHERE x IN (SELECT k FROM b)') WHERE probe = 'a.x';
-- WITH a AS (SELECT * FROM main.a WHERE likelihood(bloom_may_match(x, (SELECT filter FROM main.b_k_filter)), 1.0))
-- SELECT * FROM a WHERE x IN (SELECT k FROM b)
SELECT sql FROM bloom_advise('SELECT 1 FROM a WHERE EXISTS (SELECT 1 FROM b WHERE k = x LIMIT 1)') WHERE probe = 'a.x';
-- SELECT 1 FROM a WHERE EXISTS (SELECT 1 FROM b WHERE k = CASE WHEN bloom_may_match(x, (SELECT filter FROM main.b_k_filter)) THEN x END LIMIT 1)
SELECT sql LIKE '%b_k_filter%' FROM bloom_advise('SELECT * FROM a WHERE x IN (SELECT k FROM b WHERE n > 1)') AS a WHERE probe = 'a.x';
-- 0
SELECT sql LIKE '%o_k_filter%' FROM bloom_advise('SELECT * FROM a WHERE x IN (SELECT k FROM o)') AS a WHERE probe = 'a.x';
-- 0

-- ---- One that pays, and what is left out for lack of time.
CREATE TABLE visit(id INTEGER PRIMARY KEY, email TEXT);
CREATE TABLE customer(email TEXT PRIMARY KEY);
INSERT INTO sqlite_stat1(tbl) VALUES ('visit'), ('customer');
INSERT INTO visit(email) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3001)
  SELECT 'user' || i || '@example.com' FROM n;
INSERT INTO customer SELECT email FROM visit WHERE id % 100 = 0;
SELECT typeof(faster), round(share, 1), advice FROM bloom_advise('SELECT count(*) FROM visit WHERE email IN (SELECT email FROM customer)', 1.5) WHERE probe = 'visit.email';
-- real|0.0|visit.email, looked up in customer.email: ... times as fast...

-- The sample is not in step with a period of the rows.
CREATE TABLE third(email TEXT PRIMARY KEY);
INSERT INTO third SELECT email FROM visit WHERE id % 3 = 1;
SELECT round(share, 1) FROM bloom_advise('SELECT count(*) FROM visit WHERE email IN (SELECT email FROM third)', 1.5) WHERE probe = 'visit.email';
-- 0.3

INSERT INTO third SELECT email FROM visit WHERE id % 3 = 2;
SELECT round(share, 1), typeof(faster) FROM bloom_advise('SELECT count(*) FROM visit WHERE email IN (SELECT email FROM third)', 1.5) WHERE probe = 'visit.email';
-- 0.7|real

-- A subquery groups only rows whose key is looked up.
SELECT probe, faster > 1.1, sql FROM bloom_advise('SELECT c.email, n FROM customer AS c
  LEFT JOIN (SELECT email, count(*) AS n FROM visit GROUP BY email) AS v ON v.email = c.email', 1.5) LIMIT 1, 1;
-- visit.email|1|WITH visit AS (SELECT * FROM main.visit WHERE likelihood(bloom_may_match(email, (SELECT bloom_open(bloom_build(k)) FROM (SELECT t1.email AS k FROM main.customer AS t1))), 1.0))
-- SELECT c.email, n FROM customer AS c
--   LEFT JOIN (SELECT email, count(*) AS n FROM visit GROUP BY email) AS v ON v.email = c.email

-- A single row before the probed table is no reason not to try.
SELECT typeof(faster) FROM bloom_advise('WITH p(low) AS (SELECT 0) SELECT count(*) FROM p CROSS JOIN visit
  WHERE email IN (SELECT email FROM customer) AND id > low', 1.5) WHERE probe = 'visit.email';
-- real

-- Rows without a rowid have no sample, nor have those of which one is far away.
CREATE TABLE sorted(email TEXT PRIMARY KEY, id) WITHOUT ROWID;
CREATE TABLE outlier(id INTEGER PRIMARY KEY, email TEXT);
INSERT INTO sorted SELECT email, id FROM visit;
INSERT INTO outlier SELECT id, email FROM visit UNION ALL SELECT 1 << 60, NULL;

-- each: sorted | outlier
SELECT share, typeof(faster) FROM bloom_advise('SELECT count(*) FROM {1} WHERE email IN (SELECT email FROM customer)', 1.5) WHERE probe = '{1}.email';
-- NULL|real

SELECT advice, sql FROM bloom_advise('SELECT count(*) FROM visit WHERE email IN (SELECT email FROM customer)', 1e-9);
-- no filter was tried: there was no time|NULL
-- visit.email, looked up in customer.email: there was no time to try it|NULL

-- All the time there is.
SELECT typeof(faster) FROM bloom_advise('SELECT count(*) FROM visit WHERE email IN (SELECT email FROM customer)', 9e999) WHERE probe = 'visit.email';
-- real

-- A query that does not end: neither does it with a filter, or its filter leaves out all rows.
CREATE TABLE guest(email TEXT);
CREATE TABLE thousand(i);
INSERT INTO guest VALUES ('none'), ('nobody');
INSERT INTO thousand SELECT id FROM visit WHERE id <= 1000;
INSERT INTO sqlite_stat1(tbl) VALUES ('guest'), ('thousand');
SELECT outcome, sql, advice FROM bloom_advise('SELECT count(*) FROM visit AS v CROSS JOIN thousand AS a CROSS JOIN thousand AS b
  CROSS JOIN customer AS c ON c.email = v.email', 1) LIMIT 1;
-- nothing gains|NULL|the query did not end within 0... s, nor with a filter (1 of 1 tried): ask again with more seconds than 1

SELECT outcome, faster > 2, sql, advice FROM bloom_advise('SELECT count(*) FROM guest AS v CROSS JOIN thousand AS a CROSS JOIN thousand AS b
  CROSS JOIN thousand AS d CROSS JOIN customer AS c ON c.email = v.email', 1) LIMIT 1;
-- advised|1|WITH guest AS ...
-- SELECT count(*) FROM guest AS v ...
--   CROSS JOIN ...|the query did not end within 0... s, and took 0.0... s with 1 filter; the rows were not compared: ask again with more seconds than 1

-- each: FROM r LIMIT 5000000 | FROM r WHERE i < 5000000 OR 0
SELECT outcome, sql, advice FROM bloom_advise('WITH r(i) AS (SELECT 1 UNION ALL SELECT i + 1 {1})
  SELECT count(*) FROM r CROSS JOIN visit ON id = i % 9 CROSS JOIN customer USING (email)', 1) LIMIT 1;
-- nothing gains|NULL|the query did not end within 0... s, nor with a filter (1 of 1 tried): ask again with more seconds than 1

-- Nor do outer joins whose inner loops have too many rows.
-- since: 3.39
-- each: thousand AS a LEFT JOIN thousand AS b ON b.i <> a.i LEFT JOIN visit AS v ON v.id <> b.i OR 0
-- each: visit AS a RIGHT JOIN visit AS v ON v.id <> a.id
SELECT outcome, sql, advice FROM bloom_advise('SELECT count(*) FROM {1} LEFT JOIN d ON d.x = v.email', 1) LIMIT 1;
-- nothing gains|NULL|the query did not end within 0... s, nor with a filter (1 of 1 tried): ask again with more seconds than 1

-- (What stops them needs a rowid, in a table that no other has the name of, and no WITH in its place.)
-- each: a LEFT JOIN d ON d.x = a.x | (SELECT 1 FROM a AS r LEFT JOIN d AS t ON t.x = r.x) JOIN (SELECT 1 FROM a AS s LEFT JOIN b AS t ON t.k = s.x)
SELECT count(sql) > 0, max(outcome) FROM bloom_advise('SELECT 1 FROM {1}', 3);
-- 1|nothing gains
SELECT count(sql) FROM bloom_advise('SELECT 1 FROM a NATURAL JOIN main.e LEFT JOIN c ON c.k = a.x', 3) WHERE probe = 'c.k';
-- 1

-- A sentence is UTF-8, whatever the query.
SELECT advice FROM bloom_advise('ééééééééééééééééééééééééééééééééééééééééééééééééééé', 1.5);
-- query must begin with SELECT, VALUES or WITH, begins with 'éééééééééééééééééééééééééééééééééééééééé'

-- What is better than a filter: the keys first, where they are looked up in an index; and where
-- all keys are needed, the stored table, which SQLite indexes.
CREATE TABLE indexed(email TEXT, id);
INSERT INTO indexed SELECT email, id FROM visit;
CREATE INDEX indexed_email ON indexed(email);
CREATE TABLE all_seen(email TEXT);
CREATE TABLE asked(email TEXT);
INSERT INTO all_seen SELECT email FROM visit WHERE id <= 600;
INSERT INTO asked SELECT email FROM all_seen;
INSERT INTO sqlite_stat1(tbl) VALUES ('indexed'), ('all_seen'), ('asked');
SELECT probe, outcome, faster > 2, sql, advice FROM bloom_advise('SELECT count(id) FROM indexed CROSS JOIN customer USING (email)', 1.5);
-- NULL|no filter needed|1|WITH "indexed" AS (SELECT * FROM main."indexed" WHERE email IN (SELECT t1.email AS k FROM main.customer AS t1))
-- SELECT count(id) FROM indexed CROSS JOIN customer USING (email)|... times as fast without a filter, by IN (SELECT ...), and the same 1 row; ...
-- indexed.email|NULL|1|WITH "indexed" AS (SELECT * FROM main."indexed" WHERE email IN (SELECT t1.email AS k FROM main.customer AS t1))
-- SELECT count(id) FROM indexed CROSS JOIN customer USING (email)|indexed.email, looked up in customer.email: ... times as fast without a filter, by IN (SELECT ...)
SELECT count(faster), count(DISTINCT faster), count(DISTINCT sql) FROM bloom_advise('SELECT count(id) FROM indexed CROSS JOIN customer USING (email)', 4);
-- 2|1|1

-- (The filter is so little slower that on a busy machine it may win, but not each time.)
SELECT max(sql NOT LIKE '%bloom_may_match%') FROM json_each('[1, 2, 3, 4, 5, 6]') CROSS JOIN bloom_advise('SELECT count(*) FROM asked AS c
  WHERE NOT EXISTS (SELECT 1 FROM all_seen AS s WHERE s.email = c.email LIMIT 1)' || substr('      ', value), 1) WHERE probe = 'all_seen.email';
-- 1

-- An index by which few rows are found, unless the query says in which order tables are read.
CREATE TABLE payer(email TEXT PRIMARY KEY, late INTEGER);
INSERT INTO payer SELECT email, id % 50 = 0 FROM visit;
INSERT INTO sqlite_stat1(tbl) VALUES ('payer');

-- each: JOIN payer USING (email) WHERE late = 1 => 1 | CROSS JOIN payer USING (email) WHERE late = 1 => 0
-- each: JOIN payer USING (email) WHERE late = 0 => 0 | AS v JOIN customer USING (email) => 1 | WHERE email IN (SELECT email FROM customer) => 1
SELECT advice LIKE '%all of visit is read for values of email: CREATE INDEX main.visit_email ON visit(email) might %'
  FROM bloom_advise('SELECT count(bloom_version()) FROM visit {1}', 6) LIMIT 1;
-- {2}

-- Two that pay together.
CREATE TABLE seen(id INTEGER PRIMARY KEY, name TEXT);
INSERT INTO seen SELECT id, 'n' || id FROM visit WHERE id % 70 = 0;
SELECT same, seconds, advice FROM bloom_advise('WITH n(i) AS (SELECT 1 FROM customer LIMIT 30) SELECT count(*)
  FROM visit CROSS JOIN n CROSS JOIN customer USING (email) CROSS JOIN seen USING (id)', 1.5) AS a
  JOIN bloom_compare(query, coalesce(sql, query)) WHERE probe IS NULL;
-- 1|1.5|...
SELECT max(faster) = max(iif(probe IS NULL, faster, 0)) FROM bloom_advise('WITH n(i) AS (SELECT 1 FROM customer LIMIT 30) SELECT count(*)
  FROM visit CROSS JOIN n CROSS JOIN customer USING (email) CROSS JOIN seen USING (id)', 1.5);
-- 1

-- ---- Nothing is left behind, and nothing was written.
SELECT count(*) FROM pragma_database_list;
-- 3
BEGIN;
SELECT count(*) FROM bloom_advise('SELECT count(*) FROM visit WHERE email IN (SELECT email FROM customer)', 1e-9);
-- 2
COMMIT;
PRAGMA query_only = ON;
SELECT count(*) FROM bloom_advise(CAST('SELECT count(*) FROM visit WHERE email IN (SELECT email FROM customer)' AS BLOB), '1e-9');
-- 2
PRAGMA query_only = OFF;

-- ---- Wrong arguments.
-- each: NULL => NULL | 7 => 7
SELECT * FROM bloom_advise({1});
-- Error: bloom_advise: query must be a SELECT, as TEXT or the bytes of a file, got {2}

-- each: 0 => 0 | -1 => -1 | 'soon' => TEXT 'soon'
SELECT * FROM bloom_advise('SELECT 1', {1});
-- Error: bloom_advise: seconds must be a number above 0, got {2}

SELECT * FROM bloom_advise;
-- Error: bloom_advise: query must be given, as in bloom_advise('SELECT ...')

SELECT * FROM bloom_advise('SELECT 1', 1, '[]', 1);
-- Error: ...too many arguments on bloom_advise() - max 3

SELECT bloom_advise('SELECT 1');
-- Error: bloom_advise: it is a table: SELECT * FROM bloom_advise('SELECT ...')

CREATE VIEW advised AS SELECT * FROM bloom_advise('SELECT 1');
SELECT * FROM advised;
-- Error: ...unsafe use of virtual table "bloom_advise"
