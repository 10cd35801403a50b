/*
**  (1)  bloom_build(key [, bits_per_key [, capacity]]) is LevelDB's filter.
**  (2)  bits_per_key is 1..100, and capacity is 1 or more.
**  (3)  Without keys, the result is the empty filter. It is never NULL.
**  (4)  A filter that is too long for SQLITE_LIMIT_LENGTH is an error before it
**       is built.
**  (5)  bloom_build_distinct(key [, bits_per_key]) counts keys with the same
**       hash once. It takes at most 16 bytes for each distinct hash, besides
**       the filter, and its time does not depend on the values of the hashes.
*/
#include "chunks.h"
#include "core/bloom.h"
#include "distinct.h"
#include "families.h"
#include "size.h"

typedef struct filter_build {
  bool distinct; /* requirement 5 */
  sql_size size;
  uint64_t keys;            /* so far, not counting NULLs */
  uint32_t distinct_hashes; /* at the beginning of the only chunk */
  sql_chunk *chunks;        /* that are not in the filter yet */
  unsigned char *filter;    /* NULL until its size is known */
  size_t filter_size;
  bool failed;
} filter_build;

/* Allocates the build's filter, which is still empty, for this many keys. */
static bool build_filter(sqlite3_context *context, filter_build *build,
                         uint64_t keys) {
  const size_t size =
      sql_allowed_length(context, keys, build->size.bits_per_key);
  if (size == 0) return false;
  build->filter = sql_allocate(context, size);
  if (build->filter == NULL) return false;
  build->filter_size = size;
  bloom_filter_start(build->filter, size, (int)build->size.bits_per_key);
  return true;
}

/* Requirement 2. */
static bool build_arguments(sqlite3_context *context, filter_build *build,
                            int argc, sqlite3_value **argv) {
  return sql_size_arguments(context, argc - 1, argv + 1, &build->size) &&
         (build->size.capacity == 0 || build->filter != NULL ||
          build_filter(context, build, (uint64_t)build->size.capacity));
}

/* A build of distinct keys has one chunk, which begins with distinct hashes. It
** drops duplicates whenever it is full, and then grows if less than a third of
** it is free. */
static bool build_drop_duplicates(sqlite3_context *context,
                                  filter_build *build) {
  sql_chunk *all = build->chunks;
  if (!sql_drop_duplicates(context, all->hashes, &build->distinct_hashes,
                           all->used)) {
    return false;
  }
  all->used = build->distinct_hashes;
  build->keys = build->distinct_hashes;
  return true;
}

/* Makes room in a full chunk of distinct hashes. Growing takes at most 14 bytes
** for each distinct hash: 6 for the chunk, of which these hashes fill at least
** two thirds, and 8 for a larger one with room for twice as many. Sorting takes
** at most 12 bytes: 8 for the chunk, half of which was filled when it was made,
** and 4 for a copy of the other half. */
static bool build_grow_distinct(sqlite3_context *context, filter_build *build) {
  if (!build_drop_duplicates(context, build) ||
      sql_allowed_length(context, build->keys, build->size.bits_per_key) == 0) {
    return false;
  }
  if (build->keys <= build->chunks->room / 3 * 2) return true;
  const uint64_t room = 2 * build->keys;
  sql_chunk *larger = sqlite3_realloc64(
      build->chunks, sizeof(sql_chunk) + room * sizeof(uint32_t));
  if (larger == NULL) return sql_no_memory(context);
  larger->room = (uint32_t)room;
  build->chunks = larger;
  return true;
}

/* Makes room for one more hash. */
static bool build_grow(sqlite3_context *context, filter_build *build) {
  sql_chunk *full = build->chunks;
  if (full != NULL && build->distinct) {
    return build_grow_distinct(context, build);
  }
  if (full != NULL && build->size.capacity != 0) {
    bloom_add_hashes(build->filter, build->filter_size, full->hashes,
                     full->used, NULL);
    full->used = 0;
    return true;
  }
  if (build->size.capacity == 0 &&
      sql_allowed_length(context, build->keys + 1, build->size.bits_per_key) ==
          0) {
    return false;
  }
  return sql_chunks_grow(context, &build->chunks, build->keys);
}

static bool build_key(sqlite3_context *context, filter_build *build,
                      sqlite3_value *value) {
  sql_key key;
  const value_status status = sql_key_argument(context, value, &key);
  if (status != VALUE_READ) return status == VALUE_NULL;
  if ((build->chunks == NULL || build->chunks->used == build->chunks->room) &&
      !build_grow(context, build)) {
    return false;
  }
  build->chunks->hashes[build->chunks->used++] =
      bloom_key_hash(key.bytes.data, key.bytes.size);
  build->keys++;
  return true;
}

static void build_row(sqlite3_context *context, int argc, sqlite3_value **argv,
                      bool distinct) {
  filter_build *build = sql_aggregate_state(context, sizeof(*build));
  if (build == NULL) return;
  build->distinct = distinct;
  if (!build_arguments(context, build, argc, argv) ||
      !build_key(context, build, argv[0])) {
    build->failed = true;
  }
}

static void build_step(sqlite3_context *context, int argc,
                       sqlite3_value **argv) {
  build_row(context, argc, argv, false);
}

static void build_distinct_step(sqlite3_context *context, int argc,
                                sqlite3_value **argv) {
  build_row(context, argc, argv, true);
}

/* Adds the hashes in the chunks to the filter, the newest first, and frees the
** chunks. Scratch memory is only allocated once chunks of its size have been
** freed, so that the build never takes more memory than its hashes and its
** filter; only a build of distinct hashes allocates it at once. A build that
** has failed or is interrupted only frees its chunks. */
static void build_flush(sqlite3_context *context, filter_build *build) {
  const size_t scratch_size = bloom_scratch_size(build->filter_size);
  size_t free_bytes = build->distinct ? scratch_size : 0;
  void *scratch = NULL;
  const uint32_t *hashes;
  uint32_t n;
  while ((n = sql_chunks_take(&build->chunks, &hashes, &free_bytes)) > 0) {
    if (scratch == NULL && scratch_size > 0 && free_bytes >= scratch_size) {
      scratch = sqlite3_malloc64(scratch_size);
    }
    if (!build->failed) build->failed = sql_interrupted(context);
    if (build->failed) continue;
    bloom_add_hashes(build->filter, build->filter_size, hashes, n, scratch);
  }
  sqlite3_free(scratch);
}

static void build_final(sqlite3_context *context) {
  filter_build none = {.size.bits_per_key = DEFAULT_BITS_PER_KEY};
  filter_build *build = sqlite3_aggregate_context(context, 0);
  if (build == NULL) build = &none;
  if (!build->failed && build->distinct && build->chunks != NULL) {
    build->failed = !build_drop_duplicates(context, build);
  }
  if (!build->failed && build->filter == NULL) {
    build->failed = !build_filter(context, build, build->keys);
  }
  build_flush(context, build);
  if (build->failed) {
    sqlite3_free(build->filter);
  } else {
    sqlite3_result_blob64(context, build->filter, build->filter_size,
                          sqlite3_free);
  }
}

const sql_function sql_build_functions[] = {
    {"bloom_build", 1, 3, .step = build_step, .final = build_final},
    {"bloom_build_distinct", 1, 2, .step = build_distinct_step,
     .final = build_final},
    {.name = NULL},
};
