/*
** SQL with words in braces, which becomes SQL for one column of one table. The
** words are explained in shared.sql.
*/
#ifndef BLOOM_TEMPLATE_H
#define BLOOM_TEMPLATE_H

#include "../function.h"

/* A word and the text that replaces it, which may have words itself. */
typedef struct sql_word {
  const char *word;
  const char *text;
} sql_word;

/* One of the two forms of kept filters. */
typedef struct sql_kept_form {
  const char *noun;      /* what @ stands for in a name */
  const sql_word *words; /* {NULL, NULL} ends them */
} sql_kept_form;

extern const sql_kept_form sql_kept_parts, sql_kept_blocks;

/* What the words of one call stand for. No name has a control character. */
typedef struct sql_kept_values {
  const sql_kept_form *form;
  char *table, *column;
  char *id;    /* the INTEGER PRIMARY KEY that is the rowid, or NULL */
  char *first; /* the column that tells rows apart */
  sqlite3_int64 bits_per_key, number;
} sql_kept_values;

/* The text of a word that has no words itself. */
const char *sql_form_text(const sql_kept_form *form, const char *word);

/* The largest number that a call may give besides this bits_per_key. */
sqlite3_int64 sql_most_number(const sql_kept_form *form,
                              sqlite3_int64 bits_per_key);

/* Sets *sql, which the caller frees, to what the text of a word becomes.
** Returns SQLITE_OK, SQLITE_NOMEM, SQLITE_TOOBIG, or SQLITE_INTERNAL if a word
** in it is unknown, and then *sql is NULL. */
int sql_expand(sqlite3 *db, const sql_kept_values *values, const char *word,
               char **sql);

/* Prepares that SQL. Returns a result code of SQLite; *statement is NULL unless
** it is SQLITE_OK. */
int sql_prepare_word(sqlite3 *db, const sql_kept_values *values,
                     const char *word, sqlite3_stmt **statement);

#endif
