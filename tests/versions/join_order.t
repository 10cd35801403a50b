#!/usr/bin/perl
# A filter in likelihood(..., 1.0) changes the order of no join: SQLite reads the
# same tables in the same order, by the same indexes, as without the filter. Joins
# of random shapes, over tables of random sizes and indexes, have one to three
# filters. Other forms of the condition do change some orders, which shows that
# these joins can tell.
#
# usage: tests/versions/join_order.t [JOINS [SEED]]
use strict;
use warnings;
use Test::More;
require './tests/lib/shell.pl';

my ($joins, $seed) = (shift // 400, shift // 1);
srand $seed;
sub one_of { $_[rand @_] }

# The tables t0 to t5. Each refers to all of them, by INTEGERs and TEXTs.
my @tables = map { "t$_" } 0 .. 5;
my @setup = ('.load ' . ($ENV{DIST} || 'dist') . '/bloom');
for my $table (@tables) {
  push @setup, "CREATE TABLE $table(id INTEGER PRIMARY KEY, code TEXT UNIQUE, "
    . join(', ', 'kind', map { ("$_ INTEGER", "${_}_code TEXT") } @tables) . ');';
}

# Sizes as ANALYZE would find them, and indexes on some of the references.
sub random_schema {
  my @sql = ('BEGIN;');
  my @stat;
  for my $table (@tables) {
    my $rows = int 10 ** (1 + rand 6);
    push @stat, "('$table', 'sqlite_autoindex_${table}_1', '$rows 1')";
    for (grep { rand() < 0.3 } 'kind', map { ($_, "${_}_code") } @tables) {
      push @sql, "CREATE INDEX ${table}_$_ ON $table($_);";
      push @stat, "('$table', '${table}_$_', '$rows "
        . int(1 + $rows ** rand()) . "')";
    }
  }
  push @sql, 'ANALYZE sqlite_master;', 'DELETE FROM sqlite_stat1;',
    'INSERT INTO sqlite_stat1 VALUES ' . join(', ', @stat) . ';',
    'ANALYZE sqlite_master;' if rand() < 0.7;
  return @sql;
}

# A join as text with a mark %s where filters go, and its filters. Its tables are
# a tree: each but the first refers to an earlier one, or the other way round.
sub random_join {
  my $tables = 3 + int rand 5;
  my ($suffix, $key) = rand() < 0.5 ? ('', 'id') : ('_code', 'code');
  my $comma = rand() < 0.3;
  my ($from, @where, @filters) = ('');
  my @of = map { one_of(@tables) } 1 .. $tables;
  for my $i (0 .. $tables - 1) {
    my $on = '';
    if ($i > 0) {
      my $other = int rand $i;
      my ($child, $parent) = rand() < 0.5 ? ($i, $other) : ($other, $i);
      my $reference = "a$child.$of[$parent]$suffix";
      $on = "$reference = a$parent.$key";
      push @filters, "bloom_may_match($reference, (SELECT bloom_open("
        . "bloom_build($key)) FROM $of[$parent] WHERE kind = 1))";
    }
    my $join = one_of(('JOIN') x 8, 'CROSS JOIN', 'LEFT JOIN');
    if ($join eq 'LEFT JOIN' && $i > 0) {
      my $filter = pop @filters;
      $from .= " LEFT JOIN $of[$i] AS a$i ON $on";
      next;
    }
    $from .= $i == 0 ? "$of[$i] AS a$i"
      : $comma ? ", $of[$i] AS a$i" : " $join $of[$i] AS a$i ON $on";
    push @where, $on if $comma && $i > 0;
    push @where, "a$i." . one_of('kind = 1', 'kind > 5', 'kind IN (1, 2)',
      "code LIKE 'a%'", 'kind IS NULL') if rand() < 0.4;
  }
  my $count = 1 + int rand 3;
  splice @filters, int(rand @filters), 1 while @filters > $count;
  my $end = one_of('', '', ' GROUP BY a0.kind', ' ORDER BY a1.id');
  return ("SELECT a0.kind, count(*) FROM $from WHERE "
    . join(' AND ', @where, '1') . "%s$end", @filters);
}

# The ways to write the filters.
my %form = (
  plain => sub { '' },
  bare => sub { join '', map { " AND $_" } @_ },
  '1.0' => sub { join '', map { " AND likelihood($_, 1.0)" } @_ },
  '0.99' => sub { join '', map { " AND likelihood($_, 0.99)" } @_ },
  'one call' => sub { ' AND likelihood(' . join(' AND ', @_) . ', 1.0)' },
  '= 1' => sub { join '', map { " AND likelihood($_, 1.0) = 1" } @_ },
);

my (@session, @sql);
for my $n (0 .. $joins - 1) {
  my ($join, @filters) = random_join();
  next if !@filters;
  push @session, random_schema();
  for my $form (sort keys %form) {
    my $sql = $join =~ s/%s/$form{$form}->(@filters)/er;
    $sql[$n]{$form} = $sql;
    push @session, ".print === $n $form", "EXPLAIN QUERY PLAN $sql;";
  }
  push @session, 'ROLLBACK;', 'ANALYZE sqlite_master;';
}

# What is read, in order: the lines of the plan that are no part of a subquery.
# A condition may cause a filter of SQLite's own (BLOOM FILTER ON), with which an
# index is not COVERING.
my (%read, $now);
for (split /\n/, sqlite3(':memory:', @setup, @session)) {
  if (/^=== (\d+) (.*)/) { $now = $read{$1}{$2} = []; next; }
  push @$now, "$1 $2$3" =~ s/ COVERING//r
    if /^[|`]--(SCAN|SEARCH) (?:TABLE \w+ AS )?(a\d+)(.*)/;
  die "$_\n" if /error/i;
}

my %changed;
for my $n (sort { $a <=> $b } keys %read) {
  my $plain = join "\n", @{$read{$n}{plain}};
  die "no plan: $sql[$n]{plain}\n" if !$plain;
  for my $form (grep { $_ ne 'plain' } sort keys %form) {
    my $order = join "\n", @{$read{$n}{$form}};
    next if $order eq $plain;
    diag("$sql[$n]{$form}\n$order\ninstead of\n$plain")
      if $form eq '1.0' && !$changed{$form};
    $changed{$form}++;
  }
}
my $read = keys %read;
cmp_ok($read, '>', $joins / 2, "$read joins have filters");
is($changed{'1.0'} // 0, 0, 'likelihood(..., 1.0) changes no order');
for my $form ('bare', '0.99', 'one call', '= 1') {
  my $times = $changed{$form} // 0;
  cmp_ok($times, '>', 0, "this form changes $times: $form");
}
done_testing();
