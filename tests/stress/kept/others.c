/* Triggers of other programs. The bits of a number in the table `other` tell
** which are active. */
#include "kept.h"

static const struct {
  const char *event, *when, *statement;
} others[] = {
    {"AFTER INSERT", "1", "SELECT RAISE(IGNORE)"},
    {"AFTER INSERT", "1", "SELECT RAISE(FAIL, 'other')"},
    {"AFTER INSERT", "1", "INSERT INTO taken VALUES(1)"},
    {"AFTER UPDATE", "1", "SELECT RAISE(IGNORE)"},
    {"AFTER UPDATE", "1", "SELECT RAISE(FAIL, 'other')"},
    {"AFTER UPDATE", "1", "INSERT INTO taken VALUES(1)"},
    {"BEFORE INSERT", "1", "SELECT RAISE(IGNORE)"},
    {"BEFORE INSERT", "1", "INSERT INTO taken VALUES(1)"},
    {"BEFORE UPDATE", "1", "SELECT RAISE(FAIL, 'other')"},
    {"AFTER DELETE", "1", "SELECT RAISE(IGNORE)"},
    {"AFTER INSERT", "length(NEW.{written}) < 12",
     "UPDATE {t} SET {written} = {written} || '!' WHERE {id} = NEW.{id}"},
    {"AFTER INSERT", "NEW.{id} BETWEEN 1 AND 200",
     "INSERT INTO {t}({id}, {written}) VALUES(NEW.{id} + 100, NEW.{written})"},
    {"AFTER INSERT", "1", "DELETE FROM {t} WHERE {id} = NEW.{id} - 1"},
    {"AFTER UPDATE", "NEW.{id} BETWEEN 1 AND 50",
     "UPDATE {t} SET {id} = {id} + 333 WHERE {id} = NEW.{id}"},
    {"BEFORE INSERT", "1", "DELETE FROM {t} WHERE {id} > 300"},
    {"BEFORE INSERT", "NEW.{id} BETWEEN 1 AND 200",
     "INSERT INTO {t}({id}, {written}) VALUES(350, 'far')"},
    {"AFTER DELETE", "OLD.{id} BETWEEN 1 AND 200",
     "INSERT INTO {t}({id}, {written}) VALUES(OLD.{id} + 200, OLD.{written})"},
};

/* Each world has this many that are older than the filter's triggers and as
** many that are newer, chosen at random. */
#define OTHERS_OF_A_WORLD 4

/* The trigger that has a bit in this world. In every other world, none that is
** newer than the filter's is an AFTER trigger. */
static size_t other_of(int bit) {
  size_t which = (size_t)(world.number + bit * 5) % COUNT(others);
  if (world.number % 2 == 0 && bit >= OTHERS_OF_A_WORLD) {
    while (strncmp(others[which].event, "BEFORE", 6) != 0) {
      which = (which + 1) % COUNT(others);
    }
  }
  return which;
}

void make_others(int last) {
  const char *name = last ? "last" : "first";
  for (int i = 0; i < OTHERS_OF_A_WORLD; i++) {
    const int bit = i + last * OTHERS_OF_A_WORLD;
    const size_t which = other_of(bit);
    char *sql = sqlite3_mprintf(
        "DROP TRIGGER IF EXISTS %s%d; CREATE TRIGGER %s%d %s ON {t}"
        " WHEN (SELECT mode & %d FROM other) AND (%s) BEGIN %s; END",
        name, i, name, i, others[which].event, 1 << bit, others[which].when,
        others[which].statement);
    both(sql);
    sqlite3_free(sql);
  }
}

int choose_others(void) {
  char sql[80];
  int mode = 0;
  for (size_t n = draw_below(4); n > 0; n--) {
    mode |= 1 << draw_below(2 * OTHERS_OF_A_WORLD);
  }
  snprintf(sql, sizeof(sql), "UPDATE other SET mode = %d", mode);
  both(sql);
  return 1;
}
