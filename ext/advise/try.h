/*
** Trying the filters of a query: which are right, which pay, and which pay
** together.
*/
#ifndef BLOOM_ADVISE_TRY_H
#define BLOOM_ADVISE_TRY_H

#include "compare.h"
#include "details.h"
#include "set.h"

typedef struct sql_advice {
  sql_arena arena;
  sqlite3 *db;
  sqlite3_int64 start;
  double seconds;
  sql_trial plain;
  double clocked_ms; /* what it took with clocks, or until it was stopped */
  sql_plan plan;
  sql_filters found;
  int left_out;        /* filters for which there was no time */
  bool analysed;       /* the database has statistics */
  const char *index;   /* the CREATE INDEX of what SQLite indexes for the query
                        ** alone, or NULL */
  bool unknown;        /* something may be looked up that is not seen */
  const char *problem; /* why nothing was tried, or NULL */
  sql_trial best; /* with all filters that pay together, if there are any */
  int best_count; /* of these filters */
  double faster;  /* how many times as fast best is, or 0 */
} sql_advice;

/* Opens the mirror of the query, reads there which filters of all forms it can
** have, and what SQLite's plan of it says. Returns SQLITE_OK or an error's
** code. */
int sql_ask_mirror(sql_advice *advice, sql_details *details);

/* Tries what the query of plain can have, which is prepared. Returns SQLITE_OK
** or an error's code. In any case, sql_free_advice frees what it is. */
int sql_try_filters(sql_advice *advice);

void sql_free_advice(sql_advice *advice);

#endif
