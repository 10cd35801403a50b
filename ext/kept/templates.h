/* Made of shared.sql, parts.sql and blocks.sql by `make templates`. */
#ifndef BLOOM_TEMPLATES_H
#define BLOOM_TEMPLATES_H

static const sql_word shared_words[] = {
    {"found",
     "(SELECT o.type AS type, o.name AS name, m.type AS found_type,\n"
     "  (instr(lower(m.sql), lower({'mark})) > 0\n"
     "    OR instr(lower(m.sql), lower({'old_mark})) > 0\n"
     "    OR instr(m.sql, {'any_of_ours}) = 0 AND instr(m.sql, 'made by bloom_') = 0\n"
     "      AND NOT EXISTS (SELECT 1 FROM main.sqlite_master AS v\n"
     "        WHERE v.type = 'view' AND lower(v.name) = lower({'_check})\n"
     "          AND instr(lower(v.sql), lower({'old_call})) = 0)\n"
     "      AND instr(lower(replace(replace(replace(replace(m.sql,\n"
     "        ' ', ''), char(9), ''), char(10), ''), char(13), '')),\n"
     "        lower(replace(replace(o.old, ' ', ''), '@',\n"
     "          '\"' || replace({'_table}, '\"', '\"\"') || '\"'))) > 0)\n"
     "  AND o.type = m.type AS is_ours\n"
     "FROM ({objects}) AS o\n"
     "JOIN main.sqlite_master AS m ON lower(m.name) = lower(o.name))"},
    {"check_names",
     "SELECT 'there is already a' || substr('n', 1, f.found_type = 'index') || ' ' ||\n"
     "  f.found_type || ' \"' || f.name ||\n"
     "  '\", which was not made by ' || {'create} ||\n"
     "  ': rename it, or drop it' AS error\n"
     "FROM {found} AS f WHERE NOT f.is_ours LIMIT 1;"},
    {"drop_triggers_and_views",
     "SELECT group_concat(w.sql, ';') AS run\n"
     "FROM (SELECT {drop} AS sql FROM {found} AS f WHERE f.type <> 'table'\n"
     "  ORDER BY f.type) AS w;"},
    {"drop_all",
     "SELECT {'create} || ' made nothing here' || ifnull((\n"
     "  SELECT '; there are filters made by ' || group_concat(w.call, ' and ') FROM (\n"
     "    SELECT DISTINCT replace(substr(m.sql, instr(m.sql, {'any_mark}) + 1,\n"
     "      instr(substr(m.sql, instr(m.sql, {'any_mark}) + 1), ')\"')), '\"\"', '\"')\n"
     "      AS call\n"
     "    FROM main.sqlite_master AS m\n"
     "    WHERE m.type = 'view' AND instr(m.sql, {'any_mark}) > 0) AS w\n"
     "  ), '') AS error\n"
     "WHERE NOT EXISTS (SELECT 1 FROM {found} AS f WHERE f.is_ours);\n"
     "SELECT group_concat(w.sql, ';') AS run, count(*) AS objects\n"
     "FROM (SELECT {drop} AS sql FROM {found} AS f\n"
     "  WHERE f.is_ours ORDER BY f.type = 'table', f.type) AS w;"},
    {"drop",
     "'DROP ' || f.type || ' main.\"' || replace(f.name, '\"', '\"\"') || '\"'"},
    {"numbers",
     "SELECT CAST(w.text AS INTEGER),\n"
     "  CASE WHEN trim(substr(w.text, 1, instr(w.text, ')')), '0123456789)') = ', '\n"
     "    THEN CAST(substr(w.text, instr(w.text, ',') + 1) AS INTEGER)\n"
     "    ELSE {default_number} END\n"
     "FROM (SELECT CASE WHEN instr(lower(m.sql), lower({'mark})) > 0\n"
     "    THEN substr(m.sql, instr(lower(m.sql), lower({'mark})) + length({'mark}))\n"
     "    ELSE substr(m.sql, instr(lower(m.sql), lower({'old_call}))\n"
     "      + length({'old_call})) END AS text\n"
     "  FROM main.sqlite_master AS m\n"
     "  WHERE m.type = 'view' AND lower(m.name) = lower({'_check})\n"
     "    AND (instr(lower(m.sql), lower({'mark})) > 0\n"
     "      OR instr(lower(m.sql), lower({'old_call})) > 0)) AS w;"},
    {"of_column",
     "(instr(m.sql, {'new_c}) > 0 OR EXISTS (SELECT 1 FROM sqlite_master AS s\n"
     "    WHERE s.type = 'table' AND s.name = {'t}\n"
     "    AND lower(s.sql) || ' ' NOT GLOB lower({'c_word})))"},
    {"kept",
     "(SELECT count(*) FROM sqlite_master AS m\n"
     "  WHERE m.type = 'trigger' AND m.tbl_name = {'t} AND m.name IN ({names})\n"
     "    AND m.rowid < (SELECT l.rowid FROM sqlite_master AS l\n"
     "      WHERE l.type = 'trigger' AND l.name = {'_last})\n"
     "    AND {of_column}) = 4"},
    {"another_may_end_first",
     "(bloom_temp_triggers() > 0\n"
     "  OR EXISTS (SELECT 1 FROM sqlite_master AS m\n"
     "    CROSS JOIN sqlite_master AS o ON o.tbl_name = m.tbl_name COLLATE NOCASE\n"
     "    WHERE m.type = 'trigger' AND m.name = {'_after_insert}\n"
     "      AND o.type = 'trigger' AND instr(o.sql, {'any_of_ours}) = 0\n"
     "      AND (o.rowid > m.rowid AND lower(o.sql) GLOB '*after*'\n"
     "          AND (lower(o.sql) GLOB '*raise*' OR {another_inserts})\n"
     "        OR lower(o.sql) GLOB '*update*' AND {another_inserts}\n"
     "          AND EXISTS (SELECT 1 FROM sqlite_master AS r\n"
     "            WHERE r.type = 'table' AND lower(r.sql) GLOB '*references*'))))"},
    {"'any_of_ours",
     "'\"bloom_create_'"},
    {"another_inserts",
     "EXISTS (SELECT 1 FROM sqlite_master AS i\n"
     "  WHERE i.type = 'trigger' AND instr(i.sql, {'any_of_ours}) = 0\n"
     "    AND lower(i.sql) || ' ' GLOB '*into' || lower({'t_word}))"},
    {"'mend",
     "CASE WHEN EXISTS (SELECT 1 FROM sqlite_master AS s\n"
     "    WHERE s.type = 'table' AND lower(s.name) = lower({'t})\n"
     "      AND lower(s.sql) || ' ' GLOB lower({'c_word}))\n"
     "  THEN ': SELECT ' || {'create} ELSE ', and ' || {'t} || '.' || {'column} ||\n"
     "  ' is gone or has another name: SELECT ' || {'drop} END"},
    {"check_triggers",
     "SELECT 'trigger ' || w.name || ' is missing, so no row is excluded' || {'mend}\n"
     "  AS problem\n"
     "FROM ({each_name}) AS w\n"
     "WHERE NOT EXISTS (SELECT 1 FROM sqlite_master AS m WHERE m.name = w.name\n"
     "    AND m.type = 'trigger' AND m.tbl_name = {'t})\n"
     "UNION ALL\n"
     "SELECT 'trigger ' || w.name ||\n"
     "  ' was put back, and rows may have been written without it, so no row is'\n"
     "  || ' excluded' || {'mend}\n"
     "FROM ({each_name}) AS w\n"
     "JOIN sqlite_master AS m ON m.name = w.name\n"
     "WHERE m.type = 'trigger' AND m.tbl_name = {'t}\n"
     "  AND m.rowid > ifnull((SELECT l.rowid FROM sqlite_master AS l\n"
     "    WHERE l.type = 'trigger' AND l.name = {'_last}), 0)\n"
     "UNION ALL\n"
     "SELECT 'trigger ' || w.name || ' is for a column other than ' || {'column} ||\n"
     "  ', so no row is excluded' || {'mend}\n"
     "FROM ({each_name}) AS w\n"
     "JOIN sqlite_master AS m ON m.name = w.name\n"
     "WHERE m.type = 'trigger' AND m.tbl_name = {'t} AND NOT {of_column}"},
    {"next_id_after_rows",
     "ifnull((SELECT k.{id} + 1 FROM {t} AS k ORDER BY k.{id} DESC LIMIT 1), 1)"},
    {"next_id_autoincrement",
     "(SELECT max(ifnull(max(k.{id}), 0), ifnull((\n"
     "  SELECT max(q.seq) FROM sqlite_sequence AS q WHERE q.name = {'t}), 0)) + 1\n"
     "  FROM {t} AS k)"},
    {NULL, NULL},
};

static const sql_word parts_words[] = {
    {"objects",
     "SELECT 'table' AS type, {'_parts} AS name,\n"
     "  'create table @(part integer primary key, parts integer not null,'\n"
     "  || 'room integer not null, trigger_row integer, f blob not null)' AS old\n"
     "UNION ALL SELECT 'trigger', w.name, 'update @ set f = bloom_add(f,'\n"
     "FROM ({each_name}) AS w\n"
     "UNION ALL SELECT 'trigger', {'_parts_last}, 'no trigger of 1.2'\n"
     "UNION ALL SELECT 'view', {'_part},\n"
     "  'select p.part, n.parts, p.f from @ as n cross join @ as p'\n"
     "UNION ALL SELECT 'view', {'_filter},\n"
     "  'select bloom_open(p.part, p.parts, p.f) from @ as p'\n"
     "UNION ALL SELECT 'view', {'_parts_check}, {'old_call}"},
    {"names",
     "{'_parts_before_insert}, {'_parts_after_insert}, {'_parts_before_update},\n"
     "{'_parts_after_update}"},
    {"each_name",
     "SELECT {'_parts_before_insert} AS name UNION ALL SELECT {'_parts_after_insert}\n"
     "UNION ALL SELECT {'_parts_before_update} UNION ALL SELECT {'_parts_after_update}"},
    {"'_table",
     "{'_parts}"},
    {"'_last",
     "{'_parts_last}"},
    {"'_check",
     "{'_parts_check}"},
    {"'_after_insert",
     "{'_parts_after_insert}"},
    {"capacity",
     "1500"},
    {"room",
     "1400"},
    {"first_keys",
     "1000"},
    {"most_parts",
     "1048576"},
    {"create",
     "{check_names}\n"
     "{drop_triggers_and_views}\n"
     "CREATE TABLE IF NOT EXISTS main.{_parts}(\n"
     "  part INTEGER CONSTRAINT {made} PRIMARY KEY,\n"
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
     "DELETE FROM main.{_parts};\n"
     "CREATE TRIGGER main.{_parts_before_insert} BEFORE INSERT ON {t}\n"
     "BEGIN\n"
     "  {add_before}\n"
     "  {assigned}\n"
     "END;\n"
     "CREATE TRIGGER main.{_parts_after_insert} AFTER INSERT ON {t}\n"
     "WHEN EXISTS (SELECT 1 FROM {_parts} AS n CROSS JOIN {_parts} AS p\n"
     "  WHERE n.part = 0 AND p.part = bloom_part({new_c}, n.parts)\n"
     "    AND (NOT bloom_may_match(NEW.{c}, p.f) OR {growth_is_due}))\n"
     "BEGIN\n"
     "  {add_new}\n"
     "  UPDATE {_parts} SET room = room WHERE part = 0 AND keys > room;\n"
     "  {fill}\n"
     "  INSERT INTO {_parts}(part, parts, keys, room, trigger_row, f)\n"
     "  SELECT w.part, w.parts, 0, {room}, w.trigger_row, {empty_part}\n"
     "  FROM (SELECT -1 - o.part AS part, o.parts AS parts,\n"
     "      o.trigger_row AS trigger_row\n"
     "    FROM {_parts} AS o WHERE o.part < 0\n"
     "    UNION ALL SELECT o.parts / 2 - 1 - o.part, o.parts, o.trigger_row\n"
     "    FROM {_parts} AS o WHERE o.part < 0) AS w\n"
     "  WHERE NOT EXISTS (SELECT 1 FROM {_parts} AS p WHERE p.part = w.part);\n"
     "  DELETE FROM {_parts} WHERE part < 0;\n"
     "END;\n"
     "CREATE TRIGGER main.{_parts_before_update} BEFORE UPDATE ON {t}\n"
     "WHEN NEW.{c} COLLATE BINARY IS NOT OLD.{c}{inputs}\n"
     "BEGIN\n"
     "  {add_before}\n"
     "END;\n"
     "CREATE TRIGGER main.{_parts_after_update} AFTER UPDATE ON {t}\n"
     "WHEN NEW.{c} COLLATE BINARY IS NOT OLD.{c}\n"
     "BEGIN\n"
     "  {add_new}\n"
     "END;\n"
     "CREATE TRIGGER main.{_parts_last} AFTER UPDATE OF room ON {_parts}\n"
     "BEGIN\n"
     "  UPDATE {_parts} SET part = -1 - part, parts = 2 * parts\n"
     "  WHERE EXISTS (SELECT 1 AS {made} FROM {_parts} AS n\n"
     "      WHERE n.part = 0 AND {growth_is_due} AND n.parts <= {most_parts} / 2)\n"
     "    AND NOT {another_may_end_first};\n"
     "END;\n"
     "INSERT INTO main.{_parts}(part, parts, keys, room, trigger_row, f)\n"
     "SELECT -1, min(max((max({keys}, w.keys) + {first_keys} - 1) / {first_keys}, 1),\n"
     "    {most_parts}), 0, {room},\n"
     "  (SELECT m.rowid FROM main.sqlite_master AS m WHERE m.type = 'trigger'\n"
     "    AND m.name = {'_parts_after_insert}), x''\n"
     "FROM (SELECT 16 * (length(bloom_build_distinct(k.{c}, 8)) - 9) AS keys\n"
     "  FROM main.{t} AS k WHERE bloom_part(k.{c}, 16) = 0) AS w;\n"
     "{fill_main}\n"
     "INSERT INTO main.{_parts}(part, parts, keys, room, trigger_row, f)\n"
     "WITH RECURSIVE number(part, parts, trigger_row) AS (\n"
     "  SELECT 0, o.parts, o.trigger_row FROM main.{_parts} AS o WHERE o.part = -1\n"
     "  UNION ALL SELECT part + 1, parts, trigger_row FROM number\n"
     "  WHERE part + 1 < parts)\n"
     "SELECT w.part, w.parts, 0, {room}, w.trigger_row, {empty_part} FROM number AS w\n"
     "WHERE NOT EXISTS (SELECT 1 FROM main.{_parts} AS p WHERE p.part = w.part);\n"
     "DELETE FROM main.{_parts} WHERE part < 0;\n"
     "CREATE VIEW main.{_part}(part, parts, f) AS\n"
     "SELECT p.part AS {made}, n.parts, p.f\n"
     "FROM {_parts} AS n CROSS JOIN {_parts} AS p\n"
     "WHERE n.part = 0 AND p.parts = n.parts\n"
     "  AND ((SELECT m.name = {'_parts_after_insert} AND m.type = 'trigger'\n"
     "      AND m.tbl_name = {'t} AND instr(m.sql, {'new_c}) > 0\n"
     "    FROM sqlite_master AS m WHERE m.rowid = n.trigger_row) OR {kept});\n"
     "CREATE VIEW main.{_filter}(filter) AS\n"
     "SELECT bloom_open(p.part, p.parts, p.f) AS {made} FROM {_parts} AS p\n"
     "WHERE {kept};\n"
     "CREATE VIEW main.{_parts_check}(problem) AS\n"
     "SELECT w.problem AS {made} FROM ({check}) AS w;"},
    {"check",
     "{check_triggers}\n"
     "UNION ALL\n"
     "SELECT 'all parts are missing, so no row is excluded' || {'mend}\n"
     "WHERE NOT EXISTS (SELECT 1 FROM {_parts})\n"
     "UNION ALL\n"
     "SELECT 'parts are missing (' || (n.parts - n.there) || ' of ' || n.parts ||\n"
     "  ')' || {'mend}\n"
     "FROM (SELECT max(p.parts) AS parts, count(*) AS there FROM {_parts} AS p\n"
     "  WHERE p.part BETWEEN 0 AND p.parts - 1) AS n\n"
     "WHERE n.parts > n.there\n"
     "UNION ALL\n"
     "SELECT 'the number of parts is ' || n.least || ' in one row and ' || n.most ||\n"
     "  ' in another' || {'mend}\n"
     "FROM (SELECT min(p.parts) AS least, max(p.parts) AS most FROM {_parts} AS p) AS n\n"
     "WHERE n.least < n.most\n"
     "UNION ALL\n"
     "SELECT 'part ' || p.part || ' is not one of 0 to ' || (p.parts - 1) || {'mend}\n"
     "FROM {_parts} AS p WHERE p.part < 0 OR p.part >= p.parts\n"
     "UNION ALL\n"
     "SELECT 'part ' || p.part || ' has ' || typeof(p.parts) || ' ' ||\n"
     "  quote(p.parts) || ' as the number of parts' || {'mend}\n"
     "FROM {_parts} AS p\n"
     "WHERE typeof(p.parts) <> 'integer' OR p.parts < 1 OR p.parts > {most_parts}\n"
     "UNION ALL\n"
     "SELECT 'part ' || p.part || ' has ' || typeof(p.f) || ' instead of a filter' ||\n"
     "  {'mend}\n"
     "FROM {_parts} AS p WHERE typeof(p.f) <> 'blob'\n"
     "UNION ALL\n"
     "SELECT 'the parts do not grow while there are TEMP triggers, or a trigger on ' ||\n"
     "  {'t} || ' that may end a row before the filter''s own triggers: insert a row'\n"
     "  || ' without them, or, if that trigger is newer than the filter' || {'mend}\n"
     "FROM {_parts} AS n\n"
     "WHERE n.part = 0 AND n.keys > n.room + 64 AND n.parts <= {most_parts} / 2\n"
     "  AND {another_may_end_first}\n"
     "UNION ALL\n"
     "SELECT 'there are ' || n.parts || ' parts, and there cannot be more: each has' ||\n"
     "  ' some ' || n.keys || ' keys, and room for ' || {capacity}\n"
     "FROM {_parts} AS n\n"
     "WHERE n.part = 0 AND n.keys > {capacity} AND n.parts > {most_parts} / 2\n"
     "UNION ALL\n"
     "SELECT 'more keys than room in ' || w.parts || ' of the parts: part ' ||\n"
     "  w.part || ' has some ' || w.keys || ' and room for ' || {capacity} ||\n"
     "  ', which lets ' || round(100 * i.false_positive_rate, 1) ||\n"
     "  ' % of absent keys through' || {'mend}\n"
     "FROM (SELECT count(*) AS parts, max(p.keys) AS keys, p.part AS part, p.f AS f\n"
     "  FROM {_parts} AS p WHERE p.keys > {capacity} * 4 / 3 AND typeof(p.f) = 'blob')\n"
     "  AS w, bloom_info(w.f) AS i\n"
     "WHERE w.parts > 0"},
    {"growth_is_due",
     "n.keys > n.room AND (n.keys - n.room) % 64 = 1"},
    {"add_new",
     "UPDATE {_parts} SET f = bloom_add(f, NEW.{c}), keys = keys + 1\n"
     "  WHERE part = (SELECT bloom_part({new_c}, n.parts) AS {made}\n"
     "      FROM {_parts} AS n WHERE n.part = 0)\n"
     "    AND NOT bloom_may_match(NEW.{c}, f);"},
    {"add_before",
     "UPDATE {_parts} SET f = bloom_add(f, {before}), keys = keys + 1\n"
     "  WHERE part = (SELECT bloom_part({before}, n.parts) AS {made}\n"
     "      FROM {_parts} AS n WHERE n.part = 0)\n"
     "    AND NOT bloom_may_match({before}, f);"},
    {"add_assigned",
     "UPDATE {_parts} SET f = bloom_add(f, {next_id}), keys = keys + 1\n"
     "  WHERE NEW.{id} = -1\n"
     "    AND part = (SELECT bloom_part({next_id}, n.parts)\n"
     "      FROM {_parts} AS n WHERE n.part = 0)\n"
     "    AND NOT bloom_may_match({next_id}, f);"},
    {"empty_part",
     "(SELECT bloom_build(NULL, {bits}, {capacity}))"},
    {"fill",
     "INSERT INTO {_parts}(part, parts, keys, room, trigger_row, f) {filled}\n"
     "  FROM {_parts} AS o CROSS JOIN {t} AS k\n"
     "  WHERE o.part = -1 AND k.{c} IS NOT NULL GROUP BY 1;"},
    {"fill_main",
     "INSERT INTO main.{_parts}(part, parts, keys, room, trigger_row, f) {filled}\n"
     "  FROM main.{_parts} AS o CROSS JOIN main.{t} AS k\n"
     "  WHERE o.part = -1 AND k.{c} IS NOT NULL GROUP BY 1;"},
    {"filled",
     "SELECT bloom_part(k.{c}, o.parts), o.parts, {counted},\n"
     "  CASE WHEN {counted} > {first_keys} * 6 / 5 THEN 2 * {counted} ELSE {room} END,\n"
     "  o.trigger_row, bloom_build(k.{c}, {bits}, {capacity})"},
    {"counted",
     "(length(bloom_build_distinct(k.{c}, 8)) - 1)"},
    {NULL, NULL},
};

static const sql_word blocks_words[] = {
    {"objects",
     "SELECT 'table' AS type, {'_blocks} AS name,\n"
     "  'create table @(block integer primary key, f blob)' AS old\n"
     "UNION ALL SELECT 'trigger', w.name, 'update @ set f = bloom_add(f,'\n"
     "FROM ({each_name}) AS w\n"
     "UNION ALL SELECT 'trigger', {'_blocks_last}, 'no trigger of 1.2'\n"
     "UNION ALL SELECT 'view', {'_spans}, 'b.f from @ as b'\n"
     "UNION ALL SELECT 'view', {'_blocks_check}, {'old_call}"},
    {"names",
     "{'_blocks_before_insert}, {'_blocks_after_insert}, {'_blocks_before_update},\n"
     "{'_blocks_after_update}"},
    {"each_name",
     "SELECT {'_blocks_before_insert} AS name\n"
     "UNION ALL SELECT {'_blocks_after_insert}\n"
     "UNION ALL SELECT {'_blocks_before_update}\n"
     "UNION ALL SELECT {'_blocks_after_update}"},
    {"'_table",
     "{'_blocks}"},
    {"'_last",
     "{'_blocks_last}"},
    {"'_check",
     "{'_blocks_check}"},
    {"'_after_insert",
     "{'_blocks_after_insert}"},
    {"create",
     "{check_names}\n"
     "{drop_triggers_and_views}\n"
     "CREATE TABLE IF NOT EXISTS main.{_blocks}(\n"
     "  block INTEGER CONSTRAINT {made} PRIMARY KEY,\n"
     "  f BLOB\n"
     ");\n"
     "DELETE FROM main.{_blocks};\n"
     "CREATE TRIGGER main.{_blocks_before_insert} BEFORE INSERT ON {t}\n"
     "WHEN NEW.{id} >= -1\n"
     "  AND {new_id} / {rows} IN (SELECT b.block AS {made} FROM {_blocks} AS b)\n"
     "BEGIN\n"
     "  UPDATE {_blocks} SET f = bloom_add(f, {before})\n"
     "  WHERE block = {new_id} / {rows} AND NOT bloom_may_match({before}, f);\n"
     "END;\n"
     "CREATE TRIGGER main.{_blocks_after_insert} AFTER INSERT ON {t}\n"
     "WHEN NEW.{id} >= 0 AND ifnull((SELECT b.block AS {made} FROM {_blocks} AS b\n"
     "  WHERE b.block <= NEW.{id} / {rows} ORDER BY b.block DESC LIMIT 1), -1)\n"
     "  IS NOT NEW.{id} / {rows} - 1\n"
     "BEGIN\n"
     "  {add_new}\n"
     "  INSERT INTO {_blocks}(block)\n"
     "  SELECT -1 - c.block FROM (SELECT {block_before} AS block) AS c\n"
     "  WHERE c.block IS NOT NULL\n"
     "    AND c.block NOT IN (SELECT b.block FROM {_blocks} AS b);\n"
     "  UPDATE {_blocks} SET f = {block_filter}\n"
     "  WHERE f IS NULL AND block = {block_before};\n"
     "  DELETE FROM {_blocks} WHERE block < ifnull((SELECT o.{id} / {rows}\n"
     "    FROM {t} AS o NOT INDEXED WHERE o.{id} >= 0 ORDER BY o.{id} LIMIT 1), 0);\n"
     "END;\n"
     "CREATE TRIGGER main.{_blocks_before_update} BEFORE UPDATE ON {t}\n"
     "WHEN {changed}{inputs}\n"
     "BEGIN\n"
     "  UPDATE {_blocks} SET f = bloom_add(f, {before})\n"
     "  WHERE block = NEW.{id} / {rows} AND NEW.{id} >= 0\n"
     "    AND NOT bloom_may_match({before}, f) AND 1 IN (SELECT 1 AS {made});\n"
     "END;\n"
     "CREATE TRIGGER main.{_blocks_after_update} AFTER UPDATE ON {t}\n"
     "WHEN {changed}\n"
     "BEGIN\n"
     "  {add_new}\n"
     "END;\n"
     "CREATE TRIGGER main.{_blocks_last} AFTER INSERT ON {_blocks}\n"
     "WHEN NEW.block < 0\n"
     "BEGIN\n"
     "  UPDATE {_blocks} SET block = -1 - block\n"
     "  WHERE block = NEW.block AND 1 IN (SELECT 1 AS {made})\n"
     "    AND NOT {another_may_end_first};\n"
     "END;\n"
     "INSERT INTO main.{_blocks}(block)\n"
     "WITH RECURSIVE closed(block) AS (\n"
     "  SELECT min(k.{id}) / {rows} FROM main.{t} AS k WHERE k.{id} >= 0\n"
     "  UNION ALL\n"
     "  SELECT (SELECT min(k.{id}) / {rows} FROM main.{t} AS k\n"
     "      WHERE k.{id} >= (c.block + 1) * {rows})\n"
     "  FROM closed AS c\n"
     "  WHERE c.block < (SELECT max(k.{id}) / {rows} FROM main.{t} AS k)\n"
     ")\n"
     "SELECT c.block FROM closed AS c\n"
     "WHERE c.block < (SELECT max(k.{id}) / {rows} FROM main.{t} AS k);\n"
     "UPDATE main.{_blocks} SET f = {block_filter};\n"
     "CREATE VIEW main.{_spans}(first, last, f) AS\n"
     "SELECT b.block * {rows} AS {made},\n"
     "  min(b.block * {rows} + {rows} - 1, 9223372036854775807), b.f\n"
     "FROM {_blocks} AS b WHERE {kept}\n"
     "UNION ALL\n"
     "SELECT (b.block + 1) * {rows},\n"
     "  ifnull((SELECT n.block * {rows} - 1 FROM {_blocks} AS n\n"
     "    WHERE n.block > b.block ORDER BY n.block LIMIT 1), 9223372036854775807), NULL\n"
     "FROM {_blocks} AS b\n"
     "WHERE NOT EXISTS (SELECT 1 FROM {_blocks} AS n WHERE n.block = b.block + 1)\n"
     "  AND b.block < 9223372036854775807 / {rows} AND {kept}\n"
     "UNION ALL\n"
     "SELECT -9223372036854775807 - 1,\n"
     "  ifnull((SELECT min(n.block) * {rows} - 1 FROM {_blocks} AS n),\n"
     "    9223372036854775807), NULL\n"
     "WHERE {kept}\n"
     "UNION ALL\n"
     "SELECT -9223372036854775807 - 1, 9223372036854775807, NULL\n"
     "WHERE ({kept}) IS NOT 1;\n"
     "CREATE VIEW main.{_blocks_check}(problem) AS\n"
     "SELECT w.problem AS {made} FROM ({check}) AS w;"},
    {"check",
     "{check_triggers}\n"
     "UNION ALL\n"
     "SELECT 'no filter for ' || w.blocks || ' of the blocks, of which the first is ' ||\n"
     "  w.block || {'mend}\n"
     "FROM (SELECT count(*) AS blocks, min(b.block) AS block\n"
     "  FROM {_blocks} AS b WHERE b.f IS NULL) AS w\n"
     "WHERE w.blocks > 0\n"
     "UNION ALL\n"
     "SELECT 'block ' || b.block || ' has ' || typeof(b.f) || ' instead of a filter' ||\n"
     "  {'mend}\n"
     "FROM {_blocks} AS b WHERE typeof(b.f) NOT IN ('blob', 'null')\n"
     "UNION ALL\n"
     "SELECT 'no block is closed while there are TEMP triggers, or a trigger on ' ||\n"
     "  {'t} || ' that may end a row before the filter''s own triggers: insert a row'\n"
     "  || ' without them, or, if that trigger is newer than the filter' || {'mend}\n"
     "WHERE {another_may_end_first}\n"
     "UNION ALL\n"
     "SELECT 'the blocks have some ' || w.keys ||\n"
     "  ' different keys each, so that their filters cost more than a scan: '\n"
     "  || 'SELECT ' || {'call} || {bits} || ', ' ||\n"
     "  min({rows} * (4096 / max(w.keys, 1)), {most_number}) || ')'\n"
     "FROM (SELECT count(*) AS blocks,\n"
     "    sum(length(b.f) - 1) * 8 / {bits} / count(*) AS keys\n"
     "  FROM {_blocks} AS b WHERE typeof(b.f) = 'blob') AS w\n"
     "WHERE w.blocks > 8 AND w.keys < 64 AND {rows} < {most_number}\n"
     "UNION ALL\n"
     "SELECT 'more keys than room in ' || w.blocks || ' of the blocks: block ' ||\n"
     "  w.block || ' has some ' || w.keys || ' and room for ' || w.room ||\n"
     "  ', which lets ' || round(100 * i.false_positive_rate, 1) ||\n"
     "  ' % of absent keys through' || {'mend}\n"
     "FROM (SELECT count(*) AS blocks, max(i.keys) AS keys, b.block AS block,\n"
     "    i.bits / {bits} AS room, b.f AS f\n"
     "  FROM {_blocks} AS b, bloom_info(b.f) AS i\n"
     "  WHERE typeof(b.f) = 'blob' AND i.keys > i.bits / {bits} * 1.5\n"
     "    AND i.bits > 64) AS w,\n"
     "  bloom_info(w.f) AS i"},
    {"changed",
     "NEW.{c} COLLATE BINARY IS NOT OLD.{c} OR NEW.{id} IS NOT OLD.{id}"},
    {"new_id",
     "(CASE NEW.{id} WHEN -1 THEN {next_id} ELSE NEW.{id} END)"},
    {"add_new",
     "UPDATE {_blocks} SET f = bloom_add(f, NEW.{c})\n"
     "  WHERE block = NEW.{id} / {rows} AND NEW.{id} >= 0\n"
     "    AND NOT bloom_may_match({new_c}, f) AND 1 IN (SELECT 1 AS {made});"},
    {"block_before",
     "(SELECT o.{id} / {rows} FROM {t} AS o NOT INDEXED\n"
     "  WHERE o.{id} >= 0 AND o.{id} < NEW.{id} / {rows} * {rows}\n"
     "  ORDER BY o.{id} DESC LIMIT 1)"},
    {"block_filter",
     "(SELECT bloom_build_distinct(k.{c}, {bits}) FROM {t} AS k NOT INDEXED\n"
     "    WHERE k.{id} BETWEEN {_blocks}.block * {rows}\n"
     "      AND {_blocks}.block * {rows} + ({rows} - 1))"},
    {NULL, NULL},
};

#endif
