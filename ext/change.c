/*
**  (1)  bloom_add(filter, key) is the filter with one more key, unless that is
**       NULL.
**  (2)  bloom_merge(filter) is the union of filters of the same length and
**       number of probes. NULLs are skipped. Without any, the result is NULL.
**  (3)  A filter of less than 2 bytes, with a reserved number of probes, or in
**       parts is an error.
*/
#include <string.h>

#include "families.h"
#include "filter.h"

/* Reads a filter that is to be added to or merged: requirement 3. */
static value_status mutable_filter(sqlite3_context *context,
                                   sqlite3_value *value, byte_span *filter) {
  const value_status status = sql_filter_argument(context, value, filter);
  if (status != VALUE_READ) return status;
  const unsigned char *bytes = filter->data;
  if (filter->size < 2) {
    sql_error(context, SQLITE_ERROR,
              "filter must be at least 2 bytes long, got a BLOB of %d byte%s "
              "(bloom_build(NULL, 10, 1000) is an empty filter with room for "
              "1,000 keys)",
              (int)filter->size, filter->size == 1 ? "" : "s");
  } else if (bytes[filter->size - 1] > BLOOM_MAX_PROBES) {
    sql_error(context, SQLITE_ERROR,
              "filter must have at most %d probes in its last byte, got %d, an "
              "encoding that LevelDB reserves (if these bytes were a filter, "
              "they are damaged: build it again)",
              BLOOM_MAX_PROBES, bytes[filter->size - 1]);
  } else {
    return VALUE_READ;
  }
  return VALUE_WRONG;
}

static void add_function(sqlite3_context *context, int argc,
                         sqlite3_value **argv) {
  (void)argc;
  byte_span filter;
  sql_key key;
  if (mutable_filter(context, argv[0], &filter) != VALUE_READ) return;
  const value_status status = sql_key_argument(context, argv[1], &key);
  if (status == VALUE_NO_MEMORY) return;
  unsigned char *added = sql_allocate(context, filter.size);
  if (added == NULL) return;
  memcpy(added, filter.data, filter.size);
  if (status == VALUE_READ) {
    const uint32_t hash = bloom_key_hash(key.bytes.data, key.bytes.size);
    bloom_add_hashes(added, filter.size, &hash, 1, NULL);
  }
  sqlite3_result_blob64(context, added, filter.size, sqlite3_free);
}

typedef struct filter_merge {
  unsigned char *filter; /* NULL before the first */
  size_t size;
} filter_merge;

static void merge_step(sqlite3_context *context, int argc,
                       sqlite3_value **argv) {
  (void)argc;
  byte_span filter;
  filter_merge *merge = sql_aggregate_state(context, sizeof(*merge));
  if (merge == NULL) return;
  if (mutable_filter(context, argv[0], &filter) != VALUE_READ) return;
  const unsigned char *bytes = filter.data;
  if (merge->filter == NULL) {
    merge->filter = sql_allocate(context, filter.size);
    if (merge->filter == NULL) return;
    memcpy(merge->filter, bytes, filter.size);
    merge->size = filter.size;
  } else if (filter.size != merge->size ||
             bytes[filter.size - 1] != merge->filter[merge->size - 1]) {
    sql_error(context, SQLITE_ERROR,
              "filters must have the same length and number of probes, got %d "
              "bytes and %d probes after %d bytes and %d probes (build them "
              "with the same bits_per_key and capacity)",
              (int)filter.size, (int)bytes[filter.size - 1], (int)merge->size,
              (int)merge->filter[merge->size - 1]);
  } else {
    bloom_union(merge->filter, bytes, merge->size);
  }
}

static void merge_final(sqlite3_context *context) {
  filter_merge *merge = sqlite3_aggregate_context(context, 0);
  if (merge == NULL || merge->filter == NULL) return;
  sqlite3_result_blob64(context, merge->filter, merge->size, sqlite3_free);
}

const sql_function sql_change_functions[] = {
    {"bloom_add", 2, 2, .scalar = add_function},
    {"bloom_merge", 1, 1, .step = merge_step, .final = merge_final},
    {.name = NULL},
};
