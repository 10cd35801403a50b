/*
** Trying the filters of a query: which are right, which pay, and which pay
** together.
*/
#ifndef BLOOM_ADVISE_TRY_H
#define BLOOM_ADVISE_TRY_H

#include "candidates.h"

/* Tries what the query of plain can have, which is prepared. Returns SQLITE_OK
** or an error's code. In any case, sql_free_advice frees what it is. */
int sql_try_filters(sql_advice *advice);

void sql_free_advice(sql_advice *advice);

#endif
