#!/usr/bin/perl
# The readers of LevelDB's files (sql/leveldb_read_*.sql) on damaged files: whichever
# byte is wrong, and wherever the file is cut off, a row says where the damage is.
use strict;
use warnings;
use Test::More;
require './tests/lib/sstable.pl';

open my $in, '<', 'sql/leveldb_sample.sql' or die "$!\n";
my $table = pack 'H*', join '', map { /x'(\w+)'/ ? $1 : () } <$in>;
close $in;
my $size = length $table;

sub problems {
  my ($bytes) = @_;
  return sstable("x'" . unpack('H*', $bytes) . "'", 'SELECT * FROM problem;');
}

sub log_problems {
  my ($bytes) = @_;
  return records("x'" . unpack('H*', $bytes) . "'", 'SELECT * FROM problem;');
}

is(join("\n", problems($table)), '', 'a whole table');

# The offset, size and kind of each block, as the rows name them.
my @blocks = map { [split /\|/] } sstable(
  "x'" . unpack('H*', $table) . "'",
  "SELECT offset, size, kind FROM block WHERE kind <> 'footer';");
cmp_ok(scalar @blocks, '>', 4, 'it has blocks');

for (my $at = 0; $at < $size - 48; $at += 61) {
  my ($block) = grep { $at >= $_->[0] && $at < $_->[0] + $_->[1] + 5 } @blocks;
  my $damaged = $table;
  substr($damaged, $at, 1) ^= "\x10";
  my @rows = problems($damaged);
  my ($offset, $length, $kind) = @$block;
  like($rows[0], qr/^$offset\|$kind block of $length bytes: its checksum is /,
       "byte $at is wrong");
}

for (my $cut = $size - 1; $cut > 8; $cut -= 211) {
  my @rows = problems(substr $table, 0, $cut);
  my $end = $cut - 8;
  ok(grep({ /^$end\|no table: / } @rows), "only $cut bytes");
}

# The end of the table, without the blocks that it points to.
for my $left (48, 100, 500) {
  my @rows = problems(substr $table, -$left);
  ok(grep({ /block of \d+ bytes: it passes the end of the file/ } @rows) +
     grep({ /block of \d+ bytes: its checksum is / } @rows),
     "only the last $left bytes");
}

my $empty = '0|the file is empty, or cannot be read';
is(join("\n", problems('')), $empty, 'an empty file');
is(join("\n", log_problems('')), $empty, 'an empty log');
is(join("\n", log_problems($table)),
   '0|no log: the checksum of its first record is wrong', 'a table is no log');

# A log of two records, made as db/log_format.h says: the second one's first
# part ends 6 bytes before the end of a block, where no header has room.
my @parts = ([1, 'a' x 32740, ''], [2, 'b' x 8, "\0" x 6], [4, 'c' x 100, '']);
my $expression = join ' || ', map {
  my ($type, $data, $fill) = @$_;
  my $typed = pack('C', $type) . $data;
  my $rest = pack('v', length $data) . $typed . $fill;
  "leveldb_fixed32(crc32c_mask(crc32c(x'" . unpack('H*', $typed) . "')))" .
    " || x'" . unpack('H*', $rest) . "'";
} @parts;
my ($hex) = sstable('1', "SELECT hex(CAST($expression AS BLOB));");
my $log = pack 'H*', $hex;
my $records = 'SELECT offset, type, size, whole FROM record;';
is(join(' ', records("x'$hex'", $records)),
   '0|1|32740|1 32747|2|8|1 32768|4|100|1',
   'a log: parts up to the end of a block');
is(join(' ', records("x'$hex'", 'SELECT offset, length(data) FROM message;')),
   '0|32740 32747|108', 'the parts of a record are joined');
is(join("\n", log_problems($log)), '', 'a whole log');
is(join("\n", log_problems($log . "\0" x 5000)), '', 'a log with room at its end');

my $damaged = $log;
substr($damaged, 32750, 1) ^= "\x10";
is(join("\n", log_problems($damaged)),
   '32747|record of 8 bytes: its checksum is wrong', 'a damaged record');
is(join("\n", log_problems(substr $log, 0, 32800)),
   '32768|record: the file ends within it, at 32800', 'a log cut off');
is(join("\n", log_problems(substr $log, 0, 32770)),
   '32768|record: the file ends within it, at 32770',
   'a log cut off in a header');

# A block of a type that is not uncompressed here is whole, and no problem.
for my $type (2, 4, 7) {
  my ($offset, $length) = @{$blocks[0]};
  my $other = $table;
  substr($other, $offset + $length, 1) = chr $type;
  my ($crc) = session("SELECT hex(leveldb_fixed32(crc32c_mask(crc32c(x'"
    . unpack('H*', substr $other, $offset, $length + 1) . "'))));");
  substr($other, $offset + $length + 1, 4) = pack 'H*', $crc;
  is(join(' ', sstable("x'" . unpack('H*', $other) . "'", <<'END')),
SELECT count(*) FROM problem;
SELECT type, count(*), sum(contents NOT NULL) FROM block
WHERE kind = 'data' GROUP BY type ORDER BY type > 1;
SELECT count(*) > 40 FROM entry;
END
     "0 1|3|3 $type|1|0 1", "a block of type $type is left out");
}
done_testing();
