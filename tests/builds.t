#!/bin/sh
# What `make` builds with its own flags has the same bytes in any folder and under
# any umask, is installed with the same modes, and is hardened. Debian's flags are
# used if they are given. The programs that `make test` does not build compile.
cc=${CC:-cc}
if [ "$(uname -s)" != Linux ]; then
  echo "1..0 # skip hardening is for Linux"
  exit
fi
. tests/lib/tap.sh

# build FOLDER UMASK SETTINGS...: builds and installs a copy of the sources
# there, without the environment of the caller.
build() {
  to=$work/$1
  about="umask $2; make install in $1"
  (umask "$2" && shift 2 && mkdir -p "$to/tests" &&
    cp -R Makefile ext "$to/" && cp --parents tests/*.mk tests/*/*.mk "$to/" &&
    env -i PATH="$PATH" make -s -j2 -C "$to" CC="$cc" DESTDIR=root \
      PREFIX=/opt/x "$@" install 2>&1) > "$work/log"
  [ $? = 0 ] && [ ! -s "$work/log" ]
  ok $? "$about: no warning"
  cat "$work/log"
}

# hardened FILE
hardened() {
  readelf -Wld "$1" > "$work/dynamic"
  grep -q GNU_RELRO "$work/dynamic" && grep -q BIND_NOW "$work/dynamic"
  ok $? 'relro and now'
  nm -D --undefined-only "$1" | grep -q __stack_chk_fail
  ok $? 'stack protector'
}

build another/folder 077
# What this is a test of was built in one folder. It is not built again if its
# flags were make's own.
first=$DIST/bloom.so
if ! cmp -s "$BUILD/flags" "$work/another/folder/build/flags"; then
  build one 022
  first=$work/one/dist/bloom.so
fi
cmp "$first" "$work/another/folder/dist/bloom.so"
ok $? 'two folders, two umasks: the same bytes'
installed=$work/another/folder/root/opt/x/lib/bloom.so
cmp "$work/another/folder/dist/bloom.so" "$installed"
ok $? 'make install DESTDIR= PREFIX='
modes=$(cd "$work/another/folder/root" && find opt | sort | xargs stat -c '%a %n')
[ "$modes" = '755 opt
755 opt/x
755 opt/x/lib
755 opt/x/lib/bloom.so' ]
ok $? "modes under umask 077: $(echo $modes)"
hardened "$installed"

if command -v dpkg-buildflags >/dev/null; then
  eval "set -- $(DEB_BUILD_MAINT_OPTIONS=hardening=+bindnow \
    dpkg-buildflags --export=cmdline)"
  build debian 022 "$@"
  hardened "$work/debian/dist/bloom.so"
else
  ok 0 '# skip dpkg-buildflags is not installed'
fi

for source in tests/stress/*.c tests/stress/kept/*.c tests/fuzz/*.c; do
  $cc -std=c11 -fsyntax-only -Iext -Itests "$source"
  ok $? "$source compiles"
done
tap_done
