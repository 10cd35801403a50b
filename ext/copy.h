/*
** A copy of a filter's bytes, whole or in parts, in one allocation, with every
** part ready to be probed.
*/
#ifndef BLOOM_COPY_H
#define BLOOM_COPY_H

#include "core/bloom.h"
#include "key.h"

/* The caller frees it with sqlite3_free. A whole filter is one part. */
typedef struct sql_copy {
  uint64_t room;          /* bytes in the whole allocation */
  uint64_t used;          /* bytes of it in use */
  uint32_t parts;         /* number of parts */
  uint32_t filled;        /* number of parts whose bytes are there */
  byte_span *bytes;       /* of each part; data is NULL until it is filled */
  bloom_filter filters[]; /* of each part, set by sql_copy_complete */
} sql_copy;

/* Creates a copy of 1 or more parts, none of them filled yet, with room for
** this many bytes before it has to grow. Returns NULL if out of memory. */
sql_copy *sql_copy_create(uint32_t parts, uint64_t bytes);

/* Fills a part that is not filled yet with a copy of bytes. *copy may move.
** Returns false if out of memory. */
bool sql_copy_fill(sql_copy **copy, uint32_t part, byte_span bytes);

static inline bool sql_copy_has(const sql_copy *copy, uint32_t part) {
  return copy->bytes[part].data != NULL;
}

/* Prepares a copy, all of whose parts must be filled, for probing. */
void sql_copy_complete(sql_copy *copy);

#endif
