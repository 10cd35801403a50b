/*
** A filter for each block of rows: the rows of one session, kept by the script
** of bloom_blocks_sql, against the scan and the index; the lines with one word,
** as sql/search_log.sql finds them, against LIKE and FTS5; and the space of
** each. Times are milliseconds a lookup, sizes MB.
**
** usage: block_bench EXTENSION
*/
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "bench_sql.h"

#define ROWS 4000000
#define LINES 1000000

/* What is looked for: this many keys, of rows spread over the log. */
#define LOOKUPS 8

static double megabytes_of_pages(void) {
  return (double)(bench_integer("PRAGMA page_count") *
                  bench_integer("PRAGMA page_size")) /
         1e6;
}

static double filter_megabytes(const char *blocks) {
  char sql[80];
  snprintf(sql, sizeof(sql), "SELECT sum(length(f)) FROM %s", blocks);
  return (double)bench_integer(sql) / 1e6;
}

/* Seconds a lookup of the first n keys, and their rows. */
static double lookups(sqlite3_stmt *statement, int n, sqlite3_int64 *rows) {
  static sqlite3_stmt *key;
  if (key == NULL) key = bench_prepare("SELECT key FROM wanted WHERE n = ?1");
  const double start = bench_now();
  *rows = 0;
  for (int i = 0; i < n; i++) {
    sqlite3_bind_int(key, 1, i);
    bench_check(sqlite3_step(key), "SELECT key");
    sqlite3_bind_value(statement, 1, sqlite3_column_value(key, 0));
    sqlite3_reset(key);
    bench_check(sqlite3_step(statement), sqlite3_sql(statement));
    *rows += sqlite3_column_int64(statement, 0);
    sqlite3_reset(statement);
  }
  return (bench_now() - start) / n;
}

/* Both must find as many rows of the same keys. */
static void compare_lookups(const char *name, double goal, const char *ours,
                            const char *peer) {
  sqlite3_stmt *our_query = bench_prepare(ours);
  sqlite3_stmt *peer_query = bench_prepare(peer);
  double our_times[BENCH_MAX_ROUNDS], peer_times[BENCH_MAX_ROUNDS];
  sqlite3_int64 found, peer_found;
  int rounds = bench_rounds();
  lookups(our_query, LOOKUPS, &found);
  lookups(peer_query, LOOKUPS, &peer_found);
  if (found != peer_found) {
    fprintf(stderr, "%s: %lld rows, not %lld\n", name, found, peer_found);
    exit(1);
  }
  for (int i = 0; i < rounds; i++) {
    our_times[i] = lookups(our_query, LOOKUPS, &found);
    peer_times[i] = lookups(peer_query, LOOKUPS, &peer_found);
    if (peer_times[i] * LOOKUPS > BENCH_LONG_SECONDS && rounds > 3) rounds = 3;
  }
  sqlite3_finalize(our_query);
  sqlite3_finalize(peer_query);
  bench_ratio(name, goal, bench_median(our_times, rounds) * 1e3,
              bench_median(peer_times, rounds) * 1e3);
}

/* ---- Sessions */

#define FIND_IN_BLOCKS                             \
  "SELECT count(*) FROM log_session_spans AS span" \
  " CROSS JOIN log NOT INDEXED"                    \
  " ON log.id BETWEEN span.first AND span.last"    \
  " WHERE bloom_may_match(?1, span.f) AND log.session = ?1"
#define FIND "SELECT count(*) FROM log WHERE session = ?1"

/* A log whose row i is of the session that an expression over i gives. */
static void make_log(const char *session) {
  bench_run("DROP TABLE IF EXISTS log; DROP TABLE IF EXISTS wanted");
  bench_run_with(
      "CREATE TABLE log(id INTEGER PRIMARY KEY, session TEXT, line TEXT);"
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
      "  WHERE i < %d)"
      "INSERT INTO log SELECT i, printf('%%08x%%08x', leveldb_hash(s),"
      "    leveldb_hash(s, 1)), 'GET /page/' || (s %% 1000)"
      "  FROM (SELECT i, %s AS s FROM n);"
      "CREATE TABLE wanted AS SELECT id / %d AS n, session AS key FROM log"
      "  WHERE id %% %d = 1",
      ROWS, session, ROWS / LOOKUPS, ROWS / LOOKUPS);
}

static void keep_sessions(int rows, int bits_per_key) {
  char query[80];
  snprintf(query, sizeof(query),
           "SELECT bloom_blocks_sql('log', 'session', %d, %d)", bits_per_key,
           rows);
  bench_run_script(query);
}

typedef struct log_shape {
  const char *name;
  const char *session;
  double time_goal, space_goal;
} log_shape;

static void bench_sessions(const log_shape *shape) {
  char heading[80];
  make_log(shape->session);
  keep_sessions(4096, 12);
  snprintf(heading, sizeof(heading), "sessions, %s", shape->name);
  bench_section(heading, "filters", "peer");
  compare_lookups("ms a lookup, against the scan", shape->time_goal,
                  FIND_IN_BLOCKS, FIND);
  const double before = megabytes_of_pages();
  bench_run("CREATE INDEX log_session ON log(session)");
  const double index = megabytes_of_pages() - before;
  compare_lookups("ms a lookup, against the index", 0, FIND_IN_BLOCKS, FIND);
  bench_ratio("MB, against the index", shape->space_goal,
              filter_megabytes("log_session_blocks"), index);
  bench_run("DROP INDEX log_session; VACUUM");
}

/* Which block size and how many bits, on the log that is there. */
static void bench_choices(void) {
  static const int rows[] = {1024, 4096, 16384}, bits[] = {8, 10, 12, 16};
  printf("\nblock sizes and bits, of the same log\n");
  for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
    for (size_t j = 0; j < sizeof(bits) / sizeof(*bits); j++) {
      sqlite3_int64 found;
      keep_sessions(rows[i], bits[j]);
      sqlite3_stmt *query = bench_prepare(FIND_IN_BLOCKS);
      lookups(query, LOOKUPS, &found);
      const double ms = lookups(query, LOOKUPS, &found) * 1e3;
      printf("  blocks of %5d rows, %2d bits: %5.2f MB, %5.2f ms a lookup\n",
             rows[i], bits[j], filter_megabytes("log_session_blocks"), ms);
      sqlite3_finalize(query);
    }
  }
}

/* ---- Words */

#define SEARCH_BLOCKS                                                      \
  "SELECT count(*) FROM span CROSS JOIN log ON id BETWEEN first AND last"  \
  " WHERE bloom_may_match(?1, f) AND instr(' ' || line || ' ', ' ' || ?1 " \
  "|| ' ')"

static void bench_words(void) {
  bench_run("DROP TABLE log; DROP TABLE wanted; VACUUM");
  bench_run_with(
      "CREATE TABLE log(id INTEGER PRIMARY KEY, line TEXT);"
      "WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n"
      "  WHERE n < %d)"
      "INSERT INTO log SELECT n, printf('%%s web-%%d INFO request %%08x from"
      " 10.0.%%d.%%d \"GET %%s\" %%d ms',"
      "  datetime(1700000000 + n / 10, 'unixepoch'), n %% 20,"
      "  leveldb_hash(n / 3), leveldb_hash(n, 1) %% 8,"
      "  leveldb_hash(n, 2) %% 256,"
      "  CASE n %% 3 WHEN 0 THEN '/shop/cart\\checkout' ELSE '/shop/item' END,"
      "  leveldb_hash(n, 3) %% 900) FROM n;"
      "CREATE TABLE wanted AS SELECT id / %d AS n,"
      "  printf('%%08x', leveldb_hash(id / 3)) AS key FROM log"
      "  WHERE id %% %d = 1;"
      "CREATE TABLE block(block INTEGER PRIMARY KEY, f BLOB);"
      "INSERT INTO block SELECT log.id / 4096, bloom_build(DISTINCT value)"
      "  FROM log, json_each('[' || replace(json_quote(line), ' ', '\",\"') ||"
      "    ']') WHERE log.id < (SELECT max(id) / 4096 * 4096 FROM log)"
      "  GROUP BY log.id / 4096",
      LINES, LINES / LOOKUPS, LINES / LOOKUPS);
  bench_run(
      "CREATE VIEW span AS"
      " SELECT block * 4096 AS first, block * 4096 + 4095 AS last, f FROM block"
      " UNION ALL"
      " SELECT coalesce(max(block) + 1, 0) * 4096, 9223372036854775807, NULL"
      "  FROM block");
  bench_section("words, 1e6 lines", "filters", "peer");
  compare_lookups(
      "ms a lookup, against LIKE", 0, SEARCH_BLOCKS,
      "SELECT count(*) FROM log WHERE line LIKE '% ' || ?1 || ' %'");
  if (!sqlite3_compileoption_used("ENABLE_FTS5")) {
    printf("  skip: this SQLite has no FTS5\n");
    return;
  }
  const double before = megabytes_of_pages();
  bench_run(
      "CREATE VIRTUAL TABLE words USING fts5(line, content='log',"
      "  content_rowid='id');"
      "INSERT INTO words(words) VALUES('rebuild')");
  const double index = megabytes_of_pages() - before;
  compare_lookups("ms a lookup, against FTS5", 0, SEARCH_BLOCKS,
                  "SELECT count(*) FROM words WHERE words MATCH ?1");
  bench_ratio("MB, against FTS5", 0, filter_megabytes("block"), index);
  bench_ratio("MB, against the lines themselves", 0, filter_megabytes("block"),
              (double)bench_integer("SELECT sum(length(line)) FROM log") / 1e6);
}

int main(int argc, char **argv) {
  static const log_shape shapes[] = {
      {"20 rows at random", "leveldb_hash(i) % 200000", 0, 0},
      {"5 rows within 3,000", "i / 5 + leveldb_hash(i) % 600", 0, 0},
      {"20 rows within 6,000", "i / 20 + leveldb_hash(i) % 300", 60, 60},
  };
  if (argc != 2) {
    fprintf(stderr, "usage: %s EXTENSION\n", argv[0]);
    return 2;
  }
  printf("\nSQLite %s\n", sqlite3_libversion());
  bench_open(":memory:", argv[1]);
  for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
    bench_sessions(&shapes[i]);
  }
  bench_choices();
  bench_words();
  sqlite3_close(bench_db);
  return 0;
}
