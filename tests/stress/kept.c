/*
** Random operations on tables that have a filter in parts and filters of
** blocks. The extension that is loaded has parts with room for a few keys, so
** that they grow all the time. The operations are every kind of statement with
** every conflict clause, savepoints, cascades, recursive triggers on and off,
** two connections in WAL mode, triggers of other programs that end early, rows
** that move, filters that are made again, and what breaks filters: a trigger
** dropped or put back, a table rebuilt as migrations do, rows of a filter
** deleted. Each operation is also applied to a twin, a table of the same form
** in a database of its own without filters.
**
** A world is such a table with its twin. Every few operations, no view may lose
** a row, each row must be in exactly one span, the twin must have the same
** rows, and bloom_check must say nothing unless something was broken. One call
** must repair everything. At the end, filters that are made again must
** exclude keys that never existed.
**
** usage: kept [OPERATIONS [SEED [WORLD]]]    (WORLD: only this world)
** With TRACE=1 in the environment, every statement is printed before it runs.
*/
#include <unistd.h>

#include "lib/random.h"
#include "lib/sql.h"
#include "lib/tap.h"

/* ---- The forms of tables, of which each world has the next one. */

enum table_flag {
  NO_BLOCKS = 1 << 0,       /* it has no INTEGER PRIMARY KEY */
  ID_IS_ROWID = 1 << 1,     /* its ids have no other name than rowid */
  NO_ROWID = 1 << 2,        /* rowid does not name its ids */
  UNIQUE_KEY = 1 << 3,      /* {c} may be the target of an upsert */
  KEY_OF_ID = 1 << 4,       /* {c} is generated from {id} */
  KEY_PARENT = 1 << 5,      /* {c} refers to the table parent */
  ID_PARENT = 1 << 6,       /* {id} refers to the table place */
  SECOND_COLUMN = 1 << 7,   /* filters of the column n are kept as well */
  TWO_CONNECTIONS = 1 << 8, /* it is in a file, in WAL mode */
};

typedef struct kept_table {
  const char *title; /* what is special about it */
  const char *name, *id, *column;
  const char *written; /* the column that is written, if column is generated */
  const char *create;
  int flags;
  int since; /* the first version of SQLite that has such tables, or 0 */
} kept_table;

static const kept_table tables[] = {
    {"a UNIQUE column", "page", "id", "url",
     .create =
         "CREATE TABLE {t}({id} INTEGER PRIMARY KEY, {c} UNIQUE, n INTEGER)",
     .flags = UNIQUE_KEY},
    {"AUTOINCREMENT", "my \"odd\" t", "id", "it's a col",
     .create = "CREATE TABLE {t}({id} INTEGER PRIMARY KEY AUTOINCREMENT,"
               " {c} TEXT, n)"},
    {"two connections", "order", "order", "key",
     .create = "CREATE TABLE {t}({id} INTEGER PRIMARY KEY, {c} TEXT, n)",
     .flags = TWO_CONNECTIONS},
    {"a column that is computed", "made", "id", "c", .written = "x",
     .create = "CREATE TABLE {t}({id} INTEGER PRIMARY KEY, {written} TEXT, n,"
               " {c} TEXT AS (lower({written}) || ifnull(n, '')) VIRTUAL)",
     .since = 3031000},
    {"a column that is computed and stored", "stored", "id", "c",
     .written = "x",
     .create = "CREATE TABLE {t}({id} INTEGER PRIMARY KEY, {written} TEXT, n,"
               " {c} AS ({written} || ':' || {id}) STORED UNIQUE)",
     .flags = UNIQUE_KEY | KEY_OF_ID, .since = 3031000},
    {"NOT NULL and a default", "visit", "id", "block",
     .create = "CREATE TABLE {t}({id} INTEGER PRIMARY KEY,"
               " {c} TEXT NOT NULL DEFAULT 'nobody', n)"},
    {"conflict clauses of its own", "new", "old", "new",
     .create = "CREATE TABLE {t}({id} INTEGER PRIMARY KEY"
               " ON CONFLICT REPLACE, {c} NUMERIC NOT NULL"
               " ON CONFLICT IGNORE UNIQUE ON CONFLICT FAIL, n)",
     /* 3.26.0 crashes when it replaces a row of such a table that has
        ** recursive triggers AFTER DELETE. */
     .since = 3027000},
    {"checks", "old", "new", "old",
     .create = "CREATE TABLE {t}({id} INTEGER PRIMARY KEY,"
               " {c} REAL CHECK ({c} IS NULL OR {c} IS NOT 77.0), n)"},
    {"columns named as a filter's", "parts", "part", "f",
     .create = "CREATE TABLE {t}({id} INTEGER PRIMARY KEY, {c} BLOB UNIQUE,"
               " parts, n)",
     .flags = UNIQUE_KEY},
    {"ids as keys", "key", "key", "key", .written = "n",
     .create = "CREATE TABLE {t}({id} INTEGER PRIMARY KEY, n)",
     .flags = NO_BLOCKS},
    {"columns named rowid", "hidden", "id", "rowid",
     .create = "CREATE TABLE {t}({id} INTEGER PRIMARY KEY, {c},"
               " oid, _rowid_, n)",
     .flags = NO_ROWID},
    {"keys of a parent", "child", "id", "parent",
     .create = "CREATE TABLE {t}({id} INTEGER PRIMARY KEY,"
               " {c} DEFAULT 'nobody' REFERENCES parent(k)"
               "  ON UPDATE CASCADE ON DELETE SET DEFAULT, n)",
     .flags = KEY_PARENT},
    {"ids of a parent", "at", "place", "f",
     .create = "CREATE TABLE {t}({id} INTEGER PRIMARY KEY"
               " REFERENCES place(id) ON UPDATE CASCADE ON DELETE CASCADE"
               "  DEFERRABLE INITIALLY DEFERRED, {c}, n)",
     .flags = ID_PARENT},
    {"two columns", "pair", "id", "a",
     .create = "CREATE TABLE {t}({id} INTEGER PRIMARY KEY, {c} TEXT,"
               " n INTEGER)",
     .flags = SECOND_COLUMN},
    {"STRICT", "strict", "id", "parts",
     .create = "CREATE TABLE {t}({id} INTEGER PRIMARY KEY, {c} ANY, n INT)"
               " STRICT",
     .since = 3037000},
    {"WITHOUT ROWID", "narrow", "id", "key",
     .create = "CREATE TABLE {t}({id} INTEGER, {c} UNIQUE, n,"
               " PRIMARY KEY({id})) WITHOUT ROWID",
     .flags = NO_BLOCKS | NO_ROWID | UNIQUE_KEY},
    {"no INTEGER PRIMARY KEY", "plain", "rowid", "part",
     .create = "CREATE TABLE {t}({c} TEXT, n)",
     .flags = NO_BLOCKS | ID_IS_ROWID},
};

/* ---- The world. */

#define MAX_CONNECTIONS 2
#define TWIN MAX_CONNECTIONS
#define NO_CONNECTION (-1)
#define ROWS_OF_A_BLOCK 16

enum id_range { POSITIVE_IDS, IDS_AROUND_ZERO, EXTREME_IDS, ID_RANGES };

static struct {
  int number;
  const kept_table *table;
  kept_table second; /* the same table with n as the kept column */
  enum id_range ids;
  sqlite3 *kept[MAX_CONNECTIONS], *twin;
  int connections;
  int writer; /* the connection that is in a transaction, or NO_CONNECTION */
  int reader; /* the one in a transaction that has read, or NO_CONNECTION */
  int savepoints;
  bool broken; /* something was broken since the filters were made */
  uint64_t random;
  char failure[1000]; /* the first */
} world;

/* Counts of what has been done, in all worlds. */
static struct {
  long operations, checks, refused, busy, rollbacks, made, broken;
  long grown; /* times that a check found more parts than before */
  long newer; /* changes that this SQLite does not have */
} counts;

static size_t draw_below(size_t n) {
  return (size_t)(random_next(&world.random) % n);
}

#ifdef __GNUC__
__attribute__((format(printf, 1, 2)))
#endif
static bool
fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  if (world.failure[0] == '\0') {
    vsnprintf(world.failure, sizeof(world.failure), format, arguments);
    world.failure[strcspn(world.failure, "\n")] = '\0';
  }
  va_end(arguments);
  return false;
}

static void trace(const char *runner, const char *sql) {
  if (getenv("TRACE") != NULL) fprintf(stderr, "%s: %s;\n", runner, sql);
}

/* The connection that may write, which sees all that has been written. */
static sqlite3 *writable(void) {
  return world.kept[world.writer >= 0 ? world.writer : world.reader == 0];
}

/* ---- SQL with words in braces:
**
**   {t} {c} {id}  the table, the kept column and the table's ids, quoted
**   {'t} {'c}     the table and the column as strings
**   {_NAME}       the object TABLE_COLUMN_NAME, quoted
**   {written}     the column that is written: {c} or, if {c} is generated, its
**                 input
**   {or}          a conflict clause, such as OR IGNORE, or nothing */

static void append_word(sqlite3_str *text, const kept_table *table,
                        const char *word, const char *or_clause) {
  const struct {
    const char *word, *text;
  } words[] = {
      {"t", table->name},
      {"c", table->column},
      {"id", table->id},
      {"written", table->written ? table->written : table->column},
  };
  if (word[0] == '_') {
    sqlite3_str_appendf(text, "\"%w_%w%w\"", table->name, table->column, word);
    return;
  }
  if (strcmp(word, "or") == 0) {
    sqlite3_str_appendall(text, or_clause);
    return;
  }
  for (size_t i = 0; i < COUNT(words); i++) {
    if (strcmp(words[i].word, word + (word[0] == '\'')) != 0) continue;
    sqlite3_str_appendf(text, word[0] == '\'' ? "%Q" : "\"%w\"", words[i].text);
    return;
  }
  fprintf(stderr, "{%s} is not a word\n", word);
  exit(1);
}

/* SQL without such words, for sqlite3_free. */
static char *expanded(const kept_table *table, const char *sql,
                      const char *or_clause) {
  sqlite3_str *text = sqlite3_str_new(NULL);
  for (const char *open; (open = strchr(sql, '{')) != NULL;) {
    char word[40];
    const int length = (int)strcspn(open + 1, "}");
    snprintf(word, sizeof(word), "%.*s", length, open + 1);
    sqlite3_str_append(text, sql, (int)(open - sql));
    append_word(text, table, word, or_clause);
    sql = open + length + 2;
  }
  sqlite3_str_appendall(text, sql);
  return sqlite3_str_finish(text);
}

static sqlite3_stmt *prepare_for(const kept_table *table, sqlite3 *db,
                                 const char *sql) {
  char *text = expanded(table, sql, "");
  sqlite3_stmt *statement = prepare(db, text);
  sqlite3_free(text);
  return statement;
}

static sqlite3_int64 integer_for(sqlite3 *db, const char *sql) {
  sqlite3_stmt *statement = prepare_for(world.table, db, sql);
  const sqlite3_int64 value = first_integer(statement);
  sqlite3_finalize(statement);
  return value;
}

/* Runs SQL on the kept table, and on the twin. Returns whether it succeeded.
** It is a failure of the world if it succeeds on only one of them. */
static bool both(const char *sql) {
  sqlite3 *db = writable();
  char *text = expanded(world.table, sql, "");
  trace("both", text);
  const int kept = sqlite3_exec(db, text, NULL, NULL, NULL);
  const int twin = sqlite3_exec(world.twin, text, NULL, NULL, NULL);
  if (kept != twin) {
    fail("%s: %s, the twin: %s", text, sqlite3_errmsg(db),
         sqlite3_errmsg(world.twin));
  }
  sqlite3_free(text);
  return kept == twin && kept == SQLITE_OK;
}

/* Runs SQL on the kept table alone, which must succeed. */
static bool kept_alone(const kept_table *table, const char *sql) {
  sqlite3 *db = writable();
  char *text = expanded(table, sql, "");
  trace("kept", text);
  const bool done = sqlite3_exec(db, text, NULL, NULL, NULL) == SQLITE_OK ||
                    fail("%s: %s", text, sqlite3_errmsg(db));
  sqlite3_free(text);
  return done;
}

static bool make_filters_of(const kept_table *table) {
  return kept_alone(table, "SELECT bloom_create_parts({'t}, {'c})") &&
         ((table->flags & NO_BLOCKS) ||
          kept_alone(table, "SELECT bloom_create_blocks({'t}, {'c}, 10, 16)"));
}

/* Makes the filters, or makes them again, inside or outside a transaction. */
static bool make_filters(void) {
  counts.made++;
  /* A rollback may bring back what is broken, and a reader may still see it. */
  if (world.writer < 0 && world.reader < 0) world.broken = false;
  return make_filters_of(world.table) &&
         (!(world.table->flags & SECOND_COLUMN) ||
          make_filters_of(&world.second));
}

/* ---- Triggers of other programs. The bits of a number in the table `other`
** tell which are active. */

static const struct {
  const char *event, *when, *statement;
} others[] = {
    {"AFTER INSERT", "1", "SELECT RAISE(IGNORE)"},
    {"AFTER INSERT", "1", "SELECT RAISE(FAIL, 'other')"},
    {"AFTER INSERT", "1", "INSERT INTO taken VALUES(1)"},
    {"AFTER UPDATE", "1", "SELECT RAISE(IGNORE)"},
    {"AFTER UPDATE", "1", "SELECT RAISE(FAIL, 'other')"},
    {"AFTER UPDATE", "1", "INSERT INTO taken VALUES(1)"},
    {"BEFORE INSERT", "1", "SELECT RAISE(IGNORE)"},
    {"BEFORE INSERT", "1", "INSERT INTO taken VALUES(1)"},
    {"BEFORE UPDATE", "1", "SELECT RAISE(FAIL, 'other')"},
    {"AFTER DELETE", "1", "SELECT RAISE(IGNORE)"},
    {"AFTER INSERT", "length(NEW.{written}) < 12",
     "UPDATE {t} SET {written} = {written} || '!' WHERE {id} = NEW.{id}"},
    {"AFTER INSERT", "NEW.{id} BETWEEN 1 AND 200",
     "INSERT INTO {t}({id}, {written}) VALUES(NEW.{id} + 100, NEW.{written})"},
    {"AFTER INSERT", "1", "DELETE FROM {t} WHERE {id} = NEW.{id} - 1"},
    {"AFTER UPDATE", "NEW.{id} BETWEEN 1 AND 50",
     "UPDATE {t} SET {id} = {id} + 333 WHERE {id} = NEW.{id}"},
    {"BEFORE INSERT", "1", "DELETE FROM {t} WHERE {id} > 300"},
    {"BEFORE INSERT", "NEW.{id} BETWEEN 1 AND 200",
     "INSERT INTO {t}({id}, {written}) VALUES(350, 'far')"},
    {"AFTER DELETE", "OLD.{id} BETWEEN 1 AND 200",
     "INSERT INTO {t}({id}, {written}) VALUES(OLD.{id} + 200, OLD.{written})"},
};

/* Each world has this many that are older than the filter's triggers and as
** many that are newer, chosen at random. */
#define OTHERS_OF_A_WORLD 4

/* The trigger that has a bit in this world. In every other world, none that is
** newer than the filter's is an AFTER trigger. */
static size_t other_of(int bit) {
  size_t which = (size_t)(world.number + bit * 5) % COUNT(others);
  if (world.number % 2 == 0 && bit >= OTHERS_OF_A_WORLD) {
    while (strncmp(others[which].event, "BEFORE", 6) != 0) {
      which = (which + 1) % COUNT(others);
    }
  }
  return which;
}

static void make_others(int last) {
  const char *name = last ? "last" : "first";
  for (int i = 0; i < OTHERS_OF_A_WORLD; i++) {
    const int bit = i + last * OTHERS_OF_A_WORLD;
    const size_t which = other_of(bit);
    char *sql = sqlite3_mprintf(
        "DROP TRIGGER IF EXISTS %s%d; CREATE TRIGGER %s%d %s ON {t}"
        " WHEN (SELECT mode & %d FROM other) AND (%s) BEGIN %s; END",
        name, i, name, i, others[which].event, 1 << bit, others[which].when,
        others[which].statement);
    both(sql);
    sqlite3_free(sql);
  }
}

static bool choose_others(void) {
  char sql[80];
  int mode = 0;
  for (size_t n = draw_below(4); n > 0; n--) {
    mode |= 1 << draw_below(2 * OTHERS_OF_A_WORLD);
  }
  snprintf(sql, sizeof(sql), "UPDATE other SET mode = %d", mode);
  both(sql);
  return true;
}

/* ---- One random change of rows, of the kept table and of the twin. */

#define IDS 400
#define KEYS 700

typedef struct kept_change {
  const char *sql;       /* of two ids and two keys */
  int only_for, not_for; /* flags of tables */
  int since;             /* the first version of SQLite that has it, or 0 */
  int sqlite_chooses_id;
} kept_change;

#define INSERT_ROW "INSERT {or} INTO {t}({id}, {written}) VALUES(:id, :key)"
#define NEAR " WHERE {id} BETWEEN :id AND :id + 9"

/* A value that is not an id is an error, which undoes an UPDATE OR FAIL only if
** the table has triggers. The twin may have none, so typeof is tested first. */
static const kept_change changes[] = {
    /* Twice, since most rows are written in this way. */
    {.sql = INSERT_ROW},
    {.sql = INSERT_ROW},
    {.sql = "INSERT {or} INTO {t}({written}) VALUES(:key)",
     .sqlite_chooses_id = 1},
    {.sql = "INSERT {or} INTO {t}({id}, {written}) VALUES(NULL, :key)",
     .sqlite_chooses_id = 1},
    {.sql = INSERT_ROW ", (:other_id, :other_key), (:id / 2, :key)"},
    {.sql = "INSERT {or} INTO {t}({id}, {written})"
            " SELECT {id} + :other_id, {written} FROM {t}" NEAR
            " AND typeof({id} + :other_id) = 'integer'"},
    {.sql = "REPLACE INTO {t}({id}, {written}) VALUES(:id, :key)"},
    {.sql = INSERT_ROW " ON CONFLICT DO NOTHING"},
    {.sql = INSERT_ROW ", (:other_id, :other_key) ON CONFLICT({id})"
                       " DO UPDATE SET {written} = excluded.{written}",
     .not_for = ID_IS_ROWID},
    {.sql = INSERT_ROW " ON CONFLICT({id}) DO UPDATE SET {id} = :other_id"
                       "  WHERE {t}.{written} IS NOT excluded.{written}",
     .not_for = ID_IS_ROWID},
    {.sql = INSERT_ROW " ON CONFLICT({c}) DO UPDATE SET {written} = :other_key",
     .only_for = UNIQUE_KEY},
    {.sql = INSERT_ROW " ON CONFLICT({id}) DO UPDATE SET {written} = :other_key"
                       "  ON CONFLICT DO NOTHING",
     .not_for = ID_IS_ROWID,
     .since = 3035000},
    {.sql = INSERT_ROW ", (:other_id, :other_key) RETURNING {c}",
     .since = 3035000},
    {.sql = "UPDATE {or} {t} SET {written} = :key WHERE {id} = :id"},
    {.sql = "UPDATE {or} {t} SET {written} = :key" NEAR},
    {.sql = "UPDATE {or} {t} SET {written} = {written} || '.'"
            " WHERE length({written}) < 12"
            " AND {id} BETWEEN :id AND :id + 9"},
    {.sql = "UPDATE {or} {t} SET {written} = upper({written})" NEAR},
    {.sql = "UPDATE {or} {t} SET {id} = :other_id WHERE {id} = :id"},
    {.sql = "UPDATE {or} {t} SET rowid = :other_id WHERE rowid = :id",
     .not_for = NO_ROWID},
    {.sql = "UPDATE {or} {t} SET {id} = :other_id, {written} = :key"
            " WHERE {id} = :id"},
    {.sql = "UPDATE {or} {t} SET {id} = {id} + :other_id" NEAR
            " AND typeof({id} + :other_id) = 'integer'"},
    {.sql = "UPDATE {or} {t} SET _rowid_ = -rowid, {written} = :other_key" NEAR
            " AND typeof(-rowid) = 'integer'",
     .not_for = NO_ROWID},
    {.sql = "UPDATE {or} {t} SET n = n || 'n' WHERE length(n) < 9"
            " AND {id} BETWEEN :id AND :id + 9"},
    {.sql = "UPDATE {or} {t} SET {written} = NULL WHERE {id} = :id"},
    {.sql = "UPDATE {or} {t} SET {written} = twice.c, {id} = twice.i FROM"
            "  (SELECT :id AS was, :other_id AS i, :key AS c) AS twice"
            " WHERE {id} = twice.was",
     .since = 3033000},
    {.sql = "UPDATE {or} {t} SET {written} = :key WHERE {id} = :id"
            " RETURNING {id}, {c}",
     .since = 3035000},
    {.sql = "DELETE FROM {t} WHERE {id} = :id"},
    {.sql = "DELETE FROM {t} WHERE {id} BETWEEN :id AND :id + 9"},
    {.sql = "DELETE FROM {t} WHERE {c} = :key RETURNING {c}", .since = 3035000},
    {.sql = "DELETE FROM {t} WHERE {id} > (SELECT max({id}) - 20 FROM {t})"},
    {.sql = "INSERT {or} INTO parent VALUES(:key)", .only_for = KEY_PARENT},
    {.sql = "UPDATE {or} parent SET k = :key WHERE k = :other_key"
            " OR k = (SELECT {c} FROM {t} WHERE {id} = :id)",
     .only_for = KEY_PARENT},
    {.sql = "DELETE FROM parent WHERE k = (SELECT {c} FROM {t}"
            "  WHERE {id} = :id) AND k <> 'nobody'",
     .only_for = KEY_PARENT},
    {.sql = "INSERT {or} INTO place VALUES(:id)", .only_for = ID_PARENT},
    {.sql = "UPDATE {or} place SET id = :other_id WHERE id = :id",
     .only_for = ID_PARENT},
    {.sql = "DELETE FROM place WHERE id = :id", .only_for = ID_PARENT},
};

static const char *const or_clauses[] = {
    "", "OR IGNORE", "OR REPLACE", "OR FAIL", "OR ABORT", "OR ROLLBACK",
};

/* ---- Random ids and keys. */

typedef struct values {
  sqlite3_int64 id, other_id;
  size_t key, other_key;
} values;

static sqlite3_int64 any_extreme_id(void) {
  const sqlite3_int64 small = (sqlite3_int64)draw_below(40);
  switch (draw_below(6)) {
    case 0:
      return INT64_MIN + small;
    case 1:
      return INT64_MAX - small;
    case 2:
      return (INT64_MAX >> 1) - 20 + small;
    case 3:
      return (INT64_MIN >> 1) - 20 + small;
    default:
      return ROWS_OF_A_BLOCK * (small - 20) + small % 3 - 1;
  }
}

static sqlite3_int64 any_id(void) {
  if (world.ids == EXTREME_IDS) return any_extreme_id();
  const sqlite3_int64 id = (sqlite3_int64)draw_below(IDS);
  return world.ids == POSITIVE_IDS ? 1 + id : id - IDS / 2;
}

static values any_values(void) {
  values any;
  any.id = any_id();
  any.other_id = any_id();
  any.key = draw_below(KEYS);
  any.other_key = draw_below(KEYS);
  return any;
}

static void bind_id(sqlite3_stmt *statement, const char *name,
                    sqlite3_int64 id) {
  sqlite3_bind_int64(statement, sqlite3_bind_parameter_index(statement, name),
                     id);
}

/* Binds a key of any type. There are so few that keys occur again. */
static void bind_key(sqlite3_stmt *statement, const char *name, size_t key) {
  const int i = sqlite3_bind_parameter_index(statement, name);
  char text[32];
  const int length = snprintf(text, sizeof(text), "key %zu", key);
  switch (key % 16) {
    case 0:
      sqlite3_bind_int64(statement, i, (sqlite3_int64)key);
      break;
    case 1: /* equal to the INTEGER before it */
      sqlite3_bind_double(statement, i, (double)(key - 1));
      break;
    case 2:
      sqlite3_bind_double(statement, i, (double)key + 0.25);
      break;
    case 3:
      sqlite3_bind_blob(statement, i, text, length, SQLITE_TRANSIENT);
      break;
    case 4:
      sqlite3_bind_null(statement, i);
      break;
    case 5: /* equal to the TEXT after it, but for its case */
      snprintf(text, sizeof(text), "KEY %zu", key + 1);
      /* fall through */
    default:
      sqlite3_bind_text(statement, i, text, length, SQLITE_TRANSIENT);
  }
}

/* A statement does not have a parameter of each name. */
static void bind_values(sqlite3_stmt *statement, const values *bound) {
  bind_id(statement, ":id", bound->id);
  bind_key(statement, ":key", bound->key);
  bind_id(statement, ":other_id", bound->other_id);
  bind_key(statement, ":other_key", bound->other_key);
}

/* ---- Statements, which are kept prepared. */

static sqlite3_stmt
    *prepared[MAX_CONNECTIONS + 1][COUNT(changes)][COUNT(or_clauses)];

/* The statement of a change on a connection, or on the TWIN. */
static sqlite3_stmt *statement_of(int connection, size_t i, size_t clause) {
  sqlite3_stmt **statement = &prepared[connection][i][clause];
  if (*statement == NULL) {
    char *sql = expanded(world.table, changes[i].sql, or_clauses[clause]);
    *statement =
        prepare(connection == TWIN ? world.twin : world.kept[connection], sql);
    sqlite3_free(sql);
  }
  return *statement;
}

static void finalize_changes(void) {
  sqlite3_stmt **all = &prepared[0][0][0];
  for (size_t i = 0; i < sizeof(prepared) / sizeof(*all); i++) {
    sqlite3_finalize(all[i]);
    all[i] = NULL;
  }
}

/* ---- A change. */

/* Whether the table of this world, and this SQLite, have a change. */
static bool is_possible(const kept_change *change) {
  const int flags = world.table->flags;
  if ((flags & change->only_for) != change->only_for) return 0;
  if (flags & change->not_for) return 0;
  if (change->sqlite_chooses_id && (flags & KEY_OF_ID)) return 0;
  if (sqlite3_libversion_number() < change->since) {
    counts.newer++;
    return 0;
  }
  return 1;
}

/* The statement of a change on the twin, with its values. If SQLite has chosen
** an id at random, because the largest one is used, the twin gets the same
** id. */
static sqlite3_stmt *statement_of_twin(size_t i, size_t clause,
                                       const values *bound,
                                       sqlite3_int64 last_id,
                                       sqlite3_int64 new_id) {
  const int drawn =
      changes[i].sqlite_chooses_id && world.ids == EXTREME_IDS &&
      last_id != new_id &&
      integer_for(world.twin, "SELECT max({id}) FROM {t}") == INT64_MAX;
  sqlite3_stmt *twin = statement_of(TWIN, drawn ? 0 : i, clause);
  bind_values(twin, bound);
  if (drawn) bind_id(twin, ":id", new_id);
  return twin;
}

static size_t any_change(void) {
  size_t i = draw_below(COUNT(changes));
  while (!is_possible(&changes[i])) i = draw_below(COUNT(changes));
  return i;
}

static size_t any_clause(const kept_change *change) {
  return strstr(change->sql, "{or}") ? draw_below(COUNT(or_clauses)) : 0;
}

/* In most cases, the connection that is in a transaction. */
static int any_connection(void) {
  return world.writer >= 0 && draw_below(10) > 0
             ? world.writer
             : (int)draw_below((size_t)world.connections);
}

/* Runs a statement to its end, and returns its result. */
static int finish(sqlite3_stmt *statement) {
  while (sqlite3_step(statement) == SQLITE_ROW) continue;
  return sqlite3_reset(statement);
}

static void roll_back(sqlite3 *db) {
  if (!sqlite3_get_autocommit(db)) run(db, "ROLLBACK");
}

static void end_reading(int connection) {
  if (world.reader != connection) return;
  run(world.kept[connection], "COMMIT");
  world.reader = NO_CONNECTION;
}

/* Records that the transaction has ended, if an error has ended it. */
static void note_transaction(void) {
  if (world.writer < 0 || !sqlite3_get_autocommit(world.kept[world.writer])) {
    return;
  }
  world.writer = NO_CONNECTION;
  world.savepoints = 0;
}

static bool change_rows(void) {
  const size_t i = any_change(), clause = any_clause(&changes[i]);
  const values bound = any_values();
  const int c = any_connection();
  end_reading(c);
  sqlite3 *db = world.kept[c];
  sqlite3_stmt *statement = statement_of(c, i, clause);
  bind_values(statement, &bound);
  if (getenv("TRACE") != NULL) {
    char *sql = sqlite3_expanded_sql(statement);
    trace("rows", sql);
    sqlite3_free(sql);
  }
  const sqlite3_int64 last_id = sqlite3_last_insert_rowid(db);
  const int kept = finish(statement);
  const sqlite3_int64 new_id = sqlite3_last_insert_rowid(db);
  counts.operations++;
  if (kept == SQLITE_BUSY && world.writer >= 0 && c != world.writer) {
    counts.busy++;
    return true;
  }
  const int twin =
      finish(statement_of_twin(i, clause, &bound, last_id, new_id));
  if (kept != twin || (kept == SQLITE_OK &&
                       sqlite3_changes(db) != sqlite3_changes(world.twin))) {
    return fail("%s: %d, %d changes: %s; the twin: %d, %d changes",
                sqlite3_sql(statement), kept, sqlite3_changes(db),
                sqlite3_errmsg(db), twin, sqlite3_changes(world.twin));
  }
  counts.refused += kept != SQLITE_OK;
  /* AUTOINCREMENT has no larger id. This ends the transaction, unless SQLite
  ** journals the statement because of its triggers. */
  if (kept == SQLITE_FULL) {
    roll_back(db);
    roll_back(world.twin);
  }
  note_transaction();
  return true;
}

/* ---- What must hold. */

typedef struct kept_check {
  const char *name;
  const char *sql; /* whose answer must be 0 */
  int not_for;     /* flags of tables that it is not for */
} kept_check;

static const kept_check none_lost[] = {
    {"keys that their part does not have",
     .sql = "SELECT count(*) FROM {t} AS t"
            " WHERE bloom_may_match(t.{c}, (SELECT f FROM {_part}"
            "  WHERE part = bloom_part(t.{c}, parts))) IS 0"},
    {"keys that a join loses",
     .sql = "SELECT count(*) FROM {t} WHERE bloom_may_match({c},"
            " (SELECT filter FROM {_filter})) IS 0"},
    {"rows that are not in one span, or not with their key",
     .sql = "SELECT count(*) FROM {t} AS t WHERE"
            " (SELECT sum(2 + (bloom_may_match(t.{c}, s.f) IS NOT 0))"
            "  FROM {_spans} AS s"
            "  WHERE t.{id} BETWEEN s.first AND s.last) IS NOT 3",
     .not_for = NO_BLOCKS},
};

/* A trigger of others may be newer, and small parts may be too full. */
static const kept_check none_wrong[] = {
    {"a problem", .sql = "SELECT ifnull(group_concat(problem), 0)"
                         " FROM bloom_check({'t}, {'c})"
                         " WHERE problem NOT LIKE 'trigger %st_ is newer%'"
                         "  AND problem NOT LIKE 'the filter lacks%'"
                         "  AND problem NOT LIKE 'the blocks have some%'"
                         "  AND problem NOT LIKE 'more keys than room%'"},
};

#define ABSENT                                                            \
  "(WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE" \
  " i < 300) SELECT 'never ' || i AS k FROM n) AS a"

static const kept_check few_pass[] = {
    {"absent keys that their part has, over a tenth",
     .sql = "SELECT avg(bloom_may_match(a.k, (SELECT f FROM {_part}"
            "  WHERE part = bloom_part(a.k, parts)))) >= 0.1 FROM " ABSENT},
    {"absent keys that pass the join, over a tenth",
     .sql = "SELECT avg(bloom_may_match(a.k, (SELECT filter FROM {_filter})))"
            " >= 0.1 FROM " ABSENT},
    {"absent keys that closed blocks have, over a tenth",
     .sql = "SELECT ifnull(avg(bloom_may_match(a.k, s.f)) >= 0.1, 0)"
            " FROM " ABSENT ", {_spans} AS s WHERE s.f IS NOT NULL",
     .not_for = NO_BLOCKS},
    {"a block that is not closed",
     .sql = "SELECT ifnull(max({id}) / 16, -1) >"
            " (SELECT ifnull(max(block), -1) FROM {_blocks})"
            " FROM {t} WHERE {id} BETWEEN 0 AND 3999",
     .not_for = NO_BLOCKS},
};

static bool all_hold(const kept_table *table, sqlite3 *db,
                     const kept_check *checks, size_t n) {
  bool all = true;
  for (size_t i = 0; all && i < n; i++) {
    answer got;
    if (table->flags & checks[i].not_for) continue;
    char *sql = expanded(table, checks[i].sql, "");
    ask(db, sql, &got);
    sqlite3_free(sql);
    counts.checks++;
    all = (got.code == SQLITE_DONE && strcmp(got.text, "0|\n") == 0) ||
          fail("%s of %s: %s", checks[i].name, table->column, got.text);
  }
  return all;
}

static bool is_well(const kept_table *table, sqlite3 *db) {
  return all_hold(table, db, none_lost, COUNT(none_lost)) &&
         (world.broken || all_hold(table, db, none_wrong, COUNT(none_wrong)));
}

static int same_value(sqlite3_value *a, sqlite3_value *b) {
  const int type = sqlite3_value_type(a);
  if (type != sqlite3_value_type(b)) return 0;
  if (type == SQLITE_NULL) return 1;
  if (type == SQLITE_INTEGER) {
    return sqlite3_value_int64(a) == sqlite3_value_int64(b);
  }
  const void *x = sqlite3_value_blob(a), *y = sqlite3_value_blob(b);
  const int n = sqlite3_value_bytes(a);
  return n == sqlite3_value_bytes(b) &&
         (n == 0 || memcmp(x, y, (size_t)n) == 0);
}

static int same_row(sqlite3_stmt *kept, sqlite3_stmt *twin) {
  int same = 1;
  for (int i = 0; same && i < sqlite3_column_count(kept); i++) {
    same = same_value(sqlite3_column_value(kept, i),
                      sqlite3_column_value(twin, i));
  }
  return same;
}

/* Whether the table and its twin have the same rows. */
static int same_rows(sqlite3 *db) {
  static const char rows[] = "SELECT {id}, * FROM {t} ORDER BY {id}";
  sqlite3_stmt *kept = prepare_for(world.table, db, rows);
  sqlite3_stmt *twin = prepare_for(world.table, world.twin, rows);
  int same = 1, more = 1;
  while (same && more) {
    more = sqlite3_step(kept) == SQLITE_ROW;
    same = more == (sqlite3_step(twin) == SQLITE_ROW) &&
           (!more || same_row(kept, twin));
  }
  if (!same) {
    fail("other rows: %lld, %s; the twin: %lld, %s",
         (long long)sqlite3_column_int64(kept, 0),
         (const char *)sqlite3_column_text(kept, 2),
         (long long)sqlite3_column_int64(twin, 0),
         (const char *)sqlite3_column_text(twin, 2));
  }
  sqlite3_finalize(kept);
  sqlite3_finalize(twin);
  return same;
}

static void count_growth(void) {
  static sqlite3_int64 last;
  const sqlite3_int64 parts =
      integer_for(writable(), "SELECT max(parts) FROM {_parts}");
  counts.grown += parts > last;
  last = parts;
}

/* Whether no row is lost, bloom_check says what it should and the twin has the
** same rows, on every connection. */
static bool all_is_well(void) {
  bool well = true;
  count_growth();
  for (int c = 0; well && c < world.connections; c++) {
    well = is_well(world.table, world.kept[c]) &&
           (!(world.table->flags & SECOND_COLUMN) ||
            is_well(&world.second, world.kept[c]));
  }
  return well && same_rows(writable());
}

/* ---- Transactions, and connections that read. */

static void begin_transaction(void) {
  world.writer = (int)draw_below((size_t)world.connections);
  end_reading(world.writer);
  both(world.connections > 1 ? "BEGIN IMMEDIATE"
       : draw_below(2)       ? "BEGIN"
                             : "SAVEPOINT s");
  world.savepoints = 0;
}

static void undo(const char *sql) {
  both(sql);
  counts.rollbacks++;
}

static bool transact(void) {
  if (world.writer < 0) {
    begin_transaction();
    return true;
  }
  switch (draw_below(6)) {
    case 0: /* which a deferred foreign key may refuse */
      if (both("COMMIT")) break;
      /* fall through */
    case 1:
      undo("ROLLBACK");
      break;
    case 2:
      if (world.savepoints > 0) undo("ROLLBACK TO s");
      break;
    case 3:
      if (world.savepoints == 0) break;
      both("RELEASE s");
      world.savepoints--;
      break;
    default:
      both("SAVEPOINT s");
      world.savepoints++;
  }
  note_transaction();
  return true;
}

/* One connection keeps its view of the database while the other writes. */
static bool begin_reading(void) {
  const int reader = world.writer < 0 ? (int)draw_below(2) : 1 - world.writer;
  if (world.connections < 2) return true;
  end_reading(0);
  end_reading(1);
  world.reader = reader;
  run(world.kept[reader], "BEGIN");
  return integer_for(world.kept[reader], "SELECT count(*) FROM {t}") >= 0;
}

/* ---- What is broken: no view may lose a row by it. */

/* The table rebuilt as migrations do, by which it loses its triggers: a new
** table takes the name, or the old one gives it away first. */
static bool rebuild(void) {
  const bool new_first = draw_below(2) == 0;
  kept_table migrated = *world.table;
  migrated.name = "migrated";
  char *create = expanded(&migrated, migrated.create, "");
  char *sql = sqlite3_mprintf(
      new_first ? "%s; INSERT INTO migrated({id}, {written}) SELECT {id},"
                  " {written} FROM {t}; DROP TABLE {t};"
                  "ALTER TABLE migrated RENAME TO {t}"
                : "ALTER TABLE {t} RENAME TO migrated; %s;"
                  "INSERT INTO {t}({id}, {written}) SELECT {id}, {written}"
                  " FROM migrated; DROP TABLE migrated",
      new_first ? create : world.table->create);
  finalize_changes();
  both("PRAGMA foreign_keys = OFF");
  both(draw_below(2) ? "PRAGMA legacy_alter_table = ON"
                     : "PRAGMA legacy_alter_table = OFF");
  const bool done = both("BEGIN") && both(sql) && both("COMMIT");
  both("PRAGMA legacy_alter_table = OFF");
  both("PRAGMA foreign_keys = ON");
  sqlite3_free(create);
  sqlite3_free(sql);
  return done || fail("not rebuilt");
}

/* Drops a trigger of the filters, and may put it back as SQLite's recipe for
** changes of a table does: but not the last one, which would hide that others
** were put back. */
static bool drop_any_trigger(void) {
  sqlite3 *db = writable();
  sqlite3_stmt *row =
      prepare(db,
              "SELECT name, CASE WHEN name NOT GLOB '*_last' THEN sql END"
              " FROM sqlite_master WHERE type = 'trigger'"
              " AND instr(sql, '\"bloom_create_') ORDER BY name"
              " LIMIT 1 OFFSET ?1");
  sqlite3_bind_int(row, 1, (int)draw_below(8));
  char *sql = NULL;
  if (sqlite3_step(row) == SQLITE_ROW) {
    sql =
        sqlite3_mprintf("DROP TRIGGER \"%w\"; %s", sqlite3_column_text(row, 0),
                        draw_below(2) ? sqlite3_column_text(row, 1) : NULL);
  }
  sqlite3_finalize(row);
  if (sql == NULL) return true;
  trace("kept", sql);
  run(db, sql);
  sqlite3_free(sql);
  return true;
}

static bool break_something(void) {
  static const char *const parts[] = {
      "DELETE FROM {_parts}",
      "CREATE TRIGGER newest AFTER INSERT ON {t} BEGIN SELECT 1; END;"
      "DROP TRIGGER newest"};
  static const char *const blocks[] = {
      "DELETE FROM {_blocks} WHERE block = (SELECT max(block) FROM {_blocks})",
      "DELETE FROM {_blocks} WHERE block % 2 = 0",
      "UPDATE {_blocks} SET f = NULL WHERE block % 2 = 1"};
  if (world.writer >= 0 || world.reader >= 0) return true;
  counts.broken++;
  world.broken = true;
  switch (draw_below(4)) {
    case 0:
      return rebuild();
    case 1:
      return kept_alone(world.table, parts[draw_below(COUNT(parts))]);
    case 2:
      return (world.table->flags & NO_BLOCKS) ||
             kept_alone(world.table, blocks[draw_below(COUNT(blocks))]);
    default:
      return drop_any_trigger();
  }
}

/* ---- All operations, at random. */

static bool set_recursion(void) {
  const char *sql = draw_below(2) ? "PRAGMA recursive_triggers = 1"
                                  : "PRAGMA recursive_triggers = 0";
  for (int c = 0; c < world.connections; c++) run(world.kept[c], sql);
  run(world.twin, sql);
  return true;
}

/* Makes the filters again and, sometimes, triggers of others after that, so
** that the triggers run in another order. */
static bool make_anew(void) {
  if (!make_filters()) return false;
  if (draw_below(2)) make_others(1);
  if (draw_below(8) == 0) make_others(0);
  return true;
}

/* Operations on a whole table. */
static bool change_all(void) {
  switch (draw_below(8)) {
    case 0:
      both("DELETE FROM {t}");
      return true;
    case 1:
      both("DELETE FROM {t} WHERE {id} % 3 > 0");
      return true;
    case 2:
      if (world.writer < 0 && world.reader < 0) both("VACUUM");
      return true;
    case 3:
      both("ANALYZE");
      return true;
    default:
      return make_anew();
  }
}

static const struct {
  size_t share; /* of 1,000 */
  bool (*run)(void);
} operations[] = {
    {60, transact},      {30, choose_others}, {5, set_recursion},
    {10, begin_reading}, {7, change_all},     {5, break_something},
    {883, change_rows},
};

static bool run_any(void) {
  size_t drawn = draw_below(1000), i = 0;
  while (drawn >= operations[i].share) drawn -= operations[i++].share;
  return operations[i].run() && world.failure[0] == '\0';
}

#define OPERATIONS_OF_A_WORLD 1000
#define BETWEEN_CHECKS 10
#define MAX_ROWS 600

/* A table that has grown too long for frequent checks is emptied. */
static void keep_short(void) {
  if (integer_for(world.twin, "SELECT count(*) FROM {t}") <= MAX_ROWS) return;
  both(draw_below(2) ? "DELETE FROM {t}"
                     : "DELETE FROM {t} WHERE {id} % 5 > 0");
}

static bool operate(void) {
  bool well = true;
  for (int done = 1; well && done <= OPERATIONS_OF_A_WORLD; done++) {
    well = run_any();
    if (well && done % BETWEEN_CHECKS == 0) {
      keep_short();
      well = all_is_well();
      if (well && world.broken && draw_below(4) == 0) {
        well = make_anew() && all_is_well();
      }
    }
  }
  return well;
}

/* Ends the transaction and makes all other triggers inactive. Filters that are
** made again are well, exclude keys, and are closed by a row past the others.
*/
static bool settle(void) {
  for (int c = 0; c < world.connections; c++) end_reading(c);
  if (world.writer >= 0 && !both("COMMIT")) both("ROLLBACK");
  note_transaction();
  both("UPDATE other SET mode = 0");
  if (world.failure[0] != '\0' || !all_is_well() || !make_filters()) {
    return false;
  }
  if (world.ids != EXTREME_IDS) {
    both("INSERT OR IGNORE INTO place VALUES(4000)");
    both("INSERT OR REPLACE INTO {t}({id}, {written}) VALUES(4000, 'nobody')");
  }
  return world.failure[0] == '\0' && all_is_well() &&
         all_hold(world.table, world.kept[0], few_pass,
                  COUNT(few_pass) - (world.ids == EXTREME_IDS));
}

/* ---- Beginning and end. */

static char file[100];

static void open_connections(void) {
  const bool two = (world.table->flags & TWO_CONNECTIONS) != 0;
  world.connections = two ? 2 : 1;
  for (int i = 0; i < world.connections; i++) {
    world.kept[i] = open_with(two ? file : ":memory:", extension_path());
    run(world.kept[i],
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;"
        "PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF");
  }
  if (sqlite3_open(":memory:", &world.twin) != SQLITE_OK) exit(1);
  run(world.twin, "PRAGMA foreign_keys = ON");
}

/* What the table refers to, and what triggers of others use. */
static void make_other_tables(void) {
  both(
      "CREATE TABLE other(mode); INSERT INTO other VALUES(0);"
      "CREATE TABLE taken(one UNIQUE); INSERT INTO taken VALUES(1)");
  both(
      "CREATE TABLE parent(k PRIMARY KEY ON CONFLICT IGNORE);"
      "INSERT INTO parent WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL"
      "  SELECT i + 1 FROM n WHERE i < 700) SELECT 'key ' || i FROM n;"
      "INSERT INTO parent VALUES('nobody');"
      "CREATE TABLE place(id INTEGER PRIMARY KEY);"
      "INSERT INTO place WITH RECURSIVE n(i) AS (SELECT -400 UNION ALL"
      "  SELECT i + 1 FROM n WHERE i < 800) SELECT i FROM n");
}

/* World number n, with random numbers from a seed: from its beginning to its
** end, unless this SQLite has no such table. */
static bool random_world(int n, uint64_t seed) {
  const kept_table *table = &tables[n % (int)COUNT(tables)];
  if (sqlite3_libversion_number() < table->since) return true;
  memset(&world, 0, sizeof(world));
  world.number = n;
  world.table = table;
  world.second = *table;
  world.second.column = "n";
  world.ids = (enum id_range)(n % ID_RANGES);
  world.writer = world.reader = NO_CONNECTION;
  world.random = seed + (uint64_t)n;
  /* The ids that SQLite chooses at random are the same in each run, too. */
  seed_sqlite(1 + (uint64_t)n);
  remove_database(file);
  open_connections();
  make_other_tables();
  both(table->create);
  make_others(0);
  bool well = world.failure[0] == '\0' && make_filters();
  if (well) {
    make_others(1);
    well = operate() && settle();
  }
  if (!well) {
    mismatch("world %d, seed %llu, %s, ids %d: %s", n,
             (unsigned long long)(seed >> 32), table->title, (int)world.ids,
             world.failure);
  }
  finalize_changes();
  for (int c = 0; c < world.connections; c++) sqlite3_close(world.kept[c]);
  sqlite3_close(world.twin);
  remove_database(file);
  return well;
}

int main(int argc, char **argv) {
  const long wanted = argc > 1 ? atol(argv[1]) : 50000;
  const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
  const int first = argc > 3 ? atoi(argv[3]) : 0;
  const int worlds = argc > 3 ? 1 : (int)(wanted / OPERATIONS_OF_A_WORLD) + 1;
  snprintf(file, sizeof(file), "/tmp/kept-%ld.db", (long)getpid());
  printf("# SQLite %s, seed %llu\n", sqlite3_libversion(),
         (unsigned long long)seed);
  /* The worlds of two seeds have no numbers in common. */
  for (int n = first; n < first + worlds; n++) {
    ok(random_world(n, seed << 32), "world %d: %s", n,
       tables[n % (int)COUNT(tables)].title);
  }
  ok(counts.grown > 0 && counts.broken > 0, "parts grow, and filters break");
  printf("# %ld changes of rows, %ld checks of a whole table\n",
         counts.operations, counts.checks);
  printf("# parts have grown %ld times, %ld things broke\n", counts.grown,
         counts.broken);
  printf("# %ld refused, %ld locked out, %ld rolled back, %ld times made\n",
         counts.refused, counts.busy, counts.rollbacks, counts.made);
  printf("# %ld drawn that this SQLite does not have\n", counts.newer);
  return tap_done();
}
