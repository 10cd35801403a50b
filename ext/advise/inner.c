/*
** Lookups in what a subquery makes, such as "s.k = u.x", where s is (SELECT k,
** count(*) FROM c GROUP BY k). If SQLite moves the condition "s.k = 7" in its
** place into the loop over c, all rows of c that the query needs have a k that
** is the x of a row of u. So others can be left out before they are grouped.
*/
#include <stdlib.h>
#include <string.h>

#include "place.h"

/* A term "name = name", from a token to another one. */
typedef struct equal_term {
  const sql_token *names[2], *ends[2];
} equal_term;

/* Reads one. Whether more stands around it, the plan says: SQLite moves only a
** whole condition. */
static bool read_equal(const sql_token *token, equal_term *term) {
  for (int i = 0; i < 2; i++) {
    term->names[i] = token;
    term->ends[i] = sql_name_end(token);
    if (term->ends[i] == NULL) return false;
    token = term->ends[i] + 1;
    if (i == 0 && !sql_token_is(*token++, "=")) return false;
  }
  return true;
}

/* The loop of the query itself that one of an edited plan is, or NULL. */
static const plan_loop *loop_before(const sql_plan *plan,
                                    const sql_plan *edited,
                                    const plan_loop *loop) {
  if (loop == NULL || plan->loop_count != edited->loop_count) return NULL;
  for (int i = 0; i < plan->loop_count; i++) {
    const plan_loop *at = &plan->loops[i];
    if (at->cursor == loop->cursor && at->table == loop->table) return at;
  }
  return NULL;
}

/* The loop into which SQLite moves a condition of this name, or NULL. */
static const plan_loop *find_loop(sql_mirror *mirror, const equal_term *term,
                                  int name, int *column) {
  const int at = sql_start_of(mirror, term->names[0]);
  const int start = sql_start_of(mirror, term->names[name]);
  const plan_loop *loop = NULL;
  for (int i = 0; loop == NULL && i < 2 && sql_may_try(mirror); i++) {
    sql_plan edited;
    sql_edit edit = {
        at, sql_end_of(mirror, term->ends[1]) - at,
        sql_arena_text(mirror->arena, "(%.*s %s)",
                       sql_end_of(mirror, term->ends[name]) - start,
                       mirror->query + start, sql_term_marks[i])};
    if (sql_read_edited(mirror, &edit, 1, &edited)) {
      loop = loop_before(mirror->plan, &edited,
                         sql_marked_loop(&edited, sql_term_marks[i], column));
    }
  }
  return loop;
}

/* The loop whose column this name is, or NULL. */
static const plan_loop *find_key(sql_mirror *mirror, const equal_term *term,
                                 int name, int *column) {
  const int at = sql_start_of(mirror, term->names[name]);
  sql_plan edited;
  sql_edit edit =
      sql_mark_operand(mirror, at, sql_end_of(mirror, term->ends[name]) - at);
  if (!sql_may_try(mirror) || !sql_read_edited(mirror, &edit, 1, &edited)) {
    return NULL;
  }
  *column = edited.marked_column;
  return loop_before(mirror->plan, &edited, edited.marked_loop);
}

/* The last token of "SELECT" or "SELECT DISTINCT" of the whole query, behind
** which result columns stand, if a name is outside of all brackets; or NULL. */
static const sql_token *main_select(const sql_mirror *mirror,
                                    const sql_token *name) {
  const sql_token *found = NULL;
  int depth = 0;
  for (const sql_token *token = mirror->tokens; token < name; token++) {
    depth += sql_token_is(*token, "(") - sql_token_is(*token, ")");
    if (depth == 0 && sql_token_is(*token, "SELECT")) {
      found = token + sql_token_is(token[1], "DISTINCT ALL");
    }
  }
  return depth == 0 ? found : NULL;
}

/* Notes which column of a twin the first column of a view is. */
static int read_origin(void *column, sqlite3_stmt *row) {
  const char *type = strstr(sql_row_text(row, 2), " c");
  if (sqlite3_column_int(row, 0) == 0 && type != NULL) {
    *(int *)column = atoi(type + 2);
  }
  return SQLITE_OK;
}

/* The loop whose column a name is that a subquery has passed on, or NULL: where
** its table is exchanged for a twin, the name has the type of a twin. */
static const plan_loop *find_origin(sql_mirror *mirror, const equal_term *term,
                                    int name, int *column) {
  const sql_token *select = main_select(mirror, term->names[name]);
  const int at = sql_start_of(mirror, term->names[name]);
  *column = -1;
  for (int i = 0; select != NULL && i < mirror->plan->loop_count; i++) {
    const plan_loop *loop = &mirror->plan->loops[i];
    const mirror_table *twin =
        loop->place == NULL ? NULL : sql_mirror_twin(mirror, loop->table);
    sql_edit edits[3];
    if (twin == NULL || !sql_may_try(mirror)) continue;
    int count = sql_exchange(mirror->arena, loop->place, twin->name,
                             loop->table, edits);
    edits[count++] =
        (sql_edit){sql_end_of(mirror, select), 0,
                   sql_arena_text(mirror->arena, " %.*s, ",
                                  sql_end_of(mirror, term->ends[name]) - at,
                                  mirror->query + at)};
    const char *text =
        sql_edited_text(mirror->arena, mirror->query, edits, count);
    if (text == NULL) return NULL;
    sql_mirror_rows(
        mirror, mirror->db,
        sqlite3_mprintf("CREATE TEMP VIEW bloom_origin AS %s", text), NULL,
        NULL);
    sql_mirror_rows(mirror, mirror->db,
                    sqlite3_mprintf("PRAGMA temp.table_info(bloom_origin)"),
                    read_origin, column);
    sql_mirror_rows(mirror, mirror->db,
                    sqlite3_mprintf("DROP VIEW IF EXISTS temp.bloom_origin"),
                    NULL, NULL);
    mirror->problem = NULL;
    if (*column >= 0) return loop;
  }
  return NULL;
}

/* Whether a lookup is one of these. */
static bool is_among(const plan_lookup *lookups, int count,
                     const plan_lookup *lookup) {
  for (int i = 0; i < count; i++) {
    if (sql_is_same_lookup(&lookups[i], lookup)) return true;
  }
  return false;
}

/* Whether the plan has the lookup itself, one way or the other. */
static bool is_known(const sql_plan *plan, const plan_lookup *lookup) {
  const plan_lookup other = {.loop = lookup->key_loop,
                             .column = lookup->key_column,
                             .key_loop = lookup->loop,
                             .key_column = lookup->column};
  return is_among(plan->lookups, plan->lookup_count, lookup) ||
         is_among(plan->lookups, plan->lookup_count, &other);
}

int sql_find_inner(sql_mirror *mirror, plan_lookup **lookups, int *count) {
  *count = 0;
  *lookups = sql_arena_allocate(
      mirror->arena, ((uint64_t)mirror->token_count + 1) * sizeof(**lookups));
  /* With these, the two names may be compared otherwise than the columns. */
  if (mirror->collates || mirror->compounds || mirror->full_joins) {
    return SQLITE_OK;
  }
  for (const sql_token *token = mirror->tokens;
       token->kind != TOKEN_END && sql_may_try(mirror); token++) {
    equal_term term;
    if (!read_equal(token, &term)) continue;
    for (int i = 0; i < 2; i++) {
      plan_lookup lookup = {.binary = true, .inner = true};
      lookup.loop = find_loop(mirror, &term, i, &lookup.column);
      if (lookup.loop == NULL) continue;
      lookup.key_loop = find_key(mirror, &term, 1 - i, &lookup.key_column);
      if (lookup.key_loop == NULL) {
        lookup.key_loop = find_origin(mirror, &term, 1 - i, &lookup.key_column);
      }
      if (lookup.key_loop != NULL &&
          lookup.key_loop->parent != lookup.loop->parent &&
          !is_among(*lookups, *count, &lookup) &&
          !is_known(mirror->plan, &lookup)) {
        (*lookups)[(*count)++] = lookup;
      }
    }
  }
  return mirror->arena->no_memory ? SQLITE_NOMEM : SQLITE_OK;
}
