/* SQL with words in braces; kept.h lists them. */
#include "kept.h"

static void append_name(sqlite3_str *text, const char *name) {
  sqlite3_str_appendf(text, "\"%w\"", name);
}

static void append_word(sqlite3_str *text, const kept_table *table,
                        const char *word, const char *or_clause) {
  if (word[0] == '_') {
    sqlite3_str_appendf(text, "\"%w_%w%w\"", table->name, table->column, word);
  } else if (word[0] == '\'' && word[1] == '_') {
    sqlite3_str_appendf(text, "'%q_%q%q'", table->name, table->column,
                        word + 1);
  } else if (strcmp(word, "t") == 0) {
    append_name(text, table->name);
  } else if (strcmp(word, "c") == 0) {
    append_name(text, table->column);
  } else if (strcmp(word, "'t") == 0) {
    sqlite3_str_appendf(text, "%Q", table->name);
  } else if (strcmp(word, "'c") == 0) {
    sqlite3_str_appendf(text, "%Q", table->column);
  } else if (strcmp(word, "id") == 0) {
    append_name(text, table->id);
  } else if (strcmp(word, "written") == 0) {
    append_name(text, table->written ? table->written : table->column);
  } else if (strcmp(word, "rows") == 0) {
    sqlite3_str_appendf(text, "%d", ROWS_OF_A_BLOCK);
  } else if (strcmp(word, "or") == 0) {
    sqlite3_str_appendall(text, or_clause);
  } else {
    fprintf(stderr, "{%s} is not a word\n", word);
    exit(1);
  }
}

char *expanded(const kept_table *table, const char *sql,
               const char *or_clause) {
  sqlite3_str *text = sqlite3_str_new(NULL);
  for (const char *open; (open = strchr(sql, '{')) != NULL;) {
    char word[40];
    const int length = (int)strcspn(open + 1, "}");
    snprintf(word, sizeof(word), "%.*s", length, open + 1);
    sqlite3_str_append(text, sql, (int)(open - sql));
    append_word(text, table, word, or_clause);
    sql = open + length + 2;
  }
  sqlite3_str_appendall(text, sql);
  return sqlite3_str_finish(text);
}

void run_for(const kept_table *table, sqlite3 *db, const char *sql) {
  char *text = expanded(table, sql, "");
  run(db, text);
  sqlite3_free(text);
}

sqlite3_stmt *prepare_for(const kept_table *table, sqlite3 *db,
                          const char *sql) {
  char *text = expanded(table, sql, "");
  sqlite3_stmt *statement = prepare(db, text);
  sqlite3_free(text);
  return statement;
}

sqlite3_int64 integer_for(const kept_table *table, sqlite3 *db,
                          const char *sql) {
  sqlite3_stmt *statement = prepare_for(table, db, sql);
  const sqlite3_int64 value = first_integer(statement);
  sqlite3_finalize(statement);
  return value;
}

void ask_for(const kept_table *table, sqlite3 *db, const char *sql,
             answer *got) {
  char *text = expanded(table, sql, "");
  ask(db, text, got);
  sqlite3_free(text);
}
