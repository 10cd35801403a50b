/*
** CRC-32C (Castagnoli, RFC 3720 appendix B.4), as LevelDB computes and stores
** it (util/crc32c.h). The checksum detects accidental changes, but not forgery.
*/
#ifndef BLOOM_CRC32C_H
#define BLOOM_CRC32C_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
** Continues a CRC with more data: if crc is the crc of A, the result is the crc
** of A followed by the n bytes at data. Every call runs the fastest kernel that
** the processor supports, chosen once when this code is loaded. data may be
** NULL if n is 0.
*/
uint32_t bloom_crc32c_extend(uint32_t crc, const void *data, size_t n);

/* The crc of the n bytes at data; 0 if n is 0. */
static inline uint32_t bloom_crc32c_value(const void *data, size_t n) {
  return bloom_crc32c_extend(0, data, n);
}

#define BLOOM_CRC32C_MASK_DELTA 0xa282ead8u

/* The masked crc, which LevelDB stores beside data instead of the crc: a crc of
** bytes that contain a crc detects less. If data is followed by its own
** crc, little-endian, the crc of both is 0x48674bc7, whatever the data are.
** Unmasking is the inverse. */
static inline uint32_t bloom_crc32c_mask(uint32_t crc) {
  return (crc >> 15 | crc << 17) + BLOOM_CRC32C_MASK_DELTA;
}

static inline uint32_t bloom_crc32c_unmask(uint32_t masked) {
  const uint32_t rotated = masked - BLOOM_CRC32C_MASK_DELTA;
  return rotated >> 17 | rotated << 15;
}

/* One way to compute bloom_crc32c_extend. */
typedef struct bloom_crc32c_kernel {
  const char *name;
  bool (*supported)(void); /* whether this processor can run it */
  uint32_t (*extend)(uint32_t crc, const void *data, size_t n);
} bloom_crc32c_kernel;

/* Every kernel in this build, the fastest first. The last one, "portable", runs
** on every processor; an entry whose name is NULL ends the list. */
extern const bloom_crc32c_kernel bloom_crc32c_kernels[];

#ifdef __cplusplus
}
#endif

#endif
