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

value_status sql_convert_key(sqlite3_value *value, sql_key *key) {
  sqlite3_int64 integer;
  switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER:
      integer = sqlite3_value_int64(value);
      break;
    case SQLITE_FLOAT: {
      const double real = sqlite3_value_double(value);
      uint64_t bits;
      if (sql_real_is_integer(real, &integer)) break;
      memcpy(&bits, &real, sizeof(bits));
      bloom_store_fixed64(key->number, bits);
      key->bytes = (byte_span){key->number, sizeof(bits)};
      return VALUE_READ;
    }
    case SQLITE_TEXT:
      key->bytes.data = sqlite3_value_text(value);
      key->bytes.size = (size_t)sqlite3_value_bytes(value);
      return key->bytes.data == NULL ? VALUE_NO_MEMORY : VALUE_READ;
    default:
      return VALUE_NULL;
  }
  key->bytes.size = bloom_decimal(integer, key->number);
  key->bytes.data = key->number + sizeof(key->number) - key->bytes.size;
  return VALUE_READ;
}
