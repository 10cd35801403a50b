/* The script of bloom_blocks_sql. */
#ifndef BLOOM_BLOCKS_SCRIPT_H
#define BLOOM_BLOCKS_SCRIPT_H

#include "script.h"

/* The id that a row gets. If SQLite assigns the id, NEW.{id} is -1 in a trigger
** that runs before the row is inserted. */
#define BLOCKS_ID "CASE NEW.{id} WHEN -1 THEN {next_id} ELSE NEW.{id} END"

/* Adds the key to the filter of its block, if the block is closed. */
#define BLOCKS_ADD(id, key)                      \
  "BEGIN\n"                                      \
  "  UPDATE {_blocks} SET f = bloom_add(f, " key \
  ")\n"                                          \
  "  WHERE block = (" id ") / {rows} AND (" id   \
  ") >= 0\n"                                     \
  "    AND NOT bloom_may_match(" key ", f);\n"

#define BLOCKS_UPDATED                           \
  "WHEN NEW.{c} COLLATE BINARY IS NOT OLD.{c}\n" \
  "  OR NEW.{id} IS NOT OLD.{id}"

/* The first block that is not closed. */
#define BLOCKS_OPEN                                  \
  "ifnull((SELECT b.block + 1 FROM {_blocks} AS b\n" \
  "      ORDER BY b.block DESC LIMIT 1), 0)"

/* The filter of the block c.block. It is built from DISTINCT keys, because the
** number of keys that a filter is built from determines its size. */
#define BLOCKS_FILTER(main)                        \
  "(\n"                                            \
  "    SELECT bloom_build(w.key, {bits}) FROM (\n" \
  "      SELECT DISTINCT k.{c} AS key FROM " main  \
  "{t} AS k NOT INDEXED\n"                         \
  "      WHERE k.{id} BETWEEN c.block * {rows}\n"  \
  "        AND c.block * {rows} + {rows} - 1) AS w)\n"

static const char blocks_before_insert[] =
    "BEFORE INSERT ON {t} {made}"
    "WHEN (" BLOCKS_ID
    ") <\n"
    "  (SELECT (b.block + 1) * {rows} FROM {_blocks} AS b\n"
    "    ORDER BY b.block DESC LIMIT 1)\n" BLOCKS_ADD(BLOCKS_ID,
                                                      "{before}") "END";

static const char blocks_after_insert[] =
    "AFTER INSERT ON {t} {made}"
    "WHEN NEW.{id} / {rows} IS NOT " BLOCKS_OPEN "\n"
    BLOCKS_ADD("NEW.{id}", "NEW.{c}")
    "  INSERT INTO {_blocks}(block, f)\n"
    "  SELECT c.block, " BLOCKS_FILTER("")
    "  FROM (SELECT DISTINCT k.{id} / {rows} AS block\n"
    "    FROM {t} AS k NOT INDEXED\n"
    "    WHERE k.{id} >= " BLOCKS_OPEN " * {rows}\n"
    "      AND k.{id} < NEW.{id} / {rows} * {rows}) AS c;\n"
    "END";

static const char blocks_before_update[] =
    "BEFORE UPDATE ON {t} {made}" BLOCKS_UPDATED
    "{inputs}\n" BLOCKS_ADD("NEW.{id}", "{before}") "END";

static const char blocks_after_update[] =
    "AFTER UPDATE ON {t} {made}" BLOCKS_UPDATED
    "\n" BLOCKS_ADD("NEW.{id}", "NEW.{c}") "END";

static const char blocks_before[] =
    "-- Makes, fills and keeps a filter of {t}.{c}\n"
    "-- for each block of {rows} rows. Written by\n"
    "-- {call}. Run it again\n"
    "-- after a migration, or when {_blocks_check} says so.\n"
    "SAVEPOINT bloom;\n"
    "\n"
    "DROP VIEW IF EXISTS main.{_spans};\n"
    "DROP VIEW IF EXISTS main.{_blocks_check};\n"
    "DROP TRIGGER IF EXISTS main.{_blocks_before_insert};\n"
    "DROP TRIGGER IF EXISTS main.{_blocks_after_insert};\n"
    "DROP TRIGGER IF EXISTS main.{_blocks_before_update};\n"
    "DROP TRIGGER IF EXISTS main.{_blocks_after_update};\n"
    "-- Emptied first: no old filter stays where DROP fails.\n"
    "CREATE TABLE IF NOT EXISTS main.{_blocks}(block INTEGER PRIMARY KEY);\n"
    "DELETE FROM main.{_blocks};\n"
    "DROP TABLE main.{_blocks};\n"
    "\n"
    "CREATE TABLE main.{_blocks}( {made}"
    "  block INTEGER PRIMARY KEY, -- of the rows whose id / {rows} it is\n"
    "  f BLOB\n"
    ");\n"
    "\n"
    "-- A row that comes late, or moves into a closed block, is added to its\n"
    "-- filter. A row past the end of the open block closes it.\n" SCRIPT_TWICE;

#define BLOCKS_LAST "(SELECT max(k.{id}) / {rows} FROM main.{t} AS k)"

static const char blocks_fill[] =
    "\n"
    "-- All blocks that have rows but the last, which stays open.\n"
    "INSERT INTO main.{_blocks}(block, f)\n"
    "WITH RECURSIVE closed(block) AS (\n"
    "  SELECT min(k.{id}) / {rows} FROM main.{t} AS k WHERE k.{id} >= 0\n"
    "  UNION ALL\n"
    "  SELECT (SELECT min(k.{id}) / {rows} FROM main.{t} AS k\n"
    "      WHERE k.{id} >= (c.block + 1) * {rows})\n"
    "  FROM closed AS c\n"
    "  WHERE c.block < " BLOCKS_LAST "\n"
    ")\n"
    "SELECT c.block, " BLOCKS_FILTER("main.")
    "FROM closed AS c\n"
    "WHERE c.block < " BLOCKS_LAST ";\n";

static const char blocks_views[] =
    "\n"
    "-- Every row is in one of these spans: the closed blocks; what follows a\n"
    "-- closed block up to the next one, or to the end; and what comes before\n"
    "-- the first. A NULL excludes nothing. Where a trigger is missing, one\n"
    "-- span has all rows.\n"
    "CREATE VIEW main.{_spans}(first, last, f) AS {made}"
    "SELECT b.block * {rows}, b.block * {rows} + {rows} - 1, b.f\n"
    "FROM {_blocks} AS b WHERE {kept}\n"
    "UNION ALL\n"
    "SELECT (b.block + 1) * {rows},\n"
    "  ifnull((SELECT min(n.block) * {rows} - 1 FROM {_blocks} AS n\n"
    "      WHERE n.block > b.block), 9223372036854775807), NULL\n"
    "FROM {_blocks} AS b\n"
    "WHERE NOT EXISTS (SELECT 1 FROM {_blocks} AS n\n"
    "    WHERE n.block = b.block + 1)\n"
    "  AND {kept}\n"
    "UNION ALL\n"
    "SELECT -9223372036854775808,\n"
    "  ifnull((SELECT min(n.block) * {rows} - 1 FROM {_blocks} AS n),\n"
    "    9223372036854775807), NULL\n"
    "WHERE {kept}\n"
    "UNION ALL\n"
    "SELECT -9223372036854775808, 9223372036854775807, NULL\n"
    "WHERE ({kept}) IS NOT 1;\n"
    "\n"
    "-- What is wrong.\n"
    "CREATE VIEW main.{_blocks_check}(problem) AS {made}" SCRIPT_CHECK_TRIGGERS
    "UNION ALL\n"
    "SELECT 'no filter for ' || w.blocks || ' of the blocks, the first is '\n"
    "  || w.block\n"
    "  || " SCRIPT_RUN_AGAIN
    "FROM (SELECT count(*) AS blocks, min(b.block) AS block\n"
    "    FROM {_blocks} AS b WHERE b.f IS NULL) AS w\n"
    "WHERE w.blocks > 0\n"
    "UNION ALL\n"
    "SELECT 'more keys than room in ' || w.blocks || ' of the blocks, some '\n"
    "  || w.keys || ' for ' || w.room || ' in block ' || w.block ||\n"
    "  ', which lets ' || round(100 * i.false_positive_rate, 1) ||\n"
    "  ' % of absent keys through' || " SCRIPT_RUN_AGAIN
    "FROM (SELECT count(*) AS blocks, max(i.keys) AS keys, b.block AS block,\n"
    "      i.bits / {bits} AS room, b.f AS f\n"
    "    FROM {_blocks} AS b, bloom_info(b.f) AS i\n"
    "    WHERE i.keys > i.bits / {bits} * 1.5 AND i.bits > 64) AS w,\n"
    "  bloom_info(w.f) AS i;\n"
    "\n"
    "RELEASE bloom;\n"
    "\n"
    "-- To ask for the rows of one key:\n"
    "--\n"
    "--   SELECT k.* FROM {_spans} AS s\n"
    "--   CROSS JOIN {t} AS k NOT INDEXED\n"
    "--     ON k.{id} BETWEEN s.first AND s.last\n"
    "--   WHERE bloom_may_match(:key, s.f) AND k.{c} = :key;\n"
    "--\n"
    "-- Is anything wrong? No row, if all is well:\n"
    "--\n"
    "--   SELECT problem FROM {_blocks_check};\n"
    "--\n"
    "-- To remove it all:\n"
    "--\n"
    "--   DROP VIEW {_spans};\n"
    "--   DROP VIEW {_blocks_check};\n"
    "--   DROP TRIGGER {_blocks_before_insert};\n"
    "--   DROP TRIGGER {_blocks_after_insert};\n"
    "--   DROP TRIGGER {_blocks_before_update};\n"
    "--   DROP TRIGGER {_blocks_after_update};\n"
    "--   DROP TABLE {_blocks};\n";

static const script_template blocks_template = {
    .objects = {"blocks", "spans", "blocks_check"},
    .triggers = {{"blocks_before_insert", blocks_before_insert},
                 {"blocks_after_insert", blocks_after_insert},
                 {"blocks_before_update", blocks_before_update},
                 {"blocks_after_update", blocks_after_update}},
    .sql = {blocks_before, blocks_fill, blocks_views},
};

#endif
