/*
** An open filter: a filter's bytes, whole or in parts, in one allocation, with
** every part ready to be probed.
**
** Three types stand for a filter: a byte_span is its bytes wherever they are,
** as in an argument; a bloom_filter points to such bytes and is ready to be
** probed; a sql_open_filter owns the bytes.
*/
#ifndef BLOOM_OPEN_FILTER_H
#define BLOOM_OPEN_FILTER_H

#include "core/bloom.h"
#include "key.h"

/* The most parts that a filter may have. */
#define MAX_PARTS (1 << 20)

/* The part, 0..parts-1, that a key of a filter in parts belongs to. The seed
** differs from that of the filter's hash, so that the keys of one part still
** differ in all 32 bits of the filter's hash. */
static inline uint32_t sql_part_of_key(const sql_key *key, uint32_t parts) {
  const uint64_t hash = bloom_hash(key->bytes.data, key->bytes.size, 1);
  return (uint32_t)(hash * parts >> 32);
}

/* The bytes of a filter that matches every key, which stands for NULL. */
static inline byte_span sql_match_all(void) {
  return (byte_span){bloom_match_all, sizeof(bloom_match_all)};
}

/* The caller frees it with sqlite3_free. A filter of one part is a whole
** filter. */
typedef struct sql_open_filter {
  uint64_t room;          /* bytes in the whole allocation */
  uint64_t used;          /* bytes of it in use */
  uint32_t parts;         /* number of parts, 1..MAX_PARTS */
  uint32_t filled;        /* number of parts whose bytes are there */
  byte_span *bytes;       /* of each part; data is NULL until it is filled */
  bloom_filter filters[]; /* of each part, set by sql_complete_filter */
} sql_open_filter;

/* SQLite allocates at most this many bytes at once. */
#define MAX_ALLOCATION 2147483391

/* Creates a filter of this many parts, none of them filled yet, with room for
** this many bytes before it has to grow. Returns NULL if out of memory. */
sql_open_filter *sql_create_filter(uint32_t parts, uint64_t bytes);

/* Gives a part that is not filled yet this many bytes, which the caller then
** writes. *filter may move. Returns NULL if out of memory. */
unsigned char *sql_add_part(sql_open_filter **filter, uint32_t part,
                            size_t size);

/* The same, filled with a copy of bytes. Returns false if out of memory. */
bool sql_fill_part(sql_open_filter **filter, uint32_t part, byte_span bytes);

static inline bool sql_has_part(const sql_open_filter *filter, uint32_t part) {
  return filter->bytes[part].data != NULL;
}

/* The bytes of a filled part, for a caller that still writes them. */
static inline unsigned char *sql_part_bytes(sql_open_filter *filter,
                                            uint32_t part) {
  const unsigned char *bytes = filter->bytes[part].data;
  return (unsigned char *)filter + (bytes - (const unsigned char *)filter);
}

/* Prepares a filter, all of whose parts must be filled, for probing. */
void sql_complete_filter(sql_open_filter *filter);

/* A complete filter with a copy of a whole filter's bytes. Returns NULL if out
** of memory. */
sql_open_filter *sql_copy_whole(byte_span bytes);

/* Makes the bytes of a whole filter the result, which takes the filter: *filter
** becomes NULL. */
void sql_result_whole(sqlite3_context *context, sql_open_filter **filter);

/* The part that tells whether a complete filter may have the key: the key's. */
static inline const bloom_filter *sql_filter_of_key(
    const sql_open_filter *filter, const sql_key *key) {
  if (filter->parts == 1) return filter->filters;
  return &filter->filters[sql_part_of_key(key, filter->parts)];
}

#endif
