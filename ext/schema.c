#include "schema.h"

#include <string.h>

/* ---- Queries. */

/* Makes the connection's error the result. */
static void schema_error(sqlite3_context *context) {
  sqlite3 *db = sqlite3_context_db_handle(context);
  const int rc = sqlite3_errcode(db);
  if (rc == SQLITE_NOMEM) {
    sqlite3_result_error_nomem(context);
  } else {
    sql_error(context, rc, "%s", sqlite3_errmsg(db));
  }
}

/*
** Steps to the first row of a query whose parameters are names, of which the
** second may be NULL. *row becomes the statement, which the caller finalizes,
** or NULL if there is no row. On failure it makes an error the result and
** returns false.
*/
static bool first_row(sqlite3_context *context, const char *sql,
                      const char *first, const char *second,
                      sqlite3_stmt **row) {
  *row = NULL;
  int rc = sqlite3_prepare_v2(sqlite3_context_db_handle(context), sql, -1, row,
                              NULL);
  if (rc == SQLITE_OK) {
    rc = sqlite3_bind_text(*row, 1, first, -1, SQLITE_STATIC);
  }
  if (rc == SQLITE_OK && second != NULL) {
    rc = sqlite3_bind_text(*row, 2, second, -1, SQLITE_STATIC);
  }
  if (rc == SQLITE_OK) rc = sqlite3_step(*row);
  if (rc == SQLITE_ROW) return true;
  if (rc != SQLITE_DONE) schema_error(context);
  sqlite3_finalize(*row);
  *row = NULL;
  return rc == SQLITE_DONE;
}

/* Copies a column's TEXT, which the caller frees; *copy becomes NULL if the
** column is NULL. On failure it makes an error the result and returns false. */
static bool copy_text(sqlite3_context *context, sqlite3_stmt *row, int column,
                      char **copy) {
  *copy = NULL;
  if (sqlite3_column_type(row, column) == SQLITE_NULL) return true;
  const unsigned char *text = sqlite3_column_text(row, column);
  if (text != NULL) *copy = sqlite3_mprintf("%s", text);
  if (*copy == NULL) sqlite3_result_error_nomem(context);
  return *copy != NULL;
}

/* Copies the only column of a query's first row, as copy_text does. *text
** becomes NULL if there is no row. */
static bool query_text(sqlite3_context *context, const char *sql,
                       const char *first, const char *second, char **text) {
  sqlite3_stmt *row;
  *text = NULL;
  if (!first_row(context, sql, first, second, &row)) return false;
  const bool copied = row == NULL || copy_text(context, row, 0, text);
  sqlite3_finalize(row);
  return copied;
}

/* ---- Tables and columns. */

static bool is_plain(const char *name) {
  for (; *name != '\0'; name++) {
    if ((unsigned char)*name < ' ' || *name == 0x7f) return false;
  }
  return true;
}

#define TABLE_MUST_BE "the name of a table in main"
#define PLAIN_MUST_BE "a name without control characters"

/* Looks up the name ?1. The second column is NULL for an ordinary table, and
** otherwise says what the name belongs to. */
static const char table_sql[] =
    "SELECT name, CASE WHEN type = 'view' THEN ', a view' "
    "WHEN ifnull(rootpage, 0) = 0 THEN ', a virtual table' "
    "WHEN name LIKE 'sqlite@_%' ESCAPE '@' THEN ', which is SQLite''s own' END "
    "FROM main.sqlite_master "
    "WHERE type IN ('table', 'view') AND name = ?1 COLLATE NOCASE "
    "UNION ALL SELECT name, ', a temporary ' || type FROM sqlite_temp_master "
    "WHERE type IN ('table', 'view') AND name = ?1 COLLATE NOCASE";

static bool find_table(sqlite3_context *context, sqlite3_value *argument,
                       sql_column *column) {
  sqlite3_stmt *row = NULL;
  char *other = NULL;
  if (sqlite3_value_type(argument) == SQLITE_TEXT) {
    const char *name = (const char *)sqlite3_value_text(argument);
    if (name == NULL) {
      sqlite3_result_error_nomem(context);
      return false;
    }
    if (!first_row(context, table_sql, name, NULL, &row)) return false;
  }
  if (row == NULL) {
    return sql_argument_error(context, "table", TABLE_MUST_BE, argument, NULL);
  }
  const bool copied = copy_text(context, row, 0, &column->table) &&
                      copy_text(context, row, 1, &other);
  sqlite3_finalize(row);
  if (!copied) return false;
  if (other != NULL) {
    sql_argument_error(context, "table", TABLE_MUST_BE, argument, other);
    sqlite3_free(other);
    return false;
  }
  return is_plain(column->table) ||
         sql_argument_error(context, "table", PLAIN_MUST_BE, argument, NULL);
}

/* The columns of the table ?1, generated ones too. */
#define COLUMNS "pragma_table_xinfo(?1, 'main')"

static bool find_name(sqlite3_context *context, sqlite3_value *argument,
                      sql_column *column) {
  if (sqlite3_value_type(argument) == SQLITE_TEXT) {
    const char *name = (const char *)sqlite3_value_text(argument);
    if (name == NULL) {
      sqlite3_result_error_nomem(context);
      return false;
    }
    if (!query_text(context,
                    "SELECT name FROM " COLUMNS
                    " WHERE name = ?2 COLLATE NOCASE",
                    column->table, name, &column->name)) {
      return false;
    }
  }
  if (column->name == NULL) {
    return sql_argument_error(context, "column",
                              "the name of a column of that table", argument,
                              NULL);
  }
  if (!is_plain(column->name)) {
    return sql_argument_error(context, "column", PLAIN_MUST_BE, argument, NULL);
  }
  return query_text(context,
                    "SELECT group_concat('NEW.\"' || "
                    "replace(name, '\"', '\"\"') || '\"', ', ') FROM " COLUMNS
                    " WHERE hidden = 0 AND EXISTS (SELECT 1 FROM " COLUMNS
                    " WHERE name = ?2 AND hidden > 1)",
                    column->table, column->name, &column->inputs);
}

static bool collation_serves(sqlite3_context *context, sqlite3_value *argument,
                             const sql_column *column) {
  const char *collation = NULL;
  if (sqlite3_table_column_metadata(sqlite3_context_db_handle(context), "main",
                                    column->table, column->name, NULL,
                                    &collation, NULL, NULL, NULL)) {
    schema_error(context);
    return false;
  }
  if (sqlite3_stricmp(collation, "BINARY") == 0) return true;
  const char *form = "a form of it that is equal where its values are";
  if (sqlite3_stricmp(collation, "NOCASE") == 0) form = "lower() of it";
  if (sqlite3_stricmp(collation, "RTRIM") == 0) form = "rtrim() of it";
  char *more = sqlite3_mprintf(
      ", whose collation is %.40s: keep a generated column instead, %s",
      collation, form);
  if (more == NULL) {
    sqlite3_result_error_nomem(context);
  } else {
    sql_argument_error(context, "column", "a column of collation BINARY",
                       argument, more);
  }
  sqlite3_free(more);
  return false;
}

/*
** Finds the column that is the rowid, if there is one. The primary key of a
** table WITHOUT ROWID and an INTEGER PRIMARY KEY DESC are not the rowid: they
** have an index of their own.
*/
static bool find_id(sqlite3_context *context, sqlite3_value *argument,
                    sql_column *column) {
  if (!query_text(context,
                  "SELECT name FROM " COLUMNS
                  " WHERE pk = 1 AND type = 'INTEGER' COLLATE NOCASE "
                  "AND NOT EXISTS (SELECT 1 FROM " COLUMNS " WHERE pk > 1) "
                  "AND NOT EXISTS (SELECT 1 FROM pragma_index_list(?1, 'main') "
                  "WHERE origin = 'pk')",
                  column->table, NULL, &column->id)) {
    return false;
  }
  if (column->id == NULL) return true;
  column->is_id = strcmp(column->id, column->name) == 0;
  int autoincrement;
  if (sqlite3_table_column_metadata(sqlite3_context_db_handle(context), "main",
                                    column->table, column->id, NULL, NULL, NULL,
                                    NULL, &autoincrement)) {
    schema_error(context);
    return false;
  }
  column->autoincrement = autoincrement != 0;
  return is_plain(column->id) ||
         sql_argument_error(
             context, "table",
             "one whose key has a name without control characters", argument,
             NULL);
}

/* Whether a piece of SQL is a single string or integer, so that it has nothing
** that could run. */
static bool is_constant(const char *sql) {
  const char *end = sql;
  if (*sql == '\'') {
    for (end++; *end != '\0'; end++) {
      if (*end == '\'' && *++end != '\'') return *end == '\0';
    }
    return false;
  }
  if (*end == '-' || *end == '+') end++;
  const char *digits = end;
  while (*end >= '0' && *end <= '9') end++;
  return *end == '\0' && end > digits;
}

static bool find_default(sqlite3_context *context, sql_column *column) {
  if (!query_text(context,
                  "SELECT dflt_value FROM " COLUMNS
                  " WHERE name = ?2 AND \"notnull\"",
                  column->table, column->name, &column->default_value)) {
    return false;
  }
  if (column->default_value != NULL && !is_constant(column->default_value)) {
    sqlite3_free(column->default_value);
    column->default_value = NULL;
  }
  return true;
}

bool sql_find_column(sqlite3_context *context, sqlite3_value *table,
                     sqlite3_value *name, sql_column *column) {
  *column = (sql_column){.table = NULL};
  return find_table(context, table, column) &&
         find_name(context, name, column) &&
         collation_serves(context, name, column) &&
         find_id(context, table, column) && find_default(context, column);
}

void sql_free_column(sql_column *column) {
  sqlite3_free(column->table);
  sqlite3_free(column->name);
  sqlite3_free(column->id);
  sqlite3_free(column->default_value);
  sqlite3_free(column->inputs);
}

/* ---- Names. */

/* Whether a text contains mark, without regard to case. */
static bool has(const char *text, const char *mark) {
  const int size = (int)strlen(mark);
  for (; *text != '\0'; text++) {
    if (sqlite3_strnicmp(text, mark, size) == 0) return true;
  }
  return false;
}

bool sql_name_is_free(sqlite3_context *context, const char *name,
                      const char *mark) {
  sqlite3_stmt *row;
  if (!first_row(context,
                 "SELECT sql FROM main.sqlite_master "
                 "WHERE name = ?1 COLLATE NOCASE",
                 name, NULL, &row)) {
    return false;
  }
  bool is_free = true;
  int rc = row == NULL ? SQLITE_DONE : SQLITE_ROW;
  for (; is_free && rc == SQLITE_ROW; rc = sqlite3_step(row)) {
    const char *sql = (const char *)sqlite3_column_text(row, 0);
    is_free = sql != NULL && has(sql, mark);
  }
  if (!is_free) {
    sql_error(context, SQLITE_ERROR,
              "\"%.200w\" is there already, and its SQL does not say that it "
              "is %.400s: rename it, or drop it",
              name, mark);
  } else if (rc != SQLITE_DONE) {
    schema_error(context);
    is_free = false;
  }
  sqlite3_finalize(row);
  return is_free;
}
