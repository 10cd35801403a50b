#include "plan.h"

#include <stdlib.h>
#include <string.h>

#include "../compat.h"

/* ---- The program, as EXPLAIN lists it. */

typedef enum plan_opcode {
  OPCODE_OTHER,
  OPCODE_OPEN, /* of a cursor, but for the two below */
  OPCODE_OPEN_EPHEMERAL,
  OPCODE_VOPEN,
  OPCODE_VFILTER,
  OPCODE_VCOLUMN,
  OPCODE_COLUMN,
  OPCODE_NULL_ROW,
  OPCODE_FOUND, /* or not */
  OPCODE_MAKE_RECORD,
  OPCODE_IDX_INSERT,
  OPCODE_CHANGE, /* another change of an ephemeral table */
  OPCODE_INTEGER,
  OPCODE_NUMBER, /* another one */
  OPCODE_STRING,
  OPCODE_COPY,
  OPCODE_MOVE,
  OPCODE_NULL,
  OPCODE_AFFINITY,
  OPCODE_NEW_ROWID
} plan_opcode;

static const struct {
  const char *name;
  plan_opcode opcode;
} plan_opcodes[] = {
    {"OpenRead", OPCODE_OPEN},
    {"OpenDup", OPCODE_OPEN},
    {"OpenAutoindex", OPCODE_OPEN},
    {"OpenPseudo", OPCODE_OPEN},
    {"SorterOpen", OPCODE_OPEN},
    {"ReopenIdx", OPCODE_OPEN},
    {"VOpen", OPCODE_VOPEN},
    {"VFilter", OPCODE_VFILTER},
    {"VColumn", OPCODE_VCOLUMN},
    {"Column", OPCODE_COLUMN},
    {"NullRow", OPCODE_NULL_ROW},
    {"MakeRecord", OPCODE_MAKE_RECORD},
    {"IdxInsert", OPCODE_IDX_INSERT},
    {"IdxDelete", OPCODE_CHANGE},
    {"Insert", OPCODE_CHANGE},
    {"Delete", OPCODE_CHANGE},
    {"ResetSorter", OPCODE_CHANGE},
    {"Clear", OPCODE_CHANGE},
    {"Integer", OPCODE_INTEGER},
    {"Int64", OPCODE_NUMBER},
    {"Real", OPCODE_NUMBER},
    {"String8", OPCODE_STRING},
    {"Copy", OPCODE_COPY},
    {"Move", OPCODE_MOVE},
    {"Null", OPCODE_NULL},
    {"Affinity", OPCODE_AFFINITY},
    {"TypeCheck", OPCODE_AFFINITY},
    {"NewRowid", OPCODE_NEW_ROWID},
    {"Found", OPCODE_FOUND},
    {"NotFound", OPCODE_FOUND},
    {"OpenEphemeral", OPCODE_OPEN_EPHEMERAL},
};

/* Which single register an instruction may write, for all that a SELECT can
** have on the tested versions: none, that of P1, of P2 or of P3. Those that
** write several are in written_range below. */
static const char *const plan_writes[] = {
    " Init Goto Halt HaltIfNull Transaction TableLock Noop Explain Trace "
    "CursorHint ReleaseReg Abortable Expire CursorLock CursorUnlock "
    "Return Jump Once If IfNot IfEmpty IfSmaller IfSizeBetween IsType "
    "IsNull NotNull Ne Eq Gt Le Lt Ge ElseEq ElseNotEq Compare "
    "Permutation ResultRow SeekLT SeekLE SeekGE SeekGT SeekScan SeekHit "
    "SeekRowid SeekEnd IfNotOpen IfNoHope NoConflict NotFound Found "
    "NotExists IFindKey Last Sort SorterSort Rewind Next Prev "
    "SorterNext IdxLE IdxGT IdxLT IdxGE DeferredSeek FinishSeek "
    "SorterInsert SorterCompare SequenceTest Filter Close ColumnsUsed "
    "OpenRead OpenDup OpenAutoindex OpenEphemeral OpenPseudo SorterOpen "
    "ReopenIdx NullRow IdxInsert IdxDelete Insert Delete ResetSorter "
    "Clear VOpen VFilter VNext Affinity TypeCheck Copy Move Null ",
    " Gosub InitCoroutine EndCoroutine Yield MustBeInt SoftNull CollSeq "
    "AddImm RealAffinity Cast IfPos IfNotZero DecrJumpZero MemMax "
    "AggFinal FilterAdd ClrSubtype RowSetTest RowSetAdd ",
    " Integer Int64 Real String String8 Blob Variable BeginSubrtn SCopy "
    "IntCopy Not BitNot IsTrue ZeroOrNull Count ReadCookie Rowid "
    "Sequence SorterData RowData IdxRowid NewRowid OffsetLimit VInitIn "
    "GetSubtype SetSubtype ",
    " Or And BitAnd BitOr ShiftLeft ShiftRight Add Subtract Multiply "
    "Divide Remainder Concat Function PureFunc Column VColumn "
    "MakeRecord Offset RowSetRead IfNullRow AggStep AggStep1 AggInverse "
    "AggValue ",
};

typedef struct instruction {
  plan_opcode opcode;
  int p1, p2, p3;
  char *p4; /* of the opcodes that are named above, never NULL */
} instruction;

typedef struct program {
  instruction *all;
  int count;
  int *writes; /* how many instructions may write a register */
  int registers;
} program;

#define MAX_REGISTERS (1 << 20)

static void free_program(program *listed) {
  for (int i = 0; i < listed->count; i++) sqlite3_free(listed->all[i].p4);
  sqlite3_free(listed->all);
  sqlite3_free(listed->writes);
}

/* The operand, 1 to 3, whose register an instruction may write, 0 if it writes
** none, or -1 if nobody here knows it. */
static int written_operand(const char *name) {
  char word[40];
  sqlite3_snprintf(sizeof(word), word, " %s ", name);
  /* Uncovered: all instructions of the tested versions are known. */
  for (int operand = 0; operand < 4; operand++) {
    if (strstr(plan_writes[operand], word) != NULL) return operand;
  }
  return -1;
}

static int note_write(program *listed, int first, int count) {
  /* Uncovered: no program of the tests is so large. */
  if (first < 0 || count < 0 || first > MAX_REGISTERS - count) {
    return SQLITE_TOOBIG;
  }
  if (first + count > listed->registers) {
    const uint64_t registers = 2 * (uint64_t)(first + count);
    int *writes =
        sqlite3_realloc64(listed->writes, registers * sizeof(*writes));
    if (writes == NULL) return SQLITE_NOMEM;
    listed->writes = writes;
    for (int i = listed->registers; i < (int)registers; i++) writes[i] = 0;
    listed->registers = (int)registers;
  }
  for (int i = first; i < first + count; i++) listed->writes[i]++;
  return SQLITE_OK;
}

/* Notes the registers that the last instruction may write. */
static int note_writes(program *listed, int operand) {
  const instruction *last = &listed->all[listed->count - 1];
  const int operands[] = {0, last->p1, last->p2, last->p3};
  int rc = SQLITE_OK;
  if (operand > 0) rc = note_write(listed, operands[operand], 1);
  if (rc != SQLITE_OK) return rc;
  switch (last->opcode) {
    case OPCODE_COPY:
      return note_write(listed, last->p2, last->p3 + 1);
    case OPCODE_MOVE:
      rc = note_write(listed, last->p1, last->p3);
      return rc != SQLITE_OK ? rc : note_write(listed, last->p2, last->p3);
    case OPCODE_NULL:
      return note_write(listed, last->p2,
                        last->p3 > last->p2 ? last->p3 - last->p2 + 1 : 1);
    case OPCODE_NEW_ROWID:
      return note_write(listed, last->p3, 1);
    case OPCODE_AFFINITY:
      return note_write(listed, last->p1, last->p2);
    case OPCODE_MAKE_RECORD:
      return *last->p4 == 0 ? SQLITE_OK
                            : note_write(listed, last->p1, last->p2);
    default:
      return SQLITE_OK;
  }
}

/* Adds a row of EXPLAIN to the program. Sets *unknown if its instruction is. */
static int add_instruction(program *listed, sqlite3_stmt *row, char **unknown) {
  const char *name = sql_row_text(row, 1);
  const int operand = written_operand(name);
  /* Uncovered: as in written_operand. */
  if (operand < 0 && *unknown == NULL) *unknown = sqlite3_mprintf("%s", name);
  /* Uncovered: as in written_operand. */
  if (operand < 0) return *unknown == NULL ? SQLITE_NOMEM : SQLITE_OK;
  /* Uncovered: a debug build has these where others have nothing. */
  if (strcmp(name, "ReleaseReg") == 0 || strcmp(name, "Noop") == 0 ||
      strcmp(name, "Explain") == 0) {
    return SQLITE_OK;
  }
  if (!sql_grow(&listed->all, listed->count, sizeof(instruction))) {
    return SQLITE_NOMEM;
  }
  instruction *added = &listed->all[listed->count++];
  *added = (instruction){.p1 = sqlite3_column_int(row, 2),
                         .p2 = sqlite3_column_int(row, 3),
                         .p3 = sqlite3_column_int(row, 4)};
  for (size_t i = 0; i < sizeof(plan_opcodes) / sizeof(*plan_opcodes); i++) {
    if (strcmp(plan_opcodes[i].name, name) == 0) {
      added->opcode = plan_opcodes[i].opcode;
    }
  }
  if (added->opcode != OPCODE_OTHER) {
    added->p4 = sqlite3_mprintf("%s", sql_row_text(row, 5));
    if (added->p4 == NULL) return SQLITE_NOMEM;
  }
  return note_writes(listed, operand);
}

static int list_program(sql_mirror *mirror, const char *query, program *listed,
                        char **unknown) {
  sqlite3_stmt *row;
  int rc = sql_explain_in_mirror(mirror, "EXPLAIN", query, &row);
  while (rc == SQLITE_OK && (rc = sqlite3_step(row)) == SQLITE_ROW) {
    rc = add_instruction(listed, row, unknown);
  }
  const int end = sqlite3_finalize(row);
  return rc == SQLITE_DONE ? end : rc;
}

/* ---- Loops. */

static plan_loop *loop_of(const sql_plan *plan, int cursor) {
  for (int i = 0; i < plan->loop_count; i++) {
    if (plan->loops[i].cursor == cursor) return &plan->loops[i];
  }
  return NULL;
}

/* Adds a loop for each cursor that is opened on a table of the mirror. */
static int find_loops(const sql_mirror *mirror, const program *listed,
                      sql_plan *plan) {
  plan->loops =
      sqlite3_malloc64(((uint64_t)listed->count + 1) * sizeof(*plan->loops));
  if (plan->loops == NULL) return SQLITE_NOMEM;
  for (int i = 0; i < listed->count; i++) {
    const instruction *at = &listed->all[i];
    if (at->opcode != OPCODE_VOPEN) continue;
    for (int j = 0; j < mirror->table_count; j++) {
      char name[40];
      sqlite3_snprintf(sizeof(name), name, "vtab:%p", mirror->tables[j]->vtab);
      if (mirror->tables[j]->view != NULL || strcmp(name, at->p4) != 0) {
        continue;
      }
      plan_loop *loop = loop_of(plan, at->p1);
      if (loop == NULL) {
        plan->loops[plan->loop_count++] = (plan_loop){
            .table = mirror->tables[j], .cursor = at->p1, .parent = -1};
      } else {
        loop->filters++; /* opened twice: not known */
      }
    }
  }
  return SQLITE_OK;
}

/* Notes which plan each loop has, and which of them NULLs may extend. */
static void find_filters(const sql_mirror *mirror, const program *listed,
                         const sql_plan *plan) {
  for (int i = 0; i < listed->count; i++) {
    const instruction *at = &listed->all[i];
    plan_loop *loop = loop_of(plan, at->p1);
    if (loop == NULL) continue;
    if (at->opcode == OPCODE_NULL_ROW) loop->null_extended = true;
    if (at->opcode != OPCODE_VFILTER) continue;
    loop->filters++;
    loop->number = atoi(at->p4);
    loop->arguments = at->p3 + 2;
    loop->plan = mirror->plans[mirror->first_plan + loop->number - 1];
  }
}

/* A row of EXPLAIN QUERY PLAN is "SCAN LABEL VIRTUAL TABLE INDEX 0:NUMBER". */
static int read_label(const sql_plan *plan, sqlite3_stmt *row) {
  static const char marker[] = " VIRTUAL TABLE INDEX ";
  const char *detail = sql_row_text(row, 3);
  const char *end = NULL;
  const char *label = strchr(detail, ' ');
  for (const char *at = strstr(detail, marker); at != NULL;
       at = strstr(at + 1, marker)) {
    end = at;
  }
  const char *colon = end == NULL ? NULL : strchr(end, ':');
  if (label == NULL || colon == NULL) return SQLITE_OK;
  const int number = atoi(colon + 1);
  for (int i = 0; i < plan->loop_count; i++) {
    plan_loop *loop = &plan->loops[i];
    if (loop->filters != 1 || loop->number != number) continue;
    loop->parent = sqlite3_column_int(row, 1);
    loop->label = sqlite3_mprintf("%.*s", (int)(end - label - 1), label + 1);
    return loop->label == NULL ? SQLITE_NOMEM : SQLITE_OK;
  }
  return SQLITE_OK;
}

static int read_labels(sql_mirror *mirror, const char *query,
                       const sql_plan *plan) {
  sqlite3_stmt *row;
  int rc = sql_explain_in_mirror(mirror, "EXPLAIN QUERY PLAN", query, &row);
  while (rc == SQLITE_OK && (rc = sqlite3_step(row)) == SQLITE_ROW) {
    rc = read_label(plan, row);
  }
  const int end = sqlite3_finalize(row);
  return rc == SQLITE_DONE ? end : rc;
}

/* ---- Where the arguments of xFilter come from. */

/* How many instructions may write a register. */
static int writes_of(const program *listed, int at) {
  /* Uncovered: some instruction writes each register that one reads. */
  return at < 0 || at >= listed->registers ? 0 : listed->writes[at];
}

/* The instruction that alone may write a register, but for the record that is
** made of it, or NULL. SQLite has the same one twice where a value from a list
** of IN is read again behind the xFilter that may have changed it. */
static const instruction *only_writer(const program *listed, int at,
                                      const instruction *record) {
  const instruction *writer = NULL;
  int writes = record != NULL && *record->p4 != 0;
  for (int i = 0; i < listed->count; i++) {
    const instruction *now = &listed->all[i];
    if (now->p3 != at ||
        (now->opcode != OPCODE_VCOLUMN && now->opcode != OPCODE_COLUMN)) {
      continue;
    }
    if (writer == NULL) writer = now;
    /* Uncovered: what writes a register once more is the same instruction. */
    writes += now->opcode == writer->opcode && now->p1 == writer->p1 &&
              now->p2 == writer->p2;
  }
  return writes_of(listed, at) == writes ? writer : NULL;
}

/* Whether only one OpenEphemeral opens a cursor, and only IdxInsert changes its
** table. Sets *inserts to their number, and *last to the last one's index. */
static bool is_list(const program *listed, int cursor, int *inserts,
                    int *last) {
  int opened = 0;
  *inserts = 0;
  for (int i = 0; i < listed->count; i++) {
    const instruction *at = &listed->all[i];
    /* Uncovered: nothing else is done with the table of a list. */
    const bool duplicates = at->opcode == OPCODE_OPEN && at->p2 == cursor;
    /* Uncovered: the same. */
    if (at->p1 != cursor && !duplicates) continue;
    /* Uncovered: the same. */
    if (at->opcode == OPCODE_OPEN || at->opcode == OPCODE_VOPEN ||
        at->opcode == OPCODE_CHANGE) {
      return false;
    }
    if (at->opcode == OPCODE_OPEN_EPHEMERAL) opened++;
    if (at->opcode == OPCODE_IDX_INSERT) *last = i, ++*inserts;
  }
  /* Uncovered: the same. */
  return opened == 1 && *inserts > 0;
}

/* Whether a list's keys are compared with the collation BINARY. It is not only
** that of what is searched for: the SELECT may give its column one. */
static bool is_binary_list(const program *listed, int cursor) {
  int i = 0;
  while (listed->all[i].opcode != OPCODE_OPEN_EPHEMERAL ||
         listed->all[i].p1 != cursor) {
    i++;
  }
  return strcmp(listed->all[i].p4, "k(1,B)") == 0;
}

/* The MakeRecord of one column right before an IdxInsert, or NULL. */
static const instruction *record_of(const program *listed, int insert) {
  const instruction *record = &listed->all[insert - 1];
  /* Uncovered: SQLite makes the record of an IdxInsert right before it. */
  return insert > 0 && record->opcode == OPCODE_MAKE_RECORD &&
                 record->p2 == 1 && record->p3 == listed->all[insert].p2
             ? record
             : NULL;
}

/* The VColumn that alone has read what an IdxInsert inserts, or NULL. */
static const instruction *key_of(const program *listed, int insert) {
  const instruction *record = record_of(listed, insert);
  const instruction *read =
      record == NULL ? NULL : only_writer(listed, record->p1, record);
  return read != NULL && read->opcode == OPCODE_VCOLUMN ? read : NULL;
}

/* Adds a lookup, for which there is room: a column of a loop is compared with
** what an instruction reads from another one. */
static void add_lookup(sql_plan *plan, plan_lookup lookup,
                       const plan_loop *loop, const instruction *read) {
  const plan_loop *key_loop = loop_of(plan, read->p1);
  /* Uncovered: what is read here is read from a loop. */
  if (loop == NULL || key_loop == NULL) return;
  lookup.loop = (int)(loop - plan->loops);
  lookup.key_loop = (int)(key_loop - plan->loops);
  lookup.key_column = read->p2;
  plan->lookups[plan->lookup_count++] = lookup;
}

/* Adds a condition that begins with = or IN. */
static void add_condition(plan_loop *loop, int column, const char *text,
                          char *list) {
  loop->conditions[loop->condition_count++] =
      (plan_condition){.column = column, .text = text, .list = list};
}

/* Appends a literal, if the type fits that of a column. */
static bool append_literal(sqlite3_str *text, const instruction *literal,
                           const char *affinity) {
  const bool is_text = strcmp(affinity, "TEXT") == 0;
  const char *comma = sqlite3_str_length(text) == 0 ? "IN (" : ", ";
  if (literal->opcode == OPCODE_STRING && is_text) {
    sqlite3_str_appendf(text, "%s%Q", comma, literal->p4);
    return true;
  }
  if (literal->opcode == OPCODE_INTEGER && !is_text &&
      strcmp(affinity, "BLOB") != 0) {
    sqlite3_str_appendf(text, "%s%d", comma, literal->p1);
    return true;
  }
  return false;
}

/* The text of a list of literals, each of which stands right before it is
** inserted, from the opening of the list on without anything between; or NULL
** if it is no such list. */
static char *literals_of(const program *listed, int inserts, int last,
                         const char *affinity, bool *no_memory) {
  const int first = last - 3 * (inserts - 1) - 2;
  sqlite3_str *text = sqlite3_str_new(NULL);
  const int cursor = listed->all[last].p1;
  /* Uncovered: SQLite opens a list right before it fills it. */
  bool known = first > 0 &&
               listed->all[first - 1].opcode == OPCODE_OPEN_EPHEMERAL &&
               listed->all[first - 1].p1 == cursor;
  for (int i = first; known && i <= last; i += 3) {
    const instruction *record = record_of(listed, i + 2);
    /* Uncovered: and then has nothing but literals and their records. */
    known = listed->all[i + 2].opcode == OPCODE_IDX_INSERT &&
            listed->all[i + 2].p1 == cursor && record != NULL &&
            record->p1 == listed->all[i].p2 &&
            append_literal(text, &listed->all[i], affinity);
  }
  sqlite3_str_appendall(text, ")");
  if (sqlite3_str_errcode(text) != SQLITE_OK) *no_memory = true;
  char *list = sqlite3_str_finish(text);
  if (known) return list;
  sqlite3_free(list);
  return NULL;
}

/* Whether a register has a literal of this type, and nothing else. The planner
** knows constants that are none, and not always with the value that they have
** in the program: CAST('1e3' AS INTEGER) is 1, but 1000 for the planner. */
static bool is_literal(const program *listed, int at, int type) {
  for (int i = 0; writes_of(listed, at) == 1 && i < listed->count; i++) {
    const instruction *now = &listed->all[i];
    if (now->p2 == at &&
        (type == SQLITE_TEXT
             ? now->opcode == OPCODE_STRING
             : now->opcode == OPCODE_INTEGER || now->opcode == OPCODE_NUMBER)) {
      return true;
    }
  }
  return false;
}

/* Finds out what an argument is compared with. */
static int trace_argument(sql_mirror *mirror, const program *listed,
                          sql_plan *plan, plan_loop *loop, int argument) {
  const taken_constraint *taken = &loop->plan->taken[argument];
  plan_lookup lookup = {.column = taken->column, .binary = taken->binary};
  const int at = loop->arguments + argument;
  int inserts = 0, last = 0;
  if (taken->condition != NULL &&
      (taken->type == SQLITE_NULL || is_literal(listed, at, taken->type))) {
    add_condition(loop, taken->column, taken->condition, NULL);
  }
  const instruction *source = only_writer(listed, at, NULL);
  if (taken->constant || source == NULL) return SQLITE_OK;
  if (source->opcode == OPCODE_VCOLUMN) {
    add_lookup(plan, lookup, loop, source);
    return SQLITE_OK;
  }
  if (source->p2 != 0 || !is_list(listed, source->p1, &inserts, &last)) {
    return SQLITE_OK;
  }
  const instruction *key = inserts == 1 ? key_of(listed, last) : NULL;
  if (key != NULL) {
    lookup.list = true;
    lookup.binary = taken->binary && is_binary_list(listed, source->p1);
    add_lookup(plan, lookup, loop, key);
    return SQLITE_OK;
  }
  if (taken->column < 0) return SQLITE_OK;
  const mirror_column *column = &loop->table->columns[taken->column];
  /* Older versions make a list of an OR even where one = has a COLLATE. */
  if (!column->plain || !column->binary || !taken->binary || mirror->collates) {
    return SQLITE_OK;
  }
  char *list =
      literals_of(listed, inserts, last, column->affinity, &mirror->no_memory);
  if (list != NULL) add_condition(loop, taken->column, list, list);
  return mirror->no_memory ? SQLITE_NOMEM : SQLITE_OK;
}

/* Adds the lists of keys that something is searched in which is not restricted
** by that, as by NOT IN. */
static void find_searches(const program *listed, sql_plan *plan) {
  for (int i = 0; i < listed->count; i++) {
    const instruction *at = &listed->all[i];
    int inserts, last;
    if (at->opcode != OPCODE_FOUND ||
        !is_list(listed, at->p1, &inserts, &last) || inserts != 1) {
      continue;
    }
    const instruction *key = key_of(listed, last);
    int read = i;
    while (read > 0 && (listed->all[read].opcode != OPCODE_VCOLUMN ||
                        listed->all[read].p3 != at->p3)) {
      read--;
    }
    /* Uncovered: what is searched for has been read from a table. */
    if (key == NULL || read == 0) continue;
    const plan_lookup lookup = {
        .column = listed->all[read].p2, .list = true, .search = true};
    add_lookup(plan, lookup, loop_of(plan, listed->all[read].p1), key);
  }
}

static int trace_arguments(sql_mirror *mirror, const program *listed,
                           sql_plan *plan) {
  uint64_t most = (uint64_t)listed->count + 1;
  for (int i = 0; i < plan->loop_count; i++) {
    if (plan->loops[i].plan != NULL) {
      most += (uint64_t)plan->loops[i].plan->count;
    }
  }
  plan->lookups = sqlite3_malloc64(most * sizeof(*plan->lookups));
  int rc = plan->lookups == NULL ? SQLITE_NOMEM : SQLITE_OK;
  for (int i = 0; rc == SQLITE_OK && i < plan->loop_count; i++) {
    plan_loop *loop = &plan->loops[i];
    if (loop->plan == NULL) continue;
    loop->conditions = sqlite3_malloc64(((uint64_t)loop->plan->count + 1) *
                                        sizeof(*loop->conditions));
    if (loop->conditions == NULL) rc = SQLITE_NOMEM;
    for (int j = 0; rc == SQLITE_OK && j < loop->plan->count; j++) {
      rc = trace_argument(mirror, listed, plan, loop, j);
    }
  }
  if (rc == SQLITE_OK) find_searches(listed, plan);
  return rc;
}

int sql_read_plan(sql_mirror *mirror, const char *query, sql_plan *plan) {
  program listed = {.all = NULL};
  *plan = (sql_plan){.loops = NULL};
  int rc = list_program(mirror, query, &listed, &plan->unknown);
  if (rc == SQLITE_OK && plan->unknown == NULL) {
    rc = find_loops(mirror, &listed, plan);
    if (rc == SQLITE_OK) find_filters(mirror, &listed, plan);
    if (rc == SQLITE_OK) rc = trace_arguments(mirror, &listed, plan);
    if (rc == SQLITE_OK) rc = read_labels(mirror, query, plan);
  }
  free_program(&listed);
  return rc;
}

void sql_free_plan(sql_plan *plan) {
  for (int i = 0; i < plan->loop_count; i++) {
    plan_loop *loop = &plan->loops[i];
    for (int j = 0; j < loop->condition_count; j++) {
      sqlite3_free(loop->conditions[j].list);
    }
    sqlite3_free(loop->conditions);
    sqlite3_free(loop->label);
  }
  sqlite3_free(plan->loops);
  sqlite3_free(plan->lookups);
  sqlite3_free(plan->unknown);
  *plan = (sql_plan){.loops = NULL};
}

int sql_loops_named(const sql_plan *plan, const char *name) {
  int count = 0;
  for (int i = 0; i < plan->loop_count; i++) {
    count += sqlite3_stricmp(plan->loops[i].table->name, name) == 0;
  }
  return count;
}
