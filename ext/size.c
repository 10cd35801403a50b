#include "size.h"

#include <string.h>

#include "open_filter.h"

/* Whether a value is the INTEGER that an argument was in the first row of its
** group, and so need not be read as an argument again. The first is 0, which no
** argument can be, before that row. */
static inline bool repeats(sqlite3_value *value, sqlite3_int64 first) {
  return first != 0 && sqlite3_value_type(value) == SQLITE_INTEGER &&
         sqlite3_value_int64(value) == first;
}

#define BITS_PER_KEY "bits_per_key"

/* The remedy where a second column stands in the place of bits_per_key. */
#define COLUMNS_NOTE \
  "a key of several columns is one expression: quote(a) || ',' || quote(b)"

/* Reads an argument of a group of rows, in all of which it must be the same. */
static bool in_group(sqlite3_context *context, const char *argument,
                     sqlite3_int64 high, const char *note, sqlite3_value *value,
                     sqlite3_int64 *first) {
  sqlite3_int64 now;
  if (!sql_integer_argument(context, argument, 1, high, note, value, &now)) {
    return false;
  }
  if (*first == 0) *first = now;
  return *first == now ||
         sql_error(
             context, SQLITE_ERROR,
             "%s must be the same in every row of a group, got %lld after "
             "%lld%s",
             argument, now, *first,
             strcmp(argument, BITS_PER_KEY) == 0 ? " (" COLUMNS_NOTE ")" : "");
}

bool sql_parts_argument(sqlite3_context *context, sqlite3_value *value,
                        sqlite3_int64 *parts) {
  return repeats(value, *parts) ||
         in_group(context, "parts", MAX_PARTS, NULL, value, parts);
}

bool sql_bits_per_key_argument(sqlite3_context *context, sqlite3_value *value,
                               sqlite3_int64 *bits_per_key) {
  return repeats(value, *bits_per_key) ||
         in_group(context, BITS_PER_KEY, MAX_BITS_PER_KEY,
                  sqlite3_value_type(value) == SQLITE_TEXT
                      ? COLUMNS_NOTE
                      : "bits for each key, not in total",
                  value, bits_per_key);
}

bool sql_given_size(sqlite3_context *context, int argc, sqlite3_value **argv,
                    sql_size *size) {
  return sql_bits_per_key_argument(context, argv[0], &size->bits_per_key) &&
         (argc < 2 || repeats(argv[1], size->capacity) ||
          in_group(context, "capacity", INT64_MAX, "a number of keys", argv[1],
                   &size->capacity));
}

size_t sql_allowed_length(sqlite3_context *context, uint64_t keys,
                          sqlite3_int64 bits_per_key) {
  const uint64_t length = bloom_filter_size(keys, (int)bits_per_key);
  const int limit = sqlite3_limit(sqlite3_context_db_handle(context),
                                  SQLITE_LIMIT_LENGTH, -1);
  if (length <= (uint64_t)limit) return (size_t)length;
  /* UINT64_MAX stands for a filter of more than 2^64 bits. */
  const uint64_t at_least = length == UINT64_MAX ? (uint64_t)1 << 61 : length;
  sql_error(context, SQLITE_TOOBIG,
            "the filter of %llu keys at %d bits for each takes at least %llu "
            "bytes, and this connection's limit is %d (SQLITE_LIMIT_LENGTH): "
            "keep the keys in parts, or in more of them",
            keys, (int)bits_per_key, at_least, limit);
  return 0;
}
