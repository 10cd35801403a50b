/*
** SQL with words in braces, which becomes SQL for one column of one table.
** ext/tools/templates has replaced all words but those that a call tells.
*/
#ifndef BLOOM_TEMPLATE_H
#define BLOOM_TEMPLATE_H

#include "../function.h"

/* A word and its text. */
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

/* What the words of one call stand for: the first one of a name counts, and
** {NULL, NULL} ends them. No name has a control character. */
typedef struct sql_kept_values {
  const sql_kept_form *form;
  sql_word words[24];
} sql_kept_values;

/* Adds a word whose text must stay valid. There is room for those that the
** callers add. */
void sql_add_word(sql_kept_values *values, const char *word, const char *text);

/* Adds the columns of a row that are not NULL, which the statement keeps until
** it goes on. Returns SQLITE_OK or SQLITE_NOMEM. */
int sql_add_row(sql_kept_values *values, sqlite3_stmt *row);

/* The text of a word of the call or of the form, or NULL if there is none. */
const char *sql_word_text(const sql_kept_values *values, const char *word);

/* Sets *sql, which the caller frees, to what the text of a word becomes.
** Returns SQLITE_OK, SQLITE_NOMEM or SQLITE_TOOBIG; *sql is NULL unless it is
** SQLITE_OK. */
int sql_expand(sqlite3 *db, const sql_kept_values *values, const char *word,
               char **sql);

/* Prepares that SQL. Returns a result code of SQLite; *statement is NULL unless
** it is SQLITE_OK. */
int sql_prepare_word(sqlite3 *db, const sql_kept_values *values,
                     const char *word, sqlite3_stmt **statement);

#endif
