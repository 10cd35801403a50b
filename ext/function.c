#include "function.h"

#include <stdarg.h>
#include <string.h>

/* Older headers lack it, and older libraries ignore it. */
#ifndef SQLITE_INNOCUOUS
#define SQLITE_INNOCUOUS 0x000200000
#endif

/* ---- Registration. */

void sql_hold(sql_shared *shared) {
  shared->holders++;
}

void sql_let_go(sql_shared *shared) {
  if (--shared->holders == 0) shared->free(shared);
}

static void end_registration(void *data) {
  sql_registration *ended = data;
  sql_let_go(ended->shared);
  sqlite3_free(ended);
}

static int register_function(sqlite3 *db, sql_shared *shared,
                             const sql_function *f, int arguments) {
  const int flags = SQLITE_UTF8 | SQLITE_INNOCUOUS;
  sql_registration *data = sqlite3_malloc64(sizeof(*data));
  if (data == NULL) return SQLITE_NOMEM;
  *data = (sql_registration){f, shared};
  sql_hold(shared);
  /* Where it fails, it has called end_registration. */
  return sqlite3_create_function_v2(
      db, f->name, arguments, f->varies ? flags : flags | SQLITE_DETERMINISTIC,
      data, f->scalar, f->step, f->final, end_registration);
}

int sql_register_functions(sqlite3 *db, sql_shared *shared,
                           const sql_function *functions, size_t n) {
  for (const sql_function *f = functions; f < functions + n; f++) {
    for (int i = f->min_arguments; i <= f->max_arguments; i++) {
      const int rc = register_function(db, shared, f, i);
      if (rc != SQLITE_OK) return rc;
    }
  }
  return SQLITE_OK;
}

/* ---- Errors. */

void sql_error_message(sqlite3_context *context, char *message) {
  if (message == NULL) {
    sqlite3_result_error_nomem(context);
  } else {
    sqlite3_result_error(context, message, -1);
    sqlite3_free(message);
  }
}

void sql_error(sqlite3_context *context, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *text = sqlite3_vmprintf(format, arguments);
  va_end(arguments);
  sql_error_message(
      context,
      text == NULL
          ? NULL
          : sqlite3_mprintf("%s: %s", sql_registered(context)->function->name,
                            text));
  sqlite3_free(text);
}

/* An error shows so many characters of a TEXT, and no more bytes than as many
** characters of UTF-8 have. */
#define CHARACTERS_SHOWN 40
#define BYTES_SHOWN (4 * CHARACTERS_SHOWN)

/* Number of bytes of a text that an error shows. */
static int bytes_shown(const unsigned char *text) {
  int bytes = 0;
  for (int characters = 0; text[bytes] != 0; bytes++) {
    characters += (text[bytes] & 0xc0) != 0x80;
    if (characters > CHARACTERS_SHOWN || bytes == BYTES_SHOWN) break;
  }
  return bytes;
}

/* A value as an error shows it. */
static char *describe_value(sqlite3_value *value) {
  switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER:
      return sqlite3_mprintf("%lld", sqlite3_value_int64(value));
    case SQLITE_FLOAT:
      return sqlite3_mprintf("%!.15g", sqlite3_value_double(value));
    case SQLITE_TEXT: {
      const unsigned char *text = sqlite3_value_text(value);
      if (text == NULL) return NULL;
      const int bytes = bytes_shown(text);
      return sqlite3_mprintf("TEXT '%.*q'%s", bytes, text,
                             text[bytes] == 0 ? "" : "...");
    }
    case SQLITE_BLOB:
      return sqlite3_mprintf("a BLOB of %d byte%s", sqlite3_value_bytes(value),
                             sqlite3_value_bytes(value) == 1 ? "" : "s");
    default:
      return sqlite3_mprintf("NULL");
  }
}

char *sql_argument_sentence(const char *function, const char *argument,
                            const char *must_be, sqlite3_value *got,
                            const char *more) {
  char *value = describe_value(got);
  if (value == NULL) return NULL;
  char *sentence = sqlite3_mprintf("%s: %s must be %s, got %s%s", function,
                                   argument, must_be, value, more);
  sqlite3_free(value);
  return sentence;
}

void sql_argument_error(sqlite3_context *context, const char *argument,
                        const char *must_be, sqlite3_value *got) {
  sql_error_message(
      context, sql_argument_sentence(sql_registered(context)->function->name,
                                     argument, must_be, got, ""));
}

/* ---- Arguments. */

bool sql_any_null(int argc, sqlite3_value **argv) {
  for (int i = 0; i < argc; i++) {
    if (sqlite3_value_type(argv[i]) == SQLITE_NULL) return true;
  }
  return false;
}

bool sql_read_integer(sqlite3_value *value, sqlite3_int64 low,
                      sqlite3_int64 high, sqlite3_int64 *integer) {
  switch (sqlite3_value_numeric_type(value)) {
    case SQLITE_INTEGER:
      *integer = sqlite3_value_int64(value);
      break;
    case SQLITE_FLOAT:
      if (sql_real_is_integer(sqlite3_value_double(value), integer)) break;
      return false;
    default:
      return false;
  }
  return *integer >= low && *integer <= high;
}

bool sql_integer_argument(sqlite3_context *context, const char *argument,
                          const char *must_be, sqlite3_int64 low,
                          sqlite3_int64 high, sqlite3_value *value,
                          sqlite3_int64 *integer) {
  if (sql_read_integer(value, low, high, integer)) return true;
  sql_argument_error(context, argument, must_be, value);
  return false;
}

bool sql_uint32_argument(sqlite3_context *context, const char *argument,
                         sqlite3_value *value, uint32_t *integer) {
  sqlite3_int64 wide;
  if (!sql_integer_argument(context, argument,
                            "an integer from 0 to 4294967295", 0, 0xffffffff,
                            value, &wide)) {
    return false;
  }
  *integer = (uint32_t)wide;
  return true;
}

/* ---- Allocation, and the end of patience. */

void *sql_allocate(sqlite3_context *context, uint64_t n) {
  void *memory = sqlite3_malloc64(n);
  if (memory == NULL) sqlite3_result_error_nomem(context);
  return memory;
}

/*
** 3.41 appended sqlite3_is_interrupted to the table of routines. The headers of
** 3.40, Debian's, end right before it; a loaded extension that is built with
** them finds it there all the same.
*/
#if SQLITE_VERSION_NUMBER >= 3041000
#define IS_INTERRUPTED(db) sqlite3_is_interrupted(db)
#elif SQLITE_VERSION_NUMBER >= 3040000 && !defined(SQLITE_CORE)
static int is_interrupted(sqlite3 *db) {
  int (*routine)(sqlite3 *);
  memcpy(&routine, sqlite3_api + 1, sizeof(routine));
  return routine(db);
}
#define IS_INTERRUPTED(db) is_interrupted(db)
#else
#define IS_INTERRUPTED(db) ((void)(db), 0)
#endif

bool sql_interrupted(sqlite3_context *context) {
  if (sqlite3_libversion_number() < 3041000 ||
      !IS_INTERRUPTED(sqlite3_context_db_handle(context))) {
    return false;
  }
  sqlite3_result_error_code(context, SQLITE_INTERRUPT);
  return true;
}
