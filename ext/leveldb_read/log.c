/*
** The steps of a log and of a MANIFEST, whose records hold the same: messages
** of items. Source: LevelDB db/log_reader.cc, db/write_batch.cc and
** db/version_edit.cc.
*/
#include "../core/coding.h"
#include "rows.h"

/* The items of an edit by their tags: the kind, and the columns that an item's
** fields are, in their order. The offset, which is no field, ends them. A
** file's level is the type, and its number the sequence. */
static const struct {
  const char *kind;
  uint8_t columns[6];
} edits[] = {
    {NULL, {0}},
    {"comparator", {COLUMN_KEY}},
    {"log number", {COLUMN_SEQUENCE}},
    {"next file number", {COLUMN_SEQUENCE}},
    {"last sequence", {COLUMN_SEQUENCE}},
    {"compaction pointer", {COLUMN_TYPE, COLUMN_KEY}},
    {"deleted file", {COLUMN_TYPE, COLUMN_SEQUENCE}},
    {"new file",
     {COLUMN_TYPE, COLUMN_SEQUENCE, COLUMN_SIZE, COLUMN_KEY, COLUMN_VALUE}},
    {NULL, {0}},
    {"previous log number", {COLUMN_SEQUENCE}},
};

/* The row of a message that is wrong, of which no more is read. The format has
** "batch" or "edit", and then the number. */
static int wrong_message(file_rows *rows, const char *format, uint64_t n) {
  const char *kind = rows->is_edit ? "edit" : "batch";
  rows->row.has = 0;
  rows->step = sql_log_step;
  return sql_give_damage(rows, kind, rows->message, format, kind, (long long)n);
}

static int wrong_item(file_rows *rows) {
  return wrong_message(rows, "%s: item %lld is cut off or wrong", rows->item);
}

/* Takes a field into its column. Returns false if it is cut off. */
static bool take_field(file_rows *rows, int column) {
  uint64_t n;
  bloom_slice bytes;
  if (column >= COLUMN_KEY) {
    if (!bloom_take_string(&rows->items, &bytes)) return false;
    set_bytes(rows, column, bytes);
    return true;
  }
  const int bits = column == COLUMN_TYPE ? 32 : 64;
  if (!bloom_take_varint(&rows->items, bits, &n)) return false;
  set_number(rows, column, n);
  return true;
}

/* Takes an item of an edit, which begins with a varint. */
static int edit_step(file_rows *rows) {
  const size_t tags = sizeof(edits) / sizeof(*edits);
  const file_row *row = &rows->row;
  uint64_t tag;
  if (rows->items.size == 0) {
    rows->step = sql_log_step;
    return GO_ON;
  }
  rows->item++;
  if (!bloom_take_varint(&rows->items, 32, &tag)) {
    return wrong_message(rows, "%s: wrong tag", 0);
  }
  if (tag >= tags) {
    return wrong_message(
        rows, "%s: its tag %lld is not LevelDB's, perhaps RocksDB's", tag);
  }
  if (edits[tag].kind == NULL) {
    return wrong_message(rows, "%s: unknown tag %lld", tag);
  }
  for (const uint8_t *column = edits[tag].columns; *column != 0; column++) {
    if (!take_field(rows, *column)) return wrong_item(rows);
    if (*column == COLUMN_TYPE && row->numbers[COLUMN_TYPE] > 6) {
      return wrong_message(rows, "%s: a table's level is %lld",
                           row->numbers[COLUMN_TYPE]);
    }
    if (*column >= COLUMN_KEY && row->bytes[*column - COLUMN_KEY].size < 8 &&
        edits[tag].columns[0] == COLUMN_TYPE) {
      return wrong_message(rows, "%s: a key is shorter than 8 bytes", 0);
    }
  }
  return sql_give_row(rows, edits[tag].kind, rows->message);
}

/* Takes a write of a batch, which begins with one byte. */
static int write_step(file_rows *rows) {
  if (rows->items.size == 0) {
    rows->step = sql_log_step;
    if (rows->item == rows->writes) return GO_ON;
    return wrong_message(rows, "%s: its number of writes is %lld",
                         rows->writes);
  }
  const uint8_t tag = *rows->items.data++;
  rows->items.size--;
  rows->item++;
  if (tag > 1) return wrong_message(rows, "%s: unknown tag %lld", tag);
  set_number(rows, COLUMN_TYPE, tag);
  set_number(rows, COLUMN_SEQUENCE, rows->sequence + rows->item - 1);
  if (!take_field(rows, COLUMN_KEY) ||
      (tag == 1 && !take_field(rows, COLUMN_VALUE))) {
    return wrong_item(rows);
  }
  if (sql_is_wanted(rows, rows->row.bytes[0])) {
    return sql_give_row(rows, "entry", rows->message);
  }
  return GO_ON;
}

/* Takes the sequence number of a batch's first write, and their number. */
static int batch_step(file_rows *rows) {
  bloom_slice head;
  if (!bloom_take_bytes(&rows->items, 12, &head)) return wrong_item(rows);
  rows->sequence = bloom_load_fixed64(head.data);
  rows->writes = bloom_load_fixed32(head.data + 8);
  rows->step = write_step;
  return GO_ON;
}

/* The types of a record (db/log_format.h). No record has the last two, which
** LevelDB's reader takes for its own values of the end of a log, and of a
** record that it skips (db/log_reader.h). */
enum {
  TYPE_ZERO,
  TYPE_FULL,
  TYPE_FIRST,
  TYPE_MIDDLE,
  TYPE_LAST,
  TYPE_END,
  TYPE_SKIPPED
};

/* The row of a record that is damaged, or has no place. */
static int record_damage(file_rows *rows, const bloom_record *record,
                         bool lacks_first) {
  const long long size = (long long)record->size;
  const char *kind = "record";
  const char *format = "record of %lld bytes: its type is %lld";
  long long n = record->type;
  if (record->type < 0) {
    return sql_give_damage(rows, "torn", record->offset,
                           "record: the file ends within it, at %lld",
                           (long long)rows->bytes.size);
  }
  if (record->damage == BLOOM_RECORD_SKIPPED) {
    kind = "skipped";
    format = "zeros: what follows in its block is skipped";
  } else if (record->damage == BLOOM_RECORD_TORN) {
    kind = "torn";
    n = (long long)rows->bytes.size;
    format = "record of %lld bytes: the file ends within it, at %lld";
  } else if (record->damage == BLOOM_RECORD_LONG) {
    format = "record of %lld bytes: its size passes the end of its block";
  } else if (record->damage == BLOOM_RECORD_CHECKSUM) {
    format = "record of %lld bytes: its checksum is wrong";
  } else if (lacks_first) {
    format = "record of %lld bytes: its first part is missing";
  } else if (record->type == TYPE_END || record->type == TYPE_SKIPPED) {
    kind = "torn";
    if (record->type == TYPE_END) rows->log_offset = rows->bytes.size;
  }
  return sql_give_damage(rows, kind, record->offset, format, size, n);
}

/* Gives a whole record, and makes it, or what it ends, the message. */
static int give_record(file_rows *rows, const bloom_record *record) {
  const bool is_joined = record->type != TYPE_FULL && record->type != TYPE_ZERO;
  if (record->type == TYPE_FULL || record->type == TYPE_FIRST) {
    rows->joined.size = 0;
    rows->message = record->offset;
  }
  if (is_joined && !sql_append_bytes(&rows->joined, record->data)) {
    return SQLITE_NOMEM;
  }
  rows->items = is_joined ? slice_of(&rows->joined) : record->data;
  rows->is_open = record->type == TYPE_FIRST || record->type == TYPE_MIDDLE;
  if (record->type == TYPE_FULL || record->type == TYPE_LAST) {
    rows->item = 0;
    rows->step = rows->is_edit ? edit_step : batch_step;
    set_bytes(rows, COLUMN_VALUE, rows->items);
  }
  return sql_give_row(rows, "record", record->offset);
}

int sql_log_step(file_rows *rows) {
  bloom_record *record = &rows->record;
  if (!rows->has_record) {
    rows->has_record =
        bloom_next_record(rows->bytes, &rows->log_offset, record);
  }
  const bool is_whole =
      rows->has_record && record->damage == BLOOM_RECORD_WHOLE;
  const bool begins =
      is_whole && (record->type == TYPE_FULL || record->type == TYPE_FIRST);
  const bool goes_on =
      is_whole && (record->type == TYPE_MIDDLE || record->type == TYPE_LAST);
  const bool was_open = rows->is_open;
  if (was_open && !goes_on) {
    /* An empty first part is left by old writers. */
    rows->is_open = false;
    if (!begins || rows->joined.size > 0) {
      const bool is_torn = !rows->has_record ||
                           record->damage == BLOOM_RECORD_TORN ||
                           (is_whole && record->type == TYPE_END);
      return sql_give_damage(rows, is_torn ? "torn" : "record", rows->message,
                             "record: its last part is missing");
    }
  }
  if (!rows->has_record) return SQLITE_DONE;
  rows->has_record = false;
  if (record->type >= 0) {
    set_number(rows, COLUMN_TYPE, (uint64_t)record->type);
    set_number(rows, COLUMN_SIZE, record->size);
  }
  const bool is_zeros =
      is_whole && record->type == TYPE_ZERO && record->size == 0;
  if (begins || (goes_on && was_open) || is_zeros) {
    return give_record(rows, record);
  }
  return record_damage(rows, record, goes_on);
}
