#include "key.h"

#include <string.h>

#include "core/bloom.h"
#include "core/coding.h"
#include "core/decimal.h"

SQLITE_EXTENSION_INIT3

static size_t format_real(double real, unsigned char number[24]) {
  sqlite3_int64 integer;
  if (bloom_real_is_integer(real, &integer))
    return bloom_decimal(integer, number);
  uint64_t bits;
  memcpy(&bits, &real, sizeof(bits));
  bloom_store_fixed64(number, bits);
  return sizeof(bits);
}

value_status bloom_read_key(sqlite3_value *value, sql_key *key) {
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
      return bloom_read_blob(value, bytes);
    default:
      return VALUE_NULL;
  }
}

value_status bloom_hash_value(sqlite3_value *value, uint32_t *hash) {
  sql_key key;
  const value_status status = bloom_read_key(value, &key);
  if (status == VALUE_READ) {
    *hash = bloom_key_hash(key.bytes.data, key.bytes.size);
  }
  return status;
}
