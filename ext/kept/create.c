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

/* Reads the second number, whose range may depend on bits_per_key, or takes the
** one of an earlier call, which may be too large for other bits_per_key. */
static bool number_argument(sqlite3_context *context, sql_column *column,
                            sqlite3_value *value) {
  const sql_kept_form *form = column->values.form;
  const char **told = column->values.told;
  char note[50];
  sqlite3_snprintf(sizeof(note), note, "at %s bits_per_key", told[TOLD_BITS]);
  if (value == NULL && column->number > column->most) {
    return sql_error(context, SQLITE_ERROR,
                     "%s must be at most %lld %s, and is %lld since an earlier "
                     "call: give another number",
                     form->number, column->most, note, column->number);
  }
  if (value != NULL &&
      !sql_integer_argument(context, form->number, column->least, column->most,
                            form == &sql_kept_parts ? note : NULL, value,
                            &column->number)) {
    return false;
  }
  sqlite3_free((char *)told[TOLD_NUMBER]);
  told[TOLD_NUMBER] = sqlite3_mprintf("%lld", column->number);
  return told[TOLD_NUMBER] != NULL || sql_no_memory(context);
}

/* ---- Changing the schema. */

/* Removes what was made for a column, and counts the objects. The table goes
** only if it must, or is not what this version makes. It can only be dropped
** while no statement reads. If an authorizer makes a DROP do nothing, the same
** object is found again, which is an error. */
static int remove_made(sqlite3 *db, sql_transaction *t,
                       const sql_kept_values *values, bool with_table,
                       int *count) {
  sqlite3_stmt *made;
  char *sql, *last = NULL;
  *count = 0;
  int rc = sql_prepare_word(db, values, "drop_one", &made);
  if (rc == SQLITE_OK) rc = sqlite3_bind_int(made, 1, with_table);
  while (rc == SQLITE_OK && (rc = sqlite3_step(made)) == SQLITE_ROW) {
    rc = sql_copy_text(made, 0, &sql);
    sqlite3_reset(made);
    if (rc == SQLITE_OK && strncmp(sql, "DROP table", 10) == 0) {
      sqlite3_reset(t->steps[STEP_GUARD]);
    }
    if (rc == SQLITE_OK && last != NULL && strcmp(sql, last) == 0) {
      rc = SQLITE_AUTH;
    }
    if (rc == SQLITE_OK) rc = sqlite3_exec(db, sql, NULL, NULL, NULL);
    sqlite3_free(last);
    last = sql;
    ++*count;
  }
  sqlite3_free(last);
  sqlite3_finalize(made);
  return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* Makes the triggers and views anew, and fills the table. */
static bool make(sqlite3_context *context, sql_transaction *t,
                 const sql_kept_values *values) {
  sqlite3 *db = sqlite3_context_db_handle(context);
  char *taken = NULL, *sql = NULL, *view = NULL;
  int count;
  int rc = sql_may_read(db, "main", values->told[TOLD_TABLE],
                        values->told[TOLD_COLUMN]);
  if (rc == SQLITE_OK) rc = sql_ask(db, values, "taken", &taken);
  if (taken != NULL) return sql_error_text(context, SQLITE_ERROR, taken);
  if (rc == SQLITE_OK) rc = remove_made(db, t, values, false, &count);
  if (rc == SQLITE_OK) sql = sql_expand(db, values, "create", &rc);
  if (rc == SQLITE_OK) rc = sqlite3_exec(db, sql, NULL, NULL, NULL);
  sqlite3_free(sql);
  if (rc == SQLITE_OK) rc = sql_ask(db, values, "filled", &view);
  if (rc != SQLITE_OK) return sql_failed(context, rc);
  if (view == NULL) {
    return sql_error(context, SQLITE_ERROR,
                     "the triggers of this connection are switched off "
                     "(SQLITE_DBCONFIG_ENABLE_TRIGGER), or an authorizer "
                     "hides the schema");
  }
  sqlite3_result_text(context, view, -1, sqlite3_free);
  return true;
}

/* ---- The functions. */

/* Creates the filter of a column, as the arguments say. */
static bool create(sqlite3_context *context, sql_transaction *t, int argc,
                   sqlite3_value **argv) {
  const char *names[2];
  sqlite3_int64 bits_per_key = 0;
  sql_column column;
  sql_fault fault;
  bool done = false;
  if (!sql_names_argument(context, argv, names) ||
      (argc > 2 &&
       !sql_bits_per_key_argument(context, argv[2], &bits_per_key))) {
    return false;
  }
  const int rc =
      sql_look_up(sqlite3_context_db_handle(context),
                  sql_function_data(context), names, bits_per_key, &column);
  if (rc != SQLITE_OK) {
    sql_failed(context, rc);
  } else if (sql_has_fault(&column, names, &fault)) {
    sql_argument_error(context, fault.argument == 0 ? "table" : "column",
                       fault.must_be, argv[fault.argument], fault.more);
  } else {
    done = number_argument(context, &column, argc > 3 ? argv[3] : NULL) &&
           make(context, t, &column.values);
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

/* Drops the filter of a column, or says which filters there are instead. */
static bool drop(sqlite3_context *context, sql_transaction *t,
                 const char *const *names) {
  sqlite3 *db = sqlite3_context_db_handle(context);
  const sql_kept_values values = {
      sql_function_data(context),
      {[TOLD_TABLE] = names[0], [TOLD_COLUMN] = names[1]}};
  char *others = NULL;
  int count;
  int rc = remove_made(db, t, &values, true, &count);
  if (rc == SQLITE_OK && count == 0)
    rc = sql_ask(db, &values, "others", &others);
  if (others != NULL) return sql_error_text(context, SQLITE_ERROR, others);
  if (rc != SQLITE_OK) return sql_failed(context, rc);
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
