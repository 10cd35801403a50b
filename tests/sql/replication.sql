-- Replication by statement: the same statements give the same bytes in every
-- kept table, with every SQLite and on every machine (`make versions`, `make
-- machines`, which include one with big-endian integers).
.load dist/bloom

CREATE TABLE thing(id INTEGER PRIMARY KEY, key);
CREATE TABLE log(id INTEGER PRIMARY KEY, request TEXT);

SELECT bloom_create_parts('thing', 'key'),
  bloom_create_blocks('log', 'request', 12, 256);
-- thing_key_filter|log_request_spans

-- Keys of each type, which outgrow the parts that were made for an empty table.
INSERT INTO thing(key)
WITH RECURSIVE number(n) AS (
  SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 20000
)
SELECT CASE n % 5
    WHEN 0 THEN 'user' || n || '@example.com'
    WHEN 1 THEN n * 1000003
    WHEN 2 THEN n / 16.0
    WHEN 3 THEN leveldb_fixed64(n)
    ELSE 'Zürich ' || n END
FROM number;
INSERT INTO log(request)
WITH RECURSIVE number(n) AS (
  SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 5000
)
SELECT 'request ' || n / 7 FROM number;

UPDATE thing SET key = id || '' WHERE id % 100 = 7;
UPDATE thing SET id = id + 200000 WHERE id % 1000 = 8;
DELETE FROM thing WHERE id % 10 = 9;
REPLACE INTO thing VALUES (1, 'first'), (2, NULL), (3, 3.5);
UPDATE log SET request = 'late' WHERE id % 1000 = 1;
DELETE FROM log WHERE id <= 600;
INSERT INTO log VALUES (9000, 'far away'), (-5, 'before all');

-- The filters as the triggers left them, and as they are when they are made
-- again from the rows.
CREATE TEMP TABLE kept(n INTEGER PRIMARY KEY, row TEXT);
CREATE TEMP VIEW now(row) AS
SELECT * FROM (SELECT printf('%d of %d: %s', part, parts, hex(f))
               FROM thing_key_parts ORDER BY part)
UNION ALL
SELECT * FROM (SELECT printf('%d: %s', block, hex(f))
               FROM log_request_blocks ORDER BY block);
INSERT INTO kept(row) SELECT row FROM now;
SELECT bloom_create_parts('thing', 'key'),
  bloom_create_blocks('log', 'request');
-- thing_key_filter|log_request_spans

INSERT INTO kept(row) SELECT row FROM now;

-- One checksum of all of them. It changes only if these bytes change, which
-- databases of users have.
SELECT count(*), printf('%08x', crc32c(group_concat(row, x'0a'))) FROM kept;
-- 70|d61649f5

-- No key is lost.
SELECT count(*) FROM thing
WHERE NOT bloom_may_match(key, (SELECT filter FROM thing_key_filter));
-- 0

SELECT count(*) FROM log JOIN log_request_spans ON id BETWEEN first AND last
WHERE NOT bloom_may_match(request, f);
-- 0
