-- Which keys of a batch are new? Of what a crawler brings home, most is not
-- known yet, but every URL is looked up to learn so. A filter of the known
-- URLs answers most of these lookups: what it does not match is new for
-- certain.
--
-- Worth it where most keys of a batch are new and the table is large or cold.
.load dist/bloom

CREATE TABLE page(url TEXT PRIMARY KEY);
WITH RECURSIVE number(n) AS (
  SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 100000
)
INSERT INTO page SELECT 'https://example.org/page/' || n FROM number;

-- A batch of 20,000, of which 1,000 are known; one comes twice, one has no
-- URL.
CREATE TABLE incoming(url TEXT);
WITH RECURSIVE number(n) AS (
  SELECT 99001 UNION ALL SELECT n + 1 FROM number WHERE n < 119000
)
INSERT INTO incoming SELECT 'https://example.org/page/' || n FROM number;
INSERT INTO incoming VALUES ('https://example.org/page/119000'), (NULL);

-- The new ones. The filter, built in the statement, comes first: where it says
-- no, the lookup is left out. Where it says yes, the table has the last word,
-- so that a false positive costs a lookup and never a row. (NOT
-- bloom_may_match alone would lose those rows.)
CREATE TABLE fresh AS
SELECT DISTINCT url FROM incoming
WHERE url IS NOT NULL
  AND (NOT bloom_may_match(url, (SELECT bloom_open(bloom_build(url)) FROM page))
       OR NOT EXISTS (SELECT * FROM page WHERE page.url = incoming.url));

SELECT count(*) AS new_pages FROM fresh;
-- 19000

-- That is what the table alone would have said.
SELECT count(*) FROM (
  SELECT url FROM incoming WHERE url IS NOT NULL
  EXCEPT SELECT url FROM page
  EXCEPT SELECT url FROM fresh);
-- 0

-- How many lookups were left? The 1,000 known ones, and 1 % of the others as
-- false positives.
SELECT count(*) BETWEEN 1000 AND 1400 FROM incoming
WHERE bloom_may_match(url, (SELECT bloom_open(bloom_build(url)) FROM page));
-- 1

-- Building the filter reads the whole table of known URLs: for a small batch,
-- or a large table, store it. It has room for the keys of a year to come, not
-- only for today's: 10 bits for each of 500,000 keys, 625,001 bytes.
CREATE TABLE filters(name TEXT PRIMARY KEY, f BLOB NOT NULL);
INSERT INTO filters SELECT 'page', bloom_build(url, 10, 500000) FROM page;

CREATE VIEW new_page AS
SELECT url FROM incoming
WHERE url IS NOT NULL
  AND (NOT bloom_may_match(url, (SELECT bloom_open(f) FROM filters
                                 WHERE name = 'page'))
       OR NOT EXISTS (SELECT * FROM page WHERE page.url = incoming.url));

SELECT url FROM fresh EXCEPT SELECT url FROM new_page;

SELECT url FROM new_page EXCEPT SELECT url FROM fresh;

-- Its upkeep: take the new pages in. A batch becomes a filter of the same
-- size, which is merged with the stored one; bloom_add would do for a single
-- key. The NULL gives the batch its capacity even where it has no keys. Both
-- changes are one transaction: a filter that lacks a key of the table would
-- call that key new.
BEGIN;
INSERT INTO page SELECT url FROM fresh;
UPDATE filters SET f = (
  SELECT bloom_merge(part) FROM (
    SELECT filters.f AS part
    UNION ALL
    SELECT bloom_build(url, 10, 500000)
    FROM (SELECT url FROM fresh UNION ALL SELECT NULL)))
WHERE name = 'page';
COMMIT;

-- Now the same batch brings nothing new, and the filter is the one that a
-- build over the whole table gives.
SELECT count(*) AS new_pages FROM new_page;
-- 0

SELECT f = (SELECT bloom_build(url, 10, 500000) FROM page) FROM filters;
-- 1

-- Left out of one insert, the filter is stale: a known page is called new.
INSERT INTO page VALUES ('https://example.org/');
INSERT INTO incoming VALUES ('https://example.org/');
SELECT url FROM new_page;
-- https://example.org/

UPDATE filters SET f = bloom_add(f, 'https://example.org/') WHERE name = 'page';
SELECT url FROM new_page;

-- Before the first page there is an empty filter, which matches nothing: all
-- is new. A missing filter excludes nothing: all is looked up. Both are right.
SELECT bloom_may_match('https://example.org/', bloom_build(NULL, 10, 500000)),
  bloom_may_match('https://example.org/', NULL);
-- 0|1
