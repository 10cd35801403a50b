#!/usr/bin/perl
# leveldb_read on damaged files: whichever byte is wrong, and wherever the file is cut
# off, a row says where the damage is. One session reads file after file.
use strict;
use warnings;
use Test::More;
require './tests/lib/sstable.pl';

my $table = pack 'H*', join '', read_file('sql/leveldb_sample.sql') =~ /x'(\w+)'/g;
my $size = length $table;

# A BLOB of these bytes in SQL, or NULL.
sub blob { return defined $_[0] ? "x'" . unpack('H*', $_[0]) . "'" : 'NULL' }

# What each of the statements prints, in one session.
sub printed {
  my $printed = join "\n", session(map { ".print next\n$_" } @_);
  my (undef, @of_each) = split /^next(?:\n|\z)/m, $printed, -1;
  chomp @of_each;
  return @of_each;
}

# Reads each file, queries what was read, and compares it. Each row is a name, the
# bytes of a file, and what is printed: a text, or a pattern.
sub read_each {
  my ($form, $query, @rows) = @_;
  my @printed = printed(map { items(blob($_->[1]), $form) . $query } @rows);
  for (@rows) {
    my ($name, undef, $expected) = @$_;
    my $got = shift @printed;
    ref $expected ? like($got, $expected, $name) : is($got, $expected, $name);
  }
}

# Which record lacks its last part is known only after the others.
my $problems = "SELECT offset, damage FROM item WHERE damage NOT NULL
  AND damage NOT LIKE 'batch%%' ORDER BY damage LIKE '%last part%', rowid;" =~ s/%%/%/r;
my $damage = "SELECT offset, damage FROM item WHERE damage NOT NULL;";
sub read_tables { read_each('table', $damage, @_) }
sub read_logs { read_each('log', @_) }

# The checksum that LevelDB stores beside bytes.
my @crc_of_byte = map {
  my $crc = $_;
  $crc = $crc & 1 ? $crc >> 1 ^ 0x82f63b78 : $crc >> 1 for 1 .. 8;
  $crc
} 0 .. 255;
sub checksum {
  my $crc = 0xffffffff;
  $crc = $crc >> 8 ^ $crc_of_byte[($crc ^ $_) & 255] for unpack 'C*', $_[0];
  $crc ^= 0xffffffff;
  return pack 'V', (($crc >> 15 | $crc << 17) + 0xa282ead8) & 0xffffffff;
}

# A part of a record, of this type, as db/log_format.h says.
sub part {
  my ($type, $data) = @_;
  my $typed = pack('C', $type) . $data;
  return checksum($typed) . pack('v', length $data) . $typed;
}

# The log of these records, as db/log_writer.cc writes it.
sub log_of {
  my $log = '';
  for my $record (@_) {
    my ($data, $first) = ($record, 1);
    do {
      my $room = 32768 - length($log) % 32768;
      ($log, $room) = ($log . "\0" x $room, 32768) if $room < 7;
      my $piece = substr $data, 0, $room - 7, '';
      $log .= part($data eq '' ? $first ? 1 : 4 : $first ? 2 : 3, $piece);
      $first = 0;
    } while ($data ne '');
  }
  return $log;
}

# The bytes with a wrong one at this place.
sub damaged {
  my ($bytes, $at) = @_;
  substr($bytes, $at, 1) ^= "\x10";
  return $bytes;
}

# The offset, size and kind of each block, as the rows name them.
my @blocks = map { [split /\|/] } read_items(blob($table), 'table',
  "SELECT offset, size, kind FROM item WHERE kind LIKE '% block';");
cmp_ok(scalar @blocks, '>', 4, 'the table has blocks');

# What is said of a table whose byte at this place is wrong.
sub wrong_checksum {
  my ($at) = @_;
  my ($block) = grep { $at >= $_->[0] && $at < $_->[0] + $_->[1] + 5 } @blocks;
  my ($offset, $length, $kind) = @$block;
  return qr/^$offset\|$kind of $length bytes: its checksum is /;
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
read_each('manifest', $damage,
  ['an empty MANIFEST', '', ''],
  ['an edit of RocksDB', log_of("\x02\x01\x03\x01\x04\x01\xc8\x01"),
   "0|edit: its tag 200 is not LevelDB's, perhaps RocksDB's"],
  ['an unknown tag', log_of("\x02\x01\x03\x01\x04\x01\x08"), '0|edit: unknown tag 8'],
  ['half a number', log_of("\x02\x01\x03\x01\x04\x81"),
   '0|edit: item 3 is cut off or wrong'],
  ['half a key', log_of("\x02\x01\x03\x01\x04\x01\x05\x00\x03ab"),
   '0|edit: item 4 is cut off or wrong'],
  ['a tag of two bytes', log_of("\x82\0\1\3\1\4\1"), ''],
  ['and of six', log_of("\3\1\4\1\x82\x80\x80\x80\x80\0\1"), '0|edit: wrong tag'],
  ['a length of six bytes', log_of("\2\1\3\1\4\1\1\x81\x80\x80\x80\x80\0x"),
   '0|edit: item 4 is cut off or wrong'],
  ['an empty key', log_of("\2\1\3\1\4\1\5\0\0"), '0|edit: a key is shorter than 8 bytes'],
  ['a last key of 7 bytes', log_of("\2\1\3\1\4\1\7\1\5\x09\x09a\1\1\0\0\0\0\0\0\7abcdefg"),
   '0|edit: a key is shorter than 8 bytes'],
  ['level 7', log_of("\x02\x01\x03\x01\x04\x01\x06\x07\x01"), "0|edit: a table's level is 7"]);

# A batch of writes, and a wrong one.
my $batch = "\5\0\0\0\0\0\0\0\2\0\0\0\1\1a\1b\0\1c";
read_logs("$damage SELECT sequence, type, hex(key), hex(value) FROM item WHERE kind = 'entry';",
  ['a batch', log_of($batch), "5|1|61|62\n6|0|63|"],
  ['of 3 writes instead of 2', log_of($batch =~ s/\x02/\x03/r),
   "0|batch: its number of writes is 3\n5|1|61|62\n6|0|63|"],
  ['with an unknown tag', log_of($batch =~ s/\x00\x01c/\x07\x01c/r), "0|batch: unknown tag 7\n5|1|61|62"],
  ['with a tag of two bytes', log_of($batch =~ s/\x00\x01c/\x80\x00\x01c/r),
   "0|batch: unknown tag 128\n5|1|61|62"],
  ['with a length of six bytes', log_of($batch =~ s/\x01c/\x81\x80\x80\x80\x80\0c/r),
   "0|batch: item 2 is cut off or wrong\n5|1|61|62"],
  ['whose last key is cut off', log_of(substr $batch, 0, -1),
   "0|batch: item 2 is cut off or wrong\n5|1|61|62"],
  ['whose value is missing', log_of(substr $batch, 0, 15), '0|batch: item 1 is cut off or wrong'],
  ['whose value passes its end', log_of(substr($batch, 0, 15) . "\2b"),
   '0|batch: item 1 is cut off or wrong'],
  ['too small', log_of('ab'), '0|batch: item 0 is cut off or wrong']);

# LevelDB's own tests of logs (db/log_test.cc), by their names: the records that are
# read, with their lengths, and what is skipped. Those that begin to read within a
# log, and its errors of reading, have nothing here that is like them. Where LevelDB is
# silent, since a program may have stopped while it wrote, there is a row, too.
sub big { my ($text, $size) = @_; return substr $text x $size, 0, $size; }
sub changed { my ($log, $at, $bytes) = @_; substr $log, $at, length $bytes, $bytes; $log }
my ($three, $two) = (log_of(big('bar', 32768)), log_of('foo', 'bar'));
my $wrong = 'its checksum is wrong';
read_logs("SELECT CAST(substr(value, 1, 7) AS TEXT), length(value) FROM item
  WHERE kind = 'record' AND value NOT NULL; $problems",
  ['Empty', '', ''],
  ['ReadWrite', log_of('foo', 'bar', '', 'xxxx'), "foo|3\nbar|3\n|0\nxxxx|4"],
  ['ManyBlocks', log_of(1 .. 9999), join "\n", map { "$_|" . length } 1 .. 9999],
  ['Fragmentation', log_of('small', big('medium', 50000), big('large', 100000)),
   "small|5\nmediumm|50000\nlargela|100000"],
  ['MarginalTrailer', log_of(big('foo', 32754), '', 'bar'), "foofoof|32754\n|0\nbar|3"],
  ['MarginalTrailer2', log_of(big('foo', 32754), 'bar'), "foofoof|32754\nbar|3"],
  ['ShortTrailer', log_of(big('foo', 32758), '', 'bar'), "foofoof|32758\n|0\nbar|3"],
  ['AlignedEof', log_of(big('foo', 32758)), 'foofoof|32758'],
  ['BadRecordType', part(102, 'foo') . part(1, 'bar'),
   "bar|3\n0|record of 3 bytes: its type is 102"],
  ['TruncatedTrailingRecordIsIgnored', substr($two, 0, 16),
   "foo|3\n10|record: the file ends within it, at 16"],
  ['BadLength', changed(log_of(big('bar', 32761), 'foo'), 4, "\xfa"),
   "foo|3\n0|record of 32762 bytes: its size passes the end of its block"],
  ['BadLengthAtEndIsIgnored', substr($two, 0, 19),
   "foo|3\n10|record of 3 bytes: the file ends within it, at 19"],
  ['ChecksumMismatch', changed($two, 0, 'x'), "0|record of 3 bytes: $wrong"],
  ['UnexpectedMiddleType', part(3, 'foo'), '0|record of 3 bytes: its first part is missing'],
  ['UnexpectedLastType', part(4, 'foo'), '0|record of 3 bytes: its first part is missing'],
  ['UnexpectedFullType', part(2, 'foo') . part(1, 'bar'),
   "bar|3\n0|record: its last part is missing"],
  ['UnexpectedFirstType', changed(log_of('foo', big('bar', 50000)), 0, part(2, 'foo')),
   "barbarb|50000\n0|record: its last part is missing"],
  ['and an empty first part, which is no damage', part(2, '') . part(1, 'bar'), 'bar|3'],
  ['but is before zeros', part(2, '') . "\0" x 99, '0|record: its last part is missing'],
  ['a record of type 0', part(0, 'foo') . part(1, 'bar'), "bar|3\n0|record of 3 bytes: its type is 0"],
  ['a record of type 5, for LevelDB the end', part(5, 'foo') . part(1, 'bar'), "0|record of 3 bytes: its type is 5"],
  ['one after a first part', part(2, 'foo') . part(5, ''),
   "10|record of 0 bytes: its type is 5\n0|record: its last part is missing"],
  ['a record of type 6, which LevelDB skips', part(6, 'foo') . part(1, 'bar'), "bar|3\n0|record of 3 bytes: its type is 6"],
  ['MissingLastIsIgnored', substr($three, 0, -14), '0|record: its last part is missing'],
  ['PartialLastIsIgnored', substr($three, 0, -1), "32768|record of 7 bytes: the file ends "
    . "within it, at 32781\n0|record: its last part is missing"],
  ['SkipIntoMultiRecord', substr(log_of(big('foo', 98304), 'correct'), 32768),
   "correct|7\n" . join "\n", map { $_ . ' bytes: its first part is missing' }
     '0|record of 32761', '32768|record of 32761', '65536|record of 21'],
  ['ErrorJoinsRecords', changed(log_of(big('foo', 32768), big('bar', 32768), 'correct'), 32768,
                                'x' x 32768),
   "correct|7\n32768|record of 30840 bytes: $wrong\n65536|record of 21 bytes: its first part "
    . "is missing\n0|record: its last part is missing"],
  ['zeros up to the end of a block', part(1, 'foo') . "\0" x 32758 . part(1, 'bar'),
   "foo|3\nbar|3"],
  ['and something after them', part(1, 'foo') . "\0" x 32748 . part(1, 'lost') x 2,
   qr/^foo\|3\n10\|zeros: what follows in its block is skipped\n/],
  ['zeros in the middle of a record', part(2, 'foo') . "\0" x 32758 . part(4, 'bar'),
   "32768|record of 3 bytes: its first part is missing\n0|record: its last part is missing"],
  ['no log', undef, '0|the file cannot be read'],
  ['a table', $table, qr/^0\|record of \d+ bytes: the file ends within it, at \d+$/]);
read_logs("SELECT offset, type, size, damage, length(value) FROM item WHERE kind = 'record';",
  ['parts up to the end of a block', log_of('a' x 32740, 'b' x 108),
   "0|1|32740||32740\n32747|2|14||\n32768|4|94||108"]);

# A block of a type that is not uncompressed here is damage. Its type, and what it
# probably is, are named.
my ($offset, $length, $kind) = map { @$_ } grep { $_->[0] == 0 } @blocks;
sub of_type {
  my ($type, $bytes) = @_;
  my $other = $table;
  substr($other, $offset, $length + 1) = substr($bytes, 0, $length) . chr $type;
  substr($other, $offset + $length + 1, 4) = checksum(substr $other, $offset, $length + 1);
  return $other;
}
my $whole = substr $table, $offset, $length;
read_tables(map {
  my ($type, $name, $bytes) = @$_;
  ["a block of type $type, $name", of_type($type, $bytes // $whole),
   qr/^0\|$kind of $length bytes: type $type is not to be uncompressed here: $name$/]
} [2, 'zlib, probably'], [2, 'zstd, probably', "\x28\xb5\x2f\xfd" . $whole],
  [4, 'raw deflate, probably'], [7, "not a type of LevelDB's"], [1, 'damaged snappy', 'x' x 999]);

# A block of a table has entries, each of the bytes that the key has in common with
# the last one, those that it adds, and its value; and then where whole keys begin.
sub table_of {
  my ($contents, $padding, $handles) = @_;
  my $file = '';
  my $block = sub {
    my ($bytes) = @_;
    my $handle = pack('C', length $file) . pack('C', length $bytes);
    $file .= "$bytes\0" . checksum("$bytes\0");
    return $handle;
  };
  my $data = $block->($contents);
  my $index = "\0\1" . chr(length($data) + $padding) . "z$data" . "\0" x ($padding > 0 && $padding);
  my $footer = $block->("\0" x 4) . $block->($index x $handles . pack 'VV', 0, 1);
  return $file . $footer . "\0" x (40 - length $footer) . pack 'H*', '57fb808b247547db';
}
my ($key_a, $key_b) = map { "$_\1\1\0\0\0\0\0\0" } 'a', 'b';
my ($a, $b, $end) = ("\0\x09\1${key_a}1", "\0\x09\1${key_b}2", pack 'VV', 0, 1);
my $ends = '0|data block: a key does not end with a type and a sequence number';
my ($one, $cut) = ('61|1|1|31', '0|data block: an entry is wrong, and what follows in its '
  . 'block is skipped');
read_each('table',
  "SELECT hex(key), sequence, type, hex(value) FROM item WHERE kind = 'entry'; $damage",
  map { [$_->[0], table_of($_->[1], $_->[3] // 0, $_->[4] // 1), $_->[2]] }
  ['two entries', "$a$b$end", "$one\n62|1|1|32"],
  ['handles of 20 bytes, as the Java port writes', "$a$b$end", "$one\n62|1|1|32", 18],
  ['a handle that is longer than its entry', "$a$end", qr/^61\|1\|1\|31\n\d+\|index block: a handle is wrong\n/, -1],
  ['two of one block', "$a$end", qr/^\Q$one\E\n\d+\|index block: a handle is wrong$/, 0, 2],
  ['no entry', $end, ''],
  ['a key once more, without a value', "$a\x09\0\0$end", "$one\n61|1|1|\n0|keys out of order"],
  ['an empty key and value', "\0\x08\0" . substr($key_a, 1) . $end, '|1|1|'],
  ['more in common than the last key has', "$a\x0a\0\0$b$end", "$one\n$cut"],
  ['a key that passes the end', "$a\0\x1e\1$key_b$end", "$one\n$cut"],
  ['a value that does', $a . "\0\x09\2${key_b}2" . $end, "$one\n$cut"],
  ['a value of 2^31 bytes', $a . "\0\x09\x80\x80\x80\x80\x08${key_b}2" . $end, "$one\n$cut"],
  ['a number of 6 bytes', $a . "\0\x09\x81\x80\x80\x80\x80\x00${key_b}2" . $end, "$one\n$cut"],
  ['half an entry', "$a\0$end", "$one\n$cut"],
  ['a key of 7 bytes', "$a\0\7\0${\substr $key_b, 2}$end", "$one\n$ends"],
  ['a type 2', $a . "\0\x09\1b\2\1\0\0\0\0\0\x002$end", "$one\n$ends"],
  ['a first place that is not 0', $a . pack('VV', 1, 1), $cut],
  ['no places', $a . "\0" x 4, $cut],
  ['more places than there is room for', $a . pack('VV', 0, 99), $cut],
  ['3 bytes', 'abc', $cut]);

# A table whose blocks hold these bytes, with the types that are given, and its footer. By
# default it has one entry, and a filter with 64 bits set, for blocks of 2 KB.
sub table_with {
  my (%given) = @_;
  my $file = '';
  my $block = sub {
    my ($name, $bytes) = @_;
    $bytes = ($given{$name} // $bytes) . chr($given{"$name type"} // 0);
    my $handle = chr(length $file) . chr(length($bytes) - 1);
    $file .= $bytes . checksum($bytes);
    return $handle;
  };
  my $entry = sub { my ($key, $value) = @_; "\0" . chr(length $key) . chr(length $value) . $key . $value };
  $block->('before') if $given{before};
  my $data = $block->('data', "$a$end");
  my $filter = $block->('filter', "\xff" x 8 . "\6" . pack('VV', 0, 9) . "\x0b");
  my $meta = $block->('metaindex', $entry->($given{name} // 'filter.leveldb.BuiltinBloomFilter2', $given{handle} // $filter) . $end);
  my $index = $block->('index', $entry->("z" . substr($key_a, 1), $data) . $end);
  my $footer = $given{footer} // $meta . $index;
  return $file . $footer . "\0" x (40 - length $footer) . ($given{magic} // pack 'H*', '57fb808b247547db');
}
my $wrong_restarts = 'its restarts are wrong, from which LevelDB looks up a key';
my $skipped = 'an entry is wrong, and what follows in its block is skipped';
my $no_table = "no table: LevelDB's magic number is not at its end, which is cut off or damaged";
read_each('table', "SELECT hex(key) FROM item WHERE kind = 'entry';
  SELECT damage FROM item WHERE damage NOT NULL;", map { [$_->[0], table_with(@{$_->[1]}), $_->[2]] }
  ['a filter', [], '61'],
  ['a filter without bits', [filter => "\0" x 8 . "\6" . pack('VV', 0, 9) . "\x0b"], "61\nits filter lacks it"],
  ['an empty filter', [filter => pack('VVV', 0, 0, 0) . "\x0b"], "61\nits filter lacks it"],
  ['a filter whose end is before its start', [filter => "\xff" x 8 . "\6" . pack('VV', 9, 8) . "\x0b"],
   qr/^61\nfilter 0: its bytes are no range$/],
  ['a filter that passes its block', [filter => "\xff" x 8 . "\6" . pack('VVV', 0, 99, 9) . "\x0b"],
   qr/^61\n(?:filter \d: its bytes are no range\n?){2}$/],
  ['a filter of two equal wrong places', [filter => "\xff" x 8 . "\6" . pack('VVV', 99, 99, 9) . "\x0b"],
   qr/^61\n(?:filter \d: its bytes are no range\n?){2}its filter lacks it$/],
  ['filters of a base above 63', [filter => "\0" x 8 . "\6" . pack('VV', 0, 9) . "\xff"], "61\nits filter lacks it"],
  ['a block without a filter', [before => 'x', filter => "\0" x 8 . "\6" . pack('VV', 0, 9) . "\0"], '61'],
  ['no filters', [filter => pack('V', 0) . "\x0b"], '61'],
  ['filters from behind the end', [filter => "\xff" x 8 . "\6" . pack('VV', 0, 99) . "\x0b"], '61'],
  ['4 bytes of filters', [filter => 'abcd'], '61'],
  ['a filter block that cannot be uncompressed', ['filter type' => 9], qr/^61\nfilter block of 18 bytes: type 9 /],
  ['another filter', [name => 'filter.leveldb.BuiltinBloomFilter3'], '61'],
  ['a filter of another length', [name => 'filter.other'], '61'],
  ["goleveldb's filter", [name => 'filter.leveldb.BuiltinBloomFilter', filter => "\0" x 8 . "\6" . pack('VV', 0, 9) . "\x0b"],
   "61\nits filter lacks it"],
  ['half a handle of filters', [handle => "\xff"], "61\nmetaindex block: a handle is wrong"],
  ['no handle of filters', [handle => ''], "61\nmetaindex block: a handle is wrong"],
  ['a metaindex of 3 bytes', [metaindex => 'abc'], "61\nmetaindex block: $skipped"],
  ['half an entry of the metaindex', [metaindex => "\0$end"], "61\nmetaindex block: $skipped"],
  ['an index of 3 bytes', [index => 'abc'], "61\nindex block: $skipped"],
  ['half an entry of the index', [index => "\0$end"], "61\nindex block: $skipped"],
  ['an index whose restarts are wrong', [index => "\0\x09\2z" . substr($key_a, 1) . "\0\x15" . pack 'VVV', 0, 5, 2],
   qr/^61\nindex block: \Q$wrong_restarts\E$/],
  ['data whose restarts are wrong', [data => $a . pack 'VVV', 0, 5, 2], "61\ndata block: $wrong_restarts"],
  ['an index key below the block', [index => "\0\x09\2A" . substr($key_a, 1) . "\0\x15$end"], "61\nkeys out of order"],
  ['an index key without its last bytes', [index => "\0\1\2a\0\x15$end"], '61'],
  ['a block behind the end', [index => "\0\x09\3z" . substr($key_a, 1) . "\xff\x7f\x15$end"],
   'data block of 21 bytes: it passes the end of the file'],
  ['a block that passes the end', [index => "\0\x09\3z" . substr($key_a, 1) . "\0\xff\x7f$end"],
   'data block of 16383 bytes: it passes the end of the file'],
  ['a block of 2^64 bytes', [index => "\0\x09\x0bz" . substr($key_a, 1) . "\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\1$end"],
   'data block of -1 bytes: it passes the end of the file'],
  ['damaged snappy', ['data type' => 1, data => "\x80"], qr/damaged snappy$/],
  ['snappy of less than its size', ['data type' => 1, data => "\5\0a"], qr/damaged snappy$/],
  ['a footer without handles', [footer => "\xff" x 40], "61\nfooter: a handle is wrong"],
  ['a footer with one', [footer => "\0\0" . "\xff" x 38], "61\nfooter: a handle is wrong"],
  ['a footer whose metaindex is nowhere', [footer => "\xff\x7f\1\0\x15"], qr/^metaindex block of 1 bytes: it passes/],
  ['no magic number', [magic => ''], "61\n$no_table"],
  ['and a filter alone', [magic => '', metaindex => "\0\0\0\0", filter => "\0\0\0\0\x0b"], "61\n$no_table"],
  ['and a key that begins as the name of a filter does', [magic => '', data => "\0\x10\1filter.a" . substr($key_a, 1) . "1$end"],
   "66696C7465722E61\n$no_table"],
  ['and compressed data', [magic => '', 'data type' => 2], qr/^\Q$no_table\E\ndata block of 21 bytes: type 2/]);
read_each('table', $damage, ['a magic number alone', pack('H*', '57fb808b247547db'), "0|$no_table"],
  ['7 bytes', 'abcdefg', "0|$no_table"],
  ['100 bytes without a checksum', 'abcde' x 20, "92|$no_table\n0|data blocks: what follows is in none that has a checksum"]);

# A key is looked for in the blocks between whose bounds it may be.
is(join(' ', session(map { "SELECT group_concat(offset) FROM leveldb_read(@{[blob($table)]}, 'table', x'$_')
  WHERE kind = 'data block';" } '03', 'b2', 'b3', 'ff')), '0 0 0,729 ', 'the blocks of a prefix');

# A key may begin another, in its place.
my $two_keys = blob(table_of("$a\0\x0a\1ab" . substr($key_a, 1) . "3$end", 0, 1));
is(join(' ', session(map { "SELECT group_concat(hex(key)), count(damage) FROM leveldb_read($two_keys, $_)
  WHERE kind = 'entry';" } "'table'", "'get', 'a'", "'get', ''")), '61,6162|0 61|0 |0', 'a key that begins another');
read_each('table', "SELECT hex(key), hex(value) FROM item WHERE damage NOT NULL;",
  ['the bounds of a block with a wrong entry', table_of("$a\0$end", 0, 1), '|7A']);

# The last question of sql/leveldb_sstable.sql, of tables with these filters.
my ($recipe) = read_file('sql/leveldb_sstable.sql') =~ /^(WITH size AS .*?;)$/ms;
my $keys = 'DROP TABLE IF EXISTS entry; DROP TABLE IF EXISTS filter;
  CREATE TEMP TABLE entry AS WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
  SELECT 0 AS i, i AS key FROM n; CREATE TEMP TABLE filter AS SELECT 0 AS i, %s AS f FROM entry;';
my @asked = (
  ['1 key, whose filter has 64 bits', 1, 'bloom_build(key, 10)', '1|1|0|'],
  ['3 keys', 3, 'bloom_build(key, 10)', '1|3|0|'],
  ['3 keys of 30 bits', 3, 'bloom_build(key, 30)', '1|3|0|'],
  ['8 keys of 1 bit', 8, 'bloom_build(key, 1)', '1|8|0|'],
  ['8 keys', 8, 'bloom_build(key, 10)', '1|8|0|1'],
  ['100 bits a key', 30, 'bloom_build(key, 100)', '1|30|0|1'],
  ["more bits a key than bloom_build's", 9, "max(CAST(zeroblob(999) || x'01' AS BLOB))", '1|9|9|'],
  ['a filter of other keys', 10, "bloom_build(key || 'x', 12)", qr/^1\|10\|(?:[89]|10)\|0$/],
);
my @answers = printed(map { sprintf($keys, @$_[1, 2]) . $recipe } @asked);
for (@asked) {
  my ($name, undef, undef, $expected) = @$_;
  like(shift @answers, ref $expected ? $expected : qr/^\Q$expected\E$/, "filters: $name");
}

# The sample folder, in which one file is another, and what sql/leveldb_newest.sql then
# says of it.
my $dist = $ENV{DIST} || 'dist';
my $newest = read_file('sql/leveldb_newest.sql') =~ s{^\.load .*}{.load $dist/bloom}mr;
my $sample = read_file('sql/leveldb_sample_folder.sql');
my ($manifest, $ldb) = map { $sample =~ /'$_', CAST\(\s*(.*?)\s*AS BLOB/s }
  'MANIFEST-000002', '000005.ldb';
my $range = '000005.ldb|0|keys outside the range in the MANIFEST';
my $fruits = "\xde\2\x0ffruit01\1\1\0\0\0\0\0\0\x0ffruit12\1\1\0\0\0\0\0\0";
my $repair = 'RepairDB (repair_db in plyvel)';
for (
  ['CURRENT', "x''", 'CURRENT|0|it does not end with a newline', $repair, 'keys|12'],
  ['CURRENT', "x'580d0a'", "CURRENT|0|it names X'580D', which is missing|refusal", 'keys|12'],
  ['000004.log', blob(log_of("\x0c\0\0\0\0\0\0\0\1\0\0\0\1\7fruit12\1x")),
   '000005.ldb|0|another write has the same sequence number'],
  (map { ['000004.log', blob(log_of("\x0f\0\0\0\0\0\0$_\1\0\0\0\1\1a\1b")),
    '000004.log|0|entries that LevelDB skips, newer than the last write: 1'] } "\1", "\x80"),
  ['MANIFEST-000002', blob(log_of("\1\5other", "\1\x1aleveldb.BytewiseComparator")),
   'the comparator is other'],
  ['MANIFEST-000002', blob(log_of("\2\4\3\7\4\x0e", map { "\7$_$fruits" } "\2\5", "\2\6"))
   . "), ('000006.ldb', CAST($ldb AS BLOB)", '000006.ldb|0|its range overlaps that of a table of its level'],
  ['MANIFEST-000002', blob(log_of("\2\4\3\7\4\x0e", map { "\7$_$fruits" } "\2\5", "\1\5")),
   '000005.ldb|0|the MANIFEST has it twice'],
  ['MANIFEST-000002', blob(log_of("\2\4\3\7\4\x0e\7\2\4$fruits")), '000004.ldb|0|the file is missing'],
  ['MANIFEST-000002', blob(log_of("\2\4\3\7\4\x0e\7\2\x80")),
   'MANIFEST-000002|0|edit: item 4 is cut off or wrong|refusal', "refusal\n$repair", 'keys|12'],
  ['000003.log', "x''", 'newest leaves it out: 000003.log'],
  ['000005.ldb', "CAST($ldb || x'00' AS BLOB)",
   '000005.ldb|350|the file has 351 bytes, and the MANIFEST says 350|none', 'keys|12'],
  ['000005.ldb', "x''", '000005.ldb|0|the file is empty'],
  ['000005.ldb', blob(table_of("$b$a$end", 0, 1)), "$range: 2|loss",
   '000005.ldb|0|keys out of order: 1|loss'],
  ['000005.ldb', "x'f7cff485b741e288'", '000005.ldb|0|no table of LevelDB: RocksDB', 'keys|3'],
  ['MANIFEST-000002', "CAST(replace($manifest, 'Bytewise', 'Otherwis') AS BLOB)",
   'MANIFEST-000002|0|record of 28 bytes: its checksum is wrong'],
  ['MANIFEST-000002', blob(log_of("\1\x1aleveldb.BytewiseComparator\2\4\3\5\4\x0d\7\0\5\xde\2"
    . "\x09b\1\1\0\0\0\0\0\0\x09c\1\1\0\0\0\0\0\0")),
   'MANIFEST-000002|0|its next file number is not free: 5', "$range: 14"],
  ['MANIFEST-000002', blob(log_of("\2\0\3\0\4\0")), 'MANIFEST-000002|0|its next file number is not free: 0'],
  ['MANIFEST-000002', blob(log_of("\1\5other\2\6\3\6\4\5\7\0\5\xde\2\x09b\1\1\0\0\0\0\0\0"
    . "\x09c\1\1\0\0\0\0\0\0")), 'the comparator is other', '000006.log|0|the file is missing',
   '000005.ldb|0|entries that LevelDB skips, newer than the last write: 9',
   'leaves it out: 000004.log'],
) {
  my ($name, $bytes, @said) = @$_;
  my $printed = join "\n", session(<<"END", $newest);
CREATE TEMP TABLE file(name TEXT PRIMARY KEY, path TEXT, content BLOB);
INSERT INTO file(name, content) VALUES ('$name', $bytes);
END
  is(join(' ', grep { index($printed, $_) < 0 } @said), '', "$name: $said[0]") or diag($printed);
}

# The keys in the list of the tables, of which one has a NUL byte.
my ($listed) = read_file('sql/leveldb_manifest.sql') =~ /^(SELECT sequence AS number.*?;)$/ms;
is(join(' ', session('CREATE TEMP TABLE edit AS SELECT * FROM leveldb_read('
  . blob(log_of("\2\4\3\7\4\x0d\7\0\5\xde\2\x09\0\1\1\0\0\0\0\0\0"
  . "\x09c\1\1\0\0\0\0\0\0")) . ", 'manifest'); $listed")),
  "5|0|350|X'00'|c", 'a key with a NUL byte is printed in hexadecimal');
done_testing();
