/*
** A filter as an argument: a BLOB, NULL, or the handle of an open filter.
*/
#ifndef BLOOM_FILTER_H
#define BLOOM_FILTER_H

#include "handle.h"

/* The open filter whose handle a value is, handles->evicted if it was evicted,
** or NULL if the value is not an open handle. */
static inline const sql_open_filter *sql_find_filter(sql_handles *handles,
                                                     sqlite3_value *value) {
  return sqlite3_value_type(value) == SQLITE_INTEGER
             ? sql_find_handle(handles, sqlite3_value_int64(value))
             : NULL;
}

/* Reads one whole filter: the bytes of a BLOB or of an open filter, which stay
** valid until the value changes or the statement ends. If the result is
** VALUE_WRONG, *error is the error's text, "filter must be ...", which the
** caller frees, or NULL if out of memory. */
value_status sql_read_filter(sql_handles *handles, sqlite3_value *value,
                             byte_span *filter, char **error);

/* The same, but makes an error the result unless the value is a filter or
** NULL. */
value_status sql_filter_argument(sqlite3_context *context, sqlite3_value *value,
                                 byte_span *filter);

#endif
