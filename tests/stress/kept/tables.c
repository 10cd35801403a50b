/* The forms of tables whose filters are kept. */
#include "kept.h"

static const kept_table tables[] = {
    {
        .title = "a UNIQUE column",
        .name = "page",
        .id = "id",
        .column = "url",
        .create =
            "CREATE TABLE {t}({id} INTEGER PRIMARY KEY, {c} UNIQUE, n INTEGER)",
        .flags = UNIQUE_KEY,
    },
    {
        .title = "AUTOINCREMENT",
        .name = "my \"odd\" t",
        .id = "id",
        .column = "it's a col",
        .create = "CREATE TABLE {t}({id} INTEGER PRIMARY KEY AUTOINCREMENT,"
                  " {c} TEXT, n)",
    },
    {
        .title = "two connections",
        .name = "order",
        .id = "order",
        .column = "key",
        .create = "CREATE TABLE {t}({id} INTEGER PRIMARY KEY, {c} TEXT, n)",
        .flags = TWO_CONNECTIONS,
    },
    {
        .title = "a column that is computed",
        .name = "made",
        .id = "id",
        .column = "c",
        .written = "x",
        .create = "CREATE TABLE {t}({id} INTEGER PRIMARY KEY,"
                  " {written} TEXT, n,"
                  " {c} TEXT AS (lower({written}) || ifnull(n, '')) VIRTUAL)",
        .since = 3031000,
    },
    {
        .title = "a column that is computed and stored",
        .name = "stored",
        .id = "id",
        .column = "c",
        .written = "x",
        .create = "CREATE TABLE {t}({id} INTEGER PRIMARY KEY,"
                  " {written} TEXT, n,"
                  " {c} AS ({written} || ':' || {id}) STORED UNIQUE)",
        .flags = UNIQUE_KEY | KEY_OF_ID,
        .since = 3031000,
    },
    {
        .title = "NOT NULL and a default",
        .name = "visit",
        .id = "id",
        .column = "block",
        .create = "CREATE TABLE {t}({id} INTEGER PRIMARY KEY,"
                  " {c} TEXT NOT NULL DEFAULT 'nobody', n)",
    },
    {
        .title = "conflict clauses of its own",
        .name = "new",
        .id = "old",
        .column = "new",
        .create = "CREATE TABLE {t}({id} INTEGER PRIMARY KEY"
                  " ON CONFLICT REPLACE, {c} NUMERIC NOT NULL"
                  " ON CONFLICT IGNORE UNIQUE ON CONFLICT FAIL, n)",
        /* 3.26.0 crashes when it replaces a row of such a table that has
        ** recursive triggers AFTER DELETE. */
        .since = 3027000,
    },
    {
        .title = "checks",
        .name = "old",
        .id = "new",
        .column = "old",
        .create = "CREATE TABLE {t}({id} INTEGER PRIMARY KEY,"
                  " {c} REAL CHECK ({c} IS NULL OR {c} IS NOT 77.0), n)",
    },
    {
        .title = "columns named as a filter's",
        .name = "parts",
        .id = "part",
        .column = "f",
        .create = "CREATE TABLE {t}({id} INTEGER PRIMARY KEY, {c} BLOB UNIQUE,"
                  " parts, n)",
        .flags = UNIQUE_KEY,
    },
    {
        .title = "ids as keys",
        .name = "key",
        .id = "key",
        .column = "key",
        .written = "n",
        .create = "CREATE TABLE {t}({id} INTEGER PRIMARY KEY, n)",
        .flags = NO_BLOCKS,
    },
    {
        .title = "columns named rowid",
        .name = "hidden",
        .id = "id",
        .column = "rowid",
        .create = "CREATE TABLE {t}({id} INTEGER PRIMARY KEY, {c},"
                  " oid, _rowid_, n)",
        .flags = NO_ROWID,
    },
    {
        .title = "keys of a parent",
        .name = "child",
        .id = "id",
        .column = "parent",
        .create = "CREATE TABLE {t}({id} INTEGER PRIMARY KEY,"
                  " {c} DEFAULT 'nobody' REFERENCES parent(k)"
                  "  ON UPDATE CASCADE ON DELETE SET DEFAULT, n)",
        .flags = KEY_PARENT,
    },
    {
        .title = "ids of a parent",
        .name = "at",
        .id = "place",
        .column = "f",
        .create = "CREATE TABLE {t}({id} INTEGER PRIMARY KEY"
                  " REFERENCES place(id) ON UPDATE CASCADE ON DELETE CASCADE"
                  "  DEFERRABLE INITIALLY DEFERRED, {c}, n)",
        .flags = ID_PARENT,
    },
    {
        .title = "two columns",
        .name = "pair",
        .id = "id",
        .column = "a",
        .create = "CREATE TABLE {t}({id} INTEGER PRIMARY KEY, {c} TEXT,"
                  " n INTEGER)",
        .flags = SECOND_COLUMN,
    },
    {
        .title = "STRICT",
        .name = "strict",
        .id = "id",
        .column = "parts",
        .create = "CREATE TABLE {t}({id} INTEGER PRIMARY KEY, {c} ANY, n INT)"
                  " STRICT",
        .since = 3037000,
    },
    {
        .title = "WITHOUT ROWID",
        .name = "narrow",
        .id = "id",
        .column = "key",
        .create = "CREATE TABLE {t}({id} INTEGER, {c} UNIQUE, n,"
                  " PRIMARY KEY({id})) WITHOUT ROWID",
        .flags = NO_BLOCKS | NO_ROWID | UNIQUE_KEY,
    },
    {
        .title = "no INTEGER PRIMARY KEY",
        .name = "plain",
        .id = "rowid",
        .column = "part",
        .create = "CREATE TABLE {t}({c} TEXT, n)",
        .flags = NO_BLOCKS | ID_IS_ROWID,
    },
};

int table_count(void) {
  return (int)(sizeof(tables) / sizeof(*tables));
}

const kept_table *table_of(int n) {
  return &tables[n % table_count()];
}

int sqlite_has(const kept_table *table) {
  return sqlite3_libversion_number() >= table->since;
}
