#include "place.h"

#include <stdlib.h>
#include <string.h>

#include "../compat.h"

/* ---- Tokens. */

static bool may_be_name(sql_token token) {
  return token.kind == TOKEN_WORD || token.kind == TOKEN_QUOTED;
}

static bool is_character(sql_token token, char character) {
  return token.kind == TOKEN_OTHER && *token.start == character;
}

const sql_token *sql_name_end(const sql_token *token) {
  if (!may_be_name(*token) || *token->start == '\'' ||
      is_character(token[-1], '.')) {
    return NULL;
  }
  while (is_character(token[1], '.') && may_be_name(token[2])) token += 2;
  return token;
}

/* ---- Edits. */

const char *sql_edited_text(sql_arena *arena, const char *query,
                            sql_edit *edits, int count) {
  sqlite3_str *text = sqlite3_str_new(NULL);
  int at = 0;
  for (int i = 1; i < count; i++) {
    const sql_edit edit = edits[i];
    int j = i;
    for (; j > 0 && edits[j - 1].at > edit.at; j--) edits[j] = edits[j - 1];
    edits[j] = edit;
  }
  for (int i = 0; i < count; i++) {
    if (edits[i].at > at) {
      sqlite3_str_append(text, query + at, edits[i].at - at);
    }
    sqlite3_str_appendall(text, edits[i].text == NULL ? "" : edits[i].text);
    at = edits[i].at + edits[i].length;
  }
  sqlite3_str_appendall(text, query + at);
  const char *made = sql_arena_keep(arena, sqlite3_str_finish(text));
  return arena->no_memory ? NULL : made; /* an edit may lack its text */
}

int sql_exchange(sql_arena *arena, const sql_place *place, const char *name,
                 const mirror_table *table, sql_edit *edits) {
  edits[0] = (sql_edit){
      place->at, place->length,
      sql_arena_text(arena, place->aliased ? "%s" : "%s AS %s",
                     sql_name(arena, name), sql_name(arena, table->name))};
  edits[1] = (sql_edit){place->index_at, place->index_length, ""};
  return place->index_length > 0 ? 2 : 1;
}

/* ---- Whether an edit has left the plan as it was. */

static int compare_texts(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Appends what a plan does in a loop, but for conditions that are this mark. A
** twin is as its table, and the numbers of FROMs may be others. Conditions have
** no order, since an edit may change it. */
static void append_loop(sql_arena *arena, sqlite3_str *text,
                        const sql_plan *plan, const plan_loop *loop,
                        const char *mark) {
  const mirror_table *table = loop->table;
  int first = 0; /* loop of the same FROM */
  int count = 0;
  const char **texts = sql_arena_allocate(
      arena,
      ((uint64_t)loop->plan->count + (uint64_t)loop->condition_count + 1) *
          sizeof(*texts));
  if (table->twin_of != NULL) table = table->twin_of;
  while (plan->loops[first].parent != loop->parent) first++;
  sqlite3_str_appendf(text, "%p %d %d %d %d %d %Q:", table, loop->cursor,
                      loop->filters, loop->null_extended, loop->left_join,
                      first, loop->alias);
  for (int i = 0; texts != NULL && i < loop->plan->count; i++) {
    const taken_constraint *taken = &loop->plan->taken[i];
    if (taken->condition != NULL && strcmp(taken->condition, mark) == 0) {
      continue;
    }
    texts[count++] =
        sql_arena_text(arena, " %d %d %d %d %Q,", taken->column, taken->binary,
                       taken->constant, taken->type, taken->condition);
  }
  for (int i = 0; texts != NULL && i < loop->condition_count; i++) {
    const plan_condition *condition = &loop->conditions[i];
    if (strcmp(condition->text, mark) == 0) continue;
    texts[count++] =
        sql_arena_text(arena, " %d %Q", condition->column, condition->text);
  }
  if (arena->no_memory) return;
  qsort(texts, (size_t)count, sizeof(*texts), compare_texts);
  for (int i = 0; i < count; i++) sqlite3_str_appendall(text, texts[i]);
  sqlite3_str_appendall(text, "\n");
}

/* A text that is the same for plans that have the same loops, in the same
** order, with the same conditions, and the same of them in one FROM; and the
** same lists. NULL if out of memory. */
static const char *plan_text(sql_arena *arena, const sql_plan *plan,
                             const char *mark, bool with_lists) {
  sqlite3_str *text = sqlite3_str_new(NULL);
  sqlite3_str_appendf(text, "%d loops\n%s\n", plan->loop_count,
                      with_lists ? plan->lists : "");
  for (int i = 0; i < plan->loop_count; i++) {
    append_loop(arena, text, plan, &plan->loops[i], mark);
  }
  return sql_arena_keep(arena, sqlite3_str_finish(text));
}

bool sql_read_edited(sql_mirror *mirror, sql_edit *edits, int count,
                     sql_plan *edited) {
  const char *text =
      sql_edited_text(mirror->arena, mirror->query, edits, count);
  if (text == NULL) return false;
  const int rc = sql_read_plan(mirror, text, edited);
  mirror->problem = NULL;
  if (rc == SQLITE_NOMEM) mirror->arena->no_memory = true;
  return rc == SQLITE_OK;
}

bool sql_has_same_plan(sql_mirror *mirror, sql_edit *edits, int count,
                       const char *mark, sql_plan *edited) {
  if (!sql_read_edited(mirror, edits, count, edited)) return false;
  /* In a function, an operand has no collation, and the list of its IN may have
  ** another one. */
  const bool with_lists = *mark == 0;
  const char *before = plan_text(mirror->arena, mirror->plan, "", with_lists);
  const char *after = plan_text(mirror->arena, edited, mark, with_lists);
  return before != NULL && after != NULL && strcmp(before, after) == 0;
}

/* ---- Where tables are named. */

/* Reads what may be the name of a table in a FROM. */
static bool read_place(const sql_mirror *mirror, const sql_token *token,
                       const mirror_table *table, sql_place *place) {
  const sql_token *name = token;
  if (is_character(token[-1], '.')) return false;
  if (is_character(token[1], '.')) {
    if (!sql_token_names(*token, table->schema)) return false;
    name += 2;
  }
  if (!may_be_name(*name) || !sql_token_names(*name, table->name) ||
      is_character(name[1], '.')) {
    return false;
  }
  *place = (sql_place){.at = sql_start_of(mirror, token)};
  place->length = sql_end_of(mirror, name) - place->at;
  name++;
  if (sql_token_is(*name, "AS")) {
    place->aliased = true;
    name += 2;
  } else if (may_be_name(*name) &&
             (name->kind == TOKEN_QUOTED ||
              !sqlite3_keyword_check(name->start, (int)name->length))) {
    place->aliased = true;
    name++;
  }
  const bool is_not = sql_token_is(*name, "NOT");
  if (sql_token_is(name[is_not], "INDEXED")) {
    place->index_at = sql_end_of(mirror, name - 1);
    place->index_length =
        sql_end_of(mirror, name + 2 - is_not) - place->index_at;
  }
  return true;
}

/* The only loop over a twin, or NULL. */
static plan_loop *twin_loop(const sql_plan *plan, const sql_plan *edited) {
  plan_loop *found = NULL;
  for (int i = 0; i < edited->loop_count; i++) {
    if (edited->loops[i].table->twin_of == NULL) continue;
    if (found != NULL) return NULL;
    found = &plan->loops[i];
  }
  return found;
}

/* Whether a WITH of the table's own name would take this place, and no other:
** nowhere else may the text name the table. */
static bool is_only_place(const sql_mirror *mirror, const sql_token *place,
                          const mirror_table *table) {
  int places = is_character(place[1], '.') ? 2 : 0;
  for (const sql_token *token = mirror->tokens; token->kind != TOKEN_END;
       token++) {
    places += sql_token_names(*token, table->name) &&
              !is_character(token[-1], '.') && !is_character(token[1], '.');
  }
  return places == 1;
}

/* A name for a WITH that the text does not have, nor another place. */
static const char *new_name(sql_mirror *mirror, const mirror_table *table) {
  for (int i = 1; !mirror->arena->no_memory; i++) {
    char number[16] = "";
    if (i > 1) sqlite3_snprintf(sizeof(number), number, "_%d", i);
    const char *name =
        sql_arena_text(mirror->arena, "filtered_%s%s", table->name, number);
    bool used = name == NULL || sql_count_tokens(mirror->query, name) > 0;
    for (int j = 0; !used && j < mirror->plan->loop_count; j++) {
      const sql_place *place = mirror->plan->loops[j].place;
      used = place != NULL && sqlite3_stricmp(place->name, name) == 0;
    }
    if (!used) return name;
  }
  return NULL;
}

/* Tries one place of a table. */
static void try_place(sql_mirror *mirror, const sql_token *token,
                      const mirror_table *table) {
  sql_edit edits[2];
  sql_plan edited;
  sql_place place;
  if (!read_place(mirror, token, table, &place)) return;
  const mirror_table *twin = sql_mirror_twin(mirror, table);
  if (twin == NULL) return;
  const int count =
      sql_exchange(mirror->arena, &place, twin->name, table, edits);
  if (!sql_has_same_plan(mirror, edits, count, "", &edited)) return;
  plan_loop *loop = twin_loop(mirror->plan, &edited);
  sql_place *found = sql_arena_allocate(mirror->arena, sizeof(*found));
  if (loop == NULL || found == NULL) return;
  *found = place;
  found->name = place.index_length == 0 && is_only_place(mirror, token, table)
                    ? table->name
                    : new_name(mirror, table);
  loop->place = found;
}

/* Whether the query calls so another table than that of a loop, and not what a
** subquery makes: in SQLite 3.40, that has a rowid, too. */
static bool is_other_alias(const sql_mirror *mirror, const plan_loop *loop,
                           sql_token token) {
  bool is_other = false;
  if (loop->alias == NULL || sql_token_names(token, loop->alias)) return false;
  for (int i = 0; i < mirror->plan->loop_count; i++) {
    const char *alias = mirror->plan->loops[i].alias;
    is_other |= alias != NULL && sql_token_names(token, alias);
  }
  return is_other;
}

/* Why a table cannot be exchanged for a SELECT of it where a loop reads it, or
** NULL. A name that has no meaning there any more could get that of another
** table without a word. */
static const char *name_problem(const sql_mirror *mirror,
                                const plan_loop *loop) {
  static const char *const names[] = {"rowid", "_rowid_", "oid"};
  const mirror_table *table = loop->table;
  if (sql_find_column(table, "true") != NULL ||
      sql_find_column(table, "false") != NULL) {
    return "SQLite finds no column that is called true or false in a WITH";
  }
  for (const sql_token *token = mirror->tokens; token->kind != TOKEN_END;
       token++) {
    const bool is_qualified = is_character(token[-1], '.');
    if (!may_be_name(*token) || *token->start == '\'') continue;
    for (int j = 0; j < 3; j++) {
      if (sql_token_names(*token, names[j]) &&
          sql_find_column(table, names[j]) == NULL &&
          (!is_qualified || !is_other_alias(mirror, loop, token[-2]))) {
        return "the query names a rowid, which a WITH does not have";
      }
    }
    if (is_qualified && is_character(token[1], '.') &&
        sql_token_names(*token, table->name)) {
      return "the query names a column with table and schema, which a WITH "
             "does not have";
    }
  }
  return NULL;
}

/* Whether VALUES stand in front of the first WITH, if there is one. From 3.46
** on, SQLite takes the columns of such VALUES for others than behind a WITH. */
static bool has_early_values(const sql_mirror *mirror) {
  for (const sql_token *token = mirror->tokens; token->kind != TOKEN_END;
       token++) {
    if (sql_token_is(*token, "WITH")) return false;
    if (sql_token_is(*token, "VALUES")) return true;
  }
  return false;
}

/* Whether SQLite itself may lose rows if a table has a condition: it may then
** read others in another order, and make Bloom filters of its own. */
static bool reads_fragile(const sql_plan *plan) {
  bool fragile = false;
  for (int i = 0; i < plan->loop_count; i++) {
    fragile |= plan->loops[i].table->fragile;
  }
  return fragile;
}

/* Why a loop's table cannot have a condition, or NULL. */
static const char *place_problem(const sql_mirror *mirror,
                                 const plan_loop *loop) {
  const char *problem =
      loop->place == NULL && sql_now() > mirror->until ? "there was no time"
      : loop->place == NULL
          ? "no place of the query's text stands for the probed table alone"
      : has_early_values(mirror)
          ? "the query has VALUES, which SQLite reads otherwise behind a WITH"
          : name_problem(mirror, loop);
  return problem == NULL && reads_fragile(mirror->plan)
             ? "SQLite before 3.52 may lose rows by itself where it reads a "
               "table with an index of a generated column in another way"
             : problem;
}

void sql_find_places(sql_mirror *mirror) {
  const sql_plan *plan = mirror->plan;
  for (int i = 0; i < plan->loop_count; i++) {
    const mirror_table *table = plan->loops[i].table;
    const sql_token *token = mirror->tokens;
    int earlier = 0;
    while (plan->loops[earlier].table != table) earlier++;
    if (earlier < i || table->is_function) continue;
    for (; token->kind != TOKEN_END && sql_may_try(mirror); token++) {
      try_place(mirror, token, table);
    }
  }
  for (int i = 0; i < plan->loop_count; i++) {
    plan->loops[i].place_problem = place_problem(mirror, &plan->loops[i]);
  }
}

/* ---- Operands. */

/* Whether a name, from one token to another, is an operand of an =. */
static bool is_operand(const sql_token *token, const sql_token *end) {
  const bool is_right = is_character(token[-1], '=') &&
                        !(token[-2].kind == TOKEN_OTHER &&
                          strchr("<>!", *token[-2].start) != NULL &&
                          token[-2].start + 1 == token[-1].start);
  return is_right || is_character(end[1], '=');
}

/* Finds the end of the [NOT] IN (SELECT ...) behind a name, if there is one.
** That of a result column without AS is left out, since its text is the name of
** the column. */
static void find_in(const sql_mirror *mirror, const sql_token *first,
                    const sql_token *last, sql_operand *operand) {
  const sql_token *token = last + 1;
  int depth = 1;
  operand->negate = sql_token_is(*token, "NOT");
  token += operand->negate;
  if (!sql_token_is(token[0], "IN") || !is_character(token[1], '(') ||
      !sql_token_is(token[2], "SELECT WITH")) {
    return;
  }
  for (token += 2; depth > 0 && token->kind != TOKEN_END; token++) {
    depth += is_character(*token, '(') - is_character(*token, ')');
  }
  if (!sql_token_is(first[-1], "SELECT DISTINCT ALL ,") ||
      sql_token_is(*token, "AS")) {
    operand->end = sql_end_of(mirror, token - 1);
  }
}

sql_edit sql_mark_operand(const sql_mirror *mirror, int at, int length) {
  return (sql_edit){at, length,
                    sql_arena_text(mirror->arena, " " SQL_OPERAND "(%.*s)",
                                   length, mirror->query + at)};
}

/* Adds an operand if its mark is that of one lookup. */
static void try_operand(sql_mirror *mirror, sql_operand operand,
                        sql_operand *operands, int *count) {
  sql_plan edited;
  const plan_lookup *found = NULL;
  sql_edit edit = sql_mark_operand(mirror, operand.at, operand.length);
  if (!sql_has_same_plan(mirror, &edit, 1, "", &edited) || edited.marks != 1) {
    return;
  }
  for (int i = 0; i < edited.lookup_count; i++) {
    if (!edited.lookups[i].marked) continue;
    if (found != NULL) return;
    found = &edited.lookups[i];
  }
  if (found == NULL || found->in != (operand.end > 0)) return;
  sql_operand *added = &operands[(*count)++];
  *added = operand;
  added->lookup = *found;
  added->lookup.loop = &mirror->plan->loops[found->loop - edited.loops];
  added->lookup.key_loop = &mirror->plan->loops[found->key_loop - edited.loops];
}

int sql_find_operands(sql_mirror *mirror, sql_operand **operands, int *count) {
  *count = 0;
  *operands = sql_arena_allocate(
      mirror->arena, ((uint64_t)mirror->token_count + 1) * sizeof(**operands));
  /* A NATURAL JOIN compares columns whose names may be the text of operands. */
  if (sql_count_tokens(mirror->original, "NATURAL") > 0) return SQLITE_OK;
  for (const sql_token *token = mirror->tokens;
       token->kind != TOKEN_END && sql_may_try(mirror); token++) {
    const sql_token *end = sql_name_end(token);
    if (end == NULL) continue;
    const int at = sql_start_of(mirror, token);
    sql_operand operand = {.at = at, .length = sql_end_of(mirror, end) - at};
    find_in(mirror, token, end, &operand);
    if (operand.end > 0 || is_operand(token, end)) {
      try_operand(mirror, operand, *operands, count);
    }
  }
  return mirror->arena->no_memory ? SQLITE_NOMEM : SQLITE_OK;
}
