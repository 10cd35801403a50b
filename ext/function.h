/*
** What every SQL function needs: registration, arguments, errors, allocation.
*/
#ifndef BLOOM_FUNCTION_H
#define BLOOM_FUNCTION_H

#include "key.h"

/* ---- Registration. */

/* One SQL function, registered for each number of arguments from min to max. */
typedef struct sql_function {
  const char *name;
  int min_arguments;
  int max_arguments;
  void (*scalar)(sqlite3_context *, int, sqlite3_value **);
  void (*step)(sqlite3_context *, int, sqlite3_value **); /* aggregates */
  void (*final)(sqlite3_context *);
  bool varies; /* the same arguments may give another result */
} sql_function;

/* What all functions of one connection share, at the head of a larger struct.
** Each of its holders lets go of it once, and the last one frees it. */
typedef struct sql_shared {
  int holders;
  void (*free)(struct sql_shared *);
} sql_shared;

void sql_hold(sql_shared *shared);
void sql_let_go(sql_shared *shared);

/* Registers a family's n functions, all UTF-8 and innocuous, and deterministic
** unless they vary; each holds shared. Returns SQLITE_OK or an error code. */
int sql_register_functions(sqlite3 *db, sql_shared *shared,
                           const sql_function *functions, size_t n);

/* The same for a family's table. */
#define SQL_REGISTER(db, shared, table) \
  sql_register_functions(db, shared, table, sizeof(table) / sizeof((table)[0]))

/* What SQLite keeps for a registered function. */
typedef struct sql_registration {
  const sql_function *function;
  sql_shared *shared;
} sql_registration;

/* That of the running function. */
static inline const sql_registration *sql_registered(sqlite3_context *context) {
  return sqlite3_user_data(context);
}

/* ---- Arguments. A function that reads one leaves an error as the result where
** it cannot. */

bool sql_any_null(int argc, sqlite3_value **argv);

/* Reads a value's key bytes: VALUE_READ, VALUE_NULL or VALUE_NO_MEMORY. */
static inline value_status sql_key_argument(sqlite3_context *context,
                                            sqlite3_value *value,
                                            sql_key *key) {
  const value_status status = sql_read_key(value, key);
  if (status == VALUE_NO_MEMORY) sqlite3_result_error_nomem(context);
  return status;
}

/* Whether a value is an INTEGER, an integral REAL or the TEXT of either, from
** low to high, and if so that integer. It leaves no error. */
bool sql_read_integer(sqlite3_value *value, sqlite3_int64 low,
                      sqlite3_int64 high, sqlite3_int64 *integer);

/* Reads such an argument. must_be is what the error says of it. */
bool sql_integer_argument(sqlite3_context *context, const char *argument,
                          const char *must_be, sqlite3_int64 low,
                          sqlite3_int64 high, sqlite3_value *value,
                          sqlite3_int64 *integer);

/* The same for an integer from 0 to 2^32 - 1. */
bool sql_uint32_argument(sqlite3_context *context, const char *argument,
                         sqlite3_value *value, uint32_t *integer);

/* ---- Errors. */

/* Makes an error the result, "FUNCTION: " and the formatted message. */
void sql_error(sqlite3_context *context, const char *format, ...);

/* Makes message the error, and frees it; NULL is out of memory. */
void sql_error_message(sqlite3_context *context, char *message);

/* Makes an error the result: "FUNCTION: ARGUMENT must be WHAT, got VALUE". */
void sql_argument_error(sqlite3_context *context, const char *argument,
                        const char *must_be, sqlite3_value *got);

/* That sentence, and more behind it, which the caller frees with sqlite3_free;
** NULL is out of memory. At most some 200 bytes of the value are in it. */
char *sql_argument_sentence(const char *function, const char *argument,
                            const char *must_be, sqlite3_value *got,
                            const char *more);

/* ---- Allocation, and the end of patience. */

/* Memory of n bytes; where there is none, the result is SQLITE_NOMEM. */
void *sql_allocate(sqlite3_context *context, uint64_t n);

/* Whether sqlite3_interrupt has been called, as far as this SQLite tells (3.41
** and later); if so the result is SQLITE_INTERRUPT. */
bool sql_interrupted(sqlite3_context *context);

#endif
