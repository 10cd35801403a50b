-- What filters in parts and filters of blocks have in common: SQL for one
-- column of one table, in which words in braces stand for other texts. A
-- comment that is only a word in braces begins the text of this word.
-- ext/tools/templates writes these texts into templates.h, where template.c finds
-- them. An unknown word is an error.
--
-- {t} {c} {id}   the table, the column and its INTEGER PRIMARY KEY, quoted
-- {first}        the column that tells rows apart: that key, the rowid or {c}, quoted
-- {_NAME}        the object TABLE_COLUMN_NAME, quoted
-- {@NAME}        the object TABLE_COLUMN_partsNAME, or with "blocks", quoted
-- {"WORD}        the text of a word as a quoted name
-- {'WORD}        the text of a word as a string; of a name, the name itself
-- {form}         parts or blocks
-- {bits} {number} {most}         bits_per_key, the keys or rows, and the most of these
-- {newline}      a line break
-- {most_bits} {max_parts} {max_bytes}     numbers that C knows
--
-- Each form has {default_bits}, {views} and so on: see parts.sql.
--
-- What a connection brings along, such as TEMP tables, must not change what these
-- statements mean: a name says its schema, except in the text of a view or a trigger,
-- where it means the schema that this stands in; no SELECT has a star, whose columns
-- have other names under some settings; and C reads columns by their number.

-- ---- Calls.

-- {create_call}
bloom_create_{form}({'t}, {'c})

-- The beginning of a call, before the numbers.
-- {call}
bloom_create_{form}({'t}, {'c},

-- The name of a column or a constraint of each object, which marks it as ours
-- even if a tool has removed the comments in its SQL.
-- {made}
bloom_create_{form}({'t}, {'c}, {bits}, {number})

-- ---- The column that a call names.

-- All objects of main and temp.
-- {objects}
SELECT s.rowid AS id, s.type AS type, s.name AS name, s.tbl_name AS owner, s.sql AS sql,
  s.rootpage AS rootpage FROM main.sqlite_master AS s
UNION ALL SELECT 0, 'temporary ' || s.type, s.name, s.tbl_name, '', 0
FROM temp.sqlite_temp_master AS s

-- The names as the schema spells them, or NULL; the numbers, ?1 unless it is 0 or those
-- with which the filter was made last; the range of the second; and what is wrong with
-- the table, or NULL. The primary key of a table WITHOUT ROWID, and an INTEGER PRIMARY
-- KEY DESC, are not the rowid: each has an index, which the schema lists only if the
-- table has a rowid. LIMIT keeps SQLite from looking up a name wherever it is used.
-- {column}
SELECT w.t, w.c, w.id, coalesce(w.id, (SELECT w.c
    FROM main.pragma_index_list(w.t, 'main') AS x WHERE x.origin = 'pk' AND x.name
      NOT IN (SELECT m.name FROM main.sqlite_master AS m)), 'rowid'),
  w.bits, w.number, {most_number}, {least_number}, w.wrong
FROM (SELECT n.name AS t, n.wrong AS wrong,
    CASE WHEN n.wrong IS NULL THEN (SELECT i.name
      FROM main.pragma_table_xinfo(n.name, 'main') AS i
      WHERE i.name = {'c} COLLATE NOCASE) END AS c,
    CASE WHEN n.wrong IS NULL THEN (SELECT i.name
      FROM main.pragma_table_xinfo(n.name, 'main') AS i
      WHERE i.pk = 1 AND i.type = 'INTEGER' COLLATE NOCASE AND NOT EXISTS (SELECT 1
        FROM main.pragma_index_list(n.name, 'main') AS x WHERE x.origin = 'pk')) END AS id,
    coalesce(nullif(?1, 0), l.bits, {default_bits}) AS bits,
    ifnull(l.number, {default_number}) AS number
  FROM (SELECT 1) LEFT JOIN ({named}) AS n LEFT JOIN ({numbers}) AS l LIMIT 1) AS w

-- What has the name of the table, and what is wrong with it. A temporary object of
-- that name does not matter where main has a table.
-- {named}
SELECT m.name AS name, CASE WHEN m.type <> 'table' THEN ', a ' || m.type
    WHEN ifnull(m.rootpage, 0) = 0 THEN ', a virtual table'
    WHEN lower(m.name) GLOB 'sqlite_*' THEN ', which is SQLite''s own'
    WHEN lower(m.name) = 'sqlite' THEN
      ': the names of its filter''s objects would be reserved' END AS wrong
FROM ({objects}) AS m
WHERE (m.type GLOB '*table' OR m.type GLOB '*view')
  AND m.name = {'t} COLLATE NOCASE ORDER BY m.type GLOB 'temporary *', 2 DESC LIMIT 1

-- The numbers in the mark of the last trigger, which anybody may have written.
-- {numbers}
SELECT CAST(w.text AS INTEGER) AS bits,
  CAST(substr(w.text, instr(w.text, ',') + 1) AS INTEGER) AS number
FROM (SELECT substr(k.mark, length({'call}) + 1) AS text FROM ({marks}) AS k
  WHERE k.name = {'@_last} COLLATE NOCASE AND {of_column}) AS w
WHERE bits BETWEEN 1 AND {most_bits} AND number >= {least_number}

-- ---- What these functions made for this column.

-- {is_ours}
CASE m.type WHEN 'table' THEN m.name = {'@} COLLATE NOCASE AND ({is_made} OR {is_renamed})
  ELSE {is_made} END

-- {is_made}
m.id IN (SELECT k.id FROM ({marks}) AS k WHERE {of_column})

-- {of_column}
k.form = {'form} AND k.t = {'t} COLLATE NOCASE AND k.c = {'c} COLLATE NOCASE

-- Whether a table was made for another column, and has its name by a rename: if it had
-- the name that its mark gives it, it would be in the list.
-- {is_renamed}
(instr(m.sql, ' CONSTRAINT "bloom_create_') > 0
  AND m.id NOT IN (SELECT k.id FROM ({marks}) AS k))

-- Ends a subquery whose columns would otherwise be computed again for each use.
-- {once}
LIMIT -1 OFFSET 0

-- The objects of kept filters, and what their marks say. This word, a space and one
-- quote come before a mark alone: within a name in quotes, each quote is doubled. Where
-- a name ends is seen in a text that has two other characters in place of such a pair.
-- {marks}
SELECT w.id AS id, w.name AS name, w.mark AS mark, w.form AS form, w.t AS t,
  replace(substr(w.rest, 1, instr(replace(w.rest, '''''', '..'), '''') - 1),
    '''''', '''') AS c
FROM (SELECT w.id AS id, w.name AS name, w.mark AS mark, w.form AS form,
    replace(substr(w.names, 1, w.size), '''''', '''') AS t,
    substr(w.names, w.size + 5) AS rest
  FROM (SELECT w.id AS id, w.name AS name, 'bloom_create_' || w.call AS mark,
      substr(w.call, 1, instr(w.call, '(') - 1) AS form,
      substr(w.call, instr(w.call, '(') + 2) AS names,
      instr(replace(substr(w.call, instr(w.call, '(') + 2), '''''', '..'), '''') - 1 AS size
    FROM (SELECT w.id AS id, w.name AS name,
        replace(substr(w.text, 1, instr(w.text, '"') - 1), char(1), '"') AS call
      FROM (SELECT m.rowid AS id, m.name AS name, replace(substr(m.sql,
          instr(m.sql, {before_mark}) + length({before_mark})), '""', char(1)) AS text
        FROM main.sqlite_master AS m WHERE instr(m.sql, {before_mark}) > 0
        {once}) AS w {once}) AS w {once}) AS w {once}) AS w
WHERE w.form IN ('parts', 'blocks') AND instr(w.rest, '''') > 0
  AND substr(w.name, 1, length(w.t || c) + 2) = w.t || '_' || c || '_'

-- {before_mark}
(CASE m.type WHEN 'table' THEN ' CONSTRAINT' ELSE ' AS' END || ' "bloom_create_')

-- ---- What a call changes. Triggers and views are dropped and made again. A table is
-- emptied and filled again, because DROP TABLE fails with SQLITE_LOCKED while any
-- statement reads.

-- What is in the way: it has the name of something that is made, or is a trigger on the
-- filter's table, and does not belong to this filter. No name may belong to anything
-- else, not even in the temp schema, where it would hide the filter's own object.
-- {taken}
SELECT 'there is already a' || CASE m.type WHEN 'index' THEN 'n ' ELSE ' ' END || m.type
  || ' "' || m.name || '", which ' || ifnull('belongs to the filter that ' || (
      SELECT k.mark FROM ({marks}) AS k WHERE k.id = m.id)
    || ' made: drop that filter, or rename a table or a column',
  'was not made by ' || {'create_call} || CASE WHEN m.type GLOB '*table'
    OR m.type GLOB '*view' THEN ': rename it, or drop it' ELSE ': drop it' END)
FROM ({objects}) AS m
WHERE (m.name COLLATE NOCASE IN ({'@}, {'@_insert}, {'@_update}, {'@_extend}, {'@_grow},
      {'@_last}, {views}) OR (m.owner = {'@} COLLATE NOCASE
      AND (m.type GLOB '*trigger' OR (m.type = 'index' AND m.sql <> ''))
      AND m.id NOT IN (SELECT k.id FROM ({marks}) AS k
        WHERE k.t || '_' || k.c || '_' || k.form <> {'@} COLLATE NOCASE)))
  AND NOT ({is_ours}) LIMIT 1

-- Drops one object that was made for this column: the table last, and only if ?1 is true
-- or it has other columns than this version's, or its name in other capitals.
-- {drop_one}
SELECT 'DROP ' || m.type || ' main."' || replace(m.name, '"', '""') || '"'
FROM ({objects}) AS m
WHERE {is_ours} AND (m.type <> 'table' OR ?1 OR m.name <> {'@}
    OR NOT {is_made} OR instr(m.sql, {'key}) = 0 OR instr(m.sql, {'columns}) = 0)
ORDER BY m.type = 'table' LIMIT 1

-- What to say where nothing was made: the filter of the other form, or all of this form.
-- {others}
SELECT {'create_call} || ' made nothing here' || coalesce((
  SELECT '; bloom_drop_' || w.form || ' drops what ' || w.mark || ' made'
  FROM ({marks}) AS w WHERE w.form <> {'form} AND w.t = {'t} COLLATE NOCASE
    AND w.c = {'c} COLLATE NOCASE LIMIT 1), (
  SELECT '; there are filters made by ' || group_concat(w.mark, ' and ')
  FROM (SELECT DISTINCT k.mark AS mark FROM ({marks}) AS k
    WHERE k.form = {'form}) AS w), '')

-- ---- Triggers. Why no row is lost: each row that is stored runs {@_insert} or
-- {@_update} in the statement that stores it, which add its key as it was stored, or
-- make the filter follow what the table holds. If they fail, the row is undone. What
-- may run before them and end a row without undoing it is a newer trigger: while there
-- is one, the views exclude nothing ({is_kept}). guard.c looks for the first three
-- texts in them.

-- The new value of the column and the name of the table, each after a line break,
-- which no name has, so that nothing else in a trigger matches these texts.
-- {new_c}
{newline}NEW.{c}
-- {from_t}
{newline}{t}

-- The beginning of the body of each trigger on the table. It never raises an
-- error, but because it could, SQLite undoes the whole row after an error in the
-- trigger. Before 3.38, it would otherwise keep the row, without its key, if the
-- INSERT says OR IGNORE, OR FAIL or OR REPLACE.
-- {body}
BEGIN
  SELECT RAISE(ABORT, '') AS

-- {begin}
{body} {"made} WHERE 0;

-- Whether every key of the table is in the filter: see guard.c.
-- {is_kept}
bloom_is_kept({'form}, {'t}, {'c})

-- ---- The filters that bloom_check looks at.

-- The filters of a table and a column, or of all where ?1 and ?2 are NULL, and what
-- these are called now, as far as one of the two triggers on the table tells. A row of
-- NULLs comes first if an authorizer hides anything of the schema.
-- {filters}
SELECT NULL AS form, NULL AS t, NULL AS c, NULL AS now_t, NULL AS now_c
FROM main.sqlite_master AS m
WHERE m.type IS NULL OR m.name IS NULL OR (m.sql IS NULL AND m.type <> 'index')
UNION ALL SELECT k.form, k.t, k.c, w.t,
  max(replace(substr(w.text, 1, instr(w.text, '"') - 1), char(1), '"'))
FROM ({marks}) AS k LEFT JOIN (SELECT m.name AS name, m.tbl_name AS t, replace(
    substr(m.sql, instr(m.sql, {'new}) + length({'new})), '""', char(1)) AS text
  FROM main.sqlite_master AS m WHERE m.type = 'trigger' AND instr(m.sql, {'new}) > 0) AS w
ON w.name IN (k.t || '_' || k.c || '_' || k.form || '_insert',
  k.t || '_' || k.c || '_' || k.form || '_update')
WHERE ifnull(k.t = ?1 COLLATE NOCASE, 1) AND ifnull(k.c = ?2 COLLATE NOCASE, 1)
GROUP BY k.form, k.t, k.c ORDER BY 2, 3, 1

-- The beginning of {new_c}.
-- {new}
{newline}NEW."

-- ---- What bloom_check finds. Each row is a problem, and whether a call to create
-- the filter repairs it; if not, the problem says what would. Nothing here may fail,
-- whatever the tables hold.

-- {check_lost}
SELECT CASE WHEN {is_kept} THEN w.n || ' of the rows would be lost, the first with '
    ELSE 'the filter lacks ' || w.n || ' of the rows, the first with ' END
  || {'first} || ' ' || CASE WHEN typeof(w.first) IN ('text', 'blob')
      AND length(w.first) > 40 THEN quote(substr(w.first, 1, 40)) || '...'
    ELSE quote(w.first) END
  || CASE WHEN {is_kept} THEN '' ELSE '; it excludes none now, but would lose these if '
    || 'only its triggers were repaired' END, 1
FROM ({lost}) AS w WHERE w.n > 0

-- What p, a row of the table of parts or blocks, has in place of a filter.
-- {what_it_has}
CASE typeof(p.f) WHEN 'blob' THEN 'a BLOB of ' || length(p.f) || ' byte'
  || CASE length(p.f) WHEN 1 THEN '' ELSE 's' END ELSE typeof(p.f) END
