/*
** Places of the user's text that can be edited. Nothing is parsed: a place is
** tried, and the mirror says what the edit meant.
*/
#ifndef BLOOM_ADVISE_PLACE_H
#define BLOOM_ADVISE_PLACE_H

#include "plan.h"

/* The last token of a name that begins with this one, and may have a table and
** a schema in front of it; or NULL if it is none. */
const sql_token *sql_name_end(const sql_token *token);

/* So many characters of a text become another text. */
typedef struct sql_edit {
  int at, length;
  const char *text;
} sql_edit;

/* The query with edits, which are put in order, and do not overlap. NULL if out
** of memory. */
const char *sql_edited_text(sql_arena *arena, const char *query,
                            sql_edit *edits, int count);

/* Reads the plan of an edited query. Returns false if it has none. */
bool sql_read_edited(sql_mirror *mirror, sql_edit *edits, int count,
                     sql_plan *edited);

/* Whether an edited query has the same plan, but for conditions that are this
** mark. None is "". */
bool sql_has_same_plan(sql_mirror *mirror, sql_edit *edits, int count,
                       const char *mark, sql_plan *edited);

/* Where the text names the table of a loop. */
typedef struct sql_place {
  int at, length;             /* of the name, with its schema */
  bool aliased;               /* an alias follows */
  int index_at, index_length; /* of INDEXED BY or NOT INDEXED, if it has one */
  const char *name; /* of a WITH that can take the table's place there. If it is
                    ** the table's own, the place need not be edited */
} sql_place;

/* Finds the place of each loop: the table is exchanged there for its twin, and
** exactly this loop becomes one over the twin. A loop without a place gets a
** problem. */
void sql_find_places(sql_mirror *mirror);

/* Adds the edits of a place that exchange its table: two at most. Returns how
** many. */
int sql_exchange(sql_arena *arena, const sql_place *place, const char *name,
                 const mirror_table *table, sql_edit *edits);

/* An operand of =, or the left one of IN (SELECT ...) or NOT IN (SELECT ...),
** that is looked up, and nothing else. */
typedef struct sql_operand {
  int at, length;
  int end;            /* behind the bracket of the SELECT, or 0 of = */
  bool negate;        /* it is that of NOT IN */
  plan_lookup lookup; /* in the plan of the query */
} sql_operand;

/* The edit that gives so many characters of the query to SQL_OPERAND. */
sql_edit sql_mark_operand(const sql_mirror *mirror, int at, int length);

/* Finds the operands: each is given to SQL_OPERAND, and exactly one lookup has
** the mark. Returns SQLITE_OK or SQLITE_NOMEM. */
int sql_find_operands(sql_mirror *mirror, sql_operand **operands, int *count);

/* Marks that may stand behind a column in the place of a term. */
extern const char *const sql_term_marks[2];

/* The only loop of an edited plan that has a mark for a condition, or NULL, and
** the column. */
const plan_loop *sql_marked_loop(const sql_plan *edited, const char *mark,
                                 int *column);

/* Finds lookups in what a subquery makes, by a column that it has of a table:
** inner.c. Returns SQLITE_OK or SQLITE_NOMEM. */
int sql_find_inner(sql_mirror *mirror, plan_lookup **lookups, int *count);

/* Finds conditions of several operators, and adds them to those of the loops:
** terms.c. No edited plan is the same as this one afterwards. Returns SQLITE_OK
** or SQLITE_NOMEM. */
int sql_find_terms(sql_mirror *mirror);

#endif
