/* An integer's decimal text, as printf's %lld writes it. */
#ifndef BLOOM_DECIMAL_H
#define BLOOM_DECIMAL_H

#include <stddef.h>
#include <stdint.h>

#include "coding.h"

#define BLOOM_ASCII_ZEROS 0x3030303030303030u

/* Multiplying by a reciprocal divides all lanes of a word at once. The quotient
** is exact for dividends up to 43698 (by 100) or 1028 (by 10), and each product
** stays within its lane. */
#define BLOOM_BY_100 10486 /* over 2^20 */
#define BLOOM_BY_10 103    /* over 2^10 */

/* The four decimal digits of n < 10^4 in ASCII, the first in the lowest
** byte. */
static inline uint32_t bloom_four_digits(uint32_t n) {
  const uint32_t hundreds = n * BLOOM_BY_100 >> 20;
  const uint32_t twos = hundreds | (n - 100 * hundreds) << 16;
  const uint32_t tens = twos * BLOOM_BY_10 >> 10 & 0x000f000fu;
  return (uint32_t)BLOOM_ASCII_ZEROS + (tens | (twos - 10 * tens) << 8);
}

/* The same for n < 10^8: eight digits. */
static inline uint64_t bloom_eight_digits(uint32_t n) {
  const uint64_t fours = n / 10000 | (uint64_t)(n % 10000) << 32;
  const uint64_t hundreds = fours * BLOOM_BY_100 >> 20 & 0x0000007f0000007fu;
  const uint64_t twos = hundreds | (fours - 100 * hundreds) << 16;
  const uint64_t tens = twos * BLOOM_BY_10 >> 10 & 0x000f000f000f000fu;
  return BLOOM_ASCII_ZEROS + (tens | (twos - 10 * tens) << 8);
}

/* Number of bits that the leading zeros of a number in ASCII digits take; at
** least one digit must not be zero. */
static inline unsigned bloom_zero_bits(uint64_t ascii) {
  const uint64_t digits = ascii ^ BLOOM_ASCII_ZEROS;
#ifdef __GNUC__
  return (unsigned)__builtin_ctzll(digits) & ~7u;
#else
  unsigned bits = 0;
  while ((digits >> bits & 0xff) == 0) bits += 8;
  return bits;
#endif
}

/*
** Writes the decimal text of n, at most 20 bytes, to text and returns its
** length; the rest of the 24 bytes is unspecified afterwards. The text is
** assembled in registers and stored as whole words, so that no later load of a
** part of it waits for two stores.
*/
static inline size_t bloom_decimal(int64_t n, uint8_t text[24]) {
  const uint64_t magnitude = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
  const uint64_t high = magnitude / 100000000;
  const uint64_t last = bloom_eight_digits((uint32_t)(magnitude % 100000000));
  uint64_t word0, word1 = 0, word2 = 0;
  size_t length;

  if (high >= 100000000) {
    /* At most 12 digits stand before the last 8. */
    const uint32_t top = (uint32_t)(high / 100000000);
    const uint64_t middle = bloom_eight_digits((uint32_t)(high % 100000000));
    const uint32_t first = bloom_four_digits(top);
    const unsigned skip = bloom_zero_bits(first);
    const unsigned kept = 32 - skip;
    word0 = first >> skip | middle << kept;
    word1 = middle >> (64 - kept) | last << kept;
    word2 = last >> (64 - kept);
    length = 16 + kept / 8;
  } else if (high > 0) {
    const uint64_t first = bloom_eight_digits((uint32_t)high);
    const unsigned skip = bloom_zero_bits(first);
    word0 = first >> skip | last << (56 - skip) << 8;
    word1 = last >> skip;
    length = 16 - skip / 8;
  } else {
    const unsigned skip = magnitude == 0 ? 56 : bloom_zero_bits(last);
    word0 = last >> skip;
    length = 8 - skip / 8;
  }
  if (n < 0) {
    word2 = word2 << 8 | word1 >> 56;
    word1 = word1 << 8 | word0 >> 56;
    word0 = word0 << 8 | '-';
    length++;
  }
  bloom_store_fixed64(text, word0);
  bloom_store_fixed64(text + 8, word1);
  bloom_store_fixed64(text + 16, word2);
  return length;
}

#endif
