/*
** The kernel for a processor with an instruction for the crc of 8 bytes. The
** instruction takes several cycles, but another one can begin every cycle, so
** three adjacent blocks are computed at the same time and then joined. Joining
** costs 16 lookups. Long blocks make joins rare, and short ones serve messages
** of a few hundred bytes.
**
** The includer defines
**   CRC32C_EXTEND   the function's name
**   CRC32C_TARGET   its attributes
**   crc_state       the type in which the instruction takes and leaves a state
**   step1, step8    the state after 1 or 8 more bytes
*/
#include "coding.h"
#include "crc32c_constants.h"

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

#undef CRC32C_EXTEND
#undef CRC32C_TARGET
