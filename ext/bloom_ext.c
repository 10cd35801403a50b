#include "bloom_ext.h"

#include "families.h"
#include "filter.h"

SQLITE_EXTENSION_INIT1

#define OLDEST_SQLITE_NUMBER 3020000
#define OLDEST_SQLITE "3.20.0"

#ifdef _WIN32
#define EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define EXPORT __attribute__((visibility("default")))
#else
#define EXPORT
#endif

/* bloom_version(): the extension's version, TEXT. */
static void version_function(sqlite3_context *context, int argc,
                             sqlite3_value **argv) {
  (void)argc, (void)argv;
  sqlite3_result_text(context, BLOOM_VERSION, -1, SQLITE_STATIC);
}

static const sql_function version_functions[] = {
    {"bloom_version", 0, 0, version_function, NULL, NULL, false},
};

static int register_all(sqlite3 *db, sql_shared *shared) {
  int rc = SQL_REGISTER(db, shared, version_functions);
  if (rc == SQLITE_OK) rc = sql_register_build(db, shared);
  if (rc == SQLITE_OK) rc = sql_register_probe(db, shared);
  if (rc == SQLITE_OK) rc = sql_register_info(db, shared);
  if (rc == SQLITE_OK) rc = sql_register_planning(db, shared);
  if (rc == SQLITE_OK) rc = sql_register_leveldb(db, shared);
  if (rc == SQLITE_OK) rc = sql_register_checksum(db, shared);
  return rc;
}

#ifdef SQLITE_CORE

static bool take_routines(const sqlite3_api_routines *api, char **error) {
  (void)api, (void)error;
  return true;
}

#else

/* Gives *error a message in memory of the library that asks. */
#define SAY(api, error, ...) \
  if ((error) != NULL) *(error) = (api)->mprintf(__VA_ARGS__)

/*
** Every call goes through one table of routines, that of the first SQLite that
** loads the extension. Another SQLite in the same process has another table,
** and with it other memory and other connections: exchanging the table would
** pull it from under the first one's running statements.
*/
static bool take_routines(const sqlite3_api_routines *api, char **error) {
  if (api->libversion_number() < OLDEST_SQLITE_NUMBER) {
    SAY(api, error, "bloom needs SQLite " OLDEST_SQLITE " or later, this is %s",
        api->libversion());
    return false;
  }
#ifdef __GNUC__
  /* Threads may load it at the same time, and others be at work. */
  const sqlite3_api_routines *first =
      __atomic_load_n(&sqlite3_api, __ATOMIC_ACQUIRE);
  if (first == NULL &&
      __atomic_compare_exchange_n(&sqlite3_api, &first, api, false,
                                  __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    return true;
  }
#else
  if (sqlite3_api == NULL) sqlite3_api = api;
  const sqlite3_api_routines *first = sqlite3_api;
#endif
  if (first == api) return true;
  SAY(api, error,
      "bloom serves another SQLite library in this process already (%s, this "
      "is "
      "%s): load a copy of its file under another folder",
      first->libversion(), api->libversion());
  return false;
}

#endif

EXPORT int sqlite3_bloom_init(sqlite3 *db, char **error,
                              const sqlite3_api_routines *api) {
  if (!take_routines(api, error)) return SQLITE_ERROR;
  sql_shared *shared = sql_create_filters();
  if (shared == NULL) return SQLITE_NOMEM;
  const int rc = register_all(db, shared);
  sql_let_go(shared);
  if (rc == SQLITE_BUSY && error != NULL) {
    *error = sqlite3_mprintf(
        "bloom is loaded in this connection already, and cannot be loaded "
        "again "
        "while a statement runs");
  }
  return rc;
}
