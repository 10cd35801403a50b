/*
** bloom_info(filter), a table of one row about a filter, or of none if the
** filter is NULL:
**
**  (1)  policy is the name that LevelDB stores beside such filters.
**  (2)  bytes and bits are its size. probes is NULL if it has no bytes.
**  (3)  fill is the share of bits_set, or NULL if there are no bits.
**  (4)  keys is estimated: 0 if nothing matches, NULL if everything does.
**  (5)  false_positive_rate is measured: see core/estimate.h.
**  (6)  Calling bloom_info as a scalar function is an error, whose message says
**       that it is a table.
**  (7)  bloom_keys(filter) is keys (4), at the cost of counting bits, or the
**       sum of a filter's parts.
*/
#include "core/estimate.h"
#include "families.h"
#include "filter.h"
#include "table.h"

enum {
  COLUMN_POLICY,
  COLUMN_BYTES,
  COLUMN_BITS,
  COLUMN_PROBES,
  COLUMN_BITS_SET,
  COLUMN_FILL,
  COLUMN_KEYS,
  COLUMN_FALSE_POSITIVE_RATE,
  COLUMN_FILTER
};

typedef struct info_rows {
  sql_rows base;
  sql_open_filter *filter; /* NULL if the argument is NULL */
} info_rows;

static int info_begin(sql_rows *rows, sqlite3_value **arguments) {
  byte_span filter;
  char *error = NULL;
  if (arguments[0] == NULL) {
    return sql_rows_error(
        rows, SQLITE_ERROR,
        sqlite3_mprintf("filter must be given, as in bloom_info(f)"));
  }
  const value_status status = sql_read_filter(rows->registration->handles,
                                              arguments[0], &filter, &error);
  if (status == VALUE_NULL) return SQLITE_OK;
  if (status != VALUE_READ) return sql_rows_error(rows, SQLITE_ERROR, error);
  ((info_rows *)rows)->filter = sql_copy_whole(filter);
  return ((info_rows *)rows)->filter == NULL ? SQLITE_NOMEM : SQLITE_OK;
}

static int info_next(sql_rows *rows) {
  const bool found = ((const info_rows *)rows)->filter != NULL;
  return found && rows->number == 1 ? SQLITE_ROW : SQLITE_DONE;
}

static void info_end(sql_rows *rows) {
  sqlite3_free(((info_rows *)rows)->filter);
}

static void info_column(const sql_rows *rows, sqlite3_context *context,
                        int column) {
  const sql_open_filter *filter = ((const info_rows *)rows)->filter;
  const unsigned char *bytes = filter->bytes[0].data;
  const size_t size = filter->bytes[0].size;
  const uint64_t bits = size > 0 ? (uint64_t)(size - 1) * 8 : 0;
  uint64_t keys;
  switch (column) {
    case COLUMN_POLICY:
      sqlite3_result_text(context, BLOOM_POLICY_NAME, -1, SQLITE_STATIC);
      break;
    case COLUMN_BYTES:
      sqlite3_result_int64(context, (sqlite3_int64)size);
      break;
    case COLUMN_BITS:
      sqlite3_result_int64(context, (sqlite3_int64)bits);
      break;
    case COLUMN_PROBES:
      if (size > 0) sqlite3_result_int(context, bytes[size - 1]);
      break;
    case COLUMN_BITS_SET:
      sqlite3_result_int64(context, (sqlite3_int64)bloom_bits_set(bytes, size));
      break;
    case COLUMN_FILL:
      /* 0 / 0 is no number, which SQLite stores as NULL. */
      sqlite3_result_double(context,
                            (double)bloom_bits_set(bytes, size) / (double)bits);
      break;
    case COLUMN_KEYS:
      if (bloom_estimated_keys(bytes, size, &keys)) {
        sqlite3_result_int64(context, (sqlite3_int64)keys);
      }
      break;
    case COLUMN_FALSE_POSITIVE_RATE:
      sqlite3_result_double(context, bloom_measured_rate(filter->filters));
      break;
    default:
      sqlite3_result_blob64(context, bytes, size, SQLITE_TRANSIENT);
  }
}

static const sql_table info_table = {
    .example = "bloom_info(f)",
    .declaration =
        "CREATE TABLE bloom_info(policy TEXT, bytes INTEGER, bits INTEGER, "
        "probes INTEGER, bits_set INTEGER, fill REAL, keys INTEGER, "
        "false_positive_rate REAL, filter BLOB HIDDEN)",
    .columns = COLUMN_FILTER,
    .arguments = 1,
    .one_row = true,
    .rows_size = sizeof(info_rows),
    .begin = info_begin,
    .next = info_next,
    .column = info_column,
    .end = info_end,
};

/* Requirement 7. The sum of the most parts is below 2^58. */
static void keys_function(sqlite3_context *context, int argc,
                          sqlite3_value **argv) {
  (void)argc;
  const sql_open_filter *open_filter =
      sql_find_filter(sql_handles_of(context), argv[0]);
  byte_span whole;
  const byte_span *bytes = &whole;
  uint32_t parts = 1;
  if (open_filter != NULL && open_filter->parts > 1) {
    bytes = open_filter->bytes;
    parts = open_filter->parts;
  } else if (sql_filter_argument(context, argv[0], &whole) != VALUE_READ) {
    return;
  }
  uint64_t keys, sum = 0;
  for (uint32_t i = 0; i < parts; i++) {
    if (!bloom_estimated_keys(bytes[i].data, bytes[i].size, &keys)) return;
    sum += keys;
  }
  sqlite3_result_int64(context, (sqlite3_int64)sum);
}

const sql_function sql_info_functions[] = {
    {"bloom_info", 0, 0, .module = &sql_table_module, .data = &info_table},
    {"bloom_info", 1, 1, .scalar = sql_table_function, .data = &info_table},
    {"bloom_keys", 1, 1, .scalar = keys_function},
    {.name = NULL},
};
