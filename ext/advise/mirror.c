#include "mirror.h"

#include <stdarg.h>
#include <string.h>

#include "../compat.h"
#include "../token.h"

const char *sql_name(sql_arena *arena, const char *name) {
  size_t i = 0;
  while ((name[i] >= 'a' && name[i] <= 'z') || name[i] == '_' ||
         (name[i] >= 'A' && name[i] <= 'Z') ||
         (i > 0 && name[i] >= '0' && name[i] <= '9')) {
    i++;
  }
  const bool needs_quotes =
      i == 0 || name[i] != 0 || sqlite3_keyword_check(name, (int)i) ||
      sqlite3_stricmp(name, "true") == 0 || sqlite3_stricmp(name, "false") == 0;
  return needs_quotes ? sql_arena_text(arena, "\"%w\"", name) : name;
}

const char *sql_table_text(sql_arena *arena, const mirror_table *table) {
  return sql_arena_text(arena, "%s.%s", sql_name(arena, table->schema),
                        sql_name(arena, table->name));
}

int sql_mirror_problem(sql_mirror *mirror, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *problem = sqlite3_vmprintf(format, arguments);
  va_end(arguments);
  mirror->problem = sql_arena_keep(mirror->arena, problem);
  return SQLITE_ERROR;
}

int sql_mirror_rows(sql_mirror *mirror, sqlite3 *db, char *sql,
                    int (*each)(void *data, sqlite3_stmt *row), void *data) {
  const int rc = sql_each_row(db, sql, each, data);
  if (rc == SQLITE_NOMEM) mirror->arena->no_memory = true;
  if (rc != SQLITE_OK && mirror->problem == NULL) {
    sql_mirror_problem(mirror, "the query cannot be analysed: %s",
                       sqlite3_errmsg(db));
  }
  return rc;
}

/* ---- The virtual tables. They are only planned for, never read. */

typedef struct mirror_vtab {
  sqlite3_vtab base;
  sql_mirror *mirror;
  mirror_table *table;
} mirror_vtab;

mirror_table *sql_find_table(const sql_mirror *mirror, const char *schema,
                             const char *name) {
  mirror_table *table = mirror->tables;
  while (table != NULL && (strcmp(table->schema, schema) != 0 ||
                           strcmp(table->name, name) != 0)) {
    table = table->next;
  }
  return table;
}

static int mirror_connect(sqlite3 *db, void *data, int argc,
                          const char *const *argv, sqlite3_vtab **vtab,
                          char **error) {
  (void)error;
  /* The only argument of the module is the table's declaration. json_each has
  ** none. */
  const bool is_function = argc < 4;
  const int rc =
      sqlite3_declare_vtab(db, is_function ? SQL_JSON_DECLARATION : argv[3]);
  if (rc != SQLITE_OK) return rc;
  mirror_vtab *made = sqlite3_malloc64(sizeof(*made));
  if (made == NULL) return SQLITE_NOMEM;
  *made = (mirror_vtab){.mirror = data,
                        .table = is_function
                                     ? sql_json_table(data)
                                     : sql_find_table(data, argv[1], argv[2])};
  if (made->table == NULL) {
    sqlite3_free(made);
    return SQLITE_NOMEM;
  }
  *vtab = &made->base;
  sql_vtab_risk(db, false);
  return SQLITE_OK;
}

static int mirror_disconnect(sqlite3_vtab *vtab) {
  sqlite3_free(vtab);
  return SQLITE_OK;
}

/* The operators whose constraints are taken, and how SQL writes them. An outer
** join may need rows for which those after the first are false, though SQLite
** lists them for the table. */
#define ALWAYS_NEEDED 5
static const struct mirror_operator {
  int op;
  const char *text;
} mirror_operators[] = {
    {SQLITE_INDEX_CONSTRAINT_EQ, "="},
    {SQLITE_INDEX_CONSTRAINT_LT, "<"},
    {SQLITE_INDEX_CONSTRAINT_LE, "<="},
    {SQLITE_INDEX_CONSTRAINT_GT, ">"},
    {SQLITE_INDEX_CONSTRAINT_GE, ">="},
    {SQLITE_INDEX_CONSTRAINT_NE, "<>"},
    {SQLITE_INDEX_CONSTRAINT_LIKE, "LIKE"},
    {SQLITE_INDEX_CONSTRAINT_GLOB, "GLOB"},
    {SQLITE_INDEX_CONSTRAINT_ISNULL, "IS NULL"},
    {SQLITE_INDEX_CONSTRAINT_ISNOTNULL, "IS NOT NULL"},
    {0, NULL},
};

/* What a taken constraint with a constant, or with none, says of a column with
** whose collation it compares; or NULL, also if the column might be converted
** for that, or does not read back. */
static const char *condition_of(sql_mirror *mirror, const mirror_column *column,
                                const struct mirror_operator *found,
                                sqlite3_value *value) {
  const bool is_pattern = found->op == SQLITE_INDEX_CONSTRAINT_LIKE ||
                          found->op == SQLITE_INDEX_CONSTRAINT_GLOB;
  const bool is_text = strcmp(column->affinity, "TEXT") == 0;
  const char *text = NULL;
  if (!column->plain || !column->binary || (is_pattern && !is_text) ||
      (found - mirror_operators >= ALWAYS_NEEDED && mirror->outer_joins)) {
    return NULL;
  }
  if (value == NULL) return found->text;
  const int type = sqlite3_value_type(value);
  if (strcmp(column->affinity, "BLOB") == 0 || type == SQLITE_BLOB ||
      (is_text && type != SQLITE_TEXT)) {
    return NULL;
  }
  sqlite3_bind_value(mirror->quote, 1, value);
  if (sqlite3_step(mirror->quote) == SQLITE_ROW) {
    text = sql_arena_text(mirror->arena, "%s %s", found->text,
                          sql_row_text(mirror->quote, 0));
  }
  const int rc = sqlite3_reset(mirror->quote);
  if (rc == SQLITE_NOMEM) mirror->arena->no_memory = true;
  return text;
}

/* SQLite's own Bloom filters, for the columns of an index, had a hash of a
** text's length at first, which a collation may ignore, so that it may lose
** rows by itself. A query that had no such filter may get one where the probed
** table has a condition. */
static void check_collation(sql_mirror *mirror, const char *collation) {
  /* Uncovered: branches are counted with an older library. */
  if (sqlite3_libversion_number() >= 3043000 || mirror->problem != NULL ||
      sqlite3_stricmp(collation, "BINARY") == 0 ||
      sqlite3_stricmp(collation, "NOCASE") == 0) {
    return;
  }
  sql_mirror_problem(mirror,
                     "it compares with the collation %s, with which SQLite "
                     "before 3.43 may lose rows by itself",
                     collation);
}

/* Takes a constraint, if it is one to take. */
static bool take_constraint(sql_mirror *mirror, const mirror_table *table,
                            sqlite3_index_info *info, int i,
                            taken_constraint *taken) {
  const struct sqlite3_index_constraint *constraint = &info->aConstraint[i];
  const struct mirror_operator *found = mirror_operators;
  sqlite3_value *value = NULL;
  while (found->text != NULL && found->op != constraint->op) found++;
  if (constraint->op == SQLITE_INDEX_CONSTRAINT_EQ) {
    check_collation(mirror, sqlite3_vtab_collation(info, i));
  }
  if (!constraint->usable || found->text == NULL) return false;
  const bool is_null_test = constraint->op == SQLITE_INDEX_CONSTRAINT_ISNULL ||
                            constraint->op == SQLITE_INDEX_CONSTRAINT_ISNOTNULL;
  if (!is_null_test && sql_vtab_constant(info, i, &value) == SQLITE_NOMEM) {
    mirror->arena->no_memory = true;
  }
  *taken = (taken_constraint){
      .column = constraint->iColumn,
      .constant = value != NULL || is_null_test,
      .type = value == NULL ? SQLITE_NULL : sqlite3_value_type(value),
      .binary = sqlite3_stricmp(sqlite3_vtab_collation(info, i), "BINARY") == 0,
  };
  if (!taken->constant) return constraint->op == SQLITE_INDEX_CONSTRAINT_EQ;
  /* SQLite derives such a range from a LIKE or GLOB, for TEXT alone. */
  const bool is_derived =
      mirror->patterns && (constraint->op == SQLITE_INDEX_CONSTRAINT_GE ||
                           constraint->op == SQLITE_INDEX_CONSTRAINT_LT);
  if (constraint->iColumn >= 0 && !is_derived && taken->binary) {
    taken->condition = condition_of(
        mirror, &table->columns[constraint->iColumn], found, value);
  }
  return true;
}

static int mirror_best_index(sqlite3_vtab *base, sqlite3_index_info *info) {
  const mirror_vtab *vtab = (const mirror_vtab *)base;
  sql_mirror *mirror = vtab->mirror;
  mirror_plan *plan = sql_arena_allocate(
      mirror->arena,
      sizeof(*plan) + (uint64_t)info->nConstraint * sizeof(*plan->taken));
  bool joined = false;
  if (plan == NULL) return SQLITE_NOMEM;
  plan->next = mirror->plans;
  plan->number = plan->next == NULL ? 1 : plan->next->number + 1;
  plan->name = sql_arena_text(mirror->arena, "bloom:%d", plan->number);
  plan->table = vtab->table;
  mirror->plans = plan;
  for (int i = 0; i < info->nConstraint; i++) {
    taken_constraint *taken = &plan->taken[plan->count];
    if (plan->table->is_function) {
      /* It is made of its arguments, and then read. */
      if (info->aConstraint[i].iColumn < SQL_JSON_ARGUMENT) continue;
      if (!info->aConstraint[i].usable) return SQLITE_CONSTRAINT;
    }
    if (!take_constraint(mirror, plan->table, info, i, taken)) continue;
    info->aConstraintUsage[i].argvIndex = ++plan->count;
    /* It is evaluated once, for xFilter. */
    info->aConstraintUsage[i].omit = 1;
    joined = joined || !taken->constant;
  }
  info->idxStr = sqlite3_mprintf("%s", plan->name);
  info->needToFreeIdxStr = 1;
  /* Reading a table with conditions of its own costs as much as without, so
  ** that no OR of such is planned as several ways to read it. */
  info->estimatedCost = plan->table->is_function ? 1 : joined ? 10 : 100000;
  info->estimatedRows = plan->table->is_function ? 25 : joined ? 1 : 100000;
  return info->idxStr == NULL || mirror->arena->no_memory ? SQLITE_NOMEM
                                                          : SQLITE_OK;
}

static int mirror_open(sqlite3_vtab *vtab, sqlite3_vtab_cursor **cursor) {
  (void)vtab, (void)cursor;
  return SQLITE_ERROR;
}

static const sqlite3_module mirror_module = {
    .xCreate = mirror_connect,
    .xConnect = mirror_connect,
    .xBestIndex = mirror_best_index,
    .xDisconnect = mirror_disconnect,
    .xDestroy = mirror_disconnect,
    .xOpen = mirror_open,
};

/* ---- What stands in for the connection's own functions and collations. It is
** never called. */

static void mirror_function(sqlite3_context *context, int argc,
                            sqlite3_value **argv) {
  (void)context, (void)argc, (void)argv;
}

static void mirror_value(sqlite3_context *context) {
  (void)context;
}

static int mirror_compare(void *data, int size, const void *a, int other,
                          const void *b) {
  (void)data, (void)size, (void)a, (void)other, (void)b;
  return 0;
}

static void mirror_collation(void *data, sqlite3 *db, int encoding,
                             const char *name) {
  (void)encoding;
  sqlite3_create_collation(db, name, SQLITE_UTF8, data, mirror_compare);
}

#ifndef SQLITE_DETERMINISTIC
#define SQLITE_DETERMINISTIC 0x000000800
#endif

/* Adds a function of the connection's own. The columns are name, builtin, type,
** enc, narg and flags. */
static int add_stand_in(void *data, sqlite3_stmt *row) {
  sql_mirror *mirror = data;
  const char *name = sql_row_text(row, 0);
  const int arguments = sqlite3_column_int(row, 4);
  const int flags = SQLITE_UTF8 | SQLITE_INNOCUOUS |
                    (sqlite3_column_int(row, 5) & SQLITE_DETERMINISTIC);
  if (sqlite3_column_int(row, 1) != 0) return SQLITE_OK;
  return *sql_row_text(row, 2) == 's'
             ? sqlite3_create_function_v2(mirror->db, name, arguments, flags,
                                          NULL, mirror_function, NULL, NULL,
                                          NULL)
             : sqlite3_create_window_function(
                   mirror->db, name, arguments, flags, NULL, mirror_function,
                   mirror_value, mirror_value, mirror_function, NULL);
}

/* ---- Tables and views, of which only those are made that the query or one of
** these views names. */

/* Puts spaces in the place of each INDEXED BY, which the mirror has not. */
static const char *blank_indexed(char *text) {
  const char *at = text;
  for (sql_token token; (token = sql_next_token(&at)).kind != TOKEN_END;) {
    const char *end = at;
    if (sql_token_is(token, "INDEXED") &&
        sql_token_is(sql_next_token(&end), "BY")) {
      sql_next_token(&end);
      memset(text + (token.start - text), ' ', (size_t)(end - token.start));
    }
  }
  return text;
}

/* Makes a table or a view that the text names, unless it is there already. */
static int make_object(void *data, sqlite3_stmt *row) {
  static const char create_view[] = "CREATE VIEW ";
  static const int size = sizeof(create_view) - 1;
  sql_mirror *mirror = data;
  const char *name = sql_row_text(row, 0), *sql = sql_row_text(row, 1);
  /* A query that reads a virtual table cannot be prepared in the mirror. */
  if (sql_count_tokens(mirror->text, name) == 0 ||
      sqlite3_strnicmp(sql, "CREATE VIRTUAL ", 15) == 0) {
    return SQLITE_OK;
  }
  if (sql_find_table(mirror, mirror->schema, name) != NULL) return SQLITE_OK;
  mirror_table *table = sql_add_table(mirror);
  if (table == NULL) return SQLITE_NOMEM;
  table->schema = mirror->schema;
  table->name = sql_arena_text(mirror->arena, "%s", name);
  if (sqlite3_strnicmp(sql, create_view, size) != 0) {
    return table->name == NULL ? SQLITE_NOMEM : sql_make_table(mirror, table);
  }
  /* The schema has "CREATE VIEW NAME ...", whatever the user wrote. */
  char *view = sql_arena_text(mirror->arena, "%s", sql);
  if (view == NULL) return SQLITE_NOMEM;
  table->view = blank_indexed(view);
  return sql_mirror_rows(
      mirror, mirror->db,
      sqlite3_mprintf("CREATE VIEW \"%w\".%s", table->schema, view + size),
      NULL, NULL);
}

/* Makes what the text names of a database. */
static int make_named(void *data, sqlite3_stmt *row) {
  sql_mirror *mirror = data;
  mirror->schema = sql_arena_text(mirror->arena, "%s", sql_row_text(row, 1));
  return sql_mirror_rows(
      mirror, mirror->asks,
      sqlite3_mprintf("SELECT name, sql FROM \"%w\".sqlite_master "
                      "WHERE type IN ('table', 'view') "
                      "AND name NOT LIKE 'sqlite\\_%%' ESCAPE '\\'",
                      mirror->schema),
      make_object, mirror);
}

/* Notes what a text may have, of which the plan shows no trace. */
static void note_words(sql_mirror *mirror, const char *text) {
  for (sql_token token; (token = sql_next_token(&text)).kind != TOKEN_END;) {
    mirror->full_joins |= sql_token_is(token, "RIGHT FULL");
    mirror->outer_joins |= sql_token_is(token, "RIGHT FULL LEFT");
    mirror->patterns |= sql_token_is(token, "LIKE GLOB");
    mirror->collates |= sql_token_is(token, "COLLATE");
    mirror->compounds |= sql_token_is(token, "UNION EXCEPT INTERSECT");
  }
}

void sql_note_words(sql_mirror *mirror) {
  mirror->outer_joins = mirror->full_joins = false;
  mirror->patterns = mirror->collates = mirror->compounds = false;
  note_words(mirror, mirror->query);
  for (const mirror_table *at = mirror->tables; at != NULL; at = at->next) {
    if (at->view != NULL) note_words(mirror, at->view);
  }
}

static char *database_list(void) {
  return sqlite3_mprintf("PRAGMA database_list");
}

/* Makes what a text names. */
static int make_all_named(sql_mirror *mirror, const char *text) {
  mirror->text = text;
  return sql_mirror_rows(mirror, mirror->asks, database_list(), make_named,
                         mirror);
}

static int attach_database(void *data, sqlite3_stmt *row) {
  return sqlite3_column_int(row, 0) < 2
             ? SQLITE_OK
             : sql_each_row(data,
                            sqlite3_mprintf("ATTACH ':memory:' AS \"%w\"",
                                            sql_row_text(row, 1)),
                            NULL, NULL);
}

int sql_open_memory(sql_mirror *mirror, sqlite3 **db) {
  const int rc = sqlite3_open_v2(
      ":memory:", db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);
  if (rc != SQLITE_OK) return rc;
  /* A program may load the extension into each of its connections. Here, a
  ** query that calls itself would not be known for one. */
  sqlite3_create_module(*db, "bloom_advise", NULL, NULL);
  sqlite3_create_module(*db, "bloom_compare", NULL, NULL);
#ifdef SQLITE_DBCONFIG_DQS_DML
  /* If the query can be prepared without strings in double quotes, it has the
  ** same names with them. */
  sqlite3_db_config(*db, SQLITE_DBCONFIG_DQS_DML, 1, NULL);
  sqlite3_db_config(*db, SQLITE_DBCONFIG_DQS_DDL, 1, NULL);
#endif
  return sql_mirror_rows(mirror, mirror->asks, database_list(), attach_database,
                         *db);
}

/* Opens the connection in memory. */
static int open_connection(sql_mirror *mirror) {
  /* A REAL is written so that it reads back, or not at all. */
  static const char quote[] =
      "SELECT quote(?1) WHERE typeof(?1) <> 'real' "
      "OR (CAST(quote(?1) AS REAL) = ?1 AND abs(?1) < 9e999)";
  int rc = sql_open_memory(mirror, &mirror->db);
  if (rc != SQLITE_OK) return rc;
  sqlite3_collation_needed(mirror->db, NULL, mirror_collation);
  rc =
      sqlite3_create_module(mirror->db, "bloom_mirror", &mirror_module, mirror);
  if (rc == SQLITE_OK) {
    rc = sqlite3_create_module(mirror->db, "json_each", &mirror_module, mirror);
  }
  if (rc == SQLITE_OK) {
    rc = sqlite3_create_function(mirror->db, SQL_OPERAND, 1, SQLITE_UTF8, NULL,
                                 mirror_function, NULL, NULL);
  }
  return rc != SQLITE_OK
             ? rc
             : sqlite3_prepare_v2(mirror->db, quote, -1, &mirror->quote, NULL);
}

const sql_token *sql_read_tokens(sql_arena *arena, const char *text,
                                 int *count) {
  enum { BEFORE = 2, BEHIND = 8 };
  const char *at = text;
  for (*count = 0; sql_next_token(&at).kind != TOKEN_END;) ++*count;
  const int all = *count + BEFORE + BEHIND;
  sql_token *tokens =
      sql_arena_allocate(arena, (uint64_t)all * sizeof(*tokens));
  at = text;
  for (int i = 0; tokens != NULL && i < all; i++) {
    const bool is_end = i < BEFORE || i >= *count + BEFORE;
    tokens[i] = is_end ? (sql_token){TOKEN_END, "", 0} : sql_next_token(&at);
  }
  return tokens == NULL ? NULL : tokens + BEFORE;
}

int sql_open_mirror(sql_mirror *mirror) {
  char *query = sql_arena_text(mirror->arena, "%s", mirror->original);
  mirror->tokens =
      sql_read_tokens(mirror->arena, mirror->original, &mirror->token_count);
  if (query == NULL || mirror->tokens == NULL) return SQLITE_NOMEM;
  mirror->query = blank_indexed(query);
  int rc = open_connection(mirror);
  if (rc == SQLITE_OK) {
    rc = sql_mirror_rows(mirror, mirror->asks,
                         sqlite3_mprintf("PRAGMA function_list"), add_stand_in,
                         mirror);
  }
  if (rc == SQLITE_OK) rc = make_all_named(mirror, mirror->query);
  for (const mirror_table *table = mirror->tables;
       rc == SQLITE_OK && table != NULL; table = table->next) {
    if (table->view != NULL) rc = make_all_named(mirror, table->view);
  }
  sql_note_words(mirror);
  return mirror->arena->no_memory ? SQLITE_NOMEM : rc;
}

void sql_close_mirror(sql_mirror *mirror) {
  sqlite3_finalize(mirror->quote);
  sqlite3_close(mirror->db);
}

int sql_explain(sql_mirror *mirror, sqlite3 *db, const char *prefix,
                const char *query, int (*each)(void *data, sqlite3_stmt *row),
                void *data) {
  if (db == mirror->db) mirror->plans = NULL;
  const int rc = sql_mirror_rows(
      mirror, db, sqlite3_mprintf("%s %s", prefix, query), each, data);
  if (mirror->arena->no_memory) return SQLITE_NOMEM;
  return rc == SQLITE_OK && mirror->problem != NULL ? SQLITE_ERROR : rc;
}

void *sql_read_explained(sql_mirror *mirror, sqlite3 *db, const char *prefix,
                         const char *query,
                         int (*add)(void *reading, sqlite3_stmt *row), int *rc,
                         int *size) {
  sql_reading reading = {mirror, sqlite3_str_new(NULL)};
  *rc = sql_explain(mirror, db, prefix, query, add, &reading);
  return sql_arena_finish(mirror->arena, reading.records, rc, size);
}

const mirror_plan *sql_find_plan(const sql_mirror *mirror, const char *name) {
  const mirror_plan *plan = mirror->plans;
  while (plan != NULL && strcmp(plan->name, name) != 0) plan = plan->next;
  return plan;
}
