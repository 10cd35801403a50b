#include "schema.h"

#include <string.h>

#include "transaction.h"

static bool is_plain(const char *name) {
  for (; *name != '\0'; name++) {
    if ((unsigned char)*name < ' ' || *name == 0x7f) return false;
  }
  return true;
}

bool sql_name_argument(sqlite3_context *context, const char *argument,
                       const char *must_be, sqlite3_value *value,
                       const char **name) {
  if (sqlite3_value_type(value) != SQLITE_TEXT) {
    return sql_argument_error(context, argument, must_be, value, NULL);
  }
  *name = (const char *)sqlite3_value_text(value);
  if (*name == NULL) return sql_no_memory(context);
  if (strlen(*name) != (size_t)sqlite3_value_bytes(value) || !is_plain(*name)) {
    return sql_argument_error(context, argument,
                              "a name without control characters", value, NULL);
  }
  return true;
}

/* Copies a TEXT, which the caller frees; *copy stays NULL if the column is
** NULL. On failure it makes an error the result and returns false. */
static bool copy_text(sqlite3_context *context, sqlite3_stmt *row, int column,
                      char **copy) {
  if (sqlite3_column_type(row, column) == SQLITE_NULL) return true;
  const unsigned char *text = sqlite3_column_text(row, column);
  if (text != NULL) *copy = sqlite3_mprintf("%s", text);
  if (*copy == NULL) sqlite3_result_error_nomem(context);
  return *copy != NULL;
}

/* Makes the error that a row of {column} describes the result. */
static bool wrong_argument(sqlite3_context *context, sqlite3_stmt *row,
                           sqlite3_value **argv) {
  const int i = sqlite3_column_int(row, 0);
  const char *argument = i == 0 ? "table" : "column";
  const char *must_be = (const char *)sqlite3_column_text(row, 1);
  const char *more = (const char *)sqlite3_column_text(row, 2);
  if (must_be == NULL || more == NULL) return sql_no_memory(context);
  return sql_argument_error(context, argument, must_be, argv[i], more);
}

/* Sets *values to what {column} finds, given the names of the arguments. */
static bool look_up(sqlite3_context *context, const sql_kept_values *given,
                    sqlite3_value **argv, sql_kept_values *values) {
  sqlite3_stmt *row = NULL;
  char *sql = sql_expand(context, given, "column");
  if (sql == NULL) return false;
  bool found = false;
  if (sqlite3_prepare_v2(sqlite3_context_db_handle(context), sql, -1, &row,
                         NULL) != SQLITE_OK ||
      sqlite3_step(row) != SQLITE_ROW) {
    sql_connection_error(context);
  } else if (sqlite3_column_type(row, 0) != SQLITE_NULL) {
    wrong_argument(context, row, argv);
  } else {
    found = copy_text(context, row, 3, &values->table) &&
            copy_text(context, row, 4, &values->column) &&
            copy_text(context, row, 5, &values->id);
    values->bits_per_key = sqlite3_column_int64(row, 6);
    values->number = sqlite3_column_int64(row, 7);
  }
  sqlite3_finalize(row);
  sqlite3_free(sql);
  return found;
}

static bool collation_serves(sqlite3_context *context, sqlite3_value *argument,
                             const sql_kept_values *values) {
  const char *collation = NULL;
  if (sqlite3_table_column_metadata(sqlite3_context_db_handle(context), "main",
                                    values->table, values->column, NULL,
                                    &collation, NULL, NULL, NULL)) {
    sql_connection_error(context);
    return false;
  }
  if (sqlite3_stricmp(collation, "BINARY") == 0) return true;
  const char *form = "whose values are equal where those of this one are";
  if (sqlite3_stricmp(collation, "NOCASE") == 0) form = "lower(NAME)";
  if (sqlite3_stricmp(collation, "RTRIM") == 0) form = "rtrim(NAME)";
  char more[200];
  sqlite3_snprintf(
      sizeof(more), more,
      ", whose collation is %.40s: instead, filter a generated column %s",
      collation, form);
  return sql_argument_error(context, "column", "a column of collation BINARY",
                            argument, more);
}

bool sql_find_column(sqlite3_context *context, sqlite3_value **argv,
                     sql_kept_values *values) {
  const char *table, *column;
  if (!sql_name_argument(context, "table", "the name of a table in main",
                         argv[0], &table) ||
      !sql_name_argument(context, "column",
                         "the name of a column of that table", argv[1],
                         &column)) {
    return false;
  }
  const sql_kept_values given = {
      .form = values->form, .table = (char *)table, .column = (char *)column};
  return look_up(context, &given, argv, values) &&
         collation_serves(context, argv[1], values);
}

void sql_free_values(sql_kept_values *values) {
  sqlite3_free(values->table);
  sqlite3_free(values->column);
  sqlite3_free(values->id);
}
