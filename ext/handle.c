#include "handle.h"

#include <stddef.h>
#include <string.h>

#include "core/crc32c.h"
#include "map.h"

#define STRUCT_OF(link, type, member) \
  ((type *)(void *)((char *)(link)-offsetof(type, member)))

/* ---- The table. */

typedef struct open_statement open_statement;

/* One open filter, as the table keeps it. */
typedef struct open_entry {
  sql_open_filter filter;
  sql_map_link by_handle;
  sql_map_link by_content;
  open_statement *owner;
  struct open_entry *newer; /* the owner's next one */
} open_entry;

/* Bytes of an entry with its slots in the two maps, which may be half empty. */
#define ENTRY_BYTES (sizeof(open_entry) + 4 * sizeof(sql_map_link *))

typedef struct open_table {
  sql_handles base;
  sql_map by_handle;
  sql_map by_content;
  sql_map statements; /* by address */
  uint64_t last_number;
  int auxdata; /* the index of a statement's auxiliary data */
} open_table;

/* The open filters of one statement, or of one run of a trigger's program. */
struct open_statement {
  sql_map_link by_address;
  uint64_t number;
  open_table *table;
  open_entry *oldest;
  open_entry *oldest_copy; /* the oldest one not evicted yet */
  open_entry *newest;
  open_entry *first_new; /* the oldest of the newest NEWEST_FILTERS */
  int new_count;
  uint64_t older_bytes; /* of all filters older than first_new */
};

static void free_table(sql_shared *shared) {
  open_table *freed = (open_table *)shared;
  sql_map_free(&freed->by_handle);
  sql_map_free(&freed->by_content);
  sql_map_free(&freed->statements);
  sqlite3_free(freed);
}

sql_shared *sql_create_handles(void) {
  open_table *created = sqlite3_malloc64(sizeof(*created));
  if (created == NULL) return NULL;
  memset(created, 0, sizeof(*created));
  created->base.shared = (sql_shared){1, free_table};
  /* Auxiliary data with a negative index belongs to the whole statement, and
  ** every function of every extension may store some. A random index avoids
  ** theirs, and the few that SQLite itself uses. */
  int random;
  sqlite3_randomness(sizeof(random), &random);
  created->auxdata = (random & 0x3fffffff) - 0x7fffffff;
  return &created->base.shared;
}

const sql_open_filter *sql_search_handle(sql_handles *handles,
                                         sqlite3_int64 handle) {
  const open_table *in = (const open_table *)handles;
  const sql_map_link *link = sql_map_find(&in->by_handle, (uint64_t)handle);
  if (link == NULL) return NULL;
  handles->last_found = &STRUCT_OF(link, open_entry, by_handle)->filter;
  return handles->last_found;
}

/* ---- The open filters of a statement. */

static void evict(open_entry *evicted) {
  sqlite3_free(evicted->filter.copy);
  evicted->filter.copy = NULL;
}

/* Ends the handle of a statement's oldest filter. */
static void end_oldest(open_statement *owner) {
  open_table *from = owner->table;
  open_entry *ended = owner->oldest;
  owner->oldest = ended->newer;
  if (owner->oldest_copy == ended) owner->oldest_copy = ended->newer;
  if (from->base.last_found == &ended->filter) from->base.last_found = NULL;
  sql_map_remove(&from->by_handle, &ended->by_handle);
  sql_map_remove(&from->by_content, &ended->by_content);
  evict(ended);
  sqlite3_free(ended);
}

/* SQLite calls this when the statement ends. */
static void end_statement(void *data) {
  open_statement *ended = data;
  open_table *from = ended->table;
  while (ended->oldest != NULL) end_oldest(ended);
  sql_map_remove(&from->statements, &ended->by_address);
  sqlite3_free(ended);
  sql_release(&from->base.shared);
}

static open_statement *find_statement(const open_table *in, uint64_t address) {
  sql_map_link *link = sql_map_find(&in->statements, address);
  return link == NULL ? NULL : STRUCT_OF(link, open_statement, by_address);
}

/* The running statement, or NULL if it has not opened anything yet. The pointer
** that SQLite returns is not followed until it has been found in the table. */
static open_statement *known_statement(sqlite3_context *context,
                                       const open_table *in) {
  const void *data = sqlite3_get_auxdata(context, in->auxdata);
  return find_statement(in, (uint64_t)(uintptr_t)data);
}

/*
** The running statement. On failure it makes an error the result and returns
** NULL.
**
** SQLite destroys auxiliary data with a negative index when the statement ends.
** Its documentation reserves such indices for SQLite itself and promises
** nothing about them, but all versions from 3.20 to 3.52 behave in this way,
** and SQLite's own functions rely on it. In a version that discarded the data
** at once, end_statement would have been called before sqlite3_set_auxdata
** returned. Any version does that when it is out of memory, but then the
** statement's error is SQLITE_NOMEM, whatever the result is.
*/
static open_statement *own_statement(sqlite3_context *context) {
  open_table *in = (open_table *)sql_handles_of(context);
  open_statement *own = known_statement(context, in);
  if (own != NULL) return own;
  own = sql_map_reserve(&in->statements) ? sql_allocate(context, sizeof(*own))
                                         : NULL;
  if (own == NULL) {
    sqlite3_result_error_nomem(context);
    return NULL;
  }
  memset(own, 0, sizeof(*own));
  own->number = ++in->last_number;
  own->table = in;
  sql_map_add(&in->statements, &own->by_address, (uint64_t)(uintptr_t)own);
  sql_retain(&in->base.shared);
  sqlite3_set_auxdata(context, in->auxdata, own, end_statement);
  own = known_statement(context, in);
  if (own == NULL) {
    sql_error(context,
              "SQLite %s does not keep a statement's auxiliary data until the "
              "statement ends, so that no filter can be opened: give filters "
              "as BLOBs, and report this",
              sqlite3_libversion());
  }
  return own;
}

bool sql_identify_statement(sqlite3_context *context, sql_statement_id *id) {
  const open_statement *own = own_statement(context);
  if (own == NULL) return false;
  *id = (sql_statement_id){own->by_address.key, own->number};
  return true;
}

static uint64_t copy_bytes(const open_entry *of) {
  return of->filter.copy == NULL ? 0 : of->filter.copy->room;
}

/* Evicts a statement's oldest filters, and if need be ends their handles, until
** what it keeps of older filters is within MAX_OLDER_BYTES. */
static void evict_oldest(open_statement *owner) {
  while (owner->older_bytes > MAX_OLDER_BYTES &&
         owner->oldest_copy != owner->first_new) {
    owner->older_bytes -= copy_bytes(owner->oldest_copy);
    evict(owner->oldest_copy);
    owner->oldest_copy = owner->oldest_copy->newer;
  }
  while (owner->older_bytes > MAX_OLDER_BYTES) {
    owner->older_bytes -= ENTRY_BYTES;
    end_oldest(owner);
  }
}

/* Adds an entry to its owner and to the table, whose maps have room for it. */
static void add_entry(open_entry *added) {
  open_statement *owner = added->owner;
  open_table *to = owner->table;
  sql_map_add(&to->by_handle, &added->by_handle,
              (uint64_t)added->filter.handle);
  sql_map_add(&to->by_content, &added->by_content, added->filter.crc);
  if (owner->newest == NULL) {
    owner->oldest = owner->oldest_copy = owner->first_new = added;
  } else {
    owner->newest->newer = added;
  }
  owner->newest = added;
  if (owner->new_count < NEWEST_FILTERS) {
    owner->new_count++;
    return;
  }
  owner->older_bytes += ENTRY_BYTES + copy_bytes(owner->first_new);
  owner->first_new = owner->first_new->newer;
  evict_oldest(owner);
}

/* ---- Opening. */

static uint32_t crc_of(const byte_span *bytes, uint32_t parts) {
  uint32_t crc = 0;
  for (uint32_t i = 0; i < parts; i++) {
    crc = bloom_crc32c_extend(crc, bytes[i].data, bytes[i].size);
  }
  return crc;
}

static bool same_bytes(const byte_span *a, const byte_span *b, uint32_t parts) {
  for (uint32_t i = 0; i < parts; i++) {
    if (a[i].size != b[i].size ||
        memcmp(a[i].data, b[i].data, a[i].size) != 0) {
      return false;
    }
  }
  return true;
}

/* It is easy to make many filters with the same crc, so at most this many are
** compared. Beyond them, the same bytes may be open twice. */
#define MAX_COMPARED 64

/* The owner's open filter with these bytes in this many parts, 0 for a whole
** filter; NULL if it has none. */
static const open_entry *find_same(const open_statement *owner,
                                   const byte_span *bytes, uint32_t parts,
                                   uint32_t crc) {
  sql_map_link *link = sql_map_find(&owner->table->by_content, crc);
  for (int i = 0; link != NULL && i < MAX_COMPARED; i++) {
    const open_entry *at = STRUCT_OF(link, open_entry, by_content);
    if (at->owner == owner && at->filter.parts == parts &&
        at->filter.copy != NULL &&
        same_bytes(at->filter.copy->bytes, bytes, at->filter.copy->parts)) {
      return at;
    }
    link = sql_map_next(link);
  }
  return NULL;
}

/* Adds a complete copy to the table, which owns it from then on. Returns NULL,
** and leaves the copy to the caller, if out of memory. */
static const open_entry *new_entry(open_statement *owner, sql_copy *copy,
                                   uint32_t parts, uint32_t crc) {
  open_table *to = owner->table;
  if (!sql_map_reserve(&to->by_handle) || !sql_map_reserve(&to->by_content)) {
    return NULL;
  }
  open_entry *added = sqlite3_malloc64(sizeof(*added));
  if (added == NULL) return NULL;
  memset(added, 0, sizeof(*added));
  added->owner = owner;
  added->filter = (sql_open_filter){0, parts, crc, copy};
  sql_copy_complete(copy);
  do {
    sqlite3_randomness(sizeof(added->filter.handle), &added->filter.handle);
    /* Uncovered: the same random 64 bits twice. */
  } while (sql_map_find(&to->by_handle, (uint64_t)added->filter.handle) !=
           NULL);
  add_entry(added);
  return added;
}

static bool handle_result(sqlite3_context *context, const open_entry *opened,
                          sqlite3_int64 *handle) {
  if (opened == NULL) {
    sqlite3_result_error_nomem(context);
    return false;
  }
  *handle = opened->filter.handle;
  return true;
}

bool sql_open_whole(sqlite3_context *context, byte_span bytes,
                    sqlite3_int64 *handle) {
  open_statement *owner = own_statement(context);
  if (owner == NULL) return false;
  const uint32_t crc = crc_of(&bytes, 1);
  const open_entry *opened = find_same(owner, &bytes, 0, crc);
  if (opened == NULL) {
    sql_copy *copy = sql_copy_create(1, bytes.size);
    if (copy != NULL) {
      sql_copy_fill(&copy, 0, bytes);
      opened = new_entry(owner, copy, 0, crc);
      if (opened == NULL) sqlite3_free(copy);
    }
  }
  return handle_result(context, opened, handle);
}

bool sql_open_parts(sqlite3_context *context, sql_statement_id id,
                    sql_copy **copy, sqlite3_int64 *handle) {
  const open_table *in = (const open_table *)sql_handles_of(context);
  open_statement *owner = find_statement(in, id.address);
  if (owner == NULL || owner->number != id.number) {
    /* This aggregate is ended because its statement has ended. */
    sqlite3_result_error_code(context, SQLITE_ABORT);
    return false;
  }
  const byte_span *bytes = (*copy)->bytes;
  const uint32_t parts = (*copy)->parts;
  const uint32_t crc = crc_of(bytes, parts);
  const open_entry *opened = find_same(owner, bytes, parts, crc);
  if (opened == NULL) {
    opened = new_entry(owner, *copy, parts, crc);
    if (opened != NULL) *copy = NULL;
  }
  return handle_result(context, opened, handle);
}
