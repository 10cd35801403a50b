/*
** A build that another thread interrupts after its last row, while its filter
** is being made. It must end soon, since from SQLite 3.41 on a function can ask
** whether it was interrupted. This is linked with such a version.
**
** usage: interrupt [KEYS]    (default: 5000000)
*/
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

#include "lib/sql.h"
#include "lib/tap.h"

/* With 30 million keys it should end within 1 s, but may take longer on a busy
** machine or without optimisation. Without the interrupt, they take 10 s. */
#define MAX_SECONDS 5.0

static double now(void) {
  struct timespec time;
  timespec_get(&time, TIME_UTC);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static sqlite3_int64 keys, keys_given;
static atomic_bool rows_are_over;
static int wait_milliseconds; /* after that, before the interrupt */
static double interrupted_at;

/* given(key) is key. The last call sets rows_are_over. */
static void given_function(sqlite3_context *context, int argc,
                           sqlite3_value **argv) {
  (void)argc;
  sqlite3_result_value(context, argv[0]);
  if (++keys_given == keys) atomic_store(&rows_are_over, true);
}

static void *interrupt_the_end(void *db) {
  while (!atomic_load(&rows_are_over)) sqlite3_sleep(1);
  sqlite3_sleep(wait_milliseconds);
  interrupted_at = now();
  sqlite3_interrupt(db);
  return NULL;
}

static void test_interrupt(sqlite3 *db, sqlite3_stmt *build, int milliseconds) {
  const sqlite3_int64 used = sqlite3_memory_used();
  keys_given = 0;
  rows_are_over = false;
  wait_milliseconds = milliseconds;
  pthread_t other;
  if (pthread_create(&other, NULL, interrupt_the_end, db) != 0) exit(1);
  const int code = sqlite3_step(build);
  const double ended_at = now();
  pthread_join(other, NULL);
  const double seconds = ended_at - interrupted_at;

  ok(keys_given == keys && code == SQLITE_INTERRUPT,
     "%lld keys, and %d ms later: %s", (long long)keys, milliseconds,
     sqlite3_errstr(code));
  ok(seconds > 0 && seconds < MAX_SECONDS, "it ends in %.2f s", seconds);
  fprintf(stderr, "# %lld keys at 100 bits: interrupted, it ended in %.2f s\n",
          (long long)keys, seconds);
  sqlite3_reset(build);
  ok(sqlite3_memory_used() < used + 100000, "its memory is freed");
  answer got;
  ask(db, "SELECT bloom_build('')", &got);
  ok(strcmp(got.text, "080004000200118006|\n") == 0, "the connection answers");
}

int main(int argc, char **argv) {
  keys = argc > 1 ? atoll(argv[1]) : 5000000;
  sqlite3 *db = open_database();
  sqlite3_create_function(db, "given", 1, SQLITE_UTF8, NULL, given_function,
                          NULL, NULL);
  sqlite3_stmt *build =
      prepare(db,
              "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
              "LIMIT ?1) SELECT length(bloom_build(given(i), 100)) FROM n");
  sqlite3_bind_int64(build, 1, keys);
  test_interrupt(db, build, 50);
  test_interrupt(db, build, 300);
  sqlite3_finalize(build);
  sqlite3_close(db);
  return tap_done();
}
