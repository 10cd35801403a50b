/*
** What older versions of SQLite's headers or libraries lack, and what is used
** instead.
*/
#ifndef BLOOM_COMPAT_H
#define BLOOM_COMPAT_H

#include <sqlite3ext.h>
#include <stdbool.h>
#include <string.h>

SQLITE_EXTENSION_INIT3 /* declares SQLite's table of routines */

/* The oldest SQLite with which the extension is tested. */
#define OLDEST_SQLITE_NUMBER 3026000
#define OLDEST_SQLITE "3.26.0"

/* New in 3.30 and 3.31; libraries that do not know these flags ignore them. */
#ifndef SQLITE_DIRECTONLY
#define SQLITE_DIRECTONLY 0x000080000
#endif
#ifndef SQLITE_INNOCUOUS
#define SQLITE_INNOCUOUS 0x000200000
#endif

/*
** Whether a TEXT is stored as UTF-8, so that its bytes can be read where they
** are. sqlite3_value_text copies a text that no NUL follows, such as that of a
** parameter or of a trigger's new row. Always false with SQLite before 3.40,
** where an extension cannot ask for the encoding of a value.
*/
static inline bool sql_is_utf8(sqlite3_value *text) {
#if SQLITE_VERSION_NUMBER >= 3040000
  /* Uncovered: branches are counted with a library from 3.40 on. */
  return sqlite3_libversion_number() >= 3040000 &&
         sqlite3_value_encoding(text) == SQLITE_UTF8;
#else
  (void)text;
  return false;
#endif
}

/*
** Whether sqlite3_interrupt has been called; always false before SQLite 3.41,
** which appended sqlite3_is_interrupted to the table of routines. In the
** headers of 3.40, which Debian 12 has, the table ends right before that entry:
** an extension built with them finds it just past the end.
*/
static inline bool sql_is_interrupted(sqlite3 *db) {
  if (sqlite3_libversion_number() < 3041000) return false;
#if SQLITE_VERSION_NUMBER >= 3041000
  return sqlite3_is_interrupted(db);
#elif SQLITE_VERSION_NUMBER >= 3040000 && !defined(SQLITE_CORE)
  int (*is_interrupted)(sqlite3 *);
  memcpy(&is_interrupted, sqlite3_api + 1, sizeof(is_interrupted));
  return is_interrupted(db);
#else
  (void)db;
  return false;
#endif
}

/* Whether the connection has a database of this number, of which 0 is main, 1
** is temp and 2 is the first that is attached. SQLite before 3.39 tells only
** in a statement; if that fails, there may be one. */
static inline bool sql_has_database(sqlite3 *db, int number) {
#if SQLITE_VERSION_NUMBER >= 3039000
  /* Uncovered: branches are counted with a library from 3.39 on. */
  if (sqlite3_libversion_number() >= 3039000) {
    return sqlite3_db_name(db, number) != NULL;
  }
#endif
  sqlite3_stmt *row;
  bool found = false;
  int rc = sqlite3_prepare_v2(db, "PRAGMA database_list", -1, &row, NULL);
  while (rc == SQLITE_OK && (rc = sqlite3_step(row)) == SQLITE_ROW) {
    found |= sqlite3_column_int(row, 0) == number;
    rc = SQLITE_OK;
  }
  sqlite3_finalize(row);
  return found || rc != SQLITE_DONE;
}

/* Whether xBestIndex can be told a constraint's constant, which SQLite can from
** 3.38 on, and which constant it is. */
#define CONSTANTS_SQLITE "3.38.0"
static inline bool sql_has_vtab_constants(void) {
#if SQLITE_VERSION_NUMBER >= 3038000
  return sqlite3_libversion_number() >= 3038000;
#else
  return false;
#endif
}
static inline int sql_vtab_constant(sqlite3_index_info *info, int i,
                                    sqlite3_value **value) {
#if SQLITE_VERSION_NUMBER >= 3038000
  return sqlite3_vtab_rhs_value(info, i, value);
#else
  (void)info, (void)i, (void)value;
  return SQLITE_NOTFOUND;
#endif
}

/* Lets a function stop what a connection runs, or returns false if the library
** has no progress handlers, as that of better-sqlite3. */
static inline bool sql_watch(sqlite3 *db, int (*stop)(void *data), void *data) {
#ifdef SQLITE_OMIT_PROGRESS_CALLBACK
  (void)db, (void)stop, (void)data;
  return false;
#else
#ifndef SQLITE_CORE
  /* Uncovered: branches are counted with a library that has them. */
  if (sqlite3_api->progress_handler == NULL) return false;
#endif
  sqlite3_progress_handler(db, 10000, stop, data);
  return true;
#endif
}

/* Says of the virtual table that is being connected whether views and triggers
** may use it, from SQLite 3.31 on. */
static inline void sql_vtab_risk(sqlite3 *db, bool direct_only) {
#ifdef SQLITE_VTAB_DIRECTONLY
  /* Uncovered: branches are counted with a library from 3.31 on. */
  if (sqlite3_libversion_number() >= 3031000) {
    sqlite3_vtab_config(
        db, direct_only ? SQLITE_VTAB_DIRECTONLY : SQLITE_VTAB_INNOCUOUS);
  }
#else
  (void)db, (void)direct_only;
#endif
}

#endif
