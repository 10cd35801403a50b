/*
** Measuring two ways to do one thing, alternately in one process: each round
** times ours and then the peer's, and medians over the rounds are compared.
**
** Every measurement is a row of a section, which is a table of README.md. It is
** printed and, if BENCH_JSON=file is in the environment, appended there, an
** object a line: section, group (usually empty), name, columns, values, and
** the ratio if the columns are ours and a peer's.
*/
#ifndef BLOOM_BENCH_H
#define BLOOM_BENCH_H

#include <stddef.h>
#include <stdint.h>

/* Begins a section whose rows have two values: ours and the peer's. The title
** names the unit. */
void bench_section(const char *title, const char *ours, const char *peer);

/* Begins a section whose rows have a value for each of these columns. */
#define BENCH_MAX_COLUMNS 8
void bench_columns(const char *title, int n, const char *const *columns);

/* Begins a group: the rows that follow were measured with what it names, such
** as a version of SQLite. */
void bench_group(const char *name);

/* A row of values. */
void bench_row(const char *name, const double *values);

/* The same from ours and the peer's, and their ratio, peer / ours. */
void bench_ratio(const char *name, double ours, double peer);

/* The same from seconds for `units` units: nanoseconds a unit. */
void bench_report(const char *name, double ours, double peer, double units);

/* Does a piece of work `repeats` times; returns something that depends on all
** results, and is the same for ours and the peer's. */
typedef uint64_t bench_work(void *input, long repeats);

/* Times ours against peer and reports them; one repeat is `units` units.
** Checks first that both give the same result, and exits if they do not. */
void bench_compare(const char *name, bench_work *ours, void *our_input,
                   bench_work *peer, void *peer_input, double units);

/* Does something else and returns the seconds that it took. */
typedef double bench_timer(const void *input);

/* Times ours against peer and reports them; each does `units` units. */
void bench_times(const char *name, bench_timer *timer, const void *ours,
                 const void *peer, double units);

/* Monotonic seconds. */
double bench_now(void);

/* The median of n times, which it sorts. */
double bench_median(double *times, int n);

#define BENCH_MAX_ROUNDS 99

/* Work that takes longer than this is measured in three rounds. */
#define BENCH_LONG_SECONDS 0.5

/* A number of at least 1 in the environment. */
long bench_setting(const char *name, long otherwise);

/* Rounds of a comparison: BENCH_ROUNDS in the environment, or 7. */
int bench_rounds(void);

/* The number of rows of a table: n, divided by BENCH_SMALLER if that is in the
** environment, to see in little time that a program runs. */
long bench_size(long n);

/* Called when a program begins and after each round. If `turns` has started the
** same program with another build of the extension, it waits until that program
** has done as much; otherwise it returns at once. */
void bench_turn(void);

#endif
