#include "key.h"

#include <string.h>

#include "core/coding.h"
#include "core/decimal.h"

value_status sql_read_blob(sqlite3_value *value, byte_span *bytes) {
  bytes->data = sqlite3_value_blob(value);
  bytes->size = (size_t)sqlite3_value_bytes(value);
  if (bytes->data != NULL) return VALUE_READ;
  bytes->data = "";
  /* Uncovered: SQLite 3.40 makes a BLOB that it cannot expand NULL, and ends
  ** the statement with SQLITE_NOMEM itself. */
  return bytes->size > 0 ? VALUE_NO_MEMORY : VALUE_READ;
}

bool sql_real_is_integer(double real, sqlite3_int64 *integer) {
  /* Converting a REAL below -2^63, or 2^63 and above, is undefined in C. */
  if (!(real >= -9223372036854775808.0 && real < 9223372036854775808.0)) {
    return false;
  }
  *integer = (sqlite3_int64)real;
  return (double)*integer == real;
}

static size_t format_real(double real, unsigned char number[24]) {
  sqlite3_int64 integer;
  if (sql_real_is_integer(real, &integer)) {
    return bloom_decimal(integer, number);
  }
  uint64_t bits;
  memcpy(&bits, &real, sizeof(bits));
  bloom_store_fixed64(number, bits);
  return sizeof(bits);
}

value_status sql_read_key(sqlite3_value *value, sql_key *key) {
  byte_span *bytes = &key->bytes;
  switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER:
      bytes->data = key->number;
      bytes->size = bloom_decimal(sqlite3_value_int64(value), key->number);
      return VALUE_READ;
    case SQLITE_FLOAT:
      bytes->data = key->number;
      bytes->size = format_real(sqlite3_value_double(value), key->number);
      return VALUE_READ;
    case SQLITE_TEXT:
      bytes->data = sqlite3_value_text(value);
      bytes->size = (size_t)sqlite3_value_bytes(value);
      return bytes->data == NULL ? VALUE_NO_MEMORY : VALUE_READ;
    case SQLITE_BLOB:
      return sql_read_blob(value, bytes);
    default:
      return VALUE_NULL;
  }
}
