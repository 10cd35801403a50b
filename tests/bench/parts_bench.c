/*
** A filter in parts, kept by bloom_create_parts. It measures filling the filter
** against making an index, a lookup of one key per statement against the index,
** an insert with and without the filter, a scan and an opening against a single
** filter, and how many absent keys match; then forms that do not pay.
**
** usage: parts_bench EXTENSION FOLDER
** A file is made there, for a table larger than the page cache, and removed.
*/
#define _POSIX_C_SOURCE 200112L
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "bench_sql.h"
#include "core/bloom.h"
#include "forms.h"

static long customers, visits;

/* The keys of a part: on average, and for which it has room. */
#define FIRST_KEYS 1000
#define CAPACITY 1500

#define PARTS "filters in parts of 1e6 TEXT keys, ns"

#define KEEP "SELECT bloom_create_parts('customer', 'email')"

/* The whole call, against an index. */
static double fill(const void *sql) {
  bench_run("DROP INDEX IF EXISTS customer_email");
  const double start = bench_now();
  bench_run(sql);
  return bench_now() - start;
}

static void bench_filling(void) {
  bench_section(PARTS, "parts", "index");
  bench_times("bloom_create_parts, a key, against CREATE INDEX", fill, KEEP,
              "CREATE INDEX customer_email ON customer(email)",
              (double)customers);
  bench_run("DROP INDEX customer_email");
}

/* ---- One key a statement */

/* The number of absent e-mails, and the one with which the next lookups or
** inserts begin. */
#define ABSENT 100000
static char (*absent)[32];
static size_t at;

static void make_absent(void) {
  absent = malloc(ABSENT * sizeof(*absent));
  random_state = 1;
  for (size_t i = 0; i < ABSENT; i++) {
    snprintf(absent[i], sizeof(*absent), "%016llx@example.com",
             (unsigned long long)random64());
  }
}

static uint64_t each_key(void *statement, long repeats) {
  uint64_t rows = 0;
  while (repeats-- > 0) {
    sqlite3_bind_text(statement, 1, absent[at++ % ABSENT], -1, SQLITE_STATIC);
    const int rc = sqlite3_step(statement);
    rows += rc == SQLITE_ROW;
    bench_check(rc, sqlite3_sql(statement));
    sqlite3_reset(statement);
  }
  return rows;
}

static void compare_keys(const char *name, const char *ours, const char *peer) {
  sqlite3_stmt *our_statement = bench_prepare(ours);
  sqlite3_stmt *peer_statement = bench_prepare(peer);
  bench_compare(name, each_key, our_statement, each_key, peer_statement, 1);
  sqlite3_finalize(our_statement);
  sqlite3_finalize(peer_statement);
}

static void bench_lookups(void) {
  each_row("absent",
           text("%lld",
                bench_integer("SELECT max(parts) FROM customer_email_parts")),
           compare_keys);
  for (int i = 0; i < 100; i++) bench_run_with("CREATE TABLE more%d(a, b)", i);
  each_row("absent_more", "", compare_keys);
  bench_run("BEGIN; INSERT INTO customer VALUES ('written', '')");
  each_row("absent_written", "", compare_keys);
  bench_run("ROLLBACK; ATTACH ':memory:' AS other; CREATE TABLE other.x(y)");
  each_row("absent_attached", "", compare_keys);
  bench_run("DETACH other");
  for (int i = 0; i < 100; i++) bench_run_with("DROP TABLE more%d", i);
  each_row("absent_one", "", compare_keys);
}

/* ---- The same where the table is larger than the page cache */

#define COLD_LOOKUPS 5000

/* The file of the table, or -1. */
static int file = -1;

/* Times this many lookups. SQLite's cache has what as many lookups before have
** left there. The system's cache has nothing of the file, if there is one. */
static double cold_lookups(const void *sql) {
  sqlite3_stmt *statement = bench_prepare(sql);
  each_key(statement, COLD_LOOKUPS);
  if (file >= 0) posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
  const double start = bench_now();
  each_key(statement, COLD_LOOKUPS);
  const double seconds = bench_now() - start;
  sqlite3_finalize(statement);
  return seconds;
}

static void compare_cold(const char *name, const char *ours, const char *peer) {
  bench_times(name, cold_lookups, ours, peer, COLD_LOOKUPS);
}

static void bench_cold(const char *extension, const char *folder) {
  sqlite3 *memory = bench_db;
  char path[4096];
  snprintf(path, sizeof(path), "%s/parts-%ld.db", folder, (long)getpid());
  remove(path);
  bench_run_with("ATTACH %Q AS cold", path);
  bench_run(
      "CREATE TABLE cold.customer(email TEXT PRIMARY KEY, name TEXT);"
      "INSERT INTO cold.customer SELECT * FROM main.customer");
  const sqlite3_int64 pages = bench_integer("PRAGMA cold.page_count");
  bench_run("DETACH cold");

  bench_open(path, extension);
  bench_run(KEEP);
  bench_run_with("PRAGMA cache_size=%lld", pages / 10);
  /* In one transaction: otherwise most of the time would be for the file's
  ** lock. */
  bench_run("BEGIN");
  each_row("cold", "", compare_cold);
  file = open(path, O_RDONLY);
  if (file >= 0 && fsync(file) == 0 &&
      posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED) == 0) {
    each_row("dropped", "", compare_cold);
  } else {
    printf("  skip: the system's cache cannot be dropped\n");
  }
  if (file >= 0) close(file);
  sqlite3_close(bench_db);
  remove(path);
  bench_db = memory;
}

static void bench_inserts(void) {
  run_form("inserted", "");
  bench_run("PRAGMA journal_mode=MEMORY");
  bench_section("an insert in memory, ns", "kept", "plain");
  each_row("insert_each", "", compare_keys);
  bench_run("BEGIN");
  each_row("insert", "", compare_keys);
  bench_run("ROLLBACK");
  run_form("drop_inserted", "");
}

static void compare_scans(const char *name, const char *ours,
                          const char *peer) {
  bench_queries(name, ours, peer, 0, (double)visits);
}

/* ---- False positives: parts at 10 bits, each of its own size */

#define BITS_PER_KEY 10
#define CHOSEN 2000

static uint32_t hashes[CHOSEN][CAPACITY];
static size_t keys_of[CHOSEN];
static uint8_t *filters[CHOSEN];

/* The i-th key's part among the chosen ones, or CHOSEN if its part is not
** chosen, and its hash. Every (parts / CHOSEN)-th part is chosen. */
static uint32_t chosen_part(uint64_t i, uint32_t parts, uint32_t *hash) {
  random_state = i;
  const uint64_t key[2] = {random64(), random64()};
  const uint64_t at_seed_1 = bloom_hash(key, sizeof(key), 1);
  const uint32_t part = (uint32_t)(at_seed_1 * parts >> 32);
  if (part % (parts / CHOSEN) != 0) return CHOSEN;
  *hash = bloom_key_hash(key, sizeof(key));
  return part / (parts / CHOSEN);
}

/* The share of the absent keys of the chosen parts that match. The number of
** chosen parts is the same for any number of keys. */
static double parts_rate(long about) {
  const uint64_t of_chosen = CHOSEN * FIRST_KEYS;
  const uint64_t times = (uint64_t)about / of_chosen;
  const uint64_t keys = (times > 0 ? times : 1) * of_chosen;
  const uint32_t parts = (uint32_t)(keys / FIRST_KEYS);
  uint32_t hash;
  memset(keys_of, 0, sizeof(keys_of));
  for (uint64_t i = 0; i < keys; i++) {
    const uint32_t part = chosen_part(i, parts, &hash);
    if (part == CHOSEN) continue;
    if (keys_of[part] == CAPACITY) abort();
    hashes[part][keys_of[part]++] = hash;
  }
  for (uint32_t part = 0; part < CHOSEN; part++) {
    const size_t n = keys_of[part];
    const size_t size = (size_t)bloom_filter_size(n, BITS_PER_KEY);
    filters[part] = malloc(size);
    bloom_filter_start(filters[part], size, BITS_PER_KEY);
    bloom_add_hashes(filters[part], size, hashes[part], n, NULL);
  }
  uint64_t asked = 0, passed = 0;
  for (uint64_t i = keys; asked < 500000; i++) {
    const uint32_t part = chosen_part(i, parts, &hash);
    if (part == CHOSEN) continue;
    bloom_filter filter;
    bloom_filter_read(&filter, filters[part],
                      (size_t)bloom_filter_size(keys_of[part], BITS_PER_KEY));
    asked++;
    passed += (uint64_t)bloom_may_match_hash(&filter, hash);
  }
  for (uint32_t part = 0; part < CHOSEN; part++) free(filters[part]);
  return (double)passed / (double)asked;
}

static void bench_rates(void) {
  run_form("rates", text("%ld", (customers + FIRST_KEYS - 1) / FIRST_KEYS));
  static const char *const columns[] = {"parts", "one filter"};
  const double passed[] = {
      (double)bench_integer("SELECT parts FROM passed") / 1e4,
      (double)bench_integer("SELECT one FROM passed") / 1e4};
  bench_columns("false positives of 1e6 TEXT keys, %", 2, columns);
  bench_row("10 bits a key", passed);
  bench_columns("false positives of parts of 1,000 keys, %", 1, columns);
  const double of_1e8 = 100 * parts_rate(bench_size(100000000));
  bench_row("1e8 keys, 2,000 of the 1e5 parts", &of_1e8);
  const double of_1e9 = 100 * parts_rate(bench_size(1000000000));
  bench_row("1e9 keys, 2,000 of the 1e6 parts", &of_1e9);
}

/* ---- What does not pay */

static double few;

static void compare_few(const char *name, const char *ours, const char *peer) {
  bench_queries(name, ours, peer, 1, few);
}

static void compare_visits(const char *name, const char *ours,
                           const char *peer) {
  bench_queries(name, ours, peer, 1, (double)visits);
}

static void bench_pitfalls(void) {
  run_form("few", "");
  few = (double)bench_integer("SELECT count(*) FROM few");
  bench_section("forms that do not pay, ns a row", "filter", "no filter");
  each_row("pitfall", "", compare_few);
  each_row("past", "", compare_visits);
}

int main(int argc, char **argv) {
  bench_begin(argc, argv, "EXTENSION FOLDER", ":memory:");
  customers = bench_size(1000000);
  visits = 2 * customers;
  read_forms("tests/data/parts.txt", NULL);
  make_absent();
  run_form("tables", "");
  bench_filling();
  bench_lookups();
  bench_cold(argv[1], argv[2]);
  each_row("scan", "", compare_scans);
  each_row("opening", "", compare_keys);
  bench_pitfalls();
  bench_inserts();
  bench_rates();
  sqlite3_close(bench_db);
  free(absent);
  return 0;
}
