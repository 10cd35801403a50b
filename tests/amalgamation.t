#!/bin/sh
# The single-file build compiles with one command, without a warning, and gives
# what the other build gives.
cc=${CC:-cc}
# clang puts a vendor into the machine's name, gcc leaves it out.
machine() { "$@" -dumpmachine | sed 's/-pc-/-/'; }
if [ "$(machine $cc)" != "$(machine cc)" ]; then
  echo "1..0 # skip $cc compiles for another machine"
  exit
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
count=0
ok() {
  count=$((count + 1))
  if [ "$1" = 0 ]; then echo "ok $count - $2"; else echo "not ok $count - $2"; fi
}

ext/tools/amalgamate "$work"
ok $? 'bloom.c and bloom.h are written'
$cc -Wall -Wextra -Werror -shared -fPIC "$work/bloom.c" -o "$work/bloom.so" -lm
ok $? "$cc -shared -fPIC bloom.c -o bloom.so -lm"
$cc -Wall -Wextra -Wconversion -Wshadow -Werror -std=c11 -DSQLITE_CORE \
  -c "$work/bloom.c" -o "$work/bloom.o"
ok $? "$cc -DSQLITE_CORE -c bloom.c"
echo '#include "bloom.h"' |
  $cc -Wall -Wextra -Werror -I"$work" -DSQLITE_CORE -fsyntax-only -xc -
ok $? 'bloom.h stands alone'
DIST=$work tests/tools/run tests/sql/build.sql >/dev/null
ok $? 'the SQL test of bloom_build passes on it'
echo "1..$count"
