/* A program that has SQLite and the extension linked in, whose functions accept
** what only C can pass to them: bound values of zero length, UTF-16, other
** extensions' pointers, and another clock. */
#include <sqlite3.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

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

/* What statements give for a parameter of zero length, and for NULL. */
static const struct bound {
  const char *sql;
  bool is_key; /* or a filter */
  sqlite3_int64 empty, null;
} bounds[] = {
    {"SELECT leveldb_hash(?)", true, 0xbc9f1d34, IS_NULL},
    {"SELECT crc32c(7, ?)", true, 7, IS_NULL},
    {"SELECT bloom_build(?) = x'080004000200118006'", true, 1, 0},
    {"SELECT bloom_may_match(?, x'080004000200118006')", true, 1, IS_NULL},
    {"SELECT bloom_add(x'000000000000000006', ?) = x'080004000200118006'", true,
     1, 0},
    {"SELECT bloom_may_match('x', ?)", false, 0, 1},
    {"SELECT bloom_may_match('x', bloom_open(?))", false, 0, 1},
    {"SELECT bloom_open(?) IS NULL", false, 0, 1},
    {"SELECT bloom_add(?, 1) IS NULL", false, NO_ROW, 1},
    {"SELECT bytes FROM bloom_info(?)", false, 0, NO_ROW},
};

/* The address of a value of zero length may be NULL. Pointers of other
** extensions read as NULL, as SQLite defines. */
static void is_bound(sqlite3 *db, const struct bound *bound) {
  static const char *const types[] = {"carray", "", "bloom", "bloom_filters"};
  int theirs = 1, as_null = 1;
  sqlite3_stmt *statement = prepare(db, bound->sql);
  if (bound->is_key) {
    sqlite3_bind_text(statement, 1, "", 0, SQLITE_STATIC);
    ok(first_integer(statement) == bound->empty, "TEXT of zero length: %s",
       bound->sql);
  }
  sqlite3_bind_blob(statement, 1, "", 0, SQLITE_STATIC);
  ok(first_integer(statement) == bound->empty, "a BLOB of zero length: %s",
     bound->sql);
  sqlite3_bind_zeroblob(statement, 1, 0);
  ok(first_integer(statement) == bound->empty, "a zeroblob of zero length: %s",
     bound->sql);
  sqlite3_bind_blob(statement, 1, NULL, 0, NULL);
  ok(first_integer(statement) == bound->null, "NULL: %s", bound->sql);
  for (int i = 0; i < 4; i++) {
    sqlite3_bind_pointer(statement, 1, &theirs, types[i], NULL);
    as_null &= first_integer(statement) == bound->null;
  }
  ok(as_null, "a pointer of another type is a NULL: %s", bound->sql);
  sqlite3_finalize(statement);
}

static void nothing_bound(sqlite3 *db) {
  for (size_t i = 0; i < COUNT(bounds); i++) {
    is_bound(db, &bounds[i]);
  }
}

/* The hash of a TEXT, bound as UTF-8 or as UTF-16, is that of its bytes in
** UTF-8. */
static void text_bound(sqlite3 *db, const char *encoding) {
  static const struct {
    const char *what;
    const void *text;
    sqlite3_uint64 size;
    unsigned char encoding;
    const char *bytes;
  } texts[] = {
      {"bound as UTF-16", u"hello", 10, SQLITE_UTF16, "68656c6c6f"},
      {"which does not end at a NUL", "hello\0world", 11, SQLITE_UTF8,
       "68656c6c6f00776f726c64"},
      {"which ends at the length bound", "hello world", 5, SQLITE_UTF8,
       "68656c6c6f"},
      {"three bytes of UTF-8", u"\u20ac", 2, SQLITE_UTF16, "e282ac"},
      {"four bytes, a surrogate pair", u"\U0001f600", 4, SQLITE_UTF16,
       "f09f9880"},
  };
  for (size_t i = 0; i < COUNT(texts); i++) {
    char sql[100];
    snprintf(sql, sizeof(sql), "SELECT leveldb_hash(?) = leveldb_hash(x'%s')",
             texts[i].bytes);
    sqlite3_stmt *same = prepare(db, sql);
    sqlite3_bind_text64(same, 1, texts[i].text, texts[i].size, SQLITE_STATIC,
                        texts[i].encoding);
    ok(first_integer(same) == 1, "%s: a key %s", encoding, texts[i].what);
    sqlite3_finalize(same);
  }
}

/* The codes of errors, which the sessions of SQL do not see. */
static void error_codes(sqlite3 *db) {
  answer got;
  ask(db, "SELECT bloom_build(1, 1000)", &got);
  ok(got.code == SQLITE_ERROR, "a wrong argument");
  ask(db, "SELECT bloom_build(1, 10, 4000000000)", &got);
  ok(got.code == SQLITE_TOOBIG, "a filter that is too long");
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

/* ---- A clock in place of the C library's, for bloom_compare. */

static int64_t now_ns;

/* Clocks that show multiples of tick_ns, and how many times as fast work of
** 1 ms seems as work of 3 ms. A reading takes reading_ns, and work of 1 us
** takes work_ns. */
static const struct ticking {
  const char *clock;
  int64_t tick_ns, reading_ns, work_ns;
  double least, most;
} clocks[] = {
    {"a fine clock", 1, 1000, 1000, 2.99, 3.01},
    {"one that ticks 64 times a second", 15625000, 1000, 1000, 2.7, 3.3},
    {"one that stands still", INT64_MAX, 1000, 1000, 0, 0},
    {"one that is set back by each run", 1, 1000, -1000, 0, 0},
};
static const struct ticking *ticking = clocks;

int timespec_get(struct timespec *now, int base) {
  now_ns += ticking->reading_ns;
  const int64_t shown = now_ns / ticking->tick_ns * ticking->tick_ns;
  now->tv_sec = (time_t)(shown / 1000000000);
  now->tv_nsec = (long)(shown % 1000000000);
  return base;
}

/* work(n) takes so many microseconds. */
static void work(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)count;
  now_ns += sqlite3_value_int64(values[0]) * ticking->work_ns;
  sqlite3_result_int(context, 1);
}

static void times_work(sqlite3 *db, const struct ticking *clock) {
  static const char compare[] =
      "SELECT faster, verdict LIKE '%; the clock measured nothing', "
      "faster IS NULL AND plain_ms IS NULL AND filtered_ms IS NULL FROM "
      "bloom_compare('SELECT work(3000)', 'SELECT work(1000)')";
  ticking = clock;
  now_ns = (int64_t)1 << 60;
  sqlite3_stmt *statement = prepare(db, compare);
  const bool row = sqlite3_step(statement) == SQLITE_ROW;
  const double faster = sqlite3_column_double(statement, 0);
  const int nothing = clock->most == 0;
  ok(row && faster >= clock->least && faster <= clock->most &&
         sqlite3_column_int(statement, 1) == nothing &&
         sqlite3_column_int(statement, 2) == nothing,
     "%s: %.2f times as fast", clock->clock, faster);
  sqlite3_finalize(statement);
}

/* ---- A function of the program's that uncompresses LevelDB's blocks. */

/* The block for type 2, a NULL for 3, and an error for the others. */
static void inflate(sqlite3_context *context, int argc, sqlite3_value **argv) {
  static const char contents[] = "\0\x09\1a\1\1\0\0\0\0\0\0v\0\0\0\0\1\0\0";
  const int type = sqlite3_value_int(argv[0]);
  if (argc == 2 && type == 2 && sqlite3_value_bytes(argv[1]) == 4) {
    sqlite3_result_blob(context, contents, sizeof(contents), SQLITE_STATIC);
  } else if (type != 3) {
    sqlite3_result_error(context, "not of this type", -1);
  }
}

static void program_inflates(sqlite3 *db) {
  static const char sql[] =
      "WITH b AS (SELECT CAST(x'01020304' || leveldb_fixed32(?1) AS BLOB) AS b)"
      "SELECT group_concat(coalesce(damage, kind)) FROM (SELECT substr(b, 1, 5)"
      "  || leveldb_fixed32(crc32c_mask(crc32c(substr(b, 1, 5)))) AS f FROM b),"
      "  leveldb_read(CAST(f AS BLOB), 'table') WHERE kind <> 'footer'";
  static const struct {
    int type;
    const char *said;
  } rows[] = {
      {2, "data block,entry"},
      {3,
       "data block of 4 bytes: type 3 is not to be uncompressed here: "
       "not a type of LevelDB's"},
      {4,
       "data block of 4 bytes: type 4 is not to be uncompressed here: "
       "raw deflate, probably"},
  };
  sqlite3_create_function(db, "leveldb_inflate", 2, SQLITE_UTF8, NULL, inflate,
                          NULL, NULL);
  for (size_t i = 0; i < COUNT(rows); i++) {
    sqlite3_stmt *statement = prepare(db, sql);
    sqlite3_bind_int(statement, 1, rows[i].type);
    const bool row = sqlite3_step(statement) == SQLITE_ROW;
    const char *said = (const char *)sqlite3_column_text(statement, 0);
    ok(row && said != NULL && strcmp(said, rows[i].said) == 0,
       "a program's function inflates blocks of type %d: %s", rows[i].type,
       said);
    sqlite3_finalize(statement);
  }
}

int main(void) {
  sqlite3_auto_extension((void (*)(void))sqlite3_bloom_init);
  sqlite3 *db;
  sqlite3_open(":memory:", &db);
  random_numbers(db);
  nothing_bound(db);
  text_bound(db, "UTF-8");
  error_codes(db);
  error_sizes(db);
  program_inflates(db);
  add_function(db, "work", 1, work);
  for (size_t i = 0; i < COUNT(clocks); i++) times_work(db, &clocks[i]);
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
