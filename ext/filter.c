#include "filter.h"

#include <string.h>

#include "core/crc32c.h"

/* What one statement holds beyond its newest filters, in bytes. What is let go
** then matches everything, which is slower and never wrong. */
#define MOST_BYTES ((uint64_t)256 << 20)
#define NEWEST_FILTERS 16

typedef struct statement_filters statement_filters;
typedef struct open_filter open_filter;

/* Each open filter stands in two chains of the table. */
enum { BY_HANDLE, BY_CONTENT, CHAINS };

typedef struct chain_link {
  open_filter *next;
  open_filter **from; /* what points here */
} chain_link;

struct open_filter {
  chain_link links[CHAINS];
  sqlite3_int64 handle;
  uint32_t crc;   /* of its bytes, part after part */
  uint32_t parts; /* 0 for a whole filter */
  statement_filters *owner;
  open_filter *newer; /* the owner's next one */
  sql_block *block;   /* its bytes; NULL: let go */
};

/* What one statement, or one run of a trigger's program, holds. */
struct statement_filters {
  uint64_t number;
  sql_filters *table;
  statement_filters *next;
  open_filter *oldest;
  open_filter *held;   /* the oldest that was not let go */
  open_filter *newest; /* the last one */
  open_filter *recent; /* the first of the NEWEST_FILTERS last */
  int recent_filters;
  uint64_t older_bytes; /* held, of all before recent */
};

struct sql_filters {
  sql_shared shared;
  statement_filters *statements; /* that hold filters */
  uint64_t last_number;
  const open_filter *found; /* the last one that was looked for */
  uint64_t filters;
  uint64_t buckets; /* a power of two, or 0 without filters */
  open_filter **chains[CHAINS];
  int auxdata; /* the index of a statement's auxiliary data that is ours */
};

/* The bytes of a filter's parts, or of a whole one, in one piece of memory. */
struct sql_block {
  uint64_t room;   /* of the whole piece */
  uint64_t used;   /* of it */
  uint32_t parts;  /* that have a place */
  uint32_t filled; /* that came so far */
  bloom_filter *probes;
  byte_span *bytes; /* data is NULL where a part did not come yet */
};

static void free_filters(sql_shared *shared) {
  sqlite3_free(shared);
}

sql_shared *sql_create_filters(void) {
  sql_filters *filters = sqlite3_malloc64(sizeof(*filters));
  if (filters == NULL) return NULL;
  memset(filters, 0, sizeof(*filters));
  filters->shared.holders = 1;
  filters->shared.free = free_filters;
  /* Auxiliary data with a negative index belongs to the whole statement, and
  ** any function of any extension may use it: an index of our own, out of reach
  ** of the few that SQLite itself uses. */
  int random;
  sqlite3_randomness(sizeof(random), &random);
  filters->auxdata = (random & 0x3fffffff) - 0x7fffffff;
  return &filters->shared;
}

/* ---- The table. */

static open_filter **bucket(const sql_filters *table, int chain,
                            uint64_t hash) {
  return &table->chains[chain][hash & (table->buckets - 1)];
}

static void put_in(open_filter *filter, int chain, open_filter **from) {
  chain_link *at = &filter->links[chain];
  at->next = *from;
  at->from = from;
  if (at->next != NULL) at->next->links[chain].from = &at->next;
  *from = filter;
}

static void take_out(open_filter *filter, int chain) {
  chain_link *at = &filter->links[chain];
  *at->from = at->next;
  if (at->next != NULL) at->next->links[chain].from = at->from;
}

static void put_in_table(sql_filters *table, open_filter *filter) {
  put_in(filter, BY_HANDLE, bucket(table, BY_HANDLE, (uint64_t)filter->handle));
  put_in(filter, BY_CONTENT, bucket(table, BY_CONTENT, filter->crc));
}

/* Makes room for one filter more; false is out of memory. */
static bool make_room(sql_filters *table) {
  if (table->filters < table->buckets) return true;
  const uint64_t buckets = table->buckets == 0 ? 16 : 2 * table->buckets;
  const uint64_t size = CHAINS * buckets * sizeof(open_filter *);
  open_filter **chains = sqlite3_malloc64(size);
  if (chains == NULL) return false;
  memset(chains, 0, (size_t)size);
  sqlite3_free(table->chains[0]);
  table->buckets = buckets;
  for (unsigned i = 0; i < CHAINS; i++) {
    table->chains[i] = chains + i * buckets;
  }
  for (statement_filters *s = table->statements; s != NULL; s = s->next) {
    for (open_filter *f = s->oldest; f != NULL; f = f->newer) {
      put_in_table(table, f);
    }
  }
  return true;
}

static const open_filter *find(const sql_filters *table, sqlite3_int64 handle) {
  if (table->buckets == 0) return NULL;
  const open_filter *at = *bucket(table, BY_HANDLE, (uint64_t)handle);
  while (at != NULL && at->handle != handle) at = at->links[BY_HANDLE].next;
  return at;
}

/* ---- What a statement holds. */

static void let_go(open_filter *filter) {
  sqlite3_free(filter->block);
  filter->block = NULL;
}

/* SQLite calls this when the statement ends. */
static void end_statement(void *data) {
  statement_filters *ended = data;
  sql_filters *table = ended->table;
  for (open_filter *filter = ended->oldest; filter != NULL;) {
    open_filter *newer = filter->newer;
    take_out(filter, BY_HANDLE);
    take_out(filter, BY_CONTENT);
    table->filters--;
    let_go(filter);
    sqlite3_free(filter);
    filter = newer;
  }
  statement_filters **from = &table->statements;
  while (*from != ended) from = &(*from)->next;
  *from = ended->next;
  table->found = NULL;
  if (table->filters == 0) {
    sqlite3_free(table->chains[0]);
    table->chains[0] = NULL;
    table->buckets = 0;
  }
  sqlite3_free(ended);
  sql_let_go(&table->shared);
}

/* What the running statement holds, among the table's; NULL where that is
** nothing yet. */
static statement_filters *statement_of(sqlite3_context *context,
                                       sql_filters *table) {
  const void *data = sqlite3_get_auxdata(context, table->auxdata);
  statement_filters *at = table->statements;
  while (at != NULL && at != data) at = at->next;
  return at;
}

/* The same, which begins to hold where it holds nothing yet; NULL is out of
** memory, the result. */
static statement_filters *own_statement(sqlite3_context *context) {
  sql_filters *table = sql_filters_of(context);
  statement_filters *own = statement_of(context, table);
  if (own != NULL) return own;
  own = sql_allocate(context, sizeof(*own));
  if (own == NULL) return NULL;
  memset(own, 0, sizeof(*own));
  own->number = ++table->last_number;
  own->table = table;
  own->next = table->statements;
  table->statements = own;
  sql_hold(&table->shared);
  /* Without memory this ends the statement's holding at once. */
  sqlite3_set_auxdata(context, table->auxdata, own, end_statement);
  own = statement_of(context, table);
  if (own == NULL) sqlite3_result_error_nomem(context);
  return own;
}

uint64_t sql_statement(sqlite3_context *context) {
  const statement_filters *own = own_statement(context);
  return own == NULL ? 0 : own->number;
}

/* Adds a filter to its owner's and to the table, which has room for it, and
** lets the owner's oldest go where it holds too much. */
static void hold_filter(open_filter *filter) {
  statement_filters *owner = filter->owner;
  put_in_table(owner->table, filter);
  owner->table->filters++;
  if (owner->newest == NULL) {
    owner->oldest = owner->held = owner->recent = filter;
  } else {
    owner->newest->newer = filter;
  }
  owner->newest = filter;
  if (owner->recent_filters < NEWEST_FILTERS) {
    owner->recent_filters++;
    return;
  }
  owner->older_bytes += owner->recent->block->room;
  owner->recent = owner->recent->newer;
  for (; owner->older_bytes > MOST_BYTES; owner->held = owner->held->newer) {
    owner->older_bytes -= owner->held->block->room;
    let_go(owner->held);
  }
}

/* ---- Filter arguments. */

value_status sql_read_filter(const sql_filters *filters, sqlite3_value *value,
                             byte_span *filter) {
  switch (sqlite3_value_type(value)) {
    case SQLITE_BLOB:
      return sql_read_blob(value, filter);
    case SQLITE_NULL:
      return VALUE_NULL;
    case SQLITE_INTEGER: {
      const open_filter *open = find(filters, sqlite3_value_int64(value));
      if (open == NULL || open->block == NULL || open->parts > 0) {
        return VALUE_WRONG;
      }
      *filter = open->block->bytes[0];
      return VALUE_READ;
    }
    default:
      return VALUE_WRONG;
  }
}

char *sql_filter_sentence(const sql_filters *filters, const char *function,
                          const char *argument, sqlite3_value *value) {
  const char *more = "";
  if (sqlite3_value_type(value) == SQLITE_INTEGER) {
    const open_filter *open = find(filters, sqlite3_value_int64(value));
    if (open != NULL && open->parts > 0) {
      return sqlite3_mprintf(
          "%s: %s must be one filter, got a handle of %u part%s", function,
          argument, open->parts, open->parts == 1 ? "" : "s");
    }
    if (open != NULL) {
      return sqlite3_mprintf(
          "%s: %s must be held open, got a handle whose filter was let go (a "
          "statement holds 256 MB beyond its newest %d filters)",
          function, argument, NEWEST_FILTERS);
    }
    more =
        ", which no open handle has (a handle lives as long as the statement "
        "that opened it)";
  }
  return sql_argument_sentence(function, argument,
                               "a BLOB or a bloom_open() handle", value, more);
}

void sql_filter_error(sqlite3_context *context, const char *argument,
                      sqlite3_value *value, value_status status) {
  /* Uncovered: see sql_read_blob. */
  if (status == VALUE_NO_MEMORY) sqlite3_result_error_nomem(context);
  if (status == VALUE_WRONG) {
    sql_error_message(
        context, sql_filter_sentence(sql_filters_of(context),
                                     sql_registered(context)->function->name,
                                     argument, value));
  }
}

value_status sql_filter_argument(sqlite3_context *context, sqlite3_value *value,
                                 byte_span *filter) {
  const value_status status =
      sql_read_filter(sql_filters_of(context), value, filter);
  sql_filter_error(context, "filter", value, status);
  return status;
}

value_status sql_probe_argument(sqlite3_context *context, sqlite3_value *value,
                                sql_probe *probe) {
  /* No probes: it matches everything. */
  static const bloom_filter everything = {.probes = 0};
  if (sqlite3_value_type(value) == SQLITE_INTEGER) {
    sql_filters *table = sql_filters_of(context);
    const sqlite3_int64 handle = sqlite3_value_int64(value);
    const open_filter *open = table->found;
    if (open == NULL || open->handle != handle) {
      open = find(table, handle);
      if (open == NULL) {
        sql_filter_error(context, "filter", value, VALUE_WRONG);
        return VALUE_WRONG;
      }
      table->found = open;
    }
    const sql_block *block = open->block;
    probe->filters = block == NULL ? &everything : block->probes;
    probe->parts = block == NULL ? 1 : block->parts;
    return VALUE_READ;
  }
  byte_span bytes;
  const value_status status = sql_filter_argument(context, value, &bytes);
  if (status == VALUE_READ) {
    bloom_filter_read(&probe->read, bytes.data, bytes.size);
    probe->filters = &probe->read;
    probe->parts = 1;
  }
  return status;
}

/* ---- Opening. */

bool sql_is_handle(const sql_filters *filters, sqlite3_value *value) {
  return sqlite3_value_type(value) == SQLITE_INTEGER &&
         find(filters, sqlite3_value_int64(value)) != NULL;
}

/* The memory begins with the block itself, and a place for each part; the bytes
** follow in the order in which they come. */
static uint64_t block_header(uint32_t parts) {
  return sizeof(sql_block) + parts * (sizeof(bloom_filter) + sizeof(byte_span));
}

sql_block *sql_create_block(uint32_t parts, uint64_t bytes) {
  const uint64_t header = block_header(parts);
  sql_block *block = sqlite3_malloc64(header + bytes);
  if (block == NULL) return NULL;
  memset(block, 0, (size_t)header);
  block->room = header + bytes;
  block->used = header;
  block->parts = parts;
  block->probes = (bloom_filter *)(block + 1);
  block->bytes = (byte_span *)(block->probes + parts);
  return block;
}

/* A block of the same content with at least so many bytes more. */
static sql_block *larger_block(const sql_block *block, uint64_t bytes) {
  const uint64_t header = block_header(block->parts);
  sql_block *larger = sql_create_block(block->parts, 2 * block->room + bytes);
  if (larger == NULL) return NULL;
  unsigned char *to = (unsigned char *)larger + header;
  const unsigned char *from = (const unsigned char *)block + header;
  memcpy(to, from, (size_t)(block->used - header));
  for (uint32_t i = 0; i < block->parts; i++) {
    const byte_span *bytes_of = &block->bytes[i];
    if (bytes_of->data == NULL) continue;
    const size_t at = (size_t)((const unsigned char *)bytes_of->data - from);
    larger->bytes[i] = (byte_span){to + at, bytes_of->size};
  }
  larger->used = block->used;
  larger->filled = block->filled;
  return larger;
}

bool sql_fill_block(sql_block **block, uint32_t part, byte_span bytes) {
  sql_block *to = *block;
  if (to->room - to->used < bytes.size) {
    to = larger_block(*block, bytes.size);
    if (to == NULL) return false;
    sqlite3_free(*block);
    *block = to;
  }
  unsigned char *at = (unsigned char *)to + to->used;
  if (bytes.size > 0) memcpy(at, bytes.data, bytes.size);
  to->bytes[part] = (byte_span){at, bytes.size};
  to->used += bytes.size;
  to->filled++;
  return true;
}

bool sql_block_has(const sql_block *block, uint32_t part) {
  return block->bytes[part].data != NULL;
}

uint32_t sql_block_missing(const sql_block *block) {
  return block->parts - block->filled;
}

static uint32_t crc_of(const byte_span *bytes, uint32_t n) {
  uint32_t crc = 0;
  for (uint32_t i = 0; i < n; i++) {
    crc = bloom_crc32c_extend(crc, bytes[i].data, bytes[i].size);
  }
  return crc;
}

static bool same_bytes(const byte_span *a, const byte_span *b, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    if (a[i].size != b[i].size ||
        (a[i].size > 0 && memcmp(a[i].data, b[i].data, a[i].size) != 0)) {
      return false;
    }
  }
  return true;
}

/* Filters of one crc can be made by whoever wants them: no more than so many
** are compared. The next one with the same bytes is then a copy. */
#define MOST_COMPARED 64

/* The owner's filter of so many parts, 0 for a whole one, and these bytes. */
static const open_filter *find_same(const statement_filters *owner,
                                    const byte_span *bytes, uint32_t parts,
                                    uint32_t crc) {
  const sql_filters *table = owner->table;
  if (table->buckets == 0) return NULL;
  const open_filter *at = *bucket(table, BY_CONTENT, crc);
  for (int i = 0; at != NULL && i < MOST_COMPARED; i++) {
    if (at->owner == owner && at->crc == crc && at->parts == parts &&
        at->block != NULL &&
        same_bytes(at->block->bytes, bytes, at->block->parts)) {
      return at;
    }
    at = at->links[BY_CONTENT].next;
  }
  return NULL;
}

/* Puts a new filter into the table, which frees its block; NULL is out of
** memory. */
static const open_filter *new_filter(statement_filters *owner, sql_block *block,
                                     uint32_t parts, uint32_t crc) {
  sql_filters *table = owner->table;
  if (!make_room(table)) return NULL;
  open_filter *filter = sqlite3_malloc64(sizeof(*filter));
  if (filter == NULL) return NULL;
  memset(filter, 0, sizeof(*filter));
  filter->owner = owner;
  filter->parts = parts;
  filter->crc = crc;
  filter->block = block;
  for (uint32_t i = 0; i < block->parts; i++) {
    const byte_span *bytes = &block->bytes[i];
    bloom_filter_read(&block->probes[i], bytes->data, bytes->size);
  }
  do {
    sqlite3_randomness(sizeof(filter->handle), &filter->handle);
    /* Uncovered: a number of 64 bits drawn twice. */
  } while (find(table, filter->handle) != NULL);
  hold_filter(filter);
  return filter;
}

static bool opened(sqlite3_context *context, const open_filter *filter,
                   sqlite3_int64 *handle) {
  if (filter == NULL) {
    sqlite3_result_error_nomem(context);
    return false;
  }
  *handle = filter->handle;
  return true;
}

bool sql_open_filter(sqlite3_context *context, byte_span bytes,
                     sqlite3_int64 *handle) {
  statement_filters *owner = own_statement(context);
  if (owner == NULL) return false;
  const uint32_t crc = crc_of(&bytes, 1);
  const open_filter *filter = find_same(owner, &bytes, 0, crc);
  if (filter == NULL) {
    sql_block *block = sql_create_block(1, bytes.size);
    if (block != NULL) {
      sql_fill_block(&block, 0, bytes);
      filter = new_filter(owner, block, 0, crc);
      if (filter == NULL) sqlite3_free(block);
    }
  }
  return opened(context, filter, handle);
}

bool sql_open_block(sqlite3_context *context, uint64_t number,
                    sql_block **block, sqlite3_int64 *handle) {
  statement_filters *owner = sql_filters_of(context)->statements;
  while (owner != NULL && owner->number != number) owner = owner->next;
  if (owner == NULL) {
    /* An aggregate that ends because its statement has ended. */
    sqlite3_result_error_code(context, SQLITE_ABORT);
    return false;
  }
  const uint32_t parts = (*block)->parts;
  const uint32_t crc = crc_of((*block)->bytes, parts);
  const open_filter *filter = find_same(owner, (*block)->bytes, parts, crc);
  if (filter == NULL) {
    filter = new_filter(owner, *block, parts, crc);
    if (filter != NULL) *block = NULL;
  }
  return opened(context, filter, handle);
}
