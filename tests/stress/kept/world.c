/* The current world: a kept table, its twin, and their connections. */
#include <unistd.h>

#include "kept.h"
#include "lib/random.h"
#include "plant.h"

kept_world world;
kept_counts counts;

static char wrong[1000];

size_t draw_below(size_t n) {
  return (size_t)(random_next(&world.random) % n);
}

int fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  if (wrong[0] == '\0') {
    vsnprintf(wrong, sizeof(wrong), format, arguments);
    wrong[strcspn(wrong, "\n")] = '\0';
  }
  va_end(arguments);
  return 0;
}

const char *failure(void) {
  return wrong;
}

void trace(const char *runner, const char *sql) {
  if (getenv("TRACE") != NULL) fprintf(stderr, "%s: %s;\n", runner, sql);
}

void trace_statement(const char *runner, sqlite3_stmt *statement) {
  if (getenv("TRACE") == NULL) return;
  char *sql = sqlite3_expanded_sql(statement);
  trace(runner, sql);
  sqlite3_free(sql);
}

/* ---- Statements. */

sqlite3 *writable(void) {
  return world.kept[world.writer >= 0 ? world.writer : world.reader == 0];
}

int both(const char *sql) {
  sqlite3 *db = writable();
  char *text = expanded(world.table, sql, "");
  trace("both", text);
  const int kept = sqlite3_exec(db, text, NULL, NULL, NULL);
  const int twin = sqlite3_exec(world.twin, text, NULL, NULL, NULL);
  const int same = kept == twin;
  if (!same) {
    fail("%s: %s, the twin: %s", text, sqlite3_errmsg(db),
         sqlite3_errmsg(world.twin));
  }
  sqlite3_free(text);
  return same && kept == SQLITE_OK;
}

/* ---- The filters. */

static int make_filter(const kept_table *table, sqlite3 *db, const char *call) {
  char *sql = sqlite3_mprintf("SELECT %s", call);
  sqlite3_stmt *statement = prepare(db, sql);
  sqlite3_bind_text(statement, 1, table->name, -1, SQLITE_STATIC);
  sqlite3_bind_text(statement, 2, table->column, -1, SQLITE_STATIC);
  trace("make", call);
  const int made = sqlite3_step(statement) == SQLITE_ROW;
  if (!made) fail("%s of %s: %s", call, table->name, sqlite3_errmsg(db));
  sqlite3_finalize(statement);
  sqlite3_free(sql);
  return made;
}

static int make_filters_of(const kept_table *table) {
  sqlite3 *db = writable();
  return make_filter(table, db, "bloom_create_parts(?1, ?2)") &&
         ((table->flags & NO_BLOCKS) ||
          make_filter(table, db, "bloom_create_blocks(?1, ?2, 10, 16)"));
}

int make_filters(void) {
  counts.made++;
  return make_filters_of(world.table) &&
         (!(world.table->flags & SECOND_COLUMN) ||
          make_filters_of(&world.second));
}

/* ---- Beginning and end. */

static const char *file_name(void) {
  static char name[100];
  if (name[0] == '\0') {
    snprintf(name, sizeof(name), "/tmp/kept-%ld.db", (long)getpid());
  }
  return name;
}

static void open_connections(void) {
  const int two = (world.table->flags & TWO_CONNECTIONS) != 0;
  world.connections = two ? 2 : 1;
  for (int i = 0; i < world.connections; i++) {
    world.kept[i] =
        open_with(two ? file_name() : ":memory:", planted_extension());
    run(world.kept[i],
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;"
        "PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF");
  }
  if (sqlite3_open(":memory:", &world.twin) != SQLITE_OK) exit(1);
  run(world.twin, "PRAGMA foreign_keys = ON");
}

/* What the table refers to, and what triggers of others use. */
static void make_other_tables(void) {
  both(
      "CREATE TABLE other(mode); INSERT INTO other VALUES(0);"
      "CREATE TABLE taken(one UNIQUE); INSERT INTO taken VALUES(1)");
  both(
      "CREATE TABLE parent(k PRIMARY KEY ON CONFLICT IGNORE);"
      "INSERT INTO parent WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL"
      "  SELECT i + 1 FROM n WHERE i < 700) SELECT 'key ' || i FROM n;"
      "INSERT INTO parent VALUES('nobody');"
      "CREATE TABLE place(id INTEGER PRIMARY KEY);"
      "INSERT INTO place WITH RECURSIVE n(i) AS (SELECT -400 UNION ALL"
      "  SELECT i + 1 FROM n WHERE i < 800) SELECT i FROM n");
}

int begin_world(int n, uint64_t seed) {
  world = (kept_world){
      .number = n,
      .table = table_of(n),
      .second = *table_of(n),
      .ids = (enum id_range)(n % ID_RANGES),
      .writer = NO_CONNECTION,
      .reader = NO_CONNECTION,
      .random = seed + (uint64_t)n,
  };
  world.second.column = "n";
  wrong[0] = '\0';
  /* The ids that SQLite chooses at random are the same in each run, too. */
  sqlite3_test_control(SQLITE_TESTCTRL_PRNG_SEED, 1 + n, NULL);
  remove_database(file_name());
  open_connections();
  make_other_tables();
  both(world.table->create);
  make_others(0);
  if (wrong[0] != '\0' || !make_filters()) return 0;
  make_others(1);
  prepare_lookups();
  return 1;
}

void end_world(void) {
  finalize_changes();
  finalize_lookups();
  for (int c = 0; c < world.connections; c++) sqlite3_close(world.kept[c]);
  sqlite3_close(world.twin);
  remove_database(file_name());
}
