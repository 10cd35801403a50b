/*
** Large builds, builds that are stopped, and many handles. Each of SQLite's
** limits ends a build cleanly. Then filters of 1, 10 ... million keys, up to
** the argument, are built and probed: no key is lost, the build takes no more
** memory than allowed, and the measured false positive rate is near the one
** that bloom_false_positive_rate predicts. If the argument is less than ten
** million, builds of distinct keys are smaller, and fewer absent keys probed.
*/
#include <stdint.h>

#include "lib/random.h"
#include "lib/sql.h"
#include "lib/tap.h"

#define BITS_PER_KEY 10

/* mixed(i) is key i, a random INTEGER that no other i has. It interrupts the
** statement if i is interrupt_at. */
static sqlite3_int64 interrupt_at = -1;

static void mixed_function(sqlite3_context *context, int argc,
                           sqlite3_value **argv) {
  (void)argc;
  const sqlite3_int64 i = sqlite3_value_int64(argv[0]);
  if (i == interrupt_at) sqlite3_interrupt(sqlite3_context_db_handle(context));
  uint64_t state = (uint64_t)i;
  sqlite3_result_int64(context, (sqlite3_int64)random_next(&state));
}

/* A table of 1,000 numbers, from which joins make more. */
static sqlite3 *open_with_numbers(void) {
  sqlite3 *db = open_database();
  add_function(db, "mixed", 1, mixed_function);
  run(db,
      "CREATE TABLE n AS WITH RECURSIVE n(x) AS (SELECT 0 UNION ALL "
      "SELECT x + 1 FROM n LIMIT 1000) SELECT x FROM n");
  return db;
}

#define BUILD                                                        \
  "SELECT bloom_build(mixed(a.x * 1000000 + b.x * 1000 + c.x), 10) " \
  "FROM n a, n b, n c WHERE a.x < ?1"

/* How many of `millions` million keys, from million `from` on, match. */
static sqlite3_int64 matches(sqlite3 *db, sqlite3_stmt *built, int from,
                             int millions) {
  sqlite3_stmt *probe = prepare(
      db,
      "SELECT sum(bloom_may_match(mixed(a.x * 1000000 + b.x * 1000 + c.x), "
      "(SELECT bloom_open(?1)))) FROM n a, n b, n c "
      "WHERE a.x >= ?2 AND a.x < ?3");
  sqlite3_bind_blob(probe, 1, sqlite3_column_blob(built, 0),
                    sqlite3_column_bytes(built, 0), SQLITE_STATIC);
  sqlite3_bind_int(probe, 2, from);
  sqlite3_bind_int(probe, 3, from + millions);
  const sqlite3_int64 found =
      sqlite3_step(probe) == SQLITE_ROW ? sqlite3_column_int64(probe, 0) : -1;
  sqlite3_finalize(probe);
  return found;
}

/* The peak of the memory that SQLite allocated until a statement's first
** row. */
static sqlite3_int64 peak_to_row(sqlite3_stmt *statement) {
  const sqlite3_int64 before = sqlite3_memory_used();
  sqlite3_memory_highwater(1);
  if (sqlite3_step(statement) != SQLITE_ROW) return -1;
  return sqlite3_memory_highwater(0) - before;
}

/* Hashes wait in chunks of up to 1 MiB, the newest of which may be hardly
** begun. */
#define CHUNK_BYTES ((sqlite3_int64)1 << 20)
#define STATEMENT_BYTES ((sqlite3_int64)64 << 10)

/* What a build may take: what it holds for the keys and the filter, and when
** the keys are gone, the filter and the copy that SQLite makes of it. */
static sqlite3_int64 allowed_bytes(sqlite3_int64 held, sqlite3_int64 filter) {
  const sqlite3_int64 built = held + filter;
  return (built > 2 * filter ? built : 2 * filter) + STATEMENT_BYTES;
}

/* Runs a build of ?1 keys at ?2 bits, which may hold this many bytes for its
** keys. */
static void test_memory(sqlite3_stmt *built, sqlite3_int64 keys,
                        int bits_per_key, sqlite3_int64 held) {
  sqlite3_bind_int64(built, 1, keys);
  sqlite3_bind_int(built, 2, bits_per_key);
  const sqlite3_int64 peak = peak_to_row(built);
  const sqlite3_int64 size = sqlite3_column_bytes(built, 0);
  const sqlite3_int64 allowed = allowed_bytes(held, size);
  ok(peak > 0 && peak <= allowed,
     "%lld keys at %d bits: %lld bytes of memory, %lld allowed",
     (long long)keys, bits_per_key, (long long)peak, (long long)allowed);
  sqlite3_reset(built);
}

/* A build with one key more than fits in its full chunks. */
static void test_begun_chunk(void) {
  sqlite3 *db = open_with_numbers();
  const sqlite3_int64 keys = (1 << 20) + 1;
  sqlite3_stmt *built = prepare(db,
                                "SELECT bloom_build(x, ?2) FROM (SELECT c.x "
                                "FROM n a, n b, n c LIMIT ?1)");
  for (int bits_per_key = 1; bits_per_key <= 100; bits_per_key *= 10) {
    test_memory(built, keys, bits_per_key, 4 * keys + CHUNK_BYTES);
  }
  sqlite3_finalize(built);
  sqlite3_close(db);
}

/* A build of distinct keys may hold 16 bytes for each of them, and the filter,
** however often each occurs and however many there are. */
static void test_distinct(sqlite3_int64 most) {
  sqlite3 *db = open_with_numbers();
  sqlite3_stmt *built =
      prepare(db,
              "SELECT bloom_build_distinct(mixed(i % ?1), ?2) FROM (SELECT "
              "a.x * 1000000 + b.x * 1000 + c.x AS i FROM n a, n b, n c "
              "LIMIT ?3)");
  for (sqlite3_int64 keys = 10000; keys < most; keys = keys * 9 / 8) {
    sqlite3_bind_int64(built, 3, keys * (1 + keys % 4));
    test_memory(built, keys, keys % 2 == 0 ? 1 : 100, 16 * keys);
  }
  sqlite3_finalize(built);
  sqlite3_close(db);
}

static double predicted_rate(sqlite3 *db, sqlite3_int64 keys) {
  sqlite3_stmt *statement =
      prepare(db, "SELECT bloom_false_positive_rate(10, ?1)");
  sqlite3_bind_int64(statement, 1, keys);
  sqlite3_step(statement);
  const double rate = sqlite3_column_double(statement, 0);
  sqlite3_finalize(statement);
  return rate;
}

static void test_build(int millions, int absent_millions) {
  sqlite3 *db = open_with_numbers();
  sqlite3_stmt *built = prepare(db, BUILD);
  sqlite3_bind_int(built, 1, millions);
  const sqlite3_int64 keys = (sqlite3_int64)millions * 1000000;
  const sqlite3_int64 size = keys * BITS_PER_KEY / 8 + 1;

  const sqlite3_int64 peak = peak_to_row(built);
  ok(peak > 0 && sqlite3_column_bytes(built, 0) == size,
     "%d million keys: a filter of %lld bytes", millions, (long long)size);
  const sqlite3_int64 allowed = allowed_bytes(4 * keys + CHUNK_BYTES, size);
  ok(peak <= allowed, "at most %lld bytes of memory, %lld allowed",
     (long long)peak, (long long)allowed);
  ok(matches(db, built, 0, millions) == keys, "no key is lost");

  const double rate = (double)matches(db, built, millions, absent_millions) /
                      (absent_millions * 1e6);
  const double predicted = predicted_rate(db, keys);
  ok(rate < 2 * predicted && rate > predicted / 2,
     "false positive rate %.4f %%, predicted %.4f %%", 100 * rate,
     100 * predicted);
  sqlite3_finalize(built);
  sqlite3_close(db);
}

/* Runs a build that must end with this code and free its memory. */
static void test_stopped(sqlite3 *db, const char *name, const char *sql,
                         int code) {
  const sqlite3_int64 used = sqlite3_memory_used();
  answer got;
  ask(db, sql, &got);
  ok(got.code == code, "%s: %s", name, sqlite3_errstr(got.code));
  ok(sqlite3_memory_used() <= used + 100000, "%s: its memory is freed", name);
}

static void test_answers(sqlite3 *db, const char *name) {
  ok(still_answers(db), "%s: the connection still works", name);
}

#define BUILD_MILLION \
  "SELECT length(bloom_build(mixed(b.x * 1000 + c.x))) FROM n b, n c"
#define BUILD_CAPACITY                                                \
  "SELECT length(bloom_build(mixed(b.x * 1000 + c.x), 10, 1000000)) " \
  "FROM n b, n c"
/* Keys of 4 bytes all have different hashes. */
#define BUILD_DISTINCT                                                      \
  "SELECT length(bloom_build_distinct(leveldb_fixed32(b.x * 1000 + c.x))) " \
  "FROM n a, n b, n c WHERE a.x < 2"

static const char *const builds[] = {BUILD_MILLION, BUILD_CAPACITY,
                                     BUILD_DISTINCT};

/* The first n of these builds must end with this code. */
static void test_builds(sqlite3 *db, const char *name, int n, int code) {
  for (int i = 0; i < n; i++) test_stopped(db, name, builds[i], code);
}

static void test_limits(void) {
  sqlite3 *db = open_with_numbers();
  const int length = sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 1250000);
  test_builds(db, "SQLITE_LIMIT_LENGTH", 3, SQLITE_TOOBIG);
  sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 1250001);
  test_builds(db, "one byte more", 3, SQLITE_DONE);
  sqlite3_limit(db, SQLITE_LIMIT_LENGTH, length);
  test_answers(db, "SQLITE_LIMIT_LENGTH");

  const char *name = "sqlite3_hard_heap_limit64";
  for (int megabytes = 1; megabytes <= 4; megabytes++) {
    sqlite3_hard_heap_limit64(sqlite3_memory_used() + megabytes * 1000000);
    test_stopped(db, name, BUILD_MILLION, SQLITE_NOMEM);
    test_stopped(db, name, BUILD_DISTINCT, SQLITE_NOMEM);
    if (megabytes == 1) test_stopped(db, name, BUILD_CAPACITY, SQLITE_NOMEM);
    sqlite3_hard_heap_limit64(0);
    test_answers(db, name);
  }

  interrupt_at = 900000;
  test_builds(db, "sqlite3_interrupt", 2, SQLITE_INTERRUPT);
  interrupt_at = -1;
  test_answers(db, "sqlite3_interrupt");
  sqlite3_close(db);
}

#define MAX_OLDER_BYTES ((sqlite3_int64)256 << 20)

static sqlite3_int64 probe_with(sqlite3_stmt *match, sqlite3_int64 handle) {
  sqlite3_bind_int64(match, 1, handle);
  return first_integer(match);
}

/* A statement keeps a bounded number of handles. With the smallest filters, the
** entries in the table alone exceed the limit: the oldest handles end, later
** ones match everything, and the newest still have their filters. */
static void test_handles(void) {
  sqlite3 *db = open_database();
  sqlite3_stmt *opens =
      prepare(db,
              "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
              "SELECT bloom_open(CAST(leveldb_fixed32(i) || x'0006' AS BLOB)) "
              "FROM n");
  sqlite3_stmt *match = prepare(db, "SELECT bloom_may_match('x', ?1)");
  const sqlite3_int64 before = sqlite3_memory_used();
  const int n = 3000000;
  sqlite3_int64 first = 0, middle = 0, last = 0, most = 0;
  for (int i = 1; i <= n; i++) {
    sqlite3_step(opens);
    last = sqlite3_column_int64(opens, 0);
    if (i == 1) first = last;
    if (i == n - 1500000) middle = last;
    const sqlite3_int64 used = sqlite3_memory_used() - before;
    if (used > most) most = used;
  }
  ok(most < MAX_OLDER_BYTES + 1000000 && most > MAX_OLDER_BYTES / 2,
     "%d handles take at most %lld bytes", n, (long long)most);
  ok(probe_with(match, last) == 0, "the newest have their filters");
  ok(probe_with(match, middle) == 1, "older ones match everything");
  ok(probe_with(match, first) == NO_ROW &&
         strstr(sqlite3_errmsg(db), "has opened too many others") != NULL,
     "the oldest have ended, and the error says why");
  sqlite3_reset(opens);
  ok(sqlite3_memory_used() - before < 1000000, "all is freed at the end");
  sqlite3_finalize(opens);
  sqlite3_finalize(match);
  sqlite3_close(db);
}

int main(int argc, char **argv) {
  const double most = argc > 1 ? atof(argv[1]) : 1e6;
  const double smaller = most < 1e7 ? most : 1e7;
  test_limits();
  test_begun_chunk();
  test_distinct((sqlite3_int64)smaller / 10);
  test_handles();
  for (int millions = 1; millions <= most / 1e6; millions *= 10) {
    test_build(millions, (int)(smaller / 1e6));
  }
  ok(sqlite3_memory_used() == 0, "no memory is left at the end");
  return tap_done();
}
