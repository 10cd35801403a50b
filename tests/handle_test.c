/* How long a handle of bloom_open lives. Whatever happens to the bytes of its
** filter, its statement or the functions, a statement keeps the filters that it
** opened, and a handle that is used after its statement has ended is an error.
** SQLite and the extension are linked in. (tests/stress/handles.c runs two
** statements at once.) */
#include <sqlite3.h>
#include <stdint.h>
#include <string.h>

#include "bloom_ext.h"
#include "core/bloom.h"
#include "lib/functions.h"
#include "lib/sql.h"
#include "lib/tap.h"

#define NOT_OPEN                                                               \
  "which is not an open handle (a handle ends with its statement, or "         \
  "when the statement has opened too many others: store the filter, and open " \
  "it again)"

/* now(x, n, what) is x. The n-th call in a run interrupts the connection, fails
** or does nothing, as what says. */
static int calls;

static void now_function(sqlite3_context *context, int argc,
                         sqlite3_value **argv) {
  (void)argc;
  sqlite3_result_value(context, argv[0]);
  if (++calls != sqlite3_value_int(argv[1])) return;
  const char *what = (const char *)sqlite3_value_text(argv[2]);
  if (strcmp(what, "interrupt") == 0) {
    sqlite3_interrupt(sqlite3_context_db_handle(context));
  } else if (strcmp(what, "error") == 0) {
    sqlite3_result_error(context, "now", -1);
  }
}

/* The filter of hello, whole and in parts, and keys of which every other one is
** hello. */
static const char schema[] =
    "CREATE TABLE filter(f BLOB);"
    "INSERT INTO filter VALUES (x'014000010410400006');"
    "CREATE TABLE part(parts INTEGER, part INTEGER, f BLOB);"
    "INSERT INTO part VALUES (2, 0, x'014000010410400006'),"
    "  (2, 1, x'014000010410400006'), (3, 0, x'014000010410400006'),"
    "  (3, 1, x'014000010410400006'), (3, 2, x'014000010410400006');"
    "CREATE TABLE key(k);"
    "INSERT INTO key VALUES ('hello'), ('x'), ('hello'), ('foo'), ('hello');";

#define KEYS 5

static sqlite3 *open_with_schema(void) {
  sqlite3 *db;
  sqlite3_open(":memory:", &db);
  add_function(db, "now", 3, now_function);
  run(db, schema);
  return db;
}

/* Ways in which a handle reaches bloom_may_match. */
static const char *const probes[] = {
    "SELECT bloom_may_match(k, (SELECT bloom_open(f) FROM filter)) FROM key",
    "SELECT bloom_may_match(k, h) FROM (SELECT bloom_open(f) AS h FROM filter "
    "ORDER BY f LIMIT 1), key",
    "WITH c(h) AS (SELECT bloom_open(f) FROM filter), d AS (SELECT max(h) AS h "
    "FROM c) SELECT bloom_may_match(k, d.h) FROM key, d",
    "SELECT bloom_may_match(k, (SELECT bloom_open(part, parts, f) FROM part "
    "WHERE parts = 2)) FROM key",
    "SELECT bloom_may_match(k, h) FROM (SELECT bloom_open(part, parts, "
    "bloom_open(f)) AS h FROM part GROUP BY parts LIMIT 1), key",
    "SELECT bloom_may_match(k, bloom_open(f)) FROM key, filter",
};

#define PROBE_PARTS 3

/* The memory that SQLite uses without a connection. */
static sqlite3_int64 idle;

static bool is_idle(void) {
  return sqlite3_memory_used() == idle;
}

/* Steps through this many rows from row `from` on. Returns whether each matches
** exactly if its key is a member. */
static bool rows_right(sqlite3_stmt *statement, int from, int rows) {
  for (int row = from; row < from + rows; row++) {
    if (sqlite3_step(statement) != SQLITE_ROW ||
        sqlite3_column_int(statement, 0) != (row % 2 == 0)) {
      return false;
    }
  }
  return true;
}

/* The same to the last row. */
static bool rest_right(sqlite3_stmt *statement, int from) {
  return rows_right(statement, from, KEYS - from) &&
         sqlite3_step(statement) == SQLITE_DONE;
}

/* Whether the statement fails with this in its message. It is then reset. */
static bool fails(sqlite3_stmt *statement, const char *with) {
  const bool failed = sqlite3_step(statement) == SQLITE_ERROR;
  const char *message = sqlite3_errmsg(sqlite3_db_handle(statement));
  const bool right = failed && strstr(message, with) != NULL;
  if (!right) printf("# %s\n", message);
  sqlite3_reset(statement);
  return right;
}

/* Whether SQL that is given this handle as ?1 fails with this message. */
static bool refuses(sqlite3 *db, const char *sql, sqlite3_int64 handle,
                    const char *message) {
  sqlite3_stmt *statement = prepare(db, sql);
  sqlite3_bind_int64(statement, 1, handle);
  const bool refused = fails(statement, message);
  sqlite3_finalize(statement);
  return refused;
}

/* The INTEGER that SQL gives for this handle as ?1 and this key as ?2. */
static sqlite3_int64 given(sqlite3 *db, const char *sql, sqlite3_int64 handle,
                           const char *key) {
  sqlite3_stmt *statement = prepare(db, sql);
  sqlite3_bind_int64(statement, 1, handle);
  sqlite3_bind_text(statement, 2, key, -1, SQLITE_STATIC);
  const sqlite3_int64 value = first_integer(statement);
  sqlite3_finalize(statement);
  return value;
}

#define MATCH "SELECT bloom_may_match(?2, ?1)"

/* A connection in which a statement has opened the filter of hello and runs. */
typedef struct opened {
  sqlite3 *db;
  sqlite3_stmt *opener;
  sqlite3_int64 handle;
} opened;

static opened open_handle(void) {
  sqlite3 *db = open_with_schema();
  sqlite3_stmt *opener = prepare(db, "SELECT bloom_open(f) FROM filter, key");
  sqlite3_step(opener);
  return (opened){db, opener, sqlite3_column_int64(opener, 0)};
}

static bool close_opened(const opened *it) {
  sqlite3_finalize(it->opener);
  return sqlite3_close(it->db) == SQLITE_OK;
}

/* ---- The statement runs again or ends. */

static const char *const opens_bound[] = {
    "SELECT bloom_may_match(k, (SELECT bloom_open(?1))) FROM key",
    "SELECT bloom_may_match(k, bloom_open(?1)) FROM key",
    "SELECT bloom_may_match(k, (SELECT bloom_open(part, 2, ?1) FROM part "
    "WHERE parts = 2)) FROM key",
    "SELECT bloom_may_match(k, h) FROM (SELECT DISTINCT bloom_open(?1) AS h "
    "FROM key), key",
};

static void run_again(const char *sql) {
  static const char hello[9] = "\x01\x40\x00\x01\x04\x10\x40\x00\x06";
  sqlite3 *db = open_with_schema();
  sqlite3_stmt *statement = prepare(db, sql);
  char bytes[9];
  memcpy(bytes, hello, 9);
  sqlite3_bind_blob(statement, 1, bytes, 9, SQLITE_STATIC);
  bool right = rows_right(statement, 0, 3);
  sqlite3_reset(statement);
  right &= rest_right(statement, 0);
  sqlite3_reset(statement);
  /* The same address with other bytes: nothing matches. */
  memset(bytes, 0, 8);
  for (int row = 0; row < KEYS; row++) {
    right &= sqlite3_step(statement) == SQLITE_ROW &&
             sqlite3_column_int(statement, 0) == 0;
  }
  sqlite3_reset(statement);
  run(db, "CREATE TABLE another(x); DROP TABLE another");
  sqlite3_bind_blob(statement, 1, hello, 9, SQLITE_STATIC);
  right &= rest_right(statement, 0);
  sqlite3_finalize(statement);
  sqlite3_close(db);
  ok(right, "reset, bound and run again: %s", sql);
}

/* Steps to the end of a statement and returns the code of the last step. */
static int run_on(sqlite3_stmt *statement) {
  int code = SQLITE_ROW;
  while (code == SQLITE_ROW) code = sqlite3_step(statement);
  return code;
}

static int interrupt(sqlite3_stmt *statement) {
  sqlite3_interrupt(sqlite3_db_handle(statement));
  return run_on(statement);
}

/* Ways in which a statement ends after its second row. */
static const struct ending {
  const char *name;
  int (*end)(sqlite3_stmt *);
  const char *in_fourth_row; /* what now() does there */
  int code;                  /* that end returns */
} endings[] = {
    {"reset", sqlite3_reset, "nothing", SQLITE_OK},
    {"finalized", sqlite3_finalize, "nothing", SQLITE_OK},
    {"run to its end", run_on, "nothing", SQLITE_DONE},
    {"interrupted in a row", run_on, "interrupt", SQLITE_INTERRUPT},
    {"failed in a row", run_on, "error", SQLITE_ERROR},
    {"interrupted between rows", interrupt, "nothing", SQLITE_INTERRUPT},
};

#define LARGE 400000

/* A filter of this many bytes is kept while its statement runs and freed as
** soon as the statement ends. */
static void ends(const struct ending *ending) {
  sqlite3 *db = open_with_schema();
  sqlite3_stmt *statement =
      prepare(db,
              "SELECT bloom_may_match(k, (SELECT bloom_open(?1))), "
              "now(k, 4, ?2) FROM key");
  sqlite3_bind_zeroblob(statement, 1, LARGE);
  sqlite3_bind_text(statement, 2, ending->in_fourth_row, -1, SQLITE_STATIC);
  calls = 0;
  const sqlite3_int64 before = sqlite3_memory_used();
  sqlite3_step(statement);
  sqlite3_step(statement);
  const sqlite3_int64 kept = sqlite3_memory_used() - before;
  const int code = ending->end(statement);
  const sqlite3_int64 left = sqlite3_memory_used() - before;
  ok(code == ending->code && kept >= LARGE && left < LARGE / 2,
     "%s: of %lld bytes, %lld are left", ending->name, (long long)kept,
     (long long)left);
  if (ending->end != sqlite3_finalize) sqlite3_finalize(statement);
  ok(sqlite3_close(db) == SQLITE_OK, "%s: the connection closes", ending->name);
}

/* ---- Handles that are passed to other statements. */

/* A query in which a function takes the filter ?1. The caller frees it. */
static char *taker_of(const struct listed_function *function) {
  const char *hole = strstr(function->call, "{e}");
  return sqlite3_mprintf("SELECT %.*s?1%s FROM (SELECT 'hello' AS k)",
                         (int)(hole - function->call), function->call,
                         hole + 3);
}

static void taken_until_its_statement_ends(const char *sql) {
  opened it = open_handle();
  sqlite3 *stranger = open_with_schema();
  sqlite3_stmt *statement = prepare(it.db, sql);
  sqlite3_bind_int64(statement, 1, it.handle);
  ok(sqlite3_step(statement) == SQLITE_ROW &&
         sqlite3_column_type(statement, 0) != SQLITE_NULL,
     "another statement accepts a handle: %s", sql);
  ok(refuses(stranger, sql, it.handle, NOT_OPEN),
     "another connection does not: %s", sql);
  sqlite3_reset(statement);
  sqlite3_reset(it.opener);
  ok(fails(statement, NOT_OPEN), "nor does it, once the first has ended: %s",
     sql);
  sqlite3_finalize(statement);
  ok(close_opened(&it) && sqlite3_close(stranger) == SQLITE_OK,
     "nothing is left open: %s", sql);
}

/* ---- An aggregate that does not give a result. */

static const struct abandonment {
  const char *what;
  const char *sql;
  int code; /* of the statement; SQLITE_ROW: it is reset after its first row */
} abandonments[] = {
    {"a reset between two groups",
     "SELECT bloom_open(part, parts, f) FROM part GROUP BY parts", SQLITE_ROW},
    {"an error",
     "SELECT bloom_open(now(part, 2, 'error'), parts, f) FROM part "
     "WHERE parts = 3",
     SQLITE_ERROR},
    {"an interrupt",
     "SELECT bloom_open(now(part, 2, 'interrupt'), parts, f), "
     "(SELECT max(a.k || b.k || c.k) FROM key a, key b, key c "
     "WHERE part >= 0) FROM part WHERE parts = 3",
     SQLITE_INTERRUPT},
    {"an error between groups",
     "SELECT parts, bloom_open(part, parts, f) FROM part "
     "GROUP BY parts HAVING now(parts, 2, 'error')",
     SQLITE_ERROR},
    {"an error in bloom_merge",
     "SELECT bloom_merge(bloom_open(now(f, 2, 'error'))) FROM part",
     SQLITE_ERROR},
    {"an error in bloom_build",
     "SELECT bloom_build(now(bloom_open(f), 2, 'error')) FROM part",
     SQLITE_ERROR},
    {"an error in bloom_build_parts",
     "SELECT bloom_build_parts(now(f, 2, 'error'), 3) FROM part", SQLITE_ERROR},
    {"an interrupt in bloom_build_parts",
     "SELECT bloom_build_parts(now(part, 2, 'interrupt'), 3, 10, 100), "
     "(SELECT max(a.k || b.k || c.k) FROM key a, key b, key c "
     "WHERE part >= 0) FROM part WHERE parts = 3",
     SQLITE_INTERRUPT},
};

static void abandoned(const struct abandonment *abandonment) {
  sqlite3 *db = open_with_schema();
  sqlite3_stmt *statement = prepare(db, abandonment->sql);
  bool right = true;
  for (int again = 0; again < 2; again++) {
    calls = 0;
    const int code = abandonment->code == SQLITE_ROW ? sqlite3_step(statement)
                                                     : run_on(statement);
    right &= code == abandonment->code;
    sqlite3_reset(statement);
  }
  sqlite3_finalize(statement);
  right &= integer_of(db, probes[PROBE_PARTS]) == 1;
  right &= sqlite3_close(db) == SQLITE_OK;
  ok(right && is_idle(), "abandoned: %s", abandonment->what);
}

/* ---- The functions are registered again, or removed. */

/* SQLite before 3.31 cannot register all of them again. */
static void registered_again(const char *sql) {
  const bool possible = sqlite3_libversion_number() >= 3031000;
  sqlite3 *db = open_with_schema();
  sqlite3_stmt *statement = prepare(db, sql);
  bool right = rows_right(statement, 0, 2);
  char *error = NULL;
  right &= sqlite3_bloom_init(db, &error, NULL) != SQLITE_OK;
  right &= error != NULL && strstr(error, "loaded") != NULL;
  sqlite3_free(error);
  right &= rest_right(statement, 2);
  sqlite3_reset(statement);
  right &= (sqlite3_bloom_init(db, NULL, NULL) == SQLITE_OK) == possible;
  right &= rest_right(statement, 0);
  sqlite3_finalize(statement);
  right &= sqlite3_close(db) == SQLITE_OK && is_idle();
  ok(right, "loading again is refused while a statement runs: %s", sql);
}

static int remove_open(sqlite3 *db) {
  return sqlite3_create_function(db, "bloom_open", 1, SQLITE_UTF8, NULL, NULL,
                                 NULL, NULL);
}

static void removed(void) {
  sqlite3 *db = open_with_schema();
  sqlite3_stmt *statement = prepare(db, probes[0]);
  bool right = rows_right(statement, 0, 2);
  right &= remove_open(db) == SQLITE_BUSY;
  right &= rest_right(statement, 2);
  sqlite3_reset(statement);
  right &= remove_open(db) == SQLITE_OK;
  right &= sqlite3_step(statement) == SQLITE_ERROR;
  sqlite3_finalize(statement);
  right &= integer_of(db, probes[PROBE_PARTS]) == 1;
  ok(right, "one function is removed");
  ok(sqlite3_close(db) == SQLITE_OK && is_idle(), "no memory is kept for it");
}

/* ---- The limits: ten filters of 32 MB, then sixteen small ones. Besides these
** sixteen, 256 MB are kept: eight of the ten. A constant filter, which is the
** second one, is opened again once it has been evicted. */

#define MAX_OLDER ((sqlite3_int64)256 << 20)
#define LARGE_FILTERS 10
#define EVICTED 2

/* filter_of(i) is a filter that has only the key i. */
static void filter_of_function(sqlite3_context *context, int argc,
                               sqlite3_value **argv) {
  static uint8_t bytes[32000000];
  (void)argc;
  const bool large = sqlite3_value_int(argv[0]) <= LARGE_FILTERS;
  const size_t size = large ? sizeof(bytes) : 1000;
  const char *key = (const char *)sqlite3_value_text(argv[0]);
  const uint32_t hash = bloom_key_hash(key, strlen(key));
  bloom_filter_start(bytes, size, 10);
  bloom_add_hashes(bytes, size, &hash, 1, NULL);
  sqlite3_result_blob(context, bytes, (int)size, SQLITE_STATIC);
}

/* The handles that a statement gives in 26 rows, and that of its constant
** filter in the last one. */
typedef struct many_handles {
  sqlite3_int64 of[27]; /* from 1 on */
  sqlite3_int64 constant;
} many_handles;

/* Steps to the next row, the i-th. Its constant filter matches nothing. */
static bool opens_next(sqlite3_stmt *opener, int i, many_handles *handles) {
  if (sqlite3_step(opener) != SQLITE_ROW) return false;
  handles->of[i] = sqlite3_column_int64(opener, 0);
  handles->constant = sqlite3_column_int64(opener, 1);
  return sqlite3_column_int(opener, 2) == 0;
}

/* How many of the first filters, this many, have not been evicted. */
static int kept_of(sqlite3 *db, const many_handles *handles, int filters) {
  int kept = 0;
  for (int i = 1; i <= filters; i++) {
    kept += given(db, MATCH, handles->of[i], "x") == 0;
  }
  return kept;
}

static void evicted_taken(sqlite3 *db, sqlite3_int64 handle) {
  for (size_t i = 0; i < COUNT(functions); i++) {
    if (functions[i].call == NULL) continue;
    char *sql = taker_of(&functions[i]);
    if (functions[i].takes_evicted) {
      const sqlite3_int64 got = given(db, sql, handle, "");
      ok(got == 1 || got == handle, "the oldest is accepted: %s", sql);
    } else {
      ok(refuses(db, sql, handle,
                 "must still be open, got a handle whose filter was evicted (a "
                 "statement keeps its newest 16 filters and 256 MB of older "
                 "ones: store the filter, and select it)"),
         "an error of the oldest: %s", sql);
    }
    sqlite3_free(sql);
  }
  ok(given(db, "SELECT bloom_open(?1)", handle, "") == handle,
     "bloom_open gives it back");
}

static void limits(void) {
  sqlite3 *db = open_with_schema();
  add_function(db, "filter_of", 1, filter_of_function);
  sqlite3_stmt *opener =
      prepare(db,
              "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
              "SELECT bloom_open(filter_of(i)), bloom_open(x'0006'), "
              "bloom_may_match('x', bloom_open(x'0006')) FROM n");
  many_handles handles;
  const sqlite3_int64 before = sqlite3_memory_used();
  bool right = opens_next(opener, 1, &handles);
  const sqlite3_int64 constant = handles.constant;
  for (int i = 2; i <= 25; i++) right &= opens_next(opener, i, &handles);
  const int kept = kept_of(db, &handles, 25);
  ok(kept == 24, "the newest 16 do not count: %d of 25 are kept", kept);
  ok(right && handles.constant == constant, "a constant filter is opened once");
  ok(opens_next(opener, 26, &handles) && handles.constant != constant,
     "and again if it was evicted");
  const sqlite3_int64 used = sqlite3_memory_used() - before;
  ok(used > MAX_OLDER - 32000000 && used < MAX_OLDER + 1000000,
     "%lld bytes are kept", (long long)used);
  right = kept_of(db, &handles, EVICTED) == 0 &&
          kept_of(db, &handles, 26) == 26 - EVICTED;
  for (int i = 1; i <= 26; i++) {
    char key[16];
    snprintf(key, sizeof(key), "%d", i);
    right &= given(db, MATCH, handles.of[i], key) == 1;
  }
  ok(right, "the oldest match everything, the others what they did before");
  evicted_taken(db, handles.of[1]);
  sqlite3_reset(opener);
  ok(sqlite3_memory_used() - before < 1000000, "all is freed at the end");
  sqlite3_finalize(opener);
  sqlite3_close(db);
}

/* An allocator that can keep freed memory unchanged for a while. If the table
** still pointed to the entry of a handle that has ended, a probe would find the
** handle there. */
static sqlite3_mem_methods system_memory;
static void *kept_back[1000];
static int kept_back_count = -1; /* if negative, memory is freed at once */

static void keeping_free(void *memory) {
  if (kept_back_count < 0 || kept_back_count == 1000) {
    system_memory.xFree(memory);
  } else {
    kept_back[kept_back_count++] = memory;
  }
}

/* To be called before SQLite is initialized. */
static void use_keeping_memory(void) {
  sqlite3_config(SQLITE_CONFIG_GETMALLOC, &system_memory);
  sqlite3_mem_methods keeping = system_memory;
  keeping.xFree = keeping_free;
  sqlite3_config(SQLITE_CONFIG_MALLOC, &keeping);
}

static void ends_in_memory_that_stays(void) {
  opened it = open_handle();
  sqlite3_stmt *match = prepare(it.db, "SELECT bloom_may_match('x', ?1)");
  sqlite3_bind_int64(match, 1, it.handle);
  ok(first_integer(match) == 0, "a handle is found");
  kept_back_count = 0;
  sqlite3_reset(it.opener);
  ok(kept_back_count > 0 && fails(match, NOT_OPEN),
     "and not once its statement has ended, in memory that nothing overwrote");
  while (kept_back_count > 0) system_memory.xFree(kept_back[--kept_back_count]);
  kept_back_count = -1;
  sqlite3_finalize(match);
  close_opened(&it);
}

int main(void) {
  use_keeping_memory();
  sqlite3_auto_extension((void (*)(void))sqlite3_bloom_init);
  sqlite3_initialize();
  printf("# SQLite %s\n", sqlite3_libversion());
  idle = sqlite3_memory_used();
  for (size_t i = 0; i < COUNT(opens_bound); i++) run_again(opens_bound[i]);
  for (size_t i = 0; i < COUNT(endings); i++) ends(&endings[i]);
  for (size_t i = 0; i < COUNT(probes); i++) registered_again(probes[i]);
  for (size_t i = 0; i < COUNT(functions); i++) {
    if (functions[i].call == NULL) continue;
    char *sql = taker_of(&functions[i]);
    taken_until_its_statement_ends(sql);
    sqlite3_free(sql);
  }
  for (size_t i = 0; i < COUNT(abandonments); i++) abandoned(&abandonments[i]);
  removed();
  limits();
  ends_in_memory_that_stays();
  sqlite3_reset_auto_extension();
  sqlite3_shutdown();
  ok(sqlite3_memory_used() == 0, "nothing is left in memory");
  return tap_done();
}
