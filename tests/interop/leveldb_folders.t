#!/usr/bin/perl
# Folders that LevelDB, goleveldb, classic-level, the Java port and plyvel wrote: the
# command in sql/leveldb_newest.sql stores the keys and values that each of them has,
# finds no damage, and leaves no file behind. Of LevelDB's own, each table and each log is
# read alone, too.
# skip: /usr/include/leveldb/db.h
# skip: /usr/share/gocode/src/github.com/syndtr/goleveldb
# skip: build/interop/node_modules/classic-level
# skip: /usr/lib/python3/dist-packages/plyvel
# skip: /usr/share/java/leveldb.jar
use strict;
use warnings;
use Test::More;
use File::Temp qw(tempdir);
require './tests/lib/sstable.pl';

my $dist = $ENV{DIST} || 'dist';
my $build = $ENV{BUILD} || 'build';
my $work = tempdir(CLEANUP => 1);
my $writer = "$build/interop/leveldb_write";
system('make', '-s', "BUILD=$build", $writer) == 0 or die "$writer\n";

# The recipe, with this extension.
my $recipe = read_file('sql/leveldb_newest.sql');
my ($command) = $recipe =~ /^--   (sqlite3 pairs\.db .*?[^\\]\n)/ms
  or die "no command\n";
$command =~ s/^--//mg;
$recipe =~ s{^\.load .*}{.load $dist/bloom}m;
write_file("$work/newest.sql", $recipe);

# Returns what the command prints before and after the recipe's own questions
# about its sample, and then what the statements print from the database that it
# made. The statements may read the recipe's tables first.
sub ask {
  my ($folder, $copied, $sql) = @_;
  my $db = "$work/pairs.db";
  my $run = $command;
  $run =~ s{/tmp/copy}{$folder} or die "no folder in: $command";
  $run =~ s{sql/leveldb_newest\.sql}{$work/newest.sql} or die "no recipe in: $command";
  $run =~ s{pairs\.db}{'$db'} or die "no database in: $command";
  my $quoted = $copied =~ s/'/'\\''/gr;
  $run =~ s{'\s*$}{; $quoted'} or die "no statement in: $command";
  my @printed = `$run 2>&1`;
  my @rows = `sqlite3 '$db' "$sql" 2>&1`;
  unlink $db;
  chomp(@printed, @rows);
  return (join("\n", @printed), @rows);
}

my $copies = <<'END';
CREATE TABLE what AS SELECT * FROM damage;
CREATE TABLE suffixes AS SELECT DISTINCT substr(name, -3) AS suffix FROM record;
CREATE TABLE older AS SELECT DISTINCT key FROM odd WHERE sequence < newer;
CREATE TABLE filters AS SELECT 1 FROM source JOIN file USING (name)
CROSS JOIN leveldb_read(readfile(path), 'table') WHERE source.form = 'table' AND kind = 'filter';
END

# LevelDB's RepairDB gives tables an order in which Get may find older entries of keys than
# the iterator does, where the writer's compactions ended late. Then this is damage.
sub test_older {
  my ($name, $folder, @keys) = @_;
  return unless @keys;
  is(`/usr/bin/python3 tests/interop/leveldb_write.py differ $folder @keys`, @keys . "\n",
     "$name: Get and the iterator differ where the recipe says so");
}

# Compares a folder's pairs, which its writer has printed, and returns what else
# the recipe prints.
sub test_folder {
  my ($name, $folder, @written) = @_;
  my ($printed, @read) = ask($folder, $copies, <<'END');
SELECT count(*) FROM what WHERE effect <> 'none' AND what NOT LIKE 'Get finds older entries%';
SELECT ifnull(group_concat(hex(key), ' '), '') FROM older;
SELECT ifnull(group_concat(suffix), '') FROM (SELECT suffix FROM suffixes ORDER BY 1);
SELECT count(*) > 0 FROM filters;
SELECT hex(key) || '|' || hex(value) FROM pairs ORDER BY key;
END
  is(shift @read, 0, "$name: no damage") or diag($printed);
  my ($older, $suffixes, $filtered) = splice @read, 0, 3;
  test_older($name, $folder, split / /, $older);
  ok("@read" eq "@written",
     "$name: the recipe reads the same " . @written . ' keys and values');
  return ($printed, $suffixes, $filtered);
}

# Reads each table alone: the bytes that are in no block; and whether each filter is that
# of bloom_build, and there are some. (That every key is in its filter, is no damage.)
sub test_tables {
  my ($folder, $bits_per_key) = @_;
  for my $table (glob "$folder/*.ldb") {
    my $file = "readfile('$table')";
    is(join(' ', read_items($file, 'table', <<"END")), '0 1|1', "$table: its bytes and filters");
SELECT length($file) - 48 - sum(size + 5) FROM item WHERE kind LIKE '% block';
SELECT sum(item.value = ifnull(built, x'')) = count(*), sum(item.value <> x'') > 0
FROM item LEFT JOIN (
  SELECT offset >> 11 AS i, bloom_build(key, $bits_per_key) AS built
  FROM item WHERE kind = 'entry' GROUP BY 1
) ON i = sequence WHERE kind = 'filter';
END
  }
}

# Reads each log alone: whether every byte is in a record, or left out as the format has
# it, and whether every record has its checksum.
sub test_logs {
  my ($folder) = @_;
  for my $log (glob "$folder/*.log $folder/MANIFEST-*") {
    my ($file, $form) = ("readfile('$log')", $log =~ /log/ ? 'log' : 'manifest');
    is(join(' ', read_items($file, $form, <<"END")), '1|1', "$log: its bytes and records");
SELECT length($file) - sum(size + 7) <= 6 * (length($file) / 32768),
  sum(damage IS NULL) = count(*) FROM item WHERE kind = 'record';
END
  }
}

my $folder = "$work/db";
my @before = sort glob '* sql/*';
# Block sizes and compression, with numbers of bits from the least to the most.
my @writers = (
  (map { ["LevelDB, blocks of $_->[0], $_->[1], $_->[2] bits a key",
          "$writer $folder 20000 @$_", $_->[2]] }
    [512, 'none', 1], [1024, 'snappy', 10], [4096, 'none', 25], [16384, 'snappy', 50],
    [65536, 'snappy', 100]),
  ['goleveldb', 'GO111MODULE=off GOPATH=/usr/share/gocode '
                . "go run tests/interop/leveldb_write.go $folder 3000"],
  ['classic-level', "node tests/interop/leveldb_write.js $folder 3000"],
  # Its tables have no filters. Without the property, it maps its files into memory in a
  # way that newer Javas refuse.
  ['the Java port', "java -Dsun.arch.data.model=32 -cp '/usr/share/java/*' "
                    . "tests/interop/leveldb_write.java $folder 3000", undef, 'sst', 0],
);
for (@writers) {
  my ($name, $command, $bits_per_key, $suffix, $filters) = @$_;
  $suffix //= 'ldb';
  chomp(my @written = `$command`);
  cmp_ok(scalar @written, '>', 1000, "$name: " . @written . ' keys');
  my ($printed, $sources, $filtered) = test_folder($name, $folder, @written);
  is($sources, join(',', sort 'log', $suffix), 'from tables and the log');
  is($filtered, $filters // 1, 'its tables have filters, or none');
  if ($bits_per_key) {
    test_tables($folder, $bits_per_key);
    test_logs($folder);
  }

  my ($live) = glob "$folder/*.$suffix";
  unlink $live;
  my ($missing) = $live =~ m{(\d+)\.\w+$};
  my (undef, @damage) = ask($folder, $copies, 'SELECT * FROM what;');
  is(scalar(grep { /^$missing\.ldb\|0\|the file is missing\|/ } @damage), 1,
     'a table that is missing is named');
  unlink glob "$folder/*.log";
  (undef, @damage) = ask($folder, $copies, 'SELECT * FROM what;');
  is(scalar(grep { /^\d{6}\.log\|0\|the file is missing\|/ } @damage), 1,
     'and a log');
  system('rm', '-r', $folder);
}

# Each kind of folder that plyvel's program lists, with the least number of its
# keys and what its pairs come from.
for (
  ['levels', 2000, 'ldb,log'],
  ['long_keys', 80, 'ldb'],
  ['restarts', 70000, 'ldb'],
  ['large_writes', 18000, 'log'],
  ['reopened', 1, 'ldb'],
  ['empty', 0, ''],
  ['repaired', 2000, 'ldb'],
  ['comparator', 1000, 'ldb'],
) {
  my ($kind, $least, $expected) = @$_;
  chomp(my @written =
    `/usr/bin/python3 tests/interop/leveldb_write.py $kind $folder`);
  cmp_ok(scalar @written, '>=', $least, "plyvel, $kind: " . @written . ' keys');
  my ($printed, $sources) = test_folder("plyvel, $kind", $folder, @written);
  is($sources, $expected, "from $expected");
  my ($own) = $printed =~ /^(the comparator is .*)/m;
  is($own, $kind eq 'comparator' ? 'the comparator is test.Own' : undef,
     'a comparator of its own is named');
  if ($kind eq 'reopened' || $kind eq 'empty') {
    is(scalar(grep { -z } glob "$folder/*.log"), 1, 'the log is empty');
  }
  system('rm', '-r', $folder);
}
is(join("\n", sort glob '* sql/*'), join("\n", @before), 'no file is left behind');
done_testing();
