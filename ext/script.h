/*
** The form in which the text of a script is written down: SQL with words in
** braces, which scripts.c replaces for one column of one table.
**
**   {t} {c} {id}     the table, the column and its INTEGER PRIMARY KEY, quoted
**   {_NAME}          the object TABLE_COLUMN_NAME, quoted
**   {'t} {'call}     the table, and the call that wrote the script, as strings
**   {call}           that call
**   {made}           the comment by which an object says that it was made for
**                    this column, and the end of its line
**   {bits} {rows}    the numbers bits_per_key and rows
**   {before}         the key that a row will have, in a trigger that runs
**                    before the row is written
**   {inputs}         for a generated column, a condition that is never true and
**                    names all columns that it may be generated from
**   {next_id}        the id that SQLite assigns next
**   {assigned}       for a column that is the id, the statement that adds the
**                    id that SQLite assigns next
**   {names}          the triggers' names as strings, separated by commas
**   {each_name}      the triggers' names as a query with the column name
**   {kept}           whether the triggers exist and are, word for word, as they
**                    were made
**   {crc}            the sum of the crc32c of the triggers' SQL
**   {first_crc}      the crc32c of the first trigger's SQL
*/
#ifndef BLOOM_SCRIPT_H
#define BLOOM_SCRIPT_H

#define SCRIPT_TRIGGERS 4

typedef struct script_template {
  /* The names of the objects that are not triggers; NULL ends them if there are
  ** fewer than 4. */
  const char *objects[4];
  struct {
    const char *name;
    const char *sql; /* what follows the name in CREATE TRIGGER */
  } triggers[SCRIPT_TRIGGERS];
  const char *sql[3]; /* one before the triggers and two after them */
} script_template;

/*
** A table that was rebuilt has lost its triggers. If the table or the column
** was renamed, the SQL of the triggers has changed. This expression looks for
** the triggers by name, which reads the whole schema.
*/
#define SCRIPT_KEPT                                    \
  "(SELECT sum(crc32c(m.sql)) FROM sqlite_master AS m" \
  " WHERE m.type = 'trigger' AND m.tbl_name = {'t}\n"  \
  "    AND m.name IN ({names})) = {crc}"

#define SCRIPT_RUN_AGAIN "': run what ' || {'call} || ' writes'\n"

/* The rows of a check view about the triggers. */
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

/* A comment in the scripts that says why there are triggers before and after a
** row. */
#define SCRIPT_TWICE                                                       \
  "-- Before the row, since another trigger may end the statement after\n" \
  "-- it; and after the row, since some values are not known before.\n"

#endif
