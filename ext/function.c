#include "function.h"

#include <stdarg.h>

#include "compat.h"

/* ---- Errors. */

bool sql_no_memory(sqlite3_context *context) {
  sqlite3_result_error_nomem(context);
  return false;
}

/* The length of the character of UTF-8 that a text of at least one byte begins
** with, or 0 if there is none. The text ends with a NUL. */
static size_t character_length(const unsigned char *text) {
  if (text[0] < 0x80) return 1;
  if (text[0] < 0xc2 || text[0] > 0xf4) return 0;
  const size_t length = text[0] < 0xe0 ? 2 : text[0] < 0xf0 ? 3 : 4;
  for (size_t i = 1; i < length; i++) {
    if ((text[i] & 0xc0) != 0x80) return 0;
  }
  /* Overlong encodings, surrogates, and what is beyond U+10FFFF. */
  const unsigned start = (unsigned)text[0] << 8 | text[1];
  const bool wrong = (start >= 0xe080 && start < 0xe0a0) ||
                     (start >= 0xeda0 && start < 0xee00) ||
                     (start >= 0xf080 && start < 0xf090) || start >= 0xf490;
  return wrong ? 0 : length;
}

void sql_make_utf8(char *bytes) {
  unsigned char *text = (unsigned char *)bytes;
  while (*text != 0) {
    const size_t length = character_length(text);
    if (length == 0) *text = '?';
    text += length == 0 ? 1 : length;
  }
}

char *sql_message(const char *function, char *text) {
  if (text == NULL) return NULL;
  char *message = sqlite3_mprintf("%s: %s", function, text);
  sqlite3_free(text);
  if (message != NULL) sql_make_utf8(message);
  return message;
}

bool sql_error_text(sqlite3_context *context, int code, char *text) {
  char *message = sql_message(sql_function_name(context), text);
  if (message == NULL) return sql_no_memory(context);
  sqlite3_result_error(context, message, -1);
  sqlite3_result_error_code(context, code);
  sqlite3_free(message);
  return false;
}

bool sql_error(sqlite3_context *context, int code, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *text = sqlite3_vmprintf(format, arguments);
  va_end(arguments);
  return sql_error_text(context, code, text);
}

/* An error shows at most this many characters of a TEXT, and at most as many
** bytes as this many characters of UTF-8 can have. */
#define CHARACTERS_SHOWN 40
#define BYTES_SHOWN (4 * CHARACTERS_SHOWN)

int sql_bytes_shown(const char *text) {
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
      const char *text = (const char *)sqlite3_value_text(value);
      if (text == NULL) return NULL;
      const int bytes = sql_bytes_shown(text);
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

char *sql_argument_text(const char *argument, const char *must_be,
                        sqlite3_value *value, const char *more) {
  char *got = describe_value(value);
  if (got == NULL) return NULL;
  char *text =
      sqlite3_mprintf("%s must be %s, got %s%s", argument, must_be, got, more);
  sqlite3_free(got);
  return text;
}

bool sql_argument_error(sqlite3_context *context, const char *argument,
                        const char *must_be, sqlite3_value *value,
                        const char *more) {
  return sql_error_text(context, SQLITE_ERROR,
                        sql_argument_text(argument, must_be, value, more));
}

/* ---- Arguments. */

bool sql_any_null(int argc, sqlite3_value **argv) {
  for (int i = 0; i < argc; i++) {
    if (sqlite3_value_type(argv[i]) == SQLITE_NULL) return true;
  }
  return false;
}

bool sql_integer_argument(sqlite3_context *context, const char *argument,
                          sqlite3_int64 low, sqlite3_int64 high,
                          const char *note, sqlite3_value *value,
                          sqlite3_int64 *integer) {
  const int type = sqlite3_value_numeric_type(value);
  *integer = sqlite3_value_int64(value);
  if ((type == SQLITE_INTEGER ||
       (type == SQLITE_FLOAT &&
        sql_real_is_integer(sqlite3_value_double(value), integer))) &&
      *integer >= low && *integer <= high) {
    return true;
  }
  const char *format = high < INT64_MAX  ? "an integer from %lld to %lld"
                       : low > INT64_MIN ? "an integer, %lld or more"
                                         : "an integer of 64 bits";
  char range[60], must_be[200];
  sqlite3_snprintf(sizeof(range), range, format, low, high);
  sqlite3_snprintf(sizeof(must_be), must_be, note == NULL ? "%s" : "%s (%s)",
                   range, note);
  return sql_argument_error(context, argument, must_be, value, NULL);
}

bool sql_uint32_argument(sqlite3_context *context, const char *argument,
                         uint32_t low, uint32_t high, sqlite3_value *value,
                         uint32_t *integer) {
  sqlite3_int64 wide;
  if (!sql_integer_argument(context, argument, low, high, NULL, value, &wide)) {
    return false;
  }
  *integer = (uint32_t)wide;
  return true;
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
