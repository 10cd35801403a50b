/*
** Joins by USING, written with ON, where operands and clocks have places.
** SQLite makes the same program of both.
*/
#include <string.h>

#include "../compat.h"
#include "place.h"

/* So many texts are tried at most. */
#define MOST_TEXTS 200

/* "USING (x, y)" behind the name of a table. */
typedef struct using_clause {
  const sql_token *table, *first, *last; /* these are the brackets */
} using_clause;

static bool read_using(const sql_token *token, using_clause *found) {
  const sql_token *last = token + 1;
  if (!sql_token_is(token[0], "USING") || !sql_token_is(*last, "(") ||
      sql_name_end(&token[-1]) == NULL) {
    return false;
  }
  while (last->kind != TOKEN_END && !sql_token_is(*last, ")")) last++;
  *found = (using_clause){token - 1, token + 1, last};
  return last->kind != TOKEN_END;
}

/* Whether two names are written alike. */
static bool is_same_name(sql_token a, sql_token b) {
  return a.kind == b.kind && a.length == b.length &&
         sqlite3_strnicmp(a.start, b.start, (int)a.length) == 0;
}

static bool is_column_of(const using_clause *clause, const sql_token *token) {
  for (const sql_token *at = clause->first + 1; at < clause->last; at += 2) {
    if (is_same_name(*at, *token)) return true;
  }
  return false;
}

/* Whether a token may be what the query calls a table that is joined. */
static bool may_be_table(const sql_token *token) {
  return sql_name_end(token) == token &&
         sql_token_is(token[1],
                      "JOIN LEFT INNER CROSS NATURAL RIGHT FULL , ON "
                      "USING INDEXED NOT");
}

/* A text of a query, and what is changed in it. */
typedef struct join_edits {
  sql_trial *trial;
  const sql_token *tokens; /* around which others may be looked at */
  sql_edit *edits;
  int count;
  int tried; /* texts */
} join_edits;

static void add_edit(join_edits *made, const sql_token *first,
                     const sql_token *last, const char *text) {
  made->edits[made->count++] =
      (sql_edit){(int)(first->start - made->trial->text),
                 (int)(last->start + last->length - first->start), text};
}

/* Makes the edit that writes ON for a clause, and if names are to be changed,
** those that give its columns to the left table wherever they have none. */
static void edit_join(join_edits *made, const using_clause *clause,
                      const sql_token *left, bool names) {
  sql_arena *arena = made->trial->arena;
  const sql_token *right = clause->table;
  const char *on = "";
  made->count = 0;
  for (const sql_token *at = clause->first + 1; at < clause->last; at += 2) {
    on = sql_arena_text(
        arena, "%s%s%.*s.%.*s = %.*s.%.*s", on, *on == 0 ? "ON " : " AND ",
        (int)left->length, left->start, (int)at->length, at->start,
        (int)right->length, right->start, (int)at->length, at->start);
    if (on == NULL) return;
  }
  add_edit(made, clause->first - 1, clause->last, on);
  for (const sql_token *at = made->tokens; names && at->kind != TOKEN_END;
       at++) {
    using_clause other;
    if (read_using(at, &other)) {
      at = other.last;
    } else if (is_column_of(clause, at) && sql_name_end(at) == at &&
               !sql_token_is(at[1], "(") && !sql_token_is(at[-1], "AS")) {
      add_edit(made, at, at,
               sql_arena_text(arena, "%.*s.%.*s", (int)left->length,
                              left->start, (int)at->length, at->start));
    }
  }
}

/* Notes what was changed, in the text that was made. */
static void note_edits(const join_edits *made) {
  sql_trial *trial = made->trial;
  const uint64_t count = (uint64_t)trial->joined_count + (uint64_t)made->count;
  joined_text *all = sql_arena_allocate(trial->arena, count * sizeof(*all));
  const int views = trial->views_length;
  int moved = 0;
  if (all == NULL) return;
  for (int i = 0; i < trial->joined_count; i++) {
    all[i] = trial->joined[i];
    for (int j = 0; j < made->count; j++) {
      if (made->edits[j].at < trial->joined[i].at) {
        all[i].at += (int)strlen(made->edits[j].text) - made->edits[j].length;
      }
    }
  }
  trial->joined = all;
  for (int i = 0; i < made->count; i++) {
    const sql_edit *edit = &made->edits[i];
    const int length = (int)strlen(edit->text);
    trial->joined[trial->joined_count++] = (joined_text){
        .join = trial->joins,
        .at = edit->at + moved,
        .length = length,
        .given = sql_arena_text(trial->arena, "%.*s", edit->length,
                                trial->text + edit->at)};
    moved += length - edit->length;
    if (edit->at < trial->views_at + views) {
      trial->views_length += length - edit->length;
    }
  }
  trial->joins++;
}

/* Tries to make ON of a clause. *done is whether the text is another one. */
static int try_join(join_edits *made, const using_clause *clause, bool *done) {
  sql_trial *trial = made->trial;
  for (const sql_token *left = made->tokens; left < clause->table; left++) {
    for (int names = 0; may_be_table(left) && names < 2; names++) {
      if (++made->tried > MOST_TEXTS) return SQLITE_OK;
      edit_join(made, clause, left, names);
      const char *text =
          sql_edited_text(trial->arena, trial->text, made->edits, made->count);
      if (text == NULL) return SQLITE_NOMEM;
      const int rc = sql_is_same_program(trial, text, done);
      if (rc != SQLITE_OK) return rc;
      if (!*done) continue;
      note_edits(made);
      trial->text = text;
      return SQLITE_OK;
    }
  }
  return SQLITE_OK;
}

int sql_write_joins(sql_trial *trial) {
  int rc = SQLITE_OK, number = 0; /* of the clause */
  bool any = false, done = true;
  join_edits made = {.trial = trial};
  while (rc == SQLITE_OK && done) {
    int count, at = 0;
    done = false;
    made.tokens = sql_read_tokens(trial->arena, trial->text, &count);
    made.edits = sql_arena_allocate(
        trial->arena, ((uint64_t)count + 1) * sizeof(*made.edits));
    if (trial->arena->no_memory) return SQLITE_NOMEM;
    for (int i = 0; rc == SQLITE_OK && !done && i < count; i++) {
      using_clause clause;
      if (!read_using(&made.tokens[i], &clause) || at++ < number) continue;
      rc = try_join(&made, &clause, &done);
      number += !done;
    }
    any |= done;
  }
  if (trial->arena->no_memory) return SQLITE_NOMEM;
  if (rc != SQLITE_OK || !any) return rc;
  sqlite3_finalize(trial->statement);
  return sql_prepare_trial(trial->db, trial);
}
