/* 64-bit ARM with the crc32 extension (ARMv8.1 and most of ARMv8.0). */
#include "crc32c_kernels.h"

#ifdef BLOOM_CRC32C_HAVE_ARM64

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

#include "crc32c_streams.h"

#endif
