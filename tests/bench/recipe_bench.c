/*
** What recipes of sql/ gain, and the forms that they advise against: finding
** and inserting new keys (anti_join.sql), finding garbage (garbage.sql), and
** keys that a program has (program_keys.sql).
**
** usage: recipe_bench EXTENSION FILE
** FILE is made, for a table larger than the page cache, and removed.
*/
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "bench_sql.h"
#include "forms.h"

#define BATCH ((int)bench_size(300000))

/* Seconds that a change takes. It is undone afterwards. */
static double change_seconds(const void *sql) {
  bench_run("BEGIN");
  const double start = bench_now();
  bench_run(sql);
  const double seconds = bench_now() - start;
  bench_run("ROLLBACK");
  return seconds;
}

static void compare_changes(const char *name, const char *ours,
                            const char *peer) {
  bench_times(name, change_seconds, ours, peer, BATCH);
}

static void compare_queries(const char *name, const char *ours,
                            const char *peer) {
  bench_queries(name, ours, peer, 1, BATCH);
}

static void bench_batch(const char *known) {
  run_form("batch", known);
  each_row("found", known, compare_queries);
  each_row("inserted", known, compare_changes);
}

static void bench_new_keys(const char *section) {
  run_form("pages", "");
  if (strstr(section, "cache") != NULL) {
    bench_run_with("PRAGMA cache_size=%lld",
                   bench_integer("PRAGMA page_count") / 10);
  }
  bench_run("PRAGMA journal_mode=MEMORY");
  bench_section(section, "recipe", "plain");
  bench_batch("5");
  bench_batch("80");
  run_form("drop_pages", "");
}

static void bench_references(const char *section) {
  bench_section(section, "filter", "NOT IN");
  run_form("references", "98");
  each_row("garbage", "98", compare_changes);
  run_form("references", "10");
  each_row("garbage", "10", compare_changes);
}

static void bench_garbage(void) {
  run_form("blobs", "");
  bench_references("garbage among 300,000 blobs, ns a blob");
  bench_run("CREATE INDEX ref_hash ON ref(hash)");
  bench_references("the same, references indexed");
  run_form("drop_blobs", "");
}

/* ---- Keys that a program passes: as JSON, or in a temporary table */

#define HANDED ((int)bench_size(20000))
#define VISITS ((int)bench_size(1000000))

static char *json;

static uint64_t count_visits(const char *sql) {
  sqlite3_stmt *statement = bench_prepare(sql);
  if (sqlite3_bind_parameter_count(statement) > 0) {
    sqlite3_bind_text(statement, 1, json, -1, SQLITE_STATIC);
  }
  bench_check(sqlite3_step(statement), sql);
  const uint64_t count = (uint64_t)sqlite3_column_int64(statement, 0);
  sqlite3_finalize(statement);
  return count;
}

/* Puts the keys into the table, as a program does, in a transaction. */
static void hand_over(void) {
  bench_run("BEGIN; DELETE FROM handed");
  sqlite3_stmt *insert = bench_prepare("INSERT INTO handed VALUES(?1)");
  for (int i = 1; i <= HANDED; i++) {
    char key[32];
    snprintf(key, sizeof(key), "user %d", i * 7919 % VISITS);
    sqlite3_bind_text(insert, 1, key, -1, SQLITE_STATIC);
    bench_check(sqlite3_step(insert), "INSERT INTO handed");
    sqlite3_reset(insert);
  }
  sqlite3_finalize(insert);
  bench_run("COMMIT");
}

/* A query with ?1 takes the JSON. */
static uint64_t run_handed(void *sql, long repeats) {
  uint64_t count = 0;
  while (repeats-- > 0) {
    if (strstr(sql, "?1") == NULL) hand_over();
    count += count_visits(sql);
  }
  return count;
}

static void compare_handed(const char *name, const char *ours,
                           const char *peer) {
  bench_compare(name, run_handed, (void *)ours, run_handed, (void *)peer,
                VISITS);
}

static void bench_program_keys(void) {
  run_form("visits", "");
  json = malloc((size_t)HANDED * 20);
  size_t used = 0;
  for (int i = 1; i <= HANDED; i++) {
    used += (size_t)sprintf(json + used, "%s\"user %d\"", i == 1 ? "[" : ",",
                            i * 7919 % VISITS);
  }
  strcpy(json + used, "]");
  bench_section("20,000 keys of a program in 1e6 rows, ns a row", "filter",
                "no filter");
  each_row("handed", "", compare_handed);
  free(json);
}

int main(int argc, char **argv) {
  bench_begin(argc, argv, "EXTENSION FILE", ":memory:");
  read_forms("tests/data/recipes.txt", NULL);
  bench_new_keys("300,000 keys into 300,000 in memory, ns a key");
  bench_garbage();
  bench_program_keys();
  sqlite3_close(bench_db);
  remove(argv[2]);
  bench_open(argv[2], argv[1]);
  bench_new_keys("the same, page cache a tenth of the table");
  sqlite3_close(bench_db);
  remove(argv[2]);
  return 0;
}
