#include "key.h"

#include <string.h>

#include "core/coding.h"

bool sql_real_is_integer(double real, sqlite3_int64 *integer) {
  /* Converting a REAL below -2^63, or 2^63 and above, is undefined in C. */
  if (!(real >= -9223372036854775808.0 && real < 9223372036854775808.0)) {
    return false;
  }
  *integer = (sqlite3_int64)real;
  return (double)*integer == real;
}

/* These write a number's key bytes into the key's own array. */
static void write_integer(sqlite3_int64 integer, sql_key *key) {
  key->bytes.size = bloom_decimal(integer, key->number);
  key->bytes.data = key->number + sizeof(key->number) - key->bytes.size;
}

static void write_real(double real, sql_key *key) {
  sqlite3_int64 integer;
  uint64_t bits;
  if (sql_real_is_integer(real, &integer)) {
    write_integer(integer, key);
    return;
  }
  memcpy(&bits, &real, sizeof(bits));
  bloom_store_fixed64(key->number, bits);
  key->bytes.data = key->number;
  key->bytes.size = sizeof(bits);
}

value_status sql_convert_key(sqlite3_value *value, sql_key *key) {
  byte_span *bytes = &key->bytes;
  switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER:
      write_integer(sqlite3_value_int64(value), key);
      return VALUE_READ;
    case SQLITE_FLOAT:
      write_real(sqlite3_value_double(value), key);
      return VALUE_READ;
    case SQLITE_TEXT:
      bytes->data = sqlite3_value_text(value);
      bytes->size = (size_t)sqlite3_value_bytes(value);
      return bytes->data == NULL ? VALUE_NO_MEMORY : VALUE_READ;
    default:
      return VALUE_NULL;
  }
}
