/*
** A copy in memory of the tables that a query names, in which an index and
** ANALYZE are tried. What it reads is the connection's own; nothing is written
** there.
*/
#include <math.h>
#include <string.h>

#include "../compat.h"
#include "../statement.h"
#include "../token.h"
#include "try.h"

/* The most pages of each database of a copy: 64 MiB in SQLite's usual ones. */
#define MOST_PAGES 16384

/* How often an interrupt of the connection is looked for, in milliseconds. */
#define LOOK_MS 100

typedef struct query_copy {
  sql_advice *advice;
  sqlite3 *asks; /* the user's connection */
  sqlite3 *db;
  int rc;              /* of the first error, behind which nothing is run */
  sqlite3_stmt *alive; /* fails where the user's connection is interrupted */
  sqlite3_int64 until; /* by sql_now: when what is run in the copy is stopped */
  sqlite3_int64 next;  /* when to look for an interrupt */
  bool stopped;        /* the query was, in the copy */
  const char *schema;  /* of the table that is copied */
  sqlite3_stmt *insert; /* a row into it */
} query_copy;

/* Returns SQLITE_INTERRUPT where the user's connection was interrupted. */
static int look_for_interrupt(const query_copy *copy) {
  sqlite3_step(copy->alive);
  return sqlite3_reset(copy->alive);
}

/* What SQLite asks while it runs anything in the copy. */
static int must_stop(void *data) {
  query_copy *copy = data;
  const sqlite3_int64 now = sql_now();
  int rc = SQLITE_OK;
  if (now > copy->next) {
    copy->next = now + LOOK_MS * 1000000;
    rc = look_for_interrupt(copy);
  }
  return rc != SQLITE_OK || now > copy->until;
}

/* Runs SQL, which is freed, on the user's connection or in the copy. */
static void run_each(query_copy *copy, sqlite3 *db, char *sql,
                     int (*each)(void *data, sqlite3_stmt *row)) {
  if (copy->rc == SQLITE_OK) {
    copy->rc = sql_each_row(db, sql, each, copy);
  } else {
    sqlite3_free(sql);
  }
}

static void run(query_copy *copy, const char *sql) {
  run_each(copy, copy->db, sqlite3_mprintf("%s", sql), NULL);
}

/* ---- Tables and their rows. */

/* Makes a table, a view or an index. Behind that word comes its name, in front
** of which the schema's text has no other. A forged schema may have anything
** else. */
static int copy_object(void *data, sqlite3_stmt *row) {
  const query_copy *copy = data;
  const char *sql = sql_row_text(row, 0), *at = sql;
  const bool creates = sql_token_is(sql_next_token(&at), "CREATE");
  sql_token kind = sql_next_token(&at);
  if (sql_token_is(kind, "UNIQUE")) kind = sql_next_token(&at);
  if (!creates || !sql_token_is(kind, "TABLE VIEW INDEX"))
    return SQLITE_CORRUPT;
  return sql_each_row(
      copy->db,
      sqlite3_mprintf("%.*s \"%w\".%s", (int)(at - sql), sql, copy->schema, at),
      NULL, NULL);
}

/* Makes what the schema has of a table: itself, or its indexes. */
static void copy_schema(query_copy *copy, const mirror_table *table,
                        const char *types) {
  copy->schema = table->schema;
  run_each(copy, copy->asks,
           sqlite3_mprintf("SELECT sql FROM \"%w\".sqlite_master WHERE "
                           "tbl_name = %Q AND sql IS NOT NULL AND type IN (%s)",
                           table->schema, table->name, types),
           copy_object);
}

static int insert_row(void *data, sqlite3_stmt *row) {
  const query_copy *copy = data;
  for (int i = 0; i < sqlite3_column_count(row); i++) {
    sqlite3_bind_value(copy->insert, i + 1, sqlite3_column_value(row, i));
  }
  sqlite3_step(copy->insert);
  const int rc = sqlite3_reset(copy->insert);
  return sql_now() > copy->until ? SQLITE_ABORT : rc;
}

/* Copies the rows of a table, with their rowids. */
static void copy_rows(query_copy *copy, const mirror_table *table) {
  sqlite3_str *columns = sqlite3_str_new(NULL), *marks = sqlite3_str_new(NULL);
  const char *comma = "";
  if (table->has_rowid) {
    sqlite3_str_appendall(columns, "rowid");
    sqlite3_str_appendall(marks, "?");
    comma = ", ";
  }
  for (int i = 0; i < table->column_count; i++) {
    if (!table->columns[i].plain) continue;
    sqlite3_str_appendf(columns, "%s\"%w\"", comma, table->columns[i].name);
    sqlite3_str_appendf(marks, "%s?", comma);
    comma = ", ";
  }
  /* Without memory for one of them, it is "(null)", which no table has. */
  char *names = sqlite3_str_finish(columns);
  char *values = sqlite3_str_finish(marks);
  if (copy->rc == SQLITE_OK) {
    copy->rc =
        sql_prepare(copy->db,
                    sqlite3_mprintf("INSERT INTO \"%w\".\"%w\"(%s) VALUES(%s)",
                                    table->schema, table->name, names, values),
                    &copy->insert);
  }
  run_each(copy, copy->asks,
           sqlite3_mprintf("SELECT %s FROM \"%w\".\"%w\"", names, table->schema,
                           table->name),
           insert_row);
  sqlite3_finalize(copy->insert);
  copy->insert = NULL;
  sqlite3_free(names);
  sqlite3_free(values);
}

static bool has_statistics(sqlite3 *db, const mirror_table *table) {
  return sqlite3_table_column_metadata(db, table->schema, table->name, "tbl",
                                       NULL, NULL, NULL, NULL,
                                       NULL) == SQLITE_OK;
}

/* Copies the statistics of a database, if it has any. */
static int copy_statistics(void *data, sqlite3_stmt *row) {
  static mirror_column columns[][6] = {{{.name = "tbl", .plain = true},
                                        {.name = "idx", .plain = true},
                                        {.name = "stat", .plain = true}},
                                       {{.name = "tbl", .plain = true},
                                        {.name = "idx", .plain = true},
                                        {.name = "neq", .plain = true},
                                        {.name = "nlt", .plain = true},
                                        {.name = "ndlt", .plain = true},
                                        {.name = "sample", .plain = true}}};
  query_copy *copy = data;
  const char *schema = sql_row_text(row, 1);
  const mirror_table tables[] = {{.schema = schema,
                                  .name = "sqlite_stat1",
                                  .columns = columns[0],
                                  .column_count = 3},
                                 {.schema = schema,
                                  .name = "sqlite_stat4",
                                  .columns = columns[1],
                                  .column_count = 6}};
  if (!has_statistics(copy->asks, &tables[0])) return SQLITE_OK;
  char *load = sqlite3_mprintf("ANALYZE \"%w\".sqlite_master", schema);
  /* This makes the tables, and the second time reads them. Not every SQLite
  ** knows the second one. */
  run(copy, load);
  for (int i = 0; i < 2; i++) {
    if (has_statistics(copy->asks, &tables[i]) &&
        has_statistics(copy->db, &tables[i])) {
      copy_rows(copy, &tables[i]);
    }
  }
  run(copy, load);
  sqlite3_free(load);
  return copy->rc;
}

static int limit_database(void *data, sqlite3_stmt *row) {
  const query_copy *copy = data;
  return sql_each_row(copy->db,
                      sqlite3_mprintf("PRAGMA \"%w\".max_page_count = %d",
                                      sql_row_text(row, 1), MOST_PAGES),
                      NULL, NULL);
}

static char *list_databases(void) {
  return sqlite3_mprintf("PRAGMA database_list");
}

/* Makes all tables and views, with their rows and statistics. */
static void fill(query_copy *copy) {
  run(copy, "PRAGMA temp_store = MEMORY");
  run(copy, "PRAGMA foreign_keys = 0");
  run(copy, "PRAGMA ignore_check_constraints = 1");
  run_each(copy, copy->db, list_databases(), limit_database);
  run(copy, "BEGIN");
  for (const mirror_table *table = copy->advice->tables; table != NULL;
       table = table->next) {
    if (table->is_function || table->twin_of != NULL) continue;
    copy_schema(copy, table, "'table', 'view'");
    if (table->view == NULL) copy_rows(copy, table);
    copy_schema(copy, table, "'index'");
  }
  run_each(copy, copy->asks, list_databases(), copy_statistics);
}

/* ---- Measuring. */

/* Whether SQLite has the same plan of the query in the copy. */
static bool has_same_plan(query_copy *copy) {
  sql_advice *advice = copy->advice;
  sql_mirror reads = {.arena = &advice->arena, .asks = copy->asks};
  const sql_details *plan = &advice->details;
  sql_details details = {.count = -1};
  if (copy->rc == SQLITE_OK) {
    copy->rc = sql_read_details(&reads, copy->db, advice->plain.text, &details);
  }
  bool same = details.count == plan->count;
  for (int i = 0; same && i < plan->count; i++) {
    same = strcmp(details.rows[i], plan->rows[i]) == 0;
  }
  return same;
}

/* How long the query takes in the copy, which has a share of the time that is
** left at most: the shortest time, since a busy machine may lengthen the
** others. If its first run is stopped, how long that ran. */
static double time_query(query_copy *copy, double share) {
  sql_trial trial = {.text = copy->advice->plain.text};
  sql_trial *const trials[] = {&trial};
  copy->until = sql_in_ms(share * sql_ms_left(copy->advice));
  if (copy->rc == SQLITE_OK) copy->rc = sql_prepare_trial(copy->db, &trial);
  if (copy->rc == SQLITE_OK) copy->rc = sql_first_run(&trial, copy->until, 0);
  copy->stopped = copy->rc == SQLITE_INTERRUPT;
  if (copy->rc == SQLITE_OK) {
    copy->rc =
        sql_run_in_turn(trials, 1, fmax(100, 3 * trial.first_ms), copy->until);
  }
  sqlite3_finalize(trial.statement);
  if (copy->rc == SQLITE_INTERRUPT) copy->rc = look_for_interrupt(copy);
  return sql_shortest(&trial);
}

/* Measures the query with a remedy, which does not stay in the copy. Where that
** gains little, the query is measured again: the shorter time counts. */
static void measure(query_copy *copy, double plain_ms, sql_remedy *remedy) {
  if (remedy->sql == NULL) return;
  copy->stopped = false;
  copy->until = sql_in_ms(sql_ms_left(copy->advice) / 2);
  run(copy, "SAVEPOINT remedy");
  if (copy->rc == SQLITE_OK) {
    copy->rc = sqlite3_exec(copy->db, remedy->sql, NULL, NULL, NULL);
  }
  const bool same = has_same_plan(copy);
  const double ms = same ? plain_ms : time_query(copy, 0.5);
  run(copy, "ROLLBACK TO remedy");
  if (copy->rc != SQLITE_OK || copy->stopped || !(ms > 0)) return;
  remedy->faster = plain_ms / ms;
  if (remedy->faster > 1 && remedy->faster < 2 && has_same_plan(copy)) {
    const double again = time_query(copy, 0.3);
    if (!copy->stopped) remedy->faster = fmin(plain_ms, again) / ms;
  }
}

/* Measures both, in a copy that is open. A query that was stopped takes longer
** than it ran. */
static void measure_all(query_copy *copy) {
  sql_advice *advice = copy->advice;
  copy->until = sql_in_ms(sql_ms_left(advice) / 3);
  fill(copy);
  if (!has_same_plan(copy)) return;
  const double plain_ms = time_query(copy, 0.3);
  measure(copy, plain_ms, &advice->index);
  measure(copy, plain_ms, &advice->analyze);
}

int sql_measure_remedies(sql_advice *advice) {
  sql_mirror reads = {.arena = &advice->arena, .asks = advice->db};
  query_copy copy = {.advice = advice, .asks = advice->db};
  copy.rc =
      sql_prepare(copy.asks, sqlite3_mprintf("SELECT 1 AS alive"), &copy.alive);
  if (copy.rc == SQLITE_OK) copy.rc = sql_open_memory(&reads, &copy.db);
  if (copy.rc == SQLITE_OK && sql_watch(copy.db, must_stop, &copy)) {
    measure_all(&copy);
  }
  /* That the copy was stopped, or was too large, ends nothing else. */
  if (copy.rc == SQLITE_INTERRUPT) copy.rc = look_for_interrupt(&copy);
  sqlite3_finalize(copy.alive);
  sqlite3_close(copy.db);
  return advice->arena.no_memory ? SQLITE_NOMEM
         : sql_ends_all(copy.rc) ? copy.rc
                                 : SQLITE_OK;
}
