/*
** The false positive rate of a filter: the share of absent keys that it lets
** through.
**
** LevelDB's probes are not independent, and its hash has 32 bits, so the usual
** formula gives too low a rate: a filter of 1,000,000 keys at 10 bits lets
** 1.31 % through, where the formula gives 0.84 %. The rates of two filters
** whose sizes differ by a single byte may also differ by half. The rate is
** therefore measured: a filter of random hashes is built and probed with other
** random hashes.
**
** The same arguments give the same rate on every machine: the random hashes are
** always the same, and a rate is a whole number of 2^32nds.
*/
#ifndef BLOOM_RATE_H
#define BLOOM_RATE_H

#include "bloom.h"

/* The rate if probes are independent and no two keys have the same hash:
** (1 - e^(-k/b))^k for k probes and b = bits_per_key, which is 1 or more. It
** holds for filters of some 1,000 keys at up to 16 bits. */
double bloom_independent_rate(int bits_per_key);

/* Above this number of bits for each key, the error is not promised to be
** within 10 %, and the filters that are measured are smaller. */
#define BLOOM_RATE_BITS_PER_KEY 16

/* The rate that a formula gives for a filter of this many keys, at bits_per_key
** from 1 to 100. No filter of that size has a lower one. */
double bloom_lowest_rate(int bits_per_key, uint64_t keys);

/* The bytes of memory that bloom_random_rate needs: at least 1, and at most
** 8 MiB and 1. */
size_t bloom_rate_memory(int bits_per_key, uint64_t keys);

/*
** The rate of a filter of this many keys, measured in memory of at least
** bloom_rate_memory bytes, whose contents do not matter. If the rate is greater
** than `enough`, measuring may end early, and the result is any number that is
** greater than `enough`, but at most the rate.
**
** For up to 4,000,000 keys at 4 to 16 bits, the result is within 10 % of the
** rate of random hashes. Beyond that, a smaller filter that is as full is
** measured, the effect of keys that share a hash is computed, and the result is
** within 35 % (it is within 25 % unless the bits are a multiple of 65537).
*/
double bloom_random_rate(int bits_per_key, uint64_t keys, double enough,
                         void *memory);

#endif
