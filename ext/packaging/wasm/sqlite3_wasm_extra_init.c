/*
** What SQLite compiled to WebAssembly calls as it starts: every connection has
** the extension's functions. The name is the one that SQLite's own build in
** ext/wasm gives to such a file, which may be put there beside bloom.c.
*/
#define SQLITE_CORE 1
#include "bloom.c"

int sqlite3_wasm_extra_init(const char *unused) {
  (void)unused;
  return sqlite3_auto_extension((void (*)(void))sqlite3_bloom_init);
}
