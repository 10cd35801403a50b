/*
** The Star Schema Benchmark's shape (O'Neil and others, 2009) at scale 1, but a
** third of its facts: its tables, with natural TEXT keys, and its 13 queries,
** each with a filter for every dimension that it restricts, against the same
** query without.
**
** usage: ssb_bench EXTENSION TABLES    (TABLES: tests/bench/ssb.sql)
*/
#include <math.h>
#include <stdio.h>

#include "bench.h"
#include "bench_sql.h"

/* A restriction and, in the filtered query, the filter that follows from it. */
#define DATES(where) "lo_orderdate", "d_datekey", "dates", where
#define CUSTOMER(where) "lo_custkey", "c_custkey", "customer", where
#define SUPPLIER(where) "lo_suppkey", "s_suppkey", "supplier", where
#define PART(where) "lo_partkey", "p_partkey", "part", where

typedef struct restriction {
  const char *fact, *key, *dimension, *where;
} restriction;

typedef struct ssb_query {
  const char *name, *select, *where, *group;
  restriction restrictions[4]; /* the most selective first */
} ssb_query;

/* What the queries of a flight select, their restriction of the facts, and
** their groups. */
#define FLIGHT1(where)                                            \
  "sum(lo_extendedprice * lo_discount) FROM lineorder JOIN dates" \
  " ON lo_orderdate = d_datekey",                                 \
      where, ""
#define FLIGHT2                                                       \
  "sum(lo_revenue), d_year, p_brand1 FROM lineorder"                  \
  " JOIN dates ON lo_orderdate = d_datekey JOIN part ON lo_partkey =" \
  " p_partkey JOIN supplier ON lo_suppkey = s_suppkey",               \
      "1", " GROUP BY d_year, p_brand1"
#define FLIGHT3(place)                                                    \
  "c_" place ", s_" place                                                 \
  ", d_year, sum(lo_revenue) AS revenue"                                  \
  " FROM lineorder JOIN customer ON lo_custkey = c_custkey JOIN supplier" \
  " ON lo_suppkey = s_suppkey JOIN dates ON lo_orderdate = d_datekey",    \
      "1",                                                                \
      " GROUP BY c_" place ", s_" place                                   \
      ", d_year ORDER BY d_year, revenue DESC"
#define FLIGHT4(columns)                                                   \
  columns                                                                  \
      ", sum(lo_revenue - lo_supplycost) FROM lineorder JOIN customer"     \
      " ON lo_custkey = c_custkey JOIN supplier ON lo_suppkey = s_suppkey" \
      " JOIN part ON lo_partkey = p_partkey JOIN dates"                    \
      " ON lo_orderdate = d_datekey",                                      \
      "1", " GROUP BY " columns
#define CITIES(column) column " IN ('UNITED KI1', 'UNITED KI5')"

static const ssb_query queries[] = {
    {"Q1.1",
     FLIGHT1("lo_discount BETWEEN 1 AND 3 AND lo_quantity < 25"),
     {{DATES("d_year = 1993")}}},
    {"Q1.2",
     FLIGHT1("lo_discount BETWEEN 4 AND 6 AND lo_quantity BETWEEN 26 AND 35"),
     {{DATES("d_yearmonthnum = 199401")}}},
    {"Q1.3",
     FLIGHT1("lo_discount BETWEEN 5 AND 7 AND lo_quantity BETWEEN 26 AND 35"),
     {{DATES("d_weeknuminyear = 6 AND d_year = 1994")}}},
    {"Q2.1",
     FLIGHT2,
     {{PART("p_category = 'MFGR#12'")}, {SUPPLIER("s_region = 'AMERICA'")}}},
    {"Q2.2",
     FLIGHT2,
     {{PART("p_brand1 BETWEEN 'MFGR#2221' AND 'MFGR#2228'")},
      {SUPPLIER("s_region = 'ASIA'")}}},
    {"Q2.3",
     FLIGHT2,
     {{PART("p_brand1 = 'MFGR#2239'")}, {SUPPLIER("s_region = 'EUROPE'")}}},
    {"Q3.1",
     FLIGHT3("nation"),
     {{CUSTOMER("c_region = 'ASIA'")},
      {SUPPLIER("s_region = 'ASIA'")},
      {DATES("d_year BETWEEN 1992 AND 1997")}}},
    {"Q3.2",
     FLIGHT3("city"),
     {{CUSTOMER("c_nation = 'UNITED STATES'")},
      {SUPPLIER("s_nation = 'UNITED STATES'")},
      {DATES("d_year BETWEEN 1992 AND 1997")}}},
    {"Q3.3",
     FLIGHT3("city"),
     {{CUSTOMER(CITIES("c_city"))},
      {SUPPLIER(CITIES("s_city"))},
      {DATES("d_year BETWEEN 1992 AND 1997")}}},
    {"Q3.4",
     FLIGHT3("city"),
     {{CUSTOMER(CITIES("c_city"))},
      {SUPPLIER(CITIES("s_city"))},
      {DATES("d_yearmonth = 'Dec1997'")}}},
    {"Q4.1",
     FLIGHT4("d_year, c_nation"),
     {{CUSTOMER("c_region = 'AMERICA'")},
      {SUPPLIER("s_region = 'AMERICA'")},
      {PART("p_mfgr IN ('MFGR#1', 'MFGR#2')")}}},
    {"Q4.2",
     FLIGHT4("d_year, s_nation, p_category"),
     {{CUSTOMER("c_region = 'AMERICA'")},
      {SUPPLIER("s_region = 'AMERICA'")},
      {DATES("d_year IN (1997, 1998)")},
      {PART("p_mfgr IN ('MFGR#1', 'MFGR#2')")}}},
    {"Q4.3",
     FLIGHT4("d_year, s_city, p_brand1"),
     {{SUPPLIER("s_nation = 'UNITED STATES'")},
      {PART("p_category = 'MFGR#14'")},
      {CUSTOMER("c_region = 'AMERICA'")},
      {DATES("d_year IN (1997, 1998)")}}},
};

static char *query_sql(const ssb_query *query, int filtered) {
  sqlite3_str *sql = sqlite3_str_new(NULL);
  sqlite3_str_appendf(sql, "SELECT %s WHERE %s", query->select, query->where);
  for (int i = 0; i < 4 && query->restrictions[i].fact; i++) {
    sqlite3_str_appendf(sql, " AND %s", query->restrictions[i].where);
  }
  for (int i = 0; filtered && i < 4 && query->restrictions[i].fact; i++) {
    const restriction *r = &query->restrictions[i];
    sqlite3_str_appendf(sql,
                        " AND bloom_may_match(%s, (SELECT bloom_open("
                        "bloom_build(%s)) FROM %s WHERE %s))",
                        r->fact, r->key, r->dimension, r->where);
  }
  sqlite3_str_appendf(sql, "%s", query->group);
  return sqlite3_str_finish(sql);
}

int main(int argc, char **argv) {
  const int n = sizeof(queries) / sizeof(*queries);
  double our_logs = 0, peer_logs = 0, ours = 0, peer = 0;
  bench_begin(argc, argv, "EXTENSION TABLES", "");
  bench_run_file(argv[2]);
  const double rows = (double)bench_integer("SELECT count(*) FROM lineorder");
  bench_section("the star schema's 13 queries, ns a fact row", "filtered",
                "plain");
  for (int i = 0; i < n; i++) {
    char *filtered = query_sql(&queries[i], 1);
    char *plain = query_sql(&queries[i], 0);
    const bench_medians medians =
        bench_queries(queries[i].name, filtered, plain, 1, rows);
    ours += medians.ours;
    peer += medians.peer;
    our_logs += log(medians.ours);
    peer_logs += log(medians.peer);
    sqlite3_free(filtered);
    sqlite3_free(plain);
  }
  bench_report("total", ours, peer, rows);
  bench_report("geometric mean", exp(our_logs / n), exp(peer_logs / n), rows);
  sqlite3_close(bench_db);
  return 0;
}
