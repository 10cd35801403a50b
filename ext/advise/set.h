/*
** The filters that a query can have, and the SQL of each: the SELECT of its
** set, and the query with the filter.
*/
#ifndef BLOOM_ADVISE_SET_H
#define BLOOM_ADVISE_SET_H

#include "plan.h"
#include "run.h"

/* A filter, and what was found out about it. */
typedef struct sql_filter {
  const plan_loop *probe, *keys; /* the tables of the column that is probed, */
  int probe_column, key_column;  /* and of the one whose values are the set */
  const char *probe_name;        /* "visit.email" */
  const char *key_name;
  const char *set;       /* the SELECT of its keys, or NULL */
  const char *condition; /* which probes it, or NULL */
  const char *problem;   /* why it is not given, or NULL */
  const char *reason;    /* why it was not timed, or NULL */
  bool whole;            /* its keys are all of a column */
  bool kept;             /* and the filter is kept */
  bool right;            /* it was run, and the rows were the same */
  bool tried;
  bool chosen;     /* for the next run */
  double build_ms; /* of one that could be kept; negative if not known */
  double share;    /* of a sample that passes; negative if not known */
  double faster;   /* how many times as fast the query is, or 0 if not known */
  sql_trial trial; /* of the query with this filter */
} sql_filter;

/* Makes the filter of a lookup, or the one with both sides exchanged: its
** names, set and condition, or the problem. */
void sql_make_filter(sql_mirror *mirror, const sql_plan *plan,
                     const plan_lookup *lookup, bool exchanged,
                     sql_filter *filter);

/* The condition that probes a filter: the filter of its SELECT, or of a view.
** NULL if out of memory. */
const char *sql_probe_text(sql_arena *arena, const sql_filter *filter,
                           const char *view);

/* The query with the chosen filters. NULL if out of memory. */
const char *sql_filtered_text(sql_arena *arena, const char *query,
                              const sql_filter *filters, int count);

#endif
