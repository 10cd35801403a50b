#include "template.h"

#include <string.h>

#include "templates.h"

const sql_kept_form sql_kept_parts = {
    .noun = "parts",
    .create_name = "bloom_create_parts",
    .drop_name = "bloom_drop_parts",
    .old_name = "bloom_parts_sql",
    .result = "filter",
    .words = parts_words,
    .default_bits = 10,
    .number_name = "keys",
    .default_number = 0,
    .least_number = 0,
    .most_number = 1048576000, /* 1,000 in each of 2^20 parts */
};

const sql_kept_form sql_kept_blocks = {
    .noun = "blocks",
    .create_name = "bloom_create_blocks",
    .drop_name = "bloom_drop_blocks",
    .old_name = "bloom_blocks_sql",
    .result = "spans",
    .words = blocks_words,
    .default_bits = 12,
    .number_name = "rows",
    .default_number = 4096,
    .least_number = 1,
    .most_number = (sqlite3_int64)1 << 40,
    .needs_id = true,
};

#define MAX_WORD 40

/* A text that is being expanded. */
typedef struct expansion {
  sqlite3 *db;
  const sql_kept_values *values;
  int rc;
  char unknown[MAX_WORD]; /* the last unknown word, or "" */
} expansion;

static const char *find_text(const sql_word *words, const char *word) {
  while (words->word != NULL && strcmp(words->word, word) != 0) words++;
  return words->text;
}

/* Any character but these ends a word. */
#define NO_WORD "[^a-z0-9_$]"

/* A GLOB pattern that matches a text if the text contains the name as a word,
** quoted or not; NULL if out of memory. It also matches a few texts without the
** name, because a quote in the name stands for any text. Both the text and the
** pattern must be in lower case, and the text must have a character before and
** after the word. */
static char *word_pattern(const char *name) {
  sqlite3_str *pattern = sqlite3_str_new(NULL);
  sqlite3_str_appendall(pattern, "*" NO_WORD);
  for (; *name != '\0'; name++) {
    const bool is_special = strchr("*?[", *name) != NULL;
    if (is_special) sqlite3_str_appendall(pattern, "[");
    sqlite3_str_append(pattern, strchr("\"'`", *name) == NULL ? name : "*", 1);
    if (is_special) sqlite3_str_appendall(pattern, "]");
  }
  sqlite3_str_appendall(pattern, NO_WORD "*");
  return sqlite3_str_finish(pattern);
}

/* What a word of the call stands for; NULL if there is no such word, or if out
** of memory. */
static char *call_text(expansion *e, const char *word) {
  const sql_kept_values *values = e->values;
  const sql_kept_form *form = values->form;
  const struct {
    const char *word, *text;
    sqlite3_int64 number; /* if text is NULL */
  } words[] = {
      {"t", values->table, 0},
      {"c", values->column, 0},
      {"id", values->id, 0},
      {"newline", "\n", 0},
      {"create_name", form->create_name, 0},
      {"drop_name", form->drop_name, 0},
      {"old_name", form->old_name, 0},
      {"bits", NULL, values->bits_per_key},
      {"default_bits", NULL, form->default_bits},
      {"most_bits", NULL, MAX_BITS_PER_KEY},
      {"number", NULL, values->number},
      {"default_number", NULL, form->default_number},
      {"least_number", NULL, form->least_number},
      {"most_number", NULL, form->most_number},
      {"needs_id", NULL, form->needs_id},
  };
  if (strcmp(word, "c_word") == 0) return word_pattern(values->column);
  for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
    if (strcmp(words[i].word, word) != 0) continue;
    return words[i].text == NULL ? sqlite3_mprintf("%lld", words[i].number)
                                 : sqlite3_mprintf("%s", words[i].text);
  }
  sqlite3_snprintf(sizeof(e->unknown), e->unknown, "%s", word);
  return sqlite3_mprintf("");
}

static char *expand(expansion *e, const char *text);

/* What a word stands for, before it is quoted; NULL if out of memory. */
static char *word_text(expansion *e, const char *word) {
  const sql_kept_values *values = e->values;
  const char *text = find_text(values->form->words, word);
  if (text == NULL) text = find_text(shared_words, word);
  if (text != NULL) return expand(e, text);
  if (word[0] != '_' && word[0] != '@') return call_text(e, word);
  return sqlite3_mprintf(
      "%s_%s%s%s%s", values->table, values->column, word[0] == '@' ? "_" : "",
      word[0] == '@' ? values->form->noun : "", word + (word[0] == '@'));
}

/* Whether a word stands for a name, which is quoted wherever it stands. */
static bool is_name(const char *word) {
  return word[0] == '_' || word[0] == '@' || strcmp(word, "t") == 0 ||
         strcmp(word, "c") == 0 || strcmp(word, "id") == 0;
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

char *sql_expand(sqlite3_context *context, const sql_kept_values *values,
                 const char *word) {
  expansion e = {.db = sqlite3_context_db_handle(context), .values = values};
  char *sql = word_text(&e, word);
  if (e.rc == SQLITE_TOOBIG) {
    sqlite3_result_error_toobig(context);
  } else if (e.rc != SQLITE_OK || sql == NULL) {
    sqlite3_result_error_nomem(context);
  } else if (e.unknown[0] != '\0') {
    sql_error(context, SQLITE_INTERNAL, "{%s} is unknown", e.unknown);
  } else {
    return sql;
  }
  sqlite3_free(sql);
  return NULL;
}
