-- bloom_build: LevelDB's own bytes.
.load dist/bloom

SELECT hex(bloom_build(value, 10)) FROM json_each('["hello","world"]');
-- 114000414410401006

SELECT bloom_build(1, 1000);
-- Error: bloom_build: bits_per_key must be an integer from 1 to 100 (bits for each key, not in total), got 1000
