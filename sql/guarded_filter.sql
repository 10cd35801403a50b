-- A stored filter guarded by its own checksum. A filter with a bit that fell
-- to 0 would lose rows, and nothing in its bytes would tell. So its crc32c
-- stands beside it, and a filter that does not fit it is left out of the
-- query: no filter excludes nothing, and the answer stays right, only slower.
.load dist/bloom

CREATE TABLE member(email TEXT PRIMARY KEY);
WITH RECURSIVE number(n) AS (
  SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 1000
)
INSERT INTO member SELECT 'member' || n || '@example.org' FROM number;

-- The checksum is that of the filter as it was built, before it is stored,
-- sent or restored.
CREATE TABLE filters(name TEXT PRIMARY KEY, f BLOB, checksum INTEGER);
INSERT INTO filters
SELECT 'member', f, crc32c(f) FROM (SELECT bloom_build(email) AS f FROM member);

-- Queries take their filters from this view: NULL where the checksum is wrong.
CREATE VIEW sound_filter AS
SELECT name, CASE WHEN checksum = crc32c(f) THEN f END AS f FROM filters;

-- The subquery is computed once, so the checksum too is computed once a query.
SELECT count(*) FROM member
WHERE bloom_may_match(email, (SELECT bloom_open(f) FROM sound_filter
                              WHERE name = 'member'));
-- 1000

-- A stranger is looked up only by chance.
SELECT bloom_may_match('eve@example.com',
        (SELECT bloom_open(f) FROM sound_filter WHERE name = 'member'));
-- 0

-- Damage: bytes 101 to 120 of the filter become zeros.
UPDATE filters
SET f = CAST(substr(f, 1, 100) || zeroblob(20) || substr(f, 121) AS BLOB);

-- Taken as it is, the damaged filter loses members.
SELECT count(*) < 1000 AS rows_are_lost FROM member
WHERE bloom_may_match(email, (SELECT bloom_open(f) FROM filters
                              WHERE name = 'member'));
-- 1

-- Through the view it is left out: no member is lost, and every stranger is
-- looked up.
SELECT count(*) FROM member
WHERE bloom_may_match(email, (SELECT bloom_open(f) FROM sound_filter
                              WHERE name = 'member'));
-- 1000

SELECT bloom_may_match('eve@example.com',
        (SELECT bloom_open(f) FROM sound_filter WHERE name = 'member'));
-- 1

-- Which filters are damaged?
SELECT name FROM filters WHERE checksum IS NOT crc32c(f);
-- member

-- Build them anew.
UPDATE filters SET f = (SELECT bloom_build(email) FROM member)
WHERE name = 'member';
UPDATE filters SET checksum = crc32c(f) WHERE name = 'member';

SELECT name FROM filters WHERE checksum IS NOT crc32c(f);

-- Whoever changes a filter must change the checksum with it. In one UPDATE, f
-- on the right is the old filter, so the new one is computed twice or written
-- first.
UPDATE filters SET
  f = bloom_add(f, 'eve@example.com'),
  checksum = crc32c(bloom_add(f, 'eve@example.com'))
WHERE name = 'member';

SELECT bloom_may_match('eve@example.com', f) FROM sound_filter;
-- 1
