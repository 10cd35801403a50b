#!/usr/bin/perl
# Perl's DBI with DBD::SQLite.
use strict;
use warnings;
use Test::More;
BEGIN {
  eval { require DBI; require DBD::SQLite; 1 }
    or plan skip_all => 'libdbd-sqlite3-perl is not installed';
}

my $db = DBI->connect('dbi:SQLite:dbname=:memory:', '', '',
                      {RaiseError => 1, PrintError => 0});
$db->sqlite_enable_load_extension(1);
$db->sqlite_load_extension(($ENV{DIST} || 'dist') . '/bloom');
$db->sqlite_enable_load_extension(0);

$db->do('CREATE TABLE key(k)');
$db->do('INSERT INTO key VALUES (?)', undef, $_) for qw(hello world);
$db->do('CREATE TABLE filter AS SELECT bloom_build(k, 10) AS f FROM key');
my ($f) = $db->selectrow_array('SELECT f FROM filter');
is(unpack('H*', $f), '114000414410401006', 'a filter is a string of bytes');

# A string is bound as TEXT unless its type is given.
my $probe = $db->prepare('SELECT bloom_may_match(?, ?)');
sub may_match {
  my ($key, $filter) = @_;
  $probe->bind_param(1, $key);
  $probe->bind_param(2, $filter, DBI::SQL_BLOB());
  $probe->execute;
  return $probe->fetchrow_arrayref->[0];
}
is_deeply([map { may_match($_, $f) } qw(hello foo)], [1, 0],
          'a filter bound as a parameter');

my ($number) = $db->selectrow_array('SELECT bloom_build(42)');
is(may_match(42, $number), 1, 'a number is the key that 42 is in SQL');

eval { $db->selectrow_array('SELECT bloom_may_match(?, ?)', undef, 'hello', 'x') };
like($@, qr/bloom_may_match: filter must be a BLOB or a bloom_open\(\) handle, got TEXT 'x'/,
     'an error is raised by DBI');

$db->do('CREATE TABLE page(id INTEGER PRIMARY KEY, url TEXT)');
my $create = "SELECT bloom_create_parts('page', 'url')";
is($db->selectrow_array($create), 'page_url_filter', 'one call keeps a filter');
$db->do("INSERT INTO page(url) VALUES ('/'), ('/a')");
my $known = 'SELECT bloom_may_match(?, filter) FROM page_url_filter';
is_deeply([map { $db->selectrow_array($known, undef, $_) } qw(/ /x)], [1, 0],
          'a key that was inserted since is in it');
my $rows = $db->prepare('SELECT url FROM page');
$rows->execute;
$rows->fetchrow_arrayref;
eval { $db->selectrow_array($create) };
like($@, qr/another statement of this connection is running/,
     'a statement that was not read to its end');
$rows->finish;
is($db->selectrow_array($create), 'page_url_filter', 'after finish it passes');

# Without AutoCommit, DBI begins a transaction before any statement.
$db->{AutoCommit} = 0;
cmp_ok($db->selectrow_array("SELECT bloom_drop_parts('page', 'url')"), '>', 5,
       'AutoCommit off: a call');
$db->rollback;
is($db->selectrow_array($known, undef, '/a'), 1, 'is rolled back');
$db->rollback;
$db->{AutoCommit} = 1;

# A statement must go before its connection does, or DBD::SQLite reads freed
# memory at the end of the program.
undef $probe;
undef $rows;
$db->disconnect;
done_testing();
