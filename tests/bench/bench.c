#define _POSIX_C_SOURCE 200112L
#include "bench.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ROUND_SECONDS 0.02

static FILE *json;
static char section[100], group[40], columns[BENCH_MAX_COLUMNS][40];
static int column_count, has_ratio;
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

long bench_setting(const char *name, long otherwise) {
  const char *text = getenv(name);
  const long number = text != NULL && *text != 0 ? atol(text) : otherwise;
  return number < 1 ? 1 : number;
}

int bench_rounds(void) {
  const long rounds = bench_setting("BENCH_ROUNDS", 7);
  return rounds > BENCH_MAX_ROUNDS ? BENCH_MAX_ROUNDS : (int)rounds;
}

long bench_size(long n) {
  const long size = n / bench_setting("BENCH_SMALLER", 1);
  return size < 1 ? 1 : size;
}

/* BENCH_TURNS has two pipes: a byte read from the first gives this program its
** turn, and a byte written to the second passes the turn on. When the other
** program has ended, reading and writing fail at once. */
void bench_turn(void) {
  static int begun;
  int mine, other;
  char turn = 1;
  const char *pipes = getenv("BENCH_TURNS");
  if (pipes == NULL || sscanf(pipes, "%d %d", &mine, &other) != 2) return;
  if (!begun) signal(SIGPIPE, SIG_IGN);
  if (begun && write(other, &turn, 1) != 1) return;
  begun = 1;
  if (read(mine, &turn, 1) != 1) return;
}

void bench_columns(const char *title, int n, const char *const *names) {
  snprintf(section, sizeof(section), "%s", title);
  column_count = n;
  has_ratio = 0;
  printf("\n%-46s", title);
  for (int i = 0; i < n; i++) {
    snprintf(columns[i], sizeof(columns[i]), "%s", names[i]);
    printf(" %13s", names[i]);
  }
  printf("\n");
}

void bench_section(const char *title, const char *ours, const char *peer) {
  const char *const names[] = {ours, peer};
  bench_columns(title, 2, names);
  has_ratio = 1;
}

void bench_group(const char *name) {
  snprintf(group, sizeof(group), "%s", name);
}

static void write_json(const char *name, const double *values) {
  const char *path = getenv("BENCH_JSON");
  if (path == NULL) return;
  if (json == NULL) json = fopen(path, "a");
  if (json == NULL) {
    perror(path);
    exit(1);
  }
  fprintf(json, "{\"section\": \"%s\", \"group\": \"%s\", \"name\": \"%s\"",
          section, group, name);
  for (int i = 0; i < column_count; i++) {
    fprintf(json, "%s\"%s\"", i == 0 ? ", \"columns\": [" : ", ", columns[i]);
  }
  for (int i = 0; i < column_count; i++) {
    fprintf(json, "%s%.5g", i == 0 ? "], \"values\": [" : ", ", values[i]);
  }
  if (has_ratio) fprintf(json, "], \"ratio\": %.4g}\n", values[1] / values[0]);
  if (!has_ratio) fprintf(json, "]}\n");
  fflush(json);
}

void bench_row(const char *name, const double *values) {
  printf("  %-44s", name);
  for (int i = 0; i < column_count; i++) printf(" %13.2f", values[i]);
  if (has_ratio) printf(" %8.2f", values[1] / values[0]);
  printf("\n");
  fflush(stdout);
  write_json(name, values);
}

void bench_ratio(const char *name, double ours, double peer) {
  const double values[] = {ours, peer};
  bench_row(name, values);
}

void bench_report(const char *name, double ours, double peer, double units) {
  bench_ratio(name, ours / units * 1e9, peer / units * 1e9);
}

void bench_times(const char *name, bench_timer *timer, const void *ours,
                 const void *peer, double units) {
  double our_times[BENCH_MAX_ROUNDS], peer_times[BENCH_MAX_ROUNDS];
  int rounds = bench_rounds();
  for (int i = 0; i < rounds; i++) {
    our_times[i] = timer(ours);
    peer_times[i] = timer(peer);
    bench_turn();
    if (peer_times[i] > BENCH_LONG_SECONDS && rounds > 3) rounds = 3;
  }
  bench_report(name, bench_median(our_times, rounds),
               bench_median(peer_times, rounds), units);
}

typedef struct repeated_work {
  bench_work *work;
  void *input;
  long repeats;
} repeated_work;

static double timed(const void *input) {
  const repeated_work *repeated = input;
  const double start = bench_now();
  sink += repeated->work(repeated->input, repeated->repeats);
  return bench_now() - start;
}

void bench_compare(const char *name, bench_work *ours, void *our_input,
                   bench_work *peer, void *peer_input, double units) {
  repeated_work our_work = {ours, our_input, 1};
  repeated_work peer_work = {peer, peer_input, 1};
  if (ours(our_input, 1) != peer(peer_input, 1)) {
    fprintf(stderr, "%s: the results differ\n", name);
    exit(1);
  }
  while (timed(&our_work) < ROUND_SECONDS) our_work.repeats *= 2;
  peer_work.repeats = our_work.repeats;
  bench_times(name, timed, &our_work, &peer_work,
              units * (double)our_work.repeats);
}
