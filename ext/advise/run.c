#include "run.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "../compat.h"
#include "../token.h"

/* ---- A query. */

int sql_read_query(sql_trial *trial, sqlite3_value *value) {
  const int type = sqlite3_value_type(value);
  if (type != SQLITE_TEXT && type != SQLITE_BLOB) {
    trial->problem = sql_argument_text(
        trial->name, "a SELECT, as TEXT or the bytes of a file", value, NULL);
    return SQLITE_ERROR;
  }
  const void *bytes = type == SQLITE_TEXT ? sqlite3_value_text(value)
                                          : sqlite3_value_blob(value);
  const size_t size = (size_t)sqlite3_value_bytes(value);
  if (bytes == NULL && (size > 0 || type == SQLITE_TEXT)) return SQLITE_NOMEM;
  char *text = sql_arena_allocate(trial->arena, size + 1);
  if (text == NULL) return SQLITE_NOMEM;
  if (size > 0) memcpy(text, bytes, size);
  /* A file may begin with the mark of UTF-8, which not all versions skip. */
  if (strncmp(text, "\xef\xbb\xbf", 3) == 0) memset(text, ' ', 3);
  trial->text = trial->given = text;
  if (strlen(text) == size) return SQLITE_OK;
  trial->problem = sqlite3_mprintf(
      "%s must be text in UTF-8 without NUL characters", trial->name);
  return SQLITE_ERROR;
}

int sql_prepare_trial(sqlite3 *db, sql_trial *trial) {
  const char *tail = trial->text;
  const int rc =
      sqlite3_prepare_v2(db, trial->text, -1, &trial->statement, &tail);
  trial->length = (int)(tail - trial->text);
  /* Where this is no semicolon of SQL, it is one of a comment. */
  if (trial->length > 0 && tail[-1] == ';') trial->length--;
  return rc;
}

int sql_prepare_query(sql_trial *trial) {
  const char *tail = trial->text;
  sql_token token = sql_next_token(&tail);
  if (!sql_token_is(token, "SELECT VALUES WITH")) {
    trial->problem = sqlite3_mprintf(
        "%s must begin with SELECT, VALUES or WITH, begins with '%.*s'",
        trial->name, sql_bytes_shown(token.start), token.start);
    return SQLITE_ERROR;
  }
  const int rc = sql_prepare_trial(trial->db, trial);
  if (rc == SQLITE_NOMEM || rc == SQLITE_INTERRUPT) return rc;
  if (rc != SQLITE_OK) {
    trial->problem =
        sqlite3_mprintf("%s: %s", trial->name, sqlite3_errmsg(trial->db));
    return rc;
  }
  tail = trial->text + trial->length;
  while ((token = sql_next_token(&tail)).kind != TOKEN_END &&
         *token.start == ';') {
  }
  if (token.kind != TOKEN_END) {
    trial->problem =
        sqlite3_mprintf("%s must be one statement, but more follows: '%.*s'",
                        trial->name, sql_bytes_shown(token.start), token.start);
  } else if (!sqlite3_stmt_readonly(trial->statement)) {
    trial->problem =
        sqlite3_mprintf("%s must only read, but writes", trial->name);
  } else {
    return SQLITE_OK;
  }
  return SQLITE_ERROR;
}

/* ---- A row as a number. */

/* Multiplies twice: the highest bit of a product is that of the factor, so that
** after one product three bits of the next word could make up for it. */
static inline uint64_t mix_word(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
  hash = (hash ^ hash >> 32) * 0xff51afd7ed558ccdu;
  return hash ^ hash >> 32;
}

static uint64_t mix_bytes(uint64_t hash, byte_span span) {
  const unsigned char *bytes = span.data;
  uint64_t word = 0;
  hash = mix_word(hash, span.size);
  for (; span.size >= 8; span.size -= 8, bytes += 8) {
    memcpy(&word, bytes, 8);
    hash = mix_word(hash, word);
  }
  word = 0;
  memcpy(&word, bytes, span.size);
  return mix_word(hash, word);
}

uint64_t sql_hash_row(sqlite3_stmt *row, int first, bool reals, uint64_t seed) {
  const int columns = sqlite3_column_count(row);
  uint64_t hash = seed;
  sql_key key;
  for (int i = first; i < columns; i++) {
    sqlite3_value *value = sqlite3_column_value(row, i);
    const int type = sqlite3_value_type(value);
    hash = mix_word(hash, (uint64_t)type);
    if ((reals || type != SQLITE_FLOAT) &&
        sql_read_key(value, &key) == VALUE_READ) {
      hash = mix_bytes(hash, key.bytes);
    }
  }
  /* As MurmurHash3 ends (fmix64). */
  hash = (hash ^ hash >> 33) * 0xff51afd7ed558ccdu;
  hash = (hash ^ hash >> 33) * 0xc4ceb9fe1a85ec53u;
  return hash ^ hash >> 33;
}

/* ---- Running it. */

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

sqlite3_int64 sql_in_ms(double ms) {
  const double most = 1e15; /* some 30 years: the sum stays an integer */
  return sql_now() + (sqlite3_int64)((ms < most / 1e6 ? ms * 1e6 : most));
}

void sql_until(sqlite3_context *context, int argc, sqlite3_value **argv) {
  sqlite3_int64 time;
  (void)argc;
  if (!sql_integer_argument(context, "time", INT64_MIN, INT64_MAX, NULL,
                            argv[0], &time)) {
    return;
  }
  if (sql_now() < time) {
    sqlite3_result_value(context, argv[1]);
  } else {
    sql_error(context, SQLITE_ABORT, "the time has passed");
  }
}

/* The milliseconds since then in which the process had a processor, or 0 if
** its clock has begun anew. */
static double processor_ms_since(clock_t start) {
  return fmax((double)clock() - (double)start, 0) * 1e3 / CLOCKS_PER_SEC;
}

int sql_first_run(sql_trial *trial, sqlite3_int64 until, uint64_t seed) {
  const clock_t processor = clock();
  const sqlite3_int64 start = sql_now();
  while (!trial->stopped && sqlite3_step(trial->statement) == SQLITE_ROW) {
    trial->rows++;
    trial->hashes += sql_hash_row(trial->statement, 0, true, seed);
    trial->stopped = sql_now() > until;
  }
  const int rc = sqlite3_reset(trial->statement);
  trial->first_ms = sql_ms_since(start);
  trial->first_processor_ms = processor_ms_since(processor);
  if (rc != SQLITE_ABORT || sql_now() < until) return rc;
  trial->stopped = true;
  return SQLITE_OK;
}

/* A time is the mean of as many runs as show so many ticks of the clock, or
** take so many milliseconds; or of this many, if the clock stands still. */
#define ENOUGH_TICKS 8
#define ENOUGH_MS 125
#define MOST_RUNS 10000

/* Reads all rows, as a program would, and notes how long that took. Nothing is
** noted if the clock stood still, or was set back. */
static int time_run(sql_trial *trial) {
  const int columns = sqlite3_column_count(trial->statement);
  const clock_t processor = clock();
  const sqlite3_int64 start = sql_now();
  sqlite3_int64 now = start, last;
  int runs = 0, ticks = 0, rc;
  do {
    while (sqlite3_step(trial->statement) == SQLITE_ROW) {
      for (int i = 0; i < columns; i++) {
        const int type = sqlite3_column_type(trial->statement, i);
        if (type == SQLITE_TEXT) sqlite3_column_text(trial->statement, i);
        if (type == SQLITE_BLOB) sqlite3_column_blob(trial->statement, i);
      }
    }
    rc = sqlite3_reset(trial->statement);
    last = now;
    now = sql_now();
    ticks += now > last;
    runs++;
  } while (rc == SQLITE_OK && now >= last && ticks < ENOUGH_TICKS &&
           now - start < ENOUGH_MS * 1000000 && runs < MOST_RUNS);
  const double processor_ms = processor_ms_since(processor);
  if (rc != SQLITE_OK || now <= start) return rc;
  trial->turns++;
  trial->times[trial->timed] = (double)(now - start) / 1e6 / runs;
  trial->processor[trial->timed++] = processor_ms / runs;
  return rc;
}

/* Notes the time of the first run of trials for which no other is known. */
static void note_first_times(sql_trial *const *trials, int count) {
  for (int i = 0; i < count; i++) {
    sql_trial *trial = trials[i];
    if (trial->timed > 0) continue;
    trial->times[0] = trial->first_ms;
    trial->processor[0] = trial->first_processor_ms;
    trial->timed = 1;
  }
}

int sql_run_in_turn(sql_trial *const *trials, int count, double ms_in_all,
                    sqlite3_int64 until) {
  const sqlite3_int64 start = sql_now();
  for (int turn = 0;
       turn < MAX_TIMES && (turn < 2 || sql_ms_since(start) < ms_in_all);
       turn++) {
    for (int i = 0; i < count; i++) {
      sql_trial *trial = trials[i];
      const int timed = trial->timed;
      if (sql_in_ms(trial->first_ms) > until) {
        note_first_times(trials, count);
        return SQLITE_OK;
      }
      const int rc = time_run(trial);
      if (rc != SQLITE_OK || trial->timed == timed) return rc;
    }
  }
  return SQLITE_OK;
}

/* The median of so many times, which it sorts. */
static double median_of(double *times, int count) {
  for (int i = 1; i < count; i++) {
    const double time = times[i];
    int at = i;
    for (; at > 0 && times[at - 1] > time; at--) times[at] = times[at - 1];
    times[at] = time;
  }
  const int middle = count / 2;
  return count == 0       ? -1
         : count % 2 == 1 ? times[middle]
                          : (times[middle - 1] + times[middle]) / 2;
}

double sql_median(sql_trial *trial) {
  return median_of(trial->times, trial->timed);
}

double sql_times_as_fast(sql_trial *plain, sql_trial *trial) {
  const double plain_ms = sql_median(plain), ms = sql_median(trial);
  return plain_ms > 0 && ms > 0 ? plain_ms / ms : 0;
}

double sql_surely_as_fast(sql_trial *plain, sql_trial *trial) {
  double faster = sql_times_as_fast(plain, trial);
  if (faster == 0) return 0;
  const double plain_ms = median_of(plain->processor, plain->timed);
  const double ms = median_of(trial->processor, trial->timed);
  faster = fmin(faster, plain->times[0] / trial->times[0]);
  /* A query that mostly waits for a disk is not told by its processor time. */
  return ms > 0 && plain->processor[0] > plain->times[0] / 2
             ? fmin(faster, plain_ms / ms)
             : faster;
}

double sql_shortest(sql_trial *trial) {
  sql_trial *const trials[] = {trial};
  note_first_times(trials, 1);
  sql_median(trial);
  median_of(trial->processor, trial->timed);
  return trial->processor[0] > 0 ? trial->processor[0] : trial->times[0];
}
