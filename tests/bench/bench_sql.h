/* Timing SQL through libsqlite3: two queries, alternately. */
#ifndef BLOOM_BENCH_SQL_H
#define BLOOM_BENCH_SQL_H

#include <sqlite3.h>

/* The database that everything here runs on. */
extern sqlite3 *bench_db;

/* Begins a program: the usage names its arguments, of which the first is the
** extension. Opens the database of this name, and exits if arguments lack. */
void bench_begin(int argc, char **argv, const char *usage, const char *name);

/* Opens it and loads the extension; exits with a message on failure. */
void bench_open(const char *name, const char *extension);

/* Whether the extension has this function, which an older one may not have. */
int bench_has(const char *function);

/* Exits with a message if rc is an error. */
void bench_check(int rc, const char *sql);

/* Runs statements, or those in a file, and ignores their rows. In a file, a
** number in braces is a size: see bench_size. */
void bench_run(const char *sql);
void bench_run_file(const char *path);

/* The same with the values that sqlite3_mprintf puts into the text. */
void bench_run_with(const char *format, ...);

sqlite3_stmt *bench_prepare(const char *sql);

/* The first column of the first row. */
sqlite3_int64 bench_integer(const char *sql);

/* Times queries in turn and gives the median of each, in seconds. If `same` is
** 1, it exits unless all return the same. */
#define BENCH_MAX_FORMS 5
void bench_forms(const char *name, const char *const *queries, int n, int same,
                 double *medians);

typedef struct bench_medians {
  double ours, peer;
} bench_medians;

/* The same for two queries, and reports the medians, as nanoseconds for each of
** `rows` rows. Returns them, in seconds. */
bench_medians bench_queries(const char *name, const char *ours,
                            const char *peer, int same, double rows);

#endif
