/*
** SQL that others wrote, as far as it has to be read: its tokens.
*/
#ifndef BLOOM_TOKEN_H
#define BLOOM_TOKEN_H

#include <stdbool.h>
#include <stddef.h>

typedef enum sql_token_kind {
  TOKEN_END,
  TOKEN_WORD,   /* a keyword, a name, or a number */
  TOKEN_QUOTED, /* in '', "", `` or [], which SQLite may take for a name */
  TOKEN_OTHER   /* a single character */
} sql_token_kind;

typedef struct sql_token {
  sql_token_kind kind;
  const char *start; /* with the quotes */
  size_t length;
} sql_token;

/* The next token of a text that ends with a NUL, which it moves past the token.
** White space and comments are none. */
sql_token sql_next_token(const char **text);

/* Whether a token is one of these words, in capitals or not, which spaces
** separate. */
bool sql_token_is(sql_token token, const char *words);

/* Whether a token may stand for this name, without regard to case. */
bool sql_token_names(sql_token token, const char *name);

/* How many tokens of a text may stand for this name or word. */
int sql_count_tokens(const char *text, const char *name);

#endif
