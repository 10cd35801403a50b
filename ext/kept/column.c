#include "column.h"

#include <string.h>

#include "../statement.h"

/* ---- Names. */

/* Bytes of a text before its first control character, or before its end. */
static size_t size_of_name(const char *text) {
  size_t size = 0;
  while ((unsigned char)text[size] >= ' ' && text[size] != 0x7f) size++;
  return size;
}

static bool name_argument(sqlite3_context *context, int i, sqlite3_value *value,
                          const char **name) {
  static const char *const arguments[] = {"table", "column"};
  static const char *const must_be[] = {"the name of a table",
                                        "the name of a column"};
  if (sqlite3_value_type(value) != SQLITE_TEXT) {
    return sql_argument_error(context, arguments[i], must_be[i], value, NULL);
  }
  *name = (const char *)sqlite3_value_text(value);
  if (*name == NULL) return sql_no_memory(context);
  return size_of_name(*name) == (size_t)sqlite3_value_bytes(value) ||
         sql_argument_error(context, arguments[i],
                            "a name without control characters", value, NULL);
}

bool sql_names_argument(sqlite3_context *context, sqlite3_value **argv,
                        const char **names) {
  return name_argument(context, 0, argv[0], &names[0]) &&
         name_argument(context, 1, argv[1], &names[1]);
}

/* ---- What the schema says. */

/* The columns of {column} after those of sql_told. */
enum { LEAST = TOLD_WORDS, WRONG };

static int read_column(sqlite3_stmt *row, sql_column *column) {
  char *text;
  int rc = sql_copy_text(row, WRONG, &column->wrong);
  for (int i = 0; rc == SQLITE_OK && i < TOLD_WORDS; i++) {
    rc = sql_copy_text(row, i, &text);
    column->values.told[i] = text;
  }
  column->number = sqlite3_column_int64(row, TOLD_NUMBER);
  column->most = sqlite3_column_int64(row, TOLD_MOST);
  column->least = sqlite3_column_int64(row, LEAST);
  return rc;
}

int sql_look_up(sqlite3 *db, const sql_kept_form *form,
                const char *const *names, sqlite3_int64 bits_per_key,
                sql_column *column) {
  const sql_kept_values asked = {form,
                                 {[TOLD_TABLE] = names[0],
                                  [TOLD_COLUMN] = names[1],
                                  [TOLD_BITS] = "w.bits"}};
  sqlite3_stmt *row;
  *column = (sql_column){.values = {.form = form}};
  int rc = sql_prepare_word(db, &asked, "column", &row);
  if (rc == SQLITE_OK) rc = sqlite3_bind_int64(row, 1, bits_per_key);
  if (rc == SQLITE_OK) rc = sqlite3_step(row);
  if (rc == SQLITE_ROW) rc = read_column(row, column);
  sqlite3_finalize(row);
  const char *const *told = column->values.told;
  if (rc == SQLITE_OK && told[TOLD_COLUMN] != NULL) {
    rc = sqlite3_table_column_metadata(db, "main", told[TOLD_TABLE],
                                       told[TOLD_COLUMN], NULL,
                                       &column->collation, NULL, NULL, NULL);
  }
  return rc;
}

int sql_may_read(sqlite3 *db, const char *schema, const char *table,
                 const char *column) {
  sqlite3_stmt *step;
  bool is_null = false, is_read = false;
  int rc = sql_first_row(
      db,
      sqlite3_mprintf("EXPLAIN SELECT k.\"%w\" FROM \"%w\".\"%w\" AS k", column,
                      schema, table),
      &step);
  for (; rc == SQLITE_ROW; rc = sqlite3_step(step)) {
    const char *operation = sql_row_text(step, 1);
    is_null |= strcmp(operation, "Null") == 0;
    is_read |= strstr(operation, "Column") != NULL ||
               strstr(operation, "Rowid") != NULL;
  }
  sqlite3_finalize(step);
  return rc != SQLITE_DONE ? rc : is_null && !is_read ? SQLITE_AUTH : SQLITE_OK;
}

void sql_forget_column(sql_column *column) {
  for (int i = 0; i < TOLD_WORDS; i++) {
    sqlite3_free((char *)column->values.told[i]);
  }
  sqlite3_free(column->wrong);
}

/* ---- What is in the way of a filter. */

/* What to do about a collation other than BINARY. */
static void describe_collation(const char *collation, sql_fault *fault) {
  const char *expression = "whose values are equal where those of this one are";
  if (sqlite3_stricmp(collation, "NOCASE") == 0) expression = "lower(NAME)";
  if (sqlite3_stricmp(collation, "RTRIM") == 0) expression = "rtrim(NAME)";
  sqlite3_snprintf(
      sizeof(fault->more), fault->more,
      ", whose collation is %.40s: instead, filter a generated column %s",
      collation, expression);
}

static bool has_control_characters(const char *name) {
  return name != NULL && name[size_of_name(name)] != '\0';
}

/* Whether the table or the column that was named is not there. */
static bool has_wrong_name(const sql_column *column, const char *const *names,
                           sql_fault *fault) {
  const char *const *told = column->values.told;
  const char *more = "";
  if (told[TOLD_TABLE] == NULL || column->wrong != NULL) {
    fault->must_be = "the name of a table in main";
    if (strchr(names[0], '.') != NULL) {
      more = ": give the name alone, without a database";
    }
    if (column->wrong != NULL) more = column->wrong;
  } else if (told[TOLD_COLUMN] == NULL) {
    fault->argument = 1;
    fault->must_be = "the name of a column of that table";
    if (strpbrk(names[1], "[(,]") != NULL) {
      more = ": instead, filter a generated column";
    }
  }
  sqlite3_snprintf(sizeof(fault->more), fault->more, "%s", more);
  return fault->must_be != NULL;
}

bool sql_has_fault(const sql_column *column, const char *const *names,
                   sql_fault *fault) {
  const char *const *told = column->values.told;
  const char *id = told[TOLD_ID];
  const bool needs_id = column->values.form->needs_id;
  *fault = (sql_fault){.argument = 0};
  if (has_wrong_name(column, names, fault)) return true;
  if (has_control_characters(id) || has_control_characters(told[TOLD_TABLE]) ||
      has_control_characters(told[TOLD_COLUMN])) {
    fault->must_be = "one whose key has a name without control characters";
  } else if (needs_id && id == NULL) {
    fault->must_be =
        "a table with an INTEGER PRIMARY KEY that is its rowid (without one, "
        "VACUUM and a dump renumber its rows)";
  } else if (needs_id && strcmp(id, told[TOLD_COLUMN]) == 0) {
    fault->argument = 1;
    fault->must_be =
        "a column other than the INTEGER PRIMARY KEY, which defines the blocks";
  } else if (sqlite3_stricmp(column->collation, "BINARY") != 0) {
    fault->argument = 1;
    fault->must_be = "a column of collation BINARY";
    describe_collation(column->collation, fault);
  }
  return fault->must_be != NULL;
}
