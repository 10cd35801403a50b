/*
** Prints ext/core/crc32c_constants.h, which `make constants` writes and a test
** compares. Everything follows from the polynomial.
**
** A polynomial over GF(2) of degree under 32 is held reflected, as CRC-32C
** holds it: bit 31 - i is the coefficient of x^i.
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

/* The state after byte i at state 0 and `zeros` zero bytes, that is, byte i
** times x^(8 * (zeros + 1)). */
static void print_bytes(int zeros) {
  const uint32_t power = x_to_the(8 * (zeros + 1));
  for (uint32_t i = 0; i < 256; i++) {
    printf("%s0x%08" PRIx32 ",", i % 6 == 0 ? "\n    " : " ", times(i, power));
  }
}

static void print_skip(const char *name, int bytes) {
  const uint32_t power = x_to_the(8 * bytes);
  printf("\n#define CRC32C_%s_BLOCK %d\n", name, bytes);
  printf("static const uint32_t crc32c_skip_%s[8][16] = {",
         bytes < 1000 ? "short" : "long");
  for (uint32_t nibble = 0; nibble < 8; nibble++) {
    printf("%s", nibble == 0 ? "{" : ",\n    {");
    for (uint32_t i = 0; i < 16; i++) {
      printf("%s0x%08" PRIx32 "%s", i > 0 && i % 6 == 0 ? "\n     " : "",
             times(i << 4 * nibble, power), i == 15 ? "}" : ", ");
    }
  }
  printf("};\n");
}

/* The multipliers that move the first and the last 64 of 128 bits past `bits`
** more: x^(bits + 63) and x^(bits - 1), in the upper half of 64 bits, since a
** carry-less product of reflected operands is x times too large. */
static void print_fold(int bits) {
  printf("0x%08" PRIx32 "00000000, 0x%08" PRIx32 "00000000",
         x_to_the(bits + 64 - 1), x_to_the(bits - 1));
}

int main(void) {
  printf("/* Printed by ext/tools/crc32c_constants.c. */\n");
  printf("/* clang-format off */\n");
  printf("#ifndef BLOOM_CRC32C_CONSTANTS_H\n");
  printf("#define BLOOM_CRC32C_CONSTANTS_H\n\n#include <stdint.h>\n\n");

  printf("/* The state that byte i leaves. */\n");
  printf("static const uint32_t crc32c_byte[256] = {");
  print_bytes(0);
  printf("};\n\n/* Byte i of a word's byte j, 16 bytes further on. */\n");
  printf("static const uint32_t crc32c_stride[4][256] = {");
  for (int j = 0; j < 4; j++) {
    printf("%s{", j == 0 ? "" : ",\n    ");
    print_bytes(15 - j);
    printf("}");
  }
  printf("};\n");

  printf("\n#if defined(__x86_64__) || defined(__aarch64__)\n");
  printf("/* A state's nibble j of value i, past a block of zeros. */");
  print_skip("SHORT", 128);
  print_skip("LONG", 1344);
  printf("#endif\n");

  printf("\n#ifdef __x86_64__\n");
  printf(
      "/* Multipliers that move each 128-bit lane past 2048 or 512 bits, and");
  printf("\n** the first three of four lanes to the last. */");
  printf("\nstatic const uint64_t crc32c_fold_2048[2] = {\n    ");
  print_fold(2048);
  printf("};\nstatic const uint64_t crc32c_fold_512[2] = {\n    ");
  print_fold(512);
  printf("};\nstatic const uint64_t crc32c_fold_lanes[8] = {\n    ");
  print_fold(384);
  printf(",\n    ");
  print_fold(256);
  printf(",\n    ");
  print_fold(128);
  printf(",\n    0, 0};\n");
  printf(
      "/* The multiplier that moves a state past n bytes, but for the 32 "
      "bits\n** that the crc instruction adds: x^(8 * n - 33). */\n");
  printf("static const uint64_t crc32c_past[65] = {");
  for (int n = 0; n <= 64; n++) {
    printf("%s0x%08" PRIx32 "00000000,", n % 3 == 0 ? "\n    " : " ",
           x_to_the(8 * n - 33));
  }
  printf("};\n#endif\n");
  printf("\n#endif\n");
  return 0;
}
