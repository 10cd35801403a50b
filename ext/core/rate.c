#include "rate.h"

#include <math.h>

/* The share of keys whose probes all find a bit that is set, if the probes are
** independent and each bit is the target of load probes on average. expm1 keeps
** the digits of small probabilities. */
static double rate_of_load(int probes, double load) {
  const double fill = -expm1(-load);
  double rate = 1;
  for (int i = 0; i < probes; i++)
    rate *= fill; /* pow() would need a newer libc */
  return rate;
}

double bloom_independent_rate(int bits_per_key) {
  const int probes = bloom_probes_for(bits_per_key);
  return rate_of_load(probes, (double)probes / bits_per_key);
}

/* The share of all hashes that this many random hashes cover. It is also the
** share of absent keys that have the same hash as a key. */
static double same_hash_share(uint64_t keys) {
  return -expm1(-(double)keys / (double)BLOOM_ALL_HASHES);
}

static double whole_hashes(double rate) {
  return floor(rate * (double)BLOOM_ALL_HASHES + 0.5) /
         (double)BLOOM_ALL_HASHES;
}

/* The properties of a filter of random hashes on which its rate depends. */
typedef struct random_filter {
  uint64_t keys;
  uint64_t bits; /* that a hash reaches, a multiple of 8 */
  int bits_per_key;
} random_filter;

static random_filter filter_of(int bits_per_key, uint64_t keys) {
  const uint64_t bytes = bloom_filter_size(keys, bits_per_key) - 1;
  const uint64_t bits =
      bytes < BLOOM_ALL_HASHES / 8 ? bytes * 8 : BLOOM_ALL_HASHES;
  return (random_filter){keys, bits, bits_per_key};
}

double bloom_lowest_rate(int bits_per_key, uint64_t keys) {
  const random_filter filter = filter_of(bits_per_key, keys);
  const int probes = bloom_probes_for(bits_per_key);
  const double same_hash = same_hash_share(keys);
  const double hashes = same_hash * (double)BLOOM_ALL_HASHES;
  const double rate =
      rate_of_load(probes, probes * hashes / (double)filter.bits);
  return whole_hashes(rate + same_hash - rate * same_hash);
}

static bool divides_alike(uint64_t a, uint64_t b, unsigned prime) {
  return (a % prime == 0) == (b % prime == 0);
}

/*
** The filter that is measured in place of this one. A filter of at most 2^26
** bits is measured itself; the limit is 2^24 bits for a filter with so many
** probes that they take as much time. In place of a larger filter, a smaller
** one that is as full is measured.
**
** A filter's rate depends on the divisors of its number of bits. The step of
** double hashing is the hash times 2^15 modulo 2^32 - 1. If a prime divides
** both 2^32 - 1 and the number of bits, then one of each key's probes has a
** residue modulo this prime that is nearly fixed, and so are the probes that
** keys share. Powers of two and larger primes matter less; halving the number
** of bits keeps them as divisors where it can.
*/
static random_filter stand_in(random_filter filter) {
  const int max_log2 = filter.bits_per_key <= BLOOM_RATE_BITS_PER_KEY ? 26 : 24;
  uint64_t bits = filter.bits;
  while (bits > (uint64_t)1 << max_log2) bits /= 2;
  bits -= bits % 8;
  while (!divides_alike(bits, filter.bits, 3) ||
         !divides_alike(bits, filter.bits, 5) ||
         !divides_alike(bits, filter.bits, 17)) {
    bits -= 8;
  }
  filter.keys = filter.keys * bits / filter.bits;
  filter.bits = bits;
  return filter;
}

/* Small filters differ from each other, so several are measured: as many as
** have KEYS_MEASURED keys together, but at most MAX_FILTERS. */
#define KEYS_MEASURED ((uint64_t)1 << 17)
#define MAX_FILTERS 4096u

/* Up to 16 bits for each key, the rate of a filter with k probes is near 2^-k
** or above, which gives some 4,000 matches. If building the filter takes the
** greater part of the time, at most half as many hashes are used. */
static int hashes_log2(const random_filter *filter) {
  const int log2 = 13 + bloom_probes_for(filter->bits_per_key);
  const int most = filter->keys <= (uint64_t)1 << 20 ? 22 : 21;
  return log2 < 18 ? 18 : log2 > most ? most : log2;
}

size_t bloom_rate_memory(int bits_per_key, uint64_t keys) {
  return (size_t)(stand_in(filter_of(bits_per_key, keys)).bits / 8 + 1);
}

/* The next hash of a sequence (SplitMix64: Steele, Lea and Flood, 2014). */
static uint32_t next_hash(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return (uint32_t)(z ^ z >> 31);
}

/* At most so many hashes are added or probed at a time. */
#define STEP_HASHES 1024u

static void add_hashes(uint64_t n, uint64_t *state, void *memory, size_t size) {
  uint32_t hashes[STEP_HASHES];
  while (n > 0) {
    const size_t step = n < STEP_HASHES ? (size_t)n : STEP_HASHES;
    for (size_t i = 0; i < step; i++) hashes[i] = next_hash(state);
    bloom_add_hashes(memory, size, hashes, step, NULL);
    n -= step;
  }
}

/* How many of n hashes match, for a multiple of 8 up to STEP_HASHES. They come
** in groups of eight consecutive numbers, so that the first bits of a group are
** the bits of one byte. Only hashes whose first bit is set are probed. They are
** collected without a branch, which would be mispredicted every other time. */
static uint32_t count_matches(uint32_t n, uint64_t *state,
                              const bloom_filter *filter) {
  uint32_t hashes[STEP_HASHES];
  uint32_t found = 0, matches = 0;
  for (; n > 0; n -= 8) {
    const uint32_t hash = next_hash(state);
    const uint32_t bit = hash % (uint32_t)filter->modulus;
    const unsigned byte = filter->bits[bit / 8];
    for (uint32_t i = 0; i < 8; i++) {
      hashes[found] = hash - bit % 8 + i;
      found += byte >> i & 1;
    }
  }
  for (uint32_t i = 0; i < found; i++) {
    matches += bloom_may_match_hash(filter, hashes[i]);
  }
  return matches;
}

double bloom_random_rate(int bits_per_key, uint64_t keys, double enough,
                         void *memory) {
  const random_filter asked = filter_of(bits_per_key, keys);
  const double lowest = bloom_lowest_rate(bits_per_key, keys);
  /* A filter that has a bit for every hash is as good as the formula. */
  if (keys == 0 || asked.bits == BLOOM_ALL_HASHES) return lowest;

  const random_filter measured = stand_in(asked);
  const size_t size = bloom_rate_memory(bits_per_key, keys);
  uint32_t filters = 1;
  while (filters < MAX_FILTERS && filters * measured.keys < KEYS_MEASURED) {
    filters *= 2;
  }
  const uint32_t hashes = 1u << hashes_log2(&measured);
  const uint32_t step =
      hashes / filters < STEP_HASHES ? hashes / filters : STEP_HASHES;
  /* The share of absent keys with the hash of a key in the filter that is asked
  ** for, among those without one in the measured filter. */
  const double same_hash = same_hash_share(measured.keys);
  const double more = (same_hash_share(keys) - same_hash) / (1 - same_hash);
  double rate = lowest;
  uint64_t state = 0, matches = 0;
  for (uint32_t i = 0; i < filters && rate <= enough; i++) {
    bloom_filter filter;
    bloom_filter_start(memory, size, bits_per_key);
    add_hashes(measured.keys, &state, memory, size);
    bloom_filter_read(&filter, memory, size);
    for (uint32_t n = 0; n < hashes / filters && rate <= enough; n += step) {
      matches += count_matches(step, &state, &filter);
      const double share = (double)matches / hashes;
      const double all = whole_hashes(share + (1 - share) * more);
      if (all > lowest) rate = all;
    }
  }
  return rate;
}
