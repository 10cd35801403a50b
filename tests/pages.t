#!/usr/bin/perl
# The pages: every link has a target, the README is short, shows its first SQL
# early, and has no figure that nothing measures or tests.
use strict;
use warnings;
use Test::More;
use File::Copy qw(copy);
use File::Temp qw(tempdir);
use List::Util qw(all);
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
cmp_ok(@readme, '<=', 100, 'the README has at most 100 lines');
my ($sql) = grep { $readme[$_ - 1] =~ /^```sql/ } 1 .. @readme;
cmp_ok($sql, '<', 25, 'and its first SQL before line 25');

# What the README says in figures, besides its table of measurements
# (bench_pages.t), its code, versions and names.
my $text = prose_of('README.md') =~ s/^<!-- table: .*?\n\n//msr;
$text =~ s/`[^`]*`|\]\([^)]*\)|\b(?:CRC-32C|SQLite 3\.(?:26|38))\b//g;
is(join(', ', $text =~ /\b\d[\d,.]*\b(?: \w+)?/g), '2 to, 4 times, 10 bits, 1.3, 4,096 ids',
   'the README has no other figures than these');

# The rows of a page's table, each column by its name.
sub table_of {
  my ($page, $first) = @_;
  my ($head, @rows) = map { [split / *\| */, s/^\| | \|$|\*//gr] }
    grep { !/^\|-/ } split /\n/, (read_file($page) =~ /^(\| \Q$first\E.*?)\n\n/ms)[0];
  return map { my $row = $_; $row->[0] => {map { $head->[$_] => $row->[$_] =~ s/,//gr } 1 .. $#$head} } @rows;
}
# The rows with such a name in a table of a page, by default the one of the benchmarks.
sub rows {
  my ($first, $name, $page) = @_;
  my %rows = table_of($page // 'tests/bench/README.md', $first);
  my @rows = map { $rows{$_} } grep { /$name/ } sort keys %rows;
  die "no row of '$first' has a name like $name\n" if !@rows;
  return @rows;
}
sub least { my ($row) = @_; return (sort { $row->{$a} <=> $row->{$b} } grep { $row->{$_} =~ /\d/ } sort keys %$row)[0] }

# What the pages and recipes say of speed, size and false positives, and whether the
# tables show it.
my $bits = (rows('bits_per_key', qr/^100,000,000$/, 'sql/bits.md'))[0];
my @own = ('ours added to SQLite', qr/^(?!INTEGER|BLOB)/);
my ($recipes, $cached) = ('300,000 keys into 300,000', 'the same, page cache a tenth');
for (['README.md', 'a join in memory becomes 2 to 4 times as fast',
      all { my $times = sprintf '%.0f', $_->{ratio}; $times >= 2 && $times <= 4 }
      rows('joins over the match rate', qr/^\w+, (?:0\.1|1|10) %/)],
     ['README.md', 'the gain is greater if the table that is looked up is larger than SQLite\'s page cache',
      all { $_->{ratio} > 4.5 } rows('joins, 1 % matching', qr/^INTEGER.* page cache$/)],
     ['README.md', 'of which fewer than a third find a match',
      (all { $_->{ratio} > 1 } rows('joins over the match rate', qr/ 50 %/))
        && all { $_->{ratio} < 1 } rows('joins over the match rate', qr/ 100 %/)],
     ['README.md', 'eleven times as long, or with blocks twice',
      '11 2' eq join ' ', map { sprintf '%.0f', $_->{'times the first log'} }
        map { rows('ingest into a log', $_) } qr/^parts$/, qr/^blocks$/],
     ['README.md', '1.3 % of absent keys pass',
      map { sprintf('%.1f', $_->{'one filter'}) == 1.3 } rows('false positives of 1e6', qr/^10 bits/)],
     ['sql/README.md', 'makes a query like the Join Order Benchmark\'s 25a more than five times as fast',
      all { $_->{plain} > 5 * $_->{filter} } rows('twelve queries', qr/^JOB 25a/)],
     ['sql/README.md', 'With another constant (JOB 1a in the same table), its filter makes the query more than six times as slow',
      all { $_->{filter} > 6 * $_->{plain} } rows('twelve queries', qr/^JOB 1a/)],
     ['sql/README.md', 'may also be [slower]',
      3 < grep { $_->{'CROSS JOIN'} > 1.1 * $_->{plain} } rows("joins of TPC-H's shapes", qr/./)],
     ['sql/README.md', 'a join with TEXT keys becomes 2 to 10 times as fast',
      all { my $times = sprintf '%.0f', $_; $times >= 2 && $times <= 10 } map { values %$_ } rows(@own)],
     ['sql/README.md', 'one with INTEGER keys about half as fast',
      all { $_ > 0.4 && $_ < 0.7 } map { values %$_ } rows($own[0], qr/^INTEGER$/)],
     ['sql/questions.md', 'some three times as fast',
      all { $_->{ratio} > 2.5 && $_->{ratio} < 4 } rows('joins, 1 % matching', qr/^INTEGER, rowid$/)],
     ['sql/questions.md', 'and more if the table is larger than the page cache',
      all { $_->{ratio} > 4 } rows('joins, 1 % matching', qr/^INTEGER.* page cache$/)],
     ['sql/bits.md', '0.88 % of absent keys through at 1e9 keys and 10 bits',
      map { sprintf('%.2f', $_->{parts}) == 0.88 } rows('false positives of parts', qr/^1e9 keys/)],
     ['sql/bits.md', '3.3 % through at 10 bits, and at least 2.3 %',
      $bits->{10} =~ /^3\.3/ && $bits->{16} =~ /^2\.3/],
     ['sql/functions.md', 'takes [about as long](../tests/bench/README.md#functions) as',
      all { $_->{ratio} > 0.7 && $_->{ratio} < 1.4 } rows('building for distinct keys', qr/./)],
     ['sql/kept.md', 'this takes less time than [the triggers]',
      all { $_->{ratio} > 1.2 } rows('a load into a log', qr/^blocks$/)],
     ['sql/anti_join.sql', 'finding some three times as fast in memory, and more than four times with',
      (all { $_->{ratio} > 2.5 && $_->{ratio} < 4 } rows($recipes, qr/^finding them, 5 %/))
        && all { $_->{ratio} > 4 } rows($cached, qr/^finding them, 5 %/)],
     ['sql/anti_join.sql', 'sorting makes inserting more than twice as fast.',
      all { $_->{ratio} > 2 } rows($cached, qr/^inserting them, 5 %.*sorted/)],
     ['sql/anti_join.sql', 'If 80 % are known, a filter gains next to nothing',
      all { $_->{ratio} < 1.2 } map { rows($_, qr/^\w+ them, 80 %.*filter/) } $recipes, $cached],
     ['sql/anti_join.sql', 'In memory, sorting then makes inserting slower',
      all { $_->{ratio} < 1 } rows($recipes, qr/^inserting them, 80 %.*sorted/)],
     ['sql/garbage.sql', 'more than one and a half times as fast as with NOT IN',
      all { $_->{ratio} > 1.5 } rows('garbage among', qr/with the first query/)],
     ['sql/garbage.sql', 'NOT IN is about as fast',
      all { abs($_->{ratio} - 1) < 0.2 } rows('the same, references indexed', qr/^98 %.*without/)],
     ['sql/block_filters.sql', 'the filters take 0.7 MB and the index 99 MB',
      map { sprintf('%.1f %.0f', @$_{qw(filters peer)}) eq '0.7 99' } rows('the size of', qr/within 6,000/)],
     ['sql/block_filters.sql', 'and the filters take 5.9 MB',
      map { sprintf('%.1f', $_->{filters}) == 5.9 } rows('the size of', qr/at random/)],
     ['sql/search_log.sql', 'the filters take 1.4 MB and a full-text index (FTS5) takes 82 MB',
      map { sprintf('%.1f %.0f', @$_{qw(filters peer)}) eq '1.4 82' } rows('the size of', qr/against FTS5/)],
     ['sql/search_log.sql', 'more than twenty times as fast as by LIKE, and FTS5 is more than fifty times',
      (rows('a lookup by', qr/against LIKE/))[0]{ratio} > 20 && (rows('a lookup by', qr/against FTS5/))[0]{ratio} < 0.02],
     ['sql/multi_join.sql', 'more than three times as fast, and the best order',
      all { $_->{ratio} > 3 } rows('joins of many tables', qr/a filter by a filter/)],
     ['sql/multi_join.sql', 'more than twenty times as fast',
      (rows('joins of many tables', qr/a filter by a filter/))[0]{plain}
        > 20 * (rows('joins of many tables', qr/against the best order/))[0]{plain}],
     ['sql/program_keys.sql', 'more than twice as fast if the keys come as JSON, and more than a quarter faster',
      (rows('20,000 keys of', qr/against json_each/))[0]{ratio} > 2
        && (rows('20,000 keys of', qr/against the table/))[0]{ratio} > 1.25]) {
  my ($file, $words, @holds) = @$_;
  my $text = join ' ', split ' ', read_file($file) =~ s/^-- //gmr;
  ok(index($text, $words) >= 0 && "@holds" eq '1', "the tables show what $file says: $words");
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

# The planned rates of sql/bits.md.
my %rates = table_of('sql/bits.md', 'bits_per_key');
for my $keys (sort keys %rates) {
  my $n = $keys =~ s/\D//gr;
  for my $bits (sort keys %{$rates{$keys}}) {
    my ($rate) = $rates{$keys}{$bits} =~ /^([\d.]+)/;
    is(printed(sprintf 'SELECT printf("%%.*f", %d, 100 * bloom_false_positive_rate(%d, %d))',
               length($rate =~ s/.*\.//r), $bits, $n), $rate, "$keys at $bits bits for each");
  }
}

# What sql/questions.md says of a file that was renamed.
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

# ---- Every row of the packages' table has a test, or says that it has none. The test is
# named in the table of tests/README.md. It runs the row (`row:`, see lib/row) or takes
# the row from the page; or else what the row loads, or for "automatically" what it
# installs, is in the test, or in the package's own page, whose code tests run.

sub table_lines { return split /\n/, ($_[0] =~ /^\| for \|[^\n]*\n[^\n]*\n(.*?)\n\n/ms)[0] }
sub codes { return map { s/^ | $//gr } grep { defined } $_[0] =~ /``(.+?)``|`([^`]+)`/g }
sub rows_without_a_test {
  my ($page, $tests) = @_;
  my %row = map { my ($name, @cells) = split / \| /, s/^\| | \|$//gr; ($name => \@cells) }
    table_lines($page);
  return grep {
    my $name = $_;
    my ($install, $load) = @{$row{$name}};
    my $short = $name =~ s/(?: \d[\d.]*)?(?:,.*)?$//r;
    my @files = map { [read_file("tests/$_")] } map { /\]\((\S+?)\)/g }
      grep { / \| / && grep { $_ eq $short } split /, /, (/^\| (.*?) \|/)[0] }
      table_lines($tests);
    my @pages = $load =~ /\]\((\S+?)(?:#|\))/g;
    push @pages, 'python/README.md' if $install =~ /^as for Python/;
    push @files, map { [read_file("ext/packaging/$_")] } @pages if @files;
    my @codes = map { s{ /usr/local\S*$}{}r } codes($load);
    @codes = $install =~ /^as for/ ? 'sqlite-bloom-leveldb' : map { (split)[-1] } codes($install)
      if !@codes;
    $load !~ /\(untested,[^)]*\)$/ && !grep {
      my ($text) = @$_;
      $text =~ /^(?:#|\/\/) row: (.*)$/m ? $name =~ /^\Q$1\E(?:,|$)/
        : $text =~ /\\\| \Q$short\E, / || grep { index($text, $_) >= 0 } @codes;
    } @files;
  } sort keys %row;
}
my ($packages, $of_packages) = map { read_file($_) } 'ext/packaging/README.md', 'tests/README.md';
is(join(', ', rows_without_a_test($packages, $of_packages)), '',
   'every row of the packages is tested, or is untested and says so');
for (['Other', '`other.load(db)`'], ['Django', '`sqlite_bloom.jango`'],
     ['Go, mattn/go-sqlite3', '`bloom.Automatic()`'], ['Ruby 9', '`Bloom.on(db)` (untested on y)']) {
  my ($name, $load) = @$_;
  my $wrong = $packages =~ s/^\| \Q$name\E \|.*\n//mr
    =~ s/^(\| for \|.*\n.*\n)/$1| $name | as for Python | $load |\n/mr;
  my @found = rows_without_a_test($wrong, $of_packages);
  is("@found", $name, "found: the row $name with $load");
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
