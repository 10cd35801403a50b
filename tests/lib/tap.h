/* The Test Anything Protocol for tests in C: one line for each test, and their
** number at the end. */
#ifndef BLOOM_TAP_H
#define BLOOM_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

static int tap_count, tap_failures;

/* Reports one test: whether it passed, and its name, formatted. One that failed
** is also named on the standard error, which prove shows. Returns passed. */
#ifdef __GNUC__
__attribute__((format(printf, 2, 3)))
#endif
static inline bool
ok(bool passed, const char *name, ...) {
  va_list arguments;
  printf("%sok %d - ", passed ? "" : "not ", ++tap_count);
  va_start(arguments, name);
  vprintf(name, arguments);
  va_end(arguments);
  printf("\n");
  fflush(stdout);
  if (passed) return true;
  tap_failures++;
  fprintf(stderr, "# not ok %d - ", tap_count);
  va_start(arguments, name);
  vfprintf(stderr, name, arguments);
  va_end(arguments);
  fprintf(stderr, "\n");
  return false;
}

/* The name of the test that has begun. */
static char tap_name[300];

/* Says which test begins, formatted. If the program ends before its result,
** tests/tools/run names it. */
#ifdef __GNUC__
__attribute__((format(printf, 1, 2)))
#endif
static inline void
testing(const char *name, ...) {
  va_list arguments;
  va_start(arguments, name);
  vsnprintf(tap_name, sizeof(tap_name), name, arguments);
  va_end(arguments);
  printf("# testing: %s\n", tap_name);
  fflush(stdout);
}

/* Reports the test that has begun. */
static inline bool tested(bool passed) {
  return ok(passed, "%s", tap_name);
}

/* Reports where the next test failed first. Returns false. */
#ifdef __GNUC__
__attribute__((format(printf, 1, 2)))
#endif
static inline bool
mismatch(const char *where, ...) {
  va_list arguments;
  printf("# ");
  va_start(arguments, where);
  vprintf(where, arguments);
  va_end(arguments);
  printf("\n");
  return false;
}

/* Reports n tests that cannot run here, and why. */
static inline void skip(int n, const char *reason) {
  while (n-- > 0) printf("ok %d # SKIP %s\n", ++tap_count, reason);
}

/* Ends the run and reports the number of tests. Returns the exit status, which
** is 0 if all passed. */
static inline int tap_done(void) {
  printf("1..%d\n", tap_count);
  return tap_failures != 0;
}

#endif
