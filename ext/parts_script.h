/* The script of bloom_parts_sql. */
#ifndef BLOOM_PARTS_SCRIPT_H
#define BLOOM_PARTS_SCRIPT_H

#include "script.h"

/* The number of parts. Every row has it; it is taken from the first row, here
** and in the view. If there are no rows, there is no part to add to. */
#define PARTS_NUMBER "ifnull((SELECT n.parts FROM {_parts} AS n LIMIT 1), 1)"

/* Adds the key to its part. If the part already matches the key, this costs a
** probe and no write. */
#define PARTS_ADD(key)                          \
  "BEGIN\n"                                     \
  "  UPDATE {_parts} SET f = bloom_add(f, " key \
  ")\n"                                         \
  "  WHERE part = bloom_part(" key              \
  ",\n"                                         \
  "      " PARTS_NUMBER                         \
  ")\n"                                         \
  "    AND NOT bloom_may_match(" key ", f);\n"

/* `UPDATE OF` would miss the changes of a generated column. */
#define PARTS_UPDATED "WHEN NEW.{c} COLLATE BINARY IS NOT OLD.{c}"

/* The row of the first trigger in sqlite_master, if all triggers are there. */
#define PARTS_TRIGGER_ROW                                          \
  "  (SELECT m.rowid FROM main.sqlite_master AS m\n"               \
  "    WHERE m.type = 'trigger' AND crc32c(m.sql) = {first_crc}\n" \
  "      AND {kept}),\n"

static const char parts_before[] =
    "-- Makes, fills and keeps a filter, in parts, of the keys in {t}.{c}.\n"
    "-- Written by {call}. Run it again\n"
    "-- after a migration, or when {_parts_check} says so.\n"
    "SAVEPOINT bloom;\n"
    "\n"
    "DROP VIEW IF EXISTS main.{_part};\n"
    "DROP VIEW IF EXISTS main.{_filter};\n"
    "DROP VIEW IF EXISTS main.{_parts_check};\n"
    "DROP TRIGGER IF EXISTS main.{_parts_before_insert};\n"
    "DROP TRIGGER IF EXISTS main.{_parts_after_insert};\n"
    "DROP TRIGGER IF EXISTS main.{_parts_before_update};\n"
    "DROP TRIGGER IF EXISTS main.{_parts_after_update};\n"
    "-- Emptied first: no old part stays where DROP fails.\n"
    "CREATE TABLE IF NOT EXISTS main.{_parts}(part INTEGER PRIMARY KEY);\n"
    "DELETE FROM main.{_parts};\n"
    "DROP TABLE main.{_parts};\n"
    "\n"
    "CREATE TABLE main.{_parts}( {made}"
    "  part INTEGER PRIMARY KEY,\n"
    "  parts INTEGER NOT NULL, -- how many there are\n"
    "  room INTEGER NOT NULL, -- for so many keys in each\n"
    "  trigger_row INTEGER, -- where in sqlite_master the first trigger is\n"
    "  f BLOB NOT NULL\n"
    ");\n"
    "\n"
    "-- Each key that comes is added, however it comes.\n" SCRIPT_TWICE;

static const char parts_fill[] =
    "\n"
    "-- Some 1,000 keys for each part, and room for half as many more. How\n"
    "-- many keys there are is told from those of one part in 64.\n"
    "INSERT INTO main.{_parts}(part, parts, room, trigger_row, f)\n"
    "WITH plan(parts) AS (\n"
    "  SELECT min(max((64 * count(DISTINCT k.{c}) + 999) / 1000, 64),\n"
    "    1048576)\n"
    "  FROM main.{t} AS k WHERE bloom_part(k.{c}, 64) = 0\n"
    ")\n"
    "SELECT bloom_part(k.{c}, (SELECT plan.parts FROM plan)),\n"
    "  (SELECT plan.parts FROM plan), 1500,\n" PARTS_TRIGGER_ROW
    "  bloom_build(k.{c}, {bits}, 1500)\n"
    "FROM main.{t} AS k WHERE k.{c} IS NOT NULL GROUP BY 1;\n"
    "\n"
    "-- The parts that have no keys yet.\n"
    "INSERT INTO main.{_parts}(part, parts, room, trigger_row, f)\n"
    "WITH RECURSIVE number(part, parts) AS (\n"
    "  SELECT 0, ifnull(max(p.parts), 64) FROM main.{_parts} AS p\n"
    "  UNION ALL\n"
    "  SELECT part + 1, parts FROM number WHERE part + 1 < parts\n"
    ")\n"
    "SELECT n.part, n.parts, 1500,\n" PARTS_TRIGGER_ROW
    "  (SELECT bloom_build(NULL, {bits}, 1500))\n"
    "FROM number AS n\n"
    "WHERE NOT EXISTS (SELECT 1 FROM main.{_parts} AS p\n"
    "    WHERE p.part = n.part)\n"
    "  AND (EXISTS (SELECT 1 FROM main.{_parts})\n"
    "    OR NOT EXISTS (SELECT 1 FROM main.{t} AS k\n"
    "      WHERE k.{c} IS NOT NULL));\n";

static const char parts_views[] =
    "\n"
    "-- The parts, one by one; none where a trigger is missing, so that no\n"
    "-- row is excluded. A table that was rebuilt has lost them all, so one\n"
    "-- is looked for, where it was made; if it is another, all of them are,\n"
    "-- by name.\n"
    "CREATE VIEW main.{_part}(part, parts, f) AS {made}"
    "SELECT p.part, n.parts, p.f\n"
    "FROM {_parts} AS n CROSS JOIN {_parts} AS p\n"
    "WHERE n.part = 0 AND p.parts = n.parts\n"
    "  AND ((SELECT crc32c(m.sql) FROM sqlite_master AS m\n"
    "      WHERE m.rowid = n.trigger_row) = {first_crc}\n"
    "    OR {kept});\n"
    "\n"
    "-- One handle for all parts; NULL where a trigger is missing.\n"
    "CREATE VIEW main.{_filter}(filter) AS {made}"
    "SELECT bloom_open(p.part, p.parts, p.f) FROM {_parts} AS p\n"
    "WHERE {kept};\n"
    "\n"
    "-- What is wrong.\n"
    "CREATE VIEW main.{_parts_check}(problem) AS {made}" SCRIPT_CHECK_TRIGGERS
    "UNION ALL\n"
    "SELECT 'all parts are missing, so no row is excluded'\n"
    "  || " SCRIPT_RUN_AGAIN
    "WHERE NOT EXISTS (SELECT 1 FROM {_parts})\n"
    "UNION ALL\n"
    "SELECT 'parts are missing, ' || (w.parts - w.there) || ' of ' || w.parts\n"
    "  || " SCRIPT_RUN_AGAIN
    "FROM (SELECT max(p.parts) AS parts, count(*) AS there FROM {_parts} AS p\n"
    "    WHERE p.part BETWEEN 0 AND p.parts - 1) AS w\n"
    "WHERE w.parts > w.there\n"
    "UNION ALL\n"
    "SELECT 'there are ' || w.least || ' parts by one row, ' || w.most ||\n"
    "  ' by another' || " SCRIPT_RUN_AGAIN
    "FROM (SELECT min(p.parts) AS least, max(p.parts) AS most\n"
    "    FROM {_parts} AS p) AS w\n"
    "WHERE w.least < w.most\n"
    "UNION ALL\n"
    "SELECT 'more keys than room in ' || w.parts || ' of the parts, some ' ||\n"
    "  w.keys || ' for ' || w.room || ' in part ' || w.part ||\n"
    "  ', which lets ' || round(100 * i.false_positive_rate, 1) ||\n"
    "  ' % of absent keys through' || " SCRIPT_RUN_AGAIN
    "FROM (SELECT count(*) AS parts, max(i.keys) AS keys, p.part AS part,\n"
    "      p.room AS room, p.f AS f\n"
    "    FROM {_parts} AS p, bloom_info(p.f) AS i\n"
    "    WHERE i.keys > p.room) AS w,\n"
    "  bloom_info(w.f) AS i;\n"
    "\n"
    "RELEASE bloom;\n"
    "\n"
    "-- To ask it, in a join; here with other.key:\n"
    "--\n"
    "--   SELECT * FROM other JOIN {t} ON {t}.{c} = other.key\n"
    "--   WHERE bloom_may_match(other.key, (SELECT filter FROM {_filter}));\n"
    "--\n"
    "-- For one key:\n"
    "--\n"
    "--   SELECT * FROM {t} WHERE {t}.{c} = CASE WHEN bloom_may_match(:key,\n"
    "--     (SELECT f FROM {_part} WHERE part = bloom_part(:key, parts)))\n"
    "--     THEN :key END;\n"
    "--\n"
    "-- Is anything wrong? No row, if all is well:\n"
    "--\n"
    "--   SELECT problem FROM {_parts_check};\n"
    "--\n"
    "-- To remove it all:\n"
    "--\n"
    "--   DROP VIEW {_part};\n"
    "--   DROP VIEW {_filter};\n"
    "--   DROP VIEW {_parts_check};\n"
    "--   DROP TRIGGER {_parts_before_insert};\n"
    "--   DROP TRIGGER {_parts_after_insert};\n"
    "--   DROP TRIGGER {_parts_before_update};\n"
    "--   DROP TRIGGER {_parts_after_update};\n"
    "--   DROP TABLE {_parts};\n";

/* The text of {assigned} if the column is the id. If SQLite assigns the id,
** NEW.{id} is -1 in a trigger that runs before the row is inserted. */
static const char parts_assigned[] =
    "  UPDATE {_parts} SET f = bloom_add(f, {next_id})\n"
    "  WHERE NEW.{id} = -1 AND part = bloom_part({next_id},\n"
    "      " PARTS_NUMBER
    ")\n"
    "    AND NOT bloom_may_match({next_id}, f);\n";

static const char parts_before_insert[] =
    "BEFORE INSERT ON {t} {made}"
    PARTS_ADD("{before}")
    "{assigned}"
    "END";

static const char parts_after_insert[] =
    "AFTER INSERT ON {t} {made}" PARTS_ADD("NEW.{c}") "END";

static const char parts_before_update[] =
    "BEFORE UPDATE ON {t} {made}" PARTS_UPDATED
    "{inputs}\n" PARTS_ADD("{before}") "END";

static const char parts_after_update[] =
    "AFTER UPDATE ON {t} {made}" PARTS_UPDATED "\n" PARTS_ADD("NEW.{c}") "END";

static const script_template parts_template = {
    .objects = {"parts", "part", "filter", "parts_check"},
    .triggers = {{"parts_before_insert", parts_before_insert},
                 {"parts_after_insert", parts_after_insert},
                 {"parts_before_update", parts_before_update},
                 {"parts_after_update", parts_after_update}},
    .sql = {parts_before, parts_fill, parts_views},
};

#endif
