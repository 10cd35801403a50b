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
  const char *noun;                    /* what @ stands for in a name */
  const char *create_name, *drop_name; /* the SQL functions */
  const char *old_name;                /* that of version 1.2 */
  const char *result;                  /* the view to query: TABLE_COLUMN_... */
  const sql_word *words;               /* {NULL, NULL} ends them */
  /* The two arguments that are numbers: bits_per_key and another one. */
  sqlite3_int64 default_bits, default_number;
  const char *number_name;
  sqlite3_int64 least_number, most_number;
  bool needs_id; /* the table must have an INTEGER PRIMARY KEY */
} sql_kept_form;

extern const sql_kept_form sql_kept_parts, sql_kept_blocks;

/* What the words of one call stand for. No name has a control character. */
typedef struct sql_kept_values {
  const sql_kept_form *form;
  char *table, *column;
  char *id; /* the INTEGER PRIMARY KEY that is the rowid, or NULL */
  sqlite3_int64 bits_per_key, number;
} sql_kept_values;

/*
** Returns the SQL that the text of a word becomes, which the caller frees. If
** out of memory, or if a word is unknown, it makes an error the result and
** returns NULL.
*/
char *sql_expand(sqlite3_context *context, const sql_kept_values *values,
                 const char *word);

#endif
