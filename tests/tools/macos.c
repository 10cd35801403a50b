/*
** Runs the extension for macOS on Linux: a SQLite extension that maps the file
** bloom.dylib beside it, binds it to Linux's C library, and calls its
** sqlite3_bloom_init. `make machines` tests the Mac's code with it, on the
** processor for which it was compiled.
**
** It does what macOS's dyld does with such a file: segments, addresses,
** imports, initializers, the one export. tests/tools/machine writes dylib.inc,
** which has these of one file, as llvm-objdump tells them. It shows nothing
** about dyld itself, signatures, Apple's C library, or SQLite as a Mac has it.
**
** Source: "Writing ARM64 code for Apple platforms".
*/
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <unistd.h>

#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT1

#define MAX_SPAN ((size_t)1 << 24)

static const char *path;
static int file;
static char *base; /* where its address 0 is */

static void fail(const char *what, const char *name) {
  fprintf(stderr, "%s: %s%s\n", path, what, name);
  exit(1);
}

/* ---- Imports */

static void stack_was_overwritten(void) {
  fail("a function wrote beyond its variables", "");
}

static void bound_too_late(void) {
  fail("a function is bound when it is called, although all were before", "");
}

static uintptr_t stack_guard = (uintptr_t)0x5bd1e995aabb0011;

/* What Linux has under another name, or not. Every other name begins with an
** underscore, which is C's on a Mac. */
static void *imported(const char *name) {
  if (strcmp(name, "___stack_chk_guard") == 0) return &stack_guard;
  if (strcmp(name, "___stack_chk_fail") == 0) return stack_was_overwritten;
  if (strcmp(name, "dyld_stub_binder") == 0) return bound_too_late;
  if (strcmp(name, "___bzero") == 0) return bzero;
  void *found = dlsym(RTLD_DEFAULT, name + 1);
  if (found == NULL) fail("this system has no ", name);
  return found;
}

/* ---- What dylib.inc calls, in this order, with addresses of the file */

static void map_segment(size_t address, size_t span, off_t offset,
                        size_t size) {
  if (address + span > MAX_SPAN) fail("it is too large", "");
  if (pread(file, base + address, size, offset) != (ssize_t)size) {
    fail("it cannot be read", "");
  }
}

static void rebase(size_t address) {
  *(uintptr_t *)(base + address) += (uintptr_t)base;
}

static void bind_name(size_t address, const char *name) {
  *(void **)(base + address) = imported(name);
}

/* A segment may be read, written or run as in "r-x". */
static void protect(size_t address, size_t span, const char *allowed) {
  const int protection = (allowed[0] == 'r' ? PROT_READ : 0) |
                         (allowed[1] == 'w' ? PROT_WRITE : 0) |
                         (allowed[2] == 'x' ? PROT_EXEC : 0);
  char *start = base + address;
  __builtin___clear_cache(start, start + span);
  if (mprotect(start, span, protection) != 0) {
    fail("a segment cannot be protected", "");
  }
}

static void run_initializers(size_t address, size_t size) {
  void (**run)(void) = (void (**)(void))(base + address);
  for (size_t n = size / sizeof(*run); n > 0; n--) (*run++)();
}

typedef int entry_point(sqlite3 *, char **, const sqlite3_api_routines *);

static entry_point *load(void) {
  file = open(path, O_RDONLY);
  base = mmap(NULL, MAX_SPAN, PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (file < 0 || base == MAP_FAILED) fail("it cannot be read", "");
  size_t sqlite3_bloom_init_at = 0;
#include "dylib.inc"
  close(file);
  return (entry_point *)(base + sqlite3_bloom_init_at);
}

/* ---- The calls of SQLite. On x86-64 they are the same on both systems. On
** ARM64, a Mac puts all variable arguments onto the stack, 8 bytes each, and
** its va_list is a pointer to them. */

#ifdef __aarch64__
static va_list *read_slots(va_list *list, void *slots) {
  list->__stack = slots;
  list->__gr_offs = 0; /* none is in a register, */
  list->__vr_offs = 0; /* of either kind */
  return list;
}

/* The stack of the caller, where a Mac has the variable arguments. */
#define CALLERS_SLOTS(list) *read_slots(list, __builtin_dwarf_cfa())

static char *mprintf_here(const char *format) {
  va_list list;
  return sqlite3_vmprintf(format, CALLERS_SLOTS(&list));
}

static char *snprintf_here(int size, char *text, const char *format) {
  va_list list;
  return sqlite3_vsnprintf(size, text, format, CALLERS_SLOTS(&list));
}

static void appendf_here(sqlite3_str *text, const char *format) {
  va_list list;
  sqlite3_str_vappendf(text, format, CALLERS_SLOTS(&list));
}

static char *vmprintf_here(const char *format, void *slots) {
  va_list list;
  return sqlite3_vmprintf(format, *read_slots(&list, slots));
}

static void str_vappendf_here(sqlite3_str *text, const char *format,
                              void *slots) {
  va_list list;
  sqlite3_str_vappendf(text, format, *read_slots(&list, slots));
}

/* An option that is an int and tells its value. */
static int db_config_here(sqlite3 *db, int option) {
  va_list list;
  va_list *slots = read_slots(&list, __builtin_dwarf_cfa());
  const int value = va_arg(*slots, int);
  return sqlite3_db_config(db, option, value, va_arg(*slots, int *));
}

static void no_such_call(void) {
  fail("a function with variable arguments is called that is unknown here", "");
}

/* vtab_config stays as it is: without variable arguments, all calls of it are
** the same. */
static const sqlite3_api_routines *routines_of_mac(
    const sqlite3_api_routines *linux_routines) {
  static sqlite3_api_routines mac;
  mac = *linux_routines;
  mac.mprintf = (void *)mprintf_here;
  mac.xsnprintf = (void *)snprintf_here;
  mac.str_appendf = (void *)appendf_here;
  mac.vmprintf = (void *)vmprintf_here;
  mac.xvsnprintf = (void *)no_such_call;
  mac.str_vappendf = (void *)str_vappendf_here;
  mac.log = (void *)no_such_call;
  mac.db_config = (void *)db_config_here;
  mac.test_control = (void *)no_such_call;
  return &mac;
}
#else
static const sqlite3_api_routines *routines_of_mac(
    const sqlite3_api_routines *linux_routines) {
  return linux_routines;
}
#endif

int sqlite3_bloom_init(sqlite3 *db, char **error,
                       const sqlite3_api_routines *api) {
  static entry_point *init;
  SQLITE_EXTENSION_INIT2(api);
  if (init == NULL) {
    Dl_info this_file;
    dladdr((void *)sqlite3_bloom_init, &this_file);
    path = sqlite3_mprintf(
        "%.*s.dylib", (int)strlen(this_file.dli_fname) - (int)strlen(".so"),
        this_file.dli_fname);
    init = load();
  }
  return init(db, error, routines_of_mac(api));
}
