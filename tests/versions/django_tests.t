#!/bin/sh
# Django's own tests of schemas and migrations, with a kept filter on every
# CharField: the same ones fail as without filters, if any do, and no filter loses a
# row. The source is that of Debian's package, from the archive that apt uses here.
# skip: /usr/bin/dpkg-source
# skip: /usr/lib/python3/dist-packages/sqlparse
set -e
. tests/lib/tap.sh
. tests/lib/apt.sh
keep=$PWD/tests/versions/keep_every_field.py
mkdir "$work/site"
cp -R ext/packaging/python/sqlite_bloom "$work/site/"
cp "$DIST/bloom.so" "$work/site/sqlite_bloom/"
cd "$work"
apt_source python-django
cd python-django-*/tests
set +e

# run_tests NAME PROGRAM...
run_tests() {
  log=$work/$1.log
  shift
  PYTHONPATH=..:$work/site:. /usr/bin/python3 -B "$@" schema migrations \
    --parallel 1 >"$log" 2>&1
}
failures() {
  sed -nE 's/^(FAIL|ERROR): ([^ ]* \([^ ]*\)).*/\2/p' "$work/$1.log" | sort
}
run_tests without runtests.py &
run_tests with "$keep" runtests.py
wait
for run in without with; do
  ran=$(sed -n 's/^Ran \([0-9]*\) tests in .*/\1/p' "$work/$run.log")
  test "${ran:-0}" -gt 700
  ok $? "$run: all tests ran ($ran)"
  echo "# they fail: $(failures $run | tr '\n' ' ')"
done
test "$(failures without)" = "$(failures with)"
ok $? 'the same tests fail with filters as without them'

counts=$(tail -n 1 "$work/with.log")
count() {
  echo "$counts" | sed -n "s/.*'$1': \([0-9]*\).*/\1/p"
}
test "$(count filters)" -gt 200 && test "$(count checks)" -gt 5000
ok $? "filters were made and checked: $counts"
test "$(count 'lost rows')" = 0
ok $? 'no filter lost a row'
test "$(count 'excluding nothing')" = 0
ok $? 'after a change, each filter excludes a key that is not there'
tap_done
