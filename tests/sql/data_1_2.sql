-- A database that version 1.2 made (tests/data/1.2.sql), as every later version
-- must find it: the filters that its scripts made are probed, checked, kept,
-- made again and dropped. Those whose comments, which identified them, had been
-- removed from the script are probed and kept, but a call leaves them alone. The database is copied into memory, so the
-- file stays as 1.2 left it.
.load dist/bloom
.nullvalue NULL
.restore tests/data/1.2.db

SELECT by FROM made;
-- 1.2.0

PRAGMA integrity_check;
-- ok

-- ---- No row is lost, and few absent keys match. The filters without comments
-- exclude nothing, and their check views say so.
CREATE TEMP TABLE absent AS SELECT 'absent ' || id AS key FROM log LIMIT 500;
CREATE TEMP VIEW lost AS
SELECT (SELECT count(*) FROM customer
    WHERE NOT bloom_may_match(email, (SELECT filter FROM customer_email_filter))
      OR NOT bloom_may_match(email, (SELECT f FROM customer_email_part
                                     WHERE part = bloom_part(email, parts))))
    AS customer,
  (SELECT count(*) FROM member
    WHERE NOT bloom_may_match(email, (SELECT filter FROM member_email_filter))
      OR NOT bloom_may_match(email, (SELECT f FROM member_email_part
                                     WHERE part = bloom_part(email, parts))))
    AS member,
  (SELECT count(*) FROM log AS k WHERE NOT EXISTS (
    SELECT 1 FROM log_session_spans WHERE k.id BETWEEN first AND last
      AND ifnull(bloom_may_match(k.session, f), 1))) AS log,
  (SELECT count(*) FROM event AS k WHERE NOT EXISTS (
    SELECT 1 FROM event_what_spans WHERE k.id BETWEEN first AND last
      AND ifnull(bloom_may_match(k.what, f), 1))) AS event;

-- How many of 500 absent keys match.
CREATE TEMP VIEW passing AS
SELECT sum(bloom_may_match(key, (SELECT filter FROM customer_email_filter)))
    AS customer,
  sum(bloom_may_match(key, (SELECT filter FROM member_email_filter))) AS member,
  sum(bloom_may_match(key, (SELECT f FROM log_session_spans WHERE first = 200)))
    AS log,
  (SELECT count(f) FROM event_what_spans) AS blocks_of_event
FROM absent;
CREATE TEMP VIEW problem AS
SELECT * FROM customer_email_parts_check
UNION ALL SELECT * FROM member_email_parts_check
UNION ALL SELECT * FROM log_session_blocks_check
UNION ALL SELECT * FROM event_what_blocks_check;

SELECT * FROM lost;
-- 0|0|0|0

SELECT * FROM passing;
-- 0|500|5|0

SELECT * FROM problem;
-- the triggers are not as they were made, ...('member', 'email', 2) writes
-- the triggers are not as they were made, ...('event', 'what', 10, 200) writes

-- ---- The triggers of 1.2 still work.
INSERT INTO customer(email) VALUES ('new@example.org'), (NULL), (7), (x'00');
UPDATE customer SET email = 'moved@example.org' WHERE id = 5;
REPLACE INTO customer(id, email) VALUES (6, 'replaced@example.org');
INSERT INTO member VALUES ('new@example.org');
INSERT INTO log(session) VALUES ('new'), ('newer');
INSERT INTO log VALUES (1150, 'late', ''), (-1, 'below', ''), (9000, 'far', '');
UPDATE log SET session = 'changed', id = 1160 WHERE id = 300;
INSERT INTO event SELECT id + 10000, session FROM log WHERE id < 500;
SELECT * FROM lost;
-- 0|0|0|0

-- ---- Made again with the numbers of 1.2, and then kept by new triggers.
SELECT bloom_create_parts('customer', 'email'),
  bloom_create_blocks('log', 'session');
-- customer_email_filter|log_session_spans

SELECT bloom_create_parts('member', 'email');
-- Error: ...there is already a table "member_email_parts", which was not made by ...

SELECT bloom_create_blocks('event', 'what');
-- Error: ...there is already a table "event_what_blocks", which was not made by ...

SELECT * FROM problem;
-- the triggers are not as they were made, ...('member', 'email', 2) writes
-- the triggers are not as they were made, ...('event', 'what', 10, 200) writes

SELECT * FROM lost;
-- 0|0|0|0

SELECT * FROM passing;
-- 0|500|5|0

SELECT count(*), max(length(f)) FROM customer_email_parts;
-- 1|1501

SELECT DISTINCT last - first + 1 FROM log_session_spans WHERE f IS NOT NULL;
-- 200

SELECT bloom_create_parts('customer', 'email');
-- customer_email_filter

INSERT INTO customer(email) SELECT 'grown' || id || '@example.org' FROM log;
INSERT INTO member SELECT 'grown' || id || '@example.org' FROM log;
INSERT INTO customer(email) SELECT 'more' || id || '@example.org' FROM log;
INSERT INTO log(session) SELECT session || ' again' FROM log;
INSERT INTO event(what) SELECT session FROM log;
SELECT count(*) FROM customer_email_parts;
-- 2

SELECT * FROM lost;
-- 0|0|0|0

-- ---- Dropped: what 1.2 made is gone, and the tables are as they were.
.restore tests/data/1.2.db
SELECT bloom_drop_parts('customer', 'email');
-- 8

SELECT bloom_drop_blocks('log', 'session');
-- 7

SELECT name FROM sqlite_master
WHERE name LIKE 'customer%' OR tbl_name LIKE 'log%';
-- customer
-- log

SELECT (SELECT count(*) FROM customer), (SELECT count(*) FROM log);
-- 302|1002
