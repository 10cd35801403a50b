/* The forms of tables whose filters are kept. */
#include "kept.h"

static const kept_table tables[] = {
    {"a UNIQUE column", "page", "id", "url",
     .create =
         "CREATE TABLE {t}({id} INTEGER PRIMARY KEY, {c} UNIQUE, n INTEGER)",
     .flags = UNIQUE_KEY},
    {"AUTOINCREMENT", "my \"odd\" t", "id", "it's a col",
     .create = "CREATE TABLE {t}({id} INTEGER PRIMARY KEY AUTOINCREMENT,"
               " {c} TEXT, n)"},
    {"two connections", "order", "order", "key",
     .create = "CREATE TABLE {t}({id} INTEGER PRIMARY KEY, {c} TEXT, n)",
     .flags = TWO_CONNECTIONS},
    {"a column that is computed", "made", "id", "c", .written = "x",
     .create = "CREATE TABLE {t}({id} INTEGER PRIMARY KEY, {written} TEXT, n,"
               " {c} TEXT AS (lower({written}) || ifnull(n, '')) VIRTUAL)",
     .since = 3031000},
    {"a column that is computed and stored", "stored", "id", "c",
     .written = "x",
     .create = "CREATE TABLE {t}({id} INTEGER PRIMARY KEY, {written} TEXT, n,"
               " {c} AS ({written} || ':' || {id}) STORED UNIQUE)",
     .flags = UNIQUE_KEY | KEY_OF_ID, .since = 3031000},
    {"NOT NULL and a default", "visit", "id", "block",
     .create = "CREATE TABLE {t}({id} INTEGER PRIMARY KEY,"
               " {c} TEXT NOT NULL DEFAULT 'nobody', n)"},
    {"conflict clauses of its own", "new", "old", "new",
     .create = "CREATE TABLE {t}({id} INTEGER PRIMARY KEY"
               " ON CONFLICT REPLACE, {c} NUMERIC NOT NULL"
               " ON CONFLICT IGNORE UNIQUE ON CONFLICT FAIL, n)",
     /* 3.26.0 crashes when it replaces a row of such a table that has
        ** recursive triggers AFTER DELETE. */
     .since = 3027000},
    {"checks", "old", "new", "old",
     .create = "CREATE TABLE {t}({id} INTEGER PRIMARY KEY,"
               " {c} REAL CHECK ({c} IS NULL OR {c} IS NOT 77.0), n)"},
    {"columns named as a filter's", "parts", "part", "f",
     .create = "CREATE TABLE {t}({id} INTEGER PRIMARY KEY, {c} BLOB UNIQUE,"
               " parts, n)",
     .flags = UNIQUE_KEY},
    {"ids as keys", "key", "key", "key", .written = "n",
     .create = "CREATE TABLE {t}({id} INTEGER PRIMARY KEY, n)",
     .flags = NO_BLOCKS},
    {"columns named rowid", "hidden", "id", "rowid",
     .create = "CREATE TABLE {t}({id} INTEGER PRIMARY KEY, {c},"
               " oid, _rowid_, n)",
     .flags = NO_ROWID},
    {"keys of a parent", "child", "id", "parent",
     .create = "CREATE TABLE {t}({id} INTEGER PRIMARY KEY,"
               " {c} DEFAULT 'nobody' REFERENCES parent(k)"
               "  ON UPDATE CASCADE ON DELETE SET DEFAULT, n)",
     .flags = KEY_PARENT},
    {"ids of a parent", "at", "place", "f",
     .create = "CREATE TABLE {t}({id} INTEGER PRIMARY KEY"
               " REFERENCES place(id) ON UPDATE CASCADE ON DELETE CASCADE"
               "  DEFERRABLE INITIALLY DEFERRED, {c}, n)",
     .flags = ID_PARENT},
    {"two columns", "pair", "id", "a",
     .create = "CREATE TABLE {t}({id} INTEGER PRIMARY KEY, {c} TEXT,"
               " n INTEGER)",
     .flags = SECOND_COLUMN},
    {"STRICT", "strict", "id", "parts",
     .create = "CREATE TABLE {t}({id} INTEGER PRIMARY KEY, {c} ANY, n INT)"
               " STRICT",
     .since = 3037000},
    {"WITHOUT ROWID", "narrow", "id", "key",
     .create = "CREATE TABLE {t}({id} INTEGER, {c} UNIQUE, n,"
               " PRIMARY KEY({id})) WITHOUT ROWID",
     .flags = NO_BLOCKS | NO_ROWID | UNIQUE_KEY},
    {"no INTEGER PRIMARY KEY", "plain", "rowid", "part",
     .create = "CREATE TABLE {t}({c} TEXT, n)",
     .flags = NO_BLOCKS | ID_IS_ROWID},
};

int table_count(void) {
  return (int)COUNT(tables);
}

const kept_table *table_of(int n) {
  return &tables[n % table_count()];
}

int sqlite_has(const kept_table *table) {
  return sqlite3_libversion_number() >= table->since;
}
