-- In a LEFT JOIN, `c.k = CASE WHEN bloom_may_match(v.k, ...) THEN v.k END` leaves
-- out the lookups of absent keys (sql/left_join.sql). A CASE has neither a type nor
-- a collation, so that SQLite compares by those of c.k alone, where `c.k = v.k`
-- looks at both columns. For which columns is the result the same all the same?
.load dist/bloom
PRAGMA automatic_index = OFF;

-- 28 values, in columns of seven types and in one without a type. A column has the
-- name of its type; NOCASE and RTRIM are collations of TEXT, all others BINARY.
-- each: v | c
CREATE TABLE {1}(n INTEGER PRIMARY KEY, "INTEGER" INTEGER, "REAL" REAL,
  "NUMERIC" NUMERIC, "TEXT" TEXT, "BLOB" BLOB, untyped,
  "NOCASE" TEXT COLLATE NOCASE, "RTRIM" TEXT COLLATE RTRIM);

INSERT INTO v(untyped) VALUES (NULL), (0), (1), (-1), (1.0), (1.5), (-0.0),
  (9007199254740993), (9007199254740992.0), (9223372036854775807),
  (9223372036854775808.0), (1e300), ('1'), ('01'), ('1.0'), ('1.5'), ('1e0'),
  (' 1'), ('1 '), (''), ('a'), ('A'), ('a '), ('9007199254740993'), (x'31'),
  (x'61'), (x''), (x'3031');
UPDATE v SET "INTEGER" = untyped, "REAL" = untyped, "NUMERIC" = untyped,
  "TEXT" = untyped, "BLOB" = untyped, "NOCASE" = untyped, "RTRIM" = untyped;
INSERT INTO c SELECT * FROM v;
SELECT count(*), count(DISTINCT quote(untyped)),
  sum(typeof("INTEGER") = typeof(untyped)), sum(typeof("TEXT") = typeof(untyped))
FROM c;
-- 28|28|17|17

-- Each column is looked up by its index. (Before 3.30, an INTEGER beyond 2^53 may
-- be equal to an indexed REAL whose key is another one: see lost_rows.md.)
-- each: INTEGER | NUMERIC | TEXT | BLOB | untyped | NOCASE | RTRIM
CREATE INDEX "c_{1}" ON c("{1}");

-- since: 3.30
CREATE INDEX "c_REAL" ON c("REAL");

-- A match is lost if the filter of its key alone loses it: with a filter of all
-- keys, another row could make up for that. A match is added if a key that is a
-- false positive finds it, as any key may be: a filter that is NULL passes all. The
-- first word is about `c.k = v.k`, the second about `v.k = c.k`, which has the
-- collation of v.k.
-- each: INTEGER => INTEGER => same, same | INTEGER => REAL => same, same | INTEGER => NUMERIC => same, same | INTEGER => TEXT => loses, loses
-- each: INTEGER => BLOB => loses, loses | INTEGER => untyped => loses, loses | INTEGER => NOCASE => loses, loses | INTEGER => RTRIM => loses, loses
-- each: REAL => INTEGER => same, same | REAL => REAL => same, same | REAL => NUMERIC => same, same | REAL => TEXT => loses, loses
-- each: REAL => BLOB => loses, loses | REAL => untyped => loses, loses | REAL => NOCASE => loses, loses | REAL => RTRIM => loses, loses
-- each: NUMERIC => INTEGER => same, same | NUMERIC => REAL => same, same | NUMERIC => NUMERIC => same, same | NUMERIC => TEXT => loses, loses
-- each: NUMERIC => BLOB => loses, loses | NUMERIC => untyped => loses, loses | NUMERIC => NOCASE => loses, loses | NUMERIC => RTRIM => loses, loses
-- each: TEXT => INTEGER => loses..., loses... | TEXT => REAL => loses..., loses... | TEXT => NUMERIC => loses..., loses... | TEXT => TEXT => same, same
-- each: TEXT => BLOB => adds, adds | TEXT => untyped => adds, adds | TEXT => NOCASE => same, loses | TEXT => RTRIM => same, loses
-- each: BLOB => INTEGER => loses, loses | BLOB => REAL => loses, loses | BLOB => NUMERIC => loses, loses | BLOB => TEXT => same, same
-- each: BLOB => BLOB => same, same | BLOB => untyped => same, same | BLOB => NOCASE => same, loses | BLOB => RTRIM => same, loses
-- each: untyped => INTEGER => loses, loses | untyped => REAL => loses, loses | untyped => NUMERIC => loses, loses | untyped => TEXT => same, same
-- each: untyped => BLOB => same, same | untyped => untyped => same, same | untyped => NOCASE => same, loses | untyped => RTRIM => same, loses
-- each: NOCASE => INTEGER => loses..., loses... | NOCASE => REAL => loses..., loses... | NOCASE => NUMERIC => loses..., loses... | NOCASE => TEXT => loses, adds
-- each: NOCASE => BLOB => loses and adds, adds | NOCASE => untyped => loses and adds, adds | NOCASE => NOCASE => loses, loses | NOCASE => RTRIM => loses, loses and adds
-- each: RTRIM => INTEGER => loses..., loses... | RTRIM => REAL => loses..., loses... | RTRIM => NUMERIC => loses..., loses... | RTRIM => TEXT => loses, adds
-- each: RTRIM => BLOB => loses and adds, adds | RTRIM => untyped => loses and adds, adds | RTRIM => NOCASE => loses, loses and adds | RTRIM => RTRIM => loses, loses
WITH one(n, f) AS (
  SELECT n, bloom_build("{1}") FROM c GROUP BY n
), plain AS (
  SELECT v.n AS v, c.n AS c FROM v LEFT JOIN c ON c."{1}" = v."{2}"
), reversed AS (
  SELECT v.n AS v, c.n AS c FROM v LEFT JOIN c ON v."{2}" = c."{1}"
), certain AS (
  SELECT v.n AS v, c.n AS c FROM one CROSS JOIN v LEFT JOIN c ON +c.n = one.n
    AND c."{1}" = CASE WHEN bloom_may_match(v."{2}", one.f) THEN v."{2}" END
), possible AS (
  SELECT v.n AS v, c.n AS c FROM v LEFT JOIN c
  ON c."{1}" = CASE WHEN bloom_may_match(v."{2}", NULL) THEN v."{2}" END
), difference(lost, added) AS (
  SELECT (SELECT count(c) FROM (SELECT * FROM plain EXCEPT SELECT * FROM certain)),
    (SELECT count(c) FROM (SELECT * FROM possible EXCEPT SELECT * FROM plain))
  UNION ALL
  SELECT (SELECT count(c) FROM (SELECT * FROM reversed EXCEPT SELECT * FROM certain)),
    (SELECT count(c) FROM (SELECT * FROM possible EXCEPT SELECT * FROM reversed))
)
SELECT group_concat(CASE WHEN lost AND added THEN 'loses and adds'
  WHEN lost THEN 'loses' WHEN added THEN 'adds' ELSE 'same' END, ', ')
FROM difference;
-- {3}

-- The remedies of lost_rows.md hold here, too, if c.k is the numeric column, or if
-- both have the collation. If c.k is TEXT, a CASE of numbers is compared as text.
-- each: NOCASE => NOCASE => lower("NOCASE") => lower(v."NOCASE") => 0|0
-- each: RTRIM => RTRIM => rtrim("RTRIM") => rtrim(v."RTRIM") => 0|0
-- each: INTEGER => TEXT => CAST("INTEGER" AS NUMERIC) => CAST(v."TEXT" AS NUMERIC) => 0|0
-- each: NUMERIC => TEXT => CAST("NUMERIC" AS NUMERIC) => CAST(v."TEXT" AS NUMERIC) => 0|0
-- each: TEXT => INTEGER => CAST("TEXT" AS NUMERIC) => CAST(v."INTEGER" AS NUMERIC) => 1|...
WITH one(n, f) AS (
  SELECT n, bloom_build({3}) FROM c GROUP BY n
), plain AS (
  SELECT v.n AS v, c.n AS c FROM v LEFT JOIN c ON c."{1}" = v."{2}"
), certain AS (
  SELECT v.n AS v, c.n AS c FROM one CROSS JOIN v LEFT JOIN c ON +c.n = one.n
    AND c."{1}" = CASE WHEN bloom_may_match({4}, one.f) THEN v."{2}" END
), possible AS (
  SELECT v.n AS v, c.n AS c FROM v LEFT JOIN c
  ON c."{1}" = CASE WHEN bloom_may_match({4}, NULL) THEN v."{2}" END
)
SELECT (SELECT count(c) FROM (SELECT * FROM plain EXCEPT SELECT * FROM certain)) > 0,
  (SELECT count(c) FROM (SELECT * FROM possible EXCEPT SELECT * FROM plain)) > 0;
-- {5}

-- The right side may be a rowid, which holds integers alone.
CREATE TABLE by_rowid(k INTEGER PRIMARY KEY, n INTEGER);
INSERT OR IGNORE INTO by_rowid
SELECT "INTEGER", n FROM v WHERE typeof("INTEGER") = 'integer';

-- each: INTEGER => 0|0 | REAL => 0|0 | NUMERIC => 0|0 | TEXT => 1|0 | untyped => 1|0
WITH one(n, f) AS (
  SELECT n, bloom_build(k) FROM by_rowid GROUP BY n
), plain AS (
  SELECT v.n AS v, c.n AS c FROM v LEFT JOIN by_rowid AS c ON c.k = v."{1}"
), certain AS (
  SELECT v.n AS v, c.n AS c FROM one CROSS JOIN v LEFT JOIN by_rowid AS c
  ON c.n = one.n AND c.k = CASE WHEN bloom_may_match(v."{1}", one.f) THEN v."{1}" END
), possible AS (
  SELECT v.n AS v, c.n AS c FROM v LEFT JOIN by_rowid AS c
  ON c.k = CASE WHEN bloom_may_match(v."{1}", NULL) THEN v."{1}" END
)
SELECT (SELECT count(c) FROM (SELECT * FROM plain EXCEPT SELECT * FROM certain)) > 0,
  (SELECT count(c) FROM (SELECT * FROM possible EXCEPT SELECT * FROM plain)) > 0;
-- {2}
