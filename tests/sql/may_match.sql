-- bloom_may_match(key, filter): 0 if the key is certainly not in the filter,
-- else 1.
.load dist/bloom
.nullvalue NULL

SELECT bloom_may_match('hello', x'114000414410401006'), bloom_may_match('world', x'114000414410401006'),
  bloom_may_match('x', x'114000414410401006'), bloom_may_match('foo', x'114000414410401006');
-- 1|1|0|0

SELECT typeof(bloom_may_match('hello', x'114000414410401006'));
-- integer

-- The empty filter matches nothing.
SELECT bloom_may_match('hello', bloom_build(NULL)), bloom_may_match('', bloom_build(NULL)),
  bloom_may_match(0, bloom_build(NULL));
-- 0|0|0

-- ---- A NULL key gives NULL; a NULL filter excludes nothing.
SELECT bloom_may_match(NULL, x'114000414410401006'), bloom_may_match(NULL, NULL), bloom_may_match('x', NULL);
-- NULL|NULL|1

SELECT bloom_may_match(NULL, x''), bloom_may_match(NULL, x'00ff'), bloom_may_match(NULL, x'0000');
-- NULL|NULL|NULL

-- ---- Any BLOB gives LevelDB's answer. A filter of less than 2 bytes matches
-- nothing.
SELECT bloom_may_match('x', x''), bloom_may_match('x', x'06'), bloom_may_match('x', x'ff'),
  bloom_may_match('x', zeroblob(0)), bloom_may_match('x', zeroblob(1));
-- 0|0|0|0|0

-- A filter with over 30 probes, an encoding that LevelDB reserves, matches
-- everything; so does one with 0 probes.
SELECT bloom_may_match('x', x'001f'), bloom_may_match('x', x'00ff'), bloom_may_match('x', x'000000000000000080');
-- 1|1|1

SELECT bloom_may_match('x', x'0000'), bloom_may_match('x', zeroblob(9)), bloom_may_match('x', zeroblob(1000000));
-- 1|1|1

-- With 1 to 30 probes the bits decide.
SELECT bloom_may_match('x', x'0001'), bloom_may_match('x', x'ff01'), bloom_may_match('x', x'001e'),
  bloom_may_match('x', x'ff1e');
-- 0|1|0|1

-- ---- Of 10,000 absent keys, as many match as in LevelDB, at most 2 %.
CREATE TABLE number AS
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 19999)
SELECT i FROM n;
CREATE TABLE filter AS SELECT bloom_build(i) AS f FROM number WHERE i < 10000;
SELECT sum(bloom_may_match(i, f)) FROM number, filter WHERE i < 10000;
-- 10000

SELECT sum(bloom_may_match(i, f)) BETWEEN 1 AND 200 FROM number, filter WHERE i >= 10000;
-- 1

-- ---- Other types than BLOB are errors.
-- each: 10 => 10, which is not an open handle (a handle ends with its statement, or when that has opened too many others: store the filter, and open it again)
-- each: 1.5 => 1.5, which is not an open handle (a handle ends with its statement, or when that has opened too many others: store the filter, and open it again)
SELECT bloom_may_match('x', {1});
-- Error: bloom_may_match: filter must be a BLOB or a bloom_open() handle, got {2}

-- An error shows the first 40 characters of a TEXT: characters, not bytes.
-- each: 'a filter' | '' | 'it''s'
-- each: '0123456789012345678901234567890123456789'
-- each: '0123456789012345678901234567890123456789f' => '0123456789012345678901234567890123456789'...
-- each: 'äöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüä'
-- each: 'äöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüä€' => 'äöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüä'...
-- each: replace(hex(zeroblob(500000)), '00', 'ab') => 'abababababababababababababababababababab'...
SELECT bloom_may_match('x', {1});
-- Error: bloom_may_match: filter must be a BLOB or a bloom_open() handle, got TEXT {2} (bind a filter as a BLOB; x'...' is one written in hex, and readfile() reads one from a file)

-- A TEXT that looks like a name is told what to do with it.
-- each: email | customer_email_filter | main.customer | filter.bin | f_1
SELECT bloom_may_match('x', '{1}');
-- Error: bloom_may_match: filter must be a BLOB or a bloom_open() handle, got TEXT '{1}' (a name is no filter: build it, or select it from its view; readfile() reads one from a file)

-- A message is valid UTF-8: other bytes are shown as '?'. Here they are no
-- character, overlong, too short, surrogates, and beyond U+10FFFF.
-- each: ac0001 => ? | c080 => ?? | e282 => ?? | e09fbf => ??? | eda080 => ??? | edbfbf => ??? | f48fbf41 => ???A
-- each: f08fbfbf => ???? | f4908080 => ???? | f5808080 => ???? | ff41 => ?A | 41c1bf => A??
SELECT bloom_may_match('x', CAST(x'{1}' AS TEXT));
-- Error: bloom_may_match: filter must be a BLOB or a bloom_open() handle, got TEXT '{2}' (...

SELECT policy FROM bloom_info(CAST(x'ac41' AS TEXT));
-- Error: ...bloom_info: filter must be a BLOB or a bloom_open() handle, got TEXT '?A' (...

-- The first and the last characters of each length are shown as they are.
-- each: 41 => A | c2a1 => ¡ | dfbf => ߿ | e0a080 => ࠀ | ed9fbf => ퟿ | ee8080 =>  | efbfbf => ￿ | f0908080 => 𐀀 | f3bfbfbf => 󿿿 | f48fbfbf => 􏿿
SELECT bloom_may_match('x', CAST(x'{1}' AS TEXT));
-- Error: bloom_may_match: filter must be a BLOB or a bloom_open() handle, got TEXT '{2}' (...

-- Arguments in the wrong order are an error, unless the key is a BLOB or NULL.
-- each: x'114000414410401006' | NULL
SELECT bloom_may_match({1}, 'hello');
-- Error: bloom_may_match: filter must be a BLOB or a bloom_open() handle, got TEXT 'hello' (...)

SELECT bloom_may_match('x');
-- Error: ...wrong number of arguments to function bloom_may_match()
