/* Made of shared.sql, parts.sql and blocks.sql by `make templates`. */
#ifndef BLOOM_TEMPLATES_H
#define BLOOM_TEMPLATES_H

static const sql_word shared_words[] = {
    {"create_call",
     "{create_name}({'t}, {'c})"},
    {"drop_call",
     "{drop_name}({'t}, {'c})"},
    {"call",
     "{create_name}({'t}, {'c},"},
    {"old_call",
     "{old_name}({'t}, {'c}"},
    {"made",
     "{create_name}({'t}, {'c}, {bits}, {number})"},
    {"mark",
     "('\"' || replace({'call}, '\"', '\"\"'))"},
    {"any_mark",
     "AS \"{create_name}("},
    {"objects",
     "SELECT s.type AS type, s.name AS name, s.sql AS sql, s.rootpage AS rootpage\n"
     "FROM sqlite_master AS s\n"
     "UNION ALL SELECT 'temporary ' || s.type, s.name, '', 0 FROM sqlite_temp_master AS s"},
    {"column",
     "SELECT p.argument, p.must_be, ifnull(w.wrong, ''), w.name, w.c, w.id,\n"
     "  ifnull(l.bits, {default_bits}), ifnull(l.number, {default_number})\n"
     "FROM (SELECT n.name AS name, n.wrong AS wrong,\n"
     "    CASE WHEN n.wrong IS NULL THEN (SELECT i.name\n"
     "      FROM pragma_table_xinfo(n.name, 'main') AS i\n"
     "      WHERE i.name = {'c} COLLATE NOCASE) END AS c,\n"
     "    CASE WHEN n.wrong IS NULL THEN (SELECT i.name\n"
     "      FROM pragma_table_xinfo(n.name, 'main') AS i\n"
     "      WHERE i.pk = 1 AND i.type = 'INTEGER' COLLATE NOCASE\n"
     "        AND NOT EXISTS (SELECT 1\n"
     "          FROM pragma_table_xinfo(n.name, 'main') AS o WHERE o.pk > 1)\n"
     "        AND NOT EXISTS (SELECT 1\n"
     "          FROM pragma_index_list(n.name, 'main') AS x\n"
     "          WHERE x.origin = 'pk')) END AS id\n"
     "  FROM (SELECT 1) LEFT JOIN ({named}) AS n LIMIT 1) AS w\n"
     "LEFT JOIN ({numbers}) AS l\n"
     "LEFT JOIN (\n"
     "  SELECT 1 AS problem, 0 AS argument, 'the name of a table in main' AS must_be\n"
     "  UNION ALL SELECT 2, 1, 'the name of a column of that table'\n"
     "  UNION ALL SELECT 3, 0, 'one whose key has a name without control characters'\n"
     "  UNION ALL SELECT 4, 0, 'a table with an INTEGER PRIMARY KEY that is its rowid '\n"
     "    || '(without one, VACUUM and a dump renumber its rows)'\n"
     "  UNION ALL SELECT 5, 1, 'a column other than the INTEGER PRIMARY KEY, which '\n"
     "    || 'defines the blocks') AS p\n"
     "ON p.problem = CASE WHEN w.name IS NULL OR w.wrong IS NOT NULL THEN 1\n"
     "  WHEN w.c IS NULL THEN 2\n"
     "  WHEN w.id GLOB '*[' || char(1) || '-' || char(31, 127) || ']*' THEN 3\n"
     "  WHEN {needs_id} AND w.id IS NULL THEN 4\n"
     "  WHEN {needs_id} AND w.id = w.c THEN 5 END"},
    {"named",
     "SELECT m.name AS name, CASE WHEN m.type <> 'table' THEN ', a ' || m.type\n"
     "    WHEN ifnull(m.rootpage, 0) = 0 THEN ', a virtual table'\n"
     "    WHEN lower(m.name) GLOB 'sqlite_*' THEN ', which is SQLite''s own'\n"
     "    WHEN lower(m.name) = 'sqlite' THEN\n"
     "      ': the names of its filter''s objects would be reserved' END AS wrong\n"
     "FROM ({objects}) AS m\n"
     "WHERE (m.type GLOB '*table' OR m.type GLOB '*view')\n"
     "  AND m.name = {'t} COLLATE NOCASE ORDER BY 2 DESC LIMIT 1"},
    {"numbers",
     "SELECT w.bits AS bits, w.number AS number\n"
     "FROM (SELECT CAST(w.text AS INTEGER) AS bits,\n"
     "    CASE WHEN trim(substr(w.text, 1, instr(w.text, ')')), '0123456789 )') = ','\n"
     "      THEN CAST(substr(w.text, instr(w.text, ',') + 1) AS INTEGER)\n"
     "      ELSE {default_number} END AS number\n"
     "  FROM (SELECT substr(m.sql, instr(lower(m.sql), lower(p.prefix))\n"
     "      + length(p.prefix)) AS text\n"
     "    FROM sqlite_master AS m\n"
     "    JOIN (SELECT {mark} AS prefix\n"
     "        UNION ALL SELECT replace({'old_call}, '''', '''''') || ',') AS p\n"
     "      ON instr(lower(m.sql), lower(p.prefix)) > 0\n"
     "    WHERE m.type = 'view' AND lower(m.name) = lower({'@_check})) AS w) AS w\n"
     "WHERE w.bits BETWEEN 1 AND {most_bits}\n"
     "  AND w.number BETWEEN {least_number} AND {most_number}"},
    {"is_ours",
     "(substr(lower(m.name), 1, length({'_})) = lower({'_}) AND CASE\n"
     "  WHEN instr(lower(m.sql), lower({'old_call})) > 0 THEN 1\n"
     "  WHEN m.type = 'table' THEN lower(m.name) = lower({'@})\n"
     "    AND instr(lower(m.sql), lower('CONSTRAINT ' || {mark})) > 0\n"
     "  ELSE instr(lower(m.sql), lower('AS ' || {mark})) > 0 END)"},
    {"take_names",
     "SELECT 'there is already a' || substr('n', 1, m.type = 'index') || ' ' || m.type ||\n"
     "  ' \"' || m.name || '\", which was not made by ' || {'create_call} ||\n"
     "  ': rename it, or drop it' AS error\n"
     "FROM ({objects}) AS m\n"
     "WHERE lower(m.name) IN (SELECT lower(w.name) FROM ({names}) AS w)\n"
     "  AND NOT {is_ours} LIMIT 1;\n"
     "SELECT group_concat({drop_one}, ';') AS run\n"
     "FROM sqlite_master AS m WHERE m.type <> 'table' AND {is_ours};"},
    {"drop_all",
     "SELECT {'create_call} || ' made nothing here' || ifnull((\n"
     "  SELECT '; there are filters made by ' || group_concat(w.call, ' and ') FROM (\n"
     "    SELECT DISTINCT replace(substr(m.sql, instr(m.sql, {'any_mark}) + 4,\n"
     "      instr(substr(m.sql, instr(m.sql, {'any_mark}) + 4), ')\"')), '\"\"', '\"')\n"
     "      AS call\n"
     "    FROM sqlite_master AS m\n"
     "    WHERE m.type = 'view' AND instr(m.sql, {'any_mark}) > 0) AS w\n"
     "  ), '') AS error\n"
     "WHERE NOT EXISTS (SELECT 1 FROM sqlite_master AS m WHERE {is_ours});\n"
     "SELECT group_concat(w.sql, ';') AS run, count(*) AS objects\n"
     "FROM (SELECT {drop_one} AS sql FROM sqlite_master AS m\n"
     "  WHERE {is_ours} ORDER BY m.type = 'table') AS w;"},
    {"drop_one",
     "'DROP ' || m.type || ' main.\"' || replace(m.name, '\"', '\"\"') || '\"'"},
    {"names",
     "SELECT {'@} AS name UNION ALL SELECT {'@_last}\n"
     "UNION ALL SELECT {'@_check} UNION ALL {more_names}\n"
     "UNION ALL SELECT w.name FROM ({triggers}) AS w"},
    {"triggers",
     "SELECT {'@_insert} AS name UNION ALL SELECT {'@_update}\n"
     "UNION ALL SELECT {'@_extend}"},
    {"new_c",
     "{newline}NEW.{c}"},
    {"from_t",
     "{newline}{t}"},
    {"quoted_t",
     "{t}"},
    {"undo_all",
     "SELECT RAISE(ABORT, '') AS {\"made} WHERE 0;"},
    {"body",
     "BEGIN\n"
     "  SELECT RAISE(ABORT, '') AS \"bloom_create_"},
    {"follows_t",
     "EXISTS (SELECT 1 FROM sqlite_master AS m\n"
     "    WHERE m.type = 'trigger' AND m.name = {'@_extend} AND m.tbl_name = {'t}\n"
     "      AND instr(m.sql, char(10) || {'quoted_t}) > 0)"},
    {"last_row",
     "(SELECT l.rowid FROM sqlite_master AS l\n"
     "    WHERE l.type = 'trigger' AND l.name = {'@_last})"},
    {"of_column",
     "(m.name = {'@_extend} OR instr(m.sql, {'new_c}) > 0\n"
     "    OR EXISTS (SELECT 1 FROM sqlite_master AS s\n"
     "      WHERE s.type = 'table' AND s.name = {'t}\n"
     "      AND lower(s.sql) || ' ' NOT GLOB lower({'c_word})))"},
    {"runs_first",
     "o.type = 'trigger' AND lower(o.tbl_name) = lower({'t}) AND o.rowid > {last_row}\n"
     "    AND lower(o.sql) GLOB '*after*'\n"
     "    AND (instr(o.sql, {'body}) = 0\n"
     "      OR substr(o.sql, 1, instr(o.sql, {'body})) GLOB '*--*'\n"
     "      OR substr(o.sql, 1, instr(o.sql, {'body})) GLOB '*/[*]*')"},
    {"kept",
     "((SELECT count(*) FROM sqlite_master AS m\n"
     "    WHERE m.type = 'trigger' AND m.tbl_name = {'t} AND m.rowid < {last_row}\n"
     "      AND m.name IN ({triggers}) AND {of_column}) = 3\n"
     "  AND NOT EXISTS (SELECT 1 FROM sqlite_master AS o WHERE {runs_first}))"},
    {"mend",
     "CASE WHEN EXISTS (SELECT 1 FROM sqlite_master AS s\n"
     "    WHERE s.type = 'table' AND lower(s.name) = lower({'t})\n"
     "      AND lower(s.sql) || ' ' GLOB lower({'c_word}))\n"
     "  THEN ': SELECT ' || {'create_call} ELSE ', and ' || {'t} || '.' || {'c} ||\n"
     "  ' is gone or has another name: SELECT ' || {'drop_call} END"},
    {"check_triggers",
     "SELECT 'trigger ' || w.name || CASE\n"
     "    WHEN m.name IS NULL THEN ' is missing'\n"
     "    WHEN NOT {of_column} THEN ' is for a column other than ' || {'c}\n"
     "    ELSE ' was put back, and rows may have been written without it' END ||\n"
     "  ', so no row is excluded' || {mend} AS problem\n"
     "FROM ({triggers}) AS w LEFT JOIN sqlite_master AS m\n"
     "  ON m.name = w.name AND m.type = 'trigger' AND m.tbl_name = {'t}\n"
     "WHERE m.name IS NULL OR m.rowid > ifnull({last_row}, 0) OR NOT {of_column}\n"
     "UNION ALL\n"
     "SELECT 'trigger ' || o.name || ' is newer than the filter and may end a row'\n"
     "  || ' before its key is added, so no row is excluded' || {mend}\n"
     "FROM sqlite_master AS o WHERE {runs_first}"},
    {"what_it_has",
     "CASE typeof(p.f) WHEN 'blob' THEN 'a BLOB of ' || length(p.f) || ' bytes'\n"
     "  ELSE typeof(p.f) END || ' instead of a filter'"},
    {NULL, NULL},
};

static const sql_word parts_words[] = {
    {"more_names",
     "SELECT {'_part} UNION ALL SELECT {'_filter}"},
    {"capacity",
     "1500"},
    {"room",
     "1400"},
    {"first_keys",
     "1000"},
    {"most_parts",
     "1048576"},
    {"create",
     "{take_names}\n"
     "CREATE TABLE IF NOT EXISTS {_parts}(\n"
     "  part INTEGER CONSTRAINT {\"made} PRIMARY KEY,\n"
     "  parts INTEGER NOT NULL,\n"
     "  keys INTEGER NOT NULL DEFAULT 0,\n"
     "  room INTEGER NOT NULL,\n"
     "  trigger_row INTEGER,\n"
     "  f BLOB NOT NULL\n"
     ");\n"
     "SELECT 'ALTER TABLE main.\"' || replace({'_parts}, '\"', '\"\"') ||\n"
     "  '\" ADD COLUMN keys INTEGER NOT NULL DEFAULT 0' AS run\n"
     "WHERE NOT EXISTS (SELECT 1 FROM pragma_table_info({'_parts}, 'main') AS i\n"
     "  WHERE i.name = 'keys');\n"
     "DELETE FROM {_parts};\n"
     "CREATE TRIGGER {_parts_update} AFTER UPDATE ON {t}\n"
     "WHEN NEW.{c} COLLATE BINARY IS NOT OLD.{c}\n"
     "BEGIN\n"
     "  {undo_all}\n"
     "  {add}\n"
     "END;\n"
     "CREATE TRIGGER {_parts_extend} AFTER INSERT ON {t}\n"
     "WHEN bloom_part(NEW.{c}, 64) = 0 AND (SELECT n.keys > n.room AND n.parts < {most_parts}\n"
     "      FROM {_parts} AS n WHERE n.part = 0)\n"
     "  AND {follows_t}\n"
     "BEGIN\n"
     "  {undo_all}\n"
     "  UPDATE {_parts} SET part = -1, parts = min(2 * parts, {most_parts})\n"
     "  WHERE part = 0;\n"
     "  DELETE FROM {_parts} WHERE part >= 0;\n"
     "  {fill}\n"
     "  DELETE FROM {_parts} WHERE part = -1;\n"
     "END;\n"
     "CREATE TRIGGER {_parts_insert} AFTER INSERT ON {t}\n"
     "BEGIN\n"
     "  {undo_all}\n"
     "  {add}\n"
     "END;\n"
     "CREATE TRIGGER {_parts_last} AFTER UPDATE OF part ON {_parts} WHEN NULL\n"
     "BEGIN\n"
     "  SELECT 1 AS {\"made};\n"
     "END;\n"
     "INSERT INTO {_parts}(part, parts, keys, room, trigger_row, f)\n"
     "SELECT -1, {parts_for_keys}, 0, {room},\n"
     "  (SELECT m.rowid FROM sqlite_master AS m WHERE m.type = 'trigger'\n"
     "    AND m.name = {'_parts_insert}), x''\n"
     "FROM (SELECT count(*) AS keys FROM {t}) AS w;\n"
     "{fill}\n"
     "DELETE FROM {_parts} WHERE part = -1;\n"
     "CREATE VIEW {_part}(part, parts, f) AS\n"
     "SELECT p.part AS {\"made}, n.parts, p.f\n"
     "FROM {_parts} AS n CROSS JOIN {_parts} AS p\n"
     "WHERE n.part = 0 AND p.parts = n.parts AND ({in_place} OR {kept});\n"
     "CREATE VIEW {_filter}(filter) AS\n"
     "SELECT bloom_open(p.part, p.parts, p.f) AS {\"made} FROM {_parts} AS p\n"
     "WHERE {kept};\n"
     "CREATE VIEW {_parts_check}(problem) AS\n"
     "SELECT w.problem AS {\"made} FROM ({check}) AS w;"},
    {"add",
     "UPDATE {_parts} SET f = bloom_add(f, NEW.{c}), keys = keys + 1\n"
     "  WHERE part = (SELECT bloom_part({new_c}, n.parts)\n"
     "      FROM {_parts} AS n WHERE n.part = 0)\n"
     "    AND NOT bloom_may_match(NEW.{c}, f);"},
    {"fill",
     "INSERT INTO {_parts}(part, parts, keys, room, trigger_row, f)\n"
     "  SELECT p.part, p.parts, p.keys,\n"
     "    CASE WHEN p.keys > {first_keys} * 6 / 5 THEN 2 * p.keys ELSE {room} END,\n"
     "    p.trigger_row, p.f\n"
     "  FROM (SELECT i.part AS part, w.parts AS parts, w.trigger_row AS trigger_row,\n"
     "      bloom_keys(bloom_bytes(w.filter, i.part)) AS keys,\n"
     "      bloom_bytes(w.filter, i.part) AS f\n"
     "    FROM (SELECT w.trigger_row AS trigger_row,\n"
     "        CASE WHEN {enough} THEN w.parts ELSE {parts_for_keys} END AS parts,\n"
     "        CASE WHEN {enough} THEN w.filter ELSE (\n"
     "          SELECT bloom_build_parts(k.{c}, {parts_for_keys}, {bits}, {capacity})\n"
     "          FROM (SELECT 1) LEFT JOIN {t} AS k) END AS filter\n"
     "      FROM (SELECT b.parts AS parts, b.trigger_row AS trigger_row,\n"
     "          b.filter AS filter, bloom_keys(b.filter) AS keys\n"
     "        FROM (SELECT o.parts AS parts, o.trigger_row AS trigger_row,\n"
     "            bloom_build_parts(k.{c}, o.parts, {bits}, {capacity}) AS filter\n"
     "          FROM {_parts} AS o LEFT JOIN {from_t} AS k\n"
     "          WHERE o.part = -1 GROUP BY o.part) AS b LIMIT 1) AS w LIMIT 1) AS w\n"
     "    CROSS JOIN (\n"
     "      WITH RECURSIVE {_number}(part) AS (\n"
     "        SELECT 0 UNION ALL SELECT part + 1 FROM {_number} WHERE part + 1 <\n"
     "          (SELECT o.parts FROM {_parts} AS o WHERE o.part = -1))\n"
     "      SELECT part FROM {_number}) AS i\n"
     "    WHERE i.part < w.parts) AS p;"},
    {"enough",
     "w.parts < 2 * {parts_for_keys}"},
    {"parts_for_keys",
     "min(max((max({number}, w.keys) + {first_keys} - 1) / {first_keys}, 1),\n"
     "    {most_parts})"},
    {"in_place",
     "(SELECT count(*) FROM sqlite_master AS m\n"
     "  WHERE m.rowid BETWEEN n.trigger_row AND n.trigger_row + 1\n"
     "    AND m.type = 'trigger' AND CASE m.rowid\n"
     "      WHEN n.trigger_row THEN m.name = {'_parts_insert} AND m.tbl_name = {'t}\n"
     "        AND instr(m.sql, {'new_c}) > 0\n"
     "      ELSE m.name = {'_parts_last} END) = 2"},
    {"check",
     "{check_triggers}\n"
     "UNION ALL\n"
     "SELECT 'all parts are missing, so no row is excluded' || {mend}\n"
     "WHERE NOT EXISTS (SELECT 1 FROM {_parts})\n"
     "UNION ALL\n"
     "SELECT 'parts are missing (' || (n.parts - n.there) || ' of ' || n.parts ||\n"
     "  ')' || {mend}\n"
     "FROM (SELECT max(p.parts) AS parts, count(*) AS there FROM {_parts} AS p\n"
     "  WHERE p.part BETWEEN 0 AND p.parts - 1) AS n\n"
     "WHERE n.parts > n.there\n"
     "UNION ALL\n"
     "SELECT 'the number of parts is ' || n.least || ' in one row and ' || n.most ||\n"
     "  ' in another' || {mend}\n"
     "FROM (SELECT min(p.parts) AS least, max(p.parts) AS most FROM {_parts} AS p) AS n\n"
     "WHERE n.least < n.most\n"
     "UNION ALL\n"
     "SELECT 'part ' || p.part || ' is not one of 0 to ' || (p.parts - 1) || {mend}\n"
     "FROM {_parts} AS p WHERE p.part < 0 OR p.part >= p.parts\n"
     "UNION ALL\n"
     "SELECT 'part ' || p.part || ' has ' || typeof(p.parts) || ' ' ||\n"
     "  quote(p.parts) || ' as the number of parts' || {mend}\n"
     "FROM {_parts} AS p\n"
     "WHERE typeof(p.parts) <> 'integer' OR p.parts < 1 OR p.parts > {most_parts}\n"
     "UNION ALL\n"
     "SELECT 'part ' || p.part || ' has ' || {what_it_has} ||\n"
     "  ', so rows may be lost' || {mend}\n"
     "FROM {_parts} AS p\n"
     "WHERE length(p.f) <> length((SELECT bloom_build(NULL, {bits}, {capacity})))\n"
     "UNION ALL\n"
     "SELECT 'there are ' || n.parts || ' parts, and there cannot be more: each has' ||\n"
     "  ' some ' || n.keys || ' keys, and room for ' || {capacity}\n"
     "FROM {_parts} AS n\n"
     "WHERE n.part = 0 AND n.keys > {capacity} AND n.parts = {most_parts}\n"
     "UNION ALL\n"
     "SELECT 'more keys than room in ' || w.parts || ' of the parts, so that more absent'\n"
     "  || ' keys pass: part ' || w.part || ' has some ' || w.keys || ' and room for ' ||\n"
     "  {capacity} || CASE WHEN w.room > {room}\n"
     "    THEN ', and a call would not help, since these keys do not divide'\n"
     "    ELSE {mend} END\n"
     "FROM (SELECT count(*) AS parts, max(p.keys) AS keys, p.part AS part, p.room AS room\n"
     "  FROM {_parts} AS p WHERE p.keys > {capacity} * 4 / 3) AS w\n"
     "WHERE w.parts > 0"},
    {NULL, NULL},
};

static const sql_word blocks_words[] = {
    {"more_names",
     "SELECT {'_spans}"},
    {"create",
     "{take_names}\n"
     "CREATE TABLE IF NOT EXISTS {_blocks}(\n"
     "  block INTEGER CONSTRAINT {\"made} PRIMARY KEY,\n"
     "  f BLOB\n"
     ");\n"
     "DELETE FROM {_blocks};\n"
     "CREATE TRIGGER {_blocks_update} AFTER UPDATE ON {t}\n"
     "WHEN NEW.{c} COLLATE BINARY IS NOT OLD.{c} OR NEW.{id} IS NOT OLD.{id}\n"
     "BEGIN\n"
     "  {undo_all}\n"
     "  {add}\n"
     "END;\n"
     "CREATE TRIGGER {_blocks_extend} AFTER INSERT ON {t}\n"
     "WHEN NEW.{id} >= 0 AND ifnull((SELECT b.block FROM {_blocks} AS b\n"
     "    WHERE b.block <= NEW.{id} / {number} ORDER BY b.block DESC LIMIT 1), -1)\n"
     "    < NEW.{id} / {number} - 1\n"
     "  AND {follows_t}\n"
     "BEGIN\n"
     "  {undo_all}\n"
     "  INSERT INTO {_blocks}(block, f)\n"
     "  SELECT w.block, {block_filter}\n"
     "  FROM (SELECT (SELECT o.{id} / {number} FROM {from_t} AS o NOT INDEXED\n"
     "      WHERE o.{id} >= 0 AND o.{id} < NEW.{id} / {number} * {number}\n"
     "      ORDER BY o.{id} DESC LIMIT 1) AS block) AS w\n"
     "  WHERE w.block IS NOT NULL\n"
     "    AND w.block NOT IN (SELECT b.block FROM {_blocks} AS b);\n"
     "  DELETE FROM {_blocks} WHERE block < ifnull((SELECT o.{id} / {number}\n"
     "    FROM {t} AS o NOT INDEXED WHERE o.{id} >= 0 ORDER BY o.{id} LIMIT 1), 0);\n"
     "END;\n"
     "CREATE TRIGGER {_blocks_insert} AFTER INSERT ON {t}\n"
     "WHEN NEW.{id} >= 0 AND NEW.{id} / {number} IN (SELECT b.block FROM {_blocks} AS b)\n"
     "BEGIN\n"
     "  {undo_all}\n"
     "  {add}\n"
     "END;\n"
     "CREATE TRIGGER {_blocks_last} AFTER UPDATE OF block ON {_blocks} WHEN NULL\n"
     "BEGIN\n"
     "  SELECT 1 AS {\"made};\n"
     "END;\n"
     "INSERT INTO {_blocks}(block, f)\n"
     "WITH RECURSIVE {_closed}(block) AS (\n"
     "  SELECT min(k.{id}) / {number} FROM {t} AS k WHERE k.{id} >= 0\n"
     "  UNION ALL\n"
     "  SELECT (SELECT min(k.{id}) / {number} FROM {t} AS k\n"
     "      WHERE k.{id} >= (c.block + 1) * {number})\n"
     "  FROM {_closed} AS c\n"
     "  WHERE c.block < (SELECT max(k.{id}) / {number} FROM {t} AS k)\n"
     ")\n"
     "SELECT w.block, {block_filter} FROM {_closed} AS w\n"
     "WHERE w.block < (SELECT max(k.{id}) / {number} FROM {t} AS k);\n"
     "CREATE VIEW {_spans}(first, last, f) AS\n"
     "SELECT CASE WHEN w.block < 0 THEN -9223372036854775807 - 1\n"
     "    ELSE (w.block + g.is_gap) * {number} END AS {\"made},\n"
     "  CASE WHEN g.is_gap THEN ifnull(w.next * {number} - 1, 9223372036854775807)\n"
     "    ELSE min(w.block * {number} + {number} - 1, 9223372036854775807) END,\n"
     "  b.f\n"
     "FROM (SELECT n.block AS block, (SELECT x.block FROM {_blocks} AS x\n"
     "      WHERE x.block > n.block AND {kept} ORDER BY x.block LIMIT 1) AS next\n"
     "  FROM (SELECT -1 AS block UNION ALL\n"
     "    SELECT b.block FROM {_blocks} AS b WHERE b.block >= 0 AND {kept}) AS n\n"
     "  ORDER BY n.block + 0 LIMIT -1) AS w\n"
     "CROSS JOIN (SELECT 0 AS is_gap UNION ALL SELECT 1) AS g\n"
     "LEFT JOIN {_blocks} AS b ON b.block = w.block AND NOT g.is_gap\n"
     "WHERE CASE WHEN w.block < 0 THEN g.is_gap\n"
     "  WHEN NOT g.is_gap THEN 1\n"
     "  ELSE w.next IS NOT w.block + 1\n"
     "    AND w.block < 9223372036854775807 / {number} END;\n"
     "CREATE VIEW {_blocks_check}(problem) AS\n"
     "SELECT w.problem AS {\"made} FROM ({check}) AS w;"},
    {"add",
     "UPDATE {_blocks} SET f = bloom_add(f, NEW.{c})\n"
     "  WHERE block = NEW.{id} / {number} AND NEW.{id} >= 0\n"
     "    AND NOT bloom_may_match({new_c}, f);"},
    {"block_filter",
     "(SELECT bloom_build_distinct(k.{c}, {bits}) FROM {t} AS k NOT INDEXED\n"
     "    WHERE k.{id} BETWEEN w.block * {number} AND w.block * {number} + ({number} - 1))"},
    {"check",
     "{check_triggers}\n"
     "UNION ALL\n"
     "SELECT 'no filter for ' || w.blocks || ' of the blocks, of which the first is ' ||\n"
     "  w.block || {mend}\n"
     "FROM (SELECT count(*) AS blocks, min(b.block) AS block\n"
     "  FROM {_blocks} AS b WHERE b.f IS NULL) AS w\n"
     "WHERE w.blocks > 0\n"
     "UNION ALL\n"
     "SELECT 'block ' || p.block || ' has ' || {what_it_has} ||\n"
     "  ', so rows may be lost' || {mend}\n"
     "FROM {_blocks} AS p WHERE p.f IS NOT NULL AND NOT {is_filter}\n"
     "UNION ALL\n"
     "SELECT 'the blocks have some ' || w.keys ||\n"
     "  ' different keys each, so that their filters cost more than a scan: '\n"
     "  || 'SELECT ' || {'call} || ' {bits}, ' ||\n"
     "  min({number} * (4096 / max(w.keys, 1)), {most_number}) || ')'\n"
     "FROM (SELECT count(*) AS blocks,\n"
     "    sum(length(p.f) - 1) * 8 / {bits} / count(*) AS keys\n"
     "  FROM {_blocks} AS p WHERE typeof(p.f) = 'blob') AS w\n"
     "WHERE w.blocks > 8 AND w.keys < 64 AND {number} < {most_number}\n"
     "UNION ALL\n"
     "SELECT 'more keys than room in ' || w.blocks || ' of the blocks, so that more'\n"
     "  || ' absent keys pass: block ' || w.block || ' has some ' || w.keys ||\n"
     "  ' and room for ' || w.room || {mend}\n"
     "FROM (SELECT count(*) AS blocks, max(w.keys) AS keys, w.block AS block,\n"
     "    w.room AS room\n"
     "  FROM (SELECT p.block AS block, bloom_keys(p.f) AS keys,\n"
     "      (length(p.f) - 1) * 8 / {bits} AS room\n"
     "    FROM {_blocks} AS p WHERE {is_filter} AND length(p.f) > 9) AS w\n"
     "  WHERE w.keys > w.room * 1.5) AS w\n"
     "WHERE w.blocks > 0"},
    {"is_filter",
     "(typeof(p.f) = 'blob' AND length(p.f) >= 9)"},
    {NULL, NULL},
};

#endif
