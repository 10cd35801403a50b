/* An integer's decimal text, compared with printf's: both ends of the range,
** every number of digits, and random integers. */
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
  every_magnitude();
  return tap_done();
}
