/*
** Attacks on a row that is just being written: the filter's BEFORE trigger has
** added its key, but the row is not in the table yet. Then another trigger or a
** function inserts rows, so that the parts grow and a block is closed without
** the row. The filter's AFTER trigger adds the key again, unless another
** trigger ends the row before. Each way to insert is combined with each way to
** end the row and with each statement.
*/
#include "kept.h"
#include "plant.h"

#define INSERT_MANY                                         \
  " WHEN NEW.id < 100 AND (SELECT armed FROM switch) BEGIN" \
  "  UPDATE switch SET armed = 0;"                          \
  "  INSERT INTO t SELECT rowid + 1000, c FROM many; END;"

/* A function of the program inserts, which the SQL of a trigger does not
** show. */
#define BY_FUNCTION                                               \
  "CREATE TRIGGER first BEFORE INSERT ON t WHEN NEW.id BETWEEN 1" \
  " AND 99 BEGIN SELECT insert_many(); END;"

static void insert_many(sqlite3_context *context, int argc,
                        sqlite3_value **argv) {
  (void)argc, (void)argv;
  sqlite3_exec(sqlite3_context_db_handle(context),
               "INSERT INTO t SELECT rowid + 1000, c FROM many", NULL, NULL,
               NULL);
}

/* Made before the filters, so that these run after the filters' own. */
static const char *const inserting[] = {
    "CREATE TRIGGER first BEFORE INSERT ON t" INSERT_MANY,
    "CREATE TRIGGER first BEFORE UPDATE ON t" INSERT_MANY,
    "CREATE TRIGGER first AFTER DELETE ON t WHEN (SELECT armed FROM switch)"
    " BEGIN UPDATE switch SET armed = 0;"
    "  INSERT INTO t SELECT rowid + 1000, c FROM many; END;",
    "CREATE TABLE child(id REFERENCES t ON DELETE CASCADE ON UPDATE CASCADE);"
    "INSERT INTO child VALUES(3);"
    "CREATE TRIGGER first AFTER DELETE ON child BEGIN"
    "  INSERT INTO t SELECT rowid + 1000, c FROM many; END;",
    "CREATE TABLE log(c); CREATE TRIGGER second AFTER INSERT ON log BEGIN"
    "  INSERT INTO \"T\" SELECT rowid + 1000, c FROM many; END;"
    "CREATE TRIGGER first BEFORE INSERT ON t WHEN NEW.id < 100"
    " BEGIN INSERT INTO log VALUES(1); END;",
    "CREATE TEMP TRIGGER first BEFORE INSERT ON main.t" INSERT_MANY,
    BY_FUNCTION,
};

/* Made after the filters, so that these run before the filters' own. */
static const char *const ending[] = {
    "",
    "CREATE TRIGGER last AFTER INSERT ON t WHEN NEW.id < 100"
    " BEGIN SELECT RAISE(IGNORE); END;",
    "CREATE TRIGGER last AFTER INSERT ON t WHEN NEW.id < 100"
    " BEGIN SELECT RAISE(FAIL, 'other'); END;",
    "CREATE TRIGGER last AFTER INSERT ON t WHEN NEW.id < 100"
    " BEGIN INSERT INTO taken VALUES(1); END;",
    "CREATE TRIGGER last AFTER UPDATE ON t WHEN NEW.id < 100"
    " BEGIN SELECT RAISE(IGNORE); END;",
    "CREATE TRIGGER last AFTER UPDATE ON t WHEN NEW.id < 100"
    " BEGIN INSERT INTO taken VALUES(1); END;",
    "CREATE TABLE other_child(id REFERENCES t ON UPDATE CASCADE);"
    "INSERT INTO other_child VALUES(3);"
    "CREATE TRIGGER last AFTER UPDATE ON other_child"
    " BEGIN SELECT RAISE(FAIL, 'other'); END;",
    "CREATE TEMP TRIGGER last AFTER INSERT ON main.t WHEN NEW.id < 100"
    " BEGIN SELECT RAISE(IGNORE); END;",
    "CREATE TEMP TRIGGER last AFTER UPDATE ON main.t WHEN NEW.id < 100"
    " BEGIN SELECT RAISE(IGNORE); END;",
};

static const char *const statements[] = {
    "INSERT INTO t VALUES(5, 'new')",
    "INSERT OR FAIL INTO t VALUES(5, 'new')",
    "INSERT OR IGNORE INTO t VALUES(5, 'new')",
    "INSERT OR REPLACE INTO t VALUES(3, 'new')",
    "INSERT OR FAIL INTO t SELECT 5, 'new' UNION ALL SELECT 6, 'newer'",
    "UPDATE t SET c = 'new' WHERE id = 3",
    "UPDATE OR FAIL t SET c = 'new' WHERE id = 3",
    "UPDATE OR FAIL t SET c = 'new', id = 77 WHERE id = 3",
    "UPDATE OR REPLACE t SET c = 'new', id = 2 WHERE id = 3",
    "INSERT INTO t VALUES(3, 'old') ON CONFLICT(id) DO UPDATE SET c = 'new'",
};

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static const char setup[] =
    "PRAGMA foreign_keys = ON; PRAGMA recursive_triggers = ON;"
    "CREATE TABLE t(id INTEGER PRIMARY KEY, c);"
    "INSERT INTO t VALUES(1, 'a'), (2, 'b'), (3, 'c'), (4, 'd');"
    "CREATE TABLE many(c);"
    "INSERT INTO many WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL"
    "  SELECT i + 1 FROM n WHERE i < 100) SELECT 'many ' || i FROM n;"
    "CREATE TABLE switch(armed); INSERT INTO switch VALUES(1);"
    "CREATE TABLE taken(one UNIQUE); INSERT INTO taken VALUES(1);";

static const char filters[] =
    "SELECT bloom_create_parts('t', 'c');"
    "SELECT bloom_create_blocks('t', 'c', 10, 16);";

static const char lost[] =
    "SELECT (SELECT count(*) FROM t WHERE bloom_may_match(c, (SELECT filter"
    "  FROM t_c_filter)) IS 0)"
    " + (SELECT count(*) FROM t WHERE (SELECT max(bloom_may_match(t.c, s.f)"
    "  IS NOT 0) FROM t_c_spans AS s"
    "  WHERE t.id BETWEEN s.first AND s.last) IS NOT 1)";

/* The README names this as a way to lose rows: a function inserts, and a
** constraint ends the row, not RAISE. */
static int is_known(const char *insert, const char *end) {
  return strcmp(insert, BY_FUNCTION) == 0 && end[0] != '\0' &&
         (strstr(end, "RAISE") == NULL || strstr(end, "other_child") != NULL);
}

static int attack(const char *insert, const char *end, const char *statement,
                  long *grown) {
  sqlite3 *db = open_with(":memory:", planted_extension());
  sqlite3_create_function(db, "insert_many", 0, SQLITE_UTF8, NULL, insert_many,
                          NULL, NULL);
  run(db, setup);
  run(db, insert);
  run(db, filters);
  run(db, end);
  sqlite3_exec(db, statement, NULL, NULL, NULL);
  const sqlite3_int64 n = integer_of(db, lost);
  *grown += integer_of(db, "SELECT max(parts) > 1 FROM t_c_parts") == 1;
  sqlite3_close(db);
  return n == 0 || fail("%lld rows lost: %s; %s; %s", (long long)n, insert, end,
                        statement);
}

int withstands(long *attacks, long *grown) {
  int well = 1;
  for (size_t i = 0; i < COUNT(inserting); i++) {
    for (size_t e = 0; e < COUNT(ending); e++) {
      if (is_known(inserting[i], ending[e])) continue;
      for (size_t s = 0; s < COUNT(statements); s++) {
        well &= attack(inserting[i], ending[e], statements[s], grown);
        ++*attacks;
      }
    }
  }
  return well;
}
