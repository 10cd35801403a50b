#include "template.h"

#include <string.h>

#include "../open_filter.h"
#include "templates.h"

const sql_kept_form sql_kept_parts = {"parts", parts_words};
const sql_kept_form sql_kept_blocks = {"blocks", blocks_words};

void sql_add_word(sql_kept_values *values, const char *word, const char *text) {
  sql_word *words = values->words;
  while (words->word != NULL) words++;
  *words = (sql_word){word, text};
}

int sql_add_row(sql_kept_values *values, sqlite3_stmt *row) {
  for (int i = 0; i < sqlite3_column_count(row); i++) {
    if (sqlite3_column_type(row, i) == SQLITE_NULL) continue;
    const char *word = sqlite3_column_name(row, i);
    const char *text = (const char *)sqlite3_column_text(row, i);
    if (word == NULL || text == NULL) return SQLITE_NOMEM;
    sql_add_word(values, word, text);
  }
  return SQLITE_OK;
}

static const char *find_text(const sql_word *words, const char *word) {
  while (words->word != NULL && strcmp(words->word, word) != 0) words++;
  return words->text;
}

const char *sql_word_text(const sql_kept_values *values, const char *word) {
  const char *text = find_text(values->words, word);
  return text == NULL ? find_text(values->form->words, word) : text;
}

/* What a word of the call, or of an object of its filter, stands for; NULL if
** out of memory. */
static char *call_text(const sql_kept_values *values, const char *word) {
  const char *table = find_text(values->words, "t");
  const char *column = find_text(values->words, "c");
  switch (word[0]) {
    case '_':
      return sqlite3_mprintf("%s_%s%s", table, column, word);
    case '@':
      return sqlite3_mprintf("%s_%s_%s%s", table, column, values->form->noun,
                             word + 1);
    default:
      return sqlite3_mprintf("%s", find_text(values->words, word));
  }
}

/* Appends what a word stands for. The quote right before it is that which its
** text gets, and any other one before it is doubled in the result. Returns
** SQLITE_OK or SQLITE_NOMEM. */
static int append_word(sqlite3_str *sql, const sql_kept_values *values,
                       const char *word) {
  const size_t quotes = strspn(word, "'\"");
  char *text = call_text(values, word + quotes);
  for (size_t i = quotes; text != NULL && i-- > 0;) {
    const bool is_first = i == quotes - 1;
    const char *format = word[i] == '\'' ? is_first ? "'%q'" : "%q"
                         : is_first      ? "\"%w\""
                                         : "%w";
    char *quoted = sqlite3_mprintf(format, text);
    sqlite3_free(text);
    text = quoted;
  }
  if (text == NULL) return SQLITE_NOMEM;
  sqlite3_str_appendf(sql, "%z", text);
  return SQLITE_OK;
}

#define MAX_WORD 40

int sql_expand(sqlite3 *db, const sql_kept_values *values, const char *word,
               char **sql) {
  const char *text = find_text(values->form->words, word);
  sqlite3_str *expanded = sqlite3_str_new(db);
  int rc = SQLITE_OK;
  for (const char *brace;
       rc == SQLITE_OK && (brace = strchr(text, '{')) != NULL;) {
    char name[MAX_WORD];
    const int size = (int)strcspn(brace + 1, "}");
    sqlite3_snprintf(MAX_WORD, name, "%.*s", size, brace + 1);
    /* SQLite's assertions fail if nothing is appended to an empty string. */
    if (brace > text) sqlite3_str_append(expanded, text, (int)(brace - text));
    rc = append_word(expanded, values, name);
    text = brace + size + 2;
  }
  sqlite3_str_appendall(expanded, text);
  if (rc == SQLITE_OK) rc = sqlite3_str_errcode(expanded);
  *sql = sqlite3_str_finish(expanded);
  if (rc == SQLITE_OK) return SQLITE_OK;
  sqlite3_free(*sql);
  *sql = NULL;
  return rc;
}

int sql_prepare_word(sqlite3 *db, const sql_kept_values *values,
                     const char *word, sqlite3_stmt **statement) {
  char *sql;
  *statement = NULL;
  int rc = sql_expand(db, values, word, &sql);
  if (rc == SQLITE_OK) rc = sqlite3_prepare_v2(db, sql, -1, statement, NULL);
  sqlite3_free(sql);
  return rc;
}
