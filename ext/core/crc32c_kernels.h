/* The kernels, which are implementations of bloom_crc32c_extend: one in each
** crc32c_*.c, with the platforms on which it is built. All give the same
** result. */
#ifndef BLOOM_CRC32C_KERNELS_H
#define BLOOM_CRC32C_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__) && defined(__x86_64__)
#define BLOOM_CRC32C_HAVE_SSE42 1
/* gcc knows the instructions from version 8 on. gcc for Windows does not align
** the stack for wide vectors (gcc bug 54412). */
#if (defined(__clang__) || __GNUC__ >= 8) && !defined(_WIN32)
#define BLOOM_CRC32C_HAVE_AVX512 1
#endif
#endif

#if defined(__GNUC__) && defined(__aarch64__) && \
    __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && \
    (defined(__linux__) || defined(__APPLE__))
#define BLOOM_CRC32C_HAVE_ARM64 1
#endif

/* The processor features that the AVX-512 kernel uses, each as of(feature),
** with `joined` between them. The compiler's target and the check of the
** processor are both made from this list. */
#define BLOOM_CRC32C_AVX512_FEATURES(of, joined)                              \
  of("sse4.2") joined of("pclmul") joined of("avx512f") joined of("avx512bw") \
      joined of("avx512vl") joined of("vpclmulqdq")

uint32_t bloom_crc32c_extend_portable(uint32_t crc, const void *data, size_t n);
uint32_t bloom_crc32c_extend_sse42(uint32_t crc, const void *data, size_t n);
uint32_t bloom_crc32c_extend_avx512(uint32_t crc, const void *data, size_t n);
uint32_t bloom_crc32c_extend_arm64(uint32_t crc, const void *data, size_t n);

#ifdef __cplusplus
}
#endif

#endif
