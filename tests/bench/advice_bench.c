/*
** Twelve queries of others' shapes (advice.h): what the three checks of
** sql/README.md say beforehand, and what their filter does, bare and in
** likelihood. Then a LEFT JOIN with its filter in the ON and in a CASE. The
** tables are on disk, with SQLite's default page cache.
**
** usage: advice_bench EXTENSION TABLES    (TABLES: tests/bench/advice.sql)
*/
#include "advice.h"

#include <stdio.h>

#include "bench.h"
#include "bench_sql.h"

/* One row in so many is the sample of the third check. */
#define SAMPLE 100

static void measure(const advice_query *query) {
  char *forms[] = {advice_plain(query), advice_filtered(query),
                   advice_likelihood(query), advice_build(query)};
  const char *build = forms[3];
  double values[5];
  bench_forms(query->name, (const char *const *)forms, 3, 1, values);
  bench_forms(query->name, &build, 1, 1, values + 3);
  values[4] = advice_share(bench_db, query, SAMPLE);
  const int says =
      advice_says(bench_db, query, values[3], values[0], values[4]);
  char name[80], words[20] = "go";
  if (says != ADVICE_GO) snprintf(words, sizeof(words), "stop at %d", says);
  snprintf(name, sizeof(name), "%s: %s, SQLite %s", query->name, words,
           sqlite3_libversion());
  for (int i = 0; i < 4; i++) {
    values[i] *= 1e3;
    sqlite3_free(forms[i]);
  }
  values[4] *= 100;
  bench_row(name, values);
}

int main(int argc, char **argv) {
  static const char *const columns[] = {"plain", "filter", "likelihood",
                                        "build", "share, %"};
  static const char *const places[] = {"plain", "ON ... AND", "CASE"};
  bench_begin(argc, argv, "EXTENSION TABLES", "");
  bench_run_file(argv[2]);
  bench_columns("what the checks say, ms a query", 5, columns);
  for (int i = 0; i < ADVICE_QUERIES; i++) measure(&advice_queries[i]);
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
