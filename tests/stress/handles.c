/*
** Runs thousands of generated queries, in which handles of bloom_open go
** wherever a value can go. They pass through sources (tables, views, common
** table expressions, compounds, sorters, groups, windows, outer joins,
** triggers, RETURNING, UPSERT) and through nested wrappers around these
** (nullif, coalesce, CASE, max ...), and end in every function that takes a
** filter.
**
** Each query contains its own oracle, which uses no handle. While the statement
** runs, blob(h, k) gives the bytes that the value h stands for where the key k
** is probed, and same(a, b) compares what a function makes of h with what it
** makes of these bytes. So no member may be lost, and nothing may be found but
** what the BLOB matches. An error is accepted only if the query was given a
** reason for it. The test also counts the live handles: a run fails if most of
** its queries fail, or if its handles match everything.
**
** usage: handles [QUERIES [SEED]]. Query n of a seed is the same in every run
** on one version of SQLite. Each is printed before it runs.
*/
#include <stdint.h>

#include "lib/functions.h"
#include "lib/grammar.h"
#include "lib/tap.h"

/* ---- The filters: eight whole ones, each of six keys, and four in parts. The
** first of these has one part, which is the first whole filter. The others are
** in n parts, n = 2, 3, 4, and have every n-th key. */

static const char schema[] =
    "CREATE TABLE key(k TEXT PRIMARY KEY, n INTEGER);"
    "INSERT INTO key WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL "
    "  SELECT i + 1 FROM n LIMIT 60) SELECT char(97 + i / 6) || i, i FROM n;"
    "CREATE TABLE filter(id INTEGER PRIMARY KEY, name TEXT, f BLOB);"
    "INSERT INTO filter SELECT n / 6 + 1, char(97 + n / 6),"
    "  bloom_build(k, 20, 25) FROM key WHERE n < 48 GROUP BY n / 6;"
    /* The third part of four has no filter, which excludes nothing. */
    "CREATE TABLE part(parts INTEGER, part INTEGER, f BLOB);"
    "INSERT INTO part SELECT a.id, b.id - 1, CASE WHEN a.id = 1 THEN a.f "
    "  WHEN a.id < 4 OR b.id <> 3 THEN (SELECT bloom_build(k, 20) FROM key"
    "    WHERE n % a.id = 0 AND bloom_part(k, a.id) = b.id - 1) END"
    "  FROM filter AS a JOIN filter AS b ON b.id <= a.id WHERE a.id <= 4;"
    /* What stands beside a handle as g, and the bytes that it stands for. */
    "CREATE TABLE known(number INTEGER, parts INTEGER, part INTEGER, f BLOB);"
    "INSERT INTO known SELECT id, 1, 0, f FROM filter UNION ALL"
    "  SELECT 8 + parts, parts, part, ifnull(f, x'0000') FROM part;"
    "CREATE TABLE todo(g, k);"
    "INSERT INTO todo SELECT n % 8 + 1, k FROM key WHERE n % 5 = 0;"
    "CREATE TABLE sink(id INTEGER PRIMARY KEY, g, h, k, f);"
    "CREATE TABLE nested(h, k, f);"
    "CREATE VIEW fresh AS SELECT g, NULL AS h, k, NULL AS f FROM todo;";

static sqlite3 *db;

static void test_filters(void) {
  run(db, schema);
  ok(integer_of(db,
                "SELECT sum(bloom_may_match(k, f)) FROM filter JOIN key "
                "ON n / 6 = id - 1") == 48 &&
         integer_of(db,
                    "SELECT sum(bloom_may_match(k, f)) FROM part JOIN key "
                    "ON n % parts = 0 AND part = bloom_part(k, parts) "
                    "WHERE parts > 1") == 30 + 20 + 15,
     "the BLOBs match their members");
  ok(integer_of(db,
                "SELECT sum(NOT bloom_may_match(k, f)) FROM filter JOIN key "
                "ON n / 6 <> id - 1") > 400,
     "and refuse others");
}

/* ---- The oracle. */

/* What one run of a query did. */
static struct {
  long live;    /* handles whose filter a function has read */
  long refused; /* keys that did not match */
} now;

static char wrong[400]; /* empty while all is right */
static sqlite3_int64 last_handle;

/* Statements of the oracle's own, which run while others do. */
static sqlite3_stmt *whole_of, *part_of, *probe_any;

#ifdef __GNUC__
__attribute__((format(printf, 1, 2)))
#endif
static void
report(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  if (wrong[0] == '\0') vsnprintf(wrong, sizeof(wrong), format, arguments);
  va_end(arguments);
}

/* blob(h, k) is the BLOB that h, which a function has accepted as a filter,
** stands for where the key k is probed. */
static void blob_function(sqlite3_context *context, int argc,
                          sqlite3_value **argv) {
  (void)argc;
  sqlite3_value *h = argv[0];
  const int type = sqlite3_value_type(h);
  if (type == SQLITE_BLOB || type == SQLITE_NULL) {
    sqlite3_result_value(context, h);
    return;
  }
  sqlite3_stmt *statement = whole_of;
  sqlite3_bind_value(whole_of, 1, h);
  if (sqlite3_step(whole_of) == SQLITE_ERROR) {
    const char *parts = strstr(sqlite3_errmsg(db), "handle of ");
    statement = part_of;
    sqlite3_bind_value(part_of, 1, h);
    sqlite3_bind_value(part_of, 2, argv[1]);
    sqlite3_bind_int(part_of, 3, parts == NULL ? 1 : atoi(parts + 10));
    sqlite3_step(part_of);
  }
  if (sqlite3_data_count(statement) > 0) {
    sqlite3_result_value(context, sqlite3_column_value(statement, 0));
    last_handle = sqlite3_value_int64(h);
    now.live++;
  } else {
    report("%s is no filter and was taken for one",
           (const char *)sqlite3_value_text(h));
  }
  sqlite3_reset(whole_of);
  sqlite3_reset(part_of);
}

/* same(a, b) is a. A query in which b is another value is wrong. */
static void same_function(sqlite3_context *context, int argc,
                          sqlite3_value **argv) {
  (void)argc;
  sqlite3_result_value(context, argv[0]);
  const int type = sqlite3_value_type(argv[0]);
  const int other_type = sqlite3_value_type(argv[1]);
  now.refused += type == SQLITE_INTEGER && sqlite3_value_int(argv[0]) == 0;
  const int n = sqlite3_value_bytes(argv[0]);
  if (type != other_type || n != sqlite3_value_bytes(argv[1]) ||
      (n > 0 && memcmp(sqlite3_value_blob(argv[0]), sqlite3_value_blob(argv[1]),
                       (size_t)n) != 0)) {
    report("%s is not %s", (const char *)sqlite3_value_text(argv[0]),
           (const char *)sqlite3_value_text(argv[1]));
  }
}

static void register_oracle(void) {
  add_function(db, "blob", 2, blob_function);
  add_function(db, "same", 2, same_function);
  whole_of = prepare(db, "SELECT f FROM known WHERE f = bloom_bytes(?1)");
  part_of = prepare(db,
                    "SELECT f FROM known WHERE f = "
                    "bloom_bytes(?1, bloom_part(ifnull(?2, ''), ?3))");
  probe_any = prepare(db, "SELECT bloom_may_match('a0', ?1)");
}

/* ---- The queries. */

/* What a query may have: errors for which it has a reason, or, at the end, a
** handle beside another g than its own. */
static const char *const effect_names[] = {"MAY_BE_STRAY", "MAY_BE_TYPED",
                                           "MAY_BE_PARTS", "MAY_LACK_PARTS",
                                           "CHOOSES",      NULL};
enum { CHOOSES = 1 << 4 };

static const char *const reasons[] = {
    "which is not an open handle (a handle ends with its statement, or when "
    "the statement has opened too many others: store the filter, and open it "
    "again)",
    "filter must be a BLOB or a bloom_open() handle, got ",
    " a handle of ",
    "bloom_open: part",
};

/* A query as it is made: what runs before it, in the transaction that is rolled
** back after it, and the errors that it may have. */
static struct {
  const char *before[8];
  int befores;
  const char *sql;
  int changes; /* it is a transaction */
} query;

static int number(size_t n) {
  return (int)random_below(n) + 1;
}

/* The words of data/handles.txt that are not forms. */

static const char *wrapped(size_t depth, const char *e, const char *g) {
  if (depth == 0 || one_in(4)) return e;
  return one_of("wrapper", wrapped(depth - 1, e, g), g);
}

static const char *source(size_t depth) {
  if (depth == 0) return one_of("base", "", "");
  return one_of("around", source(depth - 1), "");
}

static const char *before(const char *sql) {
  query.changes = 1;
  query.before[query.befores++] = sql;
  return "";
}

static const char *view_of(const char *s) {
  if (query.befores > 3) return text("(%s)", s);
  const char *view = text("v%d", query.befores);
  before(text("CREATE TEMP VIEW %s AS %s", view, s));
  return view;
}

static const char *own_word(const char *word, const char *a, const char *b) {
  if (strcmp(word, "wrapped") == 0) return wrapped(random_below(4), a, b);
  if (strcmp(word, "source") == 0) return source(random_below(4));
  if (strcmp(word, "view") == 0) return view_of(a);
  if (strcmp(word, "before") == 0) return before(a);
  if (strcmp(word, "beside") == 0) {
    return effects & CHOOSES
               ? "g"
               : "same(blob(h, k), (SELECT f FROM known WHERE h NOT NULL AND "
                 "number = g AND part = bloom_part(k, parts)))";
  }
  return NULL;
}

/* A query in which any function takes a handle, and the bytes that the handle
** stands for. */
static const char *with_function(const char *s, const char *some) {
  const struct listed_function *chosen = NULL;
  while (chosen == NULL || chosen->call == NULL) {
    chosen = &functions[random_below(COUNT(functions))];
  }
  return expand(text("SELECT same(bloom_bytes(h), blob(h, '')), same(%s, %s)"
                     " FROM ({s}), {some}",
                     expand(chosen->call, expand("{same:h:g}", "", ""), ""),
                     expand(chosen->call, "bloom_bytes(h)", "")),
                s, some);
}

static void make_query(uint64_t seed, long n) {
  random_state = seed;
  random_state = random64() + (uint64_t)n;
  arena_used = 0;
  effects = 0;
  memset(&query, 0, sizeof(query));
  const char *s = source(random_below(4));
  const char *some =
      expand("(SELECT k FROM key WHERE n % 3 = {0/1/2})", "", "");
  if (one_in(4)) {
    query.changes = 1;
    query.sql = one_of("change", s, "");
  } else if (one_in(4)) {
    query.sql = with_function(s, some);
  } else {
    query.sql = one_of("query", s, some);
  }
}

/* ---- Running them. */

static struct {
  long queries;
  long live;     /* queries in which a function has read a handle's filter */
  long refusing; /* that refused a key */
  long errors[COUNT(reasons)];
} total;

static long failures;

/* One that is halfway through while others run. */
static sqlite3_stmt *waiting;
static int waiting_effects;

/* Steps a statement to its end, or through this many rows. */
static void step(sqlite3_stmt *statement, int allowed, int rows) {
  int code = SQLITE_ROW;
  while (rows-- > 0 && code == SQLITE_ROW) code = sqlite3_step(statement);
  if (code == SQLITE_ROW || code == SQLITE_DONE) return;
  const char *message = sqlite3_errmsg(db);
  for (size_t i = 0; i < COUNT(reasons); i++) {
    if ((allowed >> i & 1) && strstr(message, reasons[i])) {
      total.errors[i]++;
      return;
    }
  }
  report("error %d without a reason: %s", code, message);
}

static void finish_waiting(void) {
  if (waiting == NULL) return;
  step(waiting, waiting_effects, INT32_MAX);
  sqlite3_finalize(waiting);
  waiting = NULL;
}

/* A handle ends with its statement. */
static void test_stale(void) {
  if (last_handle == 0) return;
  sqlite3_bind_int64(probe_any, 1, last_handle);
  if (sqlite3_step(probe_any) != SQLITE_ERROR ||
      strstr(sqlite3_errmsg(db), reasons[0]) == NULL) {
    report("a handle of the query is open after it");
  }
  sqlite3_reset(probe_any);
}

/* Runs the statements before the query, and prepares the query. NULL if it is
** too deeply nested for this version's parser, or if SQLite 3.40 puts a view of
** outer joins into a join wrongly. */
static sqlite3_stmt *start_query(void) {
  sqlite3_stmt *statement = NULL;
  int code = SQLITE_OK;
  for (int i = 0; i < query.befores && code == SQLITE_OK; i++) {
    code = sqlite3_exec(db, query.before[i], NULL, NULL, NULL);
  }
  if (code == SQLITE_OK) {
    code = sqlite3_prepare_v2(db, query.sql, -1, &statement, NULL);
  }
  const char *message = sqlite3_errmsg(db);
  if (code != SQLITE_OK && strcmp(message, "parser stack overflow") != 0 &&
      strcmp(message, "ON clause references tables to its right") != 0) {
    report("it does not run: %s", message);
  }
  return statement;
}

static void test_statement(sqlite3_stmt *statement) {
  if (one_in(8)) {
    step(statement, effects, number(9));
    sqlite3_reset(statement);
  }
  if (!query.changes && waiting == NULL && one_in(4)) {
    step(statement, effects, 1);
    waiting = statement;
    waiting_effects = effects;
    return;
  }
  /* The statement that waits ends in the middle of this one, or after it. */
  if (waiting != NULL && one_in(2)) {
    step(statement, effects, 1);
    finish_waiting();
  }
  step(statement, effects, INT32_MAX);
  sqlite3_finalize(statement);
  finish_waiting();
  test_stale();
}

static void test_query(void) {
  memset(&now, 0, sizeof(now));
  last_handle = 0;
  if (query.changes) {
    finish_waiting();
    run(db, "BEGIN");
  }
  sqlite3_stmt *statement = start_query();
  if (statement != NULL) {
    total.queries++;
    test_statement(statement);
  }
  if (query.changes) run(db, "ROLLBACK");
  total.live += now.live > 0;
  total.refusing += now.refused > 0;
}

int main(int argc, char **argv) {
  const long queries = argc > 1 ? atol(argv[1]) : 10000;
  const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
  db = open_database();
  read_forms("tests/data/handles.txt", effect_names);
  test_filters();
  register_oracle();
  /* Handles are random, and some queries sort by them. */
  seed_sqlite(seed);
  for (long n = 0; total.queries < queries && failures < 10; n++) {
    make_query(seed, n);
    printf("# %ld:", n);
    for (int i = 0; i < query.befores; i++) printf(" %s;", query.before[i]);
    printf(" %s\n", query.sql);
    fflush(stdout);
    wrong[0] = '\0';
    test_query();
    if (wrong[0] != '\0') {
      ok(0, "query %ld of seed %llu: %s", n, (unsigned long long)seed, wrong);
      failures++;
    }
  }
  finish_waiting();
  ok(failures == 0, "SQLite %s: %ld queries of seed %llu answer right",
     sqlite3_libversion(), total.queries, (unsigned long long)seed);
  ok(total.live > total.queries * 3 / 4, "%ld read a filter by its handle",
     total.live);
  ok(total.refusing > total.queries / 2, "%ld refused a key", total.refusing);
  for (size_t i = 0; i < COUNT(reasons); i++) {
    ok(total.errors[i] >= total.queries / 1000 &&
           total.errors[i] < total.queries / 10,
       "%ld ended in \"%s\", for which they had a reason", total.errors[i],
       reasons[i]);
  }
  sqlite3_finalize(whole_of);
  sqlite3_finalize(part_of);
  sqlite3_finalize(probe_any);
  ok(sqlite3_close(db) == SQLITE_OK, "nothing is left open");
  ok(sqlite3_memory_used() == 0, "nothing is left in memory");
  return tap_done();
}
