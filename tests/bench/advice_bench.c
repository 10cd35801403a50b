/*
** Twelve queries of others' shapes (advice.h): what their filter does, bare and
** in likelihood, and what bloom_advise says. Then what a row costs in
** bloom_compare, and a LEFT JOIN with its filter in the ON and in a CASE. The
** tables are on disk, with SQLite's default page cache.
**
** usage: advice_bench EXTENSION TABLES    (TABLES: tests/bench/advice.sql)
*/
#include "advice.h"

#include <stdio.h>

#include "bench.h"
#include "bench_sql.h"
#include "lib/sql.h"

/* How many times as fast bloom_advise makes the query, or 1 if it says that no
** filter pays. */
static double advised(const char *sql) {
  double faster = 1;
  sqlite3_stmt *advice =
      bench_prepare("SELECT faster, sql FROM bloom_advise(?1) LIMIT 1");
  sqlite3_bind_text(advice, 1, sql, -1, SQLITE_STATIC);
  bench_check(sqlite3_step(advice), sql);
  if (sqlite3_column_type(advice, 1) != SQLITE_NULL) {
    faster = sqlite3_column_double(advice, 0);
  }
  sqlite3_finalize(advice);
  return faster;
}

static void measure(const advice_query *query) {
  char *forms[] = {advice_plain(query), advice_filtered(query),
                   advice_likelihood(query), advice_build(query)};
  const char *build = forms[3];
  char name[80];
  double values[5];
  bench_forms(query->name, (const char *const *)forms, 3, 1, values);
  bench_forms(query->name, &build, 1, 1, values + 3);
  for (int i = 0; i < 4; i++) values[i] *= 1e3;
  values[4] = advised(forms[0]);
  for (int i = 0; i < 4; i++) sqlite3_free(forms[i]);
  snprintf(name, sizeof(name), "%s, SQLite %s", query->name,
           sqlite3_libversion());
  bench_row(name, values);
}

/* ---- What a row costs in bloom_compare. */

static long counted;

static void count_function(sqlite3_context *context, int argc,
                           sqlite3_value **argv) {
  (void)argc, (void)argv;
  counted++;
  sqlite3_result_int(context, 1);
}

#define WIDE                                                   \
  "SELECT id, ticket, item, price, customer FROM store_sales," \
  " (VALUES (1), (2), (3), (4)) WHERE counted(id)"

static void read_rows(void) {
  sqlite3_stmt *rows = bench_prepare(WIDE);
  while (sqlite3_step(rows) == SQLITE_ROW) {
    for (int i = 0; i < sqlite3_column_count(rows); i++) {
      if (sqlite3_column_type(rows, i) == SQLITE_INTEGER) {
        (void)sqlite3_column_int64(rows, i);
      } else {
        (void)sqlite3_column_text(rows, i);
        (void)sqlite3_column_bytes(rows, i);
      }
    }
  }
  sqlite3_finalize(rows);
}

static void compare_rows(void) {
  bench_run("SELECT * FROM bloom_compare('" WIDE "', '" WIDE "')");
}

/* The nanoseconds that a row takes, in all runs that the work makes. */
static double row_of(void (*work)(void)) {
  double times[3];
  for (int i = 0; i < 3; i++) {
    counted = 0;
    const double start = bench_now();
    work();
    times[i] = (bench_now() - start) / (double)counted * 1e9;
  }
  return bench_median(times, 3);
}

int main(int argc, char **argv) {
  static const char *const columns[] = {"plain", "filter", "likelihood",
                                        "build", "advised"};
  static const char *const places[] = {"plain", "ON ... AND", "CASE"};
  bench_begin(argc, argv, "EXTENSION TABLES", "");
  bench_run_file(argv[2]);
  advice_read();
  bench_columns("twelve queries, ms a query", 5, columns);
  for (int i = 0; i < ADVICE_QUERIES; i++) measure(&advice_queries[i]);
  add_function(bench_db, "counted", 1, count_function);
  bench_section("reading rows of five columns, ns a row", "bloom_compare",
                "stepping");
  bench_ratio(sqlite3_libversion(), row_of(compare_rows), row_of(read_rows));
  bench_columns("LEFT JOIN, 1 % matching, ns a row", ADVICE_PLACES, places);
  for (int i = 0; i < ADVICE_LEFT_JOINS; i++) {
    double medians[ADVICE_PLACES];
    char name[40];
    snprintf(name, sizeof(name), "%s, SQLite %s", advice_left_joins[i].type,
             sqlite3_libversion());
    bench_forms(name, advice_left_joins[i].forms, ADVICE_PLACES, 1, medians);
    for (int j = 0; j < ADVICE_PLACES; j++)
      medians[j] *= 1e9 / (double)bench_size(600000);
    bench_row(name, medians);
  }
  sqlite3_close(bench_db);
  return 0;
}
