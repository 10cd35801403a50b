/*
** Whether a filter is kept: whether every key of the table is in it, as far as
** the schema can tell.
*/
#ifndef BLOOM_GUARD_H
#define BLOOM_GUARD_H

#include "template.h"

/* What is wrong with the triggers of a filter. */
typedef enum sql_trigger_problem {
  TRIGGERS_KEEP,    /* nothing */
  TRIGGER_RENAMED,  /* it is for another table or column now */
  TRIGGER_PUT_BACK, /* it was made after the filter was filled */
  TRIGGER_NEWER,    /* one of others, which runs before the filter's */
  TRIGGER_MISSING,  /* one of the filter's */
  TABLE_MISSING,    /* that of the filter */
} sql_trigger_problem;

typedef struct sql_trigger_report {
  sql_trigger_problem problem;
  char *trigger;                /* the name of one with this problem, or NULL */
  char *now_table, *now_column; /* if it is renamed, and if they are known */
} sql_trigger_report;

/* Looks at the triggers in a schema of the filter of this form, table and
** column, of which noun is the form's. Returns SQLITE_OK or an error's code. In
** either case the caller calls sql_free_report. */
int sql_find_problem(sqlite3 *db, const char *schema, const char *noun,
                     const char *table, const char *column,
                     sql_trigger_report *report);

/* Sets *kept to whether the filter of a form, table and column is kept in each
** schema that has its table, of which there is at least one; or, unless only is
** NULL, in the only one, whose name *only becomes, which the caller frees. What
** an authorizer hides is not kept. Returns SQLITE_OK or an error's code. */
int sql_look_everywhere(sqlite3 *db, const char *const *names, bool *kept,
                        char **only);

void sql_free_report(sql_trigger_report *report);

/* bloom_is_kept(form, table, column) */
void sql_is_kept_function(sqlite3_context *context, int argc,
                          sqlite3_value **argv);

/* bloom_build_kept(table, column, parts, bits_per_key, capacity), in growth.c:
** the handle of bloom_build_parts over the keys of the table, or NULL if its
** filter is not kept. */
void sql_build_kept_function(sqlite3_context *context, int argc,
                             sqlite3_value **argv);

#endif
