/*
** Functions that go on working after SQLite has given them their last argument,
** and are interrupted there. They must end soon, since from SQLite 3.41 on a
** function can find out whether it was interrupted. The test counts the work
** that follows an interrupt. The extension and such a version are linked in.
**
** usage: interrupt [KEYS]    (default: 2000000)
*/
#include <stdint.h>

#include "bloom_ext.h"
#include "lib/sql.h"
#include "lib/tap.h"
#include "lib/work.h"

static sqlite3_int64 given_last;

/* given(i) returns i. The work is counted from the call with given_last on. */
static void given_function(sqlite3_context *context, int argc,
                           sqlite3_value **argv) {
  (void)argc;
  sqlite3_result_value(context, argv[0]);
  if (sqlite3_value_int64(argv[0]) == given_last) work = 0;
}

/* Runs a statement whose last call of given() has the argument `last`, and
** interrupts it when the work reaches `at`. Returns the work that followed. If
** `at` is -1, nothing is interrupted, and all of the work is returned. */
static sqlite3_int64 work_after(sqlite3_stmt *statement, sqlite3_int64 last,
                                sqlite3_int64 at, int *code) {
  given_last = last;
  interrupted_at = at;
  work = INT64_MIN / 2;
  *code = sqlite3_step(statement);
  sqlite3_reset(statement);
  return at < 0 ? work : work - at;
}

#define INTERRUPTS 8

/* Interrupts a statement at several points of its work. The work that follows
** must be at most all of it divided by `steps`. The statement's parameter is
** the argument of its last call of given(). */
static void test_interrupts(sqlite3 *db, const char *sql, sqlite3_int64 last,
                            sqlite3_int64 steps) {
  sqlite3_stmt *statement = prepare(db, sql);
  sqlite3_bind_int64(statement, 1, last);
  int code;
  const sqlite3_int64 all = work_after(statement, last, -1, &code);
  ok(code == SQLITE_ROW && all > 0, "%s, %lld: %lld blocks", sql, last, all);
  const sqlite3_int64 used = sqlite3_memory_used();
  for (int i = 0; i < INTERRUPTS; i++) {
    const sqlite3_int64 at = 1 + all / INTERRUPTS * i;
    const sqlite3_int64 after = work_after(statement, last, at, &code);
    ok(code == SQLITE_INTERRUPT && after <= all / steps,
       "interrupted after %lld blocks, it ends after %lld more: %s", at, after,
       sqlite3_errstr(code));
    ok(sqlite3_memory_used() < used + 100000, "its memory is freed");
  }
  sqlite3_finalize(statement);
  ok(still_answers(db), "the connection answers");
}

int main(int argc, char **argv) {
  const sqlite3_int64 keys = argc > 1 ? atoll(argv[1]) : 2000000;
  sqlite3_auto_extension((void (*)(void))sqlite3_bloom_init);
  sqlite3 *db;
  sqlite3_open(":memory:", &interrupted_db);
  db = interrupted_db;
  add_function(db, "given", 1, given_function);
  /* A build checks once for each 2^18 keys. */
  test_interrupts(db,
                  "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 "
                  "FROM n LIMIT ?1) SELECT length(bloom_build(given(i), 100)) "
                  "FROM n",
                  keys, keys >> 18);
  /* Rows follow, for which the build grows. */
  test_interrupts(db,
                  "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 "
                  "FROM n LIMIT ?1 * 2) SELECT length(bloom_build_distinct("
                  "given(i), 1)) FROM n",
                  keys / 2, keys >> 16);
  /* Several numbers of bits are measured, and each measurement ends first. */
  test_interrupts(db, "SELECT bloom_bits_per_key(0.00025, given(?1))", keys / 2,
                  3);
  sqlite3_close(db);
  return tap_done();
}
