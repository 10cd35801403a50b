/*
** What reads a file of LevelDB: the file, the row that is made of it, and how
** far the reading has come. Each form is read by steps. A step is called for
** the next row and says which step follows it. It returns SQLITE_ROW for a row,
** GO_ON if the step that follows may have one, SQLITE_DONE or SQLITE_NOMEM.
*/
#ifndef BLOOM_LEVELDB_READ_ROWS_H
#define BLOOM_LEVELDB_READ_ROWS_H

#include "../core/storage.h"
#include "../table.h"

#define GO_ON SQLITE_OK

/* The columns of leveldb_read: numbers, then bytes. */
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

typedef struct file_row {
  const char *kind;
  unsigned has; /* a bit for each column below that is not NULL */
  uint64_t numbers[COLUMN_SEQUENCE + 1];
  bloom_slice bytes[2]; /* the key and the value */
  char *damage;         /* or NULL, which is freed */
} file_row;

/* Bytes of our own, which grow. Zero at first. */
typedef struct file_bytes {
  uint8_t *data; /* NULL before anything was put there */
  size_t size, room;
} file_bytes;

/* A block that is read: where it is, its contents, and its last key. */
typedef struct file_block {
  const char *kind;
  uint64_t offset, size;
  file_bytes uncompressed;
  bloom_slice contents; /* NULL if the block cannot be read */
  bool has_entries;     /* the contents can have some */
  bloom_block entries;
  file_bytes key;
} file_block;

typedef struct file_rows {
  sql_rows base;
  sqlite3_value *file, *argument; /* copies, which hold the bytes of the next */
  bloom_slice bytes;
  bool has_key, is_get, is_edit;
  bloom_slice key;
  sql_key key_bytes;
  int (*step)(struct file_rows *rows);
  file_row row;

  /* Of a table. The index gives the blocks, unless they are found by their
  ** checksums, from the next offset up to the end. */
  file_block meta, filter, index, data;
  bool has_index;
  uint64_t said_size, next_offset, end, first_size;
  uint32_t filters;      /* how many filters the filter block has */
  uint32_t given;        /* how many of them were given */
  file_bytes lower;      /* the index's key before that of the data block */
  file_bytes previous;   /* the key of the entry before */
  sqlite3_stmt *inflate; /* the program's function, if it was asked */

  /* Of a log, whose messages are records, or joined of several. */
  size_t log_offset;
  bool has_record; /* one was read and is not yet given */
  bool is_open;    /* a message lacks its end */
  bloom_record record;
  uint64_t message, sequence, item, writes;
  file_bytes joined;
  bloom_slice items; /* what is left of the message */
} file_rows;

static inline void set_number(file_rows *rows, int column, uint64_t n) {
  rows->row.numbers[column] = n;
  rows->row.has |= 1u << column;
}

static inline void set_bytes(file_rows *rows, int column, bloom_slice bytes) {
  rows->row.bytes[column - COLUMN_KEY] = bytes;
  rows->row.has |= 1u << column;
}

/* The row with this kind and offset, which begins there: SQLITE_ROW. */
int sql_give_row(file_rows *rows, const char *kind, uint64_t offset);

/* The same with what is damaged: SQLITE_ROW or SQLITE_NOMEM. */
int sql_give_damage(file_rows *rows, const char *kind, uint64_t offset,
                    const char *format, ...);

static inline bloom_slice slice_of(const file_bytes *bytes) {
  return (bloom_slice){bytes->data, bytes->size};
}

/* Makes room for this many bytes; data is then not NULL, even for none. Returns
** false if out of memory. */
bool sql_grow_bytes(file_bytes *bytes, uint64_t room);

/* Puts a copy of the slice at the end of the bytes, or in their place. Returns
** false if out of memory. */
bool sql_append_bytes(file_bytes *bytes, bloom_slice slice);
bool sql_copy_bytes(file_bytes *bytes, bloom_slice slice);

/* As memcmp: the order of LevelDB's own comparator. */
int sql_compare_keys(bloom_slice a, bloom_slice b);

/* Whether entries of this key are asked for. */
bool sql_is_wanted(const file_rows *rows, bloom_slice key);

/* ---- The first steps of each form. */

/* Of a table whose size is given, in sstable.c, and of any other. */
int sql_size_step(file_rows *rows);
int sql_footer_step(file_rows *rows);

/* Of a log or a MANIFEST, in log.c. */
int sql_log_step(file_rows *rows);

/* There is no row, or no further one. */
int sql_no_step(file_rows *rows);

#endif
