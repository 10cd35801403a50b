#include "run.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "../compat.h"
#include "../token.h"

/* ---- A query. */

int sql_read_query(const char *argument, sqlite3_value *value, sql_trial *trial,
                   char **problem) {
  *problem = NULL;
  const int type = sqlite3_value_type(value);
  if (type != SQLITE_TEXT && type != SQLITE_BLOB) {
    *problem = sql_argument_text(
        argument, "a SELECT, as TEXT or the bytes of a file", value, NULL);
    return *problem == NULL ? SQLITE_NOMEM : SQLITE_ERROR;
  }
  const void *bytes = type == SQLITE_TEXT ? sqlite3_value_text(value)
                                          : sqlite3_value_blob(value);
  const size_t size = (size_t)sqlite3_value_bytes(value);
  if (bytes == NULL && (size > 0 || type == SQLITE_TEXT)) return SQLITE_NOMEM;
  trial->text = sqlite3_malloc64(size + 1);
  if (trial->text == NULL) return SQLITE_NOMEM;
  if (size > 0) memcpy(trial->text, bytes, size);
  trial->text[size] = 0;
  /* A file may begin with the mark of UTF-8, which not all versions skip. */
  if (strncmp(trial->text, "\xef\xbb\xbf", 3) == 0) memset(trial->text, ' ', 3);
  if (strlen(trial->text) == size) return SQLITE_OK;
  *problem = sqlite3_mprintf("%s must be text in UTF-8 without NUL characters",
                             argument);
  return SQLITE_ERROR;
}

/* Names a statement's parameters. */
static char *parameters_problem(const char *argument, sqlite3_stmt *statement) {
  sqlite3_str *text = sqlite3_str_new(NULL);
  const int count = sqlite3_bind_parameter_count(statement);
  sqlite3_str_appendf(text, "%s must have values instead of parameters, has",
                      argument);
  for (int i = 1; i <= count && i <= 20; i++) {
    const char *name = sqlite3_bind_parameter_name(statement, i);
    sqlite3_str_appendf(text, "%s %s", i == 1 ? "" : ",",
                        name == NULL ? "?" : name);
  }
  return sqlite3_str_finish(text);
}

/* Finds what makes a prepared statement one that is not tried. */
static int check_statement(const char *argument, sqlite3_stmt *statement,
                           const char *tail, char **problem) {
  sql_token token = {.kind = TOKEN_OTHER, .start = ";"};
  while (token.kind != TOKEN_END && *token.start == ';') {
    token = sql_next_token(&tail);
  }
  if (token.kind != TOKEN_END) {
    *problem =
        sqlite3_mprintf("%s must be one statement, but more follows: '%.40s'",
                        argument, token.start);
  } else if (!sqlite3_stmt_readonly(statement)) {
    *problem = sqlite3_mprintf("%s must only read, but writes", argument);
  } else if (sqlite3_bind_parameter_count(statement) > 0) {
    *problem = parameters_problem(argument, statement);
  } else {
    return SQLITE_OK;
  }
  return *problem == NULL ? SQLITE_NOMEM : SQLITE_ERROR;
}

int sql_prepare_query(sqlite3 *db, const char *argument, sql_trial *trial,
                      char **problem) {
  const char *tail = trial->text;
  const sql_token first = sql_next_token(&tail);
  *problem = NULL;
  if (!sql_token_is(first, "SELECT") && !sql_token_is(first, "VALUES") &&
      !sql_token_is(first, "WITH")) {
    *problem = sqlite3_mprintf(
        "%s must begin with SELECT, VALUES or WITH, "
        "begins with '%.40s'",
        argument, first.start);
    return *problem == NULL ? SQLITE_NOMEM : SQLITE_ERROR;
  }
  const int rc =
      sqlite3_prepare_v2(db, trial->text, -1, &trial->statement, &tail);
  if (rc == SQLITE_OK) {
    return check_statement(argument, trial->statement, tail, problem);
  }
  if (rc == SQLITE_NOMEM || rc == SQLITE_INTERRUPT) return rc;
  *problem = sqlite3_mprintf("%s: %s", argument, sqlite3_errmsg(db));
  return *problem == NULL ? SQLITE_NOMEM : rc;
}

void sql_end_trial(sql_trial *trial) {
  sqlite3_finalize(trial->statement);
  sqlite3_free(trial->text);
  trial->statement = NULL;
  trial->text = NULL;
}

/* ---- A row as a number. */

/* Multiplies twice: the highest bit of a product is that of the factor, so that
** after one product three bits of the next word could make up for it. */
static inline uint64_t mix_word(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
  hash = (hash ^ hash >> 32) * 0xff51afd7ed558ccdu;
  return hash ^ hash >> 32;
}

static uint64_t mix_bytes(uint64_t hash, const unsigned char *bytes, int size) {
  uint64_t word;
  hash = mix_word(hash, (uint64_t)size);
  for (; size >= 8; size -= 8, bytes += 8) {
    memcpy(&word, bytes, 8);
    hash = mix_word(hash, word);
  }
  word = 0;
  if (size > 0) memcpy(&word, bytes, (size_t)size);
  return mix_word(hash, word);
}

/* Mixes a column's value and type. If there is no memory for it, the
** statement's next step, or its end, is SQLITE_NOMEM. */
static void mix_column(sqlite3_stmt *row, int column, uint64_t *hash) {
  const int type = sqlite3_column_type(row, column);
  const unsigned char *bytes;
  uint64_t word;
  double real;
  int size;
  *hash = mix_word(*hash, (uint64_t)type);
  switch (type) {
    case SQLITE_INTEGER:
      *hash = mix_word(*hash, (uint64_t)sqlite3_column_int64(row, column));
      break;
    case SQLITE_FLOAT:
      real = sqlite3_column_double(row, column) + 0.0; /* -0.0 is 0.0 */
      memcpy(&word, &real, 8);
      *hash = mix_word(*hash, word);
      break;
    case SQLITE_NULL:
      break;
    default:
      bytes = type == SQLITE_TEXT ? sqlite3_column_text(row, column)
                                  : sqlite3_column_blob(row, column);
      size = bytes == NULL ? 0 : sqlite3_column_bytes(row, column);
      *hash = mix_bytes(*hash, bytes, size);
      break;
  }
}

uint64_t sql_hash_row(sqlite3_stmt *row, uint64_t seed) {
  const int columns = sqlite3_column_count(row);
  uint64_t hash = seed;
  for (int i = 0; i < columns; i++) mix_column(row, i, &hash);
  /* As MurmurHash3 ends (fmix64). */
  hash = (hash ^ hash >> 33) * 0xff51afd7ed558ccdu;
  hash = (hash ^ hash >> 33) * 0xc4ceb9fe1a85ec53u;
  return hash ^ hash >> 33;
}

/* Reads each column, as a program would. */
static void read_row(sqlite3_stmt *row) {
  const int columns = sqlite3_column_count(row);
  for (int i = 0; i < columns; i++) {
    switch (sqlite3_column_type(row, i)) {
      case SQLITE_INTEGER:
        sqlite3_column_int64(row, i);
        break;
      case SQLITE_FLOAT:
        sqlite3_column_double(row, i);
        break;
      case SQLITE_TEXT:
        sqlite3_column_text(row, i);
        break;
      default:
        sqlite3_column_blob(row, i);
    }
  }
}

/* ---- Running it. */

/* So many ticks of the clock tell how long something took. */
#define ENOUGH_TICKS 8

sqlite3_int64 sql_now(void) {
#ifdef TIME_UTC
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  return (sqlite3_int64)now.tv_sec * 1000000000 + now.tv_nsec;
#else
  sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
  double days = 0; /* since 4714 BC: counted from 1970, as above, they fit */
  vfs->xCurrentTime(vfs, &days);
  return (sqlite3_int64)((days - 2440587.5) * 86400e9);
#endif
}

double sql_ms_since(sqlite3_int64 start) {
  return (double)(sql_now() - start) / 1e6;
}

/* How long the first run may take beside that of plain. */
static double longest_run(const sql_trial *plain) {
  return plain == NULL           ? INFINITY
         : plain->first_ms > 500 ? 2 * plain->first_ms
                                 : 1000;
}

int sql_first_run(sql_trial *trial, const sql_trial *plain) {
  const double longest = longest_run(plain);
  const sqlite3_int64 start = sql_now();
  trial->sum = (sql_row_sum){.rows = 0};
  while (!trial->stopped && sqlite3_step(trial->statement) == SQLITE_ROW) {
    trial->sum.rows++;
    trial->sum.hashes += sql_hash_row(trial->statement, trial->seed);
    trial->stopped = sql_ms_since(start) > longest;
  }
  const int rc = sqlite3_reset(trial->statement);
  trial->first_ms = sql_ms_since(start);
  return rc;
}

/* How many milliseconds pass from one tick of the clock to the next, which are
** up to 15.6, or 0 if it stands still. */
static double ms_of_tick(void) {
  sqlite3_int64 last = sql_now();
  for (int i = 0, ticks = 0; i < 10000000; i++) {
    const sqlite3_int64 now = sql_now();
    if (now > last && ticks++ > 0) return (double)(now - last) / 1e6;
    last = now;
  }
  return 0;
}

/* Reads all rows, and sets *ms to how long that took: the mean of as many runs
** as take at least so long. It is negative if the clock was set back. */
static int time_run(sql_trial *trial, double least_ms, double *ms) {
  const sqlite3_int64 start = sql_now();
  double passed;
  int runs = 0, rc;
  do {
    while (sqlite3_step(trial->statement) == SQLITE_ROW) {
      read_row(trial->statement);
    }
    rc = sqlite3_reset(trial->statement);
    passed = sql_ms_since(start);
    runs++;
  } while (rc == SQLITE_OK && passed >= 0 && passed < least_ms);
  *ms = passed / runs;
  return rc;
}

int sql_run_in_turn(sql_trial *const *trials, int count, double ms_in_all) {
  const double least_ms = ENOUGH_TICKS * ms_of_tick();
  const sqlite3_int64 start = sql_now();
  for (int turn = 0; least_ms > 0 && turn < MAX_TIMES &&
                     (turn < 2 || sql_ms_since(start) < ms_in_all);
       turn++) {
    for (int i = 0; i < count; i++) {
      sql_trial *trial = trials[i];
      double ms;
      const int rc = time_run(trial, least_ms, &ms);
      if (rc != SQLITE_OK) return rc;
      if (ms > 0) trial->times[trial->timed++] = ms;
    }
  }
  return SQLITE_OK;
}

bool sql_same_sum(const sql_trial *a, const sql_trial *b) {
  return a->sum.rows == b->sum.rows && a->sum.hashes == b->sum.hashes;
}

double sql_median(sql_trial *trial) {
  double *times = trial->times;
  for (int i = 1; i < trial->timed; i++) {
    const double time = times[i];
    int at = i;
    for (; at > 0 && times[at - 1] > time; at--) times[at] = times[at - 1];
    times[at] = time;
  }
  const int middle = trial->timed / 2;
  return trial->timed == 0       ? -1
         : trial->timed % 2 == 1 ? times[middle]
                                 : (times[middle - 1] + times[middle]) / 2;
}

double sql_times_as_fast(sql_trial *plain, sql_trial *trial) {
  const double plain_ms = sql_median(plain), ms = sql_median(trial);
  return plain_ms > 0 && ms > 0 ? plain_ms / ms : 0;
}
