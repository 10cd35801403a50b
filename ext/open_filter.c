#include "open_filter.h"

#include <string.h>

/* The allocation begins with the struct, a filter for each part and a span for
** each part. The parts' bytes follow in the order in which they are filled. */
static uint64_t header_size(uint32_t parts) {
  return sizeof(sql_open_filter) +
         parts * (sizeof(bloom_filter) + sizeof(byte_span));
}

sql_open_filter *sql_create_filter(uint32_t parts, uint64_t bytes) {
  const uint64_t header = header_size(parts);
  sql_open_filter *filter = sqlite3_malloc64(header + bytes);
  if (filter == NULL) return NULL;
  memset(filter, 0, (size_t)header);
  filter->room = header + bytes;
  filter->used = header;
  filter->parts = parts;
  filter->bytes = (byte_span *)(filter->filters + parts);
  return filter;
}

/* Moves a filter to an allocation with room for at least this many more bytes.
** Returns NULL, and leaves the filter where it is, if out of memory. */
static sql_open_filter *grow(sql_open_filter *filter, uint64_t bytes) {
  const uint64_t header = header_size(filter->parts);
  const uint64_t least = filter->used - header + bytes;
  uint64_t room = 2 * filter->room + bytes;
  if (room > MAX_ALLOCATION - header) room = MAX_ALLOCATION - header;
  if (room < least) return NULL;
  sql_open_filter *larger = sql_create_filter(filter->parts, room);
  if (larger == NULL) return NULL;
  unsigned char *larger_bytes = (unsigned char *)larger;
  const unsigned char *old_bytes = (const unsigned char *)filter;
  memcpy(larger_bytes + header, old_bytes + header,
         (size_t)(filter->used - header));
  for (uint32_t i = 0; i < filter->parts; i++) {
    const byte_span *part = &filter->bytes[i];
    if (part->data == NULL) continue;
    const ptrdiff_t offset = (const unsigned char *)part->data - old_bytes;
    larger->bytes[i] = (byte_span){larger_bytes + offset, part->size};
  }
  larger->used = filter->used;
  larger->filled = filter->filled;
  sqlite3_free(filter);
  return larger;
}

unsigned char *sql_add_part(sql_open_filter **filter, uint32_t part,
                            size_t size) {
  if ((*filter)->room - (*filter)->used < size) {
    sql_open_filter *larger = grow(*filter, size);
    if (larger == NULL) return NULL;
    *filter = larger;
  }
  unsigned char *bytes = (unsigned char *)*filter + (*filter)->used;
  (*filter)->bytes[part] = (byte_span){bytes, size};
  (*filter)->used += size;
  (*filter)->filled++;
  return bytes;
}

bool sql_fill_part(sql_open_filter **filter, uint32_t part, byte_span bytes) {
  unsigned char *copy = sql_add_part(filter, part, bytes.size);
  if (copy == NULL) return false;
  memcpy(copy, bytes.data, bytes.size);
  return true;
}

void sql_complete_filter(sql_open_filter *filter) {
  for (uint32_t i = 0; i < filter->parts; i++) {
    const byte_span *part = &filter->bytes[i];
    bloom_filter_read(&filter->filters[i], part->data, part->size);
  }
}

sql_open_filter *sql_copy_whole(byte_span bytes) {
  sql_open_filter *filter = sql_create_filter(1, bytes.size);
  if (filter == NULL) return NULL;
  sql_fill_part(&filter, 0, bytes);
  sql_complete_filter(filter);
  return filter;
}
