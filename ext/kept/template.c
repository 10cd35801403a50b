#include "template.h"

#include <string.h>

#include "../open_filter.h"
#include "templates.h"

const sql_kept_form sql_kept_parts = {"parts", parts_words};
const sql_kept_form sql_kept_blocks = {"blocks", blocks_words};

#define TEXT_OF(number) #number
#define TEXT(macro) TEXT_OF(macro)

/* What C knows. */
static const sql_word constant_words[] = {
    {"newline", "\n"},
    {"most_bits", TEXT(MAX_BITS_PER_KEY)},
    {"max_parts", TEXT(MAX_PARTS)},
    {"max_bytes", TEXT(MAX_ALLOCATION)},
    {NULL, NULL},
};

/* ---- Words. */

static const char *find_text(const sql_word *words, const char *word) {
  while (words->word != NULL && strcmp(words->word, word) != 0) words++;
  return words->text;
}

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

const char *sql_word_text(const sql_kept_values *values, const char *word) {
  const sql_word *const lists[] = {values->words, values->form->words,
                                   shared_words, constant_words};
  const char *text = NULL;
  for (size_t i = 0; text == NULL && i < sizeof(lists) / sizeof(*lists); i++) {
    text = find_text(lists[i], word);
  }
  return text;
}

/* ---- Expansion. */

typedef struct expansion {
  sqlite3 *db;
  const sql_kept_values *values;
  int rc;
} expansion;

static char *expand(expansion *e, const char *text);

/* What a word stands for, before it is quoted; NULL if out of memory. */
static char *expand_word(expansion *e, const char *word) {
  const char *own = find_text(e->values->words, word);
  if (own != NULL) return sqlite3_mprintf("%s", own);
  const char *noun = e->values->form->noun;
  if (strcmp(word, "form") == 0) return sqlite3_mprintf("%s", noun);
  if (word[0] == '_' || word[0] == '@') {
    const char *table = find_text(e->values->words, "t");
    const char *column = find_text(e->values->words, "c");
    return word[0] == '_'
               ? sqlite3_mprintf("%s_%s%s", table, column, word)
               : sqlite3_mprintf("%s_%s_%s%s", table, column, noun, word + 1);
  }
  const char *text = sql_word_text(e->values, word);
  if (text == NULL) e->rc = SQLITE_INTERNAL;
  return expand(e, text == NULL ? "" : text);
}

/* Whether a word stands for a name, which is quoted wherever it stands. */
static bool is_name(const char *word) {
  return word[0] == '_' || word[0] == '@' || strcmp(word, "t") == 0 ||
         strcmp(word, "c") == 0 || strcmp(word, "id") == 0 ||
         strcmp(word, "first") == 0;
}

static void append_word(expansion *e, sqlite3_str *sql, const char *word) {
  const char mark = is_name(word) ? '"' : word[0];
  char *text = expand_word(e, word + (word[0] == '\'' || word[0] == '"'));
  if (text == NULL && e->rc == SQLITE_OK) e->rc = SQLITE_NOMEM;
  sqlite3_str_appendf(sql,
                      mark == '\''  ? "%Q"
                      : mark == '"' ? "\"%w\""
                                    : "%s",
                      text);
  sqlite3_free(text);
}

#define MAX_WORD 40

/* A text whose words are replaced; NULL if it is too long or if out of
** memory. */
static char *expand(expansion *e, const char *text) {
  sqlite3_str *sql = sqlite3_str_new(e->db);
  for (const char *brace; (brace = strchr(text, '{')) != NULL;) {
    char word[MAX_WORD];
    const size_t size = strcspn(brace + 1, "}");
    sqlite3_snprintf((int)(size < MAX_WORD ? size + 1 : MAX_WORD), word, "%s",
                     brace + 1);
    /* SQLite's assertions fail if nothing is appended to an empty string. */
    if (brace > text) sqlite3_str_append(sql, text, (int)(brace - text));
    append_word(e, sql, word);
    text = brace + size + 2;
  }
  sqlite3_str_appendall(sql, text);
  if (e->rc == SQLITE_OK) e->rc = sqlite3_str_errcode(sql);
  return sqlite3_str_finish(sql);
}

int sql_expand(sqlite3 *db, const sql_kept_values *values, const char *word,
               char **sql) {
  expansion e = {.db = db, .values = values};
  *sql = expand_word(&e, word);
  if (*sql == NULL && e.rc == SQLITE_OK) e.rc = SQLITE_NOMEM;
  if (e.rc == SQLITE_OK) return SQLITE_OK;
  sqlite3_free(*sql);
  *sql = NULL;
  return e.rc;
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
