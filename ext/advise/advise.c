#include "advise.h"

#include "../families.h"

/* The tables run queries, so that only a statement may call them, no schema. */
#define RUNS .direct_only = true, .nondeterministic = true

const sql_function sql_advise_functions[] = {
    {"bloom_compare", 0, 0, .module = &sql_table_module,
     .data = &sql_compare_table, RUNS},
    {"bloom_compare", 0, 2, .scalar = sql_table_function,
     .data = &sql_compare_table, RUNS},
    {.name = NULL},
};
