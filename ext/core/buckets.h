/*
** Buckets, through which the bits of an array larger than the cache are set
** region by region. A bit's position is appended to the bucket of its region.
** When a bucket is full, all its bits are set together, so that each cache line
** and each address translation (TLB entry) of the region serves several bits.
**
** A region is half as large as a level 2 cache of 256 KiB, and its 32 pages
** need half of 64 TLB entries; processors have had both since 2008. A full
** bucket sets 4 bits in each cache line of its region and takes a quarter of
** the region's memory; a larger bucket would set more bits at a time, but take
** more memory.
*/
#ifndef BLOOM_BUCKETS_H
#define BLOOM_BUCKETS_H

#include <stddef.h>
#include <stdint.h>

#define BLOOM_REGION_BITS_LOG2 20 /* 128 KiB */
#define BLOOM_BUCKET_POSITIONS 8192u
#define BLOOM_BUCKET_BYTES (BLOOM_BUCKET_POSITIONS * sizeof(uint32_t))

/* The buckets of an array. Bits are set at once where there is no region. */
typedef struct bloom_buckets {
  uint8_t *bits;
  size_t regions;
  uint32_t *positions; /* bucket after bucket, aligned to a bucket's size */
  uint32_t **ends;     /* the end of the positions in each bucket */
} bloom_buckets;

/* Bytes of scratch memory that the buckets of this many bits, at most 2^32,
** need; 0 if the array is so small that it gains nothing. */
size_t bloom_buckets_size(uint64_t bits);

/* Makes empty buckets in that much scratch memory, which has any content and is
** aligned as malloc aligns it. Without scratch memory, which is NULL, and for a
** small array there is no region. */
void bloom_buckets_start(bloom_buckets *buckets, uint8_t *bits,
                         uint64_t bit_count, void *scratch);

static inline void bloom_set_bit(uint8_t *bits, uint32_t position) {
  /* A load is cheaper here than a shift by a variable amount. */
  static const uint8_t bit[8] = {1, 2, 4, 8, 16, 32, 64, 128};
  bits[position / 8] |= bit[position % 8];
}

/* Sets the bits from one position in a bucket to another. */
void bloom_set_bits(uint8_t *bits, const uint32_t *position,
                    const uint32_t *end);

/* Puts a position into its bucket, and empties the bucket if it is full. */
static inline void bloom_buckets_put(bloom_buckets buckets, uint32_t position) {
  uint32_t **end = &buckets.ends[position >> BLOOM_REGION_BITS_LOG2];
  *(*end)++ = position;
  if ((uintptr_t)*end % BLOOM_BUCKET_BYTES == 0) {
    uint32_t *bucket = *end - BLOOM_BUCKET_POSITIONS;
    bloom_set_bits(buckets.bits, bucket, *end);
    *end = bucket;
  }
}

/* Sets the bits whose positions are still in the buckets. */
void bloom_buckets_end(const bloom_buckets *buckets);

#endif
