/*
** How a SQL value becomes bytes. The key bytes of a value, which are also the
** input of the functions that hash data, are the same in a database of any
** encoding:
**
**   BLOB                    its bytes
**   TEXT                    its UTF-8 bytes, embedded NULs included
**   INTEGER                 its decimal text
**   REAL that equals a      that integer's decimal text, since 1 = 1.0 in SQL
**   64-bit integer
**   any other REAL          its 8 IEEE 754 bytes, little-endian
**   NULL                    none
*/
#ifndef BLOOM_KEY_H
#define BLOOM_KEY_H

#include "compat.h"
#include "core/decimal.h"

/* The bytes that a SQL value holds. data is not NULL, even where size is 0. */
typedef struct byte_span {
  const void *data;
  size_t size;
} byte_span;

/* The outcome of reading a SQL value. */
typedef enum value_status {
  VALUE_READ,
  VALUE_NULL,
  VALUE_NO_MEMORY,
  VALUE_WRONG /* a value that this argument does not accept */
} value_status;

/* Key bytes and, for a number, the array that contains them. A sql_key must not
** be copied, since bytes may point into its own number. */
typedef struct sql_key {
  byte_span bytes;
  unsigned char number[BLOOM_DECIMAL_SIZE];
} sql_key;

/* Reads the bytes of a BLOB, or of a TEXT in UTF-8, which stay valid until the
** value changes. This can run out of memory, since SQLite expands a zeroblob
** only now. */
static inline value_status sql_read_blob(sqlite3_value *value,
                                         byte_span *bytes) {
  bytes->data = sqlite3_value_blob(value);
  bytes->size = (size_t)sqlite3_value_bytes(value);
  if (bytes->data != NULL) return VALUE_READ;
  bytes->data = "";
  /* Uncovered: SQLite 3.40 makes a BLOB that it cannot expand NULL, and ends
  ** the statement with SQLITE_NOMEM itself. */
  return bytes->size > 0 ? VALUE_NO_MEMORY : VALUE_READ;
}

/* Reads the key bytes of a value that does not hold them: a number, a TEXT in
** another encoding, or NULL. */
value_status sql_convert_key(sqlite3_value *value, sql_key *key);

/* Reads a value's key bytes, which stay valid until the value or *key changes.
** Every value but NULL has key bytes, so the result is never VALUE_WRONG. */
static inline value_status sql_read_key(sqlite3_value *value, sql_key *key) {
  const int type = sqlite3_value_type(value);
  const bool held =
      type == SQLITE_BLOB || (type == SQLITE_TEXT && sql_is_utf8(value));
  return held ? sql_read_blob(value, &key->bytes) : sql_convert_key(value, key);
}

/* Whether a REAL equals a 64-bit integer, and if so that integer. */
bool sql_real_is_integer(double real, sqlite3_int64 *integer);

#endif
