-- A stored filter guarded by its own checksum. If a bit of a filter falls to 0,
-- rows are lost, and nothing in the bytes of the filter reveals it. Therefore
-- the crc32c of the filter is stored beside it, and a query leaves out a filter
-- that does not agree with its checksum. A missing filter excludes nothing, so
-- the answer is still right, only slower.
.load dist/bloom

CREATE TABLE member(email TEXT PRIMARY KEY);
WITH RECURSIVE number(n) AS (
  SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 1000
)
INSERT INTO member SELECT 'member' || n || '@example.org' FROM number;

-- The checksum is computed from the filter as it was built, before it is
-- stored, sent or restored.
CREATE TABLE filters(name TEXT PRIMARY KEY, f BLOB, checksum INTEGER);
INSERT INTO filters
SELECT 'member', f, crc32c(f) FROM (SELECT bloom_build(email) AS f FROM member);

-- Queries take their filters from this view, which gives NULL where the
-- checksum is wrong.
CREATE VIEW sound_filter AS
SELECT name, CASE WHEN checksum = crc32c(f) THEN f END AS f FROM filters;

-- The subquery is computed only once, so the checksum is also computed only
-- once for each query.
SELECT count(*) FROM member
WHERE bloom_may_match(email, (SELECT bloom_open(f) FROM sound_filter
                              WHERE name = 'member'));
-- 1000

-- An address that is not a member is looked up only if it is a false positive.
SELECT bloom_may_match('eve@example.com',
        (SELECT bloom_open(f) FROM sound_filter WHERE name = 'member'));
-- 0

-- Now the filter is damaged: bytes 101 to 120 become zeros.
UPDATE filters
SET f = CAST(substr(f, 1, 100) || zeroblob(20) || substr(f, 121) AS BLOB);

-- Used without the view, the damaged filter loses members.
SELECT count(*) < 1000 AS rows_are_lost FROM member
WHERE bloom_may_match(email, (SELECT bloom_open(f) FROM filters
                              WHERE name = 'member'));
-- 1

-- The view leaves the filter out: no member is lost, and every other address is
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

-- Rebuild them.
UPDATE filters SET f = (SELECT bloom_build(email) FROM member)
WHERE name = 'member';
UPDATE filters SET checksum = crc32c(f) WHERE name = 'member';

SELECT name FROM filters WHERE checksum IS NOT crc32c(f);

-- A change to a filter must also change its checksum. In one UPDATE, f on the
-- right-hand side is the old filter, so the new one is computed twice, as here,
-- or written first.
UPDATE filters SET
  f = bloom_add(f, 'eve@example.com'),
  checksum = crc32c(bloom_add(f, 'eve@example.com'))
WHERE name = 'member';

SELECT bloom_may_match('eve@example.com', f) FROM sound_filter;
-- 1
