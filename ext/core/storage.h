/*
** How LevelDB stores bytes in its files: varints, snappy, the blocks of a table
** and the records of a log. Nothing is allocated, and no byte outside of what
** is given is read, whatever it holds. Source: LevelDB util/coding.cc,
** table/format.cc, table/block.cc and db/log_reader.cc, and snappy's
** format_description.txt.
*/
#ifndef BLOOM_STORAGE_H
#define BLOOM_STORAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct bloom_slice {
  const uint8_t *data;
  size_t size;
} bloom_slice;

/* Each of these takes something from the front of the input, or returns false
** if the input ends before it. A varint of 32 bits has at most 5 bytes, and one
** of 64 at most 10. Bits above these are dropped. */
bool bloom_take_varint(bloom_slice *input, int bits, uint64_t *n);
bool bloom_take_bytes(bloom_slice *input, uint64_t n, bloom_slice *bytes);
/* A varint of 32 bits, and as many bytes. */
bool bloom_take_string(bloom_slice *input, bloom_slice *string);

/* The size of what was compressed, or false if the input is no snappy, such as
** if it is too small for this size, which is so of less than a 22nd. */
bool bloom_snappy_size(bloom_slice compressed, size_t *size);

/* Uncompresses into so many bytes, which are bloom_snappy_size. Returns false
** if the input is damaged. */
bool bloom_snappy_uncompress(bloom_slice compressed, uint8_t *output,
                             size_t size);

/* Whether the bytes, of which the last 4 are a masked checksum, have it. */
bool bloom_has_checksum(bloom_slice checked);

/* ---- The entries of a block. */

typedef struct bloom_block {
  bloom_slice entries; /* and their first byte */
  size_t at;           /* where the next entry begins */
  const uint8_t *restarts;
  uint32_t restart_count;
  uint32_t restart;    /* how many restarts were passed */
  bool restarts_wrong; /* a lookup that begins at one may fail */
  size_t key_size;
  bloom_slice value;
} bloom_block;

typedef enum bloom_entry {
  BLOOM_ENTRY,
  BLOOM_ENTRIES_END,
  BLOOM_ENTRY_WRONG /* LevelDB reads no further entry */
} bloom_entry;

/* Goes before the first entry of a block with these contents. Returns false if
** the block has no place for its restarts, or does not begin with one. */
bool bloom_block_open(bloom_block *block, bloom_slice contents);

/* How many bytes the longest key of an open block has. */
size_t bloom_block_longest_key(const bloom_block *block);

/* Goes to the next entry, of which key has the key of the one before. */
bloom_entry bloom_block_next(bloom_block *block, uint8_t *key);

/* ---- The records of a log. */

#define BLOOM_LOG_BLOCK 32768u
#define BLOOM_LOG_HEADER 7u

typedef enum bloom_record_damage {
  BLOOM_RECORD_WHOLE,
  BLOOM_RECORD_TORN,    /* the file ends within it: its writer died */
  BLOOM_RECORD_LONG,    /* it passes the end of its block */
  BLOOM_RECORD_SKIPPED, /* zeros, but something follows in its block */
  BLOOM_RECORD_CHECKSUM
} bloom_record_damage;

typedef struct bloom_record {
  size_t offset;
  int type; /* or -1 if the file ends within the header */
  size_t size;
  bloom_record_damage damage;
  bloom_slice data; /* if it is whole */
} bloom_record;

/* Reads the record at *offset, and goes to the next one, which is in the next
** block if this one is damaged. Returns false at the end of the file. */
bool bloom_next_record(bloom_slice file, size_t *offset, bloom_record *record);

#endif
