/*
** Which rows two queries do not have in common. The rows of both stand in a
** table of a private database, which SQLite keeps in memory or in a temporary
** file, and removes when it is closed. Nothing of the connection is changed: a
** TEMP table could not be dropped while the statement that asks is running.
*/
#include <math.h>
#include <string.h>

#include "../compat.h"
#include "run.h"

/* A row, as the table has it: its number (sql_hash_row), what is left of it
** without its REALs, these in an order that BLOBs have, too, and how many times
** plain has it more often than filtered. */
static const char difference_schema[] =
    "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN;"
    "CREATE TABLE row(hash INTEGER PRIMARY KEY, others BLOB, reals BLOB, "
    "times INTEGER)";
static const char add_row[] =
    "INSERT INTO row VALUES(?1, ?2, ?3, ?4) "
    "ON CONFLICT(hash) DO UPDATE SET times = times + excluded.times";
static const char left_rows[] =
    "SELECT others, reals, abs(times) FROM row WHERE times * ?1 > 0 "
    "ORDER BY others, reals, hash";

/* ---- A row as two BLOBs. */

static void append_big_endian(sqlite3_str *bytes, uint64_t word) {
  char big_endian[8];
  for (int i = 0; i < 8; i++) big_endian[i] = (char)(word >> (56 - 8 * i));
  sqlite3_str_append(bytes, big_endian, 8);
}

static uint64_t read_big_endian(const unsigned char *bytes) {
  uint64_t word = 0;
  for (int i = 0; i < 8; i++) word = word << 8 | bytes[i];
  return word;
}

#define SIGN ((uint64_t)1 << 63)

/* Of two REALs, the larger one has the larger word. */
static void append_real(sqlite3_str *bytes, double real) {
  uint64_t word;
  real += 0.0; /* -0.0 is 0.0 */
  memcpy(&word, &real, sizeof(word));
  append_big_endian(bytes, (word & SIGN) != 0 ? ~word : word | SIGN);
}

static double read_real(const unsigned char *bytes) {
  uint64_t word = read_big_endian(bytes);
  double real;
  word = (word & SIGN) != 0 ? word & ~SIGN : ~word;
  memcpy(&real, &word, sizeof(real));
  return real;
}

/* A column is its type, and then its integer, or its size and bytes. */
static void append_column(sqlite3_stmt *row, int column, sqlite3_str *others,
                          sqlite3_str *reals) {
  const int type = sqlite3_column_type(row, column);
  sqlite3_str_appendchar(others, 1, (char)type);
  if (type == SQLITE_INTEGER) {
    append_big_endian(others, (uint64_t)sqlite3_column_int64(row, column));
  } else if (type == SQLITE_FLOAT) {
    append_real(reals, sqlite3_column_double(row, column));
  } else if (type != SQLITE_NULL) {
    const void *bytes = type == SQLITE_TEXT
                            ? (const void *)sqlite3_column_text(row, column)
                            : sqlite3_column_blob(row, column);
    const int size = sqlite3_column_bytes(row, column);
    append_big_endian(others, (uint64_t)size);
    if (size > 0) sqlite3_str_append(others, bytes, size);
  }
}

/* The row as SQL would show it, or as much of it as an error would show. */
static char *row_text(sqlite3_stmt *left) {
  const unsigned char *at = sqlite3_column_blob(left, 0);
  const unsigned char *end = at + sqlite3_column_bytes(left, 0);
  const unsigned char *real = sqlite3_column_blob(left, 1);
  sqlite3_str *text = sqlite3_str_new(NULL);
  const char *comma = "(";
  while (at != NULL && at < end && sqlite3_str_length(text) < 160) {
    const int type = *at++;
    sqlite3_str_appendall(text, comma);
    comma = ", ";
    if (type == SQLITE_NULL) {
      sqlite3_str_appendall(text, "NULL");
    } else if (type == SQLITE_FLOAT) {
      sqlite3_str_appendf(text, "%!.17g", read_real(real));
      real += 8;
    } else {
      const uint64_t word = read_big_endian(at);
      const int shown = word > 40 ? 40 : (int)word;
      at += 8;
      if (type == SQLITE_INTEGER) {
        sqlite3_str_appendf(text, "%lld", (sqlite3_int64)word);
        continue;
      }
      if (type == SQLITE_TEXT) {
        sqlite3_str_appendf(text, "'%.*q%s'", shown, at,
                            word > 40 ? "..." : "");
      } else {
        sqlite3_str_appendf(text, "a BLOB of %lld byte%s", (sqlite3_int64)word,
                            word == 1 ? "" : "s");
      }
      at += word;
    }
  }
  sqlite3_str_appendall(text, at != NULL && at < end ? ", ...)" : ")");
  return sqlite3_str_finish(text);
}

/* ---- The table. */

/* Adds a row of a query to the table. */
static int add_one(sqlite3_stmt *row, uint64_t seed, sqlite3_stmt *add) {
  sqlite3_str *others = sqlite3_str_new(NULL), *reals = sqlite3_str_new(NULL);
  const int columns = sqlite3_column_count(row);
  const uint64_t hash = sql_hash_row(row, seed);
  for (int i = 0; i < columns; i++) append_column(row, i, others, reals);
  int rc = sqlite3_str_errcode(others);
  if (rc == SQLITE_OK) rc = sqlite3_str_errcode(reals);
  if (rc == SQLITE_OK) {
    sqlite3_bind_int64(add, 1, (sqlite3_int64)hash);
    sqlite3_bind_blob(add, 2, sqlite3_str_value(others),
                      sqlite3_str_length(others), SQLITE_STATIC);
    sqlite3_bind_blob(add, 3, sqlite3_str_value(reals),
                      sqlite3_str_length(reals), SQLITE_STATIC);
    sqlite3_step(add);
    rc = sqlite3_reset(add);
  }
  sqlite3_free(sqlite3_str_finish(others));
  sqlite3_free(sqlite3_str_finish(reals));
  return rc;
}

static int add_all(sqlite3 *side, sql_trial *trial, int times) {
  sqlite3_stmt *add;
  int rc = sqlite3_prepare_v2(side, add_row, -1, &add, NULL);
  if (rc != SQLITE_OK) return rc;
  sqlite3_bind_int(add, 4, times);
  while (rc == SQLITE_OK &&
         (rc = sqlite3_step(trial->statement)) == SQLITE_ROW) {
    rc = add_one(trial->statement, trial->seed, add);
  }
  const int end = sqlite3_reset(trial->statement);
  sqlite3_finalize(add);
  return rc == SQLITE_DONE ? SQLITE_OK : end != SQLITE_OK ? end : rc;
}

/* ---- What is left. */

/* Rows that only one of the queries has, in their order. */
typedef struct left_rows_of {
  sqlite3_stmt *rows;
  int rc;              /* SQLITE_ROW, SQLITE_DONE or an error's code */
  sqlite3_int64 times; /* how many of the current row are left */
} left_rows_of;

static void next_left(left_rows_of *left) {
  left->rc = sqlite3_step(left->rows);
  left->times =
      left->rc == SQLITE_ROW ? sqlite3_column_int64(left->rows, 2) : 0;
}

static int start_left(sqlite3 *side, int sign, left_rows_of *left) {
  const int rc = sqlite3_prepare_v2(side, left_rows, -1, &left->rows, NULL);
  if (rc != SQLITE_OK) return rc;
  sqlite3_bind_int(left->rows, 1, sign);
  next_left(left);
  return SQLITE_OK;
}

static int compare_column(sqlite3_stmt *a, sqlite3_stmt *b, int column) {
  const int size = sqlite3_column_bytes(a, column);
  const int other = sqlite3_column_bytes(b, column);
  const int least = size < other ? size : other;
  const int order = least == 0
                        ? 0
                        : memcmp(sqlite3_column_blob(a, column),
                                 sqlite3_column_blob(b, column), (size_t)least);
  return order != 0 ? order : size - other;
}

/* Whether two rows that have the same others differ in last digits alone. */
static bool are_near(sqlite3_stmt *a, sqlite3_stmt *b) {
  const int size = sqlite3_column_bytes(a, 1);
  const unsigned char *reals = sqlite3_column_blob(a, 1);
  const unsigned char *other = sqlite3_column_blob(b, 1);
  for (int i = 0; i < size; i += 8) {
    const double x = read_real(reals + i), y = read_real(other + i);
    if (x != y && !(fabs(x - y) < 1e-12 * fmax(fabs(x), fabs(y)))) return false;
  }
  return true;
}

/* Counts rows that have no partner, and keeps the text of the first. */
static void count_left(left_rows_of *left, sqlite3_int64 *count, char **text) {
  if (*text == NULL) *text = row_text(left->rows);
  if (*text == NULL) left->rc = SQLITE_NOMEM;
  *count += left->times;
  if (left->rc == SQLITE_ROW) next_left(left);
}

/* Goes through both lists in their order. */
static int pair_left(left_rows_of *missing, left_rows_of *added,
                     sql_difference *difference) {
  while (missing->rc == SQLITE_ROW || added->rc == SQLITE_ROW) {
    int order = missing->rc != SQLITE_ROW ? 1
                : added->rc != SQLITE_ROW ? -1
                                          : 0;
    const bool both = order == 0;
    if (both) order = compare_column(missing->rows, added->rows, 0);
    if (both && order == 0 && are_near(missing->rows, added->rows)) {
      const sqlite3_int64 pairs =
          missing->times < added->times ? missing->times : added->times;
      difference->rounded += pairs;
      missing->times -= pairs;
      added->times -= pairs;
      if (missing->times == 0) next_left(missing);
      if (added->times == 0) next_left(added);
      continue;
    }
    if (order == 0) order = compare_column(missing->rows, added->rows, 1);
    if (order < 0) {
      count_left(missing, &difference->missing, &difference->missing_row);
    } else {
      count_left(added, &difference->added, &difference->added_row);
    }
    if (missing->rc == SQLITE_NOMEM || added->rc == SQLITE_NOMEM) break;
  }
  const bool failed = missing->rc != SQLITE_DONE && missing->rc != SQLITE_ROW;
  const int rc = failed ? missing->rc : added->rc;
  return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* Ends a statement of the private database when the connection that asks is
** interrupted. */
static int is_over(void *data) {
  return sql_is_interrupted(data);
}

int sql_find_difference(sql_trial *plain, sql_trial *filtered,
                        sql_difference *difference) {
  left_rows_of missing = {NULL, SQLITE_DONE, 0}, added = missing;
  sqlite3 *side;
  *difference = (sql_difference){.missing = 0};
  int rc = sqlite3_open_v2("", &side,
                           SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);
  if (rc == SQLITE_OK) {
    sqlite3_progress_handler(side, 10000, is_over,
                             sqlite3_db_handle(plain->statement));
    rc = sqlite3_exec(side, difference_schema, 0, 0, 0);
  }
  if (rc == SQLITE_OK) rc = add_all(side, plain, 1);
  if (rc == SQLITE_OK) rc = add_all(side, filtered, -1);
  if (rc == SQLITE_OK) rc = start_left(side, 1, &missing);
  if (rc == SQLITE_OK) rc = start_left(side, -1, &added);
  if (rc == SQLITE_OK) rc = pair_left(&missing, &added, difference);
  sqlite3_finalize(missing.rows);
  sqlite3_finalize(added.rows);
  sqlite3_close(side);
  return rc;
}
