/* What sqlite3_bloom_init requires of SQLite and registers there. It gets the
** routines of the SQLite that is linked in, but for a few that this file
** replaces: as in versions that are not available here, in one that breaks what
** the extension relies on, and for registrations that fail. */
#define SQLITE_CORE 1 /* this file itself calls SQLite directly */
#include <sqlite3ext.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "bloom_ext.h"
#include "lib/functions.h"
#include "lib/sql.h"
#include "lib/tap.h"

/* ---- The routines that the extension gets. */

static const sqlite3_api_routines *library; /* all that there are */
static sqlite3_api_routines routines;
static int version_number;
static int calls_left;   /* registrations that succeed before one fails */
static int failure;      /* the code with which that one fails */
static int code_of_list; /* of preparing to read the list of functions */

static int keep_routines(sqlite3 *db, char **error,
                         const sqlite3_api_routines *api) {
  (void)db, (void)error;
  library = api;
  return SQLITE_OK;
}

static int note_version_number(void) {
  return version_number;
}

static const char *note_version(void) {
  static char text[20];
  snprintf(text, sizeof(text), "%d.%d.%d", version_number / 1000000,
           version_number / 1000 % 1000, version_number % 1000);
  return text;
}

static int note_function(
    sqlite3 *db, const char *name, int arguments, int flags, void *data,
    void (*function)(sqlite3_context *, int, sqlite3_value **),
    void (*step)(sqlite3_context *, int, sqlite3_value **),
    void (*final)(sqlite3_context *), void (*destroy)(void *)) {
  if (destroy != NULL && calls_left-- == 0) {
    destroy(data);
    return failure;
  }
  return library->create_function_v2(db, name, arguments, flags, data, function,
                                     step, final, destroy);
}

/* How many tables of this name the connection has. */
static sqlite3_int64 tables(sqlite3 *db, const char *name) {
  sqlite3_stmt *count =
      prepare(db, "SELECT count(*) FROM pragma_module_list WHERE name LIKE ?1");
  sqlite3_bind_text(count, 1, name, -1, SQLITE_STATIC);
  const sqlite3_int64 n = first_integer(count);
  sqlite3_finalize(count);
  return n;
}

/* Before 3.31 a table is neither replaced nor removed. */
static int note_module(sqlite3 *db, const char *name,
                       const sqlite3_module *module, void *data,
                       void (*destroy)(void *)) {
  const bool stays = version_number < 3031000 && tables(db, name) > 0;
  if (stays || (destroy != NULL && calls_left-- == 0)) {
    if (destroy != NULL) destroy(data);
    return stays ? SQLITE_MISUSE : failure;
  }
  return library->create_module_v2(db, name, module, data, destroy);
}

/* Before 3.31 the list of functions cannot be read in this form. */
static int note_prepare(sqlite3 *db, const char *sql, int size,
                        sqlite3_stmt **statement, const char **end) {
  const int code = version_number < 3031000 ? SQLITE_ERROR : code_of_list;
  if (code != SQLITE_OK && strstr(sql, "pragma_function_list") != NULL) {
    *statement = NULL;
    return code;
  }
  return library->prepare_v2(db, sql, size, statement, end);
}

/* Auxiliary data with a negative index is discarded at once. */
static void discard_auxdata(sqlite3_context *context, int index, void *data,
                            void (*destroy)(void *)) {
  (void)context, (void)index;
  destroy(data);
}

/* Makes the routines those of this version. All that are newer than 3.26 are
** NULL. */
static void set_version(int number) {
  version_number = number;
  memset(&routines, 0, sizeof(routines));
  memcpy(&routines, library, offsetof(sqlite3_api_routines, stmt_isexplain));
  routines.libversion_number = note_version_number;
  routines.libversion = note_version;
  routines.create_function_v2 = note_function;
  routines.create_module_v2 = note_module;
  routines.prepare_v2 = note_prepare;
}

/* ---- Loading. */

static sqlite3 *db;
static char *error; /* what the last load said, or NULL */

/* Opens a new connection of this version of SQLite, in which only this many
** registrations succeed. */
static void open_new(int number, int calls) {
  sqlite3_close(db);
  sqlite3_open(":memory:", &db);
  set_version(number);
  calls_left = calls;
}

static int load(int number, int calls) {
  open_new(number, calls);
  return sqlite3_bloom_init(db, &error, &routines);
}

/* Loads into the same connection. The caller may take no error. */
static int load_again(char **message) {
  return sqlite3_bloom_init(db, message, &routines);
}

/* Whether the last load has said this. */
static bool says(const char *message) {
  const bool said = error != NULL && strcmp(error, message) == 0;
  if (!said) printf("# %s\n", error);
  sqlite3_free(error);
  error = NULL;
  return said;
}

/* The number of functions and tables that are registered. */
static sqlite3_int64 registered(void) {
  return integer_of(db, COUNT_FUNCTIONS) + tables(db, "bloom%") +
         tables(db, "leveldb%");
}

/* ---- The tests. */

static const int flags_of[] = {
    [PURE] = SQLITE_INNOCUOUS | SQLITE_DETERMINISTIC,
    [VARIES] = SQLITE_INNOCUOUS,
    [DIRECT] = SQLITE_DIRECTONLY,
    [CLOCK] = SQLITE_DIRECTONLY | SQLITE_DETERMINISTIC,
};

static int expected_count; /* of signatures in lib/functions.h */

static void test_registered(const char *signatures, int flags) {
  sqlite3_stmt *count =
      prepare(db,
              "SELECT CASE ?2 WHEN -1 THEN (SELECT count(*) FROM "
              "pragma_module_list WHERE name = ?1) ELSE (SELECT count(*) FROM "
              "pragma_function_list WHERE name = ?1 AND narg = ?2 AND enc = "
              "'utf8' AND flags = ?3) END");
  const char *arguments = strchr(signatures, '/');
  const int length = (int)(arguments - signatures);
  sqlite3_bind_text(count, 1, signatures, length, SQLITE_STATIC);
  sqlite3_bind_int(count, 3, flags);
  for (; arguments != NULL; arguments = strchr(arguments + 1, '/')) {
    const int n = atoi(arguments + 1);
    sqlite3_bind_int(count, 2, n);
    ok(first_integer(count) == 1, "%.*s/%d is registered with its flags",
       length, signatures, n);
    expected_count++;
  }
  sqlite3_finalize(count);
}

static void test_versions(void) {
  ok(load(3025003, 1000) == SQLITE_ERROR &&
         says("bloom needs SQLite 3.26.0 or later, this is 3.25.3") &&
         registered() == 0 && load_again(NULL) == SQLITE_ERROR,
     "3.25.3 is refused, also when the caller takes no message");
  ok(load(3026000, 1000) == SQLITE_OK && error == NULL, "3.26.0 is accepted");
  for (size_t i = 0; i < COUNT(functions); i++) {
    test_registered(functions[i].signatures, flags_of[functions[i].kind]);
  }
  const sqlite3_int64 count = registered();
  ok(count == expected_count,
     "no other is: %lld signatures, %d of them in tests/lib/functions.h", count,
     expected_count);
}

#define TAKEN(function)                                              \
  "bloom cannot be loaded: this connection has " function            \
  " already, and SQLite replaces no function while a statement runs" \
  " (nor, before 3.31, a table)"

static void test_failures(void) {
  int clean = 0, kept_tables = 0;
  failure = SQLITE_NOMEM;
  for (int calls = 0; calls < expected_count; calls++) {
    clean += load(3031000, calls) == SQLITE_NOMEM && registered() == 0;
  }
  ok(clean == expected_count,
     "if one function cannot be registered, none is and loading fails");
  for (int calls = 0; calls < expected_count; calls++) {
    const int rc = load(3026000, calls);
    const sqlite3_int64 left =
        tables(db, "bloom_info") + tables(db, "bloom_check") +
        tables(db, "bloom_compare") + tables(db, "bloom_advise") +
        tables(db, "leveldb_read");
    kept_tables +=
        rc == SQLITE_NOMEM && registered() == left && (left > 0) == (calls > 0);
  }
  ok(kept_tables == expected_count,
     "before 3.31, tables stay, but no function does");
  failure = SQLITE_BUSY;
  ok(load(3026000, 1) == SQLITE_BUSY && says(TAKEN("bloom_info")),
     "if SQLite refuses to replace a function, the error names it");
  open_new(3031000, 1);
  ok(load_again(NULL) == SQLITE_BUSY,
     "loading also fails when the caller takes no message");
}

static void other(sqlite3_context *context, int argc, sqlite3_value **argv) {
  (void)context, (void)argc, (void)argv;
}

/* Loads beside another extension's function while a statement runs. */
static int load_beside(const char *name, int number, int calls) {
  open_new(number, calls);
  add_function(db, name, 1, other);
  sqlite3_stmt *running = prepare(db, "SELECT 1 UNION ALL SELECT 2");
  sqlite3_step(running);
  const int code = load_again(&error);
  sqlite3_finalize(running);
  return code;
}

static void test_taken(void) {
  ok(load_beside("leveldb_fixed32", 3031000, 0) == SQLITE_BUSY &&
         calls_left == 0 && says(TAKEN("leveldb_fixed32")),
     "from 3.31 on it is found before any function is registered");
  ok(load_beside("another", 3031000, 1000) == SQLITE_OK,
     "a function with another name does not matter");
  ok(load_beside("leveldb_fixed32", 3026000, 0) == SQLITE_BUSY &&
         calls_left == -1 && says(TAKEN("bloom_info")),
     "an older SQLite does not list it");
  code_of_list = SQLITE_NOMEM;
  ok(load_beside("another", 3031000, 1000) == SQLITE_NOMEM && registered() == 0,
     "there may be no memory to find out");
  code_of_list = SQLITE_ERROR;
  ok(load_beside("another", 3031000, 1000) == SQLITE_OK,
     "SQLite may be built without the list");
  code_of_list = SQLITE_OK;
}

static void test_second_load(void) {
  load(3026000, 1000);
  ok(load_again(&error) == SQLITE_MISUSE && registered() == expected_count &&
         says(TAKEN("bloom_info")),
     "a second load into 3.26.0 is refused, and changes nothing");
  ok(load_again(NULL) == SQLITE_MISUSE && registered() == expected_count,
     "it is refused when the caller takes no message");
  load(3031000, 1000);
  ok(load_again(NULL) == SQLITE_OK, "3.31.0 takes a second load");
}

static void test_auxiliary_data(void) {
  load(3099000, 1000);
  routines.set_auxdata = discard_auxdata;
  answer got;
  ask(db, "SELECT bloom_open(x'0006')", &got);
  ok(got.code == SQLITE_ERROR &&
         strcmp(got.text,
                "bloom_open: SQLite 3.99.0 does not keep a statement's "
                "auxiliary data until the statement ends, so that no filter "
                "can be opened: pass filters as BLOBs, and report this") == 0,
     "a SQLite that keeps no auxiliary data has an error of its own: %s",
     got.text);
}

static void test_second_library(void) {
  load(3026000, 1000);
  const sqlite3_api_routines second = routines;
  ok(sqlite3_bloom_init(db, &error, &second) == SQLITE_ERROR &&
         says("this process has two SQLite libraries (3.26.0 and 3.26.0), and "
              "bloom already serves the other one: copy its file to another "
              "folder, and load that"),
     "a second SQLite library is refused, with a message");
  ok(sqlite3_bloom_init(db, NULL, &second) == SQLITE_ERROR,
     "it is refused when the caller takes no message");
  ok(load(3026000, 1000) == SQLITE_OK, "the first library can load it again");
}

int main(void) {
  sqlite3_auto_extension((void (*)(void))keep_routines);
  sqlite3_open(":memory:", &db);
  sqlite3_reset_auto_extension();
  test_versions();
  test_failures();
  test_taken();
  test_second_load();
  test_auxiliary_data();
  test_second_library();
  sqlite3_close(db);
  sqlite3_shutdown();
  ok(sqlite3_memory_used() == 0, "closing it frees what the functions share");
  return tap_done();
}
