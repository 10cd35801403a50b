#include "failure.h"

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

static const char *message_of(sqlite3 *db, int code) {
  return sqlite3_errcode(db) == code ? sqlite3_errmsg(db)
                                     : sqlite3_errstr(code);
}

/* The limit that a message is about, or NULL. */
static const char *limit_of(const char *message) {
  for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
    if (strstr(message, limits[i].message) != NULL) return limits[i].limit;
  }
  return NULL;
}

char *sql_failure(sqlite3 *db, int code) {
  const char *message = message_of(db, code);
  const char *limit = limit_of(message);
  if (code == SQLITE_LOCKED) {
    return sqlite3_mprintf(
        "%s: call it in a SELECT without FROM and not in a subquery", message);
  }
  return limit == NULL ? sqlite3_mprintf("%s", message)
                       : sqlite3_mprintf("%s: raise %s", message, limit);
}

bool sql_failed(sqlite3_context *context, int code) {
  if (code == SQLITE_NOMEM) return sql_no_memory(context);
  return sql_error_text(context, code,
                        sql_failure(sqlite3_context_db_handle(context), code));
}

bool sql_is_wrong(sqlite3 *db, int code) {
  const char *message = message_of(db, code);
  return code == SQLITE_ERROR && limit_of(message) == NULL &&
         strstr(message, "prohibited") == NULL &&
         strstr(message, "not authorized") == NULL;
}
