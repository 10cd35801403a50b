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
** the stack for wide vectors (gcc bug 54412), and Darwin's kernel can give a
** thread wrong mask registers (golang/go issue 49233). */
#if (defined(__clang__) || __GNUC__ >= 8) && !defined(_WIN32) && \
    !defined(__APPLE__)
#define BLOOM_CRC32C_HAVE_AVX512 1
#endif
#endif

#if defined(__GNUC__) && defined(__aarch64__) && \
    __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && \
    (defined(__linux__) || defined(__APPLE__))
#define BLOOM_CRC32C_HAVE_ARM64 1
#endif

/* clang 14 made the crc32 instruction a target of its own. SSE4.2 includes it,
** except in `zig cc`, which turns off all that the oldest processor lacks. */
#if defined(__clang__) && __clang_major__ >= 14
#define BLOOM_CRC32C_SSE42 "sse4.2,crc32"
#else
#define BLOOM_CRC32C_SSE42 "sse4.2"
#endif

/* The processor features that the kernels for x86-64 use, each as
** entry(target, leaf, answer, bit), with a separator between them: its name in
** the target of a function, and how bloom_processor_has asks for it. The target
** and the check of the processor are both made from these lists. */
/* clang-format off */
#define BLOOM_CRC32C_SSE42_FEATURES(entry, separator)     \
  entry(BLOOM_CRC32C_SSE42, 1, BLOOM_CPUID_ECX, 20)
#define BLOOM_CRC32C_AVX512_FEATURES(entry, separator)    \
  BLOOM_CRC32C_SSE42_FEATURES(entry, separator)           \
  separator entry("pclmul", 1, BLOOM_CPUID_ECX, 1)        \
  separator entry("avx512f", 7, BLOOM_CPUID_EBX, 16)      \
  separator entry("avx512bw", 7, BLOOM_CPUID_EBX, 30)     \
  separator entry("avx512vl", 7, BLOOM_CPUID_EBX, 31)     \
  separator entry("vpclmulqdq", 7, BLOOM_CPUID_ECX, 10)
/* clang-format on */

/* The attribute of a function that uses the features of a list. */
#define BLOOM_CRC32C_TARGET(features) \
  __attribute__((target(features(BLOOM_CRC32C_TARGET_NAME, ","))))
#define BLOOM_CRC32C_TARGET_NAME(target, leaf, answer, bit) target

uint32_t bloom_crc32c_extend_portable(uint32_t crc, const void *data, size_t n);
uint32_t bloom_crc32c_extend_sse42(uint32_t crc, const void *data, size_t n);
uint32_t bloom_crc32c_extend_avx512(uint32_t crc, const void *data, size_t n);
uint32_t bloom_crc32c_extend_arm64(uint32_t crc, const void *data, size_t n);

#ifdef __cplusplus
}
#endif

#endif
