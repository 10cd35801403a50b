/*
** Random operations on tables that have a filter in parts and filters of
** blocks. The parts have room for a few keys, so that they grow all the time.
** The operations are every kind of statement with every conflict clause,
** savepoints, cascades, recursive triggers on and off, two connections in WAL
** mode, triggers of other programs that end early, rows that move, and filters
** that are made again. Each operation is also applied to a twin, a table of the
** same form without filters.
**
** After each change, the rows that it names must be found by their keys:
** through one part, through a join and through the spans. Every few operations,
** all rows must be found, each row must be in exactly one span, the check views
** must have no row, and the twin must have the same rows. At the end, a row
** past the others must close the blocks before it, and the filters must still
** exclude keys that never existed.
**
** Then filters are broken on purpose (a trigger dropped, a part deleted, a
** table rebuilt as migrations do). No row may be lost, a check view must report
** it, and making the filters again must repair it. Finally, faults are planted
** in the SQL that keeps the filters, one by one, and each must be noticed by
** the checks above.
**
** usage: kept [OPERATIONS [SEED [WORLD]]]    (WORLD: only this world)
** With TRACE=1 in the environment, every statement is printed before it runs.
*/
#include "kept.h"
#include "lib/tap.h"
#include "plant.h"

static int random_world(int n, uint64_t seed) {
  const int well = begin_world(n, seed) && operate(OPERATIONS_OF_A_WORLD) &&
                   settle() && excludes();
  end_world();
  return well;
}

static void random_worlds(long operations, uint64_t seed, int first) {
  const int worlds =
      (int)((operations + OPERATIONS_OF_A_WORLD - 1) / OPERATIONS_OF_A_WORLD);
  int well = 1, n = first, skipped = 0;
  for (; well && n < first + worlds; n++) {
    if (!sqlite_has(table_of(n))) {
      skipped++;
      continue;
    }
    well = random_world(n, seed);
    if (!well) {
      mismatch("world %d, seed %llu, %s, ids %d: %s", n,
               (unsigned long long)(seed >> 32), table_of(n)->title,
               (int)world.ids, failure());
    }
  }
  ok(well, "%ld operations on %d tables: no row is lost", counts.operations,
     n - first - skipped);
  printf("# %ld checks of a whole table, %ld lookups of %ld rows\n",
         counts.checks, counts.lookups, counts.found);
  printf("# parts have grown %ld times\n", counts.grown);
  printf("# %ld refused, %ld locked out, %ld rolled back, %ld times made\n",
         counts.refused, counts.busy, counts.rollbacks, counts.made);
  printf("# skipped, since SQLite %s has none: %d tables, %ld operations\n",
         sqlite3_libversion(), skipped, counts.newer);
}

static void broken_worlds(uint64_t seed) {
  for (int n = 0; n < table_count(); n++) {
    if (!sqlite_has(table_of(n))) {
      skip(1, "a table that this SQLite does not have");
      continue;
    }
    const int well = begin_world(n, seed) && breaks() && settle() && excludes();
    end_world();
    if (!well) mismatch("%s", failure());
    ok(well, "broken and repaired: %s", table_of(n)->title);
  }
}

static void planted_faults(uint64_t seed) {
  for (size_t i = 0; i < fault_count(); i++) {
    const char *notice = notice_of_fault(i, seed);
    ok(notice != NULL, "noticed: %s: %s", fault_name(i),
       notice == NULL ? failure() : notice);
  }
}

int main(int argc, char **argv) {
  const long operations = argc > 1 ? atol(argv[1]) : 50000;
  const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
  printf("# SQLite %s, seed %llu\n", sqlite3_libversion(),
         (unsigned long long)seed);
  /* The worlds of two seeds have no numbers in common. */
  if (!plant(NULL)) return 1;
  random_worlds(operations, seed << 32, argc > 3 ? atoi(argv[3]) : 0);
  broken_worlds(seed << 32);
  /* Only with the SQLite whose headers this was compiled with: once is
  ** enough. */
  if (strcmp(sqlite3_libversion(), SQLITE_VERSION) == 0) {
    planted_faults(seed << 32);
  }
  remove_planted();
  return tap_done();
}
