/* The filter of the C core: LevelDB's bytes, which are the same on every
** machine, and every filter and every answer compared with the reference
** implementation's. */
#include "lib/guard_pages.h"

#include "core/bloom.h"

#include <stdlib.h>
#include <string.h>

#include "core/crc32c.h"
#include "core/estimate.h"
#include "lib/random.h"
#include "lib/reference.h"
#include "lib/tap.h"

/* ---- Comparison with the reference. */

static bool same_answer(const bloom_filter *read, const uint8_t *filter,
                        size_t size, uint32_t hash) {
  const bool expected = reference_may_match(filter, size, hash);
  return bloom_may_match_hash(read, hash) == expected ||
         mismatch("%lu bytes, hash %08lx: not %d", (unsigned long)size,
                  (unsigned long)hash, expected);
}

static bool same_bytes(const uint8_t *got, const uint8_t *expected,
                       size_t size) {
  size_t at = 0;
  if (memcmp(got, expected, size) == 0) return true;
  while (got[at] == expected[at]) at++;
  return mismatch("%lu bytes: byte %lu is %02x, not %02x", (unsigned long)size,
                  (unsigned long)at, got[at], expected[at]);
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
    bool right = strcmp(hex, known[i].filter) == 0;
    for (size_t j = 0; j < n; j++) {
      right = right && bloom_key_may_match(keys[j], sizes[j], filter, size);
    }
    right = right && !bloom_key_may_match("x", 1, filter, size) &&
            !bloom_key_may_match("foo", 3, filter, size);
    ok(right, "%d keys at %d bits a key: %s, which has these keys", (int)n,
       known[i].bits_per_key, known[i].filter);
  }
  ok(strcmp(BLOOM_POLICY_NAME, "leveldb.BuiltinBloomFilter2") == 0,
     "the policy's name");
}

/* The crc of the filters of 1,000 keys, for bits_per_key 1 to 100: LevelDB 1.23
** (Debian's libleveldb-dev) makes them on x86-64. Key i has i % 37 bytes, and
** every byte value occurs in some key. */
static void same_bytes_everywhere(void) {
  enum { KEYS = 1000 };
  static uint8_t bytes[KEYS][37], filter[KEYS * 100 / 8 + 1];
  const void *keys[KEYS];
  size_t sizes[KEYS];
  uint32_t crc = 0;
  for (size_t i = 0; i < KEYS; i++) {
    for (size_t j = 0; j < i % 37; j++) {
      bytes[i][j] = (uint8_t)((i + 1) * (j + 1) * 40503u >> 8);
    }
    keys[i] = bytes[i];
    sizes[i] = i % 37;
  }
  for (int bits = 1; bits <= 100; bits++) {
    const size_t size =
        bloom_create_filter(keys, sizes, KEYS, bits, filter, NULL);
    crc = bloom_crc32c_extend(crc, filter, size);
  }
  ok(crc == 0xcbb3247eu, "bits_per_key 1 to 100: %08lx", (unsigned long)crc);
}

/* ---- Sizes. */

static void sizes(void) {
  static const struct {
    uint64_t keys;
    int bits_per_key;
    uint64_t bytes;
    const char *what;
  } known[] = {
      {0, 10, 9, "no keys: 64 bits and a byte"},
      {6, 10, 9, "6 keys at 10 bits: 64 bits still"},
      {7, 10, 10, "7 keys: 70 bits in 9 bytes"},
      {8, 10, 11, "8 keys: 80 bits in 10 bytes"},
      {1000, 100, 12501, "1000 keys at 100 bits"},
      {1000, 0, 9, "no bits a key: 64 bits"},
      {500000000, 10, 625000001, "beyond 2^32 bits"},
      {UINT64_MAX, 1, UINT64_C(0x2000000000000001), "2^64 - 1 bits"},
      {UINT64_MAX / 100, 100, UINT64_C(0x1fffffffffffffff),
       "the most keys at 100 bits"},
      {UINT64_MAX / 100 + 1, 100, UINT64_MAX,
       "one more key does not fit in 64 bits"},
      {UINT64_MAX, 2, UINT64_MAX, "2^65 bits do not fit in 64 bits"},
  };
  for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
    ok(bloom_filter_size(known[i].keys, known[i].bits_per_key) ==
           known[i].bytes,
       "%s", known[i].what);
  }
  ok(bloom_probes_for(0) == 1, "0 bits a key: 1 probe");
}

/* ---- Random keys, and random bytes as filters. */

#define MOST_KEYS 200000

/* Whether a filter of n random keys of random lengths is the reference's. One
** that gains from scratch memory is made with it. A key begins 8 bytes after
** the one before it, so that all fit into WebAssembly's memory. */
static bool same_created(size_t n, int bits) {
  static uint8_t keys[MOST_KEYS * 8 + 40];
  static const void *pointers[MOST_KEYS];
  static size_t lengths[MOST_KEYS];
  static uint8_t got[MOST_KEYS * 100 / 8 + 10], reference[sizeof(got)];
  const size_t size = reference_filter_size(n, bits);
  void *scratch = malloc(bloom_scratch_size(size));
  random_fill(keys, n * 8 + 40);
  memset(reference, 0, size);
  reference[size - 1] = (uint8_t)reference_probes(bits);
  for (size_t i = 0; i < n; i++) {
    const uint8_t *key = keys + 8 * i;
    pointers[i] = key;
    lengths[i] = random_below(41);
    reference_add(reference, size,
                  reference_hash(key, lengths[i], BLOOM_HASH_SEED));
  }
  memset(got, 0xa5, size + 1);
  const size_t created =
      bloom_create_filter(pointers, lengths, n, bits, got, scratch);
  free(scratch);
  return (created == size && same_bytes(got, reference, size) &&
          got[size] == 0xa5) ||
         mismatch("%lu keys at %d bits", (unsigned long)n, bits);
}

static void random_key_sets(void) {
  bool same = true;
  for (int bits = 1; same && bits <= 100; bits++) {
    same = same_created((size_t)bits % 9, bits) &&
           same_created(random_below(300), bits) &&
           same_created(bits % 10 == 0 ? 4000 : random_below(2000), bits);
  }
  ok(same,
     "0 to 4000 random keys at 1 to 100 bits; nothing past the filter changes");
  ok(same_created(MOST_KEYS, 100), "%d keys at 100 bits", MOST_KEYS);
}

/* Any bytes may be probed, and keys added to them: of each length from 2 on,
** with many last bytes. */
static void random_filters(void) {
  static uint8_t filter[2000], reference[sizeof(filter)];
  bool same = true, same_added = true;
  unsigned matched = 0;
  for (size_t size = 2; same && size <= sizeof(filter); size++) {
    random_fill(filter, size);
    /* Many bits must be set, or hardly any key would match. */
    for (size_t i = 0; i + 1 < size; i++) {
      filter[i] |= (uint8_t)(random64() | random64());
    }
    filter[size - 1] = (uint8_t)(size % 40);
    bloom_filter read;
    bloom_filter_read(&read, filter, size);
    for (int i = 0; same && i < 50; i++) {
      const uint32_t hash = random32();
      same = same_answer(&read, filter, size, hash);
      matched += bloom_may_match_hash(&read, hash);
    }
    uint32_t hashes[20];
    random_fill(filter, size);
    filter[size - 1] = (uint8_t)(1 + size % 30);
    memcpy(reference, filter, size);
    for (int i = 0; i < 20; i++)
      reference_add(reference, size, hashes[i] = random32());
    bloom_add_hashes(filter, size, hashes, 20, NULL);
    same_added = same_added && same_bytes(filter, reference, size);
  }
  ok(same, "filters of random bytes, lengths 2 to 2000, 0 to 39 probes");
  ok(matched > 10000 && matched < 90000, "of 100,000 probes, %u match",
     matched);
  ok(same_added, "keys added to filters of these lengths");
}

/* ---- Filters so large that they are filled region by region, if the caller
** gives scratch memory for that. */

/* A filter of size bytes with n hashes, filled by the reference, directly, and
** region by region, with scratch memory that begins `shift` bytes further. */
static void large_filter(size_t size, const uint32_t *hashes, size_t n,
                         size_t shift) {
  const size_t scratch_size = bloom_scratch_size(size);
  uint8_t *reference = calloc(size, 1), *direct = malloc(size);
  uint8_t *by_region = malloc(size);
  uint8_t *room = malloc(shift + scratch_size + 16);
  uint8_t *scratch = room + shift;
  reference[size - 1] = 6;
  bloom_filter_start(direct, size, 10);
  bloom_filter_start(by_region, size, 10);
  memset(scratch, 0xa5, scratch_size + 16);
  for (size_t j = 0; j < n; j++) reference_add(reference, size, hashes[j]);
  bloom_add_hashes(direct, size, hashes, n, NULL);
  /* The second call must not depend on what the first leaves in scratch. */
  bloom_add_hashes(by_region, size, hashes, n - 1000, scratch);
  bloom_add_hashes(by_region, size, hashes + n - 1000, 1000, scratch);
  ok(same_bytes(direct, reference, size), "%lu bytes, without scratch memory",
     (unsigned long)size);
  ok(same_bytes(by_region, reference, size), "%lu bytes, with %lu of scratch",
     (unsigned long)size, (unsigned long)scratch_size);
  bool within = true;
  for (size_t j = 0; j < 16; j++) {
    within = within && scratch[scratch_size + j] == 0xa5;
  }
  ok(within, "nothing past the scratch memory is written");
  free(reference);
  free(direct);
  free(by_region);
  free(room);
}

static void large_filters(void) {
  enum { MEBIBYTE = 1 << 20 };
  static const size_t large[] = {2 * MEBIBYTE - 1, 2 * MEBIBYTE,
                                 2 * MEBIBYTE + 1, 4 * MEBIBYTE + 1, 5234567};
  const size_t n = 200000;
  uint32_t *hashes = malloc(n * sizeof(*hashes));
  for (size_t i = 0; i < n; i++) hashes[i] = random32();
  for (size_t i = 0; i < sizeof(large) / sizeof(large[0]); i++) {
    large_filter(large[i], hashes, n, 16 * i);
  }
  free(hashes);
  ok(bloom_scratch_size(0) == 0 && bloom_scratch_size(2) == 0 &&
         bloom_scratch_size(100000) == 0,
     "small filters need no scratch memory");
  ok(bloom_scratch_size(large[1]) > 0, "large ones gain from it");
}

/* ---- The remainder that chooses a bit, around 2^32 bits and beyond. */

#define BITS_REACHED_BYTES ((size_t)512 << 20) /* 2^32 bits */

/* Whether, in a filter of this size with one probe and no bit set, a hash
** matches exactly if the bit at its remainder is set, and adding the hash sets
** that bit. */
static bool one_bit_decides(uint8_t *zeros, size_t size, uint32_t hash) {
  const uint64_t at = hash % (8 * ((uint64_t)size - 1));
  bloom_filter filter;
  zeros[size - 1] = 1;
  bloom_filter_read(&filter, zeros, size);
  bool decides = !bloom_may_match_hash(&filter, hash);
  zeros[at / 8] = (uint8_t)(1 << at % 8);
  decides = decides && bloom_may_match_hash(&filter, hash);
  zeros[at / 8] = 0;
  bloom_add_hashes(zeros, size, &hash, 1, NULL);
  decides = decides && zeros[at / 8] == 1 << at % 8;
  zeros[at / 8] = 0;
  zeros[size - 1] = 0;
  return decides || mismatch("%lu bytes, hash %08lx", (unsigned long)size,
                             (unsigned long)hash);
}

static bool remainders_hold(uint8_t *zeros, size_t size) {
  const uint64_t bits = 8 * ((uint64_t)size - 1);
  bool hold = one_bit_decides(zeros, size, 0) &&
              one_bit_decides(zeros, size, 1) &&
              one_bit_decides(zeros, size, 0x80000000u) &&
              one_bit_decides(zeros, size, 0xffffffffu);
  for (int i = 0; hold && i < 12; i++) {
    /* An inexact remainder would be wrong around a multiple of the modulus. */
    const uint64_t multiple = random32() / bits * bits;
    hold = one_bit_decides(zeros, size, random32()) &&
           one_bit_decides(zeros, size, (uint32_t)multiple) &&
           one_bit_decides(zeros, size, (uint32_t)(multiple - 1)) &&
           one_bit_decides(zeros, size, (uint32_t)(multiple + 1));
  }
  return hold;
}

/* Adds random hashes and the ends of their range to an empty filter of size
** bytes, with scratch memory or NULL: all of them match, and others do not. */
static void filled_where_bits_end(uint8_t *zeros, size_t size, void *scratch) {
  enum { N = 300, OTHERS = 500 };
  const long over = (long)(8 * (size - BITS_REACHED_BYTES)) - 8;
  uint32_t hashes[N] = {0,           1,           0x7fffffffu, 0x80000000u,
                        0xfffffff7u, 0xfffffff8u, 0xfffffffeu, 0xffffffffu};
  for (size_t i = 8; i < N; i++) hashes[i] = random32();
  zeros[size - 1] = 6;
  bloom_add_hashes(zeros, size, hashes, N, scratch);
  bloom_filter filter;
  bloom_filter_read(&filter, zeros, size);
  bool match = true;
  for (size_t i = 0; match && i < N; i++) {
    match = (reference_may_match(zeros, size, hashes[i]) &&
             bloom_may_match_hash(&filter, hashes[i])) ||
            mismatch("hash %08lx is lost", (unsigned long)hashes[i]);
  }
  ok(match, "2^32 %+ld bits: every key matches, in the reference too", over);
  int matched = 0;
  for (int i = 0; i < OTHERS; i++) {
    matched += bloom_may_match_hash(&filter, random32());
  }
  ok(matched == 0, "2^32 %+ld bits: other keys do not", over);
}

static void remainders(void) {
  const size_t room = 3 * BITS_REACHED_BYTES + (1 << 20);
  uint8_t *zeros = sizeof(size_t) > 4 ? zero_pages(room) : NULL;
  if (zeros == NULL) {
    skip(14, "no room for filters of 512 MiB");
    return;
  }
  bool hold = true;
  for (size_t size = 2; hold && size < 3000; size++) {
    hold = remainders_hold(zeros, size);
  }
  ok(hold, "the bit of a hash is its remainder: every length to 3000");
  for (int i = 0; hold && i < 1000; i++) {
    hold = remainders_hold(zeros, 2 + random_below(room >> random_below(20)));
    if (i % 20 == 0) clear_pages(zeros, room);
  }
  ok(hold, "random lengths to 512 MiB and more");

  /* 2^32 - 8 bits, 2^32, 2^32 + 8, half a million more, and 3 * 2^32, where the
  ** reciprocal of the number of bits would no longer give exact remainders. */
  static const size_t past[] = {0, 1, 2, 65536, 2 * BITS_REACHED_BYTES + 1};
  for (size_t i = 0; i < 5; i++) {
    const size_t size = BITS_REACHED_BYTES + past[i];
    void *scratch = i % 2 ? malloc(bloom_scratch_size(size)) : NULL;
    clear_pages(zeros, room);
    hold = hold && remainders_hold(zeros, size);
    filled_where_bits_end(zeros, size, scratch);
    free(scratch);
  }
  ok(hold, "lengths around that of 2^32 bits");
  ok(bloom_scratch_size(BITS_REACHED_BYTES + 1) ==
         bloom_scratch_size(BITS_REACHED_BYTES + 65536),
     "bits past 2^32 are never reached and need no scratch memory");
  clear_pages(zeros, room);
}

/* ---- What a filter tells about all keys. */

static const uint32_t some_hashes[] = {0, 1, 0x12345678u, 0xffffffffu};

/* Whether the bytes tell this, and the answer is the same for every key. */
static bool answers(const uint8_t *bytes, size_t size, bloom_matches matches,
                    bool expected) {
  bloom_filter filter;
  bool same = bloom_filter_read(&filter, bytes, size) == matches &&
              bloom_key_may_match("a", 1, bytes, size) == expected;
  for (int i = 0; same && i < 4; i++) {
    same = bloom_may_match_hash(&filter, some_hashes[i]) == expected;
  }
  return same || mismatch("%lu bytes that end in %d: not %d, or not %d to all",
                          (unsigned long)size, size > 0 ? bytes[size - 1] : -1,
                          matches, expected);
}

static void of_all_keys(void) {
  bool none = answers(NULL, 0, BLOOM_MATCHES_NONE, false);
  bool some = true, all = true;
  ok(none, "0 bytes match nothing");
  for (unsigned last = 0; last < 256; last++) {
    const uint8_t one[] = {(uint8_t)last};
    const uint8_t empty[] = {0, (uint8_t)last};
    const uint8_t full[] = {0xff, (uint8_t)last};
    none = none && answers(one, 1, BLOOM_MATCHES_NONE, false);
    if (last >= 1 && last <= 30) {
      some = some && answers(empty, 2, BLOOM_MATCHES_SOME, false) &&
             answers(full, 2, BLOOM_MATCHES_SOME, true);
    } else {
      all = all && answers(empty, 2, BLOOM_MATCHES_ALL, true) &&
            answers(full, 2, BLOOM_MATCHES_ALL, true);
    }
  }
  ok(none, "1 byte of any value matches nothing");
  ok(some, "2 bytes with 1 to 30 probes: the bits decide");
  ok(all, "0 probes, or over 30, which LevelDB reserves: all keys match");
}

/* Adding to a filter whose bits do not decide changes nothing. */
static void forms_stay(void) {
  uint8_t bytes[3] = {0, 0, 0};
  static const uint8_t zeros[3];
  for (size_t size = 0; size < 2; size++) {
    bloom_add_hashes(bytes, size, some_hashes, 4, NULL);
  }
  bloom_add_hashes(bytes, 3, some_hashes, 4, NULL);
  bool unchanged = same_bytes(bytes, zeros, 3);
  for (unsigned last = 31; unchanged && last < 256; last++) {
    const uint8_t expected[3] = {0, 0, (uint8_t)last};
    bytes[2] = (uint8_t)last;
    bloom_add_hashes(bytes, 3, some_hashes, 4, NULL);
    unchanged = same_bytes(bytes, expected, 3);
  }
  ok(unchanged, "adding to a filter whose bits do not decide changes nothing");
}

/* Nothing outside a filter is read or written, whatever its length and last
** byte. */
static void between_guard_pages(void) {
  size_t size = 4096;
  uint8_t *block = guarded_bytes(&size);
  if (block == NULL) return;
  bool same = true;
  for (size_t n = 0; same && n <= 300; n++) {
    uint8_t *ends[] = {block, block + size - n};
    for (int i = 0; same && i < 2; i++) {
      uint8_t *filter = ends[i];
      bloom_filter read;
      if (n > 0) filter[n - 1] = (uint8_t)random_below(34);
      bloom_filter_read(&read, filter, n);
      for (int j = 0; same && j < 50; j++) {
        const uint32_t hash = random32();
        same = same_answer(&read, filter, n, hash);
        bloom_add_hashes(filter, n, &hash, 1, NULL);
      }
      bloom_bits_set(filter, n);
      bloom_union(filter, filter, n);
    }
  }
  ok(same, "lengths 0 to 300 between guard pages");
}

/* ---- Union. */

static void unions(void) {
  static uint8_t a[700], b[sizeof(a)], both[sizeof(a)], expected[sizeof(a)];
  bool same = true;
  for (size_t size = 0; same && size < sizeof(a); size++) {
    random_fill(a, size);
    random_fill(b, size);
    if (size > 0) a[size - 1] = b[size - 1] = (uint8_t)(size % 30 + 1);
    for (size_t i = 0; i < size; i++) expected[i] = a[i] | b[i];
    memcpy(both, a, size);
    both[size] = 0xa5;
    bloom_union(both, b, size);
    same = same_bytes(both, expected, size) && both[size] == 0xa5;
  }
  ok(same, "a union of any length has the bits of both and their probes");
}

int main(void) {
  vectors();
  same_bytes_everywhere();
  sizes();
  random_key_sets();
  random_filters();
  large_filters();
  remainders();
  of_all_keys();
  forms_stay();
  between_guard_pages();
  unions();
  return tap_done();
}
