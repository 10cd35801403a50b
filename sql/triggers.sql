-- A filter that is kept up to date by triggers, so that nobody has to remember
-- to. Each insert writes the filter anew, all its bytes: right for filters of
-- some kilobytes and for single inserts. For batches see anti_join.sql.
.load dist/bloom

-- The functions are safe in triggers and views of a schema that is not
-- trusted.
PRAGMA trusted_schema = OFF;

-- A filter is sized for a capacity, and the table remembers which.
CREATE TABLE member(id INTEGER PRIMARY KEY, email TEXT UNIQUE);
CREATE TABLE filters(name TEXT PRIMARY KEY, capacity INTEGER, f BLOB);

-- bloom_build is an aggregate, so it takes a SELECT. Over no rows at all it
-- would not see the capacity; a row with NULL brings that and no key.
INSERT INTO filters SELECT 'member', 1000, bloom_build(NULL, 10, 1000);

CREATE TRIGGER member_insert AFTER INSERT ON member BEGIN
  UPDATE filters SET f = bloom_add(f, NEW.email) WHERE name = 'member';
END;
CREATE TRIGGER member_update AFTER UPDATE OF email ON member BEGIN
  UPDATE filters SET f = bloom_add(f, NEW.email) WHERE name = 'member';
END;

INSERT INTO member(email) VALUES ('anna@example.org'), ('ben@example.org');
INSERT INTO member(email) VALUES (NULL);
UPDATE member SET email = 'eve@example.org' WHERE email = 'anna@example.org';

WITH sender(email) AS (
  VALUES ('anna@example.org'), ('ben@example.org'), ('carl@example.org'),
    ('eve@example.org')
)
SELECT email, bloom_may_match(email, (SELECT bloom_open(f) FROM filters
                                      WHERE name = 'member'))
FROM sender;
-- anna@example.org|1
-- ben@example.org|1
-- carl@example.org|0
-- eve@example.org|1

-- Anna still matches: a key cannot be taken out of a filter, so that updates
-- and deletions leave theirs behind. They make it less selective, never wrong.

-- Does it hold more than it was made for? bloom_info estimates how many keys
-- it has, old ones included. Ask now and then, not in a trigger: it probes the
-- filter a million times to measure its false positive rate.
CREATE VIEW overfull AS
SELECT name, capacity, bloom_info.keys, false_positive_rate
FROM filters, bloom_info(f)
WHERE bloom_info.keys > capacity;

SELECT name FROM overfull;

WITH RECURSIVE number(n) AS (
  SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 2000
)
INSERT INTO member(email) SELECT 'member' || n || '@example.org' FROM number;
DELETE FROM member WHERE email LIKE 'member%' AND id % 4 = 0;

SELECT name, capacity, keys BETWEEN 1900 AND 2100 AS about_2000_keys,
  false_positive_rate > 0.1 AS too_many_false_positives
FROM overfull;
-- member|1000|1|1

-- Then build it anew, without the deleted keys and with room to grow.
UPDATE filters SET
  capacity = 5000,
  f = (SELECT bloom_build(email, 10, 5000)
       FROM (SELECT email FROM member UNION ALL SELECT NULL))
WHERE name = 'member';

SELECT name FROM overfull;

SELECT bytes, keys BETWEEN 1450 AND 1550 AS about_1500_keys,
  false_positive_rate < 0.01 AS few_false_positives
FROM filters, bloom_info(f);
-- 6251|1|1

-- Through all of this no member was ever lost.
SELECT count(*) FROM member
WHERE NOT bloom_may_match(email, (SELECT bloom_open(f) FROM filters
                                  WHERE name = 'member'));
-- 0
