/*
** The job of sql/garbage.sql on random tables: columns of random types and
** collations, keys in random forms. The statements are those of the recipe,
** from its first BEGIN to its COMMIT.
**
** A blob and a reference with the same number belong together, whatever forms
** their keys have. The job must not delete a blob that SQLite's `=` finds for a
** reference, and must leave each reference a blob that belongs to it. If it
** cannot, its first query must say so, and nothing may be deleted. The test
** must notice planted faults.
**
** usage: garbage [WORLDS [SEED]]
*/
#include <stdint.h>

#include "lib/random.h"
#include "lib/sql.h"
#include "lib/tap.h"

static sqlite3 *db;

/* ---- The recipe's statements, with a word for the seed. */

static char job[8192];

static void replace(char *text, const char *old, const char *new) {
  char *at = strstr(text, old);
  if (at == NULL || strlen(text) + strlen(new) - strlen(old) >= sizeof(job)) {
    fprintf(stderr, "sql/garbage.sql has no \"%s\"\n", old);
    exit(1);
  }
  memmove(at + strlen(new), at + strlen(old), strlen(at + strlen(old)) + 1);
  memcpy(at, new, strlen(new));
}

static void read_job(void) {
  char *recipe = read_file("sql/garbage.sql");
  const char *start = strstr(recipe, "\nBEGIN IMMEDIATE;");
  const char *end = start == NULL ? NULL : strstr(start, "\nCOMMIT;");
  if (end == NULL) {
    fprintf(stderr, "sql/garbage.sql has no transaction\n");
    exit(1);
  }
  snprintf(job, sizeof(job), "%.*s\nCOMMIT;", (int)(end - start), start);
  free(recipe);
}

/* Keeps what the job's only query says. */
static int keep_number(void *said, int columns, char **values, char **names) {
  (void)columns, (void)names;
  *(sqlite3_int64 *)said = atoll(values[0]);
  return 0;
}

/* Runs the job; returns what its first query says. */
static sqlite3_int64 run_job(const char *statements, uint32_t seed) {
  char text[sizeof(job)], with_seed[40];
  sqlite3_int64 said = NO_ROW;
  snprintf(text, sizeof(text), "%s", statements);
  snprintf(with_seed, sizeof(with_seed), "SELECT %lu AS seed",
           (unsigned long)seed);
  replace(text, "SELECT 1 AS seed", with_seed);
  if (sqlite3_exec(db, text, keep_number, &said, NULL) != SQLITE_OK) {
    fprintf(stderr, "%s: %s\n", text, sqlite3_errmsg(db));
    exit(1);
  }
  return said;
}

/* ---- The tables. */

static const char *const types[] = {"TEXT",
                                    "TEXT",
                                    "TEXT COLLATE NOCASE",
                                    "TEXT COLLATE RTRIM",
                                    "INTEGER",
                                    "NUMERIC",
                                    "REAL",
                                    "BLOB",
                                    "",
                                    "",
                                    "COLLATE NOCASE"};

/* The forms of the key of blob number N. Those of one kind are values that
** somebody might take for the same. */
#define FORMS 7
#define DIGEST "printf('%08x%08x', leveldb_hash(N), leveldb_hash(N, 1))"
static const char *const forms[][FORMS] = {
    {DIGEST, "upper(" DIGEST ")",
     "leveldb_fixed32(leveldb_hash(N)) || leveldb_fixed32(leveldb_hash(N, 1))",
     "CAST(" DIGEST " AS BLOB)", DIGEST " || '  '", "' ' || " DIGEST,
     "substr(" DIGEST ", 1, 12)"},
    {"N", "N + 0.0", "'' || N", "'0' || N", "N || '.0'", "N || 'e0'",
     "CAST(N AS BLOB)"},
    {"N + 0.5", "N || '.5'", "N || '.50'", "'0' || N || '.5'",
     "CAST(N || '.5' AS BLOB)", "'+' || N || '.5'", "N || '5e-1'"},
    {"(N << 40) + 1", "(N << 40) + 1.0", "'' || ((N << 40) + 1)",
     "printf('%d.0', (N << 40) + 1)", "CAST((N << 40) + 1 AS BLOB)",
     "leveldb_fixed64((N << 40) + 1)", "printf('%x', (N << 40) + 1)"},
    {"'a' || char(0) || N", "'A' || char(0) || N",
     "CAST('a' || char(0) || N AS BLOB)", "'a' || char(0) || N || ' '",
     "'a' || N", "char(228) || N", "char(196) || N"},
};

/* Fills a table with the keys of the numbers that `condition` selects. All have
** the same form, except that one in `others` has any form. */
static void fill(const char *table, size_t kind, size_t form, int others,
                 int numbers, const char *condition) {
  static const char *const key =
      "CASE form WHEN 0 THEN %s WHEN 1 THEN %s "
      "WHEN 2 THEN %s WHEN 3 THEN %s WHEN 4 THEN %s "
      "WHEN 5 THEN %s WHEN 6 THEN %s END";
  char keys[2048], sql[4096];
  const char *const *f = forms[kind];
  snprintf(keys, sizeof(keys), key, f[0], f[1], f[2], f[3], f[4], f[5], f[6]);
  snprintf(sql, sizeof(sql),
           "INSERT INTO %s(number, hash) "
           "WITH RECURSIVE n(N) AS (SELECT 1 UNION ALL SELECT N + 1 FROM n "
           "  LIMIT %d) "
           "SELECT N, %s FROM (SELECT N, CASE WHEN %d AND random() %% %d = 0 "
           "  THEN abs(random() %% 7) ELSE %d END AS form FROM n WHERE %s)",
           table, numbers, keys, others > 0, others > 0 ? others : 1, (int)form,
           condition);
  run(db, sql);
}

static void make_world(void) {
  db = open_database();
  seed_sqlite(random64());
  if (one_in(4)) run(db, "PRAGMA encoding = 'UTF-16'");
  char sql[512];
  const size_t type = random_below(COUNT(types));
  snprintf(sql, sizeof(sql),
           "CREATE TABLE blob(number INTEGER, hash %s);"
           "CREATE TABLE ref(number INTEGER, hash %s);"
           "%s%s",
           types[type], types[one_in(3) ? random_below(COUNT(types)) : type],
           one_in(3) ? "CREATE INDEX blob_hash ON blob(hash);" : "",
           one_in(3) ? "CREATE INDEX ref_hash ON ref(hash);" : "");
  run(db, sql);
  const int numbers = (int)random_below(one_in(8) ? 1500 : 60) + 1;
  const size_t kind = random_below(COUNT(forms));
  const size_t form = random_below(FORMS);
  fill("blob", kind, form, one_in(4) ? 8 : 0, numbers, "N % 7 > 0");
  if (one_in(6)) fill("blob", kind, form, 2, numbers, "random() % 4 = 0");
  if (one_in(4)) run(db, "INSERT INTO blob VALUES (1, NULL), (-1, NULL)");
  if (!one_in(12)) {
    fill("ref", kind, one_in(5) ? random_below(FORMS) : form,
         one_in(4) ? numbers : 0, numbers,
         one_in(6) ? "N % 2" : "N % 2 AND N % 7");
  }
  if (one_in(4)) run(db, "INSERT INTO ref VALUES (2, NULL)");
  /* What must not be lost: the blobs that `=` finds for a reference, and a blob
  ** for each number of a reference that has one. */
  run(db,
      "CREATE TABLE found AS SELECT rowid AS id FROM blob"
      "  WHERE EXISTS (SELECT * FROM ref WHERE blob.hash = ref.hash);"
      "CREATE TABLE needed AS SELECT DISTINCT number FROM ref"
      "  WHERE hash NOT NULL AND number IN (SELECT number FROM blob);");
}

/* ---- What the job did. */

typedef struct outcome {
  long worlds, said, deleting, dangerous, garbage, left;
} outcome;

/* The rows that are lost, or deleted by a job that should have deleted
** nothing. */
static sqlite3_int64 lost(sqlite3_int64 said, sqlite3_int64 before) {
  const sqlite3_int64 deleted =
      before - integer_of(db, "SELECT count(*) FROM blob");
  const sqlite3_int64 references =
      integer_of(db, "SELECT count(*) FROM ref WHERE hash NOT NULL");
  if (said != 0 || references == 0) return deleted;
  return integer_of(db,
                    "SELECT count(*) FROM found WHERE id NOT IN "
                    "(SELECT rowid FROM blob)") +
         integer_of(db,
                    "SELECT count(*) FROM needed WHERE number NOT IN "
                    "(SELECT number FROM blob)") +
         integer_of(db,
                    "SELECT count(*) FROM ref WHERE hash NOT NULL AND NOT "
                    "EXISTS (SELECT * FROM blob WHERE blob.hash = ref.hash)");
}

#define GARBAGE                                                          \
  "SELECT count(*) FROM blob WHERE hash NOT NULL AND CAST(hash AS BLOB)" \
  " NOT IN (SELECT CAST(hash AS BLOB) FROM ref WHERE hash NOT NULL)"     \
  " AND rowid NOT IN (SELECT id FROM found)"

/* Makes a world and runs the job three times. Returns what was lost. */
static sqlite3_int64 test_world(const char *statements, outcome *total) {
  make_world();
  const sqlite3_int64 before = integer_of(db, "SELECT count(*) FROM blob");
  const sqlite3_int64 endangered = integer_of(
      db,
      "SELECT count(*) FROM blob WHERE number IN (SELECT number FROM needed) "
      "AND NOT bloom_may_match(hash, "
      "  (SELECT bloom_open(bloom_build(hash)) FROM ref))");
  const sqlite3_int64 garbage = integer_of(db, GARBAGE);
  const uint32_t seed = random32();
  sqlite3_int64 wrong = 0;
  for (uint32_t i = 0; i < 3; i++) {
    const sqlite3_int64 rows = integer_of(db, "SELECT count(*) FROM blob");
    const sqlite3_int64 said = run_job(statements, seed + i);
    if (said < 0) wrong++;
    wrong += lost(said, rows);
    if (i > 0) continue;
    total->worlds++;
    total->said += said > 0;
    total->dangerous += endangered > 0;
  }
  const sqlite3_int64 after = integer_of(db, "SELECT count(*) FROM blob");
  total->deleting += after < before;
  if (after < before) {
    total->garbage += garbage;
    total->left += integer_of(db, GARBAGE);
  }
  if (sqlite3_close(db) != SQLITE_OK) wrong++;
  return wrong;
}

static const struct fault {
  const char *old, *new;
} faults[] = {
    {"NOT EXISTS (SELECT * FROM endangered)", "1"},
    {"EXISTS (SELECT * FROM ref WHERE hash NOT NULL)", "1"},
    {"(SELECT bloom_open(f) FROM live)), 0)",
     "(SELECT bloom_open(f) FROM live)), 1)"},
    {"ref LEFT JOIN blob", "ref JOIN blob"},
    {"WHERE ref.hash NOT NULL", "WHERE blob.hash NOT NULL"},
    {"blob.hash = ref.hash", "lower(blob.hash) = lower(ref.hash)"},
};

int main(int argc, char **argv) {
  const long worlds = argc > 1 ? atol(argv[1]) : 1000;
  const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
  outcome total = {0};
  long failures = 0;
  read_job();
  for (long n = 0; n < worlds && failures < 10; n++) {
    random_state = seed + (uint64_t)n * 1000;
    const sqlite3_int64 wrong = test_world(job, &total);
    if (wrong == 0) continue;
    ok(0, "world %ld of seed %llu: %lld rows are lost", n,
       (unsigned long long)seed, wrong);
    failures++;
  }
  ok(failures == 0, "SQLite %s: %ld worlds of seed %llu lose no blob",
     sqlite3_libversion(), total.worlds, (unsigned long long)seed);
  ok(total.said > worlds / 5, "the first query speaks up in %ld", total.said);
  ok(total.dangerous > worlds / 8,
     "in %ld the filter alone would delete a blob in use", total.dangerous);
  ok(total.deleting > worlds / 5, "%ld deletions", total.deleting);
  ok(total.garbage > worlds && total.left * 500 < total.garbage,
     "after three runs %ld blobs of %ld that are garbage are left", total.left,
     total.garbage);

  for (size_t i = 0; i < COUNT(faults); i++) {
    char faulty[sizeof(job)];
    outcome ignored = {0};
    sqlite3_int64 wrong = 0;
    snprintf(faulty, sizeof(faulty), "%s", job);
    replace(faulty, faults[i].old, faults[i].new);
    long n = 0;
    while (wrong == 0 && n < worlds) {
      random_state = seed + (uint64_t)n++ * 1000;
      wrong = test_world(faulty, &ignored);
    }
    ok(wrong > 0, "noticed in world %ld: \"%s\" for \"%s\"", n, faults[i].new,
       faults[i].old);
  }
  return tap_done();
}
