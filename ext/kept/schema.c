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

int sql_look_up(sqlite3 *db, const sql_kept_values *given, sqlite3_stmt **row,
                sql_kept_values *values) {
  int rc = sql_prepare_word(db, given, "column", row);
  if (rc == SQLITE_OK) rc = sqlite3_step(*row);
  if (rc != SQLITE_ROW) return rc;
  values->bits_per_key = sqlite3_column_int64(*row, 7);
  values->number = sqlite3_column_int64(*row, 8);
  if (sqlite3_column_type(*row, 0) != SQLITE_NULL) return SQLITE_ROW;
  char **const texts[] = {&values->table, &values->column, &values->id,
                          &values->first};
  for (int i = 0; i < 4; i++) {
    if (sqlite3_column_type(*row, 3 + i) == SQLITE_NULL) continue;
    const unsigned char *text = sqlite3_column_text(*row, 3 + i);
    if (text != NULL) *texts[i] = sqlite3_mprintf("%s", text);
    if (*texts[i] == NULL) return SQLITE_NOMEM;
  }
  return SQLITE_OK;
}

static bool collation_serves(sqlite3_context *context, sqlite3_value *argument,
                             const sql_kept_values *values) {
  sqlite3 *db = sqlite3_context_db_handle(context);
  const char *collation = NULL;
  if (sqlite3_table_column_metadata(db, "main", values->table, values->column,
                                    NULL, &collation, NULL, NULL, NULL)) {
    return sql_failed(context, sqlite3_errcode(db));
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
  sqlite3_stmt *row;
  const int rc =
      sql_look_up(sqlite3_context_db_handle(context), &given, &row, values);
  if (rc == SQLITE_ROW) {
    wrong_argument(context, row, argv);
  } else if (rc != SQLITE_OK) {
    sql_failed(context, rc);
  }
  sqlite3_finalize(row);
  return rc == SQLITE_OK && collation_serves(context, argv[1], values);
}

void sql_free_values(sql_kept_values *values) {
  sqlite3_free(values->table);
  sqlite3_free(values->column);
  sqlite3_free(values->id);
  sqlite3_free(values->first);
}
