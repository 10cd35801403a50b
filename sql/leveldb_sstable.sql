-- What a LevelDB file holds. In a table (.ldb, .sst) these are blocks,
-- checksums, filters and keys; in a log (.log, MANIFEST-*) they are records. To
-- read a file of your own:
--
--   sqlite3 -cmd ".parameter set :file readfile('000005.ldb')" \
--     -cmd ".parameter set :key 'SKU-000000016-EU'" < sql/leveldb_sstable.sql
--
-- Without :file, the recipe reads a small table that LevelDB wrote. It puts
-- what it finds into the tables below. To query them, add your queries to the
-- end of a copy of this file.
-- since: 3.28
.load dist/bloom

.parameter init
.read sql/leveldb_sample.sql
INSERT OR IGNORE INTO sqlite_parameters VALUES(':key', 'SKU-000000016-EU');

-- The cache has room for a table's blocks, which are read many times.
PRAGMA temp.cache_size = -100000;

-- Each row is a block. Its contents are uncompressed, and NULL if they cannot
-- be obtained.
CREATE TEMP TABLE block(
  offset INTEGER PRIMARY KEY,
  kind TEXT,        -- footer, metaindex, index, filter or data
  size INTEGER,
  type INTEGER,     -- 0 as it is, 1 compressed with snappy
  stored BLOB,
  contents BLOB
);
CREATE TEMP TABLE filter(i INTEGER PRIMARY KEY, f BLOB);
CREATE TEMP TABLE entry(block INTEGER, key BLOB, tag BLOB);

-- Each row is a record of a log, or the first (2), middle (3) or last (4) part
-- of one.
CREATE TEMP TABLE record(
  offset INTEGER PRIMARY KEY,
  type INTEGER,
  size INTEGER,
  whole INTEGER     -- 1 where its checksum is right
);
CREATE TEMP TABLE problem(offset INTEGER, what TEXT);

-- This table gives the value of each byte.
CREATE TEMP TABLE byte(b BLOB PRIMARY KEY, value INTEGER) WITHOUT ROWID;
WITH RECURSIVE n(value) AS (
  VALUES (0) UNION ALL SELECT value + 1 FROM n WHERE value < 255
)
INSERT INTO byte SELECT substr(leveldb_fixed32(value), 1, 1), value FROM n;

-- Snappy's tags. Each gives the length of a literal or a copy, what to add to
-- the distance of a copy, and how many more bytes of the length or the distance
-- follow. Tags with more than two such bytes are left out: they are for more
-- than the 64 KB that snappy compresses at once.
CREATE TEMP TABLE tag(
  b BLOB PRIMARY KEY, is_copy INTEGER, size INTEGER, distance INTEGER,
  extra INTEGER
) WITHOUT ROWID;
INSERT INTO tag
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
CREATE TEMP VIEW uncompressed AS
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
CREATE TEMP VIEW field AS
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
CREATE TEMP TRIGGER block_read AFTER INSERT ON block WHEN new.kind <> 'footer'
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
    FROM block WHERE offset = new.offset AND type >= 0 AND contents IS NULL;
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
    CAST('filter.leveldb.BuiltinBloomFilter2' AS BLOB));

-- An entry's key is followed by 8 bytes: a type (1 put, 0 deleted) and a
-- sequence number.
INSERT INTO entry
  SELECT block, substr(key, 1, length(key) - 8), substr(key, -8)
  FROM field WHERE kind = 'data' AND i = 4 AND at > 1;

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

-- A log's records are in blocks of 32 KB. The last bytes of a block are unused
-- if they are fewer than the 7 of a record's header. The header is the masked
-- checksum of type and data, the size of the data, and the type.
WITH RECURSIVE part(offset, type, size, whole) AS (
  SELECT 0, NULL, NULL, NULL WHERE NOT EXISTS (SELECT 1 FROM block)
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

-- These are the problems of a file that is neither a table nor a log, and of
-- the records of a log.
INSERT INTO problem
  SELECT 0, 'no log: the checksum of its first record is wrong'
  FROM record WHERE offset = 0 AND whole = 0;
INSERT INTO problem
  SELECT max(0, length(:file) - 8),
         'no table: LevelDB''s magic number is not at its end, which is cut ' ||
         'off or damaged'
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

-- What is damaged, and where.
SELECT * FROM problem;

-- For each kind of block in a table: the number of blocks, their bytes as
-- stored, and how many of them are compressed or cannot be read.
SELECT kind, count(*), sum(size), sum(type = 1), sum(contents IS NULL)
FROM block GROUP BY kind ORDER BY min(offset);
-- data|4|2764|4|0
-- filter|1|107|0|0
-- metaindex|1|48|0|0
-- index|1|86|1|0
-- footer|1|48||0

-- For a log: the number of its records and their bytes, and those of the parts
-- of records that do not fit in one block.
SELECT CASE type WHEN 1 THEN 'whole' WHEN 2 THEN 'first' WHEN 3 THEN 'middle'
                 WHEN 4 THEN 'last' ELSE type END, count(*), sum(size)
FROM record GROUP BY type;

-- These are the first filters of a table.
SELECT i, bytes, probes, round(fill, 2), keys, round(false_positive_rate, 4)
FROM filter, bloom_info(f) ORDER BY i LIMIT 5;
-- 0|73|6|0.4|48|0.0051
-- 1|21|6|0.46|17|0.0119

-- Which filters may have the key, and how many entries with the key are in
-- their blocks?
SELECT i, (SELECT count(*) FROM entry
           WHERE block >> 11 = i AND key = CAST(:key AS BLOB))
FROM filter WHERE bloom_may_match(:key, f);
-- 0|1

-- Each filter equals bloom_build of the keys of its blocks. The number of bits
-- per key is not stored in any file, but it follows from the size of the filter
-- with the most keys.
SELECT count(*) AS filters, sum(f = built) AS equal, sum(keys) AS keys
FROM filter JOIN (
  SELECT block >> 11 AS i, count(*) AS keys, bloom_build(key, (
    SELECT (length(f) - 1) * 8 / keys
    FROM (SELECT block >> 11 AS i, count(*) AS keys FROM entry GROUP BY 1)
    JOIN filter USING (i) ORDER BY keys DESC LIMIT 1)) AS built
  FROM entry GROUP BY 1
) USING (i);
-- 2|2|73
