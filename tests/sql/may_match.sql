-- bloom_may_match(key, filter): 0 if the key is certainly not in the filter,
-- else 1.
.load dist/bloom
.nullvalue NULL

SELECT bloom_may_match('hello', x'114000414410401006'), bloom_may_match('world', x'114000414410401006'),
  bloom_may_match('x', x'114000414410401006'), bloom_may_match('foo', x'114000414410401006');
-- 1|1|0|0

SELECT typeof(bloom_may_match('hello', x'114000414410401006'));
-- integer

-- ---- A NULL key gives NULL; a NULL filter excludes nothing.
SELECT bloom_may_match(NULL, x'114000414410401006'), bloom_may_match(NULL, x''), bloom_may_match(NULL, x'00ff'),
  bloom_may_match(NULL, x'0000'), bloom_may_match(NULL, NULL), bloom_may_match('x', NULL);
-- NULL|NULL|NULL|NULL|NULL|1

-- ---- Any BLOB gives LevelDB's answer. The empty filter, and one of less than 2
-- bytes, match nothing. One with over 30 probes, an encoding that LevelDB reserves,
-- matches everything; so does one with 0 probes. With 1 to 30 probes the bits decide.
-- each: bloom_build(NULL) => 0 | x'' => 0 | x'06' => 0 | x'ff' => 0 | zeroblob(0) => 0 | zeroblob(1) => 0
-- each: x'001f' => 1 | x'00ff' => 1 | x'000000000000000080' => 1 | x'0000' => 1 | zeroblob(9) => 1 | zeroblob(1000000) => 1
-- each: x'0001' => 0 | x'ff01' => 1 | x'001e' => 0 | x'ff1e' => 1
SELECT bloom_may_match('x', {1});
-- {2}

-- ---- Other types than BLOB are errors.
-- each: 10 => 10, which is not an open handle (a handle ends with its statement, or when the statement has opened too many others: store the filter, and open it again)
-- each: 1.5 => 1.5, which is not an open handle (a handle ends with its statement, or when the statement has opened too many others: store the filter, and open it again)
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
