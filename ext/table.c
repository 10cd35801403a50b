#include "table.h"

#include <string.h>

#include "compat.h"

/* A table in one connection. SQLite keeps its registration longer than any of
** its rows, but may free it before it disconnects the table. */
typedef struct connected_table {
  sqlite3_vtab base;
  sqlite3 *db;
  const sql_registration *registration;
  const sql_table *table;
  sql_handles *handles;
} connected_table;

static const sql_table *table_of(const sql_registration *registration) {
  return registration->function->data;
}

static int table_connect(sqlite3 *db, void *data, int argc,
                         const char *const *argv, sqlite3_vtab **table,
                         char **error) {
  (void)argc, (void)argv, (void)error;
  const sql_registration *registration = data;
  const int rc = sqlite3_declare_vtab(db, table_of(registration)->declaration);
  if (rc != SQLITE_OK) return rc;
  connected_table *connected = sqlite3_malloc64(sizeof(*connected));
  if (connected == NULL) return SQLITE_NOMEM;
  *connected = (connected_table){.db = db,
                                 .registration = registration,
                                 .table = table_of(registration),
                                 .handles = registration->handles};
  sql_retain_handles(connected->handles);
  if (connected->table->hold != NULL) {
    connected->table->hold(connected->handles, true);
  }
  *table = &connected->base;
  sql_vtab_risk(db, registration->function->direct_only);
  return SQLITE_OK;
}

static int table_disconnect(sqlite3_vtab *base) {
  connected_table *connected = (connected_table *)base;
  if (connected->table->hold != NULL) {
    connected->table->hold(connected->handles, false);
  }
  sql_release_handles(connected->handles);
  sqlite3_free(connected);
  return SQLITE_OK;
}

/* The only plan is that the columns of the arguments equal the values that are
** given. idxNum has a bit for each of them. */
static int table_best_index(sqlite3_vtab *base, sqlite3_index_info *info) {
  const sql_table *table =
      table_of(((const connected_table *)base)->registration);
  int given = 0;
  for (int argument = 0; argument < table->arguments; argument++) {
    for (int i = 0; i < info->nConstraint; i++) {
      if (info->aConstraint[i].iColumn != table->columns + argument ||
          info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ) {
        continue;
      }
      if (!info->aConstraint[i].usable) return SQLITE_CONSTRAINT;
      info->aConstraintUsage[i].argvIndex = ++given;
      info->aConstraintUsage[i].omit = 1;
      info->idxNum |= 1 << argument;
      break;
    }
  }
  info->estimatedCost = 1e6;
  if (table->one_row) {
    info->estimatedCost = 1;
    info->estimatedRows = 1;
    info->idxFlags = SQLITE_INDEX_SCAN_UNIQUE;
  }
  return SQLITE_OK;
}

static int table_open(sqlite3_vtab *base, sqlite3_vtab_cursor **cursor) {
  const connected_table *connected = (const connected_table *)base;
  const size_t size = table_of(connected->registration)->rows_size;
  sql_rows *rows = sqlite3_malloc64(size);
  if (rows == NULL) return SQLITE_NOMEM;
  memset(rows, 0, size);
  rows->db = connected->db;
  rows->registration = connected->registration;
  *cursor = &rows->base;
  return SQLITE_OK;
}

static int table_close(sqlite3_vtab_cursor *cursor) {
  sql_rows *rows = (sql_rows *)cursor;
  table_of(rows->registration)->end(rows);
  sqlite3_free(rows);
  return SQLITE_OK;
}

static int table_next(sqlite3_vtab_cursor *cursor) {
  sql_rows *rows = (sql_rows *)cursor;
  rows->number++;
  const int rc = table_of(rows->registration)->next(rows);
  rows->ended = rc != SQLITE_ROW;
  return rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static int table_filter(sqlite3_vtab_cursor *cursor, int given,
                        const char *text, int argc, sqlite3_value **argv) {
  (void)text, (void)argc;
  sql_rows *rows = (sql_rows *)cursor;
  const sql_table *table = table_of(rows->registration);
  sqlite3_value *arguments[MAX_TABLE_ARGUMENTS] = {NULL};
  for (int argument = 0; argument < table->arguments; argument++) {
    if (given >> argument & 1) arguments[argument] = *argv++;
  }
  table->end(rows);
  memset(rows + 1, 0, table->rows_size - sizeof(*rows));
  rows->number = 0;
  /* Else a query that calls itself would use up the stack. */
  bool *running = &rows->registration->handles->running;
  if (table->runs_queries && *running) {
    return sql_rows_error(
        rows, SQLITE_ERROR,
        sqlite3_mprintf("it cannot be called in a query that bloom_compare or "
                        "bloom_advise runs"));
  }
  *running |= table->runs_queries;
  const int rc = table->begin(rows, arguments);
  *running &= !table->runs_queries;
  return rc == SQLITE_OK ? table_next(cursor) : rc;
}

static int table_eof(sqlite3_vtab_cursor *cursor) {
  return ((const sql_rows *)cursor)->ended;
}

static int table_column(sqlite3_vtab_cursor *cursor, sqlite3_context *context,
                        int column) {
  const sql_rows *rows = (const sql_rows *)cursor;
  table_of(rows->registration)->column(rows, context, column);
  return SQLITE_OK;
}

static int table_rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *rowid) {
  *rowid = ((const sql_rows *)cursor)->number;
  return SQLITE_OK;
}

/* It has no xCreate, so it is an eponymous-only virtual table. */
const sqlite3_module sql_table_module = {
    .xConnect = table_connect,
    .xBestIndex = table_best_index,
    .xDisconnect = table_disconnect,
    .xOpen = table_open,
    .xClose = table_close,
    .xFilter = table_filter,
    .xNext = table_next,
    .xEof = table_eof,
    .xColumn = table_column,
    .xRowid = table_rowid,
};

int sql_rows_error(sql_rows *rows, int code, char *text) {
  char *message = sql_message(rows->registration->function->name, text);
  if (message == NULL) return SQLITE_NOMEM;
  rows->base.pVtab->zErrMsg = message;
  return code;
}

void sql_table_function(sqlite3_context *context, int argc,
                        sqlite3_value **argv) {
  (void)argc, (void)argv;
  const sql_table *table = sql_function_data(context);
  sql_error(context, SQLITE_ERROR, "it is a table: SELECT * FROM %s",
            table->example);
}
