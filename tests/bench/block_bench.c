/*
** A filter for each block of rows: the rows of one session, kept by
** bloom_create_blocks, against the scan and the index; the lines with one word,
** as sql/search_log.sql finds them, against LIKE and FTS5; and the space of
** each.
**
** usage: block_bench EXTENSION
*/
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "bench_sql.h"
#include "lib/sql.h"

static long log_rows, lines;

/* The number of keys that are looked up, of rows spread over the log. */
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

/* The rows of the keys that the last query has looked up. */
static sqlite3_int64 found;

/* Seconds that a query takes to look up all keys. */
static double lookups(const void *sql) {
  sqlite3_stmt *query = bench_prepare(sql);
  sqlite3_stmt *key = bench_prepare("SELECT key FROM wanted WHERE n = ?1");
  const double start = bench_now();
  found = 0;
  for (int i = 0; i < LOOKUPS; i++) {
    sqlite3_bind_int(key, 1, i);
    bench_check(sqlite3_step(key), "SELECT key");
    sqlite3_bind_value(query, 1, sqlite3_column_value(key, 0));
    sqlite3_reset(key);
    bench_check(sqlite3_step(query), sql);
    found += sqlite3_column_int64(query, 0);
    sqlite3_reset(query);
  }
  const double seconds = bench_now() - start;
  no_automatic_index(query);
  sqlite3_finalize(key);
  sqlite3_finalize(query);
  return seconds;
}

/* Both must find the same number of rows for the same keys. */
static void compare_lookups(const char *name, const char *ours,
                            const char *peer) {
  lookups(ours);
  const sqlite3_int64 ours_found = found;
  lookups(peer);
  if (ours_found != found) {
    fprintf(stderr, "%s: %lld rows, not %lld\n", name, ours_found, found);
    exit(1);
  }
  bench_section("a lookup by filters of blocks, ms", "filters", "peer");
  bench_times(name, lookups, ours, peer, LOOKUPS * 1e6);
}

static void compare_sizes(const char *name, const char *blocks, double peer) {
  bench_section("the size of filters of blocks, MB", "filters", "peer");
  bench_ratio(name, filter_megabytes(blocks), peer);
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
      "  WHERE i < %ld)"
      "INSERT INTO log SELECT i, printf('%%08x%%08x', leveldb_hash(s),"
      "    leveldb_hash(s, 1)), 'GET /page/' || (s %% 1000)"
      "  FROM (SELECT i, %s AS s FROM n);"
      "CREATE TABLE wanted AS SELECT id / %ld AS n, session AS key FROM log"
      "  WHERE id %% %ld = 1",
      log_rows, session, log_rows / LOOKUPS, log_rows / LOOKUPS);
}

static void keep_sessions(int rows, int bits_per_key) {
  bench_run_with("SELECT bloom_create_blocks('log', 'session', %d, %d)",
                 bits_per_key, rows);
}

/* The rows of a session, and the expression that spreads them. */
static void bench_sessions(const char *rows, const char *session) {
  char name[80];
  make_log(session);
  keep_sessions(4096, 12);
  snprintf(name, sizeof(name), "%s, against the scan", rows);
  compare_lookups(name, FIND_IN_BLOCKS, FIND);
  const double before = megabytes_of_pages();
  bench_run("CREATE INDEX log_session ON log(session)");
  const double index = megabytes_of_pages() - before;
  snprintf(name, sizeof(name), "%s, against the index", rows);
  compare_lookups(name, FIND_IN_BLOCKS, FIND);
  compare_sizes(name, "log_session_blocks", index);
  bench_run("DROP INDEX log_session; VACUUM");
}

/* Block sizes and numbers of bits, on the log that exists. */
static void bench_choices(void) {
  static const int rows[] = {1024, 4096, 16384}, bits[] = {8, 10, 12, 16};
  static const char *const columns[] = {"MB", "ms a lookup"};
  bench_columns("sizes of blocks, and bits", 2, columns);
  for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
    for (size_t j = 0; j < sizeof(bits) / sizeof(*bits); j++) {
      char name[80];
      keep_sessions(rows[i], bits[j]);
      lookups(FIND_IN_BLOCKS);
      const double ms = lookups(FIND_IN_BLOCKS) / LOOKUPS * 1e3;
      const double values[] = {filter_megabytes("log_session_blocks"), ms};
      snprintf(name, sizeof(name), "%d rows, %d bits", rows[i], bits[j]);
      bench_row(name, values);
      bench_turn();
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
      "  WHERE n < %ld)"
      "INSERT INTO log SELECT n, printf('%%s web-%%d INFO request %%08x from"
      " 10.0.%%d.%%d \"GET %%s\" %%d ms',"
      "  datetime(1700000000 + n / 10, 'unixepoch'), n %% 20,"
      "  leveldb_hash(n / 3), leveldb_hash(n, 1) %% 8,"
      "  leveldb_hash(n, 2) %% 256,"
      "  CASE n %% 3 WHEN 0 THEN '/shop/cart\\checkout' ELSE '/shop/item' END,"
      "  leveldb_hash(n, 3) %% 900) FROM n;"
      "CREATE TABLE wanted AS SELECT id / %ld AS n,"
      "  printf('%%08x', leveldb_hash(id / 3)) AS key FROM log"
      "  WHERE id %% %ld = 1;"
      "CREATE TABLE block(block INTEGER PRIMARY KEY, f BLOB);"
      "INSERT INTO block SELECT log.id / 4096, bloom_build(DISTINCT value)"
      "  FROM log, json_each('[' || replace(json_quote(line), ' ', '\",\"') ||"
      "    ']') WHERE log.id < (SELECT max(id) / 4096 * 4096 FROM log)"
      "  GROUP BY log.id / 4096",
      lines, lines / LOOKUPS, lines / LOOKUPS);
  bench_run(
      "CREATE VIEW span AS"
      " SELECT block * 4096 AS first, block * 4096 + 4095 AS last, f FROM block"
      " UNION ALL"
      " SELECT coalesce(max(block) + 1, 0) * 4096, 9223372036854775807, NULL"
      "  FROM block");
  compare_lookups("3 of 1e6 lines with a word, against LIKE", SEARCH_BLOCKS,
                  "SELECT count(*) FROM log"
                  " WHERE line LIKE '% ' || ?1 || ' %'");
  compare_sizes(
      "words of 1e6 lines, against the lines themselves", "block",
      (double)bench_integer("SELECT sum(length(line)) FROM log") / 1e6);
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
  compare_lookups("3 of 1e6 lines with a word, against FTS5", SEARCH_BLOCKS,
                  "SELECT count(*) FROM words WHERE words MATCH ?1");
  compare_sizes("words of 1e6 lines, against FTS5", "block", index);
}

int main(int argc, char **argv) {
  bench_begin(argc, argv, "EXTENSION", ":memory:");
  log_rows = bench_size(4000000);
  lines = bench_size(1000000);
  bench_sessions("20 rows at random", "leveldb_hash(i) % 200000");
  bench_sessions("5 rows within 3,000", "i / 5 + leveldb_hash(i) % 600");
  bench_sessions("20 rows within 6,000", "i / 20 + leveldb_hash(i) % 300");
  bench_choices();
  bench_words();
  sqlite3_close(bench_db);
  return 0;
}
