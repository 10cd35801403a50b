/*
** How a SQL value becomes key bytes, the same for keys and for data, in any
** database encoding:
**
**   BLOB                    its bytes
**   TEXT                    its UTF-8 bytes, embedded NULs included
**   INTEGER                 its decimal text
**   REAL that equals a      that integer's decimal text, since SQL holds 1 = 1.0
**   64-bit integer
**   any other REAL          its 8 IEEE 754 bytes, little-endian
**   NULL                    none
*/
#ifndef BLOOM_KEY_H
#define BLOOM_KEY_H

#include <stdint.h>

#include "function.h"

/* Key bytes and, for a number, the room they stand in. Never copied: bytes may
** point into number. */
typedef struct sql_key {
  byte_span bytes;
  unsigned char number[24];
} sql_key;

/* Reads a value's key bytes, which live until the value or *key changes. No
** value is of a wrong type. */
value_status bloom_read_key(sqlite3_value *value, sql_key *key);

/* The hash of a value's key bytes that a filter takes. */
value_status bloom_hash_value(sqlite3_value *value, uint32_t *hash);

#endif
