/*
** The parameters of a query that is tried: their values become literals in its
** text, which the planner and the mirror read as they read those of a user, and
** what is given back has the parameters again.
*/
#ifndef BLOOM_ADVISE_PARAMETERS_H
#define BLOOM_ADVISE_PARAMETERS_H

#include "run.h"

/* One place of a text where a parameter stands. */
typedef struct sql_parameter {
  int number; /* of the parameter, from 1, as SQLite assigns it */
  const char *start;
  int length;
  const char *name;  /* ":a" or "?3", also where the text has "?" alone */
  bool in_by;        /* it stands in an ORDER BY, GROUP BY or PARTITION BY */
  bool compared;     /* it is all of one side of a comparison, or of a LIMIT */
  const char *value; /* its literal, or NULL if it has none */
  const char *mark;  /* what stands for it: the literal behind a comment */
} sql_parameter;

/* All places of a text, in their order. */
typedef struct sql_parameters {
  sql_parameter *all;
  int count;
  int highest; /* the number of parameters */
} sql_parameters;

/* Finds the places of a text, whose parameters have the numbers 1 to most.
** Returns SQLITE_OK, SQLITE_NOMEM, or SQLITE_RANGE if a number is another one.
*/
int sql_find_parameters(sql_arena *arena, const char *text, int most,
                        sql_parameters *places);

/* ---- Their values: values.c. */

/* Reads the value of each place of a query that has so many parameters, as
** sql_give_values says. */
int sql_read_values(sql_trial *trial, sqlite3_value *parameters, bool exact,
                    int count, const sql_parameters *places);

/* Appends what stands before so many items of a list. Returns whether this one
** is shown. */
bool sql_append_comma(sqlite3_str *list, int count);

/* ---- Texts with literals in their place. */

/* Puts the values of the parameters into the text of a prepared query, and
** prepares it again. They are those of the argument called parameters, a JSON
** array or object, or if that is NULL, those of temp.sqlite_parameters. An
** array has exactly as many values as the query has parameters, or where it is
** not exact, at least as many. Returns SQLITE_OK or an error's code, and sets
** problem. */
int sql_give_values(sql_trial *trial, sqlite3_value *parameters, bool exact);

/* A copy of the argument called parameters, or NULL if it is not given. */
static inline const char *sql_keep_parameters(sql_arena *arena,
                                              sqlite3_value *parameters) {
  return parameters == NULL
             ? NULL
             : sql_arena_text(arena, "%s", sqlite3_value_text(parameters));
}

/* A text that was made of that of a query, with the query's parameters where no
** other value can make it wrong: each is compared, and nothing that was added
** has its value. Appends " :a is 5, ?2 is 'x'" for the others to kept. Returns
** NULL if out of memory. */
const char *sql_restore_parameters(sql_arena *arena, const sql_trial *query,
                                   const char *text, sqlite3_str *kept);

/* ---- The SELECT of the rows that a statement would change: changed_rows.c. */

/* Makes the text of a DELETE or UPDATE, with or without a WITH in front, that
** of the SELECT of the rows that it would change, with the same parameters;
** *verb becomes "DELETE" or "UPDATE". Any other text but an INSERT or REPLACE
** stays. Returns SQLITE_OK or an error's code, and sets problem. */
int sql_select_changed(sql_trial *trial, const char **verb);

#endif
