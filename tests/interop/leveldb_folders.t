#!/usr/bin/perl
# Folders that LevelDB, goleveldb and classic-level wrote: sql/leveldb_newest.sql
# finds the keys and values that each of them has, and no damage.
# skip: /usr/include/leveldb/db.h
# skip: /usr/share/gocode/src/github.com/syndtr/goleveldb
# skip: build/interop/node_modules/classic-level
use strict;
use warnings;
use Test::More;
use File::Temp qw(tempdir);

my $dist = $ENV{DIST} || 'dist';
my $build = $ENV{BUILD} || 'build';
my $work = tempdir(CLEANUP => 1);
my $writer = "$build/interop/leveldb_write";
system('make', '-s', "BUILD=$build", $writer) == 0 or die "$writer\n";

# The recipe without its own questions, and others in their place.
open my $in, '<', 'sql/leveldb_newest.sql' or die "$!\n";
my $recipe = do { local $/; <$in> };
close $in;
$recipe =~ s{^\.load .*}{.load $dist/bloom}m;
$recipe =~ s{read_folder\.sql}{$work/read_folder.sql}g;
$recipe =~ s{^SELECT count\(\*\), count\(DISTINCT key\).*}{}ms;

sub ask {
  my ($folder, $sql) = @_;
  open my $out, '>', "$work/session.sql" or die "$!\n";
  print $out ".parameter init\n.parameter set :folder \"'$folder'\"\n$recipe$sql\n";
  close $out;
  my @lines = `sqlite3 < '$work/session.sql' 2>&1`;
  chomp @lines;
  return @lines;
}

my $folder = "$work/db";
my @writers = (
  ["LevelDB, snappy", "$writer $folder 1500 1024 snappy 10 all"],
  ["LevelDB, uncompressed", "$writer $folder 1500 4096 none 10 all"],
  ['goleveldb', 'GO111MODULE=off GOPATH=/usr/share/gocode '
                . "go run tests/interop/leveldb_write.go $folder 3000"],
  ['classic-level', "node tests/interop/leveldb_write.js $folder 3000"],
);
for (@writers) {
  my ($name, $command) = @$_;
  chomp(my @written = `$command`);
  cmp_ok(scalar @written, '>', 1000, "$name: " . @written . ' keys');
  my @read = ask($folder, <<'END');
SELECT hex(key) || '|' || hex(value) FROM newest ORDER BY key;
END
  is(join("\n", @read), join("\n", @written), 'the recipe reads the same');
  is(join(' ', ask($folder, <<'END')), '1 1 1', 'from tables and the log');
SELECT count(*) > 0 FROM version WHERE name LIKE '%.ldb';
SELECT count(*) > 0 FROM version WHERE name LIKE '%.log';
SELECT count(*) > (SELECT count(*) FROM newest) FROM version;
END
  is(join(' ', ask($folder, <<'END')), '1|1', 'a table\'s keys match its filters');
SELECT count(*) > 0, min(bloom_may_match(key, f))
FROM filter JOIN entry ON i = block >> 11;
END
  my ($live) = glob "$folder/*.ldb";
  unlink $live;
  my ($missing) = $live =~ m{([^/]+)$};
  my @damage = ask($folder, '');
  is(scalar(grep { /^\Q$missing\E\|0\|the file is missing$/ } @damage), 1,
     'a table that is missing is named');
  system('rm', '-r', $folder);
}
done_testing();
