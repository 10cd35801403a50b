/*
** What every family of SQL functions shares: how functions are registered, how
** arguments are checked, and how a wrong one is reported.
*/
#ifndef BLOOM_FUNCTION_H
#define BLOOM_FUNCTION_H

#include <sqlite3ext.h>
#include <stddef.h>

/* One SQL function, registered for each number of arguments from min to max. */
typedef struct sql_function {
  const char *name;
  int min_arguments;
  int max_arguments;
  void (*scalar)(sqlite3_context *, int, sqlite3_value **);
  void (*step)(sqlite3_context *, int, sqlite3_value **); /* aggregates */
  void (*final)(sqlite3_context *);
} sql_function;

/* Registers a family's n functions, all UTF-8, deterministic and innocuous.
** Returns SQLITE_OK or an error code. */
int bloom_register_functions(sqlite3 *db, const sql_function *functions,
                             size_t n);

/* The same for a family's table. */
#define REGISTER_FAMILY(db, table) \
  bloom_register_functions(db, table, sizeof(table) / sizeof((table)[0]))

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
  VALUE_WRONG_TYPE
} value_status;

/* Reads a BLOB's bytes, which live until the value changes. It may run out of
** memory: a zeroblob is expanded only now. */
value_status bloom_read_blob(sqlite3_value *value, byte_span *bytes);

/* 1 where one of the arguments is NULL. */
int bloom_any_null(int argc, sqlite3_value **argv);

/* 1, and the integer, where a REAL equals a 64-bit integer; 0 elsewhere. */
int bloom_real_is_integer(double real, sqlite3_int64 *integer);

/* A value as an error shows it, which the caller frees with sqlite3_free; NULL
** is out of memory. */
char *bloom_describe_value(sqlite3_value *value);

/* Makes an error the result:
** "FUNCTION: ARGUMENT must be WHAT, got VALUE". */
void bloom_argument_error(sqlite3_context *context, const char *argument,
                          const char *must_be, sqlite3_value *got);

/* Makes an error the result, "FUNCTION: " and the formatted message. */
void bloom_function_error(sqlite3_context *context, const char *format, ...);

/* Reads an argument that is an INTEGER, an integral REAL or the TEXT of either,
** from low to high. Returns 1, or 0 with an error as the result that says what
** it must be. */
int bloom_integer_argument(sqlite3_context *context, const char *argument,
                           const char *must_be, sqlite3_int64 low,
                           sqlite3_int64 high, sqlite3_value *value,
                           sqlite3_int64 *integer);

/* The same for an integer from 0 to 2^32 - 1. */
int bloom_uint32_argument(sqlite3_context *context, const char *argument,
                          sqlite3_value *value, unsigned *integer);

#define MAX_BITS_PER_KEY 100
#define BITS_PER_KEY_MUST_BE \
  "an integer from 1 to 100 (bits for each key, not in total)"

/* The families: each registers its functions and returns SQLITE_OK or an error
** code. */
int bloom_register_filter_functions(sqlite3 *db);   /* filter.c */
int bloom_register_info_functions(sqlite3 *db);     /* info.c */
int bloom_register_planning_functions(sqlite3 *db); /* planning.c */
int bloom_register_leveldb_functions(sqlite3 *db);  /* leveldb.c */
int bloom_register_checksum_functions(sqlite3 *db); /* checksum.c */

#endif
