/* What a call of bloom_create_parts, bloom_create_blocks, bloom_drop_parts or
** bloom_drop_blocks leaves when it fails: everything that was there before, and
** no transaction or savepoint of its own. SQLite and the extension are linked
** in.
**
** usage: kept_test [TRIES]
**   At most TRIES places of each kind in a call fail in turn, by default 2. */
#define _POSIX_C_SOURCE 200809L
#include <limits.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bloom_ext.h"
#include "lib/failing.h"
#include "lib/grammar.h"
#include "lib/tap.h"

/* ---- A database, a call, and what surrounds it. */

static const char schema[] =
    "CREATE TABLE t(id INTEGER PRIMARY KEY, c TEXT NOT NULL DEFAULT 'none',"
    "  d TEXT COLLATE NOCASE);"
    "CREATE TABLE log(x);"
    "CREATE VIEW seen AS SELECT * FROM t;"
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 40)"
    "  INSERT INTO t(id, c) SELECT i, 'key ' || (i % 30) FROM n;"
    "INSERT INTO log VALUES ('a row');";

#define CREATE_PARTS "SELECT bloom_create_parts('t', 'c')"
#define CREATE_BLOCKS "SELECT bloom_create_blocks('t', 'c', 10, 16)"
#define DROP_PARTS "SELECT bloom_drop_parts('t', 'c')"
#define DROP_BLOCKS "SELECT bloom_drop_blocks('t', 'c')"

static const struct kept_call {
  const char *name;
  const char *before; /* runs once, without a failure */
  const char *sql;
} calls[] = {
    {"create parts", "", CREATE_PARTS},
    {"create blocks", "", CREATE_BLOCKS},
    {"make parts anew", CREATE_PARTS,
     "SELECT bloom_create_parts('T', 'C', 20, 3000)"},
    {"make blocks anew", CREATE_BLOCKS,
     "SELECT bloom_create_blocks('t', 'c', 20, 8)"},
    {"drop parts", CREATE_PARTS, DROP_PARTS},
    {"drop blocks", CREATE_BLOCKS, DROP_BLOCKS},
};

/* What the caller has begun before the call. */
static const struct surroundings {
  const char *name;
  const char *sql;
} surroundings[] = {
    {"alone", ""},
    {"after a change in BEGIN", "BEGIN; INSERT INTO t(c) VALUES ('new')"},
    {"after a change in SAVEPOINT",
     "SAVEPOINT outside; INSERT INTO t(c) VALUES ('new')"},
    {"in BEGIN", "BEGIN"},
    {"in SAVEPOINT", "SAVEPOINT outside"},
};

enum { ALONE, CHANGED_IN_BEGIN, CHANGED_IN_SAVEPOINT, IN_BEGIN, IN_SAVEPOINT };

/* All that differ to a call, and those without a lock. */
static const int different[] = {ALONE, CHANGED_IN_BEGIN, CHANGED_IN_SAVEPOINT};
static const int unlocked[] = {ALONE, IN_BEGIN, IN_SAVEPOINT};

/* Where the database is. */
static const struct place {
  const char *name;
  const char *pragma; /* sets its journal mode; NULL for one in memory */
} places[] = {{"memory", NULL},
              {"a file", "PRAGMA journal_mode = DELETE"},
              {"a file with WAL", "PRAGMA journal_mode = WAL"}};

static char folder[] = "/tmp/kept_test.XXXXXX";
static char path[80];

static sqlite3 *connect_to(const char *name) {
  sqlite3 *db;
  if (sqlite3_open(name, &db) != SQLITE_OK) {
    fprintf(stderr, "%s: %s\n", name, sqlite3_errmsg(db));
    exit(1);
  }
  return db;
}

/* A new database in memory, with these changes. */
static sqlite3 *in_memory(const char *changes) {
  sqlite3 *db = connect_to(":memory:");
  run(db, schema);
  run(db, changes);
  return db;
}

/* The database before each call, in memory. Copying it takes less time than
** making it again. */
static sqlite3 *originals[COUNT(calls)];

/* A new connection to a new copy of the database. */
static sqlite3 *open_copy(const struct kept_call *call,
                          const struct place *place) {
  const bool in_file = place->pragma != NULL;
  if (in_file) remove_database(path);
  sqlite3 *db = connect_to(in_file ? path : ":memory:");
  if (in_file) run(db, "PRAGMA synchronous = OFF");
  if (in_file) run(db, place->pragma);
  sqlite3_backup *copy =
      sqlite3_backup_init(db, "main", originals[call - calls], "main");
  sqlite3_backup_step(copy, -1);
  if (sqlite3_backup_finish(copy) != SQLITE_OK) {
    fprintf(stderr, "%s\n", sqlite3_errmsg(db));
    exit(1);
  }
  run(db, "INSERT INTO log VALUES ('the last row')");
  return db;
}

/* ---- The state of a connection. */

/* Adds the rows of a query to a checksum. */
static uint64_t add_rows(sqlite3 *db, uint64_t sum, const char *sql) {
  sqlite3_stmt *rows = prepare(db, sql);
  while (sqlite3_step(rows) == SQLITE_ROW) {
    for (int i = 0; i < sqlite3_column_count(rows); i++) {
      const unsigned char *bytes = sqlite3_column_blob(rows, i);
      const int size = sqlite3_column_bytes(rows, i);
      sum = (sum ^ (uint64_t)sqlite3_column_type(rows, i)) * 0x100000001b3;
      for (int b = 0; b < size; b++) sum = (sum ^ bytes[b]) * 0x100000001b3;
    }
  }
  if (sqlite3_finalize(rows) != SQLITE_OK) {
    fprintf(stderr, "%s: %s\n", sql, sqlite3_errmsg(db));
    exit(1);
  }
  return sum;
}

/* A checksum of the schema and of all rows, as this connection sees them. */
static uint64_t contents(sqlite3 *db) {
  uint64_t sum = add_rows(db, 0xcbf29ce484222325,
                          "SELECT type, name, tbl_name, sql FROM sqlite_master "
                          "ORDER BY rowid");
  sqlite3_stmt *tables = prepare(
      db,
      "SELECT 'SELECT rowid, * FROM \"' || name || '\" ORDER BY rowid' "
      "FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'words%' "
      "ORDER BY name");
  while (sqlite3_step(tables) == SQLITE_ROW) {
    sum = add_rows(db, sum, (const char *)sqlite3_column_text(tables, 0));
  }
  sqlite3_finalize(tables);
  return sum;
}

typedef struct state {
  bool autocommit;
  uint64_t contents;
  sqlite3_int64 last_rowid;
} state;

static state state_of(sqlite3 *db) {
  return (state){sqlite3_get_autocommit(db), contents(db),
                 sqlite3_last_insert_rowid(db)};
}

static bool same_state(const char *when, const state *got, const state *right) {
  return (got->autocommit == right->autocommit ||
          mismatch("%s: autocommit is %d", when, got->autocommit)) &&
         (got->contents == right->contents ||
          mismatch("%s: other contents", when)) &&
         (got->last_rowid == right->last_rowid ||
          mismatch("%s: last_insert_rowid is %lld", when,
                   (long long)got->last_rowid));
}

/* Whether the call has left no transaction, savepoint or running statement. */
static bool nothing_open(sqlite3 *db) {
  for (sqlite3_stmt *s = sqlite3_next_stmt(db, NULL); s != NULL;
       s = sqlite3_next_stmt(db, s)) {
    if (sqlite3_stmt_busy(s)) return mismatch("open: %s", sqlite3_sql(s));
  }
  if (sqlite3_exec(db, "RELEASE bloom", NULL, NULL, NULL) != SQLITE_ERROR ||
      strcmp(sqlite3_errmsg(db), "no such savepoint: bloom") != 0) {
    return mismatch("RELEASE bloom: %s", sqlite3_errmsg(db));
  }
  return true;
}

/* A connection and its states: before the caller has begun anything, before the
** call, and after a call that succeeds. */
typedef struct world {
  sqlite3 *db;
  const struct kept_call *call;
  const struct surroundings *around;
  state outside, before, after;
} world;

static state afters[COUNT(calls)][COUNT(surroundings)];

static world open_world(const struct kept_call *call,
                        const struct surroundings *around,
                        const struct place *place) {
  world w = {.db = open_copy(call, place), .call = call, .around = around};
  w.outside = state_of(w.db);
  run(w.db, around->sql);
  w.before = state_of(w.db);
  w.after = afters[call - calls][around - surroundings];
  return w;
}

static void make_originals(void) {
  for (size_t i = 0; i < COUNT(calls); i++) {
    originals[i] = in_memory(calls[i].before);
    for (size_t a = 0; a < COUNT(surroundings); a++) {
      testing("%s %s, where nothing fails", calls[i].name,
              surroundings[a].name);
      const world w = open_world(&calls[i], &surroundings[a], &places[0]);
      run(w.db, calls[i].sql);
      afters[i][a] = state_of(w.db);
      /* Requirement: a call leaves this as it was. */
      afters[i][a].last_rowid = w.before.last_rowid;
      sqlite3_close(w.db);
    }
  }
}

/* Runs SQL and returns the code with which it ended; *message, unless NULL,
** becomes what the connection says about it. */
static int attempt(sqlite3 *db, const char *sql, char message[200]) {
  sqlite3_stmt *statement;
  int code = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
  while (code == SQLITE_OK || code == SQLITE_ROW) {
    code = sqlite3_step(statement);
  }
  if (message != NULL) snprintf(message, 200, "%s", sqlite3_errmsg(db));
  sqlite3_finalize(statement);
  return code;
}

/* Whether a call that failed has left nothing behind, and, unless it may end
** the caller's transaction, that transaction still exists. */
static bool undone(const world *w, bool may_end) {
  const state now = state_of(w->db);
  const bool ended = now.autocommit && !w->before.autocommit;
  if (ended && !may_end) {
    return mismatch("the caller's transaction has ended");
  }
  state right = ended ? w->outside : w->before;
  right.last_rowid = w->before.last_rowid;
  return same_state("after the error", &now, &right) && nothing_open(w->db);
}

/* Whether the call succeeds now, and the caller's rollback undoes it. */
static bool succeeds(const world *w) {
  if (!w->before.autocommit && sqlite3_get_autocommit(w->db)) {
    run(w->db, w->around->sql);
  }
  char message[200];
  if (attempt(w->db, w->call->sql, message) != SQLITE_DONE) {
    return mismatch("called again: %s", message);
  }
  const state after = state_of(w->db);
  if (!same_state("called again", &after, &w->after) || !nothing_open(w->db)) {
    return false;
  }
  if (w->before.autocommit) return true;
  run(w->db, "ROLLBACK");
  return contents(w->db) == w->outside.contents ||
         mismatch("the caller's rollback leaves something");
}

static bool closes(sqlite3 *db) {
  return sqlite3_close(db) == SQLITE_OK ||
         mismatch("the connection does not close");
}

/* ---- Calls that are refused in words. */

static const char *own_word(const char *word, const char *a, const char *b) {
  (void)word, (void)a, (void)b;
  return NULL;
}

static void is_refused(const struct form *refusal,
                       const struct surroundings *around) {
  const char *names[] = {"", "", "", ""}; /* name, message, call, before */
  const int codes[] = {SQLITE_ERROR, SQLITE_BUSY, SQLITE_LOCKED};
  int i = 0;
  arena_used = 0;
  read_fields(expand(refusal->sql, "", ""), names, 4);
  if (sqlite3_libversion_number() < refusal->since ||
      ((refusal->effect & 8) && !sqlite3_compileoption_used("ENABLE_FTS5"))) {
    skip(1, "this SQLite does not have it");
    return;
  }
  while (!(refusal->effect >> i & 1)) i++;
  testing("refused %s: %s", around->name, names[0]);
  world w = {.db = open_copy(&calls[0], &places[0]), .around = around};
  run(w.db, names[3]);
  w.outside = state_of(w.db);
  run(w.db, around->sql);
  w.before = state_of(w.db);
  char message[200];
  const int code = attempt(w.db, names[2], message);
  bool right = code == codes[i] && strstr(message, names[1]);
  if (!right) mismatch("(%d) %s", code, message);
  right &= undone(&w, false);
  tested(closes(w.db) && right);
}

/* ---- What stands in the way of a call, which succeeds without it. Each of
** these functions puts it there, or takes it away and returns whether it is as
** it was. */

static bool cursor(sqlite3 *db, bool on) {
  static sqlite3_stmt *cursor, *finished;
  static int rows;
  bool right = true;
  if (on) {
    cursor = prepare(db, "SELECT count(*) OVER () FROM t");
    finished = prepare(db, "SELECT id FROM t");
    for (rows = 0; sqlite3_step(finished) == SQLITE_ROW;) rows++;
    return sqlite3_step(cursor) == SQLITE_ROW;
  }
  for (int row = 1; row < rows; row++) {
    right &= sqlite3_step(cursor) == SQLITE_ROW &&
             sqlite3_column_int(cursor, 0) == rows;
  }
  right &= sqlite3_step(cursor) == SQLITE_DONE;
  sqlite3_finalize(cursor);
  sqlite3_finalize(finished);
  return right;
}

static bool blob(sqlite3 *db, bool on) {
  static sqlite3_blob *blob;
  char bytes[3] = "";
  if (on) {
    return sqlite3_blob_open(db, "main", "t", "c", 1, 0, &blob) == SQLITE_OK;
  }
  const bool right = sqlite3_blob_read(blob, bytes, 3, 0) == SQLITE_OK &&
                     memcmp(bytes, "key", 3) == 0;
  return sqlite3_blob_close(blob) == SQLITE_OK && right;
}

static bool query_only(sqlite3 *db, bool on) {
  run(db, on ? "PRAGMA query_only = 1" : "PRAGMA query_only = 0");
  return true;
}

static bool short_statements(sqlite3 *db, bool on) {
  static int length;
  const int before = sqlite3_limit(db, SQLITE_LIMIT_LENGTH, on ? 800 : length);
  length = before;
  return true;
}

static bool writer(sqlite3 *db, bool on) {
  static sqlite3 *other;
  (void)db;
  if (on) other = connect_to(path);
  run(other, on ? "BEGIN IMMEDIATE" : "ROLLBACK");
  return on || sqlite3_close(other) == SQLITE_OK;
}

#define RUNNING                                         \
  "another statement of this connection is running: "   \
  "read its rows to the end, or close its cursor, and " \
  "call again"

static const struct obstacle {
  const char *name;
  int code;
  const char *message;
  bool (*put)(sqlite3 *, bool on);
  bool in_file;
} obstacles[] = {
    {"a cursor that was not read to its end", SQLITE_BUSY, RUNNING, cursor,
     false},
    {"an open blob", SQLITE_BUSY, RUNNING, blob, false},
    {"query_only", SQLITE_READONLY, "", query_only, false},
    {"its statements are longer than SQLite's limit", SQLITE_TOOBIG, "",
     short_statements, false},
    {"another connection writes", SQLITE_BUSY, "", writer, true},
};

/* Whether the call fails with this code and message. */
static bool fails(const world *w, int code, const char *with) {
  char message[200];
  const int got = attempt(w->db, w->call->sql, message);
  return (got == code && strstr(message, with) != NULL) ||
         mismatch("(%d) %s", got, message);
}

static void is_in_the_way(const struct obstacle *obstacle,
                          const struct kept_call *call,
                          const struct surroundings *around,
                          const struct place *place) {
  testing("%s %s in %s: %s", call->name, around->name, place->name,
          obstacle->name);
  world w = open_world(call, around, place);
  bool right = obstacle->put(w.db, true);
  right &= fails(&w, obstacle->code, obstacle->message);
  right &= obstacle->put(w.db, false);
  right = right && undone(&w, false) && succeeds(&w);
  tested(closes(w.db) && right);
}

static void all_in_the_way(const struct kept_call *call,
                           const struct surroundings *around,
                           const struct place *place) {
  for (size_t i = 0; i < COUNT(obstacles); i++) {
    if (obstacles[i].in_file != (place->pragma != NULL)) continue;
    is_in_the_way(&obstacles[i], call, around, place);
  }
}

static void read_only_file(const struct kept_call *call,
                           const struct surroundings *around) {
  testing("%s %s: a file that is read only", call->name, around->name);
  world w = open_world(call, &surroundings[ALONE], &places[1]);
  sqlite3_close(w.db);
  sqlite3_open_v2(path, &w.db, SQLITE_OPEN_READONLY, NULL);
  run(w.db, around->sql);
  w.before = state_of(w.db);
  const bool right = fails(&w, SQLITE_READONLY, "") && undone(&w, false);
  tested(closes(w.db) && right);
}

/* ---- Locks. */

/* A busy handler that ends the other connection's transaction. */
static int waits;

static int wait_for(void *other, int times) {
  waits = times + 1;
  return sqlite3_exec(other, "COMMIT", NULL, NULL, NULL) == SQLITE_OK;
}

static void waits_for_another(const struct kept_call *call,
                              const struct surroundings *around,
                              const struct place *place) {
  testing("%s %s in %s: waits for another connection", call->name, around->name,
          place->name);
  world w = open_world(call, around, place);
  sqlite3 *other = connect_to(path);
  run(other, "BEGIN IMMEDIATE; PRAGMA user_version = 7");
  if (!w.before.autocommit) { /* open_world has read in it */
    run(w.db, "ROLLBACK");
    run(w.db, around->sql);
  }
  waits = 0;
  sqlite3_busy_handler(w.db, wait_for, other);
  const bool right = succeeds(&w) && (waits == 1 || mismatch("%d", waits));
  sqlite3_close(other);
  tested(closes(w.db) && right);
}

/* A writer of an attached database does not disturb the call. */
static void another_writes_elsewhere(const struct kept_call *call,
                                     const struct place *place) {
  testing("%s: another connection writes to %s, attached", call->name,
          place->name);
  world w = open_world(call, &surroundings[ALONE], &places[0]);
  sqlite3_close(open_copy(&calls[0], place));
  sqlite3 *other = connect_to(path);
  run(other, "BEGIN IMMEDIATE");
  char *sql = sqlite3_mprintf("ATTACH %Q AS attached", path);
  run(w.db, sql);
  sqlite3_free(sql);
  const bool right = succeeds(&w);
  sqlite3_close(other);
  tested(closes(w.db) && right);
}

/* Without WAL, nothing can be committed while another connection reads. */
static void another_reads(const struct kept_call *call,
                          const struct surroundings *around,
                          const struct place *place) {
  testing("%s %s in %s: another connection reads, to its end", call->name,
          around->name, place->name);
  world w = open_world(call, around, place);
  sqlite3 *other = connect_to(path);
  sqlite3_stmt *cursor = prepare(other,
                                 "SELECT count(*) FROM t UNION ALL "
                                 "SELECT id FROM t");
  sqlite3_step(cursor);
  int rows = sqlite3_column_int(cursor, 0);
  const bool locked =
      around == &surroundings[ALONE] && strstr(place->pragma, "DELETE") != NULL;
  bool right =
      locked ? fails(&w, SQLITE_BUSY, "") && undone(&w, false) : succeeds(&w);
  while (rows > 0 && sqlite3_step(cursor) == SQLITE_ROW) rows--;
  right &= sqlite3_step(cursor) == SQLITE_DONE && (!locked || succeeds(&w));
  sqlite3_finalize(cursor);
  sqlite3_close(other);
  tested(closes(w.db) && right && rows == 0);
}

/* ---- The extension loaded twice. (stress/surroundings.c has every PRAGMA and
** option.) */

/* Before 3.31, a table-valued function is registered only once. */
static void loaded_twice(const struct kept_call *call,
                         const struct surroundings *around) {
  if (sqlite3_libversion_number() < 3031000) {
    skip(1, "this SQLite is older");
    return;
  }
  testing("%s %s: loaded twice", call->name, around->name);
  world w = open_world(call, around, &places[0]);
  sqlite3_bloom_init(w.db, NULL, NULL);
  const bool right = succeeds(&w);
  run(w.db, "INSERT INTO t(c) VALUES ('late'); UPDATE t SET c = c || '!'");
  tested(closes(w.db) && right);
}

/* ---- The spans, read row by row. */

/* A program reads the rows of each span and inserts rows meanwhile, which close
** blocks: each row that was there before is in one span. */
static void read_row_by_row(int spans_before) {
  testing("blocks that are closed after %d spans move no row", spans_before);
  sqlite3 *db = in_memory(CREATE_BLOCKS);
  sqlite3_stmt *spans = prepare(db, "SELECT first, last FROM t_c_spans");
  sqlite3_stmt *rows = prepare(
      db, "SELECT count(*) FROM t WHERE id <= 40 AND id BETWEEN ?1 AND ?2");
  sqlite3_int64 found = 0;
  for (int n = 0; sqlite3_step(spans) == SQLITE_ROW; n++) {
    if (n == spans_before) {
      run(db,
          "INSERT INTO t(id, c) VALUES (41, 'x'), (60, 'y'), (80, 'z'), "
          "(5000, 'far')");
    }
    sqlite3_bind_value(rows, 1, sqlite3_column_value(spans, 0));
    sqlite3_bind_value(rows, 2, sqlite3_column_value(spans, 1));
    sqlite3_step(rows);
    found += sqlite3_column_int64(rows, 0);
    sqlite3_reset(rows);
  }
  sqlite3_finalize(spans);
  sqlite3_finalize(rows);
  const bool right = (found == 40 || mismatch("%lld", (long long)found)) &&
                     integer_of(db, "SELECT count(*) FROM t_c_blocks") == 5;
  tested(closes(db) && right);
}

/* ---- A failure at each place of a call, in turn. */

static long places_seen;  /* since a failure was armed */
static long failing_from; /* the first place that fails; 0 for none */
static bool only_one;     /* the later places do not fail */

static bool fails_here(void) {
  places_seen++;
  return failing_from != 0 && places_seen >= failing_from &&
         (!only_one || places_seen == failing_from);
}

static int deny(void *unused, int action, const char *first, const char *second,
                const char *third, const char *fourth) {
  (void)unused, (void)action, (void)first, (void)second, (void)third;
  (void)fourth;
  return fails_here() ? SQLITE_DENY : SQLITE_OK;
}

static void authorizer(sqlite3 *db, bool armed) {
  sqlite3_set_authorizer(db, armed ? deny : NULL, NULL);
}

static int stop(void *unused) {
  (void)unused;
  return fails_here();
}

static void progress(sqlite3 *db, bool armed) {
  sqlite3_progress_handler(db, 1, armed ? stop : NULL, NULL);
}

static int interrupt(unsigned type, void *db, void *statement, void *sql) {
  (void)type, (void)statement, (void)sql;
  if (fails_here()) sqlite3_interrupt(db);
  return 0;
}

static void interrupts(sqlite3 *db, bool armed) {
  sqlite3_trace_v2(db, armed ? SQLITE_TRACE_STMT : 0, interrupt, db);
}

static void memory(sqlite3 *db, bool armed) {
  (void)db;
  fail_all_after = !only_one;
  fail_from(!armed ? 0 : failing_from == 0 ? LONG_MAX : failing_from);
  if (!armed) places_seen = allocations;
}

static void pages(sqlite3 *db, bool armed) {
  static long before;
  const long now = (long)integer_of(db, "PRAGMA page_count");
  const long more = failing_from == 0 ? 1000 : failing_from - 1;
  char sql[80];
  snprintf(sql, sizeof(sql), "PRAGMA max_page_count = %ld",
           armed ? now + more : 1000000);
  run(db, sql);
  places_seen = now - before;
  before = now;
}

static const struct failure {
  const char *name;
  int code;
  bool only_one;
  bool may_end; /* the caller's transaction */
  void (*arm)(sqlite3 *, bool armed);
} failures_at[] = {
    {"an authorizer denies one action", SQLITE_AUTH, true, false, authorizer},
    {"an authorizer denies all from one on", SQLITE_AUTH, false, true,
     authorizer},
    {"a progress handler stops it once", SQLITE_INTERRUPT, true, true,
     progress},
    {"a progress handler stops all from one on", SQLITE_INTERRUPT, false, true,
     progress},
    {"an interrupt at a statement", SQLITE_INTERRUPT, true, true, interrupts},
    {"one allocation fails", SQLITE_NOMEM, true, true, memory},
    {"all allocations fail from one on", SQLITE_NOMEM, false, true, memory},
    {"the database may have no more pages", SQLITE_FULL, false, true, pages},
};

/* SQLite itself reports some denials as SQLITE_ERROR. Before 3.38, if access to
** the table of a pragma is denied, the table is unknown, and if what ALTER
** TABLE does to the schema is denied, the error has no message of its own. */
static bool is_of(const struct failure *failure, int code,
                  const char *message) {
  return code == failure->code ||
         (code == SQLITE_ERROR && failure->code == SQLITE_AUTH &&
          (strstr(message, "not authorized") != NULL ||
           strstr(message, "prohibited") != NULL ||
           strstr(message, "an authorizer hides the schema") != NULL ||
           strstr(message, "no such table: main.pragma_") != NULL ||
           strstr(message, ": SQL logic error") != NULL));
}

/* What a failure led to. TOO_LATE: the call had finished, and only the
** statement that called it failed. */
typedef enum outcome { UNDONE, DONE, TOO_LATE, WRONG } outcome;

/* Makes the call while the n-th place fails; if n is 0, none does. */
static outcome fail_at_place(const struct failure *failure, const world *w,
                             long n) {
  char message[200];
  failing_from = n;
  only_one = failure->only_one;
  places_seen = 0;
  failure->arm(w->db, true);
  const int code = attempt(w->db, w->call->sql, message);
  failure->arm(w->db, false);
  const state now = state_of(w->db);
  if (code != SQLITE_DONE && !is_of(failure, code, message)) {
    mismatch("(%d) %s", code, message);
    return WRONG;
  }
  if (code == SQLITE_DONE || now.contents == w->after.contents) {
    if (!same_state("done", &now, &w->after) || !nothing_open(w->db)) {
      return WRONG;
    }
    return code == SQLITE_DONE ? DONE : TOO_LATE;
  }
  return undone(w, failure->may_end) && succeeds(w) ? UNDONE : WRONG;
}

/* At most so many places of a kind fail in a call. */
static long tries = 2;

static void fails_everywhere(const struct failure *failure,
                             const struct kept_call *call,
                             const struct surroundings *around,
                             const struct place *place) {
  if (sqlite3_libversion_number() < 3038000 && failure->code == SQLITE_NOMEM &&
      strncmp(call->name, "drop", 4) == 0) {
    skip(1,
         "DROP TABLE out of memory leaves the transaction, and no function "
         "can end it");
    return;
  }
  testing("%s %s in %s: %s", call->name, around->name, place->name,
          failure->name);
  long total = 0, step = 1, counts[3] = {0};
  bool right = true;
  for (long n = 0; n <= total && right; n += step) {
    world w = open_world(call, around, place);
    const outcome result = fail_at_place(failure, &w, n);
    right = closes(w.db) && result != WRONG;
    if (n == 0) {
      total = places_seen;
      step = total / tries + 1;
      right &= result == DONE;
    } else {
      right = right && (result != UNDONE || counts[TOO_LATE] == 0);
      counts[result % 3]++;
    }
    if (!right) printf("# at place %ld of %ld\n", n, total);
  }
  ok(right, "%s (%ld times undone, %ld done, %ld too late)", tap_name,
     counts[UNDONE], counts[DONE], counts[TOO_LATE]);
}

/* ---- Whether the views know that a filter is not kept any more. */

/* 1 if the filter in parts is kept, plus 2 if that of blocks is; the statement
** reads no table, or one. */
#define KEPT                                  \
  "SELECT bloom_is_kept('parts', 't', 'c') +" \
  " 2 * bloom_is_kept('blocks', 't', 'c')"
#define KEPT_READING KEPT " FROM log LIMIT 1"

/* The rows that a view of a schema loses. */
#define LOST_IN(schema)                           \
  "SELECT count(*) FROM " schema                  \
  ".t AS k WHERE ifnull(NOT bloom_may_match(c,"   \
  "  (SELECT filter FROM " schema                 \
  ".t_c_filter)), 0)"                             \
  " OR bloom_may_match(c, (SELECT f FROM " schema \
  ".t_c_part"                                     \
  "  WHERE part = bloom_part(k.c, parts))) IS 0"  \
  " OR NOT EXISTS (SELECT 1 FROM " schema         \
  ".t_c_spans AS s"                               \
  "  WHERE id BETWEEN s.first AND s.last AND bloom_may_match(c, s.f) IS NOT 0)"
#define LOST LOST_IN("main")

#define WRONG "SELECT count(*) FROM bloom_check"

/* Problems that are not of speed alone. */
#define LOSSES                                             \
  WRONG                                                    \
  " WHERE NOT (instr(problem, 'cost more than a scan') OR" \
  "  instr(problem, 'no filter for'))"

/* A row of a closed block comes without its keys. */
#define STALE                                                       \
  "DROP TRIGGER t_c_parts_insert; DROP TRIGGER t_c_blocks_insert; " \
  "INSERT INTO t(id, c) VALUES (0, 'lost')"
#define CREATE_BOTH CREATE_PARTS ";" CREATE_BLOCKS

static bool is(sqlite3 *db, const char *sql, sqlite3_int64 right) {
  const sqlite3_int64 got = integer_of(db, sql);
  return got == right ||
         mismatch("%s: %lld, not %lld", sql, (long long)got, (long long)right);
}

/* Many versions of SQLite let a CHECK of a file that strangers made call every
** function, when a PRAGMA tests it. Others refuse to make such a table. */
static void called_by_check(void) {
  sqlite3 *db = in_memory("");
  sqlite3_exec(db,
               "CREATE TABLE asks(x CHECK (bloom_create_parts('t', 'c') <> 1));"
               "PRAGMA ignore_check_constraints = ON;"
               "INSERT INTO asks VALUES (1);"
               "PRAGMA ignore_check_constraints = OFF",
               NULL, NULL, NULL);
  sqlite3_exec(db, "PRAGMA integrity_check", NULL, NULL, NULL);
  ok(is(db, "SELECT count(*) FROM sqlite_master WHERE name GLOB 't_c_*'", 0),
     "a CHECK makes no filter");
  sqlite3_close(db);
}

/* Whether these filters are kept, by each kind of statement, and no view loses
** a row. */
static bool keeps(sqlite3 *db, int kept) {
  return is(db, KEPT, kept) && is(db, LOST, 0) && is(db, KEPT_READING, kept) &&
         is(db, KEPT_READING, kept);
}

/* A new connection to a new file with kept filters. */
static sqlite3 *open_kept(void) {
  remove_database(path);
  sqlite3 *db = connect_to(path);
  run(db, "PRAGMA journal_mode = WAL");
  run(db, schema);
  run(db, CREATE_BOTH);
  return db;
}

/* What is changed in turn, on this connection or on another one to the same
** file, and which filters are kept then. */
static const struct history {
  const char *name;
  struct {
    bool elsewhere;
    const char *sql; /* NULL after the last */
    int kept;
  } changes[7];
} histories[] = {
    {"when filters are rolled back",
     {{false, STALE, 0},
      {false, "BEGIN;" CREATE_BOTH, 3},
      {false, "ROLLBACK", 0},
      {false, "BEGIN; SELECT * FROM t; SAVEPOINT a;" CREATE_BOTH, 3},
      {false, "ROLLBACK TO a", 0},
      {false, "COMMIT;" CREATE_BOTH, 3}}},
    {"when triggers are dropped elsewhere during a transaction",
     {{false, "BEGIN", 3},
      {true, STALE, 3},
      {false, "COMMIT", 0},
      {true, CREATE_BOTH, 3}}},
    {"when triggers are dropped and not committed",
     {{false, "BEGIN", 3}, {false, STALE, 0}, {false, "ROLLBACK", 3}}},
    {"without a transaction", {{true, STALE, 0}, {true, CREATE_BOTH, 3}}},
    {"after writes of its own",
     {{false, "BEGIN; INSERT INTO log VALUES (1)", 3},
      {false, "CREATE TABLE more(x); INSERT INTO log VALUES (2)", 3},
      {false, STALE "; INSERT INTO log VALUES (3)", 0},
      {false, "ROLLBACK; INSERT INTO log VALUES (4)", 3}}},
    {"when sqlite_master is edited elsewhere",
     {{true,
       "PRAGMA writable_schema = 1; DELETE FROM sqlite_master "
       "WHERE name = 't_c_parts_insert'; PRAGMA writable_schema = RESET;"
       "INSERT INTO t(id, c) VALUES (0, 'lost')",
       2}}},
    {"beside a TEMP schema",
     {{false, "CREATE TEMP TABLE t_c_parts(x); CREATE TEMP TABLE t(c)", 3},
      {false, "DROP TRIGGER main.t_c_blocks_insert", 1}}},
};

/* SQLite 3.31.1 refuses this, and 3.40.1 does not. */
static const struct history renamed = {
    "under another name for a while",
    {{false,
      "PRAGMA writable_schema = 1; PRAGMA legacy_alter_table = 1;"
      "ALTER TABLE t RENAME TO o; PRAGMA legacy_alter_table = 0;"
      "ALTER TABLE o RENAME TO t; INSERT INTO t(id, c) VALUES (0, 'lost')",
      1}}};

/* After each change, a view is read first, or a statement without a table. */
static void is_known(const struct history *history, bool view_first) {
  testing("known to be kept or not %s%s", history->name,
          view_first ? ", a view first" : "");
  sqlite3 *db = open_kept(), *other = connect_to(path);
  bool right = keeps(db, 3);
  for (int i = 0; history->changes[i].sql != NULL; i++) {
    run(history->changes[i].elsewhere ? other : db, history->changes[i].sql);
    right &=
        (!view_first || is(db, LOST, 0)) && keeps(db, history->changes[i].kept);
  }
  sqlite3_close(other);
  tested(closes(db) && right);
}

/* What was known of an older version of the database is forgotten when another
** filter is asked for. */
static void of_two_filters(void) {
  testing("known not to be kept after another filter is asked for");
  sqlite3 *db = open_kept();
  run(db, "SELECT bloom_create_parts('t', 'id')");
  bool right = keeps(db, 3);
  run(db, STALE);
  right &= is(db, "SELECT bloom_is_kept('parts', 't', 'id') FROM log", 1) &&
           keeps(db, 0);
  tested(closes(db) && right);
}

/* A program may finalize all statements of its connection. */
static void without_statements(void) {
  testing("known to be kept or not after all statements are finalized");
  sqlite3 *db = open_kept();
  bool right = keeps(db, 3);
  for (int i = 0; i < 2; i++) {
    for (sqlite3_stmt *s; (s = sqlite3_next_stmt(db, NULL)) != NULL;) {
      sqlite3_finalize(s);
    }
    if (i == 1) run(db, STALE);
    right &= keeps(db, i == 0 ? 3 : 0);
  }
  tested(closes(db) && right);
}

/* Two connections with one cache. The first also reads what the second has not
** committed. */
static void of_shared_cache(bool uncommitted) {
  testing("known to be kept or not in a shared cache%s",
          uncommitted ? ", uncommitted changes too" : "");
  sqlite3 *both[2];
  sqlite3_close(open_kept());
  for (int i = 0; i < 2; i++) {
    sqlite3_open_v2(path, &both[i],
                    SQLITE_OPEN_READWRITE | SQLITE_OPEN_SHAREDCACHE, NULL);
  }
  if (uncommitted) run(both[0], "PRAGMA read_uncommitted = 1");
  bool right = keeps(both[0], 3) && keeps(both[1], 3);
  run(both[1], "BEGIN;" STALE);
  const int code = attempt(both[0], KEPT, NULL);
  right &= keeps(both[1], 0) && (code == SQLITE_LOCKED || code == SQLITE_DONE);
  if (code == SQLITE_DONE) right &= is(both[0], KEPT, 0);
  run(both[1], "ROLLBACK");
  right &= keeps(both[0], 3);
  run(both[1], STALE);
  right &= keeps(both[0], 0);
  run(both[1], CREATE_BOTH);
  right &= keeps(both[0], 3);
  tested(closes(both[1]) && closes(both[0]) && right);
}

static int count_step(void *steps) {
  ++*(long *)steps;
  return 0;
}

/* The steps that SQLite takes for the guard's answer, in all statements. */
static long steps_of_guard(sqlite3 *db) {
  long steps = 0;
  is(db, KEPT_READING, 3);
  sqlite3_progress_handler(db, 1, count_step, &steps);
  is(db, KEPT_READING, 3);
  sqlite3_progress_handler(db, 0, NULL, NULL);
  return steps;
}

/* Whatever the connection has done before, and however large the schema is. */
static void costs_the_same(void) {
  testing("the answer costs the same after a write and beside other tables");
  static const char *const changes[] = {
      "BEGIN; INSERT INTO log VALUES (1)",
      "SAVEPOINT a; INSERT INTO t(c) VALUES ('more'); RELEASE a",
      "COMMIT; INSERT INTO log VALUES (2)",
      "ATTACH ':memory:' AS other; CREATE TABLE other.x(y)",
      "BEGIN; INSERT INTO x VALUES (1); INSERT INTO log VALUES (3)",
      "ROLLBACK; DETACH other"};
  sqlite3 *db = open_kept();
  const long before = steps_of_guard(db);
  for (int i = 0; i < 300; i++) {
    char sql[40];
    snprintf(sql, sizeof(sql), "CREATE TABLE more%d(x)", i);
    run(db, sql);
  }
  bool right = true;
  for (size_t i = 0; i < COUNT(changes); i++) {
    run(db, changes[i]);
    const long after = steps_of_guard(db);
    right &= after <= 2 * before + 20 ||
             mismatch("%s: %ld steps, not %ld", changes[i], after, before);
  }
  tested(closes(db) && right);
}

/* Nor does an insert, while a newer trigger lets the views exclude nothing. */
static void insert_costs_the_same(void) {
  testing("an insert costs the same beside a newer trigger and other tables");
  sqlite3 *db = open_kept();
  long steps[2] = {0, 0};
  for (int i = 0; i < 2; i++) {
    run(db,
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT "
        "100) INSERT INTO t(c) SELECT 'before ' || i FROM n");
    sqlite3_progress_handler(db, 1, count_step, &steps[i]);
    run(db,
        "BEGIN; INSERT INTO t(c) VALUES ('one'); INSERT INTO t(c) VALUES "
        "('two'); INSERT INTO t(id, c) SELECT max(id) + 5000, 'far' FROM t;"
        "INSERT INTO t(id, c) SELECT max(id) + 5000, 'further' FROM t; COMMIT");
    sqlite3_progress_handler(db, 0, NULL, NULL);
    for (int n = 0; i == 0 && n < 200; n++) {
      char sql[40];
      snprintf(sql, sizeof(sql), "CREATE TABLE more%d(x)", n);
      run(db, sql);
    }
    if (i == 0) {
      run(db, "CREATE TRIGGER newer AFTER INSERT ON t BEGIN SELECT 1; END");
    }
  }
  bool right = 2 * steps[1] <= 3 * steps[0] ||
               mismatch("%ld steps, not %ld", steps[1], steps[0]);
  run(db, "DROP TRIGGER newer");
  right &= is(db, LOST, 0);
  tested(closes(db) && right);
}

/* What bloom_check says of the speed of blocks, and whether a remedy helps. */
static const struct shape {
  const char *name;
  const char *row; /* the id and the key of the i-th of 40,000 rows */
  const char *order;
  const char *problem; /* a pattern, or NULL */
} shapes[] = {
    {"1,000 rows a key", "i, 'key ' || i / 1000", "i", NULL},
    {"20,000 rows a key", "i, 'key ' || i / 20000", "i", NULL},
    {"a key in 1,000 rows", "i, CASE WHEN i % 1000 = 0 THEN i END", "i", NULL},
    {"keys in runs of 100", "i, 'host ' || i / 100 % 50", "i", NULL},
    {"ids in random order", "i, 'key ' || i", "leveldb_hash(i)", NULL},
    {"ids that are times", "1700000000 + 97 * i, 'key ' || i", "i",
     "* rows each, so that their filters cost more than a scan: SELECT *"},
    {"ids downwards", "i, 'key ' || i", "-i",
     "* of the rows are in no block that has a filter, *: SELECT *"},
    {"ids below 0", "-i, 'key ' || i", "i",
     "* of the rows have ids below 0, *, and no call would help"},
};

static char *first_text(sqlite3 *db, const char *sql) {
  sqlite3_stmt *row;
  char *text = NULL;
  sqlite3_prepare_v2(db, sql, -1, &row, NULL);
  if (sqlite3_step(row) == SQLITE_ROW) {
    text = sqlite3_mprintf("%s", sqlite3_column_text(row, 0));
  }
  sqlite3_finalize(row);
  return text;
}

/* The steps of a query for an absent key, which reads every span. */
static long steps_of_spans(sqlite3 *db) {
  long steps = 0;
  sqlite3_progress_handler(db, 1, count_step, &steps);
  is(db,
     "SELECT count(*) FROM u_k_spans AS s CROSS JOIN u NOT INDEXED "
     "ON id BETWEEN s.first AND s.last "
     "WHERE bloom_may_match('absent', s.f) AND k = 'absent'",
     0);
  sqlite3_progress_handler(db, 0, NULL, NULL);
  return steps;
}

static void check_speed(const struct shape *shape) {
  testing("what bloom_check says of the speed of blocks: %s", shape->name);
  sqlite3 *db = connect_to(":memory:");
  char *sql = sqlite3_mprintf(
      "CREATE TABLE u(id INTEGER PRIMARY KEY, k);"
      "SELECT bloom_create_blocks('u', 'k');"
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT "
      "40000) INSERT INTO u SELECT %s FROM n ORDER BY %s",
      shape->row, shape->order);
  run(db, sql);
  sqlite3_free(sql);
  char *problem = first_text(
      db, "SELECT problem FROM bloom_check WHERE NOT instr(problem, 'room')");
  const bool as_expected =
      shape->problem == NULL
          ? problem == NULL
          : problem != NULL && sqlite3_strglob(shape->problem, problem) == 0;
  bool right =
      as_expected || mismatch("%s", problem == NULL ? "nothing" : problem);
  const char *remedy = problem == NULL ? NULL : strstr(problem, ": SELECT");
  if (remedy != NULL) {
    const long before = steps_of_spans(db);
    run(db, remedy + 2);
    right &= 2 * steps_of_spans(db) < before ||
             mismatch("the query takes as long as before: %ld", before);
    right &= is(db, WRONG, 0);
  }
  sqlite3_free(problem);
  tested(closes(db) && right);
}

/* More filters than are remembered. */
static void of_many_filters(void) {
  testing("known to be kept or not: each of twenty filters");
  sqlite3 *db = open_kept();
  run(db, "DELETE FROM log");
  for (int i = 0; i < 20; i++) {
    char sql[160];
    snprintf(sql, sizeof(sql),
             "CREATE TABLE t%d(c); SELECT bloom_create_parts('t%d', 'c');"
             "INSERT INTO log VALUES ('t%d')",
             i, i, i);
    run(db, sql);
  }
  bool right = true;
  for (int i = 0; i < 3; i++) {
    right &= is(db, "SELECT sum(bloom_is_kept('parts', x, 'c')) FROM log", 20);
  }
  run(db, "DROP TRIGGER t7_c_parts_insert");
  right &= is(db, "SELECT sum(bloom_is_kept('parts', x, 'c')) FROM log", 19) &&
           keeps(db, 3);
  tested(closes(db) && right);
}

#if SQLITE_VERSION_NUMBER >= 3036000
/* The versions of two databases may have the same number. */
static void of_another_database(void) {
  testing("known not to be kept after another database takes its place");
  static const char *const before[] = {CREATE_BOTH, CREATE_BOTH ";" STALE};
  sqlite3 *db = connect_to(":memory:");
  bool right = true;
  for (int i = 0; i < 4; i++) {
    sqlite3 *other = in_memory(before[i % 2]);
    sqlite3_int64 size;
    unsigned char *bytes = sqlite3_serialize(other, "main", &size, 0);
    sqlite3_close(other);
    sqlite3_deserialize(
        db, "main", bytes, size, size,
        SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE);
    right &= is(db, LOST, 0) && keeps(db, i % 2 ? 0 : 3);
  }
  tested(closes(db) && right);
}
#endif

/* ---- An attached database with a filter of the same name. */

static void attached(const char *name, const char *main_is,
                     const char *attached_is, int kept) {
  testing("two databases with one filter's name: %s", name);
  sqlite3 *other = open_kept();
  run(other, attached_is);
  sqlite3_close(other);
  sqlite3 *db = in_memory(CREATE_BOTH);
  run(db, main_is);
  bool right = is(db, KEPT_READING, *main_is == '\0' ? 3 : 0);
  char *sql = sqlite3_mprintf("ATTACH %Q AS other", path);
  run(db, sql);
  sqlite3_free(sql);
  right &= keeps(db, kept) && is(db, LOST_IN("other"), 0) &&
           is(db, "SELECT filter IS NULL FROM other.t_c_filter", kept == 0) &&
           is(db, "SELECT count(*) = 0 FROM other.t_c_part", kept == 0) &&
           is(db, "SELECT max(f IS NOT NULL) FROM other.t_c_spans", kept != 0);
  /* Each one grows where it is kept itself. */
  run(db,
      "UPDATE other.t_c_parts SET keys = room;"
      "UPDATE main.t_c_parts SET keys = room;"
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT"
      " 300) INSERT INTO other.t(c) SELECT 'more ' || i FROM n;"
      "INSERT INTO t(c) SELECT c FROM other.t WHERE c GLOB 'more*'");
  right &=
      keeps(db, kept) && is(db, LOST_IN("other"), 0) &&
      is(db, "SELECT keys < 400 FROM other.t_c_parts", *attached_is == '\0') &&
      is(db, "SELECT keys < 400 FROM main.t_c_parts", *main_is == '\0');
  run(db, "DETACH other; INSERT INTO t(c) SELECT c FROM t");
  right &= keeps(db, *main_is == '\0' ? 3 : 0);
  tested(closes(db) && right);
}

/* ---- An authorizer that hides the schema. */

static int answer_of_authorizer;
static const char *hidden_column; /* or NULL for all */

static int hide_schema(void *unused, int action, const char *first,
                       const char *second, const char *third,
                       const char *fourth) {
  (void)unused, (void)third, (void)fourth;
  return action == SQLITE_READ && first != NULL &&
                 (hidden_column == NULL ||
                  strcmp(second, hidden_column) == 0) &&
                 (strcmp(first, "sqlite_master") == 0 ||
                  strcmp(first, "sqlite_schema") == 0)
             ? answer_of_authorizer
             : SQLITE_OK;
}

static void hidden(const char *name, int denial, const char *column) {
  testing("the schema is hidden: %s", name);
  sqlite3 *db = open_kept();
  bool right = keeps(db, 3);
  run(db, "UPDATE t_c_parts SET keys = room");
  answer_of_authorizer = denial;
  hidden_column = column;
  sqlite3_set_authorizer(db, hide_schema, NULL);
  right &= is(db, KEPT, 0) && is(db, LOST, 0);
  run(db,
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT"
      " 300) INSERT INTO t(c) SELECT 'more ' || i FROM n");
  right &= is(db, LOST, 0) && is(db, "SELECT keys < 400 FROM t_c_parts", 0);
  const int code = attempt(db, WRONG, NULL);
  right &= code != SQLITE_DONE || mismatch("bloom_check finds nothing");
  sqlite3_set_authorizer(db, NULL, NULL);
  right &= keeps(db, 3) && is(db, LOSSES, 0);
  tested(closes(db) && right);
}

static int forbid_opening(void *unused, int action, const char *first,
                          const char *second, const char *third,
                          const char *fourth) {
  (void)unused, (void)first, (void)third, (void)fourth;
  return action == SQLITE_FUNCTION && strcmp(second, "bloom_open") == 0
             ? SQLITE_DENY
             : SQLITE_OK;
}

static int hide_keys(void *unused, int action, const char *first,
                     const char *second, const char *third,
                     const char *fourth) {
  (void)unused, (void)third, (void)fourth;
  return action == SQLITE_READ && first != NULL && strcmp(first, "t") == 0 &&
                 strcmp(second, "c") == 0
             ? SQLITE_IGNORE
             : SQLITE_OK;
}

/* Keys that are read as NULL make no filter, and say nothing about one. */
static void hidden_keys(void) {
  static const char *const refused[] = {CREATE_PARTS, CREATE_BLOCKS, WRONG,
                                        "UPDATE t_c_parts SET keys = 2 * room"};
  sqlite3 *db = open_kept();
  bool right = true;
  sqlite3_set_authorizer(db, hide_keys, NULL);
  for (size_t i = 0; i < COUNT(refused); i++) {
    right &= attempt(db, refused[i], NULL) == SQLITE_AUTH ||
             mismatch("it works: %s", refused[i]);
  }
  sqlite3_set_authorizer(db, NULL, NULL);
  right &= keeps(db, 3) && is(db, WRONG, 0);
  ok(closes(db) && right, "calls, the check and growth fail on hidden keys");
}

/* What is forbidden says nothing about the filter: the check fails. */
static void forbidden(void) {
  sqlite3 *db = open_kept();
  sqlite3_set_authorizer(db, forbid_opening, NULL);
  const int code = attempt(db, WRONG, NULL);
  sqlite3_set_authorizer(db, NULL, NULL);
  ok(closes(db) && code == SQLITE_ERROR,
     "bloom_check fails where bloom_open is forbidden: %d", code);
}

static int ignore_action(void *ignored, int action, const char *first,
                         const char *second, const char *third,
                         const char *fourth) {
  (void)first, (void)second, (void)third, (void)fourth;
  return action == *(const int *)ignored ? SQLITE_IGNORE : SQLITE_OK;
}

/* A call fails if an authorizer makes its DROP do nothing. */
static void ignored_drops(void) {
  static const int actions[] = {SQLITE_DROP_TRIGGER, SQLITE_DROP_VIEW,
                                SQLITE_DROP_TABLE, SQLITE_DELETE};
  static const char *const refused[] = {CREATE_PARTS, CREATE_BLOCKS, DROP_PARTS,
                                        DROP_BLOCKS};
  sqlite3 *db = open_kept();
  bool right = true;
  for (size_t i = 0; i < COUNT(actions) * COUNT(refused); i++) {
    int action = actions[i / COUNT(refused)];
    const char *call = refused[i % COUNT(refused)];
    sqlite3_set_authorizer(db, ignore_action, &action);
    const int code = attempt(db, call, NULL);
    sqlite3_set_authorizer(db, NULL, NULL);
    /* To make a filter again, its table is not dropped. */
    const bool works = action == SQLITE_DROP_TABLE && i % COUNT(refused) < 2;
    right &= code == (works ? SQLITE_DONE : SQLITE_AUTH) ||
             mismatch("%s without action %d: %d", call, action, code);
    right &= keeps(db, 3) && is(db, WRONG, 0);
  }
  ok(closes(db) && right, "calls fail whose DROP an authorizer ignores");
}

/* ---- A lower() of the program's. */

#define DOTTED "\xc4\xb0" /* a capital I with a dot, two bytes */

/* lower(), as ICU has it: of this letter, it makes three bytes. */
static void lower(sqlite3_context *context, int argc, sqlite3_value **argv) {
  (void)argc;
  sqlite3_str *lowered = sqlite3_str_new(NULL);
  const char *text = (const char *)sqlite3_value_text(argv[0]);
  for (; text != NULL && *text != '\0'; text++) {
    const bool is_dotted = strncmp(text, DOTTED, 2) == 0;
    const bool is_capital = *text >= 'A' && *text <= 'Z';
    sqlite3_str_appendf(lowered, is_dotted ? "i\xcc\x87" : "%c",
                        is_capital ? *text - 'A' + 'a' : *text);
    text += is_dotted;
  }
  sqlite3_result_text(context, sqlite3_str_finish(lowered), -1, sqlite3_free);
}

/* A call finds what an earlier one made, and its numbers. */
static void with_longer_names(void) {
  testing("a name that a program's lower() makes longer");
  sqlite3 *db = connect_to(":memory:");
  sqlite3_create_function(db, "lower", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
                          NULL, lower, NULL, NULL);
  run(db, "CREATE TABLE s(id INTEGER PRIMARY KEY, " DOTTED ")");
  run(db, "INSERT INTO s VALUES (1, 'a'), (2, 'b')");
  run(db, "SELECT bloom_create_parts('s', '" DOTTED "', 20, 3000)");
  run(db, "SELECT bloom_create_blocks('s', '" DOTTED "', 20, 1)");
  bool right = is(db, WRONG, 0);
  run(db, "DROP TRIGGER s_" DOTTED "_parts_update");
  run(db, "DROP TRIGGER s_" DOTTED "_blocks_insert");
  right &= is(db, WRONG, 2);
  run(db, "SELECT bloom_create_parts('S', '" DOTTED "')");
  run(db, "SELECT bloom_create_blocks('S', '" DOTTED "')");
  right &= is(db, WRONG, 0);
  right &= is(db,
              "SELECT count(*) FROM sqlite_master WHERE type = 'view' AND"
              " (sql GLOB '*, 20, 3000)*' OR sql GLOB '*, 20, 1)*')",
              3);
  right &= is(db, "SELECT bloom_drop_parts('S', '" DOTTED "')", 8);
  right &= is(db, "SELECT bloom_drop_blocks('S', '" DOTTED "')", 5);
  right &= is(db, "SELECT count(*) FROM sqlite_master", 1);
  tested(closes(db) && right);
}

/* ---- Errors while parts grow. */

#define GROWN                                                            \
  "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT" \
  " 90) INSERT OR FAIL INTO t(c) SELECT 'more ' || i FROM n"

static void length(sqlite3 *db, bool armed) {
  const sqlite3_int64 too_short =
      integer_of(db, "SELECT length(f) - 1 FROM t_c_parts");
  sqlite3_limit(db, SQLITE_LIMIT_LENGTH, armed ? (int)too_short : 1000000000);
}

/* Rows are inserted until the parts grow, while a place fails. */
static void growth_fails(const char *name, void (*arm)(sqlite3 *, bool),
                         bool one, int code) {
  testing("while parts grow, %s", name);
  bool right = true;
  long total = 0, failed = 0;
  for (long n = 0, step = 1; n <= total && right; n += step) {
    sqlite3 *db = in_memory(
        CREATE_BOTH ";UPDATE t_c_parts SET keys = room; SELECT bloom_build(1)");
    failing_from = n;
    only_one = one;
    places_seen = 0;
    if (n > 0 || arm != length) arm(db, true);
    const int got = attempt(db, GROWN, NULL);
    arm(db, false);
    if (n == 0) {
      total = arm == length ? 1 : places_seen;
      step = total / (10 * tries) + 1;
      right = is(db, "SELECT keys < room FROM t_c_parts WHERE part = 0", 1);
    }
    right &= got == (n == 0 ? SQLITE_DONE : code) || got == SQLITE_DONE ||
             mismatch("%d", got);
    failed += got != SQLITE_DONE;
    right &= is(db, LOST, 0) && is(db, WRONG, 0);
    if (!right) printf("# at place %ld of %ld\n", n, total);
    sqlite3_close(db);
  }
  ok(right && failed > 0, "%s (%ld times)", tap_name, failed);
}

static void test_guard(void) {
  for (size_t i = 0; i < COUNT(histories); i++) {
    is_known(&histories[i], false);
    is_known(&histories[i], true);
  }
  for (int first = 0; sqlite3_libversion_number() >= 3040001 && first < 2;
       first++) {
    is_known(&renamed, first);
  }
  of_two_filters();
  of_many_filters();
  without_statements();
  of_shared_cache(false);
  of_shared_cache(true);
  costs_the_same();
  insert_costs_the_same();
  for (size_t i = 0; i < COUNT(shapes); i++) check_speed(&shapes[i]);
#if SQLITE_VERSION_NUMBER >= 3036000
  of_another_database();
#endif
  attached("both are kept", "", "", 3);
  attached("main is stale", STALE, "", 0);
  attached("the other is stale", "", STALE, 0);
  attached("both are stale", STALE, STALE, 0);
  hidden("denied", SQLITE_DENY, NULL);
  hidden("NULL", SQLITE_IGNORE, NULL);
  hidden("NULL instead of SQL", SQLITE_IGNORE, "sql");
  hidden_keys();
  forbidden();
  ignored_drops();
  with_longer_names();
  growth_fails("a progress handler stops it", progress, true, SQLITE_INTERRUPT);
  growth_fails("one allocation fails", memory, true, SQLITE_NOMEM);
  growth_fails("all allocations fail from one on", memory, false, SQLITE_NOMEM);
  growth_fails("filters are longer than SQLite's limit", length, true,
               SQLITE_TOOBIG);
}

int main(int argc, char **argv) {
  static const char *const effect_names[] = {"ERROR", "BUSY", "LOCKED", "FTS5",
                                             NULL};
  read_forms("tests/data/refusals.txt", effect_names);
  if (argc > 1) tries = atol(argv[1]);
  use_failing_memory();
  sqlite3_auto_extension((void (*)(void))sqlite3_bloom_init);
  printf("# SQLite %s\n", sqlite3_libversion());
  if (mkdtemp(folder) == NULL) return 1;
  snprintf(path, sizeof(path), "%s/kept.db", folder);
  make_originals();
  test_guard();
  for (size_t a = 0; a < COUNT(different); a++) {
    const struct surroundings *around = &surroundings[different[a]];
    for (size_t i = 0; i < forms_of("refusal"); i++) {
      is_refused(form_of("refusal", i), around);
    }
    for (size_t i = 0; i < COUNT(calls); i++) {
      all_in_the_way(&calls[i], around, &places[0]);
      loaded_twice(&calls[i], around);
    }
  }
  for (int n = 0; n < 4; n++) read_row_by_row(n);
  called_by_check();
  for (size_t f = 0; f < COUNT(failures_at); f++) {
    for (size_t i = 0; i < COUNT(calls); i++) {
      for (size_t a = 0; a < COUNT(different); a++) {
        fails_everywhere(&failures_at[f], &calls[i],
                         &surroundings[different[a]], &places[0]);
      }
      fails_everywhere(&failures_at[f], &calls[i], &surroundings[ALONE],
                       &places[1]);
      fails_everywhere(&failures_at[f], &calls[i],
                       &surroundings[CHANGED_IN_BEGIN], &places[2]);
    }
  }
  for (size_t i = 0; i < COUNT(calls); i++) {
    for (size_t a = 0; a < COUNT(unlocked); a++) {
      const struct surroundings *around = &surroundings[unlocked[a]];
      read_only_file(&calls[i], around);
      for (size_t p = 1; p < COUNT(places); p++) {
        if (a == 0) another_writes_elsewhere(&calls[i], &places[p]);
        all_in_the_way(&calls[i], around, &places[p]);
        waits_for_another(&calls[i], around, &places[p]);
        another_reads(&calls[i], around, &places[p]);
      }
    }
  }
  for (size_t i = 0; i < COUNT(calls); i++) sqlite3_close(originals[i]);
  sqlite3_reset_auto_extension();
  sqlite3_shutdown();
  ok(sqlite3_memory_used() == 0, "nothing is left in memory");
  remove_database(path);
  rmdir(folder);
  return tap_done();
}
