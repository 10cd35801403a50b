/*
** Which rows two queries do not have in common. SQLite finds out, by a query of
** both queries, so that nothing of the connection is changed.
*/
#include <math.h>
#include <string.h>

#include "../compat.h"
#include "../statement.h"
#include "run.h"

/* Appends a text for each column, in which %1$d is its number. */
static void append_each(sqlite3_str *sql, int columns, const char *format) {
  for (int i = 1; i <= columns; i++) sqlite3_str_appendf(sql, format, i, i);
}

/* The groups of rows that are the same, which one query has more often than the
** other: how many times more plain has it, and the row. Those that differ in
** REALs alone, after 14 digits, follow each other. */
static char *difference_sql(const sql_trial *plain, const sql_trial *filtered) {
  const int columns = sqlite3_column_count(plain->statement);
  sqlite3_str *sql = sqlite3_str_new(NULL);
  sqlite3_str_appendall(sql, "WITH \"bloom rows\"(n");
  append_each(sql, columns, ", c%d");
  sqlite3_str_appendf(sql,
                      ") AS (SELECT 1, * FROM (%.*s\n) "
                      "UNION ALL SELECT -1, * FROM (%.*s\n)) SELECT sum(n)",
                      plain->length, plain->text, filtered->length,
                      filtered->text);
  append_each(sql, columns, ", c%d");
  sqlite3_str_appendall(sql, " FROM \"bloom rows\" GROUP BY 1 + 0");
  append_each(sql, columns, ", typeof(c%d), c%d COLLATE BINARY");
  sqlite3_str_appendall(sql, " HAVING sum(n) <> 0 ORDER BY 1 + 0");
  append_each(sql, columns,
              ", CASE typeof(c%d) WHEN 'real' THEN NULL ELSE c%d END "
              "COLLATE BINARY");
  append_each(sql, columns,
              ", CASE typeof(c%d) WHEN 'real' "
              "THEN CAST(printf('%%.13e', c%d) AS REAL) END");
  return sqlite3_str_finish(sql);
}

/* Appends a TEXT as SQL would write it, and as much of it as an error would
** show. A NUL is not cut off, since rows may differ behind it. */
static void append_text(sqlite3_str *text, const char *shown, int size) {
  if (strlen(shown) == (size_t)size) {
    const int bytes = sql_bytes_shown(shown);
    sqlite3_str_appendf(text, "'%.*q%s'", bytes, shown,
                        bytes < size ? "..." : "");
    return;
  }
  sqlite3_str_appendall(text, "CAST(x'");
  for (int i = 0; i < size && i < 40; i++) {
    sqlite3_str_appendf(text, "%02x", (unsigned char)shown[i]);
  }
  sqlite3_str_appendf(text, "%s' AS TEXT)", size > 40 ? "..." : "");
}

/* The row as SQL would show it, or as much of it as an error would show. */
static const char *row_text(sql_arena *arena, sqlite3_stmt *row) {
  const int columns = sqlite3_column_count(row);
  sqlite3_str *text = sqlite3_str_new(NULL);
  const char *shown;
  int i = 1, size;
  for (; i < columns && sqlite3_str_length(text) < 160; i++) {
    const int type = sqlite3_column_type(row, i);
    sqlite3_str_appendall(text, i == 1 ? "(" : ", ");
    switch (type) {
      case SQLITE_INTEGER:
        sqlite3_str_appendf(text, "%lld", sqlite3_column_int64(row, i));
        break;
      case SQLITE_FLOAT:
        sqlite3_str_appendf(text, "%!.17g", sqlite3_column_double(row, i));
        break;
      case SQLITE_TEXT:
        shown = sql_row_text(row, i);
        append_text(text, shown, sqlite3_column_bytes(row, i));
        break;
      case SQLITE_BLOB:
        size = sqlite3_column_bytes(row, i);
        sqlite3_str_appendf(text, "a BLOB of %d byte%s", size,
                            size == 1 ? "" : "s");
        break;
      default:
        sqlite3_str_appendall(text, "NULL");
    }
  }
  sqlite3_str_appendall(text, i < columns ? ", ...)" : ")");
  return sql_arena_keep(arena, sqlite3_str_finish(text));
}

/* Rows of both queries that are the same but for the last digits of REALs. */
typedef struct near_rows {
  uint64_t others;              /* a hash of the columns that are no REALs */
  sqlite3_int64 missing, added; /* how many rows of each */
  double *reals;                /* of the last row; other columns are NaN */
} near_rows;

/* Whether a row belongs to them. Notes its REALs. */
static bool is_near(near_rows *rows, sqlite3_stmt *row, int columns) {
  const uint64_t others = sql_hash_row(row, 1, false, 1);
  bool near = rows->others == others;
  rows->others = others;
  for (int i = 0; i < columns; i++) {
    const double x = rows->reals[i];
    const double y = sqlite3_column_type(row, i + 1) == SQLITE_FLOAT
                         ? sqlite3_column_double(row, i + 1)
                         : NAN;
    /* NaN alone is not equal to itself. */
    near = near && (x == y || (x != x && y != y) ||
                    fabs(x - y) < 1e-12 * fmax(fabs(x), fabs(y)));
    rows->reals[i] = y;
  }
  return near;
}

/* Counts them, and begins anew. */
static void count_rows(near_rows *rows, sql_difference *difference) {
  const sqlite3_int64 pairs =
      rows->missing < rows->added ? rows->missing : rows->added;
  difference->rounded += pairs;
  difference->missing += rows->missing - pairs;
  difference->added += rows->added - pairs;
  rows->missing = rows->added = 0;
}

static int read_difference(sql_arena *arena, sqlite3_stmt *row,
                           sql_difference *difference) {
  const int columns = sqlite3_column_count(row) - 1;
  near_rows rows = {
      .reals = sql_arena_allocate(arena, (uint64_t)columns * sizeof(double))};
  int rc = rows.reals == NULL ? SQLITE_NOMEM : SQLITE_OK;
  while (rc == SQLITE_OK && (rc = sqlite3_step(row)) == SQLITE_ROW) {
    const sqlite3_int64 n = sqlite3_column_int64(row, 0);
    rc = SQLITE_OK;
    if (!is_near(&rows, row, columns)) count_rows(&rows, difference);
    /* The text of a row is that of the first until one has no partner. */
    const char **text =
        n > 0 ? &difference->missing_row : &difference->added_row;
    const sqlite3_int64 found = n > 0 ? difference->missing : difference->added;
    if (found == 0) *text = row_text(arena, row);
    *(n > 0 ? &rows.missing : &rows.added) += n > 0 ? n : -n;
    if (arena->no_memory) rc = SQLITE_NOMEM;
  }
  count_rows(&rows, difference);
  return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

int sql_compare_rows(sql_arena *arena, const sql_trial *plain,
                     const sql_trial *filtered, sql_difference *difference,
                     bool *same) {
  sqlite3 *db = sqlite3_db_handle(plain->statement);
  sqlite3_stmt *row;
  *difference = (sql_difference){.missing = 0};
  *same = sql_same_rows(plain, filtered);
  if (*same) return SQLITE_OK;
  int rc = sql_prepare(db, difference_sql(plain, filtered), &row);
  if (rc == SQLITE_OK) rc = read_difference(arena, row, difference);
  const int end = sqlite3_finalize(row);
  if (rc == SQLITE_OK) rc = end;
  *same = rc == SQLITE_OK && difference->missing == 0 &&
          difference->added == 0 && difference->rounded > 0;
  return rc;
}
