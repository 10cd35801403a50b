/*
** What the bits of a given filter tell: how many are set, about how many keys
** it has, and which share of the absent keys it lets through.
*/
#ifndef BLOOM_ESTIMATE_H
#define BLOOM_ESTIMATE_H

#include "bloom.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Number of bits set in the filter of size bytes at data. */
uint64_t bloom_bits_set(const void *data, size_t size);

/*
** Estimates the number of distinct keys of the filter of size bytes at data: 0
** if no key matches. Returns false if it cannot be estimated, since the filter
** matches everything, or has more bits set than all 2^32 hashes are expected to
** set.
**
** The estimate is the n whose hashes are expected to set as many of the bits
** that probes reach: x distinct hashes set 1 - e^(-k x / bits) of them, where k
** is the number of probes, and n keys have 2^32 (1 - e^(-n / 2^32)) distinct
** hashes. No estimate is above 2^32 * 37, as a double less than 1 is at most
** 1 - 2^-53.
*/
bool bloom_estimated_keys(const void *data, size_t size, uint64_t *keys);

/* The filter's false positive rate: the share of 2^20 hashes, which are always
** the same, that match. */
double bloom_measured_rate(const bloom_filter *filter);

#ifdef __cplusplus
}
#endif

#endif
