/*
** What EXPLAIN QUERY PLAN says of a query.
*/
#ifndef BLOOM_ADVISE_DETAILS_H
#define BLOOM_ADVISE_DETAILS_H

#include "mirror.h"

typedef struct sql_details {
  const char **rows; /* the column "detail" of each */
  int count;
} sql_details;

/* Reads them, in the mirror or in the connection that asks, into the memory of
** the mirror's arena. Returns SQLITE_OK or an error's code. */
int sql_read_details(sql_mirror *mirror, sqlite3 *db, const char *query,
                     sql_details *details);

/* The first row about a table that the query calls so, unless that is NULL, in
** which this text stands, or -1; *count is how many there are. */
int sql_find_detail(const sql_details *details, const char *label,
                    const char *text, int *count);

/* Makes each LEFT JOIN of the mirror's query a JOIN of which SQLite says that
** it is one: because the WHERE has no row without a partner, for example. It
** finds out less of the mirror's tables, which are virtual. details are those
** of the query itself. */
void sql_find_inner_joins(sql_mirror *mirror, const sql_details *details);

#endif
