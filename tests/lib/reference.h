/* The reference implementation of what the core computes. It follows LevelDB's
** definitions (util/bloom.cc, hash.cc, crc32c.cc) in the simplest way, one byte
** or bit at a time. Tests compare the core with it. */
#ifndef BLOOM_REFERENCE_H
#define BLOOM_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline uint32_t reference_hash(const uint8_t *data, size_t n,
                                      uint32_t seed) {
  uint64_t h = seed ^ (n * UINT64_C(0xc6a4a793) & 0xffffffffu);
  for (size_t i = 0; i < n; i += 4) {
    const size_t left = n - i < 4 ? n - i : 4;
    for (size_t j = 0; j < left; j++) h += (uint64_t)data[i + j] << 8 * j;
    h = (h & 0xffffffffu) * 0xc6a4a793u & 0xffffffffu;
    h ^= h >> (left == 4 ? 16 : 24);
  }
  return (uint32_t)h;
}

static inline int reference_probes(int bits_per_key) {
  const int probes = bits_per_key * 69 / 100;
  return probes < 1 ? 1 : probes > 30 ? 30 : probes;
}

/* n must be small enough for the number of bits to fit in a size_t. */
static inline size_t reference_filter_size(size_t n, int bits_per_key) {
  const size_t bits = n * (size_t)bits_per_key;
  return ((bits < 64 ? 64 : bits) + 7) / 8 + 1;
}

/* The position of a key's probe i in a filter of size bytes. */
static inline uint64_t reference_position(uint32_t hash, unsigned i,
                                          size_t size) {
  const uint32_t delta = hash >> 17 | hash << 15;
  return (uint32_t)(hash + i * delta) % (8 * ((uint64_t)size - 1));
}

/* A filter without bits, or with a reserved encoding, stays unchanged. */
static inline void reference_add(uint8_t *filter, size_t size, uint32_t hash) {
  if (size < 2 || filter[size - 1] > 30) return;
  for (unsigned i = 0; i < filter[size - 1]; i++) {
    const uint64_t at = reference_position(hash, i, size);
    filter[at / 8] |= (uint8_t)(1 << at % 8);
  }
}

static inline bool reference_may_match(const uint8_t *filter, size_t size,
                                       uint32_t hash) {
  if (size < 2) return false;
  if (filter[size - 1] > 30) return true;
  for (unsigned i = 0; i < filter[size - 1]; i++) {
    const uint64_t at = reference_position(hash, i, size);
    if ((filter[at / 8] >> at % 8 & 1) == 0) return false;
  }
  return true;
}

static inline uint64_t reference_bits_set(const uint8_t *filter, size_t size) {
  uint64_t total = 0;
  for (size_t i = 0; size > 0 && i < 8 * (size - 1); i++) {
    total += filter[i / 8] >> i % 8 & 1;
  }
  return total;
}

static inline uint32_t reference_crc32c(uint32_t crc, const uint8_t *data,
                                        size_t n) {
  uint32_t state = ~crc;
  for (size_t i = 0; i < n; i++) {
    state ^= data[i];
    for (int bit = 0; bit < 8; bit++) {
      state = state >> 1 ^ (state & 1 ? 0x82f63b78u : 0);
    }
  }
  return ~state;
}

#endif
