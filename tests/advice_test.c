/* Twelve queries with filters, of which six gain (tests/bench/advice.h):
** whether bloom_advise gives the filter, and what it saves; and a filter in a
** CASE saves the lookups of a LEFT JOIN. What `make bench` times is counted
** here: the steps of SQLite's machine, of which each row takes some, and the
** pages that SQLite asks for. The tables have a tenth of the rows. */
#define _POSIX_C_SOURCE 200112L
#include "bench/advice.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench_sql.h"
#include "lib/sql.h"
#include "lib/tap.h"

typedef struct reading {
  char *rows;
  sqlite3_int64 steps, pages;
} reading;

static sqlite3_int64 pages_asked_for(void) {
  int hits, misses, highest;
  sqlite3_db_status(bench_db, SQLITE_DBSTATUS_CACHE_HIT, &hits, &highest, 0);
  sqlite3_db_status(bench_db, SQLITE_DBSTATUS_CACHE_MISS, &misses, &highest, 0);
  return (sqlite3_int64)hits + misses;
}

/* What a query returns and reads. */
static reading reading_of(const char *sql) {
  sqlite3_str *rows = sqlite3_str_new(NULL);
  sqlite3_stmt *statement = prepare(bench_db, sql);
  const sqlite3_int64 before = pages_asked_for();
  while (sqlite3_step(statement) == SQLITE_ROW) {
    for (int i = 0; i < sqlite3_column_count(statement); i++) {
      sqlite3_str_appendf(rows, "%s|", sqlite3_column_text(statement, i));
    }
  }
  const sqlite3_int64 pages = pages_asked_for() - before;
  const int steps =
      sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 0);
  ok(sqlite3_finalize(statement) == SQLITE_OK && sqlite3_str_length(rows) > 0,
     "%s", sql);
  return (reading){sqlite3_str_finish(rows), steps, pages};
}

/* The same for a query that is freed. */
static reading reading_of_made(char *sql) {
  const reading result = reading_of(sql);
  sqlite3_free(sql);
  return result;
}

/* Whether the row of a lookup of this column has a query, whichever side is
** better, if nothing is tried once so many seconds have passed. */
static int is_given(const advice_query *query, double seconds) {
  char *plain = advice_plain(query);
  char *sql = sqlite3_mprintf(
      "SELECT count(sql) FROM bloom_advise(%Q, %f) "
      "WHERE probe LIKE '%%.%s' OR \"set\" LIKE 'SELECT t1.%s AS k %%'",
      plain, seconds, query->key, query->key);
  const int given = integer_of(bench_db, sql) > 0;
  sqlite3_free(sql);
  sqlite3_free(plain);
  return given;
}

static void test_query(const advice_query *query) {
  const reading plain = reading_of_made(advice_plain(query));
  const reading filtered = reading_of_made(advice_filtered(query));
  const reading kept_order = reading_of_made(advice_likelihood(query));
  ok(strcmp(plain.rows, filtered.rows) == 0 &&
         strcmp(plain.rows, kept_order.rows) == 0,
     "%s: %s", query->name, plain.rows);
  /* On a busy machine, a second may have passed before, or a filter that loses
  ** have been stopped. */
  ok((is_given(query, 0.1) || is_given(query, 30) || is_given(query, 30)) ==
         query->is_given,
     "%s: bloom_advise %s the filter", query->name,
     query->is_given ? "gives" : "does not give");
  if (query->gains) {
    ok(kept_order.pages < plain.pages / 2, "%s gains: %lld pages, and %lld",
       query->name, kept_order.pages, plain.pages);
  } else {
    ok(kept_order.steps > plain.steps && kept_order.pages > plain.pages / 5 * 4,
       "%s loses: %lld pages, and %lld", query->name, kept_order.pages,
       plain.pages);
  }
  sqlite3_free(plain.rows);
  sqlite3_free(filtered.rows);
  sqlite3_free(kept_order.rows);
}

static void test_left_join(const advice_left_join *join) {
  reading forms[ADVICE_PLACES];
  for (int i = 0; i < ADVICE_PLACES; i++) forms[i] = reading_of(join->forms[i]);
  const reading plain = forms[0], in_on = forms[1], in_case = forms[2];
  ok(strcmp(plain.rows, in_on.rows) == 0 &&
         strcmp(plain.rows, in_case.rows) == 0,
     "LEFT JOIN, %s: %s", join->type, plain.rows);
  ok(in_on.pages >= plain.pages, "the ON saves none: %lld pages, and %lld",
     in_on.pages, plain.pages);
  ok(in_case.pages < plain.pages / 5, "the CASE does: %lld pages",
     in_case.pages);
  for (int i = 0; i < ADVICE_PLACES; i++) sqlite3_free(forms[i].rows);
}

/* Denies reading a column, which begins with its table. */
static int deny(void *column, int action, const char *table, const char *name,
                const char *schema, const char *trigger) {
  (void)schema, (void)trigger;
  char read[64];
  if (action != SQLITE_READ) return SQLITE_OK;
  snprintf(read, sizeof(read), "%s.%s", table, name);
  return strcmp(read, column) == 0 ? SQLITE_DENY : SQLITE_OK;
}

/* Denies reading all columns of a table but one. */
static int deny_others(void *column, int action, const char *table,
                       const char *name, const char *schema,
                       const char *trigger) {
  const char *point = strchr(column, '.');
  const size_t size = (size_t)(point - (const char *)column);
  (void)schema, (void)trigger;
  return action == SQLITE_READ && strlen(table) == size &&
                 memcmp(table, column, size) == 0 && *name != 0 &&
                 strcmp(name, point + 1) != 0
             ? SQLITE_DENY
             : SQLITE_OK;
}

/* A column that the connection may not read, and the query does not, is not
** read for a filter either; and what cannot be read is named. */
static void test_denied(void) {
  static const char query[] =
      "SELECT coalesce(max(CASE WHEN probe = 'visit.email' "
      "THEN sql END), max(advice)) FROM bloom_advise('SELECT count(*) "
      "FROM visit WHERE email IN (SELECT email FROM customer)')";
  sqlite3 *db = open_database();
  run(db,
      "CREATE TABLE visit(email TEXT, secret, seen);"
      "CREATE TABLE customer(email TEXT PRIMARY KEY);"
      "INSERT INTO visit VALUES ('a', 1, 2); "
      "INSERT INTO customer VALUES ('a')");
  sqlite3_set_authorizer(db, deny, "visit.secret");
  answer given;
  ask(db, query, &given);
  ok(strstr(given.text, "AS (SELECT email, seen FROM main.visit") != NULL,
     "a column is denied: %s", given.text);
  run(db, "ALTER TABLE customer ADD COLUMN secret");
  sqlite3_set_authorizer(db, deny_others, "customer.email");
  ask(db,
      "SELECT outcome FROM bloom_advise('SELECT count(*) FROM visit LEFT JOIN "
      "customer ON customer.email = visit.email') LIMIT 1",
      &given);
  ok(strcmp(given.text, "error") != 0, "all columns but one are denied: %s",
     given.text);
  sqlite3_set_authorizer(db, deny, "sqlite_master.sql");
  ask(db, query, &given);
  ok(strstr(given.text, "prohibited") != NULL, "the schema is denied: %s",
     given.text);
  sqlite3_close(db);
}

static char said[1000];

/* bloom_progress(text), which fails all the same. */
static void note(sqlite3_context *context, int argc, sqlite3_value **argv) {
  (void)argc;
  const size_t length = strlen(said);
  snprintf(said + length, sizeof(said) - length, "%s\n",
           sqlite3_value_text(argv[0]));
  sqlite3_result_error(context, "noted", -1);
}

/* What is run next is told to a function of the connection. */
static void test_progress(void) {
  float left[3], took = -1;
  int end = 0;
  answer outcome;
  sqlite3 *db = open_database();
  run(db,
      "CREATE TABLE visit(\"e'mail\" TEXT); CREATE TABLE customer(email TEXT);"
      "INSERT INTO visit VALUES ('a'); INSERT INTO customer VALUES ('a')");
  add_function(db, "bloom_progress", 1, note);
  ask(db,
      "SELECT outcome FROM bloom_advise('SELECT count(*) FROM visit WHERE "
      "\"e''mail\" IN (SELECT email FROM customer)', 20)",
      &outcome);
  sscanf(said,
         "the query without a filter; %f s left\n"
         "filter 1 of 1, of visit.e'mail; the query itself took %f s; "
         "%f s left\n2 queries in turn; %f s left\n%n",
         &left[0], &took, &left[1], &left[2], &end);
  ok(end > 0 && took >= 0 && left[0] <= 20 && left[1] <= left[0] &&
         left[2] <= left[1] && left[2] >= 0,
     "bloom_progress: %s", said);
  ok(strcmp(outcome.text, "error") != 0, "its error ends nothing: %s",
     outcome.text);
  sqlite3_close(db);
}

int main(void) {
  setenv("BENCH_SMALLER", "10", 0);
  bench_open("", extension_path());
  bench_run_file("tests/bench/advice.sql");
  advice_read();
  for (int i = 0; i < ADVICE_QUERIES; i++) test_query(&advice_queries[i]);
  for (int i = 0; i < ADVICE_LEFT_JOINS; i++) {
    test_left_join(&advice_left_joins[i]);
  }
  sqlite3_close(bench_db);
  test_denied();
  test_progress();
  return tap_done();
}
