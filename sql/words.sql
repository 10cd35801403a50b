-- Real words. The set: Debian's largest list of English words
-- (/usr/share/dict, from the package wamerican-huge). The rows: the first
-- 300,000 words of the licence and copyright texts on this machine. The
-- filtered join must give the plain join's answer, and the words that the list
-- lacks are found as spell checkers did in the days of little memory.
--
-- Most words do match here, so this is no place to save time; join.sql is.
-- skip: /usr/share/dict/american-english-huge
.load dist/bloom

CREATE TABLE english(word TEXT PRIMARY KEY);
.import /usr/share/dict/american-english-huge english

-- One row for each word, a run of letters from A to Z.
CREATE TABLE text(word TEXT);
.import "|cat /usr/share/common-licenses/* /usr/share/doc/*/copyright | LC_ALL=C tr -cs A-Za-z '\\n' | head -n 300000" text

SELECT (SELECT count(*) FROM english) > 300000 AS many_known,
  count(*) > 30000 AS many_words, sum(word = 'WARRANTY') > 10 AS warranties
FROM text;
-- 1|1|1

CREATE TABLE filters(name TEXT PRIMARY KEY, f BLOB NOT NULL);
INSERT INTO filters SELECT 'english', bloom_build(word) FROM english;

-- The list takes 3.5 MB as a file, its filter an eighth of that.
SELECT bytes, false_positive_rate < 0.02 AS few_false_positives
FROM filters, bloom_info(f);
-- 435...|1

-- Every word of the list matches.
SELECT count(*) FROM english
WHERE NOT bloom_may_match(word, (SELECT bloom_open(f) FROM filters
                                 WHERE name = 'english'));
-- 0

-- The plain join: how often does each English word stand in the texts?
CREATE TABLE plain AS
SELECT word, count(*) AS times FROM text JOIN english USING (word)
GROUP BY word;

-- The filtered one.
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

-- The words that the list lacks, looked up only where the filter is in doubt.
CREATE TABLE unknown AS
SELECT DISTINCT word FROM text
WHERE NOT bloom_may_match(word, (SELECT bloom_open(f) FROM filters
                                 WHERE name = 'english'))
   OR NOT EXISTS (SELECT * FROM english WHERE english.word = text.word);

SELECT count(*) > 500 AS unknown_words,
  count(*) = (SELECT count(DISTINCT word) FROM text
              WHERE word NOT IN (SELECT word FROM english)) AS all_of_them
FROM unknown;
-- 1|1

-- What a spell checker without the list would have missed of them: the share
-- that matches the filter all the same, here as small as bloom_info measured
-- above.
SELECT avg(bloom_may_match(word, (SELECT bloom_open(f) FROM filters
                                  WHERE name = 'english'))) < 0.04
FROM unknown;
-- 1
