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

# says NAME TEXT MAKE-ARGUMENTS...: what make says has this text, in one line.
says() {
  about="make says $1" text=$2
  shift 2
  env -i PATH="$PATH" make -C "$work/another/folder" CC="$cc" "$@" >"$work/log" 2>&1
  grep -qF -- "$text" "$work/log"
  ok $? "$about: $text"
}
says 'what it built' 'Built dist/bloom.so for SQLite 3.26 and later, with the header of 3.'
says 'what to type' '  .load dist/bloom'
says 'where it installed' "Installed $work/root/lib/bloom.so." \
  DESTDIR="$work/root" PREFIX= install
says 'which shell is missing' 'no-shell, the shell of SQLite, is missing. Install sqlite3' \
  SQLITE3=no-shell
says 'so before a demo' 'no-shell, the shell of SQLite, is missing.' SQLITE3=no-shell demo
says 'which header is missing' 'sqlite3ext.h is missing. Install libsqlite3-dev' \
  CPPFLAGS=-nostdinc BUILD=no-header
! grep -q 'ext/.*error' "$work/log"
ok $? 'and no compiler says so again'
for pack in ext/packaging/*/pack; do
  kind=$(basename "$(dirname "$pack")")
  says "how to make the package" "$(test "$kind" = archive && echo archives || echo "$kind")" help
done

if command -v dpkg-buildflags >/dev/null; then
  eval "set -- $(DEB_BUILD_MAINT_OPTIONS=hardening=+bindnow \
    dpkg-buildflags --export=cmdline)"
  build debian 022 "$@"
  hardened "$work/debian/dist/bloom.so"
else
  ok 0 '# skip dpkg-buildflags is not installed'
fi

for source in tests/stress/*.c tests/fuzz/*.c; do
  $cc -std=c11 -fsyntax-only -Iext -Itests "$source"
  ok $? "$source compiles"
done
tap_done
