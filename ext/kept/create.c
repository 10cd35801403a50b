/*
** The functions that make and remove kept filters, which triggers keep up to
** date:
**
**  (1)  bloom_create_parts(table, column [, bits_per_key [, keys]]) makes and
**       fills a filter in parts of a column, and the triggers that keep it. It
**       has room for at least `keys` keys. The result is the name of the view
**       to query. bits_per_key is an integer 1..100, by default 10, because a
**       lookup probes a single part.
**  (2)  bloom_create_blocks(table, column [, bits_per_key [, rows]]) does the
**       same with a filter for each block of rows. bits_per_key is by default
**       12, because a lookup probes all blocks. rows is an integer 1..2^40, by
**       default 4096. The table must have an INTEGER PRIMARY KEY, because
**       without one VACUUM and a dump renumber its rows.
**  (3)  bloom_drop_parts(table, column) and bloom_drop_blocks(table, column)
**       remove what (1) and (2) made, and return the number of objects removed.
**       The names are those under which the filter was made.
**  (4)  Called again, (1) and (2) rebuild the filter. A number that is not
**       given stays what it was.
**  (5)  A call does all of its work or none. If there is no transaction, the
**       call is one of its own; otherwise it is a savepoint. It waits for other
**       writers as busy_timeout says, unless the caller's transaction has read
**       already. After an error for which SQLite itself rolls a transaction
**       back, such as an interrupt, the caller's transaction has ended, too.
**  (6)  It is an error if another statement of the connection is running,
**       because undoing the call would end that statement, or if the calling
**       statement writes.
**  (7)  It is an error if the table is not an ordinary one of main, if the
**       column's collation is not BINARY, if a name has a control character, or
**       if a name that the filter needs belongs to an object that was not made
**       for this column.
**  (8)  bloom_parts_sql(table, column [, bits_per_key [, keys]]) and
**       bloom_blocks_sql(table, column [, bits_per_key [, rows]]) return the
**       call of (1) or (2) as a script of one statement.
**  (9)  bloom_temp_triggers() is the number of triggers in the connection's
**       temp schema. The triggers of (1) and (2) call it.
*/
#include <string.h>

#include "../families.h"
#include "template.h"

/* ---- Transactions: requirements 5 and 6. */

/* Whether the calling statement is the only one that runs, and only reads. */
static bool may_change(sqlite3_context *context) {
  sqlite3 *db = sqlite3_context_db_handle(context);
  int running = 0;
  bool writes = false;
  for (sqlite3_stmt *s = sqlite3_next_stmt(db, NULL); s != NULL;
       s = sqlite3_next_stmt(db, s)) {
    if (!sqlite3_stmt_busy(s)) continue;
    running++;
    writes |= !sqlite3_stmt_readonly(s);
  }
  if (running > 1) {
    return sql_error(
        context, SQLITE_BUSY,
        "another statement of this connection is running: read "
        "its rows to the end, or close its cursor, and call again");
  }
  if (writes) {
    return sql_error(
        context, SQLITE_ERROR,
        "the calling statement writes: call it in a SELECT of its own");
  }
  return true;
}

/* What begins and ends a change. All of it is prepared before the change
** begins, so that it does not run out of memory. */
typedef struct change {
  sqlite3_stmt *begin;
  sqlite3_stmt *keep;
  sqlite3_stmt *undo; /* NULL if the change is a transaction of its own */
  sqlite3_stmt *rollback;
  /* Two statements that take the lock to write, but change nothing, except that
  ** they may release one free page. One statement cannot serve twice, since
  ** SQLite prepares a PRAGMA anew when it is run again. */
  sqlite3_stmt *lock, *force;
  /* A statement that reads and stays in the middle of its run. Once a function
  ** has run out of memory, SQLite before 3.38 runs no other statement, not even
  ** ROLLBACK, until the calling statement has ended. But if a statement that
  ** reads ends then, SQLite rolls the transaction back. Only DROP TABLE runs
  ** without this guard. */
  sqlite3_stmt *guard;
  sqlite3_int64 last_rowid;
} change;

static void free_change(change *c) {
  sqlite3_finalize(c->begin);
  sqlite3_finalize(c->keep);
  sqlite3_finalize(c->undo);
  sqlite3_finalize(c->rollback);
  sqlite3_finalize(c->lock);
  sqlite3_finalize(c->force);
  sqlite3_finalize(c->guard);
}

static int run_prepared(sqlite3_stmt *statement) {
  sqlite3_step(statement);
  return sqlite3_reset(statement);
}

/*
** Undoes a change back to its savepoint, and removes the savepoint. Returns
** whether it is gone. RELEASE is prepared first, and nothing is undone if that
** fails, because an authorizer refuses it or because memory has run out: after
** ROLLBACK TO, SQLite would prepare it again in any case.
*/
static bool undo_savepoint(sqlite3 *db, change *c) {
  sqlite3_stmt *release = NULL;
  int rc = sqlite3_prepare_v2(db, "RELEASE bloom", -1, &release, NULL);
  if (rc == SQLITE_OK) rc = run_prepared(c->undo);
  if (rc == SQLITE_OK) rc = run_prepared(release);
  sqlite3_finalize(release);
  return rc == SQLITE_OK;
}

/*
** Undoes a change after an error with this code, unless SQLite has rolled the
** transaction back itself. After an interrupt, the savepoint may or may not
** exist, and ROLLBACK may be interrupted as well while the calling statement
** runs. But SQLite rolls the transaction back if a statement that writes begins
** while the connection is interrupted.
*/
static void undo_change(sqlite3 *db, change *c, int code) {
  if (sqlite3_get_autocommit(db)) return;
  if (c->undo != NULL && code != SQLITE_INTERRUPT && undo_savepoint(db, c)) {
    return;
  }
  sqlite3_reset(c->guard);
  if (!sqlite3_get_autocommit(db)) run_prepared(c->rollback);
  if (sqlite3_get_autocommit(db)) return;
  sqlite3_interrupt(db);
  run_prepared(c->force);
}

static int prepare_change(sqlite3 *db, change *c) {
  const bool outermost = sqlite3_get_autocommit(db);
  *c = (change){.last_rowid = sqlite3_last_insert_rowid(db)};
  const struct {
    const char *sql;
    sqlite3_stmt **statement;
  } statements[] = {
      {outermost ? "BEGIN" : "SAVEPOINT bloom", &c->begin},
      {outermost ? "COMMIT" : "RELEASE bloom", &c->keep},
      {outermost ? "" : "ROLLBACK TO bloom", &c->undo},
      {"ROLLBACK", &c->rollback},
      {"PRAGMA main.incremental_vacuum(1)", &c->lock},
      {"PRAGMA main.incremental_vacuum(1)", &c->force},
      {"SELECT count(*) FROM sqlite_temp_master", &c->guard},
  };
  int rc = SQLITE_OK;
  for (size_t i = 0;
       rc == SQLITE_OK && i < sizeof(statements) / sizeof(*statements); i++) {
    rc = sqlite3_prepare_v2(db, statements[i].sql, -1, statements[i].statement,
                            NULL);
  }
  return rc;
}

/*
** Prepares and begins a change, and takes the lock to write main before
** anything is read. Only then does busy_timeout apply: a transaction that has
** read before gets SQLITE_BUSY at once. On failure it makes an error the result
** and returns false; there is nothing to free then.
*/
static bool begin_change(sqlite3_context *context, change *c) {
  sqlite3 *db = sqlite3_context_db_handle(context);
  int rc = prepare_change(db, c);
  const bool prepared = rc == SQLITE_OK;
  if (rc == SQLITE_OK) rc = run_prepared(c->begin);
  if (rc == SQLITE_OK) rc = run_prepared(c->lock);
  if (rc == SQLITE_OK) rc = sqlite3_step(c->guard);
  if (rc == SQLITE_ROW) return true;
  sql_schema_error(context);
  if (prepared) undo_change(db, c, rc);
  free_change(c);
  return false;
}

/* Ends a change, which is kept or undone. On failure it makes an error the
** result and returns false. */
static bool end_change(sqlite3_context *context, change *c, bool keep) {
  sqlite3 *db = sqlite3_context_db_handle(context);
  int rc = SQLITE_ERROR;
  if (keep) {
    sqlite3_reset(c->guard);
    rc = run_prepared(c->keep);
    if (rc != SQLITE_OK) sql_schema_error(context);
  }
  if (rc != SQLITE_OK) undo_change(db, c, rc);
  free_change(c);
  sqlite3_set_last_insert_rowid(db, c->last_rowid);
  return rc == SQLITE_OK;
}

/* ---- SQL. */

/* Makes the connection's error the result. SQLITE_LOCKED means that the calling
** statement itself is in the way. */
static bool sql_failed(sqlite3_context *context) {
  sqlite3 *db = sqlite3_context_db_handle(context);
  if (sqlite3_errcode(db) == SQLITE_LOCKED) {
    return sql_error(context, SQLITE_LOCKED,
                     "%s: call it in a SELECT without FROM and not in a "
                     "subquery",
                     sqlite3_errmsg(db));
  }
  sql_schema_error(context);
  return false;
}

static bool run(sqlite3_context *context, change *c, const char *sql,
                sqlite3_int64 *objects);

/*
** Reads a row of a statement. A text in the column "error" becomes the error. A
** text in the column "run" is copied to *next, which the caller frees. The
** number in the column "objects" goes to *objects.
*/
static bool take_row(sqlite3_context *context, sqlite3_stmt *row, char **next,
                     sqlite3_int64 *objects) {
  for (int i = 0; i < sqlite3_column_count(row); i++) {
    const char *name = sqlite3_column_name(row, i);
    if (name == NULL) return sql_error_message(context, SQLITE_NOMEM, NULL);
    if (sqlite3_column_type(row, i) == SQLITE_NULL) continue;
    const char *text = (const char *)sqlite3_column_text(row, i);
    if (text == NULL) return sql_error_message(context, SQLITE_NOMEM, NULL);
    if (strcmp(name, "error") == 0) {
      return sql_error(context, SQLITE_ERROR, "%s", text);
    }
    if (strcmp(name, "run") == 0) {
      sqlite3_free(*next);
      *next = sqlite3_mprintf("%s", text);
      if (*next == NULL) return sql_error_message(context, SQLITE_NOMEM, NULL);
    } else {
      *objects = sqlite3_column_int64(row, i);
    }
  }
  return true;
}

/* Steps through a statement, finalizes it, and runs the SQL that it returned. A
** table can only be dropped while no statement reads, including the guard. */
static bool run_statement(sqlite3_context *context, change *c,
                          sqlite3_stmt *statement, sqlite3_int64 *objects) {
  if (sqlite3_strnicmp(sqlite3_sql(statement), "DROP TABLE", 10) == 0) {
    sqlite3_reset(c->guard);
  }
  char *next = NULL;
  bool done = true;
  int rc = SQLITE_ROW;
  while (done && (rc = sqlite3_step(statement)) == SQLITE_ROW) {
    done = take_row(context, statement, &next, objects);
  }
  if (done && rc != SQLITE_DONE) done = sql_failed(context);
  sqlite3_finalize(statement);
  if (done && next != NULL) done = run(context, c, next, objects);
  sqlite3_free(next);
  return done;
}

/* Runs SQL, with nothing after its last statement, and the SQL that its
** statements return. On failure it makes an error the result and returns
** false. */
static bool run(sqlite3_context *context, change *c, const char *sql,
                sqlite3_int64 *objects) {
  sqlite3 *db = sqlite3_context_db_handle(context);
  while (*sql != '\0') {
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(db, sql, -1, &statement, &sql) != SQLITE_OK) {
      return sql_failed(context);
    }
    if (!run_statement(context, c, statement, objects)) return false;
  }
  return true;
}

/* Expands the text of a word and runs it. */
static bool run_word(sqlite3_context *context, change *c,
                     const sql_kept_values *values, const char *word,
                     sqlite3_int64 *objects) {
  char *sql = sql_expand(context, values, word);
  const bool done = sql != NULL && run(context, c, sql, objects);
  sqlite3_free(sql);
  return done;
}

/* ---- Arguments. */

static bool number_argument(sqlite3_context *context, const sql_kept_form *form,
                            sqlite3_value *value, sqlite3_int64 *number) {
  return sql_integer_argument(context, form->number_name, form->least_number,
                              form->most_number, NULL, value, number);
}

/* Requirement 2. */
static bool has_ids(sqlite3_context *context, const sql_column *column,
                    sqlite3_value **argv) {
  if (column->id == NULL) {
    return sql_argument_error(
        context, "table",
        "a table with an INTEGER PRIMARY KEY that is its rowid (without one, "
        "VACUUM and a dump renumber its rows)",
        argv[0], NULL);
  }
  if (column->is_id) {
    return sql_argument_error(
        context, "column",
        "a column other than the INTEGER PRIMARY KEY, which defines "
        "the blocks",
        argv[1], NULL);
  }
  return true;
}

/* Reads the numbers with which the filter was made last, if there is one:
** requirement 4. They are in a view that anybody may have written, so numbers
** that no call accepts are ignored. */
static bool read_last_numbers(sqlite3_context *context,
                              sql_kept_values *values) {
  sqlite3_stmt *row = NULL;
  char *sql = sql_expand(context, values, "numbers");
  if (sql == NULL) return false;
  int rc = sqlite3_prepare_v2(sqlite3_context_db_handle(context), sql, -1, &row,
                              NULL);
  if (rc == SQLITE_OK) rc = sqlite3_step(row);
  if (rc == SQLITE_ROW) {
    const sqlite3_int64 bits_per_key = sqlite3_column_int64(row, 0);
    const sqlite3_int64 number = sqlite3_column_int64(row, 1);
    if (bits_per_key >= 1 && bits_per_key <= MAX_BITS_PER_KEY &&
        number >= values->form->least_number &&
        number <= values->form->most_number) {
      values->bits_per_key = bits_per_key;
      values->number = number;
    }
  } else if (rc != SQLITE_DONE) {
    sql_schema_error(context);
  }
  sqlite3_finalize(row);
  sqlite3_free(sql);
  return rc == SQLITE_ROW || rc == SQLITE_DONE;
}

/* Reads the arguments of requirements 1 and 2. In either case the caller calls
** sql_free_column. */
static bool read_arguments(sqlite3_context *context, int argc,
                           sqlite3_value **argv, sql_column *column,
                           sql_kept_values *values) {
  const sql_kept_form *form = values->form;
  return sql_find_column(context, argv[0], argv[1], column) &&
         (!form->of_ids || has_ids(context, column, argv)) &&
         read_last_numbers(context, values) &&
         (argc < 3 ||
          sql_bits_per_key_argument(context, argv[2], &values->bits_per_key)) &&
         (argc < 4 || number_argument(context, form, argv[3], &values->number));
}

/* ---- The functions. */

static void create_function(sqlite3_context *context, const sql_kept_form *form,
                            int argc, sqlite3_value **argv) {
  sql_column column = {.table = NULL};
  sql_kept_values values = {form, &column, form->default_bits,
                            form->default_number};
  sqlite3_int64 objects;
  change c;
  if (may_change(context) && begin_change(context, &c)) {
    const bool done = read_arguments(context, argc, argv, &column, &values) &&
                      run_word(context, &c, &values, "create", &objects);
    char *result = done ? sqlite3_mprintf("%s_%s_%s", column.table, column.name,
                                          form->result)
                        : NULL;
    if (done && result == NULL) sqlite3_result_error_nomem(context);
    if (end_change(context, &c, result != NULL)) {
      sqlite3_result_text(context, result, -1, sqlite3_free);
    } else {
      sqlite3_free(result);
    }
  }
  sql_free_column(&column);
}

static void create_parts_function(sqlite3_context *context, int argc,
                                  sqlite3_value **argv) {
  create_function(context, &sql_kept_parts, argc, argv);
}

static void create_blocks_function(sqlite3_context *context, int argc,
                                   sqlite3_value **argv) {
  create_function(context, &sql_kept_blocks, argc, argv);
}

static void drop_function(sqlite3_context *context, const sql_kept_form *form,
                          sqlite3_value **argv) {
  const char *table, *name;
  if (!sql_name_argument(context, "table", "the name of a table", argv[0],
                         &table) ||
      !sql_name_argument(context, "column", "the name of a column", argv[1],
                         &name)) {
    return;
  }
  sql_column column = {.table = (char *)table, .name = (char *)name};
  const sql_kept_values values = {.form = form, .column = &column};
  sqlite3_int64 objects = 0;
  change c;
  if (!may_change(context) || !begin_change(context, &c)) return;
  const bool done = run_word(context, &c, &values, "drop_all", &objects);
  if (end_change(context, &c, done)) sqlite3_result_int64(context, objects);
}

static void drop_parts_function(sqlite3_context *context, int argc,
                                sqlite3_value **argv) {
  (void)argc;
  drop_function(context, &sql_kept_parts, argv);
}

static void drop_blocks_function(sqlite3_context *context, int argc,
                                 sqlite3_value **argv) {
  (void)argc;
  drop_function(context, &sql_kept_blocks, argv);
}

/* Requirement 8. */
static void script_function(sqlite3_context *context, const sql_kept_form *form,
                            int argc, sqlite3_value **argv) {
  sql_column column = {.table = NULL};
  sql_kept_values values = {form, &column, form->default_bits,
                            form->default_number};
  if (read_arguments(context, argc, argv, &column, &values)) {
    const char *format = argc == 2   ? "SELECT %s(%Q, %Q);\n"
                         : argc == 3 ? "SELECT %s(%Q, %Q, %lld);\n"
                                     : "SELECT %s(%Q, %Q, %lld, %lld);\n";
    char *sql =
        sqlite3_mprintf(format, form->create_name, column.table, column.name,
                        values.bits_per_key, values.number);
    if (sql == NULL) {
      sqlite3_result_error_nomem(context);
    } else {
      sqlite3_result_text(context, sql, -1, sqlite3_free);
    }
  }
  sql_free_column(&column);
}

static void parts_sql_function(sqlite3_context *context, int argc,
                               sqlite3_value **argv) {
  script_function(context, &sql_kept_parts, argc, argv);
}

static void blocks_sql_function(sqlite3_context *context, int argc,
                                sqlite3_value **argv) {
  script_function(context, &sql_kept_blocks, argc, argv);
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
    sql_schema_error(context);
  }
  sqlite3_finalize(row);
}

#define KEPT_FUNCTION(function_name, from, to, function)               \
  {                                                                    \
    .name = function_name, .min_arguments = from, .max_arguments = to, \
    .scalar = function, .nondeterministic = true, .direct_only = true  \
  }

const sql_function sql_kept_functions[] = {
    KEPT_FUNCTION("bloom_create_parts", 2, 4, create_parts_function),
    KEPT_FUNCTION("bloom_create_blocks", 2, 4, create_blocks_function),
    KEPT_FUNCTION("bloom_drop_parts", 2, 2, drop_parts_function),
    KEPT_FUNCTION("bloom_drop_blocks", 2, 2, drop_blocks_function),
    KEPT_FUNCTION("bloom_parts_sql", 2, 4, parts_sql_function),
    KEPT_FUNCTION("bloom_blocks_sql", 2, 4, blocks_sql_function),
    {.name = "bloom_temp_triggers",
     .scalar = temp_triggers_function,
     .nondeterministic = true},
    {.name = NULL},
};
