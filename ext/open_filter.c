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

/* Makes room for at least this many more bytes. *filter may move. Returns false
** if out of memory. */
static bool grow(sql_open_filter **filter, uint64_t bytes) {
  const uint64_t least = (*filter)->used + bytes;
  uint64_t room = 2 * least;
  if (room > MAX_ALLOCATION) room = MAX_ALLOCATION;
  if (room < least) return false;
  const uintptr_t old = (uintptr_t)*filter;
  sql_open_filter *larger = sqlite3_realloc64(*filter, room);
  if (larger == NULL) return false;
  larger->room = room;
  larger->bytes = (byte_span *)(larger->filters + larger->parts);
  for (uint32_t i = 0; i < larger->parts; i++) {
    const uintptr_t part = (uintptr_t)larger->bytes[i].data;
    if (part != 0) larger->bytes[i].data = (char *)larger + (part - old);
  }
  *filter = larger;
  return true;
}

unsigned char *sql_add_part(sql_open_filter **filter, uint32_t part,
                            size_t size) {
  if ((*filter)->room - (*filter)->used < size && !grow(filter, size)) {
    return NULL;
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

static void free_whole(void *bytes) {
  sqlite3_free((unsigned char *)bytes - header_size(1));
}

void sql_result_whole(sqlite3_context *context, sql_open_filter **filter) {
  unsigned char *bytes = sql_part_bytes(*filter, 0);
  sqlite3_result_blob64(context, bytes, (*filter)->bytes[0].size, free_whole);
  *filter = NULL;
}
