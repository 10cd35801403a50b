/* What sqlite3_bloom_init asks of SQLite and registers there, seen through a
** table of routines that only takes notes. */
#include <sqlite3ext.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3ext.h>

#include "bloom_ext.h"
#include "lib/tap.h"

static int version_number;
static const char *version_text;
static int functions, modules; /* registered */
static int calls_left;         /* before registering fails */
static int failure = SQLITE_NOMEM;
static int other_flags; /* functions that are not as all must be */
static int blocks;      /* of memory that were not freed */
static char registered[4096];

static int note_version_number(void) {
  return version_number;
}

static const char *note_version(void) {
  return version_text;
}

static char *note_mprintf(const char *format, ...) {
  char *text = malloc(200);
  va_list arguments;
  va_start(arguments, format);
  if (text != NULL) vsnprintf(text, 200, format, arguments);
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

/* What is registered is dropped at once, as if the connection closed then. */
static int note(const char *name, int arguments, void *data,
                void (*destroy)(void *)) {
  const size_t used = strlen(registered);
  destroy(data);
  if (calls_left-- == 0) return failure;
  snprintf(registered + used, sizeof(registered) - used, "%s/%d ", name,
           arguments);
  return SQLITE_OK;
}

static int note_function(
    sqlite3 *db, const char *name, int arguments, int flags, void *data,
    void (*function)(sqlite3_context *, int, sqlite3_value **),
    void (*step)(sqlite3_context *, int, sqlite3_value **),
    void (*final)(sqlite3_context *), void (*destroy)(void *)) {
  (void)db, (void)function, (void)step, (void) final;
  /* SQLITE_INNOCUOUS, which older headers lack. */
  int expected = SQLITE_UTF8 | 0x000200000;
  if (strcmp(name, "bloom_open") != 0) expected |= SQLITE_DETERMINISTIC;
  functions++;
  other_flags += flags != expected;
  return note(name, arguments, data, destroy);
}

static int note_module(sqlite3 *db, const char *name,
                       const sqlite3_module *module, void *data,
                       void (*destroy)(void *)) {
  (void)db;
  modules += module->xCreate == NULL && module->xConnect != NULL;
  return note(name, 0, data, destroy);
}

static sqlite3_api_routines table_of(int number) {
  sqlite3_api_routines api;
  memset(&api, 0, sizeof(api));
  version_number = number;
  /* What came after 3.20 is not in an older table: NULL, or past its end. */
  api.libversion_number = note_version_number;
  api.libversion = note_version;
  api.mprintf = note_mprintf;
  api.malloc64 = note_malloc64;
  api.free = note_free;
  api.randomness = note_randomness;
  api.create_function_v2 = note_function;
  api.create_module_v2 = note_module;
  return api;
}

/* Loads the extension into a SQLite of this version, in which only so many
** registrations succeed. */
static int load(int number, const char *text, int calls, char **error) {
  static sqlite3_api_routines api;
  api = table_of(number);
  version_text = text;
  calls_left = calls;
  functions = modules = other_flags = 0;
  registered[0] = '\0';
  return sqlite3_bloom_init(NULL, error, &api);
}

static int refused(int number, const char *text) {
  char *error = NULL;
  char expected[100];
  snprintf(expected, sizeof(expected),
           "bloom needs SQLite 3.20.0 or later, this is %s", text);
  const int rc = load(number, text, 1000, &error);
  const int as_expected = rc == SQLITE_ERROR && error != NULL &&
                          strcmp(error, expected) == 0 && registered[0] == '\0';
  free(error);
  return as_expected;
}

/* What each name and number of arguments is registered as. */
static const char *const expected[] = {
    "bloom_build/1",
    "bloom_build/2",
    "bloom_build/3",
    "bloom_may_match/2",
    "bloom_open/1",
    "bloom_open/3",
    "bloom_part/2",
    "bloom_add/2",
    "bloom_merge/1",
    "bloom_info/0",
    "bloom_info/1",
    "bloom_bits_per_key/1",
    "bloom_bits_per_key/2",
    "bloom_false_positive_rate/1",
    "bloom_false_positive_rate/2",
    "leveldb_hash/1",
    "leveldb_hash/2",
    "leveldb_fixed32/1",
    "leveldb_fixed64/1",
    "crc32c/1",
    "crc32c/2",
    "crc32c_mask/1",
    "crc32c_unmask/1",
    "bloom_version/0",
};

#define EXPECTED ((int)(sizeof(expected) / sizeof(expected[0])))

int main(void) {
  char *error = NULL;
  ok(refused(3019003, "3.19.3"), "3.19.3 is too old and told so");
  ok(refused(3015000, "3.15.0"), "so is 3.15.0");
  ok(load(3019003, "3.19.3", 1000, NULL) == SQLITE_ERROR,
     "also where nobody asks why");

  ok(load(3020000, "3.20.0", 1000, &error) == SQLITE_OK && error == NULL,
     "3.20.0 is not");
  for (int i = 0; i < EXPECTED; i++) {
    char with_end[100];
    snprintf(with_end, sizeof(with_end), "%s ", expected[i]);
    const char *found = strstr(registered, with_end);
    ok(found != NULL && (found == registered || found[-1] == ' '),
       "%s is registered", expected[i]);
  }
  ok(functions + modules == EXPECTED && modules == 1,
     "and nothing else: %d functions and %d eponymous table", functions,
     modules);
  ok(other_flags == 0,
     "each is UTF-8 and innocuous, and all but bloom_open deterministic");

  int failures = 0;
  for (int calls = 0; calls < EXPECTED; calls++) {
    failures += load(3020000, "3.20.0", calls, NULL) == SQLITE_NOMEM;
  }
  ok(failures == EXPECTED, "where one cannot be registered, loading fails");
  failure = SQLITE_BUSY; /* as where it is loaded, and a statement runs */
  ok(load(3020000, "3.20.0", 0, &error) == SQLITE_BUSY && error != NULL &&
         strcmp(error,
                "bloom is loaded in this connection already, and cannot be "
                "loaded again while a statement runs") == 0,
     "and says why, where a statement that runs is the reason");
  free(error);
  error = NULL;
  ok(load(3020000, "3.20.0", 0, NULL) == SQLITE_BUSY,
     "also where nobody asks why");
  ok(blocks == 0, "what is dropped frees what it shared");

  const sqlite3_api_routines other = table_of(3020000);
  ok(sqlite3_bloom_init(NULL, &error, &other) == SQLITE_ERROR &&
         strcmp(error,
                "bloom serves another SQLite library in this process already "
                "(3.20.0, this is 3.20.0): load a copy of its file under "
                "another folder") == 0,
     "a second SQLite library is refused, and told why");
  free(error);
  ok(sqlite3_bloom_init(NULL, NULL, &other) == SQLITE_ERROR,
     "also where nobody asks why");
  ok(load(3020000, "3.20.0", 1000, NULL) == SQLITE_OK,
     "and the first one goes on");
  return tap_done();
}
