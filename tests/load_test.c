/* What sqlite3_bloom_init requires of SQLite and registers there. A table of
** routines in this file stands in for SQLite: for versions that are not
** available here, and for one that breaks what the extension relies on. */
#include <sqlite3ext.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bloom_ext.h"
#include "lib/tap.h"

/* ---- The simulated SQLite, whose routines do not need every argument. */

#pragma GCC diagnostic ignored "-Wunused-parameter"

static int version_number;
static const char *version_text;
static int blocks;        /* of memory, allocated and not freed */
static int calls_left;    /* registrations that succeed before one fails */
static int failure;       /* the code with which that one fails */
static int wrong_flags;   /* functions registered with wrong flags */
static int wrong_tables;  /* table-valued functions that need CREATE */
static const char *taken; /* a name in use while a statement runs, or NULL */
static char last_error[500];
static int last_code;

/* What stands for the number of arguments of a table-valued function, which
** cannot be unregistered. */
#define TABLE (-1)

/* A registered function. */
typedef struct registered {
  char signature[60]; /* "name/arguments" */
  void *data;
  void (*destroy)(void *);
  void (*function)(sqlite3_context *, int, sqlite3_value **);
  bool is_expected;
} registered;

static registered functions[100];
static int function_count;

static int note_version_number(void) {
  return version_number;
}

static const char *note_version(void) {
  return version_text;
}

static char *note_vmprintf(const char *format, va_list arguments) {
  char *text = malloc(500);
  if (text != NULL) vsnprintf(text, 500, format, arguments);
  blocks += text != NULL;
  return text;
}

static char *note_mprintf(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *text = note_vmprintf(format, arguments);
  va_end(arguments);
  return text;
}

static void *note_malloc64(sqlite3_uint64 n) {
  blocks++;
  return malloc((size_t)n);
}

static void note_free(void *memory) {
  blocks -= memory != NULL;
  free(memory);
}

static void note_randomness(int n, void *to) {
  memset(to, 7, (size_t)n);
}

static registered *find(const char *signature) {
  for (int i = 0; i < function_count; i++) {
    if (strcmp(functions[i].signature, signature) == 0) return &functions[i];
  }
  return NULL;
}

static void take_back(registered *at) {
  at->destroy(at->data);
  *at = functions[--function_count];
}

static int note(const char *name, int arguments, registered given) {
  snprintf(given.signature, sizeof(given.signature), "%s/%d", name, arguments);
  if (calls_left-- == 0) {
    given.destroy(given.data);
    return failure;
  }
  functions[function_count++] = given;
  return SQLITE_OK;
}

static int note_function(
    sqlite3 *db, const char *name, int arguments, int flags, void *data,
    void (*function)(sqlite3_context *, int, sqlite3_value **),
    void (*step)(sqlite3_context *, int, sqlite3_value **),
    void (*final)(sqlite3_context *), void (*destroy)(void *)) {
  if (function == NULL && step == NULL && final == NULL) {
    char signature[60];
    snprintf(signature, sizeof(signature), "%s/%d", name, arguments);
    registered *found = find(signature);
    if (found != NULL) take_back(found);
    return SQLITE_OK;
  }
  /* SQLITE_INNOCUOUS and SQLITE_DIRECTONLY, which older headers lack. */
  const bool direct = strstr(name, "_check") || strstr(name, "_create_") ||
                      strstr(name, "_drop_");
  int expected = SQLITE_UTF8 | (direct ? 0x000080000 : 0x000200000);
  const bool varies = strcmp(name, "bloom_open") == 0 ||
                      strcmp(name, "bloom_build_parts") == 0 ||
                      strcmp(name, "bloom_bytes") == 0 ||
                      strstr(name, "_kept") != NULL;
  if (!direct && !varies) expected |= SQLITE_DETERMINISTIC;
  wrong_flags += flags != expected;
  return note(
      name, arguments,
      (registered){.data = data, .destroy = destroy, .function = function});
}

static int note_module(sqlite3 *db, const char *name,
                       const sqlite3_module *module, void *data,
                       void (*destroy)(void *)) {
  char signature[60];
  snprintf(signature, sizeof(signature), "%s/%d", name, TABLE);
  registered *found = find(signature);
  if (found != NULL && version_number < 3031000) {
    if (destroy != NULL) destroy(data);
    return SQLITE_MISUSE;
  }
  if (module == NULL) {
    if (found != NULL) take_back(found);
    return SQLITE_OK;
  }
  wrong_tables += module->xCreate != NULL || module->xConnect == NULL;
  return note(name, TABLE, (registered){.data = data, .destroy = destroy});
}

/* A running statement, if a name is taken, and the list of functions. */
static int list_row;
static int code_of_list; /* of preparing to read that */

static sqlite3_stmt *note_next_stmt(sqlite3 *db, sqlite3_stmt *statement) {
  return taken == NULL || statement != NULL ? NULL : (sqlite3_stmt *)&taken;
}

static int note_stmt_busy(sqlite3_stmt *statement) {
  return statement == (sqlite3_stmt *)&taken;
}

static int note_prepare(sqlite3 *db, const char *sql, int size,
                        sqlite3_stmt **statement, const char **end) {
  list_row = 0;
  *statement = (sqlite3_stmt *)&list_row;
  return version_number < 3031000 ? SQLITE_ERROR : code_of_list;
}

static int note_step(sqlite3_stmt *statement) {
  return list_row++ < 2 ? SQLITE_ROW : SQLITE_DONE;
}

static const unsigned char *note_column_text(sqlite3_stmt *row, int column) {
  return (const unsigned char *)(list_row == 1 ? "upper" : taken);
}

static int note_column_int(sqlite3_stmt *row, int column) {
  return 1;
}

static int note_finalize(sqlite3_stmt *statement) {
  return SQLITE_OK;
}

static int note_stricmp(const char *a, const char *b) {
  return strcmp(a, b);
}

/* A call of bloom_open(x'0006') in a SQLite that discards auxiliary data at
** once. */
static void *note_user_data(sqlite3_context *context) {
  return ((registered *)context)->data;
}

static int note_value_type(sqlite3_value *value) {
  return SQLITE_BLOB;
}

static const void *note_value_blob(sqlite3_value *value) {
  return "\0\6";
}

static int note_value_bytes(sqlite3_value *value) {
  return 2;
}

static void *note_get_auxdata(sqlite3_context *context, int index) {
  return NULL;
}

static void note_set_auxdata(sqlite3_context *context, int index, void *data,
                             void (*destroy)(void *)) {
  destroy(data);
}

static void note_result_error(sqlite3_context *context, const char *message,
                              int size) {
  snprintf(last_error, sizeof(last_error), "%s", message);
}

static void note_result_error_code(sqlite3_context *context, int code) {
  last_code = code;
}

static sqlite3_api_routines table_of(int number) {
  sqlite3_api_routines api;
  memset(&api, 0, sizeof(api));
  version_number = number;
  /* Routines newer than 3.26 are not in the table: they stay NULL. */
  api.libversion_number = note_version_number;
  api.libversion = note_version;
  api.mprintf = note_mprintf;
  api.vmprintf = note_vmprintf;
  api.malloc64 = note_malloc64;
  api.free = note_free;
  api.randomness = note_randomness;
  api.create_function_v2 = note_function;
  api.create_module_v2 = note_module;
  api.next_stmt = note_next_stmt;
  api.stmt_busy = note_stmt_busy;
  api.prepare_v2 = note_prepare;
  api.step = note_step;
  api.column_text = note_column_text;
  api.column_int = note_column_int;
  api.finalize = note_finalize;
  api.stricmp = note_stricmp;
  api.user_data = note_user_data;
  api.value_type = note_value_type;
  api.value_blob = note_value_blob;
  api.value_bytes = note_value_bytes;
  api.get_auxdata = note_get_auxdata;
  api.set_auxdata = note_set_auxdata;
  api.result_error = note_result_error;
  api.result_error_code = note_result_error_code;
  return api;
}

static sqlite3_api_routines routines;

static char *error; /* what the last load said, or NULL */

/* Loads the extension into a new connection of this version of SQLite, in which
** only this many registrations succeed. */
static int load(int number, int calls) {
  static char text[20];
  while (function_count > 0) take_back(&functions[0]);
  routines = table_of(number);
  snprintf(text, sizeof(text), "%d.%d.%d", number / 1000000,
           number / 1000 % 1000, number % 1000);
  version_text = text;
  calls_left = calls;
  wrong_flags = wrong_tables = 0;
  return sqlite3_bloom_init(NULL, &error, &routines);
}

/* The same again, into the same connection. The caller may take no error. */
static int load_again(char **message) {
  return sqlite3_bloom_init(NULL, message, &routines);
}

/* Whether the last load has said this. */
static int says(const char *message) {
  const int said = error != NULL && strcmp(error, message) == 0;
  note_free(error);
  error = NULL;
  return said;
}

/* ---- The tests. */

static int refused(int number, const char *message) {
  return load(number, 1000) == SQLITE_ERROR && says(message) &&
         function_count == 0 && load_again(NULL) == SQLITE_ERROR;
}

/* Every function that is registered: name/arguments, or name/arguments/... */
static const char *const expected[] = {
    "bloom_build/1/2/3",
    "bloom_build_distinct/1/2",
    "bloom_may_match/2",
    "bloom_open/1/3",
    "bloom_part/2",
    "bloom_build_parts/2/3/4",
    "bloom_bytes/1/2",
    "bloom_keys/1",
    "bloom_add/2",
    "bloom_merge/1",
    "bloom_info/1/-1",
    "bloom_bits_per_key/1/2",
    "bloom_false_positive_rate/1/2",
    "leveldb_hash/1/2",
    "leveldb_fixed32/1",
    "leveldb_fixed64/1",
    "crc32c/1/2",
    "crc32c_mask/1",
    "crc32c_unmask/1",
    "bloom_create_parts/2/3/4",
    "bloom_create_blocks/2/3/4",
    "bloom_drop_parts/2",
    "bloom_drop_blocks/2",
    "bloom_is_kept/3",
    "bloom_build_kept/5",
    "bloom_check/0/1/2/-1",
    "bloom_version/0",
};

static int expected_count; /* of their signatures */

static void test_registered(const char *function) {
  const char *arguments = strchr(function, '/');
  const int length = (int)(arguments - function);
  for (; arguments != NULL; arguments = strchr(arguments + 1, '/')) {
    char signature[60];
    snprintf(signature, sizeof(signature), "%.*s/%d", length, function,
             atoi(arguments + 1));
    registered *found = find(signature);
    ok(found != NULL, "%s is registered", signature);
    if (found != NULL) found->is_expected = true;
    expected_count++;
  }
}

static void test_versions(void) {
  ok(refused(3025003, "bloom needs SQLite 3.26.0 or later, this is 3.25.3"),
     "3.25.3 is refused, also when the caller takes no message");
  ok(refused(3015000, "bloom needs SQLite 3.26.0 or later, this is 3.15.0"),
     "3.15.0 is refused");
  ok(load(3026000, 1000) == SQLITE_OK && error == NULL, "3.26.0 is accepted");
  for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
    test_registered(expected[i]);
  }
  for (int i = 0; i < function_count; i++) {
    if (functions[i].is_expected) continue;
    fprintf(stderr, "# the list of registered functions lacks \"%s\"\n",
            functions[i].signature);
  }
  ok(function_count == expected_count && wrong_tables == 0,
     "nothing else is registered: %d signatures", function_count);
  ok(wrong_flags == 0,
     "all are UTF-8; those that change or check the schema are direct-only, "
     "all others innocuous; and these deterministic, but for those that open "
     "a filter or read a table");
}

#define TAKEN(function)                                              \
  "bloom cannot be loaded: this connection has " function            \
  " already, and SQLite replaces no function while a statement runs" \
  " (nor, before 3.31, a table)"

static void test_failures(void) {
  int failures = 0;
  failure = SQLITE_NOMEM;
  for (int calls = 0; calls < expected_count; calls++) {
    failures += load(3031000, calls) == SQLITE_NOMEM && function_count == 0;
    says("");
  }
  ok(failures == expected_count,
     "if one function cannot be registered, none is and loading fails");
  for (int calls = 0; calls < expected_count; calls++) {
    const int rc = load(3026000, calls);
    const int tables =
        (find("bloom_info/-1") != NULL) + (find("bloom_check/-1") != NULL);
    failures -= rc == SQLITE_NOMEM && function_count == tables &&
                (tables > 0) == (calls > 0);
    says("");
  }
  ok(failures == 0, "before 3.31, tables stay, but no function does");
  failure = SQLITE_BUSY;
  ok(load(3026000, 11) == SQLITE_BUSY && says(TAKEN("bloom_may_match")),
     "if SQLite refuses to replace a function, the error names it");
  load(3031000, 11);
  says("");
  calls_left = 0;
  ok(load_again(NULL) == SQLITE_BUSY,
     "loading also fails when the caller takes no message");
  taken = "leveldb_fixed32";
  ok(load(3031000, 0) == SQLITE_BUSY && calls_left == 0 &&
         says(TAKEN("leveldb_fixed32")),
     "from 3.31 on it is found before any function is registered");
  ok(load(3026000, 1000) == SQLITE_OK, "an older SQLite does not list it");
  taken = "other";
  ok(load(3031000, 1000) == SQLITE_OK,
     "a function with another name does not matter");
  code_of_list = SQLITE_NOMEM;
  ok(load(3031000, 1000) == SQLITE_NOMEM && function_count == 0,
     "there may be no memory to find out");
  code_of_list = SQLITE_ERROR;
  ok(load(3031000, 1000) == SQLITE_OK, "SQLite may be built without the list");
  code_of_list = SQLITE_OK;
  taken = NULL;
}

static void test_second_load(void) {
  load(3026000, 1000);
  ok(load_again(&error) == SQLITE_MISUSE && function_count == expected_count &&
         says(TAKEN("bloom_info")),
     "a second load into 3.26.0 is refused, and changes nothing");
  ok(load_again(NULL) == SQLITE_MISUSE && function_count == expected_count,
     "it is refused when the caller takes no message");
  load(3031000, 1000);
  ok(load_again(NULL) == SQLITE_OK, "3.31.0 takes a second load");
}

/* A SQLite that discards auxiliary data with a negative index at once. */
static void test_auxiliary_data(void) {
  load(3099000, 1000);
  registered *open = find("bloom_open/1");
  sqlite3_value *value = NULL;
  open->function((sqlite3_context *)open, 1, &value);
  ok(last_code == SQLITE_ERROR &&
         strncmp(
             last_error,
             "bloom_open: SQLite 3.99.0 does not keep a statement's auxiliary "
             "data until the statement ends",
             90) == 0,
     "a SQLite that keeps no auxiliary data has an error of its own: %s",
     last_error);
}

static void test_second_library(void) {
  load(3026000, 1000);
  const sqlite3_api_routines other = table_of(3026000);
  ok(sqlite3_bloom_init(NULL, &error, &other) == SQLITE_ERROR &&
         says("this process has two SQLite libraries (3.26.0 and 3.26.0), and "
              "bloom already serves the other one: copy its file to another "
              "folder, and load that"),
     "a second SQLite library is refused, with a message");
  ok(sqlite3_bloom_init(NULL, NULL, &other) == SQLITE_ERROR,
     "it is refused when the caller takes no message");
  ok(load(3026000, 1000) == SQLITE_OK, "the first library can load it again");
}

int main(void) {
  test_versions();
  test_failures();
  test_second_load();
  test_auxiliary_data();
  test_second_library();
  while (function_count > 0) take_back(&functions[0]);
  ok(blocks == 0, "unregistering the functions frees what they share");
  return tap_done();
}
