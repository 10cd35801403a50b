#!/bin/sh
# `zig cc`, with which tools of Rust, Go and Bun compile for other systems, compiles
# the sources and the single file without a warning, and every kernel. What it
# makes of the single file for this system can be loaded. `make machine-windows` compiles
# the sources for Windows on x86-64.
# skip: build/interop/bin/zig
. tests/lib/tap.sh
zig=build/interop/bin/zig
warnings='-std=c11 -Wall -Wextra -Wconversion -Wshadow -Werror'

mkdir "$work/include"
cp "${SQLITE_INCLUDE:-/usr/include}"/sqlite3*.h "$work/include"
ext/tools/amalgamate "$work"
for target in x86_64-linux-gnu x86_64-windows-gnu aarch64-windows-gnu; do
  sources='ext/*.c ext/*/*.c'
  [ $target != x86_64-windows-gnu ] || sources=
  for source in "$work/bloom.c" $sources; do
    object=$work/$target/$source.o
    mkdir -p "${object%/*}"
    # shellcheck disable=SC2086
    $zig cc -target $target $warnings -O1 -fPIC -I"$work/include" -c "$source" \
      -o "$object" || echo "$source: not compiled"
  done >"$work/log" 2>&1
  [ ! -s "$work/log" ]
  ok $? "$target: no error or warning"
  cat "$work/log"
done

kernels=$(nm "$work/x86_64-linux-gnu/ext/core/"*.o "$work/x86_64-linux-gnu$work/bloom.c.o" |
  sed -n 's/.* T bloom_crc32c_extend_//p' | sort | tr '\n' ' ')
rows=$(sed -n 's/^ *{"\(.*\)", .*/\1/p' ext/core/crc32c.c | grep -v arm64 | sort |
  sed p | tr '\n' ' ')
[ "$kernels" = "$rows" ]
ok $? "x86_64-linux-gnu: the kernels of the sources and of the file: $kernels"

if [ "$(uname -m)" = x86_64 ]; then
  $zig cc -target x86_64-linux-gnu -shared "$work/x86_64-linux-gnu$work/bloom.c.o" \
    -Wl,-z,nodelete -o "$work/bloom.so" -lm
  DIST=$work tests/tools/run tests/sql/checksum.sql >/dev/null
  ok $? 'the single file passes the test of checksums'
fi
tap_done
