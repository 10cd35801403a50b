/*
** The false positive rate of a filter: the share of absent keys that it lets
** through.
**
** LevelDB's probes are not independent, and its hash has 32 bits, so that the
** usual formula says too little: of 1,000,000 keys at 10 bits a filter lets
** 1.31 % through, where it has 0.84. Filters with a byte more may differ by
** half, too. So the rate is measured: a filter of random hashes is built and
** probed with others.
**
** The same arguments give the same rate on every machine: the random hashes are
** always the same, and a rate is a whole number of 2^32nds.
*/
#ifndef BLOOM_RATE_H
#define BLOOM_RATE_H

#include "bloom.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The rate where probes are independent and no two keys have one hash:
** (1 - e^(-k/b))^k. It holds for filters of some 1,000 keys at up to 16 bits;
** bits_per_key is 1 or more. */
double bloom_independent_rate(int bits_per_key);

/* Bits past this number for each key make no promise of 10 %, and filters that
** are measured for them are smaller. */
#define BLOOM_RATE_BITS_PER_KEY 16

/* A filter of random hashes, as far as its rate depends on it. */
typedef struct bloom_random_filter {
  uint64_t keys;
  uint64_t bits; /* that a hash reaches, a multiple of 8 */
  int bits_per_key;
} bloom_random_filter;

/* A rate that is being measured. */
typedef struct bloom_rate {
  bloom_random_filter measured; /* which stands for the one that is asked for */
  double lowest;                /* what the formula gives for that one */
  double more_same_hash; /* absent keys that have the hash of a key in it, of
                         ** those that have not in the measured one */
  uint64_t state;        /* of the random hashes */
  uint64_t filters_left; /* that are to be measured, this one counted */
  uint64_t keys_left;    /* that this filter still gets */
  uint64_t hashes_left;  /* that this filter is still probed with */
  uint64_t hashes;       /* that each is probed with */
  uint64_t all_hashes;   /* that all are probed with */
  uint64_t matches;      /* of them, as far as it has come */
} bloom_rate;

/*
** Starts to measure the rate of a filter of so many keys, at bits_per_key from
** 1 to 100, and returns the bytes of memory that takes, at least 1 and at most
** 8 MiB and 1.
**
** Measured to the end, it is within 10 % of what random hashes give for up to
** 4,000,000 keys at 4 to 16 bits. Beyond, a smaller filter that is as full is
** measured, and the keys that share a hash are reckoned: within 25 %.
*/
size_t bloom_rate_start(bloom_rate *rate, int bits_per_key, uint64_t keys);

/* Measures a little more, some microseconds' work, in the memory that start
** asked for; the caller keeps it as it is between two calls. Returns false once
** all is measured. */
bool bloom_rate_measure(bloom_rate *rate, void *memory);

/* The rate as far as it is measured: it only grows, from that of the formula,
** and is the rate once all is measured. */
double bloom_rate_so_far(const bloom_rate *rate);

#ifdef __cplusplus
}
#endif

#endif
