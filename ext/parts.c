/*
** Filters in parts, kept as rows of some 1,000 keys each:
**
**  (1)  bloom_part(key, parts) is the part 0..parts-1 that a key belongs to; a
**       NULL key gives NULL. parts is an integer 1..2^20.
**  (2)  bloom_open(part, parts, filter) is an aggregate. Its result is the
**       handle of a filter whose parts are the rows. Each part 0..parts-1 must
**       occur exactly once. A NULL filter excludes none of its part's keys.
**       Without rows, the result is NULL.
*/
#include "families.h"
#include "filter.h"

static bool parts_argument(sqlite3_context *context, sqlite3_value *value,
                           uint32_t *parts) {
  sqlite3_int64 integer;
  if (!sql_integer_argument(context, "parts", 1, MAX_PARTS, NULL, value,
                            &integer)) {
    return false;
  }
  *parts = (uint32_t)integer;
  return true;
}

static void part_function(sqlite3_context *context, int argc,
                          sqlite3_value **argv) {
  (void)argc;
  uint32_t parts;
  sql_key key;
  /* A NULL number of parts is an error: if the result were NULL, an UPDATE of
  ** the row of that part would change no row, and the key would be lost. */
  if (parts_argument(context, argv[1], &parts) &&
      sql_key_argument(context, argv[0], &key) == VALUE_READ) {
    sqlite3_result_int64(context, sql_part_of_key(&key, parts));
  }
}

/* The state of the aggregate bloom_open. */
typedef struct parts_open {
  sql_statement_id statement;
  uint32_t parts;
  sql_copy *copy; /* NULL before the first row */
  bool failed;
} parts_open;

/* Reads the number of a row's part. */
static bool part_argument(sqlite3_context *context, const parts_open *open,
                          sqlite3_value *value, uint32_t *part) {
  sqlite3_int64 integer;
  if (!sql_integer_argument(context, "part", 0, open->parts - 1, NULL, value,
                            &integer)) {
    return false;
  }
  *part = (uint32_t)integer;
  if (open->copy == NULL || !sql_copy_has(open->copy, *part)) return true;
  return sql_error(context, SQLITE_ERROR, "part %u of %u occurs twice", *part,
                   open->parts);
}

/* Reads a part's filter. */
static bool part_filter(sqlite3_context *context, uint32_t part,
                        sqlite3_value *value, byte_span *filter) {
  char *message;
  const value_status status = sql_read_filter(
      sql_handles_of(context), "bloom_open", value, filter, &message);
  if (status == VALUE_NULL) *filter = sql_match_all();
  if (status == VALUE_READ || status == VALUE_NULL) return true;
  /* Uncovered: no memory to read it, see sql_read_blob. */
  if (status == VALUE_NO_MEMORY) message = NULL;
  sql_error_message(
      context, SQLITE_ERROR,
      message == NULL ? NULL : sqlite3_mprintf("%s (part %u)", message, part));
  sqlite3_free(message);
  return false;
}

/* Most parts have the same size, so the size of the first one tells how much
** room all of them need. At most this much is allocated at first. */
#define MAX_FIRST_ROOM ((uint64_t)16 << 20)

static bool add_part(sqlite3_context *context, parts_open *open, uint32_t part,
                     byte_span filter) {
  if (open->copy == NULL) {
    const uint64_t room = (uint64_t)open->parts * filter.size;
    if (!sql_identify_statement(context, &open->statement)) return false;
    open->copy = sql_copy_create(open->parts,
                                 room < MAX_FIRST_ROOM ? room : MAX_FIRST_ROOM);
  }
  if (open->copy != NULL && sql_copy_fill(&open->copy, part, filter)) {
    return true;
  }
  sqlite3_result_error_nomem(context);
  return false;
}

static bool parts_row(sqlite3_context *context, parts_open *open,
                      sqlite3_value **argv) {
  uint32_t parts, part;
  byte_span filter;
  if (!parts_argument(context, argv[1], &parts)) return false;
  if (open->parts == 0) open->parts = parts;
  if (open->parts != parts) {
    return sql_error(context, SQLITE_ERROR,
                     "parts must be the same in every row, got %u after %u",
                     parts, open->parts);
  }
  return part_argument(context, open, argv[0], &part) &&
         part_filter(context, part, argv[2], &filter) &&
         add_part(context, open, part, filter);
}

static void parts_step(sqlite3_context *context, int argc,
                       sqlite3_value **argv) {
  (void)argc;
  parts_open *open = sql_aggregate_state(context, sizeof(*open));
  if (open != NULL && !parts_row(context, open, argv)) open->failed = true;
}

/* Whether every part has occurred. If not, it makes an error the result, which
** names the first missing part. */
static bool parts_complete(sqlite3_context *context, const parts_open *open) {
  if (open->copy->filled == open->parts) return true;
  uint32_t part = 0;
  while (sql_copy_has(open->copy, part)) part++;
  return sql_error(context, SQLITE_ERROR, "part %u of %u is missing (rows: %u)",
                   part, open->parts, open->copy->filled);
}

static void parts_final(sqlite3_context *context) {
  parts_open *open = sqlite3_aggregate_context(context, 0);
  if (open == NULL) return;
  sqlite3_int64 handle;
  if (!open->failed && parts_complete(context, open) &&
      sql_open_copy(context, open->statement, &open->copy, &handle)) {
    sqlite3_result_int64(context, handle);
  }
  sqlite3_free(open->copy);
}

const sql_function sql_parts_functions[] = {
    {.name = "bloom_part",
     .min_arguments = 2,
     .max_arguments = 2,
     .scalar = part_function},
    {.name = "bloom_open",
     .min_arguments = 3,
     .max_arguments = 3,
     .step = parts_step,
     .final = parts_final,
     .nondeterministic = true},
    {.name = NULL},
};
