#include "key.h"

#include <stdint.h>

#include "core/coding.h"

SQLITE_EXTENSION_INIT3

/*
** The eight decimal digits of n < 10^8, the first one in the lowest byte. All
** lanes of a 64-bit word are divided at once: by 100, then by 10, each as a
** multiplication whose product stays within its lane.
*/
static uint64_t eight_digits(uint32_t n) {
  const uint64_t fours = n / 10000 | (uint64_t)(n % 10000) << 32;
  const uint64_t hundreds = (fours * 10486 >> 20) & 0x0000007f0000007fu;
  const uint64_t twos = hundreds | (fours - 100 * hundreds) << 16;
  const uint64_t tens = (twos * 103 >> 10) & 0x000f000f000f000fu;
  return tens | (twos - 10 * tens) << 8;
}

/* Number of leading zeros of eight digits, not all of which are zero. */
static unsigned leading_zeros(uint64_t digits) {
#ifdef __GNUC__
  return (unsigned)__builtin_ctzll(digits) / 8;
#else
  unsigned zeros = 0;
  while ((digits & 0xff) == 0) {
    digits >>= 8;
    zeros++;
  }
  return zeros;
#endif
}

/* The bytes of a word that stand before those of the next one after it has been
** moved down by `zeros` bytes, 0..7. */
static uint64_t carried(uint64_t next, unsigned zeros) {
  return next << (56 - 8 * zeros) << 8;
}

/*
** Writes the decimal text of n, at most 20 bytes, to text and returns its
** length. The text is put together in registers and stored as whole words, so
** that a reader of any aligned part of it never waits for two stores.
*/
static size_t format_integer(sqlite3_int64 n, unsigned char text[24]) {
  const uint64_t ascii = 0x3030303030303030u;
  const uint64_t magnitude = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
  uint64_t word0, word1 = 0, word2 = 0;
  size_t length;

  if (magnitude < 100000000) {
    const uint64_t last = eight_digits((uint32_t)magnitude);
    const unsigned zeros = magnitude == 0 ? 7 : leading_zeros(last);
    word0 = (last | ascii) >> 8 * zeros;
    length = 8 - zeros;
  } else {
    const uint64_t high = magnitude / 100000000;
    const uint64_t last = eight_digits((uint32_t)(magnitude % 100000000));
    if (high < 100000000) {
      const uint64_t first = eight_digits((uint32_t)high);
      const unsigned zeros = leading_zeros(first);
      word0 = (first | ascii) >> 8 * zeros | carried(last | ascii, zeros);
      word1 = (last | ascii) >> 8 * zeros;
      length = 16 - zeros;
    } else {
      const uint64_t first = eight_digits((uint32_t)(high / 100000000));
      const uint64_t middle = eight_digits((uint32_t)(high % 100000000));
      const unsigned zeros = leading_zeros(first);
      word0 = (first | ascii) >> 8 * zeros | carried(middle | ascii, zeros);
      word1 = (middle | ascii) >> 8 * zeros | carried(last | ascii, zeros);
      word2 = (last | ascii) >> 8 * zeros;
      length = 24 - zeros;
    }
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

static size_t format_real(double real, unsigned char number[24]) {
  sqlite3_int64 integer;
  if (bloom_real_is_integer(real, &integer))
    return format_integer(integer, number);
  uint64_t bits;
  memcpy(&bits, &real, sizeof(bits));
  bloom_store_fixed64(number, bits);
  return sizeof(bits);
}

value_status bloom_read_key(sqlite3_value *value, sql_key *key) {
  byte_span *bytes = &key->bytes;
  switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER:
      bytes->data = key->number;
      bytes->size = format_integer(sqlite3_value_int64(value), key->number);
      return VALUE_READ;
    case SQLITE_FLOAT:
      bytes->data = key->number;
      bytes->size = format_real(sqlite3_value_double(value), key->number);
      return VALUE_READ;
    case SQLITE_TEXT:
      bytes->data = sqlite3_value_text(value);
      bytes->size = (size_t)sqlite3_value_bytes(value);
      return bytes->data == NULL ? VALUE_NO_MEMORY : VALUE_READ;
    case SQLITE_BLOB:
      return bloom_read_blob(value, bytes);
    default:
      return VALUE_NULL;
  }
}
