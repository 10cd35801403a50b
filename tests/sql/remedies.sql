-- What bloom_advise tries beside filters: an index and ANALYZE, in a copy of the query's tables in
-- memory. (advise.sql tests which index is named.)
-- since: 3.38
.load dist/bloom
.nullvalue NULL
ATTACH ':memory:' AS "ot""her";
CREATE TABLE visit(id INTEGER PRIMARY KEY AUTOINCREMENT, email TEXT, state TEXT COLLATE NOCASE NOT NULL,
  day INTEGER CHECK (day >= 0), next INTEGER AS (day + 1), twice INTEGER AS (day * 2) STORED);
CREATE INDEX visit_state ON visit(state);
CREATE INDEX visit_day ON visit(day);
CREATE UNIQUE INDEX visit_late ON visit(id, day) WHERE day > 0;
CREATE TABLE customer(email TEXT PRIMARY KEY, rowid INTEGER) WITHOUT ROWID;
CREATE TABLE "ot""her"."in voice"("e ""mail" TEXT, cents INTEGER);
CREATE INDEX "ot""her".lowered ON "in voice"(lower("e ""mail"));
CREATE TEMP TABLE now(email TEXT, n INTEGER);
CREATE VIEW seen AS SELECT v.email, v.day FROM visit AS v WHERE v.state <> 'x';
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 20000)
INSERT INTO visit(id, email, state, day) SELECT i, printf('%08x', leveldb_hash(i)), 'done', i / 10 FROM n;
INSERT INTO customer SELECT email, id FROM visit WHERE id % 2;
INSERT INTO "in voice" SELECT email, id FROM visit WHERE id % 3;
INSERT INTO now SELECT email, id FROM visit WHERE id % 5;

-- ---- ANALYZE. Before it, SQLite takes the index that finds all rows.
-- each: visit | (SELECT v.* FROM visit AS v)
SELECT advice LIKE 'this database was never analysed: ANALYZE makes the query % times as fast (measured in a copy in memory); %',
  CAST(substr(advice, 58) AS REAL) > 20
FROM bloom_advise('SELECT count(*) FROM {1} AS v CROSS JOIN customer USING (email) WHERE state = ''done'' AND day BETWEEN 8 AND 9') LIMIT 1;
-- 1|1

-- ---- An index, with a copy of temporary and attached tables, of generated columns, of views, and of
-- names that need quotes. Each gains, whatever the machine.
-- each: now CROSS JOIN customer USING (email) WHERE n = 8 => now_n ON now(n)
-- each: "in voice" AS v CROSS JOIN visit ON twice = v.cents WHERE v.cents < 9 => visit_twice ON visit(twice)
-- each: customer AS c CROSS JOIN "in voice" AS v ON v."e ""mail" = c.email WHERE c.rowid < 9 => "in voice_e ""mail" ON "in voice"("e ""mail")
-- each: now CROSS JOIN "in voice" AS v ON v.cents = now.n + 1 CROSS JOIN visit AS t ON t.twice = v.cents WHERE now.n < 9 => main.visit_twice ON visit(twice) make the query
-- each: seen CROSS JOIN now USING (email) WHERE day = 8 => now_email ON now(email)
SELECT advice LIKE '%: CREATE INDEX % make% the query % times as fast (measured in a copy in memory)%', instr(advice, '{2}') > 0,
  CAST(substr(advice, instr(advice, ' the query ') + 11) AS REAL) > 1.5
FROM bloom_advise('SELECT count(*) FROM {1}') LIMIT 1;
-- 1|1|1

-- The plan is that of the query only with its statistics, which are copied. The
-- changed line makes SQLite believe that visit.state has many values.
ANALYZE;
UPDATE sqlite_stat1 SET stat = '20000 2' WHERE idx = 'visit_state';
ANALYZE sqlite_master;
SELECT advice LIKE '%: CREATE INDEX "temp".now_email ON now(email) makes the query % (measured in a copy in memory)%'
FROM bloom_advise('SELECT count(*) FROM visit AS v CROSS JOIN now USING (email) WHERE state = ''done'' AND day < 9') LIMIT 1;
-- 1

-- ---- Not measured: a table that is too large, a function that the copy does not have, and too little time.
CREATE TABLE large(email TEXT, data BLOB);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 70)
INSERT INTO large SELECT i, zeroblob(1000000) FROM n;
CREATE TEMP TABLE few(email TEXT, n INTEGER);
INSERT INTO few VALUES ('a', 1), ('b', 2);

-- each: count(*) FROM large CROSS JOIN few USING (email)', 60 | count(bloom_version()) FROM now CROSS JOIN few ON few.n = now.n', 60
-- each: count(*) FROM now CROSS JOIN few ON few.n = now.n', 1e-9
SELECT advice LIKE '%might make the query faster (not measured)' FROM bloom_advise('SELECT {1}) LIMIT 1;
-- 1
