/*
** Memory that is freed all at once. Who makes something of many pieces need not
** ask for each whether there was memory, but once, at the end.
*/
#ifndef BLOOM_ARENA_H
#define BLOOM_ARENA_H

#include <stdint.h>

#include "compat.h"

/* Zero at first. */
typedef struct sql_arena {
  struct arena_piece *newest;
  bool no_memory; /* something could not be allocated, and is NULL */
} sql_arena;

/* Allocates bytes, all of which are zero. */
void *sql_arena_allocate(sql_arena *arena, uint64_t size);

/* Takes memory of SQLite's allocator, or NULL if there was none. Returns it, or
** NULL. */
void *sql_arena_keep(sql_arena *arena, void *memory);

/* Ends a string that was built without asking for errors. If *rc is SQLITE_OK,
** it becomes the code of the string's error. If there is none, returns the
** bytes, of which there are *size, or NULL if there are none; else NULL. */
void *sql_arena_finish(sql_arena *arena, sqlite3_str *built, int *rc,
                       int *size);

/* As sqlite3_mprintf. */
char *sql_arena_text(sql_arena *arena, const char *format, ...);

void sql_arena_free(sql_arena *arena);

#endif
