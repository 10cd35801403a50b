/*
** What a filter does to SQLite's plans: queries of TPC-H's shapes, with INTEGER
** and with TEXT keys. A join is measured as it is; with bare filters; with the
** filters in likelihood; in an order written by hand, which begins with the
** filtered table; and in that order with the filters. A query with one large
** set is measured with the filter of the set and without.
**
** usage: tpch_bench EXTENSION TABLES    (TABLES: tests/bench/tpch.sql)
*/
#include <stdio.h>

#include "bench.h"
#include "bench_sql.h"

/* In all SQL here, @ is a table's key, and # ends the name of a reference to
** one: they become id and nothing, or code and _code. */
static const struct {
  const char *name, *key, *reference;
} types[] = {{"INTEGER", "id", ""}, {"TEXT", "code", "_code"}};

#define MAX_FILTERS 2

/* A join: the tables in the order in which TPC-H has them, and in the best
** order, whose first table is filtered. */
typedef struct tpch_join {
  const char *name, *select, *from, *ordered, *where, *group;
  struct {
    const char *key, *set;
  } filters[MAX_FILTERS];
} tpch_join;

/* The customers and the suppliers of a region or a nation. */
#define OF_REGION(table, name)                                         \
  "SELECT bloom_open(bloom_build(" table                               \
  ".@)) FROM region"                                                   \
  " JOIN nation ON nation.region# = region.@ JOIN " table " ON " table \
  ".nation# = nation.@ WHERE region.name = '" name "'"
#define OF_NATION(table, name)           \
  "SELECT bloom_open(bloom_build(" table \
  ".@)) FROM nation"                     \
  " JOIN " table " ON " table            \
  ".nation# = nation.@"                  \
  " WHERE nation.name = '" name "'"

static const tpch_join joins[] = {
    {"query 3",
     "o.@, o.day, sum(price) AS revenue",
     "customer AS c, orders AS o, lineitem AS l",
     "orders AS o CROSS JOIN customer AS c CROSS JOIN lineitem AS l",
     "c.segment = 1 AND o.customer# = c.@ AND l.orders# = o.@"
     " AND o.day < '1995-03-15' AND l.shipped > '1995-03-15'",
     "o.@ ORDER BY revenue DESC, o.@ LIMIT 10",
     {{"o.customer#",
       "SELECT bloom_open(bloom_build(@)) FROM customer WHERE segment = 1"}}},
    {"query 5",
     "n.name, sum(price) AS revenue",
     "customer AS c, orders AS o, lineitem AS l, supplier AS s, nation AS n,"
     " region AS r",
     "orders AS o CROSS JOIN customer AS c CROSS JOIN lineitem AS l"
     " CROSS JOIN supplier AS s CROSS JOIN nation AS n CROSS JOIN region AS r",
     "r.name = 'ASIA' AND o.customer# = c.@ AND l.orders# = o.@"
     " AND l.supplier# = s.@ AND s.nation# = c.nation# AND s.nation# = n.@"
     " AND n.region# = r.@ AND o.day >= '1994-01-01' AND o.day < '1995-01-01'",
     "n.name ORDER BY revenue DESC",
     {{"o.customer#", OF_REGION("customer", "ASIA")}}},
    {"query 8",
     "substr(o.day, 1, 4) AS year,"
     " total(CASE WHEN sn.name = 'Nation 7' THEN price END) / sum(price)",
     "part AS p, supplier AS s, lineitem AS l, orders AS o, customer AS c,"
     " nation AS cn, nation AS sn, region AS r",
     "lineitem AS l CROSS JOIN part AS p CROSS JOIN orders AS o"
     " CROSS JOIN customer AS c CROSS JOIN nation AS cn CROSS JOIN region AS r"
     " CROSS JOIN supplier AS s CROSS JOIN nation AS sn",
     "r.name = 'AMERICA' AND p.kind = 77"
     " AND o.day BETWEEN '1995-01-01' AND '1996-12-31'"
     " AND l.part# = p.@ AND l.supplier# = s.@ AND l.orders# = o.@"
     " AND o.customer# = c.@ AND c.nation# = cn.@ AND cn.region# = r.@"
     " AND s.nation# = sn.@",
     "year",
     {{"l.part#",
       "SELECT bloom_open(bloom_build(@)) FROM part WHERE kind = 77"},
      {"o.customer#", OF_REGION("customer", "AMERICA")}}},
    {"query 21",
     "s.@, count(*) AS waits",
     "supplier AS s, lineitem AS l, orders AS o, nation AS n",
     "lineitem AS l CROSS JOIN supplier AS s CROSS JOIN nation AS n"
     " CROSS JOIN orders AS o",
     "n.name = 'Nation 7' AND l.supplier# = s.@ AND l.orders# = o.@"
     " AND s.nation# = n.@ AND o.status = 'F' AND l.received > l.committed"
     " AND EXISTS (SELECT * FROM lineitem AS other"
     "  WHERE other.orders# = l.orders# AND other.supplier# <> l.supplier#)"
     " AND NOT EXISTS (SELECT * FROM lineitem AS other"
     "  WHERE other.orders# = l.orders# AND other.supplier# <> l.supplier#"
     "   AND other.received > other.committed)",
     "s.@ ORDER BY waits DESC, s.@ LIMIT 100",
     {{"l.supplier#", OF_NATION("supplier", "Nation 7")}}},
};

/* A query with the filter of a set that has more keys than rows are looked up
** in it, and without. */
static const struct {
  const char *name, *filtered, *plain;
} large_sets[] = {
#define QUERY4(filter)                                             \
  "SELECT o.status, count(*) FROM orders AS o"                     \
  " WHERE o.day >= '1993-07-01' AND o.day < '1993-10-01'" filter   \
  " AND EXISTS (SELECT * FROM lineitem AS l WHERE l.orders# = o.@" \
  "  AND l.committed < l.received) GROUP BY o.status"
    {"query 4",
     QUERY4(" AND bloom_may_match(o.@, (SELECT bloom_open(bloom_build(orders#))"
            " FROM lineitem WHERE committed < received))"),
     QUERY4("")},
#define QUERY22(filter)                                      \
  "SELECT nation, count(*), sum(balance) FROM customer AS c" \
  " WHERE nation IN (3, 5, 8, 13, 17, 21, 24) AND balance >" \
  "  (SELECT avg(balance) FROM customer WHERE balance > 0)"  \
  " AND (" filter "c.@ NOT IN (SELECT customer# FROM orders)) GROUP BY nation"
    {"query 22",
     QUERY22("NOT bloom_may_match(c.@, (SELECT bloom_open("
             "bloom_build(customer#)) FROM orders)) OR "),
     QUERY22("")},
};

/* The SQL with keys of a type, which sqlite3_free frees. */
static char *with_keys(const char *sql, size_t type) {
  sqlite3_str *text = sqlite3_str_new(NULL);
  for (; *sql != '\0'; sql++) {
    if (*sql == '@') {
      sqlite3_str_appendall(text, types[type].key);
    } else if (*sql == '#') {
      sqlite3_str_appendall(text, types[type].reference);
    } else {
      sqlite3_str_appendchar(text, 1, *sql);
    }
  }
  return sqlite3_str_finish(text);
}

/* A join of these tables with its filters, each put into a format. */
static char *join_sql(const tpch_join *join, const char *from,
                      const char *format, size_t type) {
  sqlite3_str *sql = sqlite3_str_new(NULL);
  sqlite3_str_appendf(sql, "SELECT %s FROM %s WHERE %s", join->select, from,
                      join->where);
  for (int i = 0; i < MAX_FILTERS && join->filters[i].key; i++) {
    sqlite3_str_appendf(sql, format, join->filters[i].key,
                        join->filters[i].set);
  }
  sqlite3_str_appendf(sql, " GROUP BY %s", join->group);
  char *marked = sqlite3_str_finish(sql);
  char *text = with_keys(marked, type);
  sqlite3_free(marked);
  return text;
}

#define NO_FILTER ""
#define FILTER " AND bloom_may_match(%s, (%s))"
#define LIKELIHOOD " AND likelihood(bloom_may_match(%s, (%s)), 1.0)"

/* The median of each query in milliseconds; frees the queries. */
static void measure(const char *name, char **queries, int n, double *medians) {
  bench_forms(name, (const char *const *)queries, n, 1, medians);
  for (int i = 0; i < n; i++) {
    medians[i] *= 1e3;
    sqlite3_free(queries[i]);
  }
}

static void measure_join(const tpch_join *join, size_t type) {
  char *queries[] = {
      join_sql(join, join->from, NO_FILTER, type),
      join_sql(join, join->from, FILTER, type),
      join_sql(join, join->from, LIKELIHOOD, type),
      join_sql(join, join->ordered, NO_FILTER, type),
      join_sql(join, join->ordered, FILTER, type),
  };
  double medians[BENCH_MAX_FORMS];
  char name[80];
  snprintf(name, sizeof(name), "%s, %s, SQLite %s", join->name,
           types[type].name, sqlite3_libversion());
  measure(name, queries, BENCH_MAX_FORMS, medians);
  bench_row(name, medians);
}

static void measure_large_set(size_t i, size_t type) {
  char *queries[] = {with_keys(large_sets[i].filtered, type),
                     with_keys(large_sets[i].plain, type)};
  double medians[2];
  char name[40];
  snprintf(name, sizeof(name), "%s, %s", large_sets[i].name, types[type].name);
  measure(name, queries, 2, medians);
  bench_ratio(name, medians[0], medians[1]);
}

int main(int argc, char **argv) {
  static const char *const forms[BENCH_MAX_FORMS] = {
      "plain", "filters", "likelihood", "CROSS JOIN", "both"};
  const size_t type_count = sizeof(types) / sizeof(*types);
  bench_begin(argc, argv, "EXTENSION TABLES", "");
  char group[40];
  snprintf(group, sizeof(group), "SQLite %s", sqlite3_libversion());
  bench_run_file(argv[2]);
  bench_columns("joins of TPC-H's shapes, ms a query", BENCH_MAX_FORMS, forms);
  for (size_t i = 0; i < sizeof(joins) / sizeof(*joins); i++) {
    for (size_t type = 0; type < type_count; type++) {
      measure_join(&joins[i], type);
    }
  }
  bench_group(group);
  bench_section("sets with more keys than lookups, ms a query", "filtered",
                "plain");
  for (size_t i = 0; i < sizeof(large_sets) / sizeof(*large_sets); i++) {
    for (size_t type = 0; type < type_count; type++) {
      measure_large_set(i, type);
    }
  }
  sqlite3_close(bench_db);
  return 0;
}
