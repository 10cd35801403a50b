-- What filters in parts and filters of blocks have in common: SQL for one
-- column of one table, in which words in braces stand for other texts. A
-- comment that is only a word in braces begins the text of this word.
-- ext/tools/templates writes these files into templates.h, without their
-- comments. An unknown word is an error.
--
-- {t} {c} {id}   the table, the column and its INTEGER PRIMARY KEY, quoted
-- {_NAME}        the object TABLE_COLUMN_NAME, quoted; @ in NAME stands for
--                "parts" or "blocks"
-- {made}         the call that makes the filter, with its numbers, written as
--                the name of a column or a constraint. This is the mark that
--                identifies an object even if a tool has removed its comments
-- {mark}         the beginning of that mark, without the numbers;
--                {old_mark} is the beginning of version 1.2's mark
-- {any_mark}     the beginning of the mark of any column
-- {create} {drop}  the calls that rebuild and remove the filter; {call} is the
--                beginning of the first, without its numbers, and {old_call} is
--                that of version 1.2, as its check view writes it
-- {bits} {number}  bits_per_key and the other number, keys or rows;
--                {default_number} and {most_number} are that number's default
--                and its maximum
-- {new_c}        the column's new value, after a line break; {from_t} is the
--                table, after a line break. No name has a line break, so that
--                nothing else in a trigger matches these texts
-- {quoted_t}     the table as {t} writes it
-- {c_word}       a GLOB pattern, which matches a text in lower case that
--                contains the name of the column as a word
-- {'WORD}        the text of any of these words as a string; of a name, the name
--                itself

-- ---- What these functions made for this column.

-- {is_ours}
(substr(lower(m.name), 1, length({'_})) = lower({'_}) AND CASE
  WHEN instr(lower(m.sql), lower({'old_mark})) > 0 THEN 1
  WHEN m.type = 'table' THEN lower(m.name) = lower({'_@})
    AND instr(lower(m.sql), lower('CONSTRAINT ' || {'mark})) > 0
  ELSE instr(lower(m.sql), lower('AS ' || {'mark})) > 0 END)

-- Triggers and views are dropped and made again. A table is emptied and filled
-- again, because DROP TABLE fails with SQLITE_LOCKED while any statement reads.
-- No name may belong to anything else, not even in the temp schema, where it
-- would hide the filter's own object.
-- {take_names}
SELECT 'there is already a' || substr('n', 1, m.type = 'index') || ' ' || m.type ||
  ' "' || m.name || '", which was not made by ' || {'create} ||
  ': rename it, or drop it' AS error
FROM (SELECT s.type AS type, s.name AS name, s.sql AS sql FROM sqlite_master AS s
  UNION ALL SELECT 'temporary ' || s.type, s.name, '' FROM sqlite_temp_master AS s)
  AS m
WHERE lower(m.name) IN (SELECT lower(w.name) FROM ({names}) AS w)
  AND NOT {is_ours} LIMIT 1;
SELECT group_concat({drop_one}, ';') AS run
FROM sqlite_master AS m WHERE m.type <> 'table' AND {is_ours};

-- {drop_all}
SELECT {'create} || ' made nothing here' || ifnull((
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

-- The numbers with which the filter was made last, from the check view.
-- {numbers}
SELECT CAST(w.text AS INTEGER),
  CASE WHEN trim(substr(w.text, 1, instr(w.text, ')')), '0123456789)') = ', '
    THEN CAST(substr(w.text, instr(w.text, ',') + 1) AS INTEGER)
    ELSE {default_number} END
FROM (SELECT substr(m.sql, instr(lower(m.sql), lower(p.prefix)) + length(p.prefix))
    AS text
  FROM sqlite_master AS m
  JOIN (SELECT {'mark} AS prefix UNION ALL SELECT {'old_call}) AS p
    ON instr(lower(m.sql), lower(p.prefix)) > 0
  WHERE m.type = 'view' AND lower(m.name) = lower({'_@_check})) AS w;

-- ---- Triggers. Each one on the table adds the key of a row that has been
-- stored, or makes the filter follow what the table holds.

-- The names of everything that is made.
-- {names}
SELECT {'_@} AS name UNION ALL SELECT {'_@_last}
UNION ALL SELECT {'_@_check} UNION ALL {more_names}
UNION ALL SELECT w.name FROM ({triggers}) AS w

-- {triggers}
SELECT {'_@_insert} AS name UNION ALL SELECT {'_@_update}
UNION ALL SELECT {'_@_extend}

-- The first statement of each trigger on the table. It never raises an error,
-- but because it could, SQLite undoes the whole row after an error in the
-- trigger. Before 3.38, it would otherwise keep the row, without its key, if
-- the INSERT says OR IGNORE, OR FAIL or OR REPLACE.
-- {undo_all}
SELECT RAISE(ABORT, '') AS {made} WHERE 0;

-- The beginning of the body of each such trigger.
-- {'body}
'BEGIN
  SELECT RAISE(ABORT, '''') AS "bloom_create_'

-- Whether the trigger that makes the filter follow the table stands on the table
-- and reads from it. After ALTER TABLE RENAME, it may do only one of these: with
-- PRAGMA legacy_alter_table, SQLite does not rename the table in its body. This
-- condition is in that trigger, too, and must not match itself.
-- {follows_t}
EXISTS (SELECT 1 FROM sqlite_master AS m
    WHERE m.type = 'trigger' AND m.name = {'_@_extend} AND m.tbl_name = {'t}
      AND instr(m.sql, char(10) || {'quoted_t}) > 0)

-- The filter's last trigger, which does nothing, marks when the filter was made:
-- VACUUM and a dump keep the order of triggers.
-- {last_row}
(SELECT l.rowid FROM sqlite_master AS l
    WHERE l.type = 'trigger' AND l.name = {'_@_last})

-- Whether m, a trigger of the filter, is for the filter's column: either it
-- names the column {c}, or the table has no column {c} any more, because it was
-- renamed in the table and in m. A column that has got the name since is not in
-- the filter.
-- {of_column}
(m.name = {'_@_extend} OR instr(m.sql, {'new_c}) > 0
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
  THEN ': SELECT ' || {'create} ELSE ', and ' || {'t} || '.' || {'c} ||
  ' is gone or has another name: SELECT ' || {'drop} END

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
