/*
** What builds filters:
**
**  (1)  bloom_build(key [, bits_per_key [, capacity]]) is LevelDB's filter.
**  (2)  bits_per_key is 1..100, and capacity is 1 or more.
**  (3)  Without keys, the result is the empty filter. It is never NULL.
**  (4)  A filter that is too long for SQLITE_LIMIT_LENGTH is an error before it
**       is built.
**  (5)  bloom_build_distinct(key [, bits_per_key]) counts keys with the same
**       hash once. It takes at most 16 bytes for each distinct hash, besides
**       the filter, and its time does not depend on the values of the hashes.
**  (6)  bloom_build_parts(key, parts [, bits_per_key [, capacity]]) is the
**       handle of what bloom_build makes of each part's keys. Without rows, the
**       result is the empty filter.
**  (7)  Besides the filter, a build in parts takes some 60 bytes of memory for
**       each part, and some 8 for each key, or with capacity at most a quarter
**       of the filter's.
*/
#include <string.h>

#include "chunks.h"
#include "families.h"
#include "handle.h"
#include "size.h"

/* The functions, of which each has its kind as data. */
typedef enum build_kind { WHOLE, DISTINCT, PARTS } build_kind;
static const build_kind kinds[] = {WHOLE, DISTINCT, PARTS};

/* A whole filter is one of one part. Of that, the chunks have hashes; of more,
** pairs of a part and a hash. */
typedef struct filter_build {
  build_kind kind;     /* WHOLE without rows */
  sqlite3_int64 parts; /* 0 before the first row */
  sql_size size;
  uint64_t keys;              /* so far, not counting NULLs */
  uint64_t *part_keys;        /* of each of several parts, without capacity */
  sql_chunk *chunks;          /* that are not in the filter yet */
  sql_open_filter *filter;    /* NULL until the size of each part is known */
  void *scratch;              /* memory that makes adding faster, or NULL */
  sql_statement_id statement; /* that opens several parts */
  bool failed;
} filter_build;

/* ---- The filter. */

static uint64_t keys_to_size(const filter_build *build, uint32_t part) {
  return build->size.capacity != 0  ? (uint64_t)build->size.capacity
         : build->part_keys != NULL ? build->part_keys[part]
                                    : build->keys;
}

/* Allocates the filter with all of its parts, which are still empty. */
static bool allocate_filter(sqlite3_context *context, filter_build *build) {
  const int bits_per_key = (int)build->size.bits_per_key;
  uint64_t bytes = 0;
  for (uint32_t part = 0; part < build->parts; part++) {
    const size_t length =
        sql_allowed_length(context, keys_to_size(build, part), bits_per_key);
    if (length == 0) return false;
    bytes += length;
  }
  build->filter = sql_create_filter((uint32_t)build->parts, bytes);
  if (build->filter == NULL) return sql_no_memory(context);
  for (uint32_t part = 0; part < build->parts; part++) {
    const size_t length =
        (size_t)bloom_filter_size(keys_to_size(build, part), bits_per_key);
    /* There is room for all parts, so this cannot run out of memory. */
    bloom_filter_start(sql_add_part(&build->filter, part, length), length,
                       bits_per_key);
  }
  return true;
}

/* Pairs are sorted by at most this many ranges of parts. */
#define MAX_RANGES 4096u

/* Copies pairs, in the order of the parts, or of ranges of parts if there are
** many: the parts to the first half of `sorted`, the hashes to the other. */
static void sort_pairs(uint32_t parts, const uint32_t *pairs, uint32_t n,
                       uint32_t *sorted) {
  uint32_t ends[MAX_RANGES] = {0};
  int shift = 0;
  while ((parts - 1) >> shift >= MAX_RANGES) shift++;
  const uint32_t last = (parts - 1) >> shift;
  for (uint32_t i = 0; i < n; i += 2) ends[pairs[i] >> shift]++;
  for (uint32_t range = 0, end = 0; range <= last; range++) {
    const uint32_t count = ends[range];
    ends[range] = end;
    end += count;
  }
  for (uint32_t i = 0; i < n; i += 2) {
    const uint32_t end = ends[pairs[i] >> shift]++;
    sorted[end] = pairs[i];
    sorted[n / 2 + end] = pairs[i + 1];
  }
}

static void add_to_part(sql_open_filter *filter, uint32_t part,
                        const uint32_t *hashes, uint32_t n) {
  bloom_add_hashes(sql_part_bytes(filter, part), filter->bytes[part].size,
                   hashes, n, NULL);
}

/*
** Adds hashes or pairs to the filter. Pairs are sorted if there is scratch
** memory. Then most cache lines of a part serve several keys at a time, which
** is faster even if all parts fit into the cache: the rows of the table pass
** through it, too.
*/
static void add_hashes_of(const filter_build *build, const uint32_t *hashes,
                          uint32_t n) {
  sql_open_filter *filter = build->filter;
  if (build->parts == 1) {
    bloom_add_hashes(sql_part_bytes(filter, 0), filter->bytes[0].size, hashes,
                     n, build->scratch);
    return;
  }
  if (build->scratch == NULL) {
    for (; n > 0; n -= 2, hashes += 2)
      add_to_part(filter, *hashes, hashes + 1, 1);
    return;
  }
  sort_pairs((uint32_t)build->parts, hashes, n, build->scratch);
  const uint32_t *parts = build->scratch, *end = parts + n / 2;
  for (hashes = end; parts < end;) {
    uint32_t count = 1;
    while (parts + count < end && parts[count] == *parts) count++;
    add_to_part(filter, *parts, hashes, count);
    parts += count;
    hashes += count;
  }
}

/* ---- The chunks. */

/* A build of distinct keys has one chunk. It drops duplicates whenever that is
** full, and then grows if less than a third of it is free. */
static bool drop_duplicates(sqlite3_context *context, filter_build *build) {
  const bool dropped = sql_chunk_sort(context, build->chunks);
  build->keys = build->chunks->used;
  return dropped;
}

/* Makes room in a full chunk of distinct hashes. Growing takes at most 14 bytes
** for each distinct hash: 6 for the chunk, of which these hashes fill at least
** two thirds, and 8 for a larger one with room for twice as many. Sorting takes
** at most 12 bytes: 8 for the chunk, half of which was filled when it was made,
** and 4 for a copy of the other half. */
static bool grow_distinct(sqlite3_context *context, filter_build *build) {
  if (!drop_duplicates(context, build) ||
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

/* With capacity, the pairs that wait and the scratch memory that sorts them
** take this part of the memory of the filter each, but at least 1 KiB. */
#define PARTS_SHARE 8

/* Makes the only chunk of a build with capacity: requirement 7. */
static bool start_chunk(sqlite3_context *context, filter_build *build) {
  if (build->parts == 1) return sql_chunks_grow(context, &build->chunks, 0);
  const uint64_t hashes = build->filter->used / PARTS_SHARE / sizeof(uint32_t);
  if (!sql_chunks_grow(context, &build->chunks, hashes & ~(uint64_t)1)) {
    return false;
  }
  build->scratch = sqlite3_malloc64(build->chunks->room * sizeof(uint32_t));
  return true;
}

/* Makes room for one more hash or pair. */
static bool grow_chunks(sqlite3_context *context, filter_build *build) {
  sql_chunk *full = build->chunks;
  if (build->filter != NULL) {
    if (full == NULL) return start_chunk(context, build);
    add_hashes_of(build, full->hashes, full->used);
    full->used = 0;
    return true;
  }
  if (full != NULL && build->kind == DISTINCT) {
    return grow_distinct(context, build);
  }
  /* Some part has at least the average number of keys, rounded up. */
  return sql_allowed_length(context, build->keys / (uint64_t)build->parts + 1,
                            build->size.bits_per_key) != 0 &&
         sql_chunks_grow(context, &build->chunks,
                         build->parts == 1 ? build->keys : 2 * build->keys);
}

/* Adds what is in the chunks, the newest first, and frees them. Scratch memory
** is only allocated once chunks of its size have been freed, so that the build
** never takes more memory than its hashes and its filter; only a build of
** distinct hashes allocates it at once. */
static void flush_chunks(sqlite3_context *context, filter_build *build) {
  const size_t scratch_size =
      build->parts > 1 ? INTERRUPT_HASHES * sizeof(uint32_t)
      : build->failed  ? 0
                       : bloom_scratch_size(build->filter->bytes[0].size);
  size_t free_bytes = build->kind == DISTINCT ? scratch_size : 0;
  const uint32_t *hashes;
  uint32_t n;
  while ((n = sql_chunks_take(context, &build->chunks, &build->failed, &hashes,
                              &free_bytes)) > 0) {
    if (build->scratch == NULL && free_bytes >= scratch_size) {
      build->scratch = sqlite3_malloc64(scratch_size);
    }
    add_hashes_of(build, hashes, n);
  }
}

/* ---- The functions. */

/* Prepares a build in its first row. */
static bool start_build(sqlite3_context *context, filter_build *build) {
  if (build->kind == PARTS &&
      !sql_identify_statement(context, &build->statement)) {
    return false;
  }
  if (build->size.capacity != 0) return allocate_filter(context, build);
  if (build->parts == 1) return true;
  const uint64_t bytes = (uint64_t)build->parts * sizeof(uint64_t);
  build->part_keys = sql_allocate(context, bytes);
  if (build->part_keys == NULL) return false;
  memset(build->part_keys, 0, (size_t)bytes);
  return true;
}

static bool build_arguments(sqlite3_context *context, filter_build *build,
                            int argc, sqlite3_value **argv) {
  const bool first_row = build->parts == 0;
  int read = 1;
  if (first_row) build->kind = *(const build_kind *)sql_function_data(context);
  if (build->kind != PARTS) {
    build->parts = 1;
  } else if (!sql_parts_argument(context, argv[read++], &build->parts)) {
    return false;
  }
  return sql_size_arguments(context, argc - read, argv + read, &build->size) &&
         (!first_row || start_build(context, build));
}

static bool build_key(sqlite3_context *context, filter_build *build,
                      sqlite3_value *value) {
  sql_key key;
  const value_status status = sql_key_argument(context, value, &key);
  if (status != VALUE_READ) return status == VALUE_NULL;
  if ((build->chunks == NULL || build->chunks->used == build->chunks->room) &&
      !grow_chunks(context, build)) {
    return false;
  }
  sql_chunk *chunk = build->chunks;
  if (build->parts > 1) {
    const uint32_t part = sql_part_of_key(&key, (uint32_t)build->parts);
    if (build->part_keys != NULL) build->part_keys[part]++;
    chunk->hashes[chunk->used++] = part;
  }
  chunk->hashes[chunk->used++] = bloom_key_hash(key.bytes.data, key.bytes.size);
  build->keys++;
  return true;
}

static void build_step(sqlite3_context *context, int argc,
                       sqlite3_value **argv) {
  filter_build *build = sql_aggregate_state(context, sizeof(*build));
  if (build != NULL) {
    build->failed = !build_arguments(context, build, argc, argv) ||
                    !build_key(context, build, argv[0]);
  }
}

static void build_final(sqlite3_context *context) {
  filter_build none = {.parts = 1, .size.bits_per_key = DEFAULT_BITS_PER_KEY};
  filter_build *build = sqlite3_aggregate_context(context, 0);
  if (build == NULL) build = &none;
  if (!build->failed && build->kind == DISTINCT && build->chunks != NULL) {
    build->failed = !drop_duplicates(context, build);
  }
  if (!build->failed && build->filter == NULL) {
    build->failed = !allocate_filter(context, build);
  }
  flush_chunks(context, build);
  sqlite3_int64 handle;
  if (!build->failed && build->kind != PARTS) {
    sql_result_whole(context, &build->filter);
  } else if (!build->failed && sql_open_parts(context, build->statement,
                                              &build->filter, &handle)) {
    sqlite3_result_int64(context, handle);
  }
  sqlite3_free(build->scratch);
  sqlite3_free(build->part_keys);
  sqlite3_free(build->filter);
}

const sql_function sql_build_functions[] = {
    {"bloom_build", 1, 3, .step = build_step, .final = build_final,
     .data = &kinds[WHOLE]},
    {"bloom_build_distinct", 1, 2, .step = build_step, .final = build_final,
     .data = &kinds[DISTINCT]},
    {"bloom_build_parts", 2, 4, .step = build_step, .final = build_final,
     .data = &kinds[PARTS], .nondeterministic = true},
    {.name = NULL},
};
