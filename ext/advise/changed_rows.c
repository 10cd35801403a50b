#include "changed_rows.h"

#include <string.h>

#include "../compat.h"
#include "../token.h"

/* The clauses of a statement, by where they begin. NULL is one that is not
** there. */
typedef struct clauses {
  const char *verb;   /* DELETE or UPDATE */
  const char *target; /* the table */
  const char *set;
  const char *from; /* behind the word FROM of an UPDATE */
  const char *from_end;
  const char *where;
  const char *returning;
  const char *order; /* ORDER BY or LIMIT */
  const char *end;   /* of the statement */
  bool joins; /* the tables of FROM are joined by more than conditions in ON */
} clauses;

static const char *const verbs[] = {"DELETE",  "UPDATE", "INSERT",
                                    "REPLACE", "SELECT", "VALUES"};

/* Which verb a statement has, as a number in the list, or -1. Behind a WITH, it
** is the first that follows a parenthesis. */
static int find_verb(const char *text, const char **verb) {
  int depth = 0;
  sql_token last = {TOKEN_END, text, 0};
  for (sql_token token; (token = sql_next_token(&text)).kind != TOKEN_END;
       last = token) {
    depth += sql_token_is(token, "(") - sql_token_is(token, ")");
    if (depth != 0 || (last.kind != TOKEN_END && !sql_token_is(last, ")"))) {
      continue;
    }
    for (int i = 0; i < 6; i++) {
      *verb = token.start;
      if (sql_token_is(token, verbs[i])) return i;
    }
  }
  return -1;
}

/* Reads the clauses behind the name of the table. */
static void read_clauses(const char *text, bool update, clauses *found) {
  int depth = 0;
  sql_token last = {TOKEN_END, text, 0};
  for (sql_token token;; last = token) {
    token = sql_next_token(&text);
    depth += sql_token_is(token, "(") - sql_token_is(token, ")");
    found->end = token.start;
    if (token.kind == TOKEN_END) return;
    if (depth != 0) continue;
    if (sql_token_is(token, ";")) return;
    if (update && found->set == NULL) {
      if (sql_token_is(token, "SET")) found->set = token.start;
    } else if (sql_token_is(token, "WHERE")) {
      found->where = token.start;
    } else if (sql_token_is(token, "RETURNING")) {
      found->returning = token.start;
    } else if (sql_token_is(token, "LIMIT ORDER")) {
      if (found->order == NULL) found->order = token.start;
    } else if (found->where == NULL && update) {
      if (sql_token_is(token, "FROM") && !sql_token_is(last, "DISTINCT")) {
        found->from = text;
      }
      found->joins |=
          found->from != NULL &&
          (sql_token_is(token, "RIGHT") || sql_token_is(token, "FULL") ||
           sql_token_is(token, "NATURAL") || sql_token_is(token, "USING"));
    }
  }
}

/* Appends a part of the text, up to the first of what follows it, and the
** places of its parameters to those that are kept. */
static void append_part(sqlite3_str *text, const char *start, const char *end,
                        const sql_parameters *all, sql_parameters *kept) {
  if (start == NULL) return;
  if (end > start) sqlite3_str_append(text, start, (int)(end - start));
  for (int i = 0; i < all->count; i++) {
    if (all->all[i].start >= start && all->all[i].start < end) {
      kept->all[kept->count++] = all->all[i];
    }
  }
}

/* The first clause that is there, or the end. */
static const char *first_of(const char *const *order, const char *end) {
  for (; *order != end; order++) {
    if (*order != NULL) return *order;
  }
  return end;
}

/* The SELECT, or NULL if out of memory. */
static char *change_select(const char *text, bool update, const clauses *found,
                           const sql_parameters *all, sql_parameters *kept) {
  const char *const order[] = {found->set,       found->from,  found->where,
                               found->returning, found->order, found->end};
  const char *behind_target = first_of(update ? order : order + 2, found->end);
  sqlite3_str *select = sqlite3_str_new(NULL);
  append_part(select, text, found->verb, all, kept);
  sqlite3_str_appendall(select, "SELECT * FROM ");
  while (behind_target[-1] == ' ') behind_target--;
  append_part(select, found->target, behind_target, all, kept);
  sqlite3_str_appendall(select, found->from == NULL ? " " : ",");
  if (found->from != NULL) {
    append_part(select, found->from, first_of(order + 2, found->end), all,
                kept);
  }
  append_part(select, found->where, first_of(order + 3, found->end), all, kept);
  append_part(select, found->order, found->end, all, kept);
  append_part(select, found->end, found->end + strlen(found->end), all, kept);
  return sqlite3_str_finish(select);
}

int sql_select_changed(sql_arena *arena, int most, sql_trial *trial,
                       const char **verb, char **problem) {
  clauses found = {.target = NULL};
  const int number = find_verb(trial->text, &found.verb);
  if (number < 0 || number > 3) return SQLITE_OK;
  const bool update = number == 1;
  const char *tail = found.verb;
  sql_next_token(&tail);
  sql_token token = sql_next_token(&tail);
  if (update && sql_token_is(token, "OR")) sql_next_token(&tail);
  if (sql_token_is(token, update ? "OR" : "FROM")) {
    token = sql_next_token(&tail);
  }
  found.target = token.start;
  read_clauses(found.target, update, &found);
  if (number > 1 || found.joins || (update && found.set == NULL)) {
    *problem = sqlite3_mprintf(
        "query must be a SELECT, or a DELETE or UPDATE that becomes one; %s",
        number > 1 ? "of an INSERT, give the SELECT alone"
                   : "write SELECT * FROM ... WHERE ... of the rows that this "
                     "UPDATE changes");
    return SQLITE_ERROR;
  }
  sql_parameters *places = sql_arena_allocate(arena, 2 * sizeof(*places));
  if (places == NULL) return SQLITE_NOMEM;
  const int rc = sql_find_parameters(arena, trial->text, most, &places[0]);
  if (rc == SQLITE_RANGE) {
    *problem = sqlite3_mprintf(
        "query: variable number must be between ?1 and ?%d", most);
  }
  if (rc != SQLITE_OK) return rc;
  places[1].highest = places[0].highest;
  places[1].all = sql_arena_allocate(
      arena, (uint64_t)(places[0].count + 1) * sizeof(sql_parameter));
  if (places[1].all == NULL) return SQLITE_NOMEM;
  trial->given = trial->text;
  trial->text = sql_arena_keep(arena, change_select(trial->text, update, &found,
                                                    &places[0], &places[1]));
  trial->places = &places[1];
  *verb = verbs[number];
  return trial->text == NULL ? SQLITE_NOMEM : SQLITE_OK;
}
