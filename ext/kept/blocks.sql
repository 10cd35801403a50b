-- What bloom_create_blocks and bloom_check run for filters of blocks. shared.sql
-- explains the words in braces, and why no row is lost: a block has a filter only
-- once it is closed, and this filter is built from the rows that the table holds
-- then. A row that is stored in the block later adds its key.

-- ---- The numbers of this form.

-- {default_bits}
12
-- {default_number}
4096
-- {least_number}
1
-- {most_number}
1099511627776
-- {views}
{'_spans}

-- ---- What is made.

-- The table's key, and its other columns.
-- {key}
(
  block INTEGER CONSTRAINT
-- {columns}
  f BLOB
)

-- {create}
CREATE TABLE IF NOT EXISTS main.{_blocks}{key} {"made} PRIMARY KEY,
{columns};
DELETE FROM main.{_blocks};

CREATE TRIGGER main.{_blocks_update} AFTER UPDATE ON {t}
WHEN NEW.{c} COLLATE BINARY IS NOT OLD.{c} OR NEW.{id} IS NOT OLD.{id}
{begin}
  {add}
END;

-- A row past the end of the open block closes it: the block of the last row before
-- the row's own block. If that is closed, there is nothing to close, and if the row's
-- own is, its key is added. At first the closed block has no filter, which excludes
-- nothing, and it stays so if the filter is not kept. At last, the blocks before the table's first row are forgotten. SQLite sets
-- up this trigger's registers for each row that is inserted, so its statements are
-- small.
CREATE TRIGGER main.{_blocks_insert} AFTER INSERT ON {t}
WHEN CASE WHEN NEW.{id} / {number} IN (SELECT b.block FROM {_blocks} AS b)
    THEN NEW.{id} >= 0
  WHEN NEW.{id} < {number} THEN 0
  WHEN NEW.{id} / {number} - 1 IN (SELECT b.block FROM {_blocks} AS b) THEN 0
  ELSE 1 END
{begin}
  {add}
  INSERT INTO {_blocks}(block)
    SELECT w.block FROM (
      SELECT o.{id} / {number} AS block FROM {from_t} AS o NOT INDEXED
      WHERE o.{id} < NEW.{id} / {number} * {number}
      ORDER BY o.{id} DESC LIMIT 1) AS w
    WHERE w.block >= 0 AND w.block NOT IN (SELECT b.block FROM {_blocks} AS b);
  UPDATE {_blocks} SET f = (
      SELECT bloom_build_distinct(k.{c}, {bits}) FROM {t} AS k NOT INDEXED
      WHERE k.{id} BETWEEN last_insert_rowid() * {number}
        AND last_insert_rowid() * {number} + ({number} - 1))
    WHERE block = last_insert_rowid() AND f IS NULL AND {is_kept};
  DELETE FROM {_blocks} WHERE block < ifnull((SELECT o.{id} / {number}
    FROM {t} AS o NOT INDEXED WHERE o.{id} >= 0 ORDER BY o.{id} LIMIT 1), 0);
END;

-- The last trigger: see guard.c.
CREATE TRIGGER main.{_blocks_last} AFTER UPDATE OF block ON {_blocks} WHEN NULL
BEGIN
  SELECT 1 AS {"made};
END;

-- All blocks that have rows, except the last, which stays open. No table that is
-- filtered can have the name of {_closed}.
INSERT INTO main.{_blocks}(block, f)
WITH RECURSIVE {_closed}(block) AS (
  SELECT min(k.{id}) / {number} FROM main.{t} AS k WHERE k.{id} >= 0
  UNION ALL
  SELECT (SELECT min(k.{id}) / {number} FROM main.{t} AS k
      WHERE k.{id} >= (c.block + 1) * {number})
  FROM {_closed} AS c
  WHERE c.block < (SELECT max(k.{id}) / {number} FROM main.{t} AS k)
)
SELECT w.block, (
  SELECT bloom_build_distinct(k.{c}, {bits}) FROM main.{t} AS k NOT INDEXED
  WHERE k.{id} BETWEEN w.block * {number} AND w.block * {number} + ({number} - 1))
FROM {_closed} AS w
WHERE w.block < (SELECT max(k.{id}) / {number} FROM main.{t} AS k);

-- Every row is in exactly one of these spans: the closed blocks; the gap after a
-- closed block, to the next one or to the end; and, as the gap after block -1,
-- the ids before the first closed block. A NULL filter excludes nothing. If a
-- trigger is missing, that gap has all rows. The list of blocks is sorted, though
-- it is in order, because SQLite reads all of it then before the first span is
-- returned: a block that is closed meanwhile moves no row to another span. LIMIT
-- keeps SQLite from leaving out the sort. (Window functions fail an assertion of
-- SQLite 3.26 here.)
CREATE VIEW main.{_spans}(first, last, f) AS
SELECT CASE WHEN w.block < 0 THEN -9223372036854775807 - 1
    ELSE (w.block + g.is_gap) * {number} END AS {"made},
  CASE WHEN g.is_gap THEN ifnull(w.next * {number} - 1, 9223372036854775807)
    ELSE min(w.block * {number} + ({number} - 1), 9223372036854775807) END,
  b.f
FROM (SELECT n.block AS block, (SELECT x.block FROM {_blocks} AS x
      WHERE x.block > n.block AND n.kept ORDER BY x.block LIMIT 1) AS next
  FROM (SELECT -1 AS block, (SELECT {is_kept}) AS kept UNION ALL
    SELECT b.block, 1 FROM {_blocks} AS b WHERE b.block >= 0 AND (SELECT {is_kept})) AS n
  ORDER BY n.block + 0 LIMIT -1) AS w
CROSS JOIN (SELECT 0 AS is_gap UNION ALL SELECT 1) AS g
LEFT JOIN {_blocks} AS b ON b.block = w.block AND NOT g.is_gap
WHERE CASE WHEN w.block < 0 THEN g.is_gap
  WHEN NOT g.is_gap THEN 1
  ELSE w.next IS NOT w.block + 1
    AND w.block < 9223372036854775807 / {number} END;

-- The view to query, if the filter was filled.
-- {filled}
SELECT {'_spans}

-- Adds the key of the row to the filter of its block, if the block is closed.
-- {add}
UPDATE {_blocks} SET f = bloom_add(f, NEW.{c})
  WHERE block = NEW.{id} / {number} AND NEW.{id} >= 0
    AND NOT bloom_may_match({new_c}, f);

-- ---- What bloom_check finds.

-- {lost}
SELECT count(*) AS n, min(k.{first}) AS first
FROM main.{_blocks} AS b CROSS JOIN main.{t} AS k NOT INDEXED
  ON {in_block}
WHERE b.block >= 0 AND typeof(b.f) = 'blob' AND NOT bloom_may_match(k.{c}, b.f)

-- {in_block}
k.{id} BETWEEN b.block * {number} AND b.block * {number} + ({number} - 1)

-- The first id of the open block, which is that of the last row.
-- {open}
((SELECT max(k.{id}) FROM main.{t} AS k) / {number} * {number})

-- {check_content}
SELECT 'trigger ' || m.name || ' has another name of the key, so that each write fails', 1
FROM main.sqlite_master AS m
WHERE m.name COLLATE NOCASE IN ({'@_insert}, {'@_update})
  AND instr(lower(m.sql), lower({'new_id})) = 0
UNION ALL
SELECT 'no filter for ' || w.blocks || ' of the blocks, of which the first is ' ||
  w.block, 1
FROM (SELECT count(*) AS blocks, min(b.block) AS block
  FROM main.{_blocks} AS b WHERE b.f IS NULL) AS w
WHERE w.blocks > 0
UNION ALL
SELECT 'block ' || p.block || ' has ' || {what_it_has} ||
  ' instead of a filter, so rows may be lost', 1
FROM main.{_blocks} AS p WHERE p.f IS NOT NULL AND NOT {is_filter}
UNION ALL
SELECT 'the blocks have some ' || (w.rows / w.blocks) || ' rows each, so that their filters'
  || ' cost more than a scan: SELECT ' || {'call} || ' {bits}, ' ||
  min(max(4096 * (({open} - w.first) / w.rows), 2 * {number}), {most_number}) || ')', 0
FROM (SELECT count(*) AS blocks, min(b.block) * {number} AS first,
    sum((SELECT count(*) FROM main.{t} AS k NOT INDEXED WHERE {in_block})) AS rows
  FROM main.{_blocks} AS b WHERE b.block >= 0) AS w
WHERE w.blocks > 8 AND w.rows BETWEEN 1 AND 64 * w.blocks - 1
  AND {number} < {most_number}
UNION ALL
SELECT w.rows || ' of the rows are in no block that has a filter, as where ids are inserted'
  || ' downwards, so that each query reads them', 1
FROM (SELECT count(*) AS rows FROM main.{t} AS k NOT INDEXED
  WHERE k.{id} BETWEEN 0 AND {open} - 1
    AND k.{id} / {number} NOT IN (SELECT b.block FROM main.{_blocks} AS b)) AS w
WHERE w.rows > {number}
UNION ALL
SELECT w.rows || ' of the rows have ids below 0, which no block has, so that each query'
  || ' reads them, and no call would help', 0
FROM (SELECT count(*) AS rows FROM main.{t} AS k NOT INDEXED WHERE k.{id} < 0) AS w
WHERE w.rows > {number}
UNION ALL
SELECT 'more keys than room in ' || w.blocks || ' of the blocks, so that more'
  || ' absent keys pass: block ' || w.block || ' has some ' || w.keys ||
  ' and room for ' || w.room, 1
FROM (SELECT count(*) AS blocks, max(w.keys) AS keys, w.block AS block,
    w.room AS room
  FROM (SELECT p.block AS block,
      bloom_keys(CASE WHEN {is_filter} AND length(p.f) > 9 THEN p.f END) AS keys,
      (length(p.f) - 1) * 8 / {bits} AS room
    FROM main.{_blocks} AS p) AS w
  WHERE w.keys > w.room * 1.5) AS w
WHERE w.blocks > 0

-- {new_id}
NEW.{id}

-- LevelDB's filters have at least 8 bytes, and one for the number of probes.
-- {is_filter}
(typeof(p.f) = 'blob' AND length(p.f) >= 9)

-- Each row of the table must be in one span, whose filter is that of its block.
-- {check_views}
SELECT 'the view of the filter gives other spans than its table has', 1
WHERE (SELECT {rows} FROM main.{_spans} AS s CROSS JOIN main.{t} AS k NOT INDEXED
    ON k.{id} BETWEEN s.first AND s.last
    WHERE s.f IS NULL OR (s.first >= 0 AND s.last / {number} = s.first / {number}
      AND s.f = (SELECT b.f FROM main.{_blocks} AS b WHERE b.block = s.first / {number})))
  <> (SELECT {rows} FROM main.{t} AS k)

-- Which rows, as far as their number and a sum of hashes tell.
-- {rows}
count(*) || ' ' || total(leveldb_hash(k.{id}) & 0xffff)
