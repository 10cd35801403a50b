/*
** The column that a call names, and what main has of that name.
*/
#ifndef BLOOM_COLUMN_H
#define BLOOM_COLUMN_H

#include "template.h"

/* Reads the names of a table and a column, TEXT without NUL and control
** characters, which stay valid as long as the values. If a value is not such a
** name, it makes an error the result and returns false. */
bool sql_names_argument(sqlite3_context *context, sqlite3_value **argv,
                        const char **names);

/* What the schema says of a column. */
typedef struct sql_column {
  sql_kept_values values; /* names as the schema spells them, or NULL */
  sqlite3_int64 number, most, least; /* {number}, and its range */
  char *wrong;                       /* what is wrong with the table, or NULL */
  const char *collation;             /* until the schema changes; or NULL */
} sql_column;

/* Looks up a table and a column of main, without regard to case, for a form.
** bits_per_key is 0 if it is not given. Reads no row of any table. Returns
** SQLITE_OK, also if there is none, or an error's code. The caller calls
** sql_forget_column in any case. */
int sql_look_up(sqlite3 *db, const sql_kept_form *form,
                const char *const *names, sqlite3_int64 bits_per_key,
                sql_column *column);

/* Returns SQLITE_OK if a column of a table in a schema can be read, or an
** error's code: SQLITE_AUTH if an authorizer makes its values NULL, so that a
** filter of them would lose every row. */
int sql_may_read(sqlite3 *db, const char *schema, const char *table,
                 const char *column);

/* Frees what sql_look_up allocated. */
void sql_forget_column(sql_column *column);

/* Why a column cannot have a filter of its form. */
typedef struct sql_fault {
  int argument; /* 0 is the table, 1 the column */
  const char *must_be;
  char more[200]; /* what follows the value in an error */
} sql_fault;

/* Sets *fault and returns true if a column that has been looked up by these
** names cannot have a filter. */
bool sql_has_fault(const sql_column *column, const char *const *names,
                   sql_fault *fault);

#endif
