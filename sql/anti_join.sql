-- Which keys of a batch are new? There are two similar jobs, and a filter
-- serves only one of them.
--
-- To insert the new keys into the table, no filter is needed: each new key has
-- to find its place in the index anyway, and there INSERT notices whether it is
-- known. What helps is to insert in the order of the index, so that SQLite
-- reads and writes each page of it once. This is the first statement below. Sort
-- large batches only: the rows of a small one are on different pages in any order.
-- In a DELETE, too, a filter saves only what it takes to find the rows.
--
-- To find the new keys without inserting them (what should be fetched, sent or
-- counted?), most lookups can be left out if most keys are new: a key that does
-- not match a filter of the known ones is certainly new. The form is
--
--     NOT bloom_may_match(k, filter) OR k IN (SELECT k FROM t) IS NOT TRUE
--
-- It returns the rows of NOT EXISTS: a NULL among the known keys does no harm,
-- though NOT IN is never true then, and a row without a key counts as new.
-- Without an index on t.k, do not write NOT EXISTS in its place, for which SQLite
-- would read the whole table once for each row that is looked up. IN reads it once.
--
-- Measured with 300,000 keys in no order and a table of 300,000, under Recipes in
-- tests/bench/README.md: if 5 % of the keys are known, a filter makes finding some
-- three times as fast in memory, and more than four times with a page cache of a
-- tenth of the table. With that cache, sorting makes inserting more than twice as
-- fast. If 80 % are known, a filter gains next to nothing, because it saves no
-- lookup of a known key. In memory, sorting then makes inserting slower.
.load dist/bloom

CREATE TABLE page(url TEXT PRIMARY KEY);
WITH RECURSIVE number(n) AS (
  SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 100000
)
INSERT INTO page SELECT 'https://example.org/page/' || n FROM number;

-- The batch has 20,000 URLs, of which 1,000 are known. One URL occurs twice,
-- and one row has no URL.
CREATE TABLE incoming(url TEXT);
WITH RECURSIVE number(n) AS (
  SELECT 99001 UNION ALL SELECT n + 1 FROM number WHERE n < 119000
)
INSERT INTO incoming SELECT 'https://example.org/page/' || n FROM number;
INSERT INTO incoming VALUES ('https://example.org/page/119000'), (NULL);

-- ---- Inserting the new keys. ORDER BY is all that it takes. (WHERE is needed
-- before ON CONFLICT. OR IGNORE would also leave out rows that another
-- constraint refuses.)
SAVEPOINT ingest;
INSERT INTO page
SELECT url FROM incoming WHERE url IS NOT NULL ORDER BY url
ON CONFLICT(url) DO NOTHING;
SELECT changes() AS new_pages;
-- 19000

ROLLBACK TO ingest;
RELEASE ingest;

-- ---- Finding the new keys.
-- The filter is built in the statement and is probed first. Where it does not
-- match, the lookup is skipped. Where it matches, the table decides, so that a
-- false positive costs a lookup and never a row. (NOT bloom_may_match alone
-- would lose the rows of false positives.)
CREATE TABLE fresh AS
SELECT DISTINCT url FROM incoming
WHERE url IS NOT NULL
  AND (NOT bloom_may_match(url, (SELECT bloom_open(bloom_build(url)) FROM page))
       OR url IN (SELECT url FROM page) IS NOT TRUE);

SELECT count(*) AS new_pages FROM fresh;
-- 19000

-- A query of the table alone gives the same URLs.
SELECT count(*) FROM (
  SELECT url FROM incoming WHERE url IS NOT NULL
  EXCEPT SELECT url FROM page
  EXCEPT SELECT url FROM fresh);
-- 0

-- How many lookups remain? There is one for each of the 1,000 known URLs,
-- and one for each false positive, which are 1 % of the others.
SELECT count(*) BETWEEN 1000 AND 1400 FROM incoming
WHERE bloom_may_match(url, (SELECT bloom_open(bloom_build(url)) FROM page));
-- 1

-- Building the filter reads the whole table of known URLs. If the batch is
-- small or the table is large, store the filter instead. This one has room for
-- the keys of the coming year, not only for today's: 10 bits for each of
-- 500,000 keys, which is 625,001 bytes.
CREATE TABLE filters(name TEXT PRIMARY KEY, f BLOB NOT NULL);
INSERT INTO filters SELECT 'page', bloom_build(url, 10, 500000) FROM page;

CREATE VIEW new_page AS
SELECT url FROM incoming
WHERE url IS NOT NULL
  AND (NOT bloom_may_match(url, (SELECT bloom_open(f) FROM filters
                                 WHERE name = 'page'))
       OR url IN (SELECT url FROM page) IS NOT TRUE);

SELECT url FROM fresh EXCEPT SELECT url FROM new_page;

SELECT url FROM new_page EXCEPT SELECT url FROM fresh;

-- The new pages must be added to the filter as well as to the table. The batch
-- is built into a filter of the same size, which is merged with the stored one.
-- For a single key, bloom_add would do. The row with NULL gives the filter of
-- the batch its capacity even if the batch has no keys. Both changes are one
-- transaction, because a filter that lacks a key of the table would report that
-- key as new.
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

-- Now the same batch has no new pages, and the filter equals one that is built
-- from the whole table.
SELECT count(*) AS new_pages FROM new_page;
-- 0

SELECT f = (SELECT bloom_build(url, 10, 500000) FROM page) FROM filters;
-- 1

-- If an insert does not update the filter, the filter is stale, and a known
-- page is reported as new.
INSERT INTO page VALUES ('https://example.org/');
INSERT INTO incoming VALUES ('https://example.org/');
SELECT url FROM new_page;
-- https://example.org/

UPDATE filters SET f = bloom_add(f, 'https://example.org/') WHERE name = 'page';
SELECT url FROM new_page;

-- Before the first page is added, the filter is empty and matches nothing, so
-- every URL is new. A missing filter excludes nothing, so every URL is looked
-- up. Both give the right answer.
SELECT bloom_may_match('https://example.org/', bloom_build(NULL, 10, 500000)),
  bloom_may_match('https://example.org/', NULL);
-- 0|1

-- ---- Several tables of known keys. One filter of all of them says at once that
-- a key is in none. Only keys that match it are looked up in each table.
CREATE TABLE blocked(url TEXT);
INSERT INTO blocked VALUES ('https://example.org/page/100001'), (NULL);
SELECT count(*) FROM incoming
WHERE NOT bloom_may_match(url, (
        SELECT bloom_open(bloom_build(url))
        FROM (SELECT url FROM page UNION ALL SELECT url FROM blocked)))
  OR url IN (SELECT url FROM page) IS NOT TRUE
    AND url IN (SELECT url FROM blocked) IS NOT TRUE;
-- 1

-- ---- Keys of several columns. For each row that is new, SQLite reads the whole list
-- of (a, b) NOT IN (SELECT ...), because any NULL in it may decide. A CASE does not
-- ask for NULLs, reads no list, and returns what NOT EXISTS does: try it before a
-- filter. (EXCEPT does not read it either, but returns each key once.)
CREATE TABLE stored(site TEXT, path TEXT);
CREATE TABLE fetched(site TEXT, path TEXT);
INSERT INTO stored VALUES ('a', '/'), ('b', '/'), ('b', NULL);
INSERT INTO fetched VALUES ('a', '/'), ('a', '/x'), ('a', '/x'), ('b', NULL);
SELECT site, path FROM fetched
WHERE CASE WHEN (site, path) IN (SELECT site, path FROM stored)
        THEN 0 ELSE 1 END;
-- a|/x
-- a|/x
-- b|

-- When not to use a filter: to insert the keys, as above; where most keys of
-- the batch are known, because each of those is looked up anyway, and the
-- filter has to be built as well; and for a few keys, which the index finds
-- in less time than it takes to read a filter.

-- bloom_compare tries it: are the rows the same, and how many times as fast is the
-- second query? Here, all keys of the batch are known by now, so it does not pay.
SELECT verdict FROM bloom_compare(
  'SELECT url FROM incoming
   WHERE NOT EXISTS (SELECT * FROM page WHERE page.url = incoming.url)',
  'SELECT url FROM incoming
   WHERE NOT bloom_may_match(url, (SELECT bloom_open(bloom_build(url)) FROM page))
     OR url IN (SELECT url FROM page) IS NOT TRUE');
-- the same 1 row...
