/*
** bloom_is_kept(form, table, column), which the views of a kept filter ask: 1
** if every key of the table is in the filter, as far as the schema can tell.
**
**  (1)  The filter's triggers on the table stand on it, in the names that the
**       filter was made for, and were made before the filter's last trigger,
**       which stands on the filter's own table and tells when the filter was
**       filled: VACUUM and a dump keep the order of triggers, but one that is
**       put back is newer. A tool that rebuilds a table drops its triggers.
**  (2)  No other AFTER trigger on the table is newer than that one. SQLite
**       runs the newest trigger first, so it may end a row without undoing it
**       before the row's key is added.
**  (3)  The view may be in main or in an attached database, which a function
**       cannot tell, so 1 and 2 must hold wherever the filter's table is.
**  (4)  What an authorizer hides is not kept.
*/
#include <string.h>

#include "../statement.h"
#include "../token.h"
#include "answers.h"
#include "column.h"
#include "failure.h"
#include "kept.h"

/* ---- One schema. */

/* What is looked for in a schema, and what has been found. */
typedef struct schema_scan {
  const char *table;
  char *stem;                           /* TABLE_COLUMN_parts or ..._blocks */
  char *new_column, *from_table, *body; /* {new_c}, {from_t} and {body} */
  bool has_table, has_last, has_insert, has_update;
  bool reads_table; /* one of the triggers does */
  bool is_kept;
  char *problem; /* why it is not kept, or NULL if out of memory */
} schema_scan;

/* Notes what is wrong with a trigger, unless something is already. */
static void note_problem(schema_scan *s, const char *name,
                         const char *problem) {
  if (!s->is_kept) return;
  s->is_kept = false;
  s->problem =
      sqlite3_mprintf("trigger %s %s, so no row is excluded", name, problem);
}

/* Whether a newer trigger is another filter's. Those add keys, and end no
** row. */
static bool is_of_filter(const schema_scan *s, const char *name,
                         const char *sql) {
  const char *body = strstr(sql, s->body);
  return (strstr(name, "_parts_") != NULL ||
          strstr(name, "_blocks_") != NULL) &&
         body != NULL && strstr(body, " \"bloom_create_") != NULL;
}

/* Whether a text has another one in it, in capitals or not. */
static bool contains(const char *text, const char *part) {
  const int length = (int)strlen(part);
  while (*text != '\0' && sqlite3_strnicmp(text, part, length) != 0) text++;
  return *text != '\0';
}

/* What the SQL of a trigger says behind its name, before which SQLite stores
** "CREATE TRIGGER" and one space. */
typedef struct trigger_head {
  bool may_be_after;
  sql_token table; /* on which it stands */
} trigger_head;

static trigger_head read_head(const char *sql) {
  trigger_head head;
  const bool is_known = strncmp(sql, "CREATE TRIGGER ", 15) == 0;
  if (is_known) sql += 15;
  sql_next_token(&sql);
  sql_token word = sql_next_token(&sql);
  head.may_be_after =
      !is_known || !sql_token_is(word, "BEFORE INSTEAD DELETE INSERT UPDATE");
  while (word.kind != TOKEN_END && !sql_token_is(word, "ON")) {
    word = sql_next_token(&sql);
  }
  head.table = sql_next_token(&sql);
  return head;
}

/* Notes what is wrong with a trigger on the table that adds keys. SQLite goes
** by its text, which may name another table than tbl_name does after a rename
** under writable_schema. */
static void look_at_own(schema_scan *s, const char *name, bool stands,
                        const char *sql) {
  if (!stands || !contains(sql, s->new_column)) {
    note_problem(s, name, "is for another table or column");
  } else if (!s->has_last) {
    note_problem(s, name,
                 "was put back, and rows may have been written without it");
  }
}

/* Looks at a trigger, or at the filter's table. The newest comes first. */
static void look_at(schema_scan *s, const char *name, const char *table,
                    const char *sql) {
  const size_t length = strlen(s->stem);
  const bool is_own = sqlite3_strnicmp(name, s->stem, (int)length) == 0;
  const char *suffix = is_own ? name + length : "";
  const bool is_insert = sqlite3_stricmp(suffix, "_insert") == 0;
  const trigger_head head = read_head(sql);
  const bool of_table = sqlite3_stricmp(table, s->table) == 0;
  const bool of_stem = sqlite3_stricmp(table, s->stem) == 0;
  const bool on_table = sql_token_names(head.table, s->table);
  if (is_own && contains(sql, s->from_table)) s->reads_table = true;
  if (is_own && *suffix == '\0') {
    s->has_table = true;
  } else if (of_stem && !(is_own && strstr(sql, " \"bloom_create_") != NULL)) {
    note_problem(s, name, "stands on the filter's own table");
  } else if (sqlite3_stricmp(suffix, "_last") == 0 && of_stem) {
    s->has_last = true;
  } else if (is_insert || sqlite3_stricmp(suffix, "_update") == 0) {
    *(is_insert ? &s->has_insert : &s->has_update) = true;
    look_at_own(s, name, of_table && on_table, sql);
  } else if (!s->has_last && (of_table || on_table) && head.may_be_after &&
             !is_of_filter(s, name, sql)) {
    note_problem(s, name,
                 "is newer than the filter and may end a row before its key is "
                 "added");
  }
}

/* Notes what a schema that has been looked through lacks. Without the last
** trigger, all others look newer. */
static void note_missing(schema_scan *s) {
  const char *suffix = !s->has_last     ? "_last"
                       : !s->has_insert ? "_insert"
                       : !s->has_update ? "_update"
                                        : NULL;
  if (s->has_table && suffix == NULL) {
    if (!s->reads_table)
      note_problem(s, "of the filter", "reads another table");
    return;
  }
  s->is_kept = false;
  sqlite3_free(s->problem);
  s->problem =
      s->has_table
          ? sqlite3_mprintf("trigger %s%s is missing, so no row is excluded",
                            s->stem, suffix)
          : sqlite3_mprintf("table %s is missing", s->stem);
}

static int look_at_row(void *data, sqlite3_stmt *row) {
  const char *texts[3];
  for (int i = 0; i < 3; i++) {
    /* An authorizer can make a column NULL. */
    if (sqlite3_column_type(row, i) == SQLITE_NULL) return SQLITE_AUTH;
    texts[i] = sql_row_text(row, i);
  }
  look_at(data, texts[0], texts[1], texts[2]);
  return SQLITE_OK;
}

int sql_find_problem(sqlite3 *db, const char *schema, const char *const *names,
                     bool *has_table, char **problem) {
  const char *form = names[0], *table = names[1], *column = names[2];
  const sql_kept_values values = {
      &sql_kept_parts, {[TOLD_TABLE] = table, [TOLD_COLUMN] = column}};
  int rc = SQLITE_OK;
  schema_scan s = {
      .table = table,
      .stem = sqlite3_mprintf("%s_%s_%s", table, column, form),
      .new_column = sql_expand(db, &values, "new_c", &rc),
      .from_table = sql_expand(db, &values, "from_t", &rc),
      .body = sql_expand(db, &values, "body", &rc),
      .reads_table = strcmp(form, sql_kept_parts.noun) == 0,
      .is_kept = true,
  };
  if (s.stem == NULL) rc = SQLITE_NOMEM;
  if (rc == SQLITE_OK) {
    rc = sql_each_row(
        db,
        sqlite3_mprintf(
            "SELECT name, tbl_name, sql FROM \"%w\".sqlite_master "
            "WHERE type = 'trigger' OR (type = 'table' AND name = %Q "
            "COLLATE NOCASE) ORDER BY rowid DESC",
            schema, s.stem),
        look_at_row, &s);
  }
  if (rc == SQLITE_OK) note_missing(&s);
  if (rc == SQLITE_OK && !s.is_kept && s.problem == NULL) rc = SQLITE_NOMEM;
  sqlite3_free(s.stem);
  sqlite3_free(s.new_column);
  sqlite3_free(s.from_table);
  sqlite3_free(s.body);
  *has_table = s.has_table;
  *problem = s.problem;
  return rc;
}

/* ---- All schemas: requirement 3. */

typedef struct schema_look {
  sqlite3 *db;
  int (*look)(sqlite3 *, const char *, void *);
  void *data;
} schema_look;

static int look_unless_temporary(void *data, sqlite3_stmt *row) {
  const schema_look *each = data;
  if (sqlite3_column_int(row, 0) == 1) return SQLITE_OK;
  return each->look(each->db, sql_row_text(row, 1), each->data);
}

int sql_each_schema(sqlite3 *db, int (*look)(sqlite3 *, const char *, void *),
                    void *data) {
  schema_look each = {db, look, data};
  return sql_each_row(db, sqlite3_mprintf("PRAGMA database_list"),
                      look_unless_temporary, &each);
}

typedef struct finding {
  const char *const *names; /* the form, the table and the column */
  bool anywhere, kept;      /* in all schemas that have the filter's table */
} finding;

static int look_into(sqlite3 *db, const char *schema, void *data) {
  finding *found = data;
  bool has_table;
  char *problem;
  const int rc =
      sql_find_problem(db, schema, found->names, &has_table, &problem);
  if (has_table) found->anywhere = true;
  if (has_table && problem != NULL) found->kept = false;
  sqlite3_free(problem);
  return rc;
}

/* ---- The function. */

/* What holds for the rest of a statement, where nothing can be remembered for
** longer. SQLite keeps the data of an argument as long as it is constant: if
** there are three, they are for these names. */
static const bool *recall_in_statement(sqlite3_context *context) {
  const bool *kept = sqlite3_get_auxdata(context, 0);
  for (int i = 1; i < 3 && kept != NULL; i++) {
    kept = sqlite3_get_auxdata(context, i);
  }
  return kept;
}

static void remember_in_statement(sqlite3_context *context, bool kept) {
  static bool answers[] = {false, true};
  for (int i = 0; i < 3; i++) {
    sqlite3_set_auxdata(context, i, &answers[kept], NULL);
  }
}

/* Reads the form, the table and the column, which stay valid as long as the
** values. */
static bool read_names(sqlite3_context *context, sqlite3_value **argv,
                       const char **names) {
  names[0] = sqlite3_value_type(argv[0]) != SQLITE_TEXT
                 ? ""
                 : (const char *)sqlite3_value_text(argv[0]);
  if (names[0] == NULL) return sql_no_memory(context);
  if (strcmp(names[0], sql_kept_parts.noun) != 0 &&
      strcmp(names[0], sql_kept_blocks.noun) != 0) {
    return sql_argument_error(context, "form", "'parts' or 'blocks'", argv[0],
                              NULL);
  }
  return sql_names_argument(context, argv + 1, names + 1);
}

void sql_is_kept_function(sqlite3_context *context, int argc,
                          sqlite3_value **argv) {
  (void)argc;
  sqlite3 *db = sqlite3_context_db_handle(context);
  sql_handles *handles = sql_handles_of(context);
  const bool *known = recall_in_statement(context);
  const char *names[3];
  bool kept;
  if (known != NULL) {
    sqlite3_result_int(context, *known);
    return;
  }
  if (!read_names(context, argv, names)) return;
  if (!sql_recall(db, handles, names, &kept)) {
    finding found = {.names = names, .kept = true};
    const int rc = sql_each_schema(db, look_into, &found);
    if (rc != SQLITE_OK && rc != SQLITE_AUTH) {
      sql_failed(context, rc);
      return;
    }
    kept = rc == SQLITE_OK && found.anywhere && found.kept;
    if (rc != SQLITE_OK || !found.anywhere ||
        !sql_remember(handles, names, kept)) {
      remember_in_statement(context, kept);
    }
  }
  sqlite3_result_int(context, kept);
}
