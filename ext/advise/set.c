#include "set.h"

#include <string.h>

#include "../compat.h"
#include "../token.h"

sql_pair sql_pair_of(const sql_plan *plan, const plan_lookup *lookup,
                     bool exchanged) {
  const plan_loop *loop = &plan->loops[lookup->loop];
  const plan_loop *key_loop = &plan->loops[lookup->key_loop];
  /* The plan looks up rows of loop by a column of key_loop, but searches a list
  ** of keys for the column of loop. */
  return exchanged != lookup->list
             ? (sql_pair){loop, key_loop, lookup->column, lookup->key_column}
             : (sql_pair){key_loop, loop, lookup->key_column, lookup->column};
}

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

const char *sql_lookup_problem(const sql_plan *plan,
                               const plan_lookup *lookup) {
  const plan_loop *loop = &plan->loops[lookup->loop];
  const plan_loop *key_loop = &plan->loops[lookup->key_loop];
  const char *problem = column_problem(loop, lookup->column);
  if (problem == NULL) problem = column_problem(key_loop, lookup->key_column);
  if (lookup->search) {
    return "rows that are not found may be needed; for NOT IN, anti_join.sql "
           "has a form";
  }
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

/* ---- The place in the query. */

/* Whether a table of a FROM may follow a token, and no alias. */
static bool begins_source(sql_token token) {
  static const char *const words[] = {"FROM", "JOIN", ",", "("};
  for (int i = 0; i < 4; i++) {
    if (sql_token_is(token, words[i])) return true;
  }
  return false;
}

/* Whether a view that the query may read has a name in its text. */
static bool is_in_view(const sql_mirror *mirror, const char *name) {
  for (int i = 0; i < mirror->table_count; i++) {
    const char *view = mirror->tables[i]->view;
    if (view != NULL && sql_count_tokens(view, name) > 0) return true;
  }
  return false;
}

const char *sql_place_problem(const sql_mirror *mirror, const sql_plan *plan,
                              const sql_pair *pair, const char *query) {
  static const char *const rowids[] = {"rowid", "_rowid_", "oid"};
  const char *name = pair->probe->table->name;
  sql_token before = {TOKEN_END, "", 0}, database = before;
  int named = 0;
  if (sql_loops_named(plan, name) != 1) {
    return "the query reads the probed table, or one of its name, more than "
           "once";
  }
  for (int i = 0; i < 3; i++) {
    if (sql_count_tokens(query, rowids[i]) > 0) {
      return "the query names a rowid, which a WITH does not have";
    }
  }
  if (sql_count_tokens(query, "INDEXED") > 0) {
    return "the query has INDEXED, which a WITH does not take";
  }
  for (sql_token token; (token = sql_next_token(&query)).kind != TOKEN_END;) {
    const char *behind = query;
    const bool before_point = sql_token_is(sql_next_token(&behind), ".");
    if (*token.start != '\'' && sql_token_names(token, name)) {
      const bool after_point = sql_token_is(before, ".");
      if (after_point &&
          sql_token_names(database, pair->probe->table->schema)) {
        return "the query names its database";
      }
      if (!after_point && !before_point) {
        named += begins_source(before) ? 1 : 2;
      }
    }
    database = before;
    before = token;
  }
  if (named == 1 && is_in_view(mirror, name)) {
    return "the probed table is named in a view, too";
  }
  return named == 1  ? NULL
         : named > 1 ? "the query uses its name for something else"
                     : "the probed table is named in a view alone";
}

/* ---- The set. */

/* What append_set adds to. */
typedef struct set_text {
  const sql_plan *plan;
  sqlite3_str *text;
  bool *used; /* the loops that it must not join again */
} set_text;

/* Whether a loop, or one that it can be joined with, has conditions. used are
** the loops that are not asked, and becomes those that have been. */
static bool is_restricted(const sql_plan *plan, int loop, bool *used) {
  if (plan->loops[loop].condition_count > 0) return true;
  used[loop] = true;
  for (int i = 0; i < plan->lookup_count; i++) {
    const plan_lookup *lookup = &plan->lookups[i];
    const int other = lookup->loop == loop       ? lookup->key_loop
                      : lookup->key_loop == loop ? lookup->loop
                                                 : loop;
    if (!lookup->list && !used[other] &&
        sql_lookup_problem(plan, lookup) == NULL &&
        is_restricted(plan, other, used)) {
      return true;
    }
  }
  return false;
}

static void append_set_column(sqlite3_str *text, int depth,
                              const plan_loop *loop, int column) {
  sqlite3_str_appendf(text, "t%d.", depth);
  sql_append_name(text, loop->table->columns[column].name);
}

static void append_set_table(sqlite3_str *text, const mirror_table *table) {
  sql_append_name(text, table->schema);
  sqlite3_str_appendall(text, ".");
  sql_append_name(text, table->name);
}

/* Appends the SELECT of a column under the loop's own conditions, and with IN
** those of each loop that it is joined with. Returns whether there are any. */
static bool append_set(set_text *set, int loop_number, int column, int depth) {
  const sql_plan *plan = set->plan;
  const plan_loop *loop = &plan->loops[loop_number];
  sqlite3_str *text = set->text;
  const char *and = " WHERE ";
  set->used[loop_number] = true;
  sqlite3_str_appendall(text, "SELECT ");
  append_set_column(text, depth, loop, column);
  if (depth == 1) sqlite3_str_appendall(text, " AS k");
  sqlite3_str_appendall(text, " FROM ");
  append_set_table(text, loop->table);
  sqlite3_str_appendf(text, " AS t%d", depth);
  for (int i = 0; i < loop->condition_count; i++) {
    sqlite3_str_appendall(text, and);
    append_set_column(text, depth, loop, loop->conditions[i].column);
    sqlite3_str_appendf(text, " %s", loop->conditions[i].text);
    and = " AND ";
  }
  for (int i = 0; i < plan->lookup_count; i++) {
    const plan_lookup *lookup = &plan->lookups[i];
    const bool is_key = lookup->key_loop == loop_number;
    const int other = is_key ? lookup->loop : lookup->key_loop;
    if (lookup->list || (!is_key && lookup->loop != loop_number) ||
        set->used[other] || sql_lookup_problem(plan, lookup) != NULL) {
      continue;
    }
    bool *seen = set->used + plan->loop_count;
    memcpy(seen, set->used, (size_t)plan->loop_count * sizeof(*seen));
    if (!is_restricted(plan, other, seen)) continue;
    sqlite3_str_appendall(text, and);
    append_set_column(text, depth, loop,
                      is_key ? lookup->key_column : lookup->column);
    sqlite3_str_appendall(text, " IN (");
    append_set(set, other, is_key ? lookup->column : lookup->key_column,
               depth + 1);
    sqlite3_str_appendall(text, ")");
    and = " AND ";
  }
  return and[1] == 'A';
}

char *sql_set_text(const sql_plan *plan, const sql_pair *pair, bool *whole) {
  const uint64_t loops = (uint64_t)plan->loop_count;
  set_text set = {.plan = plan,
                  .used = sqlite3_malloc64(2 * loops * sizeof(*set.used))};
  if (set.used == NULL) return NULL;
  memset(set.used, 0, (size_t)(2 * loops) * sizeof(*set.used));
  set.used[pair->probe - plan->loops] = true;
  set.text = sqlite3_str_new(NULL);
  *whole =
      !append_set(&set, (int)(pair->set - plan->loops), pair->set_column, 1);
  sqlite3_free(set.used);
  return sqlite3_str_finish(set.text);
}

char *sql_probe_text(const sql_pair *pair, const char *set, const char *view) {
  sqlite3_str *text = sqlite3_str_new(NULL);
  sqlite3_str_appendall(text, "likelihood(bloom_may_match(");
  sql_append_name(text, pair->probe->table->columns[pair->probe_column].name);
  if (view == NULL) {
    sqlite3_str_appendf(
        text, ", (SELECT bloom_open(bloom_build(k)) FROM (%s))), 1.0)", set);
  } else {
    sqlite3_str_appendall(text, ", (SELECT filter FROM main.");
    sql_append_name(text, view);
    sqlite3_str_appendall(text, ")), 1.0)");
  }
  return sqlite3_str_finish(text);
}

/* ---- The query with filters. */

char *sql_filtered_text(const char *query, const sql_pair *pairs,
                        char *const *probes, const bool *chosen, int count) {
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
    const mirror_table *table = pairs[i].probe->table;
    bool is_first = chosen[i];
    for (int j = 0; j < i; j++) {
      if (chosen[j] && pairs[j].probe->table == table) is_first = false;
    }
    if (!is_first) continue;
    sqlite3_str_appendall(text, comma);
    sql_append_name(text, table->name);
    sqlite3_str_appendf(text, "%sSELECT * FROM ", as);
    append_set_table(text, table);
    const char *and = " WHERE ";
    for (int j = i; j < count; j++) {
      if (!chosen[j] || pairs[j].probe->table != table) continue;
      sqlite3_str_appendf(text, "%s%s", and, probes[j]);
      and = " AND ";
    }
    sqlite3_str_appendall(text, ")");
    comma = ",\n";
  }
  sqlite3_str_appendf(text, "%s%s", has_with ? "," : "\n", place);
  return sqlite3_str_finish(text);
}
