/*
** A filter as SQL passes it: a BLOB, or the handle that bloom_open made of one
** or of many; and what a running statement holds open for its handles.
**
** A handle is an INTEGER, the number, drawn at random, of a filter that is
** found in a table of the connection's. Nothing is ever read through a number
** that is not in it. The table's filters belong to the statement (or the
** trigger's program) that opened them, and leave it when that ends.
*/
#ifndef BLOOM_FILTER_H
#define BLOOM_FILTER_H

#include "core/bloom.h"
#include "function.h"

#define MAX_BITS_PER_KEY 100
#define BITS_PER_KEY_MUST_BE \
  "an integer from 1 to 100 (bits for each key, not in total)"

/* A connection's table of open filters: what its functions share. */
typedef struct sql_filters sql_filters;

/* An empty table with one holder, the caller; NULL is out of memory. */
sql_shared *sql_create_filters(void);

static inline sql_filters *sql_filters_of(sqlite3_context *context) {
  return (sql_filters *)sql_registered(context)->shared;
}

/* ---- Filter arguments. */

/* Reads one whole filter: a BLOB's bytes, or those that a handle stands for.
** They live until the value changes or the statement ends. VALUE_WRONG is
** anything else; sql_filter_sentence says why. */
value_status sql_read_filter(const sql_filters *filters, sqlite3_value *value,
                             byte_span *filter);

/* The error that tells why sql_read_filter gave VALUE_WRONG, which the caller
** frees with sqlite3_free; NULL is out of memory. */
char *sql_filter_sentence(const sql_filters *filters, const char *function,
                          const char *argument, sqlite3_value *value);

/* Makes the error the result that tells why sql_read_filter gave this
** status. */
void sql_filter_error(sqlite3_context *context, const char *argument,
                      sqlite3_value *value, value_status status);

/* sql_read_filter, with an error as the result where the filter is not read. */
value_status sql_filter_argument(sqlite3_context *context, sqlite3_value *value,
                                 byte_span *filter);

/* A filter ready for probing, whole or in parts. */
typedef struct sql_probe {
  const bloom_filter *filters; /* one for each part */
  uint32_t parts;              /* 1 or more; a whole filter is one part */
  bloom_filter read;           /* where filters points for a BLOB */
} sql_probe;

/* Makes a BLOB or any open handle ready, with an error as the result for
** anything else. What was let go matches everything. */
value_status sql_probe_argument(sqlite3_context *context, sqlite3_value *value,
                                sql_probe *probe);

/* ---- Opening. */

/* Whether a value is an open handle. */
bool sql_is_handle(const sql_filters *filters, sqlite3_value *value);

/* Opens a whole filter, of whose bytes it takes a copy. The same bytes that the
** statement has open already are the same handle. Returns false with an error
** as the result. */
bool sql_open_filter(sqlite3_context *context, byte_span bytes,
                     sqlite3_int64 *handle);

/* The bytes of a filter's parts, gathered one by one; sqlite3_free frees it. */
typedef struct sql_block sql_block;

/* An empty block with a place for each of 1 or more parts, and room for so many
** bytes before it grows; NULL is out of memory. */
sql_block *sql_create_block(uint32_t parts, uint64_t bytes);

/* Puts a copy of a part's bytes into its place, which is empty. *block may
** move. False is out of memory. */
bool sql_fill_block(sql_block **block, uint32_t part, byte_span bytes);

bool sql_block_has(const sql_block *block, uint32_t part);

/* Number of places that are empty. */
uint32_t sql_block_missing(const sql_block *block);

/* What the running statement holds, by a number that no other has; 0 is out of
** memory, the result. To be asked for in a scalar function or a step, not at an
** aggregate's end. */
uint64_t sql_statement(sqlite3_context *context);

/* Opens a full block as a filter in parts, for the statement of that number. It
** takes the block, and makes it NULL, where the bytes are not open already.
** Returns false with an error as the result. */
bool sql_open_block(sqlite3_context *context, uint64_t statement,
                    sql_block **block, sqlite3_int64 *handle);

/* The part, 0..parts-1, that a key belongs to. The hash has another seed than
** the filter's own, so that a part's keys keep all 32 bits of that. */
static inline uint32_t sql_part(const sql_key *key, uint32_t parts) {
  const uint64_t hash = bloom_hash(key->bytes.data, key->bytes.size, 1);
  return (uint32_t)(hash * parts >> 32);
}

#endif
