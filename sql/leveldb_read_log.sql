-- Reads LevelDB logs (.log) and MANIFESTs, which are logs too, for the recipes
-- that .read this file. It prints nothing. After it,
--
--   INSERT INTO read_log VALUES ('batch', readfile('000004.log'));
--   INSERT INTO read_log VALUES ('edit', readfile('MANIFEST-000002'));
--
-- each fill the tables below with what the file has, in place of what they had.
.read sql/leveldb_read_bytes.sql

-- Each row is a record of a log, or the first (2), middle (3) or last (4) part
-- of one. After a record of type 0 and size 0, its block is not used.
CREATE TEMP TABLE IF NOT EXISTS record(
  offset INTEGER PRIMARY KEY,
  type INTEGER,
  size INTEGER,
  damage TEXT,      -- NULL where its checksum is right
  first INTEGER,    -- where its first part is, NULL if there is none
  i INTEGER         -- counts the parts from 0
);

-- Each row is a whole record: a batch of writes, or an edit of a MANIFEST. The
-- first write of a batch has this sequence number.
CREATE TEMP TABLE IF NOT EXISTS message(
  offset INTEGER PRIMARY KEY, kind TEXT, data BLOB, sequence INTEGER,
  writes INTEGER
);

-- The data of both kinds are items: a tag and then fields, which are numbers
-- (varints, N) or strings (a length and bytes, S). Each row is a field: `item`
-- counts the items of a message, and `i` the fields of an item, from 1.
CREATE TEMP TABLE IF NOT EXISTS item_field(
  message INTEGER, item INTEGER, tag INTEGER, i INTEGER, number INTEGER,
  string BLOB
);
CREATE INDEX IF NOT EXISTS temp.item_fields ON item_field(message, item);

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
-- checksum of type and data, the size of the data, and the type. As in
-- LevelDB's log_reader.cc, a damaged record ends its block, and the next block
-- is read. Each record takes three steps: its offset, its header, its damage.
CREATE TEMP VIEW IF NOT EXISTS read_log(kind, file) AS SELECT NULL, NULL;
CREATE TEMP TRIGGER IF NOT EXISTS read_log INSTEAD OF INSERT ON read_log
BEGIN
  DELETE FROM record;
  DELETE FROM message;
  DELETE FROM item_field;
  DELETE FROM problem;
  DELETE FROM part;
  INSERT INTO record
  WITH RECURSIVE next(step, offset, type, size, damage) AS (
    SELECT 0, 0, NULL, NULL, NULL
    UNION ALL
    SELECT (step + 1) % 3,
           CASE WHEN step < 2 THEN offset
                WHEN damage IS NULL AND type + size > 0
                THEN max(offset + 7 + size,
                         (offset + 13 + size) / 32768 * 32768)
                ELSE (offset / 32768 + 1) * 32768 END,
           CASE step WHEN 0 THEN b3.value WHEN 1 THEN type END,
           CASE step WHEN 0 THEN b1.value + 256 * b2.value WHEN 1 THEN size END,
           CASE WHEN step = 1 THEN CASE
             WHEN ifnull(offset + 7 + size, length(NEW.file) + 1) >
                    min(length(NEW.file), (offset / 32768 + 1) * 32768)
             THEN CASE WHEN length(NEW.file) % 32768 > 0
                         AND length(NEW.file) / 32768 = offset / 32768
               THEN 'the file ends within it, at ' || length(NEW.file)
               ELSE 'its size passes the end of its block' END
             WHEN type + size = 0
             THEN CASE WHEN ltrim(hex(substr(NEW.file, offset + 1,
                                             32768 - offset % 32768)), '0') > ''
               THEN 'what follows in its block is skipped' END
             WHEN leveldb_fixed32(crc32c_mask(crc32c(substr(
                    NEW.file, offset + 7, 1 + size)))) <>
                  substr(NEW.file, offset + 1, 4)
             THEN 'its checksum is wrong' END END
    FROM next
    LEFT JOIN byte AS b1 ON step = 0 AND b1.b = substr(NEW.file, offset + 5, 1)
    LEFT JOIN byte AS b2 ON step = 0 AND b2.b = substr(NEW.file, offset + 6, 1)
    LEFT JOIN byte AS b3 ON step = 0 AND b3.b = substr(NEW.file, offset + 7, 1)
    WHERE offset < length(NEW.file)
  )
  SELECT offset, type, size, damage, NULL, NULL FROM next WHERE step = 2;

  -- The parts of a record are joined. A part whose neighbour is missing belongs
  -- to no whole record.
  INSERT OR REPLACE INTO record
  WITH RECURSIVE joined(first, i, offset, type, size) AS (
    SELECT offset, 0, offset, type, size FROM record
    WHERE damage IS NULL AND type IN (1, 2)
    UNION ALL
    SELECT joined.first, joined.i + 1, record.offset, record.type, record.size
    FROM joined JOIN record ON record.offset = (
      SELECT min(later.offset) FROM record AS later
      WHERE later.offset > joined.offset)
    WHERE joined.type IN (2, 3) AND damage IS NULL AND record.type IN (3, 4)
  )
  SELECT offset, type, size, NULL, first, i FROM joined;
  INSERT INTO part
    SELECT first, 0, i, substr(NEW.file, offset + 8, size) FROM record
    WHERE first NOT NULL;
  INSERT INTO join_parts SELECT value FROM byte WHERE value < 17;

  -- An empty first part, as old writers left, is damage only before zeros.
  INSERT INTO problem
    SELECT 0, 'the file cannot be read' WHERE NEW.file IS NULL
    UNION ALL SELECT offset,
      CASE WHEN type + size = 0 THEN 'zeros'
           ELSE ifnull('record of ' || size || ' bytes', 'record') END ||
      ': ' || coalesce(damage, CASE WHEN type IN (3, 4)
        THEN 'its first part is missing' ELSE 'its type is ' || type END)
    FROM record WHERE damage NOT NULL OR first IS NULL AND type + size > 0
    UNION ALL SELECT first, 'record: its last part is missing'
    FROM (SELECT *, lead(type) OVER (ORDER BY offset) AS next FROM record)
    WHERE first NOT NULL GROUP BY first
    HAVING max(type) IN (2, 3) AND (sum(size) > 0 OR min(next) = 0);
  INSERT INTO message(offset, kind, data)
    SELECT first, NEW.kind, (SELECT bytes FROM part WHERE whole = first)
    FROM record WHERE first NOT NULL
    GROUP BY first HAVING max(type) IN (1, 4);

  -- What LevelDB refuses in a batch, or in the edits of a MANIFEST.
  INSERT INTO problem
    SELECT message, NEW.kind || ': ' || string FROM item_field WHERE i IS NULL;
  DELETE FROM item_field WHERE i IS NULL;
  INSERT INTO problem
    SELECT offset, 'batch: its number of writes is ' || writes
    FROM message WHERE offset NOT IN (SELECT offset FROM problem) AND writes <> (
      SELECT ifnull(max(item), 0) FROM item_field WHERE message = offset)
    UNION ALL SELECT message, 'edit: a ' ||
      ifnull('table''s level is ' || number, 'key is shorter than 8 bytes')
    FROM item_field WHERE NEW.kind = 'edit' AND tag IN (5, 6, 7)
      AND (i = 1 AND number > 6 OR length(string) < 8)
    UNION ALL SELECT 0, 'the MANIFEST has no ' || what FROM format
    WHERE NEW.kind = 'edit' AND kind = 'edit' AND tag IN (2, 3, 4)
      AND tag NOT IN (SELECT tag FROM item_field);
END;

-- A batch begins with 12 bytes, which are its sequence number and the number of
-- its writes, the lowest bytes first. Each field takes two steps: the first
-- reads a varint, which is a tag, a number or a length, and the second uses it.
CREATE TEMP TRIGGER IF NOT EXISTS read_message AFTER INSERT ON message
BEGIN
  UPDATE message
    SET sequence = (
          SELECT sum(b.value << 8 * i.value) FROM byte i CROSS JOIN byte b
          WHERE b.b = substr(NEW.data, i.value + 1, 1) AND i.value < 8),
        writes = (
          SELECT sum(b.value << 8 * i.value) FROM byte i CROSS JOIN byte b
          WHERE b.b = substr(NEW.data, i.value + 9, 1) AND i.value < 4)
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
                ELSE at + 0 * n END,
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
           CASE WHEN coalesce(b8.value, b7.value, b6.value, b5.value, b4.value,
                              b3.value, b2.value, b1.value) < 128
                THEN b1.value % 128 + (1 << 7) * ifnull(b2.value % 128, 0) +
                  (1 << 14) * ifnull(b3.value % 128, 0) +
                  (1 << 21) * ifnull(b4.value % 128, 0) +
                  (1 << 28) * ifnull(b5.value % 128, 0) +
                  (1 << 35) * ifnull(b6.value % 128, 0) +
                  (1 << 42) * ifnull(b7.value % 128, 0) +
                  (1 << 49) * ifnull(b8.value, 0) END,
           NOT reads
    FROM step
    LEFT JOIN byte b1 ON reads AND b1.b = substr(NEW.data, at, 1)
    LEFT JOIN byte b2 ON b1.value > 127 AND b2.b = substr(NEW.data, at + 1, 1)
      AND (NEW.kind = 'edit' OR i < length(fields))
    LEFT JOIN byte b3 ON b2.value > 127 AND b3.b = substr(NEW.data, at + 2, 1)
    LEFT JOIN byte b4 ON b3.value > 127 AND b4.b = substr(NEW.data, at + 3, 1)
    LEFT JOIN byte b5 ON b4.value > 127 AND b5.b = substr(NEW.data, at + 4, 1)
    LEFT JOIN byte b6 ON b5.value > 127 AND b6.b = substr(NEW.data, at + 5, 1)
      AND substr(fields, i + 1, 1) = 'N'
    LEFT JOIN byte b7 ON b6.value > 127 AND b7.b = substr(NEW.data, at + 6, 1)
    LEFT JOIN byte b8 ON b7.value > 127 AND b8.b = substr(NEW.data, at + 7, 1)
    WHERE fields NOT NULL AND (at <= length(NEW.data) OR NOT reads)
  )
  SELECT NEW.offset, item, tag, CASE WHEN damage IS NULL THEN i END, number,
         ifnull(damage, string)
  FROM (SELECT *, CASE
          WHEN fields IS NULL AND tag > 9 AND NEW.kind = 'edit'
          THEN 'its tag ' || tag || ' is not LevelDB''s, perhaps RocksDB''s'
          WHEN fields IS NULL THEN ifnull('unknown tag ' || tag, 'wrong tag')
          WHEN reads AND NOT ifnull(at <= length(NEW.data), 0)
            AND (at IS NOT length(NEW.data) + 1 OR i < length(fields))
          THEN 'item ' || item || ' is cut off or wrong' END AS damage
        FROM step)
  WHERE damage NOT NULL OR reads AND i > 0;
END;

-- The writes of a log, in the order in which they were made. Each of a batch
-- has the sequence number that follows that of the one before.
CREATE TEMP VIEW IF NOT EXISTS write AS
SELECT message, sequence + item - 1 AS sequence, tag AS type, key, value
FROM (SELECT message, item, tag, max(CASE i WHEN 1 THEN string END) AS key,
             max(CASE i WHEN 2 THEN string END) AS value
      FROM item_field GROUP BY message, item, tag HAVING count(*) = 1 + tag)
JOIN message ON offset = message;
