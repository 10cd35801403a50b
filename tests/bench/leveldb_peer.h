/* LevelDB's filter policy, from C. */
#ifndef BLOOM_LEVELDB_PEER_H
#define BLOOM_LEVELDB_PEER_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* CreateFilter over n keys of 16 bytes, prepared by leveldb_peer_keys. Returns
** the filter's size and sets *filter, which lives until the next call. */
size_t leveldb_peer_create(const char **filter);

/* Prepares n keys of 16 bytes each, adjacent at data. */
void leveldb_peer_keys(const char *data, size_t n);

/* KeyMayMatch of a key of 16 bytes. */
int leveldb_peer_may_match(const char *key, const char *filter, size_t size);

#ifdef __cplusplus
}
#endif

#endif
