#include "candidates.h"

#include <math.h>
#include <string.h>

#include "../compat.h"

int sql_ask_numbers(sql_advice *advice, char *sql, double *numbers, int count) {
  sqlite3_stmt *row;
  int rc = sql_first_row(advice->db, sql, &row);
  for (int i = 0; rc == SQLITE_ROW && i < count; i++) {
    numbers[i] = sqlite3_column_double(row, i);
  }
  const int end = sqlite3_finalize(row);
  if (rc == SQLITE_ROW || rc == SQLITE_DONE) rc = end;
  return sql_ends_all(rc) ? rc : SQLITE_OK;
}

/* ---- Which filters there are. */

/* Whether SQLite's plan of the query has a row of a loop's table with this
** text. */
static bool plan_says(const sql_details *details, const plan_loop *loop,
                      const char *what) {
  for (int i = 0; loop->label != NULL && i < details->count; i++) {
    const sql_details one = {&details->rows[i], 1};
    if (strstr(details->rows[i], what) != NULL &&
        sql_count_details(&one, loop->label, NULL) == 1) {
      return true;
    }
  }
  return false;
}

/* Whether a filter saves anything that another one does not. A reducer saves an
** index that SQLite makes for the query, or reading all of a table for each row
** of another SELECT. A guard saves a lookup, of which there is none where the
** table is read whole. */
static bool may_save(const sql_filters *found, const sql_filter *filter,
                     const sql_details *details) {
  if (filter->form == FORM_TABLE) return true;
  if (filter->problem != NULL) return false;
  if (filter->form == FORM_REDUCER) {
    return plan_says(details, filter->probe, " AUTOMATIC ") ||
           (filter->probe->parent != filter->keys->parent &&
            plan_says(details, filter->probe, "SCAN "));
  }
  for (int i = 0; i < found->count; i++) {
    const sql_filter *other = &found->all[i];
    if (other->form == FORM_TABLE && other->problem == NULL &&
        other->probe == filter->probe && other->keys == filter->keys &&
        other->probe_column == filter->probe_column &&
        other->key_column == filter->key_column) {
      return false;
    }
  }
  return !plan_says(details, filter->keys, "SCAN ");
}

static void choose_filters(sql_filters *found, const sql_details *details) {
  int count = 0;
  for (int i = 0; i < found->count; i++) {
    sql_filter *filter = &found->all[i];
    filter->idle = !may_save(found, filter, details);
  }
  for (int i = 0; i < found->count; i++) {
    if (!found->all[i].idle) found->all[count++] = found->all[i];
  }
  found->count = count;
}

int sql_ask_mirror(sql_advice *advice, sql_details *details) {
  sql_mirror mirror = {.arena = &advice->arena,
                       .asks = advice->db,
                       .original = advice->plain.text,
                       .until = sql_in_ms(fmax(advice->seconds * 250, 150))};
  sql_plan *plan = &advice->plan;
  int rc = sql_open_mirror(&mirror);
  if (rc == SQLITE_OK) {
    rc = sql_read_details(&mirror, advice->db, advice->plain.text, details);
  }
  if (rc == SQLITE_OK) {
    sql_find_inner_joins(&mirror, details);
    rc = sql_read_plan(&mirror, mirror.query, plan);
  }
  if (rc == SQLITE_OK) {
    advice->unknown = plan->unknown > 0 || plan->loop_count > 1;
    rc = sql_find_filters(&mirror, plan, &advice->found);
  }
  sql_close_mirror(&mirror);
  if (rc != SQLITE_OK) advice->problem = mirror.problem;
  return rc;
}

/* ---- What may save more than a filter. */

/* Finds out whether the planner has statistics, without which it may choose a
** far worse order of tables. */
static int find_statistics(sql_advice *advice) {
  double tables = 1;
  const int rc = sql_ask_numbers(
      advice,
      sqlite3_mprintf(
          "SELECT count(*) AS n FROM main.sqlite_master WHERE name = "
          "'sqlite_stat1'"),
      &tables, 1);
  advice->analysed = tables > 0;
  return rc;
}

/* Makes the CREATE INDEX of a column that SQLite indexes for the query alone,
** if it can be prepared. */
static int find_index(sql_advice *advice, const sql_details *details) {
  const sql_filter *filter = NULL;
  for (int i = 0; filter == NULL && i < advice->found.count; i++) {
    const sql_filter *at = &advice->found.all[i];
    if (at->form == FORM_REDUCER &&
        plan_says(details, at->probe, " AUTOMATIC ")) {
      filter = at;
    }
  }
  if (filter == NULL) return SQLITE_OK;
  const mirror_table *table = filter->probe->table;
  const char *column = table->columns[filter->probe_column].name;
  const char *name =
      sql_arena_text(&advice->arena, "%s_%s", table->name, column);
  if (name == NULL) return SQLITE_NOMEM;
  sqlite3_str *text = sqlite3_str_new(NULL);
  sqlite3_str_appendall(text, "CREATE INDEX ");
  sql_append_name(text, table->schema);
  sqlite3_str_appendall(text, ".");
  sql_append_name(text, name);
  sqlite3_str_appendall(text, " ON ");
  sql_append_name(text, table->name);
  sqlite3_str_appendall(text, "(");
  sql_append_name(text, column);
  sqlite3_str_appendall(text, ")");
  const char *sql = sql_arena_keep(&advice->arena, sqlite3_str_finish(text));
  if (sql == NULL) return SQLITE_NOMEM;
  sqlite3_stmt *statement;
  const int rc =
      sql_prepare(advice->db, sqlite3_mprintf("%s", sql), &statement);
  sqlite3_finalize(statement);
  if (rc == SQLITE_OK) advice->index = sql;
  return sql_ends_all(rc) ? rc : SQLITE_OK;
}

int sql_find_remedies(sql_advice *advice, const sql_details *details) {
  choose_filters(&advice->found, details);
  const int rc = find_statistics(advice);
  return rc == SQLITE_OK ? find_index(advice, details) : rc;
}
