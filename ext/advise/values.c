/*
** The values of parameters: read from JSON, or from what the shell has set.
*/
#include <string.h>

#include "../compat.h"
#include "../statement.h"
#include "parameters.h"

#define NAMES_SHOWN 20

bool sql_append_comma(sqlite3_str *list, int count) {
  if (count > NAMES_SHOWN + 1) return false;
  sqlite3_str_appendall(list, count == 1 ? " " : ", ");
  if (count > NAMES_SHOWN) sqlite3_str_appendall(list, "...");
  return count <= NAMES_SHOWN;
}

/* The keys of a source, and a literal of each value. Such a literal reads back
** as the same value, else there is none. */
#define VALUES                                                             \
  "SELECT key AS name, CASE WHEN value = 9e999 THEN '9e999' WHEN value = " \
  "-9e999 THEN '-9e999' WHEN typeof(value) = 'text' AND instr(value, "     \
  "char(0)) THEN NULL WHEN typeof(value) = 'real' AND CAST(quote(value) "  \
  "AS REAL) <> value THEN NULL ELSE quote(value) END AS literal"

#define SHELL_VALUES VALUES " FROM temp.sqlite_parameters"

/* Each row says what the JSON is. The first one is there even if it has no
** value: an element before all others, which is that of no place. */
#define JSON_VALUES                                                   \
  VALUES                                                              \
  ", json_type(?1) AS type, json_array_length(?1) AS size FROM "      \
  "(SELECT -1 AS key, NULL AS value UNION ALL SELECT e.key, e.value " \
  "FROM main.json_each(?1) AS e)"

/* Whether a key is the name of a place, with or without its first character. */
static bool is_key_of(const sql_parameter *place, const char *key) {
  return strcmp(key, place->name) == 0 || strcmp(key, place->name + 1) == 0;
}

/* Reads rows of VALUES. Where the keys are those of an array, they are numbers
** from 0 on, and *length is how many there are; else it is -1. */
static int read_rows(sql_trial *trial, sqlite3_stmt *rows,
                     const sql_parameters *places, int *length) {
  const bool is_json = sqlite3_column_count(rows) > 2;
  int rc;
  *length = -1;
  while ((rc = sqlite3_step(rows)) == SQLITE_ROW) {
    const char *type = is_json ? sql_row_text(rows, 2) : "object";
    if (strcmp(type, "array") == 0) {
      *length = sqlite3_column_int(rows, 3);
    } else if (strcmp(type, "object") != 0) {
      return SQLITE_ERROR;
    }
    const bool element = sqlite3_column_type(rows, 0) == SQLITE_INTEGER;
    const int number = sqlite3_column_int(rows, 0) + 1;
    const char *key = element ? "" : sql_row_text(rows, 0);
    const char *literal = (const char *)sqlite3_column_text(rows, 1);
    const char *kept = NULL;
    for (int i = 0; i < places->count; i++) {
      sql_parameter *place = &places->all[i];
      if (element ? place->number != number : !is_key_of(place, key)) continue;
      if (literal == NULL) {
        if (sqlite3_errcode(trial->db) == SQLITE_NOMEM) {
          return SQLITE_NOMEM;
        }
        trial->problem = sqlite3_mprintf(
            "the value of %s cannot be written in SQL: it is TEXT with a NUL "
            "character, or a REAL whose text is another one",
            place->name);
        return trial->problem == NULL ? SQLITE_NOMEM : SQLITE_ERROR;
      }
      if (kept == NULL) {
        kept = sql_arena_text(trial->arena, *literal == '-' ? "(%s)" : "%s",
                              literal);
        if (kept == NULL) return SQLITE_NOMEM;
      }
      place->value = kept;
    }
  }
  return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* Runs SQL of VALUES, with an argument unless that is NULL, and reads its rows.
*/
static int read_values(sql_trial *trial, const char *sql,
                       sqlite3_value *argument, const sql_parameters *places,
                       int *length) {
  sqlite3_stmt *rows;
  int rc = sqlite3_prepare_v2(trial->db, sql, -1, &rows, NULL);
  if (rc == SQLITE_OK && argument != NULL) {
    rc = sqlite3_bind_value(rows, 1, argument);
  }
  if (rc == SQLITE_OK) rc = read_rows(trial, rows, places, length);
  const int end = sqlite3_finalize(rows);
  return end == SQLITE_NOMEM ? end : rc;
}

/* Reads the values of all places of a query that has so many parameters. */
static int read_given(sql_trial *trial, sqlite3_value *parameters, bool exact,
                      int count, const sql_parameters *places) {
  int length = -1;
  if (sqlite3_value_type(parameters) != SQLITE_TEXT) {
    trial->problem = sql_argument_text(
        "parameters", "a JSON array or object, as TEXT", parameters, NULL);
    return SQLITE_ERROR;
  }
  int rc = read_values(trial, JSON_VALUES, parameters, places, &length);
  if (rc == SQLITE_OK && length >= 0 &&
      (length < count || (exact && length > count))) {
    trial->problem = sqlite3_mprintf(
        "parameters must have as many values as %s has parameters, %d, has %d",
        trial->name, count, length);
    return SQLITE_ERROR;
  }
  if (rc != SQLITE_ERROR || trial->problem != NULL) return rc;
  trial->problem =
      sql_argument_text("parameters",
                        "a JSON array or object, which SQLite's JSON "
                        "functions can read",
                        parameters, NULL);
  return trial->problem == NULL ? SQLITE_NOMEM : SQLITE_ERROR;
}

/* Reads the values that .parameter of SQLite's shell has set, if there are any.
*/
static int read_shell(sql_trial *trial, const sql_parameters *places) {
  int length, rc;
  rc = sqlite3_table_column_metadata(trial->db, "temp", "sqlite_parameters",
                                     "value", NULL, NULL, NULL, NULL, NULL);
  if (rc == SQLITE_ERROR) return SQLITE_OK;
  if (rc != SQLITE_OK) return rc;
  rc = read_values(trial, SHELL_VALUES, NULL, places, &length);
  if (rc == SQLITE_ERROR && trial->problem == NULL) {
    trial->problem = sqlite3_mprintf("temp.sqlite_parameters: %s",
                                     sqlite3_errmsg(trial->db));
  }
  return rc;
}

/* What is wrong with a query of which parameters have no value, or NULL. */
static int find_missing(sql_trial *trial, const sql_parameters *places) {
  sqlite3_str *names = sqlite3_str_new(NULL);
  int missing = 0;
  for (int i = 0; i < places->count; i++) {
    const sql_parameter *place = &places->all[i];
    bool before = place->value != NULL;
    for (int j = 0; j < i && !before && missing <= NAMES_SHOWN; j++) {
      before = places->all[j].number == place->number;
    }
    if (!before && sql_append_comma(names, ++missing)) {
      sqlite3_str_appendall(names, place->name);
    }
  }
  char *list = sqlite3_str_finish(names);
  if (list != NULL) {
    trial->problem = sqlite3_mprintf(
        "%s must have a value for each parameter, has none for%s; give "
        "parameters a JSON array such as '[1, \"b\"]', or an object such as "
        "'{\"a\": 1}'",
        trial->name, list);
  }
  sqlite3_free(list);
  return missing == 0 ? SQLITE_OK : SQLITE_ERROR;
}

int sql_read_values(sql_trial *trial, sqlite3_value *parameters, bool exact,
                    int count, const sql_parameters *places) {
  int rc = SQLITE_OK;
  if (parameters != NULL && sqlite3_value_type(parameters) != SQLITE_NULL) {
    rc = read_given(trial, parameters, exact, count, places);
  } else if (count > 0) {
    rc = read_shell(trial, places);
  }
  return rc == SQLITE_OK ? find_missing(trial, places) : rc;
}
