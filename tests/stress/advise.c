/*
** Whether bloom_advise gives filters that lose rows. Random queries over tables
** of mixed types and collations, with views, common table expressions, outer
** joins and much else, are given to it; each `sql` that it answers, in whatever
** row, must have the rows of the plain query, and probe a filter. The tables are
** so small that hardly any filter pays, but a filter is given where it would be
** right.
**
** Two connections have the same tables. One is asked. The other judges: its
** bloom_may_match counts, and asks a third one.
**
** bloom_advise itself runs what it gives, and withholds what has other rows. It
** must not come to that: the conditions that make a filter right see it first.
** So what it says then is a failure, too.
**
** usage: advise [QUERIES [SEED]]. Query n of a seed is the same in every run on
** one version of SQLite. Each is printed before it is asked about.
*/
#include <stdint.h>

#include "lib/grammar.h"
#include "lib/tap.h"

/* ---- The tables: each has the same columns, of types that are often the same
** in all tables of a world, so that keys of one type meet. */

#define TABLES 7
static const char *const tables[TABLES] = {"a",          "b", "c", "\"d d\"",
                                           "\"e\"\"e\"", "f", "g"};

#define COLUMNS 6
static const char *const columns[COLUMNS] = {"x", "k", "j",
                                             "i", "y", "\"z z\""};

/* Effects of forms: what has been used, of which some filter must be given. */
enum used {
  OUTER_JOIN = 1,
  CROSS_JOIN = 2,
  IN_SELECT = 4,
  EXISTS = 8,
  OR = 16,
  VIEW = 32,
  WITH = 64,
  LIMIT = 128,
  GROUP = 256,
  WINDOW = 512,
  COMPOUND = 1024,
  EXPRESSION = 2048, /* CASE, coalesce, CAST ... */
  IN_PARENTHESES = 4096,
};

static const char *const used_names[] = {
    "an outer join",
    "CROSS JOIN",
    "IN (SELECT)",
    "EXISTS",
    "OR",
    "a view",
    "WITH",
    "LIMIT",
    "GROUP BY",
    "a window",
    "a compound",
    "CASE",
    "a join in parentheses",
};

/* ---- The aliases that a part of a query sees: t1, t2 ... A SELECT reserves its
** own when it begins, and its FROM introduces them one after the other. */

typedef struct scope {
  int first, introduced, end; /* of its own aliases */
  int outer;                  /* it sees those of the SELECT around it */
  const char *later;          /* what its WHERE must say */
} scope;

static scope scopes[64];
static int depth, aliases, chosen_tables;
static int order_of_tables[TABLES];
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

static const char *column_of(int alias) {
  const scope *at = &scopes[depth];
  if (one_in(80)) return text("t%d.rowid", alias);
  if (at->end - at->first == 1 && alias == at->first && one_in(6)) {
    return columns[random_below(COLUMNS)];
  }
  return text("t%d.%s", alias, columns[random_below(COLUMNS)]);
}

/* An equality of the alias that was introduced last with another one. */
static const char *equality(void) {
  scope *at = &scopes[depth];
  const int last = at->introduced - 1;
  int other = visible_alias();
  if (other == last) other = at->first;
  if (other == last && at->outer) other = at[-1].first;
  const char *column = columns[random_below(COLUMNS)];
  const char *other_column =
      one_in(6) ? columns[random_below(COLUMNS)] : column;
  return one_in(2) ? text("t%d.%s = t%d.%s", last, column, other, other_column)
                   : text("t%d.%s = t%d.%s", other, other_column, last, column);
}

/* The six columns under their names, a few of them made by expressions. */
static const char *six(void) {
  const char *list = "";
  const int alias = visible_alias();
  for (int i = 0; i < COLUMNS; i++) {
    const char *value =
        one_in(7) ? one_of("expr", "", "") : text("t%d.%s", alias, columns[i]);
    list = text("%s%s%s AS %s", list, i == 0 ? "" : ", ", value, columns[i]);
  }
  return list;
}

/* What the WHERE of a comma join must say, and another condition. */
static const char *where(void) {
  const char *later = scopes[depth].later;
  if (*later == '\0' && one_in(2)) return "";
  if (*later == '\0') return text(" WHERE %s", one_of("cond", "", ""));
  if (one_in(2)) return text(" WHERE %s", later);
  return one_in(2) ? text(" WHERE %s AND %s", later, one_of("cond", "", ""))
                   : text(" WHERE %s AND %s", one_of("cond", "", ""), later);
}

static const char *table(void) {
  if (common != NULL && one_in(2)) return common;
  if (one_in(10)) return tables[random_below(TABLES - 1)];
  const int next = order_of_tables[++chosen_tables % TABLES];
  return tables[only_main ? next % (TABLES - 1) : next];
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
  if (strcmp(word, "enter") == 0) return enter(a, depth > 0);
  if (strcmp(word, "apart") == 0) return enter(a, 0);
  if (strcmp(word, "leave") == 0) return depth--, "";
  if (strcmp(word, "alias") == 0) return text("t%d", at->introduced++);
  if (strcmp(word, "c") == 0) return column_of(visible_alias());
  if (strcmp(word, "last") == 0) return text("t%d", at->introduced - 1);
  if (strcmp(word, "before") == 0) return text("t%d", at->introduced - 2);
  if (strcmp(word, "column") == 0) return columns[random_below(COLUMNS)];
  if (strcmp(word, "eq") == 0) return equality();
  if (strcmp(word, "six") == 0) return six();
  if (strcmp(word, "where") == 0) return where();
  if (strcmp(word, "table") == 0) return table();
  if (strcmp(word, "later") == 0) {
    at->later = text("%s%s%s", at->later, *at->later == '\0' ? "" : " AND ", a);
    return "";
  }
  if (strcmp(word, "from") == 0) {
    return one_of(text("from%d", at->end - at->first), "", "");
  }
  if (strcmp(word, "view") == 0) {
    return views == 0 ? table()
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
    /* Constants, and expressions that may stand where a column does. */
    {"v", 12, 0, 0,
     "{1/1/2/2/3/4/'1'/'1'/'2'/'2'/'x'/'x'/'X'/'y'/2.0/1.5/x'78'/'x '}"},
    {"v", 2, 0, 0,
     "{NULL/''/'1.0'/'01'/-1/1e3/'1e3'/1.1e288/x''/x'31'/9007199254740993/"
     "9007199254740992.0/'a\\b'/'\"'/0/-0.0/'xyz'/9223372036854775807}"},
    {"v", 1, 0, EXPRESSION,
     "{coalesce(1, 3)/~5/CAST(5 AS INTEGER)/1 + 1/-(2)/'x' || ''/+2/"
     "CAST('2' AS NUMERIC)/(SELECT 2)/abs(-3)/char(120)/(SELECT 'x')}"},
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
     "{{expr} {=/</IN (2, {v})/=/= {v} OR 1 =} {v}/{expr} IN ({v}, {v})/{c}/NOT {c}}"},
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
    {"base", 1, 0, 0, "{table} AS {alias}"},
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
    {"inner", 1, 0, IN_PARENTHESES,
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
  for (int i = TABLES; i > 1; i--) {
    const int j = (int)random_below((size_t)i), other = order_of_tables[j];
    order_of_tables[j] = order_of_tables[i - 1];
    order_of_tables[i - 1] = other;
  }
}

/* ---- The worlds: tables with rows, indexes and views, the same on both
** connections. */

static sqlite3 *asked, *judge, *helper;
static sqlite3_stmt *may_match;
static long probes, refused;

/* A row that a column's type or key refuses is left out of both. */
static void on_both(const char *sql) {
  const int code = sqlite3_exec(asked, sql, NULL, NULL, NULL);
  if (code != sqlite3_exec(judge, sql, NULL, NULL, NULL)) {
    fprintf(stderr, "%s: %s\n", sql, sqlite3_errmsg(judge));
    exit(1);
  }
  if (code == SQLITE_OK) printf("#   %s;\n", sql);
}

static const char *const types[] = {"TEXT",
                                    "TEXT",
                                    "TEXT",
                                    "INTEGER",
                                    "INTEGER",
                                    "REAL",
                                    "NUMERIC",
                                    "",
                                    "BLOB",
                                    "TEXT COLLATE NOCASE",
                                    "TEXT COLLATE RTRIM"};

static const char *any_type(void) {
  return types[random_below(COUNT(types))];
}

/* A value that a column of a type may well have. */
static const char *value_for(const char *type) {
  if (one_in(12)) return "NULL";
  if (strncmp(type, "TEXT", 4) == 0 && !one_in(10)) {
    return expand(
        "{'1'/'1'/'2'/'2'/'x'/'x'/'x'/'X'/'y'/'x '/'1.0'/'xyz'/'it''s'}", "",
        "");
  }
  if ((*type == 'I' || *type == 'R' || *type == 'N') && !one_in(12)) {
    return expand("{1/1/1/2/2/2/3/3/4/5/-1/1.5/2.0/0/1e3}", "", "");
  }
  return one_of("v", "", "");
}

static void make_rows(const char *name, const char *const *type, int made) {
  const int rows = 10 + (int)random_below(30);
  const char *list = "";
  for (int i = 0; i < COLUMNS; i++) {
    if (i != made) list = text("%s%s%s", list, *list ? ", " : "", columns[i]);
  }
  for (int row = 0; row < rows; row++) {
    const char *values = "";
    for (int i = 0; i < COLUMNS; i++) {
      if (i == made) continue;
      values = text("%s%s%s", values, *values ? ", " : "", value_for(type[i]));
    }
    on_both(
        text("INSERT OR IGNORE INTO %s(%s) VALUES (%s)", name, list, values));
  }
}

/* A table whose columns have these types, mostly. */
static void make_table(const char *name, const char *const *usual) {
  const char *type[COLUMNS], *list = "";
  const int strict = one_in(7),
            made = one_in(6) ? 3 + (int)random_below(3) : -1;
  const int key = one_in(2) ? (int)random_below(3) : -1;
  for (int i = 0; i < COLUMNS; i++) {
    type[i] = one_in(5) ? any_type() : usual[i];
    if (strict) {
      type[i] = strchr("TIRB", *type[i]) && one_in(2) && *type[i]
                    ? expand("{TEXT/INTEGER}", "", "")
                    : "ANY";
    }
    if (i == key && *type[i] == 'I') type[i] = "INTEGER PRIMARY KEY";
    list = text("%s%s%s %s%s", list, i == 0 ? "" : ", ", columns[i], type[i],
                i == made ? expand(" AS ({x/x/k || ''/lower(k)/length(x)})"
                                   " {VIRTUAL/STORED}",
                                   "", "")
                : i == key && !strchr(type[i], 'Y') ? " UNIQUE"
                                                    : "");
  }
  const char *how = strict ? " STRICT" : "";
  if (!strstr(list, "PRIMARY") && !strict && one_in(6)) {
    list = text("%s, PRIMARY KEY(%s, k, j)", list, "x");
    how = " WITHOUT ROWID";
  }
  on_both(text("CREATE TABLE %s(%s)%s", name, list, how));
  make_rows(name, type, made);
}

/* bloom_open(f) is f, for the judge. */
static void open_function(sqlite3_context *context, int argc,
                          sqlite3_value **argv) {
  (void)argc;
  sqlite3_result_value(context, argv[0]);
}

static void may_match_function(sqlite3_context *context, int argc,
                               sqlite3_value **argv) {
  for (int i = 0; i < argc; i++) {
    sqlite3_bind_value(may_match, i + 1, argv[i]);
  }
  const int matches = (int)first_integer(may_match);
  probes++;
  refused += matches == 0;
  sqlite3_result_int(context, matches);
}

static void close_world(void) {
  sqlite3_close(asked);
  sqlite3_close(judge);
}

static void make_world(void) {
  const char *usual[COLUMNS];
  close_world();
  asked = open_database();
  judge = open_database();
  add_function(judge, "bloom_open", 1, open_function);
  add_function(judge, "bloom_may_match", 2, may_match_function);
  arena_used = 0;
  for (int i = 0; i < COLUMNS; i++) usual[i] = any_type();
  printf("# a world:\n");
  on_both(one_in(8) ? "PRAGMA encoding = 'UTF-16'" : "ATTACH '' AS other");
  on_both("ATTACH ':memory:' AS aux");
  for (int i = 0; i < TABLES; i++) {
    make_table(strcmp(tables[i], "g") == 0 ? "aux.g" : tables[i], usual);
  }
  if (one_in(4)) make_table("temp.a", usual);
  if (one_in(6)) make_table("temp.b", usual);
  for (int i = (int)random_below(12); i > 0; i--) {
    on_both(text("CREATE INDEX i%d ON %s(%s)", i,
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
    const sqlite3_int64 integer = sqlite3_column_int64(statement, i);
    const double real = sqlite3_column_double(statement, i);
    const void *bytes = type == SQLITE_INTEGER ? (const void *)&integer
                        : type == SQLITE_FLOAT
                            ? (const void *)&real
                            : sqlite3_column_blob(statement, i);
    int n = type == SQLITE_INTEGER || type == SQLITE_FLOAT
                ? 8
                : sqlite3_column_bytes(statement, i);
    state = random_next(&state) + (uint64_t)(type + 8 * n);
    while (n > 0) {
      n--;
      state = random_next(&state) + ((const uint8_t *)bytes)[n];
    }
  }
  return random_next(&state);
}

static int too_long(void *unused) {
  (void)unused;
  return 1;
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
  long queries, with_rows, skipped;
  long asked_with_filter, given, probing, refusing;
  long used[COUNT(used_names)];
} total;

static long failures;

static void fail(const char *sql, const char *format, ...) {
  char why[400];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(why, sizeof(why), format, arguments);
  va_end(arguments);
  ok(0, "%s: %s", why, sql);
  failures++;
}

static void test_given(const char *sql, const result *plain) {
  const long before = probes, refused_before = refused;
  const result got = result_of(sql, 1000000000);
  if (got.code != SQLITE_DONE) {
    fail(sql, "does not run: %s", sqlite3_errmsg(judge));
  } else if (got.rows != plain->rows || got.sum != plain->sum) {
    fail(sql, "%ld rows are %ld, or others", plain->rows, got.rows);
  }
  total.given++;
  total.probing += probes > before;
  total.refusing += refused > refused_before;
}

/* Asks for the filters of a query, and judges each. */
static void test_query(const char *sql) {
  const result plain = result_of(sql, 200000);
  if (plain.code != SQLITE_DONE) {
    printf("#   skipped: %s\n", sqlite3_errmsg(judge));
    total.skipped++;
    return;
  }
  total.queries++;
  total.with_rows += plain.rows > 0;
  sqlite3_stmt *advice =
      prepare(asked, "SELECT advice, sql FROM bloom_advise(?1, 0.02)");
  sqlite3_bind_text(advice, 1, sql, -1, SQLITE_STATIC);
  const long given = total.given;
  while (sqlite3_step(advice) == SQLITE_ROW) {
    const char *says = (const char *)sqlite3_column_text(advice, 0);
    const char *filtered = (const char *)sqlite3_column_text(advice, 1);
    printf("#   %s\n", says);
    if (strstr(says, "other rows") != NULL) fail(sql, "withheld: %s", says);
    if (filtered != NULL) test_given(filtered, &plain);
  }
  if (sqlite3_finalize(advice) != SQLITE_OK) {
    fail(sql, "no advice: %s", sqlite3_errmsg(asked));
  }
  total.asked_with_filter += total.given > given;
  for (size_t i = 0; i < COUNT(used_names); i++) {
    total.used[i] += total.given > given && (effects >> i & 1);
  }
}

int main(int argc, char **argv) {
  const long queries = argc > 1 ? atol(argv[1]) : 1000;
  const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
  for (int i = 0; i < TABLES; i++) order_of_tables[i] = i;
  helper = open_database();
  may_match = prepare(helper, "SELECT bloom_may_match(?1, ?2)");
  for (long n = 0; total.queries < queries && failures < 10; n++) {
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
    test_query(sql);
  }
  ok(failures == 0, "SQLite %s: %ld filters given for %ld queries of seed %llu",
     sqlite3_libversion(), total.given, total.queries,
     (unsigned long long)seed);
  ok(total.with_rows > total.queries / 2, "%ld have rows", total.with_rows);
  printf("# %ld skipped, %ld queries with filter, %ld probing, %ld refusing\n",
         total.skipped, total.asked_with_filter, total.probing, total.refusing);
  for (size_t i = 0; i < COUNT(used_names); i++) {
    ok(total.used[i] > 0, "%ld queries with %s have a filter", total.used[i],
       used_names[i]);
  }
  sqlite3_finalize(may_match);
  sqlite3_close(helper);
  close_world();
  ok(sqlite3_memory_used() == 0, "nothing is left in memory");
  return tap_done();
}
