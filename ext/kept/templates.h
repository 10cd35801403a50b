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
    {"made",
     "{create_name}({'t}, {'c}, {bits}, {number})"},
    {"mark",
     "('\"' || replace({'call}, '\"', '\"\"'))"},
    {"objects",
     "SELECT s.type AS type, s.name AS name, s.sql AS sql, s.rootpage AS rootpage\n"
     "FROM sqlite_master AS s\n"
     "UNION ALL SELECT 'temporary ' || s.type, s.name, '', 0 FROM sqlite_temp_master AS s"},
    {"column",
     "SELECT p.argument, p.must_be, CASE WHEN p.problem <> 2 THEN ifnull(w.wrong, '')\n"
     "    WHEN {'c} GLOB '*[(,]*' THEN ': instead, filter a generated column' ELSE '' END,\n"
     "  w.*, CASE WHEN w.id IS NOT NULL THEN w.id WHEN EXISTS (SELECT 1\n"
     "      FROM pragma_index_list(w.t, 'main') AS x WHERE x.origin = 'pk' AND x.name\n"
     "        NOT IN (SELECT m.name FROM sqlite_master AS m)) THEN w.c ELSE 'rowid' END AS first,\n"
     "  {least_number} AS least, {most_number} AS most\n"
     "FROM (SELECT n.name AS t, CASE\n"
     "      WHEN n.name IS NOT NULL THEN n.wrong\n"
     "      WHEN {'t} GLOB '*.*' THEN ': give the name alone, without a database'\n"
     "    END AS wrong,\n"
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
     "          WHERE x.origin = 'pk')) END AS id,\n"
     "    coalesce({given_bits}, l.bits, {default_bits}) AS bits,\n"
     "    ifnull(l.number, {default_number}) AS number\n"
     "  FROM (SELECT 1) LEFT JOIN ({named}) AS n LEFT JOIN ({numbers}) AS l LIMIT 1) AS w\n"
     "LEFT JOIN (\n"
     "  SELECT 1 AS problem, 0 AS argument, 'the name of a table in main' AS must_be\n"
     "  UNION ALL SELECT 2, 1, 'the name of a column of that table'\n"
     "  UNION ALL SELECT 3, 0, 'one whose key has a name without control characters'\n"
     "  UNION ALL SELECT 4, 0, 'a table with an INTEGER PRIMARY KEY that is its rowid '\n"
     "    || '(without one, VACUUM and a dump renumber its rows)'\n"
     "  UNION ALL SELECT 5, 1, 'a column other than the INTEGER PRIMARY KEY, which '\n"
     "    || 'defines the blocks') AS p\n"
     "ON p.problem = CASE WHEN w.t IS NULL OR w.wrong IS NOT NULL THEN 1\n"
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
     "    CAST(substr(w.text, instr(w.text, ',') + 1) AS INTEGER) AS number\n"
     "  FROM (SELECT substr(m.sql, instr(lower(m.sql), lower({mark}))\n"
     "      + length({mark})) AS text\n"
     "    FROM sqlite_master AS m WHERE m.type = 'trigger'\n"
     "      AND lower(m.name) = lower({'@_last}) AND {is_ours}) AS w) AS w\n"
     "WHERE w.bits BETWEEN 1 AND {most_bits} AND w.number >= {least_number}"},
    {"is_ours",
     "(substr(lower(m.name), 1, length({'_})) = lower({'_}) AND CASE m.type\n"
     "  WHEN 'table' THEN lower(m.name) = lower({'@})\n"
     "    AND instr(lower(m.sql), lower('CONSTRAINT ' || {mark})) > 0\n"
     "  ELSE instr(lower(m.sql), lower('AS ' || {mark})) > 0 END)"},
    {"marks",
     "SELECT w.name AS name, w.mark AS mark, w.form AS form, w.t AS t, w.c AS c\n"
     "FROM (SELECT w.*, replace(substr(w.names, 1, instr(w.names, '''') - 1), char(1), '''') AS t,\n"
     "    replace(substr(w.rest, 1, instr(w.rest, '''') - 1) ||\n"
     "      substr(w.rest, instr(w.rest, '''') + 1), char(1), '''') AS c\n"
     "  FROM (SELECT w.*, substr(w.names, instr(w.names, '''') + 3) AS rest\n"
     "    FROM (SELECT w.*, substr(w.mark, 14, instr(w.mark, '(') - 14) AS form,\n"
     "        replace(substr(rtrim(w.mark, '0123456789, )'), instr(w.mark, '(') + 2,\n"
     "          length(rtrim(w.mark, '0123456789, )')) - instr(w.mark, '(') - 2),\n"
     "          '''''', char(1)) AS names\n"
     "      FROM (SELECT w.name AS name,\n"
     "          replace(substr(w.text, 1, instr(w.text, '\"') - 1), char(2), '\"') AS mark\n"
     "        FROM (SELECT m.name AS name, replace(substr(m.sql,\n"
     "            instr(m.sql, '\"bloom_create_') + 1), '\"\"', char(2)) AS text\n"
     "          FROM sqlite_master AS m WHERE instr(m.sql, '\"bloom_create_') > 0) AS w\n"
     "      ) AS w) AS w) AS w) AS w\n"
     "WHERE w.form IN ('parts', 'blocks') AND instr(w.rest, '''') > 0\n"
     "  AND substr(w.name, 1, length(w.t || w.c) + 2) = w.t || '_' || w.c || '_'"},
    {"prepare",
     "SELECT '{number_name} must be at most ' || {most_number} || ' at {bits} bits_per_key, and '\n"
     "  || 'is {number} since an earlier call: give another number' AS error\n"
     "WHERE {number} > {most_number};\n"
     "SELECT 'there is already a' || substr('n', 1, m.type = 'index') || ' ' || m.type ||\n"
     "  ' \"' || m.name || '\", which ' || ifnull('belongs to the filter that ' || (\n"
     "    SELECT k.mark FROM ({marks}) AS k WHERE k.name = m.name AND m.sql <> '') ||\n"
     "    ' made: drop that filter, or rename a table or a column',\n"
     "    'was not made by ' || {'create_call} || ': rename it, or drop it') AS error\n"
     "FROM ({objects}) AS m\n"
     "WHERE lower(m.name) IN (SELECT lower(w.name) FROM ({names}) AS w)\n"
     "  AND NOT {is_ours} LIMIT 1;\n"
     "SELECT group_concat({drop_one}, ';') AS run\n"
     "FROM sqlite_master AS m WHERE m.type <> 'table' AND {is_ours};"},
    {"drop_all",
     "SELECT {'create_call} || ' made nothing here' || ifnull((\n"
     "  SELECT '; there are filters made by ' || group_concat(w.mark, ' and ')\n"
     "  FROM (SELECT DISTINCT k.mark AS mark FROM ({marks}) AS k\n"
     "    WHERE k.form = {'form}) AS w), '') AS error\n"
     "WHERE NOT EXISTS (SELECT 1 FROM sqlite_master AS m WHERE {is_ours});\n"
     "SELECT group_concat(w.sql, ';') AS run, count(*) AS result\n"
     "FROM (SELECT {drop_one} AS sql FROM sqlite_master AS m\n"
     "  WHERE {is_ours} ORDER BY m.type = 'table') AS w;"},
    {"drop_one",
     "'DROP ' || m.type || ' main.\"' || replace(m.name, '\"', '\"\"') || '\"'"},
    {"names",
     "SELECT {'@} AS name UNION ALL SELECT {'@_insert} UNION ALL SELECT {'@_update}\n"
     "UNION ALL SELECT {'@_extend} UNION ALL SELECT {'@_grow} UNION ALL SELECT {'@_last}\n"
     "UNION ALL {views}"},
    {"new_c",
     "{newline}NEW.{c}"},
    {"from_t",
     "{newline}{t}"},
    {"new",
     "{newline}NEW.\""},
    {"begin",
     "BEGIN\n"
     "  SELECT RAISE(ABORT, '') AS {\"made} WHERE 0;"},
    {"is_kept",
     "bloom_is_kept({'form}, {'t}, {'c})"},
    {"filters",
     "SELECT NULL AS form, NULL AS t, NULL AS c, NULL AS now_t, NULL AS now_c\n"
     "FROM sqlite_master AS m\n"
     "WHERE m.type IS NULL OR m.name IS NULL OR (m.sql IS NULL AND m.type <> 'index')\n"
     "UNION SELECT k.form, k.t, k.c, w.t,\n"
     "  replace(substr(w.text, 1, instr(w.text, '\"') - 1), char(1), '\"')\n"
     "FROM ({marks}) AS k LEFT JOIN (SELECT m.name AS name, m.tbl_name AS t, replace(\n"
     "    substr(m.sql, instr(m.sql, {'new}) + length({'new})), '\"\"', char(1)) AS text\n"
     "  FROM sqlite_master AS m WHERE m.type = 'trigger' AND instr(m.sql, {'new}) > 0) AS w\n"
     "ON w.name = k.t || '_' || k.c || '_' || k.form || '_update'\n"
     "WHERE ifnull(k.t = ?1 COLLATE NOCASE, 1) AND ifnull(k.c = ?2 COLLATE NOCASE, 1)\n"
     "ORDER BY 2, 3, 1"},
    {"check",
     "{check_triggers}\n"
     "UNION ALL\n"
     "{check_content}\n"
     "UNION ALL\n"
     "SELECT w.n || ' of the rows would be lost, the first with ' || {'first} || ' ' ||\n"
     "  quote(w.first) || {mend} FROM ({lost}) AS w WHERE w.n > 0"},
    {"mend",
     "(': SELECT ' || {'create_call})"},
    {"check_triggers",
     "SELECT {'problem} || {mend} AS problem WHERE {'problem} <> ''"},
    {"check_renamed",
     "SELECT {'t} || '.' || {'c} || ' is called ' || {'now_t} || '.' || {'now_c}\n"
     "  || ' now, so no row is excluded: SELECT ' || {'drop_call} || ', {create_name}('\n"
     "  || quote({'now_t}) || ', ' || quote({'now_c}) || ', {bits}, {number})'"},
    {"check_gone",
     "SELECT {'t} || '.' || {'c} || ' is gone: SELECT ' || {'drop_call}"},
    {"what_it_has",
     "CASE typeof(p.f) WHEN 'blob' THEN 'a BLOB of ' || length(p.f) || ' bytes'\n"
     "  ELSE typeof(p.f) END"},
    {NULL, NULL},
};

static const sql_word parts_words[] = {
    {"create_name",
     "bloom_create_parts"},
    {"drop_name",
     "bloom_drop_parts"},
    {"default_bits",
     "10"},
    {"number_name",
     "keys"},
    {"default_number",
     "0"},
    {"least_number",
     "0"},
    {"most_number",
     "({first_keys} * min({max_parts}, {max_bytes} / ({capacity} * {bits} / 8 + 64)))"},
    {"needs_id",
     "0"},
    {"views",
     "SELECT {'_part} UNION ALL SELECT {'_filter}"},
    {"first_keys",
     "1000"},
    {"many_keys",
     "1200"},
    {"room",
     "1400"},
    {"capacity",
     "1500"},
    {"most_parts",
     "({most} / {first_keys})"},
    {"create",
     "{prepare}\n"
     "CREATE TABLE IF NOT EXISTS {_parts}(\n"
     "  part INTEGER CONSTRAINT {\"made} PRIMARY KEY,\n"
     "  parts INTEGER NOT NULL,\n"
     "  keys INTEGER NOT NULL,\n"
     "  room INTEGER NOT NULL,\n"
     "  f BLOB NOT NULL\n"
     ");\n"
     "DELETE FROM {_parts};\n"
     "CREATE TRIGGER {_parts_update} AFTER UPDATE ON {t}\n"
     "WHEN NEW.{c} COLLATE BINARY IS NOT OLD.{c}\n"
     "{begin}\n"
     "  {add}\n"
     "END;\n"
     "CREATE TRIGGER {_parts_insert} AFTER INSERT ON {t}\n"
     "{begin}\n"
     "  {add}\n"
     "END;\n"
     "CREATE TRIGGER {_parts_extend} AFTER UPDATE OF keys ON {_parts}\n"
     "WHEN NEW.part = 0 AND NEW.keys > NEW.room AND NEW.parts < {most_parts}\n"
     "BEGIN\n"
     "  INSERT INTO {_parts}(part, parts, keys, room, f)\n"
     "  SELECT -1 AS {\"made}, min(2 * NEW.parts, {most_parts}), 0, 0, x'';\n"
     "END;\n"
     "CREATE TRIGGER {_parts_grow} AFTER INSERT ON {_parts} WHEN NEW.part = -1\n"
     "BEGIN\n"
     "  UPDATE {_parts} SET f = ifnull(bloom_build_kept({'t}, {'c}, parts, {bits},\n"
     "    {capacity}), x'') WHERE part = -1;\n"
     "  UPDATE {_parts} SET keys = ifnull(bloom_keys(f), parts * {first_keys}) WHERE part = -1;\n"
     "  UPDATE {_parts} SET keys = {parts_for_keys} WHERE part = -1;\n"
     "  UPDATE {_parts} SET parts = keys, f = bloom_build_kept({'t}, {'c}, keys, {bits},\n"
     "    {capacity}) WHERE part = -1 AND parts >= 2 * keys AND f <> x'';\n"
     "  UPDATE {_parts} SET room = 1 WHERE part = -1 AND f <> x'';\n"
     "  UPDATE {_parts} SET room = {next_room} WHERE part = 0;\n"
     "  DELETE FROM {_parts} WHERE part = -1 AND (SELECT 1 AS {\"made});\n"
     "END;\n"
     "CREATE TRIGGER {_parts_last} AFTER UPDATE OF room ON {_parts} WHEN NEW.part = -1\n"
     "BEGIN\n"
     "  DELETE FROM {_parts} WHERE part >= 0;\n"
     "  INSERT INTO {_parts}(part, parts, keys, room, f)\n"
     "  WITH RECURSIVE {_number}(part) AS (\n"
     "    SELECT 0 UNION ALL SELECT i.part + 1 FROM {_number} AS i WHERE i.part + 1 < NEW.parts\n"
     "  )\n"
     "  SELECT i.part AS {\"made}, NEW.parts,\n"
     "    ifnull(bloom_keys(bloom_bytes(NEW.f, i.part)), {most_keys}),\n"
     "    {room}, bloom_bytes(NEW.f, i.part) FROM {_number} AS i;\n"
     "END;\n"
     "INSERT INTO {_parts}(part, parts, keys, room, f)\n"
     "SELECT -1, {parts_for_keys}, 0, 0, x'' FROM (SELECT count(*) AS keys FROM {t});\n"
     "SELECT 'the triggers of this connection are switched off' AS error\n"
     "WHERE NOT EXISTS (SELECT 1 FROM {_parts} WHERE part = 0);\n"
     "CREATE VIEW {_part}(part, parts, f) AS\n"
     "SELECT p.part AS {\"made}, n.parts, CASE p.parts WHEN n.parts THEN p.f END\n"
     "FROM (SELECT o.parts AS parts, {is_kept} AS kept\n"
     "  FROM {_parts} AS o WHERE o.part = 0) AS n CROSS JOIN {_parts} AS p ON n.kept;\n"
     "CREATE VIEW {_filter}(filter) AS\n"
     "SELECT bloom_open(p.part, p.parts, p.f) AS {\"made} FROM {_parts} AS p\n"
     "WHERE (SELECT {is_kept});\n"
     "SELECT {'_filter} AS result;"},
    {"add",
     "UPDATE {_parts} SET f = bloom_add(f, NEW.{c}), keys = keys + 1\n"
     "  WHERE part = (SELECT bloom_part({new_c}, n.parts)\n"
     "      FROM {_parts} AS n WHERE n.part = 0)\n"
     "    AND NOT bloom_may_match(NEW.{c}, f);"},
    {"most_keys",
     "2 * {capacity} * {bits}"},
    {"parts_for_keys",
     "min(max((max({number}, keys) + {first_keys} - 1) / {first_keys}, 1), {most_parts})"},
    {"next_room",
     "CASE WHEN keys > {many_keys} THEN 2 * keys ELSE {room} END"},
    {"lost",
     "SELECT count(*) AS n, min(k.{first}) AS first FROM {t} AS k\n"
     "WHERE NOT bloom_may_match(k.{c}, (SELECT bloom_open(p.part, p.parts, p.f)\n"
     "    FROM {_parts} AS p WHERE {can_be_opened}))"},
    {"can_be_opened",
     "(SELECT count(*) = max(p.parts) AND count(*) = min(p.parts) AND min(p.part) = 0\n"
     "    AND max(p.part) = count(*) - 1 AND NOT max(typeof(p.parts) <> 'integer'\n"
     "      OR typeof(p.f) <> 'blob') FROM {_parts} AS p)"},
    {"expected",
     "(SELECT o.parts AS parts, (SELECT count(*) FROM {_parts} AS p\n"
     "    WHERE p.part BETWEEN 0 AND o.parts - 1) AS there,\n"
     "  length((SELECT bloom_build(NULL, {bits}, {capacity}))) AS bytes\n"
     "FROM {_parts} AS o WHERE typeof(o.parts) = 'integer'\n"
     "ORDER BY o.part < 0, o.part LIMIT 1)"},
    {"check_content",
     "SELECT 'all parts are missing, so no row is excluded' || {mend}\n"
     "WHERE NOT EXISTS (SELECT 1 FROM {_parts})\n"
     "UNION ALL\n"
     "SELECT 'parts are missing (' || (n.parts - n.there) || ' of ' || n.parts || ')' || {mend}\n"
     "FROM {expected} AS n WHERE n.parts > n.there\n"
     "UNION ALL\n"
     "SELECT 'trigger ' || {'@_extend} || ' is missing, so the parts do not grow' || {mend}\n"
     "WHERE {'@_extend} NOT IN (SELECT m.name FROM sqlite_master AS m)\n"
     "UNION ALL\n"
     "SELECT 'part ' || p.part || ' of ' || quote(p.parts) || ' has ' || {what_it_has}\n"
     "  || ', but the parts are 0 to ' || (n.parts - 1) || ' of ' || n.parts || ', each a BLOB of '\n"
     "  || n.bytes || ' bytes' || {mend}\n"
     "FROM {expected} AS n CROSS JOIN {_parts} AS p\n"
     "WHERE p.parts IS NOT n.parts OR p.part NOT BETWEEN 0 AND n.parts - 1\n"
     "  OR typeof(p.f) <> 'blob' OR length(p.f) <> n.bytes\n"
     "UNION ALL\n"
     "SELECT 'there are ' || n.parts || ' parts, and there cannot be more: part 0 has '\n"
     "  || 'some ' || n.keys || ' keys and room for ' || {capacity}\n"
     "  || ', so that more absent keys pass, and no call would help'\n"
     "FROM {_parts} AS n\n"
     "WHERE n.part = 0 AND n.keys > {capacity} AND n.parts >= {most_parts}\n"
     "UNION ALL\n"
     "SELECT 'more keys than room in ' || w.parts || ' of the parts, so that more absent'\n"
     "  || ' keys pass: part ' || w.part || CASE WHEN (SELECT bloom_keys(p.f) IS NULL\n"
     "      FROM {_parts} AS p WHERE p.part = w.part) THEN ' matches every key'\n"
     "    ELSE ' has some ' || w.most || ' and room for ' || {capacity} END ||\n"
     "  CASE WHEN w.keys <= w.there * {many_keys}\n"
     "    THEN ', and no call would help, since these keys do not divide'\n"
     "    ELSE {mend} END\n"
     "FROM (SELECT sum(p.keys > {capacity} * 4 / 3) AS parts, max(p.keys) AS most,\n"
     "    p.part AS part, sum(p.keys) AS keys, count(*) AS there FROM {_parts} AS p) AS w\n"
     "WHERE w.parts > 0"},
    {NULL, NULL},
};

static const sql_word blocks_words[] = {
    {"create_name",
     "bloom_create_blocks"},
    {"drop_name",
     "bloom_drop_blocks"},
    {"default_bits",
     "12"},
    {"number_name",
     "rows"},
    {"default_number",
     "4096"},
    {"least_number",
     "1"},
    {"most_number",
     "1099511627776"},
    {"needs_id",
     "1"},
    {"views",
     "SELECT {'_spans}"},
    {"create",
     "{prepare}\n"
     "CREATE TABLE IF NOT EXISTS {_blocks}(\n"
     "  block INTEGER CONSTRAINT {\"made} PRIMARY KEY,\n"
     "  f BLOB\n"
     ");\n"
     "DELETE FROM {_blocks};\n"
     "CREATE TRIGGER {_blocks_update} AFTER UPDATE ON {t}\n"
     "WHEN NEW.{c} COLLATE BINARY IS NOT OLD.{c} OR NEW.{id} IS NOT OLD.{id}\n"
     "{begin}\n"
     "  {add}\n"
     "END;\n"
     "CREATE TRIGGER {_blocks_insert} AFTER INSERT ON {t}\n"
     "WHEN CASE WHEN NEW.{id} / {number} IN (SELECT b.block FROM {_blocks} AS b)\n"
     "    THEN NEW.{id} >= 0\n"
     "  WHEN NEW.{id} < {number} THEN 0\n"
     "  WHEN NEW.{id} / {number} - 1 IN (SELECT b.block FROM {_blocks} AS b) THEN 0\n"
     "  ELSE 1 END\n"
     "{begin}\n"
     "  {add}\n"
     "  INSERT INTO {_blocks}(block, f)\n"
     "    SELECT w.block, w.block * {number} FROM (\n"
     "      SELECT o.{id} / {number} AS block FROM {from_t} AS o NOT INDEXED\n"
     "      WHERE o.{id} < NEW.{id} / {number} * {number}\n"
     "      ORDER BY o.{id} DESC LIMIT 1) AS w\n"
     "    WHERE w.block >= 0 AND w.block NOT IN (SELECT b.block FROM {_blocks} AS b)\n"
     "      AND {is_kept};\n"
     "  UPDATE {_blocks} SET f = (\n"
     "      SELECT bloom_build_distinct(k.{c}, {bits}) FROM {t} AS k NOT INDEXED\n"
     "      WHERE k.{id} BETWEEN {_blocks}.f AND {_blocks}.f + ({number} - 1))\n"
     "    WHERE block = last_insert_rowid() AND typeof(f) = 'integer';\n"
     "  DELETE FROM {_blocks} WHERE block < ifnull((SELECT o.{id} / {number}\n"
     "    FROM {t} AS o NOT INDEXED WHERE o.{id} >= 0 ORDER BY o.{id} LIMIT 1), 0);\n"
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
     "SELECT w.block, (\n"
     "  SELECT bloom_build_distinct(k.{c}, {bits}) FROM {t} AS k NOT INDEXED\n"
     "  WHERE k.{id} BETWEEN w.block * {number} AND w.block * {number} + ({number} - 1))\n"
     "FROM {_closed} AS w\n"
     "WHERE w.block < (SELECT max(k.{id}) / {number} FROM {t} AS k);\n"
     "CREATE VIEW {_spans}(first, last, f) AS\n"
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
     "    AND w.block < 9223372036854775807 / {number} END;\n"
     "SELECT {'_spans} AS result;"},
    {"add",
     "UPDATE {_blocks} SET f = bloom_add(f, NEW.{c})\n"
     "  WHERE block = NEW.{id} / {number} AND NEW.{id} >= 0\n"
     "    AND NOT bloom_may_match({new_c}, f);"},
    {"lost",
     "SELECT count(*) AS n, min(k.{first}) AS first\n"
     "FROM {_blocks} AS b CROSS JOIN {t} AS k NOT INDEXED\n"
     "  ON k.{id} BETWEEN b.block * {number} AND b.block * {number} + ({number} - 1)\n"
     "WHERE b.block >= 0 AND typeof(b.f) = 'blob' AND NOT bloom_may_match(k.{c}, b.f)"},
    {"check_content",
     "SELECT 'no filter for ' || w.blocks || ' of the blocks, of which the first is ' ||\n"
     "  w.block || {mend}\n"
     "FROM (SELECT count(*) AS blocks, min(b.block) AS block\n"
     "  FROM {_blocks} AS b WHERE b.f IS NULL) AS w\n"
     "WHERE w.blocks > 0\n"
     "UNION ALL\n"
     "SELECT 'block ' || p.block || ' has ' || {what_it_has} ||\n"
     "  ' instead of a filter, so rows may be lost' || {mend}\n"
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
