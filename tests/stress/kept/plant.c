/* Builds the extension with edits of the SQL that keeps the filters. */
#include "plant.h"

#include <unistd.h>

static const kept_edit small_room[] = {
    {"parts.sql", "-- {capacity}\n1500", "-- {capacity}\n24"},
    {"parts.sql", "-- {room}\n1400", "-- {room}\n12"},
    {"parts.sql", "bloom_part(NEW.{c}, 64) = 0", "1"},
    {"parts.sql", "-- {first_keys}\n1000", "-- {first_keys}\n8"},
};

static char folder[100], extension[150];
static int built;

/* A loaded file stays mapped, so each one gets a name of its own. */
static const char *next_folder(void) {
  snprintf(folder, sizeof(folder), "/tmp/kept-%ld-%d", (long)getpid(), built++);
  return folder;
}

/* Quotes a word for a shell command. */
static void append_quoted(sqlite3_str *command, const char *word) {
  sqlite3_str_appendall(command, " '");
  for (; *word != '\0'; word++) {
    if (*word == '\'') {
      sqlite3_str_appendall(command, "'\\''");
    } else {
      sqlite3_str_append(command, word, 1);
    }
  }
  sqlite3_str_appendall(command, "'");
}

static void append_edit(sqlite3_str *command, const kept_edit *edit) {
  append_quoted(command, edit->file);
  append_quoted(command, edit->text);
  append_quoted(command, edit->replacement);
}

int plant(const kept_edit *edit) {
  remove_planted();
  sqlite3_str *command = sqlite3_str_new(NULL);
  sqlite3_str_appendall(command, "tests/tools/edited");
  append_quoted(command, next_folder());
  if (edit != NULL) append_edit(command, edit);
  for (size_t i = 0; i < COUNT(small_room); i++) {
    append_edit(command, &small_room[i]);
  }
  char *line = sqlite3_str_finish(command);
  const int found = system(line) == 0;
  sqlite3_free(line);
  snprintf(extension, sizeof(extension), "%s/bloom", folder);
  return found;
}

const char *planted_extension(void) {
  return extension;
}

void remove_planted(void) {
  if (built == 0) return;
  char *command = sqlite3_mprintf("rm -rf %s", folder);
  if (system(command) != 0) fail("%s fails", command);
  sqlite3_free(command);
}
