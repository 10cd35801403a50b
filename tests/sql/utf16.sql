-- A database in UTF-16 gives the same filters, hashes and crcs as one in UTF-8.
-- each: UTF-16le | UTF-16be
.open :memory:
.load dist/bloom
PRAGMA encoding = '{1}';
CREATE TABLE word(w TEXT, utf8 BLOB);
PRAGMA encoding;
-- {1}

INSERT INTO word VALUES ('hello', x'68656c6c6f'), ('world', x'776f726c64'), ('', x''), ('Straße', x'53747261c39f65'),
  ('€', x'e282ac'), ('😀', x'f09f9880') , (char(97, 0, 98), x'610062'), (123, x'313233'), ('日本語', x'e697a5e69cace8aa9e');
SELECT hex(bloom_build(w)) FROM word WHERE w IN ('hello', 'world');
-- 114000414410401006

SELECT count(*), sum(leveldb_hash(w) = leveldb_hash(utf8)), sum(crc32c(w) = crc32c(utf8)),
  sum(crc32c(1, w) = crc32c(1, utf8)),
  sum(bloom_part(w, 64) = bloom_part(utf8, 64)), bloom_build(w) = bloom_build(utf8),
  bloom_build(w, 20, 100) = bloom_build(utf8, 20, 100),
  bloom_build_distinct(w) = bloom_build(utf8), bloom_build_parts(w, 3) = bloom_build_parts(utf8, 3) FROM word;
-- 9|9|9|9|9|1|1|1|1

SELECT sum(bloom_may_match(w, (SELECT bloom_open(bloom_build(utf8, 50)) FROM word))),
  sum(bloom_may_match(utf8, (SELECT bloom_build(w, 50) FROM word))),
  sum(bloom_add(bloom_build, w) = bloom_add(bloom_build, utf8))
FROM word, (SELECT bloom_build(NULL, 10, 100) AS bloom_build);
-- 9|9|9

SELECT hex(bloom_build('hello', '20')) = hex(bloom_build('hello', 20)), bloom_bits_per_key('0.01'),
  bloom_version() LIKE '%.%';
-- 1|10|1

SELECT policy FROM bloom_info(x'0001');
-- leveldb.BuiltinBloomFilter2

SELECT bloom_open('größer');
-- Error: bloom_open: filter must be a BLOB or a bloom_open() handle, got TEXT 'größer' (bind a filter as a BLOB; x'...' is one written in hex, and readfile() reads one from a file)

-- An error shows TEXT up to its first NUL.
SELECT bloom_open(char(97, 0, 98));
-- Error: bloom_open: filter must be a BLOB or a bloom_open() handle, got TEXT 'a' (bind a filter as a BLOB; x'...' is one written in hex, and readfile() reads one from a file)

-- A key of leveldb_read is its UTF-8 bytes. This is a log of one write.
SELECT count(*), max(hex(value)) FROM leveldb_read(x'101184f918000105000000000000000100000001086772c3b6c39f65720131', 'log', 'größer')
WHERE kind = 'entry';
-- 1|31
