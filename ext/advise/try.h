/*
** Trying the filters of a query: which are right, which pay, and which pay
** together.
*/
#ifndef BLOOM_ADVISE_TRY_H
#define BLOOM_ADVISE_TRY_H

#include "compare.h"

/* A filter, and what was found out about it. */
typedef struct sql_filter {
  char *probe;         /* "visit.email" */
  char *key;           /* "customer.email" */
  char *set;           /* the SELECT of its keys, or NULL */
  char *condition;     /* which probes it, or NULL */
  const char *problem; /* why it is not given, or NULL */
  char *error;         /* SQLite's message, if it cannot be run; or NULL */
  const char *reason;  /* why it was not timed, or NULL */
  bool placed; /* it would be right, but the query has no place for it */
  bool first;  /* the plan reads the probed table first */
  bool whole;  /* its keys are all of a column */
  bool kept;   /* and the filter is kept */
  bool right;  /* it was run, and the rows were the same */
  bool tried;
  double build_ms;  /* negative if not known */
  double share;     /* negative if not known */
  double gain;      /* how many times as fast it is, or 0 if not known */
  sql_trial *trial; /* of the query with this filter; or NULL */
} sql_filter;

typedef struct sql_advice {
  sqlite3 *db;
  sqlite3_int64 start;
  double seconds;
  sql_trial plain;
  sql_filter *filters;
  int count;
  int left_out;   /* filters for which there was no time */
  char *problem;  /* why nothing was tried, or NULL */
  sql_trial best; /* with all filters that pay together, if there are any */
  int best_count; /* of these filters */
  double faster;  /* how many times as fast best is, or 0 */
} sql_advice;

/* Tries what the query of plain can have, which is prepared. Returns SQLITE_OK
** or an error's code. In any case, sql_free_advice frees what it is. */
int sql_try_filters(sql_advice *advice);

void sql_free_advice(sql_advice *advice);

#endif
