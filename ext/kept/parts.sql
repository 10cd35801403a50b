-- What bloom_create_parts and bloom_drop_parts run, in this order. shared.sql
-- explains the words in braces.
--
-- Why no key is lost: each row that is stored runs {_parts_insert} or
-- {_parts_update} in the statement that stores it, which add its key as it was
-- stored. If they fail, the row is undone. The parts are only made anew from the
-- table itself. A row that is not in the table then adds its key later, when it
-- is stored. What may run before these triggers and end a row without undoing it
-- is a newer trigger: while there is one, the views exclude nothing ({is_kept}).

-- ---- The form: its functions, its view for queries, and its numbers.

-- {create_name}
bloom_create_parts
-- {drop_name}
bloom_drop_parts
-- {view}
filter
-- {default_bits}
10
-- {number_name}
keys
-- {default_number}
0
-- {least_number}
0
-- {most_number}
({most_parts} * {first_keys})
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

-- ---- What is made.

-- {create}
{take_names}

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

-- Asks {_parts_last} for growth. SQLite sets up the registers of this trigger for
-- each row that is inserted, so growth itself stands there. Whether part 0 is full
-- is only asked for one key of 64, so that the others need not read its row. If
-- there are 64 parts or more, every key of part 0 is one of those that ask.
CREATE TRIGGER {_parts_extend} AFTER INSERT ON {t}
WHEN CASE WHEN bloom_part({new_c}, 64) <> 0 THEN 0
  ELSE (SELECT n.keys > n.room AND n.parts < {most_parts}
    FROM {_parts} AS n WHERE n.part = 0) END
{begin}
  UPDATE {_parts} SET room = -1 WHERE part = 0;
END;

CREATE TRIGGER {_parts_insert} AFTER INSERT ON {t}
{begin}
  {add}
END;

-- Growth. The row -1 stands for all new parts: f is their handle. Where it is
-- NULL, the filter is not kept, and nothing grows. There are at most twice as many
-- new parts as old ones, so the number of each old one, counted from the end, gives
-- the missing ones: a WITH would be too deep for SQLite 3.54 if
-- SQLITE_LIMIT_EXPR_DEPTH is 10. This is also the last trigger: see guard.c.
CREATE TRIGGER {_parts_last} AFTER UPDATE OF room ON {_parts} WHEN NEW.room = -1
BEGIN
  SELECT 1 AS {"made};
  INSERT INTO {_parts}(part, parts, keys, room, f)
  SELECT -1, w.parts, 0, 0, w.f FROM (SELECT w.parts AS parts,
    bloom_build_kept({'t}, {'c}, w.parts, {bits}, {capacity}) AS f
    FROM (SELECT min(2 * n.parts, {most_parts}) AS parts FROM {_parts} AS n
      WHERE n.part = 0) AS w LIMIT 1) AS w WHERE w.f IS NOT NULL;
  UPDATE {_parts} SET keys = ifnull(bloom_keys(f), parts * {first_keys})
  WHERE part = -1;
  -- There are fewer keys than rows, or than were added to the old parts.
  UPDATE {_parts} SET room = {parts_for_keys} WHERE part = -1;
  UPDATE {_parts} SET parts = room,
    f = bloom_build_kept({'t}, {'c}, room, {bits}, {capacity})
  WHERE part = -1 AND parts >= 2 * room;
  DELETE FROM {_parts}
  WHERE part >= (SELECT n.parts FROM {_parts} AS n WHERE n.part = -1);
  UPDATE {_parts} SET
    parts = (SELECT n.parts FROM {_parts} AS n WHERE n.part = -1),
    keys = ifnull(bloom_keys(bloom_bytes(
      (SELECT n.f FROM {_parts} AS n WHERE n.part = -1), part)), {most_keys}),
    f = bloom_bytes((SELECT n.f FROM {_parts} AS n WHERE n.part = -1), part)
  WHERE part >= 0 AND EXISTS (SELECT 1 FROM {_parts} AS n WHERE n.part = -1);
  INSERT INTO {_parts}(part, parts, keys, room, f)
  SELECT n.parts - 1 - p.part, n.parts,
    ifnull(bloom_keys(bloom_bytes(n.f, n.parts - 1 - p.part)), {most_keys}),
    {room}, bloom_bytes(n.f, n.parts - 1 - p.part)
  FROM {_parts} AS n CROSS JOIN {_parts} AS p WHERE n.part = -1 AND p.part >= 0
    AND n.parts - 1 - p.part NOT IN (SELECT o.part FROM {_parts} AS o);
  UPDATE {_parts} SET room = {next_room} WHERE part = 0;
  DELETE FROM {_parts} WHERE part = -1;
END;

-- A table may hold far fewer keys than rows. If so, the parts are made once more,
-- with as many parts as these keys need. LIMIT keeps SQLite from evaluating a
-- filter again wherever it is used.
INSERT INTO {_parts}(part, parts, keys, room, f)
WITH RECURSIVE {_number}(part, parts, f) AS (
  SELECT 0,
  CASE WHEN w.parts < 2 * w.room THEN w.parts ELSE w.room END,
  CASE WHEN w.parts < 2 * w.room THEN w.f ELSE (
    SELECT bloom_build_parts(k.{c}, w.room, {bits}, {capacity})
    FROM (SELECT 1) LEFT JOIN {t} AS k) END
  FROM (SELECT p.parts AS parts, p.f AS f, {parts_for_keys} AS room
    FROM (SELECT b.parts AS parts, b.f AS f,
        ifnull(bloom_keys(b.f), b.parts * {first_keys}) AS keys
      FROM (SELECT w.parts AS parts, (
          SELECT bloom_build_parts(k.{c}, w.parts, {bits}, {capacity})
          FROM (SELECT 1) LEFT JOIN {t} AS k) AS f
        FROM (SELECT {parts_for_keys} AS parts
          FROM (SELECT count(*) AS keys FROM {t}) AS p) AS w LIMIT 1) AS b
      LIMIT 1) AS p LIMIT 1) AS w
  UNION ALL
  SELECT i.part + 1, i.parts, i.f FROM {_number} AS i WHERE i.part + 1 < i.parts
)
SELECT i.part, i.parts, ifnull(bloom_keys(bloom_bytes(i.f, i.part)), {most_keys}),
  {room}, bloom_bytes(i.f, i.part) FROM {_number} AS i;
UPDATE {_parts} SET room = {next_room} WHERE part = 0;

-- The parts, one by one; no rows where the filter is not kept, so that nothing is
-- excluded. It is written so that SQLITE_LIMIT_EXPR_DEPTH may be 10.
CREATE VIEW {_part}(part, parts, f) AS
SELECT p.part AS {"made}, n.parts, CASE p.parts WHEN n.parts THEN p.f END
FROM (SELECT o.parts AS parts, bloom_is_kept({'form}, {'t}, {'c}) AS kept
  FROM {_parts} AS o WHERE o.part = 0) AS n CROSS JOIN {_parts} AS p ON n.kept;

-- One handle for all parts; NULL where the filter is not kept.
CREATE VIEW {_filter}(filter) AS
SELECT bloom_open(p.part, p.parts, p.f) AS {"made} FROM {_parts} AS p
WHERE {is_kept};

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

-- Whether the parts can be opened.
-- {can_be_opened}
(SELECT count(*) = max(p.parts) AND count(*) = min(p.parts) AND min(p.part) = 0
    AND max(p.part) = count(*) - 1 AND NOT max(typeof(p.parts) <> 'integer'
      OR typeof(p.f) <> 'blob') FROM {_parts} AS p)

-- {lost}
SELECT count(*) AS n, min(k.{first}) AS first FROM {t} AS k
WHERE NOT bloom_may_match(k.{c}, (SELECT bloom_open(p.part, p.parts, p.f)
    FROM {_parts} AS p WHERE {can_be_opened}))

-- {check_content}
SELECT 'all parts are missing, so no row is excluded' || {mend} AS problem
WHERE NOT EXISTS (SELECT 1 FROM {_parts})
UNION ALL
SELECT 'parts are missing (' || (n.parts - n.there) || ' of ' || n.parts ||
  ')' || {mend}
FROM (SELECT max(p.parts) AS parts, count(*) AS there FROM {_parts} AS p
  WHERE p.part BETWEEN 0 AND p.parts - 1) AS n
WHERE n.parts > n.there
UNION ALL
SELECT 'the number of parts is ' || n.least || ' in one row and ' || n.most ||
  ' in another' || {mend}
FROM (SELECT min(p.parts) AS least, max(p.parts) AS most FROM {_parts} AS p) AS n
WHERE n.least < n.most
UNION ALL
SELECT 'part ' || p.part || ' is not one of 0 to ' || (p.parts - 1) || {mend}
FROM {_parts} AS p WHERE p.part < 0 OR p.part >= p.parts
UNION ALL
SELECT 'part ' || p.part || ' has ' || typeof(p.parts) || ' ' ||
  quote(p.parts) || ' as the number of parts' || {mend}
FROM {_parts} AS p
WHERE typeof(p.parts) <> 'integer' OR p.parts < 1 OR p.parts > 1048576
UNION ALL
SELECT 'part ' || p.part || ' has ' || {what_it_has} ||
  ', so rows may be lost' || {mend}
FROM {_parts} AS p
WHERE length(p.f) <> length((SELECT bloom_build(NULL, {bits}, {capacity})))
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
