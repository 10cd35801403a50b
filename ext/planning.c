/*
** The functions that size a filter:
**
**  (1)  bloom_false_positive_rate(bits_per_key [, keys]) is the rate of a
**       filter of some 1,000 keys, by the usual formula.
**  (2)  If keys is given, the rate is measured: see core/rate.h.
**  (3)  bloom_bits_per_key(false_positive_rate [, keys]) is the fewest bits
**       whose rate (1, 2) is at most that rate. If none is, an error says how
**       low it can get.
**  (4)  bits_per_key is 1..100, and the rate is greater than 0 and less than 1.
**  (5)  Measuring takes at most 8 MiB of memory, and can be interrupted after
**       each number of bits that is measured.
*/
#include <stdint.h>

#include "core/rate.h"
#include "families.h"
#include "size.h"

/* The value of keys if the argument is left out, which stands for a filter of
** few keys. */
#define KEYS_LEFT_OUT (-1)

/* Reads the optional second argument. */
static bool keys_argument(sqlite3_context *context, int argc,
                          sqlite3_value **argv, sqlite3_int64 *keys) {
  *keys = KEYS_LEFT_OUT;
  return argc < 2 || sql_integer_argument(context, "keys", 0, INT64_MAX,
                                          "a number of keys", argv[1], keys);
}

/* The rate that a formula gives, which is never above the measured one. */
static double formula_rate(int bits_per_key, sqlite3_int64 keys) {
  return keys == KEYS_LEFT_OUT
             ? bloom_independent_rate(bits_per_key)
             : bloom_lowest_rate(bits_per_key, (uint64_t)keys);
}

/* Requirements 1 and 2. Sets *found to the rate, or if that is greater than
** `enough`, to a number between `enough` and the rate. On failure it makes an
** error the result and returns false. */
static bool filter_rate(sqlite3_context *context, int bits_per_key,
                        sqlite3_int64 keys, double enough, double *found) {
  if (keys == KEYS_LEFT_OUT) {
    *found = bloom_independent_rate(bits_per_key);
    return true;
  }
  void *memory =
      sql_allocate(context, bloom_rate_memory(bits_per_key, (uint64_t)keys));
  if (memory == NULL) return false;
  *found = bloom_random_rate(bits_per_key, (uint64_t)keys, enough, memory);
  sqlite3_free(memory);
  return !sql_interrupted(context);
}

static void rate_function(sqlite3_context *context, int argc,
                          sqlite3_value **argv) {
  sqlite3_int64 bits_per_key = 0, keys;
  double rate;
  if (sql_any_null(argc, argv)) return;
  if (sql_bits_per_key_argument(context, argv[0], &bits_per_key) &&
      keys_argument(context, argc, argv, &keys) &&
      filter_rate(context, (int)bits_per_key, keys, 1, &rate)) {
    sqlite3_result_double(context, rate);
  }
}

/* Fewer keys than this would fill at most two parts, so the error does not
** suggest parts for them. */
#define FEW_KEYS 2000

/* Makes the result an error: no bits_per_key reaches the rate. */
static void no_bits_error(sqlite3_context *context, double rate,
                          sqlite3_int64 keys, double lowest) {
  if (keys == KEYS_LEFT_OUT) {
    sql_error(context, SQLITE_ERROR,
              "no bits_per_key up to %d reaches a "
              "false_positive_rate of %.6g: the lowest is %.6g",
              MAX_BITS_PER_KEY, rate, lowest);
  } else {
    sql_error(context, SQLITE_ERROR,
              "no bits_per_key up to %d reaches a false_positive_rate of %.6g "
              "for %lld keys: the lowest is about %.3g, since LevelDB's hash "
              "has 32 bits%s",
              MAX_BITS_PER_KEY, rate, keys, lowest,
              keys < FEW_KEYS ? "" : "; keep the keys in parts (bloom_part)");
  }
}

/* Requirement 3. A number of bits is measured only if the formula reaches the
** rate for it, so that for most rates only one or two numbers are measured. */
static void find_bits(sqlite3_context *context, double rate,
                      sqlite3_int64 keys) {
  int best = 1; /* by the formula */
  double found;
  for (int bits = 1; bits <= MAX_BITS_PER_KEY; bits++) {
    const double lowest = formula_rate(bits, keys);
    if (lowest <= formula_rate(best, keys)) best = bits;
    if (lowest > rate) continue;
    if (!filter_rate(context, bits, keys, rate, &found)) return;
    if (found <= rate) {
      sqlite3_result_int(context, bits);
      return;
    }
  }
  if (filter_rate(context, best, keys, 1, &found)) {
    no_bits_error(context, rate, keys, found);
  }
}

static void bits_function(sqlite3_context *context, int argc,
                          sqlite3_value **argv) {
  sqlite3_int64 keys;
  if (sql_any_null(argc, argv)) return;
  const int type = sqlite3_value_numeric_type(argv[0]);
  const double rate = sqlite3_value_double(argv[0]);
  if ((type != SQLITE_INTEGER && type != SQLITE_FLOAT) ||
      !(rate > 0 && rate < 1)) {
    sql_argument_error(context, "false_positive_rate",
                       "a number greater than 0 and less than 1 (0.01 is 1 %)",
                       argv[0], NULL);
  } else if (keys_argument(context, argc, argv, &keys)) {
    find_bits(context, rate, keys);
  }
}

const sql_function sql_planning_functions[] = {
    {"bloom_false_positive_rate", 1, 2, .scalar = rate_function},
    {"bloom_bits_per_key", 1, 2, .scalar = bits_function},
    {.name = NULL},
};
