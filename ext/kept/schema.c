#include "schema.h"

#include <string.h>

#include "transaction.h"

/* ---- Queries. */

/*
** Steps to the first row of a query with up to two parameters, which are bound
** unless they are NULL. *row becomes the statement, which the caller finalizes,
** or NULL if there is no row. On failure it makes an error the result and
** returns false.
*/
static bool first_row(sqlite3_context *context, const char *sql,
                      const char *first, const char *second,
                      sqlite3_stmt **row) {
  *row = NULL;
  int rc = sqlite3_prepare_v2(sqlite3_context_db_handle(context), sql, -1, row,
                              NULL);
  if (rc == SQLITE_OK && first != NULL) {
    rc = sqlite3_bind_text(*row, 1, first, -1, SQLITE_STATIC);
  }
  if (rc == SQLITE_OK && second != NULL) {
    rc = sqlite3_bind_text(*row, 2, second, -1, SQLITE_STATIC);
  }
  if (rc == SQLITE_OK) rc = sqlite3_step(*row);
  if (rc == SQLITE_ROW) return true;
  if (rc != SQLITE_DONE) sql_connection_error(context);
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

/* ---- Names. */

static bool is_plain(const char *name) {
  for (; *name != '\0'; name++) {
    if ((unsigned char)*name < ' ' || *name == 0x7f) return false;
  }
  return true;
}

#define TABLE_MUST_BE "the name of a table in main"
#define COLUMN_MUST_BE "the name of a column of that table"
#define PLAIN_MUST_BE "a name without control characters"

bool sql_name_argument(sqlite3_context *context, const char *argument,
                       const char *must_be, sqlite3_value *value,
                       const char **name) {
  if (sqlite3_value_type(value) != SQLITE_TEXT) {
    return sql_argument_error(context, argument, must_be, value, NULL);
  }
  *name = (const char *)sqlite3_value_text(value);
  if (*name == NULL) {
    sqlite3_result_error_nomem(context);
    return false;
  }
  if (strlen(*name) != (size_t)sqlite3_value_bytes(value) || !is_plain(*name)) {
    return sql_argument_error(context, argument, PLAIN_MUST_BE, value, NULL);
  }
  return true;
}

/* Any character but these ends a word. */
#define NO_WORD "[^a-z0-9_$]"

char *sql_word_pattern(const char *name) {
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

/* ---- Tables and columns. */

/* Looks up the name ?1. The second column is NULL for an ordinary table, and
** otherwise says what the name belongs to. */
static const char table_sql[] =
    "SELECT name, CASE WHEN type = 'view' THEN ', a view' "
    "WHEN ifnull(rootpage, 0) = 0 THEN ', a virtual table' "
    "WHEN lower(substr(name, 1, 7)) = 'sqlite_' THEN ', which is SQLite''s "
    "own' "
    "WHEN lower(name) = 'sqlite' THEN ': the names of its filter''s objects "
    "would be reserved' END "
    "FROM main.sqlite_master "
    "WHERE type IN ('table', 'view') AND name = ?1 COLLATE NOCASE "
    "UNION ALL SELECT name, ', a temporary ' || type FROM sqlite_temp_master "
    "WHERE type IN ('table', 'view') AND name = ?1 COLLATE NOCASE "
    "ORDER BY 2 DESC";

static bool find_table(sqlite3_context *context, sqlite3_value *argument,
                       sql_column *column) {
  sqlite3_stmt *row;
  const char *name;
  char *other = NULL;
  if (!sql_name_argument(context, "table", TABLE_MUST_BE, argument, &name) ||
      !first_row(context, table_sql, name, NULL, &row)) {
    return false;
  }
  if (row == NULL) {
    return sql_argument_error(context, "table", TABLE_MUST_BE, argument, NULL);
  }
  const bool copied = copy_text(context, row, 0, &column->table) &&
                      copy_text(context, row, 1, &other);
  sqlite3_finalize(row);
  if (copied && other != NULL) {
    sql_argument_error(context, "table", TABLE_MUST_BE, argument, other);
  }
  const bool is_table = copied && other == NULL;
  sqlite3_free(other);
  return is_table;
}

/* The columns of the table ?1, generated ones too. */
#define COLUMNS "pragma_table_xinfo(?1, 'main')"

static bool find_name(sqlite3_context *context, sqlite3_value *argument,
                      sql_column *column) {
  const char *name;
  if (!sql_name_argument(context, "column", COLUMN_MUST_BE, argument, &name) ||
      !query_text(context,
                  "SELECT name FROM " COLUMNS " WHERE name = ?2 COLLATE NOCASE",
                  column->table, name, &column->name)) {
    return false;
  }
  if (column->name == NULL) {
    return sql_argument_error(context, "column", COLUMN_MUST_BE, argument,
                              NULL);
  }
  return true;
}

static bool collation_serves(sqlite3_context *context, sqlite3_value *argument,
                             const sql_column *column) {
  const char *collation = NULL;
  if (sqlite3_table_column_metadata(sqlite3_context_db_handle(context), "main",
                                    column->table, column->name, NULL,
                                    &collation, NULL, NULL, NULL)) {
    sql_connection_error(context);
    return false;
  }
  if (sqlite3_stricmp(collation, "BINARY") == 0) return true;
  const char *form = "whose values are equal where those of this one are";
  if (sqlite3_stricmp(collation, "NOCASE") == 0) form = "lower(NAME)";
  if (sqlite3_stricmp(collation, "RTRIM") == 0) form = "rtrim(NAME)";
  char *more = sqlite3_mprintf(
      ", whose collation is %.40s: instead, filter a generated column %s",
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
** table WITHOUT ROWID, and an INTEGER PRIMARY KEY DESC, are not the rowid: each
** has an index.
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
  if (!is_plain(column->id)) {
    return sql_argument_error(
        context, "table", "one whose key has a name without control characters",
        argument, NULL);
  }
  return true;
}

bool sql_find_column(sqlite3_context *context, sqlite3_value *table,
                     sqlite3_value *name, sql_column *column) {
  *column = (sql_column){.table = NULL};
  return find_table(context, table, column) &&
         find_name(context, name, column) &&
         collation_serves(context, name, column) &&
         find_id(context, table, column);
}

void sql_free_column(sql_column *column) {
  sqlite3_free(column->table);
  sqlite3_free(column->name);
  sqlite3_free(column->id);
}
