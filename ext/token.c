#include "token.h"

#include <string.h>

#include "compat.h"

static bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

/* What SQLite takes for a part of a name or a number. */
static bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || c == '_' || c == '$' || (c & 0x80) != 0;
}

/* What stands behind white space and comments. */
static const char *skip_space(const char *text) {
  for (;;) {
    if (is_space(*text)) {
      text++;
    } else if (strncmp(text, "--", 2) == 0) {
      text += strcspn(text, "\n");
    } else if (strncmp(text, "/*", 2) == 0) {
      const char *end = strstr(text + 2, "*/");
      text = end == NULL ? text + strlen(text) : end + 2;
    } else {
      return text;
    }
  }
}

/* The length of what a quote begins, with both quotes. */
static size_t quoted_length(const char *text) {
  const char quote = text[0] == '[' ? ']' : text[0];
  size_t length = 1;
  while (text[length] != 0) {
    if (text[length++] != quote) continue;
    if (quote == ']' || text[length] != quote) break;
    length++;
  }
  return length;
}

sql_token sql_next_token(const char **text) {
  sql_token token = {TOKEN_END, skip_space(*text), 0};
  const char first = *token.start;
  if (first == 0) {
    token.length = 0;
  } else if (strchr("'\"`[", first) != NULL) {
    token.kind = TOKEN_QUOTED;
    token.length = quoted_length(token.start);
  } else if (is_word(first)) {
    token.kind = TOKEN_WORD;
    while (is_word(token.start[token.length])) token.length++;
  } else {
    token.kind = TOKEN_OTHER;
    token.length = 1;
  }
  *text = token.start + token.length;
  return token;
}

bool sql_token_is(sql_token token, const char *words) {
  if (token.kind == TOKEN_QUOTED || token.kind == TOKEN_END) return false;
  for (size_t length; *words != 0; words += length + (words[length] == ' ')) {
    length = strcspn(words, " ");
    if (token.length == length &&
        sqlite3_strnicmp(token.start, words, (int)length) == 0) {
      return true;
    }
  }
  return false;
}

bool sql_token_names(sql_token token, const char *name) {
  const bool is_quoted = token.kind == TOKEN_QUOTED;
  const char *at = token.start + is_quoted;
  const char *end = token.start + token.length - is_quoted;
  const char quote = is_quoted ? *end : '\0';
  while (at < end && *name != 0) {
    if (sqlite3_strnicmp(at, name, 1) != 0) return false;
    at += *at == quote && at[1] == quote && at + 1 < end ? 2 : 1;
    name++;
  }
  return at >= end && *name == 0;
}

int sql_count_tokens(const char *text, const char *name) {
  int count = 0;
  for (sql_token token; (token = sql_next_token(&text)).kind != TOKEN_END;) {
    count += sql_token_names(token, name);
  }
  return count;
}
