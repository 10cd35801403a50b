/*
** bloom_check([table [, column]]), a table of what is wrong with the kept
** filters of main, or with those of one table or column:
**
**  (1)  "table", "column" and form ('parts' or 'blocks') are those of a filter,
**       as it was made, and problem says what is wrong with it. No row means
**       that no row of these tables is lost.
**  (2)  A problem ends with the call that repairs it, or says that none would.
**  (3)  The filters are found by their marks: see {filters} in shared.sql.
**  (4)  Each filter is compared with what the schema says (guard.c), with what
**       its own table holds, and with every row of the table that it is for.
*/
#include "../table.h"

#include <string.h>

#include "kept.h"

typedef struct check_rows {
  sql_rows base;
  sqlite3_stmt *filter;  /* at a row of {filters}, or after the last */
  sqlite3_stmt *problem; /* at a problem of this filter; or NULL */
} check_rows;

/* The columns of {filters}. */
enum { FORM, TABLE, COLUMN, NOW_TABLE };

static int check_failed(sql_rows *base, int code) {
  return sql_rows_error(base, code, sql_failure(base->db, code));
}

static int check_begin(sql_rows *base, sqlite3_value **arguments) {
  static const char *const names[] = {"table", "column"};
  static const char *const must_be[] = {
      "the name of a table that has a kept filter",
      "the name of a column that has a kept filter"};
  check_rows *rows = (check_rows *)base;
  const sql_kept_values none = {.form = &sql_kept_parts};
  int rc = sql_prepare_word(base->db, &none, "filters", &rows->filter);
  int last = -1;
  bool are_names = true;
  for (int i = 0; rc == SQLITE_OK && are_names && i < 2; i++) {
    if (arguments[i] == NULL) continue;
    last = i;
    are_names = sqlite3_value_type(arguments[i]) == SQLITE_TEXT;
    rc = sqlite3_bind_value(rows->filter, i + 1, arguments[i]);
  }
  if (rc == SQLITE_OK && are_names) rc = sqlite3_step(rows->filter);
  if (rc == SQLITE_ROW || (rc == SQLITE_DONE && last < 0)) return SQLITE_OK;
  if (rc != SQLITE_OK && rc != SQLITE_DONE) return check_failed(base, rc);
  return sql_rows_error(
      base, SQLITE_ERROR,
      sql_argument_text(names[last], must_be[last], arguments[last], NULL));
}

/* Prepares the problems of the current filter. */
static int start_filter(sqlite3 *db, check_rows *rows) {
  const char *names[] = {
      (const char *)sqlite3_column_text(rows->filter, FORM),
      (const char *)sqlite3_column_text(rows->filter, TABLE),
      (const char *)sqlite3_column_text(rows->filter, COLUMN)};
  sql_kept_values values = {.form = &sql_kept_parts};
  sqlite3_stmt *column;
  bool has_table;
  char *problem;
  if (names[0] == NULL || names[1] == NULL || names[2] == NULL) {
    return sqlite3_errcode(db) == SQLITE_NOMEM ? SQLITE_NOMEM : SQLITE_AUTH;
  }
  if (strcmp(names[0], values.form->noun) != 0) values.form = &sql_kept_blocks;
  int rc = sql_find_problem(db, "main", names, &has_table, &problem);
  if (rc == SQLITE_OK) {
    rc = sql_look_up(db, values.form, names + 1, "NULL", &column);
    if (rc == SQLITE_ROW) rc = sql_add_row(&values, column);
    if (rc == SQLITE_OK) rc = sql_add_row(&values, rows->filter);
    sql_add_word(&values, "problem", problem == NULL ? "" : problem);
    const char *word = sql_word_text(&values, "must_be") == NULL
                           ? has_table ? "check" : "check_triggers"
                       : sql_word_text(&values, "now_c") != NULL
                           ? "check_renamed"
                           : "check_gone";
    if (rc == SQLITE_OK) {
      rc = sql_prepare_word(db, &values, word, &rows->problem);
    }
    sqlite3_finalize(column);
  }
  sqlite3_free(problem);
  return rc;
}

static int check_next(sql_rows *base) {
  check_rows *rows = (check_rows *)base;
  int rc = SQLITE_ROW;
  while (rc == SQLITE_ROW && sqlite3_data_count(rows->filter) > 0) {
    if (rows->problem == NULL) {
      rc = start_filter(base->db, rows);
      if (rc != SQLITE_OK) break;
    }
    rc = sqlite3_step(rows->problem);
    if (rc == SQLITE_ROW) return SQLITE_ROW;
    rc = sqlite3_finalize(rows->problem);
    rows->problem = NULL;
    if (rc == SQLITE_OK) rc = sqlite3_step(rows->filter);
  }
  return rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_DONE
                                               : check_failed(base, rc);
}

static void check_column(const sql_rows *base, sqlite3_context *context,
                         int column) {
  const check_rows *rows = (const check_rows *)base;
  static const int of_filter[] = {TABLE, COLUMN, FORM};
  sqlite3_result_value(
      context, column < 3
                   ? sqlite3_column_value(rows->filter, of_filter[column])
                   : sqlite3_column_value(rows->problem, 0));
}

static void check_end(sql_rows *base) {
  check_rows *rows = (check_rows *)base;
  sqlite3_finalize(rows->problem);
  sqlite3_finalize(rows->filter);
}

const sql_table sql_check_table = {
    .example = "bloom_check('t', 'c')",
    .declaration =
        "CREATE TABLE bloom_check(\"table\" TEXT, \"column\" TEXT, form TEXT, "
        "problem TEXT, only_table HIDDEN, only_column HIDDEN)",
    .columns = 4,
    .arguments = 2,
    .rows_size = sizeof(check_rows),
    .begin = check_begin,
    .next = check_next,
    .column = check_column,
    .end = check_end,
};
