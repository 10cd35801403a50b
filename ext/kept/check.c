/*
** bloom_check([table [, column]]), a table of what is wrong with the kept
** filters of main, or with those of one table or column:
**
**  (1)  "table", "column" and form ('parts' or 'blocks') are those of a filter,
**       as it was made, and problem says what is wrong with it. No row means
**       that no row of these tables is lost.
**  (2)  A problem ends with the call that repairs it, or says that none would.
**  (3)  The filters are found by their marks: see {made} in shared.sql.
**  (4)  Each filter is compared with what the schema says (guard.c), with what
**       its own table holds, and with every row of the table that it is for.
*/
#include "check.h"

#include <string.h>

#include "../compat.h"
#include "guard.h"
#include "schema.h"

enum {
  COLUMN_TABLE,
  COLUMN_COLUMN,
  COLUMN_FORM,
  COLUMN_PROBLEM,
  COLUMN_ONLY_TABLE,
  COLUMN_ONLY_COLUMN
};

#define ARGUMENTS 2

typedef struct check_table {
  sqlite3_vtab base;
  sqlite3 *db;
} check_table;

typedef struct check_cursor {
  sqlite3_vtab_cursor base;
  sql_kept_values *filters;
  size_t filters_found, checked; /* the first of these have been checked */
  sqlite3_stmt *content; /* problems of the filter after them, or NULL */
  char *problem;         /* of the current row; NULL after the last */
  sqlite3_int64 rowid;
} check_cursor;

/* ---- Requirement 3. */

/* Copies a text in quotes, of which a doubled one stands for one, without
** them. *text stays NULL if out of memory. Returns what follows the text, or
** NULL if it has no end. */
static const char *unquote(const char *quoted, char **text) {
  const char quote = *quoted;
  sqlite3_str *copy = sqlite3_str_new(NULL);
  const char *p = quoted + 1;
  for (; *p != '\0' && (*p != quote || *++p == quote); p++) {
    sqlite3_str_append(copy, p, 1);
  }
  const bool empty = sqlite3_str_length(copy) == 0;
  *text = sqlite3_str_finish(copy);
  if (empty && *text == NULL) *text = sqlite3_mprintf("");
  return p[-1] == quote ? p : NULL;
}

/* Reads the form, the table and the column in a mark, such as
** bloom_create_parts('t', 'c', 10, 0). Returns whether it is one. */
static bool read_mark(const char *mark, sql_kept_values *values) {
  static const sql_kept_form *const forms[] = {&sql_kept_parts,
                                               &sql_kept_blocks};
  for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
    const char *name = sql_form_text(forms[i], "create_name");
    const size_t length = strlen(name);
    if (strncmp(mark, name, length) != 0 ||
        strncmp(mark + length, "('", 2) != 0) {
      continue;
    }
    values->form = forms[i];
    const char *end = unquote(mark + length + 1, &values->table);
    if (end == NULL || strncmp(end, ", '", 3) != 0) return false;
    end = unquote(end + 2, &values->column);
    return end != NULL && *end == ',';
  }
  return false;
}

/* Whether an object has the name of one of the filter. */
static bool has_name(const char *name, const sql_kept_values *values) {
  const size_t table = strlen(values->table), column = strlen(values->column);
  return strncmp(name, values->table, table) == 0 && name[table] == '_' &&
         strncmp(name + table + 1, values->column, column) == 0 &&
         name[table + 1 + column] == '_';
}

static bool same_filter(const sql_kept_values *a, const sql_kept_values *b) {
  return a->form == b->form && strcmp(a->table, b->table) == 0 &&
         strcmp(a->column, b->column) == 0;
}

/* Adds the filter of an object to the list, unless it is there or is not what
** the arguments name. The list takes what values has. */
static int add_filter(check_cursor *cursor, const char *const *only,
                      sql_kept_values *values) {
  if ((only[0] != NULL && sqlite3_stricmp(only[0], values->table) != 0) ||
      (only[1] != NULL && sqlite3_stricmp(only[1], values->column) != 0)) {
    return SQLITE_OK;
  }
  for (size_t i = 0; i < cursor->filters_found; i++) {
    if (same_filter(&cursor->filters[i], values)) return SQLITE_OK;
  }
  const size_t n = cursor->filters_found + 1;
  sql_kept_values *filters =
      sqlite3_realloc64(cursor->filters, n * sizeof(*filters));
  if (filters == NULL) return SQLITE_NOMEM;
  filters[n - 1] = *values;
  cursor->filters = filters;
  cursor->filters_found = n;
  *values = (sql_kept_values){.form = NULL};
  return SQLITE_OK;
}

/* Looks at an object whose SQL has a mark at this place. */
static int take_object(check_cursor *cursor, const char *const *only,
                       const char *name, const char *quoted_mark) {
  sql_kept_values values = {.form = NULL};
  char *mark;
  unquote(quoted_mark, &mark);
  int rc = mark == NULL ? SQLITE_NOMEM : SQLITE_OK;
  if (rc == SQLITE_OK && read_mark(mark, &values)) {
    rc = values.table == NULL || values.column == NULL ? SQLITE_NOMEM
         : has_name(name, &values) ? add_filter(cursor, only, &values)
                                   : SQLITE_OK;
  }
  sqlite3_free(mark);
  sql_free_values(&values);
  return rc;
}

static int find_filters(sqlite3 *db, check_cursor *cursor,
                        const char *const *only) {
  static const char begin[] = "\"bloom_create_";
  sqlite3_stmt *object;
  int rc = sqlite3_prepare_v2(
      db,
      "SELECT name, sql FROM main.sqlite_master "
      "WHERE instr(sql, '\"bloom_create_') > 0 OR type IS NULL "
      "OR (sql IS NULL AND type <> 'index') ORDER BY name",
      -1, &object, NULL);
  while (rc == SQLITE_OK && (rc = sqlite3_step(object)) == SQLITE_ROW) {
    const char *name = (const char *)sqlite3_column_text(object, 0);
    const char *sql = (const char *)sqlite3_column_text(object, 1);
    const char *mark = sql == NULL ? NULL : strstr(sql, begin);
    /* An authorizer can make a column NULL, as running out of memory does. */
    rc = name == NULL || sql == NULL
             ? sqlite3_errcode(db) == SQLITE_NOMEM ? SQLITE_NOMEM : SQLITE_AUTH
         : mark == NULL ? SQLITE_OK
                        : take_object(cursor, only, name, mark);
  }
  sqlite3_finalize(object);
  return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* ---- Requirements 2 and 4: the problems of one filter. */

/* What is wrong with the triggers, without what repairs it. */
static char *describe_problem(const sql_kept_values *filter,
                              const sql_trigger_report *report,
                              const sql_kept_values *now) {
  static const char *const texts[] = {
      [TRIGGER_RENAMED] = "is for another table or column",
      [TRIGGER_PUT_BACK] =
          "was put back, and rows may have been written "
          "without it",
      [TRIGGER_NEWER] =
          "is newer than the filter and may end a row before its "
          "key is added",
      [TRIGGER_MISSING] = "is missing",
  };
  if (report->problem == TABLE_MISSING) {
    return sqlite3_mprintf("table %s_%s_%s is missing", filter->table,
                           filter->column, filter->form->noun);
  }
  if (now == NULL) {
    return sqlite3_mprintf("%s.%s is gone", filter->table, filter->column);
  }
  if (!same_filter(filter, now)) {
    return sqlite3_mprintf("%s.%s is called %s.%s now, so no row is excluded",
                           filter->table, filter->column, now->table,
                           now->column);
  }
  return sqlite3_mprintf("trigger %s %s, so no row is excluded",
                         report->trigger, texts[report->problem]);
}

/* The call that repairs a filter: it is made again; or, if its table or column
** has another name now, dropped and made for that; or else dropped. */
static int append_repair(sqlite3 *db, sqlite3_str *text,
                         const sql_kept_values *filter,
                         const sql_kept_values *now) {
  char *drop = NULL, *create = NULL;
  int rc = SQLITE_OK;
  const bool same = now != NULL && same_filter(filter, now);
  if (!same) rc = sql_expand(db, filter, "drop_call", &drop);
  if (rc == SQLITE_OK && now != NULL) {
    rc = sql_expand(db, now, same ? "create_call" : "made", &create);
  }
  if (rc == SQLITE_OK) {
    sqlite3_str_appendf(text, ": SELECT %s%s%s", drop,
                        drop != NULL && create != NULL ? ", " : "", create);
  }
  sqlite3_free(drop);
  sqlite3_free(create);
  return rc;
}

/* Sets the problem of the cursor to what is wrong with the triggers of a
** filter. now is what it is for, or NULL if that is gone. */
static int set_problem(sqlite3 *db, check_cursor *cursor,
                       const sql_kept_values *filter,
                       const sql_trigger_report *report,
                       const sql_kept_values *now) {
  sqlite3_str *text = sqlite3_str_new(db);
  char *problem = describe_problem(filter, report, now);
  sqlite3_str_appendf(text, "%s", problem);
  int rc = problem == NULL ? SQLITE_NOMEM : SQLITE_OK;
  if (rc == SQLITE_OK) rc = append_repair(db, text, filter, now);
  if (rc == SQLITE_OK) rc = sqlite3_str_errcode(text);
  sqlite3_free(problem);
  cursor->problem = sqlite3_str_finish(text);
  return rc;
}

/* Looks up a table and a column, and sets *exists. A filter that was made
** keeps its numbers. */
static int look_for(sqlite3 *db, const sql_kept_values *given, bool *exists,
                    sql_kept_values *values) {
  sqlite3_stmt *row;
  values->form = given->form;
  const int rc = sql_look_up(db, given, &row, values);
  sqlite3_finalize(row);
  *exists = rc == SQLITE_OK;
  return rc == SQLITE_ROW ? SQLITE_OK : rc;
}

/* Begins to check a filter: looks at its triggers, and prepares what reads its
** table. */
static int start_filter(sqlite3 *db, check_cursor *cursor,
                        const sql_kept_values *filter) {
  sql_kept_values here = {.form = NULL}, there = {.form = NULL};
  sql_trigger_report report;
  bool is_here, is_there = false;
  int rc = sql_find_problem(db, "main", filter->form->noun, filter->table,
                            filter->column, &report);
  if (rc == SQLITE_OK) rc = look_for(db, filter, &is_here, &here);
  if (rc == SQLITE_OK && !is_here && report.now_table != NULL) {
    const sql_kept_values now = {.form = filter->form,
                                 .table = report.now_table,
                                 .column = report.now_column};
    rc = look_for(db, &now, &is_there, &there);
    there.bits_per_key = here.bits_per_key;
    there.number = here.number;
  }
  if (rc == SQLITE_OK && (report.problem != TRIGGERS_KEEP || !is_here)) {
    rc = set_problem(db, cursor, filter, &report,
                     is_here    ? &here
                     : is_there ? &there
                                : NULL);
  }
  if (rc == SQLITE_OK && is_here && report.problem != TABLE_MISSING) {
    rc = sql_prepare_word(db, &here, "check", &cursor->content);
  }
  sql_free_values(&here);
  sql_free_values(&there);
  sql_free_report(&report);
  return rc;
}

/* Goes to the next problem. */
static int find_next(sqlite3 *db, check_cursor *cursor) {
  int rc = SQLITE_OK;
  sqlite3_free(cursor->problem);
  cursor->problem = NULL;
  while (rc == SQLITE_OK && cursor->problem == NULL) {
    if (cursor->content != NULL) {
      rc = sqlite3_step(cursor->content);
      if (rc == SQLITE_ROW) {
        const char *text =
            (const char *)sqlite3_column_text(cursor->content, 0);
        cursor->problem = sqlite3_mprintf("%s", text);
        rc = text == NULL || cursor->problem == NULL ? SQLITE_NOMEM : SQLITE_OK;
      } else {
        rc = sqlite3_finalize(cursor->content);
        cursor->content = NULL;
      }
    } else if (cursor->checked < cursor->filters_found) {
      rc = start_filter(db, cursor, &cursor->filters[cursor->checked++]);
    } else {
      break;
    }
  }
  return rc;
}

/* ---- The table. */

static int check_connect(sqlite3 *db, void *data, int argc,
                         const char *const *argv, sqlite3_vtab **table,
                         char **error) {
  (void)data, (void)argc, (void)argv, (void)error;
  const int rc = sqlite3_declare_vtab(
      db,
      "CREATE TABLE bloom_check(\"table\" TEXT, \"column\" TEXT, form TEXT, "
      "problem TEXT, only_table HIDDEN, only_column HIDDEN)");
  if (rc != SQLITE_OK) return rc;
  check_table *connected = sqlite3_malloc64(sizeof(*connected));
  if (connected == NULL) return SQLITE_NOMEM;
  *connected = (check_table){.db = db};
  *table = &connected->base;
  sql_vtab_direct_only(db);
  return SQLITE_OK;
}

static int check_disconnect(sqlite3_vtab *table) {
  sqlite3_free(table);
  return SQLITE_OK;
}

/* The arguments are the values that the hidden columns must have. idxNum has a
** bit for each that is given. */
static int check_best_index(sqlite3_vtab *table, sqlite3_index_info *info) {
  (void)table;
  int given = 0;
  for (int argument = 0; argument < ARGUMENTS; argument++) {
    for (int i = 0; i < info->nConstraint; i++) {
      if (info->aConstraint[i].iColumn != COLUMN_ONLY_TABLE + argument ||
          info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ) {
        continue;
      }
      if (!info->aConstraint[i].usable) return SQLITE_CONSTRAINT;
      info->aConstraintUsage[i].argvIndex = ++given;
      info->aConstraintUsage[i].omit = 1;
      info->idxNum |= 1 << argument;
      break;
    }
  }
  info->estimatedCost = 1e6;
  return SQLITE_OK;
}

static int check_open(sqlite3_vtab *table, sqlite3_vtab_cursor **base) {
  (void)table;
  check_cursor *cursor = sqlite3_malloc64(sizeof(*cursor));
  if (cursor == NULL) return SQLITE_NOMEM;
  memset(cursor, 0, sizeof(*cursor));
  *base = &cursor->base;
  return SQLITE_OK;
}

static void clear_cursor(check_cursor *cursor) {
  for (size_t i = 0; i < cursor->filters_found; i++) {
    sql_free_values(&cursor->filters[i]);
  }
  sqlite3_free(cursor->filters);
  sqlite3_finalize(cursor->content);
  sqlite3_free(cursor->problem);
  *cursor = (check_cursor){.base = cursor->base};
}

static int check_close(sqlite3_vtab_cursor *base) {
  clear_cursor((check_cursor *)base);
  sqlite3_free(base);
  return SQLITE_OK;
}

/* Makes an error of the connection, or of an argument, the statement's. */
static int check_failed(sqlite3_vtab_cursor *base, int code, char *message) {
  if (code == SQLITE_OK || code == SQLITE_NOMEM || message == NULL) {
    sqlite3_free(message);
    return code == SQLITE_OK ? SQLITE_OK : SQLITE_NOMEM;
  }
  base->pVtab->zErrMsg = sql_make_utf8(message);
  return code;
}

/* The same for what the connection says of an error with this code. */
static int connection_failed(sqlite3_vtab_cursor *base, int code) {
  char *said = sql_failure(((const check_table *)base->pVtab)->db, code);
  char *message =
      said == NULL ? NULL : sqlite3_mprintf("bloom_check: %s", said);
  sqlite3_free(said);
  return check_failed(base, code, message);
}

static int check_next(sqlite3_vtab_cursor *base) {
  check_cursor *cursor = (check_cursor *)base;
  sqlite3 *db = ((const check_table *)base->pVtab)->db;
  cursor->rowid++;
  const int rc = find_next(db, cursor);
  return rc == SQLITE_OK ? rc : connection_failed(base, rc);
}

/* The error of an argument that names no filter. */
static int names_no_filter(sqlite3_vtab_cursor *base, int argument,
                           sqlite3_value *value) {
  static const char *const names[] = {"table", "column"};
  static const char *const must_be[] = {
      "the name of a table that has a kept filter",
      "the name of a column that has a kept filter"};
  return check_failed(base, SQLITE_ERROR,
                      sql_argument_message("bloom_check", names[argument],
                                           must_be[argument], value, NULL));
}

static int check_filter(sqlite3_vtab_cursor *base, int given, const char *text,
                        int argc, sqlite3_value **argv) {
  (void)text;
  check_cursor *cursor = (check_cursor *)base;
  sqlite3 *db = ((const check_table *)base->pVtab)->db;
  const char *only[ARGUMENTS] = {NULL};
  int last = 0;
  clear_cursor(cursor);
  for (int i = 0, argument = 0; i < argc; i++, argument++) {
    while ((given >> argument & 1) == 0) argument++;
    last = argument;
    if (sqlite3_value_type(argv[i]) != SQLITE_TEXT) {
      return names_no_filter(base, argument, argv[i]);
    }
    only[argument] = (const char *)sqlite3_value_text(argv[i]);
    if (only[argument] == NULL) return SQLITE_NOMEM;
  }
  const int rc = find_filters(db, cursor, only);
  if (rc != SQLITE_OK) return connection_failed(base, rc);
  if (argc > 0 && cursor->filters_found == 0) {
    return names_no_filter(base, last, argv[argc - 1]);
  }
  return check_next(base);
}

static int check_eof(sqlite3_vtab_cursor *base) {
  return ((const check_cursor *)base)->problem == NULL;
}

static int check_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid) {
  *rowid = ((const check_cursor *)base)->rowid;
  return SQLITE_OK;
}

static int check_column(sqlite3_vtab_cursor *base, sqlite3_context *context,
                        int column) {
  const check_cursor *cursor = (const check_cursor *)base;
  const sql_kept_values *filter = &cursor->filters[cursor->checked - 1];
  const char *texts[] = {filter->table, filter->column, filter->form->noun,
                         cursor->problem};
  if (column < COLUMN_ONLY_TABLE) {
    sqlite3_result_text(context, texts[column], -1, SQLITE_TRANSIENT);
  }
  return SQLITE_OK;
}

/* It has no xCreate, so it is an eponymous-only virtual table. */
const sqlite3_module sql_check_module = {
    .xConnect = check_connect,
    .xBestIndex = check_best_index,
    .xDisconnect = check_disconnect,
    .xOpen = check_open,
    .xClose = check_close,
    .xFilter = check_filter,
    .xNext = check_next,
    .xEof = check_eof,
    .xColumn = check_column,
    .xRowid = check_rowid,
};
