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

/* The properties of a filter of random hashes on which its rate depends. */
typedef struct bloom_random_filter {
  uint64_t keys;
  uint64_t bits; /* that a hash reaches, a multiple of 8 */
  int bits_per_key;
} bloom_random_filter;

/* A rate that is being measured. */
typedef struct bloom_rate {
  bloom_random_filter measured; /* in place of the filter that is asked for */
  double lowest;                /* the formula's rate for the latter */
  double more_same_hash; /* the share of absent keys with the hash of a key in
                         ** the filter that is asked for, among those without
                         ** one in the measured filter */
  uint64_t state;        /* of the random hashes */
  uint64_t filters_left; /* filters still to be measured after this one */
  uint64_t keys_left;    /* keys still to be added to this filter */
  uint64_t hashes_left;  /* hashes with which it is still to be probed */
  uint64_t hashes;       /* hashes with which each filter is probed */
  uint64_t all_hashes;   /* hashes with which all filters are probed */
  uint64_t matches;      /* those that have matched so far */
} bloom_rate;

/*
** Starts to measure the rate of a filter of this many keys, at bits_per_key
** from 1 to 100. Returns the number of bytes of memory that the measurement
** needs, which is at least 1 and at most 8 MiB and 1 byte.
**
** For up to 4,000,000 keys at 4 to 16 bits, a completed measurement is within
** 10 % of the rate of random hashes. Beyond that, a smaller filter that is as
** full is measured, the effect of keys that share a hash is computed, and the
** result is within 25 %.
*/
size_t bloom_rate_start(bloom_rate *rate, int bits_per_key, uint64_t keys);

/* Continues the measurement for some microseconds, in memory of the size that
** bloom_rate_start returned. The caller must not change the memory between two
** calls. Returns false once the measurement is complete. */
bool bloom_rate_measure(bloom_rate *rate, void *memory);

/* The rate as far as it has been measured. It starts with the formula's rate,
** never decreases, and is final once the measurement is complete. */
double bloom_rate_so_far(const bloom_rate *rate);

#endif
