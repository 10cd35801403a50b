/*
** bloom_build_kept(table, column, parts, bits_per_key, capacity), which a
** filter in parts asks when its parts grow: the handle of bloom_build_parts
** over all keys of the table. A trigger on another table may not name the table
** itself, since every rebuild of the table would then be an error. NULL if no
** such filter grows, if it is not kept, or if it cannot be told which of two
** databases has it.
*/
#include "../filter.h"
#include "../statement.h"
#include "column.h"
#include "failure.h"
#include "kept.h"

typedef struct growing {
  const char *names[3]; /* the form, the table and the column */
  int schemas;          /* that have such a filter whose parts grow */
  char *schema;         /* the last of these, if it is kept there */
} growing;

/* Looks whether the parts grow in a schema: row -1 is there. */
static int look_for_growth(sqlite3 *db, const char *schema, void *data) {
  growing *g = data;
  sqlite3_stmt *row;
  bool has_table;
  char *problem;
  char *sql =
      sqlite3_mprintf("SELECT 1 FROM \"%w\".\"%w_%w_%w\" WHERE part = -1",
                      schema, g->names[1], g->names[2], g->names[0]);
  int rc = sql_prepare(db, sql, &row);
  if (rc == SQLITE_ERROR) return SQLITE_OK; /* there is no such table */
  if (rc == SQLITE_OK) rc = sqlite3_step(row);
  sqlite3_finalize(row);
  if (rc != SQLITE_ROW) return rc == SQLITE_DONE ? SQLITE_OK : rc;
  rc = sql_find_problem(db, schema, g->names, &has_table, &problem);
  g->schemas++;
  sqlite3_free(g->schema);
  g->schema = NULL;
  if (rc == SQLITE_OK && problem == NULL) {
    g->schema = sqlite3_mprintf("%s", schema);
    if (g->schema == NULL) rc = SQLITE_NOMEM;
  }
  sqlite3_free(problem);
  return rc;
}

/* Opens a filter of a statement that is about to end for the running one. */
static void open_again(sqlite3_context *context, sqlite3_int64 handle) {
  sql_open_filter *filter = sql_take_filter(sql_handles_of(context), handle);
  sql_statement_id id;
  if (filter != NULL && sql_identify_statement(context, &id) &&
      sql_open_parts(context, id, &filter, &handle)) {
    sqlite3_result_int64(context, handle);
  }
  sqlite3_free(filter);
}

/* Builds the filter of a column. Arguments that are not integers are 0, which
** is an error. */
static void build_column(sqlite3_context *context, const growing *g,
                         sqlite3_value **argv) {
  sqlite3 *db = sqlite3_context_db_handle(context);
  sqlite3_stmt *row = NULL;
  int rc = sql_may_read(db, g->schema, g->names[1], g->names[2]);
  if (rc == SQLITE_OK) {
    /* Numbers in the SQL cost less for each row than parameters. */
    rc = sql_first_row(
        db,
        sqlite3_mprintf("SELECT bloom_build_parts(k.\"%w\", %lld, %lld, %lld) "
                        "FROM (SELECT 1) LEFT JOIN \"%w\".\"%w\" AS k",
                        g->names[2], sqlite3_value_int64(argv[2]),
                        sqlite3_value_int64(argv[3]),
                        sqlite3_value_int64(argv[4]), g->schema, g->names[1]),
        &row);
  }
  if (rc != SQLITE_ROW) {
    sql_failed(context, rc);
  } else if (sqlite3_column_type(row, 0) == SQLITE_INTEGER) {
    open_again(context, sqlite3_column_int64(row, 0));
  }
  sqlite3_finalize(row);
}

void sql_build_kept_function(sqlite3_context *context, int argc,
                             sqlite3_value **argv) {
  (void)argc;
  growing g = {.names = {sql_kept_parts.noun}};
  if (!sql_names_argument(context, argv, g.names + 1)) return;
  const int rc =
      sql_each_schema(sqlite3_context_db_handle(context), look_for_growth, &g);
  if (rc != SQLITE_OK && rc != SQLITE_AUTH) {
    sql_failed(context, rc);
  } else if (rc == SQLITE_OK && g.schemas == 1 && g.schema != NULL) {
    build_column(context, &g, argv);
  }
  sqlite3_free(g.schema);
}
