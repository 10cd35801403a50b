/*
** The functions that make and remove kept filters, which triggers keep up to
** date (sql/kept.md describes them):
**
**  (1)  bloom_create_parts(table, column [, bits_per_key [, keys]]) makes a
**       filter in parts, and returns the name of the view to query.
**  (2)  bloom_create_blocks(table, column [, bits_per_key [, rows]]) makes a
**       filter for each block of rows, and returns the name of their view.
**  (3)  bloom_drop_parts(table, column) and bloom_drop_blocks(table, column)
**       remove what they made, and return the number of objects.
**  (4)  A call rebuilds what is there. A number left out stays what it was, or
**       at first is what parts.sql and blocks.sql say.
**  (5)  A call does all of its work or none: see transaction.h.
**  (6)  Which columns can be filtered, column.c says.
*/
#include <string.h>

#include "../families.h"
#include "../size.h"
#include "column.h"
#include "kept.h"
#include "transaction.h"

/* ---- Arguments. */

/* Whether a column can have a filter. */
static bool fits(sqlite3_context *context, const sql_column *column,
                 const char *const *names, sqlite3_value **argv) {
  sql_fault fault;
  return !sql_has_fault(column, names, &fault) ||
         sql_argument_error(context, fault.argument == 0 ? "table" : "column",
                            fault.must_be, argv[fault.argument], fault.more);
}

/* Room for an integer of 64 bits as a text. */
#define NUMBER_SIZE 24

/* Reads the second number, whose range may depend on bits_per_key, or takes the
** one of an earlier call, which may be too large for other bits_per_key. */
static bool number_argument(sqlite3_context *context, const sql_column *column,
                            sqlite3_value *value, char *number) {
  const sql_kept_form *form = column->values.form;
  char note[NUMBER_SIZE + 20];
  sqlite3_int64 integer = column->number;
  sqlite3_snprintf(sizeof(note), note, "at %s bits_per_key",
                   column->values.told[TOLD_BITS]);
  if (value == NULL && integer > column->most) {
    return sql_error(context, SQLITE_ERROR,
                     "%s must be at most %lld %s, and is %lld since an earlier "
                     "call: give another number",
                     form->number, column->most, note, integer);
  }
  if (value != NULL &&
      !sql_integer_argument(context, form->number, column->least, column->most,
                            form == &sql_kept_parts ? note : NULL, value,
                            &integer)) {
    return false;
  }
  sqlite3_snprintf(NUMBER_SIZE, number, "%lld", integer);
  return true;
}

/* ---- Changing the schema. */

/* Removes what was made for a column, with the table or without it, and counts
** the objects. A table can only be dropped while no statement reads. */
static bool remove_made(sqlite3_context *context, sql_transaction *t,
                        const sql_kept_values *values, bool with_table,
                        int *count) {
  sqlite3 *db = sqlite3_context_db_handle(context);
  sqlite3_stmt *made;
  *count = 0;
  int rc = sql_prepare_word(db, values, "ours", &made);
  if (rc == SQLITE_OK) rc = sqlite3_bind_int(made, 1, with_table);
  while (rc == SQLITE_OK && (rc = sqlite3_step(made)) == SQLITE_ROW) {
    const char *type = (const char *)sqlite3_column_text(made, 0);
    const char *name = (const char *)sqlite3_column_text(made, 1);
    char *sql = type == NULL || name == NULL
                    ? NULL
                    : sqlite3_mprintf("DROP %s main.\"%w\"", type, name);
    sqlite3_reset(made);
    if (sql != NULL && strncmp(sql, "DROP table", 10) == 0) {
      sqlite3_reset(t->steps[STEP_GUARD]);
    }
    rc = sql == NULL ? SQLITE_NOMEM : sqlite3_exec(db, sql, NULL, NULL, NULL);
    sqlite3_free(sql);
    ++*count;
  }
  sqlite3_finalize(made);
  return rc == SQLITE_DONE || sql_failed(context, rc);
}

/* Whether the SQL of a word returns a row. If it fails, *rc is not
** SQLITE_OK. */
static bool has_row(sqlite3 *db, const sql_kept_values *values,
                    const char *word, int *rc) {
  sqlite3_stmt *row;
  *rc = sql_prepare_word(db, values, word, &row);
  const bool found = *rc == SQLITE_OK && sqlite3_step(row) == SQLITE_ROW;
  if (*rc == SQLITE_OK) *rc = sqlite3_finalize(row);
  return found;
}

/* Makes the triggers and views anew, and fills the table. A table that has not
** the columns of this version is made anew, too. */
static bool make(sqlite3_context *context, sql_transaction *t,
                 const sql_kept_values *values) {
  sqlite3 *db = sqlite3_context_db_handle(context);
  char *taken;
  int count;
  int rc = sql_may_read(db, "main", values->told[TOLD_TABLE],
                        values->told[TOLD_COLUMN]);
  if (rc != SQLITE_OK) return sql_failed(context, rc);
  rc = sql_find_taken(db, values, &taken);
  if (taken != NULL) return sql_error_text(context, SQLITE_ERROR, taken);
  if (rc != SQLITE_OK) return sql_failed(context, rc);
  has_row(db, values, "columns", &rc);
  const bool is_other = sql_is_wrong(db, rc);
  if (rc != SQLITE_OK && !is_other) return sql_failed(context, rc);
  if (!remove_made(context, t, values, is_other, &count)) return false;
  rc = SQLITE_OK;
  char *sql = sql_expand(db, values, "create", &rc);
  if (rc == SQLITE_OK) rc = sqlite3_exec(db, sql, NULL, NULL, NULL);
  sqlite3_free(sql);
  if (rc == SQLITE_OK && !has_row(db, values, "filled", &rc) &&
      rc == SQLITE_OK) {
    return sql_error(context, SQLITE_ERROR,
                     "the triggers of this connection are switched off "
                     "(SQLITE_DBCONFIG_ENABLE_TRIGGER), or an authorizer "
                     "hides the schema");
  }
  char *view = sqlite3_mprintf("%s_%s_%s", values->told[TOLD_TABLE],
                               values->told[TOLD_COLUMN], values->form->view);
  if (rc == SQLITE_OK && view == NULL) rc = SQLITE_NOMEM;
  if (rc == SQLITE_OK) {
    sqlite3_result_text(context, view, -1, sqlite3_free);
    return true;
  }
  sqlite3_free(view);
  return sql_failed(context, rc);
}

/* ---- The functions. */

/* Creates the filter of a column, as the arguments say. */
static bool create(sqlite3_context *context, sql_transaction *t, int argc,
                   sqlite3_value **argv) {
  const char *names[2];
  char bits[NUMBER_SIZE] = "NULL", number[NUMBER_SIZE];
  sqlite3_int64 bits_per_key = 0;
  sql_column column;
  if (!sql_names_argument(context, argv, names)) return false;
  if (argc > 2) {
    if (!sql_bits_per_key_argument(context, argv[2], &bits_per_key)) {
      return false;
    }
    sqlite3_snprintf(NUMBER_SIZE, bits, "%lld", bits_per_key);
  }
  const int rc = sql_look_up(sqlite3_context_db_handle(context),
                             sql_function_data(context), names, bits, &column);
  bool done =
      (rc == SQLITE_OK || sql_failed(context, rc)) &&
      fits(context, &column, names, argv) &&
      number_argument(context, &column, argc > 3 ? argv[3] : NULL, number);
  if (done) {
    sql_kept_values values = column.values;
    values.told[TOLD_NUMBER] = number;
    done = make(context, t, &values);
  }
  sql_forget_column(&column);
  return done;
}

static void create_function(sqlite3_context *context, int argc,
                            sqlite3_value **argv) {
  sql_transaction transaction;
  if (sql_begin(context, &transaction)) {
    sql_end(context, &transaction, create(context, &transaction, argc, argv));
  }
}

/* Says that nothing was made for a column, and which filters there are. */
static bool nothing_made(sqlite3_context *context,
                         const sql_kept_values *values) {
  sqlite3 *db = sqlite3_context_db_handle(context);
  sqlite3_stmt *others;
  int rc = sql_prepare_word(db, values, "others", &others);
  if (rc == SQLITE_OK) rc = sqlite3_step(others);
  if (rc == SQLITE_ROW) {
    rc = SQLITE_OK;
    char *call = sql_expand(db, values, "create_call", &rc);
    const unsigned char *more = sqlite3_column_text(others, 0);
    if (more == NULL) rc = SQLITE_NOMEM;
    if (rc == SQLITE_OK) {
      sql_error(context, SQLITE_ERROR, "%s made nothing here%s", call, more);
    }
    sqlite3_free(call);
  }
  sqlite3_finalize(others);
  return rc == SQLITE_OK ? false : sql_failed(context, rc);
}

static bool drop(sqlite3_context *context, sql_transaction *t,
                 const char *const *names) {
  const sql_kept_values values = {
      sql_function_data(context),
      {[TOLD_TABLE] = names[0], [TOLD_COLUMN] = names[1]}};
  int count;
  if (!remove_made(context, t, &values, true, &count)) return false;
  if (count == 0) return nothing_made(context, &values);
  sqlite3_result_int(context, count);
  return true;
}

static void drop_function(sqlite3_context *context, int argc,
                          sqlite3_value **argv) {
  (void)argc;
  const char *names[2];
  sql_transaction transaction;
  if (sql_names_argument(context, argv, names) &&
      sql_begin(context, &transaction)) {
    sql_end(context, &transaction, drop(context, &transaction, names));
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
