/*
** Trying the filters of a query: which are right, which pay, and which pay
** together.
*/
#ifndef BLOOM_ADVISE_TRY_H
#define BLOOM_ADVISE_TRY_H

#include "compare.h"
#include "set.h"

typedef struct sql_advice {
  sql_arena arena;
  sqlite3 *db;
  sqlite3_int64 start;
  double seconds;
  sql_trial plain;
  sql_filter *filters;
  int count;
  int left_out;        /* filters for which there was no time */
  const char *problem; /* why nothing was tried, or NULL */
  sql_trial best; /* with all filters that pay together, if there are any */
  int best_count; /* of these filters */
  double faster;  /* how many times as fast best is, or 0 */
} sql_advice;

/* Tries what the query of plain can have, which is prepared. Returns SQLITE_OK
** or an error's code. In any case, sql_free_advice frees what it is. */
int sql_try_filters(sql_advice *advice);

void sql_free_advice(sql_advice *advice);

#endif
