#!/usr/bin/perl
# sql/leveldb_newest.sql on whole folders that are written here: paths, links, files that
# are none of LevelDB's, folders without a MANIFEST, one key, what LevelDB's Get does not
# find, and long MANIFESTs.
use strict;
use warnings;
use Test::More;
use File::Temp qw(tempdir);
use POSIX qw(mkfifo);
require './tests/lib/sstable.pl';

my $dist = $ENV{DIST} || 'dist';
my $shell = $ENV{SQLITE3} || 'sqlite3';
my $work = tempdir(CLEANUP => 1);
my $recipe = read_file('sql/leveldb_newest.sql') =~ s{^\.load .*}{.load $dist/bloom}mr;
write_file("$work/newest.sql", $recipe);

# What the recipe prints in a session with these parameters, and then the statements. It
# may be read several times.
sub read_folder {
  my ($parameters, @statements) = @_;
  return join "\n", session('.parameter init', $parameters, ".read $work/newest.sql",
                            '.print asked', @statements);
}
sub asked { return read_folder(@_) =~ s/.*^asked\n?//msr }
sub folder { return ".parameter set :folder '$_[0]'" }

# Bytes in SQL, and the bytes that an expression gives.
sub blob { return "x'" . unpack('H*', $_[0]) . "'" }
my %checksum_of;
sub checksum {
  my ($bytes) = @_;
  return $checksum_of{$bytes} //= pack 'H*', join '', session(
    'SELECT hex(leveldb_fixed32(crc32c_mask(crc32c(' . blob($bytes) . '))));');
}
sub varint { my ($n) = @_; return $n < 128 ? chr $n : chr($n & 127 | 128) . varint($n >> 7) }
sub text { return varint(length $_[0]) . $_[0] }
sub log_of {
  return join '', map { my $typed = "\1$_"; checksum($typed) . pack('v', length $_) . $typed } @_;
}
# A key with its sequence number and type.
sub internal { my ($key, $sequence, $type) = @_; return $key . pack 'Q<', $sequence << 8 | ($type // 1) }

# A table of these entries, [key, sequence, value], with a filter of the keys that are
# given. 'next' begins another block, and 'zlib' one whose type is 2.
sub table_of {
  my ($filtered, $base, @entries) = @_;
  my $file = '';
  my $block = sub {
    my ($bytes, $type) = @_;
    my $handle = varint(length $file) . varint(length $bytes);
    my $typed = $bytes . chr($type // 0);
    $file .= $typed . checksum($typed);
    return $handle;
  };
  my $entry = sub { my ($key, $value) = @_; "\0" . varint(length $key) . varint(length $value) . $key . $value };
  my $end = pack 'VV', 0, 1;
  my ($data, $index, $type, $last) = ('', '', 0, ['zz', 1]);
  my $end_block = sub { $index .= $entry->(internal(@$last[0, 1]), $block->($data . $end, $type)); $data = '' };
  for (@entries) {
    if (!ref) {
      $end_block->() if $data ne '';
      $type = $_ eq 'zlib' ? 2 : 0;
      next;
    }
    $data .= $entry->(internal(@$_[0, 1], defined $_->[2] ? 1 : 0), $_->[2] // '');
    $last = $_;
  }
  $last = ['zz', 1];
  $end_block->();
  my $meta = "\0\0\0\0" . pack 'V', 1;
  if ($filtered) {
    my ($hex) = session('SELECT hex(bloom_build(k, 10)) FROM (SELECT NULL AS k'
      . join('', map { ' UNION ALL SELECT ' . blob($_) } @$filtered) . ');');
    my $filter = pack 'H*', $hex;
    my $handle = $block->($filter . pack('VV', 0, length $filter) . chr $base);
    $meta = $entry->('filter.leveldb.BuiltinBloomFilter' . ($base == 11 ? 2 : ''), $handle) . $end;
  }
  my $footer = $block->($meta) . $block->($index . $end);
  return $file . $footer . "\0" x (40 - length $footer) . pack 'H*', '57fb808b247547db';
}

# Writes a folder of these tables: number => [level, bytes, first, last].
my $written = 0;
sub write_folder {
  my ($tables, %files) = @_;
  my $folder = "$work/db" . $written++;
  mkdir $folder or die "$folder: $!\n";
  my $edit = "\1" . text('leveldb.BytewiseComparator') . "\2\3\3\x63\4\x64";
  for my $number (sort keys %$tables) {
    my ($level, $bytes, $first, $last) = @{$tables->{$number}};
    $edit .= "\7" . chr($level) . varint($number) . varint(length $bytes) . text($first) . text($last);
    write_file(sprintf('%s/%06d.ldb', $folder, $number), $bytes);
  }
  %files = (CURRENT => "MANIFEST-000002\n", 'MANIFEST-000002' => log_of($edit),
            '000003.log' => '', %files);
  write_file("$folder/$_", $files{$_}) for grep { defined $files{$_} } keys %files;
  return $folder;
}
# One table at this level.
sub of {
  my ($level, @entries) = @_;
  return [$level, table_of(undef, 11, @entries),
          map { internal(@$_[0, 1], defined $_->[2] ? 1 : 0) } (grep { ref } @entries)[0, -1]];
}
sub wrong_byte { my ($bytes, $at) = @_; substr($bytes, $at, 1) ^= "\x10"; return $bytes }
my @abc = (['a', 1, 'one'], ['b', 2, 'two'], ['c', 3]);
my $newest = 'SELECT CAST(key AS TEXT), CAST(value AS TEXT), doubt FROM newest;';
my $what = 'SELECT name, what, effect FROM damage;';

my $one = write_folder({5 => of(1, @abc)});
is(asked(folder($one), $newest, $what), "a|one|0\nb|two|0", 'a folder');
like(read_folder(folder($one)), qr/^keys\|2\ndeleted keys\|1\nolder entries\|0\nrows of damage\|0\na\|one\nb\|two\n/m,
     'a summary, and then the first pairs');
is(asked(folder($one), "SELECT value FROM newest_text WHERE key = 'b';"), 'two', 'a key as text');

# One session, two folders.
my $other = write_folder({5 => of(1, ['a', 9, 'other']), 7 => of(1, ['x', 8, 'y'])});
is(asked(folder($one) . "\n.read $work/newest.sql\n" . folder($other), $newest, $what),
   "a|other|0\nx|y|0", 'a second folder in one session');
my ($command) = $recipe =~ /^--   (sqlite3 pairs\.db .*?[^\\]\n)/ms;
my $export = $command =~ s/^--//mgr =~ s{/tmp/copy}{$one}r =~ s{sql/leveldb_newest}{$work/newest}r
  =~ s{sqlite3 pairs\.db}{$shell $work/pairs.db}r;
my $twice = `$export 2>&1` . `$export 2>&1`;
unlike($twice, qr/error/i, 'the command that stores pairs can be run twice');
is(`$shell '$work/pairs.db' 'SELECT count(*), typeof(key) FROM pairs'`, "2|blob\n", 'and stores them');

# Links, wrong paths and strangers.
symlink $one, "$work/link" or die;
is(asked(folder("$work/link"), $newest, $what), "a|one|0\nb|two|0", 'a link to a folder');
is(asked(folder("$one/"), $newest, $what), "a|one|0\nb|two|0", 'a slash at the end');
my $linked = write_folder({}, map { $_ => undef } 'CURRENT', 'MANIFEST-000002', '000003.log');
symlink "$one/$_", "$linked/$_" or die for 'CURRENT', 'MANIFEST-000002', '000003.log', '000005.ldb';
is(asked(folder($linked), $newest, $what), "a|one|0\nb|two|0", 'a folder of links');
write_file("$one/readme.ldb", 'x');
write_file("$one/7.ldb", 'x');
write_file("$one/huge", '');
truncate "$one/huge", 2_500_000_000;
mkdir "$one/$_" for 'lost', '000008.ldb';
mkfifo "$one/000009.ldb", 0600 or die;
is(asked(folder($one), $newest, $what), "a|one|0\nb|two|0", 'files that are none of LevelDB\'s, one of 2.5 GB');
unlink "$one/huge", "$one/000009.ldb";
mkdir "$work/parent";
rename $other, "$work/parent/other" or die;
like(read_folder(folder("$work/parent")), qr{^no LevelDB folder: \S*/parent, but perhaps: \S*/parent/\./other$}m,
     'a parent folder');
like(read_folder(folder("$work/typo")), qr{^no LevelDB folder: \S*/typo$}m, 'a typo');
unlike(read_folder(folder("$work/$_")), qr/RepairDB|damage\|[1-9]/, "$_: no damage") for 'parent', 'typo';

# What LevelDB opens without a word, and what it refuses.
my $log = log_of("\x65\0\0\0\0\0\0\0\1\0\0\0\1\1d\1x", "\x66\0\0\0\0\0\0\0\1\0\0\0\1\1e\1y");
my $torn = write_folder({5 => of(1, @abc)}, '000003.log' => substr $log, 0, -3);
is(asked(folder($torn), $what, $newest), "000003.log|record of 17 bytes: the file ends within it, at "
   . (length($log) - 3) . "|none\na|one|0\nb|two|0\nd|x|0", 'a log that a crash has cut off');
unlike(read_folder(folder($torn)), qr/RepairDB/, 'for which RepairDB is no remedy');
my $manifest = read_file("$torn/MANIFEST-000002");
write_file("$torn/MANIFEST-000002", $manifest . substr $manifest, 0, 30);
like(asked(folder($torn), $what), qr/^MANIFEST-000002\|record of \d+ bytes: the file ends within it, at \d+\|none$/m,
     'a torn last record of the MANIFEST');
write_file("$torn/MANIFEST-000002", substr $manifest, 0, 30);
like(read_folder(folder($torn), $newest), qr/\|refusal\n(?:.*\n)*RepairDB.*\n(?:.*\n)*a\|one\|1\n/,
     'a MANIFEST without its first record is refused, and all keys are in doubt');
write_file("$torn/MANIFEST-000002", $manifest . "\0" x 9 . 'x' x 40);
is(asked(folder($torn), $what) =~ s/^000003.*\n?//mr, "MANIFEST-000002|zeros: what follows in its block is skipped|loss\n",
   'zeros in the MANIFEST, behind which LevelDB skips the rest');
my $java = of(1, @abc);
my $short = write_folder({5 => [1, $java->[1] . 'xxxx', @$java[2, 3]]});
write_file("$short/000005.ldb", $java->[1]);
is(asked(folder($short), $what, $newest), '000005.ldb|the file has ' . length($java->[1])
   . ' bytes, and the MANIFEST says ' . (4 + length $java->[1]) . ", as the Java port writes|loss\na|one|1\nb|two|1",
   'a table of the Java port that is shorter than its MANIFEST says');

# Where the iterator and Get differ.
my $order = write_folder({5 => of(1, ['a', 9, 'new'], ['b', 2, 'two']), 6 => of(0, ['a', 4, 'old'])});
is(asked(folder($order), $what, $newest),
   "000006.ldb|Get finds older entries here than the iterator elsewhere: 1|loss\na|new|1\nb|two|0",
   'an upper level has an older entry');
my $zero = write_folder({5 => of(0, ['a', 9, 'new']), 6 => of(0, ['a', 4, 'old'])});
like(asked(folder($zero), $what), qr/^000006.ldb\|Get finds older.*: 1\|loss$/m, 'and the newer file of level 0');
my $split = write_folder({5 => of(1, ['a', 1, 'x'], ['k', 5, 'old']), 6 => of(1, ['k', 9, 'new'], ['z', 2, 'x'])});
like(asked(folder($split), $what), qr/^000005.ldb\|Get finds older.*: 1\|loss$/m, 'and the end of a table before the next');
is(asked(folder(write_folder({5 => of(1, ['a', 1, 'x'], ['k', 9, 'new']), 6 => of(1, ['k', 5, 'old'])})), $what), '',
   'a key in two tables of a level, the newer entry first, is as LevelDB writes it');
for ([11, ['a', 'b', 'c'], ''], [11, ['b'], "000005.ldb|its filter lacks it: 2|loss"],
     [12, ['b'], "000005.ldb|its filter lacks it: 2|loss"], [13, ['a', 'b', 'c'], '']) {
  my ($base, $keys, $expected) = @$_;
  my $folder = write_folder({5 => [1, table_of($keys, $base, @abc), internal('a', 1), internal('c', 3, 0)]});
  is(asked(folder($folder), $what), $expected, "a filter of @$keys, base $base");
}

# Without a MANIFEST, all files are read; a table without its footer, too.
my @tables = (5 => of(1, @abc), 7 => of(1, ['x', 8, 'y']));
for my $missing ('CURRENT', 'MANIFEST-000002') {
  my $folder = write_folder({@tables}, $missing => undef, '000003.log' => $log);
  is(asked(folder($folder), $newest), "a|one|1\nb|two|1\nd|x|1\ne|y|1\nx|y|1", "without $missing");
  is(asked(folder($folder), 'SELECT name, live, level, sequence, type, CAST(key AS TEXT) FROM record ORDER BY sequence;'),
     "000005.ldb|||1|1|a\n000005.ldb|||2|1|b\n000005.ldb|||3|0|c\n000007.ldb|||8|1|x\n000003.log|||101|1|d\n000003.log|||102|1|e",
     'each record');
}
my $cut = write_folder({@tables}, '000009.ldb' => of(1, ['a', 90, 'dead'])->[1]);
write_file("$cut/000005.ldb", substr read_file("$cut/000005.ldb"), 0, -60);
is(asked(folder($cut), 'SELECT key, value, doubt FROM newest_text;'), "a|one|1\nb|two|1\nx|y|0", 'without a footer');
is(asked(folder($cut), "SELECT live, level, CAST(value AS TEXT) FROM record WHERE key = x'61' ORDER BY sequence;"),
   "1|1|one\n0||dead", 'and a table that is not live');
unlink "$cut/$_" for 'CURRENT', '000009.ldb';
write_file("$cut/000007.ldb", wrong_byte(read_file("$cut/000007.ldb"), -1));
is(asked(folder($cut), 'SELECT key, value, doubt FROM newest_text;'), "a|one|1\nb|two|1\nx|y|1",
   'without CURRENT and any footer');

# Which keys a damage touches: those between the bounds of the block, or of the table.
my $blocks = of(1, ['b', 11, 'new'], 'next', ['m', 12, 'new'], 'next', ['x', 13, 'new']);
my $old = of(2, map { [$_, ord() % 10, "old $_"] } qw(a b m n x));
my $touched = write_folder({5 => [1, wrong_byte($blocks->[1], 35), @$blocks[2, 3]], 6 => $old});
my $asked = 'SELECT key, value, doubt FROM newest_text;';
my $where = 'SELECT what, effect, CAST(first AS TEXT), CAST(last AS TEXT) FROM damage;';
is(asked(folder($touched), $asked, $where), "a|old a|0\nb|new|1\nm|old m|1\nn|old n|0\nx|new|0\n"
   . 'data block of 23 bytes: its checksum is wrong|loss|b|m', 'a lost block touches the keys from its lower to its upper bound');
like(read_folder(folder($touched)), qr/^rows of damage\|1\nkeys that damage may touch\|2\n/m, 'which the summary counts');
unlink "$touched/000005.ldb";
is(asked(folder($touched), $asked, $where), "a|old a|0\nb|old b|1\nm|old m|1\nn|old n|1\nx|old x|1\n"
   . 'the file is missing|refusal|b|x', 'a missing table touches the keys of its range');
like(read_folder(folder($touched)), qr/^RepairDB /m, 'for which RepairDB is the remedy');
write_file("$touched/000005.ldb", '');
like(asked(folder($touched), $asked, $where), qr/^n\|old n\|1\n.*^the file is empty\|loss\|b\|x$/ms,
     'and so does one that a crash has left empty');

my $inner = of(3, ['c', 1, 'c'], 'next', ['d', 2, 'd'], 'next', ['e', 3, 'e']);
my $nested = write_folder({5 => $blocks, 6 => $old, 7 => [3, wrong_byte($inner->[1], 35), @$inner[2, 3]]});
unlink "$nested/000005.ldb";
is(asked(folder($nested), $asked) =~ s/old //gr, "a|a|0\nb|b|1\nc|c|1\ne|e|1\nm|m|1\nn|n|1\nx|x|1",
   'also those behind a smaller range within');

# Blocks of games, which are compressed by zlib: the shell names them, and not RepairDB,
# which would drop them.
my $game = write_folder({5 => of(1, ['b', 11, 'new'], 'zlib', ['m', 12, 'new'])}, CURRENT => undef);
my $said = read_folder(folder($game), $asked);
like($said, qr/^000005\.ldb\|\d+\|data block of 23 bytes: type 2 .* zlib, probably\|/m, 'a block of zlib');
like($said, qr/^asked\nb\|new\|1$/m, 'beside which the rest is read');
unlike($said, qr/RepairDB/, 'is no reason for RepairDB');

# Values that are XORed with a key of the folder, as those of Bitcoin Core.
my ($mask, $plain) = ("\x08\0\xff\x1b", "coin\0s\xff");
my $xored = write_folder({5 => of(1, ["\0obfuscate_key", 1, "\4$mask"], ['Ca', 2, $plain ^ substr $mask x 9, 0, 7])});
my ($stored, $key) = map { pack 'H*', $_ } split /\n/, asked(folder($xored),
  "SELECT hex(value) FROM newest ORDER BY key DESC;");
is($stored ^ substr(substr($key, 1) x 9, 0, 7), $plain, 'XORed values are given as they are stored');

# A browser's storage, whose keys are a site, a NUL byte and a name.
my $site = write_folder({5 => of(1, ["_https://a.example\0\1name", 1, "\1Ada"], ["_https://b.example\0\1name", 2, "\1Bob"])});
like(read_folder(folder($site)), qr/^X'5F6874[0-9A-F]+6E616D65'\|\S+Ada$/m, 'keys with a NUL byte are printed whole');
is(asked(folder($site) . "\n.parameter set :prefix '_https://b.example'", 'SELECT CAST(substr(key, instr(key, x\'00\') + 2)
  AS TEXT), CAST(substr(value, 2) AS TEXT) FROM newest;'), 'name|Bob', 'and those of a site are read by prefix');

# A comparator of its own orders keys otherwise, so that one key is not found by ranges.
my $z_to_a = of(1, ['z', 1, 'last'], ['a', 2, 'first']);
my $chrome = write_folder({}, '000005.ldb' => $z_to_a->[1], 'MANIFEST-000002' => log_of("\1" . text('idb_cmp1')
  . "\2\3\3\x63\4\x64\7\1\5" . varint(length $z_to_a->[1]) . join '', map { text($_) } @$z_to_a[2, 3]));
is(asked(folder($chrome), $asked, $what), "a|first|0\nz|last|0", 'a comparator of its own');
is(asked(folder($chrome) . "\n.parameter set :key z", $asked, $what), 'z|last|0', 'and one key');

# What was overwritten or deleted is still there, in tables and logs, with its file.
my $past = write_folder({5 => of(1, ['a', 3, 'third'], ['a', 1, 'first'], ['b', 2, 'gone'])},
  '000003.log' => log_of("\x65\0\0\0\0\0\0\0\2\0\0\0\0\1b\1\1a\4last", "\x67\0\0\0\0\0\0\0\2\0\0\0\1\1c\4said\0\1c"));
is(asked(folder($past), $asked, 'SELECT name, sequence, type, CAST(key AS TEXT), CAST(value AS TEXT)
  FROM record ORDER BY key, sequence;'), join("\n", 'a|last|0', '000005.ldb|1|1|a|first', '000005.ldb|3|1|a|third',
  '000003.log|102|1|a|last', '000005.ldb|2|1|b|gone', '000003.log|101|0|b|', '000003.log|103|1|c|said',
  '000003.log|104|0|c|'), 'old and deleted values');

# Reading changes nothing in the folder.
sub state_of { return join ' ', map { "$_ " . join ',', (stat)[1, 7, 9], unpack '%32C*', -d ? '' : read_file($_) } sort glob "$_[0] $_[0]/*" }
for ($torn, $touched, $past) {
  my $before = state_of($_);
  read_folder(folder($_));
  is(state_of($_), $before, 'a folder is not changed');
}

# One key, and a prefix.
my $many = write_folder({5 => [1, table_of(['a', 'b', 'c'], 11, @abc), internal('a', 1), internal('c', 3, 0)],
  6 => [2, table_of(['a', 'd'], 11, ['a', 1, 'x'], ['d', 1, 'y']), internal('a', 1), internal('d', 1)],
  7 => of(2, ['e', 1, 'x'])});
like(read_folder(folder($many) . "\n.parameter set :key b", $newest),
     qr/^000005.ldb\|has it\n000006.ldb\|spared by its filter\n000007.ldb\|spared by its range\n(?:.*\n)*asked\nb\|two\|0$/m,
     'one key, and the files that were not read');
is(asked(folder($many) . "\n.parameter set :key c", $newest, $what), '', 'a deleted key');
is(asked(folder($many) . "\n.parameter set :prefix $_", $newest, 'SELECT DISTINCT rank FROM item;'), "d|y|0\n3", "the prefix $_")
  for 'd', q{"'d'"}, q{x'64'};

# A MANIFEST of many edits, each of which adds a table and deletes one of five before.
my @edits = ("\2\3\3\xff\x7f\4\x64", map { "\7\1" . varint($_) . "\5" . text(internal('a', 1)) x 2
  . ($_ > 5 ? "\6\1" . varint($_ - 5) : '') } 1 .. 12000);
{ no warnings 'redefine';
  my @crc = map { my $crc = $_; $crc = $crc & 1 ? $crc >> 1 ^ 0x82f63b78 : $crc >> 1 for 1 .. 8; $crc } 0 .. 255;
  *checksum = sub {
    my $crc = 0xffffffff;
    $crc = $crc >> 8 ^ $crc[($crc ^ $_) & 255] for unpack 'C*', $_[0];
    $crc ^= 0xffffffff;
    return pack 'V', (($crc >> 15 | $crc << 17) + 0xa282ead8) & 0xffffffff;
  };
}
# The records in blocks of 32 KB.
sub blocks_of {
  my $bytes = '';
  for (@_) {
    my $room = 32768 - length($bytes) % 32768;
    $bytes .= "\0" x $room if $room < 7 + length;
    $bytes .= log_of($_);
  }
  return $bytes;
}
my $long = write_folder({}, 'MANIFEST-000002' => blocks_of(@edits));
is(asked(folder($long), 'SELECT count(*), min(number), max(number) FROM live_file;'), '5|11996|12000',
   '12,000 edits leave five tables');
is(asked(folder(write_folder({}, 'MANIFEST-000002' => log_of("\2\3\3\4\4\x80\x80\x80\x80\x80\x80\x80\x80\x01"))),
         "SELECT number FROM state WHERE what = 'last sequence';"), 1 << 56, 'a number of 2^56');

# Writes with one sequence number, of which LevelDB takes either: none, if they are the same.
my @same = map { "\x65\0\0\0\0\0\0\0\1\0\0\0\1\1k\1" . ($_ % 9) } 1 .. 9000;
is(asked(folder(write_folder({}, '000003.log' => blocks_of(@same))), $what),
   '000003.log|another write has the same sequence number|loss', '9,000 writes with one sequence number');
is(asked(folder(write_folder({}, map { $_ => $log } '000003.log', '000004.log')), $what), '', 'a log that is there twice');
done_testing();
