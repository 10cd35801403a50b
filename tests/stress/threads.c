/*
** Several threads at once. They call the core's functions, which share nothing,
** and build, open, merge and probe in connections of their own. Each thread
** compares its answers with those that a single thread got before. To be run
** under the thread sanitizer.
*/
#include <pthread.h>
#include <stdint.h>

#include "core/bloom.h"
#include "core/crc32c.h"
#include "core/estimate.h"
#include "lib/sql.h"
#include "lib/tap.h"

#define THREADS 8
#define ROUNDS 50

/* ---- The core. */

#define KEYS 1000

typedef struct core_answer {
  uint32_t crc;
  unsigned matches;
  uint64_t bits_set;
} core_answer;

static uint8_t data[4096];
static uint8_t shared_filter[KEYS * 10 / 8 + 1];

static core_answer use_core(void) {
  core_answer got = {0, 0, 0};
  uint8_t filter[sizeof(shared_filter)];
  const void *keys[KEYS];
  size_t sizes[KEYS];
  for (size_t i = 0; i < KEYS; i++) {
    keys[i] = data + i;
    sizes[i] = i % 40;
  }
  bloom_create_filter(keys, sizes, KEYS, 10, filter, NULL);
  got.bits_set = bloom_bits_set(filter, sizeof(filter));
  for (size_t i = 0; i < KEYS; i++) {
    got.matches += (unsigned)bloom_key_may_match(data + i, 41, shared_filter,
                                                 sizeof(shared_filter));
  }
  for (size_t n = 0; n < sizeof(data); n += 61) {
    got.crc = bloom_crc32c_extend(got.crc, data, n);
  }
  for (const bloom_crc32c_kernel *kernel = bloom_crc32c_kernels; kernel->name;
       kernel++) {
    if (kernel->supported() &&
        kernel->extend(0, data, 4096) != bloom_crc32c_value(data, 4096)) {
      got.crc = 0;
    }
  }
  return got;
}

static core_answer core_expected;

static void *core_thread(void *right) {
  for (int i = 0; i < ROUNDS; i++) {
    const core_answer got = use_core();
    if (got.crc != core_expected.crc || got.matches != core_expected.matches ||
        got.bits_set != core_expected.bits_set) {
      *(int *)right = 0;
    }
  }
  return NULL;
}

/* ---- SQL. */

static const char *const statements[] = {
    "SELECT bloom_build(x, 12) FROM n",
    "SELECT sum(bloom_may_match(x * 7, (SELECT bloom_open(bloom_build(x)) "
    "FROM n))) FROM n",
    "SELECT bloom_merge(f) FROM (SELECT bloom_build(x, 10, 1000) f FROM n "
    "GROUP BY x % 3)",
    "SELECT sum(bloom_may_match(x * 7, (SELECT bloom_open(part, 16, f) FROM "
    "(SELECT bloom_part(x, 16) AS part, bloom_build(x) AS f FROM n "
    "GROUP BY 1)))) FROM n",
    "SELECT count(DISTINCT bloom_open(CAST(x % 100 AS BLOB))) FROM n",
    "SELECT bloom_add(bloom_build(x), 'a key') FROM n",
    "SELECT * FROM bloom_info((SELECT bloom_build(x) FROM n WHERE x < 10))",
    "SELECT sum(leveldb_hash(x)), sum(crc32c(hex(x))) FROM n",
    "SELECT bloom_bits_per_key(0.01, 1000), bloom_version()",
    "SELECT bloom_build(x, 0) FROM n",
};

static sqlite3 *open_with_numbers(void) {
  sqlite3 *db = open_database();
  run(db,
      "CREATE TABLE n AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL "
      "SELECT x + 1 FROM n LIMIT 2000) SELECT x FROM n");
  return db;
}

static answer expected[COUNT(statements)];

static void *sql_thread(void *right) {
  for (int i = 0; i < ROUNDS / 10; i++) {
    sqlite3 *db = open_with_numbers();
    for (size_t j = 0; j < COUNT(statements); j++) {
      answer got;
      ask(db, statements[j], &got);
      if (got.code != expected[j].code ||
          strcmp(got.text, expected[j].text) != 0) {
        *(int *)right = 0;
      }
    }
    sqlite3_close(db);
  }
  return NULL;
}

static int run_threads(void *(*thread)(void *)) {
  pthread_t threads[THREADS];
  int right[THREADS];
  int all = 1;
  for (int i = 0; i < THREADS; i++) {
    right[i] = 1;
    if (pthread_create(&threads[i], NULL, thread, &right[i]) != 0) return 0;
  }
  for (int i = 0; i < THREADS; i++) {
    pthread_join(threads[i], NULL);
    all &= right[i];
  }
  return all;
}

int main(void) {
  for (size_t i = 0; i < sizeof(data); i++) {
    data[i] = (uint8_t)(i * i * 2654435761u >> 16);
  }
  for (size_t i = 0; i < sizeof(shared_filter) - 1; i++) {
    shared_filter[i] = data[i + 1000];
  }
  shared_filter[sizeof(shared_filter) - 1] = 3;
  core_expected = use_core();
  ok(run_threads(core_thread), "%d threads in the core", THREADS);

  sqlite3 *db = open_with_numbers();
  for (size_t i = 0; i < COUNT(statements); i++) {
    ask(db, statements[i], &expected[i]);
  }
  ok(run_threads(sql_thread), "%d threads with connections of their own",
     THREADS);
  sqlite3_close(db);
  return tap_done();
}
