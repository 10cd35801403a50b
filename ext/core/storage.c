#include "storage.h"

#include <string.h>

#include "coding.h"
#include "crc32c.h"

bool bloom_take_varint(bloom_slice *input, int bits, uint64_t *n) {
  uint64_t sum = 0;
  size_t i = 0;
  for (int shift = 0; shift < bits && i < input->size; shift += 7) {
    const uint8_t byte = input->data[i++];
    sum |= (uint64_t)(byte & 127) << shift;
    if (byte < 128) {
      *n = bits == 32 ? (uint32_t)sum : sum;
      input->data += i;
      input->size -= i;
      return true;
    }
  }
  return false;
}

bool bloom_take_bytes(bloom_slice *input, uint64_t n, bloom_slice *bytes) {
  if (n > input->size) return false;
  *bytes = (bloom_slice){input->data, (size_t)n};
  input->data += n;
  input->size -= (size_t)n;
  return true;
}

bool bloom_take_string(bloom_slice *input, bloom_slice *string) {
  uint64_t n;
  return bloom_take_varint(input, 32, &n) && bloom_take_bytes(input, n, string);
}

bool bloom_has_checksum(bloom_slice checked) {
  if (checked.size < 4) return false;
  const size_t n = checked.size - 4;
  return bloom_crc32c_mask(bloom_crc32c_value(checked.data, n)) ==
         bloom_load_fixed32(checked.data + n);
}

/* ---- Snappy. A tag's lowest bits say what it is: a literal, or a copy whose
** distance has 1 (with 3 bits of the tag), 2 or 4 bytes. */

bool bloom_snappy_size(bloom_slice compressed, size_t *size) {
  uint64_t n;
  if (!bloom_take_varint(&compressed, 32, &n)) return false;
  *size = (size_t)n;
  /* The most that 3 bytes give is a copy of 64. */
  return n / 22 <= compressed.size;
}

/* A number of so many bytes, the lowest first. */
static bool take_number(bloom_slice *input, size_t bytes, uint64_t *n) {
  bloom_slice taken;
  if (!bloom_take_bytes(input, bytes, &taken)) return false;
  *n = 0;
  for (size_t i = 0; i < bytes; i++) *n |= (uint64_t)taken.data[i] << 8 * i;
  return true;
}

/* The size of what a tag writes, and the distance of a copy, or 0 where it is a
** literal. The input is not empty. */
static bool take_tag(bloom_slice *input, uint64_t *size, uint64_t *distance) {
  static const uint8_t distance_bytes[] = {0, 1, 2, 4};
  const uint8_t tag = *input->data++;
  const uint64_t high = tag >> 2;
  input->size--;
  *distance = 0;
  if ((tag & 3) == 0) {
    *size = high;
    if (high >= 60 && !take_number(input, (size_t)high - 59, size)) {
      return false;
    }
    ++*size;
    return true;
  }
  if (!take_number(input, distance_bytes[tag & 3], distance)) return false;
  *size = high + 1;
  if ((tag & 3) == 1) {
    *size = 4 + (high & 7);
    *distance |= high >> 3 << 8;
  }
  return *distance > 0;
}

bool bloom_snappy_uncompress(bloom_slice compressed, uint8_t *output,
                             size_t size) {
  size_t at = 0;
  uint64_t n, distance;
  if (!bloom_take_varint(&compressed, 32, &n)) return false;
  while (compressed.size > 0) {
    bloom_slice literal;
    if (!take_tag(&compressed, &n, &distance) || n > size - at) return false;
    if (distance == 0) {
      if (!bloom_take_bytes(&compressed, n, &literal)) return false;
      memcpy(output + at, literal.data, (size_t)n);
      at += (size_t)n;
      continue;
    }
    if (distance > at) return false;
    /* A copy may overlap what it writes, and then repeats it. */
    for (const size_t end = at + (size_t)n; at < end; at++) {
      output[at] = output[at - distance];
    }
  }
  return at == size;
}

/* ---- Blocks. An entry has how many bytes of its key are those of the key
** before, how many follow, and the size of its value; and then both. After the
** entries come the offsets of those with whole keys, and their number. */

bool bloom_block_open(bloom_block *block, bloom_slice contents) {
  *block = (bloom_block){.entries = {contents.data, 0}};
  if (contents.size < 4) return false;
  const size_t room = contents.size - 4;
  block->restart_count = bloom_load_fixed32(contents.data + room);
  if (block->restart_count > room / 4) return false;
  block->entries.size = room - (size_t)block->restart_count * 4;
  block->restarts = contents.data + block->entries.size;
  if (block->restart_count == 0) return room == 0;
  return bloom_load_fixed32(block->restarts) == 0;
}

/* Takes the sizes and the bytes of an entry. */
static bool take_entry(bloom_block *block, size_t before, uint64_t *shared,
                       bloom_slice *rest) {
  uint64_t key_size, value_size;
  bloom_slice input = {block->entries.data + block->at,
                       block->entries.size - block->at};
  if (!bloom_take_varint(&input, 32, shared) ||
      !bloom_take_varint(&input, 32, &key_size) ||
      !bloom_take_varint(&input, 32, &value_size) || *shared > before ||
      !bloom_take_bytes(&input, key_size, rest) ||
      !bloom_take_bytes(&input, value_size, &block->value)) {
    return false;
  }
  block->at = block->entries.size - input.size;
  return true;
}

size_t bloom_block_longest_key(const bloom_block *block) {
  bloom_block copy = *block;
  size_t size = 0, longest = 0;
  uint64_t shared;
  bloom_slice rest;
  while (copy.at < copy.entries.size &&
         take_entry(&copy, size, &shared, &rest)) {
    size = (size_t)shared + rest.size;
    if (size > longest) longest = size;
  }
  return longest;
}

bloom_entry bloom_block_next(bloom_block *block, uint8_t *key) {
  uint64_t shared;
  bloom_slice rest;
  const size_t at = block->at;
  if (at == block->entries.size) {
    if (at > 0 && block->restart < block->restart_count) {
      block->restarts_wrong = true;
    }
    return BLOOM_ENTRIES_END;
  }
  if (!take_entry(block, block->key_size, &shared, &rest)) {
    return BLOOM_ENTRY_WRONG;
  }
  if (block->restart < block->restart_count) {
    const uint32_t next =
        bloom_load_fixed32(block->restarts + (size_t)4 * block->restart);
    if (next < at || (next == at && shared > 0)) block->restarts_wrong = true;
    block->restart += next <= at;
  }
  memcpy(key + shared, rest.data, rest.size);
  block->key_size = (size_t)shared + rest.size;
  return BLOOM_ENTRY;
}

/* ---- Logs. A record has a masked checksum of its type and data, the size of
** the data, the type, and the data. It ends within its block of 32 KB, whose
** last bytes are unused if they are fewer than a header. */

/* Of a record whose header is in the file, and which ends at this offset. */
static bloom_record_damage damage_of(bloom_slice file, size_t block_end,
                                     bloom_record *record) {
  const uint8_t *bytes = file.data + record->offset;
  const size_t end = record->offset + BLOOM_LOG_HEADER + record->size;
  if (end > block_end) {
    return block_end % BLOOM_LOG_BLOCK > 0 ? BLOOM_RECORD_TORN
                                           : BLOOM_RECORD_LONG;
  }
  if (record->type == 0 && record->size == 0) {
    for (size_t i = record->offset; i < block_end; i++) {
      if (file.data[i] != 0) return BLOOM_RECORD_SKIPPED;
    }
    return BLOOM_RECORD_WHOLE;
  }
  record->data = (bloom_slice){bytes + BLOOM_LOG_HEADER, record->size};
  return bloom_crc32c_mask(bloom_crc32c_value(bytes + 6, record->size + 1)) ==
                 bloom_load_fixed32(bytes)
             ? BLOOM_RECORD_WHOLE
             : BLOOM_RECORD_CHECKSUM;
}

bool bloom_next_record(bloom_slice file, size_t *offset, bloom_record *record) {
  if (*offset >= file.size) return false;
  const size_t left = file.size - *offset;
  const size_t block_left = BLOOM_LOG_BLOCK - *offset % BLOOM_LOG_BLOCK;
  const size_t block_end = *offset + (left < block_left ? left : block_left);
  *record = (bloom_record){.offset = *offset, .type = -1};
  if (left < BLOOM_LOG_HEADER) {
    record->damage = BLOOM_RECORD_TORN;
    *offset = file.size;
    return true;
  }
  const uint8_t *bytes = file.data + *offset;
  record->size = bytes[4] | (size_t)bytes[5] << 8;
  record->type = bytes[6];
  record->damage = damage_of(file, block_end, record);
  *offset = block_end;
  const bool is_zeros = record->type == 0 && record->size == 0;
  if (record->damage == BLOOM_RECORD_WHOLE && !is_zeros) {
    *offset = record->offset + BLOOM_LOG_HEADER + record->size;
    const size_t unused = BLOOM_LOG_BLOCK - *offset % BLOOM_LOG_BLOCK;
    if (unused < BLOOM_LOG_HEADER) *offset += unused;
  }
  return true;
}
