/*
** The entry point of the bloom extension, and the families of functions that it
** puts together.
*/
#ifndef BLOOM_EXT_H
#define BLOOM_EXT_H

#include <sqlite3ext.h>

#define BLOOM_VERSION "1.0.0"

#ifdef __cplusplus
extern "C" {
#endif

/*
** Registers every function on db. SQLite calls it at .load; a program that is
** linked statically passes it to sqlite3_auto_extension. Returns SQLITE_OK, or
** an error code with a message in *error, which the caller frees with
** sqlite3_free.
*/
int sqlite3_bloom_init(sqlite3 *db, char **error,
                       const sqlite3_api_routines *api);

#ifdef __cplusplus
}
#endif

#endif
