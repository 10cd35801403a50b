#include "arena.h"

#include <stdarg.h>
#include <string.h>

typedef struct arena_piece {
  struct arena_piece *older;
  void *memory;
} arena_piece;

void *sql_arena_keep(sql_arena *arena, void *memory) {
  arena_piece *piece = memory == NULL ? NULL : sqlite3_malloc64(sizeof(*piece));
  if (piece == NULL) {
    sqlite3_free(memory);
    arena->no_memory = true;
    return NULL;
  }
  *piece = (arena_piece){arena->newest, memory};
  arena->newest = piece;
  return memory;
}

void *sql_arena_allocate(sql_arena *arena, uint64_t size) {
  void *memory = sql_arena_keep(arena, sqlite3_malloc64(size));
  if (memory != NULL) memset(memory, 0, (size_t)size);
  return memory;
}

void *sql_arena_finish(sql_arena *arena, sqlite3_str *built, int *rc,
                       int *size) {
  if (*rc == SQLITE_OK) *rc = sqlite3_str_errcode(built);
  *size = *rc == SQLITE_OK ? sqlite3_str_length(built) : 0;
  void *bytes = sqlite3_str_finish(built);
  if (*size == 0) {
    sqlite3_free(bytes);
    return NULL;
  }
  bytes = sql_arena_keep(arena, bytes);
  if (bytes == NULL) *rc = SQLITE_NOMEM;
  return bytes;
}

char *sql_arena_text(sql_arena *arena, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *text = sqlite3_vmprintf(format, arguments);
  va_end(arguments);
  return sql_arena_keep(arena, text);
}

void sql_arena_free(sql_arena *arena) {
  while (arena->newest != NULL) {
    arena_piece *piece = arena->newest;
    arena->newest = piece->older;
    sqlite3_free(piece->memory);
    sqlite3_free(piece);
  }
}
