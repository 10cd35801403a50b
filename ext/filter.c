/*
** The functions that make, probe and change filters:
**
**  (1)  bloom_build(key [, bits_per_key [, capacity]]) is an aggregate: the
**       filter, byte for byte LevelDB's, of every key that is not NULL.
**  (2)  bits_per_key is an integer 1..100, 10 where it is left out, the same in
**       all rows of a group. capacity is an integer, 1 or more, the same in all
**       rows; where it is left out, the filter has the size for its keys.
**  (3)  Over no keys it is the empty filter, which matches nothing, never NULL.
**  (4)  A filter that SQLITE_LIMIT_LENGTH forbids is an error before it is
**       built.
**  (5)  bloom_may_match(key, filter) is 0 where the key is certainly not in the
**       filter, else 1. A NULL key is NULL; a NULL filter excludes nothing: 1.
**  (6)  bloom_open(filter) is a handle that stands for the filter in (5), made
**       once a statement where it is given as a scalar subquery. NULL is NULL.
**  (7)  bloom_add(filter, key) is the filter with one key more. A NULL key
**       changes nothing; a NULL filter is NULL.
**  (8)  bloom_merge(filter) is an aggregate: the filter of all keys of its
**       filters, which have one length and one number of probes. NULLs are
**       skipped; over none it is NULL.
**  (9)  Filters of under 2 bytes or with a reserved number of probes are probed
**       as LevelDB does, but not added to or merged.
*/
#include "filter.h"

#include <stdint.h>
#include <string.h>

#include "core/bloom.h"
#include "key.h"

SQLITE_EXTENSION_INIT3

/* Reads a filter argument; where it cannot, the result is an error. */
static value_status filter_argument(sqlite3_context *context,
                                    sqlite3_value *value, byte_span *filter) {
  const value_status status = bloom_read_filter(value, filter);
  /* Uncovered: see bloom_read_blob. */
  if (status == VALUE_NO_MEMORY) sqlite3_result_error_nomem(context);
  if (status == VALUE_WRONG_TYPE) {
    bloom_argument_error(context, "filter", FILTER_MUST_BE, value);
  }
  return status;
}

/* Requirement 9. Returns 1, or 0 with an error as the result. */
static int filter_may_change(sqlite3_context *context, byte_span filter) {
  const unsigned char *bytes = filter.data;
  if (filter.size < 2) {
    bloom_function_error(
        context,
        "filter must be at least 2 bytes long, got a BLOB of %d byte%s",
        (int)filter.size, filter.size == 1 ? "" : "s");
    return 0;
  }
  if (bytes[filter.size - 1] > BLOOM_MAX_PROBES) {
    bloom_function_error(
        context,
        "filter must have at most %d probes in its last byte, got "
        "%d, an encoding that LevelDB reserves",
        BLOOM_MAX_PROBES, (int)bytes[filter.size - 1]);
    return 0;
  }
  return 1;
}

/* Memory of n bytes; where there is none, the result is SQLITE_NOMEM. */
static void *allocate(sqlite3_context *context, uint64_t n) {
  void *memory = sqlite3_malloc64(n);
  if (memory == NULL) sqlite3_result_error_nomem(context);
  return memory;
}

/* ---- bloom_open: a filter read once, beside its own copy of the bytes. */

typedef struct opened_filter {
  bloom_filter filter;
  size_t size;
  unsigned char bytes[];
} opened_filter;

static const char handle_type[] = "bloom_filter";

value_status bloom_read_filter(sqlite3_value *value, byte_span *filter) {
  switch (sqlite3_value_type(value)) {
    case SQLITE_BLOB:
      return bloom_read_blob(value, filter);
    case SQLITE_NULL: {
      const opened_filter *opened = sqlite3_value_pointer(value, handle_type);
      if (opened == NULL) return VALUE_NULL;
      *filter = (byte_span){opened->bytes, opened->size};
      return VALUE_READ;
    }
    default:
      return VALUE_WRONG_TYPE;
  }
}

static void open_function(sqlite3_context *context, int argc,
                          sqlite3_value **argv) {
  (void)argc;
  byte_span filter;
  if (filter_argument(context, argv[0], &filter) != VALUE_READ) return;
  opened_filter *opened =
      allocate(context, sizeof(opened_filter) + (uint64_t)filter.size);
  if (opened == NULL) return;
  if (filter.size > 0) memcpy(opened->bytes, filter.data, filter.size);
  opened->size = filter.size;
  bloom_filter_read(&opened->filter, opened->bytes, opened->size);
  sqlite3_result_pointer(context, opened, handle_type, sqlite3_free);
}

/* ---- bloom_may_match */

static void may_match_function(sqlite3_context *context, int argc,
                               sqlite3_value **argv) {
  (void)argc;
  bloom_filter read;
  const bloom_filter *filter = &read;
  const opened_filter *opened = sqlite3_value_pointer(argv[1], handle_type);
  if (opened != NULL) {
    filter = &opened->filter;
  } else {
    byte_span bytes;
    switch (filter_argument(context, argv[1], &bytes)) {
      case VALUE_READ:
        bloom_filter_read(&read, bytes.data, bytes.size);
        break;
      case VALUE_NULL:
        if (sqlite3_value_type(argv[0]) != SQLITE_NULL) {
          sqlite3_result_int(context, 1);
        }
        return;
      default:
        return;
    }
  }
  uint32_t hash;
  switch (bloom_hash_value(argv[0], &hash)) {
    case VALUE_READ:
      sqlite3_result_int(context, bloom_may_match_hash(filter, hash));
      break;
    case VALUE_NULL:
      break;
    default:
      sqlite3_result_error_nomem(context);
  }
}

/* ---- bloom_build */

/* Hashes that wait for the filter. A chunk is as large as all before it, up to a
** limit, so that small groups stay small and nothing is ever copied. */
typedef struct chunk {
  struct chunk *next;
  uint32_t used;
  uint32_t room;
  uint32_t hashes[];
} chunk;

#define CHUNK_MIN_HASHES 64u
#define CHUNK_MAX_HASHES (1u << 20)

typedef struct filter_build {
  sqlite3_int64 bits_per_key; /* 0 before the first row */
  sqlite3_int64 capacity;     /* 0 where it is left out */
  uint64_t n;                 /* keys */
  chunk *chunks;              /* the newest first */
  unsigned char *filter;      /* NULL until its size is known */
  size_t filter_size;
  int failed;
} filter_build;

#define DEFAULT_BITS_PER_KEY 10
#define CAPACITY_MUST_BE "an integer, 1 or more (a number of keys)"

/* Requirement 4. Returns the size of the filter for n keys, or 0 with
** SQLITE_TOOBIG as the result. */
static size_t allowed_size(sqlite3_context *context, uint64_t n,
                           sqlite3_int64 bits_per_key) {
  const uint64_t size = bloom_filter_size(n, (int)bits_per_key);
  const int limit = sqlite3_limit(sqlite3_context_db_handle(context),
                                  SQLITE_LIMIT_LENGTH, -1);
  if (size <= (uint64_t)limit) return (size_t)size;
  sqlite3_result_error_toobig(context);
  return 0;
}

/* Gives the build its filter, without keys as yet, sized for n of them. */
static int build_filter(sqlite3_context *context, filter_build *build,
                        uint64_t n) {
  const size_t size = allowed_size(context, n, build->bits_per_key);
  if (size == 0) return 0;
  build->filter = allocate(context, size);
  if (build->filter == NULL) return 0;
  build->filter_size = size;
  bloom_filter_start(build->filter, size, (int)build->bits_per_key);
  return 1;
}

/* Requirement 2 for one parameter: *held is 0 before the first row. */
static int build_parameter(sqlite3_context *context, const char *argument,
                           const char *must_be, sqlite3_int64 high,
                           sqlite3_value *value, sqlite3_int64 *held) {
  sqlite3_int64 now;
  if (!bloom_integer_argument(context, argument, must_be, 1, high, value,
                              &now)) {
    return 0;
  }
  if (*held == 0) *held = now;
  if (*held == now) return 1;
  bloom_function_error(
      context,
      "%s must be the same in every row of a group, got %lld after "
      "%lld",
      argument, now, *held);
  return 0;
}

static int build_parameters(sqlite3_context *context, filter_build *build,
                            int argc, sqlite3_value **argv) {
  if (argc < 2) build->bits_per_key = DEFAULT_BITS_PER_KEY;
  if (argc >= 2 &&
      !build_parameter(context, "bits_per_key", BITS_PER_KEY_MUST_BE,
                       MAX_BITS_PER_KEY, argv[1], &build->bits_per_key)) {
    return 0;
  }
  if (argc >= 3 && !build_parameter(context, "capacity", CAPACITY_MUST_BE,
                                    INT64_MAX, argv[2], &build->capacity)) {
    return 0;
  }
  return build->capacity == 0 || build->filter != NULL ||
         build_filter(context, build, (uint64_t)build->capacity);
}

/* Makes room for one more hash. */
static int build_grow(sqlite3_context *context, filter_build *build) {
  chunk *full = build->chunks;
  if (full != NULL && build->capacity != 0) {
    bloom_add_hashes(build->filter, build->filter_size, full->hashes,
                     full->used, NULL);
    full->used = 0;
    return 1;
  }
  if (build->capacity == 0 &&
      allowed_size(context, build->n + 1, build->bits_per_key) == 0) {
    return 0;
  }
  uint64_t room = build->n;
  if (room < CHUNK_MIN_HASHES) room = CHUNK_MIN_HASHES;
  if (room > CHUNK_MAX_HASHES) room = CHUNK_MAX_HASHES;
  chunk *next = allocate(context, sizeof(chunk) + room * sizeof(uint32_t));
  if (next == NULL) return 0;
  next->next = full;
  next->used = 0;
  next->room = (uint32_t)room;
  build->chunks = next;
  return 1;
}

static int build_key(sqlite3_context *context, filter_build *build,
                     sqlite3_value *value) {
  uint32_t hash;
  const value_status status = bloom_hash_value(value, &hash);
  if (status == VALUE_NULL) return 1;
  if (status != VALUE_READ) {
    sqlite3_result_error_nomem(context);
    return 0;
  }
  if ((build->chunks == NULL || build->chunks->used == build->chunks->room) &&
      !build_grow(context, build)) {
    return 0;
  }
  build->chunks->hashes[build->chunks->used++] = hash;
  build->n++;
  return 1;
}

static void build_step(sqlite3_context *context, int argc,
                       sqlite3_value **argv) {
  filter_build *build = sqlite3_aggregate_context(context, sizeof(*build));
  if (build == NULL) {
    sqlite3_result_error_nomem(context);
    return;
  }
  if (!build_parameters(context, build, argc, argv) ||
      !build_key(context, build, argv[0])) {
    build->failed = 1;
  }
}

/* Puts the keys that wait into the filter, newest first, and frees them. The
** scratch memory takes the place of chunks that are done with, so that the build
** never holds more than its keys and its filter. */
static void build_flush(filter_build *build) {
  const size_t scratch_size = bloom_scratch_size(build->filter_size);
  size_t freed = 0;
  void *scratch = NULL;
  while (build->chunks != NULL) {
    chunk *newest = build->chunks;
    if (build->filter != NULL) {
      bloom_add_hashes(build->filter, build->filter_size, newest->hashes,
                       newest->used, scratch);
    }
    build->chunks = newest->next;
    freed += newest->room * sizeof(uint32_t);
    sqlite3_free(newest);
    if (scratch == NULL && scratch_size > 0 && freed >= scratch_size) {
      scratch = sqlite3_malloc64(scratch_size);
    }
  }
  sqlite3_free(scratch);
}

static void build_final(sqlite3_context *context) {
  filter_build none = {.bits_per_key = DEFAULT_BITS_PER_KEY};
  filter_build *build = sqlite3_aggregate_context(context, 0);
  if (build == NULL) build = &none;
  if (!build->failed && build->filter == NULL) {
    build->failed = !build_filter(context, build, build->n);
  }
  build_flush(build);
  if (build->failed) {
    sqlite3_free(build->filter);
  } else {
    sqlite3_result_blob64(context, build->filter, build->filter_size,
                          sqlite3_free);
  }
}

/* ---- bloom_add, bloom_merge */

static void add_function(sqlite3_context *context, int argc,
                         sqlite3_value **argv) {
  (void)argc;
  byte_span filter;
  if (filter_argument(context, argv[0], &filter) != VALUE_READ ||
      !filter_may_change(context, filter)) {
    return;
  }
  uint32_t hash;
  const value_status status = bloom_hash_value(argv[1], &hash);
  if (status == VALUE_NO_MEMORY) {
    sqlite3_result_error_nomem(context);
    return;
  }
  unsigned char *added = allocate(context, filter.size);
  if (added == NULL) return;
  memcpy(added, filter.data, filter.size);
  if (status == VALUE_READ) {
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
  if (filter_argument(context, argv[0], &filter) != VALUE_READ ||
      !filter_may_change(context, filter)) {
    return;
  }
  const unsigned char *bytes = filter.data;
  if (merge->filter == NULL) {
    merge->filter = allocate(context, filter.size);
    if (merge->filter == NULL) return;
    memcpy(merge->filter, bytes, filter.size);
    merge->size = filter.size;
  } else if (filter.size != merge->size ||
             bytes[filter.size - 1] != merge->filter[merge->size - 1]) {
    bloom_function_error(
        context,
        "filters must have one length and one number of probes, got %d bytes "
        "and %d probes after %d bytes and %d probes",
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

static const sql_function filter_functions[] = {
    {"bloom_build", 1, 3, NULL, build_step, build_final},
    {"bloom_may_match", 2, 2, may_match_function, NULL, NULL},
    {"bloom_open", 1, 1, open_function, NULL, NULL},
    {"bloom_add", 2, 2, add_function, NULL, NULL},
    {"bloom_merge", 1, 1, NULL, merge_step, merge_final},
};

int bloom_register_filter_functions(sqlite3 *db) {
  return REGISTER_FAMILY(db, filter_functions);
}
