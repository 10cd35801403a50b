#!/bin/sh
# The pages have the tables that follow from tests/bench/results, and the script
# that compares runs of the benchmarks finds what became slower.
. tests/lib/tap.sh

for page in README.md tests/bench/README.md tests/bench/match_rate.svg tests/bench/inserts.svg; do
  tests/bench/pages $page >"$work/page" && cmp "$work/page" $page
  ok $? "$page has what \`make bench-pages\` writes"
done

# A page of one table, and one that no run has.
echo '<!-- table: no such section -->' >"$work/page"
! tests/bench/pages "$work/page" >/dev/null 2>&1
ok $? 'a section that no run has is an error'
echo 'text' >"$work/page"
! tests/bench/pages "$work/page" >/dev/null 2>&1
ok $? 'so is a page without a table'

# The same results, but filters of blocks find a rare key no faster than a scan in one
# of two tables.
root=$PWD
mkdir -p "$work/tree/tests/bench/results" "$work/tree/tests/lib"
cp tests/lib/files.pl "$work/tree/tests/lib"
for run in tests/bench/results/*.json; do
  sed '/"5 rows within 3,000, against the scan"/s/"values": \[[^]]*\]/"values": [2, 2]/' \
    "$run" >"$work/tree/$run"
done
(cd "$work/tree" && ! "$root/tests/bench/pages" "$root/README.md" 2>&1) >"$work/got"
grep -q 'a rare key, by filters of blocks against a scan: 1.00, ' "$work/got"
ok $? 'so are two tables that contradict each other'

# One type of key pays at each rate measured, then both.
sed '/TEXT, 100 % matching/d' tests/bench/results/*.json | tests/bench/chart >"$work/one" 2>&1 &&
  grep -q 'A filter stops paying at' "$work/one" && ! grep -q hash "$work/one"
ok $? 'the chart draws where the other type stops paying'
sed '/ 100 % matching/d' tests/bench/results/*.json | tests/bench/chart >"$work/both" 2>&1 &&
  grep -q '<title>TEXT, 50 %: ' "$work/both" && ! grep -q 'stops paying' "$work/both"
ok $? 'and nothing where both pay'

# measured NAME OURS PEER: a line of a run.
measured() {
  printf '{"section":"a","group":"","name":"%s","columns":["f","p"],' "$1"
  printf '"values":[%s,%s],"ratio":%s}\n' "$2" "$3" 1
}
{ measured same 100 50; measured fast 100 50; measured slow 100 50; } >"$work/old"
{ measured same 104 50; measured fast 50 50; measured slow 106 55; } >"$work/new"
tests/bench/slower "$work/new" "$work/old" >"$work/got"
cat >"$work/expected" <<'END'
a: slow: 106 instead of 100, 1.06 times (the peer: 1.10 times)
1 of 3 measurements became slower by more than 5 %.
END
cmp "$work/got" "$work/expected"
ok $? 'what became slower by more than 5 % is named, and nothing else'

# Two programs that wait for their turn, as bench_turn does in C.
cat >"$work/program" <<'END'
#!/usr/bin/perl
my ($mine, $other) = map { open my $pipe, $_->[0], $_->[1] or die; $pipe }
  (["<&=", (split ' ', $ENV{BENCH_TURNS})[0]],
   [">&=", (split ' ', $ENV{BENCH_TURNS})[1]]);
$SIG{PIPE} = 'IGNORE';
open my $log, '>>', $ARGV[1] or die;
for my $round (1 .. ($ARGV[0] eq 'old' ? 3 : 2)) {
  sysread $mine, my $turn, 1;
  syswrite $log, "$ARGV[0] $round\n";
  syswrite $other, 'x';
}
END
chmod +x "$work/program"
tests/bench/turns old "$work/program" new "$work/log"
ok $? 'both builds run'
printf 'new 1\nold 1\nnew 2\nold 2\nold 3\n' | cmp - "$work/log"
ok $? 'in turn, and the longer one to its end'
tap_done
