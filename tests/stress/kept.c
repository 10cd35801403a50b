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

#include "lib/grammar.h"
#include "lib/tap.h"

/* What a table has, in data/kept.txt. */
static const char *const table_flags[] = {
    "NO_BLOCKS",       "ID_IS_ROWID", "NO_ROWID",  "UNIQUE_KEY",
    "KEY_OF_ID",       "KEY_PARENT",  "ID_PARENT", "SECOND_COLUMN",
    "TWO_CONNECTIONS", NULL};
enum {
  NO_BLOCKS = 1,
  KEY_OF_ID = 16,
  NEEDED = 8 | 32 | 64, /* UNIQUE_KEY, KEY_PARENT, ID_PARENT */
  SECOND_COLUMN = 128,
  TWO_CONNECTIONS = 256
};

typedef struct kept_table {
  const char *title; /* what is special about it */
  const char *name, *id, *column;
  const char *written; /* the column that is written */
  const char *create;
  int flags;
} kept_table;

/* ---- The world. */

#define MAX_CONNECTIONS 2
#define TWIN MAX_CONNECTIONS
#define NO_CONNECTION (-1)
#define ROWS_OF_A_BLOCK 16

enum id_range { POSITIVE_IDS, IDS_AROUND_ZERO, EXTREME_IDS, ID_RANGES };

static struct {
  int number;
  kept_table table, second; /* the same one with n as the kept column */
  size_t arena_used;        /* by their words */
  enum id_range ids;
  sqlite3 *kept[MAX_CONNECTIONS], *twin;
  int connections;
  int writer; /* the connection that is in a transaction, or NO_CONNECTION */
  int reader; /* the one in a transaction that has read, or NO_CONNECTION */
  int savepoints;
  bool broken;        /* something was broken since the filters were made */
  char failure[1000]; /* the first */
} world;

/* Counts of what has been done, in all worlds. */
static struct {
  long operations, checks, refused, busy, rollbacks, made, broken;
  long grown; /* times that a check found more parts than before */
} counts;

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

/* ---- SQL with words. */

/* What they stand for now. */
static const kept_table *of_table;
static const char *or_clause;
static int active_bit; /* of a trigger of others */

static const char *own_word(const char *word, const char *a, const char *b) {
  const struct {
    const char *word, *text;
  } words[] = {
      {"t", of_table->name},
      {"c", of_table->column},
      {"id", of_table->id},
      {"written", of_table->written},
  };
  const bool is_string = word[0] == '\'';
  (void)a, (void)b;
  if (strcmp(word, "or") == 0) return or_clause;
  if (strcmp(word, "active") == 0) {
    return text("(SELECT mode & %d FROM other)", active_bit);
  }
  if (word[0] == '_') {
    return quoted(text("%s_%s%s", of_table->name, of_table->column, word), '"');
  }
  for (size_t i = 0; i < COUNT(words); i++) {
    if (strcmp(words[i].word, word + is_string) == 0) {
      return quoted(words[i].text, is_string ? '\'' : '"');
    }
  }
  return NULL;
}

/* SQL without such words. */
static const char *expanded(const kept_table *table, const char *sql) {
  of_table = table;
  return expand(sql, "", "");
}

/* Whether the table of this world, and this SQLite, have a form. */
static bool is_possible(const struct form *form) {
  const int flags = world.table.flags;
  return (form->effect & NEEDED & ~flags) == 0 &&
         (form->effect & flags & ~NEEDED) == 0 &&
         sqlite3_libversion_number() >= form->since;
}

/* Any form of this name that is possible. */
static const struct form *any_form(const char *name) {
  const struct form *chosen = NULL;
  size_t possible = 0;
  for (size_t i = 0; i < form_count; i++) {
    if (strcmp(forms[i].name, name) == 0 && is_possible(&forms[i]) &&
        one_in(++possible)) {
      chosen = &forms[i];
    }
  }
  return chosen;
}

static sqlite3_stmt *prepare_for(sqlite3 *db, const char *sql) {
  return prepare(db, expanded(&world.table, sql));
}

static sqlite3_int64 integer_for(sqlite3 *db, const char *sql) {
  return integer_of(db, expanded(&world.table, sql));
}

/* Runs SQL on the kept table, and on the twin. Returns whether it succeeded.
** It is a failure of the world if it succeeds on only one of them. */
static bool both(const char *words) {
  sqlite3 *db = writable();
  const char *sql = expanded(&world.table, words);
  trace("both", sql);
  const int kept = sqlite3_exec(db, sql, NULL, NULL, NULL);
  const int twin = sqlite3_exec(world.twin, sql, NULL, NULL, NULL);
  if (kept != twin) {
    fail("%s: %s, the twin: %s", sql, sqlite3_errmsg(db),
         sqlite3_errmsg(world.twin));
  }
  return kept == twin && kept == SQLITE_OK;
}

/* Runs SQL on the kept table alone, which must succeed. */
static bool kept_alone(const kept_table *table, const char *words) {
  sqlite3 *db = writable();
  const char *sql = expanded(table, words);
  trace("kept", sql);
  return sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK ||
         fail("%s: %s", sql, sqlite3_errmsg(db));
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
  return make_filters_of(&world.table) &&
         (!(world.table.flags & SECOND_COLUMN) ||
          make_filters_of(&world.second));
}

/* ---- Triggers of other programs. The bits of a number in the table `other`
** tell which are active. */

/* Each world has this many that are older than the filter's triggers and as
** many that are newer, chosen at random. */
#define OTHERS_OF_A_WORLD 4

/* The trigger that has a bit in this world. In every other world, none that is
** newer than the filter's is an AFTER trigger. */
static const char *other_of(int bit) {
  const size_t n = forms_of("other");
  size_t which = (size_t)(world.number + bit * 5) % n;
  if (world.number % 2 == 0 && bit >= OTHERS_OF_A_WORLD) {
    while (strncmp(form_of("other", which)->sql, "BEFORE", 6) != 0) {
      which = (which + 1) % n;
    }
  }
  return form_of("other", which)->sql;
}

static void make_others(int last) {
  const char *name = last ? "last" : "first";
  for (int i = 0; i < OTHERS_OF_A_WORLD; i++) {
    const int bit = i + last * OTHERS_OF_A_WORLD;
    active_bit = 1 << bit;
    both(text("DROP TRIGGER IF EXISTS %s%d; CREATE TRIGGER %s%d %s", name, i,
              name, i, other_of(bit)));
  }
}

static bool choose_others(void) {
  int mode = 0;
  for (size_t n = random_below(4); n > 0; n--) {
    mode |= 1 << random_below(2 * OTHERS_OF_A_WORLD);
  }
  both(text("UPDATE other SET mode = %d", mode));
  return true;
}

/* ---- One random change of rows, of the kept table and of the twin. */

#define IDS 400
#define KEYS 700

static const char *const or_clauses[] = {
    "", "OR IGNORE", "OR REPLACE", "OR FAIL", "OR ABORT", "OR ROLLBACK",
};

/* ---- Random ids and keys. */

typedef struct values {
  sqlite3_int64 id, other_id;
  size_t key, other_key;
} values;

static sqlite3_int64 any_extreme_id(void) {
  const sqlite3_int64 small = (sqlite3_int64)random_below(40);
  switch (random_below(6)) {
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
  const sqlite3_int64 id = (sqlite3_int64)random_below(IDS);
  return world.ids == POSITIVE_IDS ? 1 + id : id - IDS / 2;
}

static values any_values(void) {
  values any;
  any.id = any_id();
  any.other_id = any_id();
  any.key = random_below(KEYS);
  any.other_key = random_below(KEYS);
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
    *prepared[MAX_CONNECTIONS + 1][COUNT(forms)][COUNT(or_clauses)];

/* The statement of a change on a connection, or on the TWIN. */
static sqlite3_stmt *statement_of(int connection, const struct form *change,
                                  size_t clause) {
  sqlite3_stmt **statement = &prepared[connection][change - forms][clause];
  if (*statement == NULL) {
    or_clause = or_clauses[clause];
    *statement = prepare_for(
        connection == TWIN ? world.twin : world.kept[connection], change->sql);
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

/* The statement of a change on the twin, with its values. If SQLite has chosen
** an id at random, because the largest one is used, the twin gets the same
** id. */
static sqlite3_stmt *statement_of_twin(const struct form *change, size_t clause,
                                       const values *bound,
                                       sqlite3_int64 last_id,
                                       sqlite3_int64 new_id) {
  const bool drawn =
      (change->effect & KEY_OF_ID) && world.ids == EXTREME_IDS &&
      last_id != new_id &&
      integer_for(world.twin, "SELECT max({id}) FROM {t}") == INT64_MAX;
  sqlite3_stmt *twin =
      statement_of(TWIN, drawn ? form_of("change", 0) : change, clause);
  bind_values(twin, bound);
  if (drawn) bind_id(twin, ":id", new_id);
  return twin;
}

/* In most cases, the connection that is in a transaction. */
static int any_connection(void) {
  return world.writer >= 0 && random_below(10) > 0
             ? world.writer
             : (int)random_below((size_t)world.connections);
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
  const struct form *change = any_form("change");
  const size_t clause =
      strstr(change->sql, "{or}") || strstr(change->sql, "{insert}")
          ? random_below(COUNT(or_clauses))
          : 0;
  const values bound = any_values();
  const int c = any_connection();
  end_reading(c);
  sqlite3 *db = world.kept[c];
  sqlite3_stmt *statement = statement_of(c, change, clause);
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
      finish(statement_of_twin(change, clause, &bound, last_id, new_id));
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

/* Whether all forms of this name that a table has answer 0. */
static bool all_hold(const kept_table *table, sqlite3 *db, const char *name) {
  const struct form *check;
  for (size_t n = 0; (check = form_of(name, n)) != NULL; n++) {
    answer got;
    if (table->flags & check->effect) continue;
    const char *sql = expanded(table, check->sql);
    ask(db, sql, &got);
    counts.checks++;
    if (got.code != SQLITE_DONE || strcmp(got.text, "0|\n") != 0) {
      return fail("%s: %s", sql, got.text);
    }
  }
  return true;
}

static bool is_well(const kept_table *table, sqlite3 *db) {
  return all_hold(table, db, "lost") &&
         (world.broken || all_hold(table, db, "wrong"));
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
  sqlite3_stmt *kept = prepare_for(db, rows);
  sqlite3_stmt *twin = prepare_for(world.twin, rows);
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
    well = is_well(&world.table, world.kept[c]) &&
           (!(world.table.flags & SECOND_COLUMN) ||
            is_well(&world.second, world.kept[c]));
  }
  return well && same_rows(writable());
}

/* ---- Transactions, and connections that read. */

static void begin_transaction(void) {
  world.writer = (int)random_below((size_t)world.connections);
  end_reading(world.writer);
  both(world.connections > 1 ? "BEGIN IMMEDIATE"
       : random_below(2)     ? "BEGIN"
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
  switch (random_below(6)) {
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
  const int reader = world.writer < 0 ? (int)random_below(2) : 1 - world.writer;
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
  const bool new_first = random_below(2) == 0;
  kept_table migrated = world.table;
  migrated.name = "migrated";
  const char *create = expanded(&migrated, migrated.create);
  const char *sql =
      new_first ? text(
                      "%s; INSERT INTO migrated({id}, {written}) SELECT {id},"
                      " {written} FROM {t}; DROP TABLE {t};"
                      "ALTER TABLE migrated RENAME TO {t}",
                      create)
                : text(
                      "ALTER TABLE {t} RENAME TO migrated; %s;"
                      "INSERT INTO {t}({id}, {written}) SELECT {id},"
                      " {written} FROM migrated; DROP TABLE migrated",
                      world.table.create);
  finalize_changes();
  both("PRAGMA foreign_keys = OFF");
  both(random_below(2) ? "PRAGMA legacy_alter_table = ON"
                       : "PRAGMA legacy_alter_table = OFF");
  const bool done = both("BEGIN") && both(sql) && both("COMMIT");
  both("PRAGMA legacy_alter_table = OFF");
  both("PRAGMA foreign_keys = ON");
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
  sqlite3_bind_int(row, 1, (int)random_below(8));
  char *sql = NULL;
  if (sqlite3_step(row) == SQLITE_ROW) {
    sql =
        sqlite3_mprintf("DROP TRIGGER \"%w\"; %s", sqlite3_column_text(row, 0),
                        random_below(2) ? sqlite3_column_text(row, 1) : NULL);
  }
  sqlite3_finalize(row);
  if (sql == NULL) return true;
  trace("kept", sql);
  run(db, sql);
  sqlite3_free(sql);
  return true;
}

static bool break_something(void) {
  if (world.writer >= 0 || world.reader >= 0) return true;
  counts.broken++;
  world.broken = true;
  switch (random_below(4)) {
    case 0:
      return rebuild();
    case 1:
      return drop_any_trigger();
    default:
      return kept_alone(&world.table, any_form("damage")->sql);
  }
}

/* ---- All operations, at random. */

static bool set_recursion(void) {
  const char *sql = random_below(2) ? "PRAGMA recursive_triggers = 1"
                                    : "PRAGMA recursive_triggers = 0";
  for (int c = 0; c < world.connections; c++) run(world.kept[c], sql);
  run(world.twin, sql);
  return true;
}

/* Makes the filters again and, sometimes, triggers of others after that, so
** that the triggers run in another order. */
static bool make_anew(void) {
  if (!make_filters()) return false;
  if (random_below(2)) make_others(1);
  if (random_below(8) == 0) make_others(0);
  return true;
}

/* Operations on a whole table. */
static bool change_all(void) {
  switch (random_below(8)) {
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
  arena_used = world.arena_used;
  size_t drawn = random_below(1000), i = 0;
  while (drawn >= operations[i].share) drawn -= operations[i++].share;
  return operations[i].run() && world.failure[0] == '\0';
}

#define OPERATIONS_OF_A_WORLD 1000
#define BETWEEN_CHECKS 10
#define MAX_ROWS 600

/* A table that has grown too long for frequent checks is emptied. */
static void keep_short(void) {
  if (integer_for(world.twin, "SELECT count(*) FROM {t}") <= MAX_ROWS) return;
  both(random_below(2) ? "DELETE FROM {t}"
                       : "DELETE FROM {t} WHERE {id} % 5 > 0");
}

static bool operate(void) {
  bool well = true;
  for (int done = 1; well && done <= OPERATIONS_OF_A_WORLD; done++) {
    well = run_any();
    if (well && done % BETWEEN_CHECKS == 0) {
      keep_short();
      well = all_is_well();
      if (well && world.broken && random_below(4) == 0) {
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
         all_hold(&world.table, world.kept[0], "few") &&
         (world.ids == EXTREME_IDS ||
          all_hold(&world.table, world.kept[0], "closed"));
}

/* ---- Beginning and end. */

static char file[100];

static void open_connections(void) {
  const bool two = (world.table.flags & TWO_CONNECTIONS) != 0;
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
static bool random_world(int n, const struct form *form, uint64_t seed) {
  if (sqlite3_libversion_number() < form->since) return true;
  const char *field[6];
  memset(&world, 0, sizeof(world));
  world.number = n;
  arena_used = 0;
  read_fields(form->sql, field, COUNT(field));
  world.arena_used = arena_used;
  world.table = (kept_table){field[0], field[1], field[2],    field[3],
                             field[4], field[5], form->effect};
  world.second = world.table;
  world.second.column = "n";
  world.ids = (enum id_range)(n % ID_RANGES);
  world.writer = world.reader = NO_CONNECTION;
  random_state = seed + (uint64_t)n;
  /* The ids that SQLite chooses at random are the same in each run, too. */
  seed_sqlite(1 + (uint64_t)n);
  remove_database(file);
  open_connections();
  make_other_tables();
  both(world.table.create);
  make_others(0);
  bool well = world.failure[0] == '\0' && make_filters();
  if (well) {
    make_others(1);
    well = operate() && settle();
  }
  if (!well) {
    mismatch("world %d, seed %llu, %s, ids %d: %s", n,
             (unsigned long long)(seed >> 32), world.table.title,
             (int)world.ids, world.failure);
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
  read_forms("tests/data/kept.txt", table_flags);
  snprintf(file, sizeof(file), "/tmp/kept-%ld.db", (long)getpid());
  printf("# SQLite %s, seed %llu\n", sqlite3_libversion(),
         (unsigned long long)seed);
  /* The worlds of two seeds have no numbers in common. */
  for (int n = first; n < first + worlds; n++) {
    const struct form *form = form_of("table", (size_t)n % forms_of("table"));
    ok(random_world(n, form, seed << 32), "world %d: %.*s", n,
       (int)strcspn(form->sql, ";"), form->sql);
  }
  ok(counts.grown > 0 && counts.broken > 0, "parts grow, and filters break");
  printf("# %ld changes of rows, %ld checks of a whole table\n",
         counts.operations, counts.checks);
  printf("# parts have grown %ld times, %ld things broke\n", counts.grown,
         counts.broken);
  printf("# %ld refused, %ld locked out, %ld rolled back, %ld times made\n",
         counts.refused, counts.busy, counts.rollbacks, counts.made);
  return tap_done();
}
