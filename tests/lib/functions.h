/* Every SQL function of the extension, as the tests expect it. */
#ifndef BLOOM_FUNCTIONS_H
#define BLOOM_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>

/* What SQLite is told of a function: it is innocuous and deterministic; or only
** innocuous, since it opens a filter or reads a table; or only a user may call
** it, since it changes or checks the schema, or stops a query, which must look
** deterministic. */
typedef enum kind { PURE, VARIES, DIRECT, CLOCK } kind;

static const struct listed_function {
  const char *signatures; /* name/arguments/..., where -1 is a table */
  kind kind;
  /* A call with a filter in the place of {e}, and perhaps a key k; or NULL. */
  const char *call;
  bool takes_evicted; /* a handle whose filter was evicted is no error */
} functions[] = {
    {"bloom_build/1/2/3", PURE, NULL, false},
    {"bloom_build_distinct/1/2", PURE, NULL, false},
    {"bloom_may_match/2", PURE, "bloom_may_match(k, {e})", true},
    {"bloom_open/1", VARIES, "bloom_open({e})", true},
    {"bloom_open/3", VARIES,
     "(SELECT bloom_open(0, 1, x) FROM (SELECT {e} AS x))", false},
    {"bloom_part/2", PURE, NULL, false},
    {"bloom_build_parts/2/3/4", VARIES, NULL, false},
    {"bloom_bytes/1", VARIES, "bloom_bytes({e})", false},
    {"bloom_bytes/2", VARIES, "bloom_bytes({e}, 0)", false},
    {"bloom_keys/1", PURE, "bloom_keys({e})", false},
    {"bloom_add/2", PURE, "bloom_add({e}, k)", false},
    {"bloom_merge/1", PURE, "bloom_merge({e})", false},
    {"bloom_info/1/-1", PURE, "(SELECT bits_set FROM bloom_info({e}))", false},
    {"bloom_bits_per_key/1/2", PURE, NULL, false},
    {"bloom_false_positive_rate/1/2", PURE, NULL, false},
    {"leveldb_hash/1/2", PURE, NULL, false},
    {"leveldb_fixed32/1", PURE, NULL, false},
    {"leveldb_fixed64/1", PURE, NULL, false},
    {"leveldb_read/1/2/3/4/-1", DIRECT, NULL, false},
    {"crc32c/1/2", PURE, NULL, false},
    {"crc32c_mask/1", PURE, NULL, false},
    {"crc32c_unmask/1", PURE, NULL, false},
    {"bloom_create_parts/2/3/4", DIRECT, NULL, false},
    {"bloom_create_blocks/2/3/4", DIRECT, NULL, false},
    {"bloom_drop_parts/2", DIRECT, NULL, false},
    {"bloom_drop_blocks/2", DIRECT, NULL, false},
    {"bloom_is_kept/3", VARIES, NULL, false},
    {"bloom_build_kept/5", VARIES, NULL, false},
    {"bloom_check/0/1/2/-1", DIRECT, NULL, false},
    {"bloom_compare/0/1/2/3/-1", DIRECT, NULL, false},
    {"bloom_advise/0/1/2/3/-1", DIRECT, NULL, false},
    {"bloom_until/2", CLOCK, NULL, false},
    {"bloom_version/0", PURE, NULL, false},
};

#endif
