/* An integer's decimal text, as printf's %lld writes it. */
#ifndef BLOOM_DECIMAL_H
#define BLOOM_DECIMAL_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The longest text, that of INT64_MIN, has 20 bytes. */
#define BLOOM_DECIMAL_SIZE 24

/* Writes the decimal text of n to the end of text, from the last digit to the
** first, and returns its length. A division is slower than anything else here,
** so each one serves two digits, or four while there are at least five. */
static inline size_t bloom_decimal(int64_t n,
                                   uint8_t text[BLOOM_DECIMAL_SIZE]) {
  static const char two_digits[] =
      "0001020304050607080910111213141516171819"
      "2021222324252627282930313233343536373839"
      "4041424344454647484950515253545556575859"
      "6061626364656667686970717273747576777879"
      "8081828384858687888990919293949596979899";
  uint64_t rest = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
  uint8_t *const end = text + BLOOM_DECIMAL_SIZE;
  uint8_t *first = end;
  for (; rest >= 10000; rest /= 10000) {
    const uint32_t four = (uint32_t)(rest % 10000);
    first -= 4;
    memcpy(first, two_digits + 2 * (four / 100), 2);
    memcpy(first + 2, two_digits + 2 * (four % 100), 2);
  }
  for (; rest >= 10; rest /= 100) {
    first -= 2;
    memcpy(first, two_digits + 2 * (rest % 100), 2);
  }
  if (rest > 0 || n == 0) *--first = (uint8_t)('0' + rest);
  if (n < 0) *--first = '-';
  return (size_t)(end - first);
}

#endif
