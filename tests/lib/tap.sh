# The Test Anything Protocol for tests in sh, which begin with
# `. tests/lib/tap.sh`. $work is a temporary folder for the test.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
count=0 failed=0

# ok STATUS NAME: reports one test, which has passed if STATUS is 0. A failure is
# also reported on standard error, which prove shows.
ok() {
  count=$((count + 1))
  if [ "$1" = 0 ]; then
    echo "ok $count - $2"
  else
    echo "not ok $count - $2"
    echo "# failed: $2" >&2
    failed=1
  fi
}

# Ends the run; the exit status is 0 if all passed.
tap_done() {
  echo "1..$count"
  exit $failed
}
