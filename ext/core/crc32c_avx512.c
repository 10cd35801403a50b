/*
** x86-64 with AVX-512 and carry-less multiplication of vectors (Ice Lake, 2019,
** Zen 4, 2022, and later).
**
** The message is a polynomial over GF(2), whose first bit is the coefficient of
** the highest power of x. Only its remainder matters. A vector can therefore be
** moved past D further bits by multiplying it by x^D modulo the CRC's
** polynomial ("folding"; Gopal and others, "Fast CRC Computation for Generic
** Polynomials Using PCLMULQDQ Instruction", Intel, 2009), and then added to the
** data at that place. The crc32 instruction computes the remainder of what is
** left.
*/
#include "crc32c_kernels.h"

#ifdef BLOOM_CRC32C_HAVE_AVX512

#include <immintrin.h>

#include "crc32c_constants.h"

#define TARGET BLOOM_CRC32C_TARGET(BLOOM_CRC32C_AVX512_FEATURES)

TARGET static inline __m512i each_lane(const uint64_t multipliers[2]) {
  return _mm512_broadcast_i32x4(_mm_loadu_si128((const void *)multipliers));
}

/* Moves a by the multipliers and adds b. */
TARGET static inline __m512i fold(__m512i a, __m512i multipliers, __m512i b) {
  const __m512i low = _mm512_clmulepi64_epi128(a, multipliers, 0x00);
  const __m512i high = _mm512_clmulepi64_epi128(a, multipliers, 0x11);
  return _mm512_ternarylogic_epi64(low, high, b, 0x96);
}

/* The remainder of 16 bytes. */
TARGET static inline uint32_t reduce128(__m128i a) {
  const uint64_t low = (uint64_t)_mm_cvtsi128_si64(a);
  const uint64_t high = (uint64_t)_mm_extract_epi64(a, 1);
  return (uint32_t)_mm_crc32_u64(_mm_crc32_u64(0, low), high);
}

/* Reduces 64 bytes to 16 with the same remainder: the first three lanes are
** moved to the last. */
TARGET static inline __m128i reduce512(__m512i a) {
  const __m512i lanes = fold(a, _mm512_loadu_si512(crc32c_fold_lanes),
                             _mm512_maskz_mov_epi64(0xc0, a));
  const __m256i half = _mm256_xor_si256(_mm512_castsi512_si256(lanes),
                                        _mm512_extracti64x4_epi64(lanes, 1));
  return _mm_xor_si128(_mm256_castsi256_si128(half),
                       _mm256_extracti128_si256(half, 1));
}

/* What a state adds to the last 16 of the n <= 64 bytes that follow it. This
** takes one product for any n. Adding the state to the first 4 bytes instead
** would need 4 bytes to exist. */
TARGET static inline __m128i state_past(uint32_t state, size_t n) {
  const __m128i multiplier = _mm_loadl_epi64((const void *)(crc32c_past + n));
  const __m128i high = _mm_cvtsi64_si128((long long)((uint64_t)state << 32));
  return _mm_clmulepi64_si128(high, multiplier, 0x00);
}

/* From this length on, a message that does not end at the end of a cache line
** is processed up to the last such end, and then its remaining bytes. Beyond
** the first-level cache, loads that cross lines take a fourth more time
** (tests/bench/README.md). */
#define WHOLE_LINES_MIN 32768

__attribute__((noinline, cold)) static uint32_t extend_by_lines(
    uint32_t crc, const uint8_t *data, size_t n) {
  const size_t over = ((uintptr_t)data + n) % 64;
  crc = bloom_crc32c_extend_avx512(crc, data, n - over);
  return bloom_crc32c_extend_avx512(crc, data + (n - over), over);
}

TARGET uint32_t bloom_crc32c_extend_avx512(uint32_t crc, const void *data,
                                           size_t n) {
  const uint32_t state = ~crc;
  const uintptr_t start = (uintptr_t)data;

  /* Zeros in front of a message do not change its remainder, so the bytes in
  ** excess of a multiple of 64 are put at the end of a first vector. The mask
  ** keeps the load from touching the memory in front of them. */
  if (n <= 16) {
    const __mmask16 mask = (__mmask16)(0xffffu << (16 - n));
    const __m128i message =
        _mm_maskz_loadu_epi8(mask, (const void *)(start + n - 16));
    return ~reduce128(_mm_xor_si128(message, state_past(state, n)));
  }
  const size_t head = (n - 1) % 64 + 1;
  __m512i a = _mm512_maskz_loadu_epi8(~0ull << (64 - head),
                                      (const void *)(start + head - 64));
  const __m128i past = state_past(state, head);
  if (n <= 64) return ~reduce128(_mm_xor_si128(reduce512(a), past));

  const __m512i by512 = each_lane(crc32c_fold_512);
  const __m512i past512 = _mm512_inserti32x4(_mm512_setzero_si512(), past, 0);
  a = _mm512_xor_si512(a, _mm512_alignr_epi64(past512, past512, 2));
  const uint8_t *next = (const uint8_t *)data + head;
  n -= head;
  for (; n % 256 != 0; next += 64, n -= 64) {
    a = fold(a, by512, _mm512_loadu_si512(next));
  }
  if (n > 0) {
    if (n >= WHOLE_LINES_MIN && (uintptr_t)next % 64 != 0) {
      return extend_by_lines(crc, data, (size_t)((uintptr_t)next - start) + n);
    }
    const __m512i by2048 = each_lane(crc32c_fold_2048);
    a = fold(a, by512, _mm512_loadu_si512(next));
    __m512i b = _mm512_loadu_si512(next + 64);
    __m512i c = _mm512_loadu_si512(next + 128);
    __m512i d = _mm512_loadu_si512(next + 192);
    for (next += 256, n -= 256; n > 0; next += 256, n -= 256) {
      a = fold(a, by2048, _mm512_loadu_si512(next));
      b = fold(b, by2048, _mm512_loadu_si512(next + 64));
      c = fold(c, by2048, _mm512_loadu_si512(next + 128));
      d = fold(d, by2048, _mm512_loadu_si512(next + 192));
    }
    a = fold(fold(fold(a, by512, b), by512, c), by512, d);
  }
  return ~reduce128(reduce512(a));
}

#endif
