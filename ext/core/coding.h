/*
** Little-endian loads and stores: every machine reads and writes the same
** bytes. Pointers need no alignment. On a little-endian machine, gcc and clang
** compile each function to a single instruction (from -O2 on).
** Source: LevelDB util/coding.h (EncodeFixed32, EncodeFixed64).
*/
#ifndef BLOOM_CODING_H
#define BLOOM_CODING_H

#include <stdint.h>
#include <string.h>

static inline uint32_t bloom_load_fixed32(const void *bytes) {
  const uint8_t *byte = (const uint8_t *)bytes;
  return (uint32_t)byte[0] | (uint32_t)byte[1] << 8 | (uint32_t)byte[2] << 16 |
         (uint32_t)byte[3] << 24;
}

static inline uint64_t bloom_load_fixed64(const void *bytes) {
  const uint8_t *byte = (const uint8_t *)bytes;
  const uint64_t high = bloom_load_fixed32(byte + 4);
  return bloom_load_fixed32(byte) | high << 32;
}

/* Loading the value's own bytes as little-endian gives what has to be stored:
** the value itself or, on a big-endian machine, the value with its bytes
** reversed. */
static inline void bloom_store_fixed32(void *bytes, uint32_t value) {
  const uint32_t stored = bloom_load_fixed32(&value);
  memcpy(bytes, &stored, sizeof(stored));
}

static inline void bloom_store_fixed64(void *bytes, uint64_t value) {
  const uint64_t stored = bloom_load_fixed64(&value);
  memcpy(bytes, &stored, sizeof(stored));
}

#endif
