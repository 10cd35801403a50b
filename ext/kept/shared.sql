-- What filters in parts and filters of blocks have in common: SQL for one
-- column of one table, in which words in braces stand for other texts. A
-- comment that is only a word in braces begins the text of this word.
-- ext/tools/templates writes these files into templates.h, without their
-- comments. An unknown word is an error.
--
-- {_NAME}        the object TABLE_COLUMN_NAME, quoted; {'_NAME} as a string
-- {t} {c} {id}   the table, the column and its INTEGER PRIMARY KEY, quoted;
--                {'t} the table as a string
-- {made}         the call that makes the filter, with its numbers, written as
--                the name of a column or a constraint. This is the mark that
--                identifies an object even if a tool has removed its comments
-- {'mark}        the beginning of that mark, without the numbers, as a string;
--                {'old_mark} is the beginning of version 1.2's mark
-- {'create} {'drop}  the calls that rebuild and remove the filter, as strings;
--                {'call} is the beginning of the first, without its numbers
-- {'any_mark}    the beginning of the mark of any column, as a string
-- {'old_call}    the beginning of the call in 1.2's check view, as a string
-- {bits}         bits_per_key
-- {keys} {rows}  the other number: keys for parts, rows for blocks
-- {before}       the key that a row will have, in a trigger that runs before
--                the row is written
-- {inputs}       for a generated column, a condition that is never true but
--                names the columns from which it is generated
-- {next_id}      the id that SQLite assigns next
-- {assigned}     for a column that is the id, the statement that adds the id
--                that SQLite assigns next
-- {most_number}  the maximum of the other number; {default_number} is its
--                default
-- {new_c}        the column's new value, after a line break, as it occurs in each
--                trigger of the filter; {'new_c} is the same as a string. Nothing
--                else in these triggers matches it, whatever its name is: no
--                line begins with the id, and no name has a line break. Only a
--                default may have one, which AFTER triggers do not contain
-- {'t_word} {'c_word}  a GLOB pattern, as a string. It matches a text in lower
--                case that contains the name of the table or column as a word

-- The objects in the schema that have one of the filter's names, and whether
-- these functions made them for this column. Version 1.2's mark was a comment.
-- If the comment has been removed, the object is identified by a part of its
-- SQL without white space, and the check view, if there is one, says for which
-- column it was made.
-- {found}
(SELECT o.type AS type, o.name AS name, m.type AS found_type,
  (instr(lower(m.sql), lower({'mark})) > 0
    OR instr(lower(m.sql), lower({'old_mark})) > 0
    OR instr(m.sql, {'any_of_ours}) = 0 AND instr(m.sql, 'made by bloom_') = 0
      AND NOT EXISTS (SELECT 1 FROM main.sqlite_master AS v
        WHERE v.type = 'view' AND lower(v.name) = lower({'_check})
          AND instr(lower(v.sql), lower({'old_call})) = 0)
      AND instr(lower(replace(replace(replace(replace(m.sql,
        ' ', ''), char(9), ''), char(10), ''), char(13), '')),
        lower(replace(replace(o.old, ' ', ''), '@',
          '"' || replace({'_table}, '"', '""') || '"'))) > 0)
  AND o.type = m.type AS is_ours
FROM ({objects}) AS o
JOIN main.sqlite_master AS m ON lower(m.name) = lower(o.name))

-- {check_names}
SELECT 'there is already a' || substr('n', 1, f.found_type = 'index') || ' ' ||
  f.found_type || ' "' || f.name ||
  '", which was not made by ' || {'create} ||
  ': rename it, or drop it' AS error
FROM {found} AS f WHERE NOT f.is_ours LIMIT 1;

-- Triggers and views are dropped and made again. A table is emptied and filled
-- again, because DROP TABLE fails with SQLITE_LOCKED while any statement reads.
-- {drop_triggers_and_views}
SELECT group_concat(w.sql, ';') AS run
FROM (SELECT {drop} AS sql FROM {found} AS f WHERE f.type <> 'table'
  ORDER BY f.type) AS w;

-- {drop_all}
SELECT {'create} || ' made nothing here' || ifnull((
  SELECT '; there are filters made by ' || group_concat(w.call, ' and ') FROM (
    SELECT DISTINCT replace(substr(m.sql, instr(m.sql, {'any_mark}) + 1,
      instr(substr(m.sql, instr(m.sql, {'any_mark}) + 1), ')"')), '""', '"')
      AS call
    FROM main.sqlite_master AS m
    WHERE m.type = 'view' AND instr(m.sql, {'any_mark}) > 0) AS w
  ), '') AS error
WHERE NOT EXISTS (SELECT 1 FROM {found} AS f WHERE f.is_ours);
SELECT group_concat(w.sql, ';') AS run, count(*) AS objects
FROM (SELECT {drop} AS sql FROM {found} AS f
  WHERE f.is_ours ORDER BY f.type = 'table', f.type) AS w;

-- {drop}
'DROP ' || f.type || ' main."' || replace(f.name, '"', '""') || '"'

-- The numbers with which the filter was made last, from the check view.
-- {numbers}
SELECT CAST(w.text AS INTEGER),
  CASE WHEN trim(substr(w.text, 1, instr(w.text, ')')), '0123456789)') = ', '
    THEN CAST(substr(w.text, instr(w.text, ',') + 1) AS INTEGER)
    ELSE {default_number} END
FROM (SELECT CASE WHEN instr(lower(m.sql), lower({'mark})) > 0
    THEN substr(m.sql, instr(lower(m.sql), lower({'mark})) + length({'mark}))
    ELSE substr(m.sql, instr(lower(m.sql), lower({'old_call}))
      + length({'old_call})) END AS text
  FROM main.sqlite_master AS m
  WHERE m.type = 'view' AND lower(m.name) = lower({'_check})
    AND (instr(lower(m.sql), lower({'mark})) > 0
      OR instr(lower(m.sql), lower({'old_call})) > 0)) AS w;

-- Whether m, a trigger of the filter, is for the filter's column: either it
-- names the column {c}, or the table has no column {c} any more, because it was
-- renamed in the table and in m. A column that has got the name since is not in
-- the filter.
-- {of_column}
(instr(m.sql, {'new_c}) > 0 OR EXISTS (SELECT 1 FROM sqlite_master AS s
    WHERE s.type = 'table' AND s.name = {'t}
    AND lower(s.sql) || ' ' NOT GLOB lower({'c_word})))

-- Whether all triggers of the filter have been on the table since the filter
-- was filled. A tool that rebuilds a table drops its triggers. A trigger that
-- was put back by hand may have missed rows. It is newer than the trigger
-- {'_last}, which was made last: VACUUM and a dump keep the order of triggers.
-- {kept}
(SELECT count(*) FROM sqlite_master AS m
  WHERE m.type = 'trigger' AND m.tbl_name = {'t} AND m.name IN ({names})
    AND m.rowid < (SELECT l.rowid FROM sqlite_master AS l
      WHERE l.type = 'trigger' AND l.name = {'_last})
    AND {of_column}) = 4

-- Whether a filter that is built by a trigger could lose a row that is just
-- being written. That happens if three things come together: the filter's
-- BEFORE trigger has seen the row; then another trigger inserts rows into the
-- table, so that the filter is built without the row; and then a trigger ends
-- the row's changes before the filter's AFTER trigger sees the row. Of two
-- triggers, the one that was created later runs first. ON UPDATE actions of
-- foreign keys run between BEFORE and AFTER triggers. TEMP triggers are not in
-- this schema.
--
-- Of the triggers, only {'_last} asks this. SQLite reserves memory for the whole
-- body of a trigger before it tests WHEN, so that a condition as long as this one
-- would cost time at each row in a trigger on the table itself.
-- {another_may_end_first}
(bloom_temp_triggers() > 0
  OR EXISTS (SELECT 1 FROM sqlite_master AS m
    CROSS JOIN sqlite_master AS o ON o.tbl_name = m.tbl_name COLLATE NOCASE
    WHERE m.type = 'trigger' AND m.name = {'_after_insert}
      AND o.type = 'trigger' AND instr(o.sql, {'any_of_ours}) = 0
      AND (o.rowid > m.rowid AND lower(o.sql) GLOB '*after*'
          AND (lower(o.sql) GLOB '*raise*' OR {another_inserts})
        OR lower(o.sql) GLOB '*update*' AND {another_inserts}
          AND EXISTS (SELECT 1 FROM sqlite_master AS r
            WHERE r.type = 'table' AND lower(r.sql) GLOB '*references*'))))

-- A text in the SQL of every trigger of a filter. These triggers never end a
-- statement, and insert only into tables of filters.
-- {'any_of_ours}
'"bloom_create_'

-- {another_inserts}
EXISTS (SELECT 1 FROM sqlite_master AS i
  WHERE i.type = 'trigger' AND instr(i.sql, {'any_of_ours}) = 0
    AND lower(i.sql) || ' ' GLOB '*into' || lower({'t_word}))

-- The end of a problem's text: the call that repairs it. If the table or the
-- column is gone or has another name by now, the filter can only be removed.
-- {'mend}
CASE WHEN EXISTS (SELECT 1 FROM sqlite_master AS s
    WHERE s.type = 'table' AND lower(s.name) = lower({'t})
      AND lower(s.sql) || ' ' GLOB lower({'c_word}))
  THEN ': SELECT ' || {'create} ELSE ', and ' || {'t} || '.' || {'column} ||
  ' is gone or has another name: SELECT ' || {'drop} END

-- {check_triggers}
SELECT 'trigger ' || w.name || ' is missing, so no row is excluded' || {'mend}
  AS problem
FROM ({each_name}) AS w
WHERE NOT EXISTS (SELECT 1 FROM sqlite_master AS m WHERE m.name = w.name
    AND m.type = 'trigger' AND m.tbl_name = {'t})
UNION ALL
SELECT 'trigger ' || w.name ||
  ' was put back, and rows may have been written without it, so no row is'
  || ' excluded' || {'mend}
FROM ({each_name}) AS w
JOIN sqlite_master AS m ON m.name = w.name
WHERE m.type = 'trigger' AND m.tbl_name = {'t}
  AND m.rowid > ifnull((SELECT l.rowid FROM sqlite_master AS l
    WHERE l.type = 'trigger' AND l.name = {'_last}), 0)
UNION ALL
SELECT 'trigger ' || w.name || ' is for a column other than ' || {'column} ||
  ', so no row is excluded' || {'mend}
FROM ({each_name}) AS w
JOIN sqlite_master AS m ON m.name = w.name
WHERE m.type = 'trigger' AND m.tbl_name = {'t} AND NOT {of_column}

-- {next_id_after_rows}
ifnull((SELECT k.{id} + 1 FROM {t} AS k ORDER BY k.{id} DESC LIMIT 1), 1)

-- {next_id_autoincrement}
(SELECT max(ifnull(max(k.{id}), 0), ifnull((
  SELECT max(q.seq) FROM sqlite_sequence AS q WHERE q.name = {'t}), 0)) + 1
  FROM {t} AS k)
