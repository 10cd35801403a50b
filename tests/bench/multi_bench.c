/*
** Joins of many tables, as sql/multi_join.sql shows them: a filter of one
** table's matching keys that is used while the next one's is built, against the
** query as it was and against the best order, written by hand; and a query that
** SQLite orders well.
**
** usage: multi_bench EXTENSION TABLES    (TABLES: tests/bench/multi.sql)
*/
#include <stdio.h>

#include "bench.h"
#include "bench_sql.h"
#include "lib/grammar.h"

/* bench_queries reports nanoseconds a row: with this number of rows, they are
** milliseconds a query. */
#define MILLISECONDS 1e6

static const char *own_word(const char *word, const char *a, const char *b) {
  (void)word, (void)a, (void)b;
  return NULL;
}

int main(int argc, char **argv) {
  bench_begin(argc, argv, "EXTENSION TABLES", "");
  bench_run_file(argv[2]);
  read_forms("tests/data/multi.txt", NULL);
  bench_section("joins of many tables, ms a query", "filtered", "plain");
  for (size_t i = 0; i < form_count; i++) {
    const char *field[3];
    if (strcmp(forms[i].name, "pair") != 0) continue;
    read_fields(expand(forms[i].sql, "", ""), field, 3);
    bench_queries(field[0], field[1], field[2], 1, MILLISECONDS);
  }
  sqlite3_close(bench_db);
  return 0;
}
