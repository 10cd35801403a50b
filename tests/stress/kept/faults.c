/* Planted faults, each of which a world must notice. */
#include "kept.h"
#include "plant.h"

/* A world of random operations only. */
static int varies(void) {
  return operate(OPERATIONS_OF_A_WORLD) && settle() && closes() && excludes();
}

/* Many rows make the parts of the first table grow. */
static int grows(void) {
  static const kept_check grown = {"keys for which there are too few parts",
                                   "SELECT max(keys) > 100 FROM {_parts}", 0};
  if (world.table != table_of(0)) return 1;
  both(
      "INSERT INTO {t}({id}, {written}) WITH RECURSIVE n(i) AS (SELECT 5000"
      " UNION ALL SELECT i + 1 FROM n WHERE i < 6000) SELECT i, 'new ' || i"
      " FROM n");
  return holds(world.table, world.kept[0], &grown);
}

typedef struct kept_fault {
  const char *file, *text, *replacement;
  int (*noticed_where)(void); /* in a world that varies, grows, or breaks */
  const char *name;
} kept_fault;

static const kept_fault faults[] = {
    {"parts.sql", "{_parts_insert} AFTER INSERT ON {t}",
     "{_parts_insert} AFTER INSERT ON {t} WHEN 0", varies,
     "a key is not added to its part when its row is inserted"},
    {"parts.sql", "AFTER UPDATE ON {t}\nWHEN",
     "AFTER UPDATE ON {t}\nWHEN 0 AND", varies,
     "a key is not added to its part when its row is updated"},
    {"parts.sql", "COLLATE BINARY IS NOT", "COLLATE NOCASE IS NOT", varies,
     "a key of other case is not added to its part"},
    {"parts.sql", "bloom_part({new_c}, n.parts)",
     "bloom_part({new_c} || '', n.parts)", varies,
     "a key is added to another part"},
    {"shared.sql", "SELECT RAISE(ABORT, '') AS {\"made} WHERE 0;",
     "SELECT RAISE(IGNORE) AS {\"made} WHERE NEW.{c} = 'KEY 6';", varies,
     "an error in a trigger keeps the row"},
    {"parts.sql", "LEFT JOIN {from_t} AS k",
     "LEFT JOIN {from_t} AS k ON k.{c} > 'key 4'", varies,
     "new parts are made without some keys"},
    {"parts.sql", "parts = min(2 * parts, {most_parts})", "parts = parts",
     grows, "parts do not grow"},
    {"parts.sql", "DELETE FROM {_parts} WHERE part >= 0;", "", varies,
     "old parts stay when parts grow"},
    {"parts.sql", "DELETE FROM {_parts} WHERE part = -1;\nEND", "END", varies,
     "the row that says how many parts to make stays"},
    {"parts.sql", "{fill}\n  DELETE", "DELETE", grows,
     "new parts are not made"},
    {"parts.sql", "WHERE i.part < w.parts",
     "WHERE i.part + 1 < w.parts OR w.parts = 1", varies,
     "the last part is not made when parts grow"},
    {"parts.sql", "n.parts < {most_parts}\n", "0\n", grows, "parts never grow"},
    {"blocks.sql", "WHEN NEW.{id} >= 0 AND ifnull(", "WHEN 0 AND ifnull(",
     varies, "a row past the open block does not close it"},
    {"blocks.sql", "SET f = bloom_add(f, NEW.{c})\n  WHERE block",
     "SET f = bloom_add(f, NEW.{c})\n  WHERE 0 AND block", varies,
     "no key is added to a closed block"},
    {"blocks.sql", "WHERE w.block IS NOT NULL", "WHERE 0", varies,
     "no block is closed"},
    {"blocks.sql", "  SELECT w.block, {block_filter}\n  FROM (SELECT (SELECT",
     "  SELECT w.block, NULL\n  FROM (SELECT (SELECT", varies,
     "the filter of a block that is closed is not built"},
    {"blocks.sql", "+ ({number} - 1))", "+ ({number} - 2))", varies,
     "the filter of a closed block lacks its last row"},
    {"blocks.sql", "ORDER BY o.{id} LIMIT 1), 0);",
     "ORDER BY o.{id} DESC LIMIT 1), 0);\n  UPDATE {_blocks} SET f ="
     " x'0001' WHERE block = (SELECT min(block) FROM {_blocks});",
     varies, "the filter of a block whose rows remain is forgotten"},
    {"blocks.sql", "WHEN NEW.{id} >= 0 AND NEW.{id} / {number} IN",
     "WHEN 0 AND NEW.{id} / {number} IN", varies,
     "a late row is not added to its closed block"},
    {"blocks.sql", "IS NOT OLD.{c} OR", "IS NOT NEW.{c} OR", varies,
     "an updated key is not added to its block"},
    {"blocks.sql", " OR NEW.{id} IS NOT OLD.{id}", "", varies,
     "a row that only moves is not added to its new block"},
    {"blocks.sql", "COLLATE BINARY IS NOT", "COLLATE NOCASE IS NOT", varies,
     "a key of other case is not added to its block"},
    {"blocks.sql", "(w.block + g.is_gap) * {number}",
     "(w.block + 2 * g.is_gap) * {number}", varies,
     "the open span begins a block too late"},
    {"blocks.sql", "min(w.block * {number} + {number} - 1,",
     "min(w.block * {number} + {number},", varies,
     "the span of a closed block ends a row too late"},
    {"blocks.sql", "WHEN w.block < 0 THEN -9223372036854775807 - 1",
     "WHEN w.block < 0 THEN 0", varies, "no span has the ids below 0"},
    {"parts.sql", "AND ({in_place} OR", "AND (1 OR", breaks,
     "a part excludes while a trigger is missing"},
    {"parts.sql", "AS {\"made} FROM {_parts} AS p\nWHERE {kept}",
     "AS {\"made} FROM {_parts} AS p", breaks,
     "all parts exclude while a trigger is missing"},
    {"blocks.sql", "b.block >= 0 AND {kept}", "b.block >= 0", breaks,
     "blocks exclude while a trigger is missing"},
    {"shared.sql", "WHERE {runs_first}))", "WHERE 0))", varies,
     "filters exclude while a newer trigger may end a row"},
    {"shared.sql", "WHERE m.name IS NULL OR m.rowid", "WHERE m.rowid", breaks,
     "a missing trigger is not named"},
    {"parts.sql", "WHERE NOT EXISTS (SELECT 1 FROM {_parts})", "WHERE 0",
     breaks, "that all parts are missing is not told"},
    {"parts.sql", "WHERE n.parts > n.there", "WHERE 0", breaks,
     "that one part is missing is not told"},
    {"parts.sql", "WHERE n.least < n.most", "WHERE 0", breaks,
     "that rows disagree on the number of parts is not told"},
};

size_t fault_count(void) {
  return COUNT(faults);
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
  if (!plant(&(kept_edit){fault->file, fault->text, fault->replacement})) {
    fail("no such text in %s", fault->file);
    return -1;
  }
  const int worlds = 2 * table_count();
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
