/*
** The filters that a query can have, and the SQL of each: the SELECT of its
** set, and the query with the filter.
*/
#ifndef BLOOM_ADVISE_SET_H
#define BLOOM_ADVISE_SET_H

#include "plan.h"

/* A column that is probed, and one whose values are the set. */
typedef struct sql_pair {
  const plan_loop *probe, *set;
  int probe_column, set_column;
} sql_pair;

/* The pair of a lookup, or the one with both sides exchanged. */
sql_pair sql_pair_of(const sql_plan *plan, const plan_lookup *lookup,
                     bool exchanged);

/* Why a filter of the lookup's keys may lose rows, or NULL if it does not:
** every row that the query needs of either loop has a partner in the other. */
const char *sql_lookup_problem(const sql_plan *plan, const plan_lookup *lookup);

/* Why a common table expression cannot take the place of a pair's probed table
** in the query, or NULL if it can. */
const char *sql_place_problem(const sql_mirror *mirror, const sql_plan *plan,
                              const sql_pair *pair, const char *query);

/* The SELECT of the set, whose column is k. Sets *whole to whether it is all of
** the table. NULL if out of memory. */
char *sql_set_text(const sql_plan *plan, const sql_pair *pair, bool *whole);

/* The condition that probes: the filter of a SELECT, or of a view. */
char *sql_probe_text(const sql_pair *pair, const char *set, const char *view);

/* The query whose probed tables have conditions: those of pairs i for which
** chosen[i] is true. */
char *sql_filtered_text(const char *query, const sql_pair *pairs,
                        char *const *probes, const bool *chosen, int count);

#endif
