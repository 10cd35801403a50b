/*
** What the measurements of a run have in common, as the first line of its file:
** the processor and how many there are, the versions, the compiler, the date,
** and BENCH_SMALLER of bench.h.
**
** usage: head EXTENSION
*/
#define _POSIX_C_SOURCE 200112L
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "lib/sql.h"

#ifdef __clang__
#define COMPILER "clang"
#else
#define COMPILER "gcc"
#endif

/* The processor's name, as Linux tells it. */
static const char *processor(void) {
  static char line[200];
  FILE *file = fopen("/proc/cpuinfo", "r");
  while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
    char *name = strchr(line, ':');
    if (strncmp(line, "model name", 10) != 0 || name == NULL) continue;
    fclose(file);
    name[strcspn(name, "\n\"\\")] = '\0';
    return name + 2;
  }
  if (file != NULL) fclose(file);
  return "unknown processor";
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s EXTENSION\n", argv[0]);
    return 2;
  }
  sqlite3 *db = open_with(":memory:", argv[1]);
  sqlite3_stmt *versions =
      prepare(db, "SELECT bloom_version(), sqlite_version(), date()");
  if (sqlite3_step(versions) != SQLITE_ROW) return 1;
  printf("{\"processor\": \"%s\", \"processors\": %ld, ", processor(),
         sysconf(_SC_NPROCESSORS_ONLN));
  printf("\"bloom\": \"%s\", \"sqlite\": \"%s\", \"date\": \"%s\", ",
         (const char *)sqlite3_column_text(versions, 0),
         (const char *)sqlite3_column_text(versions, 1),
         (const char *)sqlite3_column_text(versions, 2));
  printf("\"compiler\": \"%s\", \"smaller\": %ld}\n", COMPILER " " __VERSION__,
         bench_setting("BENCH_SMALLER", 1));
  sqlite3_finalize(versions);
  sqlite3_close(db);
  return 0;
}
