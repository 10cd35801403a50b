/*
** The rates of bloom_random_rate, compared with filters of other random hashes:
** within 10 % at 4 to 16 bits, for 100 to 4,000,000 keys, and within 25 %
** beyond, up to KEYS keys.
**
** usage: rates [KEYS]    (default: 100000000)
*/
#include "core/rate.h"

#include <stdlib.h>
#include <string.h>

#include "lib/random.h"
#include "lib/tap.h"

/* The share of other random hashes that match a filter of random hashes. */
static double one_filter(uint64_t keys, int bits_per_key, uint64_t probes) {
  const size_t size = (size_t)bloom_filter_size(keys, bits_per_key);
  void *data = malloc(size);
  void *scratch = malloc(bloom_scratch_size(size) + 1);
  static uint32_t hashes[1 << 20];
  if (data == NULL || scratch == NULL) exit(1);
  bloom_filter_start(data, size, bits_per_key);
  while (keys > 0) {
    const size_t most = sizeof(hashes) / sizeof(*hashes);
    const size_t n = keys < most ? (size_t)keys : most;
    for (size_t i = 0; i < n; i++) hashes[i] = random32();
    bloom_add_hashes(data, size, hashes, n, scratch);
    keys -= n;
  }
  bloom_filter filter;
  bloom_filter_read(&filter, data, size);
  uint64_t matches = 0;
  for (uint64_t i = 0; i < probes; i++) {
    matches += bloom_may_match_hash(&filter, random32());
  }
  free(scratch);
  free(data);
  return (double)matches / (double)probes;
}

/* The mean of as many filters as have 300,000 keys together. */
static double of_filters(uint64_t keys, int bits_per_key) {
  const uint64_t probes = 3000000;
  const uint64_t filters = 300000 / keys + 1;
  double sum = 0;
  for (uint64_t i = 0; i < filters; i++) {
    sum += one_filter(keys, bits_per_key, probes / filters);
  }
  return sum / (double)filters;
}

static double of_core(uint64_t keys, int bits_per_key) {
  void *memory = malloc(bloom_rate_memory(bits_per_key, keys));
  if (memory == NULL) exit(1);
  const double rate = bloom_random_rate(bits_per_key, keys, 1, memory);
  free(memory);
  return rate;
}

/* The largest deviation for this number of keys, over the bits in a list that a
** 0 ends. */
static void test_keys(uint64_t keys, const int *bits, double allowed) {
  double worst = 0;
  int at = 0;
  for (; *bits != 0; bits++) {
    const double is = of_filters(keys, *bits);
    const double said = of_core(keys, *bits);
    const double deviation = said / is - 1;
    fprintf(stderr, "# %9llu keys, %2d bits: %7.4f %%, said %7.4f %%, %+5.1f\n",
            (unsigned long long)keys, *bits, 100 * is, 100 * said,
            100 * deviation);
    if (at == 0 || deviation * deviation > worst * worst) {
      worst = deviation;
      at = *bits;
    }
  }
  ok(worst > -allowed && worst < allowed,
     "%llu keys: at most %.1f %% off (at %d bits), %.0f allowed",
     (unsigned long long)keys, 100 * worst, at, 100 * allowed);
}

int main(int argc, char **argv) {
  static const int all[] = {4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 0};
  static const int some[] = {4, 8, 10, 11, 15, 16, 0};
  static const uint64_t few[] = {100,     300,     1000,   3000,   10000,
                                 30000,   100000,  150000, 300000, 600000,
                                 1000000, 2500000, 4000000};
  static const uint64_t many[] = {6000000, 10000000, 12345678, 30000000,
                                  100000000};
  const uint64_t most = argc > 1 ? strtoull(argv[1], NULL, 10) : 100000000;
  random_state = 20;
  for (size_t i = 0; i < sizeof(few) / sizeof(*few); i++) {
    if (few[i] <= most) test_keys(few[i], all, 0.10);
  }
  for (size_t i = 0; i < sizeof(many) / sizeof(*many); i++) {
    if (many[i] <= most) test_keys(many[i], some, 0.25);
  }
  return tap_done();
}
