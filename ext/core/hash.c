#include "hash.h"

#include "coding.h"

uint32_t bloom_hash(const void *data, size_t n, uint32_t seed) {
  const uint32_t m = 0xc6a4a793u;
  const uint8_t *bytes = data;
  /* LevelDB multiplies the length as a size_t and keeps 32 bits of it. */
  uint32_t h = seed ^ (uint32_t)n * m;

  for (; n >= 4; bytes += 4, n -= 4) {
    h += bloom_load_fixed32(bytes);
    h *= m;
    h ^= h >> 16;
  }
  switch (n) {
    case 3:
      h += (uint32_t)bytes[2] << 16;
      /* fall through */
    case 2:
      h += (uint32_t)bytes[1] << 8;
      /* fall through */
    case 1:
      h += bytes[0];
      h *= m;
      h ^= h >> 24;
  }
  return h;
}
