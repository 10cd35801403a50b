/* SQL for tests and benchmarks: a connection with the extension, and the result
** of a statement as text. */
#ifndef BLOOM_SQL_H
#define BLOOM_SQL_H

#include <sqlite3.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static uint64_t sqlite_seed;

static inline int give_seed(sqlite3_vfs *vfs, int size, char *bytes) {
  (void)vfs;
  for (int i = 0; i < size; i++) bytes[i] = (char)(sqlite_seed >> i % 8 * 8);
  return size;
}

/* Makes SQLite's random numbers the same in each run. SQLITE_TESTCTRL_PRNG_SEED
** does nothing in SQLite 3.26. */
static inline void seed_sqlite(uint64_t seed) {
  sqlite_seed = seed;
  sqlite3_vfs_find(NULL)->xRandomness = give_seed;
  sqlite3_randomness(0, NULL);
}

/* Where the extension is: DIST/bloom. */
static inline const char *extension_path(void) {
  static char path[4096];
  const char *dist = getenv("DIST");
  if (path[0] == '\0') {
    snprintf(path, sizeof(path), "%s/bloom", dist == NULL ? "dist" : dist);
  }
  return path;
}

/* Opens a database and loads an extension; ends the program if that fails. */
static inline sqlite3 *open_with(const char *name, const char *extension) {
  sqlite3 *db;
  char *error = NULL;
  if (sqlite3_open(name, &db) != SQLITE_OK ||
      sqlite3_enable_load_extension(db, 1) != SQLITE_OK ||
      sqlite3_load_extension(db, extension, NULL, &error) != SQLITE_OK) {
    fprintf(stderr, "%s: %s\n", extension,
            error == NULL ? sqlite3_errmsg(db) : error);
    exit(1);
  }
  return db;
}

/* The same for a database in memory and this extension. */
static inline sqlite3 *open_database(void) {
  return open_with(":memory:", extension_path());
}

/* Removes a database and the files that SQLite keeps beside it. */
static inline void remove_database(const char *name) {
  static const char *const ends[] = {"", "-journal", "-wal", "-shm"};
  for (int i = 0; i < 4; i++) {
    char *file = sqlite3_mprintf("%s%s", name, ends[i]);
    remove(file);
    sqlite3_free(file);
  }
}

/* Adds a function with this number of arguments. */
static inline void add_function(sqlite3 *db, const char *name, int arguments,
                                void (*function)(sqlite3_context *, int,
                                                 sqlite3_value **)) {
  sqlite3_create_function(db, name, arguments, SQLITE_UTF8, NULL, function,
                          NULL, NULL);
}

/* Runs statements that must succeed. */
static inline void run(sqlite3 *db, const char *sql) {
  char *error = NULL;
  if (sqlite3_exec(db, sql, NULL, NULL, &error) != SQLITE_OK) {
    fprintf(stderr, "%s: %s\n", sql, error == NULL ? "no memory" : error);
    exit(1);
  }
}

/* Prepares a statement; ends the program if that fails. */
static inline sqlite3_stmt *prepare(sqlite3 *db, const char *sql) {
  sqlite3_stmt *statement = NULL;
  if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK) {
    fprintf(stderr, "%s: %s\n", sql, sqlite3_errmsg(db));
    exit(1);
  }
  return statement;
}

/* The text of a file, for free; ends the program if it cannot be read. */
static inline char *read_file(const char *name) {
  enum { MOST = 1 << 16 };
  FILE *file = fopen(name, "r");
  char *text = calloc(1, MOST);
  if (file == NULL || text == NULL ||
      fread(text, 1, MOST - 1, file) == MOST - 1) {
    perror(name);
    exit(1);
  }
  fclose(file);
  return text;
}

#define NO_ROW (-1)
#define IS_NULL (-2)

/* Returns the INTEGER in the first row, NO_ROW or IS_NULL, and resets the
** statement. */
static inline sqlite3_int64 first_integer(sqlite3_stmt *statement) {
  sqlite3_int64 value = NO_ROW;
  if (sqlite3_step(statement) == SQLITE_ROW) {
    value = sqlite3_column_type(statement, 0) == SQLITE_NULL
                ? IS_NULL
                : sqlite3_column_int64(statement, 0);
  }
  sqlite3_reset(statement);
  return value;
}

static inline sqlite3_int64 integer_of(sqlite3 *db, const char *sql) {
  sqlite3_stmt *statement = prepare(db, sql);
  const sqlite3_int64 value = first_integer(statement);
  sqlite3_finalize(statement);
  return value;
}

/* How many functions have the name of one of the extension's, whatever has
** registered them. */
#define COUNT_FUNCTIONS                                               \
  "SELECT count(*) FROM pragma_function_list WHERE enc = 'utf8' AND " \
  "(name LIKE 'bloom\\_%' ESCAPE '\\' OR name LIKE 'leveldb\\_%' "    \
  "ESCAPE '\\' OR name LIKE 'crc32c%')"

/* Ends the program if SQLite made an index for a statement that has run, which
** reads the whole table. */
static inline void no_automatic_index(sqlite3_stmt *statement) {
  if (sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_AUTOINDEX, 0) > 0) {
    fprintf(stderr, "an automatic index: %s\n", sqlite3_sql(statement));
    exit(1);
  }
}

/* The result of a statement: the code with which it ended, and every value of
** every row, or the error's message. */
typedef struct answer {
  int code;
  size_t size;
  char text[4096];
} answer;

#ifdef __GNUC__
__attribute__((format(printf, 2, 3)))
#endif
static inline void
answer_append(answer *to, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int n = vsnprintf(to->text + to->size, sizeof(to->text) - to->size,
                          format, arguments);
  va_end(arguments);
  if (n > 0) to->size += (size_t)n;
  if (to->size >= sizeof(to->text)) to->size = sizeof(to->text) - 1;
}

/* Appends a value's bytes or, if there are many, their number and a
** checksum. */
static inline void answer_bytes(answer *to, const unsigned char *bytes, int n) {
  unsigned sum = 0;
  for (int i = 0; i < n; i++) sum = sum * 31 + bytes[i];
  if (n > 64) answer_append(to, "%d bytes, sum %u", n, sum);
  for (int i = 0; n <= 64 && i < n; i++) answer_append(to, "%02x", bytes[i]);
}

static inline void answer_row(answer *to, sqlite3_stmt *statement) {
  for (int i = 0; i < sqlite3_column_count(statement); i++) {
    switch (sqlite3_column_type(statement, i)) {
      case SQLITE_INTEGER:
        answer_append(to, "%lld|",
                      (long long)sqlite3_column_int64(statement, i));
        break;
      case SQLITE_FLOAT:
        answer_append(to, "%.15g|", sqlite3_column_double(statement, i));
        break;
      case SQLITE_NULL:
        answer_append(to, "NULL|");
        break;
      case SQLITE_TEXT:
        answer_append(to, "%s|",
                      (const char *)sqlite3_column_text(statement, i));
        break;
      default:
        answer_bytes(to, sqlite3_column_blob(statement, i),
                     sqlite3_column_bytes(statement, i));
        answer_append(to, "|");
    }
  }
  answer_append(to, "\n");
}

/* 1 while an answer is read. An allocation for this must not be made to fail,
** since it is not the statement's. */
static _Thread_local int reading_answer;

/* Runs a statement to its end. */
static inline void ask(sqlite3 *db, const char *sql, answer *got) {
  sqlite3_stmt *statement = NULL;
  got->size = 0;
  got->text[0] = '\0';
  got->code = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
  while (got->code == SQLITE_OK || got->code == SQLITE_ROW) {
    got->code = sqlite3_step(statement);
    reading_answer = 1;
    if (got->code == SQLITE_ROW) answer_row(got, statement);
    reading_answer = 0;
  }
  reading_answer = 1;
  if (got->code != SQLITE_DONE) {
    got->size = 0;
    answer_append(got, "%s", sqlite3_errmsg(db));
  }
  reading_answer = 0;
  sqlite3_finalize(statement);
}

/* Whether a connection in which something has failed still answers. */
static inline int still_answers(sqlite3 *db) {
  answer got;
  ask(db, "SELECT bloom_build('')", &got);
  return strcmp(got.text, "080004000200118006|\n") == 0;
}

#endif
