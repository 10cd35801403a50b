/*
** A hash map from 64-bit keys to structs, each of which contains its own link.
** Several structs may have the same key.
*/
#ifndef BLOOM_MAP_H
#define BLOOM_MAP_H

#include <sqlite3ext.h>
#include <stdbool.h>
#include <stdint.h>

SQLITE_EXTENSION_INIT3 /* declares SQLite's table of routines */

typedef struct sql_map_link {
  uint64_t key;
  struct sql_map_link *next;
  struct sql_map_link **pointer; /* that points here */
} sql_map_link;

/* A map whose members are all zero is empty. */
typedef struct sql_map {
  sql_map_link **chains;
  uint64_t chain_count; /* a power of two, or 0 */
  uint64_t count;       /* structs */
} sql_map;

/* Makes room for one more struct. Returns false if out of memory. */
bool sql_map_reserve(sql_map *map);

/* Adds a struct, for which sql_map_reserve has made room. */
void sql_map_add(sql_map *map, sql_map_link *link, uint64_t key);

/* Removes a struct. Removing the last one also frees the map's memory. */
void sql_map_remove(sql_map *map, sql_map_link *link);

/* Frees the memory of a map in which room was made but nothing was added. */
void sql_map_free(sql_map *map);

/* The link of a struct with this key, or NULL. */
sql_map_link *sql_map_find(const sql_map *map, uint64_t key);

/* The link of the next struct with the same key, or NULL. */
sql_map_link *sql_map_next(const sql_map_link *link);

#endif
