/* A fault planted in the SQL that keeps the filters. */
#ifndef BLOOM_PLANT_H
#define BLOOM_PLANT_H

#include "kept.h"

/* In the SQL of a file, parts.sql or blocks.sql, a text, and what it becomes
** wherever it stands. Both have the words of kept.h. */
typedef struct kept_edit {
  const char *file, *text, *replacement;
} kept_edit;

/* From now on filters are made with this edit, or with NULL without one. */
void plant(const kept_edit *edit);

/* Whether the text was found since the edit was planted. */
int is_planted(void);

/* The SQL of a file as it is planted, in place of the SQL as it is. */
char *with_edit(const kept_table *table, const char *file, char *sql);

#endif
