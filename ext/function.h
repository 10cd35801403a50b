/*
** What every SQL function needs: its description, arguments, errors, memory.
**
** Out of memory is reported in one way: a function that has a sqlite3_context
** makes SQLITE_NOMEM the result; any other returns NULL, false, SQLITE_NOMEM or
** VALUE_NO_MEMORY. All memory comes from SQLite's allocator, and what a caller
** has to free, it frees with sqlite3_free.
*/
#ifndef BLOOM_FUNCTION_H
#define BLOOM_FUNCTION_H

#include "key.h"

/* ---- Functions. */

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
  const void *data;      /* what tells functions with the same code apart */
} sql_function;

/* The user data of a registered function. */
typedef struct sql_registration {
  const sql_function *function;
  struct sql_handles *handles; /* the connection's open filters: handle.h */
} sql_registration;

/* The name and the data of the running function. */
static inline const char *sql_function_name(sqlite3_context *context) {
  const sql_registration *registration = sqlite3_user_data(context);
  return registration->function->name;
}

static inline const void *sql_function_data(sqlite3_context *context) {
  const sql_registration *registration = sqlite3_user_data(context);
  return registration->function->data;
}

/* ---- Arguments. Each function here that takes a context makes an error the
** result and returns false, VALUE_NO_MEMORY or VALUE_WRONG if it cannot read
** the argument. */

bool sql_any_null(int argc, sqlite3_value **argv);

/* Reads a value's key bytes: VALUE_READ, VALUE_NULL or VALUE_NO_MEMORY. */
static inline value_status sql_key_argument(sqlite3_context *context,
                                            sqlite3_value *value,
                                            sql_key *key) {
  const value_status status = sql_read_key(value, key);
  if (status == VALUE_NO_MEMORY) sqlite3_result_error_nomem(context);
  return status;
}

/* Reads an integer from low to high: an INTEGER, an integral REAL or the TEXT
** of either. The error says "an integer from LOW to HIGH", or "an integer, LOW
** or more" if high is INT64_MAX, or "an integer of 64 bits" if low is INT64_MIN
** as well; then, in parentheses, the note, unless it is NULL. */
bool sql_integer_argument(sqlite3_context *context, const char *argument,
                          sqlite3_int64 low, sqlite3_int64 high,
                          const char *note, sqlite3_value *value,
                          sqlite3_int64 *integer);

/* The same for integers of 32 bits, without a note. */
bool sql_uint32_argument(sqlite3_context *context, const char *argument,
                         uint32_t low, uint32_t high, sqlite3_value *value,
                         uint32_t *integer);

/* ---- Errors. Each function here that takes a context makes an error the
** result and returns false. */

/* The error is SQLITE_NOMEM. */
bool sql_no_memory(sqlite3_context *context);

/* The error has this result code and the message "FUNCTION: " and the formatted
** text. */
bool sql_error(sqlite3_context *context, int code, const char *format, ...);

/* The error is SQLITE_ERROR, "FUNCTION: ARGUMENT must be MUST_BE, got VALUE",
** followed by more unless it is NULL. At most some 200 bytes of the value are
** shown. */
bool sql_argument_error(sqlite3_context *context, const char *argument,
                        const char *must_be, sqlite3_value *value,
                        const char *more);

/* The error has this result code and the message "FUNCTION: " and this text,
** which is freed; NULL stands for out of memory. */
bool sql_error_text(sqlite3_context *context, int code, char *text);

/* The text "ARGUMENT must be MUST_BE, got VALUE" of such an error. The caller
** frees it. */
char *sql_argument_text(const char *argument, const char *must_be,
                        sqlite3_value *value, const char *more);

/* The message "FUNCTION: " and this text, which is freed. NULL stands for out
** of memory. It is valid UTF-8, which clients expect: each byte of a value or a
** name that is not part of a character becomes '?'. The caller frees it. */
char *sql_message(const char *function, char *text);

/* Makes a text valid UTF-8 in the same way. */
void sql_make_utf8(char *bytes);

/* How many bytes of a text an error shows: whole characters, if it is UTF-8. */
int sql_bytes_shown(const char *text);

/* ---- Allocation and interrupts. */

/* Allocates n bytes. */
void *sql_allocate(sqlite3_context *context, uint64_t n);

/* The state that the running aggregate keeps for its group, which is zero at
** first. */
static inline void *sql_aggregate_state(sqlite3_context *context, size_t n) {
  void *state = sqlite3_aggregate_context(context, (int)n);
  if (state == NULL) sqlite3_result_error_nomem(context);
  return state;
}

/* Whether sqlite3_interrupt has been called, which only SQLite 3.41 and later
** can tell. If so, it makes SQLITE_INTERRUPT the result. */
bool sql_interrupted(sqlite3_context *context);

/* A loop over many hashes asks once for every 1 MiB of them. */
#define INTERRUPT_HASHES (1u << 18)

#endif
