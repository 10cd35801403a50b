-- What bloom_create_parts and bloom_drop_parts run, in this order. shared.sql
-- explains the words in braces.

-- The objects, each with a text that occurs in the SQL of the object that
-- version 1.2 made, without white space; @ stands for the table of parts.
-- {objects}
SELECT 'table' AS type, {'_parts} AS name,
  'create table @(part integer primary key, parts integer not null,'
  || 'room integer not null, trigger_row integer, f blob not null)' AS old
UNION ALL SELECT 'trigger', w.name, 'update @ set f = bloom_add(f,'
FROM ({each_name}) AS w
UNION ALL SELECT 'trigger', {'_parts_last}, 'no trigger of 1.2'
UNION ALL SELECT 'view', {'_part},
  'select p.part, n.parts, p.f from @ as n cross join @ as p'
UNION ALL SELECT 'view', {'_filter},
  'select bloom_open(p.part, p.parts, p.f) from @ as p'
UNION ALL SELECT 'view', {'_parts_check}, {'old_call}

-- {names}
{'_parts_before_insert}, {'_parts_after_insert}, {'_parts_before_update},
{'_parts_after_update}

-- {each_name}
SELECT {'_parts_before_insert} AS name UNION ALL SELECT {'_parts_after_insert}
UNION ALL SELECT {'_parts_before_update} UNION ALL SELECT {'_parts_after_update}

-- {'_table}
{'_parts}

-- {'_last}
{'_parts_last}

-- {'_check}
{'_parts_check}

-- {'_after_insert}
{'_parts_after_insert}

-- Each part has room for {capacity} keys. When part 0 has more than {room}
-- keys, the parts are replaced by twice as many. A call makes parts that have
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
{check_names}
{drop_triggers_and_views}

CREATE TABLE IF NOT EXISTS main.{_parts}(
  part INTEGER CONSTRAINT {made} PRIMARY KEY,
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
DELETE FROM main.{_parts};

-- Every new key is added twice. It is added before its row is written, because
-- afterwards another trigger may end the statement first; and after its row is
-- written, because some values are not known before, and because the parts may
-- have grown in between.
CREATE TRIGGER main.{_parts_before_insert} BEFORE INSERT ON {t}
BEGIN
  {add_before}
  {assigned}
END;

CREATE TRIGGER main.{_parts_after_insert} AFTER INSERT ON {t}
WHEN EXISTS (SELECT 1 FROM {_parts} AS n CROSS JOIN {_parts} AS p
  WHERE n.part = 0 AND p.part = bloom_part({new_c}, n.parts)
    AND (NOT bloom_may_match(NEW.{c}, p.f) OR {growth_is_due}))
BEGIN
  {add_new}
  -- Growth, which {_parts_last} begins.
  UPDATE {_parts} SET room = room WHERE part = 0 AND keys > room;
  {fill}
  INSERT INTO {_parts}(part, parts, keys, room, trigger_row, f)
  SELECT w.part, w.parts, 0, {room}, w.trigger_row, {empty_part}
  FROM (SELECT -1 - o.part AS part, o.parts AS parts,
      o.trigger_row AS trigger_row
    FROM {_parts} AS o WHERE o.part < 0
    UNION ALL SELECT o.parts / 2 - 1 - o.part, o.parts, o.trigger_row
    FROM {_parts} AS o WHERE o.part < 0) AS w
  WHERE NOT EXISTS (SELECT 1 FROM {_parts} AS p WHERE p.part = w.part);
  DELETE FROM {_parts} WHERE part < 0;
END;

CREATE TRIGGER main.{_parts_before_update} BEFORE UPDATE ON {t}
WHEN NEW.{c} COLLATE BINARY IS NOT OLD.{c}{inputs}
BEGIN
  {add_before}
END;

CREATE TRIGGER main.{_parts_after_update} AFTER UPDATE ON {t}
WHEN NEW.{c} COLLATE BINARY IS NOT OLD.{c}
BEGIN
  {add_new}
END;

-- The last trigger: see {kept}. It also begins growth, if the parts may grow: the
-- old rows get negative numbers, and in `parts` the new number.
CREATE TRIGGER main.{_parts_last} AFTER UPDATE OF room ON {_parts}
BEGIN
  UPDATE {_parts} SET part = -1 - part, parts = 2 * parts
  WHERE EXISTS (SELECT 1 AS {made} FROM {_parts} AS n
      WHERE n.part = 0 AND {growth_is_due} AND n.parts <= {most_parts} / 2)
    AND NOT {another_may_end_first};
END;

-- One old row, such as growth leaves: it says how many parts to make. The
-- number of keys is estimated from 1/16 of them.
INSERT INTO main.{_parts}(part, parts, keys, room, trigger_row, f)
SELECT -1, min(max((max({keys}, w.keys) + {first_keys} - 1) / {first_keys}, 1),
    {most_parts}), 0, {room},
  (SELECT m.rowid FROM main.sqlite_master AS m WHERE m.type = 'trigger'
    AND m.name = {'_parts_after_insert}), x''
FROM (SELECT 16 * (length(bloom_build_distinct(k.{c}, 8)) - 9) AS keys
  FROM main.{t} AS k WHERE bloom_part(k.{c}, 16) = 0) AS w;
{fill_main}
INSERT INTO main.{_parts}(part, parts, keys, room, trigger_row, f)
WITH RECURSIVE number(part, parts, trigger_row) AS (
  SELECT 0, o.parts, o.trigger_row FROM main.{_parts} AS o WHERE o.part = -1
  UNION ALL SELECT part + 1, parts, trigger_row FROM number
  WHERE part + 1 < parts)
SELECT w.part, w.parts, 0, {room}, w.trigger_row, {empty_part} FROM number AS w
WHERE NOT EXISTS (SELECT 1 FROM main.{_parts} AS p WHERE p.part = w.part);
DELETE FROM main.{_parts} WHERE part < 0;

-- The parts, one by one. If a trigger is missing, there are no rows, so that
-- nothing is excluded. A table that was rebuilt has lost all triggers, so only
-- the AFTER INSERT trigger is looked up, by the rowid that it had in
-- sqlite_master when it was made. If another object has that rowid now, all
-- triggers are looked up by name.
CREATE VIEW main.{_part}(part, parts, f) AS
SELECT p.part AS {made}, n.parts, p.f
FROM {_parts} AS n CROSS JOIN {_parts} AS p
WHERE n.part = 0 AND p.parts = n.parts
  AND ((SELECT m.name = {'_parts_after_insert} AND m.type = 'trigger'
      AND m.tbl_name = {'t} AND instr(m.sql, {'new_c}) > 0
    FROM sqlite_master AS m WHERE m.rowid = n.trigger_row) OR {kept});

-- One handle for all parts; NULL if a trigger is missing.
CREATE VIEW main.{_filter}(filter) AS
SELECT bloom_open(p.part, p.parts, p.f) AS {made} FROM {_parts} AS p
WHERE {kept};

-- A row for each problem.
CREATE VIEW main.{_parts_check}(problem) AS
SELECT w.problem AS {made} FROM ({check}) AS w;

-- {check}
{check_triggers}
UNION ALL
SELECT 'all parts are missing, so no row is excluded' || {'mend}
WHERE NOT EXISTS (SELECT 1 FROM {_parts})
UNION ALL
SELECT 'parts are missing (' || (n.parts - n.there) || ' of ' || n.parts ||
  ')' || {'mend}
FROM (SELECT max(p.parts) AS parts, count(*) AS there FROM {_parts} AS p
  WHERE p.part BETWEEN 0 AND p.parts - 1) AS n
WHERE n.parts > n.there
UNION ALL
SELECT 'the number of parts is ' || n.least || ' in one row and ' || n.most ||
  ' in another' || {'mend}
FROM (SELECT min(p.parts) AS least, max(p.parts) AS most FROM {_parts} AS p) AS n
WHERE n.least < n.most
UNION ALL
SELECT 'part ' || p.part || ' is not one of 0 to ' || (p.parts - 1) || {'mend}
FROM {_parts} AS p WHERE p.part < 0 OR p.part >= p.parts
UNION ALL
SELECT 'part ' || p.part || ' has ' || typeof(p.parts) || ' ' ||
  quote(p.parts) || ' as the number of parts' || {'mend}
FROM {_parts} AS p
WHERE typeof(p.parts) <> 'integer' OR p.parts < 1 OR p.parts > {most_parts}
UNION ALL
SELECT 'part ' || p.part || ' has ' || typeof(p.f) || ' instead of a filter' ||
  {'mend}
FROM {_parts} AS p WHERE typeof(p.f) <> 'blob'
UNION ALL
SELECT 'the parts do not grow while there are TEMP triggers, or a trigger on ' ||
  {'t} || ' that may end a row before the filter''s own triggers: insert a row'
  || ' without them, or, if that trigger is newer than the filter' || {'mend}
FROM {_parts} AS n
WHERE n.part = 0 AND n.keys > n.room + 64 AND n.parts <= {most_parts} / 2
  AND {another_may_end_first}
UNION ALL
SELECT 'there are ' || n.parts || ' parts, and there cannot be more: each has' ||
  ' some ' || n.keys || ' keys, and room for ' || {capacity}
FROM {_parts} AS n
WHERE n.part = 0 AND n.keys > {capacity} AND n.parts > {most_parts} / 2
UNION ALL
SELECT 'more keys than room in ' || w.parts || ' of the parts: part ' ||
  w.part || ' has some ' || w.keys || ' and room for ' || {capacity} ||
  ', which lets ' || round(100 * i.false_positive_rate, 1) ||
  ' % of absent keys through' || {'mend}
FROM (SELECT count(*) AS parts, max(p.keys) AS keys, p.part AS part, p.f AS f
  FROM {_parts} AS p WHERE p.keys > {capacity} * 4 / 3 AND typeof(p.f) = 'blob')
  AS w, bloom_info(w.f) AS i
WHERE w.parts > 0

-- {growth_is_due}
n.keys > n.room AND (n.keys - n.room) % 64 = 1

-- {add_new}
UPDATE {_parts} SET f = bloom_add(f, NEW.{c}), keys = keys + 1
  WHERE part = (SELECT bloom_part({new_c}, n.parts) AS {made}
      FROM {_parts} AS n WHERE n.part = 0)
    AND NOT bloom_may_match(NEW.{c}, f);

-- {add_before}
UPDATE {_parts} SET f = bloom_add(f, {before}), keys = keys + 1
  WHERE part = (SELECT bloom_part({before}, n.parts) AS {made}
      FROM {_parts} AS n WHERE n.part = 0)
    AND NOT bloom_may_match({before}, f);

-- In a BEFORE INSERT trigger, NEW.{id} is -1 if SQLite assigns the id.
-- {add_assigned}
UPDATE {_parts} SET f = bloom_add(f, {next_id}), keys = keys + 1
  WHERE NEW.{id} = -1
    AND part = (SELECT bloom_part({next_id}, n.parts)
      FROM {_parts} AS n WHERE n.part = 0)
    AND NOT bloom_may_match({next_id}, f);

-- {empty_part}
(SELECT bloom_build(NULL, {bits}, {capacity}))

-- Makes the parts that have keys; the old row -1 says how many parts there are.
-- If part 0 still has many keys then, the hashes that choose their part begin
-- with the same bits, so that further growth would not divide them. The room of
-- such a part is twice the number of its keys, so that it does not grow again
-- for each new one.
-- {fill}
INSERT INTO {_parts}(part, parts, keys, room, trigger_row, f) {filled}
  FROM {_parts} AS o CROSS JOIN {t} AS k
  WHERE o.part = -1 AND k.{c} IS NOT NULL GROUP BY 1;

-- {fill_main}
INSERT INTO main.{_parts}(part, parts, keys, room, trigger_row, f) {filled}
  FROM main.{_parts} AS o CROSS JOIN main.{t} AS k
  WHERE o.part = -1 AND k.{c} IS NOT NULL GROUP BY 1;

-- {filled}
SELECT bloom_part(k.{c}, o.parts), o.parts, {counted},
  CASE WHEN {counted} > {first_keys} * 6 / 5 THEN 2 * {counted} ELSE {room} END,
  o.trigger_row, bloom_build(k.{c}, {bits}, {capacity})

-- The number of distinct keys: at 8 bits for each key, a filter has one byte
-- for each, and one more.
-- {counted}
(length(bloom_build_distinct(k.{c}, 8)) - 1)
