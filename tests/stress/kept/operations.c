/* Random operations: changes of rows, transactions and others. */
#include "kept.h"

/* ---- Transactions, and connections that read. */

void end_reading(int connection) {
  if (world.reader != connection) return;
  run(world.kept[connection], "COMMIT");
  world.reader = NO_CONNECTION;
}

void note_transaction(void) {
  if (world.writer < 0 || !sqlite3_get_autocommit(world.kept[world.writer])) {
    return;
  }
  world.writer = NO_CONNECTION;
  world.savepoints = 0;
}

static void begin_transaction(void) {
  world.writer = (int)draw_below((size_t)world.connections);
  end_reading(world.writer);
  both(world.connections > 1 ? "BEGIN IMMEDIATE"
       : draw_below(2)       ? "BEGIN"
                             : "SAVEPOINT s");
  world.savepoints = 0;
}

static void roll_back(const char *sql) {
  both(sql);
  counts.rollbacks++;
}

static void continue_transaction(void) {
  switch (draw_below(6)) {
    case 0: /* which a deferred foreign key may refuse */
      if (both("COMMIT")) break;
      /* fall through */
    case 1:
      roll_back("ROLLBACK");
      break;
    case 2:
      if (world.savepoints > 0) roll_back("ROLLBACK TO s");
      break;
    case 3:
      if (world.savepoints == 0) break;
      both("RELEASE s");
      world.savepoints--;
      break;
    default:
      both("SAVEPOINT s");
      world.savepoints++;
  }
  note_transaction();
}

static int transact(void) {
  if (world.writer < 0) {
    begin_transaction();
  } else {
    continue_transaction();
  }
  return 1;
}

/* One connection keeps its view of the database while the other writes. */
static int begin_reading(void) {
  const int reader = world.writer < 0 ? (int)draw_below(2) : 1 - world.writer;
  if (world.connections < 2) return 1;
  end_reading(0);
  end_reading(1);
  world.reader = reader;
  run(world.kept[reader], "BEGIN");
  run_for(world.table, world.kept[reader], "SELECT count(*) FROM {t}");
  return 1;
}

/* ---- Other operations. */

static int set_recursion(void) {
  const char *sql = draw_below(2) ? "PRAGMA recursive_triggers = 1"
                                  : "PRAGMA recursive_triggers = 0";
  for (int c = 0; c < world.connections; c++) run(world.kept[c], sql);
  run(world.twin, sql);
  return 1;
}

/* Makes the filters again and, sometimes, triggers of others after that, so
** that the triggers run in another order. */
static int make_anew(void) {
  if (!make_filters()) return 0;
  if (draw_below(2)) make_others(1);
  if (draw_below(8) == 0) make_others(0);
  return 1;
}

/* Operations on a whole table. */
static int change_all(void) {
  switch (draw_below(8)) {
    case 0:
      both("DELETE FROM {t}");
      return 1;
    case 1:
      both("DELETE FROM {t} WHERE {id} % 3 > 0");
      return 1;
    case 2:
      if (world.writer < 0 && world.reader < 0) both("VACUUM");
      return 1;
    case 3:
      both("ANALYZE");
      return 1;
    default:
      return make_anew();
  }
}

static int change_some_rows(void) {
  return change_rows(1);
}

/* ---- All of them, at random. */

static const struct {
  size_t share; /* of 1,000 */
  int (*run)(void);
} operations[] = {
    {60, transact},      {30, choose_others}, {5, set_recursion},
    {10, begin_reading}, {7, change_all},     {888, change_some_rows},
};

static int run_any(void) {
  size_t drawn = draw_below(1000), i = 0;
  while (drawn >= operations[i].share) drawn -= operations[i++].share;
  return operations[i].run() && failure()[0] == '\0';
}

#define MAX_ROWS 600

/* A table that has grown too long for frequent checks is emptied. */
static void keep_short(void) {
  const sqlite3_int64 rows =
      integer_for(world.table, world.twin, "SELECT count(*) FROM {t}");
  if (rows <= MAX_ROWS) return;
  both(draw_below(2) ? "DELETE FROM {t}"
                     : "DELETE FROM {t} WHERE {id} % 5 > 0");
}

#define BETWEEN_CHECKS 20

int operate(long operations_left) {
  int well = 1;
  for (long done = 1; well && done <= operations_left; done++) {
    well = run_any();
    if (well && done % BETWEEN_CHECKS == 0) {
      keep_short();
      well = all_is_well();
    }
  }
  return well;
}

int settle(void) {
  for (int c = 0; c < world.connections; c++) end_reading(c);
  if (world.writer >= 0 && !both("COMMIT")) both("ROLLBACK");
  note_transaction();
  both("UPDATE other SET mode = 0");
  return failure()[0] == '\0' && all_is_well();
}
