/* SQL of the benchmarks, from the forms of a file (lib/grammar.h). A word of
** digits is a size: see bench_size. */
#ifndef BLOOM_BENCH_FORMS_H
#define BLOOM_BENCH_FORMS_H

#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "bench_sql.h"
#include "lib/grammar.h"

static const char *own_word(const char *word, const char *a, const char *b) {
  (void)a, (void)b;
  return word[strspn(word, "0123456789")] == '\0'
             ? text("%ld", bench_size(atol(word)))
             : NULL;
}

/* Runs the statements of a form with its first argument. */
static inline void run_form(const char *name, const char *e) {
  bench_run(one_of(name, e, ""));
}

/* Measures the queries of each form of a name. Its fields are a row's name, our
** query and the peer's. */
static inline void each_row(const char *name, const char *e,
                            void (*measured)(const char *name, const char *ours,
                                             const char *peer)) {
  const struct form *form;
  for (size_t i = 0; (form = form_of(name, i)) != NULL; i++) {
    const char *field[3];
    if (read_fields(expand(form->sql, e, ""), field, 3) != 3) no_word(name);
    measured(field[0], field[1], field[2]);
  }
}

#endif
