/*
** Running SQL of the extension's own, and seeing each of its rows.
*/
#ifndef BLOOM_STATEMENT_H
#define BLOOM_STATEMENT_H

#include "compat.h"

/* Prepares SQL, which is freed; NULL stands for out of memory. Returns
** SQLITE_OK or an error's code. The caller finalizes the statement. */
int sql_prepare(sqlite3 *db, char *sql, sqlite3_stmt **statement);

/* The same, and steps to the first row. Returns SQLITE_ROW, SQLITE_DONE if
** there is no row, or an error's code. */
int sql_first_row(sqlite3 *db, char *sql, sqlite3_stmt **row);

/* Runs SQL, which is freed, and calls each, unless it is NULL, for its rows
** until the result is not SQLITE_OK. Returns SQLITE_OK, that result, or an
** error's code. */
int sql_each_row(sqlite3 *db, char *sql,
                 int (*each)(void *data, sqlite3_stmt *row), void *data);

/* The text of a column, or "" if it is NULL or there is no memory for it. Then
** the statement's next step, or its end, is SQLITE_NOMEM. */
const char *sql_row_text(sqlite3_stmt *row, int column);

#endif
