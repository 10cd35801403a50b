/* Loading by SQLite itself: all functions are registered, or none, and whatever
** fails meanwhile, no function is called after its code was unmapped. */
#include <dlfcn.h>
#include <sqlite3.h>
#include <string.h>

#include "lib/failing.h"
#include "lib/sql.h"
#include "lib/tap.h"

#define FROM_SQL "SELECT load_extension(?1, 'sqlite3_bloom_init')"

/* A call of each kind of function; each gives 1 if it is registered. */
static const char *const calls[] = {
    "SELECT bloom_may_match('a', (SELECT bloom_open(bloom_build('a'))))",
    "SELECT bloom_may_match('x', bloom_merge(bloom_add(x'000006', 'x')))",
    "SELECT probes = 6 FROM bloom_info(x'000006')",
    "SELECT bloom_part('a', 1) = 0 AND leveldb_hash('a') > 0",
    "SELECT crc32c('123456789') = 0xe3069283",
    "SELECT bloom_bits_per_key(0.01) = 10",
    "SELECT length(bloom_version()) > 0",
};

#define CALLS ((int)COUNT(calls))

/* How many of the calls give 1; the others are errors. */
static int answered(sqlite3 *db) {
  int n = 0;
  for (int i = 0; i < CALLS; i++) {
    answer got;
    ask(db, calls[i], &got);
    n += got.code == SQLITE_DONE && strcmp(got.text, "1|\n") == 0;
  }
  return n;
}

static sqlite3 *open_empty(void) {
  sqlite3 *db;
  if (sqlite3_open(":memory:", &db) != SQLITE_OK) exit(1);
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 1, NULL);
  sqlite3_enable_load_extension(db, 1);
  return db;
}

/* Loads through the C function, or through SQL, while that statement runs. */
static int load(sqlite3 *db, int by_sql, answer *said) {
  said->size = 0;
  said->text[0] = '\0';
  if (!by_sql) {
    char *error = NULL;
    const int rc = sqlite3_load_extension(db, extension_path(), NULL, &error);
    reading_answer = 1;
    if (error != NULL) answer_append(said, "%s", error);
    reading_answer = 0;
    sqlite3_free(error);
    return rc;
  }
  const long n = fail_at;
  fail_from(0);
  sqlite3_stmt *statement = prepare(db, FROM_SQL);
  sqlite3_bind_text(statement, 1, extension_path(), -1, SQLITE_STATIC);
  fail_from(n);
  int rc = sqlite3_step(statement);
  if (rc == SQLITE_ROW) rc = SQLITE_OK;
  reading_answer = 1;
  if (rc != SQLITE_OK) answer_append(said, "%s", sqlite3_errmsg(db));
  reading_answer = 0;
  sqlite3_finalize(statement);
  return rc;
}

/* Each allocation of a load fails in turn. After loading through the C
** function, either all functions are registered or none (all, if SQLite itself
** runs out of memory after they were registered). Through SQL, SQLite cannot
** unregister functions, and those that are left must work; so must those of the
** first load that a second one leaves. */
static void failing_loads(int by_sql, int twice, sqlite3_int64 all) {
  const char *wrong = NULL;
  const sqlite3_int64 used = sqlite3_memory_used();
  long n = 0;
  do {
    sqlite3 *db = open_empty();
    answer said;
    if (twice) load(db, 0, &said);
    fail_from(++n);
    const int rc = load(db, by_sql, &said);
    fail_from(0);
    const sqlite3_int64 registered = integer_of(db, COUNT_FUNCTIONS);
    const int working = answered(db);
    if (rc == SQLITE_OK && (registered != all || working != CALLS)) {
      wrong = "it was loaded, but something is missing";
    } else if (!by_sql && !twice && !(registered == 0 && working == 0) &&
               !(registered == all && working == CALLS)) {
      wrong = "it was not loaded, but some functions are left";
    } else if (rc != SQLITE_OK && !failed_here && !(by_sql && twice)) {
      wrong = "it does not load";
    } else if (rc != SQLITE_OK && load(db, 0, &said) != SQLITE_OK) {
      wrong = "it cannot be loaded afterwards";
    } else if (answered(db) != CALLS) {
      wrong = "it was loaded in the end, but something is missing";
    }
    if (sqlite3_close(db) != SQLITE_OK) wrong = "the connection does not close";
    if (sqlite3_memory_used() != used) wrong = "memory is lost";
  } while (failed_here && wrong == NULL);
  ok(wrong == NULL && n > all, "%s%s, %s of %ld allocations fails%s%s",
     by_sql ? "load_extension() in SQL" : "sqlite3_load_extension",
     twice ? ", a second time" : "",
     fail_all_after ? "all from one" : "each one", n - 1,
     wrong == NULL ? "" : ": ", wrong == NULL ? "" : wrong);
  if (wrong != NULL) printf("# at allocation %ld\n", n);
}

static void other_crc32c(sqlite3_context *context, int argc,
                         sqlite3_value **argv) {
  (void)argc, (void)argv;
  sqlite3_result_text(context, "other", -1, SQLITE_STATIC);
}

/* Another extension has registered one of our names. */
static void taken_name(sqlite3_int64 all) {
  sqlite3 *db = open_empty();
  answer said;
  add_function(db, "CRC32C", 1, other_crc32c);
  ok(load(db, 1, &said) != SQLITE_OK &&
         strstr(said.text, "this connection has crc32c already") != NULL,
     "while a statement runs, a name that is taken is an error: %s", said.text);
  ok(integer_of(db, COUNT_FUNCTIONS) == 1 && answered(db) == 0 &&
         integer_of(db, "SELECT crc32c(1) = 'other'") == 1,
     "nothing is registered then, and the other function still works");
  ok(load(db, 0, &said) == SQLITE_OK && answered(db) == CALLS &&
         integer_of(db, COUNT_FUNCTIONS) == all,
     "otherwise the extension that is loaded last gets the name");
  ok(sqlite3_close(db) == SQLITE_OK, "the connection closes");

  db = open_empty();
  sqlite3_create_function(db, "crc32c", -1, SQLITE_UTF8, NULL, other_crc32c,
                          NULL, NULL);
  sqlite3_create_function(db, "crc32c", 1, SQLITE_UTF16LE, NULL, other_crc32c,
                          NULL, NULL);
  ok(load(db, 1, &said) == SQLITE_OK && answered(db) == CALLS,
     "a function with another number of arguments or encoding is no conflict");
  sqlite3_close(db);
}

/* Connections are opened and closed; what is loaded in one is not affected by
** the others. */
static void many_loads(void) {
  answer said;
  sqlite3 *first = open_empty();
  int right = load(first, 0, &said) == SQLITE_OK;
  sqlite3_stmt *statement =
      prepare(first,
              "SELECT bloom_may_match(column1, (SELECT bloom_open("
              "bloom_build('hello')))) FROM (VALUES ('hello'), ('x'))");
  right &= sqlite3_step(statement) == SQLITE_ROW;
  const sqlite3_int64 used = sqlite3_memory_used();
  for (int i = 0; i < 300; i++) {
    sqlite3 *db = open_empty();
    if (i % 10 == 0) fail_from(1 + i % 90);
    load(db, i % 3 == 0, &said);
    fail_from(0);
    if (i % 100 == 0) answered(db);
    right &= sqlite3_close(db) == SQLITE_OK;
  }
  right &= sqlite3_memory_used() == used;
  right &= sqlite3_step(statement) == SQLITE_ROW &&
           sqlite3_column_int(statement, 0) == 0;
  sqlite3_finalize(statement);
  right &= answered(first) == CALLS && sqlite3_close(first) == SQLITE_OK;
  ok(right, "300 loads and closes while a statement runs");
}

int main(void) {
  use_failing_memory();
  sqlite3 *db = open_empty();
  answer said;
  const sqlite3_int64 none = integer_of(db, COUNT_FUNCTIONS);
  load(db, 0, &said);
  const sqlite3_int64 all = integer_of(db, COUNT_FUNCTIONS);
  ok(none == 0 && all > 20 && answered(db) == CALLS, "%lld functions",
     (long long)all);
  sqlite3_close(db);
  /* An extension that is loaded already would make later loads quick, but hide
  ** that SQLite closes the file. So nothing else keeps it open here. */
  for (fail_all_after = 0; fail_all_after < 2; fail_all_after++) {
    for (int by_sql = 0; by_sql < 2; by_sql++) {
      failing_loads(by_sql, 0, all);
      failing_loads(by_sql, 1, all);
    }
  }
  taken_name(all);
  many_loads();
  char file[4200];
  snprintf(file, sizeof(file), "%s.so", extension_path());
  void *mapped = dlopen(file, RTLD_NOW | RTLD_NOLOAD);
  ok(mapped != NULL, "the file stays mapped once it has been loaded");
  if (mapped != NULL) dlclose(mapped);
  sqlite3_shutdown();
  ok(sqlite3_memory_used() == 0, "no memory is left at the end");
  return tap_done();
}
