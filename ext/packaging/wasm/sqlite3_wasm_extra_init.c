/*
** The function that SQLite, compiled to WebAssembly, calls as it starts. It
** gives every connection the extension's functions. The file has the name that
** SQLite's own build in ext/wasm gives to such a file, so it may be put there
** beside bloom.c.
*/
#define SQLITE_CORE 1
#include "bloom.c"

int sqlite3_wasm_extra_init(const char *unused) {
  (void)unused;
  return sqlite3_auto_extension((void (*)(void))sqlite3_bloom_init);
}
