/*
** The views of a query, written out: each becomes an item of a WITH, where
** places can be edited as in the rest of the text. SQLite makes the same
** program of both.
*/
#include <string.h>

#include "../compat.h"
#include "mirror.h"

/* ---- Which views there are. */

/* A view that the text names. */
typedef struct named_view {
  struct named_view *next;
  const char *schema, *name;
  const char *columns; /* "(x, y) ", or a space */
  const char *select;
  bool left_out; /* the query does not read it */
} named_view;

typedef struct view_writing {
  sql_trial *trial;
  const char *text; /* the query, and what all views that it names select */
  named_view *views;
} view_writing;

/* Adds a view behind the others, if the text names it, and none has its name.
** The columns are name, sql and schema. */
static int add_view(void *data, sqlite3_stmt *row) {
  view_writing *writing = data;
  sql_arena *arena = writing->trial->arena;
  const char *name = sql_row_text(row, 0), *tail = sql_row_text(row, 1);
  named_view **at = &writing->views;
  if (sql_count_tokens(writing->text, name) == 0) return SQLITE_OK;
  for (; *at != NULL; at = &(*at)->next) {
    if (sqlite3_stricmp((*at)->name, name) == 0) return SQLITE_OK;
  }
  /* The schema has "CREATE VIEW NAME ...", whatever the user wrote. */
  for (int i = 0; i < 3; i++) sql_next_token(&tail);
  const char *columns = tail;
  sql_token token;
  do {
    token = sql_next_token(&tail);
  } while (token.kind != TOKEN_END && !sql_token_is(token, "AS"));
  while (*tail == ' ') tail++;
  *at = sql_arena_allocate(arena, sizeof(**at));
  if (*at == NULL) return SQLITE_NOMEM;
  (*at)->schema = sql_arena_text(arena, "%s", sql_row_text(row, 2));
  (*at)->name = sql_arena_text(arena, "%s", name);
  (*at)->columns =
      sql_arena_text(arena, "%.*s", (int)(token.start - columns), columns);
  (*at)->select = sql_arena_text(arena, "%s", tail);
  writing->text = sql_arena_text(arena, "%s %s", writing->text, tail);
  return arena->no_memory ? SQLITE_NOMEM : SQLITE_OK;
}

/* The same for the views of a database, whose name is column 1. */
static int add_views(void *data, sqlite3_stmt *row) {
  view_writing *writing = data;
  return sql_each_row(
      writing->trial->db,
      sqlite3_mprintf(
          "SELECT name, sql, %Q FROM \"%w\".sqlite_master WHERE type = 'view'",
          sql_row_text(row, 1), sql_row_text(row, 1)),
      add_view, writing);
}

/* Finds the views of the query, and those of these. A name means a view of temp
** before all others. */
static int find_views(view_writing *writing) {
  sqlite3 *db = writing->trial->db;
  const char *before;
  int rc;
  do {
    before = writing->text;
    rc = sql_each_row(db, sqlite3_mprintf("SELECT 1, 'temp'"), add_views,
                      writing);
    if (rc == SQLITE_OK) {
      rc = sql_each_row(db, sqlite3_mprintf("PRAGMA database_list"), add_views,
                        writing);
    }
  } while (rc == SQLITE_OK && before != writing->text);
  return rc;
}

/* ---- The query with its views. */

int sql_front_of(const char *text, bool *has_with) {
  const char *behind = text;
  const sql_token first = sql_next_token(&behind);
  *has_with = sql_token_is(first, "WITH");
  if (!*has_with) return (int)(first.start - text);
  const char *front = behind;
  if (sql_token_is(sql_next_token(&behind), "RECURSIVE")) front = behind;
  return (int)(front - text);
}

/* Puts spaces in the place of the schemas of views: items of a WITH have none.
*/
static void blank_schemas(const view_writing *writing, char *text) {
  sql_token last[2] = {{TOKEN_END, "", 0}, {TOKEN_END, "", 0}};
  const char *tail = text;
  for (sql_token token; (token = sql_next_token(&tail)).kind != TOKEN_END;) {
    for (const named_view *view = writing->views; view != NULL;
         view = view->next) {
      if (!view->left_out && sql_token_names(last[0], view->schema) &&
          sql_token_is(last[1], ".") && sql_token_names(token, view->name)) {
        memset(text + (last[0].start - text), ' ',
               (size_t)(token.start - last[0].start));
      }
    }
    last[0] = last[1];
    last[1] = token;
  }
}

/* Writes the query with its views, which *views is then, or NULL if there are
** none. The broken one, if it is given, can be prepared only where it is not
** read. NULL if out of memory. */
static const char *write_text(const view_writing *writing,
                              const named_view *broken, const char **views) {
  const sql_trial *trial = writing->trial;
  sql_arena *arena = trial->arena;
  sqlite3_str *items = sqlite3_str_new(NULL);
  bool has_with;
  const int at = sql_front_of(trial->text, &has_with);
  int size, rc = SQLITE_OK;
  for (const named_view *view = writing->views; view != NULL;
       view = view->next) {
    if (view->left_out) continue;
    sqlite3_str_appendf(items, "%s%s%sAS NOT MATERIALIZED (%s\n)",
                        sqlite3_str_length(items) > 0 ? ",\n"
                        : has_with                    ? " "
                                                      : "WITH ",
                        sql_name(arena, view->name), view->columns,
                        view == broken ? "SELECT RAISE(IGNORE)" : view->select);
  }
  if (sqlite3_str_length(items) > 0) {
    sqlite3_str_appendall(items, has_with ? "," : "\n");
  }
  const char *put_in = sql_arena_finish(arena, items, &rc, &size);
  if (rc == SQLITE_NOMEM) arena->no_memory = true;
  char *text = sql_arena_text(arena, "%.*s%s%s", at, trial->text,
                              size > 0 ? put_in : "", trial->text + at);
  if (arena->no_memory) return NULL;
  blank_schemas(writing, text);
  *views = size > 0 ? sql_arena_text(arena, "%.*s", size, text + at) : NULL;
  return arena->no_memory ? NULL : text;
}

/* Leaves out the views that the query names, but does not read. */
static int leave_out(view_writing *writing) {
  for (named_view *view = writing->views; view != NULL; view = view->next) {
    sqlite3_stmt *statement;
    const char *views, *text = write_text(writing, view, &views);
    if (text == NULL) return SQLITE_NOMEM;
    const int rc = sql_prepare(writing->trial->db, sqlite3_mprintf("%s", text),
                               &statement);
    sqlite3_finalize(statement);
    if (sql_ends_all(rc)) return rc;
    view->left_out = rc == SQLITE_OK;
  }
  return SQLITE_OK;
}

/* Appends an instruction of EXPLAIN, but for what it calls a table. */
static int append_instruction(void *text, sqlite3_stmt *row) {
  const char *name = sql_row_text(row, 1);
  const bool is_comment = strcmp(name, "Explain") == 0;
  const bool has_label = strcmp(name, "BeginSubrtn") == 0;
  sqlite3_str_appendf(text, "%s", name);
  for (int i = 2; i < 7 && !is_comment; i++) {
    sqlite3_str_appendf(text, " %s",
                        has_label && i == 5 ? "" : sql_row_text(row, i));
  }
  sqlite3_str_appendall(text, "\n");
  return SQLITE_OK;
}

/* Reads the program of a text, and the names of its columns. Returns SQLITE_OK
** or an error's code. */
static int read_program(const sql_trial *trial, const char *text,
                        const char **made) {
  sqlite3_stmt *statement;
  sqlite3_str *read = sqlite3_str_new(NULL);
  int size;
  int rc = sql_prepare(trial->db, sqlite3_mprintf("%s", text), &statement);
  for (int i = 0; i < sqlite3_column_count(statement); i++) {
    const char *name = sqlite3_column_name(statement, i);
    if (name == NULL) rc = SQLITE_NOMEM;
    sqlite3_str_appendf(read, "%s\n", name);
  }
  sqlite3_finalize(statement);
  if (rc == SQLITE_OK) {
    rc = sql_each_row(trial->db, sqlite3_mprintf("EXPLAIN %s", text),
                      append_instruction, read);
  }
  *made = sql_arena_finish(trial->arena, read, &rc, &size);
  return rc;
}

int sql_is_same_program(const sql_trial *trial, const char *text, bool *same) {
  const char *before, *after = NULL;
  int rc = read_program(trial, text, &after);
  if (rc == SQLITE_OK) rc = read_program(trial, trial->text, &before);
  *same = rc == SQLITE_OK && strcmp(before, after) == 0;
  return sql_ends_all(rc) ? rc : SQLITE_OK;
}

int sql_write_views(sql_trial *trial) {
  view_writing writing = {.trial = trial, .text = trial->text};
  const char *views = NULL, *text = NULL;
  bool has_with, same;
  int rc = find_views(&writing);
  if (rc == SQLITE_OK) rc = leave_out(&writing);
  if (rc == SQLITE_OK) {
    text = write_text(&writing, NULL, &views);
    if (text == NULL) rc = SQLITE_NOMEM;
  }
  /* Views that cannot be read stay as they are. */
  if (rc != SQLITE_OK || views == NULL)
    return sql_ends_all(rc) ? rc : SQLITE_OK;
  rc = sql_is_same_program(trial, text, &same);
  if (rc != SQLITE_OK || !same) return rc;
  trial->views_at = sql_front_of(trial->text, &has_with);
  trial->views = views;
  trial->views_length = (int)strlen(views);
  trial->text = text;
  sqlite3_finalize(trial->statement);
  return sql_prepare_trial(trial->db, trial);
}
