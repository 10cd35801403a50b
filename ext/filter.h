/*
** A filter as SQL passes it: a BLOB, or the handle that bloom_open made of one.
*/
#ifndef BLOOM_FILTER_H
#define BLOOM_FILTER_H

#include "function.h"

/* What a filter argument must be, as an error says it. */
#define FILTER_MUST_BE "a BLOB or a bloom_open() handle"

/* Reads a filter's bytes, which live until the value changes. */
value_status bloom_read_filter(sqlite3_value *value, byte_span *filter);

#endif
