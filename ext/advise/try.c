#include "try.h"

#include <string.h>

#include "../compat.h"

/* Whether there is this share of the time left. */
static bool has_time(const sql_advice *advice, double share) {
  return sql_ms_since(advice->start) < advice->seconds * 1e3 * share;
}

static bool ends_all(int rc) {
  return rc == SQLITE_NOMEM || rc == SQLITE_INTERRUPT;
}

/* ---- Which filters there are. */

static int find_filters(sql_advice *advice, sql_mirror *mirror,
                        const sql_plan *plan) {
  advice->filters = sql_arena_allocate(
      &advice->arena,
      (2 * (uint64_t)plan->lookup_count + 1) * sizeof(*advice->filters));
  if (advice->filters == NULL) return SQLITE_NOMEM;
  for (int i = 0; i < plan->lookup_count; i++) {
    const plan_lookup *lookup = &plan->lookups[i];
    /* Uncovered: SQLite looks no loop up by itself. */
    if (lookup->loop == lookup->key_loop) continue;
    for (int exchanged = 0; exchanged <= !lookup->list; exchanged++) {
      sql_make_filter(mirror, plan, lookup, exchanged,
                      &advice->filters[advice->count++]);
    }
  }
  return advice->arena.no_memory ? SQLITE_NOMEM : SQLITE_OK;
}

/* Opens the mirror of the query, and reads there which filters it can have. */
static int ask_mirror(sql_advice *advice) {
  sql_mirror mirror = {
      .arena = &advice->arena, .asks = advice->db, .query = advice->plain.text};
  sql_plan plan;
  int rc = sql_open_mirror(&mirror);
  if (rc == SQLITE_OK) rc = sql_read_plan(&mirror, &plan);
  if (rc == SQLITE_OK) rc = find_filters(advice, &mirror, &plan);
  sql_close_mirror(&mirror);
  if (rc != SQLITE_OK) advice->problem = mirror.problem;
  return rc;
}

/* ---- The checks that are cheap. */

/* Steps to the first row of SQL, which is freed. Returns SQLITE_ROW, or another
** code; the caller finalizes the statement. */
static int first_row(sqlite3 *db, sqlite3_stmt **row, char *sql) {
  *row = NULL;
  int rc =
      sql == NULL ? SQLITE_NOMEM : sqlite3_prepare_v2(db, sql, -1, row, NULL);
  sqlite3_free(sql);
  return rc == SQLITE_OK ? sqlite3_step(*row) : rc;
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

/* Appends a table's rows at 1,000 places, or, without a rowid, the first; then
** a WHERE. The places are the fractional parts of multiples of the golden
** ratio: they are spread evenly, but keep in step with no period that the rows
** may have. */
static void append_sample(sqlite3_str *text, const mirror_table *table) {
  const char *id = rowid_name(table);
  char *name = sqlite3_mprintf("\"%w\".\"%w\"", table->schema, table->name);
  if (id == NULL) {
    sqlite3_str_appendf(text, "(SELECT * FROM %s LIMIT 1000) AS t WHERE 1",
                        name);
  } else {
    sqlite3_str_appendf(
        text,
        "%s AS t WHERE t.%s IN (WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL "
        "SELECT i + 1 FROM n LIMIT 1000) SELECT (SELECT s.%s FROM %s AS s "
        "WHERE s.%s >= b.low + CAST((b.high - b.low) * "
        "(n.i * 618033989 %% 1000000000 / 1e9) AS INTEGER) "
        "ORDER BY s.%s LIMIT 1) FROM n, (SELECT (SELECT min(%s) FROM %s) "
        "AS low, (SELECT max(%s) FROM %s) AS high) AS b)",
        name, id, id, name, id, id, id, name, id, name);
  }
  sqlite3_free(name);
}

/* Makes the condition of a filter: that of a kept filter if there is one of the
** whole column. */
static int make_condition(sql_advice *advice, sql_filter *filter) {
  const mirror_table *table = filter->keys->table;
  const char *column = table->columns[filter->key_column].name;
  const char *view = NULL;
  int rc = SQLITE_OK;
  if (filter->whole && strcmp(table->schema, "main") == 0) {
    sqlite3_stmt *row;
    rc = first_row(advice->db, &row,
                   sqlite3_mprintf("SELECT bloom_is_kept('parts', %Q, %Q)",
                                   table->name, column));
    filter->kept = rc == SQLITE_ROW && sqlite3_column_int(row, 0) == 1;
    sqlite3_finalize(row);
  }
  if (filter->kept) {
    view = sql_arena_text(&advice->arena, "%s_%s_filter", table->name, column);
  }
  filter->condition = sql_probe_text(&advice->arena, filter, view);
  return advice->arena.no_memory ? SQLITE_NOMEM : rc;
}

/* Finds out how long building takes, and which share of a sample passes, of the
** rows that meet the loop's own conditions. */
static int check_cheaply(sql_advice *advice, sql_filter *filter) {
  const plan_loop *loop = filter->probe;
  const sqlite3_int64 start = sql_now();
  sqlite3_stmt *row;
  int rc = first_row(
      advice->db, &row,
      sqlite3_mprintf("SELECT length(bloom_build(k)) FROM (%s)", filter->set));
  sqlite3_finalize(row);
  filter->build_ms = sql_ms_since(start);
  if (filter->build_ms > advice->plain.first_ms && !filter->kept) {
    filter->reason = "building the filter takes longer than the query";
    return rc;
  }
  sqlite3_str *text = sqlite3_str_new(NULL);
  sqlite3_str_appendf(text, "SELECT avg(%s) FROM ", filter->condition);
  append_sample(text, loop->table);
  for (int i = 0; i < loop->condition_count; i++) {
    sqlite3_str_appendf(text, " AND t.\"%w\" %s",
                        loop->table->columns[loop->conditions[i].column].name,
                        loop->conditions[i].text);
  }
  rc = first_row(advice->db, &row, sqlite3_str_finish(text));
  if (rc == SQLITE_ROW && sqlite3_column_type(row, 0) != SQLITE_NULL) {
    filter->share = sqlite3_column_double(row, 0);
  }
  sqlite3_finalize(row);
  if (filter->share >= 0.5) filter->reason = "too many rows pass the filter";
  return rc;
}

static int check_filters(sql_advice *advice) {
  int rc = SQLITE_OK;
  for (int i = 0; !ends_all(rc) && i < advice->count; i++) {
    sql_filter *filter = &advice->filters[i];
    if (filter->set == NULL) continue;
    rc = make_condition(advice, filter);
    if (!ends_all(rc) && filter->problem == NULL && has_time(advice, 1)) {
      rc = check_cheaply(advice, filter);
    }
  }
  return ends_all(rc) ? rc : SQLITE_OK;
}

/* ---- Running them. */

/* Prepares the query with the chosen filters, runs it once, and compares its
** rows with those of the plain one. */
static int run_chosen(sql_advice *advice, sql_trial *trial, uint64_t seed,
                      bool *same) {
  sql_difference difference;
  *same = false;
  *trial =
      (sql_trial){.text = sql_filtered_text(&advice->arena, advice->plain.text,
                                            advice->filters, advice->count)};
  if (trial->text == NULL) return SQLITE_NOMEM;
  int rc = sql_prepare_trial(advice->db, trial);
  if (rc == SQLITE_OK) rc = sql_first_run(trial, &advice->plain, seed);
  return rc != SQLITE_OK || trial->stopped
             ? rc
             : sql_compare_rows(&advice->arena, &advice->plain, trial,
                                &difference, same);
}

/* Runs a filter alone. */
static int run_filter(sql_advice *advice, sql_filter *filter, uint64_t seed) {
  filter->tried = true;
  filter->chosen = true;
  int rc = run_chosen(advice, &filter->trial, seed, &filter->right);
  filter->chosen = false;
  if (ends_all(rc)) return rc;
  if (rc != SQLITE_OK) {
    filter->problem = sql_arena_text(&advice->arena, "it cannot be run: %s",
                                     sqlite3_errmsg(advice->db));
  } else if (filter->trial.stopped) {
    /* Uncovered: no filter of the tests takes so long. */
    filter->problem = "it was stopped after twice the time of the query";
  } else if (!filter->right) {
    filter->problem = "it has other rows";
  }
  return advice->arena.no_memory ? SQLITE_NOMEM : SQLITE_OK;
}

/* Runs each filter once: first those that may pay, and then those that are only
** to be given, for which a slow query gets a quarter of the time. */
static int run_filters(sql_advice *advice, uint64_t seed) {
  const double share = advice->plain.first_ms < 10 ? 1 : 0.25;
  int rc = SQLITE_OK;
  for (int only_given = 0; only_given < 2; only_given++) {
    for (int i = 0; rc == SQLITE_OK && i < advice->count; i++) {
      sql_filter *filter = &advice->filters[i];
      if (filter->problem != NULL || filter->tried ||
          (filter->reason != NULL) != only_given) {
        continue;
      }
      if (has_time(advice, only_given ? share : 1)) {
        rc = run_filter(advice, filter, seed);
      } else {
        advice->left_out++;
      }
    }
  }
  return rc;
}

/* Runs trials in turn for half a second each, within the time. */
static int time_trials(sql_advice *advice, sql_trial **trials, int count) {
  const double left = advice->seconds * 1e3 - sql_ms_since(advice->start),
               ms = 500.0 * count;
  return sql_run_in_turn(trials, count, left < ms ? left : ms);
}

/* Times the query and those that may pay. */
static int time_filters(sql_advice *advice) {
  sql_trial **trials = sql_arena_allocate(
      &advice->arena, ((uint64_t)advice->count + 1) * sizeof(*trials));
  int count = 0;
  if (trials == NULL) return SQLITE_NOMEM;
  trials[count++] = &advice->plain;
  for (int i = 0; i < advice->count; i++) {
    sql_filter *filter = &advice->filters[i];
    if (filter->right && filter->reason == NULL &&
        filter->trial.first_ms > advice->plain.first_ms + 100) {
      filter->reason = "its first run took longer than that of the query";
    }
    if (filter->right && filter->reason == NULL) {
      trials[count++] = &filter->trial;
    }
  }
  if (count == 1) return SQLITE_OK;
  const int rc = time_trials(advice, trials, count);
  for (int i = 0; i < advice->count; i++) {
    sql_filter *filter = &advice->filters[i];
    if (!filter->right || filter->reason != NULL) continue;
    filter->faster = sql_times_as_fast(&advice->plain, &filter->trial);
  }
  return rc;
}

/* Runs the query with the chosen filters, and times it beside the plain one, if
** it has the same rows. */
static int time_chosen(sql_advice *advice, uint64_t seed) {
  sql_trial *turns[] = {&advice->plain, &advice->best};
  bool same;
  sqlite3_finalize(advice->best.statement);
  advice->faster = 0;
  advice->plain.timed = 0;
  int rc = run_chosen(advice, &advice->best, seed, &same);
  if (rc != SQLITE_OK || !same) return ends_all(rc) ? rc : SQLITE_OK;
  rc = time_trials(advice, turns, 2);
  advice->faster = sql_times_as_fast(&advice->plain, &advice->best);
  return rc;
}

/* Finds the best query: with all filters that gain, or with the one that gains
** most. */
static int find_best(sql_advice *advice, uint64_t seed) {
  sql_filter *best = NULL;
  for (int i = 0; i < advice->count; i++) {
    sql_filter *filter = &advice->filters[i];
    filter->chosen = filter->faster > 1;
    advice->best_count += filter->chosen;
    if (filter->chosen && (best == NULL || filter->faster > best->faster)) {
      best = filter;
    }
  }
  int rc = best == NULL ? SQLITE_OK : time_chosen(advice, seed);
  if (rc != SQLITE_OK || advice->best_count < 2 ||
      advice->faster >= best->faster) {
    return rc;
  }
  for (int i = 0; i < advice->count; i++) {
    advice->filters[i].chosen = &advice->filters[i] == best;
  }
  advice->best_count = 1;
  return time_chosen(advice, seed);
}

/* ---- All of it. */

int sql_try_filters(sql_advice *advice) {
  uint64_t seed;
  sqlite3_randomness(sizeof(seed), &seed);
  int rc = ask_mirror(advice);
  if (rc == SQLITE_OK && advice->count > 0) {
    rc = sql_first_run(&advice->plain, NULL, seed);
    if (rc == SQLITE_OK) rc = check_filters(advice);
    if (rc == SQLITE_OK) rc = run_filters(advice, seed);
    if (rc == SQLITE_OK) rc = time_filters(advice);
    if (rc == SQLITE_OK) rc = find_best(advice, seed);
  }
  if (rc == SQLITE_OK || ends_all(rc)) return rc;
  if (advice->problem == NULL) {
    advice->problem =
        sql_arena_text(&advice->arena, "the query cannot be run: %s",
                       sqlite3_errmsg(advice->db));
  }
  return advice->arena.no_memory ? SQLITE_NOMEM : SQLITE_OK;
}

void sql_free_advice(sql_advice *advice) {
  for (int i = 0; i < advice->count; i++) {
    sqlite3_finalize(advice->filters[i].trial.statement);
  }
  sqlite3_finalize(advice->plain.statement);
  sqlite3_finalize(advice->best.statement);
  sql_arena_free(&advice->arena);
}
