/*
** The SELECT of the rows that a DELETE or UPDATE would change.
*/
#include <string.h>

#include "../compat.h"
#include "../token.h"
#include "parameters.h"

/* The clauses behind the table, in their order. LIMIT may begin the last. */
enum {
  CLAUSE_SET,
  CLAUSE_FROM,
  CLAUSE_WHERE,
  CLAUSE_RETURNING,
  CLAUSE_ORDER,
  CLAUSES
};
static const char *const clause_words[CLAUSES] = {"SET", "FROM", "WHERE",
                                                  "RETURNING", "ORDER LIMIT"};

/* A statement, and what is made of it. */
typedef struct changing {
  const char *verb;                 /* DELETE or UPDATE */
  const char *target;               /* the table */
  const char *clauses[CLAUSES + 1]; /* where each begins, or NULL; the end */
  bool joins; /* the tables of FROM are joined by more than conditions in ON */
  sqlite3_str *select;
  sql_parameters *places; /* of the statement */
  int kept;               /* how many of these, at the front, the SELECT has */
} changing;

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
static void read_clauses(const char *text, bool update, changing *found) {
  int depth = 0, next = update ? CLAUSE_SET : CLAUSE_WHERE;
  sql_token last = {TOKEN_END, text, 0};
  for (sql_token token;; last = token) {
    token = sql_next_token(&text);
    depth += sql_token_is(token, "(") - sql_token_is(token, ")");
    found->clauses[CLAUSES] = token.start;
    if (token.kind == TOKEN_END) return;
    if (depth != 0) continue;
    if (sql_token_is(token, ";")) return;
    found->joins |= next == CLAUSE_WHERE &&
                    found->clauses[CLAUSE_FROM] != NULL &&
                    sql_token_is(token, "RIGHT FULL NATURAL USING");
    for (int i = next; i < CLAUSES; i++) {
      if (sql_token_is(token, clause_words[i]) &&
          !(i == CLAUSE_FROM && sql_token_is(last, "DISTINCT"))) {
        found->clauses[i] = token.start;
        next = i + 1;
      }
    }
  }
}

/* Where what is behind a clause begins. */
static const char *end_of_clause(const changing *found, int clause) {
  do {
    clause++;
  } while (found->clauses[clause] == NULL);
  return found->clauses[clause];
}

/* Appends a part of the text to the SELECT, with its parameters. */
static void append_part(changing *found, const char *start, const char *end) {
  const sql_parameters *places = found->places;
  if (end > start) sqlite3_str_append(found->select, start, (int)(end - start));
  for (int i = found->kept; i < places->count; i++) {
    if (places->all[i].start >= start && places->all[i].start < end) {
      places->all[found->kept++] = places->all[i];
    }
  }
}

/* Makes the SELECT of a text. */
static void change_select(const char *text, changing *found) {
  found->select = sqlite3_str_new(NULL);
  append_part(found, text, found->verb);
  sqlite3_str_appendall(found->select, "SELECT * FROM ");
  const char *end = end_of_clause(found, -1);
  while (end[-1] == ' ') end--;
  append_part(found, found->target, end);
  sqlite3_str_appendall(found->select,
                        found->clauses[CLAUSE_FROM] == NULL ? " " : ",");
  for (int i = CLAUSE_FROM; i < CLAUSES; i++) {
    const char *start = found->clauses[i];
    if (start == NULL || i == CLAUSE_RETURNING) continue;
    if (i == CLAUSE_FROM) start += strlen(clause_words[i]);
    append_part(found, start, end_of_clause(found, i));
  }
  end = found->clauses[CLAUSES];
  append_part(found, end, end + strlen(end));
}

int sql_select_changed(sql_trial *trial, const char **verb) {
  const int most = sqlite3_limit(trial->db, SQLITE_LIMIT_VARIABLE_NUMBER, -1);
  changing found = {.target = NULL};
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
  if (number > 1 || found.joins ||
      (update && found.clauses[CLAUSE_SET] == NULL)) {
    trial->problem = sqlite3_mprintf(
        "query must be a SELECT, or a DELETE or UPDATE that becomes one; %s",
        number > 1 ? "of an INSERT, give the SELECT alone"
                   : "write SELECT * FROM ... WHERE ... of the rows that this "
                     "UPDATE changes");
    return SQLITE_ERROR;
  }
  found.places = sql_arena_allocate(trial->arena, sizeof(*found.places));
  if (found.places == NULL) return SQLITE_NOMEM;
  const int rc =
      sql_find_parameters(trial->arena, trial->text, most, found.places);
  if (rc == SQLITE_RANGE) {
    trial->problem = sqlite3_mprintf(
        "query: variable number must be between ?1 and ?%d", most);
  }
  if (rc != SQLITE_OK) return rc;
  change_select(trial->text, &found);
  found.places->count = found.kept;
  trial->places = found.places;
  trial->text = sql_arena_keep(trial->arena, sqlite3_str_finish(found.select));
  *verb = verbs[number];
  return trial->text == NULL ? SQLITE_NOMEM : SQLITE_OK;
}
