/* Random SQL from forms: SQL with words in braces, each of which stands for a
** choice, for a form, or for what a test makes of it.
**
**   {a/b}            a or b, at random
**   {e} {s}          the first argument of the form
**   {g} {some}       the second one
**   {name} {name:e:g}   a word of the test's own, or one of the forms of this
**                    name, with these arguments
**
** The words of a text get their values from left to right. The forms stand in a
** file of tests/data, one a line: "NAME [SHARE] [VERSION] [EFFECT...]: SQL". A
** line that begins with two spaces goes on with the one above, and one that
** begins with # is a comment. */
#ifndef BLOOM_GRAMMAR_H
#define BLOOM_GRAMMAR_H

#include "lib/random.h"
#include "lib/sql.h"

struct form {
  const char *name;
  size_t share; /* of the forms of this name */
  int since;    /* the oldest SQLite that it is for, as 3031001 */
  int effect;   /* bits that are set in `effects` where it is used */
  const char *sql;
};

static struct form forms[250];
static size_t form_count;

/* The value of one of the test's own words, or NULL if it is none. */
static const char *own_word(const char *word, const char *a, const char *b);

/* The effects of all forms that were used since a test set it to 0, and those
** of the forms that may not be used now. */
static int effects, left_out;

static char arena[1 << 22];
static size_t arena_used;

/* Formatted text that lives until a test sets arena_used to 0. */
#ifdef __GNUC__
__attribute__((format(printf, 1, 2)))
#endif
static char *
text(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *made = arena + arena_used;
  const size_t room = sizeof(arena) - arena_used;
  const int n = vsnprintf(made, room, format, arguments);
  va_end(arguments);
  if (n < 0 || (size_t)n >= room) {
    fprintf(stderr, "the query is too long\n");
    exit(1);
  }
  arena_used += (size_t)n + 1;
  return made;
}

/* Ends the text where `at` stands in no braces, and returns what follows it, or
** NULL. */
static char *cut(char *sql, char at) {
  int depth = 0;
  for (; *sql != '\0'; sql++) {
    if (*sql == at && depth == 0) {
      *sql = '\0';
      return sql + 1;
    }
    depth += (*sql == '{') - (*sql == '}');
  }
  return NULL;
}

static const char *value_of(char *word, const char *e, const char *g);

/* The SQL with a value in the place of each word. */
static const char *expand(const char *sql, const char *e, const char *g) {
  const char *open = strchr(sql, '{');
  if (open == NULL) return sql;
  char *word = text("%s", open + 1);
  const char *rest = cut(word, '}');
  const char *value = value_of(word, e, g);
  return text("%.*s%s%s", (int)(open - sql), sql, value, expand(rest, e, g));
}

/* A name in quotes. */
static inline const char *quoted(const char *name, char quote) {
  char *made = text("%c%*s", quote, 2 * (int)strlen(name) + 1, "");
  char *end = made + 1;
  for (; *name != '\0'; name++) {
    if (*name == quote) *end++ = quote;
    *end++ = *name;
  }
  *end++ = quote;
  *end = '\0';
  return made;
}

static void no_word(const char *word) {
  fprintf(stderr, "{%s} is not a word\n", word);
  exit(1);
}

/* Reads a form from a line, of which it uses the text. */
static void read_form(char *line, const char *const *effect_names) {
  struct form *form = &forms[form_count++];
  char *sql = strstr(line, ": ");
  if (sql == NULL || form_count == COUNT(forms)) no_word(line);
  *sql = '\0';
  form->sql = sql + 2;
  form->name = strtok(line, " ");
  form->share = 1;
  for (char *word; (word = strtok(NULL, " ")) != NULL;) {
    const int number = atoi(word);
    size_t i = 0;
    if (number >= 3000000) form->since = number;
    if (number > 0 && number < 3000000) form->share = (size_t)number;
    if (number > 0) continue;
    if (effect_names == NULL) no_word(word);
    while (effect_names[i] != NULL && strcmp(effect_names[i], word) != 0) i++;
    if (effect_names[i] == NULL) no_word(word);
    form->effect |= 1 << i;
  }
}

/* Reads the forms of a file. Its effects are NULL, if it has none, or names for
** the bits from the lowest on, up to a NULL. */
static void read_forms(const char *file, const char *const *effect_names) {
  char *line = read_file(file), *next;
  for (char *at = line; (at = strstr(at, "\n  ")) != NULL;) {
    memmove(at, at + 2, strlen(at + 2) + 1);
  }
  for (; line != NULL; line = next) {
    next = strchr(line, '\n');
    if (next != NULL) *next++ = '\0';
    if (*line != '\0' && *line != '#') read_form(line, effect_names);
  }
}

/* The n-th form of this name that may be used, or NULL. */
static inline const struct form *form_of(const char *name, size_t n) {
  for (size_t i = 0; i < form_count; i++) {
    if (strcmp(forms[i].name, name) == 0 && !(forms[i].effect & left_out) &&
        n-- == 0) {
      return &forms[i];
    }
  }
  return NULL;
}

/* How many there are. */
static inline size_t forms_of(const char *name) {
  size_t n = 0;
  while (form_of(name, n) != NULL) n++;
  return n;
}

/* Any form of a name, with these arguments. */
static const char *one_of(const char *name, const char *e, const char *g) {
  const struct form *chosen = NULL;
  size_t shares = 0;
  for (size_t i = 0; i < form_count; i++) {
    const struct form *form = &forms[i];
    if (strcmp(form->name, name) != 0 || (form->effect & left_out) ||
        form->since > sqlite3_libversion_number()) {
      continue;
    }
    shares += form->share;
    if (random_below(shares) < form->share) chosen = form;
  }
  if (chosen == NULL) no_word(name);
  effects |= chosen->effect;
  return expand(chosen->sql, e, g);
}

/* Splits expanded SQL at "; " into at most n fields. Returns how many. */
static inline size_t read_fields(const char *sql, const char **fields,
                                 size_t n) {
  size_t i = 0;
  for (char *rest = text("%s", sql); rest != NULL && i < n; i++) {
    fields[i] = rest;
    rest = i + 1 < n ? strstr(rest, "; ") : NULL;
    if (rest != NULL) *rest = '\0', rest += 2;
  }
  return i;
}

/* What a word stands for, where these are the first argument and the second. */
static const char *value_of(char *word, const char *e, const char *g) {
  char *choices[40] = {word};
  size_t n = 1;
  while ((choices[n] = cut(choices[n - 1], '/')) != NULL) n++;
  if (n > 1) return expand(choices[random_below(n)], e, g);
  if (strcmp(word, "e") == 0 || strcmp(word, "s") == 0) return e;
  if (strcmp(word, "g") == 0 || strcmp(word, "some") == 0) return g;
  char *first = cut(word, ':');
  char *second = first == NULL ? NULL : cut(first, ':');
  const char *a = first == NULL ? "" : expand(first, e, g);
  const char *b = second == NULL ? "" : expand(second, e, g);
  const char *own = own_word(word, a, b);
  return own != NULL ? own : one_of(word, a, b);
}

#endif
