/*
** The mirror of a schema: a connection in memory that has the same tables, all
** empty and virtual, the same views, and stand-ins for functions and
** collations. In it SQLite's planner says what it would look up, as in SQLite's
** own .expert, and each plan notes which constraints it has taken.
*/
#ifndef BLOOM_ADVISE_MIRROR_H
#define BLOOM_ADVISE_MIRROR_H

#include "../table.h"

typedef struct mirror_column {
  char *name;
  const char *affinity; /* "TEXT", "NUMERIC", "INTEGER", "REAL" or "BLOB" */
  bool binary;          /* its collation is BINARY */
  bool plain;           /* it is neither generated nor hidden */
} mirror_column;

/* A table, or a view, which has no columns here. */
typedef struct mirror_table {
  char *schema;
  char *name;
  char *view;        /* its CREATE VIEW; NULL of a table */
  char *declaration; /* the CREATE TABLE of the virtual table */
  mirror_column *columns;
  int column_count;
  bool has_rowid;
  sqlite3_vtab *vtab; /* while the mirror is open */
} mirror_table;

/* A constraint that a plan has taken: its value is an argument of xFilter. */
typedef struct taken_constraint {
  int column;      /* -1 is the rowid */
  int op;          /* SQLITE_INDEX_CONSTRAINT_... */
  bool binary;     /* compares with the collation BINARY */
  bool constant;   /* with a constant, or it is IS NULL or IS NOT NULL */
  int type;        /* of the constant, or SQLITE_NULL if there is none */
  char *condition; /* "= 'x'", for such a column to stand before, or NULL if
                   ** nobody knows what it means for the column's values */
} taken_constraint;

/* What xBestIndex answered one time. */
typedef struct mirror_plan {
  const mirror_table *table;
  int count;
  taken_constraint taken[]; /* in the order of the arguments of xFilter */
} mirror_plan;

typedef struct sql_mirror {
  sqlite3 *db;   /* the connection itself */
  sqlite3 *asks; /* the connection whose schema it mirrors */
  mirror_table **tables;
  int table_count;
  mirror_plan **plans;
  int plan_count;
  int first_plan;   /* of the statement that was prepared last */
  char *problem;    /* what cannot be mirrored, or NULL */
  bool outer_joins; /* a text or a view may have one */
  bool escapes;     /* a text or a view may have LIKE ... ESCAPE */
  bool collates;    /* a text or a view may have COLLATE */
  bool own_like;    /* the connection has a LIKE or GLOB of its own */
  bool no_memory;
  sqlite3 *failed; /* the connection of the last statement */
} sql_mirror;

/* Opens the mirror of what a query names. Returns SQLITE_OK or an error's code,
** and sets *problem, which the caller frees, to what cannot be mirrored. In any
** case, sql_close_mirror closes it. */
int sql_open_mirror(sqlite3 *db, const char *query, sql_mirror *mirror,
                    char **problem);

void sql_close_mirror(sql_mirror *mirror);

/* Prepares EXPLAIN or EXPLAIN QUERY PLAN, the prefix, of a query in the mirror.
** In both, the same plan has the same number: it is plans[first_plan + number -
** 1]. Returns SQLITE_OK or an error's code. */
int sql_explain_in_mirror(sql_mirror *mirror, const char *prefix,
                          const char *query, sqlite3_stmt **rows);

/* The text of a column, or "" if it is NULL or there is no memory for it. Then
** the statement's next step, or its end, is SQLITE_NOMEM. */
const char *sql_row_text(sqlite3_stmt *row, int column);

/* Makes room for one element more in an array that only grows so: each time its
** count is a power of two, it gets room for twice as many. Returns false if out
** of memory. */
bool sql_grow(void *array, int count, size_t size);

/* Appends a name, in quotes if it needs them. */
void sql_append_name(sqlite3_str *text, const char *name);

#endif
