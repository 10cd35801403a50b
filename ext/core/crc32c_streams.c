/*
** Processors with an instruction for the crc of 8 bytes: x86-64 with SSE4.2
** (Nehalem, 2008, and later), and 64-bit ARM with the crc32 extension (ARMv8.1
** and most of ARMv8.0).
**
** The instruction takes several cycles, but another one can begin every cycle,
** so three adjacent blocks are computed at the same time and then joined.
** Joining costs 16 lookups. Long blocks make joins rare, and short ones serve
** messages of a few hundred bytes.
*/
#include "crc32c_kernels.h"

#if defined(BLOOM_CRC32C_HAVE_SSE42) || defined(BLOOM_CRC32C_HAVE_ARM64)

#include "coding.h"
#include "crc32c_constants.h"

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

#else

#define CRC32C_EXTEND bloom_crc32c_extend_arm64
#ifdef __clang__
#define CRC32C_TARGET __attribute__((target("crc")))
#else
#define CRC32C_TARGET __attribute__((target("+crc")))
#endif

typedef uint32_t crc_state;

/* <arm_acle.h> is not used, since older compilers hide its functions unless
** -march enables them. */
CRC32C_TARGET static inline crc_state step1(crc_state state, uint8_t byte) {
  __asm__("crc32cb %w0, %w0, %w1" : "+r"(state) : "r"(byte));
  return state;
}

CRC32C_TARGET static inline crc_state step8(crc_state state, uint64_t bytes) {
  __asm__("crc32cx %w0, %w0, %x1" : "+r"(state) : "r"(bytes));
  return state;
}

#endif

/* The state after as many zero bytes as the table skips. */
static inline crc_state skip_block(const uint32_t table[8][16],
                                   crc_state state) {
  crc_state skipped = 0;
  for (int i = 0; i < 8; i++) skipped ^= table[i][state >> 4 * i & 15];
  return skipped;
}

/* The state after three blocks of `block` bytes, a multiple of 8. */
CRC32C_TARGET static inline crc_state step_blocks(crc_state state,
                                                  const uint8_t *bytes,
                                                  size_t block,
                                                  const uint32_t skip[8][16]) {
  crc_state second = 0;
  crc_state third = 0;
  for (const uint8_t *end = bytes + block; bytes < end; bytes += 8) {
    state = step8(state, bloom_load_fixed64(bytes));
    second = step8(second, bloom_load_fixed64(bytes + block));
    third = step8(third, bloom_load_fixed64(bytes + 2 * block));
  }
  second ^= skip_block(skip, state);
  return third ^ skip_block(skip, second);
}

CRC32C_TARGET uint32_t CRC32C_EXTEND(uint32_t crc, const void *data, size_t n) {
  const uint8_t *bytes = data;
  crc_state state = (uint32_t)~crc;
  while (n >= 3 * CRC32C_LONG_BLOCK) {
    state = step_blocks(state, bytes, CRC32C_LONG_BLOCK, crc32c_skip_long);
    bytes += 3 * CRC32C_LONG_BLOCK;
    n -= 3 * CRC32C_LONG_BLOCK;
  }
  while (n >= 3 * CRC32C_SHORT_BLOCK) {
    state = step_blocks(state, bytes, CRC32C_SHORT_BLOCK, crc32c_skip_short);
    bytes += 3 * CRC32C_SHORT_BLOCK;
    n -= 3 * CRC32C_SHORT_BLOCK;
  }
  for (; n >= 8; bytes += 8, n -= 8)
    state = step8(state, bloom_load_fixed64(bytes));
  for (; n > 0; bytes++, n--) state = step1(state, *bytes);
  return ~(uint32_t)state;
}

#endif
