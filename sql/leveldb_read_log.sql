-- Reads LevelDB logs (.log) and MANIFESTs, which are logs too, for the recipes
-- that .read this file. It prints nothing. After it,
--
--   INSERT INTO read_log VALUES ('batch', readfile('000004.log'));
--   INSERT INTO read_log VALUES ('edit', readfile('MANIFEST-000002'));
--
-- each fill the tables below with what the file has, in place of what they had.
--
-- The triggers here read a file or a message as a column of NEW, whose bytes
-- SQLite does not copy: a column of a table is copied each time that a byte of
-- it is read, if it is long.

-- Each row is a record of a log, or the first (2), middle (3) or last (4) part
-- of one.
CREATE TEMP TABLE IF NOT EXISTS record(
  offset INTEGER PRIMARY KEY,
  type INTEGER,
  size INTEGER,
  whole INTEGER     -- 1 where its checksum is right
);

-- Each row is a whole record: a batch of writes, or an edit of a MANIFEST. The
-- first write of a batch has this sequence number.
CREATE TEMP TABLE IF NOT EXISTS message(
  offset INTEGER PRIMARY KEY, kind TEXT, data BLOB, sequence INTEGER
);

-- The data of both kinds are items: a tag and then fields, which are numbers
-- (varints, N) or strings (a length and bytes, S). Each row is a field: `item`
-- counts the items of a message, and `i` the fields of an item, from 1.
CREATE TEMP TABLE IF NOT EXISTS item_field(
  message INTEGER, item INTEGER, tag INTEGER, i INTEGER, number INTEGER,
  string BLOB
);

-- What is damaged, and where.
CREATE TEMP TABLE IF NOT EXISTS problem(offset INTEGER, what TEXT);

-- This table gives the value of each byte.
CREATE TEMP TABLE IF NOT EXISTS byte(value INTEGER PRIMARY KEY, b BLOB UNIQUE);
WITH RECURSIVE n(value) AS (
  VALUES (0) UNION ALL SELECT value + 1 FROM n WHERE value < 255
)
INSERT OR IGNORE INTO byte
SELECT value, substr(leveldb_fixed32(value), 1, 1) FROM n;

-- This has the fields that follow each tag, in a batch and in an edit.
CREATE TEMP TABLE IF NOT EXISTS format(
  kind TEXT, tag INTEGER, fields TEXT, what TEXT, PRIMARY KEY (kind, tag)
);
INSERT OR IGNORE INTO format VALUES
  ('batch', 0, 'S', 'deletion'),
  ('batch', 1, 'SS', 'value'),
  ('edit', 1, 'S', 'comparator'),
  ('edit', 2, 'N', 'log number'),
  ('edit', 3, 'N', 'next file number'),
  ('edit', 4, 'N', 'last sequence'),
  ('edit', 5, 'NS', 'compaction pointer'),
  ('edit', 6, 'NN', 'deleted file'),
  ('edit', 7, 'NNNSS', 'new file'),
  ('edit', 9, 'N', 'previous log number');

-- A log's records are in blocks of 32 KB. The last bytes of a block are unused
-- if they are fewer than the 7 of a record's header. The header is the masked
-- checksum of type and data, the size of the data, and the type.
CREATE TEMP VIEW IF NOT EXISTS read_log(kind, file) AS SELECT NULL, NULL;
CREATE TEMP TRIGGER IF NOT EXISTS read_log INSTEAD OF INSERT ON read_log
BEGIN
  DELETE FROM record;
  DELETE FROM message;
  DELETE FROM item_field;
  DELETE FROM problem;
  INSERT INTO record
  WITH RECURSIVE part(offset, type, size, whole) AS (
    SELECT 0, NULL, NULL, NULL
    UNION ALL
    SELECT CASE whole
             WHEN 1 THEN max(offset + 7 + size,
                             (offset + 13 + size) / 32768 * 32768)
             WHEN 0 THEN (offset / 32768 + 1) * 32768
             ELSE offset END,
           b3.value, b1.value + 256 * b2.value,
           CASE WHEN whole IS NULL THEN ifnull(
             substr(NEW.file, offset + 1, 4) = leveldb_fixed32(crc32c_mask(
               crc32c(substr(NEW.file, offset + 7,
                             1 + (b1.value + 256 * b2.value))))), 0) END
    FROM part
    LEFT JOIN byte AS b1
      ON whole IS NULL AND b1.b = substr(NEW.file, offset + 5, 1)
    LEFT JOIN byte AS b2
      ON whole IS NULL AND b2.b = substr(NEW.file, offset + 6, 1)
    LEFT JOIN byte AS b3
      ON whole IS NULL AND b3.b = substr(NEW.file, offset + 7, 1)
    WHERE offset < length(NEW.file)
  )
  SELECT offset, type, size, whole FROM part
  WHERE whole NOT NULL
    AND substr(NEW.file, offset + 1, 7) <> x'00000000000000';

  -- LevelDB makes a log when it opens a folder, so a log may be empty, but a
  -- MANIFEST begins with the name of a comparator.
  INSERT INTO problem
    SELECT 0, CASE WHEN NEW.file IS NULL THEN 'the file cannot be read'
                   ELSE 'the file is empty' END
    WHERE NEW.file IS NULL OR NEW.kind = 'edit' AND length(NEW.file) = 0;
  INSERT INTO problem
    SELECT 0, 'no log: the checksum of its first record is wrong'
    FROM record WHERE offset = 0 AND whole = 0;
  DELETE FROM record WHERE 0 = (SELECT whole FROM record WHERE offset = 0);
  INSERT INTO problem
    SELECT offset, CASE WHEN size IS NULL
                          OR offset + 7 + size > length(NEW.file)
      THEN 'record: the file ends within it, at ' || length(NEW.file)
      ELSE 'record of ' || size || ' bytes: its checksum is wrong' END
    FROM record WHERE whole = 0;

  -- The parts of a record are joined. A part whose neighbour is damaged belongs
  -- to no whole record and is left out.
  INSERT INTO message(offset, kind, data)
  WITH RECURSIVE joined(first, last, type, data) AS (
    SELECT offset, offset, type, substr(NEW.file, offset + 8, size)
    FROM record WHERE whole AND type IN (1, 2)
    UNION ALL
    SELECT first, record.offset, record.type,
           CAST(data || substr(NEW.file, record.offset + 8, size) AS BLOB)
    FROM joined JOIN record ON record.offset = (
      SELECT min(later.offset) FROM record AS later WHERE later.offset > last)
    WHERE joined.type IN (2, 3) AND whole AND record.type IN (3, 4)
  )
  SELECT first, NEW.kind, data FROM joined WHERE type IN (1, 4);
END;

-- A batch begins with 12 bytes, of which 8 are its sequence number, the lowest
-- first. Each field takes two steps: the first reads a varint, which is a tag,
-- a number or a length, and the second uses it.
CREATE TEMP TRIGGER IF NOT EXISTS read_message AFTER INSERT ON message
BEGIN
  UPDATE message
    SET sequence = (
      SELECT b0.value + (b1.value << 8) + (b2.value << 16) + (b3.value << 24) +
        (b4.value << 32) + (b5.value << 40) + (b6.value << 48)
      FROM byte AS b0, byte AS b1, byte AS b2, byte AS b3, byte AS b4,
           byte AS b5, byte AS b6
      WHERE b0.b = substr(NEW.data, 1, 1) AND b1.b = substr(NEW.data, 2, 1)
        AND b2.b = substr(NEW.data, 3, 1) AND b3.b = substr(NEW.data, 4, 1)
        AND b4.b = substr(NEW.data, 5, 1) AND b5.b = substr(NEW.data, 6, 1)
        AND b6.b = substr(NEW.data, 7, 1))
    WHERE offset = NEW.offset AND kind = 'batch';
  INSERT INTO item_field
  WITH RECURSIVE step(at, item, tag, fields, i, number, string, n, reads) AS (
    SELECT CASE NEW.kind WHEN 'batch' THEN 13 ELSE 1 END, 0, NULL, '', 0,
           NULL, NULL, NULL, 1
    UNION ALL
    SELECT CASE WHEN reads THEN at + 1 + (b2.b NOT NULL) + (b3.b NOT NULL) +
                  (b4.b NOT NULL) + (b5.b NOT NULL) + (b6.b NOT NULL) +
                  (b7.b NOT NULL) + (b8.b NOT NULL)
                WHEN substr(fields, i + 1, 1) = 'S' THEN at + n
                ELSE at END,
           item + (NOT reads AND i = length(fields)),
           CASE WHEN NOT reads AND i = length(fields) THEN n ELSE tag END,
           CASE WHEN NOT reads AND i = length(fields)
                THEN (SELECT format.fields FROM format
                      WHERE format.kind = NEW.kind AND format.tag = n)
                ELSE fields END,
           CASE WHEN reads THEN i WHEN i = length(fields) THEN 0
                ELSE i + 1 END,
           CASE WHEN NOT reads AND substr(fields, i + 1, 1) = 'N' THEN n END,
           CASE WHEN NOT reads AND substr(fields, i + 1, 1) = 'S'
                THEN ifnull(substr(NEW.data, at, n), x'') END,
           b1.value % 128 + (1 << 7) * ifnull(b2.value % 128, 0) +
             (1 << 14) * ifnull(b3.value % 128, 0) +
             (1 << 21) * ifnull(b4.value % 128, 0) +
             (1 << 28) * ifnull(b5.value % 128, 0) +
             (1 << 35) * ifnull(b6.value % 128, 0) +
             (1 << 42) * ifnull(b7.value % 128, 0) +
             (1 << 49) * ifnull(b8.value, 0),
           NOT reads
    FROM step
    LEFT JOIN byte AS b1 ON reads AND b1.b = substr(NEW.data, at, 1)
    LEFT JOIN byte AS b2
      ON b1.value > 127 AND b2.b = substr(NEW.data, at + 1, 1)
    LEFT JOIN byte AS b3
      ON b2.value > 127 AND b3.b = substr(NEW.data, at + 2, 1)
    LEFT JOIN byte AS b4
      ON b3.value > 127 AND b4.b = substr(NEW.data, at + 3, 1)
    LEFT JOIN byte AS b5
      ON b4.value > 127 AND b5.b = substr(NEW.data, at + 4, 1)
    LEFT JOIN byte AS b6
      ON b5.value > 127 AND b6.b = substr(NEW.data, at + 5, 1)
    LEFT JOIN byte AS b7
      ON b6.value > 127 AND b7.b = substr(NEW.data, at + 6, 1)
    LEFT JOIN byte AS b8
      ON b7.value > 127 AND b8.b = substr(NEW.data, at + 7, 1)
    WHERE fields NOT NULL AND (at <= length(NEW.data) OR NOT reads)
  )
  SELECT NEW.offset, item, tag, i, number, string FROM step
  WHERE reads AND i > 0;
END;

-- The writes of a log, in the order in which they were made. Each of a batch
-- has the sequence number that follows that of the one before.
CREATE TEMP VIEW IF NOT EXISTS write AS
SELECT message, sequence + item - 1 AS sequence, tag AS type, key, value
FROM (SELECT message, item, tag, max(CASE i WHEN 1 THEN string END) AS key,
             max(CASE i WHEN 2 THEN string END) AS value
      FROM item_field GROUP BY message, item)
JOIN message ON offset = message;
