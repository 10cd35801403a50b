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
**       its own table holds, with every row of the table that it is for, and
**       with what its views give.
**  (5)  Whatever these hold, the only errors are those of memory, of limits and
**       other settings, of locks and of damaged files.
*/
#include "../table.h"

#include <string.h>

#include "column.h"
#include "failure.h"
#include "kept.h"

typedef struct check_rows {
  sql_rows base;
  sqlite3_stmt *filter; /* at a row of {filters}, or after the last */
  /* Of this filter: */
  sql_column column;
  sql_kept_values values; /* of column, with the names that it had if need be */
  char *triggers;         /* what is wrong with its triggers, or NULL */
  char *taken;            /* which other object has a name of its, or NULL */
  bool is_taken;          /* there is such an object */
  const char *const *todo; /* the words still to be asked; NULL if there is
                           ** no filter */
  sqlite3_stmt *problem;   /* the current word's; or NULL */
  char *text;              /* of the current row */
} check_rows;

/* The columns of {filters}. */
enum { FORM, TABLE, COLUMN, NOW_TABLE, NOW_COLUMN };

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

/* ---- One filter. */

/* Forgets the current filter. */
static void leave_filter(check_rows *rows) {
  sqlite3_finalize(rows->problem);
  sql_forget_column(&rows->column);
  sqlite3_free(rows->triggers);
  sqlite3_free(rows->taken);
  rows->column = (sql_column){.wrong = NULL};
  rows->triggers = rows->taken = NULL;
  rows->todo = NULL;
  rows->problem = NULL;
}

/* Sets *can_move to whether a filter can be made for the names that the table
** and the column seem to have now. */
static int look_up_now(sqlite3 *db, const sql_kept_values *values,
                       bool *can_move) {
  const char *const *names = &values->told[TOLD_NOW_TABLE];
  sql_column now;
  sql_fault fault;
  *can_move = false;
  if (names[0] == NULL || names[1] == NULL) return SQLITE_OK;
  const int rc = sql_look_up(db, values->form, names, "NULL", &now);
  *can_move = rc == SQLITE_OK && !sql_has_fault(&now, names, &fault);
  sql_forget_column(&now);
  return rc;
}

/* Chooses what is to be asked of the current filter. */
static int choose_words(sqlite3 *db, check_rows *rows, const char *const *names,
                        bool has_table) {
  static const char *const renamed[] = {"check_renamed", NULL};
  static const char *const gone[] = {"check_gone", NULL};
  static const char *const unfit[] = {"check_unfit", NULL};
  static const char *const sound[] = {"check_content", "check_lost",
                                      "check_views", NULL};
  static const char *const off[] = {"check_content", "check_missing",
                                    "check_views", NULL};
  sql_fault fault;
  bool can_move;
  rows->todo = !has_table ? sound + 3 : rows->triggers == NULL ? sound : off;
  if (!sql_has_fault(&rows->column, names, &fault)) return SQLITE_OK;
  const int rc = look_up_now(db, &rows->values, &can_move);
  rows->todo = can_move                                        ? renamed
               : rows->column.values.told[TOLD_COLUMN] == NULL ? gone
                                                               : unfit;
  sqlite3_free(rows->triggers);
  rows->triggers = NULL;
  return rc;
}

/* Looks up the filter at the current row of {filters}. */
static int enter_filter(sqlite3 *db, check_rows *rows) {
  const char *names[] = {
      (const char *)sqlite3_column_text(rows->filter, FORM),
      (const char *)sqlite3_column_text(rows->filter, TABLE),
      (const char *)sqlite3_column_text(rows->filter, COLUMN)};
  bool has_table;
  if (names[0] == NULL || names[1] == NULL || names[2] == NULL) {
    return sqlite3_errcode(db) == SQLITE_NOMEM ? SQLITE_NOMEM : SQLITE_AUTH;
  }
  const sql_kept_form *form = strcmp(names[0], sql_kept_parts.noun) == 0
                                  ? &sql_kept_parts
                                  : &sql_kept_blocks;
  int rc = sql_look_up(db, form, names + 1, "NULL", &rows->column);
  rows->values = rows->column.values;
  const char **told = rows->values.told;
  for (int i = 0; i < 2; i++) {
    if (told[TOLD_TABLE + i] == NULL) told[TOLD_TABLE + i] = names[1 + i];
    told[TOLD_NOW_TABLE + i] =
        (const char *)sqlite3_column_text(rows->filter, NOW_TABLE + i);
  }
  if (rc == SQLITE_OK) {
    rc = sql_find_problem(db, "main", names, &has_table, &rows->triggers);
  }
  if (rc == SQLITE_OK) rc = sql_find_taken(db, &rows->values, &rows->taken);
  rows->is_taken = rows->taken != NULL;
  if (rc == SQLITE_OK) rc = choose_words(db, rows, names + 1, has_table);
  return rc;
}

/* Makes a problem the current row, with the call that repairs it if there is
** one. Takes the text, of which NULL stands for out of memory. */
static int take_problem(sqlite3 *db, check_rows *rows, char *text,
                        bool can_be_mended) {
  int rc = text == NULL ? SQLITE_NOMEM : SQLITE_OK;
  rows->text = text;
  if (rc == SQLITE_OK && can_be_mended && rows->is_taken) {
    rows->text = sqlite3_mprintf(
        "%z, and no call would help while another object is in the way", text);
  } else if (rc == SQLITE_OK && can_be_mended) {
    char *call = sql_expand(db, &rows->values, "create_call", &rc);
    rows->text = sqlite3_mprintf("%z: SELECT %z", text, call);
  }
  if (rows->text == NULL) rc = SQLITE_NOMEM;
  if (rc != SQLITE_OK) return rc;
  sql_make_utf8(rows->text);
  return SQLITE_ROW;
}

/* Goes to the next problem of the current filter: SQLITE_ROW, SQLITE_DONE, or
** an error's code. */
static int next_problem(sqlite3 *db, check_rows *rows) {
  char **known[] = {&rows->triggers, &rows->taken};
  for (int i = 0; i < 2; i++) {
    char *text = *known[i];
    *known[i] = NULL;
    if (i == 1 && text != NULL) {
      text = sqlite3_mprintf("%z, since no call would help", text);
      if (text == NULL) return SQLITE_NOMEM;
    }
    if (text != NULL) return take_problem(db, rows, text, i == 0);
  }
  for (; *rows->todo != NULL; rows->todo++) {
    int rc = SQLITE_OK;
    if (rows->problem == NULL) {
      rc = sql_prepare_word(db, &rows->values, *rows->todo, &rows->problem);
    }
    if (rc == SQLITE_OK) rc = sqlite3_step(rows->problem);
    if (rc == SQLITE_ROW) {
      const unsigned char *text = sqlite3_column_text(rows->problem, 0);
      return take_problem(db, rows,
                          text == NULL ? NULL : sqlite3_mprintf("%s", text),
                          sqlite3_column_int(rows->problem, 1));
    }
    char *failure = sql_is_wrong(db, rc)
                        ? sqlite3_mprintf("the filter cannot be read (%s)",
                                          sqlite3_errmsg(db))
                        : NULL;
    sqlite3_finalize(rows->problem);
    rows->problem = NULL;
    if (sql_is_wrong(db, rc)) {
      rows->todo++;
      return take_problem(db, rows, failure, true);
    }
    if (rc != SQLITE_DONE) return rc;
  }
  return SQLITE_DONE;
}

static int check_next(sql_rows *base) {
  check_rows *rows = (check_rows *)base;
  int rc = SQLITE_ROW;
  sqlite3_free(rows->text);
  rows->text = NULL;
  while (rc == SQLITE_ROW && sqlite3_data_count(rows->filter) > 0) {
    rc = rows->todo == NULL ? enter_filter(base->db, rows) : SQLITE_OK;
    if (rc == SQLITE_OK) rc = next_problem(base->db, rows);
    if (rc == SQLITE_ROW) return SQLITE_ROW;
    if (rc != SQLITE_DONE) break;
    leave_filter(rows);
    rc = sqlite3_step(rows->filter);
  }
  return rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_DONE
                                               : check_failed(base, rc);
}

static void check_column(const sql_rows *base, sqlite3_context *context,
                         int column) {
  const check_rows *rows = (const check_rows *)base;
  static const int of_filter[] = {TABLE, COLUMN, FORM};
  if (column < 3) {
    sqlite3_result_value(context,
                         sqlite3_column_value(rows->filter, of_filter[column]));
  } else {
    sqlite3_result_text(context, rows->text, -1, SQLITE_TRANSIENT);
  }
}

static void check_end(sql_rows *base) {
  check_rows *rows = (check_rows *)base;
  leave_filter(rows);
  sqlite3_free(rows->text);
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
