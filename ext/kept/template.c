#include "template.h"

#include <string.h>

#include "../open_filter.h"
#include "../size.h"
#include "../statement.h"
#include "templates.h"

#define TEXT_OF(number) #number
#define TEXT(macro) TEXT_OF(macro)

const sql_kept_form sql_kept_parts = {"parts", "keys", false, parts_words};
const sql_kept_form sql_kept_blocks = {"blocks", "rows", true, blocks_words};

/* The words of sql_told. Those before {bits} are names. */
static const char *const told_words[TOLD_WORDS] = {
    "t", "c", "id", "first", "bits", "number", "most"};

/* What C knows of every call. */
static const sql_word common_words[] = {
    {"newline", "\n"},
    {"most_bits", TEXT(MAX_BITS_PER_KEY)},
    {"max_parts", TEXT(MAX_PARTS)},
    {"max_bytes", TEXT(MAX_ALLOCATION)},
    {NULL, NULL},
};

static const char *find_text(const sql_word *words, const char *word) {
  while (words->word != NULL && strcmp(words->word, word) != 0) words++;
  return words->text;
}

static sql_told told_index(const char *word) {
  int i = 0;
  while (i < TOLD_WORDS && strcmp(word, told_words[i]) != 0) i++;
  return (sql_told)i;
}

/* Whether a word is a name: it is in quotes wherever it stands. */
static bool is_name(const char *word) {
  return *word == '_' || *word == '@' || told_index(word) < TOLD_BITS;
}

/* What a word becomes, without quotes. */
static char *replacement_of(sqlite3 *db, const sql_kept_values *values,
                            const char *word, int *rc) {
  const char *table = values->told[TOLD_TABLE];
  const char *column = values->told[TOLD_COLUMN];
  const sql_told told = told_index(word);
  const char *text = told < TOLD_WORDS ? values->told[told]
                     : strcmp(word, "form") == 0
                         ? values->form->noun
                         : find_text(common_words, word);
  char *copy = *word == '_'   ? sqlite3_mprintf("%s_%s%s", table, column, word)
               : *word == '@' ? sqlite3_mprintf("%s_%s_%s%s", table, column,
                                                values->form->noun, word + 1)
               : text != NULL || told < TOLD_WORDS
                   ? sqlite3_mprintf("%s", text)
                   : sql_expand(db, values, word, rc);
  if (copy == NULL && *rc == SQLITE_OK) *rc = SQLITE_NOMEM;
  return copy;
}

#define MAX_WORD 40

/* Replaces the words of a word's text. A quote before one puts what it becomes
** into such quotes. */
char *sql_expand(sqlite3 *db, const sql_kept_values *values, const char *word,
                 int *rc) {
  const char *text = find_text(values->form->words, word);
  if (text == NULL) text = find_text(shared_words, word);
  sqlite3_str *sql = sqlite3_str_new(db);
  for (const char *brace;
       *rc == SQLITE_OK && (brace = strchr(text, '{')) != NULL;) {
    char quoted[MAX_WORD];
    const int size = (int)strcspn(brace + 1, "}");
    sqlite3_snprintf(MAX_WORD, quoted, "%.*s", size, brace + 1);
    const char *inner = quoted + strspn(quoted, "'\"");
    const char *format = *quoted == '\''                    ? "'%q'"
                         : *quoted == '"' || is_name(inner) ? "\"%w\""
                                                            : "%s";
    char *replacement = replacement_of(db, values, inner, rc);
    /* SQLite's assertions fail if nothing is appended to an empty string. */
    if (brace > text) sqlite3_str_append(sql, text, (int)(brace - text));
    if (replacement != NULL) sqlite3_str_appendf(sql, format, replacement);
    sqlite3_free(replacement);
    text = brace + size + 2;
  }
  sqlite3_str_appendall(sql, text);
  if (*rc == SQLITE_OK) *rc = sqlite3_str_errcode(sql);
  char *expanded = sqlite3_str_finish(sql);
  if (*rc == SQLITE_OK) return expanded;
  sqlite3_free(expanded);
  return NULL;
}

int sql_prepare_word(sqlite3 *db, const sql_kept_values *values,
                     const char *word, sqlite3_stmt **statement) {
  int rc = SQLITE_OK;
  char *sql = sql_expand(db, values, word, &rc);
  *statement = NULL;
  return rc == SQLITE_OK ? sql_prepare(db, sql, statement) : rc;
}

int sql_copy_text(sqlite3_stmt *row, int column, char **text) {
  *text = NULL;
  if (sqlite3_column_type(row, column) == SQLITE_NULL) return SQLITE_OK;
  const unsigned char *value = sqlite3_column_text(row, column);
  if (value != NULL) *text = sqlite3_mprintf("%s", value);
  return *text == NULL ? SQLITE_NOMEM : SQLITE_OK;
}

int sql_ask(sqlite3 *db, const sql_kept_values *values, const char *word,
            char **text) {
  sqlite3_stmt *row;
  *text = NULL;
  int rc = sql_prepare_word(db, values, word, &row);
  if (rc == SQLITE_OK) rc = sqlite3_step(row);
  if (rc == SQLITE_ROW) rc = sql_copy_text(row, 0, text);
  sqlite3_finalize(row);
  return rc == SQLITE_DONE ? SQLITE_OK : rc;
}
