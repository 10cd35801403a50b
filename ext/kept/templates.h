/* Made of shared.sql, parts.sql and blocks.sql by `make templates`. */
#ifndef BLOOM_TEMPLATES_H
#define BLOOM_TEMPLATES_H

static const sql_word shared_words[] = {
    {"create_call", "bloom_create_{form}({'t}, {'c})"},
    {"call", "bloom_create_{form}({'t}, {'c},"},
    {"made", "bloom_create_{form}({'t}, {'c}, {bits}, {number})"},
    {"objects",
     "SELECT s.rowid AS id, s.type AS type, s.name AS name, s.tbl_name AS owner, s.sql AS sql,\n"
     "  s.rootpage AS rootpage FROM main.sqlite_master AS s\n"
     "UNION ALL SELECT 0, 'temporary ' || s.type, s.name, s.tbl_name, '', 0\n"
     "FROM temp.sqlite_temp_master AS s"},
    {"column",
     "SELECT w.t, w.c, w.id, coalesce(w.id, (SELECT w.c\n"
     "    FROM main.pragma_index_list(w.t, 'main') AS x WHERE x.origin = 'pk' AND x.name\n"
     "      NOT IN (SELECT m.name FROM main.sqlite_master AS m)), 'rowid'),\n"
     "  w.bits, w.number, {most_number}, {least_number}, w.wrong\n"
     "FROM (SELECT n.name AS t, n.wrong AS wrong,\n"
     "    CASE WHEN n.wrong IS NULL THEN (SELECT i.name\n"
     "      FROM main.pragma_table_xinfo(n.name, 'main') AS i\n"
     "      WHERE i.name = {'c} COLLATE NOCASE) END AS c,\n"
     "    CASE WHEN n.wrong IS NULL THEN (SELECT i.name\n"
     "      FROM main.pragma_table_xinfo(n.name, 'main') AS i\n"
     "      WHERE i.pk = 1 AND i.type = 'INTEGER' COLLATE NOCASE AND NOT EXISTS (SELECT 1\n"
     "        FROM main.pragma_index_list(n.name, 'main') AS x WHERE x.origin = 'pk')) END AS id,\n"
     "    coalesce(nullif(?1, 0), l.bits, {default_bits}) AS bits,\n"
     "    ifnull(l.number, {default_number}) AS number\n"
     "  FROM (SELECT 1) LEFT JOIN ({named}) AS n LEFT JOIN ({numbers}) AS l LIMIT 1) AS w"},
    {"named",
     "SELECT m.name AS name, CASE WHEN m.type <> 'table' THEN ', a ' || m.type\n"
     "    WHEN ifnull(m.rootpage, 0) = 0 THEN ', a virtual table'\n"
     "    WHEN lower(m.name) GLOB 'sqlite_*' THEN ', which is SQLite''s own'\n"
     "    WHEN lower(m.name) = 'sqlite' THEN\n"
     "      ': the names of its filter''s objects would be reserved' END AS wrong\n"
     "FROM ({objects}) AS m\n"
     "WHERE (m.type GLOB '*table' OR m.type GLOB '*view')\n"
     "  AND m.name = {'t} COLLATE NOCASE ORDER BY m.type GLOB 'temporary *', 2 DESC LIMIT 1"},
    {"numbers",
     "SELECT CAST(w.text AS INTEGER) AS bits,\n"
     "  CAST(substr(w.text, instr(w.text, ',') + 1) AS INTEGER) AS number\n"
     "FROM (SELECT substr(k.mark, length({'call}) + 1) AS text FROM ({marks}) AS k\n"
     "  WHERE k.name = {'@_last} COLLATE NOCASE AND {of_column}) AS w\n"
     "WHERE bits BETWEEN 1 AND {most_bits} AND number >= {least_number}"},
    {"is_ours",
     "CASE m.type WHEN 'table' THEN m.name = {'@} COLLATE NOCASE AND ({is_made} OR {is_renamed})\n"
     "  ELSE {is_made} END"},
    {"is_made", "m.id IN (SELECT k.id FROM ({marks}) AS k WHERE {of_column})"},
    {"of_column",
     "k.form = {'form} AND k.t = {'t} COLLATE NOCASE AND k.c = {'c} COLLATE NOCASE"},
    {"is_renamed",
     "(instr(m.sql, ' CONSTRAINT \"bloom_create_') > 0\n"
     "  AND m.id NOT IN (SELECT k.id FROM ({marks}) AS k))"},
    {"once", "LIMIT -1 OFFSET 0"},
    {"marks",
     "SELECT w.id AS id, w.name AS name, w.mark AS mark, w.form AS form, w.t AS t,\n"
     "  replace(substr(w.rest, 1, instr(replace(w.rest, '''''', '..'), '''') - 1),\n"
     "    '''''', '''') AS c\n"
     "FROM (SELECT w.id AS id, w.name AS name, w.mark AS mark, w.form AS form,\n"
     "    replace(substr(w.names, 1, w.size), '''''', '''') AS t,\n"
     "    substr(w.names, w.size + 5) AS rest\n"
     "  FROM (SELECT w.id AS id, w.name AS name, 'bloom_create_' || w.call AS mark,\n"
     "      substr(w.call, 1, instr(w.call, '(') - 1) AS form,\n"
     "      substr(w.call, instr(w.call, '(') + 2) AS names,\n"
     "      instr(replace(substr(w.call, instr(w.call, '(') + 2), '''''', '..'), '''') - 1 AS size\n"
     "    FROM (SELECT w.id AS id, w.name AS name,\n"
     "        replace(substr(w.text, 1, instr(w.text, '\"') - 1), char(1), '\"') AS call\n"
     "      FROM (SELECT m.rowid AS id, m.name AS name, replace(substr(m.sql,\n"
     "          instr(m.sql, {before_mark}) + length({before_mark})), '\"\"', char(1)) AS text\n"
     "        FROM main.sqlite_master AS m WHERE instr(m.sql, {before_mark}) > 0\n"
     "        {once}) AS w {once}) AS w {once}) AS w {once}) AS w\n"
     "WHERE w.form IN ('parts', 'blocks') AND instr(w.rest, '''') > 0\n"
     "  AND substr(w.name, 1, length(w.t || c) + 2) = w.t || '_' || c || '_'"},
    {"before_mark",
     "(CASE m.type WHEN 'table' THEN ' CONSTRAINT' ELSE ' AS' END || ' \"bloom_create_')"},
    {"taken",
     "SELECT 'there is already a' || CASE m.type WHEN 'index' THEN 'n ' ELSE ' ' END || m.type\n"
     "  || ' \"' || m.name || '\", which ' || ifnull('belongs to the filter that ' || (\n"
     "      SELECT k.mark FROM ({marks}) AS k WHERE k.id = m.id)\n"
     "    || ' made: drop that filter, or rename a table or a column',\n"
     "  'was not made by ' || {'create_call} || CASE WHEN m.type GLOB '*table'\n"
     "    OR m.type GLOB '*view' THEN ': rename it, or drop it' ELSE ': drop it' END)\n"
     "FROM ({objects}) AS m\n"
     "WHERE (m.name COLLATE NOCASE IN ({'@}, {'@_insert}, {'@_update}, {'@_extend}, {'@_grow},\n"
     "      {'@_last}, {views}) OR (m.owner = {'@} COLLATE NOCASE\n"
     "      AND (m.type GLOB '*trigger' OR (m.type = 'index' AND m.sql <> ''))\n"
     "      AND m.id NOT IN (SELECT k.id FROM ({marks}) AS k\n"
     "        WHERE k.t || '_' || k.c || '_' || k.form <> {'@} COLLATE NOCASE)))\n"
     "  AND NOT ({is_ours}) LIMIT 1"},
    {"drop_one",
     "SELECT 'DROP ' || m.type || ' main.\"' || replace(m.name, '\"', '\"\"') || '\"'\n"
     "FROM ({objects}) AS m\n"
     "WHERE {is_ours} AND (m.type <> 'table' OR ?1 OR m.name <> {'@}\n"
     "    OR NOT {is_made} OR instr(m.sql, {'key}) = 0 OR instr(m.sql, {'columns}) = 0)\n"
     "ORDER BY m.type = 'table' LIMIT 1"},
    {"others",
     "SELECT {'create_call} || ' made nothing here' || coalesce((\n"
     "  SELECT '; bloom_drop_' || w.form || ' drops what ' || w.mark || ' made'\n"
     "  FROM ({marks}) AS w WHERE w.form <> {'form} AND w.t = {'t} COLLATE NOCASE\n"
     "    AND w.c = {'c} COLLATE NOCASE LIMIT 1), (\n"
     "  SELECT '; there are filters made by ' || group_concat(w.mark, ' and ')\n"
     "  FROM (SELECT DISTINCT k.mark AS mark FROM ({marks}) AS k\n"
     "    WHERE k.form = {'form}) AS w), '')"},
    {"new_c", "{newline}NEW.{c}"},
    {"from_t", "{newline}{t}"},
    {"body",
     "BEGIN\n"
     "  SELECT RAISE(ABORT, '') AS"},
    {"begin", "{body} {\"made} WHERE 0;"},
    {"is_kept", "bloom_is_kept({'form}, {'t}, {'c})"},
    {"filters",
     "SELECT NULL AS form, NULL AS t, NULL AS c, NULL AS now_t, NULL AS now_c\n"
     "FROM main.sqlite_master AS m\n"
     "WHERE m.type IS NULL OR m.name IS NULL OR (m.sql IS NULL AND m.type <> 'index')\n"
     "UNION ALL SELECT k.form, k.t, k.c, w.t,\n"
     "  max(replace(substr(w.text, 1, instr(w.text, '\"') - 1), char(1), '\"'))\n"
     "FROM ({marks}) AS k LEFT JOIN (SELECT m.name AS name, m.tbl_name AS t, replace(\n"
     "    substr(m.sql, instr(m.sql, {'new}) + length({'new})), '\"\"', char(1)) AS text\n"
     "  FROM main.sqlite_master AS m WHERE m.type = 'trigger' AND instr(m.sql, {'new}) > 0) AS w\n"
     "ON w.name IN (k.t || '_' || k.c || '_' || k.form || '_insert',\n"
     "  k.t || '_' || k.c || '_' || k.form || '_update')\n"
     "WHERE ifnull(k.t = ?1 COLLATE NOCASE, 1) AND ifnull(k.c = ?2 COLLATE NOCASE, 1)\n"
     "GROUP BY k.form, k.t, k.c ORDER BY 2, 3, 1"},
    {"new", "{newline}NEW.\""},
    {"check_lost",
     "SELECT CASE WHEN {is_kept} THEN w.n || ' of the rows would be lost, the first with '\n"
     "    ELSE 'the filter lacks ' || w.n || ' of the rows, the first with ' END\n"
     "  || {'first} || ' ' || CASE WHEN typeof(w.first) IN ('text', 'blob')\n"
     "      AND length(w.first) > 40 THEN quote(substr(w.first, 1, 40)) || '...'\n"
     "    ELSE quote(w.first) END\n"
     "  || CASE WHEN {is_kept} THEN '' ELSE '; it excludes none now, but would lose these if '\n"
     "    || 'only its triggers were repaired' END, 1\n"
     "FROM ({lost}) AS w WHERE w.n > 0"},
    {"what_it_has",
     "CASE typeof(p.f) WHEN 'blob' THEN 'a BLOB of ' || length(p.f) || ' byte'\n"
     "  || CASE length(p.f) WHEN 1 THEN '' ELSE 's' END ELSE typeof(p.f) END"},
    {NULL, NULL},
};

static const sql_word parts_words[] = {
    {"default_bits", "10"},
    {"default_number", "0"},
    {"least_number", "0"},
    {"most_number",
     "({first_keys} * min({max_parts}, {max_bytes} / ({capacity} * {bits} / 8 + 64)))"},
    {"views", "{'_part}, {'_filter}"},
    {"first_keys", "1000"},
    {"many_keys", "1200"},
    {"room", "1400"},
    {"capacity", "1500"},
    {"most_parts", "({most} / {first_keys})"},
    {"key",
     "(\n"
     "  part INTEGER CONSTRAINT"},
    {"columns",
     "  parts INTEGER NOT NULL,\n"
     "  keys INTEGER NOT NULL,\n"
     "  room INTEGER NOT NULL,\n"
     "  handle INTEGER,\n"
     "  f BLOB NOT NULL\n"
     ")"},
    {"create",
     "CREATE TABLE IF NOT EXISTS main.{_parts}{key} {\"made} PRIMARY KEY,\n"
     "{columns};\n"
     "DELETE FROM main.{_parts};\n"
     "CREATE TRIGGER main.{_parts_update} AFTER UPDATE ON {t}\n"
     "WHEN NEW.{c} COLLATE BINARY IS NOT OLD.{c}\n"
     "{begin}\n"
     "  {add}\n"
     "END;\n"
     "CREATE TRIGGER main.{_parts_insert} AFTER INSERT ON {t}\n"
     "{begin}\n"
     "  {add}\n"
     "END;\n"
     "CREATE TRIGGER main.{_parts_extend} AFTER UPDATE OF keys ON {_parts}\n"
     "WHEN NEW.keys > NEW.room AND NEW.part >= 0 AND NEW.parts < {most_parts}\n"
     "BEGIN\n"
     "  INSERT INTO {_parts}(part, parts, keys, room, f)\n"
     "  SELECT -1 AS {\"made}, min(2 * NEW.parts, {most_parts}), 0, 0, x'';\n"
     "  DELETE FROM {_parts} WHERE part = -1;\n"
     "END;\n"
     "CREATE TRIGGER main.{_parts_grow} AFTER INSERT ON {_parts} WHEN NEW.part = -1\n"
     "BEGIN\n"
     "  UPDATE {_parts} SET room = 2 * keys WHERE keys > room AND (SELECT 1 AS {\"made});\n"
     "  UPDATE {_parts} SET handle = bloom_build_kept({'t}, {'c}, parts, {bits}, {capacity})\n"
     "    WHERE part = -1 AND {are_full};\n"
     "  UPDATE {_parts} SET keys = ifnull(bloom_keys(handle), parts * {first_keys})\n"
     "    WHERE part = -1 AND handle IS NOT NULL;\n"
     "  UPDATE {_parts} SET parts = {parts_for_keys},\n"
     "    handle = bloom_build_kept({'t}, {'c}, {parts_for_keys}, {bits}, {capacity})\n"
     "    WHERE part = -1 AND handle IS NOT NULL AND parts >= 2 * {parts_for_keys};\n"
     "  DELETE FROM {_parts} WHERE part = -1;\n"
     "END;\n"
     "CREATE TRIGGER main.{_parts_last} AFTER DELETE ON {_parts}\n"
     "WHEN OLD.part = -1 AND OLD.handle IS NOT NULL\n"
     "BEGIN\n"
     "  DELETE FROM {_parts} WHERE part >= 0;\n"
     "  INSERT INTO {_parts}(part, parts, keys, room, f)\n"
     "  WITH RECURSIVE {_number}(part) AS (\n"
     "    SELECT 0 UNION ALL SELECT i.part + 1 FROM {_number} AS i WHERE i.part + 1 < OLD.parts\n"
     "  )\n"
     "  SELECT i.part AS {\"made}, OLD.parts,\n"
     "    ifnull(bloom_keys(bloom_bytes(OLD.handle, i.part)), 2 * {capacity} * {bits}),\n"
     "    {room}, bloom_bytes(OLD.handle, i.part) FROM {_number} AS i;\n"
     "  UPDATE {_parts} SET room = 2 * keys WHERE keys > {many_keys};\n"
     "END;\n"
     "INSERT INTO main.{_parts}(part, parts, keys, room, f)\n"
     "SELECT -1, {parts_for_keys}, 0, 0, x'' FROM (SELECT count(*) AS keys FROM main.{t});\n"
     "CREATE VIEW main.{_part}(part, parts, f) AS\n"
     "SELECT p.part AS {\"made}, n.parts, CASE p.parts WHEN n.parts THEN p.f END\n"
     "FROM (SELECT o.parts AS parts, {is_kept} AS kept\n"
     "  FROM {_parts} AS o WHERE o.part = 0) AS n CROSS JOIN {_parts} AS p ON n.kept;\n"
     "CREATE VIEW main.{_filter}(filter) AS\n"
     "SELECT bloom_open(p.part, p.parts, p.f) AS {\"made} FROM {_parts} AS p\n"
     "WHERE (SELECT {is_kept});"},
    {"filled", "SELECT {'_filter} FROM main.{_parts} AS p WHERE p.part = 0"},
    {"add",
     "UPDATE {_parts} SET f = bloom_add(f, NEW.{c}), keys = keys + 1\n"
     "  WHERE part = (SELECT bloom_part({new_c}, n.parts)\n"
     "      FROM {_parts} AS n WHERE n.part = 0)\n"
     "    AND NOT bloom_may_match(NEW.{c}, f);"},
    {"parts_for_keys",
     "min(max((max({number}, keys) + {first_keys} - 1) / {first_keys}, 1), {most_parts})"},
    {"are_full",
     "(SELECT total(n.keys) >= {many_keys} * count(*) FROM {_parts} AS n WHERE n.part >= 0)"},
    {"lost",
     "SELECT count(*) AS n, min(k.{first}) AS first FROM main.{t} AS k\n"
     "WHERE NOT bloom_may_match(k.{c}, {opened})"},
    {"opened",
     "(SELECT bloom_open(p.part, p.parts, p.f) FROM main.{_parts} AS p WHERE {can_be_opened})"},
    {"can_be_opened",
     "(SELECT count(*) = max(p.parts) AND count(*) = min(p.parts) AND min(p.part) = 0\n"
     "    AND max(p.part) = count(*) - 1 AND NOT max(typeof(p.parts) <> 'integer'\n"
     "      OR typeof(p.f) <> 'blob') AND count(*) <= {max_parts}\n"
     "    AND total(64 + length(p.f)) <= {max_bytes} FROM main.{_parts} AS p)"},
    {"expected",
     "(SELECT e.parts AS parts, (SELECT count(*) FROM main.{_parts} AS p\n"
     "    WHERE p.part BETWEEN 0 AND e.parts - 1) AS there,\n"
     "  length((SELECT bloom_build(NULL, {bits}, {capacity}))) AS bytes\n"
     "FROM (SELECT ifnull((SELECT o.parts FROM main.{_parts} AS o\n"
     "      WHERE typeof(o.parts) = 'integer' AND o.parts BETWEEN 1 AND {max_parts}\n"
     "      ORDER BY o.part < 0, o.part LIMIT 1),\n"
     "    (SELECT count(*) FROM main.{_parts} AS o)) AS parts) AS e)"},
    {"counts",
     "(typeof(p.keys) = 'integer' AND p.keys BETWEEN 0 AND {most_counted}\n"
     "  AND typeof(p.room) = 'integer' AND p.room BETWEEN 0 AND {most_counted})"},
    {"most_counted", "1099511627776"},
    {"check_content",
     "SELECT 'all parts are missing, so no row is excluded', 1\n"
     "WHERE NOT EXISTS (SELECT 1 FROM main.{_parts})\n"
     "UNION ALL\n"
     "SELECT 'parts are missing (' || (n.parts - n.there) || ' of ' || n.parts || ')', 1\n"
     "FROM {expected} AS n WHERE n.parts > n.there\n"
     "UNION ALL\n"
     "SELECT 'trigger ' || w.name || ' is missing, so the parts do not grow', 1\n"
     "FROM (SELECT {'@_extend} AS name UNION ALL SELECT {'@_grow}) AS w\n"
     "WHERE NOT EXISTS (SELECT 1 FROM main.sqlite_master AS m\n"
     "  WHERE m.name = w.name COLLATE NOCASE AND m.tbl_name = {'@} COLLATE NOCASE)\n"
     "UNION ALL\n"
     "SELECT 'part ' || p.part || ' of ' ||\n"
     "  CASE typeof(p.parts) WHEN 'integer' THEN p.parts ELSE typeof(p.parts) END || ' has '\n"
     "  || {what_it_has} || ', but the parts are 0 to ' || (n.parts - 1) || ' of ' || n.parts\n"
     "  || ', each a BLOB of ' || n.bytes || ' bytes', 1\n"
     "FROM {expected} AS n CROSS JOIN main.{_parts} AS p\n"
     "WHERE typeof(p.parts) <> 'integer' OR p.parts <> n.parts\n"
     "  OR p.part NOT BETWEEN 0 AND n.parts - 1\n"
     "  OR typeof(p.f) <> 'blob' OR length(p.f) <> n.bytes\n"
     "UNION ALL\n"
     "SELECT 'part ' || p.part || ' has a number of keys or a room that is ' ||\n"
     "  CASE WHEN typeof(p.keys) <> 'integer' THEN typeof(p.keys)\n"
     "    WHEN typeof(p.room) <> 'integer' THEN typeof(p.room)\n"
     "    WHEN p.keys BETWEEN 0 AND {most_counted} THEN p.room ELSE p.keys END ||\n"
     "  ', but they are integers from 0 to {most_counted}', 1\n"
     "FROM main.{_parts} AS p WHERE NOT {counts}\n"
     "UNION ALL\n"
     "SELECT 'there are ' || w.parts || ' parts, and there cannot be more: part ' || w.part\n"
     "  || ' has some ' || w.keys || ' keys and room for ' || {capacity}\n"
     "  || ', so that more absent keys pass, and no call would help', 0\n"
     "FROM (SELECT max(p.keys) AS keys, p.part AS part, p.parts AS parts\n"
     "  FROM main.{_parts} AS p\n"
     "  WHERE {counts} AND typeof(p.parts) = 'integer' AND p.parts >= {most_parts}) AS w\n"
     "WHERE w.keys > {capacity}\n"
     "UNION ALL\n"
     "SELECT 'more keys than room in ' || w.parts || ' of the parts, so that more absent'\n"
     "  || ' keys pass: part ' || w.part || CASE WHEN w.matches_all THEN ' matches every key'\n"
     "    ELSE ' has some ' || w.most || ' and room for ' || {capacity} END ||\n"
     "  CASE WHEN w.divide THEN ''\n"
     "    ELSE ', and no call would help, since these keys do not divide' END, w.divide\n"
     "FROM (SELECT sum(p.keys > {capacity} * 4 / 3) AS parts, max(p.keys) AS most,\n"
     "    p.part AS part, bloom_keys(CASE WHEN typeof(p.f) = 'blob' AND length(p.f) > 1\n"
     "      THEN p.f ELSE x'0006' END) IS NULL AS matches_all,\n"
     "    total(p.keys) > count(*) * {many_keys} AS divide\n"
     "  FROM main.{_parts} AS p WHERE {counts}) AS w\n"
     "WHERE w.parts > 0"},
    {"check_views",
     "SELECT 'the views of the filter give other parts than its table has', 1\n"
     "WHERE CASE WHEN {can_be_opened} THEN (SELECT count(*) FROM main.{_filter}) <> 1\n"
     "    OR (SELECT +v.filter FROM main.{_filter} AS v) IS NOT {given}\n"
     "    OR (SELECT bloom_open(v.part, v.parts, v.f) FROM main.{_part} AS v) IS NOT {given} END"},
    {"given", "CASE WHEN {is_kept} THEN {opened} END"},
    {NULL, NULL},
};

static const sql_word blocks_words[] = {
    {"default_bits", "12"},
    {"default_number", "4096"},
    {"least_number", "1"},
    {"most_number", "1099511627776"},
    {"views", "{'_spans}"},
    {"key",
     "(\n"
     "  block INTEGER CONSTRAINT"},
    {"columns",
     "  f BLOB\n"
     ")"},
    {"create",
     "CREATE TABLE IF NOT EXISTS main.{_blocks}{key} {\"made} PRIMARY KEY,\n"
     "{columns};\n"
     "DELETE FROM main.{_blocks};\n"
     "CREATE TRIGGER main.{_blocks_update} AFTER UPDATE ON {t}\n"
     "WHEN NEW.{c} COLLATE BINARY IS NOT OLD.{c} OR NEW.{id} IS NOT OLD.{id}\n"
     "{begin}\n"
     "  {add}\n"
     "END;\n"
     "CREATE TRIGGER main.{_blocks_insert} AFTER INSERT ON {t}\n"
     "WHEN CASE WHEN NEW.{id} / {number} IN (SELECT b.block FROM {_blocks} AS b)\n"
     "    THEN NEW.{id} >= 0\n"
     "  WHEN NEW.{id} < {number} THEN 0\n"
     "  WHEN NEW.{id} / {number} - 1 IN (SELECT b.block FROM {_blocks} AS b) THEN 0\n"
     "  ELSE 1 END\n"
     "{begin}\n"
     "  {add}\n"
     "  INSERT INTO {_blocks}(block)\n"
     "    SELECT w.block FROM (\n"
     "      SELECT o.{id} / {number} AS block FROM {from_t} AS o NOT INDEXED\n"
     "      WHERE o.{id} < NEW.{id} / {number} * {number}\n"
     "      ORDER BY o.{id} DESC LIMIT 1) AS w\n"
     "    WHERE w.block >= 0 AND w.block NOT IN (SELECT b.block FROM {_blocks} AS b);\n"
     "  UPDATE {_blocks} SET f = (\n"
     "      SELECT bloom_build_distinct(k.{c}, {bits}) FROM {t} AS k NOT INDEXED\n"
     "      WHERE k.{id} BETWEEN last_insert_rowid() * {number}\n"
     "        AND last_insert_rowid() * {number} + ({number} - 1))\n"
     "    WHERE block = last_insert_rowid() AND f IS NULL AND {is_kept};\n"
     "  DELETE FROM {_blocks} WHERE block < ifnull((SELECT o.{id} / {number}\n"
     "    FROM {t} AS o NOT INDEXED WHERE o.{id} >= 0 ORDER BY o.{id} LIMIT 1), 0);\n"
     "END;\n"
     "CREATE TRIGGER main.{_blocks_last} AFTER UPDATE OF block ON {_blocks} WHEN NULL\n"
     "BEGIN\n"
     "  SELECT 1 AS {\"made};\n"
     "END;\n"
     "INSERT INTO main.{_blocks}(block, f)\n"
     "WITH RECURSIVE {_closed}(block) AS (\n"
     "  SELECT min(k.{id}) / {number} FROM main.{t} AS k WHERE k.{id} >= 0\n"
     "  UNION ALL\n"
     "  SELECT (SELECT min(k.{id}) / {number} FROM main.{t} AS k\n"
     "      WHERE k.{id} >= (c.block + 1) * {number})\n"
     "  FROM {_closed} AS c\n"
     "  WHERE c.block < (SELECT max(k.{id}) / {number} FROM main.{t} AS k)\n"
     ")\n"
     "SELECT w.block, (\n"
     "  SELECT bloom_build_distinct(k.{c}, {bits}) FROM main.{t} AS k NOT INDEXED\n"
     "  WHERE k.{id} BETWEEN w.block * {number} AND w.block * {number} + ({number} - 1))\n"
     "FROM {_closed} AS w\n"
     "WHERE w.block < (SELECT max(k.{id}) / {number} FROM main.{t} AS k);\n"
     "CREATE VIEW main.{_spans}(first, last, f) AS\n"
     "SELECT CASE WHEN w.block < 0 THEN -9223372036854775807 - 1\n"
     "    ELSE (w.block + g.is_gap) * {number} END AS {\"made},\n"
     "  CASE WHEN g.is_gap THEN ifnull(w.next * {number} - 1, 9223372036854775807)\n"
     "    ELSE min(w.block * {number} + ({number} - 1), 9223372036854775807) END,\n"
     "  b.f\n"
     "FROM (SELECT n.block AS block, (SELECT x.block FROM {_blocks} AS x\n"
     "      WHERE x.block > n.block AND n.kept ORDER BY x.block LIMIT 1) AS next\n"
     "  FROM (SELECT -1 AS block, (SELECT {is_kept}) AS kept UNION ALL\n"
     "    SELECT b.block, 1 FROM {_blocks} AS b WHERE b.block >= 0 AND (SELECT {is_kept})) AS n\n"
     "  ORDER BY n.block + 0 LIMIT -1) AS w\n"
     "CROSS JOIN (SELECT 0 AS is_gap UNION ALL SELECT 1) AS g\n"
     "LEFT JOIN {_blocks} AS b ON b.block = w.block AND NOT g.is_gap\n"
     "WHERE CASE WHEN w.block < 0 THEN g.is_gap\n"
     "  WHEN NOT g.is_gap THEN 1\n"
     "  ELSE w.next IS NOT w.block + 1\n"
     "    AND w.block < 9223372036854775807 / {number} END;"},
    {"filled", "SELECT {'_spans}"},
    {"add",
     "UPDATE {_blocks} SET f = bloom_add(f, NEW.{c})\n"
     "  WHERE block = NEW.{id} / {number} AND NEW.{id} >= 0\n"
     "    AND NOT bloom_may_match({new_c}, f);"},
    {"lost",
     "SELECT count(*) AS n, min(k.{first}) AS first\n"
     "FROM main.{_blocks} AS b CROSS JOIN main.{t} AS k NOT INDEXED\n"
     "  ON {in_block}\n"
     "WHERE b.block >= 0 AND typeof(b.f) = 'blob' AND NOT bloom_may_match(k.{c}, b.f)"},
    {"in_block",
     "k.{id} BETWEEN b.block * {number} AND b.block * {number} + ({number} - 1)"},
    {"open", "((SELECT max(k.{id}) FROM main.{t} AS k) / {number} * {number})"},
    {"check_content",
     "SELECT 'trigger ' || m.name || ' has another name of the key, so that each write fails', 1\n"
     "FROM main.sqlite_master AS m\n"
     "WHERE m.name COLLATE NOCASE IN ({'@_insert}, {'@_update})\n"
     "  AND instr(lower(m.sql), lower({'new_id})) = 0\n"
     "UNION ALL\n"
     "SELECT 'no filter for ' || w.blocks || ' of the blocks, of which the first is ' ||\n"
     "  w.block, 1\n"
     "FROM (SELECT count(*) AS blocks, min(b.block) AS block\n"
     "  FROM main.{_blocks} AS b WHERE b.f IS NULL) AS w\n"
     "WHERE w.blocks > 0\n"
     "UNION ALL\n"
     "SELECT 'block ' || p.block || ' has ' || {what_it_has} ||\n"
     "  ' instead of a filter, so rows may be lost', 1\n"
     "FROM main.{_blocks} AS p WHERE p.f IS NOT NULL AND NOT {is_filter}\n"
     "UNION ALL\n"
     "SELECT 'the blocks have some ' || (w.rows / w.blocks) || ' rows each, so that their filters'\n"
     "  || ' cost more than a scan: SELECT ' || {'call} || ' {bits}, ' ||\n"
     "  min(max(4096 * (({open} - w.first) / w.rows), 2 * {number}), {most_number}) || ')', 0\n"
     "FROM (SELECT count(*) AS blocks, min(b.block) * {number} AS first,\n"
     "    sum((SELECT count(*) FROM main.{t} AS k NOT INDEXED WHERE {in_block})) AS rows\n"
     "  FROM main.{_blocks} AS b WHERE b.block >= 0) AS w\n"
     "WHERE w.blocks > 8 AND w.rows BETWEEN 1 AND 64 * w.blocks - 1\n"
     "  AND {number} < {most_number}\n"
     "UNION ALL\n"
     "SELECT w.rows || ' of the rows are in no block that has a filter, as where ids are inserted'\n"
     "  || ' downwards, so that each query reads them', 1\n"
     "FROM (SELECT count(*) AS rows FROM main.{t} AS k NOT INDEXED\n"
     "  WHERE k.{id} BETWEEN 0 AND {open} - 1\n"
     "    AND k.{id} / {number} NOT IN (SELECT b.block FROM main.{_blocks} AS b)) AS w\n"
     "WHERE w.rows > {number}\n"
     "UNION ALL\n"
     "SELECT w.rows || ' of the rows have ids below 0, which no block has, so that each query'\n"
     "  || ' reads them, and no call would help', 0\n"
     "FROM (SELECT count(*) AS rows FROM main.{t} AS k NOT INDEXED WHERE k.{id} < 0) AS w\n"
     "WHERE w.rows > {number}\n"
     "UNION ALL\n"
     "SELECT 'more keys than room in ' || w.blocks || ' of the blocks, so that more'\n"
     "  || ' absent keys pass: block ' || w.block || ' has some ' || w.keys ||\n"
     "  ' and room for ' || w.room, 1\n"
     "FROM (SELECT count(*) AS blocks, max(w.keys) AS keys, w.block AS block,\n"
     "    w.room AS room\n"
     "  FROM (SELECT p.block AS block,\n"
     "      bloom_keys(CASE WHEN {is_filter} AND length(p.f) > 9 THEN p.f END) AS keys,\n"
     "      (length(p.f) - 1) * 8 / {bits} AS room\n"
     "    FROM main.{_blocks} AS p) AS w\n"
     "  WHERE w.keys > w.room * 1.5) AS w\n"
     "WHERE w.blocks > 0"},
    {"new_id", "NEW.{id}"},
    {"is_filter", "(typeof(p.f) = 'blob' AND length(p.f) >= 9)"},
    {"check_views",
     "SELECT 'the view of the filter gives other spans than its table has', 1\n"
     "WHERE (SELECT {rows} FROM main.{_spans} AS s CROSS JOIN main.{t} AS k NOT INDEXED\n"
     "    ON k.{id} BETWEEN s.first AND s.last\n"
     "    WHERE s.f IS NULL OR (s.first >= 0 AND s.last / {number} = s.first / {number}\n"
     "      AND s.f = (SELECT b.f FROM main.{_blocks} AS b WHERE b.block = s.first / {number})))\n"
     "  <> (SELECT {rows} FROM main.{t} AS k)"},
    {"rows", "count(*) || ' ' || total(leveldb_hash(k.{id}) & 0xffff)"},
    {NULL, NULL},
};

#endif
