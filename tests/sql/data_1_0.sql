-- A database that version 1.0 made (tests/data/1.0.sql), as every later version
-- must find it: the same bytes, the same answers, triggers and views that go
-- on. It is copied into memory, so the file stays as 1.0 left it.
-- since: 3.31
.load dist/bloom
.restore tests/data/1.0.db

SELECT by FROM made;
-- 1.0.0

PRAGMA integrity_check;
-- ok

-- ---- The answers are those of that version.

SELECT count(*) FROM value;
-- 19

SELECT id FROM value
WHERE hash IS NOT leveldb_hash(k) OR seeded IS NOT leveldb_hash(k, 1)
  OR crc IS NOT crc32c(k) OR masked IS NOT crc32c_mask(crc32c(k))
  OR crc IS NOT crc32c_unmask(masked);

SELECT count(*), sum(matched) BETWEEN 1 AND 399 FROM asked;
-- 400|1

SELECT asked.name, n FROM asked JOIN filters USING (name)
WHERE matched IS NOT bloom_may_match(n, f);

SELECT name FROM filters JOIN info USING (name), bloom_info(f) AS now
WHERE (now.policy, now.bytes, now.bits, now.probes, now.bits_set, now.keys)
  IS NOT (info.policy, info.bytes, info.bits, info.probes, info.bits_set,
          info.keys);

SELECT count(*) FROM filters JOIN info USING (name);
-- 7

-- ---- A filter that is built from the same keys has the same bytes as the
-- stored one.

SELECT hex(f) FROM filters WHERE name = 'empty';
-- 000000000000000006

-- each: value => k | value => k, 10 | value 1 => k, 1 | value 44 => k, 44 | value 1000 => k, 10, 1000 | merged => k, 10, 1000
SELECT f = (SELECT bloom_build({2}) FROM value) FROM filters WHERE name = '{1}';
-- 1

SELECT f = (SELECT bloom_build(k, 10, 100) FROM (
    SELECT x'07000000' AS k UNION ALL SELECT x'f9ffffffffffffff'))
FROM filters WHERE name = 'fixed';
-- 1

SELECT f = bloom_merge(f), f = bloom_add(f, 'hello') FROM filters
WHERE name = 'value 1000';
-- 1|1

SELECT count(*), sum(f = (SELECT bloom_build(email, 10, 150) FROM member
                          WHERE leveldb_hash(email, 1) >> 30 = part))
FROM split;
-- 4|4

-- No key was lost.
SELECT k FROM value, filters
WHERE name IN ('value', 'value 1', 'value 44', 'value 1000', 'merged')
  AND NOT bloom_may_match(k, f);

-- ---- The checksum beside a filter agrees with it, and finds damage.

SELECT name, checksum = crc32c(f), f = (SELECT bloom_build(email) FROM member)
FROM guarded;
-- member|1|1

SAVEPOINT damage;
UPDATE guarded SET f = bloom_add(f, 'another@example.org');
SELECT name, f IS NULL FROM sound_filter;
-- member|1

ROLLBACK TO damage;
RELEASE damage;
SELECT count(*) FROM member
WHERE bloom_may_match(email, (SELECT bloom_open(f) FROM sound_filter));
-- 200

-- ---- Handles in the schema: a pointer then, an INTEGER now.

SELECT count(*) FROM known_visit;
-- 20

SELECT count(*), sum(typeof(handle) = 'integer') FROM opened;
-- 8|8

SELECT count(*) FROM value
WHERE bloom_may_match(k, (SELECT handle FROM opened WHERE name = 'value'))
  AND bloom_may_match(k, (SELECT max(handle) FROM opened
                          WHERE name = 'value 1000'));
-- 18

-- A stored handle had become NULL, which excludes nothing, then and now.
SELECT count(*), count(handle), min(bloom_may_match('absent', handle))
FROM stored_handle;
-- 8|0|1

INSERT INTO visit(email) VALUES ('member7@example.org'), ('stranger@example.com');
SELECT email FROM suspect;
-- stranger@example.com

-- ---- The triggers still add every new key to the filters.

INSERT INTO member(id, email) VALUES (1000, 'inserted@example.org'),
  (1001, NULL);
UPDATE member SET email = 'updated@example.org' WHERE id = 1;
REPLACE INTO member VALUES (2, 'replaced@example.org');
SELECT count(email),
  sum(bloom_may_match(email, (SELECT bloom_open(f) FROM filters
                              WHERE name = 'member'))),
  sum(bloom_may_match(email, (SELECT f FROM split
                              WHERE part = leveldb_hash(email, 1) >> 30)))
FROM member;
-- 201|201|201

SELECT name FROM overfull;

WITH RECURSIVE number(n) AS (
  SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 1000
)
INSERT INTO member(email) SELECT 'guest' || n || '@example.net' FROM number;
SELECT name, capacity, keys > 1000, false_positive_rate > 0.05 FROM overfull;
-- member|500|1|1

UPDATE filters SET capacity = 2000,
  f = (SELECT bloom_build(email, 10, 2000) FROM member)
WHERE name = 'member';
SELECT name FROM overfull;

SELECT bytes, count(*) FROM member, filters, bloom_info(f)
WHERE name = 'member' AND bloom_may_match(email, f);
-- 2501|1201

-- ---- Blocks of a log.

SELECT count(*), count(f), min(f = (
    SELECT bloom_build(session, 12) FROM log WHERE id / 64 = block))
FROM block;
-- 4|4|1

SELECT session, count(*) FROM span JOIN log ON id BETWEEN first AND last
WHERE bloom_may_match('session20', f) AND session = 'session20';
-- session20|7

INSERT INTO log VALUES (301, 'open'), (0, 'late');
SELECT first, last, f IS NULL FROM span WHERE f IS NULL ORDER BY first;
-- 0|63|1
-- 256|9223372036854775807|1

SELECT id FROM span JOIN log ON id BETWEEN first AND last
WHERE (bloom_may_match('open', f) AND session = 'open')
  OR (bloom_may_match('late', f) AND session = 'late') ORDER BY id;
-- 0
-- 301

-- ---- A CHECK, a generated column, an index.

INSERT INTO page(url, body, crc) VALUES ('a', x'00', 1);
-- Error: CHECK constraint failed: ...

INSERT INTO page(url, body, crc) VALUES ('a', 'abc', 910901175);
SELECT count(*), sum(crc = crc32c(body)), sum(stored = crc32c_mask(crc))
FROM page;
-- 21|21|21

SELECT url FROM page WHERE leveldb_hash(url) = leveldb_hash('a');
-- a

PRAGMA integrity_check;
-- ok
