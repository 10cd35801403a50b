-- Which lines of a log have this word? A filter of the words of every 4,096
-- lines tells which lines to read if the word is rare, such as a request's
-- number, an address or a name. For 1 million lines, which are 90 MB, the
-- filters take 1.4 MB and a full-text index (FTS5) takes 82 MB. With the filters,
-- a word is found more than twenty times as fast as by LIKE, and FTS5 is more than
-- fifty times as fast again. (Measured in tests/bench/README.md, where words end
-- at spaces.)
--
-- The filters do not help to find a word that is in every block. They cannot
-- find a part of a word or a pattern, nor a word in another case unless lower()
-- is applied on both sides. Use a scan or FTS5 for these.
--
-- A log of your own needs a column `line` that is never NULL, an INTEGER PRIMARY
-- KEY from 0 on that only grows, and the columns step1 to step8 and words, which
-- ALTER TABLE can add. Their SQL is in the file log_table.sql, which this recipe
-- writes into the current folder, and which can be deleted then.
--
--   sqlite3 -cmd '.timer on' -cmd '.parameter set :lines 1000000' \
--     < sql/search_log.sql
-- since: 3.31
.load dist/bloom
.parameter init
INSERT OR IGNORE INTO sqlite_parameters VALUES (':lines', 20000);

-- Words are separated by the ASCII characters that are not letters or digits:
-- `10.0.3.7:` has four words. Both the filters and the queries use the same
-- column, which has the words of its line, with a space for each separator. The
-- following statement writes the SQL of this column, which has a replace() for
-- each separator. It has eight steps, because older versions of SQLite do not
-- parse 65 calls in one expression.
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
  || ' line TEXT NOT NULL' || group_concat(sql, '')
  || ', words TEXT AS ('' '' || step8 || '' ''));'
FROM step;
.read log_table.sql

-- Each line of the log has a time, one of a few hosts, a request and its
-- number. Quotes and backslashes occur as they do in real logs. Rows are
-- appended at the end. If rows change or arrive late, their block must have a row
-- without a filter (f = NULL) until its filter is rebuilt.
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

-- These are the filters of the blocks that are full. They hold words and not
-- the values of a column, so bloom_create_blocks does not serve here.
-- Run this statement from time to time. json_each splits the words.
CREATE TABLE block(block INTEGER PRIMARY KEY, f BLOB);
INSERT INTO block
SELECT log.id / 4096, bloom_build(DISTINCT value)
FROM log, json_each('["' || replace(words, ' ', '","') || '"]')
WHERE log.id >= (SELECT coalesce(max(block) + 1, 0) * 4096 FROM block)
  AND log.id < (SELECT max(id) / 4096 * 4096 FROM log)
GROUP BY log.id / 4096;

-- This view tells where to look: every row is in one of its spans. A block in which
-- each line is NULL would have no word, no filter and no span.
INSERT INTO log(line) VALUES (NULL);
-- Error: NOT NULL constraint failed: log.line

CREATE VIEW span AS
SELECT block * 4096 AS first, block * 4096 + 4095 AS last, f FROM block
UNION ALL
SELECT coalesce(max(block) + 1, 0) * 4096, 9223372036854775807, NULL
FROM block;

-- This query finds the lines with one word. instr() compares byte for byte, as
-- the filter does, and the spaces restrict it to whole words.
.parameter set :word "(SELECT printf('%08x', leveldb_hash(5000)))"
SELECT log.id
FROM span CROSS JOIN log ON id BETWEEN first AND last
WHERE bloom_may_match(:word, f) AND instr(words, ' ' || :word || ' ');
-- 15000
-- 15001
-- 15002

-- To find lines with all of several words, a block must match every one of
-- them. An address is found as its numbers in sequence, whatever surrounds it.
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

-- How many of the blocks are read? For a rare word, the query reads the block
-- with the word, the open block, and 1 % of the others. For a common word, it
-- reads all blocks.
SELECT sum(bloom_may_match(:word, f)) BETWEEN 2 AND 4 + :lines / 4096 / 50
    AS for_a_rare_word,
  sum(bloom_may_match('request', f)) = count(*) AS for_a_common_word
FROM span;
-- 1|1
