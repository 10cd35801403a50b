/*
** Random operations on tables that the scripts of bloom_parts_sql and
** bloom_blocks_sql keep filters of, both at once: every verb and conflict
** clause, savepoints, cascades, recursive triggers on and off, two connections
** in WAL mode, other people's triggers that end early, rows that move, and the
** scripts run again in between. A twin, a table of the same shape that nobody
** keeps, takes each operation too.
**
** After each operation the row it touched must be found by its key in the ways
** that a script's last lines give: through one part, through a join and through
** the spans. Every few operations each row must be, each row must be in exactly
** one span, the views that check must say nothing, and the twin must have the
** same rows. At the end a row past the others must close the blocks before it,
** and the filters must still exclude what was never there.
**
** Then what is broken on purpose (a trigger dropped, a part deleted, a table
** rebuilt as migrations do) must lose nothing, be named by the view that checks
** and be repaired by the script. And scripts that a fault was planted in must
** be noticed by all of the above, fault by fault.
**
** usage: scripts [OPERATIONS [SEED]]
** With TRACE=1 in the environment every statement is printed before it runs.
*/
#include <stdint.h>
#include <unistd.h>

#include "lib/random.h"
#include "lib/sql.h"
#include "lib/tap.h"

/* ---- Shapes of tables. In their SQL $T is the table, $I its ids, $K the
** column that is kept, $C the column that is written (another where $K is
** generated), $O a conflict clause, and $<x> the object that the scripts name
** TABLE_KEPT_x, each quoted. */

#define NO_BLOCKS 1     /* it has no INTEGER PRIMARY KEY */
#define NO_ROWID 2      /* and rowid is no name of one */
#define UNIQUE_KEY 4    /* $K may be the target of an UPSERT */
#define KEY_PARENT 8    /* keys refer to a table parent */
#define PLACE_PARENT 16 /* ids refer to a table place */
#define SECOND 32       /* the column n is kept as well */
#define KEY_OF_ID \
  128             /* $K is computed from $I, which no BEFORE trigger sees
                      ** where SQLite chooses it */
#define IN_WAL 64 /* a file, and two connections */

typedef struct shape {
  const char *name;
  const char *table, *ids, *kept, *written;
  const char *create;
  int flags;
  int needs; /* the oldest version of SQLite, or 0 */
} shape;

static const shape shapes[] = {
    {"a UNIQUE column", "page", "id", "url", "url",
     "CREATE TABLE $T($I INTEGER PRIMARY KEY, $K UNIQUE, n INTEGER)",
     UNIQUE_KEY, 0},
    {"AUTOINCREMENT", "my \"odd\" t", "id", "it's a col", "it's a col",
     "CREATE TABLE $T($I INTEGER PRIMARY KEY AUTOINCREMENT, $K TEXT, n)", 0, 0},
    {"two connections", "order", "order", "key", "key",
     "CREATE TABLE $T($I INTEGER PRIMARY KEY, $K TEXT, n)", IN_WAL, 0},
    {"a column that is computed", "made", "id", "c", "x",
     "CREATE TABLE $T($I INTEGER PRIMARY KEY, $C TEXT, n,"
     " $K TEXT AS (lower($C) || ifnull(n, '')) VIRTUAL)",
     0, 3031000},
    {"a column that is computed and stored", "stored", "id", "c", "x",
     "CREATE TABLE $T($I INTEGER PRIMARY KEY, $C TEXT, n,"
     " $K AS ($C || ':' || $I) STORED UNIQUE)",
     UNIQUE_KEY | KEY_OF_ID, 3031000},
    {"NOT NULL and a default", "visit", "id", "block", "block",
     "CREATE TABLE $T($I INTEGER PRIMARY KEY,"
     " $K TEXT NOT NULL DEFAULT 'nobody', n)",
     0, 0},
    {"conflict clauses of its own", "new", "old", "new", "new",
     "CREATE TABLE $T($I INTEGER PRIMARY KEY ON CONFLICT REPLACE,"
     " $K NUMERIC NOT NULL ON CONFLICT IGNORE UNIQUE ON CONFLICT FAIL, n)",
     0, 0},
    {"checks", "old", "new", "old", "old",
     "CREATE TABLE $T($I INTEGER PRIMARY KEY,"
     " $K REAL CHECK ($K IS NULL OR $K IS NOT 77.0), n)",
     0, 0},
    {"columns named as a script's", "parts", "part", "f", "f",
     "CREATE TABLE $T($I INTEGER PRIMARY KEY, $K BLOB UNIQUE, parts, n)",
     UNIQUE_KEY, 0},
    {"ids as keys", "key", "key", "key", "n",
     "CREATE TABLE $T($I INTEGER PRIMARY KEY, n)", NO_BLOCKS, 0},
    {"columns named rowid", "hidden", "id", "rowid", "rowid",
     "CREATE TABLE $T($I INTEGER PRIMARY KEY, $K, oid, _rowid_, n)", NO_ROWID,
     0},
    {"keys of a parent", "child", "id", "parent", "parent",
     "CREATE TABLE $T($I INTEGER PRIMARY KEY, $K DEFAULT 'nobody'"
     "  REFERENCES parent(k) ON UPDATE CASCADE ON DELETE SET DEFAULT, n)",
     KEY_PARENT, 0},
    {"ids of a parent", "at", "place", "f", "f",
     "CREATE TABLE $T($I INTEGER PRIMARY KEY REFERENCES place(id)"
     "  ON UPDATE CASCADE ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,"
     " $K, n)",
     PLACE_PARENT, 0},
    {"two columns", "pair", "id", "a", "a",
     "CREATE TABLE $T($I INTEGER PRIMARY KEY, $K TEXT, n INTEGER)", SECOND, 0},
    {"STRICT", "strict", "id", "parts", "parts",
     "CREATE TABLE $T($I INTEGER PRIMARY KEY, $K ANY, n INT) STRICT", 0,
     3037000},
    {"WITHOUT ROWID", "narrow", "id", "key", "key",
     "CREATE TABLE $T($I INTEGER, $K UNIQUE, n, PRIMARY KEY($I)) WITHOUT ROWID",
     NO_BLOCKS | NO_ROWID | UNIQUE_KEY, 0},
    {"no INTEGER PRIMARY KEY", "plain", "rowid", "part", "part",
     "CREATE TABLE $T($K TEXT, n)", NO_BLOCKS, 0},
};
#define SHAPES ((int)(sizeof(shapes) / sizeof(*shapes)))

#define ROWS_OF_A_BLOCK 16
#define IDS 400
#define KEYS 700
#define MAX_ROWS 600

static void add_name(sqlite3_str *to, const char *format, const char *name) {
  char *whole = sqlite3_mprintf(format, name);
  sqlite3_str_appendf(to, "\"%w\"", whole);
  sqlite3_free(whole);
}

/* The SQL of a template, for sqlite3_free. */
static char *expand(const shape *of, const char *sql, const char *clause) {
  sqlite3_str *to = sqlite3_str_new(NULL);
  for (; *sql != '\0'; sql++) {
    if (*sql != '$') {
      sqlite3_str_appendchar(to, 1, *sql);
      continue;
    }
    switch (*++sql) {
      case 'T':
        add_name(to, "%s", of->table);
        break;
      case 'I':
        add_name(to, "%s", of->ids);
        break;
      case 'K':
        add_name(to, "%s", of->kept);
        break;
      case 'C':
        add_name(to, "%s", of->written);
        break;
      case 'O':
        sqlite3_str_appendall(to, clause);
        break;
      default: { /* $<x> */
        char *name = sqlite3_mprintf("%s_%s_%.*s", of->table, of->kept,
                                     (int)strcspn(sql + 1, ">"), sql + 1);
        add_name(to, "%s", name);
        sqlite3_free(name);
        sql += strcspn(sql, ">");
      }
    }
  }
  return sqlite3_str_finish(to);
}

/* ---- What is done to both tables, with an id ?1, a key ?2, and others ?3 and
** ?4. */

#define CLAUSED 1   /* it has $O */
#define ASSIGNED 2  /* SQLite chooses the id */
#define BY_ROWID 4  /* not where NO_ROWID is */
#define BY_UNIQUE 8 /* only where UNIQUE_KEY is */
#define BY_IDS 16   /* $I must be the primary key by name */
#define OF_KEYS 32  /* only where KEY_PARENT is */
#define OF_PLACES 64

typedef struct change {
  const char *sql;
  int flags;
  int needs;
} change;

#define INSERT "INSERT $O INTO $T($I, $C) "
#define NEXT "$I BETWEEN ?1 AND ?1 + 9"
/* What is no id is an error that undoes an UPDATE OR FAIL only where there are
** triggers, of whomever. */
#define AN_ID(id) " AND typeof(" id ") = 'integer'"
static const change changes[] = {
    {INSERT "VALUES(?1, ?2)", CLAUSED, 0},
    {INSERT "VALUES(?1, ?2)", CLAUSED, 0},
    {"INSERT $O INTO $T($C) VALUES(?2)", CLAUSED | ASSIGNED, 0},
    {"INSERT $O INTO $T($I, $C) VALUES(NULL, ?2)", CLAUSED | ASSIGNED, 0},
    {INSERT "VALUES(?1, ?2), (?3, ?4), (?1 / 2, ?2)", CLAUSED, 0},
    {INSERT "SELECT $I + ?3, $C FROM $T WHERE " NEXT AN_ID("$I + ?3"), CLAUSED,
     0},
    {"REPLACE INTO $T($I, $C) VALUES(?1, ?2)", 0, 0},
    {INSERT "VALUES(?1, ?2) ON CONFLICT DO NOTHING", CLAUSED, 3024000},
    {INSERT "VALUES(?1, ?2), (?3, ?4) ON CONFLICT($I)"
            " DO UPDATE SET $C = excluded.$C",
     CLAUSED | BY_IDS, 3024000},
    {INSERT "VALUES(?1, ?2) ON CONFLICT($I) DO UPDATE SET $I = ?3"
            "  WHERE $T.$C IS NOT excluded.$C",
     CLAUSED | BY_IDS, 3024000},
    {INSERT "VALUES(?1, ?2) ON CONFLICT($K) DO UPDATE SET $C = ?4",
     CLAUSED | BY_UNIQUE, 3024000},
    {INSERT "VALUES(?1, ?2) ON CONFLICT($I) DO UPDATE SET $C = ?4"
            "  ON CONFLICT DO NOTHING",
     CLAUSED | BY_IDS, 3035000},
    {INSERT "VALUES(?1, ?2), (?3, ?4) RETURNING $K", CLAUSED, 3035000},
    {"UPDATE $O $T SET $C = ?2 WHERE $I = ?1", CLAUSED, 0},
    {"UPDATE $O $T SET $C = ?2 WHERE " NEXT, CLAUSED, 0},
    {"UPDATE $O $T SET $C = $C || '.' WHERE length($C) < 12 AND " NEXT, CLAUSED,
     0},
    {"UPDATE $O $T SET $C = upper($C) WHERE " NEXT, CLAUSED, 0},
    {"UPDATE $O $T SET $I = ?3 WHERE $I = ?1", CLAUSED, 0},
    {"UPDATE $O $T SET rowid = ?3 WHERE rowid = ?1", CLAUSED | BY_ROWID, 0},
    {"UPDATE $O $T SET $I = ?3, $C = ?2 WHERE $I = ?1", CLAUSED, 0},
    {"UPDATE $O $T SET $I = $I + ?3 WHERE " NEXT AN_ID("$I + ?3"), CLAUSED, 0},
    {"UPDATE $O $T SET _rowid_ = -rowid, $C = ?4 WHERE " NEXT AN_ID("-rowid"),
     CLAUSED | BY_ROWID, 0},
    {"UPDATE $O $T SET n = n || 'n' WHERE length(n) < 9 AND " NEXT, CLAUSED, 0},
    {"UPDATE $O $T SET $C = NULL WHERE $I = ?1", CLAUSED, 0},
    {"UPDATE $O $T SET $C = twice.c, $I = twice.i FROM"
     "  (SELECT ?1 AS was, ?3 AS i, ?2 AS c) AS twice WHERE $I = twice.was",
     CLAUSED, 3033000},
    {"UPDATE $O $T SET $C = ?2 WHERE $I = ?1 RETURNING $I, $K", CLAUSED,
     3035000},
    {"DELETE FROM $T WHERE $I = ?1", 0, 0},
    {"DELETE FROM $T WHERE " NEXT, 0, 0},
    {"DELETE FROM $T WHERE $K = ?2 RETURNING $K", 0, 3035000},
    {"DELETE FROM $T WHERE $I > (SELECT max($I) - 20 FROM $T)", 0, 0},
    {"INSERT $O INTO parent VALUES(?2)", CLAUSED | OF_KEYS, 0},
    {"UPDATE $O parent SET k = ?2 WHERE k = ?4 OR k = (SELECT $K FROM $T"
     "  WHERE $I = ?1)",
     CLAUSED | OF_KEYS, 0},
    {"DELETE FROM parent WHERE k = (SELECT $K FROM $T WHERE $I = ?1)"
     "  AND k <> 'nobody'",
     OF_KEYS, 0},
    {"INSERT $O INTO place VALUES(?1)", CLAUSED | OF_PLACES, 0},
    {"UPDATE $O place SET id = ?3 WHERE id = ?1", CLAUSED | OF_PLACES, 0},
    {"DELETE FROM place WHERE id = ?1", OF_PLACES, 0},
};
#define CHANGES (sizeof(changes) / sizeof(*changes))

static const char *const clauses[] = {"",        "OR IGNORE", "OR REPLACE",
                                      "OR FAIL", "OR ABORT",  "OR ROLLBACK"};
#define CLAUSES (sizeof(clauses) / sizeof(*clauses))

/* Triggers of other people, of which at most one is at work at a time, by
** their number in the table other: each is made before the scripts' own and,
** as another, after them. SQLite fires what was made last first. */
static const struct {
  const char *event;
  const char *when;
  const char *does;
} others[] = {
    {"AFTER INSERT", "1", "SELECT RAISE(IGNORE)"},
    {"AFTER INSERT", "1", "SELECT RAISE(FAIL, 'other')"},
    {"AFTER INSERT", "1", "INSERT INTO taken VALUES(1)"},
    {"AFTER UPDATE", "1", "SELECT RAISE(IGNORE)"},
    {"AFTER UPDATE", "1", "SELECT RAISE(FAIL, 'other')"},
    {"AFTER UPDATE", "1", "INSERT INTO taken VALUES(1)"},
    {"BEFORE INSERT", "1", "SELECT RAISE(IGNORE)"},
    {"BEFORE INSERT", "1", "INSERT INTO taken VALUES(1)"},
    {"BEFORE UPDATE", "1", "SELECT RAISE(FAIL, 'other')"},
    {"AFTER DELETE", "1", "SELECT RAISE(IGNORE)"},
    {"AFTER INSERT", "length(NEW.$C) < 12",
     "UPDATE $T SET $C = $C || '!' WHERE $I = NEW.$I"},
    {"AFTER INSERT", "NEW.$I BETWEEN 1 AND 200",
     "INSERT INTO $T($I, $C) VALUES(NEW.$I + 100, NEW.$C)"},
    {"AFTER INSERT", "1", "DELETE FROM $T WHERE $I = NEW.$I - 1"},
    {"AFTER UPDATE", "NEW.$I BETWEEN 1 AND 50",
     "UPDATE $T SET $I = $I + 333 WHERE $I = NEW.$I"},
    {"BEFORE INSERT", "1", "DELETE FROM $T WHERE $I > 300"},
    {"BEFORE INSERT", "NEW.$I BETWEEN 1 AND 200",
     "INSERT INTO $T($I, $C) VALUES(350, 'far')"},
    {"AFTER DELETE", "OLD.$I BETWEEN 1 AND 200",
     "INSERT INTO $T($I, $C) VALUES(OLD.$I + 200, OLD.$C)"},
};
#define OTHERS ((int)(sizeof(others) / sizeof(*others)))

/* ---- What must hold: each of these is 0. */

#define ONE_PART(key) \
  "(SELECT f FROM $<part> WHERE part = bloom_part(" key ", parts))"
#define ALL_PARTS "(SELECT filter FROM $<filter>)"

typedef struct check {
  const char *name, *sql;
  int of_blocks;
} check;

static const check nothing_lost[] = {
    {"keys that a join loses",
     "SELECT count(*) FROM $T WHERE bloom_may_match($K, " ALL_PARTS ") IS 0",
     0},
    {"keys that their part does not have",
     "SELECT count(*) FROM $T AS t WHERE bloom_may_match(t.$K,"
     " " ONE_PART("t.$K") ") IS 0",
     0},
    {"rows that are not in one span, or not with their key",
     "SELECT count(*) FROM $T AS t WHERE"
     " (SELECT sum(2 + (bloom_may_match(t.$K, s.f) IS NOT 0))"
     "  FROM $<spans> AS s WHERE t.$I BETWEEN s.first AND s.last) IS NOT 3",
     1},
};

/* A lookup of the row ?2 by its key ?1, which must give 1. */
static const check found[] = {
    {"one part",
     "SELECT count(*) FROM $T WHERE $I = ?2 AND $K ="
     " CASE WHEN bloom_may_match(?1, " ONE_PART("?1") ") THEN ?1 END",
     0},
    {"a join",
     "SELECT count(*) FROM (SELECT ?1 AS k) AS asked JOIN $T"
     " ON $T.$K = asked.k WHERE $T.$I = ?2 AND bloom_may_match(asked.k,"
     " " ALL_PARTS ")",
     0},
    {"the spans",
     "SELECT count(*) FROM $<spans> AS s CROSS JOIN $T NOT INDEXED"
     "  ON $T.$I BETWEEN s.first AND s.last"
     " WHERE bloom_may_match(?1, s.f) AND $T.$K = ?1 AND $T.$I = ?2",
     1},
};
#define FORMS 3

static const check nothing_wrong[] = {
    {"problems of the parts",
     "SELECT ifnull(group_concat(problem), 0) FROM $<parts_check>", 0},
    {"problems of the blocks",
     "SELECT ifnull(group_concat(problem), 0) FROM $<blocks_check>"
     " WHERE problem NOT LIKE '%more keys than room%'",
     1},
};

/* ---- A world: a shape's table, kept, and its twin. */

#define MAX_CONNECTIONS 2

static struct {
  int which;
  const shape *of;
  shape second; /* the same of the column n */
  const char *file;
  sqlite3 *kept[MAX_CONNECTIONS], *twin;
  int connections;
  int writer; /* the one in a transaction, or -1 */
  int reader; /* the one that holds what it once saw, or -1 */
  int savepoints;
  int range; /* of the ids */
  sqlite3_stmt *changes[MAX_CONNECTIONS + 1][CHANGES][CLAUSES];
  sqlite3_stmt *key_of[MAX_CONNECTIONS], *found[MAX_CONNECTIONS][FORMS];
  /* What is done to a script's text before it runs, or NULL. */
  char *(*edit)(char *script);
} world;

static struct {
  long operations, checks, lookups, found, refused, busy, rollbacks, reruns;
  long newer; /* operations that this SQLite does not have */
} counts;

static char wrong[1000]; /* what was found first, or empty */
static int tracing;

/* Keeps the first thing that is wrong; returns 0. */
#ifdef __GNUC__
__attribute__((format(printf, 1, 2)))
#endif
static int
fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  if (wrong[0] == '\0') {
    vsnprintf(wrong, sizeof(wrong), format, arguments);
    wrong[strcspn(wrong, "\n")] = '\0';
  }
  va_end(arguments);
  return 0;
}

/* The connection that may write, and sees what was written last. */
static sqlite3 *writable(void) {
  return world.kept[world.writer >= 0 ? world.writer : world.reader == 0];
}

static void trace(const char *by, const char *sql) {
  if (tracing) fprintf(stderr, "%s: %s;\n", by, sql);
}

static void trace_statement(const char *by, sqlite3_stmt *statement) {
  if (!tracing) return;
  char *sql = sqlite3_expanded_sql(statement);
  trace(by, sql);
  sqlite3_free(sql);
}

static void run_as(sqlite3 *db, const shape *of, const char *sql) {
  char *text = expand(of, sql, "");
  run(db, text);
  sqlite3_free(text);
}

/* Statements that both take alike, with the same end; 1 where they do. */
static int both(const char *sql) {
  sqlite3 *db = writable();
  char *text = expand(world.of, sql, "");
  trace("both", text);
  const int kept = sqlite3_exec(db, text, NULL, NULL, NULL);
  const int twin = sqlite3_exec(world.twin, text, NULL, NULL, NULL);
  const int same = kept == twin;
  if (!same) {
    fail("%s: %s, the twin: %s", text, sqlite3_errmsg(db),
         sqlite3_errmsg(world.twin));
  }
  sqlite3_free(text);
  return same && kept == SQLITE_OK;
}

/* Some of the other people's triggers, made before the scripts run or after:
** another choice in each world. */
#define OTHERS_OF_A_WORLD 4

static int other_at(int i) {
  return (world.which + i * 5) % OTHERS;
}

static void make_others(int after) {
  const char *name = after ? "last" : "first";
  for (int i = 0; i < OTHERS_OF_A_WORLD; i++) {
    const int which = other_at(i + after * OTHERS_OF_A_WORLD);
    char *sql = sqlite3_mprintf(
        "DROP TRIGGER IF EXISTS %s%d; CREATE TRIGGER %s%d %s ON $T"
        " WHEN (SELECT mode FROM other) = %d AND (%s) BEGIN %s; END",
        name, i, name, i, others[which].event,
        1 + i + after * OTHERS_OF_A_WORLD, others[which].when,
        others[which].does);
    both(sql);
    sqlite3_free(sql);
  }
}

/* What a function of the extension says for a table and a column. */
static char *script_of(sqlite3 *db, const char *call, const shape *of) {
  char *sql = sqlite3_mprintf("SELECT %s", call);
  sqlite3_stmt *statement = prepare(db, sql);
  char *script = NULL;
  sqlite3_bind_text(statement, 1, of->table, -1, SQLITE_STATIC);
  sqlite3_bind_text(statement, 2, of->kept, -1, SQLITE_STATIC);
  if (sqlite3_step(statement) == SQLITE_ROW) {
    script = sqlite3_mprintf("%s", sqlite3_column_text(statement, 0));
  } else {
    fail("%s of %s: %s", call, of->table, sqlite3_errmsg(db));
  }
  sqlite3_finalize(statement);
  sqlite3_free(sql);
  return script;
}

#define PARTS_CALL "bloom_parts_sql(?1, ?2)"
#define BLOCKS_CALL "bloom_blocks_sql(?1, ?2, 10, 16)"

static int run_script(sqlite3 *db, const char *call, const shape *of) {
  char *error = NULL, *script = script_of(db, call, of);
  if (script == NULL) return 0;
  if (world.edit != NULL) script = world.edit(script);
  trace("script", call);
  const int rc = sqlite3_exec(db, script, NULL, NULL, &error);
  if (rc != SQLITE_OK) fail("the script of %s: %s", call, error);
  sqlite3_free(error);
  sqlite3_free(script);
  return rc == SQLITE_OK;
}

static int run_scripts_of(sqlite3 *db, const shape *of) {
  return run_script(db, PARTS_CALL, of) &&
         ((of->flags & NO_BLOCKS) || run_script(db, BLOCKS_CALL, of));
}

/* The scripts, in whatever transaction there is. */
static int run_scripts(void) {
  sqlite3 *db = writable();
  counts.reruns++;
  return run_scripts_of(db, world.of) &&
         (!(world.of->flags & SECOND) || run_scripts_of(db, &world.second));
}

static sqlite3 *open_twin(void) {
  sqlite3 *db;
  if (sqlite3_open(":memory:", &db) != SQLITE_OK) exit(1);
  return db;
}

static void open_connections(const char *file) {
  const int two = (world.of->flags & IN_WAL) != 0;
  world.connections = two ? 2 : 1;
  for (int i = 0; i < world.connections; i++) {
    world.kept[i] = open_with(two ? file : ":memory:", extension_path());
    run(world.kept[i],
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;"
        "PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF");
  }
  world.twin = open_twin();
  run(world.twin, "PRAGMA foreign_keys = ON");
}

static void remove_file(const char *file) {
  static const char *const ends[] = {"", "-wal", "-shm"};
  for (size_t i = 0; i < 3; i++) {
    char *name = sqlite3_mprintf("%s%s", file, ends[i]);
    remove(name);
    sqlite3_free(name);
  }
}

/* Statements that are the same in every operation. */
static void prepare_lookups(void) {
  for (int c = 0; c < world.connections; c++) {
    char *sql = expand(world.of, "SELECT $K FROM $T WHERE $I = ?1", "");
    world.key_of[c] = prepare(world.kept[c], sql);
    sqlite3_free(sql);
    for (int i = 0; i < FORMS; i++) {
      if (found[i].of_blocks && (world.of->flags & NO_BLOCKS)) continue;
      sql = expand(world.of, found[i].sql, "");
      world.found[c][i] = prepare(world.kept[c], sql);
      sqlite3_free(sql);
    }
  }
}

/* Begins a world: 1 where its scripts run. */
static int begin(int which, const char *file, char *(*edit)(char *)) {
  const shape *of = &shapes[which % SHAPES];
  memset(&world, 0, sizeof(world));
  world.which = which;
  world.of = of;
  world.range = which % 3;
  world.second = *of;
  world.second.kept = "n";
  world.file = file;
  world.edit = edit;
  world.writer = world.reader = -1;
  wrong[0] = '\0';
  /* The ids that SQLite draws are the same in each run, too. */
  sqlite3_test_control(SQLITE_TESTCTRL_PRNG_SEED, 1 + which, NULL);
  remove_file(file);
  open_connections(file);
  both(
      "CREATE TABLE other(mode); INSERT INTO other VALUES(0);"
      "CREATE TABLE taken(one UNIQUE); INSERT INTO taken VALUES(1)");
  both(
      "CREATE TABLE parent(k PRIMARY KEY ON CONFLICT IGNORE);"
      "INSERT INTO parent WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL"
      "  SELECT i + 1 FROM n WHERE i < 700) SELECT 'key ' || i FROM n;"
      "INSERT INTO parent VALUES('nobody');"
      "CREATE TABLE place(id INTEGER PRIMARY KEY);"
      "INSERT INTO place WITH RECURSIVE n(i) AS (SELECT -400 UNION ALL"
      "  SELECT i + 1 FROM n WHERE i < 800) SELECT i FROM n");
  both(of->create);
  make_others(0);
  if (wrong[0] != '\0' || !run_scripts()) return 0;
  make_others(1);
  prepare_lookups();
  return 1;
}

static void finalize(sqlite3_stmt **statement) {
  sqlite3_finalize(*statement);
  *statement = NULL;
}

/* Statements of the changes, and of lookups. */
static void finalize_all(void) {
  for (size_t i = 0; i < sizeof(world.changes) / sizeof(void *); i++) {
    finalize(&((sqlite3_stmt **)world.changes)[i]);
  }
  for (int c = 0; c < MAX_CONNECTIONS; c++) {
    finalize(&world.key_of[c]);
    for (int i = 0; i < FORMS; i++) finalize(&world.found[c][i]);
  }
}

static void end(void) {
  finalize_all();
  for (int c = 0; c < world.connections; c++) sqlite3_close(world.kept[c]);
  sqlite3_close(world.twin);
  remove_file(world.file);
}

/* ---- Checks */

/* Whether a query whose answer must be 0 has it. */
static int is_none(sqlite3 *db, const shape *of, const check *what) {
  answer got;
  if (what->of_blocks && (of->flags & NO_BLOCKS)) return 1;
  char *sql = expand(of, what->sql, "");
  ask(db, sql, &got);
  sqlite3_free(sql);
  counts.checks++;
  if (got.code == SQLITE_DONE && strcmp(got.text, "0|\n") == 0) return 1;
  return fail("%s of %s: %s", what->name, of->kept, got.text);
}

static int none_lost(sqlite3 *db, const shape *of) {
  int all = 1;
  for (size_t i = 0; i < sizeof(nothing_lost) / sizeof(check); i++) {
    all = all && is_none(db, of, &nothing_lost[i]);
  }
  return all;
}

static int none_wrong(sqlite3 *db, const shape *of) {
  return is_none(db, of, &nothing_wrong[0]) &&
         is_none(db, of, &nothing_wrong[1]);
}

/* Whether two values are the same. */
static int same_value(sqlite3_value *a, sqlite3_value *b) {
  const int type = sqlite3_value_type(a);
  if (type != sqlite3_value_type(b)) return 0;
  if (type == SQLITE_NULL) return 1;
  if (type == SQLITE_INTEGER) {
    return sqlite3_value_int64(a) == sqlite3_value_int64(b);
  }
  const void *x = sqlite3_value_blob(a), *y = sqlite3_value_blob(b);
  const int n = sqlite3_value_bytes(a);
  return n == sqlite3_value_bytes(b) &&
         (n == 0 || memcmp(x, y, (size_t)n) == 0);
}

/* Whether the table and its twin have the same rows. */
static int same_rows(sqlite3 *db) {
  char *sql = expand(world.of, "SELECT $I, * FROM $T ORDER BY $I", "");
  sqlite3_stmt *kept = prepare(db, sql), *twin = prepare(world.twin, sql);
  int same = 1, more = 1;
  while (same && more) {
    more = sqlite3_step(kept) == SQLITE_ROW;
    same = more == (sqlite3_step(twin) == SQLITE_ROW);
    for (int i = 0; same && more && i < sqlite3_column_count(kept); i++) {
      same = same_value(sqlite3_column_value(kept, i),
                        sqlite3_column_value(twin, i));
    }
  }
  if (!same) {
    fail("other rows: %lld, %s; the twin: %lld, %s",
         (long long)sqlite3_column_int64(kept, 0),
         (const char *)sqlite3_column_text(kept, 2),
         (long long)sqlite3_column_int64(twin, 0),
         (const char *)sqlite3_column_text(twin, 2));
  }
  sqlite3_finalize(kept);
  sqlite3_finalize(twin);
  sqlite3_free(sql);
  return same;
}

/* Everything that must hold, in each connection as it sees the table. */
static int all_is_well(void) {
  int well = 1;
  for (int c = 0; well && c < world.connections; c++) {
    sqlite3 *db = world.kept[c];
    well = none_lost(db, world.of) && none_wrong(db, world.of);
    if (world.of->flags & SECOND) {
      well =
          well && none_lost(db, &world.second) && none_wrong(db, &world.second);
    }
  }
  return well && same_rows(writable());
}

/* ---- Operations */

static sqlite3_int64 any_id(void) {
  if (world.range == 0) return 1 + (sqlite3_int64)random_below(IDS);
  if (world.range == 1) return (sqlite3_int64)random_below(IDS) - IDS / 2;
  const sqlite3_int64 small = (sqlite3_int64)random_below(40);
  switch (random_below(6)) {
    case 0:
      return INT64_MIN + small;
    case 1:
      return INT64_MAX - small;
    case 2:
      return (INT64_MAX >> 1) - 20 + small;
    case 3:
      return (INT64_MIN >> 1) - 20 + small;
    default:
      return ROWS_OF_A_BLOCK * (small - 20) + small % 3 - 1;
  }
}

/* A key of any type; few enough that they meet again. */
static void bind_key(sqlite3_stmt *statement, int at, size_t key) {
  char text[32];
  const int length = snprintf(text, sizeof(text), "key %zu", key);
  switch (key % 16) {
    case 0:
      sqlite3_bind_int64(statement, at, (sqlite3_int64)key);
      break;
    case 1: /* equal to the INTEGER before it */
      sqlite3_bind_double(statement, at, (double)(key - 1));
      break;
    case 2:
      sqlite3_bind_double(statement, at, (double)key + 0.25);
      break;
    case 3:
      sqlite3_bind_blob(statement, at, text, length, SQLITE_TRANSIENT);
      break;
    case 4:
      sqlite3_bind_null(statement, at);
      break;
    case 5: /* equal to the TEXT after it, but for its case */
      snprintf(text, sizeof(text), "KEY %zu", key + 1);
      /* fall through */
    default:
      sqlite3_bind_text(statement, at, text, length, SQLITE_TRANSIENT);
  }
}

/* The ids and keys of an operation. */
typedef struct values {
  sqlite3_int64 id, other_id;
  size_t key, other_key;
} values;

static values any_values(void) {
  values v;
  v.id = any_id();
  v.other_id = any_id();
  v.key = random_below(KEYS);
  v.other_key = random_below(KEYS);
  return v;
}

static void bind_values(sqlite3_stmt *statement, const values *v) {
  sqlite3_bind_int64(statement, 1, v->id);
  bind_key(statement, 2, v->key);
  sqlite3_bind_int64(statement, 3, v->other_id);
  bind_key(statement, 4, v->other_key);
}

/* Runs it to its end, and says how that was. */
static int finish(sqlite3_stmt *statement) {
  while (sqlite3_step(statement) == SQLITE_ROW) continue;
  return sqlite3_reset(statement);
}

/* Whether SQLite would draw the next id at random, since the largest one is
** taken, while another trigger may end the statement: no trigger of the script
** is told that id, which the README names among the ways to lose a row. */
static int draws_unseen_id(const shape *of) {
  if (world.range != 2) return 0;
  char *sql = expand(of,
                     "SELECT (SELECT mode FROM other) > 0 AND (SELECT max($I) "
                     "FROM $T) = 9223372036854775807",
                     "");
  const sqlite3_int64 draws = integer_of(world.twin, sql);
  sqlite3_free(sql);
  return draws == 1;
}

/* Whether a shape, and this SQLite, have a change. */
static int has(const shape *of, const change *what) {
  if ((what->flags & BY_ROWID) && (of->flags & NO_ROWID)) return 0;
  if ((what->flags & BY_UNIQUE) && !(of->flags & UNIQUE_KEY)) return 0;
  if ((what->flags & BY_IDS) && strcmp(of->ids, "rowid") == 0) return 0;
  if ((what->flags & OF_KEYS) && !(of->flags & KEY_PARENT)) return 0;
  if ((what->flags & OF_PLACES) && !(of->flags & PLACE_PARENT)) return 0;
  if ((what->flags & ASSIGNED) &&
      ((of->flags & KEY_OF_ID) || draws_unseen_id(of))) {
    return 0;
  }
  if (sqlite3_libversion_number() < what->needs) {
    counts.newer++;
    return 0;
  }
  return 1;
}

/* A change's statement; connection MAX_CONNECTIONS is the twin. */
static sqlite3_stmt *change_of(int connection, size_t which, size_t clause) {
  sqlite3_stmt **statement = &world.changes[connection][which][clause];
  if (*statement == NULL) {
    sqlite3 *db =
        connection == MAX_CONNECTIONS ? world.twin : world.kept[connection];
    char *sql = expand(world.of, changes[which].sql, clauses[clause]);
    *statement = prepare(db, sql);
    sqlite3_free(sql);
  }
  return *statement;
}

/* A change's statement of the twin. Where the largest id is taken SQLite chose
** one at random, if it did: the twin takes the same. */
static sqlite3_stmt *twin_of(size_t which, size_t clause, sqlite3_int64 last,
                             sqlite3_int64 now, const values *v) {
  int chosen = 0;
  if ((changes[which].flags & ASSIGNED) && world.range == 2 && last != now) {
    char *sql = expand(world.of, "SELECT max($I) FROM $T", "");
    chosen = integer_of(world.twin, sql) == INT64_MAX;
    sqlite3_free(sql);
  }
  sqlite3_stmt *twin = change_of(MAX_CONNECTIONS, chosen ? 0 : which, clause);
  bind_values(twin, v);
  if (chosen) sqlite3_bind_int64(twin, 1, now);
  return twin;
}

/* Whether the row of an id is found by its key in each form. */
static int is_found(int c, sqlite3_int64 id) {
  int all = 1;
  sqlite3_stmt *key = world.key_of[c];
  sqlite3_bind_int64(key, 1, id);
  if (sqlite3_step(key) == SQLITE_ROW &&
      sqlite3_column_type(key, 0) != SQLITE_NULL) {
    for (int i = 0; all && i < FORMS; i++) {
      sqlite3_stmt *lookup = world.found[c][i];
      if (lookup == NULL) continue;
      sqlite3_bind_value(lookup, 1, sqlite3_column_value(key, 0));
      sqlite3_bind_int64(lookup, 2, id);
      const sqlite3_int64 got = first_integer(lookup);
      counts.lookups++;
      if (got != 1) {
        all = fail("row %lld, key %s, by %s: %lld %s", (long long)id,
                   (const char *)sqlite3_column_text(key, 0), found[i].name,
                   (long long)got, sqlite3_errmsg(world.kept[c]));
      }
    }
    counts.found++;
  }
  sqlite3_reset(key);
  return all;
}

/* Lets go of what a connection once saw: it may write then. */
static void end_reading(int connection) {
  if (world.reader != connection) return;
  run(world.kept[connection], "COMMIT");
  world.reader = -1;
}

/* After what may have ended the transaction. */
static void note_transaction(void) {
  if (world.writer < 0 || !sqlite3_get_autocommit(world.kept[world.writer])) {
    return;
  }
  world.writer = -1;
  world.savepoints = 0;
}

/* One change of both tables, which both take or refuse. Then its rows are
** looked up, if they are to be. */
static int change_rows(int looked_up) {
  size_t which = random_below(CHANGES);
  while (!has(world.of, &changes[which])) which = random_below(CHANGES);
  const size_t clause =
      changes[which].flags & CLAUSED ? random_below(CLAUSES) : 0;
  const values v = any_values();
  const int c = world.writer >= 0 && random_below(10) > 0
                    ? world.writer
                    : (int)random_below((size_t)world.connections);
  end_reading(c);
  sqlite3 *db = world.kept[c];
  sqlite3_stmt *statement = change_of(c, which, clause);
  bind_values(statement, &v);
  trace_statement("kept", statement);
  const sqlite3_int64 last = sqlite3_last_insert_rowid(db);
  const int kept = finish(statement);
  counts.operations++;
  if (kept == SQLITE_BUSY && world.writer >= 0 && c != world.writer) {
    counts.busy++;
    return 1;
  }
  const sqlite3_int64 now = sqlite3_last_insert_rowid(db);
  const int twin = finish(twin_of(which, clause, last, now, &v));
  if (kept != twin || (kept == SQLITE_OK &&
                       sqlite3_changes(db) != sqlite3_changes(world.twin))) {
    return fail("%s: %d, %d changes: %s; the twin: %d, %d changes",
                sqlite3_sql(statement), kept, sqlite3_changes(db),
                sqlite3_errmsg(db), twin, sqlite3_changes(world.twin));
  }
  counts.refused += kept != SQLITE_OK;
  note_transaction();
  return !looked_up ||
         (is_found(c, v.id) && is_found(c, v.other_id) && is_found(c, now));
}

/* The next step of a transaction, or of a savepoint within one. */
static void transact(void) {
  if (world.writer < 0) {
    world.writer = (int)random_below((size_t)world.connections);
    end_reading(world.writer);
    both(world.connections > 1 ? "BEGIN IMMEDIATE"
         : random_below(2)     ? "BEGIN"
                               : "SAVEPOINT s");
    world.savepoints = 0;
    return;
  }
  switch (random_below(6)) {
    case 0: /* which a deferred foreign key may refuse */
      if (both("COMMIT")) break;
      /* fall through */
    case 1:
      both("ROLLBACK");
      counts.rollbacks++;
      break;
    case 2:
      if (world.savepoints == 0) break;
      both("ROLLBACK TO s");
      counts.rollbacks++;
      break;
    case 3:
      if (world.savepoints == 0) break;
      both("RELEASE s");
      world.savepoints--;
      break;
    default:
      both("SAVEPOINT s");
      world.savepoints++;
  }
  note_transaction();
}

/* Another of the other people's triggers, or none of them. */
static void choose_other(void) {
  char sql[80];
  const int mode =
      random_below(2) ? 0 : 1 + (int)random_below(2 * OTHERS_OF_A_WORLD);
  snprintf(sql, sizeof(sql), "UPDATE other SET mode = %d", mode);
  both(sql);
}

static void set_recursion(void) {
  char sql[80];
  snprintf(sql, sizeof(sql), "PRAGMA recursive_triggers = %d",
           (int)random_below(2));
  for (int c = 0; c < world.connections; c++) run(world.kept[c], sql);
  run(world.twin, sql);
}

/* What one connection sees stays, while the other writes. */
static void begin_reading(void) {
  const int c = world.writer < 0 ? (int)random_below(2) : 1 - world.writer;
  if (world.connections < 2) return;
  end_reading(0);
  end_reading(1);
  world.reader = c;
  run(world.kept[c], "BEGIN");
  run_as(world.kept[c], world.of, "SELECT count(*) FROM $T");
}

/* What happens to a whole table. */
static int change_all(void) {
  switch (random_below(8)) {
    case 0:
      both("DELETE FROM $T");
      return 1;
    case 1:
      both("DELETE FROM $T WHERE $I % 3 > 0");
      return 1;
    case 2:
      if (world.writer < 0 && world.reader < 0) both("VACUUM");
      return 1;
    case 3:
      both("ANALYZE");
      return 1;
    default:
      if (!run_scripts()) return 0;
      if (random_below(2)) make_others(1);
      if (random_below(8) == 0) make_others(0);
      return 1;
  }
}

static int step(void) {
  const size_t kind = random_below(1000);
  if (kind < 60) {
    transact();
  } else if (kind < 90) {
    choose_other();
  } else if (kind < 95) {
    set_recursion();
  } else if (kind < 105) {
    begin_reading();
  } else if (kind < 112) {
    return change_all();
  } else {
    return change_rows(1);
  }
  return wrong[0] == '\0';
}

/* A table that has grown too long for frequent checks is emptied. */
static void keep_short(void) {
  char *sql = expand(world.of, "SELECT count(*) FROM $T", "");
  const sqlite3_int64 rows = integer_of(world.twin, sql);
  sqlite3_free(sql);
  if (rows <= MAX_ROWS) return;
  both(random_below(2) ? "DELETE FROM $T" : "DELETE FROM $T WHERE $I % 5 > 0");
}

#define BETWEEN_CHECKS 20

/* So many operations: 1 where all is well after each, and in between. */
static int operate(long operations) {
  int well = 1;
  for (long done = 1; well && done <= operations; done++) {
    well = step();
    if (well && done % BETWEEN_CHECKS == 0) {
      keep_short();
      well = all_is_well();
    }
  }
  return well;
}

/* Ends the transaction and all other people's work. */
static int settle(void) {
  for (int c = 0; c < world.connections; c++) end_reading(c);
  if (world.writer >= 0 && !both("COMMIT")) both("ROLLBACK");
  note_transaction();
  both("UPDATE other SET mode = 0");
  return wrong[0] == '\0' && all_is_well();
}

/* ---- What is never there must be excluded */

static long closed; /* filters of blocks, over all worlds */

#define ABSENT                                                            \
  "(WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE" \
  " i < 300) SELECT 'never ' || i AS k FROM n) AS a"

static int excludes(void) {
  static const check too_many[] = {
      {"absent keys that pass the join, over a tenth",
       "SELECT avg(bloom_may_match(a.k, " ALL_PARTS ")) >= 0.1 FROM " ABSENT,
       0},
      {"absent keys that their part has, over a tenth",
       "SELECT avg(bloom_may_match(a.k, " ONE_PART("a.k") ")) >= 0.1"
                                                          " FROM " ABSENT,
       0},
      {"absent keys that closed blocks have, over a tenth",
       "SELECT ifnull(avg(bloom_may_match(a.k, s.f)) >= 0.1, 0) FROM " ABSENT
       ", $<spans> AS s WHERE s.f IS NOT NULL",
       1}};
  sqlite3 *db = world.kept[0];
  if (!(world.of->flags & NO_BLOCKS)) {
    char *sql = expand(world.of,
                       "SELECT count(*) FROM $<spans> WHERE f IS NOT NULL", "");
    closed += (long)integer_of(db, sql);
    sqlite3_free(sql);
  }
  return run_scripts() && is_none(db, world.of, &too_many[0]) &&
         is_none(db, world.of, &too_many[1]) &&
         is_none(db, world.of, &too_many[2]);
}

/* A row past the end closes every block before its own. */
static int closes(void) {
  static const check open = {
      "a block that is not closed",
      "SELECT ifnull(max($I) / 16, -1) > (SELECT ifnull(max(block), -1)"
      " FROM $<blocks>) FROM $T WHERE $I < 4000",
      1};
  if ((world.of->flags & NO_BLOCKS) || world.range == 2) return 1;
  both("INSERT OR IGNORE INTO place VALUES(4000)");
  both("INSERT OR REPLACE INTO $T($I, $C) VALUES(4000, 'nobody')");
  return wrong[0] == '\0' && is_none(world.kept[0], world.of, &open);
}

/* ---- Random worlds */

#define OPERATIONS_OF_A_WORLD 1000

static const char *file;

static int has_shape(int which) {
  return sqlite3_libversion_number() >= shapes[which % SHAPES].needs;
}

static int varies(void) {
  return operate(OPERATIONS_OF_A_WORLD) && settle() && closes() && excludes();
}

static int random_world(int which, uint64_t seed) {
  random_state = seed + (uint64_t)which;
  const int well = begin(which, file, NULL) && operate(OPERATIONS_OF_A_WORLD) &&
                   settle() && excludes();
  end();
  return well;
}

static void random_worlds(long operations, uint64_t seed) {
  const int worlds =
      (int)((operations + OPERATIONS_OF_A_WORLD - 1) / OPERATIONS_OF_A_WORLD);
  int well = 1, which = 0, skipped = 0;
  for (; well && which < worlds; which++) {
    if (!has_shape(which)) {
      skipped++;
      continue;
    }
    well = random_world(which, seed);
    if (!well) {
      mismatch("world %d, seed %llu, %s, ids %d: %s", which,
               (unsigned long long)(seed >> 32), shapes[which % SHAPES].name,
               which % 3, wrong);
    }
  }
  ok(well, "%ld operations on %d tables: no row is lost", counts.operations,
     which - skipped);
  printf("# %ld checks of a whole table, %ld lookups of %ld rows\n",
         counts.checks, counts.lookups, counts.found);
  printf("# %ld refused, %ld locked out, %ld rolled back, %ld scripts run\n",
         counts.refused, counts.busy, counts.rollbacks, counts.reruns);
  printf("# skipped, since SQLite %s has none: %d tables, %ld operations\n",
         sqlite3_libversion(), skipped, counts.newer);
}

/* ---- Broken on purpose: nothing is lost, it is named, and it is repaired */

/* Changes without checks of the whole table. */
static int burst(void) {
  int well = 1;
  for (int i = 0; well && i < 40; i++) well = change_rows(1);
  return well && none_lost(world.kept[0], world.of);
}

/* How many problems the views that check tell of a name. */
static sqlite3_int64 problems_of(const shape *of, const char *name) {
  sqlite3_int64 n = 0;
  for (int blocks = 0; blocks <= !(of->flags & NO_BLOCKS); blocks++) {
    char *sql = expand(of,
                       blocks ? "SELECT count(*) FROM $<blocks_check>"
                                " WHERE instr(problem, ?1)"
                              : "SELECT count(*) FROM $<parts_check>"
                                " WHERE instr(problem, ?1)",
                       "");
    sqlite3_stmt *statement = prepare(world.kept[0], sql);
    sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC);
    n += first_integer(statement);
    sqlite3_finalize(statement);
    sqlite3_free(sql);
  }
  if (of == world.of && (of->flags & SECOND)) {
    n += problems_of(&world.second, name);
  }
  return n;
}

static int is_named(const char *name) {
  return problems_of(world.of, name) > 0 || fail("no problem names %s", name);
}

static int is_repaired(void) {
  return run_scripts() && all_is_well();
}

/* The names of the scripts' own triggers on the table, which end with a NULL.
*/
#define MAX_TRIGGERS 64

static int own_triggers(char *names[MAX_TRIGGERS]) {
  int n = 0;
  sqlite3_stmt *rows = prepare(world.kept[0],
                               "SELECT name FROM sqlite_master"
                               " WHERE type = 'trigger' AND tbl_name = ?1"
                               " AND name NOT GLOB 'first*'"
                               " AND name NOT GLOB 'last*' ORDER BY rowid");
  sqlite3_bind_text(rows, 1, world.of->table, -1, SQLITE_STATIC);
  while (sqlite3_step(rows) == SQLITE_ROW && n < MAX_TRIGGERS) {
    names[n++] = sqlite3_mprintf("%s", sqlite3_column_text(rows, 0));
  }
  sqlite3_finalize(rows);
  return n;
}

static void drop_trigger(const char *name) {
  char *sql = sqlite3_mprintf("DROP TRIGGER \"%w\"", name);
  trace("kept", sql);
  run(world.kept[0], sql);
  sqlite3_free(sql);
}

static void free_names(char *names[], int n) {
  while (n-- > 0) sqlite3_free(names[n]);
}

/* A single key looks for one trigger of the parts, which stands for all; a join
** and the spans look for each. */
static int none_lost_without(const char *trigger) {
  char *guard = expand(world.of, "$<parts_before_insert>", "");
  const int guarded = strncmp(guard + 1, trigger, strlen(trigger)) == 0;
  sqlite3_free(guard);
  return is_none(world.kept[0], world.of, &nothing_lost[0]) &&
         (!guarded || is_none(world.kept[0], world.of, &nothing_lost[1])) &&
         is_none(world.kept[0], world.of, &nothing_lost[2]);
}

static int each_trigger_dropped(void) {
  char *names[MAX_TRIGGERS];
  const int n = own_triggers(names);
  int well = n >= 4 || fail("%d triggers", n);
  for (int i = 0; well && i < n; i++) {
    drop_trigger(names[i]);
    for (int j = 0; j < 40; j++) change_rows(0);
    well = none_lost_without(names[i]) && is_named(names[i]) && is_repaired();
    if (!well) fail("without %s", names[i]);
  }
  free_names(names, n);
  return well;
}

/* Whether the view that checks the parts tells of anything. */
static int is_told(void) {
  answer got;
  char *sql = expand(world.of, nothing_wrong[0].sql, "");
  ask(world.kept[0], sql, &got);
  sqlite3_free(sql);
  return strcmp(got.text, "0|\n") != 0 || fail("no problem of the parts");
}

/* Whether a query is an error that says this. */
static int is_error(const char *query, const char *says) {
  answer got;
  char *sql = expand(world.of, query, "");
  ask(world.kept[0], sql, &got);
  sqlite3_free(sql);
  return (got.code == SQLITE_ERROR && strstr(got.text, says) != NULL) ||
         fail("%s: %s", query, got.text);
}

static int none_lost_but_by_join(void) {
  return is_none(world.kept[0], world.of, &nothing_lost[1]) &&
         is_none(world.kept[0], world.of, &nothing_lost[2]);
}

static int parts_broken(void) {
  sqlite3 *db = world.kept[0];
  run_as(db, world.of, "DELETE FROM $<parts> WHERE part = 5");
  int well = none_lost_but_by_join() && is_told() &&
             is_error("SELECT filter FROM $<filter>", "part 5") &&
             is_repaired();
  run_as(db, world.of, "UPDATE $<parts> SET parts = parts - 1 WHERE part = 7");
  well = well && is_error("SELECT filter FROM $<filter>", "parts") &&
         is_told() && is_repaired();
  run_as(db, world.of, "DELETE FROM $<parts>");
  return well && none_lost(db, world.of) && is_told() && is_repaired();
}

static int blocks_broken(void) {
  static const char *const breaks[] = {
      "DELETE FROM $<blocks> WHERE block = (SELECT max(block) FROM $<blocks>)",
      "DELETE FROM $<blocks> WHERE block % 2 = 0",
      "UPDATE $<blocks> SET f = NULL WHERE block % 2 = 1",
      "DELETE FROM $<blocks>"};
  int well = 1;
  if (world.of->flags & NO_BLOCKS) return 1;
  for (size_t i = 0; well && i < sizeof(breaks) / sizeof(*breaks); i++) {
    run_as(world.kept[0], world.of, breaks[i]);
    well = none_lost(world.kept[0], world.of) && burst() && is_repaired();
    if (!well) fail("after %s", breaks[i]);
  }
  return well;
}

/* A table made again as migrations do, by which it loses its triggers: with a
** new one that takes the name, or with the old one that gives it away first. */
static int is_rebuilt(int gives_away, int legacy) {
  char *names[MAX_TRIGGERS];
  shape other = *world.of;
  const int n = own_triggers(names);
  int well = 1;
  char *create = expand((other.table = "migrated", &other), other.create, "");
  char *sql = sqlite3_mprintf(
      gives_away ? "ALTER TABLE $T RENAME TO migrated; %s;"
                   "INSERT INTO $T($I, $C) SELECT $I, $C FROM migrated;"
                   "DROP TABLE migrated"
                 : "%s; INSERT INTO migrated($I, $C) SELECT $I, $C FROM $T;"
                   "DROP TABLE $T; ALTER TABLE migrated RENAME TO $T",
      gives_away ? world.of->create : create);
  both("PRAGMA foreign_keys = OFF");
  both(legacy ? "PRAGMA legacy_alter_table = ON"
              : "PRAGMA legacy_alter_table = OFF");
  finalize_all();
  well = both("BEGIN") && both(sql) && both("COMMIT");
  both("PRAGMA foreign_keys = ON");
  both("PRAGMA legacy_alter_table = OFF");
  sqlite3_free(create);
  sqlite3_free(sql);
  if (well) prepare_lookups();
  well = well && burst();
  for (int i = 0; well && i < n; i++) well = is_named(names[i]);
  free_names(names, n);
  return well && is_repaired();
}

static int breaks(void) {
  int well = operate(300) && settle() && each_trigger_dropped();
  for (int i = 0; well && i < 4; i++) well = is_rebuilt(i & 1, i & 2);
  return well && parts_broken() && blocks_broken();
}

static int broken_world(int which, uint64_t seed) {
  random_state = seed + (uint64_t)which;
  const int well =
      begin(which, file, NULL) && breaks() && settle() && excludes();
  end();
  return well;
}

static void broken_worlds(uint64_t seed) {
  for (int which = 0; which < SHAPES; which++) {
    if (!has_shape(which)) {
      skip(1, "a table that this SQLite does not have");
      continue;
    }
    const int well = broken_world(which, seed);
    if (!well) mismatch("%s", wrong);
    ok(well, "broken and repaired: %s", shapes[which].name);
  }
}

/* ---- Planted faults: the worlds above must notice each of them */

typedef struct fault {
  const char *trigger;   /* which does nothing, or NULL */
  const char *from, *to; /* otherwise, what stands there and what it becomes */
  int broken;            /* it is noticed where something is broken */
} fault;

/* Without those AFTER UPDATE: what they add, the ones before it have added
** where they see the row as it will be, which these SQLites show them. */
static const fault faults[] = {
    {"$<parts_before_insert>", NULL, NULL, 0},
    {"$<parts_after_insert>", NULL, NULL, 0},
    {"$<parts_before_update>", NULL, NULL, 0},
    {"$<blocks_before_insert>", NULL, NULL, 0},
    {"$<blocks_after_insert>", NULL, NULL, 0},
    {"$<blocks_before_update>", NULL, NULL, 0},
    {NULL, "\n  OR NEW.$I IS NOT OLD.$I", "", 0},
    {NULL, "COLLATE BINARY IS NOT", "COLLATE NOCASE IS NOT", 0},
    {NULL, "CASE NEW.$I WHEN -1", "CASE NEW.$I WHEN -2", 0},
    {NULL, "IS NOT NULL GROUP BY 1", "> 'key 4' GROUP BY 1", 0},
    {NULL, "SELECT (b.block + 1) * 16,", "SELECT (b.block + 2) * 16,", 0},
    {NULL, "b.block * 16 + 16 - 1, b.f", "b.block * 16 + 16, b.f", 0},
    {NULL, "SELECT -9223372036854775808,\n", "SELECT 0,\n", 0},
    {NULL, "AND ((SELECT crc32c(m.sql)", "AND (1 OR (SELECT crc32c(m.sql)", 1},
    {NULL, "FROM $<parts> AS p\nWHERE (", "FROM $<parts> AS p\nWHERE 1 OR (",
     1},
    {NULL, "FROM $<blocks> AS b WHERE (", "FROM $<blocks> AS b WHERE 1 OR (",
     1},
    {NULL, "WHERE NOT EXISTS (SELECT 1 FROM sqlite_master",
     "WHERE 0 AND NOT EXISTS (SELECT 1 FROM sqlite_master", 1},
    {NULL, "WHERE NOT EXISTS (SELECT 1 FROM $<parts>)", "WHERE 0", 1},
    {NULL, "WHERE w.parts > w.there", "WHERE 0", 1},
    {NULL, "WHERE w.least < w.most", "WHERE 0", 1},
};
#define FAULTS (sizeof(faults) / sizeof(*faults))

static const fault *planted;
static int is_planted; /* in this world */

#define TRIGGER "CREATE TRIGGER main."

/* Where the statement ends that begins here. */
static const char *after_statement(const char *sql) {
  for (const char *end = strchr(sql, ';'); end != NULL;
       end = strchr(end + 1, ';')) {
    char *statement = sqlite3_mprintf("%.*s", (int)(end + 1 - sql), sql);
    const int complete = sqlite3_complete(statement);
    sqlite3_free(statement);
    if (complete) return end + 1;
  }
  return sql + strlen(sql);
}

/* A statement without the lines of comment before it. */
static const char *after_comments(const char *sql) {
  for (;;) {
    sql += strspn(sql, " \n");
    if (strncmp(sql, "--", 2) != 0) return sql;
    sql += strcspn(sql, "\n");
  }
}

/* A script in which one trigger, there by name, does nothing. */
static char *with_idle_trigger(const char *script, const char *name) {
  const char *end;
  char *whole = expand(world.of, name, ""), *faulty = NULL;
  for (const char *at = script; *at != '\0' && faulty == NULL; at = end) {
    end = after_statement(at);
    at = after_comments(at);
    if (strncmp(at, TRIGGER, strlen(TRIGGER)) != 0) continue;
    at += strlen(TRIGGER);
    if (strncmp(at, whole, strlen(whole)) != 0) continue;
    const char *body = strstr(at, "BEGIN"), *when = strstr(at, "WHEN");
    if (when != NULL && when < body) body = when;
    faulty = sqlite3_mprintf("%.*s BEGIN SELECT 1; END;%s",
                             (int)(body - script), script, end);
  }
  sqlite3_free(whole);
  return faulty;
}

/* A text with every one of these replaced, or NULL where there is none. */
static char *with_all_replaced(const char *text, const char *from,
                               const char *to) {
  const char *at = strstr(text, from);
  if (at == NULL) return NULL;
  sqlite3_str *made = sqlite3_str_new(NULL);
  for (; at != NULL; at = strstr(text, from)) {
    sqlite3_str_append(made, text, (int)(at - text));
    sqlite3_str_appendall(made, to);
    text = at + strlen(from);
  }
  sqlite3_str_appendall(made, text);
  return sqlite3_str_finish(made);
}

/* The crc32c of each trigger's SQL as sqlite_master has it, and last their sum;
** returns how many numbers. */
static int trigger_sums(const char *script, sqlite3_int64 sums[]) {
  sqlite3 *db = open_database();
  sqlite3_stmt *crc = prepare(db, "SELECT crc32c('CREATE TRIGGER ' || ?1)");
  sqlite3_int64 sum = 0;
  const char *end;
  int n = 0;
  for (const char *at = script; *at != '\0'; at = end) {
    end = after_statement(at);
    at = after_comments(at);
    if (strncmp(at, TRIGGER, strlen(TRIGGER)) != 0) continue;
    at += strlen(TRIGGER);
    sqlite3_bind_text(crc, 1, at, (int)(end - 1 - at), SQLITE_STATIC);
    sums[n] = first_integer(crc);
    sum += sums[n++];
  }
  sums[n] = sum;
  sqlite3_finalize(crc);
  sqlite3_close(db);
  return n + 1;
}

/* A faulty script that holds its triggers against what they are now: the views
** do not notice. */
static char *with_sums(char *faulty, const char *script) {
  sqlite3_int64 was[MAX_TRIGGERS], are[MAX_TRIGGERS];
  const int n = trigger_sums(script, was);
  trigger_sums(faulty, are);
  for (int i = 0; i < n; i++) {
    char from[32], to[32];
    snprintf(from, sizeof(from), "%lld", (long long)was[i]);
    snprintf(to, sizeof(to), "%lld", (long long)are[i]);
    char *more = with_all_replaced(faulty, from, to);
    if (more == NULL) continue;
    sqlite3_free(faulty);
    faulty = more;
  }
  return faulty;
}

static char *plant(char *script) {
  char *faulty;
  if (planted->trigger != NULL) {
    faulty = with_idle_trigger(script, planted->trigger);
  } else {
    char *from = expand(world.of, planted->from, "");
    char *to = expand(world.of, planted->to, "");
    faulty = with_all_replaced(script, from, to);
    sqlite3_free(from);
    sqlite3_free(to);
  }
  if (faulty == NULL) return script;
  is_planted = 1;
  faulty = with_sums(faulty, script);
  sqlite3_free(script);
  return faulty;
}

/* Whether a world that has the fault is as it must be; one without it is. */
static int is_well(int which, uint64_t seed) {
  is_planted = 0;
  random_state = seed + (uint64_t)which;
  const int well = begin(which, file, plant) &&
                   (!is_planted || (planted->broken ? breaks() : varies()));
  end();
  return well;
}

static int is_well_without(int which, uint64_t seed) {
  random_state = seed + (uint64_t)which;
  const int well =
      begin(which, file, NULL) && (planted->broken ? breaks() : varies());
  end();
  return well;
}

/* Runs worlds until one notices the fault, in which without it all is well. */
static int is_noticed(uint64_t seed) {
  char notice[sizeof(wrong)];
  for (int which = 0; which < 2 * SHAPES; which++) {
    if (!has_shape(which) || is_well(which, seed)) continue;
    memcpy(notice, wrong, sizeof(wrong));
    if (!is_planted || !is_well_without(which, seed)) return 0;
    memcpy(wrong, notice, sizeof(wrong));
    return 1;
  }
  return 0;
}

static void planted_faults(uint64_t seed) {
  for (size_t i = 0; i < FAULTS; i++) {
    planted = &faults[i];
    const int noticed = is_noticed(seed);
    if (planted->trigger != NULL) {
      ok(noticed, "noticed: %s that does nothing: %s", planted->trigger, wrong);
      continue;
    }
    const char *from = planted->from + strspn(planted->from, " \n");
    ok(noticed, "noticed: \"%.*s\" as \"%.*s\": %s", (int)strcspn(from, "\n"),
       from, (int)strcspn(planted->to, "\n"), planted->to, wrong);
  }
}

int main(int argc, char **argv) {
  const long operations = argc > 1 ? atol(argv[1]) : 50000;
  const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
  static char name[100];
  snprintf(name, sizeof(name), "/tmp/scripts-%ld.db", (long)getpid());
  file = name;
  tracing = getenv("TRACE") != NULL;
  printf("# SQLite %s, seed %llu\n", sqlite3_libversion(),
         (unsigned long long)seed);
  random_worlds(operations, seed << 32);
  broken_worlds(seed << 32);
  planted_faults(seed << 32);
  return tap_done();
}
