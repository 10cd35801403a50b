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

#define PAGES ((int)bench_size(300000))
#define BATCH ((int)bench_size(300000))

/* Key n in no order, with a common beginning. */
#define URL(n) \
  "'https://example.org/' || printf('%%08x/', leveldb_hash(" n ")) || " n

#define NUMBERS                                                  \
  "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM" \
  " n WHERE i < %d) "

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

/* ---- New keys: a batch of which 5 % or 80 % are known */

#define IS_NEW "NOT EXISTS (SELECT * FROM page WHERE page.url = incoming.url)"
#define CERTAINLY_NEW                 \
  "NOT bloom_may_match(incoming.url," \
  " (SELECT bloom_open(bloom_build(url)) FROM page))"
#define FIRST CERTAINLY_NEW " OR url IN (SELECT url FROM page) IS NOT TRUE"
#define FROM_BATCH " FROM incoming WHERE "
#define IGNORE "INSERT OR IGNORE INTO page SELECT url FROM incoming"

static void bench_batch(int known) {
  bench_run_with(
      "DELETE FROM temp.incoming;"
      "INSERT INTO temp.incoming " NUMBERS
      "SELECT " URL("i") " FROM (SELECT CASE WHEN leveldb_hash(i, 9) %% 100 < "
      "%d THEN i ELSE i + 10000000 END AS i FROM n)",
      BATCH, known);
  char name[80];
  snprintf(name, sizeof(name), "finding them, %d %% known: filter first",
           known);
  bench_queries(name, "SELECT count(*)" FROM_BATCH FIRST,
                "SELECT count(*)" FROM_BATCH IS_NEW, 1, BATCH);
  snprintf(name, sizeof(name), "inserting them, %d %% known: sorted", known);
  compare_changes(name, IGNORE " ORDER BY url", IGNORE);
  snprintf(name, sizeof(name), "inserting them, %d %% known: filter first",
           known);
  compare_changes(name, IGNORE " WHERE " FIRST, IGNORE);
}

static void bench_new_keys(const char *section) {
  bench_run_with(
      "CREATE TABLE page(url TEXT PRIMARY KEY);"
      "CREATE TEMP TABLE incoming(url TEXT);"
      "INSERT INTO page " NUMBERS "SELECT " URL("i") " FROM n",
      PAGES);
  if (strstr(section, "cache") != NULL) {
    bench_run_with("PRAGMA cache_size=%lld",
                   bench_integer("PRAGMA page_count") / 10);
  }
  bench_run("PRAGMA journal_mode=MEMORY");
  bench_section(section, "recipe", "plain");
  bench_batch(5);
  bench_batch(80);
  bench_run("DROP TABLE page; DROP TABLE incoming");
}

/* ---- Garbage: the job without its deletion, whose rows are collected */

#define LIVE "(SELECT bloom_open(f) FROM live)"
#define BUILD_LIVE                              \
  "CREATE TEMP TABLE live AS SELECT 1 AS seed," \
  " bloom_build_distinct(leveldb_hash(hash, 1)) AS f FROM ref;"
#define ENDANGERED                                                          \
  "CREATE TEMP TABLE endangered AS SELECT ref.hash FROM ref LEFT JOIN"      \
  " blob ON blob.hash = ref.hash WHERE ref.hash NOT NULL AND NOT ifnull("   \
  "bloom_may_match(leveldb_hash(blob.hash, (SELECT seed FROM live)), " LIVE \
  "), 0);"
#define EXCLUDED                                                 \
  "CREATE TEMP TABLE deleted AS SELECT hash FROM blob WHERE NOT" \
  " bloom_may_match(leveldb_hash(hash, (SELECT seed FROM live)), " LIVE ")"
#define NOT_FOUND                                                 \
  "CREATE TEMP TABLE deleted AS SELECT hash FROM blob WHERE hash" \
  " NOT IN (SELECT hash FROM ref)"
#define DANGLING                                                        \
  "CREATE TEMP TABLE endangered AS SELECT hash FROM ref WHERE hash NOT" \
  " IN (SELECT hash FROM blob);"

static void bench_references(int percent) {
  char name[80];
  bench_run_with(
      "DELETE FROM ref;"
      "INSERT INTO ref SELECT hash FROM blob WHERE leveldb_hash(stored) %% 100"
      " < %d ORDER BY leveldb_hash(stored, 7)",
      percent);
  snprintf(name, sizeof(name), "%d %% in use, with the first query", percent);
  compare_changes(name, BUILD_LIVE ENDANGERED EXCLUDED, DANGLING NOT_FOUND);
  snprintf(name, sizeof(name), "%d %% in use, without it", percent);
  compare_changes(name, BUILD_LIVE EXCLUDED, NOT_FOUND);
}

static void bench_garbage(void) {
  bench_run_with(
      "CREATE TABLE blob(hash TEXT PRIMARY KEY, stored INTEGER);"
      "CREATE TABLE ref(hash TEXT);"
      "INSERT INTO blob " NUMBERS
      "SELECT printf('%%08x%%08x', leveldb_hash(i), leveldb_hash(i, 1)), i"
      " FROM n",
      BATCH);
  bench_section("garbage among 300,000 blobs, ns a blob", "filter", "NOT IN");
  bench_references(98);
  bench_references(10);
  bench_run("CREATE INDEX ref_hash ON ref(hash)");
  bench_section("the same, references indexed", "filter", "NOT IN");
  bench_references(98);
  bench_references(10);
  bench_run("DROP TABLE blob; DROP TABLE ref");
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

#define COUNT "SELECT count(*) FROM visit WHERE "
#define IN_JSON "user IN (SELECT value FROM json_each(?1))"
#define JSON_FILTER                                             \
  "bloom_may_match(user, (SELECT bloom_open(bloom_build(value)" \
  ") FROM json_each(?1)))"
#define IN_TABLE "user IN (SELECT user FROM handed)"
#define TABLE_FILTER                                          \
  "bloom_may_match(user, (SELECT bloom_open(bloom_build(user" \
  ")) FROM handed))"

static void compare_handed(const char *name, const char *ours,
                           const char *peer) {
  bench_compare(name, run_handed, (void *)ours, run_handed, (void *)peer,
                VISITS);
}

static void bench_program_keys(void) {
  bench_run_with(
      "CREATE TEMP TABLE handed(user TEXT PRIMARY KEY);"
      "CREATE TABLE visit AS " NUMBERS "SELECT 'user ' || i AS user FROM n",
      VISITS);
  json = malloc((size_t)HANDED * 20);
  size_t used = 0;
  for (int i = 1; i <= HANDED; i++) {
    used += (size_t)sprintf(json + used, "%s\"user %d\"", i == 1 ? "[" : ",",
                            i * 7919 % VISITS);
  }
  strcpy(json + used, "]");
  bench_section("20,000 keys of a program in 1e6 rows, ns a row", "filter",
                "no filter");
  compare_handed("json_each, against json_each",
                 COUNT JSON_FILTER " AND " IN_JSON, COUNT IN_JSON);
  compare_handed("temporary table, against the table",
                 COUNT TABLE_FILTER " AND " IN_TABLE, COUNT IN_TABLE);
  compare_handed("json_each, against a filter of the table",
                 COUNT JSON_FILTER " AND " IN_JSON,
                 COUNT TABLE_FILTER " AND " IN_TABLE);
  free(json);
}

int main(int argc, char **argv) {
  bench_begin(argc, argv, "EXTENSION FILE", ":memory:");
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
