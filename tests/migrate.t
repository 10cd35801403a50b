#!/usr/bin/perl
# The database that version 1.0 made, whose filters the recipes of that version keep,
# migrated to filters that bloom_create_parts and bloom_create_blocks keep: beside
# those of the recipes, and in their place. No key is lost before, during or after
# the migration, in a file that is closed and opened again.
# since: 3.31
use strict;
use warnings;
use File::Copy qw(copy);
use File::Temp qw(tempdir);
use Test::More;

require './tests/lib/shell.pl';

my $folder = tempdir(CLEANUP => 1);
my $load = '.load ' . ($ENV{DIST} || 'dist') . '/bloom';

# What the shell prints for statements on a database, errors too.
sub shell {
  my ($database, @statements) = @_;
  return sqlite3($database, $load, @statements);
}

my $database = "$folder/1.0.db";
copy('tests/data/1.0.db', $database) or die "$database: $!\n";

# The objects of the old recipes, which are dropped for good.
my @drops = (
  'DROP TRIGGER member_insert; DROP TRIGGER member_update;',
  'DROP TRIGGER split_insert; DROP TRIGGER split_update;',
  'DROP TRIGGER visit_suspect; DROP VIEW known_visit; DROP VIEW overfull;',
  'DROP VIEW opened; DROP TABLE split; DROP TABLE filters;',
  'DROP VIEW span; DROP TRIGGER log_inserted; DROP TABLE block;');

my @create = ("SELECT bloom_create_parts('member', 'email');",
              "SELECT bloom_create_blocks('log', 'session', 12, 128);");
my $created = "member_email_filter\nlog_session_spans";

# What must hold at each step: bloom_check reports nothing, no key and no row
# is lost, and almost all filters exclude an absent key.
my @ask = (
  'SELECT problem FROM bloom_check();',
  "SELECT count(email) - sum(bloom_may_match(email,",
  "  (SELECT filter FROM member_email_filter))),",
  "  count(email) - sum(bloom_may_match(email,",
  "    (SELECT f FROM member_email_part AS p",
  "     WHERE p.part = bloom_part(email, p.parts)))),",
  "  sum(bloom_may_match('absent' || id,",
  "    (SELECT filter FROM member_email_filter))) < count(*) / 10",
  "FROM member;",
  'SELECT count(*) FROM log AS l WHERE session IS NOT NULL AND NOT EXISTS (',
  '  SELECT * FROM log_session_spans AS s CROSS JOIN log AS k NOT INDEXED',
  '    ON k.id BETWEEN s.first AND s.last',
  '  WHERE bloom_may_match(l.session, s.f) AND k.id = l.id);',
  "SELECT count(f) > 1, sum(bloom_may_match('absent', f)) - sum(f IS NULL) < 2",
  'FROM log_session_spans;',
);
my $right = "0|0|1\n0\n1|1";

my $changed = 0;
my $change = sub {
  $changed++;
  return (
    "INSERT INTO member(email) VALUES ('new$changed\@example.net'), (NULL);",
    "UPDATE member SET email = 'moved$changed\@example.net' WHERE id = 5;",
    "REPLACE INTO member(id, email) VALUES (6, 'put$changed\@example.net');",
    "INSERT INTO log(session) SELECT 'more$changed-' || (id / 5) FROM log",
    'WHERE id < 200;',
    "UPDATE log SET session = 'changed$changed' WHERE id = 20;",
    "DELETE FROM log WHERE id = 30; INSERT INTO log(id, session)",
    "VALUES (30, 'late$changed');",
  );
};

is(shell($database, @create), $created,
   "both filters, beside what is there");
is(shell($database, @ask), $right, "they keep what the old ones keep");
is(shell($database, $change->(), @ask), $right, "and go on with them");

my $old = "(SELECT bloom_open(f) FROM filters WHERE name = 'member')";
is(shell($database, "SELECT count(*) FROM member WHERE NOT",
         "bloom_may_match(email, $old);",
         "SELECT count(*) FROM log AS l WHERE session IS NOT NULL AND NOT",
         'EXISTS (SELECT * FROM span CROSS JOIN log AS k NOT INDEXED',
         'ON k.id BETWEEN first AND last',
         'WHERE bloom_may_match(l.session, f) AND k.id = l.id);'),
   "0\n0", "so do the old ones");

is(shell($database, 'BEGIN;', @drops, 'COMMIT;', @ask), $right,
   "the old ones go");
is(shell($database, $change->(), 'VACUUM;', @ask), $right,
   "the new ones go on, and past a VACUUM");
is(shell($database, 'BEGIN;', @create, 'COMMIT;', $change->(), @ask),
   "$created\n$right", "made again, in a transaction");
is(shell($database, 'PRAGMA integrity_check;'), 'ok', "the file is whole");
done_testing();
