#include "copy.h"

#include <string.h>

/* The allocation begins with the struct, a filter for each part and a span for
** each part. The parts' bytes follow in the order in which they are filled. */
static uint64_t header_size(uint32_t parts) {
  return sizeof(sql_copy) + parts * (sizeof(bloom_filter) + sizeof(byte_span));
}

sql_copy *sql_copy_create(uint32_t parts, uint64_t bytes) {
  const uint64_t header = header_size(parts);
  sql_copy *copy = sqlite3_malloc64(header + bytes);
  if (copy == NULL) return NULL;
  memset(copy, 0, (size_t)header);
  copy->room = header + bytes;
  copy->used = header;
  copy->parts = parts;
  copy->bytes = (byte_span *)(copy->filters + parts);
  return copy;
}

/* Moves a copy to an allocation with room for at least this many more bytes.
** Returns NULL, and leaves the copy where it is, if out of memory. */
static sql_copy *grow(sql_copy *copy, uint64_t bytes) {
  const uint64_t header = header_size(copy->parts);
  sql_copy *larger = sql_copy_create(copy->parts, 2 * copy->room + bytes);
  if (larger == NULL) return NULL;
  unsigned char *to = (unsigned char *)larger + header;
  const unsigned char *from = (const unsigned char *)copy + header;
  memcpy(to, from, (size_t)(copy->used - header));
  for (uint32_t i = 0; i < copy->parts; i++) {
    const byte_span *part = &copy->bytes[i];
    if (part->data == NULL) continue;
    const size_t at = (size_t)((const unsigned char *)part->data - from);
    larger->bytes[i] = (byte_span){to + at, part->size};
  }
  larger->used = copy->used;
  larger->filled = copy->filled;
  sqlite3_free(copy);
  return larger;
}

unsigned char *sql_copy_add(sql_copy **copy, uint32_t part, size_t size) {
  sql_copy *to = *copy;
  if (to->room - to->used < size) {
    to = grow(to, size);
    if (to == NULL) return NULL;
    *copy = to;
  }
  unsigned char *bytes = (unsigned char *)to + to->used;
  to->bytes[part] = (byte_span){bytes, size};
  to->used += size;
  to->filled++;
  return bytes;
}

bool sql_copy_fill(sql_copy **copy, uint32_t part, byte_span bytes) {
  unsigned char *to = sql_copy_add(copy, part, bytes.size);
  if (to == NULL) return false;
  memcpy(to, bytes.data, bytes.size);
  return true;
}

void sql_copy_complete(sql_copy *copy) {
  for (uint32_t i = 0; i < copy->parts; i++) {
    const byte_span *part = &copy->bytes[i];
    bloom_filter_read(&copy->filters[i], part->data, part->size);
  }
}

sql_copy *sql_copy_whole(byte_span bytes) {
  sql_copy *copy = sql_copy_create(1, bytes.size);
  if (copy == NULL) return NULL;
  sql_copy_fill(&copy, 0, bytes);
  sql_copy_complete(copy);
  return copy;
}
