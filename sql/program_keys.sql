-- Keys that a program has: a list of ids in memory, to be looked for in a large
-- table. They reach SQLite as one JSON text, or as rows of a temporary table,
-- and a filter of them is probed before they are looked up.
--
-- Measured with 20,000 keys in a table of 1e6 rows without an index, under Recipes
-- in tests/bench/README.md: a filter makes the query more than twice as fast if the
-- keys come as JSON, and more than a quarter faster if they stand in a temporary
-- table that is filled for it.
--
-- since: 3.28
.load dist/bloom
.parameter init

CREATE TABLE visit(id INTEGER PRIMARY KEY, user TEXT, device BLOB);
WITH RECURSIVE number(n) AS (
  SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 50000
)
INSERT INTO visit
SELECT n, 'user ' || n,
  CAST(leveldb_fixed64(n) || leveldb_fixed64(-1) AS BLOB)
FROM number;

-- ---- As JSON: the program binds one text for any number of keys. IN gives the
-- exact answer, and the filter before it leaves out most rows.
INSERT INTO sqlite_parameters
VALUES (':users', '["user 7", "user 4711", "user 99999"]');
SELECT id FROM visit
WHERE bloom_may_match(user,
        (SELECT bloom_open(bloom_build(value)) FROM json_each(:users)))
  AND user IN (SELECT value FROM json_each(:users))
ORDER BY id;
-- 7
-- 4711

-- JSON has numbers as well as text. A JSON text '7' and a JSON number 7 are the
-- same key to the filter, but IN compares them with the column's affinity:
-- write ids in JSON as the column has them. A number past 2^53 loses its last
-- digits in many programs, JavaScript's among them: write it as text.
INSERT INTO sqlite_parameters VALUES (':ids', '[7, "4711", 50001]');
SELECT id FROM visit
WHERE bloom_may_match(id,
        (SELECT bloom_open(bloom_build(value)) FROM json_each(:ids)))
  AND id IN (SELECT value FROM json_each(:ids))
ORDER BY id;
-- 7
-- 4711

-- ---- As rows: a temporary table pays where several statements use the keys,
-- and takes BLOBs, which JSON does not have.
CREATE TEMP TABLE wanted(user TEXT PRIMARY KEY);
INSERT INTO wanted VALUES ('user 7'), ('user 4711'), ('user 99999');
SELECT id FROM visit
WHERE bloom_may_match(user, (SELECT bloom_open(bloom_build(user)) FROM wanted))
  AND user IN (SELECT user FROM wanted)
ORDER BY id;
-- 7
-- 4711

-- ---- Ids of 16 bytes, such as UUIDs. A BLOB is the key that its bytes are,
-- whereas its hexadecimal text is another key. A program that has UUIDs as text
-- converts them itself, since unhex() is only in SQLite 3.41 and later: bind 16
-- bytes for each. All of them may be in one BLOB, which needs no table.
INSERT INTO sqlite_parameters VALUES (':devices', CAST(
  x'0700000000000000ffffffffffffffff' ||
  x'6712000000000000ffffffffffffffff' AS BLOB));
WITH RECURSIVE place(at) AS (
  SELECT 1 UNION ALL
  SELECT at + 16 FROM place WHERE at + 16 < length(:devices)
), key(device) AS (
  SELECT substr(:devices, at, 16) FROM place
)
SELECT id FROM visit
WHERE bloom_may_match(device, (SELECT bloom_open(bloom_build(device)) FROM key))
  AND device IN (SELECT device FROM key)
ORDER BY id;
-- 7
-- 4711

-- The text of the same id finds nothing, and no error says so.
SELECT bloom_may_match('0700000000000000ffffffffffffffff',
  (SELECT bloom_open(bloom_build(device)) FROM visit));
-- 0

-- ---- Keys in another database of the program. A view of main cannot name a
-- table of another database, and an unqualified name means TEMP first, then
-- main, then the others in the order of their ATTACH: write which is meant.
ATTACH ':memory:' AS crm;
CREATE TABLE crm.customer(user TEXT PRIMARY KEY);
INSERT INTO crm.customer VALUES ('user 12'), ('user 60000');
CREATE TABLE main.customer(user TEXT PRIMARY KEY);
SELECT count(*) FROM main.visit
WHERE bloom_may_match(user,
  (SELECT bloom_open(bloom_build(user)) FROM customer));
-- 0

SELECT id FROM main.visit JOIN crm.customer USING (user)
WHERE bloom_may_match(visit.user,
  (SELECT bloom_open(bloom_build(user)) FROM crm.customer));
-- 12

-- A TEMP view may name tables of all databases, and lives as long as the
-- connection.
CREATE TEMP VIEW customer_filter AS
SELECT bloom_build(user) AS f FROM crm.customer;
SELECT id FROM main.visit JOIN crm.customer USING (user)
WHERE bloom_may_match(visit.user,
  (SELECT bloom_open(f) FROM temp.customer_filter));
-- 12

-- When not to use this: where the large table has an index on the column, since
-- a join that begins with the keys looks up each of them and reads nothing
-- else; and for a handful of keys, for which IN (?, ?, ?) is as fast.
