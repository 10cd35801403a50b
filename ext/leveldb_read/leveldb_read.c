/*
** leveldb_read(file, form [, key [, size]]), a table of what one file of
** LevelDB holds. file has its bytes, so that nothing is read but what the
** caller has read. form is:
**
**  (1)  'table' for a table (.ldb, .sst): a row for each of its blocks ('index
**       block', 'data block' ...) and filters ('filter', sequence counts them),
**       and one for each entry ('entry'). If key is given, only for blocks that
**       may have keys which begin with it, and for their entries that do. If
**       size is given, which the MANIFEST says, no more bytes are read.
**  (2)  'get', with a key: the same for this key alone. Blocks that their
**       filter says have no such key are not read, but 'spared'.
**  (3)  'log' for a log (.log): a row for each part of a record ('record'), of
**       which the last has its bytes as value, and one for each write in a
**       batch ('entry').
**  (4)  'manifest': the same, with one for each item of an edit, named by what
**       it is ('new file' ...). type is a level, sequence a number, key and
**       value the first and the last key of a file, with 8 bytes of their
**       sequence numbers and types.
**  (5)  An entry has a sequence number, a type (1 a value, 0 a deletion), a key
**       and a value. A data block has the bounds of its keys as key and value.
**  (6)  damage says what LevelDB would refuse or skip, and what makes its Get
**       differ from its iterator: keys out of order, and filters that lack
**       them. The kind of what LevelDB takes for the end of a log is 'torn',
**       and that of what it skips behind zeros, without a word, 'skipped'.
**       Without a footer, the blocks are found by their checksums.
**  (7)  Blocks of other types than LevelDB's are given to leveldb_inflate(type,
**       stored) if the connection has such a function, which returns a BLOB.
*/
#include <string.h>

#include "../families.h"
#include "rows.h"

static const struct {
  const char *form;
  int (*step)(file_rows *rows);
} forms[] = {{"table", sql_footer_step},
             {"get", sql_footer_step},
             {"log", sql_log_step},
             {"manifest", sql_log_step}};

/* The first step, or NULL if the argument is no form. */
static int (*first_step(file_rows *rows, sqlite3_value *form))(file_rows *) {
  const char *text = (const char *)sqlite3_value_text(form);
  for (size_t i = 0; i < sizeof(forms) / sizeof(*forms) && text != NULL; i++) {
    if (strcmp(text, forms[i].form) != 0) continue;
    rows->is_get = *text == 'g';
    rows->is_edit = *text == 'm';
    return forms[i].step;
  }
  return NULL;
}

static int missing_step(file_rows *rows) {
  rows->step = sql_no_step;
  return sql_give_damage(rows, "file", 0, "the file cannot be read");
}

/* Takes the size of a table, if it is given. Returns false if it is none. */
static bool take_size(file_rows *rows, sqlite3_value *size) {
  if (size == NULL || sqlite3_value_type(size) == SQLITE_NULL) return true;
  const int type = sqlite3_value_numeric_type(size);
  sqlite3_int64 bytes = sqlite3_value_int64(size);
  if (type == SQLITE_FLOAT &&
      !sql_real_is_integer(sqlite3_value_double(size), &bytes)) {
    return false;
  }
  rows->said_size = (uint64_t)bytes;
  if (rows->step == sql_footer_step) rows->step = sql_size_step;
  return type == SQLITE_INTEGER || type == SQLITE_FLOAT;
}

static int wrong_argument(sql_rows *base, char *text) {
  return sql_rows_error(base, SQLITE_ERROR, text);
}

static int file_begin(sql_rows *base, sqlite3_value **arguments) {
  file_rows *rows = (file_rows *)base;
  if (arguments[0] == NULL || arguments[1] == NULL) {
    return wrong_argument(
        base, sqlite3_mprintf("file and form must be given, as in "
                              "leveldb_read(readfile('000005.ldb'), 'table')"));
  }
  rows->step = first_step(rows, arguments[1]);
  if (rows->step == NULL) {
    return wrong_argument(
        base, sql_argument_text("form", "'table', 'get', 'log' or 'manifest'",
                                arguments[1], NULL));
  }
  const int type = sqlite3_value_type(arguments[0]);
  if (type != SQLITE_BLOB && type != SQLITE_NULL) {
    return wrong_argument(
        base, sql_argument_text("file", "a BLOB, as readfile returns it",
                                arguments[0], NULL));
  }
  rows->has_key =
      arguments[2] != NULL && sqlite3_value_type(arguments[2]) != SQLITE_NULL;
  if (rows->is_get && !rows->has_key) {
    return wrong_argument(base, sqlite3_mprintf("key must be given for 'get'"));
  }
  if (!take_size(rows, arguments[3])) {
    return wrong_argument(
        base, sql_argument_text("size", "an integer", arguments[3], NULL));
  }
  rows->file = sqlite3_value_dup(arguments[0]);
  if (rows->file == NULL) return SQLITE_NOMEM;
  if (rows->has_key) {
    rows->argument = sqlite3_value_dup(arguments[2]);
    if (rows->argument == NULL ||
        sql_read_key(rows->argument, &rows->key_bytes) != VALUE_READ) {
      return SQLITE_NOMEM;
    }
    rows->key =
        (bloom_slice){rows->key_bytes.bytes.data, rows->key_bytes.bytes.size};
  }
  byte_span file;
  if (type == SQLITE_NULL) {
    rows->step = missing_step;
  } else if (sql_read_blob(rows->file, &file) != VALUE_READ) {
    return SQLITE_NOMEM;
  } else {
    rows->bytes = (bloom_slice){file.data, file.size};
  }
  return SQLITE_OK;
}

static int file_next(sql_rows *base) {
  file_rows *rows = (file_rows *)base;
  int rc;
  do {
    sqlite3_free(rows->row.damage);
    rows->row = (file_row){.kind = NULL};
    rc = rows->step(rows);
  } while (rc == GO_ON);
  return rc;
}

static void file_end(sql_rows *base) {
  file_rows *rows = (file_rows *)base;
  file_block *blocks[] = {&rows->meta, &rows->filter, &rows->index,
                          &rows->data};
  for (size_t i = 0; i < sizeof(blocks) / sizeof(*blocks); i++) {
    sqlite3_free(blocks[i]->uncompressed.data);
    sqlite3_free(blocks[i]->key.data);
  }
  sqlite3_free(rows->lower.data);
  sqlite3_free(rows->previous.data);
  sqlite3_free(rows->joined.data);
  sqlite3_free(rows->row.damage);
  sqlite3_finalize(rows->inflate);
  sqlite3_value_free(rows->file);
  sqlite3_value_free(rows->argument);
}

/* The arguments form, key and size are NULL in the result. */
static void file_column(const sql_rows *base, sqlite3_context *context,
                        int column) {
  const file_rows *rows = (const file_rows *)base;
  const file_row *row = &rows->row;
  if (column == COLUMN_FILE) {
    sqlite3_result_value(context, rows->file);
  } else if (column == COLUMN_KIND) {
    sqlite3_result_text(context, row->kind, -1, SQLITE_STATIC);
  } else if (column == COLUMN_DAMAGE) {
    sqlite3_result_text(context, row->damage, -1, SQLITE_TRANSIENT);
  } else if (column > COLUMN_FILE || !(row->has >> column & 1)) {
    return;
  } else if (column < COLUMN_KEY) {
    sqlite3_result_int64(context, (sqlite3_int64)row->numbers[column]);
  } else {
    const bloom_slice bytes = row->bytes[column - COLUMN_KEY];
    sqlite3_result_blob64(context, bytes.size > 0 ? bytes.data : (void *)"",
                          bytes.size, SQLITE_TRANSIENT);
  }
}

static const sql_table file_table = {
    .example = "leveldb_read(file, form)",
    .declaration =
        "CREATE TABLE leveldb_read(offset INTEGER, kind TEXT, size INTEGER, "
        "type INTEGER, sequence INTEGER, key BLOB, value BLOB, damage TEXT, "
        "file BLOB HIDDEN, form TEXT HIDDEN, prefix BLOB HIDDEN, "
        "file_size INTEGER HIDDEN)",
    .columns = COLUMN_FILE,
    .arguments = 4,
    .rows_size = sizeof(file_rows),
    .begin = file_begin,
    .next = file_next,
    .column = file_column,
    .end = file_end,
};

/* The table calls a function of the program, which a view or a trigger must not
** do by a table that anybody may call. */
#define CALLS .direct_only = true, .nondeterministic = true

const sql_function sql_leveldb_read_functions[] = {
    {"leveldb_read", 0, 0, .module = &sql_table_module, .data = &file_table,
     CALLS},
    {"leveldb_read", 1, 4, .scalar = sql_table_function, .data = &file_table,
     CALLS},
    {.name = NULL},
};
