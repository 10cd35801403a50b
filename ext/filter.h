/*
** A filter as an argument: a BLOB, NULL, or the handle of an open filter.
*/
#ifndef BLOOM_FILTER_H
#define BLOOM_FILTER_H

#include "core/bloom.h"
#include "handle.h"

/* Reads one whole filter: the bytes of a BLOB or of an open filter, which stay
** valid until the value changes or the statement ends. If the result is
** VALUE_WRONG, *message is the error's message, "FUNCTION: filter must be ...",
** which the caller frees, or NULL if out of memory. */
value_status sql_read_filter(sql_handles *handles, const char *function,
                             sqlite3_value *value, byte_span *filter,
                             char **message);

/* The same, but makes an error the result unless the value is a filter or
** NULL. */
value_status sql_filter_argument(sqlite3_context *context, sqlite3_value *value,
                                 byte_span *filter);

/* The bytes of a filter that matches every key. It is probed in place of a
** filter that is NULL or was evicted. */
static inline byte_span sql_match_all(void) {
  return (byte_span){bloom_match_all, sizeof(bloom_match_all)};
}

/* A filter ready to be probed. */
typedef struct sql_prober {
  const bloom_filter *filters; /* one for each part */
  uint32_t parts;              /* 1 or more; a whole filter is one part */
  bloom_filter read;           /* what filters points to for a BLOB or NULL */
} sql_prober;

/* Prepares an argument for probing: a BLOB, any handle, or NULL, which matches
** every key. For anything else it makes an error the result and returns
** false. */
bool sql_prober_argument(sqlite3_context *context, sqlite3_value *value,
                         sql_prober *prober);

/* Whether a key may be in the filter. In a filter in parts, it probes only the
** part that the key belongs to. */
static inline bool sql_probe(const sql_prober *prober, const sql_key *key) {
  const bloom_filter *filter = prober->filters;
  if (prober->parts > 1) filter += sql_part_of_key(key, prober->parts);
  const uint32_t hash = bloom_key_hash(key->bytes.data, key->bytes.size);
  return bloom_may_match_hash(filter, hash);
}

#endif
