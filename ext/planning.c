/*
** The functions that size a filter:
**
**  (1)  bloom_false_positive_rate(bits_per_key [, keys]) is the share of absent
**       keys that a filter lets through. With keys it includes that of the
**       32-bit hash, which no number of bits lowers.
**  (2)  bloom_bits_per_key(false_positive_rate [, keys]) is the smallest
**       bits_per_key whose rate (1) is at most that rate; where there is none,
**       an error gives the lowest rate there is.
**  (3)  bits_per_key is an integer 1..100, keys an integer, 0 or more, and the
**       rate a number between 0 and 1. NULL is NULL.
*/
#include <math.h>
#include <stdint.h>

#include "core/bloom.h"
#include "families.h"

/*
** The rate of k probes into n * b bits, and that of sharing one of 2^32 hashes
** with one of n keys: p = (1 - e^(-k/b))^k and q = 1 - e^(-n/2^32), together
** p + q - pq. expm1 keeps the digits where a probability is small.
*/
static double false_positive_rate(int bits_per_key, sqlite3_int64 keys) {
  const int probes = bloom_probes_for(bits_per_key);
  const double fill = -expm1(-(double)probes / bits_per_key);
  double p = 1;
  for (int i = 0; i < probes; i++) p *= fill; /* pow() asks for a newer libc */
  const double q = -expm1(-(double)keys / 4294967296.0);
  return p + q - p * q;
}

/* Reads the optional second argument, 0 where it is left out. */
static bool keys_argument(sqlite3_context *context, int argc,
                          sqlite3_value **argv, sqlite3_int64 *keys) {
  *keys = 0;
  return argc < 2 ||
         sql_integer_argument(context, "keys",
                              "an integer, 0 or more (a number of keys)", 0,
                              INT64_MAX, argv[1], keys);
}

static void rate_function(sqlite3_context *context, int argc,
                          sqlite3_value **argv) {
  sqlite3_int64 bits_per_key, keys;
  if (sql_any_null(argc, argv)) return;
  if (sql_bits_per_key_argument(context, argv[0], &bits_per_key) &&
      keys_argument(context, argc, argv, &keys)) {
    sqlite3_result_double(context,
                          false_positive_rate((int)bits_per_key, keys));
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
                       "a number greater than 0 and less than 1", argv[0]);
    return;
  }
  if (!keys_argument(context, argc, argv, &keys)) return;
  for (int bits = 1; bits <= MAX_BITS_PER_KEY; bits++) {
    if (false_positive_rate(bits, keys) <= rate) {
      sqlite3_result_int(context, bits);
      return;
    }
  }
  const double lowest = false_positive_rate(MAX_BITS_PER_KEY, keys);
  if (keys == 0) {
    sql_error(context,
              "no bits_per_key up to %d reaches a "
              "false_positive_rate of %.6g: the lowest is %.6g",
              MAX_BITS_PER_KEY, rate, lowest);
  } else {
    sql_error(
        context,
        "no bits_per_key up to %d reaches a false_positive_rate of %.6g for "
        "%lld keys: the lowest is %.6g, since LevelDB's hash has 32 bits; "
        "keep the keys in parts (bloom_part)",
        MAX_BITS_PER_KEY, rate, keys, lowest);
  }
}

const sql_function sql_planning_functions[] = {
    {.name = "bloom_false_positive_rate",
     .min_arguments = 1,
     .max_arguments = 2,
     .scalar = rate_function},
    {.name = "bloom_bits_per_key",
     .min_arguments = 1,
     .max_arguments = 2,
     .scalar = bits_function},
    {.name = NULL},
};
