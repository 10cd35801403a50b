/*
** Running out of memory. Each statement is run again and again while its first,
** second, third ... allocation fails, until no allocation fails any more; once
** so that only that one fails, and once so that all later ones fail, too. (Of a
** statement that allocates thousands of times, only some of the later ones do.)
** Each run must end with the right answer or with SQLITE_NOMEM, kept filters
** must have lost no row, the connection must still work, and no memory may be
** left once it is closed. Half of the databases are UTF-16, in which reading
** TEXT allocates.
*/
#include "lib/failing.h"
#include "lib/grammar.h"
#include "lib/tap.h"

/* The databases of data/memory.txt, the statements that run there, and queries
** whose rows, if there is one, are what a statement has lost or left behind. */
static const struct list {
  const char *script, *statement, *damage;
} lists[] = {
    {"schema", "statement",
     "SELECT name FROM sqlite_master WHERE name GLOB 'kept_*'"},
    {"kept_schema", "kept",
     "SELECT * FROM lost UNION ALL SELECT problem FROM bloom_check('kept')"},
    {"broken_schema", "broken", "SELECT 1 WHERE 0"},
};

static const char *own_word(const char *word, const char *a, const char *b) {
  (void)word, (void)a, (void)b;
  return NULL;
}

/* The bytes of a database with a schema. Copying them is quicker than making
** the database again for each failure. */
typedef struct image {
  unsigned char *bytes;
  sqlite3_int64 size;
} image;

static image make_image(const char *script, int utf16) {
  sqlite3 *db = open_database();
  if (utf16) run(db, "PRAGMA encoding = 'UTF-16'");
  run(db, script);
  image made;
  made.bytes = sqlite3_serialize(db, "main", &made.size, 0);
  sqlite3_close(db);
  return made;
}

static sqlite3 *open_copy(const image *of) {
  sqlite3 *db = open_database();
  unsigned char *copy = sqlite3_malloc64((sqlite3_uint64)of->size);
  memcpy(copy, of->bytes, (size_t)of->size);
  sqlite3_deserialize(
      db, "main", copy, of->size, of->size,
      SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE);
  run(db, "SELECT * FROM sqlite_master"); /* reads the schema */
  return db;
}

/* Whether a statement has changed its copy or left a transaction open. */
static int changed(sqlite3 *db, const image *of) {
  sqlite3_int64 size;
  const unsigned char *bytes =
      sqlite3_serialize(db, "main", &size, SQLITE_SERIALIZE_NOCOPY);
  return !sqlite3_get_autocommit(db) || size != of->size ||
         memcmp(bytes, of->bytes, (size_t)size) != 0;
}

/* An error may have lost its message: SQLite copies it from the statement to
** the connection, and goes on without it if that allocation fails. */
static int same(const answer *got, const answer *right) {
  return got->code == right->code &&
         (strcmp(got->text, right->text) == 0 ||
          (right->code != SQLITE_DONE &&
           strcmp(got->text, sqlite3_errstr(right->code)) == 0));
}

/* The first allocations, this many, fail one by one. From then on, the number
** of the next one that fails is larger by one part in SOME, since the time of a
** statement would otherwise grow with the square of its allocations. Other ones
** fail in each of the four runs of a statement. Of all these, one in `step`
** does. */
#define EACH 250
#define SOME (fail_all_after ? 60 : 52)
static int step = 1;

/* Runs one statement with allocations failing in turn. */
static void test_statement(const char *sql, const image *database,
                           const char *damage, int utf16) {
  const char *encoding = utf16 ? "UTF-16" : "UTF-8";
  sqlite3 *db = open_copy(database);
  answer right;
  ask(db, sql, &right);
  sqlite3_close(db);

  const sqlite3_int64 used = sqlite3_memory_used();
  const char *wrong = NULL;
  long n = 0;
  do {
    db = open_copy(database);
    n += step * (n < EACH ? 1 : n / (SOME + utf16));
    fail_from(n);
    answer got, damaged = {.text = ""};
    ask(db, sql, &got);
    fail_from(0);
    if (got.code != SQLITE_NOMEM && !same(&got, &right)) {
      wrong = "another answer";
      printf("# got (%d) %s, not (%d) %s\n", got.code, got.text, right.code,
             right.text);
    }
    if (!still_answers(db)) wrong = "the connection does not answer";
    if (changed(db, database)) ask(db, damage, &damaged);
    if (damaged.text[0] != '\0') {
      wrong = "a row is lost, or something is left";
      printf("# (%d) %s\n", damaged.code, damaged.text);
    }
    if (sqlite3_close(db) != SQLITE_OK) wrong = "the connection does not close";
    if (sqlite3_memory_used() != used) wrong = "memory is lost";
  } while (failed_here && wrong == NULL);
  ok(wrong == NULL, "%s, %s: %s%s%s", encoding,
     fail_all_after ? "from one on" : "one", sql, wrong == NULL ? "" : " -- ",
     wrong == NULL ? "" : wrong);
  if (wrong != NULL) printf("# at allocation %ld\n", n);
}

static void test_list(const struct list *list, int utf16) {
  const image database = make_image(one_of(list->script, "", ""), utf16);
  for (size_t i = 0; i < form_count; i++) {
    if (strcmp(forms[i].name, list->statement) != 0) continue;
    test_statement(expand(forms[i].sql, "", ""), &database, list->damage,
                   utf16);
  }
  sqlite3_free(database.bytes);
}

int main(int argc, char **argv) {
  if (argc > 1) step = atoi(argv[1]);
  read_forms("tests/data/memory.txt", NULL);
  use_failing_memory();
  /* This keeps the extension loaded, so that each load is quick. */
  sqlite3 *first = open_database();
  for (fail_all_after = 0; fail_all_after < 2; fail_all_after++) {
    for (int utf16 = 0; utf16 < 2; utf16++) {
      for (size_t i = 0; i < COUNT(lists); i++) test_list(&lists[i], utf16);
    }
  }
  sqlite3_close(first);
  ok(sqlite3_memory_used() == 0, "no memory is left at the end");
  fprintf(stderr, "# %ld failures injected\n", failures);
  return tap_done();
}
