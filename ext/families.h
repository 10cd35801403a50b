/* The families of SQL functions. Each family has a source file, which ends with
** a table of its functions. An entry whose name is NULL ends the table. */
#ifndef BLOOM_FAMILIES_H
#define BLOOM_FAMILIES_H

#include "function.h"

extern const sql_function sql_build_functions[];
extern const sql_function sql_probe_functions[];
extern const sql_function sql_parts_functions[];
extern const sql_function sql_change_functions[];
extern const sql_function sql_info_functions[];
extern const sql_function sql_planning_functions[];
extern const sql_function sql_leveldb_functions[];
extern const sql_function sql_leveldb_read_functions[];
extern const sql_function sql_kept_functions[];
extern const sql_function sql_advise_functions[];

#endif
