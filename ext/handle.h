/*
** Handles. A handle is a random INTEGER that names an open filter in a table,
** of which each connection has its own. An integer that is not found in that
** table is never used to read anything. A filter stays open until the statement
** or the run of a trigger's program that opened it ends.
*/
#ifndef BLOOM_HANDLE_H
#define BLOOM_HANDLE_H

#include "copy.h"
#include "function.h"

/* Limits on the filters that one statement keeps: the newest NEWEST_FILTERS,
** whatever their size, and MAX_OLDER_BYTES of older ones, which includes their
** entries in the table. Past that limit the oldest filters are evicted and
** match everything from then on; if the entries alone exceed it, the oldest
** handles end. */
#define NEWEST_FILTERS 16
#define MAX_OLDER_BYTES ((uint64_t)256 << 20)

/* An open filter. */
typedef struct sql_open_filter {
  sqlite3_int64 handle;
  uint32_t parts; /* 0 for a whole filter */
  uint32_t crc;   /* of its bytes, part after part */
  sql_copy *copy; /* NULL once the filter was evicted */
} sql_open_filter;

/* A connection's table of open filters, which all its functions share. */
typedef struct sql_handles {
  sql_shared shared;
  const sql_open_filter *last_found;
} sql_handles;

/* Creates an empty table, of which the caller is the first holder. */
sql_shared *sql_create_handles(void);

static inline sql_handles *sql_handles_of(sqlite3_context *context) {
  return (sql_handles *)sql_registered(context)->shared;
}

/* The open filter of this handle, or NULL if there is none. */
const sql_open_filter *sql_search_handle(sql_handles *handles,
                                         sqlite3_int64 handle);

/* The same, but faster for the handle that was found last. */
static inline const sql_open_filter *sql_find_handle(sql_handles *handles,
                                                     sqlite3_int64 handle) {
  const sql_open_filter *last = handles->last_found;
  return last != NULL && last->handle == handle
             ? last
             : sql_search_handle(handles, handle);
}

/* Opens a whole filter, whose bytes it copies. If the running statement has the
** same bytes open already, the handle is the same. On failure it makes an error
** the result and returns false. */
bool sql_open_whole(sqlite3_context *context, byte_span bytes,
                    sqlite3_int64 *handle);

/* Identifies one run of a statement, even after that run has ended. */
typedef struct sql_statement_id {
  uint64_t address;
  uint64_t number;
} sql_statement_id;

/* Identifies the running statement. Call it from a scalar function or xStep,
** never from xFinal. On failure it makes an error the result and returns
** false. */
bool sql_identify_statement(sqlite3_context *context, sql_statement_id *id);

/* Opens a complete copy as a filter in parts, for the statement that id names.
** Unless that statement has the same bytes open already, the table takes the
** copy, and *copy becomes NULL. On failure it makes an error the result and
** returns false. */
bool sql_open_parts(sqlite3_context *context, sql_statement_id id,
                    sql_copy **copy, sqlite3_int64 *handle);

#endif
