/*
** Handles. A handle is a random INTEGER that names an open filter in a table,
** of which each connection has its own. An integer that is not found in that
** table is never used to read anything. A filter stays open until the statement
** or the run of a trigger's program that opened it ends.
*/
#ifndef BLOOM_HANDLE_H
#define BLOOM_HANDLE_H

#include "function.h"
#include "map.h"
#include "open_filter.h"

/* Limits on the filters that one statement keeps: the newest NEWEST_FILTERS,
** whatever their size, and MAX_OLDER_BYTES of older ones, which includes their
** entries in the table. Past that limit the oldest filters are evicted and
** match everything from then on; if the entries alone exceed it, the oldest
** handles end. */
#define NEWEST_FILTERS 16
#define MAX_OLDER_BYTES ((uint64_t)256 << 20)

/* A connection's table of open filters, which all its functions share. It is
** freed when its last holder releases it. */
typedef struct sql_handles {
  int holders;
  sqlite3_int64 last_handle; /* that was found, if last_filter is not NULL */
  const sql_open_filter *last_filter;
  sql_open_filter
      *evicted; /* matches everything, in place of evicted filters */
  sql_map by_handle;
  sql_map by_content;
  sql_map statements; /* by address */
  uint64_t last_number;
  struct sql_answers *answers; /* what kept/answers.c holds, or NULL */
  bool running;                /* bloom_compare or bloom_advise runs queries */
  int auxdata; /* the index of a statement's auxiliary data, 0 until drawn */
} sql_handles;

/* Creates an empty table, of which the caller is the first holder. Returns NULL
** if out of memory. */
sql_handles *sql_create_handles(void);

void sql_retain_handles(sql_handles *handles);
void sql_release_handles(sql_handles *handles);

static inline sql_handles *sql_handles_of(sqlite3_context *context) {
  const sql_registration *registration = sqlite3_user_data(context);
  return registration->handles;
}

/* The open filter of this handle, handles->evicted if it was evicted, or NULL
** if there is no such handle. */
const sql_open_filter *sql_search_handle(sql_handles *handles,
                                         sqlite3_int64 handle);

/* The same, but faster for the handle that was found last. */
static inline const sql_open_filter *sql_find_handle(sql_handles *handles,
                                                     sqlite3_int64 handle) {
  return handles->last_filter != NULL && handles->last_handle == handle
             ? handles->last_filter
             : sql_search_handle(handles, handle);
}

/* Takes an open filter out of the table as if it had been evicted: its handle
** matches everything from then on. The caller frees the filter. Returns NULL if
** there is no such filter. */
sql_open_filter *sql_take_filter(sql_handles *handles, sqlite3_int64 handle);

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

/* Opens a filter, all of whose parts must be filled, for the statement that id
** names. Unless that statement has the same bytes open already, the table takes
** the filter, and *filter becomes NULL. On failure it makes an error the result
** and returns false. */
bool sql_open_parts(sqlite3_context *context, sql_statement_id id,
                    sql_open_filter **filter, sqlite3_int64 *handle);

#endif
