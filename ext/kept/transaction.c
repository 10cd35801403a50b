#include "transaction.h"

#include <string.h>

/* What SQLite says where a limit is too low, and the limit. */
static const struct {
  const char *message, *limit;
} limits[] = {
    {"Expression tree is too large", "SQLITE_LIMIT_EXPR_DEPTH"},
    {"too many terms in compound SELECT", "SQLITE_LIMIT_COMPOUND_SELECT"},
    {"too many arguments on function", "SQLITE_LIMIT_FUNCTION_ARG"},
    {"too many columns", "SQLITE_LIMIT_COLUMN"},
    {"LIKE or GLOB pattern too complex", "SQLITE_LIMIT_LIKE_PATTERN_LENGTH"},
    {"string or blob too big", "SQLITE_LIMIT_LENGTH or SQL_LENGTH"},
    {"statement too long", "SQLITE_LIMIT_SQL_LENGTH"},
    {"trigger recursion", "SQLITE_LIMIT_TRIGGER_DEPTH"},
};

char *sql_failure(sqlite3 *db, int code) {
  const char *message = sqlite3_errstr(code);
  if (sqlite3_errcode(db) == code) message = sqlite3_errmsg(db);
  if (code == SQLITE_LOCKED) {
    return sqlite3_mprintf(
        "%s: call it in a SELECT without FROM and not in a subquery", message);
  }
  for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
    if (strstr(message, limits[i].message) != NULL) {
      return sqlite3_mprintf("%s: raise %s", message, limits[i].limit);
    }
  }
  return sqlite3_mprintf("%s", message);
}

bool sql_failed(sqlite3_context *context, int code) {
  if (code == SQLITE_NOMEM) return sql_no_memory(context);
  char *message = sql_failure(sqlite3_context_db_handle(context), code);
  if (message == NULL) return sql_no_memory(context);
  sql_error(context, code, "%s", message);
  sqlite3_free(message);
  return false;
}

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

static void finalize_all(sql_transaction *t) {
  sqlite3_finalize(t->begin);
  sqlite3_finalize(t->keep);
  sqlite3_finalize(t->undo);
  sqlite3_finalize(t->rollback);
  sqlite3_finalize(t->lock);
  sqlite3_finalize(t->force);
  sqlite3_finalize(t->guard);
}

static int run_prepared(sqlite3_stmt *statement) {
  sqlite3_step(statement);
  return sqlite3_reset(statement);
}

/*
** Undoes a savepoint, and removes it. Returns whether it is gone. RELEASE is
** prepared first, and nothing is undone if that fails, because an authorizer
** refuses it or because memory has run out: after ROLLBACK TO, SQLite would
** prepare it again in any case.
*/
static bool undo_savepoint(sqlite3 *db, sql_transaction *t) {
  sqlite3_stmt *release = NULL;
  int rc = sqlite3_prepare_v2(db, "RELEASE bloom", -1, &release, NULL);
  if (rc == SQLITE_OK) rc = run_prepared(t->undo);
  if (rc == SQLITE_OK) rc = run_prepared(release);
  sqlite3_finalize(release);
  return rc == SQLITE_OK;
}

/*
** Undoes a transaction, unless SQLite has rolled it back itself. After an
** interrupt, the savepoint may or may not exist, and ROLLBACK may be
** interrupted as well while the calling statement runs. But SQLite rolls the
** transaction back if a statement that writes begins while the connection is
** interrupted.
*/
static void undo(sqlite3 *db, sql_transaction *t) {
  if (sqlite3_get_autocommit(db)) return;
  if (t->undo != NULL && undo_savepoint(db, t)) {
    return;
  }
  sqlite3_reset(t->guard);
  if (!sqlite3_get_autocommit(db)) run_prepared(t->rollback);
  if (sqlite3_get_autocommit(db)) return;
  sqlite3_interrupt(db);
  run_prepared(t->force);
}

static int prepare_all(sqlite3 *db, sql_transaction *t) {
  const bool outermost = sqlite3_get_autocommit(db);
  *t = (sql_transaction){.last_rowid = sqlite3_last_insert_rowid(db)};
  const struct {
    const char *sql;
    sqlite3_stmt **statement;
  } statements[] = {
      {outermost ? "BEGIN" : "SAVEPOINT bloom", &t->begin},
      {outermost ? "COMMIT" : "RELEASE bloom", &t->keep},
      {outermost ? "" : "ROLLBACK TO bloom", &t->undo},
      {"ROLLBACK", &t->rollback},
      {"PRAGMA main.incremental_vacuum(1)", &t->lock},
      {"PRAGMA main.incremental_vacuum(1)", &t->force},
      {"SELECT count(*) FROM sqlite_temp_master", &t->guard},
  };
  int rc = SQLITE_OK;
  for (size_t i = 0;
       rc == SQLITE_OK && i < sizeof(statements) / sizeof(*statements); i++) {
    rc = sqlite3_prepare_v2(db, statements[i].sql, -1, statements[i].statement,
                            NULL);
  }
  return rc;
}

bool sql_begin(sqlite3_context *context, sql_transaction *t) {
  if (!may_change(context)) return false;
  sqlite3 *db = sqlite3_context_db_handle(context);
  int rc = prepare_all(db, t);
  const bool prepared = rc == SQLITE_OK;
  if (rc == SQLITE_OK) rc = run_prepared(t->begin);
  if (rc == SQLITE_OK) rc = run_prepared(t->lock);
  if (rc == SQLITE_OK) rc = sqlite3_step(t->guard);
  if (rc == SQLITE_ROW) return true;
  sql_failed(context, sqlite3_errcode(db));
  if (prepared) undo(db, t);
  finalize_all(t);
  return false;
}

bool sql_end(sqlite3_context *context, sql_transaction *t, bool keep) {
  sqlite3 *db = sqlite3_context_db_handle(context);
  int rc = SQLITE_ERROR;
  if (keep) {
    sqlite3_reset(t->guard);
    rc = run_prepared(t->keep);
    if (rc != SQLITE_OK) sql_failed(context, rc);
  }
  if (rc != SQLITE_OK) undo(db, t);
  finalize_all(t);
  sqlite3_set_last_insert_rowid(db, t->last_rowid);
  return rc == SQLITE_OK;
}
