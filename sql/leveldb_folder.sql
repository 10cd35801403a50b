-- What a LevelDB folder holds, for leveldb_newest.sql and for the packages of
-- Python and Node, which run this file after they have filled two tables:
--
--   file(name, path, content)  the folder's files; content, or else the path,
--                              which the function readfile reads
--   wanted(form, key)          one row: 'table' and NULL, or a prefix, or 'get'
--                              and a key, of which alone is read
--
-- It changes nothing in the folder, reads the files that are LevelDB's by their
-- names, each once, and prints nothing. It can be run again for other files.
DROP TABLE IF EXISTS temp.current;
DROP TABLE IF EXISTS temp.edit;
DROP TABLE IF EXISTS temp.state;
DROP TABLE IF EXISTS temp.live_file;
DROP TABLE IF EXISTS temp.source;
DROP TABLE IF EXISTS temp.item;
DROP TABLE IF EXISTS temp.odd;
DROP TABLE IF EXISTS temp.damage;
DROP TABLE IF EXISTS temp.touched;
DROP VIEW IF EXISTS temp.record;
DROP VIEW IF EXISTS temp.newest;
DROP VIEW IF EXISTS temp.newest_text;

-- CURRENT names the MANIFEST, whose edits tell which tables and logs are live.
CREATE TEMP TABLE current AS
SELECT CASE WHEN substr(text, -1) = x'0a'
  THEN CAST(substr(text, 1, length(text) - 1) AS TEXT) END AS named, NULL AS manifest,
  NULL AS own
FROM (SELECT max(ifnull(content, readfile(path))) AS text
      FROM file WHERE name = 'CURRENT');
CREATE TEMP TABLE edit AS
SELECT edit.offset, kind, size, type, sequence, key, value, damage
FROM current CROSS JOIN file ON name = named
  CROSS JOIN leveldb_read(ifnull(content, readfile(path)), 'manifest') AS edit
WHERE kind <> 'record' OR damage NOT NULL;

-- Of each number, the one that was written last counts.
CREATE TEMP TABLE state AS
SELECT kind AS what, sequence AS number, max(rowid) FROM edit
WHERE kind IN ('log number', 'previous log number', 'next file number',
               'last sequence') GROUP BY kind;

-- A table is live if the last edit of it at its level adds it. An edit deletes
-- before it adds. Keys end with 8 bytes of their sequence numbers and types.
CREATE TEMP TABLE live_file AS
SELECT sequence AS number, type AS level, size, times,
  substr(key, 1, length(key) - 8) AS first,
  substr(value, 1, length(value) - 8) AS last, substr(value, -8) AS last_tag
FROM (SELECT type, sequence, kind, size, key, value,
             sum(kind = 'new file') - sum(kind <> 'new file') AS times,
             max(2 * offset + (kind = 'new file'))
      FROM edit WHERE kind IN ('new file', 'deleted file')
      GROUP BY type, sequence)
WHERE kind = 'new file';

-- Keys of different bytes may be one key to another comparator than LevelDB's.
UPDATE current SET manifest = (SELECT name FROM file WHERE name = named), own = (
  SELECT CAST(key AS TEXT) FROM edit
  WHERE kind = 'comparator' AND key <> CAST('leveldb.BytewiseComparator' AS BLOB));

-- The tables and logs, in the order in which LevelDB's Get asks them: first the
-- logs and the tables of level 0, the newest first. live is NULL without a
-- MANIFEST that LevelDB would accept.
CREATE TEMP TABLE source AS
SELECT row_number() OVER (
         ORDER BY live IS 0, form = 'table', level,
           CASE WHEN ifnull(level, 0) = 0 THEN -number END, first) AS rank, *
FROM (
  SELECT name, form, number, level, size, first, last, last_tag,
    CASE WHEN EXISTS (SELECT * FROM edit WHERE damage NOT NULL
                      AND kind NOT IN ('torn', 'skipped'))
           OR 3 > (SELECT count(*) FROM state
                   WHERE what <> 'previous log number') THEN NULL
         WHEN form = 'log'
         THEN number IN (SELECT number FROM state
                         WHERE what = 'previous log number')
           OR number >= (SELECT number FROM state WHERE what = 'log number')
         ELSE size NOT NULL END AS live
  FROM (SELECT name, CAST(name AS INTEGER) AS number,
               CASE WHEN name LIKE '%.log' THEN 'log' ELSE 'table' END AS form
        FROM file WHERE name GLOB '[0-9]*.log' OR name GLOB '[0-9]*.ldb'
          OR name GLOB '[0-9]*.sst'
            AND replace(name, '.sst', '.ldb') NOT IN (SELECT name FROM file))
    LEFT JOIN live_file USING (number)
  WHERE name GLOB printf('%06d.???', number)
  GROUP BY name);

-- Each row is an entry, or damage. If one key or a prefix is wanted, tables
-- that are not live, or without it in their range, are not read.
CREATE TEMP TABLE item AS
SELECT rank, item.offset AS block, kind, type, sequence, item.key, item.value,
  damage
FROM wanted CROSS JOIN source JOIN file USING (name) CROSS JOIN leveldb_read(
  ifnull(content, readfile(path)),
  CASE WHEN source.form = 'log' THEN 'log'
       WHEN (SELECT own FROM current) IS NULL THEN wanted.form
       ELSE 'table' END,
  CASE WHEN (SELECT own FROM current) IS NULL THEN wanted.key END,
  source.size) AS item
WHERE (kind IN ('entry', 'spared') OR damage NOT NULL)
  AND (kind <> 'entry' OR wanted.key IS NULL OR item.key = wanted.key
       OR wanted.form = 'table'
         AND substr(item.key, 1, length(wanted.key)) = wanted.key)
  AND (wanted.key IS NULL OR live IS NULL
       OR live AND (source.form = 'log' OR (SELECT own FROM current) NOT NULL
         OR last >= wanted.key AND (first <= wanted.key
           OR substr(first, 1, length(wanted.key)) = wanted.key)));
CREATE INDEX temp.items ON item(key, sequence DESC, rank)
WHERE kind = 'entry';

-- Entries of a key that is older than one which Get asks later, and pairs of
-- writes with one sequence number.
CREATE TEMP TABLE odd AS
SELECT key, rank, sequence, newer, entry, before FROM (
  SELECT key, rank, sequence, rowid AS entry, lag(rank) OVER of_key AS upper,
         lag(sequence) OVER of_key AS newer, lag(rowid) OVER of_key AS before
  FROM item WHERE kind = 'entry'
    AND rank IN (SELECT rank FROM source WHERE live IS NOT 0)
  WINDOW of_key AS (PARTITION BY key ORDER BY sequence DESC, rank))
WHERE rank < upper OR sequence = newer;

-- What is damaged, where, and what LevelDB does: 'none' if it opens the folder
-- and reads the same, 'loss' if it reads less, or other rows by Get than by its
-- iterator, and 'refusal' if it does not open the folder. first and last are the
-- keys that it may touch, of which NULL is no bound.
CREATE TEMP TABLE damage(
  name TEXT, offset INTEGER, what TEXT, effect TEXT, first BLOB, last BLOB);
INSERT INTO damage
SELECT 'CURRENT', 0, CASE
  WHEN 'CURRENT' NOT IN (SELECT name FROM file) THEN 'the file is missing'
  ELSE ifnull('it names ' || CASE WHEN named GLOB '*[^ -~]*'
                THEN quote(CAST(substr(named, 1, 40) AS BLOB))
                ELSE substr(named, 1, 40) END || ', which is missing',
              'it does not end with a newline') END,
  'refusal', NULL, NULL
FROM current WHERE manifest IS NULL AND EXISTS (SELECT * FROM source)
UNION ALL SELECT manifest, offset, damage,
  CASE kind WHEN 'torn' THEN 'none' WHEN 'skipped' THEN 'loss'
            ELSE 'refusal' END, NULL, NULL
FROM current, edit WHERE damage NOT NULL
UNION ALL SELECT manifest, 0, 'the MANIFEST has no ' || what, 'refusal', NULL,
  NULL
FROM current, (SELECT 'log number' AS what UNION ALL SELECT 'next file number'
               UNION ALL SELECT 'last sequence')
WHERE manifest NOT NULL AND what NOT IN (SELECT what FROM state)
UNION ALL SELECT manifest, 0, 'its next file number is not free: ' || number,
  'loss', NULL, NULL
FROM current, state WHERE what = 'next file number'
  AND number <= (SELECT ifnull(max(number), 0) FROM live_file)
UNION ALL SELECT printf('%06d.ldb', number), 0, 'the file is missing',
  'refusal', first, last
FROM live_file WHERE number NOT IN (SELECT number FROM source
                                    WHERE form = 'table')
UNION ALL SELECT printf('%06d.log', number), 0, 'the file is missing', 'loss',
  NULL, NULL
FROM state WHERE what = 'log number' AND number > 0
  AND number NOT IN (SELECT number FROM source WHERE form = 'log')
UNION ALL SELECT printf('%06d.ldb', number), 0, 'the MANIFEST has it twice',
  'loss', NULL, NULL
FROM live_file GROUP BY number HAVING count(*) > 1 OR times > 1;

INSERT INTO damage
SELECT name, block, damage || CASE kind WHEN 'entry' THEN ': ' || count(*)
                                        ELSE '' END,
  CASE WHEN live IS 0 OR kind IN ('torn', 'long', 'filter') THEN 'none'
       ELSE 'loss' END,
  CASE WHEN damage = 'keys out of order' THEN min(key, first)
       WHEN kind = 'entry' THEN min(key)
       WHEN kind = 'data block' THEN ifnull(key, first) ELSE first END,
  CASE WHEN damage = 'keys out of order' THEN max(key, last)
       WHEN kind = 'entry' THEN max(key)
       WHEN kind = 'data block' THEN ifnull(value, last) ELSE last END
FROM item JOIN source USING (rank) JOIN current
WHERE damage NOT NULL AND (own IS NULL OR damage <> 'keys out of order')
GROUP BY rank, block, kind, damage
UNION ALL SELECT name, block, 'keys outside the range in the MANIFEST: ' ||
  count(*), 'loss', min(key), max(key)
FROM item JOIN source USING (rank) JOIN current
WHERE kind = 'entry' AND live AND own IS NULL AND key NOT BETWEEN first AND last
GROUP BY rank, block
UNION ALL SELECT name, 0, 'entries that LevelDB skips, newer than the last ' ||
  'write: ' || count(*), 'loss', min(key), max(key)
FROM item JOIN source USING (rank)
WHERE kind = 'entry' AND live AND sequence NOT BETWEEN 0 AND (
  SELECT min(max(number), (1 << 56) - 1) FROM (
    SELECT number FROM state WHERE what = 'last sequence'
    UNION ALL SELECT max(sequence) FROM item JOIN source USING (rank)
    WHERE kind = 'entry' AND form = 'log' AND live))
GROUP BY rank
UNION ALL SELECT name, 0, 'its range overlaps that of a table of its level',
  'loss', first, before
FROM (SELECT *, max(last) OVER (PARTITION BY level ORDER BY first, rank
                                ROWS BETWEEN UNBOUNDED PRECEDING
                                AND 1 PRECEDING) AS before
      FROM source WHERE live AND level > 0) JOIN current
WHERE first < before AND own IS NULL
UNION ALL SELECT name, 0, 'its last key is an older one in the MANIFEST, ' ||
  'so that Get does not find it', 'loss', last, last
FROM (SELECT *, (SELECT leveldb_fixed64(sequence << 8 | type) FROM item
                 WHERE kind = 'entry' AND key = last AND rank = source.rank
                 ORDER BY sequence LIMIT 1) AS tag FROM source) JOIN current
WHERE live AND own IS NULL AND tag <> last_tag
UNION ALL SELECT name, 0, 'Get finds older entries here than the iterator ' ||
  'elsewhere: ' || count(*), 'loss', min(key), max(key)
FROM odd JOIN source USING (rank) JOIN current
WHERE live AND sequence < newer AND own IS NULL GROUP BY rank
UNION ALL SELECT name, 0, 'another write has the same sequence number', 'loss',
  min(odd.key), max(odd.key)
FROM odd JOIN source USING (rank) JOIN item ON item.rowid = entry
  JOIN item AS other ON other.rowid = before
WHERE odd.sequence = newer
  AND (item.type <> other.type OR item.value IS NOT other.value)
GROUP BY odd.rank;

-- Up to which key damage that begins at this one, or before, may touch keys: to
-- the last, or without an end. Another comparator's order is not known.
CREATE TEMP TABLE touched AS
SELECT first, max(last) OVER sorted AS last, max(endless) OVER sorted AS endless
FROM (SELECT CASE WHEN own IS NULL THEN ifnull(first, x'') ELSE x'' END AS first,
             max(last) AS last, max(own NOT NULL OR last IS NULL) AS endless
      FROM damage JOIN current WHERE effect <> 'none' GROUP BY 1)
WINDOW sorted AS (ORDER BY first);
CREATE INDEX temp.touches ON touched(first);

-- Every entry that was read, in every file: also old values and deletions
-- (type 0), and what the MANIFEST leaves out (live 0).
CREATE TEMP VIEW record AS
SELECT name, live, level, block, sequence, type, key, value
FROM item JOIN source USING (rank) WHERE kind = 'entry';

-- Of each key, the entry with the highest sequence number counts, if it is not
-- a deletion: of the live files, or of all if there is no MANIFEST. doubt is 1
-- where damage can touch the row.
CREATE TEMP VIEW newest AS
SELECT key, value, ifnull((
  SELECT endless OR pair.key <= last FROM touched WHERE first <= pair.key
  ORDER BY first DESC LIMIT 1), 0) AS doubt
FROM (SELECT key, type, value, max(sequence) FROM item
      WHERE kind = 'entry'
        AND rank IN (SELECT rank FROM source WHERE live IS NOT 0)
      GROUP BY key) AS pair
WHERE type = 1;

-- The same for keys and values that are UTF-8.
CREATE TEMP VIEW newest_text AS
SELECT CAST(key AS TEXT) AS key, CAST(value AS TEXT) AS value, doubt FROM newest;
