#!/usr/bin/perl
# The readers of LevelDB's files (sql/leveldb_read_*.sql) on damaged files: whichever
# byte is wrong, and wherever the file is cut off, a row says where the damage is.
# One session reads file after file, each in place of the last.
use strict;
use warnings;
use Test::More;
require './tests/lib/sstable.pl';

my $table = pack 'H*', join '', read_file('sql/leveldb_sample.sql') =~ /x'(\w+)'/g;
my $size = length $table;

# A BLOB of these bytes in SQL, or NULL.
sub blob { return defined $_[0] ? "x'" . unpack('H*', $_[0]) . "'" : 'NULL' }

# What each of the statements prints, in one session that has read a reader.
sub printed {
  my ($reader, @statements) = @_;
  my $printed = join "\n", session(".read sql/leveldb_read_$reader.sql",
    map { ".print next\n$_" } @statements);
  my (undef, @of_each) = split /^next(?:\n|\z)/m, $printed, -1;
  chomp @of_each;
  return @of_each;
}

# Reads each file, queries what was read, and compares it. Each row is a name, the
# bytes of a file, and what is printed: a text, or a pattern.
sub read_each {
  my ($reader, $insert, $query, @rows) = @_;
  my @printed = printed($reader, map { $insert . blob($_->[1]) . "); $query" } @rows);
  for (@rows) {
    my ($name, undef, $expected) = @$_;
    my $got = shift @printed;
    ref $expected ? like($got, $expected, $name) : is($got, $expected, $name);
  }
}

my $problems = 'SELECT * FROM problem;';
sub read_tables { read_each('table', 'INSERT INTO read_table VALUES (', $problems, @_) }
sub read_logs { read_each('log', "INSERT INTO read_log VALUES ('batch', ", @_) }

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

# The bytes with a wrong one at this place.
sub damaged {
  my ($bytes, $at) = @_;
  substr($bytes, $at, 1) ^= "\x10";
  return $bytes;
}

# The offset, size and kind of each block, as the rows name them.
my @blocks = map { [split /\|/] } sstable(blob($table), 'SELECT offset, size, kind FROM block;');
cmp_ok(scalar @blocks, '>', 4, 'the table has blocks');

# What is said of a table whose byte at this place is wrong.
sub wrong_checksum {
  my ($at) = @_;
  my ($block) = grep { $at >= $_->[0] && $at < $_->[0] + $_->[1] + 5 } @blocks;
  my ($offset, $length, $kind) = @$block;
  return qr/^$offset\|$kind block of $length bytes: its checksum is /;
}

read_tables(
  ['a whole table', $table, ''],
  (map { ["byte $_ is wrong", damaged($table, $_), wrong_checksum($_)] }
    map { 61 * $_ } 0 .. ($size - 49) / 61),
  (map { ["only $_ bytes", substr($table, 0, $_), qr/^@{[$_ - 8]}\|no table: /m] }
    map { $size - 1 - 211 * $_ } 0 .. ($size - 10) / 211),
  # The end of the table, without the blocks that it points to.
  (map { ["only the last $_ bytes", substr($table, -$_),
          qr/block of \d+ bytes: (?:it passes the end of the file|its checksum is )/] }
    48, 100, 500),
  # LevelDB makes an empty log when it opens a folder, but nothing else is empty.
  ['an empty file', '', '0|the file is empty'],
  ['no file', undef, '0|the file cannot be read'],
);
read_each('log', "INSERT INTO read_log VALUES ('edit', ", $problems,
  ['an empty MANIFEST', '', '0|the file is empty']);

# A log of two records: the second one's first part ends 6 bytes before the end of
# a block, where no header has room.
my $log = part(1, 'a' x 32740) . part(2, 'b' x 8) . "\0" x 6 . part(4, 'c' x 100);
my $lengths = 'SELECT offset, length(data) FROM message;';
read_logs('SELECT offset, type, size, whole FROM record;',
  ['a log: parts up to the end of a block', $log, "0|1|32740|1\n32747|2|8|1\n32768|4|100|1"]);
read_logs($problems,
  ['a whole log', $log, ''],
  ['a log with room at its end', $log . "\0" x 5000, ''],
  ['a damaged record', damaged($log, 32750), '32747|record of 8 bytes: its checksum is wrong'],
  ['a log cut off', substr($log, 0, 32800), '32768|record: the file ends within it, at 32800'],
  ['in a header', substr($log, 0, 32770), '32768|record: the file ends within it, at 32770'],
  ['an empty log, which is whole', '', ''],
  ['no log', undef, '0|the file cannot be read'],
  ['a table', $table, '0|no log: the checksum of its first record is wrong'],
);

# The parts of a record are joined. One that is damaged does not join its
# neighbours: here the middle one of three, each of a block.
my $long = join '', map { part($_, 'a' x 32761) } 2, 3, 4;
read_logs($lengths,
  ['two records', $log, "0|32740\n32747|108"],
  ['a record of three blocks', $long, '0|98283'],
  ['is left out if its middle is damaged', damaged($long, 40000), ''],
);

# Blocks that are compressed as snappy's format_description.txt says, and what
# they become, or nothing if they are wrong.
my $sixty = join '', map { sprintf '%02x', $_ } 1 .. 60;
my $aa = sub { '61' x $_[0] };
my @snappy = (
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
  # Many copies, each of the 60 bytes before it, for pieces and parts of all sizes.
  ['1.2 MB of copies', "bc9f49 ec$sixty" . 'ee3c00' x 20000, $sixty x 20001],
  ['a copy from before the output', '05 0061 0102'],
  ['a copy with distance 0', '05 0061 0100'],
  ['a literal that is cut off', '03 086162'],
  ['a literal without a byte', '0c 046162 1502 00'],
  ['a copy that is cut off', '05 0061 01'],
  ['a copy of which one byte is missing', '04 08616263 0a03'],
  ['a tag of more than 64 KB', '01 f800000061'],
);
my @contents = printed('table', map {
  my $stored = $_->[1] =~ s/ //gr;
  "DELETE FROM block; INSERT INTO block(offset) VALUES (7);
  INSERT INTO uncompress VALUES (7, x'$stored');
  SELECT quote(contents) FROM block;"
} @snappy);
for (@snappy) {
  my ($name, undef, $bytes) = @$_;
  is(shift @contents, defined $bytes ? "X'" . uc($bytes) . "'" : 'NULL', "snappy: $name");
}

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
