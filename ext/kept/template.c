#include "template.h"

#include <stdlib.h>
#include <string.h>

#include "../open_filter.h"
#include "templates.h"

const sql_kept_form sql_kept_parts = {"parts", parts_words};
const sql_kept_form sql_kept_blocks = {"blocks", blocks_words};

#define MAX_WORD 40

/* A text that is being expanded. */
typedef struct expansion {
  sqlite3 *db;
  const sql_kept_values *values;
  int rc;
} expansion;

static const char *find_text(const sql_word *words, const char *word) {
  while (words->word != NULL && strcmp(words->word, word) != 0) words++;
  return words->text;
}

const char *sql_form_text(const sql_kept_form *form, const char *word) {
  const char *text = find_text(form->words, word);
  return text == NULL ? find_text(shared_words, word) : text;
}

static sqlite3_int64 form_number(const sql_kept_form *form, const char *word) {
  return strtoll(sql_form_text(form, word), NULL, 10);
}

/* All parts are one allocation, which has at most this many bytes for each part
** besides its filter. */
#define BYTES_BESIDES 64

/* How many parts of this many bits for each key fit into one allocation. */
static sqlite3_int64 most_parts(sqlite3_int64 bits_per_key) {
  const sqlite3_int64 capacity = form_number(&sql_kept_parts, "capacity");
  const sqlite3_int64 parts = (sqlite3_int64)MAX_ALLOCATION /
                              (capacity * bits_per_key / 8 + BYTES_BESIDES);
  return parts < MAX_PARTS ? parts : MAX_PARTS;
}

sqlite3_int64 sql_most_number(const sql_kept_form *form,
                              sqlite3_int64 bits_per_key) {
  return form == &sql_kept_parts
             ? most_parts(bits_per_key) * form_number(form, "first_keys")
             : form_number(form, "most_number");
}

/* What a word of the call stands for; NULL if out of memory. */
static char *call_text(expansion *e, const char *word) {
  const sql_kept_values *values = e->values;
  const struct {
    const char *word, *text;
    sqlite3_int64 number; /* if text is NULL */
  } words[] = {
      {"t", values->table, 0},
      {"c", values->column, 0},
      {"id", values->id, 0},
      {"first", values->first, 0},
      {"form", values->form->noun, 0},
      {"newline", "\n", 0},
      {"bits", NULL, values->bits_per_key},
      {"number", NULL, values->number},
      {"last", NULL, values->number - 1},
      {"most_bits", NULL, MAX_BITS_PER_KEY},
      {"most_parts", NULL, most_parts(values->bits_per_key)},
  };
  for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
    if (strcmp(words[i].word, word) != 0) continue;
    return words[i].text == NULL ? sqlite3_mprintf("%lld", words[i].number)
                                 : sqlite3_mprintf("%s", words[i].text);
  }
  e->rc = SQLITE_INTERNAL;
  return sqlite3_mprintf("");
}

static char *expand(expansion *e, const char *text);

/* What a word stands for, before it is quoted; NULL if out of memory. */
static char *word_text(expansion *e, const char *word) {
  const sql_kept_values *values = e->values;
  const char *text = sql_form_text(values->form, word);
  if (text != NULL) return expand(e, text);
  if (word[0] != '_' && word[0] != '@') return call_text(e, word);
  return sqlite3_mprintf(
      "%s_%s%s%s%s", values->table, values->column, word[0] == '@' ? "_" : "",
      word[0] == '@' ? values->form->noun : "", word + (word[0] == '@'));
}

/* Whether a word stands for a name, which is quoted wherever it stands. */
static bool is_name(const char *word) {
  return word[0] == '_' || word[0] == '@' || strcmp(word, "t") == 0 ||
         strcmp(word, "c") == 0 || strcmp(word, "id") == 0 ||
         strcmp(word, "first") == 0;
}

static void append_word(expansion *e, sqlite3_str *sql, const char *word) {
  const char mark = is_name(word) ? '"' : word[0];
  char *text = word_text(e, word + (word[0] == '\'' || word[0] == '"'));
  if (text == NULL && e->rc == SQLITE_OK) e->rc = SQLITE_NOMEM;
  sqlite3_str_appendf(sql,
                      mark == '\''  ? "%Q"
                      : mark == '"' ? "\"%w\""
                                    : "%s",
                      text);
  sqlite3_free(text);
}

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
  *sql = word_text(&e, word);
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
