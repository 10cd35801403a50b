#!/bin/sh
# The single-file build compiles with one command and without a warning, passes
# the same test as the normal build, and can be linked to C and C++ programs, as the
# page about packages says. Each header of the core compiles alone as C++, too.
cc=${CC:-cc}
# The machine's name contains a vendor with clang, but not with gcc.
machine() { "$@" -dumpmachine | sed 's/-pc-/-/'; }
if [ "$(machine $cc)" != "$(machine cc)" ]; then
  echo "1..0 # skip $cc compiles for another machine"
  exit
fi
. tests/lib/tap.sh

ext/tools/amalgamate "$work"
ok $? 'bloom.c and bloom.h are written'
$cc -Wall -Wextra -Werror -O2 -shared -fPIC -Wl,-z,nodelete "$work/bloom.c" \
  -o "$work/bloom.so" -lm
ok $? "$cc -O2 -shared -fPIC -Wl,-z,nodelete bloom.c -o bloom.so -lm"
[ $failed = 0 ] || tap_done
DIST=$work tests/tools/run tests/sql/open.sql >/dev/null
ok $? 'the SQL test of bloom_open passes on it'
DIST=$work tests/exports.t >/dev/null
ok $? 'it exports its entry point and nothing else'

$cc -Wall -Wextra -Wconversion -Wshadow -Wredundant-decls -Werror -std=c11 \
  -DSQLITE_CORE -c "$work/bloom.c" -o "$work/bloom.o"
ok $? "$cc -DSQLITE_CORE -c bloom.c"
! nm -g --defined-only "$work/bloom.o" |
  grep -v ' \(sqlite3_bloom_init\|bloom_[a-z0-9_]*\|sql_[a-z0-9_]*\)$'
ok $? 'what it defines for a program begins with bloom_ or sql_'

# A program in either language that calls the entry point and the core.
cat > "$work/program.c" <<'END'
#include "bloom.h"
#include <string.h>
int main(void) {
  sqlite3 *db;
  sqlite3_stmt *known;
  const char *keep =
      "CREATE TABLE page(id INTEGER PRIMARY KEY, url TEXT);"
      "SELECT bloom_create_parts('page', 'url');"
      "INSERT INTO page(url) VALUES ('/')";
  const char *ask =
      "SELECT bloom_may_match('/', filter) AND NOT bloom_may_match('/x', filter)"
      " FROM page_url_filter";
  const unsigned char filter[] = {0x11, 0x40, 0x00, 0x41, 0x44,
                                  0x10, 0x40, 0x10, 0x06};
  sqlite3_auto_extension((void (*)(void))sqlite3_bloom_init);
  return !(sqlite3_open(":memory:", &db) == SQLITE_OK &&
           sqlite3_exec(db, keep, NULL, NULL, NULL) == SQLITE_OK &&
           sqlite3_prepare_v2(db, ask, -1, &known, NULL) == SQLITE_OK &&
           sqlite3_step(known) == SQLITE_ROW &&
           sqlite3_column_int(known, 0) == 1 &&
           sqlite3_finalize(known) == SQLITE_OK &&
           sqlite3_close(db) == SQLITE_OK &&
           bloom_key_may_match("hello", 5, filter, sizeof(filter)) &&
           !bloom_key_may_match("foo", 3, filter, sizeof(filter)) &&
           bloom_crc32c_value("abc", 3) == 0x364b3fb7 &&
           bloom_hash("", 0, 7) == 7 &&
           bloom_bits_set(filter, sizeof(filter)) == 10 &&
           strcmp(bloom_crc32c_kernels[0].name, "") != 0);
}
END
cp "$work/program.c" "$work/program.cc"
mkdir "$work/dist"
cp "$work/bloom.c" "$work/bloom.h" "$work/dist"
page=$(cat ext/packaging/README.md)
strict='-Wall -Wextra -Wconversion -Wshadow -Werror'
for header in ext/core/*.h; do
  echo "#include \"${header#ext/}\"" | ${CXX:-c++} -std=c++11 $strict -Wpedantic \
    -Wno-unused -Iext -fsyntax-only -x c++ -
  ok $? "$header is C++"
done
in_c=$(echo "$page" | sed -n 's/^    \(gcc -DSQLITE_CORE .*\)/\1/p')
sed -n '/^```c$/,/^```$/{/^```/!p}' ext/packaging/README.md >"$work/shown.c"
(cd "$work" && $cc $strict -DSQLITE_CORE -Idist shown.c dist/bloom.c -lsqlite3 -lm -o shown) &&
  "$work/shown" >"$work/got" && echo 014000010410400006 | cmp - "$work/got"
ok $? "the page's program builds a filter"
in_cxx=$(echo "$page" | sed -n 's/^| C, C++ |.*(`\(gcc [^`]*\)`).*/\1/p')
for command in "$in_c $strict -o program" "$in_cxx && ${CXX:-c++} $strict -std=c++11 \
  -Wpedantic -Idist program.cc bloom.o -lsqlite3 -lm -o program"; do
  (cd "$work" && rm -f program && eval "$command" && ./program)
  ok $? "$command"
done
tap_done
