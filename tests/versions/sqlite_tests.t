#!/bin/sh
# SQLite's own tests, with this extension in every connection: the same ones fail
# as without it, if any do. The source is that of Debian's package, from the
# archive that apt uses here. The extension is compiled in as one of SQLite's
# own, since the tests remove those that sqlite3_auto_extension adds; a variable
# of the environment says whether connections get it. The tests run as an
# ordinary user, because they stop early as root.
# skip: /usr/bin/dpkg-source
# skip: /usr/include/tcl8.6/tcl.h
set -e
. tests/lib/tap.sh
chmod 755 "$work"
ext/tools/amalgamate "$work/bloom"
cd "$work"

# apt-get with a state of its own, which knows where the sources are.
apt() {
  apt-get -qq -o Dir::Etc::SourceList=/dev/null \
    -o Dir::Etc::SourceParts="$work/sources" -o Dir::State="$work" \
    -o Dir::State::status=/var/lib/dpkg/status -o Dir::Cache="$work/cache" \
    -o APT::Sandbox::User= "$@" >&2
}
mkdir -p sources lists/partial cache/archives/partial
for list in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
  test -e "$list" || continue
  case $list in
    *.sources) sed 's/^Types:.*/Types: deb-src/' "$list" ;;
    *.list) sed -n 's/^deb /deb-src /p' "$list" ;;
  esac >"sources/${list##*/}"
done
apt update || : # a part of the archive may be out of reach
apt source sqlite3

# The extension is the first of SQLite's own.
cd sqlite3-*/
sed -i 's/^static int (\*const sqlite3BuiltinExtensions\[\])(sqlite3\*) = {$/\
int add_bloom(sqlite3*);\n&\n  add_bloom,/' src/main.c
cat >add_bloom.c <<'END'
#include "bloom.c"

#include <stdlib.h>

int add_bloom(sqlite3 *db);
int add_bloom(sqlite3 *db) {
  if (getenv("WITH_BLOOM") == NULL) return SQLITE_OK;
  return sqlite3_bloom_init(db, NULL, NULL);
}
END
options=
for option in FTS3 FTS4 FTS5 RTREE SESSION PREUPDATE_HOOK DBSTAT_VTAB \
  COLUMN_METADATA; do
  options="$options -DSQLITE_ENABLE_$option"
done
{
  ./configure --disable-shared --disable-readline &&
    make sqlite3.h &&
    cc -std=c11 -O1 -DSQLITE_CORE -I. -Isrc -I../bloom -c add_bloom.c &&
    make testfixture CFLAGS=-O1 OPTS="$options" \
      TLIBS="$PWD/add_bloom.o -lm -lz -ldl -lpthread"
} >build.log 2>&1 || {
  tail -n 20 build.log >&2
  exit 1
}
set +e

# Runs a file of tests in a folder of its own, as an ordinary user.
run_tests() {
  folder=$work/$1
  as_user=
  mkdir -p "$folder"
  if [ "$(id -u)" = 0 ]; then
    chown nobody "$folder"
    as_user='setpriv --reuid=nobody --regid=nogroup --clear-groups'
  fi
  (cd "$folder" && $as_user "$source/testfixture" "$2") >"$work/$1.log" 2>&1
}
source=$PWD

cat >version.tcl <<'END'
sqlite3 db :memory:
puts [db one {SELECT count(*) FROM pragma_function_list
  WHERE name = 'bloom_version'}]
END
run_tests without "$source/version.tcl"
WITH_BLOOM=1 run_tests with "$source/version.tcl"
test "$(cat "$work/without.log" "$work/with.log" | tr '\n' ' ')" = '0 1 '
ok $? 'a connection has the extension where it is wanted, and only there'

run_tests without "$source/test/veryquick.test" &
WITH_BLOOM=1 run_tests with "$source/test/veryquick.test"
wait
failures() {
  sed -n 's/^!Failures on these tests: //p' "$work/$1.log" | tr ' ' '\n' | sort
}
for run in without with; do
  ran=$(sed -n 's/^[0-9]* errors out of \([0-9]*\) tests.*/\1/p' "$work/$run.log")
  test "${ran:-0}" -gt 200000
  ok $? "$run: all tests ran ($ran)"
  echo "# they fail: $(failures $run | tr '\n' ' ')"
done
test "$(failures without)" = "$(failures with)"
ok $? 'the same tests fail with the extension as without it'
tap_done
