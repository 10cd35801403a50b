-- A database that version 1.5 made (tests/data/1.5.sql), as every later version must
-- find it: the filters that its calls made are probed, checked, kept, made again and
-- dropped, and what users store has the same bytes and answers. It is copied into
-- memory, so the file stays as that version left it.
-- since: 3.31
-- each: 1.5 => 8 => 5
.open :memory:
.load dist/bloom
.nullvalue NULL
.restore tests/data/{1}.db

SELECT by FROM made;
-- {1}.0

PRAGMA integrity_check;
-- ok

-- ---- No row is lost, and few absent keys match.
CREATE TEMP VIEW lost AS
SELECT (SELECT count(*) FROM customer
    WHERE NOT bloom_may_match(email, (SELECT filter FROM customer_email_filter))
      OR NOT bloom_may_match(email, (SELECT f FROM customer_email_part
                                     WHERE part = bloom_part(email, parts))))
    AS email,
  (SELECT count(*) FROM customer WHERE NOT bloom_may_match(folded,
      (SELECT filter FROM customer_folded_filter))) AS folded,
  (SELECT count(*) FROM customer WHERE NOT bloom_may_match(country,
      (SELECT filter FROM customer_country_filter))) AS country,
  (SELECT count(*) FROM member
    WHERE NOT bloom_may_match(number, (SELECT filter FROM member_number_filter))
      OR NOT bloom_may_match(number, (SELECT f FROM member_number_part
                                      WHERE part = bloom_part(number, parts))))
    AS member,
  (SELECT count(*) FROM log AS k WHERE NOT EXISTS (
    SELECT 1 FROM log_session_spans WHERE k.id BETWEEN first AND last
      AND ifnull(bloom_may_match(k.session, f), 1))) AS log;

-- How many of 500 absent keys match.
CREATE TEMP TABLE absent AS SELECT 'absent ' || id AS key FROM log LIMIT 500;
CREATE TEMP VIEW passing AS
SELECT sum(bloom_may_match(key, (SELECT filter FROM customer_email_filter)))
    AS email,
  sum(bloom_may_match(key, (SELECT filter FROM customer_folded_filter)))
    AS folded,
  sum(bloom_may_match(key, (SELECT filter FROM customer_country_filter)))
    AS country,
  sum(bloom_may_match(key, (SELECT filter FROM member_number_filter)))
    AS member,
  sum(bloom_may_match(key, (SELECT f FROM log_session_spans WHERE first = 200)))
    AS log
FROM absent;
CREATE TEMP VIEW problem AS SELECT * FROM bloom_check();

SELECT * FROM lost;
-- 0|0|0|0|0

SELECT * FROM passing;
-- 0|7|0|5|5

SELECT * FROM problem;
SELECT (SELECT count(*) FROM customer_email_parts),
  (SELECT count(*) FROM member_number_parts),
  (SELECT group_concat(block) FROM log_session_blocks);
-- 2|2|0,1,2,3,4,5,6

-- ---- Its triggers still work: parts grow, and blocks are closed.
INSERT INTO customer(email) VALUES ('New@example.org'), (NULL), (7), (x'00');
UPDATE customer SET email = 'Moved@example.org' WHERE id = 5;
REPLACE INTO customer(id, email) VALUES (6, 'Replaced@example.org');
INSERT INTO customer(email) SELECT 'Grown' || id || '@example.org' FROM log;
INSERT INTO customer(email) SELECT 'More' || id || '@example.org' FROM log;
INSERT INTO member SELECT NULL FROM customer;
INSERT INTO log(session) VALUES ('new'), ('newer');
INSERT INTO log VALUES (1150, 'late', ''), (-1, 'below', ''), (9000, 'far', '');
UPDATE log SET session = 'changed', id = 1160 WHERE id = 300;
DELETE FROM log WHERE id BETWEEN 0 AND 450;
INSERT INTO log(session) SELECT session || ' again' FROM log;
SELECT * FROM lost;
-- 0|0|0|0|0

SELECT * FROM problem;
SELECT (SELECT count(*) FROM customer_folded_parts),
  (SELECT count(*) FROM member_number_parts),
  (SELECT group_concat(block) FROM log_session_blocks);
-- 2|4|2,3,4,5,6,12,45,46

-- ---- Made again with its numbers, in a transaction that writes.
BEGIN;
INSERT INTO customer(email) VALUES ('Begun@example.org');
SELECT bloom_create_parts('customer', 'email'),
  bloom_create_parts('member', 'number');
-- customer_email_filter|member_number_filter

SELECT bloom_create_blocks('log', 'session');
-- log_session_spans

INSERT INTO log(session) SELECT 'after ' || id FROM customer;
COMMIT;
VACUUM;
UPDATE customer SET email = 'After' || id || '@example.org' WHERE id % 7 = 0;
SELECT * FROM lost;
-- 0|0|0|0|0

SELECT * FROM problem;
SELECT DISTINCT length(f) FROM customer_email_parts;
-- 1501

SELECT DISTINCT last - first + 1 FROM log_session_spans WHERE f IS NOT NULL;
-- 200

SELECT count(*) FROM sqlite_master
WHERE name IN ('customer_email_filter', 'member_number_part', 'log_session_spans')
  AND instr(sql, 'bloom_is_kept(') > 0;
-- 3

-- ---- Dropped: what it made is gone, and the tables are as they were.
.restore tests/data/{1}.db
SELECT bloom_drop_parts('customer', 'email'),
  bloom_drop_parts('customer', 'folded'),
  bloom_drop_parts('customer', 'country'),
  bloom_drop_parts('member', 'number');
-- {2}|{2}|{2}|{2}

SELECT bloom_drop_blocks('log', 'session');
-- {3}

SELECT name FROM sqlite_master;
-- made
-- customer
-- sqlite_autoindex_customer_1
-- member
-- sqlite_sequence
-- log
-- value
-- sqlite_autoindex_value_1
-- value_hash
-- stored
-- sqlite_autoindex_stored_1
-- known
-- value_insert

SELECT (SELECT count(*) FROM customer), (SELECT count(*) FROM member),
  (SELECT count(*) FROM log);
-- 303|1500|983

-- ---- What users store: the same hashes and bytes, and no key is lost.
SELECT count(*), sum(hash IS leveldb_hash(k)), sum(crc IS crc32c(k)) FROM value;
-- 18|18|18

-- each: whole => k | one bit => k, 1 | 44 bits => k, 44 | sized => k, 10, 1000
SELECT f = (SELECT bloom_build({2}) FROM value) FROM stored WHERE name = '{1}';
-- 1

SELECT count(*), sum(bloom_may_match(id, (SELECT f FROM stored
    WHERE name = 'part ' || bloom_part(id, 2)))),
  sum(bloom_may_match(-id, (SELECT f FROM stored
    WHERE name = 'part ' || bloom_part(-id, 2)))) < 60
FROM customer;
-- 303|303|1

SELECT count(*) FROM known;
-- 17

INSERT INTO value(k, crc) VALUES ('new', 1);
-- Error: CHECK constraint failed: ...

INSERT INTO value(k, crc) VALUES ('new', crc32c('new'));
SELECT bloom_may_match('new', f), bloom_may_match('absent', f) FROM stored
WHERE name IN ('sized', 'whole') ORDER BY name;
-- 1|0
-- 0|0

SELECT k FROM value WHERE leveldb_hash(k, 1) = leveldb_hash('new', 1);
-- new

PRAGMA integrity_check;
-- ok
