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

#include <stdarg.h>
#include <string.h>

#include "answers.h"
#include "column.h"
#include "failure.h"
#include "kept.h"

typedef struct check_rows {
  sql_rows base;
  sqlite3_stmt *filter; /* at a row of {filters}, or after the last */
  char *problems;       /* of that filter, each with a NUL; the last is empty */
  char *problem;        /* the current row's, one of these */
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
  if (rc == SQLITE_ROW) sqlite3_reset(rows->filter);
  if (rc == SQLITE_ROW || (rc == SQLITE_DONE && last < 0)) return SQLITE_OK;
  if (rc != SQLITE_OK && rc != SQLITE_DONE) return check_failed(base, rc);
  return sql_rows_error(
      base, SQLITE_ERROR,
      sql_argument_text(names[last], must_be[last], arguments[last], NULL));
}

/* ---- One filter. */

/* A filter that is checked. */
typedef struct checked_filter {
  sqlite3 *db;
  sql_column column;
  sql_kept_values values; /* of column, with the names that it had if need be */
  char *remedy;           /* how a problem ends that a call would mend */
  sqlite3_str *problems;  /* as in check_rows */
} checked_filter;

/* Adds a problem. */
static void say(sqlite3_str *problems, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  sqlite3_str_vappendf(problems, format, arguments);
  va_end(arguments);
  sqlite3_str_append(problems, "", 1);
}

/* Says what is in the way of a filter with these values, and sets the remedy: a
** call, which is freed, unless something is. */
static int find_remedy(checked_filter *f, const sql_kept_values *values,
                       char *call) {
  char *taken;
  const int rc = sql_ask(f->db, values, "taken", &taken);
  if (taken != NULL) say(f->problems, "%s, since no call would help", taken);
  f->remedy = taken == NULL ? sqlite3_mprintf(": SELECT %s", call)
                            : sqlite3_mprintf(
                                  ", and no call would help while another "
                                  "object is in the way");
  const bool lacks_memory = call == NULL || f->remedy == NULL;
  sqlite3_free(taken);
  sqlite3_free(call);
  return lacks_memory && rc == SQLITE_OK ? SQLITE_NOMEM : rc;
}

/* Says that the filter cannot be made again, and what to do. names are those
** that the table and the column seem to have now, or NULL. */
static int say_unfit(checked_filter *f, const char *const *names) {
  const sql_kept_form *form = f->values.form;
  const char *const *told = f->values.told;
  const char *table = told[TOLD_TABLE], *column = told[TOLD_COLUMN];
  sql_column now = {.wrong = NULL};
  sql_fault fault;
  int rc = SQLITE_OK;
  bool can_move = names[0] != NULL && names[1] != NULL;
  if (can_move) {
    rc = sql_look_up(f->db, form, names, 0, &now);
    can_move = rc == SQLITE_OK && !sql_has_fault(&now, names, &fault);
  }
  if (can_move) {
    /* The new filter is made first, so that the old one stays if that fails. */
    rc = find_remedy(
        f, &now.values,
        sqlite3_mprintf(
            "bloom_create_%s(%Q, %Q, %s, %s), bloom_drop_%s(%Q, %Q)",
            form->noun, names[0], names[1], told[TOLD_BITS], told[TOLD_NUMBER],
            form->noun, table, column));
    say(f->problems, "%s.%s is called %s.%s now, so no row is excluded%s",
        table, column, names[0], names[1], f->remedy);
  } else {
    say(f->problems, "%s.%s %s: SELECT bloom_drop_%s(%Q, %Q)", table, column,
        f->column.values.told[TOLD_COLUMN] == NULL
            ? "is gone"
            : "cannot have this filter any more",
        form->noun, table, column);
  }
  sql_forget_column(&now);
  return rc;
}

/* Says what the SQL of a word finds. */
static int say_found(const checked_filter *f, const char *word) {
  sqlite3_stmt *row;
  int rc = sql_prepare_word(f->db, &f->values, word, &row);
  while (rc == SQLITE_OK && (rc = sqlite3_step(row)) == SQLITE_ROW) {
    const unsigned char *text = sqlite3_column_text(row, 0);
    rc = text == NULL ? SQLITE_NOMEM : SQLITE_OK;
    say(f->problems, "%s%s", text, sqlite3_column_int(row, 1) ? f->remedy : "");
  }
  if (sql_is_wrong(f->db, rc)) {
    say(f->problems, "the filter cannot be read (%s)%s", sqlite3_errmsg(f->db),
        f->remedy);
    rc = SQLITE_DONE;
  }
  sqlite3_finalize(row);
  return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* Looks a filter up, and says what is wrong with it. */
static int check_filter(checked_filter *f, const char *const *names,
                        const char *const *now) {
  char *triggers = NULL;
  bool has_table;
  sql_fault fault;
  int rc = sql_look_up(f->db, f->values.form, names + 1, 0, &f->column);
  f->values = f->column.values;
  const char **told = f->values.told;
  if (told[TOLD_TABLE] == NULL) told[TOLD_TABLE] = names[1];
  if (told[TOLD_COLUMN] == NULL) told[TOLD_COLUMN] = names[2];
  if (rc == SQLITE_OK) {
    rc = sql_find_problem(f->db, "main", names, &has_table, &triggers);
  }
  const bool fits =
      rc == SQLITE_OK && !sql_has_fault(&f->column, names + 1, &fault);
  if (fits && sql_may_read(f->db, "main", told[TOLD_TABLE],
                           told[TOLD_COLUMN]) == SQLITE_AUTH) {
    rc = SQLITE_AUTH;
  }
  if (rc == SQLITE_OK) {
    rc = !fits ? say_unfit(f, now)
               : find_remedy(f, &f->values,
                             sql_expand(f->db, &f->values, "create_call", &rc));
  }
  if (fits && triggers != NULL) say(f->problems, "%s%s", triggers, f->remedy);
  static const char *const words[] = {"check_content", "check_lost",
                                      "check_views"};
  for (int i = 0; rc == SQLITE_OK && fits && has_table && i < 3; i++) {
    rc = say_found(f, words[i]);
  }
  sqlite3_free(triggers);
  return rc;
}

/* Checks the filter at the current row of {filters}. Returns SQLITE_ROW or an
** error's code. */
static int enter_filter(sqlite3 *db, check_rows *rows) {
  const char *texts[NOW_COLUMN + 1];
  for (int i = FORM; i <= NOW_COLUMN; i++) {
    texts[i] = (const char *)sqlite3_column_text(rows->filter, i);
    if (texts[i] == NULL && i <= COLUMN) {
      return sqlite3_errcode(db) == SQLITE_NOMEM ? SQLITE_NOMEM : SQLITE_AUTH;
    }
  }
  checked_filter f = {.db = db, .problems = sqlite3_str_new(NULL)};
  f.values.form = strcmp(texts[FORM], sql_kept_parts.noun) == 0
                      ? &sql_kept_parts
                      : &sql_kept_blocks;
  int rc = check_filter(&f, texts, texts + NOW_TABLE);
  sql_forget_column(&f.column);
  sqlite3_free(f.remedy);
  sqlite3_str_append(f.problems, "", 1);
  if (rc == SQLITE_OK) rc = sqlite3_str_errcode(f.problems);
  sqlite3_free(rows->problems);
  rows->problems = rows->problem = sqlite3_str_finish(f.problems);
  return rc == SQLITE_OK ? SQLITE_ROW : rc;
}

static int check_next(sql_rows *base) {
  check_rows *rows = (check_rows *)base;
  int rc = SQLITE_ROW;
  if (rows->problem != NULL) rows->problem += strlen(rows->problem) + 1;
  while (rc == SQLITE_ROW && (rows->problem == NULL || *rows->problem == 0)) {
    rc = sqlite3_step(rows->filter);
    if (rc == SQLITE_ROW) rc = enter_filter(base->db, rows);
  }
  if (rc == SQLITE_ROW) sql_make_utf8(rows->problem);
  return rc == SQLITE_ROW || rc == SQLITE_DONE ? rc : check_failed(base, rc);
}

static void check_column(const sql_rows *base, sqlite3_context *context,
                         int column) {
  const check_rows *rows = (const check_rows *)base;
  static const int of_filter[] = {TABLE, COLUMN, FORM};
  if (column < 3) {
    sqlite3_result_value(context,
                         sqlite3_column_value(rows->filter, of_filter[column]));
  } else {
    sqlite3_result_text(context, rows->problem, -1, SQLITE_TRANSIENT);
  }
}

static void check_end(sql_rows *base) {
  check_rows *rows = (check_rows *)base;
  sqlite3_free(rows->problems);
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
    .hold = sql_hold_answers,
    .end = check_end,
};
