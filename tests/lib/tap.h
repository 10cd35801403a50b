/* The Test Anything Protocol for tests in C: a test a line, the count last. */
#ifndef BLOOM_TAP_H
#define BLOOM_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

static int tap_count, tap_failures;

/* One test: passed or not, and its name, formatted. Returns passed. */
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
  if (!passed) tap_failures++;
  return passed;
}

/* Says where the test that comes next failed first; returns false. */
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

/* n tests that cannot run here, and why. */
static inline void skip(int n, const char *reason) {
  while (n-- > 0) printf("ok %d # SKIP %s\n", ++tap_count, reason);
}

/* Ends the run: the number of tests; the exit status is 0 where all passed. */
static inline int tap_done(void) {
  printf("1..%d\n", tap_count);
  return tap_failures != 0;
}

#endif
