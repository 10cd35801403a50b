/* Which filters bloom_advise takes to be right for a query: all forms of each,
** whatever they gain. tests/data/forms.txt has tables, queries and what they
** must have: for each column that a filter would probe, in the order of names,
** the form of the filter, or - if it is right in no place; or the conditions of
** the set of a filter of a.x in a join of a and b. What stands for ... depends
** on SQLite, and so does which of several results that are separated by | there
** is. */
#include <sqlite3.h>

#include "advise/try.h"
#include "bloom_ext.h"
#include "lib/sql.h"
#include "lib/tap.h"

static const char *const form_names[] = {"table", "reducer", "guard"};

static int compare_texts(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Finds out what a query can have, as bloom_advise does. */
static int ask_mirror(sqlite3 *db, const char *query, sql_advice *advice) {
  *advice = (sql_advice){.db = db,
                         .start = sql_now(),
                         .seconds = 60,
                         .plain = {.db = db, .text = query}};
  advice->plain.arena = &advice->arena;
  int rc = sql_write_views(&advice->plain);
  if (rc == SQLITE_OK) rc = sql_write_joins(&advice->plain);
  return rc == SQLITE_OK ? sql_ask_mirror(advice) : rc;
}

/* The filters of a query, or those of its sets that are of table b. */
static char *filters_of(sqlite3 *db, const char *query, int sets) {
  sql_advice advice;
  char *texts[64];
  int count = 0;
  sqlite3_str *all = sqlite3_str_new(NULL);
  if (ask_mirror(db, query, &advice) != SQLITE_OK) {
    sqlite3_str_appendall(all, advice.problem ? advice.problem : "no memory");
  }
  for (int i = 0; i < advice.found.count && count < 64; i++) {
    const sql_filter *filter = &advice.found.all[i];
    const int is_right = filter->problem == NULL;
    if (filter->test != TEST_FILTER) continue;
    if (filter->form != FORM_TABLE && (!is_right || sets)) continue;
    if (!sets) {
      texts[count++] =
          sqlite3_mprintf("%s %s", filter->probe_name,
                          is_right ? form_names[filter->form] : "-");
    } else if (filter->set != NULL && strcmp(filter->probe_name, "a.x") == 0) {
      const char *where = strstr(filter->set, " WHERE ");
      texts[count++] = sqlite3_mprintf("%s", where == NULL ? "" : where + 7);
    }
  }
  qsort(texts, (size_t)count, sizeof(*texts), compare_texts);
  for (int i = 0; i < count; i++) {
    sqlite3_str_appendf(all, "%s%s", i == 0 ? "" : ", ", texts[i]);
    sqlite3_free(texts[i]);
  }
  sql_free_advice(&advice);
  char *made = sqlite3_str_finish(all);
  return made == NULL ? sqlite3_mprintf("") : made;
}

/* Whether one of the results is what was found. */
static int is_expected(const char *results, const char *found) {
  for (;;) {
    const char *end = strstr(results, " | ");
    size_t size = end == NULL ? strlen(results) : (size_t)(end - results);
    const char *rest = strstr(results, "...");
    const int is_start = rest != NULL && rest < results + size;
    if (is_start) size = (size_t)(rest - results);
    if (strncmp(found, results, size) == 0 &&
        (is_start || found[size] == '\0')) {
      return 1;
    }
    if (end == NULL) return 0;
    results = end + 3;
  }
}

/* Prepares a query with clocks that stop it at a time, behind EXPLAIN or "". */
static sqlite3_stmt *with_clocks(sqlite3 *db, const char *explain,
                                 const char *query, sqlite3_int64 until) {
  sql_advice advice;
  sqlite3_stmt *statement = NULL;
  if (ask_mirror(db, query, &advice) == SQLITE_OK) {
    char *sql =
        sqlite3_mprintf("%s %s", explain,
                        sql_filtered_text(&advice.arena, &advice.plain,
                                          &advice.plan, &advice.found, until));
    sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
    sqlite3_free(sql);
  }
  sql_free_advice(&advice);
  return statement;
}

/* How many rows of EXPLAIN have a text, of a query with clocks. */
static int count_rows(sqlite3 *db, const char *explain, const char *query,
                      int column, const char *text) {
  sqlite3_stmt *plan = with_clocks(db, explain, query, SQL_NEVER - 1);
  int count = 0;
  while (sqlite3_step(plan) == SQLITE_ROW) {
    const char *found = (const char *)sqlite3_column_text(plan, column);
    count += found != NULL && strstr(found, text) != NULL;
  }
  sqlite3_finalize(plan);
  return count;
}

/* A limit of the connection is named. */
static void test_limit(sqlite3 *db) {
  const int before = sqlite3_limit(db, SQLITE_LIMIT_EXPR_DEPTH, 5);
  char *found = filters_of(db, "SELECT * FROM a JOIN b ON a.x = b.k", 0);
  sqlite3_limit(db, SQLITE_LIMIT_EXPR_DEPTH, before);
  ok(strstr(found, "Expression tree is too large (maximum depth 5)") != NULL,
     "with SQLITE_LIMIT_EXPR_DEPTH 5: %s", found);
  sqlite3_free(found);
}

#define RECURSIVE "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 "

static void test_clocks(sqlite3 *db) {
  run(db, "CREATE TABLE facts(u TEXT)");
  run(db, "CREATE TABLE plain(v TEXT)");
  ok(count_rows(db, "EXPLAIN QUERY PLAN",
                "SELECT 1 FROM facts CROSS JOIN plain ON v = u", 3,
                "AUTOMATIC PARTIAL") == 1,
     "a clock is a condition of an index that SQLite makes for the query");
  ok(count_rows(db, "EXPLAIN", RECURSIVE "FROM c WHERE i < 9) SELECT i FROM c",
                5, "bloom_until(2)") == 1,
     "a recursive WITH with a WHERE has a clock");
  ok(count_rows(db, "EXPLAIN",
                RECURSIVE "FROM c WHERE i < 9 OR 1 LIMIT 9) SELECT i FROM c", 5,
                "bloom_until(2)") == 1,
     "also if the WHERE has an OR");
  ok(count_rows(db, "EXPLAIN", RECURSIVE "FROM c LIMIT 9) SELECT i FROM c", 5,
                "bloom_until(2)") == 1,
     "and so has one without");
#define TWICE "WITH n(i) AS (VALUES (1), (2)) SELECT n.i FROM n, n AS m "
  ok(count_rows(db, "EXPLAIN", TWICE "WHERE n.i < 9 OR m.i = 2", 5,
                "bloom_until(2)") == 1,
     "a SELECT of a WITH has a clock");
  ok(count_rows(db, "EXPLAIN", TWICE "-- twice", 5, "bloom_until(2)") == 1,
     "also where nothing follows");
  ok(count_rows(db, "EXPLAIN",
                "SELECT 1 FROM (SELECT 1 LIMIT 9) AS n, json_each('[1]') "
                "ORDER BY 1",
                5, "bloom_until(2)") == 1,
     "and so has one of a subquery");
  ok(count_rows(db, "EXPLAIN", "SELECT 1 FROM main.facts ORDER BY u + 1", 5,
                "bloom_until(2)") == 1,
     "one of a table has no second clock");
  sqlite3_stmt *ends = with_clocks(db, "", TWICE "WHERE n.i < 9", 1);
  ok(ends != NULL && sqlite3_step(ends) == SQLITE_ABORT,
     "the clock of a WITH ends the query");
  sqlite3_finalize(ends);
  run(db, "CREATE VIEW seen AS SELECT u FROM facts WHERE u > 'a'");
  ok(count_rows(db, "EXPLAIN", "SELECT count(*) FROM seen", 5,
                "bloom_until(2)") == 1,
     "what a view reads has a clock");
  run(db, "CREATE TABLE pair(p TEXT, q TEXT, PRIMARY KEY(p, q)) WITHOUT ROWID");
  ok(count_rows(db, "EXPLAIN", "SELECT 1 FROM facts LEFT JOIN pair ON p = u", 5,
                "bloom_until(2)") == 2,
     "both loops of a LEFT JOIN have clocks, also one without a rowid");
  sqlite3_stmt *past =
      with_clocks(db, "", "SELECT q FROM pair WHERE p = 'a'", 1);
  ok(past != NULL && sqlite3_step(past) == SQLITE_DONE,
     "where a table has no rows, its clock is not asked");
  sqlite3_finalize(past);
}

/* Three times of a trial, and what the processor says of them. */
static sql_trial timed(double a, double b, double c, double processor) {
  return (sql_trial){.timed = 3,
                     .times = {a, b, c},
                     .processor = {processor, processor, processor}};
}

static double surely(sql_trial plain, sql_trial trial) {
  return sql_surely_as_fast(&plain, &trial);
}

/* How many times as fast a query is, where not all that is measured agrees. */
static void test_times(sqlite3 *db) {
  sql_trial one = {.text = "SELECT 1"};
  sql_trial *const trials[] = {&one};
  ok(sql_prepare_trial(db, &one) == SQLITE_OK &&
         sql_run_in_turn(trials, 1, 0, SQL_NEVER) == SQLITE_OK &&
         one.timed == 2 && one.turns == 2,
     "two turns are timed at least");
  one.timed = 0;
  ok(sql_run_in_turn(trials, 1, 0, SQL_NEVER) == SQLITE_OK && one.turns == 4,
     "what was timed before counts, too");
  sqlite3_finalize(one.statement);
  ok(surely(timed(8, 9, 8, 8), timed(2, 2, 2, 2)) == 4, "all agree");
  ok(surely(timed(8, 16, 16, 8), timed(8, 8, 8, 4)) == 1,
     "the shortest times say that there is no gain");
  ok(surely(timed(16, 17, 18, 16), timed(8, 8, 8, 16)) == 1,
     "the processor says so");
  ok(surely(timed(16, 16, 16, 7), timed(2, 2, 2, 7)) == 8,
     "but is not asked about a query that waits for the disk");
  ok(surely(timed(16, 16, 16, 16), timed(2, 2, 2, 0)) == 8,
     "nor where its clock is not known");
  ok(surely(timed(1, 1, 1, 1), (sql_trial){.timed = 0}) == 0,
     "nothing is known of what was not timed");
  sql_trial trial = timed(3, 2, 4, 1);
  ok(sql_shortest(&trial) == 1, "the shortest time is that on a processor");
  trial = timed(3, 2, 4, 0);
  ok(sql_shortest(&trial) == 2, "or of the clock");
  trial = (sql_trial){.first_ms = 5};
  ok(sql_shortest(&trial) == 5, "or of the first run");
  trial = (sql_trial){.first_ms = 5, .first_processor_ms = 4};
  ok(sql_shortest(&trial) == 4, "that of the first run on a processor counts");
  one = (sql_trial){.first_ms = 5, .first_processor_ms = 4};
  ok(sql_run_in_turn(trials, 1, 0, 0) == SQLITE_OK && one.times[0] == 5 &&
         one.processor[0] == 4,
     "also where there is no time for another run");
}

/* Which filters are timed where there is no time for all. */
static void test_leaving(void) {
  sql_filter filters[] = {
      {.chosen = true, .trial = {.first_ms = 900}},
      {.chosen = true, .trial = {.first_ms = 1000}},
      {.chosen = false, .trial = {.first_ms = 9000}},
      {.chosen = true, .trial = {.first_ms = 800}},
  };
  sql_advice advice = {.start = sql_now(),
                       .seconds = 60,
                       .plain = {.first_ms = 1000},
                       .found = {.all = filters, .count = 4}};
  sql_leave_slowest(&advice);
  ok(filters[1].chosen && !filters[2].chosen, "with time, all are timed");
  advice.seconds = 18;
  sql_leave_slowest(&advice);
  ok(filters[0].chosen && !filters[1].chosen && filters[3].chosen &&
         filters[1].reason != NULL,
     "else the slowest is left out");
  advice.seconds = 1e-9;
  sql_leave_slowest(&advice);
  ok(!filters[0].chosen && filters[3].chosen, "but not the fastest");
  ok(!sql_is_sure(1.4, 4) && sql_is_sure(1.4, 5) && sql_is_sure(1.5, 2),
     "a small gain in few runs may be chance");
}

int main(int argc, char **argv) {
  char *text = read_file(argc > 1 ? argv[1] : "tests/data/forms.txt");
  sqlite3 *db = NULL;
  if (sqlite3_libversion_number() < 3038000) {
    ok(1, "bloom_advise needs SQLite 3.38");
    return tap_done();
  }
  sqlite3_open(":memory:", &db);
  sqlite3_bloom_init(db, NULL, NULL);
  for (char *line = strtok(text, "\n"); line != NULL;
       line = strtok(NULL, "\n")) {
    char *expected = strstr(line, " => ");
    if (*line == '#') continue;
    if (expected == NULL) {
      run(db, line);
      continue;
    }
    *expected = 0;
    expected += 4;
    const int is_where = strncmp(line, "WHERE ", 6) == 0;
    const int sets = is_where || strncmp(line, "SET ", 4) == 0;
    char *query = sqlite3_mprintf(
        "%s%s", is_where ? "SELECT a.x, b.k FROM a JOIN b ON a.x = b.k " : "",
        line + (sets && !is_where ? 4 : 0));
    char *found = filters_of(db, query, sets);
    ok(is_expected(expected, found), "%s => %s", line, found);
    sqlite3_free(found);
    sqlite3_free(query);
  }
  test_clocks(db);
  test_limit(db);
  test_times(db);
  test_leaving();
  sqlite3_close(db);
  free(text);
  return tap_done();
}
