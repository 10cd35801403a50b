#include "bloom_ext.h"

#include "function.h"

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
    {"bloom_version", 0, 0, version_function, NULL, NULL},
};

EXPORT int sqlite3_bloom_init(sqlite3 *db, char **error,
                              const sqlite3_api_routines *api) {
  (void)api;
#ifndef SQLITE_CORE
  /* Other threads may be calling what an earlier load registered. */
  if (sqlite3_api != api)
#endif
    SQLITE_EXTENSION_INIT2(api);
  /* An older library's table of routines ends before those of pointers. */
  if (sqlite3_libversion_number() < OLDEST_SQLITE_NUMBER) {
    if (error != NULL) {
      *error = sqlite3_mprintf("bloom needs SQLite " OLDEST_SQLITE
                               " or later, this is %s",
                               sqlite3_libversion());
    }
    return SQLITE_ERROR;
  }
  int rc = REGISTER_FAMILY(db, version_functions);
  if (rc == SQLITE_OK) rc = bloom_register_filter_functions(db);
  if (rc == SQLITE_OK) rc = bloom_register_info_functions(db);
  if (rc == SQLITE_OK) rc = bloom_register_planning_functions(db);
  if (rc == SQLITE_OK) rc = bloom_register_leveldb_functions(db);
  if (rc == SQLITE_OK) rc = bloom_register_checksum_functions(db);
  return rc;
}
