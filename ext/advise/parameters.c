#include "parameters.h"

#include <stdlib.h>
#include <string.h>

#include "../compat.h"
#include "../token.h"

/* ---- Where parameters stand. */

/* The length of a parameter that a token begins, or 0 if it begins none. */
static int parameter_length(sql_token token) {
  const char *behind = token.start + 1;
  if (token.kind == TOKEN_WORD && *token.start == '$') {
    return (int)token.length;
  }
  if (token.kind != TOKEN_OTHER || strchr("?:@", *token.start) == NULL) {
    return 0;
  }
  if (*token.start == '?') return 1 + (int)strspn(behind, "0123456789");
  const sql_token name = sql_next_token(&behind);
  return name.kind == TOKEN_WORD && name.start == token.start + 1
             ? 1 + (int)name.length
             : 0;
}

/* What is known of a text up to a token. */
typedef struct text_read {
  sql_token last[2]; /* the newest first */
  int depth;         /* of parentheses */
  int by;            /* the depth of the outermost BY, or -1 */
  int list;          /* the depth of a list of IN, or -1 */
  bool between;      /* behind BETWEEN, and before its AND */
  bool limits;       /* the newest AND was that of BETWEEN */
} text_read;

static void read_on(text_read *reading, sql_token token) {
  if (sql_token_is(token, "(")) {
    reading->depth++;
    if (sql_token_is(reading->last[0], "IN")) reading->list = reading->depth;
  } else if (sql_token_is(token, ")")) {
    if (reading->list == reading->depth) reading->list = -1;
    reading->depth--;
  }
  if (reading->by < 0 && sql_token_is(token, "BY"))
    reading->by = reading->depth;
  if (reading->depth < reading->by ||
      (reading->depth == reading->by &&
       sql_token_is(token,
                    "LIMIT HAVING WINDOW ROWS RANGE GROUPS UNION EXCEPT "
                    "INTERSECT"))) {
    reading->by = -1;
  }
  reading->limits = reading->between && sql_token_is(token, "AND");
  if (sql_token_is(token, "AND BETWEEN")) {
    reading->between = sql_token_is(token, "BETWEEN");
  }
  reading->last[1] = reading->last[0];
  reading->last[0] = token;
}

/* Whether an operator that ends with the last token compares: no arrow of JSON,
** and no shift. */
static bool compares(const text_read *reading) {
  const sql_token last = reading->last[0], before = reading->last[1];
  if (!sql_token_is(last, "= < >")) return false;
  return !(before.start + 1 == last.start && sql_token_is(last, "< >") &&
           (sql_token_is(before, "-") || *before.start == *last.start));
}

/* Whether a parameter between what was read and the next token is all of one
** side of a comparison, or of a LIMIT: no value of it, but for NULL, changes
** what the planner makes of the text. */
static bool is_compared(const text_read *reading, sql_token next) {
  const sql_token last = reading->last[0];
  if (sql_token_is(last, "WHERE AND OR ON (") && sql_token_is(next, "= < >") &&
      !reading->limits) {
    return next.start[0] == '=' || next.start[1] != next.start[0];
  }
  const bool begins =
      compares(reading) || reading->limits ||
      sql_token_is(last, "LIKE GLOB LIMIT OFFSET BETWEEN") ||
      (reading->depth == reading->list && sql_token_is(last, "( ,"));
  return begins && (next.kind == TOKEN_END ||
                    sql_token_is(next,
                                 ") , ; AND OR ORDER GROUP HAVING LIMIT "
                                 "OFFSET UNION EXCEPT INTERSECT"));
}

/* The number of a parameter: that of the same name, or else the next. */
static int number_of(const sql_parameters *places, const sql_parameter *place) {
  if (place->start[0] == '?' && place->length > 1) {
    const long long number = strtoll(place->start + 1, NULL, 10);
    return number < INT32_MAX ? (int)number : INT32_MAX;
  }
  for (int i = 0; i < places->count && place->length > 1; i++) {
    const sql_parameter *other = &places->all[i];
    if (other->length == place->length &&
        memcmp(other->start, place->start, (size_t)place->length) == 0) {
      return other->number;
    }
  }
  return places->highest + 1;
}

int sql_find_parameters(sql_arena *arena, const char *text, int most,
                        sql_parameters *places) {
  text_read reading = {.by = -1, .list = -1};
  int space = 0;
  *places = (sql_parameters){.count = 0};
  for (const char *tail = text; *tail != 0; tail += *tail != 0) {
    space += strchr("?:@$", *tail) != NULL;
  }
  if (space == 0) return SQLITE_OK;
  places->all =
      sql_arena_allocate(arena, (uint64_t)space * sizeof(*places->all));
  if (places->all == NULL) return SQLITE_NOMEM;
  for (sql_token token; (token = sql_next_token(&text)).kind != TOKEN_END;) {
    const int length = parameter_length(token);
    if (length > 0) {
      sql_parameter *place = &places->all[places->count];
      const char *tail = text = token.start + length;
      place->start = token.start;
      place->length = length;
      place->number = number_of(places, place);
      if (place->number < 1 || place->number > most) return SQLITE_RANGE;
      place->name = length == 1
                        ? sql_arena_text(arena, "?%d", place->number)
                        : sql_arena_text(arena, "%.*s", length, token.start);
      place->in_by = reading.by >= 0;
      place->compared = is_compared(&reading, sql_next_token(&tail));
      if (place->number > places->highest) places->highest = place->number;
      places->count++;
      token.length = (size_t)length;
    }
    read_on(&reading, token);
  }
  return arena->no_memory ? SQLITE_NOMEM : SQLITE_OK;
}

/* ---- Their literals in the text. */

/* How many spaces must stand between a comment and a literal, for the text to
** have nothing that looks like them. */
static int space_of(const char *text) {
  int space = 1;
  for (const char *end = text; (end = strstr(end, "*/")) != NULL; end += 2) {
    const int found = (int)strspn(end + 2, " ");
    if (found >= space) space = found + 1;
  }
  return space;
}

/* Puts the literals into a text. A number is no number of a column in a BY. */
static const char *put_literals(sql_arena *arena, const char *text,
                                sql_parameters *places) {
  const int space = space_of(text);
  sqlite3_str *made = sqlite3_str_new(NULL);
  for (int i = 0; i < places->count; i++) {
    sql_parameter *place = &places->all[i];
    const char *behind = place->start + place->length;
    place->mark = sql_arena_text(
        arena, place->in_by ? "/*%s*/%*s(SELECT %s)" : "/*%s*/%*s%s",
        place->name, space, "", place->value);
    if (place->start > text) {
      sqlite3_str_append(made, text, (int)(place->start - text));
    }
    sqlite3_str_appendall(made, place->mark == NULL ? "" : place->mark);
    if (strchr(" \t\r\n),;", *behind) == NULL) {
      sqlite3_str_appendall(made, " ");
    }
    text = behind;
  }
  sqlite3_str_appendall(made, text);
  return sql_arena_keep(arena, sqlite3_str_finish(made));
}

/* Whether these are the parameters that SQLite finds, too. */
static bool are_parameters_of(const sql_parameters *places,
                              sqlite3_stmt *statement) {
  if (places->highest != sqlite3_bind_parameter_count(statement)) return false;
  for (int i = 0; i < places->count; i++) {
    const sql_parameter *place = &places->all[i];
    const char *name = sqlite3_bind_parameter_name(statement, place->number);
    if (place->length > 1 && (name == NULL || strcmp(name, place->name) != 0)) {
      return false;
    }
  }
  return true;
}

/* Gives each place the number and name that it had in another text. */
static void use_numbers(sql_parameters *places, const sql_parameters *others) {
  places->highest = others->highest;
  for (int i = 0; i < places->count; i++) {
    places->all[i].number = others->all[i].number;
    places->all[i].name = others->all[i].name;
  }
}

int sql_give_values(sql_trial *trial, sqlite3_value *parameters, bool exact) {
  sql_arena *arena = trial->arena;
  sql_parameters *places = sql_arena_allocate(arena, sizeof(*places));
  if (places == NULL) return SQLITE_NOMEM;
  int count = sqlite3_bind_parameter_count(trial->statement);
  int rc = sql_find_parameters(arena, trial->text, count, places);
  if (rc == SQLITE_NOMEM) return rc;
  if (rc != SQLITE_OK || !are_parameters_of(places, trial->statement)) {
    trial->problem = sqlite3_mprintf(
        "%s has a parameter in a form that is not read: write ?, ?1, :a, @a or "
        "$a",
        trial->name);
    return SQLITE_ERROR;
  }
  if (trial->places != NULL) {
    count = trial->places->highest;
    use_numbers(places, trial->places);
  }
  rc = sql_read_values(trial, parameters, exact, count, places);
  if (rc != SQLITE_OK || places->count == 0) return rc;
  trial->places = places;
  trial->text = put_literals(arena, trial->text, places);
  sqlite3_finalize(trial->statement);
  trial->statement = NULL;
  if (arena->no_memory) return SQLITE_NOMEM;
  rc = sql_prepare_trial(trial->db, trial);
  if (rc == SQLITE_ERROR) {
    trial->problem = sqlite3_mprintf("%s with the values of its parameters: %s",
                                     trial->name, sqlite3_errmsg(trial->db));
  }
  return rc;
}

/* ---- The parameters in a text again. */

/* How often a literal of this length stands in a text. */
static int count_literals(const char *text, const char *literal,
                          size_t length) {
  int count = 0;
  char before = ' ';
  for (sql_token token; (token = sql_next_token(&text)).kind != TOKEN_END;
       before = text[-1]) {
    const char *behind = token.start + length;
    /* The 0 of 1.0 is no literal, and neither is its 1. */
    count += strncmp(token.start, literal, length) == 0 && before != '.' &&
             *behind != '.' && (token.kind == TOKEN_OTHER || text <= behind);
  }
  return count;
}

/* Of more parameters than this, all keep their values: looking for each in the
** text would take longer than the call may. */
#define MOST_PLACES 1500

/* Whether another value of a parameter could make a text wrong. */
static bool needs_value(const sql_trial *query, const char *text,
                        const sql_parameter *place) {
  const bool negative = place->value[0] == '(';
  const char *literal = place->value + negative;
  const size_t length = strlen(literal) - negative;
  /* What is made of a query need not have its views. */
  const int in_views =
      query->views == NULL ? 0 : count_literals(query->views, literal, length);
  return !place->compared || strcmp(literal, "NULL") == 0 ||
         count_literals(text, literal, length) >
             count_literals(query->text, literal, length) - in_views;
}

/* Appends " :a is 5" for each parameter that keeps its value. */
static void append_kept(sqlite3_str *kept, const sql_parameters *places,
                        bool *keeps) {
  int shown = 0;
  for (int i = 0; i < places->count; i++) {
    const sql_parameter *place = &places->all[i];
    if (!keeps[place->number]) continue;
    keeps[place->number] = false;
    if (!sql_append_comma(kept, ++shown)) continue;
    const int bytes = sql_bytes_shown(place->value);
    sqlite3_str_appendf(kept, "%s is %.*s%s", place->name, bytes, place->value,
                        place->value[bytes] == 0 ? "" : "...");
  }
}

const char *sql_restore_parameters(sql_arena *arena, const sql_trial *query,
                                   const char *text, sqlite3_str *kept) {
  const sql_parameters *places = query->places;
  if (places == NULL) return text;
  bool *keeps = sql_arena_allocate(arena, (uint64_t)places->highest + 1);
  if (keeps == NULL) return NULL;
  bool all = true;
  for (int i = 0; i < places->count; i++) {
    const sql_parameter *place = &places->all[i];
    keeps[place->number] |=
        places->count > MOST_PLACES || needs_value(query, text, place);
    all = all && !keeps[place->number];
  }
  sqlite3_str *made = sqlite3_str_new(NULL);
  const char *copied = text, *end = text;
  int found = 0;
  for (sql_token token; found < places->count &&
                        (token = sql_next_token(&text)).kind != TOKEN_END;
       end = text) {
    const sql_parameter *place = &places->all[found];
    const char *comment = strstr(end, place->mark);
    if (comment == NULL || comment >= token.start) continue;
    found++;
    text = comment + strlen(place->mark);
    if (keeps[place->number]) continue;
    if (comment > copied) {
      sqlite3_str_append(made, copied, (int)(comment - copied));
    }
    if (place->length == 1 && !all) {
      sqlite3_str_appendall(made, place->name);
    } else {
      sqlite3_str_append(made, place->start, place->length);
    }
    copied = text;
  }
  sqlite3_str_appendall(made, copied);
  append_kept(kept, places, keeps);
  return sql_arena_keep(arena, sqlite3_str_finish(made));
}
