/*
** One random change of rows, which is made to the kept table and to its twin.
** Afterwards, the rows that it names are looked up.
*/
#include "kept.h"

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

#define TWIN MAX_CONNECTIONS

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

void finalize_changes(void) {
  sqlite3_stmt **all = &prepared[0][0][0];
  for (size_t i = 0; i < sizeof(prepared) / sizeof(*all); i++) {
    sqlite3_finalize(all[i]);
    all[i] = NULL;
  }
}

/* ---- A change. */

/* Whether the table of this world, and this SQLite, have a change. */
static int is_possible(const kept_change *change) {
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
  const int drawn = changes[i].sqlite_chooses_id && world.ids == EXTREME_IDS &&
                    last_id != new_id &&
                    integer_for(world.table, world.twin,
                                "SELECT max({id}) FROM {t}") == INT64_MAX;
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

int change_rows(int looked_up) {
  const size_t i = any_change(), clause = any_clause(&changes[i]);
  const values bound = any_values();
  const int c = any_connection();
  end_reading(c);
  sqlite3 *db = world.kept[c];
  sqlite3_stmt *statement = statement_of(c, i, clause);
  bind_values(statement, &bound);
  trace_statement("kept", statement);
  const sqlite3_int64 last_id = sqlite3_last_insert_rowid(db);
  const int kept = finish(statement);
  const sqlite3_int64 new_id = sqlite3_last_insert_rowid(db);
  counts.operations++;
  if (kept == SQLITE_BUSY && world.writer >= 0 && c != world.writer) {
    counts.busy++;
    return 1;
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
  return !looked_up || (is_found(c, bound.id) && is_found(c, bound.other_id) &&
                        is_found(c, new_id));
}
