-- Checksums beside the data, checked by SQLite itself. crc32c detects any
-- single flipped bit, any burst of up to 32 bits, and all but one in 4 billion
-- of other accidental changes. It does not protect against intent: whoever
-- changes data on purpose can change the checksum too.
-- since: 3.31
.load dist/bloom

-- The functions are safe in a schema that is not trusted.
PRAGMA trusted_schema = OFF;

-- In a CHECK, the data must agree with the checksum that its sender supplied.
-- The comparison uses IS and not =, because crc32c(NULL) is NULL, and a CHECK
-- that is NULL passes.
CREATE TABLE upload(
  name TEXT PRIMARY KEY,
  body BLOB,
  checksum INTEGER,
  CHECK (checksum IS crc32c(body))
);
INSERT INTO upload VALUES ('digits', '123456789', 0xe3069283);

INSERT INTO upload VALUES ('broken', '12345678', 0xe3069283);
-- Error: CHECK constraint failed: ...

INSERT INTO upload VALUES ('lost', NULL, 0xe3069283);
-- Error: CHECK constraint failed: ...

-- The checksum of a large body can be computed in parts: the CRC of the parts
-- so far is the first argument.
SELECT crc32c(crc32c('12345'), '6789') = crc32c('123456789');
-- 1

-- In a generated column, the checksum is computed whenever a row is written,
-- and nobody can forget it or set it. The checksums of several columns are
-- chained. A NULL among the columns would make the whole checksum NULL, so it
-- is replaced by a byte that no text in the column contains.
CREATE TABLE product(
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  note TEXT,
  price REAL NOT NULL,
  checksum INTEGER AS (
    crc32c(crc32c(crc32c(name), coalesce(note, x'00')), price)) STORED
);
INSERT INTO product(name, note, price)
VALUES ('cup', NULL, 4.5), ('plate', 'blue', 8.25), ('bowl', '', 6.1);
UPDATE product SET price = 6.2 WHERE name = 'bowl';

SELECT name,
  checksum = crc32c(crc32c(crc32c(name), coalesce(note, x'00')), price)
FROM product;
-- cup|1
-- plate|1
-- bowl|1

-- A chained checksum does not depend on where one column ends and the next
-- begins. If text may move from one column to the other, use quote(), which
-- delimits each value and also accepts NULL.
SELECT crc32c(crc32c('ab'), 'c') = crc32c(crc32c('a'), 'bc') AS chained,
  crc32c(quote('ab') || ',' || quote('c'))
    = crc32c(quote('a') || ',' || quote('bc')) AS quoted;
-- 1|0

-- This is a copy of the table, such as a backup or another machine has. The
-- checksums were copied with the rows, as plain integers. Two of the rows are
-- damaged.
CREATE TABLE copy AS SELECT * FROM product;
UPDATE copy SET price = 8.26 WHERE name = 'plate';
UPDATE copy SET note = NULL WHERE name = 'bowl';

-- The copy alone shows which rows are damaged.
CREATE VIEW damaged AS
SELECT id, name FROM copy
WHERE checksum IS NOT
  crc32c(crc32c(crc32c(name), coalesce(note, x'00')), price);

SELECT * FROM damaged;
-- 2|plate
-- 3|bowl

-- Repair them from the original.
DELETE FROM copy WHERE id IN (SELECT id FROM damaged);
INSERT INTO copy SELECT * FROM product WHERE id NOT IN (SELECT id FROM copy);

SELECT * FROM damaged;

SELECT * FROM copy EXCEPT SELECT * FROM product;

SELECT count(*) FROM copy;
-- 3

-- A CHECK is tested when a row is written. It does not notice what a disk or
-- another program changes later. PRAGMA integrity_check tests the CHECKs of all
-- rows again, and a query with the same comparison finds the row.
PRAGMA ignore_check_constraints = ON;
UPDATE upload SET body = '123456788' WHERE name = 'digits';
PRAGMA ignore_check_constraints = OFF;

PRAGMA integrity_check;
-- CHECK constraint failed in upload

SELECT name FROM upload WHERE checksum IS NOT crc32c(body);
-- digits

-- The sum of the checksums is one number for a whole table, to compare two
-- copies of it at a glance. It does not depend on the order of the rows.
SELECT (SELECT sum(checksum) FROM product) = (SELECT sum(checksum) FROM copy);
-- 1

-- LevelDB stores a checksum masked, so that the checksum of data that contains
-- a checksum remains a good one.
SELECT printf('%08x', crc32c_mask(crc32c('foo'))),
  crc32c_unmask(crc32c_mask(crc32c('foo'))) = crc32c('foo');
-- febe8a61|1
