/*
** Whether bloom_advise gives filters that lose rows. Random queries over tables
** of mixed types and collations, with views, common table expressions, outer
** joins and much else, are given to it; each `sql` that it answers, in whatever
** row, must have the rows of the plain query, and probe a filter. The tables
** are so small that hardly any filter pays, but a filter is given where it
** would be right.
**
** Two connections have the same tables. One is asked. The other judges: its
** bloom_open counts, and SQLite calls that before the first probe.
**
** bloom_advise itself runs what it gives, and withholds what has other rows. It
** must not come to that: the conditions that make a filter right see it first.
** So what it says then is a failure, too.
**
** usage: advise [FILTERS [SEED]], which runs until so many filters were given.
** Query n of a seed is the same in every run on one version of SQLite. Each is
** printed before it is asked about.
*/
#include <stdint.h>

#include "lib/grammar.h"
#include "lib/tap.h"

/* The tables of a world. Each has the columns x, k, j, i, y and "z z", mostly
** of the same types, so that keys of one type meet. */
#define TABLES 7
static const char *const tables[] = {"a", "b", "c", "\"d d\"", "e", "f", "g"};
static const char *usual[6]; /* types */

/* What a query has, of which some must get a filter: effects of forms. */
enum { OUTER_JOIN = 1, CROSS_JOIN = 2, IN_SELECT = 4, EXISTS = 8, OR = 16 };
enum { VIEW = 32, WITH = 64, LIMIT = 128, GROUP = 256, WINDOW = 512 };
enum { COMPOUND = 1024, EXPRESSION = 2048, PARENTHESES = 4096 };
static const char has_names[] =
    "an outer join|CROSS JOIN|IN (SELECT)|EXISTS|OR|a view|WITH|LIMIT|GROUP BY|"
    "a window|a compound|CASE, CAST or the like|a join in parentheses";
#define NAMES 13

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
  return tables[next_table % (only_main ? TABLES - 1 : TABLES)];
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

/* ---- The queries. Where rows may be chosen by their order (LIMIT, GROUP BY,
** DISTINCT), it is an order of quote(), in which equal values are the same: 1
** and 1.0 are equal, but not the same. */
static const struct form forms[] = {
#define QUOTED \
  "quote(x), quote(k), quote(j), quote(i), quote(y), quote(\"z z\")"
    {"column", 1, 0, 0, "{x/k/j/i/y/\"z z\"}"},
    {"full", 1, 0, 0, "{seen}.{column}"},
    {"c", 60, 0, 0, "{full}"},
    {"c", 6, 0, 0, "{bare}"},
    {"c", 1, 0, 0, "{seen}.rowid"},
    {"same", 1, 0, 0, "{last}.{e} = {other}.{e}"},
    {"same", 1, 0, 0, "{other}.{e} = {last}.{e}"},
    {"eq", 5, 0, 0, "{same:{column}}"},
    {"eq", 1, 0, 0, "{last}.{column} = {other}.{column}"},
    {"one", 6, 0, 0, "{seen}.{e} AS {e}"},
    {"one", 1, 0, 0, "{expr} AS {e}"},
    {"six", 1, 0, 0,
     "{one:x}, {one:k}, {one:j}, {one:i}, {one:y}, {one:\"z z\"}"},

    /* Constants, and expressions that may stand where a column does. */
    {"v", 12, 0, 0,
     "{1/1/2/2/3/4/'1'/'1'/'2'/'2'/'x'/'x'/'X'/'y'/2.0/1.5/x'78'/'x '}"},
    {"v", 2, 0, 0,
     "{NULL/''/'1.0'/'01'/-1/1e3/'1e3'/1.1e288/x''/x'31'/9007199254740993/"
     "9007199254740992.0/'a\\b'/'\"'/0/-0.0/'xyz'/9223372036854775807}"},
    {"v", 1, 0, EXPRESSION,
     "{coalesce(1, 3)/~5/CAST(5 AS INTEGER)/1 + 1/-(2)/'x' || ''/+2/"
     "CAST('2' AS NUMERIC)/(SELECT 2)/abs(-3)/char(120)/(SELECT 'x')}"},
    /* Tables, whose columns have one of these types, and values for them. */
    {"type", 1, 0, 0,
     "{TEXT/TEXT/TEXT/INTEGER/INTEGER/REAL/NUMERIC/BLOB/BLOB/"
     "TEXT COLLATE NOCASE/TEXT COLLATE RTRIM}"},
#define HEAD "CREATE TABLE {e}(x {t:0}"
#define MORE ", k {t:1}, j {t:2}, i {t:3}"
#define LAST ", y {t:4}, \"z z\" {t:5}"
    {"table", 4, 0, 0, HEAD MORE LAST ")"},
    {"table", 2, 0, 0, HEAD " {UNIQUE/PRIMARY KEY}" MORE " UNIQUE" LAST ")"},
    {"table", 2, 0, 0,
     HEAD ", k {t:1}, j {t:2} UNIQUE, i INTEGER PRIMARY KEY" LAST ")"},
    {"table", 2, 0, 0, HEAD MORE LAST ", PRIMARY KEY(x, k, j)) WITHOUT ROWID"},
    {"table", 2, 0, 0,
     "CREATE TABLE {e}(x ANY, k {ANY/TEXT}, j ANY, i {ANY/INTEGER}, y ANY,"
     " \"z z\" {ANY/TEXT}) STRICT"},
    {"table", 2, 0, 0,
     HEAD MORE
     ", y {t:4} AS ({x/x/k || ''/lower(k)/length(x)}) {VIRTUAL/STORED},"
     " \"z z\" {t:5})"},
    {"text", 1, 0, 0,
     "{'1'/'1'/'2'/'2'/'x'/'x'/'x'/'X'/'y'/'x '/'1.0'/'xyz'/'it''s'/{v}}"},
    {"number", 1, 0, 0, "{1/1/1/2/2/2/3/3/4/5/-1/1.5/2.0/0/1e3/{v}}"},
    {"valueT", 1, 0, 0, "{text}"},
    {"valueI", 1, 0, 0, "{number}"},
    {"valueR", 1, 0, 0, "{number}"},
    {"valueN", 1, 0, 0, "{number}"},
    {"valueB", 1, 0, 0, "{{v}/x'78'/x'31'/{number}/{text}}"},

    {"expr", 4, 0, 0, "{c}"},
    {"expr", 4, 0, EXPRESSION,
     "{coalesce({c}, {c})/ifnull({c}, {v})/nullif({c}, {v})/"
     "CASE WHEN {cond} THEN {c} ELSE {c} END/CASE {c} WHEN {v} THEN {c} END/"
     "CASE WHEN {c} IS NULL THEN {v} ELSE {c} END/iif({own}, {c}, {c})/"
     "max({c}, {c})}"},
    {"expr", 3, 0, EXPRESSION,
     "{CAST({c} AS {TEXT/INTEGER/REAL/NUMERIC/BLOB})/+{c}/"
     "{c} COLLATE {NOCASE/BINARY/RTRIM}/{c} || ''/-{c}/~{c}/lower({c})/"
     "likely({c})/(SELECT {c})/({c} COLLATE BINARY)/{v}/{c} + 1/"
     "json_array({c})/substr({c}, 1, 1)}"},

    /* Conditions. */
    {"own", 10, 0, 0, "{{c} {=/=/=/==/</<=/>/>=/<>} {v}/{v} {=/</>=} {c}}"},
    {"own", 5, 0, 0, "{c} IN ({v}, {v}, {v}{/, {v}, {v}})"},
    {"own", 7, 0, 0,
     "{{c} {NOTNULL/IS NULL/IS NOT NULL}/{c} BETWEEN {v} AND {v}/"
     "{c} IS {/NOT }{v}/{c} NOT IN ({v}, {v})/{c} NOT NULL}"},
    {"own", 5, 0, 0,
     "{{c} LIKE {'x%'/'%1%'/'X'/'y'/'%'}/{c} GLOB {'x*'/'*1*'/'[12]*'/'*'}/"
     "{c} NOT LIKE 'x%'/{c} LIKE 'x%' ESCAPE '\\'}"},
    {"own", 2, 0, EXPRESSION,
     "{{expr} {=/</IN (2, {v})/=/= {v} OR 1 =} {v}/{expr} IN ({v}, "
     "{v})/{c}/NOT {c}}"},
    {"cond", 8, 0, 0, "{own}"},
    {"cond", 2, 0, 0, "{own} AND {cond}"},
    {"cond", 2, 0, 0, "{c} {=/=/=/</IS} {c}"},
    {"cond", 3, 0, EXPRESSION, "{{expr} = {c}/{c} = {expr}/{expr} = {expr}}"},
    {"cond", 2, 0, OR, "({cond} OR {cond})"},
    {"cond", 1, 0, OR, "({own} AND {cond} OR {own})"},
    {"cond", 1, 0, 0, "NOT ({cond})"},
    {"cond", 7, 0, IN_SELECT, "{{c}/{c}/{c}/{expr}} {//NOT }IN ({set})"},
    {"cond", 1, 0, IN_SELECT,
     "({c}, {c}) IN ({apart:many}SELECT {c}, {c} FROM {from}{where}{leave})"},
    {"cond", 1, 0, IN_SELECT | COMPOUND,
     "{c} IN (SELECT {column} FROM ({sub}) {UNION ALL/EXCEPT/UNION/INTERSECT} "
     "SELECT {column} FROM ({sub}))"},
    {"cond", 1, 0, 0,
     "{c} = (SELECT {column} FROM ({sub}) ORDER BY 1 LIMIT 1)"},
    {"cond", 5, 0, EXISTS,
     "{/NOT }EXISTS ({enter:many}SELECT 1 FROM {from} WHERE {eq}{/ AND {cond}}"
     "{leave})"},
    {"set", 9, 0, 0, "{apart:many}SELECT {c} FROM {from}{where}{leave}"},
    {"set", 2, 0, 0, "{enter:many}SELECT {c} FROM {from}{where}{leave}"},
    {"set", 1, 0, 0, "SELECT {column} FROM ({sub})"},
    {"set", 1, 0, EXPRESSION,
     "{apart:many}SELECT {/DISTINCT }{expr} FROM {from}{where}{leave}"},

    /* What stands in a FROM: as many items as the SELECT has reserved. */
    {"item", 24, 0, 0, "{base}"},
    {"base", 1, 0, 0, "{named_table} AS {alias}"},
    {"item", 3, 0, VIEW, "{view} AS {alias}"},
    {"item", 3, 0, 0, "({sub}) AS {alias}"},
    {"item", 1, 0, 0,
     "(SELECT value AS x, value AS k, key AS j, key AS i, type AS y, NULL AS"
     " \"z z\" FROM json_each('[1, \"x\", 2, 3.0]')) AS {alias}"},
    {"join", 10, 0, 0, " JOIN {item} ON {eq}{/// AND {cond}}"},
    {"join", 6, 0, 0, ", {item}{later:{eq}}"},
    {"join", 2, 0, CROSS_JOIN, " CROSS JOIN {item}{later:{eq}}"},
    {"join", 2, 0, 0, " JOIN {item} USING ({column})"},
    {"join", 6, 0, OUTER_JOIN,
     " LEFT JOIN {item} ON {eq}{// AND {cond}/ AND {own}}"},
    {"join", 1, 0, OUTER_JOIN, " LEFT JOIN {item} ON {cond}"},
    {"join", 1, 3039000, OUTER_JOIN,
     " {RIGHT/FULL} JOIN {item} ON {eq}{// AND {own}}"},
    /* A join in parentheses sees nothing of what stands before these. */
    {"inner", 1, 0, PARENTHESES,
     "({item} {JOIN/LEFT JOIN/LEFT JOIN} {item} ON"
     " {last}.{column} = {before}.{column}"
     "{// AND {last}.{column} {=/IS NOT/<>/>} {v}})"},
    {"from1", 1, 0, 0, "{item}"},
    {"from2", 1, 0, 0, "{item}{join}"},
    {"from3", 6, 0, 0, "{from2}{join}"},
    {"from3", 1, 0, 0, "{inner}{join}"},
    {"from3", 2, 0, OUTER_JOIN,
     "{item} {JOIN/LEFT JOIN} {inner} ON {eq}{// AND {own}}"},
    {"from4", 1, 0, 0, "{from3}{join}"},

    /* A SELECT of the six columns, for a view or a FROM. */
    {"sub", 7, 0, 0, "{apart:many}SELECT {six} FROM {from}{where}{leave}"},
    {"sub", 1, 0, 0, "{rows}"},
    {"rows", 1, 0, 0, "{apart:1}SELECT * FROM {from}{where}{leave}"},
    {"sub", 1, 0, LIMIT,
     "SELECT * FROM ({sub}) ORDER BY " QUOTED " LIMIT {3/8/20}{/ OFFSET 1}"},
    {"sub", 1, 0, GROUP,
     "SELECT x, k, j, count(*) AS i, min(quote(y)) AS y, 2 AS \"z z\" FROM"
     " ({sub}) GROUP BY quote(x), quote(k), quote(j)"},
    {"sub", 1, 0, COMPOUND,
     "SELECT * FROM ({sub}) UNION ALL SELECT * FROM ({sub})"},
    {"sub", 1, 0, WINDOW,
     "SELECT x, k, j, i, y, count(*) OVER (PARTITION BY quote(k)) AS \"z z\""
     " FROM ({sub})"},
    {"sub", 1, 0, 0,
     "SELECT column1 AS x, column2 AS k, column3 AS j, column1 AS i, column2"
     " AS y, 3 AS \"z z\" FROM (VALUES ({v}, {v}, {v}), ({v}, {v}, {v}))"},

    /* A SELECT of two columns, and the whole query. */
    {"two", 1, 0, 0, "{{c}, {c}/{c}, {c}/{expr}, {expr}}"},
    {"arm", 1, 0, 0, "{enter:many}SELECT {two} FROM {from}{where}{leave}"},
    {"quoted", 1, 0, 0,
     "{enter:many}SELECT quote({c}), quote({c}) FROM {from}{where}{leave}"},
    {"query", 12, 0, 0, "{arm}"},
    {"query", 2, 0, 0, "{arm} ORDER BY 1{/ DESC}, 2"},
    {"query", 2, 0, LIMIT, "{quoted} ORDER BY 1, 2 LIMIT {1/5/20}"},
    {"query", 2, 0, GROUP,
     "{enter:many}SELECT quote({c}), count(*), min(quote({c})) FROM"
     " {from}{where}{leave} GROUP BY 1{/ HAVING count(*) > 1}"},
    {"query", 1, 0, GROUP,
     "{enter:many}SELECT count(*), max(quote({c})) FROM {from}{where}{leave}"
     " GROUP BY t1.{column}"},
    {"query", 1, 0, 0,
     "{enter:many}SELECT count(*), count({c}), count(DISTINCT quote({c})) FROM"
     " {from}{where}{leave}"},
    {"query", 1, 0, 0,
     "{enter:many}SELECT DISTINCT quote({c}), quote({c}) FROM"
     " {from}{where}{leave}"},
    {"query", 1, 0, WINDOW,
     "{enter:many}SELECT {c}, {count(*) OVER (PARTITION BY quote({c}))/"
     "rank() OVER (ORDER BY quote({c}))/max(quote({c})) OVER ()} FROM"
     " {from}{where}{leave}"},
    {"query", 2, 0, COMPOUND, "{arm} UNION ALL {arm}"},
    {"query", 1, 0, COMPOUND, "{quoted} {UNION/EXCEPT/INTERSECT} {quoted}"},
    {"query", 1, 0, 0, "SELECT * FROM ({arm})"},
    {"query", 4, 0, WITH,
     "WITH{/ RECURSIVE} {named:{q/q/q/a/b}} AS {{//NOT }MATERIALIZED /}({sub})"
     "{known} {arm}"},
};

static const struct form *form_at(size_t i) {
  return i < COUNT(forms) ? &forms[i] : NULL;
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

/* ---- The worlds: tables with rows, indexes and views, the same on both
** connections. */

static sqlite3 *asked, *judge;
static long opened; /* filters, by the judge */

/* Runs a statement on both, which may fail on both. */
static int on_both(const char *sql) {
  const int code = sqlite3_exec(asked, sql, NULL, NULL, NULL);
  if (code != sqlite3_exec(judge, sql, NULL, NULL, NULL)) {
    fprintf(stderr, "%s: %s\n", sql, sqlite3_errmsg(judge));
    exit(1);
  }
  if (code == SQLITE_OK) printf("#   %s;\n", sql);
  return code;
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
}

static void open_world(void) {
  close_world();
  asked = open_database();
  judge = open_database();
  add_function(judge, "bloom_open", 1, open_function);
  arena_used = 0;
}

/* A table of any form with up to 40 rows, of which its types and keys may
** refuse some. A generated column gets no value. */
static void make_table(const char *name) {
  on_both(one_of("table", name, ""));
  for (size_t rows = 10 + random_below(30); rows > 0; rows--) {
    if (on_both(expand("INSERT OR IGNORE INTO {e} VALUES ({d:0}, {d:1}, {d:2},"
                       " {d:3}, {d:4}, {d:5})",
                       name, "")) != SQLITE_OK) {
      on_both(
          expand("INSERT OR IGNORE INTO {e} VALUES ({d:0}, {d:1}, {d:2},"
                 " {d:3}, {d:5})",
                 name, ""));
    }
  }
}

static void make_world(void) {
  open_world();
  printf("# a world:\n");
  for (int i = 0; i < 6; i++) usual[i] = one_of("type", "", "");
  usual[3] = "INTEGER";
  if (one_in(8)) on_both("PRAGMA encoding = 'UTF-16'");
  on_both("ATTACH ':memory:' AS aux");
  for (int i = 0; i < TABLES - 1; i++) make_table(tables[i]);
  make_table("aux.g");
  if (one_in(4)) make_table("temp.a");
  if (one_in(6)) make_table("temp.b");
  for (size_t i = random_below(12); i > 0; i--) {
    on_both(text("CREATE INDEX i%d ON %s(%s)", (int)i,
                 tables[random_below(TABLES - 1)],
                 expand("{column}{// COLLATE NOCASE/, {column}}", "", "")));
  }
  only_main = one_in(2);
  for (views = 0; views < 4; views++) {
    begin_query();
    on_both(text("CREATE %sVIEW v%d AS %s", only_main ? "" : "TEMP ", views + 1,
                 one_of("sub", "", "")));
  }
  only_main = 0;
  if (one_in(2)) on_both("ANALYZE");
}

/* ---- Queries that lost rows by filters of a prototype, and the shapes in
** which people write joins, which must get a filter. */

#define LONG                                           \
  "long_name_long_name_long_name_long_name_long_name_" \
  "long_name_long_name_long_name_long_name_long_name_" \
  "long_name_long_name_long_name_long_name_long_name_" \
  "long_name_long_name_long_name_long_name_long_name_it"

static const char *const special_tables[] = {
    "CREATE TABLE a(x TEXT, i, y)",
    "CREATE TABLE b(k TEXT, j TEXT, i, y)",
    "CREATE TABLE c(k TEXT, j TEXT, i, y)",
    "INSERT INTO a VALUES ('x', 1, 1), ('X', 2, 2), ('y', 3, 3), ('5', 5, 9),"
    " ('5.0', 5.0, 'a'), ('1', 1, x'61'), ('z', -6, -6), (NULL, 0, 2),"
    " ('xy', 1.1e288, 'b'), ('it''s', 1, 1), ('a\\b', 2, 1), ('a\nb', 3, 1),"
    " (CAST(x'780079' AS TEXT), 4, 1), ('none', 7, 1), ('1.0', 1.0, 1)",
    "INSERT INTO b VALUES ('x', 'y', 1, 1), ('5', 'x', 5, 9), (NULL, "
    "'1', 2, 2),"
    " ('5.0', 'z', 3, 'a'), ('y', NULL, -6, x'61'), ('X', 'xy', 1.1e288, 3),"
    " ('1', 'it''s', NULL, 1), ('it''s', 'x', 2, 3), ('a\\b', 'y', 1, 9),"
    " ('a\nb', 'x', 1, -6), (CAST(x'780079' AS TEXT), 'q', 1, 2), ('q', "
    "'q', 1, 2)",
    "INSERT INTO c SELECT k, j, i, y FROM b WHERE rowid % 3 > 0",
    "CREATE TABLE s(k ANY, y ANY) STRICT",
    "INSERT INTO s SELECT 5, 1 UNION ALL SELECT k, y FROM b",
    "CREATE TABLE r(v REAL, w INTEGER)",
    "INSERT INTO r VALUES (1, 1), (5, 1), (7, 2)",
    "CREATE TABLE g(k TEXT, d TEXT, e AS (json_extract(d, '$.e')))",
    "INSERT INTO g(k, d) VALUES ('x', '{\"e\": 1}'), ('y', '{\"e\": 2}'),"
    " ('nobody', 'no JSON')",
    "CREATE INDEX g_k ON g(k)",
    "CREATE TABLE \"sp ace\"(\"k k\" TEXT, \"" LONG "\" TEXT, y)",
    "INSERT INTO \"sp ace\" SELECT k, j, y FROM b",
    "CREATE VIEW v AS SELECT k AS kk, y FROM b WHERE y = 1",
};

static const struct {
  int given; /* it must have a filter */
  const char *words, *sql;
} special[] = {
    {0,
     "b.y = 2;b.j LIKE 'x%';b.j GLOB 'x*';b.j IS NULL;b.y <> 2;"
     "b.y BETWEEN 1 AND 2;b.y IS NOT 2;b.y IN (2, 3);b.y NOT NULL",
     "SELECT * FROM a JOIN b ON a.x = b.k LEFT JOIN c ON %s"},
    {0,
     "coalesce(b.k, b.j);ifnull(b.k, b.j);iif(b.y, b.k, b.j);"
     "CASE WHEN b.y THEN b.k ELSE b.j END;cast(b.k AS integer);"
     "CASE b.y WHEN 1 THEN b.k WHEN 3 THEN b.j END;b.k || ''",
     "SELECT * FROM a JOIN b ON a.x = %s"},
    {0, "coalesce(k, j);iif(y, k, j);cast(k AS integer);nullif(k, 'x')",
     "SELECT * FROM a WHERE x IN (SELECT %s FROM b)"},
    {0,
     "a JOIN v ON x = kk, b;v JOIN a AS b ON kk = b.x;v JOIN c AS a ON "
     "kk = a.k",
     "SELECT * FROM %s"},
    {0,
     "b.y IN (9, coalesce(1, 3));b.y IN (9, x'61');b.y IN (9, ~5);"
     "b.k = cast(5 AS integer);b.k COLLATE NOCASE IN ('X');b.i = 1.1e288;"
     "b.y GLOB 'a*';b.y LIKE 'A%';b.k = 5;b.k IN (5, 1);b.y = '1';"
     "b.k COLLATE NOCASE = 'x';b.y = x'61';b.k > 5;b.k LIKE 'X';b.k IN (1.0)",
     "SELECT * FROM a JOIN b ON a.x = b.k WHERE %s"},
    {0, "EXCEPT;UNION;INTERSECT;UNION ALL",
     "SELECT * FROM a WHERE x IN (SELECT k FROM b %s SELECT j FROM c)"},
    {0, "a.x = s.k;a.i = s.k;s.k = a.x AND s.y = 1",
     "SELECT * FROM a JOIN s ON %s"},
    {0, "b.j = r.v;r.v = b.j;b.i = r.v;b.k = r.v",
     "SELECT * FROM a JOIN b ON a.x = b.k JOIN r ON %s WHERE r.w = 1"},
    {0, "rowid;_rowid_;oid;b.rowid",
     "SELECT x, (SELECT count(*) FROM b WHERE k IN (SELECT k FROM c) "
     "AND %s < 4)"
     " FROM a"},
    {0, "e = 1;e = 2;e IS NULL", "SELECT * FROM a JOIN g ON x = k WHERE %s"},
    {0,
     "FROM a, json_each('[1]') AS j;FROM a JOIN json_each('[1, 2]') AS j"
     " ON a.i = j.value;FROM a JOIN b ON x = k, pragma_table_info('a');"
     "FROM a WHERE x IN (SELECT value FROM json_each('[\"x\"]'));"
     "FROM a JOIN b ON x = k JOIN json_each(json_array(b.y)) AS j",
     "SELECT * %s"},
    {0, "LEFT JOIN;JOIN;RIGHT JOIN;FULL JOIN",
     "SELECT * FROM a %s (b LEFT JOIN c ON b.j = c.j) ON a.x = c.k"},
    {1,
     "a JOIN b ON a.x = b.k;a, b WHERE x = k;a AS u JOIN b AS w ON w.k = u.x;"
     "(SELECT x AS k, y FROM a) JOIN b USING (k);a JOIN v ON x = kk;"
     "a CROSS JOIN b ON a.x = b.k;\"a\" JOIN [b] ON \"a\".x = [b].k;"
     "A JOIN B ON A.X = B.K;a WHERE x IN (SELECT k FROM b);"
     "a JOIN b ON a.x = b.k LEFT JOIN c ON c.k = b.j;"
     "a JOIN b ON a.x = b.k JOIN c ON c.j = b.j WHERE c.k = 'x';"
     "a JOIN \"sp ace\" ON x = \"k k\";a JOIN \"sp ace\" ON x = \"" LONG "\"",
     "SELECT * FROM %s"},
    {1,
     "b.j = 'it''s';b.i = 1;b.j = 'a\\b';b.j = 'a\nb';b.j IN ('x', 'y');"
     "b.k LIKE 'x%';"
     "b.k BETWEEN '1' AND 'x';b.j IS NULL;b.k = CAST(x'780079' AS TEXT);"
     "b.j <> 'x';b.y = 1;b.k GLOB 'x*'",
     "SELECT count(*), max(a.x) FROM a JOIN b ON a.x = b.k WHERE %s"},
    {1,
     "SELECT x, count(*) FROM q GROUP BY x;SELECT x FROM q ORDER BY x LIMIT 3",
     "WITH q AS (SELECT a.x FROM a JOIN b ON a.x = b.k) %s"},
};

/* ---- What the judge says. */

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
static result result_of(const char *sql, int steps) {
  result got = {0};
  sqlite3_stmt *statement = NULL;
  sqlite3_progress_handler(judge, steps, too_long, NULL);
  got.code = sqlite3_prepare_v2(judge, sql, -1, &statement, NULL);
  if (got.code == SQLITE_OK) {
    while ((got.code = sqlite3_step(statement)) == SQLITE_ROW) {
      got.rows++;
      got.sum += hash_of(statement);
    }
  }
  sqlite3_finalize(statement);
  return got;
}

static struct {
  long queries, with_rows, given, probing;
  long has[NAMES];
} total;

static long failures;

static void fail(const char *sql, const char *why, const char *more) {
  ok(0, "%s%s: %s", why, more, sql);
  failures++;
}

static void test_given(const char *sql, const result *plain) {
  const long before = opened;
  int probes = 0;
  sqlite3_set_authorizer(judge, note_probe, &probes);
  const result got = result_of(sql, INT32_MAX);
  sqlite3_set_authorizer(judge, NULL, NULL);
  if (got.code != SQLITE_DONE) {
    fail(sql, "it does not run: ", sqlite3_errmsg(judge));
  } else if (got.rows != plain->rows || got.sum != plain->sum) {
    fail(sql, "other rows, ", text("%ld for %ld", got.rows, plain->rows));
  } else if (!probes) {
    fail(sql, "nothing probes its filter", "");
  }
  total.given++;
  total.probing += opened > before;
}

/* Asks for the filters of a query within some seconds, and judges each. */
static void test_query(const char *sql, double seconds) {
  const result plain = result_of(sql, 200000);
  if (plain.code != SQLITE_DONE) {
    printf("#   skipped: %s\n", sqlite3_errmsg(judge));
    return;
  }
  total.queries++;
  total.with_rows += plain.rows > 0;
  sqlite3_stmt *advice =
      prepare(asked, "SELECT advice, sql FROM bloom_advise(?1, ?2)");
  sqlite3_bind_text(advice, 1, sql, -1, SQLITE_STATIC);
  sqlite3_bind_double(advice, 2, seconds);
  const long given = total.given;
  while (sqlite3_step(advice) == SQLITE_ROW) {
    const char *says = (const char *)sqlite3_column_text(advice, 0);
    const char *filtered = (const char *)sqlite3_column_text(advice, 1);
    printf("#   %s\n", says);
    if (strstr(says, "other rows") != NULL) fail(sql, "withheld: ", says);
    if (filtered != NULL) test_given(filtered, &plain);
  }
  if (sqlite3_finalize(advice) != SQLITE_OK) {
    fail(sql, "no advice: ", sqlite3_errmsg(asked));
  }
  for (size_t i = 0; i < NAMES; i++) {
    total.has[i] += total.given > given && (effects >> i & 1);
  }
}

/* Those queries, each with its words. Some must have a filter, unless TEMP
** tables have hidden theirs. */
static void test_special(int must) {
  for (size_t i = 0; i < COUNT(special); i++) {
    arena_used = 0;
    char *word = text("%s", special[i].words), *next;
    for (; word != NULL; word = next) {
      next = cut(word, ';');
      char *sql = sqlite3_mprintf(special[i].sql, word);
      const long given = total.given;
      printf("# %s\n", sql);
      test_query(sql, 2);
      if (must && special[i].given && total.given == given)
        fail(sql, "no filter", "");
      sqlite3_free(sql);
    }
  }
}

int main(int argc, char **argv) {
  const long filters = argc > 1 ? atol(argv[1]) : 300;
  const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
  open_world();
  for (size_t i = 0; i < COUNT(special_tables); i++) on_both(special_tables[i]);
  test_special(1);
  on_both("CREATE TEMP TABLE b AS SELECT * FROM main.b WHERE y = 1");
  on_both("CREATE TEMP TABLE a AS SELECT * FROM main.a WHERE i < 3");
  test_special(0);
  ok(failures == 0, "queries of known kinds");
  memset(&total, 0, sizeof(total));
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
    test_query(sql, 0.2);
  }
  ok(failures == 0, "SQLite %s: %ld filters given for %ld queries of seed %llu",
     sqlite3_libversion(), total.given, total.queries,
     (unsigned long long)seed);
  ok(total.with_rows > total.queries / 2, "%ld have rows", total.with_rows);
  ok(total.probing > total.given * 3 / 4, "%ld filters are probed",
     total.probing);
  char *name = text("%s", has_names);
  for (size_t i = 0; i < NAMES; i++) {
    char *next = cut(name, '|');
    ok(total.has[i] > 0, "%ld queries with %s get one", total.has[i], name);
    name = next;
  }
  close_world();
  ok(sqlite3_memory_used() == 0, "nothing is left in memory");
  return tap_done();
}
