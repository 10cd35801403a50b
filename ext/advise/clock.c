/*
** Clocks: conditions that are always true, until a time at which they end the
** query.
*/
#include "../compat.h"
#include "set.h"

/* A condition on a row of a table, which the query calls so in front of a dot,
** or not at all. */
static const char *row_clock(sql_arena *arena, const mirror_table *table,
                             const char *alias, sqlite3_int64 until) {
  sqlite3_str *text = sqlite3_str_new(NULL);
  const int count = table->has_rowid ? 0 : table->column_count;
  sqlite3_str_appendf(text, "likelihood(ifnull(" SQL_UNTIL "(%lld, ", until);
  if (table->has_rowid) sqlite3_str_appendf(text, "%srowid", alias);
  /* SQLite may replace a column by the constant that it is compared with, and
  ** calls the function only once if no other column is left. */
  for (int i = 0; i < count; i++) {
    if (i == 0) {
      sqlite3_str_appendf(text, "CASE %s\"%w\"", alias, table->columns[0].name);
    }
    sqlite3_str_appendf(text, " WHEN %s\"%w\" THEN 0", alias,
                        table->columns[i].name);
  }
  sqlite3_str_appendf(text, "%s), 1) NOTNULL, 1.0)", count > 0 ? " END" : "");
  return sql_arena_keep(arena, sqlite3_str_finish(text));
}

const char *sql_clock_text(sql_arena *arena, const plan_loop *loop,
                           sqlite3_int64 until) {
  if (until == SQL_NEVER || loop->place_problem != NULL ||
      loop->null_extended || loop->table->guarded) {
    return NULL;
  }
  return row_clock(arena, loop->table, "", until);
}

int sql_edit_clock(sql_arena *arena, const sql_clock *clock,
                   sqlite3_int64 until, sql_edit *edits) {
  /* If an OR follows, "true AND a OR b" is the same as "a OR b", too. */
  if (clock->loop != NULL) {
    const char *alias =
        sql_arena_text(arena, "%s.", sql_name(arena, clock->loop->alias));
    edits[0] = (sql_edit){
        clock->at, 0,
        sql_arena_text(arena, " %s AND ",
                       row_clock(arena, clock->loop->table, alias, until))};
    return 1;
  }
  /* bloom_open is called for each row, whatever its argument. */
  edits[0] =
      (sql_edit){clock->at, clock->length,
                 sql_arena_text(arena,
                                " WHERE ifnull(" SQL_UNTIL
                                "(%lld, bloom_open(NULL)), 1) NOTNULL%s",
                                until, clock->length > 0 ? " AND (" : " ")};
  edits[1] = (sql_edit){clock->end, 0, ") "};
  return clock->length > 0 ? 2 : 1;
}

/* Where a SELECT has a clause behind its FROM, or ends, from a token on. */
static const sql_token *clause_end(const sql_token *token) {
  static const char ends[] =
      "WHERE UNION EXCEPT INTERSECT GROUP ORDER LIMIT HAVING WINDOW ) ;";
  for (int depth = 0; token->kind != TOKEN_END; token++) {
    if (depth == 0 && sql_token_is(*token, ends)) break;
    depth += sql_token_is(*token, "(") - sql_token_is(*token, ")");
  }
  return token;
}

/* Whether a SELECT reads what is no table first: a WITH or a subquery, whose
** rows have no clock, or what a function makes. */
static bool reads_no_table(const sql_mirror *mirror, const sql_token *token) {
  int depth = 0;
  while (depth > 0 || !sql_token_is(*token, "FROM ) ;")) {
    if (token->kind == TOKEN_END) return false;
    depth += sql_token_is(*token, "(") - sql_token_is(*token, ")");
    token++;
  }
  if (!sql_token_is(*token, "FROM") || sql_token_is(token[2], "."))
    return false;
  for (const mirror_table *table = mirror->tables; table != NULL;
       table = table->next) {
    if (!table->is_function && sql_token_names(token[1], table->name)) {
      return false;
    }
  }
  return true;
}

/* Reads a SELECT that is behind a UNION, or reads no table. */
static bool read_select(const sql_mirror *mirror, const sql_token *token,
                        sql_clock *clock) {
  if (!sql_token_is(*token, "SELECT")) return false;
  const sql_token *before = token - (sql_token_is(token[-1], "ALL") ? 2 : 1);
  if (!sql_token_is(*before, "UNION") && !reads_no_table(mirror, token)) {
    return false;
  }
  const sql_token *at = clause_end(token);
  *clock = (sql_clock){.at = sql_end_of(mirror, at - 1)};
  if (sql_token_is(*at, "WHERE")) {
    clock->at = sql_start_of(mirror, at);
    clock->length = (int)at->length;
    clock->end = sql_end_of(mirror, clause_end(at + 1) - 1);
  }
  return true;
}

/* Reads a join with an ON, if the only loop of that name has no clock: an outer
** join extends it, or its table has no place, or would be stored there. */
static bool read_join(const sql_mirror *mirror, const sql_token *token,
                      sql_clock *clock) {
  plan_loop *found = NULL;
  if (!sql_token_is(*token, "ON")) return false;
  for (int i = 0; i < mirror->plan->loop_count; i++) {
    plan_loop *loop = &mirror->plan->loops[i];
    if (loop->alias == NULL || !sql_token_names(token[-1], loop->alias)) {
      continue;
    }
    if (found != NULL) return false;
    found = loop;
  }
  *clock = (sql_clock){.at = sql_end_of(mirror, token), .loop = found};
  return found != NULL && !found->table->guarded &&
         (mirror->full_joins || found->null_extended ||
          found->place_problem != NULL);
}

int sql_find_clocks(sql_mirror *mirror, sql_filters *found) {
  found->clocks =
      sql_arena_allocate(mirror->arena, ((uint64_t)mirror->token_count + 1) *
                                            sizeof(*found->clocks));
  for (const sql_token *token = mirror->tokens;
       token->kind != TOKEN_END && sql_may_try(mirror); token++) {
    sql_clock *clock = &found->clocks[found->clock_count];
    sql_plan edited;
    sql_edit edits[2];
    if (!read_select(mirror, token, clock) &&
        !read_join(mirror, token, clock)) {
      continue;
    }
    const int count = sql_edit_clock(mirror->arena, clock, 0, edits);
    if (!sql_has_same_plan(mirror, edits, count, "", &edited)) continue;
    if (clock->loop != NULL) clock->loop->has_clock = true;
    found->clock_count++;
  }
  return mirror->arena->no_memory ? SQLITE_NOMEM : SQLITE_OK;
}
