/*
** A copy of a filter's bytes, whole or in parts, in one allocation, with every
** part ready to be probed.
**
** A filter has three forms: a byte_span is its bytes wherever they are, as in
** an argument; a bloom_filter points to such bytes and is ready to be probed; a
** sql_copy owns the bytes of an open filter.
*/
#ifndef BLOOM_COPY_H
#define BLOOM_COPY_H

#include "core/bloom.h"
#include "core/hash.h"
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

/* The caller frees it with sqlite3_free. A filter of one part is a whole
** filter. */
typedef struct sql_copy {
  uint64_t room;          /* bytes in the whole allocation */
  uint64_t used;          /* bytes of it in use */
  uint32_t parts;         /* number of parts, 1..MAX_PARTS */
  uint32_t filled;        /* number of parts whose bytes are there */
  byte_span *bytes;       /* of each part; data is NULL until it is filled */
  bloom_filter filters[]; /* of each part, set by sql_copy_complete */
} sql_copy;

/* Creates a copy of this many parts, none of them filled yet, with room for
** this many bytes before it has to grow. Returns NULL if out of memory. */
sql_copy *sql_copy_create(uint32_t parts, uint64_t bytes);

/* Gives a part that is not filled yet this many bytes, which the caller then
** writes. *copy may move. Returns NULL if out of memory. */
unsigned char *sql_copy_add(sql_copy **copy, uint32_t part, size_t size);

/* The same, filled with a copy of bytes. Returns false if out of memory. */
bool sql_copy_fill(sql_copy **copy, uint32_t part, byte_span bytes);

static inline bool sql_copy_has(const sql_copy *copy, uint32_t part) {
  return copy->bytes[part].data != NULL;
}

/* Prepares a copy, all of whose parts must be filled, for probing. */
void sql_copy_complete(sql_copy *copy);

/* A complete copy of a whole filter. Returns NULL if out of memory. */
sql_copy *sql_copy_whole(byte_span bytes);

/* The filter that tells whether a complete copy may have the key: that of the
** key's part. */
static inline const bloom_filter *sql_copy_filter(const sql_copy *copy,
                                                  const sql_key *key) {
  if (copy->parts == 1) return copy->filters;
  return &copy->filters[sql_part_of_key(key, copy->parts)];
}

#endif
