/*
** bloom_compare(plain, filtered [, parameters]), a table of one row about two
** queries:
**
**  (1)  same is 1 if both return the same rows, in any order, else 0, or NULL
**       if the first run of filtered was stopped: it had taken a second, and
**       twice as long as that of plain.
**  (2)  faster is the time of plain over that of filtered. plain_ms and
**       filtered_ms are medians of runs in turn, of which the first is left
**       out.
**  (3)  plain_rows and filtered_rows are numbers of rows.
**  (4)  verdict says in a sentence what the others mean.
**  (5)  Rows are compared by the types and bytes of their columns, REALs that
**       differ by less than 1e-12 of their size are the same.
**  (6)  Each query is one SELECT, VALUES or WITH that only reads. Both have as
**       many columns.
**  (7)  The values of their parameters are in parameters, a JSON array, or an
**       object by name. Else they are those that .parameter has set in
**       SQLite's shell.
*/
#include "compare.h"

#include <string.h>

#include "../compat.h"
#include "../token.h"
#include "parameters.h"

typedef struct compare_rows {
  sql_rows base;
  sql_arena arena;
  sql_trial trials[2];
  bool same;
  const char *verdict;
  const char *parameters; /* the argument, or NULL */
} compare_rows;

void sql_append_rows(sqlite3_str *text, sqlite3_int64 rows) {
  sqlite3_str_appendf(text, "%,lld row%s", rows, rows == 1 ? "" : "s");
}

void sql_append_faster(sqlite3_str *text, double faster) {
  const int digits = faster >= 9.95 ? 0 : faster >= 1.95 ? 1 : 2;
  sqlite3_str_appendf(text, "%.*f times as fast", digits, faster);
}

/* "; 3 rows are missing, such as (1, 'a')", or nothing if none is. */
static void append_lost(sqlite3_str *text, sqlite3_int64 rows, const char *what,
                        const char *row) {
  if (rows == 0) return;
  sqlite3_str_appendall(text, "; ");
  sql_append_rows(text, rows);
  sqlite3_str_appendf(text, " %s %s, such as %s", rows == 1 ? "is" : "are",
                      what, row);
}

/* The verdict on rows that are not the same. */
static void append_different(sqlite3_str *text, const sql_trial *trials,
                             const sql_difference *difference) {
  if (difference->missing == 0 && difference->added == 0) {
    sqlite3_str_appendall(text, "the rows differ from one run to the next");
    return;
  }
  sqlite3_str_appendall(text, "not the same rows");
  append_lost(text, difference->missing, "missing", difference->missing_row);
  append_lost(text, difference->added, "added", difference->added_row);
  if (sql_count_tokens(trials[0].text, "LIMIT") > 0) {
    sqlite3_str_appendall(text,
                          " (both can be right, if the query has a LIMIT and "
                          "its ORDER BY leaves a choice of rows)");
  }
}

/* The verdict on rows that are the same. */
static void append_same(sqlite3_str *text, sql_trial *trials,
                        sqlite3_int64 rounded) {
  const double faster = sql_times_as_fast(&trials[0], &trials[1]);
  sqlite3_str_appendall(text, "the same ");
  sql_append_rows(text, trials[0].rows);
  if (rounded > 0) {
    sqlite3_str_appendf(text, " (of %,lld, a REAL differs in its last digits)",
                        rounded);
  }
  if (faster == 0) {
    sqlite3_str_appendall(text, "; the clock measured nothing");
    return;
  }
  const bool pays = faster >= SQL_PAYS_FROM;
  sqlite3_str_appendall(text, pays         ? ", "
                              : faster > 1 ? ", but only "
                                           : ", but ");
  sql_append_faster(text, faster);
  if (!pays) sqlite3_str_appendall(text, ": the filter does not pay");
}

static char *verdict_of(sql_trial *trials, bool same,
                        const sql_difference *difference) {
  sqlite3_str *text = sqlite3_str_new(NULL);
  if (trials[1].stopped) {
    sqlite3_str_appendf(
        text,
        "filtered was stopped after %,.0f ms, where plain takes %,.0f: the "
        "filter does not pay, and the rows were not compared",
        trials[1].first_ms, trials[0].first_ms);
  } else if (same) {
    append_same(text, trials, difference->rounded);
  } else {
    append_different(text, trials, difference);
  }
  char *verdict = sqlite3_str_finish(text);
  if (verdict != NULL) sql_make_utf8(verdict);
  return verdict;
}

/* ---- The table. */

static int compare_failed(compare_rows *rows, int code, const char *name) {
  if (code == SQLITE_NOMEM || code == SQLITE_INTERRUPT) return code;
  return sql_rows_error(
      &rows->base, code,
      sqlite3_mprintf("%s: %s", name, sqlite3_errmsg(rows->base.db)));
}

static int compare_trials(compare_rows *rows) {
  sql_trial *trials = rows->trials;
  sql_trial *const turns[] = {&trials[0], &trials[1]};
  sql_difference difference = {.missing = 0};
  uint64_t seed;
  sqlite3_randomness(sizeof(seed), &seed);
  sqlite3_int64 until = SQL_NEVER;
  for (int i = 0; i < 2; i++) {
    const int rc = sql_first_run(&trials[i], until, seed);
    if (rc != SQLITE_OK) return compare_failed(rows, rc, trials[i].name);
    until = sql_in_ms(trials[0].first_ms > 500 ? 2 * trials[0].first_ms : 1000);
  }
  int rc = SQLITE_OK;
  if (!trials[1].stopped) {
    rc = sql_compare_rows(&rows->arena, &trials[0], &trials[1], &difference,
                          &rows->same);
    if (rc == SQLITE_OK) rc = sql_run_in_turn(turns, 2, 1000, SQL_NEVER);
  }
  if (rc != SQLITE_OK) return compare_failed(rows, rc, "plain and filtered");
  rows->verdict =
      sql_arena_keep(&rows->arena, verdict_of(trials, rows->same, &difference));
  return rows->arena.no_memory ? SQLITE_NOMEM : SQLITE_OK;
}

static int compare_begin(sql_rows *base, sqlite3_value **arguments) {
  compare_rows *rows = (compare_rows *)base;
  int columns[2];
  for (int i = 0; i < 2; i++) {
    sql_trial *trial = &rows->trials[i];
    trial->name = i == 0 ? "plain" : "filtered";
    trial->db = base->db;
    trial->arena = &rows->arena;
    if (arguments[i] == NULL) {
      return sql_rows_error(
          base, SQLITE_ERROR,
          sqlite3_mprintf("%s must be given, as in bloom_compare('SELECT ...', "
                          "'WITH ...')",
                          trial->name));
    }
    int rc = sql_read_query(trial, arguments[i]);
    if (rc == SQLITE_OK) rc = sql_prepare_query(trial);
    if (rc == SQLITE_OK) rc = sql_give_values(trial, arguments[2], i == 0);
    if (rc == SQLITE_NOMEM || rc == SQLITE_INTERRUPT) return rc;
    if (rc != SQLITE_OK) return sql_rows_error(base, rc, trial->problem);
    columns[i] = sqlite3_column_count(trial->statement);
  }
  rows->parameters = sql_keep_parameters(&rows->arena, arguments[2]);
  if (columns[0] == columns[1]) return compare_trials(rows);
  return sql_rows_error(
      base, SQLITE_ERROR,
      sqlite3_mprintf("filtered must have as many columns as plain, %d, has %d",
                      columns[0], columns[1]));
}

static int compare_next(sql_rows *base) {
  return base->number == 1 ? SQLITE_ROW : SQLITE_DONE;
}

static void compare_column(const sql_rows *base, sqlite3_context *context,
                           int column) {
  compare_rows *rows = (compare_rows *)base;
  sql_trial *plain = &rows->trials[0], *filtered = &rows->trials[1];
  const double numbers[] = {0, sql_times_as_fast(plain, filtered),
                            sql_median(plain), sql_median(filtered)};
  const char *const texts[] = {rows->verdict, plain->given, filtered->given,
                               rows->parameters};
  if (column == 0) {
    if (!filtered->stopped) sqlite3_result_int(context, rows->same);
  } else if (column < 4) {
    if (numbers[column] > 0) sqlite3_result_double(context, numbers[column]);
  } else if (column < 6) {
    sqlite3_result_int64(context, rows->trials[column - 4].rows);
  } else {
    sqlite3_result_text(context, texts[column - 6], -1, SQLITE_TRANSIENT);
  }
}

static void compare_end(sql_rows *base) {
  compare_rows *rows = (compare_rows *)base;
  sqlite3_finalize(rows->trials[0].statement);
  sqlite3_finalize(rows->trials[1].statement);
  sql_arena_free(&rows->arena);
}

const sql_table sql_compare_table = {
    .example = "bloom_compare('SELECT ...', 'WITH ...')",
    .declaration =
        "CREATE TABLE bloom_compare(same INTEGER, faster REAL, plain_ms REAL, "
        "filtered_ms REAL, plain_rows INTEGER, filtered_rows INTEGER, "
        "verdict TEXT, plain HIDDEN, filtered HIDDEN, "
        "parameters HIDDEN)",
    .columns = 7,
    .arguments = 3,
    .one_row = true,
    .runs_queries = true,
    .rows_size = sizeof(compare_rows),
    .begin = compare_begin,
    .next = compare_next,
    .column = compare_column,
    .end = compare_end,
};
