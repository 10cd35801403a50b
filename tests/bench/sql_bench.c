/*
** The SQL functions through libsqlite3: scans against a function that does
** nothing, and joins with a filter against the same joins without. Times are
** nanoseconds a fact row, by the wall clock.
*/
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

static long fact_rows = 5000000;
static long dimension_rows = 100000;
static sqlite3 *db;

static void check(int rc, const char *sql) {
  if (rc == SQLITE_OK || rc == SQLITE_ROW || rc == SQLITE_DONE) return;
  fprintf(stderr, "%s\n  %s\n", sql, sqlite3_errmsg(db));
  exit(1);
}

static void run(const char *sql) {
  check(sqlite3_exec(db, sql, NULL, NULL, NULL), sql);
}

static sqlite3_stmt *prepare(const char *sql) {
  sqlite3_stmt *statement;
  check(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), sql);
  return statement;
}

/* A function that does nothing, and so passes everything or nothing. */
static void idle(sqlite3_context *context, int argc, sqlite3_value **argv) {
  (void)argc, (void)argv;
  sqlite3_result_int(context, 0);
}

static void open_database(const char *name, const char *extension) {
  char *error = NULL;
  check(sqlite3_open(name, &db), name);
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 1, NULL);
  if (sqlite3_load_extension(db, extension, NULL, &error) != SQLITE_OK) {
    fprintf(stderr, "%s\n", error);
    exit(1);
  }
  sqlite3_create_function(db, "idle", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
                          NULL, idle, NULL, NULL);
  run("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;"
      "PRAGMA temp_store=MEMORY");
}

/* Runs a query to its end: the time, and all it returned, as text. */
static double timed_query(sqlite3_stmt *query, char **result) {
  const double start = bench_now();
  sqlite3_str *text = sqlite3_str_new(NULL);
  int rc;
  while ((rc = sqlite3_step(query)) == SQLITE_ROW) {
    for (int i = 0; i < sqlite3_column_count(query); i++) {
      const char *column = (const char *)sqlite3_column_text(query, i);
      sqlite3_str_appendf(text, "%s|", column);
    }
  }
  const double seconds = bench_now() - start;
  check(rc, sqlite3_sql(query));
  sqlite3_reset(query);
  *result = sqlite3_str_finish(text);
  return seconds;
}

/* Times two queries alternately. same is 1 where they must agree. */
static void compare(const char *name, double goal, const char *ours,
                    const char *peer, int same, double rows) {
  double our_times[99], peer_times[99];
  const int rounds = bench_rounds() > 5 ? 5 : bench_rounds();
  sqlite3_stmt *our_query = prepare(ours);
  sqlite3_stmt *peer_query = prepare(peer);
  for (int i = 0; i < rounds; i++) {
    char *our_result, *peer_result;
    our_times[i] = timed_query(our_query, &our_result);
    peer_times[i] = timed_query(peer_query, &peer_result);
    if (same && strcmp(our_result, peer_result) != 0) {
      fprintf(stderr, "%s: %s is not %s\n", name, our_result, peer_result);
      exit(1);
    }
    sqlite3_free(our_result);
    sqlite3_free(peer_result);
  }
  sqlite3_finalize(our_query);
  sqlite3_finalize(peer_query);
  bench_report(name, goal, bench_median(our_times, rounds),
               bench_median(peer_times, rounds), rows);
}

/* ---- Tables */

/* A TEXT key of 14 to 36 bytes. */
static void bind_text_key(sqlite3_stmt *insert, int i, uint64_t key) {
  char text[64];
  const int length = snprintf(text, sizeof(text), "SKU-%.*s%09llu-EU",
                              (int)(key % 21), "warehouse/north/shelf",
                              (unsigned long long)(key >> 8) % 1000000000);
  sqlite3_bind_text(insert, i, text, length, SQLITE_TRANSIENT);
}

static void bind_key(sqlite3_stmt *insert, int i, int is_text, uint64_t key) {
  if (is_text) {
    bind_text_key(insert, i, key);
  } else {
    sqlite3_bind_int64(insert, i, (sqlite3_int64)key);
  }
}

/* Fills `table` with n rows of key and value. A share of the keys is among the
** first `members` of the sequence from seed 1, the others are not. */
static void fill(const char *table, int is_text, long n, double share,
                 long members) {
  char *sql = sqlite3_mprintf("INSERT OR IGNORE INTO %s VALUES(?1, ?2)", table);
  sqlite3_stmt *insert = prepare(sql);
  uint64_t choice = 3, other = 1000000007, *keys = NULL;
  keys = malloc((size_t)members * sizeof(*keys));
  if (keys == NULL) exit(1);
  uint64_t seed = 1;
  for (long i = 0; i < members; i++) keys[i] = bench_random(&seed);
  run("BEGIN");
  for (long i = 0; i < n; i++) {
    const int member = (double)(bench_random(&choice) >> 11) * 0x1p-53 < share;
    const uint64_t key = share >= 1 && n == members ? keys[i]
                         : member
                             ? keys[bench_random(&choice) % (uint64_t)members]
                             : bench_random(&other);
    bind_key(insert, 1, is_text, key);
    sqlite3_bind_int64(insert, 2, i % 1000);
    check(sqlite3_step(insert), sql);
    sqlite3_reset(insert);
  }
  run("COMMIT");
  sqlite3_finalize(insert);
  sqlite3_free(sql);
  free(keys);
}

static void make_tables(void) {
  run("CREATE TABLE facts_integer(k INTEGER, v INTEGER);"
      "CREATE TABLE facts_text(k TEXT, v INTEGER);"
      "CREATE TABLE dimension_integer(k INTEGER PRIMARY KEY, v INTEGER);"
      "CREATE TABLE dimension_text(k TEXT PRIMARY KEY, v INTEGER);"
      "CREATE TABLE dimension_plain(k TEXT, v INTEGER);"
      "CREATE TABLE filters(name TEXT PRIMARY KEY, f BLOB)");
  fill("facts_integer", 0, fact_rows, 0.01, dimension_rows);
  fill("facts_text", 1, fact_rows, 0.01, dimension_rows);
  fill("dimension_integer", 0, dimension_rows, 1, dimension_rows);
  fill("dimension_text", 1, dimension_rows, 1, dimension_rows);
  fill("dimension_plain", 1, dimension_rows, 1, dimension_rows);
  run("INSERT INTO filters SELECT 'integer', bloom_build(k)"
      "  FROM dimension_integer;"
      "INSERT INTO filters SELECT 'text', bloom_build(k) FROM dimension_text;"
      "INSERT INTO filters SELECT 'large', bloom_build(k, 10, 20000000)"
      "  FROM dimension_integer;"
      "WITH RECURSIVE other(k) AS (VALUES(0) UNION ALL"
      "  SELECT k + 1 FROM other WHERE k < 19900000)"
      "INSERT OR REPLACE INTO filters SELECT 'large', bloom_build(k, 10)"
      "  FROM other;"
      "ANALYZE");
}

#define HANDLE(name) "(SELECT bloom_open(f) FROM filters WHERE name='" name "')"
#define SCAN(function, table, name) \
  "SELECT count(*) FROM " table " WHERE " function "(k, " HANDLE(name) ")"

static void bench_scans(void) {
  const double n = (double)fact_rows;
  bench_section("scan, ns a row (ratio of 0.56: 1.8 times nothing's)",
                "may_match", "idle");
  compare("INTEGER keys, 125 KB filter", 1 / 1.8,
          SCAN("bloom_may_match", "facts_integer", "integer"),
          SCAN("idle", "facts_integer", "integer"), 0, n);
  compare("TEXT keys, 125 KB filter", 1 / 1.8,
          SCAN("bloom_may_match", "facts_text", "text"),
          SCAN("idle", "facts_text", "text"), 0, n);
  compare("INTEGER keys, 25 MB filter, absent", 1 / 3.5,
          SCAN("bloom_may_match", "facts_integer", "large"),
          SCAN("idle", "facts_integer", "large"), 0, n);
  bench_section("build, ns a row (ratio of 0.63: 1.6 times total's)",
                "bloom_build", "total");
  compare("INTEGER keys", 1 / 1.6,
          "SELECT length(bloom_build(k)) FROM facts_integer",
          "SELECT total(k) FROM facts_integer", 0, n);
  compare("TEXT keys against sum of values", 0,
          "SELECT length(bloom_build(k)) FROM facts_text",
          "SELECT sum(v) FROM facts_text", 0, n);
}

#define JOIN(facts, dimension)                                       \
  "SELECT count(*), sum(f.v + d.v) FROM " facts " f JOIN " dimension \
  " d ON d.k = f.k"
#define FILTERED(facts, dimension, name) \
  JOIN(facts, dimension) " WHERE bloom_may_match(f.k, " HANDLE(name) ")"

static void bench_joins(void) {
  const double n = (double)fact_rows;
  bench_section("join, 1 % matching, ns a fact row", "filtered", "plain");
  compare("TEXT, indexed", 5, FILTERED("facts_text", "dimension_text", "text"),
          JOIN("facts_text", "dimension_text"), 1, n);
  compare("TEXT, not indexed", 5,
          FILTERED("facts_text", "dimension_plain", "text"),
          JOIN("facts_text", "dimension_plain"), 1, n);
  compare("INTEGER, rowid", 4,
          FILTERED("facts_integer", "dimension_integer", "integer"),
          JOIN("facts_integer", "dimension_integer"), 1, n);
}

static void bench_match_rates(void) {
  static const double percent[] = {0.1, 1, 10, 50, 100};
  bench_section("join over the match rate, ns a fact row", "filtered", "plain");
  for (int is_text = 0; is_text < 2; is_text++) {
    for (size_t i = 0; i < sizeof(percent) / sizeof(*percent); i++) {
      char name[80];
      run("DROP TABLE IF EXISTS facts");
      run(is_text ? "CREATE TABLE facts(k TEXT, v INTEGER)"
                  : "CREATE TABLE facts(k INTEGER, v INTEGER)");
      fill("facts", is_text, fact_rows / 5, percent[i] / 100, dimension_rows);
      run("ANALYZE");
      snprintf(name, sizeof(name), "%s, %g %% matching",
               is_text ? "TEXT" : "INTEGER", percent[i]);
      compare(name, percent[i] >= 100 ? 0.8 : 0,
              is_text ? FILTERED("facts", "dimension_text", "text")
                      : FILTERED("facts", "dimension_integer", "integer"),
              is_text ? JOIN("facts", "dimension_text")
                      : JOIN("facts", "dimension_integer"),
              1, (double)fact_rows / 5);
    }
  }
}

int main(int argc, char **argv) {
  const char *extension = argc > 1 ? argv[1] : "dist/bloom";
  const char *only = argc > 2 ? argv[2] : "";
  printf("SQLite %s\n", sqlite3_libversion());
  open_database(":memory:", extension);
  make_tables();
  if (*only == '\0' || strcmp(only, "scans") == 0) bench_scans();
  if (*only == '\0' || strcmp(only, "joins") == 0) bench_joins();
  if (*only == '\0' || strcmp(only, "rates") == 0) bench_match_rates();
  sqlite3_close(db);
  bench_end();
  return 0;
}
