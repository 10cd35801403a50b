-- bloom_advise(query [, seconds]): which filters a query can have, and whether they pay. Here
-- the tables are so small that none does, but each that would be right is given, once it was
-- run and had the query's rows. (compare.sql has what compares them.)
-- since: 3.38
.load dist/bloom
.nullvalue NULL
CREATE TABLE a(x TEXT, i, y);
CREATE TABLE b(k TEXT, j TEXT, i, y, n INTEGER);
CREATE TABLE c(k TEXT, j TEXT, i, y, n INTEGER);
CREATE TABLE d(x TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE e(x TEXT);
CREATE INDEX e_x ON e(x);
CREATE TABLE f(n TEXT COLLATE NOCASE);
CREATE TABLE g(k TEXT, z TEXT AS (substr(k, 1)));
CREATE TABLE s(z ANY, q INT) STRICT;
CREATE TABLE t(z ANY, q REAL) STRICT;
CREATE TABLE "sp ""ace"("k k" TEXT, i);
CREATE TABLE five(i INTEGER, t TEXT, r REAL, n NUMERIC, b BLOB);
CREATE TABLE named(i MEDIUMINT, c VARCHAR(9), l CLOB, f FLOAT, d DOUBLE PRECISION, s STRING, w, p POINT);
CREATE VIEW v AS SELECT k AS kk, y FROM b WHERE j LIKE 'j%';
CREATE VIEW w AS SELECT * FROM a;
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
CREATE TABLE two_ids(oid INTEGER PRIMARY KEY, word TEXT);
INSERT INTO two_ids VALUES (1, 'x1'), (2, 'none');

-- ---- Each column that a filter could probe: with 1, a query with that filter is given, which
-- had the same rows; with -, none is. (tests/stress/advise.c compares the rows again.)
-- each: SELECT count(*) FROM a JOIN b ON a.x = b.k => a.x 1, b.k 1
-- each: SELECT * FROM a, b WHERE a.x = b.k => a.x 1, b.k 1
-- each: SELECT a.* FROM a JOIN d USING (x) => a.x 1, d.x 1
-- each: SELECT y FROM a NATURAL JOIN e => a.x 1, e.x 1
-- each: SELECT * FROM a WHERE x IN (SELECT k FROM b) => a.x 1
-- each: SELECT * FROM a WHERE (SELECT count(*) FROM b) > 0 AND x IN (SELECT k FROM b WHERE y > 1 GROUP BY k HAVING count(*) < 9) => NULL
-- each: SELECT u.y FROM a AS u JOIN b "w w" ON u."x" = [w w].`k` ORDER BY u.y DESC LIMIT 3 => a.x 1, b.k 1
-- each: SELECT x, count(*) FROM a JOIN v ON x = kk GROUP BY x => a.x 1, b.k -
-- each: SELECT count(*) FROM a JOIN l USING (x) => NULL
-- each: SELECT count(*) FROM w JOIN b ON w.x = b.k => a.x -, b.k 1
-- each: WITH f AS (SELECT * FROM b WHERE i = 1) SELECT * FROM a JOIN f ON a.x = f.k => a.x 1, b.k 1
-- each: WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3) SELECT * FROM a JOIN b ON x = k JOIN n ON n.i = b.i => a.x 1, b.k 1
-- each: SELECT * FROM a JOIN b ON a.x = b.k LEFT JOIN c ON c.k = b.j => a.x 1, b.j -, b.k 1, c.k -
-- each: SELECT max(a.y) OVER (PARTITION BY x) FROM a JOIN b ON x = k => a.x 1, b.k 1
-- each: SELECT x FROM a JOIN b ON x = k UNION ALL SELECT k FROM c => a.x 1, b.k 1
-- each: SELECT (SELECT count(*) FROM a JOIN b ON x = k) FROM c => a.x 1, b.k 1
-- each: SELECT * FROM a JOIN "sp ""ace" ON x = "k k" => a.x 1, sp "ace.k k 1
-- each: SELECT * FROM a WHERE x = (SELECT k FROM b) => NULL
-- each: SELECT * FROM a LEFT JOIN b ON a.x = b.k => a.x -, b.k -
-- each: SELECT * FROM a RIGHT JOIN b ON a.x = b.k => NULL
-- each: SELECT * FROM a FULL JOIN b ON a.x = b.k => NULL
-- each: SELECT * FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.k = a.x) => a.x ..., b.k ...
-- each: SELECT * FROM a WHERE NOT EXISTS (SELECT 1 FROM b WHERE b.k = a.x) => a.x -, b.k -
-- each: SELECT * FROM a WHERE x NOT IN (SELECT k FROM b) => NULL
-- each: SELECT * FROM a JOIN b ON a.x = b.k OR a.i = b.i => a.x -, b.k -
-- each: SELECT * FROM a JOIN b ON a.x = b.k WHERE x IN (SELECT x FROM a) => a.x -, a.x -, b.k 1
-- each: SELECT * FROM main.a JOIN b ON x = k => a.x -, b.k 1
-- each: SELECT a.rowid, * FROM a JOIN b ON x = k => a.x -, b.k -
-- each: SELECT * FROM a NOT INDEXED JOIN b ON x = k => a.x 1, b.k 1
-- each: SELECT a.x AS a FROM a AS a JOIN b ON a.x = b.k => a.x 1, b.k 1
-- each: SELECT ''oid'', ''rowid'' FROM a JOIN b ON x = k => a.x 1, b.k 1 | SELECT oid FROM two_ids JOIN e ON x = word => e.x -, two_ids.word 1
-- each: SELECT * FROM a JOIN b ON x = b.k COLLATE NOCASE => a.x -, b.k -
-- each: SELECT * FROM a JOIN f ON x = n => a.x -, f.n -
-- each: SELECT * FROM a JOIN b ON a.x = b.i => a.x -, b.i -
-- each: SELECT * FROM a JOIN b ON a.rowid = b.rowid => NULL
-- each: SELECT * FROM a JOIN g ON x = z => a.x -, g.z -
-- each: SELECT * FROM s JOIN t ON s.z = t.z => s.z 1, t.z 1
-- each: SELECT * FROM s JOIN t ON s.q = t.q => s.q -, t.q -
-- each: SELECT * FROM five CROSS JOIN named ON five.i = named.i => five.i 1, named.i 1 | SELECT * FROM five CROSS JOIN named ON t = c => five.t 1, named.c 1
-- each: SELECT * FROM five CROSS JOIN named ON t = l => five.t 1, named.l 1 | SELECT * FROM five CROSS JOIN named ON r = f => five.r 1, named.f 1
-- each: SELECT * FROM five CROSS JOIN named ON r = d => five.r 1, named.d 1 | SELECT * FROM five CROSS JOIN named ON n = s => five.n 1, named.s 1
-- each: SELECT * FROM five CROSS JOIN named ON b = w => five.b 1, named.w 1 | SELECT * FROM five CROSS JOIN named ON five.i = p => five.i 1, named.p 1
-- each: SELECT * FROM five CROSS JOIN named ON n = c => five.n -, named.c - | SELECT * FROM five CROSS JOIN named ON n = d => five.n -, named.d -
-- each: SELECT * FROM a CROSS JOIN s ON a.i = s.z => a.i 1, s.z 1
-- each: SELECT * FROM a JOIN b ON a.x = coalesce(b.k, b.j) => NULL
-- each: SELECT * FROM a JOIN b ON a.x = ifnull(b.k, b.j) => NULL
-- each: SELECT * FROM a JOIN b ON a.x = CASE WHEN b.i > 1 THEN b.k ELSE b.j END => NULL
-- each: SELECT * FROM a JOIN b ON a.x = iif(b.i, b.k, b.j) => NULL
-- each: SELECT * FROM a JOIN b ON a.x = lower(b.k) => NULL
-- each: SELECT * FROM a JOIN b ON a.x = b.k || '''' => NULL
-- each: SELECT * FROM a JOIN b ON a.x = cast(b.k AS integer) => NULL
-- each: SELECT * FROM a JOIN b ON a.x = +b.k => a.x 1, b.k 1
-- each: SELECT * FROM a WHERE a.x IN (SELECT coalesce(k, j) FROM b) => NULL
-- each: SELECT * FROM a WHERE a.x IN (SELECT max(k) FROM b) => NULL
-- each: SELECT * FROM a WHERE a.x IN (SELECT k FROM b EXCEPT SELECT j FROM c) => NULL
-- each: SELECT * FROM a WHERE a.x IN (SELECT k FROM b UNION SELECT j FROM c) => NULL
-- each: SELECT * FROM a WHERE (x, i) IN (SELECT k, i FROM b) => NULL
-- each: SELECT * FROM a WHERE x IN (SELECT k FROM b LIMIT 2) => a.x 1
-- each: SELECT * FROM a, json_each(''[1, 2]'') AS l JOIN b ON x = k => a.x 1, b.k 1
-- each: SELECT a.x, b.k FROM a JOIN b ON a.x = b.k LEFT JOIN c ON b.y = 2 => a.x 1, b.k 1
-- each: SELECT a.x, b.k FROM a JOIN b ON a.x = b.k LEFT JOIN c ON b.j LIKE ''x%'' => a.x 1, b.k 1
-- each: SELECT a.x, b.k FROM a JOIN b ON a.x = b.k LEFT JOIN c ON b.j GLOB ''x*'' => a.x 1, b.k 1
-- each: SELECT a.x, b.k FROM a JOIN b ON a.x = b.k LEFT JOIN c ON b.j IS NULL => a.x 1, b.k 1
-- each: SELECT a.x, b.k FROM a JOIN b ON a.x = b.k LEFT JOIN c ON b.y <> 2 => a.x 1, b.k 1
-- each: SELECT a.x, b.k FROM a JOIN b ON a.x = b.k LEFT JOIN c ON b.y BETWEEN 2 AND 3 => a.x 1, b.k 1
-- each: SELECT a.x, b.k FROM a JOIN b ON a.x = b.k LEFT JOIN c ON b.y IS NOT 2 => a.x 1, b.k 1
-- each: SELECT a.y FROM a CROSS JOIN b ON a.x = k CROSS JOIN e => a.x 1, b.k 1
-- each: SELECT a.y FROM a JOIN b ON a.x = b.k WHERE b.j IN (1, 2) => a.x 1, b.k 1
-- each: SELECT a.y FROM a JOIN b ON a.x = b.k WHERE b.y IN (1, 2) => a.x 1, b.k 1
-- each: SELECT CRC32C(x) AS "ü$""a" FROM a JOIN b ON a.x = b.k WHERE [ö] = 1 => NULL
-- each: SELECT CRC32C(x) AS "ü$""a" FROM a JOIN b ON a.x = b.k => a.x 1, b.k 1
-- each: SELECT hex(bloom_build(x)) FROM a JOIN b ON x = k WHERE leveldb_hash(x) > 0 => a.x 1, b.k 1
-- each: SELECT * FROM a LEFT JOIN (b LEFT JOIN c ON b.j = c.j) ON a.x = c.k => b.j -, c.j -
-- each: SELECT * FROM a JOIN (b LEFT JOIN c ON b.j = c.j) ON a.x = b.k => a.x 1, b.j -, b.k 1, c.j -
-- each: SELECT x FROM a JOIN v ON x = kk, b => a.x 1, b.k -
-- each: SELECT 1 FROM a JOIN g ON x = g.k JOIN f ON n = g.k WHERE z IN (''x1'', ''y'') AND n IN (''x1'', ''y'') => a.x 1, g.k 1
SELECT group_concat(given, ', ') FROM (
  SELECT probe || CASE WHEN sql IS NULL THEN ' -' ELSE ' 1' END AS given FROM bloom_advise('{1}')
  WHERE probe IS NOT NULL ORDER BY 1);
-- {2}

-- ---- The conditions of a set are those that no row of the query can do without, and that
-- mean the same in a query of their own.
-- each: b.n = 2 => WHERE t1.n = 2
-- each: b.n BETWEEN 1 AND 3 AND b.n <> 2 => WHERE t1.n <> 2 AND t1.n >= 1 AND t1.n <= 3
-- each: b.n > 1 AND b.n >= -5 AND 9 > b.n AND b.n <= 3.5 => WHERE t1.n > 1 AND t1.n >= -5 AND t1.n < 9 AND t1.n <= 3.5
-- each: b.n IN (1, 2, 7) => WHERE t1.n IN (1, 2, 7)
-- each: b.j IN (''j1'', ''x''''y'') => WHERE t1.j IN ('j1', 'x''y')
-- each: b.j = ''x''''y'' AND b.j <> ''a\b'' => WHERE t1.j = 'x''y' AND t1.j <> 'a\b'
-- each: b.j LIKE ''J_'' AND b.j GLOB ''[jx]*'' => WHERE t1.j GLOB '[jx]*' AND t1.j LIKE 'J_'
-- each: b.j LIKE ''j1%'' => WHERE t1.j LIKE 'j1%'
-- each: b.j IS NULL => WHERE t1.j IS NULL
-- each: b.i IS NOT NULL AND b.n IS NOT NULL => WHERE t1.n IS NOT NULL AND t1.i IS NOT NULL
-- each: b.j >= ''j1'' AND b.j < ''j2'' => WHERE t1.j >= 'j1' AND t1.j < 'j2'
-- each: b.n = 1.5 => WHERE t1.n = 1.5
-- each: b.n = 1e300 => WHERE t1.n = 1.0e+300
-- each: b.n = 1.1e288 => WHERE t1.n = 1.1e+288
-- each: b.n = 0.1 => WHERE t1.n = 0.1 | b.n = 0.30000000000000004 => WHERE t1.n = ...
-- each: b.j IN (''j1'') => WHERE t1.j = 'j1'
-- each: b.n = 1 OR b.n = 2 => WHERE t1.n IN (1, 2)
-- each: likely(b.n = 2) => WHERE t1.n = 2
-- each: b.n = +2 => WHERE t1.n = 2
-- each: (b.n, b.j) = (1, ''j1'') => WHERE t1.n = 1 AND t1.j = 'j1'
-- each: b.n = 9223372036854775807 => WHERE t1.n = 9223372036854775807
-- each: b.n > -9223372036854775808 => WHERE t1.n > -9223372036854775808
-- each: b.j = cast(x''61'' AS TEXT) => none | b.j = cast(1e3 AS TEXT) => none | b.n = cast(''1e3'' AS INTEGER) => none
-- each: b.n = cast(9007199254740993 AS INTEGER) => none | b.j = 0x7FFFFFFFFFFFFFFF => none
-- each: b.j LIKE ''j!%%'' ESCAPE ''!'' => none | b.j COLLATE NOCASE IN (''J1'') => none
-- each: b.j = ''J1'' COLLATE NOCASE OR b.j = ''x'' => none | b.j COLLATE NOCASE IN (''J1'', ''x'') => none | b.n < 9e999 => none
-- each: b.j = ''J1'' COLLATE NOCASE => none | b.n = ''2'' => none | b.j = 1 => none | b.j = cast(5 AS integer) => none
-- each: b.i = 1 => none | b.y = x''61'' => none | b.n IN (9, coalesce(1, 3)) => none | b.n IN (CASE WHEN abs(1) THEN 2 ELSE 3 END, 9, 8) => none | b.n IN (9, x''61'') => none
-- each: b.n IN (9, ~5) => none | b.n IN (9, -1, 1.5) => none | b.n IN (9, ''1'') => none | b.n IN (1, NULL) => none
-- each: b.n = 1 + 1 => none | b.n = length(''a'') => none | b.n IS 2 => none | b.n IS NOT 2 => none
-- each: NOT b.n = 2 => none | b.n = (SELECT 2) => none | b.j = x''6a31'' => none | b.j = char(106, 49) => none
-- each: abs(b.n) = 2 => none | b.n = a.y => none | (b.n, b.j) > (1, ''a'') => none
SELECT coalesce(nullif(group_concat(substr("set", 36)), ''), 'none'), sum(sql IS NULL) FROM bloom_advise(
  'SELECT a.x, b.k FROM a JOIN b ON a.x = b.k WHERE {1}') WHERE "set" LIKE '%FROM main.b AS t1%';
-- {2}|0

-- Nor those that SQLite derives from a pattern, which hold for TEXT alone.
INSERT INTO b VALUES (x'78', x'7879', 1, 1, 8), ('x9', x'7879', 1, 1, 8);
SELECT count(sql) FROM bloom_advise('SELECT a.x FROM a JOIN b ON a.x = b.k WHERE b.j GLOB ''x*''') WHERE probe IS NOT NULL;
-- 2

-- Tables that restrict it are joined in by filters of the same kind, here two hops away.
-- each: c.j = b.j AND c.n = 2 => WHERE t1.j IN (SELECT t2.j FROM main.c AS t2 WHERE t2.n = 2)
-- each: a.x > ''a'' => none | c.n = b.i AND c.n = 2 => none | c.k = b.j COLLATE NOCASE AND c.n = 2 => none | c.i > b.j AND c.n = 2 => none | c.j = b.j => none
SELECT coalesce(nullif(substr("set", 36), ''), 'none') FROM bloom_advise(
  'SELECT a.x FROM a, b, c WHERE a.x = b.k AND {1}') WHERE probe = 'a.x' AND "set" LIKE '%FROM main.b AS t1%';
-- {2}

SELECT substr("set", 36) FROM bloom_advise('SELECT 1 FROM a JOIN b ON a.x = b.k JOIN c ON b.j = c.j JOIN d ON d.x = c.k
  JOIN e ON e.x = d.x WHERE e.x > ''a'' AND e.x < ''z''') WHERE probe = 'a.x' AND "set" LIKE '%FROM main.b AS t1%';
-- WHERE t1.j IN (SELECT t2.j FROM main.c AS t2 WHERE t2.k IN (SELECT t3.x FROM main.d AS t3 WHERE t3.x IN (SELECT t4.x FROM main.e AS t4 WHERE t4.x > 'a' AND t4.x < 'z')))

-- ---- The query keeps its text, behind comments and an own WITH.
SELECT probe, sql FROM bloom_advise('-- mine
SELECT * FROM a JOIN b ON x = k; -- end') WHERE probe = 'a.x';
-- a.x|-- mine
-- WITH a AS (SELECT * FROM main.a WHERE likelihood(bloom_may_match(x, (SELECT bloom_open(bloom_build(k)) FROM (SELECT t1.k AS k FROM main.b AS t1))), 1.0))
-- SELECT * FROM a JOIN b ON x = k; -- end

-- each: WITH o AS (SELECT 1) => WITH a AS NOT MATERIALIZED (...)), 1.0)), o AS (SELECT 1)
-- each: with recursive o AS (SELECT 1) => with recursive a AS NOT MATERIALIZED (...)), 1.0)), o AS (SELECT 1)
SELECT sql FROM bloom_advise('{1} SELECT * FROM a JOIN b ON x = k') WHERE probe = 'a.x';
-- {2} SELECT * FROM a JOIN b ON x = k

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

-- each: "T_1" CROSS JOIN a ON "_K2" = x => 1,1 | T_1 CROSS JOIN a ON "select" = x => 1,1 | T_1 CROSS JOIN a ON é = x => 1,1
-- each: two CROSS JOIN a USING (x) WHERE x > ''a'' => 1,1 | hides AS h CROSS JOIN tens ON tens.x = h.x => 1,1
-- each: [t_1] CROSS JOIN a ON `true` = x => ...,1 | T_1 CROSS JOIN a ON "false" = x => ...,1
SELECT group_concat(CASE WHEN sql IS NULL THEN 0 ELSE 1 END) FROM bloom_advise('SELECT * FROM {1}') WHERE probe IS NOT NULL;
-- {2}

-- The set has the connection's own LIKE, as the query has.
PRAGMA case_sensitive_like = ON;
SELECT "set" FROM bloom_advise('SELECT * FROM a JOIN b ON x = k WHERE j LIKE ''j%'' AND j < ''k''') WHERE probe = 'a.x';
-- SELECT t1.k AS k FROM main.b AS t1 WHERE t1.j LIKE 'j%'
PRAGMA case_sensitive_like = OFF;

-- ---- What the rows say.
-- each: a LEFT JOIN b ON x = k => an outer join keeps rows without a partner; for a LEFT JOIN, left_join.sql has a form
-- each: a WHERE NOT EXISTS (SELECT 1 FROM b WHERE k = x) => it is looked up from another SELECT; for EXISTS, join.sql has a form, and for NOT EXISTS anti_join.sql
-- each: a JOIN b ON x = k OR a.i = b.i => the plan reads one of the tables in several ways, as for an OR
-- each: a JOIN b ON b.rowid = a.i => one of them is the rowid, which has no name of its own
-- each: a JOIN g ON x = z => one of them is generated
-- each: a JOIN f ON x = n => they are compared with a collation; lost_rows.md has a form
-- each: a WHERE x IN (SELECT k COLLATE NOCASE FROM b) => they are compared with a collation; lost_rows.md has a form
-- each: a JOIN b ON x = b.i => they have columns of different types; lost_rows.md has a form
-- each: a JOIN b ON x = k WHERE a.y IN (SELECT y FROM a) => the query reads the probed table, or one of its name, more than once
-- each: w JOIN b ON x = k => a WITH of the probed table's name would not be read in its place
-- each: w JOIN b AS a ON a.k = w.x => a WITH of the probed table's name would not be read in its place
-- each: main.a JOIN b ON x = k => a WITH of the probed table's name would not be read in its place
-- each: a JOIN b ON x = k WHERE a.rowid > 0 => the query names a rowid, which a WITH does not have
SELECT substr(advice, instr(advice, ': ') + 2), faster, sql, share FROM bloom_advise('SELECT 1 FROM {1}') WHERE probe LIKE 'a._' LIMIT 1;
-- {2}|NULL|NULL|NULL

-- each: SELECT 1 => no filter can help: no column is looked up by a column of another table...
-- each: SELECT 1 FROM a JOIN e INDEXED BY e_x USING (x) => the query cannot be analysed: no such index: e_x
-- each: SELECT count(*) FROM a JOIN b ON x = k => no filter pays...
-- each: UPDATE a SET x = 1 => query must begin with SELECT, VALUES or WITH, begins with 'UPDATE a SET x = 1'
-- each: SELECT * FROM a JOIN b ON x = k WHERE i = ?1 => query: ambiguous column name: i
-- each: SELECT * FROM a JOIN b ON x = k WHERE n = ?1 => query must have values instead of parameters, has ?1
-- each: SELECT abs(-9223372036854775807 - 1) FROM a JOIN b ON x = k => the query cannot be run: integer overflow
-- each: SELECT 1 FROM pragma_module_list AS m JOIN a ON m.name = x => no filter can help...
-- each: SELECT 1 FROM generate_series(1, 2) JOIN a ON value = x => the query cannot be analysed: no such table: generate_series
SELECT count(probe) = 0 OR sum(advice LIKE 'no filter pays%'), faster, sql, advice FROM bloom_advise('{1}') WHERE rowid = 1;
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

-- each: a JOIN o ON x = o.k => other.o
-- each: a JOIN e USING (x) => "temp".e
-- each: a JOIN main.e USING (x) => main.e
-- each: a JOIN b ON x = k => main.b
-- each: a JOIN other.b ON x = k => other.b
SELECT "set", sql IS NULL FROM bloom_advise('SELECT * FROM {1}') WHERE probe = 'a.x';
-- SELECT t1...FROM {2} AS t1|0

-- A table of the same name in another database is not the one that the query names.
SELECT group_concat(probe || ifnull(length(sql) > 0, ' -')) FROM bloom_advise('SELECT 1 FROM b JOIN other.b AS c ON b.k = c.k');
-- b.k -,b.k -

.dbconfig defensive off
-- ...defensive off
PRAGMA writable_schema = ON;
INSERT INTO sqlite_master VALUES ('table', 'docs', 'docs', 0, 'CREATE VIRTUAL TABLE docs USING none(t)');
PRAGMA writable_schema = RESET;
SELECT count(sql) FROM bloom_advise('SELECT * FROM a AS docs JOIN b ON x = k') WHERE probe IS NOT NULL;
SELECT advice FROM bloom_advise('SELECT * FROM docs JOIN b ON t = k');
-- 2
-- query: no such module: none
PRAGMA full_column_names = ON;
SELECT count(sql) FROM bloom_advise('SELECT 1 FROM a NATURAL JOIN d');
-- 2
PRAGMA short_column_names = OFF;
SELECT advice AS advice, sql AS sql FROM bloom_advise('SELECT 1 FROM a NATURAL JOIN d');
-- no filter pays|NULL
-- a.x, looked up in d.x: it has other rows|NULL
-- d.x, looked up in a.x: it has other rows|NULL
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
SELECT sql FROM bloom_advise('SELECT * FROM a JOIN b ON x = k') WHERE probe = 'a.x';
-- WITH a AS (SELECT * FROM main.a WHERE likelihood(bloom_may_match(x, (SELECT filter FROM main.b_k_filter)), 1.0))
-- SELECT * FROM a JOIN b ON x = k
SELECT sql LIKE '%b_k_filter%' FROM bloom_advise('SELECT * FROM a JOIN b ON x = k WHERE n > 1') AS a WHERE probe = 'a.x';
-- 0
SELECT sql LIKE '%o_k_filter%' FROM bloom_advise('SELECT * FROM a JOIN o ON x = k') AS a WHERE probe = 'a.x';
-- 0

-- ---- One that pays, and what is left out for lack of time.
CREATE TABLE visit(id INTEGER PRIMARY KEY, email TEXT);
CREATE TABLE customer(email TEXT PRIMARY KEY);
INSERT INTO visit(email) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3001)
  SELECT 'user' || i || '@example.com' FROM n;
INSERT INTO customer SELECT email FROM visit WHERE id % 100 = 0;
SELECT typeof(faster), round(share, 1), advice FROM bloom_advise('SELECT count(*) FROM visit JOIN customer USING (email)') WHERE probe = 'visit.email';
-- real|0.0|visit.email, looked up in customer.email: ... times as fast...

-- The sample is not in step with a period of the rows.
CREATE TABLE third(email TEXT PRIMARY KEY);
INSERT INTO third SELECT email FROM visit WHERE id % 3 = 1;
SELECT round(share, 1) FROM bloom_advise('SELECT count(*) FROM visit JOIN third USING (email)') WHERE probe = 'visit.email';
-- 0.3

INSERT INTO third SELECT email FROM visit WHERE id % 3 = 2;
SELECT round(share, 1), typeof(faster) FROM bloom_advise('SELECT count(*) FROM visit JOIN third USING (email)') WHERE probe = 'visit.email';
-- 0.7|real

-- A single row before the probed table is no reason not to try.
SELECT typeof(faster) FROM bloom_advise('WITH p(low) AS (SELECT 0) SELECT count(*) FROM p CROSS JOIN visit
  JOIN customer USING (email) WHERE id > low') WHERE probe = 'visit.email';
-- real

-- Rows without a rowid have no sample, nor have those of which one is far away.
CREATE TABLE sorted(email TEXT PRIMARY KEY, id) WITHOUT ROWID;
CREATE TABLE outlier(id INTEGER PRIMARY KEY, email TEXT);
INSERT INTO sorted SELECT email, id FROM visit;
INSERT INTO outlier SELECT id, email FROM visit UNION ALL SELECT 1 << 60, NULL;

-- each: sorted | outlier
SELECT share, typeof(faster) FROM bloom_advise('SELECT count(*) FROM {1} CROSS JOIN customer USING (email)') WHERE probe = '{1}.email';
-- NULL|real

SELECT advice, sql FROM bloom_advise('SELECT count(*) FROM visit JOIN customer USING (email)', 1e-9);
-- no filter pays; for 2 of 2, there was no time|NULL
-- visit.email, looked up in customer.email: there was no time to try it|NULL
-- customer.email, looked up in visit.email: there was no time to try it|NULL

-- Two that pay together.
CREATE TABLE seen(id INTEGER PRIMARY KEY, name TEXT);
INSERT INTO seen SELECT id, 'n' || id FROM visit WHERE id % 70 = 0;
SELECT same, seconds, advice FROM bloom_advise('WITH n(i) AS (SELECT 1 FROM customer LIMIT 30) SELECT count(*)
  FROM visit CROSS JOIN n CROSS JOIN customer USING (email) CROSS JOIN seen USING (id)', 3) AS a
  JOIN bloom_compare(query, coalesce(sql, query)) WHERE probe IS NULL;
-- 1|3.0|...

-- ---- Nothing is left behind, and nothing was written.
SELECT count(*) FROM pragma_database_list;
-- 3
BEGIN;
SELECT count(*) FROM bloom_advise('SELECT count(*) FROM visit JOIN customer USING (email)', 1e-9);
-- 3
COMMIT;
PRAGMA query_only = ON;
SELECT count(*) FROM bloom_advise(CAST('SELECT count(*) FROM visit JOIN customer USING (email)' AS BLOB), '1e-9');
-- 3
PRAGMA query_only = OFF;

-- ---- Wrong arguments.
-- each: NULL => NULL | 7 => 7
SELECT * FROM bloom_advise({1});
-- Error: bloom_advise: query must be a SELECT, as TEXT or the bytes of a file, got {2}

-- each: 0 => 0 | -1 => -1 | 'soon' => TEXT 'soon' | NULL => NULL
SELECT * FROM bloom_advise('SELECT 1', {1});
-- Error: bloom_advise: seconds must be a number above 0, got {2}

SELECT * FROM bloom_advise;
-- Error: bloom_advise: query must be given, as in bloom_advise('SELECT ...')

SELECT * FROM bloom_advise('SELECT 1', 1, 1);
-- Error: ...too many arguments on bloom_advise() - max 2

SELECT bloom_advise('SELECT 1');
-- Error: bloom_advise: it is a table: SELECT * FROM bloom_advise('SELECT ...')

CREATE VIEW advised AS SELECT * FROM bloom_advise('SELECT 1');
SELECT * FROM advised;
-- Error: ...unsafe use of virtual table "bloom_advise"
