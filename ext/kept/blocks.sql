-- What bloom_create_blocks and bloom_drop_blocks run, in this order. shared.sql
-- explains the words in braces.

-- The objects, each with a text that occurs in the SQL of the object that
-- version 1.2 made, without white space; @ stands for the table of blocks.
-- {objects}
SELECT 'table' AS type, {'_blocks} AS name,
  'create table @(block integer primary key, f blob)' AS old
UNION ALL SELECT 'trigger', w.name, 'update @ set f = bloom_add(f,'
FROM ({each_name}) AS w
UNION ALL SELECT 'trigger', {'_blocks_last}, 'no trigger of 1.2'
UNION ALL SELECT 'view', {'_spans}, 'b.f from @ as b'
UNION ALL SELECT 'view', {'_blocks_check}, {'old_call}

-- {names}
{'_blocks_before_insert}, {'_blocks_after_insert}, {'_blocks_before_update},
{'_blocks_after_update}

-- {each_name}
SELECT {'_blocks_before_insert} AS name
UNION ALL SELECT {'_blocks_after_insert}
UNION ALL SELECT {'_blocks_before_update}
UNION ALL SELECT {'_blocks_after_update}

-- {'_table}
{'_blocks}

-- {'_last}
{'_blocks_last}

-- {'_check}
{'_blocks_check}

-- {'_after_insert}
{'_blocks_after_insert}

-- {create}
{check_names}
{drop_triggers_and_views}

CREATE TABLE IF NOT EXISTS main.{_blocks}(
  block INTEGER CONSTRAINT {made} PRIMARY KEY,
  f BLOB
);
DELETE FROM main.{_blocks};

-- The key of a row that is inserted into a closed block, or moves into one, is
-- added to the block's filter twice. It is added before the row is written,
-- because afterwards another trigger may end the statement first; and after the
-- row is written, because some values are not known before, and because the
-- block may have been closed in between. A negative id is in no block, but -1
-- also stands for an id that SQLite assigns: see {new_id}.
CREATE TRIGGER main.{_blocks_before_insert} BEFORE INSERT ON {t}
WHEN NEW.{id} >= -1
  AND {new_id} / {rows} IN (SELECT b.block AS {made} FROM {_blocks} AS b)
BEGIN
  UPDATE {_blocks} SET f = bloom_add(f, {before})
  WHERE block = {new_id} / {rows} AND NOT bloom_may_match({before}, f);
END;

-- A row past the end of the open block closes it. If the block before the row's
-- own is closed, the row is in the open block, and there is nothing to do. To
-- close block n, -1 - n is inserted. If the block may be closed, {_blocks_last}
-- turns this into n; then the filter is built.
CREATE TRIGGER main.{_blocks_after_insert} AFTER INSERT ON {t}
WHEN NEW.{id} >= 0 AND ifnull((SELECT b.block AS {made} FROM {_blocks} AS b
  WHERE b.block <= NEW.{id} / {rows} ORDER BY b.block DESC LIMIT 1), -1)
  IS NOT NEW.{id} / {rows} - 1
BEGIN
  {add_new}
  INSERT INTO {_blocks}(block)
  SELECT -1 - c.block FROM (SELECT {block_before} AS block) AS c
  WHERE c.block IS NOT NULL
    AND c.block NOT IN (SELECT b.block FROM {_blocks} AS b);
  UPDATE {_blocks} SET f = {block_filter}
  WHERE f IS NULL AND block = {block_before};
  -- Forgets the blocks before the table's first row. If the block may not be
  -- closed, this also removes -1 - n.
  DELETE FROM {_blocks} WHERE block < ifnull((SELECT o.{id} / {rows}
    FROM {t} AS o NOT INDEXED WHERE o.{id} >= 0 ORDER BY o.{id} LIMIT 1), 0);
END;

CREATE TRIGGER main.{_blocks_before_update} BEFORE UPDATE ON {t}
WHEN {changed}{inputs}
BEGIN
  UPDATE {_blocks} SET f = bloom_add(f, {before})
  WHERE block = NEW.{id} / {rows} AND NEW.{id} >= 0
    AND NOT bloom_may_match({before}, f) AND 1 IN (SELECT 1 AS {made});
END;

CREATE TRIGGER main.{_blocks_after_update} AFTER UPDATE ON {t}
WHEN {changed}
BEGIN
  {add_new}
END;

-- The last trigger: see {kept}. It also decides whether a block may be closed.
CREATE TRIGGER main.{_blocks_last} AFTER INSERT ON {_blocks}
WHEN NEW.block < 0
BEGIN
  UPDATE {_blocks} SET block = -1 - block
  WHERE block = NEW.block AND 1 IN (SELECT 1 AS {made})
    AND NOT {another_may_end_first};
END;

-- All blocks that have rows, except the last, which stays open.
INSERT INTO main.{_blocks}(block)
WITH RECURSIVE closed(block) AS (
  SELECT min(k.{id}) / {rows} FROM main.{t} AS k WHERE k.{id} >= 0
  UNION ALL
  SELECT (SELECT min(k.{id}) / {rows} FROM main.{t} AS k
      WHERE k.{id} >= (c.block + 1) * {rows})
  FROM closed AS c
  WHERE c.block < (SELECT max(k.{id}) / {rows} FROM main.{t} AS k)
)
SELECT c.block FROM closed AS c
WHERE c.block < (SELECT max(k.{id}) / {rows} FROM main.{t} AS k);
UPDATE main.{_blocks} SET f = {block_filter};

-- Every row is in exactly one of these spans: the closed blocks; the gaps from
-- a closed block to the next one, or to the end; and the ids before the first
-- closed block. A NULL filter excludes nothing. If a trigger is missing, one
-- span has all rows.
CREATE VIEW main.{_spans}(first, last, f) AS
SELECT b.block * {rows} AS {made},
  min(b.block * {rows} + {rows} - 1, 9223372036854775807), b.f
FROM {_blocks} AS b WHERE {kept}
UNION ALL
SELECT (b.block + 1) * {rows},
  ifnull((SELECT n.block * {rows} - 1 FROM {_blocks} AS n
    WHERE n.block > b.block ORDER BY n.block LIMIT 1), 9223372036854775807), NULL
FROM {_blocks} AS b
WHERE NOT EXISTS (SELECT 1 FROM {_blocks} AS n WHERE n.block = b.block + 1)
  AND b.block < 9223372036854775807 / {rows} AND {kept}
UNION ALL
SELECT -9223372036854775807 - 1,
  ifnull((SELECT min(n.block) * {rows} - 1 FROM {_blocks} AS n),
    9223372036854775807), NULL
WHERE {kept}
UNION ALL
SELECT -9223372036854775807 - 1, 9223372036854775807, NULL
WHERE ({kept}) IS NOT 1;

-- A row for each problem.
CREATE VIEW main.{_blocks_check}(problem) AS
SELECT w.problem AS {made} FROM ({check}) AS w;

-- {check}
{check_triggers}
UNION ALL
SELECT 'no filter for ' || w.blocks || ' of the blocks, of which the first is ' ||
  w.block || {'mend}
FROM (SELECT count(*) AS blocks, min(b.block) AS block
  FROM {_blocks} AS b WHERE b.f IS NULL) AS w
WHERE w.blocks > 0
UNION ALL
SELECT 'block ' || b.block || ' has ' || typeof(b.f) || ' instead of a filter' ||
  {'mend}
FROM {_blocks} AS b WHERE typeof(b.f) NOT IN ('blob', 'null')
UNION ALL
SELECT 'no block is closed while there are TEMP triggers, or a trigger on ' ||
  {'t} || ' that may end a row before the filter''s own triggers: insert a row'
  || ' without them, or, if that trigger is newer than the filter' || {'mend}
WHERE {another_may_end_first}
UNION ALL
SELECT 'the blocks have some ' || w.keys ||
  ' different keys each, so that their filters cost more than a scan: '
  || 'SELECT ' || {'call} || {bits} || ', ' ||
  min({rows} * (4096 / max(w.keys, 1)), {most_number}) || ')'
FROM (SELECT count(*) AS blocks,
    sum(length(b.f) - 1) * 8 / {bits} / count(*) AS keys
  FROM {_blocks} AS b WHERE typeof(b.f) = 'blob') AS w
WHERE w.blocks > 8 AND w.keys < 64 AND {rows} < {most_number}
UNION ALL
SELECT 'more keys than room in ' || w.blocks || ' of the blocks: block ' ||
  w.block || ' has some ' || w.keys || ' and room for ' || w.room ||
  ', which lets ' || round(100 * i.false_positive_rate, 1) ||
  ' % of absent keys through' || {'mend}
FROM (SELECT count(*) AS blocks, max(i.keys) AS keys, b.block AS block,
    i.bits / {bits} AS room, b.f AS f
  FROM {_blocks} AS b, bloom_info(b.f) AS i
  WHERE typeof(b.f) = 'blob' AND i.keys > i.bits / {bits} * 1.5
    AND i.bits > 64) AS w,
  bloom_info(w.f) AS i

-- {changed}
NEW.{c} COLLATE BINARY IS NOT OLD.{c} OR NEW.{id} IS NOT OLD.{id}

-- The id that a row gets. In a BEFORE INSERT trigger, NEW.{id} is -1 if SQLite
-- assigns the id.
-- {new_id}
(CASE NEW.{id} WHEN -1 THEN {next_id} ELSE NEW.{id} END)

-- Adds the key to the filter of its block, if the block is closed.
-- {add_new}
UPDATE {_blocks} SET f = bloom_add(f, NEW.{c})
  WHERE block = NEW.{id} / {rows} AND NEW.{id} >= 0
    AND NOT bloom_may_match({new_c}, f) AND 1 IN (SELECT 1 AS {made});

-- The block of the last row before the block of the new row.
-- {block_before}
(SELECT o.{id} / {rows} FROM {t} AS o NOT INDEXED
  WHERE o.{id} >= 0 AND o.{id} < NEW.{id} / {rows} * {rows}
  ORDER BY o.{id} DESC LIMIT 1)

-- The filter of a block, in an UPDATE of the table of blocks.
-- {block_filter}
(SELECT bloom_build_distinct(k.{c}, {bits}) FROM {t} AS k NOT INDEXED
    WHERE k.{id} BETWEEN {_blocks}.block * {rows}
      AND {_blocks}.block * {rows} + ({rows} - 1))
