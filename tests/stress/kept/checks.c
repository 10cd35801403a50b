/* What must hold for a kept filter. */
#include "kept.h"

/* ---- The whole table: each of these is 0. */

const kept_check none_lost[WAYS] = {
    [BY_PART] = {"keys that their part does not have",
                 .sql = "SELECT count(*) FROM {t} AS t"
                        " WHERE bloom_may_match(t.{c}, (SELECT f FROM {_part}"
                        "  WHERE part = bloom_part(t.{c}, parts))) IS 0"},
    [BY_JOIN] = {"keys that a join loses",
                 .sql = "SELECT count(*) FROM {t} WHERE bloom_may_match({c},"
                        " (SELECT filter FROM {_filter})) IS 0"},
    [BY_SPANS] = {"rows that are not in one span, or not with their key",
                  .sql =
                      "SELECT count(*) FROM {t} AS t WHERE"
                      " (SELECT sum(2 + (bloom_may_match(t.{c}, s.f) IS NOT 0))"
                      "  FROM {_spans} AS s"
                      "  WHERE t.{id} BETWEEN s.first AND s.last) IS NOT 3",
                  .not_for = NO_BLOCKS},
};

static const kept_check none_wrong[] = {
    {"problems of the parts",
     .sql = "SELECT ifnull(group_concat(problem), 0) FROM {_parts_check}"
            " WHERE problem NOT LIKE 'trigger %st_ is newer%'"
            "  AND problem NOT LIKE 'more keys than room%'"},
    {"problems of the blocks",
     .sql = "SELECT ifnull(group_concat(problem), 0) FROM {_blocks_check}"
            " WHERE problem NOT LIKE 'trigger %st_ is newer%'"
            "  AND problem NOT LIKE 'the blocks have some%'"
            "  AND problem NOT LIKE 'more keys than room%'",
     .not_for = NO_BLOCKS},
};

int holds(const kept_table *table, sqlite3 *db, const kept_check *check) {
  answer got;
  if (table->flags & check->not_for) return 1;
  ask_for(table, db, check->sql, &got);
  counts.checks++;
  if (got.code == SQLITE_DONE && strcmp(got.text, "0|\n") == 0) return 1;
  return fail("%s of %s: %s", check->name, table->column, got.text);
}

static int all_hold(const kept_table *table, sqlite3 *db,
                    const kept_check *checks, size_t n) {
  int all = 1;
  for (size_t i = 0; all && i < n; i++) all = holds(table, db, &checks[i]);
  return all;
}

/* Whether an AFTER trigger of others is newer than the filter's own. */
static int runs_first(sqlite3 *db) {
  return integer_for(world.table, db,
                     "SELECT count(*) FROM sqlite_master AS o"
                     " WHERE o.type = 'trigger' AND o.tbl_name = {'t}"
                     " AND o.name GLOB '[fl]*st[0-3]'"
                     " AND o.sql GLOB '*[0-9] AFTER *' AND o.rowid >"
                     "  (SELECT max(m.rowid) FROM sqlite_master AS m"
                     "   WHERE m.name = {'_parts_insert})") > 0;
}

int is_none_lost(const kept_table *table, sqlite3 *db) {
  const int first = runs_first(db) ? BY_JOIN : BY_PART;
  return all_hold(table, db, none_lost + first, (size_t)(WAYS - first));
}

static int is_well(const kept_table *table, sqlite3 *db) {
  return is_none_lost(table, db) &&
         all_hold(table, db, none_wrong, COUNT(none_wrong));
}

int is_told(void) {
  answer got;
  ask_for(world.table, world.kept[0], none_wrong[0].sql, &got);
  return strcmp(got.text, "0|\n") != 0 || fail("no problem of the parts");
}

/* ---- One row: it is found by its key. */

/* Each must give 1. */
static const kept_check finds[WAYS] = {
    [BY_PART] = {"one part",
                 .sql =
                     "SELECT count(*) FROM {t} WHERE {id} = :id AND {c} ="
                     " CASE WHEN bloom_may_match(:key, (SELECT f FROM {_part}"
                     "  WHERE part = bloom_part(:key, parts))) THEN :key END"},
    [BY_JOIN] =
        {"a join",
         .sql = "SELECT count(*) FROM (SELECT :key AS k) AS asked JOIN {t}"
                " ON {t}.{c} = asked.k WHERE {t}.{id} = :id AND"
                " bloom_may_match(asked.k, (SELECT filter FROM {_filter}))"},
    [BY_SPANS] = {"the spans",
                  .sql = "SELECT count(*) FROM {_spans} AS s"
                         " CROSS JOIN {t} NOT INDEXED"
                         "  ON {t}.{id} BETWEEN s.first AND s.last"
                         " WHERE bloom_may_match(:key, s.f) AND {t}.{c} = :key"
                         "  AND {t}.{id} = :id",
                  .not_for = NO_BLOCKS},
};

static struct { sqlite3_stmt *key, *finds[WAYS]; } lookups[MAX_CONNECTIONS];

void prepare_lookups(void) {
  for (int c = 0; c < world.connections; c++) {
    lookups[c].key = prepare_for(world.table, world.kept[c],
                                 "SELECT {c} FROM {t} WHERE {id} = :id");
    for (int way = 0; way < WAYS; way++) {
      if (world.table->flags & finds[way].not_for) continue;
      lookups[c].finds[way] =
          prepare_for(world.table, world.kept[c], finds[way].sql);
    }
  }
}

static void finalize(sqlite3_stmt **statement) {
  sqlite3_finalize(*statement);
  *statement = NULL;
}

void finalize_lookups(void) {
  for (int c = 0; c < MAX_CONNECTIONS; c++) {
    finalize(&lookups[c].key);
    for (int way = 0; way < WAYS; way++) finalize(&lookups[c].finds[way]);
  }
}

static int is_found_in_way(int connection, enum way way, sqlite3_int64 id,
                           sqlite3_value *key) {
  sqlite3_stmt *statement = lookups[connection].finds[way];
  if (statement == NULL) return 1;
  sqlite3_bind_int64(statement, sqlite3_bind_parameter_index(statement, ":id"),
                     id);
  sqlite3_bind_value(statement, sqlite3_bind_parameter_index(statement, ":key"),
                     key);
  const sqlite3_int64 got = first_integer(statement);
  counts.lookups++;
  return got == 1 ||
         fail("row %lld, key %s, by %s: %lld %s", (long long)id,
              (const char *)sqlite3_value_text(key), finds[way].name,
              (long long)got, sqlite3_errmsg(world.kept[connection]));
}

int is_found(int connection, sqlite3_int64 id) {
  int all = 1;
  sqlite3_stmt *key = lookups[connection].key;
  sqlite3_bind_int64(key, 1, id);
  if (sqlite3_step(key) == SQLITE_ROW &&
      sqlite3_column_type(key, 0) != SQLITE_NULL) {
    enum way way = runs_first(world.kept[connection]) ? BY_JOIN : BY_PART;
    for (; all && way < WAYS; way++) {
      all = is_found_in_way(connection, way, id, sqlite3_column_value(key, 0));
    }
    counts.found++;
  }
  sqlite3_reset(key);
  return all;
}

/* ---- The twin. */

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
      integer_for(world.table, writable(), "SELECT max(parts) FROM {_parts}");
  counts.grown += parts > last;
  last = parts;
}

int all_is_well(void) {
  int well = 1;
  count_growth();
  for (int c = 0; well && c < world.connections; c++) {
    well = is_well(world.table, world.kept[c]) &&
           (!(world.table->flags & SECOND_COLUMN) ||
            is_well(&world.second, world.kept[c]));
  }
  return well && same_rows(writable());
}

/* ---- At the end. */

int closes(void) {
  static const kept_check open = {
      "a block that is not closed",
      .sql =
          "SELECT ifnull(max({id}) / {rows}, -1) >"
          " (SELECT ifnull(max(block), -1) FROM {_blocks})"
          " FROM {t} WHERE {id} BETWEEN 0 AND 3999",
      .not_for = NO_BLOCKS};
  if ((world.table->flags & NO_BLOCKS) || world.ids == EXTREME_IDS) {
    return 1;
  }
  both("INSERT OR IGNORE INTO place VALUES(4000)");
  both("INSERT OR REPLACE INTO {t}({id}, {written}) VALUES(4000, 'nobody')");
  return failure()[0] == '\0' && holds(world.table, world.kept[0], &open);
}

#define ABSENT                                                            \
  "(WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE" \
  " i < 300) SELECT 'never ' || i AS k FROM n) AS a"

static const kept_check few_pass[WAYS] = {
    [BY_PART] = {"absent keys that their part has, over a tenth",
                 .sql = "SELECT avg(bloom_may_match(a.k, (SELECT f FROM {_part}"
                        "  WHERE part = bloom_part(a.k, parts)))) >= 0.1"
                        " FROM " ABSENT},
    [BY_JOIN] = {"absent keys that pass the join, over a tenth",
                 .sql =
                     "SELECT avg(bloom_may_match(a.k,"
                     " (SELECT filter FROM {_filter}))) >= 0.1 FROM " ABSENT},
    [BY_SPANS] = {"absent keys that closed blocks have, over a tenth",
                  .sql =
                      "SELECT ifnull(avg(bloom_may_match(a.k, s.f)) >= 0.1, 0)"
                      " FROM " ABSENT ", {_spans} AS s WHERE s.f IS NOT NULL",
                  .not_for = NO_BLOCKS},
};

int excludes(void) {
  return make_filters() && all_hold(world.table, world.kept[0], few_pass, WAYS);
}
