/*
** A filter in parts, kept by the script of bloom_parts_sql: filling it against
** making an index, one key a statement against the index lookup, an insert
** against one that nobody keeps, a scan and an opening against one filter, and
** how many absent keys pass. Then what the README says of forms that do not
** pay.
**
** usage: parts_bench EXTENSION FILE
** FILE is made, for a table larger than the page cache, and removed.
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
#include "lib/random.h"

#define CUSTOMERS 1000000
#define VISITS 2000000

/* ---- The tables: customers, kept in parts, and one filter of them all with
** room for half as many more, as a part has; and visits, 1 % by customers. */

/* E-mail n: members are even, all others odd. They are spread evenly. */
#define EMAIL(n)                                                          \
  "printf('%%08x%%08x@example.com', leveldb_hash(" n "), leveldb_hash(" n \
  ", 7))"
#define KEEP "SELECT bloom_parts_sql('customer', 'email')"

static void make_tables(void) {
  bench_run_with(
      "CREATE TABLE customer(email TEXT PRIMARY KEY, name TEXT);"
      "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n"
      "  WHERE i < %d)"
      "INSERT INTO customer SELECT " EMAIL("i * 2") ", 'name ' || i FROM n;"
      "CREATE TABLE visit(email TEXT);"
      "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n"
      "  WHERE i < %d)"
      "INSERT INTO visit SELECT " EMAIL("i * 2 + (i %% 100 > 0)") " FROM n;"
      "CREATE TABLE one(f BLOB NOT NULL);"
      "INSERT INTO one SELECT bloom_build(email, 10, 1500000) FROM customer;",
      CUSTOMERS - 1, VISITS - 1);
}

/* The script from its first statement to its last, against an index. */
static void bench_filling(void) {
  double ours[BENCH_MAX_ROUNDS], peer[BENCH_MAX_ROUNDS];
  int rounds = bench_rounds();
  for (int i = 0; i < rounds; i++) {
    double start = bench_now();
    bench_run_script(KEEP);
    ours[i] = bench_now() - start;
    start = bench_now();
    bench_run("CREATE INDEX customer_email ON customer(email)");
    peer[i] = bench_now() - start;
    bench_run("DROP INDEX customer_email");
  }
  bench_section("filling, 1e6 TEXT keys, ns a key (0.67: 1.5 times)", "script",
                "index");
  bench_report("the script, against CREATE INDEX", 1 / 1.5,
               bench_median(ours, rounds), bench_median(peer, rounds),
               CUSTOMERS);
}

/* ---- One key a statement */

/* Absent e-mails, and where the next lookup or insert begins. */
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

/* Two statements that take a key each time. */
typedef struct statements {
  sqlite3_stmt *ours, *peer;
} statements;

static uint64_t each_key(sqlite3_stmt *statement, long repeats) {
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

static uint64_t ours_each(void *input, long repeats) {
  return each_key(((statements *)input)->ours, repeats);
}

static uint64_t peer_each(void *input, long repeats) {
  return each_key(((statements *)input)->peer, repeats);
}

static void compare_keys(const char *name, double goal, const char *ours,
                         const char *peer) {
  statements both = {bench_prepare(ours), bench_prepare(peer)};
  bench_compare(name, goal, ours_each, peer_each, &both, 1);
  sqlite3_finalize(both.ours);
  sqlite3_finalize(both.peer);
}

#define FILTERED(filter)                              \
  "SELECT name FROM customer WHERE email = CASE WHEN" \
  " bloom_may_match(?1, (" filter ")) THEN ?1 END"
#define INDEX_LOOKUP "SELECT name FROM customer WHERE email = ?1"
#define PART_LOOKUP                       \
  FILTERED(                               \
      "SELECT f FROM customer_email_part" \
      " WHERE part = bloom_part(?1, parts)")
/* What the view does, but for looking for a trigger. */
#define UNCHECKED_LOOKUP                          \
  FILTERED(                                       \
      "SELECT p.f FROM customer_email_parts AS n" \
      " CROSS JOIN customer_email_parts AS p"     \
      " WHERE n.part = 0 AND p.parts = n.parts"   \
      " AND p.part = bloom_part(?1, n.parts)")

static void bench_lookups(void) {
  bench_section("one absent key a statement, ns (0.43: 2.3 times)", "filter",
                "index");
  compare_keys("in memory, few tables", 1 / 2.3, PART_LOOKUP, INDEX_LOOKUP);
  compare_keys("the same, without looking for a trigger", 0, UNCHECKED_LOOKUP,
               INDEX_LOOKUP);
  char numbered[300];
  snprintf(numbered, sizeof(numbered),
           FILTERED("SELECT f FROM customer_email_parts"
                    " WHERE part = bloom_part(?1, %lld)"),
           bench_integer("SELECT max(parts) FROM customer_email_parts"));
  compare_keys("the same, with a constant number of parts", 0, numbered,
               INDEX_LOOKUP);
  for (int i = 0; i < 100; i++) bench_run_with("CREATE TABLE more%d(a, b)", i);
  compare_keys("in memory, 100 tables more", 1 / 2.3, PART_LOOKUP,
               INDEX_LOOKUP);
  for (int i = 0; i < 100; i++) bench_run_with("DROP TABLE more%d", i);
  compare_keys("in memory, one filter of 1e6 keys", 0,
               FILTERED("SELECT f FROM one"), INDEX_LOOKUP);
}

/* ---- The same where the table is larger than the page cache */

#define COLD_LOOKUPS 5000

/* Times that many lookups where SQLite's cache has what as many before left
** there, and the system's cache, if the file is given, has nothing of it. */
static double cold_lookups(sqlite3_stmt *statement, int file) {
  each_key(statement, COLD_LOOKUPS);
  if (file >= 0) posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
  const double start = bench_now();
  each_key(statement, COLD_LOOKUPS);
  return bench_now() - start;
}

static void compare_cold(const char *name, double goal, int file) {
  statements both = {bench_prepare(PART_LOOKUP), bench_prepare(INDEX_LOOKUP)};
  double ours[BENCH_MAX_ROUNDS], peer[BENCH_MAX_ROUNDS];
  const int rounds = bench_rounds();
  for (int i = 0; i < rounds; i++) {
    ours[i] = cold_lookups(both.ours, file);
    peer[i] = cold_lookups(both.peer, file);
  }
  bench_report(name, goal, bench_median(ours, rounds),
               bench_median(peer, rounds), COLD_LOOKUPS);
  sqlite3_finalize(both.ours);
  sqlite3_finalize(both.peer);
}

static void bench_cold(const char *extension, const char *path) {
  sqlite3 *memory = bench_db;
  remove(path);
  bench_run_with("ATTACH %Q AS cold", path);
  bench_run(
      "CREATE TABLE cold.customer(email TEXT PRIMARY KEY, name TEXT);"
      "INSERT INTO cold.customer SELECT * FROM main.customer");
  const sqlite3_int64 pages = bench_integer("PRAGMA cold.page_count");
  bench_run("DETACH cold");

  bench_open(path, extension);
  bench_run_script(KEEP);
  bench_run_with("PRAGMA cache_size=%lld", pages / 10);
  /* One transaction, or both would mostly take and leave the file's lock. */
  bench_run("BEGIN");
  bench_section("the same, page cache a tenth of the table, ns", "filter",
                "index");
  compare_cold("in one transaction (1.43: 0.7 times)", 1 / 0.7, -1);
  const int file = open(path, O_RDONLY);
  if (file >= 0 && fsync(file) == 0 &&
      posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED) == 0) {
    compare_cold("dropped from the system's cache (20: 0.05)", 1 / 0.05, file);
  } else {
    printf("  skip: the system's cache cannot be dropped\n");
  }
  if (file >= 0) close(file);
  sqlite3_close(bench_db);
  remove(path);
  bench_db = memory;
}

/* ---- An insert, into a table that a script keeps, and into one that none does
*/

#define TABLES 4
static const char *const inserted[TABLES] = {"plain", "parted", "blocked",
                                             "indexed"};
#define INSERT(table) "INSERT INTO " table "(email) VALUES(?1)"
#define INSERT_ALL(table) \
  "INSERT INTO " table "(email) SELECT ?1 || i FROM number"

static void make_inserted(void) {
  for (int i = 0; i < TABLES; i++) {
    bench_run_with(
        "CREATE TABLE %s(id INTEGER PRIMARY KEY, email TEXT, name TEXT);"
        "INSERT INTO %s(email, name) SELECT * FROM customer",
        inserted[i], inserted[i]);
  }
  bench_run_script("SELECT bloom_parts_sql('parted', 'email')");
  bench_run_script("SELECT bloom_blocks_sql('blocked', 'email')");
  bench_run(
      "CREATE INDEX indexed_email ON indexed(email);"
      "CREATE TABLE number AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL"
      "  SELECT i + 1 FROM n WHERE i < 1000) SELECT i FROM n");
}

static void bench_inserts(void) {
  make_inserted();
  bench_run("PRAGMA journal_mode=MEMORY");
  bench_section("one insert a statement, ns (0.25: 4 times, 0.4: 2.5)", "kept",
                "plain");
  compare_keys("kept in parts", 1 / 4.0, INSERT("parted"), INSERT("plain"));
  compare_keys("kept in blocks", 1 / 2.5, INSERT("blocked"), INSERT("plain"));
  compare_keys("an index", 0, INSERT("indexed"), INSERT("plain"));
  bench_run("BEGIN");
  bench_section("the same in one transaction, ns", "kept", "plain");
  compare_keys("kept in parts", 0, INSERT("parted"), INSERT("plain"));
  compare_keys("kept in blocks", 0, INSERT("blocked"), INSERT("plain"));
  compare_keys("an index", 0, INSERT("indexed"), INSERT("plain"));
  bench_section("1,000 inserts a statement, ns a statement", "kept", "plain");
  compare_keys("kept in parts", 0, INSERT_ALL("parted"), INSERT_ALL("plain"));
  compare_keys("kept in blocks", 0, INSERT_ALL("blocked"), INSERT_ALL("plain"));
  compare_keys("an index", 0, INSERT_ALL("indexed"), INSERT_ALL("plain"));
  bench_run("ROLLBACK");
  for (int i = 0; i < TABLES; i++) {
    bench_run_with("DROP TABLE %s", inserted[i]);
  }
}

/* ---- A scan, an opening */

#define OPENED_PARTS "(SELECT filter FROM customer_email_filter)"
#define OPENED_ONE "(SELECT bloom_open(f) FROM one)"
#define PASSING(filter) \
  "SELECT count(*) FROM visit WHERE bloom_may_match(email, " filter ")"

static void bench_scan(void) {
  bench_section("scan of TEXT keys, ns a row (0.91: 1.1 times)", "parts",
                "one filter");
  bench_queries("1e6 keys, 1 % matching", 1 / 1.1, PASSING(OPENED_PARTS),
                PASSING(OPENED_ONE), 0, VISITS);
  bench_section("opening, ns", "parts", "one filter");
  compare_keys("all parts, one filter of the same bytes", 0,
               "SELECT " OPENED_PARTS " WHERE ?1 IS NOT NULL",
               "SELECT " OPENED_ONE " WHERE ?1 IS NOT NULL");
}

/* ---- False positives: parts of 1,000 keys at 10 bits, each of its own size */

#define BITS_PER_KEY 10
#define CHOSEN 2000
#define MAX_KEYS 1500 /* of a part, which has 1,000 on average */

static uint32_t hashes[CHOSEN][MAX_KEYS];
static size_t keys_of[CHOSEN];
static uint8_t *filters[CHOSEN];

/* The i-th key's part, or CHOSEN where its part is none of those chosen, and
** its hash. Every (parts / CHOSEN)-th part is chosen. */
static uint32_t chosen_part(uint64_t i, uint32_t parts, uint32_t *hash) {
  random_state = i;
  const uint64_t key[2] = {random64(), random64()};
  const uint64_t at_seed_1 = bloom_hash(key, sizeof(key), 1);
  const uint32_t part = (uint32_t)(at_seed_1 * parts >> 32);
  if (part % (parts / CHOSEN) != 0) return CHOSEN;
  *hash = bloom_key_hash(key, sizeof(key));
  return part / (parts / CHOSEN);
}

/* The share of absent keys that pass, of those of the chosen parts. */
static double parts_rate(uint64_t keys) {
  const uint32_t parts = (uint32_t)(keys / 1000);
  uint32_t hash;
  memset(keys_of, 0, sizeof(keys_of));
  for (uint64_t i = 0; i < keys; i++) {
    const uint32_t part = chosen_part(i, parts, &hash);
    if (part == CHOSEN) continue;
    if (keys_of[part] == MAX_KEYS) abort();
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
  bench_run_with(
      "CREATE TABLE fitting(part INTEGER PRIMARY KEY, f BLOB NOT NULL);"
      "INSERT INTO fitting SELECT bloom_part(email, 1000), bloom_build(email)"
      "  FROM customer GROUP BY 1;"
      "CREATE TABLE fitting_one AS SELECT bloom_build(email) AS f"
      "  FROM customer;"
      "CREATE TABLE passed AS SELECT"
      "  sum(bloom_may_match(email, (SELECT bloom_open(part, 1000, f)"
      "    FROM fitting))) AS parts,"
      "  sum(bloom_may_match(email, (SELECT bloom_open(f) FROM fitting_one)))"
      "    AS one"
      "  FROM (SELECT " EMAIL("value * 2 + 1") " AS email FROM"
      "    (WITH RECURSIVE n(value) AS (SELECT 0 UNION ALL SELECT value + 1"
      "      FROM n WHERE value < 999999) SELECT value FROM n))");
  bench_section("false positives of parts of 1,000 keys, %", "measured",
                "at most");
  bench_ratio("1e6 TEXT keys, in SQL", 1,
              (double)bench_integer("SELECT parts FROM passed") / 1e4, 1);
  bench_ratio("1e8 keys, 2,000 of the 1e5 parts", 1,
              100 * parts_rate(100000000), 1);
  bench_ratio("1e9 keys, 2,000 of the 1e6 parts", 1,
              100 * parts_rate(1000000000), 1);
  printf("  one filter of the 1e6 TEXT keys: %.2f\n",
         (double)bench_integer("SELECT one FROM passed") / 1e4);
}

/* ---- What does not pay */

#define JOIN(where)                                                 \
  "SELECT count(*), sum(length(name)) FROM few JOIN customer USING" \
  " (email)" where
#define IN "email IN (SELECT email FROM customer)"
#define MATCH "bloom_may_match(few.email, " OPENED_ONE ")"

static void bench_pitfalls(void) {
  bench_run(
      "CREATE TABLE few AS SELECT email FROM visit LIMIT 20000;"
      "CREATE TABLE past AS SELECT '~' || email AS email FROM visit");
  bench_section("20,000 rows, ns a row", "filter", "no filter");
  bench_queries("join, filter in a scalar subquery", 0, JOIN(" WHERE " MATCH),
                JOIN(""), 1, 20000);
  bench_queries("join, filter from a joined table", 0,
                "SELECT count(*), sum(length(name)) FROM one CROSS JOIN few"
                " JOIN customer USING (email)"
                " WHERE bloom_may_match(few.email, f)",
                JOIN(""), 1, 20000);
  bench_queries("IN, then bloom_may_match", 0,
                "SELECT count(*) FROM few WHERE " IN " AND " MATCH,
                "SELECT count(*) FROM few WHERE " IN, 1, 20000);
  bench_queries("bloom_may_match, then IN", 0,
                "SELECT count(*) FROM few WHERE " MATCH " AND " IN,
                "SELECT count(*) FROM few WHERE " IN, 1, 20000);
  bench_section("join, no key matching, ns a row", "filter", "no filter");
  bench_queries("all keys sort past the list's last", 0,
                "SELECT count(*) FROM past JOIN customer USING (email)"
                " WHERE bloom_may_match(past.email, " OPENED_ONE ")",
                "SELECT count(*) FROM past JOIN customer USING (email)", 1,
                VISITS);
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: %s EXTENSION FILE\n", argv[0]);
    return 2;
  }
  printf("\nSQLite %s\n", sqlite3_libversion());
  bench_open(":memory:", argv[1]);
  make_absent();
  make_tables();
  bench_filling();
  bench_lookups();
  bench_cold(argv[1], argv[2]);
  bench_scan();
  bench_pitfalls();
  bench_inserts();
  bench_rates();
  sqlite3_close(bench_db);
  free(absent);
  return 0;
}
