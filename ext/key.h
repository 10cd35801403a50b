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

#include <sqlite3ext.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/decimal.h"

SQLITE_EXTENSION_INIT3 /* declares SQLite's table of routines */

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

/* Reads a value's key bytes, which stay valid until the value or *key changes.
** Every value but NULL has key bytes, so the result is never VALUE_WRONG. */
value_status sql_read_key(sqlite3_value *value, sql_key *key);

/* Reads the bytes of a BLOB, or of a TEXT in UTF-8, which stay valid until the
** value changes. This can run out of memory, since SQLite expands a zeroblob
** only now. */
value_status sql_read_blob(sqlite3_value *value, byte_span *bytes);

/* Whether a REAL equals a 64-bit integer, and if so that integer. */
bool sql_real_is_integer(double real, sqlite3_int64 *integer);

#endif
