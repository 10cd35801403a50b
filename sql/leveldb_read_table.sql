-- Reads LevelDB tables (.ldb, .sst), for the recipes that .read this file. It
-- prints nothing. After it,
--
--   INSERT INTO read_table VALUES (readfile('000005.ldb'));
--
-- fills the tables below with what the file has, in place of what they had.
--
-- The triggers here read a file or a block as a column of NEW, whose bytes
-- SQLite does not copy: a column of a table is copied each time that a byte of
-- it is read, if it is long.

-- The cache has room for a table's blocks.
PRAGMA temp.cache_size = -100000;

-- Each row is a block. Its contents are uncompressed, and NULL if they cannot
-- be obtained.
CREATE TEMP TABLE IF NOT EXISTS block(
  offset INTEGER PRIMARY KEY,
  kind TEXT,        -- metaindex, index, filter or data
  size INTEGER,
  type INTEGER,     -- 0 as it is, 1 compressed with snappy, or another
  stored BLOB,
  contents BLOB
);
CREATE TEMP TABLE IF NOT EXISTS filter(i INTEGER PRIMARY KEY, f BLOB);

-- Each row is an entry of a data block. A key has an entry for each version
-- that is still kept. The one with the highest sequence number counts.
CREATE TEMP TABLE IF NOT EXISTS entry(
  block INTEGER,
  key BLOB,
  sequence INTEGER,
  type INTEGER,     -- 1 a value, 0 a deletion
  value BLOB
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

-- A table ends with a footer, which has the handles of its metaindex and its
-- index. These have the handles of its filters and its data.
CREATE TEMP VIEW IF NOT EXISTS read_table(file) AS SELECT NULL;
CREATE TEMP TRIGGER IF NOT EXISTS read_table INSTEAD OF INSERT ON read_table
BEGIN
  DELETE FROM block;
  DELETE FROM filter;
  DELETE FROM entry;
  DELETE FROM problem;
  INSERT INTO problem
    SELECT max(0, ifnull(length(NEW.file), 0) - 8), CASE
      WHEN NEW.file IS NULL THEN 'the file cannot be read'
      WHEN length(NEW.file) = 0 THEN 'the file is empty'
      ELSE 'no table: LevelDB''s magic number is not at its end, which is ' ||
           'cut off or damaged' END
    WHERE substr(NEW.file, -8) IS NOT x'57fb808b247547db';
  INSERT INTO read_contents
    SELECT length(NEW.file) - 48, 'footer', substr(NEW.file, -48)
    WHERE NOT EXISTS (SELECT * FROM problem);
  INSERT INTO read_block
    SELECT offset, kind, size, substr(NEW.file, offset + 1, size + 5)
    FROM block WHERE kind IN ('metaindex', 'index');
  INSERT INTO read_block
    SELECT offset, kind, size, substr(NEW.file, offset + 1, size + 5)
    FROM block WHERE kind IN ('data', 'filter');
END;

-- A block is followed by its type and the masked checksum of both.
CREATE TEMP VIEW IF NOT EXISTS read_block(offset, kind, size, stored) AS
SELECT NULL, NULL, NULL, NULL;
CREATE TEMP TRIGGER IF NOT EXISTS read_block INSTEAD OF INSERT ON read_block
BEGIN
  INSERT INTO problem
    SELECT NEW.offset, NEW.kind || ' block of ' || NEW.size || ' bytes: ' ||
      CASE WHEN length(NEW.stored) = NEW.size + 5
           THEN 'its checksum is ' || hex(checksum) || ', stored is ' ||
                hex(substr(NEW.stored, -4))
           ELSE 'it passes the end of the file' END
    FROM (SELECT leveldb_fixed32(crc32c_mask(crc32c(
            substr(NEW.stored, 1, NEW.size + 1)))) AS checksum)
    WHERE length(NEW.stored) IS NOT NEW.size + 5
      OR substr(NEW.stored, -4) <> checksum;
  UPDATE block
    SET stored = substr(NEW.stored, 1, size),
        type = (SELECT value FROM byte
                WHERE b = substr(NEW.stored, NEW.size + 1, 1))
    WHERE offset = NEW.offset
      AND NEW.offset NOT IN (SELECT offset FROM problem);
  UPDATE block SET contents = stored WHERE offset = NEW.offset AND type = 0;
  INSERT INTO uncompress
    SELECT offset, stored FROM block WHERE offset = NEW.offset AND type = 1;
  INSERT INTO problem
    SELECT offset, kind || ' block of ' || size || ' bytes: type ' || type ||
                   ' is not to be uncompressed here'
    FROM block WHERE offset = NEW.offset AND contents IS NULL
      AND type IN (0, 1);
  INSERT INTO read_contents
    SELECT offset, kind, contents FROM block
    WHERE offset = NEW.offset AND contents NOT NULL;
END;

-- Snappy's tags. Each gives the size of a literal or a copy, what to add to the
-- distance of a copy, and how many more bytes of the size or the distance
-- follow. Tags with more than two such bytes are left out: they are for more
-- than the 64 KB that snappy compresses at once.
CREATE TEMP TABLE IF NOT EXISTS tag(
  b BLOB PRIMARY KEY, is_copy INTEGER, size INTEGER, distance INTEGER,
  extra INTEGER
) WITHOUT ROWID;
INSERT OR IGNORE INTO tag
  SELECT b, value & 3 > 0,
         CASE WHEN value & 3 = 1 THEN 4 + (value >> 2 & 7)
              WHEN value & 3 = 0 AND value >> 2 > 59 THEN 1
              ELSE 1 + (value >> 2) END,
         CASE value & 3 WHEN 1 THEN value >> 5 << 8 ELSE 0 END,
         CASE value & 3 WHEN 0 THEN max(0, (value >> 2) - 59)
                        ELSE value & 3 END
  FROM byte WHERE value & 3 < 3 AND (value & 3 > 0 OR value >> 2 < 62);

-- Each step reads a tag. `at` is where its bytes begin in the output, and
-- `distance` how far before it the source of a copy begins. A last step without
-- a size follows if all tags are right.
CREATE TEMP VIEW IF NOT EXISTS uncompress(block, stored) AS SELECT NULL, NULL;
CREATE TEMP TRIGGER IF NOT EXISTS uncompress INSTEAD OF INSERT ON uncompress
BEGIN
  DELETE FROM piece;
  INSERT INTO piece VALUES (0, x'');
  INSERT INTO append
  WITH RECURSIVE step(tag_at, at, size, distance) AS (
    SELECT CASE WHEN substr(NEW.stored, 1, 1) < x'80' THEN 2
                WHEN substr(NEW.stored, 2, 1) < x'80' THEN 3
                WHEN substr(NEW.stored, 3, 1) < x'80' THEN 4 ELSE 5 END,
           0, 0, NULL
    UNION ALL
    SELECT tag_at + 1 + extra + CASE WHEN is_copy THEN 0 ELSE
             tag.size + ifnull(b1.value, 0) + 256 * ifnull(b2.value, 0) END,
           at + step.size,
           tag.size + CASE WHEN is_copy THEN 0 ELSE
             ifnull(b1.value, 0) + 256 * ifnull(b2.value, 0) END,
           CASE WHEN is_copy THEN
             tag.distance + b1.value + 256 * ifnull(b2.value, 0) END
    FROM step LEFT JOIN tag ON tag.b = substr(NEW.stored, tag_at, 1)
    LEFT JOIN byte AS b1
      ON extra > 0 AND b1.b = substr(NEW.stored, tag_at + 1, 1)
    LEFT JOIN byte AS b2
      ON extra > 1 AND b2.b = substr(NEW.stored, tag_at + 2, 1)
    WHERE (tag.b NOT NULL OR tag_at = length(NEW.stored) + 1)
      AND (step.distance IS NULL OR step.distance BETWEEN 1 AND at)
  )
  SELECT NEW.block, at, size, distance, substr(NEW.stored, tag_at - size, size)
  FROM step WHERE size IS NULL OR size > 0;
END;

-- The output is pieces of 8 KB or somewhat more, since a long value takes long
-- to append to. The source of a copy is in at most two of them. A copy that
-- overlaps its own output repeats the bytes from there.
CREATE TEMP TABLE IF NOT EXISTS piece(at INTEGER PRIMARY KEY, bytes BLOB);
CREATE TEMP VIEW IF NOT EXISTS append(block, at, size, distance, bytes) AS
SELECT NULL, NULL, NULL, NULL, NULL;
CREATE TEMP TRIGGER IF NOT EXISTS append INSTEAD OF INSERT ON append
WHEN NEW.size NOT NULL
BEGIN
  UPDATE piece
    SET bytes = CAST(bytes || CASE WHEN NEW.distance IS NULL THEN NEW.bytes
      ELSE (
        SELECT substr(CAST(replace(hex(zeroblob(32)), '0', CAST(
          substr(source.bytes, NEW.at - NEW.distance - at + 1, NEW.size) ||
          ifnull((SELECT substr(next.bytes, 1, NEW.size) FROM piece AS next
                  WHERE next.at > source.at ORDER BY next.at LIMIT 1), x'')
          AS BLOB)) AS BLOB), 1, NEW.size)
        FROM piece AS source WHERE at <= NEW.at - NEW.distance
        ORDER BY at DESC LIMIT 1) END AS BLOB)
    WHERE at = (SELECT max(at) FROM piece);
  INSERT INTO piece
    SELECT NEW.at + NEW.size, x''
    WHERE 8192 <= (SELECT length(bytes) FROM piece ORDER BY at DESC LIMIT 1);
END;

-- At the end, the pieces are joined: to some of 256 KB, these to some of 8 MB,
-- and these to the contents of the block.
CREATE TEMP TABLE IF NOT EXISTS part(
  level INTEGER, at INTEGER, bytes BLOB, PRIMARY KEY (level, at)
);
CREATE TEMP TRIGGER IF NOT EXISTS uncompressed INSTEAD OF INSERT ON append
WHEN NEW.size IS NULL
BEGIN
  DELETE FROM part;
  INSERT INTO part SELECT 0, at, bytes FROM piece;
  INSERT INTO join_parts VALUES
    (0, 1 << 18, NEW.at), (1, 1 << 23, NEW.at), (2, 1 << 40, NEW.at);
  UPDATE block SET contents = (SELECT bytes FROM part WHERE level = 3)
    WHERE offset = NEW.block;
END;
CREATE TEMP VIEW IF NOT EXISTS join_parts(level, size, total) AS
SELECT NULL, NULL, NULL;
CREATE TEMP TRIGGER IF NOT EXISTS join_parts INSTEAD OF INSERT ON join_parts
BEGIN
  INSERT INTO part
  WITH RECURSIVE joined(next, bytes) AS (
    SELECT length(bytes), bytes FROM part WHERE level = NEW.level AND at = 0
    UNION ALL
    SELECT next + length(part.bytes),
           CASE WHEN length(joined.bytes) >= NEW.size THEN part.bytes
                ELSE CAST(joined.bytes || part.bytes AS BLOB) END
    FROM joined JOIN part ON level = NEW.level AND at = next
    WHERE next < NEW.total
  )
  SELECT NEW.level + 1, next - length(bytes), bytes FROM joined
  WHERE length(bytes) >= NEW.size OR next = NEW.total;
END;

-- Entries and handles are read one varint at a time. Field i of an entry is: 1,
-- how many bytes of the previous key its key begins with; 2, how many more
-- bytes its key has; 3, the size of its value; 4, the key itself; and, if the
-- value is a handle, 5, the offset of a block, and 6, its size. A footer has
-- two handles, of which the second has the fields 7 and 8. `before` is the
-- field that was read before `value`.
CREATE TEMP VIEW IF NOT EXISTS read_contents(block, kind, contents) AS
SELECT NULL, NULL, NULL;
CREATE TEMP TRIGGER IF NOT EXISTS read_entries
INSTEAD OF INSERT ON read_contents WHEN NEW.kind <> 'filter'
BEGIN
  INSERT INTO field
  WITH RECURSIVE step(stop, at, i, value, before, shared, key) AS (
    SELECT CASE NEW.kind WHEN 'footer' THEN 40 ELSE
             length(NEW.contents) - 4 - 4 * (b1.value + (b2.value << 8) +
               (b3.value << 16) + (b4.value << 24)) END,
           1, CASE NEW.kind WHEN 'footer' THEN 4 ELSE 0 END, 0, 0, 0, x''
    FROM byte AS b1, byte AS b2, byte AS b3, byte AS b4
    WHERE b1.b = substr(NEW.contents, -4, 1)
      AND b2.b = substr(NEW.contents, -3, 1)
      AND b3.b = substr(NEW.contents, -2, 1)
      AND b4.b = substr(NEW.contents, -1, 1)
    UNION ALL
    SELECT stop,
           CASE WHEN i <> 3
             THEN at + 1 + (b2.b NOT NULL) + (b3.b NOT NULL) +
               (b4.b NOT NULL) + (b5.b NOT NULL)
             WHEN NEW.kind = 'data' THEN at + before + step.value
             ELSE at + before END,
           CASE WHEN NEW.kind = 'data' AND i = 4
                  OR NEW.kind <> 'footer' AND i = 6 THEN 1 ELSE i + 1 END,
           b1.value % 128 + (1 << 7) * ifnull(b2.value % 128, 0) +
             (1 << 14) * ifnull(b3.value % 128, 0) +
             (1 << 21) * ifnull(b4.value % 128, 0) +
             (1 << 28) * ifnull(b5.value, 0),
           step.value, before,
           CASE i WHEN 3 THEN CAST(ifnull(substr(key, 1, shared), x'') ||
                                   substr(NEW.contents, at, before) AS BLOB)
                  ELSE key END
    FROM step CROSS JOIN byte AS b1 ON b1.b = substr(NEW.contents, at, 1)
    LEFT JOIN byte AS b2
      ON b1.value > 127 AND b2.b = substr(NEW.contents, at + 1, 1)
    LEFT JOIN byte AS b3
      ON b2.value > 127 AND b3.b = substr(NEW.contents, at + 2, 1)
    LEFT JOIN byte AS b4
      ON b3.value > 127 AND b4.b = substr(NEW.contents, at + 3, 1)
    LEFT JOIN byte AS b5
      ON b4.value > 127 AND b5.b = substr(NEW.contents, at + 4, 1)
    WHERE at <= stop AND i < 8
  )
  SELECT NEW.block, NEW.kind, i, before, value, key,
         substr(NEW.contents, at - before, before)
  FROM step
  WHERE at <= stop + 1
    AND i IN (CASE NEW.kind WHEN 'data' THEN 4 ELSE 6 END, 8);
END;

-- A handle names a block that is to be read.
CREATE TEMP VIEW IF NOT EXISTS field(block, kind, i, before, value, key, bytes)
AS SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL;
CREATE TEMP TRIGGER IF NOT EXISTS read_handle
INSTEAD OF INSERT ON field WHEN NEW.kind <> 'data'
BEGIN
  INSERT OR IGNORE INTO block(offset, kind, size)
    SELECT NEW.before,
           CASE NEW.kind WHEN 'index' THEN 'data' WHEN 'metaindex' THEN 'filter'
             ELSE CASE NEW.i WHEN 6 THEN 'metaindex' ELSE 'index' END END,
           NEW.value
    WHERE NEW.kind <> 'metaindex'
      OR NEW.key = CAST('filter.leveldb.BuiltinBloomFilter2' AS BLOB)
      OR NEW.key = CAST('filter.leveldb.BuiltinBloomFilter' AS BLOB);
END;

-- An entry's key is followed by 8 bytes: a type (1 a value, 0 a deletion) and
-- a sequence number of 7 bytes, the lowest first.
CREATE TEMP TRIGGER IF NOT EXISTS read_entry
INSTEAD OF INSERT ON field WHEN NEW.kind = 'data'
BEGIN
  INSERT INTO entry
    SELECT NEW.block, substr(NEW.key, 1, length(NEW.key) - 8),
           b1.value + (b2.value << 8) + (b3.value << 16) + (b4.value << 24) +
             (b5.value << 32) + (b6.value << 40) + (b7.value << 48),
           b0.value, NEW.bytes
    FROM byte AS b0, byte AS b1, byte AS b2, byte AS b3,
         byte AS b4, byte AS b5, byte AS b6, byte AS b7
    WHERE b0.b = substr(NEW.key, -8, 1) AND b1.b = substr(NEW.key, -7, 1)
      AND b2.b = substr(NEW.key, -6, 1) AND b3.b = substr(NEW.key, -5, 1)
      AND b4.b = substr(NEW.key, -4, 1) AND b5.b = substr(NEW.key, -3, 1)
      AND b6.b = substr(NEW.key, -2, 1) AND b7.b = substr(NEW.key, -1, 1);
END;

-- The filter block ends with the offsets of its filters, the offset of the
-- first of these offsets, and a byte 11. Filter i is for the data blocks with
-- offset >> 11 = i.
CREATE TEMP TRIGGER IF NOT EXISTS read_filters
INSTEAD OF INSERT ON read_contents WHEN NEW.kind = 'filter'
BEGIN
  INSERT INTO filter
  WITH RECURSIVE place(i, at, start) AS (
    SELECT -2, length(NEW.contents) - 4, NULL
    UNION ALL
    SELECT i + 1,
           CASE i WHEN -2 THEN 1 + b1.value + (b2.value << 8) +
                               (b3.value << 16) + (b4.value << 24)
                  ELSE at + 4 END,
           b1.value + (b2.value << 8) + (b3.value << 16) + (b4.value << 24)
    FROM place, byte AS b1, byte AS b2, byte AS b3, byte AS b4
    WHERE at <= length(NEW.contents) - 4
      AND b1.b = substr(NEW.contents, at, 1)
      AND b2.b = substr(NEW.contents, at + 1, 1)
      AND b3.b = substr(NEW.contents, at + 2, 1)
      AND b4.b = substr(NEW.contents, at + 3, 1)
  )
  SELECT i, substr(NEW.contents, start + 1, next - start)
  FROM (SELECT i, start, lead(start) OVER (ORDER BY i) AS next FROM place)
  WHERE i >= 0 AND next NOT NULL;
END;
