/*
** bloom_build_kept(table, column, parts, bits_per_key, capacity), which the
** last trigger of a filter in parts calls when the parts grow: the handle of
** bloom_build_parts over all keys of the table. A trigger on another table may
** not name the table itself, since every rebuild of the table would then be an
** error. NULL if the filter is not kept, if the table has no row, or if two
** databases have such a filter, so that it cannot be told which one grows.
*/
#include "../filter.h"
#include "guard.h"
#include "schema.h"

/* Opens a copy of an open filter for the running statement. */
static bool open_again(sqlite3_context *context, const sql_open_filter *open,
                       sqlite3_int64 *handle) {
  sql_statement_id id;
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < open->parts; i++) bytes += open->bytes[i].size;
  if (!sql_identify_statement(context, &id)) return false;
  sql_open_filter *copy = sql_create_filter(open->parts, bytes);
  if (copy == NULL) return sql_no_memory(context);
  for (uint32_t i = 0; i < open->parts; i++) {
    /* There is room for all parts. */
    sql_fill_part(&copy, i, open->bytes[i]);
  }
  const bool opened = sql_open_parts(context, id, &copy, handle);
  sqlite3_free(copy);
  return opened;
}

/* Builds the filter of a column in a schema. */
static void build_column(sqlite3_context *context, const char *schema,
                         const char *const *names, sqlite3_value **argv) {
  sqlite3 *db = sqlite3_context_db_handle(context);
  sqlite3_stmt *row = NULL;
  sqlite3_int64 handle;
  char *sql = sqlite3_mprintf(
      "SELECT bloom_build_parts(\"%w\", ?1, ?2, ?3) FROM \"%w\".\"%w\"",
      names[2], schema, names[1]);
  int rc =
      sql == NULL ? SQLITE_NOMEM : sqlite3_prepare_v2(db, sql, -1, &row, NULL);
  for (int i = 1; rc == SQLITE_OK && i <= 3; i++) {
    rc = sqlite3_bind_value(row, i, argv[i + 1]);
  }
  if (rc == SQLITE_OK) rc = sqlite3_step(row);
  if (rc != SQLITE_ROW) {
    sql_failed(context, rc);
  } else if (sqlite3_column_type(row, 0) == SQLITE_INTEGER) {
    const sql_open_filter *open =
        sql_find_handle(sql_handles_of(context), sqlite3_column_int64(row, 0));
    if (open != NULL && open_again(context, open, &handle)) {
      sqlite3_result_int64(context, handle);
    }
  }
  sqlite3_finalize(row);
  sqlite3_free(sql);
}

void sql_build_kept_function(sqlite3_context *context, int argc,
                             sqlite3_value **argv) {
  (void)argc;
  const char *names[3] = {sql_kept_parts.noun};
  char *schema = NULL;
  bool kept;
  if (!sql_name_argument(context, "table", "the name of a table", argv[0],
                         &names[1]) ||
      !sql_name_argument(context, "column", "the name of a column", argv[1],
                         &names[2])) {
    return;
  }
  const int rc = sql_look_everywhere(sqlite3_context_db_handle(context), names,
                                     &kept, &schema);
  if (rc != SQLITE_OK) {
    sql_failed(context, rc);
  } else if (kept) {
    build_column(context, schema, names, argv);
  }
  sqlite3_free(schema);
}
