#!/usr/bin/perl
# The program sqlite-bloom-leveldb of the packages for npm and for Python: what it prints and
# how it ends, the same in both.
# skip: build/interop/bin/node
# skip: /usr/bin/python3
use strict;
use warnings;
use Test::More;
use Cwd qw(getcwd);
use File::Spec;
use File::Temp qw(tempdir);
require './tests/lib/files.pl';

my $dist = File::Spec->rel2abs($ENV{DIST} || 'dist');
my $shell = $ENV{SQLITE3} || 'sqlite3';
my $work = tempdir(CLEANUP => 1);
$ENV{PATH} = getcwd() . "/build/interop/bin:$ENV{PATH}";
chdir $work or die "$work: $!\n";
END { chdir '/' }

# Rows of which none has a partner, and each lookup is expensive.
my $load = "$shell -init /dev/null -cmd '.load $dist/bloom'";
system(<<"END") == 0 or die "sqlite3: $?\n";
$load app.db "
  CREATE TABLE customer(email TEXT PRIMARY KEY);
  CREATE TABLE visit(email TEXT);
  WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 400000)
  INSERT INTO visit SELECT hex(randomblob(40)) FROM n;
  INSERT INTO customer SELECT email || 'x' FROM visit LIMIT 40000;
  SELECT bloom_create_parts('customer', 'email');" >log
cp app.db broken.db && $load broken.db 'DROP TRIGGER customer_email_parts_insert'
END
write_file('query.sql', "SELECT count(*) FROM visit JOIN customer USING (email);\n");
system("npm install --offline --no-audit --no-fund '$dist'/sqlite-*.tgz >log 2>&1 && " .
       "/usr/bin/python3 -m pip -q install --no-index --find-links '$dist' " .
       '--target site sqlite-bloom-leveldb >log 2>&1') == 0 or die "install: $?\n";

my $old = 'import sqlite3, runpy; sqlite3.sqlite_version_info = (3, 37, 2); ' .
  'sqlite3.sqlite_version = "3.37.2"; ' .
  'runpy.run_module("sqlite_bloom", None, "__main__")';
my $usage = qr/usage: sqlite-bloom-leveldb \[--json\] DATABASE QUERY\n.*--check \[--json\] DATABASE \[TABLE/;
my $missing = qr/trigger customer_email_parts_insert is missing, .*: SELECT bloom_create_parts\('customer', 'email'\)/;
for my $program ('node_modules/.bin/sqlite-bloom-leveldb',
                 'PYTHONPATH=site /usr/bin/python3 -m sqlite_bloom') {
  for (
    ['--check app.db', 0, qr/^the check found no problem$/],
    ['--check broken.db', 1, qr/^customer\.email \(parts\): $missing$/],
    ['broken.db --check customer email --json', 1,
     qr/^\[\n  \{\n    "table": "customer",\n.*"problem": "$missing"\n  \}\n\]$/s],
    ['--check app.db a b c', 2,
     qr/the arguments must be DATABASE \[TABLE \[COLUMN\]\], got 4$/m],
    ['--check app.db none', 2, qr/^sqlite-bloom-leveldb: bloom_check: table must be .*'none'$/],
    ['--check none.db', 2, qr/^sqlite-bloom-leveldb: there is no file none\.db$/],
    ['--check query.sql', 2, qr/^sqlite-bloom-leveldb: .*not a database$/],
    ['app.db', 2, $usage],
    ['--wrong app.db query.sql', 2, $usage],
    ['--help', 0, $usage],
    ['app.db query.sql', 0, qr/^\S+ times as fast .*\nvisit\.email.*\n\nWITH visit AS .*\n;\n\z/s],
    ['--json app.db - <query.sql', 0, qr/^\[\n  \{\n    "advice": ".*"sql": "WITH visit/s],
    ['app.db "SELECT count(*) FROM visit"', 1, qr/\Ano filter can help: .*\n\z/],
    ['app.db "SELECT absent FROM visit"', 2, qr/^sqlite-bloom-leveldb: query: no such column: absent$/],
    ['--json app.db "INSERT INTO visit SELECT * FROM visit"', 2, qr/^sqlite-bloom-leveldb: query must be a SELECT/],
    ['app.db "SELECT 1 FROM visit JOIN customer USING (email) WHERE abs(length(email) - 9223372036854775807 - 81)"', 2,
     qr/^sqlite-bloom-leveldb: the query cannot be run: integer overflow$/],
  ) {
    my ($arguments, $status, $said) = @$_;
    my $got = `$program $arguments 2>&1`;
    ok($? >> 8 == $status && $got =~ $said, "$program $arguments") or diag("$?: $got");
  }
}
for (['npx --offline sqlite-bloom-leveldb --check app.db', 0, qr/no problem/],
     ["node --no-experimental-sqlite node_modules/.bin/sqlite-bloom-leveldb app.db query.sql",
      2, qr/needs node:sqlite, of Node 22\.13 or later/],
     ["PYTHONPATH=site /usr/bin/python3 -c '$old' app.db query.sql",
      2, qr/advice needs SQLite 3\.38 or later, and this Python has 3\.37\.2: only --check/],
     ["PYTHONPATH=site /usr/bin/python3 -c '$old' --check app.db", 0, qr/no problem/]) {
  my ($command, $status, $said) = @$_;
  my $got = `$command 2>&1`;
  ok($? >> 8 == $status && $got =~ $said, $got);
}
done_testing();
