/*
** The steps of a table: its size, its footer, its metaindex, its filters, its
** index, and each data block with its entries. Source: LevelDB table/table.cc
** and db/dbformat.cc.
*/
#include <string.h>

#include "../core/coding.h"
#include "../core/crc32c.h"
#include "block.h"

/* An entry's key without its last 8 bytes, which are its sequence number and
** its type; all of it if there are fewer. */
static bloom_slice user_key(const file_bytes *key) {
  return (bloom_slice){key->data, key->size < 8 ? key->size : key->size - 8};
}

/* In LevelDB's order, entries of a key begin with the newest. */
static int compare_entries(const file_bytes *a, const file_bytes *b) {
  const int difference = sql_compare_keys(user_key(a), user_key(b));
  if (difference != 0 || a->size < 8 || b->size < 8) return difference;
  const uint64_t first = bloom_load_fixed64(a->data + a->size - 8);
  const uint64_t second = bloom_load_fixed64(b->data + b->size - 8);
  return (first < second) - (first > second);
}

/* Gives a data block's row the bounds of its keys. */
static void give_bounds(file_rows *rows) {
  if (!rows->has_index) return;
  if (rows->lower.size > 0) {
    set_bytes(rows, COLUMN_KEY, user_key(&rows->lower));
  }
  set_bytes(rows, COLUMN_VALUE, user_key(&rows->index.key));
}

static int wrong_block(file_rows *rows, const file_block *block,
                       const char *wrong) {
  if (block == &rows->data) give_bounds(rows);
  return sql_give_damage(rows, block->kind, block->offset, "%s: %s",
                         block->kind, wrong);
}

#define WRONG_ENTRY \
  "an entry is wrong, and what follows in its block is skipped"
#define WRONG_RESTARTS \
  "its restarts are wrong, from which LevelDB looks up a key"
#define WRONG_HANDLE "a handle is wrong"

/* The row, if any, of a block that has no further entry. */
static int end_block(file_rows *rows, const file_block *block,
                     bloom_entry entry) {
  if (entry == BLOOM_ENTRY_WRONG) return wrong_block(rows, block, WRONG_ENTRY);
  if (!block->entries.restarts_wrong) return GO_ON;
  return wrong_block(rows, block, WRONG_RESTARTS);
}

/* The type and the sequence number at the end of a key, or type 2. */
static uint64_t tag_of(const file_bytes *key) {
  return key->size < 8 ? 2 : bloom_load_fixed64(key->data + key->size - 8);
}

/* Whether the block that was found by its checksum has entries of keys, which
** those of the index, the metaindex and the filters have not. The keys of the
** metaindex are names, which have no type. */
static bool is_data(const file_rows *rows) {
  file_block first = rows->data, place;
  if (sql_next_entry(&first) != BLOOM_ENTRY) return false;
  bloom_slice value = first.entries.value;
  const bool is_index = sql_take_handle(&value, &place) && value.size == 0 &&
                        place.offset == 0 && place.size == rows->first_size;
  const bool is_meta = first.key.size > 7 && (tag_of(&first.key) & 255) > 1 &&
                       memcmp(first.key.data, "filter.", 7) == 0;
  return !is_index && !is_meta;
}

static int entry_step(file_rows *rows);

/* Finds the block that begins at the next offset: the first bytes, 4 or more,
** which a type and their checksum follow. */
static int find_step(file_rows *rows) {
  const uint64_t offset = rows->next_offset;
  rows->has_index = false;
  rows->step = sql_no_step;
  if (offset + 9 > rows->end) return GO_ON;
  const uint8_t *bytes = rows->bytes.data + offset;
  uint32_t crc = bloom_crc32c_value(bytes, 4);
  for (uint64_t size = 4; size + 5 <= rows->end - offset; size++) {
    crc = bloom_crc32c_extend(crc, bytes + size, 1);
    if (bloom_crc32c_mask(crc) != bloom_load_fixed32(bytes + size + 1))
      continue;
    rows->data.offset = offset;
    rows->data.size = size;
    const int rc = sql_read_entries(rows, &rows->data, "data block");
    if (rc != SQLITE_ROW) return rc;
    if (offset == 0) rows->first_size = size;
    rows->next_offset = offset + size + 5;
    rows->step = find_step;
    if (rows->row.damage != NULL) return rc;
    if (!is_data(rows)) return GO_ON;
    rows->step = entry_step;
    return rc;
  }
  if (rows->end - offset <= 48) return GO_ON;
  return sql_give_damage(
      rows, "data block", offset,
      "data blocks: what follows is in none that has a checksum");
}

/* Goes to the next data block of the index whose keys may be wanted. */
static int index_step(file_rows *rows) {
  file_block *index = &rows->index, *data = &rows->data;
  if (!sql_copy_bytes(&rows->lower, slice_of(&index->key))) {
    return SQLITE_NOMEM;
  }
  const bloom_entry entry = sql_next_entry(index);
  if (entry != BLOOM_ENTRY) {
    rows->step = entry == BLOOM_ENTRY_WRONG ? find_step : sql_no_step;
    return end_block(rows, index, entry);
  }
  bloom_slice handle = index->entries.value;
  if (!sql_take_handle(&handle, data) || data->offset < rows->next_offset) {
    return wrong_block(rows, index, WRONG_HANDLE);
  }
  if (data->offset == 0) rows->first_size = data->size;
  if (data->size < rows->bytes.size && data->offset < rows->bytes.size) {
    rows->next_offset = data->offset + data->size + 5;
  }
  if (rows->has_key) {
    const bloom_slice lower = user_key(&rows->lower);
    if (sql_compare_keys(user_key(&index->key), rows->key) < 0) return GO_ON;
    if (sql_compare_keys(lower, rows->key) > 0 && !sql_is_wanted(rows, lower)) {
      rows->step = sql_no_step;
      return GO_ON;
    }
  }
  give_bounds(rows);
  if (rows->is_get && !sql_block_may_match(rows, rows->key)) {
    return sql_give_row(rows, "spared", data->offset);
  }
  const int rc = sql_read_entries(rows, data, "data block");
  if (data->contents.data != NULL) rows->step = entry_step;
  return rc;
}

/* Whether the key is where LevelDB looks for it: behind the one before, and
** within the bounds that the index gives. */
static bool is_in_order(const file_rows *rows) {
  const file_bytes *key = &rows->data.key;
  if (rows->previous.size > 0 && compare_entries(&rows->previous, key) >= 0) {
    return false;
  }
  return !rows->has_index ||
         (compare_entries(key, &rows->index.key) <= 0 &&
          (rows->lower.size == 0 || compare_entries(&rows->lower, key) < 0));
}

static int entry_step(file_rows *rows) {
  file_block *block = &rows->data;
  const bloom_entry entry = sql_next_entry(block);
  if (entry != BLOOM_ENTRY) {
    rows->step = rows->has_index ? index_step : find_step;
    return end_block(rows, block, entry);
  }
  const uint64_t tag = tag_of(&block->key);
  if ((tag & 255) > 1) {
    return wrong_block(rows, block,
                       "a key does not end with a type and a sequence number");
  }
  const bool in_order = is_in_order(rows);
  if (!sql_copy_bytes(&rows->previous, slice_of(&block->key))) {
    return SQLITE_NOMEM;
  }
  const bloom_slice key = user_key(&block->key);
  if (!sql_is_wanted(rows, key)) return GO_ON;
  set_number(rows, COLUMN_TYPE, tag & 255);
  set_number(rows, COLUMN_SEQUENCE, tag >> 8);
  set_bytes(rows, COLUMN_KEY, key);
  if ((tag & 255) == 1) set_bytes(rows, COLUMN_VALUE, block->entries.value);
  if (in_order && sql_block_may_match(rows, key)) {
    return sql_give_row(rows, "entry", block->offset);
  }
  return sql_give_damage(
      rows, "entry", block->offset,
      in_order ? "its filter lacks it" : "keys out of order");
}

static int read_index_step(file_rows *rows) {
  const int rc = sql_read_entries(rows, &rows->index, "index block");
  rows->has_index = rows->index.has_entries;
  rows->step = rows->index.contents.data != NULL ? index_step : find_step;
  return rc;
}

static int filters_step(file_rows *rows) {
  bloom_slice bits;
  if (rows->has_key || rows->given == rows->filters) {
    rows->step = read_index_step;
    return GO_ON;
  }
  const uint32_t i = rows->given++;
  set_number(rows, COLUMN_SEQUENCE, i);
  if (!sql_filter_bits(rows, i, &bits)) {
    return sql_give_damage(rows, "filter", rows->filter.offset,
                           "filter %lld: its bytes are no range", (long long)i);
  }
  set_bytes(rows, COLUMN_VALUE, bits);
  return sql_give_row(rows, "filter", rows->filter.offset);
}

static int filter_step(file_rows *rows) {
  const int rc = sql_read_block(rows, &rows->filter, "filter block");
  rows->step = filters_step;
  if (rows->filter.offset < rows->end) rows->end = rows->filter.offset;
  sql_count_filters(rows);
  return rc;
}

static int meta_entries_step(file_rows *rows) {
  file_block *meta = &rows->meta;
  bloom_entry entry;
  rows->step = read_index_step;
  do {
    entry = sql_next_entry(meta);
  } while (entry == BLOOM_ENTRY && !sql_is_filter(slice_of(&meta->key)));
  if (entry == BLOOM_ENTRIES_END) return GO_ON;
  if (entry == BLOOM_ENTRY_WRONG) return wrong_block(rows, meta, WRONG_ENTRY);
  bloom_slice handle = meta->entries.value;
  if (!sql_take_handle(&handle, &rows->filter)) {
    return wrong_block(rows, meta, WRONG_HANDLE);
  }
  rows->step = filter_step;
  return GO_ON;
}

static int meta_step(file_rows *rows) {
  const int rc = sql_read_entries(rows, &rows->meta, "metaindex block");
  rows->step =
      rows->meta.contents.data != NULL ? meta_entries_step : read_index_step;
  return rc;
}

#define FOOTER_SIZE 48

/* The magic number at the end of a table, or 0. */
static uint64_t magic_of(bloom_slice bytes) {
  return bytes.size < 8 ? 0 : bloom_load_fixed64(bytes.data + bytes.size - 8);
}

static bool is_table(bloom_slice bytes) {
  return bytes.size >= FOOTER_SIZE && magic_of(bytes) == 0xdb4775248b80fb57;
}

int sql_footer_step(file_rows *rows) {
  const bloom_slice bytes = rows->bytes;
  rows->step = sql_no_step;
  rows->end = bytes.size;
  if (bytes.size == 0) {
    return sql_give_damage(rows, "footer", 0, "the file is empty");
  }
  const size_t magic = bytes.size < 8 ? 0 : bytes.size - 8;
  if (magic_of(bytes) == 0x88e241b785f4cff7) {
    return sql_give_damage(
        rows, "footer", magic,
        "no table of LevelDB: RocksDB's magic number is at its end");
  }
  rows->step = find_step;
  if (!is_table(bytes)) {
    return sql_give_damage(
        rows, "footer", magic,
        "no table: LevelDB's magic number is not at its end, which "
        "is cut off or damaged");
  }
  rows->end -= FOOTER_SIZE;
  bloom_slice handles = {bytes.data + rows->end, FOOTER_SIZE - 8};
  if (!sql_take_handle(&handles, &rows->meta) ||
      !sql_take_handle(&handles, &rows->index)) {
    return sql_give_damage(rows, "footer", rows->end, "footer: " WRONG_HANDLE);
  }
  if (rows->meta.offset < rows->end) rows->end = rows->meta.offset;
  if (rows->index.offset < rows->end) rows->end = rows->index.offset;
  rows->step = meta_step;
  return GO_ON;
}

/* Of a table, LevelDB reads as many bytes as the MANIFEST says. If the file has
** fewer, LevelDB cannot read it. */
int sql_size_step(file_rows *rows) {
  const size_t size = rows->bytes.size;
  rows->step = sql_footer_step;
  if (size == rows->said_size) return GO_ON;
  if (size > rows->said_size) rows->bytes.size = (size_t)rows->said_size;
  const bool is_java = size + 4 == rows->said_size && is_table(rows->bytes);
  return sql_give_damage(
      rows, size < rows->said_size ? "short" : "long", rows->said_size,
      "the file has %lld bytes, and the MANIFEST says %lld%s", (long long)size,
      (long long)rows->said_size, is_java ? ", as the Java port writes" : "");
}
