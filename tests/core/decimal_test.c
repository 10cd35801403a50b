/* An integer's decimal text: every number of digits, both ends of the range and
** random integers, compared with printf. */
#include "core/decimal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/random.h"
#include "lib/tap.h"

#define DIGITS 19 /* of INT64_MAX */

/* Whether n's text is printf's, at the end of the room for it. */
static bool same_text(int64_t n) {
  uint8_t room[1 + BLOOM_DECIMAL_SIZE + 1];
  char printed[24];
  const int length = snprintf(printed, sizeof(printed), "%" PRId64, n);
  memset(room, 0xa5, sizeof(room));
  const size_t got = bloom_decimal(n, room + 1);
  const uint8_t *text = room + 1 + BLOOM_DECIMAL_SIZE - length;
  return (got == (size_t)length && memcmp(text, printed, got) == 0 &&
          text[-1] == 0xa5 && room[1 + BLOOM_DECIMAL_SIZE] == 0xa5) ||
         mismatch("%s became %.*s", printed, length, (const char *)text);
}

static void ends(void) {
  ok(same_text(0), "0");
  ok(same_text(INT64_MAX), "the largest");
  ok(same_text(INT64_MIN) && same_text(-INT64_MAX), "the smallest two");
}

static void near_powers_of_ten(void) {
  int64_t power = 1;
  for (int digits = 1; digits <= DIGITS; digits++) {
    bool same = true;
    for (int64_t n = power - 1; same && n <= power + 1; n++) {
      same = same_text(n) && same_text(-n);
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
    same = same_text(counting) && same_text(-counting) && same_text(zeros) &&
           same_text(-zeros);
  }
  ok(same, "1, 12, 123, ... and 9, 90, 909, ... of every length");
}

/* The digits are computed in groups of four: every value of each group. */
static void every_four_digits(void) {
  bool same = true;
  for (int64_t four = 0; same && four < 10000; four++) {
    same = same_text(four) && same_text(four * 10000) &&
           same_text(four * 100000000) && same_text(four * 1000000000000) &&
           same_text(four % 922 * 10000000000000000);
  }
  ok(same, "every four digits, with zeros after them");
}

static void every_magnitude(void) {
  bool same = true;
  for (int i = 0; same && i < 1000000; i++) {
    same = same_text((int64_t)random64() >> i % 64);
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
