/* x86-64 with SSE4.2 (Nehalem, 2008, and later). */
#include "crc32c_kernels.h"

#ifdef BLOOM_CRC32C_HAVE_SSE42

#include <nmmintrin.h>

#define CRC32C_EXTEND bloom_crc32c_extend_sse42
#define CRC32C_TARGET __attribute__((target("sse4.2")))

CRC32C_TARGET static inline uint32_t step1(uint32_t state, uint8_t byte) {
  return _mm_crc32_u8(state, byte);
}

CRC32C_TARGET static inline uint32_t step8(uint32_t state, uint64_t bytes) {
  return (uint32_t)_mm_crc32_u64(state, bytes);
}

#include "crc32c_streams.h"

#endif
