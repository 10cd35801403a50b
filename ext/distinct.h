/*
** Arrays of distinct hashes. Duplicates are found by sorting, not in a hash
** table, for two reasons. Sorting goes through memory in order, where a table
** of many hashes misses the cache for each. And its time does not depend on the
** values of the hashes, which those who choose the keys can choose.
*/
#ifndef BLOOM_DISTINCT_H
#define BLOOM_DISTINCT_H

#include "function.h"

/* Drops the duplicates from an array of `used` hashes, whose first *distinct
** ones are distinct and in ascending order already. Sets *distinct to the
** number of those that are left, which are at the beginning of the array in
** ascending order. There must be at least one other hash, and while it runs, it
** allocates as much memory as the others take. If it returns false, because it
** ran out of memory or was interrupted, the array has lost its hashes. */
bool sql_drop_duplicates(sqlite3_context *context, uint32_t *hashes,
                         uint32_t *distinct, uint32_t used);

#endif
