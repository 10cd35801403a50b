/*
** What the schema of main says of one column of one table: all that a script
** that keeps a filter of it must know. No row of any table is read.
*/
#ifndef BLOOM_SCHEMA_H
#define BLOOM_SCHEMA_H

#include "function.h"

/* Names are as the schema spells them, and have no control characters. */
typedef struct sql_column {
  char *table;
  char *name;
  char *id; /* the INTEGER PRIMARY KEY that is the rowid, or NULL */
  bool is_id;
  bool autoincrement; /* of the id */
  /* Of a column that is NOT NULL, the constant that REPLACE puts in place of
  ** NULL, as SQL; or NULL. */
  char *default_value;
  /* Of a generated column, all that it may be generated from, as a list
  ** `NEW."a", NEW."b"`; or NULL. */
  char *inputs;
} sql_column;

/* Looks a table and a column of collation BINARY up, without regard to case.
** Where they do not serve, an error is the result. Either way the caller calls
** sql_free_column. */
bool sql_find_column(sqlite3_context *context, sqlite3_value *table,
                     sqlite3_value *name, sql_column *column);

void sql_free_column(sql_column *column);

/* Whether the name of an object in main is free, or belongs to one whose SQL
** has the text mark in it, in whatever case. If not, an error is the result. */
bool sql_name_is_free(sqlite3_context *context, const char *name,
                      const char *mark);

#endif
