/*
**  (1)  bloom_may_match(key, filter) is 0 if the key is certainly not in the
**       filter, else 1. In a filter in parts, it probes only the key's part. A
**       NULL key gives NULL. A NULL filter excludes nothing and gives 1.
**  (2)  bloom_open(filter) is a handle that stands for the filter wherever a
**       filter is an argument, until the statement ends. NULL gives NULL, and
**       an open handle gives the same handle.
*/
#include "families.h"
#include "filter.h"

static void may_match_function(sqlite3_context *context, int argc,
                               sqlite3_value **argv) {
  (void)argc;
  bloom_filter blob;
  sql_key key;
  const sql_open_filter *open_filter =
      sql_find_filter(sql_handles_of(context), argv[1]);
  if (open_filter == NULL) {
    byte_span bytes = sql_match_all();
    const value_status status = sql_filter_argument(context, argv[1], &bytes);
    if (status != VALUE_READ && status != VALUE_NULL) return;
    bloom_filter_read(&blob, bytes.data, bytes.size);
  }
  if (sql_key_argument(context, argv[0], &key) != VALUE_READ) return;
  const bloom_filter *filter =
      open_filter == NULL ? &blob : sql_filter_of_key(open_filter, &key);
  const uint32_t hash = bloom_key_hash(key.bytes.data, key.bytes.size);
  sqlite3_result_int(context, bloom_may_match_hash(filter, hash));
}

/* A filter that is constant throughout the statement, such as a parameter, is
** read only in the first row: SQLite keeps the auxiliary data of a constant
** argument, here its handle, and discards that of any other. The result is NULL
** if no handle is remembered, or if it has lost its filter or has ended,
** because the statement has opened too many others since. */
static const sqlite3_int64 *remembered(sqlite3_context *context) {
  const sqlite3_int64 *handle = sqlite3_get_auxdata(context, 0);
  if (handle == NULL) return NULL;
  sql_handles *handles = sql_handles_of(context);
  const sql_open_filter *open_filter = sql_find_handle(handles, *handle);
  return open_filter != NULL && open_filter != handles->evicted ? handle : NULL;
}

static void open_function(sqlite3_context *context, int argc,
                          sqlite3_value **argv) {
  (void)argc;
  const sqlite3_int64 *known = remembered(context);
  if (known != NULL) {
    sqlite3_result_int64(context, *known);
    return;
  }
  if (sql_find_filter(sql_handles_of(context), argv[0]) != NULL) {
    sqlite3_result_value(context, argv[0]);
    return;
  }
  byte_span filter;
  sqlite3_int64 handle;
  if (sql_filter_argument(context, argv[0], &filter) == VALUE_READ &&
      sql_open_whole(context, filter, &handle)) {
    sqlite3_result_int64(context, handle);
    sqlite3_int64 *copy = sqlite3_malloc64(sizeof(*copy));
    if (copy == NULL) return;
    *copy = handle;
    sqlite3_set_auxdata(context, 0, copy, sqlite3_free);
  }
}

const sql_function sql_probe_functions[] = {
    {"bloom_may_match", 2, 2, .scalar = may_match_function},
    {"bloom_open", 1, 1, .scalar = open_function, .nondeterministic = true},
    {.name = NULL},
};
