#include "handle.h"

#include <stddef.h>
#include <string.h>

#include "core/crc32c.h"

#define STRUCT_OF(link, type, member) \
  ((type *)(void *)((char *)(link)-offsetof(type, member)))

/* ---- The table. */

typedef struct open_statement open_statement;

/* One open filter in the table. The keys of its links are its handle and the
** crc32c of its bytes. */
typedef struct open_entry {
  sql_map_link by_handle;
  sql_map_link by_content;
  sql_open_filter *filter; /* NULL once the filter was evicted */
  open_statement *statement;
  struct open_entry *newer; /* the statement's next one */
} open_entry;

/* The open filters of one statement, or of one run of a trigger's program. */
struct open_statement {
  sql_map_link by_address;
  uint64_t number;
  sql_handles *handles;
  open_entry *oldest;
  open_entry *oldest_open; /* the oldest one not evicted yet */
  open_entry *newest;
  open_entry *first_new; /* the oldest of the newest NEWEST_FILTERS */
  int new_count;
  uint64_t older_bytes; /* of all filters older than first_new */
};

sql_handles *sql_create_handles(void) {
  sql_handles *handles = sqlite3_malloc64(sizeof(*handles));
  if (handles == NULL) return NULL;
  memset(handles, 0, sizeof(*handles));
  handles->holders = 1;
  handles->evicted = sql_copy_whole(sql_match_all());
  if (handles->evicted == NULL) {
    sql_release_handles(handles);
    return NULL;
  }
  return handles;
}

/* Auxiliary data with a negative index belongs to the whole statement, and the
** functions of all extensions share these indices. A random index avoids those
** that others use, and the few that SQLite itself uses. It is not drawn before
** it is needed, since loading the extension must not change the random numbers
** that the program gets from SQLite. */
static int random_index(void) {
  int random;
  sqlite3_randomness(sizeof(random), &random);
  return (random & 0x3fffffff) - 0x7fffffff;
}

void sql_retain_handles(sql_handles *handles) {
  handles->holders++;
}

void sql_release_handles(sql_handles *handles) {
  if (--handles->holders > 0) return;
  sql_map_free(&handles->by_handle);
  sql_map_free(&handles->by_content);
  sql_map_free(&handles->statements);
  sqlite3_free(handles->evicted);
  sqlite3_free(handles);
}

const sql_open_filter *sql_search_handle(sql_handles *handles,
                                         sqlite3_int64 handle) {
  sql_map_link *link = sql_map_find(&handles->by_handle, (uint64_t)handle);
  if (link == NULL) return NULL;
  const open_entry *entry = STRUCT_OF(link, open_entry, by_handle);
  handles->last_handle = handle;
  handles->last_filter =
      entry->filter == NULL ? handles->evicted : entry->filter;
  return handles->last_filter;
}

/* ---- The open filters of a statement. */

/* Takes an entry's filter away, if it still has one. */
static sql_open_filter *take(open_entry *entry) {
  sql_handles *handles = entry->statement->handles;
  sql_open_filter *filter = entry->filter;
  if ((uint64_t)handles->last_handle == entry->by_handle.key) {
    handles->last_filter = NULL;
  }
  entry->filter = NULL;
  return filter;
}

sql_open_filter *sql_take_filter(sql_handles *handles, sqlite3_int64 handle) {
  sql_map_link *link = sql_map_find(&handles->by_handle, (uint64_t)handle);
  return link == NULL ? NULL : take(STRUCT_OF(link, open_entry, by_handle));
}

/* Ends the handle of a statement's oldest filter. */
static void end_oldest(open_statement *statement) {
  open_entry *entry = statement->oldest;
  statement->oldest = entry->newer;
  if (statement->oldest_open == entry) statement->oldest_open = entry->newer;
  sql_map_remove(&statement->handles->by_handle, &entry->by_handle);
  sql_map_remove(&statement->handles->by_content, &entry->by_content);
  sqlite3_free(take(entry));
  sqlite3_free(entry);
}

/* SQLite calls this when the statement ends. */
static void end_statement(void *data) {
  open_statement *statement = data;
  sql_handles *handles = statement->handles;
  while (statement->oldest != NULL) end_oldest(statement);
  sql_map_remove(&handles->statements, &statement->by_address);
  sqlite3_free(statement);
  sql_release_handles(handles);
}

static open_statement *find_statement(const sql_handles *handles,
                                      uint64_t address) {
  sql_map_link *link = sql_map_find(&handles->statements, address);
  return link == NULL ? NULL : STRUCT_OF(link, open_statement, by_address);
}

/* The running statement, or NULL if it has not opened anything yet. The pointer
** that SQLite returns is not followed until it has been found in the table. */
static open_statement *known_statement(sqlite3_context *context,
                                       const sql_handles *handles) {
  const void *data = sqlite3_get_auxdata(context, handles->auxdata);
  return find_statement(handles, (uint64_t)(uintptr_t)data);
}

/*
** The running statement. On failure it makes an error the result and returns
** NULL.
**
** SQLite destroys auxiliary data with a negative index when the statement ends.
** Its documentation reserves such indices for SQLite itself and promises
** nothing about them, but all versions from 3.26 to 3.54 behave in this way,
** and SQLite's own functions rely on it. A version that discarded the data at
** once would call end_statement before sqlite3_set_auxdata returns, and then
** the statement is not found below. Any version does that when it is out of
** memory, but then the statement's error is SQLITE_NOMEM, whatever the result
** is.
*/
static open_statement *running_statement(sqlite3_context *context) {
  sql_handles *handles = sql_handles_of(context);
  if (handles->auxdata == 0) handles->auxdata = random_index();
  open_statement *statement = known_statement(context, handles);
  if (statement != NULL) return statement;
  if (sql_map_reserve(&handles->statements)) {
    statement = sqlite3_malloc64(sizeof(*statement));
  }
  if (statement == NULL) {
    sqlite3_result_error_nomem(context);
    return NULL;
  }
  memset(statement, 0, sizeof(*statement));
  statement->number = ++handles->last_number;
  statement->handles = handles;
  sql_map_add(&handles->statements, &statement->by_address,
              (uint64_t)(uintptr_t)statement);
  sql_retain_handles(handles);
  sqlite3_set_auxdata(context, handles->auxdata, statement, end_statement);
  statement = known_statement(context, handles);
  if (statement == NULL) {
    sql_error(context, SQLITE_ERROR,
              "SQLite %s does not keep a statement's auxiliary data until the "
              "statement ends, so that no filter can be opened: pass filters "
              "as BLOBs, and report this",
              sqlite3_libversion());
  }
  return statement;
}

bool sql_identify_statement(sqlite3_context *context, sql_statement_id *id) {
  const open_statement *statement = running_statement(context);
  if (statement == NULL) return false;
  *id = (sql_statement_id){statement->by_address.key, statement->number};
  return true;
}

/* Bytes of an entry with its slots in the two maps, which may be half empty.
** SQLite's allocator, which rounds up, says what it gave. */
static uint64_t entry_bytes(open_entry *entry) {
  return sqlite3_msize(entry) + 4 * sizeof(sql_map_link *);
}

static uint64_t filter_bytes(const open_entry *entry) {
  return sqlite3_msize(entry->filter);
}

/* Evicts a statement's oldest filters, and if need be ends their handles, until
** what it keeps of older filters is within MAX_OLDER_BYTES. */
static void evict_oldest(open_statement *statement) {
  while (statement->older_bytes > MAX_OLDER_BYTES &&
         statement->oldest_open != statement->first_new) {
    statement->older_bytes -= filter_bytes(statement->oldest_open);
    sqlite3_free(take(statement->oldest_open));
    statement->oldest_open = statement->oldest_open->newer;
  }
  while (statement->older_bytes > MAX_OLDER_BYTES) {
    statement->older_bytes -= entry_bytes(statement->oldest);
    end_oldest(statement);
  }
}

/* Adds an entry to its statement. */
static void add_newest(open_entry *entry) {
  open_statement *statement = entry->statement;
  if (statement->newest == NULL) {
    statement->oldest = statement->oldest_open = statement->first_new = entry;
  } else {
    statement->newest->newer = entry;
  }
  statement->newest = entry;
  if (statement->new_count < NEWEST_FILTERS) {
    statement->new_count++;
    return;
  }
  statement->older_bytes +=
      entry_bytes(statement->first_new) + filter_bytes(statement->first_new);
  statement->first_new = statement->first_new->newer;
  evict_oldest(statement);
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
** compared with new bytes. If there are more, the same bytes may be open
** twice. */
#define MAX_COMPARED 64

/* The statement's open filter with these bytes in this many parts, or NULL if
** it has none. */
static const open_entry *find_same(const open_statement *statement,
                                   const byte_span *bytes, uint32_t parts,
                                   uint32_t crc) {
  sql_map_link *link = sql_map_find(&statement->handles->by_content, crc);
  for (int i = 0; link != NULL && i < MAX_COMPARED; i++) {
    const open_entry *entry = STRUCT_OF(link, open_entry, by_content);
    if (entry->statement == statement && entry->filter != NULL &&
        entry->filter->parts == parts &&
        same_bytes(entry->filter->bytes, bytes, parts)) {
      return entry;
    }
    link = sql_map_next(link);
  }
  return NULL;
}

/* Adds a complete filter to the table, which owns it from then on. Returns NULL
** if out of memory; then the caller still owns the filter. */
static const open_entry *add_entry(open_statement *statement,
                                   sql_open_filter *filter, uint32_t crc) {
  sql_handles *handles = statement->handles;
  if (!sql_map_reserve(&handles->by_handle) ||
      !sql_map_reserve(&handles->by_content)) {
    return NULL;
  }
  open_entry *entry = sqlite3_malloc64(sizeof(*entry));
  if (entry == NULL) return NULL;
  memset(entry, 0, sizeof(*entry));
  entry->filter = filter;
  entry->statement = statement;
  uint64_t handle;
  do {
    sqlite3_randomness(sizeof(handle), &handle);
    /* Uncovered: the same random 64 bits twice. */
  } while (sql_map_find(&handles->by_handle, handle) != NULL);
  sql_map_add(&handles->by_handle, &entry->by_handle, handle);
  sql_map_add(&handles->by_content, &entry->by_content, crc);
  add_newest(entry);
  return entry;
}

/* Gives the caller the handle of an entry; NULL stands for out of memory. */
static bool handle_of(sqlite3_context *context, const open_entry *entry,
                      sqlite3_int64 *handle) {
  if (entry == NULL) return sql_no_memory(context);
  *handle = (sqlite3_int64)entry->by_handle.key;
  return true;
}

bool sql_open_whole(sqlite3_context *context, byte_span bytes,
                    sqlite3_int64 *handle) {
  open_statement *statement = running_statement(context);
  if (statement == NULL) return false;
  const uint32_t crc = crc_of(&bytes, 1);
  const open_entry *entry = find_same(statement, &bytes, 1, crc);
  if (entry == NULL) {
    sql_open_filter *filter = sql_copy_whole(bytes);
    if (filter != NULL) entry = add_entry(statement, filter, crc);
    if (entry == NULL) sqlite3_free(filter);
  }
  return handle_of(context, entry, handle);
}

bool sql_open_parts(sqlite3_context *context, sql_statement_id id,
                    sql_open_filter **filter, sqlite3_int64 *handle) {
  open_statement *statement =
      find_statement(sql_handles_of(context), id.address);
  if (statement == NULL || statement->number != id.number) {
    /* This aggregate is ended because its statement has ended. */
    sqlite3_result_error_code(context, SQLITE_ABORT);
    return false;
  }
  const byte_span *bytes = (*filter)->bytes;
  const uint32_t parts = (*filter)->parts;
  const uint32_t crc = crc_of(bytes, parts);
  const open_entry *entry = find_same(statement, bytes, parts, crc);
  if (entry == NULL) {
    sql_complete_filter(*filter);
    entry = add_entry(statement, *filter, crc);
    if (entry != NULL) *filter = NULL;
  }
  return handle_of(context, entry, handle);
}
