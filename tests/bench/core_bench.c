/*
** The C core against LevelDB (building and probing filters) and against
** ISA-L (CRC-32C), or one of the two.
**
** usage: core_bench [filter | crc]
*/
#include <isa-l/crc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "core/bloom.h"
#include "core/crc32c.h"
#include "leveldb_peer.h"
#include "lib/random.h"

#define KEY_SIZE 16
#define BITS_PER_KEY 10

static void *need(void *memory) {
  if (memory == NULL) {
    fprintf(stderr, "out of memory\n");
    exit(1);
  }
  return memory;
}

/* ---- Building */

typedef struct key_set {
  size_t n;
  char *data; /* n present keys, then n absent ones */
  const void **keys;
  size_t *sizes;
  unsigned char *filter;
  size_t size;
} key_set;

static key_set make_keys(size_t n) {
  key_set set = {.n = n};
  uint64_t seed = 1;
  set.data = need(malloc(2 * n * KEY_SIZE));
  for (size_t i = 0; i < 2 * n * KEY_SIZE; i += 8) {
    const uint64_t word = random_next(&seed);
    memcpy(set.data + i, &word, sizeof(word));
  }
  set.keys = need(malloc(n * sizeof(*set.keys)));
  set.sizes = need(malloc(n * sizeof(*set.sizes)));
  for (size_t i = 0; i < n; i++) {
    set.keys[i] = set.data + i * KEY_SIZE;
    set.sizes[i] = KEY_SIZE;
  }
  leveldb_peer_keys(set.data, n);
  return set;
}

static void free_keys(key_set *set) {
  free(set->data);
  free((void *)set->keys);
  free(set->sizes);
  free(set->filter);
}

/* With scratch memory a large filter is built region by region. */
static uint64_t build(key_set *set, int by_region, long repeats) {
  uint64_t sum = 0;
  for (; repeats > 0; repeats--) {
    const size_t size = (size_t)bloom_filter_size(set->n, BITS_PER_KEY);
    const size_t scratch_size = by_region ? bloom_scratch_size(size) : 0;
    void *scratch = scratch_size > 0 ? need(malloc(scratch_size)) : NULL;
    free(set->filter);
    set->filter = need(malloc(size));
    set->size = bloom_create_filter(set->keys, set->sizes, set->n, BITS_PER_KEY,
                                    set->filter, scratch);
    free(scratch);
    sum += set->size + set->filter[set->size / 2];
  }
  return sum;
}

static uint64_t build_ours(void *input, long repeats) {
  return build(input, 1, repeats);
}

static uint64_t build_at_once(void *input, long repeats) {
  return build(input, 0, repeats);
}

static uint64_t build_peer(void *input, long repeats) {
  (void)input;
  const char *filter;
  uint64_t sum = 0;
  for (; repeats > 0; repeats--) {
    const size_t size = leveldb_peer_create(&filter);
    sum += size + (unsigned char)filter[size / 2];
  }
  return sum;
}

/* ---- Probing */

#define MAX_PROBES 2000000

typedef struct probe_input {
  const key_set *set;
  size_t n; /* keys to probe */
  const char *keys;
  bloom_filter filter;
} probe_input;

static uint64_t probe_ours(void *input, long repeats) {
  const probe_input *probe = input;
  uint64_t matches = 0;
  for (; repeats > 0; repeats--) {
    for (size_t i = 0; i < probe->n; i++) {
      matches += (uint64_t)bloom_may_match_hash(
          &probe->filter, bloom_key_hash(probe->keys + i * KEY_SIZE, KEY_SIZE));
    }
  }
  return matches;
}

static uint64_t probe_peer(void *input, long repeats) {
  const probe_input *probe = input;
  uint64_t matches = 0;
  for (; repeats > 0; repeats--) {
    for (size_t i = 0; i < probe->n; i++) {
      matches += (uint64_t)leveldb_peer_may_match(
          probe->keys + i * KEY_SIZE, (const char *)probe->set->filter,
          probe->set->size);
    }
  }
  return matches;
}

static void bench_filter(const char *size_name, size_t n, int by_region) {
  char name[80];
  key_set set = make_keys(n);
  bench_section("filters of 16-byte keys, ns a key", "ours", "LevelDB");
  snprintf(name, sizeof(name), "%s keys: build", size_name);
  bench_compare(name, build_ours, &set, build_peer, &set, (double)n);
  const char *peer;
  if (leveldb_peer_create(&peer) != set.size ||
      memcmp(peer, set.filter, set.size) != 0) {
    fprintf(stderr, "the filters differ\n");
    exit(1);
  }
  probe_input probe = {.set = &set, .n = n < MAX_PROBES ? n : MAX_PROBES};
  bloom_filter_read(&probe.filter, set.filter, set.size);
  probe.keys = set.data + n * KEY_SIZE;
  snprintf(name, sizeof(name), "%s keys: probe an absent key", size_name);
  bench_compare(name, probe_ours, &probe, probe_peer, &probe, (double)probe.n);
  probe.keys = set.data;
  snprintf(name, sizeof(name), "%s keys: probe a present key", size_name);
  bench_compare(name, probe_ours, &probe, probe_peer, &probe, (double)probe.n);
  if (by_region) {
    bench_section("filling by region, ns a key", "by region", "at once");
    snprintf(name, sizeof(name), "%s keys", size_name);
    bench_compare(name, build_ours, &set, build_at_once, &set, (double)n);
  }
  free_keys(&set);
}

static void bench_filters(void) {
  bench_filter("1e3", 1000, 0);
  bench_filter("1e4", 10000, 0);
  bench_filter("1e5", 100000, 0);
  bench_filter("1e6", (size_t)bench_size(1000000), 0);
  bench_filter("1e7", (size_t)bench_size(10000000), 1);
  bench_filter("5e7", (size_t)bench_size(50000000), 1);
}

/* ---- CRC-32C */

#define CRC_LENGTHS 1024

typedef struct crc_input {
  unsigned char *data;
  size_t length; /* 0: as in lengths */
  size_t lengths[CRC_LENGTHS];
  const bloom_crc32c_kernel *kernel, *peer; /* by name */
} crc_input;

static size_t crc_length(const crc_input *crc, long i) {
  return crc->length > 0 ? crc->length : crc->lengths[i % CRC_LENGTHS];
}

/* Each length occurs once in a repeat, so that all repeats have equally many
** bytes. */
static long crc_calls(const crc_input *crc, long repeats) {
  return crc->length > 0 ? repeats : repeats * CRC_LENGTHS;
}

/* A function that adds up the crcs of `length` bytes at 64 addresses. */
#define CRC_WORK(name, calls, size, value)                 \
  static uint64_t name(void *input, long repeats) {        \
    const crc_input *crc = input;                          \
    uint64_t sum = 0;                                      \
    for (long i = 0; i < (calls); i++) {                   \
      const unsigned char *data = crc->data + 64 + i % 64; \
      const size_t length = (size);                        \
      sum += (value);                                      \
    }                                                      \
    return sum;                                            \
  }

CRC_WORK(crc_ours, crc_calls(crc, repeats), crc_length(crc, i),
         bloom_crc32c_value(data, length))
CRC_WORK(crc_peer, crc_calls(crc, repeats), crc_length(crc, i),
         ~crc32_iscsi((unsigned char *)data, (int)length, ~0u))
CRC_WORK(kernel_ours, repeats, crc->length,
         crc->kernel->extend(0, data, length))

/* LevelDB's accelerated loop (port/port_stdcxx.h hands its crc to a library
** that Debian's build does not have): a loop of the crc32 instruction on 8
** bytes. */
#ifdef __x86_64__
__attribute__((target("sse4.2")))
#endif
static uint32_t
plain_loop(const unsigned char *data, size_t n) {
#ifdef __x86_64__
  uint64_t state = 0xffffffffu;
  for (; n >= 8; data += 8, n -= 8) {
    uint64_t word;
    memcpy(&word, data, sizeof(word));
    state = __builtin_ia32_crc32di(state, word);
  }
  for (; n > 0; data++, n--) {
    state = __builtin_ia32_crc32qi((uint32_t)state, *data);
  }
  return ~(uint32_t)state;
#else
  return bloom_crc32c_value(data, n);
#endif
}

CRC_WORK(kernel_peer, repeats, crc->length, plain_loop(data, length))

static void bench_crc(void) {
  static const size_t lengths[] = {16,   32,   64,    128,   256,    512,
                                   1024, 4096, 16384, 65536, 262144, 1048576};
  char name[80];
  crc_input crc = {.data = need(malloc((1 << 20) + 128))};
  uint64_t seed = 2;
  for (int i = 0; i < (1 << 20) + 128; i++) {
    crc.data[i] = (unsigned char)random_next(&seed);
  }
  for (int i = 0; i < CRC_LENGTHS; i++) {
    crc.lengths[i] = (size_t)(random_next(&seed) % 65);
  }
  bench_section("CRC-32C, ns a call", "ours", "ISA-L");
  bench_compare("random lengths to 64 bytes", crc_ours, &crc, crc_peer, &crc,
                CRC_LENGTHS);
  for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
    crc.length = lengths[i];
    snprintf(name, sizeof(name), "%zu bytes", crc.length);
    bench_compare(name, crc_ours, &crc, crc_peer, &crc, 1);
  }
  for (crc.kernel = bloom_crc32c_kernels; crc.kernel->name; crc.kernel++) {
    if (!crc.kernel->supported()) continue;
    bench_section("CRC-32C by kernel, ns a call", "ours", "8-byte loop");
    for (crc.length = 64; crc.length <= 1 << 20; crc.length *= 8) {
      snprintf(name, sizeof(name), "%s, %zu bytes", crc.kernel->name,
               crc.length);
      bench_compare(name, kernel_ours, &crc, kernel_peer, &crc, 1);
    }
  }
  free(crc.data);
}

int main(int argc, char **argv) {
  const char *only = argc > 1 ? argv[1] : "";
  if (strcmp(only, "crc") != 0) bench_filters();
  if (strcmp(only, "filter") != 0) bench_crc();
  return 0;
}
