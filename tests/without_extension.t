#!/usr/bin/perl
# A table whose schema uses the functions can only be written to or restored
# with the extension. Other tables, and columns that no function computes, can
# be read without it.
use strict;
use warnings;
use File::Temp qw(tempdir);
use Test::More;

require './tests/lib/shell.pl';

my $folder = tempdir(CLEANUP => 1);
my $load = '.load ' . ($ENV{DIST} || 'dist') . '/bloom';

# What the shell prints for statements on a database, errors too.
sub shell {
  my ($database, @statements) = @_;
  return sqlite3("$folder/$database", @statements);
}

is(shell('a.db', $load,
  'CREATE TABLE member(email TEXT PRIMARY KEY);',
  'CREATE TABLE filters(f BLOB);',
  'INSERT INTO filters SELECT bloom_build(NULL, 10, 100);',
  'CREATE TRIGGER member_insert AFTER INSERT ON member BEGIN',
  '  UPDATE filters SET f = bloom_add(f, NEW.email); END;',
  'CREATE TABLE block(data, crc INTEGER CHECK (crc = crc32c(data)));',
  'CREATE TABLE url(url TEXT);',
  'CREATE INDEX url_hash ON url(leveldb_hash(url));',
  q{INSERT INTO member VALUES ('ann');},
  q{INSERT INTO block VALUES ('abc', crc32c('abc'));},
  q{INSERT INTO url VALUES ('https://example.com/');}),
  '', 'a schema with a trigger, a CHECK and an index');

is(shell('a.db', 'SELECT email, length(f), data, crc, url',
         '  FROM member, filters, block, url;'),
   'ann|126|abc|910901175|https://example.com/',
   'without the extension the rows can be read');
for my $insert (q{INSERT INTO member VALUES ('bo');},
                q{INSERT INTO block VALUES ('abc', 910901175);},
                q{INSERT INTO url VALUES ('https://example.org/');}) {
  like(shell('a.db', $insert), qr/(?:no such|unknown) function/, $insert);
}
is(shell('a.db', 'SELECT count(*) FROM member;'), '1', 'nothing was written');

my $dump = shell('a.db', '.dump');
like(shell('without.db', $dump), qr/(?:no such|unknown) function/,
     'a dump is not restored without it');
is(shell('with.db', $load, $dump), '', 'with it, it is restored');
is(shell('with.db', $load, q{INSERT INTO member VALUES ('bo');},
         q{SELECT bloom_may_match('ann', f), bloom_may_match('bo', f),},
         q{ bloom_may_match('cy', f) FROM filters;}),
   '1|1|0', 'the restored trigger works');
done_testing();
