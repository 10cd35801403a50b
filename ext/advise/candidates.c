/*
** What may make a query faster.
*/
#include <math.h>
#include <string.h>

#include "../compat.h"
#include "try.h"

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

/* The first row of a loop's table with this text in SQLite's plan of the query,
** or -1. */
static int row_of(const sql_advice *advice, const plan_loop *loop,
                  const char *text) {
  int count;
  return sql_find_detail(&advice->details, loop->label, text, &count);
}

/* Whether a filter saves anything that another one does not. A reducer saves an
** index that SQLite makes for the query, or reading all of a table for each row
** of another one. A guard saves a lookup, of which there is none where the
** table is read whole. */
static bool may_save(const sql_advice *advice, const sql_filter *filter) {
  const sql_filters *found = &advice->found;
  if (filter->form == FORM_TABLE) return true;
  if (filter->problem != NULL) return false;
  if (filter->form == FORM_REDUCER) {
    const int scan = row_of(advice, filter->probe, "SCAN ");
    return row_of(advice, filter->probe, " AUTOMATIC ") >= 0 ||
           (scan >= 0 && (filter->probe->parent != filter->keys->parent ||
                          scan > row_of(advice, filter->keys, "")));
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
  return row_of(advice, filter->keys, "SCAN ") < 0;
}

int sql_ask_mirror(sql_advice *advice) {
  sql_mirror mirror = {.arena = &advice->arena,
                       .asks = advice->db,
                       .original = advice->plain.text,
                       .plan = &advice->plan,
                       .until = sql_in_ms(fmax(advice->seconds * 250, 150))};
  sql_plan *plan = &advice->plan;
  int rc = sql_open_mirror(&mirror);
  if (rc == SQLITE_OK) {
    rc = sql_read_details(&mirror, advice->db, advice->plain.text,
                          &advice->details);
  }
  if (rc == SQLITE_OK) {
    advice->tables = mirror.tables;
    sql_find_inner_joins(&mirror, &advice->details);
    rc = sql_read_plan(&mirror, mirror.query, plan);
  }
  if (rc == SQLITE_OK) {
    advice->unknown = plan->unknown > 0 || plan->loop_count > 1;
    rc = sql_find_filters(&mirror, &advice->found);
    advice->unfinished = sql_now() > mirror.until;
  }
  sql_close_mirror(&mirror);
  if (rc != SQLITE_OK) advice->problem = mirror.problem;
  return rc;
}

/* ---- What may save more than a filter. */

/* Finds a table of the plan for which the planner has no statistics, without
** which it may choose a far worse order of tables. */
static int find_statistics(sql_advice *advice) {
  const sql_plan *plan = &advice->plan;
  sql_remedy *analyze = &advice->analyze;
  int rc = SQLITE_OK;
  for (int i = 0; rc == SQLITE_OK && i < plan->loop_count; i++) {
    const mirror_table *table = plan->loops[i].table;
    double missing = 1;
    if (sqlite3_table_column_metadata(advice->db, table->schema, "sqlite_stat1",
                                      "tbl", NULL, NULL, NULL, NULL,
                                      NULL) == SQLITE_OK) {
      /* An empty table has none. */
      rc = sql_ask_numbers(
          advice,
          sqlite3_mprintf(
              "SELECT EXISTS (SELECT 1 FROM \"%w\".\"%w\") AND NOT "
              "EXISTS (SELECT 1 FROM \"%w\".sqlite_stat1 AS s WHERE "
              "s.tbl = %Q COLLATE NOCASE) AS missing",
              table->schema, table->name, table->schema, table->name),
          &missing, 1);
      if (missing != 0 && analyze->cause == NULL) {
        analyze->cause =
            sql_arena_text(&advice->arena, "%s.%s was never analysed",
                           table->schema, table->name);
      }
    } else if (strcmp(table->schema, "temp") != 0) {
      analyze->cause = "this database was never analysed";
    }
  }
  if (analyze->cause != NULL && advice->found.count > 0) {
    analyze->sql = "ANALYZE";
  }
  return rc;
}

/* The share of a table's rows below which an index is better than reading all.
*/
#define FEW 0.1

/* The columns of an index. */
typedef struct index_columns {
  const char *names[8];
  int count;
} index_columns;

/* Adds the CREATE INDEX of columns, if it can be prepared, and is a new one. */
static int make_index(sql_advice *advice, const mirror_table *table,
                      const index_columns *columns) {
  sql_arena *arena = &advice->arena;
  sql_remedy *index = &advice->index;
  const char *name = table->name, *list = "";
  for (int i = 0; i < columns->count && !arena->no_memory; i++) {
    name = sql_arena_text(arena, "%s_%s", name, columns->names[i]);
    list = sql_arena_text(arena, "%s%s%s", list, i == 0 ? "" : ", ",
                          sql_name(arena, columns->names[i]));
  }
  if (arena->no_memory) return SQLITE_NOMEM;
  const char *sql = sql_arena_text(
      arena, "CREATE INDEX %s.%s ON %s(%s)", sql_name(arena, table->schema),
      sql_name(arena, name), sql_name(arena, table->name), list);
  if (arena->no_memory) return SQLITE_NOMEM;
  sqlite3_stmt *statement;
  const int rc =
      sql_prepare(advice->db, sqlite3_mprintf("%s", sql), &statement);
  sqlite3_finalize(statement);
  if (rc != SQLITE_OK) return sql_ends_all(rc) ? rc : SQLITE_OK;
  if (index->count > 0 && strstr(index->sql, sql) != NULL) return SQLITE_OK;
  index->sql = index->count++ == 0
                   ? sql
                   : sql_arena_text(arena, "%s; %s", index->sql, sql);
  return arena->no_memory ? SQLITE_NOMEM : SQLITE_OK;
}

/* Whether a loop compares a column of this name with the collation that an
** index of it would have. In the mirror, another loop may compare it. */
static bool has_own_collation(const plan_loop *loop, const char *name) {
  const mirror_column *column = sql_find_column(loop->table, name);
  bool has_other = false;
  for (int i = 0; column != NULL && i < loop->plan->count; i++) {
    const taken_constraint *taken = &loop->plan->taken[i];
    if (taken->column != column - loop->table->columns) continue;
    if (taken->binary == column->binary) return true;
    has_other = true;
  }
  return column != NULL && !has_other;
}

/* Finds the columns of a loop's table that SQLite indexes for the query alone.
** A row of its plan has "AUTOMATIC COVERING INDEX (NAME=? AND NAME=?". */
static void read_automatic(sql_arena *arena, const plan_loop *loop,
                           const char *detail, index_columns *columns) {
  const char *at = strstr(detail, "INDEX (");
  if (at == NULL) return;
  at += sizeof("INDEX (") - 1;
  for (const char *end; columns->count < 8 && (end = strstr(at, "=?")) != NULL;
       at = end + sizeof("=? AND ") - 1) {
    const char *name = sql_arena_text(arena, "%.*s", (int)(end - at), at);
    if (name == NULL || !has_own_collation(loop, name)) {
      columns->count = 0;
      return;
    }
    columns->names[columns->count++] = name;
    if (strncmp(end, "=? AND ", 7) != 0) return;
  }
}

/* Finds a column for whose values all of a loop's table is read. In pass 1, it
** is read for each row of another table, or few rows of it have a match there,
** unless a CROSS JOIN may say which comes first, or the values are computed, or
** a list; in pass 2, they are constants, and in pass 3, a range. */
static int scanned_column(const sql_advice *advice, const plan_loop *loop,
                          int pass) {
  for (int i = 0; pass == 1 && i < advice->found.count; i++) {
    const sql_filter *filter = &advice->found.all[i];
    if (filter->probe == loop &&
        (filter->form == FORM_REDUCER ||
         (filter->form == FORM_TABLE && filter->share >= 0 &&
          filter->share < FEW &&
          sql_count_tokens(advice->plain.text, "CROSS") == 0))) {
      return filter->probe_column;
    }
  }
  for (int i = 0; pass > 1 && i < loop->condition_count; i++) {
    const plan_condition *condition = &loop->conditions[i];
    const bool is_range = strchr("<>", *condition->text) != NULL &&
                          strncmp(condition->text, "<>", 2) != 0;
    if (condition->column >= 0 &&
        (pass == 3 ? is_range : *condition->text == '=')) {
      return condition->column;
    }
  }
  return pass == 1 ? loop->sought : -1;
}

/* The same as columns, if SQLite's plan reads all of the table, for lack of an
** index. */
static void find_scanned(sql_advice *advice, const plan_loop *loop,
                         const char *detail, int pass, index_columns *columns) {
  sql_mirror asks = {.arena = &advice->arena, .asks = advice->db};
  const char *behind = detail + sizeof("SCAN ") - 1 + strlen(loop->label);
  static const char covering[] = " USING COVERING INDEX ";
  if (strncmp(detail, "SCAN ", 5) != 0 ||
      (*behind != 0 && strcmp(behind, " LEFT-JOIN") != 0 &&
       strncmp(behind, covering, sizeof(covering) - 1) != 0)) {
    return;
  }
  const int column = scanned_column(advice, loop, pass);
  if (column < 0 || !loop->table->columns[column].binary ||
      sql_has_index(&asks, loop->table, column)) {
    return;
  }
  columns->names[columns->count++] = loop->table->columns[column].name;
}

/* Finds the loop that a row of SQLite's plan is about, of a table for which it
** makes an index. Where several tables have one label, or what is no table has
** it, too, none is found. */
static const plan_loop *find_automatic(const sql_advice *advice,
                                       const char *detail) {
  static const char automatic[] = " USING AUTOMATIC ";
  const plan_loop *found = NULL;
  int rows = 0, loops = 0;
  for (int i = 0; i < advice->plan.loop_count; i++) {
    const plan_loop *loop = &advice->plan.loops[i];
    const char *behind = sql_behind_label(detail, loop->label);
    if (behind == NULL ||
        strncmp(behind, automatic, sizeof(automatic) - 1) != 0) {
      continue;
    }
    if (found != NULL && found->table != loop->table) return NULL;
    found = loop;
    loops++;
  }
  if (found != NULL) sql_find_detail(&advice->details, found->label, "", &rows);
  return rows == loops ? found : NULL;
}

/* Finds all indexes that SQLite makes for the query alone. */
static int find_all_automatic(sql_advice *advice) {
  const sql_details *details = &advice->details;
  int rc = SQLITE_OK;
  for (int i = 0; rc == SQLITE_OK && i < details->count; i++) {
    const plan_loop *loop = find_automatic(advice, details->rows[i]);
    index_columns columns = {.count = 0};
    if (loop == NULL) continue;
    read_automatic(&advice->arena, loop, details->rows[i], &columns);
    if (columns.count > 0) rc = make_index(advice, loop->table, &columns);
  }
  const int count = advice->index.count;
  advice->index.cause = "SQLite makes an index for this query alone";
  if (count > 1) {
    advice->index.cause = sql_arena_text(
        &advice->arena, "SQLite makes %d indexes for this query alone", count);
  }
  return rc;
}

int sql_find_index(sql_advice *advice) {
  int rc = find_all_automatic(advice);
  for (int pass = 1; pass < 4; pass++) {
    for (int i = 0; i < advice->plan.loop_count; i++) {
      const plan_loop *loop = &advice->plan.loops[i];
      int rows;
      index_columns columns = {.count = 0};
      const int row = sql_find_detail(&advice->details, loop->label, "", &rows);
      if (rc != SQLITE_OK || advice->index.sql != NULL || rows != 1) continue;
      find_scanned(advice, loop, advice->details.rows[row], pass, &columns);
      if (columns.count == 0) continue;
      rc = make_index(advice, loop->table, &columns);
      advice->index.cause =
          sql_arena_text(&advice->arena, "all of %s is read for values of %s",
                         loop->table->name, columns.names[0]);
    }
  }
  return rc;
}

int sql_choose_filters(sql_advice *advice) {
  sql_filters *found = &advice->found;
  int count = 0;
  /* Those of FORM_TABLE, which others are compared with, stay. */
  for (int i = 0; i < found->count; i++) {
    if (!may_save(advice, &found->all[i])) continue;
    advice->to_try += found->all[i].problem == NULL;
    found->all[count++] = found->all[i];
  }
  found->count = count;
  return find_statistics(advice);
}
