/*
** LevelDB's built-in Bloom filter policy (util/bloom.cc), byte for byte.
**
** A filter is an array of bits followed by one byte, the number of probes. Bit
** i is bit i % 8 of byte i / 8. A key's probes are at h, h + d, h + 2d, and so
** on, modulo the number of bits, where h is its 32-bit hash, d is h rotated
** right by 17, and the sums wrap at 32 bits (double hashing: Kirsch and
** Mitzenmacher, "Less Hashing, Same Performance", 2006).
**
** Nothing here allocates, and nothing reads or writes outside the bytes it is
** given.
*/
#ifndef BLOOM_BLOOM_H
#define BLOOM_BLOOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hash.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The policy's name, which LevelDB stores beside its filters. */
#define BLOOM_POLICY_NAME "leveldb.BuiltinBloomFilter2"

/* More probes than this in a filter's last byte are an encoding that LevelDB
** reserves: such a filter may match anything. */
#define BLOOM_MAX_PROBES 30

/* Number of probes, 1..30, for bits_per_key >= 0: bits_per_key * 0.69 (near
** ln 2), rounded down to spare probes. */
int bloom_probes_for(int bits_per_key);

/* Size in bytes of the filter for n keys, including its last byte; UINT64_MAX
** if its number of bits does not fit in 64 bits. */
uint64_t bloom_filter_size(uint64_t n, int bits_per_key);

/* The hash of a key that the functions below take. */
static inline uint32_t bloom_key_hash(const void *key, size_t n) {
  return bloom_hash(key, n, BLOOM_HASH_SEED);
}

/* A filter prepared for probing. It points into the caller's bytes, which must
** outlive it. */
typedef struct bloom_filter {
  const uint8_t *bits;
  uint64_t reciprocal; /* of modulus, for an exact remainder */
  uint64_t modulus;    /* number of bits that a 32-bit hash reaches */
  uint32_t probes;     /* the filter's last byte */
} bloom_filter;

/* What a filter's length and last byte alone tell about all keys. */
typedef enum bloom_matches {
  BLOOM_MATCHES_NONE, /* under 2 bytes: no key matches */
  BLOOM_MATCHES_ALL,  /* reserved encoding, or no probes: every key matches */
  BLOOM_MATCHES_SOME  /* the bits decide */
} bloom_matches;

/* The bytes of the shortest filter that matches every key: it has no probes. */
extern const uint8_t bloom_match_all[2];

/* Prepares the size bytes at data, whatever they are, for probing and returns
** what they tell. Any filter may be probed. */
bloom_matches bloom_filter_read(bloom_filter *filter, const void *data,
                                size_t size);

/* Whether a key with this hash may be in the filter. Source: KeyMayMatch. */
bool bloom_may_match_hash(const bloom_filter *filter, uint32_t hash);

/* The same, given a key and a filter's bytes. */
bool bloom_key_may_match(const void *key, size_t key_size, const void *data,
                         size_t size);

/* Starts an empty filter of size >= 1 bytes at data: clears its bits and writes
** the number of probes for bits_per_key into its last byte. */
void bloom_filter_start(void *data, size_t size, int bits_per_key);

/* Bytes of scratch memory that make bloom_add_hashes faster on a filter of this
** size, about a quarter of the size; 0 for filters that gain nothing. */
size_t bloom_scratch_size(size_t size);

/* Adds n keys, given by their hashes, to the filter of size bytes at data. A
** filter that is not BLOOM_MATCHES_SOME stays unchanged. scratch is NULL or
** points to bloom_scratch_size(size) bytes of any content, aligned as malloc
** aligns them; it pays off when n is in the hundred thousands. */
void bloom_add_hashes(void *data, size_t size, const uint32_t *hashes, size_t n,
                      void *scratch);

/* Adds every key of the other filter to a filter. Both must have size bytes and
** the same number of probes, which the caller has to check: other filters have
** no union that LevelDB could read. */
void bloom_union(void *filter, const void *other, size_t size);

/* LevelDB's CreateFilter: writes the filter of n keys to dst, which must have
** room for bloom_filter_size(n, bits_per_key) bytes, and returns that size. To
** append a filter to other bytes, pass their end as dst. keys[i] has sizes[i]
** bytes, and scratch is as in bloom_add_hashes. */
size_t bloom_create_filter(const void *const *keys, const size_t *sizes,
                           size_t n, int bits_per_key, void *dst,
                           void *scratch);

#ifdef __cplusplus
}
#endif

#endif
