#include "estimate.h"

#include <math.h>

#include "coding.h"

/* Number of bits set in a word. */
static unsigned ones(uint64_t word) {
  word -= word >> 1 & 0x5555555555555555u;
  word = (word & 0x3333333333333333u) + (word >> 2 & 0x3333333333333333u);
  word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0fu;
  return (unsigned)(word * 0x0101010101010101u >> 56);
}

uint64_t bloom_bits_set(const void *data, size_t size) {
  const uint8_t *bytes = data;
  uint64_t total = 0;
  size_t left = size > 0 ? size - 1 : 0;
  for (; left >= 8; bytes += 8, left -= 8) {
    total += ones(bloom_load_fixed64(bytes));
  }
  for (; left > 0; bytes++, left--) total += ones(*bytes);
  return total;
}

bool bloom_estimated_keys(const void *data, size_t size, uint64_t *keys) {
  bloom_filter filter;
  *keys = 0;
  const bloom_matches matches = bloom_filter_read(&filter, data, size);
  if (matches != BLOOM_MATCHES_SOME) return matches == BLOOM_MATCHES_NONE;
  const double bits = (double)filter.modulus;
  const double all = (double)BLOOM_ALL_HASHES;
  const double fill = (double)bloom_bits_set(data, size) / bits;
  const double hashes = -bits / filter.probes * log1p(-fill);
  const double estimate = -all * log1p(-hashes / all);
  if (!(estimate < HUGE_VAL)) return false;
  *keys = (uint64_t)llround(estimate);
  return true;
}

double bloom_measured_rate(const bloom_filter *filter) {
  const uint32_t hashes = 1u << 20;
  uint32_t matches = 0;
  /* Multiples of 2^32 divided by the golden ratio are spread as evenly as
  ** possible, without a regular pattern of the hashes and their rotations. */
  for (uint32_t i = 0; i < hashes; i++) {
    matches += (uint32_t)bloom_may_match_hash(filter, i * 0x9e3779b1u);
  }
  return (double)matches / hashes;
}
