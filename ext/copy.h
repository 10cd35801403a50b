/*
** A copy of a filter's bytes, whole or in parts, in one piece of memory, with
** every part ready to be probed.
*/
#ifndef BLOOM_COPY_H
#define BLOOM_COPY_H

#include "core/bloom.h"
#include "key.h"

/* The caller frees it with sqlite3_free. A whole filter is one part. */
typedef struct sql_copy {
  uint64_t room;          /* bytes of the whole allocation */
  uint64_t used;          /* bytes of it that hold something */
  uint32_t parts;         /* places */
  uint32_t filled;        /* places that have their bytes */
  byte_span *bytes;       /* of each part; data is NULL where it is empty */
  bloom_filter filters[]; /* of each part, made by sql_copy_complete */
} sql_copy;

/* A copy with a place for each of 1 or more parts, all empty, and room for this
** many bytes before it grows; NULL is out of memory. */
sql_copy *sql_copy_create(uint32_t parts, uint64_t bytes);

/* Fills a part's empty place with a copy of bytes. *copy may move. False is out
** of memory. */
bool sql_copy_fill(sql_copy **copy, uint32_t part, byte_span bytes);

static inline bool sql_copy_has(const sql_copy *copy, uint32_t part) {
  return copy->bytes[part].data != NULL;
}

/* Makes a copy whose places are all filled ready to be probed. */
void sql_copy_complete(sql_copy *copy);

#endif
