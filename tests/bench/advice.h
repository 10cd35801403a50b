/*
** Twelve queries of others' shapes, TPC-DS's, the Join Order Benchmark's and
** TPC-H's, each with a filter that one might add, and what bloom_advise should
** say of it. The tables are those of advice.sql.
*/
#ifndef BLOOM_ADVICE_H
#define BLOOM_ADVICE_H

typedef struct advice_query {
  const char *name;

  /* The query, with a %s in the place of the filter. */
  const char *sql;

  /* What is probed, a column of a table, which the query calls `alias`; and the
  ** SELECT of the set, whose column is k. */
  const char *key, *table, *alias, *set;

  /* Whether the query gains by the filter. */
  int gains;

  /* Whether bloom_advise can give a filter of this column. It cannot where the
  ** query reads the table twice, and only finds a join or IN (SELECT). */
  int is_given;
} advice_query;

#define ADVICE_QUERIES 12
extern advice_query advice_queries[ADVICE_QUERIES];

/* The query without its filter, with the filter, and with the filter in
** likelihood; and the query that builds the filter. sqlite3_free frees them. */
char *advice_plain(const advice_query *query);
char *advice_filtered(const advice_query *query);
char *advice_likelihood(const advice_query *query);
char *advice_build(const advice_query *query);

/* A LEFT JOIN of 600,000 rows, of which 1 % have a partner, by keys of a
** type: as it is, with a filter in its ON, and with the filter in a CASE. */
#define ADVICE_LEFT_JOINS 2
#define ADVICE_PLACES 3
typedef struct advice_left_join {
  const char *type, *forms[ADVICE_PLACES];
} advice_left_join;
extern advice_left_join advice_left_joins[ADVICE_LEFT_JOINS];

/* Reads both from data/advised.txt. */
void advice_read(void);

#endif
