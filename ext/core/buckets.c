#include "buckets.h"

/* An array of fewer regions, which is less than 2 MiB, fits into the level 2
** cache of a current processor and gains nothing. */
#define MIN_REGIONS 16

static size_t region_count(uint64_t bits) {
  const size_t regions = (size_t)((bits - 1) >> BLOOM_REGION_BITS_LOG2) + 1;
  return regions < MIN_REGIONS ? 0 : regions;
}

size_t bloom_buckets_size(uint64_t bits) {
  const size_t regions = region_count(bits);
  if (regions == 0) return 0;
  /* The first bucket is aligned to a bucket's size. */
  return regions * (sizeof(uint32_t *) + BLOOM_BUCKET_BYTES) +
         BLOOM_BUCKET_BYTES;
}

void bloom_buckets_start(bloom_buckets *buckets, uint8_t *bits,
                         uint64_t bit_count, void *scratch) {
  const size_t regions = scratch == NULL ? 0 : region_count(bit_count);
  *buckets = (bloom_buckets){bits, regions, NULL, scratch};
  if (regions == 0) return;
  uint8_t *bytes = (uint8_t *)(buckets->ends + regions);
  bytes += (0 - (uintptr_t)bytes) % BLOOM_BUCKET_BYTES;
  buckets->positions = (uint32_t *)(void *)bytes;
  for (size_t i = 0; i < regions; i++) {
    buckets->ends[i] = buckets->positions + i * BLOOM_BUCKET_POSITIONS;
  }
}

void bloom_set_bits(uint8_t *bits, const uint32_t *position,
                    const uint32_t *end) {
  for (; position < end; position++) bloom_set_bit(bits, *position);
}

void bloom_buckets_end(const bloom_buckets *buckets) {
  for (size_t i = 0; i < buckets->regions; i++) {
    bloom_set_bits(buckets->bits,
                   buckets->positions + i * BLOOM_BUCKET_POSITIONS,
                   buckets->ends[i]);
  }
}
