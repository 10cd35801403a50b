#!/usr/bin/perl
# The database that version 1.5 made, whose schema uses the functions, in a program
# without the extension: what no function computes can be read, but its tables can only
# be written to or restored with the extension.
# since: 3.31
use strict;
use warnings;
use File::Copy qw(copy);
use File::Temp qw(tempdir);
use Test::More;

require './tests/lib/shell.pl';

my $folder = tempdir(CLEANUP => 1);
copy('tests/data/1.5.db', "$folder/a.db") or die "$!\n";
my $load = '.load ' . ($ENV{DIST} || 'dist') . '/bloom';

# What the shell prints for statements on a database, errors too.
sub shell {
  my ($database, @statements) = @_;
  return sqlite3("$folder/$database", @statements);
}

my $count = 'SELECT count(k), sum(hash), (SELECT sum(length(f)) FROM stored) FROM value;';
my $rows = shell('a.db', $load, $count);
like($rows, qr/^17\|\d+\|\d+$/, 'with it, the rows can be read');
is(shell('a.db', $count), $rows, 'without it, they can be read, too');
for my $insert (q{INSERT INTO value(k, crc) VALUES ('ann', 1);},  # a CHECK, an index ...
                q{INSERT INTO customer(email) VALUES ('ann');}) { # ... and triggers
  like(shell('a.db', $insert), qr/(?:no such|unknown) function/, $insert);
}
is(shell('a.db', $count), $rows, 'nothing was written');

# The shell's dump ends a text at a NUL, which a CHECK would notice.
is(shell('a.db', $load, q{DELETE FROM value WHERE hex(k) = '610062';}), '', 'no NUL');
my $dump = shell('a.db', '.dump');
like(shell('without.db', $dump), qr/(?:no such|unknown) function/,
     'a dump is not restored without it');
is(shell('with.db', $load, $dump), '', 'with it, it is restored');
is(shell('with.db', $load, q{INSERT INTO value(k, crc) VALUES ('ann', crc32c('ann'));},
         q{SELECT bloom_may_match('hello', f), bloom_may_match('ann', f),},
         q{ bloom_may_match('bo', f) FROM stored WHERE name = 'sized';}),
   '1|1|0', 'the restored trigger works');
done_testing();
