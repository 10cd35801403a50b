#include "filter.h"

#include <string.h>

/* Advice for a filter that is given as TEXT: the name of a table, a view or a
** file, hex digits, or bytes that a client bound as a string. */
#define NOT_NAME                                                            \
  " (a name is no filter: build it, or select it from its view; readfile()" \
  " reads one from a file)"
#define NOT_TEXT                                                            \
  " (bind a filter as a BLOB; x'...' is one written in hex, and readfile()" \
  " reads one from a file)"

#define NOT_OPEN                                                               \
  ", which is not an open handle (a handle ends with its statement, or "       \
  "when the statement has opened too many others: store the filter, and open " \
  "it again)"

#define HEX_DIGITS "0123456789abcdefABCDEF"
#define NAME_LETTERS HEX_DIGITS "ghijklmnopqrstuvwxyzGHIJKLMNOPQRSTUVWXYZ_."

/* Whether a TEXT looks like a name, and not like hex digits. */
static bool looks_like_name(sqlite3_value *value) {
  const char *text = (const char *)sqlite3_value_text(value);
  return text != NULL && text[strspn(text, NAME_LETTERS)] == 0 &&
         text[strspn(text, HEX_DIGITS)] != 0;
}

/* Reads a value that is not an open handle. */
static value_status read_blob(sqlite3_value *value, byte_span *filter,
                              char **error) {
  const int type = sqlite3_value_type(value);
  if (type == SQLITE_BLOB) return sql_read_blob(value, filter);
  if (type == SQLITE_NULL) return VALUE_NULL;
  *error = sql_argument_text("filter", "a BLOB or a bloom_open() handle", value,
                             type != SQLITE_TEXT      ? NOT_OPEN
                             : looks_like_name(value) ? NOT_NAME
                                                      : NOT_TEXT);
  return VALUE_WRONG;
}

value_status sql_read_filter(sql_handles *handles, sqlite3_value *value,
                             byte_span *filter, char **error) {
  const sql_open_filter *open_filter = sql_find_filter(handles, value);
  if (open_filter == NULL) return read_blob(value, filter, error);
  if (open_filter == handles->evicted) {
    *error = sqlite3_mprintf(
        "filter must still be open, got a handle whose filter was evicted "
        "(a statement keeps its newest %d filters and %d MB of older ones: "
        "store the filter, and select it)",
        NEWEST_FILTERS, (int)(MAX_OLDER_BYTES >> 20));
  } else if (open_filter->parts > 1) {
    *error = sqlite3_mprintf(
        "filter must be one filter, got a handle of %u parts, each of which "
        "bloom_bytes(handle, part) gives",
        open_filter->parts);
  } else {
    *filter = open_filter->bytes[0];
    return VALUE_READ;
  }
  return VALUE_WRONG;
}

value_status sql_filter_argument(sqlite3_context *context, sqlite3_value *value,
                                 byte_span *filter) {
  char *error = NULL;
  /* A BLOB is no handle, so the table of handles is not asked for. */
  const value_status status =
      sqlite3_value_type(value) == SQLITE_BLOB
          ? sql_read_blob(value, filter)
          : sql_read_filter(sql_handles_of(context), value, filter, &error);
  if (status != VALUE_READ && status != VALUE_NULL) {
    sql_error_text(context, SQLITE_ERROR, error);
  }
  return status;
}
