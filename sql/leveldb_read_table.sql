-- Reads a LevelDB table (.ldb, .sst) from the parameter :file into the tables
-- below, for the recipes that .read this file. It prints nothing, and each
-- further run replaces what the one before has read.

-- The cache has room for a table's blocks, which are read many times.
PRAGMA temp.cache_size = -100000;

-- Each row is a block. Its contents are uncompressed, and NULL if they cannot
-- be obtained.
CREATE TEMP TABLE IF NOT EXISTS block(
  offset INTEGER PRIMARY KEY,
  kind TEXT,        -- footer, metaindex, index, filter or data
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
DELETE FROM block;
DELETE FROM filter;
DELETE FROM entry;
DELETE FROM problem;

-- This table gives the value of each byte.
CREATE TEMP TABLE IF NOT EXISTS byte(b BLOB PRIMARY KEY, value INTEGER)
WITHOUT ROWID;
WITH RECURSIVE n(value) AS (
  VALUES (0) UNION ALL SELECT value + 1 FROM n WHERE value < 255
)
INSERT OR IGNORE INTO byte
SELECT substr(leveldb_fixed32(value), 1, 1), value FROM n;

-- Snappy's tags. Each gives the length of a literal or a copy, what to add to
-- the distance of a copy, and how many more bytes of the length or the distance
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

-- Each step of uncompressing reads a tag or appends bytes. `size` bytes are
-- still to be appended, from the literal here or from `distance` bytes back in
-- the output. A copy that overlaps its own output takes the bytes that are
-- there and continues from twice the distance, where the same bytes are.
CREATE TEMP VIEW IF NOT EXISTS uncompressed AS
WITH RECURSIVE step(block, stop, at, distance, size, contents) AS (
  SELECT offset, size + 1,
         CASE WHEN substr(stored, 1, 1) < x'80' THEN 2
              WHEN substr(stored, 2, 1) < x'80' THEN 3
              WHEN substr(stored, 3, 1) < x'80' THEN 4 ELSE 5 END,
         0, 0, x''
  FROM block WHERE type = 1 AND contents IS NULL
  UNION ALL
  SELECT step.block, stop,
         CASE WHEN step.size = 0 THEN at + 1 + tag.extra
              WHEN step.distance = 0 THEN at + step.size
              ELSE at END,
         CASE WHEN step.size > 0 THEN 2 * step.distance
              WHEN tag.is_copy THEN tag.distance + ifnull(b1.value, 0) +
                                    256 * ifnull(b2.value, 0)
              ELSE 0 END,
         CASE WHEN step.size = 0
              THEN tag.size + CASE WHEN tag.is_copy THEN 0 ELSE
                     ifnull(b1.value, 0) + 256 * ifnull(b2.value, 0) END
              WHEN step.distance = 0 THEN 0
              ELSE step.size - min(step.size, step.distance) END,
         CASE WHEN step.size = 0 THEN step.contents
              WHEN step.distance = 0
              THEN CAST(step.contents || substr(stored, at, step.size) AS BLOB)
              ELSE CAST(step.contents || substr(
                     step.contents,
                     length(step.contents) - step.distance + 1,
                     min(step.size, step.distance)) AS BLOB) END
  FROM step CROSS JOIN block ON block.offset = step.block
  LEFT JOIN tag ON step.size = 0 AND tag.b = substr(stored, at, 1)
  LEFT JOIN byte AS b1 ON extra > 0 AND b1.b = substr(stored, at + 1, 1)
  LEFT JOIN byte AS b2 ON extra > 1 AND b2.b = substr(stored, at + 2, 1)
  WHERE step.size > 0 AND step.distance <= length(step.contents)
     OR step.size = 0 AND tag.b NOT NULL
)
SELECT block, contents FROM step WHERE size = 0 AND at = stop;

-- Entries and handles are read one varint at a time. Field i of an entry is: 1,
-- how many bytes of the previous key its key begins with; 2, how many more
-- bytes its key has; 3, the size of its value; 4, the key itself; and, if the
-- value is a handle, 5, the offset of a block, and 6, its size.
CREATE TEMP VIEW IF NOT EXISTS field AS
WITH RECURSIVE field(block, kind, stop, at, i, value, before, shared, key) AS (
  SELECT offset, kind,
         CASE kind WHEN 'footer' THEN 40 ELSE length(contents) - 4 -
           4 * (b1.value + 256 * b2.value) END,
         1, CASE WHEN kind LIKE '%index' THEN 6 ELSE 4 END, 0, 0, 0, x''
  FROM block
  JOIN byte AS b1 ON b1.b = substr(contents, -4, 1)
  JOIN byte AS b2 ON b2.b = substr(contents, -3, 1)
  WHERE kind <> 'filter'
  UNION ALL
  SELECT field.block, field.kind, stop,
         CASE i WHEN 3
           THEN at + before +
             CASE field.kind WHEN 'data' THEN field.value ELSE 0 END
           ELSE at + 1 + (b2.b NOT NULL) + (b3.b NOT NULL) + (b4.b NOT NULL) +
             (b5.b NOT NULL) END,
         CASE WHEN i = 4 AND field.kind = 'data' THEN 1
              WHEN i < 6 THEN i + 1
              WHEN field.kind = 'footer' THEN 5 ELSE 1 END,
         b1.value % 128 + (1 << 7) * ifnull(b2.value % 128, 0) +
           (1 << 14) * ifnull(b3.value % 128, 0) +
           (1 << 21) * ifnull(b4.value % 128, 0) +
           (1 << 28) * ifnull(b5.value, 0),
         field.value, before,
         CASE i WHEN 3 THEN CAST(ifnull(substr(key, 1, shared), x'') ||
                                 substr(contents, at, before) AS BLOB)
                ELSE key END
  FROM field CROSS JOIN block ON block.offset = field.block
  CROSS JOIN byte AS b1 ON b1.b = substr(contents, at, 1)
  LEFT JOIN byte AS b2 ON b1.value > 127 AND b2.b = substr(contents, at + 1, 1)
  LEFT JOIN byte AS b3 ON b2.value > 127 AND b3.b = substr(contents, at + 2, 1)
  LEFT JOIN byte AS b4 ON b3.value > 127 AND b4.b = substr(contents, at + 3, 1)
  LEFT JOIN byte AS b5 ON b4.value > 127 AND b5.b = substr(contents, at + 4, 1)
  WHERE at <= stop
)
SELECT block, kind, at, i, value, before, key FROM field;

-- A block is followed by its type and the masked checksum of both.
CREATE TEMP TRIGGER IF NOT EXISTS block_read AFTER INSERT ON block
WHEN new.kind <> 'footer'
BEGIN
  INSERT INTO problem
    SELECT new.offset, new.kind || ' block of ' || new.size || ' bytes: ' ||
      CASE WHEN length(new.stored) < new.size + 5
           THEN 'it passes the end of the file'
           ELSE 'its checksum is ' || hex(leveldb_fixed32(crc32c_mask(crc32c(
             substr(new.stored, 1, new.size + 1))))) || ', stored is ' ||
             hex(substr(new.stored, -4)) END
    WHERE (substr(new.stored, new.size + 2) = leveldb_fixed32(crc32c_mask(
             crc32c(substr(new.stored, 1, new.size + 1))))) IS NOT TRUE;
  UPDATE block
    SET type = (SELECT value FROM byte WHERE b = substr(new.stored, -5, 1)),
        stored = substr(new.stored, 1, new.size)
    WHERE offset = new.offset
      AND NOT EXISTS (SELECT 1 FROM problem WHERE offset = new.offset);
  UPDATE block
    SET contents = CASE type
          WHEN 0 THEN stored
          WHEN 1 THEN (SELECT contents FROM uncompressed
                       WHERE block = new.offset) END
    WHERE offset = new.offset;
  INSERT INTO problem
    SELECT offset, kind || ' block of ' || size || ' bytes: type ' || type ||
                   ' is not to be uncompressed here'
    FROM block WHERE offset = new.offset AND contents IS NULL
      AND type IN (0, 1);
END;

-- A table ends with a footer, which has the handles of its metaindex and its
-- index. These have the handles of its filters and its data.
INSERT INTO block(offset, kind, size, contents)
  SELECT length(:file) - 48, 'footer', 48, substr(:file, -48)
  WHERE substr(:file, -8) = x'57fb808b247547db';
INSERT OR IGNORE INTO block(offset, kind, size, stored)
  SELECT before, CASE row_number() OVER (ORDER BY at)
                   WHEN 1 THEN 'metaindex' ELSE 'index' END,
         value, substr(:file, before + 1, value + 5)
  FROM field WHERE kind = 'footer' AND i = 6 ORDER BY at LIMIT 2;
INSERT OR IGNORE INTO block(offset, kind, size, stored)
  SELECT before, CASE kind WHEN 'index' THEN 'data' ELSE 'filter' END, value,
         substr(:file, before + 1, value + 5)
  FROM field WHERE i = 6 AND at > 1 AND (kind = 'index' OR key =
    CAST('filter.leveldb.BuiltinBloomFilter2' AS BLOB)
    OR key = CAST('filter.leveldb.BuiltinBloomFilter' AS BLOB));

-- An entry's key is followed by 8 bytes: a type (1 a value, 0 a deletion) and
-- a sequence number of 7 bytes, the lowest first. The value ends where the next
-- entry begins, and `before` is its size.
INSERT INTO entry
  SELECT field.block, substr(key, 1, length(key) - 8),
         b1.value + (b2.value << 8) + (b3.value << 16) + (b4.value << 24) +
           (b5.value << 32) + (b6.value << 40) + (b7.value << 48),
         b0.value, substr(contents, at - before, before)
  FROM field CROSS JOIN block ON offset = field.block
  CROSS JOIN byte AS b0 ON b0.b = substr(key, -8, 1)
  CROSS JOIN byte AS b1 ON b1.b = substr(key, -7, 1)
  CROSS JOIN byte AS b2 ON b2.b = substr(key, -6, 1)
  CROSS JOIN byte AS b3 ON b3.b = substr(key, -5, 1)
  CROSS JOIN byte AS b4 ON b4.b = substr(key, -4, 1)
  CROSS JOIN byte AS b5 ON b5.b = substr(key, -3, 1)
  CROSS JOIN byte AS b6 ON b6.b = substr(key, -2, 1)
  CROSS JOIN byte AS b7 ON b7.b = substr(key, -1, 1)
  WHERE field.kind = 'data' AND i = 4 AND at > 1;

-- The filter block ends with the offsets of its filters, the offset of the
-- first of these offsets, and a byte 11. Filter i is for the data blocks with
-- offset >> 11 = i.
WITH RECURSIVE place(i, at, start) AS (
  SELECT -2, length(contents) - 4, NULL FROM block WHERE kind = 'filter'
  UNION ALL
  SELECT i + 1,
         CASE i WHEN -2 THEN 1 + b1.value + (b2.value << 8) +
                             (b3.value << 16) + (b4.value << 24)
                ELSE at + 4 END,
         b1.value + (b2.value << 8) + (b3.value << 16) + (b4.value << 24)
  FROM place CROSS JOIN block ON block.kind = 'filter'
  CROSS JOIN byte AS b1 ON b1.b = substr(contents, at, 1)
  CROSS JOIN byte AS b2 ON b2.b = substr(contents, at + 1, 1)
  CROSS JOIN byte AS b3 ON b3.b = substr(contents, at + 2, 1)
  CROSS JOIN byte AS b4 ON b4.b = substr(contents, at + 3, 1)
  WHERE at <= length(contents) - 4
)
INSERT INTO filter
  SELECT i, substr(contents, start + 1, next - start)
  FROM (SELECT i, start, lead(start) OVER (ORDER BY i) AS next FROM place)
  JOIN block ON kind = 'filter'
  WHERE i >= 0 AND next NOT NULL;

INSERT INTO problem
  SELECT max(0, ifnull(length(:file), 0) - 8), CASE
    WHEN ifnull(length(:file), 0) = 0
    THEN 'the file is empty, or cannot be read'
    ELSE 'no table: LevelDB''s magic number is not at its end, which is cut ' ||
         'off or damaged' END
  WHERE NOT EXISTS (SELECT * FROM block);
