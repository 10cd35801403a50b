/* Shapes of queries for which the pages of sql/ name a form that takes less
** work: each as it is usually written, and in that form, which must return the
** same. The work is counted, not timed: the steps of SQLite's machine, some of
** which probe a filter; the comparisons of keys, of which a search in an index
** or a list makes some; and the pages that are not in the cache. */
#include <sqlite3.h>
#include <string.h>

#include "lib/grammar.h"
#include "lib/tap.h"

static sqlite3_int64 comparisons;

/* The collation of the keys, which is BINARY. */
static int compare(void *unused, int n, const void *a, int m, const void *b) {
  (void)unused;
  comparisons++;
  const int order = memcmp(a, b, (size_t)(n < m ? n : m));
  return order != 0 ? order : n - m;
}

static const char *own_word(const char *word, const char *a, const char *b) {
  (void)word, (void)a, (void)b;
  return NULL;
}

static int pages_read(sqlite3 *db) {
  int misses, highest;
  sqlite3_db_status(db, SQLITE_DBSTATUS_CACHE_MISS, &misses, &highest, 0);
  return misses;
}

/* What a statement takes, which is undone afterwards. Sets what it returned or
** changed. */
static double work_of(sqlite3 *db, const char *sql, char *result) {
  run(db, "SAVEPOINT before");
  sqlite3_stmt *statement = prepare(db, sql);
  const int pages = pages_read(db);
  comparisons = 0;
  const int code = sqlite3_step(statement);
  snprintf(result, 99, "%d %d %s %s", code,
           code == SQLITE_DONE ? sqlite3_changes(db) : 0,
           (const char *)sqlite3_column_text(statement, 0),
           (const char *)sqlite3_column_text(statement, 1));
  const int steps =
      sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 0);
  printf("# %d steps, %lld comparisons, %d pages\n", steps, comparisons,
         pages_read(db) - pages);
  const double work =
      steps + (double)comparisons + 50.0 * (pages_read(db) - pages);
  sqlite3_finalize(statement);
  run(db, "ROLLBACK TO before; RELEASE before");
  return work;
}

int main(void) {
  sqlite3 *db = open_database();
  sqlite3_create_collation(db, "counted", SQLITE_UTF8, NULL, compare);
  read_forms("tests/data/shapes.txt", NULL);
  run(db, one_of("tables", "", ""));
  for (size_t i = 0; i < form_count; i++) {
    char usual[100], form[100];
    const char *field[4];
    if (strcmp(forms[i].name, "shape") != 0) continue;
    read_fields(expand(forms[i].sql, "", ""), field, COUNT(field));
    const double share =
        1 / work_of(db, field[2], usual) * work_of(db, field[3], form);
    ok(strcmp(usual, form) == 0 && share <= atof(field[1]),
       "%s: %.2f of the work; %s, and %s", field[0], share, usual, form);
  }
  sqlite3_close(db);
  return tap_done();
}
