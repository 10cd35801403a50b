/*
** The functions that open, probe and change filters:
**
**  (1)  bloom_open(filter) is a handle that stands for the filter wherever a
**       filter is taken, until the statement ends. NULL is NULL, and an open
**       handle is itself.
**  (2)  bloom_open(part, parts, filter) is an aggregate: the handle of a filter
**       that is kept in parts. Every part 0..parts-1 comes exactly once; a NULL
**       filter excludes nothing. Over no rows it is NULL.
**  (3)  bloom_part(key, parts) is the part 0..parts-1 that a key belongs to;
**       that of NULL is NULL. parts is an integer 1..2^20.
**  (4)  bloom_may_match(key, filter) is 0 where the key is certainly not in the
**       filter, else 1; of a filter in parts the key's part is asked. A NULL
**       key is NULL; a NULL filter excludes nothing: 1.
**  (5)  bloom_add(filter, key) is the filter with one key more. A NULL key
**       changes nothing; a NULL filter is NULL.
**  (6)  bloom_merge(filter) is an aggregate: the filter of all keys of its
**       filters, which have one length and one number of probes. NULLs are
**       skipped; over none it is NULL.
**  (7)  Filters of under 2 bytes or with a reserved number of probes are probed
**       as LevelDB does, but not added to or merged. Nor are those in parts.
*/
#include <string.h>

#include "families.h"
#include "filter.h"

/* ---- bloom_open of one filter */

/* A filter that is the same throughout the statement, such as a parameter, is
** read for its first row only: SQLite keeps what belongs to a constant
** argument, and drops it otherwise. */
static void keep_handle(sqlite3_context *context, sqlite3_int64 handle) {
  sqlite3_int64 *kept = sqlite3_malloc64(sizeof(*kept));
  if (kept == NULL) return;
  *kept = handle;
  sqlite3_set_auxdata(context, 0, kept, sqlite3_free);
}

static void open_function(sqlite3_context *context, int argc,
                          sqlite3_value **argv) {
  (void)argc;
  const sqlite3_int64 *kept = sqlite3_get_auxdata(context, 0);
  if (kept != NULL) {
    sqlite3_result_int64(context, *kept);
    return;
  }
  if (sql_is_handle(sql_filters_of(context), argv[0])) {
    sqlite3_result_value(context, argv[0]);
    return;
  }
  byte_span filter;
  if (sql_filter_argument(context, argv[0], &filter) != VALUE_READ) {
    return;
  }
  sqlite3_int64 handle;
  if (sql_open_filter(context, filter, &handle)) {
    sqlite3_result_int64(context, handle);
    keep_handle(context, handle);
  }
}

/* ---- Filters in parts */

#define MOST_PARTS (1 << 20)
#define PARTS_MUST_BE "an integer from 1 to 1048576"

static bool parts_argument(sqlite3_context *context, sqlite3_value *value,
                           uint32_t *parts) {
  sqlite3_int64 integer;
  if (!sql_integer_argument(context, "parts", PARTS_MUST_BE, 1, MOST_PARTS,
                            value, &integer)) {
    return false;
  }
  *parts = (uint32_t)integer;
  return true;
}

static void part_function(sqlite3_context *context, int argc,
                          sqlite3_value **argv) {
  (void)argc;
  uint32_t parts;
  sql_key key;
  /* NULL parts are an error: in an UPDATE they would lose the key. */
  if (parts_argument(context, argv[1], &parts) &&
      sql_key_argument(context, argv[0], &key) == VALUE_READ) {
    sqlite3_result_int64(context, sql_part(&key, parts));
  }
}

/* What bloom_open gathers of the parts. */
typedef struct parts_open {
  uint64_t statement;
  uint32_t parts;
  sql_block *block; /* NULL before the first row */
  bool failed;
} parts_open;

/* Requirement 2, of which part a row is. */
static bool part_argument(sqlite3_context *context, const parts_open *open,
                          sqlite3_value *value, uint32_t *part) {
  sqlite3_int64 integer;
  if (!sql_read_integer(value, 0, open->parts - 1, &integer)) {
    char must_be[50];
    sqlite3_snprintf(sizeof(must_be), must_be, "an integer from 0 to %u",
                     open->parts - 1);
    sql_argument_error(context, "part", must_be, value);
    return false;
  }
  *part = (uint32_t)integer;
  if (open->block == NULL || !sql_block_has(open->block, *part)) return true;
  sql_error(context, "part %u of %u came twice", *part, open->parts);
  return false;
}

/* Reads a part's filter. */
static bool part_filter(sqlite3_context *context, uint32_t part,
                        sqlite3_value *value, byte_span *filter) {
  /* No probes: it matches everything. */
  static const unsigned char everything[2] = {0, 0};
  const value_status status =
      sql_read_filter(sql_filters_of(context), value, filter);
  if (status == VALUE_NULL) {
    *filter = (byte_span){everything, sizeof(everything)};
  } else if (status != VALUE_READ) {
    char argument[50];
    sqlite3_snprintf(sizeof(argument), argument, "filter of part %u", part);
    sql_filter_error(context, argument, value, status);
    return false;
  }
  return true;
}

/* Parts are mostly of one size: the first one's tells how much room all take,
** up to so much. */
#define MOST_ROOM ((uint64_t)16 << 20)

static bool keep_part(sqlite3_context *context, parts_open *open, uint32_t part,
                      byte_span filter) {
  if (open->block == NULL) {
    const uint64_t room = (uint64_t)open->parts * filter.size;
    open->statement = sql_statement(context);
    if (open->statement == 0) return false;
    open->block =
        sql_create_block(open->parts, room < MOST_ROOM ? room : MOST_ROOM);
  }
  if (open->block != NULL && sql_fill_block(&open->block, part, filter)) {
    return true;
  }
  sqlite3_result_error_nomem(context);
  return false;
}

static bool parts_row(sqlite3_context *context, parts_open *open,
                      sqlite3_value **argv) {
  uint32_t parts, part;
  byte_span filter;
  if (!parts_argument(context, argv[1], &parts)) return false;
  if (open->parts == 0) open->parts = parts;
  if (open->parts != parts) {
    sql_error(context, "parts must be the same in every row, got %u after %u",
              parts, open->parts);
    return false;
  }
  return part_argument(context, open, argv[0], &part) &&
         part_filter(context, part, argv[2], &filter) &&
         keep_part(context, open, part, filter);
}

static void parts_step(sqlite3_context *context, int argc,
                       sqlite3_value **argv) {
  (void)argc;
  parts_open *open = sqlite3_aggregate_context(context, sizeof(*open));
  if (open == NULL) {
    sqlite3_result_error_nomem(context);
  } else if (!parts_row(context, open, argv)) {
    open->failed = true;
  }
}

/* Requirement 2, of all rows together: an error names the first that is
** missing. */
static bool parts_complete(sqlite3_context *context, const parts_open *open) {
  const uint32_t missing = sql_block_missing(open->block);
  if (missing == 0) return true;
  uint32_t part = 0;
  while (sql_block_has(open->block, part)) part++;
  sql_error(context, "part %u of %u is missing (%u came)", part, open->parts,
            open->parts - missing);
  return false;
}

static void parts_final(sqlite3_context *context) {
  parts_open *open = sqlite3_aggregate_context(context, 0);
  if (open == NULL) return;
  sqlite3_int64 handle;
  if (!open->failed && parts_complete(context, open) &&
      sql_open_block(context, open->statement, &open->block, &handle)) {
    sqlite3_result_int64(context, handle);
  }
  sqlite3_free(open->block);
}

/* ---- bloom_may_match */

static void may_match_function(sqlite3_context *context, int argc,
                               sqlite3_value **argv) {
  (void)argc;
  sql_probe probe;
  sql_key key;
  const value_status status = sql_probe_argument(context, argv[1], &probe);
  if (status != VALUE_READ && status != VALUE_NULL) return;
  if (sql_key_argument(context, argv[0], &key) != VALUE_READ) return;
  if (status == VALUE_NULL) {
    sqlite3_result_int(context, 1);
    return;
  }
  const bloom_filter *filter = probe.filters;
  if (probe.parts > 1) filter += sql_part(&key, probe.parts);
  const uint32_t hash = bloom_key_hash(key.bytes.data, key.bytes.size);
  sqlite3_result_int(context, bloom_may_match_hash(filter, hash));
}

/* ---- bloom_add, bloom_merge */

/* Reads a filter that is to be changed: requirement 7. */
static value_status changed_filter(sqlite3_context *context,
                                   sqlite3_value *value, byte_span *filter) {
  const value_status status = sql_filter_argument(context, value, filter);
  if (status != VALUE_READ) return status;
  if (filter->size < 2) {
    sql_error(context,
              "filter must be at least 2 bytes long, got a BLOB of %d byte%s",
              (int)filter->size, filter->size == 1 ? "" : "s");
    return VALUE_WRONG;
  }
  const int probes = ((const unsigned char *)filter->data)[filter->size - 1];
  if (probes > BLOOM_MAX_PROBES) {
    sql_error(context,
              "filter must have at most %d probes in its last byte, got %d, an "
              "encoding that LevelDB reserves",
              BLOOM_MAX_PROBES, probes);
    return VALUE_WRONG;
  }
  return VALUE_READ;
}

static void add_function(sqlite3_context *context, int argc,
                         sqlite3_value **argv) {
  (void)argc;
  byte_span filter;
  sql_key key;
  if (changed_filter(context, argv[0], &filter) != VALUE_READ) return;
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
  filter_merge *merge = sqlite3_aggregate_context(context, sizeof(*merge));
  if (merge == NULL) {
    sqlite3_result_error_nomem(context);
    return;
  }
  byte_span filter;
  if (changed_filter(context, argv[0], &filter) != VALUE_READ) return;
  const unsigned char *bytes = filter.data;
  if (merge->filter == NULL) {
    merge->filter = sql_allocate(context, filter.size);
    if (merge->filter == NULL) return;
    memcpy(merge->filter, bytes, filter.size);
    merge->size = filter.size;
  } else if (filter.size != merge->size ||
             bytes[filter.size - 1] != merge->filter[merge->size - 1]) {
    sql_error(context,
              "filters must have one length and one number of probes, got %d "
              "bytes and %d probes after %d bytes and %d probes",
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

static const sql_function probe_functions[] = {
    {"bloom_open", 1, 1, open_function, NULL, NULL, true},
    {"bloom_open", 3, 3, NULL, parts_step, parts_final, true},
    {"bloom_part", 2, 2, part_function, NULL, NULL, false},
    {"bloom_may_match", 2, 2, may_match_function, NULL, NULL, false},
    {"bloom_add", 2, 2, add_function, NULL, NULL, false},
    {"bloom_merge", 1, 1, NULL, merge_step, merge_final, false},
};

int sql_register_probe(sqlite3 *db, sql_shared *shared) {
  return SQL_REGISTER(db, shared, probe_functions);
}
