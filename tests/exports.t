#!/bin/sh
# The extension exports its entry point and nothing else, so that what another
# shared object in the process defines does not replace anything in it.
cc=${CC:-cc}
if [ ! -e "$DIST/bloom.so" ]; then
  echo "1..0 # skip the extension is no ELF file here"
  exit
fi
. tests/lib/tap.sh

# is GOT EXPECTED NAME
is() {
  [ "$1" = "$2" ]
  ok $? "$3"
  [ "$1" = "$2" ] || printf '%s\n' "$1" | sed 's/^/# got: /'
}

is "$(nm -D --defined-only "$DIST/bloom.so" | sed 's/.* //')" \
  sqlite3_bloom_init 'bloom.so defines sqlite3_bloom_init alone'

# Another extension is loaded first, so that its names take precedence over
# those of what is loaded later.
cat > "$work/stranger.c" <<'END'
#include <stddef.h>
#include <stdint.h>
const void *sqlite3_api;
int sqlite3_stranger_init(void) { return 0; }
uint32_t bloom_hash(const void *data, size_t n, uint32_t seed) {
  return data ? (uint32_t)n - seed : seed;
}
uint32_t bloom_crc32c_extend(uint32_t crc, const void *data, size_t n) {
  return data ? (uint32_t)n - crc : crc;
}
END
$cc -shared -fPIC "$work/stranger.c" -o "$work/stranger.so"
is "$($SQLITE3 -init /dev/null :memory: ".load $work/stranger" \
  ".load $DIST/bloom" "SELECT leveldb_hash('hello'), crc32c('abc')" 2>&1)" \
  "$((0xf795964e))|$((0x364b3fb7))" \
  "another extension's bloom_hash and bloom_crc32c_extend are not used"
tap_done
