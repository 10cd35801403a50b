/*
** What the files of this test share; main.c says what the test does. A world is
** a table whose column has kept filters, and its twin: a table of the same
** form, in a database of its own, that nobody keeps a filter of. The filters
** are kept in parts and, if the table can have them, for blocks of rows.
*/
#ifndef BLOOM_KEPT_H
#define BLOOM_KEPT_H

#include <stdint.h>

#include "lib/sql.h"

/* ---- tables.c: the forms of tables, of which each world has the next one. */

enum table_flag {
  NO_BLOCKS = 1 << 0,       /* it has no INTEGER PRIMARY KEY */
  ID_IS_ROWID = 1 << 1,     /* its ids have no other name than rowid */
  NO_ROWID = 1 << 2,        /* rowid does not name its ids */
  UNIQUE_KEY = 1 << 3,      /* {c} may be the target of an upsert */
  KEY_OF_ID = 1 << 4,       /* {c} is generated from {id} */
  KEY_PARENT = 1 << 5,      /* {c} refers to the table parent */
  ID_PARENT = 1 << 6,       /* {id} refers to the table place */
  SECOND_COLUMN = 1 << 7,   /* filters of the column n are kept as well */
  TWO_CONNECTIONS = 1 << 8, /* it is in a file, in WAL mode */
};

typedef struct kept_table {
  const char *title; /* what is special about it */
  const char *name, *id, *column;
  const char *written; /* the column that is written, if column is generated */
  const char *create;
  int flags;
  int since; /* the first version of SQLite that has such tables, or 0 */
} kept_table;

/* The number of tables. */
int table_count(void);

/* The table of world number n. */
const kept_table *table_of(int n);

/* Whether this SQLite has such tables. */
int sqlite_has(const kept_table *table);

/* ---- words.c: SQL with words in braces, as the SQL of the extension has them,
** which stand for what belongs to one table.
**
**   {t} {c} {id}  the table, the kept column and the table's ids, quoted
**   {'t} {'c}     the table and the column as strings
**   {_NAME}       the object TABLE_COLUMN_NAME, quoted
**   {written}     the column that is written: {c} or, if {c} is generated, its
**                 input
**   {rows}        the number of rows of a block
**   {or}          a conflict clause, such as OR IGNORE, or nothing
**
** For the column url of the table page, `SELECT {c} FROM {t}, {_parts}` is
** `SELECT "url" FROM "page", "page_url_parts"`. */

#define ROWS_OF_A_BLOCK 16

/* SQL without such words, for sqlite3_free. A word that is not in the list ends
** the program. */
char *expanded(const kept_table *table, const char *sql, const char *or_clause);

/* As run, prepare, integer_of and ask in lib/sql.h, after the words were
** replaced. */
void run_for(const kept_table *table, sqlite3 *db, const char *sql);
sqlite3_stmt *prepare_for(const kept_table *table, sqlite3 *db,
                          const char *sql);
sqlite3_int64 integer_for(const kept_table *table, sqlite3 *db,
                          const char *sql);
void ask_for(const kept_table *table, sqlite3 *db, const char *sql,
             answer *got);

/* ---- world.c: the one world that there is at a time. */

#define MAX_CONNECTIONS 2
#define NO_CONNECTION (-1)

enum id_range { POSITIVE_IDS, IDS_AROUND_ZERO, EXTREME_IDS, ID_RANGES };

typedef struct kept_world {
  int number;
  const kept_table *table;
  kept_table second; /* the same table with n as the kept column */
  enum id_range ids;
  sqlite3 *kept[MAX_CONNECTIONS], *twin;
  int connections;
  int writer; /* the connection that is in a transaction, or NO_CONNECTION */
  int reader; /* the one that holds what it once saw, or NO_CONNECTION */
  int savepoints;
  uint64_t random;
} kept_world;

extern kept_world world;

/* What was done so far, in all worlds. */
typedef struct kept_counts {
  long operations, checks, lookups, found, refused, busy, rollbacks, made;
  long grown; /* times that a check found more parts than before */
  long newer; /* changes that this SQLite does not have */
} kept_counts;

extern kept_counts counts;

/* Begins world number n with random numbers from a seed. Returns whether its
** filters are made. */
int begin_world(int n, uint64_t seed);

void end_world(void);

/* A random number from 0 to n - 1, of the world's own sequence. */
size_t draw_below(size_t n);

/* The connection that may write, which sees what was written last. */
sqlite3 *writable(void);

/* Runs SQL with words on the kept table and on the twin. Returns whether it
** succeeded; it is a failure if it did so on one of them only. */
int both(const char *sql);

/* Makes the filters, or makes them anew, in whatever transaction there is.
** Returns whether this succeeded. */
int make_filters(void);

/* Keeps the first thing that is wrong in this world; returns 0. */
#ifdef __GNUC__
__attribute__((format(printf, 1, 2)))
#endif
int fail(const char *format, ...);

/* The first thing that is wrong, or an empty string. */
const char *failure(void);

/* With TRACE=1 in the environment, prints a statement before it runs. */
void trace(const char *runner, const char *sql);
void trace_statement(const char *runner, sqlite3_stmt *statement);

/* ---- others.c: triggers of other people on the same table. */

/* Makes those of this world: if last, after the extension's own, which they
** then come before since SQLite fires what was made last first. */
void make_others(int last);

/* Lets others of them do their work, or none. */
void choose_others(void);

/* ---- changes.c: one random change of rows of the kept table and the twin. */

/* Returns whether both took it or refused it alike and, if looked_up, whether
** the rows that it names are found afterwards. */
int change_rows(int looked_up);

void finalize_changes(void);

/* ---- operations.c: many changes, and what goes on around them. */

/* Ends what a connection once saw, so that it may write. */
void end_reading(int connection);

/* Notes that the transaction is over, where something may have ended it. */
void note_transaction(void);

#define OPERATIONS_OF_A_WORLD 1000

/* So many operations. Returns whether all is well after each. */
int operate(long operations);

/* Ends the transaction and the work of all other triggers. Returns whether all
** is well. */
int settle(void);

/* ---- checks.c: what must hold. */

typedef struct kept_check {
  const char *name;
  const char *sql; /* whose answer must be 0 */
  int not_for;     /* flags of tables that it is not for */
} kept_check;

/* The ways to ask a kept filter for a key. */
enum way { BY_PART, BY_JOIN, BY_SPANS, WAYS };

extern const kept_check none_lost[WAYS];

/* Whether something holds for the filters of a table, as a connection sees
** them. */
int holds(const kept_table *table, sqlite3 *db, const kept_check *check);
int is_none_lost(const kept_table *table, sqlite3 *db);

/* Whether the row of an id is found by its key in each way, if it has one. */
int is_found(int connection, sqlite3_int64 id);

void prepare_lookups(void);
void finalize_lookups(void);

/* Whether no row is lost, the check views say nothing and the twin has the same
** rows, on every connection. */
int all_is_well(void);

/* Whether the check view of the parts is silent: a failure if it is. */
int is_told(void);

/* Whether a row past the others closes every block before its own. */
int closes(void);

/* Whether filters that are made anew exclude keys that were never there. */
int excludes(void);

/* ---- broken.c: what is broken on purpose. */

/* Whether a world in which one thing after another is broken loses nothing,
** names each and is repaired. */
int breaks(void);

/* ---- attacks.c: rows in flight while others insert. */

/* Whether no attack loses a row; counts the attacks, and those in which the
** parts have grown. */
int withstands(long *attacks, long *grown);

/* ---- faults.c: planted faults. */

size_t fault_count(void);

const char *fault_name(size_t i);

/* What the first world notices that has fault number i and is well without it,
** or NULL if none does. */
const char *notice_of_fault(size_t i, uint64_t seed);

#endif
