/* Measured rates: compared with filters that are built and probed bit by bit,
** for sizes that are measured themselves and sizes that a smaller filter stands
** for; and the same on every machine. tests/stress/rates.c tries more sizes. */
#include "core/rate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/random.h"
#include "lib/reference.h"
#include "lib/tap.h"

/* The rate, or -1 if memory was written beyond bloom_rate_memory's bytes. */
static double rate_of(int bits_per_key, uint64_t keys, double enough) {
  const size_t size = bloom_rate_memory(bits_per_key, keys);
  uint8_t *memory = malloc(size + 1);
  if (memory == NULL) exit(1);
  memset(memory, 0xa5, size + 1);
  const double rate = bloom_random_rate(bits_per_key, keys, enough, memory);
  const bool sound = memory[size] == 0xa5;
  free(memory);
  return sound ? rate : -1;
}

static double reference_rate(int bits_per_key, size_t keys, int filters,
                             int probes) {
  const size_t size = reference_filter_size(keys, bits_per_key);
  uint8_t *filter = malloc(size);
  long matches = 0;
  if (filter == NULL) exit(1);
  for (int f = 0; f < filters; f++) {
    memset(filter, 0, size);
    filter[size - 1] = (uint8_t)reference_probes(bits_per_key);
    for (size_t i = 0; i < keys; i++) reference_add(filter, size, random32());
    for (int i = 0; i < probes; i++) {
      matches += reference_may_match(filter, size, random32());
    }
  }
  free(filter);
  return (double)matches / filters / probes;
}

static void as_filters_do(void) {
  static const struct {
    size_t keys;
    int bits_per_key, filters, probes;
  } cells[] = {
      {1, 10, 20000, 20},      {7, 3, 20000, 20},       {100, 8, 2000, 300},
      {1000, 10, 200, 5000},   {5000, 16, 50, 80000},   {100000, 4, 1, 200000},
      {100000, 14, 2, 800000}, {100000, 15, 2, 800000},
  };
  for (size_t i = 0; i < sizeof(cells) / sizeof(*cells); i++) {
    const double is = reference_rate(cells[i].bits_per_key, cells[i].keys,
                                     cells[i].filters, cells[i].probes);
    const double said = rate_of(cells[i].bits_per_key, cells[i].keys, 1);
    ok(fabs(said / is - 1) < 0.1, "%d keys at %d bits: %.4f %%, said %.4f %%",
       (int)cells[i].keys, cells[i].bits_per_key, 100 * is, 100 * said);
  }
}

/* Rates times 2^32, as x86-64 measured them first. That they are right, the
** other tests show. */
static void same_everywhere(void) {
  static const struct {
    uint64_t keys;
    int bits_per_key;
    double hashes;
  } known[] = {
      {1, 10, 8650752},      {1000, 10, 38223872},     {1000, 16, 2200576},
      {1000, 17, 1382400},   {50000, 2, 1689960693},   {100000, 10, 63422464},
      {300000, 16, 4034560}, {8500000, 2, 1694285824},
  };
  for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
    const double got =
        rate_of(known[i].bits_per_key, known[i].keys, 1) * 4294967296.0;
    ok(got == known[i].hashes, "%lu keys at %d bits: %.17g hashes match",
       (unsigned long)known[i].keys, known[i].bits_per_key, got);
  }
}

static void edges(void) {
  /* 2^28 keys at 16 bits: p + q - pq, where q = 1 - e^(-1/16) and
  ** p = (1 - e^(-11 q))^11, computed by another program. */
  const double all = rate_of(16, (uint64_t)1 << 28, 1);
  ok(fabs(all / 0.0609261882 - 1) < 1e-7, "2^32 bits: %.9g", all);
  ok(rate_of(100, UINT64_MAX, 1) == 1, "2^64 keys let everything through");
  ok(rate_of(10, 0, 1) == 0, "a filter of no keys lets nothing through");
  bool within = true;
  for (int bits = 1; bits <= 100; bits++) {
    for (int shift = 0; shift < 64; shift++) {
      const uint64_t keys = ((uint64_t)1 << shift) - (shift > 20);
      const size_t size = bloom_rate_memory(bits, keys);
      const double lowest = bloom_lowest_rate(bits, keys);
      within = within && size >= 1 && size <= ((size_t)8 << 20) + 1 &&
               lowest > 0 && lowest <= 1;
    }
  }
  ok(within, "any bits and keys: at most 8 MiB and a byte, and some rate");
}

/* Which filter stands for which, as far as its size tells. */
static void stand_ins(void) {
  bool itself = true, alike = true, large = true;
  for (int i = 0; i < 20000; i++) {
    const int bits = 1 + (int)random_below(100);
    const uint64_t keys = 1 + random64() % ((1ULL << 32) / 100);
    const uint64_t asked = (keys * (uint64_t)bits + 7) / 8 * 8;
    const uint64_t most = bits <= 16 ? 1 << 26 : 1 << 24;
    const uint64_t got = (bloom_rate_memory(bits, keys) - 1) * 8;
    if (asked <= most) {
      itself = itself && got == (asked < 64 ? 64 : asked);
      continue;
    }
    large = large && got <= most && got > most / 2 - 8 * 255;
    alike = alike && (got % 3 == 0) == (asked % 3 == 0) &&
            (got % 5 == 0) == (asked % 5 == 0) &&
            (got % 17 == 0) == (asked % 17 == 0);
  }
  ok(itself, "a filter of 2^26 bits, 2^24 past 16 bits, is measured itself");
  ok(large, "for a larger one stands one of more than half of that");
  ok(alike, "and 3, 5 and 17 divide both or neither");
}

/* 1 - e^(-20000000/2^32) of the absent keys have the hash of one of 20,000,000
** keys, and of the others, as many match as in a smaller filter that is as
** full. */
static void shared_hashes(void) {
  const double same_hash = -expm1(-20000000.0 / 4294967296.0);
  const double small = -expm1(-800000.0 / 4294967296.0);
  const double other = (rate_of(20, 800000, 1) - small) / (1 - small);
  const double is = same_hash + other * (1 - same_hash);
  const double said = rate_of(20, 20000000, 1);
  ok(fabs(said / is - 1) < 0.01,
     "20,000,000 keys at 20 bits: %.4f %%, said %.4f %%, %.4f %% by their hash",
     100 * is, 100 * said, 100 * same_hash);
}

static void enough(void) {
  const double to_the_end = rate_of(10, 100000, 1);
  const double ended = rate_of(10, 100000, 0.01);
  ok(ended > 0.01 && ended < to_the_end,
     "a rate that is known to be too high needs no end: %.4f %%", 100 * ended);
}

int main(void) {
  as_filters_do();
  same_everywhere();
  edges();
  stand_ins();
  shared_hashes();
  enough();
  return tap_done();
}
