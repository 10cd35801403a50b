/*
** The table and the column that a call names. No row of any table is read.
*/
#ifndef BLOOM_SCHEMA_H
#define BLOOM_SCHEMA_H

#include "template.h"

/* Reads a name, which is TEXT without NUL and control characters and stays
** valid as long as the value. If the value is not such a name, it makes an
** error the result and returns false. */
bool sql_name_argument(sqlite3_context *context, const char *argument,
                       const char *must_be, sqlite3_value *value,
                       const char **name);

/* Looks up the table and the column that the first two arguments name, without
** regard to case, and sets the members of *values: the names as the schema of
** main spells them, and the numbers with which the filter was made last, or
** their defaults. The form is set already. The collation of the column must be
** BINARY. If the column cannot be used, it makes an error the result and
** returns false. In either case the caller calls sql_free_values. */
bool sql_find_column(sqlite3_context *context, sqlite3_value **argv,
                     sql_kept_values *values);

void sql_free_values(sql_kept_values *values);

#endif
