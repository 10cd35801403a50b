/*
** The arguments parts, bits_per_key and capacity, which say how large a filter
** is. On failure, each function here makes an error the result and returns
** false or 0.
*/
#ifndef BLOOM_SIZE_H
#define BLOOM_SIZE_H

#include "function.h"

/* Reads a number of parts. *parts is that of the earlier rows of a group, or 0
** before the first. */
bool sql_parts_argument(sqlite3_context *context, sqlite3_value *value,
                        sqlite3_int64 *parts);

/* Reads bits_per_key, from 1 to MAX_BITS_PER_KEY. *bits_per_key is that of the
** earlier rows of a group, or 0 before the first, and where there is no
** group. */
#define MAX_BITS_PER_KEY 100
#define DEFAULT_BITS_PER_KEY 10
bool sql_bits_per_key_argument(sqlite3_context *context, sqlite3_value *value,
                               sqlite3_int64 *bits_per_key);

/* The arguments of a group of rows, in all of which they must be the same. */
typedef struct sql_size {
  sqlite3_int64 bits_per_key; /* 0 before the first row */
  sqlite3_int64 capacity;     /* 0 if it is not given */
} sql_size;

/* Reads the arguments bits_per_key [, capacity] of a row. */
bool sql_given_size(sqlite3_context *context, int argc, sqlite3_value **argv,
                    sql_size *size);

/* The same where bits_per_key is optional, too: argc may be 0. */
static inline bool sql_size_arguments(sqlite3_context *context, int argc,
                                      sqlite3_value **argv, sql_size *size) {
  if (argc > 0) return sql_given_size(context, argc, argv, size);
  size->bits_per_key = DEFAULT_BITS_PER_KEY;
  return true;
}

/* The length of the filter of this many keys. If it is longer than
** SQLITE_LIMIT_LENGTH allows, the error has the code SQLITE_TOOBIG. */
size_t sql_allowed_length(sqlite3_context *context, uint64_t keys,
                          sqlite3_int64 bits_per_key);

#endif
