/*
** What the files of this test share; main.c says what the test does. A world is
** a table whose column has kept filters, and its twin: a table of the same
** form, in a database of its own, without filters. The filters are kept in
** parts and, if the table can have them, for blocks of rows.
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

/* The same as run, prepare, integer_of and ask in lib/sql.h, for SQL with such
** words. */
void run_for(const kept_table *table, sqlite3 *db, const char *sql);
sqlite3_stmt *prepare_for(const kept_table *table, sqlite3 *db,
                          const char *sql);
sqlite3_int64 integer_for(const kept_table *table, sqlite3 *db,
                          const char *sql);
void ask_for(const kept_table *table, sqlite3 *db, const char *sql,
             answer *got);

/* ---- world.c: the world. There is one at a time. */

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
  int reader; /* the one in a transaction that has read, or NO_CONNECTION */
  int savepoints;
  uint64_t random;
} kept_world;

extern kept_world world;

/* Counts of what has been done so far, in all worlds. */
typedef struct kept_counts {
  long operations, checks, lookups, found, refused, busy, rollbacks, made;
  long grown; /* times that a check found more parts than before */
  long newer; /* changes that this SQLite does not have */
} kept_counts;

extern kept_counts counts;

/* Begins world number n with random numbers from a seed. Returns whether its
** filters could be made. */
int begin_world(int n, uint64_t seed);

void end_world(void);

/* A random number from 0 to n - 1, of the world's own sequence. */
size_t draw_below(size_t n);

/* The connection that may write, which sees all that has been written. */
sqlite3 *writable(void);

/* Runs SQL with words on the kept table and on the twin. Returns whether it
** succeeded. It is a failure of the world if it succeeds on only one of
** them. */
int both(const char *sql);

/* Makes the filters, or makes them again, inside or outside a transaction.
** Returns whether this succeeded. */
int make_filters(void);

/* Records a failure, unless this world has one already; returns 0. */
#ifdef __GNUC__
__attribute__((format(printf, 1, 2)))
#endif
int fail(const char *format, ...);

/* The first failure, or an empty string. */
const char *failure(void);

/* With TRACE=1 in the environment, prints a statement before it runs. */
void trace(const char *runner, const char *sql);
void trace_statement(const char *runner, sqlite3_stmt *statement);

/* ---- others.c: triggers of other programs on the same table. */

/* Makes this world's triggers of others. If `last`, they are made after the
** filter's triggers, and so run before these: SQLite runs the newest trigger
** first. While one of those is an AFTER trigger, the filter excludes
** nothing. */
void make_others(int last);

/* Chooses which of them are active, or none. Returns 1. */
int choose_others(void);

/* ---- changes.c: one random change of rows of the kept table and the twin. */

/* Returns whether both tables accepted it or both refused it and, if looked_up,
** whether the rows that it names are found afterwards. */
int change_rows(int looked_up);

void finalize_changes(void);

/* ---- operations.c: many changes, transactions and other operations. */

/* Ends the transaction of a connection that has read, so that it may write. */
void end_reading(int connection);

/* Records that the transaction has ended, if an error has ended it. */
void note_transaction(void);

#define OPERATIONS_OF_A_WORLD 1000

/* Carries out this many operations. Returns whether all checks hold after
** each. */
int operate(long operations);

/* Ends the transaction and makes all other triggers inactive. Returns whether
** all checks hold. */
int settle(void);

/* ---- checks.c: what must hold. */

typedef struct kept_check {
  const char *name;
  const char *sql; /* whose answer must be 0 */
  int not_for;     /* flags of tables that it is not for */
} kept_check;

/* The ways to look up a key with a kept filter. */
enum way { BY_PART, BY_JOIN, BY_SPANS, WAYS };

extern const kept_check none_lost[WAYS];

/* Whether a condition holds for the filters of a table, as a connection sees
** them. */
int holds(const kept_table *table, sqlite3 *db, const kept_check *check);
int is_none_lost(const kept_table *table, sqlite3 *db);

/* Whether the row of an id is found by its key in each way, if it has one.
** While an AFTER trigger of others is newer than the filter, one part is not
** asked, since its view does not look for such triggers. */
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

/* Whether filters that are made again exclude keys that never existed. */
int excludes(void);

/* ---- broken.c: what is broken on purpose. */

/* Whether a world in which one thing after another is broken loses no row,
** reports each problem and can be repaired. */
int breaks(void);

/* ---- faults.c: planted faults. */

size_t fault_count(void);

const char *fault_name(size_t i);

/* What the first world notices that has fault number i and is well without it,
** or NULL if none does. */
const char *notice_of_fault(size_t i, uint64_t seed);

#endif
