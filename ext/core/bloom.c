#include "bloom.h"

#include <string.h>

#include "coding.h"

/* A hash has 32 bits, so probes reach only this many bits. */
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
  /* LevelDB uses at least 64 bits, since a filter of fewer would have a very
  ** high false positive rate. */
  return (bytes < 8 ? 8 : bytes) + 1;
}

const uint8_t bloom_match_all[2] = {0, 0};

/* Number of bits that probes reach in a filter of size >= 2 bytes. */
static uint64_t reachable_bits(size_t size) {
  const uint64_t bits = (uint64_t)(size - 1) * 8;
  return bits < REACHABLE_BITS ? bits : REACHABLE_BITS;
}

bloom_form bloom_filter_read(bloom_filter *filter, const void *data,
                             size_t size) {
  const uint8_t *bytes = data;
  if (size < 2) {
    /* A single bit that is never set. */
    static const uint8_t none = 0;
    *filter = (bloom_filter){&none, 0, 1, 1};
    return BLOOM_MATCHES_NONE;
  }
  filter->bits = bytes;
  filter->probes = bytes[size - 1];
  /* If bits >= 2^32, h % bits is h, and a modulus of 2^32 gives the same. */
  filter->modulus = reachable_bits(size);
  filter->reciprocal = UINT64_MAX / filter->modulus + 1;
  if (filter->probes > BLOOM_MAX_PROBES) filter->probes = 0;
  return filter->probes == 0 ? BLOOM_MATCHES_ALL : BLOOM_MATCHES_SOME;
}

/*
** hash % modulus by two multiplications, exact for a 32-bit hash and a modulus
** up to 2^32: the low 64 bits of hash * ceil(2^64 / modulus) are the quotient's
** fraction, and the fraction times the modulus is the remainder.
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

/* The difference between one probe and the next. */
static inline uint32_t probe_step(uint32_t hash) {
  return hash >> 17 | hash << 15;
}

/* The filter's bit for this hash, as bit 0 of the result; the other bits of the
** result have no meaning. */
static inline unsigned probe(const bloom_filter *filter, uint32_t hash) {
  const uint32_t position = bit_position(filter, hash);
  return (unsigned)filter->bits[position / 8] >> (position % 8);
}

/*
** Three probes are combined before each branch. In a filter that is half full
** they exclude seven out of eight absent keys, so that the branch is seldom
** mispredicted and most absent keys cost only three probes. With fewer probes
** in each step, the branches would be mispredicted more often.
*/
bool bloom_may_match_hash(const bloom_filter *filter, uint32_t hash) {
  const uint32_t delta = probe_step(hash);
  uint32_t left = filter->probes;
  for (; left >= 3; left -= 3) {
    const unsigned match = probe(filter, hash) & probe(filter, hash + delta) &
                           probe(filter, hash + 2 * delta);
    if ((match & 1) == 0) return false;
    hash += 3 * delta;
  }
  unsigned match = 1;
  for (; left > 0; left--) {
    match &= probe(filter, hash);
    hash += delta;
  }
  return match;
}

bool bloom_key_may_match(const void *key, size_t key_size, const void *data,
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
  /* A load is cheaper here than a shift by a variable amount. */
  static const uint8_t bit[8] = {1, 2, 4, 8, 16, 32, 64, 128};
  bits[position / 8] |= bit[position % 8];
}

static void set_bits(uint8_t *bits, const uint32_t *position,
                     const uint32_t *end) {
  for (; position < end; position++) set_bit(bits, *position);
}

/*
** A filter larger than the cache is filled region by region. Each bit position
** is appended to the bucket of its region. When a bucket is full, all its bits
** are set together, so that each cache line and each address translation (TLB
** entry) of the region serves several bits.
**
** A region is half as large as a level 2 cache of 256 KiB, and its 32 pages
** need half of 64 TLB entries; processors have had both since 2008. A full
** bucket sets 4 bits in each cache line of its region and takes a quarter of
** the region's memory; a larger bucket would set more bits at a time, but take
** more memory. A filter of less than 2 MiB fits into the level 2 cache of a
** current processor and gains nothing.
*/
#define REGION_BITS_LOG2 20 /* 128 KiB */
#define BUCKET_POSITIONS 8192u
#define BUCKET_BYTES (BUCKET_POSITIONS * sizeof(uint32_t))
#define BY_REGION_MIN_BYTES ((size_t)2 << 20)

static size_t region_count(uint64_t modulus) {
  return (size_t)((modulus - 1) >> REGION_BITS_LOG2) + 1;
}

size_t bloom_scratch_size(size_t size) {
  if (size < BY_REGION_MIN_BYTES) return 0;
  const size_t regions = region_count(reachable_bits(size));
  return regions * (sizeof(uint32_t *) + BUCKET_BYTES) + BUCKET_BYTES;
}

/* A filter that keys are being added to, directly or region by region. */
typedef struct addition {
  bloom_filter filter;
  uint8_t *bits;
  size_t regions;    /* 0 if bits are set directly */
  uint32_t *buckets; /* one after the other, aligned to their size */
  uint32_t **ends;   /* the end of the positions in each bucket */
} addition;

static void addition_start(addition *to, void *data, size_t size,
                           void *scratch) {
  const bloom_form form = bloom_filter_read(&to->filter, data, size);
  if (form != BLOOM_MATCHES_SOME) to->filter.probes = 0;
  to->bits = data;
  to->regions = 0;
  to->buckets = NULL;
  to->ends = scratch;
  if (scratch == NULL || bloom_scratch_size(size) == 0) return;
  to->regions = region_count(to->filter.modulus);
  uint8_t *after = (uint8_t *)(to->ends + to->regions);
  after += (0 - (uintptr_t)after) % BUCKET_BYTES;
  to->buckets = (uint32_t *)(void *)after;
  for (size_t i = 0; i < to->regions; i++) {
    to->ends[i] = to->buckets + i * BUCKET_POSITIONS;
  }
}

static void set_directly(addition to, const uint32_t *hashes, size_t n) {
  for (size_t i = 0; i < n; i++) {
    uint32_t hash = hashes[i];
    const uint32_t delta = probe_step(hash);
    for (uint32_t left = to.filter.probes; left > 0; left--) {
      set_bit(to.bits, bit_position(&to.filter, hash));
      hash += delta;
    }
  }
}

static void put_in_buckets(addition to, const uint32_t *hashes, size_t n) {
  for (size_t i = 0; i < n; i++) {
    uint32_t hash = hashes[i];
    const uint32_t delta = probe_step(hash);
    for (uint32_t left = to.filter.probes; left > 0; left--) {
      const uint32_t position = bit_position(&to.filter, hash);
      uint32_t **end = &to.ends[position >> REGION_BITS_LOG2];
      *(*end)++ = position;
      if ((uintptr_t)*end % BUCKET_BYTES == 0) {
        uint32_t *bucket = *end - BUCKET_POSITIONS;
        set_bits(to.bits, bucket, *end);
        *end = bucket;
      }
      hash += delta;
    }
  }
}

static void addition_add(const addition *to, const uint32_t *hashes, size_t n) {
  if (to->regions == 0) {
    set_directly(*to, hashes, n);
  } else {
    put_in_buckets(*to, hashes, n);
  }
}

/* Sets the bits whose positions are still in the buckets. */
static void addition_end(const addition *to) {
  for (size_t i = 0; i < to->regions; i++) {
    set_bits(to->bits, to->buckets + i * BUCKET_POSITIONS, to->ends[i]);
  }
}

void bloom_add_hashes(void *data, size_t size, const uint32_t *hashes, size_t n,
                      void *scratch) {
  addition to;
  addition_start(&to, data, size, scratch);
  addition_add(&to, hashes, n);
  addition_end(&to);
}

#define BATCH_HASHES 256

size_t bloom_create_filter(const void *const *keys, const size_t *sizes,
                           size_t n, int bits_per_key, void *dst,
                           void *scratch) {
  const size_t size = (size_t)bloom_filter_size(n, bits_per_key);
  uint32_t hashes[BATCH_HASHES];
  addition to;
  bloom_filter_start(dst, size, bits_per_key);
  addition_start(&to, dst, size, scratch);
  while (n > 0) {
    const size_t batch = n < BATCH_HASHES ? n : BATCH_HASHES;
    for (size_t i = 0; i < batch; i++) {
      hashes[i] = bloom_key_hash(keys[i], sizes[i]);
    }
    addition_add(&to, hashes, batch);
    keys += batch;
    sizes += batch;
    n -= batch;
  }
  addition_end(&to);
  return size;
}

void bloom_union(void *into, const void *from, size_t size) {
  uint8_t *to = into;
  const uint8_t *at = from;
  for (; size >= 8; to += 8, at += 8, size -= 8) {
    uint64_t word, other;
    memcpy(&word, to, 8);
    memcpy(&other, at, 8);
    word |= other;
    memcpy(to, &word, 8);
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
