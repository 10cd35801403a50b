/*
** What the schema of main says about one column of one table, as far as the
** script that keeps a filter of this column must know it. No row of any table
** is read.
*/
#ifndef BLOOM_SCHEMA_H
#define BLOOM_SCHEMA_H

#include "function.h"

/* Names are as the schema spells them, and have no control characters. */
typedef struct sql_column {
  char *table;
  char *name;
  char *id;           /* the INTEGER PRIMARY KEY that is the rowid, or NULL */
  bool is_id;         /* whether the column itself is id */
  bool autoincrement; /* whether id is AUTOINCREMENT */
  /* If the column is NOT NULL and has a constant default, that default as SQL,
  ** which REPLACE stores in place of NULL; otherwise NULL. */
  char *default_value;
  /* If the column is generated, all columns that it may be generated from, as a
  ** list `NEW."a", NEW."b"`; otherwise NULL. */
  char *inputs;
} sql_column;

/* Looks up a table and its column, without regard to case. The collation of the
** column must be BINARY. If they cannot be used, it makes an error the result
** and returns false. In either case the caller calls sql_free_column. */
bool sql_find_column(sqlite3_context *context, sqlite3_value *table,
                     sqlite3_value *name, sql_column *column);

void sql_free_column(sql_column *column);

/* Whether no object in main has this name, or only one whose SQL contains the
** text mark, without regard to case. If not, it makes an error the result. */
bool sql_name_is_free(sqlite3_context *context, const char *name,
                      const char *mark);

#endif
