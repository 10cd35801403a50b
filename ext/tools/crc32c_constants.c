/*
** Prints ext/core/crc32c_constants.h. `make constants` writes that file, and a
** test compares the two. All constants follow from the polynomial.
**
** A polynomial over GF(2) of degree under 32 is stored in reflected order, as
** in CRC-32C: bit 31 - i is the coefficient of x^i.
*/
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

#define POLYNOMIAL 0x82f63b78u /* Castagnoli's, reflected, without x^32 */

static uint32_t times_x(uint32_t a) {
  return a >> 1 ^ (a & 1 ? POLYNOMIAL : 0);
}

static uint32_t over_x(uint32_t a) {
  return a >> 31 ? (a ^ POLYNOMIAL) << 1 | 1 : a << 1;
}

/* x^n modulo the polynomial. */
static uint32_t x_to_the(int n) {
  uint32_t power = 0x80000000u;
  for (; n > 0; n--) power = times_x(power);
  for (; n < 0; n++) power = over_x(power);
  return power;
}

/* a * b modulo the polynomial. */
static uint32_t times(uint32_t a, uint32_t b) {
  uint32_t product = 0;
  for (int bit = 31; bit >= 0; bit--, b = times_x(b)) {
    if (a >> bit & 1) product ^= b;
  }
  return product;
}

/* 256 values, the i-th of them byte i times x^n. */
static void print_bytes(int n) {
  const uint32_t power = x_to_the(n);
  printf("{ /* x^%d */", n);
  for (uint32_t i = 0; i < 256; i++) {
    printf("%s0x%08" PRIx32 ",", i % 6 == 0 ? "\n    " : " ", times(i, power));
  }
  printf("}");
}

static void print_byte_tables(void) {
  printf("/* The state that byte i leaves: byte i times x^8. */\n");
  printf("static const uint32_t crc32c_byte[256] = ");
  print_bytes(8);
  printf(";\n\n/* Byte i of a word's byte j, 16 bytes further on. */\n");
  printf("static const uint32_t crc32c_stride[4][256] = {\n    ");
  for (int j = 0; j < 4; j++) {
    if (j > 0) printf(",\n    ");
    print_bytes(8 * (16 - j));
  }
  printf("};\n");
}

static void print_skip(const char *name, const char *table, int bytes) {
  const uint32_t power = x_to_the(8 * bytes);
  printf("\n#define CRC32C_%s_BLOCK %d\n", name, bytes);
  printf("static const uint32_t %s[8][16] = { /* x^%d */\n    ", table,
         8 * bytes);
  for (uint32_t nibble = 0; nibble < 8; nibble++) {
    printf("%s", nibble == 0 ? "{" : ",\n    {");
    for (uint32_t i = 0; i < 16; i++) {
      if (i > 0) printf(i % 6 == 0 ? ",\n     " : ", ");
      printf("0x%08" PRIx32, times(i << 4 * nibble, power));
    }
    printf("}");
  }
  printf("};\n");
}

/* Prints a power of x as 64 bits, in which bit 63 - i is the coefficient of
** x^i. The carry-less product of two such words, read as 128 bits, has a factor
** of x too many, so each power is one less than the distance. */
static void print_multiplier(int power, const char *separator) {
  printf("0x%08" PRIx32 "00000000%s /* x^%d */", x_to_the(power), separator,
         power);
}

/* Prints the multipliers that move the first and the last 64 of 128 bits past
** another `bits` bits. */
static void print_fold(int bits, const char *after) {
  printf("\n    ");
  print_multiplier(bits + 64 - 1, ",");
  printf("\n    ");
  print_multiplier(bits - 1, after);
}

static void print_folds(void) {
  printf(
      "/* Multipliers that move each 128-bit lane past 2048 or 512 bits, and"
      "\n** the first three of four lanes to the last. */\n");
  printf("static const uint64_t crc32c_fold_2048[2] = {");
  print_fold(2048, "};");
  printf("\nstatic const uint64_t crc32c_fold_512[2] = {");
  print_fold(512, "};");
  printf("\nstatic const uint64_t crc32c_fold_lanes[8] = {");
  print_fold(384, ",");
  print_fold(256, ",");
  print_fold(128, ",");
  printf("\n    0, 0}; /* the last lane stays where it is */\n");

  printf(
      "/* The multiplier that moves a state past n bytes, but for the 32 bits"
      "\n** that the crc instruction adds: x^(8 * n - 33). */\n");
  printf("static const uint64_t crc32c_past[65] = {");
  for (int n = 0; n <= 64; n++) {
    printf("\n    ");
    print_multiplier(8 * n - 33, n < 64 ? "," : "};");
  }
  printf("\n");
}

int main(void) {
  printf(
      "/* Printed by ext/tools/crc32c_constants.c. A comment beside a value or "
      "a table\n** is the power of x that it multiplies by. */\n");
  printf("/* clang-format off */\n");
  printf("#ifndef BLOOM_CRC32C_CONSTANTS_H\n");
  printf("#define BLOOM_CRC32C_CONSTANTS_H\n\n#include <stdint.h>\n\n");
  print_byte_tables();

  printf("\n#if defined(__x86_64__) || defined(__aarch64__)\n");
  printf("/* A state's nibble j of value i, past a block of zeros. */");
  print_skip("SHORT", "crc32c_skip_short", 128);
  print_skip("LONG", "crc32c_skip_long", 1344);
  printf("#endif\n");

  printf("\n#ifdef __x86_64__\n");
  print_folds();
  printf("#endif\n\n#endif\n");
  return 0;
}
