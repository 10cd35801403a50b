/*
** A change of the schema that does all of its work or none. If there is no
** transaction, it is one of its own; otherwise it is a savepoint.
*/
#ifndef BLOOM_TRANSACTION_H
#define BLOOM_TRANSACTION_H

#include "failure.h"

/* The statements of a transaction, all of which are prepared before it begins,
** so that ending it does not run out of memory. */
typedef enum sql_step {
  STEP_BEGIN,
  STEP_KEEP,
  STEP_UNDO, /* only of a savepoint */
  STEP_ROLLBACK,
  /* Two statements that take the lock to write, but change nothing, except that
  ** they may release one free page. One statement cannot serve twice, since
  ** SQLite prepares a PRAGMA anew when it is run again. */
  STEP_LOCK,
  STEP_FORCE,
  /* A statement that reads and stays in the middle of its run. Once a function
  ** has run out of memory, SQLite before 3.38 runs no other statement, not even
  ** ROLLBACK, until the calling statement has ended. But if a statement that
  ** reads ends then, SQLite rolls the transaction back. Only DROP TABLE runs
  ** without this guard. */
  STEP_GUARD,
  STEPS
} sql_step;

typedef struct sql_transaction {
  sqlite3_stmt *steps[STEPS];
  sqlite3_int64 last_rowid;
} sql_transaction;

/*
** Begins a transaction, and takes the lock to write main before anything is
** read. Only then does busy_timeout apply: a transaction that has read before
** gets SQLITE_BUSY at once. It is an error if another statement of the
** connection is running, or if the calling statement writes. On failure it
** makes an error the result and returns false; there is nothing to end then.
*/
bool sql_begin(sqlite3_context *context, sql_transaction *transaction);

/* Ends a transaction, which is kept or undone, and restores
** last_insert_rowid(). On failure it makes an error the result. */
void sql_end(sqlite3_context *context, sql_transaction *transaction, bool keep);

#endif
