/*
** The query with filters, and with clocks.
*/
#include <string.h>

#include "../compat.h"
#include "set.h"

const char *sql_probe_text(sql_arena *arena, const sql_filter *filter,
                           sqlite3_int64 until) {
  const bool is_guard = filter->form == FORM_GUARD, ends = until != SQL_NEVER;
  const char *probed =
      is_guard
          ? filter->operand
          : sql_name(arena,
                     filter->probe->table->columns[filter->probe_column].name);
  const char *key =
      ends ? sql_arena_text(arena, SQL_UNTIL "(%lld, k)", until) : "k";
  if (filter->test == TEST_NONE) return "";
  if (filter->test == TEST_SET) {
    return ends ? sql_arena_text(arena, "%s IN (SELECT %s FROM (%s))", probed,
                                 key, filter->set)
                : sql_arena_text(arena, "%s IN (%s)", probed, filter->set);
  }
  if (filter->end > 0) {
    /* If the list has a NULL, IN is NULL where it finds nothing. The filter is
    ** NULL then, too, and the IN is evaluated. */
    return sql_arena_text(
        arena,
        "CASE WHEN bloom_may_match(%s, (SELECT CASE count(*) WHEN count(k) "
        "THEN bloom_open(bloom_build(%s)) END FROM (%s))) IS NOT 0 THEN ",
        probed, key, filter->set);
  }
  const char *built =
      filter->view != NULL
          ? sql_arena_text(arena, "SELECT filter FROM main.%s",
                           sql_name(arena, filter->view))
          : sql_arena_text(arena,
                           "SELECT bloom_open(bloom_build(%s)) FROM (%s)", key,
                           filter->set);
  return sql_arena_text(arena,
                        is_guard
                            ? "CASE WHEN bloom_may_match(%s, (%s)) THEN %s END"
                            : "likelihood(bloom_may_match(%s, (%s)), 1.0)",
                        probed, built, probed);
}

/* The WHERE of the WITH that takes the place of a loop, which is "" if that
** only stores the table, or NULL if there is no such WITH. *stored is whether
** the chosen filters need the table stored. */
static const char *where_of(sql_arena *arena, const plan_loop *loop,
                            const sql_filters *filters, sqlite3_int64 until,
                            bool *stored) {
  const char *where = NULL;
  *stored = false;
  for (int i = 0; i <= filters->count; i++) {
    const sql_filter *filter = &filters->all[i];
    const char *condition = NULL;
    if (i == filters->count) {
      if (where != NULL || !loop->has_clock) {
        condition = sql_clock_text(arena, loop, until);
      }
    } else if (filter->chosen && filter->form != FORM_GUARD &&
               filter->probe == loop) {
      condition = sql_probe_text(arena, filter, until);
      *stored |= filter->form == FORM_REDUCER;
    }
    if (condition == NULL) continue;
    if (where == NULL) where = "";
    if (*condition == 0) continue;
    where = sql_arena_text(arena, "%s%s%s", where,
                           *where == 0 ? " WHERE " : " AND ", condition);
  }
  return where;
}

/* Appends "*", or the names of the columns that may be read. */
static void append_columns(sql_arena *arena, sqlite3_str *text,
                           const mirror_table *table) {
  const char *comma = "";
  if (!table->guarded) sqlite3_str_appendall(text, "*");
  for (int i = 0; table->guarded && i < table->column_count; i++) {
    if (!table->columns[i].readable) continue;
    sqlite3_str_appendf(text, "%s%s", comma,
                        sql_name(arena, table->columns[i].name));
    comma = ", ";
  }
}

/* The WITH that takes the place of a loop. What a WITH of the query's own
** reads, SQLite may read once for each time that it is named. It must not store
** the probed table then: SQLite 3.40 may index such a copy wrongly. */
static void append_with(sql_arena *arena, sqlite3_str *text, const char *query,
                        bool has_with, const plan_loop *loop, bool stored,
                        const char *where) {
  const sql_place *place = loop->place;
  sqlite3_str_appendf(text, "%s AS %s(SELECT ", sql_name(arena, place->name),
                      stored     ? "MATERIALIZED "
                      : has_with ? "NOT MATERIALIZED "
                                 : "");
  append_columns(arena, text, loop->table);
  sqlite3_str_appendf(text, " FROM %s%s%.*s%s)",
                      sql_table_text(arena, loop->table),
                      place->index_length > 0 ? " " : "", place->index_length,
                      query + place->index_at, where);
}

/* Adds the edits of the clocks that are in no WITH. Returns how many. */
static int edit_clocks(sql_arena *arena, const sql_filters *filters,
                       sqlite3_int64 until, sql_edit *edits) {
  int count = 0;
  for (int i = 0; i < filters->clock_count; i++) {
    const sql_clock *clock = &filters->clocks[i];
    bool stored;
    /* What a WITH makes has no rowid. */
    if (clock->loop == NULL ||
        where_of(arena, clock->loop, filters, until, &stored) == NULL) {
      count += sql_edit_clock(arena, clock, until, &edits[count]);
    }
  }
  return count;
}

/* Adds the edits of the chosen guards: two each at most. Returns how many. */
static int edit_guards(sql_arena *arena, const char *query,
                       const sql_filters *filters, sqlite3_int64 until,
                       sql_edit *edits) {
  int count = 0;
  for (int i = 0; i < filters->count; i++) {
    const sql_filter *filter = &filters->all[i];
    if (!filter->chosen || filter->form != FORM_GUARD) continue;
    const char *probe = sql_probe_text(arena, filter, until);
    if (filter->end == 0) {
      edits[count++] = (sql_edit){filter->at, filter->length, probe};
      continue;
    }
    /* A word may stand beside it without a space: SELECT"x"IN(SELECT k)FROM. */
    const char *before =
        sqlite3_strglob("[A-Za-z]*", &query[filter->at - 1]) == 0 ? " " : "";
    const char *after =
        sqlite3_strglob("[A-Za-z]*", &query[filter->end]) == 0 ? " " : "";
    edits[count++] =
        (sql_edit){filter->at, 0, sql_arena_text(arena, "%s%s", before, probe)};
    edits[count++] = (sql_edit){
        filter->end, 0,
        sql_arena_text(arena, " ELSE %d END%s", filter->negate, after)};
  }
  return count;
}

/* Whether the text has views that no edit needs. */
static bool drops_views(const sql_trial *query, const sql_filters *filters,
                        sqlite3_int64 until) {
  if (query->views == NULL || until != SQL_NEVER) return false;
  const int end = query->views_at + query->views_length;
  for (int i = 0; i < filters->count; i++) {
    const sql_filter *filter = &filters->all[i];
    const int at = filter->form == FORM_GUARD ? filter->at
                   : filter->chosen           ? filter->probe->place->at
                                              : end;
    if (filter->chosen && at < end) return false;
  }
  return true;
}

/* Whether the edit of a chosen guard lies in what a join has become. */
static bool has_guard(const sql_trial *query, const sql_filters *filters,
                      int join) {
  for (int i = 0; i < filters->count; i++) {
    const sql_filter *filter = &filters->all[i];
    const int end = filter->end > 0 ? filter->end : filter->at + filter->length;
    if (!filter->chosen || filter->form != FORM_GUARD) continue;
    for (int j = 0; j < query->joined_count; j++) {
      const joined_text *part = &query->joined[j];
      if (part->join == join && part->at < end &&
          filter->at < part->at + part->length) {
        return true;
      }
    }
  }
  return false;
}

/* Adds the edits that give joins back as they were, from a place on, if no edit
** needs them otherwise. Returns how many. */
static int edit_joins(const sql_trial *query, const sql_filters *filters,
                      int from, sql_edit *edits) {
  int count = 0;
  for (int i = 0; i < query->joined_count; i++) {
    const joined_text *part = &query->joined[i];
    if (part->at >= from && !has_guard(query, filters, part->join)) {
      edits[count++] = (sql_edit){part->at, part->length, part->given};
    }
  }
  return count;
}

const char *sql_filtered_text(sql_arena *arena, const sql_trial *query,
                              const sql_plan *plan, const sql_filters *filters,
                              sqlite3_int64 until) {
  sql_edit *edits = sql_arena_allocate(
      arena,
      (2 * (uint64_t)plan->loop_count + 2 * (uint64_t)filters->count +
       2 * (uint64_t)filters->clock_count + (uint64_t)query->joined_count + 1) *
          sizeof(*edits));
  if (edits == NULL) return NULL;
  const bool drops = drops_views(query, filters, until);
  bool has_with;
  int front = sql_front_of(query->text, &has_with);
  if (drops) {
    front = query->views_at;
    has_with = *query->views != 'W'; /* of WITH */
  }
  const bool any_with = sql_count_tokens(query->text, "WITH") >
                        (drops ? sql_count_tokens(query->views, "WITH") : 0);
  sqlite3_str *text = sqlite3_str_new(NULL);
  bool any = false;
  int count = 1;
  for (int i = 0; i < plan->loop_count; i++) {
    const plan_loop *loop = &plan->loops[i];
    bool stored;
    const char *where = where_of(arena, loop, filters, until, &stored);
    if (where == NULL) continue;
    sqlite3_str_appendall(text, any ? ",\n" : has_with ? " " : "WITH ");
    append_with(arena, text, query->text, any_with, loop, stored, where);
    any = true;
    if (strcmp(loop->place->name, loop->table->name) != 0) {
      count += sql_exchange(arena, loop->place, loop->place->name, loop->table,
                            &edits[count]);
    }
  }
  if (any) sqlite3_str_appendall(text, has_with ? "," : "\n");
  char *with = sqlite3_str_finish(text);
  edits[0] = (sql_edit){front, drops ? query->views_length : 0,
                        any ? sql_arena_keep(arena, with) : ""};
  count += edit_guards(arena, query->text, filters, until, &edits[count]);
  if (until == SQL_NEVER) {
    const int from = drops ? query->views_at + query->views_length : 0;
    count += edit_joins(query, filters, from, &edits[count]);
  } else {
    count += edit_clocks(arena, filters, until, &edits[count]);
  }
  return sql_edited_text(arena, query->text, edits, count);
}
