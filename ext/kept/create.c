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
**  (7)  bloom_is_kept(form, table, column) is what the views ask: see guard.c.
**  (8)  bloom_build_kept(table, column, parts, bits_per_key, capacity) is what
**       parts that grow ask: see growth.c.
**  (9)  bloom_check([table [, column]]) is a table: see check.c.
*/
#include <stdlib.h>

#include "../families.h"
#include "check.h"
#include "guard.h"
#include "schema.h"
#include "script.h"

/* ---- Arguments. */

/* Whether the number of a call is in its range, which may depend on its
** bits_per_key. value is what was given. */
static bool number_serves(sqlite3_context *context, sql_kept_values *values,
                          sqlite3_value *value) {
  const sql_kept_form *form = values->form;
  char note[40];
  sqlite3_snprintf(sizeof(note), note, "at %lld bits_per_key",
                   values->bits_per_key);
  return sql_integer_argument(
      context, sql_form_text(form, "number_name"),
      strtoll(sql_form_text(form, "least_number"), NULL, 10),
      sql_most_number(form, values->bits_per_key),
      form == &sql_kept_parts ? note : NULL, value, &values->number);
}

/* The number of an earlier call may be too large for other bits_per_key. */
static bool earlier_number_serves(sqlite3_context *context,
                                  const sql_kept_values *values) {
  const sqlite3_int64 most =
      sql_most_number(values->form, values->bits_per_key);
  if (values->number <= most) return true;
  return sql_error(context, SQLITE_ERROR,
                   "%s must be at most %lld at %lld bits_per_key, and is %lld "
                   "since an earlier call: give another number",
                   sql_form_text(values->form, "number_name"), most,
                   values->bits_per_key, values->number);
}

/* Reads the arguments of requirements 1, 2 and 4. In either case the caller
** calls sql_free_values. */
static bool read_arguments(sqlite3_context *context, int argc,
                           sqlite3_value **argv, sql_kept_values *values) {
  return sql_find_column(context, argv, values) &&
         (argc < 3 ||
          sql_bits_per_key_argument(context, argv[2], &values->bits_per_key)) &&
         (argc < 4 ? earlier_number_serves(context, values)
                   : number_serves(context, values, argv[3]));
}

/* ---- The functions. */

/* Expands the text of a word and runs it. */
static bool run_word(sqlite3_context *context, sql_transaction *transaction,
                     const sql_kept_values *values, const char *word,
                     sqlite3_int64 *objects) {
  char *sql;
  const int rc =
      sql_expand(sqlite3_context_db_handle(context), values, word, &sql);
  if (rc != SQLITE_OK) return sql_failed(context, rc);
  const bool done = sql_run(context, transaction, sql, objects);
  sqlite3_free(sql);
  return done;
}

static void create_function(sqlite3_context *context, int argc,
                            sqlite3_value **argv) {
  const sql_kept_form *form = sql_function_data(context);
  sql_kept_values values = {.form = form};
  sqlite3_int64 objects;
  sql_transaction transaction;
  if (sql_begin(context, &transaction)) {
    const bool done =
        read_arguments(context, argc, argv, &values) &&
        run_word(context, &transaction, &values, "create", &objects);
    char *view = done ? sqlite3_mprintf("%s_%s_%s", values.table, values.column,
                                        sql_form_text(form, "view"))
                      : NULL;
    if (done && view == NULL) sqlite3_result_error_nomem(context);
    if (sql_end(context, &transaction, view != NULL)) {
      sqlite3_result_text(context, view, -1, sqlite3_free);
    } else {
      sqlite3_free(view);
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
  const sql_kept_values values = {.form = sql_function_data(context),
                                  .table = (char *)table,
                                  .column = (char *)name};
  sqlite3_int64 objects = 0;
  sql_transaction transaction;
  if (!sql_begin(context, &transaction)) return;
  const bool done =
      run_word(context, &transaction, &values, "drop_all", &objects);
  if (sql_end(context, &transaction, done))
    sqlite3_result_int64(context, objects);
}

/* Requirement 9 for a caller who takes the table for a scalar function. */
static void check_function(sqlite3_context *context, int argc,
                           sqlite3_value **argv) {
  (void)argc, (void)argv;
  sql_error(context, SQLITE_ERROR,
            "it is a table: SELECT * FROM bloom_check('t', 'c')");
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
    {"bloom_check", 0, 2, .scalar = check_function, CHANGES_SCHEMA},
    {"bloom_check", 0, 0, .module = &sql_check_module},
    {.name = NULL},
};
