/* The hash: LevelDB's own vectors (util/hash_test.cc) and others, every length
** compared with the reference, and no read out of bounds. */
#include "lib/guard_pages.h"

#include "core/hash.h"

#include <string.h>

#include "lib/iscsi_read.h"
#include "lib/random.h"
#include "lib/reference.h"
#include "lib/tap.h"

static void vectors(void) {
  static const struct {
    const char *data;
    uint32_t hash;
  } known[] = {
      {"", 0xbc9f1d34u},
      {"\x62", 0xef1345c4u},
      {"\xc3\x97", 0x5b663814u},
      {"\xe2\x99\xa5", 0x323c078fu},
      {"\xe1\x80\xb9\x32", 0xed21633au},
      {"gopher", 0xa78edc7cu},
      {"hello", 0xf795964eu},
  };
  for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
    const size_t n = strlen(known[i].data);
    ok(bloom_hash(known[i].data, n, BLOOM_HASH_SEED) == known[i].hash,
       "a hash of %d bytes is %08lx", (int)n, (unsigned long)known[i].hash);
  }
  ok(bloom_hash(iscsi_read, 48, 0x12345678u) == 0xf333dabbu,
     "another seed: the iSCSI read command is f333dabb");
  ok(bloom_hash(NULL, 0, 7) == 7, "the hash of no bytes, at NULL, is the seed");
}

static bool same_hash(const uint8_t *data, size_t n, uint32_t seed) {
  const uint32_t got = bloom_hash(data, n, seed);
  const uint32_t expected = reference_hash(data, n, seed);
  return got == expected ||
         mismatch("%lu bytes, seed %08lx: got %08lx, not %08lx",
                  (unsigned long)n, (unsigned long)seed, (unsigned long)got,
                  (unsigned long)expected);
}

static void every_length_at_every_address(void) {
  uint8_t data[600];
  bool same = true;
  random_fill(data, sizeof(data));
  for (size_t n = 0; same && n <= 512; n++) {
    for (size_t at = 0; same && at < 8; at++) {
      same = same_hash(data + at, n, random32());
    }
  }
  ok(same, "lengths 0 to 512, addresses of each alignment, random seeds");
}

static void nothing_outside_is_read(void) {
  size_t size = 512;
  uint8_t *block = guarded_bytes(&size);
  if (block == NULL) return;
  bool same = true;
  for (size_t n = 0; same && n <= 300; n++) {
    same = same_hash(block, n, 1) && same_hash(block + size - n, n, 1);
  }
  ok(same, "lengths 0 to 300 between guard pages");
}

int main(void) {
  vectors();
  every_length_at_every_address();
  nothing_outside_is_read();
  return tap_done();
}
