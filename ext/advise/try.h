/*
** Advice for a query: the filters that it can have, of which those are tried
** that may save something; which are right, which pay, and which pay together;
** and what may save more than a filter.
*/
#ifndef BLOOM_ADVISE_TRY_H
#define BLOOM_ADVISE_TRY_H

#include "compare.h"
#include "set.h"

/* What may make the query faster beside a filter. */
typedef struct sql_remedy {
  const char *sql;   /* ANALYZE or CREATE INDEXes, or NULL if there is none */
  int count;         /* how many indexes */
  const char *cause; /* "this database was never analysed" */
  double faster;     /* how many times as fast the query is with it in a copy of
                     ** its tables in memory, or 0 if it was not measured */
} sql_remedy;

typedef struct sql_advice {
  sql_arena arena;
  sqlite3 *db;
  sqlite3_int64 start;
  double seconds;
  uint64_t seed; /* of what sums up rows */
  sql_trial plain;
  double clocked_ms;   /* what it took with clocks, or until it was stopped */
  sql_details details; /* of SQLite's plan of the query */
  sql_plan plan;       /* of the query in the mirror */
  sql_filters found;
  int to_try;                 /* how many filters have no problem */
  int left_out;               /* filters for which there was no time */
  const mirror_table *tables; /* that the query and its views name */
  sql_remedy index, analyze;
  bool unknown;        /* something may be looked up that is not seen */
  bool unfinished;     /* there was no time to find all filters */
  const char *problem; /* why nothing was tried, or NULL */
  sql_trial best; /* with all filters that pay together, if there are any */
  double faster;  /* how many times as fast best is, or 0 */
  bool unsure;    /* that may be chance */
} sql_advice;

/* Tries what the query of plain can have, which is prepared. Returns SQLITE_OK
** or an error's code. In any case, sql_free_advice frees what it is. */
int sql_try_filters(sql_advice *advice);

void sql_free_advice(sql_advice *advice);

/* Leaves out the chosen filters whose first runs took longest, until two turns
** of the others and the query end in a third of the time that is left. */
void sql_leave_slowest(sql_advice *advice);

/* The milliseconds that are left. */
static inline double sql_ms_left(const sql_advice *advice) {
  return advice->seconds * 1e3 - sql_ms_since(advice->start);
}

/* ---- What may make the query faster: candidates.c. */

/* Opens the mirror of the query, reads there which filters of all forms it can
** have, and what SQLite's plan of it says. Returns SQLITE_OK or an error's
** code. */
int sql_ask_mirror(sql_advice *advice);

/* Leaves of the filters those that may save something, and finds out whether
** the planner has statistics. Returns SQLITE_OK or an error's code. */
int sql_choose_filters(sql_advice *advice);

/* Finds the CREATE INDEXes of all that SQLite indexes for the query alone, or
** else one of a column for whose values it reads all of a table. What was tried
** tells how many rows of a table are needed. Returns SQLITE_OK or an error's
** code. */
int sql_find_index(sql_advice *advice);

/* ---- What is no filter, tried in a copy: copy.c. */

/* Measures what the index and ANALYZE do, if there is time to copy all rows of
** the query's tables, and SQLite makes the same plan there. Returns SQLITE_OK,
** or an error's code that ends the advice. */
int sql_measure_remedies(sql_advice *advice);

/* Runs SQL, which is freed, and reads the numbers of its first row, if it has
** one. An error leaves them as they are, unless it ends all. */
int sql_ask_numbers(sql_advice *advice, char *sql, double *numbers, int count);

#endif
