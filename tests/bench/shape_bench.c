/*
** SQLite's own Bloom filter against ours, by the shape of the keys: a join
** whose inner table has a restriction of its own, so that the planner uses its
** own filter (since 3.38), with ours added and without. 2 % of the keys pass.
** Then other queries, with one shape.
**
** usage: shape_bench EXTENSION
*/
#include "forms.h"

static void compare(const char *name, const char *ours, const char *peer) {
  bench_queries(name, ours, peer, 1, (double)bench_size(500000));
}

int main(int argc, char **argv) {
  const char *field[2];
  bench_begin(argc, argv, "EXTENSION", ":memory:");
  read_forms("tests/data/key_shapes.txt", NULL);
  bench_group(text("SQLite %s", sqlite3_libversion()));
  bench_section("ours added to SQLite's own filter, ns a row", "both",
                "its own");
  for (size_t i = 0; i < forms_of("shape"); i++) {
    read_fields(form_of("shape", i)->sql, field, 2);
    run_form("tables", field[1]);
    each_row("both", field[0], compare);
  }
  read_fields(form_of("shape", 1)->sql, field, 2);
  run_form("tables", field[1]);
  run_form("other_tables", "");
  bench_section("other queries with these keys, ns a row", "with ours",
                "plain");
  each_row("other", "", compare);
  sqlite3_close(bench_db);
  return 0;
}
