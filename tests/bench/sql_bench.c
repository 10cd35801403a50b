/*
** The SQL functions: scans against a function that does nothing, and joins with
** a filter against the same joins without. Times are nanoseconds a fact row.
**
** usage: sql_bench EXTENSION tables | large
*/
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "forms.h"

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

static void compare(const char *name, const char *ours, const char *peer) {
  bench_queries(name, ours, peer, 0, (double)fact_rows);
}

static void compare_joins(const char *name, const char *ours,
                          const char *peer) {
  bench_queries(name, ours, peer, 1, (double)fact_rows);
}

/* A fifth of the facts. */
static void compare_rates(const char *name, const char *ours,
                          const char *peer) {
  bench_queries(name, ours, peer, 1, (double)(fact_rows / 5));
}

static void bench_match_rates(void) {
  static const double percent[] = {0.1, 1, 10, 50, 100};
  static const char *const types[] = {"INTEGER", "TEXT"};
  bench_section("joins over the match rate, ns a fact row", "filtered",
                "plain");
  for (int is_text = 0; is_text < 2; is_text++) {
    const char *type = types[is_text];
    for (size_t i = 0; i < sizeof(percent) / sizeof(*percent); i++) {
      run_form("facts", type);
      /* A share just under 1 gives random members only. */
      fill("facts", is_text, fact_rows / 5, percent[i] / 100 - 1e-12);
      bench_run("ANALYZE");
      each_row(type, text("%g", percent[i]), compare_rates);
    }
  }
}

static void bench_tables(const char *extension) {
  bench_open(":memory:", extension);
  sqlite3_create_function(bench_db, "idle", 2,
                          SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL, idle, NULL,
                          NULL);
  run_form("tables", "");
  fill("facts_integer", 0, fact_rows, 0.01);
  fill("facts_text", 1, fact_rows, 0.01);
  fill("dimension_integer", 0, DIMENSION_ROWS, 1);
  fill("dimension_text", 1, DIMENSION_ROWS, 1);
  run_form("filters", "");
  bench_section("functions in a scan, ns a row", "function", "peer");
  each_row("function", "", compare);
  if (bench_has("bloom_build_distinct")) {
    bench_section("building for distinct keys, ns a row", "distinct",
                  "bloom_build");
    each_row("distinct", "", compare);
  }
  bench_section(JOINS, "filtered", "plain");
  each_row("join", "", compare_joins);
  bench_match_rates();
}

/* ---- A dimension larger than the page cache */

static void bench_large(const char *extension) {
  bench_open("", extension);
  run_form("large", "");
  bench_section(JOINS, "filtered", "plain");
  each_row("from_large", "", compare_joins);
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: %s EXTENSION tables | large\n", argv[0]);
    return 2;
  }
  fact_rows = bench_size(2000000);
  read_forms("tests/data/functions.txt", NULL);
  printf("\nSQLite %s\n", sqlite3_libversion());
  if (strcmp(argv[2], "tables") == 0) bench_tables(argv[1]);
  if (strcmp(argv[2], "large") == 0) bench_large(argv[1]);
  sqlite3_close(bench_db);
  return 0;
}
