/*
** A filter in parts, kept by triggers as sql/parts.sql does, through random
** changes of its table: inserts, updates, REPLACE, UPSERT, deletions,
** transactions and savepoints, committed or rolled back, parts built anew, one
** or all. A plain table takes the same changes. After each, both must give the
** same row for its key, the one through the filter; and every so often every
** key of the plain table must pass the filter.
**
** usage: parts [OPERATIONS]
*/
#include <stdint.h>

#include "lib/random.h"
#include "lib/sql.h"
#include "lib/tap.h"

#define IDS 2000
#define KEYS 3000

/* Keys have no type of their own, so that numbers, TEXT and BLOBs meet. */
static const char schema[] =
    "PRAGMA trusted_schema = OFF;"
    "CREATE TABLE plain(id INTEGER PRIMARY KEY, key UNIQUE);"
    "CREATE TABLE kept(id INTEGER PRIMARY KEY, key UNIQUE);"
    "CREATE VIEW size AS SELECT 16 AS parts, 60 AS capacity;"
    "CREATE VIEW part_key AS WITH RECURSIVE number(part) AS (SELECT 0 UNION ALL"
    "  SELECT part + 1 FROM number, size WHERE part + 1 < parts)"
    " SELECT bloom_part(key, parts) AS part, key, capacity FROM kept, size"
    "  WHERE key IS NOT NULL"
    " UNION ALL SELECT part, NULL, capacity FROM number, size;"
    "CREATE TABLE filter(part INTEGER PRIMARY KEY, f BLOB NOT NULL);"
    "INSERT INTO filter SELECT part, bloom_build(key, 10, capacity)"
    "  FROM part_key GROUP BY part;"
    "CREATE TRIGGER kept_insert AFTER INSERT ON kept BEGIN"
    "  UPDATE filter SET f = bloom_add(f, NEW.key)"
    "  WHERE part = bloom_part(NEW.key, (SELECT parts FROM size)); END;"
    "CREATE TRIGGER kept_update AFTER UPDATE OF key ON kept BEGIN"
    "  UPDATE filter SET f = bloom_add(f, NEW.key)"
    "  WHERE part = bloom_part(NEW.key, (SELECT parts FROM size)); END;";

/* What is done to both tables, with an id and a key. */
static const char *const changes[] = {
    "INSERT INTO %s VALUES(?1, ?2)",
    "INSERT OR IGNORE INTO %s VALUES(?1, ?2)",
    "REPLACE INTO %s VALUES(?1, ?2)",
    "INSERT INTO %s VALUES(?1, ?2)"
    " ON CONFLICT(id) DO UPDATE SET key = excluded.key",
    "INSERT INTO %s VALUES(?1, ?2)"
    " ON CONFLICT(key) DO UPDATE SET key = key || '+'",
    "UPDATE %s SET key = ?2 WHERE id = ?1",
    "UPDATE OR REPLACE %s SET key = ?2 WHERE id = ?1",
    "UPDATE OR IGNORE %s SET key = key || '.' WHERE id BETWEEN ?1 AND ?1 + 3",
    "UPDATE OR FAIL %s SET key = ?2 WHERE id BETWEEN ?1 AND ?1 + 3",
    "INSERT INTO %s SELECT ?1 + column1, key || column1"
    " FROM (VALUES (1), (2), (3)), %s WHERE id = ?1",
    "DELETE FROM %s WHERE id = ?1",
    "DELETE FROM %s WHERE key = ?2",
    "DELETE FROM %s WHERE id BETWEEN ?1 AND ?1 + 9",
};
#define CHANGES (sizeof(changes) / sizeof(*changes))

static sqlite3 *db;
static sqlite3_stmt *plain_changes[CHANGES], *kept_changes[CHANGES];
static sqlite3_stmt *plain_lookup, *kept_lookup, *one_part;
static long refused, rollbacks, rebuilds;

/* A statement in which each %s stands for the table. */
static sqlite3_stmt *prepare_for(const char *sql, const char *table) {
  char *text = sqlite3_mprintf(sql, table, table);
  sqlite3_stmt *statement = prepare(db, text);
  sqlite3_free(text);
  return statement;
}

/* A key of any type; few enough that they meet again. */
static void bind_key(sqlite3_stmt *statement, size_t key) {
  char text[32];
  const int length = snprintf(text, sizeof(text), "key %zu", key);
  switch (key % 8) {
    case 0:
      sqlite3_bind_int64(statement, 2, (sqlite3_int64)key);
      break;
    case 1: /* equal to the INTEGER before it */
      sqlite3_bind_double(statement, 2, (double)(key - 1));
      break;
    case 2:
      sqlite3_bind_double(statement, 2, (double)key + 0.25);
      break;
    case 3:
      sqlite3_bind_blob(statement, 2, text, length, SQLITE_TRANSIENT);
      break;
    case 4:
      if (key % 128 == 4) {
        sqlite3_bind_null(statement, 2);
        break;
      } /* fall through */
    default:
      sqlite3_bind_text(statement, 2, text, length, SQLITE_TRANSIENT);
  }
}

/* How a change of a table with this id and key ends. */
static int changed(sqlite3_stmt *statement, size_t id, size_t key) {
  sqlite3_bind_int64(statement, 1, (sqlite3_int64)id);
  bind_key(statement, key);
  sqlite3_step(statement);
  return sqlite3_reset(statement);
}

/* 1 where a lookup through the filter gives what the plain table gives. */
static int same_row(size_t key) {
  bind_key(plain_lookup, key);
  bind_key(kept_lookup, key);
  return first_integer(plain_lookup) == first_integer(kept_lookup);
}

/* One change of both tables, which both take or refuse. */
static int change(void) {
  const size_t which = random_below(CHANGES);
  const size_t id = 1 + random_below(IDS), key = random_below(KEYS);
  const int plain = changed(plain_changes[which], id, key);
  const int kept = changed(kept_changes[which], id, key);
  if (plain != SQLITE_OK) refused++;
  return plain == kept && same_row(key);
}

/* The next step of a transaction, or of a savepoint within one. */
static void transact(void) {
  static int savepoints;
  if (sqlite3_get_autocommit(db)) {
    savepoints = 0;
    run(db, "BEGIN");
    return;
  }
  switch (random_below(6)) {
    case 0:
      run(db, "COMMIT");
      break;
    case 1:
      run(db, "ROLLBACK");
      rollbacks++;
      break;
    case 2:
      if (savepoints == 0) break;
      run(db, "ROLLBACK TO s");
      rollbacks++;
      break;
    case 3:
      if (savepoints == 0) break;
      run(db, "RELEASE s");
      savepoints--;
      break;
    default:
      run(db, "SAVEPOINT s");
      savepoints++;
  }
}

/* All parts anew, and another number of them. */
static void rebuild_all(int parts) {
  char *sql = sqlite3_mprintf(
      "SAVEPOINT rebuild; DROP VIEW size;"
      "CREATE VIEW size AS SELECT %d AS parts, 60 AS capacity;"
      "DELETE FROM filter;"
      "INSERT INTO filter SELECT part, bloom_build(key, 10, capacity)"
      "  FROM part_key GROUP BY part;"
      "RELEASE rebuild",
      parts);
  run(db, sql);
  sqlite3_free(sql);
}

static void rebuild(void) {
  rebuilds++;
  if (random_below(8) == 0) {
    rebuild_all(1 + (int)random_below(64));
  } else {
    sqlite3_bind_int64(one_part, 1, (sqlite3_int64)random_below(64));
    sqlite3_step(one_part);
    sqlite3_reset(one_part);
  }
}

/* The tables are equal, and every key of the plain one passes the filter. */
static int nothing_lost(void) {
  answer got;
  ask(db,
      "SELECT (SELECT count(*) FROM (SELECT * FROM plain"
      "    EXCEPT SELECT * FROM kept)),"
      "  (SELECT count(*) FROM (SELECT * FROM kept"
      "    EXCEPT SELECT * FROM plain)),"
      "  (SELECT count(*) FROM plain WHERE NOT bloom_may_match(key,"
      "    (SELECT bloom_open(part, parts, f) FROM filter, size)))",
      &got);
  if (strcmp(got.text, "0|0|0|\n") == 0) return 1;
  fprintf(stderr, "# %s", got.text);
  return 0;
}

/* The filter must say no to most of what was never there. */
static int still_excludes(void) {
  answer got;
  rebuild_all(64);
  ask(db,
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT"
      "  10000) SELECT avg(bloom_may_match('never ' || i,"
      "    (SELECT bloom_open(part, parts, f) FROM filter, size))) < 0.1"
      " FROM n",
      &got);
  return strcmp(got.text, "1|\n") == 0;
}

int main(int argc, char **argv) {
  const long operations = argc > 1 ? atol(argv[1]) : 50000;
  long done;
  db = open_database();
  run(db, schema);
  for (size_t i = 0; i < CHANGES; i++) {
    plain_changes[i] = prepare_for(changes[i], "plain");
    kept_changes[i] = prepare_for(changes[i], "kept");
  }
  plain_lookup = prepare(db, "SELECT id FROM plain WHERE key = ?2");
  kept_lookup =
      prepare(db,
              "SELECT id FROM size CROSS JOIN filter CROSS JOIN kept"
              " WHERE part = bloom_part(?2, parts) AND bloom_may_match(?2, f)"
              " AND key = ?2");
  one_part =
      prepare(db,
              "REPLACE INTO filter SELECT part, bloom_build(key, 10, capacity)"
              " FROM part_key WHERE part = ?1 GROUP BY part");

  random_state = 10;
  int same = 1, kept = 1;
  for (done = 0; same && kept && done < operations; done++) {
    const size_t kind = random_below(1000);
    if (kind < 60) {
      transact();
    } else if (kind < 63) {
      rebuild();
    } else {
      same = change();
    }
    if (done % 1000 == 0) kept = nothing_lost();
  }
  ok(same, "%ld operations: each lookup through the filter finds its row",
     done);
  ok(kept && nothing_lost(), "and no key of the table is lost");
  ok(refused >= done / 100 && rollbacks >= done / 300 &&
         rebuilds >= done / 1000,
     "among them %ld that a constraint refused, %ld rolled back, %ld rebuilds",
     refused, rollbacks, rebuilds);
  ok(still_excludes(), "the filter goes on excluding keys");

  for (size_t i = 0; i < CHANGES; i++) {
    sqlite3_finalize(plain_changes[i]);
    sqlite3_finalize(kept_changes[i]);
  }
  sqlite3_finalize(plain_lookup);
  sqlite3_finalize(kept_lookup);
  sqlite3_finalize(one_part);
  ok(sqlite3_close(db) == SQLITE_OK && sqlite3_memory_used() == 0,
     "no memory is left at the end");
  return tap_done();
}
