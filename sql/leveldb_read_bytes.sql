-- What leveldb_read_table.sql and leveldb_read_log.sql, which .read this file,
-- have in common. Their triggers read bytes as a column of NEW, since a long
-- column of a table is copied each time that a byte of it is read.

-- What is damaged, and where: what LevelDB would refuse or skip.
CREATE TEMP TABLE IF NOT EXISTS problem(offset INTEGER, what TEXT);

-- This table gives the value of each byte, and counts from 0.
CREATE TEMP TABLE IF NOT EXISTS byte(value INTEGER PRIMARY KEY, b BLOB UNIQUE);
WITH RECURSIVE n(value) AS (
  VALUES (0) UNION ALL SELECT value + 1 FROM n WHERE value < 255
)
INSERT OR IGNORE INTO byte
SELECT value, substr(leveldb_fixed32(value), 1, 1) FROM n;

-- Wholes are joined from their parts, which are counted from 0. Two of a level
-- make one of the next, since a long value takes long to append to. In the end,
-- each whole has one part.
CREATE TEMP TABLE IF NOT EXISTS part(
  whole INTEGER, level INTEGER, i INTEGER, bytes BLOB,
  PRIMARY KEY (whole, level, i)
);
CREATE TEMP VIEW IF NOT EXISTS join_parts(level) AS SELECT NULL;
CREATE TEMP TRIGGER IF NOT EXISTS join_parts INSTEAD OF INSERT ON join_parts
BEGIN
  INSERT INTO part
    SELECT even.whole, even.level + 1, even.i / 2,
           CAST(even.bytes || ifnull(odd.bytes, x'') AS BLOB)
    FROM part AS even LEFT JOIN part AS odd
      ON odd.whole = even.whole AND odd.level = even.level
        AND odd.i = even.i + 1
    WHERE even.level = NEW.level AND even.i % 2 = 0
      AND (even.i > 0 OR odd.i NOT NULL);
  DELETE FROM part
    WHERE level = NEW.level
      AND whole IN (SELECT whole FROM part WHERE level = NEW.level + 1);
END;
