/*
** Queries that are tried: one is read, its rows are summed up, and several are
** timed in turn.
*/
#ifndef BLOOM_ADVISE_RUN_H
#define BLOOM_ADVISE_RUN_H

#include "../arena.h"
#include "../table.h"

/* The most times of a query that are noted. */
#define MAX_TIMES 200

/* A part of a text that was given otherwise: joins.c. */
typedef struct joined_text {
  int join; /* those of one join have the same number */
  int at, length;
  const char *given;
} joined_text;

/* A query that is tried. Zero at first, but for the first four of one that is
** an argument. */
typedef struct sql_trial {
  const char *name; /* of the argument */
  sqlite3 *db;
  sql_arena *arena;
  char *problem; /* what is wrong with it, which the caller frees; or NULL */
  const char *text;
  const char *given; /* what the text was made of, or the same */
  const struct sql_parameters *places; /* of parameters in the text, or NULL */
  const char
      *views; /* what the text has for the views that it names, or NULL */
  int views_at, views_length; /* where it stands */
  joined_text *joined; /* what stands in the place of USING and its columns */
  int joined_count;
  int joins;  /* how many joins that are */
  int length; /* of the text without the semicolon that ends it */
  sqlite3_stmt *statement;
  sqlite3_int64 rows; /* of its first run */
  uint64_t hashes;    /* their sum: the same for the same rows in any order, and
                      ** for others by chance once in 2^64 times */
  double first_ms;    /* how long the first run took, in milliseconds */
  double first_processor_ms; /* how long the process had a processor in it, or 0
                             ** if that is not known */
  bool stopped;              /* the first run was stopped before its end */
  int turns;                 /* in how many turns it was timed */
  int timed;                 /* how many times of later runs are noted */
  double times[MAX_TIMES];   /* these */
  double processor[MAX_TIMES]; /* how long the process had a processor in
                               ** each, or 0 if that is not known */
} sql_trial;

/* Copies a query's text from the value of its argument, TEXT or the bytes of a
** file. Returns SQLITE_OK or an error's code; problem is what is wrong with the
** value, or NULL if out of memory. */
int sql_read_query(sql_trial *trial, sqlite3_value *value);

/* Prepares the text, which must be one SELECT, VALUES or WITH that only reads.
** Returns the same. */
int sql_prepare_query(sql_trial *trial);

/* Prepares a text that is known to be such a query. Returns SQLITE_OK or an
** error's code. */
int sql_prepare_trial(sqlite3 *db, sql_trial *trial);

/* Whether an error's code ends the advice, too. */
static inline bool sql_ends_all(int rc) {
  return rc == SQLITE_NOMEM || rc == SQLITE_INTERRUPT;
}

/* The time in nanoseconds since some moment, and milliseconds since then. */
sqlite3_int64 sql_now(void);
double sql_ms_since(sqlite3_int64 start);

/* A number made of the types and key bytes of a row's columns, from the first
** one on, of which REALs may be left out. If there is no memory for them, the
** statement's next step, or its end, is SQLITE_NOMEM. */
uint64_t sql_hash_row(sqlite3_stmt *row, int first, bool reals, uint64_t seed);

/* A time that never comes. */
#define SQL_NEVER INT64_MAX

/* The time in so many milliseconds from now, as sql_now counts. */
sqlite3_int64 sql_in_ms(double ms);

/* bloom_until(time, value) is the value, or from that time on, as sql_now
** counts, an error. It stops a query in whose loops it stands, for the value is
** another one in each row. It is registered as deterministic, as otherwise
** SQLite would not ask it while it makes an index for the query. */
#define SQL_UNTIL "bloom_until"
void sql_until(sqlite3_context *context, int argc, sqlite3_value **argv);

/* Runs it once, sums up its rows, and notes how long it took. The seed is the
** same for all trials whose rows are compared. It is stopped at the first row
** after that time, or by bloom_until. Returns SQLITE_OK or an error's code. */
int sql_first_run(sql_trial *trial, sqlite3_int64 until, uint64_t seed);

/* Runs trials in turn, none of which was stopped, and notes MAX_TIMES times of
** each at most: at least two, and until so many milliseconds have passed, but
** none that would end after the time until if it took as long as the first one,
** whose time is noted instead. No trial has times before. Returns SQLITE_OK or
** an error's code. */
int sql_run_in_turn(sql_trial *const *trials, int count, double ms_in_all,
                    sqlite3_int64 until);

/* The median of the times, which it sorts, or a negative number if there is
** none. */
double sql_median(sql_trial *trial);

/* How many times as fast as plain this is, by the medians, or 0 if that is not
** known. */
double sql_times_as_fast(sql_trial *plain, sql_trial *trial);

/* The same, but the least of what the medians, the shortest times, and the time
** on a processor say, as a busy machine may have slowed one of the two. */
double sql_surely_as_fast(sql_trial *plain, sql_trial *trial);

/* Whether a gain in so many turns is more than chance. */
static inline bool sql_is_sure(double faster, int turns) {
  return turns >= 5 || faster >= 1.5;
}

/* The shortest time on a processor, or if that is not known, the shortest time;
** or that of the first run. */
double sql_shortest(sql_trial *trial);

/* ---- Views: views.c. */

/* Where items of a WITH can stand in a query: behind its own WITH, or before
** its first word. */
int sql_front_of(const char *text, bool *has_with);

/* Writes the views that a prepared query names into its text, as items of a
** WITH, if SQLite then makes the same program of it, and prepares it again.
** Returns SQLITE_OK or an error's code. */
int sql_write_views(sql_trial *trial);

/* Finds out whether SQLite makes the same program of another text. If that
** cannot be prepared, it does not. Returns SQLITE_OK or an error's code. */
int sql_is_same_program(const sql_trial *trial, const char *text, bool *same);

/* ---- Joins by USING: joins.c. */

/* Makes ON of each USING of a prepared query if SQLite then makes the same
** program of it, and prepares it again. Returns SQLITE_OK or an error's code.
*/
int sql_write_joins(sql_trial *trial);

/* ---- Rows that differ: difference.c. */

typedef struct sql_difference {
  sqlite3_int64 missing; /* rows of plain that are not in filtered */
  sqlite3_int64 added;
  sqlite3_int64 rounded;   /* pairs that differ in a REAL's last digits alone */
  const char *missing_row; /* one of them, or NULL */
  const char *added_row;
} sql_difference;

/* Whether two trials that ran once have the same rows, to the last bit. */
static inline bool sql_same_rows(const sql_trial *a, const sql_trial *b) {
  return a->rows == b->rows && a->hashes == b->hashes;
}

/* Compares the rows of two trials that ran once, and if they are not the same,
** finds out in one more run of each what is different. Returns SQLITE_OK or an
** error's code. */
int sql_compare_rows(sql_arena *arena, const sql_trial *plain,
                     const sql_trial *filtered, sql_difference *difference,
                     bool *same);

#endif
