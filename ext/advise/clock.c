/*
** Clocks: conditions that are always true, until a time at which they end the
** query.
*/
#include "../compat.h"
#include "set.h"

const char *sql_clock_text(sql_arena *arena, const plan_loop *loop,
                           sqlite3_int64 until) {
  const mirror_table *table = loop->table;
  if (until == SQL_NEVER || loop->place_problem != NULL ||
      loop->null_extended || table->guarded) {
    return NULL;
  }
  return sql_arena_text(
      arena, "likelihood(ifnull(" SQL_UNTIL "(%lld, \"%w\"), 1) NOTNULL, 1.0)",
      until, table->has_rowid ? "rowid" : table->columns[0].name);
}

const char *sql_arm_text(sql_arena *arena, const sql_arm *arm,
                         sqlite3_int64 until) {
  return sql_arena_text(arena, "%s " SQL_UNTIL "(%lld, random()) NOTNULL %s",
                        arm->has_where ? "" : " WHERE", until,
                        arm->has_where ? "AND" : "");
}

/* Where the WHERE of a SELECT begins or could, from the token behind SELECT on.
** Returns false if it reads no table. */
static bool find_where(const sql_mirror *mirror, const sql_token *token,
                       sql_arm *arm) {
  bool reads = false;
  int depth = 0;
  for (; token->kind != TOKEN_END; token++) {
    arm->has_where = depth == 0 && sql_token_is(*token, "WHERE");
    arm->at = (int)(token->start - mirror->original);
    if (arm->has_where) {
      arm->at += (int)token->length;
      return true;
    }
    if (depth == 0 &&
        sql_token_is(*token,
                     "UNION EXCEPT INTERSECT GROUP ORDER LIMIT HAVING WINDOW "
                     ")")) {
      return reads;
    }
    depth += sql_token_is(*token, "(") - sql_token_is(*token, ")");
    reads |= depth == 0 && sql_token_is(*token, "FROM");
  }
  return false;
}

int sql_find_arms(sql_mirror *mirror, sql_filters *found) {
  found->arms =
      sql_arena_allocate(mirror->arena, ((uint64_t)mirror->token_count + 1) *
                                            sizeof(*found->arms));
  for (const sql_token *token = mirror->tokens;
       token->kind != TOKEN_END && !mirror->arena->no_memory; token++) {
    sql_arm *arm = &found->arms[found->arm_count];
    sql_plan edited;
    if (!sql_token_is(*token, "UNION")) continue;
    const sql_token *select = token + (sql_token_is(token[1], "ALL") ? 2 : 1);
    if (!sql_token_is(*select, "SELECT") ||
        !find_where(mirror, select + 1, arm)) {
      continue;
    }
    sql_edit edit = {arm->at, 0, sql_arm_text(mirror->arena, arm, 0)};
    found->arm_count += sql_has_same_plan(mirror, &edit, 1, "", &edited);
  }
  return mirror->arena->no_memory ? SQLITE_NOMEM : SQLITE_OK;
}
