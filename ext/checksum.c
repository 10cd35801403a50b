/*
** CRC-32C:
**
**  (1)  crc32c(data) is the CRC of data's key bytes, an INTEGER 0..2^32-1;
**       crc32c(crc, data) continues a CRC with more data.
**  (2)  crc32c_mask(crc) is the form in which LevelDB stores a crc, and
**       crc32c_unmask(masked) is its inverse.
**  (3)  A crc is an integer 0..2^32-1. If an argument is NULL, so is the
**       result.
*/
#include "core/crc32c.h"
#include "families.h"

static void crc32c_function(sqlite3_context *context, int argc,
                            sqlite3_value **argv) {
  uint32_t crc = 0;
  if (sql_any_null(argc, argv)) return;
  if (argc > 1 &&
      !sql_uint32_argument(context, "crc", 0, UINT32_MAX, argv[0], &crc)) {
    return;
  }
  sql_key key;
  if (sql_key_argument(context, argv[argc - 1], &key) != VALUE_READ) return;
  sqlite3_result_int64(
      context, bloom_crc32c_extend(crc, key.bytes.data, key.bytes.size));
}

static void mask_function(sqlite3_context *context, int argc,
                          sqlite3_value **argv) {
  uint32_t crc;
  if (sql_any_null(argc, argv)) return;
  if (sql_uint32_argument(context, "crc", 0, UINT32_MAX, argv[0], &crc)) {
    sqlite3_result_int64(context, bloom_crc32c_mask(crc));
  }
}

static void unmask_function(sqlite3_context *context, int argc,
                            sqlite3_value **argv) {
  uint32_t masked;
  if (sql_any_null(argc, argv)) return;
  if (sql_uint32_argument(context, "masked", 0, UINT32_MAX, argv[0], &masked)) {
    sqlite3_result_int64(context, bloom_crc32c_unmask(masked));
  }
}

const sql_function sql_checksum_functions[] = {
    {"crc32c", 1, 2, .scalar = crc32c_function},
    {"crc32c_mask", 1, 1, .scalar = mask_function},
    {"crc32c_unmask", 1, 1, .scalar = unmask_function},
    {.name = NULL},
};
