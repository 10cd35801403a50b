#include "distinct.h"

#include <string.h>

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

/* Merges n sorted hashes, of which some may be equal, into the first *distinct
** ones of an array that has room for all. Both are read from the end, and the
** result is written from the array's end downward, so that it never overwrites
** a hash that is still to be read. A hash to add that equals the last one that
** was written is written over it. */
static bool merge_hashes(sqlite3_context *context, uint32_t *hashes,
                         uint32_t *distinct, const uint32_t *added,
                         uint32_t n) {
  const uint32_t end = *distinct + n;
  uint32_t old = *distinct, merged = end;
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
  *distinct = old + (end - merged);
  return true;
}

bool sql_drop_duplicates(sqlite3_context *context, uint32_t *hashes,
                         uint32_t *distinct, uint32_t used) {
  const uint32_t n = used - *distinct;
  uint32_t *added = sql_allocate(context, n * sizeof(uint32_t));
  if (added == NULL) return false;
  memcpy(added, hashes + *distinct, n * sizeof(uint32_t));
  bool done = true;
  if (n <= FEW_HASHES) {
    sort_few(added, n);
  } else {
    done = sort_many(context, added, hashes + *distinct, n);
  }
  done = done && merge_hashes(context, hashes, distinct, added, n);
  sqlite3_free(added);
  return done;
}
