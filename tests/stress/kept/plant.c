/*
** Plants a fault: edits the script that the extension wrote, before it runs.
** The script's views hold its triggers against a checksum, which is corrected,
** so that they do not notice the edit itself.
*/
#include "plant.h"

static const kept_edit *planted;
static int found; /* its text */

void plant(const kept_edit *edit) {
  planted = edit;
  found = 0;
}

int is_planted(void) {
  return found;
}

/* ---- The triggers of a script. */

#define TRIGGER "CREATE TRIGGER main."
#define MAX_TRIGGERS 8

/* Where the statement ends that begins here. */
static const char *after_statement(const char *sql) {
  for (const char *end = strchr(sql, ';'); end != NULL;
       end = strchr(end + 1, ';')) {
    char *statement = sqlite3_mprintf("%.*s", (int)(end + 1 - sql), sql);
    const int complete = sqlite3_complete(statement);
    sqlite3_free(statement);
    if (complete) return end + 1;
  }
  return sql + strlen(sql);
}

/* A statement without the lines of comment before it. */
static const char *after_comments(const char *sql) {
  for (;;) {
    sql += strspn(sql, " \n");
    if (strncmp(sql, "--", 2) != 0) return sql;
    sql += strcspn(sql, "\n");
  }
}

/* Where the name of the next trigger stands, and where its statement ends; NULL
** after the last one. */
static const char *next_trigger(const char *script, const char **end) {
  while (*script != '\0') {
    *end = after_statement(script);
    script = after_comments(script);
    if (strncmp(script, TRIGGER, strlen(TRIGGER)) == 0) {
      return script + strlen(TRIGGER);
    }
    script = *end;
  }
  return NULL;
}

/* ---- Text. */

/* A text with every one of these replaced, or NULL where there is none. */
static char *with_all_replaced(const char *text, const char *old,
                               const char *replacement) {
  const char *next = strstr(text, old);
  if (next == NULL) return NULL;
  sqlite3_str *made = sqlite3_str_new(NULL);
  for (; next != NULL; next = strstr(text, old)) {
    sqlite3_str_append(made, text, (int)(next - text));
    sqlite3_str_appendall(made, replacement);
    text = next + strlen(old);
  }
  sqlite3_str_appendall(made, text);
  return sqlite3_str_finish(made);
}

/* ---- Checksums. */

/* The crc32c of each trigger's SQL as sqlite_master has it, and last their sum;
** returns how many numbers. */
static int trigger_sums(const char *script, sqlite3_int64 sums[]) {
  sqlite3 *db = open_database();
  sqlite3_stmt *crc = prepare(db, "SELECT crc32c('CREATE TRIGGER ' || ?1)");
  const char *end = script, *trigger;
  sqlite3_int64 sum = 0;
  int n = 0;
  while (n < MAX_TRIGGERS && (trigger = next_trigger(end, &end)) != NULL) {
    sqlite3_bind_text(crc, 1, trigger, (int)(end - 1 - trigger), SQLITE_STATIC);
    sums[n] = first_integer(crc);
    sum += sums[n++];
  }
  sums[n] = sum;
  sqlite3_finalize(crc);
  sqlite3_close(db);
  return n + 1;
}

/* A faulty script whose checksums are those of its own triggers. */
static char *with_sums(char *faulty, const char *script) {
  sqlite3_int64 was[MAX_TRIGGERS + 1], are[MAX_TRIGGERS + 1];
  const int n = trigger_sums(script, was);
  trigger_sums(faulty, are);
  for (int i = 0; i < n; i++) {
    char old[32], sum[32];
    snprintf(old, sizeof(old), "%lld", (long long)was[i]);
    snprintf(sum, sizeof(sum), "%lld", (long long)are[i]);
    char *summed = with_all_replaced(faulty, old, sum);
    if (summed == NULL) continue;
    sqlite3_free(faulty);
    faulty = summed;
  }
  return faulty;
}

char *with_edit(const kept_table *table, const char *file, char *sql) {
  if (planted == NULL || strcmp(planted->file, file) != 0) return sql;
  char *text = expanded(table, planted->text, "");
  char *replacement = expanded(table, planted->replacement, "");
  char *faulty = with_all_replaced(sql, text, replacement);
  sqlite3_free(text);
  sqlite3_free(replacement);
  if (faulty == NULL) return sql;
  found = 1;
  faulty = with_sums(faulty, sql);
  sqlite3_free(sql);
  return faulty;
}
