/* A C program that has the extension in it:
**
**   gcc -DSQLITE_CORE -Idist program.c dist/bloom.c -lsqlite3 -lm
**
** static_test.c and handle_test.c have what C can bind, and what errors say.
*/
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "bloom.h"

static int count, failed;

static void ok(int passed, const char *name) {
  printf("%sok %d - %s\n", passed ? "" : "not ", ++count, name);
  if (!passed) failed = 1;
}

static const uint8_t expected[] = {0x11, 0x40, 0x00, 0x41, 0x44,
                                   0x10, 0x40, 0x10, 0x06};

static sqlite3_stmt *prepare(sqlite3 *db, const char *sql) {
  sqlite3_stmt *statement = NULL;
  if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK) {
    printf("Bail out! %s\n", sqlite3_errmsg(db));
  }
  return statement;
}

/* The first column of the first row, or -1 if there is no row. */
static int answer(sqlite3_stmt *statement) {
  const int value = sqlite3_step(statement) == SQLITE_ROW
                        ? sqlite3_column_int(statement, 0)
                        : -1;
  sqlite3_reset(statement);
  return value;
}

int main(void) {
  sqlite3 *db;
  /* Every connection opened from here on has the functions. */
  sqlite3_auto_extension((void (*)(void))sqlite3_bloom_init);
  ok(sqlite3_open(":memory:", &db) == SQLITE_OK, "a connection opens");

  ok(sqlite3_exec(db,
                  "CREATE TABLE key(k);"
                  "INSERT INTO key VALUES ('hello'), ('world');"
                  "CREATE TABLE filter AS SELECT bloom_build(k, 10) AS f "
                  "FROM key",
                  NULL, NULL, NULL) == SQLITE_OK,
     "a filter is built and stored");

  sqlite3_stmt *stored = prepare(db, "SELECT f FROM filter");
  sqlite3_step(stored);
  const void *f = sqlite3_column_blob(stored, 0);
  const int size = sqlite3_column_bytes(stored, 0);
  ok(size == sizeof(expected) && memcmp(f, expected, sizeof(expected)) == 0,
     "a filter is LevelDB's bytes");
  ok(bloom_key_may_match("hello", 5, f, (size_t)size) == 1 &&
         bloom_key_may_match("foo", 3, f, (size_t)size) == 0,
     "a filter probed by the C core");
  sqlite3_finalize(stored);

  sqlite3_stmt *opened = prepare(
      db,
      "SELECT count(*) FROM (SELECT 'hello' AS k UNION SELECT 'x' "
      "UNION SELECT 'world') WHERE bloom_may_match(k, (SELECT bloom_open(f) "
      "FROM filter))");
  ok(answer(opened) == 2, "a stored filter through bloom_open");
  sqlite3_finalize(opened);

  ok(sqlite3_exec(db,
                  "CREATE TABLE page(id INTEGER PRIMARY KEY, url TEXT);"
                  "SELECT bloom_create_parts('page', 'url');"
                  "INSERT INTO page(url) VALUES ('/'), ('/a');",
                  NULL, NULL, NULL) == SQLITE_OK,
     "one call keeps a filter");
  sqlite3_stmt *known = prepare(
      db,
      "SELECT bloom_may_match('/', filter) AND NOT bloom_may_match('/x', "
      "filter) FROM page_url_filter");
  ok(answer(known) == 1, "a key that was inserted since is in it");
  sqlite3_finalize(known);

  sqlite3_stmt *call = prepare(db, "SELECT bloom_create_parts('page', 'url')");
  sqlite3_stmt *rows = prepare(db, "SELECT url FROM page");
  ok(sqlite3_stmt_readonly(call) && sqlite3_step(rows) == SQLITE_ROW &&
         sqlite3_step(call) == SQLITE_BUSY &&
         sqlite3_reset(call) == SQLITE_BUSY,
     "a statement that was not read to its end: SQLITE_BUSY");
  sqlite3_reset(rows);
  ok(sqlite3_step(call) == SQLITE_ROW && sqlite3_step(call) == SQLITE_DONE,
     "once it is reset, the call passes");
  sqlite3_finalize(rows);
  sqlite3_finalize(call);

  ok(sqlite3_close(db) == SQLITE_OK, "the connection closes");
  printf("1..%d\n", count);
  return failed;
}
