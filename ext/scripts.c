/*
** The functions that write the script for a filter that is kept up to date:
**
**  (1)  bloom_parts_sql(table, column [, bits_per_key]) is the script that
**       makes and fills a filter in parts of a column of a table and keeps it
**       up to date.
**  (2)  bloom_blocks_sql(table, column [, bits_per_key [, rows]]) is the script
**       for a filter of each block of rows. The table must have an INTEGER
**       PRIMARY KEY, because without one VACUUM and a dump renumber its rows.
**  (3)  They only return the script, as TEXT that ends in a line feed. They
**       read the schema of main, but no row of any table.
**  (4)  bits_per_key is an integer 1..100. Its default is 10 for parts, where a
**       key probes a single part, and 12 for blocks, where a key probes all
**       blocks. rows is an integer 1..2^20, by default 4096.
**  (5)  It is an error if the table is not an ordinary one, if the column's
**       collation is not BINARY, if a name has a control character, or if an
**       object that was not made for this column has a name that the script
**       needs.
*/
#include <string.h>

#include "blocks_script.h"
#include "core/crc32c.h"
#include "families.h"
#include "parts_script.h"
#include "schema.h"

/* A script that is being written. */
typedef struct script {
  sqlite3_context *context;
  const script_template *template;
  const char *function;
  sql_column column;
  sqlite3_int64 bits_per_key, rows;
  sqlite3_uint64 crc;
  uint32_t first_crc;
  char *text;
  size_t size, capacity;
  bool failed; /* an error is the result */
} script;

/* ---- Text. */

static bool make_room(script *s, size_t size) {
  const size_t capacity = (s->size + size) * 2;
  sqlite3 *db = sqlite3_context_db_handle(s->context);
  if (s->size + size <= s->capacity) return true;
  if (s->size + size > (size_t)sqlite3_limit(db, SQLITE_LIMIT_LENGTH, -1)) {
    sqlite3_result_error_toobig(s->context);
    return false;
  }
  char *larger = sqlite3_realloc64(s->text, capacity);
  if (larger == NULL) {
    sqlite3_result_error_nomem(s->context);
    return false;
  }
  s->text = larger;
  s->capacity = capacity;
  return true;
}

static void append(script *s, const char *text, size_t size) {
  if (s->failed) return;
  s->failed = !make_room(s, size);
  if (s->failed) return;
  memcpy(s->text + s->size, text, size);
  s->size += size;
}

/* Appends what sqlite3_mprintf made, and frees it. */
static void append_made(script *s, char *text) {
  if (text != NULL) {
    append(s, text, strlen(text));
  } else if (!s->failed) {
    sqlite3_result_error_nomem(s->context);
    s->failed = true;
  }
  sqlite3_free(text);
}

/* ---- The text that replaces a word in braces. */

/* The call of the running function as SQL, which the caller frees, or NULL if
** out of memory. Without with_numbers it has only the table and the column. */
static char *call_text(const script *s, bool with_numbers) {
  char numbers[60] = "";
  if (with_numbers && s->template == &blocks_template) {
    sqlite3_snprintf(sizeof(numbers), numbers, ", %lld, %lld", s->bits_per_key,
                     s->rows);
  } else if (with_numbers) {
    sqlite3_snprintf(sizeof(numbers), numbers, ", %lld", s->bits_per_key);
  }
  return sqlite3_mprintf("%s(%Q, %Q%s)", s->function, s->column.table,
                         s->column.name, numbers);
}

static void append_call(script *s, const char *format, bool with_numbers) {
  char *call = call_text(s, with_numbers);
  append_made(s, call == NULL ? NULL : sqlite3_mprintf(format, call));
  sqlite3_free(call);
}

static void append_names(script *s, const char *before, const char *between) {
  for (int i = 0; i < SCRIPT_TRIGGERS; i++) {
    append_made(s, sqlite3_mprintf("%s%s'%q_%q_%s'", i == 0 ? "" : between,
                                   before, s->column.table, s->column.name,
                                   s->template->triggers[i].name));
  }
}

static void append_next_id(script *s) {
  const sql_column *c = &s->column;
  if (c->autoincrement) {
    append_made(
        s, sqlite3_mprintf("(SELECT max(ifnull(max(k.\"%w\"), 0), ifnull((\n"
                           "    SELECT max(q.seq) FROM sqlite_sequence AS q\n"
                           "    WHERE q.name = %Q), 0)) + 1 FROM \"%w\" AS k)",
                           c->id, c->table, c->table));
  } else {
    append_made(s, sqlite3_mprintf("ifnull((SELECT k.\"%w\" + 1 FROM \"%w\" AS "
                                   "k\n    ORDER BY k.\"%w\" DESC LIMIT 1), 1)",
                                   c->id, c->table, c->id));
  }
}

static void expand(script *s, const char *template);

static void append_column(script *s, const char *word) {
  const sql_column *c = &s->column;
  if (strcmp(word, "before") == 0) {
    append_made(s, c->default_value == NULL
                       ? sqlite3_mprintf("NEW.\"%w\"", c->name)
                       : sqlite3_mprintf("ifnull(NEW.\"%w\", %s)", c->name,
                                         c->default_value));
  } else if (strcmp(word, "inputs") == 0 && c->inputs != NULL) {
    append_made(s, sqlite3_mprintf("\n  OR NULL IN (%s)", c->inputs));
  } else if (strcmp(word, "assigned") == 0 && c->is_id) {
    expand(s, parts_assigned);
  } else if (strcmp(word, "next_id") == 0) {
    append_next_id(s);
  }
}

static void append_word(script *s, const char *word) {
  const sql_column *c = &s->column;
  if (word[0] == '_') {
    append_made(s, sqlite3_mprintf("\"%w_%w%s\"", c->table, c->name, word));
  } else if (strcmp(word, "t") == 0) {
    append_made(s, sqlite3_mprintf("\"%w\"", c->table));
  } else if (strcmp(word, "'t") == 0) {
    append_made(s, sqlite3_mprintf("%Q", c->table));
  } else if (strcmp(word, "c") == 0) {
    append_made(s, sqlite3_mprintf("\"%w\"", c->name));
  } else if (strcmp(word, "id") == 0) {
    append_made(s, sqlite3_mprintf("\"%w\"", c->id));
  } else if (strcmp(word, "bits") == 0) {
    append_made(s, sqlite3_mprintf("%lld", s->bits_per_key));
  } else if (strcmp(word, "rows") == 0) {
    append_made(s, sqlite3_mprintf("%lld", s->rows));
  } else if (strcmp(word, "crc") == 0) {
    append_made(s, sqlite3_mprintf("%llu", s->crc));
  } else if (strcmp(word, "first_crc") == 0) {
    append_made(s, sqlite3_mprintf("%u", s->first_crc));
  } else if (strcmp(word, "call") == 0) {
    append_call(s, "%s", true);
  } else if (strcmp(word, "'call") == 0) {
    append_call(s, "%Q", true);
  } else if (strcmp(word, "made") == 0) {
    append_call(s, "-- made by %s\n", false);
  } else if (strcmp(word, "kept") == 0) {
    expand(s, SCRIPT_KEPT);
  } else if (strcmp(word, "names") == 0) {
    append_names(s, "", ", ");
  } else if (strcmp(word, "each_name") == 0) {
    append_names(s, "SELECT ", " AS name UNION ALL ");
  } else {
    append_column(s, word);
  }
}

static void expand(script *s, const char *template) {
  for (const char *open; (open = strchr(template, '{')) != NULL;) {
    char word[40];
    const size_t size = strcspn(open + 1, "}");
    append(s, template, (size_t)(open - template));
    sqlite3_snprintf((int)size + 1, word, "%s", open + 1);
    append_word(s, word);
    template = open + size + 2;
  }
  append(s, template, strlen(template));
}

/* Appends the triggers and sums the crc32c of their SQL. The sum is of the SQL
** as sqlite_master keeps it, which is without the name of the schema. */
static void append_triggers(script *s) {
  static const char create[] = "CREATE TRIGGER ";
  for (int i = 0; i < SCRIPT_TRIGGERS; i++) {
    append(s, create, strlen(create));
    append(s, "main.", strlen("main."));
    const size_t name = s->size;
    append_made(
        s, sqlite3_mprintf("\"%w_%w_%s\" ", s->column.table, s->column.name,
                           s->template->triggers[i].name));
    expand(s, s->template->triggers[i].sql);
    if (s->failed) return;
    const uint32_t crc =
        bloom_crc32c_extend(bloom_crc32c_value(create, strlen(create)),
                            s->text + name, s->size - name);
    if (i == 0) s->first_crc = crc;
    s->crc += crc;
    append(s, ";\n", strlen(";\n"));
  }
}

/* ---- The functions. */

static bool name_is_free(script *s, const char *mark, const char *object) {
  char *name =
      sqlite3_mprintf("%s_%s_%s", s->column.table, s->column.name, object);
  if (name == NULL) sqlite3_result_error_nomem(s->context);
  const bool is_free = name != NULL && sql_name_is_free(s->context, name, mark);
  sqlite3_free(name);
  return is_free;
}

static bool names_are_free(script *s) {
  char *call = call_text(s, false);
  char *mark = call == NULL ? NULL : sqlite3_mprintf("made by %s", call);
  if (mark == NULL) sqlite3_result_error_nomem(s->context);
  bool are_free = mark != NULL;
  for (int i = 0; are_free && i < 4 && s->template->objects[i] != NULL; i++) {
    are_free = name_is_free(s, mark, s->template->objects[i]);
  }
  for (int i = 0; are_free && i < SCRIPT_TRIGGERS; i++) {
    are_free = name_is_free(s, mark, s->template->triggers[i].name);
  }
  sqlite3_free(mark);
  sqlite3_free(call);
  return are_free;
}

/* Requirement 2. */
static bool has_blocks(script *s, sqlite3_value **argv) {
  if (s->column.id == NULL) {
    sql_argument_error(s->context, "table",
                       "a table with an INTEGER PRIMARY KEY that is its rowid "
                       "(without one, VACUUM and a dump renumber its rows)",
                       argv[0], NULL);
  } else if (s->column.is_id) {
    sql_argument_error(s->context, "column",
                       "another one than the INTEGER PRIMARY KEY, by which the "
                       "blocks are made",
                       argv[1], NULL);
  }
  return s->column.id != NULL && !s->column.is_id;
}

static void write_script(script *s) {
  expand(s, s->template->sql[0]);
  append_triggers(s);
  expand(s, s->template->sql[1]);
  expand(s, s->template->sql[2]);
  if (s->failed) return;
  sqlite3_result_text64(s->context, s->text, s->size, sqlite3_free,
                        SQLITE_UTF8);
  s->text = NULL;
}

static void script_function(sqlite3_context *context, int argc,
                            sqlite3_value **argv, script s) {
  s.context = context;
  s.function = sql_function_name(context);
  s.rows = 4096;
  if ((argc < 3 ||
       sql_bits_per_key_argument(context, argv[2], &s.bits_per_key)) &&
      (argc < 4 || sql_integer_argument(context, "rows", 1, 1 << 20, NULL,
                                        argv[3], &s.rows))) {
    if (sql_find_column(context, argv[0], argv[1], &s.column) &&
        (s.template != &blocks_template || has_blocks(&s, argv)) &&
        names_are_free(&s)) {
      write_script(&s);
    }
    sqlite3_free(s.text);
    sql_free_column(&s.column);
  }
}

static void parts_sql_function(sqlite3_context *context, int argc,
                               sqlite3_value **argv) {
  script_function(context, argc, argv,
                  (script){.template = &parts_template, .bits_per_key = 10});
}

static void blocks_sql_function(sqlite3_context *context, int argc,
                                sqlite3_value **argv) {
  script_function(context, argc, argv,
                  (script){.template = &blocks_template, .bits_per_key = 12});
}

const sql_function sql_scripts_functions[] = {
    {.name = "bloom_parts_sql",
     .min_arguments = 2,
     .max_arguments = 3,
     .scalar = parts_sql_function,
     .nondeterministic = true,
     .direct_only = true},
    {.name = "bloom_blocks_sql",
     .min_arguments = 2,
     .max_arguments = 4,
     .scalar = blocks_sql_function,
     .nondeterministic = true,
     .direct_only = true},
    {.name = NULL},
};
