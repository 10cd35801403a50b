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
  sqlite3 *db;
  sqlite3_stmt *alive; /* fails where the connection that asks is interrupted */
  sqlite3_int64 until; /* by sql_now: when what is run in the copy is stopped */
  sqlite3_int64 next;  /* when to look for an interrupt */
  const mirror_table *table; /* that is copied */
  sqlite3_stmt *insert;      /* a row into it */
} query_copy;

/* Returns SQLITE_INTERRUPT where the connection that asks was interrupted. */
static int look_for_interrupt(const query_copy *copy) {
  sqlite3_step(copy->alive);
  return sqlite3_reset(copy->alive);
}

/* What SQLite asks while it runs anything in the copy. */
static int must_stop(void *data) {
  query_copy *copy = data;
  const sqlite3_int64 now = sql_now();
  if (now > copy->next) {
    copy->next = now + LOOK_MS * 1000000;
    if (look_for_interrupt(copy) != SQLITE_OK) return 1;
  }
  return now > copy->until;
}

static int run(const query_copy *copy, const char *sql) {
  return sql_each_row(copy->db, sqlite3_mprintf("%s", sql), NULL, NULL);
}

/* ---- Tables and their rows. */

/* Makes a table, a view or an index. Behind that word comes its name, in front
** of which the schema's text has no other. A forged schema may have anything
** else. */
static int copy_object(void *data, sqlite3_stmt *row) {
  const query_copy *copy = data;
  const char *sql = sql_row_text(row, 0), *at = sql;
  if (!sql_token_is(sql_next_token(&at), "CREATE")) return SQLITE_CORRUPT;
  sql_token kind = sql_next_token(&at);
  if (sql_token_is(kind, "UNIQUE")) kind = sql_next_token(&at);
  if (!sql_token_is(kind, "TABLE VIEW INDEX")) return SQLITE_CORRUPT;
  return sql_each_row(copy->db,
                      sqlite3_mprintf("%.*s \"%w\".%s", (int)(at - sql), sql,
                                      copy->table->schema, at),
                      NULL, NULL);
}

/* Makes what the schema has of a table: itself, or its indexes. */
static int copy_schema(query_copy *copy, bool indexes) {
  return sql_each_row(
      copy->advice->db,
      sqlite3_mprintf("SELECT sql FROM \"%w\".sqlite_master WHERE "
                      "tbl_name = %Q AND sql IS NOT NULL AND type %s",
                      copy->table->schema, copy->table->name,
                      indexes ? "= 'index'" : "IN ('table', 'view')"),
      copy_object, copy);
}

static int insert_row(void *data, sqlite3_stmt *row) {
  const query_copy *copy = data;
  for (int i = 0; i < sqlite3_column_count(row); i++) {
    sqlite3_bind_value(copy->insert, i + 1, sqlite3_column_value(row, i));
  }
  sqlite3_step(copy->insert);
  const int rc = sqlite3_reset(copy->insert);
  return rc == SQLITE_OK && sql_now() > copy->until ? SQLITE_ABORT : rc;
}

/* Copies the rows of a table, with their rowids. */
static int copy_rows(query_copy *copy) {
  const mirror_table *table = copy->table;
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
  char *names = sqlite3_str_finish(columns),
       *values = sqlite3_str_finish(marks);
  int rc = names == NULL || values == NULL ? SQLITE_NOMEM : SQLITE_OK;
  if (rc == SQLITE_OK) {
    rc = sql_prepare(copy->db,
                     sqlite3_mprintf("INSERT INTO \"%w\".\"%w\"(%s) VALUES(%s)",
                                     table->schema, table->name, names, values),
                     &copy->insert);
  }
  if (rc == SQLITE_OK) {
    rc = sql_each_row(copy->advice->db,
                      sqlite3_mprintf("SELECT %s FROM \"%w\".\"%w\"", names,
                                      table->schema, table->name),
                      insert_row, copy);
    sqlite3_finalize(copy->insert);
  }
  sqlite3_free(names);
  sqlite3_free(values);
  return rc;
}

/* Copies the statistics of a database, if it has any. */
static int copy_statistics(void *data, sqlite3_stmt *row) {
  static mirror_column columns[] = {{.name = "tbl", .plain = true},
                                    {.name = "idx", .plain = true},
                                    {.name = "stat", .plain = true}};
  query_copy *copy = data;
  sqlite3 *asks = copy->advice->db;
  const char *schema = sql_row_text(row, 1);
  const mirror_table statistics = {.schema = schema,
                                   .name = "sqlite_stat1",
                                   .columns = columns,
                                   .column_count = 3};
  char *load = sqlite3_mprintf("ANALYZE \"%w\".sqlite_master", schema);
  int rc = load == NULL ? SQLITE_NOMEM : SQLITE_OK;
  if (rc == SQLITE_OK &&
      sqlite3_table_column_metadata(asks, schema, "sqlite_stat1", "tbl", NULL,
                                    NULL, NULL, NULL, NULL) == SQLITE_OK) {
    copy->table = &statistics;
    rc = run(copy, load);
    if (rc == SQLITE_OK) rc = copy_rows(copy);
    if (rc == SQLITE_OK) rc = run(copy, load);
  }
  sqlite3_free(load);
  return rc;
}

static int limit_database(void *data, sqlite3_stmt *row) {
  const query_copy *copy = data;
  return sql_each_row(copy->db,
                      sqlite3_mprintf("PRAGMA \"%w\".max_page_count = %d",
                                      sql_row_text(row, 1), MOST_PAGES),
                      NULL, NULL);
}

/* Makes all tables and views, with their rows and statistics. */
static int fill(query_copy *copy) {
  static const char *const settings[] = {"PRAGMA temp_store = MEMORY",
                                         "PRAGMA foreign_keys = 0",
                                         "PRAGMA ignore_check_constraints = 1"};
  sqlite3 *asks = copy->advice->db;
  int rc = SQLITE_OK;
  for (int i = 0; rc == SQLITE_OK && i < 3; i++) rc = run(copy, settings[i]);
  if (rc == SQLITE_OK) {
    rc = sql_each_row(copy->db, sqlite3_mprintf("PRAGMA database_list"),
                      limit_database, copy);
  }
  if (rc == SQLITE_OK) rc = run(copy, "BEGIN");
  for (const mirror_table *table = copy->advice->tables;
       rc == SQLITE_OK && table != NULL; table = table->next) {
    if (table->is_function || table->twin_of != NULL) continue;
    copy->table = table;
    rc = copy_schema(copy, false);
    if (rc == SQLITE_OK && table->view == NULL) rc = copy_rows(copy);
    if (rc == SQLITE_OK) rc = copy_schema(copy, true);
  }
  return rc == SQLITE_OK
             ? sql_each_row(asks, sqlite3_mprintf("PRAGMA database_list"),
                            copy_statistics, copy)
             : rc;
}

/* ---- Measuring. */

/* Whether SQLite has the same plan of the query in the copy. */
static int has_same_plan(const query_copy *copy, bool *same) {
  sql_advice *advice = copy->advice;
  sql_mirror reads = {.arena = &advice->arena, .asks = advice->db};
  const sql_details *plan = &advice->details;
  sql_details details;
  const int rc =
      sql_read_details(&reads, copy->db, advice->plain.text, &details);
  *same = rc == SQLITE_OK && details.count == plan->count;
  for (int i = 0; *same && i < plan->count; i++) {
    *same = strcmp(details.rows[i], plan->rows[i]) == 0;
  }
  return rc;
}

/* Runs the query in the copy, for a share of the time that is left at most. *ms
** is the shortest time that it took, since a busy machine may lengthen the
** others; or if it is stopped, how long it ran. */
static int time_query(query_copy *copy, double share, double *ms) {
  sql_trial trial = {.text = copy->advice->plain.text};
  sql_trial *const trials[] = {&trial};
  copy->until = sql_in_ms(share * sql_ms_left(copy->advice));
  int rc = sql_prepare_trial(copy->db, &trial);
  if (rc == SQLITE_OK) rc = sql_first_run(&trial, copy->until, 0);
  *ms = trial.first_ms;
  if (rc == SQLITE_OK && !trial.stopped) {
    rc = sql_run_in_turn(trials, 1, 100, copy->until);
    if (sql_median(&trial) > 0) *ms = trial.times[0];
  }
  sqlite3_finalize(trial.statement);
  return rc;
}

/* Measures the query with a remedy, which does not stay in the copy. */
static int measure(query_copy *copy, double plain_ms, sql_remedy *remedy) {
  double ms = 0;
  bool same = false;
  if (remedy->sql == NULL) return SQLITE_OK;
  copy->until = sql_in_ms(sql_ms_left(copy->advice) / 2);
  int rc = run(copy, "SAVEPOINT remedy");
  if (rc == SQLITE_OK) rc = run(copy, remedy->sql);
  if (rc == SQLITE_OK) rc = has_same_plan(copy, &same);
  if (rc == SQLITE_OK && !same) rc = time_query(copy, 0.5, &ms);
  if (rc == SQLITE_OK && (same || ms > 0)) {
    remedy->faster = same ? 1 : plain_ms / ms;
  }
  if (rc == SQLITE_OK) rc = run(copy, "ROLLBACK TO remedy");
  return rc;
}

/* Measures both, in a copy that is open. */
static int measure_all(query_copy *copy) {
  sql_advice *advice = copy->advice;
  double plain_ms = 0;
  bool same = false;
  copy->until = sql_in_ms(sql_ms_left(advice) / 3);
  int rc = fill(copy);
  if (rc == SQLITE_OK) rc = has_same_plan(copy, &same);
  if (rc != SQLITE_OK || !same) return rc;
  rc = time_query(copy, 0.3, &plain_ms);
  /* A query that was stopped takes longer than it ran. */
  if (rc != SQLITE_OK && rc != SQLITE_INTERRUPT) return rc;
  rc = measure(copy, plain_ms, &advice->index);
  return rc == SQLITE_OK ? measure(copy, plain_ms, &advice->analyze) : rc;
}

int sql_measure_remedies(sql_advice *advice) {
  sql_mirror reads = {.arena = &advice->arena, .asks = advice->db};
  query_copy copy = {.advice = advice};
  int rc = sql_open_memory(&reads, &copy.db);
  if (rc == SQLITE_OK) {
    rc = sql_prepare(advice->db, sqlite3_mprintf("SELECT 1"), &copy.alive);
  }
  if (rc == SQLITE_OK && sql_watch(copy.db, must_stop, &copy)) {
    rc = measure_all(&copy);
  }
  /* That the copy was interrupted, or was too large, ends nothing else. */
  if (rc != SQLITE_NOMEM && copy.alive != NULL) rc = look_for_interrupt(&copy);
  sqlite3_finalize(copy.alive);
  sqlite3_close(copy.db);
  if (advice->arena.no_memory) return SQLITE_NOMEM;
  return sql_ends_all(rc) ? rc : SQLITE_OK;
}
