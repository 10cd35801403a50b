/*
** A hash map from 64-bit keys to structs, each of which contains its own link.
** Several structs may have one key.
*/
#ifndef BLOOM_MAP_H
#define BLOOM_MAP_H

#include <sqlite3ext.h>
#include <stdbool.h>
#include <stdint.h>

SQLITE_EXTENSION_INIT3 /* where SQLite is called through its routines */

typedef struct sql_map_link {
  uint64_t key;
  struct sql_map_link *next;
  struct sql_map_link **from; /* what points here */
} sql_map_link;

/* Empty where all members are zero. */
typedef struct sql_map {
  sql_map_link **chains;
  uint64_t chain_count; /* a power of two, or 0 */
  uint64_t count;       /* structs */
} sql_map;

/* Makes room for one struct more; false is out of memory. */
bool sql_map_reserve(sql_map *map);

/* Adds a struct, for which there is room. */
void sql_map_add(sql_map *map, sql_map_link *link, uint64_t key);

/* Removes a struct. A map without structs has no memory to free. */
void sql_map_remove(sql_map *map, sql_map_link *link);

/* Frees the memory of a map that room was made in, but nothing added to. */
void sql_map_free(sql_map *map);

/* The link of a struct with this key; NULL where there is none. */
sql_map_link *sql_map_find(const sql_map *map, uint64_t key);

/* The next one with the same key. */
sql_map_link *sql_map_next(const sql_map_link *link);

#endif
