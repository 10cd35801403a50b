/*
** SQL with words in braces, which becomes SQL for one column of one table:
** shared.sql explains the words.
*/
#ifndef BLOOM_TEMPLATE_H
#define BLOOM_TEMPLATE_H

#include "../function.h"

/* A word and its text, in which other words may stand. */
typedef struct sql_word {
  const char *word;
  const char *text;
} sql_word;

/* One of the two forms of kept filters. */
typedef struct sql_kept_form {
  const char *noun;      /* what @ stands for in a name */
  const char *number;    /* what its second number is called */
  bool needs_id;         /* the table must have an INTEGER PRIMARY KEY */
  const sql_word *words; /* {NULL, NULL} ends them */
} sql_kept_form;

extern const sql_kept_form sql_kept_parts, sql_kept_blocks;

/* The words whose texts only a call tells: names, then other texts. They are in
** the order of the columns of {column}. */
typedef enum sql_told {
  TOLD_TABLE,
  TOLD_COLUMN,
  TOLD_ID,
  TOLD_FIRST,
  TOLD_BITS,
  TOLD_NUMBER,
  TOLD_MOST,
  TOLD_WORDS
} sql_told;

/* What one call tells. The texts must stay valid; NULL is one that it does not
** tell. No name has a control character. */
typedef struct sql_kept_values {
  const sql_kept_form *form;
  const char *told[TOLD_WORDS];
} sql_kept_values;

/* What the text of a word becomes, which the caller frees; or NULL and *rc,
** which is SQLITE_OK before: SQLITE_NOMEM or SQLITE_TOOBIG. */
char *sql_expand(sqlite3 *db, const sql_kept_values *values, const char *word,
                 int *rc);

/* Prepares that SQL. Returns a result code of SQLite; *statement is NULL unless
** it is SQLITE_OK. */
int sql_prepare_word(sqlite3 *db, const sql_kept_values *values,
                     const char *word, sqlite3_stmt **statement);

/* Sets *text to a copy of a column of a row, or to NULL if that is NULL. The
** caller frees it. Returns SQLITE_OK or SQLITE_NOMEM. */
int sql_copy_text(sqlite3_stmt *row, int column, char **text);

/* Sets *text in the same way to the only column of that SQL's first row, or to
** NULL if it has none. Returns SQLITE_OK or an error's code. */
int sql_ask(sqlite3 *db, const sql_kept_values *values, const char *word,
            char **text);

#endif
