/*
** The form in which the text of a script is written down: SQL, and in braces
** what scripts.c puts in for one column of one table.
**
**   {t} {c} {id}     the table, the column and its INTEGER PRIMARY KEY, quoted
**   {_NAME}          the object TABLE_COLUMN_NAME, quoted
**   {'t} {'call}     the table, and the call that wrote the script, as strings
**   {call} {made}    that call; the comment by which an object says that it was
**                    made for this column, and the end of its line
**   {bits} {rows}    the numbers
**   {before}         NEW's key as it will be, where the row is yet to come
**   {inputs}         for a generated column, a condition that is never true and
**                    names all that it may be generated from
**   {next_id}        the id that SQLite assigns next
**   {assigned}       for a column that is the id, the statement that adds that
**   {names}          the triggers' names as strings, with commas between
**   {each_name}      the same as a table with the column name
**   {kept}           whether the triggers are there, word for word
**   {crc}            the sum of the crc32c of their SQL
**   {first_crc}      that of the first one
*/
#ifndef BLOOM_SCRIPT_H
#define BLOOM_SCRIPT_H

#define SCRIPT_TRIGGERS 4

typedef struct script_template {
  const char *objects[4]; /* names, other than the triggers', and NULL */
  struct {
    const char *name;
    const char *sql; /* what follows the name in CREATE TRIGGER */
  } triggers[SCRIPT_TRIGGERS];
  const char *sql[3]; /* before the triggers, behind them, and behind that */
} script_template;

/*
** A table that was rebuilt has lost its triggers; where it, or the column, was
** renamed, their SQL is another. This looks for them by name, through the whole
** schema.
*/
#define SCRIPT_KEPT                                    \
  "(SELECT sum(crc32c(m.sql)) FROM sqlite_master AS m" \
  " WHERE m.type = 'trigger' AND m.tbl_name = {'t}\n"  \
  "    AND m.name IN ({names})) = {crc}"

#define SCRIPT_RUN_AGAIN "': run what ' || {'call} || ' writes'\n"

/* What a check view says of the triggers. */
#define SCRIPT_CHECK_TRIGGERS                                                  \
  "SELECT 'trigger ' || w.name || ' is missing, so no row is excluded'\n"      \
  "  || " SCRIPT_RUN_AGAIN                                                     \
  "FROM ({each_name}) AS w\n"                                                  \
  "WHERE NOT EXISTS (SELECT 1 FROM sqlite_master AS m WHERE m.name = w.name\n" \
  "    AND m.type = 'trigger' AND m.tbl_name = {'t})\n"                        \
  "UNION ALL\n"                                                                \
  "SELECT 'the triggers are not as they were made, so no row is excluded'\n"   \
  "  || " SCRIPT_RUN_AGAIN                                                     \
  "WHERE ({kept}) IS NOT 1\n"                                                  \
  "  AND (SELECT count(*) FROM sqlite_master AS m WHERE m.type = 'trigger'\n"  \
  "    AND m.tbl_name = {'t} AND m.name IN ({names})) = 4\n"

/* Why there are triggers before and after a row. */
#define SCRIPT_TWICE                                                       \
  "-- Before the row, since another trigger may end the statement after\n" \
  "-- it; and after the row, since some values are not known before.\n"

#endif
