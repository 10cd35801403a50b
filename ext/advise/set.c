#include "set.h"

#include <string.h>

#include "../compat.h"
#include "../token.h"

/* ---- Whether a filter is right. */

/* Why a loop's column cannot be on either side of a filter, or NULL. */
static const char *column_problem(const plan_loop *loop, int column) {
  if (loop->null_extended) {
    return "an outer join keeps rows without a partner; for a LEFT JOIN, "
           "left_join.sql has a form";
  }
  if (loop->filters != 1) {
    return "the plan reads one of the tables in several ways, as for an OR";
  }
  if (column < 0) {
    return "one of them is the rowid, which has no name of its own";
  }
  return loop->table->columns[column].plain ? NULL : "one of them is generated";
}

/* Why a filter of the lookup's keys may lose rows, or NULL if it does not:
** every row that the query needs of either loop has a partner in the other. */
static const char *lookup_problem(const plan_lookup *lookup) {
  const plan_loop *loop = lookup->loop, *key_loop = lookup->key_loop;
  const char *problem = column_problem(loop, lookup->column);
  if (problem == NULL) problem = column_problem(key_loop, lookup->key_column);
  if (problem != NULL) return problem;
  /* Uncovered: EXPLAIN QUERY PLAN names each loop. */
  if (loop->parent < 0 || key_loop->parent < 0 ||
      (!lookup->list && loop->parent != key_loop->parent)) {
    return "it is looked up from another SELECT; for EXISTS, join.sql has a "
           "form, and for NOT EXISTS anti_join.sql";
  }
  const mirror_column *column = &loop->table->columns[lookup->column];
  const mirror_column *key = &key_loop->table->columns[lookup->key_column];
  if (!lookup->binary || !column->binary || !key->binary) {
    return "they are compared with a collation; lost_rows.md has a form";
  }
  return strcmp(column->affinity, key->affinity) == 0
             ? NULL
             : "they have columns of different types; lost_rows.md has a form";
}

/* ---- The set. */

static void append_table(sqlite3_str *text, const mirror_table *table) {
  sql_append_name(text, table->schema);
  sqlite3_str_appendall(text, ".");
  sql_append_name(text, table->name);
}

/* Appends "*", or the names of the columns that may be read. */
static void append_columns(sqlite3_str *text, const mirror_table *table) {
  const char *comma = "";
  if (!table->guarded) {
    sqlite3_str_appendall(text, "*");
    return;
  }
  for (int i = 0; i < table->column_count; i++) {
    if (!table->columns[i].readable) continue;
    sqlite3_str_appendall(text, comma);
    sql_append_name(text, table->columns[i].name);
    comma = ", ";
  }
}

/* Appends " WHERE t1.name", or " AND t1.name". */
static void append_term(sqlite3_str *text, const plan_loop *loop, int column,
                        int depth, bool *has_where) {
  sqlite3_str_appendf(text, "%s t%d.", *has_where ? " AND" : " WHERE", depth);
  sql_append_name(text, loop->table->columns[column].name);
  *has_where = true;
}

/* The SELECT of a column under the loop's own conditions, and with IN those of
** each loop that it is joined with, if there are any, which *restricted
** becomes. used are the loops that are not joined again. */
static const char *set_text(sql_arena *arena, const sql_plan *plan,
                            const plan_loop *loop, int column, int depth,
                            bool *used, bool *restricted) {
  sqlite3_str *text = sqlite3_str_new(NULL);
  used[loop - plan->loops] = true;
  sqlite3_str_appendf(text, "SELECT t%d.", depth);
  sql_append_name(text, loop->table->columns[column].name);
  sqlite3_str_appendall(text, depth == 1 ? " AS k FROM " : " FROM ");
  append_table(text, loop->table);
  sqlite3_str_appendf(text, " AS t%d", depth);
  for (int i = 0; i < loop->condition_count; i++) {
    append_term(text, loop, loop->conditions[i].column, depth, restricted);
    sqlite3_str_appendf(text, " %s", loop->conditions[i].text);
  }
  for (int i = 0; i < plan->lookup_count; i++) {
    const plan_lookup *lookup = &plan->lookups[i];
    const bool is_key = lookup->key_loop == loop;
    const plan_loop *other = is_key ? lookup->loop : lookup->key_loop;
    bool is_restricted = false;
    if (lookup->list || (!is_key && lookup->loop != loop) ||
        used[other - plan->loops] || lookup_problem(lookup) != NULL) {
      continue;
    }
    const char *joined = set_text(arena, plan, other,
                                  is_key ? lookup->column : lookup->key_column,
                                  depth + 1, used, &is_restricted);
    if (!is_restricted) continue;
    append_term(text, loop, is_key ? lookup->key_column : lookup->column, depth,
                restricted);
    sqlite3_str_appendf(text, " IN (%s)", joined);
  }
  return sql_arena_keep(arena, sqlite3_str_finish(text));
}

const char *sql_probe_text(sql_arena *arena, const sql_filter *filter,
                           const char *view) {
  const mirror_table *table = filter->probe->table;
  sqlite3_str *text = sqlite3_str_new(NULL);
  sqlite3_str_appendall(text, "likelihood(bloom_may_match(");
  sql_append_name(text, table->columns[filter->probe_column].name);
  if (view == NULL) {
    sqlite3_str_appendf(text, ", (SELECT bloom_open(bloom_build(k)) FROM (%s)",
                        filter->set);
  } else {
    sqlite3_str_appendall(text, ", (SELECT filter FROM main.");
    sql_append_name(text, view);
  }
  sqlite3_str_appendall(text, ")), 1.0)");
  return sql_arena_keep(arena, sqlite3_str_finish(text));
}

/* ---- The query with filters. */

const char *sql_filtered_text(sql_arena *arena, const char *query,
                              const sql_filter *filters, int count) {
  const char *behind = query;
  const sql_token first = sql_next_token(&behind);
  const char *place = first.start;
  const bool has_with = sql_token_is(first, "WITH");
  if (has_with) {
    place = behind;
    if (sql_token_is(sql_next_token(&behind), "RECURSIVE")) place = behind;
  }
  sqlite3_str *text = sqlite3_str_new(NULL);
  /* What a WITH of the query's own reads, SQLite may read once for each time
  ** that it is named. It must not store the probed table then: SQLite 3.40 may
  ** index such a copy wrongly. */
  const char *as =
      sql_count_tokens(query, "WITH") > 0 ? " AS NOT MATERIALIZED (" : " AS (";
  sqlite3_str_append(text, query, (int)(place - query));
  const char *comma = has_with ? " " : "WITH ";
  for (int i = 0; i < count; i++) {
    const mirror_table *table = filters[i].probe->table;
    const char *and = " WHERE ";
    int earlier = 0;
    while (earlier < i && (!filters[earlier].chosen ||
                           filters[earlier].probe->table != table)) {
      earlier++;
    }
    if (!filters[i].chosen || earlier < i) continue;
    sqlite3_str_appendall(text, comma);
    sql_append_name(text, table->name);
    sqlite3_str_appendf(text, "%sSELECT ", as);
    append_columns(text, table);
    sqlite3_str_appendall(text, " FROM ");
    append_table(text, table);
    for (int j = i; j < count; j++) {
      if (!filters[j].chosen || filters[j].probe->table != table) continue;
      sqlite3_str_appendf(text, "%s%s", and, filters[j].condition);
      and = " AND ";
    }
    sqlite3_str_appendall(text, ")");
    comma = ",\n";
  }
  sqlite3_str_appendf(text, "%s%s", has_with ? "," : "\n", place);
  return sql_arena_keep(arena, sqlite3_str_finish(text));
}

/* ---- The place in the query: SQLite is asked whether a common table
** expression of the table's name takes it. */

typedef struct filter_place {
  const sql_mirror *mirror;
  const char *name; /* of the probed table */
  int loops;        /* over tables of this name, with the filter */
  bool marked;      /* the filter is part of the plan */
} filter_place;

static int note_place(void *data, sqlite3_stmt *row) {
  filter_place *noted = data;
  const char *p4 = sql_row_text(row, 5);
  const mirror_plan *plan = sql_find_plan(noted->mirror, p4);
  noted->loops +=
      plan != NULL && sqlite3_stricmp(plan->table->name, noted->name) == 0;
  noted->marked |= strcmp(p4, SQL_MARK "(0)") == 0;
  return SQLITE_OK;
}

/* Whether a name in a query may be the rowid of a table, and not a column. */
static bool names_rowid(const char *query, const mirror_table *table) {
  static const char *const names[] = {"rowid", "_rowid_", "oid"};
  for (sql_token token; (token = sql_next_token(&query)).kind != TOKEN_END;) {
    for (int i = 0; i < 3 && *token.start != '\''; i++) {
      if (sql_token_names(token, names[i]) &&
          sql_find_column(table, names[i]) == NULL) {
        return true;
      }
    }
  }
  return false;
}

/* Why the query has no place for a filter, or NULL if it has: it reads the
** table once, with the filter, too, which is then a part of the plan. A rowid
** could become that of another table without a word. */
static const char *place_problem(sql_mirror *mirror, const sql_plan *plan,
                                 sql_filter *filter) {
  const char *query = mirror->query;
  filter_place noted = {mirror, filter->probe->table->name, 0, false};
  int loops = 0;
  for (int i = 0; i < plan->loop_count; i++) {
    loops += sqlite3_stricmp(plan->loops[i].table->name, noted.name) == 0;
  }
  if (loops != 1) {
    return "the query reads the probed table, or one of its name, more than "
           "once";
  }
  if (names_rowid(query, filter->probe->table)) {
    return "the query names a rowid, which a WITH does not have";
  }
  filter->condition = SQL_MARK "()";
  filter->chosen = true;
  const int rc = sql_explain_in_mirror(
      mirror, "EXPLAIN", sql_filtered_text(mirror->arena, query, filter, 1),
      note_place, &noted);
  filter->chosen = false;
  mirror->problem = NULL;
  if (rc == SQLITE_NOMEM) mirror->arena->no_memory = true;
  return rc == SQLITE_OK && noted.loops == 1 && noted.marked
             ? NULL
             : "a WITH of the probed table's name would not be read in its "
               "place";
}

void sql_make_filter(sql_mirror *mirror, const sql_plan *plan,
                     const plan_lookup *lookup, bool exchanged,
                     sql_filter *filter) {
  sql_arena *arena = mirror->arena;
  *filter = (sql_filter){.build_ms = -1, .share = -1};
  /* The plan looks up rows of loop by a column of key_loop, but searches a list
  ** of keys for the column of loop. */
  const bool is_loop = exchanged != lookup->list;
  filter->probe = is_loop ? lookup->loop : lookup->key_loop;
  filter->keys = is_loop ? lookup->key_loop : lookup->loop;
  filter->probe_column = is_loop ? lookup->column : lookup->key_column;
  filter->key_column = is_loop ? lookup->key_column : lookup->column;
  const mirror_table *probe = filter->probe->table, *keys = filter->keys->table;
  filter->probe_name = sql_arena_text(
      arena, "%s.%s", probe->name,
      filter->probe_column < 0 ? "rowid"
                               : probe->columns[filter->probe_column].name);
  filter->key_name = sql_arena_text(
      arena, "%s.%s", keys->name,
      filter->key_column < 0 ? "rowid"
                             : keys->columns[filter->key_column].name);
  filter->problem = lookup_problem(lookup);
  bool *used = sql_arena_allocate(arena, (uint64_t)plan->loop_count);
  if (filter->problem != NULL || used == NULL) return;
  bool restricted = false;
  used[filter->probe - plan->loops] = true;
  filter->set = set_text(arena, plan, filter->keys, filter->key_column, 1, used,
                         &restricted);
  filter->whole = !restricted;
  filter->problem = place_problem(mirror, plan, filter);
}
