-- bloom_add(filter, key): the filter with one more key.
.load dist/bloom
.nullvalue NULL

SELECT hex(bloom_add(bloom_add(bloom_build(NULL), 'hello'), 'world'));
-- 114000414410401006

SELECT typeof(bloom_add(bloom_build(NULL), 1));
-- blob

-- A key that is in the filter already changes nothing.
SELECT hex(bloom_add(x'114000414410401006', 'hello'));
-- 114000414410401006

-- A NULL key gives the filter back; adding to NULL gives NULL.
SELECT hex(bloom_add(x'114000414410401006', NULL)), bloom_add(NULL, 'hello'), bloom_add(NULL, NULL);
-- 114000414410401006|NULL|NULL

-- A filter that a trigger maintains has every key of its table. If it has room for
-- them from the start, it is the one that is built of all of them.
CREATE TABLE item(name);
CREATE TABLE item_filter(f);
INSERT INTO item_filter SELECT bloom_build(NULL, 10, 1000);
CREATE TRIGGER item_added AFTER INSERT ON item BEGIN
  UPDATE item_filter SET f = bloom_add(f, new.name);
END;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
INSERT INTO item SELECT 'item ' || i FROM n;
SELECT sum(bloom_may_match(name, f)), f = (SELECT bloom_build(name) FROM item) FROM item, item_filter;
-- 1000|1

-- A handle stands for its filter here too.
SELECT hex(bloom_add(bloom_open(x'000000000000000006'), 'hello'));
-- 014000010410400006

-- A filter without probes matches everything, also after a key is added.
SELECT hex(bloom_add(zeroblob(3), 'x')), bloom_may_match('y', bloom_add(zeroblob(3), 'x'));
-- 000000|1

-- ---- Values that cannot be added to. (may_match.sql has all that is no filter.)
-- each: x'', 'x' => 0 bytes | x'06', 'x' => 1 byte | x'06', NULL => 1 byte
SELECT bloom_add({1});
-- Error: bloom_add: filter must be at least 2 bytes long, got a BLOB of {2} (bloom_build(NULL, 10, 1000) is an empty filter with room for 1,000 keys)

-- each: x'00000000000000001f', 'x' => 31 | x'00ff', NULL => 255
SELECT bloom_add({1});
-- Error: bloom_add: filter must have at most 30 probes in its last byte, got {2}, an encoding that LevelDB reserves (if these bytes were a filter, they are damaged: build it again)

SELECT bloom_add('hello', x'114000414410401006');
-- Error: bloom_add: filter must be a BLOB or a bloom_open() handle, got TEXT 'hello'...

SELECT bloom_add(x'0001');
-- Error: ...wrong number of arguments to function bloom_add()
