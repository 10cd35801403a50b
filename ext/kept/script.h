/*
** Runs SQL that says what to do next.
*/
#ifndef BLOOM_SCRIPT_H
#define BLOOM_SCRIPT_H

#include "transaction.h"

/*
** Runs SQL within a transaction. The rows that its statements return say what
** follows: a text in the column "error" becomes the error, a text in the column
** "run" is SQL that runs after its statement, and a number in the column
** "objects" goes to *objects. On failure it makes an error the result and
** returns false.
*/
bool sql_run(sqlite3_context *context, sql_transaction *transaction,
             const char *sql, sqlite3_int64 *objects);

#endif
