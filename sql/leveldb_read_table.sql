-- Reads LevelDB tables (.ldb, .sst), for the recipes that .read this file. It
-- prints nothing. After it,
--
--   INSERT INTO read_table VALUES (readfile('000005.ldb'));
--
-- fills the tables below with what the file has, in place of what they had.
.read sql/leveldb_read_bytes.sql

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

-- Blocks of other types than 0 and 1, which cannot be uncompressed here, are
-- added to this table, in the database :inflated. A client that sets `contents`
-- makes them readable: leveldb_newest.sql has one.
ATTACH :inflated AS inflated;
CREATE TABLE IF NOT EXISTS inflated.inflated(
  type INTEGER, stored BLOB, contents BLOB, PRIMARY KEY (type, stored)
);

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
      WHEN substr(NEW.file, -8) = x'f7cff485b741e288'
      THEN 'no table of LevelDB: RocksDB''s magic number is at its end'
      ELSE 'no table: LevelDB''s magic number is not at its end, which is ' ||
           'cut off or damaged' END
    WHERE substr(NEW.file, -8) IS NOT x'57fb808b247547db'
      OR length(NEW.file) < 48;
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
  UPDATE block
    SET stored = substr(NEW.stored, 1, size),
        type = (SELECT value FROM byte
                WHERE b = substr(NEW.stored, NEW.size + 1, 1))
    WHERE offset = NEW.offset AND length(NEW.stored) = NEW.size + 5
      AND substr(NEW.stored, -4) = leveldb_fixed32(crc32c_mask(crc32c(
            substr(NEW.stored, 1, NEW.size + 1))));
  UPDATE block SET contents = stored WHERE offset = NEW.offset AND type = 0;
  INSERT INTO uncompress
    SELECT offset, stored FROM block WHERE offset = NEW.offset AND type = 1;
  INSERT OR IGNORE INTO inflated
    SELECT type, stored, NULL FROM block
    WHERE offset = NEW.offset AND type > 1;
  UPDATE block
    SET contents = (SELECT contents FROM inflated
                    WHERE type = block.type AND stored = block.stored)
    WHERE offset = NEW.offset AND type > 1;
  INSERT INTO problem
    SELECT offset, kind || ' block of ' || size || ' bytes: ' ||
      CASE WHEN length(NEW.stored) IS NOT NEW.size + 5
           THEN 'it passes the end of the file'
           WHEN type IS NULL THEN 'its checksum is wrong'
           ELSE 'type ' || type || ' is not to be uncompressed here: ' ||
             CASE WHEN type = 1 THEN 'damaged snappy'
                  WHEN type = 2 AND substr(stored, 1, 4) = x'28b52ffd'
                  THEN 'zstd, probably'
                  WHEN type = 2 THEN 'zlib, probably'
                  WHEN type = 4 THEN 'raw deflate, probably'
                  ELSE 'not a type of LevelDB''s' END END
    FROM block WHERE offset = NEW.offset AND contents IS NULL;
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
-- a size follows if all tags are right, and so is the size of the output.
CREATE TEMP VIEW IF NOT EXISTS uncompress(block, stored) AS SELECT NULL, NULL;
CREATE TEMP TRIGGER IF NOT EXISTS uncompress INSTEAD OF INSERT ON uncompress
BEGIN
  DELETE FROM piece;
  INSERT INTO piece VALUES (0, x'');
  INSERT INTO append
  WITH RECURSIVE step(tag_at, at, size, distance, total) AS (
    SELECT n + 1, 0, 0, NULL, (
             SELECT sum(b.value % 128 << 7 * i.value)
             FROM byte i CROSS JOIN byte b
             WHERE b.b = substr(NEW.stored, i.value + 1, 1) AND i.value < n)
    FROM (SELECT CASE WHEN substr(NEW.stored, 1, 1) < x'80' THEN 1
                      WHEN substr(NEW.stored, 2, 1) < x'80' THEN 2
                      WHEN substr(NEW.stored, 3, 1) < x'80' THEN 3
                      WHEN substr(NEW.stored, 4, 1) < x'80' THEN 4
                      ELSE 5 END AS n)
    UNION ALL
    SELECT tag_at + 1 + extra + CASE WHEN is_copy THEN 0 ELSE
             tag.size + ifnull(b1.value, 0) + 256 * ifnull(b2.value, 0) END,
           at + step.size,
           tag.size + CASE WHEN is_copy THEN 0 ELSE
             ifnull(b1.value, 0) + 256 * ifnull(b2.value, 0) END,
           CASE WHEN is_copy THEN
             tag.distance + b1.value + 256 * ifnull(b2.value, 0) END,
           total
    FROM step LEFT JOIN tag ON tag.b = substr(NEW.stored, tag_at, 1)
    LEFT JOIN byte b1 ON extra > 0 AND b1.b = substr(NEW.stored, tag_at + 1, 1)
    LEFT JOIN byte b2 ON extra > 1 AND b2.b = substr(NEW.stored, tag_at + 2, 1)
    WHERE (tag.b NOT NULL OR tag_at = length(NEW.stored) + 1)
      AND (step.distance IS NULL OR step.distance BETWEEN 1 AND at)
  )
  SELECT NEW.block, at, size, distance, substr(NEW.stored, tag_at - size, size)
  FROM step WHERE size > 0 OR size IS NULL AND at = total;
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

-- At the end, the pieces are joined.
CREATE TEMP TRIGGER IF NOT EXISTS uncompressed INSTEAD OF INSERT ON append
WHEN NEW.size IS NULL
BEGIN
  DELETE FROM part;
  INSERT INTO part
    SELECT 0, 0, row_number() OVER (ORDER BY at) - 1, bytes FROM piece;
  INSERT INTO join_parts SELECT value FROM byte WHERE value < 17;
  UPDATE block SET contents = (SELECT bytes FROM part) WHERE offset = NEW.block;
END;

-- Entries and handles are read one varint at a time. Field i of an entry is: 1,
-- how many bytes of the previous key its key begins with; 2, how many more
-- bytes its key has; 3, the size of its value; 4, the key itself; and, if the
-- value is a handle, 5, the offset of a block, and 6, its size. A footer has
-- two handles, of which the second has the fields 7 and 8. `before` is the
-- field that was read before `value`, and `next` is where the next entry
-- begins. Entries end before the offsets of those with whole keys, of which the
-- first is 0, and the number of these offsets. LevelDB reads no entry of the
-- block after one that is wrong, which has i = -1.
CREATE TEMP VIEW IF NOT EXISTS read_contents(block, kind, bytes) AS
SELECT NULL, NULL, NULL;
CREATE TEMP TRIGGER IF NOT EXISTS read_entries
INSTEAD OF INSERT ON read_contents WHEN NEW.kind <> 'filter'
BEGIN
  INSERT INTO field
  WITH RECURSIVE step(stop, at, i, value, before, shared, key, next) AS (
    SELECT CASE NEW.kind WHEN 'footer' THEN 40 ELSE stop END, 1,
           CASE WHEN NEW.kind = 'footer' THEN 4
                WHEN NEW.bytes = x'00000000'
                  OR stop BETWEEN 0 AND length(NEW.bytes) - 8
                    AND substr(NEW.bytes, stop + 1, 4) = x'00000000' THEN 0
                ELSE -1 END,
           0, 0, 0, x'', NULL
    FROM (SELECT length(NEW.bytes) - 4 - 4 * (
            SELECT sum(b.value << 8 * i.value) FROM byte i CROSS JOIN byte b
            WHERE b.b = substr(NEW.bytes, i.value - 4, 1) AND i.value < 4
          ) AS stop)
    UNION ALL
    SELECT stop,
           CASE WHEN i = 6 AND NEW.kind <> 'footer' THEN next
             WHEN i <> 3 THEN at + 1 + (b2.b NOT NULL) + (b3.b NOT NULL) +
               (b4.b NOT NULL) + (b5.b NOT NULL)
             WHEN NEW.kind = 'data' THEN at + before + step.value
             ELSE at + before END,
           CASE WHEN NEW.kind = 'data' AND i = 4 THEN 1
                WHEN NEW.kind <> 'footer' AND i = 6 THEN 0
                WHEN i <> 3 OR at + before + step.value <= stop + 1
                  AND shared <= length(key) THEN i + 1
                ELSE -1 END,
           CASE WHEN coalesce(b5.value, b4.value, b3.value, b2.value,
                              b1.value) < 128
                THEN b1.value % 128 + (1 << 7) * ifnull(b2.value % 128, 0) +
                  (1 << 14) * ifnull(b3.value % 128, 0) +
                  (1 << 21) * ifnull(b4.value % 128, 0) +
                  (1 << 28) * ifnull(b5.value, 0) END,
           step.value, before,
           CASE i WHEN 3 THEN CAST(ifnull(substr(key, 1, shared), x'') ||
                                   substr(NEW.bytes, at, before) AS BLOB)
                  ELSE key END,
           CASE i WHEN 3 THEN at + before + step.value ELSE next END
    FROM step LEFT JOIN byte b1 ON b1.b = substr(NEW.bytes, at, 1)
    LEFT JOIN byte b2 ON b1.value > 127 AND b2.b = substr(NEW.bytes, at + 1, 1)
    LEFT JOIN byte b3 ON b2.value > 127 AND b3.b = substr(NEW.bytes, at + 2, 1)
    LEFT JOIN byte b4 ON b3.value > 127 AND b4.b = substr(NEW.bytes, at + 3, 1)
    LEFT JOIN byte b5 ON b4.value > 127 AND b5.b = substr(NEW.bytes, at + 4, 1)
    WHERE at <= stop AND i BETWEEN 0 AND 7
      OR i = 3 OR i = 6 AND NEW.kind <> 'footer'
  )
  SELECT NEW.block, NEW.kind,
         CASE WHEN i IN (CASE NEW.kind WHEN 'data' THEN 4 ELSE 6 END, 8)
              THEN i ELSE -1 END,
         before, CASE WHEN at > next THEN NULL ELSE value END, key,
         substr(NEW.bytes, at - before, before)
  FROM step
  WHERE i IN (CASE NEW.kind WHEN 'data' THEN 4 ELSE 6 END, 8, -1)
    OR at > stop + (i = 0 OR NEW.kind = 'data' AND i = 4) AND i <> 3;
END;

-- A handle names a block that is to be read.
CREATE TEMP VIEW IF NOT EXISTS field(block, kind, i, before, value, key, bytes)
AS SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL;
CREATE TEMP TRIGGER IF NOT EXISTS read_handle
INSTEAD OF INSERT ON field WHEN NEW.kind <> 'data' OR NEW.i < 0
BEGIN
  INSERT INTO problem
    SELECT NEW.block, NEW.kind || CASE WHEN NEW.i > 0
      THEN ': a handle is wrong'
      ELSE ': an entry is wrong, and what follows in its block is skipped' END
    WHERE NEW.i < 0 OR NEW.before IS NULL OR NEW.value IS NULL
      OR NEW.before IN (SELECT offset FROM block);
  INSERT OR IGNORE INTO block(offset, kind, size)
    SELECT NEW.before,
           CASE NEW.kind WHEN 'index' THEN 'data' WHEN 'metaindex' THEN 'filter'
             ELSE CASE NEW.i WHEN 6 THEN 'metaindex' ELSE 'index' END END,
           NEW.value
    WHERE NEW.i > 0 AND NEW.before NOT NULL AND NEW.value NOT NULL
      AND (NEW.kind <> 'metaindex' OR CAST(NEW.key AS TEXT) IN (
        'filter.leveldb.BuiltinBloomFilter2',
        'filter.leveldb.BuiltinBloomFilter'));
END;

-- An entry's key is followed by 8 bytes: a type (1 a value, 0 a deletion) and
-- a sequence number of 7 bytes, the lowest first.
CREATE TEMP TRIGGER IF NOT EXISTS read_entry
INSTEAD OF INSERT ON field WHEN NEW.kind = 'data' AND NEW.i > 0
BEGIN
  INSERT INTO entry
    SELECT NEW.block, substr(NEW.key, 1, length(NEW.key) - 8),
           (SELECT sum(b.value << 8 * i.value) FROM byte i CROSS JOIN byte b
            WHERE b.b = substr(NEW.key, i.value - 7, 1) AND i.value < 7),
           value, NEW.bytes
    FROM byte
    WHERE b = substr(NEW.key, -8, 1) AND value < 2 AND length(NEW.key) > 7;
  INSERT INTO problem
    SELECT NEW.block, 'data block: a key ends with ' || hex(substr(NEW.key, -8))
    WHERE length(NEW.key) < 8 OR substr(NEW.key, -8, 1) NOT IN (x'00', x'01');
END;

-- The filter block ends with the offsets of its filters, the offset of the
-- first of these offsets, and a byte 11. Filter i is for the data blocks with
-- offset >> 11 = i. Filter blocks that end with another byte are left out.
CREATE TEMP TRIGGER IF NOT EXISTS read_filters
INSTEAD OF INSERT ON read_contents WHEN NEW.kind = 'filter'
BEGIN
  INSERT OR IGNORE INTO filter
  WITH RECURSIVE place(i, at) AS (
    SELECT 0, 1 + sum(b.value << 8 * i.value) FROM byte i CROSS JOIN byte b
    WHERE b.b = substr(NEW.bytes, i.value - 5, 1) AND i.value < 4
    UNION ALL
    SELECT i + 1, at + 4 FROM place WHERE at < length(NEW.bytes) - 4
  ), filter_place AS (
    SELECT i, (SELECT sum(b.value << 8 * n.value) FROM byte n CROSS JOIN byte b
               WHERE b.b = substr(NEW.bytes, at + n.value, 1) AND n.value < 4
              ) AS start
    FROM place
  )
  SELECT i, substr(NEW.bytes, start + 1, next - start)
  FROM (SELECT i, start, lead(start) OVER (ORDER BY i) AS next
        FROM filter_place)
  WHERE next NOT NULL AND substr(NEW.bytes, -1) = x'0b';
END;
