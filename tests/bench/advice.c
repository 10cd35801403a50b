#include "advice.h"

#include <stdbool.h>

#include "lib/grammar.h"

advice_query advice_queries[ADVICE_QUERIES];
advice_left_join advice_left_joins[ADVICE_LEFT_JOINS];

static const char *own_word(const char *word, const char *a, const char *b) {
  (void)word, (void)a, (void)b;
  return NULL;
}

void advice_read(void) {
  static const char *const effect_names[] = {"GAINS", "GIVEN", NULL};
  advice_query *query = advice_queries;
  advice_left_join *left = advice_left_joins;
  const char *field[6];
  read_forms("tests/data/advised.txt", effect_names);
  for (size_t i = 0; i < form_count; i++) {
    const bool is_left = strcmp(forms[i].name, "left") == 0;
    if (!is_left && strcmp(forms[i].name, "query") != 0) continue;
    read_fields(expand(forms[i].sql, "", ""), field, COUNT(field));
    if (is_left) {
      *left++ = (advice_left_join){field[0], {field[1], field[2], field[3]}};
    } else {
      *query++ = (advice_query){field[0],
                                field[5],
                                field[1],
                                field[2],
                                field[3],
                                field[4],
                                forms[i].effect & 1,
                                forms[i].effect >> 1 & 1};
    }
  }
}

/* The query with its filter in a format. */
static char *with_filter(const advice_query *query, const char *format) {
  char *filter = sqlite3_mprintf(format, query->alias, query->key, query->set);
  char *sql = sqlite3_mprintf(query->sql, filter);
  sqlite3_free(filter);
  return sql;
}

#define FILTER \
  "bloom_may_match(%s.%s, (SELECT bloom_open(bloom_build(k)) FROM (%s)))"

char *advice_plain(const advice_query *query) {
  return sqlite3_mprintf(query->sql, "");
}

char *advice_filtered(const advice_query *query) {
  return with_filter(query, " AND " FILTER);
}

char *advice_likelihood(const advice_query *query) {
  return with_filter(query, " AND likelihood(" FILTER ", 1.0)");
}

char *advice_build(const advice_query *query) {
  return sqlite3_mprintf("SELECT length(bloom_build(k)) FROM (%s)", query->set);
}
