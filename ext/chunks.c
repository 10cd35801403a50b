#include "chunks.h"

#include <string.h>

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
  *chunk = (sql_chunk){.next = *newest, .room = (uint32_t)room};
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

/* ---- Distinct hashes. */

/* Whether to stop a loop of many passes, which are counted from 0. */
static bool interrupted_at(sqlite3_context *context, size_t pass) {
  return pass % INTERRUPT_HASHES == 0 && sql_interrupted(context);
}

/* Up to this many hashes are sorted by insertion, since setting up the counts
** of a radix sort would take longer than sorting them. */
#define FEW_HASHES 64u

static void sort_few(uint32_t *hashes, uint32_t n) {
  for (uint32_t i = 1; i < n; i++) {
    const uint32_t hash = hashes[i];
    uint32_t place = i;
    for (; place > 0 && hashes[place - 1] > hash; place--) {
      hashes[place] = hashes[place - 1];
    }
    hashes[place] = hash;
  }
}

#define DIGITS 4
#define DIGIT_VALUES 256

static unsigned digit_of(uint32_t hash, int digit) {
  return hash >> (8 * digit) & (DIGIT_VALUES - 1);
}

/* Sorts n hashes by each of their digits, the lowest first (radix sort). Each
** pass moves them to the other array, in the order of its digit. The number of
** passes is even, so the last one moves them back to the first array. */
static bool sort_many(sqlite3_context *context, uint32_t *hashes,
                      uint32_t *other, uint32_t n) {
  uint32_t ends[DIGITS][DIGIT_VALUES] = {{0}};
  for (uint32_t i = 0; i < n; i++) {
    if (interrupted_at(context, i)) return false;
    for (int d = 0; d < DIGITS; d++) ends[d][digit_of(hashes[i], d)]++;
  }
  for (int d = 0; d < DIGITS; d++) {
    uint32_t end = 0;
    for (int value = 0; value < DIGIT_VALUES; value++) {
      const uint32_t count = ends[d][value];
      ends[d][value] = end;
      end += count;
    }
    for (uint32_t i = 0; i < n; i++) {
      if (interrupted_at(context, i)) return false;
      other[ends[d][digit_of(hashes[i], d)]++] = hashes[i];
    }
    uint32_t *moved = other;
    other = hashes;
    hashes = moved;
  }
  return true;
}

/* Merges n sorted hashes, of which some may be equal, into the distinct ones of
** a chunk that has room for all. Both are read from the end, and the result is
** written from the end downward, so that it never overwrites a hash that is
** still to be read. A hash to add that equals the last one that was written is
** written over it. */
static bool merge_hashes(sqlite3_context *context, sql_chunk *chunk,
                         const uint32_t *added, uint32_t n) {
  uint32_t *hashes = chunk->hashes;
  const uint32_t end = chunk->distinct + n;
  uint32_t old = chunk->distinct, merged = end;
  for (size_t pass = 0; n > 0; pass++) {
    if (interrupted_at(context, pass)) return false;
    const uint32_t a = old > 0 ? hashes[old - 1] : 0, b = added[n - 1];
    const uint32_t larger = a > b ? a : b;
    hashes[merged - 1] = larger;
    old -= old > 0 && a >= b;
    n -= b >= a;
    merged -= n == 0 || added[n - 1] != larger;
  }
  memmove(hashes + old, hashes + merged, (end - merged) * sizeof(uint32_t));
  chunk->used = chunk->distinct = old + (end - merged);
  return true;
}

bool sql_chunk_sort(sqlite3_context *context, sql_chunk *chunk) {
  uint32_t *last = chunk->hashes + chunk->distinct;
  const uint32_t n = chunk->used - chunk->distinct;
  uint32_t *added = sql_allocate(context, n * sizeof(uint32_t));
  if (added == NULL) return false;
  memcpy(added, last, n * sizeof(uint32_t));
  bool done = true;
  if (n <= FEW_HASHES) {
    sort_few(added, n);
  } else {
    done = sort_many(context, added, last, n);
  }
  done = done && merge_hashes(context, chunk, added, n);
  sqlite3_free(added);
  return done;
}
