#include "bloom_ext.h"

#include <string.h>

#if defined(_WIN32) && !defined(SQLITE_CORE)
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#endif

#include "compat.h"
#include "families.h"
#include "handle.h"

SQLITE_EXTENSION_INIT1

#ifdef _WIN32
#define EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define EXPORT __attribute__((visibility("default")))
#else
#define EXPORT
#endif

/* The table-valued function comes last: no SQLite before 3.31 can take one
** back. */
static const sql_function *const families[] = {
    sql_build_functions,    sql_probe_functions,    sql_parts_functions,
    sql_change_functions,   sql_planning_functions, sql_leveldb_functions,
    sql_checksum_functions, sql_info_functions,
};

#define FAMILIES (sizeof(families) / sizeof(families[0]))

/* Gives *error a message, formatted by the library that frees it. */
#define SET_ERROR(format, error, ...) \
  if ((error) != NULL) *(error) = (format)(__VA_ARGS__)

/* ---- The library, which loads this file and may unload it. */

#ifdef SQLITE_CORE

static bool take_routines(const sqlite3_api_routines *api, char **error) {
  (void)api, (void)error;
  return true;
}

#else

/*
** Every call goes through one table of routines, that of the first SQLite that
** loads the extension. Another SQLite in the same process has another table,
** and with it other memory and other connections: exchanging the table would
** pull it from under the first one's running statements.
*/
static bool take_routines(const sqlite3_api_routines *api, char **error) {
  if (api->libversion_number() < OLDEST_SQLITE_NUMBER) {
    SET_ERROR(api->mprintf, error,
              "bloom needs SQLite " OLDEST_SQLITE " or later, this is %s",
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
  SET_ERROR(api->mprintf, error,
            "bloom serves another SQLite library in this process already (%s, "
            "this is %s): load a separate copy of its file",
            first->libversion(), api->libversion());
  return false;
}

#endif

/*
** Keeps this file mapped until the process ends. SQLite unloads it where
** loading fails, and a function that could not be taken back would then be
** called at an address where there is no code. Elsewhere than on Windows the
** linker's option `-z nodelete` does the same; a file linked without it crashes
** where loading runs out of memory inside a statement that calls
** load_extension().
*/
static void stay_mapped(void) {
#if defined(_WIN32) && !defined(SQLITE_CORE)
  HMODULE module;
  GetModuleHandleExA(
      GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_PIN,
      (LPCSTR)&families, &module);
#endif
}

/* ---- The functions: all of them, or none. */

/* One name and number of arguments. */
typedef struct signature {
  const sql_function *function;
  int arguments;
} signature;

/* Where a statement runs, SQLite replaces no function and takes none back. */
static bool statement_runs(sqlite3 *db) {
  sqlite3_stmt *statement = sqlite3_next_stmt(db, NULL);
  while (statement != NULL && !sqlite3_stmt_busy(statement)) {
    statement = sqlite3_next_stmt(db, statement);
  }
  return statement != NULL;
}

/* Finds the function of ours that a row of PRAGMA function_list stands for. */
static bool find_signature(sqlite3_stmt *row, signature *found) {
  const char *name = (const char *)sqlite3_column_text(row, 0);
  const char *encoding = (const char *)sqlite3_column_text(row, 3);
  const int arguments = sqlite3_column_int(row, 4);
  if (name == NULL || encoding == NULL || strcmp(encoding, "utf8") != 0) {
    return false;
  }
  for (size_t i = 0; i < FAMILIES; i++) {
    for (const sql_function *f = families[i]; f->name != NULL; f++) {
      if (f->module == NULL && sqlite3_stricmp(f->name, name) == 0 &&
          arguments >= f->min_arguments && arguments <= f->max_arguments) {
        *found = (signature){f, arguments};
        return true;
      }
    }
  }
  return false;
}

/* Whether a function stands in our way that cannot be replaced now: SQLITE_BUSY
** then, SQLITE_OK or SQLITE_NOMEM. Before 3.31 SQLite does not tell, and
** registering finds out. */
static int check_names(sqlite3 *db, signature *taken) {
  sqlite3_stmt *list;
  if (!statement_runs(db)) return SQLITE_OK;
  int rc = sqlite3_prepare_v2(db, "PRAGMA function_list", -1, &list, NULL);
  if (rc == SQLITE_OK) {
    bool found = false;
    while (!found && (rc = sqlite3_step(list)) == SQLITE_ROW) {
      found = find_signature(list, taken);
    }
    sqlite3_finalize(list);
    if (found) return SQLITE_BUSY;
  }
  return rc == SQLITE_NOMEM ? SQLITE_NOMEM : SQLITE_OK;
}

/* Takes back what was registered before end. Where that had replaced functions
** of an earlier load, they are gone until the next one succeeds. */
static void unregister_before(sqlite3 *db, signature end) {
  for (size_t i = 0; i < FAMILIES; i++) {
    for (const sql_function *f = families[i]; f->name != NULL; f++) {
      for (int n = f->min_arguments; n <= f->max_arguments; n++) {
        if (f == end.function && n == end.arguments) return;
        sql_unregister_function(db, f, n);
      }
    }
  }
}

/* Registers every function; where one fails, *failed is that one, and none is
** registered. */
static int register_all(sqlite3 *db, sql_shared *shared, signature *failed) {
  for (size_t i = 0; i < FAMILIES; i++) {
    for (const sql_function *f = families[i]; f->name != NULL; f++) {
      for (int n = f->min_arguments; n <= f->max_arguments; n++) {
        const int rc = sql_register_function(db, shared, f, n);
        if (rc == SQLITE_OK) continue;
        *failed = (signature){f, n};
        unregister_before(db, *failed);
        return rc;
      }
    }
  }
  return SQLITE_OK;
}

EXPORT int sqlite3_bloom_init(sqlite3 *db, char **error,
                              const sqlite3_api_routines *api) {
  signature failed;
  if (!take_routines(api, error)) return SQLITE_ERROR;
  stay_mapped();
  int rc = check_names(db, &failed);
  if (rc == SQLITE_OK) {
    sql_shared *shared = sql_create_handles();
    if (shared == NULL) return SQLITE_NOMEM;
    rc = register_all(db, shared, &failed);
    sql_release(shared);
  }
  if (rc == SQLITE_BUSY) {
    SET_ERROR(
        sqlite3_mprintf, error,
        "bloom cannot be loaded here: %s with %d argument%s is registered "
        "in this connection already, by another extension or an earlier "
        "load of bloom, and SQLite replaces no function while a statement "
        "runs (load it by .load or sqlite3_load_extension, or before the "
        "other one)",
        failed.function->name, failed.arguments,
        failed.arguments == 1 ? "" : "s");
  }
  return rc;
}
