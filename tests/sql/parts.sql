-- bloom_part(key, parts) and bloom_open(part, parts, filter): a filter that is
-- kept in parts; each key belongs to one of them. bloom_build_parts(key, parts
-- [, bits_per_key [, capacity]]) makes all of them, and bloom_bytes(filter
-- [, part]) gives back what is open.
.load dist/bloom
.nullvalue NULL

-- ---- bloom_part: leveldb_hash(key, 1) * parts >> 32.
SELECT bloom_part('hello', 1), bloom_part('hello', 64), bloom_part('hello', 1000), bloom_part('hello', 1048576);
-- 0|3|56|59570

-- The same for keys of every type and many numbers of parts; and every part is
-- reached.
CREATE TABLE many(k);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
INSERT INTO many SELECT CASE i % 5 WHEN 0 THEN i WHEN 1 THEN 'key' || i WHEN 2 THEN CAST('key' || i AS BLOB)
  WHEN 3 THEN i + 0.5 ELSE i * 1.0 END FROM n;
INSERT INTO many VALUES (''), (x''), (0), (-1), (0.1), (9223372036854775807), (-9223372036854775808), (1e300),
  (zeroblob(9)), ('Ã©');
SELECT count(*), sum(bloom_part(k, column1) = leveldb_hash(k, 1) * column1 >> 32)
FROM many, (VALUES (1), (2), (3), (7), (64), (1000), (4096), (65537), (1048575), (1048576));
-- 100100|100100

SELECT count(DISTINCT bloom_part(k, 64)), count(DISTINCT bloom_part(k, 1000)) FROM many;
-- 64|1000

-- Values that are equal in SQL belong to one part, such as a number in any
-- form.
SELECT bloom_part(1, 1000) = bloom_part(1.0, 1000), bloom_part(0, 1000) = bloom_part(-0.0, 1000),
  bloom_part('a', 1000) = bloom_part(x'61', 1000);
-- 1|1|1

-- The seed is not the filter's, with which the keys of a part would have fewer
-- different hashes.
SELECT avg(bloom_part(k, 2) = leveldb_hash(k) * 2 >> 32) < 0.75,
  avg(bloom_part(k, 64) = leveldb_hash(k) * 64 >> 32) < 0.1 FROM many;
-- 1|1

SELECT bloom_part(NULL, 64), typeof(bloom_part('a', 64)), bloom_part('hello', 64.0), bloom_part('hello', '64');
-- NULL|integer|3|3

-- A NULL number of parts is an error, even if the key is NULL: no row has a
-- NULL part, so the key would be lost.
-- each: 'a', 0 => 0 | 'a', 1048577 => 1048577 | 'a', -1 => -1 | 'a', 1.5 => 1.5 | 'a', 'many' => TEXT 'many'
-- each: 'a', x'40' => a BLOB of 1 byte | 'a', NULL => NULL | NULL, NULL => NULL
SELECT bloom_part({1});
-- Error: bloom_part: parts must be an integer from 1 to 1048576, got {2}

SELECT bloom_part('a');
-- Error: ...wrong number of arguments to function bloom_part()

-- ---- A filter in 8 parts: every member is found, and few others.
CREATE TABLE member(k TEXT PRIMARY KEY);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 8000)
INSERT INTO member SELECT 'member ' || i FROM n;
CREATE TABLE filter(part INTEGER PRIMARY KEY, f BLOB);
INSERT INTO filter SELECT bloom_part(k, 8), bloom_build(k) FROM member GROUP BY 1;
CREATE TABLE holed AS SELECT part, CASE WHEN part <> 3 THEN f END AS f FROM filter;

-- Seven parts of 1, 4, ... 19 bits a key need more room than the size of the first
-- one suggests.
CREATE TABLE uneven AS SELECT bloom_part(k, 7) AS part, bloom_build(k, 1 + 3 * bloom_part(k, 7)) AS f
FROM member GROUP BY 1;

-- In any order of the rows. part and parts may be integral REALs, or TEXT; a part's
-- filter may be NULL, which excludes none of its own keys, or a handle of one filter.
-- There may be one part.
-- each: part, 8, f => filter | part * 1.0, '8', f => filter | part, 8, bloom_open(f) => filter | part, 8, f => holed
-- each: part, 8, f => (SELECT * FROM filter ORDER BY part DESC) | 0, 1, f => (SELECT bloom_build(k) AS f FROM member)
SELECT count(*) FROM member WHERE bloom_may_match(k, (SELECT bloom_open({1}) FROM {2}));
-- 8000

-- Every answer is that of the key's own part.
-- each: 8 => filter => part | 8 => filter => leveldb_hash(part) | 7 => uneven => part | 7 => uneven => -part
-- each: 7 => uneven => part % 3
SELECT sum(is_member), sum(bloom_may_match(k, f) >= is_member),
  sum(bloom_may_match(k, f) = bloom_may_match(k, (SELECT bloom_open(part, {1}, f)
    FROM (SELECT * FROM {2} ORDER BY {3} LIMIT 8))))
FROM (SELECT k, 1 AS is_member FROM member UNION ALL SELECT 'no ' || k, 0 FROM member)
  JOIN {2} ON part = bloom_part(k, {1});
-- 8000|16000|16000

SELECT count(*) BETWEEN 40 AND 130 FROM member
WHERE bloom_may_match('no ' || k, (SELECT bloom_open(part, 8, f) FROM filter));
-- 1

SELECT typeof(bloom_open(part, 8, f)), bloom_may_match(NULL, bloom_open(part, 8, f)) FROM filter;
-- integer|NULL

-- One key: its part's row is found by its number, not by reading all of them.
EXPLAIN QUERY PLAN SELECT 1 FROM filter WHERE part = bloom_part('member 7', 8) AND bloom_may_match('member 7', f);
-- QUERY PLAN
-- `--SEARCH ...filter USING INTEGER PRIMARY KEY (rowid=?)

UPDATE filter SET f = bloom_add(f, 'one more') WHERE part = bloom_part('one more', 8);
SELECT bloom_may_match('one more', bloom_open(part, 8, f)) FROM filter;
-- 1

-- Where a part's filter is NULL, the other parts still exclude keys.
SELECT bloom_part('no ' || k, 8) = 3 AS of_part_3,
  avg(bloom_may_match('no ' || k, (SELECT bloom_open(part, 8, f) FROM holed))) BETWEEN 0.0 AND 0.05,
  min(bloom_may_match('no ' || k, (SELECT bloom_open(part, 8, f) FROM holed))) FROM member GROUP BY 1;
-- 0|1|0
-- 1|0|1

SELECT min(bloom_may_match('no ' || k, (SELECT bloom_open(part, 8, NULL) FROM filter))) FROM member;
-- 1

-- Parts of every form that a filter may have: some match nothing, some all.
WITH form(part, f) AS (VALUES (0, x''), (1, x'ff'), (2, x'00ff'), (3, x'0000'), (4, zeroblob(0)), (5, zeroblob(9)),
  (6, x'000000000000000006'), (7, NULL))
SELECT group_concat(least), group_concat(most) FROM (
  SELECT min(bloom_may_match(k, (SELECT bloom_open(part, 8, f) FROM form))) AS least,
    max(bloom_may_match(k, (SELECT bloom_open(part, 8, f) FROM form))) AS most
  FROM member GROUP BY bloom_part(k, 8));
-- 0,0,1,1,0,1,0,1|0,0,1,1,0,1,0,1

-- Over no rows: NULL, which excludes nothing.
SELECT bloom_open(part, 8, f), bloom_may_match('x', bloom_open(part, 8, f)) FROM filter WHERE part > 7;
-- NULL|1

-- A filter has at most 2^20 parts.
CREATE TABLE thousand AS
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 1023)
SELECT i FROM n;
WITH n(part) AS (SELECT a.i << 10 | b.i FROM thousand AS a, thousand AS b),
  sparse(part, f) AS (SELECT part, CASE WHEN part = bloom_part('hello', 1048576)
    THEN x'114000414410401006' ELSE x'0006' END FROM n)
SELECT k, bloom_may_match(k, (SELECT bloom_open(part, 1048576, f) FROM sparse))
FROM (SELECT 'hello' AS k UNION ALL SELECT 'world');
-- hello|1
-- world|0

-- Two sets at once, groups, a view.
SELECT count(*) FROM member
WHERE bloom_may_match(k, (SELECT bloom_open(part, 8, f) FROM filter))
  AND bloom_may_match(k, (SELECT bloom_open(part, 8, f) FROM holed));
-- 8000

WITH tenant(odd, part, f) AS (SELECT rowid % 2, bloom_part(k, 4), bloom_build(k) FROM member GROUP BY 1, 2),
  opened(odd, f) AS (SELECT odd, bloom_open(part, 4, f) FROM tenant GROUP BY odd)
SELECT odd, count(*) FROM opened JOIN member ON odd = member.rowid % 2 WHERE bloom_may_match(k, f) GROUP BY odd;
-- 0|4000
-- 1|4000

CREATE VIEW found AS SELECT k FROM member WHERE bloom_may_match(k, (SELECT bloom_open(part, 8, f) FROM filter));
SELECT count(*) FROM found;
-- 8000

-- ---- Rows that would lose keys are errors, which name them.
-- each: 8 => filter WHERE part <> 5 => 5 of 8 is missing (rows: 7): build the filter again, or give NULL as that part
-- each: 8 => filter WHERE part > 1 => 0 of 8 is missing (rows: 6): build the filter again, or give NULL as that part
-- each: 9 => filter => 8 of 9 is missing (rows: 8): build the filter again, or give NULL as that part | 1048576 => filter => 8 of 1048576 is missing (rows: 8): build the filter again, or give NULL as that part
-- each: 8 => (SELECT * FROM filter UNION ALL SELECT * FROM filter WHERE part = 6) => 6 of 8 occurs twice: pass each part in one row
SELECT bloom_open(part, {1}, f) FROM {2};
-- Error: bloom_open: part {3}

-- A part that occurs twice is an error even if both are NULL or empty.
-- each: NULL | x''
SELECT bloom_open(0, 2, column1) FROM (VALUES ({1}), ({1}));
-- Error: bloom_open: part 0 of 2 occurs twice: pass each part in one row

-- Other wrong arguments. The first error is reported, not one of a later row.
-- each: part, 7, f => part must be an integer from 0 to 6, got 7
-- each: part - 1, 8, f => part must be an integer from 0 to 7, got -1
-- each: CASE WHEN part <> 2 THEN part END, 8, f => part must be an integer from 0 to 7, got NULL
-- each: part + 0.5, 8, f => part must be an integer from 0 to 7, got 0.5
-- each: 'first', 8, f => part must be an integer from 0 to 7, got TEXT 'first'
-- each: x'00', 8, f => part must be an integer from 0 to 7, got a BLOB of 1 byte
-- each: 9, 8, 'a filter' => part must be an integer from 0 to 7, got 9
-- each: part, 0, f => parts must be an integer from 1 to 1048576, got 0
-- each: part, CASE WHEN part < 4 THEN 8 END, f => parts must be an integer from 1 to 1048576, got NULL
-- each: part, 8 + part / 4, f => parts must be the same in every row of a group, got 9 after 8
-- each: part, 8, CASE part WHEN 4 THEN 1.5 ELSE f END => filter must be a BLOB or a bloom_open() handle, got 1.5, which is not an open handle (...) (part 4)
SELECT bloom_open({1}) FROM filter;
-- Error: bloom_open: {2}

SELECT bloom_open(part, 8) FROM filter;
-- Error: ...wrong number of arguments to function bloom_open()

-- ---- In a schema that is not trusted: bloom_part is allowed anywhere,
-- bloom_open where a handle has a meaning.
PRAGMA trusted_schema = OFF;

-- since: 3.31
CREATE TABLE generated(k TEXT, part INTEGER AS (bloom_part(k, 64)) STORED, CHECK (bloom_part(k, 64) < 64));
CREATE INDEX generated_part ON generated(bloom_part(k, 8));
INSERT INTO generated VALUES ('hello');
SELECT part FROM generated WHERE bloom_part(k, 8) = bloom_part('hello', 8);
-- 3

SELECT count(*) FROM found;
-- 8000

CREATE TABLE refused(part INTEGER, f BLOB, CHECK (bloom_open(part, 8, f) > 0));
-- Error: ...misuse of aggregate function bloom_open()

-- A statement that fails leaves nothing open, and the next one works.
SELECT bloom_may_match('member 1', bloom_open(part, 8, f)) FROM filter;
-- 1

-- ---- bloom_build_parts: every part is bloom_build of the part's keys, byte for
-- byte, for keys of every type and any number of parts, bits and capacity.
CREATE TABLE size(parts INTEGER, bits INTEGER, capacity INTEGER);
INSERT INTO size VALUES (1, 10, 15000), (2, 1, 1), (7, 100, 1000), (64, 12, 150), (1000, 10, 10), (3000, 44, 3);
CREATE TABLE apart AS
SELECT parts, bits, capacity, bloom_part(k, parts) AS part, bloom_build(k, bits) AS f,
  bloom_build(k, bits, capacity) AS roomy
FROM size, many GROUP BY parts, part;
CREATE TABLE together(parts INTEGER, part INTEGER, f BLOB, roomy BLOB, PRIMARY KEY (parts, part));
WITH RECURSIVE n(part) AS (SELECT 0 UNION ALL SELECT part + 1 FROM n WHERE part < 2999)
INSERT INTO together SELECT parts, part, bloom_bytes(h, part), bloom_bytes(roomy, part) FROM (
  SELECT parts, bloom_build_parts(k, parts, bits) AS h, bloom_build_parts(k, parts, bits, capacity) AS roomy
  FROM size, many GROUP BY parts), n WHERE n.part < parts;
SELECT count(*), sum(a.f = t.f), sum(a.roomy = t.roomy) FROM apart AS a JOIN together AS t USING (parts, part);
-- 3854|3854|3854

-- A part without keys is the empty filter.
SELECT count(*), sum(t.f = (SELECT bloom_build(NULL, 44))), sum(t.roomy = (SELECT bloom_build(NULL, 44, 3)))
FROM together AS t WHERE parts = 3000 AND part NOT IN (SELECT a.part FROM apart AS a WHERE a.parts = 3000);
-- 220|220|220

-- It is a handle, as of the rows: every member is found, even where a part has more
-- keys than its capacity. bits_per_key is 10 by default. The order of the rows does
-- not matter.
-- each: k, 8 | k, 8, 10, 100
SELECT typeof((SELECT bloom_build_parts({1}) FROM member)), count(*) FROM member
WHERE bloom_may_match(k, (SELECT bloom_build_parts({1}) FROM member));
-- integer|8000

SELECT bloom_build_parts(k, 8) = (SELECT bloom_open(part, 8, f)
  FROM (SELECT bloom_part(k, 8) AS part, bloom_build(k) AS f FROM member GROUP BY 1)),
  bloom_build_parts(k, 8) = (SELECT bloom_build_parts(k, 8) FROM (SELECT k FROM member ORDER BY k DESC)) FROM member;
-- 1|1

-- One part is a whole filter, which every function takes.
SELECT bloom_add(bloom_build_parts(k, 1), NULL) = bloom_build(k), bloom_bytes(bloom_build_parts(k, 1)) = bloom_build(k),
  bloom_build_parts(k, 1) = bloom_open(bloom_build(k)) FROM member;
-- 1|1|1

-- At most 2^20 parts.
SELECT bloom_may_match('hello', h), bloom_may_match('world', h), bloom_may_match('x', h), hex(bloom_bytes(h, 59570)),
  hex(bloom_bytes(h, 59571))
FROM (SELECT bloom_build_parts(column1, 1048576, 64) AS h FROM (VALUES ('hello'), ('world')));
-- 1|1|0|...1E|00000000000000001E

-- NULL keys do not count. Only they: all parts are empty, of the size that the
-- arguments say. No row: the empty filter, a BLOB.
SELECT hex(bloom_bytes(h, 0)), hex(bloom_bytes(h, 1)) FROM (
  SELECT bloom_build_parts(column1, 2) AS h FROM (VALUES (NULL), ('hello'), (NULL)));
-- 014000010410400006|000000000000000006

SELECT hex(bloom_bytes(h, 2)), length(bloom_bytes(roomy, 2)), bloom_may_match('x', h), bloom_may_match('x', roomy)
FROM (
  SELECT bloom_build_parts(NULL, 3, 20) AS h, bloom_build_parts(NULL, 3, 10, 1000) AS roomy);
-- 00000000000000000D|1251|0|0

SELECT hex(bloom_build_parts(k, 3, 20)), typeof(bloom_build_parts(k, 3)), hex(bloom_bytes(bloom_build_parts(k, 3))),
  bloom_may_match('x', bloom_build_parts(k, 3))
FROM member WHERE 0;
-- 000000000000000006|blob|000000000000000006|0

-- It works like any other aggregate.
SELECT rowid % 3, bloom_bytes(bloom_build_parts(k, 2), 1) = bloom_build(CASE bloom_part(k, 2) WHEN 1 THEN k END),
  length(bloom_bytes(bloom_build_parts(k, 2 + rowid % 3, 12, 100 + rowid % 3), 1))
FROM member GROUP BY 1;
-- 0|1|151
-- 1|1|153
-- 2|1|154

SELECT count(*) FROM (SELECT bloom_build_parts(k, 2) OVER (ORDER BY k) FROM member);
-- Error: ...bloom_build_parts() may not be used as a window function

-- Its errors.
-- each: NULL => parts must be an integer from 1 to 1048576, got NULL
-- each: rowid => parts must be the same in every row of a group, got 2 after 1
-- each: 2, 0 => bits_per_key must be an integer from 1 to 100 (bits for each key, not in total), got 0
-- each: 2, 9 + rowid => bits_per_key must be the same in every row of a group, got 11 after 10 (a key...
-- each: 2, 10, 0 => capacity must be an integer, 1 or more (a number of keys), got 0
-- each: 2, 10, rowid => capacity must be the same in every row of a group, got 2 after 1
-- each: CASE rowid WHEN 1 THEN 2 ELSE 2.5 END => parts must be an integer from 1 to 1048576, got 2.5
SELECT bloom_build_parts(k, {1}) FROM member;
-- Error: bloom_build_parts: {2}

SELECT bloom_build_parts(NULL, 2.5);
-- Error: bloom_build_parts: parts must be an integer from 1 to 1048576, got 2.5

SELECT bloom_build_parts(k, 2, 10, 100, 1) FROM member;
-- Error: ...wrong number of arguments to function bloom_build_parts()

-- A part that would be too long is an error before the filter is built; without
-- capacity, as soon as some part must have too many keys, below before the
-- 8,000th key, which is an error of its own.
SELECT bloom_build_parts(k, 2, 10, 4000000000) FROM member;
-- Error: bloom_build_parts: the filter of 4000000000 keys at 10 bits for each takes at least 5000000001 bytes, and this connection's limit is 1000000000 (SQLITE_LIMIT_LENGTH): keep the keys in parts, or in more of them

.limit length 1000

SELECT length(bloom_bytes(bloom_build_parts(k, 1), 0)) FROM member WHERE rowid <= 799;
-- 1000

-- One part of 64 is too long, though the average one is not.
-- each: k, 1 => 800 => 800 keys at 10 => 1001 | 'hello', 64, 100 => 80 => 80 keys at 100 => 1001
-- each: CASE WHEN rowid < 8000 THEN k ELSE abs(rowid * 0 - 9223372036854775807 - 1) END, 3 => 8000 => ... keys at 10 => ...
SELECT bloom_build_parts({1}) FROM member WHERE rowid <= {2};
-- Error: bloom_build_parts: the filter of {3} bits for each takes at least {4} bytes, and this connection's limit is 1000 (SQLITE_LIMIT_LENGTH): keep the keys in parts, or in more of them

.limit length 1000000000

-- ---- bloom_bytes: the inverse of bloom_open.
SELECT sum(bloom_bytes((SELECT bloom_open(part, 8, f) FROM filter), part) = f), sum(bloom_bytes(bloom_open(f)) = f),
  sum(bloom_bytes(f) = f),
  sum(bloom_bytes(f, 0) = f), sum(typeof(bloom_bytes(bloom_open(f), 0)) = 'blob') FROM filter;
-- 8|8|8|8|8

SELECT bloom_open(part, 8, bloom_bytes(h, part)) = h FROM filter, (SELECT bloom_open(part, 8, f) AS h FROM filter);
-- 1

-- A part whose filter was NULL is one that matches everything.
SELECT hex(bloom_bytes(h, 3)), bloom_may_match('x', bloom_bytes(h, 3))
FROM (SELECT bloom_open(part, 8, f) AS h FROM holed);
-- 0000|1

SELECT hex(bloom_bytes(bloom_open(x''))), hex(bloom_bytes(x'')), typeof(bloom_bytes(x'')),
  hex(bloom_bytes(bloom_open(x'ff'), '0')), hex(bloom_bytes(zeroblob(3), 0.0));
-- ||blob|FF|000000

-- NULL stands for any filter: it has any part.
SELECT bloom_bytes(NULL), bloom_bytes(NULL, 0), bloom_bytes(NULL, 1048575),
  bloom_bytes((SELECT bloom_open(part, 8, f) FROM filter WHERE 0), 3);
-- NULL|NULL|NULL|NULL

-- each: NULL, 1048576 => 1048575 => 1048576 | NULL, NULL => 1048575 => NULL | x'0006', 1 => 0 => 1
-- each: bloom_open(x'0006'), 1 => 0 => 1 | (SELECT bloom_open(part, 8, f) FROM filter), 8 => 7 => 8
-- each: (SELECT bloom_open(part, 8, f) FROM filter), -1 => 7 => -1 | (SELECT bloom_open(part, 8, f) FROM filter), NULL => 7 => NULL
SELECT bloom_bytes({1});
-- Error: bloom_bytes: part must be an integer from 0 to {2}, got {3}

-- each: 1 | 1, 0
SELECT bloom_bytes({1});
-- Error: bloom_bytes: filter must be a BLOB or a bloom_open() handle, got 1, which is not an open handle ...

SELECT bloom_bytes();
-- Error: ...wrong number of arguments to function bloom_bytes()
