/* LevelDB's varints, snappy, blocks and logs: what they are, and that bytes
** which are none are refused. Each input is malloc'd, so that the sanitizers
** find a read past its end. */
#include "core/storage.h"

#include <stdlib.h>
#include <string.h>

#include "core/coding.h"
#include "core/crc32c.h"
#include "lib/random.h"
#include "lib/tap.h"

/* The bytes of hexadecimal digits, in which spaces are left out. */
static bloom_slice bytes_of(const char *hex) {
  uint8_t *data = malloc(strlen(hex) / 2 + 1);
  size_t digits = 0;
  for (; *hex != 0; hex++) {
    if (*hex == ' ') continue;
    const char *all = "0123456789abcdef";
    const uint8_t digit = (uint8_t)(strchr(all, *hex) - all);
    data[digits / 2] = digits % 2 ? (uint8_t)(data[digits / 2] | digit)
                                  : (uint8_t)(digit << 4);
    digits++;
  }
  const bloom_slice bytes = {realloc(data, digits / 2 + (digits < 2)),
                             digits / 2};
  return bytes;
}

static void varints(void) {
  static const struct {
    const char *hex;
    int bits;
    bool right;
    uint64_t n;
    size_t left;
  } rows[] = {
      {"00", 32, true, 0, 0},
      {"7f01", 32, true, 127, 1},
      {"8001", 32, true, 128, 0},
      {"ffffffff0f", 32, true, 0xffffffff, 0},
      {"ffffffff7f", 32, true, 0xffffffff, 0},
      {"ffffffffff01", 32, false, 0, 6},
      {"ffffffffffffffffff01", 64, true, UINT64_MAX, 0},
      {"ffffffffffffffffffff01", 64, false, 0, 11},
      {"80", 64, false, 0, 1},
      {"", 32, false, 0, 0},
  };
  for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
    const bloom_slice bytes = bytes_of(rows[i].hex);
    bloom_slice input = bytes;
    uint64_t n = 0;
    const bool right = bloom_take_varint(&input, rows[i].bits, &n);
    ok(right == rows[i].right && n == rows[i].n && input.size == rows[i].left,
       "the varint '%s' of %d bits", rows[i].hex, rows[i].bits);
    free((void *)bytes.data);
  }
  for (int i = 0; i < 3; i++) {
    static const char *const hex[] = {"02616263", "0361", "80"};
    const bloom_slice bytes = bytes_of(hex[i]);
    bloom_slice input = bytes, string;
    ok(bloom_take_string(&input, &string) == (i == 0), "the string '%s'",
       hex[i]);
    if (i == 0) {
      ok(string.size == 2 && memcmp(string.data, "ab", 2) == 0 &&
             input.size == 1,
         "and its bytes");
    }
    free((void *)bytes.data);
  }
}

static void checksums(void) {
  uint8_t bytes[9] = "hello";
  bloom_store_fixed32(bytes + 5,
                      bloom_crc32c_mask(bloom_crc32c_value(bytes, 5)));
  ok(bloom_has_checksum((bloom_slice){bytes, 9}), "a checksum");
  bytes[0] ^= 1;
  ok(!bloom_has_checksum((bloom_slice){bytes, 9}), "of other bytes");
  ok(!bloom_has_checksum((bloom_slice){bytes, 3}), "and none");
}

/* What is compressed, and what it becomes, or NULL: as format_description.txt
** says. */
static const struct {
  const char *name, *compressed, *whole;
} snappy[] = {
    {"nothing", "00", ""},
    {"a literal", "03 08616263", "616263"},
    {"a literal of which a byte has the size", "01 f000 61", "61"},
    {"two bytes", "01 f40000 61", "61"},
    {"three", "01 f8000000 61", "61"},
    {"four", "01 fc00000000 61", "61"},
    {"a copy with one byte of distance", "07 08616263 0103", "61626361626361"},
    {"a copy with two", "06 08616263 0a0300", "616263616263"},
    {"a copy with four", "06 08616263 0b03000000", "616263616263"},
    {"a byte and 64 copies", "41 0061 fe0100",
     "61616161616161616161616161616161616161616161616161616161616161616161"
     "61616161616161616161616161616161616161616161616161616161616161"},
    {"a copy of its own output", "09 046162 0d02", "616261626162616261"},
    {"a copy from before the output", "05 0061 0102", NULL},
    {"a copy with distance 0", "05 0061 0100", NULL},
    {"less than its size", "04 08616263", NULL},
    {"a literal that is cut off", "03 086162", NULL},
    {"a size that is cut off", "03 f4", NULL},
    {"a literal larger than the rest", "01 08616263", NULL},
    {"a copy larger than the rest", "05 08616263 0103", NULL},
    {"a copy that is cut off", "05 0061 01", NULL},
    {"a copy of which one byte is missing", "04 08616263 0a03", NULL},
    {"a literal of 4 GB", "05 fcffffffff 61", NULL},
    {"a size too large for its bytes", "ff7f 0061", NULL},
    {"no size", "80", NULL},
};

static bool uncompresses(bloom_slice compressed, bloom_slice whole,
                         bool is_right) {
  size_t size;
  if (!bloom_snappy_size(compressed, &size)) return !is_right;
  uint8_t *output = malloc(size + 1);
  const bool right = bloom_snappy_uncompress(compressed, output, size);
  const bool same =
      right == is_right &&
      (!right || (size == whole.size && memcmp(output, whole.data, size) == 0));
  free(output);
  return same;
}

static void snappy_is_uncompressed(void) {
  for (size_t i = 0; i < sizeof(snappy) / sizeof(*snappy); i++) {
    const bloom_slice compressed = bytes_of(snappy[i].compressed);
    const bool is_right = snappy[i].whole != NULL;
    const bloom_slice whole = bytes_of(is_right ? snappy[i].whole : "");
    ok(uncompresses(compressed, whole, is_right), "snappy: %s", snappy[i].name);
    free((void *)compressed.data);
    free((void *)whole.data);
  }
  uint8_t none = 0;
  ok(!bloom_snappy_uncompress((bloom_slice){&none, 0}, &none, 0),
     "snappy: no bytes");
}

/* The entries of a block as KEY=VALUE, and then what it ends with. */
static const struct {
  const char *name, *contents, *entries;
} blocks[] = {
    {"two entries", "000101 6131 000101 6232 00000000 01000000", "a=1 b=2."},
    {"a shared prefix", "000201 616131 010101 6232 00000000 01000000",
     "aa=1 ab=2."},
    {"two restarts", "000101 6131 000101 6232 00000000 05000000 02000000",
     "a=1 b=2."},
    {"a restart at the third entry",
     "000101 6131 000101 6232 000101 6333 00000000 0a000000 02000000",
     "a=1 b=2 c=3."},
    {"no entry", "00000000 01000000", "."},
    {"no restart", "00000000", "."},
    {"a restart with a shared prefix",
     "000101 6131 010101 6232 00000000 05000000 02000000", "a=1 ab=2.r"},
    {"a restart between entries",
     "000101 6131 000101 6232 00000000 04000000 02000000", "a=1 b=2.r"},
    {"a restart behind the end", "000101 6131 00000000 05000000 02000000",
     "a=1.r"},
    {"more shared than there is", "010101 6131 00000000 01000000", "!"},
    {"a key that passes the end", "000901 6131 00000000 01000000", "!"},
    {"a value that passes the end", "000109 6131 00000000 01000000", "!"},
    {"half an entry", "000101 6131 00 00000000 01000000", "a=1!"},
    {"an entry of two sizes", "0001 00000000 01000000", "!"},
    {"an entry of half a size", "80 00000000 01000000", "!"},
    {"a first restart that is not 0", "000101 6131 01000000 01000000", "-"},
    {"entries without a restart", "000101 6131 00000000", "-"},
    {"more restarts than there is room for", "00000000 63000000", "-"},
    {"three bytes", "000000", "-"},
};

static void blocks_are_read(void) {
  for (size_t i = 0; i < sizeof(blocks) / sizeof(*blocks); i++) {
    const bloom_slice contents = bytes_of(blocks[i].contents);
    char text[100] = "-";
    bloom_block block;
    if (bloom_block_open(&block, contents)) {
      uint8_t *key = malloc(bloom_block_longest_key(&block) + 1);
      char *end = text;
      bloom_entry entry;
      while ((entry = bloom_block_next(&block, key)) == BLOOM_ENTRY) {
        end += sprintf(end, "%s%.*s=%.*s", end > text ? " " : "",
                       (int)block.key_size, (char *)key, (int)block.value.size,
                       (const char *)block.value.data);
      }
      sprintf(end, "%s%s", entry == BLOOM_ENTRIES_END ? "." : "!",
              block.restarts_wrong ? "r" : "");
      free(key);
    }
    ok(strcmp(text, blocks[i].entries) == 0, "a block with %s: %s",
       blocks[i].name, text);
    free((void *)contents.data);
  }
}

/* Writes a record, and returns where it ends. */
static size_t write_record(uint8_t *file, size_t at, uint8_t type,
                           size_t size) {
  file[at + 4] = (uint8_t)size;
  file[at + 5] = (uint8_t)(size >> 8);
  file[at + 6] = type;
  bloom_store_fixed32(file + at, bloom_crc32c_mask(bloom_crc32c_value(
                                     file + at + 6, size + 1)));
  return at + BLOOM_LOG_HEADER + size;
}

/* The offset, type and damage of each record. */
static void expect_records(const uint8_t *bytes, size_t size, const char *name,
                           const char *expected) {
  uint8_t *copy = malloc(size + 1);
  memcpy(copy, bytes, size);
  const bloom_slice file = {realloc(copy, size + (size == 0)), size};
  char text[200] = "", *end = text;
  bloom_record record;
  for (size_t offset = 0; bloom_next_record(file, &offset, &record);) {
    end += sprintf(end, "%d:%d:%d ", (int)record.offset, record.type,
                   (int)record.damage);
  }
  ok(strcmp(text, expected) == 0, "a log of %s: %s", name, text);
  free((void *)file.data);
}

static void logs_are_read(void) {
  static uint8_t log[100000];
  size_t end = write_record(log, 0, 1, 3);
  end = write_record(log, end, 2, 32768 - 10 - 7 - 6);
  expect_records(log, 0, "nothing", "");
  expect_records(log, end, "two records", "0:1:0 10:2:0 ");
  expect_records(log, end + 3, "a block that ends with 3 zeros",
                 "0:1:0 10:2:0 ");
  write_record(log, 32768, 4, 5);
  expect_records(log, 32768 + 12, "two blocks", "0:1:0 10:2:0 32768:4:0 ");
  expect_records(log, 32768 + 3, "half a header", "0:1:0 10:2:0 32768:-1:1 ");
  expect_records(log, 32768 + 10, "half a record", "0:1:0 10:2:0 32768:4:1 ");
  log[8]++;
  expect_records(log, 32768 + 12, "a wrong checksum", "0:1:4 32768:4:0 ");
  log[5] = 0x80;
  expect_records(log, 32768 + 12, "a size that passes its block",
                 "0:1:2 32768:4:0 ");
  memset(log, 0, 32768);
  expect_records(log, 32768 + 12, "a block of zeros", "0:0:0 32768:4:0 ");
  log[32767] = 1;
  expect_records(log, 32768 + 12, "zeros before a one", "0:0:3 32768:4:0 ");
  memset(log, 0, 32768);
  write_record(log, 0, 0, 3);
  expect_records(log, 10, "a record of type 0", "0:0:0 ");
}

/* Random bytes, some of which are wrong: nothing outside of them is touched. */
static void random_bytes_are_read(void) {
  size_t entries = 0;
  for (int i = 0; i < 20000; i++) {
    const size_t size = random_below(60);
    uint8_t *bytes = malloc(size + 1);
    for (size_t j = 0; j < size; j++) {
      bytes[j] = (uint8_t)(random_below(3) > 0 ? random_below(4) : random64());
    }
    const bloom_slice input = {realloc(bytes, size + (size == 0)), size};
    bloom_block block;
    if (bloom_block_open(&block, input)) {
      uint8_t *key = malloc(bloom_block_longest_key(&block) + 1);
      while (bloom_block_next(&block, key) == BLOOM_ENTRY) entries++;
      free(key);
    }
    uncompresses(input, (bloom_slice){NULL, 0}, false);
    bloom_record record;
    for (size_t at = 0; bloom_next_record(input, &at, &record);) entries++;
    free((void *)input.data);
  }
  ok(entries > 1000, "random bytes have %d entries and records", (int)entries);
}

int main(void) {
  varints();
  checksums();
  snappy_is_uncompressed();
  blocks_are_read();
  logs_are_read();
  random_bytes_are_read();
  return tap_done();
}
