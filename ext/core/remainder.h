/*
** The remainder of a 32-bit hash by two multiplications, for a modulus from 1
** to 2^32 that many hashes have: the low 64 bits of hash * ceil(2^64 / modulus)
** are the quotient's fraction, and the fraction times the modulus is the
** remainder.
** Source: Lemire, Kaser and Kurz, "Faster Remainder by Direct Computation",
** 2019.
*/
#ifndef BLOOM_REMAINDER_H
#define BLOOM_REMAINDER_H

#include <stdint.h>

/* ceil(2^64 / modulus), modulo 2^64. */
static inline uint64_t bloom_reciprocal(uint64_t modulus) {
  return UINT64_MAX / modulus + 1;
}

/* hash % modulus, given the modulus and its reciprocal. */
static inline uint32_t bloom_remainder(uint32_t hash, uint64_t modulus,
                                       uint64_t reciprocal) {
  const uint64_t fraction = reciprocal * hash;
#ifdef __SIZEOF_INT128__
  __extension__ typedef unsigned __int128 uint128;
  return (uint32_t)(((uint128)fraction * modulus) >> 64);
#else
  const uint64_t low = (fraction & 0xffffffffu) * modulus;
  const uint64_t high = (fraction >> 32) * modulus;
  return (uint32_t)((high + (low >> 32)) >> 32);
#endif
}

#endif
