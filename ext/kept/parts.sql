-- What bloom_create_parts and bloom_drop_parts run, in this order. shared.sql
-- explains the words in braces.
--
-- Why no key is lost: each row that is stored runs {_parts_insert} or
-- {_parts_update} in the statement that stores it, which add its key as it was
-- stored. If they fail, the row is undone. The parts are only made anew from the
-- table itself. A row that is not in the table then adds its key later, when it
-- is stored. What may run before these triggers and end a row without undoing it
-- is a newer trigger: while there is one, the views exclude nothing ({is_kept}).

-- ---- The form: its functions and its numbers. All parts are one allocation, which
-- has at most 64 bytes for each part besides its filter.

-- {create_name}
bloom_create_parts
-- {drop_name}
bloom_drop_parts
-- {default_bits}
10
-- {number_name}
keys
-- {default_number}
0
-- {least_number}
0
-- {most_number}
({first_keys} * min({max_parts}, {max_bytes} / ({capacity} * {bits} / 8 + 64)))
-- {needs_id}
0

-- {views}
SELECT {'_part} UNION ALL SELECT {'_filter}

-- Parts are made for {first_keys} keys each on average, and have the size of
-- {capacity} keys, since keys do not divide evenly; a part that has more than
-- {many_keys} right then has keys that do not divide by chance alone. When part 0
-- has more than {room} keys, the parts are made anew, up to twice as many, but
-- {most_parts} at most.
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

-- {create}
{prepare}

CREATE TABLE IF NOT EXISTS {_parts}(
  part INTEGER CONSTRAINT {"made} PRIMARY KEY,
  parts INTEGER NOT NULL,
  keys INTEGER NOT NULL,
  room INTEGER NOT NULL,
  f BLOB NOT NULL
);
DELETE FROM {_parts};

CREATE TRIGGER {_parts_update} AFTER UPDATE ON {t}
WHEN NEW.{c} COLLATE BINARY IS NOT OLD.{c}
{begin}
  {add}
END;

CREATE TRIGGER {_parts_insert} AFTER INSERT ON {t}
{begin}
  {add}
END;

-- Growth begins with row -1, which stands for all new parts: f becomes their handle.
-- SQLite sets up the registers of this trigger for each key that is added, so the rest
-- stands in the next two. If one of these is missing, the row goes all the same.
CREATE TRIGGER {_parts_extend} AFTER UPDATE OF keys ON {_parts}
WHEN NEW.part = 0 AND NEW.keys > NEW.room AND NEW.parts < {most_parts}
BEGIN
  INSERT INTO {_parts}(part, parts, keys, room, f)
  SELECT -1 AS {"made}, min(2 * NEW.parts, {most_parts}), 0, 0, x'';
  DELETE FROM {_parts} WHERE part = -1;
END;

-- There may be fewer keys than rows, or than were added to the old parts: if so, the
-- parts are made once more, with as many as these keys need. There is no handle if the
-- filter is not kept, and then nothing grows.
CREATE TRIGGER {_parts_grow} AFTER INSERT ON {_parts} WHEN NEW.part = -1
BEGIN
  UPDATE {_parts} SET f = ifnull(bloom_build_kept({'t}, {'c}, parts, {bits},
    {capacity}), x'') WHERE part = -1;
  UPDATE {_parts} SET keys = ifnull(bloom_keys(f), parts * {first_keys}) WHERE part = -1;
  UPDATE {_parts} SET keys = {parts_for_keys} WHERE part = -1;
  UPDATE {_parts} SET parts = keys, f = bloom_build_kept({'t}, {'c}, keys, {bits},
    {capacity}) WHERE part = -1 AND parts >= 2 * keys AND f <> x'';
  UPDATE {_parts} SET room = 1 WHERE part = -1 AND f <> x'';
  UPDATE {_parts} SET room = {next_room} WHERE part = 0 AND (SELECT 1 AS {"made});
END;

-- Writes the new parts, which it reads from row -1 by NEW: from the table, SQLite would
-- copy all of them first. (If SQLITE_LIMIT_EXPR_DEPTH is 10, SQLite 3.54 allows a CTE
-- early in a trigger alone.) This is also the last trigger: see guard.c.
CREATE TRIGGER {_parts_last} AFTER UPDATE OF room ON {_parts} WHEN NEW.part = -1
BEGIN
  DELETE FROM {_parts} WHERE part >= 0;
  INSERT INTO {_parts}(part, parts, keys, room, f)
  WITH RECURSIVE {_number}(part) AS (
    SELECT 0 UNION ALL SELECT i.part + 1 FROM {_number} AS i WHERE i.part + 1 < NEW.parts
  )
  SELECT i.part AS {"made}, NEW.parts,
    ifnull(bloom_keys(bloom_bytes(NEW.f, i.part)), {most_keys}),
    {room}, bloom_bytes(NEW.f, i.part) FROM {_number} AS i;
END;

-- The first parts are made by these triggers, too.
INSERT INTO {_parts}(part, parts, keys, room, f)
SELECT -1, {parts_for_keys}, 0, 0, x'' FROM (SELECT count(*) AS keys FROM {t});
DELETE FROM {_parts} WHERE part < 0;
SELECT 'the triggers of this connection are switched off, or it is not authorized to '
  || 'read the schema' AS error
WHERE NOT EXISTS (SELECT 1 FROM {_parts} WHERE part = 0);

-- The parts, one by one; no rows where the filter is not kept, so that nothing is
-- excluded. It is written so that SQLITE_LIMIT_EXPR_DEPTH may be 10.
CREATE VIEW {_part}(part, parts, f) AS
SELECT p.part AS {"made}, n.parts, CASE p.parts WHEN n.parts THEN p.f END
FROM (SELECT o.parts AS parts, {is_kept} AS kept
  FROM {_parts} AS o WHERE o.part = 0) AS n CROSS JOIN {_parts} AS p ON n.kept;

-- One handle for all parts; NULL where the filter is not kept.
CREATE VIEW {_filter}(filter) AS
SELECT bloom_open(p.part, p.parts, p.f) AS {"made} FROM {_parts} AS p
WHERE (SELECT {is_kept});
SELECT {'_filter} AS result;

-- Adds the key of the row to its part.
-- {add}
UPDATE {_parts} SET f = bloom_add(f, NEW.{c}), keys = keys + 1
  WHERE part = (SELECT bloom_part({new_c}, n.parts)
      FROM {_parts} AS n WHERE n.part = 0)
    AND NOT bloom_may_match(NEW.{c}, f);

-- What a part that matches every key counts as: more keys than it can tell.
-- {most_keys}
2 * {capacity} * {bits}

-- The number of parts for so many keys, and at least for those that the call gave.
-- {parts_for_keys}
min(max((max({number}, keys) + {first_keys} - 1) / {first_keys}, 1), {most_parts})

-- When to ask next whether the parts are full. If keys do not divide, part 0 has
-- more than its share of them, and parts would be made anew for each of its keys.
-- {next_room}
CASE WHEN keys > {many_keys} THEN 2 * keys ELSE {room} END

-- ---- What bloom_check finds.

-- {lost}
SELECT count(*) AS n, min(k.{first}) AS first FROM {t} AS k
WHERE NOT bloom_may_match(k.{c}, (SELECT bloom_open(p.part, p.parts, p.f)
    FROM {_parts} AS p WHERE {can_be_opened}))

-- Whether the parts can be opened.
-- {can_be_opened}
(SELECT count(*) = max(p.parts) AND count(*) = min(p.parts) AND min(p.part) = 0
    AND max(p.part) = count(*) - 1 AND NOT max(typeof(p.parts) <> 'integer'
      OR typeof(p.f) <> 'blob') FROM {_parts} AS p)

-- How many parts there should be, and are: the first row that has a number says it.
-- {expected}
(SELECT o.parts AS parts, (SELECT count(*) FROM {_parts} AS p
    WHERE p.part BETWEEN 0 AND o.parts - 1) AS there,
  length((SELECT bloom_build(NULL, {bits}, {capacity}))) AS bytes
FROM {_parts} AS o WHERE typeof(o.parts) = 'integer'
ORDER BY o.part < 0, o.part LIMIT 1)

-- {check_content}
SELECT 'all parts are missing, so no row is excluded' || {mend}
WHERE NOT EXISTS (SELECT 1 FROM {_parts})
UNION ALL
SELECT 'parts are missing (' || (n.parts - n.there) || ' of ' || n.parts || ')' || {mend}
FROM {expected} AS n WHERE n.parts > n.there
UNION ALL
SELECT 'trigger ' || w.name || ' is missing, so the parts do not grow' || {mend}
FROM (SELECT {'@_extend} AS name UNION ALL SELECT {'@_grow}) AS w
WHERE w.name NOT IN (SELECT m.name FROM sqlite_master AS m)
UNION ALL
SELECT 'part ' || p.part || ' of ' || quote(p.parts) || ' has ' || {what_it_has}
  || ', but the parts are 0 to ' || (n.parts - 1) || ' of ' || n.parts || ', each a BLOB of '
  || n.bytes || ' bytes' || {mend}
FROM {expected} AS n CROSS JOIN {_parts} AS p
WHERE p.parts IS NOT n.parts OR p.part NOT BETWEEN 0 AND n.parts - 1
  OR typeof(p.f) <> 'blob' OR length(p.f) <> n.bytes
UNION ALL
SELECT 'there are ' || n.parts || ' parts, and there cannot be more: part 0 has '
  || 'some ' || n.keys || ' keys and room for ' || {capacity}
  || ', so that more absent keys pass, and no call would help'
FROM {_parts} AS n
WHERE n.part = 0 AND n.keys > {capacity} AND n.parts >= {most_parts}
UNION ALL
SELECT 'more keys than room in ' || w.parts || ' of the parts, so that more absent'
  || ' keys pass: part ' || w.part || CASE WHEN (SELECT bloom_keys(p.f) IS NULL
      FROM {_parts} AS p WHERE p.part = w.part) THEN ' matches every key'
    ELSE ' has some ' || w.most || ' and room for ' || {capacity} END ||
  CASE WHEN w.keys <= w.there * {many_keys}
    THEN ', and no call would help, since these keys do not divide'
    ELSE {mend} END
FROM (SELECT sum(p.keys > {capacity} * 4 / 3) AS parts, max(p.keys) AS most,
    p.part AS part, sum(p.keys) AS keys, count(*) AS there FROM {_parts} AS p) AS w
WHERE w.parts > 0
