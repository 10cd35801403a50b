/* Little-endian loads and stores: LevelDB's EncodeFixed32 and EncodeFixed64, on
** a machine of either byte order, at any address. */
#include "core/coding.h"

#include <string.h>

#include "lib/random.h"
#include "lib/tap.h"

static void bytes_are_little_endian(void) {
  uint8_t bytes[8];
  bloom_store_fixed32(bytes, 0x04030201u);
  ok(memcmp(bytes, "\1\2\3\4", 4) == 0, "fixed32: the lowest byte first");
  bloom_store_fixed64(bytes, 0x0807060504030201u);
  ok(memcmp(bytes, "\1\2\3\4\5\6\7\10", 8) == 0,
     "fixed64: the lowest byte first");
  ok(bloom_load_fixed32("\xff\0\0\x80") == 0x800000ffu,
     "fixed32 loads unsigned bytes");
  ok(bloom_load_fixed64("\xff\0\0\x80\0\0\0\xfe") == 0xfe000000800000ffu,
     "fixed64 loads unsigned bytes");
}

static void what_is_stored_is_loaded(void) {
  bool same = true, within = true;
  for (int i = 0; same && within && i < 10000; i++) {
    uint8_t bytes[24];
    const uint64_t value = random64() >> random_below(64);
    const size_t at = 1 + random_below(8);
    memset(bytes, 0xa5, sizeof(bytes));
    bloom_store_fixed64(bytes + at, value);
    same = bloom_load_fixed64(bytes + at) == value ||
           mismatch("fixed64 of %016llx", (unsigned long long)value);
    within = bytes[at - 1] == 0xa5 && bytes[at + 8] == 0xa5;
    memset(bytes, 0xa5, sizeof(bytes));
    bloom_store_fixed32(bytes + at, (uint32_t)value);
    same = same && (bloom_load_fixed32(bytes + at) == (uint32_t)value ||
                    mismatch("fixed32 of %08lx", (unsigned long)value));
    within = within && bytes[at - 1] == 0xa5 && bytes[at + 4] == 0xa5;
  }
  ok(same, "a load gives what was stored, at any address");
  ok(within, "no other byte is written");
}

int main(void) {
  bytes_are_little_endian();
  what_is_stored_is_loaded();
  return tap_done();
}
