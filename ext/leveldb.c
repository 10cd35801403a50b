/*
** LevelDB's hash, its integers and its checksums:
**
**  (1)  leveldb_hash(data [, seed]) is Hash(data, n, seed), an INTEGER
**       0..2^32-1. The default seed is that of LevelDB's filter.
**  (2)  leveldb_fixed32(n), n an integer 0..2^32-1, and leveldb_fixed64(n), any
**       integer, are the BLOBs of 4 and 8 bytes that EncodeFixed32 and
**       EncodeFixed64 write.
**  (3)  crc32c(data) is the CRC-32C of data's key bytes, an INTEGER 0..2^32-1;
**       crc32c(crc, data) continues a CRC with more data.
**  (4)  crc32c_mask(crc) is what LevelDB stores in place of a crc, and
**       crc32c_unmask(masked) is its inverse. A crc is an integer 0..2^32-1.
**  (5)  If an argument is NULL, so is the result.
*/
#include "core/coding.h"
#include "core/crc32c.h"
#include "core/hash.h"
#include "families.h"

static void hash_function(sqlite3_context *context, int argc,
                          sqlite3_value **argv) {
  uint32_t seed = BLOOM_HASH_SEED;
  if (sql_any_null(argc, argv)) return;
  if (argc > 1 &&
      !sql_uint32_argument(context, "seed", 0, UINT32_MAX, argv[1], &seed)) {
    return;
  }
  sql_key key;
  if (sql_key_argument(context, argv[0], &key) != VALUE_READ) return;
  sqlite3_result_int64(context,
                       bloom_hash(key.bytes.data, key.bytes.size, seed));
}

static void fixed32_function(sqlite3_context *context, int argc,
                             sqlite3_value **argv) {
  uint32_t n;
  if (sql_any_null(argc, argv) ||
      !sql_uint32_argument(context, "n", 0, UINT32_MAX, argv[0], &n)) {
    return;
  }
  uint8_t bytes[4];
  bloom_store_fixed32(bytes, n);
  sqlite3_result_blob(context, bytes, sizeof(bytes), SQLITE_TRANSIENT);
}

static void fixed64_function(sqlite3_context *context, int argc,
                             sqlite3_value **argv) {
  sqlite3_int64 n;
  if (sql_any_null(argc, argv) ||
      !sql_integer_argument(context, "n", INT64_MIN, INT64_MAX, NULL, argv[0],
                            &n)) {
    return;
  }
  uint8_t bytes[8];
  bloom_store_fixed64(bytes, (uint64_t)n);
  sqlite3_result_blob(context, bytes, sizeof(bytes), SQLITE_TRANSIENT);
}

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

const sql_function sql_leveldb_functions[] = {
    {"leveldb_hash", 1, 2, .scalar = hash_function},
    {"leveldb_fixed32", 1, 1, .scalar = fixed32_function},
    {"leveldb_fixed64", 1, 1, .scalar = fixed64_function},
    {"crc32c", 1, 2, .scalar = crc32c_function},
    {"crc32c_mask", 1, 1, .scalar = mask_function},
    {"crc32c_unmask", 1, 1, .scalar = unmask_function},
    {.name = NULL},
};
