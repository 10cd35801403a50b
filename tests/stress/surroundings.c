/*
** What surrounds a kept filter: settings of the connection, and edits of what
** the filter is made of.
**
**  (1)  Under each PRAGMA with its values and each SQLITE_DBCONFIG, set before
**       the table is made, before the filters are and after that, the calls,
**       growth, closing, the check and the views work, or say in words why not,
**       and no row is lost to another connection after that. Each setting has a
**       process of its own.
**  (2)  Edits are random: any value in any column of the tables of parts and
**       blocks, rows deleted and added, views and triggers dropped or replaced,
**       tables renamed or dropped, TEMP objects and attached databases of the
**       same names. After a few edits, bloom_check gives an answer, in UTF-8.
**       The SQL with which its problems end, run in their order, leaves nothing
**       to report but what says that no call would help. Then, or if there was
**       nothing to report, the views answer, and lose no row, also after an
**       INSERT and an UPDATE, which succeed.
**
** The extension that is loaded has parts with room for a few keys.
**
** usage: surroundings [WORLDS [SEED [WORLD]]]
**   WORLDS  how many databases are edited; with WORLD, only that one
**   SEED    of the edits; the settings are tested with seed 1 alone
** With TRACE=1 in the environment, the statements of each world are printed.
*/
#define _POSIX_C_SOURCE 200809L
#include <locale.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/grammar.h"
#include "lib/tap.h"

static struct {
  sqlite3 *db;
  char table[40], column[40], id[40]; /* as they are called now */
  size_t pick;                        /* the choice of the ends of names */
  const char *schema;                 /* that is edited */
} world;

static struct { long edits, refused, silent, reported, helpless; } counts;

static void trace(const char *prefix, const char *text) {
  if (getenv("TRACE") != NULL) printf("%s%s\n", prefix, text);
}

/* ---- SQL with words: see data/edits.txt. */

enum { PARTS = 1, BLOCKS = 2 };

static const char *own_word(const char *word, const char *a, const char *b) {
  const struct {
    const char *word, *name;
    char quote;
  } names[] = {{"schema", world.schema, '"'}, {"id", world.id, '"'},
               {"t", world.table, '"'},       {"k", world.column, '"'},
               {"'t", world.table, '\''},     {"'k", world.column, '\''}};
  (void)b;
  for (size_t i = 0; i < COUNT(names); i++) {
    if (strcmp(word, names[i].word) == 0) {
      return quoted(names[i].name, names[i].quote);
    }
  }
  if (strcmp(word, "_") == 0) {
    return quoted(text("%s_%s_%s", world.table, world.column, a), '"');
  }
  if (strcmp(word, "mark") == 0) {
    return quoted(
        text("bloom_create_%s(%s, %s, %s)", one_of("form", "", ""),
             quoted(world.table, '\''), quoted(world.column, '\''), a),
        '"');
  }
  if (strstr(word, "_end") != NULL) {
    return form_of(word, world.pick % forms_of(word))->sql;
  }
  return NULL;
}

static void begin(const char *name, const char *table, const char *column) {
  world.db = open_with(name, extension_path());
  strcpy(world.table, table);
  strcpy(world.column, column);
  strcpy(world.id, "id");
  world.schema = "main";
}

static bool has_column(const char *table, const char *column) {
  return sqlite3_table_column_metadata(world.db, "main", table, column, NULL,
                                       NULL, NULL, NULL, NULL) == SQLITE_OK;
}

/* ---- Steps: statements that must work, in data/edits.txt. */

/* What is set while steps run, and what is right then. */
typedef struct setting {
  char name[100];    /* a PRAGMA or "option NUMBER = VALUE" */
  const char *error; /* a text of the errors that are right, or NULL */
  bool loses;        /* rows that are written may be lost */
} setting;

static const setting none = {.name = "no setting"};

/* Runs a step, behind which its answer may stand. Returns whether it works;
** *well becomes false if it should, and if it works wrongly. */
static bool step(const char *words, const setting *s, bool *well) {
  answer got;
  arena_used = 0;
  char *sql = text("%s", expand(words, "", ""));
  char *wanted = strstr(sql, " -- ");
  if (wanted != NULL) *wanted = '\0';
  trace("", sql);
  ask(world.db, sql, &got);
  got.text[strcspn(got.text, "\n")] = '\0';
  const bool works = got.code == SQLITE_DONE;
  if (works ? wanted && strcmp(got.text, wanted + 4) != 0 && !s->loses
            : s->error == NULL || strstr(got.text, s->error) == NULL) {
    *well = mismatch("%s: %s: %s", s->name, sql, got.text);
  }
  return works;
}

/* Runs the steps of a name up to one that fails, or all if they are
** independent. Rows can only be lost by filters that are there. */
static bool run_steps(const char *name, const setting *s, bool *well) {
  const bool are_independent = *name == 'w' || *name == 'l';
  bool all_work = true;
  for (int form = PARTS; form <= BLOCKS; form++) {
    const struct form *next;
    left_out = PARTS + BLOCKS - form;
    const char *table =
        text("%s_%s_%s", world.table, world.column, one_of("form", "", ""));
    if (*name == 'l' && !has_column(table, NULL)) continue;
    for (size_t n = 0;
         (next = form_of(name, n)) != NULL && (all_work || are_independent);
         n++) {
      if (next->effect != form) continue;
      all_work &= step(next->sql, s, well);
    }
  }
  return all_work;
}

/* ---- Settings. */

static void set(const setting *s) {
  int option, value;
  if (sscanf(s->name, "option %d = %d", &option, &value) != 2) {
    sqlite3_exec(world.db, s->name, NULL, NULL, NULL);
  } else if (option == SQLITE_DBCONFIG_MAINDBNAME) {
    world.schema = value ? "other" : "main";
    sqlite3_db_config(world.db, option, world.schema);
  } else if (option == SQLITE_DBCONFIG_LOOKASIDE) {
    sqlite3_db_config(world.db, option, NULL, 0, 0);
  } else {
    sqlite3_db_config(world.db, option, value, NULL);
  }
}

static char file[100];

/* How the steps end under a setting. */
enum { WELL, WITH_ERRORS, WRONG };

/* Runs all steps in this process, but not those after a call that fails. */
static int run_under(const setting *s, int when) {
  static const char *const steps[] = {"table", "filter", "write", "lost",
                                      "more"};
  bool well = true, all_work = true;
  begin(file, "s", "k");
  run(world.db, "PRAGMA synchronous = OFF");
  for (int i = 0; i < 5; i++) {
    if (i == when) set(s);
    all_work &= run_steps(steps[i], s, &well);
    if (!all_work && i < 2) break;
  }
  fflush(stdout);
  return !well ? WRONG : all_work ? WELL : WITH_ERRORS;
}

/* Tests a setting. The errors that it has must occur, but not in a SQLite that
** may not know the setting yet. */
static void test(const setting *s) {
  bool well = true, errors = sqlite3_libversion_number() < 3031000;
  for (int when = 0; when < 3; when++) {
    int status = -1;
    remove_database(file);
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) _exit(run_under(s, when));
    waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) == WRONG) {
      well = mismatch("set before step %d, status %d", when, status);
    }
    errors |= WIFEXITED(status) && WEXITSTATUS(status) == WITH_ERRORS;
    begin(file, "s", "k");
    if (!s->loses) run_steps("lost", &none, &well);
    sqlite3_close(world.db);
  }
  remove_database(file);
  ok(well && (errors || s->error == NULL), "%s", s->name);
}

/* Each PRAGMA with each of its values. */
static void all_pragmas(const char *list) {
  for (char *line; (line = strchr(list, '\n')) != NULL; list = line + 1) {
    char copy[200], *rest;
    snprintf(copy, sizeof(copy), "%.*s", (int)strcspn(line + 1, "\n"),
             line + 1);
    char *error = strstr(copy, " -- ");
    if (error != NULL) *error = '\0';
    const char *name = strtok_r(copy, " ", &rest), *value;
    while (copy[0] != '#' && (value = strtok_r(NULL, " ", &rest)) != NULL) {
      setting s = {.error = error == NULL ? NULL : error + 4};
      snprintf(s.name, sizeof(s.name), "PRAGMA %s = %s", name, value);
      test(&s);
    }
  }
}

/* A SQLite that is built without introspection, as 3.26 is, lists none. */
static void all_are_known(const char *list) {
  answer got;
  char *sql = sqlite3_mprintf(
      "SELECT group_concat(name) FROM pragma_pragma_list WHERE %Q NOT GLOB"
      " '*' || char(10) || name || '[ ' || char(10) || ']*'",
      list);
  begin(":memory:", "s", "k");
  ask(world.db, sql, &got);
  ok(strcmp(got.text, "NULL|\n") == 0 || strstr(got.text, "no such table"),
     "each PRAGMA that SQLite lists is in data/pragmas.txt: %s", got.text);
  sqlite3_close(world.db);
  sqlite3_free(sql);
}

/* Each option of sqlite3_db_config, also those newer than the header. */
static void all_options(void) {
  for (int i = 0; i < 100; i++) {
    const int option = SQLITE_DBCONFIG_MAINDBNAME + i / 2;
    setting s = {.error = NULL};
    snprintf(s.name, sizeof(s.name), "option %d = %d", option, i % 2);
    if (option == SQLITE_DBCONFIG_RESET_DATABASE) continue;
    if (i == 1 && sqlite3_libversion_number() < 3032000) {
      s.error = "no such table"; /* main has no other name than the new one */
    } else if (option == SQLITE_DBCONFIG_ENABLE_TRIGGER && i % 2 == 0) {
      s.error = "triggers of this connection are switched off";
      s.loses = true;
    } else if (option == SQLITE_DBCONFIG_ENABLE_VIEW && i % 2 == 0) {
      s.error = "access to view \"s_k_";
    }
    test(&s);
  }
}

/* ---- Random edits. */

/* What bloom_check says: how many problems something mends, and what does, each
** statement once. */
typedef struct report {
  int helpful;
  bool drops; /* an object of others has a name of the filter's */
  char calls[4000];
} report;

/* The statement with which a problem ends or, where it says that an object of
** others is to be dropped, that one. NULL if there is none. */
static char *remedy_of(const char *problem) {
  const char *call = NULL, *next = problem,
             *end = strstr(problem, "\", which ");
  int name = 0;
  sscanf(problem, "there is already a%*[n] %n", &name);
  if (name == 0) sscanf(problem, "there is already a %n", &name);
  if (name > 0 && end != NULL) {
    const char *type = problem + name, *quote = strchr(type, '"');
    const bool is_temporary = strncmp(type, "temporary ", 10) == 0;
    if (is_temporary) type += 10;
    return sqlite3_mprintf("DROP %.*s %s.\"%.*w\"", (int)strcspn(type, " "),
                           type, is_temporary ? "temp" : "main",
                           (int)(end - quote - 1), quote + 1);
  }
  while ((next = strstr(next, ": SELECT ")) != NULL) call = next += 2;
  return call == NULL ? NULL : sqlite3_mprintf("%s", call);
}

static bool take_problem(report *got, const char *problem) {
  const size_t used = strlen(got->calls);
  trace("-- ", problem);
  char *remedy = remedy_of(problem);
  if (remedy == NULL && strstr(problem, "no call would help") != NULL) {
    counts.helpless++;
    return true;
  }
  if (remedy == NULL) return mismatch("no remedy: %s", problem);
  got->helpful++;
  got->drops |= strncmp(remedy, "DROP ", 5) == 0;
  if (strstr(got->calls, remedy) == NULL) {
    snprintf(got->calls + used, sizeof(got->calls) - used, "%s;\n", remedy);
  }
  sqlite3_free(remedy);
  return true;
}

static bool check(report *got) {
  sqlite3_stmt *row = NULL;
  bool well = true;
  *got = (report){.helpful = 0};
  int rc = sqlite3_prepare_v2(world.db, "SELECT * FROM bloom_check()", -1, &row,
                              NULL);
  while (rc == SQLITE_OK && well && sqlite3_step(row) == SQLITE_ROW) {
    for (int i = 0; i < 4; i++) {
      const char *text = (const char *)sqlite3_column_text(row, i);
      if (sqlite3_column_type(row, i) != SQLITE_TEXT ||
          mbstowcs(NULL, text, 0) == (size_t)-1 ||
          strlen(text) != (size_t)sqlite3_column_bytes(row, i)) {
        well =
            mismatch("not a text in UTF-8: %s", text == NULL ? "NULL" : text);
      }
    }
    well = well && take_problem(got, (const char *)sqlite3_column_text(row, 3));
  }
  if (rc == SQLITE_OK) rc = sqlite3_finalize(row);
  return rc == SQLITE_OK ? well
                         : mismatch("check: %s", sqlite3_errmsg(world.db));
}

/* Runs the remedies. Then nothing may be left but, once an object of others is
** gone, another one, or what could not be mended before. */
static bool mend(report *got) {
  const bool again = got->drops;
  trace("", got->calls);
  if (sqlite3_exec(world.db, got->calls, NULL, NULL, NULL) != SQLITE_OK) {
    return mismatch("%s: %s", sqlite3_errmsg(world.db), got->calls);
  }
  if (!check(got)) return false;
  if (got->helpful == 0) return true;
  return again ? mend(got) : mismatch("left: %s", got->calls);
}

/* Runs statements, which may fail. */
static bool edit(const char *words) {
  arena_used = 0;
  const char *sql = expand(words, "", "");
  const bool done = sqlite3_exec(world.db, sql, NULL, NULL, NULL) == SQLITE_OK;
  trace(done ? "" : "-- refused: ", sql);
  counts.edits++;
  counts.refused += !done;
  return done;
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
  left_out = one_in(2) ? PARTS : BLOCKS;
  world.pick = random_below(30);
  if (one_in(40) && edit("ATTACH ':memory:' AS copy")) {
    copy_into("copy", from);
    if (one_in(2)) world.schema = "copy";
  }
  sqlite3_db_config(world.db, SQLITE_DBCONFIG_ENABLE_TRIGGER, triggers, NULL);
  trace("-- triggers ", triggers ? "on" : "off");
  edit("{edit}");
  sqlite3_db_config(world.db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 1, NULL);
}

/* Whether no row is lost, under the names that the table and its columns have
** now, before and after writes. */
static bool stays_sound(void) {
  report got;
  bool well = true;
  if (!has_column(world.table, NULL)) strcpy(world.table, "u");
  if (!has_column(world.table, world.column)) strcpy(world.column, "j");
  if (!has_column(world.table, world.id)) strcpy(world.id, "ident");
  world.schema = "main";
  if (!has_column(world.table, world.column)) return true;
  run_steps("lost", &none, &well);
  if (well) run_steps("write", &none, &well);
  if (well) run_steps("lost", &none, &well);
  return well && check(&got);
}

/* The table, its column and how many rows it has. */
static const struct source {
  const char *table, *column, *before;
  int rows;
} sources[] = {{"s", "k", "", 100},
               {"it's \"t\"", "part", "", 3},
               {"s", "k", "PRAGMA encoding = 'UTF-16le'", 50},
               {"s", "k", "", 0}};

static sqlite3 *original(const struct source *source) {
  begin(":memory:", source->table, source->column);
  run(world.db, source->before);
  bool well = true;
  run_steps("table", &none, &well);
  run_steps("filter", &none, &well);
  return world.db;
}

static bool random_world(const struct source *source, sqlite3 *from) {
  report got;
  char few[100];
  begin(":memory:", source->table, source->column);
  copy_into("main", from);
  snprintf(few, sizeof(few), "DELETE FROM main.{t} WHERE id > %d",
           source->rows);
  edit(few);
  for (size_t n = 1 + random_below(3); n > 0; n--) any_edit(from);
  bool well = check(&got);
  counts.silent += got.helpful == 0;
  counts.reported += got.helpful > 0;
  /* What is dropped, where neither trigger tells what the table is called, has
  ** no views to ask. */
  const bool dropped = strstr(got.calls, "SELECT bloom_drop_") != NULL;
  well = well && (got.helpful == 0 || mend(&got)) && (dropped || stays_sound());
  sqlite3_close(world.db);
  return well;
}

static void random_worlds(long first, long end, uint64_t seed) {
  sqlite3 *originals[COUNT(sources)];
  long failed = 0;
  for (size_t i = 0; i < COUNT(sources); i++) {
    originals[i] = original(&sources[i]);
  }
  for (long n = first; n < end && failed < 20; n++) {
    const size_t i = (size_t)n % COUNT(sources);
    /* Each version of SQLite has worlds of its own. */
    random_state = (seed << 32) + (uint64_t)sqlite3_libversion_number() * 1000 +
                   (uint64_t)n;
    seed_sqlite(1 + (uint64_t)n);
    if (random_world(&sources[i], originals[i])) continue;
    mismatch("world %ld", n);
    failed++;
  }
  ok(failed == 0, "random edits");
}

int main(int argc, char **argv) {
  static const char *const effect_names[] = {"P", "B", NULL};
  const long worlds = argc > 1 ? atol(argv[1]) : 1000;
  const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
  const long first = argc > 3 ? atol(argv[3]) : 0;
  setlocale(LC_CTYPE, "C.UTF-8");
  snprintf(file, sizeof(file), "/tmp/surroundings-%ld.db", (long)getpid());
  printf("# SQLite %s, seed %llu\n", sqlite3_libversion(),
         (unsigned long long)seed);
  read_forms("tests/data/edits.txt", effect_names);
  if (seed == 1 && argc <= 3) {
    const char *list = read_file("tests/data/pragmas.txt");
    all_are_known(list);
    all_pragmas(list);
    all_options();
  }
  random_worlds(first, argc > 3 ? first + 1 : worlds, seed);
  printf(
      "# %ld edits, %ld refused; %ld worlds with problems, %ld without;"
      " %ld problems that no call helps\n",
      counts.edits, counts.refused, counts.reported, counts.silent,
      counts.helpless);
  return tap_done();
}
