#include "filter.h"

/* Advice for a filter that is given as TEXT, such as hex digits, the name of a
** file, or bytes that a client bound as a string. */
#define NOT_TEXT                                                            \
  " (bind a filter as a BLOB; x'...' is one written in hex, and readfile()" \
  " reads one from a file)"

#define NOT_OPEN                                                               \
  ", which no open handle has (a handle lives until the statement that opened" \
  " it ends, or has opened too many others)"

/* The message for a value that is neither a BLOB nor an open handle. */
static char *wrong_filter(const char *function, sqlite3_value *value) {
  const int type = sqlite3_value_type(value);
  return sql_argument_message(function, "filter",
                              "a BLOB or a bloom_open() handle", value,
                              type == SQLITE_TEXT      ? NOT_TEXT
                              : type == SQLITE_INTEGER ? NOT_OPEN
                                                       : "");
}

/* The bytes of an open filter, if it is whole and was not evicted. */
static value_status read_open(const sql_open_filter *open, const char *function,
                              byte_span *filter, char **message) {
  if (open->parts > 0) {
    *message = sqlite3_mprintf(
        "%s: filter must be one filter, got a handle of %u part%s", function,
        open->parts, open->parts == 1 ? "" : "s");
    return VALUE_WRONG;
  }
  if (open->copy == NULL) {
    *message = sqlite3_mprintf(
        "%s: filter must still be open, got a handle whose filter was evicted "
        "(a statement keeps its newest %d filters and 256 MB of older ones)",
        function, NEWEST_FILTERS);
    return VALUE_WRONG;
  }
  *filter = open->copy->bytes[0];
  return VALUE_READ;
}

value_status sql_read_filter(sql_handles *handles, const char *function,
                             sqlite3_value *value, byte_span *filter,
                             char **message) {
  switch (sqlite3_value_type(value)) {
    case SQLITE_BLOB:
      return sql_read_blob(value, filter);
    case SQLITE_NULL:
      return VALUE_NULL;
    case SQLITE_INTEGER: {
      const sql_open_filter *open =
          sql_find_handle(handles, sqlite3_value_int64(value));
      if (open != NULL) return read_open(open, function, filter, message);
      break;
    }
    default:
      break;
  }
  *message = wrong_filter(function, value);
  return VALUE_WRONG;
}

value_status sql_filter_argument(sqlite3_context *context, sqlite3_value *value,
                                 byte_span *filter) {
  char *message;
  const sql_registration *running = sql_registered(context);
  const value_status status =
      sql_read_filter((sql_handles *)running->shared, running->function->name,
                      value, filter, &message);
  /* Uncovered: see sql_read_blob. */
  if (status == VALUE_NO_MEMORY) sqlite3_result_error_nomem(context);
  if (status == VALUE_WRONG) sql_error_message(context, message);
  return status;
}

bool sql_prober_argument(sqlite3_context *context, sqlite3_value *value,
                         sql_prober *prober) {
  byte_span bytes = sql_match_all();
  const sql_open_filter *open =
      sqlite3_value_type(value) == SQLITE_INTEGER
          ? sql_find_handle(sql_handles_of(context), sqlite3_value_int64(value))
          : NULL;
  if (open != NULL && open->copy != NULL) {
    prober->filters = open->copy->filters;
    prober->parts = open->copy->parts;
    return true;
  }
  if (open == NULL) {
    const value_status status = sql_filter_argument(context, value, &bytes);
    if (status != VALUE_READ && status != VALUE_NULL) return false;
  }
  bloom_filter_read(&prober->read, bytes.data, bytes.size);
  prober->filters = &prober->read;
  prober->parts = 1;
  return true;
}
