#!/usr/bin/perl
# The set that sql/shipped_set.sql makes, queried by the shell, Perl and Node with
# the recipe's own query: each of its keys, absent keys, keys in another form, and
# files in which a byte is wrong.
# skip: build/interop/bin/node
use strict;
use warnings;
use Test::More;
use Digest::SHA qw(sha1 sha1_hex);
use Cwd;
use File::Temp qw(tempdir);
require './tests/lib/files.pl';
require './tests/lib/shell.pl';
BEGIN {
  eval { require DBI; require DBD::SQLite; 1 }
    or plan skip_all => 'libdbd-sqlite3-perl is not installed';
}

my $keys = 50_000;
my $extension = ($ENV{DIST} || 'dist') . '/bloom';
my $work = tempdir(CLEANUP => 1);
my $set = "$work/set.db";

# The recipe up to its queries; its query for one key, and its part for Node.
my $recipe = read_file('sql/shipped_set.sql');
my ($query) = $recipe =~ /^(SELECT bloom_may_match\(:sha1, CASE.*?);/ms
  or die "no query for one key\n";
my ($for_node) = $recipe =~ /^--   (const \{DatabaseSync\}.*?)\n\n/ms
  or die "no part for Node\n";
$for_node =~ s/^--//mg;
$recipe =~ s{^\.load .*}{.load $extension}m;
$recipe =~ s{^-- ---- One key.*}{}ms;
write_file("$work/short.sql", $recipe);

# The two commands of the recipe's head for keys of one's own.
my ($from_table, $from_list) = map { s/^--//mgr }
  $recipe =~ /^--   (sqlite3 set\.db -cmd .*?<[^\n]*)$/msg;
sub make_set {
  my ($command) = @_;
  $command =~ s{\bset\.db}{'$set'} or die "no set in: $command\n";
  $command =~ s{sql/shipped_set\.sql}{'$work/short.sql'} or die "no recipe: $command\n";
  $command =~ s{(own\.db|list\.txt)}{$work/$1}g;
  unlink $set;
  chomp(my $printed = `$command 2>&1`);
  return $printed;
}
my $values = join ', ', map { "('" . sha1_hex("file $_") . "')" } 1 .. $keys;
sqlite3("$work/own.db", 'CREATE TABLE file(sha1 TEXT);',
        "INSERT INTO file VALUES $values;");
is(make_set($from_table), '50|20', 'the shell makes the set from a table');
my $parts = 'SELECT part, parts, checksum FROM known_parts;';
my $made = sqlite3($set, $parts);
write_file("$work/list.txt", join '', map { sha1_hex("file $_") . qq{  a "file", $_\n} } 1 .. $keys);
is(make_set($from_list), '50|20', 'and from a list');
is(sqlite3($set, $parts), $made, 'the same one');
is(sqlite3($set, "SELECT group_concat(name) FROM sqlite_master WHERE type = 'table';"),
   'known_parts', 'without the keys themselves');

# Lists from which no set is made, and those whose lines .import would split.
for (['a key of another form', uc sha1_hex('a') . "\n", qr/known has keys of another form/],
     ['no key', '', qr/known has no keys/]) {
  my ($what, $lines, $error) = @$_;
  write_file("$work/list.txt", $lines);
  like(make_set($from_list), $error, "$what is an error");
  is(sqlite3($set, 'SELECT count(*) FROM sqlite_master;'), 0, 'and no set is made');
}
my ($before, $after) = $recipe =~ /write (-cmd '.*?)\n-- before it, and (-cmd '[^']*')/
  or die "no options of .import\n";
my $lines_as_they_are = $from_list =~ s/(-cmd '\.import [^']*')/$before $1 $after/r
  =~ s/substr\(line, 1, 40\)/substr(line, -40)/r;
write_file("$work/list.txt", join '', map { qq{"a|file", $_  } . sha1_hex("file $_") . "\n" } 1 .. $keys);
is(make_set($lines_as_they_are), '50|20', 'a list with quotes and bars');
is(sqlite3($set, $parts), $made, 'gives the same set');

# ---- The shell

sub shell_answer {
  my ($key) = @_;
  return sqlite3($set, ".load $extension", '.parameter init',
                 "INSERT INTO sqlite_parameters VALUES (':sha1', $key);",
                 "$query;");
}

my $form = 'a SHA-1 is 40 lower-case hex digits';
is(shell_answer("'" . sha1_hex('file 777') . "'"), 1, 'the shell: a key of the set');
is(shell_answer("'" . sha1_hex('stranger') . "'"), 0, 'another');
like(shell_answer("x'" . sha1_hex('file 777') . "'"), qr/\Q$form\E/, 'a BLOB');

# ---- Perl

my $db = DBI->connect("dbi:SQLite:dbname=$set", '', '', {RaiseError => 1, PrintError => 0});
$db->sqlite_enable_load_extension(1);
$db->sqlite_load_extension($extension);

# How many of the keys match, or the first error.
sub perl_matches {
  my (@keys) = @_;
  my $matches = 0;
  eval {
    my $statement = $db->prepare_cached($query);
    $matches += $db->selectrow_array($statement, undef, $_) for @keys;
    1;
  } or return $@;
  return $matches;
}

my @known = map { sha1_hex("file $_") } 1 .. $keys;
my @strangers = map { sha1_hex("stranger $_") } 1 .. 20_000;
is(perl_matches($known[0]), 1, 'Perl: a key of the set');
my $read = $db->sqlite_db_status->{cache_miss}{current};
cmp_ok($read, '<', 10, "is found after $read page reads");
is(perl_matches(@known), $keys, 'every key');
my $wrong = perl_matches(@strangers);
cmp_ok($wrong, '<', 10, "$wrong of 20,000 others");
like(perl_matches(uc $known[0]), qr/\Q$form\E/, 'capitals are an error');
like(perl_matches(sha1('file 1')), qr/\Q$form\E/, 'and 20 bytes');
like(perl_matches(undef), qr/\Q$form\E/, 'and no key');

# ---- Node: the recipe's own part, with a package that loads this extension

my $package = "$work/node_modules/sqlite-bloom-leveldb";
mkdir "$work/node_modules";
mkdir $package;
write_file("$package/index.js", "exports.load = (db) => db.loadExtension(
  require('path').resolve(process.env.EXTENSION));");
write_file("$work/one_key.sql", $query);
write_file("$work/node.js", $for_node . "
  const sha1 = (text) => require('crypto').createHash('sha1').update(text);
  const known = sha1('file 1').digest();
  for (const key of [known.toString('hex'), sha1('stranger').digest('hex'), known,
                     known.toString('base64')]) {
    try { console.log(mayBeKnown(key)); } catch (error) { console.log(error.message); }
  }");
my $node = Cwd::abs_path('build/interop/bin/node');
local $ENV{EXTENSION} = Cwd::abs_path("$extension.so") =~ s/\.so$//r;
like(`cd '$work' && '$node' --no-warnings node.js 2>&1`,
     qr/^true\nfalse\n.*\Q$form\E.*\n.*\Q$form\E.*\n\z/, 'Node: a key, another, a Buffer, base64');

# ---- Parts that are damaged, in another place or missing are errors for one key, and
# where all are opened.

my $of_next = '(SELECT o.%s FROM known_parts AS o WHERE o.part = (known_parts.part + 1) % 50)';
for my $damage ('UPDATE known_parts SET f = zeroblob(length(f))',
                "UPDATE known_parts SET f = CAST(x'ff' || substr(f, 2) AS BLOB)",
                'UPDATE known_parts SET checksum = checksum + 1',
                'UPDATE known_parts SET parts = parts + 1',
                'UPDATE known_parts SET f = ' . $of_next =~ s/%s/f/r
                  . ', checksum = ' . $of_next =~ s/%s/checksum/r,
                'DELETE FROM known_parts WHERE part > 0') {
  $db->begin_work;
  $db->do($damage);
  like(perl_matches(@known[0 .. 39]), qr/part .*(?:damaged|missing)/, "one key: $damage");
  eval { $db->selectrow_array('SELECT bloom_open(part, parts, f) FROM known_part') };
  like($@, qr/bloom_open: .*part/, 'and all parts');
  $db->rollback;
}
done_testing();
