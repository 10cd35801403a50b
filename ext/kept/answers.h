/*
** The answers of the guard, remembered until the schema of any database of the
** connection may be another one.
**
** SQLite itself tells: a statement that reads the schema of each database is
** held, and before an answer is given again, it is run. If SQLite had to
** prepare it anew (SQLITE_STMTSTATUS_REPREPARE), a schema has changed, be it by
** DDL, by a rollback or by another connection. If another connection has
** committed anything (PRAGMA data_version), it may have edited sqlite_master
** without a word to SQLite. And nothing is remembered while a database is in
** the VFS "memdb": sqlite3_deserialize puts another one in its place, and the
** numbers begin anew.
*/
#ifndef BLOOM_ANSWERS_H
#define BLOOM_ANSWERS_H

#include "../table.h"

/* Sets *kept to the answer that is remembered for a form, a table and a column.
** Returns false if there is none. */
bool sql_recall(sqlite3 *db, sql_handles *handles, const char *const *names,
                bool *kept);

/* Remembers an answer, which must have been found since sql_recall was called
** in the same call of a function. Returns false if it cannot. */
bool sql_remember(sql_handles *handles, const char *const *names, bool kept);

/* The connection uses a table of this extension for the first time, or closes,
** which ends what is held. */
void sql_hold_answers(sql_handles *handles, bool opens);

#endif
