/*
** The SQL functions: scans against a function that does nothing, and joins with
** a filter against the same joins without. Times are nanoseconds a fact row.
**
** usage: sql_bench EXTENSION tables | large
*/
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "bench_sql.h"
#include "lib/random.h"

#define DIMENSION_ROWS 100000

static long fact_rows;

#define JOINS "joins, 1 % matching, ns a fact row"

/* Two arguments, and no work. */
static void idle(sqlite3_context *context, int argc, sqlite3_value **argv) {
  (void)argc, (void)argv;
  sqlite3_result_int(context, 0);
}

/* ---- Tables of INTEGER and of TEXT keys */

/* Binds key, or a TEXT of 14 to 36 bytes that stands for it. */
static void bind_key(sqlite3_stmt *insert, int is_text, uint64_t key) {
  if (!is_text) {
    sqlite3_bind_int64(insert, 1, (sqlite3_int64)key);
    return;
  }
  char text[64];
  const int length = snprintf(text, sizeof(text), "SKU-%.*s%07llu-EU",
                              (int)(key % 23), "warehouse-north/shelf-7",
                              (unsigned long long)(key >> 8) % 10000000);
  sqlite3_bind_text(insert, 1, text, length, SQLITE_TRANSIENT);
}

/* The i-th key of a dimension. */
static uint64_t member(uint64_t i) {
  uint64_t state = i << 32;
  return random_next(&state);
}

/* Inserts n rows of key and value into a table. If share is 1, the keys are the
** members in order; otherwise this share of the keys are random members. */
static void fill(const char *table, int is_text, long n, double share) {
  char *sql = sqlite3_mprintf("INSERT OR IGNORE INTO %s VALUES(?1, ?2)", table);
  sqlite3_stmt *insert = bench_prepare(sql);
  uint64_t seed = 7;
  bench_run("BEGIN");
  for (long i = 0; i < n; i++) {
    uint64_t key = random_next(&seed);
    if (share >= 1) {
      key = member((uint64_t)i);
    } else if ((double)(random_next(&seed) >> 11) * 0x1p-53 < share) {
      key = member(key % DIMENSION_ROWS);
    }
    bind_key(insert, is_text, key);
    sqlite3_bind_int64(insert, 2, i % 1000);
    bench_check(sqlite3_step(insert), sql);
    sqlite3_reset(insert);
  }
  bench_run("COMMIT");
  sqlite3_finalize(insert);
  sqlite3_free(sql);
}

#define HANDLE(name) "(SELECT bloom_open(f) FROM filters WHERE name='" name "')"

#define SCAN(function, table, name) \
  "SELECT count(*) FROM " table " WHERE " function "(k, " HANDLE(name) ")"

#define BUILD(function, key) \
  "SELECT length(" function "(" key ")) FROM facts_integer"

static void bench_scans(void) {
  const double n = (double)fact_rows;
  bench_section("functions in a scan, ns a row", "function", "peer");
  bench_queries("bloom_may_match, INTEGER keys, 125 KB filter",
                SCAN("bloom_may_match", "facts_integer", "integer"),
                SCAN("idle", "facts_integer", "integer"), 0, n);
  bench_queries("bloom_may_match, TEXT keys, 125 KB filter",
                SCAN("bloom_may_match", "facts_text", "text"),
                SCAN("idle", "facts_text", "text"), 0, n);
  bench_queries("bloom_may_match, absent INTEGER keys, 25 MB filter",
                SCAN("bloom_may_match", "facts_integer", "large"),
                SCAN("idle", "facts_integer", "large"), 0, n);
  bench_queries("bloom_build, INTEGER keys, against total(k)",
                "SELECT length(bloom_build(k)) FROM facts_integer",
                "SELECT total(k) FROM facts_integer", 0, n);
  bench_queries("bloom_build, TEXT keys, against sum(v)",
                "SELECT length(bloom_build(k)) FROM facts_text",
                "SELECT sum(v) FROM facts_text", 0, n);
}

/* 2 million keys, of which 100,000 or nearly all are distinct. */
static void bench_distinct(void) {
  const double n = (double)fact_rows;
  bench_section("building for distinct keys, ns a row", "distinct",
                "bloom_build");
  bench_queries("2 million INTEGER keys, 100,000 distinct",
                BUILD("bloom_build_distinct", "(k & 2147483647) % 100000"),
                BUILD("bloom_build", "(k & 2147483647) % 100000"), 0, n);
  bench_queries("2 million INTEGER keys, nearly all distinct",
                BUILD("bloom_build_distinct", "k"), BUILD("bloom_build", "k"),
                0, n);
}

#define JOIN(facts, dimension)                                       \
  "SELECT count(*), sum(f.v + d.v) FROM " facts " f JOIN " dimension \
  " d ON d.k = f.k"
#define FILTERED(facts, dimension, name) \
  JOIN(facts, dimension) " WHERE bloom_may_match(f.k, " HANDLE(name) ")"

#define FRESH(facts, dimension)                                     \
  JOIN(facts, dimension)                                            \
  " WHERE bloom_may_match(f.k, (SELECT bloom_open(bloom_build(k)) " \
  "FROM " dimension "))"

static void bench_joins(void) {
  const double n = (double)fact_rows;
  bench_section(JOINS, "filtered", "plain");
  bench_queries("TEXT, indexed",
                FILTERED("facts_text", "dimension_text", "text"),
                JOIN("facts_text", "dimension_text"), 1, n);
  bench_queries("TEXT, indexed, filter built in the statement",
                FRESH("facts_text", "dimension_text"),
                JOIN("facts_text", "dimension_text"), 1, n);
  bench_queries("TEXT, not indexed",
                FILTERED("facts_text", "dimension_plain", "text"),
                JOIN("facts_text", "dimension_plain"), 1, n);
  bench_queries("INTEGER, rowid",
                FILTERED("facts_integer", "dimension_integer", "integer"),
                JOIN("facts_integer", "dimension_integer"), 1, n);
  bench_queries("INTEGER, rowid, filter built in the statement",
                FRESH("facts_integer", "dimension_integer"),
                JOIN("facts_integer", "dimension_integer"), 1, n);
}

static void bench_match_rates(void) {
  static const double percent[] = {0.1, 1, 10, 50, 100};
  const long rows = fact_rows / 5;
  bench_section("joins over the match rate, ns a fact row", "filtered",
                "plain");
  for (int is_text = 0; is_text < 2; is_text++) {
    for (size_t i = 0; i < sizeof(percent) / sizeof(*percent); i++) {
      char name[80];
      bench_run("DROP TABLE IF EXISTS facts");
      bench_run(is_text ? "CREATE TABLE facts(k TEXT, v INTEGER)"
                        : "CREATE TABLE facts(k INTEGER, v INTEGER)");
      /* A share just under 1 gives random members only. */
      fill("facts", is_text, rows, percent[i] / 100 - 1e-12);
      bench_run("ANALYZE");
      snprintf(name, sizeof(name), "%s, %g %% matching",
               is_text ? "TEXT" : "INTEGER", percent[i]);
      bench_queries(name,
                    is_text ? FILTERED("facts", "dimension_text", "text")
                            : FILTERED("facts", "dimension_integer", "integer"),
                    is_text ? JOIN("facts", "dimension_text")
                            : JOIN("facts", "dimension_integer"),
                    1, (double)rows);
    }
  }
}

static void bench_tables(const char *extension) {
  bench_open(":memory:", extension);
  sqlite3_create_function(bench_db, "idle", 2,
                          SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL, idle, NULL,
                          NULL);
  bench_run(
      "CREATE TABLE facts_integer(k INTEGER, v INTEGER);"
      "CREATE TABLE facts_text(k TEXT, v INTEGER);"
      "CREATE TABLE dimension_integer(k INTEGER PRIMARY KEY, v INTEGER);"
      "CREATE TABLE dimension_text(k TEXT PRIMARY KEY, v INTEGER);"
      "CREATE TABLE dimension_plain(k TEXT, v INTEGER);"
      "CREATE TABLE filters(name TEXT PRIMARY KEY, f BLOB)");
  fill("facts_integer", 0, fact_rows, 0.01);
  fill("facts_text", 1, fact_rows, 0.01);
  fill("dimension_integer", 0, DIMENSION_ROWS, 1);
  fill("dimension_text", 1, DIMENSION_ROWS, 1);
  bench_run(
      "INSERT INTO dimension_plain SELECT * FROM dimension_text;"
      "INSERT INTO filters SELECT 'integer', bloom_build(k)"
      "  FROM dimension_integer;"
      "INSERT INTO filters SELECT 'text', bloom_build(k) FROM dimension_text");
  /* 20 million keys, none of which is a fact's. */
  bench_run_with(
      "WITH RECURSIVE other(k) AS (VALUES(0) UNION ALL"
      "  SELECT k + 1 FROM other WHERE k < %d)"
      "INSERT INTO filters SELECT 'large', bloom_build(k) FROM other;"
      "ANALYZE",
      (int)bench_size(20000000) - 1);
  bench_scans();
  if (bench_has("bloom_build_distinct")) bench_distinct();
  bench_joins();
  bench_match_rates();
}

/* ---- A dimension larger than the page cache */

static sqlite3_int64 cache_misses(void) {
  int misses, highwater;
  sqlite3_db_status(bench_db, SQLITE_DBSTATUS_CACHE_MISS, &misses, &highwater,
                    1);
  return misses;
}

static void bench_large(const char *extension) {
  static const char plain[] = JOIN("facts", "dimension");
  static const char filtered[] = FILTERED("facts", "dimension", "large");
  static const char *const queries[] = {"filtered", "plain", "facts alone"};
  const long rows = bench_size(20000000);
  bench_open("", extension);
  bench_run_with(
      "PRAGMA temp_store=FILE; PRAGMA cache_size=-2000;"
      "CREATE TABLE dimension(k INTEGER PRIMARY KEY, v INTEGER);"
      "CREATE TABLE facts(k INTEGER, v INTEGER);"
      "CREATE TABLE filters(name TEXT PRIMARY KEY, f BLOB);"
      /* Random keys of 64 bits, in order; one fact in a hundred has one. */
      "CREATE TEMP VIEW random(i, base) AS WITH RECURSIVE n(i) AS ("
      "  VALUES(0) UNION ALL SELECT i + 1 FROM n WHERE i < %ld)"
      "SELECT i, i * 274877906944 FROM n;"
      "INSERT INTO dimension SELECT base + leveldb_hash(i) * 64, i %% 1000"
      "  FROM random;"
      "INSERT INTO facts SELECT j * 274877906944 + leveldb_hash(j) * 64"
      "    + (i %% 100 > 0), i %% 1000"
      "  FROM (SELECT i, leveldb_hash(i, 1) %% %ld AS j FROM random"
      "    LIMIT %ld);"
      "INSERT INTO filters SELECT 'large', bloom_build(k, 16) FROM dimension",
      rows - 1, rows, fact_rows);
  bench_section(JOINS, "filtered", "plain");
  bench_queries("INTEGER, rowid, 20 million rows, 2 MB page cache", filtered,
                plain, 1, (double)fact_rows);
  cache_misses();
  bench_integer(filtered);
  const double ours = (double)cache_misses();
  bench_integer(plain);
  const double peer = (double)cache_misses();
  bench_integer("SELECT count(*) FROM facts WHERE v >= 0");
  const double misses[] = {ours, peer, (double)cache_misses()};
  bench_columns("page-cache misses", 3, queries);
  bench_row("INTEGER, rowid, 20 million rows, 2 MB page cache", misses);
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: %s EXTENSION tables | large\n", argv[0]);
    return 2;
  }
  fact_rows = bench_size(2000000);
  printf("\nSQLite %s\n", sqlite3_libversion());
  if (strcmp(argv[2], "tables") == 0) bench_tables(argv[1]);
  if (strcmp(argv[2], "large") == 0) bench_large(argv[1]);
  sqlite3_close(bench_db);
  return 0;
}
