/*
** What every SQL function needs: registration, arguments, errors, allocation.
**
** Out of memory is reported in one way: a function that has a sqlite3_context
** makes SQLITE_NOMEM the result; any other returns NULL, false, SQLITE_NOMEM or
** VALUE_NO_MEMORY. All memory comes from SQLite's allocator, and what a caller
** has to free, it frees with sqlite3_free.
*/
#ifndef BLOOM_FUNCTION_H
#define BLOOM_FUNCTION_H

#include "key.h"

/* ---- Registration. */

/* One SQL function, registered once for each number of arguments from min to
** max: scalar, aggregate (step and final) or table-valued (module). */
typedef struct sql_function {
  const char *name;
  int min_arguments;
  int max_arguments;
  void (*scalar)(sqlite3_context *, int, sqlite3_value **);
  void (*step)(sqlite3_context *, int, sqlite3_value **);
  void (*final)(sqlite3_context *);
  const sqlite3_module *module;
  bool nondeterministic; /* the same arguments may give another result */
  bool direct_only;      /* not allowed in views, triggers and schemas */
} sql_function;

/* The state that all functions of one connection share. It is the first member
** of a larger struct, which is freed when its last holder releases it. */
typedef struct sql_shared {
  int holders;
  void (*free)(struct sql_shared *);
} sql_shared;

void sql_retain(sql_shared *shared);
void sql_release(sql_shared *shared);

/* The user data of a registered function. */
typedef struct sql_registration {
  const sql_function *function;
  sql_shared *shared;
} sql_registration;

/* The user data of the running function. */
static inline const sql_registration *sql_registered(sqlite3_context *context) {
  return sqlite3_user_data(context);
}

/* Registers one function for one number of arguments, as UTF-8, innocuous
** unless it is direct_only, and deterministic unless it is nondeterministic.
** The registration retains shared. Returns SQLITE_OK or an error code, which is
** SQLITE_BUSY if a function of this name and number of arguments exists and a
** statement runs. */
int sql_register_function(sqlite3 *db, sql_shared *shared,
                          const sql_function *function, int arguments);

/* Removes such a registration. SQLite refuses that while a statement runs; the
** function then goes on working. */
void sql_unregister_function(sqlite3 *db, const sql_function *function,
                             int arguments);

/* ---- Arguments. Each function here that takes a context makes an error the
** result if it cannot read the argument. */

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
** low to high, and if so that integer. */
bool sql_read_integer(sqlite3_value *value, sqlite3_int64 low,
                      sqlite3_int64 high, sqlite3_int64 *integer);

/* Reads such an argument. must_be stands in the error's message, as in
** sql_argument_error. */
bool sql_integer_argument(sqlite3_context *context, const char *argument,
                          const char *must_be, sqlite3_int64 low,
                          sqlite3_int64 high, sqlite3_value *value,
                          sqlite3_int64 *integer);

/* The same for an integer from 0 to 2^32 - 1. */
bool sql_uint32_argument(sqlite3_context *context, const char *argument,
                         sqlite3_value *value, uint32_t *integer);

/* The same for bits_per_key, an integer from 1 to MAX_BITS_PER_KEY. */
#define MAX_BITS_PER_KEY 100
bool sql_bits_per_key_argument(sqlite3_context *context, sqlite3_value *value,
                               sqlite3_int64 *bits_per_key);

/* ---- Errors. */

/* Makes an error the result, "FUNCTION: " and the formatted message. */
void sql_error(sqlite3_context *context, const char *format, ...);

/* Makes message the error and frees it; NULL stands for out of memory. */
void sql_error_message(sqlite3_context *context, char *message);

/* Makes an error the result: "FUNCTION: ARGUMENT must be MUST_BE, got
** VALUE". */
void sql_argument_error(sqlite3_context *context, const char *argument,
                        const char *must_be, sqlite3_value *got);

/* Returns that message, followed by more; the caller frees it. The message
** shows at most some 200 bytes of the value. */
char *sql_argument_message(const char *function, const char *argument,
                           const char *must_be, sqlite3_value *got,
                           const char *more);

/* ---- Allocation and interrupts. */

/* Allocates n bytes. */
void *sql_allocate(sqlite3_context *context, uint64_t n);

/* Whether sqlite3_interrupt has been called, which only SQLite 3.41 and later
** can tell. If so, it makes SQLITE_INTERRUPT the result. */
bool sql_interrupted(sqlite3_context *context);

#endif
