/*
** Little-endian loads and stores, the only place that knows the byte order:
** every machine reads and writes the same bytes. Pointers need no alignment.
** Source: LevelDB util/coding.h (EncodeFixed32, EncodeFixed64).
*/
#ifndef BLOOM_CODING_H
#define BLOOM_CODING_H

#include <stdint.h>
#include <string.h>

static inline uint32_t bloom_load_fixed32(const void *from) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  uint32_t value;
  memcpy(&value, from, sizeof(value));
  return value;
#else
  const uint8_t *byte = from;
  return (uint32_t)byte[0] | (uint32_t)byte[1] << 8 | (uint32_t)byte[2] << 16 |
         (uint32_t)byte[3] << 24;
#endif
}

static inline uint64_t bloom_load_fixed64(const void *from) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  uint64_t value;
  memcpy(&value, from, sizeof(value));
  return value;
#else
  const uint8_t *byte = from;
  return (uint64_t)bloom_load_fixed32(byte) |
         (uint64_t)bloom_load_fixed32(byte + 4) << 32;
#endif
}

static inline void bloom_store_fixed32(void *to, uint32_t value) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  memcpy(to, &value, sizeof(value));
#else
  uint8_t *byte = to;
  for (int i = 0; i < 4; i++) byte[i] = (uint8_t)(value >> 8 * i);
#endif
}

static inline void bloom_store_fixed64(void *to, uint64_t value) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  memcpy(to, &value, sizeof(value));
#else
  uint8_t *byte = to;
  bloom_store_fixed32(byte, (uint32_t)value);
  bloom_store_fixed32(byte + 4, (uint32_t)(value >> 32));
#endif
}

#endif
