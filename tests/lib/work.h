/* Counts work instead of timing it. The unit is a basic block of the extension,
** which is compiled with -fsanitize-coverage=trace-pc; the test itself is
** compiled without. The same SQL takes the same number of blocks on a busy
** machine as on an idle one, and SQLite's own work is not counted. */
#ifndef BLOOM_WORK_H
#define BLOOM_WORK_H

#include <sqlite3.h>

static sqlite3_int64 work;

/* The connection that is interrupted when `work` reaches interrupted_at. */
static sqlite3 *interrupted_db;
static sqlite3_int64 interrupted_at = -1;

/* The compiler inserts a call of this function in every block. */
void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void) {
  if (++work == interrupted_at) sqlite3_interrupt(interrupted_db);
}

#endif
