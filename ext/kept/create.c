/*
** The functions that make and remove kept filters, which triggers keep up to
** date (sql/kept.md describes them):
**
**  (1)  bloom_create_parts(table, column [, bits_per_key [, keys]]) makes a
**       filter in parts, and returns the name of the view to query. Each lookup
**       probes one part, so bits_per_key is by default 10.
**  (2)  bloom_create_blocks(table, column [, bits_per_key [, rows]]) makes a
**       filter for each block of rows, and returns the name of their view. Each
**       lookup probes all blocks, so bits_per_key is by default 12.
**  (3)  bloom_drop_parts(table, column) and bloom_drop_blocks(table, column)
**       remove what they made, and return the number of objects.
**  (4)  A call rebuilds what is there. A number left out stays what it was.
**  (5)  A call does all of its work or none: see transaction.h.
**  (6)  Which columns can be filtered, {column} in shared.sql says.
*/
#include <string.h>

#include "../families.h"
#include "kept.h"

/* ---- Arguments. */

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
  size_t size = 0;
  while ((unsigned char)(*name)[size] >= ' ' && (*name)[size] != 0x7f) size++;
  return size == (size_t)sqlite3_value_bytes(value) ||
         sql_argument_error(context, arguments[i],
                            "a name without control characters", value, NULL);
}

bool sql_names_argument(sqlite3_context *context, sqlite3_value **argv,
                        const char **names) {
  return name_argument(context, 0, argv[0], &names[0]) &&
         name_argument(context, 1, argv[1], &names[1]);
}

int sql_look_up(sqlite3 *db, const sql_kept_form *form,
                const char *const *names, const char *bits_per_key,
                sqlite3_stmt **row) {
  const sql_kept_values given = {form,
                                 {{"t", names[0]},
                                  {"c", names[1]},
                                  {"given_bits", bits_per_key},
                                  {"bits", "w.bits"}}};
  const int rc = sql_prepare_word(db, &given, "column", row);
  return rc == SQLITE_OK ? sqlite3_step(*row) : rc;
}

/* Makes the error that a row of {column} describes the result. */
static bool wrong_argument(sqlite3_context *context, sqlite3_stmt *row,
                           sqlite3_value **argv) {
  const int i = sqlite3_column_int(row, 0);
  const char *must_be = (const char *)sqlite3_column_text(row, 1);
  const char *more = (const char *)sqlite3_column_text(row, 2);
  if (must_be == NULL || more == NULL) return sql_no_memory(context);
  return sql_argument_error(context, i == 0 ? "table" : "column", must_be,
                            argv[i], more);
}

static bool collation_serves(sqlite3_context *context, sqlite3_value *argument,
                             const sql_kept_values *values) {
  const char *collation = NULL;
  const int rc = sqlite3_table_column_metadata(
      sqlite3_context_db_handle(context), "main", sql_word_text(values, "t"),
      sql_word_text(values, "c"), NULL, &collation, NULL, NULL, NULL);
  if (rc != SQLITE_OK) return sql_failed(context, rc);
  if (sqlite3_stricmp(collation, "BINARY") == 0) return true;
  const char *form = "whose values are equal where those of this one are";
  if (sqlite3_stricmp(collation, "NOCASE") == 0) form = "lower(NAME)";
  if (sqlite3_stricmp(collation, "RTRIM") == 0) form = "rtrim(NAME)";
  char more[200];
  sqlite3_snprintf(
      sizeof(more), more,
      ", whose collation is %.40s: instead, filter a generated column %s",
      collation, form);
  return sql_argument_error(context, "column", "a column of collation BINARY",
                            argument, more);
}

/* Room for an integer of 64 bits as a text. */
#define NUMBER_SIZE 24

/* Reads the second number, whose range may depend on bits_per_key, as text. */
static bool number_argument(sqlite3_context *context, sqlite3_value *value,
                            const sql_kept_values *values, sqlite3_stmt *column,
                            char *number) {
  char note[NUMBER_SIZE + 20];
  sqlite3_int64 integer;
  const int last = sqlite3_column_count(column) - 1;
  sqlite3_snprintf(sizeof(note), note, "at %s bits_per_key",
                   sql_word_text(values, "bits"));
  if (!sql_integer_argument(context, sql_word_text(values, "number_name"),
                            sqlite3_column_int64(column, last - 1),
                            sqlite3_column_int64(column, last),
                            values->form == &sql_kept_parts ? note : NULL,
                            value, &integer)) {
    return false;
  }
  sqlite3_snprintf(NUMBER_SIZE, number, "%lld", integer);
  return true;
}

/* ---- Running SQL that says what to do next. */

static bool run(sqlite3_context *context, sql_transaction *t, const char *sql);

/* Does what a row of a statement says: a text in the column "error" is the
** error, a text in the column "run", which is copied to *next, is SQL that runs
** after the statement, and the column "result" is the result. */
static bool take_row(sqlite3_context *context, sqlite3_stmt *row, char **next) {
  for (int i = 0; i < sqlite3_column_count(row); i++) {
    const char *name = sqlite3_column_name(row, i);
    if (name == NULL) return sql_no_memory(context);
    if (sqlite3_column_type(row, i) == SQLITE_NULL) continue;
    if (strcmp(name, "result") == 0) {
      sqlite3_result_value(context, sqlite3_column_value(row, i));
      continue;
    }
    const char *text = (const char *)sqlite3_column_text(row, i);
    if (text == NULL) return sql_no_memory(context);
    if (strcmp(name, "error") == 0) {
      return sql_error(context, SQLITE_ERROR, "%s", text);
    }
    sqlite3_free(*next);
    *next = sqlite3_mprintf("%s", text);
    if (*next == NULL) return sql_no_memory(context);
  }
  return true;
}

/* Steps through a statement, finalizes it, and runs what it returned. A table
** can only be dropped while no statement reads, including the guard. */
static bool run_statement(sqlite3_context *context, sql_transaction *t,
                          sqlite3_stmt *statement) {
  if (sqlite3_strnicmp(sqlite3_sql(statement), "DROP TABLE", 10) == 0) {
    sqlite3_reset(t->steps[STEP_GUARD]);
  }
  char *next = NULL;
  bool done = true;
  int rc = SQLITE_ROW;
  while (done && (rc = sqlite3_step(statement)) == SQLITE_ROW) {
    done = take_row(context, statement, &next);
  }
  if (done && rc != SQLITE_DONE) done = sql_failed(context, rc);
  sqlite3_finalize(statement);
  if (done && next != NULL) done = run(context, t, next);
  sqlite3_free(next);
  return done;
}

/* Runs statements. On failure it makes an error the result. */
static bool run(sqlite3_context *context, sql_transaction *t, const char *sql) {
  sqlite3 *db = sqlite3_context_db_handle(context);
  while (*sql != '\0') {
    sqlite3_stmt *statement;
    const int rc = sqlite3_prepare_v2(db, sql, -1, &statement, &sql);
    if (rc != SQLITE_OK) return sql_failed(context, rc);
    if (!run_statement(context, t, statement)) return false;
  }
  return true;
}

static bool run_word(sqlite3_context *context, sql_transaction *t,
                     const sql_kept_values *values, const char *word) {
  char *sql;
  const int rc =
      sql_expand(sqlite3_context_db_handle(context), values, word, &sql);
  if (rc != SQLITE_OK) return sql_failed(context, rc);
  const bool done = run(context, t, sql);
  sqlite3_free(sql);
  return done;
}

/* ---- The functions. */

/* Creates the filter of a column, as the arguments say. */
static bool create(sqlite3_context *context, sql_transaction *t, int argc,
                   sqlite3_value **argv) {
  sql_kept_values values = {.form = sql_function_data(context)};
  const char *names[2];
  char bits[NUMBER_SIZE] = "NULL", number[NUMBER_SIZE];
  sqlite3_int64 bits_per_key;
  sqlite3_stmt *column;
  if (!sql_names_argument(context, argv, names)) return false;
  if (argc > 2) {
    if (!sql_bits_per_key_argument(context, argv[2], &bits_per_key)) {
      return false;
    }
    sqlite3_snprintf(NUMBER_SIZE, bits, "%lld", bits_per_key);
  }
  int rc = sql_look_up(sqlite3_context_db_handle(context), values.form, names,
                       bits, &column);
  bool done = false;
  if (rc != SQLITE_ROW) {
    sql_failed(context, rc);
  } else if (sqlite3_column_type(column, 0) != SQLITE_NULL) {
    wrong_argument(context, column, argv);
  } else {
    if (argc > 3) sql_add_word(&values, "number", number);
    rc = sql_add_row(&values, column);
    done = (rc == SQLITE_OK || sql_failed(context, rc)) &&
           collation_serves(context, argv[1], &values) &&
           (argc < 4 ||
            number_argument(context, argv[3], &values, column, number)) &&
           run_word(context, t, &values, "create");
  }
  sqlite3_finalize(column);
  return done;
}

static void create_function(sqlite3_context *context, int argc,
                            sqlite3_value **argv) {
  sql_transaction transaction;
  if (sql_begin(context, &transaction)) {
    sql_end(context, &transaction, create(context, &transaction, argc, argv));
  }
}

static void drop_function(sqlite3_context *context, int argc,
                          sqlite3_value **argv) {
  (void)argc;
  const char *names[2];
  sql_transaction transaction;
  if (!sql_names_argument(context, argv, names)) return;
  const sql_kept_values values = {sql_function_data(context),
                                  {{"t", names[0]}, {"c", names[1]}}};
  if (sql_begin(context, &transaction)) {
    sql_end(context, &transaction,
            run_word(context, &transaction, &values, "drop_all"));
  }
}

#define CHANGES_SCHEMA .nondeterministic = true, .direct_only = true

const sql_function sql_kept_functions[] = {
    {"bloom_create_parts", 2, 4, .scalar = create_function,
     .data = &sql_kept_parts, CHANGES_SCHEMA},
    {"bloom_create_blocks", 2, 4, .scalar = create_function,
     .data = &sql_kept_blocks, CHANGES_SCHEMA},
    {"bloom_drop_parts", 2, 2, .scalar = drop_function, .data = &sql_kept_parts,
     CHANGES_SCHEMA},
    {"bloom_drop_blocks", 2, 2, .scalar = drop_function,
     .data = &sql_kept_blocks, CHANGES_SCHEMA},
    {"bloom_is_kept", 3, 3, .scalar = sql_is_kept_function,
     .nondeterministic = true},
    {"bloom_build_kept", 5, 5, .scalar = sql_build_kept_function,
     .nondeterministic = true},
    {"bloom_check", 0, 2, .scalar = sql_table_function,
     .data = &sql_check_table, CHANGES_SCHEMA},
    {"bloom_check", 0, 0, .module = &sql_table_module, .data = &sql_check_table,
     .direct_only = true},
    {.name = NULL},
};
