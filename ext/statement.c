#include "statement.h"

int sql_prepare(sqlite3 *db, char *sql, sqlite3_stmt **statement) {
  *statement = NULL;
  const int rc = sql == NULL ? SQLITE_NOMEM
                             : sqlite3_prepare_v2(db, sql, -1, statement, NULL);
  sqlite3_free(sql);
  return rc;
}

int sql_first_row(sqlite3 *db, char *sql, sqlite3_stmt **row) {
  const int rc = sql_prepare(db, sql, row);
  return rc == SQLITE_OK ? sqlite3_step(*row) : rc;
}

int sql_each_row(sqlite3 *db, char *sql,
                 int (*each)(void *data, sqlite3_stmt *row), void *data) {
  sqlite3_stmt *row;
  int rc = sql_first_row(db, sql, &row);
  while (rc == SQLITE_ROW) {
    rc = each == NULL ? SQLITE_OK : each(data, row);
    if (rc == SQLITE_OK) rc = sqlite3_step(row);
  }
  const int end = sqlite3_finalize(row);
  return rc == SQLITE_DONE || end == SQLITE_NOMEM ? end : rc;
}

const char *sql_row_text(sqlite3_stmt *row, int column) {
  const char *text = (const char *)sqlite3_column_text(row, column);
  return text == NULL ? "" : text;
}
