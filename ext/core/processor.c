#include "processor.h"

#if defined(__GNUC__) && defined(__x86_64__)

#include <cpuid.h>

bool bloom_processor_has(uint32_t leaf, bloom_cpuid_register answer, int bit) {
  uint32_t answers[4];
  __cpuid_count(leaf, 0, answers[0], answers[1], answers[2], answers[3]);
  /* Above the last leaf, some processors answer as if asked for another one. */
  const bool known = leaf <= (uint32_t)__get_cpuid_max(0, 0);
  return known & (answers[answer] >> bit & 1);
}

bool bloom_processor_saves(uint32_t states) {
  /* Without OSXSAVE, xgetbv is no instruction. */
  if (!bloom_processor_has(1, BLOOM_CPUID_ECX, 27)) return false;
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (low & states) == states;
}

#elif defined(__GNUC__) && defined(__aarch64__) && defined(__linux__)

#include <sys/auxv.h>

bool bloom_processor_has_crc32(void) {
  return (getauxval(AT_HWCAP) & (1ul << 7)) != 0; /* HWCAP_CRC32 */
}

#else

/* Other systems build the kernel for Apple's processors alone, which all have
** the instructions. */
bool bloom_processor_has_crc32(void) {
  return true;
}

#endif
