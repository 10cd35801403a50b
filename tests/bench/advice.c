#include "advice.h"

#include "lib/sql.h"

/* The rows of lineitem that arrived late without another late supplier. */
#define ALONE                                                       \
  "l.late AND NOT EXISTS (SELECT * FROM lineitem AS other"          \
  " WHERE other.orders = l.orders AND other.supplier <> l.supplier" \
  "  AND other.late)"

/* The same query and filter, for many films (kind 101) or for few (112). */
#define COPRODUCED(kind)                               \
  "SELECT count(*), min(t.title) FROM movie_info AS i" \
  " JOIN title AS t ON t.id = i.movie"                 \
  " JOIN movie_companies AS mc ON mc.movie = t.id"     \
  " WHERE i.kind = " kind " AND mc.note = '(co-production)'%s"
#define COPRODUCTIONS \
  "SELECT movie AS k FROM movie_companies WHERE note = '(co-production)'"

const advice_query advice_queries[ADVICE_QUERIES] = {
    {"TPC-DS 24",
     "SELECT sr.reason, count(*), sum(price) FROM store_sales AS ss"
     " JOIN store_returns AS sr ON sr.ticket = ss.ticket WHERE 1%s"
     " GROUP BY sr.reason",
     "ticket", "store_sales", "ss", "SELECT ticket AS k FROM store_returns", 1,
     1},
    {"TPC-DS 30",
     "SELECT count(*), sum(price) FROM store_sales AS ss"
     " JOIN customer AS c ON c.id = ss.customer"
     " JOIN address AS a ON a.id = c.address WHERE a.county = 7%s",
     "customer", "store_sales", "ss",
     "SELECT c.id AS k FROM address AS a JOIN customer AS c"
     " ON c.address = a.id WHERE a.county = 7",
     1, 1},
    {"TPC-DS 10",
     "SELECT count(*), min(c.year) FROM customer AS c"
     " JOIN reader AS r ON r.email = c.email WHERE 1%s",
     "email", "customer", "c", "SELECT email AS k FROM reader", 1, 1},
    {"JOB 4a",
     "SELECT count(*), min(t.title) FROM movie_info AS i"
     " JOIN title AS t ON t.id = i.movie"
     " JOIN movie_keyword AS mk ON mk.movie = t.id"
     " JOIN keyword AS k ON k.id = mk.keyword"
     " WHERE i.kind = 101 AND t.year > 1950 AND k.keyword GLOB '*sequel*'%s",
     "movie", "movie_info", "i",
     "SELECT movie AS k FROM keyword AS k"
     " JOIN movie_keyword AS mk ON mk.keyword = k.id"
     " WHERE k.keyword GLOB '*sequel*'",
     1, 1},
    {"JOB 25a", COPRODUCED("101"), "movie", "movie_info", "i", COPRODUCTIONS, 1,
     1},
    {"TPC-H 21",
     "SELECT s.code, count(*) FROM lineitem AS l"
     " JOIN supplier AS s ON s.code = l.supplier"
     " JOIN nation AS n ON n.id = s.nation"
     " WHERE n.name = 'Nation 7'%s AND " ALONE " GROUP BY s.code",
     "supplier", "lineitem", "l",
     "SELECT s.code AS k FROM nation AS n JOIN supplier AS s"
     " ON s.nation = n.id WHERE n.name = 'Nation 7'",
     1, 0},

    {"TPC-DS 3",
     "SELECT d.year, i.brand, sum(price) FROM date_dim AS d"
     " JOIN store_sales AS ss ON ss.day = d.id"
     " JOIN item AS i ON i.id = ss.item"
     " WHERE i.maker = 128 AND d.month = 11%s GROUP BY d.year, i.brand",
     "item", "store_sales", "ss", "SELECT id AS k FROM item WHERE maker = 128",
     0, 1},
    {"TPC-DS 7",
     "SELECT count(*), sum(price) FROM store_sales AS ss"
     " JOIN demographic AS d ON d.id = ss.demographic WHERE d.kind = 7%s",
     "demographic", "store_sales", "ss",
     "SELECT id AS k FROM demographic WHERE kind = 7", 0, 1},
    {"TPC-H 5",
     "SELECT n.name, sum(price) FROM region AS r"
     " JOIN nation AS n ON n.region = r.id JOIN buyer AS b ON b.nation = n.id"
     " JOIN orders AS o ON o.buyer = b.id JOIN lineitem AS l ON l.orders = o.id"
     " JOIN supplier AS s ON s.code = l.supplier AND s.nation = b.nation"
     " WHERE r.name = 'ASIA' AND o.day >= '1994-01-01'"
     "  AND o.day < '1995-01-01'%s GROUP BY n.name",
     "orders", "lineitem", "l",
     "SELECT o.id AS k FROM region AS r JOIN nation AS n ON n.region = r.id"
     " JOIN buyer AS b ON b.nation = n.id JOIN orders AS o ON o.buyer = b.id"
     " WHERE r.name = 'ASIA' AND o.day >= '1994-01-01'"
     "  AND o.day < '1995-01-01'",
     0, 1},
    {"JOB 1a", COPRODUCED("112"), "movie", "movie_info", "i", COPRODUCTIONS, 0,
     1},
    {"TPC-H 4",
     "SELECT o.status, count(*) FROM orders AS o"
     " WHERE o.day >= '1993-07-01' AND o.day < '1993-10-01'%s"
     " AND EXISTS (SELECT * FROM lineitem AS l WHERE l.orders = o.id"
     "  AND l.late) GROUP BY o.status",
     "id", "orders", "o", "SELECT orders AS k FROM lineitem WHERE late", 0, 0},
    {"TPC-DS 84",
     "SELECT count(*), sum(price) FROM store_sales AS ss"
     " JOIN demographic AS d ON d.id = ss.demographic"
     " JOIN income_band AS ib ON ib.id = d.kind WHERE ib.upper > 10000%s",
     "demographic", "store_sales", "ss",
     "SELECT d.id AS k FROM demographic AS d"
     " JOIN income_band AS ib ON ib.id = d.kind WHERE ib.upper > 10000",
     0, 1},
};

/* The query with its filter in a format. */
static char *with_filter(const advice_query *query, const char *format) {
  char *filter = sqlite3_mprintf(format, query->alias, query->key, query->set);
  char *sql = sqlite3_mprintf(query->sql, filter);
  sqlite3_free(filter);
  return sql;
}

#define FILTER \
  "bloom_may_match(%s.%s, (SELECT bloom_open(bloom_build(k)) FROM (%s)))"

char *advice_plain(const advice_query *query) {
  return sqlite3_mprintf(query->sql, "");
}

char *advice_filtered(const advice_query *query) {
  return with_filter(query, " AND " FILTER);
}

char *advice_likelihood(const advice_query *query) {
  return with_filter(query, " AND likelihood(" FILTER ", 1.0)");
}

char *advice_build(const advice_query *query) {
  return sqlite3_mprintf("SELECT length(bloom_build(k)) FROM (%s)", query->set);
}

/* A LEFT JOIN of all events by this column. */
#define EVENTS(key, on)                                              \
  "SELECT count(*), sum(e.id), sum(value) FROM event AS e LEFT JOIN" \
  " partner AS p ON p." key " = " on
#define MAY_MATCH(column, key) \
  "bloom_may_match(e." column  \
  ", ("                        \
  "SELECT bloom_open(bloom_build(" key ")) FROM partner))"
#define LEFT_JOIN(column, key)                                               \
  {                                                                          \
    EVENTS(key, "e." column),                                                \
        EVENTS(key, "e." column " AND " MAY_MATCH(column, key)),             \
        EVENTS(key,                                                          \
               "CASE WHEN " MAY_MATCH(column, key) " THEN e." column " END") \
  }

const advice_left_join advice_left_joins[ADVICE_LEFT_JOINS] = {
    {"TEXT", LEFT_JOIN("code", "code")}, {"INTEGER", LEFT_JOIN("ref", "id")}};
