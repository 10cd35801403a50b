/*
** Runs the extension for macOS on Linux: a SQLite extension that maps the file
** bloom.dylib beside it, binds it to Linux's C library, and calls its
** sqlite3_bloom_init. `make machines` tests the Mac's code with it, on the
** processor for which it was compiled.
**
** It does what macOS's dyld does with such a file: segments, addresses,
** imports, initializers, the one export. It shows nothing about dyld itself,
** signatures, Apple's C library, or SQLite as a Mac has it. The file is
** trusted: nothing here checks that an offset lies inside it.
**
** Source: Apple's <mach-o/loader.h>, which has the numbers below, and "Writing
** ARM64 code for Apple platforms".
*/
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT1

typedef struct {
  uint32_t magic, processor, subtype, type, commands, size, flags, reserved;
} file_header;

typedef struct {
  uint32_t kind, size;
} command;

/* A command that maps a part of the file. Its sections follow it. */
typedef struct {
  command head;
  char name[16];
  uint64_t address, span, offset, size;
  uint32_t most, protection, sections, flags;
} segment;

typedef struct {
  char name[16], segment[16];
  uint64_t address, size;
  uint32_t offset, alignment, relocations, count, flags, reserved[3];
} section;

/* Where the file has the bytes that tell dyld what to do. */
typedef struct {
  uint32_t offset, size;
} part;

typedef struct {
  command head;
  part rebase, bind, weak_bind, lazy_bind, exports;
} dyld_info;

enum {
  MAGIC = 0xfeedfacf,
#ifdef __aarch64__
  THIS_PROCESSOR = 0x0100000c,
#else
  THIS_PROCESSOR = 0x01000007,
#endif
  DYLIB = 6,
  SEGMENT = 0x19,
  INITIALIZERS = 9,
  POINTER = 1
};
#define DYLD_INFO 0x80000022u

static const char *path;
static const char *file; /* its bytes */
static char *base;       /* where its address 0 is */
static const segment
    *segments[8]; /* in the order of their numbers, then NULL */

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

/* ---- What dyld_info tells. Addresses are changed and names are bound by small
** programs, whose instructions are a byte each, the operation in its upper half
** and a number in its lower one. More numbers may follow. */

typedef struct {
  const uint8_t *at, *end;
} reader;

static reader read_part(part p) {
  const uint8_t *start = (const uint8_t *)file + p.offset;
  return (reader){start, start + p.size};
}

/* A number in pieces of 7 bits, the lowest first (ULEB128). */
static uint64_t read_number(reader *from) {
  uint64_t number = 0;
  for (int shift = 0;; shift += 7) {
    const uint8_t byte = *from->at++;
    number |= (uint64_t)(byte & 0x7f) << shift;
    if (byte < 0x80) return number;
  }
}

static const char *read_name(reader *from) {
  const char *name = (const char *)from->at;
  from->at += strlen(name) + 1;
  return name;
}

/* Adds the base to `count` pointers, with `skip` bytes after each, and gives
** the place behind them. */
static char *rebase(char *place, uint64_t count, uint64_t skip) {
  for (; count > 0; count--, place += sizeof(uint64_t) + skip) {
    *(uint64_t *)place += (uint64_t)(uintptr_t)base;
  }
  return place;
}

static void rebase_all(reader from) {
  char *place = NULL;
  uint64_t count;
  while (from.at < from.end) {
    const uint8_t operation = *from.at >> 4, number = *from.at++ & 15;
    switch (operation) {
      case 0:
        return;
      case 1:
        if (number != POINTER) fail("an address is no pointer", "");
        break;
      case 2:
        place = base + segments[number]->address + read_number(&from);
        break;
      case 3:
        place += read_number(&from);
        break;
      case 4:
        place += number * sizeof(uint64_t);
        break;
      case 5:
        place = rebase(place, number, 0);
        break;
      case 6:
        place = rebase(place, read_number(&from), 0);
        break;
      case 7:
        place = rebase(place, 1, read_number(&from));
        break;
      case 8:
        count = read_number(&from);
        place = rebase(place, count, read_number(&from));
        break;
      default:
        fail("an unknown operation changes addresses", "");
    }
  }
}

/* The imports that are bound at once stand in one program, and each of the
** others in one of its own. */
static void bind_all(reader from, bool each_ends) {
  char *place = NULL;
  const char *name = "";
  while (from.at < from.end) {
    const uint8_t operation = *from.at >> 4, number = *from.at++ & 15;
    switch (operation) {
      case 0:
        if (!each_ends) return;
        break;
      case 1:
        break; /* the library, which is the system's */
      case 4:
        name = read_name(&from);
        break;
      case 5:
        if (number != POINTER) fail("no pointer is bound: ", name);
        break;
      case 7:
        place = base + segments[number]->address + read_number(&from);
        break;
      case 8:
        place += read_number(&from);
        break;
      case 9:
        *(void **)place = imported(name);
        place += sizeof(void *);
        break;
      default:
        fail("an unknown operation binds ", name);
    }
  }
}

/* The address of an export. They are a tree of names: a node has its export, if
** any, and then the ends of names that other nodes have. */
static char *exported(part exports, const char *name) {
  reader root = read_part(exports), node = root;
  for (;;) {
    const uint64_t size = read_number(&node);
    if (*name == '\0' && size > 0) {
      read_number(&node); /* its flags */
      return base + read_number(&node);
    }
    node.at += size;
    uint64_t next = 0;
    for (int edges = *node.at++; edges > 0 && next == 0; edges--) {
      const char *more = read_name(&node);
      const uint64_t child = read_number(&node);
      if (strncmp(name, more, strlen(more)) != 0) continue;
      name += strlen(more);
      next = child;
    }
    if (next == 0) fail("it does not export sqlite3_bloom_init", "");
    node.at = root.at + next;
  }
}

/* ---- Loading */

/* Sets `segments`, gives them memory at `base`, and returns the command about
** dyld. */
static const dyld_info *map_segments(void) {
  const file_header *header = (const file_header *)file;
  if (header->magic != MAGIC || header->processor != THIS_PROCESSOR ||
      header->type != DYLIB) {
    fail("it is no dylib for this processor", "");
  }
  const dyld_info *info = NULL;
  size_t count = 0, span = 0;
  const char *next = file + sizeof(*header);
  for (uint32_t i = 0; i < header->commands; i++) {
    const command *head = (const command *)next;
    if (head->kind == DYLD_INFO) info = (const dyld_info *)next;
    if (head->kind == SEGMENT) {
      const segment *mapped = segments[count++] = (const segment *)next;
      if (span < mapped->address + mapped->span) {
        span = mapped->address + mapped->span;
      }
    }
    next += head->size;
  }
  if (info == NULL || info->weak_bind.size > 0) {
    fail("it is bound in a way that is unknown here", "");
  }
  base = mmap(NULL, span, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
              -1, 0);
  if (base == MAP_FAILED) fail("no memory", "");
  for (size_t i = 0; i < count; i++) {
    memcpy(base + segments[i]->address, file + segments[i]->offset,
           segments[i]->size);
  }
  return info;
}

/* Each segment may be read, written or run as it says; those bits are Linux's,
** too. */
static void protect_segments(void) {
  for (int i = 0; segments[i] != NULL; i++) {
    char *start = base + segments[i]->address;
    __builtin___clear_cache(start, start + segments[i]->span);
    if (mprotect(start, segments[i]->span, (int)segments[i]->protection) != 0) {
      fail("a segment cannot be protected", "");
    }
  }
}

static void run_initializers(void) {
  for (int i = 0; segments[i] != NULL; i++) {
    const section *sections = (const section *)(segments[i] + 1);
    for (uint32_t j = 0; j < segments[i]->sections; j++) {
      if ((sections[j].flags & 0xff) != INITIALIZERS) continue;
      void (**run)(void) = (void (**)(void))(base + sections[j].address);
      for (uint64_t n = sections[j].size / sizeof(*run); n > 0; n--) (*run++)();
    }
  }
}

typedef int entry_point(sqlite3 *, char **, const sqlite3_api_routines *);

static entry_point *load(void) {
  struct stat status;
  const int opened = open(path, O_RDONLY);
  if (opened < 0 || fstat(opened, &status) != 0) fail("it cannot be read", "");
  file = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, opened, 0);
  if (file == MAP_FAILED) fail("it cannot be mapped", "");
  close(opened);
  const dyld_info *info = map_segments();
  rebase_all(read_part(info->rebase));
  bind_all(read_part(info->bind), false);
  bind_all(read_part(info->lazy_bind), true);
  protect_segments();
  run_initializers();
  return (entry_point *)exported(info->exports, "_sqlite3_bloom_init");
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
  mac.str_vappendf = (void *)no_such_call;
  mac.log = (void *)no_such_call;
  mac.db_config = (void *)no_such_call;
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
