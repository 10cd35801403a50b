/*
** The SELECT of the rows that a DELETE or UPDATE would change.
*/
#ifndef BLOOM_ADVISE_CHANGED_ROWS_H
#define BLOOM_ADVISE_CHANGED_ROWS_H

#include "parameters.h"

/* Makes the text of a DELETE or UPDATE, with or without a WITH in front, that
** of the SELECT of the rows that it would change, with the same parameters,
** whose numbers are 1 to most; *verb becomes "DELETE" or "UPDATE". Any other
** text but an INSERT or REPLACE stays. Returns SQLITE_OK or an error's code,
** and what is wrong, which the caller frees. */
int sql_select_changed(sql_arena *arena, int most, sql_trial *trial,
                       const char **verb, char **problem);

#endif
