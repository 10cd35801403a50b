#include "bench_sql.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "lib/sql.h"

sqlite3 *bench_db;

void bench_check(int rc, const char *sql) {
  if (rc == SQLITE_OK || rc == SQLITE_ROW || rc == SQLITE_DONE) return;
  fprintf(stderr, "%s\n  %s\n", sql, sqlite3_errmsg(bench_db));
  exit(1);
}

void bench_run(const char *sql) {
  run(bench_db, sql);
}

void bench_run_file(const char *path) {
  sqlite3_str *sql = sqlite3_str_new(bench_db);
  char *text = read_file(path), *at = text;
  for (char *brace; (brace = strchr(at, '{')) != NULL;) {
    sqlite3_str_append(sql, at, (int)(brace - at));
    sqlite3_str_appendf(sql, "%ld", bench_size(strtol(brace + 1, &at, 10)));
    at++;
  }
  sqlite3_str_appendall(sql, at);
  free(text);
  text = sqlite3_str_finish(sql);
  bench_run(text);
  sqlite3_free(text);
}

void bench_run_with(const char *format, ...) {
  va_list values;
  va_start(values, format);
  char *sql = sqlite3_vmprintf(format, values);
  va_end(values);
  bench_run(sql);
  sqlite3_free(sql);
}

sqlite3_stmt *bench_prepare(const char *sql) {
  return prepare(bench_db, sql);
}

sqlite3_int64 bench_integer(const char *sql) {
  return integer_of(bench_db, sql);
}

void bench_open(const char *name, const char *extension) {
  bench_turn();
  bench_db = open_with(name, extension);
  bench_run(
      "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;"
      "PRAGMA temp_store=MEMORY");
}

void bench_begin(int argc, char **argv, const char *usage, const char *name) {
  int arguments = 1;
  for (const char *at = usage; at != NULL; at = strchr(at + 1, ' '))
    arguments++;
  if (argc != arguments) {
    fprintf(stderr, "usage: %s %s\n", argv[0], usage);
    exit(2);
  }
  printf("\nSQLite %s\n", sqlite3_libversion());
  bench_open(name, argv[1]);
}

int bench_has(const char *function) {
  char *sql = sqlite3_mprintf(
      "SELECT count(*) FROM pragma_function_list WHERE name = %Q", function);
  const sqlite3_int64 count = bench_integer(sql);
  sqlite3_free(sql);
  return count > 0;
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
  bench_check(rc, sqlite3_sql(query));
  sqlite3_reset(query);
  sqlite3_str_appendall(text, "end"); /* a result without rows is not NULL */
  *result = sqlite3_str_finish(text);
  return seconds;
}

void bench_forms(const char *name, const char *const *queries, int n, int same,
                 double *medians) {
  double times[BENCH_MAX_FORMS][BENCH_MAX_ROUNDS];
  sqlite3_stmt *prepared[BENCH_MAX_FORMS];
  int rounds = bench_rounds();
  for (int i = 0; i < n; i++) prepared[i] = bench_prepare(queries[i]);
  for (int round = 0; round < rounds; round++) {
    char *first = NULL;
    for (int i = 0; i < n; i++) {
      char *result;
      times[i][round] = timed_query(prepared[i], &result);
      if (i == 0) first = result;
      if (same && strcmp(first, result) != 0) {
        fprintf(stderr, "%s: %s is not %s\n", name, first, result);
        exit(1);
      }
      if (i > 0) sqlite3_free(result);
      if (times[i][round] > BENCH_LONG_SECONDS && rounds > 3) rounds = 3;
    }
    sqlite3_free(first);
    bench_turn();
  }
  for (int i = 0; i < n; i++) {
    sqlite3_finalize(prepared[i]);
    medians[i] = bench_median(times[i], rounds);
  }
}

bench_medians bench_queries(const char *name, const char *ours,
                            const char *peer, int same, double rows) {
  const char *const queries[] = {ours, peer};
  double medians[2];
  bench_forms(name, queries, 2, same, medians);
  bench_report(name, medians[0], medians[1], rows);
  return (bench_medians){medians[0], medians[1]};
}
