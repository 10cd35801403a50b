#include "map.h"

#include <string.h>

#define MIN_CHAINS 16

/* Keys may be addresses, whose low bits hardly differ. */
static sql_map_link **chain_of(const sql_map *map, uint64_t key) {
  const uint64_t mixed = key * 0x9e3779b97f4a7c15u >> 32;
  return &map->chains[mixed & (map->chain_count - 1)];
}

static void add_to_chain(sql_map *map, sql_map_link *link) {
  sql_map_link **chain = chain_of(map, link->key);
  link->next = *chain;
  link->pointer = chain;
  if (link->next != NULL) link->next->pointer = &link->next;
  *chain = link;
}

bool sql_map_reserve(sql_map *map) {
  if (map->count < map->chain_count) return true;
  const sql_map old = *map;
  const uint64_t count =
      old.chain_count == 0 ? MIN_CHAINS : 2 * old.chain_count;
  sql_map_link **chains = sqlite3_malloc64(count * sizeof(*chains));
  if (chains == NULL) return false;
  memset(chains, 0, (size_t)count * sizeof(*chains));
  map->chains = chains;
  map->chain_count = count;
  for (uint64_t i = 0; i < old.chain_count; i++) {
    for (sql_map_link *link = old.chains[i], *next; link != NULL; link = next) {
      next = link->next;
      add_to_chain(map, link);
    }
  }
  sqlite3_free(old.chains);
  return true;
}

void sql_map_add(sql_map *map, sql_map_link *link, uint64_t key) {
  link->key = key;
  add_to_chain(map, link);
  map->count++;
}

void sql_map_remove(sql_map *map, sql_map_link *link) {
  *link->pointer = link->next;
  if (link->next != NULL) link->next->pointer = link->pointer;
  if (--map->count == 0) sql_map_free(map);
}

void sql_map_free(sql_map *map) {
  sqlite3_free(map->chains);
  *map = (sql_map){NULL, 0, 0};
}

static sql_map_link *find_in_chain(sql_map_link *link, uint64_t key) {
  while (link != NULL && link->key != key) link = link->next;
  return link;
}

sql_map_link *sql_map_find(const sql_map *map, uint64_t key) {
  return map->chain_count == 0 ? NULL : find_in_chain(*chain_of(map, key), key);
}

sql_map_link *sql_map_next(const sql_map_link *link) {
  return find_in_chain(link->next, link->key);
}
