/*
** Any values as arguments, for libFuzzer. The first byte chooses a statement
** and a database of UTF-8 or UTF-16; the rest gives its parameters, of any
** type. Each statement states a condition that holds for all values and must
** end with a row in which it is true, or with an error that is allowed. The
** extension is linked statically.
**
** bloom_info's false_positive_rate is left out: it takes a million probes, and
** the core's fuzzer already tests probing.
*/
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bloom_ext.h"
#include "input.h"

/* A statement, in which the first column of every row must be 1 or NULL. */
static const char *const statements[] = {
    "SELECT typeof(bloom_build(v, ?1)) = 'blob' FROM "
    "(SELECT ?2 v UNION ALL SELECT ?3 UNION ALL SELECT ?4)",
    "SELECT length(bloom_build(v, ?1, ?2)) >= 9 FROM "
    "(SELECT ?3 v UNION ALL SELECT ?4)",
    /* No member is lost. */
    "SELECT bloom_may_match(?1, (SELECT bloom_build(v) FROM "
    "(SELECT ?1 v UNION ALL SELECT ?2 UNION ALL SELECT ?3)))",
    "SELECT bloom_may_match(?1, bloom_add(?2, ?1))",
    "SELECT bloom_may_match(?1, bloom_add(bloom_add(?2, ?1), ?3))",
    "SELECT bloom_may_match(?3, bloom_add(?1, ?3)) AND "
    "bloom_may_match(?3, (SELECT bloom_merge(v) FROM "
    "(SELECT bloom_add(?1, ?3) v UNION ALL SELECT ?2))) "
    "WHERE ?1 IS NOT NULL",
    /* Equal values have equal keys. */
    "SELECT leveldb_hash(?1) = leveldb_hash(?2) WHERE ?1 = ?2",
    "SELECT crc32c(?1) = crc32c(CAST(?1 AS TEXT)) "
    "WHERE typeof(?1) <> 'real' AND typeof(?1) <> 'blob'",
    /* A handle stands for its filter. */
    "SELECT bloom_may_match(?1, ?2) = bloom_may_match(?1, bloom_open(?2))",
    "SELECT bloom_may_match(?1, (SELECT bloom_open(?2))) IN (0, 1)",
    "SELECT bloom_add(bloom_open(?1), ?2) = bloom_add(?1, ?2)",
    "SELECT bloom_merge(bloom_open(v)) = ?1 FROM "
    "(SELECT ?1 v UNION ALL SELECT NULL UNION ALL SELECT ?1)",
    /* bloom_info. */
    "SELECT bytes = length(?1) AND bits_set <= bits AND ifnull(keys >= 0, 1) "
    "AND policy = 'leveldb.BuiltinBloomFilter2' AND filter = ?1 "
    "FROM bloom_info(?1)",
    "SELECT i.bits >= 0 AND ifnull(fill BETWEEN 0 AND 1, 1) "
    "FROM (SELECT ?1 v UNION ALL SELECT ?2) JOIN bloom_info(v) i",
    /* Planning. */
    "SELECT bloom_false_positive_rate(bloom_bits_per_key(?1, ?2), ?2) <= ?1 "
    "WHERE ?1 >= 0.01 AND (?2 < 100000 OR ?2 > 1000000000)",
    "SELECT bloom_false_positive_rate(?1, ?2) BETWEEN 0 AND 1 "
    "WHERE ?2 < 100000 OR ?2 > 1000000000",
    "SELECT bloom_bits_per_key(?1) BETWEEN 1 AND 100",
    /* Hash, integers, checksums. */
    "SELECT leveldb_hash(?1, ?2) BETWEEN 0 AND 4294967295",
    "SELECT length(leveldb_fixed32(?1)) = 4",
    "SELECT length(leveldb_fixed64(?1)) = 8",
    "SELECT crc32c(?1, ?2) BETWEEN 0 AND 4294967295",
    "SELECT crc32c(crc32c(?1), ?2) = crc32c(CAST(?1 AS BLOB) || "
    "CAST(?2 AS BLOB)) WHERE typeof(?1) = 'text' AND typeof(?2) = 'text' "
    "AND instr(?1, char(0)) = 0 AND instr(?2, char(0)) = 0",
    "SELECT crc32c_unmask(crc32c_mask(?1)) = ?1 WHERE typeof(?1) = 'integer'",
    "SELECT crc32c_mask(?1) BETWEEN 0 AND 4294967295",
    "SELECT crc32c_unmask(?1) BETWEEN 0 AND 4294967295",
    /* A handle stands for its filter wherever it goes in a query. */
    "WITH c(h) AS (SELECT bloom_open(?2)) SELECT bloom_may_match(?1, a.h) IS "
    "bloom_may_match(?1, ?2) FROM c AS a, c AS b WHERE a.h IS b.h",
    "SELECT bloom_may_match(?1, coalesce(h, ?3)) IS "
    "bloom_may_match(?1, coalesce(?2, ?3)) "
    "FROM (SELECT bloom_open(?2) AS h LIMIT 1)",
    "SELECT bloom_may_match(?1, first_value(bloom_open(v)) OVER (ORDER BY i)) "
    "IS bloom_may_match(?1, ?2) "
    "FROM (SELECT 1 AS i, ?2 AS v UNION ALL SELECT 2, ?3)",
    "SELECT bloom_may_match(?1, (SELECT nullif(bloom_open(?2), ?3))) IN (0, 1)",
    "SELECT bloom_merge(DISTINCT bloom_open(v)) = bloom_merge(v) FROM "
    "(SELECT ?1 v UNION ALL SELECT ?2 UNION ALL SELECT ?1)",
    "SELECT bytes = length(?1) FROM (SELECT bloom_open(?1) AS h LIMIT 1), "
    "bloom_info(h)",
    "INSERT INTO given SELECT ?1, bloom_open(?2), ?2 UNION ALL "
    "SELECT ?3, bloom_open(?2), ?2",
    /* An integer that is near a handle is not one. */
    "SELECT bloom_may_match(?1, bloom_open(?2) + ?3) IN (0, 1)",
    /* Filters in parts. */
    "SELECT bloom_part(?1, ?2) = leveldb_hash(?1, 1) * ?2 >> 32 "
    "AND bloom_part(?1, ?2) BETWEEN 0 AND ?2 - 1",
    "SELECT bloom_may_match(?1, (SELECT bloom_open(p, 3, f) FROM "
    "(SELECT 0 p, ?2 f UNION ALL SELECT 1, ?3 UNION ALL SELECT 2, ?4))) IS "
    "bloom_may_match(?1, CASE bloom_part(?1, 3) WHEN 0 THEN ?2 WHEN 1 THEN ?3 "
    "ELSE ?4 END)",
    "SELECT bloom_may_match(?1, (SELECT bloom_open(p, ?2, ?3) FROM "
    "(SELECT 0 p UNION ALL SELECT 1 UNION ALL SELECT ?4))) IN (0, 1)",
    "SELECT bloom_may_match(?1, bloom_open(?2, ?3, ?4)) IN (0, 1)",
    /* What the views and the triggers of kept filters ask: there are filters of
    ** one table. */
    "SELECT bloom_is_kept(?1, ?2, ?3) = (?2 = 'kept' AND ?3 = 'k')",
    "SELECT bloom_may_match('seven', bloom_build_kept(?1, ?2, ?3, ?4, ?5))",
    /* Keys of one hash count once. */
    "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n LIMIT 700),"
    " k(v) AS (SELECT substr(?2, i % 256, i % 4) FROM n UNION ALL SELECT ?3) "
    "SELECT (SELECT bloom_build_distinct(v, ?1) FROM k) = (SELECT "
    "bloom_build(v, ?1) FROM (SELECT v FROM k GROUP BY leveldb_hash(v)))",
    /* Kept filters, with few parts. */
    "SELECT lower(bloom_create_parts(?1, ?2, ?3, CASE WHEN CAST(?4 AS NUMERIC) "
    "> 9999 THEN 9999 ELSE ?4 END)) = lower(?1 || '_' || ?2 || '_filter')",
    "SELECT lower(bloom_create_blocks(?1, ?2, ?3, ?4)) = "
    "lower(?1 || '_' || ?2 || '_spans')",
    "SELECT bloom_drop_parts(?1, ?2) = 8",
    "SELECT bloom_drop_blocks(?1, ?2) = 5",
    /* A part of a filter that is built in parts is the filter of its keys. */
    "WITH k(v) AS (SELECT ?4 UNION ALL SELECT 'key ' || ?4 UNION ALL SELECT 7) "
    "SELECT bloom_bytes((SELECT bloom_build_parts(v, ?2, ?3) FROM k), ?1) = "
    "(SELECT bloom_build(CASE WHEN bloom_part(v, ?2) = ?1 THEN v END, ?3) "
    "FROM k) WHERE typeof(?1) = 'integer'",
    "WITH k(v) AS (SELECT ?4 UNION ALL SELECT 'key ' || ?4 UNION ALL SELECT 7) "
    "SELECT bloom_bytes((SELECT bloom_build_parts(v, 3, ?2, ?3) FROM k), ?1) = "
    "(SELECT bloom_build(CASE WHEN bloom_part(v, 3) = ?1 THEN v END, ?2, ?3) "
    "FROM k) WHERE typeof(?1) = 'integer'",
    /* bloom_bytes is the inverse of bloom_open. */
    "SELECT bloom_bytes(bloom_open(?1), ?2) = ?1 AND "
    "bloom_bytes(bloom_open(?1)) = bloom_bytes(?1)",
    "SELECT bloom_bytes((SELECT bloom_open(p, 3, f) FROM (SELECT 0 p, ?2 f "
    "UNION ALL SELECT 1, ?3 UNION ALL SELECT 2, ?4)), ?1) = "
    "ifnull(CASE CAST(?1 AS NUMERIC) WHEN 0 THEN ?2 WHEN 1 THEN ?3 ELSE ?4 "
    "END, x'0000')",
    "SELECT bloom_keys(?1) IS (SELECT keys FROM bloom_info(?1)) AND "
    "bloom_keys(bloom_open(?1)) IS bloom_keys(?1)",
    /* Nothing is wrong with the kept filters. */
    "SELECT count(*) = 0 FROM bloom_check(?1, ?2)",
    /* A time that has passed is an error. */
    "SELECT bloom_until(?1, ?2) IS ?2",
    /* A query has its own rows, in any order. */
    "SELECT same FROM bloom_compare('SELECT ' || quote(?1) || ' UNION ALL "
    "SELECT ' || quote(?2), 'SELECT ' || quote(?2) || ' UNION ALL SELECT ' "
    "|| quote(?1))",
    /* A filter is right for whatever values. */
    "SELECT c.same FROM (SELECT 'SELECT x FROM t JOIN kept ON x = k "
    "WHERE k > ' || quote(?1) AS sql) AS q "
    "CROSS JOIN bloom_advise(q.sql, 0.01) AS a "
    "CROSS JOIN bloom_compare(q.sql, coalesce(a.sql, q.sql)) AS c",
    /* Whatever a file of LevelDB holds, it is read. */
    "SELECT kind NOT NULL AND (kind <> 'entry' OR typeof(key) = 'blob' AND "
    "type IN (0, 1) AND sequence NOT NULL) FROM (SELECT 'table' AS f UNION ALL "
    "SELECT 'log' UNION ALL SELECT 'manifest' UNION ALL SELECT 'get' "
    "WHERE ?2 NOT NULL) JOIN leveldb_read(?1, f, ?2, ?3)",
};

/* What is inserted into given goes to a trigger, which checks that no member is
** lost and ignores the row. */
static const char schema[] =
    "CREATE TABLE t(x);"
    "CREATE TABLE kept(id INTEGER PRIMARY KEY, k);"
    "INSERT INTO kept VALUES(7, 'seven');"
    "SELECT bloom_create_parts('kept', 'k');"
    "SELECT bloom_create_blocks('kept', 'k');"
    "CREATE TABLE given(k, h, f);"
    "CREATE TABLE \"odd \"\"name\"(id INTEGER PRIMARY KEY, \"it's\" TEXT, "
    "  k TEXT NOT NULL DEFAULT 'it''s', g AS (k || id));"
    "CREATE TRIGGER given_insert BEFORE INSERT ON given BEGIN "
    "  SELECT RAISE(ABORT, 'lost') WHERE bloom_may_match(NEW.k, NEW.h) IS NOT"
    "    bloom_may_match(NEW.k, NEW.f);"
    "  SELECT RAISE(ABORT, 'lost') WHERE bloom_may_match(NEW.k, NEW.h) IS NOT"
    "    bloom_may_match(NEW.k, bloom_open(NEW.f));"
    "  SELECT RAISE(IGNORE);"
    "END";

#define STATEMENTS (sizeof(statements) / sizeof(*statements))

static sqlite3 *databases[2];
static sqlite3_stmt *prepared[2][STATEMENTS];

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc, (void)argv;
  sqlite3_auto_extension((void (*)(void))sqlite3_bloom_init);
  for (int utf16 = 0; utf16 < 2; utf16++) {
    sqlite3 **db = &databases[utf16];
    sqlite3_open(":memory:", db);
    sqlite3_limit(*db, SQLITE_LIMIT_LENGTH, 1000000);
    sqlite3_exec(*db, utf16 ? "PRAGMA encoding = 'UTF-16'" : "", 0, 0, 0);
    if (sqlite3_exec(*db, schema, 0, 0, 0) != SQLITE_OK) exit(1);
    for (size_t i = 0; i < STATEMENTS; i++) {
      if (sqlite3_prepare_v2(*db, statements[i], -1, &prepared[utf16][i], 0)) {
        fprintf(stderr, "%s: %s\n", statements[i], sqlite3_errmsg(*db));
        exit(1);
      }
    }
  }
  /* A million parts take 50 MB. */
  sqlite3_hard_heap_limit64(128 << 20);
  return 0;
}

/* The next n bytes, or as many as are left. */
static const void *take_bytes(input *in, size_t n, int *got) {
  const void *bytes = in->at;
  if (n > in->left) n = in->left;
  *got = (int)n;
  in->at += n;
  in->left -= n;
  return bytes;
}

static sqlite3_uint64 take_uint64(input *in) {
  sqlite3_uint64 value = 0;
  for (int i = 0; i < 8; i++) value = value << 8 | take_byte(in);
  return value;
}

/* Binds a value: a letter gives its type, the value follows, and a length is
** one byte. */
static void bind_value(sqlite3_stmt *statement, int i, input *in) {
  static const sqlite3_int64 edges[] = {0,
                                        1,
                                        10,
                                        100,
                                        101,
                                        -1,
                                        INT64_MAX,
                                        INT64_MIN,
                                        0xffffffff,
                                        1LL << 32,
                                        99999999,
                                        100000000,
                                        9999999999999999,
                                        10000000000000000};
  static const double reals[] = {0.0,   -0.0,   1.0,    0.01,    0.5,
                                 1e300, -1e300, 0x1p63, -0x1p63, 5e-324};
  int n;
  const void *bytes;
  switch (take_byte(in)) {
    case 'n':
      sqlite3_bind_null(statement, i);
      break;
    case 'i':
      sqlite3_bind_int64(statement, i, (sqlite3_int64)take_uint64(in));
      break;
    case 'd':
      sqlite3_bind_int(statement, i, (int8_t)take_byte(in));
      break;
    case 'e':
      sqlite3_bind_int64(
          statement, i,
          edges[take_byte(in) % (sizeof(edges) / sizeof(*edges))]);
      break;
    case 'r': {
      const sqlite3_uint64 bits = take_uint64(in);
      double real;
      memcpy(&real, &bits, sizeof(real));
      sqlite3_bind_double(statement, i, real);
      break;
    }
    case 'q':
      sqlite3_bind_double(
          statement, i,
          reals[take_byte(in) % (sizeof(reals) / sizeof(*reals))]);
      break;
    case 't':
      bytes = take_bytes(in, take_byte(in), &n);
      sqlite3_bind_text(statement, i, bytes, n, SQLITE_TRANSIENT);
      break;
    case 'u':
      bytes = take_bytes(in, take_byte(in), &n);
      sqlite3_bind_text16(statement, i, bytes, n & ~1, SQLITE_TRANSIENT);
      break;
    case 'z':
      n = take_byte(in);
      sqlite3_bind_zeroblob(statement, i, n * n);
      break;
    default:
      bytes = take_bytes(in, take_byte(in), &n);
      sqlite3_bind_blob(statement, i, bytes, n, SQLITE_TRANSIENT);
      break;
  }
}

static void fail(const char *sql, int code, const char *what) {
  fprintf(stderr, "%s: %d, %s\n", sql, code, what);
  abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  input in = {data, size};
  const uint8_t first = take_byte(&in);
  const size_t which = (first & 0x7f) % STATEMENTS;
  sqlite3 *db = databases[first >> 7];
  sqlite3_stmt *statement = prepared[first >> 7][which];
  const char *sql = statements[which];
  for (int i = 1; i <= sqlite3_bind_parameter_count(statement); i++) {
    bind_value(statement, i, &in);
  }
  /* What a statement changes does not last. */
  sqlite3_exec(db, "BEGIN", 0, 0, 0);
  int code;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    if (sqlite3_column_type(statement, 0) != SQLITE_NULL &&
        sqlite3_column_int(statement, 0) != 1) {
      fail(sql, code, "a row that says no");
    }
  }
  if (code == SQLITE_ERROR || code == SQLITE_ABORT) {
    const char *message = sqlite3_errmsg(db);
    if (strncmp(message, "bloom_", 6) != 0 &&
        strncmp(message, "leveldb_", 8) != 0 &&
        strncmp(message, "crc32c", 6) != 0) {
      fail(sql, code, message);
    }
  } else if (code != SQLITE_DONE && code != SQLITE_TOOBIG) {
    fail(sql, code, sqlite3_errmsg(db));
  }
  sqlite3_reset(statement);
  sqlite3_clear_bindings(statement);
  sqlite3_exec(db, "ROLLBACK", 0, 0, 0);
  return 0;
}
