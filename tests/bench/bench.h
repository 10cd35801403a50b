/*
** Measuring two ways to do one thing, alternately in one process: each round
** times ours and then the peer's, and medians over the rounds are compared.
*/
#ifndef BLOOM_BENCH_H
#define BLOOM_BENCH_H

#include <stddef.h>
#include <stdint.h>

/* Does a piece of work `repeats` times; returns something that depends on all
** results, and is the same for ours and the peer's. */
typedef uint64_t bench_work(void *input, long repeats);

/*
** Times ours against peer and prints one line: name, ours and peer in
** nanoseconds a unit (one repeat is `units` of them), and the ratio peer / ours
** beside its goal (0: none). Checks first that both give the same result, and
** exits where they do not. With BENCH_JSON=file in the environment the same is
** appended there, an object a line.
*/
void bench_compare(const char *name, double goal, bench_work *ours,
                   bench_work *peer, void *input, double units);

/* Prints a section's heading. */
void bench_section(const char *name, const char *ours, const char *peer);

/* The line that bench_compare prints, from times taken elsewhere, in seconds
** for `units` units. */
void bench_report(const char *name, double goal, double ours, double peer,
                  double units);

/* The same from two values of any unit, which the section's heading names. */
void bench_ratio(const char *name, double goal, double ours, double peer);

/* Monotonic seconds. */
double bench_now(void);

/* The median of n times, which it sorts. */
double bench_median(double *times, int n);

#define BENCH_MAX_ROUNDS 99

/* What takes longer than this is measured in three rounds. */
#define BENCH_LONG_SECONDS 0.5

/* Rounds of a comparison: BENCH_ROUNDS in the environment, or 7. */
int bench_rounds(void);

#endif
