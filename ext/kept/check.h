/*
** bloom_check([table [, column]]), a table of what is wrong with kept filters.
*/
#ifndef BLOOM_CHECK_H
#define BLOOM_CHECK_H

#include "../function.h"

extern const sqlite3_module sql_check_module;

#endif
