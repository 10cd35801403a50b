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

/* bloom_version() is the version of the extension, TEXT. */
static void version_function(sqlite3_context *context, int argc,
                             sqlite3_value **argv) {
  (void)argc, (void)argv;
  sqlite3_result_text(context, BLOOM_VERSION, -1, SQLITE_STATIC);
}

static const sql_function version_functions[] = {
    {"bloom_version", 0, 0, .scalar = version_function},
    {.name = NULL},
};

static const sql_function *const families[] = {
    sql_build_functions,       sql_probe_functions,    sql_parts_functions,
    sql_build_parts_functions, sql_change_functions,   sql_planning_functions,
    sql_leveldb_functions,     sql_checksum_functions, sql_kept_functions,
    version_functions,         sql_info_functions,
};

#define FAMILIES (sizeof(families) / sizeof(families[0]))

/* ---- The SQLite library that loads this file, and may unload it. */

#ifdef SQLITE_CORE

static bool take_routines(const sqlite3_api_routines *api, char **error) {
  (void)api, (void)error;
  return true;
}

#else

/*
** Every call goes through one table of routines, that of the first SQLite
** library that loads the extension. Another SQLite library in the same process
** has its own table, allocator and connections. Replacing the table would break
** the running statements of the first library.
*/
static bool take_routines(const sqlite3_api_routines *api, char **error) {
  if (api->libversion_number() < OLDEST_SQLITE_NUMBER) {
    if (error != NULL) {
      *error = api->mprintf("bloom needs SQLite " OLDEST_SQLITE
                            " or later, this is %s",
                            api->libversion());
    }
    return false;
  }
#ifdef __GNUC__
  /* Several threads may load the extension at once, while others use it. */
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
  if (error != NULL) {
    *error = api->mprintf(
        "this process has two SQLite libraries (%s and %s), and bloom already "
        "serves the other one: copy its file to another folder, and load that",
        first->libversion(), api->libversion());
  }
  return false;
}

#endif

/*
** Keeps this file mapped until the process ends. SQLite unloads it if loading
** fails, and a function that could not be unregistered would then be called at
** an address without code. On ELF systems the linker option `-z nodelete` does
** the same; without it, the process crashes if loading runs out of memory
** inside a statement that calls load_extension().
*/
static void stay_mapped(void) {
#if defined(_WIN32) && !defined(SQLITE_CORE)
  HMODULE module;
  GetModuleHandleExA(
      GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_PIN,
      (LPCSTR)&families, &module);
#endif
}

/* ---- Registration of the functions: all of them, or none. */

/* A function with one of its numbers of arguments. */
typedef struct signature {
  const sql_function *function;
  int arguments;
} signature;

/* Whether a statement runs in this connection. While one does, SQLite neither
** replaces nor removes a function. */
static bool statement_runs(sqlite3 *db) {
  sqlite3_stmt *statement = sqlite3_next_stmt(db, NULL);
  while (statement != NULL && !sqlite3_stmt_busy(statement)) {
    statement = sqlite3_next_stmt(db, statement);
  }
  return statement != NULL;
}

/* Whether the function in a row of PRAGMA function_list has the signature of
** one of this extension's functions. If so, *found becomes that signature. */
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

/* Returns SQLITE_BUSY and sets *taken if one of this extension's signatures
** belongs to a function that cannot be replaced now. Otherwise returns
** SQLITE_OK or SQLITE_NOMEM. SQLite before 3.31 does not list functions in this
** form; there, a conflict is only found when the function is registered. */
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

/* Prepares a statement, but does not run it. */
static int try_to_prepare(sqlite3 *db, const char *sql) {
  sqlite3_stmt *statement = NULL;
  const int rc = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
  sqlite3_finalize(statement);
  return rc;
}

/* Before 3.31, SQLite neither replaces nor unregisters a table-valued function.
** A second load into a connection would fail there, and unregister the other
** functions, so it is refused first: returns SQLITE_ERROR if the connection has
** this extension in any version. Otherwise returns SQLITE_OK or
** SQLITE_NOMEM. */
static int check_earlier_load(sqlite3 *db) {
  if (sqlite3_libversion_number() >= 3031000) return SQLITE_OK;
  const int rc = try_to_prepare(db, "SELECT bloom_version()");
  if (rc == SQLITE_OK) return SQLITE_ERROR;
  if (rc == SQLITE_NOMEM) return SQLITE_NOMEM;
  /* Forgets the error, which sqlite3_open returns if it loads this. */
  return try_to_prepare(db, "SELECT 1");
}

static void end_registration(void *data) {
  sql_registration *registration = data;
  sql_release_handles(registration->handles);
  sqlite3_free(registration->memory);
  sqlite3_free(registration);
}

/* Registers one signature as UTF-8, innocuous unless it is direct_only, and
** deterministic unless it is nondeterministic. */
static int register_one(sqlite3 *db, sql_handles *handles, signature one) {
  const sql_function *f = one.function;
  int flags = SQLITE_UTF8;
  flags |= f->direct_only ? SQLITE_DIRECTONLY : SQLITE_INNOCUOUS;
  if (!f->nondeterministic) flags |= SQLITE_DETERMINISTIC;
  sql_registration *data = sqlite3_malloc64(sizeof(*data));
  if (data == NULL) return SQLITE_NOMEM;
  *data = (sql_registration){.function = f, .handles = handles};
  sql_retain_handles(handles);
  /* If either call fails, it has already called end_registration. */
  if (f->module != NULL) {
    return sqlite3_create_module_v2(db, f->name, f->module, data,
                                    end_registration);
  }
  return sqlite3_create_function_v2(db, f->name, one.arguments, flags, data,
                                    f->scalar, f->step, f->final,
                                    end_registration);
}

/* Whether a function is registered in the first round. Tables follow, because
** no SQLite before 3.31 can unregister one. */
static bool in_round(const sql_function *f, int round) {
  return (f->module == NULL) == (round == 0);
}

static void unregister_one(sqlite3 *db, signature one) {
  const sql_function *f = one.function;
  if (f->module == NULL) {
    sqlite3_create_function_v2(db, f->name, one.arguments, SQLITE_UTF8, NULL,
                               NULL, NULL, NULL, NULL);
  } else if (sqlite3_libversion_number() >= 3031000) {
    sqlite3_create_module_v2(db, f->name, NULL, NULL, NULL);
  }
}

/* Registers every function and sets *end to the first that fails; or, if
** handles is NULL, unregisters those before *end. If these functions replaced
** those of an earlier load, the earlier ones stay lost until another load
** succeeds. SQLite unregisters none while a statement runs; the functions then
** go on working. */
static int register_all(sqlite3 *db, sql_handles *handles, signature *end) {
  for (int round = 0; round < 2; round++) {
    for (size_t i = 0; i < FAMILIES; i++) {
      for (const sql_function *f = families[i]; f->name != NULL; f++) {
        for (int n = f->min_arguments;
             in_round(f, round) && n <= f->max_arguments; n++) {
          const signature one = {f, n};
          if (handles == NULL) {
            if (f == end->function && n == end->arguments) return SQLITE_OK;
            unregister_one(db, one);
            continue;
          }
          *end = one;
          const int rc = register_one(db, handles, one);
          if (rc != SQLITE_OK) return rc;
        }
      }
    }
  }
  return SQLITE_OK;
}

int sqlite3_bloom_init(sqlite3 *db, char **error,
                       const sqlite3_api_routines *api) {
  signature failed;
  if (!take_routines(api, error)) return SQLITE_ERROR;
  stay_mapped();
  int rc = check_earlier_load(db);
  if (rc == SQLITE_ERROR && error != NULL) {
    *error = sqlite3_mprintf(
        "bloom is already loaded in this connection, and SQLite before 3.31 "
        "(this is %s) cannot load it again",
        sqlite3_libversion());
  }
  if (rc != SQLITE_OK) return rc;
  rc = check_names(db, &failed);
  if (rc == SQLITE_OK) {
    sql_handles *handles = sql_create_handles();
    if (handles == NULL) return SQLITE_NOMEM;
    rc = register_all(db, handles, &failed);
    if (rc != SQLITE_OK) register_all(db, NULL, &failed);
    sql_release_handles(handles);
  }
  if (rc == SQLITE_BUSY && error != NULL) {
    *error = sqlite3_mprintf(
        "bloom cannot be loaded here: %s with %d argument%s is already "
        "registered in this connection, by another extension or an earlier "
        "load of bloom, and SQLite replaces no function while a statement "
        "runs (load bloom with .load or sqlite3_load_extension, or before the "
        "other extension)",
        failed.function->name, failed.arguments,
        failed.arguments == 1 ? "" : "s");
  }
  return rc;
}
