/*
** Portable C. Four independent states each process every fourth word of the
** data, so that no table lookup waits for the one before it.
*/
#include "coding.h"
#include "crc32c_constants.h"
#include "crc32c_kernels.h"

static inline uint32_t step_byte(uint32_t state, uint8_t byte) {
  return state >> 8 ^ crc32c_byte[(state ^ byte) & 0xff];
}

static inline uint32_t step_word(uint32_t state) {
  for (int i = 0; i < 4; i++) state = step_byte(state, 0);
  return state;
}

/* Moves a state 16 bytes forward and adds the word found there. */
static inline uint32_t step_stride(uint32_t state, const uint8_t *word) {
  return crc32c_stride[0][state & 0xff] ^ crc32c_stride[1][state >> 8 & 0xff] ^
         crc32c_stride[2][state >> 16 & 0xff] ^ crc32c_stride[3][state >> 24] ^
         bloom_load_fixed32(word);
}

uint32_t bloom_crc32c_extend_portable(uint32_t crc, const void *data,
                                      size_t n) {
  const uint8_t *bytes = data;
  uint32_t state = ~crc;
  if (n >= 32) {
    uint32_t word0 = state ^ bloom_load_fixed32(bytes);
    uint32_t word1 = bloom_load_fixed32(bytes + 4);
    uint32_t word2 = bloom_load_fixed32(bytes + 8);
    uint32_t word3 = bloom_load_fixed32(bytes + 12);
    for (bytes += 16, n -= 16; n >= 16; bytes += 16, n -= 16) {
      word0 = step_stride(word0, bytes);
      word1 = step_stride(word1, bytes + 4);
      word2 = step_stride(word2, bytes + 8);
      word3 = step_stride(word3, bytes + 12);
    }
    state = step_word(word0);
    state = step_word(state ^ word1);
    state = step_word(state ^ word2);
    state = step_word(state ^ word3);
  }
  for (; n > 0; bytes++, n--) state = step_byte(state, *bytes);
  return ~state;
}
