/* The filter of the C core: LevelDB's bytes, LevelDB's own filter test
** (util/bloom_test.cc), and every answer held against the filter written down
** plainly, with a division a probe. */
#include "lib/pages.h"

#include "core/bloom.h"

#include <stdlib.h>
#include <string.h>

#include "core/coding.h"
#include "lib/random.h"
#include "lib/tap.h"

/* ---- The filter, plainly. */

/* Bit i of a key's probes in a filter of so many bits. */
static uint64_t plain_position(uint32_t hash, unsigned i, uint64_t bits) {
  const uint32_t delta = (hash >> 17) | (hash << 15);
  return (uint32_t)(hash + i * delta) % bits;
}

static void plain_add(uint8_t *filter, size_t size, uint32_t hash) {
  for (unsigned i = 0; i < filter[size - 1]; i++) {
    const uint64_t at = plain_position(hash, i, 8 * ((uint64_t)size - 1));
    filter[at / 8] |= (uint8_t)(1 << at % 8);
  }
}

static int plain_may_match(const uint8_t *filter, size_t size, uint32_t hash) {
  if (size < 2) return 0;
  if (filter[size - 1] > 30) return 1;
  for (unsigned i = 0; i < filter[size - 1]; i++) {
    const uint64_t at = plain_position(hash, i, 8 * ((uint64_t)size - 1));
    if (!(filter[at / 8] >> at % 8 & 1)) return 0;
  }
  return 1;
}

/* ---- Vectors. */

static void vectors(void) {
  static const struct {
    int bits_per_key;
    const char *keys[4];
    const char *filter;
  } known[] = {
      {10, {"hello", "world"}, "114000414410401006"},
      {10, {NULL}, "000000000000000006"},
      {12,
       {"abc123def456", "xxx111xxx222", "ab00cd00ab", "908070605040302010"},
       "c294818cc0c484a408"},
      {10, {""}, "080004000200118006"},
      {10, {"hello", "hello"}, "014000010410400006"},
      {10, {"\x80", "\xff", "\xc3\x97"}, "8480994021300a4406"},
      {1, {"hello", "world"}, "004000000000001001"},
      {2, {"hello", "world"}, "004000000000001001"},
      {20, {"hello", "world"}, "51551141445544100d"},
      {44, {"hello", "world"}, "54551555555555515055541e"},
  };
  for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
    const char *const *keys = known[i].keys;
    const void *pointers[4];
    size_t sizes[4];
    size_t n = 0;
    for (; n < 4 && keys[n] != NULL; n++) {
      pointers[n] = keys[n];
      sizes[n] = strlen(keys[n]);
    }
    uint8_t filter[16];
    char hex[33] = "";
    const size_t size = bloom_create_filter(
        pointers, sizes, n, known[i].bits_per_key, filter, NULL);
    for (size_t j = 0; j < size; j++)
      snprintf(hex + 2 * j, 3, "%02x", filter[j]);
    ok(strcmp(hex, known[i].filter) == 0, "%d keys at %d bits a key: %s",
       (int)n, known[i].bits_per_key, known[i].filter);
  }
  ok(strcmp(BLOOM_POLICY_NAME, "leveldb.BuiltinBloomFilter2") == 0,
     "the policy's name");
}

/* ---- LevelDB's own test. */

static uint8_t filter_bytes[20000];
static size_t filter_size;

/* The filter of the n fixed32 keys 0, 1, ... at 10 bits. */
static void build_fixed32(size_t n) {
  static uint8_t keys[10000][4];
  static const void *pointers[10000];
  static size_t sizes[10000];
  for (size_t i = 0; i < n; i++) {
    bloom_store_fixed32(keys[i], (uint32_t)i);
    pointers[i] = keys[i];
    sizes[i] = 4;
  }
  filter_size = bloom_create_filter(pointers, sizes, n, 10, filter_bytes, NULL);
}

static int matches(const char *key) {
  return bloom_key_may_match(key, strlen(key), filter_bytes, filter_size);
}

static int matches_fixed32(uint32_t key) {
  uint8_t bytes[4];
  bloom_store_fixed32(bytes, key);
  return bloom_key_may_match(bytes, 4, filter_bytes, filter_size);
}

static void empty_filter(void) {
  build_fixed32(0);
  ok(!matches("hello") && !matches("world"), "EmptyFilter");
}

static void small(void) {
  const void *keys[] = {"hello", "world"};
  const size_t sizes[] = {5, 5};
  filter_size = bloom_create_filter(keys, sizes, 2, 10, filter_bytes, NULL);
  ok(matches("hello") && matches("world"), "Small: both keys match");
  ok(!matches("x") && !matches("foo"), "Small: others do not");
}

static size_t next_length(size_t length) {
  if (length < 10) return length + 1;
  if (length < 100) return length + 10;
  if (length < 1000) return length + 100;
  return length + 1000;
}

static void varying_lengths(void) {
  int sizes_hold = 1, keys_match = 1, rates_hold = 1;
  int mediocre = 0, good = 0;
  for (size_t length = 1; length <= 10000; length = next_length(length)) {
    int false_positives = 0;
    build_fixed32(length);
    sizes_hold &= filter_size <= length * 10 / 8 + 40;
    for (uint32_t i = 0; i < length; i++) keys_match &= matches_fixed32(i);
    for (uint32_t i = 0; i < 10000; i++) {
      false_positives += matches_fixed32(i + 1000000000);
    }
    rates_hold &= false_positives <= 200;
    if (false_positives > 125) {
      mediocre++;
    } else {
      good++;
    }
  }
  ok(sizes_hold, "VaryingLengths: at most length * 10 / 8 + 40 bytes");
  ok(keys_match, "VaryingLengths: every key matches");
  ok(rates_hold, "VaryingLengths: at most 2 %% false positives");
  ok(mediocre <= good / 5, "VaryingLengths: %d filters over 1.25 %%, %d under",
     mediocre, good);
}

/* ---- Sizes. */

static void probes(void) {
  int same = 1;
  for (int bits = 1; bits <= 100; bits++) {
    int expected = bits * 69 / 100;
    if (expected < 1) expected = 1;
    if (expected > 30) expected = 30;
    same &= bloom_probes_for(bits) == expected;
  }
  ok(same, "probes are bits_per_key * 0.69, held to 1 and 30");
  ok(bloom_probes_for(0) == 1, "and 1 for no bits");
}

static void sizes(void) {
  ok(bloom_filter_size(0, 10) == 9, "no keys: 64 bits and a byte");
  ok(bloom_filter_size(6, 10) == 9, "6 keys at 10 bits: 64 bits still");
  ok(bloom_filter_size(7, 10) == 10, "7 keys: 70 bits in 9 bytes");
  ok(bloom_filter_size(8, 10) == 11, "8 keys: 80 bits in 10 bytes");
  ok(bloom_filter_size(1000, 100) == 12501, "1000 keys at 100 bits");
  ok(bloom_filter_size(1000, 0) == 9, "no bits a key: 64 bits");
  ok(bloom_filter_size(500000000, 10) == 625000001, "beyond 2^32 bits");
  ok(bloom_filter_size(UINT64_MAX, 1) == UINT64_C(0x2000000000000001),
     "2^64 - 1 bits");
  ok(bloom_filter_size(UINT64_MAX / 100, 100) == UINT64_C(0x1fffffffffffffff),
     "the most keys at 100 bits");
  ok(bloom_filter_size(UINT64_MAX / 100 + 1, 100) == UINT64_MAX,
     "one key more does not fit 64 bits");
  ok(bloom_filter_size(UINT64_MAX, 2) == UINT64_MAX, "nor do 2^65 bits");
}

/* ---- Against the plain filter. */

static void random_key_sets(void) {
  enum { MOST = 4000 };
  static uint8_t keys[MOST * 40];
  static const void *pointers[MOST];
  static size_t lengths[MOST];
  static uint8_t got[MOST * 100 / 8 + 10], plain[sizeof(got)];
  int same = 1, within = 1;
  for (int bits = 1; bits <= 100; bits++) {
    const size_t counts[] = {(size_t)bits % 9, random_below(300),
                             bits % 10 == 0 ? MOST : random_below(2000)};
    for (int c = 0; c < 3; c++) {
      const size_t n = counts[c];
      random_fill(keys, n * 40);
      const size_t size = (size_t)bloom_filter_size(n, bits);
      memset(plain, 0, size);
      int k = bits * 69 / 100;
      if (k < 1) k = 1;
      if (k > 30) k = 30;
      plain[size - 1] = (uint8_t)k;
      for (size_t i = 0; i < n; i++) {
        pointers[i] = keys + 40 * i;
        lengths[i] = random_below(41);
        plain_add(plain, size, bloom_key_hash(pointers[i], lengths[i]));
      }
      memset(got, 0xa5, size + 1);
      same &=
          bloom_create_filter(pointers, lengths, n, bits, got, NULL) == size;
      same &= memcmp(got, plain, size) == 0;
      within &= got[size] == 0xa5;
    }
  }
  ok(same, "random keys, 0 to %d of them, at 1 to 100 bits", MOST);
  ok(within, "nothing past the filter is written");
}

/* Any bytes may be probed: each length from 2, each last byte. */
static void random_filters(void) {
  static uint8_t filter[2000];
  int same = 1;
  unsigned matched = 0;
  for (size_t size = 2; size <= sizeof(filter); size++) {
    random_fill(filter, size);
    /* Many bits set, or no probe sequence would ever end well. */
    for (size_t i = 0; i + 1 < size; i++) {
      filter[i] |= (uint8_t)(random64() | random64());
    }
    filter[size - 1] = (uint8_t)(size % 40);
    bloom_filter read;
    bloom_filter_read(&read, filter, size);
    for (int i = 0; i < 50; i++) {
      const uint32_t hash = random32();
      const int match = bloom_may_match_hash(&read, hash);
      same &= match == plain_may_match(filter, size, hash);
      matched += (unsigned)match;
    }
  }
  ok(same, "filters of random bytes, lengths 2 to 2000, 0 to 39 probes");
  ok(matched > 10000 && matched < 90000, "of 100,000 probes, %u match",
     matched);
}

/* A key added to a filter of any length matches, and sets LevelDB's bits. */
static void random_additions(void) {
  static uint8_t got[2000], plain[sizeof(got)];
  int same = 1;
  for (size_t size = 2; size <= sizeof(got); size++) {
    uint32_t hashes[20];
    random_fill(got, size);
    got[size - 1] = (uint8_t)(1 + size % 30);
    memcpy(plain, got, size);
    for (int i = 0; i < 20; i++) plain_add(plain, size, hashes[i] = random32());
    bloom_add_hashes(got, size, hashes, 20, NULL);
    same &= memcmp(got, plain, size) == 0;
  }
  ok(same, "keys added to filters of lengths 2 to 2000");
}

/* CreateFilter with memory to fill a large filter by region, and without. */
static void large_created(void) {
  enum { KEYS = 200000, BITS = 100 };
  const size_t size = (size_t)bloom_filter_size(KEYS, BITS);
  const size_t scratch_size = bloom_scratch_size(size);
  const void **pointers = malloc(KEYS * sizeof(*pointers));
  size_t *sizes = malloc(KEYS * sizeof(*sizes));
  uint8_t *data = malloc(KEYS * 8);
  uint8_t *direct = malloc(size), *by_region = malloc(size);
  void *scratch = malloc(scratch_size);
  random_fill(data, KEYS * 8);
  for (size_t i = 0; i < KEYS; i++) {
    pointers[i] = data + 8 * i;
    sizes[i] = 8;
  }
  ok(scratch_size > 0, "%lu bytes gain from scratch memory",
     (unsigned long)size);
  bloom_create_filter(pointers, sizes, KEYS, BITS, direct, NULL);
  ok(bloom_create_filter(pointers, sizes, KEYS, BITS, by_region, scratch) ==
             size &&
         memcmp(direct, by_region, size) == 0,
     "a filter created with it");
  free(pointers);
  free(sizes);
  free(data);
  free(direct);
  free(by_region);
  free(scratch);
}

/* Filters so large that they are filled region by region, where the caller
** gives the memory for it. */
static void large_filters(void) {
  enum { MEBIBYTE = 1 << 20 };
  static const size_t large[] = {
      2 * MEBIBYTE - 1, 2 * MEBIBYTE,      2 * MEBIBYTE + 1, 4 * MEBIBYTE + 1,
      5234567,          32 * MEBIBYTE + 1, 64 * MEBIBYTE + 1};
  const size_t n = 600000;
  uint32_t *hashes = malloc(n * sizeof(*hashes));
  for (size_t i = 0; i < n; i++) hashes[i] = random32();
  for (size_t i = 0; i < sizeof(large) / sizeof(large[0]); i++) {
    const size_t size = large[i];
    const size_t scratch_size = bloom_scratch_size(size);
    uint8_t *plain = malloc(size);
    uint8_t *direct = malloc(size);
    uint8_t *by_region = malloc(size);
    uint8_t *room = malloc(scratch_size + 16 * (i + 1));
    uint8_t *scratch = room + 16 * i;
    bloom_filter_start(direct, size, 10);
    bloom_filter_start(by_region, size, 10);
    memset(plain, 0, size);
    plain[size - 1] = 6;
    memset(scratch, 0xa5, scratch_size + 16);
    for (size_t j = 0; j < n; j++) plain_add(plain, size, hashes[j]);
    bloom_add_hashes(direct, size, hashes, n, NULL);
    /* In two calls, for what one leaves in the scratch memory is no matter. */
    bloom_add_hashes(by_region, size, hashes, n - 1000, scratch);
    bloom_add_hashes(by_region, size, hashes + n - 1000, 1000, scratch);
    ok(memcmp(direct, plain, size) == 0, "%lu bytes, without scratch memory",
       (unsigned long)size);
    ok(memcmp(by_region, plain, size) == 0, "%lu bytes, with %lu of it",
       (unsigned long)size, (unsigned long)scratch_size);
    int within = 1;
    for (int j = 0; j < 16; j++)
      within &= scratch[scratch_size + (size_t)j] == 0xa5;
    ok(within, "nothing past the scratch memory is written");
    free(plain);
    free(direct);
    free(by_region);
    free(room);
  }
  free(hashes);
  ok(bloom_scratch_size(2) == 0 && bloom_scratch_size(100000) == 0,
     "small filters take no scratch memory");
}

/* ---- The remainder that chooses a bit, where bits near and pass 2^32. */

#define BITS_REACHED_BYTES ((size_t)512 << 20) /* 2^32 bits */

/* 1 where a filter of this size, one probe a key and no bit set, matches a hash
** exactly when the bit of its remainder is set. */
static int one_bit_decides(uint8_t *zeros, size_t size, uint32_t hash) {
  const uint64_t at = hash % (8 * ((uint64_t)size - 1));
  bloom_filter filter;
  zeros[size - 1] = 1;
  bloom_filter_read(&filter, zeros, size);
  int decides = !bloom_may_match_hash(&filter, hash);
  zeros[at / 8] = (uint8_t)(1 << at % 8);
  decides &= bloom_may_match_hash(&filter, hash);
  zeros[at / 8] = 0;
  bloom_add_hashes(zeros, size, &hash, 1, NULL);
  decides &= zeros[at / 8] == 1 << at % 8;
  zeros[at / 8] = 0;
  zeros[size - 1] = 0;
  return decides;
}

static int remainders_hold(uint8_t *zeros, size_t size) {
  const uint64_t bits = 8 * ((uint64_t)size - 1);
  int hold = one_bit_decides(zeros, size, 0) &&
             one_bit_decides(zeros, size, 1) &&
             one_bit_decides(zeros, size, 0x80000000u) &&
             one_bit_decides(zeros, size, 0xffffffffu);
  for (int i = 0; hold && i < 12; i++) {
    /* Around a multiple of the modulus an inexact remainder would be wrong. */
    const uint64_t multiple = random32() / bits * bits;
    hold = one_bit_decides(zeros, size, random32()) &&
           one_bit_decides(zeros, size, (uint32_t)multiple) &&
           one_bit_decides(zeros, size, (uint32_t)(multiple - 1)) &&
           one_bit_decides(zeros, size, (uint32_t)(multiple + 1));
  }
  return hold;
}

static void remainders(void) {
  const size_t room = 3 * BITS_REACHED_BYTES + (1 << 20);
  uint8_t *zeros = sizeof(size_t) > 4 ? zero_pages(room) : NULL;
  if (zeros == NULL) {
    skip(11, "no room for filters of 512 MiB");
    return;
  }
  int hold = 1;
  for (size_t size = 2; hold && size < 3000; size++) {
    hold = remainders_hold(zeros, size);
  }
  ok(hold, "the bit of a hash is its remainder: every length to 3000");
  for (int i = 0; hold && i < 1000; i++) {
    hold = remainders_hold(zeros, 2 + random_below(room >> random_below(20)));
    if (i % 20 == 0) clear_pages(zeros, room);
  }
  ok(hold, "and random lengths to 512 MiB and more");

  /* 2^32 - 8 bits, 2^32, 2^32 + 8, half a million more, and 3 * 2^32, where the
  ** reciprocal of the number of bits would no longer give exact remainders. */
  static const size_t near[] = {0, 1, 2, 65536, 2 * BITS_REACHED_BYTES + 1};
  enum { N = 2000 };
  uint32_t hashes[N] = {0,           1,           0x7fffffffu, 0x80000000u,
                        0xfffffff7u, 0xfffffff8u, 0xfffffffeu, 0xffffffffu};
  for (size_t i = 8; i < N; i++) hashes[i] = random32();
  for (size_t i = 0; i < 5; i++) {
    const size_t size = BITS_REACHED_BYTES + near[i];
    clear_pages(zeros, room);
    hold = remainders_hold(zeros, size);
    zeros[size - 1] = 6;
    void *scratch = i % 2 ? malloc(bloom_scratch_size(size)) : NULL;
    bloom_add_hashes(zeros, size, hashes, N, scratch);
    free(scratch);
    bloom_filter filter;
    bloom_filter_read(&filter, zeros, size);
    for (size_t j = 0; j < N; j++) {
      hold &= plain_may_match(zeros, size, hashes[j]);
      hold &= bloom_may_match_hash(&filter, hashes[j]);
    }
    ok(hold, "2^32 %+ld bits: every key matches, here and plainly",
       8 * ((long)near[i] - 1));
    int matched = 0;
    for (int j = 0; j < 20000; j++) {
      matched += bloom_may_match_hash(&filter, random32());
    }
    ok(matched < 5, "2^32 %+ld bits: other keys do not",
       8 * ((long)near[i] - 1));
  }
  ok(bloom_scratch_size(BITS_REACHED_BYTES + 1) ==
         bloom_scratch_size(BITS_REACHED_BYTES + 65536),
     "bits past 2^32 are never reached, and take no scratch memory");
  clear_pages(zeros, room);
}

/* ---- Forms. */

static void forms(void) {
  static const uint32_t hashes[] = {0, 1, 0x12345678u, 0xffffffffu};
  bloom_filter filter;
  int none = bloom_filter_read(&filter, NULL, 0) == BLOOM_MATCHES_NONE;
  for (int i = 0; i < 4; i++) none &= !bloom_may_match_hash(&filter, hashes[i]);
  none &= !bloom_key_may_match("a", 1, NULL, 0);
  ok(none, "0 bytes match nothing");

  none = 1;
  for (unsigned byte = 0; byte < 256; byte++) {
    const uint8_t one[] = {(uint8_t)byte};
    none &= bloom_filter_read(&filter, one, 1) == BLOOM_MATCHES_NONE;
    for (int i = 0; i < 4; i++) {
      none &= !bloom_may_match_hash(&filter, hashes[i]);
    }
    none &= !bloom_key_may_match("a", 1, one, 1);
  }
  ok(none, "1 byte, whichever, matches nothing");

  int some = 1, all = 1;
  for (unsigned last = 0; last < 256; last++) {
    const uint8_t empty[] = {0, (uint8_t)last};
    const uint8_t full[] = {0xff, (uint8_t)last};
    const int decides = last >= 1 && last <= 30;
    int *here = decides ? &some : &all;
    const bloom_form form = decides ? BLOOM_MATCHES_SOME : BLOOM_MATCHES_ALL;
    *here &= bloom_filter_read(&filter, full, 2) == form;
    for (int i = 0; i < 4; i++) {
      *here &= bloom_may_match_hash(&filter, hashes[i]);
    }
    *here &= bloom_filter_read(&filter, empty, 2) == form;
    for (int i = 0; i < 4; i++) {
      *here &= bloom_may_match_hash(&filter, hashes[i]) == !decides;
    }
    *here &= bloom_key_may_match("a", 1, empty, 2) == !decides;
  }
  ok(some, "2 bytes with 1 to 30 probes: the bits decide");
  ok(all, "no probes, or over 30, which LevelDB reserves: all match");

  int unchanged = 1;
  uint8_t bytes[3] = {0, 0, 0};
  bloom_add_hashes(bytes, 0, hashes, 4, NULL);
  bloom_add_hashes(bytes, 1, hashes, 4, NULL);
  bloom_add_hashes(bytes, 3, hashes, 4, NULL);
  unchanged &= bytes[0] == 0 && bytes[1] == 0 && bytes[2] == 0;
  for (unsigned last = 31; last < 256; last++) {
    bytes[2] = (uint8_t)last;
    bloom_add_hashes(bytes, 3, hashes, 4, NULL);
    unchanged &= bytes[0] == 0 && bytes[1] == 0 && bytes[2] == last;
  }
  ok(unchanged, "adding to a form without bits that decide changes nothing");
}

/* Nothing outside a filter is read or written, whatever its length and last
** byte. */
static void between_forbidden_pages(void) {
  size_t size = 4096;
  uint8_t *block = guarded_pages(&size);
  if (block == NULL) {
    skip(1, PAGES_MISSING);
    return;
  }
  int same = 1;
  random_fill(block, size);
  for (size_t n = 0; n <= 300; n++) {
    uint8_t *ends[] = {block, block + size - n};
    for (int i = 0; i < 2; i++) {
      uint8_t *filter = ends[i];
      bloom_filter read;
      if (n > 0) filter[n - 1] = (uint8_t)random_below(34);
      bloom_filter_read(&read, filter, n);
      for (int j = 0; j < 50; j++) {
        const uint32_t hash = random32();
        same &= bloom_may_match_hash(&read, hash) ==
                plain_may_match(filter, n, hash);
        bloom_add_hashes(filter, n, &hash, 1, NULL);
      }
      bloom_bits_set(filter, n);
      bloom_union(filter, filter, n);
    }
  }
  ok(same, "lengths 0 to 300 between forbidden pages");
}

/* ---- Union and count. */

static void unions(void) {
  static uint8_t a[700], b[sizeof(a)], both[sizeof(a)];
  int bytes_hold = 1, keys_hold = 1;
  for (size_t size = 0; size < sizeof(a); size++) {
    random_fill(a, size);
    random_fill(b, size);
    if (size > 0) a[size - 1] = b[size - 1] = (uint8_t)(size % 30 + 1);
    memcpy(both, a, size);
    both[size] = 0xa5;
    bloom_union(both, b, size);
    for (size_t i = 0; i < size; i++) bytes_hold &= both[i] == (a[i] | b[i]);
    bytes_hold &= both[size] == 0xa5;
    for (int i = 0; i < 100 && size > 1; i++) {
      const uint32_t hash = random32();
      if (plain_may_match(a, size, hash) || plain_may_match(b, size, hash)) {
        keys_hold &= plain_may_match(both, size, hash);
      }
    }
  }
  ok(bytes_hold, "a union has the bits of both, and its probes: any length");
  ok(keys_hold, "a union matches what either matches");
}

static void counts(void) {
  static uint8_t bytes[700];
  int same = bloom_bits_set(NULL, 0) == 0;
  for (size_t size = 1; size < sizeof(bytes); size++) {
    uint64_t expected = 0;
    random_fill(bytes, size);
    for (size_t i = 0; i < 8 * (size - 1); i++) {
      expected += bytes[i / 8] >> i % 8 & 1;
    }
    same &= bloom_bits_set(bytes, size) == expected;
  }
  ok(same, "the number of bits set leaves out the last byte: any length");
  memset(bytes, 0xff, sizeof(bytes));
  ok(bloom_bits_set(bytes, sizeof(bytes)) == 8 * (sizeof(bytes) - 1),
     "all bits set");
}

int main(void) {
  vectors();
  empty_filter();
  small();
  varying_lengths();
  probes();
  sizes();
  random_key_sets();
  random_filters();
  random_additions();
  large_filters();
  large_created();
  remainders();
  forms();
  between_forbidden_pages();
  unions();
  counts();
  return tap_done();
}
