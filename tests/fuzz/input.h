/* The fuzzer's input, taken byte by byte; past its end it is zeros. */
#ifndef BLOOM_FUZZ_INPUT_H
#define BLOOM_FUZZ_INPUT_H

#include <stddef.h>
#include <stdint.h>

typedef struct input {
  const uint8_t *at;
  size_t left;
} input;

static inline uint8_t take_byte(input *in) {
  if (in->left == 0) return 0;
  in->left--;
  return *in->at++;
}

#endif
