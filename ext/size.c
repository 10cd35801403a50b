#include "size.h"

#include "core/bloom.h"

bool sql_size_arguments(sqlite3_context *context, int argc,
                        sqlite3_value **argv, sql_size *size) {
  sqlite3_int64 bits_per_key = DEFAULT_BITS_PER_KEY, capacity;
  if (argc >= 1 &&
      !sql_bits_per_key_argument(context, argv[0], &bits_per_key)) {
    return false;
  }
  if (!sql_same_in_group(context, "bits_per_key", bits_per_key,
                         &size->bits_per_key)) {
    return false;
  }
  if (argc < 2) return true;
  return sql_integer_argument(context, "capacity", 1, INT64_MAX,
                              "a number of keys", argv[1], &capacity) &&
         sql_same_in_group(context, "capacity", capacity, &size->capacity);
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
            "bytes, and this connection's limit is %d (SQLITE_LIMIT_LENGTH)",
            keys, (int)bits_per_key, at_least, limit);
  return 0;
}
