#include "bloom.h"

#include <string.h>

#include "coding.h"

/* A hash has 32 bits, so no probe reaches a bit past this number. */
#define REACHABLE_BITS ((uint64_t)1 << 32)

int bloom_probes_for(int bits_per_key) {
  const double probes = bits_per_key * 0.69;
  if (probes < 1) return 1;
  if (probes > BLOOM_MAX_PROBES) return BLOOM_MAX_PROBES;
  return (int)probes;
}

uint64_t bloom_filter_size(uint64_t n, int bits_per_key) {
  const uint64_t factor = (uint64_t)bits_per_key;
  if (factor != 0 && n > UINT64_MAX / factor) return UINT64_MAX;
  const uint64_t bits = n * factor;
  const uint64_t bytes = bits / 8 + (bits % 8 != 0);
  /* A filter of few bits would have a very high false positive rate. */
  return (bytes < 8 ? 8 : bytes) + 1;
}

bloom_form bloom_filter_read(bloom_filter *filter, const void *data,
                             size_t size) {
  const uint8_t *bytes = data;
  if (size < 2) {
    /* One bit that is never set. */
    static const uint8_t none = 0;
    *filter = (bloom_filter){&none, 0, 1, 1};
    return BLOOM_MATCHES_NONE;
  }
  const uint64_t bits = (uint64_t)(size - 1) * 8;
  filter->bits = bytes;
  filter->probes = bytes[size - 1];
  /* h % bits is h where bits >= 2^32, which is what a modulus of 2^32 gives. */
  filter->modulus = bits < REACHABLE_BITS ? bits : REACHABLE_BITS;
  filter->reciprocal = UINT64_MAX / filter->modulus + 1;
  if (filter->probes > BLOOM_MAX_PROBES) filter->probes = 0;
  return filter->probes == 0 ? BLOOM_MATCHES_ALL : BLOOM_MATCHES_SOME;
}

/*
** hash % modulus by two multiplications, exact for a 32-bit hash and a modulus
** up to 2^32: the low 64 bits of hash * ceil(2^64 / modulus) are the fraction
*of
** the quotient, and the fraction times the modulus is the remainder.
** Source: Lemire, Kaser and Kurz, "Faster Remainder by Direct Computation",
** 2019.
*/
static inline uint32_t bit_position(const bloom_filter *filter, uint32_t hash) {
  const uint64_t fraction = filter->reciprocal * hash;
#ifdef __SIZEOF_INT128__
  __extension__ typedef unsigned __int128 uint128;
  return (uint32_t)(((uint128)fraction * filter->modulus) >> 64);
#else
  const uint64_t low = (fraction & 0xffffffffu) * filter->modulus;
  const uint64_t high = (fraction >> 32) * filter->modulus;
  return (uint32_t)((high + (low >> 32)) >> 32);
#endif
}

/* What double hashing adds from one probe to the next. */
static inline uint32_t probe_step(uint32_t hash) {
  return hash >> 17 | hash << 15;
}

int bloom_may_match_hash(const bloom_filter *filter, uint32_t hash) {
  const uint32_t delta = probe_step(hash);
  unsigned match = 1;
  for (uint32_t i = 0; i < filter->probes; i++) {
    const uint32_t position = bit_position(filter, hash);
    match &= (unsigned)filter->bits[position / 8] >> (position % 8);
    hash += delta;
  }
  return (int)match;
}

int bloom_key_may_match(const void *key, size_t key_size, const void *data,
                        size_t size) {
  bloom_filter filter;
  bloom_filter_read(&filter, data, size);
  return bloom_may_match_hash(&filter, bloom_key_hash(key, key_size));
}

void bloom_filter_start(void *data, size_t size, int bits_per_key) {
  uint8_t *bytes = data;
  memset(bytes, 0, size - 1);
  bytes[size - 1] = (uint8_t)bloom_probes_for(bits_per_key);
}

static inline void set_bit(uint8_t *bits, uint32_t position) {
  bits[position / 8] |= (uint8_t)(1u << (position % 8));
}

static void add_hashes(const bloom_filter *filter, uint8_t *bits,
                       const uint32_t *hashes, size_t n) {
  for (size_t i = 0; i < n; i++) {
    uint32_t hash = hashes[i];
    const uint32_t delta = probe_step(hash);
    for (uint32_t j = 0; j < filter->probes; j++) {
      set_bit(bits, bit_position(filter, hash));
      hash += delta;
    }
  }
}

/*
** A filter larger than the cache is filled region by region. Each position
** goes to its region's bucket, which is written in order; a full bucket sets
*its
** bits together, so that a region's cache lines and its pages' translations
** serve several bits each.
*/
#define REGION_BITS_LOG2 20 /* 128 KiB of filter: a part of a level 2 cache */
#define BUCKET_POSITIONS 4096u
#define PARTITION_MIN_BYTES ((size_t)4 << 20)

static size_t region_count(uint64_t modulus) {
  return (size_t)((modulus - 1) >> REGION_BITS_LOG2) + 1;
}

size_t bloom_scratch_size(size_t size) {
  if (size < PARTITION_MIN_BYTES) return 0;
  const uint64_t bits = (uint64_t)(size - 1) * 8;
  return region_count(bits < REACHABLE_BITS ? bits : REACHABLE_BITS) *
         (BUCKET_POSITIONS + 1) * sizeof(uint32_t);
}

static void empty_bucket(uint8_t *bits, const uint32_t *bucket, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) set_bit(bits, bucket[i]);
}

static void add_hashes_by_region(const bloom_filter *filter, uint8_t *bits,
                                 const uint32_t *hashes, size_t n,
                                 uint32_t *scratch) {
  const size_t regions = region_count(filter->modulus);
  uint32_t *counts = scratch;
  uint32_t *buckets = scratch + regions;
  memset(counts, 0, regions * sizeof(*counts));
  for (size_t i = 0; i < n; i++) {
    uint32_t hash = hashes[i];
    const uint32_t delta = probe_step(hash);
    for (uint32_t j = 0; j < filter->probes; j++) {
      const uint32_t position = bit_position(filter, hash);
      const size_t region = position >> REGION_BITS_LOG2;
      uint32_t *bucket = buckets + region * BUCKET_POSITIONS;
      uint32_t count = counts[region];
      bucket[count++] = position;
      if (count == BUCKET_POSITIONS) {
        empty_bucket(bits, bucket, count);
        count = 0;
      }
      counts[region] = count;
      hash += delta;
    }
  }
  for (size_t region = 0; region < regions; region++) {
    empty_bucket(bits, buckets + region * BUCKET_POSITIONS, counts[region]);
  }
}

void bloom_add_hashes(void *data, size_t size, const uint32_t *hashes, size_t n,
                      void *scratch) {
  bloom_filter filter;
  if (bloom_filter_read(&filter, data, size) != BLOOM_MATCHES_SOME) return;
  if (scratch != NULL && size >= PARTITION_MIN_BYTES) {
    add_hashes_by_region(&filter, data, hashes, n, scratch);
  } else {
    add_hashes(&filter, data, hashes, n);
  }
}

void bloom_union(void *into, const void *from, size_t size) {
  uint8_t *to = into;
  const uint8_t *at = from;
  for (; size >= 8; to += 8, at += 8, size -= 8) {
    bloom_store_fixed64(to, bloom_load_fixed64(to) | bloom_load_fixed64(at));
  }
  for (; size > 0; to++, at++, size--) *to |= *at;
}

static unsigned bits_set(uint64_t word) {
  word -= word >> 1 & 0x5555555555555555u;
  word = (word & 0x3333333333333333u) + (word >> 2 & 0x3333333333333333u);
  word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0fu;
  return (unsigned)(word * 0x0101010101010101u >> 56);
}

uint64_t bloom_bits_set(const void *data, size_t size) {
  const uint8_t *at = data;
  uint64_t total = 0;
  size_t left = size > 0 ? size - 1 : 0;
  for (; left >= 8; at += 8, left -= 8)
    total += bits_set(bloom_load_fixed64(at));
  for (; left > 0; at++, left--) total += bits_set(*at);
  return total;
}

size_t bloom_create_filter(const void *const *keys, const size_t *sizes,
                           size_t n, int bits_per_key, void *dst) {
  uint32_t hashes[256];
  const size_t size = (size_t)bloom_filter_size(n, bits_per_key);
  bloom_filter filter;
  bloom_filter_start(dst, size, bits_per_key);
  bloom_filter_read(&filter, dst, size);
  while (n > 0) {
    const size_t batch = n < 256 ? n : 256;
    for (size_t i = 0; i < batch; i++) {
      hashes[i] = bloom_key_hash(keys[i], sizes[i]);
    }
    add_hashes(&filter, dst, hashes, batch);
    keys += batch;
    sizes += batch;
    n -= batch;
  }
  return size;
}
