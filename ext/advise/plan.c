#include "plan.h"

#include <string.h>

#include "../compat.h"
#include "program.h"

/* ---- Loops. */

static plan_loop *loop_of(const sql_plan *plan, int cursor) {
  for (int i = 0; i < plan->loop_count; i++) {
    if (plan->loops[i].cursor == cursor) return &plan->loops[i];
  }
  return NULL;
}

/* Finds the loops, which plan each has, and which of them NULLs may extend, and
** makes room for what they look up. */
static int find_loops(sql_mirror *mirror, const program *listed,
                      sql_plan *plan) {
  uint64_t arguments = 0;
  plan->loops = sql_arena_allocate(
      mirror->arena, ((uint64_t)listed->count + 1) * sizeof(*plan->loops));
  if (plan->loops == NULL) return SQLITE_NOMEM;
  for (int i = 0; i < listed->count; i++) {
    const instruction *at = &listed->all[i];
    if (!sql_is_any(at, " VFilter ")) continue;
    const mirror_plan *taken = sql_find_plan(mirror, at->p4);
    /* A built-in table, such as json_each, has no plan here. */
    if (taken == NULL) continue;
    plan_loop *loop = loop_of(plan, at->p1);
    if (loop == NULL) loop = &plan->loops[plan->loop_count++];
    *loop = (plan_loop){.table = taken->table,
                        .plan = taken,
                        .parent = -1,
                        .sought = -1,
                        .cursor = at->p1,
                        .arguments = at->p3 + 2,
                        .filters = loop->filters + 1};
    loop->conditions =
        sql_arena_allocate(mirror->arena, ((uint64_t)taken->count + 1) *
                                              sizeof(*loop->conditions));
    arguments += (uint64_t)taken->count;
  }
  plan->lookups = sql_arena_allocate(
      mirror->arena,
      (arguments + (uint64_t)plan->marks + 1) * sizeof(*plan->lookups));
  for (int i = 0; i < listed->count; i++) {
    plan_loop *loop = loop_of(plan, listed->all[i].p1);
    if (loop != NULL && sql_is_any(&listed->all[i], " NullRow ")) {
      loop->null_extended = true;
    }
  }
  return mirror->arena->no_memory ? SQLITE_NOMEM : SQLITE_OK;
}

/* Notes the label of a loop. It is the alias, or the table's name behind the
** schema if the query has that, and " EXISTS" may follow. */
static void note_label(sql_arena *arena, plan_loop *loop, const char *label,
                       int size) {
  if (size > 7 && strncmp(label + size - 7, " EXISTS", 7) == 0) size -= 7;
  loop->label = sql_arena_text(arena, "%.*s", size, label);
  const char *full =
      sql_arena_text(arena, "%s.%s", loop->table->schema, loop->table->name);
  if (loop->label == NULL || full == NULL) return;
  loop->alias =
      sqlite3_stricmp(loop->label, full) == 0 ? loop->table->name : loop->label;
}

/* What the rows of EXPLAIN QUERY PLAN are read into. */
typedef struct plan_reading {
  sql_mirror *mirror;
  sql_plan *plan;
} plan_reading;

/* Notes which FROM a loop belongs to, and its label. A row of EXPLAIN QUERY
** PLAN is "SCAN LABEL VIRTUAL TABLE INDEX 0:NAME", and " LEFT-JOIN" may follow.
*/
static int read_parent(void *data, sqlite3_stmt *row) {
  static const char marker[] = " VIRTUAL TABLE INDEX 0:";
  const plan_reading *reading = data;
  const sql_plan *plan = reading->plan;
  const char *const line = sql_row_text(row, 3);
  const char *end = NULL;
  for (const char *at = line; (at = strstr(at, marker)) != NULL; at++) {
    end = at;
  }
  if (end == NULL) return SQLITE_OK;
  const char *name = end + sizeof(marker) - 1;
  for (int i = 0; i < plan->loop_count; i++) {
    plan_loop *loop = &plan->loops[i];
    const size_t size = strlen(loop->plan->name);
    if (strncmp(name, loop->plan->name, size) == 0 &&
        (name[size] == 0 || name[size] == ' ')) {
      loop->parent = sqlite3_column_int(row, 1);
      loop->left_join = strstr(name, " LEFT-JOIN") != NULL;
      note_label(reading->mirror->arena, loop, line + 5, (int)(end - line) - 5);
    }
  }
  return SQLITE_OK;
}

/* ---- Lists: tables of one column that something is looked up in. */

typedef struct plan_list {
  const instruction *opened;
  const instruction *last; /* IdxInsert */
  int inserts;
} plan_list;

/* Whether only one OpenEphemeral opens a cursor, and only IdxInsert changes its
** table. */
static bool is_list(const program *listed, int cursor, plan_list *list) {
  int opened = 0, others = 0;
  *list = (plan_list){.inserts = 0};
  for (int i = 0; i < listed->count; i++) {
    const instruction *at = &listed->all[i];
    others += at->p2 == cursor && sql_is_any(at, " OpenDup ");
    if (at->p1 != cursor) continue;
    others += sql_is_any(
        at,
        " OpenRead OpenDup OpenAutoindex OpenPseudo SorterOpen "
        "ReopenIdx VOpen IdxDelete Insert Delete ResetSorter Clear ");
    if (sql_is_any(at, " OpenEphemeral ")) list->opened = at, opened++;
    if (sql_is_any(at, " IdxInsert ")) list->last = at, list->inserts++;
  }
  /* Uncovered: nothing else is done with the table of a list. */
  return others == 0 && opened == 1 && list->inserts > 0;
}

/* Whether a record is that of one column which is inserted right behind. */
static bool is_record(const instruction *record) {
  return sql_is_any(record, " MakeRecord ") && record->p2 == 1 &&
         sql_is_any(record + 1, " IdxInsert ") && record->p3 == record[1].p2;
}

/* The VColumn that alone has read what the only IdxInsert of a list inserts, or
** NULL. */
static const instruction *key_of(const program *listed, const plan_list *list) {
  const instruction *record = list->last - 1;
  const instruction *read = list->inserts == 1 && is_record(record)
                                ? sql_only_writer(listed, record->p1, record)
                                : NULL;
  return read != NULL && sql_is_any(read, " VColumn ") ? read : NULL;
}

/* The text of a list of literals whose types fit a column, or NULL. They stand
** behind the opening of the list, each right before it is inserted. */
static const char *literals_of(sql_arena *arena, const plan_list *list,
                               const char *affinity) {
  const bool is_text = strcmp(affinity, "TEXT") == 0;
  const instruction *at = list->opened + 1;
  sqlite3_str *text = sqlite3_str_new(NULL);
  int known = 0;
  for (; at < list->last && is_record(at + 1) && at[1].p1 == at->p2 &&
         at[2].p1 == list->opened->p1;
       at += 3, known++) {
    const char *comma = known == 0 ? "IN (" : ", ";
    if (is_text && sql_is_any(at, " String8 ")) {
      sqlite3_str_appendf(text, "%s%Q", comma, at->p4);
    } else if (!is_text && sql_is_any(at, " Integer ")) {
      sqlite3_str_appendf(text, "%s%d", comma, at->p1);
    } else {
      break;
    }
  }
  sqlite3_str_appendall(text, ")");
  const char *made = sql_arena_keep(arena, sqlite3_str_finish(text));
  return known == list->inserts && strcmp(affinity, "BLOB") != 0 ? made : NULL;
}

/* ---- Where the arguments of xFilter come from. */

static void add_condition(plan_loop *loop, int column, const char *text) {
  loop->conditions[loop->condition_count++] = (plan_condition){column, text};
}

/* Adds a lookup: a column of a loop is compared with what an instruction reads
** from another one. */
static void add_lookup(sql_plan *plan, plan_lookup lookup,
                       const instruction *read) {
  lookup.key_loop = loop_of(plan, read->p1);
  lookup.key_column = read->p2;
  /* A built-in table, such as json_each, has no loop here.
  ** Uncovered: SQLite looks no loop up by itself. */
  if (lookup.key_loop != NULL && lookup.key_loop != lookup.loop) {
    plan->lookups[plan->lookup_count++] = lookup;
  }
}

/* Whether a register has a literal of this type, and nothing else. The planner
** knows constants that are none, and not always with the value that they have
** in the program: CAST('1e3' AS INTEGER) is 1, but 1000 for the planner. */
static bool is_literal(const program *listed, int at, int type) {
  const instruction *writer = sql_only_writer(listed, at, NULL);
  return writer != NULL &&
         sql_is_any(writer,
                    type == SQLITE_TEXT ? " String8 " : " Integer Int64 Real ");
}

static bool is_mark(const instruction *at) {
  return sql_is_any(at, " Function ") &&
         strncmp(at->p4, SQL_OPERAND "(", sizeof(SQL_OPERAND)) == 0;
}

/* Whether another instruction may go on at this one. P2 of those that are left
** out is no address; that of the others may be none, either. */
static bool is_reached(const program *listed, const instruction *at) {
  static const char others[] =
      " ResultRow OpenRead OpenEphemeral OpenPseudo OpenAutoindex OpenDup "
      "SorterOpen VOpen Transaction TableLock IdxInsert Insert SorterInsert "
      "Compare Cast AddImm CollSeq AggFinal FilterAdd ";
  for (int i = 0; i < listed->count; i++) {
    const instruction *from = &listed->all[i];
    if (from->writes <= WRITES_P1 && !sql_is_any(from, others) &&
        (from->p2 == at->address ||
         (sql_is_any(from, " Jump ") &&
          (from->p1 == at->address || from->p3 == at->address)))) {
      return true;
    }
  }
  return false;
}

/* The only writer of a register, or NULL; if that is SQL_OPERAND, the VColumn
** whose value is marked. SQLite reads a function's argument right before it.
** Where the argument has several branches, as of coalesce, one of them jumps to
** the function. */
static const instruction *read_of(const program *listed,
                                  const instruction *writer, bool *marked) {
  *marked = writer != NULL && writer != listed->all && is_mark(writer);
  if (!*marked) return writer;
  const instruction *read = writer - 1;
  return sql_is_any(read, " VColumn ") && read->p3 == writer->p2 &&
                 !is_reached(listed, writer)
             ? read
             : NULL;
}

/* Finds out what an argument is compared with. */
static void trace_argument(sql_mirror *mirror, const program *listed,
                           sql_plan *plan, plan_loop *loop, int argument) {
  const taken_constraint *taken = &loop->plan->taken[argument];
  plan_lookup lookup = {
      .loop = loop, .column = taken->column, .binary = taken->binary};
  const int at = loop->arguments + argument;
  plan_list list;
  if (taken->condition != NULL &&
      (taken->type == SQLITE_NULL || is_literal(listed, at, taken->type))) {
    add_condition(loop, taken->column, taken->condition);
  }
  const instruction *source =
      read_of(listed, sql_only_writer(listed, at, NULL), &lookup.marked);
  if (taken->constant || source == NULL) return;
  if (sql_is_any(source, " VColumn ")) {
    add_lookup(plan, lookup, source);
    return;
  }
  if (!sql_is_any(source, " Column ") || source->p2 != 0 ||
      !is_list(listed, source->p1, &list)) {
    return;
  }
  const instruction *key = key_of(listed, &list);
  if (key != NULL) {
    /* The collation is not only that of what is searched for: the SELECT may
    ** give its column one. */
    lookup.list = true;
    lookup.binary = taken->binary && strcmp(list.opened->p4, "k(1,B)") == 0;
    add_lookup(plan, lookup, key);
    return;
  }
  if (taken->column < 0) return;
  const mirror_column *column = &loop->table->columns[taken->column];
  /* Older versions make a list of an OR even where one = has a COLLATE. */
  if (!column->plain || !column->binary || !taken->binary || mirror->collates) {
    return;
  }
  const char *literals = literals_of(mirror->arena, &list, column->affinity);
  if (literals != NULL) add_condition(loop, taken->column, literals);
}

static int trace_arguments(sql_mirror *mirror, const program *listed,
                           sql_plan *plan) {
  for (int i = 0; i < plan->loop_count; i++) {
    plan_loop *loop = &plan->loops[i];
    const taken_constraint *taken = loop->plan->taken;
    for (int j = 0; j < loop->plan->count; j++) {
      const int before = plan->lookup_count;
      trace_argument(mirror, listed, plan, loop, j);
      if (taken[j].constant || plan->lookup_count > before) continue;
      plan->unknown++;
      if (taken[j].binary) loop->sought = taken[j].column;
    }
  }
  return mirror->arena->no_memory ? SQLITE_NOMEM : SQLITE_OK;
}

/* The instruction that writes the left operand of an IN or NOT IN, where only a
** copy, a test for NULL, an affinity and SQLite's own filter follow until that
** is looked up; or NULL if a jump may lead to one of these. */
static const instruction *operand_writer(const program *listed,
                                         const instruction *found) {
  const instruction *at = found;
  int key = found->p3;
  do {
    if (is_reached(listed, at)) return NULL;
    /* Uncovered: the SQLite with which branches are counted makes no copy. */
    if (sql_is_any(at, " Copy ")) key = at->p1;
    at--;
    /* Uncovered: the SQLite with which branches are counted makes no copy. */
  } while (sql_is_any(at, " IsNull Affinity Filter ") ||
           (sql_is_any(at, " Copy ") && at->p2 == key && at->p3 == 0));
  return at->p3 == key ? at : NULL;
}

/* Adds the lookup of a marked key in the list of an IN or NOT IN. An outer join
** may give the list a NULL that the table of its column does not have. */
static void find_marked_list(const program *listed, sql_plan *plan) {
  const int most = plan->lookup_count + plan->marks;
  for (int i = 0; i < listed->count && plan->lookup_count < most; i++) {
    const instruction *at = &listed->all[i];
    plan_list list;
    if (!sql_is_any(at, " Found NotFound ") ||
        !is_list(listed, at->p1, &list)) {
      continue;
    }
    const instruction *key = key_of(listed, &list);
    plan_lookup lookup = {.in = true,
                          .binary = strcmp(list.opened->p4, "k(1,B)") == 0};
    const instruction *read =
        read_of(listed, operand_writer(listed, at), &lookup.marked);
    if (!lookup.marked || read == NULL || key == NULL) continue;
    lookup.loop = loop_of(plan, key->p1);
    lookup.column = key->p2;
    if (lookup.loop == NULL || lookup.loop->null_extended) continue;
    add_lookup(plan, lookup, read);
  }
}

/* Notes each column of which all values are the list of an IN, for which SQLite
** can use an index: nothing stands between the beginning of the loop and what
** it reads, nor behind the list. The affinity of such a list is of numbers from
** 'C' on. */
static void find_lists(const program *listed, sql_plan *plan) {
  plan_list list;
  int seen = -1; /* the cursor of the last list: one of literals may be long */
  for (int i = 1; i < listed->count; i++) {
    const instruction *record = &listed->all[i - 1];
    if (!is_record(record) || record[1].p1 == seen) continue;
    seen = record[1].p1;
    if (!is_list(listed, seen, &list) ||
        strcmp(list.opened->p4, "k(1,B)") != 0) {
      continue;
    }
    const instruction *key = key_of(listed, &list);
    const instruction *end =
        &record[sql_is_any(&record[2], " FilterAdd ") ? 3 : 2];
    plan_loop *loop = key == NULL ? NULL : loop_of(plan, key->p1);
    if (loop == NULL || loop->plan->count > 0 ||
        !sql_is_any(key - 1, " VFilter ") || sql_is_any(end + 1, " VNext ")) {
      continue;
    }
    const char *affinity = loop->table->columns[key->p2].affinity;
    if (*record->p4 < 'C' || strstr("TEXT BLOB", affinity) == NULL) {
      loop->sought = key->p2;
    }
  }
}

/* Notes which column of a loop the only mark is of. */
static void find_marked_column(const program *listed, sql_plan *plan) {
  bool marked;
  for (int i = 0; plan->marks == 1 && i < listed->count; i++) {
    const instruction *read = read_of(listed, &listed->all[i], &marked);
    if (!marked || read == NULL) continue;
    plan->marked_loop = loop_of(plan, read->p1);
    plan->marked_column = read->p2;
  }
}

/* The collations of the temporary tables of a program, in their order. */
static const char *list_texts(sql_arena *arena, const program *listed) {
  sqlite3_str *text = sqlite3_str_new(NULL);
  sqlite3_str_appendall(text, "lists:");
  for (int i = 0; i < listed->count; i++) {
    if (sql_is_any(&listed->all[i], " OpenEphemeral ")) {
      sqlite3_str_appendf(text, " %s", listed->all[i].p4);
    }
  }
  return sql_arena_keep(arena, sqlite3_str_finish(text));
}

int sql_read_plan(sql_mirror *mirror, const char *query, sql_plan *plan) {
  plan_reading reading = {mirror, plan};
  program listed;
  *plan = (sql_plan){.loops = NULL};
  int rc = sql_read_program(mirror, query, &listed);
  if (rc != SQLITE_OK) return rc;
  for (int i = 0; i < listed.count; i++) plan->marks += is_mark(&listed.all[i]);
  plan->lists = list_texts(mirror->arena, &listed);
  rc = find_loops(mirror, &listed, plan);
  if (rc != SQLITE_OK) return rc;
  find_lists(&listed, plan);
  rc = trace_arguments(mirror, &listed, plan);
  if (rc != SQLITE_OK) return rc;
  find_marked_list(&listed, plan);
  find_marked_column(&listed, plan);
  return sql_explain(mirror, mirror->db, "EXPLAIN QUERY PLAN", query,
                     read_parent, &reading);
}
