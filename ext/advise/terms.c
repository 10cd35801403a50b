/*
** Conditions of several operators, such as "flags & 128 <> 0" or "(a = 1 OR b =
** 2)", which SQLite does not show to xBestIndex. Each name of such a term is
** compared with a mark in the place of the term. If the plan then takes exactly
** this comparison for a condition of a loop more than before, all rows of the
** loop that the query needs meet the term.
*/
#include <string.h>

#include "../compat.h"
#include "place.h"

/* Two marks, for columns of numbers and of text. */
const char *const sql_term_marks[] = {"= 7190823745612", "= 'bloom term'"};

/* A term, from a token to before another one. */
typedef struct condition_term {
  const sql_token *start, *end;
  plan_loop *loop; /* whose columns it names */
  sqlite3_str *text;
  const char *made; /* the text, with \1 for each alias */
} condition_term;

/* Whether a token ends a term. */
static bool is_end(sql_token token) {
  return token.kind == TOKEN_END ||
         sql_token_is(
             token,
             "AND GROUP ORDER LIMIT HAVING WINDOW UNION WHERE EXCEPT "
             "INTERSECT JOIN LEFT INNER CROSS NATURAL RIGHT FULL ) ; ,");
}

/* Whether an operator of these two characters begins with a token. */
static bool is_pair(const sql_token *token, const char *first,
                    const char *second) {
  return sql_token_is(token[0], first) && sql_token_is(token[1], second) &&
         token[0].start + 1 == token[1].start;
}

/* Whether a token is a literal, a word that joins operands, or a character that
** may be part of a number or an operator. JSON's arrows can fail, and || can,
** with too long a text. */
static bool is_safe(const sql_token *token) {
  switch (token->kind) {
    case TOKEN_QUOTED:
      return *token->start == '\'';
    case TOKEN_WORD:
      return (*token->start >= '0' && *token->start <= '9') ||
             sql_token_is(*token,
                          "AND OR NOT NULL IS IN ISNULL NOTNULL LIKE GLOB "
                          "BETWEEN");
    default:
      return strchr("=<>!&|+-*/%~(),.", *token->start) != NULL &&
             !is_pair(token, "-", ">") && !is_pair(token, "|", "|");
  }
}

/* Finds the end of a term: where an AND, a clause or a bracket ends it. An OR
** binds less than AND. Returns false if it is none to try. */
static bool find_end(condition_term *term) {
  int depth = 0;
  bool has_or = false;
  const sql_token *at = term->start;
  for (; depth > 0 || !is_end(*at); at++) {
    if (at->kind == TOKEN_END) return false;
    depth += sql_token_is(*at, "(") - sql_token_is(*at, ")");
    has_or |= depth == 0 && sql_token_is(*at, "OR");
    if (depth == 0 && sql_token_is(*at, "BETWEEN")) return false;
  }
  term->end = at;
  return at > term->start &&
         !(has_or &&
           (sql_token_is(term->start[-1], "AND") || sql_token_is(*at, "AND")));
}

const plan_loop *sql_marked_loop(const sql_plan *edited, const char *mark,
                                 int *column) {
  const plan_loop *found = NULL;
  for (int i = 0; i < edited->loop_count; i++) {
    for (int j = 0; j < edited->loops[i].condition_count; j++) {
      const plan_condition *condition = &edited->loops[i].conditions[j];
      if (strcmp(condition->text, mark) != 0) continue;
      if (found != NULL) return NULL;
      found = &edited->loops[i];
      *column = condition->column;
    }
  }
  return found;
}

/* Adds a name, whose last token is given, to the text of a term, if it is that
** of a column of the term's loop. */
static bool add_name(sql_mirror *mirror, condition_term *term,
                     const sql_token *name, const sql_token *last) {
  const int at = sql_start_of(mirror, term->start);
  const int length = sql_end_of(mirror, term->end - 1) - at;
  plan_loop *loop = NULL;
  int column = -1;
  for (int i = 0; loop == NULL && i < 2; i++) {
    sql_plan edited;
    const char *mark = sql_term_marks[i];
    sql_edit edit = {
        at, length,
        sql_arena_text(mirror->arena, "(%.*s %s)",
                       sql_end_of(mirror, last) - sql_start_of(mirror, name),
                       name->start, mark)};
    if (!sql_may_try(mirror) ||
        !sql_has_same_plan(mirror, &edit, 1, mark, &edited)) {
      continue;
    }
    const plan_loop *found = sql_marked_loop(&edited, mark, &column);
    if (found != NULL) loop = &mirror->plan->loops[found - edited.loops];
  }
  if (loop == NULL || (term->loop != NULL && loop != term->loop)) return false;
  term->loop = loop;
  sqlite3_str_appendf(
      term->text, "\1.%s",
      sql_name(mirror->arena, loop->table->columns[column].name));
  return true;
}

/* Writes the text of a term. Returns false if it is not one of a loop. */
static bool read_term(sql_mirror *mirror, condition_term *term) {
  for (const sql_token *at = term->start; at < term->end; at++) {
    if (at > term->start && at->start > at[-1].start + at[-1].length) {
      sqlite3_str_appendall(term->text, " ");
    }
    /* Too complex a pattern raises an error, so it must be a literal. */
    if (sql_token_is(*at, "LIKE GLOB") && *at[1].start != '\'') return false;
    if (is_safe(at)) {
      sqlite3_str_append(term->text, at->start, (int)at->length);
      continue;
    }
    const sql_token *last = at;
    while (sql_token_is(last[1], ".") && last + 2 < term->end) last += 2;
    if (at->kind == TOKEN_OTHER || sql_token_is(last[1], "(") ||
        last[1].kind == TOKEN_QUOTED || !add_name(mirror, term, at, last)) {
      return false;
    }
    at = last;
  }
  return term->loop != NULL && term->loop->filters == 1;
}

/* Adds a condition to a loop. */
static void add_term(sql_arena *arena, plan_loop *loop, const char *text) {
  plan_condition *conditions = sql_arena_allocate(
      arena, ((uint64_t)loop->condition_count + 1) * sizeof(*conditions));
  if (conditions == NULL || text == NULL) return;
  memcpy(conditions, loop->conditions,
         (size_t)loop->condition_count * sizeof(*conditions));
  conditions[loop->condition_count++] = (plan_condition){-1, text};
  loop->conditions = conditions;
}

int sql_find_terms(sql_mirror *mirror) {
  int count = 0;
  /* A row that an outer join makes of NULLs may meet a term. */
  if (mirror->outer_joins) return SQLITE_OK;
  condition_term *found = sql_arena_allocate(
      mirror->arena, ((uint64_t)mirror->token_count + 1) * sizeof(*found));
  for (const sql_token *token = mirror->tokens;
       token->kind != TOKEN_END && !mirror->arena->no_memory; token++) {
    condition_term term = {.start = token};
    if (!sql_token_is(term.start[-1], "WHERE AND ON (") || !find_end(&term))
      continue;
    term.text = sqlite3_str_new(NULL);
    sqlite3_str_appendall(term.text, "(");
    const bool is_term = read_term(mirror, &term);
    sqlite3_str_appendall(term.text, ")");
    term.made = sql_arena_keep(mirror->arena, sqlite3_str_finish(term.text));
    if (!is_term || found == NULL) continue;
    token = term.end - 1;
    found[count++] = term;
  }
  /* A plan with a mark is compared with the one that has no terms. */
  for (int i = 0; i < count; i++) {
    add_term(mirror->arena, found[i].loop, found[i].made);
  }
  return mirror->arena->no_memory ? SQLITE_NOMEM : SQLITE_OK;
}
