-- A join of real words. The set is Debian's largest list of English words
-- (/usr/share/dict, from the package wamerican-huge). The rows are the first
-- 300,000 words of the licence and copyright texts on this machine. The
-- filtered join must give the same answer as the plain join. The words that the
-- list lacks are found as spell checkers found them when computers had little
-- memory.
--
-- Most words match here, so a filter does not save time. See join.sql for a
-- join in which it does.
-- skip: /usr/share/dict/american-english-huge
.load dist/bloom

CREATE TABLE english(word TEXT PRIMARY KEY);
.import /usr/share/dict/american-english-huge english

-- Each row is a word, which is a run of letters from A to Z.
CREATE TABLE text(word TEXT);
.import "|cat /usr/share/common-licenses/* /usr/share/doc/*/copyright | LC_ALL=C tr -cs A-Za-z '\\n' | head -n 300000" text

SELECT (SELECT count(*) FROM english) > 300000 AS many_known,
  count(*) > 30000 AS many_words, sum(word = 'WARRANTY') > 10 AS warranties
FROM text;
-- 1|1|1

CREATE TABLE filters(name TEXT PRIMARY KEY, f BLOB NOT NULL);
INSERT INTO filters SELECT 'english', bloom_build(word) FROM english;

-- The list takes 3.5 MB as a file, and its filter takes an eighth of that.
SELECT bytes, false_positive_rate < 0.02 AS few_false_positives
FROM filters, bloom_info(f);
-- 435...|1

-- Every word of the list matches.
SELECT count(*) FROM english
WHERE NOT bloom_may_match(word, (SELECT bloom_open(f) FROM filters
                                 WHERE name = 'english'));
-- 0

-- The plain join counts how often each English word occurs in the texts.
CREATE TABLE plain AS
SELECT word, count(*) AS times FROM text JOIN english USING (word)
GROUP BY word;

-- The filtered join counts the same.
CREATE TABLE filtered AS
SELECT word, count(*) AS times FROM text JOIN english USING (word)
WHERE bloom_may_match(text.word, (SELECT bloom_open(f) FROM filters
                                  WHERE name = 'english'))
GROUP BY word;

SELECT count(*) > 2000 AS words, sum(times) > 30000 AS times FROM filtered;
-- 1|1

SELECT CASE WHEN EXISTS (SELECT * FROM plain EXCEPT SELECT * FROM filtered)
              OR EXISTS (SELECT * FROM filtered EXCEPT SELECT * FROM plain)
            THEN 'the answers differ' ELSE 'the answers are equal' END;
-- the answers are equal

-- These are the words that the list lacks. A word is looked up only if it
-- matches the filter.
CREATE TABLE unknown AS
SELECT DISTINCT word FROM text
WHERE NOT bloom_may_match(word, (SELECT bloom_open(f) FROM filters
                                 WHERE name = 'english'))
   OR word IN (SELECT word FROM english) IS NOT TRUE;

SELECT count(*) > 500 AS unknown_words,
  count(*) = (SELECT count(DISTINCT word) FROM text
              WHERE word NOT IN (SELECT word FROM english)) AS all_of_them
FROM unknown;
-- 1|1

-- How many of these words would a spell checker without the list have missed?
-- The share that matches the filter nevertheless is as small here as bloom_info
-- measured above.
SELECT avg(bloom_may_match(word, (SELECT bloom_open(f) FROM filters
                                  WHERE name = 'english'))) < 0.04
FROM unknown;
-- 1
