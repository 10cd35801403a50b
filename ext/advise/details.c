/*
** What EXPLAIN QUERY PLAN says of a query.
*/
#include <string.h>

#include "../compat.h"
#include "mirror.h"

static int add_detail(void *data, sqlite3_stmt *row) {
  sql_reading *reading = data;
  const char *detail =
      sql_arena_text(reading->mirror->arena, "%s", sql_row_text(row, 3));
  sqlite3_str_append(reading->records, (const char *)&detail, sizeof(detail));
  return detail == NULL ? SQLITE_NOMEM : SQLITE_OK;
}

int sql_read_details(sql_mirror *mirror, sqlite3 *db, const char *query,
                     sql_details *details) {
  int rc, size;
  details->rows = sql_read_explained(mirror, db, "EXPLAIN QUERY PLAN", query,
                                     add_detail, &rc, &size);
  details->count = size / (int)sizeof(*details->rows);
  return rc;
}

const char *sql_behind_label(const char *detail, const char *label) {
  const size_t size = label == NULL ? 0 : strlen(label);
  const char *name = strncmp(detail, "SCAN ", 5) == 0     ? detail + 5
                     : strncmp(detail, "SEARCH ", 7) == 0 ? detail + 7
                                                          : NULL;
  return name != NULL && size > 0 && strncmp(name, label, size) == 0 &&
                 (name[size] == ' ' || name[size] == 0)
             ? name + size
             : NULL;
}

int sql_find_detail(const sql_details *details, const char *label,
                    const char *text, int *count) {
  int first = -1;
  *count = 0;
  for (int i = 0; i < details->count; i++) {
    if (sql_behind_label(details->rows[i], label) != NULL &&
        strstr(details->rows[i], text) != NULL && ++*count == 1) {
      first = i;
    }
  }
  return first;
}

/* ---- Outer joins that are none. */

static bool is_outer(const char *detail) {
  return strstr(detail, " LEFT-JOIN") != NULL;
}

/* Whether a label has one row, of an outer join or of none. */
static bool is_one(const sql_details *details, const char *label, bool outer) {
  int count;
  const int found = sql_find_detail(details, label, "", &count);
  return count == 1 && is_outer(details->rows[found]) == outer;
}

static int count_outer(const sql_details *details) {
  int count = 0;
  for (int i = 0; i < details->count; i++) count += is_outer(details->rows[i]);
  return count;
}

/* The only label of an outer join that is none after an edit, or NULL. */
static const char *changed_label(sql_mirror *mirror, const sql_details *before,
                                 const sql_details *after) {
  if (before->count != after->count ||
      count_outer(before) != count_outer(after) + 1) {
    return NULL;
  }
  for (int i = 0; i < before->count; i++) {
    const char *detail = before->rows[i];
    const char *end = strstr(detail, " VIRTUAL TABLE ");
    if (!is_outer(detail) || end == NULL) continue;
    const char *label = sql_arena_text(mirror->arena, "%.*s",
                                       (int)(end - detail) - 5, detail + 5);
    if (label != NULL && is_one(before, label, true) &&
        is_one(after, label, false)) {
      return label;
    }
  }
  return NULL;
}

void sql_find_inner_joins(sql_mirror *mirror, const sql_details *details) {
  sql_details before, after;
  if (mirror->full_joins || sql_read_details(mirror, mirror->db, mirror->query,
                                             &before) != SQLITE_OK) {
    return;
  }
  for (const sql_token *token = mirror->tokens;
       token->kind != TOKEN_END && sql_may_try(mirror); token++) {
    if (!sql_token_is(*token, "LEFT")) continue;
    const sql_token *last = token + sql_token_is(token[1], "OUTER");
    char *text = sql_arena_text(mirror->arena, "%s", mirror->query);
    if (text == NULL) return;
    memset(text + (token->start - mirror->original), ' ',
           (size_t)(last->start + last->length - token->start));
    if (sql_read_details(mirror, mirror->db, text, &after) == SQLITE_OK) {
      const char *label = changed_label(mirror, &before, &after);
      if (label != NULL && is_one(details, label, false)) {
        mirror->query = text;
        before = after;
      }
    }
    mirror->problem = NULL;
  }
  sql_note_words(mirror);
}
