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

#ifdef _WIN32
#define BLOOM_EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define BLOOM_EXPORT __attribute__((visibility("default")))
#else
#define BLOOM_EXPORT
#endif

/*
** Registers every function on db. SQLite calls it when it loads the extension;
** a program that has it linked in passes it to sqlite3_auto_extension. Returns
** SQLITE_OK, or an error code if no function was registered; *error may then
** have a message, which the caller frees with sqlite3_free.
*/
BLOOM_EXPORT int sqlite3_bloom_init(sqlite3 *db, char **error,
                                    const struct sqlite3_api_routines *api);

#ifdef __cplusplus
}
#endif

#endif
