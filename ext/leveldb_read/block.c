#include "block.h"

#include <string.h>

#include "../core/bloom.h"
#include "../core/coding.h"

bool sql_take_handle(bloom_slice *input, file_block *block) {
  return bloom_take_varint(input, 64, &block->offset) &&
         bloom_take_varint(input, 64, &block->size);
}

/* What a block is that cannot be uncompressed. */
static const char *name_of(uint8_t type, bloom_slice stored) {
  const bool is_zstd =
      stored.size > 3 && bloom_load_fixed32(stored.data) == 0xfd2fb528;
  switch (type) {
    case 1:
      return "damaged snappy";
    case 2:
      return is_zstd ? "zstd, probably" : "zlib, probably";
    case 4:
      return "raw deflate, probably";
    default:
      return "not a type of LevelDB's";
  }
}

/* Lets the program uncompress a block: SQLITE_ROW, or SQLITE_DONE if it does
** not, or SQLITE_NOMEM. */
static int inflate(file_rows *rows, file_block *block, uint8_t type,
                   bloom_slice stored) {
  int rc = SQLITE_DONE;
  if (rows->inflate == NULL) {
    const int prepared =
        sqlite3_prepare_v2(rows->base.db, "SELECT leveldb_inflate(?1, ?2)", -1,
                           &rows->inflate, NULL);
    if (prepared != SQLITE_OK) return prepared == SQLITE_NOMEM ? prepared : rc;
  }
  sqlite3_bind_int(rows->inflate, 1, type);
  sqlite3_bind_blob64(rows->inflate, 2, stored.data, stored.size,
                      SQLITE_STATIC);
  if (sqlite3_step(rows->inflate) == SQLITE_ROW &&
      sqlite3_column_type(rows->inflate, 0) == SQLITE_BLOB) {
    const bloom_slice whole = {sqlite3_column_blob(rows->inflate, 0),
                               (size_t)sqlite3_column_bytes(rows->inflate, 0)};
    rc =
        sql_copy_bytes(&block->uncompressed, whole) ? SQLITE_ROW : SQLITE_NOMEM;
  }
  return sqlite3_reset(rows->inflate) == SQLITE_NOMEM ? SQLITE_NOMEM : rc;
}

/* Uncompresses a block, in the same way. */
static int uncompress(file_rows *rows, file_block *block, uint8_t type,
                      bloom_slice stored) {
  file_bytes *whole = &block->uncompressed;
  int rc = SQLITE_DONE;
  if (type == 0) {
    block->contents = stored;
    return SQLITE_ROW;
  }
  if (type != 1) {
    rc = inflate(rows, block, type, stored);
  } else if (bloom_snappy_size(stored, &whole->size)) {
    if (!sql_grow_bytes(whole, whole->size)) return SQLITE_NOMEM;
    if (bloom_snappy_uncompress(stored, whole->data, whole->size)) {
      rc = SQLITE_ROW;
    }
  }
  if (rc == SQLITE_ROW) block->contents = slice_of(whole);
  return rc;
}

int sql_read_block(file_rows *rows, file_block *block, const char *kind) {
  const uint64_t size = block->size;
  const char *wrong = "its checksum is wrong";
  bloom_slice rest = rows->bytes, before, stored;
  block->kind = kind;
  block->contents = (bloom_slice){NULL, 0};
  set_number(rows, COLUMN_SIZE, size);
  if (!bloom_take_bytes(&rest, block->offset, &before) || size > SIZE_MAX - 5 ||
      !bloom_take_bytes(&rest, size + 5, &stored)) {
    wrong = "it passes the end of the file";
  } else if (bloom_has_checksum(stored)) {
    stored.size -= 5;
    const uint8_t type = stored.data[stored.size];
    set_number(rows, COLUMN_TYPE, type);
    const int rc = uncompress(rows, block, type, stored);
    if (rc == SQLITE_ROW) return sql_give_row(rows, kind, block->offset);
    if (rc == SQLITE_NOMEM) return rc;
    return sql_give_damage(
        rows, kind, block->offset,
        "%s of %lld bytes: type %d is not to be uncompressed here: %s", kind,
        (long long)size, type, name_of(type, stored));
  }
  return sql_give_damage(rows, kind, block->offset, "%s of %lld bytes: %s",
                         kind, (long long)size, wrong);
}

int sql_read_entries(file_rows *rows, file_block *block, const char *kind) {
  const int rc = sql_read_block(rows, block, kind);
  if (block->contents.data == NULL) return rc;
  block->key.size = 0;
  block->has_entries = bloom_block_open(&block->entries, block->contents);
  const size_t longest = bloom_block_longest_key(&block->entries);
  return sql_grow_bytes(&block->key, longest) ? rc : SQLITE_NOMEM;
}

bloom_entry sql_next_entry(file_block *block) {
  if (!block->has_entries) return BLOOM_ENTRY_WRONG;
  const bloom_entry entry = bloom_block_next(&block->entries, block->key.data);
  block->key.size = block->entries.key_size;
  return entry;
}

/* ---- Filters. The block ends with the offsets of its filters, where the first
** of these offsets is, and the logarithm of how many bytes of data blocks each
** filter is for. */

bool sql_is_filter(bloom_slice key) {
  static const char name[] = "filter." BLOOM_POLICY_NAME;
  const size_t size = sizeof(name) - 1;
  return (key.size == size || key.size == size - 1) &&
         memcmp(key.data, name, key.size) == 0;
}

void sql_count_filters(file_rows *rows) {
  const bloom_slice contents = rows->filter.contents;
  if (contents.size < 5) return;
  const size_t last = contents.size - 5;
  const uint32_t first = bloom_load_fixed32(contents.data + last);
  if (first > last) return;
  rows->filters = (uint32_t)((last - first) / 4);
  set_number(rows, COLUMN_SEQUENCE, contents.data[last + 4]);
}

bool sql_filter_bits(const file_rows *rows, uint64_t i, bloom_slice *bits) {
  const bloom_slice contents = rows->filter.contents;
  const uint32_t last = bloom_load_fixed32(contents.data + contents.size - 5);
  const uint8_t *offsets = contents.data + last + 4 * i;
  const uint32_t start = bloom_load_fixed32(offsets);
  const uint32_t end = bloom_load_fixed32(offsets + 4);
  *bits = (bloom_slice){NULL, end - start};
  if (start > end || end > last) return false;
  bits->data = contents.data + start;
  return true;
}

bool sql_block_may_match(const file_rows *rows, bloom_slice key) {
  const bloom_slice contents = rows->filter.contents;
  if (rows->filters == 0) return true;
  const uint8_t base = contents.data[contents.size - 1];
  const uint64_t i = base < 64 ? rows->data.offset >> base : 0;
  bloom_slice bits;
  if (i >= rows->filters) return true;
  if (!sql_filter_bits(rows, i, &bits)) return bits.size > 0;
  return bloom_key_may_match(key.data, key.size, bits.data, bits.size);
}
