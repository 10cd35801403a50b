/* Planted faults, each of which a world must notice. */
#include "kept.h"
#include "plant.h"

/* A world of random operations only. */
static int varies(void) {
  return operate(OPERATIONS_OF_A_WORLD) && settle() && closes() && excludes();
}

typedef struct kept_fault {
  const char *name;
  kept_edit edit;
  int (*noticed_where)(void); /* in a world that varies, or breaks */
} kept_fault;

/* There is none in an AFTER UPDATE trigger: what these add, the ones before
** them have added where they see the row as it will be, which the tested
** versions of SQLite show them. */
static const kept_fault faults[] = {
    {
        .name = "a key is added to its part only after the row is inserted",
        .edit = {.file = "parts.sql",
                 .text = "BEFORE INSERT ON {t}",
                 .replacement = "AFTER INSERT ON {t}"},
        .noticed_where = varies,
    },
    {
        .name = "a key is added to its part only before the row is inserted",
        .edit = {.file = "parts.sql",
                 .text = "AFTER INSERT ON {t}",
                 .replacement = "AFTER INSERT ON {t} WHEN 0"},
        .noticed_where = varies,
    },
    {
        .name = "a key is added to its part only after the row is updated",
        .edit = {.file = "parts.sql",
                 .text = "BEFORE UPDATE ON {t}",
                 .replacement = "AFTER UPDATE ON {t}"},
        .noticed_where = varies,
    },
    {
        .name = "a key is added to its block only after the row is inserted",
        .edit = {.file = "blocks.sql",
                 .text = "BEFORE INSERT ON {t}",
                 .replacement = "AFTER INSERT ON {t}"},
        .noticed_where = varies,
    },
    {
        .name = "no block is closed",
        .edit = {.file = "blocks.sql",
                 .text = "WHEN NEW.{id} / {rows} IS NOT",
                 .replacement = "WHEN 0 AND NEW.{id} / {rows} IS NOT"},
        .noticed_where = varies,
    },
    {
        .name = "a key is added to its block only after the row is updated",
        .edit = {.file = "blocks.sql",
                 .text = "BEFORE UPDATE ON {t}",
                 .replacement = "AFTER UPDATE ON {t}"},
        .noticed_where = varies,
    },
    {
        .name = "a row that only moves is not added to its new block",
        .edit = {.file = "blocks.sql",
                 .text = "\n  OR NEW.{id} IS NOT OLD.{id}",
                 .replacement = ""},
        .noticed_where = varies,
    },
    {
        .name = "a key of other case is not added to its part",
        .edit = {.file = "parts.sql",
                 .text = "COLLATE BINARY IS NOT",
                 .replacement = "COLLATE NOCASE IS NOT"},
        .noticed_where = varies,
    },
    {
        .name = "a key of other case is not added to its block",
        .edit = {.file = "blocks.sql",
                 .text = "COLLATE BINARY IS NOT",
                 .replacement = "COLLATE NOCASE IS NOT"},
        .noticed_where = varies,
    },
    {
        .name = "the id that SQLite will choose is not foreseen",
        .edit = {.file = "blocks.sql",
                 .text = "CASE NEW.{id} WHEN -1",
                 .replacement = "CASE NEW.{id} WHEN -2"},
        .noticed_where = varies,
    },
    {
        .name = "new parts are made without some keys",
        .edit = {.file = "parts.sql",
                 .text = "IS NOT NULL GROUP BY 1",
                 .replacement = "> 'key 4' GROUP BY 1"},
        .noticed_where = varies,
    },
    {
        .name = "the open span begins a block too late",
        .edit = {.file = "blocks.sql",
                 .text = "SELECT (b.block + 1) * {rows},",
                 .replacement = "SELECT (b.block + 2) * {rows},"},
        .noticed_where = varies,
    },
    {
        .name = "the span of a closed block ends a row too late",
        .edit = {.file = "blocks.sql",
                 .text = "b.block * {rows} + {rows} - 1, b.f",
                 .replacement = "b.block * {rows} + {rows}, b.f"},
        .noticed_where = varies,
    },
    {
        .name = "no span has the ids below 0",
        .edit = {.file = "blocks.sql",
                 .text = "SELECT -9223372036854775808,\n",
                 .replacement = "SELECT 0,\n"},
        .noticed_where = varies,
    },
    {
        .name = "a part excludes while a trigger is missing",
        .edit = {.file = "parts.sql",
                 .text = "AND ((SELECT crc32c(m.sql)",
                 .replacement = "AND (1 OR (SELECT crc32c(m.sql)"},
        .noticed_where = breaks,
    },
    {
        .name = "all parts exclude while a trigger is missing",
        .edit = {.file = "parts.sql",
                 .text = "FROM {_parts} AS p\nWHERE (",
                 .replacement = "FROM {_parts} AS p\nWHERE 1 OR ("},
        .noticed_where = breaks,
    },
    {
        .name = "blocks exclude while a trigger is missing",
        .edit = {.file = "blocks.sql",
                 .text = "FROM {_blocks} AS b WHERE (",
                 .replacement = "FROM {_blocks} AS b WHERE 1 OR ("},
        .noticed_where = breaks,
    },
    {
        .name = "a missing trigger of the parts is not named",
        .edit = {.file = "parts.sql",
                 .text = "WHERE NOT EXISTS (SELECT 1 FROM sqlite_master",
                 .replacement =
                     "WHERE 0 AND NOT EXISTS (SELECT 1 FROM sqlite_master"},
        .noticed_where = breaks,
    },
    {
        .name = "a missing trigger of the blocks is not named",
        .edit = {.file = "blocks.sql",
                 .text = "WHERE NOT EXISTS (SELECT 1 FROM sqlite_master",
                 .replacement =
                     "WHERE 0 AND NOT EXISTS (SELECT 1 FROM sqlite_master"},
        .noticed_where = breaks,
    },
    {
        .name = "that all parts are missing is not told",
        .edit = {.file = "parts.sql",
                 .text = "WHERE NOT EXISTS (SELECT 1 FROM {_parts})",
                 .replacement = "WHERE 0"},
        .noticed_where = breaks,
    },
    {
        .name = "that one part is missing is not told",
        .edit = {.file = "parts.sql",
                 .text = "WHERE w.parts > w.there",
                 .replacement = "WHERE 0"},
        .noticed_where = breaks,
    },
    {
        .name = "that rows disagree on the number of parts is not told",
        .edit = {.file = "parts.sql",
                 .text = "WHERE w.least < w.most",
                 .replacement = "WHERE 0"},
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
  plant(&fault->edit);
  const int well =
      begin_world(n, seed) && (!is_planted() || fault->noticed_where());
  end_world();
  return well;
}

static int is_well_without(const kept_fault *fault, int n, uint64_t seed) {
  plant(NULL);
  const int well = begin_world(n, seed) && fault->noticed_where();
  end_world();
  return well;
}

const char *notice_of_fault(size_t i, uint64_t seed) {
  static char notice[200];
  int n = 0;
  while (n < 2 * table_count() &&
         (!sqlite_has(table_of(n)) || is_well(&faults[i], n, seed))) {
    n++;
  }
  if (n == 2 * table_count()) return NULL;
  snprintf(notice, sizeof(notice), "%s", failure());
  return is_planted() && is_well_without(&faults[i], n, seed) ? notice : NULL;
}
