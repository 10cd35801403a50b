/*
** The blocks of a table: their contents, their entries, and the filters of the
** filter block. Source: LevelDB table/format.cc and table/filter_block.cc.
*/
#ifndef BLOOM_LEVELDB_READ_BLOCK_H
#define BLOOM_LEVELDB_READ_BLOCK_H

#include "rows.h"

/* Takes where a block is from the front of the input, or returns false. */
bool sql_take_handle(bloom_slice *input, file_block *block);

/* Reads the block that is at its offset and has its size: the row of it, in
** which damage says why it cannot be read; or SQLITE_NOMEM. */
int sql_read_block(file_rows *rows, file_block *block, const char *kind);

/* The same of a block of entries, and goes before the first. */
int sql_read_entries(file_rows *rows, file_block *block, const char *kind);

/* Goes to the next entry, the key of which is then the block's. */
bloom_entry sql_next_entry(file_block *block);

/* ---- Filters. */

/* Whether the metaindex names a filter of LevelDB's or goleveldb's so. */
bool sql_is_filter(bloom_slice key);

/* Counts the filters of the filter block. If there can be some, the sequence of
** its row is by how many bits an offset is shifted to number its filter. */
void sql_count_filters(file_rows *rows);

/* Filter i, which is less than their number, or false if its offsets are no
** range of bytes, and then the size is 0 if they are equal. */
bool sql_filter_bits(const file_rows *rows, uint64_t i, bloom_slice *bits);

/* Whether the data block may have the key, as LevelDB's
** FilterBlockReader::KeyMayMatch says. */
bool sql_block_may_match(const file_rows *rows, bloom_slice key);

#endif
