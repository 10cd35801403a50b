#include "try.h"

#include <math.h>
#include <string.h>

#include "../compat.h"

/* Tells the connection's function bloom_progress, if it has one, what is run
** next, a text that is freed, and how many seconds are left. */
static int tell(sql_advice *advice, char *what) {
  double count = 0;
  if (what == NULL) return SQLITE_NOMEM;
  int rc = sql_ask_numbers(
      advice,
      sqlite3_mprintf("SELECT count(*) AS n FROM main.pragma_function_list "
                      "WHERE name = 'bloom_progress'"),
      &count, 1);
  if (rc == SQLITE_OK && count > 0) {
    rc = sql_ask_numbers(
        advice,
        sqlite3_mprintf("SELECT bloom_progress('%q; %.1f s left') AS said",
                        what, sql_ms_left(advice) / 1e3),
        NULL, 0);
  }
  sqlite3_free(what);
  return rc;
}

/* ---- Running them. */

/* Finds out whether a filter of the whole column is kept. */
static int find_view(sql_advice *advice, sql_filter *filter) {
  const mirror_table *table = filter->keys->table;
  const char *column = table->columns[filter->key_column].name;
  double kept = 0;
  if (!filter->keepable) return SQLITE_OK;
  const int rc =
      sql_ask_numbers(advice,
                      sqlite3_mprintf("SELECT bloom_is_kept('parts', %Q, %Q)",
                                      table->name, column),
                      &kept, 1);
  if (kept == 1) {
    filter->view =
        sql_arena_text(&advice->arena, "%s_%s_filter", table->name, column);
  }
  return rc;
}

/* Makes a trial of the query with the chosen filters, and prepares it. Unless
** until is SQL_NEVER, it ends at that time, in whichever loop it is. What is
** known of the trial's first run stays. */
static int write_chosen(sql_advice *advice, sqlite3_int64 until,
                        sql_trial *trial) {
  sqlite3_finalize(trial->statement);
  trial->statement = NULL;
  trial->text = sql_filtered_text(&advice->arena, &advice->plain, &advice->plan,
                                  &advice->found, until);
  return trial->text == NULL ? SQLITE_NOMEM
                             : sql_prepare_trial(advice->db, trial);
}

/* Compares the rows of a trial with those of the plain query, if that has
** ended. *problem is NULL if they are the same. */
static int compare_with_plain(sql_advice *advice, const sql_trial *trial,
                              const char **problem) {
  const sql_trial *plain = &advice->plain;
  sql_difference difference;
  bool same = plain->stopped || sql_same_rows(plain, trial);
  int rc = SQLITE_OK;
  *problem = NULL;
  if (same) return rc;
  /* What is different, one more run of both and sorting their rows tell. */
  if (3 * (plain->first_ms + trial->first_ms) > sql_ms_left(advice)) {
    *problem =
        "there was no time to find out whether its rows are others, or "
        "REALs differ in their last digits";
    return rc;
  }
  rc = sql_compare_rows(&advice->arena, plain, trial, &difference, &same);
  if (!same) *problem = "it has other rows";
  return rc;
}

/* Runs the query with the chosen filters once, until that time, and compares
** its rows. */
static int run_chosen(sql_advice *advice, sqlite3_int64 until, sql_trial *trial,
                      const char **problem) {
  *problem = NULL;
  int rc = write_chosen(advice, until, trial);
  if (rc == SQLITE_OK) rc = sql_first_run(trial, until, advice->seed);
  return rc != SQLITE_OK || trial->stopped
             ? rc
             : compare_with_plain(advice, trial, problem);
}

/* Runs a filter alone, for so many milliseconds at most. */
static int run_filter(sql_advice *advice, sql_filter *filter, double ms) {
  sql_trial *run = &filter->trial;
  filter->tried = true;
  filter->chosen = true;
  int rc = run_chosen(advice, sql_in_ms(ms), run, &filter->problem);
  if (rc == SQLITE_OK && run->stopped) {
    /* One that had less time than the query itself has not lost. */
    filter->tried = advice->plain.stopped || ms >= advice->clocked_ms;
    advice->left_out += !filter->tried;
    if (filter->tried) {
      filter->problem = "it was stopped when it had taken too long";
    }
  } else if (rc != SQLITE_OK && !sql_ends_all(rc)) {
    filter->problem = sql_arena_text(&advice->arena, "it cannot be run: %s",
                                     sqlite3_errmsg(advice->db));
  }
  filter->right = rc == SQLITE_OK && !run->stopped && filter->problem == NULL;
  if (filter->right) rc = write_chosen(advice, SQL_NEVER, run);
  filter->chosen = false;
  if (sql_ends_all(rc)) return rc;
  return advice->arena.no_memory ? SQLITE_NOMEM : SQLITE_OK;
}

/* By so many milliseconds, a busy machine may lengthen a first run. */
#define NOISE_MS 100

/* Runs each filter once. It has its share of what is left of three fifths of
** the time, or as much as the query itself took; but not much more. */
static int run_filters(sql_advice *advice) {
  const sql_filters *found = &advice->found;
  const double enough = advice->clocked_ms, longest = enough + 5 * NOISE_MS;
  int rc = SQLITE_OK, count = advice->to_try;
  for (int i = 0; rc == SQLITE_OK && i < found->count; i++) {
    sql_filter *filter = &found->all[i];
    if (filter->problem != NULL) continue;
    const double left = advice->seconds * 600 - sql_ms_since(advice->start);
    const double share = left / count;
    const int number = advice->to_try - --count;
    if (left <= 0) {
      advice->left_out++;
      continue;
    }
    rc = tell(advice, sqlite3_mprintf(
                          "filter %d of %d, of %s; the query itself %s %.3f s",
                          number, advice->to_try, filter->probe_name,
                          advice->plain.stopped ? "did not end within" : "took",
                          advice->plain.first_ms / 1e3));
    if (rc == SQLITE_OK) rc = find_view(advice, filter);
    if (rc != SQLITE_OK) break;
    const double ms =
        advice->plain.stopped ? share : fmin(fmax(share, enough), longest);
    rc = run_filter(advice, filter, fmin(ms, left));
  }
  return rc;
}

/* Runs the query itself. First it is run with clocks, for so many milliseconds
** at most: what ends then, ends once more. It may end later, where no clock
** stops it. */
static int run_plain(sql_advice *advice, double ms) {
  const sqlite3_int64 until = sql_in_ms(ms);
  sql_trial *plain = &advice->plain;
  sql_trial run = {.text = NULL};
  int rc = tell(advice, sqlite3_mprintf("the query without a filter"));
  if (rc != SQLITE_OK) return rc;
  rc = write_chosen(advice, until, &run);
  if (rc == SQLITE_OK) rc = sql_first_run(&run, until, advice->seed);
  sqlite3_finalize(run.statement);
  advice->clocked_ms = fmax(advice->clocked_ms, run.first_ms);
  plain->stopped = rc != SQLITE_OK || run.stopped || run.first_ms > ms;
  plain->first_ms = advice->clocked_ms;
  return plain->stopped ? rc : sql_first_run(plain, SQL_NEVER, advice->seed);
}

/* If the query did not end, but did with a filter: runs it once more, since
** what it read may be in the memory now. */
static int run_plain_again(sql_advice *advice) {
  const sql_filters *found = &advice->found;
  int rc = SQLITE_OK;
  bool any = false;
  for (int i = 0; i < found->count; i++) any |= found->all[i].right;
  if (!advice->plain.stopped || !any) return rc;
  rc = run_plain(advice, sql_ms_left(advice) / 3);
  for (int i = 0; rc == SQLITE_OK && i < found->count; i++) {
    sql_filter *filter = &found->all[i];
    if (!filter->right) continue;
    rc = compare_with_plain(advice, &filter->trial, &filter->problem);
    filter->right = filter->problem == NULL;
  }
  return rc;
}

/* How many times as fast as the query a trial is, or 0. */
static double faster_of(sql_advice *advice, sql_trial *trial) {
  sql_trial *plain = &advice->plain;
  if (plain->stopped) {
    return plain->first_ms /
           (trial->timed > 0 ? sql_median(trial) : trial->first_ms);
  }
  return sql_surely_as_fast(plain, trial);
}

/* Runs in turn the query, if it has ended, the chosen filters that have gained
** so much, and all together, if that has a statement: for half a second each,
** or so many turns, but only in half of the time that is left, since what is
** asked after them takes time, too. Of a filter that is timed twice, the lesser
** gain is believed: the best of several is often one that was lucky. */
static int time_chosen(sql_advice *advice, double least, int turns) {
  const sql_filters *found = &advice->found;
  sql_trial *together = &advice->best;
  sql_trial **trials = sql_arena_allocate(
      &advice->arena, ((uint64_t)found->count + 2) * sizeof(*trials));
  int count = 0;
  if (trials == NULL) return SQLITE_NOMEM;
  for (int i = 0; i < found->count; i++) {
    sql_filter *filter = &found->all[i];
    filter->timed = filter->chosen && filter->faster >= least;
    if (filter->timed) trials[count++] = &filter->trial;
  }
  if (count == 0) return SQLITE_OK;
  if (together->statement != NULL) trials[count++] = together;
  if (!advice->plain.stopped) trials[count++] = &advice->plain;
  double turn_ms = 0;
  for (int i = 0; i < count; i++) {
    trials[i]->timed = 0;
    turn_ms += trials[i]->first_ms;
  }
  int rc = tell(advice, sqlite3_mprintf("%d queries in turn", count));
  const double left = sql_ms_left(advice);
  const double enough = fmax(500.0 * count, turns * turn_ms);
  if (rc == SQLITE_OK) {
    rc =
        sql_run_in_turn(trials, count, fmin(enough, left / 2), sql_in_ms(left));
  }
  for (int i = 0; i < found->count; i++) {
    sql_filter *filter = &found->all[i];
    if (!filter->timed) continue;
    const double faster = faster_of(advice, &filter->trial);
    filter->faster = filter->faster > 0 ? fmin(filter->faster, faster) : faster;
  }
  if (together->statement != NULL) {
    advice->faster = faster_of(advice, together);
  }
  return rc;
}

/* Whether two filters are of one lookup, in whatever form and direction. */
static bool is_same_lookup(const sql_filter *a, const sql_filter *b) {
  return (a->probe == b->probe && a->keys == b->keys &&
          a->probe_column == b->probe_column &&
          a->key_column == b->key_column) ||
         (a->probe == b->keys && a->keys == b->probe &&
          a->probe_column == b->key_column && a->key_column == b->probe_column);
}

void sql_leave_slowest(sql_advice *advice) {
  const sql_filters *found = &advice->found;
  while (true) {
    double turn_ms = advice->plain.stopped ? 0 : advice->plain.first_ms;
    sql_filter *slowest = NULL;
    int count = 0;
    for (int i = 0; i < found->count; i++) {
      sql_filter *filter = &found->all[i];
      if (!filter->chosen) continue;
      count++;
      turn_ms += filter->trial.first_ms;
      if (slowest == NULL || filter->trial.first_ms > slowest->trial.first_ms)
        slowest = filter;
    }
    if (count < 2 || 2 * turn_ms <= sql_ms_left(advice) / 3) return;
    slowest->chosen = false;
    slowest->reason = "its first run took longer than that of another filter";
  }
}

/* Times the filters that may pay. */
static int time_filters(sql_advice *advice) {
  const sql_filters *found = &advice->found;
  for (int i = 0; i < found->count; i++) {
    sql_filter *filter = &found->all[i];
    const bool is_slow = filter->trial.first_ms > advice->clocked_ms + NOISE_MS;
    filter->chosen = filter->right && !is_slow;
    if (filter->right && is_slow) {
      filter->reason = "its first run took longer than that of the query";
    }
  }
  sql_leave_slowest(advice);
  return time_chosen(advice, 0, 2);
}

/* ---- Which are chosen. */

/* How much there is to say of a filter. It must pay beside what is none. */
static double interest_of(const sql_filter *filter) {
  const double least = filter->test == TEST_FILTER ? SQL_PAYS_FROM : 1;
  return filter->faster > 0        ? 3 + filter->faster / least
         : filter->right           ? 3
         : filter->tried           ? 2
         : filter->problem == NULL ? 1
                                   : 0;
}

/* Puts the best first. */
static void sort_filters(sql_filters *found) {
  for (int i = 1; i < found->count; i++) {
    const sql_filter filter = found->all[i];
    int at = i;
    for (; at > 0 && interest_of(&found->all[at - 1]) < interest_of(&filter);
         at--) {
      found->all[at] = found->all[at - 1];
    }
    found->all[at] = filter;
  }
}

/* Chooses the filter of each lookup that is shown. */
static void show_filters(sql_filters *found) {
  sort_filters(found);
  for (int i = 0; i < found->count; i++) {
    sql_filter *filter = &found->all[i];
    filter->shown = true;
    for (int j = 0; j < i; j++) {
      if (is_same_lookup(filter, &found->all[j])) filter->shown = false;
    }
  }
}

/* The chosen filter that gains most, or NULL. */
static sql_filter *best_of(const sql_filters *found) {
  sql_filter *best = NULL;
  for (int i = 0; i < found->count; i++) {
    sql_filter *filter = &found->all[i];
    if (filter->chosen && (best == NULL || filter->faster > best->faster)) {
      best = filter;
    }
  }
  return best;
}

/* In how many turns the best are measured once more. */
#define LAST_TURNS 7

/* Finds the best query: with all filters that gain, or with the one that gains
** most. If there is time, they are measured once more, in turn. */
static int find_best(sql_advice *advice) {
  sql_filters *found = &advice->found;
  sql_trial *together = &advice->best;
  const char *problem = NULL;
  int rc = SQLITE_OK, count = 0;
  for (int i = 0; i < found->count; i++) {
    sql_filter *filter = &found->all[i];
    filter->chosen = filter->shown && filter->faster > 1;
    count += filter->chosen;
  }
  sql_filter *best = best_of(found);
  if (best == NULL) return SQLITE_OK;
  if (!advice->plain.stopped &&
      3 * best->trial.first_ms < sql_ms_left(advice)) {
    if (count > 1) rc = run_chosen(advice, SQL_NEVER, together, &problem);
    if (sql_ends_all(rc)) return rc;
    if (rc != SQLITE_OK || problem != NULL) {
      sqlite3_finalize(together->statement);
      together->statement = NULL;
    }
    rc = time_chosen(advice, 0.8 * best->faster, LAST_TURNS);
    if (rc != SQLITE_OK) return rc;
    best = best_of(found);
  }
  if (best->faster >= advice->faster) {
    for (int i = 0; i < found->count; i++) found->all[i].chosen = false;
    best->chosen = true;
    advice->faster = best->faster;
    together->text = best->trial.text;
    together->turns = best->trial.turns;
  }
  advice->unsure =
      !advice->plain.stopped && !sql_is_sure(advice->faster, together->turns);
  sort_filters(found);
  return SQLITE_OK;
}

/* ---- What else is known of those that were timed. */

/* Finds out which share passes of the rows at 1,000 places of the probed table
** that meet its own conditions. The places are the fractional parts of
** multiples of the golden ratio: they are spread evenly, but keep in step with
** no period that the rows may have. */
static int sample(sql_advice *advice, sql_filter *filter) {
  const plan_loop *loop = filter->probe;
  double numbers[] = {0, 0}; /* the share, and of how many rows */
  if (!loop->table->has_rowid || filter->test == TEST_NONE ||
      filter->form == FORM_GUARD) {
    return SQLITE_OK;
  }
  bool has_where = true;
  sqlite3_str *text = sqlite3_str_new(NULL);
  char *name =
      sqlite3_mprintf("\"%w\".\"%w\"", loop->table->schema, loop->table->name);
  sqlite3_str_appendf(
      text,
      "SELECT avg(%s), count(*) FROM %s AS t WHERE t.rowid IN ("
      "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n "
      "LIMIT 1000) SELECT (SELECT s.rowid FROM %s AS s WHERE s.rowid >= "
      "b.low + CAST((b.high - b.low) * (n.i * 618033989 %% 1000000000 / 1e9) "
      "AS INTEGER) ORDER BY s.rowid LIMIT 1) FROM n, (SELECT "
      "(SELECT min(rowid) FROM %s) AS low, "
      "(SELECT max(rowid) FROM %s) AS high) AS b)",
      sql_probe_text(&advice->arena, filter, SQL_NEVER), name, name, name,
      name);
  sqlite3_free(name);
  for (int i = 0; i < loop->condition_count; i++) {
    sql_append_condition(&advice->arena, text, loop, &loop->conditions[i], "t",
                         &has_where);
  }
  const int rc = sql_ask_numbers(advice, sqlite3_str_finish(text), numbers, 2);
  /* Fewer rows are no sample: many places may have the same row. */
  if (numbers[1] >= 100) filter->share = numbers[0];
  return rc;
}

/* Finds out how long it takes to build a filter that could be kept. */
static int time_build(sql_advice *advice, sql_filter *filter) {
  const sqlite3_int64 start = sql_now();
  double size;
  if (!filter->keepable || filter->view != NULL) return SQLITE_OK;
  const int rc = sql_ask_numbers(
      advice,
      sqlite3_mprintf("SELECT length(bloom_build(k)) FROM (%s)", filter->set),
      &size, 1);
  filter->build_ms = sql_ms_since(start);
  return rc;
}

static int look_closer(sql_advice *advice) {
  int rc = SQLITE_OK;
  for (int i = 0; rc == SQLITE_OK && i < advice->found.count; i++) {
    sql_filter *filter = &advice->found.all[i];
    if (!filter->right || filter->trial.first_ms > sql_ms_left(advice))
      continue;
    rc = sample(advice, filter);
    if (rc == SQLITE_OK && filter->faster > 0) rc = time_build(advice, filter);
  }
  return rc;
}

/* Measures what is no filter, if there is any. */
static int measure_remedies(sql_advice *advice) {
  if ((advice->index.sql == NULL && advice->analyze.sql == NULL) ||
      sql_ms_left(advice) <= 0) {
    return SQLITE_OK;
  }
  const int rc =
      tell(advice, sqlite3_mprintf("a copy of the tables in memory"));
  return rc == SQLITE_OK ? sql_measure_remedies(advice) : rc;
}

/* ---- All of it. */

int sql_try_filters(sql_advice *advice) {
  sqlite3_randomness(sizeof(advice->seed), &advice->seed);
  int rc = sql_ask_mirror(advice);
  if (rc == SQLITE_OK) rc = sql_choose_filters(advice);
  if (rc == SQLITE_OK && advice->to_try > 0) {
    rc = run_plain(advice, sql_ms_left(advice) / 3);
    if (rc == SQLITE_OK) rc = run_filters(advice);
    if (rc == SQLITE_OK) rc = run_plain_again(advice);
    if (rc == SQLITE_OK) rc = time_filters(advice);
  }
  show_filters(&advice->found);
  if (rc == SQLITE_OK) rc = find_best(advice);
  if (rc == SQLITE_OK) rc = look_closer(advice);
  if (rc == SQLITE_OK) rc = sql_find_index(advice);
  if (rc == SQLITE_OK) rc = measure_remedies(advice);
  if (rc == SQLITE_OK || sql_ends_all(rc)) return rc;
  if (advice->problem == NULL) {
    advice->problem =
        sql_arena_text(&advice->arena, "the query cannot be run: %s",
                       sqlite3_errmsg(advice->db));
  }
  return advice->arena.no_memory ? SQLITE_NOMEM : SQLITE_OK;
}

void sql_free_advice(sql_advice *advice) {
  for (int i = 0; i < advice->found.count; i++) {
    sqlite3_finalize(advice->found.all[i].trial.statement);
  }
  sqlite3_finalize(advice->plain.statement);
  sqlite3_finalize(advice->best.statement);
  sql_arena_free(&advice->arena);
}
