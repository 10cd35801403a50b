-- What bloom_create_parts and bloom_check run for filters in parts. shared.sql
-- explains the words in braces, and why no row is lost: the parts are only made
-- anew from the table itself, and a row that is not in it then adds its key later,
-- when it is stored.

-- ---- The numbers of this form. All parts are one allocation, which has at most
-- 64 bytes for each part besides its filter.

-- {default_bits}
10
-- {default_number}
0
-- {least_number}
0
-- {most_number}
({first_keys} * min({max_parts}, {max_bytes} / ({capacity} * {bits} / 8 + 64)))
-- {views}
{'_part}, {'_filter}

-- Parts are made for {first_keys} keys each on average, and have the size of
-- {capacity} keys, since keys do not divide evenly; a part that has more than
-- {many_keys} right then has keys that do not divide by chance alone. When a part has
-- more than {room} keys, all parts are made anew, up to twice as many, but {most_parts}
-- at most. But where the parts have no more than {many_keys} keys on average, that part
-- has keys that do not divide, perhaps because somebody has chosen them: it gets more
-- room instead, so that such keys cannot have the table read again and again.
-- {first_keys}
1000
-- {many_keys}
1200
-- {room}
1400
-- {capacity}
1500

-- {most_parts}
({most} / {first_keys})

-- ---- What is made.

-- The table's key, and its other columns: how many parts there are; how many keys a
-- part has got, and how many it has room for before all grow; in row -1 alone, the handle
-- of new parts; and the filter.
-- {key}
(
  part INTEGER CONSTRAINT
-- {columns}
  parts INTEGER NOT NULL,
  keys INTEGER NOT NULL,
  room INTEGER NOT NULL,
  handle INTEGER,
  f BLOB NOT NULL
)

-- {create}
CREATE TABLE IF NOT EXISTS main.{_parts}{key} {"made} PRIMARY KEY,
{columns};
DELETE FROM main.{_parts};

CREATE TRIGGER main.{_parts_update} AFTER UPDATE ON {t}
WHEN NEW.{c} COLLATE BINARY IS NOT OLD.{c}
{begin}
  {add}
END;

CREATE TRIGGER main.{_parts_insert} AFTER INSERT ON {t}
{begin}
  {add}
END;

-- While parts grow, row -1 stands for all new parts: it has their number, how many keys
-- they have, and their handle. SQLite sets up the registers of this trigger for each
-- key that is added, so the rest stands in the next two. If one of these is missing,
-- the row goes all the same.
CREATE TRIGGER main.{_parts_extend} AFTER UPDATE OF keys ON {_parts}
WHEN NEW.keys > NEW.room AND NEW.part >= 0 AND NEW.parts < {most_parts}
BEGIN
  INSERT INTO {_parts}(part, parts, keys, room, f)
  SELECT -1 AS {"made}, min(2 * NEW.parts, {most_parts}), 0, 0, x'';
  DELETE FROM {_parts} WHERE part = -1;
END;

-- There may be fewer keys than rows, or than were added to the old parts: if so, the
-- parts are made once more, with as many as these keys need. There is no handle if the
-- filter is not kept, and then nothing grows.
CREATE TRIGGER main.{_parts_grow} AFTER INSERT ON {_parts} WHEN NEW.part = -1
BEGIN
  UPDATE {_parts} SET room = 2 * keys WHERE keys > room AND (SELECT 1 AS {"made});
  UPDATE {_parts} SET handle = bloom_build_kept({'t}, {'c}, parts, {bits}, {capacity})
    WHERE part = -1 AND {are_full};
  UPDATE {_parts} SET keys = ifnull(bloom_keys(handle), parts * {first_keys})
    WHERE part = -1 AND handle IS NOT NULL;
  UPDATE {_parts} SET parts = {parts_for_keys},
    handle = bloom_build_kept({'t}, {'c}, {parts_for_keys}, {bits}, {capacity})
    WHERE part = -1 AND handle IS NOT NULL AND parts >= 2 * {parts_for_keys};
  DELETE FROM {_parts} WHERE part = -1;
END;

-- Writes the new parts, which it reads from row -1 by OLD: from the table, SQLite would
-- copy all of them first. A part that matches every key counts as having more keys than
-- it can tell. (If SQLITE_LIMIT_EXPR_DEPTH is 10, SQLite 3.54 allows a CTE
-- early in a trigger alone.) This is also the last trigger: see guard.c.
CREATE TRIGGER main.{_parts_last} AFTER DELETE ON {_parts}
WHEN OLD.part = -1 AND OLD.handle IS NOT NULL
BEGIN
  DELETE FROM {_parts} WHERE part >= 0;
  INSERT INTO {_parts}(part, parts, keys, room, f)
  WITH RECURSIVE {_number}(part) AS (
    SELECT 0 UNION ALL SELECT i.part + 1 FROM {_number} AS i WHERE i.part + 1 < OLD.parts
  )
  SELECT i.part AS {"made}, OLD.parts,
    ifnull(bloom_keys(bloom_bytes(OLD.handle, i.part)), 2 * {capacity} * {bits}),
    {room}, bloom_bytes(OLD.handle, i.part) FROM {_number} AS i;
  UPDATE {_parts} SET room = 2 * keys WHERE keys > {many_keys};
END;

-- The first parts are made by these triggers, too.
INSERT INTO main.{_parts}(part, parts, keys, room, f)
SELECT -1, {parts_for_keys}, 0, 0, x'' FROM (SELECT count(*) AS keys FROM main.{t});

-- The parts, one by one; no rows where the filter is not kept, so that nothing is
-- excluded. It is written so that SQLITE_LIMIT_EXPR_DEPTH may be 10.
CREATE VIEW main.{_part}(part, parts, f) AS
SELECT p.part AS {"made}, n.parts, CASE p.parts WHEN n.parts THEN p.f END
FROM (SELECT o.parts AS parts, {is_kept} AS kept
  FROM {_parts} AS o WHERE o.part = 0) AS n CROSS JOIN {_parts} AS p ON n.kept;

-- One handle for all parts; NULL where the filter is not kept.
CREATE VIEW main.{_filter}(filter) AS
SELECT bloom_open(p.part, p.parts, p.f) AS {"made} FROM {_parts} AS p
WHERE (SELECT {is_kept});

-- The view to query, if the filter was filled.
-- {filled}
SELECT {'_filter} FROM main.{_parts} AS p WHERE p.part = 0

-- Adds the key of the row to its part.
-- {add}
UPDATE {_parts} SET f = bloom_add(f, NEW.{c}), keys = keys + 1
  WHERE part = (SELECT bloom_part({new_c}, n.parts)
      FROM {_parts} AS n WHERE n.part = 0)
    AND NOT bloom_may_match(NEW.{c}, f);

-- The number of parts for so many keys, and at least for those that the call gave.
-- {parts_for_keys}
min(max((max({number}, keys) + {first_keys} - 1) / {first_keys}, 1), {most_parts})

-- Whether the parts have many keys on average, or there are none yet.
-- {are_full}
(SELECT total(n.keys) >= {many_keys} * count(*) FROM {_parts} AS n WHERE n.part >= 0)

-- ---- What bloom_check finds.

-- {lost}
SELECT count(*) AS n, min(k.{first}) AS first FROM main.{t} AS k
WHERE NOT bloom_may_match(k.{c}, {opened})

-- The handle of all parts; NULL if they cannot be opened.
-- {opened}
(SELECT bloom_open(p.part, p.parts, p.f) FROM main.{_parts} AS p WHERE {can_be_opened})

-- Whether the parts can be opened.
-- {can_be_opened}
(SELECT count(*) = max(p.parts) AND count(*) = min(p.parts) AND min(p.part) = 0
    AND max(p.part) = count(*) - 1 AND NOT max(typeof(p.parts) <> 'integer'
      OR typeof(p.f) <> 'blob') AND count(*) <= {max_parts}
    AND total(64 + length(p.f)) <= {max_bytes} FROM main.{_parts} AS p)

-- How many parts there should be, and are, and their size: the first row that has a
-- possible number says it.
-- {expected}
(SELECT e.parts AS parts, (SELECT count(*) FROM main.{_parts} AS p
    WHERE p.part BETWEEN 0 AND e.parts - 1) AS there,
  length((SELECT bloom_build(NULL, {bits}, {capacity}))) AS bytes
FROM (SELECT ifnull((SELECT o.parts FROM main.{_parts} AS o
      WHERE typeof(o.parts) = 'integer' AND o.parts BETWEEN 1 AND {max_parts}
      ORDER BY o.part < 0, o.part LIMIT 1),
    (SELECT count(*) FROM main.{_parts} AS o)) AS parts) AS e)

-- Whether p, a row, has numbers that can be added.
-- {counts}
(typeof(p.keys) = 'integer' AND p.keys BETWEEN 0 AND {most_counted}
  AND typeof(p.room) = 'integer' AND p.room BETWEEN 0 AND {most_counted})

-- More than all keys that a table can have in one part, whose numbers can be added.
-- {most_counted}
1099511627776

-- {check_content}
SELECT 'all parts are missing, so no row is excluded', 1
WHERE NOT EXISTS (SELECT 1 FROM main.{_parts})
UNION ALL
SELECT 'parts are missing (' || (n.parts - n.there) || ' of ' || n.parts || ')', 1
FROM {expected} AS n WHERE n.parts > n.there
UNION ALL
SELECT 'trigger ' || w.name || ' is missing, so the parts do not grow', 1
FROM (SELECT {'@_extend} AS name UNION ALL SELECT {'@_grow}) AS w
WHERE NOT EXISTS (SELECT 1 FROM main.sqlite_master AS m
  WHERE m.name = w.name COLLATE NOCASE AND m.tbl_name = {'@} COLLATE NOCASE)
UNION ALL
SELECT 'part ' || p.part || ' of ' ||
  CASE typeof(p.parts) WHEN 'integer' THEN p.parts ELSE typeof(p.parts) END || ' has '
  || {what_it_has} || ', but the parts are 0 to ' || (n.parts - 1) || ' of ' || n.parts
  || ', each a BLOB of ' || n.bytes || ' bytes', 1
FROM {expected} AS n CROSS JOIN main.{_parts} AS p
WHERE typeof(p.parts) <> 'integer' OR p.parts <> n.parts
  OR p.part NOT BETWEEN 0 AND n.parts - 1
  OR typeof(p.f) <> 'blob' OR length(p.f) <> n.bytes
UNION ALL
SELECT 'part ' || p.part || ' has a number of keys or a room that is ' ||
  CASE WHEN typeof(p.keys) <> 'integer' THEN typeof(p.keys)
    WHEN typeof(p.room) <> 'integer' THEN typeof(p.room)
    WHEN p.keys BETWEEN 0 AND {most_counted} THEN p.room ELSE p.keys END ||
  ', but they are integers from 0 to {most_counted}', 1
FROM main.{_parts} AS p WHERE NOT {counts}
UNION ALL
SELECT 'there are ' || w.parts || ' parts, and there cannot be more: part ' || w.part
  || ' has some ' || w.keys || ' keys and room for ' || {capacity}
  || ', so that more absent keys pass, and no call would help', 0
FROM (SELECT max(p.keys) AS keys, p.part AS part, p.parts AS parts
  FROM main.{_parts} AS p
  WHERE {counts} AND typeof(p.parts) = 'integer' AND p.parts >= {most_parts}) AS w
WHERE w.keys > {capacity}
UNION ALL
SELECT 'more keys than room in ' || w.parts || ' of the parts, so that more absent'
  || ' keys pass: part ' || w.part || CASE WHEN w.matches_all THEN ' matches every key'
    ELSE ' has some ' || w.most || ' and room for ' || {capacity} END ||
  CASE WHEN w.divide THEN ''
    ELSE ', and no call would help, since these keys do not divide' END, w.divide
FROM (SELECT sum(p.keys > {capacity} * 4 / 3) AS parts, max(p.keys) AS most,
    p.part AS part, bloom_keys(CASE WHEN typeof(p.f) = 'blob' AND length(p.f) > 1
      THEN p.f ELSE x'0006' END) IS NULL AS matches_all,
    total(p.keys) > count(*) * {many_keys} AS divide
  FROM main.{_parts} AS p WHERE {counts}) AS w
WHERE w.parts > 0

-- {check_views}
SELECT 'the views of the filter give other parts than its table has', 1
WHERE CASE WHEN {can_be_opened} THEN (SELECT count(*) FROM main.{_filter}) <> 1
    OR (SELECT +v.filter FROM main.{_filter} AS v) IS NOT {given}
    OR (SELECT bloom_open(v.part, v.parts, v.f) FROM main.{_part} AS v) IS NOT {given} END

-- What they should give.
-- {given}
CASE WHEN {is_kept} THEN {opened} END
