/*
** bloom_advise(query [, seconds [, parameters]]), a table about the filters
** that a query can have. It ends after so many seconds, 60 by default, whatever
** the query:
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
**       why. Of a DELETE or UPDATE, it is about the SELECT of the rows that the
**       statement would change.
**  (5)  The values of its parameters are in parameters, as in bloom_compare.
**       sql has the parameters again, but where it needs their values.
*/
#include "compare.h"

#include <math.h>
#include <string.h>

#include "../compat.h"
#include "../families.h"
#include "parameters.h"
#include "try.h"

#define SECONDS 60

typedef struct advise_rows {
  sql_rows base;
  sql_advice advice;
  const char *sentence;     /* of the current row */
  const char *sql;          /* the same */
  const sql_filter *filter; /* the same; NULL of the first row */
  int next;                 /* the first filter that was not looked at */
  const char *verb; /* of a query that was no SELECT: DELETE, UPDATE, or NULL */
  const char *parameters; /* the argument, or NULL */
} advise_rows;

/* ---- The sentences. */

static bool pays(const sql_advice *advice) {
  return advice->faster >= SQL_PAYS_FROM && !advice->unsure;
}

/* What is no filter, behind how many times as fast it is. */
static const char *const exact_texts[] = {
    [TEST_FILTER] = "",
    [TEST_SET] = " without a filter, by IN (SELECT ...)",
    [TEST_NONE] = " without a filter, by storing the table",
};

/* How many of the chosen are of this kind. */
static int count_chosen(const sql_advice *advice, sql_test test) {
  int count = 0;
  for (int i = 0; i < advice->found.count; i++) {
    const sql_filter *filter = &advice->found.all[i];
    count += filter->chosen && filter->test == test;
  }
  return count;
}

/* "with 2 filters", or what is none. */
static void append_chosen(sqlite3_str *text, const sql_advice *advice) {
  const int filters = count_chosen(advice, TEST_FILTER);
  const bool by_set = count_chosen(advice, TEST_SET) > 0;
  const bool stored = count_chosen(advice, TEST_NONE) > 0;
  if (filters == 0) {
    sqlite3_str_appendall(text, exact_texts[by_set ? TEST_SET : TEST_NONE]);
  } else {
    sqlite3_str_appendf(text, " with %d filter%s%s%s", filters,
                        filters == 1 ? "" : "s",
                        by_set ? " and IN (SELECT ...)" : "",
                        stored ? " and a stored table" : "");
  }
}

/* "visit.email, looked up in customer.email". */
static void append_lookup(sqlite3_str *text, const sql_filter *filter) {
  sqlite3_str_appendf(text,
                      filter->form == FORM_REDUCER
                          ? "%s, of which the query needs what is in %s"
                          : "%s, looked up in %s",
                      filter->probe_name, filter->key_name);
}

/* The commonest reason why lookups have no filter. */
static const char *common_problem(const sql_filters *found) {
  const char *problem = NULL;
  int most = 0;
  for (int i = 0; i < found->count; i++) {
    int count = 0;
    for (int j = 0; j < found->count; j++) {
      count += found->all[i].problem != NULL && found->all[j].problem != NULL &&
               strcmp(found->all[i].problem, found->all[j].problem) == 0;
    }
    if (count > most) {
      problem = found->all[i].problem;
      most = count;
    }
  }
  return problem;
}

/* Why no query is given. */
static void append_refusal(sqlite3_str *text, const sql_advice *advice) {
  const sql_filters *found = &advice->found;
  const sql_filter *best = NULL;
  int lookups = 0, tried = 0;
  for (int i = 0; i < found->count; i++) {
    const sql_filter *filter = &found->all[i];
    lookups += filter->shown;
    tried += filter->shown && filter->tried;
    if (filter->shown && (best == NULL || filter->faster > best->faster)) {
      best = filter;
    }
  }
  if (tried == 0 && (advice->left_out > 0 || advice->unfinished)) {
    sqlite3_str_appendall(text, "no filter was tried: there was no time");
  } else if (lookups == 0) {
    sqlite3_str_appendall(
        text, advice->unknown ? "no filter was tried: what is looked up, if "
                                "anything, is computed, comes from a "
                                "subquery, or belongs to a NOT IN "
                                "without an index"
                              : "no filter can help: no column is looked up by "
                                "a column of another table");
  } else if (tried == 0) {
    sqlite3_str_appendf(text, "no filter was tried: %s", common_problem(found));
  } else if (advice->plain.stopped) {
    sqlite3_str_appendf(text,
                        "the query did not end within %.1f s, nor with a "
                        "filter (%d of %d tried): ask again with more seconds "
                        "than %g",
                        advice->plain.first_ms / 1e3, tried, lookups,
                        advice->seconds);
  } else {
    sqlite3_str_appendf(text, "no filter pays: %d of %d tried", tried, lookups);
    if (best->faster > 0) {
      sqlite3_str_appendall(text, ", the best ");
      sql_append_faster(text, best->faster);
      sqlite3_str_appendall(text, exact_texts[best->test]);
      sqlite3_str_appendall(text, " (");
      append_lookup(text, best);
      sqlite3_str_appendall(text, ")");
    }
    if (advice->unsure && best->faster >= SQL_PAYS_FROM) {
      sqlite3_str_appendf(text,
                          ", which may be chance in so few runs: ask again "
                          "with more seconds than %g",
                          advice->seconds);
    }
    if (advice->unfinished) {
      sqlite3_str_appendall(text, "; there was no time to look for others");
    }
  }
}

/* Why a query is given. */
static void append_advice(sqlite3_str *text, const sql_advice *advice) {
  if (advice->plain.stopped) {
    sqlite3_str_appendf(text,
                        "the query did not end within %.1f s, and took %.3f s",
                        advice->plain.first_ms / 1e3,
                        advice->plain.first_ms / advice->faster / 1e3);
    append_chosen(text, advice);
    sqlite3_str_appendf(text,
                        "; the rows were not compared: ask again with more "
                        "seconds than %g",
                        advice->seconds);
    return;
  }
  sql_append_faster(text, advice->faster);
  append_chosen(text, advice);
  sqlite3_str_appendall(text, ", and the same ");
  sql_append_rows(text, advice->plain.rows);
  sqlite3_str_appendall(text, "; ask again for other data or constants");
}

/* "all of visit is read for values of email: CREATE INDEX ... makes the query
** 12 times as fast (measured in a copy in memory)". */
static void append_remedy(sqlite3_str *text, const sql_remedy *remedy) {
  sqlite3_str_appendf(text, "%s: %s ", remedy->cause, remedy->sql);
  if (remedy->faster > 0) {
    sqlite3_str_appendf(text, "make%s the query ",
                        remedy->count > 1 ? "" : "s");
    sql_append_faster(text, remedy->faster);
    sqlite3_str_appendall(text, " (measured in a copy in memory)");
  } else {
    sqlite3_str_appendall(text, "might make the query faster (not measured)");
  }
}

/* Whether there is one that gains, or was not measured. */
static bool may_help(const sql_remedy *remedy) {
  return remedy->sql != NULL &&
         (remedy->faster == 0 || remedy->faster >= SQL_PAYS_FROM);
}

/* What makes the query fastest comes first. */
static void append_verdict(sqlite3_str *text, const sql_advice *advice) {
  const bool swap = advice->analyze.faster > advice->index.faster;
  const sql_remedy *remedies[] = {swap ? &advice->analyze : &advice->index,
                                  swap ? &advice->index : &advice->analyze};
  const double least = fmax(advice->faster, SQL_PAYS_FROM);
  int i = 0;
  if (advice->problem != NULL) {
    sqlite3_str_appendall(text, advice->problem);
    return;
  }
  for (; i < 2 && remedies[i]->faster >= least; i++) {
    append_remedy(text, remedies[i]);
    sqlite3_str_appendall(text, "; ");
  }
  if (pays(advice)) {
    append_advice(text, advice);
  } else {
    append_refusal(text, advice);
  }
  for (; i < 2; i++) {
    if (!may_help(remedies[i])) continue;
    sqlite3_str_appendall(text, "; ");
    append_remedy(text, remedies[i]);
  }
}

static void append_filter(sqlite3_str *text, sql_filter *filter) {
  const double filtered_ms = filter->trial.timed > 0
                                 ? sql_median(&filter->trial)
                                 : filter->trial.first_ms;
  append_lookup(text, filter);
  sqlite3_str_appendall(text, ": ");
  if (filter->problem != NULL || filter->reason != NULL) {
    sqlite3_str_appendall(
        text, filter->problem != NULL ? filter->problem : filter->reason);
  } else if (filter->faster == 0) {
    sqlite3_str_appendall(text, filter->tried ? "the clock measured nothing"
                                              : "there was no time to try it");
  } else {
    sql_append_faster(text, filter->faster);
    sqlite3_str_appendall(text, exact_texts[filter->test]);
    if (filter->build_ms > filtered_ms / 5) {
      sqlite3_str_appendf(text,
                          "; a kept filter would save the %.1f of %.1f ms that "
                          "building takes",
                          fmin(filter->build_ms, filtered_ms), filtered_ms);
    }
  }
}

/* ---- The table. */

/* Prepares the query with the values of its parameters, or the SELECT of the
** rows that it would change. */
static int prepare_query(advise_rows *rows, sqlite3_value *parameters) {
  sql_trial *plain = &rows->advice.plain;
  rows->parameters = sql_keep_parameters(plain->arena, parameters);
  int rc = sql_select_changed(plain, &rows->verb);
  if (rc == SQLITE_OK) rc = sql_prepare_query(plain);
  if (rc == SQLITE_OK) rc = sql_write_views(plain);
  if (rc == SQLITE_OK) rc = sql_give_values(plain, parameters, true);
  if (rc == SQLITE_OK) rc = sql_write_joins(plain);
  return rc;
}

static int advise_begin(sql_rows *base, sqlite3_value **arguments) {
  sql_advice *advice = &((advise_rows *)base)->advice;
  sql_trial *plain = &advice->plain;
  int rc = SQLITE_ERROR;
  plain->name = "query";
  plain->db = advice->db = base->db;
  plain->arena = &advice->arena;
  advice->start = sql_now();
  advice->seconds = SECONDS;
  /* Uncovered: branches are counted with a library from 3.40 on. */
  if (!sql_has_vtab_constants()) {
    plain->problem = sqlite3_mprintf("it needs SQLite " CONSTANTS_SQLITE
                                     " or later, this is %s",
                                     sqlite3_libversion());
  } else if (arguments[0] == NULL) {
    plain->problem = sqlite3_mprintf(
        "query must be given, as in bloom_advise('SELECT "
        "...')");
  } else {
    rc = sql_read_query(plain, arguments[0]);
  }
  if (rc == SQLITE_OK && arguments[1] != NULL &&
      sqlite3_value_type(arguments[1]) != SQLITE_NULL) {
    const int type = sqlite3_value_numeric_type(arguments[1]);
    advice->seconds = sqlite3_value_double(arguments[1]);
    if ((type != SQLITE_INTEGER && type != SQLITE_FLOAT) ||
        !(advice->seconds > 0)) {
      rc = SQLITE_ERROR;
      plain->problem =
          sql_argument_text("seconds", "a number above 0", arguments[1], NULL);
    }
  }
  if (rc == SQLITE_NOMEM) return rc;
  if (rc != SQLITE_OK) return sql_rows_error(base, rc, plain->problem);
  rc = prepare_query((advise_rows *)base, arguments[2]);
  if (rc == SQLITE_OK) return sql_try_filters(advice);
  if (rc == SQLITE_NOMEM || rc == SQLITE_INTERRUPT) return rc;
  advice->problem = sql_arena_keep(&advice->arena, plain->problem);
  return advice->arena.no_memory ? SQLITE_NOMEM : SQLITE_OK;
}

/* Makes this text the sentence of the current row, and this the sql, or NULL,
** with the parameters of the query. */
static int add_origin(advise_rows *rows, sqlite3_str *text, const char *sql) {
  sql_arena *arena = &rows->advice.arena;
  sqlite3_str *kept = sqlite3_str_new(NULL);
  rows->sql = sql == NULL ? NULL
                          : sql_restore_parameters(arena, &rows->advice.plain,
                                                   sql, kept);
  if (sqlite3_str_length(kept) > 0) {
    sqlite3_str_appendf(text, "; in sql,%s", sqlite3_str_value(kept));
  }
  if (rows->verb != NULL && rows->base.number == 1 &&
      rows->advice.problem == NULL) {
    sqlite3_str_appendf(text,
                        "; this is about the SELECT of the rows that the %s "
                        "would change",
                        rows->verb);
  }
  if (sqlite3_str_errcode(kept) != SQLITE_OK) arena->no_memory = true;
  sqlite3_free(sqlite3_str_finish(kept));
  char *sentence = sql_arena_keep(arena, sqlite3_str_finish(text));
  rows->sentence = sentence;
  if (arena->no_memory) return SQLITE_NOMEM;
  sql_make_utf8(sentence);
  return SQLITE_ROW;
}

static int advise_next(sql_rows *base) {
  advise_rows *rows = (advise_rows *)base;
  sql_advice *advice = &rows->advice;
  sql_filter *filter = NULL;
  if (base->number > 1) {
    while (rows->next < advice->found.count &&
           !advice->found.all[rows->next].shown) {
      rows->next++;
    }
    if (advice->problem != NULL || rows->next == advice->found.count) {
      return SQLITE_DONE;
    }
    filter = &advice->found.all[rows->next++];
  }
  rows->filter = filter;
  sqlite3_str *text = sqlite3_str_new(NULL);
  const char *sql = NULL;
  if (filter == NULL) {
    append_verdict(text, advice);
    if (pays(advice)) sql = advice->best.text;
  } else {
    append_filter(text, filter);
    if (filter->right) sql = filter->trial.text;
  }
  return add_origin(rows, text, sql);
}

static const char *outcome_of(const sql_advice *advice) {
  bool tried = false;
  for (int i = 0; i < advice->found.count; i++) {
    tried |= advice->found.all[i].tried;
  }
  if (advice->problem != NULL) return "error";
  if (!pays(advice)) return tried ? "nothing gains" : "nothing tried";
  return count_chosen(advice, TEST_FILTER) > 0 ? "advised" : "no filter needed";
}

static void advise_column(const sql_rows *base, sqlite3_context *context,
                          int column) {
  const advise_rows *rows = (const advise_rows *)base;
  const sql_advice *advice = &rows->advice;
  const sql_filter all = {.faster = pays(advice) ? advice->faster : 0,
                          .share = -1};
  const sql_filter *filter = rows->filter == NULL ? &all : rows->filter;
  const char *const texts[] = {rows->sentence,
                               NULL,
                               rows->sql,
                               filter->probe_name,
                               filter->set,
                               NULL,
                               base->number == 1 ? outcome_of(advice) : NULL,
                               advice->plain.given,
                               NULL,
                               rows->parameters};
  const double number = column == 1   ? filter->faster
                        : column == 5 ? filter->share
                                      : advice->seconds;
  if (column != 1 && column != 5 && column != 8) {
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
        "probe TEXT, \"set\" TEXT, share REAL, outcome TEXT, query HIDDEN, "
        "seconds HIDDEN, parameters HIDDEN)",
    .columns = 7,
    .arguments = 3,
    .runs_queries = true,
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
    {"bloom_compare", 0, 3, .scalar = sql_table_function,
     .data = &sql_compare_table, RUNS},
    {"bloom_advise", 0, 0, .module = &sql_table_module, .data = &advise_table,
     RUNS},
    {"bloom_advise", 0, 3, .scalar = sql_table_function, .data = &advise_table,
     RUNS},
    {"bloom_until", 2, 2, .scalar = sql_until, .direct_only = true},
    {.name = NULL},
};
