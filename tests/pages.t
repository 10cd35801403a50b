#!/usr/bin/perl
# The pages: every link has a target, the README is short, shows its first SQL
# early, and has no figure that nothing measures or tests.
use strict;
use warnings;
use Test::More;
use File::Copy qw(copy);
use File::Temp qw(tempdir);
require './tests/lib/files.pl';
require './tests/lib/links.pl';

my @pages = pages_in('.');
cmp_ok(@pages, '>', 10, 'there are pages');
is(join("\n", broken_links('.', @pages)), '', 'every link has a file and a heading');

# Packages have their own pages alone.
for my $name (qw(npm python ruby rust go)) {
  is(join("\n", broken_links("ext/packaging/$name", 'README.md')), '',
     "the page of the package for $name links to no other");
}

my @readme = split /^/, read_file('README.md');
cmp_ok(@readme, '<=', 140, 'the README has at most 140 lines');
my ($sql) = grep { $readme[$_ - 1] =~ /^```sql/ } 1 .. @readme;
cmp_ok($sql, '<', 25, 'and its first SQL before line 25');

# What the README says in figures, besides its table of measurements
# (bench_pages.t), its code, versions and names.
my $text = prose_of('README.md');
$text =~ s/^\| one run of .*?\n\n//ms;
$text =~ s/`[^`]*`|\]\([^)]*\)//g;
$text =~ s/\b(?:CRC-32C|3-Clause|LevelDB 1\.23|SQLite 3\.(?:26|38)|Node 22\.13|1\.x)\b//g;
is(join(', ', $text =~ /\b\d[\d,.]*\b(?: \w+)?/g),
   '10 bits, 3 million, 1.3, 0, 4,096 ids, 100 million, 32 bits, 0, 1',
   'the README has no other figures than these');

# The rows of a page's table, each column by its name: of README.md the one of the rivals.
sub table_of {
  my ($page, $first) = @_;
  my ($head, @rows) = map { [split / *\| */, s/^\| | \|$|\*//gr] }
    grep { !/^\|-/ } split /\n/, (read_file($page) =~ /^(\| \Q$first\E.*?)\n\n/ms)[0];
  return map { my $row = $_; $row->[0] => {map { $head->[$_] => $row->[$_] =~ s/,//gr } 1 .. $#$head} } @rows;
}
my %rivals = table_of('README.md', 'one run of');
my ($find, $join, $send, $add) = map { my $what = $_; $rivals{(grep { /^$what/ } keys %rivals)[0]} }
  'finding', 'joining.* TEXT', 'sending', 'adding';
my %own = table_of('sql/README.md', 'ours added to SQLite');
sub least { my ($row) = @_; return (sort { $row->{$a} <=> $row->{$b} } grep { $row->{$_} =~ /\d/ } sort keys %$row)[0] }
for (['finds a single key fastest', least($find) eq 'an index'],
     ['joins fastest', least($join) =~ /^DuckDB/],
     ['fastest by TEXT keys', $join->{'a filter of ours'} < $join->{"SQLite's own filter"}],
     ['by INTEGER keys', !grep { $_ >= 1 } values %{$own{INTEGER}}],
     ['takes the fewest bytes', least($send) eq 'a filter of ours'],
     ['adds rows far faster', 5 * $add->{'a filter of ours'} < $add->{'an index'}]) {
  my ($words, $holds) = @$_;
  ok(index(join(' ', split ' ', join '', @readme), $words) >= 0 && $holds, "the tables show: $words");
}

my $dist = $ENV{DIST} || 'dist';
sub printed {
  my ($sql, $load) = @_;
  my $shell = $ENV{SQLITE3} || 'sqlite3';
  $load //= $ENV{LINKED} ? '' : ".load $dist/bloom";
  return `printf '%s\\n' '$load' '$sql' | $shell -init /dev/null :memory: 2>&1` =~ s/\s+\z//r;
}
is(printed('SELECT bloom_build(1) = bloom_build(1, 10)'), 1, '10 bits for each key');
is(printed('CREATE TABLE t(i INTEGER PRIMARY KEY, k); SELECT bloom_create_blocks("t", "k"); '
           . 'INSERT INTO t VALUES (4095, 1), (4096, 2), (8192, 3); '
           . 'SELECT group_concat(first) FROM (SELECT first FROM t_k_spans WHERE f NOTNULL)') =~ s/.*\n//sr,
   '0,4096', '4,096 ids in each block');
is(3 * (`make -n demo` =~ /:customers (\d+)/)[0], 3_000_000, '3 million rows of the demo');

# What sql/README.md says of a file that was renamed.
SKIP: {
  skip 'the extension is linked in', 2 if $ENV{LINKED};
  my ($suffix) = map { /(\.\w+)$/ } grep { -e } glob("$dist/bloom.{so,dylib,dll}");
  my $copies = tempdir(CLEANUP => 1);
  copy("$dist/bloom$suffix", "$copies/mylib$suffix") or die "$copies: $!\n";
  like(printed('SELECT 1', ".load $copies/mylib"), qr/sqlite3_mylib_init/,
       'a renamed file is not loaded');
  is(printed('SELECT bloom_may_match(1, bloom_build(1));',
             ".load $copies/mylib sqlite3_bloom_init"), 1,
     'but with the name of its function');
}

# A link that is broken is found.
my $work = tempdir(CLEANUP => 1);
mkdir "$work/a";
for (['b.md', "# A heading: `x`, and more\n[1](a/c.md#no) [2](a/no.md) [3](../b.md)\n"
              . "[4](#a-heading-x-and-more) [5](a/c.md)\n```\n[6](no)\n```\n"],
     ['a/c.md', "[1](../b.md#a-heading-x-and-more) [2](../b.md#another)\n"]) {
  write_file("$work/$_->[0]", $_->[1]);
}
is(join(' ', broken_links($work, pages_in($work))),
   'a/c.md: ../b.md#another b.md: a/c.md#no b.md: a/no.md b.md: ../b.md',
   'a missing file, a missing heading and another folder are found');
done_testing();
