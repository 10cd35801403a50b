/*
** Hashes that wait to be added to a filter, since its size follows from their
** number. A chunk is as large as all chunks before it, up to 1 MiB, so that
** small groups stay small and no hash is ever copied.
**
** Distinct hashes are all in one chunk. Duplicates are found by sorting, not in
** a hash table, for two reasons. Sorting goes through memory in order, where a
** table of many hashes misses the cache for each. And its time does not depend
** on the values of the hashes, which those who choose the keys can choose.
*/
#ifndef BLOOM_CHUNKS_H
#define BLOOM_CHUNKS_H

#include "function.h"

typedef struct sql_chunk {
  struct sql_chunk *next; /* the one before it */
  uint32_t used;
  uint32_t room;
  uint32_t distinct; /* hashes at the beginning that sql_chunk_sort has left */
  uint32_t hashes[];
} sql_chunk;

/* Adds a chunk to those that hold this many hashes, an even number. The room of
** each is even too, so that pairs fill it. *newest is NULL before the first. */
bool sql_chunks_grow(sqlite3_context *context, sql_chunk **newest,
                     uint64_t hashes);

/* Takes at most INTERRUPT_HASHES hashes, an even number of them if all were
** added in pairs, from the newest chunk and returns their number. They are
** valid until the next call, which frees a chunk that is empty by then and adds
** its bytes to *free_bytes. The result is 0 once all chunks have been freed,
** which it does at once if *failed is or becomes true: then a build has failed,
** or is interrupted, which becomes the result. */
uint32_t sql_chunks_take(sqlite3_context *context, sql_chunk **newest,
                         bool *failed, const uint32_t **hashes,
                         size_t *free_bytes);

/* Drops the duplicates from a chunk to which at least one hash was added since
** the last call, and leaves it in ascending order. Meanwhile, it allocates as
** much memory as the hashes take that were added. If it returns false, because
** it ran out of memory or was interrupted, the chunk has lost its hashes. */
bool sql_chunk_sort(sqlite3_context *context, sql_chunk *chunk);

#endif
