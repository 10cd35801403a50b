#include "try.h"

#include <stdarg.h>
#include <string.h>

#include "../compat.h"
#include "set.h"

/* What is needed while filters are tried. */
typedef struct attempt {
  sql_advice *advice;
  sql_mirror mirror;
  sql_plan plan;
  sql_pair *pairs;   /* one for each filter */
  char **conditions; /* those of the filters */
  bool *chosen;
} attempt;

/* Whether there is this share of the time left. */
static bool has_time(const sql_advice *advice, double share) {
  return sql_ms_since(advice->start) < advice->seconds * 1e3 * share;
}

static bool ends_all(int rc) {
  return rc == SQLITE_NOMEM || rc == SQLITE_INTERRUPT;
}

/* ---- Which filters there are. */

/* "visit.email" */
static char *column_text(const plan_loop *loop, int column) {
  return sqlite3_mprintf(
      "%s.%s", loop->table->name,
      column < 0 ? "rowid" : loop->table->columns[column].name);
}

static int add_pair(attempt *tried, const plan_lookup *lookup, bool exchanged) {
  sql_advice *advice = tried->advice;
  sql_filter *filter = &advice->filters[advice->count];
  sql_pair *pair = &tried->pairs[advice->count];
  *pair = sql_pair_of(&tried->plan, lookup, exchanged);
  /* Uncovered: SQLite looks no loop up by itself. */
  if (pair->probe == pair->set) return SQLITE_OK;
  advice->count++;
  *filter = (sql_filter){
      .probe = column_text(pair->probe, pair->probe_column),
      .key = column_text(pair->set, pair->set_column),
      .problem = sql_lookup_problem(&tried->plan, lookup),
      .build_ms = -1,
      .share = -1,
  };
  if (filter->probe == NULL || filter->key == NULL) return SQLITE_NOMEM;
  if (filter->problem != NULL) return SQLITE_OK;
  filter->set = sql_set_text(&tried->plan, pair, &filter->whole);
  filter->problem =
      sql_place_problem(&tried->mirror, &tried->plan, pair, advice->plain.text);
  filter->placed = filter->problem != NULL;
  return filter->set == NULL ? SQLITE_NOMEM : SQLITE_OK;
}

static int find_pairs(attempt *tried) {
  sql_advice *advice = tried->advice;
  const sql_plan *plan = &tried->plan;
  const uint64_t most = 2 * (uint64_t)plan->lookup_count + 1;
  advice->filters = sqlite3_malloc64(most * sizeof(*advice->filters));
  tried->pairs = sqlite3_malloc64(most * sizeof(*tried->pairs));
  tried->conditions = sqlite3_malloc64(most * sizeof(*tried->conditions));
  tried->chosen = sqlite3_malloc64(most * sizeof(*tried->chosen));
  if (advice->filters == NULL || tried->pairs == NULL ||
      tried->conditions == NULL || tried->chosen == NULL) {
    return SQLITE_NOMEM;
  }
  memset(tried->chosen, 0, (size_t)most * sizeof(*tried->chosen));
  int rc = SQLITE_OK;
  for (int i = 0; rc == SQLITE_OK && i < plan->lookup_count; i++) {
    rc = add_pair(tried, &plan->lookups[i], false);
    if (rc == SQLITE_OK && !plan->lookups[i].list) {
      rc = add_pair(tried, &plan->lookups[i], true);
    }
  }
  return rc;
}

/* ---- The three checks. */

/* Prepares a statement of ours and steps to its first row. Returns SQLITE_ROW,
** or another code; the caller finalizes the statement. */
static int first_row(sqlite3 *db, sqlite3_stmt **row, char *sql) {
  *row = NULL;
  if (sql == NULL) return SQLITE_NOMEM;
  int rc = sqlite3_prepare_v2(db, sql, -1, row, NULL);
  sqlite3_free(sql);
  if (rc == SQLITE_OK) rc = sqlite3_step(*row);
  return rc;
}

/* Whether a row of EXPLAIN QUERY PLAN reads a table of this label. */
static bool reads_label(const char *detail, const char *label) {
  const size_t size = strlen(label);
  const char *at = strchr(detail, ' ');
  return at != NULL && strncmp(at + 1, label, size) == 0 &&
         (at[1 + size] == ' ' || at[1 + size] == 0);
}

#define MAX_FROMS 200

/* Finds the filters whose probed table is the first one that a FROM reads. */
static int check_plan(attempt *tried) {
  sql_advice *advice = tried->advice;
  sqlite3_stmt *row;
  int parents[MAX_FROMS], known = 0;
  int rc =
      first_row(advice->db, &row,
                sqlite3_mprintf("EXPLAIN QUERY PLAN %s", advice->plain.text));
  for (; rc == SQLITE_ROW; rc = sqlite3_step(row)) {
    const int parent = sqlite3_column_int(row, 1);
    const char *detail = sql_row_text(row, 3);
    int i = 0;
    while (i < known && parents[i] != parent) i++;
    if (i < known || known == MAX_FROMS ||
        (strncmp(detail, "SCAN ", 5) != 0 &&
         strncmp(detail, "SEARCH ", 7) != 0)) {
      continue;
    }
    parents[known++] = parent;
    for (i = 0; i < advice->count; i++) {
      const char *label = tried->pairs[i].probe->label;
      if (label != NULL && reads_label(detail, label)) {
        advice->filters[i].first = true;
      }
    }
  }
  sqlite3_finalize(row);
  return ends_all(rc) ? rc : SQLITE_OK;
}

/* Measures how long building takes: of two runs, the shorter one. */
static int check_build(attempt *tried, sql_filter *filter) {
  sqlite3 *db = tried->advice->db;
  int rc = SQLITE_OK;
  for (int i = 0; rc == SQLITE_OK && i < 2; i++) {
    sqlite3_stmt *row;
    const sqlite3_int64 start = sql_now();
    rc = first_row(db, &row,
                   sqlite3_mprintf("SELECT length(bloom_build(k)) FROM (%s)",
                                   filter->set));
    sqlite3_finalize(row);
    const double ms = sql_ms_since(start);
    if (rc != SQLITE_ROW) break;
    if (filter->build_ms < 0 || ms < filter->build_ms) filter->build_ms = ms;
    rc = SQLITE_OK;
  }
  if (filter->build_ms > tried->advice->plain.first_ms) {
    filter->reason = "building the filter takes longer than the query";
  }
  return ends_all(rc) ? rc : SQLITE_OK;
}

/* The name that a table's rowid goes by, or NULL. */
static const char *rowid_name(const mirror_table *table) {
  static const char *const names[] = {"rowid", "_rowid_", "oid"};
  for (int i = 0; table->has_rowid && i < 3; i++) {
    int j = 0;
    while (j < table->column_count &&
           sqlite3_stricmp(table->columns[j].name, names[i]) != 0) {
      j++;
    }
    if (j == table->column_count) return names[i];
  }
  return NULL;
}

/* Appends a table's rows at 1,000 places, or, without a rowid, the first. The
** places are the fractional parts of multiples of the golden ratio: they are
** spread evenly, but keep in step with no period that the rows may have. */
static void append_sample(sqlite3_str *text, const mirror_table *table) {
  const char *rowid = rowid_name(table);
  if (rowid == NULL) {
    sqlite3_str_appendf(text, "(SELECT * FROM \"%w\".\"%w\" LIMIT 1000) AS t",
                        table->schema, table->name);
    return;
  }
  sqlite3_str_appendf(
      text,
      "(WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n "
      "LIMIT 1000) SELECT DISTINCT (SELECT s.%s FROM \"%w\".\"%w\" AS s "
      "WHERE s.%s >= b.low + CAST((b.high - b.low) * "
      "(n.i * 618033989 %% 1000000000 / 1e9) AS INTEGER) "
      "ORDER BY s.%s LIMIT 1) AS id FROM n, (SELECT "
      "(SELECT min(%s) FROM \"%w\".\"%w\") AS low, "
      "(SELECT max(%s) FROM \"%w\".\"%w\") AS high) AS b) AS p "
      "CROSS JOIN \"%w\".\"%w\" AS t ON t.%s = p.id",
      rowid, table->schema, table->name, rowid, rowid, rowid, table->schema,
      table->name, rowid, table->schema, table->name, table->schema,
      table->name, rowid);
}

/* Finds out which share of a sample passes, of the rows that meet the loop's
** own conditions. */
static int check_share(attempt *tried, sql_filter *filter,
                       const sql_pair *pair) {
  const plan_loop *loop = pair->probe;
  sqlite3_str *text = sqlite3_str_new(NULL);
  sqlite3_stmt *row;
  sqlite3_str_appendf(text,
                      "SELECT avg(bloom_may_match(t.\"%w\", (SELECT "
                      "bloom_open(bloom_build(k)) FROM (%s)))) FROM ",
                      loop->table->columns[pair->probe_column].name,
                      filter->set);
  append_sample(text, loop->table);
  for (int i = 0; i < loop->condition_count; i++) {
    sqlite3_str_appendf(text, " %s t.\"%w\" %s", i == 0 ? "WHERE" : "AND",
                        loop->table->columns[loop->conditions[i].column].name,
                        loop->conditions[i].text);
  }
  const int rc = first_row(tried->advice->db, &row, sqlite3_str_finish(text));
  if (rc == SQLITE_ROW && sqlite3_column_type(row, 0) != SQLITE_NULL) {
    filter->share = sqlite3_column_double(row, 0);
  }
  sqlite3_finalize(row);
  if (filter->share >= 0.5) filter->reason = "too many rows pass the filter";
  return ends_all(rc) ? rc : SQLITE_OK;
}

/* Makes the condition of a filter: that of a kept filter if there is one of the
** whole column. */
static int make_condition(attempt *tried, sql_filter *filter,
                          const sql_pair *pair) {
  const mirror_table *table = pair->set->table;
  const char *column = table->columns[pair->set_column].name;
  sqlite3_stmt *row = NULL;
  char *view = NULL;
  int rc = SQLITE_OK;
  if (filter->whole && strcmp(table->schema, "main") == 0) {
    rc = first_row(tried->advice->db, &row,
                   sqlite3_mprintf("SELECT bloom_is_kept('parts', %Q, %Q)",
                                   table->name, column));
    filter->kept = rc == SQLITE_ROW && sqlite3_column_int(row, 0) == 1;
    sqlite3_finalize(row);
  }
  if (ends_all(rc)) return rc;
  if (filter->kept) {
    view = sqlite3_mprintf("%s_%s_filter", table->name, column);
    if (view == NULL) return SQLITE_NOMEM;
  }
  filter->condition = sql_probe_text(pair, filter->set, view);
  sqlite3_free(view);
  return filter->condition == NULL ? SQLITE_NOMEM : SQLITE_OK;
}

/* Makes the conditions, and those checks that are cheap. */
static int check_filters(attempt *tried) {
  sql_advice *advice = tried->advice;
  int rc = check_plan(tried);
  for (int i = 0; rc == SQLITE_OK && i < advice->count; i++) {
    sql_filter *filter = &advice->filters[i];
    if (filter->set == NULL) continue;
    rc = make_condition(tried, filter, &tried->pairs[i]);
    if (rc != SQLITE_OK || filter->problem != NULL) continue;
    if (!filter->first) {
      filter->reason = "the plan does not read the probed table first";
      continue;
    }
    if (!has_time(advice, 1)) continue;
    if (!filter->kept) rc = check_build(tried, filter);
    if (rc == SQLITE_OK && filter->reason == NULL) {
      rc = check_share(tried, filter, &tried->pairs[i]);
    }
  }
  return rc;
}

/* ---- Running them. */

/* Prepares the query with the chosen filters, runs it once, and compares its
** rows with those of the plain one. */
static int run_chosen(attempt *tried, sql_trial *trial, bool *same,
                      char **error) {
  sql_advice *advice = tried->advice;
  sql_difference difference;
  *same = false;
  for (int i = 0; i < advice->count; i++) {
    tried->conditions[i] = advice->filters[i].condition;
  }
  trial->seed = advice->plain.seed;
  trial->text =
      sql_filtered_text(advice->plain.text, tried->pairs, tried->conditions,
                        tried->chosen, advice->count);
  if (trial->text == NULL) return SQLITE_NOMEM;
  int rc =
      sqlite3_prepare_v2(advice->db, trial->text, -1, &trial->statement, NULL);
  if (rc == SQLITE_OK) rc = sql_first_run(trial, &advice->plain);
  if (rc == SQLITE_OK && !trial->stopped) {
    rc = sql_compare_rows(&advice->plain, trial, &difference, same);
    sqlite3_free(difference.missing_row);
    sqlite3_free(difference.added_row);
  }
  if (rc == SQLITE_OK || ends_all(rc)) return rc;
  if (*error == NULL) {
    *error = sqlite3_mprintf("%s", sqlite3_errmsg(advice->db));
  }
  return *error == NULL ? SQLITE_NOMEM : SQLITE_OK;
}

/* Runs a filter alone. */
static int run_filter(attempt *tried, int i) {
  sql_filter *filter = &tried->advice->filters[i];
  filter->trial = sqlite3_malloc64(sizeof(*filter->trial));
  if (filter->trial == NULL) return SQLITE_NOMEM;
  memset(filter->trial, 0, sizeof(*filter->trial));
  filter->tried = true;
  tried->chosen[i] = true;
  const int rc =
      run_chosen(tried, filter->trial, &filter->right, &filter->error);
  tried->chosen[i] = false;
  /* Uncovered: no filter of the tests takes so long. */
  if (filter->trial->stopped) {
    filter->problem = "it was stopped after twice the time of the query";
  } else if (rc == SQLITE_OK && filter->error == NULL && !filter->right) {
    filter->problem = "it has other rows";
  }
  return rc;
}

/* Runs each filter once: first those that may pay, and then those that are only
** to be given, for which a slow query gets a quarter of the time. */
static int run_filters(attempt *tried) {
  sql_advice *advice = tried->advice;
  const double share = advice->plain.first_ms < 10 ? 1 : 0.25;
  int rc = SQLITE_OK;
  for (int only_given = 0; only_given < 2; only_given++) {
    for (int i = 0; rc == SQLITE_OK && i < advice->count; i++) {
      const sql_filter *filter = &advice->filters[i];
      if (filter->problem != NULL || filter->tried ||
          (filter->reason != NULL) != only_given) {
        continue;
      }
      if (has_time(advice, only_given ? share : 1)) {
        rc = run_filter(tried, i);
      } else {
        advice->left_out++;
      }
    }
  }
  return rc;
}

/* How long trials are run in turn: half a second each, within the time. */
static double time_in_turn(const sql_advice *advice, int count) {
  const double left = advice->seconds * 1e3 - sql_ms_since(advice->start);
  const double wanted = 500.0 * count;
  return left < wanted ? left : wanted;
}

/* Times each filter that is left, all in turn with the plain query. */
static int time_filters(attempt *tried) {
  sql_advice *advice = tried->advice;
  sql_trial **trials =
      sqlite3_malloc64(((uint64_t)advice->count + 1) * sizeof(sql_trial *));
  int count = 1;
  if (trials == NULL) return SQLITE_NOMEM;
  trials[0] = &advice->plain;
  for (int i = 0; i < advice->count; i++) {
    const sql_filter *filter = &advice->filters[i];
    if (filter->right && filter->reason == NULL) {
      trials[count++] = filter->trial;
    }
  }
  const int rc =
      count == 1 ? SQLITE_OK
                 : sql_run_in_turn(trials, count, time_in_turn(advice, count));
  sqlite3_free(trials);
  return rc;
}

/* What a filter gains, or 0 if that is not known. */
static double gain_of(const sql_advice *advice, const sql_filter *filter) {
  return filter->right && filter->reason == NULL
             ? sql_times_as_fast((sql_trial *)&advice->plain, filter->trial)
             : 0;
}

/* Copies the text of the best filter alone, and prepares it again. */
static int take_best_alone(attempt *tried, int best) {
  sql_advice *advice = tried->advice;
  sql_end_trial(&advice->best);
  advice->best = (sql_trial){.seed = advice->plain.seed};
  advice->best.text = sqlite3_mprintf("%s", advice->filters[best].trial->text);
  advice->best_count = 1;
  return advice->best.text == NULL
             ? SQLITE_NOMEM
             : sqlite3_prepare_v2(advice->db, advice->best.text, -1,
                                  &advice->best.statement, NULL);
}

/* Times the plain query and the best one again. */
static int time_best(attempt *tried) {
  sql_advice *advice = tried->advice;
  sql_trial *const turns[] = {&advice->plain, &advice->best};
  advice->plain.timed = advice->best.timed = 0;
  const int rc = sql_run_in_turn(turns, 2, time_in_turn(advice, 2));
  advice->faster = sql_times_as_fast(&advice->plain, &advice->best);
  return rc;
}

/* Finds the best query: with all filters that gain, or with the one that gains
** most. */
static int find_best(attempt *tried) {
  sql_advice *advice = tried->advice;
  int best = -1, gaining = 0, rc = SQLITE_OK;
  double most = 1;
  bool same = false;
  char *error = NULL;
  for (int i = 0; i < advice->count; i++) {
    const double gain = gain_of(advice, &advice->filters[i]);
    advice->filters[i].gain = gain;
    tried->chosen[i] = gain > 1;
    gaining += gain > 1;
    if (gain > most) most = gain, best = i;
  }
  if (best < 0) return SQLITE_OK;
  if (gaining > 1 && has_time(advice, 1)) {
    rc = run_chosen(tried, &advice->best, &same, &error);
    sqlite3_free(error);
    if (rc == SQLITE_OK && same) rc = time_best(tried);
    if (rc != SQLITE_OK) return rc;
  }
  advice->best_count = gaining;
  if (!same || advice->faster < most) rc = take_best_alone(tried, best);
  if (rc == SQLITE_OK) rc = time_best(tried);
  return rc;
}

/* ---- All of it. */

static int try_in_mirror(attempt *tried) {
  sql_advice *advice = tried->advice;
  int rc = sql_open_mirror(advice->db, advice->plain.text, &tried->mirror,
                           &advice->problem);
  if (rc == SQLITE_OK) {
    rc = sql_read_plan(&tried->mirror, advice->plain.text, &tried->plan);
  }
  if (ends_all(rc)) return rc;
  if (rc != SQLITE_OK) {
    if (advice->problem == NULL) {
      advice->problem = sqlite3_mprintf("the query cannot be analysed: %s",
                                        sqlite3_errmsg(tried->mirror.failed));
    }
    return advice->problem == NULL ? SQLITE_NOMEM : SQLITE_OK;
  }
  /* Uncovered: all instructions of the tested versions are known. */
  if (tried->plan.unknown != NULL) {
    advice->problem = sqlite3_mprintf(
        "the query cannot be analysed: this SQLite plans it with %s",
        tried->plan.unknown);
    /* Uncovered: the same. */
    return advice->problem == NULL ? SQLITE_NOMEM : SQLITE_OK;
  }
  rc = find_pairs(tried);
  if (rc == SQLITE_OK && advice->count > 0) {
    rc = sql_first_run(&advice->plain, NULL);
    if (rc == SQLITE_OK) rc = check_filters(tried);
    if (rc == SQLITE_OK) rc = run_filters(tried);
    if (rc == SQLITE_OK) rc = time_filters(tried);
    if (rc == SQLITE_OK) rc = find_best(tried);
  }
  if (rc == SQLITE_OK || ends_all(rc)) return rc;
  advice->problem = sqlite3_mprintf("the query cannot be run: %s",
                                    sqlite3_errmsg(advice->db));
  return advice->problem == NULL ? SQLITE_NOMEM : SQLITE_OK;
}

int sql_try_filters(sql_advice *advice) {
  attempt tried = {.advice = advice};
  const int rc = try_in_mirror(&tried);
  sqlite3_free(tried.pairs);
  sqlite3_free(tried.conditions);
  sqlite3_free(tried.chosen);
  sql_free_plan(&tried.plan);
  sql_close_mirror(&tried.mirror);
  return rc;
}

void sql_free_advice(sql_advice *advice) {
  for (int i = 0; i < advice->count; i++) {
    sql_filter *filter = &advice->filters[i];
    sqlite3_free(filter->probe);
    sqlite3_free(filter->key);
    sqlite3_free(filter->set);
    sqlite3_free(filter->condition);
    sqlite3_free(filter->error);
    if (filter->trial != NULL) sql_end_trial(filter->trial);
    sqlite3_free(filter->trial);
  }
  sqlite3_free(advice->filters);
  sqlite3_free(advice->problem);
  sql_end_trial(&advice->plain);
  sql_end_trial(&advice->best);
  advice->filters = NULL;
  advice->problem = NULL;
  advice->count = 0;
}
