/*
** Joins of many tables, as sql/multi_join.sql shows them: a filter of one
** table's matching keys that is used while the next one's is built, against the
** query as it was and against the best order, written by hand; and a query that
** SQLite orders well.
**
** usage: multi_bench EXTENSION TABLES    (TABLES: tests/bench/multi.sql)
*/
#include <stdio.h>

#include "forms.h"

/* bench_queries reports nanoseconds a row: with this number of rows, they are
** milliseconds a query. */
#define MILLISECONDS 1e6

static void compare(const char *name, const char *ours, const char *peer) {
  bench_queries(name, ours, peer, 1, MILLISECONDS);
}

int main(int argc, char **argv) {
  bench_begin(argc, argv, "EXTENSION TABLES", "");
  bench_run_file(argv[2]);
  read_forms("tests/data/multi.txt", NULL);
  bench_section("joins of many tables, ms a query", "filtered", "plain");
  each_row("pair", "", compare);
  sqlite3_close(bench_db);
  return 0;
}
