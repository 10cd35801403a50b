/*
** CRC-32C:
**
**  (1)  crc32c(data) is the crc of data's key bytes, an INTEGER 0..2^32-1;
**       crc32c(crc, data) that of what crc is of, followed by data.
**  (2)  crc32c_mask(crc) is the form in which LevelDB stores a crc, and
**       crc32c_unmask(masked) the crc again.
**  (3)  A crc is an integer 0..2^32-1. NULL is NULL.
*/
#include "core/crc32c.h"
#include "families.h"

static void crc32c_function(sqlite3_context *context, int argc,
                            sqlite3_value **argv) {
  uint32_t crc = 0;
  if (sql_any_null(argc, argv)) return;
  if (argc > 1 && !sql_uint32_argument(context, "crc", argv[0], &crc)) return;
  sql_key data;
  if (sql_key_argument(context, argv[argc - 1], &data) != VALUE_READ) return;
  sqlite3_result_int64(
      context, bloom_crc32c_extend(crc, data.bytes.data, data.bytes.size));
}

static void mask_function(sqlite3_context *context, int argc,
                          sqlite3_value **argv) {
  uint32_t crc;
  if (sql_any_null(argc, argv)) return;
  if (sql_uint32_argument(context, "crc", argv[0], &crc)) {
    sqlite3_result_int64(context, bloom_crc32c_mask(crc));
  }
}

static void unmask_function(sqlite3_context *context, int argc,
                            sqlite3_value **argv) {
  uint32_t masked;
  if (sql_any_null(argc, argv)) return;
  if (sql_uint32_argument(context, "masked", argv[0], &masked)) {
    sqlite3_result_int64(context, bloom_crc32c_unmask(masked));
  }
}

static const sql_function checksum_functions[] = {
    {"crc32c", 1, 2, crc32c_function, NULL, NULL, false},
    {"crc32c_mask", 1, 1, mask_function, NULL, NULL, false},
    {"crc32c_unmask", 1, 1, unmask_function, NULL, NULL, false},
};

int sql_register_checksum(sqlite3 *db, sql_shared *shared) {
  return SQL_REGISTER(db, shared, checksum_functions);
}
