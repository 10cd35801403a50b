/*
** Asks which instructions this processor has, and which registers the system
** saves when it switches between threads.
**
** __builtin_cpu_supports would answer, too, but from a variable of the
** compiler's own library, which `zig cc` does not link and clang for macOS may
** lack.
*/
#ifndef BLOOM_PROCESSOR_H
#define BLOOM_PROCESSOR_H

#include <stdbool.h>
#include <stdint.h>

/* The registers in which x86's instruction cpuid answers. */
typedef enum bloom_cpuid_register {
  BLOOM_CPUID_EAX,
  BLOOM_CPUID_EBX,
  BLOOM_CPUID_ECX,
  BLOOM_CPUID_EDX
} bloom_cpuid_register;

/* On x86-64: a bit of what cpuid answers to this leaf (and its first subleaf);
** false if the processor does not know the leaf. Source: Intel's "Software
** Developer's Manual", volume 2, CPUID. */
bool bloom_processor_has(uint32_t leaf, bloom_cpuid_register answer, int bit);

/* On x86-64: whether the system saves all of these states, which are bits of
** the register XCR0. Source: the same, volume 1, section 13.3. */
bool bloom_processor_saves(uint32_t states);

/* On 64-bit ARM with Linux or macOS: whether it has the crc32 instructions. */
bool bloom_processor_has_crc32(void);

#endif
