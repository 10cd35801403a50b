/*
** The tables of a mirror: what the connection's own table has, and the virtual
** table that stands for it.
*/
#include <string.h>

#include "../compat.h"
#include "mirror.h"

/* What a declared type of a column means, as SQLite's documentation has it. */
static const char *affinity_of(const char *type, bool strict) {
  static const char *const rules[][2] = {
      {"%INT%", "INTEGER"}, {"%CHAR%", "TEXT"}, {"%CLOB%", "TEXT"},
      {"%TEXT%", "TEXT"},   {"%BLOB%", "BLOB"}, {"%REAL%", "REAL"},
      {"%FLOA%", "REAL"},   {"%DOUB%", "REAL"}, {"%", "NUMERIC"}};
  int i = 0;
  while (sqlite3_strlike(rules[i][0], type, 0) != 0) i++;
  return *type == 0 || (strict && sqlite3_stricmp(type, "ANY") == 0)
             ? "BLOB"
             : rules[i][1];
}

/* What a row of the columns of a table is added to. */
typedef struct table_columns {
  sql_mirror *mirror;
  mirror_table *table;
  sqlite3_str *columns;     /* mirror_columns, one behind the other */
  sqlite3_str *declaration; /* of the virtual table, */
  sqlite3_str *twin;        /* and of its twin */
} table_columns;

static int add_column(void *data, sqlite3_stmt *row) {
  table_columns *added = data;
  sql_mirror *mirror = added->mirror;
  mirror_table *table = added->table;
  const char *collation = NULL;
  table->has_rowid = sqlite3_column_int(row, 3) == 0;
  table->fragile = sqlite3_column_int(row, 5) != 0;
  mirror_column column = {
      .name = sql_arena_text(mirror->arena, "%s", sql_row_text(row, 0)),
      .affinity =
          affinity_of(sql_row_text(row, 1), sqlite3_column_int(row, 4) != 0),
      .plain = sqlite3_column_int(row, 2) == 0,
  };
  table->computed |= !column.plain;
  if (column.name == NULL) return SQLITE_NOMEM;
  const int rc = sqlite3_table_column_metadata(mirror->asks, table->schema,
                                               table->name, column.name, NULL,
                                               &collation, NULL, NULL, NULL);
  if (rc != SQLITE_OK) return rc;
  column.binary = sqlite3_stricmp(collation, "BINARY") == 0;
  sqlite3_str_append(added->columns, (const char *)&column, sizeof(column));
  const char *comma = table->column_count == 0 ? "" : ", ";
  sqlite3_str_appendf(added->declaration, "%s\"%w\" %s COLLATE \"%w\"", comma,
                      column.name, column.affinity, collation);
  sqlite3_str_appendf(added->twin, "%s\"%w\" %s c%d COLLATE \"%w\"", comma,
                      column.name, column.affinity, table->column_count++,
                      collation);
  return SQLITE_OK;
}

/* Whether the connection's authorizer lets it read a column, or all with "*".
** Another error is not that of reading. */
static bool may_read(const sql_mirror *mirror, const mirror_table *table,
                     const char *format, const char *column) {
  sqlite3_stmt *statement;
  char *name = sqlite3_mprintf(format, column);
  const int rc = sql_prepare(mirror->asks,
                             sqlite3_mprintf("SELECT %s FROM \"%w\".\"%w\"",
                                             name, table->schema, table->name),
                             &statement);
  sqlite3_finalize(statement);
  sqlite3_free(name);
  if (rc == SQLITE_NOMEM) mirror->arena->no_memory = true;
  return rc != SQLITE_AUTH;
}

/* Finds out which columns may be read. */
static void find_readable(const sql_mirror *mirror, mirror_table *table) {
  table->guarded = !may_read(mirror, table, "%s", "*");
  for (int i = 0; table->guarded && i < table->column_count; i++) {
    table->columns[i].readable =
        may_read(mirror, table, "\"%w\"", table->columns[i].name);
  }
}

/* Makes the virtual table. */
static int declare_table(sql_mirror *mirror, const mirror_table *table) {
  return mirror->arena->no_memory
             ? SQLITE_NOMEM
             : sql_mirror_rows(
                   mirror, mirror->db,
                   sqlite3_mprintf("CREATE VIRTUAL TABLE \"%w\".\"%w\" USING "
                                   "bloom_mirror(CREATE TABLE t(%s))",
                                   table->schema, table->name,
                                   table->declaration),
                   NULL, NULL);
}

mirror_table *sql_add_table(sql_mirror *mirror) {
  mirror_table **place = &mirror->tables;
  while (*place != NULL) place = &(*place)->next;
  return *place = sql_arena_allocate(mirror->arena, sizeof(**place));
}

const mirror_table *sql_mirror_twin(sql_mirror *mirror,
                                    const mirror_table *table) {
  for (const mirror_table *at = mirror->tables; at != NULL; at = at->next) {
    if (at->twin_of == table) return at;
  }
  mirror_table *twin = sql_add_table(mirror);
  if (twin == NULL) return NULL;
  mirror_table *next = twin->next;
  *twin = *table;
  twin->next = next;
  twin->twin_of = table;
  twin->declaration = table->twin;
  twin->schema = "main";
  twin->name = sql_arena_text(mirror->arena, "bloom twin of %s in %s",
                              table->name, table->schema);
  return declare_table(mirror, twin) == SQLITE_OK ? twin : NULL;
}

/* Reads a table's columns, and makes the virtual table. Before a lookup in an
** index that has a VIRTUAL column, SQLite 3.40 may use a Bloom filter of its
** own that lacks keys, but only if the table has another condition. SQLite 3.52
** is right. */
int sql_make_table(sql_mirror *mirror, mirror_table *table) {
  table_columns added = {mirror, table, sqlite3_str_new(NULL),
                         sqlite3_str_new(NULL), sqlite3_str_new(NULL)};
  int rc = sql_mirror_rows(
      mirror, mirror->asks,
      sqlite3_mprintf(
          "SELECT x.name, x.type, x.hidden, l.wr, l.strict, %d AND EXISTS ("
          "SELECT 1 FROM main.pragma_index_list(%Q, %Q) AS n CROSS JOIN "
          "main.pragma_index_xinfo(n.name, %Q) AS i CROSS JOIN "
          "main.pragma_table_xinfo(%Q, %Q) AS c "
          "WHERE c.cid = i.cid AND i.key AND c.hidden = 2) "
          "FROM main.pragma_table_list(%Q) AS l CROSS JOIN "
          "main.pragma_table_xinfo(l.name, l.schema) AS x WHERE l.schema = %Q",
          sqlite3_libversion_number() < 3052000, table->name, table->schema,
          table->schema, table->name, table->schema, table->name,
          table->schema),
      add_column, &added);
  int size;
  table->columns = sql_arena_finish(mirror->arena, added.columns, &rc, &size);
  table->declaration =
      sql_arena_finish(mirror->arena, added.declaration, &rc, &size);
  table->twin = sql_arena_finish(mirror->arena, added.twin, &rc, &size);
  if (rc != SQLITE_OK) return rc;
  table->has_rowid &= sql_find_column(table, "rowid") == NULL;
  find_readable(mirror, table);
  return declare_table(mirror, table);
}

mirror_table *sql_json_table(sql_mirror *mirror) {
  static const char *const names[] = {"key",  "value",  "type",    "atom",
                                      "id",   "parent", "fullkey", "path",
                                      "json", "root"};
  const int count = sizeof(names) / sizeof(*names);
  mirror_table *table = sql_add_table(mirror);
  mirror_column *columns =
      sql_arena_allocate(mirror->arena, (uint64_t)count * sizeof(*columns));
  if (table == NULL || columns == NULL) return NULL;
  for (int i = 0; i < count; i++) {
    /* A value has no type, and is compared with TEXT as TEXT. Of the others,
    ** the arguments alone are of use. */
    const bool is_text = i == 1 || i >= SQL_JSON_ARGUMENT;
    columns[i] = (mirror_column){names[i], is_text ? "TEXT" : "BLOB", true,
                                 is_text, true};
  }
  *table = (mirror_table){.schema = "main",
                          .name = "json_each",
                          .columns = columns,
                          .column_count = count,
                          .is_function = true};
  return table;
}

static int note_search(void *data, sqlite3_stmt *row) {
  *(bool *)data = strncmp(sql_row_text(row, 3), "SEARCH ", 7) == 0;
  return SQLITE_OK;
}

bool sql_has_index(sql_mirror *mirror, const mirror_table *table, int column) {
  bool found = false;
  const char *query = sql_arena_text(
      mirror->arena, "SELECT 1 FROM \"%w\".\"%w\" AS t WHERE t.\"%w\" = ?1",
      table->schema, table->name, table->columns[column].name);
  if (query != NULL &&
      sql_explain(mirror, mirror->asks, "EXPLAIN QUERY PLAN", query,
                  note_search, &found) == SQLITE_NOMEM) {
    mirror->arena->no_memory = true;
  }
  mirror->problem = NULL;
  return found;
}

const mirror_column *sql_find_column(const mirror_table *table,
                                     const char *name) {
  for (int i = 0; i < table->column_count; i++) {
    if (sqlite3_stricmp(table->columns[i].name, name) == 0) {
      return &table->columns[i];
    }
  }
  return NULL;
}
