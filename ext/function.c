#include "function.h"

#include <stdarg.h>

SQLITE_EXTENSION_INIT3

/* Older headers lack it, and older libraries ignore it. */
#ifndef SQLITE_INNOCUOUS
#define SQLITE_INNOCUOUS 0x000200000
#endif

int bloom_register_functions(sqlite3 *db, const sql_function *functions,
                             size_t n) {
  const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
  for (const sql_function *f = functions; f < functions + n; f++) {
    for (int i = f->min_arguments; i <= f->max_arguments; i++) {
      const int rc = sqlite3_create_function_v2(
          db, f->name, i, flags, (void *)f, f->scalar, f->step, f->final, NULL);
      if (rc != SQLITE_OK) return rc;
    }
  }
  return SQLITE_OK;
}

value_status bloom_read_blob(sqlite3_value *value, byte_span *bytes) {
  bytes->data = sqlite3_value_blob(value);
  bytes->size = (size_t)sqlite3_value_bytes(value);
  /* Uncovered: SQLite 3.40 makes a BLOB that it cannot expand NULL, and ends the
  ** statement with SQLITE_NOMEM itself. */
  return bytes->data == NULL && bytes->size > 0 ? VALUE_NO_MEMORY : VALUE_READ;
}

int bloom_any_null(int argc, sqlite3_value **argv) {
  for (int i = 0; i < argc; i++) {
    if (sqlite3_value_type(argv[i]) == SQLITE_NULL) return 1;
  }
  return 0;
}

int bloom_real_is_integer(double real, sqlite3_int64 *integer) {
  /* -2^63 and 2^63: the conversion of other REALs is undefined. */
  if (!(real >= -9223372036854775808.0 && real < 9223372036854775808.0)) {
    return 0;
  }
  *integer = (sqlite3_int64)real;
  return (double)*integer == real;
}

/* Makes message, which it frees, the error; NULL is out of memory. */
static void result_error(sqlite3_context *context, char *message) {
  if (message == NULL) {
    sqlite3_result_error_nomem(context);
  } else {
    sqlite3_result_error(context, message, -1);
    sqlite3_free(message);
  }
}

static const char *function_name(sqlite3_context *context) {
  return ((const sql_function *)sqlite3_user_data(context))->name;
}

void bloom_function_error(sqlite3_context *context, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *text = sqlite3_vmprintf(format, arguments);
  va_end(arguments);
  result_error(context,
               text == NULL
                   ? NULL
                   : sqlite3_mprintf("%s: %s", function_name(context), text));
  sqlite3_free(text);
}

/* An error shows so many characters of a TEXT. */
#define TEXT_SHOWN 40

/* 1 where UTF-8 text has more characters than an error shows. */
static int is_long(const unsigned char *text) {
  int characters = 0;
  for (; *text != 0 && characters <= TEXT_SHOWN; text++) {
    characters += (*text & 0xc0) != 0x80;
  }
  return characters > TEXT_SHOWN;
}

char *bloom_describe_value(sqlite3_value *value) {
  switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER:
      return sqlite3_mprintf("%lld", sqlite3_value_int64(value));
    case SQLITE_FLOAT:
      return sqlite3_mprintf("%!.15g", sqlite3_value_double(value));
    case SQLITE_TEXT: {
      const unsigned char *text = sqlite3_value_text(value);
      if (text == NULL) return NULL;
      return sqlite3_mprintf("TEXT '%!.*q'%s", TEXT_SHOWN, text,
                             is_long(text) ? "..." : "");
    }
    case SQLITE_BLOB:
      return sqlite3_mprintf("a BLOB of %d byte%s", sqlite3_value_bytes(value),
                             sqlite3_value_bytes(value) == 1 ? "" : "s");
    default:
      return sqlite3_mprintf("NULL");
  }
}

void bloom_argument_error(sqlite3_context *context, const char *argument,
                          const char *must_be, sqlite3_value *got) {
  char *value = bloom_describe_value(got);
  if (value == NULL) {
    sqlite3_result_error_nomem(context);
    return;
  }
  bloom_function_error(context, "%s must be %s, got %s", argument, must_be,
                       value);
  sqlite3_free(value);
}

int bloom_integer_argument(sqlite3_context *context, const char *argument,
                           const char *must_be, sqlite3_int64 low,
                           sqlite3_int64 high, sqlite3_value *value,
                           sqlite3_int64 *integer) {
  int integral = 0;
  switch (sqlite3_value_numeric_type(value)) {
    case SQLITE_INTEGER:
      *integer = sqlite3_value_int64(value);
      integral = 1;
      break;
    case SQLITE_FLOAT:
      integral = bloom_real_is_integer(sqlite3_value_double(value), integer);
      break;
  }
  if (integral && *integer >= low && *integer <= high) return 1;
  bloom_argument_error(context, argument, must_be, value);
  return 0;
}

int bloom_uint32_argument(sqlite3_context *context, const char *argument,
                          sqlite3_value *value, unsigned *integer) {
  sqlite3_int64 wide;
  if (!bloom_integer_argument(context, argument,
                              "an integer from 0 to 4294967295", 0, 0xffffffff,
                              value, &wide)) {
    return 0;
  }
  *integer = (unsigned)wide;
  return 1;
}
