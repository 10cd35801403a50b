/*
** How a SQL value becomes bytes: the key bytes of any value, the same for keys
** and for data in any database encoding, and the bytes of a BLOB.
**
**   BLOB                    its bytes
**   TEXT                    its UTF-8 bytes, embedded NULs included
**   INTEGER                 its decimal text
**   REAL that equals a      that integer's decimal text, since SQL holds
**   64-bit integer          1 = 1.0
**   any other REAL          its 8 IEEE 754 bytes, little-endian
**   NULL                    none
*/
#ifndef BLOOM_KEY_H
#define BLOOM_KEY_H

#include <sqlite3ext.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

SQLITE_EXTENSION_INIT3 /* where SQLite is called through its routines */

/* The bytes that a SQL value holds; data may be NULL where size is 0. */
typedef struct byte_span {
  const void *data;
  size_t size;
} byte_span;

/* What came of reading a SQL value. */
typedef enum value_status {
  VALUE_READ,
  VALUE_NULL,
  VALUE_NO_MEMORY,
  VALUE_WRONG /* no value of this kind is taken here */
} value_status;

/* Key bytes and, for a number, the room they stand in. Never copied: bytes may
** point into number. */
typedef struct sql_key {
  byte_span bytes;
  unsigned char number[24];
} sql_key;

/* Reads a value's key bytes, which live until the value or *key changes. Every
** value but NULL has some: it is never VALUE_WRONG. */
value_status sql_read_key(sqlite3_value *value, sql_key *key);

/* Reads a BLOB's bytes, which live until the value changes. It may run out of
** memory: a zeroblob is expanded only now. */
value_status sql_read_blob(sqlite3_value *value, byte_span *bytes);

/* Whether a REAL equals a 64-bit integer, and if so that integer. */
bool sql_real_is_integer(double real, sqlite3_int64 *integer);

#endif
