/*
** Whether bloom_advise gives filters that lose rows. Random queries over tables
** of mixed types and collations, with views, common table expressions, outer
** joins and much else, are given to it; each `sql` that it answers, in whatever
** row, must have the rows of the plain query, and probe a filter. The tables
** are so small that hardly any filter pays, but a filter is given where it
** would be right.
**
** Three connections have the same tables. One is asked. Another judges: its
** bloom_open counts, and SQLite calls that before the first probe. The third
** judges, too, but has other rows: a filter must be right for any.
**
** bloom_advise itself runs what it gives, and withholds what has other rows. It
** must not come to that: the conditions that make a filter right see it first.
** So what it says then is a failure, too. It is asked about each 8th query. For
** all queries, the filters of each form are made by what it is made of, also
** where another form would be given, and judged alone and all at once.
**
** usage: advise [FILTERS [SEED]], which runs until so many filters were given.
** Query n of a seed is the same in every run on one version of SQLite. Each is
** printed before it is asked about.
*/
#include <stdint.h>

#include "advise/try.h"
#include "lib/grammar.h"
#include "lib/tap.h"

/* The tables of a world. Each has the columns x, k, j, i, y and "z z", mostly
** of the same types, so that keys of one type meet. */
#define TABLES 7
static const char *const tables[] = {"a", "b", "c", "\"d d\"", "e", "f", "g"};
static const char *usual[6]; /* types */

/* What a query has, of which some must get a filter. */
static const char *const effect_names[] = {
    "OUTER_JOIN", "CROSS_JOIN",  "IN_SELECT",  "EXISTS", "OR",
    "VIEW",       "WITH",        "LIMIT",      "GROUP",  "WINDOW",
    "COMPOUND",   "PARENTHESES", "EXPRESSION", NULL};
#define NAMES (COUNT(effect_names) - 1)

/* ---- The aliases that a part of a query sees: t1, t2 ... A SELECT reserves
** its own when it begins, and its FROM introduces them one after the other. */

typedef struct scope {
  int first, introduced, end; /* of its own aliases */
  int outer;                  /* it sees those of the SELECT around it */
  const char *later;          /* what its WHERE must say */
} scope;

static scope scopes[64];
static int depth, aliases;
static size_t next_table,
    table_step;            /* the step is less than TABLES, a prime */
static int only_main;      /* no table of another database may be named */
static int views;          /* of the world: v1, v2 ... */
static const char *named;  /* the common table expression that is being made */
static const char *common; /* the one that may be used, or NULL */

/* Begins a SELECT of this number of aliases, or of many. */
static const char *enter(const char *reserved, int outer) {
  static const int many[] = {1, 1, 1, 2, 2, 2, 2, 3, 3, 4};
  if (depth + 1 == (int)COUNT(scopes)) {
    fprintf(stderr, "the query is too deep\n");
    exit(1);
  }
  const int first = aliases + 1;
  aliases += *reserved == 'm' ? many[random_below(depth > 0 ? 5 : 10)]
                              : atoi(reserved);
  scopes[++depth] = (scope){first, first, aliases + 1, outer, ""};
  return "";
}

/* An alias that is visible: of the FROM so far, or of the whole SELECT. */
static int visible_alias(void) {
  const scope *at = &scopes[depth];
  while (at->outer && one_in(3)) at--;
  const int end = at->introduced > at->first ? at->introduced : at->end;
  return at->first + (int)random_below((size_t)(end - at->first));
}

/* Another alias than the one that was introduced last, if there is one. */
static int other_alias(void) {
  const scope *at = &scopes[depth];
  const int last = at->introduced - 1, other = visible_alias();
  if (other != last) return other;
  return at->first == last && at->outer ? at[-1].first : at->first;
}

/* What the WHERE of a comma join must say, and another condition. */
static const char *where(void) {
  const char *later = scopes[depth].later;
  if (one_in(2)) return text("%s%s", *later == '\0' ? "" : " WHERE ", later);
  const char *condition = one_of("cond", "", "");
  if (*later == '\0') return text(" WHERE %s", condition);
  return one_in(2) ? text(" WHERE %s AND %s", later, condition)
                   : text(" WHERE %s AND %s", condition, later);
}

static const char *a_table(void) {
  if (common != NULL && one_in(2)) return common;
  next_table += one_in(8) ? 0 : table_step;
  const size_t table = next_table % (only_main ? TABLES - 1 : TABLES);
  return table < TABLES - 1 && one_in(6) ? text("main.%s", tables[table])
                                         : tables[table];
}

static const char *own_word(const char *word, const char *a, const char *b) {
  (void)b;
  scope *at = &scopes[depth];
  /* A query that has become long ends soon. */
  if (aliases > 6) {
    if (strcmp(word, "cond") == 0) return one_of("own", "", "");
    if (strcmp(word, "item") == 0) return one_of("base", "", "");
    if (strcmp(word, "sub") == 0) return one_of("rows", "", "");
  }
  if (strcmp(word, "t") == 0) {
    return one_in(5) ? one_of("type", "", "") : usual[atoi(a)];
  }
  if (strcmp(word, "d") == 0) {
    return one_of(text("value%c", *usual[atoi(a)]), "", "");
  }
  if (strcmp(word, "enter") == 0) return enter(a, depth > 0);
  if (strcmp(word, "apart") == 0) return enter(a, 0);
  if (strcmp(word, "leave") == 0) return depth--, "";
  if (strcmp(word, "alias") == 0) return text("t%d", at->introduced++);
  if (strcmp(word, "seen") == 0) return text("t%d", visible_alias());
  if (strcmp(word, "other") == 0) return text("t%d", other_alias());
  if (strcmp(word, "last") == 0) return text("t%d", at->introduced - 1);
  if (strcmp(word, "before") == 0) return text("t%d", at->introduced - 2);
  if (strcmp(word, "bare") == 0) {
    return one_of(at->end - at->first == 1 ? "column" : "full", "", "");
  }
  if (strcmp(word, "where") == 0) return where();
  if (strcmp(word, "named_table") == 0) return a_table();
  if (strcmp(word, "later") == 0) {
    at->later = text("%s%s%s", at->later, *at->later == '\0' ? "" : " AND ", a);
    return "";
  }
  if (strcmp(word, "from") == 0) {
    return one_of(text("from%d", at->end - at->first), "", "");
  }
  if (strcmp(word, "view") == 0) {
    return views == 0 ? a_table()
                      : text("v%d", 1 + (int)random_below((size_t)views));
  }
  if (strcmp(word, "named") == 0) return named = text("%s", a);
  if (strcmp(word, "known") == 0) return common = named, "";
  return NULL;
}

static void begin_query(void) {
  arena_used = 0;
  effects = 0;
  depth = 0;
  aliases = 0;
  common = named = NULL;
  next_table = random_below(TABLES);
  table_step = 1 + random_below(TABLES - 1);
}

/* ---- The worlds: tables with rows, indexes and views, the same on
** all connections. */

static sqlite3 *asked, *judge, *later;
static long opened; /* filters, by the judge */

/* Runs a statement on the first two, which may fail on both. */
static int on_both(const char *sql) {
  const int code = sqlite3_exec(asked, sql, NULL, NULL, NULL);
  if (code != sqlite3_exec(judge, sql, NULL, NULL, NULL)) {
    fprintf(stderr, "%s: %s\n", sql, sqlite3_errmsg(judge));
    exit(1);
  }
  if (code == SQLITE_OK) printf("#   %s;\n", sql);
  return code;
}

static int on_later(const char *sql) {
  return sqlite3_exec(later, sql, NULL, NULL, NULL);
}

static void on_all(const char *sql) {
  if (on_both(sql) != on_later(sql)) {
    fprintf(stderr, "%s: %s\n", sql, sqlite3_errmsg(later));
    exit(1);
  }
}

/* bloom_open(f) is f, for the judge. */
static void open_function(sqlite3_context *context, int argc,
                          sqlite3_value **argv) {
  (void)argc;
  opened++;
  sqlite3_result_value(context, argv[0]);
}

static void close_world(void) {
  sqlite3_close(asked);
  sqlite3_close(judge);
  sqlite3_close(later);
}

static void open_world(void) {
  close_world();
  asked = open_database();
  judge = open_database();
  later = open_database();
  add_function(judge, "bloom_open", 1, open_function);
  arena_used = 0;
}

/* Inserts up to 40 rows, of which a table's types and keys may refuse some. A
** generated column gets no value. */
static void insert_rows(const char *name, int (*on)(const char *sql)) {
  for (size_t rows = 10 + random_below(30); rows > 0; rows--) {
    if (on(expand("INSERT OR IGNORE INTO {e} VALUES ({d:0}, {d:1}, {d:2},"
                  " {d:3}, {d:4}, {d:5})",
                  name, "")) != SQLITE_OK) {
      on(
          expand("INSERT OR IGNORE INTO {e} VALUES ({d:0}, {d:1}, {d:2},"
                 " {d:3}, {d:5})",
                 name, ""));
    }
  }
}

/* A table of any form. */
static void make_table(const char *name) {
  on_all(one_of("table", name, ""));
  insert_rows(name, on_both);
  insert_rows(name, on_later);
}

static void make_world(void) {
  open_world();
  printf("# a world:\n");
  for (int i = 0; i < 6; i++) usual[i] = one_of("type", "", "");
  usual[3] = "INTEGER";
  if (one_in(8)) on_all("PRAGMA encoding = 'UTF-16'");
  on_all("ATTACH ':memory:' AS aux");
  for (int i = 0; i < TABLES - 1; i++) make_table(tables[i]);
  make_table("aux.g");
  if (one_in(4)) make_table("temp.a");
  if (one_in(6)) make_table("temp.b");
  for (size_t i = random_below(12); i > 0; i--) {
    on_all(text("CREATE INDEX i%d ON %s(%s)", (int)i,
                tables[random_below(TABLES - 1)],
                expand("{column}{// COLLATE NOCASE/, {column}}", "", "")));
  }
  only_main = one_in(2);
  for (views = 0; views < 4; views++) {
    begin_query();
    on_all(text("CREATE %sVIEW v%d AS %s", only_main ? "" : "TEMP ", views + 1,
                one_of("sub", "", "")));
  }
  only_main = 0;
  if (one_in(2)) on_all("ANALYZE");
}

/* ---- What the judges say. */

typedef struct result {
  int code;
  long rows;
  uint64_t sum; /* of the rows' hashes, in any order */
} result;

static uint64_t hash_of(sqlite3_stmt *statement) {
  uint64_t state = 1;
  for (int i = 0; i < sqlite3_column_count(statement); i++) {
    const int type = sqlite3_column_type(statement, i);
    const double real = sqlite3_column_double(statement, i);
    const uint8_t *bytes = type == SQLITE_FLOAT
                               ? (const uint8_t *)&real
                               : sqlite3_column_blob(statement, i);
    int n = type == SQLITE_FLOAT ? 8 : sqlite3_column_bytes(statement, i);
    state = random_next(&state) + (uint64_t)(type + 8 * n);
    while (n-- > 0) state = random_next(&state) + bytes[n];
  }
  return random_next(&state);
}

static int too_long(void *unused) {
  (void)unused;
  return 1;
}

/* Notes whether the judge prepares a query that probes a filter: SQLite leaves
** out a common table expression that nothing names. */
static int note_probe(void *data, int action, const char *first,
                      const char *second, const char *schema,
                      const char *trigger) {
  (void)first, (void)schema, (void)trigger;
  if (action == SQLITE_FUNCTION && strcmp(second, "bloom_may_match") == 0) {
    *(int *)data = 1;
  }
  return SQLITE_OK;
}

/* Runs a query, for up to so many steps of SQLite's machine. */
static result result_of(sqlite3 *db, const char *sql, int steps) {
  result got = {0};
  sqlite3_stmt *statement = NULL;
  sqlite3_progress_handler(db, steps, too_long, NULL);
  got.code = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
  if (got.code == SQLITE_OK) {
    while ((got.code = sqlite3_step(statement)) == SQLITE_ROW) {
      got.rows++;
      got.sum += hash_of(statement);
    }
  }
  sqlite3_finalize(statement);
  return got;
}

static const char *const form_names[] = {"table",
                                         "reducer",
                                         "guard",
                                         "table by IN",
                                         "table that is stored by IN",
                                         "table that is stored",
                                         "guard of IN",
                                         "table in a subquery"};
#define FORMS COUNT(form_names)

static size_t kind_of(const sql_filter *filter) {
  return filter->test == TEST_NONE  ? 5
         : filter->test == TEST_SET ? 3 + (filter->form == FORM_REDUCER)
         : filter->end > 0          ? 6
         : filter->inner            ? 7
                                    : filter->form;
}

static struct {
  long queries, with_rows, given, probing, exact, json, terms, views, joins,
      together;
  /* Where SQLite reads tables in another order, it may compute an expression
  ** of the query for rows for which that fails. No set may fail: test_set. */
  long raised;
  long forms[FORMS];
  long has[NAMES];
} total;

static long failures;

static void fail(const char *sql, const char *why, const char *more) {
  ok(0, "%s%s: %s", why, more, sql);
  failures++;
}

static void test_rows(const char *sql, sqlite3 *db, const result *plain) {
  const result got = result_of(db, sql, INT32_MAX);
  if (got.code != SQLITE_DONE &&
      strcmp(sqlite3_errmsg(db), "JSON cannot hold BLOB values") == 0) {
    total.raised++;
  } else if (got.code != SQLITE_DONE) {
    fail(sql, "it does not run: ", sqlite3_errmsg(db));
  } else if (got.rows != plain->rows || got.sum != plain->sum) {
    fail(sql, "other rows, ",
         text("%ld for %ld%s", got.rows, plain->rows,
              db == later ? " of the other tables" : ""));
  }
}

static void test_given(const char *sql, const result *plain,
                       const result *plain_later) {
  const long before = opened;
  int probes = 0;
  /* Another bracket may be one too many for SQLite's parser. */
  sqlite3_stmt *statement = NULL;
  sqlite3_prepare_v2(judge, sql, -1, &statement, NULL);
  sqlite3_finalize(statement);
  if (strcmp(sqlite3_errmsg(judge), "parser stack overflow") == 0) return;
  sqlite3_set_authorizer(judge, note_probe, &probes);
  test_rows(sql, judge, plain);
  sqlite3_set_authorizer(judge, NULL, NULL);
  /* What is given where it is better than a filter has none. */
  if (!probes && strstr(sql, "bloom_may_match") != NULL) {
    fail(sql, "nothing probes its filter", "");
  }
  if (plain_later->code == SQLITE_DONE) test_rows(sql, later, plain_later);
  total.given++;
  total.probing += opened > before;
  total.exact += !probes;
}

/* Judges the query with the filters that are chosen. */
static void test_chosen(sql_advice *advice, const result *plain,
                        const result *plain_later) {
  const char *text = sql_filtered_text(
      &advice->arena, &advice->plain, &advice->plan, &advice->found, SQL_NEVER);
  if (text == NULL) {
    fail(advice->plain.text, "no memory", "");
  } else {
    test_given(text, plain, plain_later);
  }
}

/* The SELECT of a set must run by itself, for all rows that it reads. */
static void test_set(const char *set) {
  sqlite3 *const judges[] = {judge, later};
  for (size_t i = 0; i < COUNT(judges); i++) {
    if (result_of(judges[i], set, INT32_MAX).code != SQLITE_DONE) {
      fail(set, "the set does not run: ", sqlite3_errmsg(judges[i]));
    }
  }
}

/* Whether a filter is put into the text of a view. */
static int is_in_view(const sql_advice *advice, const sql_filter *filter) {
  const sql_trial *plain = &advice->plain;
  const int at =
      filter->form == FORM_GUARD ? filter->at : filter->probe->place->at;
  return plain->views != NULL && at < plain->views_at + plain->views_length;
}

/* Whether a filter is put into a join by USING, which is written with ON. */
static int is_in_join(const sql_advice *advice, const sql_filter *filter) {
  const sql_trial *plain = &advice->plain;
  for (int i = 0; i < plain->joined_count; i++) {
    const joined_text *part = &plain->joined[i];
    if (filter->form == FORM_GUARD && filter->at >= part->at &&
        filter->at < part->at + part->length) {
      return 1;
    }
  }
  return 0;
}

/* Makes each filter that would be right, and judges it. */
static void test_forms(const char *sql, const result *plain,
                       const result *plain_later) {
  sql_advice advice = {.db = asked,
                       .start = sql_now(),
                       .seconds = 60,
                       .plain = {.db = asked, .text = sql}};
  int chosen = 0;
  advice.plain.arena = &advice.arena;
  if (sql_write_views(&advice.plain) != SQLITE_OK ||
      sql_write_joins(&advice.plain) != SQLITE_OK ||
      sql_ask_mirror(&advice) != SQLITE_OK) {
    printf("#   %s\n", advice.problem);
  }
  for (int i = 0; i < advice.found.count; i++) {
    sql_filter *filter = &advice.found.all[i];
    if (filter->problem != NULL) continue;
    test_set(filter->set);
    filter->chosen = true;
    test_chosen(&advice, plain, plain_later);
    filter->chosen = false;
    total.forms[kind_of(filter)]++;
    total.views += is_in_view(&advice, filter);
    total.joins += is_in_join(&advice, filter);
    total.json += strstr(filter->set, "json_each") != NULL;
    total.terms += strstr(filter->set, " WHERE (") != NULL ||
                   strstr(filter->set, " AND (") != NULL;
    chosen++;
  }
  for (int i = 0; i < advice.found.count; i++) {
    advice.found.all[i].chosen = advice.found.all[i].problem == NULL;
  }
  if (chosen > 1) test_chosen(&advice, plain, plain_later);
  total.together += chosen > 1;
  sql_free_advice(&advice);
}

/* Asks bloom_advise, and judges what it gives. */
static void test_advice(const char *sql, const result *plain,
                        const result *plain_later) {
  sqlite3_stmt *advice =
      prepare(asked, "SELECT advice, sql FROM bloom_advise(?1, ?2)");
  sqlite3_bind_text(advice, 1, sql, -1, SQLITE_STATIC);
  sqlite3_bind_double(advice, 2, 0.2);
  while (sqlite3_step(advice) == SQLITE_ROW) {
    const char *says = (const char *)sqlite3_column_text(advice, 0);
    const char *filtered = (const char *)sqlite3_column_text(advice, 1);
    printf("#   %s\n", says);
    if (strstr(says, "other rows") != NULL) fail(sql, "withheld: ", says);
    if (filtered != NULL) test_given(filtered, plain, plain_later);
  }
  if (sqlite3_finalize(advice) != SQLITE_OK) {
    fail(sql, "no advice: ", sqlite3_errmsg(asked));
  }
}

/* Asks for the filters of a query, and judges each. */
static void test_query(const char *sql, int is_asked) {
  const result plain = result_of(judge, sql, 200000);
  if (plain.code != SQLITE_DONE) {
    printf("#   skipped: %s\n", sqlite3_errmsg(judge));
    return;
  }
  const result plain_later = result_of(later, sql, 200000);
  const long before = total.given;
  total.queries++;
  total.with_rows += plain.rows > 0;
  test_forms(sql, &plain, &plain_later);
  if (is_asked) test_advice(sql, &plain, &plain_later);
  for (size_t i = 0; i < NAMES; i++) {
    total.has[i] += total.given > before && (effects >> i & 1);
  }
}
int main(int argc, char **argv) {
  const long filters = argc > 1 ? atol(argv[1]) : 1500;
  const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
  read_forms("tests/data/advise.txt", effect_names);
  for (long n = 0; total.given < filters && failures < 10; n++) {
    random_state = seed + ((uint64_t)n << 32);
    random_state = random64();
    if (n % 16 == 0) {
      make_world();
      continue;
    }
    begin_query();
    const char *sql = one_of("query", "", "");
    printf("# %ld: %s\n", n, sql);
    fflush(stdout);
    test_query(sql, n % 8 == 1);
  }
  ok(failures == 0, "SQLite %s: %ld filters given for %ld queries of seed %llu",
     sqlite3_libversion(), total.given, total.queries,
     (unsigned long long)seed);
  for (size_t i = 0; i < FORMS; i++) {
    ok(total.forms[i] > 0, "%ld filters of the form %s", total.forms[i],
       form_names[i]);
  }
  ok(total.json > 0, "%ld have keys of json_each", total.json);
  ok(total.views > 0, "%ld stand in a view that is written out", total.views);
  ok(total.joins > 0, "%ld stand in a USING that is written out", total.joins);
  ok(total.terms > 0, "%ld have a condition of several operators", total.terms);
  ok(total.together > 0, "%ld queries with several at once", total.together);
  ok(total.with_rows > total.queries / 2, "%ld have rows", total.with_rows);
  ok(total.raised < total.given / 500, "%ld fail in an expression",
     total.raised);
  ok(total.probing > (total.given - total.exact) * 2 / 3,
     "%ld filters are probed", total.probing);
  for (size_t i = 0; i < NAMES; i++) {
    ok(total.has[i] > 0, "%ld queries with %s get one", total.has[i],
       effect_names[i]);
  }
  close_world();
  ok(sqlite3_memory_used() == 0, "nothing is left in memory");
  return tap_done();
}
