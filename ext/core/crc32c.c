#include "crc32c.h"

#include "crc32c_kernels.h"
#include "processor.h"

#define HAS(target, leaf, answer, bit) bloom_processor_has(leaf, answer, bit)

#ifdef BLOOM_CRC32C_HAVE_SSE42
static bool sse42_supported(void) {
  return BLOOM_CRC32C_SSE42_FEATURES(HAS, &&);
}
#endif

#ifdef BLOOM_CRC32C_HAVE_AVX512
/* The states of XCR0 that hold the registers xmm, ymm, k and zmm. */
#define AVX512_STATES 0xe6u

static bool avx512_supported(void) {
  /* Uncovered: a processor with only some of these features, which qemu cannot
  ** emulate. */
  return bloom_processor_saves(AVX512_STATES) &&
         BLOOM_CRC32C_AVX512_FEATURES(HAS, &&);
}
#endif

static bool portable_supported(void) {
  return true;
}

const bloom_crc32c_kernel bloom_crc32c_kernels[] = {
#ifdef BLOOM_CRC32C_HAVE_AVX512
    {"avx512", avx512_supported, bloom_crc32c_extend_avx512},
#endif
#ifdef BLOOM_CRC32C_HAVE_SSE42
    {"sse42", sse42_supported, bloom_crc32c_extend_sse42},
#endif
#ifdef BLOOM_CRC32C_HAVE_ARM64
    {"arm64", bloom_processor_has_crc32, bloom_crc32c_extend_arm64},
#endif
    {"portable", portable_supported, bloom_crc32c_extend_portable},
    {0, 0, 0}};

static uint32_t (*chosen_extend)(uint32_t, const void *,
                                 size_t) = bloom_crc32c_extend_portable;

#ifdef __GNUC__
/* Runs when this code is loaded, before anything can call it. */
__attribute__((constructor)) static void choose_kernel(void) {
  const bloom_crc32c_kernel *kernel = bloom_crc32c_kernels;
  while (!kernel->supported()) kernel++;
  chosen_extend = kernel->extend;
}
#endif

uint32_t bloom_crc32c_extend(uint32_t crc, const void *data, size_t n) {
  return chosen_extend(crc, data, n);
}
