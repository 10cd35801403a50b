#include "function.h"

#include <stdarg.h>

#include "compat.h"

/* ---- Registration. */

void sql_retain(sql_shared *shared) {
  shared->holders++;
}

void sql_release(sql_shared *shared) {
  if (--shared->holders == 0) shared->free(shared);
}

static void end_registration(void *data) {
  sql_registration *ended = data;
  sql_release(ended->shared);
  sqlite3_free(ended);
}

int sql_register_function(sqlite3 *db, sql_shared *shared,
                          const sql_function *function, int arguments) {
  int flags = SQLITE_UTF8;
  flags |= function->direct_only ? SQLITE_DIRECTONLY : SQLITE_INNOCUOUS;
  if (!function->nondeterministic) flags |= SQLITE_DETERMINISTIC;
  sql_registration *data = sqlite3_malloc64(sizeof(*data));
  if (data == NULL) return SQLITE_NOMEM;
  *data = (sql_registration){function, shared};
  sql_retain(shared);
  /* If either call fails, it has already called end_registration. */
  if (function->module != NULL) {
    return sqlite3_create_module_v2(db, function->name, function->module, data,
                                    end_registration);
  }
  return sqlite3_create_function_v2(db, function->name, arguments, flags, data,
                                    function->scalar, function->step,
                                    function->final, end_registration);
}

void sql_unregister_function(sqlite3 *db, const sql_function *function,
                             int arguments) {
  sqlite3_create_function_v2(db, function->name, arguments, SQLITE_UTF8, NULL,
                             NULL, NULL, NULL, NULL);
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

/* An error shows at most this many characters of a TEXT, and at most as many
** bytes as this many characters of UTF-8 can have. */
#define CHARACTERS_SHOWN 40
#define BYTES_SHOWN (4 * CHARACTERS_SHOWN)

/* Number of bytes of a TEXT that an error shows. */
static int bytes_shown(const unsigned char *text) {
  int bytes = 0;
  for (int characters = 0; text[bytes] != 0; bytes++) {
    characters += (text[bytes] & 0xc0) != 0x80;
    if (characters > CHARACTERS_SHOWN || bytes == BYTES_SHOWN) break;
  }
  return bytes;
}

/* The text that describes a value in an error; NULL if out of memory. */
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

char *sql_argument_message(const char *function, const char *argument,
                           const char *must_be, sqlite3_value *got,
                           const char *more) {
  char *value = describe_value(got);
  if (value == NULL) return NULL;
  char *message = sqlite3_mprintf("%s: %s must be %s, got %s%s", function,
                                  argument, must_be, value, more);
  sqlite3_free(value);
  return message;
}

void sql_argument_error(sqlite3_context *context, const char *argument,
                        const char *must_be, sqlite3_value *got) {
  sql_error_message(
      context, sql_argument_message(sql_registered(context)->function->name,
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

bool sql_bits_per_key_argument(sqlite3_context *context, sqlite3_value *value,
                               sqlite3_int64 *bits_per_key) {
  return sql_integer_argument(
      context, "bits_per_key",
      "an integer from 1 to 100 (bits for each key, not in total)", 1,
      MAX_BITS_PER_KEY, value, bits_per_key);
}

/* ---- Allocation and interrupts. */

void *sql_allocate(sqlite3_context *context, uint64_t n) {
  void *memory = sqlite3_malloc64(n);
  if (memory == NULL) sqlite3_result_error_nomem(context);
  return memory;
}

bool sql_interrupted(sqlite3_context *context) {
  if (!sql_is_interrupted(sqlite3_context_db_handle(context))) return false;
  sqlite3_result_error_code(context, SQLITE_INTERRUPT);
  return true;
}
