/*
** Kept filters: what create.c, guard.c, growth.c and check.c ask of each other.
*/
#ifndef BLOOM_KEPT_H
#define BLOOM_KEPT_H

#include "../table.h"

/* ---- guard.c: whether every key of a table is in its filter. */

/* Looks at the triggers of a form, table and column in a schema. Sets *problem,
** which the caller frees, to what is wrong with them or to NULL, and *has_table
** to whether the filter's own table is there. Returns SQLITE_OK or an error's
** code. */
int sql_find_problem(sqlite3 *db, const char *schema, const char *const *names,
                     bool *has_table, char **problem);

/* Calls look for each database of the connection, unless it is temporary, until
** the result is not SQLITE_OK. Returns that result. */
int sql_each_schema(sqlite3 *db,
                    int (*look)(sqlite3 *db, const char *schema, void *data),
                    void *data);

/* ---- Functions. */

/* bloom_is_kept(form, table, column), in guard.c. */
void sql_is_kept_function(sqlite3_context *context, int argc,
                          sqlite3_value **argv);

/* bloom_build_kept(table, column, parts, bits_per_key, capacity), in
** growth.c. */
void sql_build_kept_function(sqlite3_context *context, int argc,
                             sqlite3_value **argv);

/* bloom_check([table [, column]]), in check.c. */
extern const sql_table sql_check_table;

#endif
