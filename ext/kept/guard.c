/*
** bloom_is_kept(form, table, column), which the views of a kept filter ask: 1
** if every key of the table is in the filter, as far as the schema can tell.
**
**  (1)  All three triggers of the filter stand on the table, in the names that
**       the filter was made for, and were made before the filter's last
**       trigger, which stands on the filter's own table and marks when the
**       filter was filled: VACUUM and a dump keep the order of triggers, but
**       one that is put back is newer. A tool that rebuilds a table drops its
**       triggers.
**  (2)  No other AFTER trigger on the table is newer than that mark. SQLite
**       runs the newest trigger first, so it may end a row without undoing it
**       before the row's key is added.
**  (3)  The view may be in main or in an attached database, which a function
**       cannot tell, so 1 and 2 must hold wherever the filter's table is.
**  (4)  What an authorizer hides is not kept.
*/
#include "guard.h"

#include <string.h>

#include "../compat.h"
#include "schema.h"

/* ---- One schema. */

/* The end of a text in quotes, or a comment, that begins here; otherwise the
** next character. A doubled quote ends one text and begins another. */
static const char *skip_token(const char *sql) {
  const char *end = NULL;
  switch (*sql) {
    case '\'':
    case '"':
    case '`':
      end = strchr(sql + 1, *sql);
      break;
    case '[':
      end = strchr(sql, ']');
      break;
    case '-':
      if (sql[1] == '-') end = strchr(sql, '\n');
      if (sql[1] != '-') return sql + 1;
      break;
    case '/':
      if (sql[1] != '*') return sql + 1;
      end = strstr(sql + 2, "*/");
      if (end != NULL) end++;
      break;
    default:
      return sql + 1;
  }
  return end == NULL ? sql + strlen(sql) : end + 1;
}

/* Whether a trigger's body begins as {begin} does, which only those of filters
** do. They add keys, and end no row. */
static bool is_of_filter(const char *sql) {
  static const char begin[] =
      "BEGIN\n  SELECT RAISE(ABORT, '') AS \"bloom_create_";
  for (; *sql != '\0'; sql = skip_token(sql)) {
    if (strncmp(sql, begin, sizeof(begin) - 1) == 0) return true;
  }
  return false;
}

/* What a scan of a schema looks for, and what it has found. */
typedef struct schema_scan {
  const char *table;
  char *stem; /* TABLE_COLUMN_parts or ..._blocks */
  size_t stem_length;
  char *column_text, *table_text; /* {new_c} and {from_t} */
  bool has_table, has_mark;
  unsigned found; /* a bit for each of the triggers on the table */
  sql_trigger_report *report;
} schema_scan;

static const char *const suffixes[] = {"_insert", "_update", "_extend"};

#define EXTEND 2
#define ALL_FOUND 7u

/* Notes a problem, unless another has been found. Returns SQLITE_OK or
** SQLITE_NOMEM. */
static int note_problem(schema_scan *s, sql_trigger_problem problem,
                        const char *trigger) {
  if (s->report->problem != TRIGGERS_KEEP) return SQLITE_OK;
  s->report->problem = problem;
  s->report->trigger = sqlite3_mprintf("%s", trigger);
  return s->report->trigger == NULL ? SQLITE_NOMEM : SQLITE_OK;
}

/* Notes that a trigger has another table or column than when it was made, and
** what these are called now if it tells. */
static int note_renamed(schema_scan *s, const char *name, const char *table,
                        const char *sql) {
  sql_trigger_report *report = s->report;
  if (note_problem(s, TRIGGER_RENAMED, name) != SQLITE_OK) return SQLITE_NOMEM;
  const char *column = strstr(sql, "\nNEW.\"");
  if (column == NULL || report->now_table != NULL) return SQLITE_OK;
  column += strlen("\nNEW.\"");
  report->now_table = sqlite3_mprintf("%s", table);
  report->now_column =
      sqlite3_mprintf("%.*s", (int)strcspn(column, "\""), column);
  return report->now_table == NULL || report->now_column == NULL ? SQLITE_NOMEM
                                                                 : SQLITE_OK;
}

/* Looks at one of the filter's triggers on the table. */
static int look_at_own(schema_scan *s, unsigned i, const char *name,
                       const char *table, const char *sql) {
  s->found |= 1u << i;
  if (strcmp(table, s->table) != 0 ||
      (strstr(sql, s->column_text) == NULL &&
       (i != EXTEND || strstr(sql, s->table_text) == NULL))) {
    return note_renamed(s, name, table, sql);
  }
  return s->has_mark ? SQLITE_OK : note_problem(s, TRIGGER_PUT_BACK, name);
}

/* Looks at a trigger, or at the filter's table. The newest comes first. */
static int look_at(schema_scan *s, const char *name, const char *table,
                   const char *sql) {
  if (strncmp(name, s->stem, s->stem_length) == 0) {
    const char *suffix = name + s->stem_length;
    if (*suffix == '\0') {
      s->has_table = true;
      return SQLITE_OK;
    }
    if (strcmp(suffix, "_last") == 0 && strcmp(table, s->stem) == 0) {
      s->has_mark = true;
      return SQLITE_OK;
    }
    for (unsigned i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
      if (strcmp(suffix, suffixes[i]) == 0) {
        return look_at_own(s, i, name, table, sql);
      }
    }
  }
  const bool runs_first = !s->has_mark &&
                          sqlite3_stricmp(table, s->table) == 0 &&
                          sqlite3_strlike("%after%", sql, 0) == 0;
  return runs_first && !is_of_filter(sql) ? note_problem(s, TRIGGER_NEWER, name)
                                          : SQLITE_OK;
}

/* Notes what a schema lacks that has been looked through. */
static int note_missing(schema_scan *s) {
  sql_trigger_report *report = s->report;
  const char *suffix = "_last";
  if (!s->has_table) {
    report->problem = TABLE_MISSING;
    return SQLITE_OK;
  }
  if (s->has_mark) {
    unsigned i = 0;
    if (s->found == ALL_FOUND) return SQLITE_OK;
    while ((s->found >> i & 1u) != 0) i++;
    suffix = suffixes[i];
  } else if (report->problem == TRIGGER_RENAMED) {
    return SQLITE_OK;
  }
  sqlite3_free(report->trigger);
  report->problem = TRIGGER_MISSING;
  report->trigger = sqlite3_mprintf("%s%s", s->stem, suffix);
  return report->trigger == NULL ? SQLITE_NOMEM : SQLITE_OK;
}

static int look_through(sqlite3 *db, const char *schema, schema_scan *s) {
  sqlite3_stmt *row = NULL;
  char *sql = sqlite3_mprintf(
      "SELECT name, tbl_name, sql FROM \"%w\".sqlite_master "
      "WHERE type = 'trigger' OR (type = 'table' AND name = %Q) "
      "ORDER BY rowid DESC",
      schema, s->stem);
  if (sql == NULL) return SQLITE_NOMEM;
  int rc = sqlite3_prepare_v2(db, sql, -1, &row, NULL);
  while (rc == SQLITE_OK && (rc = sqlite3_step(row)) == SQLITE_ROW) {
    const char *texts[3];
    for (int i = 0; i < 3; i++) {
      texts[i] = (const char *)sqlite3_column_text(row, i);
    }
    /* An authorizer can make a column NULL, as running out of memory does. */
    rc = texts[0] == NULL || texts[1] == NULL || texts[2] == NULL
             ? sqlite3_errcode(db) == SQLITE_NOMEM ? SQLITE_NOMEM : SQLITE_AUTH
             : look_at(s, texts[0], texts[1], texts[2]);
  }
  sqlite3_finalize(row);
  sqlite3_free(sql);
  return rc == SQLITE_DONE ? note_missing(s) : rc;
}

int sql_find_problem(sqlite3 *db, const char *schema, const char *noun,
                     const char *table, const char *column,
                     sql_trigger_report *report) {
  schema_scan s = {.table = table, .report = report};
  *report = (sql_trigger_report){.problem = TRIGGERS_KEEP};
  s.stem = sqlite3_mprintf("%s_%s_%s", table, column, noun);
  s.column_text = sqlite3_mprintf("\nNEW.\"%w\"", column);
  s.table_text = sqlite3_mprintf("\n\"%w\"", table);
  int rc = SQLITE_NOMEM;
  if (s.stem != NULL && s.column_text != NULL && s.table_text != NULL) {
    s.stem_length = strlen(s.stem);
    rc = look_through(db, schema, &s);
  }
  sqlite3_free(s.stem);
  sqlite3_free(s.column_text);
  sqlite3_free(s.table_text);
  return rc;
}

void sql_free_report(sql_trigger_report *report) {
  sqlite3_free(report->trigger);
  sqlite3_free(report->now_table);
  sqlite3_free(report->now_column);
}

/* ---- All schemas: requirement 3. */

/* What has been found in all schemas so far. */
typedef struct finding {
  const char *const *names; /* the form, the table and the column */
  int schemas;              /* that have the filter's table */
  bool kept;                /* in all of these */
  char *schema;             /* the first of these */
} finding;

static int look_into(sqlite3 *db, const char *schema, finding *found) {
  sql_trigger_report report;
  int rc = sql_find_problem(db, schema, found->names[0], found->names[1],
                            found->names[2], &report);
  if (rc == SQLITE_OK && report.problem != TABLE_MISSING) {
    found->kept &= report.problem == TRIGGERS_KEEP;
    if (found->schemas++ == 0) found->schema = sqlite3_mprintf("%s", schema);
    if (found->schema == NULL) rc = SQLITE_NOMEM;
  }
  sql_free_report(&report);
  return rc;
}

static int look_into_all(sqlite3 *db, finding *found) {
  sqlite3_stmt *schema;
  int rc = sqlite3_prepare_v2(db, "PRAGMA database_list", -1, &schema, NULL);
  while (rc == SQLITE_OK && (rc = sqlite3_step(schema)) == SQLITE_ROW) {
    const char *name = (const char *)sqlite3_column_text(schema, 1);
    const bool is_temp = sqlite3_column_int(schema, 0) == 1;
    rc = name == NULL ? SQLITE_NOMEM
         : is_temp    ? SQLITE_OK
                      : look_into(db, name, found);
  }
  sqlite3_finalize(schema);
  return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

int sql_look_everywhere(sqlite3 *db, const char *const *names, bool *kept,
                        char **only) {
  finding found = {.names = names, .kept = true};
  const int rc = sql_main_is_all(db) ? look_into(db, "main", &found)
                                     : look_into_all(db, &found);
  *kept = rc == SQLITE_OK && found.kept && found.schemas > 0 &&
          (only == NULL || found.schemas == 1);
  if (only == NULL || !*kept) {
    sqlite3_free(found.schema);
  } else {
    *only = found.schema;
  }
  return rc == SQLITE_AUTH ? SQLITE_OK : rc;
}

/* ---- What is remembered. */

/* The names of the last filters that are kept. They are for as long as the
** connection reads this version of main: see sql_read_version. */
#define ANSWERS 16
#define NAMES_SIZE 120

typedef struct guard_memory {
  unsigned version, next;
  char answers[ANSWERS][NAMES_SIZE]; /* each name ends with a NUL */
} guard_memory;

/* Copies names one after the other. Returns false if they are too long. */
static bool join_names(const char *const *names, char *joined) {
  size_t used = 0;
  memset(joined, 0, NAMES_SIZE);
  for (int i = 0; i < 3; i++) {
    const size_t size = strlen(names[i]) + 1;
    if (size > NAMES_SIZE - used) return false;
    memcpy(joined + used, names[i], size);
    used += size;
  }
  return true;
}

/* Whether the filter of these names is known to be kept in this version. */
static bool recall(const guard_memory *m, unsigned version,
                   const char *joined) {
  if (m == NULL || m->version != version) return false;
  for (int i = 0; i < ANSWERS; i++) {
    if (memcmp(m->answers[i], joined, NAMES_SIZE) == 0) return true;
  }
  return false;
}

/* Remembers a filter that is kept, unless memory has run out. */
static void remember(sql_registration *registration, unsigned version,
                     const char *joined) {
  guard_memory *m = registration->memory;
  if (m == NULL || m->version != version) {
    if (m == NULL) m = sqlite3_malloc64(sizeof(*m));
    if (m == NULL) return;
    registration->memory = m;
    memset(m, 0, sizeof(*m));
    m->version = version;
  }
  memcpy(m->answers[m->next], joined, NAMES_SIZE);
  m->next = (m->next + 1) % ANSWERS;
}

/* The answer for the rest of a statement whose first argument is a constant,
** where nothing can be remembered for longer. */
typedef struct statement_answer {
  bool kept;
  char names[NAMES_SIZE];
} statement_answer;

static void remember_in_statement(sqlite3_context *context, const char *joined,
                                  bool kept) {
  statement_answer *answer = sqlite3_malloc64(sizeof(*answer));
  if (answer == NULL) return;
  answer->kept = kept;
  memcpy(answer->names, joined, NAMES_SIZE);
  sqlite3_set_auxdata(context, 0, answer, sqlite3_free);
}

/* ---- The function. */

/* Reads the arguments, which stay valid as long as the values. */
static bool read_names(sqlite3_context *context, sqlite3_value **argv,
                       const char **names) {
  static const char *const arguments[] = {"form", "table", "column"};
  static const char *const must_be[] = {
      "'parts' or 'blocks'", "the name of a table", "the name of a column"};
  for (int i = 0; i < 3; i++) {
    if (!sql_name_argument(context, arguments[i], must_be[i], argv[i],
                           &names[i])) {
      return false;
    }
  }
  return strcmp(names[0], sql_kept_parts.noun) == 0 ||
         strcmp(names[0], sql_kept_blocks.noun) == 0 ||
         sql_argument_error(context, arguments[0], must_be[0], argv[0], NULL);
}

void sql_is_kept_function(sqlite3_context *context, int argc,
                          sqlite3_value **argv) {
  (void)argc;
  sqlite3 *db = sqlite3_context_db_handle(context);
  sql_registration *registration = sqlite3_user_data(context);
  const char *names[3];
  char joined[NAMES_SIZE];
  unsigned version;
  bool kept;
  if (!read_names(context, argv, names)) return;
  const bool joins = join_names(names, joined);
  const statement_answer *known = sqlite3_get_auxdata(context, 0);
  if (joins && known != NULL && memcmp(known->names, joined, NAMES_SIZE) == 0) {
    sqlite3_result_int(context, known->kept);
    return;
  }
  const bool may_remember = joins && sql_read_version(db, &version);
  if (may_remember && recall(registration->memory, version, joined)) {
    sqlite3_result_int(context, 1);
    return;
  }
  const int rc = sql_look_everywhere(db, names, &kept, NULL);
  if (rc != SQLITE_OK) {
    sql_failed(context, rc);
    return;
  }
  if (may_remember && kept) {
    remember(registration, version, joined);
  } else if (joins) {
    remember_in_statement(context, joined, kept);
  }
  sqlite3_result_int(context, kept);
}
