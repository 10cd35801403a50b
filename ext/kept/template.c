#include "template.h"

#include <string.h>

#include "templates.h"

const sql_kept_form sql_kept_parts = {
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

/* A text that is being expanded. */
typedef struct expansion {
  const sql_kept_values *values;
  sqlite3_str *sql;
  bool no_memory;
  char unknown[40]; /* the last unknown word, or "" */
} expansion;

/* ---- The text that replaces a word. Each function returns whether it knows
** the word. */

/* Appends a text that sqlite3_mprintf made, as a string, and frees it. NULL
** stands for out of memory. */
static bool append_string(expansion *e, char *text) {
  if (text == NULL) {
    e->no_memory = true;
  } else {
    sqlite3_str_appendf(e->sql, "%Q", text);
  }
  sqlite3_free(text);
  return true;
}

/* The call of a function for the column, up to the numbers, inserted into a
** format. sqlite3_mprintf made the result, which is NULL if out of memory. */
static char *call_text(const expansion *e, const char *format,
                       const char *function) {
  const sql_column *c = e->values->column;
  char *call = sqlite3_mprintf("%s(%Q, %Q", function, c->table, c->name);
  char *text = call == NULL ? NULL : sqlite3_mprintf(format, call);
  sqlite3_free(call);
  return text;
}

static bool append_call(expansion *e, const char *format,
                        const char *function) {
  return append_string(e, call_text(e, format, function));
}

static bool expand_call(expansion *e, const char *word) {
  const sql_kept_form *form = e->values->form;
  if (strcmp(word, "made") == 0) {
    char *call = call_text(e, "\"%w", form->create_name);
    if (call == NULL) return append_string(e, NULL);
    sqlite3_str_appendf(e->sql, "%s, %lld, %lld)\"", call,
                        e->values->bits_per_key, e->values->number);
    sqlite3_free(call);
    return true;
  }
  if (strcmp(word, "'create") == 0) {
    return append_call(e, "%s)", form->create_name);
  }
  if (strcmp(word, "'call") == 0) {
    return append_call(e, "%s, ", form->create_name);
  }
  if (strcmp(word, "'drop") == 0) {
    return append_call(e, "%s)", form->drop_name);
  }
  if (strcmp(word, "'mark") == 0) {
    return append_call(e, "\"%w, ", form->create_name);
  }
  if (strcmp(word, "'old_mark") == 0) {
    return append_call(e, "%s", form->old_name);
  }
  if (strcmp(word, "'old_call") == 0) {
    return append_call(e, "%q, ", form->old_name);
  }
  if (strcmp(word, "'any_mark") == 0) {
    return append_string(e, sqlite3_mprintf("\"%w(", form->create_name));
  }
  return false;
}

/* The format of {new_c}; its argument is the name of the column. */
#define NEW_COLUMN "\nNEW.\"%w\""

static bool expand_name(expansion *e, const char *word) {
  const sql_column *c = e->values->column;
  if (word[0] == '_') {
    sqlite3_str_appendf(e->sql, "\"%w_%w%s\"", c->table, c->name, word);
  } else if (word[0] == '\'' && word[1] == '_') {
    sqlite3_str_appendf(e->sql, "'%q_%q%s'", c->table, c->name, word + 1);
  } else if (strcmp(word, "t") == 0) {
    sqlite3_str_appendf(e->sql, "\"%w\"", c->table);
  } else if (strcmp(word, "'t") == 0) {
    sqlite3_str_appendf(e->sql, "%Q", c->table);
  } else if (strcmp(word, "c") == 0) {
    sqlite3_str_appendf(e->sql, "\"%w\"", c->name);
  } else if (strcmp(word, "'column") == 0) {
    sqlite3_str_appendf(e->sql, "%Q", c->name);
  } else if (strcmp(word, "new_c") == 0) {
    sqlite3_str_appendf(e->sql, NEW_COLUMN, c->name);
  } else if (strcmp(word, "'new_c") == 0) {
    return append_string(e, sqlite3_mprintf(NEW_COLUMN, c->name));
  } else if (strcmp(word, "'t_word") == 0) {
    return append_string(e, sql_word_pattern(c->table));
  } else if (strcmp(word, "'c_word") == 0) {
    return append_string(e, sql_word_pattern(c->name));
  } else {
    return false;
  }
  return true;
}

static void expand(expansion *e, const char *text);

static bool expand_column(expansion *e, const char *word) {
  const sql_column *c = e->values->column;
  const sql_kept_form *form = e->values->form;
  if (strcmp(word, "id") == 0) {
    sqlite3_str_appendf(e->sql, "\"%w\"", c->id);
  } else if (strcmp(word, "bits") == 0) {
    sqlite3_str_appendf(e->sql, "%lld", e->values->bits_per_key);
  } else if (strcmp(word, "default_number") == 0) {
    sqlite3_str_appendf(e->sql, "%lld", form->default_number);
  } else if (strcmp(word, "most_number") == 0) {
    sqlite3_str_appendf(e->sql, "%lld", form->most_number);
  } else if (strcmp(word, form->number_name) == 0) {
    sqlite3_str_appendf(e->sql, "%lld", e->values->number);
  } else if (strcmp(word, "before") == 0) {
    sqlite3_str_appendf(
        e->sql,
        c->default_value == NULL ? NEW_COLUMN : "ifnull(" NEW_COLUMN ", %s)",
        c->name, c->default_value);
  } else if (strcmp(word, "inputs") == 0) {
    if (c->inputs != NULL) {
      sqlite3_str_appendf(e->sql, " OR NULL IN (%s)", c->inputs);
    }
  } else if (strcmp(word, "assigned") == 0) {
    if (c->is_id) expand(e, "{add_assigned}");
  } else if (strcmp(word, "next_id") == 0) {
    expand(e, c->autoincrement ? "{next_id_autoincrement}"
                               : "{next_id_after_rows}");
  } else {
    return false;
  }
  return true;
}

/* ---- Expansion. */

static const char *find_text(const sql_word *words, const char *word) {
  while (words->word != NULL && strcmp(words->word, word) != 0) words++;
  return words->text;
}

static void expand_word(expansion *e, const char *word) {
  const char *text = find_text(e->values->form->words, word);
  if (text == NULL) text = find_text(shared_words, word);
  if (text != NULL) {
    expand(e, text);
  } else if (!expand_call(e, word) && !expand_name(e, word) &&
             !expand_column(e, word)) {
    sqlite3_snprintf(sizeof(e->unknown), e->unknown, "%s", word);
  }
}

static void expand(expansion *e, const char *text) {
  for (const char *brace; (brace = strchr(text, '{')) != NULL;) {
    char word[40];
    const size_t size = strcspn(brace + 1, "}");
    sqlite3_snprintf((int)size + 1, word, "%s", brace + 1);
    sqlite3_str_append(e->sql, text, (int)(brace - text));
    expand_word(e, word);
    text = brace + size + 2;
  }
  sqlite3_str_appendall(e->sql, text);
}

char *sql_expand(sqlite3_context *context, const sql_kept_values *values,
                 const char *word) {
  expansion e = {.values = values};
  e.sql = sqlite3_str_new(sqlite3_context_db_handle(context));
  expand_word(&e, word);
  const int rc = e.no_memory ? SQLITE_NOMEM : sqlite3_str_errcode(e.sql);
  char *sql = sqlite3_str_finish(e.sql);
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
