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

/* What a query may have: errors for which it has a reason, or a handle beside
** another g than its own. */
enum effect {
  MAY_BE_STRAY = 1, /* a number that is not an open handle */
  MAY_BE_TYPED = 2, /* another type */
  MAY_BE_PARTS = 4, /* a handle of parts where one filter is meant */
  MAY_LACK_PARTS = 8,
  CHOOSES = 16,
};

static const struct {
  int reason;
  const char *says;
} reasons[] = {
    {MAY_BE_STRAY,
     "which is not an open handle (a handle ends with its statement, or when "
     "the statement has opened too many others: store the filter, and open it "
     "again)"},
    {MAY_BE_TYPED, "filter must be a BLOB or a bloom_open() handle, got "},
    {MAY_BE_PARTS, " a handle of "},
    {MAY_LACK_PARTS, "bloom_open: part"},
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

/* What a query is made of, as SQL with words in braces (lib/grammar.h).
**
**   {e} {s}                the first argument: an expression, or a source
**   {g} {some}             the second one: an INTEGER of the same row, or keys
**   {wrapped:e:g}          the expression e within others
**   {source}               a SELECT of (g, h): a handle and the number of its
**                          filter, from 1 on, unless the query chooses
**   {view:s}               a view of a source
**   {before:sql}           nothing; sql runs before the query
**   {beside}               g, which must be the number of h's filter
**
** A form that stands for an expression gives each {e} back that it is given. */
static const struct form forms[] = {
#define PARTS "{1/2/3/4}"
#define ID "{1/2/3/4/5/6/7/8}"
    {"probe", 1, 0, 0,
     "same(bloom_may_match({g}, {e}), bloom_may_match({g}, blob({e}, {g})))"},

    /* The handle of a filter, and one of any filter, in any place. */
    {"opened", 1, 0, 0,
     "{bloom_open({e})/CASE WHEN same(blob(bloom_open({e}), ''), {e}) NOT NULL"
     " THEN bloom_open({e}) END}"},
    {"other", 7, 0, 0, "(SELECT {opened:f} FROM filter WHERE id = " ID ")"},
    {"other", 2, 0, 0, "{opened:(SELECT f FROM filter WHERE id = " ID ")}"},
    {"other", 2, 0, 0,
     "(SELECT {opened:f} FROM filter ORDER BY id LIMIT 1 OFFSET " ID " - 1)"},
    {"other", 1, 0, MAY_BE_PARTS,
     "(SELECT bloom_open(part, parts, f) FROM part"
     " WHERE parts = " PARTS ")"},

    /* An expression that gives the value e back, whatever it is. */
    {"same", 1, 0, 0,
     "{CASE WHEN {e} IS NOT NULL THEN {e} END/max({e}, {e})/nullif({e}, 1)/"
     "CASE {g} WHEN NULL THEN 1 ELSE {e} END/nullif({e}, 'name')/"
     "coalesce({e}, NULL)/coalesce(NULL, {e})/ifnull({e}, NULL)/likely({e})/"
     "unlikely({e})/+{e}/(SELECT {e})/(VALUES({e}))/bloom_open({e})}"},
    /* The handle e, another handle or, now and then, NULL. */
    {"wrapper", 45, 0, 0,
     "{{same:{e}:{g}}/{same:{e}:{g}}/"
     "(SELECT {max/min}(x) FROM (SELECT {e} AS x))}"},
    {"wrapper", 90, 0, CHOOSES,
     "{nullif({e}, {other})/coalesce({e}, {other})/ifnull(nullif({e}, 0),"
     " {other})/CASE WHEN {g} % 2 THEN {e} ELSE {other} END/CASE {g} WHEN 3"
     " THEN {other} ELSE {e} END/{max/min}({e}, {other})}"},
    {"wrapper", 15, 3032000, CHOOSES, "iif({g} > 4, {e}, {other})"},
    {"wrapper", 1, 0, MAY_BE_TYPED, "CAST({e} AS {TEXT/REAL})"},
    {"wrapper", 1, 0, MAY_BE_STRAY,
     "{({e} & 65535)/({e} | 255)/max({e}, 7)/- {e}}"},

    /* The innermost sources, and those around a source. */
    {"base", 10, 0, 0,
     "SELECT id AS g, {wrapped:{opened:f}:id} AS h FROM filter{/ WHERE id < 5/"
     " WHERE id BETWEEN 3 AND 4/ ORDER BY name DESC LIMIT 4}"},
    {"base", 1, 0, 0,
     "SELECT id AS g, CASE WHEN id % 2 THEN {wrapped:{opened:f}:id}"
     " ELSE f END AS h FROM filter"},
    {"base", 1, 0, MAY_BE_PARTS,
     "SELECT CASE parts WHEN 1 THEN 1 ELSE 8 + parts END AS g, bloom_open(part,"
     " parts, {f/{same:{opened:f}:part}}) AS h FROM part GROUP BY parts"},
    {"materialized", 1, 0, 0, ""},
    {"materialized", 2, 3035000, 0, "{/NOT }MATERIALIZED "},
    {"around", 2, 0, 0,
     "WITH c(g, h) AS {materialized}({s}) SELECT {g, h FROM c/"
     "a.g, b.h FROM c AS a JOIN c AS b ON a.g = b.g LIMIT 12}"},
    {"around", 1, 0, 0,
     "WITH RECURSIVE r(g, h, i) AS (SELECT g, h, 1 FROM ({s}) UNION{/ ALL}"
     " SELECT g, h, i + 1 FROM r WHERE i < 3) SELECT g, h FROM r"},
    {"around", 1, 0, 0,
     "SELECT g, h FROM ({s}) {UNION/UNION ALL/INTERSECT}"
     " SELECT g, h FROM ({{s}/{base}})"},
    {"around", 1, 0, 0,
     "SELECT g, h FROM ({s}) EXCEPT {SELECT id, 7 FROM filter/"
     "SELECT 2, bloom_open(f) FROM filter WHERE id = 2}"},
    {"around", 1, 0, 0,
     "SELECT g, h FROM ({s}) ORDER BY {g/h/-g/h DESC/g % 3, h}"
     "{/ LIMIT 5/ LIMIT 5 OFFSET 1}"},
    {"around", 1, 0, 0, "SELECT g, h FROM ({s}) LIMIT " ID},
    {"around", 1, 0, 0, "SELECT g, h FROM ({s}) GROUP BY {g/h/g % 2/g, h}"},
    {"around", 1, 0, 0,
     "SELECT {max/min}(g) AS g, h FROM ({s}){/ GROUP BY g % 3/ GROUP BY h}"},
    {"around", 1, 0, 0,
     "SELECT g, {max/min}(h) AS h FROM ({s}){/ GROUP BY g % 3/"
     " GROUP BY g HAVING count(DISTINCT h) = 1}"},
    {"around", 1, 0, 0, "SELECT DISTINCT g, h FROM ({s})"},
    /* Version 3.26.0 reads freed memory when a window function stands in a
    ** correlated subquery, and crashes on CASE row_number() OVER ... WHEN. */
    {"around", 1, 3027000, CHOOSES,
     "SELECT g, {first_value(h)/last_value(h)/lag(h)/lead(h, 1, h)/"
     "nth_value(h, 2)/max(h)} OVER ({ORDER BY g/PARTITION BY g % 2 ORDER"
     " BY h/ORDER BY g ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING/"
     "PARTITION BY h}) AS h FROM ({s})"},
    {"around", 1, 3027000, CHOOSES,
     "SELECT CASE row_number() OVER (ORDER BY h) WHEN 1 THEN 1 ELSE g"
     " END AS g, h FROM ({s})"},
    {"around", 1, 0, 0,
     "SELECT id AS g, x.h FROM filter LEFT JOIN ({s}) AS x ON x.g = id"
     " {/AND id < 6/AND x.h <> 0}"},
    {"around", 1, 3039000, 0,
     "SELECT x.g, x.h FROM (SELECT id FROM filter WHERE id > 3)"
     " {RIGHT/FULL} JOIN ({s}) AS x ON x.g = id"},
    {"around", 1, 0, 0, "SELECT g, h FROM {view:{s}}"},
    {"around", 1, 0, 0,
     "SELECT a.g, a.h FROM ({s}) AS a JOIN ({s}) AS b ON a.h = b.h LIMIT 12"},
    {"around", 1, 0, CHOOSES,
     "SELECT column1 AS g, column2 AS h FROM (VALUES (1, {other}),"
     " (2, (SELECT h FROM ({s}))), (3, {wrapped:{other}:3}))"},
    {"around", 1, 0, 0,
     "SELECT id AS g, (SELECT x.h FROM ({s}) AS x WHERE x.g = id LIMIT 1"
     ") AS h FROM filter"},
    {"around", 1, 0, 0, "SELECT g, {wrapped:h:g} AS h FROM ({s})"},

    /* What a trigger does with the row NEW, and what the next one does, if it
    ** inserts into nested. */
    {"new", 1, 0, 0, "{wrapped:{NEW.h/NEW.h/{opened:NEW.f}}:length(NEW.k)}"},
    {"last", 1, 0, 0,
     "{SELECT {probe:{new}:NEW.k};/SELECT {probe:x.h:NEW.k} FROM"
     " ({source}) AS x; SELECT {probe:NEW.h:NEW.k};/"
     "SELECT {probe:x.h:todo.k} FROM ({base}) AS x, todo;}"},
    {"first", 3, 0, 0, "{last}"},
    {"first", 3, 0, 0,
     "{INSERT INTO nested VALUES ({new}, NEW.k, NEW.f);/"
     "INSERT INTO nested SELECT h, NEW.k, NEW.f FROM ({base}); SELECT"
     " {probe:NEW.h:NEW.k};/UPDATE todo SET g = {probe:{new}:k};}"},
    {"trigger", 1, 0, 0,
     "{before:CREATE TEMP TRIGGER on_nested AFTER INSERT ON nested"
     " BEGIN {last} END}{before:CREATE TEMP TRIGGER on_row {e}"
     " {//WHEN {probe:NEW.h:NEW.k} IS NOT 2 }BEGIN {first} END}"},

    /* Changes of tables. */
    {"rows", 1, 0, 0,
     "SELECT g, h, k, (SELECT f FROM filter WHERE id = g) AS f FROM"
     " ({s}), (SELECT k FROM key WHERE n % 7 = {0/1/2/3/4/5/6})"},
    {"change", 2, 0, 0,
     "{trigger:{AFTER/BEFORE} INSERT ON sink}"
     "INSERT INTO sink(g, h, k, f) {rows:{s}}"},
    {"change", 1, 0, 0,
     "{trigger:INSTEAD OF INSERT ON fresh}"
     "INSERT INTO fresh(g, h, k, f) {rows:{s}}"},
    {"change", 1, 0, 0,
     "{before:INSERT INTO sink(g, k, f) SELECT g, k, f FROM todo, filter"
     " WHERE id = g}{trigger:AFTER UPDATE OF h ON sink}"
     "UPDATE sink SET h = (SELECT h FROM ({s}) AS x WHERE x.g = sink.g)"},
    {"change", 1, 0, 0,
     "DELETE FROM todo WHERE"
     " {probe:(SELECT h FROM ({s}) WHERE h IS NOT NULL ORDER BY g):k}"},
    {"change", 1, 0, 0,
     "UPDATE todo SET g = (SELECT min({probe:s.h:todo.k}) FROM ({s}) AS s)"},
    {"change", 1, 3033000, 0,
     "UPDATE todo SET g = {probe:s.h:todo.k} FROM ({s}) AS s"
     " WHERE s.g <> todo.g"},
    {"change", 2, 3035000, 0,
     "INSERT INTO sink(g, h, k, f) {rows:{s}} RETURNING {probe:h:k},"
     " {probe:{wrapped:{h/{opened:f}}:length(k)}:k}"},
    {"change", 1, 0, 0,
     "{before:INSERT INTO sink(id, g, k) SELECT rowid, g, k FROM todo}"
     "INSERT INTO sink(id, g, h, k) SELECT t.rowid, s.g, s.h, t.k FROM"
     " ({s}) AS s, todo AS t WHERE 1 ON CONFLICT(id) DO UPDATE SET"
     " g = {probe:excluded.h:sink.k}, h = excluded.h"
     " WHERE {probe:excluded.h:excluded.k} IS NOT 2"},
    {"change", 1, 0, 0,
     "REPLACE INTO sink(g, h, k, f) SELECT {probe:h:k}, h, k, f"
     " FROM ({rows:{s}})"},

    /* Parts of the queries below. */
    {"counted", 1, 0, 0, "count(CASE WHEN {e} THEN 1 END)"},
    {"counted", 1, 3030000, 0, "count(*) FILTER (WHERE {e})"},
    {"part", 1, 0, 0, "{same:{/+}{same:{opened:f}:part}:part}"},
    {"parts", 9, 0, 0,
     "SELECT {probe:h:k} FROM (SELECT bloom_open(part, parts, {part})"
     " AS h FROM part WHERE parts = " PARTS "), {some}"},
    {"parts", 1, 0, MAY_LACK_PARTS,
     "SELECT bloom_open(part, parts, {part}) FROM part"
     " WHERE parts = " PARTS " AND part <> 0"},
};

static const struct form *form_at(size_t i) {
  return i < COUNT(forms) ? &forms[i] : NULL;
}

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

/* The SQL of each query, with words, of a source and some of the keys of every
** filter. One that stands twice makes twice as many queries. */
static const char *const makers[] = {
    "SELECT {probe:h:k}, {beside} FROM ({s}), {some}",
    "SELECT {probe:h:k}, {beside} FROM ({s}), {some}",
    "SELECT count(*) FROM ({s}), {some} WHERE {probe:h:k}",
    "SELECT count(k) FROM ({s}) LEFT JOIN {some} ON {probe:h:k}",
    "SELECT k FROM {some}"
    " WHERE {probe:(SELECT h FROM ({s}) ORDER BY g DESC):k}",
    "SELECT g, sum({probe:h:k}), {counted:{probe:h:k}} FROM ({s}), {some}"
    " GROUP BY g HAVING max({probe:h:k}) >= 0",
    "SELECT k FROM ({s}), {some} ORDER BY {probe:h:k}, k",
    "SELECT {probe:{wrapped:h:g}:k} FROM ({s}), {some}",
    "{parts::{some}}",
    "SELECT same(bloom_merge({/DISTINCT }h), bloom_merge(blob(h, '')))"
    " FROM ({s}){/ GROUP BY g % 2}",
    "SELECT same(bytes, length(blob(h, ''))),"
    " same(bits_set, (SELECT bits_set FROM bloom_info(blob(h, ''))))"
    " FROM ({s}), bloom_info(h)",
};

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
    query.sql = expand(makers[random_below(COUNT(makers))], s, some);
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
    if ((allowed & reasons[i].reason) && strstr(message, reasons[i].says)) {
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
      strstr(sqlite3_errmsg(db), reasons[0].says) == NULL) {
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
       reasons[i].says);
  }
  sqlite3_finalize(whole_of);
  sqlite3_finalize(part_of);
  sqlite3_finalize(probe_any);
  ok(sqlite3_close(db) == SQLITE_OK, "nothing is left open");
  ok(sqlite3_memory_used() == 0, "nothing is left in memory");
  return tap_done();
}
