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
#include <stdint.h>
#include <string.h>

#include "compat.h"
#include "core/estimate.h"
#include "families.h"
#include "filter.h"

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

typedef struct info_table {
  sqlite3_vtab base;
  sql_handles *handles; /* the connection's open filters */
} info_table;

typedef struct info_cursor {
  sqlite3_vtab_cursor base;
  sql_open_filter *filter; /* NULL after the only row */
} info_cursor;

/* ---- The columns. */

static int info_column(sqlite3_vtab_cursor *base, sqlite3_context *context,
                       int column) {
  const sql_open_filter *filter = ((const info_cursor *)base)->filter;
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
  return SQLITE_OK;
}

/* ---- The table. */

static int info_connect(sqlite3 *db, void *data, int argc,
                        const char *const *argv, sqlite3_vtab **table,
                        char **error) {
  (void)argc, (void)argv, (void)error;
  const int rc = sqlite3_declare_vtab(
      db,
      "CREATE TABLE bloom_info(policy TEXT, bytes INTEGER, bits INTEGER, "
      "probes INTEGER, bits_set INTEGER, fill REAL, keys INTEGER, "
      "false_positive_rate REAL, filter BLOB HIDDEN)");
  if (rc != SQLITE_OK) return rc;
  info_table *connected = sqlite3_malloc64(sizeof(*connected));
  if (connected == NULL) return SQLITE_NOMEM;
  memset(connected, 0, sizeof(*connected));
  const sql_registration *registration = data;
  connected->handles = registration->handles;
  sql_retain_handles(connected->handles);
  *table = &connected->base;
  sql_vtab_innocuous(db);
  return SQLITE_OK;
}

static int info_disconnect(sqlite3_vtab *table) {
  sql_release_handles(((info_table *)table)->handles);
  sqlite3_free(table);
  return SQLITE_OK;
}

/* The only plan is filter = VALUE, the function's argument. idxNum is 1 if the
** argument is given. */
static int info_best_index(sqlite3_vtab *table, sqlite3_index_info *info) {
  (void)table;
  for (int i = 0; i < info->nConstraint; i++) {
    if (info->aConstraint[i].iColumn != COLUMN_FILTER ||
        info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ) {
      continue;
    }
    if (!info->aConstraint[i].usable) return SQLITE_CONSTRAINT;
    info->aConstraintUsage[i].argvIndex = 1;
    info->aConstraintUsage[i].omit = 1;
    info->idxNum = 1;
    break;
  }
  info->estimatedCost = 1;
  info->estimatedRows = 1;
  info->idxFlags = SQLITE_INDEX_SCAN_UNIQUE;
  return SQLITE_OK;
}

static int info_open(sqlite3_vtab *table, sqlite3_vtab_cursor **base) {
  (void)table;
  info_cursor *cursor = sqlite3_malloc64(sizeof(*cursor));
  if (cursor == NULL) return SQLITE_NOMEM;
  memset(cursor, 0, sizeof(*cursor));
  *base = &cursor->base;
  return SQLITE_OK;
}

static int info_next(sqlite3_vtab_cursor *base) {
  info_cursor *cursor = (info_cursor *)base;
  sqlite3_free(cursor->filter);
  cursor->filter = NULL;
  return SQLITE_OK;
}

static int info_close(sqlite3_vtab_cursor *base) {
  info_next(base);
  sqlite3_free(base);
  return SQLITE_OK;
}

/* Makes message, which SQLite frees, the statement's error; NULL stands for out
** of memory. */
static int info_error(sqlite3_vtab_cursor *base, char *message) {
  if (message == NULL) return SQLITE_NOMEM;
  base->pVtab->zErrMsg = sql_make_utf8(message);
  return SQLITE_ERROR;
}

static int info_filter(sqlite3_vtab_cursor *base, int plan, const char *text,
                       int argc, sqlite3_value **argv) {
  (void)text, (void)argc;
  info_cursor *cursor = (info_cursor *)base;
  byte_span filter;
  info_next(base);
  if (plan == 0) {
    return info_error(
        base, sqlite3_mprintf(
                  "bloom_info: filter must be given, as in bloom_info(f)"));
  }
  char *message;
  sql_handles *handles = ((const info_table *)base->pVtab)->handles;
  /* Uncovered: no memory, see sql_read_blob. */
  switch (sql_read_filter(handles, "bloom_info", argv[0], &filter, &message)) {
    case VALUE_READ:
      break;
    case VALUE_NULL:
      return SQLITE_OK;
    case VALUE_WRONG:
      return info_error(base, message);
    default:
      return SQLITE_NOMEM;
  }
  cursor->filter = sql_copy_whole(filter);
  return cursor->filter == NULL ? SQLITE_NOMEM : SQLITE_OK;
}

static int info_eof(sqlite3_vtab_cursor *base) {
  return ((const info_cursor *)base)->filter == NULL;
}

static int info_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid) {
  (void)base;
  *rowid = 1;
  return SQLITE_OK;
}

/* It has no xCreate, so it is an eponymous-only virtual table. */
static const sqlite3_module info_module = {
    .xConnect = info_connect,
    .xBestIndex = info_best_index,
    .xDisconnect = info_disconnect,
    .xOpen = info_open,
    .xClose = info_close,
    .xFilter = info_filter,
    .xNext = info_next,
    .xEof = info_eof,
    .xColumn = info_column,
    .xRowid = info_rowid,
};

/* Requirement 6. */
static void info_function(sqlite3_context *context, int argc,
                          sqlite3_value **argv) {
  (void)argc, (void)argv;
  sql_error(context, SQLITE_ERROR,
            "it is a table: SELECT * FROM bloom_info(f)");
}

/* Requirement 7. The sum of the most parts is below 2^58. */
static void keys_function(sqlite3_context *context, int argc,
                          sqlite3_value **argv) {
  (void)argc;
  byte_span whole;
  const sql_open_filter *open_filter =
      sql_find_filter(sql_handles_of(context), argv[0]);
  if (open_filter == NULL || open_filter->parts == 1) {
    if (sql_filter_argument(context, argv[0], &whole) != VALUE_READ) return;
    open_filter = NULL;
  }
  const uint32_t parts = open_filter == NULL ? 1 : open_filter->parts;
  uint64_t keys, sum = 0;
  for (uint32_t i = 0; i < parts; i++) {
    const byte_span part = open_filter == NULL ? whole : open_filter->bytes[i];
    if (!bloom_estimated_keys(part.data, part.size, &keys)) return;
    sum += keys;
  }
  sqlite3_result_int64(context, (sqlite3_int64)sum);
}

/* bloom_ext.c needs the table-valued function at the end. */
const sql_function sql_info_functions[] = {
    {"bloom_info", 1, 1, .scalar = info_function},
    {"bloom_keys", 1, 1, .scalar = keys_function},
    {"bloom_info", 0, 0, .module = &info_module},
    {.name = NULL},
};
