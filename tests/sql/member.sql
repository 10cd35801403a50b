-- A filter never loses a row: if a key is in the set according to SQLite's own
-- =, bloom_may_match is 1. This is tested with thousands of keys of every type,
-- in columns of every affinity.
.load dist/bloom
.nullvalue NULL

CREATE TABLE raw(v);
CREATE TABLE n AS
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99)
SELECT i FROM n;

-- 2^i and 2^-i, up to the last i that a REAL can have; the last ones are subnormal.
CREATE TABLE power AS
WITH RECURSIVE power(i, up, down) AS (SELECT 0, 1.0, 1.0 UNION ALL
  SELECT i + 1, up * 2, down / 2 FROM power WHERE i < 1074)
SELECT * FROM power;

-- INTEGERs: small ones, random ones of every length, ones next to powers of 2,
-- and the extremes.
INSERT INTO raw SELECT i - 50 FROM n;
INSERT INTO raw SELECT random() >> (i % 64) FROM n;
INSERT INTO raw SELECT (1 << i) + column1 FROM n, (VALUES (-1), (0), (1)) WHERE i < 63;
INSERT INTO raw VALUES (9223372036854775807), (9223372036854775806), (-9223372036854775808), (-9223372036854775807);

-- REALs: integral ones, among them every second INTEGER above; halves; random;
-- all powers of 2 from 2^-80 to 2^80, and every third from 2^-1074 to 2^1023; some
-- neighbours of theirs; -0.0; infinities.
INSERT INTO raw SELECT v * 1.0 FROM raw WHERE rowid % 2;
INSERT INTO raw SELECT i - 49.5 FROM n;
INSERT INTO raw SELECT random() / 1e3 FROM n;
INSERT INTO raw SELECT random() * 1e10 FROM n;
INSERT INTO raw SELECT up FROM power WHERE i <= 80 OR i % 3 = 0 AND i < 1024;
INSERT INTO raw SELECT -up FROM power WHERE i BETWEEN 50 AND 70;
INSERT INTO raw SELECT up * (1 + p.down) FROM power, (SELECT down FROM power WHERE i = 52) AS p
WHERE i BETWEEN 40 AND 70;
INSERT INTO raw SELECT down FROM power WHERE i <= 80 OR i % 3 = 0;
INSERT INTO raw VALUES (-0.0), (0.0), (9e999), (-9e999), (9223372036854774784.0), (-9223372036854775808.0), (1e15),
  (1e16);

-- TEXT: numbers as text in many forms, words of several scripts, NULs within.
INSERT INTO raw SELECT CAST(v AS TEXT) FROM raw WHERE rowid % 3 = 0;
INSERT INTO raw SELECT '0' || i FROM n;
INSERT INTO raw SELECT i || '.0' FROM n;
INSERT INTO raw SELECT ' ' || i || ' ' FROM n;
INSERT INTO raw SELECT printf('%e', i) FROM n;
INSERT INTO raw SELECT printf('0x%x', i) FROM n;
INSERT INTO raw SELECT 'SKU-' || i || substr('abcdefghijklmnopqrstuvwxyz', i % 26, i % 7) FROM n;
INSERT INTO raw SELECT char(65 + i % 60, 200 + i, 0x4e00 + i * 7, 0x1f600 + i) FROM n;
INSERT INTO raw SELECT i || char(0) || i FROM n;
INSERT INTO raw VALUES (''), (' '), (char(0)), ('-0'), ('+1'), ('1e3'), ('9223372036854775808'), ('9007199254740993'),
  ('9007199254740993.0'), ('inf'), ('nan'), ('NULL'), ('é'), ('é'), (CAST(x'ff80' AS TEXT));

-- BLOBs: bytes that are text, and others.
INSERT INTO raw SELECT CAST(v AS BLOB) FROM raw WHERE typeof(v) = 'text' AND rowid % 3 = 0;
INSERT INTO raw SELECT randomblob(i % 50 + 1) FROM n;
INSERT INTO raw VALUES (x''), (x'00'), (zeroblob(20)), (x'000000000000F03F');

SELECT typeof(v), count(*) > 300 FROM raw GROUP BY 1 ORDER BY 1;
-- blob|1
-- integer|1
-- real|1
-- text|1

-- Each key in a column of each affinity.
CREATE TABLE key(t TEXT, n NUMERIC, i INTEGER, r REAL, b BLOB, x);
INSERT INTO key SELECT v, v, v, v, v, v FROM raw;

-- All pairs that are equal in SQLite, within each class of affinities. Up to
-- 3.28 at least, SQLite rounds an INTEGER before it looks it up in an index of
-- REALs, and so finds REALs that its own = does not hold equal. The unary +
-- lets it compare the values themselves.
CREATE TABLE pair(from_column, into_column, a, b);

-- each: t => t | n => n | n => i | i => n | i => i | r => n | r => i | r => r | b => b | b => x | x => b | x => x
INSERT INTO pair SELECT '{1}', '{2}', p.{1}, q.{2} FROM key AS p JOIN key AS q ON p.{1} = q.{2};

-- each: n | i
INSERT INTO pair SELECT '{1}', 'r', p.{1}, q.r FROM key AS p JOIN key AS q ON p.{1} = q.r AND +p.{1} = +q.r;

SELECT from_column, into_column, count(*) > 4000 FROM pair GROUP BY 1, 2 ORDER BY 1, 2;
-- b|b|1
-- b|x|1
-- i|i|1
-- i|n|1
-- i|r|1
-- n|i|1
-- n|n|1
-- n|r|1
-- r|i|1
-- r|n|1
-- r|r|1
-- t|t|1
-- x|b|1
-- x|x|1

-- Among them are hundreds of pairs of two types.
SELECT typeof(a), typeof(b), count(*) > 300 FROM pair WHERE typeof(a) <> typeof(b) GROUP BY 1, 2;
-- integer|real|1
-- real|integer|1

-- ---- The filter of b alone matches a. It is so large that no false positive
-- is expected. The list of keys that are lost is empty.
CREATE TABLE empty(f);
INSERT INTO empty VALUES (CAST(zeroblob(99) || x'1e' AS BLOB));
SELECT from_column, into_column, quote(a), quote(b) FROM pair, empty WHERE bloom_may_match(a, bloom_add(f, b)) IS NOT 1;

-- That is not because filters match everything: none of the other keys matches.
SELECT count(*) > 50000, count(*) - sum(bloom_may_match(p.a, bloom_add(f, q.b))) > 50000
FROM pair AS p, pair AS q, empty WHERE q.rowid = p.rowid + 2000 AND p.a <> q.b;
-- 1|1

-- ---- The filter of the whole column of b, made in every way.
CREATE TABLE filter(how, into_column, f);
CREATE TABLE member(number, into_column, k);

-- each: t | n | i | r | b | x
INSERT INTO member SELECT rowid, '{1}', {1} FROM key;

SELECT count(*) = (SELECT count(*) FROM raw) * 6, count(DISTINCT typeof(k)) FROM member;
-- 1|4

-- Built; at 1 and at 100 bits; with a capacity, also one that is too small.

-- each: built => k | 1 bit => k, 1 | 100 bits => k, 100 | capacity => k, 10, 10000 | small capacity => k, 10, 2500
INSERT INTO filter SELECT '{1}', into_column, bloom_build({2}) FROM member GROUP BY 2;

-- Merged from shards of one capacity.
INSERT INTO filter SELECT 'merged', into_column, bloom_merge(f) FROM (
  SELECT into_column, bloom_build(k, 12, 10000) AS f FROM member GROUP BY into_column, number % 7) GROUP BY 2;

-- Some keys added one at a time, and the others merged.
INSERT INTO filter SELECT 'added', into_column, bloom_build(k, 16, 10000) FROM member WHERE number > 500 GROUP BY 2;
CREATE TABLE added AS
WITH RECURSIVE adding(number, into_column, f) AS (
  SELECT 0, into_column, f FROM filter WHERE how = 'added'
  UNION ALL SELECT m.number, m.into_column, bloom_add(f, m.k)
  FROM adding AS a JOIN member AS m ON m.into_column = a.into_column AND m.number = a.number + 1
  WHERE a.number < 500)
SELECT into_column, f FROM adding WHERE number = 500;
UPDATE filter SET f = (SELECT added.f FROM added WHERE added.into_column = filter.into_column) WHERE how = 'added';

-- Sent to another database and back.
ATTACH ':memory:' AS elsewhere;
CREATE TABLE elsewhere.sent AS SELECT into_column, f FROM filter WHERE how = 'built';
INSERT INTO filter SELECT 'sent', * FROM elsewhere.sent;

SELECT how, count(*), sum(bytes) > 10000 FROM filter, bloom_info(f) GROUP BY 1 ORDER BY 1;
-- 1 bit|6|0
-- 100 bits|6|1
-- added|6|1
-- built|6|1
-- capacity|6|1
-- merged|6|1
-- sent|6|1
-- small capacity|6|1

-- Each key is probed once, as each type that it has in a pair.
CREATE TABLE probe AS SELECT into_column, a FROM pair GROUP BY into_column, typeof(a), a;
INSERT INTO probe SELECT into_column, a FROM pair WHERE a = 0;
SELECT count(*) > 20000 FROM probe;
-- 1

SELECT how, into_column, quote(a) FROM filter CROSS JOIN probe USING (into_column) WHERE bloom_may_match(a, f) IS NOT 1;

-- Keys added one by one give the filter that is built.
SELECT count(*), sum(a.f = (SELECT bloom_build(k, 16, 10000) FROM member WHERE member.into_column = a.into_column))
FROM added AS a;
-- 6|6

-- A join with the filter and without.
SELECT (SELECT count(*) FROM key AS p JOIN key AS q ON p.x = q.b)
  = (SELECT count(*) FROM key AS p JOIN key AS q ON p.x = q.b
  WHERE bloom_may_match(p.x, (SELECT bloom_open(bloom_build(b)) FROM key)));
-- 1

-- ---- What a function cannot detect, 1: a collation other than BINARY. NOCASE
-- needs lower(), and RTRIM needs rtrim(), in the build and in the probe. (There
-- are no random bytes here, because NOCASE holds two texts of the same length
-- equal if they are equal up to a NUL, and because, up to 3.26 at least, RTRIM
-- does not order texts with characters below the space, so that an index finds
-- texts that are not equal.)
CREATE TABLE name(c TEXT COLLATE NOCASE, s TEXT COLLATE RTRIM);
INSERT INTO name SELECT CASE rowid % 3 WHEN 0 THEN upper(t) WHEN 1 THEN lower(t) ELSE t END,
  t || substr('     ', 1, rowid % 4) FROM key WHERE typeof(t) = 'text';
INSERT INTO name SELECT t, t FROM key WHERE typeof(t) = 'text';
SELECT count(*) > 10000, sum(NOT bloom_may_match(p.c, bloom_add(f, q.c))) > 300,
  sum(NOT bloom_may_match(lower(p.c), bloom_add(f, lower(q.c)))) FROM name AS p JOIN name AS q ON p.c = q.c, empty;
-- 1|1|0

SELECT count(*) > 10000, sum(NOT bloom_may_match(p.s, bloom_add(f, q.s))) > 300,
  sum(NOT bloom_may_match(rtrim(p.s), bloom_add(f, rtrim(q.s)))) FROM name AS p JOIN name AS q ON p.s = q.s
  AND +p.s = +q.s, empty;
-- 1|1|0

-- 2: TEXT compared with numbers. Plain decimal text needs no CAST.
SELECT count(*) > 300, sum(NOT bloom_may_match(p.t, bloom_add(f, q.i))),
  sum(NOT bloom_may_match(q.i, bloom_add(f, p.t)))
FROM key AS p JOIN key AS q ON p.t = q.i, empty WHERE typeof(q.i) = 'integer' AND p.t = CAST(q.i AS TEXT);
-- 1|0|0

-- Other text ('01', '1.0', '1e3') needs CAST(x AS NUMERIC) on both sides, in
-- the build and in the probe; CAST AS INTEGER and AS TEXT lose some keys. (Up
-- to 3.28 at least, this CAST does not round numbers beyond 2^53 as columns
-- do.)
SELECT count(*) > 1000, sum(NOT bloom_may_match(p.t, bloom_add(f, q.n))) > 300,
  sum(NOT bloom_may_match(CAST(p.t AS NUMERIC), bloom_add(f, CAST(q.n AS NUMERIC)))),
  sum(NOT bloom_may_match(CAST(q.n AS NUMERIC), bloom_add(f, CAST(p.t AS NUMERIC)))),
  sum(NOT bloom_may_match(CAST(p.t AS INTEGER), bloom_add(f, CAST(q.n AS INTEGER)))) > 300,
  sum(NOT bloom_may_match(CAST(p.t AS TEXT), bloom_add(f, CAST(q.n AS TEXT)))) > 300
FROM key AS p JOIN key AS q ON p.t = q.n, empty
WHERE sqlite_version() >= '3.30' OR q.n BETWEEN -9007199254740991 AND 9007199254740991;
-- 1|1|0|0|1|1

-- each: t => i | x => r
SELECT count(*) > 1000, sum(NOT bloom_may_match(CAST(p.{1} AS NUMERIC), bloom_add(f, CAST(q.{2} AS NUMERIC)))),
  sum(NOT bloom_may_match(CAST(q.{2} AS NUMERIC), bloom_add(f, CAST(p.{1} AS NUMERIC))))
FROM key AS p JOIN key AS q ON p.{1} = q.{2}, empty
WHERE sqlite_version() >= '3.30' OR q.{2} BETWEEN -9007199254740991 AND 9007199254740991;
-- 1|0|0

-- A second CAST, AS REAL around the first, works there, and also for an INTEGER
-- that is looked up in an index of REALs.
CREATE TABLE compared(a, b);

-- each: t => n | t => i | x => r | i => r
INSERT INTO compared SELECT p.{1}, q.{2} FROM key AS p JOIN key AS q ON p.{1} = q.{2};

SELECT count(*) > 10000, sum(NOT bloom_may_match(CAST(CAST(a AS NUMERIC) AS REAL),
  bloom_add(f, CAST(CAST(b AS NUMERIC) AS REAL)))),
  sum(NOT bloom_may_match(CAST(CAST(b AS NUMERIC) AS REAL), bloom_add(f, CAST(CAST(a AS NUMERIC) AS REAL))))
FROM compared, empty;
-- 1|0|0

-- 3: SQLite compares a TEXT column with a number that is not a column, such as
-- a parameter, as text: '1.0' = 1.0. Clients without integers bind numbers so.
-- SQLite writes a REAL with 15 digits (3.52 with 17), infinity as Inf. A REAL
-- of more digits equals a text that is another number: here both sides need
-- CAST(x AS TEXT), which is what SQLite compares.
-- each: 0.1 + 0.2 => ... | 9e999 => 0
SELECT t = {1}, bloom_may_match(CAST({1} AS NUMERIC), bloom_add(f, CAST(t AS NUMERIC))),
  bloom_may_match(CAST({1} AS TEXT), bloom_add(f, CAST(t AS TEXT)))
FROM (SELECT CAST({1} AS TEXT) AS t), empty;
-- 1|{2}|1

CREATE INDEX key_of_text ON key(t);
SELECT count(*) > 1000, sum(NOT bloom_may_match(+p.x, bloom_add(f, q.t))) > 300,
  sum(NOT bloom_may_match(CAST(p.x AS TEXT), bloom_add(f, CAST(q.t AS TEXT)))),
  sum(NOT bloom_may_match(CAST(q.t AS TEXT), bloom_add(f, CAST(p.x AS TEXT))))
FROM key AS p JOIN key AS q ON q.t = +p.x, empty;
-- 1|1|0|0

-- AS NUMERIC loses no integer of up to 15 digits, bound as INTEGER or REAL.
SELECT count(*) > 300, sum(NOT bloom_may_match(CAST(p.r AS NUMERIC), bloom_add(f, CAST(q.t AS NUMERIC)))),
  sum(NOT bloom_may_match(CAST(q.t AS NUMERIC), bloom_add(f, CAST(p.r AS NUMERIC))))
FROM key AS p JOIN key AS q ON q.t = +p.r, empty WHERE abs(p.r) < 1e15 AND p.r = CAST(p.r AS INTEGER);
-- 1|0|0

-- 4: For NOCASE, lower() works for ordinary TEXT, but not for text with a NUL,
-- because NOCASE ignores what follows the NUL, nor for numbers.
CREATE TABLE label(c COLLATE NOCASE);
INSERT INTO label VALUES (char(97, 0, 98)), (char(65, 0, 99)), (1), (1.0);
SELECT count(*), sum(NOT bloom_may_match(lower(p.c), bloom_add(f, lower(q.c)))) FROM label AS p
  JOIN label AS q ON p.c = q.c AND p.rowid <> q.rowid, empty;
-- 4|4

-- This works for these as well:
SELECT count(*), sum(NOT bloom_may_match(CASE typeof(p.c) WHEN 'text'
    THEN lower(substr(p.c, 1, instr(p.c || char(0), char(0)))) ELSE p.c END,
  bloom_add(f, CASE typeof(q.c) WHEN 'text' THEN lower(substr(q.c, 1, instr(q.c || char(0), char(0)))) ELSE q.c END)))
FROM label AS p JOIN label AS q ON p.c = q.c, empty;
-- 8|0
