/* How long a handle of bloom_open lives. Whatever happens to the table of its
** filter, to its statement, its connection or the functions, a statement keeps
** the filters that it opened, and a handle that is used after its statement has
** ended is an error. SQLite and the extension are linked in. */
#include <sqlite3.h>
#include <stdint.h>
#include <string.h>

#include "bloom_ext.h"
#include "lib/sql.h"
#include "lib/tap.h"

#define NOT_OPEN                                                  \
  "which no open handle has (a handle lives until the statement " \
  "that opened it ends, or has opened too many others)"

/* now(x, n, what) is x. The n-th call in a run either interrupts the connection
** or fails, depending on what. */
static int calls;

static void now_function(sqlite3_context *context, int argc,
                         sqlite3_value **argv) {
  (void)argc;
  sqlite3_result_value(context, argv[0]);
  if (++calls != sqlite3_value_int(argv[1])) return;
  if (strcmp((const char *)sqlite3_value_text(argv[2]), "interrupt") == 0) {
    sqlite3_interrupt(sqlite3_context_db_handle(context));
  } else {
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
    "INSERT INTO key VALUES ('hello'), ('x'), ('hello'), ('foo'), ('hello');"
    "CREATE TABLE log(h, k, m);";

static sqlite3 *open_with_schema(void) {
  sqlite3 *db;
  sqlite3_open(":memory:", &db);
  sqlite3_create_function(db, "now", 3, SQLITE_UTF8, NULL, now_function, NULL,
                          NULL);
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
    /* This one opens the filter again in each row. */
    "SELECT bloom_may_match(k, bloom_open(f)) FROM key, filter",
};

#define PROBES (sizeof(probes) / sizeof(*probes))
#define OPENED_ONCE (PROBES - 1)

/* The memory that SQLite uses without a connection. */
static sqlite3_int64 idle;

static int is_idle(void) {
  return sqlite3_memory_used() == idle;
}

/* Steps through this many rows from row `from` on. Returns 1 if each matches
** exactly when its key is a member. */
static int rows_right(sqlite3_stmt *statement, int from, int rows) {
  for (int row = from; row < from + rows; row++) {
    if (sqlite3_step(statement) != SQLITE_ROW ||
        sqlite3_column_int(statement, 0) != (row % 2 == 0)) {
      return 0;
    }
  }
  return 1;
}

/* The same to the last row. */
static int rest_right(sqlite3_stmt *statement, int from) {
  return rows_right(statement, from, 5 - from) &&
         sqlite3_step(statement) == SQLITE_DONE;
}

/* ---- The filter's table is changed. */

static void changed_meanwhile(void) {
  /* SQLite refuses some of these while a statement runs. */
  static const char *const changes[] = {
      "UPDATE filter SET f = x'00'; UPDATE part SET f = NULL",
      "DELETE FROM filter; DELETE FROM part",
      "DROP TABLE filter",
      "VACUUM",
      "CREATE INDEX of_filter ON filter(f); CREATE TABLE other(x)",
      "ALTER TABLE filter RENAME TO filters",
      "REPLACE INTO filter(rowid, f) VALUES (1, zeroblob(100000))",
      "PRAGMA shrink_memory",
      "BEGIN; DELETE FROM filter; ROLLBACK",
      "SAVEPOINT a; UPDATE filter SET f = NULL; ROLLBACK TO a; RELEASE a",
      "PRAGMA encoding = 'UTF-16'; ANALYZE; REINDEX",
  };
  for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
    int right = 1;
    for (size_t j = 0; j < OPENED_ONCE; j++) {
      sqlite3 *db = open_with_schema();
      sqlite3_stmt *statement = prepare(db, probes[j]);
      right &= rows_right(statement, 0, 2);
      sqlite3_exec(db, changes[i], NULL, NULL, NULL);
      right &= rest_right(statement, 2);
      sqlite3_finalize(statement);
      right &= sqlite3_close(db) == SQLITE_OK;
    }
    ok(right, "a statement keeps what it opened: %s", changes[i]);
  }
}

/* ---- The statement runs again or ends. */

static void run_again(void) {
  static const char *const sql[] = {
      "SELECT bloom_may_match(k, (SELECT bloom_open(?1))) FROM key",
      "SELECT bloom_may_match(k, bloom_open(?1)) FROM key",
      "SELECT bloom_may_match(k, (SELECT bloom_open(part, 2, ?1) FROM part "
      "WHERE parts = 2)) FROM key",
      "SELECT bloom_may_match(k, h) FROM (SELECT DISTINCT bloom_open(?1) AS h "
      "FROM key), key",
  };
  sqlite3 *db = open_with_schema();
  for (size_t i = 0; i < sizeof(sql) / sizeof(*sql); i++) {
    char bytes[9] = "\x01\x40\x00\x01\x04\x10\x40\x00\x06";
    sqlite3_stmt *statement = prepare(db, sql[i]);
    sqlite3_bind_blob(statement, 1, bytes, 9, SQLITE_STATIC);
    int right = rows_right(statement, 0, 3);
    sqlite3_reset(statement);
    right &= rest_right(statement, 0);
    sqlite3_reset(statement);
    /* The same address with other bytes: nothing matches. */
    memset(bytes, 0, 8);
    for (int row = 0; row < 5; row++) {
      right &= sqlite3_step(statement) == SQLITE_ROW &&
               sqlite3_column_int(statement, 0) == 0;
    }
    sqlite3_reset(statement);
    run(db, "CREATE TABLE another(x); DROP TABLE another");
    sqlite3_bind_blob(statement, 1, "\x01\x40\x00\x01\x04\x10\x40\x00\x06", 9,
                      SQLITE_STATIC);
    right &= rest_right(statement, 0);
    sqlite3_finalize(statement);
    ok(right, "reset, bound and run again: %s", sql[i]);
  }
  sqlite3_close(db);
}

#define LARGE 4000000

/* A filter of this many bytes is kept while its statement runs and freed as
** soon as the statement ends, whatever ends it. */
static void ends(void) {
  static const char sql[] =
      "SELECT bloom_may_match(k, (SELECT bloom_open(?1))), "
      "now(k, 4, ?2) FROM key";
  static const char *const names[] = {"reset",     "finalized", "done",
                                      "interrupt", "error",     "interrupted"};
  for (int end = 0; end < 6; end++) {
    sqlite3 *db = open_with_schema();
    sqlite3_stmt *statement = prepare(db, sql);
    sqlite3_bind_zeroblob(statement, 1, LARGE);
    sqlite3_bind_text(statement, 2, names[end], -1, SQLITE_STATIC);
    calls = end == 3 || end == 4 ? 0 : 10;
    sqlite3_step(statement);
    sqlite3_step(statement);
    /* The bound zeroblob was expanded once. */
    const sqlite3_int64 used = sqlite3_memory_used();
    int code = SQLITE_OK;
    if (end == 0) sqlite3_reset(statement);
    if (end == 1) sqlite3_finalize(statement);
    if (end == 5) sqlite3_interrupt(db);
    for (int row = 2; end >= 2 && row < 10; row++) {
      code = sqlite3_step(statement);
      if (code != SQLITE_ROW) break;
    }
    static const int codes[] = {SQLITE_OK,    SQLITE_OK,
                                SQLITE_DONE,  SQLITE_INTERRUPT,
                                SQLITE_ERROR, SQLITE_INTERRUPT};
    const sqlite3_int64 freed = used - sqlite3_memory_used();
    ok(code == codes[end] && freed >= LARGE, "%s: %lld bytes are freed",
       names[end], (long long)freed);
    if (end != 1) sqlite3_finalize(statement);
    ok(sqlite3_close(db) == SQLITE_OK, "%s: the connection closes", names[end]);
  }
}

static void closed_midway(void) {
  for (size_t i = 0; i < PROBES; i++) {
    sqlite3 *db = open_with_schema();
    sqlite3_stmt *statement = prepare(db, probes[i]);
    int right = rows_right(statement, 0, 2);
    right &= sqlite3_close(db) == SQLITE_BUSY;
    right &= sqlite3_close_v2(db) == SQLITE_OK;
    right &= rest_right(statement, 2);
    sqlite3_finalize(statement);
    ok(right && is_idle(), "a closed connection's statement continues: %s",
       probes[i]);

    db = open_with_schema();
    statement = prepare(db, probes[i]);
    right = rows_right(statement, 0, 2);
    sqlite3_close_v2(db);
    sqlite3_finalize(statement);
    ok(right && is_idle(), "a closed connection's statement ends: %s",
       probes[i]);
  }
}

/* ---- Handles that are passed to other statements. */

/* Whether the statement fails with this in its message. It is then reset. */
static int fails(sqlite3 *db, sqlite3_stmt *statement, const char *with) {
  const int failed = sqlite3_step(statement) == SQLITE_ERROR &&
                     strstr(sqlite3_errmsg(db), with) != NULL;
  if (!failed) printf("# %s\n", sqlite3_errmsg(db));
  sqlite3_reset(statement);
  return failed;
}

static void passed_on(void) {
  sqlite3 *db = open_with_schema();
  sqlite3 *stranger = open_with_schema();
  sqlite3_stmt *opens = prepare(db, "SELECT bloom_open(f) FROM filter, key");
  static const char *const takes[] = {
      "SELECT bloom_may_match('hello', ?1)", "SELECT bloom_open(?1)",
      "SELECT bloom_add(?1, 'x')",           "SELECT bloom_merge(?1)",
      "SELECT bytes FROM bloom_info(?1)",    "SELECT bloom_open(0, 1, ?1)",
  };
  sqlite3_stmt *statements[6], *strangers[6];
  for (int i = 0; i < 6; i++) {
    statements[i] = prepare(db, takes[i]);
    strangers[i] = prepare(stranger, takes[i]);
  }
  sqlite3_stmt *keeps = prepare(db, "INSERT INTO log(h) VALUES (?1)");
  sqlite3_stmt *rows = prepare(db, "SELECT bloom_may_match(k, ?1) FROM key");
  sqlite3_step(opens);
  const sqlite3_int64 handle = sqlite3_column_int64(opens, 0);
  for (int i = 0; i < 6; i++) {
    sqlite3_bind_int64(statements[i], 1, handle);
    sqlite3_bind_int64(strangers[i], 1, handle);
    ok(sqlite3_step(statements[i]) == SQLITE_ROW &&
           sqlite3_column_type(statements[i], 0) != SQLITE_NULL,
       "another statement accepts it while the first runs: %s", takes[i]);
    sqlite3_reset(statements[i]);
    ok(fails(stranger, strangers[i], NOT_OPEN),
       "another connection does not: %s", takes[i]);
  }
  int strangers_fail = 1;
  for (int bit = 0; bit < 64; bit++) {
    sqlite3_bind_int64(statements[0], 1,
                       (sqlite3_int64)((uint64_t)handle ^ (uint64_t)1 << bit));
    strangers_fail &= fails(db, statements[0], NOT_OPEN);
  }
  ok(strangers_fail, "an integer that differs in one bit is not a handle");
  sqlite3_bind_int64(statements[0], 1, handle);
  sqlite3_step(opens);
  ok(sqlite3_column_int64(opens, 0) == handle, "it is the same in each row");
  ok(first_integer(statements[1]) == handle,
     "bloom_open in another statement gives it back");
  sqlite3_bind_int64(keeps, 1, handle);
  sqlite3_step(keeps);
  sqlite3_bind_int64(rows, 1, handle);
  ok(rows_right(rows, 0, 2), "a statement that runs meanwhile can use it");
  sqlite3_reset(opens);
  ok(fails(db, rows, NOT_OPEN), "and fails once the first has ended");
  for (int i = 0; i < 6; i++) {
    ok(fails(db, statements[i], NOT_OPEN), "a later statement fails: %s",
       takes[i]);
  }
  sqlite3_stmt *kept =
      prepare(db, "SELECT bloom_may_match('hello', h) FROM log");
  ok(fails(db, kept, NOT_OPEN), "a handle stored in a table is not open, too");
  sqlite3_step(opens);
  ok(sqlite3_column_int64(opens, 0) != handle, "the next run has another one");
  ok(fails(db, kept, NOT_OPEN), "and does not make the first valid again");
  for (int i = 0; i < 6; i++) {
    sqlite3_finalize(statements[i]);
    sqlite3_finalize(strangers[i]);
  }
  sqlite3_finalize(kept);
  sqlite3_finalize(keeps);
  sqlite3_finalize(rows);
  sqlite3_finalize(opens);
  ok(sqlite3_close(stranger) == SQLITE_OK && sqlite3_close(db) == SQLITE_OK,
     "nothing is left open");
}

/* Two statements that opened the same bytes: each continues after the other has
** ended. */
static void two_at_once(void) {
  for (size_t i = 0; i < PROBES; i++) {
    for (size_t j = 0; j < PROBES; j++) {
      sqlite3 *db = open_with_schema();
      sqlite3_stmt *one = prepare(db, probes[i]);
      sqlite3_stmt *two = prepare(db, probes[j]);
      int right = rows_right(one, 0, 1) && rows_right(two, 0, 2) &&
                  rows_right(one, 1, 1);
      sqlite3_finalize(one);
      right &= rows_right(two, 2, 1);
      one = prepare(db, probes[i]);
      right &= rows_right(one, 0, 3) && rest_right(two, 3);
      sqlite3_finalize(two);
      right &= rest_right(one, 3);
      sqlite3_finalize(one);
      sqlite3_close(db);
      if (!right || (i == PROBES - 1 && j == PROBES - 1)) {
        ok(right, "two at once: %s; %s", probes[i], probes[j]);
      }
    }
  }
}

/* ---- Triggers. A handle that a trigger's program opened ends with the
** program; one that it was given does not. */
static void triggers(void) {
  sqlite3 *db = open_with_schema();
  run(db,
      "PRAGMA recursive_triggers = 1;"
      "CREATE TABLE deep(n, h, own, given);"
      /* Each run opens the same bytes again and starts the next run. */
      "CREATE TRIGGER deeper AFTER INSERT ON deep WHEN NEW.n < 50 BEGIN"
      "  UPDATE deep SET given = bloom_may_match('hello', h)"
      "    + bloom_may_match('x', h) WHERE n = NEW.n;"
      "  INSERT INTO deep(n, h) SELECT NEW.n + 1, CASE NEW.n % 2 WHEN 0"
      "    THEN NEW.h ELSE bloom_open(f) END FROM filter;"
      "  UPDATE deep SET own = (SELECT bloom_may_match('hello', bloom_open(f))"
      "    + bloom_may_match('x', bloom_open(f)) FROM filter)"
      "    + bloom_may_match('foo', NEW.h) WHERE n = NEW.n;"
      "END;");
  sqlite3_stmt *statement =
      prepare(db, "INSERT INTO deep(n, h) SELECT 0, bloom_open(f) FROM filter");
  ok(sqlite3_step(statement) == SQLITE_DONE, "triggers 50 deep: %s",
     sqlite3_errmsg(db));
  sqlite3_finalize(statement);
  ok(integer_of(db, "SELECT sum(own = 1 AND given = 1) FROM deep") == 50,
     "each run can use its own handle and the one that it was given");

  /* A program leaves its handle's number behind. */
  run(db,
      "CREATE TRIGGER leaves AFTER INSERT ON key BEGIN"
      "  INSERT INTO log(h) SELECT bloom_open(f) FROM filter;"
      "END;"
      "CREATE TRIGGER finds AFTER INSERT ON log WHEN NEW.k IS NOT NULL BEGIN"
      "  UPDATE log SET m = bloom_may_match('hello', h) WHERE k IS NULL;"
      "END;"
      "INSERT INTO key VALUES ('hello')");
  statement = prepare(db, "INSERT INTO log(k) VALUES ('x')");
  ok(fails(db, statement, NOT_OPEN), "a handle that a trigger left in a table");
  sqlite3_finalize(statement);
  run(db, "DELETE FROM log; DROP TRIGGER finds; DROP TRIGGER leaves");

  /* Within one statement: what the first row's trigger opened is closed when
  ** the second row's trigger runs, although the statement itself has the same
  ** bytes open. */
  run(db,
      "CREATE TRIGGER keeps AFTER INSERT ON log WHEN NEW.h IS NOT NULL BEGIN"
      "  UPDATE log SET m = bloom_may_match('hello', NEW.h)"
      "    + bloom_may_match('x', NEW.h) WHERE k = NEW.k;"
      "  INSERT INTO log(m) SELECT bloom_open(f) FROM filter;"
      "  SELECT bloom_may_match('hello', m) FROM log WHERE h IS NULL;"
      "END");
  statement = prepare(db,
                      "INSERT INTO log(h, k) SELECT bloom_open(f), k "
                      "FROM filter, key LIMIT ?1");
  sqlite3_bind_int(statement, 1, 1);
  ok(sqlite3_step(statement) == SQLITE_DONE, "one row: %s", sqlite3_errmsg(db));
  sqlite3_reset(statement);
  ok(integer_of(db, "SELECT m FROM log WHERE k IS NOT NULL") == 1,
     "the statement's handle can be used in its trigger");
  run(db, "DELETE FROM log");
  sqlite3_bind_int(statement, 1, 2);
  ok(fails(db, statement, NOT_OPEN),
     "two rows: the handle of the first one's trigger is closed");
  sqlite3_finalize(statement);
  ok(sqlite3_close(db) == SQLITE_OK, "nothing is left open");
}

/* ---- An aggregate that does not give a result. */
static void abandoned(void) {
  static const struct {
    const char *what, *sql;
  } cases[] = {
      {"error",
       "SELECT bloom_open(now(part, 2, 'error'), parts, f) FROM part "
       "WHERE parts = 3"},
      {"interrupt",
       "SELECT bloom_open(now(part, 2, 'interrupt'), parts, f), "
       "(SELECT max(a.k || b.k || c.k) FROM key a, key b, key c "
       "WHERE part >= 0) FROM part WHERE parts = 3"},
      {"error, grouped",
       "SELECT parts, bloom_open(part, parts, f) FROM part "
       "GROUP BY parts HAVING now(parts, 2, 'error')"},
      {"twice",
       "SELECT bloom_open(part % 2, parts, f) FROM part "
       "WHERE parts = 3"},
      {"missing", "SELECT bloom_open(part, 4, f) FROM part WHERE parts = 3"},
      {"out of range",
       "SELECT bloom_open(part, 2, f) FROM part "
       "WHERE parts = 3"},
      {"parts", "SELECT bloom_open(part, parts, f) FROM part"},
      {"no filter",
       "SELECT bloom_open(part, parts, part) FROM part "
       "WHERE parts = 3"},
      {"in a trigger", "INSERT INTO log(k) VALUES (1)"},
      {"merge", "SELECT bloom_merge(bloom_open(now(f, 2, 'error'))) FROM part"},
      {"build", "SELECT bloom_build(now(bloom_open(f), 2, 'error')) FROM part"},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
    sqlite3 *db = open_with_schema();
    run(db,
        "CREATE TRIGGER broken AFTER INSERT ON log BEGIN SELECT "
        "bloom_open(now(part, 2, 'error'), parts, f) FROM part "
        "WHERE parts = 3; END");
    sqlite3_stmt *statement = prepare(db, cases[i].sql);
    int right = 1;
    for (int again = 0; again < 2; again++) {
      calls = 0;
      int code = SQLITE_ROW;
      while (code == SQLITE_ROW) code = sqlite3_step(statement);
      right &= code == (i == 1 ? SQLITE_INTERRUPT : SQLITE_ERROR);
      sqlite3_reset(statement);
    }
    sqlite3_finalize(statement);
    right &= integer_of(db, probes[3]) == 1;
    right &= sqlite3_close(db) == SQLITE_OK;
    ok(right && is_idle(), "abandoned: %s", cases[i].what);
  }
  /* Between two groups, and before the first row. */
  sqlite3 *db = open_with_schema();
  sqlite3_stmt *statement =
      prepare(db, "SELECT bloom_open(part, parts, f) FROM part GROUP BY parts");
  sqlite3_step(statement);
  sqlite3_reset(statement);
  sqlite3_finalize(statement);
  ok(sqlite3_close(db) == SQLITE_OK && is_idle(),
     "abandoned: between two groups");
}

/* ---- The functions are registered again, or removed. */

static void registered_again(void) {
  sqlite3 *db = open_with_schema();
  for (size_t i = 0; i < PROBES; i++) {
    sqlite3_stmt *statement = prepare(db, probes[i]);
    int right = rows_right(statement, 0, 2);
    char *error = NULL;
    right &= sqlite3_bloom_init(db, &error, NULL) != SQLITE_OK;
    right &= error != NULL && strstr(error, "loaded") != NULL;
    sqlite3_free(error);
    right &= rest_right(statement, 2);
    sqlite3_reset(statement);
    right &= sqlite3_bloom_init(db, &error, NULL) == SQLITE_OK;
    right &= rest_right(statement, 0);
    sqlite3_finalize(statement);
    ok(right, "loading again is refused while a statement runs: %s", probes[i]);
  }
  sqlite3_stmt *statement = prepare(db, probes[0]);
  int right = rows_right(statement, 0, 2);
  right &= sqlite3_create_function(db, "bloom_open", 1, SQLITE_UTF8, NULL, NULL,
                                   NULL, NULL) == SQLITE_BUSY;
  right &= rest_right(statement, 2);
  sqlite3_reset(statement);
  right &= sqlite3_create_function(db, "bloom_open", 1, SQLITE_UTF8, NULL, NULL,
                                   NULL, NULL) == SQLITE_OK;
  right &= sqlite3_step(statement) == SQLITE_ERROR;
  sqlite3_finalize(statement);
  right &= integer_of(db, probes[3]) == 1;
  ok(right, "one function is removed");
  ok(sqlite3_close(db) == SQLITE_OK && is_idle(), "no memory is kept for them");
}

/* ---- The limits: ten filters of 32 MB, then sixteen small ones. Besides these
** sixteen, 256 MB are kept: eight of the ten. */

#define MAX_OLDER ((sqlite3_int64)256 << 20)

static sqlite3_int64 probe_with(sqlite3_stmt *statement, sqlite3_int64 handle,
                                const char *key) {
  sqlite3_bind_int64(statement, 1, handle);
  sqlite3_bind_text(statement, 2, key, -1, SQLITE_STATIC);
  return first_integer(statement);
}

static void limits(void) {
  sqlite3 *db = open_with_schema();
  sqlite3_stmt *opens =
      prepare(db,
              "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
              "LIMIT 27) SELECT bloom_open(bloom_build('key ' || i, 10, "
              "CASE WHEN i <= 10 THEN 25600000 ELSE 1000 END)) FROM n "
              "GROUP BY i");
  sqlite3_stmt *match = prepare(db, "SELECT bloom_may_match(?2, ?1)");
  sqlite3_int64 handles[28];
  const sqlite3_int64 before = sqlite3_memory_used();
  for (int i = 1; i <= 25; i++) {
    sqlite3_step(opens);
    handles[i] = sqlite3_column_int64(opens, 0);
  }
  int kept = 0;
  for (int i = 1; i <= 25; i++) kept += probe_with(match, handles[i], "x") == 0;
  ok(kept == 24, "the newest 16 do not count: %d of 25 are kept", kept);
  sqlite3_step(opens);
  handles[26] = sqlite3_column_int64(opens, 0);
  const sqlite3_int64 used = sqlite3_memory_used() - before;
  ok(used > MAX_OLDER - 32000000 && used < MAX_OLDER + 1000000,
     "%lld bytes are kept", (long long)used);
  int right = 1;
  for (int i = 1; i <= 26; i++) {
    char key[16];
    snprintf(key, sizeof(key), "key %d", i);
    right &= probe_with(match, handles[i], key) == 1 &&
             probe_with(match, handles[i], "x") == (i <= 2);
  }
  ok(right, "the oldest match everything, the others what they did before");
  static const char *const takes[] = {
      "SELECT bloom_add(?1, 'x')", "SELECT bloom_merge(?1)",
      "SELECT * FROM bloom_info(?1)", "SELECT bloom_open(0, 1, ?1)"};
  for (int i = 0; i < 4; i++) {
    sqlite3_stmt *statement = prepare(db, takes[i]);
    sqlite3_bind_int64(statement, 1, handles[1]);
    ok(fails(db, statement,
             "must still be open, got a handle whose filter was evicted (a "
             "statement keeps its newest 16 filters and 256 MB of older ones)"),
       "an error of the oldest: %s", takes[i]);
    sqlite3_finalize(statement);
  }
  sqlite3_stmt *open = prepare(db, "SELECT bloom_open(?1)");
  sqlite3_bind_int64(open, 1, handles[1]);
  ok(first_integer(open) == handles[1], "bloom_open gives it back");
  sqlite3_finalize(open);
  sqlite3_reset(opens);
  ok(sqlite3_memory_used() - before < 1000000, "all is freed at the end");
  sqlite3_finalize(opens);
  sqlite3_finalize(match);
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
  sqlite3 *db = open_with_schema();
  sqlite3_stmt *open = prepare(db, "SELECT bloom_open(f) FROM filter, key");
  sqlite3_stmt *match = prepare(db, "SELECT bloom_may_match(?2, ?1)");
  sqlite3_step(open);
  const sqlite3_int64 handle = sqlite3_column_int64(open, 0);
  ok(probe_with(match, handle, "x") == 0, "a handle is found");
  kept_back_count = 0;
  sqlite3_reset(open);
  ok(kept_back_count > 0 && fails(db, match, NOT_OPEN),
     "and not once its statement has ended, in memory that nothing overwrote");
  while (kept_back_count > 0) system_memory.xFree(kept_back[--kept_back_count]);
  kept_back_count = -1;
  sqlite3_finalize(open);
  sqlite3_finalize(match);
  sqlite3_close(db);
}

/* A constant filter is opened once. It is opened again if the statement has
** evicted it because of the many others that it opened. */
static void constant_beside_others(void) {
  sqlite3 *db = open_with_schema();
  sqlite3_stmt *rows =
      prepare(db,
              "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
              "LIMIT 300) SELECT bloom_may_match('x', bloom_open(?1)), "
              "bloom_open(?1), bloom_open(CAST(zeroblob(1000000 + i) || x'06' "
              "AS BLOB)) FROM n");
  sqlite3_bind_blob(rows, 1, "\x00\x06", 2, SQLITE_STATIC);
  int matches = 0, handles = 0;
  sqlite3_int64 last = 0;
  while (sqlite3_step(rows) == SQLITE_ROW) {
    matches += sqlite3_column_int(rows, 0) != 0;
    handles += sqlite3_column_int64(rows, 1) != last;
    last = sqlite3_column_int64(rows, 1);
  }
  ok(sqlite3_reset(rows) == SQLITE_OK && matches == 0 && handles == 2,
     "a constant filter beside 300 MB of others: %d handles, %d matches",
     handles, matches);
  sqlite3_finalize(rows);
  sqlite3_close(db);
}

/* ---- The same bytes, and bytes that look the same. */

static void same_bytes(void) {
  sqlite3 *db = open_with_schema();
  ok(integer_of(db, "SELECT count(DISTINCT bloom_open(f)) FROM part") == 1,
     "the same bytes are one handle");
  ok(integer_of(db,
                "SELECT count(DISTINCT h) FROM (SELECT bloom_open(part, parts, "
                "f) AS h FROM part, key WHERE parts = 2 GROUP BY key.rowid)") ==
         1,
     "so are the same parts");
  ok(integer_of(db,
                "SELECT count(*) = count(DISTINCT h) FROM (SELECT "
                "bloom_open(f) AS h FROM filter UNION ALL SELECT "
                "bloom_open(part, parts, f) FROM part GROUP BY parts "
                "UNION ALL SELECT bloom_open(0, 1, f) FROM filter)") == 1,
     "other numbers of parts have other handles");
  /* The bytes f176ec0501 are the polynomial of CRC-32C: XORed into others at
  ** any place, they do not change the crc. So these 200 filters have one
  ** crc. */
  run(db,
      "CREATE TABLE alike(i, f BLOB);"
      "INSERT INTO alike WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL "
      "  SELECT i + 1 FROM n LIMIT 200) SELECT i, CAST(zeroblob(5 * i) "
      "  || x'f176ec0501' || zeroblob(995 - 5 * i) || x'01' AS BLOB) FROM n");
  ok(integer_of(db,
                "SELECT count(DISTINCT crc32c(f)) = 1 AND "
                "count(DISTINCT f) = 200 FROM alike") == 1,
     "200 filters have one crc");
  ok(integer_of(db, "SELECT count(DISTINCT bloom_open(f)) FROM alike") == 200,
     "and each has its own handle");
  ok(integer_of(db,
                "SELECT count(*) FROM (SELECT f, bloom_open(f) AS h FROM alike "
                "ORDER BY i), (SELECT DISTINCT hex(f) AS k FROM alike) WHERE "
                "bloom_may_match(k, h) IS NOT bloom_may_match(k, f)") == 0,
     "which matches what its own bytes match");
  ok(integer_of(db,
                "SELECT count(*) FROM alike WHERE bloom_add(bloom_open(f), "
                "NULL) IS NOT f") == 0,
     "and stands for these bytes");
  ok(integer_of(db,
                "SELECT count(*) FROM (SELECT f, bloom_open(f) AS h FROM alike "
                "ORDER BY random() LIMIT 200) WHERE bloom_add(h, NULL) IS NOT "
                "f") == 0,
     "as it does when all of them are open");
  sqlite3_close(db);
}

/* Seven parts of 1, 4, ... 19 bits a key, which need more room than the size of
** the first one suggests. Each key is probed in its own part. */
static void parts_differ(void) {
  sqlite3 *db = open_with_schema();
  run(db,
      "CREATE TABLE n AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL "
      "  SELECT i + 1 FROM n LIMIT 10000) SELECT i FROM n;"
      "CREATE TABLE parts7 AS SELECT bloom_part(i, 7) AS p,"
      "  bloom_build(i, 1 + 3 * bloom_part(i, 7)) AS f FROM n"
      "  WHERE i <= 5000 GROUP BY 1 ORDER BY 1");
  static const char *const orders[] = {"p", "-p", "p % 3"};
  for (int i = 0; i < 3; i++) {
    char sql[400];
    snprintf(sql, sizeof(sql),
             "SELECT count(*) FROM n JOIN parts7 ON p = bloom_part(i, 7) "
             "WHERE bloom_may_match(i, f) IS NOT bloom_may_match(i, "
             "(SELECT bloom_open(p, 7, f) FROM (SELECT * FROM parts7 "
             "ORDER BY %s LIMIT 7))) OR i <= 5000 AND bloom_may_match(i, f) "
             "IS NOT 1",
             orders[i]);
    ok(integer_of(db, sql) == 0, "parts in the order of %s", orders[i]);
  }
  sqlite3_close(db);
}

int main(void) {
  use_keeping_memory();
  sqlite3_auto_extension((void (*)(void))sqlite3_bloom_init);
  sqlite3_initialize();
  printf("# SQLite %s\n", sqlite3_libversion());
  idle = sqlite3_memory_used();
  changed_meanwhile();
  run_again();
  ends();
  closed_midway();
  passed_on();
  two_at_once();
  triggers();
  abandoned();
  registered_again();
  limits();
  ends_in_memory_that_stays();
  constant_beside_others();
  same_bytes();
  parts_differ();
  sqlite3_reset_auto_extension();
  sqlite3_shutdown();
  ok(sqlite3_memory_used() == 0, "nothing is left in memory");
  return tap_done();
}
