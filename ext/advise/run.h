/*
** Queries that are tried: one is read, its rows are summed up, and several are
** timed in turn.
*/
#ifndef BLOOM_ADVISE_RUN_H
#define BLOOM_ADVISE_RUN_H

#include "../table.h"

/* ---- A query. */

/* The most times of a query that are noted. */
#define MAX_TIMES 200

/* What all rows of a query sum up to, in any order. Since the hashes have a
** random seed, rows that differ by chance have the same sum once in 2^64
** times. */
typedef struct sql_row_sum {
  sqlite3_int64 rows;
  uint64_t hashes; /* their sum */
} sql_row_sum;

/* A query that is tried. Zero at first. */
typedef struct sql_trial {
  char *text; /* both are freed by sql_end_trial */
  sqlite3_stmt *statement;
  uint64_t seed;           /* the same for those whose rows are compared */
  sql_row_sum sum;         /* of its first run */
  bool stopped;            /* the first run was stopped before its end */
  double first_ms;         /* how long the first run took, in milliseconds */
  int timed;               /* how many times of later runs are noted */
  double times[MAX_TIMES]; /* these */
} sql_trial;

/* Copies a query's text from the value of an argument, TEXT or the bytes of a
** file. Returns SQLITE_OK or an error's code; *problem, which the caller frees,
** is what is wrong with the value, or NULL if out of memory. */
int sql_read_query(const char *argument, sqlite3_value *value, sql_trial *trial,
                   char **problem);

/* Prepares the text, which must be one SELECT, VALUES or WITH that only reads,
** and has no parameters. Returns the same. */
int sql_prepare_query(sqlite3 *db, const char *argument, sql_trial *trial,
                      char **problem);

void sql_end_trial(sql_trial *trial);

/* ---- Running it. */

/* The time in nanoseconds since some moment, and milliseconds since then. */
sqlite3_int64 sql_now(void);
double sql_ms_since(sqlite3_int64 start);

/* A number made of the types and bytes of a row's columns. If there is no
** memory for them, the statement's next step, or its end, is SQLITE_NOMEM. */
uint64_t sql_hash_row(sqlite3_stmt *row, uint64_t seed);

/* Runs it once, sums up its rows, and notes how long it took. Unless plain is
** NULL, it is stopped at the first row after a second, or twice the time of
** plain if that is longer. Returns SQLITE_OK or an error's code. */
int sql_first_run(sql_trial *trial, const sql_trial *plain);

/* Runs trials in turn, none of which was stopped, and notes MAX_TIMES times of
** each at most: at least two, and until so many milliseconds have passed. No
** trial has times before. Returns SQLITE_OK or an error's code. */
int sql_run_in_turn(sql_trial *const *trials, int count, double ms_in_all);

/* Whether both have the same sum of rows. */
bool sql_same_sum(const sql_trial *a, const sql_trial *b);

/* The median of the times, or a negative number if there is none. */
double sql_median(sql_trial *trial);

/* How many times as fast as plain this is, or 0 if that is not known. */
double sql_times_as_fast(sql_trial *plain, sql_trial *trial);

/* ---- Rows that differ: difference.c. */

typedef struct sql_difference {
  sqlite3_int64 missing; /* rows of plain that are not in filtered */
  sqlite3_int64 added;
  sqlite3_int64 rounded; /* pairs that differ in a REAL's last digits alone */
  char *missing_row;     /* one of them, or NULL; the caller frees both */
  char *added_row;
} sql_difference;

/* Runs both once more. Returns SQLITE_OK or an error's code. */
int sql_find_difference(sql_trial *plain, sql_trial *filtered,
                        sql_difference *difference);

#endif
