/* The extension as it is tested here: its parts have room for a few keys, so
** that they grow all the time, and a fault may be planted in the SQL that keeps
** the filters. */
#ifndef BLOOM_PLANT_H
#define BLOOM_PLANT_H

#include "kept.h"

/* A text in a file of ext/kept, and what replaces it wherever it occurs. */
typedef struct kept_edit {
  const char *file, *text, *replacement;
} kept_edit;

/* Builds the extension with an edit, or without one if it is NULL. The next
** worlds load it. Returns whether the file has the text. */
int plant(const kept_edit *edit);

/* The path of the extension that was built last. */
const char *planted_extension(void);

/* Removes what plant has built. */
void remove_planted(void);

#endif
