/*
** LevelDB's hash (util/hash.cc), a 32-bit hash similar to Murmur. It has no
** secret key: whoever chooses the data can make hashes collide.
*/
#ifndef BLOOM_HASH_H
#define BLOOM_HASH_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Number of hashes: a hash has 32 bits. */
#define BLOOM_ALL_HASHES ((uint64_t)1 << 32)

/* The seed of LevelDB's Bloom filter (BloomHash in util/bloom.cc). */
#define BLOOM_HASH_SEED 0xbc9f1d34u

/*
** Hash of the n bytes at data with any seed. Tail bytes are taken as unsigned,
** so the result is the same on every machine. data may be NULL if n is 0.
*/
uint32_t bloom_hash(const void *data, size_t n, uint32_t seed);

#ifdef __cplusplus
}
#endif

#endif
