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
#include "lib/sql.h"
#include "lib/tap.h"

#define BUILT "(SELECT bloom_build(x) FROM few)"

static const char *const statements[] = {
    /* bloom_build: every number of arguments, keys of every type, no keys, one
    ** chunk of hashes and several. */
    "SELECT bloom_build(x) FROM few",
    "SELECT bloom_build(x, 10.0, '1000') FROM few",
    "SELECT bloom_build(NULL, 7, 100)",
    "SELECT x % 3, bloom_build(x, 5) FROM many GROUP BY 1",
    "SELECT bloom_build(a.x * 1031 + b.x, 10, 1000) FROM many a, many b "
    "WHERE b.x <= 70 AND a.x <= 30",
    /* A filter that is filled region by region, with scratch memory that is
    ** larger than a chunk of hashes. */
    "SELECT bloom_build(a.x * 1031 + b.x, 100) FROM many a, many b "
    "WHERE a.x <= 720 AND b.x <= 720",
    "SELECT bloom_build(x, 0) FROM few",
    "SELECT bloom_build(x, 'ten') FROM few",
    "SELECT bloom_build(x, 10, 0) FROM few",
    "SELECT bloom_build(x, 10, zeroblob(7)) FROM few",
    "SELECT bloom_build(x, x) FROM many",
    "SELECT bloom_build(x, 10, x) FROM many",
    "SELECT bloom_build(x, 100, 1000000000) FROM many",
    /* bloom_build_distinct: the same, and a chunk that grows. */
    "SELECT bloom_build_distinct(x) FROM few",
    "SELECT bloom_build_distinct(1) FROM few WHERE x = 'none'",
    "SELECT x % 3, bloom_build_distinct(x / 2, 5) FROM many GROUP BY 1",
    "SELECT bloom_build_distinct(x, x) FROM many",
    "SELECT bloom_build_distinct(a.x * 1031 + b.x, 100) FROM many a, many b "
    "WHERE a.x <= 420 AND b.x <= 420",
    /* bloom_may_match: a BLOB, a handle, none; keys of every type. */
    "SELECT bloom_may_match(x, " BUILT ") FROM few",
    "SELECT bloom_may_match(x, (SELECT bloom_open(bloom_build(x)) FROM few)) "
    "FROM few",
    "SELECT bloom_may_match(x, zeroblob(100)) FROM few",
    "SELECT bloom_may_match(zeroblob(100), " BUILT ")",
    "SELECT bloom_may_match(x, NULL) FROM few",
    "SELECT bloom_may_match(x, 'a filter') FROM few",
    "SELECT bloom_may_match(x, f) FROM few, filters",
    /* bloom_open: handles of filters, of NULL, of the same filter twice, more
    ** than the table has room for at first; integers that are not handles. */
    "SELECT bloom_open(NULL)",
    "SELECT typeof(bloom_open(zeroblob(9)))",
    "SELECT bloom_open(1)",
    "SELECT bloom_open(1.5)",
    "SELECT bloom_may_match(x, bloom_open(f)) FROM few, filters",
    "SELECT bloom_may_match(x, (SELECT bloom_open(zeroblob(9)))) FROM few",
    "SELECT count(DISTINCT bloom_open(CAST(x % 40 AS BLOB))) FROM many "
    "WHERE x <= 50",
    "INSERT INTO opened SELECT bloom_open(f), x FROM few, filters",
    /* Filters in parts. */
    "SELECT bloom_part(zeroblob(100), '7')",
    "SELECT bloom_part(x, x) FROM few",
    "SELECT bloom_may_match(x, (SELECT bloom_open(part, 5, f) FROM parts)) "
    "FROM few",
    "SELECT bloom_may_match(x, h) FROM few, (SELECT bloom_open(part, 5, "
    "bloom_open(f)) AS h FROM parts GROUP BY part / 5)",
    "SELECT typeof(bloom_open(0, 1, zeroblob(100000)))",
    "SELECT bloom_open(part, 6, f) FROM parts",
    "SELECT bloom_open(part / 2, 5, f) FROM parts",
    "SELECT bloom_open(part, 4, f) FROM parts",
    "SELECT bloom_open(part, 5, part) FROM parts",
    "SELECT bloom_open(part, part + 5, f) FROM parts",
    "SELECT bloom_add((SELECT bloom_open(part, 5, f) FROM parts), 'x')",
    /* bloom_build_parts: the same as bloom_build; bloom_bytes. */
    "SELECT hex(bloom_bytes(bloom_build_parts(x, 3), 1)) FROM few",
    "SELECT bloom_build_parts(1, 7) FROM few WHERE x = 'none'",
    "SELECT bloom_may_match(1, bloom_build_parts(NULL, 7, 7, 100))",
    "SELECT sum(length(bloom_bytes(h, m.x))) FROM many m, "
    "(SELECT bloom_build_parts(x, 400) AS h FROM many) WHERE m.x < 9",
    "SELECT x % 3, hex(bloom_bytes(bloom_build_parts(x, 3, 5), 2)) FROM many "
    "GROUP BY 1",
    "SELECT bloom_build_parts(x, 0) FROM few",
    "SELECT bloom_build_parts(x, x) FROM many",
    "SELECT bloom_build_parts(x, 2, x) FROM many",
    "SELECT bloom_build_parts(x, 2, 10, x) FROM many",
    "SELECT bloom_build_parts(x, 2, 100, 1000000000) FROM many",
    "INSERT INTO opened SELECT bloom_build_parts(x, 2), 1 FROM few",
    "SELECT hex(bloom_bytes(f)), hex(bloom_bytes(bloom_open(f), 0)) "
    "FROM filters",
    "SELECT bloom_bytes(zeroblob(100), 1)",
    "SELECT bloom_bytes('a filter')",
    "SELECT bloom_bytes((SELECT bloom_open(part, 5, f) FROM parts))",
    /* bloom_add, bloom_merge */
    "SELECT bloom_add(" BUILT ", x) FROM few",
    "SELECT bloom_add(bloom_open(f), x) FROM few, filters",
    "SELECT bloom_add(zeroblob(1), 1)",
    "SELECT bloom_add(x'00ff', 1)",
    "SELECT bloom_add(zeroblob(9), zeroblob(9))",
    "SELECT bloom_add('a filter', 1)",
    "SELECT bloom_merge(f) FROM filters",
    "SELECT bloom_merge(bloom_open(f)) FROM filters WHERE length(f) = 9",
    "SELECT bloom_merge(x) FROM few",
    "SELECT bloom_merge(NULL) FROM few",
    "SELECT bloom_merge(x'ff') FROM few",
    /* bloom_info, bloom_keys */
    "SELECT bloom_keys(f), bloom_keys(bloom_open(f)) FROM filters",
    "SELECT bloom_keys(zeroblob(9)), bloom_keys((SELECT bloom_open(part, 5, "
    "f) FROM parts))",
    "SELECT bloom_keys('a filter')",
    "SELECT * FROM bloom_info(" BUILT ")",
    "SELECT i.*, hex(i.filter) FROM filters, bloom_info(f) i",
    "SELECT i.bytes FROM filters, bloom_info(bloom_open(f)) i",
    "SELECT keys FROM bloom_info(NULL)",
    "SELECT keys FROM bloom_info(zeroblob(9)) WHERE filter > x''",
    "SELECT keys FROM bloom_info",
    "SELECT keys FROM bloom_info('a filter')",
    /* Kept filters: every kind of column, and each error. What
    ** calls that succeed leave when they fail is in tests/kept_test.c. */
    "SELECT bloom_drop_parts('kept', 'folded')",
    "SELECT bloom_drop_blocks('few', 'x')",
    "SELECT bloom_create_parts('none', 'name')",
    "SELECT bloom_create_parts('seen', 'name')",
    "SELECT bloom_create_parts(7, 'name')",
    "SELECT bloom_create_parts('kept', 'none')",
    "SELECT bloom_create_parts('kept', 7)",
    "SELECT bloom_create_parts('kept', 'folded')",
    "SELECT bloom_create_parts('taken', 'a')",
    "SELECT bloom_create_parts('kept', 'name', 'ten')",
    "SELECT bloom_create_blocks('kept', 'name', 10, 0)",
    "SELECT bloom_create_blocks('few', 'x')",
    "SELECT bloom_create_blocks('kept', 'id')",
    "SELECT bloom_drop_parts('kept', 'none')",
    "SELECT bloom_drop_parts(7, 'none')",
    "SELECT bloom_is_kept('parts', 'kept', 'name')",
    "SELECT bloom_is_kept('whole', 'kept', 'name')",
    "SELECT bloom_build_kept('kept', 'name', 1, 10, 100)",
    "SELECT bloom_build_kept('kept', 7, 1, 10, 100)",
    "SELECT bloom_check()",
    "SELECT * FROM bloom_check",
    "SELECT * FROM bloom_check('few')",
    "SELECT * FROM bloom_check(7)",
    "INSERT INTO opened SELECT bloom_create_parts('kept', 'name'), 1",
    /* Queries that are tried. Their times differ. */
    "SELECT ifnull(same, 1), plain_rows FROM bloom_compare("
    "'SELECT x FROM few', 'SELECT x FROM few ORDER BY 1')",
    "SELECT ifnull(same, 0), plain_rows FROM bloom_compare("
    "'SELECT x FROM few', "
    "CAST('SELECT x''00'' || x FROM few LIMIT 3' AS BLOB))",
    "SELECT ifnull(same, 1) FROM bloom_compare("
    "'SELECT 0.1 + 0.2', 'SELECT 0.3')",
    "SELECT same FROM bloom_compare('SELECT :a, ?', 'SELECT 1')",
    "SELECT same FROM bloom_compare('SELECT 1', 'SELECT none')",
    "SELECT same FROM bloom_compare('SELECT 1', 7)",
    "SELECT same FROM bloom_compare('SELECT 1')",
    "SELECT bloom_compare('SELECT 1', 'SELECT 1')",
    /* The mirror of a schema; sets with conditions of each kind, a list and a
    ** table joined in; a filter that is kept; rows that say why there is
    ** none. */
    "SELECT probe, \"set\", sql FROM bloom_advise('SELECT count(*) FROM probed "
    "JOIN few ON few.x = probed.f JOIN keys ON probed.k = keys.k JOIN keys AS "
    "o ON o.n = keys.n WHERE keys.j LIKE ''a%'' AND keys.n IN (1, 2) AND o.j "
    "IN (''a'', ''b'') AND keys.r < 1.5 AND keys.k IS NOT NULL')",
    "SELECT probe, \"set\", sql FROM bloom_advise('WITH o AS (SELECT 1) SELECT "
    "* FROM probed, o WHERE k IN (SELECT k FROM seen_keys)', 1000)",
    "SELECT probe FROM bloom_advise('SELECT * FROM probed LEFT JOIN keys "
    "USING (k) WHERE probed.k NOT IN (SELECT j FROM keys)')",
    "SELECT advice FROM bloom_advise('SELECT * FROM none')",
    "SELECT advice FROM bloom_advise('SELECT 1 FROM keys JOIN probed AS p ON "
    "keys.k = p.k WHERE abs(keys.n - 9223372036854775807 - 2) = 1')",
    "SELECT * FROM bloom_advise('SELECT 1', 'soon')",
    "SELECT * FROM bloom_advise(7)",
    "SELECT * FROM bloom_advise",
    /* Planning, hash, checksums, version. */
    "SELECT bloom_bits_per_key(0.01), bloom_bits_per_key('0.01', 1000)",
    "SELECT bloom_bits_per_key(0.01, 4000000000)",
    "SELECT bloom_bits_per_key(0.9, x) FROM few WHERE x = 7",
    "SELECT bloom_bits_per_key(1e-9, 50000000)",
    "SELECT bloom_bits_per_key('often')",
    "SELECT bloom_bits_per_key(0.01, 'many')",
    "SELECT bloom_false_positive_rate(10), bloom_false_positive_rate('10', 9)",
    "SELECT bloom_false_positive_rate(2, 1000), "
    "bloom_false_positive_rate(10, 0)",
    "SELECT bloom_false_positive_rate(101)",
    "SELECT bloom_false_positive_rate(10, -1)",
    "SELECT leveldb_hash(x), leveldb_hash(x, '7') FROM few",
    "SELECT leveldb_hash(zeroblob(100))",
    "SELECT leveldb_hash(x, -1) FROM few",
    "SELECT leveldb_fixed32(7), leveldb_fixed64('-7')",
    "SELECT leveldb_fixed32(-1)",
    "SELECT leveldb_fixed64(1e300)",
    "SELECT crc32c(x), crc32c('7', x) FROM few",
    "SELECT crc32c(zeroblob(100000))",
    "SELECT crc32c(x, 1) FROM few",
    "SELECT crc32c_mask('7'), crc32c_unmask('7')",
    "SELECT crc32c_mask(zeroblob(1))",
    "SELECT crc32c_unmask('masked')",
    "SELECT bloom_version()",
    /* In a schema. */
    "INSERT INTO checked(x) VALUES('a key') RETURNING crc",
    "SELECT x FROM few JOIN filters ON bloom_may_match(x, f) ORDER BY 1",
};

static const char schema[] =
    "CREATE TABLE few(x);"
    "INSERT INTO few VALUES('hello'), (x'00ff'), (7), (2.5), (NULL),"
    "  ('a key that is longer than the forty characters of an error message');"
    "CREATE TABLE many(x INTEGER PRIMARY KEY);"
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1030)"
    "  INSERT INTO many SELECT i FROM n;"
    "CREATE TABLE filters(f);"
    "INSERT INTO filters SELECT bloom_build(x, 10) FROM few;"
    "INSERT INTO filters SELECT bloom_build('other', 10);"
    "INSERT INTO filters SELECT bloom_build(x, 10) FROM many;"
    "INSERT INTO filters VALUES(x'00ff'), (NULL);"
    "CREATE TABLE parts(part, f);"
    "INSERT INTO parts SELECT rowid - 1, f FROM filters;"
    "CREATE TABLE kept(id INTEGER PRIMARY KEY AUTOINCREMENT,"
    "  name TEXT NOT NULL DEFAULT 'none', upper TEXT AS (upper(name)),"
    "  folded TEXT COLLATE NOCASE);"
    "CREATE VIEW seen AS SELECT * FROM kept;"
    "CREATE TABLE taken(a);"
    "CREATE TABLE taken_a_parts(b);"
    "CREATE TABLE opened(h, x);"
    "CREATE TRIGGER probes BEFORE INSERT ON opened BEGIN"
    "  SELECT bloom_may_match(NEW.x, NEW.h), bloom_may_match(NEW.x,"
    "    bloom_open(f)) FROM filters; SELECT RAISE(IGNORE); END;"
    "CREATE TABLE checked(x, crc AS (crc32c(x)) STORED,"
    "  CHECK(leveldb_hash(x) <> 1));"
    "CREATE TABLE probed(k TEXT, f);"
    "CREATE TABLE keys(k TEXT, j TEXT, n INTEGER, r REAL);"
    "CREATE VIEW seen_keys AS SELECT k FROM keys WHERE j < 'b';"
    "INSERT INTO probed VALUES('a', 7), ('b', 2.5);"
    "INSERT INTO keys VALUES('a', 'a', 1, 0.5);";

/* Statements that write rows of a table with kept filters: the parts grow, and
** a block is closed. */
static const char *const kept_statements[] = {
    "INSERT INTO kept(k) VALUES('a'), ('b'), ('c'), ('d'), ('e')",
    "INSERT OR FAIL INTO kept(k) VALUES('a'), ('b'), ('c'), ('d'), ('e')",
    "UPDATE kept SET k = 'other ' || k WHERE id IN (1, 7, 12)",
};

static const char kept_schema[] =
    "CREATE TABLE kept(id INTEGER PRIMARY KEY, k);"
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 12)"
    "  INSERT INTO kept SELECT i, 'key ' || i FROM n;"
    "SELECT bloom_create_parts('kept', 'k');"
    "SELECT bloom_create_blocks('kept', 'k', 12, 8);"
    "UPDATE kept_k_parts SET keys = room;"
    "CREATE VIEW lost AS SELECT g.id FROM kept AS g"
    "  WHERE bloom_may_match(k, (SELECT filter FROM kept_k_filter)) IS NOT 1"
    "    OR NOT EXISTS (SELECT 1 FROM kept_k_spans AS s"
    "      WHERE g.id BETWEEN s.first AND s.last"
    "        AND ifnull(bloom_may_match(g.k, s.f), 1))";

/* Statements that say what is wrong with kept filters, or exclude nothing
** because of it. */
static const char *const broken_statements[] = {
    "SELECT filter FROM broken_k_filter",
    "SELECT * FROM broken_k_part",
    "SELECT first, last, f FROM broken_k_spans",
    "SELECT * FROM bloom_check",
    "SELECT form, problem FROM bloom_check('moved', 'k')",
};

static const char broken_schema[] =
    "CREATE TABLE broken(id INTEGER PRIMARY KEY, k, l);"
    "CREATE TABLE moving(k);"
    "INSERT INTO moving VALUES('one'), ('two');"
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 40)"
    "  INSERT INTO broken SELECT i, 'key ' || i, i FROM n;"
    "SELECT bloom_create_parts('broken', 'k', 10, 4000);"
    "SELECT bloom_create_parts('broken', 'l');"
    "SELECT bloom_create_blocks('broken', 'k', 12, 8);"
    "SELECT bloom_create_parts('moving', 'k');"
    "DELETE FROM broken_k_parts WHERE part = 2;"
    "UPDATE broken_k_blocks SET f = x'06' WHERE block = 2;"
    "DROP TRIGGER broken_k_blocks_insert;"
    "CREATE TRIGGER newer AFTER INSERT ON broken BEGIN SELECT 1; END;"
    "ALTER TABLE moving RENAME TO moved;";

/* The statements, the databases in which they run, and queries whose rows, if
** there is one, are what a statement has lost or left behind. */
static const struct list {
  const char *const *statements;
  size_t count;
  const char *script;
  const char *damage;
} lists[] = {
    {statements, COUNT(statements), schema,
     "SELECT name FROM sqlite_master WHERE name GLOB 'kept_*'"},
    {kept_statements, COUNT(kept_statements), kept_schema,
     "SELECT * FROM lost UNION ALL SELECT problem FROM bloom_check('kept')"},
    {broken_statements, COUNT(broken_statements), broken_schema,
     "SELECT 1 WHERE 0"},
};

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

/* The first allocations, this many, fail one by one, and then one in SOME:
** other ones in each of the four runs of a statement. */
#define EACH 250
#define SOME (fail_all_after ? 16 : 19)

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
    n += n < EACH ? 1 : SOME + utf16;
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
  const image database = make_image(list->script, utf16);
  for (size_t i = 0; i < list->count; i++) {
    test_statement(list->statements[i], &database, list->damage, utf16);
  }
  sqlite3_free(database.bytes);
}

int main(void) {
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
