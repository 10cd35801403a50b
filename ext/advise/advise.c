/*
** bloom_advise(query [, seconds]), a table about the filters that a query can
** have. No filter is tried once so many seconds have passed, 60 by default:
**
**  (1)  The first row is about the whole query: advice is a sentence, faster
**       how many times as fast it is with all filters that pay together, and
**       sql the query with these, or NULL if none pays.
**  (2)  Each other row is about one filter, of a lookup that SQLite itself
**       makes: probe is the column that is probed, "set" the SELECT of the
**       keys, share the share of a sample of rows that passes, or NULL; faster
**       is NULL where it was not measured. sql is the query with this filter if
**       that has the same rows, whether it pays or not, else NULL.
**  (3)  A filter is right before it is tried: see set.c. One that has other
**       rows all the same is not given.
**  (4)  A query that cannot be analysed, or is no SELECT, is one row that says
**       why.
*/
#include "compare.h"

#include <string.h>

#include "../compat.h"
#include "../families.h"
#include "try.h"

#define SECONDS 60

typedef struct advise_rows {
  sql_rows base;
  sql_advice advice;
  const char *sentence; /* of the current row */
} advise_rows;

/* ---- The sentences. */

static bool pays(const sql_advice *advice) {
  return advice->faster >= SQL_PAYS_FROM;
}

static void append_verdict(sqlite3_str *text, const sql_advice *advice) {
  if (advice->problem != NULL) {
    sqlite3_str_appendall(text, advice->problem);
    return;
  }
  if (pays(advice)) {
    sql_append_faster(text, advice->faster);
    sqlite3_str_appendf(text, " with %d filter%s, and the same ",
                        advice->best_count, advice->best_count == 1 ? "" : "s");
    sql_append_rows(text, advice->plain.rows);
    sqlite3_str_appendall(text, "; ask again for other data or constants");
  } else if (advice->count == 0) {
    sqlite3_str_appendall(text,
                          "no filter can help: no column is looked up by "
                          "a column of another table (for NOT IN, "
                          "anti_join.sql has a form)");
  } else {
    sqlite3_str_appendall(text, "no filter pays");
  }
  if (advice->left_out > 0) {
    sqlite3_str_appendf(text, "; for %d of %d, there was no time",
                        advice->left_out, advice->count);
  }
}

static void append_filter(sqlite3_str *text, sql_filter *filter) {
  const double filtered_ms = sql_median(&filter->trial);
  sqlite3_str_appendf(text, "%s, looked up in %s: ", filter->probe_name,
                      filter->key_name);
  if (filter->problem != NULL || filter->reason != NULL) {
    sqlite3_str_appendall(
        text, filter->problem != NULL ? filter->problem : filter->reason);
  } else if (filter->faster == 0) {
    sqlite3_str_appendall(text, filter->tried ? "the clock measured nothing"
                                              : "there was no time to try it");
  } else {
    sql_append_faster(text, filter->faster);
    if (filter->build_ms > filtered_ms / 5) {
      sqlite3_str_appendf(text,
                          "; a kept filter would save the %.1f of %.1f ms that "
                          "building takes",
                          filter->build_ms, filtered_ms);
    }
  }
}

/* ---- The table. */

static int advise_begin(sql_rows *base, sqlite3_value **arguments) {
  sql_advice *advice = &((advise_rows *)base)->advice;
  char *problem = NULL;
  int rc = SQLITE_ERROR;
  advice->db = base->db;
  advice->start = sql_now();
  advice->seconds = SECONDS;
  /* Uncovered: branches are counted with a library from 3.40 on. */
  if (!sql_has_vtab_constants()) {
    problem = sqlite3_mprintf("it needs SQLite " CONSTANTS_SQLITE
                              " or later, this is %s",
                              sqlite3_libversion());
  } else if (arguments[0] == NULL) {
    problem = sqlite3_mprintf(
        "query must be given, as in bloom_advise('SELECT "
        "...')");
  } else {
    rc = sql_read_query(&advice->arena, "query", arguments[0], &advice->plain,
                        &problem);
  }
  if (rc == SQLITE_OK && arguments[1] != NULL) {
    const int type = sqlite3_value_numeric_type(arguments[1]);
    advice->seconds = sqlite3_value_double(arguments[1]);
    if ((type != SQLITE_INTEGER && type != SQLITE_FLOAT) ||
        !(advice->seconds > 0)) {
      rc = SQLITE_ERROR;
      problem =
          sql_argument_text("seconds", "a number above 0", arguments[1], NULL);
    }
  }
  if (rc == SQLITE_NOMEM) return rc;
  if (rc != SQLITE_OK) return sql_rows_error(base, rc, problem);
  rc = sql_prepare_query(base->db, "query", &advice->plain, &problem);
  if (rc == SQLITE_OK) return sql_try_filters(advice);
  if (rc == SQLITE_NOMEM || rc == SQLITE_INTERRUPT) return rc;
  advice->problem = sql_arena_keep(&advice->arena, problem);
  return advice->arena.no_memory ? SQLITE_NOMEM : SQLITE_OK;
}

static int advise_next(sql_rows *base) {
  advise_rows *rows = (advise_rows *)base;
  sql_advice *advice = &rows->advice;
  if (base->number > (advice->problem == NULL ? advice->count : 0) + 1) {
    return SQLITE_DONE;
  }
  sqlite3_str *text = sqlite3_str_new(NULL);
  if (base->number == 1) {
    append_verdict(text, advice);
  } else {
    append_filter(text, &advice->filters[base->number - 2]);
  }
  rows->sentence = sql_arena_keep(&advice->arena, sqlite3_str_finish(text));
  return rows->sentence == NULL ? SQLITE_NOMEM : SQLITE_ROW;
}

static void advise_column(const sql_rows *base, sqlite3_context *context,
                          int column) {
  const advise_rows *rows = (const advise_rows *)base;
  const sql_advice *advice = &rows->advice;
  const sql_filter all = {.faster = advice->faster,
                          .share = -1,
                          .right = pays(advice),
                          .trial = {.text = advice->best.text}};
  const sql_filter *filter =
      base->number == 1 ? &all : &advice->filters[base->number - 2];
  const char *const texts[] = {rows->sentence,
                               NULL,
                               filter->right ? filter->trial.text : NULL,
                               filter->probe_name,
                               filter->set,
                               NULL,
                               advice->plain.text};
  const double number = column == 1   ? filter->faster
                        : column == 5 ? filter->share
                                      : advice->seconds;
  if (column != 1 && column != 5 && column != 7) {
    sqlite3_result_text(context, texts[column], -1, SQLITE_TRANSIENT);
  } else if (number > 0 || (column == 5 && number == 0)) {
    sqlite3_result_double(context, number);
  }
}

static void advise_end(sql_rows *base) {
  sql_free_advice(&((advise_rows *)base)->advice);
}

static const sql_table advise_table = {
    .example = "bloom_advise('SELECT ...')",
    .declaration =
        "CREATE TABLE bloom_advise(advice TEXT, faster REAL, sql TEXT, "
        "probe TEXT, \"set\" TEXT, share REAL, query HIDDEN, seconds HIDDEN)",
    .columns = 6,
    .arguments = 2,
    .rows_size = sizeof(advise_rows),
    .begin = advise_begin,
    .next = advise_next,
    .column = advise_column,
    .end = advise_end,
};

/* ---- The family. The tables run queries, so that only a statement may call
** them, no view or trigger. */

#define RUNS .direct_only = true, .nondeterministic = true

const sql_function sql_advise_functions[] = {
    {"bloom_compare", 0, 0, .module = &sql_table_module,
     .data = &sql_compare_table, RUNS},
    {"bloom_compare", 0, 2, .scalar = sql_table_function,
     .data = &sql_compare_table, RUNS},
    {"bloom_advise", 0, 0, .module = &sql_table_module, .data = &advise_table,
     RUNS},
    {"bloom_advise", 0, 2, .scalar = sql_table_function, .data = &advise_table,
     RUNS},
    {"bloom_until", 2, 2, .scalar = sql_until, RUNS},
    {.name = NULL},
};
