-- What bloom_create_parts and bloom_drop_parts run, in this order. shared.sql
-- explains the words in braces.
--
-- Why no key is lost: each row that is stored runs {_parts_insert} or
-- {_parts_update} in the statement that stores it, which add its key as it was
-- stored. If they fail, the row is undone. The parts are only made anew from the
-- table itself. A row that is not in the table then adds its key later, when it
-- is stored. What may run before these triggers and end a row without undoing it
-- is a newer trigger: while there is one, the views exclude nothing ({kept}).

-- {more_names}
SELECT {'_part} UNION ALL SELECT {'_filter}

-- Each part has room for {capacity} keys. When part 0 has more than {room}
-- keys, the parts are made anew, up to twice as many. Parts are made for
-- {first_keys} keys each on average.
-- {capacity}
1500

-- {room}
1400

-- {first_keys}
1000

-- {most_parts}
1048576

-- {create}
{take_names}

CREATE TABLE IF NOT EXISTS {_parts}(
  part INTEGER CONSTRAINT {"made} PRIMARY KEY,
  parts INTEGER NOT NULL,
  keys INTEGER NOT NULL DEFAULT 0,
  room INTEGER NOT NULL,
  trigger_row INTEGER,
  f BLOB NOT NULL
);
SELECT 'ALTER TABLE main."' || replace({'_parts}, '"', '""') ||
  '" ADD COLUMN keys INTEGER NOT NULL DEFAULT 0' AS run
WHERE NOT EXISTS (SELECT 1 FROM pragma_table_info({'_parts}, 'main') AS i
  WHERE i.name = 'keys');
DELETE FROM {_parts};

CREATE TRIGGER {_parts_update} AFTER UPDATE ON {t}
WHEN NEW.{c} COLLATE BINARY IS NOT OLD.{c}
BEGIN
  {undo_all}
  {add}
END;

-- Growth. The old part 0 becomes the row -1, which says how many parts to make.
-- Whether part 0 is full is only asked for one key of 64, so that the others need
-- not read its row. If there are 64 parts or more, every key of part 0 is one of
-- those that ask.
CREATE TRIGGER {_parts_extend} AFTER INSERT ON {t}
WHEN bloom_part(NEW.{c}, 64) = 0 AND (SELECT n.keys > n.room AND n.parts < {most_parts}
      FROM {_parts} AS n WHERE n.part = 0)
  AND {follows_t}
BEGIN
  {undo_all}
  UPDATE {_parts} SET part = -1, parts = min(2 * parts, {most_parts})
  WHERE part = 0;
  DELETE FROM {_parts} WHERE part >= 0;
  {fill}
  DELETE FROM {_parts} WHERE part = -1;
END;

CREATE TRIGGER {_parts_insert} AFTER INSERT ON {t}
BEGIN
  {undo_all}
  {add}
END;

-- The last trigger, right after {_parts_insert}, so that {in_place} finds both.
CREATE TRIGGER {_parts_last} AFTER UPDATE OF part ON {_parts} WHEN NULL
BEGIN
  SELECT 1 AS {"made};
END;

INSERT INTO {_parts}(part, parts, keys, room, trigger_row, f)
SELECT -1, {parts_for_keys}, 0, {room},
  (SELECT m.rowid FROM sqlite_master AS m WHERE m.type = 'trigger'
    AND m.name = {'_parts_insert}), x''
FROM (SELECT count(*) AS keys FROM {t}) AS w;
{fill}
DELETE FROM {_parts} WHERE part = -1;

-- The parts, one by one; no rows if a trigger is missing, so that nothing is
-- excluded.
CREATE VIEW {_part}(part, parts, f) AS
SELECT p.part AS {"made}, n.parts, p.f
FROM {_parts} AS n CROSS JOIN {_parts} AS p
WHERE n.part = 0 AND p.parts = n.parts AND ({in_place} OR {kept});

-- One handle for all parts; NULL if a trigger is missing.
CREATE VIEW {_filter}(filter) AS
SELECT bloom_open(p.part, p.parts, p.f) AS {"made} FROM {_parts} AS p
WHERE {kept};

-- A row for each problem.
CREATE VIEW {_parts_check}(problem) AS
SELECT w.problem AS {"made} FROM ({check}) AS w;

-- Adds the key of the row to its part.
-- {add}
UPDATE {_parts} SET f = bloom_add(f, NEW.{c}), keys = keys + 1
  WHERE part = (SELECT bloom_part({new_c}, n.parts)
      FROM {_parts} AS n WHERE n.part = 0)
    AND NOT bloom_may_match(NEW.{c}, f);

-- Makes the parts. The table may hold far fewer keys than rows, or than have
-- been added to the old parts: if so, they are made once more, with as many
-- parts as these keys need. LIMIT keeps SQLite from evaluating a filter, or the
-- number of its keys, again for each part or row.
-- {fill}
INSERT INTO {_parts}(part, parts, keys, room, trigger_row, f)
  SELECT p.part, p.parts, p.keys,
    CASE WHEN p.keys > {first_keys} * 6 / 5 THEN 2 * p.keys ELSE {room} END,
    p.trigger_row, p.f
  FROM (SELECT i.part AS part, w.parts AS parts, w.trigger_row AS trigger_row,
      bloom_keys(bloom_bytes(w.filter, i.part)) AS keys,
      bloom_bytes(w.filter, i.part) AS f
    FROM (SELECT w.trigger_row AS trigger_row,
        CASE WHEN {enough} THEN w.parts ELSE {parts_for_keys} END AS parts,
        CASE WHEN {enough} THEN w.filter ELSE (
          SELECT bloom_build_parts(k.{c}, {parts_for_keys}, {bits}, {capacity})
          FROM (SELECT 1) LEFT JOIN {t} AS k) END AS filter
      FROM (SELECT b.parts AS parts, b.trigger_row AS trigger_row,
          b.filter AS filter, bloom_keys(b.filter) AS keys
        FROM (SELECT o.parts AS parts, o.trigger_row AS trigger_row,
            bloom_build_parts(k.{c}, o.parts, {bits}, {capacity}) AS filter
          FROM {_parts} AS o LEFT JOIN {from_t} AS k
          WHERE o.part = -1 GROUP BY o.part) AS b LIMIT 1) AS w LIMIT 1) AS w
    CROSS JOIN (
      WITH RECURSIVE {_number}(part) AS (
        SELECT 0 UNION ALL SELECT part + 1 FROM {_number} WHERE part + 1 <
          (SELECT o.parts FROM {_parts} AS o WHERE o.part = -1))
      SELECT part FROM {_number}) AS i
    WHERE i.part < w.parts) AS p;

-- Whether the parts are at most twice as many as their keys need.
-- {enough}
w.parts < 2 * {parts_for_keys}

-- The number of parts for w.keys keys, and at least for those that the call gave.
-- {parts_for_keys}
min(max((max({number}, w.keys) + {first_keys} - 1) / {first_keys}, 1),
    {most_parts})

-- Whether the filter's last two triggers are where they were made, so that both
-- are as old as the filter. VACUUM and a dump may move them, but a trigger that
-- is put back comes after {_parts_last}. A table that is rebuilt loses all
-- triggers, so looking for one is enough. n is part 0.
-- {in_place}
(SELECT count(*) FROM sqlite_master AS m
  WHERE m.rowid BETWEEN n.trigger_row AND n.trigger_row + 1
    AND m.type = 'trigger' AND CASE m.rowid
      WHEN n.trigger_row THEN m.name = {'_parts_insert} AND m.tbl_name = {'t}
        AND instr(m.sql, {'new_c}) > 0
      ELSE m.name = {'_parts_last} END) = 2

-- {check}
{check_triggers}
UNION ALL
SELECT 'all parts are missing, so no row is excluded' || {mend}
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
WHERE typeof(p.parts) <> 'integer' OR p.parts < 1 OR p.parts > {most_parts}
UNION ALL
SELECT 'part ' || p.part || ' has ' || {what_it_has} ||
  ', so rows may be lost' || {mend}
FROM {_parts} AS p
WHERE length(p.f) <> length((SELECT bloom_build(NULL, {bits}, {capacity})))
UNION ALL
SELECT 'there are ' || n.parts || ' parts, and there cannot be more: each has' ||
  ' some ' || n.keys || ' keys, and room for ' || {capacity}
FROM {_parts} AS n
WHERE n.part = 0 AND n.keys > {capacity} AND n.parts = {most_parts}
UNION ALL
SELECT 'more keys than room in ' || w.parts || ' of the parts, so that more absent'
  || ' keys pass: part ' || w.part || ' has some ' || w.keys || ' and room for ' ||
  {capacity} || CASE WHEN w.room > {room}
    THEN ', and a call would not help, since these keys do not divide'
    ELSE {mend} END
FROM (SELECT count(*) AS parts, max(p.keys) AS keys, p.part AS part, p.room AS room
  FROM {_parts} AS p WHERE p.keys > {capacity} * 4 / 3) AS w
WHERE w.parts > 0
