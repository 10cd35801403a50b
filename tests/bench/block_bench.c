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
#include "forms.h"

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

static void keep_sessions(int rows, int bits_per_key) {
  bench_run_with("SELECT bloom_create_blocks('log', 'session', %d, %d)",
                 bits_per_key, rows);
}

/* How many rows lie between two keys that are looked up. */
static const char *between(long rows) {
  return text("%ld", rows / LOOKUPS);
}

/* The rows of a session, and the expression that spreads them. */
static void bench_sessions(const char *rows, const char *session) {
  run_form("drop", "");
  bench_run(one_of("log", session, between(log_rows)));
  keep_sessions(4096, 12);
  each_row("session", rows, compare_lookups);
  const double before = megabytes_of_pages();
  bench_run("CREATE INDEX log_session ON log(session)");
  const double index = megabytes_of_pages() - before;
  each_row("indexed", rows, compare_lookups);
  compare_sizes(text("%s, against the index", rows), "log_session_blocks",
                index);
  bench_run("DROP INDEX log_session; VACUUM");
}

/* Block sizes and numbers of bits, on the log that exists. */
static void bench_choices(void) {
  static const int rows[] = {1024, 4096, 16384}, bits[] = {8, 10, 12, 16};
  static const char *const columns[] = {"MB", "ms a lookup"};
  const char *query = one_of("blocks", "", "");
  bench_columns("sizes of blocks, and bits", 2, columns);
  for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
    for (size_t j = 0; j < sizeof(bits) / sizeof(*bits); j++) {
      keep_sessions(rows[i], bits[j]);
      lookups(query);
      const double ms = lookups(query) / LOOKUPS * 1e3;
      const double values[] = {filter_megabytes("log_session_blocks"), ms};
      bench_row(text("%d rows, %d bits", rows[i], bits[j]), values);
      bench_turn();
    }
  }
}

/* ---- Words */

static void bench_words(void) {
  run_form("drop", "");
  bench_run("VACUUM");
  bench_run(one_of("words", "", between(lines)));
  each_row("like", "", compare_lookups);
  compare_sizes(
      "words of 1e6 lines, against the lines themselves", "block",
      (double)bench_integer("SELECT sum(length(line)) FROM log") / 1e6);
  if (!sqlite3_compileoption_used("ENABLE_FTS5")) {
    printf("  skip: this SQLite has no FTS5\n");
    return;
  }
  const double before = megabytes_of_pages();
  run_form("fts", "");
  const double index = megabytes_of_pages() - before;
  each_row("match", "", compare_lookups);
  compare_sizes("words of 1e6 lines, against FTS5", "block", index);
}

int main(int argc, char **argv) {
  bench_begin(argc, argv, "EXTENSION", ":memory:");
  read_forms("tests/data/blocks.txt", NULL);
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
