/*
** The filters that a query can have, and the SQL of each: the SELECT of its
** set, and the query with the filter.
*/
#ifndef BLOOM_ADVISE_SET_H
#define BLOOM_ADVISE_SET_H

#include "place.h"

typedef enum sql_form {
  FORM_TABLE,   /* the probed table is restricted */
  FORM_REDUCER, /* the looked-up table is restricted, and stored */
  FORM_GUARD    /* the operand that is looked up is NULL where the filter knows
                ** that nothing would be found, or the IN is not evaluated */
} sql_form;

/* What the rows of a restricted table must pass. The last two are no filters,
** but are tried beside one, and may gain as much. */
typedef enum sql_test {
  TEST_FILTER,
  TEST_SET, /* IN (SELECT ...), for which an index may be used */
  TEST_NONE /* the table is stored, which gives it an index for the query */
} sql_test;

/* A filter, and what was found out about it. */
typedef struct sql_filter {
  sql_form form;
  sql_test test;
  const plan_loop *probe, *keys; /* the tables of the column that is probed, */
  int probe_column, key_column;  /* and of the one whose values are the set */
  const char *probe_name;        /* "visit.email" */
  const char *key_name;
  bool inner;          /* that of plan_lookup */
  int at, length;      /* of the operand of FORM_GUARD, in the query */
  int end;             /* behind its IN (SELECT ...), or 0 of = */
  bool negate;         /* it is that of NOT IN */
  const char *operand; /* its text */
  const char *set;     /* the SELECT of its keys, or NULL */
  const char *problem; /* why it is not given, or NULL */
  const char *reason;  /* why it was not timed, or NULL */
  bool keepable;       /* its keys are all of a column of main */
  const char *view;    /* that of a kept filter of the same keys, or NULL */
  bool right;          /* it was run, and the rows were the same */
  bool tried;
  bool shown;      /* it is the best of its lookup */
  bool chosen;     /* for the next run */
  bool timed;      /* in the runs in turn */
  double build_ms; /* of one that could be kept; negative if not known */
  double share;    /* of a sample that passes; negative if not known */
  double faster;   /* how many times as fast the query is, or 0 if not known */
  sql_trial trial; /* of the query with this filter */
} sql_filter;

/* A place of the text where a clock can stand. In a SELECT behind UNION, as
** that of a recursive WITH, it is where its WHERE begins, or could. In a join,
** it is behind the ON. */
typedef struct sql_clock {
  int at, length;  /* of the word WHERE, whose length is 0 if it has none */
  int end;         /* of its condition */
  plan_loop *loop; /* over the table in front of ON, or NULL of a SELECT */
} sql_clock;

typedef struct sql_filters {
  sql_filter *all;
  int count;
  sql_clock *clocks;
  int clock_count;
} sql_filters;

/* Finds the filters of all forms that the mirror's query can have, and for each
** lookup why it has none. Returns SQLITE_OK or an error's code. */
int sql_find_filters(sql_mirror *mirror, sql_filters *found);

/* Appends " WHERE t1.name = 1", a condition of a loop whose table has an alias,
** or if there is a WHERE, " AND t1.name = 1". */
void sql_append_condition(sql_arena *arena, sqlite3_str *text,
                          const plan_loop *loop,
                          const plan_condition *condition, const char *alias,
                          bool *has_where);

/* ---- The query with filters: filtered.c. */

/* The condition of what is tried, which is "" of TEST_NONE, or the CASE that
** takes the place of an operand, or its beginning that stands before an IN.
** Unless until is SQL_NEVER, building it ends at that time, with an error. NULL
** if out of memory. */
const char *sql_probe_text(sql_arena *arena, const sql_filter *filter,
                           sqlite3_int64 until);

/* The query with the chosen filters. Unless until is SQL_NEVER, it ends at that
** time in whichever loop it is, with an error. NULL if out of memory. */
const char *sql_filtered_text(sql_arena *arena, const sql_trial *query,
                              const sql_plan *plan, const sql_filters *filters,
                              sqlite3_int64 until);

/* ---- Clocks: clock.c. */

/* A condition that all rows of a loop pass, until it ends the query at a time.
** NULL if the loop has no place for it, or the time is SQL_NEVER. */
const char *sql_clock_text(sql_arena *arena, const plan_loop *loop,
                           sqlite3_int64 until);

/* Adds the edits of a clock: two at most. Returns how many. */
int sql_edit_clock(sql_arena *arena, const sql_clock *clock,
                   sqlite3_int64 until, sql_edit *edits);

/* Finds the SELECTs and joins that can have it: a condition leaves the plan as
** it is. Returns SQLITE_OK or SQLITE_NOMEM. */
int sql_find_clocks(sql_mirror *mirror, sql_filters *found);

#endif
