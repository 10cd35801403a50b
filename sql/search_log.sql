-- Which lines of a log have this word? A filter of the words of every 4,096
-- lines says which lines to read, where the word is rare: a request's number,
-- an address, a name. Of 1 million lines, 90 MB, the filters take 1.4 MB and a
-- full-text index (FTS5) 82; a word is found in 5 ms, by LIKE in 154, by FTS5
-- in 0.04 (build/bench/block_bench dist/bloom, after make benches).
--
-- A word that is in every block gains nothing. A part of a word or a pattern is
-- not found at all, nor is a word in other case, unless lower() stands on both
-- sides: these are what a scan or FTS5 is for.
--
--   sqlite3 -cmd '.timer on' -cmd '.parameter set :lines 1000000' \
--     < sql/search_log.sql
.load dist/bloom
.parameter init
INSERT OR IGNORE INTO sqlite_parameters VALUES (':lines', 40000);

-- The log: a time, one of a few hosts, a request and its number, and now and
-- then a quote or a backslash, as logs have them. Rows come at the end; where
-- some change or come late, take the triggers of block_filters.sql.
CREATE TABLE log(
  id INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id >= 0),
  line TEXT
);
WITH RECURSIVE number(n) AS (
  SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < :lines
)
INSERT INTO log
SELECT n, printf('%s web-%d INFO request %08x from 10.0.%d.%d "GET %s" %d ms',
  datetime(1700000000 + n / 10, 'unixepoch'), n % 20, leveldb_hash(n / 3),
  leveldb_hash(n, 1) % 8, leveldb_hash(n, 2) % 256,
  CASE n % 3 WHEN 0 THEN '/shop/cart\checkout' ELSE '/shop/item' END,
  leveldb_hash(n, 3) % 900)
FROM number;

-- A line as a JSON array of its words: json_quote takes care of quotes and
-- backslashes, and blanks become the borders.
SELECT value
FROM json_each('[' || replace(json_quote('a "b\c" d'), ' ', '","') || ']');
-- a
-- "b\c"
-- d

-- The filters of the blocks that are full, and where to look, as in
-- block_filters.sql.
CREATE TABLE block(block INTEGER PRIMARY KEY, f BLOB);
INSERT INTO block
SELECT log.id / 4096, bloom_build(DISTINCT value)
FROM log,
  json_each('[' || replace(json_quote(line), ' ', '","') || ']')
WHERE log.id >= (SELECT coalesce(max(block) + 1, 0) * 4096 FROM block)
  AND log.id < (SELECT max(id) / 4096 * 4096 FROM log)
GROUP BY log.id / 4096;

CREATE VIEW span AS
SELECT block * 4096 AS first, block * 4096 + 4095 AS last, f FROM block
UNION ALL
SELECT coalesce(max(block) + 1, 0) * 4096, 9223372036854775807, NULL
FROM block;

-- The lines with one word. instr() compares as the filter does, byte for byte;
-- the blanks hold it to whole words.
.parameter set :word "(SELECT printf('%08x', leveldb_hash(10000)))"
SELECT log.id
FROM span CROSS JOIN log ON id BETWEEN first AND last
WHERE bloom_may_match(:word, f)
  AND instr(' ' || line || ' ', ' ' || :word || ' ');
-- 30000
-- 30001
-- 30002

-- Quotes and backslashes are parts of their words.
SELECT count(*) = :lines / 3
FROM span CROSS JOIN log ON id BETWEEN first AND last
WHERE bloom_may_match('/shop/cart\checkout"', f)
  AND instr(' ' || line || ' ', ' /shop/cart\checkout" ');
-- 1

-- All of several words: a block must match them all.
SELECT count(*) >= 1
FROM span CROSS JOIN log ON id BETWEEN first AND last
WHERE bloom_may_match(:word, f) AND bloom_may_match('web-0', f)
  AND instr(' ' || line || ' ', ' ' || :word || ' ')
  AND instr(' ' || line || ' ', ' web-0 ');
-- 1

-- How many of the blocks are read: the one with the word, the open one and 1 %
-- of the others for a rare word, all for a common one.
SELECT sum(bloom_may_match(:word, f)) BETWEEN 2 AND 4 + :lines / 4096 / 50
    AS for_a_rare_word,
  sum(bloom_may_match('request', f)) = count(*) AS for_a_common_word
FROM span;
-- 1|1
