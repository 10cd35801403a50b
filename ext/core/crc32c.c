#include "crc32c.h"

#include "crc32c_kernels.h"

#if defined(BLOOM_CRC32C_HAVE_ARM64) && defined(__linux__)
#include <sys/auxv.h>
#endif

#ifdef BLOOM_CRC32C_HAVE_SSE42
static bool sse42_supported(void) {
  __builtin_cpu_init();
  return __builtin_cpu_supports("sse4.2");
}
#endif

#ifdef BLOOM_CRC32C_HAVE_AVX512
static bool avx512_supported(void) {
  __builtin_cpu_init();
  /* Uncovered: a processor with only some of these features, which qemu cannot
  ** emulate. */
  return BLOOM_CRC32C_AVX512_FEATURES(__builtin_cpu_supports, &&);
}
#endif

#ifdef BLOOM_CRC32C_HAVE_ARM64
static bool arm64_supported(void) {
#ifdef __linux__
  return (getauxval(AT_HWCAP) & (1ul << 7)) != 0; /* HWCAP_CRC32 */
#else
  return true; /* every Apple processor */
#endif
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
    {"arm64", arm64_supported, bloom_crc32c_extend_arm64},
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
