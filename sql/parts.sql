-- A filter of a table that changes row by row, kept in parts. SQLite reads and
-- writes a BLOB as a whole, so one filter of a million keys (1.25 MB) is
-- unsuited to looking up or adding a single key. If the filter is divided into
-- rows of some 1,000 keys each, both operations touch 2 KB. A filter in parts
-- also lets fewer absent keys through than one filter of all keys can, because
-- each part has the 32 bits of LevelDB's hash to itself.
--
-- Use it where keys are added and removed one by one, and are looked up in
-- batches or in a table that is larger than memory. To insert keys into a table
-- that fits in memory, use a UNIQUE index with INSERT OR IGNORE. A filter in
-- parts does not pay for a join that can build its filter in the statement
-- (join.sql), or where most keys that are looked up are present.
.load dist/bloom

CREATE TABLE page(id INTEGER PRIMARY KEY, url TEXT UNIQUE, title TEXT);
WITH RECURSIVE number(n) AS (
  SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 64000
)
INSERT INTO page
SELECT n, 'https://example.org/' || n, 'Page ' || n FROM number;

-- ---- Keeping the filter: one call makes the parts, triggers that add each new
-- key, and views to query. It returns the name of the view for joins.
SELECT bloom_create_parts('page', 'url');
-- page_url_filter

SELECT count(*) BETWEEN 60 AND 70, max(length(f)) FROM page_url_parts;
-- 1|1876

-- ---- Querying the filter, first in a join.
CREATE TABLE visit(id INTEGER PRIMARY KEY, url TEXT);
WITH RECURSIVE number(n) AS (
  SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 100000
)
INSERT INTO visit
SELECT n, 'https://example.org/' ||
  CASE WHEN n % 100 = 0 THEN n / 2 ELSE 'gone/' || n END
FROM number;

SELECT count(*), count(DISTINCT title)
FROM visit JOIN page ON page.url = visit.url
WHERE bloom_may_match(visit.url, (SELECT filter FROM page_url_filter));
-- 1000|1000

-- A query for one key reads the part of that key and no other. It reads the
-- large table only if the part matches, because the CASE puts the filter before
-- the lookup.
-- since: 3.28
.parameter init
.parameter set :key "'https://example.org/777'"
SELECT title FROM page WHERE page.url = CASE WHEN bloom_may_match(:key,
  (SELECT f FROM page_url_part WHERE part = bloom_part(:key, parts)))
  THEN :key END;
-- Page 777

-- ---- Whichever statement adds a key to the table, the triggers add it to the
-- filter in the same transaction.
INSERT INTO page(url) VALUES ('inserted');
UPDATE page SET url = 'updated' WHERE id = 1;
REPLACE INTO page(id, url) VALUES (2, 'replaced');
INSERT INTO page(id, url) VALUES (3, 'upserted')
ON CONFLICT(id) DO UPDATE SET url = excluded.url;
BEGIN;
INSERT INTO page(url) VALUES ('rolled back');
ROLLBACK;

SELECT column1, bloom_may_match(column1, (SELECT filter FROM page_url_filter))
FROM (VALUES ('inserted'), ('updated'), ('replaced'), ('upserted'),
  ('rolled back'));
-- inserted|1
-- updated|1
-- replaced|1
-- upserted|1
-- rolled back|0

-- ---- Growth: a part has some 1,000 keys, and room for 1,500. Before the parts
-- are full, an INSERT replaces them by twice as many.
WITH RECURSIVE number(n) AS (
  SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 80000
)
INSERT INTO page(url) SELECT 'https://example.net/' || n FROM number;
SELECT count(*) BETWEEN 120 AND 140, max(keys) < 1500 FROM page_url_parts;
-- 1|1

-- ---- Is anything wrong, or is any row of the table not in the filter? Neither is
-- the case.
SELECT problem FROM bloom_check('page', 'url');

-- ---- Tools that rebuild a table drop its triggers. The views detect that and
-- exclude nothing: queries are slow, but no row is lost.
BEGIN;
CREATE TABLE new_page(id INTEGER PRIMARY KEY, url TEXT UNIQUE, title TEXT);
INSERT INTO new_page SELECT * FROM page;
DROP TABLE page;
ALTER TABLE new_page RENAME TO page;
COMMIT;
INSERT INTO page(url) VALUES ('after the migration');
SELECT bloom_may_match('after the migration', filter),
  bloom_may_match('no such page', filter) FROM page_url_filter;
-- 1|1

SELECT problem FROM bloom_check('page', 'url');
-- trigger page_url_parts_insert is missing, so no row is excluded: SELECT bloom_create_parts('page', 'url')
-- the filter lacks 1 of the rows, the first with id ...; it excludes none now, ...: SELECT bloom_create_parts('page', 'url')

SELECT bloom_create_parts('page', 'url');
-- page_url_filter

SELECT bloom_may_match('after the migration', filter),
  bloom_may_match('no such page', filter) FROM page_url_filter;
-- 1|0
