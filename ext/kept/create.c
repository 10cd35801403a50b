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
**  (7)  bloom_parts_sql(table, column [, bits_per_key [, keys]]) and
**       bloom_blocks_sql(table, column [, bits_per_key [, rows]]) return the
**       call of (1) or (2) as a script.
**  (8)  bloom_temp_triggers() is the number of triggers in the connection's
**       temp schema. The triggers that version 1.3 made call it.
*/
#include <string.h>

#include "../families.h"
#include "schema.h"
#include "script.h"

/* ---- Arguments. */

/* The form of filter that the running function is for. */
static const sql_kept_form *form_of(sqlite3_context *context) {
  return strstr(sql_function_name(context), "parts") != NULL ? &sql_kept_parts
                                                             : &sql_kept_blocks;
}

static bool number_argument(sqlite3_context *context, sql_kept_values *values,
                            sqlite3_value *value) {
  const sql_kept_form *form = values->form;
  return sql_integer_argument(context, form->number_name, form->least_number,
                              form->most_number, NULL, value, &values->number);
}

/* Reads the arguments of requirements 1, 2 and 4. In either case the caller
** calls sql_free_values. */
static bool read_arguments(sqlite3_context *context, int argc,
                           sqlite3_value **argv, sql_kept_values *values) {
  return sql_find_column(context, argv, values) &&
         (argc < 3 ||
          sql_bits_per_key_argument(context, argv[2], &values->bits_per_key)) &&
         (argc < 4 || number_argument(context, values, argv[3]));
}

/* ---- The functions. */

/* Expands the text of a word and runs it. */
static bool run_word(sqlite3_context *context, sql_transaction *transaction,
                     const sql_kept_values *values, const char *word,
                     sqlite3_int64 *objects) {
  char *sql = sql_expand(context, values, word);
  const bool done = sql != NULL && sql_run(context, transaction, sql, objects);
  sqlite3_free(sql);
  return done;
}

static void create_function(sqlite3_context *context, int argc,
                            sqlite3_value **argv) {
  const sql_kept_form *form = form_of(context);
  sql_kept_values values = {.form = form};
  sqlite3_int64 objects;
  sql_transaction transaction;
  if (sql_begin(context, &transaction)) {
    const bool done =
        read_arguments(context, argc, argv, &values) &&
        run_word(context, &transaction, &values, "create", &objects);
    char *result = done ? sqlite3_mprintf("%s_%s_%s", values.table,
                                          values.column, form->result)
                        : NULL;
    if (done && result == NULL) sqlite3_result_error_nomem(context);
    if (sql_end(context, &transaction, result != NULL)) {
      sqlite3_result_text(context, result, -1, sqlite3_free);
    } else {
      sqlite3_free(result);
    }
  }
  sql_free_values(&values);
}

static void drop_function(sqlite3_context *context, int argc,
                          sqlite3_value **argv) {
  (void)argc;
  const char *table, *name;
  if (!sql_name_argument(context, "table", "the name of a table", argv[0],
                         &table) ||
      !sql_name_argument(context, "column", "the name of a column", argv[1],
                         &name)) {
    return;
  }
  const sql_kept_values values = {
      .form = form_of(context), .table = (char *)table, .column = (char *)name};
  sqlite3_int64 objects = 0;
  sql_transaction transaction;
  if (!sql_begin(context, &transaction)) return;
  const bool done =
      run_word(context, &transaction, &values, "drop_all", &objects);
  if (sql_end(context, &transaction, done))
    sqlite3_result_int64(context, objects);
}

/* Requirement 7. */
static void script_function(sqlite3_context *context, int argc,
                            sqlite3_value **argv) {
  const sql_kept_form *form = form_of(context);
  sql_kept_values values = {.form = form};
  if (read_arguments(context, argc, argv, &values)) {
    const char *format = argc == 2   ? "SELECT %s(%Q, %Q);\n"
                         : argc == 3 ? "SELECT %s(%Q, %Q, %lld);\n"
                                     : "SELECT %s(%Q, %Q, %lld, %lld);\n";
    char *sql =
        sqlite3_mprintf(format, form->create_name, values.table, values.column,
                        values.bits_per_key, values.number);
    if (sql == NULL) {
      sqlite3_result_error_nomem(context);
    } else {
      sqlite3_result_text(context, sql, -1, sqlite3_free);
    }
  }
  sql_free_values(&values);
}

static void temp_triggers_function(sqlite3_context *context, int argc,
                                   sqlite3_value **argv) {
  (void)argc, (void)argv;
  sqlite3_stmt *row = NULL;
  const int rc = sqlite3_prepare_v2(
      sqlite3_context_db_handle(context),
      "SELECT count(*) FROM sqlite_temp_master WHERE type = 'trigger'", -1,
      &row, NULL);
  if (rc == SQLITE_OK && sqlite3_step(row) == SQLITE_ROW) {
    sqlite3_result_int64(context, sqlite3_column_int64(row, 0));
  } else {
    sql_connection_error(context);
  }
  sqlite3_finalize(row);
}

#define CHANGES_SCHEMA .nondeterministic = true, .direct_only = true

const sql_function sql_kept_functions[] = {
    {"bloom_create_parts", 2, 4, .scalar = create_function, CHANGES_SCHEMA},
    {"bloom_create_blocks", 2, 4, .scalar = create_function, CHANGES_SCHEMA},
    {"bloom_drop_parts", 2, 2, .scalar = drop_function, CHANGES_SCHEMA},
    {"bloom_drop_blocks", 2, 2, .scalar = drop_function, CHANGES_SCHEMA},
    {"bloom_parts_sql", 2, 4, .scalar = script_function, CHANGES_SCHEMA},
    {"bloom_blocks_sql", 2, 4, .scalar = script_function, CHANGES_SCHEMA},
    {"bloom_temp_triggers", 0, 0, .scalar = temp_triggers_function,
     .nondeterministic = true},
    {.name = NULL},
};
