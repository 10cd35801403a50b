/* x86-64 with SSE4.2 (Nehalem, 2008, and later). */
#include "crc32c_kernels.h"

#ifdef BLOOM_CRC32C_HAVE_SSE42

#include <nmmintrin.h>

#define CRC32C_EXTEND bloom_crc32c_extend_sse42
#define CRC32C_TARGET BLOOM_CRC32C_TARGET(BLOOM_CRC32C_SSE42_FEATURES)

/* The crc32 instruction leaves a result of 64 bits when it takes 8 bytes.
** Narrowing it in each step would make the dependency chain a third longer. */
typedef uint64_t crc_state;

CRC32C_TARGET static inline crc_state step1(crc_state state, uint8_t byte) {
  return _mm_crc32_u8((uint32_t)state, byte);
}

CRC32C_TARGET static inline crc_state step8(crc_state state, uint64_t bytes) {
  return _mm_crc32_u64(state, bytes);
}

#include "crc32c_streams.h"

#endif
