/*
** The bloom extension, for a program that links it in.
*/
#ifndef BLOOM_EXT_H
#define BLOOM_EXT_H

#include <sqlite3.h>

#include "version.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
** Registers every function on db. SQLite calls it at .load; a program that is
** linked statically passes it to sqlite3_auto_extension. Returns SQLITE_OK, or
** an error code with a message in *error, which the caller frees with
** sqlite3_free; none of the functions is then registered.
*/
int sqlite3_bloom_init(sqlite3 *db, char **error,
                       const struct sqlite3_api_routines *api);

#ifdef __cplusplus
}
#endif

#endif
