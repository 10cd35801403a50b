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

/* bench_queries reports nanoseconds a row: with this number of rows, they are
** milliseconds a query. */
#define MILLISECONDS 1e6

/* The Join Order Benchmark's query 17, less its cast. */
#define JOB17                                            \
  "SELECT count(*), min(title) FROM company_name AS cn"  \
  " JOIN movie_companies AS mc ON mc.company_id = cn.id" \
  " JOIN title AS t ON t.id = mc.movie_id"               \
  " JOIN movie_keyword AS mk ON mk.movie_id = t.id"      \
  " JOIN keyword AS k ON k.id = mk.keyword_id"           \
  " WHERE cn.country_code = '[us]'"                      \
  " AND k.keyword = 'character-name-in-title'"

#define JOB17_BY_HAND                                              \
  "SELECT count(*), min(title) FROM keyword AS k"                  \
  " CROSS JOIN movie_keyword AS mk ON mk.keyword_id = k.id"        \
  " CROSS JOIN movie_companies AS mc ON mc.movie_id = mk.movie_id" \
  " CROSS JOIN company_name AS cn ON cn.id = mc.company_id"        \
  " CROSS JOIN title AS t ON t.id = mc.movie_id"                   \
  " WHERE cn.country_code = '[us]'"                                \
  " AND k.keyword = 'character-name-in-title'"

/* The films that have the keyword: by a filter of the keyword's id, which reads
** all of movie_keyword, or by its index. */
#define FILMS(of)                                                 \
  " AND bloom_may_match(mc.movie_id,"                             \
  " (SELECT bloom_open(bloom_build(movie_id)) FROM movie_keyword" \
  " WHERE " of "))"
#define BY_FILTER                                                   \
  "bloom_may_match(keyword_id, (SELECT bloom_open(bloom_build(id))" \
  " FROM keyword WHERE keyword = 'character-name-in-title'))"
#define BY_INDEX                         \
  "keyword_id = (SELECT id FROM keyword" \
  " WHERE keyword = 'character-name-in-title')"

/* TPC-H's query 5, and the orders that it needs. */
#define YEAR "day >= '1994-01-01' AND day < '1995-01-01'"
#define TPCH5(line)                           \
  "SELECT n.id, sum(price) FROM region AS r"  \
  " JOIN nation AS n ON region_id = r.id"     \
  " JOIN customer AS c ON c.nation_id = n.id" \
  " JOIN orders AS o ON customer_id = c.id"   \
  " JOIN lineitem AS l ON order_id = o.id"    \
  " JOIN supplier AS s ON s.id = supplier_id" \
  " AND s.nation_id = c.nation_id"            \
  " WHERE r.name = 'ASIA' AND " YEAR line " GROUP BY n.id"
#define ORDERS                                                         \
  " AND bloom_may_match(order_id, (SELECT bloom_open(bloom_build(id))" \
  " FROM orders WHERE " YEAR                                           \
  " AND bloom_may_match(customer_id,"                                  \
  " (SELECT bloom_open(bloom_build(customer.id)) FROM region"          \
  " JOIN nation ON region_id = region.id"                              \
  " JOIN customer ON nation_id = nation.id"                            \
  " WHERE region.name = 'ASIA'))))"

int main(int argc, char **argv) {
  bench_begin(argc, argv, "EXTENSION TABLES", "");
  bench_run_file(argv[2]);
  bench_section("joins of many tables, ms a query", "filtered", "plain");
  bench_queries("query 17's shape, a filter by a filter",
                JOB17 FILMS(BY_FILTER), JOB17, 1, MILLISECONDS);
  bench_queries("query 17's shape, a filter by an index", JOB17 FILMS(BY_INDEX),
                JOB17, 1, MILLISECONDS);
  bench_queries("the same, against the best order by hand",
                JOB17 FILMS(BY_FILTER), JOB17_BY_HAND, 1, MILLISECONDS);
  bench_queries("the best order by hand, filtered",
                JOB17_BY_HAND FILMS(BY_FILTER), JOB17_BY_HAND, 1, MILLISECONDS);
  bench_queries("TPC-H query 5's shape", TPCH5(ORDERS), TPCH5(""), 1,
                MILLISECONDS);
  sqlite3_close(bench_db);
  return 0;
}
