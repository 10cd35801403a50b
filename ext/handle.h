/*
** Handles: a handle is a random INTEGER that names an open filter in a table of
** the connection. Nothing is ever read through a number that is not found in
** that table. The statement, or the run of a trigger's program, that opened a
** filter keeps it until it ends.
*/
#ifndef BLOOM_HANDLE_H
#define BLOOM_HANDLE_H

#include "copy.h"
#include "function.h"

/* What one statement keeps of the filters that it opened: the newest ones
** whatever their size, and so many bytes of older ones, their entries in the
** table counted. Past that the oldest filters are evicted, and match everything
** from then on; and if entries alone are too many, the oldest handles end. */
#define NEWEST_FILTERS 16
#define MAX_OLDER_BYTES ((uint64_t)256 << 20)

/* An open filter. */
typedef struct sql_open_filter {
  sqlite3_int64 handle;
  uint32_t parts; /* 0 for a whole filter */
  uint32_t crc;   /* of its bytes, part after part */
  sql_copy *copy; /* NULL where it was evicted */
} sql_open_filter;

/* A connection's table of open filters, which all its functions share. */
typedef struct sql_handles {
  sql_shared shared;
  const sql_open_filter *last_found;
} sql_handles;

/* An empty table with one holder, the caller. */
sql_shared *sql_create_handles(void);

static inline sql_handles *sql_handles_of(sqlite3_context *context) {
  return (sql_handles *)sql_registered(context)->shared;
}

/* The open filter of this handle, NULL where there is none. */
const sql_open_filter *sql_search_handle(sql_handles *handles,
                                         sqlite3_int64 handle);

/* The same, quick for the handle that was found last. */
static inline const sql_open_filter *sql_find_handle(sql_handles *handles,
                                                     sqlite3_int64 handle) {
  const sql_open_filter *last = handles->last_found;
  return last != NULL && last->handle == handle
             ? last
             : sql_search_handle(handles, handle);
}

/* Opens a whole filter, of whose bytes it makes a copy. The same bytes opened
** again in one statement are the same handle. Returns false with an error as
** the result. */
bool sql_open_whole(sqlite3_context *context, byte_span bytes,
                    sqlite3_int64 *handle);

/* Names a statement beyond its end. */
typedef struct sql_statement_id {
  uint64_t address;
  uint64_t number;
} sql_statement_id;

/* Gives the running statement's. Call it from a scalar function or xStep, never
** from xFinal. Returns false with an error as the result. */
bool sql_identify_statement(sqlite3_context *context, sql_statement_id *id);

/* Opens a complete copy as a filter in parts, which that statement keeps. Where
** the same bytes are not open already it takes the copy, and sets it to NULL.
** Returns false with an error as the result. */
bool sql_open_parts(sqlite3_context *context, sql_statement_id id,
                    sql_copy **copy, sqlite3_int64 *handle);

#endif
