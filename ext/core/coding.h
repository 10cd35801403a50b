/*
** Little-endian loads and stores: every machine reads and writes the same
** bytes. Pointers need no alignment. Where bytes stand in this order, gcc and
** clang make one instruction of each function (from -O2).
** Source: LevelDB util/coding.h (EncodeFixed32, EncodeFixed64).
*/
#ifndef BLOOM_CODING_H
#define BLOOM_CODING_H

#include <stdint.h>
#include <string.h>

static inline uint32_t bloom_load_fixed32(const void *from) {
  const uint8_t *byte = (const uint8_t *)from;
  return (uint32_t)byte[0] | (uint32_t)byte[1] << 8 | (uint32_t)byte[2] << 16 |
         (uint32_t)byte[3] << 24;
}

static inline uint64_t bloom_load_fixed64(const void *from) {
  const uint8_t *byte = (const uint8_t *)from;
  const uint64_t high = bloom_load_fixed32(byte + 4);
  return bloom_load_fixed32(byte) | high << 32;
}

/* A value's bytes in memory, taken for little-endian, are the value that has to
** stand there: the same one, or on a big-endian machine the one turned
** round. */
static inline void bloom_store_fixed32(void *to, uint32_t value) {
  const uint32_t stored = bloom_load_fixed32(&value);
  memcpy(to, &stored, sizeof(stored));
}

static inline void bloom_store_fixed64(void *to, uint64_t value) {
  const uint64_t stored = bloom_load_fixed64(&value);
  memcpy(to, &stored, sizeof(stored));
}

#endif
