/*
** Table-valued functions, whose arguments are the values of hidden columns. A
** family describes the table and produces its rows; this is all that SQLite
** asks of a virtual table besides. The entries of a family's table of functions
** are
**
**   {"bloom_info", 0, 0, .module = &sql_table_module, .data = &info_table}
**   {"bloom_info", 1, 1, .scalar = sql_table_function, .data = &info_table}
**
** of which the second is for those who take the table for a scalar function.
** Whether the table is innocuous or direct_only, the first one says.
*/
#ifndef BLOOM_TABLE_H
#define BLOOM_TABLE_H

#include "handle.h"

/* The rows of one call. A family's own struct begins with it. */
typedef struct sql_rows {
  sqlite3_vtab_cursor base;
  sqlite3 *db;
  const sql_registration *registration;
  sqlite3_int64 number; /* of the current row, from 1 */
  bool ended;           /* there is no current row */
} sql_rows;

#define MAX_TABLE_ARGUMENTS 4

typedef struct sql_table {
  const char *example;     /* a call, which errors show */
  const char *declaration; /* CREATE TABLE, with the arguments at its end */
  int columns;             /* without the arguments */
  int arguments;           /* at most MAX_TABLE_ARGUMENTS */
  bool one_row;            /* there is at most one */
  bool runs_queries;       /* none of which may call one that does */
  size_t rows_size;        /* of the family's struct */

  /* Takes the arguments, of which NULL is one that is not given. They are valid
  ** until it returns. The members after sql_rows are zero before. Returns
  ** SQLITE_OK or an error's code. */
  int (*begin)(sql_rows *rows, sqlite3_value **arguments);

  /* Goes to the next row, or the first. Returns SQLITE_ROW, SQLITE_DONE after
  ** the last row, or an error's code. */
  int (*next)(sql_rows *rows);

  /* Makes the value of a column of the current row the result. */
  void (*column)(const sql_rows *rows, sqlite3_context *context, int column);

  /* Told when a connection first uses the table, and when it is about to close
  ** or to replace the table; or NULL. */
  void (*hold)(sql_handles *handles, bool opens);

  /* Frees what the members after sql_rows own, also after an error. */
  void (*end)(sql_rows *rows);
} sql_table;

/* Makes "FUNCTION: " and this text, which is freed, the error of the statement.
** Returns the code, or SQLITE_NOMEM if the text is NULL. */
int sql_rows_error(sql_rows *rows, int code, char *text);

extern const sqlite3_module sql_table_module;

/* The error of a table that is called as a scalar function. */
void sql_table_function(sqlite3_context *context, int argc,
                        sqlite3_value **argv);

#endif
