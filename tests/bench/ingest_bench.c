/*
** What it costs to make a log searchable: rows are added to four logs on files,
** in turn, in transactions of 1,000. One has nothing but its rows, one a filter
** for each block of rows, one a filter in parts, and one an index. Measured are
** the time of each quarter of the rows, the space, and a lookup at the end.
** Then the first log gets each of these, too, as after a load of many rows.
**
** usage: ingest_bench EXTENSION FOLDER
** The files are made in FOLDER, and removed. ROWS in the environment is the
** number of rows (2,000,000).
*/
#define _POSIX_C_SOURCE 200112L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "lib/random.h"
#include "lib/sql.h"

#define KEY_BYTES 33
#define LINE_BYTES 100
#define TRANSACTION 1000
#define LOOKUPS 5

static long rows;

/* The key of row n; if n is negative, a key of no row. */
static const char *key_of(long n) {
  static char key[KEY_BYTES + 1];
  random_state = (uint64_t)n;
  const uint64_t words[] = {random64(), random64(), random64() & 0xf};
  snprintf(key, sizeof(key), "%016llx%016llx%llx", (unsigned long long)words[0],
           (unsigned long long)words[1], (unsigned long long)words[2]);
  return key;
}

typedef struct log_table {
  const char *name;
  const char *prepare; /* the SQL that makes it searchable */
  const char *lookup;
  char path[4096];
  sqlite3 *db;
  sqlite3_stmt *insert;
  double seconds[4]; /* of each quarter */
} log_table;

#define SCAN "SELECT count(*) FROM log WHERE key = ?1"
enum { TABLES = 4 };
static log_table tables[TABLES] = {
    {.name = "nothing", .prepare = "", .lookup = SCAN},
    {.name = "blocks",
     .prepare = "SELECT bloom_create_blocks('log', 'key')",
     .lookup = "SELECT count(*) FROM log_key_spans AS span"
               " CROSS JOIN log NOT INDEXED ON id BETWEEN first AND last"
               " WHERE bloom_may_match(?1, span.f) AND key = ?1"},
    {.name = "parts",
     .prepare = "SELECT bloom_create_parts('log', 'key')",
     .lookup = "SELECT count(*) FROM (SELECT 1 WHERE bloom_may_match(?1,"
               "  (SELECT f FROM log_key_part WHERE part = bloom_part(?1,"
               "   parts)))) CROSS JOIN log WHERE key = ?1"},
    {.name = "an index",
     .prepare = "CREATE INDEX log_key ON log(key)",
     .lookup = SCAN},
};

static void open_log(log_table *table, const char *extension,
                     const char *folder) {
  snprintf(table->path, sizeof(table->path), "%s/%s-%ld.db", folder,
           table->name, (long)getpid());
  remove_database(table->path);
  table->db = open_with(table->path, extension);
  run(table->db,
      "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
      "CREATE TABLE log(id INTEGER PRIMARY KEY, key TEXT, line TEXT)");
  run(table->db, table->prepare);
  table->insert =
      prepare(table->db, "INSERT INTO log(key, line) VALUES(?1, ?2)");
}

static void close_log(log_table *table) {
  sqlite3_finalize(table->insert);
  sqlite3_close(table->db);
  remove_database(table->path);
}

/* Seconds of one transaction, which adds the rows from first on. */
static double add_rows(const log_table *table, long first) {
  static char line[LINE_BYTES];
  memset(line, 'x', sizeof(line));
  const double start = bench_now();
  run(table->db, "BEGIN");
  for (long n = first; n < first + TRANSACTION; n++) {
    sqlite3_bind_text(table->insert, 1, key_of(n), KEY_BYTES, SQLITE_STATIC);
    sqlite3_bind_text(table->insert, 2, line, LINE_BYTES, SQLITE_STATIC);
    if (first_integer(table->insert) != NO_ROW ||
        sqlite3_errcode(table->db) != SQLITE_OK) {
      fprintf(stderr, "%s: %s\n", table->name, sqlite3_errmsg(table->db));
      exit(1);
    }
  }
  run(table->db, "COMMIT");
  return bench_now() - start;
}

/* Milliseconds a lookup: the median over the keys of the rows first, first +
** step and so on, each of which must find this many rows. */
static double lookup(const log_table *table, long first, long step, int found) {
  sqlite3_stmt *query = prepare(table->db, table->lookup);
  double times[LOOKUPS];
  for (int i = 0; i < LOOKUPS; i++) {
    const char *key = key_of(first + i * step);
    const double start = bench_now();
    sqlite3_bind_text(query, 1, key, KEY_BYTES, SQLITE_STATIC);
    const sqlite3_int64 count = first_integer(query);
    times[i] = (bench_now() - start) * 1e3;
    if (count != found) {
      fprintf(stderr, "%s: %lld rows of a key\n", table->name, count);
      exit(1);
    }
  }
  no_automatic_index(query);
  sqlite3_finalize(query);
  return bench_median(times, LOOKUPS);
}

static void report(const log_table *table) {
  const double quarter = (double)rows / 4 / 1e6;
  run(table->db, "PRAGMA wal_checkpoint(TRUNCATE)");
  const double megabytes = (double)(integer_of(table->db, "PRAGMA page_count") *
                                    integer_of(table->db, "PRAGMA page_size")) /
                           1e6;
  const double values[] = {table->seconds[0] / quarter,
                           table->seconds[1] / quarter,
                           table->seconds[2] / quarter,
                           table->seconds[3] / quarter,
                           table->seconds[3] / tables[0].seconds[3],
                           megabytes,
                           lookup(table, rows / 8, rows / LOOKUPS, 1),
                           lookup(table, -rows, 1, 0)};
  bench_row(table->name, values);
}

/* Compares a log that was searchable from its first row on with one that
** becomes so when it has all rows. */
static void report_load(const log_table *table) {
  double seconds[2] = {0, 0};
  for (int i = 0; i < 4; i++) {
    seconds[0] += table->seconds[i];
    seconds[1] += tables[0].seconds[i];
  }
  const double start = bench_now();
  run(tables[0].db, table->prepare);
  seconds[1] += bench_now() - start;
  bench_ratio(table->name, seconds[1] * 1e6 / (double)rows,
              seconds[0] * 1e6 / (double)rows);
}

int main(int argc, char **argv) {
  static const char *const columns[] = {
      "1st quarter, us",     "2nd", "3rd",          "4th",
      "times the first log", "MB",  "rare key, ms", "absent key, ms"};
  if (argc != 3) {
    fprintf(stderr, "usage: %s EXTENSION FOLDER\n", argv[0]);
    return 2;
  }
  printf("\nSQLite %s\n", sqlite3_libversion());
  rows = bench_setting("ROWS", bench_size(2000000)) / 4 / TRANSACTION * 4 *
         TRANSACTION;
  if (rows == 0) rows = 4 * TRANSACTION;
  bench_turn();
  for (int i = 0; i < TABLES; i++) open_log(&tables[i], argv[1], argv[2]);
  for (long n = 0; n < rows; n += TRANSACTION) {
    for (int i = 0; i < TABLES; i++) {
      tables[i].seconds[n / (rows / 4)] += add_rows(&tables[i], n);
    }
    bench_turn();
  }
  bench_columns("ingest into a log on a file, us a row", 8, columns);
  for (int i = 0; i < TABLES; i++) report(&tables[i]);
  bench_section("a load into a log on a file, us a row", "made after it",
                "kept meanwhile");
  for (int i = 1; i < TABLES; i++) report_load(&tables[i]);
  for (int i = 0; i < TABLES; i++) close_log(&tables[i]);
  return 0;
}
