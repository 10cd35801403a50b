#include "program.h"

#include <string.h>

#include "../compat.h"

static const char *const program_writers[WRITES_UNKNOWN] = {
    " Init Goto Halt HaltIfNull Transaction TableLock Noop Explain Trace "
    "CursorHint ReleaseReg Abortable Expire CursorLock CursorUnlock Return "
    "Jump Once If IfNot IfEmpty IfSmaller IfSizeBetween IsType IsNull NotNull "
    "Ne Eq Gt Le Lt Ge ElseEq ElseNotEq Compare Permutation ResultRow SeekLT "
    "SeekLE SeekGE SeekGT SeekScan SeekHit SeekRowid SeekEnd IfNotOpen "
    "IfNoHope NoConflict NotFound Found NotExists IFindKey Last Sort "
    "SorterSort Rewind Next Prev SorterNext IdxLE IdxGT IdxLT IdxGE "
    "DeferredSeek FinishSeek SorterInsert SorterCompare SequenceTest Filter "
    "Close ColumnsUsed OpenRead OpenDup OpenAutoindex OpenEphemeral OpenPseudo "
    "SorterOpen ReopenIdx NullRow IdxInsert IdxDelete Insert Delete "
    "ResetSorter Clear VOpen VFilter VNext ",
    " Gosub InitCoroutine EndCoroutine Yield MustBeInt SoftNull CollSeq AddImm "
    "RealAffinity Cast IfPos IfNotZero DecrJumpZero MemMax AggFinal FilterAdd "
    "ClrSubtype RowSetTest RowSetAdd ",
    " Integer Int64 Real String String8 Blob Variable BeginSubrtn SCopy "
    "IntCopy Not BitNot IsTrue ZeroOrNull Count ReadCookie Rowid Sequence "
    "SorterData RowData IdxRowid OffsetLimit VInitIn GetSubtype SetSubtype "
    "NewRowid ",
    " Or And BitAnd BitOr ShiftLeft ShiftRight Add Subtract Multiply Divide "
    "Remainder Concat Function PureFunc Column VColumn Offset RowSetRead "
    "IfNullRow AggStep AggStep1 AggInverse AggValue ",
    " Copy ",
    " Move ",
    " Null ",
    " Affinity TypeCheck ",
    " MakeRecord ",
};

bool sql_is_any(const instruction *at, const char *names) {
  return strstr(names, at->name) != NULL;
}

/* Adds a row of EXPLAIN to the program. */
static int add_instruction(void *data, sqlite3_stmt *row) {
  sql_reading *reading = data;
  instruction added = {.address = sqlite3_column_int(row, 0),
                       .writes = WRITES_NONE,
                       .p1 = sqlite3_column_int(row, 2),
                       .p2 = sqlite3_column_int(row, 3),
                       .p3 = sqlite3_column_int(row, 4)};
  sqlite3_snprintf(sizeof(added.name), added.name, " %s ",
                   sql_row_text(row, 1));
  /* A debug build has the first of these where others have nothing. */
  if (sql_is_any(&added, " ReleaseReg Noop Explain ")) return SQLITE_OK;
  while (added.writes < WRITES_UNKNOWN &&
         !sql_is_any(&added, program_writers[added.writes])) {
    added.writes++;
  }
  /* Uncovered: all instructions of the tested versions are known. */
  if (added.writes == WRITES_UNKNOWN) {
    return sql_mirror_problem(reading->mirror,
                              "the query cannot be analysed: this SQLite plans "
                              "it with%s",
                              added.name);
  }
  added.p4 = sql_arena_text(reading->mirror->arena, "%s", sql_row_text(row, 5));
  if (added.p4 == NULL) return SQLITE_NOMEM;
  sqlite3_str_append(reading->records, (const char *)&added, sizeof(added));
  return SQLITE_OK;
}

int sql_read_program(sql_mirror *mirror, const char *query, program *listed) {
  int rc, size;
  listed->all = sql_read_explained(mirror, mirror->db, "EXPLAIN", query,
                                   add_instruction, &rc, &size);
  listed->count = size / (int)sizeof(*listed->all);
  return rc;
}

/* Whether a register is among so many from the first one on. */
static bool within(int at, int first, int count) {
  return at >= first && at < first + count;
}

static bool may_write(const instruction *by, int at) {
  switch (by->writes) {
    case WRITES_P1:
      return at == by->p1;
    case WRITES_P2:
      return at == by->p2;
    case WRITES_P3:
      return at == by->p3;
    case WRITES_COPIES:
      return within(at, by->p2, by->p3 + 1);
    case WRITES_MOVED:
      return within(at, by->p1, by->p3) || within(at, by->p2, by->p3);
    case WRITES_NULLS:
      return at == by->p2 || within(at, by->p2, by->p3 - by->p2 + 1);
    case WRITES_AFFINITY:
      return within(at, by->p1, by->p2);
    case WRITES_RECORD:
      return at == by->p3 || (*by->p4 != 0 && within(at, by->p1, by->p2));
    default:
      return false;
  }
}

const instruction *sql_only_writer(const program *listed, int at,
                                   const instruction *record) {
  const instruction *writer = NULL;
  for (int i = 0; i < listed->count; i++) {
    const instruction *now = &listed->all[i];
    if (!may_write(now, at) || (now == record && now->p3 != at)) continue;
    if (writer == NULL) writer = now;
    /* Uncovered: what reads a column once more is the same instruction. */
    if (now != writer && (!sql_is_any(now, " VColumn Column ") ||
                          strcmp(now->name, writer->name) != 0 ||
                          now->p1 != writer->p1 || now->p2 != writer->p2)) {
      return NULL;
    }
  }
  return writer;
}
