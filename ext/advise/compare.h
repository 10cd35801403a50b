/*
** Comparing two queries, as bloom_compare and bloom_advise both do.
*/
#ifndef BLOOM_ADVISE_COMPARE_H
#define BLOOM_ADVISE_COMPARE_H

#include "run.h"

/* How many times as fast a query must be for a filter to pay. */
#define SQL_PAYS_FROM 1.10

/* Appends "1,204 rows". */
void sql_append_rows(sqlite3_str *text, sqlite3_int64 rows);

/* Appends "4.2 times as fast". */
void sql_append_faster(sqlite3_str *text, double faster);

extern const sql_table sql_compare_table;

#endif
