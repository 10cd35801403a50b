/* The work of opening filters and of ending their handles is proportional to
** their number. It does not depend on how many other filters and statements are
** open. The work of counting distinct keys does not depend on the keys. SQLite
** and the extension are linked in. */
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "bloom_ext.h"
#include "lib/sql.h"
#include "lib/tap.h"
#include "lib/work.h"

/* Returns the work of a query over the numbers i from 0 on, as many as `rows`,
** and of ending it. Its result must be `expected`. */
static sqlite3_int64 work_of(sqlite3 *db, const char *expression, int rows,
                             sqlite3_int64 expected) {
  char sql[300];
  snprintf(sql, sizeof(sql),
           "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n "
           "LIMIT ?1) SELECT %s FROM n",
           expression);
  sqlite3_stmt *statement = prepare(db, sql);
  sqlite3_bind_int(statement, 1, rows);
  work = 0;
  ok(first_integer(statement) == expected, "%s: %lld for %d", expression,
     (long long)expected, rows);
  sqlite3_finalize(statement);
  return work;
}

/* If opening a filter looked at all others, twice as many filters would take
** four times as much work. */
static void many_filters(sqlite3 *db, const char *filter, int filters) {
  char handles[200];
  snprintf(handles, sizeof(handles), "count(DISTINCT bloom_open(%s))", filter);
  const sqlite3_int64 half = work_of(db, handles, filters / 2, filters / 2);
  const sqlite3_int64 whole = work_of(db, handles, filters, filters);
  ok(half > filters && whole < half / 10 * 23,
     "%s: %lld blocks for half of them, %lld for all", filter, half, whole);
}

#define STATEMENTS 10000

/* The work of STATEMENTS rows of one statement, each of which opens a filter,
** and the work of ending the other statements, which have one open each. */
typedef struct work_beside {
  sqlite3_int64 rows;
  sqlite3_int64 ends;
} work_beside;

static work_beside work_beside_statements(sqlite3 *db, int others) {
  static sqlite3_stmt *open[STATEMENTS];
  sqlite3_stmt *statement =
      prepare(db,
              "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
              "SELECT bloom_open(CAST(i % 2 AS BLOB)) FROM n");
  bool right = sqlite3_step(statement) == SQLITE_ROW;
  for (int i = 0; i < others; i++) {
    open[i] = prepare(db, "SELECT bloom_open(x'0006') UNION ALL SELECT 1");
    right &= sqlite3_step(open[i]) == SQLITE_ROW;
  }
  work_beside took;
  work = 0;
  for (int i = 0; i < STATEMENTS; i++) {
    right &= sqlite3_step(statement) == SQLITE_ROW;
  }
  took.rows = work;
  work = 0;
  for (int i = 0; i < others; i++) sqlite3_reset(open[i]);
  took.ends = work;
  for (int i = 0; i < others; i++) sqlite3_finalize(open[i]);
  sqlite3_finalize(statement);
  ok(right, "rows open a filter beside %d statements", others);
  return took;
}

/* The bounds leave room for chains of the maps that differ in length. */
static void many_statements(sqlite3 *db) {
  const work_beside alone = work_beside_statements(db, 0);
  const work_beside half = work_beside_statements(db, STATEMENTS / 2);
  const work_beside whole = work_beside_statements(db, STATEMENTS);
  ok(alone.rows > STATEMENTS && whole.rows < alone.rows / 10 * 13,
     "%lld blocks for rows alone, %lld beside %d statements", alone.rows,
     whole.rows, STATEMENTS);
  ok(half.ends > STATEMENTS / 2 && whole.ends < half.ends / 10 * 23,
     "%lld blocks to end half of them, %lld to end all", half.ends, whole.ends);
}

/* key_of_hash(h) is the key of 4 bytes whose hash in a filter is h: each step
** of LevelDB's hash can be undone, the multiplication by 0xc6a4a793 by one with
** its inverse modulo 2^32. */
static void key_of_hash_function(sqlite3_context *context, int argc,
                                 sqlite3_value **argv) {
  (void)argc;
  uint32_t word = (uint32_t)sqlite3_value_int64(argv[0]);
  word = (word ^ word >> 16) * 0xd8198e9bu;
  word -= 0xbc9f1d34u ^ 4 * 0xc6a4a793u;
  uint8_t key[4];
  for (int i = 0; i < 4; i++) key[i] = (uint8_t)(word >> 8 * i);
  sqlite3_result_blob(context, key, sizeof(key), SQLITE_TRANSIENT);
}

/* Those who choose the keys choose their hashes, which would fall into one
** place of a hash table: each key would look at all others. */
static void chosen_hashes(sqlite3 *db, int keys) {
#define LENGTH(hash) "length(bloom_build_distinct(key_of_hash(" hash "), 8))"
  static const char *const lengths[] = {LENGTH("i"), LENGTH("0xffffffff - i"),
                                        LENGTH("i << 16"),
                                        LENGTH("i << 16 | i")};
  const sqlite3_int64 half =
      work_of(db, LENGTH("i * 2654435769"), keys / 2, keys / 2 + 1);
  for (size_t i = 0; i < COUNT(lengths); i++) {
    const sqlite3_int64 whole = work_of(db, lengths[i], keys, keys + 1);
    ok(half > keys && whole < half / 10 * 23,
       "%s: %lld blocks, %lld for half as many hashes that are spread",
       lengths[i], whole, half);
  }
}

int main(void) {
  sqlite3_auto_extension((void (*)(void))sqlite3_bloom_init);
  sqlite3 *db;
  sqlite3_open(":memory:", &db);
  many_filters(db, "CAST(i AS BLOB)", 40000);
  /* All have one crc: the bytes f176ec0501 are the polynomial of CRC-32C. */
  many_filters(db,
               "CAST(zeroblob(5 * i) || x'f176ec0501' || "
               "zeroblob(10000 - 5 * i) || x'01' AS BLOB)",
               2000);
  many_statements(db);
  add_function(db, "key_of_hash", 1, key_of_hash_function);
  chosen_hashes(db, 40000);
  sqlite3_close(db);
  return tap_done();
}
