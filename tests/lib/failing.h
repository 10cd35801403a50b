/* An allocator for SQLite in which a chosen allocation fails: either only that
** one, or that one and all later ones. */
#ifndef BLOOM_FAILING_H
#define BLOOM_FAILING_H

#include <sqlite3.h>

#include "lib/sql.h"

static sqlite3_mem_methods system_memory;
static long allocations, fail_at; /* none fails if fail_at is 0 */
static int fail_all_after;        /* later allocations fail, too */
static int failed_here;           /* one has failed since fail_from */
static long failures;             /* in total */

static int must_fail(void) {
  if (fail_at == 0 || reading_answer) return 0;
  allocations++;
  if (allocations == fail_at || (fail_all_after && allocations > fail_at)) {
    failed_here = 1;
    failures++;
    return 1;
  }
  return 0;
}

static void *failing_malloc(int n) {
  return must_fail() ? NULL : system_memory.xMalloc(n);
}

static void *failing_realloc(void *memory, int n) {
  return must_fail() ? NULL : system_memory.xRealloc(memory, n);
}

/* Installs the allocator; to be called before SQLite is initialized. */
static inline void use_failing_memory(void) {
  sqlite3_config(SQLITE_CONFIG_GETMALLOC, &system_memory);
  sqlite3_mem_methods failing = system_memory;
  failing.xMalloc = failing_malloc;
  failing.xRealloc = failing_realloc;
  sqlite3_config(SQLITE_CONFIG_MALLOC, &failing);
  sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0);
}

/* Makes the n-th allocation from now on fail. If n is 0, none fails. */
static inline void fail_from(long n) {
  fail_at = n;
  if (n > 0) allocations = failed_here = 0;
}

#endif
