/* Triggers of other programs. The bits of a number in the table `other` tell
** which are active. */
#include "kept.h"

static const struct {
  const char *event;
  const char *when; /* or NULL: always */
  const char *statement;
} others[] = {
    {.event = "AFTER INSERT", .statement = "SELECT RAISE(IGNORE)"},
    {.event = "AFTER INSERT", .statement = "SELECT RAISE(FAIL, 'other')"},
    {.event = "AFTER INSERT", .statement = "INSERT INTO taken VALUES(1)"},
    {.event = "AFTER UPDATE", .statement = "SELECT RAISE(IGNORE)"},
    {.event = "AFTER UPDATE", .statement = "SELECT RAISE(FAIL, 'other')"},
    {.event = "AFTER UPDATE", .statement = "INSERT INTO taken VALUES(1)"},
    {.event = "BEFORE INSERT", .statement = "SELECT RAISE(IGNORE)"},
    {.event = "BEFORE INSERT", .statement = "INSERT INTO taken VALUES(1)"},
    {.event = "BEFORE UPDATE", .statement = "SELECT RAISE(FAIL, 'other')"},
    {.event = "AFTER DELETE", .statement = "SELECT RAISE(IGNORE)"},
    {
        .event = "AFTER INSERT",
        .when = "length(NEW.{written}) < 12",
        .statement = "UPDATE {t} SET {written} = {written} || '!'"
                     " WHERE {id} = NEW.{id}",
    },
    {
        .event = "AFTER INSERT",
        .when = "NEW.{id} BETWEEN 1 AND 200",
        .statement = "INSERT INTO {t}({id}, {written})"
                     " VALUES(NEW.{id} + 100, NEW.{written})",
    },
    {
        .event = "AFTER INSERT",
        .statement = "DELETE FROM {t} WHERE {id} = NEW.{id} - 1",
    },
    {
        .event = "AFTER UPDATE",
        .when = "NEW.{id} BETWEEN 1 AND 50",
        .statement = "UPDATE {t} SET {id} = {id} + 333 WHERE {id} = NEW.{id}",
    },
    {
        .event = "BEFORE INSERT",
        .statement = "DELETE FROM {t} WHERE {id} > 300",
    },
    {
        .event = "BEFORE INSERT",
        .when = "NEW.{id} BETWEEN 1 AND 200",
        .statement = "INSERT INTO {t}({id}, {written}) VALUES(350, 'far')",
    },
    {
        .event = "AFTER DELETE",
        .when = "OLD.{id} BETWEEN 1 AND 200",
        .statement = "INSERT INTO {t}({id}, {written})"
                     " VALUES(OLD.{id} + 200, OLD.{written})",
    },
};
#define OTHERS (sizeof(others) / sizeof(*others))

/* Each world has this many that are older than the filter's triggers and as
** many that are newer, chosen at random. */
#define OTHERS_OF_A_WORLD 4

/* The trigger that has a bit in this world. In every other world, none that is
** newer than the filter's is an AFTER trigger. */
static size_t other_of(int bit) {
  size_t which = (size_t)(world.number + bit * 5) % OTHERS;
  if (world.number % 2 == 0 && bit >= OTHERS_OF_A_WORLD) {
    while (strncmp(others[which].event, "BEFORE", 6) != 0) {
      which = (which + 1) % OTHERS;
    }
  }
  return which;
}

void make_others(int last) {
  const char *name = last ? "last" : "first";
  for (int i = 0; i < OTHERS_OF_A_WORLD; i++) {
    const int bit = i + last * OTHERS_OF_A_WORLD;
    const size_t which = other_of(bit);
    const char *when = others[which].when;
    char *sql = sqlite3_mprintf(
        "DROP TRIGGER IF EXISTS %s%d; CREATE TRIGGER %s%d %s ON {t}"
        " WHEN (SELECT mode & %d FROM other) AND (%s) BEGIN %s; END",
        name, i, name, i, others[which].event, 1 << bit,
        when == NULL ? "1" : when, others[which].statement);
    both(sql);
    sqlite3_free(sql);
  }
}

void choose_others(void) {
  char sql[80];
  int mode = 0;
  for (size_t n = draw_below(4); n > 0; n--) {
    mode |= 1 << draw_below(2 * OTHERS_OF_A_WORLD);
  }
  snprintf(sql, sizeof(sql), "UPDATE other SET mode = %d", mode);
  both(sql);
}
