#!/usr/bin/perl
# A probe through bloom_open costs the same number of instructions, counted by
# callgrind, for a filter of 10 KB and one of 1 MB, in any version of SQLite. A
# probe of the subquery without bloom_open shows that a copy would be seen:
# SQLite up to 3.42 makes one for every row. skip: /usr/bin/valgrind
use strict;
use warnings;
use Test::More;
require './tests/lib/shell.pl';

my $shell = $ENV{SQLITE3} || 'sqlite3';
my $extension = ($ENV{DIST} || 'dist') . '/bloom';
my $counts = ($ENV{BUILD} || 'build') . "/callgrind.$$";

# Instructions of a session that probes a filter of `bytes` with `rows` keys.
sub instructions {
  my ($filter, $bytes, $rows) = @_;
  local $ENV{SQLITE3} = "valgrind --tool=callgrind --callgrind-out-file='$counts' $shell";
  my $said = sqlite3(':memory:', ".load $extension", 'CREATE TABLE t(f);',
    "INSERT INTO t SELECT bloom_add(CAST(zeroblob($bytes) || x'06' AS BLOB), 1);",
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT $rows)",
    "SELECT sum(bloom_may_match(i, (SELECT $filter FROM t))) >= 1 FROM n;");
  unlink $counts;
  $said =~ /^1$/m or die "the probe failed:\n$said";
  return $said =~ /Collected : (\d+)/ ? $1 : die "no count:\n$said";
}

# What one more row costs, on average of so many.
sub cost {
  my ($filter, $bytes, $rows) = @_;
  return (instructions($filter, $bytes, 20 + $rows) -
      instructions($filter, $bytes, 20)) / $rows;
}

my ($version) = `$shell --version` =~ /^(\S+)/;
my ($small, $large) = map { cost('bloom_open(f)', $_, 200) } 10_000, 1_000_000;
diag(sprintf 'SQLite %s: %.0f instructions a row for 10 KB, %.0f for 1 MB',
  $version, $small, $large);
cmp_ok($large / $small, '<', 1.05, "bloom_open is flat in SQLite $version");

my ($minor) = $version =~ /^3\.(\d+)/;
if ($minor <= 42) {
  ($small, $large) = map { cost('f', $_, 10) } 10_000, 100_000;
  diag(sprintf 'the bare filter: %.0f and %.0f', $small, $large);
  cmp_ok($large / $small, '>', 2, 'without bloom_open the filter is copied');
}
done_testing();
