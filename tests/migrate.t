#!/usr/bin/perl
# The database that version 1.5 made, in a file that is closed and opened again: its
# kept filters are used, made again and made anew by this version, and no key is lost
# before, during or after that.
# since: 3.31
use strict;
use warnings;
use File::Copy qw(copy);
use File::Temp qw(tempdir);
use Test::More;

require './tests/lib/shell.pl';

my $database = tempdir(CLEANUP => 1) . '/1.5.db';
copy('tests/data/1.5.db', $database) or die "$database: $!\n";

# What the shell prints for statements, errors too.
sub shell { sqlite3($database, '.load ' . ($ENV{DIST} || 'dist') . '/bloom', @_) }

# What must hold at each step: bloom_check reports nothing, no key and no row is
# lost, and almost all filters exclude an absent key.
my @ask = (
  'SELECT problem FROM bloom_check();',
  'SELECT count(email) - sum(bloom_may_match(email, (SELECT filter FROM',
  '    customer_email_filter))), count(email) - sum(bloom_may_match(email, (SELECT f',
  '    FROM customer_email_part AS p WHERE p.part = bloom_part(email, p.parts)))),',
  "  sum(bloom_may_match('absent' || id,",
  '    (SELECT filter FROM customer_email_filter))) < count(*) / 10 FROM customer;',
  'SELECT count(*) FROM log AS l WHERE NOT EXISTS (SELECT * FROM log_session_spans',
  '  AS s CROSS JOIN log AS k NOT INDEXED ON k.id BETWEEN s.first AND s.last',
  '  WHERE bloom_may_match(l.session, s.f) AND k.id = l.id);',
  "SELECT count(f) > 1, sum(bloom_may_match('absent', f)) - sum(f IS NULL) < 2",
  'FROM log_session_spans;');
my $right = "0|0|1\n0\n1|1";

my @create = ("SELECT bloom_create_parts('customer', 'email');",
              "SELECT bloom_create_blocks('log', 'session', 10, 200);");
my $created = "customer_email_filter\nlog_session_spans";

my $n = 0;
sub change {
  $n++;
  return "INSERT INTO customer(email) VALUES ('new$n\@example.net'), (NULL);
    UPDATE customer SET email = 'moved$n\@example.net' WHERE id = 5;
    REPLACE INTO customer(id, email) VALUES (6, 'put$n\@example.net');
    INSERT INTO log(session) SELECT 'more$n-' || id FROM log WHERE id < 500;
    UPDATE log SET session = 'changed$n' WHERE id = 20;
    DELETE FROM log WHERE id = 30;
    INSERT INTO log(id, session) VALUES (30, 'late$n');";
}

is(shell(@ask), $right, 'they exclude no key');
is(shell(change(), @ask), $right, 'they go on');
is(shell('BEGIN;', change(), @create, 'COMMIT;', @ask), "$created\n$right",
   'made again, in a transaction');
is(shell(change(), 'VACUUM;', @ask), $right, 'they go on, and past a VACUUM');
is(shell("SELECT bloom_drop_parts('customer', 'email'),",
         "  bloom_drop_blocks('log', 'session');", @create, change(), @ask),
   "8|5\n$created\n$right", 'dropped, and made anew');
is(shell('PRAGMA integrity_check;'), 'ok', 'the file is whole');
done_testing();
