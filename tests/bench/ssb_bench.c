/*
** The Star Schema Benchmark's shape (O'Neil and others, 2009) at scale 1, but a
** third of its facts: its tables, with natural TEXT keys, and its 13 queries,
** each with a filter for every dimension that it restricts, against the same
** query without.
**
** usage: ssb_bench EXTENSION TABLES    (TABLES: tests/bench/ssb.sql)
*/
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "bench.h"
#include "bench_sql.h"
#include "lib/grammar.h"

/* The filters of the query that is made, if it has any. */
static bool filtered;
static const char *filters;

/* {dates:WHERE} and the like, and {filters}: see data/ssb.txt. */
static const char *own_word(const char *word, const char *where,
                            const char *unused) {
  static const struct {
    const char *dimension, *fact, *key;
  } dimensions[] = {{"dates", "lo_orderdate", "d_datekey"},
                    {"customer", "lo_custkey", "c_custkey"},
                    {"supplier", "lo_suppkey", "s_suppkey"},
                    {"part", "lo_partkey", "p_partkey"}};
  (void)unused;
  if (strcmp(word, "filters") == 0) return filters;
  for (size_t i = 0; i < COUNT(dimensions); i++) {
    if (strcmp(word, dimensions[i].dimension) != 0) continue;
    if (filtered) {
      filters = text(
          "%s AND bloom_may_match(%s, (SELECT bloom_open(bloom_build(%s)) FROM"
          " %s WHERE %s))",
          filters, dimensions[i].fact, dimensions[i].key, word, where);
    }
    return text(" AND %s", where);
  }
  return NULL;
}

static const char *query_sql(const struct form *query, bool with_filters) {
  filtered = with_filters;
  filters = "";
  return expand(query->sql, "", "");
}

int main(int argc, char **argv) {
  int n = 0;
  double our_logs = 0, peer_logs = 0, ours = 0, peer = 0;
  bench_begin(argc, argv, "EXTENSION TABLES", "");
  bench_run_file(argv[2]);
  read_forms("tests/data/ssb.txt", NULL);
  const double rows = (double)bench_integer("SELECT count(*) FROM lineorder");
  bench_section("the star schema's 13 queries, ns a fact row", "filtered",
                "plain");
  for (size_t i = 0; i < form_count; i++) {
    if (forms[i].name[0] != 'Q') continue;
    const bench_medians medians =
        bench_queries(forms[i].name, query_sql(&forms[i], true),
                      query_sql(&forms[i], false), 1, rows);
    n++;
    ours += medians.ours;
    peer += medians.peer;
    our_logs += log(medians.ours);
    peer_logs += log(medians.peer);
  }
  bench_report("total", ours, peer, rows);
  bench_report("geometric mean", exp(our_logs / n), exp(peer_logs / n), rows);
  sqlite3_close(bench_db);
  return 0;
}
