#!/usr/bin/perl
# The readers of LevelDB's files (sql/leveldb_read_*.sql) on damaged files: whichever
# byte is wrong, and wherever the file is cut off, a row says where the damage is.
use strict;
use warnings;
use Test::More;
require './tests/lib/sstable.pl';

my $table = pack 'H*', join '', read_file('sql/leveldb_sample.sql') =~ /x'(\w+)'/g;
my $size = length $table;

# A BLOB of these bytes in SQL.
sub blob { return "x'" . unpack('H*', $_[0]) . "'" }

sub problems { return sstable(blob(@_), 'SELECT * FROM problem;') }

sub log_problems { return records(blob(@_), 'SELECT * FROM problem;') }

# The checksum that LevelDB stores beside bytes.
sub checksum {
  my ($hex) = session('SELECT hex(leveldb_fixed32(crc32c_mask(crc32c(' . blob(@_) . '))));');
  return pack 'H*', $hex;
}

# A part of a record, of this type, as db/log_format.h says.
sub part {
  my ($type, $data) = @_;
  my $typed = pack('C', $type) . $data;
  return checksum($typed) . pack('v', length $data) . $typed;
}

is(join("\n", problems($table)), '', 'a whole table');

# The offset, size and kind of each block, as the rows name them.
my @blocks = map { [split /\|/] } sstable(blob($table), 'SELECT offset, size, kind FROM block;');
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

# LevelDB makes an empty log when it opens a folder, but nothing else is empty.
my $empty = '0|the file is empty';
is(join("\n", problems('')), $empty, 'an empty file');
is(join("\n", records("x''", 'SELECT * FROM problem;', 'edit')), $empty,
   'an empty MANIFEST');
my $unread = '0|the file cannot be read';
is(join("\n", sstable('NULL', 'SELECT * FROM problem;')), $unread, 'no file');
is(join("\n", records('NULL', 'SELECT * FROM problem;')), $unread, 'no log');

# A log of two records: the second one's first part ends 6 bytes before the end of
# a block, where no header has room.
my $log = part(1, 'a' x 32740) . part(2, 'b' x 8) . "\0" x 6 . part(4, 'c' x 100);
my $records = 'SELECT offset, type, size, whole FROM record;';
is(join(' ', records(blob($log), $records)),
   '0|1|32740|1 32747|2|8|1 32768|4|100|1',
   'a log: parts up to the end of a block');
my $lengths = 'SELECT offset, length(data) FROM message;';
is(join(' ', records(blob($log), $lengths)), '0|32740 32747|108',
   'the parts of a record are joined');
substr(my $damaged = $log, 32750, 1) ^= "\x10";
for (
  ['a whole log', $log, ''],
  ['a log with room at its end', $log . "\0" x 5000, ''],
  ['a damaged record', $damaged, '32747|record of 8 bytes: its checksum is wrong'],
  ['a log cut off', substr($log, 0, 32800), '32768|record: the file ends within it, at 32800'],
  ['in a header', substr($log, 0, 32770), '32768|record: the file ends within it, at 32770'],
  ['an empty log, which is whole', '', ''],
  ['a table', $table, '0|no log: the checksum of its first record is wrong'],
) {
  my ($name, $bytes, $problems) = @$_;
  is(join("\n", log_problems($bytes)), $problems, $name);
}

# A part that is damaged does not join its neighbours: here the middle one of
# three, each of a block.
my $long = join '', map { part($_, 'a' x 32761) } 2, 3, 4;
is(join(' ', records(blob($long), $lengths)), '0|98283', 'a record of three blocks');
substr($long, 40000, 1) ^= "\x10";
is(join(' ', records(blob($long), $lengths)), '', 'is left out if its middle is damaged');

# Blocks that are compressed as snappy's format_description.txt says, and what
# they become, or NULL if they are wrong.
sub uncompressed {
  my ($hex) = @_;
  my @printed = session(<<"END");
.read sql/leveldb_read_table.sql
INSERT INTO block(offset) VALUES (7);
INSERT INTO uncompress VALUES (7, x'$hex');
SELECT quote(contents) FROM block;
END
  return join ' ', @printed;
}
sub quoted { return "X'" . uc($_[0]) . "'"; }
my $aa = sub { '61' x $_[0] };
for (
  ['nothing', '00', ''],
  ['a literal', '03 08616263', '616263'],
  ['a literal of 61 bytes', '3d f03c' . $aa->(61), $aa->(61)],
  ['a literal of 300 bytes', 'ac02 f42b01' . $aa->(300), $aa->(300)],
  ['a copy with one byte of distance', '07 08616263 0103', '61626361626361'],
  ['a copy with two', '06 08616263 0a0300', '616263616263'],
  ['a copy of its own output, to the middle of a repetition', '09 046162 0d02',
   '616261626162616261'],
  ['a copy of one byte, 64 times', '41 0061 fe0100', $aa->(65)],
  ['a copy of NUL bytes', '06 040001 0102', '000100010001'],
  ['a copy from before the output', '05 0061 0102'],
  ['a copy with distance 0', '05 0061 0100'],
  ['a literal that is cut off', '03 086162'],
  ['a literal without a byte', '0c 046162 1502 00'],
  ['a copy that is cut off', '05 0061 01'],
  ['a copy of which one byte is missing', '04 08616263 0a03'],
  ['a tag of more than 64 KB', '01 f800000061'],
) {
  my ($name, $stored, $contents) = @$_;
  $stored =~ s/ //g;
  is(uncompressed($stored), defined $contents ? quoted($contents) : 'NULL',
     "snappy: $name");
}

# Many copies, each of the 60 bytes before it, for pieces and parts of all sizes.
my $bytes = join '', map { chr $_ } 1 .. 60;
my $copies = 20000;
my $total = 60 + 60 * $copies;
is(uncompressed(unpack('H*', pack('C3', $total & 127 | 128,
     $total >> 7 & 127 | 128, $total >> 14)
     . chr(59 << 2) . $bytes . pack('Cv', 59 << 2 | 2, 60) x $copies)),
   quoted(unpack('H*', $bytes x (1 + $copies))), 'snappy: 1.2 MB of copies');

# A block of a type that is not uncompressed here is whole, and no problem.
for my $type (2, 4, 7) {
  my ($offset, $length) = @{$blocks[0]};
  my $other = $table;
  substr($other, $offset + $length, 1) = chr $type;
  substr($other, $offset + $length + 1, 4) = checksum(substr $other, $offset, $length + 1);
  is(join(' ', sstable(blob($other), <<'END')),
SELECT count(*) FROM problem;
SELECT type, count(*), sum(contents NOT NULL) FROM block
WHERE kind = 'data' GROUP BY type ORDER BY type > 1;
SELECT count(*) > 40 FROM entry;
END
     "0 1|3|3 $type|1|0 1", "a block of type $type is left out");
}
done_testing();
