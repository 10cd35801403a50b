/*
** What surrounds a kept filter: settings of the connection, and edits of what the
** filter is made of.
**
**  (1)  Under each PRAGMA, its values and each SQLITE_DBCONFIG, set before the
**       table is made, before the filters are and after that, the calls, growth,
**       closing, the check and the views work, or say in words why not. Then
**       another connection finds no row lost. Each setting has a process of its
**       own.
**  (2)  Edits are random: any value in any column of the tables of parts and
**       blocks, rows deleted and added, views and triggers dropped or replaced,
**       tables renamed or dropped, TEMP objects and attached databases of the
**       same names. After a few edits, bloom_check gives an answer, all of it in
**       UTF-8. The SQL with which its problems end, run in their order, leaves
**       nothing to report but what says that no call would help. Then, or if
**       there was nothing to report, the views answer, and lose no row, also
**       after INSERTs and UPDATEs, which succeed.
**
** The extension that is loaded has parts with room for a few keys.
**
** usage: surroundings [WORLDS [SEED [WORLD]]]
**   WORLDS  how many databases are edited; with WORLD, only that one
** A failure prints its statements, the database from its beginning.
*/
#define _POSIX_C_SOURCE 200809L
#include <locale.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/random.h"
#include "lib/sql.h"
#include "lib/tap.h"

static struct {
  sqlite3 *db;
  char table[40], column[40], id[40]; /* as they are called now */
  size_t form;                        /* that is edited: a column of grammar */
  size_t pick;                        /* the choice of $O and $G */
  const char *schema;                 /* that is edited */
  sqlite3_str *log;
  char failure[600]; /* the first */
} world;

static struct {
  long edits, refused, silent, reported, remedies, helpless;
} counts;

static bool fail(const char *what, const char *detail) {
  if (world.failure[0] == '\0') {
    snprintf(world.failure, sizeof(world.failure), "%.280s: %.300s", what,
             detail);
  }
  return false;
}

/* ---- SQL with words of one letter after $. Each stands for one of the choices
** between ~, at random. A word may have other choices for blocks than for
** parts. Six words are names: see add_name. */

static const struct word {
  char letter;
  const char *choices[2];
} grammar[] = {
    {'t', {"\"$x\""}},
    {'k', {"\"$y\""}},
    {'f', {"parts", "blocks"}},
    {'c', {"part~parts~keys~room~f", "block~f"}}, /* a column */
    {'p', {"\"$x_$y_$f\""}},                      /* the filter's table */
    {'O', {"filter~part", "spans"}},
    {'o', {"\"$x_$y_$O\""}}, /* a view */
    {'G', {"update~insert~extend~grow~last", "update~insert~last"}},
    {'g', {"\"$x_$y_$f_$G\""}}, /* a trigger */
    /* Any name, and names that SQL of the extension may have without a schema. */
    {'a', {"$t~$t~$p~$p~$p~$o~$o~$g~$n"}},
    {'n',
     {"pragma_table_xinfo~pragma_index_list~pragma_database_list~n~m~w~p~"
      "number~lookafter~sqlite_schema~k~o"}},
    /* A value, and the values of a row. */
    {'v',
     {"NULL~0~1~-1~2~7~1000~9223372036854775807~-9223372036854775807-1~"
      "4294967296~1.5~-0.0~1e308~9e999~''~'x'~'1'~'it''s'~"
      "CAST(x'ff80fe' AS TEXT)~CAST(x'61006200' AS TEXT)~x''~x'00'~x'ff'~"
      "zeroblob(33)~randomblob(20)~randomblob(abs(random() % 60))~"
      "zeroblob(100000)~zeroblob(9)~x'ffffffffffffffff1e'~"
      "bloom_build('a')~-$c~$c + 1~2 * $c~CAST($c AS TEXT)~CAST($c AS BLOB)~"
      "substr($c, 2)~$c || 'x'~CAST(zeroblob(length($c)) AS BLOB)~"
      "randomblob(length($c))~hex(zeroblob(2000))~"
      "(SELECT $c FROM $s.$p ORDER BY random() LIMIT 1)~"
      "(SELECT $c FROM $s.$p ORDER BY random() LIMIT 1)"}},
    {'V', {"$v, $v, $v, $v, $v", "$v, $v"}},
    {'w',
     {"1~rowid % 2~rowid = 0~rowid = (SELECT $m(rowid) FROM $s.$p)~"
      "rowid = (SELECT rowid FROM $s.$p ORDER BY random() LIMIT 1)"}},
    {'m', {"min~max"}},
    {'l', {"<~>~>="}},
    /* What a view may give. */
    {'q',
     {"SELECT bloom_open(bloom_build($k)) AS filter FROM $t WHERE id < 2~"
      "SELECT NULL~SELECT $v FROM $p~SELECT 1, 2, 3~SELECT 0, 99, x'00'~"
      "SELECT f FROM $p~SELECT * FROM nowhere~SELECT * FROM $p~"
      "SELECT 1 WHERE 0~SELECT 1 UNION ALL SELECT 2~"
      "SELECT $c, $c, f FROM $p~SELECT * FROM $o~"
      "SELECT bloom_open(part, parts, f) AS \"bloom_create_$f('$x', '$y',"
      " 10, 0)\" FROM $p WHERE part $l 0~SELECT part, parts, f FROM $p~"
      "SELECT block, 2 * block, f AS \"bloom_create_$f('$x', '$y', 10,"
      " 16)\" FROM $p~"
      "SELECT 1 AS \"bloom_create_$f('$x', '$y', 10, 0)\""}},
    {'e', {"BEFORE INSERT~BEFORE UPDATE"}},
    {'b', {"BEGIN SELECT 'thereafter'; END"}},
    /* Edits: of rows, of views and triggers, of surroundings, and rare ones. */
    {'1',
     {"UPDATE $s.$p SET $c = $v WHERE $w~"
      "UPDATE $s.$p SET $c = $v WHERE $w~"
      "UPDATE $s.$p SET $c = $v WHERE $w~"
      "UPDATE $s.$p SET $c = $v, $c = $v WHERE $w~"
      "DELETE FROM $s.$p WHERE $w~"
      "REPLACE INTO $s.$p SELECT $V FROM (SELECT * FROM $s.$p LIMIT 2)~"
      "DELETE FROM $s.$p; INSERT INTO $s.$p SELECT $V FROM (SELECT 1 AS"
      " part, 1 AS parts, 1 AS keys, 1 AS room, x'' AS f, 1 AS block)"}},
    {'2',
     {"DROP VIEW $s.$o~DROP VIEW $s.$o; CREATE VIEW $s.$o AS $q~"
      "DROP VIEW $s.$o; CREATE VIEW $s.$o AS $q~DROP TRIGGER $s.$g~"
      "DROP TRIGGER $s.$g; CREATE TRIGGER $s.$g $e ON $t $b~"
      "DROP TRIGGER $s.$g; CREATE TRIGGER $s.$g AFTER INSERT ON $t $b~"
      "DROP TRIGGER $s.$g; CREATE TRIGGER $s.$g $e ON $p $b"}},
    {'3',
     {"CREATE TRIGGER $s.$n $e ON $t $b~"
      "CREATE TEMP TRIGGER $a $e ON $s.$t $b~"
      "CREATE TEMP TABLE $a AS SELECT * FROM $s.$p~"
      "CREATE TEMP TABLE $a AS SELECT * FROM $s.$t~"
      "CREATE TEMP TABLE $a(x, y)~"
      "CREATE TEMP VIEW $a AS SELECT 1 AS part, 2 AS f~"
      "ATTACH ':memory:' AS $a~ATTACH ':memory:' AS aux;"
      " CREATE TABLE aux.$a AS SELECT * FROM $s.$p"}},
    {'4',
     {"ALTER TABLE $s.$p RENAME TO away~ALTER TABLE $s.$t RENAME TO u~"
      "ALTER TABLE $s.$t RENAME COLUMN $k TO j~"
      "ALTER TABLE $s.$t RENAME COLUMN id TO ident~DROP TABLE $s.$p~"
      "DROP TABLE $s.$t~DROP TABLE $s.$t;"
      " CREATE TABLE $s.$t(id INTEGER PRIMARY KEY, $k);"
      " INSERT INTO $s.$t VALUES(1, 'a'), (2, 'b'), (NULL, NULL)~"
      "VACUUM~REINDEX~CREATE TRIGGER $s.$n AFTER UPDATE ON $t $b~"
      "INSERT INTO $s.$t($k) VALUES($v), ($v)~"
      "DELETE FROM $s.$t WHERE id % 3"}},
    {'E', {"$1~$1~$1~$2~$3~$4"}},
};

/* Appends what is called $s, $x, $y, $i, $T or $K: the schema, names, quoted or
** for use between quotes, or texts. */
static bool add_name(sqlite3_str *text, char letter) {
  const struct {
    char letter;
    const char *format, *name;
  } names[] = {{'s', "\"%w\"", world.schema}, {'x', "%w", world.table},
               {'y', "%w", world.column},     {'i', "\"%w\"", world.id},
               {'T', "%Q", world.table},      {'K', "%Q", world.column}};
  for (size_t i = 0; i < COUNT(names); i++) {
    if (names[i].letter != letter) continue;
    sqlite3_str_appendf(text, names[i].format, names[i].name);
    return true;
  }
  return false;
}

/* Appends SQL up to ~ or its end. */
static void expand(sqlite3_str *text, const char *sql) {
  for (; *sql != '\0' && *sql != '~'; sql++) {
    if (*sql != '$') {
      sqlite3_str_appendchar(text, 1, *sql);
    } else if (!add_name(text, *++sql)) {
      const struct word *word = grammar;
      while (word->letter != *sql) word++;
      const char *choices = word->choices[word->choices[1] ? world.form : 0];
      size_t n = 1;
      for (const char *c = choices; *c != '\0'; c++) n += *c == '~';
      n = *sql == 'O' || *sql == 'G' ? world.pick % n : random_below(n);
      while (n > 0) n -= *choices++ == '~';
      expand(text, choices);
    }
  }
}

static char *expanded(const char *words) {
  sqlite3_str *text = sqlite3_str_new(NULL);
  expand(text, words);
  return sqlite3_str_finish(text);
}

/* ---- What must hold. */

static void begin(const char *name, const char *table, const char *column) {
  strcpy(world.table, table);
  strcpy(world.column, column);
  strcpy(world.id, "id");
  world.schema = "main";
  world.failure[0] = '\0';
  world.db = open_with(name, extension_path());
  world.log = sqlite3_str_new(NULL);
}

/* Prints what has failed, if so. */
static bool end(bool well) {
  char *log = sqlite3_str_finish(world.log);
  if (!well) mismatch("%s\n%s", world.failure, log == NULL ? "" : log);
  sqlite3_free(log);
  sqlite3_close(world.db);
  return well;
}

/* What bloom_check says: problems, how many of them a call mends, and these
** calls, each once. */
typedef struct report {
  int helpful;
  char first[300], calls[4000];
} report;

/* Adds the SQL at the end of a problem. */
static void take_problem(report *got, const char *problem) {
  const char *call = NULL, *next = problem;
  sqlite3_str_appendf(world.log, "-- %s\n", problem);
  if (strstr(problem, "no call would help") != NULL) {
    counts.helpless++;
    return;
  }
  while ((next = strstr(next, ": ")) != NULL) {
    next += 2;
    if (!strncmp(next, "SELECT ", 7) || !strncmp(next, "DROP ", 5)) call = next;
  }
  if (got->helpful++ == 0) {
    snprintf(got->first, sizeof(got->first), "%s", problem);
  }
  if (call == NULL) {
    fail("a problem without a remedy", problem);
  } else if (strstr(got->calls, call) == NULL) {
    const size_t used = strlen(got->calls);
    snprintf(got->calls + used, sizeof(got->calls) - used, "%s;\n", call);
  }
}

static bool check(report *got) {
  sqlite3_stmt *row = NULL;
  *got = (report){.helpful = 0};
  int rc = sqlite3_prepare_v2(world.db, "SELECT * FROM bloom_check()", -1, &row,
                              NULL);
  while (rc == SQLITE_OK && sqlite3_step(row) == SQLITE_ROW) {
    for (int i = 0; i < 4; i++) {
      const char *text = (const char *)sqlite3_column_text(row, i);
      if (sqlite3_column_type(row, i) != SQLITE_TEXT ||
          mbstowcs(NULL, text, 0) == (size_t)-1 ||
          strlen(text) != (size_t)sqlite3_column_bytes(row, i)) {
        return fail("not a text in UTF-8", text == NULL ? "NULL" : text);
      }
    }
    take_problem(got, (const char *)sqlite3_column_text(row, 3));
  }
  if (rc == SQLITE_OK) rc = sqlite3_finalize(row);
  return rc == SQLITE_OK || fail("bloom_check", sqlite3_errmsg(world.db));
}

/* Runs the calls, and checks that nothing is left. */
static bool mend(report *got) {
  counts.remedies++;
  sqlite3_str_appendall(world.log, got->calls);
  if (sqlite3_exec(world.db, got->calls, NULL, NULL, NULL) != SQLITE_OK) {
    return fail(got->calls, sqlite3_errmsg(world.db));
  }
  return check(got) &&
         (got->helpful == 0 || fail("left after the remedies", got->first));
}

/* The filter's table, and a query of rows that are lost. */
static const char *const lost[][2] = {
    {"parts",
     "SELECT count(*) FROM main.$t AS t WHERE bloom_may_match(t.$k, (SELECT f"
     " FROM main.\"$x_$y_part\" WHERE part = bloom_part(t.$k, parts))) IS 0"},
    {"parts",
     "SELECT count(*) FROM main.$t AS t WHERE bloom_may_match(t.$k,"
     " (SELECT filter FROM main.\"$x_$y_filter\")) IS 0"},
    {"blocks",
     "SELECT count(*) FROM main.$t AS t WHERE (SELECT"
     " sum(2 + (bloom_may_match(t.$k, s.f) IS NOT 0)) FROM main.\"$x_$y_spans\""
     " AS s WHERE t.$i BETWEEN s.first AND s.last) IS NOT 3"},
};

static bool has_column(const char *table, const char *column) {
  return sqlite3_table_column_metadata(world.db, "main", table, column, NULL,
                                       NULL, NULL, NULL, NULL) == SQLITE_OK;
}

static bool loses_none(void) {
  bool well = true;
  for (size_t i = 0; well && i < COUNT(lost); i++) {
    answer got;
    char *name =
        sqlite3_mprintf("%s_%s_%s", world.table, world.column, lost[i][0]);
    char *sql = expanded(lost[i][1]);
    ask(world.db, sql, &got);
    well = !has_column(name, NULL) || strcmp(got.text, "0|\n") == 0 ||
           fail(sql, got.text);
    sqlite3_free(sql);
    sqlite3_free(name);
  }
  return well;
}

static const char *const writes[] = {
    "INSERT INTO main.$t($k) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT"
    " i + 1 FROM n LIMIT 60) SELECT 'new ' || i FROM n",
    "UPDATE main.$t SET $k = $k || '!' WHERE $i % 3 = 0",
    "INSERT OR REPLACE INTO main.$t($i, $k) VALUES(3, 'three'), (-5, 'below')",
    "UPDATE main.$t SET $i = $i + 10000 WHERE $i BETWEEN 1 AND 9"};

/* Runs statements, which may fail. */
static bool edit(const char *words) {
  char *sql = expanded(words);
  const bool done = sqlite3_exec(world.db, sql, NULL, NULL, NULL) == SQLITE_OK;
  sqlite3_str_appendf(world.log, "%s;%s\n", sql, done ? "" : " -- refused");
  counts.edits++;
  counts.refused += !done;
  sqlite3_free(sql);
  return done;
}

/* Whether no row is lost, under the names that the table and its columns have
** now, before and after writes. */
static bool stays_sound(void) {
  report got;
  if (!has_column(world.table, NULL)) strcpy(world.table, "u");
  if (!has_column(world.table, world.column)) strcpy(world.column, "j");
  if (!has_column(world.table, world.id)) strcpy(world.id, "ident");
  if (!has_column(world.table, world.column)) return true;
  world.schema = "main";
  bool well = loses_none();
  for (size_t i = 0; well && i < COUNT(writes); i++) {
    well = edit(writes[i]) || fail(writes[i], sqlite3_errmsg(world.db));
  }
  return well && loses_none() && check(&got);
}

/* ---- Settings. */

/* PRAGMAs, the values that each of them is given, and a text of the errors that
** are right under it, or NULL. */
static const struct {
  const char *names, *values, *error;
} pragmas[] = {
    {"automatic_index case_sensitive_like cell_size_check checkpoint_fullfsync"
     " count_changes defer_foreign_keys empty_result_callbacks foreign_keys"
     " full_column_names fullfsync ignore_check_constraints legacy_alter_table"
     " legacy_file_format read_uncommitted recursive_triggers"
     " reverse_unordered_selects short_column_names trusted_schema",
     "0 1"},
    {"query_only", "1", "attempt to write a readonly database"},
    {"hard_heap_limit", "1 900000 3000000", "out of memory"},
    {"max_page_count", "1 9 900", "database or disk is full"},
    {"full_column_names", "1;PRAGMA/**/short_column_names=0"},
    {"analysis_limit application_id busy_timeout default_cache_size mmap_size"
     " soft_heap_limit threads user_version wal_autocheckpoint",
     "0 1 9 900000"},
    {"auto_vacuum cache_spill incremental_vacuum synchronous temp_store",
     "0 1 2 3"},
    {"cache_size journal_size_limit schema_version", "-9000 -1 0 1 9"},
    {"encoding", "'UTF-8' 'UTF-16le' 'UTF-16be'"},
    {"journal_mode", "DELETE TRUNCATE PERSIST MEMORY WAL OFF"},
    {"locking_mode", "NORMAL EXCLUSIVE"},
    {"optimize", "2 0x10002"},
    {"page_size", "512 65536"},
    {"secure_delete writable_schema", "0 1 FAST RESET"},
    {"temp_store_directory", "'' '/tmp' '/no/such/folder'"},
    {"wal_checkpoint", "PASSIVE FULL RESTART TRUNCATE"},
    {"collation_list compile_options data_version database_list"
     " foreign_key_check foreign_key_list freelist_count function_list"
     " index_info index_list index_xinfo integrity_check module_list"
     " page_count pragma_list quick_check shrink_memory table_info table_list"
     " table_xinfo",
     ""}, /* these have no value */
};

/* A setting: a PRAGMA or, if that is empty, an option of sqlite3_db_config, some
** of which are newer than the header. */
typedef struct setting {
  char pragma[100];
  int option, on;
  const char *error; /* a text of the errors that are right under it, or NULL */
  bool loses;        /* rows that are written under it may be lost */
  int when;          /* before which step it is set */
} setting;

enum { MAINDBNAME = 1000, LOOKASIDE, RESET_DATABASE = 1009, OPTIONS = 1050 };

static void set(const setting *s) {
  if (s->pragma[0] != '\0') {
    sqlite3_exec(world.db, s->pragma, NULL, NULL, NULL);
  } else if (s->option == MAINDBNAME) {
    sqlite3_db_config(world.db, s->option, "other");
  } else if (s->option == LOOKASIDE) {
    sqlite3_db_config(world.db, s->option, NULL, 0, 0);
  } else {
    sqlite3_db_config(world.db, s->option, s->on, NULL);
  }
}

/* What runs before and after writes[] and lost[], and its answer. */
static const char *const before[][2] = {
    {"CREATE TABLE s(id INTEGER PRIMARY KEY, k TEXT, n TEXT)", ""},
    {"INSERT INTO s(k) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1"
     " FROM n LIMIT 100) SELECT 'key ' || i FROM n",
     NULL},
    {"SELECT bloom_create_parts('s', 'k')", "s_k_filter|\n"},
    {"SELECT bloom_create_blocks('s', 'k', 10, 16)", "s_k_spans|\n"},
};
static const char *const after[][2] = {
    {"SELECT count(*) FROM bloom_check() WHERE NOT instr(problem, 'than room')"
     " AND NOT instr(problem, 'than a scan')",
     "0|\n"},
    {"SELECT bloom_is_kept('parts', 's', 'k')", "1|\n"},
    {"SELECT bloom_create_parts('s', 'n')", "s_n_filter|\n"},
    {"SELECT bloom_drop_parts('s', 'n')", "8|\n"},
    {"SELECT bloom_create_parts('s', 'k', 12, 900)", "s_k_filter|\n"},
    {"SELECT bloom_drop_blocks('s', 'k')", "5|\n"},
    {"SELECT bloom_create_blocks('s', 'k', 10, 16)", "s_k_spans|\n"},
};

/* Runs a step, which must work, or say in words why not. Returns whether it has
** worked; *well becomes false if it should not have failed. */
static bool step(const setting *s, const char *words, const char *wanted,
                 bool *well) {
  answer got;
  char *sql = expanded(words);
  ask(world.db, sql, &got);
  const bool works = got.code == SQLITE_DONE;
  if (works ? wanted != NULL && strcmp(got.text, wanted) != 0 && !s->loses
            : s->error == NULL || strstr(got.text, s->error) == NULL) {
    *well = mismatch("%s, option %d = %d, before %d: %s: %s", s->pragma,
                     s->option, s->on, s->when, sql, got.text);
  }
  sqlite3_free(sql);
  return works;
}

/* Runs all steps, up to a call that fails. */
static bool works_under(const setting *s) {
  bool well = true, works = true;
  for (int i = 0; works && i < (int)COUNT(before); i++) {
    if (i == s->when) set(s);
    works = step(s, before[i][0], before[i][1], &well);
  }
  if (s->when == COUNT(before)) set(s);
  for (size_t i = 0; works && i < COUNT(writes); i++) {
    step(s, writes[i], NULL, &well);
  }
  for (size_t i = 0; works && i < COUNT(lost); i++) {
    step(s, lost[i][1], "0|\n", &well);
  }
  for (size_t i = 0; works && i < COUNT(after); i++) {
    works = step(s, after[i][0], after[i][1], &well);
  }
  return well;
}

static char file[100];

/* Whether all works under a setting in a process of its own, and no row is lost
** to another connection after that. */
static bool is_harmless(setting s) {
  bool well = true;
  for (s.when = 0; s.when <= (int)COUNT(before); s.when += 2) {
    int status = -1;
    remove_database(file);
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      begin(file, "s", "k");
      run(world.db, "PRAGMA synchronous = OFF");
      const bool works = works_under(&s);
      fflush(stdout);
      _exit(!works);
    }
    waitpid(child, &status, 0);
    begin(file, "s", "k");
    well &= (status == 0 || mismatch("status %d", status)) &
            (s.loses || loses_none());
    end(well);
  }
  return well;
}

static void all_settings(void) {
  setting s = {.option = 0};
  for (size_t i = 0; i < COUNT(pragmas); i++) {
    const char *name = pragmas[i].names, *value;
    for (; *name != '\0'; name += strcspn(name, " "), name += *name == ' ') {
      for (value = pragmas[i].values; *value != '\0';
           value += strcspn(value, " "), value += *value == ' ') {
        snprintf(s.pragma, sizeof(s.pragma), "PRAGMA %.*s = %.*s",
                 (int)strcspn(name, " "), name, (int)strcspn(value, " "),
                 value);
        s.error = pragmas[i].error;
        ok(is_harmless(s), "%s", s.pragma);
      }
    }
  }
  s.pragma[0] = '\0';
  for (s.option = MAINDBNAME; s.option < OPTIONS; s.option++) {
    for (s.on = 0; s.on < 2; s.on++) {
      s.loses = s.option == SQLITE_DBCONFIG_ENABLE_TRIGGER && !s.on;
      s.error = s.on      ? NULL
                : s.loses ? "triggers of this connection are switched off"
                : s.option == SQLITE_DBCONFIG_ENABLE_VIEW
                    ? "access to view \"s_k_"
                    : NULL;
      if (s.option == RESET_DATABASE) continue;
      ok(is_harmless(s), "option %d = %d", s.option, s.on);
    }
  }
}

/* ---- Random edits. */

static const struct source {
  const char *table, *column, *create;
  int rows;
} sources[] = {
    {"s", "k", "CREATE TABLE s(id INTEGER PRIMARY KEY, k TEXT)", 100},
    {"it's \"t\"", "part", "CREATE TABLE $t(id INTEGER PRIMARY KEY, $k)", 3},
    {"s", "k", "CREATE TABLE s(id INTEGER PRIMARY KEY, k, n)", 50},
    {"s", "k",
     "PRAGMA encoding = 'UTF-16le'; CREATE TABLE s(id INTEGER PRIMARY KEY, k)",
     0},
};

static sqlite3 *original(const struct source *source) {
  char fill[200];
  begin(":memory:", source->table, source->column);
  snprintf(fill, sizeof(fill),
           "INSERT INTO $t(id, $k) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL"
           " SELECT i + 1 FROM n) SELECT i, CASE WHEN i %% 7 THEN 'key ' || i"
           " WHEN i %% 2 THEN i END FROM n LIMIT %d",
           source->rows);
  if (!edit(source->create) || !edit(fill) ||
      !edit("SELECT bloom_create_parts($T, $K)") ||
      !edit("SELECT bloom_create_blocks($T, $K, 10, 16)")) {
    fprintf(stderr, "%s\n", sqlite3_errmsg(world.db));
    exit(1);
  }
  return world.db;
}

static void copy_into(const char *schema, sqlite3 *from) {
  sqlite3_backup *copy = sqlite3_backup_init(world.db, schema, from, "main");
  if (copy == NULL) return;
  sqlite3_backup_step(copy, -1);
  sqlite3_backup_finish(copy);
}

/* One edit, in a few cases of a copy of the database that is attached. */
static void any_edit(sqlite3 *from) {
  const int triggers = one_in(2);
  world.form = random_below(2);
  world.pick = random_below(30);
  if (one_in(40) && edit("ATTACH ':memory:' AS copy")) {
    copy_into("copy", from);
    sqlite3_str_appendall(world.log, "-- copy is now as main was at first\n");
    if (one_in(2)) world.schema = "copy";
  }
  sqlite3_db_config(world.db, SQLITE_DBCONFIG_ENABLE_TRIGGER, triggers, NULL);
  if (!triggers) sqlite3_str_appendall(world.log, "-- without triggers:\n");
  edit("$E");
  sqlite3_db_config(world.db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 1, NULL);
}

static bool random_world(const struct source *source, sqlite3 *from,
                         const char *making) {
  report got;
  begin(":memory:", source->table, source->column);
  sqlite3_str_appendall(world.log, making);
  copy_into("main", from);
  for (size_t n = 1 + random_below(3); n > 0; n--) any_edit(from);
  bool well = check(&got);
  counts.silent += got.helpful == 0;
  counts.reported += got.helpful > 0;
  well = well && (got.helpful == 0 || mend(&got)) && stays_sound() &&
         world.failure[0] == '\0';
  return end(well);
}

static void random_worlds(long first, long end, uint64_t seed) {
  sqlite3 *originals[COUNT(sources)];
  char *making[COUNT(sources)];
  long failed = 0;
  for (size_t i = 0; i < COUNT(sources); i++) {
    originals[i] = original(&sources[i]);
    making[i] = sqlite3_str_finish(world.log);
  }
  for (long n = first; n < end && failed < 20; n++) {
    const size_t i = (size_t)n % COUNT(sources);
    random_state = (seed << 32) + (uint64_t)n;
    seed_sqlite(1 + (uint64_t)n);
    if (random_world(&sources[i], originals[i], making[i])) continue;
    printf("# world %ld\n", n);
    failed++;
  }
  ok(failed == 0, "random edits of kept filters");
}

int main(int argc, char **argv) {
  const long worlds = argc > 1 ? atol(argv[1]) : 1000;
  const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
  const long first = argc > 3 ? atol(argv[3]) : 0;
  setlocale(LC_CTYPE, "C.UTF-8");
  printf("# SQLite %s, seed %llu\n", sqlite3_libversion(),
         (unsigned long long)seed);
  snprintf(file, sizeof(file), "/tmp/surroundings-%ld.db", (long)getpid());
  if (argc <= 3) all_settings();
  remove_database(file);
  random_worlds(first, argc > 3 ? first + 1 : worlds, seed);
  printf(
      "# %ld edits, %ld refused; %ld worlds with problems, %ld without;"
      " %ld remedies; %ld problems that no call helps\n",
      counts.edits, counts.refused, counts.reported, counts.silent,
      counts.remedies, counts.helpless);
  return tap_done();
}
