/*
** Filters in parts, stored as rows of some 1,000 keys each:
**
**  (1)  bloom_part(key, parts) is a key's part. parts is 1..MAX_PARTS.
**  (2)  bloom_open(part, parts, filter), an aggregate, is the handle of a
**       filter of all parts, each of which must occur once. NULL excludes none
**       of a part's keys. Without rows, the result is NULL.
**  (3)  bloom_bytes(filter [, part]) is the BLOB of a filter, or of its part.
*/
#include "families.h"
#include "filter.h"
#include "size.h"

static void part_function(sqlite3_context *context, int argc,
                          sqlite3_value **argv) {
  (void)argc;
  sqlite3_int64 parts = 0;
  sql_key key;
  /* A NULL number of parts is an error: if the result were NULL, an UPDATE of
  ** the row of that part would change no row, and the key would be lost. */
  if (sql_parts_argument(context, argv[1], &parts) &&
      sql_key_argument(context, argv[0], &key) == VALUE_READ) {
    sqlite3_result_int64(context, sql_part_of_key(&key, (uint32_t)parts));
  }
}

/* ---- Opening parts: requirement 2. */

typedef struct parts_group {
  sql_statement_id statement;
  sqlite3_int64 parts;     /* 0 before the first row */
  sql_open_filter *filter; /* NULL before the first row */
} parts_group;

/* Reads the number of a row's part. */
static bool new_part_argument(sqlite3_context *context,
                              const parts_group *group, sqlite3_value *value,
                              uint32_t *part) {
  if (!sql_uint32_argument(context, "part", 0, (uint32_t)group->parts - 1,
                           value, part)) {
    return false;
  }
  if (group->filter == NULL || !sql_has_part(group->filter, *part)) return true;
  return sql_error(context, SQLITE_ERROR,
                   "part %u of %lld occurs twice: pass each part in one row",
                   *part, group->parts);
}

/* Reads a part's filter. */
static bool part_filter(sqlite3_context *context, uint32_t part,
                        sqlite3_value *value, byte_span *filter) {
  char *error = NULL;
  const value_status status =
      sql_read_filter(sql_handles_of(context), value, filter, &error);
  if (status == VALUE_NULL) *filter = sql_match_all();
  if (status == VALUE_READ || status == VALUE_NULL) return true;
  if (error == NULL) return sql_no_memory(context);
  sql_error(context, SQLITE_ERROR, "%s (part %u)", error, part);
  sqlite3_free(error);
  return false;
}

/* Most parts have the same size, so the size of the first one tells how much
** room all of them need. At most this much is allocated at first. */
#define MAX_FIRST_ROOM ((uint64_t)16 << 20)

static void add_part(sqlite3_context *context, parts_group *group,
                     uint32_t part, byte_span filter) {
  if (group->filter == NULL) {
    const uint64_t room = (uint64_t)group->parts * filter.size;
    if (!sql_identify_statement(context, &group->statement)) return;
    group->filter = sql_create_filter(
        (uint32_t)group->parts, room < MAX_FIRST_ROOM ? room : MAX_FIRST_ROOM);
  }
  if (group->filter == NULL || !sql_fill_part(&group->filter, part, filter)) {
    sqlite3_result_error_nomem(context);
  }
}

static void parts_step(sqlite3_context *context, int argc,
                       sqlite3_value **argv) {
  (void)argc;
  parts_group *group = sql_aggregate_state(context, sizeof(*group));
  uint32_t part;
  byte_span filter;
  if (group != NULL && sql_parts_argument(context, argv[1], &group->parts) &&
      new_part_argument(context, group, argv[0], &part) &&
      part_filter(context, part, argv[2], &filter)) {
    add_part(context, group, part, filter);
  }
}

/* Whether every part has occurred. If not, it makes an error the result, which
** names the first missing part. */
static bool parts_complete(sqlite3_context *context,
                           const sql_open_filter *filter) {
  if (filter->filled == filter->parts) return true;
  uint32_t part = 0;
  while (sql_has_part(filter, part)) part++;
  return sql_error(context, SQLITE_ERROR,
                   "part %u of %u is missing (rows: %u): build the filter "
                   "again, or give NULL as that part",
                   part, filter->parts, filter->filled);
}

static void parts_final(sqlite3_context *context) {
  parts_group *group = sqlite3_aggregate_context(context, 0);
  if (group == NULL || group->filter == NULL) return;
  sqlite3_int64 handle;
  if (parts_complete(context, group->filter) &&
      sql_open_parts(context, group->statement, &group->filter, &handle)) {
    sqlite3_result_int64(context, handle);
  }
  sqlite3_free(group->filter);
}

/* Requirement 3. */
static void bytes_function(sqlite3_context *context, int argc,
                           sqlite3_value **argv) {
  const sql_open_filter *open_filter =
      sql_find_filter(sql_handles_of(context), argv[0]);
  byte_span whole;
  const byte_span *bytes = &whole;
  uint32_t parts = 1, part = 0;
  if (open_filter != NULL && open_filter->parts > 1) {
    bytes = open_filter->bytes;
    parts = open_filter->parts;
    if (argc == 1) {
      sql_error(context, SQLITE_ERROR,
                "part must be given for a handle of %u parts, as in "
                "bloom_bytes(handle, 0)",
                parts);
      return;
    }
  } else {
    const value_status status = sql_filter_argument(context, argv[0], &whole);
    if (status != VALUE_READ && status != VALUE_NULL) return;
    /* NULL stands for any filter, so it may have any part. */
    if (status == VALUE_NULL) {
      parts = MAX_PARTS;
      bytes = NULL;
    }
  }
  if ((argc == 1 ||
       sql_uint32_argument(context, "part", 0, parts - 1, argv[1], &part)) &&
      bytes != NULL) {
    sqlite3_result_blob64(context, bytes[part].data, bytes[part].size,
                          SQLITE_TRANSIENT);
  }
}

const sql_function sql_parts_functions[] = {
    {"bloom_part", 2, 2, .scalar = part_function},
    {"bloom_open", 3, 3, .step = parts_step, .final = parts_final,
     .nondeterministic = true},
    {"bloom_bytes", 1, 2, .scalar = bytes_function, .nondeterministic = true},
    {.name = NULL},
};
