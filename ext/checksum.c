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
#include "key.h"

SQLITE_EXTENSION_INIT3

static void crc32c_function(sqlite3_context *context, int argc,
                            sqlite3_value **argv) {
  unsigned crc = 0;
  if (bloom_any_null(argc, argv)) return;
  if (argc > 1 && !bloom_uint32_argument(context, "crc", argv[0], &crc)) return;
  sql_key data;
  if (bloom_read_key(argv[argc - 1], &data) != VALUE_READ) {
    sqlite3_result_error_nomem(context);
    return;
  }
  sqlite3_result_int64(
      context, bloom_crc32c_extend(crc, data.bytes.data, data.bytes.size));
}

static void mask_function(sqlite3_context *context, int argc,
                          sqlite3_value **argv) {
  unsigned crc;
  if (bloom_any_null(argc, argv)) return;
  if (bloom_uint32_argument(context, "crc", argv[0], &crc)) {
    sqlite3_result_int64(context, bloom_crc32c_mask(crc));
  }
}

static void unmask_function(sqlite3_context *context, int argc,
                            sqlite3_value **argv) {
  unsigned masked;
  if (bloom_any_null(argc, argv)) return;
  if (bloom_uint32_argument(context, "masked", argv[0], &masked)) {
    sqlite3_result_int64(context, bloom_crc32c_unmask(masked));
  }
}

static const sql_function checksum_functions[] = {
    {"crc32c", 1, 2, crc32c_function, NULL, NULL},
    {"crc32c_mask", 1, 1, mask_function, NULL, NULL},
    {"crc32c_unmask", 1, 1, unmask_function, NULL, NULL},
};

int bloom_register_checksum_functions(sqlite3 *db) {
  return REGISTER_FAMILY(db, checksum_functions);
}
