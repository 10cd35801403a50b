/*
** What a filter does to SQLite's plans: queries of TPC-H's shapes, with INTEGER
** and with TEXT keys. A join is measured as it is; with bare filters; with the
** filters in likelihood; in an order written by hand, which begins with the
** filtered table; and in that order with the filters.
**
** usage: tpch_bench EXTENSION TABLES    (TABLES: tests/bench/tpch.sql)
*/
#include <stdio.h>

#include "bench.h"
#include "bench_sql.h"
#include "lib/grammar.h"

/* What {id} and {of} are in data/tpch.txt. */
static const struct key_type {
  const char *name, *key, *reference;
} types[] = {{"INTEGER", "id", ""}, {"TEXT", "code", "_code"}};
static const struct key_type *type;

static const char *own_word(const char *word, const char *a, const char *b) {
  (void)a, (void)b;
  return strcmp(word, "id") == 0   ? type->key
         : strcmp(word, "of") == 0 ? type->reference
                                   : NULL;
}

enum { NAME, SELECT, FROM, ORDERED, WHERE, GROUP, FILTERS, FIELDS = 10 };

/* A join of these tables with its filters, each put into a format. */
static const char *join_sql(const char *const *field, size_t fields, int tables,
                            const char *format) {
  const char *filters = "";
  for (size_t i = FILTERS; i < fields && *format != '\0'; i += 2) {
    char *filter = sqlite3_mprintf(format, field[i], field[i + 1]);
    filters = text("%s%s", filters, filter);
    sqlite3_free(filter);
  }
  return text("SELECT %s FROM %s WHERE %s%s GROUP BY %s", field[SELECT],
              field[tables], field[WHERE], filters, field[GROUP]);
}

#define NO_FILTER ""
#define FILTER " AND bloom_may_match(%s, (%s))"
#define LIKELIHOOD " AND likelihood(bloom_may_match(%s, (%s)), 1.0)"

/* The median of each query in milliseconds. */
static void measure(const char *name, const char *const *queries, int n,
                    double *medians) {
  bench_forms(name, queries, n, 1, medians);
  for (int i = 0; i < n; i++) medians[i] *= 1e3;
}

static void measure_join(const char *const *field, size_t fields) {
  const char *const queries[] = {join_sql(field, fields, FROM, NO_FILTER),
                                 join_sql(field, fields, FROM, FILTER),
                                 join_sql(field, fields, FROM, LIKELIHOOD),
                                 join_sql(field, fields, ORDERED, NO_FILTER),
                                 join_sql(field, fields, ORDERED, FILTER)};
  double medians[BENCH_MAX_FORMS];
  const char *name =
      text("%s, %s, SQLite %s", field[NAME], type->name, sqlite3_libversion());
  measure(name, queries, BENCH_MAX_FORMS, medians);
  bench_row(name, medians);
}

/* Measures each join, with keys of each type. */
static void measure_joins(void) {
  for (size_t i = 0; i < form_count; i++) {
    for (size_t j = 0; j < COUNT(types) && strcmp(forms[i].name, "join") == 0;
         j++) {
      const char *field[FIELDS];
      type = &types[j];
      measure_join(field,
                   read_fields(expand(forms[i].sql, "", ""), field, FIELDS));
    }
  }
}

int main(int argc, char **argv) {
  static const char *const columns[BENCH_MAX_FORMS] = {
      "plain", "filters", "likelihood", "CROSS JOIN", "both"};
  bench_begin(argc, argv, "EXTENSION TABLES", "");
  bench_run_file(argv[2]);
  read_forms("tests/data/tpch.txt", NULL);
  bench_columns("joins of TPC-H's shapes, ms a query", BENCH_MAX_FORMS,
                columns);
  measure_joins();
  sqlite3_close(bench_db);
  return 0;
}
