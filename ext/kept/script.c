#include "script.h"

#include <string.h>

/* Does what a row says, except that a text in the column "run" is copied to
** *next, which the caller frees. */
static bool take_row(sqlite3_context *context, sqlite3_stmt *row, char **next,
                     sqlite3_int64 *objects) {
  for (int i = 0; i < sqlite3_column_count(row); i++) {
    const char *name = sqlite3_column_name(row, i);
    if (name == NULL) return sql_no_memory(context);
    if (sqlite3_column_type(row, i) == SQLITE_NULL) continue;
    const char *text = (const char *)sqlite3_column_text(row, i);
    if (text == NULL) return sql_no_memory(context);
    if (strcmp(name, "error") == 0) {
      return sql_error(context, SQLITE_ERROR, "%s", text);
    }
    if (strcmp(name, "run") == 0) {
      sqlite3_free(*next);
      *next = sqlite3_mprintf("%s", text);
      if (*next == NULL) return sql_no_memory(context);
    } else {
      *objects = sqlite3_column_int64(row, i);
    }
  }
  return true;
}

/* Steps through a statement, finalizes it, and runs the SQL that it returned. A
** table can only be dropped while no statement reads, including the guard. */
static bool run_statement(sqlite3_context *context, sql_transaction *t,
                          sqlite3_stmt *statement, sqlite3_int64 *objects) {
  if (sqlite3_strnicmp(sqlite3_sql(statement), "DROP TABLE", 10) == 0) {
    sqlite3_reset(t->guard);
  }
  char *next = NULL;
  bool done = true;
  int rc = SQLITE_ROW;
  while (done && (rc = sqlite3_step(statement)) == SQLITE_ROW) {
    done = take_row(context, statement, &next, objects);
  }
  if (done && rc != SQLITE_DONE) done = sql_failed(context, rc);
  sqlite3_finalize(statement);
  if (done && next != NULL) done = sql_run(context, t, next, objects);
  sqlite3_free(next);
  return done;
}

bool sql_run(sqlite3_context *context, sql_transaction *t, const char *sql,
             sqlite3_int64 *objects) {
  sqlite3 *db = sqlite3_context_db_handle(context);
  while (*sql != '\0') {
    sqlite3_stmt *statement;
    const int rc = sqlite3_prepare_v2(db, sql, -1, &statement, &sql);
    if (rc != SQLITE_OK) return sql_failed(context, rc);
    if (!run_statement(context, t, statement, objects)) return false;
  }
  return true;
}
