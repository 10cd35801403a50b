/*
** The program of a query in a mirror, as EXPLAIN lists it.
*/
#ifndef BLOOM_ADVISE_PROGRAM_H
#define BLOOM_ADVISE_PROGRAM_H

#include "mirror.h"

/* Which registers an instruction may write, for all that a SELECT can have on
** the tested versions. */
typedef enum program_writes {
  WRITES_NONE,
  WRITES_P1,
  WRITES_P2,
  WRITES_P3,
  WRITES_COPIES,   /* P2 to P2 + P3 */
  WRITES_MOVED,    /* P3 of them from P1, and from P2 */
  WRITES_NULLS,    /* P2 to P3 */
  WRITES_AFFINITY, /* P2 of them from P1 */
  WRITES_RECORD,   /* P3, and the same if there are affinities */
  WRITES_UNKNOWN
} program_writes;

typedef struct instruction {
  int address;
  char name[24]; /* with a space before and behind it */
  program_writes writes;
  int p1, p2, p3;
  const char *p4;
} instruction;

typedef struct program {
  const instruction *all;
  int count;
} program;

/* Reads the program, without what does nothing, into the memory of the arena.
** Returns SQLITE_OK or an error's code. */
int sql_read_program(sql_mirror *mirror, const char *query, program *listed);

/* Whether it is one of these, each of which has a space before and behind. */
bool sql_is_any(const instruction *at, const char *names);

/* The instruction that alone may write a register, but for the record that is
** made of it, or NULL. SQLite has the same one twice where a value from a list
** of IN is read again behind the xFilter that may have changed it. */
const instruction *sql_only_writer(const program *listed, int at,
                                   const instruction *record);

#endif
