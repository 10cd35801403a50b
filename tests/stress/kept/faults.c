/* Planted faults, each of which a world must notice. */
#include "kept.h"
#include "plant.h"

/* A world of random operations only. */
static int varies(void) {
  return operate(OPERATIONS_OF_A_WORLD) && settle() && closes() && excludes();
}

static int attacked(void) {
  long attacks = 0, grown = 0;
  return withstands(&attacks, &grown) &&
         (grown > 0 || fail("no parts have grown"));
}

typedef struct kept_fault {
  const char *name;
  kept_edit edit;
  int (*noticed_where)(void); /* in a world that varies, or breaks */
} kept_fault;

static const kept_fault faults[] = {
    {
        .name = "a key is added to its part only after the row is inserted",
        .edit = {"parts.sql", "BEFORE INSERT ON {t}", "AFTER INSERT ON {t}"},
        .noticed_where = varies,
    },
    {
        .name = "a key is added to its part only before the row is inserted",
        .edit = {"parts.sql", "AND (NOT bloom_may_match(NEW.{c}, p.f) OR",
                 "AND (0 OR"},
        .noticed_where = varies,
    },
    {
        .name = "a key is added to its part only after the row is updated",
        .edit = {"parts.sql", "BEFORE UPDATE ON {t}", "AFTER UPDATE ON {t}"},
        .noticed_where = varies,
    },
    {
        .name = "a key of other case is not added to its part",
        .edit = {"parts.sql", "COLLATE BINARY IS NOT", "COLLATE NOCASE IS NOT"},
        .noticed_where = varies,
    },
    {
        .name = "new parts are made without some keys",
        .edit = {"parts.sql", "IS NOT NULL GROUP BY 1", "> 'key 4' GROUP BY 1"},
        .noticed_where = varies,
    },
    {
        .name = "parts do not grow",
        .edit = {"parts.sql", "WHERE part = 0 AND keys > room;", "WHERE 0;"},
        .noticed_where = attacked,
    },
    {
        .name = "parts grow beside a trigger that may end a row",
        .edit = {"parts.sql", "AND NOT {another_may_end_first};", ";"},
        .noticed_where = attacked,
    },
    {
        .name = "a newer trigger with RAISE is not waited for",
        .edit = {"shared.sql", "lower(o.sql) GLOB '*raise*' OR", ""},
        .noticed_where = attacked,
    },
    {
        .name =
            "triggers of which one fails and one inserts are not waited for",
        .edit = {"shared.sql", "GLOB '*raise*' OR {another_inserts})",
                 "GLOB '*raise*')"},
        .noticed_where = attacked,
    },
    {
        .name = "a foreign key that fails after an update is not waited for",
        .edit = {"shared.sql", "OR lower(o.sql) GLOB '*update*' AND",
                 "OR 0 AND"},
        .noticed_where = attacked,
    },
    {
        .name = "TEMP triggers are not waited for",
        .edit = {"shared.sql", "bloom_temp_triggers() > 0", "0"},
        .noticed_where = attacked,
    },
    {
        .name = "a key is not added again to parts that have grown",
        .edit = {"parts.sql", "AND (NOT bloom_may_match(NEW.{c}, p.f) OR",
                 "AND (0 OR"},
        .noticed_where = attacked,
    },
    {
        .name = "parts that have no keys are not made when parts grow",
        .edit = {"parts.sql", "UNION ALL SELECT o.parts / 2 - 1 - o.part",
                 "UNION ALL SELECT o.parts / 2 - 2 - o.part"},
        .noticed_where = varies,
    },
    {
        .name = "old parts stay when parts grow",
        .edit = {"parts.sql", "DELETE FROM {_parts} WHERE part < 0;", ""},
        .noticed_where = varies,
    },
    {
        .name = "the id that SQLite will choose is not added to its part",
        .edit = {"parts.sql", "WHERE NEW.{id} = -1", "WHERE NEW.{id} = -2"},
        .noticed_where = varies,
    },
    {
        .name = "a key is added to its block only after the row is inserted",
        .edit = {"blocks.sql", "BEFORE INSERT ON {t}", "AFTER INSERT ON {t}"},
        .noticed_where = varies,
    },
    {
        .name = "no block is closed",
        .edit = {"blocks.sql", "WHERE c.block IS NOT NULL", "WHERE 0"},
        .noticed_where = varies,
    },
    {
        .name = "the filter of a block that is closed is not built",
        .edit = {"blocks.sql",
                 "WHERE f IS NULL AND block =", "WHERE 0 AND block ="},
        .noticed_where = varies,
    },
    {
        .name = "a block is closed beside a trigger that may end a row",
        .edit = {"blocks.sql", "AND NOT {another_may_end_first};", ";"},
        .noticed_where = attacked,
    },
    {
        .name = "the filter of a block whose rows remain is forgotten",
        .edit =
            {"blocks.sql", "ORDER BY o.{id} LIMIT 1), 0);",
             "ORDER BY o.{id} DESC LIMIT 1), 0);\n  UPDATE {_blocks} SET f ="
             " x'0001' WHERE block = (SELECT min(block) FROM {_blocks});"},
        .noticed_where = varies,
    },
    {
        .name = "a key is added to its block only after the row is updated",
        .edit = {"blocks.sql", "BEFORE UPDATE ON {t}", "AFTER UPDATE ON {t}"},
        .noticed_where = varies,
    },
    {
        .name = "a key is not added again to a block that was closed",
        .edit = {"blocks.sql", "bloom_add(f, NEW.{c})\n  WHERE block",
                 "bloom_add(f, NEW.{c})\n  WHERE 0 AND block"},
        .noticed_where = attacked,
    },
    {
        .name = "a row that only moves is not added to its new block",
        .edit = {"blocks.sql", " OR NEW.{id} IS NOT OLD.{id}", ""},
        .noticed_where = varies,
    },
    {
        .name = "a key of other case is not added to its block",
        .edit = {"blocks.sql", "COLLATE BINARY IS NOT",
                 "COLLATE NOCASE IS NOT"},
        .noticed_where = varies,
    },
    {
        .name = "the id that SQLite will choose is not foreseen",
        .edit = {"blocks.sql", "CASE NEW.{id} WHEN -1",
                 "CASE NEW.{id} WHEN -2"},
        .noticed_where = varies,
    },
    {
        .name = "the open span begins a block too late",
        .edit = {"blocks.sql", "SELECT (b.block + 1) * {rows},",
                 "SELECT (b.block + 2) * {rows},"},
        .noticed_where = varies,
    },
    {
        .name = "the span of a closed block ends a row too late",
        .edit = {"blocks.sql", "min(b.block * {rows} + {rows} - 1,",
                 "min(b.block * {rows} + {rows},"},
        .noticed_where = varies,
    },
    {
        .name = "no span has the ids below 0",
        .edit = {"blocks.sql", "SELECT -9223372036854775807 - 1,\n",
                 "SELECT 0,\n"},
        .noticed_where = varies,
    },
    {
        .name = "a part excludes while a trigger is missing",
        .edit = {"parts.sql",
                 "AND ((SELECT m.name =", "AND (1 OR (SELECT m.name ="},
        .noticed_where = breaks,
    },
    {
        .name = "all parts exclude while a trigger is missing",
        .edit = {"parts.sql", "AS {made} FROM {_parts} AS p\nWHERE {kept}",
                 "AS {made} FROM {_parts} AS p"},
        .noticed_where = breaks,
    },
    {
        .name = "blocks exclude while a trigger is missing",
        .edit = {"blocks.sql", "FROM {_blocks} AS b WHERE {kept}",
                 "FROM {_blocks} AS b"},
        .noticed_where = breaks,
    },
    {
        .name = "a missing trigger is not named",
        .edit = {"shared.sql", "WHERE NOT EXISTS (SELECT 1 FROM sqlite_master",
                 "WHERE 0 AND NOT EXISTS (SELECT 1 FROM sqlite_master"},
        .noticed_where = breaks,
    },
    {
        .name = "that all parts are missing is not told",
        .edit = {"parts.sql", "WHERE NOT EXISTS (SELECT 1 FROM {_parts})",
                 "WHERE 0"},
        .noticed_where = breaks,
    },
    {
        .name = "that one part is missing is not told",
        .edit = {"parts.sql", "WHERE n.parts > n.there", "WHERE 0"},
        .noticed_where = breaks,
    },
    {
        .name = "that rows disagree on the number of parts is not told",
        .edit = {"parts.sql", "WHERE n.least < n.most", "WHERE 0"},
        .noticed_where = breaks,
    },
};

size_t fault_count(void) {
  return sizeof(faults) / sizeof(*faults);
}

const char *fault_name(size_t i) {
  return faults[i].name;
}

static int is_well(const kept_fault *fault, int n, uint64_t seed) {
  const int well = begin_world(n, seed) && fault->noticed_where();
  end_world();
  return well;
}

/* The first world that notices the fault, or -1. */
static int noticing_world(const kept_fault *fault, uint64_t seed) {
  if (!plant(&fault->edit)) {
    fail("no such text in %s", fault->edit.file);
    return -1;
  }
  const int worlds = fault->noticed_where == attacked ? 1 : 2 * table_count();
  for (int n = 0; n < worlds; n++) {
    if (sqlite_has(table_of(n)) && !is_well(fault, n, seed)) return n;
  }
  return -1;
}

const char *notice_of_fault(size_t i, uint64_t seed) {
  static char notice[200];
  const int n = noticing_world(&faults[i], seed);
  if (n < 0) return NULL;
  snprintf(notice, sizeof(notice), "%s", failure());
  return plant(NULL) && is_well(&faults[i], n, seed) ? notice : NULL;
}
