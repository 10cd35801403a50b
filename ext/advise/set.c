#include "set.h"

#include <string.h>

#include "../compat.h"

/* ---- Whether a filter is right. */

/* Whether the rows of json_each cannot be made again. */
static bool has_unknown_arguments(const plan_loop *loop) {
  return loop->table->is_function && loop->condition_count < loop->plan->count;
}

/* Why values of two columns that are compared by = need not have the same
** bytes, or NULL. */
static const char *columns_problem(const plan_lookup *lookup) {
  if (lookup->column < 0 || lookup->key_column < 0) {
    return "one of them is the rowid, which has no name of its own";
  }
  if (has_unknown_arguments(lookup->loop) ||
      has_unknown_arguments(lookup->key_loop)) {
    return "what json_each reads is no literal";
  }
  const mirror_column *column = &lookup->loop->table->columns[lookup->column];
  const mirror_column *key =
      &lookup->key_loop->table->columns[lookup->key_column];
  if (!column->plain || !key->plain) return "one of them is generated";
  if (!lookup->binary || !column->binary || !key->binary) {
    return "they are compared with a collation; lost_rows.md has a form";
  }
  return strcmp(column->affinity, key->affinity) == 0
             ? NULL
             : "they have columns of different types; lost_rows.md has a form";
}

static const char *loop_problem(const plan_loop *loop) {
  return loop->filters == 1 ? NULL
                            : "the plan reads one of the tables in several "
                              "ways, as for an OR";
}

/* Whether rows of either table without a partner in the other may be needed, so
** that only the lookup can be filtered, or the looked-up table. */
static bool needs_guard(const plan_lookup *lookup) {
  return lookup->loop->null_extended || lookup->key_loop->null_extended ||
         (!lookup->list && lookup->loop->parent != lookup->key_loop->parent);
}

/* Why these rows may be needed, or NULL. */
static const char *partner_problem(const plan_lookup *lookup) {
  const plan_loop *loop = lookup->loop, *key_loop = lookup->key_loop;
  const char *problem = loop_problem(loop);
  if (problem == NULL) problem = loop_problem(key_loop);
  if (problem != NULL) return problem;
  /* Uncovered: EXPLAIN QUERY PLAN names each loop. */
  if (loop->parent < 0 || key_loop->parent < 0 || needs_guard(lookup)) {
    return "rows without a partner may be needed";
  }
  return columns_problem(lookup);
}

/* Why a form may lose rows, or NULL. exchanged is whether the looked-up table
** is that of the keys:
**
** - FORM_TABLE leaves out rows of either table without a partner in the other.
** - FORM_GUARD and FORM_REDUCER leave out lookups that find nothing, and rows
**   that no lookup finds: those of a table that is read in no other way. Both
**   are right in an outer join, too, and from another SELECT. So is FORM_TABLE
**   where the looked-up table is in a subquery. */
static const char *form_problem(const plan_lookup *lookup, sql_form form,
                                bool exchanged) {
  if (!lookup->inner &&
      (form == FORM_TABLE || (form == FORM_REDUCER && exchanged))) {
    return partner_problem(lookup);
  }
  const char *problem = loop_problem(lookup->loop);
  if (problem == NULL && form != FORM_GUARD) {
    problem = loop_problem(lookup->key_loop);
  }
  if (problem == NULL && lookup->list) problem = "the keys are a list";
  return problem == NULL ? columns_problem(lookup) : problem;
}

/* ---- The set. */

void sql_append_condition(sql_arena *arena, sqlite3_str *text,
                          const plan_loop *loop,
                          const plan_condition *condition, const char *alias,
                          bool *has_where) {
  sqlite3_str_appendall(text, *has_where ? " AND " : " WHERE ");
  *has_where = true;
  if (condition->column >= 0) {
    sqlite3_str_appendf(
        text, "%s.%s ", alias,
        sql_name(arena, loop->table->columns[condition->column].name));
  }
  for (const char *at = condition->text; *at != 0; at++) {
    if (*at == 1) {
      sqlite3_str_appendall(text, alias);
    } else {
      sqlite3_str_append(text, at, 1);
    }
  }
}

/* What the SELECT of a set needs. */
typedef struct set_text {
  sql_arena *arena;
  const sql_plan *plan;
  bool *used;  /* loops that are not joined again */
  bool joined; /* each loop is restricted by those that it is joined with */
} set_text;

/* The SELECT of a column under the loop's own conditions, and with IN those of
** each loop that it is joined with, if there are any, which *restricted
** becomes. */
static const char *select_of(set_text *set, const plan_loop *loop, int column,
                             int depth, bool *restricted) {
  sql_arena *arena = set->arena;
  sqlite3_str *text = sqlite3_str_new(NULL);
  const char *alias = sql_arena_text(arena, "t%d", depth);
  set->used[loop - set->plan->loops] = true;
  sqlite3_str_appendf(
      text,
      loop->table->is_function ? "SELECT CAST(%s.%s AS TEXT)%s FROM %s AS %s"
                               : "SELECT %s.%s%s FROM %s AS %s",
      alias, sql_name(arena, loop->table->columns[column].name),
      depth == 1 ? " AS k" : "", sql_table_text(arena, loop->table), alias);
  for (int i = 0; i < loop->condition_count; i++) {
    sql_append_condition(arena, text, loop, &loop->conditions[i], alias,
                         restricted);
  }
  for (int i = 0; set->joined && i < set->plan->lookup_count; i++) {
    const plan_lookup *lookup = &set->plan->lookups[i];
    const bool is_key = lookup->key_loop == loop;
    const plan_loop *other = is_key ? lookup->loop : lookup->key_loop;
    bool is_restricted = false;
    if (lookup->list || (!is_key && lookup->loop != loop) ||
        set->used[other - set->plan->loops] ||
        partner_problem(lookup) != NULL) {
      continue;
    }
    const char *joined =
        select_of(set, other, is_key ? lookup->column : lookup->key_column,
                  depth + 1, &is_restricted);
    if (!is_restricted) continue;
    const plan_condition among = {is_key ? lookup->key_column : lookup->column,
                                  sql_arena_text(arena, "IN (%s)", joined)};
    if (among.text == NULL) continue;
    sql_append_condition(arena, text, loop, &among, alias, restricted);
  }
  return sql_arena_keep(arena, sqlite3_str_finish(text));
}

/* Makes the SELECT of a filter's set, with the conditions of its table. It is
** also restricted by those with which that is joined, where all rows that are
** needed have their partners. */
static void make_set(sql_arena *arena, const sql_plan *plan,
                     const plan_lookup *lookup, sql_filter *filter) {
  const plan_loop *keys = filter->keys;
  set_text set = {
      .arena = arena,
      .plan = plan,
      .used = sql_arena_allocate(arena, (uint64_t)plan->loop_count),
      .joined = lookup->inner ||
                (filter->form != FORM_GUARD && partner_problem(lookup) == NULL),
  };
  bool restricted = false;
  if (set.used == NULL) return;
  set.used[filter->probe - plan->loops] = true;
  filter->set = select_of(&set, keys, filter->key_column, 1, &restricted);
  filter->keepable = !restricted && strcmp(keys->table->schema, "main") == 0;
}

/* ---- Which there are. */

static const char *column_text(sql_arena *arena, const plan_loop *loop,
                               int column) {
  return sql_arena_text(
      arena, "%s.%s", loop->table->name,
      column < 0 ? "rowid" : loop->table->columns[column].name);
}

/* Adds the filter of a lookup, or the one with both sides exchanged: its names,
** and its set or its problem. */
static sql_filter *add_filter(sql_mirror *mirror, const plan_lookup *lookup,
                              sql_form form, bool exchanged,
                              sql_filters *added) {
  sql_arena *arena = mirror->arena;
  sql_filter *filter = &added->all[added->count++];
  *filter = (sql_filter){
      .form = form, .inner = lookup->inner, .build_ms = -1, .share = -1};
  /* The plan looks up rows of loop by a column of key_loop, but searches a list
  ** of keys for the column of loop. */
  const bool is_loop =
      form == FORM_REDUCER ? !exchanged : exchanged != lookup->list;
  filter->probe = is_loop ? lookup->loop : lookup->key_loop;
  filter->keys = is_loop ? lookup->key_loop : lookup->loop;
  filter->probe_column = is_loop ? lookup->column : lookup->key_column;
  filter->key_column = is_loop ? lookup->key_column : lookup->column;
  filter->probe_name = column_text(arena, filter->probe, filter->probe_column);
  filter->key_name = column_text(arena, filter->keys, filter->key_column);
  filter->problem = form_problem(lookup, form, exchanged);
  if (filter->problem == NULL && filter->probe->table->is_function) {
    filter->problem = "a value of json_each has no type";
  }
  if (filter->problem != NULL) return filter;
  if (form != FORM_GUARD) filter->problem = filter->probe->place_problem;
  /* In a copy, SQLite 3.40 may give a generated column another type. */
  if (form == FORM_REDUCER && filter->probe->table->computed) {
    filter->problem = "the table has a generated column";
  }
  make_set(arena, mirror->plan, lookup, filter);
  return filter;
}

/* Adds what is no filter, and is tried beside the one that was added last. */
static void add_exact(sql_test test, sql_filters *added) {
  const sql_filter *filter = &added->all[added->count - 1];
  for (int i = 0; i < added->count; i++) {
    if (test == TEST_NONE && added->all[i].test == test &&
        added->all[i].probe == filter->probe) {
      return;
    }
  }
  added->all[added->count] = *filter;
  added->all[added->count].test = test;
  added->all[added->count++].keepable = false;
}

/* Why a lookup that restricts no table has no guard, or NULL if it has one. */
static const char *guard_problem(const plan_lookup *lookup,
                                 const sql_operand *operands, int count) {
  const char *problem = form_problem(lookup, FORM_GUARD, false);
  for (int i = 0; problem == NULL && i < count; i++) {
    if (sql_is_same_lookup(&operands[i].lookup, lookup)) return NULL;
  }
  return problem != NULL ? problem
                         : "the value that is looked up stands nowhere by "
                           "itself in the query's text; with ON in place of "
                           "USING or NATURAL, it may";
}

/* Adds the filter that restricts one table of a lookup, with its problem if
** that is known. The set itself may be better where its keys are looked up in
** an index of that table, before all else. */
static void add_table(sql_mirror *mirror, const plan_lookup *lookup,
                      bool exchanged, const char *problem, sql_filters *added) {
  sql_filter *filter = add_filter(mirror, lookup, FORM_TABLE, exchanged, added);
  if (problem != NULL) filter->problem = problem;
  if (filter->problem == NULL && !lookup->list &&
      sql_has_index(mirror, filter->probe->table, filter->probe_column)) {
    add_exact(TEST_SET, added);
  }
}

/* Adds the filters of a lookup that restrict one of its tables, and those for
** which that is stored. It may be better to store all of it. */
static void add_tables(sql_mirror *mirror, const plan_lookup *lookup,
                       const char *unguarded, sql_filters *added) {
  for (int exchanged = 0; exchanged <= !lookup->list; exchanged++) {
    add_table(mirror, lookup, exchanged, needs_guard(lookup) ? unguarded : NULL,
              added);
    const sql_filter *filter =
        add_filter(mirror, lookup, FORM_REDUCER, exchanged, added);
    if (filter->problem == NULL) {
      add_exact(TEST_SET, added);
      add_exact(TEST_NONE, added);
    }
  }
}

int sql_find_filters(sql_mirror *mirror, sql_filters *found) {
  const sql_plan *plan = mirror->plan;
  sql_operand *operands;
  plan_lookup *inner;
  int operand_count, inner_count = 0;
  sql_find_places(mirror);
  int rc = sql_find_operands(mirror, &operands, &operand_count);
  if (rc == SQLITE_OK) rc = sql_find_inner(mirror, &inner, &inner_count);
  *found = (sql_filters){.count = 0};
  if (rc == SQLITE_OK) rc = sql_find_clocks(mirror, found);
  if (rc == SQLITE_OK) rc = sql_find_terms(mirror);
  if (rc != SQLITE_OK) return rc;
  found->all = sql_arena_allocate(
      mirror->arena, (10 * (uint64_t)plan->lookup_count +
                      2 * (uint64_t)inner_count + (uint64_t)operand_count + 1) *
                         sizeof(*found->all));
  if (found->all == NULL) return SQLITE_NOMEM;
  for (int i = 0; i < plan->lookup_count; i++) {
    const plan_lookup *lookup = &plan->lookups[i];
    add_tables(mirror, lookup, guard_problem(lookup, operands, operand_count),
               found);
  }
  for (int i = 0; i < inner_count; i++) {
    add_table(mirror, &inner[i], true, NULL, found);
  }
  for (int i = 0; i < operand_count; i++) {
    const sql_operand *operand = &operands[i];
    sql_filter *filter =
        add_filter(mirror, &operand->lookup, FORM_GUARD, false, found);
    filter->at = operand->at;
    filter->length = operand->length;
    filter->end = operand->end;
    filter->negate = operand->negate;
    filter->keepable &= operand->end == 0;
    filter->operand = sql_arena_text(mirror->arena, "%.*s", operand->length,
                                     mirror->original + operand->at);
  }
  return mirror->arena->no_memory ? SQLITE_NOMEM : SQLITE_OK;
}
