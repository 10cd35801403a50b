/* CRC-32C: RFC 3720's and LevelDB's vectors, and every kernel compared with the
** reference: at many lengths, at all alignments, from any crc, in pieces, and
** between guard pages. */
#include "lib/guard_pages.h"

#include "core/crc32c.h"
#include "core/processor.h"

#include <string.h>

#include "lib/iscsi_read.h"
#include "lib/random.h"
#include "lib/reference.h"
#include "lib/tap.h"

#define LONGEST 65600

static uint8_t data[LONGEST + 16];

/* reference[n] is the crc of the first n bytes, set by reference_crcs. */
static uint32_t reference[LONGEST + 1];

/* Computes the crcs of the first 0 to n bytes, extending crc. */
static void reference_crcs(uint32_t crc, const uint8_t *bytes, size_t n) {
  reference[0] = crc;
  for (size_t i = 0; i < n; i++) {
    reference[i + 1] = reference_crc32c(reference[i], bytes + i, 1);
  }
}

static void vectors(void) {
  uint8_t zeros[32] = {0}, ones[32], ascending[32], descending[32];
  memset(ones, 0xff, sizeof(ones));
  for (int i = 0; i < 32; i++) ascending[i] = descending[31 - i] = (uint8_t)i;
  const struct {
    const char *what;
    const void *data;
    size_t size;
    uint32_t crc;
  } known[] = {
      {"32 zeros", zeros, 32, 0x8a9136aau},
      {"32 bytes ff", ones, 32, 0x62a8ab43u},
      {"00 to 1f", ascending, 32, 0x46dd794eu},
      {"1f to 00", descending, 32, 0x113fdb5cu},
      {"an iSCSI command", iscsi_read, 48, 0xd9963a56u},
      {"123456789", "123456789", 9, 0xe3069283u},
      {"hello world", "hello world", 11, 0xc99465aau},
      {"no bytes", NULL, 0, 0},
  };
  for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
    ok(bloom_crc32c_value(known[i].data, known[i].size) == known[i].crc, "%s",
       known[i].what);
  }
  ok(bloom_crc32c_extend(bloom_crc32c_value("hello ", 6), "world", 5) ==
         0xc99465aau,
     "hello, extended by world");
  ok(bloom_crc32c_extend(0xc99465aau, NULL, 0) == 0xc99465aau,
     "no bytes do not change a crc");
}

static void masks(void) {
  ok(bloom_crc32c_mask(0) == 0xa282ead8u, "crc 0, masked");
  ok(bloom_crc32c_mask(bloom_crc32c_value("foo", 3)) == 0xfebe8a61u,
     "the crc of foo, masked");
  bool back = true;
  for (int i = 0; back && i < 10000; i++) {
    const uint32_t any = random32();
    back = (bloom_crc32c_unmask(bloom_crc32c_mask(any)) == any &&
            bloom_crc32c_mask(bloom_crc32c_unmask(any)) == any) ||
           mismatch("crc %08lx", (unsigned long)any);
  }
  ok(back, "unmask is the inverse of mask, and mask of unmask");
}

/* ---- Tests of every kernel. Each function is one test, which reports where it
** failed first. */

static bool same_crc(const bloom_crc32c_kernel *kernel, uint32_t crc,
                     const uint8_t *bytes, size_t n) {
  const uint32_t got = kernel->extend(crc, bytes, n);
  return got == reference[n] ||
         mismatch("%s: crc %08lx, %lu bytes: got %08lx, not %08lx",
                  kernel->name, (unsigned long)crc, (unsigned long)n,
                  (unsigned long)got, (unsigned long)reference[n]);
}

static void every_length_at_every_address(const bloom_crc32c_kernel *kernel) {
  bool same = true;
  for (size_t at = 0; same && at < 16; at++) {
    const uint32_t crcs[] = {0, 0xffffffffu, random32(), random32()};
    for (size_t i = 0; same && i < 4; i++) {
      reference_crcs(crcs[i], data + at, 1024);
      for (size_t n = 0; same && n <= 1024; n++) {
        same = same_crc(kernel, crcs[i], data + at, n);
      }
    }
  }
  ok(same, "%s: lengths 0 to 1024 at 16 addresses", kernel->name);
}

/* Lengths at which a kernel goes from one block size to the next: all to 9000,
** then those near each multiple of a block. */
static void long_data(const bloom_crc32c_kernel *kernel) {
  static const size_t blocks[] = {256, 384, 4032};
  const uint32_t crc = random32();
  const uint8_t *bytes = data + 1;
  reference_crcs(crc, bytes, LONGEST);
  bool same = true;
  for (size_t n = 1025; same && n <= 9000; n++) {
    same = same_crc(kernel, crc, bytes, n);
  }
  for (size_t i = 0; i < 3; i++) {
    const size_t block = blocks[i];
    for (size_t n = 9000 / block * block; same && n <= 65536; n += block) {
      same = same_crc(kernel, crc, bytes, n - 1) &&
             same_crc(kernel, crc, bytes, n) &&
             same_crc(kernel, crc, bytes, n + 1 + random_below(15));
    }
  }
  ok(same, "%s: lengths to 64 KiB, around multiples of its blocks",
     kernel->name);
}

/* Two pieces of data, each computed by another kernel, have the crc of the
** whole. */
static void pieces(const bloom_crc32c_kernel *kernel) {
  const bloom_crc32c_kernel *other = bloom_crc32c_kernels;
  const uint32_t crc = random32();
  reference_crcs(crc, data, 10000);
  bool same = true;
  for (int i = 0; same && i < 2000; i++) {
    const size_t n = random_below(random_below(10000) + 1);
    const size_t first = random_below(n + 1);
    other++;
    if (other->name == NULL) other = bloom_crc32c_kernels;
    if (!other->supported()) other = kernel;
    const uint32_t start = other->extend(crc, data, first);
    same = kernel->extend(start, data + first, n - first) == reference[n] ||
           mismatch("%s after %s: %lu bytes cut at %lu", kernel->name,
                    other->name, (unsigned long)n, (unsigned long)first);
  }
  ok(same, "%s: data in two pieces", kernel->name);
}

static size_t next_length(size_t n) {
  return n + 1 + (n < 300 ? 0 : random_below(97));
}

static void nothing_outside_is_read(const bloom_crc32c_kernel *kernel) {
  static size_t size = 8192;
  static uint8_t *block;
  if (block == NULL) block = guarded_bytes(&size);
  if (block == NULL) return;
  bool same = true;
  reference_crcs(0, block, size);
  for (size_t n = 0; same && n <= size; n = next_length(n)) {
    same = same_crc(kernel, 0, block, n);
  }
  for (size_t n = 0; same && n <= size; n = next_length(n)) {
    reference_crcs(n & 1 ? random32() : 0, block + size - n, n);
    same = same_crc(kernel, reference[0], block + size - n, n);
  }
  ok(same, "%s: lengths 0 to 300 and some to 8192 between guard pages",
     kernel->name);
}

static void every_kernel(void) {
  const bloom_crc32c_kernel *fastest = NULL;
  const bloom_crc32c_kernel *kernel = bloom_crc32c_kernels;
  for (; kernel->name != NULL; kernel++) {
    if (!kernel->supported()) {
      char reason[80];
      snprintf(reason, sizeof(reason), "this processor has no %s",
               kernel->name);
      skip(4, reason);
      continue;
    }
    if (fastest == NULL) fastest = kernel;
    every_length_at_every_address(kernel);
    long_data(kernel);
    pieces(kernel);
    nothing_outside_is_read(kernel);
  }
  kernel--;
  ok(strcmp(kernel->name, "portable") == 0 && kernel->supported(),
     "the last kernel is portable and runs everywhere");
  printf("# the fastest here is %s\n", fastest->name);

  const bloom_crc32c_kernel chosen = {"bloom_crc32c_extend", NULL,
                                      bloom_crc32c_extend};
  every_length_at_every_address(&chosen);
}

#if defined(__linux__) && defined(__x86_64__)
static bool is_supported(const char *name) {
  const bloom_crc32c_kernel *kernel = bloom_crc32c_kernels;
  while (kernel->name != NULL && strcmp(kernel->name, name) != 0) kernel++;
  return kernel->name != NULL && kernel->supported();
}

/* The compiler's library has a check of its own, which the extension could not
** use everywhere. */
static void supported_kernels(void) {
  __builtin_cpu_init();
  ok(is_supported("sse42") == !!__builtin_cpu_supports("sse4.2"),
     "sse42 is supported where the compiler's library finds its features");
  ok(is_supported("avx512") == (__builtin_cpu_supports("sse4.2") &&
                                __builtin_cpu_supports("pclmul") &&
                                __builtin_cpu_supports("avx512f") &&
                                __builtin_cpu_supports("avx512bw") &&
                                __builtin_cpu_supports("avx512vl") &&
                                __builtin_cpu_supports("vpclmulqdq")),
     "so is avx512");
  bool has = false;
  for (int i = 0; i < 128; i++) {
    has |=
        bloom_processor_has(0x7fffffff, (bloom_cpuid_register)(i / 32), i % 32);
  }
  ok(!has, "a processor has nothing that a leaf beyond its last one tells");
  ok(!bloom_processor_saves(UINT32_MAX), "no system saves every state");
}
#else
static void supported_kernels(void) {
  skip(4, "this processor is not asked by cpuid");
}
#endif

int main(void) {
  random_fill(data, sizeof(data));
  vectors();
  masks();
  every_kernel();
  supported_kernels();
  return tap_done();
}
