/* Random numbers for tests, the same in every run (SplitMix64: Steele, Lea and
** Flood, 2014). */
#ifndef BLOOM_RANDOM_H
#define BLOOM_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* The next number of a sequence. *state is first the seed and then the position
** in the sequence. */
static inline uint64_t random_next(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

static uint64_t random_state;

static inline uint64_t random64(void) {
  return random_next(&random_state);
}

static inline uint32_t random32(void) {
  return (uint32_t)random64();
}

/* Returns a random number from 0 to n - 1. */
static inline size_t random_below(size_t n) {
  return (size_t)(random64() % n);
}

static inline int one_in(size_t n) {
  return random_below(n) == 0;
}

static inline void random_fill(void *to, size_t n) {
  uint8_t *bytes = to;
  for (size_t i = 0; i < n; i++) bytes[i] = (uint8_t)random64();
}

#endif
