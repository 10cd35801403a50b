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
# Who may write a table with kept filters, and the way out of sql/kept.md.
is(shell('kept.db', $load, 'CREATE TABLE t(id INTEGER PRIMARY KEY, k, n);',
         q{INSERT INTO t(k) VALUES ('a'), ('b'), ('c');},
         q{SELECT bloom_create_parts('t', 'k'), bloom_create_blocks('t', 'k', 10, 2);}),
   't_k_filter|t_k_spans', 'a table with kept filters');
for my $write (q{INSERT INTO t(k) VALUES ('d');}, 'UPDATE t SET n = 1;') {
  like(shell('kept.db', $write), qr/no such function/, "without it: $write");
}
my @drops = map { "DROP TRIGGER t_k_$_;" }
  map { ("${_}_insert", "${_}_update") } qw(parts blocks);
is(shell('kept.db', 'DELETE FROM t WHERE id = 1;', @drops,
         q{INSERT INTO t(k) VALUES ('d'), ('e'); UPDATE t SET k = 'f' WHERE id = 4;}),
   '', 'without it: DELETE, and all after the triggers are dropped');
is(shell('kept.db', $load, 'SELECT count(*) FROM t WHERE bloom_may_match(k,',
         '(SELECT filter FROM t_k_filter)) IS NOT 0 AND bloom_may_match(k, (SELECT f',
         'FROM t_k_part WHERE part = bloom_part(k, parts))) IS NOT 0; SELECT count(*)',
         'FROM t_k_spans AS s JOIN t ON id BETWEEN first AND last WHERE f IS NULL;'),
   "4\n4", 'every row is read');
is(shell('kept.db', $load, q{SELECT bloom_create_parts('t', 'k'),},
         q{bloom_create_blocks('t', 'k'); SELECT * FROM bloom_check();}),
   't_k_filter|t_k_spans', 'a call makes it right');
done_testing();
