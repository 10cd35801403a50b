/*
** SQLite's own Bloom filter against ours, by the shape of the keys: a join
** whose inner table has a restriction of its own, so that the planner uses its
** own filter (since 3.38), with ours added and without. There are 500,000 rows
** and 200,000 keys, of which 2 % pass. Then other queries, with one shape.
**
** usage: shape_bench EXTENSION
*/
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "bench_sql.h"

/* The shapes, as expressions over a number n. */
static const struct {
  const char *name, *key;
} shapes[] = {
    {"INTEGER", "n * 7919"},
    {"SKU-000012345-EU", "printf('SKU-%%09d-EU', n)"},
    {"user12345@example.com", "'user' || n || '@example.com'"},
    {"/usr/share/doc/pkg12345/copyright",
     "'/usr/share/doc/pkg' || n || '/copyright'"},
    {"UUID",
     "printf('%%08x-%%04x-4%%03x-a%%03x-%%08x%%04x', leveldb_hash(n, 1),"
     " leveldb_hash(n, 2) %% 65536, leveldb_hash(n, 3) %% 4096,"
     " leveldb_hash(n, 4) %% 4096, leveldb_hash(n, 5),"
     " leveldb_hash(n, 6) %% 65536)"},
    {"32 random hex digits",
     "printf('%%08x%%08x%%08x%%08x', leveldb_hash(n, 1), leveldb_hash(n, 2),"
     " leveldb_hash(n, 3), leveldb_hash(n, 4))"},
    {"https://example.com/item/12345.html",
     "'https://example.com/item/' || n || '.html'"},
    {"BLOB of 16 random bytes",
     "CAST(leveldb_fixed64(leveldb_hash(n, 1) << 31 | leveldb_hash(n, 2))"
     " || leveldb_fixed64(leveldb_hash(n, 3) << 31 | leveldb_hash(n, 4))"
     " AS BLOB)"},
};

#define JOIN                              \
  "SELECT count(*), sum(fact.v + item.v)" \
  " FROM fact JOIN item ON item.k = fact.k WHERE item.v < 20"
#define FILTER                                                      \
  " AND bloom_may_match(fact.k, (SELECT bloom_open(bloom_build(k))" \
  " FROM item WHERE v < 20))"

static void make_tables(const char *key, long items, long facts) {
  char *expression = sqlite3_mprintf(key);
  bench_run_with(
      "DROP TABLE IF EXISTS item; DROP TABLE IF EXISTS fact;"
      "CREATE TABLE item(n INTEGER, k PRIMARY KEY, v INTEGER);"
      "CREATE TABLE fact(k, v INTEGER);"
      "WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n"
      "  WHERE n < %ld)"
      "INSERT INTO item SELECT n, %s, leveldb_hash(n, 8) %% 1000 FROM n;"
      "WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n"
      "  WHERE n < %ld)"
      "INSERT INTO fact SELECT k, n.n %% 1000 FROM n"
      "  JOIN item ON item.rowid = leveldb_hash(n.n, 9) %% %ld + 1;"
      "ANALYZE",
      items, expression, facts, items);
  sqlite3_free(expression);
}

/* Another query, plain and with a condition at its place. */
#define QUERY(rest) "SELECT count(*), sum(fact.v) FROM fact " rest
#define OURS(table) \
  "bloom_may_match(fact.k, (SELECT bloom_open(bloom_build(k)) FROM " table "))"

/* Queries for which SQLite has no filter, or has one of 80,000 bits, with a
** set of as many keys as the items, of which 2 % are an item's. The others
** lie between them. */
static void bench_other_queries(const char *key, long items, long facts) {
  make_tables(key, items, facts);
  bench_run(
      "DROP TABLE IF EXISTS stolen; DROP TABLE IF EXISTS unindexed;"
      "CREATE TABLE stolen(k PRIMARY KEY); CREATE TABLE unindexed(k);"
      "INSERT INTO stolen"
      "  SELECT CASE leveldb_hash(n, 8) % 50 WHEN 0 THEN k ELSE k || '+' END"
      "  FROM item;"
      "INSERT INTO unindexed SELECT k FROM stolen; ANALYZE");
  bench_section("other queries with these keys, ns a row", "with ours",
                "plain");
  bench_queries("join", QUERY("JOIN stolen USING (k) WHERE " OURS("stolen")),
                QUERY("JOIN stolen USING (k)"), 1, (double)facts);
  bench_queries(
      "IN", QUERY("WHERE " OURS("stolen") " AND k IN (SELECT k FROM stolen)"),
      QUERY("WHERE k IN (SELECT k FROM stolen)"), 1, (double)facts);
  bench_queries(
      "anti-join",
      QUERY("WHERE NOT " OURS("stolen") " OR k IN (SELECT k FROM stolen)"
                                        " IS NOT TRUE"),
      QUERY("WHERE NOT EXISTS (SELECT * FROM stolen"
            " WHERE stolen.k = fact.k)"),
      1, (double)facts);
  bench_queries("join without an index",
                QUERY("JOIN unindexed USING (k) WHERE " OURS("unindexed")),
                QUERY("JOIN unindexed USING (k)"), 1, (double)facts);
}

int main(int argc, char **argv) {
  bench_begin(argc, argv, "EXTENSION", ":memory:");
  const long items = bench_size(200000), facts = bench_size(500000);
  char group[40];
  snprintf(group, sizeof(group), "SQLite %s", sqlite3_libversion());
  bench_group(group);
  bench_section("ours added to SQLite's own filter, ns a row", "both",
                "its own");
  for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
    make_tables(shapes[i].key, items, facts);
    bench_queries(shapes[i].name, JOIN FILTER, JOIN, 1, (double)facts);
  }
  bench_other_queries(shapes[1].key, items, facts);
  sqlite3_close(bench_db);
  return 0;
}
