/*
** Every machine makes the same filters: the crc of those of one list of keys,
** for bits_per_key 1 to 100, is one number. The expected one is the crc of the
** filters that LevelDB 1.23 (Debian's libleveldb-dev) makes on x86-64.
*/
#include <stdlib.h>

#include "core/bloom.h"
#include "core/crc32c.h"
#include "lib/tap.h"

#define KEYS 1000
#define EXPECTED 0xcbb3247eu

/* Key i has i % 37 bytes. Every byte value occurs in some key. */
static void make_key(uint8_t *key, size_t i) {
  for (size_t j = 0; j < i % 37; j++) {
    key[j] = (uint8_t)((i + 1) * (j + 1) * 40503u >> 8);
  }
}

int main(void) {
  static uint8_t bytes[KEYS][37];
  const void *keys[KEYS];
  size_t sizes[KEYS];
  uint32_t crc = 0;
  for (size_t i = 0; i < KEYS; i++) {
    make_key(bytes[i], i);
    keys[i] = bytes[i];
    sizes[i] = i % 37;
  }
  for (int bits_per_key = 1; bits_per_key <= 100; bits_per_key++) {
    uint8_t *filter = malloc((size_t)bloom_filter_size(KEYS, bits_per_key));
    if (filter == NULL) return 1;
    const size_t size =
        bloom_create_filter(keys, sizes, KEYS, bits_per_key, filter, NULL);
    crc = bloom_crc32c_extend(crc, filter, size);
    free(filter);
  }
  ok(crc == EXPECTED, "bits_per_key 1 to 100: %08x", (unsigned)crc);
  return tap_done();
}
