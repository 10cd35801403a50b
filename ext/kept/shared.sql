-- What filters in parts and filters of blocks have in common: SQL for one
-- column of one table, in which words in braces stand for other texts. A
-- comment that is only a word in braces begins the text of this word.
-- ext/tools/templates writes these files into templates.h, without their
-- comments. An unknown word is an error.
--
-- {t} {c} {id}   the table, the column and its INTEGER PRIMARY KEY, quoted
-- {first}        the column that tells rows apart: that key, the rowid or {c}, quoted
-- {_NAME}        the object TABLE_COLUMN_NAME, quoted
-- {@NAME}        the object TABLE_COLUMN_partsNAME, or with "blocks", quoted
-- {"WORD}        the text of a word as a quoted name
-- {'WORD}        the text of a word as a string; of a name, the name itself
-- {newline}      a line break
-- {form}         parts or blocks
-- {bits} {number} {last}         bits_per_key, the keys or rows, and one less
-- {most_bits} {most_parts}       the largest bits_per_key, and how many parts of
--                                {bits} bits for each key fit into memory
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

-- The call in the mark of m, an object of any kept filter.
-- {call_of_m}
replace(substr(m.sql, instr(m.sql, '"bloom_create_') + 1, instr(substr(m.sql,
  instr(m.sql, '"bloom_create_') + 1), ')"')), '""', '"')

-- ---- The column that a call names.

-- All objects of main and temp.
-- {objects}
SELECT s.type AS type, s.name AS name, s.sql AS sql, s.rootpage AS rootpage
FROM sqlite_master AS s
UNION ALL SELECT 'temporary ' || s.type, s.name, '', 0 FROM sqlite_temp_master AS s

-- Which argument is wrong (0 or 1), or NULL, what it must be, and what it is; the
-- names as the schema spells them, and the numbers with which the filter was made
-- last. The primary key of a table WITHOUT ROWID, and an INTEGER PRIMARY KEY DESC,
-- are not the rowid: each has an index, which the schema lists only if the table
-- has a rowid. LIMIT keeps SQLite from looking up a name wherever it is used.
-- {column}
SELECT p.argument, p.must_be, CASE WHEN p.problem <> 2 THEN ifnull(w.wrong, '')
    WHEN {'c} GLOB '*[(,]*' THEN ': instead, filter a generated column' ELSE '' END,
  w.name, w.c, w.id,
  CASE WHEN w.id IS NOT NULL THEN w.id WHEN EXISTS (SELECT 1
      FROM pragma_index_list(w.name, 'main') AS x WHERE x.origin = 'pk' AND x.name
        NOT IN (SELECT m.name FROM sqlite_master AS m)) THEN w.c ELSE 'rowid' END,
  ifnull(l.bits, {default_bits}), ifnull(l.number, {default_number})
FROM (SELECT n.name AS name, CASE
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

-- Triggers and views are dropped and made again. A table is emptied and filled
-- again, because DROP TABLE fails with SQLITE_LOCKED while any statement reads.
-- No name may belong to anything else, not even in the temp schema, where it
-- would hide the filter's own object.
-- {take_names}
SELECT 'there is already a' || substr('n', 1, m.type = 'index') || ' ' || m.type ||
  ' "' || m.name || '", which ' || CASE WHEN instr(m.sql, '"bloom_create_') > 0
    THEN 'belongs to the filter that ' || {call_of_m} ||
      ' made: drop that filter, or rename a table or a column'
    ELSE 'was not made by ' || {'create_call} || ': rename it, or drop it' END AS error
FROM ({objects}) AS m
WHERE lower(m.name) IN (SELECT lower(w.name) FROM ({names}) AS w)
  AND NOT {is_ours} LIMIT 1;
SELECT group_concat({drop_one}, ';') AS run
FROM sqlite_master AS m WHERE m.type <> 'table' AND {is_ours};

-- {drop_all}
SELECT {'create_call} || ' made nothing here' || ifnull((
  SELECT '; there are filters made by ' || group_concat(w.call, ' and ')
  FROM (SELECT DISTINCT {call_of_m} AS call FROM sqlite_master AS m
    WHERE m.type = 'view' AND instr(m.sql, '"{create_name}(') > 0) AS w), '') AS error
WHERE NOT EXISTS (SELECT 1 FROM sqlite_master AS m WHERE {is_ours});
SELECT group_concat(w.sql, ';') AS run, count(*) AS objects
FROM (SELECT {drop_one} AS sql FROM sqlite_master AS m
  WHERE {is_ours} ORDER BY m.type = 'table') AS w;

-- {drop_one}
'DROP ' || m.type || ' main."' || replace(m.name, '"', '""') || '"'

-- The names of everything that is made.
-- {names}
SELECT {'@} AS name UNION ALL SELECT {'@_insert} UNION ALL SELECT {'@_update}
UNION ALL SELECT {'@_extend} UNION ALL SELECT {'@_last} UNION ALL {views}

-- ---- Triggers. Each one on the table adds the key of a row that has been
-- stored, or makes the filter follow what the table holds. guard.c looks for the
-- first three texts here.

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
-- {begin}
BEGIN
  SELECT RAISE(ABORT, '') AS {"made} WHERE 0;

-- Whether every key of the table is in the filter: see guard.c. A subquery is
-- evaluated once, but is deeper: SQLITE_LIMIT_EXPR_DEPTH may be 10.
-- {is_kept_now}
bloom_is_kept({'form}, {'t}, {'c})
-- {is_kept}
(SELECT {is_kept_now})

-- ---- What bloom_check finds.

-- {check}
{check_content}
UNION ALL
SELECT w.n || ' of the rows would be lost, the first with ' || {'first} || ' ' ||
  quote(w.first) || {mend} FROM ({lost}) AS w WHERE w.n > 0

-- The end of a problem's text: the call that repairs it.
-- {mend}
(': SELECT ' || {'create_call})

-- What p, a row of the table of parts or blocks, has in place of a filter.
-- {what_it_has}
CASE typeof(p.f) WHEN 'blob' THEN 'a BLOB of ' || length(p.f) || ' bytes'
  ELSE typeof(p.f) END || ' instead of a filter'
