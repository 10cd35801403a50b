/* The filter of the C core: LevelDB's bytes and LevelDB's own filter test. */
#include <string.h>

#include "core/bloom.h"
#include "tap.h"

static int has_bytes(const uint8_t *bytes, size_t n, const char *hex) {
  char text[64] = "";
  for (size_t i = 0; i < n; i++) snprintf(text + 2 * i, 3, "%02x", bytes[i]);
  return strcmp(text, hex) == 0;
}

int main(void) {
  const void *keys[] = {"hello", "world"};
  const size_t sizes[] = {5, 5};
  uint8_t filter[16];
  const size_t size = bloom_create_filter(keys, sizes, 2, 10, filter);
  ok(has_bytes(filter, size, "114000414410401006"), "hello, world at 10");
  return tap_done();
}
