/* Shapes of queries for which the pages of sql/ name a form that takes less
** work: each as it is usually written, and in that form, which must return the
** same. The work is counted, not timed: the steps of SQLite's machine, some of
** which probe a filter; the comparisons of keys, of which a search in an index
** or a list makes some; and the pages that are not in the cache. */
#include <sqlite3.h>
#include <string.h>

#include "lib/sql.h"
#include "lib/tap.h"

static sqlite3_int64 comparisons;

/* The collation of the keys, which is BINARY. */
static int compare(void *unused, int n, const void *a, int m, const void *b) {
  (void)unused;
  comparisons++;
  const int order = memcmp(a, b, (size_t)(n < m ? n : m));
  return order != 0 ? order : n - m;
}

/* `member` and `other` have 20,000 keys each, and `row` another 20,000 rows. Of
** these, 2 % have a key of `member` as a, and 2 % one of `other`. The sets
** `bare` and `pair` have no index, and `far` is larger than its cache. */
#define NUMBER                                           \
  "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i " \
  "+ 1 FROM n WHERE i < 20000) INSERT INTO "
#define KEY(name) "printf('%08x " name " %d', leveldb_hash(i), i)"
#define TEXT "TEXT COLLATE counted"
static const char tables[] =
    "CREATE TABLE member(k " TEXT " PRIMARY KEY, i INTEGER);"
    "CREATE TABLE other(k " TEXT " PRIMARY KEY); CREATE TABLE bare(k " TEXT ");"
    "CREATE TABLE row(i INTEGER PRIMARY KEY, a " TEXT ", b " TEXT ");"
    "CREATE TABLE number(i INTEGER PRIMARY KEY);"
    "CREATE TABLE pair(a " TEXT ", b " TEXT ");"
    "CREATE TABLE log(i INTEGER PRIMARY KEY, a TEXT, b INTEGER,"
    "  pair TEXT AS (quote(a) || ',' || quote(b)));"
    "ATTACH '' AS far; PRAGMA far.cache_size = 50;"
    "CREATE TABLE far.member(k " TEXT " PRIMARY KEY);" NUMBER
    "member SELECT " KEY("m") ", i FROM n;" NUMBER "other SELECT " KEY("o")
    " FROM n;" NUMBER "row SELECT i, CASE i % 50 WHEN 0 THEN " KEY("m")
    " WHEN 1 THEN " KEY("o") " ELSE " KEY("r") " END, " KEY("b") " FROM n;"
    "INSERT INTO number SELECT i FROM row WHERE i % 2 = 0;"
    "INSERT INTO bare SELECT k FROM member UNION ALL SELECT NULL;"
    "INSERT INTO pair SELECT a, b FROM row WHERE i % 50 = 7 AND i < 1000;"
    "INSERT INTO far.member SELECT k FROM main.member ORDER BY k;"
    "INSERT INTO log(i, a, b) SELECT i, 'a' || (i / 20), i % 9 FROM row;"
    "SELECT bloom_create_blocks('log', 'pair', 12, 512); ANALYZE";

#define COUNT_ROWS "SELECT count(*), sum(row.i) FROM row "
#define MAY_MATCH(key, k, set)                                                \
  "bloom_may_match(" key ", (SELECT bloom_open(bloom_build(" k ")) FROM " set \
  "))"
#define MEMBER(key) MAY_MATCH(key, "k", "member")
#define ALL "(SELECT k FROM member UNION ALL SELECT k FROM other)"
#define ABSENT(set) "a IN (SELECT k FROM " set ") IS NOT TRUE"

static const struct {
  const char *name, *usual, *form;

  /* The form takes at most this share of the work. */
  double most;
} shapes[] = {
    {"an anti-join", COUNT_ROWS "WHERE a NOT IN (SELECT k FROM member)",
     COUNT_ROWS "WHERE NOT " MEMBER("a") " OR " ABSENT("member"), 0.7},
    {"an anti-join without an index",
     COUNT_ROWS "WHERE a NOT IN (SELECT k FROM bare WHERE k NOT NULL)",
     COUNT_ROWS "WHERE NOT " MAY_MATCH("a", "k", "bare") " OR " ABSENT("bare"),
     0.9},
    {"the same, against NOT EXISTS for what passes",
     COUNT_ROWS "WHERE NOT " MAY_MATCH(
         "a", "k", "bare") " OR NOT EXISTS (SELECT 1 FROM bare WHERE k = a)",
     COUNT_ROWS "WHERE NOT " MAY_MATCH("a", "k", "bare") " OR " ABSENT("bare"),
     0.1},
    {"an anti-join of two columns",
     COUNT_ROWS "WHERE (a, b) NOT IN (SELECT a, b FROM pair)",
     COUNT_ROWS "WHERE CASE WHEN (a, b) IN (SELECT a, b FROM pair) THEN 0"
                " ELSE 1 END",
     0.3},
    {"several anti-joins",
     COUNT_ROWS "WHERE NOT EXISTS (SELECT 1 FROM member WHERE k = a)"
                " AND NOT EXISTS (SELECT 1 FROM other WHERE k = a)",
     COUNT_ROWS "WHERE NOT " MAY_MATCH(
         "a", "k", ALL) " OR " ABSENT("member") " AND " ABSENT("other"),
     0.7},
    {"OR of two columns", COUNT_ROWS "JOIN member ON a = k OR b = k",
     COUNT_ROWS
     "JOIN member ON a = k OR b = k WHERE " MEMBER("a") " OR " MEMBER("b"),
     0.5},
    {"a DELETE", "DELETE FROM row WHERE a IN (SELECT k FROM member)",
     "DELETE FROM row WHERE " MEMBER("a") " AND a IN (SELECT k FROM member)",
     0.8},
    {"a large INSERT", "INSERT OR IGNORE INTO far.member SELECT b FROM row",
     "INSERT OR IGNORE INTO far.member SELECT b FROM row ORDER BY b", 0.9},
    {"a table of an attached database", COUNT_ROWS "JOIN far.member ON k = a",
     COUNT_ROWS
     "JOIN far.member ON k = a WHERE " MAY_MATCH("a", "k", "far.member"),
     0.7},
    {"blocks over two columns",
     "SELECT count(*) FROM log WHERE a = 'a500' AND b = 7",
     "SELECT count(*) FROM log_pair_spans AS s CROSS JOIN log AS l NOT INDEXED"
     " ON l.i BETWEEN s.first AND s.last WHERE bloom_may_match("
     "quote('a500') || ',' || quote(7), s.f) AND l.a = 'a500' AND l.b = 7",
     0.5},
    {"a LEFT JOIN over INTEGER keys in order, against a CASE",
     COUNT_ROWS "LEFT JOIN number ON number.i = CASE WHEN " MAY_MATCH(
         "row.i", "i", "number") " THEN row.i END",
     COUNT_ROWS "LEFT JOIN number ON number.i = row.i", 0.95},
};

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
  run(db, tables);
  for (size_t i = 0; i < COUNT(shapes); i++) {
    char usual[100], form[100];
    const double share = 1 / work_of(db, shapes[i].usual, usual) *
                         work_of(db, shapes[i].form, form);
    ok(strcmp(usual, form) == 0 && share <= shapes[i].most,
       "%s: %.2f of the work; %s, and %s", shapes[i].name, share, usual, form);
  }
  sqlite3_close(db);
  return tap_done();
}
