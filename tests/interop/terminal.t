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
$ENV{TMPDIR} = "$work/tmp";
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
cp app.db wal.db && $shell wal.db 'PRAGMA journal_mode = WAL' >log
cp wal.db no_wal.db && mkdir no_wal.db-wal tmp
END
write_file('query.sql', "SELECT count(*) FROM visit JOIN customer USING (email);\n");
system("npm install --offline --no-audit --no-fund '$dist'/sqlite-*.tgz >log 2>&1 && " .
       "/usr/bin/python3 -m pip -q install --no-index --find-links '$dist' " .
       '--target site sqlite-bloom-leveldb >log 2>&1') == 0 or die "install: $?\n";

# The status, and what is printed: to standard output, or after an error to standard error.
sub ends {
  my ($command, $status, $said) = @_;
  my $got = `$command 2>said`;
  my ($ended, $log) = ($? >> 8, read_file('said'));
  my $error = $status == 2 ? $got eq '' : $log !~ /^sqlite-bloom/m;
  ok($ended == $status && ($status == 2 ? $log : $got) =~ $said && $error, $command)
    or diag("$ended: $got$log");
  return $log;
}

my $usage = qr/usage: sqlite-bloom-leveldb \[--seconds N\] .*DATABASE QUERY\n.*--check \[--copy\] \[--json\] DATABASE \[TABLE/;
my $missing = qr/trigger customer_email_parts_insert is missing, .*: SELECT bloom_create_parts\('customer', 'email'\)/;
my $begin = qr/^sqlite-bloom-leveldb:/m;
my $all_match = 'SELECT count(*) FROM customer AS a JOIN customer AS b USING (email) WHERE a.email >';
my $exact = qr/^sqlite-bloom-leveldb 1[.\d]+, SQLite 3[.\d]+\n\z/;
my @programs = ("node_modules/.bin/sqlite-bloom-leveldb",
                "PYTHONPATH=site /usr/bin/python3 -m sqlite_bloom");
for my $program (@programs) {
  my $said = ends("$program app.db query.sql", 0,
                  qr/^(?:this database .*; )?\S+ times as fast .*\nvisit\.email.*\n\nWITH visit AS .*\n;\n\z/s);
  like($said, qr/^app\.db is not in WAL mode: .*--copy.*\nthe query without a filter; .* left\nfilter 1 of \d, of visit\.email; the query itself took .* left$/m,
       'what it does meanwhile');
  $said = ends("$program --copy --param=x=y --seconds 30 app.db query.sql --json", 0,
               qr/^\[\n  \{\n    "advice": ".*"sql": "WITH visit.*\]\n\z/s);
  like($said, qr/\Acopying app\.db\nthe query without a filter; (?:30\.0|29\.\d) s left\n/,
       'the copy is read, for so many seconds');
  unlike(`ls -A tmp wal.db-* 2>&1`, qr/bloom/, 'nothing is left of it');
  for (
    ['--check app.db', 0, qr/^the check found no problem$/],
    ['--check --copy broken.db', 1, qr/^customer\.email \(parts\): $missing$/],
    ['broken.db --check customer email --json', 1,
     qr/^\[\n  \{\n    "table": "customer",\n.*"problem": "$missing"\n  \}\n\]$/s],
    ['--check app.db a b c', 2,
     qr/the arguments must be DATABASE \[TABLE \[COLUMN\]\], got 4\n$usage/],
    ['--check app.db none', 2, qr/$begin bloom_check: table must be .*'none'$/m],
    ['--check none.db', 2, qr/$begin there is no file none\.db$/m],
    ['--check query.sql', 2, qr/$begin query\.sql: .*not a database$/m],
    ['--check .', 2, qr/$begin \. is a folder$/m],
    ['app.db .', 2, qr/$begin \. is a folder$/m],
    ['app.db none.sql', 2, qr/$begin there is no file none\.sql$/m],
    ['query.sql app.db', 2, qr/$begin app\.db is a database, not a query: name the database first$/m],
    ['"SELECT 1" app.db', 2, qr/$begin app\.db is a database, not a query/m],
    ['app.db', 2, $usage],
    ['--wrong app.db query.sql', 2, $usage],
    ['--help', 0, qr/^$usage.*exit status/s],
    ['--version', 0, $exact],
    ['--json wal.db - <query.sql', 0, qr/^\[\n  \{\n    "advice": ".*"sql": "WITH visit/s],
    ['app.db "SELECT count(*) FROM visit"', 3, qr/\Ano filter can help: .*\n\z/],
    [qq{app.db "$all_match :a AND ?2 = 7" --param a=0 --param 2=7}, 1, qr/\A(?:.*ask again; )?no filter pays: /],
    [qq{app.db "$all_match :a"}, 2, qr/$begin query must have a value for each parameter, has none for :a/m],
    ['app.db query.sql --param x', 2, qr/$begin --param must be NAME=VALUE, got x$/m],
    ['app.db query.sql --seconds soon', 2, qr/$begin bloom_advise: seconds must be a number above 0, got TEXT 'soon'$/m],
    ['app.db "SELECT absent FROM visit"', 2, qr/$begin query: no such column: absent$/m],
    ['--json app.db "INSERT INTO visit SELECT * FROM visit"', 2, qr/$begin query must be a SELECT/m],
    ['app.db "SELECT 1 FROM visit JOIN customer USING (email) WHERE abs(length(email) - 9223372036854775807 - 81)"', 2,
     qr/$begin the query cannot be run: integer overflow$/m],
    ['no_wal.db "SELECT 1"', 2, qr/$begin no_wal\.db: .*It is in WAL mode: reading it needs no_wal\.db-wal and/m],
    ['--help >/dev/full', 2, qr/$begin .*ENOSPC|$begin .*space/m],
  ) {
    my ($arguments, $status, $printed) = @$_;
    ends("$program $arguments", $status, $printed);
  }
  is(`bash -c '$program --help 2>said | :; echo \${PIPESTATUS[0]}'` . read_file('said'), "0\n",
     'whoever reads the output has ended');
  # Another connection has the database for itself, and lets go of it.
  open my $other, '-|', "$shell app.db 'BEGIN EXCLUSIVE' '.print locked' '.system sleep 1' 'COMMIT'"
    or die "$shell: $!\n";
  is(scalar(<$other>), "locked\n", 'the database is locked');
  ends("$program --check app.db", 0, qr/no problem/);
  close $other;
}
is(`$programs[0] --help`, `$programs[1] --help`, 'both print the same help');
ends('npx --offline sqlite-bloom-leveldb --check app.db', 0, qr/no problem/);
ends('node --no-experimental-sqlite node_modules/.bin/sqlite-bloom-leveldb app.db query.sql',
     2, qr/needs node:sqlite, of Node 22\.13 or later/);
done_testing();
