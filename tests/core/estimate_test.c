/* What the bits of a filter tell: how many are set, about how many keys there
** are, and the false positive rate. */
#include "core/estimate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/random.h"
#include "lib/reference.h"
#include "lib/tap.h"

static void counts(void) {
  static uint8_t bytes[700];
  bool same = bloom_bits_set(NULL, 0) == 0;
  for (size_t size = 1; same && size < sizeof(bytes); size++) {
    random_fill(bytes, size);
    same = bloom_bits_set(bytes, size) == reference_bits_set(bytes, size) ||
           mismatch("%lu bytes", (unsigned long)size);
  }
  ok(same, "at any length, the bits set are counted without the last byte");
  memset(bytes, 0xff, sizeof(bytes));
  ok(bloom_bits_set(bytes, sizeof(bytes)) == 8 * (sizeof(bytes) - 1),
     "all bits set");
}

#define NO_ESTIMATE (-1)

/* The estimate for a filter of this many bits, of which the first are set. */
static long long estimate(size_t bits, size_t bits_set, int probes) {
  const size_t size = bits / 8 + 1;
  uint8_t *bytes = calloc(size, 1);
  uint64_t keys = 1;
  if (bytes == NULL) exit(1);
  memset(bytes, 0xff, bits_set / 8);
  if (bits_set % 8 > 0)
    bytes[bits_set / 8] = (uint8_t)(0xff >> (8 - bits_set % 8));
  bytes[size - 1] = (uint8_t)probes;
  const bool estimated = bloom_estimated_keys(bytes, size, &keys);
  free(bytes);
  return estimated ? (long long)keys : NO_ESTIMATE;
}

/* Computed by another program, with 50 digits. */
static void keys(void) {
  static const struct {
    size_t bits, bits_set;
    int probes;
    long long keys;
  } known[] = {
      {8, 0, 1, 0},
      {8, 1, 1, 1},
      {8, 7, 1, 17},
      {8, 8, 1, NO_ESTIMATE},
      {64, 10, 6, 2},
      {64, 63, 30, 9},
      {64, 10, 0, NO_ESTIMATE},
      {64, 10, 31, NO_ESTIMATE},
      {100000, 43625, 6, 9552},
      {100000, 99999, 6, 191886},
      {1 << 20, (1 << 20) - 1, 1, 14561005},
      {1 << 28, (1 << 28) - 1, 1, NO_ESTIMATE},
      {1 << 28, (1 << 28) - 1, 2, 4005846525},
  };
  for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
    const long long got =
        estimate(known[i].bits, known[i].bits_set, known[i].probes);
    ok(got == known[i].keys, "%lu of %lu bits at %d probes: %lld keys",
       (unsigned long)known[i].bits_set, (unsigned long)known[i].bits,
       known[i].probes, got);
  }
  uint64_t none = 1;
  ok(bloom_estimated_keys(NULL, 0, &none) && none == 0,
     "a filter of 0 bytes has no keys");
}

/* The measured rate, and that of other hashes. */
static void rates(void) {
  static const struct {
    size_t keys;
    int bits_per_key;
  } cells[] = {{0, 10},    {1, 10},     {1000, 1},
               {1000, 10}, {30000, 10}, {30000, 4}};
  for (size_t i = 0; i < sizeof(cells) / sizeof(*cells); i++) {
    const size_t size =
        (size_t)bloom_filter_size(cells[i].keys, cells[i].bits_per_key);
    uint8_t *bytes = malloc(size);
    if (bytes == NULL) exit(1);
    bloom_filter_start(bytes, size, cells[i].bits_per_key);
    for (size_t j = 0; j < cells[i].keys; j++) {
      reference_add(bytes, size, random32());
    }
    const int probed = 1000000;
    int matches = 0;
    for (int j = 0; j < probed; j++) {
      matches += reference_may_match(bytes, size, random32());
    }
    bloom_filter filter;
    bloom_filter_read(&filter, bytes, size);
    const double is = (double)matches / probed;
    const double said = bloom_measured_rate(&filter);
    ok(fabs(said - is) <= 0.05 * is,
       "%lu keys at %d bits: %.4f %%, said %.4f %%",
       (unsigned long)cells[i].keys, cells[i].bits_per_key, 100 * is,
       100 * said);
    free(bytes);
  }
}

/* A hash in eight falls on the only bit that is set. */
static void same_everywhere(void) {
  static const uint8_t one_bit[] = {1, 1};
  bloom_filter filter;
  bloom_filter_read(&filter, one_bit, sizeof(one_bit));
  const double eighth = bloom_measured_rate(&filter);
  ok(eighth * (1 << 20) == 131072, "1 of 8 bits: %.0f hashes match",
     eighth * (1 << 20));
}

int main(void) {
  counts();
  keys();
  rates();
  same_everywhere();
  return tap_done();
}
