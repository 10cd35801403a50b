#!/usr/bin/perl
# Databases that LevelDB wrote, read by sql/leveldb_read_table.sql and
# leveldb_read_log.sql: every checksum, every filter and every key.
# skip: /usr/include/leveldb/db.h
use strict;
use warnings;
use Test::More;
use File::Temp qw(tempdir);
require './tests/lib/sstable.pl';

my $keys = 100_000;
my $work = tempdir(CLEANUP => 1);
my $program = "$ENV{BUILD}/interop/leveldb_write";
system('make', '-s', "BUILD=$ENV{BUILD}", $program) == 0 or die "$program\n";

# One row of each: problems; bytes that no block has; the filters, those equal to
# bloom_build, and those without keys; the keys, and those that their filter
# may hold; then each entry's key and its tag of type and sequence number.
sub table_sql {
  my ($file, $bits_per_key) = @_;
  return <<"END";
SELECT count(*) FROM problem;
SELECT length($file) - 48 - sum(size + 5) FROM block;
SELECT count(*), sum(f = ifnull(built, x'')), sum(f = x'')
FROM filter LEFT JOIN (
  SELECT block >> 11 AS i, bloom_build(key, $bits_per_key) AS built
  FROM entry GROUP BY 1
) USING (i);
SELECT count(*), sum(bloom_may_match(key, f))
FROM entry JOIN filter ON i = block >> 11;
SELECT hex(key), sequence * 256 + type FROM entry;
END
}

sub log_sql {
  my ($file) = @_;
  return <<"END";
SELECT count(*) FROM problem;
SELECT length($file) - sum(size + 7) <= 6 * (length($file) / 32768) FROM record;
SELECT sum(type IN (1, 2)), sum(whole) = count(*) FROM record;
END
}

# Reads a table; each user key's newest tag goes to %$newest.
sub test_table {
  my ($table, $bits_per_key, $newest) = @_;
  my ($name) = $table =~ m{([^/]+)$};
  my ($problems, $bytes, $filters, $matched, @entries) =
    sstable("readfile('$table')", table_sql("readfile('$table')", $bits_per_key));
  is($problems, 0, "$name: no problem");
  is($bytes, 0, "$name: every byte is in a block with its checksum, or in the footer");
  my ($count, $equal, $empty) = split /\|/, $filters;
  ok($count > $empty && $equal == $count,
     "$name: $equal of $count filters are bloom_build's, $empty without keys");
  is($matched, @entries . '|' . @entries,
     "$name: every key of " . @entries . " matches its filter");
  for (@entries) {
    my ($key, $number) = split /\|/;
    $newest->{$key} = $number if $number > ($newest->{$key} // -1);
  }
  return scalar @entries;
}

sub test_database {
  my ($block_size, $compression, $bits_per_key) = @_;
  my $folder = "$work/db";
  my $live = () = `$program '$folder' $keys $block_size $compression $bits_per_key`;
  my $in_log = $keys / 20;
  my (%newest, $entries);
  $entries += test_table($_, $bits_per_key, \%newest) for glob "$folder/*.ldb";
  is(scalar(grep { $_ & 1 } values %newest), $live - $in_log,
     'the keys whose newest entry is no deletion are those that LevelDB has');
  cmp_ok($entries, '>', $keys, "$entries entries, several versions of some keys");

  for my $log (glob "$folder/*.log $folder/MANIFEST-*") {
    my ($name) = $log =~ m{([^/]+)$};
    my ($problems, $whole, $records) = records(
      "readfile('$log')", log_sql("readfile('$log')"),
      $name =~ /log/ ? 'batch' : 'edit');
    is($problems, 0, "$name: no problem");
    is($whole, 1, "$name: every byte is in a record, or left out as the format has it");
    my $count = $name =~ /log/ ? $in_log : qr/[1-9]\d*/;
    like($records, qr/^$count\|1$/, "$name: every record has its checksum");
  }
  system('rm', '-r', $folder);
}

# Block sizes and compression, with numbers of bits from the least to the most.
my $bits_per_key = 1;
for my $compression ('none', 'snappy') {
  for my $block_size (512, 4096, 16384, 65536) {
    subtest "blocks of $block_size, $compression, $bits_per_key bits a key" =>
      sub { test_database($block_size, $compression, $bits_per_key) };
    $bits_per_key = $bits_per_key == 1 ? 10 : $bits_per_key + 15;
  }
}
done_testing();
