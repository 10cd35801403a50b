/* Memory in whole pages, for tests. Include it first, since mmap's flags are
** not part of standard C. On a system without mmap the functions return NULL,
** and the test has to be skipped. */
#ifndef BLOOM_GUARD_PAGES_H
#define BLOOM_GUARD_PAGES_H

#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE 1
#endif
#define _DARWIN_C_SOURCE 1

#include <stddef.h>
#include <stdint.h>

#include "random.h"
#include "tap.h"

#ifdef _WIN32

static inline uint8_t *zero_pages(size_t size) {
  (void)size;
  return NULL;
}

static inline void clear_pages(uint8_t *pages, size_t size) {
  (void)pages, (void)size;
}

static inline uint8_t *guarded_pages(size_t *size) {
  (void)size;
  return NULL;
}

#else

#include <sys/mman.h>
#include <unistd.h>

/* Returns pages of zeros, which take memory only where they are touched. */
static inline uint8_t *zero_pages(size_t size) {
  void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return pages == MAP_FAILED ? NULL : pages;
}

/* Makes all pages zero again and releases their memory. */
static inline void clear_pages(uint8_t *pages, size_t size) {
  mmap(pages, size, PROT_READ | PROT_WRITE,
       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

/* Returns whole pages of at least *size bytes, whose actual size replaces
** *size. They lie between two guard pages, so that a read or write past either
** end stops the test. */
static inline uint8_t *guarded_pages(size_t *size) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  *size = (*size + page - 1) / page * page;
  uint8_t *pages = zero_pages(*size + 2 * page);
  if (pages == NULL || mprotect(pages, page, PROT_NONE) != 0 ||
      mprotect(pages + page + *size, page, PROT_NONE) != 0) {
    return NULL;
  }
  return pages + page;
}

#endif

/* The same, filled with random bytes. If the system has no guard pages, it
** returns NULL and reports one test as skipped. */
static inline uint8_t *guarded_bytes(size_t *size) {
  uint8_t *bytes = guarded_pages(size);
  if (bytes == NULL) {
    skip(1, "this system has no guard pages");
  } else {
    random_fill(bytes, *size);
  }
  return bytes;
}

#endif
