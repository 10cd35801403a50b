/*
** leveldb_read(file, form, key, size), a table of what one file of LevelDB
** holds. file has its bytes, so that nothing is read but what the caller has
** read. form is:
**
**  (1)  'table' for a table (.ldb, .sst): a row for each of its blocks ('index
**       block', 'data block' ...) and filters ('filter', sequence counts them),
**       and one for each entry ('entry'). If key is given, only for blocks that
**       may have keys which begin with it, and for their entries that do. If
**       size is given, which the MANIFEST says, no more bytes are read.
**  (2)  'get', with a key: the same for this key alone. Blocks that their
**       filter says have no such key are not read, but 'spared'.
**  (3)  'log' for a log (.log): a row for each part of a record ('record'), of
**       which the last has its bytes as value, and one for each write in a
**       batch ('entry').
**  (4)  'manifest': the same, with one for each item of an edit, named by what
**       it is ('new file' ...). type is a level, sequence a number, key and
**       value the first and the last key of a file, with 8 bytes of their
**       sequence numbers and types.
**  (5)  An entry has a sequence number, a type (1 a value, 0 a deletion), a key
**       and a value. A data block has the bounds of its keys as key and value.
**  (6)  damage says what LevelDB would refuse or skip, and what makes its Get
**       differ from its iterator: keys out of order, and filters that lack
**       them. The kind of what LevelDB takes for the end of a log is 'torn',
**       and that of what it skips behind zeros, without a word, 'skipped'.
**       Without a footer, the blocks are found by their checksums.
**  (7)  Blocks of other types than LevelDB's are given to leveldb_inflate(type,
**       stored) if the connection has such a function, which returns a BLOB.
*/
#include <stdarg.h>

#include "core/bloom.h"
#include "core/coding.h"
#include "core/crc32c.h"
#include "core/storage.h"
#include "families.h"
#include "table.h"

enum {
  COLUMN_OFFSET,
  COLUMN_KIND,
  COLUMN_SIZE,
  COLUMN_TYPE,
  COLUMN_SEQUENCE,
  COLUMN_KEY,
  COLUMN_VALUE,
  COLUMN_DAMAGE,
  COLUMN_FILE
};

/* What a row has besides its offset and its kind. */
enum {
  HAS_SIZE = 1,
  HAS_TYPE = 2,
  HAS_SEQUENCE = 4,
  HAS_KEY = 8,
  HAS_VALUE = 16
};

typedef struct file_row {
  const char *kind;
  int has;
  uint64_t offset, size, type, sequence;
  bloom_slice key, value;
  char *damage; /* or NULL, which is freed */
} file_row;

typedef struct buffer {
  uint8_t *data;
  size_t size, room;
} buffer;

/* A block that is being read: where it is, its contents, and its last key. */
typedef struct open_block {
  uint64_t offset, size;
  buffer uncompressed;
  bloom_slice contents;
  bloom_block entries;
  buffer key;
} open_block;

typedef struct file_rows {
  sql_rows base;
  sqlite3_value *file, *argument; /* copies, which hold the bytes of the next */
  bloom_slice bytes;
  bool has_key, is_get, is_edit;
  bloom_slice key;
  sql_key key_bytes;
  int (*step)(struct file_rows *rows); /* gives a row, or goes on */
  file_row row;

  /* Of a table. The index gives the blocks, unless they are found by their
  ** checksums, from the next offset up to the end. */
  open_block meta, filter, index, data;
  bool has_index, has_previous;
  uint64_t said_size, next_offset, end, first_size;
  uint32_t filters;      /* how many filters the filter block has */
  uint32_t given;        /* how many of them were given */
  buffer lower;          /* the index's key before that of the data block */
  buffer previous;       /* the key of the entry before */
  sqlite3_stmt *inflate; /* the program's function, if it was asked */

  /* Of a log. */
  size_t offset;
  bool has_record,
      is_open; /* a record that was read; a record without its end */
  bloom_record record;
  uint64_t message, sequence, item, writes;
  buffer joined;
  bloom_slice items;
  int (*take)(struct file_rows *rows); /* takes an item */
} file_rows;

/* What a step returns if it has no row, but the next may have one. */
#define GO_ON SQLITE_OK

static int give(file_rows *rows, const char *kind, uint64_t offset) {
  rows->row.kind = kind;
  rows->row.offset = offset;
  return SQLITE_ROW;
}

/* A row about damage. */
static int damaged(file_rows *rows, const char *kind, uint64_t offset,
                   const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  rows->row.damage = sqlite3_vmprintf(format, arguments);
  va_end(arguments);
  return rows->row.damage == NULL ? SQLITE_NOMEM : give(rows, kind, offset);
}

static bool grow_buffer(buffer *bytes, size_t room) {
  if (room <= bytes->room) return true;
  uint8_t *data = sqlite3_realloc64(bytes->data, room);
  if (data == NULL) return false;
  *bytes = (buffer){data, bytes->size, room};
  return true;
}

/* Puts a copy of the slice at the end of the bytes. */
static bool append_slice(buffer *bytes, bloom_slice slice) {
  if (!grow_buffer(bytes, bytes->size + slice.size)) return false;
  if (slice.size > 0) memcpy(bytes->data + bytes->size, slice.data, slice.size);
  bytes->size += slice.size;
  return true;
}

static bool copy_slice(buffer *bytes, bloom_slice slice) {
  bytes->size = 0;
  return append_slice(bytes, slice);
}

static bloom_slice slice_of(const buffer *bytes) {
  return (bloom_slice){bytes->data, bytes->size};
}

static int compare(bloom_slice a, bloom_slice b) {
  const size_t n = a.size < b.size ? a.size : b.size;
  const int difference = n > 0 ? memcmp(a.data, b.data, n) : 0;
  return difference != 0 ? difference : (a.size > b.size) - (a.size < b.size);
}

/* An entry's key without its last 8 bytes, which are its sequence number and
** its type; all of it if there are fewer. */
static bloom_slice user_key(bloom_slice key) {
  return (bloom_slice){key.data, key.size < 8 ? key.size : key.size - 8};
}

/* In LevelDB's order, entries of a key begin with the newest. */
static int compare_entries(bloom_slice a, bloom_slice b) {
  const int difference = compare(user_key(a), user_key(b));
  if (difference != 0 || a.size < 8 || b.size < 8) return difference;
  const uint64_t first = bloom_load_fixed64(a.data + a.size - 8);
  const uint64_t second = bloom_load_fixed64(b.data + b.size - 8);
  return (first < second) - (first > second);
}

static bool is_wanted(const file_rows *rows, bloom_slice key) {
  if (!rows->has_key) return true;
  if (!rows->is_get && key.size > rows->key.size) key.size = rows->key.size;
  return compare(key, rows->key) == 0;
}

/* ---- Blocks. */

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
static int inflate(file_rows *rows, open_block *block, uint8_t type,
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
    rc = copy_slice(&block->uncompressed, whole) ? SQLITE_ROW : SQLITE_NOMEM;
  }
  return sqlite3_reset(rows->inflate) == SQLITE_NOMEM ? SQLITE_NOMEM : rc;
}

/* Uncompresses a block, in the same way. */
static int uncompress(file_rows *rows, open_block *block, uint8_t type,
                      bloom_slice stored) {
  block->contents = stored;
  if (type == 0) return SQLITE_ROW;
  int rc = SQLITE_DONE;
  if (type != 1) {
    rc = inflate(rows, block, type, stored);
  } else if (bloom_snappy_size(stored, &block->uncompressed.size)) {
    if (!grow_buffer(&block->uncompressed, block->uncompressed.size + 1)) {
      return SQLITE_NOMEM;
    }
    if (bloom_snappy_uncompress(stored, block->uncompressed.data,
                                block->uncompressed.size)) {
      rc = SQLITE_ROW;
    }
  }
  block->contents =
      rc == SQLITE_ROW ? slice_of(&block->uncompressed) : (bloom_slice){0};
  return rc;
}

/* Reads the block of this handle: its row, in which damage says why it cannot
** be read. */
static int read_block(file_rows *rows, open_block *block, const char *kind,
                      uint64_t offset, uint64_t size) {
  block->offset = offset;
  block->size = size;
  block->contents = (bloom_slice){NULL, 0};
  rows->row.size = size;
  rows->row.has |= HAS_SIZE;
  bloom_slice rest = rows->bytes, before, stored;
  if (!bloom_take_bytes(&rest, offset, &before) || size > SIZE_MAX - 5 ||
      !bloom_take_bytes(&rest, size + 5, &stored)) {
    return damaged(rows, kind, offset,
                   "%s of %lld bytes: it passes the end of the file", kind,
                   (long long)size);
  }
  if (!bloom_has_checksum(stored)) {
    return damaged(rows, kind, offset,
                   "%s of %lld bytes: its checksum is wrong", kind,
                   (long long)size);
  }
  stored.size -= 5;
  const uint8_t type = stored.data[stored.size];
  rows->row.type = type;
  rows->row.has |= HAS_TYPE;
  const int rc = uncompress(rows, block, type, stored);
  if (rc == SQLITE_ROW) return give(rows, kind, offset);
  if (rc == SQLITE_NOMEM) return rc;
  return damaged(rows, kind, offset,
                 "%s of %lld bytes: type %d is not to be uncompressed here: %s",
                 kind, (long long)size, type, name_of(type, stored));
}

/* Goes before the first entry of a block that was read. */
static int open_entries(open_block *block, bool *is_open) {
  block->key.size = 0;
  *is_open = bloom_block_open(&block->entries, block->contents);
  const size_t room = bloom_block_longest_key(&block->entries);
  return grow_buffer(&block->key, room + 1) ? SQLITE_OK : SQLITE_NOMEM;
}

static bloom_entry next_entry(open_block *block) {
  const bloom_entry entry = bloom_block_next(&block->entries, block->key.data);
  block->key.size = block->entries.key_size;
  return entry;
}

static bool take_handle(bloom_slice *input, uint64_t *offset, uint64_t *size) {
  return bloom_take_varint(input, 64, offset) &&
         bloom_take_varint(input, 64, size);
}

/* ---- Tables. Each step gives a row, or says which step is next. */

static int no_step(file_rows *rows) {
  (void)rows;
  return SQLITE_DONE;
}

/* What is wrong in a data block, with the bounds of its keys. */
static void give_bounds(file_rows *rows) {
  if (!rows->has_index) return;
  rows->row.key = user_key(slice_of(&rows->lower));
  rows->row.value = user_key(slice_of(&rows->index.key));
  rows->row.has |= HAS_VALUE | (rows->lower.data != NULL ? HAS_KEY : 0);
}

static int wrong_block(file_rows *rows, const char *kind,
                       const open_block *block, const char *wrong) {
  if (block == &rows->data) give_bounds(rows);
  return damaged(rows, kind, block->offset, "%s: %s", kind, wrong);
}

#define WRONG_ENTRY \
  "an entry is wrong, and what follows in its block is skipped"
#define WRONG_HANDLE "a handle is wrong"
#define WRONG_RESTARTS \
  "its restarts are wrong, from which LevelDB looks up a key"

/* Whether the block that was found by its checksum has entries of keys, which
** those of the index, the metaindex and the filters have not. */
static bool is_data(file_rows *rows) {
  open_block *block = &rows->data;
  uint64_t offset, size;
  if (next_entry(block) != BLOOM_ENTRY) return false;
  bloom_slice value = block->entries.value;
  const bool is_index = take_handle(&value, &offset, &size) &&
                        value.size == 0 && offset == 0 &&
                        size == rows->first_size;
  const bool is_meta =
      block->key.size > 7 && memcmp(block->key.data, "filter.", 7) == 0;
  return !is_index && !is_meta;
}

static int entry_step(file_rows *rows);
static int data_step(file_rows *rows);

/* Finds the block that begins at the next offset: the first bytes which their
** checksum follows. */
static int find_step(file_rows *rows) {
  const uint64_t offset = rows->next_offset;
  rows->has_index = false;
  rows->step = no_step;
  if (offset >= rows->end) return GO_ON;
  const uint8_t *bytes = rows->bytes.data + offset;
  uint32_t crc = bloom_crc32c_value(bytes, 4);
  for (uint64_t size = 4; size + 5 <= rows->end - offset; size++) {
    crc = bloom_crc32c_extend(crc, bytes + size, 1);
    if (bloom_crc32c_mask(crc) != bloom_load_fixed32(bytes + size + 1))
      continue;
    bool is_open;
    int rc = read_block(rows, &rows->data, "data block", offset, size);
    if (rc == SQLITE_ROW && open_entries(&rows->data, &is_open) != SQLITE_OK) {
      rc = SQLITE_NOMEM;
    }
    if (rc != SQLITE_ROW) return rc;
    if (offset == 0) rows->first_size = size;
    rows->next_offset = offset + size + 5;
    rows->step = find_step;
    if (rows->row.damage != NULL) return rc;
    if (!is_open || !is_data(rows)) return GO_ON;
    rows->step = data_step;
    return rc;
  }
  if (rows->end - offset <= 48) return GO_ON;
  return damaged(rows, "data block", offset,
                 "data blocks: what follows is in none that has a checksum");
}

/* The key of a filter whose name is LevelDB's, or goleveldb's. */
static bool is_filter(bloom_slice key) {
  static const char name[] = "filter." BLOOM_POLICY_NAME;
  const size_t size = sizeof(name) - 1;
  return (key.size == size || key.size == size - 1) &&
         memcmp(key.data, name, key.size) == 0;
}

/* The offset of filter i, which is the end of the one before. */
static uint32_t filter_offset(const open_block *filter, uint64_t i) {
  const uint8_t *end = filter->contents.data + filter->contents.size - 5;
  return bloom_load_fixed32(filter->contents.data + bloom_load_fixed32(end) +
                            4 * i);
}

/* Filter i, or false if the offsets are no range of bytes. */
static bool filter_bits(const open_block *filter, uint64_t i,
                        bloom_slice *bits) {
  const uint32_t start = filter_offset(filter, i);
  const uint32_t end = filter_offset(filter, i + 1);
  const uint8_t *last = filter->contents.data + filter->contents.size - 5;
  if (start > end || end > bloom_load_fixed32(last)) return false;
  *bits = (bloom_slice){filter->contents.data + start, end - start};
  return true;
}

/* As LevelDB's FilterBlockReader::KeyMayMatch. */
static bool may_match(const file_rows *rows, bloom_slice key) {
  if (rows->filters == 0) return true;
  const uint8_t base =
      rows->filter.contents.data[rows->filter.contents.size - 1];
  const uint64_t i = base < 64 ? rows->data.offset >> base : 0;
  bloom_slice bits;
  if (i >= rows->filters) return true;
  if (!filter_bits(&rows->filter, i, &bits)) {
    return filter_offset(&rows->filter, i) !=
           filter_offset(&rows->filter, i + 1);
  }
  return bloom_key_may_match(key.data, key.size, bits.data, bits.size);
}

/* Goes to the next data block of the index whose keys may be wanted. */
static int index_step(file_rows *rows) {
  open_block *index = &rows->index;
  if (!copy_slice(&rows->lower, slice_of(&index->key))) return SQLITE_NOMEM;
  const bloom_slice lower = user_key(slice_of(&rows->lower));
  const bloom_entry entry = next_entry(index);
  rows->step = entry == BLOOM_ENTRY ? index_step : no_step;
  if (entry == BLOOM_ENTRY_WRONG) {
    rows->step = find_step;
    return wrong_block(rows, "index block", index, WRONG_ENTRY);
  }
  if (entry == BLOOM_ENTRIES_END) {
    if (!index->entries.restarts_wrong) return GO_ON;
    return wrong_block(rows, "index block", &rows->index, WRONG_RESTARTS);
  }
  const bloom_slice upper = user_key(slice_of(&index->key));
  bloom_slice handle = index->entries.value;
  uint64_t offset, size;
  if (!take_handle(&handle, &offset, &size) || offset < rows->next_offset) {
    return wrong_block(rows, "index block", &rows->index, WRONG_HANDLE);
  }
  if (offset == 0) rows->first_size = size;
  if (size < rows->bytes.size && offset < rows->bytes.size) {
    rows->next_offset = offset + size + 5;
  }
  if (rows->has_key && compare(upper, rows->key) < 0) return GO_ON;
  if (rows->has_key && lower.data != NULL && compare(lower, rows->key) > 0 &&
      !is_wanted(rows, lower)) {
    rows->step = no_step;
    return GO_ON;
  }
  give_bounds(rows);
  rows->data.offset = offset;
  if (rows->is_get && !may_match(rows, rows->key)) {
    return give(rows, "spared", offset);
  }
  const int rc = read_block(rows, &rows->data, "data block", offset, size);
  if (rows->data.contents.data != NULL) rows->step = data_step;
  return rc;
}

/* Goes before the first entry of a data block. */
static int data_step(file_rows *rows) {
  bool is_open;
  rows->step = entry_step;
  if (open_entries(&rows->data, &is_open) != SQLITE_OK) return SQLITE_NOMEM;
  if (is_open) return GO_ON;
  rows->step = rows->has_index ? index_step : find_step;
  return wrong_block(rows, "data block", &rows->data, WRONG_ENTRY);
}

/* Whether the key is where LevelDB looks for it: behind the one before, and
** within the bounds that the index gives. */
static bool is_in_order(const file_rows *rows, bloom_slice key) {
  if (rows->has_previous &&
      compare_entries(slice_of(&rows->previous), key) >= 0) {
    return false;
  }
  return !rows->has_index ||
         (compare_entries(key, slice_of(&rows->index.key)) <= 0 &&
          (rows->lower.size == 0 ||
           compare_entries(slice_of(&rows->lower), key) < 0));
}

static int entry_step(file_rows *rows) {
  const bloom_entry entry = next_entry(&rows->data);
  const bloom_slice key = slice_of(&rows->data.key);
  if (entry != BLOOM_ENTRY) {
    rows->step = rows->has_index ? index_step : find_step;
    if (entry == BLOOM_ENTRY_WRONG) {
      return wrong_block(rows, "data block", &rows->data, WRONG_ENTRY);
    }
    if (!rows->data.entries.restarts_wrong) return GO_ON;
    return wrong_block(rows, "data block", &rows->data, WRONG_RESTARTS);
  }
  const uint64_t tag =
      key.size < 8 ? 2 : bloom_load_fixed64(key.data + key.size - 8);
  if ((tag & 255) > 1) {
    return wrong_block(rows, "data block", &rows->data,
                       "a key does not end with a type and a sequence number");
  }
  const bool in_order = is_in_order(rows, key);
  if (!copy_slice(&rows->previous, key)) return SQLITE_NOMEM;
  rows->has_previous = true;
  if (!is_wanted(rows, user_key(key))) return GO_ON;
  rows->row.key = user_key(key);
  rows->row.value = rows->data.entries.value;
  rows->row.type = tag & 255;
  rows->row.sequence = tag >> 8;
  rows->row.has = HAS_KEY | HAS_TYPE | HAS_SEQUENCE;
  if ((tag & 255) == 1) rows->row.has |= HAS_VALUE;
  if (!in_order) {
    return damaged(rows, "entry", rows->data.offset, "keys out of order");
  }
  if (!may_match(rows, rows->row.key)) {
    return damaged(rows, "entry", rows->data.offset, "its filter lacks it");
  }
  return give(rows, "entry", rows->data.offset);
}

static int read_index_step(file_rows *rows) {
  const int rc = read_block(rows, &rows->index, "index block",
                            rows->index.offset, rows->index.size);
  rows->step = find_step;
  if (rows->index.contents.data == NULL) return rc;
  bool is_open;
  if (open_entries(&rows->index, &is_open) != SQLITE_OK) return SQLITE_NOMEM;
  if (!is_open)
    return wrong_block(rows, "index block", &rows->index, WRONG_ENTRY);
  rows->has_index = true;
  rows->step = index_step;
  return rc;
}

static int filters_step(file_rows *rows) {
  bloom_slice bits;
  if (rows->has_key || rows->given == rows->filters) {
    rows->step = read_index_step;
    return GO_ON;
  }
  rows->row.sequence = rows->given++;
  rows->row.has = HAS_SEQUENCE;
  if (!filter_bits(&rows->filter, rows->row.sequence, &bits)) {
    return damaged(rows, "filter", rows->filter.offset,
                   "filter %lld: its bytes are no range",
                   (long long)rows->row.sequence);
  }
  rows->row.value = bits;
  rows->row.has |= HAS_VALUE;
  return give(rows, "filter", rows->filter.offset);
}

/* The filter block ends with the offsets of its filters, where the first of
** these offsets is, and the logarithm of how many bytes of data blocks each
** filter is for. */
static int filter_step(file_rows *rows) {
  const int rc = read_block(rows, &rows->filter, "filter block",
                            rows->filter.offset, rows->filter.size);
  const bloom_slice contents = rows->filter.contents;
  rows->step = filters_step;
  if (rows->filter.offset < rows->end) rows->end = rows->filter.offset;
  if (contents.size < 5) return rc;
  const uint32_t first = bloom_load_fixed32(contents.data + contents.size - 5);
  if (first > contents.size - 5) return rc;
  rows->filters = (uint32_t)((contents.size - 5 - first) / 4);
  rows->row.sequence = contents.data[contents.size - 1];
  rows->row.has |= HAS_SEQUENCE;
  return rc;
}

static int meta_entries_step(file_rows *rows) {
  bool is_open;
  rows->step = read_index_step;
  if (open_entries(&rows->meta, &is_open) != SQLITE_OK) return SQLITE_NOMEM;
  bloom_entry entry = is_open ? next_entry(&rows->meta) : BLOOM_ENTRY_WRONG;
  while (entry == BLOOM_ENTRY && !is_filter(slice_of(&rows->meta.key))) {
    entry = next_entry(&rows->meta);
  }
  if (entry == BLOOM_ENTRIES_END) return GO_ON;
  if (entry != BLOOM_ENTRY) {
    return wrong_block(rows, "metaindex block", &rows->meta, WRONG_ENTRY);
  }
  bloom_slice handle = rows->meta.entries.value;
  if (!take_handle(&handle, &rows->filter.offset, &rows->filter.size)) {
    return wrong_block(rows, "metaindex block", &rows->meta, WRONG_HANDLE);
  }
  rows->step = filter_step;
  return GO_ON;
}

static int meta_step(file_rows *rows) {
  const int rc = read_block(rows, &rows->meta, "metaindex block",
                            rows->meta.offset, rows->meta.size);
  rows->step =
      rows->meta.contents.data != NULL ? meta_entries_step : read_index_step;
  return rc;
}

#define FOOTER_SIZE 48

static bool is_table(bloom_slice bytes) {
  return bytes.size >= FOOTER_SIZE &&
         bloom_load_fixed64(bytes.data + bytes.size - 8) == 0xdb4775248b80fb57;
}

static int footer_step(file_rows *rows) {
  const bloom_slice bytes = rows->bytes;
  rows->step = no_step;
  rows->end = bytes.size;
  if (bytes.size == 0) {
    return damaged(rows, "footer", 0, "the file is empty");
  }
  const size_t magic = bytes.size < 8 ? 0 : bytes.size - 8;
  if (bytes.size >= 8 &&
      bloom_load_fixed64(bytes.data + magic) == 0x88e241b785f4cff7) {
    return damaged(rows, "footer", magic,
                   "no table of LevelDB: RocksDB's magic number is at its end");
  }
  rows->step = find_step;
  if (!is_table(bytes)) {
    return damaged(rows, "footer", magic,
                   "no table: LevelDB's magic number is not at its end, which "
                   "is cut off or damaged");
  }
  rows->end -= FOOTER_SIZE;
  bloom_slice handles = {bytes.data + rows->end, FOOTER_SIZE - 8};
  if (!take_handle(&handles, &rows->meta.offset, &rows->meta.size) ||
      !take_handle(&handles, &rows->index.offset, &rows->index.size)) {
    return damaged(rows, "footer", rows->end, "footer: a handle is wrong");
  }
  if (rows->meta.offset < rows->end) rows->end = rows->meta.offset;
  if (rows->index.offset < rows->end) rows->end = rows->index.offset;
  rows->step = meta_step;
  return GO_ON;
}

/* Of a table, LevelDB reads as many bytes as the MANIFEST says. If the file has
** fewer, LevelDB cannot read it. */
static int size_step(file_rows *rows) {
  const size_t size = rows->bytes.size;
  rows->step = footer_step;
  if (size == rows->said_size) return GO_ON;
  if (size > rows->said_size) rows->bytes.size = (size_t)rows->said_size;
  const bool is_java = size + 4 == rows->said_size && is_table(rows->bytes);
  return damaged(
      rows, size < rows->said_size ? "short" : "long", rows->said_size,
      "the file has %lld bytes, and the MANIFEST says %lld%s", (long long)size,
      (long long)rows->said_size, is_java ? ", as the Java port writes" : "");
}

/* ---- Logs. */

static int log_step(file_rows *rows);

/* Takes the writes of a batch, which begins with the sequence number of the
** first and their number. */
static int write_step(file_rows *rows) {
  bloom_slice head;
  uint64_t tag;
  const uint64_t message = rows->message;
  if (rows->item == 0) {
    if (!bloom_take_bytes(&rows->items, 12, &head)) {
      rows->step = log_step;
      return damaged(rows, "batch", message,
                     "batch: item 0 is cut off or wrong");
    }
    rows->sequence = bloom_load_fixed64(head.data);
    rows->writes = bloom_load_fixed32(head.data + 8);
  }
  const uint64_t item = ++rows->item;
  if (rows->items.size == 0) {
    rows->step = log_step;
    if (item - 1 == rows->writes) return GO_ON;
    return damaged(rows, "batch", message,
                   "batch: its number of writes is %lld",
                   (long long)rows->writes);
  }
  tag = *rows->items.data++;
  rows->items.size--;
  if (tag > 1 || !bloom_take_string(&rows->items, &rows->row.key) ||
      (tag == 1 && !bloom_take_string(&rows->items, &rows->row.value))) {
    rows->step = log_step;
    if (tag > 1) {
      return damaged(rows, "batch", message, "batch: unknown tag %d", (int)tag);
    }
    return damaged(rows, "batch", message,
                   "batch: item %lld is cut off or wrong", (long long)item);
  }
  if (!is_wanted(rows, rows->row.key)) return GO_ON;
  rows->row.type = tag;
  rows->row.sequence = rows->sequence + item - 1;
  rows->row.has = HAS_TYPE | HAS_SEQUENCE | HAS_KEY;
  if (tag == 1) rows->row.has |= HAS_VALUE;
  return give(rows, "entry", message);
}

/* The items of an edit: what each tag stands for, and which fields follow it: a
** level, a number, a size, keys, or the comparator's name. */
static const struct {
  const char *kind, *fields;
} edit_items[] = {
    {NULL, NULL},           {"comparator", "c"},
    {"log number", "n"},    {"next file number", "n"},
    {"last sequence", "n"}, {"compaction pointer", "lk"},
    {"deleted file", "ln"}, {"new file", "lnskv"},
    {NULL, NULL},           {"previous log number", "n"},
};

/* Takes a field, or returns what is wrong with it. */
static const char *take_field(file_rows *rows, char field) {
  file_row *row = &rows->row;
  uint64_t n;
  bloom_slice string;
  const bool is_number = field == 'l' || field == 'n' || field == 's';
  if (is_number ? !bloom_take_varint(&rows->items, field == 'l' ? 32 : 64, &n)
                : !bloom_take_string(&rows->items, &string)) {
    return "cut off";
  }
  switch (field) {
    case 'l':
      row->type = n;
      row->has |= HAS_TYPE;
      return n > 6 ? "level" : NULL;
    case 'n':
      row->sequence = n;
      row->has |= HAS_SEQUENCE;
      return NULL;
    case 's':
      row->size = n;
      row->has |= HAS_SIZE;
      return NULL;
    case 'v':
      row->value = string;
      row->has |= HAS_VALUE;
      return string.size < 8 ? "key" : NULL;
    default:
      row->key = string;
      row->has |= HAS_KEY;
      return field == 'k' && string.size < 8 ? "key" : NULL;
  }
}

static int edit_step(file_rows *rows) {
  uint64_t tag;
  const char *wrong = NULL;
  const uint64_t message = rows->message;
  if (rows->items.size == 0) {
    rows->step = log_step;
    return GO_ON;
  }
  rows->item++;
  if (!bloom_take_varint(&rows->items, 32, &tag)) {
    rows->step = log_step;
    return damaged(rows, "edit", message, "edit: wrong tag");
  }
  const size_t items = sizeof(edit_items) / sizeof(*edit_items);
  if (tag >= items || edit_items[tag].kind == NULL) {
    rows->step = log_step;
    return damaged(rows, "edit", message,
                   tag < items ? "edit: unknown tag %lld"
                               : "edit: its tag %lld is not LevelDB's, perhaps "
                                 "RocksDB's",
                   (long long)tag);
  }
  for (const char *f = edit_items[tag].fields; *f != 0 && wrong == NULL; f++) {
    wrong = take_field(rows, *f);
  }
  if (wrong == NULL) return give(rows, edit_items[tag].kind, message);
  rows->row.has = 0;
  rows->step = log_step;
  if (*wrong == 'l') {
    return damaged(rows, "edit", message, "edit: a table's level is %lld",
                   (long long)rows->row.type);
  }
  if (*wrong == 'k') {
    return damaged(rows, "edit", message,
                   "edit: a key is shorter than 8 bytes");
  }
  return damaged(rows, "edit", message, "edit: item %lld is cut off or wrong",
                 (long long)rows->item);
}

/* No record has these types, which LevelDB's reader takes for its own values of
** the end of a log, and of a record that it skips (db/log_reader.h). */
enum { TYPE_END = 5, TYPE_SKIPPED };

/* The row of a record that is damaged, or has no place. */
static int record_damage(file_rows *rows, const bloom_record *record,
                         const char *wrong) {
  const char *kind = record->damage == BLOOM_RECORD_TORN ? "torn" : "record";
  if (record->damage == BLOOM_RECORD_SKIPPED) {
    return damaged(rows, "skipped", record->offset,
                   "zeros: what follows in its block is skipped");
  }
  if (record->type < 0) {
    return damaged(rows, kind, record->offset,
                   "record: the file ends within it, at %lld",
                   (long long)rows->bytes.size);
  }
  const long long size = (long long)record->size;
  switch (record->damage) {
    case BLOOM_RECORD_TORN:
      return damaged(rows, kind, record->offset,
                     "record of %lld bytes: the file ends within it, at %lld",
                     size, (long long)rows->bytes.size);
    case BLOOM_RECORD_LONG:
      wrong = "its size passes the end of its block";
      break;
    case BLOOM_RECORD_CHECKSUM:
      wrong = "its checksum is wrong";
      break;
    default:
      if (wrong == NULL) {
        if (record->type == TYPE_END) rows->offset = rows->bytes.size;
        return damaged(rows,
                       record->type == TYPE_END || record->type == TYPE_SKIPPED
                           ? "torn"
                           : kind,
                       record->offset, "record of %lld bytes: its type is %d",
                       size, record->type);
      }
  }
  return damaged(rows, kind, record->offset, "record of %lld bytes: %s", size,
                 wrong);
}

/* Gives a whole record, and makes it, or what it ends, the message. */
static int give_record(file_rows *rows, const bloom_record *record) {
  const bool is_first = record->type == 1 || record->type == 2;
  if (is_first) {
    rows->joined.size = 0;
    rows->message = record->offset;
  }
  rows->items = record->data;
  if (record->type != 1 && record->type != 0) {
    if (!append_slice(&rows->joined, record->data)) return SQLITE_NOMEM;
    rows->items = slice_of(&rows->joined);
  }
  rows->is_open = record->type == 2 || record->type == 3;
  if (record->type == 1 || record->type == 4) {
    rows->item = 0;
    rows->step = rows->is_edit ? edit_step : write_step;
    rows->row.value = rows->items;
    rows->row.has |= HAS_VALUE;
  }
  return give(rows, "record", record->offset);
}

static int log_step(file_rows *rows) {
  bloom_record *record = &rows->record;
  if (!rows->has_record) {
    rows->has_record = bloom_next_record(rows->bytes, &rows->offset, record);
  }
  const bool is_whole =
      rows->has_record && record->damage == BLOOM_RECORD_WHOLE;
  const bool begins = is_whole && (record->type == 1 || record->type == 2);
  const bool goes_on = is_whole && (record->type == 3 || record->type == 4);
  const bool was_open = rows->is_open;
  if (was_open && !goes_on) {
    /* An empty first part is left by old writers. */
    rows->is_open = false;
    if (!begins || rows->joined.size > 0) {
      const bool is_torn = !rows->has_record ||
                           record->damage == BLOOM_RECORD_TORN ||
                           (is_whole && record->type == TYPE_END);
      return damaged(rows, is_torn ? "torn" : "record", rows->message,
                     "record: its last part is missing");
    }
  }
  if (!rows->has_record) return SQLITE_DONE;
  rows->has_record = false;
  if (record->type >= 0) {
    rows->row.type = (uint64_t)record->type;
    rows->row.size = record->size;
    rows->row.has = HAS_SIZE | HAS_TYPE;
  }
  const bool is_zeros = is_whole && record->type == 0 && record->size == 0;
  if (begins || (goes_on && was_open) || is_zeros) {
    return give_record(rows, record);
  }
  return record_damage(rows, record,
                       goes_on ? "its first part is missing" : NULL);
}

/* ---- The table. */

static const struct {
  const char *form;
  int (*step)(file_rows *rows);
} forms[] = {{"table", footer_step},
             {"get", footer_step},
             {"log", log_step},
             {"manifest", log_step}};

/* The first step, or NULL if the argument is no form. */
static int (*first_step(file_rows *rows, sqlite3_value *form))(file_rows *) {
  const char *text = (const char *)sqlite3_value_text(form);
  for (size_t i = 0; i < sizeof(forms) / sizeof(*forms) && text != NULL; i++) {
    if (strcmp(text, forms[i].form) != 0) continue;
    rows->is_get = *text == 'g';
    rows->is_edit = *text == 'm';
    return forms[i].step;
  }
  return NULL;
}

static int missing_step(file_rows *rows) {
  rows->step = no_step;
  return damaged(rows, "file", 0, "the file cannot be read");
}

/* Takes the size of a table, if it is given. Returns false if it is none. */
static bool take_size(file_rows *rows, sqlite3_value *size) {
  if (size == NULL || sqlite3_value_type(size) == SQLITE_NULL) return true;
  const int type = sqlite3_value_numeric_type(size);
  sqlite3_int64 bytes = sqlite3_value_int64(size);
  if (type == SQLITE_FLOAT &&
      !sql_real_is_integer(sqlite3_value_double(size), &bytes)) {
    return false;
  }
  rows->said_size = (uint64_t)bytes;
  if (rows->step == footer_step) rows->step = size_step;
  return type == SQLITE_INTEGER || type == SQLITE_FLOAT;
}

static int file_begin(sql_rows *base, sqlite3_value **arguments) {
  file_rows *rows = (file_rows *)base;
  if (arguments[0] == NULL || arguments[1] == NULL) {
    return sql_rows_error(
        base, SQLITE_ERROR,
        sqlite3_mprintf("file and form must be given, as in "
                        "leveldb_read(readfile('000005.ldb'), 'table')"));
  }
  rows->step = first_step(rows, arguments[1]);
  if (rows->step == NULL) {
    return sql_rows_error(
        base, SQLITE_ERROR,
        sql_argument_text("form", "'table', 'get', 'log' or 'manifest'",
                          arguments[1], NULL));
  }
  const int type = sqlite3_value_type(arguments[0]);
  if (type != SQLITE_BLOB && type != SQLITE_NULL) {
    return sql_rows_error(
        base, SQLITE_ERROR,
        sql_argument_text("file", "a BLOB, as readfile returns it",
                          arguments[0], NULL));
  }
  rows->has_key =
      arguments[2] != NULL && sqlite3_value_type(arguments[2]) != SQLITE_NULL;
  if (rows->is_get && !rows->has_key) {
    return sql_rows_error(base, SQLITE_ERROR,
                          sqlite3_mprintf("key must be given for 'get'"));
  }
  if (!take_size(rows, arguments[3])) {
    return sql_rows_error(
        base, SQLITE_ERROR,
        sql_argument_text("size", "an integer", arguments[3], NULL));
  }
  rows->file = sqlite3_value_dup(arguments[0]);
  if (rows->file == NULL) return SQLITE_NOMEM;
  if (rows->has_key) {
    rows->argument = sqlite3_value_dup(arguments[2]);
    if (rows->argument == NULL ||
        sql_read_key(rows->argument, &rows->key_bytes) != VALUE_READ) {
      return SQLITE_NOMEM;
    }
    rows->key =
        (bloom_slice){rows->key_bytes.bytes.data, rows->key_bytes.bytes.size};
  }
  byte_span file;
  if (type == SQLITE_NULL) {
    rows->step = missing_step;
  } else if (sql_read_blob(rows->file, &file) != VALUE_READ) {
    return SQLITE_NOMEM;
  } else {
    rows->bytes = (bloom_slice){file.data, file.size};
  }
  return SQLITE_OK;
}

static int file_next(sql_rows *base) {
  file_rows *rows = (file_rows *)base;
  int rc;
  do {
    sqlite3_free(rows->row.damage);
    rows->row = (file_row){.kind = NULL};
    rc = rows->step(rows);
  } while (rc == GO_ON);
  return rc;
}

static void file_end(sql_rows *base) {
  file_rows *rows = (file_rows *)base;
  open_block *blocks[] = {&rows->meta, &rows->filter, &rows->index,
                          &rows->data};
  for (size_t i = 0; i < sizeof(blocks) / sizeof(*blocks); i++) {
    sqlite3_free(blocks[i]->uncompressed.data);
    sqlite3_free(blocks[i]->key.data);
  }
  sqlite3_free(rows->lower.data);
  sqlite3_free(rows->previous.data);
  sqlite3_free(rows->joined.data);
  sqlite3_free(rows->row.damage);
  sqlite3_finalize(rows->inflate);
  sqlite3_value_free(rows->file);
  sqlite3_value_free(rows->argument);
}

static void result_number(sqlite3_context *context, bool has, uint64_t n) {
  if (has) sqlite3_result_int64(context, (sqlite3_int64)n);
}

static void result_bytes(sqlite3_context *context, bool has,
                         bloom_slice bytes) {
  if (has) {
    sqlite3_result_blob64(context,
                          bytes.size > 0 ? bytes.data : (const void *)"",
                          bytes.size, SQLITE_TRANSIENT);
  }
}

static void file_column(const sql_rows *base, sqlite3_context *context,
                        int column) {
  const file_rows *rows = (const file_rows *)base;
  const file_row *row = &rows->row;
  switch (column) {
    case COLUMN_OFFSET:
      result_number(context, true, row->offset);
      break;
    case COLUMN_KIND:
      sqlite3_result_text(context, row->kind, -1, SQLITE_STATIC);
      break;
    case COLUMN_SIZE:
      result_number(context, row->has & HAS_SIZE, row->size);
      break;
    case COLUMN_TYPE:
      result_number(context, row->has & HAS_TYPE, row->type);
      break;
    case COLUMN_SEQUENCE:
      result_number(context, row->has & HAS_SEQUENCE, row->sequence);
      break;
    case COLUMN_KEY:
      result_bytes(context, row->has & HAS_KEY, row->key);
      break;
    case COLUMN_VALUE:
      result_bytes(context, row->has & HAS_VALUE, row->value);
      break;
    case COLUMN_DAMAGE:
      sqlite3_result_text(context, row->damage, -1, SQLITE_TRANSIENT);
      break;
    case COLUMN_FILE:
      sqlite3_result_value(context, rows->file);
      break;
    default: /* The arguments form and key are NULL in the result. */
      break;
  }
}

static const sql_table file_table = {
    .example = "leveldb_read(file, form)",
    .declaration =
        "CREATE TABLE leveldb_read(offset INTEGER, kind TEXT, size INTEGER, "
        "type INTEGER, sequence INTEGER, key BLOB, value BLOB, damage TEXT, "
        "file BLOB HIDDEN, form TEXT HIDDEN, prefix BLOB HIDDEN, "
        "file_size INTEGER HIDDEN)",
    .columns = COLUMN_FILE,
    .arguments = 4,
    .rows_size = sizeof(file_rows),
    .begin = file_begin,
    .next = file_next,
    .column = file_column,
    .end = file_end,
};

/* The table calls a function of the program, which a view or a trigger must not
** do by a table that anybody may call. */
#define CALLS .direct_only = true, .nondeterministic = true

const sql_function sql_leveldb_read_functions[] = {
    {"leveldb_read", 0, 0, .module = &sql_table_module, .data = &file_table,
     CALLS},
    {"leveldb_read", 1, 4, .scalar = sql_table_function, .data = &file_table,
     CALLS},
    {.name = NULL},
};
