/*
** Filters in parts, kept as rows of some 1,000 keys each:
**
**  (1)  bloom_part(key, parts) is a key's part. parts is 1..2^20.
**  (2)  bloom_open(part, parts, filter), an aggregate, is the handle of a
**       filter of all parts, each of which must occur once. NULL excludes none
**       of a part's keys. Without rows, the result is NULL.
**  (3)  bloom_build_parts(key, parts [, bits_per_key [, capacity]]) is the
**       handle of what bloom_build makes of each part's keys. Without rows, the
**       result is the empty filter.
**  (4)  Without capacity, the build takes at most 8 bytes of memory for each
**       key besides the filter; with it, at most a quarter of the filter's.
**  (5)  bloom_bytes(filter [, part]) is the BLOB of a filter, or of its part.
*/
#include <string.h>

#include "chunks.h"
#include "families.h"
#include "filter.h"
#include "size.h"

/* Reads a number of parts. */
static bool parts_argument(sqlite3_context *context, sqlite3_value *value,
                           uint32_t *parts) {
  return sql_uint32_argument(context, "parts", 1, MAX_PARTS, value, parts);
}

/* Reads an aggregate's parts. *parts is that of the earlier rows, 0 before the
** first. */
static bool same_parts_argument(sqlite3_context *context, sqlite3_value *value,
                                uint32_t *parts) {
  uint32_t now;
  sqlite3_int64 first = *parts;
  if (sql_repeats(value, first)) return true;
  if (!parts_argument(context, value, &now) ||
      !sql_same_in_group(context, "parts", now, &first)) {
    return false;
  }
  *parts = now;
  return true;
}

/* Reads the number of one of this many parts. */
static bool part_argument(sqlite3_context *context, sqlite3_value *value,
                          uint32_t parts, uint32_t *part) {
  return sql_uint32_argument(context, "part", 0, parts - 1, value, part);
}

static void part_function(sqlite3_context *context, int argc,
                          sqlite3_value **argv) {
  (void)argc;
  uint32_t parts;
  sql_key key;
  /* A NULL number of parts is an error: if the result were NULL, an UPDATE of
  ** the row of that part would change no row, and the key would be lost. */
  if (parts_argument(context, argv[1], &parts) &&
      sql_key_argument(context, argv[0], &key) == VALUE_READ) {
    sqlite3_result_int64(context, sql_part_of_key(&key, parts));
  }
}

/* ---- Opening parts: requirement 2. */

typedef struct parts_open {
  sql_statement_id statement;
  uint32_t parts;
  sql_copy *copy; /* NULL before the first row */
  bool failed;
} parts_open;

/* Reads the number of a row's part. */
static bool new_part_argument(sqlite3_context *context, const parts_open *open,
                              sqlite3_value *value, uint32_t *part) {
  if (!part_argument(context, value, open->parts, part)) return false;
  if (open->copy == NULL || !sql_copy_has(open->copy, *part)) return true;
  return sql_error(context, SQLITE_ERROR, "part %u of %u occurs twice", *part,
                   open->parts);
}

/* Reads a part's filter. */
static bool part_filter(sqlite3_context *context, uint32_t part,
                        sqlite3_value *value, byte_span *filter) {
  char *message;
  const value_status status = sql_read_filter(
      sql_handles_of(context), "bloom_open", value, filter, &message);
  if (status == VALUE_NULL) *filter = sql_match_all();
  if (status == VALUE_READ || status == VALUE_NULL) return true;
  /* Uncovered: no memory to read it, see sql_read_blob. */
  if (status == VALUE_NO_MEMORY) message = NULL;
  sql_error_message(
      context, SQLITE_ERROR,
      message == NULL ? NULL : sqlite3_mprintf("%s (part %u)", message, part));
  sqlite3_free(message);
  return false;
}

/* Most parts have the same size, so the size of the first one tells how much
** room all of them need. At most this much is allocated at first. */
#define MAX_FIRST_ROOM ((uint64_t)16 << 20)

static bool add_part(sqlite3_context *context, parts_open *open, uint32_t part,
                     byte_span filter) {
  if (open->copy == NULL) {
    const uint64_t room = (uint64_t)open->parts * filter.size;
    if (!sql_identify_statement(context, &open->statement)) return false;
    open->copy = sql_copy_create(open->parts,
                                 room < MAX_FIRST_ROOM ? room : MAX_FIRST_ROOM);
  }
  if (open->copy != NULL && sql_copy_fill(&open->copy, part, filter)) {
    return true;
  }
  return sql_no_memory(context);
}

static bool parts_row(sqlite3_context *context, parts_open *open,
                      sqlite3_value **argv) {
  uint32_t part;
  byte_span filter;
  return same_parts_argument(context, argv[1], &open->parts) &&
         new_part_argument(context, open, argv[0], &part) &&
         part_filter(context, part, argv[2], &filter) &&
         add_part(context, open, part, filter);
}

static void parts_step(sqlite3_context *context, int argc,
                       sqlite3_value **argv) {
  (void)argc;
  parts_open *open = sql_aggregate_state(context, sizeof(*open));
  if (open != NULL && !parts_row(context, open, argv)) open->failed = true;
}

/* Whether every part has occurred. If not, it makes an error the result, which
** names the first missing part. */
static bool parts_complete(sqlite3_context *context, const parts_open *open) {
  if (open->copy->filled == open->parts) return true;
  uint32_t part = 0;
  while (sql_copy_has(open->copy, part)) part++;
  return sql_error(context, SQLITE_ERROR, "part %u of %u is missing (rows: %u)",
                   part, open->parts, open->copy->filled);
}

static void parts_final(sqlite3_context *context) {
  parts_open *open = sqlite3_aggregate_context(context, 0);
  if (open == NULL) return;
  sqlite3_int64 handle;
  if (!open->failed && parts_complete(context, open) &&
      sql_open_copy(context, open->statement, &open->copy, &handle)) {
    sqlite3_result_int64(context, handle);
  }
  sqlite3_free(open->copy);
}

/* ---- Building parts: requirements 3 and 4. */

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
  sql_copy *copy;      /* NULL until the size of each part is known */
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
  build->copy = sql_copy_create(build->parts, bytes);
  if (build->copy == NULL) return sql_no_memory(context);
  for (uint32_t part = 0; part < build->parts; part++) {
    const size_t length =
        (size_t)bloom_filter_size(keys_to_size(build, part), (int)bits_per_key);
    /* There is room for all parts, so this cannot run out of memory. */
    bloom_filter_start(sql_copy_add(&build->copy, part, length), length,
                       (int)bits_per_key);
  }
  return true;
}

/* Prepares the build in its first row. */
static bool start_build(sqlite3_context *context, parts_build *build) {
  if (build->copy != NULL || build->part_keys != NULL) return true;
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
    const byte_span *filter = &build->copy->bytes[pairs[i]];
    bloom_add_hashes((void *)filter->data, filter->size, &pairs[i + 1], 1,
                     NULL);
  }
}

/* Makes the only chunk of a build with capacity, and the scratch memory for
** it: requirement 4. */
static bool start_pairs(sqlite3_context *context, parts_build *build) {
  const uint64_t hashes = build->copy->used / PARTS_SHARE / sizeof(uint32_t);
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
      !(same_parts_argument(context, argv[1], &build->parts) &&
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
  size_t freed = 0;
  while ((n = sql_chunks_take(&build->chunks, &pairs, &freed)) > 0) {
    if (!build->failed) build->failed = sql_interrupted(context);
    if (build->failed) continue;
    if (build->sorted == NULL && freed >= INTERRUPT_HASHES * sizeof(*pairs)) {
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
  if (!build->failed && build->copy == NULL) {
    build->failed = !start_parts(context, build);
  }
  flush_parts(context, build);
  if (!build->failed &&
      sql_open_copy(context, build->statement, &build->copy, &handle)) {
    sqlite3_result_int64(context, handle);
  }
  sqlite3_free(build->sorted);
  sqlite3_free(build->part_keys);
  sqlite3_free(build->copy);
}

/* ---- Requirement 5. */

/* One part of a handle of parts. */
static void part_bytes(sqlite3_context *context, const sql_copy *open,
                       sqlite3_value *value) {
  uint32_t part;
  if (!part_argument(context, value, open->parts, &part)) return;
  sqlite3_result_blob64(context, open->bytes[part].data, open->bytes[part].size,
                        SQLITE_TRANSIENT);
}

static void bytes_function(sqlite3_context *context, int argc,
                           sqlite3_value **argv) {
  const sql_copy *open = sql_find_filter(sql_handles_of(context), argv[0]);
  byte_span filter;
  uint32_t part;
  if (argc == 2 && open != NULL && open->parts > 1) {
    part_bytes(context, open, argv[1]);
    return;
  }
  if (open != NULL && open->parts > 1) {
    sql_error(context, SQLITE_ERROR,
              "part must be given for a handle of %u parts, as in "
              "bloom_bytes(handle, 0)",
              open->parts);
    return;
  }
  const value_status status = sql_filter_argument(context, argv[0], &filter);
  if (status != VALUE_READ && status != VALUE_NULL) return;
  /* NULL stands for any filter, so it may have any part. */
  const uint32_t parts = status == VALUE_NULL ? MAX_PARTS : 1;
  if (argc == 2 && !part_argument(context, argv[1], parts, &part)) return;
  if (status == VALUE_READ) {
    sqlite3_result_blob64(context, filter.data, filter.size, SQLITE_TRANSIENT);
  }
}

const sql_function sql_parts_functions[] = {
    {"bloom_part", 2, 2, .scalar = part_function},
    {"bloom_open", 3, 3, .step = parts_step, .final = parts_final,
     .nondeterministic = true},
    {"bloom_build_parts", 2, 4, .step = build_parts_step,
     .final = build_parts_final, .nondeterministic = true},
    {"bloom_bytes", 1, 2, .scalar = bytes_function, .nondeterministic = true},
    {.name = NULL},
};
