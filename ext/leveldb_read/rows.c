#include "rows.h"

#include <stdarg.h>
#include <string.h>

int sql_give_row(file_rows *rows, const char *kind, uint64_t offset) {
  rows->row.kind = kind;
  set_number(rows, COLUMN_OFFSET, offset);
  return SQLITE_ROW;
}

int sql_give_damage(file_rows *rows, const char *kind, uint64_t offset,
                    const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  rows->row.damage = sqlite3_vmprintf(format, arguments);
  va_end(arguments);
  return rows->row.damage == NULL ? SQLITE_NOMEM
                                  : sql_give_row(rows, kind, offset);
}

bool sql_grow_bytes(file_bytes *bytes, uint64_t room) {
  if (room < bytes->room) return true;
  uint8_t *data = sqlite3_realloc64(bytes->data, room + 1);
  if (data == NULL) return false;
  *bytes = (file_bytes){data, bytes->size, (size_t)room + 1};
  return true;
}

bool sql_append_bytes(file_bytes *bytes, bloom_slice slice) {
  const uint64_t size = (uint64_t)bytes->size + slice.size;
  if (!sql_grow_bytes(bytes, size)) return false;
  if (slice.size > 0) memcpy(bytes->data + bytes->size, slice.data, slice.size);
  bytes->size = (size_t)size;
  return true;
}

bool sql_copy_bytes(file_bytes *bytes, bloom_slice slice) {
  bytes->size = 0;
  return sql_append_bytes(bytes, slice);
}

int sql_compare_keys(bloom_slice a, bloom_slice b) {
  const size_t n = a.size < b.size ? a.size : b.size;
  const int difference = n > 0 ? memcmp(a.data, b.data, n) : 0;
  return difference != 0 ? difference : (a.size > b.size) - (a.size < b.size);
}

bool sql_is_wanted(const file_rows *rows, bloom_slice key) {
  if (!rows->has_key) return true;
  if (!rows->is_get && key.size > rows->key.size) key.size = rows->key.size;
  return sql_compare_keys(key, rows->key) == 0;
}

int sql_no_step(file_rows *rows) {
  (void)rows;
  return SQLITE_DONE;
}
