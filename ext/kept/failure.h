/*
** What is said of a statement that failed.
*/
#ifndef BLOOM_FAILURE_H
#define BLOOM_FAILURE_H

#include "../function.h"

/* What the connection says of an error with this code, and what helps if the
** calling statement or a limit is in the way. The caller frees it; NULL if out
** of memory. */
char *sql_failure(sqlite3 *db, int code);

/* Makes that error the result. Returns false. */
bool sql_failed(sqlite3_context *context, int code);

/* Whether a statement failed with this code because of what it asks for, which
** is not there or not what it should be, rather than for lack of memory, a
** limit or another setting of the connection, an interrupt, a lock or a damaged
** file. */
bool sql_is_wrong(sqlite3 *db, int code);

#endif
