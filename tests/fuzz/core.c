/*
** Any bytes as filters, keys, hashes, lengths and bits_per_key, for libFuzzer:
** the core, with every CRC kernel, must agree with the reference. Each buffer
** is exactly as long as its size, so that the address sanitizer finds any
** access outside it.
**
** The first byte chooses the test, the next ones are its numbers, and the rest
** is its data.
*/
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/bloom.h"
#include "core/coding.h"
#include "core/crc32c.h"
#include "core/estimate.h"
#include "core/hash.h"
#include "input.h"
#include "lib/reference.h"

#define CHECK(condition) \
  if (!(condition)) abort()

static uint32_t take_uint32(input *in) {
  uint32_t value = 0;
  for (int i = 0; i < 4; i++) value = value << 8 | take_byte(in);
  return value;
}

/* A copy of the next n bytes, or of as many as are left. The caller frees
** it. */
static uint8_t *take_bytes(input *in, size_t n, size_t *got) {
  *got = n < in->left ? n : in->left;
  uint8_t *copy = malloc(*got);
  if (*got > 0) memcpy(copy, in->at, *got);
  in->at += *got;
  in->left -= *got;
  return copy;
}

/* ---- The tests. */

/* A key probed in any bytes as a filter, and the other functions that read a
** filter. */
static void test_probe(input *in) {
  size_t key_size, size;
  uint8_t *key = take_bytes(in, take_byte(in), &key_size);
  const uint32_t seed = take_uint32(in);
  uint8_t *filter = take_bytes(in, in->left, &size);

  CHECK(bloom_hash(key, key_size, seed) == reference_hash(key, key_size, seed));
  const uint32_t hash = reference_hash(key, key_size, BLOOM_HASH_SEED);
  CHECK(bloom_key_hash(key, key_size) == hash);
  CHECK(bloom_key_may_match(key, key_size, filter, size) ==
        reference_may_match(filter, size, hash));
  bloom_filter read;
  bloom_filter_read(&read, filter, size);
  CHECK(bloom_may_match_hash(&read, seed) ==
        reference_may_match(filter, size, seed));

  CHECK(bloom_bits_set(filter, size) == reference_bits_set(filter, size));
  free(key);
  free(filter);
}

/* Hashes, and then another filter, added to any bytes as a filter. */
static void test_add(input *in) {
  size_t n, size, other_size;
  uint8_t *bytes = take_bytes(in, (size_t)take_byte(in) * 4, &n);
  n /= 4;
  uint32_t *hashes = malloc(n * sizeof(*hashes));
  for (size_t i = 0; i < n; i++) hashes[i] = bloom_load_fixed32(bytes + 4 * i);
  uint8_t *filter = take_bytes(in, in->left / 2, &size);
  uint8_t *other = take_bytes(in, size, &other_size);
  uint8_t *expected = malloc(size);
  if (size > 0) memcpy(expected, filter, size);

  for (size_t i = 0; i < n; i++) reference_add(expected, size, hashes[i]);
  bloom_add_hashes(filter, size, hashes, n, NULL);
  CHECK(size == 0 || memcmp(filter, expected, size) == 0);

  for (size_t i = 0; i < size; i++) expected[i] |= other[i];
  bloom_union(filter, other, size);
  CHECK(size == 0 || memcmp(filter, expected, size) == 0);
  free(bytes), free(hashes), free(filter), free(other), free(expected);
}

/* A filter of keys cut from the input: each byte is a key's length. */
static void test_create(input *in) {
  const void *keys[256];
  size_t sizes[256];
  size_t n = 0;
  const int bits_per_key = take_byte(in) % 100 + 1;
  while (n < 256 && in->left > 0) {
    keys[n] = take_bytes(in, take_byte(in), &sizes[n]);
    n++;
  }
  const size_t size = reference_filter_size(n, bits_per_key);
  CHECK(bloom_filter_size(n, bits_per_key) == size);
  uint8_t *filter = malloc(size);
  uint8_t *expected = calloc(size, 1);
  expected[size - 1] = (uint8_t)reference_probes(bits_per_key);
  for (size_t i = 0; i < n; i++) {
    reference_add(expected, size,
                  reference_hash(keys[i], sizes[i], BLOOM_HASH_SEED));
  }
  CHECK(bloom_create_filter(keys, sizes, n, bits_per_key, filter, NULL) ==
        size);
  CHECK(memcmp(filter, expected, size) == 0);
  for (size_t i = 0; i < n; i++) {
    CHECK(bloom_key_may_match(keys[i], sizes[i], filter, size));
    free((void *)keys[i]);
  }
  free(filter);
  free(expected);
}

/* A filter large enough to be filled by region, with scratch memory and
** without. This takes milliseconds, so only one input in 256, chosen by its
** hash, does it. */
static void test_scratch(input *in) {
  if (reference_hash(in->at, in->left, 0) % 256 != 0) return;
  const size_t size = ((size_t)4 << 20) - 8 + take_uint32(in) % (1u << 20);
  const size_t n = take_uint32(in) % (1u << 14);
  uint32_t *hashes = malloc(n * sizeof(*hashes));
  uint32_t hash = take_uint32(in);
  const uint32_t factor = take_uint32(in), addend = take_uint32(in);
  for (size_t i = 0; i < n; i++) hashes[i] = hash = hash * factor + addend;
  uint8_t *filter = calloc(size, 1), *expected = calloc(size, 1);
  filter[size - 1] = expected[size - 1] = take_byte(in) % 31;
  void *scratch = malloc(bloom_scratch_size(size));
  for (size_t i = 0; i < n; i++) reference_add(expected, size, hashes[i]);
  bloom_add_hashes(filter, size, hashes, n, scratch);
  CHECK(memcmp(filter, expected, size) == 0);
  memset(filter, 0, size - 1);
  bloom_add_hashes(filter, size, hashes, n, NULL);
  CHECK(memcmp(filter, expected, size) == 0);
  free(hashes), free(filter), free(expected), free(scratch);
}

/* Every CRC kernel, at any address and length, in one piece and in two. Long
** messages repeat the input. */
static void test_crc32c(input *in) {
  const uint32_t crc = take_uint32(in);
  const size_t copies = take_byte(in) % 16 == 15 ? 64 : 1;
  size_t piece;
  uint8_t *once = take_bytes(in, in->left, &piece);
  const size_t n = piece * copies;
  uint8_t *data = malloc(n);
  for (size_t i = 0; i < copies && piece > 0; i++) {
    memcpy(data + i * piece, once, piece);
  }
  const uint32_t expected = reference_crc32c(crc, data, n);
  const size_t cut = n == 0 ? 0 : crc % n;
  for (const bloom_crc32c_kernel *kernel = bloom_crc32c_kernels; kernel->name;
       kernel++) {
    if (!kernel->supported()) continue;
    CHECK(kernel->extend(crc, data, n) == expected);
    CHECK(kernel->extend(kernel->extend(crc, data, cut), data + cut, n - cut) ==
          expected);
  }
  CHECK(bloom_crc32c_extend(crc, data, n) == expected);
  CHECK(bloom_crc32c_unmask(bloom_crc32c_mask(crc)) == crc);
  free(once);
  free(data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static void (*const tests[256])(input *) = {
      ['a'] = test_add,
      ['b'] = test_create,
      ['c'] = test_crc32c,
      ['s'] = test_scratch,
  };
  input in = {data, size};
  void (*const test)(input *) = tests[take_byte(&in)];
  (test == NULL ? test_probe : test)(&in);
  return 0;
}
