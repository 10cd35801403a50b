#include "template.h"

#include <stdarg.h>
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
    .of_ids = true,
};

/* ---- The words of a call, besides those of the .sql files. */

#define MAX_WORDS 24
#define MAX_WORD 40

/* A word of a call. A name is written as a quoted name, any other text as it
** is. */
typedef struct call_word {
  const char *word;
  bool is_name;
  char *text; /* from SQLite's allocator */
} call_word;

/* A text that is being expanded. */
typedef struct expansion {
  const sql_kept_values *values;
  call_word words[MAX_WORDS];
  size_t count;
  sqlite3_str *sql;
  bool no_memory;
  char unknown[MAX_WORD]; /* the last unknown word, or "" */
} expansion;

static void add_word(expansion *e, const char *word, bool is_name,
                     const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *text = sqlite3_vmprintf(format, arguments);
  va_end(arguments);
  if (text == NULL) e->no_memory = true;
  e->words[e->count++] = (call_word){word, is_name, text};
}

/* The beginning of a call of a function for the column, up to the numbers. */
static char *call_of(expansion *e, const char *function) {
  const sql_column *c = e->values->column;
  char *call = sqlite3_mprintf("%s(%Q, %Q", function, c->table, c->name);
  if (call == NULL) e->no_memory = true;
  return call;
}

static void add_calls(expansion *e) {
  const sql_kept_form *form = e->values->form;
  char *create = call_of(e, form->create_name);
  char *drop = call_of(e, form->drop_name);
  char *old = call_of(e, form->old_name);
  add_word(e, "made", true, "%s, %lld, %lld)", create, e->values->bits_per_key,
           e->values->number);
  add_word(e, "mark", false, "\"%w, ", create);
  add_word(e, "any_mark", false, "AS \"%w(", form->create_name);
  add_word(e, "old_mark", false, "%s", old);
  add_word(e, "create", false, "%s)", create);
  add_word(e, "call", false, "%s, ", create);
  add_word(e, "old_call", false, "%q, ", old);
  add_word(e, "drop", false, "%s)", drop);
  sqlite3_free(create);
  sqlite3_free(drop);
  sqlite3_free(old);
}

static void add_words(expansion *e) {
  const sql_kept_values *values = e->values;
  const sql_column *c = values->column;
  char *pattern = sql_word_pattern(c->name);
  if (pattern == NULL) e->no_memory = true;
  add_calls(e);
  add_word(e, "t", true, "%s", c->table);
  add_word(e, "c", true, "%s", c->name);
  add_word(e, "id", true, "%s", c->id);
  add_word(e, "new_c", false, "\nNEW.\"%w\"", c->name);
  add_word(e, "quoted_t", false, "\"%w\"", c->table);
  add_word(e, "from_t", false, "\n\"%w\"", c->table);
  add_word(e, "c_word", false, "%s", pattern);
  add_word(e, "bits", false, "%lld", values->bits_per_key);
  add_word(e, "number", false, "%lld", values->number);
  add_word(e, "default_number", false, "%lld", values->form->default_number);
  add_word(e, "most_number", false, "%lld", values->form->most_number);
  sqlite3_free(pattern);
}

/* ---- Expansion. */

static const char *find_text(const sql_word *words, const char *word) {
  while (words->word != NULL && strcmp(words->word, word) != 0) words++;
  return words->text;
}

static void append(expansion *e, const char *text, bool is_name,
                   bool as_string) {
  sqlite3_str_appendf(e->sql,
                      as_string ? "%Q"
                      : is_name ? "\"%w\""
                                : "%s",
                      text);
}

/* Appends the name of an object: TABLE_COLUMN and this name, which begins with
** an underscore, and in which @ stands for the form's noun. */
static void append_object(expansion *e, const char *name, bool as_string) {
  const sql_column *c = e->values->column;
  const char *at = strchr(name, '@');
  const int before = at == NULL ? (int)strlen(name) : (int)(at - name);
  char *object = sqlite3_mprintf("%s_%s%.*s%s%s", c->table, c->name, before,
                                 name, at == NULL ? "" : e->values->form->noun,
                                 at == NULL ? "" : at + 1);
  if (object == NULL) e->no_memory = true;
  append(e, object, true, as_string);
  sqlite3_free(object);
}

static void expand(expansion *e, const char *text);

static void expand_word(expansion *e, const char *word) {
  const char *text = find_text(e->values->form->words, word);
  if (text == NULL) text = find_text(shared_words, word);
  if (text != NULL) {
    expand(e, text);
    return;
  }
  const bool as_string = word[0] == '\'';
  const char *name = word + as_string;
  if (name[0] == '_') {
    append_object(e, name, as_string);
    return;
  }
  size_t i = 0;
  while (i < e->count && strcmp(e->words[i].word, name) != 0) i++;
  if (i < e->count) {
    append(e, e->words[i].text, e->words[i].is_name, as_string);
  } else {
    sqlite3_snprintf(sizeof(e->unknown), e->unknown, "%s", word);
  }
}

static void expand(expansion *e, const char *text) {
  for (const char *brace; (brace = strchr(text, '{')) != NULL;) {
    char word[MAX_WORD];
    const size_t size = strcspn(brace + 1, "}");
    sqlite3_snprintf((int)(size < MAX_WORD ? size + 1 : MAX_WORD), word, "%s",
                     brace + 1);
    sqlite3_str_append(e->sql, text, (int)(brace - text));
    expand_word(e, word);
    text = brace + size + 2;
  }
  sqlite3_str_appendall(e->sql, text);
}

char *sql_expand(sqlite3_context *context, const sql_kept_values *values,
                 const char *word) {
  expansion e = {.values = values};
  add_words(&e);
  e.sql = sqlite3_str_new(sqlite3_context_db_handle(context));
  if (!e.no_memory) expand_word(&e, word);
  const int rc = e.no_memory ? SQLITE_NOMEM : sqlite3_str_errcode(e.sql);
  char *sql = sqlite3_str_finish(e.sql);
  while (e.count > 0) sqlite3_free(e.words[--e.count].text);
  if (rc == SQLITE_TOOBIG) {
    sqlite3_result_error_toobig(context);
  } else if (rc != SQLITE_OK || sql == NULL) {
    sqlite3_result_error_nomem(context);
  } else if (e.unknown[0] != '\0') {
    sql_error(context, SQLITE_INTERNAL, "{%s} is unknown", e.unknown);
  } else {
    return sql;
  }
  sqlite3_free(sql);
  return NULL;
}
