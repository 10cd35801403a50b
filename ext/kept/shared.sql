-- What filters in parts and filters of blocks have in common: SQL for one
-- column of one table, in which words in braces stand for other texts. A
-- comment that is only a word in braces begins the text of this word.
-- ext/tools/templates writes what C asks for into templates.h. An unknown word is an
-- error.
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
-- Each form has {create_name}, {drop_name}, {views} and so on: see parts.sql.

-- ---- Calls.

-- {create_call}
{create_name}({'t}, {'c})

-- {drop_call}
{drop_name}({'t}, {'c})

-- The beginning of a call, before the numbers.
-- {call}
{create_name}({'t}, {'c},

-- The name of a column or a constraint of each object, which marks it as ours
-- even if a tool has removed the comments in its SQL.
-- {made}
{create_name}({'t}, {'c}, {bits}, {number})

-- The beginning of that mark.
-- {mark}
('"' || replace({'call}, '"', '""'))

-- ---- The column that a call names.

-- All objects of main and temp.
-- {objects}
SELECT s.type AS type, s.name AS name, s.sql AS sql, s.rootpage AS rootpage
FROM sqlite_master AS s
UNION ALL SELECT 'temporary ' || s.type, s.name, '', 0 FROM sqlite_temp_master AS s

-- Which argument is wrong (0 or 1), or NULL, what it must be, and what it is; the
-- names as the schema spells them; the numbers, {given_bits} or those with which the
-- filter was made last; and the range of the second. The primary key of a table
-- WITHOUT ROWID, and an INTEGER PRIMARY KEY DESC, are not the rowid: each has an
-- index, which the schema lists only if the table has a rowid. LIMIT keeps SQLite
-- from looking up a name wherever it is used.
-- {column}
SELECT p.argument, p.must_be, CASE WHEN p.problem <> 2 THEN ifnull(w.wrong, '')
    WHEN {'c} GLOB '*[(,]*' THEN ': instead, filter a generated column' ELSE '' END,
  w.*, CASE WHEN w.id IS NOT NULL THEN w.id WHEN EXISTS (SELECT 1
      FROM pragma_index_list(w.t, 'main') AS x WHERE x.origin = 'pk' AND x.name
        NOT IN (SELECT m.name FROM sqlite_master AS m)) THEN w.c ELSE 'rowid' END AS first,
  {least_number} AS least, {most_number} AS most
FROM (SELECT n.name AS t, CASE
      WHEN n.name IS NOT NULL THEN n.wrong
      WHEN {'t} GLOB '*.*' THEN ': give the name alone, without a database'
    END AS wrong,
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
          WHERE x.origin = 'pk')) END AS id,
    coalesce({given_bits}, l.bits, {default_bits}) AS bits,
    ifnull(l.number, {default_number}) AS number
  FROM (SELECT 1) LEFT JOIN ({named}) AS n LEFT JOIN ({numbers}) AS l LIMIT 1) AS w
LEFT JOIN (
  SELECT 1 AS problem, 0 AS argument, 'the name of a table in main' AS must_be
  UNION ALL SELECT 2, 1, 'the name of a column of that table'
  UNION ALL SELECT 3, 0, 'one whose key has a name without control characters'
  UNION ALL SELECT 4, 0, 'a table with an INTEGER PRIMARY KEY that is its rowid '
    || '(without one, VACUUM and a dump renumber its rows)'
  UNION ALL SELECT 5, 1, 'a column other than the INTEGER PRIMARY KEY, which '
    || 'defines the blocks') AS p
ON p.problem = CASE WHEN w.t IS NULL OR w.wrong IS NOT NULL THEN 1
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

-- The numbers in the mark of the last trigger, which anybody may have written.
-- {numbers}
SELECT w.bits AS bits, w.number AS number
FROM (SELECT CAST(w.text AS INTEGER) AS bits,
    CAST(substr(w.text, instr(w.text, ',') + 1) AS INTEGER) AS number
  FROM (SELECT substr(m.sql, instr(lower(m.sql), lower({mark}))
      + length({mark})) AS text
    FROM sqlite_master AS m WHERE m.type = 'trigger'
      AND lower(m.name) = lower({'@_last}) AND {is_ours}) AS w) AS w
WHERE w.bits BETWEEN 1 AND {most_bits} AND w.number >= {least_number}

-- ---- What these functions made for this column.

-- {is_ours}
(substr(lower(m.name), 1, length({'_})) = lower({'_}) AND CASE m.type
  WHEN 'table' THEN lower(m.name) = lower({'@})
    AND instr(lower(m.sql), lower('CONSTRAINT ' || {mark})) > 0
  ELSE instr(lower(m.sql), lower('AS ' || {mark})) > 0 END)

-- Ends a subquery whose columns would otherwise be computed again for each use.
-- {once}
LIMIT -1 OFFSET 0

-- The objects of kept filters, and what their marks say. A quote that is doubled
-- within a name is a control character meanwhile, which no name has. Where a column
-- begins with quotes, these come before the quote that begins its text.
-- {marks}
SELECT w.name AS name, w.mark AS mark, w.form AS form, w.t AS t, w.c AS c
FROM (SELECT w.*, replace(substr(w.names, 1, instr(w.names, '''') - 1), char(1), '''') AS t,
    replace(substr(w.rest, 1, instr(w.rest, '''') - 1) ||
      substr(w.rest, instr(w.rest, '''') + 1), char(1), '''') AS c
  FROM (SELECT w.*, substr(w.names, instr(w.names, '''') + 3) AS rest
    FROM (SELECT w.*, substr(w.mark, 14, instr(w.mark, '(') - 14) AS form,
        replace(substr(rtrim(w.mark, '0123456789, )'), instr(w.mark, '(') + 2,
          length(rtrim(w.mark, '0123456789, )')) - instr(w.mark, '(') - 2),
          '''''', char(1)) AS names
      FROM (SELECT w.name AS name,
          replace(substr(w.text, 1, instr(w.text, '"') - 1), char(2), '"') AS mark
        FROM (SELECT m.name AS name, replace(substr(m.sql,
            instr(m.sql, '"bloom_create_') + 1), '""', char(2)) AS text
          FROM sqlite_master AS m WHERE instr(m.sql, '"bloom_create_') > 0
          {once}) AS w
      {once}) AS w {once}) AS w {once}) AS w {once}) AS w
WHERE w.form IN ('parts', 'blocks') AND instr(w.rest, '''') > 0
  AND substr(w.name, 1, length(w.t || w.c) + 2) = w.t || '_' || w.c || '_'

-- The earlier number may be too large for other bits_per_key. Triggers and views are
-- dropped and made again. A table is emptied and filled again, because DROP TABLE
-- fails with SQLITE_LOCKED while any statement reads. No name may belong to anything
-- else, not even in the temp schema, where it would hide the filter's own object.
-- {prepare}
SELECT '{number_name} must be at most ' || {most_number} || ' at {bits} bits_per_key, and '
  || 'is {number} since an earlier call: give another number' AS error
WHERE {number} > {most_number};
SELECT 'there is already a' || substr('n', 1, m.type = 'index') || ' ' || m.type ||
  ' "' || m.name || '", which ' || ifnull('belongs to the filter that ' || (
    SELECT k.mark FROM ({marks}) AS k WHERE k.name = m.name AND m.sql <> '') ||
    ' made: drop that filter, or rename a table or a column',
    'was not made by ' || {'create_call} || ': rename it, or drop it') AS error
FROM ({objects}) AS m
WHERE lower(m.name) IN (SELECT lower(w.name) FROM ({names}) AS w)
  AND NOT {is_ours} LIMIT 1;
SELECT group_concat({drop_one}, ';') AS run
FROM sqlite_master AS m WHERE m.type <> 'table' AND {is_ours};

-- {drop_all}
SELECT {'create_call} || ' made nothing here' || ifnull((
  SELECT '; there are filters made by ' || group_concat(w.mark, ' and ')
  FROM (SELECT DISTINCT k.mark AS mark FROM ({marks}) AS k
    WHERE k.form = {'form}) AS w), '') AS error
WHERE NOT EXISTS (SELECT 1 FROM sqlite_master AS m WHERE {is_ours});
SELECT group_concat(w.sql, ';') AS run, count(*) AS result
FROM (SELECT {drop_one} AS sql FROM sqlite_master AS m
  WHERE {is_ours} ORDER BY m.type = 'table') AS w;

-- {drop_one}
'DROP ' || m.type || ' main."' || replace(m.name, '"', '""') || '"'

-- The names of everything that is made.
-- {names}
SELECT {'@} AS name UNION ALL SELECT {'@_insert} UNION ALL SELECT {'@_update}
UNION ALL SELECT {'@_extend} UNION ALL SELECT {'@_grow} UNION ALL SELECT {'@_last}
UNION ALL {views}

-- ---- Triggers. Each one on the table adds the key of a row that has been
-- stored, or makes the filter follow what the table holds. guard.c looks for the
-- first three texts here.

-- The new value of the column and the name of the table, each after a line break,
-- which no name has, so that nothing else in a trigger matches these texts.
-- {new_c}
{newline}NEW.{c}
-- {from_t}
{newline}{t}
-- {new}
{newline}NEW."

-- The beginning of the body of each trigger on the table. It never raises an
-- error, but because it could, SQLite undoes the whole row after an error in the
-- trigger. Before 3.38, it would otherwise keep the row, without its key, if the
-- INSERT says OR IGNORE, OR FAIL or OR REPLACE.
-- {begin}
BEGIN
  SELECT RAISE(ABORT, '') AS {"made} WHERE 0;

-- Whether every key of the table is in the filter: see guard.c.
-- {is_kept}
bloom_is_kept({'form}, {'t}, {'c})

-- ---- What bloom_check finds.

-- The filters of a table and a column, or of all where ?1 and ?2 are NULL, and what
-- these are called now, as far as a trigger tells. A row of NULLs comes first if an
-- authorizer hides anything of the schema.
-- {filters}
SELECT NULL AS form, NULL AS t, NULL AS c, NULL AS now_t, NULL AS now_c
FROM sqlite_master AS m
WHERE m.type IS NULL OR m.name IS NULL OR (m.sql IS NULL AND m.type <> 'index')
UNION SELECT k.form, k.t, k.c, w.t,
  replace(substr(w.text, 1, instr(w.text, '"') - 1), char(1), '"')
FROM ({marks}) AS k LEFT JOIN (SELECT m.name AS name, m.tbl_name AS t, replace(
    substr(m.sql, instr(m.sql, {'new}) + length({'new})), '""', char(1)) AS text
  FROM sqlite_master AS m WHERE m.type = 'trigger' AND instr(m.sql, {'new}) > 0) AS w
ON w.name = k.t || '_' || k.c || '_' || k.form || '_update'
WHERE ifnull(k.t = ?1 COLLATE NOCASE, 1) AND ifnull(k.c = ?2 COLLATE NOCASE, 1)
ORDER BY 2, 3, 1

-- What is wrong with a filter whose table and column exist, and why the triggers do
-- not keep it; the end of a problem's text is the call that repairs it.
-- {check}
{check_triggers}
UNION ALL
{check_content}
UNION ALL
SELECT w.n || ' of the rows would be lost, the first with ' || {'first} || ' ' ||
  quote(w.first) || {mend} FROM ({lost}) AS w WHERE w.n > 0

-- {mend}
(': SELECT ' || {'create_call})

-- {check_triggers}
SELECT {'problem} || {mend} AS problem WHERE {'problem} <> ''

-- Of one whose table or column has another name, and of one for which they are gone.
-- {check_renamed}
SELECT {'t} || '.' || {'c} || ' is called ' || {'now_t} || '.' || {'now_c}
  || ' now, so no row is excluded: SELECT ' || {'drop_call} || ', {create_name}('
  || quote({'now_t}) || ', ' || quote({'now_c}) || ', {bits}, {number})'

-- {check_gone}
SELECT {'t} || '.' || {'c} || ' is gone: SELECT ' || {'drop_call}

-- What p, a row of the table of parts or blocks, has in place of a filter.
-- {what_it_has}
CASE typeof(p.f) WHEN 'blob' THEN 'a BLOB of ' || length(p.f) || ' bytes'
  ELSE typeof(p.f) END
