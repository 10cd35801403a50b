#include "transaction.h"

#include "../token.h"

#define LOCK "PRAGMA main.incremental_vacuum(1)"
#define READ "SELECT count(*) FROM temp.sqlite_temp_master"

/* Whether a statement is a PRAGMA. One that tests the CHECKs of a file calls
** what they call: many versions of SQLite let a CHECK call every function. */
static bool is_pragma(sqlite3_stmt *statement) {
  const char *text = sqlite3_sql(statement);
  return text != NULL && sql_token_is(sql_next_token(&text), "PRAGMA");
}

/* Whether a statement's own text has the function that was called. One that the
** schema of a file has calls it behind the statement's back: SQLite lets it
** where it read the schema before it knew the function. */
static bool names_function(sqlite3_context *context, sqlite3_stmt *statement) {
  const char *text = sqlite3_sql(statement);
  return text != NULL && sql_count_tokens(text, sql_function_name(context)) > 0;
}

/* Whether the calling statement is the only one that runs, only reads, and
** names the function. */
static bool may_change(sqlite3_context *context) {
  sqlite3 *db = sqlite3_context_db_handle(context);
  int running = 0;
  const char *does = NULL;
  for (sqlite3_stmt *s = sqlite3_next_stmt(db, NULL); s != NULL;
       s = sqlite3_next_stmt(db, s)) {
    if (!sqlite3_stmt_busy(s)) continue;
    running++;
    if (!names_function(context, s)) does = "does not name it";
    if (is_pragma(s)) does = "is a PRAGMA";
    if (!sqlite3_stmt_readonly(s)) does = "writes";
  }
  if (running > 1) {
    return sql_error(
        context, SQLITE_BUSY,
        "another statement of this connection is running: read "
        "its rows to the end, or close its cursor, and call again");
  }
  if (does != NULL) {
    return sql_error(context, SQLITE_ERROR,
                     "the calling statement %s: call it in a SELECT of its own",
                     does);
  }
  return true;
}

static void finalize_all(sql_transaction *t) {
  for (int i = 0; i < STEPS; i++) sqlite3_finalize(t->steps[i]);
}

static int run_step(sql_transaction *t, sql_step step) {
  sqlite3_step(t->steps[step]);
  return sqlite3_reset(t->steps[step]);
}

/*
** Undoes a savepoint, and removes it. Returns whether it is gone. RELEASE is
** prepared first, and nothing is undone if that fails, because an authorizer
** refuses it or because memory has run out: after ROLLBACK TO, SQLite would
** prepare it again in any case.
*/
static bool undo_savepoint(sqlite3 *db, sql_transaction *t) {
  sqlite3_stmt *release;
  int rc = sqlite3_prepare_v2(db, "RELEASE bloom", -1, &release, NULL);
  if (rc == SQLITE_OK) rc = run_step(t, STEP_UNDO);
  if (rc == SQLITE_OK) sqlite3_step(release);
  return sqlite3_finalize(release) == SQLITE_OK && rc == SQLITE_OK;
}

/*
** Undoes a transaction, unless SQLite has rolled it back itself. After an
** interrupt, the savepoint may or may not exist, and ROLLBACK may be
** interrupted as well while the calling statement runs. But SQLite rolls the
** transaction back if a statement that writes begins while the connection is
** interrupted.
*/
static void undo(sqlite3 *db, sql_transaction *t) {
  if (sqlite3_get_autocommit(db) ||
      (t->steps[STEP_UNDO] != NULL && undo_savepoint(db, t))) {
    return;
  }
  sqlite3_reset(t->steps[STEP_GUARD]);
  if (!sqlite3_get_autocommit(db)) run_step(t, STEP_ROLLBACK);
  if (sqlite3_get_autocommit(db)) return;
  sqlite3_interrupt(db);
  run_step(t, STEP_FORCE);
}

static int prepare_all(sqlite3 *db, sql_transaction *t) {
  static const char *const sql[][2] = {
      [STEP_BEGIN] = {"SAVEPOINT bloom", "BEGIN"},
      [STEP_KEEP] = {"RELEASE bloom", "COMMIT"},
      [STEP_UNDO] = {"ROLLBACK TO bloom", ""},
      [STEP_ROLLBACK] = {"ROLLBACK", "ROLLBACK"},
      [STEP_LOCK] = {LOCK, LOCK},
      [STEP_FORCE] = {LOCK, LOCK},
      [STEP_GUARD] = {READ, READ},
  };
  const bool outermost = sqlite3_get_autocommit(db);
  int rc = SQLITE_OK;
  *t = (sql_transaction){.last_rowid = sqlite3_last_insert_rowid(db)};
  for (int i = 0; rc == SQLITE_OK && i < STEPS; i++) {
    rc = sqlite3_prepare_v2(db, sql[i][outermost], -1, &t->steps[i], NULL);
  }
  return rc;
}

bool sql_begin(sqlite3_context *context, sql_transaction *t) {
  if (!may_change(context)) return false;
  sqlite3 *db = sqlite3_context_db_handle(context);
  int rc = prepare_all(db, t);
  const bool prepared = rc == SQLITE_OK;
  if (rc == SQLITE_OK) rc = run_step(t, STEP_BEGIN);
  if (rc == SQLITE_OK) rc = run_step(t, STEP_LOCK);
  if (rc == SQLITE_OK) rc = sqlite3_step(t->steps[STEP_GUARD]);
  if (rc == SQLITE_ROW) return true;
  sql_failed(context, sqlite3_errcode(db));
  if (prepared) undo(db, t);
  finalize_all(t);
  return false;
}

void sql_end(sqlite3_context *context, sql_transaction *t, bool keep) {
  sqlite3 *db = sqlite3_context_db_handle(context);
  int rc = SQLITE_ERROR;
  if (keep) {
    sqlite3_reset(t->steps[STEP_GUARD]);
    rc = run_step(t, STEP_KEEP);
    if (rc != SQLITE_OK) sql_failed(context, rc);
  }
  if (rc != SQLITE_OK) undo(db, t);
  finalize_all(t);
  sqlite3_set_last_insert_rowid(db, t->last_rowid);
}
