/*
** What builds filters in parts:
**
**  (1)  bloom_build_parts(key, parts [, bits_per_key [, capacity]]) is the
**       handle of what bloom_build makes of each part's keys. Without rows, the
**       result is the empty filter.
**  (2)  Without capacity, the build takes at most 8 bytes of memory for each
**       key besides the filter; with it, at most a quarter of the filter's.
*/
#include <string.h>

#include "chunks.h"
#include "families.h"
#include "handle.h"
#include "size.h"

/* With capacity, the pairs that wait and the scratch memory that sorts them
** take this part of the memory of the filter each, but at least 1 KiB. */
#define PARTS_SHARE 8

/* Pairs are sorted by at most this many ranges of parts. */
#define MAX_RANGES 4096u

typedef struct parts_build {
  sql_statement_id statement;
  uint32_t parts; /* 0 before the first row */
  sql_size size;
  uint64_t keys;       /* so far, not counting NULLs */
  uint64_t *part_keys; /* of each part, unless capacity is given */
  sql_chunk *chunks;   /* pairs of a part and a hash that wait to be added */
  uint32_t *sorted;    /* scratch memory for a chunk, or NULL */
  sql_open_filter *filter; /* NULL until the size of each part is known */
  bool failed;
} parts_build;

static uint64_t keys_to_size(const parts_build *build, uint32_t part) {
  return build->size.capacity != 0 ? (uint64_t)build->size.capacity
                                   : build->part_keys[part];
}

/* Allocates all parts, which are still empty. */
static bool start_parts(sqlite3_context *context, parts_build *build) {
  const sqlite3_int64 bits_per_key = build->size.bits_per_key;
  uint64_t bytes = 0;
  for (uint32_t part = 0; part < build->parts; part++) {
    const size_t length =
        sql_allowed_length(context, keys_to_size(build, part), bits_per_key);
    if (length == 0) return false;
    bytes += length;
  }
  build->filter = sql_create_filter(build->parts, bytes);
  if (build->filter == NULL) return sql_no_memory(context);
  for (uint32_t part = 0; part < build->parts; part++) {
    const size_t length =
        (size_t)bloom_filter_size(keys_to_size(build, part), (int)bits_per_key);
    /* There is room for all parts, so this cannot run out of memory. */
    bloom_filter_start(sql_add_part(&build->filter, part, length), length,
                       (int)bits_per_key);
  }
  return true;
}

/* Prepares the build in its first row. */
static bool start_build(sqlite3_context *context, parts_build *build) {
  if (build->filter != NULL || build->part_keys != NULL) return true;
  if (!sql_identify_statement(context, &build->statement)) return false;
  if (build->size.capacity != 0) return start_parts(context, build);
  const uint64_t bytes = build->parts * sizeof(uint64_t);
  build->part_keys = sql_allocate(context, bytes);
  if (build->part_keys == NULL) return false;
  memset(build->part_keys, 0, (size_t)bytes);
  return true;
}

/* Copies pairs to `sorted`, in the order of the parts, or of ranges of parts if
** there are many. */
static void sort_pairs(uint32_t parts, const uint32_t *pairs, uint32_t n,
                       uint32_t *sorted) {
  uint32_t ends[MAX_RANGES] = {0};
  int shift = 0;
  while ((parts - 1) >> shift >= MAX_RANGES) shift++;
  const uint32_t last = (parts - 1) >> shift;
  for (uint32_t i = 0; i < n; i += 2) ends[pairs[i] >> shift] += 2;
  for (uint32_t range = 0, end = 0; range <= last; range++) {
    const uint32_t count = ends[range];
    ends[range] = end;
    end += count;
  }
  for (uint32_t i = 0; i < n; i += 2) {
    uint32_t *end = &ends[pairs[i] >> shift];
    sorted[*end] = pairs[i];
    sorted[*end + 1] = pairs[i + 1];
    *end += 2;
  }
}

/*
** Adds pairs to the parts, sorted if there is scratch memory. Then most cache
** lines of a part serve several keys at a time, which is faster even if all
** parts fit into the cache: the rows of the table pass through it, too.
*/
static void add_pairs(const parts_build *build, const uint32_t *pairs,
                      uint32_t n) {
  if (build->sorted != NULL) {
    sort_pairs(build->parts, pairs, n, build->sorted);
    pairs = build->sorted;
  }
  for (uint32_t i = 0; i < n; i += 2) {
    const uint32_t part = pairs[i];
    bloom_add_hashes(sql_part_bytes(build->filter, part),
                     build->filter->bytes[part].size, &pairs[i + 1], 1, NULL);
  }
}

/* Makes the only chunk of a build with capacity, and the scratch memory for
** it: requirement 2. */
static bool start_pairs(sqlite3_context *context, parts_build *build) {
  const uint64_t hashes = build->filter->used / PARTS_SHARE / sizeof(uint32_t);
  if (!sql_chunks_grow(context, &build->chunks, hashes & ~(uint64_t)1)) {
    return false;
  }
  build->sorted =
      sqlite3_malloc64(build->chunks->room * sizeof(*build->sorted));
  return true;
}

/* Makes room for one more pair. */
static bool grow_pairs(sqlite3_context *context, parts_build *build) {
  sql_chunk *full = build->chunks;
  if (build->size.capacity != 0) {
    if (full == NULL) return start_pairs(context, build);
    add_pairs(build, full->hashes, full->used);
    full->used = 0;
    return true;
  }
  /* Some part has at least the average number of keys, rounded up. */
  return sql_allowed_length(context, build->keys / build->parts + 1,
                            build->size.bits_per_key) != 0 &&
         sql_chunks_grow(context, &build->chunks, 2 * build->keys);
}

static bool build_part_key(sqlite3_context *context, parts_build *build,
                           sqlite3_value *value) {
  sql_key key;
  const value_status status = sql_key_argument(context, value, &key);
  if (status != VALUE_READ) return status == VALUE_NULL;
  const uint32_t part = sql_part_of_key(&key, build->parts);
  if ((build->chunks == NULL || build->chunks->used == build->chunks->room) &&
      !grow_pairs(context, build)) {
    return false;
  }
  uint32_t *pair = build->chunks->hashes + build->chunks->used;
  pair[0] = part;
  pair[1] = bloom_key_hash(key.bytes.data, key.bytes.size);
  build->chunks->used += 2;
  if (build->part_keys != NULL) build->part_keys[part]++;
  build->keys++;
  return true;
}

static void build_parts_step(sqlite3_context *context, int argc,
                             sqlite3_value **argv) {
  parts_build *build = sql_aggregate_state(context, sizeof(*build));
  if (build != NULL &&
      !(sql_parts_in_group(context, argv[1], &build->parts) &&
        sql_size_arguments(context, argc - 2, argv + 2, &build->size) &&
        start_build(context, build) &&
        build_part_key(context, build, argv[0]))) {
    build->failed = true;
  }
}

/* Adds the pairs in the chunks to the parts, and frees the chunks. Scratch
** memory is only allocated once chunks of its size have been freed. A build
** that has failed or is interrupted only frees its chunks. */
static void flush_parts(sqlite3_context *context, parts_build *build) {
  const uint32_t *pairs;
  uint32_t n;
  size_t free_bytes = 0;
  while ((n = sql_chunks_take(&build->chunks, &pairs, &free_bytes)) > 0) {
    if (!build->failed) build->failed = sql_interrupted(context);
    if (build->failed) continue;
    if (build->sorted == NULL &&
        free_bytes >= INTERRUPT_HASHES * sizeof(*pairs)) {
      build->sorted = sqlite3_malloc64(INTERRUPT_HASHES * sizeof(*pairs));
    }
    add_pairs(build, pairs, n);
  }
}

static void build_parts_final(sqlite3_context *context) {
  parts_build *build = sqlite3_aggregate_context(context, 0);
  sqlite3_int64 handle;
  if (build == NULL) {
    unsigned char empty[9];
    bloom_filter_start(empty, sizeof(empty), DEFAULT_BITS_PER_KEY);
    sqlite3_result_blob(context, empty, sizeof(empty), SQLITE_TRANSIENT);
    return;
  }
  if (!build->failed && build->filter == NULL) {
    build->failed = !start_parts(context, build);
  }
  flush_parts(context, build);
  if (!build->failed &&
      sql_open_parts(context, build->statement, &build->filter, &handle)) {
    sqlite3_result_int64(context, handle);
  }
  sqlite3_free(build->sorted);
  sqlite3_free(build->part_keys);
  sqlite3_free(build->filter);
}

const sql_function sql_build_parts_functions[] = {
    {"bloom_build_parts", 2, 4, .step = build_parts_step,
     .final = build_parts_final, .nondeterministic = true},
    {.name = NULL},
};
