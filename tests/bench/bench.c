#define _POSIX_C_SOURCE 199309L
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ROUND_SECONDS 0.02

static FILE *json;
static char section[100];
static volatile uint64_t sink;

double bench_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double bench_median(double *times, int n) {
  qsort(times, (size_t)n, sizeof(*times), ascending);
  return n % 2 == 1 ? times[n / 2] : (times[n / 2 - 1] + times[n / 2]) / 2;
}

int bench_rounds(void) {
  const char *text = getenv("BENCH_ROUNDS");
  const int rounds = text != NULL ? atoi(text) : 7;
  return rounds < 1 ? 1 : rounds > BENCH_MAX_ROUNDS ? BENCH_MAX_ROUNDS : rounds;
}

void bench_section(const char *name, const char *ours, const char *peer) {
  snprintf(section, sizeof(section), "%s", name);
  printf("\n%-46s %12s %12s %7s %6s\n", name, ours, peer, "ratio", "goal");
}

void bench_report(const char *name, double goal, double ours, double peer,
                  double units) {
  bench_ratio(name, goal, ours / units * 1e9, peer / units * 1e9);
}

void bench_ratio(const char *name, double goal, double ours, double peer) {
  printf("  %-44s %12.2f %12.2f %7.2f", name, ours, peer, peer / ours);
  if (goal > 0) printf(" %6.2f%s", goal, peer / ours < goal ? "  missed" : "");
  printf("\n");
  fflush(stdout);

  const char *path = getenv("BENCH_JSON");
  if (path == NULL) return;
  if (json == NULL) {
    json = fopen(path, "a");
    if (json == NULL) {
      perror(path);
      exit(1);
    }
  }
  fprintf(json,
          "{\"section\": \"%s\", \"name\": \"%s\", \"ours\": %.3f, "
          "\"peer\": %.3f, \"ratio\": %.4f, \"goal\": %.2f}\n",
          section, name, ours, peer, peer / ours, goal);
}

static double timed(bench_work *work, void *input, long repeats) {
  const double start = bench_now();
  sink += work(input, repeats);
  return bench_now() - start;
}

void bench_compare(const char *name, double goal, bench_work *ours,
                   bench_work *peer, void *input, double units) {
  double our_times[BENCH_MAX_ROUNDS], peer_times[BENCH_MAX_ROUNDS];
  int rounds = bench_rounds();
  if (ours(input, 1) != peer(input, 1)) {
    fprintf(stderr, "%s: the results differ\n", name);
    exit(1);
  }
  long repeats = 1;
  while (timed(ours, input, repeats) < ROUND_SECONDS) repeats *= 2;
  for (int i = 0; i < rounds; i++) {
    our_times[i] = timed(ours, input, repeats);
    peer_times[i] = timed(peer, input, repeats);
    if (peer_times[i] > BENCH_LONG_SECONDS && rounds > 3) rounds = 3;
  }
  bench_report(name, goal, bench_median(our_times, rounds),
               bench_median(peer_times, rounds), units * (double)repeats);
}
