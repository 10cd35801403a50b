#!/bin/sh
# SQLite's own tests, with this extension in every connection: none fails, or the
# same ones as without it. Only the files of those that fail run without it. If
# TCLTEST_PART is 1/4, SQLite's scripts run the first quarter of the files. The source
# is that of Debian's package, from the archive that apt uses here. The extension is
# compiled in as one of SQLite's own, since the tests remove those that
# sqlite3_auto_extension adds; a variable of the environment says whether connections
# get it. The tests run as an ordinary user, because they stop early as root.
# skip: /usr/bin/dpkg-source
# skip: /usr/include/tcl8.6/tcl.h
set -e
export TCLTEST_PART="${TCLTEST_PART:-1/1}"
. tests/lib/tap.sh
. tests/lib/apt.sh
chmod 755 "$work"
ext/tools/amalgamate "$work/bloom"
cd "$work"
apt_source sqlite3

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

failures() {
  sed -n 's/^!Failures on these tests: //p' "$work/$1.log" | tr ' ' '\n' | sort
}
WITH_BLOOM=1 run_tests with "$source/test/veryquick.test"
files=$(grep -c '^Time: .*\.test ' "$work/with.log")
grep -q '^[0-9]* errors out of ' "$work/with.log" &&
  test "$files" -gt $((900 / ${TCLTEST_PART#*/}))
ok $? "all files ran ($files)"
echo "# they fail: $(failures with | tr '\n' ' ')"
: >"$work/without.log"
SQLITE_TEST_PATTERN_LIST=$(awk '/^(!|Error:) / { failed = 1 }
  /^Time: / { if (failed) print $2; failed = 0 }' "$work/with.log")
export SQLITE_TEST_PATTERN_LIST
test -z "$SQLITE_TEST_PATTERN_LIST" ||
  run_tests without "$source/test/veryquick.test"
test "$(failures without)" = "$(failures with)"
ok $? 'no test fails that passes without the extension'
tap_done
