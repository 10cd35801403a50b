#include "chunks.h"

#define CHUNK_MIN_HASHES 256u
#define CHUNK_MAX_HASHES INTERRUPT_HASHES

bool sql_chunks_grow(sqlite3_context *context, sql_chunk **newest,
                     uint64_t hashes) {
  uint64_t room = hashes;
  if (room < CHUNK_MIN_HASHES) room = CHUNK_MIN_HASHES;
  if (room > CHUNK_MAX_HASHES) room = CHUNK_MAX_HASHES;
  sql_chunk *chunk =
      sql_allocate(context, sizeof(*chunk) + room * sizeof(uint32_t));
  if (chunk == NULL) return false;
  chunk->next = *newest;
  chunk->used = 0;
  chunk->room = (uint32_t)room;
  *newest = chunk;
  return true;
}

uint32_t sql_chunks_take(sqlite3_context *context, sql_chunk **newest,
                         bool *failed, const uint32_t **hashes,
                         size_t *free_bytes) {
  if (!*failed) *failed = sql_interrupted(context);
  while (*newest != NULL && (*failed || (*newest)->used == 0)) {
    sql_chunk *empty = *newest;
    *newest = empty->next;
    *free_bytes += empty->room * sizeof(uint32_t);
    sqlite3_free(empty);
  }
  if (*newest == NULL) return 0;
  const uint32_t used = (*newest)->used;
  const uint32_t n = used < INTERRUPT_HASHES ? used : INTERRUPT_HASHES;
  (*newest)->used -= n;
  *hashes = (*newest)->hashes + (*newest)->used;
  return n;
}
