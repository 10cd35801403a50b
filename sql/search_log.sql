-- Which lines of a log have this word? A filter of the words of every 4,096
-- lines says which lines to read, where the word is rare: a request's number,
-- an address, a name. Of 1 million lines, 90 MB, the filters take 1.4 MB and a
-- full-text index (FTS5) 82; a word is found in 5 ms, by LIKE in 154, by FTS5
-- in 0.04 (build/bench/block_bench dist/bloom, after make benches; words end at
-- blanks there).
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

-- A word is what stands between characters that are no letters or digits of
-- ASCII: `10.0.3.7:` has four. The same column says so in building and in
-- asking: the words of its line, with a blank for each other character. Its SQL,
-- a replace() for each of them, in eight steps, since older versions of SQLite do
-- not parse 65 in one expression, is written by this statement.
.once log_table.sql
WITH RECURSIVE ascii(n) AS (
  SELECT 1 UNION ALL SELECT n + 1 FROM ascii WHERE n < 127
), step(sql) AS (
  SELECT ', step' || (n / 16 + 1) || ' TEXT AS ('
    || replace(hex(zeroblob(count(*))), '00', 'replace(')
    || CASE n / 16 WHEN 0 THEN 'line' ELSE 'step' || (n / 16) END
    || group_concat(', char(' || n || '), '' '')', '') || ')'
  FROM ascii WHERE char(n) NOT GLOB '[a-zA-Z0-9]' GROUP BY n / 16
)
SELECT 'CREATE TABLE log(id INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id >= 0),'
  || ' line TEXT' || group_concat(sql, '')
  || ', words TEXT AS ('' '' || step8 || '' ''));'
FROM step;
.read log_table.sql

-- The log: a time, one of a few hosts, a request and its number, and now and
-- then a quote or a backslash, as logs have them. Rows come at the end; where
-- some change or come late, their block goes without a filter (f = NULL) until
-- it is built again.
WITH RECURSIVE number(n) AS (
  SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < :lines
)
INSERT INTO log(id, line)
SELECT n, printf('%s web-%d INFO request %08x from 10.0.%d.%d: "GET %s" %d ms',
  datetime(1700000000 + n / 10, 'unixepoch'), n % 20, leveldb_hash(n / 3),
  leveldb_hash(n, 1) % 8, leveldb_hash(n, 2) % 256,
  CASE n % 3 WHEN 0 THEN '/shop/cart\checkout' ELSE '/shop/item' END,
  leveldb_hash(n, 3) % 900)
FROM number;

-- The filters of the blocks that are full. A filter of words is none of a
-- column, so these statements are not bloom_blocks_sql's: run this one now and
-- then. json_each takes the words apart.
CREATE TABLE block(block INTEGER PRIMARY KEY, f BLOB);
INSERT INTO block
SELECT log.id / 4096, bloom_build(DISTINCT value)
FROM log, json_each('["' || replace(words, ' ', '","') || '"]')
WHERE log.id >= (SELECT coalesce(max(block) + 1, 0) * 4096 FROM block)
  AND log.id < (SELECT max(id) / 4096 * 4096 FROM log)
GROUP BY log.id / 4096;

-- Where to look: every row is in one of these spans.
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
WHERE bloom_may_match(:word, f) AND instr(words, ' ' || :word || ' ');
-- 30000
-- 30001
-- 30002

-- All of several words: a block must match them all. An address is its numbers
-- in a row, whatever stands around it.
SELECT count(*) = 1
FROM span CROSS JOIN log ON id BETWEEN first AND last
WHERE bloom_may_match(:word, f) AND bloom_may_match('checkout', f)
  AND instr(words, ' ' || :word || ' ') AND instr(words, ' cart checkout ');
-- 1

SELECT count(*) = (SELECT count(*) FROM log WHERE line LIKE '% 10.0.3.176: %')
  AND count(*) > 0
FROM span CROSS JOIN log ON id BETWEEN first AND last
WHERE bloom_may_match('10', f) AND bloom_may_match('0', f)
  AND bloom_may_match('3', f) AND bloom_may_match('176', f)
  AND instr(words, ' 10 0 3 176 ');
-- 1

-- How many of the blocks are read: the one with the word, the open one and 1 %
-- of the others for a rare word, all for a common one.
SELECT sum(bloom_may_match(:word, f)) BETWEEN 2 AND 4 + :lines / 4096 / 50
    AS for_a_rare_word,
  sum(bloom_may_match('request', f)) = count(*) AS for_a_common_word
FROM span;
-- 1|1
