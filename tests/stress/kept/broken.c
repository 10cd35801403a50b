/* What is broken on purpose: no row is lost by it, the check views report it,
** and making the filters again repairs it. */
#include "kept.h"

static int is_repaired(void) {
  return make_filters() && all_is_well();
}

/* Changes without checks of the whole table. */
static int burst(void) {
  int well = 1;
  for (int i = 0; well && i < 40; i++) well = change_rows(1);
  return well && is_none_lost(world.table, world.kept[0]);
}

/* ---- The check views. */

/* How many problems in the check views of a table contain a name. */
static sqlite3_int64 problems_of(const kept_table *table, const char *name) {
  static const char *const queries[] = {
      "SELECT count(*) FROM {_parts_check} WHERE instr(problem, ?1)",
      "SELECT count(*) FROM {_blocks_check} WHERE instr(problem, ?1)",
  };
  sqlite3_int64 n = 0;
  for (int i = 0; i < (table->flags & NO_BLOCKS ? 1 : 2); i++) {
    sqlite3_stmt *statement = prepare_for(table, world.kept[0], queries[i]);
    sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC);
    n += first_integer(statement);
    sqlite3_finalize(statement);
  }
  return n;
}

static int is_named(const char *name) {
  return problems_of(world.table, name) > 0 ||
         ((world.table->flags & SECOND_COLUMN) &&
          problems_of(&world.second, name) > 0) ||
         fail("no problem names %s", name);
}

/* ---- Each trigger dropped. */

#define MAX_TRIGGERS 64

/* The names of the extension's own triggers on the table; returns how many. */
static int own_triggers(char *names[MAX_TRIGGERS]) {
  int n = 0;
  sqlite3_stmt *rows = prepare(world.kept[0],
                               "SELECT name FROM sqlite_master"
                               " WHERE type = 'trigger' AND tbl_name = ?1"
                               " AND name NOT GLOB 'first*'"
                               " AND name NOT GLOB 'last*' ORDER BY rowid");
  sqlite3_bind_text(rows, 1, world.table->name, -1, SQLITE_STATIC);
  while (sqlite3_step(rows) == SQLITE_ROW && n < MAX_TRIGGERS) {
    names[n++] = sqlite3_mprintf("%s", sqlite3_column_text(rows, 0));
  }
  sqlite3_finalize(rows);
  return n;
}

static void free_names(char *names[], int n) {
  while (n-- > 0) sqlite3_free(names[n]);
}

static void drop_trigger(const char *name) {
  char *sql = sqlite3_mprintf("DROP TRIGGER \"%w\"", name);
  trace("kept", sql);
  run(world.kept[0], sql);
  sqlite3_free(sql);
}

/* Whether a trigger is the one that the lookup of a single key checks, in place
** of all three. A join and the spans check all of them. */
static int is_looked_for(const char *trigger) {
  char *looked_for = expanded(world.table, "{_parts_insert}", "");
  const int is = strncmp(looked_for + 1, trigger, strlen(trigger)) == 0;
  sqlite3_free(looked_for);
  return is;
}

static int none_lost_without(const char *trigger) {
  sqlite3 *db = world.kept[0];
  return holds(world.table, db, &none_lost[BY_JOIN]) &&
         (!is_looked_for(trigger) ||
          holds(world.table, db, &none_lost[BY_PART])) &&
         holds(world.table, db, &none_lost[BY_SPANS]);
}

static int each_trigger_dropped(void) {
  char *names[MAX_TRIGGERS];
  const int n = own_triggers(names);
  int well = n >= 3 || fail("%d triggers", n);
  for (int i = 0; well && i < n; i++) {
    drop_trigger(names[i]);
    for (int j = 0; j < 40; j++) change_rows(0);
    well = none_lost_without(names[i]) && is_named(names[i]) && is_repaired();
    if (!well) fail("without %s", names[i]);
  }
  free_names(names, n);
  return well;
}

/* ---- The table rebuilt as migrations do, by which it loses its triggers. */

/* A new table gets the rows, and then the name. */
static char *new_table_takes_name(void) {
  kept_table migrated = *world.table;
  migrated.name = "migrated";
  char *create = expanded(&migrated, migrated.create, "");
  char *sql = sqlite3_mprintf(
      "%s; INSERT INTO migrated({id}, {written}) SELECT {id}, {written}"
      " FROM {t}; DROP TABLE {t}; ALTER TABLE migrated RENAME TO {t}",
      create);
  sqlite3_free(create);
  return sql;
}

/* The old table is renamed first. */
static char *old_table_gives_name(void) {
  return sqlite3_mprintf(
      "ALTER TABLE {t} RENAME TO migrated; %s;"
      "INSERT INTO {t}({id}, {written}) SELECT {id}, {written} FROM migrated;"
      "DROP TABLE migrated",
      world.table->create);
}

static int rebuild(char *sql, const char *legacy_alter_table) {
  finalize_changes();
  finalize_lookups();
  both("PRAGMA foreign_keys = OFF");
  both(legacy_alter_table);
  const int well = both("BEGIN") && both(sql) && both("COMMIT");
  both("PRAGMA foreign_keys = ON");
  both("PRAGMA legacy_alter_table = OFF");
  sqlite3_free(sql);
  if (well) prepare_lookups();
  return well;
}

static int is_rebuilt(char *sql, const char *legacy_alter_table) {
  char *names[MAX_TRIGGERS];
  const int n = own_triggers(names);
  int well = rebuild(sql, legacy_alter_table) && burst();
  for (int i = 0; well && i < n; i++) well = is_named(names[i]);
  free_names(names, n);
  return well && is_repaired();
}

static int each_way_rebuilt(void) {
  static const char modern[] = "PRAGMA legacy_alter_table = OFF";
  static const char legacy[] = "PRAGMA legacy_alter_table = ON";
  return is_rebuilt(new_table_takes_name(), modern) &&
         is_rebuilt(old_table_gives_name(), modern) &&
         is_rebuilt(new_table_takes_name(), legacy) &&
         is_rebuilt(old_table_gives_name(), legacy);
}

/* ---- Rows of the filters changed by hand. */

/* Whether the handle of all parts is an error that says this. */
static int is_error(const char *says) {
  answer got;
  ask_for(world.table, world.kept[0], "SELECT filter FROM {_filter}", &got);
  return (got.code == SQLITE_ERROR && strstr(got.text, says) != NULL) ||
         fail("no error that says %s: %s", says, got.text);
}

static int part_missing(void) {
  sqlite3 *db = world.kept[0];
  run_for(world.table, db, "DELETE FROM {_parts} WHERE part = 5");
  return holds(world.table, db, &none_lost[BY_PART]) &&
         holds(world.table, db, &none_lost[BY_SPANS]) && is_told() &&
         is_error("part 5") && is_repaired();
}

static int parts_disagree(void) {
  run_for(world.table, world.kept[0],
          "UPDATE {_parts} SET parts = parts - 1 WHERE part = 3");
  return is_error("parts") && is_told() && is_repaired();
}

static int all_parts_missing(void) {
  run_for(world.table, world.kept[0], "DELETE FROM {_parts}");
  return is_none_lost(world.table, world.kept[0]) && is_told() && is_repaired();
}

static int blocks_broken(void) {
  static const char *const broken[] = {
      "DELETE FROM {_blocks} WHERE block = (SELECT max(block) FROM {_blocks})",
      "DELETE FROM {_blocks} WHERE block % 2 = 0",
      "UPDATE {_blocks} SET f = NULL WHERE block % 2 = 1",
      "DELETE FROM {_blocks}",
  };
  int well = 1;
  if (world.table->flags & NO_BLOCKS) return 1;
  for (size_t i = 0; well && i < COUNT(broken); i++) {
    run_for(world.table, world.kept[0], broken[i]);
    well = is_none_lost(world.table, world.kept[0]) && burst() && is_repaired();
    if (!well) fail("after %s", broken[i]);
  }
  return well;
}

/* At least as many parts as are broken. */
static int has_parts(void) {
  run_for(world.table, world.kept[0],
          "SELECT bloom_create_parts({'t}, {'c}, 10, 64)");
  return 1;
}

int breaks(void) {
  return has_parts() && operate(300) && settle() && each_trigger_dropped() &&
         each_way_rebuilt() && part_missing() && parts_disagree() &&
         all_parts_missing() && blocks_broken();
}
