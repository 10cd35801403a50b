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

/* The first function is a table: see register_all. */
static const sql_function *const families[] = {
    sql_info_functions,         sql_build_functions,  sql_probe_functions,
    sql_parts_functions,        sql_change_functions, sql_planning_functions,
    sql_kept_functions,         sql_advise_functions, sql_leveldb_functions,
    sql_leveldb_read_functions, version_functions,
};

#ifndef SQLITE_CORE

/* ---- The SQLite library that loads this file, and may unload it. */

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
  /* Several threads may load the extension at once, while others use it: these
  ** read the table without a lock, so nothing is written once it is there. */
  const sqlite3_api_routines *first =
      __atomic_load_n(&sqlite3_api, __ATOMIC_ACQUIRE);
  if (first == NULL) {
    __atomic_compare_exchange_n(&sqlite3_api, &first, api, false,
                                __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
  }
#else
  const sqlite3_api_routines *first = sqlite3_api;
  if (first == NULL) sqlite3_api = api;
#endif
  if (first == NULL || first == api) return true;
  if (error != NULL) {
    *error = api->mprintf(
        "this process has two SQLite libraries (%s and %s), and bloom already "
        "serves the other one: copy its file to another folder, and load that",
        first->libversion(), api->libversion());
  }
  return false;
}

/*
** Keeps this file mapped until the process ends. SQLite unloads it if loading
** fails, and a function that could not be unregistered would then be called at
** an address without code. On ELF systems the linker option `-z nodelete` does
** the same; without it, the process crashes if loading runs out of memory
** inside a statement that calls load_extension().
*/
static void stay_mapped(void) {
#ifdef _WIN32
  HMODULE module;
  GetModuleHandleExA(
      GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_PIN,
      (LPCSTR)&families, &module);
#endif
}

#endif

/* ---- Registration of the functions: all of them, or none. */

/* A function with one of its numbers of arguments. */
typedef struct signature {
  const sql_function *function;
  int arguments;
} signature;

#define MAX_SIGNATURES 100

/* Lists all signatures, and returns their number. */
static int list_signatures(signature *all) {
  int count = 0;
  for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++) {
    for (const sql_function *f = families[i]; f->name != NULL; f++) {
      for (int n = f->min_arguments; n <= f->max_arguments; n++) {
        if (count < MAX_SIGNATURES) all[count++] = (signature){f, n};
      }
    }
  }
  return count;
}

/* While a statement runs, SQLite neither replaces nor removes a function.
** Returns SQLITE_BUSY if one does and the connection has a signature, whose
** index *taken becomes; or else SQLITE_OK or SQLITE_NOMEM. SQLite before 3.31
** cannot list functions in this way. There, a conflict is only found when the
** function is registered. */
static int check_names(sqlite3 *db, const signature *all, int count,
                       int *taken) {
  sqlite3_stmt *running = sqlite3_next_stmt(db, NULL), *row;
  while (running != NULL && !sqlite3_stmt_busy(running)) {
    running = sqlite3_next_stmt(db, running);
  }
  if (running == NULL) return SQLITE_OK;
  int rc = sqlite3_prepare_v2(
      db, "SELECT narg, name FROM pragma_function_list WHERE enc = 'utf8'", -1,
      &row, NULL);
  while (rc == SQLITE_OK && (rc = sqlite3_step(row)) == SQLITE_ROW) {
    const char *name = (const char *)sqlite3_column_text(row, 1);
    rc = SQLITE_OK;
    for (int i = 0; i < count; i++) {
      if (all[i].function->module == NULL &&
          all[i].arguments == sqlite3_column_int(row, 0) &&
          sqlite3_stricmp(all[i].function->name, name) == 0) {
        *taken = i;
        rc = SQLITE_BUSY;
      }
    }
  }
  sqlite3_finalize(row);
  return rc == SQLITE_BUSY || rc == SQLITE_NOMEM ? rc : SQLITE_OK;
}

static void end_registration(void *data) {
  sql_registration *registration = data;
  sql_release_handles(registration->handles);
  sqlite3_free(registration);
}

/* Registers a signature as UTF-8, innocuous unless it is direct_only, and
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

static void unregister_one(sqlite3 *db, signature one) {
  const sql_function *f = one.function;
  if (f->module == NULL) {
    sqlite3_create_function_v2(db, f->name, one.arguments, SQLITE_UTF8, NULL,
                               NULL, NULL, NULL, NULL);
  } else {
    sqlite3_create_module_v2(db, f->name, NULL, NULL, NULL);
  }
}

/*
** Registers all signatures, or sets *failed to the index of the first that
** fails and unregisters those before it. If these replaced the functions of an
** earlier load, the earlier ones stay lost until another load succeeds. SQLite
** unregisters none while a statement runs; the functions then go on working.
**
** Before 3.31, SQLite neither replaces nor unregisters a table. There, a second
** load into a connection fails at the first signature, which is that of a
** table, and changes nothing; and tables stay after a load that failed.
*/
static int register_all(sqlite3 *db, const signature *all, int count,
                        int *failed) {
  sql_handles *handles = sql_create_handles();
  if (handles == NULL) return SQLITE_NOMEM;
  int rc = SQLITE_OK, i = 0;
  while (i < count && (rc = register_one(db, handles, all[i])) == SQLITE_OK) {
    i++;
  }
  *failed = i;
  while (rc != SQLITE_OK && i > 0) unregister_one(db, all[--i]);
  sql_release_handles(handles);
  return rc;
}

int sqlite3_bloom_init(sqlite3 *db, char **error,
                       const sqlite3_api_routines *api) {
#ifdef SQLITE_CORE
  (void)api;
#else
  if (!take_routines(api, error)) return SQLITE_ERROR;
  stay_mapped();
#endif
  signature all[MAX_SIGNATURES];
  const int count = list_signatures(all);
  int failed = 0;
  int rc = check_names(db, all, count, &failed);
  if (rc == SQLITE_OK) rc = register_all(db, all, count, &failed);
  if (rc != SQLITE_OK && rc != SQLITE_NOMEM && error != NULL) {
    *error = sqlite3_mprintf(
        "bloom cannot be loaded: this connection has %s already, and SQLite "
        "replaces no function while a statement runs (nor, before 3.31, a "
        "table)",
        all[failed].function->name);
  }
  return rc;
}
