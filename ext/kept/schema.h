/*
** The table and the column that a call names. No row of any table is read.
*/
#ifndef BLOOM_SCHEMA_H
#define BLOOM_SCHEMA_H

#include "template.h"
#include "transaction.h"

/* Reads a name, which is TEXT without NUL and control characters and stays
** valid as long as the value. If the value is not such a name, it makes an
** error the result and returns false. */
bool sql_name_argument(sqlite3_context *context, const char *argument,
                       const char *must_be, sqlite3_value *value,
                       const char **name);

/* Looks up the table and the column of *given, without regard to case. Sets the
** numbers of *values to those with which the filter was made last, or to their
** defaults. Returns SQLITE_OK, with the names as the schema of main spells them
** in *values; or SQLITE_ROW if there is no such column, or none that can be
** used, and the row of {column} says why; or an error's code. In any case the
** caller finalizes *row and frees *values. */
int sql_look_up(sqlite3 *db, const sql_kept_values *given, sqlite3_stmt **row,
                sql_kept_values *values);

/* Looks up the table and the column that the first two arguments name. The form
** is set already. The collation of the column must be BINARY. If the column
** cannot be used, it makes an error the result and returns false. In either
** case the caller calls sql_free_values. */
bool sql_find_column(sqlite3_context *context, sqlite3_value **argv,
                     sql_kept_values *values);

void sql_free_values(sql_kept_values *values);

#endif
