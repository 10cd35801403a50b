/*
** What the SQL that keeps a filter of a column must know about the column, read
** from the schema of main. No row of any table is read.
*/
#ifndef BLOOM_SCHEMA_H
#define BLOOM_SCHEMA_H

#include "../function.h"

/* Names are as the schema spells them, and have no control characters. */
typedef struct sql_column {
  char *table;
  char *name;
  char *id;   /* the INTEGER PRIMARY KEY that is the rowid, or NULL */
  bool is_id; /* whether the column itself is id */
} sql_column;

/* Looks up a table and its column, without regard to case. The collation of the
** column must be BINARY. If they cannot be used, it makes an error the result
** and returns false. In either case the caller calls sql_free_column. */
bool sql_find_column(sqlite3_context *context, sqlite3_value *table,
                     sqlite3_value *name, sql_column *column);

void sql_free_column(sql_column *column);

/* Reads a name, which is TEXT without NUL and control characters and stays
** valid as long as the value. If the value is not such a name, it makes an
** error the result and returns false. */
bool sql_name_argument(sqlite3_context *context, const char *argument,
                       const char *must_be, sqlite3_value *value,
                       const char **name);

/* A GLOB pattern that matches a text if the text contains the name as a word,
** quoted or not. The caller frees it; it is NULL if out of memory. It also
** matches a few texts without the name, because a quote in the name stands for
** any text. Both the text and the pattern must be in lower case, and the text
** must have a character before and after the word. */
char *sql_word_pattern(const char *name);

#endif
