/* The families of SQL functions, one in each file. Each registers its own,
** which hold shared, and returns SQLITE_OK or an error code. */
#ifndef BLOOM_FAMILIES_H
#define BLOOM_FAMILIES_H

#include "function.h"

int sql_register_build(sqlite3 *db, sql_shared *shared);
int sql_register_probe(sqlite3 *db, sql_shared *shared);
int sql_register_info(sqlite3 *db, sql_shared *shared);
int sql_register_planning(sqlite3 *db, sql_shared *shared);
int sql_register_leveldb(sqlite3 *db, sql_shared *shared);
int sql_register_checksum(sqlite3 *db, sql_shared *shared);

#endif
