/*
** The mirror of a schema: a connection in memory that has the same tables, all
** empty and virtual, the same views, and stand-ins for functions and
** collations. In it SQLite's planner says what it would look up, as in SQLite's
** own .expert, and each plan notes which constraints it has taken.
*/
#ifndef BLOOM_ADVISE_MIRROR_H
#define BLOOM_ADVISE_MIRROR_H

#include "../statement.h"
#include "../token.h"
#include "run.h"

typedef struct mirror_column {
  const char *name;
  const char *affinity; /* "TEXT", "NUMERIC", "INTEGER", "REAL" or "BLOB" */
  bool binary;          /* its collation is BINARY */
  bool plain;           /* it is neither generated nor hidden */
  bool readable;        /* the connection may read it */
} mirror_column;

/* A table, or a view, which has no columns here. */
typedef struct mirror_table {
  struct mirror_table *next;
  const struct mirror_table *twin_of; /* it is a copy of that; or NULL */
  const char *schema;
  const char *name;
  const char *view; /* its CREATE VIEW; NULL of a table */
  mirror_column *columns;
  int column_count;
  const char *declaration;
  const char *twin; /* its twin's declaration: the type "TEXT c7" tells which
                    ** column of the table has been passed on */
  bool is_function; /* it is json_each, whose rows are made of its arguments */
  bool has_rowid;   /* under that name */
  bool computed;    /* it has generated or hidden columns */
  bool fragile;     /* SQLite itself may lose rows of it in another plan */
  bool guarded;     /* the connection may not read all columns */
} mirror_table;

/* A constraint that a plan has taken: its value is an argument of xFilter. */
typedef struct taken_constraint {
  int column;            /* -1 is the rowid */
  bool binary;           /* compares with the collation BINARY */
  bool constant;         /* with a constant, or it is IS NULL or IS NOT NULL */
  int type;              /* of the constant, or SQLITE_NULL if there is none */
  const char *condition; /* "= 'x'", for such a column to stand before, or NULL
                         ** if nobody knows what it means for its values */
} taken_constraint;

/* What xBestIndex answered one time. */
typedef struct mirror_plan {
  struct mirror_plan *next;
  int number;
  const char *name; /* which stands in what EXPLAIN says */
  const mirror_table *table;
  int count;
  taken_constraint taken[]; /* in the order of the arguments of xFilter */
} mirror_plan;

/* What it has is in the memory of the arena, and outlives it. */
typedef struct sql_mirror {
  sql_arena *arena;
  sqlite3 *db;   /* the connection itself */
  sqlite3 *asks; /* the connection whose schema it mirrors */
  const char *original;
  const char *query; /* as it is prepared here, of the same length: without
                     ** INDEXED BY, and with a JOIN for some LEFT JOINs */
  const sql_token *tokens; /* of original; some of TOKEN_END are around them */
  int token_count;
  struct sql_plan *plan; /* of the query: plan.h */
  sqlite3_int64 until;   /* by sql_now: when no further edit is tried */
  mirror_table *tables;
  mirror_plan *plans;  /* of the statement that was prepared last */
  sqlite3_stmt *quote; /* what writes a constant */
  const char *problem; /* why the query cannot be analysed, or NULL */
  bool outer_joins;    /* a text or a view may have one */
  bool full_joins;     /* which may be a RIGHT or FULL JOIN */
  bool patterns;       /* a text or a view may have LIKE or GLOB */
  bool collates;       /* a text or a view may have COLLATE */
  bool compounds;      /* a text or a view may have UNION and its like */
  const char *text;    /* the query or the view whose names are looked up, */
  const char *schema;  /* in this schema */
} sql_mirror;

/* Opens the mirror of what its query names: the arena, asks, original, plan and
** until are set, and all else is zero. Returns SQLITE_OK or an error's code. In
** any case, sql_close_mirror closes it. */
int sql_open_mirror(sql_mirror *mirror);

void sql_close_mirror(sql_mirror *mirror);

/* Opens a connection in memory that has a database of each name that the
** connection that asks has. Returns SQLITE_OK or an error's code. In any case,
** the caller closes it. */
int sql_open_memory(sql_mirror *mirror, sqlite3 **db);

/* Whether there are time and memory to try an edit. */
static inline bool sql_may_try(const sql_mirror *mirror) {
  return !mirror->arena->no_memory && sql_now() <= mirror->until;
}

/* Where a token of the query begins, and where it ends. */
static inline int sql_start_of(const sql_mirror *mirror,
                               const sql_token *token) {
  return (int)(token->start - mirror->original);
}

static inline int sql_end_of(const sql_mirror *mirror, const sql_token *token) {
  return sql_start_of(mirror, token) + (int)token->length;
}

/* Notes why the query cannot be analysed. Returns SQLITE_ERROR. */
int sql_mirror_problem(sql_mirror *mirror, const char *format, ...);

/* Calls each for the rows of EXPLAIN or EXPLAIN QUERY PLAN, the prefix, of a
** query in the mirror or in the connection that asks, until the result is not
** SQLITE_OK. Returns that result, or an error's code. In both, the same plan of
** the mirror has the same name. */
int sql_explain(sql_mirror *mirror, sqlite3 *db, const char *prefix,
                const char *query, int (*each)(void *data, sqlite3_stmt *row),
                void *data);

/* What the rows of EXPLAIN are read into: records, one behind the other. */
typedef struct sql_reading {
  sql_mirror *mirror;
  sqlite3_str *records;
} sql_reading;

/* As sql_explain, where add appends to a sql_reading. Returns the records, in
** the arena, or NULL. Sets *rc, and *size to how many bytes they are. */
void *sql_read_explained(sql_mirror *mirror, sqlite3 *db, const char *prefix,
                         const char *query,
                         int (*add)(void *reading, sqlite3_stmt *row), int *rc,
                         int *size);

/* The column of that name, or NULL. */
const mirror_column *sql_find_column(const mirror_table *table,
                                     const char *name);

/* The plan of that name, of the query that was explained last; or NULL. */
const mirror_plan *sql_find_plan(const sql_mirror *mirror, const char *name);

/* Runs SQL on the connection that asks, or in the mirror, as sql_each_row does,
** and notes an error of SQLite's as the problem. */
int sql_mirror_rows(sql_mirror *mirror, sqlite3 *db, char *sql,
                    int (*each)(void *data, sqlite3_stmt *row), void *data);

/* The table or view of a name and schema in this spelling, or NULL. */
mirror_table *sql_find_table(const sql_mirror *mirror, const char *schema,
                             const char *name);

/* The tokens of a text, before and behind which there are some of TOKEN_END.
** NULL if out of memory. */
const sql_token *sql_read_tokens(sql_arena *arena, const char *text,
                                 int *count);

/* ---- Tables: mirror_table.c. */

/* Adds a table behind the others. NULL if out of memory. */
mirror_table *sql_add_table(sql_mirror *mirror);

/* Reads a table's columns, and makes the virtual table. Returns SQLITE_OK or an
** error's code. */
int sql_make_table(sql_mirror *mirror, mirror_table *table);

/* json_each, which any query may name. Its arguments are hidden columns, from
** this one on. NULL if out of memory. */
#define SQL_JSON_ARGUMENT 8
#define SQL_JSON_DECLARATION                                         \
  "CREATE TABLE json_each(key, value TEXT, type, atom, id, parent, " \
  "fullkey, path, json TEXT HIDDEN, root TEXT HIDDEN)"
mirror_table *sql_json_table(sql_mirror *mirror);

/* Whether the connection can look up a column in an index. */
bool sql_has_index(sql_mirror *mirror, const mirror_table *table, int column);

/* A function of the mirror, which marks its argument. */
#define SQL_OPERAND "bloom_operand"

/* A table of the mirror like this one, with a name of its own. NULL if there
** can be none. */
const mirror_table *sql_mirror_twin(sql_mirror *mirror,
                                    const mirror_table *table);

/* Notes again what the query and the views may have, after the query was
** changed. */
void sql_note_words(sql_mirror *mirror);

/* A name, in quotes if it needs them. */
const char *sql_name(sql_arena *arena, const char *name);

/* A table's schema and name. */
const char *sql_table_text(sql_arena *arena, const mirror_table *table);

/* ---- What EXPLAIN QUERY PLAN says of a query: details.c. */

typedef struct sql_details {
  const char **rows; /* the column "detail" of each */
  int count;
} sql_details;

/* Reads them, in the mirror or in the connection that asks, into the memory of
** the mirror's arena. Returns SQLITE_OK or an error's code. */
int sql_read_details(sql_mirror *mirror, sqlite3 *db, const char *query,
                     sql_details *details);

/* What a row says behind "SCAN LABEL" or "SEARCH LABEL", or NULL if it does not
** begin so, or label is NULL. */
const char *sql_behind_label(const char *detail, const char *label);

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
