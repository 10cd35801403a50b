-- Reads a LevelDB log (.log) or MANIFEST from the parameter :file into the
-- tables below, for the recipes that .read this file. It prints nothing, and
-- each further run replaces what the one before has read.

-- Each row is a record of a log, or the first (2), middle (3) or last (4) part
-- of one.
CREATE TEMP TABLE IF NOT EXISTS record(
  offset INTEGER PRIMARY KEY,
  type INTEGER,
  size INTEGER,
  whole INTEGER     -- 1 where its checksum is right
);

-- Each row is a whole record: a batch of writes, or an edit of a MANIFEST.
CREATE TEMP TABLE IF NOT EXISTS message(offset INTEGER PRIMARY KEY, data BLOB);

-- What is damaged, and where.
CREATE TEMP TABLE IF NOT EXISTS problem(offset INTEGER, what TEXT);
DELETE FROM record;
DELETE FROM message;
DELETE FROM problem;

-- This table gives the value of each byte.
CREATE TEMP TABLE IF NOT EXISTS byte(b BLOB PRIMARY KEY, value INTEGER)
WITHOUT ROWID;
WITH RECURSIVE n(value) AS (
  VALUES (0) UNION ALL SELECT value + 1 FROM n WHERE value < 255
)
INSERT OR IGNORE INTO byte
SELECT substr(leveldb_fixed32(value), 1, 1), value FROM n;

-- A log's records are in blocks of 32 KB. The last bytes of a block are unused
-- if they are fewer than the 7 of a record's header. The header is the masked
-- checksum of type and data, the size of the data, and the type.
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
           substr(:file, offset + 1, 4) = leveldb_fixed32(crc32c_mask(crc32c(
             substr(:file, offset + 7, 1 + (b1.value + 256 * b2.value))))),
           0) END
  FROM part
  LEFT JOIN byte AS b1 ON whole IS NULL AND b1.b = substr(:file, offset + 5, 1)
  LEFT JOIN byte AS b2 ON whole IS NULL AND b2.b = substr(:file, offset + 6, 1)
  LEFT JOIN byte AS b3 ON whole IS NULL AND b3.b = substr(:file, offset + 7, 1)
  WHERE offset < length(:file)
)
INSERT INTO record
  SELECT offset, type, size, whole FROM part
  WHERE whole NOT NULL
    AND substr(:file, offset + 1, 7) <> x'00000000000000';

INSERT INTO problem
  SELECT 0, 'no log: the checksum of its first record is wrong'
  FROM record WHERE offset = 0 AND whole = 0;
INSERT INTO problem
  SELECT 0, 'the file is empty, or cannot be read'
  WHERE ifnull(length(:file), 0) = 0;
DELETE FROM record WHERE 0 = (SELECT whole FROM record WHERE offset = 0);
INSERT INTO problem
  SELECT offset,
         CASE WHEN offset + 7 + ifnull(size, 0) > length(:file) OR size IS NULL
              THEN 'record: the file ends within it, at ' || length(:file)
              ELSE 'record of ' || size || ' bytes: its checksum is wrong' END
  FROM record WHERE whole = 0;

-- The parts of a record are joined in their order. A part whose neighbour is
-- damaged belongs to no whole record and is left out.
WITH RECURSIVE part(n, offset, type, data) AS (
  SELECT row_number() OVER (ORDER BY offset), offset, type,
         substr(:file, offset + 8, size)
  FROM record WHERE whole = 1
), joined(start, n, ended, data) AS (
  SELECT offset, n, type = 1, data FROM part WHERE type IN (1, 2)
  UNION ALL
  SELECT start, part.n, part.type = 4,
         CAST(joined.data || part.data AS BLOB)
  FROM joined JOIN part ON part.n = joined.n + 1
  WHERE NOT ended AND part.type IN (3, 4)
)
INSERT INTO message SELECT start, data FROM joined WHERE ended;

-- The data of both kinds are items: a tag and then fields, which are numbers
-- (varints, N) or strings (a length and bytes, S). This has the fields that
-- follow each tag, in a batch and in an edit.
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

-- This view reads the items of all messages both as batches and as edits:
-- select those of one kind. `item` counts the items of a message, and `i` the
-- fields of an item, from 1. A batch begins with 12 bytes. Each field takes two
-- steps: the first reads a varint, which is a tag, a number or a length, and
-- the second uses it.
CREATE TEMP VIEW IF NOT EXISTS item_field AS
WITH RECURSIVE step(kind, message, at, item, tag, fields, i, number, string,
                    n, reads) AS (
  SELECT kind, offset, first, 0, NULL, '', 0, NULL, NULL, NULL, 1
  FROM message
  CROSS JOIN (SELECT 'batch' AS kind, 13 AS first UNION ALL SELECT 'edit', 1)
  UNION ALL
  SELECT step.kind, message,
         CASE WHEN reads THEN at + 1 + (b2.b NOT NULL) + (b3.b NOT NULL) +
                (b4.b NOT NULL) + (b5.b NOT NULL) + (b6.b NOT NULL) +
                (b7.b NOT NULL) + (b8.b NOT NULL)
              WHEN substr(fields, i + 1, 1) = 'S' THEN at + n
              ELSE at END,
         item + (NOT reads AND i = length(fields)),
         CASE WHEN NOT reads AND i = length(fields) THEN n ELSE tag END,
         CASE WHEN NOT reads AND i = length(fields)
              THEN (SELECT format.fields FROM format
                    WHERE format.kind = step.kind AND format.tag = n)
              ELSE fields END,
         CASE WHEN reads THEN i WHEN i = length(fields) THEN 0 ELSE i + 1 END,
         CASE WHEN NOT reads AND substr(fields, i + 1, 1) = 'N' THEN n END,
         CASE WHEN NOT reads AND substr(fields, i + 1, 1) = 'S'
              THEN ifnull(substr(data, at, n), x'') END,
         b1.value % 128 + (1 << 7) * ifnull(b2.value % 128, 0) +
           (1 << 14) * ifnull(b3.value % 128, 0) +
           (1 << 21) * ifnull(b4.value % 128, 0) +
           (1 << 28) * ifnull(b5.value % 128, 0) +
           (1 << 35) * ifnull(b6.value % 128, 0) +
           (1 << 42) * ifnull(b7.value % 128, 0) +
           (1 << 49) * ifnull(b8.value, 0),
         NOT reads
  FROM step CROSS JOIN message ON offset = message
  LEFT JOIN byte AS b1 ON reads AND b1.b = substr(data, at, 1)
  LEFT JOIN byte AS b2 ON b1.value > 127 AND b2.b = substr(data, at + 1, 1)
  LEFT JOIN byte AS b3 ON b2.value > 127 AND b3.b = substr(data, at + 2, 1)
  LEFT JOIN byte AS b4 ON b3.value > 127 AND b4.b = substr(data, at + 3, 1)
  LEFT JOIN byte AS b5 ON b4.value > 127 AND b5.b = substr(data, at + 4, 1)
  LEFT JOIN byte AS b6 ON b5.value > 127 AND b6.b = substr(data, at + 5, 1)
  LEFT JOIN byte AS b7 ON b6.value > 127 AND b7.b = substr(data, at + 6, 1)
  LEFT JOIN byte AS b8 ON b7.value > 127 AND b8.b = substr(data, at + 7, 1)
  WHERE fields NOT NULL AND (at <= length(data) OR NOT reads)
)
SELECT kind, message, item, tag, i, number, string FROM step
WHERE reads AND i > 0;

-- The writes of a log, in the order in which they were made. A batch begins
-- with the sequence number of its first write, in 8 bytes of which the lowest
-- is first. The others have the numbers that follow.
CREATE TEMP VIEW IF NOT EXISTS write AS
SELECT message,
       b0.value + (b1.value << 8) + (b2.value << 16) + (b3.value << 24) +
         (b4.value << 32) + (b5.value << 40) + (b6.value << 48) +
         item - 1 AS sequence,
       tag AS type, key, w.value
FROM (SELECT message, item, tag, max(CASE i WHEN 1 THEN string END) AS key,
             max(CASE i WHEN 2 THEN string END) AS value
      FROM item_field WHERE kind = 'batch' GROUP BY message, item) AS w
JOIN message ON offset = message
JOIN byte AS b0 ON b0.b = substr(data, 1, 1)
JOIN byte AS b1 ON b1.b = substr(data, 2, 1)
JOIN byte AS b2 ON b2.b = substr(data, 3, 1)
JOIN byte AS b3 ON b3.b = substr(data, 4, 1)
JOIN byte AS b4 ON b4.b = substr(data, 5, 1)
JOIN byte AS b5 ON b5.b = substr(data, 6, 1)
JOIN byte AS b6 ON b6.b = substr(data, 7, 1);
