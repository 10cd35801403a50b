/*
** What a query looks up: read from SQLite's plan of it in a mirror.
*/
#ifndef BLOOM_ADVISE_PLAN_H
#define BLOOM_ADVISE_PLAN_H

#include "mirror.h"

/* A condition that all rows of a loop's table meet which the query needs. */
typedef struct plan_condition {
  int column;       /* or -1 if the text has all */
  const char *text; /* what stands behind the column, or with \1 for an alias */
} plan_condition;

/* The loop over a table of the mirror. */
typedef struct plan_loop {
  const mirror_table *table;
  const mirror_plan *plan;
  int parent; /* the same for all loops of one FROM; -1 if not known */
  int cursor;
  int arguments;      /* the register of the first argument of xFilter */
  int filters;        /* how often it begins: unless once, nothing is known */
  int sought;         /* a column that is compared by = with what is not known,
                      ** or whose values are the list of an IN; or -1 */
  bool null_extended; /* an outer join may make all its columns NULL */
  bool left_join;     /* EXPLAIN QUERY PLAN says LEFT-JOIN */
  const char *label;  /* by which that names it; NULL if not known */
  const char *alias;  /* by which the query names it; NULL if not known */
  plan_condition *conditions;
  int condition_count;
  const struct sql_place *place; /* where the query names it, or NULL */
  const char *place_problem;     /* why there is none, or it is of no use */
  bool has_clock;                /* its ON has one: clock.c */
} plan_loop;

/* A column of a loop that the plan looks up by a column of another one. */
typedef struct plan_lookup {
  const plan_loop *loop, *key_loop;
  int column, key_column;
  bool list;   /* the keys are an IN (SELECT ...) */
  bool marked; /* the key is the operand of SQL_OPERAND */
  bool in;     /* a marked key of IN or NOT IN is looked up in their list, which
               ** has a column of loop */
  bool binary; /* compared with the collation BINARY */
  bool inner;  /* loop is in a subquery whose column is looked up: inner.c */
} plan_lookup;

/* Whether two lookups are of the same columns. */
static inline bool sql_is_same_lookup(const plan_lookup *a,
                                      const plan_lookup *b) {
  return a->loop == b->loop && a->column == b->column &&
         a->key_loop == b->key_loop && a->key_column == b->key_column;
}

typedef struct sql_plan {
  plan_loop *loops;
  int loop_count;
  plan_lookup *lookups;
  int lookup_count;
  int unknown; /* how many more columns are compared with what is not known */
  int marks;   /* how many instructions are SQL_OPERAND */
  const plan_loop *marked_loop; /* whose column the only one marks, or NULL */
  int marked_column;
  const char *lists; /* the collations of its temporary tables */
} sql_plan;

/* Reads the plan of a query in the mirror, into the memory of its arena.
** Returns SQLITE_OK or an error's code. */
int sql_read_plan(sql_mirror *mirror, const char *query, sql_plan *plan);

#endif
