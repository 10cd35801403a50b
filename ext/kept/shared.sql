-- What filters in parts and filters of blocks have in common: SQL for one
-- column of one table, in which words in braces stand for other texts. A
-- comment that is only a word in braces begins the text of this word.
-- ext/tools/templates writes these files into templates.h, without their
-- comments. An unknown word is an error.
--
-- {t} {c} {id}   the table, the column and its INTEGER PRIMARY KEY, quoted
-- {_NAME}        the object TABLE_COLUMN_NAME, quoted
-- {@NAME}        the object TABLE_COLUMN_partsNAME, or with "blocks", quoted
-- {"WORD}        the text of a word as a quoted name
-- {'WORD}        the text of a word as a string; of a name, the name itself
-- {newline}      a line break
-- {c_word}       a GLOB pattern, which matches a text that has the name of the column
--                as a word: see word_pattern in template.c
--
-- {create_name} {drop_name} {old_name}  the functions; the last is version 1.2's
-- {bits} {number}                       bits_per_key, and the keys or rows;
--                                       {default_...}, {least_...} and {most_...}
--                                       are their defaults and limits
-- {needs_id}                            1 if the table must have an {id}, or 0

-- ---- Calls.

-- {create_call}
{create_name}({'t}, {'c})

-- {drop_call}
{drop_name}({'t}, {'c})

-- The beginning of a call, before the numbers; {old_call} is version 1.2's.
-- {call}
{create_name}({'t}, {'c},

-- {old_call}
{old_name}({'t}, {'c}

-- The name of a column or a constraint of each object, which marks it as ours
-- even if a tool has removed the comments in its SQL.
-- {made}
{create_name}({'t}, {'c}, {bits}, {number})

-- The beginning of that mark, and its beginning in the views of any column.
-- {mark}
('"' || replace({'call}, '"', '""'))
-- {any_mark}
AS "{create_name}(

-- ---- The column that a call names.

-- All objects of main and temp.
-- {objects}
SELECT s.type AS type, s.name AS name, s.sql AS sql, s.rootpage AS rootpage
FROM sqlite_master AS s
UNION ALL SELECT 'temporary ' || s.type, s.name, '', 0 FROM sqlite_temp_master AS s

-- Which argument is wrong (0 or 1), or NULL, what it must be, and what it is; the
-- names as the schema spells them, and the numbers with which the filter was made
-- last. The primary key of a table WITHOUT ROWID, and an INTEGER PRIMARY KEY DESC,
-- are not the rowid: each has an index. LIMIT keeps SQLite from looking up a name
-- wherever it is used.
-- {column}
SELECT p.argument, p.must_be, ifnull(w.wrong, ''), w.name, w.c, w.id,
  ifnull(l.bits, {default_bits}), ifnull(l.number, {default_number})
FROM (SELECT n.name AS name, n.wrong AS wrong,
    CASE WHEN n.wrong IS NULL THEN (SELECT i.name
      FROM pragma_table_xinfo(n.name, 'main') AS i
      WHERE i.name = {'c} COLLATE NOCASE) END AS c,
    CASE WHEN n.wrong IS NULL THEN (SELECT i.name
      FROM pragma_table_xinfo(n.name, 'main') AS i
      WHERE i.pk = 1 AND i.type = 'INTEGER' COLLATE NOCASE
        AND NOT EXISTS (SELECT 1
          FROM pragma_table_xinfo(n.name, 'main') AS o WHERE o.pk > 1)
        AND NOT EXISTS (SELECT 1
          FROM pragma_index_list(n.name, 'main') AS x
          WHERE x.origin = 'pk')) END AS id
  FROM (SELECT 1) LEFT JOIN ({named}) AS n LIMIT 1) AS w
LEFT JOIN ({numbers}) AS l
LEFT JOIN (
  SELECT 1 AS problem, 0 AS argument, 'the name of a table in main' AS must_be
  UNION ALL SELECT 2, 1, 'the name of a column of that table'
  UNION ALL SELECT 3, 0, 'one whose key has a name without control characters'
  UNION ALL SELECT 4, 0, 'a table with an INTEGER PRIMARY KEY that is its rowid '
    || '(without one, VACUUM and a dump renumber its rows)'
  UNION ALL SELECT 5, 1, 'a column other than the INTEGER PRIMARY KEY, which '
    || 'defines the blocks') AS p
ON p.problem = CASE WHEN w.name IS NULL OR w.wrong IS NOT NULL THEN 1
  WHEN w.c IS NULL THEN 2
  WHEN w.id GLOB '*[' || char(1) || '-' || char(31, 127) || ']*' THEN 3
  WHEN {needs_id} AND w.id IS NULL THEN 4
  WHEN {needs_id} AND w.id = w.c THEN 5 END

-- What has the name of the table, and what is wrong with it.
-- {named}
SELECT m.name AS name, CASE WHEN m.type <> 'table' THEN ', a ' || m.type
    WHEN ifnull(m.rootpage, 0) = 0 THEN ', a virtual table'
    WHEN lower(m.name) GLOB 'sqlite_*' THEN ', which is SQLite''s own'
    WHEN lower(m.name) = 'sqlite' THEN
      ': the names of its filter''s objects would be reserved' END AS wrong
FROM ({objects}) AS m
WHERE (m.type GLOB '*table' OR m.type GLOB '*view')
  AND m.name = {'t} COLLATE NOCASE ORDER BY 2 DESC LIMIT 1

-- The numbers in the check view, which anybody may have written.
-- {numbers}
SELECT w.bits AS bits, w.number AS number
FROM (SELECT CAST(w.text AS INTEGER) AS bits,
    CASE WHEN trim(substr(w.text, 1, instr(w.text, ')')), '0123456789 )') = ','
      THEN CAST(substr(w.text, instr(w.text, ',') + 1) AS INTEGER)
      ELSE {default_number} END AS number
  FROM (SELECT substr(m.sql, instr(lower(m.sql), lower(p.prefix))
      + length(p.prefix)) AS text
    FROM sqlite_master AS m
    JOIN (SELECT {mark} AS prefix
        UNION ALL SELECT replace({'old_call}, '''', '''''') || ',') AS p
      ON instr(lower(m.sql), lower(p.prefix)) > 0
    WHERE m.type = 'view' AND lower(m.name) = lower({'@_check})) AS w) AS w
WHERE w.bits BETWEEN 1 AND {most_bits}
  AND w.number BETWEEN {least_number} AND {most_number}

-- ---- What these functions made for this column.

-- {is_ours}
(substr(lower(m.name), 1, length({'_})) = lower({'_}) AND CASE
  WHEN instr(lower(m.sql), lower({'old_call})) > 0 THEN 1
  WHEN m.type = 'table' THEN lower(m.name) = lower({'@})
    AND instr(lower(m.sql), lower('CONSTRAINT ' || {mark})) > 0
  ELSE instr(lower(m.sql), lower('AS ' || {mark})) > 0 END)

-- Triggers and views are dropped and made again. A table is emptied and filled
-- again, because DROP TABLE fails with SQLITE_LOCKED while any statement reads.
-- No name may belong to anything else, not even in the temp schema, where it
-- would hide the filter's own object.
-- {take_names}
SELECT 'there is already a' || substr('n', 1, m.type = 'index') || ' ' || m.type ||
  ' "' || m.name || '", which was not made by ' || {'create_call} ||
  ': rename it, or drop it' AS error
FROM ({objects}) AS m
WHERE lower(m.name) IN (SELECT lower(w.name) FROM ({names}) AS w)
  AND NOT {is_ours} LIMIT 1;
SELECT group_concat({drop_one}, ';') AS run
FROM sqlite_master AS m WHERE m.type <> 'table' AND {is_ours};

-- {drop_all}
SELECT {'create_call} || ' made nothing here' || ifnull((
  SELECT '; there are filters made by ' || group_concat(w.call, ' and ') FROM (
    SELECT DISTINCT replace(substr(m.sql, instr(m.sql, {'any_mark}) + 4,
      instr(substr(m.sql, instr(m.sql, {'any_mark}) + 4), ')"')), '""', '"')
      AS call
    FROM sqlite_master AS m
    WHERE m.type = 'view' AND instr(m.sql, {'any_mark}) > 0) AS w
  ), '') AS error
WHERE NOT EXISTS (SELECT 1 FROM sqlite_master AS m WHERE {is_ours});
SELECT group_concat(w.sql, ';') AS run, count(*) AS objects
FROM (SELECT {drop_one} AS sql FROM sqlite_master AS m
  WHERE {is_ours} ORDER BY m.type = 'table') AS w;

-- {drop_one}
'DROP ' || m.type || ' main."' || replace(m.name, '"', '""') || '"'

-- ---- Triggers. Each one on the table adds the key of a row that has been
-- stored, or makes the filter follow what the table holds.

-- The names of everything that is made.
-- {names}
SELECT {'@} AS name UNION ALL SELECT {'@_last}
UNION ALL SELECT {'@_check} UNION ALL {more_names}
UNION ALL SELECT w.name FROM ({triggers}) AS w

-- {triggers}
SELECT {'@_insert} AS name UNION ALL SELECT {'@_update}
UNION ALL SELECT {'@_extend}

-- The new value of the column and the name of the table, each after a line break,
-- which no name has, so that nothing else in a trigger matches these texts.
-- {new_c}
{newline}NEW.{c}
-- {from_t}
{newline}{t}
-- {quoted_t}
{t}

-- The first statement of each trigger on the table. It never raises an error,
-- but because it could, SQLite undoes the whole row after an error in the
-- trigger. Before 3.38, it would otherwise keep the row, without its key, if
-- the INSERT says OR IGNORE, OR FAIL or OR REPLACE.
-- {undo_all}
SELECT RAISE(ABORT, '') AS {"made} WHERE 0;

-- The beginning of the body of each such trigger.
-- {body}
BEGIN
  SELECT RAISE(ABORT, '') AS "bloom_create_

-- Whether the trigger that makes the filter follow the table stands on the table
-- and reads from it. After ALTER TABLE RENAME, it may do only one of these: with
-- PRAGMA legacy_alter_table, SQLite does not rename the table in its body. This
-- condition is in that trigger, too, and must not match itself.
-- {follows_t}
EXISTS (SELECT 1 FROM sqlite_master AS m
    WHERE m.type = 'trigger' AND m.name = {'@_extend} AND m.tbl_name = {'t}
      AND instr(m.sql, char(10) || {'quoted_t}) > 0)

-- The filter's last trigger, which does nothing, marks when the filter was made:
-- VACUUM and a dump keep the order of triggers.
-- {last_row}
(SELECT l.rowid FROM sqlite_master AS l
    WHERE l.type = 'trigger' AND l.name = {'@_last})

-- Whether m, a trigger of the filter, is for the filter's column: either it
-- names the column {c}, or the table has no column {c} any more, because it was
-- renamed in the table and in m. A column that has got the name since is not in
-- the filter.
-- {of_column}
(m.name = {'@_extend} OR instr(m.sql, {'new_c}) > 0
    OR EXISTS (SELECT 1 FROM sqlite_master AS s
      WHERE s.type = 'table' AND s.name = {'t}
      AND lower(s.sql) || ' ' NOT GLOB lower({'c_word})))

-- Whether o is an AFTER trigger on the table that is newer than the filter and
-- not a filter's. SQLite runs the newest trigger first, so it may end a row
-- without undoing it before the row's key is added.
-- {runs_first}
o.type = 'trigger' AND lower(o.tbl_name) = lower({'t}) AND o.rowid > {last_row}
    AND lower(o.sql) GLOB '*after*'
    AND (instr(o.sql, {'body}) = 0
      OR substr(o.sql, 1, instr(o.sql, {'body})) GLOB '*--*'
      OR substr(o.sql, 1, instr(o.sql, {'body})) GLOB '*/[*]*')

-- Whether every key of the table is in the filter: all of its triggers have been
-- on the table since the filter was filled, and no other trigger runs before
-- them. A tool that rebuilds a table drops its triggers, and a trigger that was
-- put back, which makes it the newest, may have missed rows.
-- {kept}
((SELECT count(*) FROM sqlite_master AS m
    WHERE m.type = 'trigger' AND m.tbl_name = {'t} AND m.rowid < {last_row}
      AND m.name IN ({triggers}) AND {of_column}) = 3
  AND NOT EXISTS (SELECT 1 FROM sqlite_master AS o WHERE {runs_first}))

-- ---- The check views.

-- The end of a problem's text: the call that repairs it. If the table or the
-- column is gone or has another name by now, the filter can only be removed.
-- {mend}
CASE WHEN EXISTS (SELECT 1 FROM sqlite_master AS s
    WHERE s.type = 'table' AND lower(s.name) = lower({'t})
      AND lower(s.sql) || ' ' GLOB lower({'c_word}))
  THEN ': SELECT ' || {'create_call} ELSE ', and ' || {'t} || '.' || {'c} ||
  ' is gone or has another name: SELECT ' || {'drop_call} END

-- {check_triggers}
SELECT 'trigger ' || w.name || CASE
    WHEN m.name IS NULL THEN ' is missing'
    WHEN NOT {of_column} THEN ' is for a column other than ' || {'c}
    ELSE ' was put back, and rows may have been written without it' END ||
  ', so no row is excluded' || {mend} AS problem
FROM ({triggers}) AS w LEFT JOIN sqlite_master AS m
  ON m.name = w.name AND m.type = 'trigger' AND m.tbl_name = {'t}
WHERE m.name IS NULL OR m.rowid > ifnull({last_row}, 0) OR NOT {of_column}
UNION ALL
SELECT 'trigger ' || o.name || ' is newer than the filter and may end a row'
  || ' before its key is added, so no row is excluded' || {mend}
FROM sqlite_master AS o WHERE {runs_first}

-- What p, a row of the table of parts or blocks, has in place of a filter.
-- {what_it_has}
CASE typeof(p.f) WHEN 'blob' THEN 'a BLOB of ' || length(p.f) || ' bytes'
  ELSE typeof(p.f) END || ' instead of a filter'
