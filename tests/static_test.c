/* A program that has SQLite and the extension linked in, whose functions accept
** what only C can pass to them: bound values of zero length, UTF-16, and other
** extensions' pointers. */
#include <sqlite3.h>
#include <stdint.h>
#include <string.h>

#include "bloom_ext.h"
#include "lib/sql.h"
#include "lib/tap.h"

/* The random number that SQLite gives next after this statement. Then its state
** is again what it was at SQLITE_TESTCTRL_PRNG_SAVE. */
static sqlite3_uint64 random_after(sqlite3 *db, const char *sql) {
  sqlite3_uint64 random;
  run(db, sql);
  sqlite3_randomness(sizeof(random), &random);
  sqlite3_test_control(SQLITE_TESTCTRL_PRNG_RESTORE);
  return random;
}

static void random_numbers(sqlite3 *db) {
  sqlite3_uint64 loaded;
  sqlite3_randomness(sizeof(loaded), &loaded);
  sqlite3_test_control(SQLITE_TESTCTRL_PRNG_SAVE);
  const sqlite3_uint64 next = random_after(db, "");
  ok(sqlite3_bloom_init(db, NULL, NULL) == SQLITE_OK &&
         random_after(db, "SELECT bloom_build(1)") == next,
     "loading it leaves SQLite's random numbers as they are");
  ok(random_after(db, "SELECT bloom_open(x'0006')") != next,
     "a handle is drawn from them");
}

/* Values of zero length, whose address may be NULL. */
static void nothing_bound(sqlite3 *db) {
  sqlite3_stmt *hash = prepare(db, "SELECT leveldb_hash(?)");
  sqlite3_stmt *crc = prepare(db, "SELECT crc32c(7, ?)");
  sqlite3_stmt *build =
      prepare(db, "SELECT bloom_build(?) = x'080004000200118006'");
  sqlite3_stmt *probe =
      prepare(db, "SELECT bloom_may_match(?, x'080004000200118006')");
  sqlite3_stmt *add = prepare(
      db, "SELECT bloom_add(x'000000000000000006', ?) = x'080004000200118006'");
  sqlite3_stmt *filter = prepare(db, "SELECT bloom_may_match('x', ?)");
  sqlite3_stmt *open =
      prepare(db, "SELECT bloom_may_match('x', bloom_open(?))");
  sqlite3_stmt *info = prepare(db, "SELECT bytes FROM bloom_info(?)");
  sqlite3_stmt *const takes_key[] = {hash, crc, build, probe, add};
  sqlite3_stmt *const takes_filter[] = {filter, open, info};
  const char *const names[] = {"TEXT", "a BLOB", "a zeroblob"};
  for (int kind = 0; kind < 3; kind++) {
    for (int i = 0; i < 5; i++) {
      if (kind == 0) sqlite3_bind_text(takes_key[i], 1, "", 0, SQLITE_STATIC);
      if (kind == 1) sqlite3_bind_blob(takes_key[i], 1, "", 0, SQLITE_STATIC);
      if (kind == 2) sqlite3_bind_zeroblob(takes_key[i], 1, 0);
    }
    ok(first_integer(hash) == 0xbc9f1d34 && first_integer(crc) == 7 &&
           first_integer(build) == 1 && first_integer(probe) == 1 &&
           first_integer(add) == 1,
       "%s of zero length is the empty key", names[kind]);
    if (kind == 0) continue;
    for (int i = 0; i < 3; i++) {
      if (kind == 1)
        sqlite3_bind_blob(takes_filter[i], 1, "", 0, SQLITE_STATIC);
      if (kind == 2) sqlite3_bind_zeroblob(takes_filter[i], 1, 0);
    }
    ok(first_integer(filter) == 0 && first_integer(open) == 0 &&
           first_integer(info) == 0,
       "%s of zero length is a filter that matches nothing", names[kind]);
  }
  for (int i = 0; i < 5; i++) sqlite3_bind_blob(takes_key[i], 1, NULL, 0, NULL);
  for (int i = 0; i < 3; i++) {
    sqlite3_bind_blob(takes_filter[i], 1, NULL, 0, NULL);
  }
  ok(first_integer(hash) == IS_NULL && first_integer(crc) == IS_NULL &&
         first_integer(build) == 0 && first_integer(probe) == IS_NULL &&
         first_integer(add) == 0,
     "NULL is no key");
  ok(first_integer(filter) == 1 && first_integer(open) == 1 &&
         first_integer(info) == NO_ROW,
     "NULL is no filter");
  for (int i = 0; i < 5; i++) sqlite3_finalize(takes_key[i]);
  for (int i = 0; i < 3; i++) sqlite3_finalize(takes_filter[i]);
}

static void text_bound(sqlite3 *db, const char *encoding) {
  static const uint16_t hello[] = {'h', 'e', 'l', 'l', 'o'};
  static const uint16_t euro[] = {0x20ac};
  static const uint16_t emoji[] = {0xd83d, 0xde00};
  sqlite3_stmt *hash = prepare(db, "SELECT leveldb_hash(?1)");
  sqlite3_stmt *same =
      prepare(db, "SELECT leveldb_hash(?1) = leveldb_hash(CAST(?2 AS BLOB))");
  sqlite3_bind_text16(hash, 1, hello, sizeof(hello), SQLITE_STATIC);
  ok(first_integer(hash) == 0xf795964e, "%s: a key bound as UTF-16", encoding);
  sqlite3_bind_text(hash, 1, "hello\0world", 11, SQLITE_STATIC);
  ok(first_integer(hash) != 0xf795964e, "%s: a key does not end at a NUL",
     encoding);
  sqlite3_bind_text(hash, 1, "hello world", 5, SQLITE_STATIC);
  ok(first_integer(hash) == 0xf795964e, "%s: it ends at the length bound",
     encoding);
  sqlite3_bind_text16(same, 1, euro, sizeof(euro), SQLITE_STATIC);
  sqlite3_bind_blob(same, 2, "\xe2\x82\xac", 3, SQLITE_STATIC);
  ok(first_integer(same) == 1, "%s: three bytes of UTF-8", encoding);
  sqlite3_bind_text16(same, 1, emoji, sizeof(emoji), SQLITE_STATIC);
  sqlite3_bind_blob(same, 2, "\xf0\x9f\x98\x80", 4, SQLITE_STATIC);
  ok(first_integer(same) == 1, "%s: four bytes, a surrogate pair", encoding);
  sqlite3_finalize(hash);
  sqlite3_finalize(same);
}

/* Pointers of other extensions read as NULL, as SQLite defines. */
static void pointers_of_others(sqlite3 *db) {
  int theirs = 1;
  static const char *const types[] = {"carray", "", "bloom", "bloom_filters"};
  int as_null = 1;
  sqlite3_stmt *filter = prepare(db, "SELECT bloom_may_match('x', ?)");
  sqlite3_stmt *open = prepare(db, "SELECT bloom_open(?)");
  sqlite3_stmt *add = prepare(db, "SELECT bloom_add(?, 1)");
  sqlite3_stmt *info = prepare(db, "SELECT bytes FROM bloom_info(?)");
  for (int i = 0; i < 4; i++) {
    sqlite3_bind_pointer(filter, 1, &theirs, types[i], NULL);
    sqlite3_bind_pointer(open, 1, &theirs, types[i], NULL);
    sqlite3_bind_pointer(add, 1, &theirs, types[i], NULL);
    sqlite3_bind_pointer(info, 1, &theirs, types[i], NULL);
    as_null &= first_integer(filter) == 1 && first_integer(open) == IS_NULL &&
               first_integer(add) == IS_NULL && first_integer(info) == NO_ROW;
  }
  ok(as_null, "a pointer of another type is a NULL");
  sqlite3_finalize(filter);
  sqlite3_finalize(open);
  sqlite3_finalize(add);
  sqlite3_finalize(info);
}

/* The most bytes that SQLite's allocator gave out while the statement ran. */
static sqlite3_int64 memory_for(sqlite3 *db, const char *sql) {
  sqlite3_stmt *statement = prepare(db, sql);
  const sqlite3_int64 before = sqlite3_memory_used();
  sqlite3_memory_highwater(1);
  ok(first_integer(statement) == 1, "%s", sql);
  const sqlite3_int64 most = sqlite3_memory_highwater(0) - before;
  sqlite3_finalize(statement);
  return most;
}

#define OVER_200000_KEYS(expression)                                \
  "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n " \
  "WHERE i < 200000) SELECT " expression " FROM n"

/* A build takes the memory of its filter and 4 bytes a key, at most twice that
** while it grows; with a capacity, no more than that of its filter. */
static void memory_of_a_build(sqlite3 *db) {
  const sqlite3_int64 small = 4096;
  const sqlite3_int64 without =
      memory_for(db, OVER_200000_KEYS("count(i) = 200000"));
  const sqlite3_int64 growing =
      memory_for(db, OVER_200000_KEYS("length(bloom_build(i)) = 250001")) -
      without;
  ok(growing < 2 * 4 * 200000 + 250001 + small, "builds in %ld bytes",
     (long)growing);
  const sqlite3_int64 fixed =
      memory_for(db,
                 OVER_200000_KEYS("length(bloom_build(i, 10, 1000)) = 1251")) -
      without;
  ok(fixed < 1251 + small, "with a capacity, in %ld bytes", (long)fixed);
}

static void error_codes(sqlite3 *db) {
  sqlite3_stmt *statement = prepare(db, "SELECT bloom_build(1, 1000)");
  ok(sqlite3_step(statement) == SQLITE_ERROR, "a wrong argument: SQLITE_ERROR");
  sqlite3_finalize(statement);
  statement = prepare(db, "SELECT bloom_build(1, 10, 4000000000)");
  ok(sqlite3_step(statement) == SQLITE_TOOBIG,
     "a filter that is too long: SQLITE_TOOBIG");
  sqlite3_finalize(statement);
  const int limit = sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 1000);
  statement = prepare(db, "SELECT bloom_build(1, 10, 800)");
  ok(sqlite3_step(statement) == SQLITE_TOOBIG,
     "a filter that is too long for this connection: SQLITE_TOOBIG");
  sqlite3_finalize(statement);
  sqlite3_limit(db, SQLITE_LIMIT_LENGTH, limit);
}

/* An error shows at most some 200 bytes of a TEXT, whatever they are, such as
** 100,000 continuation bytes or as many quotes, which are doubled. */
static void error_sizes(sqlite3 *db) {
  static char text[100000];
  static const char starts[] = {'\xc3', '\'', 'x', '\x80'};
  static const char others[] = {'\x80', '\'', 'x', '\xf0'};
  sqlite3_stmt *statement = prepare(db, "SELECT bloom_build(1, ?)");
  for (int i = 0; i < 4; i++) {
    memset(text, others[i], sizeof(text));
    text[0] = starts[i];
    sqlite3_bind_text(statement, 1, text, sizeof(text), SQLITE_STATIC);
    sqlite3_step(statement);
    const size_t shown = strlen(strstr(sqlite3_errmsg(db), ", got TEXT '"));
    ok(shown > 40 && shown < 220, "%d bytes of %02x are shown as %d",
       (int)sizeof(text), (unsigned)(uint8_t)others[i], (int)shown);
    sqlite3_reset(statement);
  }
  sqlite3_finalize(statement);
}

static void zero(sqlite3_context *context, int argc, sqlite3_value **argv) {
  (void)argc, (void)argv;
  sqlite3_result_int(context, 0);
}

/* Whether a member is found where a program has a function of this name. In a
** database of UTF-16, SQLite prefers one that takes UTF-16, even if the
** extension is loaded after it (sql/lost_rows.md). */
static int found_beside(const char *name) {
  sqlite3 *db;
  sqlite3_open(":memory:", &db);
  run(db, "PRAGMA encoding = 'UTF-16'");
  sqlite3_create_function(db, name, 2, SQLITE_UTF16, NULL, zero, NULL, NULL);
  sqlite3_bloom_init(db, NULL, NULL);
  const int found =
      integer_of(db, "SELECT bloom_may_match('a', bloom_build('a'))") == 1;
  sqlite3_close(db);
  return found;
}

int main(void) {
  sqlite3_auto_extension((void (*)(void))sqlite3_bloom_init);
  sqlite3 *db;
  sqlite3_open(":memory:", &db);
  random_numbers(db);
  nothing_bound(db);
  text_bound(db, "UTF-8");
  pointers_of_others(db);
  memory_of_a_build(db);
  error_codes(db);
  error_sizes(db);
  ok(!found_beside("bloom_may_match"), "a program's own function loses a row");
  ok(found_beside("my_may_match"), "and none under another name");
  ok(sqlite3_close(db) == SQLITE_OK, "nothing is left open");

  static const uint16_t memory[] = {':', 'm', 'e', 'm', 'o', 'r', 'y', ':', 0};
  sqlite3_open16(memory, &db);
  text_bound(db, "UTF-16");
  nothing_bound(db);
  sqlite3_close(db);

  sqlite3_reset_auto_extension();
  sqlite3_shutdown();
  ok(sqlite3_memory_used() == 0, "nothing is left in memory");
  return tap_done();
}
