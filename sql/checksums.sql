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

DELETE FROM upload WHERE checksum IS NOT crc32c(body);

-- The sum of the checksums is one number for a whole table, to compare two
-- copies of it at a glance. It does not depend on the order of the rows.
SELECT (SELECT sum(checksum) FROM product) = (SELECT sum(checksum) FROM copy);
-- 1

-- ---- A table that exists already. SQLite refuses to add a generated column
-- that is stored, or a column with a CHECK that the present rows do not pass.
-- (3.31 adds the CHECK, and integrity_check then reports the rows.)
CREATE TABLE note(id INTEGER PRIMARY KEY, title TEXT NOT NULL, body TEXT);
INSERT INTO note(title, body)
VALUES ('shopping', 'tea, salt'), ('phone', NULL), ('empty', '');

ALTER TABLE note ADD COLUMN checksum INTEGER
  AS (crc32c(crc32c(title), coalesce(body, x'00'))) STORED;
-- Error: cannot add a STORED column

-- since: 3.37
ALTER TABLE note ADD COLUMN checksum INTEGER
  CHECK (checksum IS crc32c(crc32c(title), coalesce(body, x'00')));
-- Error: CHECK constraint failed...

-- A generated column that is VIRTUAL can be added, but it is of no use here: it
-- is computed whenever it is read, from the row as it is then, damaged or not.

-- A plain column can be added. It is filled once, and triggers keep it up to
-- date. A view has the comparison, for all queries.
BEGIN;
ALTER TABLE note ADD COLUMN checksum INTEGER;
UPDATE note SET checksum = crc32c(crc32c(title), coalesce(body, x'00'));

CREATE TRIGGER note_insert AFTER INSERT ON note BEGIN
  UPDATE note SET checksum = crc32c(crc32c(title), coalesce(body, x'00'))
  WHERE id = new.id;
END;

-- Before a row changes, its old values must agree with its checksum. Otherwise,
-- if one column is damaged, an UPDATE of another would give the row a new
-- checksum, and the damage could not be found any more.
CREATE TRIGGER note_damaged BEFORE UPDATE OF id, title, body ON note
WHEN old.checksum IS NOT crc32c(crc32c(old.title), coalesce(old.body, x'00'))
BEGIN
  SELECT RAISE(ABORT, 'this row is damaged');
END;
CREATE TRIGGER note_update AFTER UPDATE OF id, title, body ON note BEGIN
  UPDATE note SET checksum = crc32c(crc32c(title), coalesce(body, x'00'))
  WHERE id = new.id;
END;
CREATE VIEW damaged_note AS
SELECT id, title FROM note
WHERE checksum IS NOT crc32c(crc32c(title), coalesce(body, x'00'));
COMMIT;

INSERT INTO note(title, body) VALUES ('work', 'meet Ann');
UPDATE note SET body = 'tea, salt, rice' WHERE title = 'shopping';
INSERT INTO note(id, title, body) VALUES (2, 'phone', '555-0100')
ON CONFLICT(id) DO UPDATE SET body = excluded.body;
REPLACE INTO note(id, title, body) VALUES (3, 'replaced', '');
SELECT count(*), count(checksum) FROM note;
-- 4|4

SELECT * FROM damaged_note;

-- A damaged disk fires no triggers. Without the trigger, this UPDATE damages a
-- row as a disk might. PRAGMA integrity_check does not see it: it tests NOT
-- NULL, UNIQUE and CHECK, but nothing that a trigger computed.
DROP TRIGGER note_update;
UPDATE note SET body = 'tea, salt, ricf' WHERE title = 'shopping';
CREATE TRIGGER note_update AFTER UPDATE OF id, title, body ON note BEGIN
  UPDATE note SET checksum = crc32c(crc32c(title), coalesce(body, x'00'))
  WHERE id = new.id;
END;

PRAGMA integrity_check;
-- ok

SELECT * FROM damaged_note;
-- 1|shopping

UPDATE note SET title = 'market' WHERE id = 1;
-- Error: this row is damaged

-- Restore a damaged row from a backup: delete it, and insert the old one.
DELETE FROM note WHERE id IN (SELECT id FROM damaged_note);
INSERT INTO note(id, title, body) VALUES (1, 'shopping', 'tea, salt, rice');
SELECT * FROM damaged_note;

-- The other way is to make the table again, as SQLite's documentation of ALTER
-- TABLE describes: foreign keys are off meanwhile, and the table's indexes,
-- triggers and views are made again. The new table may have a CHECK, as here,
-- which integrity_check tests, or a generated column that is stored. With the
-- CHECK, each statement that writes a row must supply the checksum.
PRAGMA foreign_keys = OFF;
BEGIN;
CREATE TABLE new_note(
  id INTEGER PRIMARY KEY,
  title TEXT NOT NULL,
  body TEXT,
  checksum INTEGER,
  CHECK (checksum IS crc32c(crc32c(title), coalesce(body, x'00')))
);
INSERT INTO new_note SELECT id, title, body, checksum FROM note;
DROP VIEW damaged_note;
DROP TABLE note;
ALTER TABLE new_note RENAME TO note;
COMMIT;
SELECT count(*) FROM note;
-- 4

UPDATE note SET body = 'tea' WHERE id = 1;
-- Error: CHECK constraint failed...

-- LevelDB stores a checksum masked, so that the checksum of data that contains
-- a checksum remains a good one.
SELECT printf('%08x', crc32c_mask(crc32c('foo'))),
  crc32c_unmask(crc32c_mask(crc32c('foo'))) = crc32c('foo');
-- febe8a61|1

-- When not to use this: against deliberate changes, which need a MAC; where the
-- file system or SQLite's checksum VFS (cksumvfs) already checks each page; and
-- where a program writes the table without this extension, since each INSERT and
-- UPDATE then fails: unknown function: crc32c().
