#include "answers.h"

#include <string.h>

#include "../statement.h"
#include "kept.h"

/* With more databases, nothing is remembered. */
#define MAX_DATABASES 11

typedef struct watched_database {
  char *name;
  sqlite3_stmt *commits; /* PRAGMA data_version */
  sqlite3_int64 others;  /* its result: only others' commits change it */
  unsigned version;      /* any commit changes it */
} watched_database;

/* Each answer is a text of its form, table and column, of which each follows a
** control character of its own, and of two that say whether it is kept: no name
** has one, so that no such text is within another, or within two. Longer ones
** are not remembered. */
#define MAX_LINES 200

typedef struct sql_answers {
  sqlite3_stmt *schemas; /* NULL if nothing is watched */
  watched_database databases[MAX_DATABASES];
  int count;    /* of these */
  bool current; /* as they were when sql_recall was called */
  char lines[10 * MAX_LINES];
} sql_answers;

/* ---- What is watched. */

/* SQLite calls this when the statement is finalized: by stop_watching, or by a
** program that finalizes all statements of its connection, and so these. */
static void forget_statements(void *data) {
  sql_answers *answers = data;
  for (int i = 0; i < MAX_DATABASES; i++) {
    sqlite3_free(answers->databases[i].name);
    answers->databases[i] = (watched_database){.name = NULL};
  }
  answers->schemas = NULL;
  answers->count = 0;
}

static void stop_watching(sql_answers *answers) {
  for (int i = 0; i < answers->count; i++) {
    sqlite3_finalize(answers->databases[i].commits);
  }
  sqlite3_finalize(answers->schemas);
  forget_statements(answers);
}

static int add_database(sqlite3 *db, const char *name, void *data) {
  sql_answers *answers = data;
  if (answers->count == MAX_DATABASES) return SQLITE_TOOBIG;
  watched_database *database = &answers->databases[answers->count++];
  database->name = sqlite3_mprintf("%s", name);
  if (database->name == NULL) return SQLITE_NOMEM;
  return sql_prepare(db, sqlite3_mprintf("PRAGMA \"%w\".data_version", name),
                     &database->commits);
}

/* The statement, which is held until it is finalized: one for all schemas. */
static int hold_schemas(sqlite3 *db, sql_answers *answers) {
  sqlite3_stmt *schemas;
  sqlite3_str *sql = sqlite3_str_new(db);
  for (int i = 0; i < answers->count; i++) {
    sqlite3_str_appendf(sql, "%s\"%w\".sqlite_master",
                        i == 0 ? "SELECT ?1 FROM " : ", ",
                        answers->databases[i].name);
  }
  sqlite3_str_appendall(sql, " LIMIT 0");
  int rc = sql_prepare(db, sqlite3_str_finish(sql), &schemas);
  if (rc != SQLITE_OK) return rc;
  rc = sqlite3_bind_pointer(schemas, 1, answers, "bloom", forget_statements);
  if (rc == SQLITE_OK) {
    answers->schemas = schemas;
  } else {
    sqlite3_finalize(schemas);
  }
  return rc;
}

static bool start_watching(sqlite3 *db, sql_answers *answers) {
  int rc = sql_each_schema(db, add_database, answers);
  if (rc == SQLITE_OK) rc = hold_schemas(db, answers);
  if (rc != SQLITE_OK) stop_watching(answers);
  return rc == SQLITE_OK;
}

/* ---- Whether anything has changed. */

/* Sets *same to false if others have committed to a database since the last
** call. The running statement reads it. Returns false if that cannot be known.
** A database that has no file is only shared by connections that have one
** schema, and one that sqlite3_deserialize put in place is called "" or, in
** older versions, "x". */
static bool ask_database(sqlite3 *db, watched_database *database, bool *same) {
  const char *file = sqlite3_db_filename(db, database->name);
  sqlite3_vfs *vfs;
  unsigned version;
  if (file == NULL || *file == '\0' || strcmp(file, "x") == 0) {
    return sqlite3_file_control(db, database->name, SQLITE_FCNTL_VFS_POINTER,
                                &vfs) == SQLITE_OK &&
           strcmp(vfs->zName, "memdb") != 0;
  }
  if (sqlite3_file_control(db, database->name, SQLITE_FCNTL_DATA_VERSION,
                           &version) != SQLITE_OK) {
    return false;
  }
  if (version == database->version) return true;
  const bool known = sqlite3_step(database->commits) == SQLITE_ROW;
  const sqlite3_int64 others = sqlite3_column_int64(database->commits, 0);
  sqlite3_reset(database->commits);
  if (others != database->others) *same = false;
  database->others = others;
  database->version = version;
  return known;
}

static bool run_schemas(const sql_answers *answers) {
  sqlite3_step(answers->schemas);
  return sqlite3_reset(answers->schemas) == SQLITE_OK;
}

/* Forgets all answers unless each schema is the one that it was. Returns
** whether an answer that is found now can be remembered. */
static bool watch(sqlite3 *db, sql_answers *answers) {
  bool same = answers->schemas != NULL &&
              !sql_has_database(db, answers->count + 1) && run_schemas(answers);
  bool known = true;
  if (!same) {
    stop_watching(answers);
    known = start_watching(db, answers) && run_schemas(answers);
  }
  if (known &&
      sqlite3_stmt_status(answers->schemas, SQLITE_STMTSTATUS_REPREPARE, 1)) {
    same = false;
  }
  for (int i = 0; known && i < answers->count; i++) {
    known = ask_database(db, &answers->databases[i], &same);
  }
  if (!known) stop_watching(answers);
  if (!known || !same) answers->lines[0] = '\0';
  return known;
}

/* ---- Answers. */

/* Writes the text of an answer but for its end. Returns false if it is too
** long. */
static bool write_lines(const char *const *names, char *lines) {
  size_t used = 0;
  for (int i = 0; i < 3; i++) {
    const size_t size = strlen(names[i]);
    if (size + 5 > MAX_LINES - used) return false;
    lines[used++] = "\1\2\3"[i];
    memcpy(lines + used, names[i], size);
    used += size;
  }
  memcpy(lines + used, "\4", 2);
  return true;
}

/* Lets SQLite connect a table of this extension, which it disconnects before it
** looks whether statements keep the connection from closing. */
static sql_answers *answers_of(sqlite3 *db, sql_handles *handles) {
  if (handles->answers == NULL) {
    sqlite3_stmt *unused;
    sqlite3_prepare_v2(db, "SELECT 1 FROM main.bloom_check LIMIT 0", -1,
                       &unused, NULL);
    sqlite3_finalize(unused);
  }
  return handles->answers;
}

bool sql_recall(sqlite3 *db, sql_handles *handles, const char *const *names,
                bool *kept) {
  char lines[MAX_LINES];
  sql_answers *answers = answers_of(db, handles);
  if (answers == NULL) return false;
  answers->current = watch(db, answers);
  if (!answers->current || !write_lines(names, lines)) return false;
  const char *found = strstr(answers->lines, lines);
  if (found != NULL) *kept = found[strlen(lines)] == '1';
  return found != NULL;
}

bool sql_remember(sql_handles *handles, const char *const *names, bool kept) {
  char lines[MAX_LINES];
  sql_answers *answers = handles->answers;
  if (answers == NULL || !answers->current || !write_lines(names, lines)) {
    return false;
  }
  strcat(lines, kept ? "1" : "0");
  if (strlen(answers->lines) + strlen(lines) >= sizeof(answers->lines)) {
    answers->lines[0] = '\0';
  }
  strcat(answers->lines, lines);
  return true;
}

void sql_hold_answers(sql_handles *handles, bool opens) {
  if (handles->answers != NULL) stop_watching(handles->answers);
  sqlite3_free(handles->answers);
  handles->answers = opens ? sqlite3_malloc64(sizeof(sql_answers)) : NULL;
  if (handles->answers != NULL) {
    memset(handles->answers, 0, sizeof(sql_answers));
  }
}
