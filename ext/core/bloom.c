#include "bloom.h"

#include <string.h>

#include "buckets.h"
#include "remainder.h"

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
  return bits < BLOOM_ALL_HASHES ? bits : BLOOM_ALL_HASHES;
}

bloom_matches bloom_filter_read(bloom_filter *filter, const void *data,
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
  filter->reciprocal = bloom_reciprocal(filter->modulus);
  if (filter->probes > BLOOM_MAX_PROBES) filter->probes = 0;
  return filter->probes == 0 ? BLOOM_MATCHES_ALL : BLOOM_MATCHES_SOME;
}

static inline uint32_t bit_position(const bloom_filter *filter, uint32_t hash) {
  return bloom_remainder(hash, filter->modulus, filter->reciprocal);
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

size_t bloom_scratch_size(size_t size) {
  return size < 2 ? 0 : bloom_buckets_size(reachable_bits(size));
}

/* A filter that keys are being added to, directly or through buckets. */
typedef struct filter_writer {
  bloom_filter filter;
  bloom_buckets buckets;
} filter_writer;

static filter_writer start_writer(void *data, size_t size, void *scratch) {
  filter_writer writer;
  const bloom_matches matches = bloom_filter_read(&writer.filter, data, size);
  if (matches != BLOOM_MATCHES_SOME) writer.filter.probes = 0;
  bloom_buckets_start(&writer.buckets, data, writer.filter.modulus, scratch);
  return writer;
}

static inline void write_probes(filter_writer writer, const uint32_t *hashes,
                                size_t n, bool in_buckets) {
  for (size_t i = 0; i < n; i++) {
    uint32_t hash = hashes[i];
    const uint32_t delta = probe_step(hash);
    for (uint32_t left = writer.filter.probes; left > 0; left--) {
      const uint32_t position = bit_position(&writer.filter, hash);
      if (in_buckets) {
        bloom_buckets_put(writer.buckets, position);
      } else {
        bloom_set_bit(writer.buckets.bits, position);
      }
      hash += delta;
    }
  }
}

static void write_hashes(filter_writer writer, const uint32_t *hashes,
                         size_t n) {
  if (writer.buckets.regions > 0) {
    write_probes(writer, hashes, n, true);
  } else {
    write_probes(writer, hashes, n, false);
  }
}

void bloom_add_hashes(void *data, size_t size, const uint32_t *hashes, size_t n,
                      void *scratch) {
  const filter_writer writer = start_writer(data, size, scratch);
  write_hashes(writer, hashes, n);
  bloom_buckets_end(&writer.buckets);
}

#define BATCH_HASHES 256

size_t bloom_create_filter(const void *const *keys, const size_t *sizes,
                           size_t n, int bits_per_key, void *dst,
                           void *scratch) {
  const size_t size = (size_t)bloom_filter_size(n, bits_per_key);
  uint32_t hashes[BATCH_HASHES];
  bloom_filter_start(dst, size, bits_per_key);
  const filter_writer writer = start_writer(dst, size, scratch);
  while (n > 0) {
    const size_t batch = n < BATCH_HASHES ? n : BATCH_HASHES;
    for (size_t i = 0; i < batch; i++) {
      hashes[i] = bloom_key_hash(keys[i], sizes[i]);
    }
    write_hashes(writer, hashes, batch);
    keys += batch;
    sizes += batch;
    n -= batch;
  }
  bloom_buckets_end(&writer.buckets);
  return size;
}

void bloom_union(void *filter, const void *other, size_t size) {
  uint8_t *bytes = filter;
  const uint8_t *others = other;
  for (; size >= 8; bytes += 8, others += 8, size -= 8) {
    uint64_t word, other_word;
    memcpy(&word, bytes, 8);
    memcpy(&other_word, others, 8);
    word |= other_word;
    memcpy(bytes, &word, 8);
  }
  for (; size > 0; bytes++, others++, size--) *bytes |= *others;
}
