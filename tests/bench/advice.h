/*
** Twelve queries of others' shapes, TPC-DS's, the Join Order Benchmark's and
** TPC-H's, each with a filter that one might add, and the three checks of
** sql/README.md, which say beforehand whether the filter pays. The tables are
** those of advice.sql.
*/
#ifndef BLOOM_ADVICE_H
#define BLOOM_ADVICE_H

#include <sqlite3.h>

typedef struct advice_query {
  const char *name;

  /* The query, with a %s in the place of the filter. */
  const char *sql;

  /* What is probed, a column of `from`, which the query calls `first`; and the
  ** SELECT of the set, whose column is k. */
  const char *key, *from, *first, *set;

  /* The table in which the query looks the key up, and whether the key is TEXT,
  ** which SQLite's own filter does not serve before 3.54. */
  const char *looked_up;
  int is_text;

  /* The check that says stop, or ADVICE_GO. */
  int says;
} advice_query;

#define ADVICE_GO 0

#define ADVICE_QUERIES 12
extern const advice_query advice_queries[ADVICE_QUERIES];

/* The query without its filter, with the filter, and with the filter in
** likelihood; and the query that builds the filter. sqlite3_free frees them. */
char *advice_plain(const advice_query *query);
char *advice_filtered(const advice_query *query);
char *advice_likelihood(const advice_query *query);
char *advice_build(const advice_query *query);

/* The share of the rows that the filter lets through, from one row in `every`,
** chosen at random. */
double advice_share(sqlite3 *db, const advice_query *query, int every);

/* What the checks say: the number of the first one that says stop, or
** ADVICE_GO. `build` and `plain` are what the build and the plain query
** take, in seconds or in another unit. */
int advice_says(sqlite3 *db, const advice_query *query, double build,
                double plain, double share);

/* A LEFT JOIN of 600,000 rows, of which 1 % have a partner, by keys of a
** type: as it is, with a filter in its ON, and with the filter in a CASE. */
#define ADVICE_LEFT_JOINS 2
#define ADVICE_PLACES 3
typedef struct advice_left_join {
  const char *type, *forms[ADVICE_PLACES];
} advice_left_join;
extern const advice_left_join advice_left_joins[ADVICE_LEFT_JOINS];

#endif
