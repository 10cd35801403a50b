#include "mirror.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "../compat.h"
#include "../token.h"

const char *sql_row_text(sqlite3_stmt *row, int column) {
  const char *text = (const char *)sqlite3_column_text(row, column);
  return text == NULL ? "" : text;
}

bool sql_grow(void *array, int count, size_t size) {
  void *all;
  memcpy(&all, array, sizeof(all));
  if ((count & (count - 1)) != 0) return true;
  all = sqlite3_realloc64(all, (2 * (uint64_t)count + 1) * size);
  if (all != NULL) memcpy(array, &all, sizeof(all));
  return all != NULL;
}

void sql_append_name(sqlite3_str *text, const char *name) {
  size_t i = 0;
  while ((name[i] >= 'a' && name[i] <= 'z') || name[i] == '_' ||
         (name[i] >= 'A' && name[i] <= 'Z') ||
         (i > 0 && name[i] >= '0' && name[i] <= '9')) {
    i++;
  }
  const bool needs_quotes =
      i == 0 || name[i] != 0 || sqlite3_keyword_check(name, (int)i) ||
      sqlite3_stricmp(name, "true") == 0 || sqlite3_stricmp(name, "false") == 0;
  sqlite3_str_appendf(text, needs_quotes ? "\"%w\"" : "%s", name);
}

/* ---- The virtual tables. They are only planned for, never read. */

typedef struct mirror_vtab {
  sqlite3_vtab base;
  sql_mirror *mirror;
  mirror_table *table;
} mirror_vtab;

static int mirror_connect(sqlite3 *db, void *data, int argc,
                          const char *const *argv, sqlite3_vtab **vtab,
                          char **error) {
  (void)argc, (void)error;
  sql_mirror *mirror = data;
  mirror_table *table = mirror->tables[mirror->table_count - 1];
  (void)argv;
  const int rc = sqlite3_declare_vtab(db, table->declaration);
  if (rc != SQLITE_OK) return rc;
  mirror_vtab *made = sqlite3_malloc64(sizeof(*made));
  if (made == NULL) return SQLITE_NOMEM;
  *made = (mirror_vtab){.mirror = mirror, .table = table};
  table->vtab = *vtab = &made->base;
  sql_vtab_risk(db, false);
  return SQLITE_OK;
}

static int mirror_disconnect(sqlite3_vtab *vtab) {
  sqlite3_free(vtab);
  return SQLITE_OK;
}

/* Whether SQLite reads a text as this REAL. Older versions read some REALs not
** exactly, nor write them so. */
static bool reads_back(sql_mirror *mirror, const char *text, double right) {
  sqlite3_stmt *read = NULL;
  char *sql = sqlite3_mprintf("SELECT %s", text);
  double real = 0;
  if (sql == NULL ||
      sqlite3_prepare_v2(mirror->db, sql, -1, &read, NULL) != SQLITE_OK ||
      sqlite3_step(read) != SQLITE_ROW) {
    mirror->no_memory = true;
  } else {
    real = sqlite3_column_double(read, 0);
  }
  sqlite3_finalize(read);
  sqlite3_free(sql);
  return memcmp(&real, &right, sizeof(real)) == 0;
}

/* The shortest text that SQLite reads as this REAL; NULL if there is none. */
static char *real_text(sql_mirror *mirror, double real) {
  if (isinf(real)) return NULL; /* SQLite writes it as a name */
  /* Uncovered: every version reads what it writes with so many digits. */
  for (int digits = 15; digits <= 17; digits++) {
    char *text = sqlite3_mprintf("%!.*g", digits, real);
    if (text == NULL) mirror->no_memory = true;
    if (text == NULL || reads_back(mirror, text, real)) return text;
    sqlite3_free(text);
  }
  return NULL;
}

/* The text of a constant that a column of this affinity is compared with as it
** is, or NULL if it would be converted or does not read back. */
static char *constant_text(sql_mirror *mirror, const char *affinity,
                           sqlite3_value *value) {
  const int type = sqlite3_value_type(value);
  char *text = NULL;
  if (type == SQLITE_TEXT && strcmp(affinity, "TEXT") == 0) {
    const char *bytes = (const char *)sqlite3_value_text(value);
    /* Uncovered: the text is UTF-8 already. */
    text = bytes == NULL ? NULL : sqlite3_mprintf("%Q", bytes);
  } else if (strcmp(affinity, "TEXT") == 0 || strcmp(affinity, "BLOB") == 0 ||
             (type != SQLITE_INTEGER && type != SQLITE_FLOAT)) {
    return NULL;
  } else if (type == SQLITE_INTEGER) {
    text = sqlite3_mprintf("%lld", sqlite3_value_int64(value));
  } else {
    return real_text(mirror, sqlite3_value_double(value));
  }
  if (text == NULL) mirror->no_memory = true;
  return text;
}

/* The operators whose constraints are taken, and how SQL writes them. */
static const struct mirror_operator {
  int op;
  const char *text;
  bool needs_inner_joins; /* SQLite may list it for a table of which an outer
                          ** join needs rows for which it is false */
} mirror_operators[] = {
    {SQLITE_INDEX_CONSTRAINT_EQ, "=", false},
    {SQLITE_INDEX_CONSTRAINT_LT, "<", false},
    {SQLITE_INDEX_CONSTRAINT_LE, "<=", false},
    {SQLITE_INDEX_CONSTRAINT_GT, ">", false},
    {SQLITE_INDEX_CONSTRAINT_GE, ">=", false},
    {SQLITE_INDEX_CONSTRAINT_NE, "<>", true},
    {SQLITE_INDEX_CONSTRAINT_LIKE, "LIKE", true},
    {SQLITE_INDEX_CONSTRAINT_GLOB, "GLOB", true},
    {SQLITE_INDEX_CONSTRAINT_ISNULL, "IS NULL", true},
    {SQLITE_INDEX_CONSTRAINT_ISNOTNULL, "IS NOT NULL", true},
};

static const struct mirror_operator *find_operator(int op) {
  for (size_t i = 0; i < sizeof(mirror_operators) / sizeof(*mirror_operators);
       i++) {
    if (mirror_operators[i].op == op) return &mirror_operators[i];
  }
  return NULL;
}

static bool is_pattern(int op) {
  return op == SQLITE_INDEX_CONSTRAINT_LIKE ||
         op == SQLITE_INDEX_CONSTRAINT_GLOB;
}

/* Whether SQLite may have derived a range from a LIKE or GLOB of the column: it
** holds for TEXT alone. */
static bool may_be_derived(const sql_mirror *mirror,
                           const sqlite3_index_info *info, int i) {
  const struct sqlite3_index_constraint *constraint = &info->aConstraint[i];
  if (constraint->op != SQLITE_INDEX_CONSTRAINT_GE &&
      constraint->op != SQLITE_INDEX_CONSTRAINT_LT) {
    return false;
  }
  if (mirror->escapes || mirror->own_like) return true;
  for (int other = 0; other < info->nConstraint; other++) {
    if (info->aConstraint[other].iColumn == constraint->iColumn &&
        is_pattern(info->aConstraint[other].op)) {
      return true;
    }
  }
  return false;
}

/* What a taken constraint with a constant says of a column, or NULL. */
static char *condition_of(sql_mirror *mirror, const mirror_column *column,
                          const struct mirror_operator *found,
                          sqlite3_value *value, bool binary) {
  if (!column->plain || !column->binary || !binary ||
      (found->needs_inner_joins && mirror->outer_joins) ||
      (is_pattern(found->op) &&
       (mirror->own_like || strcmp(column->affinity, "TEXT") != 0))) {
    return NULL;
  }
  char *text =
      value == NULL ? NULL : constant_text(mirror, column->affinity, value);
  if (value != NULL && text == NULL) return NULL;
  char *condition =
      sqlite3_mprintf("%s%s%z", found->text, value == NULL ? "" : " ", text);
  if (condition == NULL) mirror->no_memory = true;
  return condition;
}

/* Takes a constraint, if it is one to take. */
static bool take_constraint(sql_mirror *mirror, const mirror_table *table,
                            sqlite3_index_info *info, int i,
                            taken_constraint *taken) {
  const struct sqlite3_index_constraint *constraint = &info->aConstraint[i];
  const struct mirror_operator *found = find_operator(constraint->op);
  sqlite3_value *value = NULL;
  if (!constraint->usable || found == NULL) return false;
  const int rc = sql_vtab_constant(info, i, &value);
  if (rc == SQLITE_NOMEM) mirror->no_memory = true;
  const bool is_null_test = constraint->op == SQLITE_INDEX_CONSTRAINT_ISNULL ||
                            constraint->op == SQLITE_INDEX_CONSTRAINT_ISNOTNULL;
  if (is_null_test) value = NULL;
  *taken = (taken_constraint){
      .column = constraint->iColumn,
      .op = constraint->op,
      .constant = value != NULL || is_null_test,
      .type = value == NULL ? SQLITE_NULL : sqlite3_value_type(value),
      .binary = sqlite3_stricmp(sqlite3_vtab_collation(info, i), "BINARY") == 0,
  };
  if (!taken->constant) return constraint->op == SQLITE_INDEX_CONSTRAINT_EQ;
  if (constraint->iColumn >= 0 && !may_be_derived(mirror, info, i)) {
    taken->condition =
        condition_of(mirror, &table->columns[constraint->iColumn], found, value,
                     taken->binary);
  }
  return true;
}

/* Adds a plan that has room for so many constraints. */
static mirror_plan *add_plan(sql_mirror *mirror, int constraints) {
  mirror_plan *plan = sqlite3_malloc64(
      sizeof(*plan) + (uint64_t)constraints * sizeof(*plan->taken));
  if (plan == NULL ||
      !sql_grow(&mirror->plans, mirror->plan_count, sizeof(plan))) {
    sqlite3_free(plan);
    return NULL;
  }
  plan->count = 0;
  mirror->plans[mirror->plan_count++] = plan;
  return plan;
}

/* The number of the plan stands in what EXPLAIN says. */
static int mirror_best_index(sqlite3_vtab *base, sqlite3_index_info *info) {
  const mirror_vtab *vtab = (const mirror_vtab *)base;
  mirror_plan *plan = add_plan(vtab->mirror, info->nConstraint);
  bool restricted = false, joined = false;
  if (plan == NULL) return SQLITE_NOMEM;
  plan->table = vtab->table;
  for (int i = 0; i < info->nConstraint; i++) {
    taken_constraint *taken = &plan->taken[plan->count];
    if (!take_constraint(vtab->mirror, plan->table, info, i, taken)) continue;
    info->aConstraintUsage[i].argvIndex = ++plan->count;
    restricted = restricted || taken->constant;
    joined = joined || !taken->constant;
  }
  if (vtab->mirror->no_memory) return SQLITE_NOMEM;
  info->idxStr = sqlite3_mprintf(
      "%d", vtab->mirror->plan_count - vtab->mirror->first_plan);
  info->needToFreeIdxStr = 1;
  info->estimatedCost = joined ? 10 : restricted ? 1000 : 100000;
  info->estimatedRows = joined ? 1 : restricted ? 100 : 100000;
  return info->idxStr == NULL ? SQLITE_NOMEM : SQLITE_OK;
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

/* Prepares a statement, which the connection that asks runs, or the mirror. */
static int mirror_prepare(sql_mirror *mirror, sqlite3 *db,
                          sqlite3_stmt **statement, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *sql = sqlite3_vmprintf(format, arguments);
  va_end(arguments);
  *statement = NULL;
  mirror->failed = db;
  const int rc = sql == NULL ? SQLITE_NOMEM
                             : sqlite3_prepare_v2(db, sql, -1, statement, NULL);
  sqlite3_free(sql);
  return rc;
}

/* Ends a statement, after whose last step the code is rc. */
static int mirror_finalize(sqlite3_stmt *statement, int rc) {
  const int end = sqlite3_finalize(statement);
  return end == SQLITE_NOMEM || rc == SQLITE_ROW || rc == SQLITE_DONE ? end
                                                                      : rc;
}

static int stand_in_for(sql_mirror *mirror, const char *name, char type,
                        int arguments, int flags) {
  if (sqlite3_stricmp(name, "like") == 0 ||
      sqlite3_stricmp(name, "glob") == 0) {
    mirror->own_like = true;
  }
  /* Uncovered: the shell has no such function of its own. */
  if (type == 'w') {
    return sqlite3_create_window_function(mirror->db, name, arguments, flags,
                                          NULL, mirror_function, mirror_value,
                                          mirror_value, mirror_function, NULL);
  }
  const bool scalar = type == 's';
  return sqlite3_create_function_v2(
      mirror->db, name, arguments, flags, NULL, scalar ? mirror_function : NULL,
      scalar ? NULL : mirror_function, scalar ? NULL : mirror_value, NULL);
}

/* Adds the connection's own functions that a text names. */
static int mirror_functions(sql_mirror *mirror, const char *text) {
  sqlite3_stmt *row;
  /* The columns are name, builtin, type, enc, narg and flags. */
  int rc = mirror_prepare(mirror, mirror->asks, &row, "PRAGMA function_list");
  while (rc == SQLITE_OK && (rc = sqlite3_step(row)) == SQLITE_ROW) {
    const char *name = sql_row_text(row, 0);
    rc = SQLITE_OK;
    if (sqlite3_column_int(row, 1) == 0 && sql_count_tokens(text, name) > 0) {
      rc = stand_in_for(
          mirror, name, *sql_row_text(row, 2), sqlite3_column_int(row, 4),
          SQLITE_UTF8 | SQLITE_INNOCUOUS |
              (sqlite3_column_int(row, 5) & SQLITE_DETERMINISTIC));
    }
  }
  return mirror_finalize(row, rc);
}

/* Copies SQL without any INDEXED BY, since the mirror has no indexes. */
static char *without_indexes(const char *sql) {
  char *copy = sqlite3_mprintf("%s", sql);
  const char *at = copy;
  if (copy == NULL) return NULL;
  for (sql_token token; (token = sql_next_token(&at)).kind != TOKEN_END;) {
    const char *behind = at;
    if (sql_token_is(token, "INDEXED") &&
        sql_token_is(sql_next_token(&behind), "BY")) {
      sql_next_token(&behind);
      memset(copy + (token.start - copy), ' ', (size_t)(behind - token.start));
    }
  }
  return copy;
}

/* ---- Tables and views, of which only those are made that the query or one of
** these views names. */

/* What a declared type of a column means, as SQLite's documentation has it. */
static const char *affinity_of(const char *type, bool strict) {
  static const struct {
    const char *part;
    const char *affinity;
  } rules[] = {{"INT", "INTEGER"}, {"CHAR", "TEXT"}, {"CLOB", "TEXT"},
               {"TEXT", "TEXT"},   {"BLOB", "BLOB"}, {"REAL", "REAL"},
               {"FLOA", "REAL"},   {"DOUB", "REAL"}};
  if (type[0] == 0 || (strict && sqlite3_stricmp(type, "ANY") == 0)) {
    return "BLOB";
  }
  for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
    for (const char *at = type; *at != 0; at++) {
      if (sqlite3_strnicmp(at, rules[i].part, (int)strlen(rules[i].part)) ==
          0) {
        return rules[i].affinity;
      }
    }
  }
  return "NUMERIC";
}

static void free_mirror_table(mirror_table *table) {
  for (int i = 0; i < table->column_count; i++) {
    sqlite3_free(table->columns[i].name);
  }
  sqlite3_free(table->columns);
  sqlite3_free(table->declaration);
  sqlite3_free(table->view);
  sqlite3_free(table->schema);
  sqlite3_free(table->name);
  sqlite3_free(table);
}

/* Notes what cannot be mirrored. */
static int mirror_problem(sql_mirror *mirror, char *problem) {
  sqlite3_free(mirror->problem);
  mirror->problem = problem;
  return problem == NULL ? SQLITE_NOMEM : SQLITE_OK;
}

/* Whether SQLite itself may lose rows by a collation. Its own Bloom filters,
** for the columns of an index, had a hash of a text's length at first, which a
** collation may ignore. A query that had none may get one where the probed
** table has a condition. */
static bool may_lose_rows(sql_token collation) {
  /* Uncovered: branches are counted with an older library. */
  return sqlite3_libversion_number() < 3043000 &&
         !sql_token_names(collation, "BINARY") &&
         !sql_token_names(collation, "NOCASE");
}

static int check_collation(sql_mirror *mirror, const mirror_table *table,
                           const char *name, const char *collation) {
  if (!may_lose_rows((sql_token){TOKEN_WORD, collation, strlen(collation)})) {
    return SQLITE_OK;
  }
  return mirror_problem(
      mirror, sqlite3_mprintf("%s.%s has the collation %s, with which SQLite "
                              "before 3.43 may lose rows by itself",
                              table->name, name, collation));
}

/* The same for each COLLATE of the query or of a view. */
static int check_collations(sql_mirror *mirror, const char *text) {
  int rc = SQLITE_OK;
  for (sql_token token; (token = sql_next_token(&text)).kind != TOKEN_END;) {
    if (!sql_token_is(token, "COLLATE")) continue;
    mirror->collates = true;
    const sql_token collation = sql_next_token(&text);
    if (rc == SQLITE_OK && may_lose_rows(collation)) {
      rc = mirror_problem(
          mirror, sqlite3_mprintf(
                      "the query or a view has COLLATE %.*s, with which SQLite "
                      "before 3.43 may lose rows by itself",
                      (int)collation.length, collation.start));
    }
  }
  return rc;
}

/* Adds a column, which a row of PRAGMA table_xinfo describes, to a table and to
** its declaration. */
static int add_column(sql_mirror *mirror, mirror_table *table, bool strict,
                      sqlite3_stmt *row, sqlite3_str *declaration) {
  const char *name = sql_row_text(row, 1);
  const char *type = sql_row_text(row, 2);
  const char *collation = NULL;
  const int count = table->column_count;
  if (!sql_grow(&table->columns, count, sizeof(mirror_column))) {
    return SQLITE_NOMEM;
  }
  const int rc =
      sqlite3_table_column_metadata(mirror->asks, table->schema, table->name,
                                    name, NULL, &collation, NULL, NULL, NULL);
  if (rc != SQLITE_OK) return rc;
  mirror_column *column = &table->columns[table->column_count++];
  *column = (mirror_column){
      .name = sqlite3_mprintf("%s", name),
      .affinity = affinity_of(type, strict),
      .binary = sqlite3_stricmp(collation, "BINARY") == 0,
      .plain = sqlite3_column_int(row, 6) == 0,
  };
  sqlite3_str_appendf(declaration, "%s\"%w\" %s COLLATE \"%w\"",
                      count == 0 ? "" : ", ", name, column->affinity,
                      collation);
  return column->name == NULL ? SQLITE_NOMEM
                              : check_collation(mirror, table, name, collation);
}

/* Reads a table's columns. One WITHOUT ROWID has none in the mirror, either, so
** that the name stays free for a table around it. */
static int read_columns(sql_mirror *mirror, mirror_table *table) {
  sqlite3_stmt *row;
  bool strict = false;
  int rc = mirror_prepare(mirror, mirror->asks, &row,
                          "PRAGMA \"%w\".table_list(\"%w\")", table->schema,
                          table->name);
  while (rc == SQLITE_OK && (rc = sqlite3_step(row)) == SQLITE_ROW) {
    table->has_rowid = sqlite3_column_int(row, 4) == 0;
    strict = sqlite3_column_int(row, 5) != 0;
    rc = SQLITE_OK;
  }
  rc = mirror_finalize(row, rc);
  if (rc != SQLITE_OK) return rc;
  sqlite3_str *declaration = sqlite3_str_new(NULL);
  sqlite3_str *keys = sqlite3_str_new(NULL);
  sqlite3_str_appendall(declaration, "CREATE TABLE t(");
  rc = mirror_prepare(mirror, mirror->asks, &row,
                      "PRAGMA \"%w\".table_xinfo(\"%w\")", table->schema,
                      table->name);
  while (rc == SQLITE_OK && (rc = sqlite3_step(row)) == SQLITE_ROW) {
    rc = add_column(mirror, table, strict, row, declaration);
    if (rc == SQLITE_OK && sqlite3_column_int(row, 5) > 0) {
      sqlite3_str_appendf(keys, "%s\"%w\"",
                          sqlite3_str_length(keys) ? ", " : "",
                          sqlite3_column_text(row, 1));
    }
  }
  rc = mirror_finalize(row, rc);
  if (!table->has_rowid) {
    sqlite3_str_appendf(declaration, ", PRIMARY KEY(%s)) WITHOUT ROWID",
                        sqlite3_str_value(keys));
  } else {
    sqlite3_str_appendall(declaration, ")");
  }
  if (rc == SQLITE_OK) rc = sqlite3_str_errcode(keys);
  sqlite3_free(sqlite3_str_finish(keys));
  table->declaration = sqlite3_str_finish(declaration);
  return rc == SQLITE_OK && table->declaration == NULL ? SQLITE_NOMEM : rc;
}

/* Adds an object, and makes it in the mirror: sql is a view's, or NULL. */
static int add_object(sql_mirror *mirror, const char *schema, const char *name,
                      const char *sql) {
  sqlite3_stmt *create = NULL;
  if (!sql_grow(&mirror->tables, mirror->table_count, sizeof(mirror_table *))) {
    return SQLITE_NOMEM;
  }
  mirror_table *table = sqlite3_malloc64(sizeof(*table));
  if (table == NULL) return SQLITE_NOMEM;
  *table = (mirror_table){.schema = sqlite3_mprintf("%s", schema),
                          .name = sqlite3_mprintf("%s", name),
                          .view = sql == NULL ? NULL : without_indexes(sql)};
  mirror->tables[mirror->table_count++] = table;
  if (table->schema == NULL || table->name == NULL ||
      (sql != NULL && table->view == NULL)) {
    return SQLITE_NOMEM;
  }
  int rc = sql == NULL ? read_columns(mirror, table) : SQLITE_OK;
  if (rc != SQLITE_OK) return rc;
  /* The schema has "CREATE VIEW NAME ...", whatever the user wrote. */
  rc = sql == NULL ? mirror_prepare(mirror, mirror->db, &create,
                                    "CREATE VIRTUAL TABLE \"%w\".\"%w\" USING "
                                    "bloom_mirror",
                                    schema, name)
                   : mirror_prepare(mirror, mirror->db, &create,
                                    "CREATE VIEW \"%w\".%s", schema,
                                    table->view + strlen("CREATE VIEW "));
  if (rc == SQLITE_OK) rc = sqlite3_step(create);
  return mirror_finalize(create, rc);
}

static bool has_object(const sql_mirror *mirror, const char *schema,
                       const char *name) {
  for (int i = 0; i < mirror->table_count; i++) {
    if (strcmp(mirror->tables[i]->schema, schema) == 0 &&
        strcmp(mirror->tables[i]->name, name) == 0) {
      return true;
    }
  }
  return false;
}

/* Makes the tables and views of a schema that a text names. */
static int mirror_named(sql_mirror *mirror, const char *schema,
                        const char *text) {
  sqlite3_stmt *row;
  int rc = mirror_prepare(mirror, mirror->asks, &row,
                          "SELECT name, sql FROM \"%w\".sqlite_master "
                          "WHERE type IN ('table', 'view') "
                          "AND name NOT LIKE 'sqlite\\_%%' ESCAPE '\\'",
                          schema);
  while (rc == SQLITE_OK && (rc = sqlite3_step(row)) == SQLITE_ROW) {
    const char *name = sql_row_text(row, 0);
    const char *sql = sql_row_text(row, 1);
    rc = SQLITE_OK;
    if (sql_count_tokens(text, name) == 0 || has_object(mirror, schema, name)) {
      continue;
    }
    if (sqlite3_strnicmp(sql, "CREATE VIEW ", 12) == 0) {
      rc = add_object(mirror, schema, name, sql);
    } else if (sqlite3_strnicmp(sql, "CREATE VIRTUAL ", 15) != 0) {
      rc = add_object(mirror, schema, name, NULL);
    } else {
      rc = mirror_problem(
          mirror, sqlite3_mprintf("%s is a virtual table, whose lookups "
                                  "bloom_advise cannot see",
                                  name));
    }
  }
  return mirror_finalize(row, rc);
}

/* Notes what a text may have, of which the plan shows no trace. */
static void note_words(sql_mirror *mirror, const char *text) {
  static const char *const outer[] = {"LEFT", "RIGHT", "FULL"};
  for (int i = 0; i < 3; i++) {
    if (sql_count_tokens(text, outer[i]) > 0) mirror->outer_joins = true;
  }
  if (sql_count_tokens(text, "ESCAPE") > 0) mirror->escapes = true;
}

/* Makes what a text names in each database. */
static int mirror_text(sql_mirror *mirror, const char *text) {
  sqlite3_stmt *row;
  note_words(mirror, text);
  int rc = check_collations(mirror, text);
  if (rc == SQLITE_OK) rc = mirror_functions(mirror, text);
  if (rc != SQLITE_OK) return rc;
  rc = mirror_prepare(mirror, mirror->asks, &row, "PRAGMA database_list");
  while (rc == SQLITE_OK && (rc = sqlite3_step(row)) == SQLITE_ROW) {
    rc = mirror_named(mirror, sql_row_text(row, 1), text);
  }
  return mirror_finalize(row, rc);
}

/* Notes settings under which the columns of a WITH are called "a.x", not x, so
** that a NATURAL JOIN has none in common. */
static int check_settings(sql_mirror *mirror) {
  sqlite3_stmt *row;
  int rc = mirror_prepare(mirror, mirror->asks, &row,
                          "SELECT 1 FROM pragma_full_column_names AS f, "
                          "pragma_short_column_names AS s "
                          "WHERE f.full_column_names "
                          "AND NOT s.short_column_names");
  if (rc == SQLITE_OK) rc = sqlite3_step(row);
  const bool set = rc == SQLITE_ROW;
  rc = mirror_finalize(row, rc);
  return rc == SQLITE_OK && set
             ? mirror_problem(
                   mirror,
                   sqlite3_mprintf("PRAGMA full_column_names is on "
                                   "and short_column_names off, so "
                                   "that the columns of a WITH have other "
                                   "names"))
             : rc;
}

static int attach_databases(sql_mirror *mirror) {
  sqlite3_stmt *row;
  int rc = mirror_prepare(mirror, mirror->asks, &row, "PRAGMA database_list");
  while (rc == SQLITE_OK && (rc = sqlite3_step(row)) == SQLITE_ROW) {
    sqlite3_stmt *attach = NULL;
    rc = SQLITE_OK;
    if (sqlite3_column_int(row, 0) < 2) continue;
    rc = mirror_prepare(mirror, mirror->db, &attach,
                        "ATTACH ':memory:' AS \"%w\"", sql_row_text(row, 1));
    if (rc == SQLITE_OK) rc = sqlite3_step(attach);
    rc = mirror_finalize(attach, rc);
  }
  return mirror_finalize(row, rc);
}

/* Opens the connection in memory, which takes a string in double quotes where
** the other one does. */
static int open_mirror_db(sql_mirror *mirror) {
  const int rc =
      sqlite3_open_v2(":memory:", &mirror->db,
                      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);
  if (rc != SQLITE_OK) return rc;
#ifdef SQLITE_DBCONFIG_DQS_DML
  static const int settings[] = {SQLITE_DBCONFIG_DQS_DML,
                                 SQLITE_DBCONFIG_DQS_DDL};
  for (int i = 0; i < 2; i++) {
    int is_on = 0;
    sqlite3_db_config(mirror->asks, settings[i], -1, &is_on);
    sqlite3_db_config(mirror->db, settings[i], is_on, NULL);
  }
#endif
  sqlite3_collation_needed(mirror->db, NULL, mirror_collation);
  return sqlite3_create_module(mirror->db, "bloom_mirror", &mirror_module,
                               mirror);
}

int sql_open_mirror(sqlite3 *db, const char *query, sql_mirror *mirror,
                    char **problem) {
  *problem = NULL;
  *mirror = (sql_mirror){.asks = db, .failed = db};
  int rc = open_mirror_db(mirror);
  if (rc == SQLITE_OK) rc = check_settings(mirror);
  if (rc == SQLITE_OK) rc = attach_databases(mirror);
  if (rc == SQLITE_OK) rc = mirror_text(mirror, query);
  for (int i = 0; rc == SQLITE_OK && i < mirror->table_count; i++) {
    const char *view = mirror->tables[i]->view;
    if (view != NULL) rc = mirror_text(mirror, view);
  }
  if (rc != SQLITE_OK || mirror->problem == NULL) return rc;
  *problem = mirror->problem;
  mirror->problem = NULL;
  return SQLITE_ERROR;
}

static void free_plans(sql_mirror *mirror) {
  for (int i = 0; i < mirror->plan_count; i++) {
    for (int j = 0; j < mirror->plans[i]->count; j++) {
      sqlite3_free(mirror->plans[i]->taken[j].condition);
    }
    sqlite3_free(mirror->plans[i]);
  }
  sqlite3_free(mirror->plans);
}

void sql_close_mirror(sql_mirror *mirror) {
  sqlite3_close(mirror->db);
  free_plans(mirror);
  for (int i = 0; i < mirror->table_count; i++) {
    free_mirror_table(mirror->tables[i]);
  }
  sqlite3_free(mirror->tables);
  sqlite3_free(mirror->problem);
  *mirror = (sql_mirror){.db = NULL};
}

int sql_explain_in_mirror(sql_mirror *mirror, const char *prefix,
                          const char *query, sqlite3_stmt **rows) {
  mirror->first_plan = mirror->plan_count;
  *rows = NULL;
  char *text = without_indexes(query);
  if (text == NULL) return SQLITE_NOMEM;
  const int rc =
      mirror_prepare(mirror, mirror->db, rows, "%s %z", prefix, text);
  return mirror->no_memory ? SQLITE_NOMEM : rc;
}
