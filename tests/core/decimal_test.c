/* An integer's decimal text: every number of digits, both ends of the range and
** random integers, compared with printf and with one division for each
** digit. */
#include "core/decimal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/random.h"
#include "lib/tap.h"

#define DIGITS 19 /* of INT64_MAX */

/* The same text, one digit at a time. */
static size_t reference_decimal(int64_t n, char text[24]) {
  char reversed[24];
  size_t digits = 0, length = 0;
  int64_t rest = n;
  do {
    const int digit = (int)(rest % 10); /* negative if n is */
    reversed[digits++] = (char)('0' + (digit < 0 ? -digit : digit));
    rest /= 10;
  } while (rest != 0);
  if (n < 0) text[length++] = '-';
  while (digits > 0) text[length++] = reversed[--digits];
  return length;
}

/* Whether n's text is the reference's, at the end of the room for it. */
static bool same_text(int64_t n) {
  uint8_t room[1 + BLOOM_DECIMAL_SIZE + 1];
  char reference[24];
  memset(room, 0xa5, sizeof(room));
  const size_t expected = reference_decimal(n, reference);
  const size_t got = bloom_decimal(n, room + 1);
  const uint8_t *text = room + 1 + BLOOM_DECIMAL_SIZE - expected;
  return (got == expected && memcmp(text, reference, expected) == 0 &&
          text[-1] == 0xa5 && room[1 + BLOOM_DECIMAL_SIZE] == 0xa5) ||
         mismatch("%.*s became %.*s", (int)expected, reference, (int)expected,
                  (const char *)text);
}

static bool same_as_printf(int64_t n) {
  uint8_t text[BLOOM_DECIMAL_SIZE];
  char printed[24];
  const int length = snprintf(printed, sizeof(printed), "%" PRId64, n);
  return same_text(n) && bloom_decimal(n, text) == (size_t)length &&
         memcmp(text + BLOOM_DECIMAL_SIZE - length, printed, (size_t)length) ==
             0;
}

static void ends(void) {
  ok(same_as_printf(0), "0");
  ok(same_as_printf(INT64_MAX), "the largest");
  ok(same_as_printf(INT64_MIN) && same_as_printf(-INT64_MAX),
     "the smallest two");
}

static void near_powers_of_ten(void) {
  int64_t power = 1;
  for (int digits = 1; digits <= DIGITS; digits++) {
    bool same = true;
    for (int64_t n = power - 1; same && n <= power + 1; n++) {
      same = same_as_printf(n) && same_as_printf(-n);
    }
    ok(same, "10^%d, one less and one more, and their negatives", digits - 1);
    if (digits < DIGITS) power *= 10;
  }
}

/* 1, 12, 123, ... and 9, 90, 909, ...: digits are not exchanged, and zeros
** between digits stay. */
static void every_digit_count(void) {
  int64_t counting = 0, zeros = 0;
  bool same = true;
  for (int digits = 1; same && digits <= DIGITS - 1; digits++) {
    counting = 10 * counting + digits % 10;
    zeros = 10 * zeros + (digits % 2 == 1 ? 9 : 0);
    same = same_as_printf(counting) && same_as_printf(-counting) &&
           same_as_printf(zeros) && same_as_printf(-zeros);
  }
  ok(same, "1, 12, 123, ... and 9, 90, 909, ... of every length");
}

/* The digits are computed in groups of four: every value of each group. */
static void every_four_digits(void) {
  bool same = true;
  for (int64_t four = 0; same && four < 10000; four++) {
    same = same_as_printf(four) && same_as_printf(four * 10000) &&
           same_as_printf(four * 100000000) &&
           same_as_printf(four * 1000000000000) &&
           same_as_printf(four % 922 * 10000000000000000);
  }
  ok(same, "every four digits, with zeros after them");
}

static void every_magnitude(void) {
  bool same = true;
  for (int i = 0; same && i < 1000000; i++) {
    same = same_text((int64_t)random64() >> i % 64);
  }
  for (int i = 0; same && i < 100000; i++) {
    same = same_as_printf((int64_t)random64() >> i % 64);
  }
  ok(same, "random integers of every magnitude");
}

int main(void) {
  ends();
  near_powers_of_ten();
  every_digit_count();
  every_four_digits();
  every_magnitude();
  return tap_done();
}
